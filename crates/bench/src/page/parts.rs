//! The pieces of markup that all pages have in common: head and foot, headlines, answers, figures, tables.

use super::explored::Found;
use super::figures::{Choice, Figure, capital};
use super::html::{Html, Ours, Prose, Value};
use super::lead::Lead;
use super::matrix::Matrix;
use super::plots::MOST_ROWS;
use super::section::Answer;
use super::verdicts::Verdicts;
use super::view::{CellView, Download, TableView, mark};

/// By which a page of ours is known again.
pub(super) const GENERATOR: &str = "<meta name=\"generator\" content=\"gauntlet report\">";

const STYLE: &str = include_str!("style.css");

/// The only script of a page. Without it a page shows all the same; its tables are not sorted then.
const SCRIPT: &str = include_str!("script.js");

/// By this digest the page allows that script, and the browser refuses every other. A test says what it has to be.
const SCRIPT_DIGEST: &str = "sha256-h+/fx3x5wRURpwmQy1Z8hkVZVvwZNVSPcyvc+t2k3FI=";

/// The head of a page but for its end, in which more style may stand. `script` is what the browser knows the page's own
/// script by.
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

/// Everything above the content.
pub(super) fn begin(html: &mut Html, title: &str, is_of_several: bool) {
    head(html, title, &Ours(SCRIPT_DIGEST));
    for i in 0..MOST_ROWS {
        html.put("figure:has(.c{}:not(:checked)) .s{} { display: none; }\n", &[&i, &i]);
    }
    html.put("</style>\n</head>\n<body>\n", &[]);
    html.put(if is_of_several { "<main class=\"of-several\">\n" } else { "<main>\n" }, &[]);
}

/// Everything below it.
pub(super) fn end(mut html: Html) -> String {
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

/// Table of contents: anchors and titles. A page of a few sections needs none.
pub(super) fn contents(html: &mut Html, all: &[(&str, &str)]) {
    if all.len() <= 3 {
        return;
    }
    html.put("<nav aria-label=\"Contents\" class=\"contents\">\n<ul>\n", &[]);
    for (anchor, title) in all {
        html.put("<li><a href=\"#{}\">{}</a></li>\n", &[anchor, title]);
    }
    html.put("</ul>\n</nav>\n", &[]);
}

pub(super) fn warnings(html: &mut Html, warnings: &[String]) {
    for warning in warnings {
        html.put("<p class=\"warning\">{}</p>\n", &[&Prose(&sentence(warning))]);
    }
}

/// A notice as a sentence of its own. What is no plain word, as the name of a folder, keeps its letters.
fn sentence(notice: &str) -> String {
    let first = notice.split(' ').next().unwrap_or_default();
    if first.chars().all(char::is_alphabetic) { capital(notice) } else { notice.to_owned() }
}

/// Verdicts with their sentences.
pub(super) fn answers(html: &mut Html, answers: &[Answer]) {
    html.put("<ul class=\"answers\">\n", &[]);
    for Answer { text, verdict } in answers {
        html.put("<li>", &[]);
        if let Some(verdict) = verdict {
            html.put("<span class=\"mark {}\">{}</span> ", &[&mark(*verdict), &verdict.word()]);
        }
        html.put("{}</li>\n", &[&Prose(text)]);
    }
    html.put("</ul>\n", &[]);
}

/// Marks with the number of verdicts of each kind.
pub(super) fn marks(html: &mut Html, verdicts: &Verdicts) {
    for (mark, count, verdict) in verdicts.marked() {
        html.put(" <span class=\"mark {}\">{} {}</span>", &[&mark, &count, &verdict]);
    }
}

/// Comparisons that were not announced. The first answers are to be seen, the others on demand.
pub(super) fn explored(html: &mut Html, found: &Found) {
    const SHOWN: usize = 3;
    let (shown, others) = found.answers.split_at(found.answers.len().min(SHOWN));
    let but_for = if found.may_be_settled {
        " But what the run was stopped by was announced, and that is its answer."
    } else {
        ""
    };
    html.put("<section id=\"comparisons\">\n<h3>Compared afterwards</h3>\n", &[]);
    html.put("<p class=\"note\">Exploration: the leader was found in these games, so none of this was announced as it stands here, and p is corrected for all pairs of players.{}</p>\n", &[&but_for]);
    answers(html, shown);
    if !others.is_empty() {
        html.put("<details>\n<summary>The other {}</summary>\n", &[&others.len()]);
        answers(html, others);
        html.put("</details>\n", &[]);
    }
    numbers(html, &found.table, &found.download);
    html.put("</section>\n", &[]);
}

/// All pairs of players: a row and a column for each.
pub(super) fn matrix(html: &mut Html, matrix: &Matrix) {
    html.put(
        "<section id=\"pairs\">\n<h3>All pairs</h3>\n<p class=\"note\">{}</p>\n",
        &[&Prose(&matrix.caption)],
    );
    html.put(
        r#"<div class="scroll matrix" tabindex="0" role="group" aria-label="All pairs">
<table>
<thead><tr><td></td>"#,
        &[],
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
    html.put("</section>\n", &[]);
}

/// A plot with its caption and its numbers.
pub(super) fn figure(html: &mut Html, figure: &Figure) {
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
    if let Some((table, download)) = &figure.table {
        numbers(html, table, download);
    }
    html.put("</figure>\n", &[]);
}

/// Boxes by which lines of a drawing are shown or hidden, by style alone: each box hides the layer of its number.
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
pub(super) fn numbers(html: &mut Html, view: &TableView, download: &Download) {
    html.put("<details>\n<summary>The numbers</summary>\n", &[]);
    table(html, view, Some(download));
    html.put("</details>\n", &[]);
}

/// A table that scrolls by itself where it is too large.
pub(super) fn table(html: &mut Html, view: &TableView, download: Option<&Download>) {
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
    take_along(html, download);
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
