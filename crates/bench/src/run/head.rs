//! The head of a line of games, read as this program writes lines: in one order, without blanks, and of whole numbers alone.
//!
//! The journal of a tuning has many short lines, half a million for a million games, and all are read when it is opened. A general
//! parser of JSON takes longer for that than all else that is done with them. What is written in any other way is left to it, and
//! so is what has times: such a line is one of hundreds of games.

use std::borrow::Cow;

use super::entry::{Head, HeadTimes};

/// The columns between the head and the end, in the order in which they are written: how each begins.
const COLUMNS: [&[u8]; 8] = [
    b",\"seeds\":",
    b",\"score\":",
    b",\"facts\":",
    b",\"moves\":",
    b",\"won\":",
    b",\"lost\":",
    b",\"endings\":",
    b",\"nodes\":",
];

/// The head of a line of games, as the general parser reads it; none of anything else, and where that parser must be asked.
pub(super) fn head_of(json: &[u8]) -> Option<Head<'_>> {
    // Times come last, and end with a bracket of their own.
    if json.ends_with(b"}}}") {
        return None;
    }
    let mut rest = Rest { json, place: 0 };
    rest.word(br#"{"games":{"key":""#)?;
    let key = Cow::Borrowed(rest.text()?);
    let first = rest.optional(b",\"first\":")?;
    rest.word(b",\"games\":")?;
    let games = u32::try_from(rest.number()?).ok()?;
    let session = rest.optional(b",\"session\":")?.map(usize::try_from).transpose().ok()?;
    for begin in COLUMNS {
        if rest.word(begin).is_some() {
            rest.array()?;
        }
    }
    rest.word(b",\"threads\":")?;
    rest.number()?;
    rest.word(b"}}")?;
    let head = Head { key, first, games, session, times: HeadTimes::default(), rival_times: None };
    (rest.place == json.len()).then_some(head)
}

/// What is left to be read: what stands from a place on. Each step is none if something else stands there than it is for.
///
/// The steps are loops over places: this package is optimised a little only, and there each call of a method of slices for a byte takes
/// ten times as long as the rest.
struct Rest<'a> {
    json: &'a [u8],
    place: usize,
}

impl<'a> Rest<'a> {
    /// Goes on behind a word.
    fn word(&mut self, word: &[u8]) -> Option<()> {
        if self.json.len() - self.place < word.len() {
            return None;
        }
        let mut length = 0;
        while length < word.len() {
            if self.json[self.place + length] != word[length] {
                return None;
            }
            length += 1;
        }
        self.place += length;
        Some(())
    }

    /// A text of plain letters, behind the quotation mark that begins it.
    fn text(&mut self) -> Option<&'a str> {
        let start = self.place;
        while self.place < self.json.len() {
            match self.json[self.place] {
                b'"' => {
                    self.place += 1;
                    return str::from_utf8(&self.json[start..self.place - 1]).ok();
                }
                b'\\' => return None,
                b' '..=b'~' => self.place += 1,
                _ => return None,
            }
        }
        None
    }

    /// A whole number. JSON has none that begins with a 0 before other digits.
    fn number(&mut self) -> Option<u64> {
        let start = self.place;
        let mut number: u64 = 0;
        while self.place < self.json.len()
            && let digit @ b'0'..=b'9' = self.json[self.place]
        {
            number = number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
            self.place += 1;
        }
        let digits = self.place - start;
        (digits == 1 || (digits > 1 && self.json[start] != b'0')).then_some(number)
    }

    /// A number that need not be there, behind the word that is there then.
    fn optional(&mut self, word: &[u8]) -> Option<Option<u64>> {
        match self.word(word) {
            Some(()) => self.number().map(Some),
            None => Some(None),
        }
    }

    /// Goes on behind an array of whole numbers and of such arrays.
    fn array(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        let mut before = Before::Comma;
        while self.place < self.json.len() {
            let byte = self.json[self.place];
            self.place += 1;
            before = match (byte, before) {
                (b'0'..=b'9', Before::Number) => Before::Number,
                (b'1'..=b'9', Before::Comma | Before::Open | Before::Minus) => Before::Number,
                (b'0', Before::Comma | Before::Open | Before::Minus) => Before::Zero,
                (b'-', Before::Comma | Before::Open) => Before::Minus,
                (b',', Before::Number | Before::Zero | Before::Closed) => Before::Comma,
                (b'[', Before::Comma | Before::Open) => {
                    depth += 1;
                    Before::Open
                }
                (b']', Before::Open | Before::Number | Before::Zero | Before::Closed) => {
                    depth -= 1;
                    Before::Closed
                }
                _ => return None,
            };
            // Numbers outside of arrays are not what it is for.
            if depth == 0 {
                return (byte == b']').then_some(());
            }
        }
        None
    }
}

/// What stands before the next byte of an array.
#[derive(Clone, Copy)]
enum Before {
    Comma,
    Open,
    Closed,
    Minus,
    /// A number that is 0 so far, and ends with that.
    Zero,
    Number,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Facts, Outcome};
    use crate::record::{Ending, GameRecord};
    use crate::run::entry::{Entry, Games, checked};

    /// The head, where the line is read here. It must be that of the general parser; and what that refuses must not be read.
    fn read(json: &[u8]) -> Option<Head<'_>> {
        let head = head_of(json)?;
        match serde_json::from_slice(json) {
            Ok(Entry::Games(general)) => assert_eq!(head, general),
            _ => panic!("{} is no line of games", String::from_utf8_lossy(json)),
        }
        Some(head)
    }

    fn lines() -> Vec<Games> {
        let record = |score, moves, ending| {
            let facts = Facts::default();
            GameRecord { outcome: Outcome::Points { score, won: score > 5 }, facts, moves, ending }
        };
        let records =
            [record(4, 2, Ending::ALL[0]), record(0, 0, Ending::ALL[2]), record(16, 7, Ending::ALL[0])];
        let solo = || Games::of("0123456789abcdef-77", &records, 2);
        let [mut listed, mut numbered, mut counted] = [solo(), solo(), solo()];
        listed.seeds = vec![1, 2, u64::MAX];
        numbered.first = Some(0);
        numbered.threads = 2;
        counted.nodes = vec![1, 2, 3];
        counted.session = Some(3);
        let drawn = GameRecord { outcome: Outcome::Drawn, ..records[0] };
        vec![listed, numbered, counted, Games::of("of two", &[drawn, drawn], 0)]
    }

    #[test]
    fn what_is_written_is_read_at_once() {
        for games in lines() {
            let framed = games.framed();
            let (_, json) = checked(&framed.bytes).expect("a line");
            assert_eq!(read(json), Some(framed.head), "{}", String::from_utf8_lossy(json));
        }
    }

    /// Lines with a byte changed, left out or doubled are read as the general parser reads them, or left to it.
    #[test]
    fn nothing_else_is_read_otherwise() {
        let mut at_once = 0;
        for games in lines() {
            let framed = games.framed();
            let (_, json) = checked(&framed.bytes).expect("a line");
            for place in 0..json.len() {
                for byte in *b"\"\\,:[]{}-019 .ex" {
                    let mut changed = json.to_vec();
                    changed[place] = byte;
                    at_once += usize::from(read(&changed).is_some());
                    changed.insert(place, json[place]);
                    at_once += usize::from(read(&changed).is_some());
                }
                let without = [&json[..place], &json[place + 1..]].concat();
                at_once += usize::from(read(&without).is_some());
            }
        }
        assert!(at_once > 500, "{at_once}");
    }

    #[test]
    fn what_is_written_otherwise_is_left_to_the_general_parser() {
        for json in [
            r#"{"games":{"key":"k","games":1,"facts":[],"moves":[1],"won":[],"endings":[],"threads":1,"times":{"moves":1}}}"#,
            r#"{"games":{"games":1,"key":"k","threads":1}}"#,
            r#"{"games":{"key":"\u0041","games":1,"threads":1}}"#,
            r#"{"games":{"key":"k","games":4294967296,"threads":1}}"#,
            r#"{"games":{"key":"k","games":1,"moves":[1.5],"threads":1}}"#,
            r#"{"games": {"key":"k","games":1,"threads":1}}"#,
            r#"{"end":{"seconds":1.0}}"#,
        ] {
            assert_eq!(head_of(json.as_bytes()), None, "{json}");
        }
    }
}
