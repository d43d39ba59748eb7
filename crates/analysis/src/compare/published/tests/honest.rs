//! Verdicts on numbers of honest sources that played few games.

use std::collections::BTreeMap;

use super::*;

/// True rates, in per cent.
const RATES: [u64; 10] = [2, 5, 10, 20, 35, 50, 65, 80, 90, 95];

/// Numbers of published games.
const THEIRS: [u64; 6] = [5, 10, 20, 30, 50, 100];

/// Number of games played here.
const OURS: u64 = 1000;

/// Counts the verdicts on the numbers of six sources, each of which played some games of an equal
/// player. `is_counted` says whether a source gives its number of games.
fn verdicts(runs: u64, is_counted: bool) -> BTreeMap<String, u64> {
    // Placeholder numbers: each run replaces them.
    let games = |theirs: u64| if is_counted { format!("\ngames = {theirs}") } else { String::new() };
    let text = THEIRS.map(|theirs| format!("what = 'win'\nvalue = 0.{theirs}1{}", games(theirs)));
    let experiment = asked("", &text.each_ref().map(|one| &**one));
    let plan = experiment.plan();
    let mut counts = BTreeMap::new();
    for (rate, run) in RATES.into_iter().flat_map(|rate| (0..runs).map(move |run| (rate, run))) {
        let mut rng = Seed::root(2880).child("rate", rate).child("run", run).rng();
        let published: Vec<PublishedNumber> = THEIRS
            .into_iter()
            .zip(&experiment.sections().published)
            .map(|(theirs, one)| {
                let printed = successes(&mut rng, theirs, rate) as f64 / theirs as f64;
                let value = PublishedValue::Number(ClosedRange::new(printed, printed).expect("a number"));
                PublishedNumber { value, ..one.clone() }
            })
            .collect();
        let table =
            table(&plan, &[won(successes(&mut rng, OURS, rate), OURS)], &published, &EarlierLooks::default());
        column(&table, "verdict").into_iter().for_each(|verdict| *counts.entry(verdict).or_default() += 1);
    }
    counts
}

/// No such number is called wrong, with or without its number of games; without it many are
/// unclear.
#[test]
fn an_honest_number_is_not_called_wrong() {
    let [known, unknown] = [true, false].map(|is_counted| verdicts(2, is_counted));
    assert!(known.get("differs").is_none_or(|&count| count <= 2), "{known:?}");
    assert!(unknown["unclear"] > 0 && !unknown.contains_key("differs"), "{unknown:?}");
}

#[test]
#[ignore = "measures; cargo test --release -p gauntlet-analysis --lib -- --ignored --nocapture honest_sources"]
fn honest_sources_of_few_games() {
    for (is_counted, name) in [(false, "do not say of how many games"), (true, "say of how many games")] {
        let counts = verdicts(48, is_counted);
        let all: u64 = counts.values().sum();
        println!("{all} numbers that {name} they are:");
        for (verdict, count) in counts {
            let rate = wilson(count, all, LEVEL).expect("numbers").map(|rate| 100.0 * rate);
            println!("  {verdict}: {count}, {:.1} % ({:.1} to {:.1} %)", rate.value, rate.low, rate.high);
        }
    }
}
