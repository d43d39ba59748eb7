//! The smallest and largest numbers that an experiment or an option accepts: each gives an answer,
//! and each answer is a number.

use std::borrow::Cow;
use std::fs;

use gauntlet::compare::power::{self, PowerInput, PowerMeasure};
use gauntlet::config::{self, Experiment};
use gauntlet::player::Stop;
use gauntlet::results::store::write::write_results;
use gauntlet::run::journal::Journal;
use gauntlet::run::keyed_plan::KeyedPlan;
use gauntlet::run::run;
use gauntlet::stats::{
    ContingencyTable, TwoRates, anytime_difference, anytime_p, median_ranks, mixture_interval, newcombe,
    wilson,
};
use gauntlet::{GAMES, catalog};

use crate::bench::{Folder, play_in_new_folder};
use crate::in_process::{open_journal, quiet_options};

const LEVELS: [f64; 3] = [0.51, 0.95, 0.999_999_999];
const RISKS: [f64; 3] = [1e-9, 0.05, 0.49];
const SHARES: [f64; 4] = [0.000_001, 0.01, 0.5, 0.999_999];

/// Returns three players on a number of seeds; the last player equals the first.
fn three_players(games: u32) -> String {
    let players = [("any", "random"), ("gain", "greedy"), ("twin", "random")];
    let players = players
        .map(|(name, algorithm)| format!("[[player]]\nname = \"{name}\"\nalgorithm = \"{algorithm}\"\n"));
    let header = format!("name = \"x\"\ngame = \"2048\"\nseed = 1\ngames = {games}\nwin = 256\n");
    header + &players.concat()
}

/// Returns every kind of claim between two players.
fn claims(opponent: &str, level: f64, margin: Option<f64>) -> String {
    let margin = margin.map_or_else(String::new, |margin| format!("margin = {margin}\n"));
    let claim = |measure: &str| {
        format!(
            "[[claim]]\nbetter = \"gain\"\nthan = \"{opponent}\"\nby = \"{measure}\"\nlevel = {level}\n{margin}"
        )
    };
    ["win", "reach 128", "score", "ms"].map(claim).concat()
}

fn experiments() -> Vec<String> {
    let mut texts = Vec::new();
    for games in [1, 40] {
        for level in LEVELS {
            for margin in [None].into_iter().chain(SHARES.map(Some)) {
                texts.push(three_players(games) + &claims("any", level, margin));
            }
            for (player, opponent) in [("gain", "any"), ("any", "gain"), ("any", "twin")] {
                let stop = format!("[stop]\nbetter = \"{player}\"\nthan = \"{opponent}\"\n");
                let claim =
                    format!("[[claim]]\nbetter = \"{player}\"\nthan = \"{opponent}\"\nlevel = {level}\n");
                texts.push(format!(
                    "{}{claim}{stop}method = \"confidence\"\nlevel = {level}\n",
                    three_players(games)
                ));
                let risk = RISKS[LEVELS.iter().position(|other| *other == level).unwrap()];
                let differences = SHARES.map(|limit| limit.to_string()).into_iter().chain(
                    SHARES.map(|limit| format!("[-{limit}, {limit}]")).into_iter().chain([
                        "[-0.999999, -0.99999]".to_owned(),
                        "[0.99999, 0.999999]".to_owned(),
                        "[-0.999999, 0]".to_owned(),
                    ]),
                );
                for difference in differences {
                    let risks = format!("alpha = {risk}\nbeta = 0.49\n");
                    texts.push(format!(
                        "{}{claim}{stop}difference = {difference}\n{risks}",
                        three_players(games)
                    ));
                }
            }
        }
        let numbers = ["1e-9", "1e18", "[0, 1e18]", "0", "-0.0", "1000000000000000000"];
        for value in numbers {
            for (quantity, statistic) in [
                ("score", "mean"),
                ("score", "median"),
                ("score", "typical"),
                ("moves", "mean"),
                ("ms", "mean"),
            ] {
                for games_line in ["", "games = 1\n", "games = 1000000000000\n"] {
                    if statistic == "typical" && !games_line.is_empty() {
                        continue;
                    }
                    texts.push(format!(
                        "{}[[published]]\nplayer = \"any\"\nwhat = \"{quantity}\"\nstatistic = \"{statistic}\"\n\
                         value = {value}\n{games_line}source = \"x\"\n",
                        three_players(games)
                    ));
                }
            }
        }
        for value in ["0", "1", "1e-9", "[0, 1]", "0.9999999999999999"] {
            for games_line in ["", "games = 1\n", "games = 1000000000000\n"] {
                texts.push(format!(
                    "{}[[published]]\nplayer = \"any\"\nwhat = \"win\"\nvalue = {value}\n{games_line}source = \"x\"\n",
                    three_players(games)
                ));
            }
        }
    }
    texts
}

fn load(text: &str) -> Option<Experiment> {
    config::parse(catalog(&GAMES), "x.toml", text).ok()
}

/// Asserts that a table contains no NaN or infinity.
#[track_caller]
fn check(csv: &str, label: &str) {
    let cells = csv.lines().skip(1).flat_map(|line| line.split(','));
    for cell in cells.map(str::to_lowercase) {
        assert!(!["nan", "inf", "-inf", "infinity"].contains(&cell.trim()), "{label}\n{csv}");
    }
    assert!(
        !csv.contains("NaN") && !csv.contains(" inf") && !csv.contains("18446744073709551615"),
        "{label}\n{csv}"
    );
}

#[test]
fn every_number_that_an_experiment_takes_has_an_answer() {
    let folder = Folder::new();
    let mut journal = open_journal(&folder.path("journal"));
    fs::create_dir(folder.path("results")).unwrap();
    let texts = experiments();
    let accepted_count = texts.iter().filter(|text| load(text).is_some()).count();
    assert!(accepted_count * 10 > texts.len() * 9, "{accepted_count} of {}", texts.len());
    let mut is_played = [false; 41];
    for text in texts {
        let Some(experiment) = load(&text) else { continue };
        let keys = vec!["any".to_owned(), "gain".to_owned(), "any".to_owned()];
        let plan = KeyedPlan::with_keys(experiment.plan(), keys);
        let games = plan.blocks.len() as usize;
        if !std::mem::replace(&mut is_played[games], true) {
            play(&plan, &mut journal);
        }
        let report = write_results(&experiment, &plan, &mut journal, &folder.path("results"), "x", 2);
        let report = report.unwrap_or_else(|error| panic!("{text}\n{error:#}"));
        for table in report.tables {
            check(&String::from_utf8(table.to_csv()).unwrap(), &text);
            check(&table.to_text(None), &text);
        }
    }
}

/// Plays all blocks, without early stops.
fn play(plan: &KeyedPlan, journal: &mut Journal) {
    let mut full_plan = (**plan).clone();
    (full_plan.stop, full_plan.blocks) = (None, Cow::Owned(plan.blocks.clone().into_owned()));
    let keys = (0..3).map(|lineup| plan.key(lineup).to_owned()).collect();
    let options = quiet_options(1);
    run(&KeyedPlan::with_keys(full_plan, keys), journal, &options, &Stop::default()).unwrap();
}

#[test]
fn every_number_that_an_option_takes_has_an_answer() {
    for level in LEVELS {
        for power in LEVELS {
            let aims = SHARES
                .map(PowerInput::Difference)
                .into_iter()
                .chain([2, 1_000_000_000_000].map(PowerInput::Games));
            for aim in aims {
                let rates = SHARES.map(PowerMeasure::Rate).into_iter();
                for quantity in rates.chain([0.001, 0.6, 100.0].map(PowerMeasure::Score)) {
                    if matches!((quantity, aim), (PowerMeasure::Rate(rate), PowerInput::Difference(difference)) if rate + difference >= 1.0)
                    {
                        continue;
                    }
                    let table = power::table(quantity, aim, &SHARES, level, power);
                    let label = format!("{quantity:?} {aim:?} {level} {power}");
                    check(&String::from_utf8(table.to_csv()).unwrap(), &label);
                    assert!(!table.to_text(None).contains(" 0 "), "{label}: {}", table.to_text(None));
                }
            }
        }
    }
    let folder = play_in_new_folder("x.toml", three_players(40));
    for level in ["0.51", "0.999999999"] {
        for measure in ["win", "score", "ms"] {
            for difference in ["0.000001", "0.999999"] {
                let line = format!(
                    "compare results/x --all-pairs --by {measure} --level {level} --difference {difference} --format csv"
                );
                check(&folder.run(&line).assert_status(0).stdout, &line);
            }
            let line = format!("rank results/x --by {measure} --level {level} --format csv");
            check(&folder.run(&line).assert_status(0).stdout, &line);
        }
    }
}

/// Every formula gives ordered, finite numbers at extreme levels, as they remain after a correction
/// for many comparisons.
#[test]
fn every_formula_has_an_answer_at_the_ends() {
    let is_ordered = |low: f64, value: f64, high: f64| low <= value && value <= high;
    for level in LEVELS.into_iter().chain([1.0 - 1e-15]) {
        for trials in [1_u64, 2, 1000, 1_000_000_000, 1_000_000_000_000] {
            for successes in [0, 1, trials / 2, trials - 1, trials] {
                let label = format!("{successes} of {trials} at {level}");
                let rate = wilson(successes, trials, level).expect("there are trials");
                assert!(is_ordered(rate.low, rate.value, rate.high), "{label}: {rate:?}");
                let rate = mixture_interval(successes, trials, level, (1.0, 1.0));
                assert!(is_ordered(rate.low, rate.value, rate.high), "{label}: {rate:?}");
                let difference = newcombe((successes, trials), (1, 2), level).expect("there are trials");
                assert!(
                    is_ordered(difference.low, difference.value, difference.high),
                    "{label}: {difference:?}"
                );
                let rest = trials - successes;
                for pairs in [
                    ContingencyTable { both: rest, only_first: successes, only_second: 0, neither: 0 },
                    ContingencyTable { both: 0, only_first: successes, only_second: rest, neither: 0 },
                    ContingencyTable { both: 0, only_first: 0, only_second: successes, neither: rest },
                ] {
                    let difference = anytime_difference(pairs, level).expect("there are trials");
                    assert!(
                        is_ordered(difference.low, difference.value, difference.high),
                        "{label}: {difference:?}"
                    );
                    assert!((0.0..=1.0).contains(&anytime_p(pairs)), "{label}");
                }
                if level == 0.95 {
                    let rates = TwoRates::new((successes, trials), (1, 3)).expect("there are trials");
                    let p = rates.p(0.0);
                    assert!((0.0..=1.0).contains(&p), "{label}: {p}");
                }
            }
            median_ranks(trials.min(1_000_000_000), level);
        }
    }
}
