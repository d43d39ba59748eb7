//! Two players by CPU milliseconds per move. Players of one run are timed side by side. Players of
//! different runs are timed relative to the calibration loop.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use gauntlet_core::record::TimeSource;
use gauntlet_run::tally::player_times::{LONGEST_BATCH, PlayerTimes, ThinkingTime, TimeStratum};
use gauntlet_stats::{EQUAL_TAILS, Estimate, LogRatio, RatioSums, one_sided_p, p_excluding};

use super::finding::{DifferenceDetail, Effect, MeasuredDifference, TimeBasis, TimeRefusal};
use super::question::ComparisonQuestion;

/// Variation between runs of one player on one machine, relative to the calibration loop, beyond
/// the variation within each run: a standard deviation of the logarithm. Two runs do not show it,
/// so it was measured: `cargo bench --bench verdicts -- across-runs`, and `docs/EVIDENCE.md` has
/// the figures.
pub const BETWEEN_RUNS: f64 = 0.05;

/// Additional variation between processors. In the committed results, 26 pairs of players with
/// equal settings, on AMD and Intel processors, differ by 0.11 (root mean square). Many of them
/// also have different versions of this program. It widens converted times; times of different
/// processors are not tested.
const BETWEEN_PROCESSORS: f64 = 0.12;

/// Standard deviation of the logarithm between two players of one run that do equal work, beyond
/// the variation between its parts. On a busy machine one of them may be slower for a whole run,
/// and the other one in the next run. Measured like [`BETWEEN_RUNS`].
pub const WITHIN_RUN: f64 = 0.015;

/// Cost of a cold start in a thread, when the caches are empty: nanoseconds, which matter in short
/// runs.
pub const WARM_UP: f64 = 300_000.0;

/// Players with fewer games are not compared: the time of a move depends on the game, and few games
/// do not show by how much. With this number, intervals at 95 % hold and no difference has the
/// wrong sign. The rule was fixed before the measurement: `cargo bench --bench verdicts --
/// games-for-times`.
pub const MIN_GAMES: u64 = 240;

/// Players are side by side if this share of their moves is in parts of the run that both have.
const MIN_COMMON_SHARE: f64 = 0.9;

/// Compares two players of one run or of two, with these numbers of games; returns the finding and
/// p.
pub(super) fn compare(
    clocks: [Option<&PlayerTimes>; 2],
    games: [u64; 2],
    is_one_run: bool,
    question: ComparisonQuestion,
) -> (MeasuredDifference, Option<f64>) {
    let values = clocks.map(|clock| clock?.mean_ms());
    let time_source = clocks[0].map_or(TimeSource::default(), |clock| clock.time_source);
    let ratio = match clocks {
        [Some(first), Some(second)] => log_ratio(first, second, is_one_run),
        [None, _] => Err(TimeRefusal::NoTimes(0)),
        [_, None] => Err(TimeRefusal::NoTimes(1)),
    };
    let player_with_few = games.iter().position(|&games| games < MIN_GAMES);
    let ratio = match (player_with_few, ratio) {
        (Some(player), Ok(_) | Err(TimeRefusal::FewCommonParts | TimeRefusal::FewParts(_))) => {
            Err(TimeRefusal::FewGames(player))
        }
        (_, ratio) => ratio,
    };
    let detail = DifferenceDetail::Time { basis: ratio.map(|(_, basis)| basis), time_source };
    let Ok((ratio, _)) = ratio else {
        return (MeasuredDifference { values, effect: None, detail }, None);
    };
    let interval = |level| Some(ratio.interval(level));
    let p = match question.margin {
        Some(margin) => one_sided_p(1.0 + margin, Ordering::Less, EQUAL_TAILS, interval),
        None => p_excluding(1.0, interval),
    };
    let effect = interval(question.level).map(Effect::Times);
    (MeasuredDifference { values, effect, detail }, p)
}

/// Returns the ratio of both times, with any number of games, and what it is measured against.
pub fn log_ratio(
    first: &PlayerTimes,
    second: &PlayerTimes,
    is_one_run: bool,
) -> Result<(LogRatio, TimeBasis), TimeRefusal> {
    let clocks = [first, second];
    let refuse = |predicate: fn(&PlayerTimes) -> bool, refusal: fn(usize) -> TimeRefusal| {
        clocks.iter().position(|clock| predicate(clock)).map_or(Ok(()), |player| Err(refusal(player)))
    };
    refuse(|clock| clock.cut_games > 0, TimeRefusal::CutGames)?;
    refuse(|clock| clock.moves() == 0, TimeRefusal::NoTimes)?;
    refuse(|clock| clock.mean_ms().is_none(), TimeRefusal::BelowResolution)?;
    if first.time_source.clock() != second.time_source.clock() {
        return Err(TimeRefusal::UnlikeClocks);
    }
    let groups = if is_one_run { common_groups(clocks) } else { Vec::new() };
    if are_side_by_side(&groups) {
        let coarseness = first.coarseness().hypot(second.coarseness());
        let times = clocks.map(|clock| clock.strata.values().map(|thinking| thinking.ns as f64).sum::<f64>());
        let cold_start_ns = WARM_UP * first.cold_starts.max(second.cold_starts).max(1) as f64;
        let extra_error = WITHIN_RUN.hypot(cold_start_ns / times[0].min(times[1])).hypot(coarseness);
        let ratio = LogRatio::from_pairs(&groups).ok_or(TimeRefusal::FewCommonParts)?;
        return Ok((ratio.with_error(extra_error), TimeBasis::SideBySide));
    }
    refuse(|clock| clock.has_several_machines, TimeRefusal::SeveralMachines)?;
    let basis = if is_one_run { TimeBasis::AcrossSessions } else { TimeBasis::AcrossRuns };
    let [one, other] = [in_calibration_units(first, 0)?, in_calibration_units(second, 1)?];
    Ok((one.divide_by(other), basis))
}

/// Returns the time per move of this player of the pair as a multiple of the calibration loop. The
/// error includes the variation between runs.
fn in_calibration_units(clock: &PlayerTimes, player: usize) -> Result<LogRatio, TimeRefusal> {
    let sums = |thinking: &ThinkingTime| Some((thinking.calibration_multiple()?, thinking.moves as f64));
    let parts: Option<Vec<RatioSums>> = clock.strata.values().map(sums).collect();
    let ratio = LogRatio::new(&parts.ok_or(TimeRefusal::NoCalibration(player))?);
    let ratio = ratio.ok_or(TimeRefusal::FewParts(player))?;
    Ok(ratio.with_error(BETWEEN_RUNS.hypot(clock.coarseness())))
}

/// Machine to which times are converted.
#[derive(Clone, Copy, Debug)]
pub struct TimeUnit<'a> {
    /// Nanoseconds of its calibration loop.
    pub loop_ns: f64,
    /// Its processor; `None` for any.
    pub processor: Option<&'a str>,
}

impl TimeUnit<'_> {
    /// Returns CPU milliseconds per move on this machine of a player that was timed on a processor;
    /// `None` if too little is known.
    pub fn convert(self, clock: &PlayerTimes, processor: &str, level: f64) -> Option<Estimate> {
        let is_same = self.processor == Some(processor);
        let ratio = in_calibration_units(clock, 0).ok()?;
        let ratio = ratio.with_error(if is_same { 0.0 } else { BETWEEN_PROCESSORS });
        Some(ratio.interval(level).map(|units| units * self.loop_ns / 1e6))
    }
}

/// Returns the times and moves of both players by groups of parts. A fast player's batch covers
/// several parts and counts in the first of them, so a group begins where batches of both players
/// do. A part in which only one of them played is a group of its own.
///
/// Times are absolute: both players have the same machine, and a single calibration loop per part,
/// of 15 µs, is imprecise.
fn common_groups(clocks: [&PlayerTimes; 2]) -> Vec<[RatioSums; 2]> {
    let strata: BTreeSet<TimeStratum> =
        clocks.iter().flat_map(|clock| clock.strata.keys().copied()).collect();
    let mut groups: Vec<[RatioSums; 2]> = Vec::new();
    let mut starts: [Option<TimeStratum>; 2] = [None; 2];
    let mut is_common = false;
    for stratum in strata {
        let times = clocks.map(|clock| clock.strata.get(&stratum));
        for (start, _) in starts.iter_mut().zip(times).filter(|(_, times)| times.is_some()) {
            *start = Some(stratum);
        }
        let is_in_batch = |start: TimeStratum| start.0 == stratum.0 && stratum.1 - start.1 <= LONGEST_BATCH;
        let are_both_active = starts.iter().all(|start| start.is_some_and(is_in_batch));
        let is_start = times.iter().all(Option::is_some);
        if is_start || !(is_common && are_both_active) {
            groups.push([(0.0, 0.0); 2]);
            is_common = is_start;
        }
        let group = groups.last_mut().expect("a group begins with the first part");
        for (sums, thinking) in group.iter_mut().zip(times) {
            let (ns, thoughts) = thinking.map_or((0, 0), |thinking| (thinking.ns, thinking.moves));
            *sums = (sums.0 + ns as f64, sums.1 + thoughts as f64);
        }
    }
    groups
}

/// Returns true if two players of one run were timed at about the same times. A player that was
/// added later was not.
fn are_side_by_side(groups: &[[RatioSums; 2]]) -> bool {
    let is_common = |group: &&[RatioSums; 2]| group.iter().all(|(_, thoughts)| *thoughts > 0.0);
    [0, 1].iter().all(|&player| {
        let all_moves = groups.iter().map(|group| group[player].1).sum::<f64>();
        let common_moves = groups.iter().filter(is_common).map(|group| group[player].1).sum::<f64>();
        all_moves > 0.0 && common_moves >= MIN_COMMON_SHARE * all_moves
    })
}

/// Returns CPU milliseconds per move, with bounds if enough is known. A time below the resolution
/// of the clock is 0, and the resolution is its upper bound.
pub fn ms_per_move(clock: &PlayerTimes, level: f64) -> Option<Estimate> {
    if let Some(upper_bound) = clock.upper_bound_ms() {
        return Some(Estimate { high: upper_bound, ..Estimate::unbounded(0.0, level) });
    }
    let value = clock.mean_ms()?;
    let sums: Vec<RatioSums> =
        clock.strata.values().map(|thinking| (thinking.ns as f64 / 1e6, thinking.moves as f64)).collect();
    let ratio = LogRatio::new(&sums).map(|ratio| match clock.coarseness() {
        0.0 => ratio,
        coarseness => ratio.with_error(coarseness),
    });
    Some(ratio.map_or(Estimate::unbounded(value, level), |ratio| ratio.interval(level)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use gauntlet_core::measure::Measure;
    use gauntlet_core::record::CalibrationRuns;
    use gauntlet_core::rng::Seed;

    use super::*;
    use crate::compare::time_words::{describe_refusal, time_caveat};

    /// Makes the clock of forty parts of a session with moves of `ns` nanoseconds, on a machine of
    /// varying slowness. Single moves vary too.
    fn clock(session: u64, ns: f64, slowness: impl Fn(u64) -> f64, seed: u64) -> PlayerTimes {
        let mut rng = Seed::root(seed).rng();
        let thinking = |part| {
            let variation = 0.95 + rng.below(1001) as f64 / 1e4;
            let ns = 1000.0 * ns * variation * slowness(part);
            let calibration = CalibrationRuns { count: 10, ns: (100_000.0 * slowness(part)) as u64 };
            ((session, part), ThinkingTime { moves: 1000, ns: ns as u64, calibration_runs: calibration })
        };
        PlayerTimes { strata: (0..40).map(thinking).collect(), ..PlayerTimes::default() }
    }

    fn compare_times(
        first: &PlayerTimes,
        second: &PlayerTimes,
        is_one_run: bool,
    ) -> (Option<Estimate>, Option<f64>) {
        let question = ComparisonQuestion {
            measure: Measure::MsPerMove,
            level: 0.95,
            margin: None,
            is_sequential: false,
            earlier_answers: 0,
        };
        let (finding, p) = compare([Some(first), Some(second)], [1000; 2], is_one_run, question);
        (finding.effect.map(Effect::estimate), p)
    }

    /// Too few games of one player suffice to refuse, even if the times differ clearly.
    #[test]
    fn few_games_are_not_compared() {
        let [one, other] = [(1.0, 1), (2.0, 2)].map(|(ns, seed)| clock(1, 1000.0 * ns, |_| 1.0, seed));
        let question = ComparisonQuestion {
            measure: Measure::MsPerMove,
            level: 0.95,
            margin: None,
            is_sequential: false,
            earlier_answers: 0,
        };
        for (games, is_compared) in
            [([MIN_GAMES; 2], true), ([MIN_GAMES - 1, 1000], false), ([1000, MIN_GAMES - 1], false)]
        {
            let (finding, p) = compare([Some(&one), Some(&other)], games, true, question);
            assert_eq!((finding.effect.is_some(), p.is_some()), (is_compared, is_compared), "{games:?}");
            let DifferenceDetail::Time { basis, .. } = finding.detail else { panic!("not a time") };
            let note = time_caveat(["A", "B"], games, [Some(&one), Some(&other)], basis);
            let player = if games[0] < MIN_GAMES { "A" } else { "B" };
            let reason = format!("too few games: {player} has 239, but times need {MIN_GAMES}");
            assert_eq!(note, (!is_compared).then_some(reason));
        }
    }

    /// Keeps the time of each batch of a fast player, which covers this number of parts.
    fn batch_parts(clock: &PlayerTimes, parts: u64) -> PlayerTimes {
        let mut batches = PlayerTimes { strata: BTreeMap::new(), ..clock.clone() };
        for (&(session, part), thinking) in &clock.strata {
            let batch = batches.strata.entry((session, part - part % parts)).or_default();
            batch.moves += thinking.moves;
            batch.ns += thinking.ns;
        }
        batches
    }

    /// A fast player's batches cover several parts. It took turns with the slow player all the
    /// same, so changes of the machine's speed affect both.
    #[test]
    fn fast_players_are_paired_by_their_batches() {
        let slowness = |part| if part / 4 % 3 == 0 { 3.0 } else { 1.0 };
        let [slow, fast] = [(1.1, 1), (1.0, 2)].map(|(ns, seed)| clock(1, 1000.0 * ns, slowness, seed));
        for parts in [2, 3, LONGEST_BATCH] {
            let (ratio, basis) = log_ratio(&slow, &batch_parts(&fast, parts), true).expect("side by side");
            let ratio = ratio.interval(0.95);
            assert_eq!(basis, TimeBasis::SideBySide);
            assert!((1.06..1.14).contains(&ratio.value) && ratio.low > 1.03, "{parts}: {ratio:?}");
        }
        let reason = |one: &PlayerTimes, other: &PlayerTimes| {
            let refusal = log_ratio(one, other, true).map(|(_, basis)| basis).expect_err("refused");
            describe_refusal(refusal, ["A", "B"], [1000; 2], [Some(one), Some(other)])
        };
        // Too few batches show no variation, and a player that ended earlier took no turns.
        let message = "A and B took turns in fewer than ten parts of the run; play more games";
        assert_eq!(reason(&batch_parts(&slow, LONGEST_BATCH), &batch_parts(&fast, 3)), message);
        let mut short_clock = without_calibration(fast.clone());
        short_clock.strata.retain(|(_, part), _| *part < 30);
        assert_eq!(reason(&slow, &short_clock), "the times of B lack the calibration loop");
        short_clock.strata.clear();
        assert_eq!(reason(&slow, &short_clock), "B has no times");
        let wall_clock = PlayerTimes { time_source: TimeSource::Wall, ..fast };
        let clock_names = "CPU time of its thread, wall time";
        assert_eq!(reason(&slow, &wall_clock), format!("A and B use different clocks ({clock_names})"));
    }

    fn without_calibration(mut clock: PlayerTimes) -> PlayerTimes {
        clock.strata.values_mut().for_each(|thinking| thinking.calibration_runs = CalibrationRuns::default());
        clock
    }

    #[test]
    fn players_of_one_run_are_paired_in_time() {
        let slowness = |part| if part % 7 < 3 { 3.0 } else { 1.0 };
        let [one, other] = [(1.0, 1), (1.1, 2)].map(|(ns, seed)| clock(1, 1000.0 * ns, slowness, seed));
        for [one, other] in [[one.clone(), other.clone()], [one, other].map(without_calibration)] {
            let (ratio, p) = compare_times(&one, &other, true);
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
            let [one, other] =
                [1, 2].map(|seed| PlayerTimes { cold_starts: starts, ..clock(1, ns, |_| 1.0, seed) });
            let ratio = compare_times(&one, &other, true).0.expect("enough is known");
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
        let (ratio, p) = compare_times(&one, &same, false);
        assert!(ratio.is_some_and(|ratio| !ratio.excludes(1.0)), "{ratio:?}");
        assert!(p.is_some_and(|p| p > 0.5), "{p:?}");
        let (ratio, p) = compare_times(&one, &slow, false);
        assert!(
            ratio.is_some_and(|ratio| ratio.excludes(1.0) && (ratio.value * 1.3 - 1.0).abs() < 0.02),
            "{ratio:?}"
        );
        assert!(p.is_some_and(|p| p < 0.01), "{p:?}");
        // Without a calibration loop other runs are not comparable.
        assert_eq!(compare_times(&one, &without_calibration(slow), false), (None, None));
    }

    /// On a machine with a loop of 10 µs, a move takes as long in each run. The bounds are wider
    /// for another processor.
    #[test]
    fn times_are_converted_to_another_machine() {
        let ms = |slowness, processor| {
            let clock = clock(1, 1000.0, move |_| slowness, 1);
            let unit = TimeUnit { loop_ns: 10_000.0, processor: Some("A") };
            unit.convert(&clock, processor, 0.95).expect("enough is known")
        };
        let [usual, slow, other] = [ms(1.0, "A"), ms(2.0, "A"), ms(2.0, "B")];
        assert!((usual.value / 0.001 - 1.0).abs() < 0.02, "{usual:?}");
        assert!((slow.value / usual.value - 1.0).abs() < 0.01, "{slow:?}");
        let width = |ms: Estimate| (ms.high / ms.low).ln() / 2.0;
        assert!((0.09..0.11).contains(&width(slow)) && (0.24..0.27).contains(&width(other)), "{other:?}");
        let without = without_calibration(clock(1, 1000.0, |_| 1.0, 1));
        let unit = TimeUnit { loop_ns: 10_000.0, processor: None };
        assert!(unit.convert(&without, "A", 0.95).is_none());
    }

    /// A player that was added in a later session is not side by side with the others.
    #[test]
    fn sessions_are_compared_like_runs() {
        let [first, second] = [(1, 1.0, 1), (2, 2.0, 2)]
            .map(|(session, slowness, seed)| clock(session, 1.0, |_| slowness, seed));
        let (ratio, _) = compare_times(&first, &second, true);
        let ratio = ratio.expect("both have yardsticks");
        assert!(!ratio.excludes(1.0) && ratio.high / ratio.low > (3.0 * BETWEEN_RUNS).exp(), "{ratio:?}");
        let basis = log_ratio(&first, &second, true).map(|(_, basis)| basis);
        assert_eq!(basis, Ok(TimeBasis::AcrossSessions));
        let several_machines = PlayerTimes { has_several_machines: true, ..second.clone() };
        for (other, refusal) in [
            (without_calibration(second), TimeRefusal::NoCalibration(1)),
            (several_machines, TimeRefusal::SeveralMachines(1)),
        ] {
            assert_eq!(compare_times(&first, &other, true), (None, None));
            assert_eq!(log_ratio(&first, &other, true).map(|(_, basis)| basis), Err(refusal));
        }
    }

    /// Equal players on a machine whose speed drifts slowly, with a calibration loop that follows
    /// only half of the drift: side by side, errors are within the level.
    #[test]
    fn drift_makes_no_difference_side_by_side() {
        const RUNS: u64 = 600;
        let mut different_runs = 0;
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
                    let variation = 0.5 + rng.below(10_001) as f64 / 1e4;
                    let calibration =
                        CalibrationRuns { count: 10, ns: (100_000.0 * (speed / 2.0).exp()) as u64 };
                    (
                        (1, part),
                        ThinkingTime {
                            moves: 1000,
                            ns: (1e6 * variation * speed.exp()) as u64,
                            calibration_runs: calibration,
                        },
                    )
                };
                PlayerTimes { strata: (0..).zip(&speeds).map(thinking).collect(), ..PlayerTimes::default() }
            };
            let (_, p) = compare_times(&clock(1), &clock(2), true);
            different_runs += u64::from(p.is_some_and(|p| p <= 0.05));
        }
        assert!((10..=48).contains(&different_runs), "{different_runs} of {RUNS}");
    }

    #[test]
    fn a_time_has_bounds_where_there_are_parts_enough() {
        let clock = clock(1, 1000.0, |_| 1.0, 1);
        let estimate = ms_per_move(&clock, 0.95).expect("there are thoughts");
        assert!((estimate.value - 0.001).abs() < 1e-5 && estimate.high / estimate.low < 1.03, "{estimate:?}");
        let short_clock =
            PlayerTimes { strata: clock.strata.into_iter().take(9).collect(), ..PlayerTimes::default() };
        assert!(ms_per_move(&short_clock, 0.95).is_some_and(|time| time.bounds().is_none()));
        assert_eq!(ms_per_move(&PlayerTimes::default(), 0.95), None);
    }
}
