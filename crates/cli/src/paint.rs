//! Coloured text for a terminal: spans with a text colour and a background, and their escape codes.
//! Invisible characters in spans are escaped as in other text.

use std::fmt::Write;

use gauntlet_core::text::escape;
use unicode_width::UnicodeWidthStr;

/// Text colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
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
pub enum Ground {
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
    lines: Vec<Vec<(Ink, Ground, String)>>,
}

impl Picture {
    /// Converts plain text to uncoloured lines.
    pub fn from_text(text: &str) -> Picture {
        let lines = text.lines().map(|line| vec![(Ink::Plain, Ground::Plain, line.to_owned())]);
        Picture { lines: lines.collect() }
    }

    /// Begins a line.
    pub fn begin_line(&mut self) {
        self.lines.push(Vec::new());
    }

    /// Appends a span to the last line.
    pub fn add_span(&mut self, ink: Ink, ground: Ground, text: impl Into<String>) {
        if self.lines.is_empty() {
            self.begin_line();
        }
        let line = self.lines.last_mut().expect("a line");
        match line.last_mut() {
            Some((last, behind, before)) if (*last, *behind) == (ink, ground) => *before += &text.into(),
            _ => line.push((ink, ground, text.into())),
        }
    }

    /// Appends another picture below this one.
    pub fn add_below(&mut self, other: Picture) {
        self.lines.extend(other.lines);
    }

    /// Puts another picture to the right of this one, at column `width`.
    pub fn put_beside(mut self, width: usize, right: Picture) -> Picture {
        for (place, spans) in right.lines.into_iter().enumerate() {
            if place == self.lines.len() {
                self.begin_line();
            }
            let line = &mut self.lines[place];
            let own: usize = line.iter().map(|(_, _, text)| text.width()).sum();
            if !spans.is_empty() {
                line.push((Ink::Plain, Ground::Plain, " ".repeat(width.saturating_sub(own))));
                line.extend(spans);
            }
        }
        self
    }

    /// Returns the text, with escape codes for colours or without them.
    pub fn to_text(&self, is_coloured: bool) -> String {
        let mut text = String::new();
        for line in &self.lines {
            for (ink, ground, span) in line {
                let codes = colour_codes(*ink, *ground);
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
fn colour_codes(ink: Ink, ground: Ground) -> String {
    let ink = match ink {
        Ink::Plain => "",
        Ink::Black => "38;5;16",
        Ink::White => "38;5;231",
        Ink::Line => "38;5;94",
        Ink::Mark => "1;38;5;160",
        Ink::Faint => "2",
        Ink::Good => "32",
        Ink::Bad => "31",
    };
    let ground = match ground {
        Ground::Plain => "",
        Ground::Board => "48;5;179",
        Ground::Shade(1) => "48;5;151",
        Ground::Shade(2) => "48;5;74",
        Ground::Shade(_) => "48;5;32",
    };
    let gap = if ink.is_empty() || ground.is_empty() { "" } else { ";" };
    [ink, gap, ground].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_codes_are_codes() {
        let mut picture = Picture::from_text("plain\u{1b}[2J");
        picture.begin_line();
        picture.add_span(Ink::Black, Ground::Board, "●\u{1b}[31m");
        assert_eq!(picture.to_text(false), "plain\\u{1b}[2J\n●\\u{1b}[31m\n");
        assert_eq!(picture.to_text(true), "plain\\u{1b}[2J\n\u{1b}[38;5;16;48;5;179m●\\u{1b}[31m\u{1b}[0m\n");
    }

    #[test]
    fn pictures_stand_side_by_side() {
        let both = Picture::from_text("ab\nc").put_beside(4, Picture::from_text("x\n\ny"));
        assert_eq!(both.to_text(false), "ab  x\nc\n    y\n");
    }
}
