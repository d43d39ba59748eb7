//! When a comparison may end before all games are played.
//!
//! Judged is the prefix of complete blocks, one block after the other in their order, and never the order in which
//! games finish. So a run stops after the same block on one thread and on many, and whether or not it was interrupted.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use anyhow::Context;

use super::coverage::{Coverage, by_line};
use super::journal::Journal;
use super::keyed::Keyed;
use crate::config::stop::{EarlyStop, Method};
use crate::game::Seat;
use crate::measure::Measure;
use crate::plan::Plan;
use crate::record::GameRecord;
use crate::stats::sequential::LEAST_DISCORDANT;
use crate::stats::{
    Bounds, Course, EVEN_PRIOR, Estimate, Hypothesis, difference_of_stopped, mixture_interval,
    mixture_log_evidence, score_ratio, share_of_stopped, wilson,
};
use crate::text::grouped;

/// How blocks came out, as far as all of them before are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// Blocks looked at; those in which a player's program broke are among them, and in none of the three counts.
    pub blocks: u64,
    /// Blocks in which the player said to be better did worse.
    pub behind: u64,
    /// Blocks in which both did the same.
    pub even: u64,
    /// Blocks in which it did better.
    pub ahead: u64,
}

/// What the blocks are worth as evidence, and where that ends the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// The logarithm of a ratio: how much better one assumption explains the blocks than another.
    pub ratio: f64,
    /// Where the run ends in favour of no difference, if it can.
    pub lower: Option<f64>,
    /// Where it ends in favour of one.
    pub upper: f64,
}

/// What the evidence says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The player is better.
    Better,
    /// It is not: the smaller of two differences explains the blocks.
    NotBetter,
    /// It is worse.
    Worse,
}

/// How a run stands, and whether that is its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ruling {
    /// How the blocks came out that it rests on. If something is decided, the run is over after these.
    pub balance: Balance,
    /// What they are worth as evidence.
    pub evidence: Evidence,
    /// What is decided; none while nothing is.
    pub decision: Option<Decision>,
    /// By how much the parts of the blocks won and lost differ, corrected for stopping. None while more blocks may come, and
    /// where none counts.
    pub effect: Option<Estimate>,
}

/// What the blocks are worth as evidence by the method of a `[stop]`.
pub fn evidence(method: &Method, balance: &Balance) -> Evidence {
    let Balance { behind, even, ahead, .. } = *balance;
    match method {
        Method::Sprt { from, to, alpha, beta } => {
            let bounds = Bounds::of(alpha.get(), beta.get());
            // A block counts 1, 1/2 or 0, so a difference of d between the parts won and lost is a mean of 1/2 + d/2.
            let mean = |difference: &f64| 0.5 + difference / 2.0;
            let ratio = score_ratio([behind, even, ahead], mean(from), mean(to));
            Evidence { ratio, lower: Some(bounds.lower), upper: bounds.upper }
        }
        Method::Confidence(sure) => {
            // Among equals every block that differs is a toss of a coin.
            let ratio = mixture_log_evidence(ahead, ahead + behind, 0.5, EVEN_PRIOR);
            Evidence { ratio, lower: None, upper: -(1.0 - sure.get()).ln() }
        }
    }
}

fn decide(method: &Method, evidence: &Evidence, balance: &Balance) -> Option<Decision> {
    let Balance { behind, ahead, .. } = *balance;
    match method {
        // Of the first few blocks that differ the ratio is no guide.
        Method::Sprt { .. } if behind + ahead < LEAST_DISCORDANT => None,
        Method::Sprt { alpha, beta, .. } => {
            let decided = Bounds::of(alpha.get(), beta.get()).decide(evidence.ratio)?;
            Some(match decided {
                Hypothesis::Alternative => Decision::Better,
                Hypothesis::Null => Decision::NotBetter,
            })
        }
        Method::Confidence(_) if evidence.ratio < evidence.upper => None,
        Method::Confidence(_) => Some(if ahead > behind { Decision::Better } else { Decision::Worse }),
    }
}

/// By how much the parts of the blocks won and lost differ, after a run that came to its end with these blocks.
///
/// The bounds of `sprt` have the risks of the test itself, so they agree with what it decided. Those of `confidence` are
/// of the sequence that ends the run, and hold at every look.
fn effect(method: &Method, balance: &Balance, course: &Course) -> Option<Estimate> {
    let Balance { behind, even, ahead, .. } = *balance;
    let (differing, blocks) = (behind + ahead, behind + even + ahead);
    let side = |[behind, even, ahead]: [u64; 3]| {
        let balance = Balance { blocks: behind + even + ahead, behind, even, ahead };
        Some(match decide(method, &evidence(method, &balance), &balance)? {
            Decision::Better => Ordering::Greater,
            Decision::NotBetter | Decision::Worse => Ordering::Less,
        })
    };
    Some(match method {
        Method::Sprt { alpha, beta, .. } => {
            let risks = [alpha.get(), beta.get()];
            let [low, high] = risks.map(|risk| wilson(differing, blocks, 1.0 - 2.0 * risk));
            difference_of_stopped(share_of_stopped(course, ahead, &side, risks), [low?, high?])
        }
        Method::Confidence(level) => {
            let of = |successes, trials| mixture_interval(successes, trials, level.get(), EVEN_PRIOR);
            let within = of(ahead, differing);
            let median =
                share_of_stopped(course, ahead, &side, [1.0 - level.get(); 2].map(|risk| risk / 2.0));
            let value = median.value.clamp(within.low, within.high);
            let part = (blocks > 0).then(|| of(differing, blocks))?;
            difference_of_stopped(Estimate { value, ..within }, [part; 2])
        }
    })
}

impl Ruling {
    /// After how many blocks the run is over, if it is.
    pub fn end(&self) -> Option<u64> {
        self.decision.map(|_| self.balance.blocks)
    }
}

/// Listens to games in whatever order, and rules on blocks in theirs.
#[derive(Debug)]
pub struct Judge {
    stop: EarlyStop,
    /// What was heard of both players in blocks behind one that is not complete.
    waiting: BTreeMap<u64, [Option<Word>; 2]>,
    /// Which of the blocks differed.
    course: Course,
    ruling: Ruling,
}

/// What one player reached in one block, more being better; none if its program broke.
type Word = Option<u64>;

impl Judge {
    /// A judge that has heard nothing yet; none if the plan is to be played to its end. A run that may stop is of one player
    /// a line-up, so players and line-ups have the same numbers.
    pub fn of(plan: &Plan) -> Option<Judge> {
        plan.stop.copied().map(Judge::new)
    }

    fn new(stop: EarlyStop) -> Judge {
        let balance = Balance::default();
        let evidence = evidence(&stop.method, &balance);
        let ruling = Ruling { balance, evidence, decision: None, effect: None };
        Judge { stop, waiting: BTreeMap::new(), course: Course::default(), ruling }
    }

    /// How it stands.
    pub fn ruling(&self) -> &Ruling {
        &self.ruling
    }

    /// After how many blocks the run is over, if it is.
    pub fn end(&self) -> Option<u64> {
        self.ruling.end()
    }

    /// How it stands when no more blocks come.
    pub fn close(self) -> Ruling {
        let effect = effect(&self.stop.method, &self.ruling.balance, &self.course);
        Ruling { effect, ..self.ruling }
    }

    /// Hears of a game. Players with the same settings share their games, and `of` asks whether a player's are these.
    pub fn hear(&mut self, of: impl Fn(usize) -> bool, block: u64, record: &GameRecord) {
        let word = (!record.ending.is_panic()).then(|| self.word(record));
        for (side, player) in [self.stop.better, self.stop.than].into_iter().enumerate() {
            if of(player) {
                self.note(side, block, word);
            }
        }
        self.rule();
    }

    /// Hears how both players did in a block, the one said to be better first; more is better. None of one whose program
    /// broke.
    pub fn hear_block(&mut self, block: u64, words: [Option<u64>; 2]) {
        for (side, word) in words.into_iter().enumerate() {
            self.note(side, block, word);
        }
        self.rule();
    }

    fn word(&self, record: &GameRecord) -> u64 {
        match self.stop.by {
            Measure::Reach(reach) => reach.is_in(&record.facts).into(),
            Measure::Score => record.score(),
            _ => record.is_won_by(Seat::First).into(),
        }
    }

    fn note(&mut self, side: usize, block: u64, word: Word) {
        if block >= self.ruling.balance.blocks && self.ruling.decision.is_none() {
            self.waiting.entry(block).or_default()[side] = Some(word);
        }
    }

    /// Looks at one block after the other, as far as both players are known.
    fn rule(&mut self) {
        while self.ruling.decision.is_none()
            && let Some(entry) = self.waiting.first_entry()
            && *entry.key() == self.ruling.balance.blocks
            && let [Some(one), Some(other)] = *entry.get()
        {
            entry.remove();
            let balance = &mut self.ruling.balance;
            balance.blocks += 1;
            if let Some((one, other)) = one.zip(other) {
                match one.cmp(&other) {
                    Ordering::Less => balance.behind += 1,
                    Ordering::Equal => balance.even += 1,
                    Ordering::Greater => balance.ahead += 1,
                }
                self.course.add(one != other);
            }
            self.ruling.evidence = evidence(&self.stop.method, &self.ruling.balance);
            self.ruling.decision = decide(&self.stop.method, &self.ruling.evidence, &self.ruling.balance);
        }
        if self.ruling.decision.is_some() {
            self.waiting.clear();
        }
    }

    /// Hears of all games that a journal holds.
    pub(super) fn hear_all(&mut self, journal: &Journal, coverage: &Coverage) -> anyhow::Result<()> {
        let players = [self.stop.better, self.stop.than];
        let mut windows = players.map(|player| coverage.windows(player));
        // In turn, so that not all games of one player wait for those of the other.
        let mut is_over = false;
        while !is_over && self.ruling.decision.is_none() {
            is_over = true;
            for (side, windows) in windows.iter_mut().enumerate() {
                let Some(window) = windows.next() else { continue };
                is_over = false;
                for (line, stretches) in by_line(window) {
                    let records = journal.read(line)?.records();
                    let records = records.context("a line of the journal contradicts itself")?;
                    for stretch in stretches {
                        let records = stretch.of(&records, 1)?;
                        for (block, record) in stretch.range().zip(records) {
                            self.note(side, block, Some(self.word(record)));
                        }
                    }
                }
                self.rule();
            }
        }
        Ok(())
    }

    /// Hears of the games that broke their player's program. Only tables need this: a run that goes on tries these games
    /// again.
    fn hear_broken(&mut self, plan: &Keyed, journal: &Journal, coverage: &Coverage) {
        for (side, player) in [self.stop.better, self.stop.than].into_iter().enumerate() {
            let key = plan.key(player);
            if journal.panics_of(key) == 0 {
                continue;
            }
            for block in coverage.missing(player, &(0..plan.blocks.len())).into_iter().flatten() {
                if journal.panic(key, plan.blocks.seed(block)).is_some() {
                    self.note(side, block, None);
                }
            }
        }
    }
}

/// A judge that has heard all of a journal; none if the plan is to be played to its end.
pub fn heard(plan: &Keyed, journal: &Journal, coverage: &Coverage) -> anyhow::Result<Option<Judge>> {
    let Some(mut judge) = Judge::of(plan) else { return Ok(None) };
    judge.hear_broken(plan, journal, coverage);
    judge.hear_all(journal, coverage)?;
    Ok(Some(judge))
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Evidence { ratio, lower, upper } = self.evidence;
        let ends = lower.map_or_else(String::new, |lower| format!("{lower:.2} or "));
        let blocks = grouped(self.balance.blocks);
        // A little below 0 is written as 0, not as -0.
        let ratio = if ratio.abs() < 0.005 { 0.0 } else { ratio };
        write!(f, "log ratio {ratio:.2} after {blocks} blocks, ends at {ends}{upper:.2}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Outcome;
    use crate::num::Risk;
    use crate::record::Ending;

    const SPRT: fn() -> Method =
        || Method::Sprt { from: 0.0, to: 0.5, alpha: Risk::default(), beta: Risk::default() };

    /// A judge of players 0 and 1 by score, and records that only have one.
    fn judge(method: Method) -> Judge {
        Judge::new(EarlyStop { better: 0, than: 1, by: Measure::Score, method })
    }

    fn record(score: u64, ending: Ending) -> GameRecord {
        GameRecord {
            outcome: Outcome::Points { score, won: false },
            facts: Default::default(),
            moves: 1,
            ending,
        }
    }

    /// Scores of both players in a block: the first wins two blocks of three.
    fn scores(block: u64) -> [u64; 2] {
        if block % 3 == 1 { [1, 2] } else { [2, 1] }
    }

    #[test]
    fn the_order_of_arrival_decides_nothing() {
        let orders: [fn(u64) -> u64; 3] = [|i| i, |i| 399 - i, |i| i * 37 % 400];
        let rulings = orders.map(|order| {
            let mut judge = judge(SPRT());
            for (i, player) in (0..400).flat_map(|i| [(i, 0), ((i + 7) % 400, 1)]) {
                let block = order(i);
                judge.hear(|of| of == player, block, &record(scores(block)[player], Ending::GameOver));
            }
            *judge.ruling()
        });
        assert_eq!(rulings[0].decision, Some(Decision::Better));
        assert_eq!(rulings[0], rulings[1]);
        assert_eq!(rulings[0], rulings[2]);
        assert!(rulings[0].balance.blocks < 400);
    }

    #[test]
    fn a_block_that_is_not_complete_holds_up_all_that_follow() {
        let mut judge = judge(SPRT());
        for block in 0..400 {
            for player in (0..2).filter(|&player| (block, player) != (5, 1)) {
                judge.hear(|of| of == player, block, &record(scores(block)[player], Ending::GameOver));
            }
        }
        assert_eq!((judge.ruling().balance.blocks, judge.end()), (5, None));
        // A game that broke its program completes the block, and counts for neither player.
        judge.hear(|of| of == 1, 5, &GameRecord::broken(Seat::First));
        let balance = judge.ruling().balance;
        assert_eq!(judge.end(), Some(balance.blocks));
        assert_eq!(balance.blocks, balance.behind + balance.even + balance.ahead + 1);
    }

    #[test]
    fn players_with_the_same_settings_share_their_games() {
        let mut judge = judge(SPRT());
        for block in 0..400 {
            judge.hear(|_| true, block, &record(block, Ending::GameOver));
        }
        // They never differ: that ends with the last block only.
        let balance = judge.ruling().balance;
        assert_eq!((judge.ruling().decision, balance.blocks, balance.even), (None, 400, 400));
    }

    /// Between equal players a run rarely ends with a difference: no more often than was asked for, as far as 2,000 runs
    /// can tell. `benches/sequential.rs` plays more.
    #[test]
    fn equals_are_rarely_told_apart() {
        let sprt = Method::Sprt { from: 0.0, to: 0.1, alpha: Risk::default(), beta: Risk::default() };
        for (method, most) in [(sprt, 1_000), (Method::Confidence(crate::num::Level::default()), 500)] {
            let mut rng = crate::rng::Seed::root(5).rng();
            let mut wrong = 0;
            for _ in 0..2_000 {
                let mut judge = judge(method);
                for block in 0..most {
                    for player in 0..2 {
                        let score = u64::from(rng.below(10) < 3);
                        judge.hear(|of| of == player, block, &record(score, Ending::GameOver));
                    }
                    if judge.end().is_some() {
                        break;
                    }
                }
                wrong +=
                    u64::from(matches!(judge.ruling().decision, Some(Decision::Better | Decision::Worse)));
            }
            let rate = crate::stats::wilson(wrong, 2_000, 0.99).expect("there were runs");
            assert!(rate.low <= 0.05, "{method:?}: {wrong} of 2,000");
            assert!(wrong > 0, "{method:?} never errs, so nothing was tested");
        }
    }

    /// What became of the difference that many runs of a test found, each played to its end, as parts of the runs.
    struct Corrected {
        /// The corrected difference was above the true one.
        above: f64,
        /// The plain one was.
        plain_above: f64,
        /// The true one was within the bounds.
        covered: f64,
        /// The bounds held none, although a difference was decided.
        disagreed: f64,
    }

    /// `truth` is the part of the blocks that differ, and the first's share of these.
    fn corrected(method: Method, (part, share): (f64, f64), runs: u64) -> Corrected {
        let [mut above, mut plain_above, mut covered, mut disagreed] = [0; 4];
        for run in 0..runs {
            let mut rng = crate::rng::Seed::root(17).child("run", run).rng();
            let mut judge = judge(method);
            for block in 0..400 {
                let luck = (rng.bits() >> 11) as f64 / (1_u64 << 53) as f64;
                let scores = [luck < part * share, (part * share..part).contains(&luck)].map(u64::from);
                for (player, score) in scores.into_iter().enumerate() {
                    judge.hear(|of| of == player, block, &record(score, Ending::GameOver));
                }
                if judge.end().is_some() {
                    break;
                }
            }
            let truth = part * (2.0 * share - 1.0);
            let Ruling { balance, effect, decision, .. } = judge.close();
            let effect = effect.expect("there are blocks");
            let plain = (balance.ahead as f64 - balance.behind as f64) / balance.blocks as f64;
            above += u64::from(effect.value > truth);
            plain_above += u64::from(plain > truth);
            covered += u64::from(effect.low <= truth && truth <= effect.high);
            disagreed += u64::from(match decision {
                Some(Decision::Better) => effect.low <= 0.0,
                Some(Decision::Worse) => effect.high >= 0.0,
                Some(Decision::NotBetter) | None => false,
            });
        }
        let [above, plain_above, covered, disagreed] =
            [above, plain_above, covered, disagreed].map(|count: u64| count as f64 / runs as f64);
        Corrected { above, plain_above, covered, disagreed }
    }

    fn sprt(risk: f64, to: f64) -> Method {
        let risk = Risk::try_from(risk).expect("a risk");
        Method::Sprt { from: 0.0, to, alpha: risk, beta: risk }
    }

    /// A test that stopped where the difference looked large still says how large it is: too much as often as too little, and
    /// with bounds that miss it no more often than they say.
    #[test]
    fn what_stopped_a_run_is_corrected() {
        let method = sprt(0.025, 0.3);
        for truth in [(0.5, 0.5), (0.5, 0.65), (0.5, 0.8), (0.3, 0.9)] {
            let Corrected { above, covered, disagreed, .. } = corrected(method, truth, 600);
            assert!((0.46..0.54).contains(&above), "{method} at {truth:?}: {above} too high");
            assert!(covered >= 0.94, "{method} at {truth:?}: {covered} covered");
            assert!(disagreed <= 0.01, "{method} at {truth:?}: {disagreed} disagreed");
        }
        let method = Method::Confidence(crate::num::Level::default());
        let Corrected { above, plain_above, covered, disagreed } = corrected(method, (0.5, 0.8), 600);
        assert!((0.46..0.54).contains(&above), "{method}: {above} too high");
        assert!(plain_above > 0.6, "{method}: only {plain_above} too high without a correction");
        assert!(covered >= 0.95 && disagreed == 0.0, "{method}: {covered} covered, {disagreed} disagreed");
    }

    /// The same with more runs, and with tests and truths that take longer.
    #[test]
    #[ignore = "takes minutes; cargo test --release --lib -- --ignored --nocapture corrected"]
    fn what_stopped_many_runs_is_corrected() {
        let methods =
            [sprt(0.025, 0.3), sprt(0.05, 0.3), sprt(0.05, 0.15), Method::Confidence(Default::default())];
        for method in methods {
            for truth in [(0.5, 0.5), (0.5, 0.65), (0.5, 0.8), (0.8, 0.6), (0.3, 0.7), (0.3, 0.9)] {
                let Corrected { above, plain_above, covered, disagreed } = corrected(method, truth, 4_000);
                println!(
                    "{method} at {truth:?}: {above:.3} too high ({plain_above:.3} uncorrected), {covered:.3} covered, \
                     {disagreed:.4} disagreed"
                );
                assert!((0.45..0.55).contains(&above));
                let level = match method {
                    Method::Sprt { alpha, beta, .. } => 1.0 - alpha.get() - beta.get(),
                    Method::Confidence(level) => level.get(),
                };
                assert!(covered >= level - 0.015 && disagreed <= 0.01);
            }
        }
    }

    #[test]
    fn confidence_sees_either_side() {
        for (turned, expected) in [(false, Decision::Better), (true, Decision::Worse)] {
            let mut judge = judge(Method::Confidence(crate::num::Level::default()));
            for block in 0..400 {
                for player in 0..2 {
                    let score = scores(block)[if turned { 1 - player } else { player }];
                    judge.hear(|of| of == player, block, &record(score, Ending::GameOver));
                }
            }
            assert_eq!(judge.ruling().decision, Some(expected));
        }
    }

    #[test]
    fn it_says_how_it_stands() {
        let ruling = *judge(SPRT()).ruling();
        assert_eq!(ruling.to_string(), "log ratio 0.00 after 0 blocks, ends at -2.94 or 2.94");
    }
}
