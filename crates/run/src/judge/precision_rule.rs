//! Ends a run when a rate of every player is known to the required precision.

use gauntlet_core::text::{format_plain, group_digits};

use super::precision::{PrecisionStopResult, SuccessCount, half_width, player_goal};
use super::prefix::Prefix;
use super::rule::{BoundsPosition, StopResult, StoppingRule};
use crate::early_stop::PrecisionStop;

/// Counts games of each player until every rate is known.
#[derive(Debug)]
pub(super) struct PrecisionRule {
    stop: PrecisionStop,
    /// Whether a block is a success of a player; `None` if its program broke.
    prefix: Prefix<Option<bool>>,
    stop_result: PrecisionStopResult,
}

impl PrecisionRule {
    pub(super) fn new(stop: PrecisionStop, players: usize) -> PrecisionRule {
        let goal = player_goal(stop.points.share(), stop.level.get(), players);
        let counts = vec![SuccessCount::default(); players];
        let stop_result = PrecisionStopResult { blocks: 0, counts, is_over: false, goal };
        PrecisionRule { stop, prefix: Prefix::new(players), stop_result }
    }

    /// Returns the player whose rate is known least, and the half-width of its interval.
    fn widest(&self) -> (usize, f64) {
        let player = self.stop_result.widest();
        (player, self.stop_result.interval(player).map_or(1.0, half_width))
    }
}

impl StoppingRule for PrecisionRule {
    fn add(&mut self, side: usize, block: u64, result: Option<u64>) {
        self.prefix.note(side, block, result.map(|result| result > 0));
    }

    fn judge(&mut self) {
        while let Some((_, results)) = self.prefix.take() {
            let stop_result = &mut self.stop_result;
            stop_result.blocks += 1;
            for (count, is_success) in stop_result.counts.iter_mut().zip(results) {
                count.games += u64::from(is_success.is_some());
                count.successes += u64::from(is_success == Some(true));
            }
            // For most blocks the widest interval shows that the run is not over.
            stop_result.is_over = stop_result.is_known(stop_result.widest())
                && (0..stop_result.counts.len()).all(|player| stop_result.is_known(player));
            self.prefix.close_if(stop_result.is_over);
        }
    }

    fn blocks(&self) -> u64 {
        self.prefix.blocks_taken()
    }

    fn is_over(&self) -> bool {
        self.stop_result.is_over
    }

    fn position(&self) -> BoundsPosition {
        // The width shrinks, so its bound is the lower one.
        BoundsPosition {
            value: 100.0 * self.widest().1,
            lower: Some(100.0 * self.stop.points.share()),
            upper: 50.0,
            what: "± points",
        }
    }

    fn describe(&self, name: &dyn Fn(usize) -> String) -> String {
        let (player, width) = self.widest();
        let (points, blocks) = (self.stop.points, group_digits(self.stop_result.blocks));
        format!(
            "widest interval: {} ± {} of {points} points after {blocks} blocks",
            name(player),
            format_plain(100.0 * width)
        )
    }

    fn stop_result(&self) -> StopResult {
        StopResult::Precision(self.stop_result.clone())
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::measure::Measure;
    use gauntlet_core::num::{Level, Points};
    use gauntlet_core::rng::Seed;
    use gauntlet_stats::{Estimate, PrecisionGoal};

    use super::*;

    fn new_rule(points: f64, level: f64, players: usize) -> PrecisionRule {
        let points = Points::try_from(points).expect("points");
        let level = Level::try_from(level).expect("a level");
        PrecisionRule::new(PrecisionStop { measure: Measure::Win, points, level }, players)
    }

    /// Plays until the rule ends the run; `result` returns the result of each player in each block.
    fn play_until_end(
        mut rule: PrecisionRule,
        mut result: impl FnMut(usize, u64) -> Option<u64>,
    ) -> PrecisionStopResult {
        for block in 0.. {
            for player in 0..rule.stop_result.counts.len() {
                rule.add(player, block, result(player, block));
            }
            rule.judge();
            if rule.stop_result.is_over {
                return rule.stop_result;
            }
        }
        unreachable!("it ends")
    }

    /// Where a run stops, all its intervals hold together at least as often as required.
    #[test]
    fn all_intervals_hold_where_runs_stop() {
        const RUNS: u64 = 300;
        for rates in [&[0.5][..], &[0.1, 0.5, 0.9], &[0.0, 0.02, 0.3, 0.31, 1.0]] {
            let mut covered_runs = 0;
            for run in 0..RUNS {
                let mut rng = Seed::root(31).child("run", run).rng();
                let stop_result = play_until_end(new_rule(6.0, 0.9, rates.len()), |player, _| {
                    Some(u64::from(rng.unit() < rates[player]))
                });
                let intervals = (0..rates.len()).map(|player| stop_result.interval(player).expect("games"));
                let contains_rate = |(rate, interval): (&f64, Estimate)| {
                    assert!(half_width(interval) <= 0.06 + 1e-9, "{interval:?}");
                    interval.low <= *rate && *rate <= interval.high
                };
                covered_runs += u64::from(rates.iter().zip(intervals).all(contains_rate));
            }
            assert!(covered_runs as f64 >= 0.9 * RUNS as f64, "{rates:?}: {covered_runs} of {RUNS}");
        }
    }

    #[test]
    fn the_order_of_arrival_decides_nothing() {
        let result = |player: usize, block: u64| Some(u64::from((block * 7 + player as u64 * 3) % 10 < 4));
        let expected = play_until_end(new_rule(5.0, 0.95, 3), result);
        assert!((100..4000).contains(&expected.blocks), "{}", expected.blocks);
        let orders: [fn(u64) -> u64; 2] = [|i| 3999 - i, |i| i * 37 % 4000];
        for order in orders {
            let mut rule = new_rule(5.0, 0.95, 3);
            for i in 0..4000 {
                for player in [2, 0, 1] {
                    let block = order((i + 11 * player as u64) % 4000);
                    rule.add(player, block, result(player, block));
                }
                rule.judge();
            }
            assert_eq!(rule.stop_result, expected);
        }
    }

    #[test]
    fn a_broken_program_counts_for_no_player_and_holds_nothing_up() {
        let result =
            |player: usize, block: u64| (player == 0 || block.is_multiple_of(2)).then_some(block / 2 % 2);
        let stop_result = play_until_end(new_rule(10.0, 0.95, 2), result);
        let [one, other] = stop_result.counts[..] else { panic!("two players") };
        assert_eq!((one.games, other.games), (stop_result.blocks, stop_result.blocks.div_ceil(2)));
        // The player whose program breaks is known less well, and the run waits for it.
        assert_eq!(stop_result.widest(), 1);
        assert!(stop_result.interval(0).map(half_width) < stop_result.interval(1).map(half_width));
        // A player without games that count has no rate.
        let mut rule = new_rule(49.0, 0.51, 2);
        for block in 0..100 {
            rule.add(0, block, Some(1));
            rule.add(1, block, None);
            rule.judge();
        }
        assert_eq!(
            (rule.stop_result.blocks, rule.stop_result.is_over, rule.stop_result.widest()),
            (100, false, 1)
        );
    }

    #[test]
    fn it_says_how_it_stands() {
        let names = ["a", "b"];
        let describe = |rule: &PrecisionRule| rule.describe(&|player| names[player].to_owned());
        let mut rule = new_rule(1.0, 0.95, 2);
        assert_eq!(describe(&rule), "widest interval: a ± 100 of 1 points after 0 blocks");
        for block in 0..4000 {
            rule.add(0, block, Some(0));
            rule.add(1, block, Some(block % 2));
        }
        rule.judge();
        assert!(describe(&rule).starts_with("widest interval: b ± 2."), "{}", describe(&rule));
        assert!(describe(&rule).ends_with(" of 1 points after 4,000 blocks"), "{}", describe(&rule));
    }

    /// At the trial at which many runs stop, the interval misses the true rate no more often than
    /// its level allows.
    #[test]
    fn intervals_hold_where_runs_stop() {
        const RUNS: u64 = 400;
        for (rate, precision) in [(0.5, 0.05), (0.2, 0.05), (0.03, 0.02), (0.97, 0.02), (0.001, 0.02)] {
            let goal = PrecisionGoal::new(precision, 0.9);
            let mut covered_runs = 0;
            for run in 0..RUNS {
                let mut rng = Seed::root(23).child("run", run).rng();
                let (mut successes, mut trials) = (0, 0);
                while !goal.is_reached(successes, trials) {
                    trials += 1;
                    successes += u64::from(rng.unit() < rate);
                }
                let Estimate { low, value, high, .. } =
                    goal.interval(successes, trials).expect("there are trials");
                assert!(
                    high - value <= precision + 1e-9 && value - low <= precision + 1e-9,
                    "{low} {value} {high}"
                );
                covered_runs += u64::from(low <= rate && rate <= high);
            }
            assert!(covered_runs as f64 >= 0.9 * RUNS as f64, "{rate}: {covered_runs} of {RUNS}");
        }
    }
}
