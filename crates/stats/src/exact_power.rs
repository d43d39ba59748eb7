//! Power of the tests by which two are compared, without an approximation: McNemar's exact test,
//! the test of two rates and NetworkLearner's t. The normal formulas of [`power`](super::power) promise 80
//! % where 75 to 79 % of the runs find a difference.
//!
//! `power` is how often a difference that is there is found, on its own side, by a two-sided test
//! at `level`. Up to [`EXACT_UP_TO`] trials it is that of the test itself for McNemar's exact test
//! and NetworkLearner's t test; for two rates as long as p is exact (up to 400 trials at 50 %). Otherwise
//! the formulas are used.

use super::border::border;
use super::power::{pairs_for_rates, pairs_for_ratio, trials_for_rates};
use super::special::{shifted_student_above, two_sided_student};
use super::two_rates::exact_power;

/// Trials up to which power is counted by the tests themselves. There McNemar's test needs some 1 %
/// more pairs than its formula says.
pub const EXACT_UP_TO: u64 = 20_000;

/// Number of common trials from which on McNemar's exact test has this power, if only the first and
/// only the second succeed at these rates. Infinite where these are equal.
///
/// # Panics
/// As [`pairs_for_rates`].
pub fn pairs_needed(only_first: f64, only_second: f64, level: f64, power: f64) -> f64 {
    let guess = pairs_for_rates(only_first, only_second, level, power);
    let mut test = McNemar::of(only_first, only_second, level);
    // The power rises and falls by as much as the probability of a single outcome: some √n trials
    // are looked at.
    least(guess, |pairs| 20 + 3 * pairs.isqrt(), |pairs| test.power(pairs) >= power)
}

/// True if McNemar's exact test of so many common trials has this power.
///
/// # Panics
/// As [`pairs_for_rates`].
pub fn pairs_are_enough(pairs: u64, [only_first, only_second]: [f64; 2], level: f64, power: f64) -> bool {
    if pairs > EXACT_UP_TO {
        return pairs_for_rates(only_first, only_second, level, power) <= pairs as f64;
    }
    McNemar::of(only_first, only_second, level).power(pairs) >= power
}

/// The smallest difference of two rates that `pairs` common trials show, where the two differ at
/// this part of them. None where even the largest difference is not shown, that of one winning all
/// trials that differ.
///
/// # Panics
/// If the discordance is not within 0 and 1, or level or power is not between them.
pub fn pairs_difference_shown(discordant: f64, pairs: u64, level: f64, power: f64) -> Option<f64> {
    assert!((0.0..=1.0).contains(&discordant), "a rate of {discordant}");
    let shown = |difference: f64| {
        let rates = [(discordant + difference) / 2.0, (discordant - difference) / 2.0];
        pairs_are_enough(pairs, rates, level, power)
    };
    (discordant > 0.0 && shown(discordant)).then(|| border(0.0, discordant, HALVINGS, shown).1)
}

/// Number of trials of each of two, apart from each other, from which on the test of two rates has
/// this power. Infinite where the rates are equal.
///
/// # Panics
/// As [`trials_for_rates`].
pub fn trials_needed(p1: f64, p2: f64, level: f64, power: f64) -> f64 {
    let guess = trials_for_rates(p1, p2, level, power);
    least(guess, |_| 8, |trials| trials_are_enough(trials, [p1, p2], level, power))
}

/// True if the test of two rates, of so many trials each, has this power.
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

/// Number of common trials from which on the t-test of the logarithms has this power, if they have
/// this standard deviation. Infinite for a ratio of 1.
///
/// # Panics
/// As [`pairs_for_ratio`].
pub fn pairs_needed_for_ratio(ratio: f64, spread: f64, level: f64, power: f64) -> f64 {
    let guess = pairs_for_ratio(ratio, spread, level, power);
    least(guess, |_| 0, |pairs| ratio_is_shown(pairs, ratio, spread, level, power))
}

/// True if the t-test of the logarithms of so many common trials has this power. Two are the least.
///
/// # Panics
/// As [`pairs_for_ratio`].
pub fn ratio_is_shown(pairs: u64, ratio: f64, spread: f64, level: f64, power: f64) -> bool {
    let formula = pairs_for_ratio(ratio, spread, level, power);
    if !(2..=EXACT_UP_TO).contains(&pairs) || spread == 0.0 {
        return pairs >= 2 && formula <= pairs as f64;
    }
    let degrees = (pairs - 1) as f64;
    let shift = ratio.ln().abs() / spread * (pairs as f64).sqrt();
    shifted_student_above(two_sided_student(level, degrees), degrees, shift) >= power
}

/// The smallest ratio above 1 that `pairs` common trials show. Without two trials the largest
/// number there is.
///
/// # Panics
/// If the spread is below 0, or level or power is not between 0 and 1.
pub fn ratio_shown(pairs: u64, spread: f64, level: f64, power: f64) -> f64 {
    let shown = |log: f64| ratio_is_shown(pairs, log.exp(), spread, level, power);
    let most = f64::MAX.ln();
    if shown(most) { border(0.0, most, HALVINGS, shown).1.exp() } else { f64::MAX }
}

/// Enough to find a difference to ten digits.
const HALVINGS: u32 = 45;

/// The least number of trials from which on they are enough, near a guess. `beyond` trials further
/// on it may fail once more.
fn least(guess: f64, beyond: impl Fn(u64) -> u64, mut is_enough: impl FnMut(u64) -> bool) -> f64 {
    if guess > EXACT_UP_TO as f64 {
        return guess;
    }
    let (mut fails, mut enough) = (0, (guess.ceil() as u64).max(1));
    while !is_enough(enough) {
        fails = enough;
        enough += 4 + enough / 8;
        if enough > EXACT_UP_TO {
            return enough as f64;
        }
    }
    while enough - fails > 1 {
        let middle = u64::midpoint(fails, enough);
        if is_enough(middle) { enough = middle } else { fails = middle }
    }
    let last = (enough + 1..=enough + beyond(enough)).rev().find(|&trials| !is_enough(trials));
    last.map_or(enough, |last| last + 1) as f64
}

/// McNemar's exact test of two that differ at some part of the trials.
struct McNemar {
    discordant: f64,
    /// The part of the trials at which they differ that falls to the better one.
    split: f64,
    alarm: f64,
    /// How often it finds the better one, by the number of trials at which they differ.
    found: Vec<f64>,
    /// The last of these: the least successes that show it, how often chance brings so many (and
    /// just so many), and how often the better one has them (and just so many).
    last: (u64, [f64; 2], [f64; 2]),
}

impl McNemar {
    fn of(only_first: f64, only_second: f64, level: f64) -> McNemar {
        let discordant = (only_first + only_second).min(1.0);
        // Certainty would be divided by.
        let split = (only_first.max(only_second) / discordant).min(1.0 - 1e-12);
        let alarm = (1.0 - level) / 2.0;
        McNemar { discordant, split, alarm, found: Vec::new(), last: (0, [1.0; 2], [1.0; 2]) }
    }

    /// How often it finds the better one, if this number of trials is played.
    fn power(&mut self, trials: u64) -> f64 {
        if self.discordant == 0.0 {
            return 0.0;
        }
        let n = trials as f64;
        let reach = 8.0 * (n * self.discordant * (1.0 - self.discordant)).sqrt() + 40.0;
        let low = (n * self.discordant - reach).max(0.0) as u64;
        let high = ((n * self.discordant + reach) as u64).min(trials);
        self.count_up_to(high);
        // Both ways from the most likely number of trials at which they differ, as multiples of its
        // probability.
        let odds = self.discordant / (1.0 - self.discordant);
        let top = (((n + 1.0) * self.discordant) as u64).clamp(low, high);
        let (mut sum, mut all) = (self.found[top as usize], 1.0);
        let mut add = |weight: f64, differ: u64| {
            sum += weight * self.found[differ as usize];
            all += weight;
        };
        let mut weight = 1.0;
        for differ in top + 1..=high {
            weight *= odds * (trials - differ + 1) as f64 / differ as f64;
            add(weight, differ);
        }
        weight = 1.0;
        for differ in (low..top).rev() {
            weight *= (differ + 1) as f64 / ((trials - differ) as f64 * odds);
            add(weight, differ);
        }
        sum / all
    }

    /// Counts how often it finds the better one, up to this number of trials at which they differ.
    /// One more of them moves the least successes that show it by one at most.
    fn count_up_to(&mut self, most: u64) {
        while self.found.len() as u64 <= most {
            let differ = self.found.len() as u64;
            let (mut least, mut chance, mut better) = self.last;
            if differ > 0 {
                chance = one_more(chance, differ - 1, least, 0.5);
                better = one_more(better, differ - 1, least, self.split);
            }
            if chance[0] > self.alarm {
                chance = beyond(chance, differ, least, 0.5);
                better = beyond(better, differ, least, self.split);
                least += 1;
            }
            self.last = (least, chance, better);
            self.found.push(better[0]);
        }
    }
}

/// From the probabilities of so many successes or more, and of just so many, to those of one more
/// trial.
fn one_more([tail, at]: [f64; 2], trials: u64, successes: u64, rate: f64) -> [f64; 2] {
    if successes > trials {
        // The last of them all succeed.
        let at = if successes == trials + 1 { rate.powi(successes.min(1 << 20) as i32) } else { 0.0 };
        return [at, at];
    }
    let before = at * successes as f64 / (trials - successes + 1) as f64 * (1.0 - rate) / rate;
    [tail + rate * before, rate * before + (1.0 - rate) * at]
}

/// The same of one success more.
fn beyond([tail, at]: [f64; 2], trials: u64, successes: u64, rate: f64) -> [f64; 2] {
    if successes >= trials {
        return [0.0, 0.0];
    }
    let next = at * (trials - successes) as f64 / (successes + 1) as f64 * rate / (1.0 - rate);
    [(tail - at).max(0.0), next]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::Binomial;
    use crate::{Pairs, TwoRates};

    /// The power by the definition: all tables of so many trials, each tested by itself.
    fn by_definition(trials: u64, only_first: f64, only_second: f64, level: f64) -> f64 {
        let discordant = only_first + only_second;
        let just = |all: &Binomial, count: u64| {
            all.at_most(count) - if count > 0 { all.at_most(count - 1) } else { 0.0 }
        };
        let differ = Binomial::new(trials, discordant);
        let of = |count: u64| {
            let first = Binomial::new(count, only_first / discordant);
            let shown = (count.div_ceil(2)..=count).filter(|&wins| {
                let table = Pairs { only_first: wins, only_second: count - wins, ..Pairs::default() };
                2 * wins > count && table.mcnemar() <= 1.0 - level
            });
            just(&differ, count) * shown.map(|wins| just(&first, wins)).sum::<f64>()
        };
        (0..=trials).map(of).sum()
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
                let got = McNemar::of(only_first, only_second, level).power(trials);
                let expected = by_definition(trials, only_first, only_second, level);
                assert!(
                    (got - expected).abs() < 1e-10,
                    "{trials}, {only_first}, {only_second}: {got}, not {expected}"
                );
            }
        }
    }

    /// From the number that is named on the power is kept, and just below it is not.
    #[test]
    fn the_least_number_is_the_least_from_which_on_it_holds() {
        for (only_first, only_second) in [(0.6, 0.4), (0.3, 0.15), (0.02, 0.0), (1.0, 0.0), (0.55, 0.45)] {
            let needed = pairs_needed(only_first, only_second, 0.95, 0.8) as u64;
            let rates = [only_first, only_second];
            let is_enough = |pairs| pairs_are_enough(pairs, rates, 0.95, 0.8);
            assert!(!is_enough(needed - 1) && (needed..needed + 300).all(is_enough), "{rates:?}: {needed}");
            assert!(needed as f64 >= pairs_for_rates(only_first, only_second, 0.95, 0.8), "{needed}");
        }
    }

    #[test]
    fn what_is_shown_needs_so_many() {
        for discordant in [0.1, 0.5, 1.0] {
            let difference = pairs_difference_shown(discordant, 1000, 0.95, 0.8).expect("it is shown");
            let rates = [(discordant + difference) / 2.0, (discordant - difference) / 2.0];
            let by_definition = by_definition(1000, rates[0], rates[1], 0.95);
            assert!(
                (by_definition - 0.8).abs() < 1e-8,
                "{discordant}: {difference} is shown in {by_definition}"
            );
        }
        for pairs in [2, 20, 1000] {
            let ratio = ratio_shown(pairs, 0.6, 0.95, 0.8);
            assert!(
                ratio_is_shown(pairs, ratio, 0.6, 0.95, 0.8)
                    && !ratio_is_shown(pairs, 0.999 * ratio, 0.6, 0.95, 0.8)
            );
        }
    }

    /// The two-sided test of two rates by the definition: all tables, each tested by itself.
    #[test]
    fn two_rates_by_the_definition() {
        for (trials, p1, p2) in [(20, 0.9, 0.5), (35, 0.3, 0.1), (95, 0.7, 0.5)] {
            let just = |count: u64, rate: f64| {
                let all = Binomial::new(trials, rate);
                all.at_most(count) - if count > 0 { all.at_most(count - 1) } else { 0.0 }
            };
            let tables = (0..=trials).flat_map(|one| (0..one).map(move |other| (one, other)));
            // Tables that hardly ever come about take most of the time.
            let parts = tables.map(|(one, other)| (one, other, just(one, p1) * just(other, p2)));
            let shown = parts.filter(|&(one, other, part)| {
                part > 1e-9
                    && TwoRates::new((one, trials), (other, trials)).is_some_and(|two| two.p(0.0) <= 0.05)
            });
            let expected: f64 = shown.map(|(.., part)| part).sum();
            let got = exact_power(p1, p2, trials, 0.95).expect("few trials");
            assert!((got - expected).abs() < 1e-5, "{trials}, {p1}, {p2}: {got}, not {expected}");
        }
    }

    #[test]
    fn many_trials_are_counted_by_the_formulas() {
        for (only_first, only_second) in [(0.251, 0.249), (0.1255, 0.1245)] {
            let formula = pairs_for_rates(only_first, only_second, 0.95, 0.8);
            assert_eq!(pairs_needed(only_first, only_second, 0.95, 0.8), formula);
        }
        // At the border both say nearly the same.
        let formula = pairs_for_rates(0.255, 0.2452, 0.95, 0.8);
        let exact = pairs_needed(0.2553, 0.2449, 0.95, 0.8) / pairs_for_rates(0.2553, 0.2449, 0.95, 0.8);
        assert!(formula > 20_000.0 && (1.0..1.02).contains(&exact), "{formula}, {exact}");
        assert_eq!(trials_needed(0.5, 0.501, 0.95, 0.8), trials_for_rates(0.5, 0.501, 0.95, 0.8));
        assert_eq!(pairs_needed_for_ratio(1.001, 0.6, 0.95, 0.8), pairs_for_ratio(1.001, 0.6, 0.95, 0.8));
    }

    #[test]
    fn nothing_and_too_little() {
        assert_eq!(trials_needed(0.5, 0.5, 0.95, 0.8), f64::INFINITY);
        assert_eq!(pairs_needed(0.0, 0.0, 0.95, 0.8), f64::INFINITY);
        assert_eq!(pairs_needed_for_ratio(1.0, 0.6, 0.95, 0.8), f64::INFINITY);
        // Two equal differences are the least that a t-test can tell from none, and six that all
        // fall to one side a sign test.
        assert_eq!(pairs_needed_for_ratio(2.0, 0.0, 0.95, 0.8), 2.0);
        assert_eq!(pairs_needed(1.0, 0.0, 0.95, 0.8), 6.0);
        assert!(!pairs_are_enough(5, [1.0, 0.0], 0.95, 0.8) && !trials_are_enough(0, [1.0, 0.0], 0.95, 0.8));
        for pairs in [0, 1] {
            assert!(!ratio_is_shown(pairs, 1e9, 0.1, 0.95, 0.8));
            assert_eq!(ratio_shown(pairs, 0.0, 0.95, 0.8), f64::MAX);
            assert_eq!(pairs_difference_shown(0.5, pairs, 0.95, 0.8), None);
        }
        assert_eq!(pairs_difference_shown(0.0, 1000, 0.95, 0.8), None);
        assert!((ratio_shown(10, 0.0, 0.95, 0.8) - 1.0).abs() < 1e-9);
    }
}
