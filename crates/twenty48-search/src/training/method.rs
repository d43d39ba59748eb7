//! Learning settings: which part of an error is learned, in which order, from which games.

use serde::de::Error;
use serde::de::value::StrDeserializer;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::initial_positions::RestartPolicy;
use crate::network::pattern::Patterns;

/// Learning rates of the weights. With `remote`, the derived functions are methods, so that reading
/// can check for other programs' names first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", remote = "Self")]
pub enum RateMethod {
    /// One rate for all.
    Td,
    /// A separate rate for each: temporal coherence.
    Tc,
    /// One rate for all, starting from an optimistic network that overrates every board.
    Otd,
    /// Optimistic learning, followed by temporal coherence.
    #[serde(rename = "otd+tc")]
    OtdTc,
}

impl<'de> Deserialize<'de> for RateMethod {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RateMethod, D::Error> {
        let word = String::deserialize(deserializer)?;
        // In other programs this is a method; here it is a setting of each method.
        if word == "td-lambda" {
            return Err(D::Error::custom("is \"td\" with `lambda`, as in `lambda = 0.5`"));
        }
        RateMethod::deserialize(StrDeserializer::new(&word))
    }
}

impl Serialize for RateMethod {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RateMethod::serialize(self, serializer)
    }
}

impl RateMethod {
    /// Returns true if weights ever have separate rates.
    pub(super) fn has_separate_rates(self) -> bool {
        matches!(self, RateMethod::Tc | RateMethod::OtdTc)
    }
}

/// Order in which boards learn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UpdateOrder {
    /// Each board learns after the next move, during the game.
    #[default]
    Forward,
    /// After the game, from the last to the first.
    Backward,
}

/// Method of learning.
pub(super) struct LearningSettings {
    pub(super) patterns: Patterns,
    pub(super) method: RateMethod,
    /// Learning rate: the part of an error that one update corrects.
    pub(super) rate: f32,
    pub(super) update: UpdateOrder,
    /// Weight of what the next board learns from, relative to its value.
    pub(super) lambda: f32,
    /// Number of errors from which a board learns in forward updates.
    pub(super) trace_length: usize,
    /// Number of games after which rates are those of temporal coherence, if ever, starting with
    /// the next game.
    pub(super) tc_after: u64,
    pub(super) restarts: RestartPolicy,
    /// True if two games are interleaved.
    pub(super) is_interleaved: bool,
}

/// Returns the number of errors with a weight of at least a tenth, if each has `lambda` times the
/// weight of the one before.
pub(super) fn trace_length(lambda: f64) -> usize {
    std::iter::successors(Some(1.0), |part| Some(part * lambda)).take_while(|part| *part >= 0.1).count()
}

#[cfg(test)]
mod tests {
    use super::trace_length;

    #[test]
    fn errors_count_while_a_tenth_is_left() {
        assert_eq!([0.0, 0.05, 0.5, 0.9, 0.99].map(trace_length), [1, 1, 4, 22, 230]);
    }
}
