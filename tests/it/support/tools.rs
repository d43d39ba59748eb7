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
pub(crate) fn find_program(variable: &str, program: &str, trial: &[&str]) -> Option<String> {
    let name = env::var(variable).unwrap_or_else(|_| program.to_owned());
    succeeds(&name, trial).then_some(name)
}

/// Returns true if a command succeeds. If it does not, the test is skipped, or fails if `.ci/run`
/// has set that all programs are installed.
#[track_caller]
pub(crate) fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let answers = output.is_ok_and(|output| output.status.success());
    if !answers {
        let why = format!("`{program} {}` fails", arguments.join(" "));
        assert!(env::var_os("GAUNTLET_PROGRAMS").is_none(), "{why}");
        skip(&why);
    }
    answers
}

/// Prints why the current test or a part of it is skipped.
pub(crate) fn skip(why: &str) {
    let thread = thread::current();
    // The output of `eprintln!` is captured in tests that pass.
    let _ = writeln!(stderr(), "skipped {}: {why}", thread.name().unwrap_or("a part of a test"));
}

/// Returns true if this build lacks a command of an extra. In this case, prints that the test is
/// skipped.
pub(crate) fn lacks_command(command: &str) -> bool {
    let lacks = gauntlet::program(&gauntlet::GAMES, &[]).commands().all(|known| known.name != command);
    if lacks {
        skip(&format!("this build has no `gauntlet {command}`"));
    }
    lacks
}
