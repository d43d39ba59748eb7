//! Difference of two players on common trials after a sequential test, corrected for having stopped
//! when the difference looked large.
//!
//! The possible ends of a test are ordered, after Siegmund (1978). First are ends in favour of the
//! first player, the earliest first. Then follow undecided ends, by trials won, and finally ends in
//! favour of the second player, the earliest last. The larger the first player's share of the
//! discordant trials, the further up in this order a test tends to end. The estimate is the share
//! at which half of all ends would be further up than the actual end. It is too high as often as
//! too low. The bounds are the shares at which a few per cent would be further up or further down.
//!
//! Which trials are discordant does not depend on who wins them, so their order is treated as
//! fixed. What remains is a binomial walk between the bounds of the test, whose ends are counted
//! exactly.

use std::cmp::Ordering;
use std::f64::consts::FRAC_PI_2;

use super::super::bisection::bisect;
use super::super::estimate::Estimate;
use super::walk_ends::{Ends, Walk};

/// Trials of a sequential test in order: which of them were discordant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrialSequence {
    /// Number of concordant trials before each discordant one.
    concordant_before: Vec<u64>,
    /// Number of concordant trials since the last discordant one.
    concordant_since: u64,
}

impl TrialSequence {
    /// Adds a trial.
    pub fn add(&mut self, is_discordant: bool) {
        if is_discordant {
            self.concordant_before.push(std::mem::take(&mut self.concordant_since));
        } else {
            self.concordant_since += 1;
        }
    }

    /// Returns the number of discordant trials.
    pub fn discordant(&self) -> u64 {
        self.concordant_before.len() as u64
    }

    /// Returns for each trial whether it was discordant.
    fn trials(&self) -> impl Iterator<Item = bool> {
        let concordant = |count: u64| (0..count).map(|_| false);
        let before = self.concordant_before.iter().flat_map(move |&count| concordant(count).chain([true]));
        before.chain(concordant(self.concordant_since))
    }
}

/// Decision rule of a test, from the trials lost, level and won so far: undecided, or the first
/// player is better (greater) or not (less). For a fixed number of trials the decision must be
/// monotone in the trials won.
pub type DecisionRule<'a> = &'a dyn Fn([u64; 3]) -> Option<Ordering>;

/// Returns the first player's share of the discordant trials: median-unbiased, with a lower and an
/// upper bound that fail with these risks at most. The test has ended, decided or not, with the
/// last trial of the course and `won` trials won. The bounds are 0 and 1 if no trial is discordant.
///
/// # Panics
/// If more trials are won than discordant.
pub fn share_after_stop(
    sequence: &TrialSequence,
    won: u64,
    decide: DecisionRule,
    risks: [f64; 2],
) -> Estimate {
    let discordant = sequence.discordant();
    assert!(won <= discordant, "{won} won of {discordant}");
    let level = 1.0 - (risks[0] + risks[1]);
    if discordant == 0 {
        return Estimate { low: 0.0, value: 0.5, high: 1.0, level };
    }
    let concordant = sequence.trials().filter(|is_discordant| !is_discordant).count() as u64;
    if decide([discordant - won, concordant, won]) == Some(Ordering::Less) {
        // Ends further down are ends further up from the second player's view.
        let decide_swapped = |[lost, tied, won]: [u64; 3]| decide([won, tied, lost]).map(Ordering::reverse);
        let swapped_estimate =
            estimate(sequence, discordant - won, &decide_swapped, [risks[1], risks[0]], level);
        return swapped_estimate.map_decreasing(|share| 1.0 - share);
    }
    estimate(sequence, won, decide, risks, level)
}

/// Returns the estimate from a course that ended with this many trials won, if the ends further up
/// are those in favour of the first player. At the lower bound, the actual end and all ends further
/// up have the first risk. At the upper bound, the actual end and all ends further down have the
/// second. The value is the median.
fn estimate(
    sequence: &TrialSequence,
    won: u64,
    decide: DecisionRule,
    [lower_risk, upper_risk]: [f64; 2],
    level: f64,
) -> Estimate {
    // Near the most likely share, no important end is too rare to be counted.
    let reference_share = (won as f64 + 0.5) / (sequence.discordant() as f64 + 1.0);
    let ends = ends(sequence, won, decide, reference_share);
    let share_with = |end_fraction: f64, target: f64| {
        let is_above = |share: f64| {
            let factors = [(share / reference_share).ln(), ((1.0 - share) / (1.0 - reference_share)).ln()];
            ends.probability(end_fraction, factors) >= target
        };
        let (low, high) = bisect(0.0, 1.0, 50, is_above);
        f64::midpoint(low, high)
    };
    Estimate {
        low: share_with(1.0, lower_risk),
        value: share_with(0.5, 0.5),
        high: share_with(0.0, 1.0 - upper_risk),
        level,
    }
}

/// Returns the ends further up than the actual one, and that end, by trials won and lost, counted
/// for this share.
fn ends(sequence: &TrialSequence, won: u64, decide: DecisionRule, share: f64) -> Ends {
    let mut walk = Walk::new();
    let (mut discordant, mut concordant) = (0, 0);
    let mut trials = sequence.trials().peekable();
    while let Some(is_discordant) = trials.next() {
        if is_discordant {
            discordant += 1;
            walk.step(&[1.0 - share, share]);
        } else {
            concordant += 1;
        }
        if trials.peek().is_some() {
            let decide = |won| decide([discordant - won, concordant, won]);
            walk.remove_ends(decide, |won| [won as f64, (discordant - won) as f64]);
        }
    }
    walk.close(won, |won| [won as f64, (discordant - won) as f64])
}

/// Number of steps in the search for the extreme points of an ellipse.
const STEPS: u32 = 500;

/// Returns the difference of two rates: the discordant proportion times twice the distance of the
/// first player's share from one half. Both errors together span an ellipse, and the bounds are the
/// smallest and largest product on it (after Zou and Donner 2008). So the bounds of the difference
/// have the same sign as those of the share's distance from one half. The proportion is given with
/// the risk of the lower bound, and with that of the upper.
pub fn difference_after_stop(share: Estimate, discordant_rates: [Estimate; 2]) -> Estimate {
    let lead = |share: f64| 2.0 * share - 1.0;
    let (value, level) = (lead(share.value) * discordant_rates[0].value, share.level);
    if discordant_rates[0].value == 0.0 {
        return Estimate { low: -discordant_rates[0].high, value, high: discordant_rates[1].high, level };
    }
    let products = |bound: f64, rate: Estimate, moves_out: fn(f64) -> bool| {
        (0..=STEPS).map(move |step| {
            let (sine, cosine) = (f64::from(step) / f64::from(STEPS) * FRAC_PI_2).sin_cos();
            let lead = lead(share.value + (bound - share.value) * cosine);
            let end = if moves_out(lead) { rate.high } else { rate.low };
            lead * (rate.value + (end - rate.value) * sine)
        })
    };
    let low = products(share.low, discordant_rates[0], |lead| lead < 0.0).fold(value, f64::min);
    let high = products(share.high, discordant_rates[1], |lead| lead > 0.0).fold(value, f64::max);
    Estimate { low, value, high, level }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test that ends at a lead of three, or less after more level trials.
    fn decide([lost, tied, won]: [u64; 3]) -> Option<Ordering> {
        let lead = won as i64 - lost as i64;
        let enough = if tied >= 3 { 2 } else { 3 };
        (lead.abs() >= enough).then(|| lead.cmp(&0))
    }

    /// Lists all possible results of the discordant trials: number of trials and rank in the order
    /// of ends, and the trials won and lost.
    fn all_ends(trials: &[bool]) -> Vec<((i64, i64), i32, i32)> {
        let discordant = trials.iter().filter(|&&is_discordant| is_discordant).count();
        let mut ends = Vec::new();
        for outcome in 0..1_u32 << discordant {
            let mut results = [0_u64; 3];
            let mut bit = 0;
            let mut rank = None;
            for (trial, &is_discordant) in trials.iter().enumerate() {
                if is_discordant {
                    results[if outcome >> bit & 1 == 1 { 2 } else { 0 }] += 1;
                    bit += 1;
                } else {
                    results[1] += 1;
                }
                if let Some(winner) = decide(results) {
                    let earliness = 1000 - trial as i64;
                    let sign = if winner == Ordering::Greater { 1 } else { -1 };
                    rank = Some(sign * earliness);
                    break;
                }
            }
            ends.push((
                (rank.unwrap_or(0), results[2] as i64),
                outcome.count_ones() as i32,
                discordant as i32 - outcome.count_ones() as i32,
            ));
        }
        ends
    }

    /// For every end of a small test, the probabilities of the ends beyond equal the sum over all
    /// results of the trials.
    #[test]
    fn ends_are_counted_exactly() {
        let all_trials: Vec<bool> = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1].map(|flag| flag == 1).to_vec();
        let ends = all_ends(&all_trials);
        let probability = |share: f64, is_in: &dyn Fn((i64, i64)) -> bool| {
            let matching_ends = ends.iter().filter(|(rank, ..)| is_in(*rank));
            matching_ends.map(|&(_, won, lost)| share.powi(won) * (1.0 - share).powi(lost)).sum::<f64>()
        };
        let mut ranks: Vec<_> = ends.iter().map(|&(rank, ..)| rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        assert!(ranks.len() > 8, "{ranks:?}");
        let (mut previous_value, risks) = (0.0, [0.05, 0.1]);
        for rank in ranks {
            let trials = if rank.0 == 0 { all_trials.len() } else { 1001 - rank.0.unsigned_abs() as usize };
            let mut sequence = TrialSequence::default();
            all_trials[..trials].iter().for_each(|&is_discordant| sequence.add(is_discordant));
            let estimate = share_after_stop(&sequence, rank.1 as u64, &decide, risks);
            let probability_beyond = |share: f64| probability(share, &|other| other > rank);
            let probability_below = |share: f64| probability(share, &|other| other < rank);
            let close = |one: f64, other: f64| (one - other).abs() < 1e-9;
            assert!(
                estimate.low < 1e-9 || close(1.0 - probability_below(estimate.low), risks[0]),
                "{rank:?}: {estimate:?}"
            );
            assert!(
                estimate.high > 1.0 - 1e-9 || close(1.0 - probability_beyond(estimate.high), risks[1]),
                "{rank:?}: {estimate:?}"
            );
            assert!(
                close(probability_below(estimate.value), probability_beyond(estimate.value)),
                "{rank:?}: {estimate:?}"
            );
            assert!(
                estimate.low < estimate.value + 1e-9 && estimate.value < estimate.high + 1e-9,
                "{rank:?}: {estimate:?}"
            );
            assert!(previous_value <= estimate.value, "{rank:?}: {estimate:?} after {previous_value}");
            previous_value = estimate.value;
        }
    }

    #[test]
    fn a_fixed_number_of_trials_is_not_corrected() {
        let mut sequence = TrialSequence::default();
        (0..40).for_each(|trial| sequence.add(trial % 4 == 0));
        let estimate = share_after_stop(&sequence, 7, &|_| None, [0.025, 0.025]);
        // Clopper and Pearson's interval of 7 of 10, as R's `binom.test(7, 10)` prints it.
        assert!(
            (estimate.low - 0.347_547_1).abs() < 1e-6 && (estimate.high - 0.933_260_5).abs() < 1e-6,
            "{estimate:?}"
        );
        let even_estimate = share_after_stop(&sequence, 5, &|_| None, [0.025, 0.025]);
        assert!((even_estimate.value - 0.5).abs() < 1e-9, "{even_estimate:?}");
    }

    #[test]
    fn a_difference_is_on_the_side_of_the_share() {
        let rates = |low, value, high| [Estimate { low, value, high, level: 0.9 }; 2];
        let share = |low, value, high| Estimate { low, value, high, level: 0.9 };
        for (low, value, high) in [(0.501, 0.7, 0.9), (0.3, 0.45, 0.499), (0.4, 0.5, 0.7), (0.6, 0.99, 1.0)] {
            let difference = difference_after_stop(share(low, value, high), rates(0.1, 0.3, 0.6));
            assert_eq!(
                (difference.low > 0.0, difference.high < 0.0),
                (low > 0.5, high < 0.5),
                "{difference:?}"
            );
            assert!((difference.value - 0.3 * (2.0 * value - 1.0)).abs() < 1e-12);
        }
        // If one of the two is known exactly, only the other matters.
        let exact = difference_after_stop(share(0.6, 0.7, 0.8), rates(0.3, 0.3, 0.3));
        assert!((exact.low - 0.06).abs() < 1e-9 && (exact.high - 0.18).abs() < 1e-9, "{exact:?}");
        let exact = difference_after_stop(share(0.7, 0.7, 0.7), rates(0.2, 0.3, 0.5));
        assert!((exact.low - 0.08).abs() < 1e-9 && (exact.high - 0.2).abs() < 1e-9, "{exact:?}");
        let no_discordant = difference_after_stop(share(0.0, 0.5, 1.0), rates(0.0, 0.0, 0.02));
        assert_eq!((no_discordant.low, no_discordant.value, no_discordant.high), (-0.02, 0.0, 0.02));
    }
}
