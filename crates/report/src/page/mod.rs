//! The report: one file that opens from disk and fetches nothing. Verdicts in words come first,
//! then plots with their numbers, then the provenance. Several results have a page each, and an
//! index.

mod board;
mod document;
pub mod drawn_plot;
mod exploratory;
mod figures;
pub mod game;
mod html;
mod index;
mod learning_curve;
mod markup;
mod matrix;
mod overview;
mod plots;
mod profiles;
mod provenance;
mod score_distributions;
mod search_plots;
mod section;
pub mod splice;
mod stages;
mod sweep_plots;
mod table_view;
mod tuning;
mod unfinished;

use anyhow::Context;

pub use exploratory::ExploratoryComparisons;
pub use markup::{SCRIPT_DIGEST, STYLE};

use gauntlet_analysis::results::store::read::Results;
use gauntlet_core::text::display_path;
use gauntlet_tune::results::tuning_results::TuningResults;
use gauntlet_tune::results::unfinished_tuning::UnfinishedTuning;

use document::{Document, Neighbours};
use figures::Figure;
use index::Index;
use markup::GENERATOR;
use overview::Overview;
use section::Section;
use table_view::percent_encode;
use tuning::TuningPage;
use unfinished::UnfinishedPage;

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
pub fn make_page(results: &Results, comparisons: &ExploratoryComparisons) -> anyhow::Result<Page> {
    Ok(make_section_page(&make_section(results, comparisons)?, comparisons, None))
}

/// Makes the pages of several results, with comparisons that were not announced: `own_comparisons`
/// for each result, `overall_comparisons` for all.
pub fn make_site(
    results: &[Results],
    own_comparisons: &[ExploratoryComparisons],
    overall_comparisons: &ExploratoryComparisons,
    names: &ReportFileNames,
) -> anyhow::Result<ReportSite> {
    let sections = make_sections(results.iter().zip(own_comparisons))?;
    let mut overview = Overview::new(results, &sections, overall_comparisons)?;
    let headline = overview.as_mut().and_then(|overview| overview.headline.as_mut());
    if let Some(headline) = headline {
        headline.conclude_from_tests(&overall_comparisons.leader);
    }
    let title = format!("{} experiments", sections.len());
    let file_names = choose_file_names(&sections, names);
    let link = |index: usize| {
        Some((percent_encode(file_names.get(index)?.as_bytes()), sections.get(index)?.name.clone()))
    };
    let index = Index {
        title: title.clone(),
        pages: sections.iter().enumerate().filter_map(|(i, section)| Some((link(i)?.0, section))).collect(),
        overview,
        comparisons: overall_comparisons,
    };
    let figures = index.overview.as_ref().map_or(&[][..], |overview| &overview.figures);
    let index = Page { html: index.html(), plots: collect_plots(figures) };
    let pages = sections.iter().zip(own_comparisons).enumerate().map(|(i, (section, comparisons))| {
        let neighbours = Neighbours {
            index: (percent_encode(names.index.as_bytes()), title.clone()),
            previous: i.checked_sub(1).and_then(link),
            next: link(i + 1),
        };
        (file_names[i].clone(), make_section_page(section, comparisons, Some(neighbours)))
    });
    Ok(ReportSite { pages: pages.collect(), index })
}

/// Makes the page of a tuning, and a page for each of its validations. Without `own_comparisons` it
/// makes only the page of the tuning.
pub fn make_tuning_site(
    tuning: &TuningResults,
    own_comparisons: &[ExploratoryComparisons],
    names: &ReportFileNames,
) -> anyhow::Result<ReportSite> {
    let validations = tuning.validations.iter().map(|(_, results)| results);
    make_site_with_validations(tuning.experiment.name(), validations, own_comparisons, names, |links| {
        let page = TuningPage::new(tuning, links)?;
        Ok(Page { html: page.html(), plots: collect_plots(page.figures()) })
    })
}

/// Makes the page of an unfinished tuning, and a page for each validation that has results.
pub fn make_unfinished_site(
    tuning: &UnfinishedTuning,
    own_comparisons: &[ExploratoryComparisons],
    names: &ReportFileNames,
) -> anyhow::Result<ReportSite> {
    let validations = tuning.validations.iter().filter_map(|(_, results)| results.as_ref());
    make_site_with_validations(tuning.experiment.name(), validations, own_comparisons, names, |links| {
        let page = UnfinishedPage::new(tuning, links);
        Ok(Page { html: page.html(), plots: collect_plots(page.figures()) })
    })
}

/// Makes a page that links to the pages of validations, and these pages. Only the first
/// validations, as many as there are entries in `own_comparisons`, have a page.
fn make_site_with_validations<'a>(
    name: &str,
    validations: impl Iterator<Item = &'a Results>,
    own_comparisons: &'a [ExploratoryComparisons],
    names: &ReportFileNames,
    make_index: impl FnOnce(Vec<String>) -> anyhow::Result<Page>,
) -> anyhow::Result<ReportSite> {
    let sections = make_sections(validations.zip(own_comparisons))?;
    let file_names = choose_file_names(&sections, names);
    let index = make_index(file_names.iter().map(|file| percent_encode(file.as_bytes())).collect())?;
    let pages =
        sections.iter().zip(own_comparisons).zip(file_names).map(|((section, comparisons), file_name)| {
            let index = (percent_encode(names.index.as_bytes()), name.to_owned());
            (
                file_name,
                make_section_page(
                    section,
                    comparisons,
                    Some(Neighbours { index, previous: None, next: None }),
                ),
            )
        });
    Ok(ReportSite { pages: pages.collect(), index })
}

fn make_sections<'a>(
    pairs: impl Iterator<Item = (&'a Results, &'a ExploratoryComparisons)>,
) -> anyhow::Result<Vec<Section>> {
    pairs.map(|(results, comparisons)| make_section(results, comparisons)).collect()
}

fn make_section(results: &Results, comparisons: &ExploratoryComparisons) -> anyhow::Result<Section> {
    let section = Section::new(results, comparisons);
    let mut section =
        section.with_context(|| format!("cannot report on {}", display_path(&results.folder)))?;
    section.headline.conclude_from_tests(&comparisons.leader);
    Ok(section)
}

fn make_section_page(
    section: &Section,
    comparisons: &ExploratoryComparisons,
    neighbours: Option<Neighbours>,
) -> Page {
    let document = Document { section, comparisons, neighbours };
    Page { html: document.html(), plots: collect_plots(&section.figures) }
}

/// Returns a file name for the page of each section. Names differ even if case is ignored.
fn choose_file_names(sections: &[Section], names: &ReportFileNames) -> Vec<String> {
    let mut taken_names = vec![names.index.to_lowercase()];
    let choose_name = |section: &Section| {
        let name = format!("{}{}", names.prefix, section.name);
        let numbered_names = (2..).map(|number| format!("{name}-{number}.html"));
        let candidates = std::iter::once(format!("{name}.html")).chain(numbered_names);
        let file_name = candidates
            .into_iter()
            .find(|file| !taken_names.contains(&file.to_lowercase()))
            .unwrap_or_default();
        taken_names.push(file_name.to_lowercase());
        file_name
    };
    sections.iter().map(choose_name).collect()
}

fn collect_plots<'a>(figures: impl IntoIterator<Item = &'a Figure>) -> Vec<(String, String)> {
    figures.into_iter().filter_map(|figure| Some((figure.name.clone(), figure.file.clone()?))).collect()
}

/// Returns true if a file is a page or plot of this program, which may be replaced.
pub fn is_generated(file: &[u8]) -> bool {
    let beginning = String::from_utf8_lossy(&file[..file.len().min(1000)]);
    beginning.contains(GENERATOR) || plots::is_plot(file)
}
