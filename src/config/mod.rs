//! What one configuration file asks for: [`load`] it, and an [`Experiment`] is checked through and through.
//!
//! - `raw`: the file as written, with the place of everything
//! - `check`: from there to what can be trusted; every mistake is collected
//! - `player`: the same for one `[[player]]`
//! - [`claim`], [`stop`], [`published`]: the same for one `[[claim]]`, `[stop]`, `[[published]]`
//! - `sweep`: one player written for many
//! - `name`: names that can be names of files
//!
//! The format is described in `docs/FORMAT.md`.

mod check;
pub mod claim;
mod name;
mod player;
pub mod published;
mod raw;
pub mod stop;
mod sweep;

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use toml::Spanned;
use toml::de::DeTable;

use crate::arena::{Arena, Entrant, Rules};
use crate::assets::Assets;
use crate::diagnostic::{self, Diagnostic, Mistakes};
use crate::rng::Seed;
use crate::settings;
use claim::Claim;
use published::Published;
use stop::Stop;

/// What one configuration file asks for. Whoever holds one need not check anything again: [`parse`] is the only
/// way to get it.
#[derive(Clone)]
pub struct Experiment {
    name: String,
    arena: &'static Arena,
    rules: Rules,
    blocks: Blocks,
    max_moves: Option<NonZeroU32>,
    entries: Vec<Entry>,
    claims: Vec<Claim>,
    stop: Option<Stop>,
    published: Vec<Published>,
    text: String,
    assets: Arc<Assets>,
}

/// A player of an experiment.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name, which no other player of the experiment has and which can be the name of a file.
    pub name: String,
    /// How it plays.
    pub entrant: Entrant,
}

/// The blocks of an experiment: one seed each, which every player plays once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// So many seeds, grown from one.
    Derived {
        /// The seed of the experiment.
        seed: u64,
        /// How many games each player plays.
        games: u64,
    },
    /// Seeds that somebody chose, each different from the others.
    Listed(Vec<u64>),
}

impl Blocks {
    /// How many there are; never 0.
    #[allow(clippy::len_without_is_empty, reason = "no experiment is without blocks")]
    pub fn len(&self) -> u64 {
        match self {
            Blocks::Derived { games, .. } => *games,
            Blocks::Listed(seeds) => seeds.len() as u64,
        }
    }

    /// The seed of a block.
    ///
    /// # Panics
    /// If the block is not below [`Blocks::len`].
    pub fn seed(&self, block: u64) -> u64 {
        assert!(block < self.len(), "there is no block {block}");
        match self {
            Blocks::Derived { seed, .. } => Seed::of_block(*seed, block),
            Blocks::Listed(seeds) => seeds[block as usize],
        }
    }
}

impl Experiment {
    /// Its name, which can be the name of a folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The game.
    pub fn arena(&self) -> &'static Arena {
        self.arena
    }

    /// The rules of the game.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The seeds to be played.
    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// After how many moves a game is broken off, if ever.
    pub fn max_moves(&self) -> Option<NonZeroU32> {
        self.max_moves
    }

    /// The players, in the order of the file; at least one.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The conclusions announced, in the order of the file.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// What may end the run early.
    pub fn stop(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    /// What others say that the players do, in the order of the file.
    pub fn published(&self) -> &[Published] {
        &self.published
    }

    /// The files that players are built from.
    pub fn assets(&self) -> &Arc<Assets> {
        &self.assets
    }

    /// The file, to the letter.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Experiment {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Experiment")
            .field("name", &self.name)
            .field("game", &self.arena.name)
            .field("rules", &self.rules.settings)
            .field("blocks", &self.blocks)
            .field("max_moves", &self.max_moves)
            .field("entries", &self.entries)
            .field("claims", &self.claims)
            .field("stop", &self.stop)
            .field("published", &self.published)
            .finish_non_exhaustive()
    }
}

/// Why there is no experiment.
#[derive(Debug)]
pub enum LoadError {
    /// The file could not be read: the world's failure.
    Unreadable(anyhow::Error),
    /// What stands in it is mistaken: the user's.
    Mistaken(Mistakes),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            LoadError::Unreadable(error) => write!(f, "{error:#}"),
            LoadError::Mistaken(mistakes) => mistakes.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {}

/// Reads an experiment from a file.
pub fn load(path: &Path) -> Result<Experiment, LoadError> {
    let shown = path.display().to_string();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {shown}"));
    let text = String::from_utf8(bytes.map_err(LoadError::Unreadable)?).map_err(|error| {
        let good = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
        let (line, column) = diagnostic::place(&good, good.len());
        let message = format!("is not text in UTF-8, from line {line}, column {column} on");
        LoadError::Mistaken(Mistakes::new(&shown, &good, vec![Diagnostic::of_file(message)]))
    })?;
    parse(&shown, &text).map_err(LoadError::Mistaken)
}

/// Reads an experiment from the text of a file, which is called `file` where its mistakes are shown.
pub fn parse(file: &str, text: &str) -> Result<Experiment, Mistakes> {
    let (tree, errors) = DeTable::parse_recoverable(text);
    let outcome = if errors.is_empty() {
        check::experiment(text, tree.into_inner())
    } else {
        Err(syntax(text, &tree, &errors))
    };
    outcome.map_err(|mistakes| Mistakes::new(file, text, mistakes))
}

/// The mistakes in what is not even TOML. The rest is not looked at: it may not be what was meant.
fn syntax(text: &str, tree: &Spanned<DeTable>, errors: &[toml::de::Error]) -> Vec<Diagnostic> {
    // The parser stumbles many times over one thing: so a line is reported once. And what follows a bracket that is
    // never closed was read as if it stood inside, so none of that is reported.
    let is_open = errors.iter().any(|error| {
        let message = error.message();
        message.starts_with("unclosed inline table") || message.starts_with("unclosed array,")
    });
    let mut lines = BTreeSet::new();
    let mut mistakes: Vec<Diagnostic> = Vec::new();
    for error in errors {
        let span = error.span().unwrap_or(tree.span());
        if lines.insert(diagnostic::place(text, span.start).0) {
            mistakes.push(Diagnostic::at(span, error.message()));
        }
        if is_open && ["array", "inline table"].iter().any(|inside| error.message().contains(inside)) {
            if let Some(last) = mistakes.last_mut() {
                last.help = Some("it may be that a bracket above is not closed".to_owned());
            }
            break;
        }
    }
    mistakes
}

/// The keys that the reader of an experiment's file accepts in each of its sections, besides those that a game and an
/// algorithm add. The section without a name is the head of the file.
pub fn section_keys() -> [(&'static str, &'static [&'static str]); 5] {
    [
        ("", settings::fields::<raw::Head>()),
        ("player", settings::fields::<raw::PlayerHead>()),
        ("claim", settings::fields::<raw::ClaimAsWritten>()),
        ("stop", settings::fields::<raw::StopAsWritten>()),
        ("published", settings::fields::<raw::PublishedAsWritten>()),
    ]
}

#[cfg(test)]
mod tests;
