//! Errors of comparisons of times, where there is nothing to be found.
//!
//! - `cargo bench --bench equal_runs -- across PAIRS`: across runs (100 pairs, some twenty minutes)
//! - `cargo bench --bench equal_runs -- within RUNS MS…`: within one run, of so many CPU
//!   milliseconds a side (250 runs of each kind and of 20, 60 and 200 ms, a quarter of an hour)
//! - `cargo bench --bench equal_runs -- within RUNS`: whether a slower player is found within one
//!   run (100, seven minutes)
//! - `cargo bench --bench equal_runs -- games RUNS DRAWS`: by how many games they rest on, and how
//!   many are too few (6 runs of forty games of each kind, and 4,000 draws from these for each
//!   number of games)
//! - `load` before the rest: while the load of the machine changes
//!
//! It asserts nothing.

mod across;
mod games;
mod load;
mod play;
#[path = "../../tests/it/support/scratch.rs"]
mod scratch;
mod within;

fn main() {
    // Cargo passes `--bench` to a bench, and not where it only tests that the bench runs.
    let all: Vec<String> = std::env::args().skip(1).collect();
    let asked: Vec<&str> = all.iter().map(String::as_str).filter(|argument| *argument != "--bench").collect();
    if asked.len() == all.len() {
        across::measure(1, 2);
        games::measure(1, 1);
        return within::measure(1, &[1.0]);
    }
    match asked[..] {
        ["load", ref rest @ ..] => load::under_changing_load(|| measure(rest)),
        ref rest => measure(rest),
    }
}

fn measure(asked: &[&str]) {
    let number = |text: &&str| text.parse::<f64>().unwrap_or_else(|_| panic!("`{text}` is no number"));
    match asked {
        [] => across::measure(100, 100),
        ["across"] => across::measure(100, 100),
        ["across", pairs] => across::measure(number(pairs) as usize, 100),
        ["within", runs, lengths @ ..] => {
            let lengths: Vec<f64> = lengths.iter().map(number).collect();
            match lengths[..] {
                [] => within::find(number(runs) as usize),
                _ => within::measure(number(runs) as usize, &lengths),
            }
        }
        ["games"] => games::measure(6, 4000),
        ["games", runs, draws] => games::measure(number(runs) as u64, number(draws) as u64),
        _ => panic!("`across PAIRS`, `within RUNS MS…` or `games RUNS DRAWS`, after `load` or not"),
    }
}
