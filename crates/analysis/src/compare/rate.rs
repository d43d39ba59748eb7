//! Two players by a rate: wins, or a value that games reach.

use std::cmp::Ordering;
use std::sync::OnceLock;

use gauntlet_core::measure::Measure;
use gauntlet_run::sample::Sample;
use gauntlet_run::sample::matched_games::MatchedGames;
use gauntlet_stats::exact_power::{detectable_difference, pairs_needed, trials_needed};
use gauntlet_stats::{
    ContingencyTable, EQUAL_TAILS, Estimate, TwoRates, anytime_difference, anytime_p, one_sided_p,
};

use super::finding::{DifferenceDetail, Effect, MeasuredDifference};
use super::pairing::Pairing;
use super::question::{ComparisonQuestion, POWER};

/// Compares two players; returns the finding, which games were compared, and p.
pub(super) fn compare(
    first: &Sample,
    second: &Sample,
    question: ComparisonQuestion,
) -> (MeasuredDifference, Pairing, Option<f64>) {
    let ComparisonQuestion { measure, level, margin, is_sequential, .. } = question;
    let pairs = MatchedGames::new(first, second).successes(measure);
    let pairing = Pairing::choose(pairs.trials(), first, second);
    let threshold = -margin.unwrap_or(0.0);
    if let Pairing::Paired(games) = pairing {
        let rates = [pairs.only_first, pairs.only_second]
            .map(|only_one| Some((pairs.both + only_one) as f64 / games as f64));
        let interval =
            |level| if is_sequential { anytime_difference(pairs, level) } else { pairs.difference(level) };
        let p = match (margin, is_sequential) {
            // It is unknown how the risk at a look is divided between both ends.
            (Some(_), true) => one_sided_p(threshold, Ordering::Greater, 1.0, interval),
            (Some(_), false) => one_sided_p(threshold, Ordering::Greater, EQUAL_TAILS, interval),
            (None, true) => Some(anytime_p(pairs)),
            (None, false) => Some(pairs.mcnemar()),
        };
        (make_difference(rates, interval(level), Some(pairs)), pairing, p)
    } else {
        let counts = [first, second].map(|sample| (sample.successes(measure), sample.games()));
        let rates = counts.map(|(successes, games)| (games > 0).then(|| successes as f64 / games as f64));
        let result = TwoRates::new(counts[0], counts[1]).map(|two_rates| {
            let difference = two_rates.difference(level, threshold);
            let p = match margin {
                None => two_rates.p(threshold),
                // One tail, on the side of the estimate: how often the first would look as good.
                Some(_) if difference.value >= threshold => two_rates.one_sided_p(threshold),
                Some(_) => 1.0 - two_rates.one_sided_p(threshold),
            };
            (difference, p)
        });
        let (difference, p) = result.unzip();
        (make_difference(rates, difference, None), pairing, p)
    }
}

/// Returns the player with the greater rate and the p of a comparison without a margin, in a run
/// that could not end early. Equals [`compare`], but skips the intervals, which take most of its
/// time.
pub(super) fn test(first: &Sample, second: &Sample, measure: Measure) -> Option<(Ordering, f64)> {
    let pairs = MatchedGames::new(first, second).successes(measure);
    if let Pairing::Paired(_) = Pairing::choose(pairs.trials(), first, second) {
        return Some((pairs.only_first.cmp(&pairs.only_second), mcnemar_p(pairs)));
    }
    let counts = [first, second].map(|sample| (sample.successes(measure), sample.games()));
    let two_rates = TwoRates::new(counts[0], counts[1])?;
    let [one, other] = counts.map(|(successes, games)| successes as f64 / games as f64);
    Some((one.total_cmp(&other), two_rates.p(0.0)))
}

/// Returns the p of McNemar's test. If few trials differ, each p is computed once: the millions of
/// pairs of some thousand players repeat the same arguments. `rank` of 3,000 players takes 1.7 CPU
/// seconds with this cache, and 2.7 without.
fn mcnemar_p(pairs: ContingencyTable) -> f64 {
    let Some(cache) = MCNEMAR.get(pairs.discordant() as usize) else { return pairs.mcnemar() };
    let compute_all = || {
        let table_with = |only_first| ContingencyTable {
            only_first,
            only_second: pairs.discordant() - only_first,
            ..pairs
        };
        (0..=pairs.discordant() / 2).map(|lesser| table_with(lesser).mcnemar()).collect()
    };
    cache.get_or_init(compute_all)[pairs.only_first.min(pairs.only_second) as usize]
}

/// Cached p, by the number of trials that differ, and by the smaller part of them: 132 kB if all
/// are filled.
static MCNEMAR: [OnceLock<Vec<f64>>; 256] = [const { OnceLock::new() }; 256];

fn make_difference(
    values: [Option<f64>; 2],
    difference: Option<Estimate>,
    pairs: Option<ContingencyTable>,
) -> MeasuredDifference {
    MeasuredDifference {
        values,
        effect: difference.map(Effect::Difference),
        detail: DifferenceDetail::Rate { pairs },
    }
}

/// Returns the number of games of each player that would detect the difference `difference`, and
/// the difference that the paired games detect. The levels are those of this answer and of the next
/// one, after more games. `rate` is the second player's.
pub(super) fn games_needed(
    pairs: Option<ContingencyTable>,
    rate: Option<f64>,
    pairing: Pairing,
    [current_level, next_level]: [f64; 2],
    difference: f64,
) -> Option<(f64, Option<f64>)> {
    match pairing {
        Pairing::Paired(games) => {
            let discordant_rate = pairs?.discordant() as f64 / games as f64;
            let discordant_total = discordant_rate.max(difference);
            let needed_pairs = pairs_needed(
                (discordant_total + difference) / 2.0,
                (discordant_total - difference) / 2.0,
                next_level,
                POWER,
            );
            Some((needed_pairs, detectable_difference(discordant_rate, games, current_level, POWER)))
        }
        Pairing::Independent(..) => {
            let rate = rate?;
            let other_rate = if rate + difference < 1.0 { rate + difference } else { rate - difference };
            Some((trials_needed(rate, other_rate, next_level, POWER), None))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::pairing::tests::sample_from_seed;

    /// Compares two players on independent seeds, each given as wins and games.
    fn compare_rates(
        first: (u64, u64),
        second: (u64, u64),
        question: ComparisonQuestion,
    ) -> (Effect, Option<f64>) {
        let sample = |seed: u64, (wins, games): (u64, u64)| {
            sample_from_seed(
                seed,
                &(0..games).map(|game| if game < wins { 11 } else { 9 }).collect::<Vec<_>>(),
            )
        };
        let (finding, pairing, p) = compare(&sample(1, first), &sample(2, second), question);
        assert_eq!(pairing, Pairing::Independent(first.1, second.1));
        (finding.effect.expect("both have games"), p)
    }

    #[test]
    fn a_few_games_against_many() {
        let question = ComparisonQuestion {
            measure: Measure::Win,
            level: 0.95,
            margin: None,
            is_sequential: false,
            earlier_answers: 0,
        };
        let (effect, p) = compare_rates((1, 10), (2, 1500), question);
        // Fisher's p is 0.020.
        assert!(p.is_some_and(|p| (0.015..0.025).contains(&p)), "{p:?}");
        assert_eq!(effect.side(0.0), Some(Ordering::Greater));
        let difference = effect.estimate();
        assert!(difference.excludes(0.0) && difference.level == 0.95, "{difference:?}");
    }

    /// Cached p equal computed ones bit for bit, below and above the limit of the cache.
    #[test]
    fn kept_p_are_those_of_the_test() {
        for discordant in (0..300).chain([5_000]) {
            for only_first in
                [0, 1, discordant / 3, discordant / 2, discordant].map(|count: u64| count.min(discordant))
            {
                let pairs = ContingencyTable {
                    both: 7,
                    only_first,
                    only_second: discordant - only_first,
                    neither: 9,
                };
                assert_eq!(mcnemar_p(pairs).to_bits(), pairs.mcnemar().to_bits(), "{pairs:?}");
            }
        }
    }

    #[test]
    fn a_margin_is_tested_on_one_side() {
        // The standard error is 0.0497; 1.645 errors above the margin of -0.1 is -0.018: 3.6 games
        // of 200.
        let question = ComparisonQuestion {
            measure: Measure::Win,
            level: 0.95,
            margin: Some(0.1),
            is_sequential: false,
            earlier_answers: 0,
        };
        for (wins, is_shown) in [(101, true), (97, true), (96, false), (40, false)] {
            let (effect, p) = compare_rates((wins, 200), (100, 200), question);
            let difference = effect.estimate();
            assert_eq!(p.map(|p| p < 0.05), Some(is_shown), "{wins}: {p:?}");
            assert_eq!(difference.level, 0.95);
            // Half of the risk of the interval is on one side.
            let is_far = p.is_some_and(|p| !(0.025..=0.975).contains(&p));
            assert_eq!(difference.excludes(-0.1), is_far, "{wins}: {difference:?}");
        }
    }
}
