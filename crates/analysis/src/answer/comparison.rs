//! Words about comparisons: answers in a line or two, explanations in sentences, and cells of
//! tables that people read.

use gauntlet_core::measure::Measure;
use gauntlet_core::record::TimeSource;
use gauntlet_core::text::{
    capitalize, format_count, format_games, format_percent, format_points, format_significant, group_digits,
    probability_parts, round_up,
};
use gauntlet_stats::{Estimate, elo_estimate};

use super::phrases::{
    format_change, format_elo_lead, format_hundredths, format_p_value, format_rate_difference, format_signed,
    is_near_one, level_suffix,
};
use crate::compare::comparison::Comparison;
use crate::compare::earlier_looks::describe_correction;
use crate::compare::finding::UNBOUNDED;
use crate::compare::finding::{DifferenceDetail, Effect, TimeBasis};
use crate::compare::pairing::Pairing;
use crate::compare::question::{ComparisonQuestion, Conclusion};
use crate::compare::verdict::Verdict;

/// Test behind a p-value.
#[derive(Clone, Copy)]
enum TestKind {
    /// Valid at any number of games.
    Anytime,
    /// Of a margin.
    OneSided,
    McNemar,
    TTest,
    /// The only test of its measure.
    Other,
}

impl TestKind {
    /// Returns the name as answers have it.
    fn name(self) -> &'static str {
        match self {
            TestKind::Anytime => "anytime",
            TestKind::OneSided => "one-sided",
            TestKind::McNemar => "McNemar",
            TestKind::TTest => "t-test",
            TestKind::Other => "",
        }
    }
}

/// Formats a ratio with its bounds: in per cent if it is near 1, otherwise as a factor. Each form
/// has its unit.
fn format_ratio_difference(ratio: Estimate, percent: &str, factor: &str) -> String {
    if is_near_one(ratio) {
        return format_change(ratio.map(|value| value - 1.0), percent);
    }
    let [value, low, high] = [ratio.value, ratio.low, ratio.high].map(format_significant);
    format!("{value}{factor}[{low}, {high}]")
}

/// How a difference is printed in a cell of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceFormat {
    /// With decimals.
    All,
    /// Whole numbers.
    Whole,
    /// A sign only: which player is better.
    Sign,
}

impl Comparison {
    /// Returns the lead of the first player, which sorts comparisons of one measure: 0 if both are
    /// equal, `None` if too little is known.
    pub fn lead(&self) -> Option<f64> {
        self.finding.effect.map(Effect::lead)
    }

    /// Returns both names, in reverse order if `is_swapped`.
    pub fn names(&self, is_swapped: bool) -> [&str; 2] {
        if is_swapped { [&self.rival, &self.player] } else { [&self.player, &self.rival] }
    }

    /// Returns the verdict on the first player, or on the second if `is_swapped`.
    pub fn verdict(&self, is_swapped: bool) -> &'static str {
        Verdict::from_comparison(self.conclusion().swap_players_if(is_swapped)).word()
    }

    /// Returns the answer without its verdict: the difference with its interval, p, the test and
    /// the number of games.
    pub fn answer(&self) -> String {
        let Comparison { player, rival, question, .. } = self;
        let note = self.note.as_ref().map_or_else(String::new, |note| format!("; {note}"));
        if let Some(stop_conclusion) = &self.stop_conclusion {
            return format!("{player} vs {rival}: {}{note}", stop_conclusion.answer);
        }
        let Some(effect) = self.finding.effect else {
            let reason = self.note.as_ref().map_or_else(String::new, |note| format!(": {note}"));
            return format!("{player} vs {rival}: not comparable by {}{reason}", question.measure);
        };
        let level = level_suffix(question.level);
        let difference = match (self.finding.detail, effect) {
            (DifferenceDetail::Points { share: Some(share), .. }, _) => {
                let lead = format_elo_lead("Elo", elo_estimate(share));
                format!("{}, {lead}{level}", format_hundredths(share, " % of points "))
            }
            _ => self.format_effect(effect, &level),
        };
        let margin = question.margin.map(|margin| match effect {
            Effect::Difference(_) => format!("margin {}", format_points(margin)),
            Effect::Ratio(_) | Effect::Times(_) => format!("margin {}", format_percent(margin)),
        });
        let equality_note = self.is_same().then(|| "equal on every seed".to_owned());
        let parts =
            [margin, Some(self.format_evidence()).filter(|evidence| !evidence.is_empty()), equality_note];
        let parts: String = parts.into_iter().flatten().map(|part| format!("; {part}")).collect();
        format!("{player} vs {rival}: {difference}{parts}{note}")
    }

    /// Formats a difference with its measure: `+4.1 points of wins [2.9, 5.3]`.
    fn format_effect(&self, effect: Effect, level: &str) -> String {
        let measure_name = match self.finding.detail {
            DifferenceDetail::Time { time_source: TimeSource::Wall, .. } => "time per move",
            DifferenceDetail::Time { .. } => "CPU time per move",
            _ => "score",
        };
        match effect {
            Effect::Difference(difference) => {
                format_rate_difference(self.question.measure, difference, level)
            }
            Effect::Ratio(ratio) | Effect::Times(ratio) if ratio.high >= UNBOUNDED => {
                format!("{measure_name} ratio unbounded")
            }
            Effect::Ratio(ratio) | Effect::Times(ratio) => {
                format_ratio_difference(
                    ratio,
                    &format!(" % {measure_name} "),
                    &format!(" times the {measure_name} "),
                ) + level
            }
        }
    }

    /// Formats p, its test with its corrections, and the number of games.
    fn format_evidence(&self) -> String {
        let correction = describe_correction(self.question.earlier_to_correct());
        let p = self
            .decisive_p(self.conclusion())
            .map(|p| format_p_value(p, self.test().name(), self.family_size, correction));
        let games = match (self.question.measure, self.pairing, self.finding.detail) {
            (_, _, DifferenceDetail::Time { basis, .. }) => {
                let is_relative = basis != Ok(TimeBasis::SideBySide);
                is_relative.then(|| "in units of the calibration loop".to_owned())
            }
            (_, Pairing::Paired(pairs), _) => Some(format_count(pairs, "pair")),
            (_, Pairing::Independent(one, other), _) if one == other => {
                Some(format!("{} games each, unpaired", group_digits(one)))
            }
            (_, Pairing::Independent(one, other), _) => {
                Some(format!("{} and {} games, unpaired", group_digits(one), group_digits(other)))
            }
        };
        p.into_iter().chain(games).collect::<Vec<_>>().join(", ")
    }

    /// Formats the difference with its interval: `+14.0 points [10.4, 17.6]`, `+12.0 % [10.0,
    /// 14.0]`, `2.50 times [2.00, 3.33]`. Empty if too little is known.
    pub fn format_difference(&self, is_swapped: bool) -> String {
        let Some(effect) = self.finding.effect_from(is_swapped) else { return String::new() };
        match effect {
            Effect::Difference(difference) => format_change(difference, " points "),
            Effect::Ratio(ratio) | Effect::Times(ratio) if ratio.high >= UNBOUNDED => "unbounded".to_owned(),
            Effect::Ratio(ratio) | Effect::Times(ratio) => format_ratio_difference(ratio, " % ", " times "),
        }
    }

    /// Formats the difference for a cell of a matrix: more is better, and a question mark means
    /// inconclusive.
    pub fn format_cell(&self, is_swapped: bool, format: DifferenceFormat) -> String {
        let Some(effect) = self.finding.effect_from(is_swapped) else { return String::new() };
        let question_mark = if self.conclusion() == Conclusion::Inconclusive { "?" } else { "" };
        if format == DifferenceFormat::Sign {
            let sign = if effect.lead() < 0.0 { "-" } else { "+" };
            return if question_mark.is_empty() { sign } else { question_mark }.to_owned();
        }
        let is_whole = format == DifferenceFormat::Whole;
        let decimals = if is_whole { 0 } else { 1 };
        let ratio = match effect {
            Effect::Difference(difference) => {
                return format_signed(100.0 * difference.value, decimals) + question_mark;
            }
            Effect::Ratio(ratio) => ratio,
            // Speed is the inverse of time.
            Effect::Times(ratio) => ratio.map_decreasing(f64::recip),
        };
        let number = match ratio.value {
            value if is_near_one(ratio) => format_signed(100.0 * (value - 1.0), decimals) + "%",
            value if is_whole => format!("{value:.1}x"),
            value => format!("{}x", format_significant(value)),
        };
        number + question_mark
    }

    /// Returns the sign and the number of the p that decides the verdict. If several comparisons
    /// are made, p is corrected.
    pub fn deciding_p(&self) -> Option<(char, String)> {
        self.decisive_p(self.conclusion()).map(probability_parts)
    }

    /// Formats the number of games compared.
    pub fn format_games(&self) -> String {
        match self.pairing {
            _ if self.question.measure.is_time() => String::new(),
            Pairing::Paired(games) => format!("{} pairs", group_digits(games)),
            Pairing::Independent(one, other) if one == other => format!("{} each", group_digits(one)),
            Pairing::Independent(one, other) => format!("{} and {}", group_digits(one), group_digits(other)),
        }
    }

    /// Returns what the answer lacks, in at most three sentences: the test and its assumptions, and
    /// what more games would show.
    pub fn explanation(&self) -> String {
        if let Some(stop_conclusion) = &self.stop_conclusion {
            return stop_conclusion.explanation.clone();
        }
        if self.finding.effect.is_none() {
            return String::new();
        }
        let left_out = self.describe_left_out_games().map(|left_out| format!("{}.", capitalize(&left_out)));
        let sentences =
            [self.describe_test(), left_out, self.suggest_more_games(), self.describe_corrections()];
        let sentences: Vec<String> = sentences.into_iter().flatten().collect();
        sentences[sentences.len().saturating_sub(3)..].join(" ")
    }

    /// Returns the test behind p.
    fn test(&self) -> TestKind {
        let ComparisonQuestion { margin, is_sequential, .. } = self.question;
        match (self.finding.detail, self.pairing) {
            (DifferenceDetail::Rate { .. }, Pairing::Paired(_)) | (DifferenceDetail::Points { .. }, _)
                if is_sequential =>
            {
                TestKind::Anytime
            }
            _ if margin.is_some() => TestKind::OneSided,
            (DifferenceDetail::Rate { .. }, Pairing::Paired(_)) => TestKind::McNemar,
            (DifferenceDetail::Score { .. }, _) => TestKind::TTest,
            _ => TestKind::Other,
        }
    }

    /// Returns a sentence on the test and what it assumes.
    fn describe_test(&self) -> Option<String> {
        let Comparison { player, rival, question, .. } = self;
        Some(match (self.test(), self.finding.detail) {
            (TestKind::Anytime, _) => {
                "p and the interval are valid although the run may stop at any block.".to_owned()
            }
            (TestKind::OneSided, _) => format!(
                "p is the probability of such a result if {player} were worse than {rival} by exactly the margin."
            ),
            (_, DifferenceDetail::Rate { pairs: Some(pairs) }) => {
                let success_verb = match question.measure {
                    Measure::Reach(threshold) => format!("reached {}", threshold.value()),
                    _ => "won".to_owned(),
                };
                let differing_seeds = format_count(pairs.discordant(), "seed");
                format!("McNemar's test uses the {differing_seeds} on which only one player {success_verb}.")
            }
            (_, DifferenceDetail::Rate { pairs: None }) => {
                "Seeds differ, so p is from Barnard's exact test or, with many games, a score test."
                    .to_owned()
            }
            (_, DifferenceDetail::Score { is_shifted: true, .. }) => {
                "Ratio and t-test use mean logarithms of scores plus 1, because some scores are 0.".to_owned()
            }
            (_, DifferenceDetail::Score { differing_seeds, .. }) => {
                let few_differing = differing_seeds.filter(|seeds| 2 * seeds < self.pairing.smaller_count());
                let few_clause = few_differing.map_or_else(String::new, |few| {
                    format!(
                        "; scores differ on {} of {}",
                        group_digits(few),
                        format_count(self.pairing.smaller_count(), "seed")
                    )
                });
                format!("Ratio and t-test use mean logarithms of scores, not mean scores{few_clause}.")
            }
            (_, DifferenceDetail::Points { openings, .. }) => {
                let openings = format_count(openings, "opening");
                format!("p is from an exact sign-flip test, which assumes that {openings} are independent.")
            }
            (_, DifferenceDetail::Time { basis: Ok(TimeBasis::AcrossRuns), .. }) => {
                "The runs differ, so each time is divided by the time of the calibration loop.".to_owned()
            }
            (_, DifferenceDetail::Time { basis: Ok(TimeBasis::AcrossSessions), .. }) => {
                "The players were timed in different sessions of a run, so each time is divided by the \
                 time of the calibration loop."
                    .to_owned()
            }
            (_, DifferenceDetail::Time { .. }) => {
                "Both players were timed side by side in the same run.".to_owned()
            }
        })
    }

    /// Returns a sentence on what p and interval are corrected for.
    fn describe_corrections(&self) -> Option<String> {
        let family = (self.family_size > 1).then(|| format_count(self.family_size as u64, "comparison"));
        Some(match (self.describe_earlier_answers(), family) {
            (None, None) => return None,
            (None, Some(family)) => {
                format!("p is corrected for {family} by Holm's method; the interval is not corrected.")
            }
            (Some(correction), None) => format!("The interval and p are {correction}."),
            (Some(correction), Some(family)) => {
                format!("The interval and p are {correction}; p also for {family}.")
            }
        })
    }

    /// Says that the answer is corrected for earlier answers, in words that continue a sentence.
    /// `None` without earlier answers.
    pub fn describe_earlier_answers(&self) -> Option<String> {
        describe_correction(self.question.earlier_to_correct())
    }

    /// Returns caveats about the games, in words that continue a sentence.
    pub fn caveats(&self) -> Vec<String> {
        let is_shifted = matches!(self.finding.detail, DifferenceDetail::Score { is_shifted: true, .. });
        let shift_note = is_shifted.then(|| "1 was added to every score, because some are 0".to_owned());
        [shift_note, self.describe_left_out_games(), self.describe_earlier_answers(), self.note.clone()]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Says how many games are left out of pairs.
    fn describe_left_out_games(&self) -> Option<String> {
        (self.left_out_games > 0).then(|| {
            format!("left out: {} without a partner on the same seed", format_games(self.left_out_games))
        })
    }

    /// Returns a sentence on how many more games would detect a relevant difference. If the games
    /// played are enough, it is on the difference that they detect. `None` for a significant
    /// answer.
    fn suggest_more_games(&self) -> Option<String> {
        let (needed_games, detectable) = self.games_needed()?;
        let (difference, format): (f64, fn(f64) -> String) = match self.finding.detail {
            DifferenceDetail::Score { .. } => (self.relevant_difference.score, format_percent),
            _ => (self.relevant_difference.rate, format_points),
        };
        let games_played = self.pairing.smaller_count();
        let more_games = needed_games.ceil() - games_played as f64;
        let (games, difference) = if more_games >= 1.0 && more_games.is_finite() {
            let number = group_digits(round_up(more_games as u64));
            (format!("{number} more games of each player would detect"), difference)
        } else {
            (format!("{} of each player detect", format_games(games_played)), detectable?)
        };
        Some(format!("{games} a difference of {} with a power of 80 %.", format(difference)))
    }
}

impl Comparison {
    /// Suggests a measure that may separate two players who both won no game, or every game. The
    /// words continue a sentence.
    pub(crate) fn suggest_measure(&self) -> &'static str {
        match (self.question.measure, self.finding.values) {
            (Measure::Win, [Some(0.0), Some(0.0)]) => {
                "; no wins on either side; compare scores with by = \"score\""
            }
            (Measure::Win, [Some(1.0), Some(1.0)]) => {
                "; no losses on either side; compare scores with by = \"score\""
            }
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::measure::Measure;
    use gauntlet_core::record::TimeSource;

    use super::*;
    use crate::compare::finding::{DifferenceDetail, MeasuredDifference, TimeBasis};

    fn example_comparison(measure: Measure, [low, value, high]: [f64; 3], p: f64) -> Comparison {
        let estimate = Estimate { value, low, high, level: 0.95 };
        let (effect, detail) = match measure {
            Measure::Score => {
                let detail = DifferenceDetail::Score {
                    spread: Some(0.6),
                    is_shifted: false,
                    differing_seeds: None,
                    ranks: None,
                };
                (Effect::Ratio(estimate), detail)
            }
            Measure::MsPerMove => (
                Effect::Times(estimate),
                DifferenceDetail::Time {
                    basis: Ok(TimeBasis::SideBySide),
                    time_source: TimeSource::Thoughts,
                },
            ),
            _ => (Effect::Difference(estimate), DifferenceDetail::Rate { pairs: None }),
        };
        let finding = MeasuredDifference { values: [None; 2], effect: Some(effect), detail };
        Comparison::example(measure, finding, p, None)
    }

    /// Checks verdict, difference and matrix cells, as seen from each side.
    #[track_caller]
    fn assert_texts(comparison: &Comparison, expected: [[&str; 5]; 2]) {
        let actual = [false, true].map(|is_swapped| {
            let [all, whole, sign] = [DifferenceFormat::All, DifferenceFormat::Whole, DifferenceFormat::Sign]
                .map(|format| comparison.format_cell(is_swapped, format));
            [
                comparison.verdict(is_swapped).to_owned(),
                comparison.format_difference(is_swapped),
                all,
                whole,
                sign,
            ]
        });
        assert_eq!(actual, expected.map(|side| side.map(str::to_owned)));
    }

    #[test]
    fn three_words_and_a_number() {
        assert_texts(
            &example_comparison(Measure::Win, [0.104, 0.14, 0.176], 1e-9),
            [
                ["better", "+14.0 points [10.4, 17.6]", "+14.0", "+14", "+"],
                ["worse", "-14.0 points [-17.6, -10.4]", "-14.0", "-14", "-"],
            ],
        );
        assert_texts(
            &example_comparison(Measure::Win, [-0.012, 0.0, 0.012], 1.0),
            [
                ["inconclusive", "+0.0 points [-1.2, 1.2]", "+0.0?", "+0?", "?"],
                ["inconclusive", "+0.0 points [-1.2, 1.2]", "+0.0?", "+0?", "?"],
            ],
        );
        assert_texts(
            &example_comparison(Measure::Score, [1.1, 1.12, 1.14], 1e-9),
            [
                ["better", "+12.0 % [10.0, 14.0]", "+12.0%", "+12%", "+"],
                ["worse", "-10.7 % [-12.3, -9.1]", "-10.7%", "-11%", "-"],
            ],
        );
        assert_texts(
            &example_comparison(Measure::Score, [2.0, 2.5, 10.0 / 3.0], 1e-9),
            [
                ["better", "2.50 times [2.00, 3.33]", "2.50x", "2.5x", "+"],
                ["worse", "0.40 times [0.30, 0.50]", "0.40x", "0.4x", "-"],
            ],
        );
        // Less time is faster, and a matrix shows speed.
        assert_texts(
            &example_comparison(Measure::MsPerMove, [0.2, 0.25, 0.3], 1e-9),
            [
                ["better", "0.25 times [0.20, 0.30]", "4.00x", "4.0x", "+"],
                ["worse", "4.00 times [3.33, 5.00]", "0.25x", "0.2x", "-"],
            ],
        );
        assert_texts(
            &example_comparison(Measure::Score, [1e-9, 1.0, 1e9], 1.0),
            [
                ["inconclusive", "unbounded", "+0.0%?", "+0%?", "?"],
                ["inconclusive", "unbounded", "+0.0%?", "+0%?", "?"],
            ],
        );
    }
}
