//! The index of the pages of several results: the verdicts of all, a line for each page, all players together.

use super::explored::Found;
use super::figures::Figure;
use super::html::Html;
use super::matrix::Matrix;
use super::overview::Overview;
use super::parts::{begin, contents, end, explored, figure, headline, marks, matrix, table, warnings};
use super::section::Section;
use super::verdicts::{Announced, Verdicts};
use super::view::TableView;

/// Content of the index.
pub(super) struct Index<'a> {
    pub(super) title: String,
    /// The address of each page, and what it is about.
    pub(super) pages: Vec<(String, &'a Section)>,
    pub(super) overview: Option<Overview>,
    pub(super) found: Option<Found>,
    pub(super) matrix: Option<Matrix>,
    /// Reasons to doubt comparisons.
    pub(super) doubts: &'a [String],
}

/// Columns of the table `published` that are shown, the range being one.
const PUBLISHED: [&str; 6] = ["player", "what", "verdict", "published_from", "measured", "games"];

impl Index<'_> {
    pub(super) fn html(&self) -> String {
        let mut html = Html::default();
        begin(&mut html, &self.title, true);
        html.put("<header>\n<p class=\"kind\">gauntlet report</p>\n<h1>{}</h1>\n", &[&self.title]);
        self.pages.iter().for_each(|(_, section)| warnings(&mut html, &section.warnings));
        let all = || self.pages.iter().flat_map(|(_, section)| &section.verdicts);
        let verdicts = [Announced::Published, Announced::Claims].map(|of| Verdicts::together(of, all()));
        let verdicts: Vec<Verdicts> = verdicts.into_iter().flatten().collect();
        headline(&mut html, &verdicts, self.overview.as_ref().and_then(|overview| overview.lead.as_ref()));
        warnings(&mut html, self.doubts);
        warnings(&mut html, self.overview.as_ref().map_or(&[], |overview| &overview.warnings));
        let published = self.published();
        contents(&mut html, &self.contents(published.is_some()));
        html.put("</header>\n", &[]);
        self.experiments(&mut html);
        if let Some(published) = &published {
            html.put("<section id=\"published-numbers\">\n<h3>Published numbers</h3>\n", &[]);
            html.put("<p class=\"note\">Each beside what is measured here. Sources and reasons are on the pages of the experiments.</p>\n", &[]);
            table(&mut html, published, None);
            html.put("</section>\n", &[]);
        }
        if !self.figures().is_empty() {
            html.put("<h2 id=\"together\">All players together</h2>\n", &[]);
        }
        if let Some(found) = &self.found {
            explored(&mut html, found);
        }
        if let Some(pairs) = &self.matrix {
            matrix(&mut html, pairs);
        }
        for one in self.figures() {
            figure(&mut html, one);
        }
        end(html)
    }

    fn figures(&self) -> &[Figure] {
        self.overview.as_ref().map_or(&[], |overview| &overview.figures)
    }

    fn contents(&self, has_published: bool) -> Vec<(&str, &str)> {
        let mut all = vec![("experiments", "Experiments")];
        let mut add = |is_there: bool, anchor, title| all.extend(is_there.then_some((anchor, title)));
        add(has_published, "published-numbers", "Published numbers");
        add(self.found.is_some(), "comparisons", "Compared afterwards");
        add(self.matrix.is_some(), "pairs", "All pairs");
        all.extend(self.figures().iter().map(|figure| (&*figure.name, &*figure.title)));
        all
    }

    /// A line for each page: its verdicts, and who leads there.
    fn experiments(&self, html: &mut Html) {
        html.put("<section id=\"experiments\">\n<h3>Experiments</h3>\n<ul class=\"experiments\">\n", &[]);
        for (address, section) in &self.pages {
            html.put("<li><a href=\"{}\">{}</a>\n", &[address, &section.name]);
            for verdicts in &section.verdicts {
                html.put("<p class=\"counts\">{}:", &[&verdicts.noun()]);
                marks(html, verdicts);
                html.put("</p>\n", &[]);
            }
            html.put("<p class=\"note\">{} {}</p>\n</li>\n", &[&section.lead.who, &section.lead.says]);
        }
        html.put("</ul>\n</section>\n", &[]);
    }

    /// The published numbers of all pages in one table.
    fn published(&self) -> Option<TableView> {
        let mut all: Option<TableView> = None;
        for (_, section) in &self.pages {
            let Some(published) = &section.published else { continue };
            let mut own = published.table.only(&PUBLISHED);
            own.name = "published-together";
            // A line below the player, for there is no room for another column of names.
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
