//! Algorithms: families of players, by the names that experiments use.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::recipe::Recipe;
use crate::diagnostic::Diagnostic;
use crate::game::Game;
use crate::settings::limits::{SearchLimit, search_limits};
use crate::settings::{self, SettingsTable};

/// Family of players with a name in experiments: one entry in a list of players. Parsing, help,
/// suggestions for misspelled names, conformance tests and the signature follow from the entry
/// alone.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm<G: Game> {
    /// Name, as in `algorithm = "…"`.
    pub name: &'static str,
    /// Manual: a TOML snippet that explains every setting, headed by a one-sentence comment on what
    /// the player does. Tests and the signature play it.
    pub example: &'static str,
    /// Further complete examples, for parts of the program that the first does not use. Tests and
    /// the signature play them too.
    pub more_examples: &'static [&'static str],
    /// Names of the settings.
    pub settings: fn() -> &'static [&'static str],
    /// Settings that limit the search for one move.
    pub limits: fn() -> Vec<SearchLimit>,
    /// Reads settings and reports every mistake in them.
    pub read_settings: SettingsReader<G>,
}

type SettingsReader<G> = fn(&Algorithm<G>, &SettingsTable) -> Result<ConfiguredAlgorithm<G>, Vec<Diagnostic>>;

/// Algorithm with its settings.
#[derive(Debug)]
pub struct ConfiguredAlgorithm<G: Game> {
    /// Recipe that builds players.
    pub recipe: Box<dyn Recipe<G>>,
    /// All settings including defaults, in declaration order. They identify the player.
    pub settings: serde_json::Value,
}

impl<G: Game> Algorithm<G> {
    /// Declares an algorithm with settings of type `C`.
    pub const fn new<C>(name: &'static str, example: &'static str) -> Algorithm<G>
    where
        C: Recipe<G> + Serialize + DeserializeOwned + 'static,
    {
        Algorithm {
            name,
            example,
            more_examples: &[],
            settings: settings::fields::<C>,
            limits: search_limits::<C>,
            read_settings: |algorithm, table| {
                let config: C = settings::read(table, algorithm.example)?;
                if let Some((key, message)) = config.contradiction() {
                    return Err(vec![table.blame(key, message)]);
                }
                let settings = serde_json::to_value(&config).expect("settings are plain data");
                Ok(ConfiguredAlgorithm { recipe: Box::new(config), settings })
            },
        }
    }

    /// Adds more examples with other settings.
    #[must_use]
    pub const fn with_examples(self, more_examples: &'static [&'static str]) -> Algorithm<G> {
        Algorithm { more_examples, ..self }
    }

    /// Returns one sentence on how the algorithm plays: the comment at the head of its example.
    pub fn summary(&self) -> &'static str {
        self.example.lines().next().unwrap_or("").trim_start_matches('#').trim()
    }
}
