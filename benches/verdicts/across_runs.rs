//! Errors of comparisons across runs. Equal experiments run repeatedly while the load of the
//! machine changes, and each pair of runs is compared as by `gauntlet compare --by ms`.
//!
//! Prints a line for each player. It shows how many pairs of runs find the player different from
//! itself. It also shows how far single runs differ, and how much of that is visible within a run.
//! The last line shows how many pairs detect a player that is 1.25 times as slow.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use gauntlet::compare::question::Conclusion;
use gauntlet::compare::time::BETWEEN_RUNS;
use gauntlet::measure::Measure;
use gauntlet::results::analysis::contestants::read_contestants;
use gauntlet::results::analysis::pairwise::{PairwiseQuestion, compare};
use gauntlet::results::store::read::Results;
use gauntlet::stats::Estimate;

use crate::load::under_changing_load;
use crate::play::run_experiment;
use crate::rate;
use crate::scratch::Scratch;

/// Numbers of games, with players that need between 15 ns and 0.5 ms per move.
const EXPERIMENTS: [(u64, &[(&str, &str)]); 3] = [
    (100_000, &[("fixed-order", "order = ['down', 'left', 'right', 'up']"), ("greedy", "")]),
    (800, &[("lazuxd", "")]),
    (
        40,
        &[
            ("ovolve", "depth = 3"),
            ("ronzil", "runs = 100"),
            ("ronzil", "runs = 125"),
            ("ronzil", "runs = 400"),
        ],
    ),
];

/// Indices of two players among all players: the second needs 1.25 times as long per move as the
/// first.
const SLOWER: [usize; 2] = [4, 5];

/// Plays and compares pairs of runs, given the number of pairs and the maximum number of moves per
/// game.
pub(crate) fn print(numbers: &[f64]) {
    under_changing_load(|| measure(numbers[0] as usize, numbers[1] as u32));
}

fn measure(pairs: usize, max_moves: u32) {
    let folder = Scratch::new();
    write_experiments(folder.path(), max_moves);
    let mut all_ratios = vec![Vec::new(); EXPERIMENTS.iter().map(|(_, players)| players.len()).sum()];
    let mut slower_ratios = Vec::new();
    for _ in 0..pairs {
        let [first_run, second_run] = ["one", "other"].map(|run| play(folder.path(), run));
        let mut player = 0;
        for (first, second) in first_run.into_iter().zip(second_run) {
            let results = [first, second];
            let measures = [Measure::MsPerMove];
            let contestants = read_contestants(&results, &measures).expect("results");
            let count = contestants.len() / 2;
            let question = PairwiseQuestion { measures: measures.to_vec(), ..PairwiseQuestion::default() };
            let ratio = |pair| {
                let comparison = compare(&contestants, &[pair], &question).remove(0);
                comparison.finding.effect.map(|effect| (effect.estimate(), comparison.conclusion()))
            };
            for index in 0..count {
                all_ratios[player + index].extend(ratio((count + index, index)));
            }
            if (player..player + count).contains(&SLOWER[0]) {
                let [fast, slow] = SLOWER.map(|index| index - player);
                slower_ratios.extend(ratio((fast, count + slow)));
                slower_ratios.extend(ratio((count + fast, slow)));
            }
            player += count;
        }
    }
    let names = EXPERIMENTS.iter().flat_map(|(_, players)| players.iter());
    println!("pairs of runs, and how many of them call a player different from itself:");
    for ((algorithm, settings), ratios) in names.zip(&all_ratios) {
        let different =
            ratios.iter().filter(|(_, conclusion)| *conclusion != Conclusion::Inconclusive).count();
        let (run_spread, visible_spread) = spreads(ratios.iter().map(|(ratio, _)| *ratio));
        println!(
            "{algorithm} {settings}: {}, {} refused; runs differ by {:.1} %, of which {:.1} % is seen within each",
            rate(different as u64, ratios.len() as u64),
            pairs - ratios.len(),
            100.0 * run_spread,
            100.0 * visible_spread,
        );
    }
    let slower_count = slower_ratios.iter().filter(|(_, conclusion)| *conclusion == Conclusion::Yes).count();
    println!("1.25 times as slow is found in {}", rate(slower_count as u64, slower_ratios.len() as u64));
}

/// Number of standard errors between an estimate and its 95 % bound.
const NORMAL_QUANTILE: f64 = 1.96;

/// Returns the standard deviation of one run's logarithm of time, and the part of it that is
/// visible within runs.
fn spreads(ratios: impl Iterator<Item = Estimate> + Clone) -> (f64, f64) {
    let count = ratios.clone().count() as f64;
    let squares: f64 = ratios.clone().map(|ratio| ratio.value.ln().powi(2)).sum();
    let errors: f64 =
        ratios.map(|ratio| ((ratio.high / ratio.low).ln() / 2.0 / NORMAL_QUANTILE).powi(2)).sum();
    ((squares / count / 2.0).sqrt(), (errors / count / 2.0 - BETWEEN_RUNS.powi(2)).max(0.0).sqrt())
}

fn write_experiments(folder: &Path, max_moves: u32) {
    for (number, (games, players)) in EXPERIMENTS.iter().enumerate() {
        let mut text = format!(
            "name = \"{number}\"\ngame = \"2048\"\nseed = 1\ngames = {games}\nmax_moves = {max_moves}\n"
        );
        for (algorithm, settings) in *players {
            let name = format!("{algorithm} {settings}");
            write!(
                text,
                "[[player]]\nname = \"{}\"\nalgorithm = \"{algorithm}\"\n{settings}\n",
                name.trim_end()
            )
            .expect("writing to memory does not fail");
        }
        fs::write(folder.join(format!("{number}.toml")), text).expect("a file is written");
    }
}

/// Runs all experiments once.
fn play(folder: &Path, run: &str) -> Vec<Results> {
    (0..EXPERIMENTS.len()).map(|number| run_experiment(folder, run, &number.to_string(), &[])).collect()
}
