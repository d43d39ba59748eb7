//! Computes the tables of lines that hang on no setting, and tells the program what it was built from and by, for the
//! manifests of results.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::eval::twenty48::steps;
use crate::games::twenty48::line::{self, Line};

// The definitions themselves, at the same places as in the library.
#[path = "src/games"]
#[allow(dead_code, unreachable_pub, reason = "the rest is for the library")]
mod games {
    pub(crate) mod twenty48 {
        pub(crate) mod line;
    }
}
#[path = "src/eval"]
#[allow(dead_code, unreachable_pub, reason = "the rest is for the library")]
mod eval {
    pub(crate) mod twenty48 {
        pub(crate) mod steps;
    }
}

fn main() {
    tables_of_lines();
    provenance();
}

/// A file for each table, which the library reads as a `LineTable`.
fn tables_of_lines() {
    write_table("slid", |line| line::packed_slides(line).to_le_bytes());
    write_table("potential", |line| (line::potential_of_line(line) as u32).to_le_bytes());
    write_table("effect", |line| line::Effect::of_line(line).word().to_le_bytes());
    write_table("merges", |line| line::merges_when_slid(line).to_le_bytes());
    write_table("monotonicity_lines", |line| steps::monotonicity_lines_of_line(line).packed().to_le_bytes());
    write_table("monotonicity_tiles", |line| steps::monotonicity_tiles_of_line(line).packed().to_le_bytes());
    write_table("smoothness_nearest", |line| (steps::smoothness_nearest_of_line(line) as i8).to_le_bytes());
}

fn write_table<const WIDTH: usize>(name: &str, entry: impl Fn(Line) -> [u8; WIDTH]) {
    let folder = std::env::var("OUT_DIR").expect("cargo names a folder");
    let entries: Vec<[u8; WIDTH]> = (0..=u16::MAX).map(|nibbles| entry(line::unpack(nibbles))).collect();
    fs::write(Path::new(&folder).join(name), entries.as_flattened()).expect("the folder can be written to");
}

/// From which source and by which compiler for which target.
fn provenance() {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=Cargo.lock");
    // Only these two change with a commit; naming a file that is not there would build every time anew.
    for file in ["HEAD", "logs/HEAD"] {
        let path = output("git", &["rev-parse", "--git-path", file]);
        if let Some(path) = path.filter(|path| Path::new(path).exists()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let revision = output("git", &["rev-parse", "--short=12", "HEAD"]).map(|revision| {
        let changed = output("git", &["status", "--porcelain", "--", "src", "Cargo.toml", "Cargo.lock"]);
        if changed.is_some_and(|changed| changed.is_empty()) { revision } else { revision + "+" }
    });
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    for (name, value) in [
        ("GAUNTLET_REVISION", revision),
        ("GAUNTLET_COMPILER", output(&rustc, &["--version"])),
        ("GAUNTLET_TARGET", std::env::var("TARGET").ok()),
    ] {
        println!("cargo::rustc-env={name}={}", value.unwrap_or_else(|| "unknown".to_owned()));
    }
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
