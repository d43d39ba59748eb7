//! Runs an experiment as a user does.

use std::fs;
use std::path::Path;
use std::process::Command;

use gauntlet::results::store::read::Results;

/// Runs the program in a folder.
pub(crate) fn run(folder: &Path, words: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_gauntlet"))
        .current_dir(folder)
        .args(words)
        .output()
        .expect("gauntlet starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Runs the experiment `NAME.toml` in a folder, after removing earlier results.
pub(crate) fn run_experiment(folder: &Path, results: &str, name: &str, options: &[&str]) -> Results {
    let path = folder.join(results).join(name);
    let _ = fs::remove_dir_all(&path);
    run(folder, &[&["run", &format!("{name}.toml"), "--quiet", "--results", results], options].concat());
    Results::read(gauntlet::catalog(&gauntlet::GAMES), &path).expect("results")
}

/// Runs an experiment of two players of one algorithm, `one` and `other`, on one thread. With two
/// threads, it would depend on the machine whether they share a core.
pub(crate) fn run_pair(folder: &Path, algorithm: &str, pair: [&str; 2], seed: u64, games: u64) -> Results {
    let players = ["one", "other"].iter().zip(pair).map(|(name, settings)| {
        format!("[[player]]\nname = \"{name}\"\nalgorithm = \"{algorithm}\"\n{settings}\n")
    });
    let header = format!("name = \"pair\"\ngame = \"2048\"\nseed = {seed}\ngames = {games}\n");
    fs::write(folder.join("pair.toml"), header + &players.collect::<String>()).expect("a file is written");
    run_experiment(folder, "results", "pair", &["--threads", "1"])
}
