//! Escapes untrusted text (names, notes, panic messages, file names) for its output format:
//! terminal, CSV cell, JSON, Markdown or HTML. Each format has its own escaping, and all of it is
//! here.
//!
//! Text for people contains no invisible characters: each is written by its code, as `\u{1b}`.

use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::Path;

/// Hidden characters other than control characters: those without width, except combining marks,
/// and those that change the writing direction. Most are default ignorable in Unicode.
const HIDDEN: &[RangeInclusive<char>] = &[
    '\u{AD}'..='\u{AD}',
    '\u{34F}'..='\u{34F}',
    '\u{61C}'..='\u{61C}',
    '\u{115F}'..='\u{1160}',
    '\u{17B4}'..='\u{17B5}',
    '\u{180B}'..='\u{180F}',
    '\u{200B}'..='\u{200F}',
    '\u{2028}'..='\u{202E}',
    '\u{2060}'..='\u{206F}',
    // Braille letter without a dot.
    '\u{2800}'..='\u{2800}',
    '\u{3164}'..='\u{3164}',
    '\u{FE00}'..='\u{FE0F}',
    '\u{FEFF}'..='\u{FEFF}',
    '\u{FFA0}'..='\u{FFA0}',
    '\u{FFF0}'..='\u{FFFB}',
    '\u{1BCA0}'..='\u{1BCA3}',
    '\u{1D173}'..='\u{1D17A}',
    '\u{E0000}'..='\u{E0FFF}',
];

/// Returns true if a character is invisible or affects its neighbours: a control character, a
/// character without width, a change of writing direction. Blanks and combining marks do not count.
pub fn is_hidden(letter: char) -> bool {
    letter.is_control() || (letter > '~' && HIDDEN.iter().any(|range| range.contains(&letter)))
}

/// Escapes text for one line of a terminal.
pub fn line(text: &str) -> Cow<'_, str> {
    escape_hidden(text, "")
}

/// Escapes text for a terminal and keeps its lines. All output passes through this function.
pub fn lines(text: &str) -> Cow<'_, str> {
    escape_hidden(text, "\n")
}

/// Escapes hidden characters except for the allowed ones.
fn escape_hidden<'a>(text: &'a str, allowed: &str) -> Cow<'a, str> {
    let needs_escape = |letter: char| is_hidden(letter) && !allowed.contains(letter);
    if !text.contains(needs_escape) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if needs_escape(letter) {
            escaped.extend(letter.escape_default());
        } else {
            escaped.push(letter);
        }
    }
    Cow::Owned(escaped)
}

/// Formats the name of a file or folder for messages.
pub fn display_path(path: &Path) -> DisplayPath<'_> {
    DisplayPath(path)
}

/// File or folder name for messages: on one line, with invalid bytes as codes.
#[derive(Clone, Copy, Debug)]
pub struct DisplayPath<'a>(&'a Path);

impl fmt::Display for DisplayPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for chunk in self.0.as_os_str().as_encoded_bytes().utf8_chunks() {
            f.write_str(&line(chunk.valid()))?;
            chunk.invalid().iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
        }
        Ok(())
    }
}

/// Characters that start a formula in a spreadsheet, including their full-width forms.
const FORMULA_STARTS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Returns true if a spreadsheet may take a text for a formula.
fn is_formula(text: &str) -> bool {
    text.starts_with(FORMULA_STARTS)
}

/// Writes a text as a CSV cell. A text that a spreadsheet would take for a formula gets a leading
/// apostrophe, which [`from_cell`] removes.
pub fn cell(text: &str) -> Cow<'_, str> {
    if needs_apostrophe(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// Returns the text of a CSV cell.
pub fn from_cell(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| needs_apostrophe(text)).unwrap_or(cell)
}

/// Returns true if a text gets a leading apostrophe in a cell: a formula, or text that would be
/// read as an escaped formula.
pub fn needs_apostrophe(text: &str) -> bool {
    is_formula(text.trim_start_matches('\''))
}

/// Escapes hidden characters in the strings of JSON; the data stay unchanged.
pub fn json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '\n' => escaped.push(letter),
            // Strings have them escaped already, so here they separate tokens.
            '\r' | '\t' => escaped.push(' '),
            _ if is_hidden(letter) => {
                escaped.extend(letter.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
            }
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// Escapes text for a Markdown sentence, list item or table cell, on one line. Numbers in brackets
/// stay unchanged, because only what follows a bracket makes it a link.
pub fn markdown(text: &str) -> String {
    let text = line(text);
    let text = text.trim();
    let mark_index = block_mark(text);
    let mut escaped = String::with_capacity(text.len() + 16);
    let mut previous = None;
    for (index, letter) in text.char_indices() {
        let rest = &text[index + letter.len_utf8()..];
        let is_in_word = |neighbour: Option<char>| neighbour.is_some_and(char::is_alphanumeric);
        let is_markup = match letter {
            '\\' | '`' | '*' | '|' | '~' | '$' => true,
            '_' => !(is_in_word(previous) && is_in_word(rest.chars().next())),
            ']' => rest.starts_with(['(', '[', ':']),
            // Markdown makes links of these even without a scheme.
            '.' => text[..index].to_ascii_lowercase().ends_with("www"),
            _ => mark_index == Some(index),
        };
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            _ if is_markup || mark_index == Some(index) => escaped.extend(['\\', letter]),
            _ => escaped.push(letter),
        }
        previous = Some(letter);
    }
    escaped
}

/// Returns the index of a mark that would start a heading, a list, a rule or a checkbox.
fn block_mark(text: &str) -> Option<usize> {
    let starts_with_marks = |marks: &[char], start: usize| {
        let rest = text[start..].trim_start_matches(marks);
        rest.len() < text.len() - start && (rest.is_empty() || rest.starts_with(' '))
    };
    let is_box =
        text.strip_prefix('[').is_some_and(|rest| rest.trim_start_matches([' ', 'x', 'X']).starts_with(']'));
    if is_box || starts_with_marks(&['#'], 0) || starts_with_marks(&['-', '+', '='], 0) {
        return Some(0);
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && starts_with_marks(&['.', ')'], digits)).then_some(digits)
}

/// Escapes text for LaTeX, for the default font encodings.
pub fn latex(text: &str) -> String {
    let text = line(text);
    let mut latex = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '\\' => latex.push_str(r"\textbackslash{}"),
            '~' => latex.push_str(r"\textasciitilde{}"),
            '^' => latex.push_str(r"\textasciicircum{}"),
            '<' => latex.push_str(r"\textless{}"),
            '>' => latex.push_str(r"\textgreater{}"),
            '|' => latex.push_str(r"\textbar{}"),
            '"' => latex.push_str(r"\textquotedbl{}"),
            'µ' => latex.push_str(r"\textmu{}"),
            '{' | '}' | '$' | '&' | '#' | '_' | '%' => latex.extend(['\\', letter]),
            // Two of them would become one longer dash or another sign.
            '-' | '`' | '\'' | ',' if latex.ends_with(letter) => latex.extend(['{', '}', letter]),
            _ => latex.push(letter),
        }
    }
    latex
}

/// Writes text as Markdown code, with a fence longer than any run of backticks in it.
pub fn markdown_code(text: &str) -> String {
    // No fence hides the start of a comment from a program that searches for comments, as `splice`
    // does.
    if text.contains("<!--") {
        return format!("<code>{}</code>", markdown(text));
    }
    let text = line(text);
    let longest_run = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest_run + 1);
    // The fence includes one blank on each side.
    let padding = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{padding}{text}{padding}{fence}")
}

/// Escapes text for HTML, between tags or in quoted attributes. Line ends stay unchanged.
pub fn html(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '&' => html.push_str("&amp;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#x27;"),
            '/' => html.push_str("&#x2f;"),
            '\n' | '\r' | '\t' => html.push(letter),
            _ if is_hidden(letter) => html.extend(letter.escape_default()),
            _ => html.push(letter),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_by_its_number() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(line(text), expected);
        }

        check("greedy ü 数独 e\u{301} 👍", "greedy ü 数独 e\u{301} 👍");
        check("\u{1b}[2J\r\n\t", r"\u{1b}[2J\r\n\t");
        check("\u{9b}31m \u{7f}", r"\u{9b}31m \u{7f}");
        check(
            "a\u{202e}b\u{200b}c\u{feff}\u{e0041}\u{2066}",
            r"a\u{202e}b\u{200b}c\u{feff}\u{e0041}\u{2066}",
        );
        assert_eq!(lines("a\u{1b}\nb\r"), "a\\u{1b}\nb\\r");
        assert_eq!(display_path(Path::new("a\n\u{1b}b")).to_string(), r"a\n\u{1b}b");
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text_are_shown() {
        use std::os::unix::ffi::OsStrExt;

        let name = std::ffi::OsStr::from_bytes(b"a\xff/\x1bb");
        assert_eq!(display_path(Path::new(name)).to_string(), r"a\xff/\u{1b}b");
    }

    #[test]
    fn formulas_are_defused_in_cells_and_come_back() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(cell(text), expected);
            assert_eq!(from_cell(expected), text);
        }

        check("greedy", "greedy");
        check("", "");
        check("it's", "it's");
        check("'tis", "'tis");
        check("=1+1", "'=1+1");
        check("'=1+1", "''=1+1");
        check("''=1+1", "'''=1+1");
        check("+x", "'+x");
        check("-x", "'-x");
        check("@x", "'@x");
        check("\tx", "'\tx");
        check("\rx", "'\rx");
        check("＝x", "'＝x");
    }

    #[test]
    fn json_is_the_same_data() {
        let text = "\u{1b}\n \u{9b} \u{202e} \u{e0041} ü";
        let escaped = json(&serde_json::to_string_pretty(text).unwrap());
        assert!(!escaped.contains(is_hidden), "{escaped}");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }

    #[test]
    fn markdown_stays_text() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(markdown(text), expected);
        }

        let plain_text = "max_tile 50.00 % [40.00, 60.00], p = 0.01 (b)!";
        check(plain_text, plain_text);
        check("[a](http://x)", r"[a\](http://x)");
        check("![a][b]", r"![a\][b]");
        check("<img src=x>&lt;", "&lt;img src=x&gt;&amp;lt;");
        check("a|b`c`*d*_e_~f~$g$\\", r"a\|b\`c\`\*d\*\_e\_\~f\~\$g\$\\");
        check("www.evil.example WWW.x", r"www\.evil.example WWW\.x");
        check("# a", r"\# a");
        check("- a", r"\- a");
        check("-0.5", "-0.5");
        check("12. a", r"12\. a");
        check("1.5 a", "1.5 a");
        check("[x] a", r"\[x] a");
        check("---", r"\---");
        check("a\n\nb", r"a\\n\\nb");
        check("    a", "a");
    }

    #[test]
    fn latex_has_no_commands_of_the_text() {
        assert_eq!(latex(r"a_b 5 % $x$ #1 {y} \end"), r"a\_b 5 \% \$x\$ \#1 \{y\} \textbackslash{}end");
        assert_eq!(
            latex("--x <1 µs> ^~|"),
            "-{}-x \\textless{}1 \\textmu{}s\\textgreater{} \\textasciicircum{}\\textasciitilde{}\\textbar{}"
        );
    }

    #[test]
    fn code_does_not_end_before_its_fence() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(markdown_code(text), expected);
        }

        check("gauntlet run x.toml", "`gauntlet run x.toml`");
        check("a`b<img>", "``a`b<img>``");
        check("`a``", "``` `a`` ```");
        check("a\n\nb", r"`a\n\nb`");
        check("a <!-- /gauntlet --> `", r"<code>a &lt;!-- /gauntlet --&gt; \`</code>");
    }

    #[test]
    fn html_holds_no_markup() {
        let expected = "&lt;a b=&#x27;&quot;&#x27;&gt;&amp;\n\t\\u{1b}\\u{202e}&#x2f;";
        assert_eq!(html("<a b='\"'>&\n\t\u{1b}\u{202e}/"), expected);
    }
}
