//! Coloured text for a terminal: spans with a text colour and a background, and their escape codes.
//! Invisible characters in spans are escaped as in other text.

use std::fmt::Write;

use gauntlet_core::text::escape;
use unicode_width::UnicodeWidthStr;

/// Text colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextColour {
    /// Default colour of the terminal.
    Plain,
    /// A black stone.
    Black,
    /// A white stone.
    White,
    /// Lines of a board.
    Line,
    /// A mark on a board.
    Mark,
    /// A side note.
    Faint,
    /// A better player, or a shown claim.
    Good,
    /// A worse player, or a refuted claim.
    Bad,
}

/// Background colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// Default background of the terminal.
    Plain,
    /// The wood of a board.
    Board,
    /// A shade of the wood, from 1 to 3.
    Shade(u8),
}

/// Lines of spans.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    lines: Vec<Vec<(TextColour, Background, String)>>,
}

impl Picture {
    /// Converts plain text to uncoloured lines.
    pub fn from_text(text: &str) -> Picture {
        let lines = text.lines().map(|line| vec![(TextColour::Plain, Background::Plain, line.to_owned())]);
        Picture { lines: lines.collect() }
    }

    /// Begins a line.
    pub fn begin_line(&mut self) {
        self.lines.push(Vec::new());
    }

    /// Appends a span to the last line.
    pub fn add_span(&mut self, colour: TextColour, background: Background, text: impl Into<String>) {
        if self.lines.is_empty() {
            self.begin_line();
        }
        let line = self.lines.last_mut().expect("a line");
        match line.last_mut() {
            Some((last_colour, last_background, last_text))
                if (*last_colour, *last_background) == (colour, background) =>
            {
                *last_text += &text.into()
            }
            _ => line.push((colour, background, text.into())),
        }
    }

    /// Appends another picture below this one.
    pub fn add_below(&mut self, other: Picture) {
        self.lines.extend(other.lines);
    }

    /// Puts another picture to the right of this one, at column `width`.
    pub fn put_beside(mut self, width: usize, right: Picture) -> Picture {
        for (index, spans) in right.lines.into_iter().enumerate() {
            if index == self.lines.len() {
                self.begin_line();
            }
            let line = &mut self.lines[index];
            let line_width: usize = line.iter().map(|(_, _, text)| text.width()).sum();
            if !spans.is_empty() {
                line.push((
                    TextColour::Plain,
                    Background::Plain,
                    " ".repeat(width.saturating_sub(line_width)),
                ));
                line.extend(spans);
            }
        }
        self
    }

    /// Returns the text, with escape codes for colours or without them.
    pub fn to_text(&self, is_coloured: bool) -> String {
        let mut text = String::new();
        for line in &self.lines {
            for (colour, background, span) in line {
                let codes = colour_codes(*colour, *background);
                let span = escape::line(span);
                let _ = match is_coloured && !codes.is_empty() {
                    true => write!(text, "\u{1b}[{codes}m{span}\u{1b}[0m"),
                    false => write!(text, "{span}"),
                };
            }
            if !is_coloured {
                text.truncate(text.trim_end_matches(' ').len());
            }
            text.push('\n');
        }
        text
    }
}

/// Returns the codes for terminals with 256 colours. Everything on a board has a background colour,
/// so it looks alike on dark and light terminals.
fn colour_codes(colour: TextColour, background: Background) -> String {
    let colour_code = match colour {
        TextColour::Plain => "",
        TextColour::Black => "38;5;16",
        TextColour::White => "38;5;231",
        TextColour::Line => "38;5;94",
        TextColour::Mark => "1;38;5;160",
        TextColour::Faint => "2",
        TextColour::Good => "32",
        TextColour::Bad => "31",
    };
    let background_code = match background {
        Background::Plain => "",
        Background::Board => "48;5;179",
        Background::Shade(1) => "48;5;151",
        Background::Shade(2) => "48;5;74",
        Background::Shade(_) => "48;5;32",
    };
    let separator = if colour_code.is_empty() || background_code.is_empty() { "" } else { ";" };
    [colour_code, separator, background_code].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_codes_are_codes() {
        let mut picture = Picture::from_text("plain\u{1b}[2J");
        picture.begin_line();
        picture.add_span(TextColour::Black, Background::Board, "●\u{1b}[31m");
        assert_eq!(picture.to_text(false), "plain\\u{1b}[2J\n●\\u{1b}[31m\n");
        assert_eq!(picture.to_text(true), "plain\\u{1b}[2J\n\u{1b}[38;5;16;48;5;179m●\\u{1b}[31m\u{1b}[0m\n");
    }

    #[test]
    fn pictures_stand_side_by_side() {
        let picture = Picture::from_text("ab\nc").put_beside(4, Picture::from_text("x\n\ny"));
        assert_eq!(picture.to_text(false), "ab  x\nc\n    y\n");
    }
}
