//! Wraps lines for a terminal.

use unicode_width::UnicodeWidthStr;

/// Indent of continuation lines, relative to the first.
const HANGING: usize = 2;

/// Wraps a line of text between words to a width, if its words allow. Without a width it stays one
/// line. Continuation lines are indented further.
pub fn wrap_line(line: &str, width: Option<usize>) -> String {
    let own = line.len() - line.trim_start_matches(' ').len();
    let most = width.map_or(0, |width| width / 2);
    wrap_hanging(line, own.min(most) + HANGING, width)
}

/// Wraps a line of text as [`wrap_line`] does, with continuation lines indented by `hanging`, or by
/// less on a narrow terminal.
pub fn wrap_hanging(line: &str, hanging: usize, width: Option<usize>) -> String {
    let Some(width) = width.filter(|&width| line.width() > width) else { return line.to_owned() };
    let hanging = hanging.min(width / 2 + HANGING);
    let own = line.len() - line.trim_start_matches(' ').len();
    let mut text = String::with_capacity(line.len() + 16);
    let mut used = 0;
    for (place, word) in line.split(' ').enumerate() {
        if place > own && used + 1 + word.width() > width {
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', hanging));
            used = hanging;
        } else if place > 0 {
            text.push(' ');
            used += 1;
        }
        text += word;
        used += word.width();
    }
    text
}

/// Wraps lines of text for people. Commands to be typed are not wrapped, nor are lines with carets
/// below.
pub fn wrap_lines(text: &str, width: Option<usize>) -> String {
    let points = |below: Option<&&str>| below.is_some_and(|below| below.trim_start().starts_with('^'));
    let mut lines = text.split('\n').peekable();
    let mut told = Vec::new();
    while let Some(line) = lines.next() {
        let stays = line.starts_with("  gauntlet ") || points(lines.peek());
        told.push(if stays { line.to_owned() } else { wrap_line(line, width) });
    }
    told.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_in_stays_set_in_and_commands_stay_whole() {
        let told = |text| wrap_lines(text, Some(16));
        assert_eq!(told("a\n  one two three four\nb"), "a\n  one two three\n    four\nb");
        assert_eq!(told("to go on:\n  gauntlet run results/mine"), "to go on:\n  gauntlet run results/mine");
        let drawn = "x.toml:1:5  a long = line\n            ^^^^ is not right here";
        assert_eq!(
            told(drawn),
            "x.toml:1:5  a long = line\n            ^^^^\n          is not\n          right\n          here"
        );
        assert_eq!(wrap_lines(drawn, None), drawn);
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
