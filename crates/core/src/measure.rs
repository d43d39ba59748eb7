//! The measures that players are compared by: wins, a fact that reaches a value, the score, the time.
//!
//! The shape of a game and the facts that it declares say which of these it has. Each section of a file says which of them
//! may stand there.

use std::fmt;

use toml::Spanned;
use toml::de::DeValue;

use crate::diagnostic::{Diagnostic, nearest};
use crate::game::{Fact, Facts, Shape};
use crate::settings;

/// A measure that players are compared by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// The share of games won.
    Win,
    /// The share of games that end with a fact at least this high.
    Reach(Reach),
    /// The mean score.
    Score,
    /// The share of points in games against each other: of games won, and of drawn ones by half.
    Points,
    /// The number of moves of a game.
    Moves,
    /// Milliseconds of thinking for a move.
    MsPerMove,
    /// Milliseconds of thinking for a game.
    MsPerGame,
}

/// A value of a fact that games reach or do not reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    facts: &'static [Fact],
    fact: usize,
    value: i64,
}

impl Reach {
    /// The place of the fact among those of the game.
    pub fn fact(self) -> usize {
        self.fact
    }

    /// The value to be reached.
    pub fn value(self) -> i64 {
        self.value
    }

    /// The word that files write before the value.
    pub fn word(self) -> &'static str {
        self.facts[self.fact].word
    }

    /// True if a game that ended with these facts reached the value.
    pub fn is_in(self, facts: &Facts) -> bool {
        facts[self.fact] >= self.value
    }
}

impl Measure {
    /// True if the number is a share of all games.
    pub fn is_rate(self) -> bool {
        matches!(self, Measure::Win | Measure::Reach(_))
    }

    /// True if the number is read from a clock.
    pub fn is_time(self) -> bool {
        matches!(self, Measure::MsPerMove | Measure::MsPerGame)
    }

    /// True if players are compared with each other by it. The length of their games, and their whole time, do
    /// not say which of them is better.
    pub fn compares(self) -> bool {
        !matches!(self, Measure::Moves | Measure::MsPerGame)
    }

    /// Reason why this is no number of the measure.
    pub fn flaw(self, number: f64) -> Option<&'static str> {
        if self.is_rate() || self == Measure::Points {
            (!(0.0..=1.0).contains(&number)).then_some("a rate is a share of all games, from 0 to 1")
        } else {
            (number < 0.0).then_some("must not be below 0")
        }
    }
}

/// True if a word that a table has for a measure means a share of games. The other measures have the same words
/// in every game; those of rates differ from game to game.
pub fn names_a_rate(word: &str) -> bool {
    let others = [Measure::Score, Measure::Points, Measure::Moves, Measure::MsPerMove, Measure::MsPerGame];
    !others.iter().any(|measure| measure.to_string() == word)
}

/// A measure as files write it.
impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Measure::Win => f.write_str("win"),
            Measure::Reach(reach) => write!(f, "{} {}", reach.word(), reach.value),
            Measure::Score => f.write_str("score"),
            Measure::Points => f.write_str("points"),
            Measure::Moves => f.write_str("moves"),
            Measure::MsPerMove => f.write_str("ms-per-move"),
            Measure::MsPerGame => f.write_str("ms-per-game"),
        }
    }
}

/// The measures of one game.
#[derive(Clone, Copy, Debug)]
pub struct Measures {
    /// The shape of the game.
    pub shape: Shape,
    /// The facts of the game.
    pub facts: &'static [Fact],
}

/// Reason why a text is no measure of a game.
#[derive(Debug, PartialEq)]
enum Unknown {
    Word,
    /// A number that is not a value of the fact, with the reason.
    Value(String),
}

impl Measures {
    /// Every measure, each fact with one value as an example.
    fn all(self) -> Vec<Measure> {
        let reach = |(fact, declared): (usize, &Fact)| {
            Measure::Reach(Reach { facts: self.facts, fact, value: declared.example })
        };
        let mut all = Vec::new();
        if self.shape == Shape::Solo {
            all.push(Measure::Win);
            all.extend(self.facts.iter().enumerate().map(reach));
            all.extend([Measure::Score, Measure::Moves]);
        } else {
            all.push(Measure::Points);
        }
        all.extend([Measure::MsPerMove, Measure::MsPerGame]);
        all
    }

    /// True if the game has this measure.
    pub fn has(self, measure: Measure) -> bool {
        let is_same = |own: &Measure| match (own, &measure) {
            (Measure::Reach(own), Measure::Reach(asked)) => {
                own.fact == asked.fact && own.facts[own.fact] == asked.facts[asked.fact]
            }
            (own, asked) => own == asked,
        };
        self.all().iter().any(is_same)
    }

    /// The measure that a text names, if the game has it.
    pub fn find(self, text: &str) -> Option<Measure> {
        self.parse(text).ok()
    }

    fn parse(self, text: &str) -> Result<Measure, Unknown> {
        // The short word is the time of a move everywhere.
        let full = if text == "ms" { "ms-per-move" } else { text };
        for measure in self.all() {
            let Measure::Reach(example) = measure else {
                if measure.to_string() == full {
                    return Ok(measure);
                }
                continue;
            };
            let number = text.strip_prefix(example.word()).and_then(|rest| rest.strip_prefix(' '));
            if let Some(number) = number {
                let value = number.parse().unwrap_or(0);
                return match (self.facts[example.fact].flaw)(value) {
                    Some(refusal) => Err(Unknown::Value(refusal)),
                    None => Ok(Measure::Reach(Reach { value, ..example })),
                };
            }
        }
        Err(Unknown::Word)
    }

    /// Reads the measure that a file names, of those that may stand there.
    pub fn read(
        self,
        written: &Spanned<DeValue>,
        may_stand: impl Fn(Measure) -> bool,
    ) -> Result<Measure, Diagnostic> {
        let examples: Vec<Measure> = self.all().into_iter().filter(|&measure| may_stand(measure)).collect();
        let Some(text) = written.get_ref().as_str() else {
            let message = settings::mistyped(&self.listed(&examples), written.get_ref());
            return Err(Diagnostic::at(written.span(), message));
        };
        match self.parse(text) {
            Ok(measure) if may_stand(measure) => Ok(measure),
            Err(Unknown::Value(refusal)) => Err(Diagnostic::at(written.span(), refusal)),
            Ok(_) | Err(Unknown::Word) => {
                let known: Vec<String> = examples.iter().map(Measure::to_string).collect();
                let near = nearest(text, known.iter().map(String::as_str));
                let help = near.map(|name| format!("did you mean \"{name}\"?"));
                let message = format!("must be {}", self.listed(&examples));
                Err(Diagnostic { span: Some(written.span()), message, help })
            }
        }
    }

    /// The measures that may stand somewhere, as `"win" or "reach 2048"`.
    pub fn names(self, may_stand: impl Fn(Measure) -> bool) -> Option<String> {
        let names = self.all().into_iter().filter(|&measure| may_stand(measure));
        let names: Vec<String> = names.map(|measure| format!("\"{measure}\"")).collect();
        let (last, others) = names.split_last()?;
        Some(if others.is_empty() { last.clone() } else { format!("{} or {last}", others.join(", ")) })
    }

    /// The same with a word for the other values of each fact, as `"win", "reach 2048" or another tile, or "score"`.
    fn listed(self, measures: &[Measure]) -> String {
        let mut text = String::new();
        for (i, measure) in measures.iter().enumerate() {
            let is_last = i + 1 == measures.len();
            let follows_or = i > 0 && matches!(measures[i - 1], Measure::Reach(_));
            text += match (i, is_last, follows_or) {
                (0, ..) => "",
                (_, true, true) => ", or ",
                (_, true, false) => " or ",
                (_, false, _) => ", ",
            };
            text += &format!("\"{measure}\"");
            if let Measure::Reach(reach) = measure {
                text += &format!(" or another {}", self.facts[reach.fact].value);
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fact whose values are the powers of two from 8 to 131072.
    const FACTS: &[Fact] = &[Fact {
        column: "max_tile",
        table: "max-tile",
        noun: "largest tile",
        value: "tile",
        word: "reach",
        example: 2048,
        flaw: |value| {
            let is_value = (8..=131_072).contains(&value) && value.count_ones() == 1;
            (!is_value).then(|| format!("{value} is no tile"))
        },
        next: |value| 2 * value,
    }];

    const SOLO: Measures = Measures { shape: Shape::Solo, facts: FACTS };

    #[test]
    fn a_measure_is_written_as_it_is_read() {
        for word in
            ["win", "reach 8", "reach 2048", "reach 131072", "score", "moves", "ms-per-move", "ms-per-game"]
        {
            let measure = SOLO.parse(word).expect(word);
            assert_eq!(measure.to_string(), word);
            assert!(SOLO.has(measure), "{word}");
        }
        for word in ["", "Win", "reach", "reach2048", "2048", "ns"] {
            assert_eq!(SOLO.parse(word), Err(Unknown::Word), "{word:?}");
        }
        for word in
            ["reach ", "reach 0", "reach -8", "reach 2047", "reach 4", "reach 262144", "reach  8", "reach x"]
        {
            assert!(matches!(SOLO.parse(word), Err(Unknown::Value(_))), "{word:?}");
        }
    }

    #[test]
    fn a_value_is_reached_by_as_much_or_more() {
        let Some(Measure::Reach(reach)) = SOLO.find("reach 64") else { panic!("must be a measure") };
        assert_eq!([32, 64, 128].map(|value| reach.is_in(&[value, 0])), [false, true, true]);
    }

    #[test]
    fn a_duel_has_points_and_times() {
        let duel = Measures { shape: Shape::Duel, facts: &[] };
        for word in ["win", "score", "moves", "reach 2048"] {
            assert_eq!(duel.find(word), None);
            assert!(!duel.has(SOLO.find(word).expect("a measure of 2048")), "{word}");
        }
        assert_eq!(duel.find("points"), Some(Measure::Points));
        assert_eq!(duel.find("ms"), Some(Measure::MsPerMove));
        assert_eq!(duel.names(Measure::is_rate), None);
        assert_eq!(SOLO.find("points"), None);
    }

    #[test]
    fn what_may_stand_somewhere_is_listed() {
        let listed = |may_stand: fn(Measure) -> bool| {
            let written = Spanned::new(0..1, DeValue::Boolean(true));
            SOLO.read(&written, may_stand).expect_err("is no text").message
        };
        let all = "\"win\", \"reach 2048\" or another tile, \"score\", \"moves\", \"ms-per-move\" or \"ms-per-game\"";
        assert_eq!(listed(|_| true), format!("must be {all}, not a boolean"));
        let no_time = "must be \"win\", \"reach 2048\" or another tile, or \"score\", not a boolean";
        assert_eq!(listed(|measure| measure.compares() && !measure.is_time()), no_time);
        assert_eq!(SOLO.names(Measure::is_rate).as_deref(), Some("\"win\" or \"reach 2048\""));
    }
}
