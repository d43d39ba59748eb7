//! Files of expected values under `tests/`, compared with current output. Every test with such a
//! file uses this module, so there is one way to renew them.

use std::path::PathBuf;
use std::{env, fs};

fn path_of(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Only the value 1 renews files; 0 or an empty value does not.
fn is_renewing() -> bool {
    env::var_os("GAUNTLET_BLESS").is_some_and(|value| value == "1")
}

/// Reads a file by its path under `tests/`.
pub(crate) fn read(name: &str) -> String {
    fs::read_to_string(path_of(name)).unwrap_or_else(|error| panic!("tests/{name}: {error}"))
}

/// Compares a text with a file, and shows the first line that differs. With GAUNTLET_BLESS=1 in the
/// environment the file is written instead; review the difference before the commit.
#[track_caller]
pub(crate) fn assert_golden(name: &str, text: &str) {
    assert_all_golden([(name.to_owned(), text.to_owned())]);
}

/// Compares several texts with files, and shows all differences together.
#[track_caller]
pub(crate) fn assert_all_golden(files: impl IntoIterator<Item = (String, String)>) {
    let mut different = Vec::new();
    for (name, text) in files {
        if is_renewing() {
            fs::write(path_of(&name), text).unwrap_or_else(|error| panic!("tests/{name}: {error}"));
        } else {
            different.extend(describe_difference(&name, &text));
        }
    }
    assert!(different.is_empty(), "{}\n(GAUNTLET_BLESS=1 renews what differs)", different.join("\n"));
}

fn describe_difference(name: &str, text: &str) -> Option<String> {
    let expected = match fs::read_to_string(path_of(name)) {
        Ok(expected) => expected,
        Err(error) => return Some(format!("tests/{name}: {error}; it should hold\n{text}")),
    };
    let mut lines = (1..).zip(text.lines().zip(expected.lines()));
    let first = lines.find(|(_, (line, expected))| line != expected);
    match first {
        Some((number, (line, expected))) => {
            Some(format!("tests/{name}:{number}\n  expected {expected}\n  is       {line}"))
        }
        None if text != expected => Some(format!("tests/{name} is longer, shorter or ends otherwise")),
        None => None,
    }
}
