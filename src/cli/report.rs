//! `gauntlet report`: tables of results that lie there, on the terminal or in a document.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;

use super::{FAILED, Usage, complain};
use crate::report::manifest::quoted_path;
use crate::report::results::read_table;
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
    let mut out = io::stdout().lock();
    for folder in &args.results {
        for name in PRINTED {
            if folder.join(format!("{name}.csv")).exists() || name == PRINTED[0] {
                writeln!(out, "{name}\n{}", read_table(folder, name)?.to_text())?;
            }
        }
    }
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
