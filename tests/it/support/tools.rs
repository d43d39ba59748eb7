//! Programs that some tests need: a browser, Python, compilers. Without them the tests are skipped.

use std::io::{Write, stderr};
use std::process::{Command, Stdio};
use std::{env, thread};

/// Returns true if a program is installed.
#[track_caller]
pub(crate) fn is_installed(program: &str) -> bool {
    // Lua has no long options.
    succeeds(program, &[if program == "lua" { "-v" } else { "--version" }])
}

/// Returns the program that a variable names, or this one, if it is installed.
#[track_caller]
pub(crate) fn find_program(variable: &str, program: &str, arguments: &[&str]) -> Option<String> {
    let name = env::var(variable).unwrap_or_else(|_| program.to_owned());
    succeeds(&name, arguments).then_some(name)
}

/// Returns true if a command succeeds. If it does not, the test is skipped, or fails if `.ci/run`
/// has set that all programs are installed.
#[track_caller]
pub(crate) fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let is_success = output.is_ok_and(|output| output.status.success());
    if !is_success {
        let reason = format!("`{program} {}` fails", arguments.join(" "));
        assert!(env::var_os("GAUNTLET_PROGRAMS").is_none(), "{reason}");
        skip(&reason);
    }
    is_success
}

/// Prints why the current test or a part of it is skipped.
pub(crate) fn skip(reason: &str) {
    let thread = thread::current();
    // The output of `eprintln!` is captured in tests that pass.
    let _ = writeln!(stderr(), "skipped {}: {reason}", thread.name().unwrap_or("a part of a test"));
}

/// Returns true if this build lacks a command of an extra. In this case, prints that the test is
/// skipped.
pub(crate) fn lacks_command(command: &str) -> bool {
    let is_missing = gauntlet::program(&gauntlet::GAMES, &[]).commands().all(|entry| entry.name != command);
    if is_missing {
        skip(&format!("this build has no `gauntlet {command}`"));
    }
    is_missing
}
