//! A comparison in a few words, as it stands in a row of a table for people.

use super::comparison::{Comparison, Finding};
use super::question::Shown;
use super::rate::negated;
use super::sample::Pairing;
use super::words::{UNBOUNDED, inverted, is_near};
use crate::stats::Estimate;
use crate::text::{decimals, grouped, probability, rounded, significant};

/// How much of a difference stands in a cell of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Digits {
    /// With decimals.
    All,
    /// Whole numbers.
    Whole,
    /// Only which of both is better.
    Sign,
}

impl Comparison {
    /// How much better the first player is than the other, for putting comparisons by one measure into order: 0 where both
    /// are alike, none where too little is known.
    pub fn lead(&self) -> Option<f64> {
        match self.finding {
            Finding::Rate(finding) => finding.difference.map(|difference| difference.value),
            Finding::Score(finding) => finding.ratio.map(|ratio| ratio.estimate.value.ln()),
            Finding::Points(finding) => finding.lead().map(|lead| lead.value),
            // Less time is better.
            Finding::Time(finding) => finding.ratio.map(|ratio| -ratio.value.ln()),
        }
    }

    /// The players; turned, the other one first.
    pub fn sides(&self, is_turned: bool) -> [&str; 2] {
        if is_turned { [&self.than, &self.player] } else { [&self.player, &self.than] }
    }

    /// What is shown of the first player; turned, of the other.
    pub fn verdict(&self, is_turned: bool) -> &'static str {
        let is_time = matches!(self.finding, Finding::Time(_));
        match (self.shown(), is_turned) {
            (Shown::Yes, false) | (Shown::Opposite, true) => {
                if is_time {
                    "faster"
                } else {
                    "better"
                }
            }
            (Shown::Opposite, false) | (Shown::Yes, true) => {
                if is_time {
                    "slower"
                } else {
                    "worse"
                }
            }
            (Shown::Nothing, _) if self.lead().is_none() => "too little known",
            (Shown::Nothing, _) if self.is_same() => "did the same",
            (Shown::Nothing, _) => "not shown",
        }
    }

    /// By how much the first player differs, with the interval of that: `+14.0 points [10.4, 17.6]`, `+12.0 % [10.0, 14.0]`,
    /// `2.50 times [2.00, 3.33]`. Empty where too little is known.
    pub fn difference(&self, is_turned: bool) -> String {
        match self.estimate(is_turned) {
            None => String::new(),
            Some((difference, Scale::Points)) => bounded(difference, 100.0, 0.0, " points"),
            Some((ratio, _)) if ratio.high >= UNBOUNDED => "of any size".to_owned(),
            Some((ratio, _)) if is_near(ratio) => bounded(ratio, 100.0, -1.0, " %"),
            Some((Estimate { value, low, high, .. }, _)) => {
                let [value, low, high] = [value, low, high].map(significant);
                format!("{value} times [{low}, {high}]")
            }
        }
    }

    /// The same in a cell of a matrix: more is better, and what is not shown has a question mark.
    pub fn cell(&self, is_turned: bool, digits: Digits) -> String {
        let Some((estimate, scale)) = self.estimate(is_turned) else { return String::new() };
        let estimate = if scale == Scale::Times { inverted(estimate) } else { estimate };
        let open = if self.shown() == Shown::Nothing { "?" } else { "" };
        let lead = self.lead().map_or(0.0, |lead| if is_turned { -lead } else { lead });
        let whole = digits == Digits::Whole;
        let number = match scale {
            _ if digits == Digits::Sign && !open.is_empty() => String::new(),
            _ if digits == Digits::Sign => if lead < 0.0 { "-" } else { "+" }.to_owned(),
            Scale::Points => signed(100.0 * estimate.value, if whole { 0 } else { 1 }),
            _ if is_near(estimate) => signed(100.0 * (estimate.value - 1.0), if whole { 0 } else { 1 }) + "%",
            _ if whole => format!("{:.1}x", estimate.value),
            _ => format!("{}x", significant(estimate.value)),
        };
        number + open
    }

    /// The p that decides, corrected where several comparisons are made.
    pub fn deciding_p(&self) -> String {
        let p = self.p_of(self.shown()).map(probability);
        p.map_or_else(String::new, |p| p.trim_start_matches("= ").replace(' ', ""))
    }

    /// The games on which it rests.
    pub fn games(&self) -> String {
        match self.pairing {
            _ if matches!(self.finding, Finding::Time(_)) => String::new(),
            Pairing::Paired(games) => format!("{} pairs", grouped(games)),
            Pairing::Independent(one, other) if one == other => format!("{} each", grouped(one)),
            Pairing::Independent(one, other) => format!("{} and {}", grouped(one), grouped(other)),
        }
    }

    fn estimate(&self, is_turned: bool) -> Option<(Estimate, Scale)> {
        let (estimate, scale) = match self.finding {
            Finding::Rate(finding) => (finding.difference?, Scale::Points),
            Finding::Score(finding) => (finding.ratio?.estimate, Scale::Ratio),
            Finding::Points(finding) => (finding.lead()?, Scale::Points),
            Finding::Time(finding) => (finding.ratio?, Scale::Times),
        };
        let turn = if scale == Scale::Points { negated } else { inverted };
        Some((if is_turned { turn(estimate) } else { estimate }, scale))
    }
}

/// What a difference is counted in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    Points,
    Ratio,
    /// A ratio of times, of which less is better.
    Times,
}

/// An estimate, moved and multiplied, with its sign and its bounds.
fn bounded(estimate: Estimate, factor: f64, moved: f64, unit: &str) -> String {
    let decimals = decimals(factor * estimate.half_width());
    let [value, low, high] = [estimate.value, estimate.low, estimate.high].map(|it| factor * (it + moved));
    let [low, high] = [low, high].map(|bound| rounded(bound, decimals));
    format!("{}{unit} [{low:.decimals$}, {high:.decimals$}]", signed(value, decimals))
}

fn signed(number: f64, decimals: usize) -> String {
    format!("{:+.decimals$}", rounded(number, decimals))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::question::Question;
    use crate::compare::rate::RateFinding;
    use crate::compare::score::ScoreFinding;
    use crate::compare::time::TimeFinding;
    use crate::measure::Measure;
    use crate::stats::Ratio;

    fn comparison(by: Measure, [low, value, high]: [f64; 3], p: f64) -> Comparison {
        let estimate = Estimate { value, low, high, level: 0.95 };
        let finding = match by {
            Measure::Score => {
                let ratio = Some(Ratio { estimate, p, spread: 0.6 });
                Finding::Score(ScoreFinding { means: [None; 2], ratio, is_shifted: false, ranks: None })
            }
            Measure::MsPerMove => {
                Finding::Time(TimeFinding { ms: [None; 2], ratio: Some(estimate), is_across_runs: false })
            }
            _ => Finding::Rate(RateFinding { rates: [None; 2], difference: Some(estimate), pairs: None }),
        };
        Comparison {
            player: "A".to_owned(),
            than: "B".to_owned(),
            question: Question { by, level: 0.95, margin: None, sequential: false },
            pairing: Pairing::Paired(1000),
            left_out: 0,
            p: Some(p),
            adjusted: None,
            opposite: None,
            decided: None,
            note: None,
            finding,
        }
    }

    /// The verdict, the difference, and the cells of a matrix; and all of that from the other side.
    #[track_caller]
    fn check(of: &Comparison, expected: [[&str; 5]; 2]) {
        let told = [false, true].map(|is_turned| {
            let [all, whole, sign] =
                [Digits::All, Digits::Whole, Digits::Sign].map(|digits| of.cell(is_turned, digits));
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
                ["not shown", "+0.0 points [-1.2, 1.2]", "+0.0?", "+0?", "?"],
                ["not shown", "+0.0 points [-1.2, 1.2]", "+0.0?", "+0?", "?"],
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
        // Less time is faster, and a matrix is of how fast they are.
        check(
            &comparison(Measure::MsPerMove, [0.2, 0.25, 0.3], 1e-9),
            [
                ["faster", "0.25 times [0.20, 0.30]", "4.00x", "4.0x", "+"],
                ["slower", "4.00 times [3.33, 5.00]", "0.25x", "0.2x", "-"],
            ],
        );
        check(
            &comparison(Measure::Score, [1e-9, 1.0, 1e9], 1.0),
            [
                ["not shown", "of any size", "+0.0%?", "+0%?", "?"],
                ["not shown", "of any size", "+0.0%?", "+0%?", "?"],
            ],
        );
    }
}
