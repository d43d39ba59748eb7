//! A storm of kills: small experiments are run, killed at random moments, and run again until they
//! are done. Then their tables must be those of a run that nothing disturbed, byte by byte. Between
//! a kill and the next run, `report`, `rank` and `status` are asked, also while a command goes on:
//! each must tell the tables of before or the new ones. Only where there have never been any, it
//! may say that there are none. Shards are played at the same time, and so are judgements.
//!
//! `cargo bench --bench storm -- SECONDS SEED` (60 and 1). It prints how many kills landed in which
//! phase, and each difference; if there is one, it ends with status 1. The seed decides
//! experiments, signals and moments, but where in its work a program is at such a moment, the
//! machine decides.
//!
//! - `scenario`: what is played; `reference`: what comes of it undisturbed
//! - `folder`: the program in its own folder
//! - `trial`: one experiment, killed again and again; `count`: what came of all

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
use reference::{Reference, undisturbed};
use scenario::SCENARIOS;
use trial::Trial;

fn main() -> ExitCode {
    // Cargo passes `--bench` to a bench, and not where it only tests that the bench runs.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let mut asked = std::env::args().filter_map(|argument| argument.parse::<u64>().ok());
    let seconds = asked.next().unwrap_or(if is_bench { 60 } else { 4 });
    let seed = asked.next().unwrap_or(1);
    println!("a storm of {seconds} s, seed {seed}");

    let references: Vec<[Reference; 3]> = SCENARIOS.iter().map(undisturbed).collect();
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut count = Count::default();
    thread::scope(|scope| {
        let storms = [0, 1].map(|worker| {
            let references = &references;
            scope.spawn(move || {
                let mut rng = Seed::root(seed).child("storm", worker).rng();
                let mut count = Count::default();
                while Instant::now() < end {
                    let place = rng.below(SCENARIOS.len() as u64) as usize;
                    Trial::new(&SCENARIOS[place], &references[place], &mut rng, &mut count).play();
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
