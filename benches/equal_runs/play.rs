//! A run of an experiment, as a user has it.

use std::fs;
use std::path::Path;
use std::process::Command;

use gauntlet::results::store::read::Results;

/// Runs the experiment `NAME.toml` of a folder from nothing.
pub(crate) fn played(folder: &Path, run: &str, name: &str, more: &[&str]) -> Results {
    let results = folder.join(run).join(name);
    let _ = fs::remove_dir_all(&results);
    let done = Command::new(env!("CARGO_BIN_EXE_gauntlet"))
        .current_dir(folder)
        .args(["run", &format!("{name}.toml"), "--quiet", "--results", run])
        .args(more)
        .output()
        .expect("gauntlet starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Results::read(gauntlet::catalog(&gauntlet::GAMES), &results).expect("results")
}
