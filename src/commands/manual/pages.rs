//! The manual's pages. In their templates, a line such as `{columns claims}` is replaced by rows
//! that are made from declarations.

use gauntlet_analysis::config::{self, Catalog};
use gauntlet_analysis::results::documented_schemas;
use gauntlet_analysis::results::store::manifest::{Manifest, ReevaluationKeys, RunKeys, Session, TuningKeys};
use gauntlet_core::arena::{Arena, Arenas, FeatureEntry};
use gauntlet_core::game::{Seat, Shape};
use gauntlet_core::record::Ending;
use gauntlet_core::settings::section::KeyDeclaration;
use gauntlet_core::table::Schema;
use gauntlet_methods::METHODS;
use gauntlet_run::tally::rows;

use gauntlet_cli::exit::STATUSES;

/// Templates of the pages.
const TEXTS: [&str; 4] = [
    include_str!("experiment.md"),
    include_str!("results.md"),
    include_str!("commands.md"),
    include_str!("glossary.md"),
];

/// Names of the pages in `docs/`.
pub(super) const PAGES: [&str; 4] = ["EXPERIMENT.md", "RESULTS.md", "COMMANDS.md", "GLOSSARY.md"];

/// Returns the pages.
pub(super) fn pages(catalog: Catalog) -> [String; 4] {
    TEXTS.map(|text| text.lines().map(|line| fill_line(line, catalog)).collect())
}

/// Returns a line of a template, or the rows that replace it.
fn fill_line(line: &str, catalog: Catalog) -> String {
    let Some(words) = line.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
        return format!("{line}\n");
    };
    let (kind, name) = words.split_once(' ').unwrap_or((words, ""));
    match kind {
        "keys" => format_keys(&section_keys(name, catalog)),
        "rules" => format_keys(find_arena(name, catalog.games).map_or(&[][..], |arena| arena.rules_manual())),
        "training" => {
            let training = find_arena(name, catalog.games).and_then(|arena| arena.training);
            format_keys(training.map_or(&[][..], |training| training.manual))
        }
        "algorithms" => list_algorithms(catalog.games),
        "features" => list_features(name, catalog.games),
        "methods" => {
            format_table("method", METHODS.iter().map(|method| (method.name(), to_sentence(method.about()))))
        }
        "columns" => list_columns(&find_schema(name, catalog.games)),
        "games" => list_game_columns(if name == "solo" { Shape::Solo } else { Shape::Duel }, catalog.games),
        "endings" => list_endings(),
        "manifest" => list_manifest_keys(name),
        "statuses" => {
            let row =
                |&(status, meaning): &(u8, &[&str])| format!("| {status} | {} |\n", join_lines(meaning));
            "| status | meaning |\n|---|---|\n".to_owned() + &STATUSES.iter().map(row).collect::<String>()
        }
        _ => panic!("the manual knows no {words:?}"),
    }
}

fn find_arena(name: &str, games: Arenas) -> Option<&'static Arena> {
    games.iter().find(|arena| arena.name == name)
}

/// Joins the lines of a doc comment.
fn join_lines(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

/// Capitalizes the first letter of a text and adds a period.
fn to_sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect::<String>() + "."
}

/// Formats a table of names and meanings.
fn format_table<'a>(header: &str, rows: impl Iterator<Item = (&'a str, String)>) -> String {
    let rows = rows.map(|(name, meaning)| format!("| `{name}` | {meaning} |\n"));
    format!("| {header} | meaning |\n|---|---|\n{}", rows.collect::<String>())
}

/// Formats a table of keys.
fn format_keys(keys: &[KeyDeclaration]) -> String {
    let rows = keys.iter().map(|key| format!("{key}\n"));
    format!("| key | type | default | meaning |\n|---|---|---|---|\n{}", rows.collect::<String>())
}

/// Returns the keys of a section of the file; without a name, the keys before the first section.
fn section_keys(name: &str, catalog: Catalog) -> Vec<KeyDeclaration> {
    let section = config::section_keys(catalog).into_iter().find(|section| section.name == name);
    section.unwrap_or_else(|| panic!("no section is called {name:?}")).keys
}

/// Lists the algorithms of all games. A player for any game has one row.
fn list_algorithms(arenas: Arenas) -> String {
    let mut algorithms: Vec<(&str, Vec<&str>, String)> = Vec::new();
    for arena in arenas {
        for algorithm in arena.manual() {
            let summary = algorithm.summary.replace('|', "\\|");
            match algorithms.iter_mut().find(|(name, _, text)| *name == algorithm.name && *text == summary) {
                Some((_, games, _)) => games.push(arena.name),
                None => algorithms.push((algorithm.name, vec![arena.name], summary)),
            }
        }
    }
    let row = |(name, games, summary): (_, Vec<&str>, _)| {
        format!("| `{name}` | {} | {summary} |\n", games.join(", "))
    };
    let rows: String = algorithms.into_iter().map(row).collect();
    format!("| algorithm | game | meaning |\n|---|---|---|\n{rows}")
}

/// Lists the features of a game, with the default power of those that have one.
fn list_features(game: &str, arenas: Arenas) -> String {
    let features = find_arena(game, arenas).map(|arena| arena.features()).unwrap_or_default();
    let row = |feature: FeatureEntry| {
        let power = feature.power.map_or(String::new(), |power| format!(" Default power: {power}."));
        format!("| `{}` | {} | {}{power} |\n", feature.name, feature.source, feature.meaning)
    };
    let rows: String = features.into_iter().map(row).collect();
    format!("| feature | source | meaning |\n|---|---|---|\n{rows}")
}

/// Returns the schema of a table.
fn find_schema(name: &str, arenas: Arenas) -> Schema {
    let schemas =
        documented_schemas(arenas).into_iter().chain(gauntlet_tune::results::tuning_results::schemas());
    let schema = schemas.into_iter().find(|schema| schema.name == name);
    schema.unwrap_or_else(|| panic!("no table is called {name:?}"))
}

/// Lists the columns of a table. Bounds and counts share the row of the column before them.
fn list_columns(schema: &Schema) -> String {
    let mut entries: Vec<(Vec<&str>, String)> = Vec::new();
    for column in &schema.columns {
        match entries.last_mut().filter(|_| column.meaning.is_empty()) {
            Some((names, _)) => names.push(column.name),
            None => entries.push((vec![column.name], join_lines(column.meaning))),
        }
    }
    let rows = entries.into_iter().map(|(names, meaning)| (names.join("`, `"), meaning)).collect::<Vec<_>>();
    format_table("column", rows.iter().map(|(names, meaning)| (&**names, meaning.clone())))
}

/// Lists the columns of `games.csv` for all games of a shape.
fn list_game_columns(shape: Shape, arenas: Arenas) -> String {
    let facts: Vec<_> =
        arenas.iter().filter(|arena| arena.shape == shape).flat_map(|arena| arena.facts).collect();
    let facts: Vec<_> = facts.into_iter().copied().collect();
    format_table("column", rows::columns(shape, &facts).into_iter())
}

/// Lists the endings of games, once for both seats.
fn list_endings() -> String {
    let endings = Ending::ALL.into_iter().filter(|ending| ending.seat_at_fault() != Some(Seat::Second));
    format_table("ending", endings.map(|ending| (ending.name(), ending.meaning().to_owned())))
}

/// Lists keys of a manifest.
fn list_manifest_keys(group: &str) -> String {
    let keys = match group {
        "run" => [Manifest::KEYS, RunKeys::KEYS].concat(),
        "tuning" => TuningKeys::KEYS.to_vec(),
        "session" => Session::KEYS.to_vec(),
        "judged" => ReevaluationKeys::KEYS.to_vec(),
        _ => panic!("a manifest has no {group:?}"),
    };
    format_table("key", keys.iter().map(|key| (key.name, key.sentence())))
}
