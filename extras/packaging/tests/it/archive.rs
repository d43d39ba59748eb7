//! Release archives: packed by the script, unpacked, and run.

use std::path::Path;
use std::process::Command;

use crate::bench::{Folder, PROGRAM};
use crate::tools::skip;

/// Packs an archive, unpacks it, and returns the folder in it. Without `program`, it is built.
fn unpack(folder: &Folder, target: &str, program: Option<&str>) -> String {
    let mut script = Command::new("bash");
    script.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/archive"));
    script.args([folder.path("out").as_os_str(), target.as_ref()]);
    if let Some(program) = program {
        script.env("GAUNTLET_PROGRAM", program);
    }
    let output = script.output().expect("bash");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let name = format!("gauntlet-bench-{target}-v{}", env!("CARGO_PKG_VERSION"));
    let archive = folder.path(&format!("out/{name}.tgz"));
    let mut tar = Command::new("tar");
    let status = tar.arg("-xzf").arg(archive).arg("-C").arg(folder.path("out")).status().expect("tar");
    assert!(status.success());
    format!("out/{name}")
}

#[test]
fn an_archive_has_a_program_that_runs() {
    let folder = Folder::new();
    let target = "x86_64-unknown-linux-gnu";
    let name = unpack(&folder, target, Some(PROGRAM));
    let archive_path = |path: &str| folder.path(&format!("{name}/{path}"));
    for file in [
        "README.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "man/gauntlet.1",
        "man/gauntlet-run.1",
        "completions/gauntlet.fish",
    ] {
        assert!(archive_path(file).is_file(), "{file}");
    }
    let output = Command::new(archive_path("gauntlet")).args(["players"]).output().expect("it starts");
    assert!(output.status.success() && String::from_utf8_lossy(&output.stdout).contains("expectimax"));
    // Packed again, it has the same bytes.
    let path = folder.path(&format!("{name}.tgz"));
    let first_archive = std::fs::read(&path).expect("an archive");
    unpack(&folder, target, Some(PROGRAM));
    assert!(first_archive == std::fs::read(&path).expect("an archive"));
}

/// `rustup target add x86_64-unknown-linux-musl` installs the target.
#[test]
fn a_static_archive_needs_no_library() {
    let target = "x86_64-unknown-linux-musl";
    let library = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    let library = String::from_utf8(library.expect("rustc").stdout).expect("a path");
    if !Path::new(library.trim()).is_dir() {
        return skip(&format!("the target {target} is not installed"));
    }
    let folder = Folder::new();
    let name = unpack(&folder, target, None);
    let program = std::fs::read(folder.path(&format!("{name}/gauntlet"))).expect("a program");
    let interpreter = b"/lib64/ld-linux";
    assert!(!program.windows(interpreter.len()).any(|bytes| bytes == interpreter), "it is not static");
}
