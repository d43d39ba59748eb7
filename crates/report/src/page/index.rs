//! The index of the pages of several results: all verdicts, a line for each page, and all players
//! together.

use super::document::find_main_figure;
use super::exploratory::ExploratoryComparisons;
use super::html::Html;
use super::markup::{
    PageWriter, write_exploratory_comparisons, write_headline, write_marks, write_table, write_warnings,
};
use super::overview::Overview;
use super::section::Section;
use super::table_view::TableView;
use gauntlet_analysis::answer::counts::{AnnouncementKind, Verdicts};

/// Content of the index.
pub(super) struct Index<'a> {
    pub(super) title: String,
    /// The address of each page, and its section.
    pub(super) pages: Vec<(String, &'a Section)>,
    pub(super) overview: Option<Overview>,
    pub(super) comparisons: &'a ExploratoryComparisons,
}

/// Columns of the table `published` that are shown; the two ends of a range are one column.
const PUBLISHED: [&str; 6] = ["player", "what", "verdict", "published_from", "measured", "games"];

impl Index<'_> {
    pub(super) fn html(&self) -> String {
        let warnings: Vec<String> =
            self.pages.iter().flat_map(|(_, section)| section.warnings.clone()).collect();
        let mut page = PageWriter::begin(&self.title, true, None);
        page.write_title("gauntlet report", &self.title, &warnings, &[]);
        let all_verdicts = || self.pages.iter().flat_map(|(_, section)| &section.verdicts);
        let verdicts = [AnnouncementKind::Published, AnnouncementKind::Claims]
            .map(|kind| Verdicts::combine(kind, all_verdicts()));
        let verdicts: Vec<Verdicts> = verdicts.into_iter().flatten().collect();
        let overview = self.overview.as_ref();
        write_headline(&mut page.header, &verdicts, overview.and_then(|overview| overview.headline.as_ref()));
        write_warnings(&mut page.header, &self.comparisons.warnings);
        write_warnings(&mut page.header, overview.map_or(&[], |overview| &overview.warnings));
        let figures = overview.map_or(&[][..], |overview| &overview.figures);
        let main_figure = find_main_figure(figures);
        main_figure.iter().for_each(|main| page.write_main_figure(main));
        page.write_section("experiments", "Experiments", |html| self.write_experiments(html));
        if let Some(published) = &self.published_view() {
            page.write_section("published-numbers", "Published numbers", |html| {
                html.put("<p class=\"note\">Published and measured numbers. The pages of the experiments have sources and reasons.</p>\n", &[]);
                write_table(html, published);
            });
        }
        if !figures.is_empty() {
            page.body.put("<h2 id=\"together\">All players together</h2>\n", &[]);
        }
        write_exploratory_comparisons(&mut page, self.comparisons);
        page.write_figures(
            figures.iter().filter(|figure| main_figure.is_none_or(|main| main.name != figure.name)),
        );
        page.finish()
    }

    /// Writes a line for each page: its verdicts and its leader.
    fn write_experiments(&self, html: &mut Html) {
        html.put("<ul class=\"experiments\">\n", &[]);
        for (address, section) in &self.pages {
            html.put("<li><a href=\"{}\">{}</a>\n", &[address, &section.name]);
            for verdicts in &section.verdicts {
                html.put("<p class=\"counts\">{}:", &[&verdicts.noun()]);
                write_marks(html, verdicts);
                html.put("</p>\n", &[]);
            }
            html.put(
                "<p class=\"note\">{} {}</p>\n</li>\n",
                &[&section.headline.subject, &section.headline.predicate],
            );
        }
        html.put("</ul>\n", &[]);
    }

    /// Returns the published numbers of all pages in one table.
    fn published_view(&self) -> Option<TableView> {
        let mut merged: Option<TableView> = None;
        for (_, section) in &self.pages {
            let Some(published) = &section.published else { continue };
            let mut view = TableView::with_all_columns(published).select_columns(&PUBLISHED);
            (view.name, view.download) = ("published-together", None);
            // The experiment is a line below the player, because there is no room for another
            // column.
            "player, experiment".clone_into(&mut view.headers[0].text);
            for row in &mut view.rows {
                section.name.clone_into(&mut row[0].second_line);
            }
            match &mut merged {
                Some(merged) => merged.rows.append(&mut view.rows),
                None => merged = Some(view),
            }
        }
        merged.map(|view| view.without_empty_columns())
    }
}
