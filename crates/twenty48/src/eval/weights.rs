//! Setting `weights` of a player: its features and their weights.

use std::collections::BTreeMap;
use std::fmt;

use gauntlet_core::diagnostic;
use gauntlet_core::num::{Power, Weight};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::feature::{FEATURES, Feature, FeatureFunction};
use super::nneonneo::RankPowers;
use crate::rules::Cells;

/// Names of all features.
const NAMES: &[&str] = &{
    let mut names = [""; FEATURES.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = FEATURES[i].name;
        i += 1;
    }
    names
};

/// Features with their weights: `{ empty = 270, rank-power = { weight = -11, power = 3.5 } }`. If a
/// player writes them, at least one weight must not be 0. They are serialized in the order of the
/// manual with every power, so that equivalent tables become equal.
///
/// `network` may have a weight in addition to features: it is the value of the network that another
/// setting of the player names.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    features: BTreeMap<Name, Term>,
    network: Option<Weight>,
}

/// Weights that replace those of an evaluation, written as [`Weights`]. All of them may be 0; the
/// player then checks that some weight remains ([`Weights::has_effect`]).
#[derive(Clone, Debug)]
pub struct WeightOverrides(Weights);

/// Name of the network in the table of weights.
const NETWORK: &str = "network";

/// Feature, by its index in [`FEATURES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Name(usize);

/// Weight of a feature.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Term {
    weight: Weight,
    /// Present exactly for a feature with a power.
    power: Option<Power>,
}

/// Feature with its weight, ready to be computed.
#[derive(Debug)]
pub(super) struct WeightedFeature {
    /// Weight, not 0.
    pub(super) weight: f64,
    pub(super) function: FeatureFunction,
    /// Powers of the ranks; first powers if the feature has no power.
    pub(super) powers: RankPowers,
}

impl Weights {
    /// Error message for weights that are all 0.
    pub const ALL_ZERO_MESSAGE: &'static str = "must give weight to at least one feature";

    /// Creates weights with default powers.
    ///
    /// # Panics
    /// If there is none, one has an unknown name, or a weight is refused by [`Weight`].
    pub fn from_pairs(weights: &[(&str, f64)]) -> Weights {
        assert!(!weights.is_empty(), "an evaluation needs a feature");
        let features = weights.iter().map(|&(name, weight)| {
            let name = Name::find(name).expect("a feature of 2048");
            let weight = Weight::try_from(weight).expect("a weight");
            (name, Term { weight, power: name.power() })
        });
        Weights { features: features.collect(), network: None }
    }

    /// Replaces the weights of these features.
    #[must_use]
    pub fn with_overrides(&self, WeightOverrides(changes): &WeightOverrides) -> Weights {
        let features = self.features.iter().chain(&changes.features).map(|(&name, &term)| (name, term));
        Weights { features: features.collect(), network: changes.network.or(self.network) }
    }

    /// Returns true if any weight is not 0.
    pub fn has_effect(&self) -> bool {
        self.features.values().any(|term| term.weight.get() != 0.0) || self.network().is_some()
    }

    /// Returns true if a weight of a network is written, even if it is 0.
    pub fn has_network(&self) -> bool {
        self.network.is_some()
    }

    /// Returns the weight of the network, if it is not 0.
    pub fn network(&self) -> Option<f64> {
        self.network.map(Weight::get).filter(|&weight| weight != 0.0)
    }

    /// Returns the name of a weighted feature that is not a sum over lines, if there is one.
    pub fn board_feature(&self) -> Option<&'static str> {
        let mut features = self.features.iter().filter(|(_, term)| term.weight.get() != 0.0);
        let feature = features.find(|(name, _)| matches!(name.feature().function, FeatureFunction::Board(_)));
        feature.map(|(name, _)| name.feature().name)
    }

    /// Normalizes the weights: features without weight are left out, and the largest weight becomes
    /// 1 or -1. Weights are rounded to twelve digits, so that factors that differ in the last bits
    /// after a division become equal.
    pub fn proportions(&self) -> Weights {
        let weights = self.features.values().map(|term| term.weight).chain(self.network);
        let largest = weights.map(|weight| weight.get().abs()).fold(0.0, f64::max);
        let proportion = |weight: Weight| {
            let quotient: f64 =
                format!("{:.11e}", weight.get() / largest).parse().expect("is written as a number");
            Weight::try_from(quotient).expect("is at most 1")
        };
        let nonzero_terms = self.features.iter().filter(|(_, term)| term.weight.get() != 0.0);
        let features =
            nonzero_terms.map(|(&name, &term)| (name, Term { weight: proportion(term.weight), ..term }));
        Weights {
            features: features.collect(),
            network: self.network.filter(|weight| weight.get() != 0.0).map(proportion),
        }
    }

    /// Returns the features whose weight is not 0. A feature may be infinite, and 0 times infinity
    /// is NaN.
    pub(super) fn features(&self) -> impl Iterator<Item = WeightedFeature> {
        self.features.iter().filter(|(_, term)| term.weight.get() != 0.0).map(|(name, term)| {
            WeightedFeature {
                weight: term.weight.get(),
                function: name.feature().function,
                powers: RankPowers::new(term.power.map_or(1.0, Power::get)),
            }
        })
    }
}

impl WeightOverrides {
    /// Returns these weights alone.
    pub fn weights(&self) -> &Weights {
        let WeightOverrides(weights) = self;
        weights
    }
}

impl WeightedFeature {
    pub(super) fn value(&self, cells: Cells) -> f64 {
        self.weight * self.function.value(cells, &self.powers)
    }
}

impl Name {
    fn find(name: &str) -> Option<Name> {
        NAMES.iter().position(|feature_name| *feature_name == name).map(Name)
    }

    fn feature(self) -> &'static Feature {
        &FEATURES[self.0]
    }

    fn power(self) -> Option<Power> {
        let power = self.feature().function.power()?;
        Some(Power::try_from(power).expect("the default power of a feature is valid"))
    }
}

/// Returns help for an unknown word: features that share its beginning, contain it or are contained
/// in it; otherwise all.
fn suggest_names(word: &str) -> String {
    const MIN_LENGTH: usize = 3;
    let word = word.to_lowercase();
    let prefix: String = word.chars().take(MIN_LENGTH).collect();
    let is_similar =
        |name: &&&str| name.contains(&word) || word.contains(**name) || name.starts_with(&prefix);
    // One or two letters are in most names.
    let similar_names: Vec<String> = match prefix.chars().count() {
        MIN_LENGTH => NAMES.iter().filter(is_similar).map(|name| format!("`{name}`")).collect(),
        _ => Vec::new(),
    };
    match &similar_names[..] {
        [] => format!("features are {}", NAMES.join(", ")),
        names => format!("did you mean {}?", names.join(" or ")),
    }
}

/// Key in the table of weights.
enum Key {
    Feature(Name),
    Network,
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        let name = String::deserialize(deserializer)?;
        if name == NETWORK {
            return Ok(Key::Network);
        }
        Name::find(&name).map(Key::Feature).ok_or_else(|| {
            match diagnostic::nearest(&name, NAMES.iter().copied()) {
                Some(_) => D::Error::unknown_field(&name, NAMES),
                None => D::Error::custom(format!("unknown feature; {}", suggest_names(&name))),
            }
        })
    }
}

impl<'de> Deserialize<'de> for Weights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Weights, D::Error> {
        let WeightOverrides(weights) = WeightOverrides::deserialize(deserializer)?;
        if weights.has_effect() { Ok(weights) } else { Err(D::Error::custom(Weights::ALL_ZERO_MESSAGE)) }
    }
}

impl<'de> Deserialize<'de> for WeightOverrides {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WeightOverrides, D::Error> {
        struct WeightsVisitor;

        impl<'de> Visitor<'de> for WeightsVisitor {
            type Value = WeightOverrides;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a table of weights such as { empty = 2.7, max-rank = 1 }")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<WeightOverrides, A::Error> {
                let mut weights = Weights { features: BTreeMap::new(), network: None };
                while let Some(key) = map.next_key::<Key>()? {
                    match key {
                        Key::Feature(name) => {
                            _ = weights.features.insert(name, map.next_value_seed(TermSeed(name))?);
                        }
                        Key::Network => weights.network = Some(map.next_value()?),
                    }
                }
                Ok(WeightOverrides(weights))
            }
        }

        deserializer.deserialize_map(WeightsVisitor)
    }
}

/// Deserializer of one feature's term: a number, or a table if a power can be set.
struct TermSeed(Name);

impl<'de> DeserializeSeed<'de> for TermSeed {
    type Value = Term;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Term, D::Error> {
        match self.0.power() {
            None => Ok(Term { weight: Weight::deserialize(deserializer)?, power: None }),
            Some(default_power) => deserializer.deserialize_any(TermVisitor { default_power }),
        }
    }
}

struct TermVisitor {
    default_power: Power,
}

impl TermVisitor {
    fn weight<E: serde::de::Error>(self, weight: f64) -> Result<Term, E> {
        let weight = Weight::try_from(weight).map_err(E::custom)?;
        Ok(Term { weight, power: Some(self.default_power) })
    }
}

impl<'de> Visitor<'de> for TermVisitor {
    type Value = Term;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "a number or a table such as {{ weight = 1, power = {} }}", self.default_power.get())
    }

    fn visit_i64<E: serde::de::Error>(self, weight: i64) -> Result<Term, E> {
        self.weight(weight as f64)
    }

    fn visit_u64<E: serde::de::Error>(self, weight: u64) -> Result<Term, E> {
        self.weight(weight as f64)
    }

    fn visit_f64<E: serde::de::Error>(self, weight: f64) -> Result<Term, E> {
        self.weight(weight)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Term, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct TermTable {
            weight: Weight,
            power: Option<Power>,
        }

        let TermTable { weight, power } = TermTable::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Term { weight, power: power.or(Some(self.default_power)) })
    }
}

impl Serialize for Weights {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct TermTable {
            weight: Weight,
            power: Power,
        }

        let mut map = serializer.serialize_map(None)?;
        for (name, &Term { weight, power }) in &self.features {
            let name = name.feature().name;
            match power {
                None => map.serialize_entry(name, &weight)?,
                Some(power) => map.serialize_entry(name, &TermTable { weight, power })?,
            }
        }
        if let Some(weight) = self.network {
            map.serialize_entry(NETWORK, &weight)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::settings::{self, SettingsTable, tree};
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Settings {
        weights: Weights,
    }

    fn read_weights(text: &str) -> Result<Weights, Vec<diagnostic::Diagnostic>> {
        let table = tree::parse_table(text);
        let example = "weights = { empty = 1 }";
        settings::read::<Settings>(&SettingsTable { table, header: 0..0 }, example)
            .map(|settings| settings.weights)
    }

    /// Checks the mistakes in a text, as `what|message|help`.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let messages = read_weights(text).expect_err("is mistaken").into_iter().map(|mistake| {
            let help = mistake.help.map_or(String::new(), |help| format!("|{help}"));
            format!("{}|{}{help}", &text[mistake.span.unwrap_or_default()], mistake.message)
        });
        assert_eq!(messages.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn weights_come_back_in_the_order_of_the_manual() {
        let weights = read_weights(
            "weights = { rank-power = { power = 3, weight = -11 }, merges = 700, empty = -0.5 }",
        );
        let weights = weights.expect("are good");
        let expected =
            json!({ "empty": -0.5, "merges": 700.0, "rank-power": { "weight": -11.0, "power": 3.0 } });
        assert_eq!(serde_json::to_string(&weights).unwrap(), expected.to_string());
        assert_eq!(serde_json::from_value::<Weights>(expected).unwrap(), weights);
    }

    #[test]
    fn equal_weights_are_written_alike() {
        let one = read_weights("weights = { empty = 1, rank-power = -11 }").unwrap();
        let other = "[weights]\nrank-power.power = 3.5\nrank-power.weight = -11.0\nempty = 1.0";
        let other = read_weights(other).unwrap();
        assert_eq!(one, other);
        assert_eq!(serde_json::to_string(&one).unwrap(), serde_json::to_string(&other).unwrap());
        assert_eq!(one, Weights::from_pairs(&[("rank-power", -11.0), ("empty", 1.0)]));
    }

    #[test]
    fn a_common_factor_is_no_proportion() {
        let proportions =
            |text: &str| read_weights(&format!("weights = {{ {text} }}")).expect("are good").proportions();
        let one = proportions("empty = 1, merges = -3, rank-power = 0.7");
        assert_eq!(one, proportions("empty = 0.1, merges = -0.3, rank-power = 0.07, islands = 0"));
        assert_eq!(one.features.values().map(|term| term.weight.get()).fold(0.0, f64::min), -1.0);
        for other in [
            "empty = -1, merges = 3, rank-power = -0.7",
            "empty = 1, merges = -3.000001, rank-power = 0.7",
            "empty = 1, merges = -3, rank-power = { weight = 0.7, power = 3 }",
            "empty = 1, merges = -3",
        ] {
            assert_ne!(one, proportions(other), "{other}");
        }
    }

    #[test]
    fn mistakes_are_told_at_their_place() {
        check("weights = { emty = 1 }", &["emty|unknown key|did you mean `empty`?"]);
        check("weights.isles = 1", &["isles|unknown feature; did you mean `islands`?"]);
        check(
            "weights.monotonic = 1",
            &[
                "monotonic|unknown feature; did you mean `monotonicity-lines` or `monotonicity-tiles` or `monotonicity-wave` or `monotonicity-power`?",
            ],
        );
        let all = format!("xy|unknown feature; features are {}", NAMES.join(", "));
        check("weights.xy = 1", &[&all]);
        check("weights = {}", &["{}|must give weight to at least one feature"]);
        check("weights = { empty = 0 }", &["{ empty = 0 }|must give weight to at least one feature"]);
        check(
            "weights = { empty = -0.0, rank-power = { weight = 0 } }",
            &["{ empty = -0.0, rank-power = { weight = 0 } }|must give weight to at least one feature"],
        );
        check("weights = { empty = 0, isles = 1 }", &["isles|unknown feature; did you mean `islands`?"]);
        let table = "a table of weights such as { empty = 2.7, max-rank = 1 }";
        check("weights = 3", &[&format!("3|must be {table}, not a whole number")]);
        check("weights = [1]", &[&format!("[1]|must be {table}, not a list")]);
        check("weights = { empty = 'x' }", &["'x'|must be a number, not a string"]);
        check("weights = { empty = inf }", &["inf|must be a number from -1e12 to 1e12"]);
        check("weights = { empty = nan }", &["nan|must be a number from -1e12 to 1e12"]);
        check("weights = { empty = { weight = 1 } }", &["{ weight = 1 }|must be a number, not a table"]);
        let number_or_table = "a number or a table such as { weight = 1, power = 3.5 }";
        check("weights = { rank-power = 'x' }", &[&format!("'x'|must be {number_or_table}, not a string")]);
        check("weights = { rank-power = 2e12 }", &["2e12|must be a number from -1e12 to 1e12"]);
        check("weights = { rank-power = { power = 3 } }", &["{ power = 3 }|`weight` is missing"]);
        check(
            "weights = { rank-power = { weight = 1, power = 0 } }",
            &["0|must be above 0 and at most 16, such as 3.5"],
        );
        check(
            "weights = { rank-power = { weight = 1, pwer = 4 } }",
            &["pwer|unknown key|did you mean `power`?"],
        );
        check(
            "weights = { emty = 1, merges = 'x', rank-power = { weight = nan, power = 20 } }",
            &[
                "emty|unknown key|did you mean `empty`?",
                "'x'|must be a number, not a string",
                "nan|must be a number from -1e12 to 1e12",
                "20|must be above 0 and at most 16, such as 3.5",
            ],
        );
    }
}
