//! A comparison of two players by one measure: the part that all measures share. The numbers of a
//! measure are in its file, words are in `answer`, and `table` shows several comparisons.

use std::cmp::Ordering;

use gauntlet_core::measure::Measure;
use gauntlet_run::sample::Sample;
use gauntlet_run::tally::meeting::Meeting;
use gauntlet_run::tally::player_times::PlayerTimes;
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
    pub rival: String,
    pub question: ComparisonQuestion,
    /// How many games were compared, paired or not.
    pub pairing: Pairing,
    /// Games of both players that have no counterpart and were left out.
    pub left_out_games: u64,
    /// The p of the test: how often equal players would differ as much. With a margin, how often
    /// players exactly that far apart would look as good.
    pub p: Option<f64>,
    /// Holm-adjusted p, if several comparisons are made.
    pub adjusted_p: Option<f64>,
    /// With a margin, the p of the other side, times the number of comparisons: how often players
    /// exactly that far apart would look as bad.
    pub opposite_p: Option<f64>,
    /// Answer of the test that could end the run, if that test answers this question.
    pub stop_conclusion: Option<StopConclusion>,
    /// Caveat about the games.
    pub note: Option<String>,
    /// Number of comparisons that p is corrected for.
    pub family_size: usize,
    /// Smallest differences that are relevant.
    pub relevant_difference: RelevantDifference,
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
        let earlier_answers = question.earlier_to_correct();
        let original = question;
        let question =
            ComparisonQuestion { level: growth_level(original.level, earlier_answers), ..original };
        let games_played = [first.games, second.games];
        let (finding, pairing, p) = match question.measure {
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
                let (finding, p) = time::compare(clocks, games_played, is_one_run, question);
                (finding, Pairing::Independent(first.games, second.games), p)
            }
        };
        let left_out = match (question.measure, pairing) {
            // Most games of a duel are against other players.
            (Measure::Points, _) | (_, Pairing::Independent(..)) => 0,
            (_, Pairing::Paired(games)) => first.games + second.games - 2 * games,
        };
        let names = [first.name, second.name];
        let correct_p = |p| growth_p(p, earlier_answers);
        let finding = finding.with_level(original.level, correct_p);
        let stop_answer = stop.map(|stop| stop.conclude(&original, finding.blocks(pairing), names));
        let (finding, stop_conclusion, p, stop_note) = match stop_answer {
            Some(Ok(stop_conclusion)) => {
                (finding.with_difference(stop_conclusion.effect), Some(stop_conclusion), None, None)
            }
            Some(Err(note)) => (finding, None, p, note),
            None => (finding, None, p, None),
        };
        // Bounds of a stopped run have their own level.
        let level = finding.effect.map_or(original.level, |effect| effect.estimate().level);
        let time_note = match finding.detail {
            DifferenceDetail::Time { basis, .. } => {
                time_words::time_caveat(names, games_played, [first.clock, second.clock], basis)
            }
            _ => None,
        };
        Comparison {
            player: first.name.to_owned(),
            rival: second.name.to_owned(),
            question: ComparisonQuestion { level, ..original },
            pairing,
            left_out_games: left_out,
            p: p.map(correct_p),
            adjusted_p: None,
            opposite_p: p.filter(|_| question.margin.is_some()).map(|p| correct_p(1.0 - p)),
            stop_conclusion,
            note: stop_note.or(time_note),
            family_size: 1,
            relevant_difference: RelevantDifference::default(),
            finding,
        }
    }

    /// Returns the result by the adjusted p, on the side of the estimate.
    pub fn conclusion(&self) -> Conclusion {
        if let Some(stop_conclusion) = &self.stop_conclusion {
            return stop_conclusion.conclusion;
        }
        let side = self.estimated_side();
        let is_enough = self.decisive_p(side).is_some_and(|p| is_enough(p, self.question.level));
        if is_enough { side } else { Conclusion::Inconclusive }
    }

    /// Returns false if the games do not allow this comparison: the players never met, for example.
    pub fn has_answer(&self) -> bool {
        self.stop_conclusion.is_some() || self.finding.effect.is_some()
    }

    /// Returns true if the first player is shown to be worse, as an answer to this question alone.
    /// If a stopping test decided another question, its bounds answer this one. Their risk is one
    /// of the two error rates of that test.
    pub fn is_worse(&self) -> bool {
        let bounds_conclusion = self.stop_conclusion.as_ref().map(|stop| stop.bounds_conclusion);
        self.conclusion() == Conclusion::Opposite || bounds_conclusion == Some(Conclusion::Opposite)
    }

    /// Returns the result if p is small enough: the side of the margin on which the estimate is.
    fn estimated_side(&self) -> Conclusion {
        let margin = self.question.margin.unwrap_or(0.0);
        match self.finding.effect.and_then(|effect| effect.side(margin)) {
            Some(Ordering::Greater) => Conclusion::Yes,
            Some(Ordering::Less) => Conclusion::Opposite,
            _ => Conclusion::Inconclusive,
        }
    }

    /// Returns the p that decides whether this result is significant, corrected for the number of
    /// comparisons.
    pub(crate) fn decisive_p(&self, conclusion: Conclusion) -> Option<f64> {
        let opposite_p = self.opposite_p.filter(|_| conclusion == Conclusion::Opposite);
        opposite_p.or(self.adjusted_p).or(self.p)
    }

    /// Returns true if both players had equal results in every game that both played.
    pub(crate) fn is_same(&self) -> bool {
        self.finding.is_same(self.pairing)
    }

    /// Returns the number of games of each player that would detect a relevant difference, and the
    /// difference that the games played detect. `None` for a significant answer.
    pub(crate) fn games_needed(&self) -> Option<(f64, Option<f64>)> {
        let is_open = self.conclusion() == Conclusion::Inconclusive && self.question.margin.is_none();
        // A run that ended itself cannot be extended.
        if !is_open || self.is_same() || self.question.is_sequential {
            return None;
        }
        // With several comparisons each needs a higher level, and so does the answer after more
        // games. The formulas have no answer for a level of 1.
        let earlier_answers = self.question.earlier_to_correct();
        let levels = [earlier_answers, earlier_answers + 1].map(|answers| {
            let level = growth_level(self.question.level, answers);
            (1.0 - (1.0 - level) / self.family_size as f64).min(1.0 - 1e-15)
        });
        let MeasuredDifference { values, detail, .. } = self.finding;
        match detail {
            DifferenceDetail::Rate { pairs } => {
                rate::games_needed(pairs, values[1], self.pairing, levels, self.relevant_difference.rate)
            }
            DifferenceDetail::Score { spread, .. } => {
                score::games_needed(spread, self.pairing, levels, self.relevant_difference.score)
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
    let own_p_values = comparisons.iter().filter_map(|comparison| comparison.p);
    let p_values: Vec<f64> = own_p_values.chain(others.iter().copied()).collect();
    let tested_comparisons = comparisons.iter_mut().filter(|comparison| comparison.p.is_some());
    for (comparison, adjusted) in tested_comparisons.zip(holm(&p_values)) {
        comparison.adjusted_p = Some(adjusted);
        comparison.opposite_p =
            comparison.opposite_p.map(|opposite| (p_values.len() as f64 * opposite).min(1.0));
    }
    comparisons.iter_mut().for_each(|comparison| comparison.family_size = p_values.len());
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
        let ComparisonQuestion { measure, margin, earlier_answers, .. } = question;
        let result = match (measure, margin) {
            (Measure::Win | Measure::Reach(_), None) => rate::test(first, second, measure),
            (Measure::Score, _) => score::test(first, second, margin),
            _ => return None,
        };
        let side = match result {
            Some((Ordering::Greater, _)) => Conclusion::Yes,
            Some((Ordering::Less, _)) => Conclusion::Opposite,
            _ => Conclusion::Inconclusive,
        };
        Some(TestResult { p: result.map(|(_, p)| growth_p(p, earlier_answers)), side })
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
    let mut p_values = Vec::new();
    let sides: Vec<(Conclusion, bool)> = tests
        .map(|test| {
            p_values.extend(test.p);
            (test.side, test.p.is_some())
        })
        .collect();
    let mut adjusted = holm(&p_values).into_iter();
    let conclusions = sides.into_iter().map(|(side, has_p)| {
        let is_shown = !has_p || adjusted.next().is_some_and(|p| is_enough(p, level));
        if is_shown { side } else { Conclusion::Inconclusive }
    });
    conclusions.collect()
}

#[cfg(test)]
impl Comparison {
    /// Builds a comparison of A and B on 1,000 seeds.
    pub(crate) fn example(
        measure: Measure,
        finding: MeasuredDifference,
        p: f64,
        margin: Option<f64>,
    ) -> Comparison {
        Comparison {
            player: "A".to_owned(),
            rival: "B".to_owned(),
            question: ComparisonQuestion {
                measure,
                level: 0.95,
                margin,
                is_sequential: false,
                earlier_answers: 0,
            },
            pairing: Pairing::Paired(1000),
            left_out_games: 0,
            p: Some(p),
            adjusted_p: None,
            opposite_p: margin.map(|_| 1.0 - p),
            stop_conclusion: None,
            note: None,
            family_size: 1,
            relevant_difference: RelevantDifference::default(),
            finding,
        }
    }
}

#[cfg(test)]
mod tests;
