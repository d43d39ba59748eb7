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
    ruling: PrecisionStopResult,
}

impl PrecisionRule {
    pub(super) fn new(stop: PrecisionStop, players: usize) -> PrecisionRule {
        let precise = player_goal(stop.points.share(), stop.level.get(), players);
        let counts = vec![SuccessCount::default(); players];
        let ruling = PrecisionStopResult { blocks: 0, counts, is_over: false, precise };
        PrecisionRule { stop, prefix: Prefix::new(players), ruling }
    }

    /// Returns the player whose rate is known least, and the half-width of its interval.
    fn widest(&self) -> (usize, f64) {
        let player = self.ruling.widest();
        (player, self.ruling.interval(player).map_or(1.0, half_width))
    }
}

impl StoppingRule for PrecisionRule {
    fn add(&mut self, side: usize, block: u64, result: Option<u64>) {
        self.prefix.note(side, block, result.map(|result| result > 0));
    }

    fn judge(&mut self) {
        while let Some((_, results)) = self.prefix.take() {
            let ruling = &mut self.ruling;
            ruling.blocks += 1;
            for (count, is_success) in ruling.counts.iter_mut().zip(results) {
                count.games += u64::from(is_success.is_some());
                count.successes += u64::from(is_success == Some(true));
            }
            // For most blocks the widest interval shows that the run is not over.
            ruling.is_over = ruling.is_known(ruling.widest())
                && (0..ruling.counts.len()).all(|player| ruling.is_known(player));
            self.prefix.close_if(ruling.is_over);
        }
    }

    fn blocks(&self) -> u64 {
        self.prefix.blocks_taken()
    }

    fn is_over(&self) -> bool {
        self.ruling.is_over
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
        let (points, blocks) = (self.stop.points, group_digits(self.ruling.blocks));
        format!(
            "widest interval: {} ± {} of {points} points after {blocks} blocks",
            name(player),
            format_plain(100.0 * width)
        )
    }

    fn ruling(&self) -> StopResult {
        StopResult::Precision(self.ruling.clone())
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::measure::Measure;
    use gauntlet_core::num::{Level, Points};
    use gauntlet_core::rng::Seed;
    use gauntlet_stats::{Estimate, PrecisionGoal};

    use super::*;

    fn judge(points: f64, level: f64, players: usize) -> PrecisionRule {
        let points = Points::try_from(points).expect("points");
        let level = Level::try_from(level).expect("a level");
        PrecisionRule::new(PrecisionStop { by: Measure::Win, points, level }, players)
    }

    /// Plays until the rule ends the run; `word` returns the result of each player in each block.
    fn play_until_end(
        mut judge: PrecisionRule,
        mut word: impl FnMut(usize, u64) -> Option<u64>,
    ) -> PrecisionStopResult {
        for block in 0.. {
            for player in 0..judge.ruling.counts.len() {
                judge.add(player, block, word(player, block));
            }
            judge.judge();
            if judge.ruling.is_over {
                return judge.ruling;
            }
        }
        unreachable!("it ends")
    }

    /// Where a run stops, all its intervals hold together at least as often as required.
    #[test]
    fn all_intervals_hold_where_runs_stop() {
        const RUNS: u64 = 300;
        for rates in [&[0.5][..], &[0.1, 0.5, 0.9], &[0.0, 0.02, 0.3, 0.31, 1.0]] {
            let mut held = 0;
            for run in 0..RUNS {
                let mut rng = Seed::root(31).child("run", run).rng();
                let ruling = play_until_end(judge(6.0, 0.9, rates.len()), |player, _| {
                    Some(u64::from(rng.unit() < rates[player]))
                });
                let intervals = (0..rates.len()).map(|player| ruling.interval(player).expect("games"));
                let holds = |(rate, interval): (&f64, Estimate)| {
                    assert!(half_width(interval) <= 0.06 + 1e-9, "{interval:?}");
                    interval.low <= *rate && *rate <= interval.high
                };
                held += u64::from(rates.iter().zip(intervals).all(holds));
            }
            assert!(held as f64 >= 0.9 * RUNS as f64, "{rates:?}: {held} of {RUNS}");
        }
    }

    #[test]
    fn the_order_of_arrival_decides_nothing() {
        let word = |player: usize, block: u64| Some(u64::from((block * 7 + player as u64 * 3) % 10 < 4));
        let whole = play_until_end(judge(5.0, 0.95, 3), word);
        assert!((100..4000).contains(&whole.blocks), "{}", whole.blocks);
        let orders: [fn(u64) -> u64; 2] = [|i| 3999 - i, |i| i * 37 % 4000];
        for order in orders {
            let mut judge = judge(5.0, 0.95, 3);
            for i in 0..4000 {
                for player in [2, 0, 1] {
                    let block = order((i + 11 * player as u64) % 4000);
                    judge.add(player, block, word(player, block));
                }
                judge.judge();
            }
            assert_eq!(judge.ruling, whole);
        }
    }

    #[test]
    fn a_broken_program_counts_for_no_player_and_holds_nothing_up() {
        let word =
            |player: usize, block: u64| (player == 0 || block.is_multiple_of(2)).then_some(block / 2 % 2);
        let ruling = play_until_end(judge(10.0, 0.95, 2), word);
        let [one, other] = ruling.counts[..] else { panic!("two players") };
        assert_eq!((one.games, other.games), (ruling.blocks, ruling.blocks.div_ceil(2)));
        // The player whose program breaks is known less well, and the run waits for it.
        assert_eq!(ruling.widest(), 1);
        assert!(ruling.interval(0).map(half_width) < ruling.interval(1).map(half_width));
        // A player without games that count has no rate.
        let mut judge = judge(49.0, 0.51, 2);
        for block in 0..100 {
            judge.add(0, block, Some(1));
            judge.add(1, block, None);
            judge.judge();
        }
        assert_eq!((judge.ruling.blocks, judge.ruling.is_over, judge.ruling.widest()), (100, false, 1));
    }

    #[test]
    fn it_says_how_it_stands() {
        let names = ["a", "b"];
        let said = |judge: &PrecisionRule| judge.describe(&|player| names[player].to_owned());
        let mut judge = judge(1.0, 0.95, 2);
        assert_eq!(said(&judge), "widest interval: a ± 100 of 1 points after 0 blocks");
        for block in 0..4000 {
            judge.add(0, block, Some(0));
            judge.add(1, block, Some(block % 2));
        }
        judge.judge();
        assert!(said(&judge).starts_with("widest interval: b ± 2."), "{}", said(&judge));
        assert!(said(&judge).ends_with(" of 1 points after 4,000 blocks"), "{}", said(&judge));
    }

    /// At the trial at which many runs stop, the interval misses the true rate no more often than
    /// its level allows.
    #[test]
    fn intervals_hold_where_runs_stop() {
        const RUNS: u64 = 400;
        for (rate, within) in [(0.5, 0.05), (0.2, 0.05), (0.03, 0.02), (0.97, 0.02), (0.001, 0.02)] {
            let precise = PrecisionGoal::new(within, 0.9);
            let mut covered = 0;
            for run in 0..RUNS {
                let mut rng = Seed::root(23).child("run", run).rng();
                let (mut successes, mut trials) = (0, 0);
                while !precise.is_reached(successes, trials) {
                    trials += 1;
                    successes += u64::from(rng.unit() < rate);
                }
                let Estimate { low, value, high, .. } =
                    precise.interval(successes, trials).expect("there are trials");
                assert!(
                    high - value <= within + 1e-9 && value - low <= within + 1e-9,
                    "{low} {value} {high}"
                );
                covered += u64::from(low <= rate && rate <= high);
            }
            assert!(covered as f64 >= 0.9 * RUNS as f64, "{rate}: {covered} of {RUNS}");
        }
    }
}
