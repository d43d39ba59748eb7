//! `gauntlet format` and `gauntlet features`: print the manual, of which `docs/` has copies.

mod pages;

use std::io::Write;
use std::process::ExitCode;

use gauntlet_analysis::config::Catalog;
use gauntlet_core::arena::Arenas;
use gauntlet_core::diagnostic::nearest;
use gauntlet_core::text::wrap_line;
use unicode_width::UnicodeWidthStr;

use gauntlet_cli::exit::Usage;
use gauntlet_cli::output::screen;
use gauntlet_cli::terminal::width;
use pages::{PAGES, pages};

/// Explain experiment keys, table columns, files, exit statuses and terms
///
/// WORDS select a section by its heading, or a key, column, feature or term. Without WORDS, the
/// sections are listed. `gauntlet help format` does the same.
#[derive(clap::Args)]
#[command(after_long_help = "\
Output to a file or pipe is Markdown: `gauntlet format all > MANUAL.md`.

Example:
  gauntlet format tuning
  gauntlet format opening_stones
  gauntlet format pair")]
pub(super) struct Args {
    /// Words of a heading; or a key, column, feature or term; `all` for everything
    #[arg(value_name = "WORDS")]
    words: Vec<String>,
}

/// List the board features that players can use in `weights`
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet features\n  gauntlet features smoothness")]
pub(super) struct Features {
    /// Feature to explain, or the beginning of several; without it, all features are listed
    #[arg(value_name = "FEATURE")]
    feature: Option<String>,
}

/// Section of the manual, up to the next heading that is not below its own.
#[derive(Clone, Copy)]
struct Section<'t> {
    heading: &'t str,
    /// Number of `#` signs before the heading.
    level: usize,
    /// Its text with its heading, including all sections below it.
    text: &'t str,
    /// The text up to the next heading.
    own_text: &'t str,
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    let arenas = catalog.games;
    let manual = pages(catalog).concat();
    let sections = split_sections(&manual);
    let query = args.words.join(" ");
    let text = match &*query {
        "" => format_contents(&sections),
        "all" if width().is_none() => manual.clone(),
        "all" => format_for_terminal(&replace_dead_links(&manual, &sections, false), width()),
        query => {
            // A header as written in a file, `[[claim]]`, or a dotted key, whose row has only the
            // last part.
            let name = query.trim().trim_matches(['[', ']']);
            let last_key = name.rsplit_once('.').map(|(_, last_key)| last_key);
            let texts = find_sections(arenas, &sections, name).or_else(|refusal| match last_key {
                Some(last_key) => find_sections(arenas, &sections, last_key).map_err(|_| refusal),
                None => Err(refusal),
            })?;
            let joined = texts.join("\n");
            format_for_terminal(&replace_dead_links(&joined, &sections, width().is_none()), width())
        }
    };
    screen().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn run_features(catalog: Catalog, args: &Features) -> anyhow::Result<ExitCode> {
    let Some(feature) = &args.feature else {
        return run(catalog, &Args { words: vec!["Features".to_owned()] });
    };
    let manual = pages(catalog).concat();
    let all_sections = split_sections(&manual);
    let features_text =
        all_sections.iter().find(|section| section.heading == "Features").map_or("", |section| section.text);
    let sections = split_sections(features_text);
    let query = feature.to_lowercase();
    // Several features have a common beginning, such as `smoothness-nearest`.
    let beginnings = |name: &'_ str| {
        name.match_indices('-').map(|(index, _)| index).chain([name.len()]).collect::<Vec<_>>()
    };
    let rows = find_rows(&sections, |name| beginnings(name).into_iter().any(|end| name[..end] == query));
    if rows.is_empty() {
        let feature_names = sections.iter().flat_map(names);
        let prefixes =
            feature_names.flat_map(|name| beginnings(name).into_iter().map(move |end| &name[..end]));
        let suggestion = nearest(feature, prefixes);
        let help = suggestion.map_or("`gauntlet features` lists all".to_owned(), |suggestion| {
            format!("did you mean `gauntlet features {suggestion}`?")
        });
        return Err(Usage(format!("unknown feature {feature:?}; {help}")).into());
    }
    screen().write_all(format_for_terminal(&rows.join("\n"), width()).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Splits the manual into sections, in order.
fn split_sections(document: &str) -> Vec<Section<'_>> {
    let mut headings: Vec<(usize, usize, &str)> = Vec::new();
    let (mut offset, mut is_code) = (0, false);
    for line in document.split_inclusive('\n') {
        is_code ^= line.starts_with("```");
        let level = line.bytes().take_while(|&byte| byte == b'#').count();
        if level > 0 && !is_code {
            headings.push((offset, level, line[level..].trim()));
        }
        offset += line.len();
    }
    let to_section = |index: usize| {
        let (start, level, heading) = headings[index];
        let next = headings.get(index + 1).map_or(document.len(), |next| next.0);
        let end = headings[index + 1..].iter().find(|other| other.1 <= level);
        let end = end.map_or(document.len(), |end| end.0);
        Section { heading, level, text: &document[start..end], own_text: &document[start..next] }
    };
    (0..headings.len()).map(to_section).collect()
}

/// Formats headings, indented by level.
fn format_contents(sections: &[Section]) -> String {
    let lines = sections
        .iter()
        .map(|section| format!("{}{}\n", "  ".repeat(section.level - 1), strip_markdown(section.heading)));
    lines.collect::<String>()
        + "\n"
        + &wrap_line(
            "`gauntlet format WORDS` prints a section, key or column; `gauntlet format all` prints everything",
            width(),
        )
        + "\n"
}

/// Returns the sections with these words in their headings. If there are none, returns rows of
/// tables about these words, each below its heading. Sections that the rows link to are added, and
/// settings of players with this name.
fn find_sections(arenas: Arenas, sections: &[Section], words: &str) -> Result<Vec<String>, Usage> {
    let query = words.to_lowercase();
    let heading = |section: &Section| strip_markdown(section.heading).to_lowercase();
    let exact = sections.iter().filter(|section| heading(section) == query).collect::<Vec<_>>();
    let rows =
        if exact.is_empty() { find_rows(sections, |name| name.to_lowercase() == query) } else { Vec::new() };
    let settings = if exact.is_empty() { find_settings(arenas, &query) } else { None };
    let starting =
        || sections.iter().filter(|section| heading(section).starts_with(&query)).collect::<Vec<_>>();
    let containing =
        || sections.iter().filter(|section| heading(section).contains(&query)).collect::<Vec<_>>();
    let has_rows = !rows.is_empty() || settings.is_some();
    let mut matching_sections =
        if exact.is_empty() && !has_rows { [starting(), containing()].concat() } else { exact };
    matching_sections.extend(rows.iter().flat_map(|row| find_linked_sections(sections, row)));
    let mut texts: Vec<&str> = Vec::new();
    for section in matching_sections {
        // A section below one that is already printed is part of it.
        if !texts.iter().any(|text| text.contains(section.text)) {
            texts.push(section.text);
        }
    }
    if texts.is_empty() && !has_rows {
        let manual = || arenas.iter().flat_map(|arena| arena.manual());
        let headings: Vec<String> = sections.iter().map(heading).collect();
        let settings = manual().flat_map(|algorithm| algorithm.settings.iter().copied());
        let names = sections.iter().flat_map(names);
        let suggestion = nearest(&query, headings.iter().map(String::as_str).chain(names).chain(settings));
        let help = match suggestion {
            _ if manual().any(|algorithm| algorithm.name == query) => {
                return Err(Usage(format!("{query:?} is a player: gauntlet players {query}")));
            }
            Some(suggestion) => format!("did you mean `gauntlet format {suggestion}`?"),
            None => "`gauntlet format` lists the sections".to_owned(),
        };
        return Err(Usage(format!("no section, key or column {query:?}; {help}")));
    }
    Ok(rows.into_iter().chain(settings).chain(texts.into_iter().map(str::to_owned)).collect())
}

/// Returns the sections that a row links to, which have its full meaning.
fn find_linked_sections<'p, 't>(sections: &'p [Section<'t>], row: &str) -> Vec<&'p Section<'t>> {
    let targets = row.split("](#").skip(1).filter_map(|rest| rest.split_once(')'));
    targets
        .filter_map(|(target, _)| sections.iter().find(|section| anchor(section.heading) == target))
        .collect()
}

/// Returns the settings of players with this name, as shown in their manuals.
fn find_settings(arenas: Arenas, key: &str) -> Option<String> {
    let mut rows: Vec<(String, &str, String)> = Vec::new();
    for arena in arenas {
        for algorithm in arena.manual().into_iter().filter(|algorithm| algorithm.settings.contains(&key)) {
            let (example, meaning) = find_in_manual(algorithm.example, key);
            let row = format!("`{example}` | {}", meaning.replace('|', "\\|"));
            // A player for any game is in the manual of each game.
            match rows.iter_mut().find(|(_, name, known_row)| *name == algorithm.name && *known_row == row) {
                Some((games, ..)) => *games += &format!(", {}", arena.name),
                None => rows.push((arena.name.to_owned(), algorithm.name, row)),
            }
        }
    }
    let (_, first, _) = rows.first()?;
    let footer = format!("`gauntlet players {first}` prints all settings of that player.\n");
    let rows = rows.iter().map(|(games, name, row)| format!("| `{name}` | {games} | {row} |\n"));
    let header = "### Settings of players\n\n| player | game | example | meaning |\n|---|---|---|---|\n";
    Some(format!("{header}{}\n{footer}", rows.collect::<String>()))
}

/// Returns a setting in the manual of a player, and the comment that explains it: on the same line,
/// or on the lines above.
fn find_in_manual(example: &str, key: &str) -> (String, String) {
    let lines: Vec<&str> = example.lines().skip(1).collect();
    let uncommented = |line: &'_ str| line.trim_start_matches(['#', ' ']).to_owned();
    let is_setting = |line: &str| {
        uncommented(line).split_once('=').is_some_and(|(before, _)| {
            before.trim_end().bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
        })
    };
    let is_of_key =
        |line: &&str| is_setting(line) && uncommented(line).split('=').next().map(str::trim_end) == Some(key);
    let Some(index) = lines.iter().position(is_of_key) else {
        return (key.to_owned(), String::new());
    };
    let line = uncommented(lines[index]);
    if let Some((setting, comment)) = line.split_once(" # ") {
        return (setting.trim_end().to_owned(), comment.trim().to_owned());
    }
    let is_comment = |line: &&&str| line.starts_with('#') && !is_setting(line);
    let mut above: Vec<String> =
        lines[..index].iter().rev().take_while(is_comment).map(|line| uncommented(line)).collect();
    above.reverse();
    (line, above.join(" "))
}

/// Returns the anchor of a heading, for links.
fn anchor(heading: &str) -> String {
    let heading = strip_markdown(heading).to_lowercase().replace(' ', "-");
    heading.chars().filter(|&letter| letter.is_alphanumeric() || "-_".contains(letter)).collect()
}

/// Replaces links whose target is not in the text by their words. Words that only refer to a
/// section become the command that prints it. A document that is not printed is named by its path,
/// in Markdown with the place in it.
fn replace_dead_links(text: &str, sections: &[Section], is_markdown: bool) -> String {
    let is_in_text = |section: &Section| text.contains(section.own_text.trim_end());
    replace_links(text, |words, target, is_alone| {
        if target.starts_with("http") {
            return format!("[{words}]({target})");
        }
        let section = (target.strip_prefix('#'))
            .or_else(|| PAGES.iter().find_map(|page| target.strip_prefix(page)?.strip_prefix('#')))
            .and_then(|target| sections.iter().find(|section| anchor(section.heading) == target));
        match section {
            Some(section) if is_in_text(section) => format!("[{words}]({target})"),
            Some(section) if ["below", "above"].contains(&words) => {
                format!("`gauntlet format {}`", strip_markdown(section.heading).to_lowercase())
            }
            Some(_) => words.to_owned(),
            // A document that is not printed: words that only refer to it become its path.
            None if target.contains(".md") => {
                let root_path = target.strip_prefix("../");
                let mut target = root_path.map_or_else(|| format!("docs/{target}"), str::to_owned);
                if !is_markdown {
                    target.truncate(target.find('#').unwrap_or(target.len()));
                }
                match is_alone || words.ends_with(".md") {
                    true => target,
                    false => format!("{words} ({target})"),
                }
            }
            None => words.to_owned(),
        }
    })
}

/// Returns the rows whose first cell has an accepted name in backticks, with the head of their
/// table, below the heading of their section.
fn find_rows(sections: &[Section], is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let has_match = |row: &str| names_in(row).any(&is_wanted);
    let mut matches: Vec<String> = Vec::new();
    for section in sections.iter().filter(|section| section.heading != "Algorithms") {
        let mut header = Vec::new();
        for line in section.own_text.lines() {
            if !line.starts_with('|') {
                header.clear();
            } else if header.len() < 2 {
                header.push(line);
            } else if has_match(line) {
                let sign = "#".repeat(section.level);
                let prefix = format!("{sign} {}\n\n{}\n{}\n", section.heading, header[0], header[1]);
                match matches.last_mut() {
                    Some(last) if last.starts_with(&prefix) => *last += &format!("{line}\n"),
                    _ => matches.push(format!("{prefix}{line}\n")),
                }
            }
        }
    }
    matches
}

/// Returns the names that the tables of a section explain.
fn names<'t>(section: &Section<'t>) -> impl Iterator<Item = &'t str> {
    section.own_text.lines().filter(|line| line.starts_with('|')).flat_map(names_in)
}

/// Returns the names in backticks in the first cell of a row.
fn names_in(row: &str) -> impl Iterator<Item = &str> {
    let first = row.trim_start_matches("| ").split(" |").next().unwrap_or_default();
    first.split('`').skip(1).step_by(2).map(|name| name.trim_matches(['[', ']']))
}

/// Removes Markdown marks: links become their words, code keeps its backticks.
fn strip_markdown(text: &str) -> String {
    replace_links(text, |words, _, _| words.to_owned()).replace("**", "").replace("\\|", "|")
}

/// Replaces each link, `[words](target)`. The last argument is true for a link alone in
/// parentheses.
fn replace_links(text: &str, replace: impl Fn(&str, &str, bool) -> String) -> String {
    let mut output = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        let words = link.split_once("](").and_then(|(words, after)| {
            let (target, after) = after.split_once(')')?;
            (!words.contains(['[', ']'])).then_some((words, target, after))
        });
        output += before;
        match words {
            Some((words, target, after)) => {
                let is_alone = output.ends_with('(') && after.starts_with(')');
                output += &replace(words, target, is_alone);
                rest = after;
            }
            None => {
                output.push('[');
                rest = link;
            }
        }
    }
    output + rest
}

/// Formats Markdown for a terminal of this width; without a width, returns it unchanged.
fn format_for_terminal(document: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return document.to_owned() };
    let mut text = String::new();
    let (mut paragraph, mut column_names, mut is_code) = (String::new(), None, false);
    let end_paragraph = |paragraph: &mut String, text: &mut String| {
        if !paragraph.is_empty() {
            let lines = wrap_line(&strip_markdown(paragraph), Some(width));
            // Lines of an item are indented below its sign, lines of a paragraph are not.
            let is_item = lines.starts_with("- ");
            *text += &(if is_item { lines } else { lines.replace("\n  ", "\n") } + "\n");
            paragraph.clear();
        }
    };
    for line in document.lines() {
        let is_row = line.starts_with('|') && !is_code;
        let is_item = line.starts_with("- ");
        let is_continuation =
            !is_row && !is_code && !is_item && !line.starts_with(['#', '`']) && !line.is_empty();
        if !is_continuation {
            end_paragraph(&mut paragraph, &mut text);
        }
        if !is_row {
            column_names = None;
        }
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            text += &format!("    {line}\n");
        } else if is_row {
            let cells: Vec<String> = split_cells(line);
            match &column_names {
                None => column_names = Some(cells),
                Some(_) if cells.iter().all(|cell| cell.trim_matches(['-', ':']).is_empty()) => {}
                Some(column_names) => text += &format_entry(column_names, &cells, width),
            }
        } else if line.starts_with('#') {
            let heading = strip_markdown(line.trim_start_matches(['#', ' ']));
            text += &format!("{heading}\n{}\n", "─".repeat(heading.width().min(width)));
        } else if line.is_empty() {
            text.push('\n');
        } else {
            let separator = if paragraph.is_empty() { "" } else { " " };
            paragraph += &(separator.to_owned() + line.trim());
        }
    }
    end_paragraph(&mut paragraph, &mut text);
    text
}

/// Splits a row into its cells.
fn split_cells(row: &str) -> Vec<String> {
    let row = row.trim().trim_start_matches('|').trim_end_matches('|').replace("\\|", "\u{0}");
    row.split('|').map(|cell| strip_markdown(cell.trim()).replace('\u{0}', "|")).collect()
}

/// Formats a row of a table: its first cell, then short cells, and the longest cell below.
fn format_entry(column_names: &[String], cells: &[String], width: usize) -> String {
    let Some((name, other_cells)) = cells.split_first() else { return String::new() };
    let meaning_index = column_names
        .iter()
        .position(|column_name| column_name == "meaning")
        .or(cells.len().checked_sub(1))
        .unwrap_or(0);
    let short_cells = other_cells.iter().enumerate().map(|(index, cell)| (index + 1, cell));
    let short_cells = short_cells.filter(|(index, cell)| *index != meaning_index && !cell.is_empty()).map(
        |(index, cell)| match column_names.get(index).map(String::as_str) {
            None | Some("" | "type") => cell.clone(),
            Some(column_name) => format!("{column_name} {cell}"),
        },
    );
    let summary = short_cells.collect::<Vec<_>>().join("; ");
    let first_line = if summary.is_empty() { format!("  {name}") } else { format!("  {name}  ({summary})") };
    let mut text = wrap_line(&first_line, Some(width)) + "\n";
    if let Some(meaning) = cells.get(meaning_index).filter(|cell| meaning_index > 0 && !cell.is_empty()) {
        let lines = wrap_line(&format!("      {meaning}"), Some(width));
        text += &(lines.replace("\n        ", "\n      ") + "\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use gauntlet_games::GAMES;

    use super::*;

    fn manual_text() -> String {
        pages(crate::catalog(&GAMES)).concat()
    }

    #[test]
    fn every_section_is_found_by_its_heading_and_printed_unchanged() {
        let manual = manual_text();
        let sections = split_sections(&manual);
        assert!(sections.len() > 40, "{}", sections.len());
        for section in &sections {
            let texts = find_sections(&GAMES, &sections, &strip_markdown(section.heading))
                .unwrap_or_else(|error| panic!("{error}"));
            assert!(texts.iter().any(|text| *text == section.text), "{}", section.heading);
            assert!(manual.contains(section.text) && section.text.contains(section.own_text));
        }
        let heading_count = format_contents(&sections).lines().take_while(|line| !line.is_empty()).count();
        assert_eq!(heading_count, sections.len());
    }

    #[test]
    fn keys_are_found_in_their_tables() {
        let manual = manual_text();
        let sections = split_sections(&manual);
        let find = |query| find_sections(&GAMES, &sections, query).unwrap_or_else(|error| panic!("{error}"));
        let [row] = &find("opening_stones")[..] else { panic!("one row") };
        assert!(row.starts_with("## Rules of gomoku\n\n| key | type |") && row.contains("1 to 9"), "{row}");
        assert!(find("snake-linear")[0].starts_with("### Features of 2048"));
        let error =
            super::find_sections(&GAMES, &sections, "exitstatus").expect_err("there is no such section");
        assert!(error.to_string().contains("gauntlet format exit status"), "{error}");
    }

    #[test]
    fn all_of_it_fits_a_terminal_and_no_word_is_lost() {
        let words = |text: &str| {
            let parts = text.split(|letter: char| !letter.is_alphanumeric());
            parts.filter(|word| word.len() > 3).map(str::to_owned).collect::<Vec<_>>()
        };
        let manual = manual_text();
        let text = format_for_terminal(&manual, Some(80));
        let printed_words: std::collections::BTreeSet<String> = words(&text).into_iter().collect();
        // Omits addresses of links, which need the documents, and heads of tables, which need
        // visible lines.
        let next_lines = manual.lines().skip(1).chain([""]);
        let lines = manual.lines().zip(next_lines).filter(|(line, next_line)| {
            // Omits the language of code samples.
            !next_line.starts_with("|---") && !line.starts_with("```")
        });
        for word in words(&lines.map(|(line, _)| strip_markdown(line)).collect::<Vec<_>>().join("\n")) {
            assert!(printed_words.contains(&word), "{word}");
        }
        let is_wrappable = |line: &str| line.split_whitespace().all(|word| word.width() < 60);
        let wide_lines: Vec<&str> = text
            .lines()
            .filter(|line| line.width() > 80 && !line.starts_with("    ") && is_wrappable(line))
            .collect();
        assert!(wide_lines.is_empty(), "{wide_lines:#?}");
        assert_eq!(format_for_terminal(&manual, None), manual);
        assert!(!text.contains("| ---"), "a table is left");
    }
}
