//! The head of a line of games, read as this program writes lines: in one order, without blanks.
//!
//! The journal of a tuning has many short lines, half a million for a million games, and all are
//! read when it is opened. A general parser of JSON takes longer for that than all else that is
//! done with them. What is written in any other way is left to it, and so is what has times: such a
//! line is one of hundreds of games. The columns behind the head are vouched for by the checksum,
//! and looked at where the games count.

use std::borrow::Cow;

use super::entry::{Head, HeadTimes};

/// The head of a line of games, as the general parser reads it; none of anything else, and where
/// that parser must be asked.
pub(super) fn head_of(json: &[u8]) -> Option<Head<'_>> {
    // Times come last, and end with a bracket of their own.
    if json.ends_with(b"}}}") {
        return None;
    }
    let rest = json.strip_prefix(br#"{"games":{"key":""#)?;
    // A key is letters and digits, none of them escaped.
    let end = rest.iter().position(|byte| !matches!(byte, b' '..=b'~') || matches!(byte, b'"' | b'\\'))?;
    let key = Cow::Borrowed(str::from_utf8(&rest[..end]).ok()?);
    let mut rest = rest[end..].strip_prefix(b"\"")?;
    let mut optional = |word: &[u8]| match rest.strip_prefix(word) {
        Some(behind) => {
            let (number, behind) = number(behind)?;
            rest = behind;
            Some(Some(number))
        }
        None => Some(None),
    };
    let first = optional(b",\"first\":")?;
    let games = u32::try_from(optional(b",\"games\":")??).ok()?;
    let session = optional(b",\"session\":")?.map(usize::try_from).transpose().ok()?;
    let head = Head { key, first, games, session, times: HeadTimes::default(), rival_times: None };
    COLUMNS.iter().any(|&column| rest.starts_with(column)).then_some(head)
}

/// How the first column begins that a line has.
const COLUMNS: [&[u8]; 3] = [b",\"seeds\":[", b",\"score\":[", b",\"facts\":["];

/// A whole number with which bytes begin, and the bytes behind it. JSON has none that begins with a
/// 0 before other digits.
fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = bytes.split_at(digits);
    let text = str::from_utf8(digits).ok()?;
    (digits.len() == 1 || digits.first()? != &b'0').then_some((text.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use gauntlet_core::game::{Facts, Outcome};
    use gauntlet_core::record::{Ending, GameRecord};

    use super::*;
    use crate::entry::{GamesEntry, JournalEntry, checked};

    /// The head, where the line is read here. It must be that of the general parser; and what that
    /// refuses must not be read.
    fn read(json: &[u8]) -> Option<Head<'_>> {
        let head = head_of(json)?;
        match serde_json::from_slice(json) {
            Ok(JournalEntry::GamesEntry(general)) => assert_eq!(head, general),
            _ => panic!("{} is no line of games", String::from_utf8_lossy(json)),
        }
        Some(head)
    }

    fn lines() -> Vec<GamesEntry> {
        let record = |score, moves, ending| {
            let facts = Facts::default();
            GameRecord { outcome: Outcome::Points { score, won: score > 5 }, facts, moves, ending }
        };
        let records =
            [record(4, 2, Ending::ALL[0]), record(0, 0, Ending::ALL[2]), record(16, 7, Ending::ALL[0])];
        let solo = || GamesEntry::of("0123456789abcdef-77", &records, 2);
        let [mut listed, mut numbered, mut counted] = [solo(), solo(), solo()];
        listed.seeds = vec![1, 2, u64::MAX];
        numbered.first = Some(0);
        numbered.threads = 2;
        counted.nodes = vec![1, 2, 3];
        counted.session = Some(3);
        let drawn = GameRecord { outcome: Outcome::Drawn, ..records[0] };
        vec![listed, numbered, counted, GamesEntry::of("of two", &[drawn, drawn], 0)]
    }

    #[test]
    fn what_is_written_is_read_at_once() {
        for games in lines() {
            let framed = games.framed();
            let (_, json) = checked(&framed.bytes).expect("a line");
            assert_eq!(read(json), Some(framed.head), "{}", String::from_utf8_lossy(json));
        }
    }

    /// Lines with a byte changed, left out or doubled are read as the general parser reads them, or
    /// left to it.
    #[test]
    fn nothing_else_is_read_otherwise() {
        let mut at_once = 0;
        for games in lines() {
            let framed = games.framed();
            let (_, json) = checked(&framed.bytes).expect("a line");
            let begins = |place: &usize| COLUMNS.iter().any(|column| json[*place..].starts_with(column));
            let head = (0..json.len()).find(begins).expect("columns");
            for place in 0..head {
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
        assert!(at_once > 200, "{at_once}");
    }

    #[test]
    fn what_is_written_otherwise_is_left_to_the_general_parser() {
        for json in [
            r#"{"games":{"key":"k","games":1,"facts":[],"moves":[1],"won":[],"endings":[],"threads":1,"times":{"moves":1}}}"#,
            r#"{"games":{"games":1,"key":"k","threads":1}}"#,
            r#"{"games":{"key":"\u0041","games":1,"threads":1}}"#,
            r#"{"games":{"key":"k","games":4294967296,"threads":1}}"#,
            r#"{"games": {"key":"k","games":1,"threads":1}}"#,
            r#"{"end":{"seconds":1.0}}"#,
        ] {
            assert_eq!(head_of(json.as_bytes()), None, "{json}");
        }
    }
}
