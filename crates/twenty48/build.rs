//! Computes the tables of lines that depend on no setting.

use std::fs;
use std::path::Path;

use crate::eval::steps;
use crate::rules::line::{self, Line};

// The library's definitions, under the same module paths.
#[path = "src/rules"]
#[allow(dead_code, unreachable_pub, reason = "the rest is for the library")]
mod rules {
    pub(crate) mod line;
}
#[path = "src/eval"]
#[allow(dead_code, unreachable_pub, reason = "the rest is for the library")]
mod eval {
    pub(crate) mod steps;
}

/// Writes a file for each table, which the library includes as a `LineTable`.
fn main() {
    println!("cargo::rerun-if-changed=src/rules/line.rs");
    println!("cargo::rerun-if-changed=src/eval/steps.rs");
    write_table("slid", |line| line::packed_slides(line).to_le_bytes());
    write_table("potential", |line| (line::potential_of_line(line) as u32).to_le_bytes());
    write_table("effect", |line| line::SlideEffect::from_line(line).word().to_le_bytes());
    write_table("merges", |line| line::merges_when_slid(line).to_le_bytes());
    write_table("monotonicity_lines", |line| steps::monotonicity_lines_of_line(line).pack().to_le_bytes());
    write_table("monotonicity_tiles", |line| steps::monotonicity_tiles_of_line(line).pack().to_le_bytes());
    write_table("smoothness_nearest", |line| (steps::smoothness_nearest_of_line(line) as i8).to_le_bytes());
}

fn write_table<const WIDTH: usize>(name: &str, encode_line: impl Fn(Line) -> [u8; WIDTH]) {
    let folder = std::env::var("OUT_DIR").expect("cargo names a folder");
    let entries: Vec<[u8; WIDTH]> =
        (0..=u16::MAX).map(|nibbles| encode_line(line::unpack(nibbles))).collect();
    fs::write(Path::new(&folder).join(name), entries.as_flattened()).expect("the folder can be written to");
}
