//! Release archives: packed by the script, unpacked, and run.

use std::path::Path;
use std::process::Command;

use crate::bench::{Folder, PROGRAM};

/// Packs the program as an archive for a target, unpacks it, and returns the folder in it.
fn unpack(folder: &Folder, target: &str) -> String {
    let mut script = Command::new("bash");
    script.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/archive"));
    script.args([folder.path("out").as_os_str(), target.as_ref()]);
    let output = script.env("GAUNTLET_PROGRAM", PROGRAM).output().expect("bash");
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
    let name = unpack(&folder, target);
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
    unpack(&folder, target);
    assert!(first_archive == std::fs::read(&path).expect("an archive"));
}
