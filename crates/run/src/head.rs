//! Fast parser for the head of a line of games as this program writes it: in one order, without
//! blanks.
//!
//! The journal of a tuning has many short lines, half a million for a million games, and all are
//! read when it is opened. A general JSON parser would take longer than everything else done with
//! them. It only parses lines in another format, and lines with times, each of which has hundreds
//! of games. The checksum protects the columns after the head, which are parsed when the games are
//! used.

use std::borrow::Cow;

use super::entry::{Head, HeadTimes};

/// Parses the head of a line of games. Returns `None` for any other line, and if the general parser
/// is needed.
pub(super) fn parse_head(json: &[u8]) -> Option<Head<'_>> {
    // Times are last, and end with one more bracket.
    if json.ends_with(b"}}}") {
        return None;
    }
    let rest = json.strip_prefix(br#"{"games":{"key":""#)?;
    // A key has letters and digits, none of them escaped.
    let end = rest.iter().position(|byte| !matches!(byte, b' '..=b'~') || matches!(byte, b'"' | b'\\'))?;
    let key = Cow::Borrowed(str::from_utf8(&rest[..end]).ok()?);
    let mut rest = rest[end..].strip_prefix(b"\"")?;
    let mut optional = |word: &[u8]| match rest.strip_prefix(word) {
        Some(behind) => {
            let (number, behind) = parse_number(behind)?;
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

/// Beginning of the first column that a line has.
const COLUMNS: [&[u8]; 3] = [b",\"seeds\":[", b",\"score\":[", b",\"facts\":["];

/// Parses a whole number at the beginning of some bytes; returns it and the rest. JSON has no
/// number with a leading 0.
fn parse_number(bytes: &[u8]) -> Option<(u64, &[u8])> {
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
    use crate::entry::{GamesEntry, JournalEntry, verify_line};

    /// Returns the head if this parser reads the line. Then the general parser must read the line
    /// too, and equally.
    fn read(json: &[u8]) -> Option<Head<'_>> {
        let head = parse_head(json)?;
        match serde_json::from_slice(json) {
            Ok(JournalEntry::Games(general)) => assert_eq!(head, general),
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
        let solo = || GamesEntry::new("0123456789abcdef-77", &records, 2);
        let [mut listed, mut numbered, mut counted] = [solo(), solo(), solo()];
        listed.seeds = vec![1, 2, u64::MAX];
        numbered.first = Some(0);
        numbered.threads = 2;
        counted.nodes = vec![1, 2, 3];
        counted.session = Some(3);
        let drawn = GameRecord { outcome: Outcome::Drawn, ..records[0] };
        vec![listed, numbered, counted, GamesEntry::new("of two", &[drawn, drawn], 0)]
    }

    #[test]
    fn what_is_written_is_read_at_once() {
        for games in lines() {
            let framed = games.to_line();
            let (_, json) = verify_line(&framed.bytes).expect("a line");
            assert_eq!(read(json), Some(framed.head), "{}", String::from_utf8_lossy(json));
        }
    }

    /// Lines with a changed, missing or doubled byte are parsed as by the general parser, or left
    /// to it.
    #[test]
    fn nothing_else_is_read_otherwise() {
        let mut at_once = 0;
        for games in lines() {
            let framed = games.to_line();
            let (_, json) = verify_line(&framed.bytes).expect("a line");
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
            assert_eq!(parse_head(json.as_bytes()), None, "{json}");
        }
    }
}
