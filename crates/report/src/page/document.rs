//! The page of one folder of results, from its verdicts to its provenance.

use super::explored::ExploredComparisons;
use super::html::Html;
use super::parts::{Writer, answers, explored, headline, numbers, warnings};
use super::provenance::Provenance;
use super::section::{Section, SectionWords};

/// Content of a page.
pub(super) struct Document<'a> {
    pub(super) section: &'a Section,
    pub(super) explored: &'a ExploredComparisons,
    /// Links to neighbouring pages, if there are several results.
    pub(super) neighbours: Option<Neighbours>,
}

/// Links around one of several pages, each with an address and a title.
pub(super) struct Neighbours {
    pub(super) index: (String, String),
    pub(super) before: Option<(String, String)>,
    pub(super) after: Option<(String, String)>,
}

impl Document<'_> {
    pub(super) fn html(&self) -> String {
        let section = self.section;
        let mut page =
            Writer::begin(&section.name, false, self.neighbours.as_ref().map(|pages| &pages.index));
        page.title("gauntlet report", &section.name, &section.warnings, &section.facts);
        headline(&mut page.header, &section.verdicts, Some(&section.lead));
        warnings(&mut page.header, &self.explored.doubts);
        if let Some(unanswered) = &section.unanswered {
            page.header.put("<p class=\"note\">{}</p>\n", &[unanswered]);
        }
        let told = |html: &mut Html, told: &SectionWords| {
            answers(html, &told.answers, told.answers.len());
            told.table.iter().for_each(|table| numbers(html, table));
        };
        if let Some(claims) = &section.claims {
            page.section("claims", "Claimed before the run", |html| told(html, claims));
        }
        if let Some(stop) = &section.stop {
            page.section("stop", "How the run ended", |html| told(html, stop));
        }
        if let Some(published) = &section.published {
            // Their table is below their plot.
            page.section("published-numbers", "Published numbers", |html| {
                answers(html, &published.answers, 8);
            });
        }
        explored(&mut page, self.explored);
        page.figures(&section.figures);
        provenance(&mut page, &section.provenance);
        self.way_on(&mut page.body);
        page.end()
    }

    /// Writes links to the previous and the next page.
    fn way_on(&self, html: &mut Html) {
        let Some(Neighbours { index, before, after }) = &self.neighbours else { return };
        html.put("<nav aria-label=\"Experiments\" class=\"way-on\">\n", &[]);
        if let Some((address, title)) = before {
            html.put("<a href=\"{}\">← {}</a>\n", &[address, title]);
        }
        html.put("<a href=\"{}\">{}</a>\n", &[&index.0, &index.1]);
        if let Some((address, title)) = after {
            html.put("<a href=\"{}\">{} →</a>\n", &[address, title]);
        }
        html.put("</nav>\n", &[]);
    }
}

/// Writes the section about the provenance of the results.
pub(super) fn provenance(page: &mut Writer, provenance: &Provenance) {
    page.section("provenance", "Where this comes from", |html| {
        if let Some(command) = &provenance.command {
            html.put("<p>Made by</p>\n<pre><code>{}</code></pre>\n", &[command]);
        }
        html.put("<dl>\n", &[]);
        for (name, value) in &provenance.facts {
            html.put("<div><dt>{}</dt><dd>{}</dd></div>\n", &[name, value]);
        }
        if !provenance.programs.is_empty() {
            html.put("<div class=\"wide\"><dt>programs, as they call themselves</dt>", &[]);
            for (player, words) in &provenance.programs {
                html.put("<dd>{}: {}</dd>", &[player, words]);
            }
            html.put("</div>\n", &[]);
        }
        html.put(
            r#"</dl>
<details>
<summary>Digests of the files (BLAKE3)</summary>
<dl class="digests">
"#,
            &[],
        );
        for (file, digest) in &provenance.digests {
            html.put("<div><dt>{}</dt><dd><code>{}</code></dd></div>\n", &[file, digest]);
        }
        html.put(
            r#"</dl>
</details>
<details>
<summary>The experiment, to the letter</summary>
<pre><code>{}</code></pre>
</details>
"#,
            &[&provenance.experiment],
        );
    });
}
