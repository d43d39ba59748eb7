//! Experiments derived from another one, with another head and other players.

use std::sync::Arc;

use anyhow::anyhow;
use gauntlet_core::arena::Entry;
use gauntlet_core::diagnostic::{Diagnostic, Mistakes};
use gauntlet_core::game::Shape;
use gauntlet_core::settings::tree::{self, TomlTable, TomlValue, wrap_unplaced};
use serde_json::json;

use super::experiment::Experiment;
use super::name;
use super::parse_with_assets;
use super::pattern;

/// Head of a derived experiment: everything that it does not take from the original.
#[derive(Clone, Copy, Debug)]
pub struct DerivationOptions<'a> {
    /// Suffix that is added to the original name.
    pub suffix: &'a str,
    /// Its seed.
    pub seed: u64,
    /// Games of each player, or of each pairing in duels: an even number.
    pub games: u64,
}

/// Derives an experiment with these players from the game and rules of another one. Each player has
/// its name and all of its settings: equal bit for bit, whether a setting was a default, from a
/// sweep, or in a table. Sections about the original players (claims, `[stop]`, published numbers,
/// `[tune]`) are not included.
pub fn derive<'p>(
    original: &Experiment,
    options: DerivationOptions,
    players: impl IntoIterator<Item = (&'p str, &'p Entry)>,
) -> anyhow::Result<TomlTable> {
    let name = add_suffix(original.name(), options.suffix)?;
    let mut table = tree::table_from_settings(&json!({
        "name": name,
        "game": original.arena().name,
        "seed": options.seed,
        "games": options.games,
    }));
    if original.arena().shape == Shape::Duel {
        // The first player plays against each of the others.
        add(&mut table, "pairings", &json!("gauntlet"));
    }
    let is_of_game = |key: &str| {
        ["max_moves", "max_seconds"].contains(&key) || original.arena().rule_keys().contains(&key)
    };
    table.extend(original.table().into_iter().filter(|(key, _)| is_of_game(key.get_ref())));
    let players = players.into_iter().map(|(name, entry)| {
        let identity = json!({ "name": pattern::escape_braces(name), "algorithm": entry.algorithm });
        let settings = tree::table_from_settings(&entry.settings);
        wrap_unplaced(TomlValue::Table(
            tree::table_from_settings(&identity).into_iter().chain(settings).collect(),
        ))
    });
    table.insert(wrap_unplaced("player".to_owned()), wrap_unplaced(TomlValue::List(players.collect())));
    Ok(table)
}

/// Sets a key of a table to plain data.
pub fn add(table: &mut TomlTable, key: &str, data: &serde_json::Value) {
    table.extend(
        TomlValue::from_json(data).map(|value| (wrap_unplaced(key.to_owned()), wrap_unplaced(value))),
    );
}

/// Adds a suffix to a name. If the result is too long, the name is cut and a digest of the whole
/// name is added. So names with equal beginnings stay different.
pub fn add_suffix(name: &str, suffix: &str) -> anyhow::Result<String> {
    let full_name = name.to_owned() + suffix;
    if name::invalid_reason(&full_name).is_none() {
        return Ok(full_name);
    }
    let digest = &blake3::hash(name.as_bytes()).to_hex()[..DIGEST_DIGITS];
    let ends = name.char_indices().map(|(index, character)| index + character.len_utf8()).rev();
    let mut cut_names = ends.map(|end| format!("{}~{digest}{suffix}", &name[..end]));
    cut_names
        .find(|name| name::invalid_reason(name).is_none())
        .ok_or_else(|| anyhow!("{full_name} is not a valid folder name"))
}

/// Digits of the digest in a name that was cut.
const DIGEST_DIGITS: usize = 8;

/// Checks a derived experiment. Its text begins with a comment for readers. The text is in no file
/// yet, so mistakes have no position.
pub fn check_derived(original: &Experiment, table: &TomlTable, comment: &str) -> anyhow::Result<Experiment> {
    let comment = comment.lines().map(|line| format!("# {line}\n"));
    let text: String = comment.chain([tree::write_document(table)]).collect();
    let name = table.get("name").and_then(|name| name.get_ref().as_text()).unwrap_or(original.name());
    let experiment = parse_with_assets(original.catalog, name, &text, Some(Arc::clone(original.assets())));
    let without_span = |mistake: &Diagnostic| Diagnostic { span: None, ..mistake.clone() };
    Ok(experiment
        .map_err(|mistakes| Mistakes::new(name, "", mistakes.list().iter().map(without_span).collect()))?)
}
