//! Parser of lines of games. Lines as this program writes them, in one order and without blanks,
//! are parsed here. A general JSON parser, which takes four times as long, parses all other lines.
//!
//! The head of a line is enough to open a journal. The journal of a tuning has many short lines,
//! half a million for a million games. The checksum protects the columns after the head, which are
//! parsed when the games are used.

use std::borrow::Cow;

use anyhow::Context;
use gauntlet_core::game::MAX_FACTS;
use gauntlet_core::record::ClockReadings;
use serde::Deserialize;

use super::decimal;
use super::entry::{CHECKSUM, GamesEntry, Head, HeadTimes, JournalEntry, verify_line};

/// Parses a line of games and verifies its checksum.
pub fn parse(line: &[u8]) -> anyhow::Result<GamesEntry> {
    let games = verify_line(line).and_then(|(_, json)| parse_json(json));
    games.context("a line of the journal is damaged")
}

/// Parses a line of games whose checksum is known to be right.
pub(super) fn parse_verified(line: &[u8]) -> Option<GamesEntry> {
    parse_json(line.strip_suffix(b"\n")?.get(CHECKSUM + 1..)?)
}

fn parse_json(json: &[u8]) -> Option<GamesEntry> {
    parse_games(json).or_else(|| match serde_json::from_slice(json) {
        Ok(JournalEntry::Games(games)) => Some(games),
        _ => None,
    })
}

/// Parses a line of games. Returns `None` for any other line, and if the general parser is needed.
fn parse_games(json: &[u8]) -> Option<GamesEntry> {
    let mut rest = Scanner(json);
    let Head { key, first, games, session, .. } = rest.head()?;
    let count = games as usize;
    let seeds = rest.column(b",\"seeds\":", count, Scanner::number)?;
    let score = rest.column(b",\"score\":", count, Scanner::number)?;
    rest.skip(b",\"facts\":")?;
    // No fact is negative in the built-in games. Their number limits what a hostile line reserves.
    let mut fact_count = 0;
    let facts = rest.list(MAX_FACTS, |rest| {
        fact_count += 1;
        if fact_count > MAX_FACTS { None } else { rest.list(count, Scanner::number) }
    })?;
    rest.skip(b",\"moves\":")?;
    let moves = rest.list(count, Scanner::number)?;
    rest.skip(b",\"won\":")?;
    let won = rest.list(0, Scanner::number)?;
    let lost = if rest.skip_if(b",\"lost\":") { Some(rest.list(0, Scanner::number)?) } else { None };
    rest.skip(b",\"endings\":")?;
    let endings = rest.list(0, Scanner::pair)?;
    let nodes = rest.column(b",\"nodes\":", count, Scanner::number)?;
    let Tail { threads, times, rival_times } = parse_tail(rest.0)?;
    let key = key.into_owned();
    let played = Vec::new();
    Some(GamesEntry {
        key,
        first,
        games,
        session,
        seeds,
        score,
        facts,
        moves,
        won,
        lost,
        endings,
        nodes,
        played,
        threads,
        times,
        rival_times,
    })
}

/// Parses the head of a line of games. Returns `None` for any other line, and if the general parser
/// is needed.
pub(super) fn parse_head(json: &[u8]) -> Option<Head<'_>> {
    let mut rest = Scanner(json);
    let head = rest.head()?;
    if !COLUMNS.iter().any(|&column| rest.0.starts_with(column)) {
        return None;
    }
    // Times are last, and end with one more bracket.
    if !json.ends_with(b"}}}") {
        return Some(head);
    }
    // A quotation mark inside a string is escaped, so no string contains this name.
    let start = rest.0.windows(THREADS.len()).rposition(|bytes| bytes == THREADS)?;
    let Tail { times, rival_times, .. } = parse_tail(&rest.0[start..])?;
    Some(Head {
        times: HeadTimes::from(&times),
        rival_times: rival_times.as_ref().map(HeadTimes::from),
        ..head
    })
}

/// Beginning of the first column that a line has.
const COLUMNS: [&[u8]; 3] = [b",\"seeds\":[", b",\"score\":[", b",\"facts\":["];

/// Beginning of what follows the columns.
const THREADS: &[u8] = b",\"threads\":";

/// What follows the columns of a line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tail {
    threads: usize,
    #[serde(default)]
    times: ClockReadings,
    #[serde(default)]
    rival_times: Option<ClockReadings>,
}

/// Parses the end of a line, which begins with a comma and closes the objects of the line.
fn parse_tail(bytes: &[u8]) -> Option<Tail> {
    let fields = bytes.strip_prefix(b",")?.strip_suffix(b"}")?;
    serde_json::from_slice(&[b"{", fields].concat()).ok()
}

/// Rest of a line.
struct Scanner<'a>(&'a [u8]);

impl<'a> Scanner<'a> {
    /// Parses the head without times, which is the beginning of the line.
    fn head(&mut self) -> Option<Head<'a>> {
        self.skip(br#"{"games":{"key":""#)?;
        // A key has letters and digits, none of them escaped.
        let is_end = |byte: &u8| !matches!(byte, b' '..=b'~') || matches!(byte, b'"' | b'\\');
        let (key, rest) = self.0.split_at(self.0.iter().position(is_end)?);
        self.0 = rest;
        self.skip(b"\"")?;
        let key = Cow::Borrowed(str::from_utf8(key).ok()?);
        let first = self.optional_number(b",\"first\":")?;
        self.skip(b",\"games\":")?;
        let games = self.number()?;
        let session = self.optional_number(b",\"session\":")?;
        Some(Head { key, first, games, session, times: HeadTimes::default(), rival_times: None })
    }

    fn optional_number<N: TryFrom<u64>>(&mut self, name: &[u8]) -> Option<Option<N>> {
        if self.skip_if(name) { self.number().map(Some) } else { Some(None) }
    }

    /// Parses a column, which is empty if the line does not have it. `count` is its probable
    /// length.
    fn column<T>(
        &mut self,
        name: &[u8],
        count: usize,
        item: impl Fn(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        if self.skip_if(name) { self.list(count, item) } else { Some(Vec::new()) }
    }

    fn list<T>(&mut self, count: usize, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.skip(b"[")?;
        if self.skip_if(b"]") {
            return Some(Vec::new());
        }
        // Each item has a comma or a bracket after it.
        let mut items = Vec::with_capacity(count.min(self.0.len() / 2));
        loop {
            items.push(item(self)?);
            let (end, rest) = self.0.split_first()?;
            self.0 = rest;
            match end {
                b',' => {}
                b']' => return Some(items),
                _ => return None,
            }
        }
    }

    /// Parses an index and a code in brackets.
    fn pair(&mut self) -> Option<(u32, u8)> {
        self.skip(b"[")?;
        let index = self.number()?;
        self.skip(b",")?;
        let code = self.number()?;
        self.skip(b"]")?;
        Some((index, code))
    }

    /// Parses a whole number. JSON has no number with a leading 0.
    #[inline]
    fn number<N: TryFrom<u64>>(&mut self) -> Option<N> {
        let (number, rest) = decimal::parse_number(self.0)?;
        let has_leading_zero = self.0[0] == b'0' && self.0.len() > rest.len() + 1;
        self.0 = rest;
        N::try_from(number).ok().filter(|_| !has_leading_zero)
    }

    /// Skips a text that must follow.
    fn skip(&mut self, text: &[u8]) -> Option<()> {
        self.skip_if(text).then_some(())
    }

    /// Skips a text if it follows, and returns true if it does.
    fn skip_if(&mut self, text: &[u8]) -> bool {
        let rest = self.0.strip_prefix(text);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::game::{Facts, Outcome, Seat};
    use gauntlet_core::record::{CalibrationRuns, Ending, GameRecord};

    use super::*;

    /// Returns the head if this parser reads it. Then the general parser must read the line too,
    /// and equally.
    fn read(json: &[u8]) -> Option<Head<'_>> {
        let head = parse_head(json)?;
        match serde_json::from_slice(json) {
            Ok(JournalEntry::Games(general)) => assert_eq!(head, general),
            _ => panic!("{} is no line of games", String::from_utf8_lossy(json)),
        }
        Some(head)
    }

    /// Returns the games if this parser reads them. Then the general parser must read the line too,
    /// and equally.
    fn read_games(json: &[u8]) -> Option<GamesEntry> {
        let games = parse_games(json)?;
        match serde_json::from_slice(json) {
            Ok(JournalEntry::Games(general)) => assert_eq!(games, general),
            _ => panic!("{} is no line of games", String::from_utf8_lossy(json)),
        }
        Some(games)
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
        let times = ClockReadings {
            cpu_ns: 5,
            yardsticks: CalibrationRuns { count: 1, ns: 20 },
            histogram: vec![(3, 1), (7, 2)],
            ..ClockReadings::default()
        };
        let draw = GameRecord { outcome: Outcome::Drawn, ..records[0] };
        let win = GameRecord { outcome: Outcome::Won(Seat::Second), ..records[0] };
        let duel = || GamesEntry::new("of two", &[draw, win], 0);
        let [mut with_times, mut with_rival_times] = [solo(), duel()];
        with_times.set_times(vec![times.clone()]);
        with_rival_times.set_times(vec![times.clone(), times]);
        vec![with_seeds, with_first, with_nodes, duel(), with_times, with_rival_times]
    }

    #[test]
    fn own_lines_need_no_general_parser() {
        for games in lines() {
            let line = games.to_line();
            let (_, json) = verify_line(&line.bytes).expect("a line");
            assert_eq!(read(json), Some(line.head), "{}", String::from_utf8_lossy(json));
            assert_eq!(read_games(json), Some(games), "{}", String::from_utf8_lossy(json));
        }
    }

    /// Lines with a changed, missing or doubled byte are parsed as by the general parser, or left
    /// to it.
    #[test]
    fn changed_lines_agree_with_the_general_parser() {
        let (mut head_count, mut games_count) = (0, 0);
        let mut check = |json: &[u8], is_head: bool| {
            head_count += usize::from(is_head && read(json).is_some());
            games_count += usize::from(read_games(json).is_some());
        };
        for games in lines() {
            let line = games.to_line();
            let (_, json) = verify_line(&line.bytes).expect("a line");
            let is_column_start =
                |index: &usize| COLUMNS.iter().any(|column| json[*index..].starts_with(column));
            let head_length = (0..json.len()).find(is_column_start).expect("columns");
            for index in 0..json.len() {
                for byte in *b"\"\\,:[]{}-019 .ex" {
                    let mut changed_json = json.to_vec();
                    changed_json[index] = byte;
                    check(&changed_json, index < head_length);
                    changed_json.insert(index, json[index]);
                    check(&changed_json, index < head_length);
                }
                check(&[&json[..index], &json[index + 1..]].concat(), index < head_length);
            }
        }
        assert!(head_count > 200 && games_count > 1000, "{head_count} {games_count}");
    }

    #[test]
    fn a_line_with_too_many_facts_is_left_to_the_general_parser() {
        let format_line = |facts: &str| {
            format!(
                r#"{{"games":{{"key":"k","first":0,"games":1,"facts":[{facts}],"moves":[1],"won":[],"endings":[],"threads":1}}}}"#
            )
        };
        assert!(parse_games(format_line("[1],[2]").as_bytes()).is_some());
        assert_eq!(parse_games(format_line("[1],[2],[3]").as_bytes()), None);
    }

    #[test]
    fn what_is_written_otherwise_is_left_to_the_general_parser() {
        for json in [
            r#"{"games":{"key":"k","first":18446744073709551616,"games":1,"facts":[],"moves":[1],"won":[],"endings":[],"threads":1}}"#,
            r#"{"games":{"key":"k","games":1,"facts":[],"moves":[1],"won":[],"endings":[],"threads":1,"times":{"moves":1}}}"#,
            r#"{"games":{"games":1,"key":"k","threads":1}}"#,
            r#"{"games":{"key":"\u0041","games":1,"threads":1}}"#,
            r#"{"games":{"key":"k","games":4294967296,"threads":1}}"#,
            r#"{"games": {"key":"k","games":1,"threads":1}}"#,
            r#"{"end":{"seconds":1.0}}"#,
        ] {
            assert_eq!(parse_head(json.as_bytes()), None, "{json}");
            assert_eq!(parse_games(json.as_bytes()), None, "{json}");
        }
    }
}
