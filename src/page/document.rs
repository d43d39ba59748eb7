//! The markup of the page, from the whole down to a table: one function for each thing to be seen.

use super::figures::Figure;
use super::html::{Html, Ours};
use super::lead::Lead;
use super::overview::Overview;
use super::provenance::Provenance;
use super::section::{Answer, Published, Section};
use super::view::{CellView, Download, TableView};

/// What the page shows.
pub(super) struct Document<'a> {
    pub(super) title: String,
    pub(super) sections: Vec<Section>,
    /// All of several sections.
    pub(super) overview: Option<Overview>,
    pub(super) explored: Vec<Explored>,
    /// What gives reason to doubt comparisons.
    pub(super) doubts: &'a [String],
}

/// A comparison that was not announced.
pub(super) struct Explored {
    pub(super) answers: Vec<Answer>,
    pub(super) table: TableView,
    pub(super) download: Download,
    /// Whether a run that could end early may have answered some of it.
    pub(super) may_be_settled: bool,
}

/// By which a page of ours is known again.
pub(super) const GENERATOR: &str = "<meta name=\"generator\" content=\"gauntlet report\">";

const STYLE: &str = include_str!("style.css");

impl Document<'_> {
    pub(super) fn html(&self) -> String {
        let mut html = Html::default();
        html.put(
            r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
{}
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{} – gauntlet</title>
<style>
{}
</style>
</head>
<body>
<main>
"#,
            &[&Ours(GENERATOR), &self.title, &Ours(STYLE)],
        );
        match &self.sections[..] {
            [only] => section(&mut html, only, Some(self)),
            several => {
                self.head_of_several(&mut html);
                for one in several {
                    section(&mut html, one, None);
                }
            }
        }
        html.put(
            r#"</main>
<footer>
<p>Made by gauntlet {}. Brackets and bars are 95 % intervals: of a win rate Wilson’s, of a mean Student’s. That two of them overlap or do not is no test; a claim announced before the run is answered by one.</p>
</footer>
</body>
</html>"#,
            &[&env!("CARGO_PKG_VERSION")],
        );
        html.finish()
    }

    /// What stands above several sections: the headline of all, contents, all players together.
    fn head_of_several(&self, html: &mut Html) {
        html.put("<header>\n<p class=\"kind\">gauntlet report</p>\n<h1>{}</h1>\n", &[&self.title]);
        if let Some(overview) = &self.overview {
            if let Some(one) = &overview.lead {
                lead(html, one);
            }
            warnings(html, self.doubts);
            warnings(html, &overview.warnings);
        }
        html.put("<nav aria-label=\"Experiments\">\n<h2>Contents</h2>\n<ul>\n", &[]);
        for section in &self.sections {
            html.put(
                "<li><a href=\"#{}\">{}</a>: {} {}</li>\n",
                &[&section.id, &section.name, &section.lead.who, &section.lead.says],
            );
        }
        html.put("</ul>\n</nav>\n</header>\n", &[]);
        if !self.explored.is_empty() {
            html.put("<section id=\"comparisons\">\n<h2>Compared afterwards</h2>\n", &[]);
            explored(html, &self.explored);
            html.put("</section>\n", &[]);
        }
        let figures = self.overview.as_ref().map_or(&[][..], |overview| &overview.figures);
        if !figures.is_empty() {
            html.put("<section id=\"overview\">\n<h2>All players together</h2>\n", &[]);
            for one in figures {
                figure(html, one, "overview");
            }
            html.put("</section>\n", &[]);
        }
    }
}

/// One folder of results. If it is the only one, its head is that of the page.
fn section(html: &mut Html, section: &Section, alone: Option<&Document>) {
    html.put("<section id=\"{}\">\n<header>\n", &[&section.id]);
    match alone {
        Some(_) => {
            html.put("<p class=\"kind\">gauntlet report</p>\n<h1>{}</h1>\n", &[&section.name]);
        }
        None => html.put("<h2>{}</h2>\n", &[&section.name]),
    }
    warnings(html, &section.partial);
    html.put("<p class=\"facts\">", &[]);
    for fact in &section.facts {
        html.put("<span>{}</span>", &[fact]);
    }
    html.put("</p>\n", &[]);
    lead(html, &section.lead);
    warnings(html, alone.map_or(&[][..], |page| page.doubts));
    if let Some((table, download)) = section.claims_table.as_ref().filter(|_| !section.claims.is_empty()) {
        html.put("<h3>Claimed before the run</h3>\n", &[]);
        answers(html, &section.claims);
        numbers(html, table, download);
    }
    if !section.stop.is_empty() {
        html.put("<h3>How the run ended</h3>\n", &[]);
        answers(html, &section.stop);
    }
    if let Some(unanswered) = &section.unanswered {
        html.put("<p class=\"note\">{}</p>\n", &[unanswered]);
    }
    if let Some(page) = alone.filter(|page| !page.explored.is_empty()) {
        html.put("<h3>Compared afterwards</h3>\n", &[]);
        explored(html, &page.explored);
    }
    if let Some(numbers) = &section.published {
        published(html, numbers, &section.id);
    }
    html.put("</header>\n", &[]);
    for one in &section.figures {
        figure(html, one, &section.id);
    }
    provenance(html, &section.provenance, &section.id);
    html.put("</section>\n", &[]);
}

fn lead(html: &mut Html, lead: &Lead) {
    if lead.who.is_empty() {
        html.put("<p class=\"lead\">{}</p>\n", &[&lead.says]);
    } else {
        html.put("<p class=\"lead\"><strong>{}</strong> {}.</p>\n", &[&lead.who, &lead.says]);
    }
    if !lead.sure.is_empty() {
        html.put("<p class=\"sure\">{}</p>\n", &[&lead.sure]);
    }
}

fn warnings(html: &mut Html, warnings: &[String]) {
    for warning in warnings {
        html.put("<p class=\"warning\">{}</p>\n", &[warning]);
    }
}

fn answers(html: &mut Html, answers: &[Answer]) {
    html.put("<ul class=\"answers\">\n", &[]);
    for Answer { text, verdict, mark } in answers {
        if verdict.is_empty() {
            html.put("<li>{}</li>\n", &[text]);
        } else {
            html.put("<li><span class=\"mark {}\">{}</span> {}</li>\n", &[mark, verdict, text]);
        }
    }
    html.put("</ul>\n", &[]);
}

/// Comparisons that were not announced. The first answers are to be seen, the others on demand.
fn explored(html: &mut Html, explored: &[Explored]) {
    const SHOWN: usize = 3;
    for one in explored {
        let (shown, others) = one.answers.split_at(one.answers.len().min(SHOWN));
        let but_for = if one.may_be_settled {
            " But what the run was stopped by was announced, and that is its answer."
        } else {
            ""
        };
        html.put("<p class=\"note\">Exploration: the leader was found in these games, so none of this was announced as it stands here, and p is corrected for all pairs of players.{}</p>\n", &[&but_for]);
        answers(html, shown);
        if others.is_empty() {
            numbers(html, &one.table, &one.download);
        } else {
            html.put("<details>\n<summary>The other {}, and the numbers</summary>\n", &[&others.len()]);
            answers(html, others);
            table(html, &one.table, &one.download);
            html.put("</details>\n", &[]);
        }
    }
}

/// What came of published numbers: how many came out how, and a sentence on each, those behind the first few on demand.
fn published(html: &mut Html, published: &Published, id: &str) {
    const SHOWN: usize = 8;
    html.put(
        "<p class=\"counts\">Of {} <a href=\"#{}-published\">published numbers</a>:",
        &[&published.all, &id],
    );
    for (mark, count, verdict) in &published.counts {
        html.put(" <span class=\"mark {}\">{} {}</span>", &[mark, count, verdict]);
    }
    html.put("</p>\n", &[]);
    let (shown, others) = published.answers.split_at(published.answers.len().min(SHOWN));
    if !shown.is_empty() {
        answers(html, shown);
    }
    if !others.is_empty() {
        html.put("<details>\n<summary>The other {}</summary>\n", &[&others.len()]);
        answers(html, others);
        html.put("</details>\n", &[]);
    }
}

fn figure(html: &mut Html, figure: &Figure, id: &str) {
    html.put("<figure id=\"{}-{}\">\n<h3>{}</h3>\n", &[&id, &figure.name, &figure.title]);
    if !figure.caption.is_empty() {
        html.put("<figcaption>{}</figcaption>\n", &[&figure.caption]);
    }
    if let Some((wide, narrow)) = &figure.drawings {
        html.put("<div class=\"plot wide\">{}</div>\n<div class=\"plot narrow\">{}</div>\n", &[wide, narrow]);
    }
    if let Some(note) = &figure.note {
        html.put("<p class=\"note\">{}</p>\n", &[note]);
    }
    if let Some((table, download)) = &figure.table {
        numbers(html, table, download);
    }
    html.put("</figure>\n", &[]);
}

/// A table on demand.
fn numbers(html: &mut Html, view: &TableView, download: &Download) {
    html.put("<details>\n<summary>The numbers</summary>\n", &[]);
    table(html, view, download);
    html.put("</details>\n", &[]);
}

fn table(html: &mut Html, view: &TableView, download: &Download) {
    html.put(
        r#"<div class="scroll" tabindex="0" role="group" aria-label="Table {}">
<table>
<thead><tr>"#,
        &[&view.name],
    );
    for head in &view.heads {
        let form = if head.words {
            r#"<th scope="col" class="words">{}</th>"#
        } else {
            r#"<th scope="col">{}</th>"#
        };
        html.put(form, &[&head.text]);
    }
    html.put("</tr></thead>\n<tbody>\n", &[]);
    for row in &view.rows {
        html.put("<tr>", &[]);
        if let Some((first, others)) = row.split_first() {
            html.put(r#"<th scope="row" class="words">{}</th>"#, &[&first.text]);
            others.iter().for_each(|other| cell(html, other));
        }
        html.put("</tr>\n", &[]);
    }
    html.put("</tbody>\n</table>\n</div>\n", &[]);
    let Download { name, address } = download;
    html.put(
        "<p class=\"download\"><a download=\"{}\" href=\"{}\">Take {} along</a></p>\n",
        &[name, address, name],
    );
}

/// A cell beside the first of its row.
fn cell(html: &mut Html, cell: &CellView) {
    html.put(if cell.words { "<td class=\"words\">" } else { "<td>" }, &[]);
    if cell.mark.is_empty() {
        html.put("{}", &[&cell.text]);
    } else {
        html.put("<span class=\"mark {}\">{}</span>", &[&cell.mark, &cell.text]);
    }
    html.put("</td>", &[]);
}

fn provenance(html: &mut Html, provenance: &Provenance, id: &str) {
    html.put("<section class=\"provenance\" id=\"{}-provenance\">\n<h3>Where this comes from</h3>\n", &[&id]);
    if !provenance.command.is_empty() {
        html.put("<p>Made by</p>\n<pre><code>{}</code></pre>\n", &[&provenance.command]);
    }
    html.put("<dl>\n", &[]);
    for (name, value) in &provenance.facts {
        html.put("<div><dt>{}</dt><dd>{}</dd></div>\n", &[name, value]);
    }
    html.put(
        r#"<div><dt>sessions</dt><dd>{}</dd></div>
</dl>
<details>
<summary>Digests of the files (BLAKE3)</summary>
<dl class="digests">
"#,
        &[&provenance.sessions],
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
</section>
"#,
        &[&provenance.experiment],
    );
}
