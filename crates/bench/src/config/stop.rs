//! `[stop]`: what may end a run before all games are played.

use std::fmt;

use serde::de::{self, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::context::Context;
use super::reference::Reference;
use crate::diagnostic::Diagnostic;
use crate::game::Shape;
use crate::measure::Measure;
use crate::num::{Level, Points, Risk, Share};
use crate::settings::{self, Written};
use crate::stats::{EloTest, Model};

/// What may end a run before its last block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EarlyStop {
    /// A comparison of two players.
    Pair(PairStop),
    /// That a rate of every player is known well enough.
    Precision(Precision),
    /// The games of two players against each other.
    Duel(DuelStop),
}

/// The sequential test of two players, by their games against each other, that may end a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DuelStop {
    /// The player said to be stronger, by its place among the players of the experiment.
    pub better: usize,
    /// The other player, likewise.
    pub than: usize,
    /// The test.
    pub test: EloTest,
}

impl fmt::Display for DuelStop {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let EloTest { elo: [from, to], model, alpha, beta } = self.test;
        write!(f, "sprt between {from} and {to} {} (alpha {alpha}, beta {beta})", scale(model))
    }
}

/// What the scale of a difference is called.
pub const fn scale(model: Model) -> &'static str {
    match model {
        Model::Logistic => "Elo",
        Model::Normalized => "normalised Elo",
    }
}

/// A rate that is to be known of every player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The rate.
    pub by: Measure,
    /// How far its bounds may be from it.
    pub points: Points,
    /// How sure the bounds of all players together shall be, at every look.
    pub level: Level,
}

/// The comparison of two players that may end a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairStop {
    /// The player said to be better, by its place among the players of the experiment.
    pub better: usize,
    /// The other player, likewise.
    pub than: usize,
    /// The measure: a rate, or the score, of which only counts whose is higher.
    pub by: Measure,
    /// The rule that ends it.
    pub rule: StopRule,
}

/// The rule that ends a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StopRule {
    /// A sequential ratio test.
    Sprt(Sprt),
    /// A confidence sequence, valid at every look: the run ends when it excludes that there is no difference.
    Confidence(Level),
}

/// A sequential ratio test between two differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// The difference if the player is not better.
    pub from: f64,
    /// The difference if it is.
    pub to: f64,
    /// The risk of calling it better if it is not.
    pub alpha: Risk,
    /// The risk of calling it not better if it is.
    pub beta: Risk,
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Sprt { from, to, alpha, beta } = self;
        write!(f, "sprt between {from} and {to} (alpha {}, beta {})", alpha.get(), beta.get())
    }
}

impl fmt::Display for StopRule {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            StopRule::Sprt(sprt) => sprt.fmt(f),
            StopRule::Confidence(level) => write!(f, "confidence {level}"),
        }
    }
}

/// The name of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum RuleName {
    #[default]
    Sprt,
    Confidence,
}

/// The two differences of a sequential ratio test. A single number is the second; the first is then 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference {
    pub(super) from: f64,
    pub(super) to: f64,
}

impl<'de> Deserialize<'de> for Difference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Difference, D::Error> {
        struct Numbers;

        fn between<E: de::Error>(from: f64, to: f64) -> Result<Difference, E> {
            if from >= to {
                Err(E::custom("the lower difference comes first, and a single one is above 0"))
            } else if from < -Share::MOST || to > Share::MOST || (from + to).is_nan() {
                Err(E::custom(
                    "a difference is a share of all blocks, from -0.999999 to 0.999999: 2 points are 0.02",
                ))
            } else if to - from < Share::LEAST {
                Err(E::custom("the two differences must be at least 0.000001 apart"))
            } else {
                Ok(Difference { from, to })
            }
        }

        impl<'de> Visitor<'de> for Numbers {
            type Value = Difference;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number from 0.000001 to 0.999999, or two such as [-0.01, 0.01]")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Difference, E> {
                self.visit_f64(number as f64)
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Difference, E> {
                between(0.0, number)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Difference, A::Error> {
                let mut numbers = Vec::new();
                while let Some(number) = list.next_element::<f64>()? {
                    numbers.push(number);
                }
                match numbers[..] {
                    [from, to] => between(from, to),
                    _ => Err(de::Error::custom("must be one number, or two such as [-0.01, 0.01]")),
                }
            }
        }
        deserializer.deserialize_any(Numbers)
    }
}

/// The default differences of a sequential ratio test: none, and two points.
const DIFFERENCE: Difference = Difference { from: 0.0, to: 0.02 };

/// The most points of Elo that a test may ask for.
const MOST_ELO: f64 = 1000.0;

/// The same of normalised Elo. Beyond 230 no likelihood is found.
const MOST_NORMALISED: f64 = 200.0;

/// How far the two differences of such a test are apart at least.
const LEAST_ELO: f64 = 0.01;

/// The two differences of a test of Elo. A single number is the second; the first is then 0.
#[derive(Clone, Copy, Debug)]
struct Elo([f64; 2]);

impl<'de> Deserialize<'de> for Elo {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Elo, D::Error> {
        struct Numbers;

        fn between<E: de::Error>(from: f64, to: f64) -> Result<Elo, E> {
            // What is no number is not within either.
            if ![from, to].iter().all(|elo| elo.abs() <= MOST_ELO) {
                Err(E::custom("a difference in Elo is from -1000 to 1000"))
            } else if from >= to {
                Err(E::custom("the lower difference comes first, and a single one is above 0"))
            } else if to - from < LEAST_ELO {
                Err(E::custom("the two differences must be at least 0.01 apart"))
            } else {
                Ok(Elo([from, to]))
            }
        }

        impl<'de> Visitor<'de> for Numbers {
            type Value = Elo;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number from 0.01 to 1000, or two such as [0, 5]")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Elo, E> {
                self.visit_f64(number as f64)
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Elo, E> {
                between(0.0, number)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Elo, A::Error> {
                let mut numbers = Vec::new();
                while let Some(number) = list.next_element::<f64>()? {
                    numbers.push(number);
                }
                match numbers[..] {
                    [from, to] => between(from, to),
                    _ => Err(de::Error::custom("must be one number, or two such as [0, 5]")),
                }
            }
        }
        deserializer.deserialize_any(Numbers)
    }
}

/// The name of a scale of Elo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ModelName {
    #[default]
    Logistic,
    #[serde(alias = "normalized")]
    Normalised,
}

/// A `[stop]` of a game of two, as written.
#[derive(Deserialize)]
struct DuelAsWritten {
    #[allow(dead_code, reason = "names are looked up as written, and only their type is checked here")]
    better: Reference,
    #[allow(dead_code, reason = "likewise")]
    than: Reference,
    elo: Elo,
    #[serde(default)]
    model: ModelName,
    #[serde(default)]
    alpha: Risk,
    #[serde(default)]
    beta: Risk,
}

impl DuelAsWritten {
    /// Values for the keys that must be there.
    const EXAMPLE: &str = "better = 'x'\nthan = 'y'\nelo = [0, 5]";

    /// The keys of a game of two that have no meaning in one of a single player.
    const OF_DUEL: [&str; 2] = ["elo", "model"];
}

/// A `[stop]` as written.
#[derive(Deserialize)]
pub(super) struct StopAsWritten {
    #[allow(dead_code, reason = "names are looked up as written, and only their type is checked here")]
    better: Reference,
    #[allow(dead_code, reason = "likewise")]
    than: Reference,
    #[allow(dead_code, reason = "read with the measures of the game")]
    by: Option<IgnoredAny>,
    #[serde(default)]
    method: RuleName,
    difference: Option<Difference>,
    alpha: Option<Risk>,
    beta: Option<Risk>,
    level: Option<Level>,
    #[allow(
        dead_code,
        reason = "with this key it is read as another kind, and it is named among the known ones"
    )]
    precision: Option<IgnoredAny>,
}

impl StopAsWritten {
    /// Values for the keys that must be there.
    const EXAMPLE: &str = "better = 'x'\nthan = 'y'";

    /// The keys of games of one player that have no meaning in a game of two.
    const OF_SOLO: [&str; 5] = ["by", "method", "difference", "level", "precision"];

    /// The keys of a comparison that have no meaning beside `precision`.
    const OF_PAIR: [&str; 6] = ["better", "than", "method", "difference", "alpha", "beta"];
}

/// A `[stop]` with `precision`, as written.
#[derive(Deserialize)]
struct PrecisionAsWritten {
    precision: Points,
    #[allow(dead_code, reason = "read with the measures of the game")]
    by: Option<IgnoredAny>,
    #[serde(default)]
    level: Level,
}

/// Whether each block decides the measure for one player, the other, or neither.
fn decides_blocks(measure: Measure) -> bool {
    !measure.is_time()
}

/// The `[stop]` of a file.
pub(super) fn check(
    written: &Written,
    context: Context,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<EarlyStop> {
    let before = mistakes.len();
    let stop = match context.arena.shape {
        Shape::Duel => {
            let message = "is of games of one player; a game of two ends by `elo`, as in `elo = [0, 5]`";
            let own = without(written, &StopAsWritten::OF_SOLO, message, mistakes);
            if written.table.get("precision").is_some() {
                return None;
            }
            duel(&own, context, mistakes).map(EarlyStop::Duel)
        }
        Shape::Solo => {
            let message = "is of games of two; between players who play alone `difference` says by how much one is better";
            let own = without(written, &DuelAsWritten::OF_DUEL, message, mistakes);
            if own.table.get("precision").is_some() {
                precision(&own, context, mistakes).map(EarlyStop::Precision)
            } else {
                pair(&own, context, mistakes).map(EarlyStop::Pair)
            }
        }
    };
    stop.filter(|_| mistakes.len() == before)
}

/// The section without keys that have no meaning in it; that they stand there is a mistake.
fn without<'a>(
    written: &Written<'a>,
    keys: &[&str],
    message: &str,
    mistakes: &mut Vec<Diagnostic>,
) -> Written<'a> {
    let mut own = written.clone();
    for key in keys {
        if own.table.remove(*key).is_some() {
            mistakes.push(written.blame(key, message.to_owned()));
        }
    }
    own
}

fn duel(written: &Written, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<DuelStop> {
    let read = settings::read::<DuelAsWritten>(written, DuelAsWritten::EXAMPLE);
    let pair = context.two_players(written, mistakes);
    let stop = match read {
        Ok(stop) => stop,
        Err(refused) => {
            mistakes.extend(refused);
            return None;
        }
    };
    let (better, than) = pair?;
    if !context.meet(better, than) {
        mistakes.push(written.blame("than", "these two do not play against each other".to_owned()));
        return None;
    }
    let model = match stop.model {
        ModelName::Logistic => Model::Logistic,
        ModelName::Normalised => Model::Normalized,
    };
    if model == Model::Normalized && stop.elo.0.iter().any(|elo| elo.abs() > MOST_NORMALISED) {
        let message =
            "a difference in normalised Elo is from -200 to 200: 200 is 0.58 standard deviations of a game";
        mistakes.push(written.blame("elo", message.to_owned()));
        return None;
    }
    let test = EloTest { elo: stop.elo.0, model, alpha: stop.alpha.get(), beta: stop.beta.get() };
    Some(DuelStop { better, than, test })
}

fn precision(written: &Written, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<Precision> {
    let before = mistakes.len();
    let message =
        "is of a comparison of two players; `precision` is about every player, and a run ends by one of both";
    let own = without(written, &StopAsWritten::OF_PAIR, message, mistakes);
    let read = settings::read::<PrecisionAsWritten>(&own, "precision = 1");
    let by = context.by(written, Measure::is_rate, mistakes);
    match (read, by) {
        (Ok(PrecisionAsWritten { precision, level, .. }), Some(by)) => {
            (mistakes.len() == before).then_some(Precision { by, points: precision, level })
        }
        (read, _) => {
            mistakes.extend(read.err().into_iter().flatten());
            None
        }
    }
}

fn pair(written: &Written, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<PairStop> {
    let before = mistakes.len();
    let read = settings::read::<StopAsWritten>(written, StopAsWritten::EXAMPLE);
    let pair = context.two_players(written, mistakes);
    let by = context.by(written, decides_blocks, mistakes);
    let (stop, by) = match (read, by) {
        (Ok(stop), Some(by)) => (stop, by),
        (read, _) => {
            mistakes.extend(read.err().into_iter().flatten());
            return None;
        }
    };
    let other = match stop.method {
        RuleName::Sprt => &["level"][..],
        RuleName::Confidence => &["difference", "alpha", "beta"],
    };
    for key in other.iter().filter(|key| written.table.get(**key).is_some()) {
        let message = match stop.method {
            RuleName::Sprt => {
                "is of `method = \"confidence\"`; here `alpha` and `beta` say how sure it shall be"
            }
            RuleName::Confidence => "is of `method = \"sprt\"`; here `level` says how sure it shall be",
        };
        mistakes.push(written.blame(key, message.to_owned()));
    }
    let rule = match stop.method {
        RuleName::Sprt => {
            let Difference { from, to } = stop.difference.unwrap_or(DIFFERENCE);
            let (alpha, beta) = (stop.alpha.unwrap_or_default(), stop.beta.unwrap_or_default());
            StopRule::Sprt(Sprt { from, to, alpha, beta })
        }
        RuleName::Confidence => StopRule::Confidence(stop.level.unwrap_or_default()),
    };
    let (better, than) = pair?;
    (mistakes.len() == before).then_some(PairStop { better, than, by, rule })
}
