//! Two players by CPU milliseconds per move. Players of one run are timed side by side. Players of
//! different runs are timed relative to the calibration loop.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use gauntlet_core::record::TimeSource;
use gauntlet_core::text::grouped;
use gauntlet_run::tally::clock::{PlayerTimes, ThinkingTime};
use gauntlet_stats::{ALIKE, Estimate, LogRatio, RatioSums, p_beyond, p_excluding};

use super::finding::{DifferenceDetail, Effect, MeasuredDifference};
use super::question::ComparisonQuestion;

/// Variation between runs of one player on one machine, relative to the calibration loop, beyond
/// the variation within each run: a standard deviation of the logarithm. Two runs do not show it,
/// so it was measured: `cargo bench --bench equal_runs`, and `docs/METHOD.md` has the figures.
pub const BETWEEN_RUNS: f64 = 0.05;

/// Standard deviation of the logarithm between two players of one run that do equal work, beyond
/// the variation between its parts. On a busy machine one of them may be slower for a whole run,
/// and the other one in the next run. Measured like [`BETWEEN_RUNS`].
pub const WITHIN_RUN: f64 = 0.015;

/// Cost of a cold start in a thread, when the caches are empty: nanoseconds, which matter in short
/// runs.
pub const WARM_UP: f64 = 300_000.0;

/// Players with fewer games are not compared: the time of a move depends on the game, and few games
/// do not show by how much. With this number, intervals at 95 % hold and no difference has the
/// wrong sign. The rule was fixed before the measurement: `cargo bench --bench equal_runs --
/// games`.
pub const LEAST_GAMES: u64 = 240;

/// Players are side by side if this share of their moves is in parts of the run that both have.
const ENOUGH_IN_COMMON: f64 = 0.9;

/// Compares two players of one run or of two, with these numbers of games; returns the finding and
/// p.
pub(super) fn compare(
    clocks: [Option<&PlayerTimes>; 2],
    games: [u64; 2],
    is_one_run: bool,
    question: ComparisonQuestion,
) -> (MeasuredDifference, Option<f64>) {
    let values = clocks.map(|clock| clock?.mean_ms());
    let timed = clocks[0].map_or(TimeSource::default(), |clock| clock.timed);
    let found = match clocks {
        _ if games.iter().any(|&games| games < LEAST_GAMES) => None,
        [Some(first), Some(second)] => log_ratio(first, second, is_one_run),
        _ => None,
    };
    let Some((ratio, is_across_runs)) = found else {
        let detail = DifferenceDetail::Time { is_across_runs: false, timed };
        return (MeasuredDifference { values, effect: None, detail }, None);
    };
    let interval = |level| Some(ratio.interval(level));
    let p = match question.margin {
        Some(margin) => p_beyond(1.0 + margin, Ordering::Less, ALIKE, interval),
        None => p_excluding(1.0, interval),
    };
    let effect = interval(question.level).map(Effect::Times);
    (MeasuredDifference { values, effect, detail: DifferenceDetail::Time { is_across_runs, timed } }, p)
}

/// Returns the ratio of both times, with any number of games, and whether it is relative to the
/// calibration loop.
pub fn log_ratio(first: &PlayerTimes, second: &PlayerTimes, is_one_run: bool) -> Option<(LogRatio, bool)> {
    let both = [first, second];
    let is_below = |clock: &&PlayerTimes| clock.mean_ms().is_none();
    if both.iter().any(|clock| clock.cut_games > 0)
        || first.timed.clock() != second.timed.clock()
        || both.iter().any(is_below)
    {
        return None;
    }
    let coarse = first.coarseness().hypot(second.coarseness());
    if is_one_run && are_side_by_side(first, second) {
        // Absolute times: both players have the same machine, and a single calibration loop per
        // part, of 15 µs, is imprecise.
        let sums = |thinking: &ThinkingTime| (thinking.ns as f64, thinking.thoughts as f64);
        let places: BTreeSet<_> = first.places.keys().chain(second.places.keys()).collect();
        let of = |clock: &PlayerTimes, place| clock.places.get(place).map_or((0.0, 0.0), sums);
        let pairs: Vec<[RatioSums; 2]> =
            places.into_iter().map(|place| both.map(|clock| of(clock, place))).collect();
        let times = both.map(|clock| clock.places.values().map(|thinking| thinking.ns as f64).sum::<f64>());
        let cold = WARM_UP * first.starts.max(second.starts).max(1) as f64;
        let unseen = WITHIN_RUN.hypot(cold / times[0].min(times[1])).hypot(coarse);
        return Some((LogRatio::paired(&pairs)?.with_error(unseen), false));
    }
    if both.iter().any(|clock| clock.of_several_machines) {
        return None;
    }
    let in_yardsticks = |clock: &PlayerTimes| {
        let sums = |thinking: &ThinkingTime| Some((thinking.in_yardsticks()?, thinking.thoughts as f64));
        LogRatio::of(&clock.places.values().map(sums).collect::<Option<Vec<_>>>()?)
    };
    let of = |clock: &PlayerTimes| BETWEEN_RUNS.hypot(clock.coarseness());
    Some((
        in_yardsticks(first)?.with_error(of(first)).over(in_yardsticks(second)?.with_error(of(second))),
        true,
    ))
}

/// Returns true if two players of one run were timed at about the same times. A player that was
/// added later was not.
fn are_side_by_side(first: &PlayerTimes, second: &PlayerTimes) -> bool {
    [(first, second), (second, first)].iter().all(|(one, other)| {
        let common = one.places.iter().filter(|(place, _)| other.places.contains_key(place));
        let common = common.map(|(_, thinking)| thinking.thoughts).fold(0, u64::saturating_add);
        common as f64 >= ENOUGH_IN_COMMON * one.thoughts() as f64
    })
}

/// Returns a caveat if times exclude cut moves, are below the clock's resolution, or come from
/// different clocks or too few games. Also if only one of them includes the rules.
pub(super) fn note(names: [&str; 2], played: [u64; 2], clocks: [Option<&PlayerTimes>; 2]) -> Option<String> {
    let is_cut = |clock: &Option<&PlayerTimes>| clock.is_some_and(|clock| clock.cut_games > 0);
    if let Some(cut) = clocks.iter().position(is_cut) {
        let name = names[cut];
        return Some(format!("max_seconds cut games of {name}; times exclude the cut moves"));
    }
    let is_below = |clock: &Option<&PlayerTimes>| clock.is_some_and(|clock| clock.below_ms().is_some());
    if let Some(below) = clocks.iter().position(is_below) {
        return Some(format!("time of {} is below its clock's resolution; not compared", names[below]));
    }
    if let [Some(one), Some(other)] = clocks.map(|clock| clock.map(|clock| clock.timed.clock()))
        && one != other
    {
        let [first, second] = names;
        return Some(format!(
            "{first} and {second} use different clocks ({one}, {other}); times not compared"
        ));
    }
    if let Some(few) = played.iter().position(|&games| games < LEAST_GAMES) {
        let (name, games) = (names[few], grouped(played[few]));
        return Some(format!("too few games: {name} has {games}, but times need {LEAST_GAMES}"));
    }
    let with_rules = clocks.map(|clock| clock.is_some_and(|clock| clock.timed.includes_rules()));
    let name = names[with_rules.iter().position(|&it| it)?];
    (with_rules[0] != with_rules[1])
        .then(|| format!("the time of {name} includes the rules, because {name} plays many games at once"))
}

/// Returns CPU milliseconds per move, with bounds if enough is known. A time below the resolution
/// of the clock is 0, and the resolution is its upper bound.
pub fn ms_per_move(clock: &PlayerTimes, level: f64) -> Option<Estimate> {
    if let Some(below) = clock.below_ms() {
        return Some(Estimate { high: below, ..Estimate::unbounded(0.0, level) });
    }
    let value = clock.mean_ms()?;
    let sums: Vec<RatioSums> =
        clock.places.values().map(|thinking| (thinking.ns as f64 / 1e6, thinking.thoughts as f64)).collect();
    let ratio = LogRatio::of(&sums).map(|ratio| match clock.coarseness() {
        0.0 => ratio,
        coarse => ratio.with_error(coarse),
    });
    Some(ratio.map_or(Estimate::unbounded(value, level), |ratio| ratio.interval(level)))
}

#[cfg(test)]
mod tests {
    use gauntlet_core::measure::Measure;
    use gauntlet_core::record::CalibrationRuns;
    use gauntlet_core::rng::Seed;

    use super::*;

    /// Makes the clock of forty parts of a session with moves of `ns` nanoseconds, on a machine of
    /// varying slowness. Single moves vary too.
    fn clock(session: u64, ns: f64, slowness: impl Fn(u64) -> f64, seed: u64) -> PlayerTimes {
        let mut rng = Seed::root(seed).rng();
        let thinking = |part| {
            let own = 0.95 + rng.below(1001) as f64 / 1e4;
            let ns = 1000.0 * ns * own * slowness(part);
            let yardsticks = CalibrationRuns { count: 10, ns: (100_000.0 * slowness(part)) as u64 };
            ((session, part), ThinkingTime { thoughts: 1000, ns: ns as u64, yardsticks })
        };
        PlayerTimes { places: (0..40).map(thinking).collect(), ..PlayerTimes::default() }
    }

    fn compared(
        first: &PlayerTimes,
        second: &PlayerTimes,
        is_one_run: bool,
    ) -> (Option<Estimate>, Option<f64>) {
        let question = ComparisonQuestion {
            by: Measure::MsPerMove,
            level: 0.95,
            margin: None,
            sequential: false,
            earlier: 0,
        };
        let (finding, p) = compare([Some(first), Some(second)], [1000; 2], is_one_run, question);
        (finding.effect.map(Effect::estimate), p)
    }

    /// Too few games of one player suffice to refuse, even if the times differ clearly.
    #[test]
    fn few_games_are_not_compared() {
        let [one, other] = [(1.0, 1), (2.0, 2)].map(|(ns, seed)| clock(1, 1000.0 * ns, |_| 1.0, seed));
        let question = ComparisonQuestion {
            by: Measure::MsPerMove,
            level: 0.95,
            margin: None,
            sequential: false,
            earlier: 0,
        };
        for (games, is_compared) in
            [([LEAST_GAMES; 2], true), ([LEAST_GAMES - 1, 1000], false), ([1000, LEAST_GAMES - 1], false)]
        {
            let (finding, p) = compare([Some(&one), Some(&other)], games, true, question);
            assert_eq!((finding.effect.is_some(), p.is_some()), (is_compared, is_compared), "{games:?}");
            let note = note(["A", "B"], games, [Some(&one), Some(&other)]);
            assert_eq!(note.is_none(), is_compared, "{note:?}");
        }
        let few = note(["A", "B"], [1000, 1], [Some(&one), Some(&other)]).expect("a reservation");
        assert_eq!(few, format!("too few games: B has 1, but times need {LEAST_GAMES}"));
    }

    fn without_yardsticks(mut clock: PlayerTimes) -> PlayerTimes {
        clock.places.values_mut().for_each(|thinking| thinking.yardsticks = CalibrationRuns::default());
        clock
    }

    #[test]
    fn players_of_one_run_are_paired_in_time() {
        let slowness = |part| if part % 7 < 3 { 3.0 } else { 1.0 };
        let [one, other] = [(1.0, 1), (1.1, 2)].map(|(ns, seed)| clock(1, 1000.0 * ns, slowness, seed));
        for [one, other] in [[one.clone(), other.clone()], [one, other].map(without_yardsticks)] {
            let (ratio, p) = compared(&one, &other, true);
            let ratio = ratio.expect("enough is known");
            assert!((0.89..0.93).contains(&ratio.value) && ratio.high < 0.96, "{ratio:?}");
            // Paired times differ by far, and p is not limited by a number of resamples.
            assert!(p.is_some_and(|p| p < 1e-6), "{p:?}");
        }
    }

    /// Each thread of each session starts with cold caches.
    #[test]
    fn threads_that_begin_cold_widen_the_bounds_of_short_runs() {
        let width = |starts, ns| {
            let [one, other] = [1, 2].map(|seed| PlayerTimes { starts, ..clock(1, ns, |_| 1.0, seed) });
            let ratio = compared(&one, &other, true).0.expect("enough is known");
            (ratio.high / ratio.low).ln()
        };
        assert!(width(8, 500.0) > 3.0 * width(1, 500.0), "{} {}", width(8, 500.0), width(1, 500.0));
        assert!(width(8, 500_000.0) < 1.1 * width(1, 500_000.0));
    }

    #[test]
    fn runs_are_compared_in_yardsticks() {
        // A machine that is twice as slow in the next run.
        let [one, same, slow] = [(1.0, 1.0, 1), (1.0, 2.0, 2), (1.3, 2.0, 3)]
            .map(|(ns, slowness, seed)| clock(1, ns, |_| slowness, seed));
        let (ratio, p) = compared(&one, &same, false);
        assert!(ratio.is_some_and(|ratio| !ratio.excludes(1.0)), "{ratio:?}");
        assert!(p.is_some_and(|p| p > 0.5), "{p:?}");
        let (ratio, p) = compared(&one, &slow, false);
        assert!(
            ratio.is_some_and(|ratio| ratio.excludes(1.0) && (ratio.value * 1.3 - 1.0).abs() < 0.02),
            "{ratio:?}"
        );
        assert!(p.is_some_and(|p| p < 0.01), "{p:?}");
        // Without a calibration loop other runs are not comparable.
        assert_eq!(compared(&one, &without_yardsticks(slow), false), (None, None));
    }

    /// A player that was added in a later session is not side by side with the others.
    #[test]
    fn sessions_are_compared_like_runs() {
        let [early, late] = [(1, 1.0, 1), (2, 2.0, 2)]
            .map(|(session, slowness, seed)| clock(session, 1.0, |_| slowness, seed));
        let (ratio, _) = compared(&early, &late, true);
        let ratio = ratio.expect("both have yardsticks");
        assert!(!ratio.excludes(1.0) && ratio.high / ratio.low > (3.0 * BETWEEN_RUNS).exp(), "{ratio:?}");
        let elsewhere = PlayerTimes { of_several_machines: true, ..late.clone() };
        for late in [without_yardsticks(late), elsewhere] {
            assert_eq!(compared(&early, &late, true), (None, None));
        }
    }

    /// Equal players on a machine whose speed drifts slowly, with a calibration loop that follows
    /// only half of the drift: side by side, errors are within the level.
    #[test]
    fn drift_makes_no_difference_side_by_side() {
        const RUNS: u64 = 600;
        let mut different = 0;
        for run in 0..RUNS {
            let mut rng = Seed::root(2048).child("drift", run).rng();
            let mut speed = 0.0;
            let speeds: Vec<f64> = (0..40)
                .map(|_| {
                    speed = 0.95 * speed + 0.1 * (rng.below(2001) as f64 / 1000.0 - 1.0);
                    speed
                })
                .collect();
            let clock = |seed| {
                let mut rng = Seed::root(seed).child("drift", run).rng();
                let thinking = |(part, speed): (u64, &f64)| {
                    // So large that the variation that no part shows is negligible.
                    let own = 0.5 + rng.below(10_001) as f64 / 1e4;
                    let yardsticks =
                        CalibrationRuns { count: 10, ns: (100_000.0 * (speed / 2.0).exp()) as u64 };
                    (
                        (1, part),
                        ThinkingTime { thoughts: 1000, ns: (1e6 * own * speed.exp()) as u64, yardsticks },
                    )
                };
                PlayerTimes { places: (0..).zip(&speeds).map(thinking).collect(), ..PlayerTimes::default() }
            };
            let (_, p) = compared(&clock(1), &clock(2), true);
            different += u64::from(p.is_some_and(|p| p <= 0.05));
        }
        assert!((10..=48).contains(&different), "{different} of {RUNS}");
    }

    #[test]
    fn a_time_has_bounds_where_there_are_parts_enough() {
        let clock = clock(1, 1000.0, |_| 1.0, 1);
        let whole = ms_per_move(&clock, 0.95).expect("there are thoughts");
        assert!((whole.value - 0.001).abs() < 1e-5 && whole.high / whole.low < 1.03, "{whole:?}");
        let few =
            PlayerTimes { places: clock.places.into_iter().take(9).collect(), ..PlayerTimes::default() };
        assert!(ms_per_move(&few, 0.95).is_some_and(|few| few.bounds().is_none()));
        assert_eq!(ms_per_move(&PlayerTimes::default(), 0.95), None);
    }
}
