//! Inserts tables into documents, between two comments that contain the command. So no number in a
//! document is typed by hand, and a test can check that document and results agree.
//!
//! ```text
//! <!-- gauntlet results/quick win-rate -->
//! …
//! <!-- /gauntlet -->
//! ```
//!
//! `claims:1,4` instead of a table's name selects its first and its fourth row, `leaderboard:1-10`
//! its first ten rows. `published[what,measured,verdict]` selects columns. Rows of several results
//! are joined by ` + `:
//!
//! ```text
//! <!-- gauntlet results/a leaderboard[player,mean_score]:1 + results/b leaderboard:2 -->
//! ```
//!
//! Times in joined rows of leaderboards are converted to one machine by the calibration loop.
//! `plot players.svg` in place of the sources plots these rows:
//!
//! ```text
//! <!-- gauntlet plot players.svg -->
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use gauntlet_analysis::compare::time::TimeUnit;
use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::results::analysis::front::notes;
use gauntlet_analysis::results::analysis::requested_tables::make_table;
use gauntlet_analysis::results::store::missing_results::has_results;
use gauntlet_analysis::results::store::read::{self, Results};
use gauntlet_analysis::results::store::snapshot::{ResultsSnapshot, has_tables};
use gauntlet_analysis::results::store::tuning::{is_tuning, is_unfinished};
use gauntlet_analysis::results::tables::crosstable::sort_by_rating;
use gauntlet_analysis::results::tables::leaderboard::LEADERBOARD;
use gauntlet_analysis::results::tables::{REQUESTED_TABLES, requestable_tables};
use gauntlet_core::disk::system_disk;
use gauntlet_core::table::Table;
use gauntlet_core::text::{display_path, escape};
use gauntlet_run::tally::LEVEL;
use gauntlet_tune::results::tuning_results::TuningResults;

use super::plots::intervals::Unit;
use super::plots::strength::{self, Preparation, StrengthPoint};
use super::plots::{Plot, ScreenSize};

const OPEN: &str = "<!-- gauntlet ";
const CLOSE: &str = "<!-- /gauntlet -->";

/// A document with its tables, and the plot that it contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplicedDocument {
    pub text: String,
    /// File name and SVG.
    pub plot: Option<(String, String)>,
}

/// Returns the document with the tables in all marked places replaced. Folders in it are relative
/// to `base`. They must be below `base` or below the current folder, so that a document from
/// elsewhere cannot copy other files of the machine.
pub fn splice(catalog: Catalog, document: &str, base: &Path) -> anyhow::Result<SplicedDocument> {
    let mut text = String::with_capacity(document.len());
    let mut rest = document;
    let mut place_count = 0;
    let mut places = MarkedPlaces { catalog, base, points: Vec::new(), plot_file: None };
    while let Some(start) = rest.find(OPEN) {
        let line_end = rest[start..].find('\n').map_or(rest.len(), |length| start + length + 1);
        let marker = &rest[start..line_end];
        let line_number = 1 + document[..document.len() - rest.len() + start].matches('\n').count();
        let words = marker.trim().strip_prefix(OPEN).and_then(|marker| marker.strip_suffix("-->"));
        let sources = words.map(|words| words.split(" + ").map(|source| source.trim().rsplit_once(' ')));
        let Some(sources) = sources.and_then(|sources| sources.collect::<Option<Vec<_>>>()) else {
            bail!("line {line_number}: expected `{OPEN}FOLDER TABLE -->`, found `{}`", marker.trim());
        };
        // If this place has no end mark, the end mark of a later place would be found, and
        // everything in between would be lost.
        let body = &rest[line_end..];
        let length = body.find(CLOSE).filter(|&length| !body[..length].contains(OPEN));
        let unclosed = || format!("line {line_number}: `{}` is not closed by `{CLOSE}`", marker.trim());
        let body_end = line_end + length.with_context(unclosed)?;
        text.push_str(&rest[..line_end]);
        let rendered = places.render(&sources).with_context(|| format!("line {line_number}"))?;
        // Line ends follow the surrounding lines.
        text.push_str(&if marker.ends_with("\r\n") { rendered.replace('\n', "\r\n") } else { rendered });
        rest = &rest[body_end..];
        place_count += 1;
    }
    if place_count == 0 {
        bail!("no `{OPEN}FOLDER TABLE -->` in the document");
    }
    text.push_str(rest);
    Ok(SplicedDocument { text, plot: places.plot()? })
}

/// Machine to which times of joined rows are converted.
const TIME_UNIT: TimeUnit = TimeUnit { loop_ns: 10_000.0, processor: None };

/// The marked places of a document, and what later places need of earlier ones.
struct MarkedPlaces<'a> {
    catalog: Catalog,
    base: &'a Path,
    /// Points of all joined rows of leaderboards.
    points: Vec<StrengthPoint>,
    /// File name of the plot.
    plot_file: Option<String>,
}

/// Part of a table in a document.
struct RenderedTable {
    /// The lines above the rows; empty for a list of answers.
    head: String,
    rows: String,
    notes: Vec<String>,
    /// The command that made the results.
    command: String,
}

impl MarkedPlaces<'_> {
    /// Renders the content of a place.
    fn render(&mut self, sources: &[(&str, &str)]) -> anyhow::Result<String> {
        match sources {
            [("plot", file)] => {
                ensure!(
                    file.ends_with(".svg") && !file.contains(['/', '\\']),
                    "after `plot`, expected a file name such as players.svg, found `{file}`"
                );
                ensure!(self.plot_file.is_none(), "a second plot: a document has at most one");
                self.plot_file = Some((*file).to_owned());
                Ok(format!("\n![Mean score and CPU time per move of the players below]({file})\n\n"))
            }
            _ => self.render_tables(sources),
        }
    }

    /// Returns file name and SVG of the plot, if the document has one.
    fn plot(self) -> anyhow::Result<Option<(String, String)>> {
        let Some(file) = self.plot_file else { return Ok(None) };
        ensure!(!self.points.is_empty(), "{file}: the document has no joined rows of `{LEADERBOARD}`");
        let draw = |sheet: ScreenSize| {
            strength::draw(sheet, "Strength and time", "mean score", Unit::Plain, &self.points)
        };
        Ok(Some((file, Plot::new(draw).file())))
    }

    /// Renders the rows of these folders and tables as one table. The columns of the first one are
    /// those of all.
    fn render_tables(&mut self, sources: &[(&str, &str)]) -> anyhow::Result<String> {
        let mut tables: Vec<RenderedTable> = Vec::new();
        let first_columns = sources.first().and_then(|(_, request)| TableRequest::parse(request).columns);
        for (folder, source) in sources {
            let mut request = TableRequest::parse(source);
            request.columns = request.columns.or(first_columns);
            let table = self.render_table(folder.trim(), &request, sources.len() > 1)?;
            if let Some(first) = tables.first() {
                ensure!(
                    first.head == table.head,
                    "`{} {}` and `{} {source}` have different columns; select the same ones, as in \
                     leaderboard[player,mean_score]",
                    sources[0].0.trim(),
                    sources[0].1,
                    folder.trim()
                );
            }
            tables.push(table);
        }
        let head = tables.first().map_or("", |table| &table.head);
        let rows: String = tables.iter().map(|table| &*table.rows).collect();
        let notes = without_repeats(tables.iter().flat_map(|table| &table.notes));
        let notes: String = notes.iter().map(|note| format!("\n{}\n", escape::markdown(note))).collect();
        let commands = without_repeats(tables.iter().map(|table| &table.command));
        let commands: Vec<String> = commands.iter().map(|command| escape::markdown_code(command)).collect();
        Ok(format!("\n{head}{rows}{notes}\nGenerated by {}.\n\n", commands.join(", ")))
    }

    fn render_table(
        &mut self,
        folder: &str,
        request: &TableRequest,
        is_joined: bool,
    ) -> anyhow::Result<RenderedTable> {
        let &TableRequest { name, columns, rows } = request;
        let catalog = self.catalog;
        let known_tables = requestable_tables(catalog.games);
        if !known_tables.contains(&name) && !gauntlet_tune::results::TABLES.contains(&name) {
            bail!("unknown table `{name}`: expected {}", known_tables.join(", "));
        }
        let written_folder = folder;
        let folder = &resolve_folder(self.base, folder)?;
        let is_incomplete = !has_tables(&*system_disk(), folder) && has_results(folder);
        if is_incomplete || is_unfinished(folder) {
            bail!("{} is unfinished, and documents need finished results", display_path(folder));
        }
        let snapshot = ResultsSnapshot::read(catalog, &system_disk(), folder)?;
        let is_requested = REQUESTED_TABLES.contains(&name) && !is_tuning(folder);
        let results = is_requested.then(|| Results::read(catalog, folder)).transpose()?;
        let mut table = match &results {
            Some(results) => make_table(results, name),
            None if is_tuning(folder) => TuningResults::read(catalog, folder)?.table(name),
            None => read::table(&snapshot, name),
        }?;
        table = sort_by_rating(&table);
        if let Some(rows) = rows {
            table.rows = select_rows(&table.rows, rows)?;
        }
        let command = snapshot.manifest().command.to_text();
        let command = command
            .with_context(|| format!("the manifest of {} has no gauntlet command", display_path(folder)))?;
        let mut table_notes = Vec::new();
        let shows =
            |column: &str| columns.is_none_or(|columns| columns.split(',').any(|name| name == column));
        if let Some(results) = &results {
            table_notes = notes(results, &table, shows("front"))?;
            if is_joined && name == LEADERBOARD && shows("cpu_ms_per_move") {
                table_notes.push(self.join_rows(results, written_folder, &mut table)?);
            }
        }
        let text = match columns {
            Some(columns) => table.columns_to_markdown(&columns.split(',').collect::<Vec<_>>())?,
            None => table.to_markdown(),
        };
        // The headings and the rule below them.
        let head_end = match text.starts_with('|') {
            true => text.match_indices('\n').nth(1).map_or(text.len(), |(index, _)| index + 1),
            false => 0,
        };
        let (head, rows) = text.split_at(head_end);
        Ok(RenderedTable { head: head.to_owned(), rows: rows.to_owned(), notes: table_notes, command })
    }

    /// Converts the times of joined rows, and keeps the rows for the plot. Returns a note.
    fn join_rows(&mut self, results: &Results, folder: &str, table: &mut Table) -> anyhow::Result<String> {
        let clocks = results.read_times()?;
        let cpu = &results.manifest().cpu;
        let names: Vec<String> = table.player_names().map(str::to_owned).collect();
        let times = names.iter().map(|name| {
            let ms = clocks.get(name).and_then(|clock| TIME_UNIT.convert(clock, cpu, LEVEL));
            ms.with_context(|| {
                format!("the time of {name} in {folder} cannot be converted: too few games, or no calibration loop")
            })
        });
        table.set_estimates("cpu_ms_per_move", times.collect::<anyhow::Result<Vec<_>>>()?);
        let points = table.rows().filter_map(|row| {
            let name = row.words("player").to_owned();
            let player = results.experiment.players().iter().find(|player| player.name == name)?;
            Some(StrengthPoint {
                ms: row.number("cpu_ms_per_move")?,
                strength: row.estimate("mean_score")?,
                front: None,
                published: Vec::new(),
                preparation: Some(Preparation::from_settings(&player.entry.settings)),
                name,
            })
        });
        self.points.extend(points);
        Ok("Times are converted to a machine whose calibration loop takes 10 µs.".to_owned())
    }
}

/// Returns the first of each group of equal texts, in order.
fn without_repeats<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let mut distinct_texts = Vec::new();
    for text in texts {
        if !distinct_texts.contains(&text) {
            distinct_texts.push(text);
        }
    }
    distinct_texts
}

/// Table, columns and rows that a document asks for: `TABLE[COLUMNS]:ROWS`.
struct TableRequest<'a> {
    name: &'a str,
    columns: Option<&'a str>,
    rows: Option<&'a str>,
}

impl TableRequest<'_> {
    fn parse(request: &str) -> TableRequest<'_> {
        let (name, rows) = request.split_once(':').map_or((request, None), |(name, rows)| (name, Some(rows)));
        let columns = name.strip_suffix(']').and_then(|name| name.split_once('['));
        let (name, columns) = columns.map_or((name, None), |(name, columns)| (name, Some(columns)));
        TableRequest { name, columns, rows }
    }
}

/// Returns the rows with these numbers, which count from 1, in the order of the numbers. `1-10`
/// means all from 1 to 10.
fn select_rows<Row: Clone>(rows: &[Row], numbers: &str) -> anyhow::Result<Vec<Row>> {
    let row_index = |number: &str| {
        let index = number.parse().ok().and_then(|number: usize| number.checked_sub(1));
        index
            .filter(|&index| index < rows.len())
            .with_context(|| format!("`{number}` is not a row: expected a number from 1 to {}", rows.len()))
    };
    let mut selected_rows = Vec::new();
    for part in numbers.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (row_index(first)?, row_index(last)?);
        ensure!(first <= last, "`{part}` is empty: the first number is larger than the second");
        selected_rows.extend_from_slice(&rows[first..=last]);
    }
    Ok(selected_rows)
}

/// Returns a folder that a document names, if it is permitted. After links are resolved, it must be
/// below the document's folder or the current folder.
fn resolve_folder(base: &Path, folder: &str) -> anyhow::Result<PathBuf> {
    let named_folder = base.join(folder);
    if Path::new(folder).has_root() {
        bail!("`{folder}` is absolute: give the folder relative to the document");
    }
    let canonicalize = |path: &Path| {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        fs::canonicalize(path).with_context(|| format!("cannot read the folder {}", display_path(path)))
    };
    let real_folder = canonicalize(&named_folder)?;
    if ![canonicalize(base)?, canonicalize(Path::new("."))?].iter().any(|root| real_folder.starts_with(root))
    {
        bail!(
            "`{folder}` is outside the folder of the document and the current folder: run gauntlet in a folder that contains both"
        );
    }
    Ok(named_folder)
}
