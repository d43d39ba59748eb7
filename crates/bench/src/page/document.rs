//! The page of one folder of results, from its verdicts down to its provenance.

use super::explored::Found;
use super::html::Html;
use super::matrix::Matrix;
use super::parts::{answers, begin, contents, end, explored, figure, headline, matrix, numbers, warnings};
use super::provenance::Provenance;
use super::section::{Published, Section};

/// Content of a page.
pub(super) struct Document<'a> {
    pub(super) section: &'a Section,
    pub(super) found: Option<Found>,
    pub(super) matrix: Option<Matrix>,
    /// Reasons to doubt comparisons.
    pub(super) doubts: &'a [String],
    /// Its neighbours among the pages of several results.
    pub(super) neighbours: Option<Neighbours>,
}

/// The pages around one of several: each an address and a title.
pub(super) struct Neighbours {
    pub(super) index: (String, String),
    pub(super) before: Option<(String, String)>,
    pub(super) after: Option<(String, String)>,
}

impl Document<'_> {
    pub(super) fn html(&self) -> String {
        let mut html = Html::default();
        let section = self.section;
        begin(&mut html, &section.name, false);
        if let Some(Neighbours { index: (address, title), .. }) = &self.neighbours {
            html.put("<p class=\"up\"><a href=\"{}\">← {}</a></p>\n", &[address, title]);
        }
        html.put("<header>\n<p class=\"kind\">gauntlet report</p>\n<h1>{}</h1>\n", &[&section.name]);
        warnings(&mut html, &section.warnings);
        html.put("<p class=\"facts\">", &[]);
        for fact in &section.facts {
            html.put("<span>{}</span>", &[fact]);
        }
        html.put("</p>\n", &[]);
        headline(&mut html, &section.verdicts, Some(&section.lead));
        warnings(&mut html, self.doubts);
        if let Some(unanswered) = &section.unanswered {
            html.put("<p class=\"note\">{}</p>\n", &[unanswered]);
        }
        contents(&mut html, &self.contents());
        html.put("</header>\n", &[]);
        self.announced(&mut html);
        if let Some(found) = &self.found {
            explored(&mut html, found);
        }
        if let Some(pairs) = &self.matrix {
            matrix(&mut html, pairs);
        }
        for one in &section.figures {
            figure(&mut html, one);
        }
        provenance(&mut html, &section.provenance);
        self.way_on(&mut html);
        end(html)
    }

    fn contents(&self) -> Vec<(&str, &str)> {
        let section = self.section;
        let mut all = Vec::new();
        let mut add = |is_there: bool, anchor, title| all.extend(is_there.then_some((anchor, title)));
        add(self.has_claims(), "claims", "Claims");
        add(!section.stop.is_empty(), "stop", "How the run ended");
        add(section.published.is_some(), "published-numbers", "Published numbers");
        add(self.found.is_some(), "comparisons", "Compared afterwards");
        add(self.matrix.is_some(), "pairs", "All pairs");
        all.extend(section.figures.iter().map(|figure| (&*figure.name, &*figure.title)));
        all.push(("provenance", "Where this comes from"));
        all
    }

    fn has_claims(&self) -> bool {
        self.section.claims_table.is_some() && !self.section.claims.is_empty()
    }

    /// Claims announced before the run, with their answers.
    fn announced(&self, html: &mut Html) {
        let section = self.section;
        if let Some((table, download)) = section.claims_table.as_ref().filter(|_| self.has_claims()) {
            html.put("<section id=\"claims\">\n<h3>Claimed before the run</h3>\n", &[]);
            answers(html, &section.claims);
            numbers(html, table, download);
            html.put("</section>\n", &[]);
        }
        if !section.stop.is_empty() {
            html.put("<section id=\"stop\">\n<h3>How the run ended</h3>\n", &[]);
            answers(html, &section.stop);
            if let Some((table, download)) = &section.precision_table {
                numbers(html, table, download);
            }
            html.put("</section>\n", &[]);
        }
        if let Some(numbers) = &section.published {
            published(html, numbers);
        }
    }

    /// Links to the pages before and behind this one.
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

/// Answers on published numbers: a sentence on each, those behind the first few on demand.
fn published(html: &mut Html, published: &Published) {
    const SHOWN: usize = 8;
    html.put("<section id=\"published-numbers\">\n<h3>Published numbers</h3>\n", &[]);
    let (shown, others) = published.answers.split_at(published.answers.len().min(SHOWN));
    if !shown.is_empty() {
        answers(html, shown);
    }
    if !others.is_empty() {
        html.put("<details>\n<summary>The other {}</summary>\n", &[&others.len()]);
        answers(html, others);
        html.put("</details>\n", &[]);
    }
    html.put("</section>\n", &[]);
}

/// Sources of the results.
pub(super) fn provenance(html: &mut Html, provenance: &Provenance) {
    html.put("<section class=\"provenance\" id=\"provenance\">\n<h3>Where this comes from</h3>\n", &[]);
    if !provenance.command.is_empty() {
        html.put("<p>Made by</p>\n<pre><code>{}</code></pre>\n", &[&provenance.command]);
    }
    html.put("<dl>\n", &[]);
    for (name, value) in &provenance.facts {
        html.put("<div><dt>{}</dt><dd>{}</dd></div>\n", &[name, value]);
    }
    if let Some(sessions) = &provenance.sessions {
        html.put("<div><dt>sessions</dt><dd>{}</dd></div>\n", &[sessions]);
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
</section>
"#,
        &[&provenance.experiment],
    );
}
