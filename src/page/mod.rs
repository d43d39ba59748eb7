//! The page: a report in one file that opens from the disk and fetches nothing. Verdicts in words come first, then
//! plots with their numbers, then where it all comes from.
//!
//! - [`game`]: the page of a single game
//! - `document`: the markup of it all; `html`: writes markup, and escapes what is none
//! - `section`: one folder of results; `overview`: all of several
//! - `standing`: players and their order; `lead`: the headline; `figures`, `spread`: plots with their tables
//! - `view`: tables as they are shown
//! - `provenance`: where results come from

mod document;
mod figures;
pub mod game;
mod html;
mod lead;
mod overview;
mod plots;
mod provenance;
mod section;
pub mod splice;
mod spread;
mod standing;
mod view;

use anyhow::Context;

use crate::results::read::Results;
use crate::table::Table;
use crate::text::shown;
use document::{Document, Explored, GENERATOR};
use overview::Overview;
use section::{Section, answers};
use view::{Download, TableView};

/// A report to be read in a browser, and its plots.
#[derive(Debug)]
pub struct Page {
    /// The page.
    pub html: String,
    /// Name and SVG of each plot. Names can be parts of names of files.
    pub plots: Vec<(String, String)>,
}

/// Makes the page of these results, with comparisons of the leader with each other player, and what gives reason to
/// doubt them.
pub fn page(results: &[Results], comparisons: &[Table], doubts: &[String]) -> anyhow::Result<Page> {
    let mut sections = Vec::new();
    for (place, results) in results.iter().enumerate() {
        let section = Section::of(place, results);
        sections.push(section.with_context(|| format!("cannot report on {}", shown(&results.folder)))?);
    }
    let mut overview = if results.len() > 1 { Overview::of(results, &sections) } else { None };
    if let [tests] = comparisons {
        let lead = match &mut overview {
            Some(overview) => overview.lead.as_mut(),
            None => sections.first_mut().map(|section| &mut section.lead),
        };
        if let Some(lead) = lead {
            lead.test(tests);
        }
    }
    let explored = comparisons.iter().filter(|table| !table.rows.is_empty()).map(|table| Explored {
        answers: answers(table),
        table: TableView::of(table),
        download: Download::of(table),
        may_be_settled: results.iter().any(|results| results.settled.is_some()),
    });
    let explored = explored.collect();
    let names: Vec<&str> = sections.iter().map(|section| &*section.name).collect();
    let title = match names[..] {
        [one] => one.to_owned(),
        _ => format!("{} experiments", names.len()),
    };

    let document = Document { title, sections, overview, explored, doubts };
    let plots = plots(&document.sections, document.overview.as_ref());
    Ok(Page { html: document.html(), plots })
}

/// The plots, by names that no two of them have.
fn plots(sections: &[Section], overview: Option<&Overview>) -> Vec<(String, String)> {
    let mut plots: Vec<(String, String)> = Vec::new();
    let overview = overview.into_iter().flat_map(|overview| &overview.figures).map(|figure| (None, figure));
    let own = sections.iter().flat_map(|section| {
        let name = (sections.len() > 1).then_some(&section.name);
        section.figures.iter().map(move |figure| (name, figure))
    });
    for (section, figure) in overview.chain(own) {
        let Some(svg) = &figure.file else { continue };
        let name = section.map_or(figure.name.clone(), |section| format!("{section}-{}", figure.name));
        let is_free = |name: &String| plots.iter().all(|(taken, _)| taken != name);
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let name = std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name);
        plots.push((name, svg.clone()));
    }
    plots
}

/// Whether a file is a page or a plot of ours, which may be replaced.
pub fn is_ours(file: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&file[..file.len().min(1000)]);
    head.contains(GENERATOR) || plots::is_plot(file)
}
