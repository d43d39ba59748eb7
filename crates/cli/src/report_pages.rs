//! `gauntlet report --out`: a page for a browser, or several with an index, and optionally their
//! plots.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::process::ExitCode;
use std::slice;

use anyhow::{Context, bail};
use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::results::analysis::warnings;
use gauntlet_analysis::results::store::files::write_document;
use gauntlet_analysis::results::store::read::Results;
use gauntlet_analysis::results::store::tuning::{is_tuning, is_unfinished};
use gauntlet_core::disk::{read_all, system_disk};
use gauntlet_core::text::{display_path, format_count};
use gauntlet_report::page::{self, ExploratoryComparisons, Page, ReportFileNames, ReportSite};
use gauntlet_tune::results::tuning_results::TuningResults;
use gauntlet_tune::results::unfinished_tuning::UnfinishedTuning;
use gauntlet_tune::unfinished_tuning::read_unfinished;

use crate::exit::Usage;

/// Writes the page of results; for several results, a page each and an index. Plots go to a folder,
/// if one is given.
pub fn write(
    catalog: Catalog,
    folders: &[PathBuf],
    path: &Path,
    plot_folder: Option<&Path>,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    if folders.is_empty() {
        return Err(Usage("--out needs a results folder".to_owned()).into());
    }
    let to_screen = path == Path::new("-");
    if to_screen && plot_folder.is_some() {
        return Err(Usage("--plots needs --out FILE: plots are named after the file".to_owned()).into());
    }
    if to_screen && folders.len() > 1 {
        let usage = "several results need several pages: use a folder, such as `--out pages/`";
        return Err(Usage(usage.to_owned()).into());
    }
    let index_path = if is_folder(path, folders.len()) { path.join("index.html") } else { path.to_owned() };
    let pages = make_pages(catalog, folders, &index_path, to_screen)?;
    if to_screen {
        out.write_all(pages[0].1.html.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let other_count = pages.len() - 1;
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    // The index is written last, so that its links lead to existing pages.
    for (path, Page { html, plots: page_plots }) in pages {
        if let Some(folder) = plot_folder {
            files.extend(page_plots.into_iter().map(|(name, svg)| (plot_path(&path, folder, &name), svg)));
        }
        files.push((path, html));
    }
    let plot_count = files.len() - other_count - 1;
    write_all(&files, index_path.parent().into_iter().chain(plot_folder))?;
    let other_pages =
        (other_count > 0).then(|| format!("{} next to it", format_count(other_count as u64, "page")));
    let plot_note = plot_folder
        .map(|folder| format!("{} in {}", format_count(plot_count as u64, "plot"), display_path(folder)));
    let additions: Vec<String> = other_pages.into_iter().chain(plot_note).collect();
    let suffix =
        if additions.is_empty() { String::new() } else { format!(", with {}", additions.join(" and ")) };
    writeln!(out, "created {}{suffix}", display_path(&index_path))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the plots of results, named after their folder; for several results, the plots of all
/// players together.
pub fn write_plots(
    catalog: Catalog,
    folders: &[PathBuf],
    plot_folder: &Path,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let stem = match folders {
        [folder] => folder.components().rev().map(|part| part.as_os_str()).find(|name| *name != "tune"),
        _ => None,
    };
    let index_path = PathBuf::from(stem.unwrap_or("together".as_ref())).with_added_extension("html");
    let pages = make_pages(catalog, folders, &index_path, true)?;
    let plots = pages.into_iter().next_back().map(|(_, page)| page.plots).unwrap_or_default();
    let files: Vec<_> =
        plots.into_iter().map(|(name, svg)| (plot_path(&index_path, plot_folder, &name), svg)).collect();
    if files.is_empty() {
        let usage = "results with different rules have no plot in common: give one results folder";
        return Err(Usage(usage.to_owned()).into());
    }
    write_all(&files, [plot_folder])?;
    writeln!(out, "created {} in {}", format_count(files.len() as u64, "plot"), display_path(plot_folder))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the page of results with this path; for several pages, the main one last. If `is_alone`,
/// there are no pages of validations.
fn make_pages(
    catalog: Catalog,
    folders: &[PathBuf],
    index_path: &Path,
    is_alone: bool,
) -> anyhow::Result<Vec<(PathBuf, Page)>> {
    match folders {
        [folder] if is_unfinished(folder) => {
            make_unfinished_pages(&read_unfinished(catalog, folder)?, index_path, is_alone)
        }
        [folder] if is_tuning(folder) => {
            make_tuning_pages(&TuningResults::read(catalog, folder)?, index_path, is_alone)
        }
        _ => make_results_pages(catalog, folders, index_path),
    }
}

/// Writes files into these folders. Replaces only pages and plots of this program.
fn write_all<'a>(
    files: &[(PathBuf, String)],
    folders: impl IntoIterator<Item = &'a Path>,
) -> anyhow::Result<()> {
    for (path, _) in files {
        refuse_overwrite(path)?;
    }
    for folder in folders.into_iter().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", display_path(folder)))?;
    }
    files.iter().try_for_each(|(path, content)| write_to(path, content))
}

/// Writes a plot. Replaces only a page or plot of this program.
pub fn write_plot(path: &Path, svg: String) -> anyhow::Result<()> {
    write_all(&[(path.to_owned(), svg)], [])
}

/// Returns the page of a results folder as a document without links to others.
pub fn render_folder(catalog: Catalog, folder: &Path) -> anyhow::Result<String> {
    let results = Results::read(catalog, folder)?;
    let comparisons = ExploratoryComparisons::new(slice::from_ref(&results))?;
    Ok(page::make_page(&results, &comparisons)?.html)
}

/// Returns the page of a finished tuning.
pub fn render_tuning_folder(catalog: Catalog, folder: &Path) -> anyhow::Result<String> {
    let pages = make_tuning_pages(&TuningResults::read(catalog, folder)?, Path::new("tuning.html"), true)?;
    Ok(pages.into_iter().next_back().map(|(_, page)| page.html).unwrap_or_default())
}

/// Writes a page or a plot.
pub fn write_to(path: &Path, content: &str) -> anyhow::Result<()> {
    write_document(&system_disk(), path, content.as_bytes())
}

/// Returns true if this path is a folder for pages. It is one if it exists as a folder or ends like
/// one, or if there are several pages and the name has no extension.
fn is_folder(path: &Path, page_count: usize) -> bool {
    let text = path.as_os_str().to_string_lossy();
    path.is_dir() || text.ends_with(['/', MAIN_SEPARATOR]) || (page_count > 1 && path.extension().is_none())
}

/// Returns the page of results with this path; for several results, a page each and the index last.
fn make_results_pages(
    catalog: Catalog,
    folders: &[PathBuf],
    path: &Path,
) -> anyhow::Result<Vec<(PathBuf, Page)>> {
    if let [_, _, ..] = folders
        && let Some(tuning) = folders.iter().find(|folder| is_tuning(folder))
    {
        let usage = format!(
            "{} is a tuning folder: a report of a tuning takes only one folder",
            display_path(tuning)
        );
        return Err(Usage(usage).into());
    }
    let results = Results::read_all(catalog, folders)?;
    if let Some(refusal) = warnings::explain_refusal(&results, &[]) {
        return Err(Usage(refusal).into());
    }
    if let [result] = &results[..] {
        return Ok(vec![(
            path.to_owned(),
            page::make_page(result, &ExploratoryComparisons::new(&results)?)?,
        )]);
    }
    let comparisons = compare_exploratively(results.iter())?;
    Ok(pages_with_paths(
        page::make_site(
            &results,
            &comparisons,
            &ExploratoryComparisons::new(&results)?,
            &derive_file_names(path),
        )?,
        path,
    ))
}

/// Returns a page for each validation of a tuning, and last the page of the tuning with this path.
/// If `is_alone`, there are no pages of validations.
fn make_tuning_pages(
    tuning: &TuningResults,
    path: &Path,
    is_alone: bool,
) -> anyhow::Result<Vec<(PathBuf, Page)>> {
    let validations = tuning.validations.iter().map(|(_, results)| results);
    let comparisons = compare_exploratively(validations.filter(|_| !is_alone))?;
    Ok(pages_with_paths(page::make_tuning_site(tuning, &comparisons, &derive_file_names(path))?, path))
}

/// Returns the pages of an unfinished tuning.
fn make_unfinished_pages(
    tuning: &UnfinishedTuning,
    path: &Path,
    is_alone: bool,
) -> anyhow::Result<Vec<(PathBuf, Page)>> {
    let validations = tuning.validations.iter().filter_map(|(_, results)| results.as_ref());
    let comparisons = compare_exploratively(validations.filter(|_| !is_alone))?;
    Ok(pages_with_paths(page::make_unfinished_site(tuning, &comparisons, &derive_file_names(path))?, path))
}

/// Makes the unannounced comparisons within each result.
fn compare_exploratively<'a>(
    results: impl Iterator<Item = &'a Results>,
) -> anyhow::Result<Vec<ExploratoryComparisons>> {
    results.map(|result| ExploratoryComparisons::new(slice::from_ref(result))).collect()
}

/// Derives the file names of the pages of a report from the path of its index.
fn derive_file_names(index: &Path) -> ReportFileNames {
    let to_text = |name: Option<&std::ffi::OsStr>| name.unwrap_or_default().to_string_lossy().into_owned();
    let stem = to_text(index.file_stem());
    let prefix = if stem == "index" { String::new() } else { format!("{stem}-") };
    ReportFileNames { index: to_text(index.file_name()), prefix }
}

/// Returns the pages of a book with their paths, the index last.
fn pages_with_paths(site: ReportSite, index: &Path) -> Vec<(PathBuf, Page)> {
    let pages = site.pages.into_iter().map(|(file, page)| (index.with_file_name(file), page));
    pages.chain([(index.to_owned(), site.index)]).collect()
}

/// Returns the file of a page's plot: `quick-win-rate.svg` for `quick.html`.
fn plot_path(page: &Path, folder: &Path, plot: &str) -> PathBuf {
    let mut name = page.file_stem().map(OsString::from).unwrap_or_default();
    name.push(format!("-{plot}.svg"));
    folder.join(name)
}

/// Number of bytes that identify a file's kind.
const MAX_HEADER: usize = 1 << 10;

/// Fails if a file exists that is not an earlier page, because it must not be replaced.
pub fn refuse_overwrite(path: &Path) -> anyhow::Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        bail!("{} is not a regular file; use `--out -` for standard output", display_path(path));
    }
    // The beginning of a file identifies its kind.
    match fs::File::open(path).and_then(|file| read_all(file.take(MAX_HEADER as u64), MAX_HEADER)) {
        Ok(content) if !content.is_empty() && !page::is_generated(&content) => bail!(
            "{} already exists and is not a report of gauntlet: choose another name, or remove it",
            display_path(path)
        ),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| format!("cannot write {}", display_path(path))),
    }
}
