//! Checks a file as a whole. All mistakes are collected: each check continues as if earlier checks
//! had found none.

use std::collections::BTreeMap;
use std::sync::Arc;

use gauntlet_core::arena::{Arena, Arenas, CheckedRules};
use gauntlet_core::assets::AssetFiles;
use gauntlet_core::diagnostic::{Cause, Diagnostic, LineIndex};
use gauntlet_core::game::{Block, Shape};
use gauntlet_core::settings::SettingsTable;
use gauntlet_core::settings::content::ValueList;
use gauntlet_core::settings::section;
use gauntlet_core::settings::tree::PlacedValue;
use gauntlet_core::text;
use gauntlet_run::blocks::BlockSeeds;

use super::as_written::ExperimentAsWritten;
use super::catalog::Catalog;
use super::context::Context;
use super::experiment::Experiment;
use super::player::PlayerAsWritten;
use super::player::PlayerContext;
use super::roster::Roster;
use super::{name, pairings};

/// Largest number of games of all players together; no journal could hold more.
const MAX_TOTAL_GAMES: u128 = 10_000_000_000;

/// Checks an experiment as written, given the mistakes found so far. Mistakes are reported at lines
/// of `source`, from which the experiment may have been changed.
pub(super) fn check_experiment(
    catalog: Catalog,
    source: &LineIndex,
    mut raw_experiment: ExperimentAsWritten,
    text: String,
    assets: Option<Arc<AssetFiles>>,
    mut mistakes: Vec<Diagnostic>,
) -> Result<Experiment, Vec<Diagnostic>> {
    raw_experiment.players.iter_mut().for_each(PlayerAsWritten::assume_name);
    let block_seeds = read_blocks(&raw_experiment, source, &mut mistakes);
    let Some(arena) = find_arena(catalog.games, &raw_experiment, &mut mistakes) else { return Err(mistakes) };
    let (rules, rule_mistakes) =
        arena.read_rules(&SettingsTable { table: raw_experiment.rules.clone(), header: 0..0 });
    let blocks =
        block_seeds.and_then(|seeds| make_blocks(seeds, arena, &rules, &raw_experiment, &mut mistakes));
    // A contradiction to a default has no position in the file.
    let first_rule_span = raw_experiment.rules.values().next().map(PlacedValue::span);
    mistakes.extend(rule_mistakes.into_iter().map(|mistake| Diagnostic {
        span: mistake.span.clone().or_else(|| first_rule_span.clone()),
        ..mistake
    }));

    let names = section::key_names::<ExperimentAsWritten>().into_iter().take_while(|&name| name != "player");
    let headings: Vec<&str> = names.chain(arena.rule_keys().iter().copied()).collect();
    let player_context = PlayerContext { arena, rules: &rules, headings: &headings, source };
    let mut roster = Roster::new(assets.clone());
    // A player below a misspelled header is not an unknown player.
    roster.has_gaps = mistakes
        .iter()
        .any(|mistake| matches!(&mistake.cause, Cause::MisspeltHeader(section) if section == "player"));
    for player in &raw_experiment.players {
        roster.add_players(player_context, player, &mut mistakes);
    }
    let player_count = roster.names.len();
    let pairs = pairings::check(&raw_experiment.pairings, arena.shape, &roster, &mut mistakes);
    let anchor = pairings::check_anchor(&raw_experiment.anchor, arena.shape, &roster, &mut mistakes);
    let context = Context {
        arena,
        rules: &rules,
        roster: &roster,
        pairs: &pairs,
        may_stop: raw_experiment.sections.stop.is_some(),
        has_clock: raw_experiment.max_seconds.is_written(),
    };
    let sections = raw_experiment.sections.check(context, &mut mistakes);
    let games_per_block = match arena.shape {
        Shape::Solo => player_count,
        Shape::Duel => pairs.len() * arena.shape.legs(),
    };
    let total_games = blocks.as_ref().map_or(0, |blocks| u128::from(blocks.len())) * games_per_block as u128;
    if total_games > MAX_TOTAL_GAMES {
        let span = raw_experiment.games.span().or_else(|| raw_experiment.seeds.span());
        let message =
            format!("the experiment has {total_games} games; at most {MAX_TOTAL_GAMES} are allowed");
        mistakes.push(Diagnostic { span, message, ..Diagnostic::default() });
    }
    let (planned_games, extended_from) =
        check_planned_games(&raw_experiment, blocks.as_ref(), arena.shape, &mut mistakes);

    let (Some(name), Some(blocks), true) = (raw_experiment.name.value(), blocks, mistakes.is_empty()) else {
        return Err(mistakes);
    };
    Ok(Experiment {
        name: name.get().to_owned(),
        catalog,
        arena,
        rules,
        blocks,
        planned_games,
        extended_from,
        max_moves: raw_experiment.max_moves.value().copied(),
        max_seconds: raw_experiment.max_seconds.value().copied(),
        players: roster.players,
        families: roster.families_in_order,
        pairs,
        anchor,
        sections,
        text,
        assets: assets.unwrap_or_default(),
    })
}

/// Makes the blocks for this number of games of each player, or of each pairing in duels. In a duel
/// each opening is played twice, with the seats swapped, and all openings of an experiment differ.
fn make_blocks(
    block_seeds: BlockSeeds,
    arena: &Arena,
    rules: &CheckedRules,
    raw_experiment: &ExperimentAsWritten,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<BlockSeeds> {
    let legs = arena.shape.legs() as u64;
    let blocks = match block_seeds {
        BlockSeeds::Derived { games, .. } if !games.is_multiple_of(legs) => {
            let message =
                "each opening is played twice, with the colours swapped: the number of games must be even";
            mistakes.push(raw_experiment.games.mistake(message));
            return None;
        }
        BlockSeeds::Derived { seed, games } => BlockSeeds::Derived { seed, games: games / legs },
        listed @ BlockSeeds::Listed(_) => listed,
    };
    if let (Some(openings), BlockSeeds::Derived { games, .. }) = (rules.openings, &blocks)
        && *games > openings
    {
        let max_games = legs * openings;
        let message = format!(
            "there are only {} different openings, and each is played twice: at most {} games",
            text::group_digits(openings),
            text::group_digits(max_games)
        );
        mistakes.push(raw_experiment.games.mistake(message));
        return None;
    }
    if let (Some(_), BlockSeeds::Listed(seeds)) = (rules.openings, &blocks) {
        let mut seeds_by_opening = BTreeMap::new();
        for &seed in seeds {
            let Some(opening) = arena.opening(rules, Block::from_seed(seed)) else { break };
            if let Some(earlier_seed) = seeds_by_opening.insert(opening.text.clone(), seed) {
                let message =
                    format!("seeds {earlier_seed} and {seed} have the same opening: {}", opening.text);
                mistakes.push(raw_experiment.seeds.mistake(message));
                return None;
            }
        }
    }
    Some(blocks)
}

/// Returns the number of planned games, and the number of games after which others were added.
/// Games beyond the planned ones count as added.
fn check_planned_games(
    raw_experiment: &ExperimentAsWritten,
    blocks: Option<&BlockSeeds>,
    shape: Shape,
    mistakes: &mut Vec<Diagnostic>,
) -> (Option<u64>, Option<u64>) {
    let ExperimentAsWritten { planned_games, extended_from, .. } = raw_experiment;
    let Some(games) = blocks.map(|blocks| shape.legs() as u64 * blocks.len()) else { return (None, None) };
    let planned_value = planned_games.value().map(|planned| planned.get());
    let extended_value = extended_from.value().map(|extended| extended.get());
    if planned_value.is_some_and(|planned| planned > games) {
        let message =
            format!("must be at most the number of games per player ({})", text::group_digits(games));
        mistakes.push(planned_games.mistake(message));
    }
    if extended_value.is_some_and(|extended| extended >= games) {
        let message =
            format!("must be less than the number of games per player ({})", text::group_digits(games));
        mistakes.push(extended_from.mistake(message));
    }
    (planned_value, extended_value.or(planned_value.filter(|&planned| planned < games)))
}

/// Finds the game. If it is missing or unknown, the rest of the file is checked for the game that
/// has most of its algorithms.
fn find_arena(
    games: Arenas,
    raw_experiment: &ExperimentAsWritten,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<&'static Arena> {
    let game = raw_experiment.game.value();
    let named_arena = game.and_then(|name| Arena::find(games, name));
    if let (None, Some(game)) = (named_arena, game) {
        let game_names = games.iter().map(|arena| arena.name);
        let quoted_names =
            || game_names.clone().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        let help = name::suggest_name(game, game_names.clone())
            .unwrap_or_else(|| format!("known games: {}", quoted_names()));
        mistakes.push(raw_experiment.game.mistake("unknown game").with_help(help));
    }
    let known_algorithms = |arena: &&Arena| {
        let manuals = arena.manual();
        let algorithms = raw_experiment.players.iter().filter_map(|player| player.algorithm.value());
        algorithms.filter(|name| manuals.iter().any(|manual| manual.name == **name)).count()
    };
    // If several games have equally many, the first one.
    named_arena.or_else(|| games.iter().rev().max_by_key(known_algorithms))
}

/// Makes the blocks from `seed` and `games`, or from `seeds`.
fn read_blocks(
    raw_experiment: &ExperimentAsWritten,
    source: &LineIndex,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<BlockSeeds> {
    let ExperimentAsWritten { seed, games, seeds, .. } = raw_experiment;
    let mistake = match (seed.is_written(), games.is_written(), seeds.is_written()) {
        (true, true, false) | (false, false, true) => None,
        (false, false, false) => Some(
            seed.mistake("`seed` and `games` are missing")
                .with_help("or list the seeds: `seeds = [1, 2, 3]`"),
        ),
        (true, false, false) => Some(games.mistake("`games` is missing: the number of games per player")),
        (false, true, false) => Some(seed.mistake("`seed` is missing: the number that determines all games")),
        // A misspelled key that is probably none of these.
        _ if seed.is_mistaken() || games.is_mistaken() || seeds.is_mistaken() => None,
        (true, false, true) => Some(seed.mistake("conflicts with `seeds`, which lists every seed")),
        (false, true, true) => {
            Some(games.mistake("conflicts with `seeds`, which determines the number of games"))
        }
        (true, true, true) => {
            Some(seeds.mistake("conflicts with `seed` and `games`: keep these two, or only `seeds`"))
        }
    };
    let is_clear = mistake.is_none();
    mistakes.extend(mistake);
    if seeds.value().is_some_and(|ValueList(seeds)| seeds.is_empty()) {
        mistakes.push(seeds.mistake("lists no seeds"));
        return None;
    }
    if !is_clear {
        return None;
    }
    if let (Some(seed), Some(games)) = (seed.value(), games.value()) {
        return Some(BlockSeeds::Derived { seed: seed.get(), games: games.get() });
    }
    let ValueList(items) = seeds.value()?;
    let mut places_by_seed = BTreeMap::new();
    let mut numbers = Vec::with_capacity(items.len());
    for item in items {
        let number = item.value()?.get();
        let place = item.span().unwrap_or_default();
        let first = places_by_seed.entry(number).or_insert_with(|| place.clone());
        if *first != place {
            let (line, column) = source.line_and_column(first.start);
            let message = format!("duplicate seed: {number} is at line {line}, column {column}");
            mistakes.push(Diagnostic::new(place, message));
        }
        numbers.push(number);
    }
    Some(BlockSeeds::Listed(numbers))
}
