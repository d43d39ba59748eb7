//! Words about comparisons: answers in a line or two, explanations in sentences, and cells of tables
//! that people read.

use gauntlet_core::measure::Measure;
use gauntlet_core::record::TimeSource;
use gauntlet_core::text::{
    capital, counted, games, grouped, percent, points, probability_parts, round_up, significant,
};
use gauntlet_stats::{Estimate, elo};

use super::phrases::{
    UNBOUNDED, at_level, change, corrected_for, elo_lead, hundredths, is_near, p_value, rate_difference,
    signed,
};
use crate::compare::comparison::Comparison;
use crate::compare::finding::{DifferenceDetail, Effect, TimeBasis};
use crate::compare::pairing::Pairing;
use crate::compare::question::{ComparisonQuestion, Conclusion};
use crate::compare::verdict::Verdict;

/// Formats a ratio with its bounds: in per cent if it is near 1, otherwise as a factor. Each form
/// has its unit.
fn ratio_difference(ratio: Estimate, percent: &str, factor: &str) -> String {
    if is_near(ratio) {
        return change(ratio.map(|it| it - 1.0), percent);
    }
    let [value, low, high] = [ratio.value, ratio.low, ratio.high].map(significant);
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
    pub fn sides(&self, is_turned: bool) -> [&str; 2] {
        if is_turned { [&self.than, &self.player] } else { [&self.player, &self.than] }
    }

    /// Returns the verdict on the first player, or on the second if `is_turned`.
    pub fn verdict(&self, is_turned: bool) -> &'static str {
        Verdict::of_comparison(self.shown().turned(is_turned)).word()
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
        let level = at_level(question.level);
        let difference = match (self.finding.detail, effect) {
            (DifferenceDetail::Points { share: Some(share), .. }, _) => {
                let lead = elo_lead("Elo", elo(share));
                format!("{}, {lead}{level}", hundredths(share, " % of points "))
            }
            _ => self.amount(effect, &level),
        };
        let margin = question.margin.map(|margin| match effect {
            Effect::Difference(_) => format!("margin {}", points(margin)),
            Effect::Ratio(_) | Effect::Times(_) => format!("margin {}", percent(margin)),
        });
        let same = self.is_same().then(|| "equal on every seed".to_owned());
        let parts = [margin, Some(self.evidence()).filter(|evidence| !evidence.is_empty()), same];
        let parts: String = parts.into_iter().flatten().map(|part| format!("; {part}")).collect();
        format!("{player} vs {than}: {difference}{parts}{note}")
    }

    /// Formats a difference with its measure: `+4.1 points of wins [2.9, 5.3]`.
    fn amount(&self, effect: Effect, level: &str) -> String {
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
                ratio_difference(ratio, &format!(" % {what} "), &format!(" times the {what} ")) + level
            }
        }
    }

    /// Formats p, its test with its corrections, and the number of games.
    fn evidence(&self) -> String {
        let corrected = corrected_for(self.question.corrected_for());
        let p = self.p_of(self.shown()).map(|p| p_value(p, self.test(), self.family, corrected));
        let games = match (self.question.by, self.pairing, self.finding.detail) {
            (_, _, DifferenceDetail::Time { basis, .. }) => {
                let is_relative = basis != Ok(TimeBasis::SideBySide);
                is_relative.then(|| "in units of the calibration loop".to_owned())
            }
            (_, Pairing::Paired(pairs), _) => Some(counted(pairs, "pair")),
            (_, Pairing::Independent(one, other), _) if one == other => {
                Some(format!("{} games each, unpaired", grouped(one)))
            }
            (_, Pairing::Independent(one, other), _) => {
                Some(format!("{} and {} games, unpaired", grouped(one), grouped(other)))
            }
        };
        p.into_iter().chain(games).collect::<Vec<_>>().join(", ")
    }

    /// Formats the difference with its interval: `+14.0 points [10.4, 17.6]`, `+12.0 % [10.0,
    /// 14.0]`, `2.50 times [2.00, 3.33]`. Empty if too little is known.
    pub fn difference(&self, is_turned: bool) -> String {
        let Some(effect) = self.finding.seen(is_turned) else { return String::new() };
        match effect {
            Effect::Difference(difference) => change(difference, " points "),
            Effect::Ratio(ratio) | Effect::Times(ratio) if ratio.high >= UNBOUNDED => "unbounded".to_owned(),
            Effect::Ratio(ratio) | Effect::Times(ratio) => ratio_difference(ratio, " % ", " times "),
        }
    }

    /// Formats the difference for a cell of a matrix: more is better, and a question mark means
    /// inconclusive.
    pub fn cell(&self, is_turned: bool, digits: DifferenceFormat) -> String {
        let Some(effect) = self.finding.seen(is_turned) else { return String::new() };
        let open = if self.shown() == Conclusion::Nothing { "?" } else { "" };
        if digits == DifferenceFormat::Sign {
            let sign = if effect.lead() < 0.0 { "-" } else { "+" };
            return if open.is_empty() { sign } else { open }.to_owned();
        }
        let is_whole = digits == DifferenceFormat::Whole;
        let decimals = if is_whole { 0 } else { 1 };
        let ratio = match effect {
            Effect::Difference(difference) => return signed(100.0 * difference.value, decimals) + open,
            Effect::Ratio(ratio) => ratio,
            // Speed is the inverse of time.
            Effect::Times(ratio) => ratio.turned(f64::recip),
        };
        let number = match ratio.value {
            value if is_near(ratio) => signed(100.0 * (value - 1.0), decimals) + "%",
            value if is_whole => format!("{value:.1}x"),
            value => format!("{}x", significant(value)),
        };
        number + open
    }

    /// Returns the sign and the number of the p that decides the verdict. If several comparisons
    /// are made, p is corrected.
    pub fn deciding_p(&self) -> Option<(char, String)> {
        self.p_of(self.shown()).map(probability_parts)
    }

    /// Formats the number of games compared.
    pub fn games(&self) -> String {
        match self.pairing {
            _ if self.question.by.is_time() => String::new(),
            Pairing::Paired(games) => format!("{} pairs", grouped(games)),
            Pairing::Independent(one, other) if one == other => format!("{} each", grouped(one)),
            Pairing::Independent(one, other) => format!("{} and {}", grouped(one), grouped(other)),
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
        let left_out = self.left_out().map(|left_out| format!("{}.", capital(&left_out)));
        let sentences = [self.basis(), left_out, self.more_games(), self.corrections()];
        let sentences: Vec<String> = sentences.into_iter().flatten().collect();
        sentences[sentences.len().saturating_sub(3)..].join(" ")
    }

    /// Returns the name of the test behind p, as the answer has it; empty for the only test of a
    /// measure.
    fn test(&self) -> &'static str {
        let ComparisonQuestion { margin, sequential, .. } = self.question;
        match (self.finding.detail, self.pairing) {
            (DifferenceDetail::Rate { .. }, Pairing::Paired(_)) | (DifferenceDetail::Points { .. }, _)
                if sequential =>
            {
                "anytime"
            }
            _ if margin.is_some() => "one-sided",
            (DifferenceDetail::Rate { .. }, Pairing::Paired(_)) => "McNemar",
            (DifferenceDetail::Score { .. }, _) => "t-test",
            _ => "",
        }
    }

    /// Returns a sentence on the test and what it assumes.
    fn basis(&self) -> Option<String> {
        let Comparison { player, than, question, .. } = self;
        Some(match (self.test(), self.finding.detail) {
            ("anytime", _) => {
                "p and the interval are valid although the run may stop at any block.".to_owned()
            }
            ("one-sided", _) => format!(
                "p is the probability of such a result if {player} were worse than {than} by exactly the margin."
            ),
            (_, DifferenceDetail::Rate { pairs: Some(pairs) }) => {
                let succeeded = match question.by {
                    Measure::Reach(reach) => format!("reached {}", reach.value()),
                    _ => "won".to_owned(),
                };
                let differing = counted(pairs.discordant(), "seed");
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
                let few = differing.filter(|differing| 2 * differing < self.pairing.fewer());
                let few = few.map_or_else(String::new, |few| {
                    format!(
                        "; scores differ on {} of {}",
                        grouped(few),
                        counted(self.pairing.fewer(), "seed")
                    )
                });
                format!("Ratio and t-test use mean logarithms of scores, not mean scores{few}.")
            }
            (_, DifferenceDetail::Points { openings, .. }) => {
                let openings = counted(openings, "opening");
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
    fn corrections(&self) -> Option<String> {
        let family = (self.family > 1).then(|| counted(self.family as u64, "comparison"));
        Some(match (self.corrected(), family) {
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
    pub fn corrected(&self) -> Option<String> {
        corrected_for(self.question.corrected_for())
    }

    /// Returns caveats about the games, in words that continue a sentence.
    pub fn caveats(&self) -> Vec<String> {
        let is_shifted = matches!(self.finding.detail, DifferenceDetail::Score { is_shifted: true, .. });
        let shifted = is_shifted.then(|| "1 was added to every score, because some are 0".to_owned());
        [shifted, self.left_out(), self.corrected(), self.note.clone()].into_iter().flatten().collect()
    }

    /// Says how many games are left out of pairs.
    fn left_out(&self) -> Option<String> {
        (self.left_out > 0)
            .then(|| format!("left out: {} without a partner on the same seed", games(self.left_out)))
    }

    /// Returns a sentence on how many more games would detect a relevant difference. If the games
    /// played are enough, it is on the difference that they detect. `None` for a significant answer.
    fn more_games(&self) -> Option<String> {
        let (needed, detected) = self.games_needed()?;
        let (difference, format): (f64, fn(f64) -> String) = match self.finding.detail {
            DifferenceDetail::Score { .. } => (self.relevant.part, percent),
            _ => (self.relevant.rate, points),
        };
        let played = self.pairing.fewer();
        let more = needed.ceil() - played as f64;
        let (games, difference) = if more >= 1.0 && more.is_finite() {
            let more = grouped(round_up(more as u64));
            (format!("{more} more games of each player would detect"), difference)
        } else {
            (format!("{} of each player detect", games(played)), detected?)
        };
        Some(format!("{games} a difference of {} with a power of 80 %.", format(difference)))
    }
}

/// Suggests a measure that may separate two players who both won no game, or every game. The words
/// continue a sentence.
pub(crate) fn suggestion(comparison: &Comparison) -> &'static str {
    match (comparison.question.by, comparison.finding.values) {
        (Measure::Win, [Some(0.0), Some(0.0)]) => {
            "; no wins on either side; compare scores with by = \"score\""
        }
        (Measure::Win, [Some(1.0), Some(1.0)]) => {
            "; no losses on either side; compare scores with by = \"score\""
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::measure::Measure;
    use gauntlet_core::record::TimeSource;

    use super::*;
    use crate::compare::finding::{DifferenceDetail, MeasuredDifference, TimeBasis};

    fn comparison(by: Measure, [low, value, high]: [f64; 3], p: f64) -> Comparison {
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
    fn check(of: &Comparison, expected: [[&str; 5]; 2]) {
        let told = [false, true].map(|is_turned| {
            let [all, whole, sign] = [DifferenceFormat::All, DifferenceFormat::Whole, DifferenceFormat::Sign]
                .map(|digits| of.cell(is_turned, digits));
            [of.verdict(is_turned).to_owned(), of.difference(is_turned), all, whole, sign]
        });
        assert_eq!(told, expected.map(|side| side.map(str::to_owned)));
    }

    #[test]
    fn three_words_and_a_number() {
        check(
            &comparison(Measure::Win, [0.104, 0.14, 0.176], 1e-9),
            [
                ["better", "+14.0 points [10.4, 17.6]", "+14.0", "+14", "+"],
                ["worse", "-14.0 points [-17.6, -10.4]", "-14.0", "-14", "-"],
            ],
        );
        check(
            &comparison(Measure::Win, [-0.012, 0.0, 0.012], 1.0),
            [
                ["inconclusive", "+0.0 points [-1.2, 1.2]", "+0.0?", "+0?", "?"],
                ["inconclusive", "+0.0 points [-1.2, 1.2]", "+0.0?", "+0?", "?"],
            ],
        );
        check(
            &comparison(Measure::Score, [1.1, 1.12, 1.14], 1e-9),
            [
                ["better", "+12.0 % [10.0, 14.0]", "+12.0%", "+12%", "+"],
                ["worse", "-10.7 % [-12.3, -9.1]", "-10.7%", "-11%", "-"],
            ],
        );
        check(
            &comparison(Measure::Score, [2.0, 2.5, 10.0 / 3.0], 1e-9),
            [
                ["better", "2.50 times [2.00, 3.33]", "2.50x", "2.5x", "+"],
                ["worse", "0.40 times [0.30, 0.50]", "0.40x", "0.4x", "-"],
            ],
        );
        // Less time is faster, and a matrix shows speed.
        check(
            &comparison(Measure::MsPerMove, [0.2, 0.25, 0.3], 1e-9),
            [
                ["better", "0.25 times [0.20, 0.30]", "4.00x", "4.0x", "+"],
                ["worse", "4.00 times [3.33, 5.00]", "0.25x", "0.2x", "-"],
            ],
        );
        check(
            &comparison(Measure::Score, [1e-9, 1.0, 1e9], 1.0),
            [
                ["inconclusive", "unbounded", "+0.0%?", "+0%?", "?"],
                ["inconclusive", "unbounded", "+0.0%?", "+0%?", "?"],
            ],
        );
    }
}
