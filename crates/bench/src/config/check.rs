//! Checks a file as a whole. Every mistake is collected: each check goes on as if those before had found none.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::blocks::Blocks;
use super::context::Context;
use super::experiment::Experiment;
use super::head::Head;
use super::roster::Roster;
use super::sections::{self, Sections};
use super::{claim, keys, name, pairings, published, stop, tune};
use crate::arena::{Arena, Arenas, Rules};
use crate::assets::Assets;
use crate::diagnostic::{Diagnostic, Lines};
use crate::game::{Block, Shape};
use crate::settings::{self, Written};
use crate::text;

/// The most games of all players together. No journal could hold more.
const MOST_TOGETHER: u128 = 10_000_000_000;

/// Checks the file of an experiment with one of these games.
pub(super) fn experiment(
    arenas: Arenas,
    source: &Lines,
    tree: DeTable,
    assets: Option<Arc<Assets>>,
) -> Result<Experiment, Vec<Diagnostic>> {
    let mut mistakes = Vec::new();
    let sections = sections::sort(tree, arenas, &mut mistakes);
    let head = settings::read::<Head>(&sections.head, Head::EXAMPLE);
    if let Err(refused) = &head {
        let is_misspelt = |mistake: &Diagnostic| {
            sections.misspelt.iter().any(|key| mistake.message == settings::missing(key))
        };
        mistakes.extend(refused.iter().filter(|mistake| !is_misspelt(mistake)).cloned());
    }
    let head = head.ok();
    let games_written = blocks(&sections, head.as_ref(), source, &mut mistakes);

    let Some(arena) = arena(arenas, &sections.head.table, &sections.players, &mut mistakes) else {
        return Err(mistakes);
    };
    let (rules, refused) = arena.rules(&sections.rules);
    let blocks = games_written.and_then(|games| dealt(games, arena, &rules, &sections.head, &mut mistakes));
    // A contradiction to a default has no place of its own.
    let some_rule = sections.rules.table.values().next().map(Spanned::span);
    mistakes.extend(
        refused.into_iter().map(|mistake| Diagnostic {
            span: mistake.span.clone().or_else(|| some_rule.clone()),
            ..mistake
        }),
    );

    let headings = [settings::fields::<Head>(), (arena.rule_keys)()].concat();
    let mut roster = Roster::new(assets.clone());
    for written in sections.players {
        roster.enter(arena, &rules, &headings, written, source, &mut mistakes);
    }
    let players = roster.names.len();
    let pairs = pairings::check(sections.head.table.get(pairings::KEY), arena.shape, &roster, &mut mistakes);
    let context = Context { arena, rules: &rules, roster: &roster, pairs: &pairs };
    let may_stop = sections.stop.is_some();
    let stop = sections.stop.and_then(|written| stop::check(&written, context, &mut mistakes));
    let claims = claim::check(&sections.claims, context, may_stop, &mut mistakes);
    let published = published::check(&sections.published, context, &mut mistakes);
    let has_clock = keys::span(&sections.head.table, "max_seconds").is_some();
    let tune = sections.tune.and_then(|written| tune::check(&written, context, has_clock, &mut mistakes));
    let in_a_block = match arena.shape {
        Shape::Solo => players,
        Shape::Duel => pairs.len() * arena.shape.legs(),
    };
    let games = blocks.as_ref().map_or(0, |blocks| u128::from(blocks.len())) * in_a_block as u128;
    if games > MOST_TOGETHER {
        let table = &sections.head.table;
        let span = keys::span(table, "games").or_else(|| keys::span(table, "seeds"));
        let message =
            format!("all players together may play at most {MOST_TOGETHER} games, and this makes {games}");
        mistakes.push(Diagnostic { span, message, help: None });
    }

    let (planned_games, extended_from) =
        announced(&sections.head, head.as_ref(), blocks.as_ref(), arena.shape, &mut mistakes);

    let (Some(head), Some(blocks), true) = (head, blocks, mistakes.is_empty()) else { return Err(mistakes) };
    Ok(Experiment {
        name: head.name.0,
        arenas,
        arena,
        rules,
        blocks,
        planned_games,
        extended_from,
        max_moves: head.max_moves,
        max_seconds: head.max_seconds,
        entries: roster.entries,
        pairs,
        claims,
        stop,
        published,
        tune,
        text: source.text().to_owned(),
        assets: assets.unwrap_or_default(),
    })
}

/// The blocks of so many games of each player, or of each two players against each other. Where two play, each opening is
/// played twice, with the seats swapped; and openings of one experiment differ.
fn dealt(
    games: Blocks,
    arena: &Arena,
    rules: &Rules,
    head: &Written,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Blocks> {
    let legs = arena.shape.legs() as u64;
    let blocks = match games {
        Blocks::Derived { games, .. } if !games.is_multiple_of(legs) => {
            let message =
                "each opening is played twice, with the colours swapped: the number of games must be even";
            mistakes.push(head.blame("games", message.to_owned()));
            return None;
        }
        Blocks::Derived { seed, games } => Blocks::Derived { seed, games: games / legs },
        listed @ Blocks::Listed(_) => listed,
    };
    if let (Some(openings), Blocks::Derived { games, .. }) = (rules.openings, &blocks)
        && *games > openings
    {
        let most = legs * openings;
        let message = format!(
            "each opening is played twice, and only {} differ: {} games at most",
            text::grouped(openings),
            text::grouped(most)
        );
        mistakes.push(head.blame("games", message));
        return None;
    }
    if let (Some(_), Blocks::Listed(seeds)) = (rules.openings, &blocks) {
        let mut known = BTreeMap::new();
        for &seed in seeds {
            let Some(opening) = arena.opening(rules, Block::of_seed(seed)) else { break };
            if let Some(earlier) = known.insert(opening.text.clone(), seed) {
                let message = format!("{earlier} and {seed} begin with the same opening: {}", opening.text);
                mistakes.push(head.blame("seeds", message));
                return None;
            }
        }
    }
    Some(blocks)
}

/// How many games were planned, and after how many others were added. Games beyond the planned ones were added.
fn announced(
    written: &Written,
    head: Option<&Head>,
    blocks: Option<&Blocks>,
    shape: Shape,
    mistakes: &mut Vec<Diagnostic>,
) -> (Option<u64>, Option<u64>) {
    let legs = shape.legs() as u64;
    let Some((head, games)) = head.zip(blocks.map(|blocks| legs * blocks.len())) else { return (None, None) };
    let planned = head.planned_games.map(NonZeroU64::get);
    let extended = head.extended_from.map(NonZeroU64::get);
    if planned.is_some_and(|planned| planned > games) {
        let message = format!("must not be more than the {} of each player", text::games(games));
        mistakes.push(written.blame("planned_games", message));
    }
    if extended.is_some_and(|extended| extended >= games) {
        let message = format!("must be less than the {} of each player", text::games(games));
        mistakes.push(written.blame("extended_from", message));
    }
    (planned, extended.or(planned.filter(|&planned| planned < games)))
}

/// The game that is named. Where none is, or one that is none, the rest of the file is checked for the game that has most of its
/// algorithms.
fn arena(
    arenas: Arenas,
    head: &DeTable,
    players: &[Written],
    mistakes: &mut Vec<Diagnostic>,
) -> Option<&'static Arena> {
    let found = keys::text(head, "game").and_then(|name| Arena::find(arenas, name));
    if let (None, Some(game), Some(span)) = (found, keys::text(head, "game"), keys::span(head, "game")) {
        let known = arenas.iter().map(|arena| arena.name);
        let all = || known.clone().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        let help =
            name::did_you_mean(game, known.clone()).unwrap_or_else(|| format!("known games: {}", all()));
        mistakes.push(Diagnostic::at(span, "there is no such game").helped(help));
    }
    let known = |arena: &&Arena| {
        let manual = arena.manual();
        let named = players.iter().filter_map(|player| keys::text(&player.table, "algorithm"));
        named.filter(|name| manual.iter().any(|known| known.name == *name)).count()
    };
    // Of games that know as many, the first one.
    found.or_else(|| arenas.iter().rev().max_by_key(known))
}

/// The seeds to be played: `seed` and `games`, or `seeds`.
fn blocks(
    sections: &Sections,
    head: Option<&Head>,
    source: &Lines,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Blocks> {
    let table = &sections.head.table;
    let has =
        |key: &str| table.get(key).is_some() || sections.misspelt.iter().any(|misspelt| misspelt == key);
    let at = |key: &str, message: &str| Diagnostic {
        span: keys::span(table, key),
        message: message.into(),
        help: None,
    };
    let mistake = match (has("seed"), has("games"), has("seeds")) {
        (true, true, false) | (false, false, true) => None,
        (false, false, false) => {
            let message = "it is not said which games to play: `seed` and `games` are missing";
            Some(Diagnostic::of_file(message).helped("or list the seeds yourself: `seeds = [1, 2, 3]`"))
        }
        (true, false, false) => Some(at("seed", "`games` is missing: how many games each player plays")),
        (false, true, false) => Some(at("games", "`seed` is missing: the number that these games grow from")),
        (true, false, true) => Some(at("seed", "contradicts `seeds`, which lists the seeds themselves")),
        (false, true, true) => Some(at("games", "contradicts `seeds`, which makes one game of each seed")),
        (true, true, true) => {
            Some(at("seeds", "contradicts `seed` and `games`: keep these two, or only `seeds`"))
        }
    };
    let is_clear = mistake.is_none();
    mistakes.extend(mistake);
    let seeds = table.get("seeds").and_then(|seeds| seeds.get_ref().as_array());
    if let (Some([]), Some(span)) = (seeds.map(|seeds| &seeds[..]), keys::span(table, "seeds")) {
        mistakes.push(Diagnostic::at(span, "lists no seeds"));
        return None;
    }

    let head = head.filter(|_| is_clear)?;
    if let (Some(seed), Some(games)) = (&head.seed, &head.games) {
        return Some(Blocks::Derived { seed: seed.0, games: games.0 });
    }
    let numbers = head.seeds.as_ref()?.iter().map(|seed| seed.0).collect::<Vec<_>>();
    let mut places = BTreeMap::new();
    for (number, value) in numbers.iter().zip(seeds?.iter()) {
        let first: &mut &Spanned<DeValue> = places.entry(number).or_insert(value);
        if first.span() != value.span() {
            let (line, column) = source.place(first.span().start);
            let message = format!("{number} is in the list already, at line {line}, column {column}");
            mistakes.push(Diagnostic::at(value.span(), message));
        }
    }
    Some(Blocks::Listed(numbers))
}
