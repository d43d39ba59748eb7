//! Caches of the user: they save time, and never change a result.

use std::fs;

use gauntlet::GAMES;
use serde_json::Value;

use crate::bench::{Folder, ProgramOutput};

/// File of signatures, in the folder of a test.
const CACHE: &str = "cache/gauntlet/signatures";

/// Signature that no player has.
const FORGED: &str = "0123456789abcdef";

const EXPERIMENT: &str = "
name = 'x'
game = '2048'
seed = 1
games = 1

[[player]]
name = 'dice'
algorithm = 'random'
";

/// Runs a command with the cache of the folder.
fn run(folder: &Folder, line: &str) -> ProgramOutput {
    let output = folder.command(line).env("XDG_CACHE_HOME", folder.path("cache")).output();
    ProgramOutput::new(line, &output.unwrap())
}

/// Plays into a new results folder, and returns the signature in its manifest.
#[track_caller]
fn play(folder: &Folder, results: &str, options: &str) -> String {
    let output = run(folder, &format!("run x.toml --quiet --results {results} {options}")).assert_status(0);
    assert_eq!(output.stderr, "");
    let manifest: toml::Table = folder.read(&format!("{results}/x/manifest.toml")).parse().unwrap();
    manifest["signatures"]["random"].as_str().expect("a signature").to_owned()
}

/// Writes a value with its digest, as the program does.
fn write_cache(folder: &Folder, cache: &str, value: &Value) {
    let json = value.to_string();
    folder.write(cache, format!("{}{json}", blake3::hash(json.as_bytes()).to_hex()));
}

/// Returns a folder whose cache has a forged signature for this program, with a correct digest, and
/// the correct signature.
fn forge() -> (Folder, Value, String) {
    let folder = Folder::with_file("x.toml", EXPERIMENT);
    let signature = play(&folder, "first", "");
    assert_eq!(Some(&signature), GAMES[0].signature_of("random").as_ref());
    let mut programs: Value = serde_json::from_str(&folder.read(CACHE)[64..]).expect("JSON");
    let signatures = programs.as_object_mut().and_then(|programs| programs.values_mut().next());
    let stored = &mut signatures.expect("a program")["2048 random"];
    assert_eq!(stored.as_str(), Some(&*signature));
    *stored = FORGED.into();
    write_cache(&folder, CACHE, &programs);
    (folder, programs, signature)
}

#[test]
fn another_run_of_the_same_program_uses_the_cache() {
    let (folder, programs, signature) = forge();
    assert_eq!(play(&folder, "second", ""), FORGED);
    // A check of all files trusts no cache, and writes none.
    assert_eq!(play(&folder, "verified", "--verify"), signature);
    assert_eq!(play(&folder, "third", ""), FORGED);
    let signatures = programs.as_object().and_then(|programs| programs.values().next());
    write_cache(&folder, CACHE, &serde_json::json!({ "another program": signatures }));
    assert_eq!(play(&folder, "other", ""), signature);
    let programs: Value = serde_json::from_str(&folder.read(CACHE)[64..]).expect("JSON");
    assert_eq!(programs.as_object().map(serde_json::Map::len), Some(2), "{programs}");
}

#[test]
fn a_damaged_cache_is_replaced() {
    let (folder, _, signature) = forge();
    let bytes = fs::read(folder.path(CACHE)).expect("a cache");
    let index = bytes.len() - FORGED.len();
    for (name, damaged_bytes) in [
        ("changed", [&bytes[..index], b"z", &bytes[index + 1..]].concat()),
        ("cut", bytes[..index].to_vec()),
        ("empty", Vec::new()),
        ("zeros", vec![0; bytes.len()]),
    ] {
        folder.write(CACHE, damaged_bytes);
        assert_eq!(play(&folder, name, ""), signature, "{name}");
        assert!(folder.read(CACHE).contains(&signature), "{name}");
    }
}

#[test]
fn a_cache_that_cannot_be_used_is_ignored() {
    let folder = Folder::with_file("x.toml", EXPERIMENT);
    let signature = GAMES[0].signature_of("random").expect("it does not depend on time");
    folder.write("cache", "a file instead of a folder");
    assert_eq!(play(&folder, "file", ""), signature);
    fs::remove_file(folder.path("cache")).expect("a file");
    folder.write(&format!("{CACHE}/a"), "a folder instead of a file");
    assert_eq!(play(&folder, "folder", ""), signature);
}

/// The cache contains the identity of the network. Damage changes the identity. If the cache has
/// the identity of a damaged network, the network is believed to be verified.
#[test]
fn damage_in_a_verified_network_is_found() {
    const NETWORKS: &str = "cache/gauntlet/networks";
    let folder = Folder::with_file(
        "x.toml",
        "
name = 'x'
game = '2048'
seed = 1
games = 1

[train]
patterns = '01234'
method = 'td'
rate = 0.1
seed = 1
games = 1
test_games = 2

[[player]]
name = 'network'
algorithm = 'n-tuple'
network = 'results/x/train/network'
",
    );
    run(&folder, "train x.toml --quiet").assert_status(0);
    assert!(!folder.path(NETWORKS).exists());
    run(&folder, "check x.toml").assert_status(0);
    let read_cache = || serde_json::from_str::<Value>(&folder.read(NETWORKS)[64..]).expect("JSON");
    let identity = |bytes: &[u8]| blake3::hash(&bytes[..bytes.len() - blake3::OUT_LEN]).to_hex().to_string();
    let path = folder.path("results/x/train/network");
    let mut bytes = fs::read(&path).expect("a network");
    assert_eq!(read_cache(), serde_json::json!([identity(&bytes)]));
    run(&folder, "check x.toml").assert_status(0);

    let index = bytes.len() - 1000;
    bytes[index] ^= 1;
    fs::write(&path, &bytes).expect("a network");
    let message = "its weights do not match their digest";
    run(&folder, "check x.toml").assert_status(2).assert_says(message);
    write_cache(&folder, NETWORKS, &serde_json::json!([identity(&bytes)]));
    run(&folder, "check x.toml").assert_status(0);
    run(&folder, "check x.toml --verify").assert_status(2).assert_says(message);
}
