//! `gauntlet report --out`: a page for a browser, and its plots beside it.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use super::exit::Usage;
use crate::disk::system;
use crate::page::{self, Page};
use crate::results::contestants as compare;
use crate::results::doubts;
use crate::results::files::write_document;
use crate::results::read::Results;
use crate::table::Table;
use crate::text::shown;

/// Writes the page of some results, and its plots beside it.
pub(super) fn write(folders: &[PathBuf], path: &Path, out: &mut impl Write) -> anyhow::Result<ExitCode> {
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
        write_to(path, content)?;
    }
    writeln!(out, "{} is written, with {plots} plots beside it", shown(path))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a page or a plot of ours.
pub(super) fn write_to(path: &Path, content: &str) -> anyhow::Result<()> {
    write_document(&system(), path, content.as_bytes())
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
pub(super) fn refuse_to_lose(path: &Path) -> anyhow::Result<()> {
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
