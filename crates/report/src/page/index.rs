//! The index of the pages of several results: all verdicts, a line for each page, and all players
//! together.

use super::document::find_main_figure;
use super::explored::ExploratoryComparisons;
use super::html::Html;
use super::overview::Overview;
use super::parts::{
    Writer, write_exploratory_comparisons, write_headline, write_marks, write_table, write_warnings,
};
use super::section::Section;
use super::view::TableView;
use gauntlet_analysis::answer::counts::{Announced, Verdicts};

/// Content of the index.
pub(super) struct Index<'a> {
    pub(super) title: String,
    /// The address of each page, and its section.
    pub(super) pages: Vec<(String, &'a Section)>,
    pub(super) overview: Option<Overview>,
    pub(super) explored: &'a ExploratoryComparisons,
}

/// Columns of the table `published` that are shown; the two ends of a range are one column.
const PUBLISHED: [&str; 6] = ["player", "what", "verdict", "published_from", "measured", "games"];

impl Index<'_> {
    pub(super) fn html(&self) -> String {
        let warned: Vec<String> =
            self.pages.iter().flat_map(|(_, section)| section.warnings.clone()).collect();
        let mut page = Writer::begin(&self.title, true, None);
        page.write_title("gauntlet report", &self.title, &warned, &[]);
        let all = || self.pages.iter().flat_map(|(_, section)| &section.verdicts);
        let verdicts = [Announced::Published, Announced::Claims].map(|of| Verdicts::combine(of, all()));
        let verdicts: Vec<Verdicts> = verdicts.into_iter().flatten().collect();
        let overview = self.overview.as_ref();
        write_headline(&mut page.header, &verdicts, overview.and_then(|overview| overview.lead.as_ref()));
        write_warnings(&mut page.header, &self.explored.doubts);
        write_warnings(&mut page.header, overview.map_or(&[], |overview| &overview.warnings));
        let figures = overview.map_or(&[][..], |overview| &overview.figures);
        let main = find_main_figure(figures);
        main.iter().for_each(|main| page.write_main_figure(main));
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
        write_exploratory_comparisons(&mut page, self.explored);
        page.write_figures(figures.iter().filter(|one| main.is_none_or(|main| main.name != one.name)));
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
            html.put("<p class=\"note\">{} {}</p>\n</li>\n", &[&section.lead.who, &section.lead.says]);
        }
        html.put("</ul>\n", &[]);
    }

    /// Returns the published numbers of all pages in one table.
    fn published_view(&self) -> Option<TableView> {
        let mut all: Option<TableView> = None;
        for (_, section) in &self.pages {
            let Some(published) = section.published.as_ref().and_then(|it| it.table.as_ref()) else {
                continue;
            };
            let mut own = published.select_columns(&PUBLISHED);
            (own.name, own.download) = ("published-together", None);
            // The experiment is a line below the player, because there is no room for another
            // column.
            "player, experiment".clone_into(&mut own.heads[0].text);
            for row in &mut own.rows {
                section.name.clone_into(&mut row[0].below);
            }
            match &mut all {
                Some(all) => all.rows.append(&mut own.rows),
                None => all = Some(own),
            }
        }
        all
    }
}
