//! Tells the program what it was built from and by, for the manifests of results.

use std::path::Path;
use std::process::Command;

/// From which source and by which compiler for which target.
fn main() {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=crates");
    println!("cargo::rerun-if-changed=Cargo.lock");
    // Only these two change with a commit; naming a file that is not there would build every time anew.
    for file in ["HEAD", "logs/HEAD"] {
        let path = output("git", &["rev-parse", "--git-path", file]);
        if let Some(path) = path.filter(|path| Path::new(path).exists()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let revision = output("git", &["rev-parse", "--short=12", "HEAD"]).map(|revision| {
        let changed =
            output("git", &["status", "--porcelain", "--", "src", "crates", "Cargo.toml", "Cargo.lock"]);
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
