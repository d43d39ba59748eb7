//! The question of a `[stop]` about two players, and its answer, which every command gives alike.

use super::comparison::{Comparison, Decided};
use super::finding::{Detail, Effect};
use super::question::{Question, Shown};
use super::sample::Pairing;
use super::verdict::Verdict;
use super::{points, rate};
use crate::config::Experiment;
use crate::config::stop::{DuelStop, EarlyStop, PairStop, Sprt, StopRule, scale};
use crate::measure::Measure;
use crate::run::judge::Ruling;
use crate::run::judge::pair::Decision;
use crate::stats::{Estimate, Model, PairCounts, elo, normalized_elo, share_of_elo, share_of_normalized_elo};
use crate::table::{Row, Table};
use crate::text::{self, percent, rounded};

/// The decimals of a difference in the table, and of one in Elo.
pub(super) const DECIMALS: usize = 6;
pub(super) const ELO_DECIMALS: usize = 2;

/// The columns of pairs of games by their points, from none to two by halves.
pub(super) const PAIRS: [&str; 5] = ["pairs_0", "pairs_0_5", "pairs_1", "pairs_1_5", "pairs_2"];

/// The columns of blocks that the first player lost, shared and won.
pub(super) const BALANCE: [&str; 3] = ["behind", "even", "ahead"];

/// The question of a `[stop]` about two players, and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    pub(super) better: String,
    pub(super) than: String,
    pub(super) by: Measure,
    test: Test,
    end: Option<End>,
}

/// The test that may end a run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Test {
    /// Between two differences, each with the risk of calling the other one true where it is.
    Between([f64; 2], [f64; 2], Scale),
    /// A confidence sequence.
    Confidence(f64),
}

/// The scale of the differences of a test.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    /// The parts of the blocks won and lost.
    Blocks,
    /// The points of games against each other.
    Elo(Model),
}

impl Test {
    /// Of an experiment that may end by a comparison of two players: these, the measure and the test.
    fn of(stop: &EarlyStop) -> Option<([usize; 2], Measure, Test)> {
        Some(match *stop {
            EarlyStop::Pair(PairStop { better, than, by, rule }) => {
                let test = match rule {
                    StopRule::Sprt(Sprt { from, to, alpha, beta }) => {
                        Test::Between([from, to], [alpha.get(), beta.get()], Scale::Blocks)
                    }
                    StopRule::Confidence(level) => Test::Confidence(level.get()),
                };
                ([better, than], by, test)
            }
            EarlyStop::Duel(DuelStop { better, than, test }) => {
                let between = Test::Between(test.elo, [test.alpha, test.beta], Scale::Elo(test.model));
                ([better, than], Measure::Points, between)
            }
            EarlyStop::Precision(_) => return None,
        })
    }

    pub(super) fn method(&self) -> &'static str {
        match self {
            Test::Between(..) => "sprt",
            Test::Confidence(_) => "confidence",
        }
    }
}

/// The answer of the blocks that the run ended with.
#[derive(Clone, Copy, Debug, PartialEq)]
struct End {
    /// Blocks of which it is known how both players did; of those of one opening the first.
    blocks: u64,
    decision: Option<Decision>,
    /// The difference as the table has it, corrected for stopping.
    estimate: Option<Estimate>,
    /// The same as a difference of the parts of the blocks won and lost, or of the share of the points and one half.
    effect: Option<Estimate>,
}

impl End {
    /// With the decimals of the table, so that what is read back from there says the same.
    fn of(ruling: &Ruling, test: &Test) -> Option<End> {
        let with_decimals = |estimate: Estimate, decimals| Estimate {
            level: rounded(estimate.level, 9),
            ..estimate.map(|bound| rounded(bound, decimals))
        };
        Some(match (ruling, test) {
            (Ruling::Pair(ruling), _) => {
                let balance = ruling.balance;
                let effect = ruling.effect.map(|effect| with_decimals(effect, DECIMALS));
                let blocks = balance.behind + balance.even + balance.ahead;
                End { blocks, decision: ruling.decision, estimate: effect, effect }
            }
            (Ruling::Duel(ruling), Test::Between(_, _, Scale::Elo(model))) => {
                let lead = ruling.share.and_then(|share| match model {
                    Model::Logistic => Some(elo(share)),
                    Model::Normalized => normalized_elo(share, ruling.pairs),
                });
                let lead = lead.map(|lead| with_decimals(lead, ELO_DECIMALS));
                let effect = lead.and_then(|lead| ahead(lead, *model, Some(ruling.pairs)));
                End { blocks: ruling.pairs.iter().sum(), decision: ruling.decision, estimate: lead, effect }
            }
            _ => return None,
        })
    }

    /// As the row of the table tells it.
    fn read(row: Row, test: &Test) -> Option<End> {
        let counts = BALANCE.into_iter().map(|column| row.count(column));
        let blocks = counts.into_iter().try_fold(0, |sum: u64, count| sum.checked_add(count?))?;
        let decision = decision(Verdict::in_row(row)?)?;
        let estimate = row.estimate("estimate");
        let effect = match test {
            Test::Between(_, _, Scale::Elo(model)) => {
                // Older tables do not have them.
                let counts = PAIRS.map(|column| row.count(column));
                let has_all = counts.iter().all(Option::is_some);
                let pairs = has_all.then(|| counts.map(Option::unwrap_or_default));
                estimate.and_then(|lead| ahead(lead, *model, pairs))
            }
            _ => estimate,
        };
        Some(End { blocks, decision, estimate, effect })
    }
}

/// By how much the share of the points exceeds one half, from the lead on the scale of this model.
fn ahead(lead: Estimate, model: Model, pairs: Option<PairCounts>) -> Option<Estimate> {
    let share = match model {
        Model::Logistic => lead.map(share_of_elo),
        Model::Normalized => share_of_normalized_elo(lead, pairs?)?,
    };
    Some(share.map(|share| share - HALF))
}

/// Half of the points.
const HALF: f64 = 0.5;

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

impl Settled {
    /// As a run left it; none if that is not about two players.
    pub fn of<'a>(stop: &EarlyStop, ruling: &Ruling, name: impl Fn(usize) -> &'a str) -> Option<Settled> {
        let (players, by, test) = Test::of(stop)?;
        let [better, than] = players.map(|player| name(player).to_owned());
        Some(Settled { better, than, by, test, end: Some(End::of(ruling, &test)?) })
    }

    /// As the table of an experiment tells it; without an answer if that is not there, or of another question. None if the
    /// experiment has no `[stop]`, or one that compares no two players.
    pub fn read(experiment: &Experiment, table: Option<&Table>) -> Option<Settled> {
        let (players, by, test) = Test::of(experiment.sections().stop.as_ref()?)?;
        let [better, than] = players.map(|player| experiment.entries()[player].name.clone());
        let row = table.and_then(|table| table.rows().next()).filter(|row| {
            let asked = [&better, &than, &by.to_string(), test.method()];
            ["player", "than", "by", "method"].map(|column| row.words(column)) == asked
        });
        let end = row.and_then(|row| End::read(row, &test));
        Some(Settled { better, than, by, test, end })
    }
    /// Gives its answer to a comparison of two players, by their names in the experiment, if that asks the same of them. If it
    /// asks something else of the same two, it is told what was decided.
    pub fn answer(&self, comparison: &mut Comparison, players: [&str; 2]) {
        let (Some(end), Some(is_turned)) = (self.end, self.is_turned(players)) else { return };
        let is_of_all = match (&comparison.finding.detail, comparison.pairing) {
            (Detail::Points { openings, .. }, _) => *openings == end.blocks,
            (_, Pairing::Paired(games)) => games == end.blocks,
            (_, Pairing::Independent(..)) => true,
        };
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
            (Detail::Points { share, .. }, Some(effect)) => {
                question.level = effect.level;
                let effect = if is_turned { effect.turned(|it| -it) } else { effect };
                finding.effect = Some(Effect::Difference(effect));
                *share = Some(effect.map(|ahead| ahead + HALF));
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
    pub(super) fn decides_better(&self) -> bool {
        !matches!(self.test, Test::Between([from, _], ..) if from < 0.0)
    }

    /// Its level for a question, if that asks the same.
    fn sureness(&self, question: &Question) -> Option<f64> {
        let level = match self.test {
            Test::Between([0.0, _], [alpha, _], _) => 1.0 - alpha,
            Test::Between([_, 0.0], [_, beta], _) => 1.0 - beta,
            Test::Between(..) => return None,
            Test::Confidence(level) => level,
        };
        (question.by == self.by && question.margin.is_none()).then_some(level)
    }

    /// The name of its method.
    pub(super) fn method(&self) -> &'static str {
        self.test.method()
    }

    /// The difference on the scale of the test, corrected for stopping.
    pub(super) fn estimate(&self) -> Option<Estimate> {
        self.end?.estimate
    }

    /// The decision in words, and by how much the two differ.
    pub(super) fn said(&self, names: [&str; 2]) -> String {
        let Some(End { decision, effect, estimate, .. }) = self.end else { return String::new() };
        let decided = self.decided(decision, names);
        let Some(effect) = effect else { return decided };
        let subject = if decision.is_some() { "it" } else { names[0] };
        let (amount, within) = match (self.by, self.test) {
            (_, Test::Between(_, _, Scale::Elo(model))) => {
                points::lead_in_words(effect.value + HALF, scale(model), estimate.unwrap_or(effect))
            }
            (Measure::Reach(reach), _) => {
                rate::more_or_fewer(&format!("reaches {} in", reach.value()), "games", effect)
            }
            (Measure::Score, _) => rate::more_or_fewer("scores higher in", "blocks", effect),
            _ => rate::more_or_fewer("wins", "games", effect),
        };
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
        let amount = |difference: f64| match self.test {
            Test::Between(_, _, Scale::Elo(model)) => format!("{} {}", difference.abs(), scale(model)),
            _ if by.is_rate() => text::points(difference.abs()),
            _ => text::points(difference.abs()) + " of the blocks, won less lost",
        };
        let said = match (decision, self.test) {
            (None, _) => return format!("by {by}, nothing is decided between {better} and {than}"),
            (Some(decision), Test::Confidence(level)) => {
                let word = if decision == Decision::Worse { "worse" } else { "better" };
                return format!(
                    "by {by}, {better} is {word} than {than} ({} sure at every look)",
                    percent(level)
                );
            }
            (Some(Decision::Better), Test::Between([from, _], [alpha, _], _)) => (
                match from {
                    0.0 => format!("{better} is better than {than}"),
                    less if less < 0.0 => format!("{better} is not worse than {than} by {}", amount(from)),
                    _ => format!("{better} is better than {than} by more than {}", amount(from)),
                },
                alpha,
            ),
            (Some(_), Test::Between([_, to], [_, beta], _)) => (
                match to {
                    0.0 => format!("{better} is worse than {than}"),
                    less if less < 0.0 => {
                        format!("{better} is worse than {than} by more than {}", amount(to))
                    }
                    _ => format!("{better} is not better than {than} by {}", amount(to)),
                },
                beta,
            ),
        };
        let (said, risk) = said;
        format!("by {by}, {said} (risk of error about {})", percent(risk))
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
    use crate::run::judge::Judge;
    use crate::run::judge::duel::DuelRuling;
    use crate::run::judge::pair::Evidence;
    use crate::stats::EloTest;
    use gauntlet_games::GAMES;

    fn settled(rule: StopRule, decision: Option<Decision>, [low, value, high]: [f64; 3]) -> Settled {
        let effect = Some(Estimate { low, value, high, level: 0.9 });
        let end = Some(End { blocks: 40, decision, estimate: effect, effect });
        let (_, by, test) =
            Test::of(&EarlyStop::Pair(PairStop { better: 0, than: 1, by: Measure::Win, rule }))
                .expect("of two");
        Settled { better: "A".to_owned(), than: "B".to_owned(), by, test, end }
    }

    fn sprt(from: f64, to: f64) -> StopRule {
        StopRule::Sprt(Sprt { from, to, alpha: Risk::default(), beta: Risk::try_from(0.01).expect("a risk") })
    }

    const QUESTION: Question =
        Question { by: Measure::Win, level: 0.95, margin: None, sequential: true, earlier: 0 };

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
        let stop = experiment.sections().stop.as_ref().expect("a stop");
        let shown = |run: u64| {
            let mut rng = Seed::root(23).child("run", run).rng();
            let mut judge = Judge::of(&plan).expect("there is a stop");
            for block in 0..3000 {
                judge.hear_block(block, [rng.below(2), rng.below(2)].map(Some));
                if judge.end().is_some() {
                    break;
                }
            }
            let settled = Settled::of(stop, &judge.close(), |player| ["A", "B"][player]).expect("of two");
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

    /// The errors of claims by points among equals, whose pairs end in these parts of the cases, as a part of the runs: that one
    /// is shown, and that its opposite is.
    fn errors_of_elo(test: EloTest, parts: [f64; 5], level: f64, runs: u64) -> [f64; 2] {
        let stop = EarlyStop::Duel(DuelStop { better: 0, than: 1, test });
        let shown = |run: u64| {
            let mut rng = Seed::root(29).child("run", run).rng();
            let (mut pairs, mut decided) = (PairCounts::default(), None);
            for _ in 0..10_000 {
                let mut luck = rng.unit();
                let cell = parts.iter().position(|part| {
                    luck -= part;
                    luck < 0.0
                });
                pairs[cell.unwrap_or(4)] += 1;
                decided = test.decide(pairs);
                if decided.is_some() {
                    break;
                }
            }
            let ruling = Ruling::Duel(DuelRuling {
                blocks: pairs.iter().sum(),
                pairs,
                evidence: Evidence { ratio: 0.0, lower: None, upper: 0.0 },
                decision: decided.map(Decision::from),
                share: test.share(pairs),
            });
            let settled = Settled::of(&stop, &ruling, |player| ["A", "B"][player]).expect("of two");
            let question = Question { by: Measure::Points, level, ..QUESTION };
            let shown = settled.shown(["A", "B"], &question);
            let turned = settled.shown(["B", "A"], &question);
            assert_eq!(shown.map(|shown| shown.turned(true)), turned);
            shown
        };
        let shown: Vec<_> = (0..runs).map(shown).collect();
        [Shown::Yes, Shown::Opposite]
            .map(|wrong| shown.iter().filter(|&&shown| shown == Some(wrong)).count() as f64 / runs as f64)
    }

    /// A claim by points errs no more often than its level says, both ways together, whatever pairs of equals are like.
    fn claims_by_points_keep_their_level(elo: f64, runs: u64) {
        const TYPICAL: [f64; 5] = [0.05, 0.2, 0.5, 0.2, 0.05];
        const DRAWISH: [f64; 5] = [0.005, 0.045, 0.9, 0.045, 0.005];
        const WIDE: [f64; 5] = [0.25, 0.15, 0.2, 0.15, 0.25];
        for parts in [TYPICAL, DRAWISH, WIDE] {
            for (between, risk, model, level) in [
                ([0.0, elo], 0.05, Model::Logistic, 0.95),
                ([-elo, 0.0], 0.05, Model::Logistic, 0.95),
                ([0.0, elo], 0.05, Model::Logistic, 0.9),
                ([0.0, elo], 0.025, Model::Logistic, 0.95),
                ([0.0, elo], 0.05, Model::Normalized, 0.9),
            ] {
                let test = EloTest { elo: between, model, alpha: risk, beta: risk };
                let errors = errors_of_elo(test, parts, level, runs);
                println!(
                    "{parts:?}, {between:?} {model:?} at risks of {risk}, a claim at {level}: {errors:?}"
                );
                // One of two hundred such tests would err as often.
                let (wrong, all) = (1.0 - level, runs as f64);
                let most = wrong + 2.58 * (wrong * level / all).sqrt();
                assert!(errors.iter().sum::<f64>() <= most, "{test:?} of {parts:?} at {level}: {errors:?}");
                // The bounds of the other side are not as sure as 95 % where the risks are 5 %.
                if (risk, level) == (0.05, 0.95) {
                    assert_eq!(errors[usize::from(between[0] == 0.0)], 0.0, "{test:?}");
                }
            }
        }
    }

    #[test]
    fn a_claim_by_points_keeps_its_level_in_a_run_that_stops() {
        claims_by_points_keep_their_level(60.0, 100);
    }

    #[test]
    #[ignore = "takes minutes; cargo test --release -p gauntlet-bench --lib -- --ignored --nocapture many_claims_by_points"]
    fn many_claims_by_points_keep_their_level_in_runs_that_stop() {
        claims_by_points_keep_their_level(30.0, 2_000);
    }

    /// An answer that is read back from the table is that of the run, on both scales of Elo.
    #[test]
    fn a_table_of_a_duel_tells_the_answer_again() {
        for model in ["logistic", "normalised"] {
            let text = format!(
                "name = 'x'\ngame = 'gomoku'\nseed = 1\ngames = 1000\n[[player]]\nname = 'A'\nalgorithm = 'random'\n\
                 [[player]]\nname = 'B'\nalgorithm = 'random'\n[stop]\nbetter = 'A'\nthan = 'B'\nelo = [0, 20]\n\
                 model = '{model}'\n"
            );
            let experiment = parse(&GAMES, "x.toml", &text).expect("an experiment");
            let stop = experiment.sections().stop.as_ref().expect("a stop");
            let EarlyStop::Duel(DuelStop { test, .. }) = stop else { panic!("must stop by a duel") };
            let pairs = [3, 20, 50, 70, 40];
            let ruling = Ruling::Duel(DuelRuling {
                blocks: 183,
                pairs,
                evidence: Evidence { ratio: 3.0, lower: None, upper: 2.9 },
                decision: test.decide(pairs).map(Decision::from),
                share: test.share(pairs),
            });
            let plan = plan(&experiment);
            let table = super::super::stop::table(&plan, stop, &ruling, 500).expect("of two");
            let schema = super::super::stop::schema();
            let table = Table::from_csv(&schema, &table.to_csv()).expect("a table");
            let settled = Settled::of(stop, &ruling, |player| plan.players[player].name).expect("of two");
            assert_eq!(Settled::read(&experiment, Some(&table)), Some(settled.clone()), "{model}");
            let end = settled.end.expect("an answer");
            let effect = end.effect.expect("an effect");
            assert!(
                0.0 < effect.low && effect.low < effect.value && effect.value < effect.high,
                "{effect:?}"
            );
            assert_eq!((end.blocks, end.decision), (183, Some(Decision::Better)));
        }
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
