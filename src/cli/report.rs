//! `gauntlet report`: tables of results that lie there, on the terminal or in a document.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;

use serde_json::json;

use super::format::{Format, json_of};
use super::{FAILED, Usage, complain};
use crate::report::manifest::quoted_path;
use crate::report::results::read_table;
use crate::report::table::Table;
use crate::report::tables::PRINTED;
use crate::report::{self, splice};

/// Print the tables of results, or put them into a document
#[derive(clap::Args)]
#[command(after_long_help = "\
In a document, a table stands between `<!-- gauntlet FOLDER TABLE -->` and `<!-- /gauntlet -->`, with FOLDER as seen \
from the document.

Example:
  gauntlet report results/quick")]
pub(super) struct Args {
    /// Folders of results
    #[arg(value_name = "RESULTS")]
    results: Vec<PathBuf>,

    /// Print only this table
    #[arg(long, value_name = "TABLE", value_parser = PRINTED)]
    table: Option<String>,

    /// How to print the tables
    #[arg(long, value_enum, default_value_t)]
    format: Format,

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
    print(args)?;
    let Some(document) = &args.splice else { return Ok(ExitCode::SUCCESS) };
    let shown = document.display();
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
        report::write_document(document, new.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the tables of all results.
fn print(args: &Args) -> anyhow::Result<()> {
    let mut found = Vec::new();
    for folder in &args.results {
        let has = |name: &str| folder.join(format!("{name}.csv")).exists();
        let asked = args.table.as_deref();
        // A table that is asked for, and the first of all, must be there; the others may be.
        let names = PRINTED.into_iter().filter(|&name| match asked {
            Some(asked) => asked == name,
            None => has(name) || name == PRINTED[0],
        });
        let tables = names.map(|name| read_table(folder, name)).collect::<anyhow::Result<Vec<_>>>()?;
        found.push((folder, tables));
    }
    args.format.check_number(found.iter().map(|(_, tables)| tables.len()).sum())?;
    let mut out = io::stdout().lock();
    if args.format == Format::Json {
        let results = found.iter().map(|(folder, tables)| {
            let tables: Vec<_> = tables.iter().map(Table::to_json).collect();
            json!({ "folder": folder.display().to_string(), "tables": tables })
        });
        return Ok(out.write_all(json_of("results", results.collect()).as_bytes())?);
    }
    for table in found.iter().flat_map(|(_, tables)| tables) {
        match args.format {
            Format::Text => writeln!(out, "{}\n{}", table.name, table.to_text())?,
            Format::Markdown => writeln!(out, "{}", table.to_markdown())?,
            Format::Csv | Format::Json => out.write_all(args.format.of(table).as_bytes())?,
        }
    }
    Ok(())
}
