//! Ends a run when a rate of every player is known to the required precision.

use gauntlet_core::text::{grouped, plain, round_up};
use gauntlet_stats::{Estimate, PrecisionGoal, bisect};

use super::between::BoundsPosition;
use super::prefix::Prefix;
use crate::early_stop::PrecisionStop;

/// State of a rule that ends a run when every rate is known.
#[derive(Clone, Debug, PartialEq)]
pub struct PrecisionRuling {
    /// Number of blocks judged. If the rates are known, the run ends after these.
    pub blocks: u64,
    /// Counts of each player in these blocks, in the order of the experiment.
    pub counts: Vec<SuccessCount>,
    pub is_over: bool,
    /// Precision required of each rate: all rates together have the level of the `[stop]`.
    precise: PrecisionGoal,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuccessCount {
    /// Blocks, except those in which its program broke.
    pub games: u64,
    /// Blocks that count as a success.
    pub successes: u64,
}

impl SuccessCount {
    /// Returns the variance of the rate, which orders players by the width of their intervals.
    /// Without games it is larger than any other.
    fn spread(self) -> f64 {
        let [games, successes] = [self.games, self.successes].map(|count| count as f64);
        // Among rates of 0 and 1 the one with fewer games is known less well.
        (successes + 0.5) * (games - successes + 0.5) / (games + 1e-9).powi(3)
    }
}

impl PrecisionRuling {
    /// Returns the rate of a player with bounds that hold at every look; `None` without games.
    pub fn interval(&self, player: usize) -> Option<Estimate> {
        let SuccessCount { games, successes } = self.counts[player];
        self.precise.interval(successes, games)
    }

    /// Returns true if the rate of a player is known to the required precision.
    pub fn is_known(&self, player: usize) -> bool {
        let SuccessCount { games, successes } = self.counts[player];
        self.precise.is_reached(successes, games)
    }

    /// Returns the player whose rate is known least.
    pub fn widest(&self) -> usize {
        let spreads = self.counts.iter().map(|count| count.spread()).enumerate();
        let widest = spreads.reduce(|widest, other| if other.1 > widest.1 { other } else { widest });
        widest.expect("an experiment has a player").0
    }
}

/// Returns the number of games of each player until its rate is known to `points`, if the rate
/// stays as in `seen`. The bounds of all players hold together at the confidence level `level`.
/// `None` if an experiment cannot have that many.
pub fn games_needed(points: f64, level: f64, players: usize, seen: SuccessCount) -> Option<u64> {
    let precise = precise(points, level, players);
    let rate = seen.successes as f64 / seen.games.max(1) as f64;
    let is_enough = |games: u64| precise.is_reached((rate * games as f64).round() as u64, games);
    let mut enough = seen.games.max(1);
    while !is_enough(enough) {
        enough = enough.checked_mul(2).filter(|&games| games <= MOST_GAMES)?;
    }
    Some(round_up(bisect(enough / 2, enough, is_enough).1))
}

/// Largest number of games of an experiment.
const MOST_GAMES: u64 = 1_000_000_000;

/// Divides the risk among players (Bonferroni).
fn precise(points: f64, level: f64, players: usize) -> PrecisionGoal {
    PrecisionGoal::new(points, 1.0 - (1.0 - level) / players as f64)
}

/// Returns the larger distance of a rate from its bounds.
pub fn half_width(rate: Estimate) -> f64 {
    (rate.high - rate.value).max(rate.value - rate.low)
}

/// Judges blocks in order until every rate is known.
#[derive(Debug)]
pub(super) struct PrecisionJudge {
    stop: PrecisionStop,
    /// Whether a block is a success of a player; `None` if its program broke.
    pub(super) prefix: Prefix<Option<bool>>,
    ruling: PrecisionRuling,
}

impl PrecisionJudge {
    pub(super) fn new(stop: PrecisionStop, players: usize) -> PrecisionJudge {
        let precise = precise(stop.points.share(), stop.level.get(), players);
        let counts = vec![SuccessCount::default(); players];
        let ruling = PrecisionRuling { blocks: 0, counts, is_over: false, precise };
        PrecisionJudge { stop, prefix: Prefix::of(players), ruling }
    }

    /// Describes the state in one line.
    pub(super) fn in_words(&self, name: impl Fn(usize) -> String) -> String {
        let ruling = &self.ruling;
        let player = ruling.widest();
        let width = plain(100.0 * ruling.interval(player).map_or(1.0, half_width));
        let (points, blocks) = (self.stop.points, grouped(ruling.blocks));
        format!("widest interval: {} ± {width} of {points} points after {blocks} blocks", name(player))
    }

    /// Returns the width of the widest interval in points, relative to the width that ends the run.
    pub(super) fn between(&self) -> BoundsPosition {
        let ruling = &self.ruling;
        let width = 100.0 * ruling.interval(ruling.widest()).map_or(1.0, half_width);
        // The width shrinks, so its bound is the lower one.
        BoundsPosition {
            value: width,
            lower: Some(100.0 * self.stop.points.share()),
            upper: 50.0,
            what: "± points",
        }
    }

    pub(super) fn end(&self) -> Option<u64> {
        self.ruling.is_over.then_some(self.ruling.blocks)
    }

    /// Judges all complete blocks.
    pub(super) fn look(&mut self) {
        while let Some(words) = self.prefix.take() {
            let ruling = &mut self.ruling;
            ruling.blocks += 1;
            for (count, is_success) in ruling.counts.iter_mut().zip(words) {
                count.games += u64::from(is_success.is_some());
                count.successes += u64::from(is_success == Some(true));
            }
            // For most blocks the widest interval shows that the run is not over.
            ruling.is_over = ruling.is_known(ruling.widest())
                && (0..ruling.counts.len()).all(|player| ruling.is_known(player));
            if ruling.is_over {
                self.prefix.close();
            }
        }
    }

    pub(super) fn close(self) -> PrecisionRuling {
        self.ruling
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::measure::Measure;
    use gauntlet_core::num::{Level, Points};
    use gauntlet_core::rng::Seed;

    use super::*;

    fn judge(points: f64, level: f64, players: usize) -> PrecisionJudge {
        let points = Points::try_from(points).expect("points");
        let level = Level::try_from(level).expect("a level");
        PrecisionJudge::new(PrecisionStop { by: Measure::Win, points, level }, players)
    }

    /// Plays until the rule ends the run; `word` returns the result of each player in each block.
    fn played(mut judge: PrecisionJudge, mut word: impl FnMut(usize, u64) -> Option<u64>) -> PrecisionRuling {
        for block in 0.. {
            for player in 0..judge.ruling.counts.len() {
                judge.prefix.note(player, block, word(player, block).map(|word| word > 0));
            }
            judge.look();
            if judge.ruling.is_over {
                return judge.close();
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
                let ruling = played(judge(6.0, 0.9, rates.len()), |player, _| {
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
        let whole = played(judge(5.0, 0.95, 3), word);
        assert!((100..4000).contains(&whole.blocks), "{}", whole.blocks);
        let orders: [fn(u64) -> u64; 2] = [|i| 3999 - i, |i| i * 37 % 4000];
        for order in orders {
            let mut judge = judge(5.0, 0.95, 3);
            for i in 0..4000 {
                for player in [2, 0, 1] {
                    let block = order((i + 11 * player as u64) % 4000);
                    judge.prefix.note(player, block, word(player, block).map(|word| word > 0));
                }
                judge.look();
            }
            assert_eq!(judge.close(), whole);
        }
    }

    #[test]
    fn a_broken_program_counts_for_no_player_and_holds_nothing_up() {
        let word =
            |player: usize, block: u64| (player == 0 || block.is_multiple_of(2)).then_some(block / 2 % 2);
        let ruling = played(judge(10.0, 0.95, 2), word);
        let [one, other] = ruling.counts[..] else { panic!("two players") };
        assert_eq!((one.games, other.games), (ruling.blocks, ruling.blocks.div_ceil(2)));
        // The player whose program breaks is known less well, and the run waits for it.
        assert_eq!(ruling.widest(), 1);
        assert!(ruling.interval(0).map(half_width) < ruling.interval(1).map(half_width));
        // A player without games that count has no rate.
        let mut judge = judge(49.0, 0.51, 2);
        for block in 0..100 {
            judge.prefix.note(0, block, Some(true));
            judge.prefix.note(1, block, None);
            judge.look();
        }
        assert_eq!((judge.ruling.blocks, judge.ruling.is_over, judge.ruling.widest()), (100, false, 1));
    }

    #[test]
    fn it_says_how_it_stands() {
        let names = ["a", "b"];
        let said = |judge: &PrecisionJudge| judge.in_words(|player| names[player].to_owned());
        let mut judge = judge(1.0, 0.95, 2);
        assert_eq!(said(&judge), "widest interval: a ± 100 of 1 points after 0 blocks");
        for block in 0..4000 {
            judge.prefix.note(0, block, Some(false));
            judge.prefix.note(1, block, Some(block % 2 > 0));
        }
        judge.look();
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
