//! `gauntlet report`: tables of results that lie there, on the terminal or in a document; or a page for a browser.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::builder::PossibleValuesParser;
use serde_json::json;

use super::exit::{FAILED, Usage};
use super::format::{Format, json_of};
use super::say::{complain, say_in, screen};
use crate::disk::system;
use crate::page::splice;
use crate::page::{self, Page};
use crate::results::contestants as compare;
use crate::results::doubts;
use crate::results::files::write_document;
use crate::results::read::{self, Results};
use crate::results::tables::printed;
use crate::table::Table;
use crate::text::{quoted_path, shown};

/// Print the tables of results, put them into a document, or make a page of them
#[derive(clap::Args)]
#[command(after_long_help = "\
In a document, a table stands between `<!-- gauntlet FOLDER TABLE -->` and `<!-- /gauntlet -->`, with FOLDER as seen \
from the document. `claims:1,4` for TABLE takes its first and its fourth row alone.

A page is one file that opens in any browser, without a network. Its plots are written beside it as well: \
`quick.html` comes with `quick-win-rate.svg` and others.

Example:
  gauntlet report results/quick --out quick.html")]
pub(super) struct Args {
    /// Folders of results
    #[arg(value_name = "RESULTS")]
    results: Vec<PathBuf>,

    /// Print only this table
    #[arg(long, value_name = "TABLE", value_parser = PossibleValuesParser::new(printed()))]
    table: Option<String>,

    /// How to print the tables
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Write a page with plots, to be read in a browser, instead of printing; `-` writes it to standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["splice", "table", "format"])]
    out: Option<PathBuf>,

    /// Fill the marked places of a document with the tables they name
    #[arg(long, value_name = "FILE")]
    splice: Option<PathBuf>,

    /// With --splice: change nothing, but fail if the document is not up to date
    #[arg(long, requires = "splice")]
    check: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.results.is_empty() && args.splice.is_none() {
        return Err(Usage("which results? Name a folder, or a document with --splice".to_owned()).into());
    }
    if let Some(path) = &args.out {
        return write_page(&args.results, path, &mut screen());
    }
    print(args)?;
    let Some(document) = &args.splice else { return Ok(ExitCode::SUCCESS) };
    let shown = shown(document);
    let old = fs::read_to_string(document).with_context(|| format!("cannot read {shown}"))?;
    let new = splice::splice(&old, document.parent().unwrap_or(Path::new("")))?;
    if args.check && new != old {
        complain(format_args!(
            "gauntlet: {shown} is not up to date; gauntlet report --splice {} makes it so",
            quoted_path(document)
        ));
        return Ok(ExitCode::from(FAILED));
    }
    if new != old {
        write_document(&system(), document, new.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the tables of all results.
fn print(args: &Args) -> anyhow::Result<()> {
    let mut found = Vec::new();
    let mut warnings = Vec::new();
    let printed = printed();
    for folder in &args.results {
        let set = read::set(folder)?;
        warnings.extend(set.partial().into_iter().flat_map(|partial| partial.warnings.clone()));
        let asked = args.table.as_deref();
        // A table that is asked for, and the first of all, must be there; the others may be.
        let names = printed.iter().copied().filter(|&name| match asked {
            Some(asked) => asked == name,
            None => read::has_table(&set, name) || name == printed[0],
        });
        let tables = names.map(|name| read::table(&set, name)).collect::<anyhow::Result<Vec<_>>>()?;
        found.push((folder, tables));
    }
    args.format.check_number(found.iter().map(|(_, tables)| tables.len()).sum())?;
    let mut out = screen();
    if args.format == Format::Json {
        let results = found.iter().map(|(folder, tables)| {
            let tables: Vec<_> = tables.iter().map(Table::to_json).collect();
            json!({ "folder": folder.to_string_lossy(), "tables": tables })
        });
        let json = json_of([("results", results.collect()), ("warnings", warnings.into())]);
        return Ok(out.write_all(json.as_bytes())?);
    }
    for warning in warnings {
        complain(format_args!("warning: {warning}"));
    }
    for table in found.iter().flat_map(|(_, tables)| tables) {
        match args.format {
            Format::Text => writeln!(out, "{}\n{}", table.name, table.to_text())?,
            Format::Markdown => writeln!(out, "{}", table.to_markdown())?,
            Format::Csv | Format::Json => say_in(args.format, &args.format.of(table))?,
        }
    }
    Ok(())
}

/// Writes the page of some results, and its plots beside it.
fn write_page(folders: &[PathBuf], path: &Path, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    if folders.is_empty() {
        return Err(Usage("--out writes a page of which results? Name a folder".to_owned()).into());
    }
    let results = folders.iter().map(|folder| Results::read(folder)).collect::<anyhow::Result<Vec<_>>>()?;
    if let Some(refusal) = doubts::refusal(&results, &[]) {
        return Err(Usage(refusal).into());
    }
    let (comparisons, doubts) = explored(&results)?;
    let Page { html, plots } = page::page(&results, &comparisons, &doubts)?;
    if path == Path::new("-") {
        out.write_all(html.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut files: Vec<(PathBuf, String)> =
        plots.into_iter().map(|(name, svg)| (beside(path, &name), svg)).collect();
    let plots = files.len();
    // The page is the last: when it is there, its plots are too.
    files.push((path.to_owned(), html));
    for (path, _) in &files {
        refuse_to_lose(path)?;
    }
    for (path, content) in &files {
        write_document(&system(), path, content.as_bytes())?;
    }
    writeln!(out, "{} is written, with {plots} plots beside it", shown(path))?;
    Ok(ExitCode::SUCCESS)
}

/// Comparisons of the leader with each other player, where the games are there and were played under the same rules; and
/// what gives reason to doubt them.
fn explored(results: &[Results]) -> anyhow::Result<(Vec<Table>, Vec<String>)> {
    // In which rules they differ the page says itself, and more exactly.
    let other_rules = doubts::other_rules(results);
    let doubts = doubts::of_comparisons(results, &[])
        .into_iter()
        .filter(|doubt| Some(doubt) != other_rules.as_ref())
        .collect();
    if results.iter().any(|results| !results.has_games()) || other_rules.is_some() {
        return Ok((Vec::new(), doubts));
    }
    let contestants = compare::contestants(results, &compare::LEADING)?;
    let comparisons = compare::compare_leader(results, &contestants);
    let tables = if comparisons.is_empty() { Vec::new() } else { vec![compare::table(&comparisons)] };
    Ok((tables, doubts))
}

/// The file of a plot beside its page: `quick-win-rate.svg` beside `quick.html`.
fn beside(page: &Path, plot: &str) -> PathBuf {
    let mut name = page.file_stem().map(OsString::from).unwrap_or_default();
    name.push(format!("-{plot}.svg"));
    page.with_file_name(name)
}

/// An earlier page may be replaced; anything else is not ours.
fn refuse_to_lose(path: &Path) -> anyhow::Result<()> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        bail!("{} is no file that could be written; `--out -` writes to standard output", shown(path));
    }
    match fs::read(path) {
        Ok(there) if !there.is_empty() && !page::is_ours(&there) => bail!(
            "{} is there and is no report of gauntlet; it is left as it is: choose another name, or remove it",
            shown(path)
        ),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| format!("cannot write {}", shown(path))),
    }
}
