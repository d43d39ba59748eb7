//! Records the source revision, compiler and target for the manifests of results. Writes a test for
//! each player, and finds the tests of the extras.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// Sets the variables for the program, and writes the tests of players.
fn main() {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=crates");
    println!("cargo::rerun-if-changed=extras");
    println!("cargo::rerun-if-changed=Cargo.lock");
    // Only these two files change with a commit. A file that does not exist would trigger a rebuild
    // every time.
    for file in ["HEAD", "logs/HEAD"] {
        let path = output("git", &["rev-parse", "--git-path", file]);
        if let Some(path) = path.filter(|path| Path::new(path).exists()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let revision = output("git", &["rev-parse", "--short=12", "HEAD"]).map(|revision| {
        let changes = output(
            "git",
            &["status", "--porcelain", "--", "src", "crates", "extras", "Cargo.toml", "Cargo.lock"],
        );
        if changes.is_some_and(|text| text.is_empty()) { revision } else { revision + "+" }
    });
    write_tests_of_players();
    write_tests_of_extras();
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    for (name, value) in [
        ("GAUNTLET_REVISION", revision),
        ("GAUNTLET_COMPILER", output(&rustc, &["--version"])),
        ("GAUNTLET_TARGET", env::var("TARGET").ok()),
    ] {
        println!("cargo::rustc-env={name}={}", value.unwrap_or_else(|| "unknown".to_owned()));
    }
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Where a package lists its players.
const LISTS: [&str; 2] = ["src/lib.rs", "src/players/mod.rs"];

/// Writes a test of each player against the laws, for `tests/it/games/players.rs`. In a list of
/// players the name of an entry follows `Algorithm::new`. A published package has no such lists.
fn write_tests_of_players() {
    let folders = fs::read_dir("crates").into_iter().flatten().filter_map(Result::ok);
    let files = folders.flat_map(|folder| LISTS.map(|name| folder.path().join(name)));
    let lists = files.filter_map(|file| fs::read_to_string(file).ok());
    let names = |list: String| -> Vec<String> {
        let entries = list.split("Algorithm::new::<").skip(1);
        entries.filter_map(|entry| entry.split('"').nth(1)).map(str::to_owned).collect()
    };
    let names = Vec::from_iter(lists.flat_map(names).collect::<BTreeSet<String>>());
    let mut tests = format!("const NAMES: &[&str] = &{names:?};\n");
    for name in names {
        let test = name.replace('-', "_");
        tests += &format!("#[test]\nfn {test}() {{\n    keep_all_the_laws({name:?});\n}}\n");
    }
    write("players.rs", &tests);
}

/// Writes the module of tests of each extra, for `tests/it/main.rs`: `extras/NAME/tests/it/mod.rs`,
/// if the feature NAME is on. So no test of the core names an extra.
fn write_tests_of_extras() {
    let folders = fs::read_dir("extras").into_iter().flatten().filter_map(Result::ok);
    let mut modules: Vec<String> = Vec::new();
    for folder in folders.map(|folder| folder.path()) {
        let file = folder.join("tests/it/mod.rs");
        if let (Some(name), Ok(file)) =
            (folder.file_name().and_then(|name| name.to_str()), file.canonicalize())
        {
            let module = name.replace('-', "_");
            modules.push(format!("#[cfg(feature = {name:?})]\n#[path = {file:?}]\nmod {module};\n"));
        }
    }
    modules.sort();
    write("extras.rs", &modules.concat());
}

/// Writes a file for the tests to include.
fn write(name: &str, text: &str) {
    let folder = env::var_os("OUT_DIR").expect("cargo names a folder");
    fs::write(Path::new(&folder).join(name), text).expect("the folder takes a file");
}
