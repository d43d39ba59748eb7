//! From what is written to what can be trusted. Every mistake is collected: whoever has made one goes on as if it
//! were not there, and only at the end is there an experiment or none.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::player::Roster;
use super::raw::{self, Head, Raw};
use super::{Blocks, Experiment, claim, name, published, stop};
use crate::arena::{Arena, GAMES};
use crate::diagnostic::{self, Diagnostic};
use crate::settings;

/// More games than this, all players together, no journal could hold.
const MOST_GAMES: u128 = 10_000_000_000;

/// Checks the file of an experiment.
pub(super) fn experiment(text: &str, tree: DeTable) -> Result<Experiment, Vec<Diagnostic>> {
    let mut mistakes = Vec::new();
    let raw = raw::split(tree, &mut mistakes);
    let head = settings::read::<Head>(&raw.head, Head::EXAMPLE);
    if let Err(refused) = &head {
        let is_misspelt =
            |mistake: &Diagnostic| raw.misspelt.iter().any(|key| mistake.message == settings::missing(key));
        mistakes.extend(refused.iter().filter(|mistake| !is_misspelt(mistake)).cloned());
    }
    let head = head.ok();
    let blocks = blocks(&raw, head.as_ref(), text, &mut mistakes);

    let Some(arena) = arena(&raw.head.table, &mut mistakes) else { return Err(mistakes) };
    let (rules, refused) = arena.rules(&raw.rules);
    // What contradicts a default has no place of its own.
    let some_rule = raw.rules.table.values().next().map(Spanned::span);
    mistakes.extend(
        refused.into_iter().map(|mistake| Diagnostic {
            span: mistake.span.clone().or_else(|| some_rule.clone()),
            ..mistake
        }),
    );

    let headings = [settings::fields::<Head>(), (arena.rule_keys)()].concat();
    let mut roster = Roster::default();
    for written in raw.players {
        roster.enter(arena, &rules, &headings, written, text, &mut mistakes);
    }
    let stop = raw.stop.as_ref().map(|written| stop::check(written, arena, &rules, &roster, &mut mistakes));
    let stop = stop.flatten();
    let claims = claim::check(&raw.claims, arena, &rules, &roster, raw.stop.is_some(), &mut mistakes);
    let published = published::check(&raw.published, arena, &rules, &roster, &mut mistakes);
    let games = blocks.as_ref().map_or(0, |blocks| u128::from(blocks.len())) * roster.names.len() as u128;
    if games > MOST_GAMES {
        let table = &raw.head.table;
        let span = raw::span(table, "games").or_else(|| raw::span(table, "seeds"));
        let message =
            format!("all players together may play at most {MOST_GAMES} games, and this makes {games}");
        mistakes.push(Diagnostic { span, message, help: None });
    }

    let (Some(head), Some(blocks), true) = (head, blocks, mistakes.is_empty()) else { return Err(mistakes) };
    Ok(Experiment {
        name: head.name.0,
        arena,
        rules,
        blocks,
        max_moves: head.max_moves,
        entries: roster.entries,
        claims,
        stop,
        published,
        text: text.to_owned(),
        assets: Default::default(),
    })
}

/// The game that is named. Who has not named one that exists can still have meant only one, if there is only one;
/// then the rest is checked as well.
fn arena(head: &DeTable, mistakes: &mut Vec<Diagnostic>) -> Option<&'static Arena> {
    let found = raw::text(head, "game").and_then(|name| Arena::find(GAMES, name));
    if let (None, Some(game), Some(span)) = (found, raw::text(head, "game"), raw::span(head, "game")) {
        let known = GAMES.iter().map(|arena| arena.name);
        let all = || known.clone().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        let help =
            name::did_you_mean(game, known.clone()).unwrap_or_else(|| format!("known games: {}", all()));
        mistakes.push(Diagnostic::at(span, "there is no such game").helped(help));
    }
    let only = if let [only] = GAMES { Some(only) } else { None };
    found.or(only)
}

/// The seeds to be played: `seed` and `games`, or `seeds`.
fn blocks(raw: &Raw, head: Option<&Head>, text: &str, mistakes: &mut Vec<Diagnostic>) -> Option<Blocks> {
    let table = &raw.head.table;
    let has = |key: &str| table.get(key).is_some() || raw.misspelt.iter().any(|misspelt| misspelt == key);
    let at = |key: &str, message: &str| Diagnostic {
        span: raw::span(table, key),
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
    if let (Some([]), Some(span)) = (seeds.map(|seeds| &seeds[..]), raw::span(table, "seeds")) {
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
            let (line, column) = diagnostic::place(text, first.span().start);
            let message = format!("{number} is in the list already, at line {line}, column {column}");
            mistakes.push(Diagnostic::at(value.span(), message));
        }
    }
    Some(Blocks::Listed(numbers))
}
