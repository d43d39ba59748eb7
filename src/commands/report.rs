//! `gauntlet report`: prints tables of results, inserts them into a document, or makes a page for a
//! browser.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::builder::{PossibleValuesParser, ValueParser};
use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::results::analysis::front::notes;
use gauntlet_analysis::results::analysis::requested_tables::make_table;
use gauntlet_analysis::results::store::files::write_document;
use gauntlet_analysis::results::store::read::{self, Results};
use gauntlet_analysis::results::store::tuning::{is_tuning, is_unfinished};
use gauntlet_analysis::results::tables::{REQUESTED_TABLES, SETTINGS, printed_tables, requestable_tables};
use gauntlet_core::arena::Arenas;
use gauntlet_core::disk::{read_all, system_disk};
use gauntlet_core::table::Table;
use gauntlet_core::text::{display_path, escape, quote_path, wrap_line};
use gauntlet_report::page::splice;
use gauntlet_tune::results::tuning_results::TuningResults;
use gauntlet_tune::unfinished_tuning::read_unfinished;
use serde_json::json;

use super::destination::print_local_tables;
use gauntlet_cli::exit::FAILED;
use gauntlet_cli::format::{Format, versioned_json};
use gauntlet_cli::output::{print_as, print_message, screen};
use gauntlet_cli::report_pages;
use gauntlet_cli::target::refuse_missing;
use gauntlet_cli::terminal;

/// Print result tables, update documents, or write HTML reports
#[derive(clap::Args)]
#[command(after_long_help = "\
In a document, put a table between `<!-- gauntlet FOLDER TABLE -->` and `<!-- /gauntlet -->`. FOLDER is relative to the \
document. TABLE can select rows and columns: `claims:1,4` has rows 1 and 4, `leaderboard:1-10` has the first ten rows, and \
`published[what,measured,verdict]` has these columns. `FOLDER TABLE + FOLDER TABLE` \
joins the rows of several results. Joined rows of \
`leaderboard` have times converted to one machine, and `plot players.svg` plots them.

An HTML report is one file and needs no network. For `quick.html`, `--plots DIR` writes `quick-win-rate.svg` and other plots. For \
several results, `--out pages/` writes one report each and `pages/index.html`, which starts with all verdicts.

For a tuning, use its folder: results/NAME/tune.

Example:
  gauntlet report results/quick --out quick.html")]
pub(super) struct Args {
    /// Results folders
    #[arg(value_name = "RESULTS", required_unless_present = "splice")]
    results: Vec<PathBuf>,

    /// Print only this table
    #[arg(long, value_name = "TABLE", value_parser = ValueParser::string())]
    table: Option<String>,

    /// Print all rows and columns of all tables, however wide
    #[arg(long, conflicts_with_all = ["out", "plots", "format"])]
    wide: bool,

    /// Add columns with player settings
    ///
    /// CSV has all settings, other formats those that differ.
    #[arg(long)]
    with_settings: bool,

    /// Explain the test behind each verdict
    #[arg(long, conflicts_with = "out")]
    explain: bool,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Write an HTML report with plots; `-` for standard output; for several results, a folder
    #[arg(long, value_name = "FILE", conflicts_with_all = ["splice", "table", "with_settings", "format"])]
    out: Option<PathBuf>,

    /// Write each plot as SVG to this folder; without --out, each plot contains the players of all
    /// results
    #[arg(long, value_name = "DIR", conflicts_with_all = ["splice", "table", "with_settings", "format"])]
    plots: Option<PathBuf>,

    /// Update the marked tables in a document
    #[arg(long, value_name = "FILE")]
    splice: Option<PathBuf>,

    /// With --splice: change nothing, and fail if the document is out of date
    #[arg(long, requires = "splice")]
    check: bool,
}

/// Adds the names of these games' tables to the command.
pub(super) fn add_table_names(arenas: Arenas, command: clap::Command) -> clap::Command {
    let tables = PossibleValuesParser::new(
        [&requestable_tables(arenas)[..], &gauntlet_tune::results::TABLES].concat(),
    );
    command.mut_arg("table", |arg| arg.value_parser(tables))
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    args.results.iter().for_each(|folder| print_local_tables(folder));
    if let Some(path) = &args.out {
        return report_pages::write(catalog, &args.results, path, args.plots.as_deref(), &mut screen());
    }
    if let Some(folder) = &args.plots {
        return report_pages::write_plots(catalog, &args.results, folder, &mut screen());
    }
    print(catalog, args)?;
    let Some(document) = &args.splice else { return Ok(ExitCode::SUCCESS) };
    refuse_missing(document)?;
    let document_name = display_path(document);
    let old = read_document(document).with_context(|| format!("cannot read {document_name}"))?;
    let new = splice::splice(catalog, &old, document.parent().unwrap_or(Path::new("")))?;
    let plot = new.plot.map(|(file, svg)| (document.with_file_name(file), svg));
    let is_plot_current =
        plot.as_ref().is_none_or(|(path, svg)| fs::read(path).is_ok_and(|current| current == svg.as_bytes()));
    if args.check && (new.text != old || !is_plot_current) {
        print_message(format_args!(
            "gauntlet: {document_name} is out of date; update it with gauntlet report --splice {}",
            quote_path(document)
        ));
        return Ok(ExitCode::from(FAILED));
    }
    if let Some((path, svg)) = plot.filter(|_| !is_plot_current) {
        report_pages::write_plot(&path, svg)?;
    }
    if new.text != old {
        write_document(&system_disk(), document, new.text.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The most bytes of a document.
const MAX_DOCUMENT_BYTES: usize = 64 << 20;

fn read_document(path: &Path) -> io::Result<String> {
    let bytes = read_all(fs::File::open(path)?, MAX_DOCUMENT_BYTES)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8"))
}

/// Prints the tables of all results.
fn print(catalog: Catalog, args: &Args) -> anyhow::Result<()> {
    let mut tables_by_folder = Vec::new();
    let mut warnings = Vec::new();
    let mut notes_by_folder = Vec::new();
    for folder in &args.results {
        if is_unfinished(folder) {
            let tuning = read_unfinished(catalog, folder)?;
            warnings.extend(tuning.warnings());
            let requested_table = args.table.as_deref().map(|name| tuning.table(name)).transpose()?;
            tables_by_folder
                .push((folder, requested_table.map_or_else(|| tuning.printed_tables(), |table| vec![table])));
            continue;
        }
        if is_tuning(folder) {
            let tuning = TuningResults::read(catalog, folder)?;
            warnings.extend_from_slice(tuning.snapshot.warnings());
            let requested_table = args.table.as_deref().map(|name| tuning.table(name)).transpose()?;
            tables_by_folder
                .push((folder, requested_table.map_or_else(|| tuning.printed_tables(), |table| vec![table])));
            continue;
        }
        tables_by_folder
            .push((folder, read_run_tables(catalog, args, folder, &mut warnings, &mut notes_by_folder)?));
    }
    if args.explain {
        tables_by_folder.iter_mut().flat_map(|(_, tables)| tables).for_each(Table::append_explanations);
    }
    args.format.check_number(tables_by_folder.iter().map(|(_, tables)| tables.len()).sum())?;
    let mut out = screen();
    if args.format == Format::Json {
        let results = tables_by_folder.iter().map(|(folder, tables)| {
            let tables: Vec<_> = tables.iter().map(Table::to_json).collect();
            json!({ "folder": folder.to_string_lossy(), "tables": tables })
        });
        let json = versioned_json([("results", results.collect()), ("warnings", warnings.into())]);
        return Ok(out.write_all(json.as_bytes())?);
    }
    for warning in warnings {
        print_message(format_args!("warning: {warning}"));
    }
    for (folder, tables) in &tables_by_folder {
        let notes = notes_by_folder
            .iter()
            .filter(|(note_folder, _)| note_folder == folder)
            .flat_map(|(_, notes)| notes);
        match args.format {
            Format::Text => {
                let text = match args.wide {
                    true => terminal::format_wide_tables(tables, folder),
                    false => terminal::format_tables(tables, folder, args.table.is_some()),
                };
                out.write_all(text.as_bytes())?;
                notes
                    .into_iter()
                    .try_for_each(|note| writeln!(out, "{}", wrap_line(note, terminal::width())))?;
            }
            Format::Markdown | Format::Latex => {
                let prefix = if args.format == Format::Latex { "%" } else { "##" };
                for table in terminal::order_for_reading(&terminal::sort_by_strength(tables)) {
                    if tables.len() > 1 {
                        writeln!(out, "{prefix} {}\n", table.name)?;
                    }
                    writeln!(out, "{}", args.format.format_table(table))?;
                }
                let escape_text = if args.format == Format::Latex { escape::latex } else { escape::markdown };
                notes.into_iter().try_for_each(|note| writeln!(out, "{}\n", escape_text(note)))?;
            }
            Format::Csv | Format::Json => {
                for table in tables {
                    print_as(args.format, &args.format.format_table(table))?;
                }
            }
        }
    }
    Ok(())
}

/// Returns the tables of a run to be printed: the requested one, or all.
fn read_run_tables<'a>(
    catalog: Catalog,
    args: &Args,
    folder: &'a PathBuf,
    warnings: &mut Vec<String>,
    notes_by_folder: &mut Vec<(&'a PathBuf, Vec<String>)>,
) -> anyhow::Result<Vec<Table>> {
    let table_names = printed_tables(catalog.games);
    let snapshot = read::read_snapshot(catalog, folder)?;
    warnings.extend_from_slice(snapshot.warnings());
    let requested = args.table.as_deref();
    let (snapshot, requested_table) = match requested {
        Some(name) if REQUESTED_TABLES.contains(&name) => {
            let results = Results::from_snapshot(snapshot)?;
            let table = make_table(&results, name)?;
            notes_by_folder.push((folder, notes(&results, &table, true)?));
            (results.snapshot, Some(table))
        }
        _ => (snapshot, None),
    };
    // A requested table and the first table of all must exist; the others may be missing.
    let names: Vec<_> = match requested {
        Some(name) => vec![name],
        None => {
            let required = if read::has_table(&snapshot, "elo") { "elo" } else { table_names[0] };
            let is_present = |&&name: &&&str| read::has_table(&snapshot, name) || name == required;
            table_names.iter().filter(is_present).copied().collect()
        }
    };
    let get_requested = |name: &str| requested_table.clone().filter(|table| table.name == name);
    let tables =
        names.into_iter().map(|name| get_requested(name).map_or_else(|| read::table(&snapshot, name), Ok));
    let mut tables = tables.collect::<anyhow::Result<Vec<_>>>()?;
    if requested == Some(SETTINGS) {
        tables = tables.into_iter().map(|settings| args.format.select_settings(settings)).collect();
    } else {
        let settings = || read::table(&snapshot, SETTINGS);
        args.format.join_settings(args.with_settings, &mut tables, settings)?;
    }
    Ok(tables)
}
