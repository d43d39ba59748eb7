//! Wraps lines for a terminal.

use unicode_width::UnicodeWidthStr;

/// Indent of continuation lines, relative to the first.
const HANGING_INDENT: usize = 2;

/// Wraps a line of text between words to a width, if its words allow. Without a width it stays one
/// line. Continuation lines are indented further.
pub fn wrap_line(line: &str, width: Option<usize>) -> String {
    let own_indent = line.len() - line.trim_start_matches(' ').len();
    let max_indent = width.map_or(0, |width| width / 2);
    wrap_hanging(line, own_indent.min(max_indent) + HANGING_INDENT, width)
}

/// Wraps a line of text as [`wrap_line`] does, with continuation lines indented by
/// `hanging_indent`, or by less on a narrow terminal.
pub fn wrap_hanging(line: &str, hanging_indent: usize, width: Option<usize>) -> String {
    let Some(width) = width.filter(|&width| line.width() > width) else { return line.to_owned() };
    let hanging_indent = hanging_indent.min(width / 2 + HANGING_INDENT);
    let own_indent = line.len() - line.trim_start_matches(' ').len();
    let mut text = String::with_capacity(line.len() + 16);
    let mut line_width = 0;
    for (index, word) in line.split(' ').enumerate() {
        if index > own_indent && line_width + 1 + word.width() > width {
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', hanging_indent));
            line_width = hanging_indent;
        } else if index > 0 {
            text.push(' ');
            line_width += 1;
        }
        text += word;
        line_width += word.width();
    }
    text
}

/// Wraps lines of text for people. Commands to be typed are not wrapped, nor are lines with carets
/// below.
pub fn wrap_lines(text: &str, width: Option<usize>) -> String {
    let is_caret_line =
        |next_line: Option<&&str>| next_line.is_some_and(|next_line| next_line.trim_start().starts_with('^'));
    let mut lines = text.split('\n').peekable();
    let mut output = Vec::new();
    while let Some(line) = lines.next() {
        let is_fixed = line.starts_with("  gauntlet ") || is_caret_line(lines.peek());
        output.push(if is_fixed { line.to_owned() } else { wrap_line(line, width) });
    }
    output.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indents_are_kept_and_commands_are_not_wrapped() {
        let wrap = |text| wrap_lines(text, Some(16));
        assert_eq!(wrap("a\n  one two three four\nb"), "a\n  one two three\n    four\nb");
        assert_eq!(wrap("to go on:\n  gauntlet run results/mine"), "to go on:\n  gauntlet run results/mine");
        let diagnostic = "x.toml:1:5  a long = line\n            ^^^^ is not right here";
        assert_eq!(
            wrap(diagnostic),
            "x.toml:1:5  a long = line\n            ^^^^\n          is not\n          right\n          here"
        );
        assert_eq!(wrap_lines(diagnostic, None), diagnostic);
    }

    #[test]
    fn lines_are_broken_between_words() {
        #[track_caller]
        fn check(line: &str, width: Option<usize>, expected: &str) {
            assert_eq!(wrap_line(line, width), expected);
        }

        let line = "greedy beats random: it wins 13.9 points more";
        check(line, None, line);
        check(line, Some(45), line);
        check(line, Some(44), "greedy beats random: it wins 13.9 points\n  more");
        check(line, Some(20), "greedy beats random:\n  it wins 13.9\n  points more");
        // A word is never split, and a letter may be two columns wide.
        check("a abcdefghijkl b", Some(6), "a\n  abcdefghijkl\n  b");
        check("雪雪 雪雪", Some(8), "雪雪\n  雪雪");
    }
}
