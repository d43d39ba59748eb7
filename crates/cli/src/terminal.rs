//! Text as wide as the terminal, and tables in the order of importance.

use std::io::{self, IsTerminal};
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(windows)]
use std::os::windows::io::AsHandle as AsFd;
use std::path::Path;

use gauntlet_analysis::results::analysis::standing;
use gauntlet_analysis::results::tables::crosstable::Crosstable;
use gauntlet_analysis::results::tables::duels::{DUELS, ELO};
use gauntlet_analysis::results::tables::times::MoveTimeRow;
use gauntlet_analysis::results::tables::{SUMS_OF_PLAYERS, fact_table};
use gauntlet_core::table::{Table, TableWidth, TextTable, TypedRow};
use gauntlet_core::text::names::ShortNames;
use gauntlet_core::text::{quote_path, wrap_line};

/// Default size of a terminal that does not report one.
const DEFAULT_COLUMNS: usize = 80;
const DEFAULT_LINES: usize = 24;

/// Returns the columns of the terminal on standard output; `None` for files and pipes, whose output
/// is always complete.
pub fn width() -> Option<usize> {
    width_of(&io::stdout())
}

/// Returns true if standard output may have colours: on a terminal that supports them, unless
/// disabled (<https://no-color.org>).
pub fn has_colours() -> bool {
    let is_disabled = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
    io::stdout().is_terminal() && !is_disabled && !is_dumb
}

/// Returns the columns of the terminal on standard error.
pub fn width_of_messages() -> Option<usize> {
    width_of(&io::stderr())
}

fn width_of(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    stream.is_terminal().then(|| {
        let requested = std::env::var("COLUMNS").ok();
        let measured = terminal_size::terminal_size_of(stream).map_or(0, |(width, _)| width.0.into());
        columns(requested.as_deref(), measured)
    })
}

/// Returns the columns set in the environment, or else those of the terminal; 0 means unknown.
fn columns(requested: Option<&str>, measured: usize) -> usize {
    let requested = requested.and_then(|requested| requested.parse().ok()).filter(|&requested| requested > 0);
    requested.unwrap_or(if measured > 0 { measured } else { DEFAULT_COLUMNS })
}

/// Returns columns and lines of the terminal on standard output; `None` if it is not a terminal.
pub fn terminal_size() -> Option<(usize, usize)> {
    let height = terminal_size::terminal_size_of(io::stdout()).map_or(0, |(_, height)| height.0.into());
    Some((width()?, if height > 0 { height } else { DEFAULT_LINES }))
}

/// Formats a table as text. `full_table_hint` is the option that shows all columns.
pub fn format_table(table: &Table, full_table_hint: &str) -> String {
    table.to_text(width().map(|width| TableWidth { width, full_table_hint }))
}

/// Columns of the table of times among other tables: the ones to compare players by.
const TIME_COLUMNS: usize = 6;

/// Sorts tables for a reader: numbers first, then verdicts, claims last.
pub fn order_for_reading(tables: &[Table]) -> Vec<&Table> {
    let mut tables: Vec<&Table> = tables.iter().collect();
    let verdicts = ["published", "precision", "stop", "claims"];
    tables.sort_by_key(|table| verdicts.iter().position(|&verdict| verdict == table.name));
    tables
}

/// Returns true if this table ranks the players.
pub fn is_strength(table: &Table) -> bool {
    SUMS_OF_PLAYERS.contains(&table.name)
}

/// Returns the tables with players sorted by strength, if one of the tables ranks them.
pub fn sort_by_strength(tables: &[Table]) -> Vec<Table> {
    let mut tables = tables.to_vec();
    let order =
        tables.iter().find(|table| is_strength(table)).map(standing::players_by_strength).unwrap_or_default();
    for table in
        tables.iter_mut().filter(|table| table.columns[0].name == "player" && table.answers().is_none())
    {
        standing::sort_rows(table, order.iter().map(|name| &**name));
    }
    tables
}

/// Formats the tables of a folder below their names, verdicts last and players by strength. On a
/// terminal each table has as many columns as fit. Long tables are shortened, unless all rows and
/// columns are asked for.
pub fn format_tables(tables: &[Table], folder: &Path, is_whole: bool) -> String {
    format_tables_within(tables, folder, is_whole, width())
}

/// Formats the tables with all rows and columns, however wide.
pub fn format_wide_tables(tables: &[Table], folder: &Path) -> String {
    format_tables_within(tables, folder, true, None)
}

fn format_tables_within(tables: &[Table], folder: &Path, is_whole: bool, width: Option<usize>) -> String {
    let mut text = String::new();
    let mut tables = sort_by_strength(tables);
    if !is_whole {
        let names = short_names(&tables, width);
        tables.iter_mut().for_each(|table| table.cut_names(&names));
    }
    for table in order_for_reading(&tables) {
        let command = format!("gauntlet report {} --table {}", quote_path(folder), table.name);
        let full_table_hint = format!("{command} --format csv");
        let table_width = width.map(|width| TableWidth { width, full_table_hint: &full_table_hint });
        let short_form = if is_whole { None } else { shorten(table, &tables, width) };
        let (title, body) = match short_form {
            Some((description, lines)) => {
                let title = format!("{}: {description}: {command}", table.name);
                (wrap_line(&title, width), lines.to_text(table_width))
            }
            None => (table.name.to_owned(), table.to_text(table_width)),
        };
        text += &format!("{title}\n{body}\n");
    }
    text
}

/// Returns the short names of the players in the tables of a screen.
pub fn short_names(tables: &[Table], width: Option<usize>) -> ShortNames {
    ShortNames::new(tables.iter().flat_map(Table::player_names), width)
}

/// Returns a short form of a table, one line per player, and its description; `width` is that of
/// the terminal.
pub fn shorten(
    table: &Table,
    other_tables: &[Table],
    width: Option<usize>,
) -> Option<(&'static str, TextTable)> {
    if let Some(lines) = fact_table::to_sheet(table) {
        return Some(("games that reached each tile; all tiles", lines));
    }
    if table.name == MoveTimeRow::NAME {
        return Some(("all columns", table.to_sheet().keep_first_columns(TIME_COLUMNS)));
    }
    let width = width?;
    let elo = other_tables.iter().find(|table| table.name == ELO).filter(|_| table.name == DUELS)?;
    let lines = Crosstable::new(table, elo)?.to_sheet();
    lines.fits_with_cut_names(width).then_some(("games won-drawn-lost; with shares and intervals", lines))
}

#[cfg(test)]
mod tests {
    use gauntlet_analysis::results::tables::schemas;
    use gauntlet_games::GAMES;

    use super::*;

    #[test]
    fn the_environment_is_asked_before_the_terminal() {
        assert_eq!(columns(Some("60"), 120), 60);
        assert_eq!(columns(None, 120), 120);
        assert_eq!(columns(Some("wide"), 120), 120);
        assert_eq!(columns(Some("0"), 0), 80);
        assert_eq!(columns(None, 0), 80);
    }

    #[test]
    fn verdicts_come_last_and_a_terminal_has_one_line_for_each_player() {
        let table = |name: &str, csv: &str| {
            let schema = schemas(&GAMES).into_iter().find(|schema| schema.name == name).expect("a table");
            Table::from_csv(&schema, csv.as_bytes()).expect("a table")
        };
        let tiles: String =
            (4..12).map(|rank| format!("a,{},1,0.125,{},0.5,0.4,0.6\n", 1 << rank, 12 - rank)).collect();
        let header = "player,tile,games,share,reached,reach_rate,reach_rate_low,reach_rate_high\n";
        let tables = [
            table("win-rate", "player,games\na,8\n"),
            table("max-tile", &format!("{header}{tiles}")),
            table("claims", "player,answer\na,a vs b: +1.0 points of wins; p = 0.01 and so on\n"),
        ];
        let render = |is_whole, width| format_tables_within(&tables, Path::new("x"), is_whole, width);
        let has_ordered_titles = |text: &str| {
            let words = ["win-rate", "max-tile", "claims"];
            let mut positions = words.map(|word| text.find(word).expect("a title"));
            let are_in_order = positions.is_sorted();
            positions.sort_unstable();
            are_in_order && positions[0] == 0
        };
        let (file, terminal, full) = (render(false, None), render(false, Some(40)), render(true, Some(40)));
        let unlimited = render(true, None);
        assert!(has_ordered_titles(&file) && has_ordered_titles(&terminal), "{file}\n{terminal}");
        assert_eq!(file.matches("\na ").count(), 1 + 1 + 1, "{file}");
        assert_eq!(terminal.matches("\na ").count(), 1 + 1 + 1, "{terminal}");
        assert_eq!(full.matches("\na ").count(), 1 + 8 + 1, "{full}");
        assert_eq!(unlimited.matches("\na ").count(), 1 + 8 + 1, "{unlimited}");
        assert!(terminal.contains("a vs b: +1.0 points of wins; p = 0.01\n  and so on\n"), "{terminal}");
        assert!(terminal.contains("gauntlet report x --table\n  max-tile"), "{terminal}");
    }

    #[test]
    fn all_tables_and_verdicts_of_a_screen_have_the_same_names() {
        let table = |name: &str, csv: &str| {
            let schema = schemas(&GAMES).into_iter().find(|schema| schema.name == name).expect("a table");
            Table::from_csv(&schema, csv.as_bytes()).expect("a table")
        };
        let screen = |one: &str, other: &str, width| {
            let rates = format!(
                "player,games,wins,win_rate,win_rate_low,win_rate_high,mean_score,mean_score_low,mean_score_high\n\
                 {one},500,423,0.846,0.8117,0.875,38569,37001,40138\n{other},500,368,0.736,0.6957,0.7727,35911,34073,37749\n"
            );
            let tiles =
                format!("player,tile,games,share,reached\n{one},2048,423,1,423\n{other},2048,368,1,368\n");
            let claims =
                format!("player,verdict,answer\n{one},confirmed,{one} vs {other}: +11.0 points of wins\n");
            let tables = [table("win-rate", &rates), table("max-tile", &tiles), table("claims", &claims)];
            format_tables_within(&tables, Path::new("x"), false, Some(width))
        };
        // Up to 32 columns are whole.
        for width in [60, 80, 120] {
            let names = ["swift-monte-carlo simulations=18", "swift-monte-carlo simulations=19"];
            let text = screen(names[0], names[1], width);
            assert!(names.iter().all(|name| text.matches(&format!("\n{name}  ")).count() == 2), "{text}");
            assert!(text.replace("\n           ", " ").contains(&names.join(" vs ")), "{text}");
            assert_eq!(text.contains("  mean score"), width > 60, "{text}");
        }
        let full_name =
            |power: &str| format!("expectimax weights.empty=270 weights.smoothness.power={power}");
        for (width, is_cut) in [(60, true), (80, true), (120, true), (160, false)] {
            let text = screen(&full_name("1.5"), &full_name("2.5"), width);
            let short_name = |power: &str| match width {
                160 => full_name(power),
                120 => format!("expectimax … weights.smoothness.power={power}"),
                _ => format!("expectimax … power={power}"),
            };
            assert_eq!(text.contains('…'), is_cut, "{text}");
            assert_eq!(text.matches(&format!("\n{}  ", short_name("2.5"))).count(), 2, "{width} {text}");
            let verdict = format!("{} vs {}: +11.0", short_name("1.5"), short_name("2.5"));
            assert!(text.replace("\n           ", " ").contains(&verdict), "{width} {text}");
        }
    }
}
