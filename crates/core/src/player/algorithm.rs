//! A family of players, as an experiment names it.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::recipe::Recipe;
use crate::diagnostic::Diagnostic;
use crate::game::Game;
use crate::settings::{self, Written};

/// A family of players, as an experiment names it: one entry in a table of `players/mod.rs`.
/// Parsing, help, the nearest name to a misspelling, conformance tests and the signature follow
/// from the entry alone.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm<G: Game> {
    /// As written in `algorithm = "…"`.
    pub name: &'static str,
    /// The manual: a TOML snippet with every setting explained, headed by a comment of one sentence
    /// that says what the player does. Tests and the signature play it.
    pub example: &'static str,
    /// Other settings, as complete as the example, of parts of the program that the example leaves
    /// out: tests and the signature play these as well.
    pub more_examples: &'static [&'static str],
    /// The names of its settings.
    pub settings: fn() -> &'static [&'static str],
    /// Reads settings, and reports every mistake in them.
    pub read: Read<G>,
}

type Read<G> = fn(&Algorithm<G>, &Written) -> Result<Settled<G>, Vec<Diagnostic>>;

/// An algorithm with its settings.
#[derive(Debug)]
pub struct Settled<G: Game> {
    /// Builds players.
    pub recipe: Box<dyn Recipe<G>>,
    /// All settings, defaults included, in the order of their declaration: what identifies the
    /// player.
    pub settings: serde_json::Value,
}

impl<G: Game> Algorithm<G> {
    /// The algorithm whose settings are a `C`.
    pub const fn of<C>(name: &'static str, example: &'static str) -> Algorithm<G>
    where
        C: Recipe<G> + Serialize + DeserializeOwned + 'static,
    {
        Algorithm {
            name,
            example,
            more_examples: &[],
            settings: settings::fields::<C>,
            read: |algorithm, written| {
                let config: C = settings::read(written, algorithm.example)?;
                if let Some((key, message)) = config.contradiction() {
                    return Err(vec![written.blame(key, message)]);
                }
                let settings = serde_json::to_value(&config).expect("settings are plain data");
                Ok(Settled { recipe: Box::new(config), settings })
            },
        }
    }

    /// The same algorithm with more examples, of other settings.
    #[must_use]
    pub const fn with(self, more_examples: &'static [&'static str]) -> Algorithm<G> {
        Algorithm { more_examples, ..self }
    }

    /// Play of the algorithm, in a sentence: the comment at the head of its example.
    pub fn summary(&self) -> &'static str {
        self.example.lines().next().unwrap_or("").trim_start_matches('#').trim()
    }
}
