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

use super::super::border::bisect;
use super::super::estimate::Estimate;
use super::ends::{Ends, Walk};

/// Trials of a sequential test in order: which of them were discordant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrialSequence {
    /// Number of concordant trials before each discordant one.
    level_before: Vec<u64>,
    /// Number of concordant trials since the last discordant one.
    level_since: u64,
}

impl TrialSequence {
    /// Adds a trial.
    pub fn add(&mut self, differs: bool) {
        if differs {
            self.level_before.push(std::mem::take(&mut self.level_since));
        } else {
            self.level_since += 1;
        }
    }

    /// Returns the number of discordant trials.
    pub fn discordant(&self) -> u64 {
        self.level_before.len() as u64
    }

    /// Returns for each trial whether it was discordant.
    fn trials(&self) -> impl Iterator<Item = bool> {
        let run = |level: u64| (0..level).map(|_| false);
        let before = self.level_before.iter().flat_map(move |&level| run(level).chain([true]));
        before.chain(run(self.level_since))
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
pub fn share_after_stop(course: &TrialSequence, won: u64, decide: DecisionRule, risks: [f64; 2]) -> Estimate {
    let differing = course.discordant();
    assert!(won <= differing, "{won} won of {differing}");
    let level = 1.0 - (risks[0] + risks[1]);
    if differing == 0 {
        return Estimate { low: 0.0, value: 0.5, high: 1.0, level };
    }
    let all_level = course.trials().filter(|differs| !differs).count() as u64;
    if decide([differing - won, all_level, won]) == Some(Ordering::Less) {
        // Ends further down are ends further up from the second player's view.
        let turned = |[lost, level, won]: [u64; 3]| decide([won, level, lost]).map(Ordering::reverse);
        let seen = estimate(course, differing - won, &turned, [risks[1], risks[0]], level);
        return seen.map_decreasing(|share| 1.0 - share);
    }
    estimate(course, won, decide, risks, level)
}

/// Returns the estimate from a course that ended with this many trials won, if the ends further up
/// are those in favour of the first player. At the lower bound, the actual end and all ends further
/// up have the first risk. At the upper bound, the actual end and all ends further down have the
/// second. The value is the median.
fn estimate(
    course: &TrialSequence,
    won: u64,
    decide: DecisionRule,
    [below, above]: [f64; 2],
    level: f64,
) -> Estimate {
    // Near the most likely share, no important end is too rare to be counted.
    let counted_at = (won as f64 + 0.5) / (course.discordant() as f64 + 1.0);
    let ends = ends(course, won, decide, counted_at);
    let share_with = |part_of_here: f64, wanted: f64| {
        let is_above = |share: f64| {
            let factors = [(share / counted_at).ln(), ((1.0 - share) / (1.0 - counted_at)).ln()];
            ends.probability(part_of_here, factors) >= wanted
        };
        let (low, high) = bisect(0.0, 1.0, 50, is_above);
        f64::midpoint(low, high)
    };
    Estimate {
        low: share_with(1.0, below),
        value: share_with(0.5, 0.5),
        high: share_with(0.0, 1.0 - above),
        level,
    }
}

/// Returns the ends further up than the actual one, and that end, by trials won and lost, counted
/// for this share.
fn ends(course: &TrialSequence, won: u64, decide: DecisionRule, share: f64) -> Ends {
    let mut walk = Walk::new();
    let (mut differing, mut level) = (0, 0);
    let mut trials = course.trials().peekable();
    while let Some(differs) = trials.next() {
        if differs {
            differing += 1;
            walk.step(&[1.0 - share, share]);
        } else {
            level += 1;
        }
        if trials.peek().is_some() {
            let decide = |won| decide([differing - won, level, won]);
            walk.remove_ends(decide, |won| [won as f64, (differing - won) as f64]);
        }
    }
    walk.close(won, |won| [won as f64, (differing - won) as f64])
}

/// Number of steps in the search for the extreme points of an ellipse.
const STEPS: u32 = 500;

/// Returns the difference of two rates: the discordant proportion times twice the distance of the
/// first player's share from one half. Both errors together span an ellipse, and the bounds are the
/// smallest and largest product on it (after Zou and Donner 2008). So the bounds of the difference
/// have the same sign as those of the share's distance from one half. The proportion is given with
/// the risk of the lower bound, and with that of the upper.
pub fn difference_after_stop(share: Estimate, part: [Estimate; 2]) -> Estimate {
    let lead = |share: f64| 2.0 * share - 1.0;
    let (value, level) = (lead(share.value) * part[0].value, share.level);
    if part[0].value == 0.0 {
        return Estimate { low: -part[0].high, value, high: part[1].high, level };
    }
    let products = |bound: f64, part: Estimate, moves_out: fn(f64) -> bool| {
        (0..=STEPS).map(move |step| {
            let (sine, cosine) = (f64::from(step) / f64::from(STEPS) * FRAC_PI_2).sin_cos();
            let lead = lead(share.value + (bound - share.value) * cosine);
            let end = if moves_out(lead) { part.high } else { part.low };
            lead * (part.value + (end - part.value) * sine)
        })
    };
    let low = products(share.low, part[0], |lead| lead < 0.0).fold(value, f64::min);
    let high = products(share.high, part[1], |lead| lead > 0.0).fold(value, f64::max);
    Estimate { low, value, high, level }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test that ends at a lead of three, or less after more level trials.
    fn decide([lost, level, won]: [u64; 3]) -> Option<Ordering> {
        let lead = won as i64 - lost as i64;
        let enough = if level >= 3 { 2 } else { 3 };
        (lead.abs() >= enough).then(|| lead.cmp(&0))
    }

    /// Lists all possible results of the discordant trials: number of trials and rank in the order
    /// of ends, and the trials won and lost.
    fn all_ends(course: &[bool]) -> Vec<((i64, i64), i32, i32)> {
        let differing = course.iter().filter(|&&differs| differs).count();
        let mut ends = Vec::new();
        for way in 0..1_u32 << differing {
            let mut results = [0_u64; 3];
            let mut toss = 0;
            let mut place = None;
            for (trial, &differs) in course.iter().enumerate() {
                if differs {
                    results[if way >> toss & 1 == 1 { 2 } else { 0 }] += 1;
                    toss += 1;
                } else {
                    results[1] += 1;
                }
                if let Some(decided) = decide(results) {
                    let early = 1000 - trial as i64;
                    let sign = if decided == Ordering::Greater { 1 } else { -1 };
                    place = Some(sign * early);
                    break;
                }
            }
            ends.push((
                (place.unwrap_or(0), results[2] as i64),
                way.count_ones() as i32,
                differing as i32 - way.count_ones() as i32,
            ));
        }
        ends
    }

    /// For every end of a small test, the probabilities of the ends beyond equal the sum over all
    /// results of the trials.
    #[test]
    fn ends_are_counted_exactly() {
        let whole: Vec<bool> =
            [1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1].map(|differs| differs == 1).to_vec();
        let all = all_ends(&whole);
        let probability = |share: f64, is_in: &dyn Fn((i64, i64)) -> bool| {
            let ways = all.iter().filter(|(place, ..)| is_in(*place));
            ways.map(|&(_, won, lost)| share.powi(won) * (1.0 - share).powi(lost)).sum::<f64>()
        };
        let mut places: Vec<_> = all.iter().map(|&(place, ..)| place).collect();
        places.sort_unstable();
        places.dedup();
        assert!(places.len() > 8, "{places:?}");
        let (mut least, risks) = (0.0, [0.05, 0.1]);
        for place in places {
            let trials = if place.0 == 0 { whole.len() } else { 1001 - place.0.unsigned_abs() as usize };
            let mut course = TrialSequence::default();
            whole[..trials].iter().for_each(|&differs| course.add(differs));
            let found = share_after_stop(&course, place.1 as u64, &decide, risks);
            let beyond = |share: f64| probability(share, &|other| other > place);
            let below = |share: f64| probability(share, &|other| other < place);
            let close = |one: f64, other: f64| (one - other).abs() < 1e-9;
            assert!(found.low < 1e-9 || close(1.0 - below(found.low), risks[0]), "{place:?}: {found:?}");
            assert!(
                found.high > 1.0 - 1e-9 || close(1.0 - beyond(found.high), risks[1]),
                "{place:?}: {found:?}"
            );
            assert!(close(below(found.value), beyond(found.value)), "{place:?}: {found:?}");
            assert!(
                found.low < found.value + 1e-9 && found.value < found.high + 1e-9,
                "{place:?}: {found:?}"
            );
            assert!(least <= found.value, "{place:?}: {found:?} after {least}");
            least = found.value;
        }
    }

    #[test]
    fn a_fixed_number_of_trials_is_not_corrected() {
        let mut course = TrialSequence::default();
        (0..40).for_each(|trial| course.add(trial % 4 == 0));
        let found = share_after_stop(&course, 7, &|_| None, [0.025, 0.025]);
        // Clopper and Pearson's interval of 7 of 10, as R's `binom.test(7, 10)` prints it.
        assert!(
            (found.low - 0.347_547_1).abs() < 1e-6 && (found.high - 0.933_260_5).abs() < 1e-6,
            "{found:?}"
        );
        let even = share_after_stop(&course, 5, &|_| None, [0.025, 0.025]);
        assert!((even.value - 0.5).abs() < 1e-9, "{even:?}");
    }

    #[test]
    fn a_difference_is_on_the_side_of_the_share() {
        let part = |low, value, high| [Estimate { low, value, high, level: 0.9 }; 2];
        let share = |low, value, high| Estimate { low, value, high, level: 0.9 };
        for (low, value, high) in [(0.501, 0.7, 0.9), (0.3, 0.45, 0.499), (0.4, 0.5, 0.7), (0.6, 0.99, 1.0)] {
            let found = difference_after_stop(share(low, value, high), part(0.1, 0.3, 0.6));
            assert_eq!((found.low > 0.0, found.high < 0.0), (low > 0.5, high < 0.5), "{found:?}");
            assert!((found.value - 0.3 * (2.0 * value - 1.0)).abs() < 1e-12);
        }
        // If one of the two is known exactly, only the other matters.
        let exact = difference_after_stop(share(0.6, 0.7, 0.8), part(0.3, 0.3, 0.3));
        assert!((exact.low - 0.06).abs() < 1e-9 && (exact.high - 0.18).abs() < 1e-9, "{exact:?}");
        let exact = difference_after_stop(share(0.7, 0.7, 0.7), part(0.2, 0.3, 0.5));
        assert!((exact.low - 0.08).abs() < 1e-9 && (exact.high - 0.2).abs() < 1e-9, "{exact:?}");
        let none = difference_after_stop(share(0.0, 0.5, 1.0), part(0.0, 0.0, 0.02));
        assert_eq!((none.low, none.value, none.high), (-0.02, 0.0, 0.02));
    }
}
