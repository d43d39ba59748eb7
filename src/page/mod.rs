//! The page: a report in one file that opens from the disk and fetches nothing. Verdicts in words come first, then
//! plots with their numbers, then where it all comes from.
//!
//! - `section`: one folder of results; `overview`: all of several
//! - `standing`: players and their order; `lead`: the headline; `figures`, `spread`: plots with their tables
//! - `view`: tables as they are shown
//! - `provenance`: where results come from
//!
//! Everything is escaped by the template's engine; only our own style and our own drawings are not.

mod figures;
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
use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;

use crate::results::read::Results;
use crate::table::Table;
use overview::Overview;
use section::{Answer, Section, answers};
use view::{Download, TableView};

/// A report to be read in a browser, and its plots.
#[derive(Debug)]
pub struct Page {
    /// The page.
    pub html: String,
    /// Name and SVG of each plot. Names can be parts of names of files.
    pub plots: Vec<(String, String)>,
}

/// By which a page of ours is known again.
const GENERATOR: &str = "<meta name=\"generator\" content=\"gauntlet report\">";

const TEMPLATE: &str = include_str!("template.html");
const STYLE: &str = include_str!("style.css");

/// What the template shows.
#[derive(Serialize)]
struct Content<'a> {
    generator: &'static str,
    style: &'static str,
    title: String,
    sections: Vec<Section>,
    overview: Option<Overview>,
    explored: Vec<Explored>,
    doubts: &'a [String],
    version: &'static str,
}

/// A comparison that was not announced.
#[derive(Serialize)]
struct Explored {
    answers: Vec<Answer>,
    table: TableView,
    download: Download,
}

/// Makes the page of these results, with comparisons of the leader with each other player, and what gives reason to
/// doubt them.
pub fn page(results: &[Results], comparisons: &[Table], doubts: &[String]) -> anyhow::Result<Page> {
    let mut sections = Vec::new();
    for (place, results) in results.iter().enumerate() {
        let section = Section::of(place, results);
        sections.push(section.with_context(|| format!("cannot report on {}", results.folder.display()))?);
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
    });
    let explored = explored.collect();
    let version = env!("CARGO_PKG_VERSION");
    let names: Vec<&str> = sections.iter().map(Section::name).collect();
    let title = match names[..] {
        [one] => one.to_owned(),
        _ => format!("{} experiments", names.len()),
    };

    let mut engine = Environment::new();
    // The name's ending is what makes it escape.
    engine.add_template("page.html", TEMPLATE).context("the template of the page is damaged")?;
    let template = engine.get_template("page.html").context("the template of the page is damaged")?;
    let content =
        Content { generator: GENERATOR, style: STYLE, title, sections, overview, explored, doubts, version };
    let html = template.render(Serde(&content)).context("cannot fill the template of the page")?;
    let plots = plots(&content.sections, content.overview.as_ref());
    Ok(Page { html, plots })
}

/// The plots, by names that no two of them have.
fn plots(sections: &[Section], overview: Option<&Overview>) -> Vec<(String, String)> {
    let mut plots: Vec<(String, String)> = Vec::new();
    let overview = overview.into_iter().flat_map(|overview| &overview.figures).map(|figure| (None, figure));
    let own = sections.iter().flat_map(|section| {
        let name = (sections.len() > 1).then(|| section.name());
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
