//! The comparison that could end a run: its answer, which every command gives alike, and the table `stop`.

use super::comparison::{Comparison, Decided};
use super::finding::{Detail, Effect};
use super::question::{Question, Shown};
use super::rate;
use super::sample::Pairing;
use super::verdict::Verdict;
use crate::config::Experiment;
use crate::config::stop::{EarlyStop, PairStop, Sprt, StopRule};
use crate::measure::Measure;
use crate::plan::Plan;
use crate::run::judge::pair::{Decision, Evidence, PairRuling};
use crate::stats::Estimate;
use crate::table::layout::Layout;
use crate::table::{Cell, Column, Kind, Schema, Table};
use crate::text::{self, grouped, percent, rounded};

/// The table of the comparison that may end a run.
pub const STOP: &str = "stop";

/// How a comparison stands that could end a run.
pub(super) struct Ended<'a> {
    pub(super) players: [&'a str; 2],
    pub(super) by: Measure,
    pub(super) method: &'static str,
    pub(super) blocks: u64,
    pub(super) at_most: u64,
    /// Blocks that the first player lost, shared and won.
    pub(super) balance: [u64; 3],
    pub(super) evidence: Evidence,
    pub(super) verdict: Verdict,
    pub(super) answer: String,
    pub(super) estimate: Option<Estimate>,
}

/// The table, with so many decimals of the estimate.
pub(super) fn layout<'a>(decimals: usize) -> Layout<'a, Ended<'a>> {
    Layout::new(STOP, None)
        .words("player", |it: &Ended| it.players[0])
        .words("than", |it| it.players[1])
        .words("by", |it| it.by.to_string())
        .words("method", |it| it.method)
        .count("blocks", |it| it.blocks)
        .count("at_most", |it| it.at_most)
        .count("behind", |it| it.balance[0])
        .count("even", |it| it.balance[1])
        .count("ahead", |it| it.balance[2])
        .real(Column::number("ratio"), 4, |it| Some(it.evidence.ratio))
        .real(Column::number("lower"), 4, |it| it.evidence.lower)
        .real(Column::number("upper"), 4, |it| Some(it.evidence.upper))
        .column(Verdict::column(), |it| it.verdict.word())
        .column(Column::new("answer", Kind::Answer), |it| it.answer.clone())
        .estimate(Column::number("estimate"), ["estimate_low", "estimate_high"], decimals, |it| it.estimate)
        .column(Column::number("level"), |it| it.estimate.map(|it| Cell::as_printed(rounded(it.level, 9))))
}

/// What the table is read by.
pub fn schema() -> Schema {
    layout(DECIMALS).schema().clone()
}

/// The comparison that could end the run, as it stands: a table of one row.
pub fn table(plan: &Plan, stop: &PairStop, ruling: &PairRuling, at_most: u64) -> Table {
    let balance = ruling.balance;
    let settled = Settled::of(stop, ruling, |player| plan.players[player].name);
    let row = Ended {
        players: [&settled.better, &settled.than],
        by: stop.by,
        method: method(&stop.rule),
        blocks: balance.blocks,
        at_most,
        balance: [balance.behind, balance.even, balance.ahead],
        evidence: ruling.evidence,
        verdict: verdict(
            ruling.decision,
            matches!(stop.rule, StopRule::Sprt(Sprt { from, .. }) if from < 0.0),
        ),
        answer: ended(&settled, ruling, at_most),
        estimate: settled.end.and_then(|end| end.effect),
    };
    layout(DECIMALS).table([row])
}

/// The decimals of a difference in the table.
const DECIMALS: usize = 6;

fn method(rule: &StopRule) -> &'static str {
    match rule {
        StopRule::Sprt(_) => "sprt",
        StopRule::Confidence(_) => "confidence",
    }
}

/// The verdict on a decision, of a test that may decide that a player is not worse by much, or of another.
pub(super) fn verdict(decision: Option<Decision>, is_of_not_worse: bool) -> Verdict {
    match decision {
        Some(Decision::Better) if is_of_not_worse => Verdict::NotWorse,
        Some(Decision::Better) => Verdict::Better,
        Some(Decision::NotBetter) => Verdict::NotBetter,
        Some(Decision::Worse) => Verdict::Worse,
        None => Verdict::Undecided,
    }
}

/// The decision that a verdict of the table tells; none if it is not one of these.
fn decision(verdict: Verdict) -> Option<Option<Decision>> {
    Some(match verdict {
        Verdict::Better | Verdict::NotWorse => Some(Decision::Better),
        Verdict::NotBetter => Some(Decision::NotBetter),
        Verdict::Worse => Some(Decision::Worse),
        Verdict::Undecided => None,
        _ => return None,
    })
}

/// The end of the run in words.
fn ended(settled: &Settled, ruling: &PairRuling, at_most: u64) -> String {
    let said = settled.said([&settled.better, &settled.than]);
    let (after, at_most) = (grouped(ruling.balance.blocks), grouped(at_most));
    match ruling.decision {
        Some(_) => format!("the run was stopped after {after} of at most {at_most} blocks: {said}"),
        None => format!("the run went through all of its {at_most} blocks: {said}"),
    }
}

/// The question of a `[stop]`, and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    better: String,
    than: String,
    by: Measure,
    rule: StopRule,
    end: Option<End>,
}

/// The answer of the blocks that the run ended with.
#[derive(Clone, Copy, Debug, PartialEq)]
struct End {
    /// Blocks of which it is known how both players did.
    blocks: u64,
    decision: Option<Decision>,
    /// By how much the parts of the blocks won and lost differ, corrected for stopping.
    effect: Option<Estimate>,
}

impl Settled {
    /// As a run left it.
    pub fn of<'a>(stop: &PairStop, ruling: &PairRuling, name: impl Fn(usize) -> &'a str) -> Settled {
        let balance = ruling.balance;
        // With the decimals of the table, so that what is read back from there says the same.
        let effect = ruling.effect.map(|effect| Estimate {
            level: rounded(effect.level, 9),
            ..effect.map(|bound| rounded(bound, DECIMALS))
        });
        let blocks = balance.behind + balance.even + balance.ahead;
        let end = Some(End { blocks, decision: ruling.decision, effect });
        let PairStop { better, than, by, rule } = *stop;
        Settled { better: name(better).to_owned(), than: name(than).to_owned(), by, rule, end }
    }

    /// As the table of an experiment tells it; without an answer if that is not there, or of another question. None if the
    /// experiment has no `[stop]`, or one that compares no two players.
    pub fn read(experiment: &Experiment, table: Option<&Table>) -> Option<Settled> {
        let Some(EarlyStop::Pair(PairStop { better, than, by, rule })) = experiment.stop().copied() else {
            return None;
        };
        let [better, than] = [better, than].map(|player| experiment.entries()[player].name.clone());
        let row = table.and_then(|table| table.rows().next()).filter(|row| {
            let asked = [&better, &than, &by.to_string(), method(&rule)];
            ["player", "than", "by", "method"].map(|column| row.words(column)) == asked
        });
        let end = row.and_then(|row| {
            let counts = ["behind", "even", "ahead"].map(|column| row.count(column));
            let blocks = counts.into_iter().try_fold(0, |sum: u64, count| sum.checked_add(count?))?;
            Some(End { blocks, decision: decision(Verdict::in_row(row)?)?, effect: row.estimate("estimate") })
        });
        Some(Settled { better, than, by, rule, end })
    }

    /// Gives its answer to a comparison of two players, by their names in the experiment, if that asks the same of them. If it
    /// asks something else of the same two, it is told what was decided.
    pub fn answer(&self, comparison: &mut Comparison, players: [&str; 2]) {
        let (Some(end), Some(is_turned)) = (self.end, self.is_turned(players)) else { return };
        let is_of_all = !matches!(comparison.pairing, Pairing::Paired(games) if games != end.blocks);
        let shown = if is_of_all { self.shown(players, &comparison.question) } else { None };
        let Comparison { player, than, question, finding, .. } = comparison;
        let names = if is_turned { [&**than, &**player] } else { [&**player, &**than] };
        let Some(shown) = shown else {
            if end.decision.is_some() {
                let decided = self.decided(end.decision, names);
                let by = match self.sureness(question).filter(|_| is_of_all) {
                    Some(level) => format!("this question at {}", text::level(level)),
                    None => "another question".to_owned(),
                };
                comparison.note = Some(format!("the run was stopped by {by}: {decided}"));
            }
            return;
        };
        let how = if end.decision.is_some() { "as the run was stopped by it" } else { "as the run left it" };
        let asked = self.besides().filter(|_| shown == Shown::Nothing).map_or_else(String::new, |_| {
            format!(", which is less than the {} asked for", text::level(question.level))
        });
        let words = format!("{how}: {}{asked}", self.said(names));
        match (&mut finding.detail, end.effect) {
            (Detail::Rate { .. }, Some(effect)) => {
                question.level = effect.level;
                let effect = Effect::Difference(effect);
                finding.effect = Some(if is_turned { effect.turned() } else { effect });
            }
            // These hold for a number of games that was fixed beforehand.
            (Detail::Score { ranks, .. }, _) => (finding.effect, *ranks) = (None, None),
            _ => {}
        }
        let besides = self.besides().map_or(Shown::Nothing, |(besides, _)| besides.turned(is_turned));
        comparison.decided = Some(Decided { shown, besides, words });
        (comparison.p, comparison.opposite) = (None, None);
    }

    /// True if two players are those of the question, turned; none if they are others.
    fn is_turned(&self, players: [&str; 2]) -> Option<bool> {
        let asked = [&*self.better, &*self.than];
        (players == asked || players == [asked[1], asked[0]]).then(|| players != asked)
    }

    /// The result for two players, by their names in the experiment; none if not just this was asked of them, as surely.
    pub fn shown(&self, players: [&str; 2], question: &Question) -> Option<Shown> {
        let (end, is_turned) = (self.end?, self.is_turned(players)?);
        let is_as_sure = |level: f64| question.level <= level + 1e-12;
        self.sureness(question).filter(|&level| is_as_sure(level))?;
        let shown = match (end.decision, self.besides()) {
            (Some(Decision::Better), _) if self.decides_better() => Shown::Yes,
            (Some(Decision::Worse), _) => Shown::Opposite,
            (Some(Decision::NotBetter), _) if !self.decides_better() => Shown::Opposite,
            // The risk of the decision and that of the bounds add up.
            (_, Some((besides, level))) if is_as_sure(level) => besides,
            _ => Shown::Nothing,
        };
        Some(shown.turned(is_turned))
    }

    /// The answer of the bounds where the test decides nothing but that a player is not better, or not worse: it may be far from
    /// it. With the level of that, which is the bounds'. None where they hold 0.
    fn besides(&self) -> Option<(Shown, f64)> {
        let End { decision, effect, .. } = self.end?;
        let effect = effect?;
        match decision? {
            Decision::NotBetter if self.decides_better() && effect.high < 0.0 => {
                Some((Shown::Opposite, effect.level))
            }
            Decision::Better if !self.decides_better() && effect.low > 0.0 => {
                Some((Shown::Yes, effect.level))
            }
            _ => None,
        }
    }

    /// True if it decides that a player is better, rather than that it is worse.
    fn decides_better(&self) -> bool {
        !matches!(self.rule, StopRule::Sprt(Sprt { from, .. }) if from < 0.0)
    }

    /// Its level for a question, if that asks the same.
    fn sureness(&self, question: &Question) -> Option<f64> {
        let level = match self.rule {
            StopRule::Sprt(Sprt { from: 0.0, alpha, .. }) => 1.0 - alpha.get(),
            StopRule::Sprt(Sprt { to: 0.0, beta, .. }) => 1.0 - beta.get(),
            StopRule::Sprt(_) => return None,
            StopRule::Confidence(level) => level.get(),
        };
        (question.by == self.by && question.margin.is_none()).then_some(level)
    }

    /// The decision in words, and by how much the two differ.
    fn said(&self, names: [&str; 2]) -> String {
        let Some(End { decision, effect, .. }) = self.end else { return String::new() };
        let decided = self.decided(decision, names);
        let Some(effect) = effect else { return decided };
        let subject = if decision.is_some() { "it" } else { names[0] };
        let (does, of) = match self.by {
            Measure::Reach(reach) => (format!("reaches {} in", reach.value()), "games"),
            Measure::Score => ("scores higher in".to_owned(), "blocks"),
            _ => ("wins".to_owned(), "games"),
        };
        let (amount, within) = rate::more_or_fewer(&does, of, effect);
        let level = text::level(effect.level);
        let besides = self.besides().map_or_else(String::new, |(shown, _)| {
            let is = if shown == Shown::Yes { "better" } else { "worse" };
            format!(", so it is {is} at {level}")
        });
        format!("{decided}; corrected for stopping, {subject} {amount} ({level} interval {within}){besides}")
    }

    /// The decision in words, and its risk of error.
    fn decided(&self, decision: Option<Decision>, [better, than]: [&str; 2]) -> String {
        let by = self.by;
        let of = if by.is_rate() { "" } else { " of the blocks, won less lost" };
        let points = |difference: f64| text::points(difference.abs()) + of;
        match (decision, self.rule) {
            (Some(Decision::Better), StopRule::Sprt(Sprt { from, alpha, .. })) => {
                let said = match from {
                    0.0 => format!("{better} is better than {than}"),
                    less if less < 0.0 => format!("{better} is not worse than {than} by {}", points(from)),
                    _ => format!("{better} is better than {than} by more than {}", points(from)),
                };
                format!("by {by}, {said} (risk of error about {})", percent(alpha.get()))
            }
            (Some(_), StopRule::Sprt(Sprt { to, beta, .. })) => {
                let said = match to {
                    0.0 => format!("{better} is worse than {than}"),
                    less if less < 0.0 => {
                        format!("{better} is worse than {than} by more than {}", points(to))
                    }
                    _ => format!("{better} is not better than {than} by {}", points(to)),
                };
                format!("by {by}, {said} (risk of error about {})", percent(beta.get()))
            }
            (Some(decision), StopRule::Confidence(level)) => {
                let word = if decision == Decision::Worse { "worse" } else { "better" };
                format!(
                    "by {by}, {better} is {word} than {than} ({} sure at every look)",
                    percent(level.get())
                )
            }
            (None, _) => format!("by {by}, nothing is decided between {better} and {than}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::finding::{Finding, Ranks};
    use crate::config::parse;
    use crate::num::{Level, Risk};
    use crate::plan::plan;
    use crate::rng::Seed;
    use crate::run::judge::{Judge, Ruling};
    use gauntlet_games::GAMES;

    fn settled(rule: StopRule, decision: Option<Decision>, [low, value, high]: [f64; 3]) -> Settled {
        let effect = Some(Estimate { low, value, high, level: 0.9 });
        let end = Some(End { blocks: 40, decision, effect });
        Settled { better: "A".to_owned(), than: "B".to_owned(), by: Measure::Win, rule, end }
    }

    fn sprt(from: f64, to: f64) -> StopRule {
        StopRule::Sprt(Sprt { from, to, alpha: Risk::default(), beta: Risk::try_from(0.01).expect("a risk") })
    }

    const QUESTION: Question = Question { by: Measure::Win, level: 0.95, margin: None, sequential: true };

    #[test]
    fn a_decision_shows_who_is_better() {
        let (ahead, behind, open) = ([0.1, 0.2, 0.3], [-0.3, -0.2, -0.1], [-0.1, 0.1, 0.2]);
        let confidence = StopRule::Confidence(Level::default());
        for (rule, decision, effect, expected) in [
            (sprt(0.0, 0.2), Some(Decision::Better), ahead, Shown::Yes),
            (sprt(0.0, 0.2), Some(Decision::NotBetter), open, Shown::Nothing),
            (sprt(0.0, 0.2), Some(Decision::NotBetter), ahead, Shown::Nothing),
            (sprt(0.0, 0.2), Some(Decision::NotBetter), behind, Shown::Nothing),
            (sprt(0.0, 0.2), None, open, Shown::Nothing),
            (sprt(-0.2, 0.0), Some(Decision::NotBetter), behind, Shown::Opposite),
            (sprt(-0.2, 0.0), Some(Decision::Better), open, Shown::Nothing),
            (sprt(-0.2, 0.0), Some(Decision::Better), ahead, Shown::Nothing),
            (confidence, Some(Decision::Better), ahead, Shown::Yes),
            (confidence, Some(Decision::Worse), behind, Shown::Opposite),
            (confidence, None, open, Shown::Nothing),
        ] {
            let settled = settled(rule, decision, effect);
            let turned = match expected {
                Shown::Yes => Shown::Opposite,
                Shown::Opposite => Shown::Yes,
                Shown::Nothing => Shown::Nothing,
            };
            let question = Question { level: if decision.is_some() { 0.95 } else { 0.6 }, ..QUESTION };
            assert_eq!(settled.shown(["A", "B"], &question), Some(expected), "{settled:?}");
            assert_eq!(settled.shown(["B", "A"], &question), Some(turned), "{settled:?}");
        }
        // Besides what is decided there is the answer of the bounds, which are at 90 %.
        let question = Question { level: 0.9, ..QUESTION };
        for (rule, decision, effect, expected) in [
            (sprt(0.0, 0.2), Decision::NotBetter, behind, Shown::Opposite),
            (sprt(-0.2, 0.0), Decision::Better, ahead, Shown::Yes),
        ] {
            let settled = settled(rule, Some(decision), effect);
            assert_eq!(settled.shown(["A", "B"], &question), Some(expected), "{settled:?}");
        }
    }

    /// The errors of claims among equals, as a part of the runs: that one is shown, and that its opposite is.
    fn errors(stop: &str, level: f64, runs: u64) -> [f64; 2] {
        let text = format!(
            "name = 'x'\ngame = '2048'\nseed = 1\ngames = 3000\n[[player]]\nname = 'A'\nalgorithm = 'random'\n[[player]]\n\
             name = 'B'\nalgorithm = 'greedy'\n[stop]\nbetter = 'A'\nthan = 'B'\n{stop}\n"
        );
        let experiment = parse(&GAMES, "x.toml", &text).expect("an experiment");
        let plan = plan(&experiment);
        let Some(EarlyStop::Pair(stop)) = experiment.stop() else { panic!("must stop by a pair") };
        let shown = |run: u64| {
            let mut rng = Seed::root(23).child("run", run).rng();
            let mut judge = Judge::of(&plan).expect("there is a stop");
            for block in 0..3000 {
                judge.hear_block(block, [rng.below(2), rng.below(2)].map(Some));
                if judge.end().is_some() {
                    break;
                }
            }
            let Ruling::Pair(ruling) = judge.close() else { panic!("must rule on a pair") };
            let settled = Settled::of(stop, &ruling, |player| ["A", "B"][player]);
            settled.shown(["A", "B"], &Question { level, ..QUESTION })
        };
        let shown: Vec<_> = (0..runs).map(shown).collect();
        [Shown::Yes, Shown::Opposite]
            .map(|wrong| shown.iter().filter(|&&shown| shown == Some(wrong)).count() as f64 / runs as f64)
    }

    /// A claim errs no more often than its level says, both ways together.
    fn claims_keep_their_level(difference: f64, runs: u64) {
        let small = format!("difference = {difference}\nalpha = 0.025\nbeta = 0.025");
        for (stop, level, is_told) in [
            (&*format!("difference = {difference}"), 0.95, [true, false]),
            (&format!("difference = [-{difference}, 0]"), 0.95, [false, true]),
            (&format!("difference = {difference}"), 0.9, [true, true]),
            (&small, 0.95, [true, true]),
        ] {
            let errors = errors(stop, level, runs);
            println!("{stop:?}, a claim at {level}: shown and its opposite in {errors:?}");
            // One of a hundred such tests would err as often.
            let (risk, runs) = (1.0 - level, runs as f64);
            let most = risk + 2.33 * (risk * level / runs).sqrt();
            assert!(errors.iter().sum::<f64>() <= most, "{stop} at {level}: {errors:?}");
            assert_eq!(errors.map(|part| part > 0.0), is_told, "{stop} at {level}: {errors:?}");
        }
    }

    #[test]
    fn a_claim_keeps_its_level_in_a_run_that_stops() {
        claims_keep_their_level(0.3, 400);
    }

    #[test]
    #[ignore = "takes minutes; cargo test --release -p gauntlet-bench --lib -- --ignored --nocapture many_claims_keep"]
    fn many_claims_keep_their_level_in_runs_that_stop() {
        claims_keep_their_level(0.1, 1_000);
    }

    /// The numbers of a comparison of scores hold for a fixed number of games, and the answer of the run is none of them.
    #[test]
    fn the_answer_by_score_has_no_numbers_of_another_test() {
        let estimate = Estimate { value: 1.2, low: 1.1, high: 1.3, level: 0.95 };
        let compared = || Comparison {
            player: "A".to_owned(),
            than: "B".to_owned(),
            question: Question { by: Measure::Score, ..QUESTION },
            pairing: Pairing::Paired(40),
            left_out: 0,
            p: Some(0.01),
            adjusted: None,
            opposite: None,
            decided: None,
            note: None,
            finding: Finding {
                values: [Some(500.0), Some(400.0)],
                effect: Some(Effect::Ratio(estimate)),
                detail: Detail::Score {
                    spread: Some(0.6),
                    is_shifted: false,
                    differing: None,
                    ranks: Some(Ranks { p: 0.01, difference: estimate }),
                },
            },
        };
        let mut settled = settled(sprt(0.0, 0.2), Some(Decision::Better), [0.1, 0.2, 0.3]);
        for (by, is_answered) in [(Measure::Score, true), (Measure::Win, false)] {
            settled.by = by;
            let mut comparison = compared();
            settled.answer(&mut comparison, ["A", "B"]);
            let Finding { effect, detail: Detail::Score { ranks, .. }, .. } = comparison.finding else {
                panic!("not of scores")
            };
            let has_none = effect.is_none() && ranks.is_none() && comparison.p.is_none();
            assert_eq!((comparison.decided.is_some(), has_none), (is_answered, is_answered), "{by}");
        }
    }

    #[test]
    fn other_questions_are_not_answered() {
        let answers = |rule: StopRule, question: Question| {
            settled(rule, Some(Decision::Better), [0.1, 0.2, 0.3]).shown(["A", "B"], &question).is_some()
        };
        let by = |by| Question { by, ..QUESTION };
        let level = |level| Question { level, ..QUESTION };
        assert!(answers(sprt(0.0, 0.2), QUESTION) && answers(sprt(0.0, 0.2), level(0.9)));
        assert!(!answers(sprt(0.0, 0.2), by(Measure::Score)));
        assert!(!answers(sprt(0.0, 0.2), Question { margin: Some(0.01), ..QUESTION }));
        // As sure as the risk of what was asked: alpha, or beta where the larger difference is none.
        assert!(!answers(sprt(0.0, 0.2), level(0.96)));
        assert!(answers(sprt(-0.2, 0.0), level(0.99)) && !answers(sprt(-0.2, 0.0), level(0.995)));
        assert!(!answers(StopRule::Confidence(Level::default()), level(0.96)));
        // Asked more surely it is the same question, whose answer is not sure enough.
        let sure = |rule: StopRule, question: Question| settled(rule, None, [0.0; 3]).sureness(&question);
        assert_eq!(sure(sprt(0.0, 0.2), level(0.96)), Some(0.95));
        assert_eq!(sure(sprt(-0.2, 0.0), level(0.995)), Some(0.99));
        assert_eq!(sure(sprt(0.0, 0.2), by(Measure::Score)), None);
        assert_eq!(sure(sprt(-0.1, 0.1), level(0.96)), None);
        assert!(!answers(sprt(-0.1, 0.1), QUESTION) && !answers(sprt(0.1, 0.2), QUESTION));
        let settled = settled(sprt(0.0, 0.2), Some(Decision::Better), [0.1, 0.2, 0.3]);
        assert_eq!(settled.shown(["A", "C"], &QUESTION), None);
    }
}
