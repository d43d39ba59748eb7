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
    let mut optional_number = |prefix: &[u8]| match rest.strip_prefix(prefix) {
        Some(after_prefix) => {
            let (number, after_number) = parse_number(after_prefix)?;
            rest = after_number;
            Some(Some(number))
        }
        None => Some(None),
    };
    let first = optional_number(b",\"first\":")?;
    let games = u32::try_from(optional_number(b",\"games\":")??).ok()?;
    let session = optional_number(b",\"session\":")?.map(usize::try_from).transpose().ok()?;
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
        let [mut with_seeds, mut with_first, mut with_nodes] = [solo(), solo(), solo()];
        with_seeds.seeds = vec![1, 2, u64::MAX];
        with_first.first = Some(0);
        with_first.threads = 2;
        with_nodes.nodes = vec![1, 2, 3];
        with_nodes.session = Some(3);
        let draw = GameRecord { outcome: Outcome::Drawn, ..records[0] };
        vec![with_seeds, with_first, with_nodes, GamesEntry::new("of two", &[draw, draw], 0)]
    }

    #[test]
    fn what_is_written_is_read_at_once() {
        for games in lines() {
            let line = games.to_line();
            let (_, json) = verify_line(&line.bytes).expect("a line");
            assert_eq!(read(json), Some(line.head), "{}", String::from_utf8_lossy(json));
        }
    }

    /// Lines with a changed, missing or doubled byte are parsed as by the general parser, or left
    /// to it.
    #[test]
    fn nothing_else_is_read_otherwise() {
        let mut parsed_count = 0;
        for games in lines() {
            let line = games.to_line();
            let (_, json) = verify_line(&line.bytes).expect("a line");
            let is_column_start =
                |index: &usize| COLUMNS.iter().any(|column| json[*index..].starts_with(column));
            let head_length = (0..json.len()).find(is_column_start).expect("columns");
            for index in 0..head_length {
                for byte in *b"\"\\,:[]{}-019 .ex" {
                    let mut changed_json = json.to_vec();
                    changed_json[index] = byte;
                    parsed_count += usize::from(read(&changed_json).is_some());
                    changed_json.insert(index, json[index]);
                    parsed_count += usize::from(read(&changed_json).is_some());
                }
                let shortened = [&json[..index], &json[index + 1..]].concat();
                parsed_count += usize::from(read(&shortened).is_some());
            }
        }
        assert!(parsed_count > 200, "{parsed_count}");
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
