//! Experiments derived from another one, with another head and other players.

use std::sync::Arc;

use anyhow::anyhow;
use gauntlet_core::arena::Entrant;
use gauntlet_core::diagnostic::{Diagnostic, LineIndex, Mistakes};
use gauntlet_core::game::Shape;
use gauntlet_core::settings::content::KeyContent;

use super::blocks::{GameCount, SeedNumber};
use super::check;
use super::experiment::Experiment;
use super::name::FileSafeName;
use super::pairings::Pairings;
use super::player::PlayerAsWritten;
use super::written::ExperimentAsWritten;

/// Head of a derived experiment: everything that it does not take from the original.
#[derive(Clone, Copy, Debug)]
pub struct DerivationOptions<'a> {
    /// Suffix that is added to the original name.
    pub ending: &'a str,
    /// Its seed.
    pub seed: u64,
    /// Games of each player, or of each pairing in duels: an even number.
    pub games: u64,
}

/// Derives an experiment with these players from the game and rules of another one. Each player has
/// its name and all of its settings. Sections about the original players (claims, `[stop]`,
/// published numbers, `[tune]`) are not included.
pub fn derived<'p>(
    of: &Experiment,
    head: DerivationOptions,
    players: impl IntoIterator<Item = (&'p str, &'p Entrant)>,
) -> anyhow::Result<ExperimentAsWritten> {
    let ExperimentAsWritten { game, rule_keys, rules, max_moves, max_seconds, .. } = (*of.written).clone();
    let name = named(of.name(), head.ending)?;
    let games = GameCount::of(head.games.into()).map_err(|flaw| anyhow!("{}: {flaw}", name.get()))?;
    // In a duel the first player plays against each of the others.
    let pairings = (of.arena().shape == Shape::Duel).then(|| KeyContent::of(Pairings::Gauntlet));
    Ok(ExperimentAsWritten {
        name: KeyContent::of(name),
        game,
        rule_keys,
        rules,
        max_moves,
        max_seconds,
        seed: KeyContent::of(SeedNumber(head.seed)),
        games: KeyContent::of(games),
        pairings: pairings.unwrap_or_default(),
        players: players.into_iter().map(|(name, entrant)| PlayerAsWritten::of(name, entrant)).collect(),
        ..ExperimentAsWritten::default()
    })
}

/// Adds a suffix to a name. If the result is too long, the name is cut and a digest of the whole
/// name is added. So names with equal beginnings stay different.
fn named(name: &str, ending: &str) -> anyhow::Result<FileSafeName> {
    if let Ok(whole) = FileSafeName::try_from(name.to_owned() + ending) {
        return Ok(whole);
    }
    let digest = &blake3::hash(name.as_bytes()).to_hex()[..DIGITS];
    let places = name.char_indices().map(|(place, letter)| place + letter.len_utf8()).rev();
    let mut all = places.map(|place| FileSafeName::try_from(format!("{}~{digest}{ending}", &name[..place])));
    all.find_map(Result::ok).ok_or_else(|| anyhow!("{name}{ending} is not a valid folder name"))
}

/// Digits of the digest in a name that was cut.
const DIGITS: usize = 8;

/// Checks a derived experiment. Its text begins with a comment for readers.
pub fn checked(of: &Experiment, written: ExperimentAsWritten, comment: &str) -> anyhow::Result<Experiment> {
    let comment = comment.lines().map(|line| format!("# {line}\n"));
    let text: String = comment.chain([written.to_toml()]).collect();
    let assets = Some(Arc::clone(of.assets()));
    let name = written.name.value().map_or(of.name(), FileSafeName::get).to_owned();
    let made = check::experiment(of.catalog, &LineIndex::of(""), written, text.clone(), assets, Vec::new());
    // The text is in no file yet, and parts from the original have positions in the original's
    // file. So mistakes have no position.
    let placeless = |mistake| Diagnostic { span: None, ..mistake };
    Ok(made.map_err(|mistakes| Mistakes::new(&name, "", mistakes.into_iter().map(placeless).collect()))?)
}

/// Returns an experiment as written with a suffix of its name, and another seed if one is given.
pub fn renamed(of: &Experiment, ending: &str, seed: Option<u64>) -> anyhow::Result<ExperimentAsWritten> {
    let mut written = (*of.written).clone();
    if let Some(seed) = seed {
        written.seed = KeyContent::of(SeedNumber(seed));
    }
    written.name = KeyContent::of(named(of.name(), ending)?);
    Ok(written)
}
