//! Mistakes of a user in a file: where each is, what is wrong, what would be right, and how they
//! are printed.

use std::fmt;
use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use crate::text::escape;
use crate::text::group_digits;

/// Cause of a mistake, if other mistakes may be its consequences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// Nothing that explains other mistakes.
    #[default]
    Other,
    /// This required key is missing.
    MissingKey(String),
    /// The header of this section is misspelt.
    MisspeltHeader(String),
}

/// One mistake in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostic {
    /// Byte range of the mistake; `None` if it concerns the whole file.
    pub span: Option<Range<usize>>,
    /// Mistake, or the rule that it breaks.
    pub message: String,
    /// Suggested remedy.
    pub help: Option<String>,
    /// Cause, which may explain other mistakes.
    pub cause: Cause,
}

impl Diagnostic {
    /// Creates a diagnostic for a byte range, without a remedy.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic { span: Some(span), message: message.into(), ..Diagnostic::default() }
    }

    /// Creates a diagnostic for the whole file.
    pub fn for_file(message: impl Into<String>) -> Diagnostic {
        Diagnostic { message: message.into(), ..Diagnostic::default() }
    }

    /// Adds a remedy.
    #[must_use]
    pub fn with_help(self, help: impl Into<String>) -> Diagnostic {
        Diagnostic { help: Some(help.into()), ..self }
    }

    /// Returns true if this key is missing.
    pub fn is_missing_key(&self, key: &str) -> bool {
        matches!(&self.cause, Cause::MissingKey(missing) if missing == key)
    }
}

/// Maximum number of mistakes printed per file; the others are counted.
pub const MAX_SHOWN: usize = 50;

/// All mistakes in one file, in the order of their positions, without duplicates. `Display` prints
/// the first of them with carets:
///
/// ```text
/// configs/demo.toml:9:9  depth = 0
///                                ^ must be at least 1
///                        help: `gauntlet players expectimax` shows its settings
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistakes {
    file: String,
    text: String,
    list: Vec<Diagnostic>,
}

impl Mistakes {
    /// Collects the mistakes of a file, given the name to print and the file's text.
    pub fn new(file: &str, text: &str, mut list: Vec<Diagnostic>) -> Mistakes {
        list.sort_by(|a, b| {
            let range = |mistake: &Diagnostic| mistake.span.as_ref().map(|span| (span.start, span.end));
            (range(a), &a.message, &a.help).cmp(&(range(b), &b.message, &b.help))
        });
        list.dedup();
        Mistakes { file: file.to_owned(), text: text.to_owned(), list }
    }

    /// Returns the mistakes.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }
}

impl std::error::Error for Mistakes {}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let lines = LineIndex::new(&self.text);
        let file = escape::line(&self.file);
        for (i, mistake) in self.list.iter().take(MAX_SHOWN).enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            let message = escape::lines(&mistake.message);
            let indent = match &mistake.span {
                None => {
                    write!(f, "{file}: {message}")?;
                    width(&file) + 2
                }
                Some(span) => {
                    let (line, column) = lines.line_and_column(span.start);
                    let header = format!("{file}:{line}:{column}  ");
                    let indent = width(&header);
                    let view = View::new(&lines, span);
                    writeln!(f, "{}", format!("{header}{}", view.text).trim_end())?;
                    let carets = "^".repeat(view.caret_count);
                    write!(f, "{:1$}{carets} {message}", "", indent + view.caret_offset)?;
                    indent
                }
            };
            if let Some(help) = &mistake.help {
                write!(f, "\n{:indent$}help: {}", "", escape::lines(help))?;
            }
        }
        match self.list.len().saturating_sub(MAX_SHOWN) {
            0 => Ok(()),
            1 => write!(f, "\n{file}: … and 1 more mistake"),
            hidden_count => write!(f, "\n{file}: … and {} more mistakes", group_digits(hidden_count as u64)),
        }
    }
}

/// Text with an index of its lines. The index is built once, so thousands of positions cost no more
/// than the text itself.
#[derive(Debug)]
pub struct LineIndex<'t> {
    text: &'t str,
    /// Byte offset of each line.
    starts: Vec<usize>,
    /// Number of characters before each step of [`STRIDE`] bytes. It is needed because a single
    /// line can be as long as the file.
    characters: Vec<usize>,
}

/// Bytes between two character counts.
const STRIDE: usize = 4096;

impl<'t> LineIndex<'t> {
    /// Indexes the lines of a text.
    pub fn new(text: &'t str) -> LineIndex<'t> {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(index, _)| index + 1)).collect();
        let counts = text.as_bytes().chunks(STRIDE).map(count_characters);
        let sums = counts.scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        });
        LineIndex { text, starts, characters: std::iter::once(0).chain(sums).collect() }
    }

    /// Returns the text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Returns line and column of a byte, both from 1. Columns count characters.
    pub fn line_and_column(&self, byte: usize) -> (usize, usize) {
        let byte = self.text.floor_char_boundary(byte);
        let line = self.line_of(byte);
        let start = self.starts[line];
        // A byte order mark at the start of a file is invisible, so it is not counted.
        let bom_width = usize::from(line == 0 && byte > 0 && self.text.starts_with('\u{feff}'));
        (line + 1, self.characters_before(byte) - self.characters_before(start) - bom_width + 1)
    }

    /// Returns the line of a byte, from 0.
    fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte) - 1
    }

    /// Returns the byte range of the line that contains a byte, without its line end.
    fn line_range(&self, byte: usize) -> Range<usize> {
        let line = self.line_of(byte);
        self.starts[line]..self.starts.get(line + 1).map_or(self.text.len(), |next| next - 1)
    }

    fn characters_before(&self, byte: usize) -> usize {
        let step = byte / STRIDE;
        self.characters[step] + count_characters(&self.text.as_bytes()[step * STRIDE..byte])
    }
}

/// Counts the characters that begin in these bytes of UTF-8.
fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| !matches!(byte, 0x80..=0xbf)).count()
}

/// Returns the candidate most similar to `word`, if one is close enough.
///
/// The threshold equals the Rust compiler's for its suggestions. At most a third of the longer
/// word's letters may be wrong, missing, superfluous or swapped with a neighbour. One such letter
/// is always allowed.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let length = word.chars().count();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let other = candidate.to_lowercase();
        let other_length = other.chars().count();
        let max_distance = (length.max(other_length) / 3).max(1);
        // Skip words whose lengths differ too much, and comparisons of single letters.
        if length.abs_diff(other_length) > max_distance || length.min(other_length) < 2 {
            continue;
        }
        let distance = strsim::damerau_levenshtein(&word, &other);
        if distance <= max_distance && best.is_none_or(|(best_distance, _)| distance < best_distance) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Returns the most similar name, if one is close enough, for names of words joined by hyphens. A
/// name is also close if it is the ending: `expectimax` is close to `swift-expectimax`.
pub fn nearest_name<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let names: Vec<&str> = names.into_iter().collect();
    let ends = |name: &'a str| name.match_indices('-').map(move |(index, _)| (&name[index + 1..], name));
    nearest(word, names.iter().copied()).or_else(|| {
        let all: Vec<(&str, &str)> = names.iter().copied().flat_map(ends).collect();
        let end = nearest(word, all.iter().map(|(end, _)| *end))?;
        all.iter().find(|(other, _)| *other == end).map(|(_, name)| *name)
    })
}

/// Visible part of a source line, and the position of the carets in it.
struct View {
    text: String,
    caret_offset: usize,
    caret_count: usize,
}

/// Approximate number of columns to which longer source lines are cut around the mistake.
const MAX_WIDTH: usize = 100;
/// Characters of a cut line before the first caret.
const MAX_WIDTH_BEFORE: usize = 30;

/// Characters examined on each side of the mistake, because a line can be as long as the file.
const MAX_CONTEXT: usize = 1000;

impl View {
    fn new(lines: &LineIndex, span: &Range<usize>) -> View {
        let text = lines.text;
        let start = text.floor_char_boundary(span.start);
        let end = text.floor_char_boundary(span.end).max(start);
        let line = lines.line_range(start);
        let full_line = &text[line.clone()];
        // A byte order mark at the start of a file is invisible.
        let full_line = if line.start == 0 { full_line.trim_start_matches('\u{feff}') } else { full_line };
        let trimmed = full_line.trim();
        let first = line.end - full_line.trim_start().len();
        // A position in the blanks around the line moves to the line's edge. A range that continues
        // on later lines is marked up to the end of this line.
        let mark_start = start.saturating_sub(first).min(trimmed.len());
        let mark_end = end.saturating_sub(first).clamp(mark_start, trimmed.len());

        let view_start =
            trimmed[..mark_start].char_indices().rev().nth(MAX_CONTEXT).map_or(0, |(index, _)| index);
        let before = escape_line(&trimmed[view_start..mark_start]);
        let marked = escape_line(beginning(&trimmed[mark_start..mark_end]));
        let after = escape_line(beginning(&trimmed[mark_end..]));
        if width(&before) + width(&marked) + width(&after) <= MAX_WIDTH {
            let (caret_offset, caret_count) = (width(&before), width(&marked).max(1));
            return View { text: before + &marked + &after, caret_offset, caret_count };
        }
        let before = cut(before.chars().rev(), MAX_WIDTH_BEFORE).chars().rev().collect::<String>();
        let marked = cut(marked.chars(), MAX_WIDTH - MAX_WIDTH_BEFORE - 10);
        let after = cut(after.chars(), MAX_WIDTH.saturating_sub(width(&before) + width(&marked)).max(1));
        let after = if marked.ends_with('…') { String::new() } else { after };
        let (caret_offset, caret_count) = (width(&before), width(&marked).max(1));
        View { text: before + &marked + &after, caret_offset, caret_count }
    }
}

/// Returns the beginning of a text, longer than what is ever printed.
fn beginning(text: &str) -> &str {
    text.char_indices().nth(MAX_CONTEXT).map_or(text, |(index, _)| &text[..index])
}

/// Cuts a text to `max_width` columns, with an ellipsis if something is cut.
fn cut(letters: impl Iterator<Item = char>, max_width: usize) -> String {
    let mut text = String::new();
    let mut used_width = 0;
    for letter in letters {
        used_width += letter.width().unwrap_or(0);
        if used_width > max_width {
            text.pop();
            text.push('…');
            break;
        }
        text.push(letter);
    }
    text
}

/// Prepares a source line for a terminal, so that each character has the width given by [`width`].
fn escape_line(text: &str) -> String {
    escape::line(&text.replace('\t', " ")).into_owned()
}

/// Returns the columns of a text on a terminal. It sums over characters, so that the widths of
/// parts add up to the width of the whole.
fn width(text: &str) -> usize {
    text.chars().map(|letter| letter.width().unwrap_or(0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Byte range, message and remedy.
    type TestDiagnostic<'a> = (Option<Range<usize>>, &'a str, Option<&'a str>);

    fn check(text: &str, list: &[TestDiagnostic], expected: &str) {
        let list = list.iter().map(|(span, message, help)| Diagnostic {
            span: span.clone(),
            message: (*message).to_owned(),
            help: help.map(str::to_owned),
            ..Diagnostic::default()
        });
        assert_eq!(Mistakes::new("x.toml", text, list.collect()).to_string(), expected);
    }

    #[test]
    fn a_mistake_is_drawn_under_its_place() {
        check(
            "a = 1\n  depth = 0\n",
            &[(Some(16..17), "must be at least 1", Some("read the manual"))],
            "x.toml:2:11  depth = 0\n                     ^ must be at least 1\n             help: read the manual",
        );
    }

    #[test]
    fn mistakes_are_sorted_and_each_is_drawn_once() {
        check(
            "a = 1\nb = 2\n",
            &[
                (Some(10..11), "two", None),
                (Some(4..5), "one", None),
                (None, "all", Some("help")),
                (Some(10..11), "two", None),
            ],
            "x.toml: all\n        help: help\nx.toml:1:5  a = 1\n                ^ one\nx.toml:2:5  b = 2\n                ^ two",
        );
    }

    #[test]
    fn carets_stand_right_after_tabs_and_wide_letters() {
        check("\ta\t= 1\n", &[(Some(5..6), "m", None)], "x.toml:1:6  a = 1\n                ^ m");
        check(
            "\"数独\" = 'é'\n",
            &[(Some(11..15), "m", None)],
            "x.toml:1:8  \"数独\" = 'é'\n                     ^^^ m",
        );
        check("\"数独\" = 1\n", &[(Some(1..7), "m", None)], "x.toml:1:2  \"数独\" = 1\n             ^^^^ m");
    }

    #[test]
    fn what_spans_lines_is_marked_on_the_first() {
        check("a = [\n1,\n2]\n", &[(Some(4..12), "m", None)], "x.toml:1:5  a = [\n                ^ m");
        check("a = [ \r\n1]\n", &[(Some(0..10), "m", None)], "x.toml:1:1  a = [\n            ^^^^^ m");
    }

    #[test]
    fn the_end_of_a_file_can_be_to_blame() {
        check("a =", &[(Some(3..3), "m", None)], "x.toml:1:4  a =\n               ^ m");
        check("a = 1\n", &[(Some(6..6), "m", None)], "x.toml:2:1\n            ^ m");
        check("", &[(Some(7..9), "m", None)], "x.toml:1:1\n            ^ m");
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("a = [{}7{}]\n", "1, ".repeat(100), ", 1".repeat(100));
        let output = Mistakes::new("x.toml", &text, vec![Diagnostic::new(305..306, "m")]).to_string();
        let (source, carets) = output.split_once('\n').unwrap();
        let caret = carets.find('^').unwrap();
        assert_eq!(source.chars().nth(caret), Some('7'));
        assert!(source.chars().count() < 120, "{source}");
        assert!(source.contains("  …") && source.ends_with('…'), "{source}");

        let text = format!("a = '{}'\n", "数".repeat(300));
        let output = Mistakes::new("x.toml", &text, vec![Diagnostic::new(4..906, "m")]).to_string();
        assert!(output.lines().all(|line| width(line) < 120), "{output}");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let output =
            Mistakes::new("x", "a = '\u{1b}[2J\u{202e}'", vec![Diagnostic::new(4..5, "m")]).to_string();
        assert_eq!(output, "x:1:5  a = '\\u{1b}[2J\\u{202e}'\n           ^ m");
        let text = "a\u{1b}\u{200b}数 = 1";
        let output = Mistakes::new("\u{1b}x\n", text, vec![Diagnostic::new(9..10, "\u{9b}m")]).to_string();
        assert_eq!(
            output,
            "\\u{1b}x\\n:1:6  a\\u{1b}\\u{200b}数 = 1\n                                 ^ \\u{9b}m"
        );
    }

    #[test]
    fn the_first_mistakes_are_shown_and_the_others_counted() {
        let mistakes = |number: usize| {
            let list = (0..number).map(|i| Diagnostic::new(i..i + 1, "m")).collect();
            Mistakes::new("x", &"a\n".repeat(2000), list).to_string()
        };
        assert!(!mistakes(50).contains('…'));
        assert_eq!(mistakes(50).lines().count(), 100);
        assert!(mistakes(51).ends_with("\nx: … and 1 more mistake"));
        assert_eq!(mistakes(1284).lines().count(), 101);
        assert!(mistakes(1284).ends_with("\nx: … and 1,234 more mistakes"));
    }

    #[test]
    fn places_are_found_in_lines_of_any_length() {
        // Definition: count what precedes the byte.
        let count_position = |text: &str, byte: usize| {
            let before = &text[..text.floor_char_boundary(byte)];
            let column =
                before.rsplit('\n').next().unwrap().trim_start_matches('\u{feff}').chars().count() + 1;
            (before.matches('\n').count() + 1, column)
        };
        let long_line = "é数x".repeat(STRIDE);
        for text in ["", "\n", "\u{feff}a\nb", "a\r\n\u{301}\n", &format!("a\n{long_line}\n\n{long_line}")] {
            let lines = LineIndex::new(text);
            let step = (text.len() / 1000).max(1);
            for byte in (0..text.len() + 2).step_by(step) {
                assert_eq!(
                    lines.line_and_column(byte),
                    count_position(text, byte),
                    "byte {byte} of {}",
                    text.len()
                );
            }
        }
    }

    /// Scanning the whole file for each mistake would take minutes.
    #[test]
    fn thousands_of_mistakes_in_a_line_of_megabytes_are_drawn_at_once() {
        let text = "1, ".repeat(1_000_000);
        let list = (0..100_000).map(|i| Diagnostic::new(30 * i..30 * i + 1, "m")).collect();
        assert!(Mistakes::new("x", &text, list).to_string().ends_with("and 99,950 more mistakes"));
        let lines = LineIndex::new(&text);
        let sum: usize = (0..100_000).map(|i| lines.line_and_column(30 * i).1).sum();
        assert_eq!(sum, 100_000 + 30 * 99_999 * 50_000);
    }

    #[test]
    fn any_span_can_be_drawn() {
        let text = "é\t\r\n \n数 = '…'\u{301}";
        for start in 0..text.len() + 2 {
            for end in 0..text.len() + 2 {
                let _ = Mistakes::new("x", text, vec![Diagnostic::new(start..end, "m")]).to_string();
            }
        }
    }

    #[test]
    fn the_nearest_name_is_found_or_none() {
        let names = ["expectimax", "greedy", "random", "fixed-order", "win"];
        let check = |word, expected| assert_eq!(nearest(word, names), expected, "{word}");
        check("expectimacs", Some("expectimax"));
        check("Greedy", Some("greedy"));
        check("greddy", Some("greedy"));
        check("fixed_order", Some("fixed-order"));
        check("wim", Some("win"));
        check("winning", None);
        check("minimax", None);
        check("", None);
        check("x", None);

        let names = ["swift-expectimax", "swift-monte-carlo", "vba-minimax", "greedy"];
        let check = |word, expected| assert_eq!(nearest_name(word, names), expected, "{word}");
        check("expectimax", Some("swift-expectimax"));
        check("expectimacs", Some("swift-expectimax"));
        check("minimax", Some("vba-minimax"));
        check("monte-carlo", Some("swift-monte-carlo"));
        check("swift-expectimx", Some("swift-expectimax"));
        check("greddy", Some("greedy"));
        check("swift", None);
    }
}
