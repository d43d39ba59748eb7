//! Lines that fit a terminal.

use unicode_width::UnicodeWidthStr;

/// Indent of the lines after the first.
const HANGING: &str = "  ";

/// A line of text, broken between words such that no line is wider than this if its words allow; without a
/// width it stays one line. Lines after the first are set in.
pub fn wrapped(line: &str, width: Option<usize>) -> String {
    let Some(width) = width.filter(|&width| line.width() > width) else { return line.to_owned() };
    let mut text = String::with_capacity(line.len() + 16);
    let mut used = 0;
    for (place, word) in line.split(' ').enumerate() {
        if place > 0 && used + 1 + word.width() > width {
            text = text + "\n" + HANGING;
            used = HANGING.len();
        } else if place > 0 {
            text.push(' ');
            used += 1;
        }
        text += word;
        used += word.width();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        #[track_caller]
        fn check(line: &str, width: Option<usize>, expected: &str) {
            assert_eq!(wrapped(line, width), expected);
        }

        let line = "greedy beats random: it wins 13.9 points more";
        check(line, None, line);
        check(line, Some(45), line);
        check(line, Some(44), "greedy beats random: it wins 13.9 points\n  more");
        check(line, Some(20), "greedy beats random:\n  it wins 13.9\n  points more");
        // A word stays whole, and a letter may be two columns wide.
        check("a abcdefghijkl b", Some(6), "a\n  abcdefghijkl\n  b");
        check("雪雪 雪雪", Some(8), "雪雪\n  雪雪");
    }
}
