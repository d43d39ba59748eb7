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
use gauntlet_cli::say::screen;
use gauntlet_cli::terminal::width;
use pages::{PAGES, pages};

/// Explain experiment keys, table columns, files and exit statuses
///
/// WORDS select a section by its heading, or a key, column or feature. Without WORDS, the sections
/// are listed. `gauntlet help format` does the same.
#[derive(clap::Args)]
#[command(after_long_help = "\
Output to a file or pipe is Markdown: `gauntlet format all > MANUAL.md`.

Example:
  gauntlet format tuning
  gauntlet format opening_stones")]
pub(super) struct Args {
    /// Words of a heading; or a key, column or feature; `all` for everything
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
struct Part<'t> {
    heading: &'t str,
    /// Number of `#` signs before the heading.
    level: usize,
    /// Its text with its heading, including all sections below it.
    text: &'t str,
    /// The text up to the next heading.
    own: &'t str,
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    let arenas = catalog.games;
    let manual = pages(catalog).concat();
    let parts = split_sections(&manual);
    let asked = args.words.join(" ");
    let text = match &*asked {
        "" => format_contents(&parts),
        "all" if width().is_none() => manual.clone(),
        "all" => format_for_terminal(&replace_dead_links(&manual, &parts, false), width()),
        asked => {
            // A header as written in a file, `[[claim]]`, or a dotted key, whose row has only the
            // last part.
            let name = asked.trim().trim_matches(['[', ']']);
            let end = name.rsplit_once('.').map(|(_, end)| end);
            let found = find_sections(arenas, &parts, name).or_else(|refusal| match end {
                Some(end) => find_sections(arenas, &parts, end).map_err(|_| refusal),
                None => Err(refusal),
            })?;
            let found = found.join("\n");
            format_for_terminal(&replace_dead_links(&found, &parts, width().is_none()), width())
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
    let all = split_sections(&manual);
    let of_features = all.iter().find(|part| part.heading == "Features").map_or("", |part| part.text);
    let parts = split_sections(of_features);
    let asked = feature.to_lowercase();
    // Several features have a common beginning, such as `smoothness-nearest`.
    let beginnings =
        |name: &'_ str| name.match_indices('-').map(|(at, _)| at).chain([name.len()]).collect::<Vec<_>>();
    let rows = find_rows(&parts, |name| beginnings(name).into_iter().any(|end| name[..end] == asked));
    if rows.is_empty() {
        let known = parts.iter().flat_map(names);
        let known = known.flat_map(|name| beginnings(name).into_iter().map(move |end| &name[..end]));
        let near = nearest(feature, known);
        let help = near.map_or("`gauntlet features` lists all".to_owned(), |near| {
            format!("did you mean `gauntlet features {near}`?")
        });
        return Err(Usage(format!("unknown feature {feature:?}; {help}")).into());
    }
    screen().write_all(format_for_terminal(&rows.join("\n"), width()).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Splits the manual into sections, in order.
fn split_sections(document: &str) -> Vec<Part<'_>> {
    let mut heads: Vec<(usize, usize, &str)> = Vec::new();
    let (mut at, mut is_code) = (0, false);
    for line in document.split_inclusive('\n') {
        is_code ^= line.starts_with("```");
        let level = line.bytes().take_while(|&byte| byte == b'#').count();
        if level > 0 && !is_code {
            heads.push((at, level, line[level..].trim()));
        }
        at += line.len();
    }
    let part = |place: usize| {
        let (start, level, heading) = heads[place];
        let next = heads.get(place + 1).map_or(document.len(), |next| next.0);
        let end = heads[place + 1..].iter().find(|other| other.1 <= level);
        let end = end.map_or(document.len(), |end| end.0);
        Part { heading, level, text: &document[start..end], own: &document[start..next] }
    };
    (0..heads.len()).map(part).collect()
}

/// Formats headings, indented by level.
fn format_contents(parts: &[Part]) -> String {
    let lines =
        parts.iter().map(|part| format!("{}{}\n", "  ".repeat(part.level - 1), strip_markdown(part.heading)));
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
fn find_sections(arenas: Arenas, parts: &[Part], typed: &str) -> Result<Vec<String>, Usage> {
    let asked = typed.to_lowercase();
    let heading = |part: &Part| strip_markdown(part.heading).to_lowercase();
    let exact = parts.iter().filter(|part| heading(part) == asked).collect::<Vec<_>>();
    let rows =
        if exact.is_empty() { find_rows(parts, |name| name.to_lowercase() == asked) } else { Vec::new() };
    let settings = if exact.is_empty() { find_settings(arenas, &asked) } else { None };
    let begun = || parts.iter().filter(|part| heading(part).starts_with(&asked)).collect::<Vec<_>>();
    let inside = || parts.iter().filter(|part| heading(part).contains(&asked)).collect::<Vec<_>>();
    let is_found = !rows.is_empty() || settings.is_some();
    let mut headed = if exact.is_empty() && !is_found { [begun(), inside()].concat() } else { exact };
    headed.extend(rows.iter().flat_map(|row| find_linked_sections(parts, row)));
    let mut texts: Vec<&str> = Vec::new();
    for part in headed {
        // A section below one that is already printed is part of it.
        if !texts.iter().any(|known| known.contains(part.text)) {
            texts.push(part.text);
        }
    }
    if texts.is_empty() && !is_found {
        let manual = || arenas.iter().flat_map(|arena| arena.manual());
        let headings: Vec<String> = parts.iter().map(heading).collect();
        let settings = manual().flat_map(|known| known.settings.iter().copied());
        let names = parts.iter().flat_map(names);
        let near = nearest(&asked, headings.iter().map(String::as_str).chain(names).chain(settings));
        let help = match near {
            _ if manual().any(|known| known.name == asked) => {
                return Err(Usage(format!("{asked:?} is a player: gauntlet players {asked}")));
            }
            Some(near) => format!("did you mean `gauntlet format {near}`?"),
            None => "`gauntlet format` lists the sections".to_owned(),
        };
        return Err(Usage(format!("no section, key or column {asked:?}; {help}")));
    }
    Ok(rows.into_iter().chain(settings).chain(texts.into_iter().map(str::to_owned)).collect())
}

/// Returns the sections that a row links to, which have its full meaning.
fn find_linked_sections<'p, 't>(parts: &'p [Part<'t>], row: &str) -> Vec<&'p Part<'t>> {
    let targets = row.split("](#").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.filter_map(|(target, _)| parts.iter().find(|part| anchor(part.heading) == target)).collect()
}

/// Returns the settings of players with this name, as shown in their manuals.
fn find_settings(arenas: Arenas, asked: &str) -> Option<String> {
    let mut rows: Vec<(String, &str, String)> = Vec::new();
    for arena in arenas {
        for known in arena.manual().into_iter().filter(|known| known.settings.contains(&asked)) {
            let (example, meaning) = find_in_manual(known.example, asked);
            let row = format!("`{example}` | {}", meaning.replace('|', "\\|"));
            // A player for any game is in the manual of each game.
            match rows.iter_mut().find(|(_, name, known_row)| *name == known.name && *known_row == row) {
                Some((games, ..)) => *games += &format!(", {}", arena.name),
                None => rows.push((arena.name.to_owned(), known.name, row)),
            }
        }
    }
    let (_, first, _) = rows.first()?;
    let end = format!("`gauntlet players {first}` prints all settings of that player.\n");
    let rows = rows.iter().map(|(games, name, row)| format!("| `{name}` | {games} | {row} |\n"));
    let head = "### Settings of players\n\n| player | game | example | meaning |\n|---|---|---|---|\n";
    Some(format!("{head}{}\n{end}", rows.collect::<String>()))
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
    let Some(place) = lines.iter().position(is_of_key) else {
        return (key.to_owned(), String::new());
    };
    let line = uncommented(lines[place]);
    if let Some((setting, comment)) = line.split_once(" # ") {
        return (setting.trim_end().to_owned(), comment.trim().to_owned());
    }
    let is_comment = |line: &&&str| line.starts_with('#') && !is_setting(line);
    let mut above: Vec<String> =
        lines[..place].iter().rev().take_while(is_comment).map(|line| uncommented(line)).collect();
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
fn replace_dead_links(text: &str, parts: &[Part], is_markdown: bool) -> String {
    let is_in_text = |part: &Part| text.contains(part.own.trim_end());
    replace_links(text, |words, target, is_alone| {
        if target.starts_with("http") {
            return format!("[{words}]({target})");
        }
        let part = (target.strip_prefix('#'))
            .or_else(|| PAGES.iter().find_map(|page| target.strip_prefix(page)?.strip_prefix('#')))
            .and_then(|target| parts.iter().find(|part| anchor(part.heading) == target));
        match part {
            Some(part) if is_in_text(part) => format!("[{words}]({target})"),
            Some(part) if ["below", "above"].contains(&words) => {
                format!("`gauntlet format {}`", strip_markdown(part.heading).to_lowercase())
            }
            Some(_) => words.to_owned(),
            // A document that is not printed: words that only refer to it become its path.
            None if target.contains(".md") => {
                let of_root = target.strip_prefix("../");
                let mut target = of_root.map_or_else(|| format!("docs/{target}"), str::to_owned);
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
fn find_rows(parts: &[Part], is_asked: impl Fn(&str) -> bool) -> Vec<String> {
    let is_about = |row: &str| names_in(row).any(&is_asked);
    let mut found: Vec<String> = Vec::new();
    for part in parts.iter().filter(|part| part.heading != "Algorithms") {
        let mut head = Vec::new();
        for line in part.own.lines() {
            if !line.starts_with('|') {
                head.clear();
            } else if head.len() < 2 {
                head.push(line);
            } else if is_about(line) {
                let sign = "#".repeat(part.level);
                let above = format!("{sign} {}\n\n{}\n{}\n", part.heading, head[0], head[1]);
                match found.last_mut() {
                    Some(last) if last.starts_with(&above) => *last += &format!("{line}\n"),
                    _ => found.push(format!("{above}{line}\n")),
                }
            }
        }
    }
    found
}

/// Returns the names that the tables of a section explain.
fn names<'t>(part: &Part<'t>) -> impl Iterator<Item = &'t str> {
    part.own.lines().filter(|line| line.starts_with('|')).flat_map(names_in)
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
fn replace_links(text: &str, replaced: impl Fn(&str, &str, bool) -> String) -> String {
    let mut told = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        let words = link.split_once("](").and_then(|(words, after)| {
            let (target, after) = after.split_once(')')?;
            (!words.contains(['[', ']'])).then_some((words, target, after))
        });
        told += before;
        match words {
            Some((words, target, after)) => {
                let is_alone = told.ends_with('(') && after.starts_with(')');
                told += &replaced(words, target, is_alone);
                rest = after;
            }
            None => {
                told.push('[');
                rest = link;
            }
        }
    }
    told + rest
}

/// Formats Markdown for a terminal of this width; without a width, returns it unchanged.
fn format_for_terminal(document: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return document.to_owned() };
    let mut text = String::new();
    let (mut paragraph, mut head, mut is_code) = (String::new(), None, false);
    let end = |paragraph: &mut String, text: &mut String| {
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
        let goes_on = !is_row && !is_code && !is_item && !line.starts_with(['#', '`']) && !line.is_empty();
        if !goes_on {
            end(&mut paragraph, &mut text);
        }
        if !is_row {
            head = None;
        }
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            text += &format!("    {line}\n");
        } else if is_row {
            let cells: Vec<String> = split_cells(line);
            match &head {
                None => head = Some(cells),
                Some(_) if cells.iter().all(|cell| cell.trim_matches(['-', ':']).is_empty()) => {}
                Some(head) => text += &format_entry(head, &cells, width),
            }
        } else if line.starts_with('#') {
            let heading = strip_markdown(line.trim_start_matches(['#', ' ']));
            text += &format!("{heading}\n{}\n", "─".repeat(heading.width().min(width)));
        } else if line.is_empty() {
            text.push('\n');
        } else {
            let gap = if paragraph.is_empty() { "" } else { " " };
            paragraph += &(gap.to_owned() + line.trim());
        }
    }
    end(&mut paragraph, &mut text);
    text
}

/// Splits a row into its cells.
fn split_cells(row: &str) -> Vec<String> {
    let row = row.trim().trim_start_matches('|').trim_end_matches('|').replace("\\|", "\u{0}");
    row.split('|').map(|cell| strip_markdown(cell.trim()).replace('\u{0}', "|")).collect()
}

/// Formats a row of a table: its first cell, then short cells, and the longest cell below.
fn format_entry(head: &[String], cells: &[String], width: usize) -> String {
    let Some((about, others)) = cells.split_first() else { return String::new() };
    let meaning = head.iter().position(|head| head == "meaning").or(cells.len().checked_sub(1)).unwrap_or(0);
    let short = others.iter().enumerate().map(|(place, cell)| (place + 1, cell));
    let short = short.filter(|(place, cell)| *place != meaning && !cell.is_empty()).map(|(place, cell)| {
        match head.get(place).map(String::as_str) {
            None | Some("" | "type") => cell.clone(),
            Some(head) => format!("{head} {cell}"),
        }
    });
    let short = short.collect::<Vec<_>>().join("; ");
    let first = if short.is_empty() { format!("  {about}") } else { format!("  {about}  ({short})") };
    let mut text = wrap_line(&first, Some(width)) + "\n";
    if let Some(meaning) = cells.get(meaning).filter(|cell| meaning > 0 && !cell.is_empty()) {
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
    fn every_section_is_found_by_its_heading_and_told_as_it_stands() {
        let manual = manual_text();
        let parts = split_sections(&manual);
        assert!(parts.len() > 40, "{}", parts.len());
        for part in &parts {
            let found = find_sections(&GAMES, &parts, &strip_markdown(part.heading))
                .unwrap_or_else(|error| panic!("{error}"));
            assert!(found.iter().any(|text| *text == part.text), "{}", part.heading);
            assert!(manual.contains(part.text) && part.text.contains(part.own));
        }
        let counted = format_contents(&parts).lines().take_while(|line| !line.is_empty()).count();
        assert_eq!(counted, parts.len());
    }

    #[test]
    fn keys_are_found_in_their_tables() {
        let manual = manual_text();
        let parts = split_sections(&manual);
        let found = |asked| find_sections(&GAMES, &parts, asked).unwrap_or_else(|error| panic!("{error}"));
        let [row] = &found("opening_stones")[..] else { panic!("one row") };
        assert!(row.starts_with("## Rules of gomoku\n\n| key | type |") && row.contains("1 to 9"), "{row}");
        assert!(found("snake-linear")[0].starts_with("### Features of 2048"));
        let refused =
            super::find_sections(&GAMES, &parts, "exitstatus").expect_err("there is no such section");
        assert!(refused.to_string().contains("gauntlet format exit status"), "{refused}");
    }

    #[test]
    fn all_of_it_fits_a_terminal_and_no_word_is_lost() {
        let words = |text: &str| {
            let parts = text.split(|letter: char| !letter.is_alphanumeric());
            parts.filter(|word| word.len() > 3).map(str::to_owned).collect::<Vec<_>>()
        };
        let manual = manual_text();
        let text = format_for_terminal(&manual, Some(80));
        let own: std::collections::BTreeSet<String> = words(&text).into_iter().collect();
        // Omits addresses of links, which need the documents, and heads of tables, which need
        // visible lines.
        let below = manual.lines().skip(1).chain([""]);
        let lines = manual.lines().zip(below).filter(|(line, below)| {
            // Omits the language of code samples.
            !below.starts_with("|---") && !line.starts_with("```")
        });
        for word in words(&lines.map(|(line, _)| strip_markdown(line)).collect::<Vec<_>>().join("\n")) {
            assert!(own.contains(&word), "{word}");
        }
        let is_broken = |line: &str| line.split_whitespace().all(|word| word.width() < 60);
        let wide: Vec<&str> = text
            .lines()
            .filter(|line| line.width() > 80 && !line.starts_with("    ") && is_broken(line))
            .collect();
        assert!(wide.is_empty(), "{wide:#?}");
        assert_eq!(format_for_terminal(&manual, None), manual);
        assert!(!text.contains("| ---"), "a table is left");
    }
}
