//! Exact power of the tests that compare two players: McNemar's exact test, the test of two rates
//! and Student's t. The normal formulas of [`power`](super::power) promise 80 % where 75 to 79 % of
//! the runs find a difference.
//! `power` is the probability that a two-sided test at `level` finds an existing difference with
//! the correct sign. For McNemar's exact test and Student's t it is the power of the test itself up
//! to [`EXACT_UP_TO`] trials. For two rates it is exact as long as p is (up to 400 trials at 50 %).
//! Otherwise the formulas are used.

use super::bisection::{bisect, bisect_integer};
use super::power::{common_trials_for_rates, common_trials_for_ratio, trials_for_rates};
use super::special::{shifted_student_above, two_sided_student};
use super::two_rates::exact_power;

/// Maximum number of trials for which power is computed from the tests themselves. At this size
/// McNemar's test needs some 1 % more pairs than its formula predicts.
pub const EXACT_UP_TO: u64 = 20_000;

/// Returns the number of common trials from which on McNemar's exact test has this power, given the
/// rates at which only the first and only the second succeeds. Infinite if these are equal.
///
/// # Panics
/// As [`common_trials_for_rates`].
pub fn pairs_needed(only_first: f64, only_second: f64, level: f64, power: f64) -> f64 {
    let guess = common_trials_for_rates(only_first, only_second, level, power);
    let mut test = McNemar::new(only_first, only_second, level);
    // The power fluctuates by the probability of a single outcome, so some √n further trial numbers
    // are checked.
    find_min_trials(guess, |pairs| 20 + 3 * pairs.isqrt(), |pairs| test.power(pairs) >= power)
}

/// Returns true if McNemar's exact test with `pairs` common trials has this power.
///
/// # Panics
/// As [`common_trials_for_rates`].
pub fn pairs_are_enough(pairs: u64, [only_first, only_second]: [f64; 2], level: f64, power: f64) -> bool {
    if pairs > EXACT_UP_TO {
        return common_trials_for_rates(only_first, only_second, level, power) <= pairs as f64;
    }
    McNemar::new(only_first, only_second, level).power(pairs) >= power
}

/// Returns the smallest difference of two rates that `pairs` common trials detect, if the two
/// differ in this proportion of trials. `None` if even the largest difference is too small, which
/// is one of them winning all of those.
///
/// # Panics
/// If the discordance is not within 0 and 1, or level or power is not between them.
pub fn detectable_difference(discordant: f64, pairs: u64, level: f64, power: f64) -> Option<f64> {
    assert!((0.0..=1.0).contains(&discordant), "a rate of {discordant}");
    let is_detectable = |difference: f64| {
        let rates = [(discordant + difference) / 2.0, (discordant - difference) / 2.0];
        pairs_are_enough(pairs, rates, level, power)
    };
    (discordant > 0.0 && is_detectable(discordant))
        .then(|| bisect(0.0, discordant, HALVINGS, is_detectable).1)
}

/// Returns the number of trials for each of two independent players from which on the test of two
/// rates has this power. Infinite if the rates are equal.
///
/// # Panics
/// As [`trials_for_rates`].
pub fn trials_needed(p1: f64, p2: f64, level: f64, power: f64) -> f64 {
    let guess = trials_for_rates(p1, p2, level, power);
    find_min_trials(guess, |_| 8, |trials| trials_are_enough(trials, [p1, p2], level, power))
}

/// Returns true if the test of two rates with `trials` trials each has this power.
///
/// # Panics
/// As [`trials_for_rates`].
pub fn trials_are_enough(trials: u64, [p1, p2]: [f64; 2], level: f64, power: f64) -> bool {
    let exact = if (1..=EXACT_UP_TO).contains(&trials) {
        exact_power(p1.max(p2), p1.min(p2), trials, level)
    } else {
        None
    };
    match exact {
        Some(exact) => exact >= power,
        None => trials_for_rates(p1, p2, level, power) <= trials as f64,
    }
}

/// Returns the number of common trials from which on the t-test of the logarithms, with this
/// standard deviation, has this power. Infinite for a ratio of 1.
///
/// # Panics
/// As [`common_trials_for_ratio`].
pub fn pairs_needed_for_ratio(ratio: f64, spread: f64, level: f64, power: f64) -> f64 {
    let guess = common_trials_for_ratio(ratio, spread, level, power);
    find_min_trials(guess, |_| 0, |pairs| is_ratio_detectable(pairs, ratio, spread, level, power))
}

/// Returns true if the t-test of the logarithms of `pairs` common trials has this power. It needs
/// at least two.
///
/// # Panics
/// As [`common_trials_for_ratio`].
pub fn is_ratio_detectable(pairs: u64, ratio: f64, spread: f64, level: f64, power: f64) -> bool {
    let formula = common_trials_for_ratio(ratio, spread, level, power);
    if !(2..=EXACT_UP_TO).contains(&pairs) || spread == 0.0 {
        return pairs >= 2 && formula <= pairs as f64;
    }
    let degrees = (pairs - 1) as f64;
    let shift = ratio.ln().abs() / spread * (pairs as f64).sqrt();
    shifted_student_above(two_sided_student(level, degrees), degrees, shift) >= power
}

/// Returns the smallest ratio above 1 that `pairs` common trials detect; with fewer than two
/// trials, the largest number.
///
/// # Panics
/// If the spread is below 0, or level or power is not between 0 and 1.
pub fn detectable_ratio(pairs: u64, spread: f64, level: f64, power: f64) -> f64 {
    let is_detectable = |log: f64| is_ratio_detectable(pairs, log.exp(), spread, level, power);
    let max_log = f64::MAX.ln();
    if is_detectable(max_log) { bisect(0.0, max_log, HALVINGS, is_detectable).1.exp() } else { f64::MAX }
}

/// Number of bisection steps that finds a difference to ten digits.
const HALVINGS: u32 = 45;

/// Returns the smallest number of trials near a guess from which on the power suffices. Up to
/// `extra_checks` further numbers are checked, because one of them may fail.
fn find_min_trials(
    guess: f64,
    extra_checks: impl Fn(u64) -> u64,
    mut is_enough: impl FnMut(u64) -> bool,
) -> f64 {
    if guess > EXACT_UP_TO as f64 {
        return guess;
    }
    let (mut too_few, mut enough) = (0, (guess.ceil() as u64).max(1));
    while !is_enough(enough) {
        too_few = enough;
        enough += 4 + enough / 8;
        if enough > EXACT_UP_TO {
            return enough as f64;
        }
    }
    let (_, enough) = bisect_integer(too_few, enough, &mut is_enough);
    let last_failure = (enough + 1..=enough + extra_checks(enough)).rev().find(|&trials| !is_enough(trials));
    last_failure.map_or(enough, |last| last + 1) as f64
}

/// Power of McNemar's exact test for two players that differ in some of the trials.
struct McNemar {
    discordant: f64,
    /// Proportion of discordant trials that the better player wins.
    split: f64,
    tail_risk: f64,
    /// Power by the number of discordant trials.
    powers: Vec<f64>,
    /// State at the last entry: the smallest significant number of successes; the probability of at
    /// least (and of exactly) so many by chance; and for the better player.
    last_state: (u64, [f64; 2], [f64; 2]),
}

impl McNemar {
    fn new(only_first: f64, only_second: f64, level: f64) -> McNemar {
        let discordant = (only_first + only_second).min(1.0);
        // Avoids a division by zero.
        let split = (only_first.max(only_second) / discordant).min(1.0 - 1e-12);
        let tail_risk = (1.0 - level) / 2.0;
        McNemar { discordant, split, tail_risk, powers: Vec::new(), last_state: (0, [1.0; 2], [1.0; 2]) }
    }

    /// Returns the power for this number of trials.
    fn power(&mut self, trials: u64) -> f64 {
        if self.discordant == 0.0 {
            return 0.0;
        }
        let n = trials as f64;
        let half_range = 8.0 * (n * self.discordant * (1.0 - self.discordant)).sqrt() + 40.0;
        let low = (n * self.discordant - half_range).max(0.0) as u64;
        let high = ((n * self.discordant + half_range) as u64).min(trials);
        self.extend_to(high);
        // Sum in both directions from the most likely number of discordant trials, as multiples of
        // its probability.
        let odds = self.discordant / (1.0 - self.discordant);
        let mode = (((n + 1.0) * self.discordant) as u64).clamp(low, high);
        let (mut sum, mut total_weight) = (self.powers[mode as usize], 1.0);
        let mut add = |weight: f64, count: u64| {
            sum += weight * self.powers[count as usize];
            total_weight += weight;
        };
        let mut weight = 1.0;
        for count in mode + 1..=high {
            weight *= odds * (trials - count + 1) as f64 / count as f64;
            add(weight, count);
        }
        weight = 1.0;
        for count in (low..mode).rev() {
            weight *= (count + 1) as f64 / ((trials - count) as f64 * odds);
            add(weight, count);
        }
        sum / total_weight
    }

    /// Extends the table of power up to this number of discordant trials. With one more trial, the
    /// smallest significant number of successes grows by at most one.
    fn extend_to(&mut self, max_count: u64) {
        while self.powers.len() as u64 <= max_count {
            let count = self.powers.len() as u64;
            let (mut threshold, mut chance_tails, mut better_tails) = self.last_state;
            if count > 0 {
                chance_tails = add_trial(chance_tails, count - 1, threshold, 0.5);
                better_tails = add_trial(better_tails, count - 1, threshold, self.split);
            }
            if chance_tails[0] > self.tail_risk {
                chance_tails = add_success(chance_tails, count, threshold, 0.5);
                better_tails = add_success(better_tails, count, threshold, self.split);
                threshold += 1;
            }
            self.last_state = (threshold, chance_tails, better_tails);
            self.powers.push(better_tails[0]);
        }
    }
}

/// Updates the probabilities of at least, and of exactly, so many successes for one more trial.
fn add_trial([tail, exact]: [f64; 2], trials: u64, successes: u64, rate: f64) -> [f64; 2] {
    if successes > trials {
        // The last case: all trials succeed.
        let exact = if successes == trials + 1 { rate.powi(successes.min(1 << 20) as i32) } else { 0.0 };
        return [exact, exact];
    }
    let previous = exact * successes as f64 / (trials - successes + 1) as f64 * (1.0 - rate) / rate;
    [tail + rate * previous, rate * previous + (1.0 - rate) * exact]
}

/// Updates these probabilities for one more success.
fn add_success([tail, exact]: [f64; 2], trials: u64, successes: u64, rate: f64) -> [f64; 2] {
    if successes >= trials {
        return [0.0, 0.0];
    }
    let next = exact * (trials - successes) as f64 / (successes + 1) as f64 * rate / (1.0 - rate);
    [(tail - exact).max(0.0), next]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::Binomial;
    use crate::{ContingencyTable, TwoRates};

    /// Power by definition: all tables of so many trials, each tested individually.
    fn power_by_definition(trials: u64, only_first: f64, only_second: f64, level: f64) -> f64 {
        let discordant = only_first + only_second;
        let probability = |distribution: &Binomial, count: u64| {
            distribution.cdf(count) - if count > 0 { distribution.cdf(count - 1) } else { 0.0 }
        };
        let discordant_counts = Binomial::new(trials, discordant);
        let power_at = |count: u64| {
            let first = Binomial::new(count, only_first / discordant);
            let significant = (count.div_ceil(2)..=count).filter(|&wins| {
                let table = ContingencyTable {
                    only_first: wins,
                    only_second: count - wins,
                    ..ContingencyTable::default()
                };
                2 * wins > count && table.mcnemar() <= 1.0 - level
            });
            probability(&discordant_counts, count)
                * significant.map(|wins| probability(&first, wins)).sum::<f64>()
        };
        (0..=trials).map(power_at).sum()
    }

    #[test]
    fn mcnemar_by_the_definition() {
        for (trials, only_first, only_second) in [
            (1, 0.5, 0.2),
            (12, 0.9, 0.1),
            (40, 0.3, 0.05),
            (61, 0.6, 0.4),
            (200, 0.25, 0.12),
            (150, 0.04, 0.0),
            (90, 0.31, 0.31),
        ] {
            for level in [0.95, 0.8, 0.9999] {
                let got = McNemar::new(only_first, only_second, level).power(trials);
                let expected = power_by_definition(trials, only_first, only_second, level);
                assert!(
                    (got - expected).abs() < 1e-10,
                    "{trials}, {only_first}, {only_second}: {got}, not {expected}"
                );
            }
        }
    }

    /// From the returned number on the power suffices, and just below it does not.
    #[test]
    fn the_least_number_is_the_least_from_which_on_it_holds() {
        for (only_first, only_second) in [(0.6, 0.4), (0.3, 0.15), (0.02, 0.0), (1.0, 0.0), (0.55, 0.45)] {
            let trials = pairs_needed(only_first, only_second, 0.95, 0.8) as u64;
            let rates = [only_first, only_second];
            let is_enough = |pairs| pairs_are_enough(pairs, rates, 0.95, 0.8);
            assert!(!is_enough(trials - 1) && (trials..trials + 300).all(is_enough), "{rates:?}: {trials}");
            assert!(trials as f64 >= common_trials_for_rates(only_first, only_second, 0.95, 0.8), "{trials}");
        }
    }

    #[test]
    fn what_is_shown_needs_so_many() {
        for discordant in [0.1, 0.5, 1.0] {
            let difference = detectable_difference(discordant, 1000, 0.95, 0.8).expect("it is shown");
            let rates = [(discordant + difference) / 2.0, (discordant - difference) / 2.0];
            let by_definition = power_by_definition(1000, rates[0], rates[1], 0.95);
            assert!(
                (by_definition - 0.8).abs() < 1e-8,
                "{discordant}: {difference} is shown in {by_definition}"
            );
        }
        for pairs in [2, 20, 1000] {
            let ratio = detectable_ratio(pairs, 0.6, 0.95, 0.8);
            assert!(
                is_ratio_detectable(pairs, ratio, 0.6, 0.95, 0.8)
                    && !is_ratio_detectable(pairs, 0.999 * ratio, 0.6, 0.95, 0.8)
            );
        }
    }

    /// The two-sided test of two rates by definition: all tables, each tested individually.
    #[test]
    fn two_rates_by_the_definition() {
        for (trials, p1, p2) in [(20, 0.9, 0.5), (35, 0.3, 0.1), (95, 0.7, 0.5)] {
            let probability = |count: u64, rate: f64| {
                let distribution = Binomial::new(trials, rate);
                distribution.cdf(count) - if count > 0 { distribution.cdf(count - 1) } else { 0.0 }
            };
            let tables = (0..=trials).flat_map(|one| (0..one).map(move |other| (one, other)));
            // Very unlikely tables take most of the time.
            let parts =
                tables.map(|(one, other)| (one, other, probability(one, p1) * probability(other, p2)));
            let significant = parts.filter(|&(one, other, part)| {
                part > 1e-9
                    && TwoRates::new((one, trials), (other, trials)).is_some_and(|two| two.p(0.0) <= 0.05)
            });
            let expected: f64 = significant.map(|(.., part)| part).sum();
            let got = exact_power(p1, p2, trials, 0.95).expect("few trials");
            assert!((got - expected).abs() < 1e-5, "{trials}, {p1}, {p2}: {got}, not {expected}");
        }
    }

    #[test]
    fn many_trials_are_counted_by_the_formulas() {
        for (only_first, only_second) in [(0.251, 0.249), (0.1255, 0.1245)] {
            let formula = common_trials_for_rates(only_first, only_second, 0.95, 0.8);
            assert_eq!(pairs_needed(only_first, only_second, 0.95, 0.8), formula);
        }
        // At the limit both methods nearly agree.
        let formula = common_trials_for_rates(0.255, 0.2452, 0.95, 0.8);
        let exact =
            pairs_needed(0.2553, 0.2449, 0.95, 0.8) / common_trials_for_rates(0.2553, 0.2449, 0.95, 0.8);
        assert!(formula > 20_000.0 && (1.0..1.02).contains(&exact), "{formula}, {exact}");
        assert_eq!(trials_needed(0.5, 0.501, 0.95, 0.8), trials_for_rates(0.5, 0.501, 0.95, 0.8));
        assert_eq!(
            pairs_needed_for_ratio(1.001, 0.6, 0.95, 0.8),
            common_trials_for_ratio(1.001, 0.6, 0.95, 0.8)
        );
    }

    #[test]
    fn nothing_and_too_little() {
        assert_eq!(trials_needed(0.5, 0.5, 0.95, 0.8), f64::INFINITY);
        assert_eq!(pairs_needed(0.0, 0.0, 0.95, 0.8), f64::INFINITY);
        assert_eq!(pairs_needed_for_ratio(1.0, 0.6, 0.95, 0.8), f64::INFINITY);
        // Two equal differences are the fewest that a t-test can detect; a sign test needs six on
        // one side.
        assert_eq!(pairs_needed_for_ratio(2.0, 0.0, 0.95, 0.8), 2.0);
        assert_eq!(pairs_needed(1.0, 0.0, 0.95, 0.8), 6.0);
        assert!(!pairs_are_enough(5, [1.0, 0.0], 0.95, 0.8) && !trials_are_enough(0, [1.0, 0.0], 0.95, 0.8));
        for pairs in [0, 1] {
            assert!(!is_ratio_detectable(pairs, 1e9, 0.1, 0.95, 0.8));
            assert_eq!(detectable_ratio(pairs, 0.0, 0.95, 0.8), f64::MAX);
            assert_eq!(detectable_difference(0.5, pairs, 0.95, 0.8), None);
        }
        assert_eq!(detectable_difference(0.0, 1000, 0.95, 0.8), None);
        assert!((detectable_ratio(10, 0.0, 0.95, 0.8) - 1.0).abs() < 1e-9);
    }
}
