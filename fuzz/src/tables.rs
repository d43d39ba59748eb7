//! Tables read back from their files, and shown in all of their forms.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::scratch::Scratch;
use super::{SMALL_EXPERIMENT, package};
use gauntlet::page::{ExploratoryComparisons, make_page};
use gauntlet::results::store::read::Results;
use gauntlet::results::tables::schemas;
use gauntlet::table::{Table, TableWidth};

/// The bytes of a table's file. Read and written again it is the same; in each form no cell becomes
/// anything but a cell; and beside the other tables of its experiment it stands on a page that has
/// no markup but ours.
pub fn tables(data: &[u8]) {
    for schema in schemas(&gauntlet::GAMES) {
        let Ok(table) = Table::from_csv(&schema, data) else { continue };
        let csv = table.to_csv();
        let reread = Table::from_csv(&schema, &csv).expect("what was written can be read");
        let rewritten_csv = reread.to_csv();
        assert!(
            csv == rewritten_csv,
            "{}\n---\n{}",
            String::from_utf8_lossy(&csv),
            String::from_utf8_lossy(&rewritten_csv)
        );
        assert_eq!(table.to_json()["rows"].as_array().map(Vec::len), Some(table.rows.len()));
        let narrow = TableWidth { width: 40, full_table_hint: "--format csv" };
        for text in [table.to_text(None), table.to_text(Some(narrow))] {
            assert!(!text.chars().any(is_dangerous), "{text:?}");
        }
        check_markdown(&table);
        if schema.name != "points" {
            check_page(schema.name, data);
        }
    }
}

/// Letters that a terminal may take for a command.
fn is_dangerous(letter: char) -> bool {
    letter.is_control() && letter != '\n'
}

/// Each row is a line with as many cells as the head has, and nothing in it is a tag.
fn check_markdown(table: &Table) {
    let text = table.to_markdown();
    let message = format!("{text:?}");
    assert!(!text.chars().any(is_dangerous), "{message}");
    assert!(!has_tag(&text), "{message}");
    let lines: Vec<&str> = text.lines().collect();
    if table.answers().is_some() {
        assert_eq!(lines.len(), table.rows.len(), "{message}");
        return;
    }
    assert_eq!(lines.len(), table.rows.len() + 2, "{message}");
    let count_borders = |line: &&str| {
        let escaped = line.replace("\\\\", "").replace("\\|", "");
        escaped.matches('|').count()
    };
    assert!(lines.iter().all(|line| count_borders(line) == count_borders(&lines[0])), "{message}");
}

/// True if something in a Markdown document is HTML.
fn has_tag(text: &str) -> bool {
    let starts_tag =
        |rest: &str| rest.starts_with(|next: char| next.is_ascii_alphabetic() || "/!?".contains(next));
    text.match_indices('<').any(|(index, _)| !text[..index].ends_with('\\') && starts_tag(&text[index + 1..]))
}

/// Tags and attributes of our page.
const KNOWN_TAGS: &[&str] = &[
    "!doctype html",
    "a class download href",
    "b",
    "body",
    "caption",
    "circle",
    "code class",
    "dd",
    "details",
    "div",
    "div class role tabindex aria-label",
    "dl class",
    "dt",
    "em",
    "fieldset class",
    "figcaption",
    "figure class id",
    "footer",
    "g",
    "h1",
    "h2 id",
    "h3 id",
    "head",
    "header",
    "html lang",
    "input type class autocomplete checked",
    "label",
    "legend",
    "li",
    "line",
    "main class",
    "meta",
    "nav aria-label class",
    "ol",
    "p class",
    "path",
    "polygon",
    "polyline",
    "pre class",
    "rect",
    "script",
    "section class id",
    "span class title",
    "strong",
    "style",
    "summary",
    "svg",
    "table",
    "tbody",
    "td class title",
    "text",
    "th class scope title",
    "thead",
    "title",
    "tr",
    "ul class",
];

fn check_page(name: &str, csv: &[u8]) {
    thread_local! {
        static FOLDER: Scratch = Scratch::new();
    }
    FOLDER.with(|folder| {
        let folder = folder.path();
        write_results(folder, name, csv);
        let Ok(results) = Results::read(gauntlet::catalog(&gauntlet::GAMES), folder) else { return };
        let Ok(page) = make_page(&results, &ExploratoryComparisons::default()) else { return };
        check_html(&page.html);
        for (_, svg) in &page.plots {
            check_html(svg);
        }
    });
}

/// A folder of results with this table in place of its own.
fn write_results(folder: &Path, name: &str, csv: &[u8]) {
    let mut manifest = format!(
        "format = 1\nof = 'run'\nexperiment = 'small'\ncommand = 'gauntlet run small.toml'\ngames = 8\nreproducible = true\n\
         seed_scheme = 1\ngauntlet = ''\nrevision = ''\ncompiler = ''\ntarget = ''\ncpu = ''\ncores = 1\nthreads = 1\nstarted = ''\n\
         seconds = 0.0\nsignatures = {{}}\nsession = []\nexperiment_digest = '{}'\n[digests]\n",
        blake3::hash(SMALL_EXPERIMENT.as_bytes())
    );
    let seeds = package().join("seeds/tables");
    for seed in fs::read_dir(&seeds).expect("the seeds of tables") {
        let path = seed.expect("a seed").path();
        let file = path.file_name().expect("a name").to_string_lossy().into_owned();
        let content =
            if file == format!("{name}.csv") { csv.to_vec() } else { fs::read(&path).expect("a seed") };
        manifest += &format!("{file:?} = \"{}\"\n", blake3::hash(&content));
        write(&folder.join(file), &content);
    }
    write(&folder.join("experiment.toml"), SMALL_EXPERIMENT.as_bytes());
    write(&folder.join("manifest.toml"), manifest.as_bytes());
}

fn write(path: &Path, content: &[u8]) {
    // Some file systems bring a file that is written over to the disk at once.
    let _ = fs::remove_file(path);
    fs::write(path, content).expect("a file is written");
}

/// Every tag is one that we write, with attributes that we write. No style of ours holds a bracket.
fn check_html(html: &str) {
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let Some(end) = end_of_tag(rest) else { panic!("a tag without an end: <{rest:.200}") };
        let tag = &rest[..end];
        let words = words(tag.trim_start_matches('/').trim_end_matches('/'));
        let known_tags = KNOWN_TAGS.iter().map(|entry| entry.split(' ').collect::<Vec<_>>());
        let is_known = known_tags.into_iter().any(|entry| {
            entry[0] == words[0]
                && (is_drawing(entry[0]) || words[1..].iter().all(|word| entry.contains(word)))
        });
        assert!(is_known || words[0].starts_with('?'), "<{tag}>");
        rest = &rest[end + 1..];
    }
}

/// Tags of plots and of the head, of which only the names are looked at, and that no attribute is
/// an action.
fn is_drawing(tag: &str) -> bool {
    ["circle", "g", "line", "meta", "path", "polygon", "polyline", "rect", "svg", "text"].contains(&tag)
}

/// End of a tag, outside of quotes.
fn end_of_tag(rest: &str) -> Option<usize> {
    let mut quote = None;
    for (index, letter) in rest.char_indices() {
        match (quote, letter) {
            (None, '>') => return Some(index),
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open_quote), _) if open_quote == letter => quote = None,
            _ => {}
        }
    }
    None
}

/// The name of a tag and those of its attributes.
fn words(tag: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = tag.trim();
    while !rest.is_empty() {
        let end = rest.find(|letter: char| letter.is_whitespace() || letter == '=').unwrap_or(rest.len());
        names.push(&rest[..end]);
        rest = rest[end..].trim_start();
        if let Some(value) = rest.strip_prefix('=') {
            let value = value.trim_start();
            let quote = value.chars().next().filter(|first| "\"'".contains(*first));
            let end = match quote {
                Some(quote) => value[1..].find(quote).map_or(value.len(), |index| index + 2),
                None => value.find(char::is_whitespace).unwrap_or(value.len()),
            };
            rest = value[end..].trim_start();
        }
    }
    let event_handlers = names.iter().filter(|word| word.to_lowercase().starts_with("on"));
    assert_eq!(event_handlers.collect::<BTreeSet<_>>(), BTreeSet::new(), "<{tag}>");
    if names.is_empty() { vec![""] } else { names }
}
