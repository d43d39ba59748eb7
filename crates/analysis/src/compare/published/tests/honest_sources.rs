//! Verdicts on numbers of honest sources that played few games.

use std::collections::BTreeMap;

use super::*;

/// True rates, in per cent.
const RATES: [u64; 10] = [2, 5, 10, 20, 35, 50, 65, 80, 90, 95];

/// Numbers of published games.
const SOURCE_GAMES: [u64; 6] = [5, 10, 20, 30, 50, 100];

/// Number of games played here.
const OWN_GAMES: u64 = 1000;

/// Counts the verdicts on numbers from six sources. Each source played some games of a player that
/// equals ours. `is_counted` says whether a source gives its number of games. The second result
/// counts numbers that "would differ" already for at most as many games as the source played.
fn count_verdicts(runs: u64, is_counted: bool) -> (BTreeMap<String, u64>, u64) {
    // Placeholder numbers: each run replaces them.
    let games =
        |source_games: u64| if is_counted { format!("\ngames = {source_games}") } else { String::new() };
    let text = SOURCE_GAMES
        .map(|source_games| format!("what = 'win'\nvalue = 0.{source_games}1{}", games(source_games)));
    let experiment = experiment_with("", &text.each_ref().map(|one| &**one));
    let plan = experiment.plan();
    let (mut counts, mut wrong_count) = (BTreeMap::new(), 0);
    for (rate, run) in RATES.into_iter().flat_map(|rate| (0..runs).map(move |run| (rate, run))) {
        let mut rng = Seed::root(2880).child("rate", rate).child("run", run).rng();
        let published: Vec<PublishedNumber> = SOURCE_GAMES
            .into_iter()
            .zip(&experiment.sections().published)
            .map(|(source_games, one)| {
                let printed_rate = draw_successes(&mut rng, source_games, rate) as f64 / source_games as f64;
                let value =
                    PublishedValue::Number(ClosedRange::new(printed_rate, printed_rate).expect("a number"));
                PublishedNumber { value, ..one.clone() }
            })
            .collect();
        let table = table(
            &plan,
            &[tally_of_wins(draw_successes(&mut rng, OWN_GAMES, rate), OWN_GAMES)],
            &published,
            &EarlierLooks::default(),
        );
        column(&table, "verdict").into_iter().for_each(|verdict| *counts.entry(verdict).or_default() += 1);
        let min_games = table.rows().map(|row| row.count("differs_from"));
        wrong_count += min_games
            .zip(SOURCE_GAMES)
            .filter(|(min_games, source_games)| min_games.is_some_and(|count| count <= *source_games))
            .count();
    }
    (counts, wrong_count as u64)
}

/// An honest number does not differ, with or without its number of games. Without it, some numbers
/// would differ if the source had played many more games than it did.
#[test]
fn an_honest_number_is_not_called_wrong() {
    let [(counted, _), (uncounted, wrong_count)] =
        [true, false].map(|is_counted| count_verdicts(2, is_counted));
    assert!(counted.get("differs").is_none_or(|&count| count <= 2), "{counted:?}");
    assert!(uncounted["would differ"] > 0 && !uncounted.contains_key("differs"), "{uncounted:?}");
    assert!(wrong_count <= 2, "{wrong_count} {uncounted:?}");
}

#[test]
#[ignore = "measures: cargo bench --bench verdicts -- published"]
fn honest_sources_of_few_games() {
    for (is_counted, name) in [(false, "do not say of how many games"), (true, "say of how many games")] {
        let (counts, wrong_count) = count_verdicts(48, is_counted);
        let total: u64 = counts.values().sum();
        println!("{total} numbers that {name} they are, {wrong_count} would differ from fewer games on:");
        for (verdict, count) in counts {
            let rate = wilson(count, total, LEVEL).expect("numbers").map(|rate| 100.0 * rate);
            println!("  {verdict}: {count}, {:.1} % ({:.1} to {:.1} %)", rate.value, rate.low, rate.high);
        }
    }
}

/// Counts how many of these numbers, each alone in its family, are called different. A source
/// publishes the mean or the median score of 50 games, and 200 games of an equal player are played.
fn count_differing(statistic: &str, runs: u64) -> usize {
    let text = format!("what = 'score'\nvalue = 1\ngames = 50\nstatistic = '{statistic}'");
    let experiment = experiment_with("", &[&text]);
    let plan = experiment.plan();
    let is_different = |run: &u64| {
        let mut rng = Seed::root(50).child(statistic, *run).rng();
        // Products are skewed, as scores are.
        let mut score = || (0..3).map(|_| 5 + rng.below(30)).product::<u64>();
        let source_scores: Histogram = (0..50).map(|_| score()).collect();
        let printed_value = match statistic {
            "mean" => source_scores.mean(LEVEL).expect("games").value,
            _ => source_scores.median().expect("games"),
        };
        let value = PublishedValue::Number(ClosedRange::new(printed_value, printed_value).expect("a number"));
        let published = [PublishedNumber { value, ..experiment.sections().published[0].clone() }];
        let own_tally = tally_of_scores((0..200).map(|_| score()));
        column(&table(&plan, &[own_tally], &published, &EarlierLooks::default()), "verdict") == ["differs"]
    };
    (0..runs).filter(is_different).count()
}

/// Of equal means and medians, at most one in twenty is called different.
#[test]
fn a_number_alone_in_its_family_errs_at_its_rate() {
    for statistic in ["mean", "median"] {
        let count = count_differing(statistic, 200);
        // Three standard errors above 5 % of 200 are 9.6 %.
        assert!(count <= 19, "{statistic}: {count}");
    }
}

#[test]
#[ignore = "measures: cargo bench --bench verdicts -- published-alone"]
fn honest_numbers_alone() {
    for statistic in ["mean", "median"] {
        let count = count_differing(statistic, 4000) as u64;
        let rate = wilson(count, 4000, LEVEL).expect("numbers").map(|rate| 100.0 * rate);
        println!(
            "{statistic}: {count} of 4,000 differ, {:.1} % ({:.1} to {:.1} %)",
            rate.value, rate.low, rate.high
        );
    }
}
