//! The report: one file that opens from disk and fetches nothing. Verdicts in words come first,
//! then plots with their numbers, then the provenance. Several results have a page each, and an
//! index.

mod board;
mod document;
pub mod drawn;
mod explored;
mod figures;
mod funnel;
pub mod game;
mod html;
mod index;
mod learned;
mod matrix;
mod overview;
mod parts;
mod plots;
mod provenance;
mod searched;
mod section;
pub mod splice;
mod spread;
mod swept;
mod tuning;
mod unfinished;
mod view;

use anyhow::Context;

pub use explored::ExploratoryComparisons;
pub use parts::{SCRIPT_DIGEST, STYLE};

use gauntlet_analysis::results::store::read::Results;
use gauntlet_core::text::display_path;
use gauntlet_tune::results::tuned::TuningResults;
use gauntlet_tune::results::unfinished::UnfinishedTuning;

use document::{Document, Neighbours};
use figures::Figure;
use index::Index;
use overview::Overview;
use parts::GENERATOR;
use section::Section;
use tuning::TuningPage;
use unfinished::UnfinishedPage;
use view::percent_encode;

/// A report for a browser, and its plots.
#[derive(Debug)]
pub struct Page {
    /// The HTML of the page.
    pub html: String,
    /// Name and SVG of each plot. Names are safe in file names.
    pub plots: Vec<(String, String)>,
}

/// The pages of several results.
#[derive(Debug)]
pub struct ReportSite {
    /// The page that links to the others.
    pub index: Page,
    /// A page for each of the results, with its file name.
    pub pages: Vec<(String, Page)>,
}

/// Names of the files of a book.
#[derive(Clone, Debug)]
pub struct ReportFileNames {
    /// File name of the index.
    pub index: String,
    /// Prefix of the file names of other pages.
    pub prefix: String,
}

/// Makes the page of these results with comparisons that were not announced.
pub fn make_page(results: &Results, explored: &ExploratoryComparisons) -> anyhow::Result<Page> {
    Ok(make_section_page(&make_section(results, explored)?, explored, None))
}

/// Makes the pages of several results, with comparisons that were not announced: `own` for each
/// result, `together` for all.
pub fn make_site(
    results: &[Results],
    own: &[ExploratoryComparisons],
    together: &ExploratoryComparisons,
    names: &ReportFileNames,
) -> anyhow::Result<ReportSite> {
    let sections = make_sections(results.iter().zip(own))?;
    let mut overview = Overview::new(results, &sections, together)?;
    let lead = overview.as_mut().and_then(|overview| overview.lead.as_mut());
    if let Some(lead) = lead {
        lead.conclude_from_tests(&together.leader);
    }
    let title = format!("{} experiments", sections.len());
    let files = choose_file_names(&sections, names);
    let link = |place: usize| {
        Some((percent_encode(files.get(place)?.as_bytes()), sections.get(place)?.name.clone()))
    };
    let index = Index {
        title: title.clone(),
        pages: sections.iter().enumerate().filter_map(|(i, one)| Some((link(i)?.0, one))).collect(),
        overview,
        explored: together,
    };
    let drawn = index.overview.as_ref().map_or(&[][..], |overview| &overview.figures);
    let index = Page { html: index.html(), plots: plots(drawn) };
    let pages = sections.iter().zip(own).enumerate().map(|(i, (section, own))| {
        let neighbours = Neighbours {
            index: (percent_encode(names.index.as_bytes()), title.clone()),
            before: i.checked_sub(1).and_then(link),
            after: link(i + 1),
        };
        (files[i].clone(), make_section_page(section, own, Some(neighbours)))
    });
    Ok(ReportSite { pages: pages.collect(), index })
}

/// Makes the page of a tuning, and a page for each of its validations. Without `own` it makes only
/// the page of the tuning.
pub fn make_tuning_site(
    tuning: &TuningResults,
    own: &[ExploratoryComparisons],
    names: &ReportFileNames,
) -> anyhow::Result<ReportSite> {
    let validations = tuning.validations.iter().map(|(_, results)| results);
    make_site_with_validations(tuning.experiment.name(), validations, own, names, |links| {
        let page = TuningPage::new(tuning, links)?;
        Ok(Page { html: page.html(), plots: plots(page.figures()) })
    })
}

/// Makes the page of an unfinished tuning, and a page for each validation that has results.
pub fn make_unfinished_site(
    tuning: &UnfinishedTuning,
    own: &[ExploratoryComparisons],
    names: &ReportFileNames,
) -> anyhow::Result<ReportSite> {
    let validations = tuning.validations.iter().filter_map(|(_, results)| results.as_ref());
    make_site_with_validations(tuning.experiment.name(), validations, own, names, |links| {
        let page = UnfinishedPage::new(tuning, links);
        Ok(Page { html: page.html(), plots: plots(page.figures()) })
    })
}

/// Makes a page that links to the pages of validations, and these pages. Only the first
/// validations, as many as there are entries in `own`, have a page.
fn make_site_with_validations<'a>(
    name: &str,
    validations: impl Iterator<Item = &'a Results>,
    own: &'a [ExploratoryComparisons],
    names: &ReportFileNames,
    first: impl FnOnce(Vec<String>) -> anyhow::Result<Page>,
) -> anyhow::Result<ReportSite> {
    let sections = make_sections(validations.zip(own))?;
    let files = choose_file_names(&sections, names);
    let index = first(files.iter().map(|file| percent_encode(file.as_bytes())).collect())?;
    let pages = sections.iter().zip(own).zip(files).map(|((section, own), file)| {
        let index = (percent_encode(names.index.as_bytes()), name.to_owned());
        (file, make_section_page(section, own, Some(Neighbours { index, before: None, after: None })))
    });
    Ok(ReportSite { pages: pages.collect(), index })
}

fn make_sections<'a>(
    all: impl Iterator<Item = (&'a Results, &'a ExploratoryComparisons)>,
) -> anyhow::Result<Vec<Section>> {
    all.map(|(results, explored)| make_section(results, explored)).collect()
}

fn make_section(results: &Results, explored: &ExploratoryComparisons) -> anyhow::Result<Section> {
    let section = Section::new(results, explored);
    let mut section =
        section.with_context(|| format!("cannot report on {}", display_path(&results.folder)))?;
    section.lead.conclude_from_tests(&explored.leader);
    Ok(section)
}

fn make_section_page(
    section: &Section,
    explored: &ExploratoryComparisons,
    neighbours: Option<Neighbours>,
) -> Page {
    let document = Document { section, explored, neighbours };
    Page { html: document.html(), plots: plots(&section.figures) }
}

/// Returns a file name for the page of each section. Names differ even if case is ignored.
fn choose_file_names(sections: &[Section], names: &ReportFileNames) -> Vec<String> {
    let mut taken = vec![names.index.to_lowercase()];
    let file = |section: &Section| {
        let name = format!("{}{}", names.prefix, section.name);
        let numbered = (2..).map(|number| format!("{name}-{number}.html"));
        let free = std::iter::once(format!("{name}.html")).chain(numbered);
        let file = free.into_iter().find(|file| !taken.contains(&file.to_lowercase())).unwrap_or_default();
        taken.push(file.to_lowercase());
        file
    };
    sections.iter().map(file).collect()
}

fn plots<'a>(figures: impl IntoIterator<Item = &'a Figure>) -> Vec<(String, String)> {
    figures.into_iter().filter_map(|figure| Some((figure.name.clone(), figure.file.clone()?))).collect()
}

/// Returns true if a file is a page or plot of this program, which may be replaced.
pub fn is_generated(file: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&file[..file.len().min(1000)]);
    head.contains(GENERATOR) || plots::is_plot(file)
}
