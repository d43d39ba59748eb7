//! Words about comparisons: answers in a line or two, explanations in sentences, and cells of tables
//! that people read.

use gauntlet_core::measure::Measure;
use gauntlet_core::record::TimeSource;
use gauntlet_core::text::{
    capitalize, format_count, format_games, format_percent, format_points, format_significant, group_digits,
    probability_parts, round_up,
};
use gauntlet_stats::{Estimate, elo_estimate};

use super::phrases::{
    change, elo_lead, format_signed, hundredths, is_near_one, level_suffix, p_value, rate_difference,
};
use crate::compare::comparison::Comparison;
use crate::compare::finding::UNBOUNDED;
use crate::compare::finding::{DifferenceDetail, Effect, TimeBasis};
use crate::compare::growth::describe_correction;
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
        return change(ratio.map(|it| it - 1.0), percent);
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

    /// Returns both names, in reverse order if `is_turned`.
    pub fn names(&self, is_turned: bool) -> [&str; 2] {
        if is_turned { [&self.than, &self.player] } else { [&self.player, &self.than] }
    }

    /// Returns the verdict on the first player, or on the second if `is_turned`.
    pub fn verdict(&self, is_turned: bool) -> &'static str {
        Verdict::from_comparison(self.conclusion().swap_players_if(is_turned)).word()
    }

    /// Returns the answer without its verdict: the difference with its interval, p, the test and
    /// the number of games.
    pub fn answer(&self) -> String {
        let Comparison { player, than, question, .. } = self;
        let note = self.note.as_ref().map_or_else(String::new, |note| format!("; {note}"));
        if let Some(decided) = &self.decided {
            return format!("{player} vs {than}: {}{note}", decided.answer);
        }
        let Some(effect) = self.finding.effect else {
            let reason = self.note.as_ref().map_or_else(String::new, |note| format!(": {note}"));
            return format!("{player} vs {than}: not comparable by {}{reason}", question.by);
        };
        let level = level_suffix(question.level);
        let difference = match (self.finding.detail, effect) {
            (DifferenceDetail::Points { share: Some(share), .. }, _) => {
                let lead = elo_lead("Elo", elo_estimate(share));
                format!("{}, {lead}{level}", hundredths(share, " % of points "))
            }
            _ => self.format_effect(effect, &level),
        };
        let margin = question.margin.map(|margin| match effect {
            Effect::Difference(_) => format!("margin {}", format_points(margin)),
            Effect::Ratio(_) | Effect::Times(_) => format!("margin {}", format_percent(margin)),
        });
        let same = self.is_same().then(|| "equal on every seed".to_owned());
        let parts = [margin, Some(self.format_evidence()).filter(|evidence| !evidence.is_empty()), same];
        let parts: String = parts.into_iter().flatten().map(|part| format!("; {part}")).collect();
        format!("{player} vs {than}: {difference}{parts}{note}")
    }

    /// Formats a difference with its measure: `+4.1 points of wins [2.9, 5.3]`.
    fn format_effect(&self, effect: Effect, level: &str) -> String {
        let what = match self.finding.detail {
            DifferenceDetail::Time { timed: TimeSource::Wall, .. } => "time per move",
            DifferenceDetail::Time { .. } => "CPU time per move",
            _ => "score",
        };
        match effect {
            Effect::Difference(difference) => rate_difference(self.question.by, difference, level),
            Effect::Ratio(ratio) | Effect::Times(ratio) if ratio.high >= UNBOUNDED => {
                format!("{what} ratio unbounded")
            }
            Effect::Ratio(ratio) | Effect::Times(ratio) => {
                format_ratio_difference(ratio, &format!(" % {what} "), &format!(" times the {what} ")) + level
            }
        }
    }

    /// Formats p, its test with its corrections, and the number of games.
    fn format_evidence(&self) -> String {
        let corrected = describe_correction(self.question.earlier_to_correct());
        let p = self
            .decisive_p(self.conclusion())
            .map(|p| p_value(p, self.test().name(), self.family, corrected));
        let games = match (self.question.by, self.pairing, self.finding.detail) {
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
    pub fn format_difference(&self, is_turned: bool) -> String {
        let Some(effect) = self.finding.effect_from(is_turned) else { return String::new() };
        match effect {
            Effect::Difference(difference) => change(difference, " points "),
            Effect::Ratio(ratio) | Effect::Times(ratio) if ratio.high >= UNBOUNDED => "unbounded".to_owned(),
            Effect::Ratio(ratio) | Effect::Times(ratio) => format_ratio_difference(ratio, " % ", " times "),
        }
    }

    /// Formats the difference for a cell of a matrix: more is better, and a question mark means
    /// inconclusive.
    pub fn format_cell(&self, is_turned: bool, digits: DifferenceFormat) -> String {
        let Some(effect) = self.finding.effect_from(is_turned) else { return String::new() };
        let open = if self.conclusion() == Conclusion::Nothing { "?" } else { "" };
        if digits == DifferenceFormat::Sign {
            let sign = if effect.lead() < 0.0 { "-" } else { "+" };
            return if open.is_empty() { sign } else { open }.to_owned();
        }
        let is_whole = digits == DifferenceFormat::Whole;
        let decimals = if is_whole { 0 } else { 1 };
        let ratio = match effect {
            Effect::Difference(difference) => {
                return format_signed(100.0 * difference.value, decimals) + open;
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
        number + open
    }

    /// Returns the sign and the number of the p that decides the verdict. If several comparisons
    /// are made, p is corrected.
    pub fn deciding_p(&self) -> Option<(char, String)> {
        self.decisive_p(self.conclusion()).map(probability_parts)
    }

    /// Formats the number of games compared.
    pub fn format_games(&self) -> String {
        match self.pairing {
            _ if self.question.by.is_time() => String::new(),
            Pairing::Paired(games) => format!("{} pairs", group_digits(games)),
            Pairing::Independent(one, other) if one == other => format!("{} each", group_digits(one)),
            Pairing::Independent(one, other) => format!("{} and {}", group_digits(one), group_digits(other)),
        }
    }

    /// Returns what the answer lacks, in at most three sentences: the test and its assumptions, and
    /// what more games would show.
    pub fn explanation(&self) -> String {
        if let Some(decided) = &self.decided {
            return decided.explanation.clone();
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
        let ComparisonQuestion { margin, sequential, .. } = self.question;
        match (self.finding.detail, self.pairing) {
            (DifferenceDetail::Rate { .. }, Pairing::Paired(_)) | (DifferenceDetail::Points { .. }, _)
                if sequential =>
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
        let Comparison { player, than, question, .. } = self;
        Some(match (self.test(), self.finding.detail) {
            (TestKind::Anytime, _) => {
                "p and the interval are valid although the run may stop at any block.".to_owned()
            }
            (TestKind::OneSided, _) => format!(
                "p is the probability of such a result if {player} were worse than {than} by exactly the margin."
            ),
            (_, DifferenceDetail::Rate { pairs: Some(pairs) }) => {
                let succeeded = match question.by {
                    Measure::Reach(reach) => format!("reached {}", reach.value()),
                    _ => "won".to_owned(),
                };
                let differing = format_count(pairs.discordant(), "seed");
                format!("McNemar's test uses the {differing} on which only one player {succeeded}.")
            }
            (_, DifferenceDetail::Rate { pairs: None }) => {
                "Seeds differ, so p is from Barnard's exact test or, with many games, a score test."
                    .to_owned()
            }
            (_, DifferenceDetail::Score { is_shifted: true, .. }) => {
                "Ratio and t-test use mean logarithms of scores plus 1, because some scores are 0.".to_owned()
            }
            (_, DifferenceDetail::Score { differing, .. }) => {
                let few = differing.filter(|differing| 2 * differing < self.pairing.smaller_count());
                let few = few.map_or_else(String::new, |few| {
                    format!(
                        "; scores differ on {} of {}",
                        group_digits(few),
                        format_count(self.pairing.smaller_count(), "seed")
                    )
                });
                format!("Ratio and t-test use mean logarithms of scores, not mean scores{few}.")
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
        let family = (self.family > 1).then(|| format_count(self.family as u64, "comparison"));
        Some(match (self.describe_earlier_answers(), family) {
            (None, None) => return None,
            (None, Some(family)) => {
                format!("p is corrected for {family} by Holm's method; the interval is not corrected.")
            }
            (Some(corrected), None) => format!("The interval and p are {corrected}."),
            (Some(corrected), Some(family)) => {
                format!("The interval and p are {corrected}; p also for {family}.")
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
        let shifted = is_shifted.then(|| "1 was added to every score, because some are 0".to_owned());
        [shifted, self.describe_left_out_games(), self.describe_earlier_answers(), self.note.clone()]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Says how many games are left out of pairs.
    fn describe_left_out_games(&self) -> Option<String> {
        (self.left_out > 0)
            .then(|| format!("left out: {} without a partner on the same seed", format_games(self.left_out)))
    }

    /// Returns a sentence on how many more games would detect a relevant difference. If the games
    /// played are enough, it is on the difference that they detect. `None` for a significant answer.
    fn suggest_more_games(&self) -> Option<String> {
        let (needed, detected) = self.games_needed()?;
        let (difference, format): (f64, fn(f64) -> String) = match self.finding.detail {
            DifferenceDetail::Score { .. } => (self.relevant.part, format_percent),
            _ => (self.relevant.rate, format_points),
        };
        let played = self.pairing.smaller_count();
        let more = needed.ceil() - played as f64;
        let (games, difference) = if more >= 1.0 && more.is_finite() {
            let more = group_digits(round_up(more as u64));
            (format!("{more} more games of each player would detect"), difference)
        } else {
            (format!("{} of each player detect", format_games(played)), detected?)
        };
        Some(format!("{games} a difference of {} with a power of 80 %.", format(difference)))
    }
}

impl Comparison {
    /// Suggests a measure that may separate two players who both won no game, or every game. The words
    /// continue a sentence.
    pub(crate) fn suggest_measure(&self) -> &'static str {
        match (self.question.by, self.finding.values) {
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

    fn example_comparison(by: Measure, [low, value, high]: [f64; 3], p: f64) -> Comparison {
        let estimate = Estimate { value, low, high, level: 0.95 };
        let (effect, detail) = match by {
            Measure::Score => {
                let detail = DifferenceDetail::Score {
                    spread: Some(0.6),
                    is_shifted: false,
                    differing: None,
                    ranks: None,
                };
                (Effect::Ratio(estimate), detail)
            }
            Measure::MsPerMove => (
                Effect::Times(estimate),
                DifferenceDetail::Time { basis: Ok(TimeBasis::SideBySide), timed: TimeSource::Thoughts },
            ),
            _ => (Effect::Difference(estimate), DifferenceDetail::Rate { pairs: None }),
        };
        let finding = MeasuredDifference { values: [None; 2], effect: Some(effect), detail };
        Comparison::example(by, finding, p, None)
    }

    /// Checks verdict, difference and matrix cells, as seen from each side.
    #[track_caller]
    fn assert_brief(of: &Comparison, expected: [[&str; 5]; 2]) {
        let told = [false, true].map(|is_turned| {
            let [all, whole, sign] = [DifferenceFormat::All, DifferenceFormat::Whole, DifferenceFormat::Sign]
                .map(|digits| of.format_cell(is_turned, digits));
            [of.verdict(is_turned).to_owned(), of.format_difference(is_turned), all, whole, sign]
        });
        assert_eq!(told, expected.map(|side| side.map(str::to_owned)));
    }

    #[test]
    fn three_words_and_a_number() {
        assert_brief(
            &example_comparison(Measure::Win, [0.104, 0.14, 0.176], 1e-9),
            [
                ["better", "+14.0 points [10.4, 17.6]", "+14.0", "+14", "+"],
                ["worse", "-14.0 points [-17.6, -10.4]", "-14.0", "-14", "-"],
            ],
        );
        assert_brief(
            &example_comparison(Measure::Win, [-0.012, 0.0, 0.012], 1.0),
            [
                ["inconclusive", "+0.0 points [-1.2, 1.2]", "+0.0?", "+0?", "?"],
                ["inconclusive", "+0.0 points [-1.2, 1.2]", "+0.0?", "+0?", "?"],
            ],
        );
        assert_brief(
            &example_comparison(Measure::Score, [1.1, 1.12, 1.14], 1e-9),
            [
                ["better", "+12.0 % [10.0, 14.0]", "+12.0%", "+12%", "+"],
                ["worse", "-10.7 % [-12.3, -9.1]", "-10.7%", "-11%", "-"],
            ],
        );
        assert_brief(
            &example_comparison(Measure::Score, [2.0, 2.5, 10.0 / 3.0], 1e-9),
            [
                ["better", "2.50 times [2.00, 3.33]", "2.50x", "2.5x", "+"],
                ["worse", "0.40 times [0.30, 0.50]", "0.40x", "0.4x", "-"],
            ],
        );
        // Less time is faster, and a matrix shows speed.
        assert_brief(
            &example_comparison(Measure::MsPerMove, [0.2, 0.25, 0.3], 1e-9),
            [
                ["better", "0.25 times [0.20, 0.30]", "4.00x", "4.0x", "+"],
                ["worse", "4.00 times [3.33, 5.00]", "0.25x", "0.2x", "-"],
            ],
        );
        assert_brief(
            &example_comparison(Measure::Score, [1e-9, 1.0, 1e9], 1.0),
            [
                ["inconclusive", "unbounded", "+0.0%?", "+0%?", "?"],
                ["inconclusive", "unbounded", "+0.0%?", "+0%?", "?"],
            ],
        );
    }
}
