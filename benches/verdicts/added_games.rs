//! Errors of answers if games are added until a difference is significant. Two equal players and
//! two unequal ones play real runs of the program.
//!
//! The equal players are `greedy` with the order down, left, right, up and with the order right,
//! up, down, left. The second order is the first one reflected at a diagonal, and the rules are
//! symmetric. So both players have equal chances in every game, but equal random numbers put tiles
//! on different cells. The unequal players are `greedy` and `fixed-order` with the first order.
//!
//! This plan was fixed before the first run. Each pair has its own seed: k for pair k of the first
//! plan, 10,000 + k in the second plan, and so on. A user plays the first number of games and reads
//! the verdict on one claim at 95 %. Unless the claim is confirmed or refuted, the user plays the
//! next number. For comparison, the runs are repeated with a new folder for each number, which
//! contains no earlier answer. Of 120 equal pairs, at most 6 may get a false answer about added
//! games. The number including false answers about the first games is printed, too.

use std::fs;
use std::path::Path;

use rayon::prelude::*;

use crate::play::run;
use crate::scratch::Scratch;
use crate::{errors, rate};

/// How a user adds games.
#[derive(Clone, Copy)]
enum GrowthMethod {
    /// Changes the number in the file.
    InFile,
    /// Uses the option `--games`.
    ByOption,
}

/// Plans of users: the measure, the numbers of games, and how games are added.
const PLANS: [(&str, &[u64], GrowthMethod); 4] = [
    ("win", &DOUBLED, GrowthMethod::InFile),
    ("score", &DOUBLED, GrowthMethod::InFile),
    ("win", &[100, 200, 300], GrowthMethod::ByOption),
    ("score", &[100, 200, 300], GrowthMethod::ByOption),
];

const DOUBLED: [u64; 6] = [50, 100, 200, 400, 800, 1600];

const ORDER: &str = "order = [\"down\", \"left\", \"right\", \"up\"]";
const MIRRORED: &str = "order = [\"right\", \"up\", \"down\", \"left\"]";

const EQUAL: [[&str; 2]; 2] = [["greedy", ORDER], ["greedy", MIRRORED]];
const UNEQUAL: [[&str; 2]; 2] = [["greedy", ORDER], ["fixed-order", ORDER]];

pub(crate) fn print(numbers: &[f64]) {
    let pairs = numbers[0] as u64;
    for (number, plan) in (0..).zip(PLANS) {
        println!("{} by {}, {pairs} equal pairs:", join_numbers(plan.1), plan.0);
        for keeps_folder in [true, false] {
            let stop_games = map_pairs(pairs, |pair| play(EQUAL, plan, 10_000 * number + pair, keeps_folder));
            let first_errors = stop_games.iter().filter(|end| **end == Some(plan.1[0])).count();
            let later_errors = stop_games.iter().flatten().count() - first_errors;
            let error_count = (first_errors + later_errors) as u64;
            let error_text = if keeps_folder { errors(error_count, pairs) } else { rate(error_count, pairs) };
            println!(
                "  {}: {first_errors} false answers about the first number, {later_errors} about more, {error_text} in all",
                if keeps_folder { "corrected" } else { "not corrected" },
            );
        }
    }
    println!("greedy beside fixed-order by win, {pairs} pairs:");
    let print_detections = |numbers: &'static [u64], keeps_folder| {
        let stop_games = map_pairs(pairs, |pair| {
            play(UNEQUAL, ("win", numbers, GrowthMethod::InFile), 50_000 + pair, keeps_folder)
        });
        let mut stop_games: Vec<u64> = stop_games.into_iter().flatten().collect();
        stop_games.sort_unstable();
        let median = stop_games.get(stop_games.len() / 2).map_or_else(|| "-".to_owned(), u64::to_string);
        println!(
            "  {}: found in {}, typically after {median} games",
            join_numbers(numbers),
            stop_games.len()
        );
    };
    print_detections(&DOUBLED, true);
    for single_count in [&DOUBLED[3..4], &DOUBLED[4..5], &DOUBLED[5..]] {
        print_detections(single_count, true);
    }
}

/// Evaluates a function for each pair, on several threads.
fn map_pairs(pairs: u64, play_pair: impl Fn(u64) -> Option<u64> + Sync + Send) -> Vec<Option<u64>> {
    (0..pairs).into_par_iter().map(play_pair).collect()
}

fn join_numbers(numbers: &[u64]) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

/// Returns the number of games with which a user gets an answer; `None` if all are inconclusive.
fn play(
    players: [[&str; 2]; 2],
    (measure, numbers, method): (&str, &[u64], GrowthMethod),
    seed: u64,
    keeps_folder: bool,
) -> Option<u64> {
    let folder = Scratch::new();
    numbers.iter().copied().find(|&games| {
        let file_games = if matches!(method, GrowthMethod::InFile) { games } else { numbers[0] };
        let experiment = experiment(players, measure, file_games, seed);
        fs::write(folder.path().join("e.toml"), experiment).expect("a file is written");
        let results = if keeps_folder { "results".to_owned() } else { format!("results-{games}") };
        let mut arguments = vec!["run", "e.toml", "--quiet", "--threads", "1", "--results", &results];
        let option = games.to_string();
        let is_changed = file_games != games;
        arguments.extend(is_changed.then_some(["--games", &option]).into_iter().flatten());
        run(folder.path(), &arguments);
        let name = if is_changed { format!("e+games={games}") } else { "e".to_owned() };
        is_answered(&folder.path().join(results).join(name))
    })
}

/// Returns true if the claim in these results is confirmed or refuted.
fn is_answered(results: &Path) -> bool {
    let claims = fs::read_to_string(results.join("claims.csv")).expect("there are claims");
    let mut lines = claims.lines().map(|line| line.split(','));
    let column = lines.next().and_then(|mut columns| columns.position(|name| name == "verdict"));
    // Only the answer, which comes after the verdict, contains commas.
    let verdict = lines.next().and_then(|mut cells| cells.nth(column?)).expect("a verdict");
    ["confirmed", "refuted"].contains(&verdict)
}

fn experiment(players: [[&str; 2]; 2], measure: &str, games: u64, seed: u64) -> String {
    let [one, other] =
        players.map(|[algorithm, settings]| format!("algorithm = \"{algorithm}\"\n{settings}\n"));
    format!(
        "name = \"e\"\ngame = \"2048\"\nseed = {seed}\ngames = {games}\nwin = 256\n[[player]]\nname = \"one\"\n{one}\
         [[player]]\nname = \"other\"\n{other}[[claim]]\nbetter = \"one\"\nthan = \"other\"\nby = \"{measure}\"\n"
    )
}
