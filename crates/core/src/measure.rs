//! Measures that compare players: wins, a fact that reaches a value, the score, the time.
//! Quantities for which sources publish numbers: the measures, and some that do not show who is
//! better.
//!
//! The shape of a game and its declared facts determine its measures. Each section of a file
//! defines which measures it accepts.

use std::ops::Range;
use std::{fmt, iter};

use crate::diagnostic::{Diagnostic, nearest};
use crate::game::{Fact, Facts, Shape};
use crate::settings::{self, tree::TomlValue};

/// Measure that compares players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// Share of games won.
    Win,
    /// Share of games that end with a fact of at least this value.
    Reach(FactThreshold),
    /// Mean score.
    Score,
    /// Share of points in head-to-head games: a win counts one, a draw one half.
    Points,
    /// Thinking time per move in milliseconds.
    MsPerMove,
}

/// Property of a player's games for which sources publish numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// Share of games won.
    Win,
    /// Share of games that end with a fact of at least this value.
    Reach(FactThreshold),
    /// Score of a game.
    Score,
    /// Number of moves of a game.
    Moves,
    /// Thinking time per move in milliseconds.
    MsPerMove,
    /// Thinking time per game in milliseconds.
    MsPerGame,
}

/// Threshold of a fact, which a game reaches or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FactThreshold {
    facts: &'static [Fact],
    fact: usize,
    value: i64,
}

impl FactThreshold {
    /// Returns the index of the fact among the facts of the game.
    pub fn fact(self) -> usize {
        self.fact
    }

    /// Returns the threshold.
    pub fn value(self) -> i64 {
        self.value
    }

    /// Returns the word that files write before the threshold.
    pub fn word(self) -> &'static str {
        self.facts[self.fact].word
    }

    /// Returns true if a game that ended with these facts reached the threshold.
    pub fn is_in(self, facts: &Facts) -> bool {
        facts[self.fact] >= self.value
    }
}

/// Writes the share of games that reach the threshold, as in files.
impl fmt::Display for FactThreshold {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.word(), self.value)
    }
}

impl Measure {
    /// Returns true for a share of all games.
    pub fn is_rate(self) -> bool {
        matches!(self, Measure::Win | Measure::Reach(_))
    }

    /// Returns true for a clock reading.
    pub fn is_time(self) -> bool {
        self == Measure::MsPerMove
    }

    /// Returns true if a sequential test of this measure exists that is valid after every game.
    /// There is none for means.
    pub fn has_sequential_test(self) -> bool {
        self.is_rate() || self == Measure::Points
    }
}

impl Quantity {
    /// Returns true for a share of all games.
    pub fn is_rate(self) -> bool {
        matches!(self, Quantity::Win | Quantity::Reach(_))
    }

    /// Returns true for a clock reading.
    pub fn is_time(self) -> bool {
        matches!(self, Quantity::MsPerMove | Quantity::MsPerGame)
    }

    /// Returns true if each game has an amount of it, so that a median exists.
    pub fn is_amount(self) -> bool {
        matches!(self, Quantity::Score | Quantity::Moves)
    }

    /// Returns why a number is impossible for this quantity, if it is.
    pub fn invalid_reason(self, number: f64) -> Option<&'static str> {
        if self.is_rate() {
            (!(0.0..=1.0).contains(&number)).then_some("a rate is a share of all games, from 0 to 1")
        } else {
            (number < 0.0).then_some("must not be below 0")
        }
    }
}

/// Writes the measure as in files.
impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Measure::Win => f.write_str("win"),
            Measure::Reach(threshold) => threshold.fmt(f),
            Measure::Score => f.write_str("score"),
            Measure::Points => f.write_str("points"),
            Measure::MsPerMove => f.write_str("ms-per-move"),
        }
    }
}

/// Writes the quantity as in files.
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Quantity::Win => f.write_str("win"),
            Quantity::Reach(threshold) => threshold.fmt(f),
            Quantity::Score => f.write_str("score"),
            Quantity::Moves => f.write_str("moves"),
            Quantity::MsPerMove => f.write_str("ms-per-move"),
            Quantity::MsPerGame => f.write_str("ms-per-game"),
        }
    }
}

/// Returns true if the word names a rate. The words of rates differ between games; all other
/// quantities have the same words in every game.
pub fn is_rate_name(word: &str) -> bool {
    let others = [Quantity::Score, Quantity::Moves, Quantity::MsPerMove, Quantity::MsPerGame];
    !others.iter().any(|quantity| quantity.to_string() == word)
}

/// Measures and quantities, which have names in files.
pub trait GameMetric: Copy + PartialEq + fmt::Display {
    /// Returns all of a game, with the example value of each fact.
    fn all(measures: MeasureSet) -> Vec<Self>;

    /// Returns the share of games that reach a threshold.
    fn from_threshold(threshold: FactThreshold) -> Self;

    /// Returns the threshold, if this is a share of games that reach one.
    fn threshold(self) -> Option<FactThreshold>;
}

impl GameMetric for Measure {
    fn all(measures: MeasureSet) -> Vec<Measure> {
        match measures.shape {
            Shape::Solo => {
                let thresholds = measures.examples().map(Measure::Reach);
                let others = [Measure::Score, Measure::MsPerMove];
                iter::once(Measure::Win).chain(thresholds).chain(others).collect()
            }
            Shape::Duel => vec![Measure::Points, Measure::MsPerMove],
        }
    }

    fn from_threshold(threshold: FactThreshold) -> Measure {
        Measure::Reach(threshold)
    }

    fn threshold(self) -> Option<FactThreshold> {
        if let Measure::Reach(threshold) = self { Some(threshold) } else { None }
    }
}

impl GameMetric for Quantity {
    fn all(measures: MeasureSet) -> Vec<Quantity> {
        let times = [Quantity::MsPerMove, Quantity::MsPerGame];
        match measures.shape {
            Shape::Solo => {
                let thresholds = measures.examples().map(Quantity::Reach);
                let amounts = [Quantity::Score, Quantity::Moves];
                iter::once(Quantity::Win).chain(thresholds).chain(amounts).chain(times).collect()
            }
            Shape::Duel => times.to_vec(),
        }
    }

    fn from_threshold(threshold: FactThreshold) -> Quantity {
        Quantity::Reach(threshold)
    }

    fn threshold(self) -> Option<FactThreshold> {
        if let Quantity::Reach(threshold) = self { Some(threshold) } else { None }
    }
}

/// Measures of one game.
#[derive(Clone, Copy, Debug)]
pub struct MeasureSet {
    /// Shape of the game.
    pub shape: Shape,
    /// Facts of the game.
    pub facts: &'static [Fact],
}

/// Reason why a text is not a measure of a game.
#[derive(Debug, PartialEq)]
enum Unknown {
    Word,
    /// The number is not a value of the fact, for this reason.
    Value(String),
}

impl MeasureSet {
    /// Returns one example value of each fact.
    fn examples(self) -> impl Iterator<Item = FactThreshold> {
        let example_threshold = move |(fact, declared): (usize, &Fact)| FactThreshold {
            facts: self.facts,
            fact,
            value: declared.example,
        };
        self.facts.iter().enumerate().map(example_threshold)
    }

    /// Returns true if the game has this measure or quantity.
    pub fn has<M: GameMetric>(self, metric: M) -> bool {
        let is_same = |candidate: M| match candidate.threshold().zip(metric.threshold()) {
            Some((candidate, metric)) => {
                candidate.fact == metric.fact && candidate.facts[candidate.fact] == metric.facts[metric.fact]
            }
            None => candidate == metric,
        };
        M::all(self).into_iter().any(is_same)
    }

    /// Finds the measure or quantity that a text names, if the game has it.
    pub fn find<M: GameMetric>(self, text: &str) -> Option<M> {
        self.parse(text).ok()
    }

    fn parse<M: GameMetric>(self, text: &str) -> Result<M, Unknown> {
        // In files, `ms` always means the time per move.
        let name = if text == "ms" { "ms-per-move" } else { text };
        for candidate in M::all(self) {
            let Some(example) = candidate.threshold() else {
                if candidate.to_string() == name {
                    return Ok(candidate);
                }
                continue;
            };
            let number = text.strip_prefix(example.word()).and_then(|rest| rest.strip_prefix(' '));
            if let Some(number) = number {
                let value = number.parse().unwrap_or(0);
                return match (self.facts[example.fact].invalid_reason)(value) {
                    Some(reason) => Err(Unknown::Value(reason)),
                    None => Ok(M::from_threshold(FactThreshold { value, ..example })),
                };
            }
        }
        Err(Unknown::Word)
    }

    /// Reads a measure or quantity from a file, among those accepted there.
    pub fn read<M: GameMetric>(
        self,
        value: &TomlValue,
        span: Range<usize>,
        is_allowed: impl Fn(M) -> bool,
    ) -> Result<M, Diagnostic> {
        let examples: Vec<M> = M::all(self).into_iter().filter(|&metric| is_allowed(metric)).collect();
        let Some(text) = value.as_text() else {
            let message = settings::mistyped_message(&self.list_measures(&examples), value);
            return Err(Diagnostic::new(span, message));
        };
        match self.parse(text) {
            Ok(metric) if is_allowed(metric) => Ok(metric),
            Err(Unknown::Value(reason)) => Err(Diagnostic::new(span, reason)),
            Ok(_) | Err(Unknown::Word) => {
                let known_names: Vec<String> = examples.iter().map(M::to_string).collect();
                let suggestion = nearest(text, known_names.iter().map(String::as_str));
                let help = suggestion.map(|name| format!("did you mean \"{name}\"?"));
                let message = format!("must be {}", self.list_measures(&examples));
                Err(Diagnostic { span: Some(span), message, help, ..Diagnostic::default() })
            }
        }
    }

    /// Lists the accepted measures, as `"win" or "reach 2048"`.
    pub fn list_names(self, is_allowed: impl Fn(Measure) -> bool) -> Option<String> {
        let names = Measure::all(self).into_iter().filter(|&measure| is_allowed(measure));
        let names: Vec<String> = names.map(|measure| format!("\"{measure}\"")).collect();
        let (last, others) = names.split_last()?;
        Some(if others.is_empty() { last.clone() } else { format!("{} or {last}", others.join(", ")) })
    }

    /// Lists the measures with a word for the other values of each fact, as `"win", "reach 2048" or
    /// another tile, or "score"`.
    fn list_measures<M: GameMetric>(self, all: &[M]) -> String {
        let mut text = String::new();
        for (i, metric) in all.iter().enumerate() {
            let is_last = i + 1 == all.len();
            let follows_or = i > 0 && all[i - 1].threshold().is_some();
            text += match (i, is_last, follows_or) {
                (0, ..) => "",
                (_, true, true) => ", or ",
                (_, true, false) => " or ",
                (_, false, _) => ", ",
            };
            text += &format!("\"{metric}\"");
            if let Some(threshold) = metric.threshold() {
                text += &format!(" or another {}", self.facts[threshold.fact].value_name);
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fact whose values are the powers of two from 8 to 131072.
    const FACTS: &[Fact] = &[Fact {
        column: "max_tile",
        table: "max-tile",
        noun: "largest tile",
        value_name: "tile",
        word: "reach",
        example: 2048,
        invalid_reason: |value| {
            let is_value = (8..=131_072).contains(&value) && value.count_ones() == 1;
            (!is_value).then(|| format!("{value} is not a tile"))
        },
        next_value: |value| 2 * value,
    }];

    const SOLO: MeasureSet = MeasureSet { shape: Shape::Solo, facts: FACTS };

    #[test]
    fn a_measure_is_written_as_it_is_read() {
        for word in
            ["win", "reach 8", "reach 2048", "reach 131072", "score", "moves", "ms-per-move", "ms-per-game"]
        {
            let quantity = SOLO.parse::<Quantity>(word).expect(word);
            assert_eq!(quantity.to_string(), word);
            assert!(SOLO.has(quantity), "{word}");
            let measure = SOLO.find::<Measure>(word).map(|measure| measure.to_string());
            assert_eq!(
                measure.as_deref(),
                Some(word).filter(|word| !["moves", "ms-per-game"].contains(word))
            );
        }
        for word in ["", "Win", "reach", "reach2048", "2048", "ns"] {
            assert_eq!(SOLO.parse::<Quantity>(word), Err(Unknown::Word), "{word:?}");
            assert_eq!(SOLO.parse::<Measure>(word), Err(Unknown::Word), "{word:?}");
        }
        for word in
            ["reach ", "reach 0", "reach -8", "reach 2047", "reach 4", "reach 262144", "reach  8", "reach x"]
        {
            assert!(matches!(SOLO.parse::<Measure>(word), Err(Unknown::Value(_))), "{word:?}");
        }
    }

    #[test]
    fn a_value_is_reached_by_as_much_or_more() {
        let Some(Measure::Reach(threshold)) = SOLO.find("reach 64") else { panic!("must be a measure") };
        assert_eq!([32, 64, 128].map(|value| threshold.is_in(&[value, 0])), [false, true, true]);
    }

    #[test]
    fn a_duel_has_points_and_times() {
        let duel = MeasureSet { shape: Shape::Duel, facts: &[] };
        for word in ["win", "score", "moves", "reach 2048"] {
            assert_eq!((duel.find::<Measure>(word), duel.find::<Quantity>(word)), (None, None));
            assert!(!duel.has(SOLO.find::<Quantity>(word).expect("a quantity of 2048")), "{word}");
        }
        assert_eq!(duel.find("points"), Some(Measure::Points));
        assert_eq!(duel.find("ms"), Some(Measure::MsPerMove));
        assert_eq!(duel.list_names(Measure::is_rate), None);
        assert_eq!(SOLO.find::<Measure>("points"), None);
        assert_eq!(duel.find::<Quantity>("points"), None);
    }

    #[test]
    fn what_may_stand_somewhere_is_listed() {
        let value = TomlValue::Truth(true);
        let error_message = |is_allowed: fn(Measure) -> bool| {
            SOLO.read(&value, 0..1, is_allowed).expect_err("is no text").message
        };
        let all = "\"win\", \"reach 2048\" or another tile, \"score\", \"moves\", \"ms-per-move\" or \"ms-per-game\"";
        let error = SOLO.read::<Quantity>(&value, 0..1, |_| true).expect_err("is no text");
        assert_eq!(error.message, format!("must be {all}, not a boolean"));
        let no_time = "must be \"win\", \"reach 2048\" or another tile, or \"score\", not a boolean";
        assert_eq!(error_message(|measure| !measure.is_time()), no_time);
        assert_eq!(SOLO.list_names(Measure::is_rate).as_deref(), Some("\"win\" or \"reach 2048\""));
    }
}
