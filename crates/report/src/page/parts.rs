//! Markup that all pages have in common: head and foot, contents, headlines, answers, figures,
//! tables.

use gauntlet_analysis::compare::answer::VerdictAnswer;
use gauntlet_analysis::results::analysis::lead::Lead;
use gauntlet_analysis::results::analysis::pairwise;
use gauntlet_core::text::{capital, counted};

use super::explored::Explored;
use super::figures::{Choice, Figure};
use super::html::{Html, Ours, Prose, Value};
use super::matrix::Matrix;
use super::plots::MOST_ROWS;
use super::verdicts::Verdicts;
use super::view::{CellView, Download, TableView, mark};

/// By which a page of ours is known again.
pub(super) const GENERATOR: &str = "<meta name=\"generator\" content=\"gauntlet report\">";

const STYLE: &str = include_str!("style.css");

/// The only script of a page. Without it a page shows all the same; its tables are not sorted then.
const SCRIPT: &str = include_str!("script.js");

/// By this digest the page allows that script, and the browser refuses every other. A test says
/// what it has to be.
pub const SCRIPT_DIGEST: &str = "sha256-h+/fx3x5wRURpwmQy1Z8hkVZVvwZNVSPcyvc+t2k3FI=";

/// The head of a page but for its end, in which more style may stand. `script` is what the browser
/// knows the page's own script by.
pub(super) fn head(html: &mut Html, title: &str, script: &dyn Value) {
    html.put(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
{}
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src '{}'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{} – gauntlet</title>
<style>
{}
"#,
        &[&Ours(GENERATOR), script, &title, &Ours(STYLE)],
    );
}

/// A page being written: its header, and the sections below it, which the contents in the header
/// list.
pub(super) struct Writer {
    pub(super) header: Html,
    /// Everything below the header.
    pub(super) body: Html,
    /// Anchor and title of each section and each figure.
    contents: Vec<(String, String)>,
}

impl Writer {
    /// Begins a page. `up` is the address and the title of the page that leads here.
    pub(super) fn begin(title: &str, is_of_several: bool, up: Option<&(String, String)>) -> Writer {
        let mut header = Html::default();
        head(&mut header, title, &Ours(SCRIPT_DIGEST));
        for i in 0..MOST_ROWS {
            header.put("figure:has(.c{}:not(:checked)) .s{} { display: none; }\n", &[&i, &i]);
        }
        header.put("</style>\n</head>\n<body>\n", &[]);
        header.put(if is_of_several { "<main class=\"of-several\">\n" } else { "<main>\n" }, &[]);
        if let Some((address, title)) = up {
            header.put("<p class=\"up\"><a href=\"{}\">← {}</a></p>\n", &[address, title]);
        }
        header.put("<header>\n", &[]);
        Writer { header, body: Html::default(), contents: Vec::new() }
    }

    /// The kind of the page, its name, its warnings and its facts.
    pub(super) fn title(&mut self, kind: &str, name: &str, warned: &[String], facts: &[String]) {
        let html = &mut self.header;
        html.put("<p class=\"kind\">{}</p>\n<h1>{}</h1>\n", &[&kind, &name]);
        warnings(html, warned);
        if !facts.is_empty() {
            html.put("<p class=\"facts\">", &[]);
            facts.iter().for_each(|fact| html.put("<span>{}</span>", &[fact]));
            html.put("</p>\n", &[]);
        }
    }

    /// A section with what is written into it.
    pub(super) fn section(&mut self, anchor: &str, title: &str, write: impl FnOnce(&mut Html)) {
        self.contents.push((anchor.to_owned(), title.to_owned()));
        self.body.put("<section id=\"{}\">\n<h3>{}</h3>\n", &[&anchor, &title]);
        write(&mut self.body);
        self.body.put("</section>\n", &[]);
    }

    /// Figures, one below the other.
    pub(super) fn figures<'f>(&mut self, figures: impl IntoIterator<Item = &'f Figure>) {
        for one in figures {
            self.contents.push((one.name.clone(), one.title.to_string()));
            figure(&mut self.body, one);
        }
    }

    /// The whole page.
    pub(super) fn end(self) -> String {
        let Writer { header: mut html, body, contents } = self;
        // A page of a few sections needs no contents.
        if contents.len() > 3 {
            html.put("<nav aria-label=\"Contents\" class=\"contents\">\n<ul>\n", &[]);
            for (anchor, title) in &contents {
                html.put("<li><a href=\"#{}\">{}</a></li>\n", &[anchor, title]);
            }
            html.put("</ul>\n</nav>\n", &[]);
        }
        html.put("</header>\n", &[]);
        html.append(body);
        html.put(
            r#"</main>
<footer>
<p>Made by gauntlet {}. Brackets and bars are 95 % intervals: of a win rate Wilson’s, of a mean Student’s. That two of them overlap or do not is no test; a claim announced before the run is answered by one.</p>
</footer>
<script>{}</script>
</body>
</html>"#,
            &[&env!("CARGO_PKG_VERSION"), &Ours(SCRIPT)],
        );
        html.finish()
    }
}

/// The first words: what came of what was announced, then who leads.
pub(super) fn headline(html: &mut Html, verdicts: &[Verdicts], leader: Option<&Lead>) {
    for one in verdicts {
        lead(html, &one.headline(), false);
    }
    if let Some(leader) = leader {
        lead(html, leader, !verdicts.is_empty());
    }
}

pub(super) fn lead(html: &mut Html, lead: &Lead, is_second: bool) {
    html.put(if is_second { "<p class=\"lead second\">" } else { "<p class=\"lead\">" }, &[]);
    if lead.who.is_empty() {
        html.put("{}</p>\n", &[&lead.says]);
    } else {
        html.put("<strong>{}</strong> {}.</p>\n", &[&lead.who, &lead.says]);
    }
    if !lead.sure.is_empty() {
        html.put("<p class=\"sure\">{}</p>\n", &[&lead.sure]);
    }
}

pub(super) fn warnings(html: &mut Html, warnings: &[String]) {
    for warning in warnings {
        html.put("<p class=\"warning\">{}</p>\n", &[&Prose(&sentence(warning))]);
    }
}

/// A notice as a sentence of its own. What is no plain word, as the name of a folder, keeps its
/// letters.
fn sentence(notice: &str) -> String {
    let first = notice.split(' ').next().unwrap_or_default();
    if first.chars().all(char::is_alphabetic) { capital(notice) } else { notice.to_owned() }
}

/// Verdicts with their sentences: some are to be seen, the others on demand.
pub(super) fn answers(html: &mut Html, all: &[VerdictAnswer], shown: usize) {
    let (shown, others) = all.split_at(all.len().min(shown));
    html.put("<ul class=\"answers\">\n", &[]);
    for one in shown {
        html.put("<li>", &[]);
        answer(html, one);
        html.put("</li>\n", &[]);
    }
    html.put("</ul>\n", &[]);
    if !others.is_empty() {
        html.put("<details>\n<summary>{}</summary>\n", &[&counted(others.len() as u64, "more answer")]);
        answers(html, others, others.len());
        html.put("</details>\n", &[]);
    }
}

/// A verdict with its sentence.
pub(super) fn answer(html: &mut Html, VerdictAnswer { text, verdict }: &VerdictAnswer) {
    if let Some(verdict) = verdict {
        html.put("<span class=\"mark {}\">{}</span> ", &[&mark(*verdict), &verdict.word()]);
    }
    html.put("{}", &[&Prose(text)]);
}

/// Marks with the number of verdicts of each kind.
pub(super) fn marks(html: &mut Html, verdicts: &Verdicts) {
    for (mark, count, verdict) in verdicts.marked() {
        html.put(" <span class=\"mark {}\">{} {}</span>", &[&mark, &count, &verdict]);
    }
}

/// Comparisons that were not announced, and those of all pairs of players.
pub(super) fn explored(page: &mut Writer, explored: &Explored) {
    if !explored.leader.is_empty() {
        let but_for = if explored.may_be_settled {
            " But what the run was stopped by was announced, and that is its answer."
        } else {
            ""
        };
        page.section("comparisons", "Compared afterwards", |html| {
            html.put("<p class=\"note\">Exploration: the leader was found in these games, so none of this was announced as it stands here, and p is corrected for all pairs of players.{}</p>\n", &[&but_for]);
            answers(html, &explored.leader.iter().map(VerdictAnswer::from).collect::<Vec<_>>(), 3);
            numbers(html, &TableView::of(&pairwise::table(&explored.leader)));
        });
    }
    if let Some(pairs) = &explored.pairs {
        page.section("pairs", "All pairs", |html| matrix(html, pairs));
    }
}

/// All pairs of players: a row and a column for each.
fn matrix(html: &mut Html, matrix: &Matrix) {
    html.put("<p class=\"note\">{}</p>\n", &[&Prose(&matrix.caption)]);
    html.put(
        r#"<div class="scroll matrix" tabindex="0" role="group" aria-label="{}">
<table>
<thead><tr><td></td>"#,
        &[&matrix.label],
    );
    for player in &matrix.players {
        html.put(r#"<th scope="col" title="{}"><span>{}</span></th>"#, &[&player.name, &player.short]);
    }
    html.put("</tr></thead>\n<tbody>\n", &[]);
    for (player, cells) in matrix.players.iter().zip(&matrix.cells) {
        html.put(
            r#"<tr><th scope="row" class="words"><span class="wide" title="{}">{}</span><span class="narrow" title="{}">{}</span></th>"#,
            &[&player.name, &player.long, &player.name, &player.short],
        );
        for cell in cells {
            match cell {
                Some(cell) => {
                    html.put(r#"<td class="{}" title="{}">{}</td>"#, &[&cell.mark, &cell.answer, &cell.text]);
                }
                None => html.put("<td></td>", &[]),
            }
        }
        html.put("</tr>\n", &[]);
    }
    html.put("</tbody>\n</table>\n</div>\n", &[]);
    take_along(html, matrix.download.as_ref());
}

/// A plot with its caption and its numbers.
fn figure(html: &mut Html, figure: &Figure) {
    html.put("<figure id=\"{}\">\n<h3>{}</h3>\n", &[&figure.name, &figure.title]);
    if !figure.caption.is_empty() {
        html.put("<figcaption>{}</figcaption>\n", &[&figure.caption]);
    }
    if let Some((wide, narrow)) = &figure.drawings {
        html.put("<div class=\"plot wide\">{}</div>\n<div class=\"plot narrow\">{}</div>\n", &[wide, narrow]);
    }
    choices(html, &figure.choices);
    if let Some(note) = &figure.note {
        html.put("<p class=\"note\">{}</p>\n", &[&Prose(note)]);
    }
    if let Some(crossed) = &figure.matrix {
        matrix(html, crossed);
    }
    if let Some(table) = &figure.table {
        numbers(html, table);
    }
    html.put("</figure>\n", &[]);
}

/// Boxes by which lines of a drawing are shown or hidden, by style alone: each box hides the layer
/// of its number.
fn choices(html: &mut Html, choices: &[Choice]) {
    if choices.is_empty() {
        return;
    }
    html.put("<fieldset class=\"choices\">\n<legend>Lines to be seen</legend>\n", &[]);
    for (i, Choice { swatch, name, is_shown }) in choices.iter().enumerate() {
        let form = if *is_shown {
            r#"<label><input type="checkbox" class="c{}" autocomplete="off" checked> {} {}</label>"#
        } else {
            r#"<label><input type="checkbox" class="c{}" autocomplete="off"> {} {}</label>"#
        };
        html.put(form, &[&i, swatch, name]);
        html.put("\n", &[]);
    }
    html.put("</fieldset>\n", &[]);
}

/// A table on demand.
pub(super) fn numbers(html: &mut Html, view: &TableView) {
    html.put("<details>\n<summary>The numbers</summary>\n", &[]);
    table(html, view);
    html.put("</details>\n", &[]);
}

/// A table that scrolls by itself where it is too large.
pub(super) fn table(html: &mut Html, view: &TableView) {
    html.put(
        r#"<div class="scroll {}" tabindex="0" role="group" aria-label="Table {}">
<table>
<thead><tr>"#,
        &[&view.name, &view.name],
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
            html.put(r#"<th scope="row" class="words">{}"#, &[&first.text]);
            if !first.below.is_empty() {
                html.put(r#" <span class="below">{}</span>"#, &[&first.below]);
            }
            html.put("</th>", &[]);
            others.iter().for_each(|other| cell(html, other));
        }
        html.put("</tr>\n", &[]);
    }
    html.put("</tbody>\n</table>\n</div>\n", &[]);
    take_along(html, view.download.as_ref());
}

/// A link to a table's CSV inside the page.
pub(super) fn take_along(html: &mut Html, download: Option<&Download>) {
    if let Some(Download { name, address }) = download {
        html.put(
            "<p class=\"download\"><a download=\"{}\" href=\"{}\">Take {} along</a></p>\n",
            &[name, address, name],
        );
    }
}

/// A cell beside the first of its row.
fn cell(html: &mut Html, cell: &CellView) {
    let form = match (cell.words, cell.sentence) {
        (_, true) => "<td class=\"words sentence\">",
        (true, false) => "<td class=\"words\">",
        (false, false) => "<td>",
    };
    html.put(form, &[]);
    if cell.mark.is_empty() {
        html.put("{}", &[&cell.text]);
    } else {
        html.put("<span class=\"mark {}\">{}</span>", &[&cell.mark, &cell.text]);
    }
    html.put("</td>", &[]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_begin_with_a_capital_unless_with_a_name() {
        let told = ["times of others", "results/a may be", "ovolve-3 may be", ""].map(sentence);
        assert_eq!(told, ["Times of others", "results/a may be", "ovolve-3 may be", ""]);
    }
}
