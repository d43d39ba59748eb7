//! Storm of kills: small experiments are run, killed at random moments, and run again until they
//! are complete. Then their tables must equal those of an undisturbed run, byte by byte.
//!
//! After a kill, and sometimes while a command runs, `report`, `rank` and `status` are called. Each
//! must show either the earlier tables or the new ones. Before the first tables, it may report that
//! there are none, or show those of an unfinished run. Several shards run at the same time, and so
//! do several `judge` commands.
//!
//! `cargo bench --bench storm -- SECONDS SEED` (default 60 and 1) prints the number of kills per
//! phase and each difference. If there is a difference, it exits with status 1. The seed determines
//! experiments, signals and times. The state of a program at such a time depends on the machine.
//!
//! - `scenario`: experiments; `reference`: their undisturbed results
//! - `folder`: the program in a temporary folder
//! - `trial`: one experiment that is killed repeatedly; `count`: counts over all trials

mod count;
mod folder;
mod reference;
mod scenario;
#[path = "../../tests/it/support/scratch.rs"]
mod scratch;
mod trial;

use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use gauntlet::rng::Seed;

use count::Count;
use reference::{Reference, run_undisturbed};
use scenario::SCENARIOS;
use trial::Trial;

fn main() -> ExitCode {
    // Cargo passes `--bench` to a benchmark, but not when it only tests that the benchmark runs.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let mut numbers = std::env::args().filter_map(|argument| argument.parse::<u64>().ok());
    let seconds = numbers.next().unwrap_or(if is_bench { 60 } else { 4 });
    let seed = numbers.next().unwrap_or(1);
    println!("a storm of {seconds} s, seed {seed}");

    let references: Vec<[Reference; 3]> = SCENARIOS.iter().map(run_undisturbed).collect();
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut count = Count::default();
    thread::scope(|scope| {
        let storms = [0, 1].map(|worker| {
            let references = &references;
            scope.spawn(move || {
                let mut rng = Seed::root(seed).child("storm", worker).rng();
                let mut count = Count::default();
                while Instant::now() < end {
                    let index = rng.below(SCENARIOS.len() as u64) as usize;
                    Trial::new(&SCENARIOS[index], &references[index], &mut rng, &mut count).play();
                }
                count
            })
        });
        for storm in storms {
            count.add(storm.join().expect("a storm does not panic"));
        }
    });
    count.print();
    if count.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
