//! A comparison of two players by one measure: the part that all measures share. The numbers of a
//! measure are in its file, words are in `answer`, and `table` shows several comparisons.

use std::cmp::Ordering;

use gauntlet_core::measure::Measure;
use gauntlet_run::sample::Sample;
use gauntlet_run::tally::clock::PlayerTimes;
use gauntlet_run::tally::meeting::Meeting;
use gauntlet_stats::{growth_level, growth_p, holm};

use super::finding::{DifferenceDetail, MeasuredDifference};
use super::pairing::Pairing;
use super::question::{ComparisonQuestion, Conclusion, RelevantDifference};
use super::stop::{StopConclusion, StopTestView};
use super::{points, rate, score, time, time_words};

/// One of the two players of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct ComparedPlayer<'a> {
    /// Name in the answer.
    pub name: &'a str,
    pub games: u64,
    /// Games, unless players are compared by time.
    pub sample: &'a Sample,
    /// Thinking time, if players are compared by time.
    pub clock: Option<&'a PlayerTimes>,
    /// Number of the run. Players of one run are timed side by side.
    pub run: usize,
}

/// A comparison of two players.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// First player.
    pub player: String,
    /// Second player.
    pub than: String,
    pub question: ComparisonQuestion,
    /// How many games were compared, paired or not.
    pub pairing: Pairing,
    /// Games of both players that have no counterpart and were left out.
    pub left_out: u64,
    /// The p of the test: how often equal players would differ as much. With a margin, how often
    /// players exactly that far apart would look as good.
    pub p: Option<f64>,
    /// Holm-adjusted p, if several comparisons are made.
    pub adjusted: Option<f64>,
    /// With a margin, the p of the other side, times the number of comparisons: how often players
    /// exactly that far apart would look as bad.
    pub opposite: Option<f64>,
    /// Answer of the test that could end the run, if that test answers this question.
    pub decided: Option<StopConclusion>,
    /// Caveat about the games.
    pub note: Option<String>,
    /// Number of comparisons that p is corrected for.
    pub family: usize,
    /// Smallest differences that are relevant.
    pub relevant: RelevantDifference,
    pub finding: MeasuredDifference,
}

impl Comparison {
    /// Compares two players. `meeting` returns their games against each other, for points. `stop`
    /// is the answer of a `[stop]` about them.
    pub fn new(
        first: &ComparedPlayer,
        second: &ComparedPlayer,
        meeting: impl FnOnce() -> Option<Meeting>,
        question: ComparisonQuestion,
        stop: Option<StopTestView>,
    ) -> Comparison {
        let earlier = question.earlier_to_correct();
        let asked = question;
        let question = ComparisonQuestion { level: growth_level(asked.level, earlier), ..asked };
        let played = [first.games, second.games];
        let (finding, pairing, p) = match question.by {
            Measure::Win | Measure::Reach(_) => rate::compare(first.sample, second.sample, question),
            Measure::Score => score::compare(first.sample, second.sample, question),
            Measure::Points => {
                let meeting = meeting();
                let (finding, p) = points::compare(meeting.as_ref(), question);
                let pairs = meeting.map_or(0, |meeting| meeting.count());
                (finding, Pairing::Paired(pairs), p)
            }
            Measure::MsPerMove => {
                let clocks = [first.clock, second.clock];
                let is_one_run = first.run == second.run;
                let (finding, p) = time::compare(clocks, played, is_one_run, question);
                (finding, Pairing::Independent(first.games, second.games), p)
            }
        };
        let left_out = match (question.by, pairing) {
            // Most games of a duel are against other players.
            (Measure::Points, _) | (_, Pairing::Independent(..)) => 0,
            (_, Pairing::Paired(games)) => first.games + second.games - 2 * games,
        };
        let names = [first.name, second.name];
        let corrected = |p| growth_p(p, earlier);
        let finding = finding.with_level(asked.level, corrected);
        let stopped = stop.map(|stop| stop.conclude(&asked, finding.blocks(pairing), names));
        let (finding, decided, p, decision) = match stopped {
            Some(Ok(decided)) => (finding.with_difference(decided.effect), Some(decided), None, None),
            Some(Err(note)) => (finding, None, p, note),
            None => (finding, None, p, None),
        };
        // Bounds of a stopped run have their own level.
        let level = finding.effect.map_or(asked.level, |effect| effect.estimate().level);
        let of_times = match finding.detail {
            DifferenceDetail::Time { basis, .. } => {
                time_words::time_caveat(names, played, [first.clock, second.clock], basis)
            }
            _ => None,
        };
        Comparison {
            player: first.name.to_owned(),
            than: second.name.to_owned(),
            question: ComparisonQuestion { level, ..asked },
            pairing,
            left_out,
            p: p.map(corrected),
            adjusted: None,
            opposite: p.filter(|_| question.margin.is_some()).map(|p| corrected(1.0 - p)),
            decided,
            note: decision.or(of_times),
            family: 1,
            relevant: RelevantDifference::default(),
            finding,
        }
    }

    /// Returns the result by the adjusted p, on the side of the estimate.
    pub fn conclusion(&self) -> Conclusion {
        if let Some(decided) = &self.decided {
            return decided.shown;
        }
        let side = self.estimated_side();
        let is_enough = self.decisive_p(side).is_some_and(|p| is_enough(p, self.question.level));
        if is_enough { side } else { Conclusion::Nothing }
    }

    /// Returns true if the first player is shown to be worse, as an answer to this question alone.
    /// If a stopping test decided another question, its bounds answer this one. Their risk is one
    /// of the two error rates of that test.
    pub fn is_worse(&self) -> bool {
        let besides = self.decided.as_ref().map(|decided| decided.besides);
        self.conclusion() == Conclusion::Opposite || besides == Some(Conclusion::Opposite)
    }

    /// Returns the result if p is small enough: the side of the margin on which the estimate is.
    fn estimated_side(&self) -> Conclusion {
        let margin = self.question.margin.unwrap_or(0.0);
        match self.finding.effect.and_then(|effect| effect.side(margin)) {
            Some(Ordering::Greater) => Conclusion::Yes,
            Some(Ordering::Less) => Conclusion::Opposite,
            _ => Conclusion::Nothing,
        }
    }

    /// Returns the p that decides whether this result is significant, corrected for the number of
    /// comparisons.
    pub(crate) fn decisive_p(&self, shown: Conclusion) -> Option<f64> {
        let of_opposite = self.opposite.filter(|_| shown == Conclusion::Opposite);
        of_opposite.or(self.adjusted).or(self.p)
    }

    /// Returns true if both players had equal results in every game that both played.
    pub(crate) fn is_same(&self) -> bool {
        self.finding.is_same(self.pairing)
    }

    /// Returns the number of games of each player that would detect a relevant difference, and the
    /// difference that the games played detect. `None` for a significant answer.
    pub(crate) fn games_needed(&self) -> Option<(f64, Option<f64>)> {
        let is_open = self.conclusion() == Conclusion::Nothing && self.question.margin.is_none();
        // A run that ended itself cannot be extended.
        if !is_open || self.is_same() || self.question.sequential {
            return None;
        }
        // With several comparisons each needs a higher level, and so does the answer after more
        // games. The formulas have no answer for a level of 1.
        let earlier = self.question.earlier_to_correct();
        let levels = [earlier, earlier + 1].map(|earlier| {
            let level = growth_level(self.question.level, earlier);
            (1.0 - (1.0 - level) / self.family as f64).min(1.0 - 1e-15)
        });
        let MeasuredDifference { values, detail, .. } = self.finding;
        match detail {
            DifferenceDetail::Rate { pairs } => {
                rate::games_needed(pairs, values[1], self.pairing, levels, self.relevant.rate)
            }
            DifferenceDetail::Score { spread, .. } => {
                score::games_needed(spread, self.pairing, levels, self.relevant.part)
            }
            DifferenceDetail::Points { .. } | DifferenceDetail::Time { .. } => None,
        }
    }
}

fn is_enough(p: f64, level: f64) -> bool {
    p <= 1.0 - level
}

/// Corrects the p of comparisons for the number of comparisons that have one. `others` are the p of
/// further comparisons of the same family.
pub fn correct(comparisons: &mut [Comparison], others: &[f64]) {
    let own = comparisons.iter().filter_map(|comparison| comparison.p);
    let p: Vec<f64> = own.chain(others.iter().copied()).collect();
    let tested = comparisons.iter_mut().filter(|comparison| comparison.p.is_some());
    for (comparison, adjusted) in tested.zip(holm(&p)) {
        comparison.adjusted = Some(adjusted);
        comparison.opposite = comparison.opposite.map(|opposite| (p.len() as f64 * opposite).min(1.0));
    }
    comparisons.iter_mut().for_each(|comparison| comparison.family = p.len());
}

/// The test of a comparison without the rest: comparing all pairs of some thousand players makes
/// millions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestResult {
    pub p: Option<f64>,
    /// Result if p is small enough; without p, the result.
    side: Conclusion,
}

impl From<&Comparison> for TestResult {
    fn from(comparison: &Comparison) -> TestResult {
        let side = if comparison.p.is_some() { comparison.estimated_side() } else { comparison.conclusion() };
        TestResult { p: comparison.p, side }
    }
}

impl TestResult {
    /// Compares two players by scores, or by rates without a margin, as [`Comparison::new`] does in
    /// a run that could not end early. Returns `None` for other measures.
    pub fn new(first: &Sample, second: &Sample, question: ComparisonQuestion) -> Option<TestResult> {
        let ComparisonQuestion { by, margin, earlier, .. } = question;
        let tested = match (by, margin) {
            (Measure::Win | Measure::Reach(_), None) => rate::test(first, second, by),
            (Measure::Score, _) => score::test(first, second, margin),
            _ => return None,
        };
        let side = match tested {
            Some((Ordering::Greater, _)) => Conclusion::Yes,
            Some((Ordering::Less, _)) => Conclusion::Opposite,
            _ => Conclusion::Nothing,
        };
        Some(TestResult { p: tested.map(|(_, p)| growth_p(p, earlier)), side })
    }

    /// Returns the p of the hypothesis asked about the first player, before any correction: 1 if
    /// the estimate contradicts it, or if too little is known.
    pub fn uncorrected_p(&self) -> f64 {
        self.p.filter(|_| self.side == Conclusion::Yes).unwrap_or(1.0)
    }
}

/// Returns the results of these tests at this level, corrected for the number of tests that have a
/// p.
pub fn conclude_all(tests: impl Iterator<Item = TestResult>, level: f64) -> Vec<Conclusion> {
    let mut p = Vec::new();
    let untested: Vec<(Conclusion, bool)> = tests
        .map(|tested| {
            p.extend(tested.p);
            (tested.side, tested.p.is_some())
        })
        .collect();
    let mut adjusted = holm(&p).into_iter();
    let tested = untested.into_iter().map(|(side, has_p)| {
        let is_shown = !has_p || adjusted.next().is_some_and(|p| is_enough(p, level));
        if is_shown { side } else { Conclusion::Nothing }
    });
    tested.collect()
}

#[cfg(test)]
impl Comparison {
    /// Builds a comparison of A and B on 1,000 seeds.
    pub(crate) fn example(
        by: Measure,
        finding: MeasuredDifference,
        p: f64,
        margin: Option<f64>,
    ) -> Comparison {
        Comparison {
            player: "A".to_owned(),
            than: "B".to_owned(),
            question: ComparisonQuestion { by, level: 0.95, margin, sequential: false, earlier: 0 },
            pairing: Pairing::Paired(1000),
            left_out: 0,
            p: Some(p),
            adjusted: None,
            opposite: margin.map(|_| 1.0 - p),
            decided: None,
            note: None,
            family: 1,
            relevant: RelevantDifference::default(),
            finding,
        }
    }
}

#[cfg(test)]
mod tests;
