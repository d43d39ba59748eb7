//! Measurements for the tables of `docs/EVIDENCE.md`: how often verdicts are wrong.
//!
//! `cargo bench --bench verdicts` prints the names of the tables. `cargo bench --bench verdicts --
//! NAME NUMBERS…` prints one table; the numbers are optional. Seeds are fixed, so simulations print
//! equal numbers each time. `cargo test` runs a few simulations of each table.
//!
//! Some measurements are ignored tests of other packages, because they share their simulations with
//! tests of private items. This program calls them.

mod across_runs;
mod added_games;
mod front;
mod games;
mod load;
mod play;
mod precision;
#[path = "../../tests/it/support/scratch.rs"]
mod scratch;
mod sequential;
mod within_run;

use std::process::{Command, ExitCode};

use gauntlet::rng::Rng;
use gauntlet::stats::wilson;

/// Table and its measurement.
struct Table {
    name: &'static str,
    /// Names of its arguments.
    usage: &'static str,
    numbers: &'static [f64],
    /// Arguments in a test.
    test_numbers: &'static [f64],
    print: fn(&[f64]),
}

const TABLES: [Table; 8] = [
    Table {
        name: "stopping",
        usage: "RUNS",
        numbers: &[2000.0],
        test_numbers: &[10.0],
        print: sequential::print,
    },
    Table {
        name: "added-games",
        usage: "PAIRS, ten CPU minutes",
        numbers: &[120.0],
        test_numbers: &[1.0],
        print: added_games::print,
    },
    Table {
        name: "precision",
        usage: "RUNS",
        numbers: &[400.0],
        test_numbers: &[1.0],
        print: precision::print,
    },
    Table {
        name: "across-runs",
        usage: "PAIRS MOVES, twenty minutes",
        numbers: &[100.0, 100.0],
        test_numbers: &[1.0, 2.0],
        print: across_runs::print,
    },
    Table {
        name: "within-run",
        usage: "RUNS MS…, a quarter of an hour",
        numbers: &[250.0, 20.0, 60.0, 200.0],
        test_numbers: &[1.0, 1.0],
        print: within_run::print,
    },
    Table {
        name: "slower-player",
        usage: "RUNS, seven minutes",
        numbers: &[100.0],
        test_numbers: &[0.0],
        print: within_run::print_slower,
    },
    Table {
        name: "games-for-times",
        usage: "RUNS DRAWS",
        numbers: &[6.0, 4000.0],
        test_numbers: &[1.0, 1.0],
        print: games::print,
    },
    Table { name: "front", usage: "RUNS", numbers: &[2000.0], test_numbers: &[2.0], print: front::print },
];

/// Tables that tests print: the table's name, the arguments of `cargo test` for its target, and a
/// part of the tests' names.
const TESTS: [(&str, &[&str], &str); 14] = [
    ("paired", &["-p", "gauntlet-stats", "--test", "rates"], "paired_intervals_beside"),
    ("rates", &["-p", "gauntlet-stats", "--test", "rates"], "bounds_beside"),
    ("power", &["-p", "gauntlet-stats", "--test", "rates"], "power_by"),
    ("stopped", &["-p", "gauntlet-run", "--lib"], "many_runs_is_corrected"),
    ("stopped-claims", &["-p", "gauntlet-analysis", "--lib"], "many_claims_keep"),
    ("equals", &["-p", "gauntlet-stats", "--test", "clusters"], "choice_of"),
    ("shares", &["-p", "gauntlet-stats", "--test", "clusters"], "coverage_of_clusters"),
    ("ratings", &["-p", "gauntlet-stats", "-p", "gauntlet-analysis", "--lib"], "coverage_of"),
    ("elo", &["-p", "gauntlet-stats", "--lib"], "errors_of_the_test_of_elo"),
    ("elo-claims", &["-p", "gauntlet-analysis", "--lib"], "many_claims_by_points"),
    ("published-alone", &["-p", "gauntlet-analysis", "--lib"], "honest_numbers"),
    ("published", &["-p", "gauntlet-analysis", "--lib"], "honest_sources"),
    ("several-searches", &["-p", "gauntlet-tune", "--lib"], "equal_ends"),
    ("curves", &["-p", "gauntlet-bench", "--test", "it"], "rows_of_a_curve"),
];

fn main() -> ExitCode {
    // Cargo passes `--bench` to a benchmark, but not when it only tests that the benchmark runs.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).filter(|word| *word != "--bench").collect();
    if words.len() == arguments.len() {
        check_names();
        TABLES.iter().for_each(|table| (table.print)(table.test_numbers));
        return ExitCode::SUCCESS;
    }
    let [name, ref numbers @ ..] = words[..] else {
        TABLES.iter().for_each(|table| println!("{} {}", table.name, table.usage));
        TESTS.iter().for_each(|(name, ..)| println!("{name}"));
        return ExitCode::SUCCESS;
    };
    if let Some(table) = TABLES.iter().find(|table| table.name == name) {
        let numbers = numbers.iter().map(|text| text.parse().expect("a number"));
        let numbers: Vec<f64> = numbers.collect();
        // Missing arguments have their default values.
        let defaults = table.numbers.get(numbers.len()..).unwrap_or_default();
        (table.print)(&if numbers.len() > 1 { numbers } else { [&numbers[..], defaults].concat() });
        return ExitCode::SUCCESS;
    }
    let Some((_, target, tests)) = TESTS.iter().find(|(test_name, ..)| *test_name == name) else {
        eprintln!("no table has the name {name}");
        return ExitCode::FAILURE;
    };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR")).args(["test", "--release"]).args(*target);
    cargo.args(["--", "--include-ignored", "--nocapture", tests]);
    if cargo.status().expect("cargo starts").success() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Panics if a name in [`TESTS`] has no test.
fn check_names() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("crates"), root.join("tests")];
    let mut functions = String::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path())
        {
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(path) {
                functions.extend(text.lines().filter(|line| line.trim_start().starts_with("fn ")));
            }
        }
    }
    for (name, _, tests) in TESTS {
        assert!(functions.contains(tests), "{name}: there is no test {tests}");
    }
}

/// Formats an error count with its rate and 95 % interval (Wilson). Panics if the rate is clearly
/// above the limit of 5 %.
fn errors(count: u64, runs: u64) -> String {
    let lower_bound = wilson(count, runs, 0.9999).map_or(0.0, |rate| rate.low);
    assert!(lower_bound < 0.07, "{count} errors in {runs} runs");
    rate(count, runs)
}

/// Formats a count with its rate and 95 % interval (Wilson).
fn rate(count: u64, runs: u64) -> String {
    let Some(rate) = wilson(count, runs, 0.95).map(|rate| rate.map(|rate| 100.0 * rate)) else {
        return "none".to_owned();
    };
    format!("{count} of {runs}: {:.1} % [{:.1}, {:.1}]", rate.value, rate.low, rate.high)
}

/// Draws from the standard normal distribution (Box and Muller 1958).
fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.unit()).cos()
}
