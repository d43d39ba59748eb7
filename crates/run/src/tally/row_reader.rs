//! Reads the rows of `games.csv`. There may be millions of rows, so they are read without the csv
//! crate, which takes several times as long.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read};
use std::num::ParseIntError;
use std::str::FromStr;

use anyhow::{Context, ensure};
use gauntlet_core::disk::MAX_LINE_LENGTH;
use gauntlet_core::game::{Fact, Facts, Outcome, Seat, Shape};
use gauntlet_core::record::{Ending, GameRecord};
use memchr::memchr;

use super::rows::seat_name;
use crate::decimal;

/// Bytes that are read at once.
const BUFFER_BYTES: usize = 1 << 17;

/// A row of `games.csv`, parsed.
pub(super) struct ReadRow<'a> {
    /// Names of the players, as seated in this game.
    pub(super) names: [Cow<'a, [u8]>; 2],
    pub(super) block: u64,
    /// Leg of the block.
    pub(super) leg: u64,
    pub(super) seed: u64,
    pub(super) record: GameRecord,
}

/// Reads the rows of games of this shape with these facts. In a solo game both names are the
/// player's.
pub(super) fn read_rows(
    csv: &mut dyn Read,
    shape: Shape,
    facts: &[Fact],
    on_row: &mut dyn FnMut(ReadRow) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let input = ByteDetector { input: csv, has_quotes: false, is_ascii: true };
    let mut rows = Rows {
        input: BufReader::with_capacity(BUFFER_BYTES, input),
        used_bytes: 0,
        copied_row: Vec::new(),
        next_line: 1,
    };
    let columns = find_columns(rows.next()?.unwrap_or_default().text, shape, facts)?;
    while let Some(Row { line, text, is_ascii }) = rows.next()? {
        if !text.is_empty() {
            if !is_ascii {
                str::from_utf8(text).with_context(|| format!("line {line}"))?;
            }
            on_row(parse_row(Fields { line, rest: Some(text) }, &columns, shape)?)?;
        }
    }
    Ok(())
}

/// An input, and what its bytes up to now have. Few files have a quotation mark or a character
/// outside ASCII, and looking for them in large parts is fast.
struct ByteDetector<'a> {
    input: &'a mut dyn Read,
    has_quotes: bool,
    is_ascii: bool,
}

impl Read for ByteDetector<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(bytes)?;
        self.has_quotes |= bytes[..count].contains(&b'"');
        self.is_ascii &= bytes[..count].is_ascii();
        Ok(count)
    }
}

/// A row that is not parsed yet.
#[derive(Default)]
struct Row<'a> {
    /// Number of its first line. A row has several lines if a quoted name has.
    line: u64,
    /// The row without the end of its line.
    text: &'a [u8],
    /// False if the file has a byte that is not ASCII, here or elsewhere.
    is_ascii: bool,
}

impl<'a> Row<'a> {
    fn new(line: u64, bytes: &'a [u8], is_ascii: bool) -> Row<'a> {
        let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        Row { line, text: text.strip_suffix(b"\r").unwrap_or(text), is_ascii }
    }
}

/// Rows of a file, one after another.
struct Rows<'a> {
    input: BufReader<ByteDetector<'a>>,
    /// Bytes of the input's buffer that the last row takes.
    used_bytes: usize,
    /// A row that is not in the buffer as a whole, or may have quotation marks.
    copied_row: Vec<u8>,
    next_line: u64,
}

impl Rows<'_> {
    /// Returns the next row.
    fn next(&mut self) -> io::Result<Option<Row<'_>>> {
        self.input.consume(std::mem::take(&mut self.used_bytes));
        let ByteDetector { has_quotes, is_ascii, .. } = *self.input.get_ref();
        let end = if has_quotes { None } else { memchr(b'\n', self.input.buffer()) };
        let Some(end) = end else { return self.copy_next() };
        self.used_bytes = end + 1;
        self.next_line += 1;
        Ok(Some(Row::new(self.next_line - 1, &self.input.buffer()[..end], is_ascii)))
    }

    /// Copies the next row.
    fn copy_next(&mut self) -> io::Result<Option<Row<'_>>> {
        let line = self.next_line;
        self.copied_row.clear();
        let mut quotes = 0;
        loop {
            let start = self.copied_row.len();
            let limit = (MAX_LINE_LENGTH + 1 - start) as u64;
            (&mut self.input).take(limit).read_until(b'\n', &mut self.copied_row)?;
            if self.copied_row.len() > MAX_LINE_LENGTH {
                let message = format!("a row is longer than {} MiB", MAX_LINE_LENGTH >> 20);
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
            }
            self.next_line += 1;
            let part = &self.copied_row[start..];
            if self.input.get_ref().has_quotes {
                quotes += part.iter().filter(|&&byte| byte == b'"').count();
            }
            if part.is_empty() || quotes % 2 == 0 {
                let is_ascii = self.input.get_ref().is_ascii;
                let row = Row::new(line, &self.copied_row, is_ascii);
                return Ok((!self.copied_row.is_empty()).then_some(row));
            }
        }
    }
}

/// What a column contains.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    /// Player of a solo game.
    Player,
    /// Player in a seat of a duel.
    Seated(Seat),
    Block,
    Leg,
    Seed,
    Score,
    Fact(usize),
    Moves,
    Won,
    Winner,
    Ending,
    /// Seat at fault.
    AtFault,
    /// Nothing that a record has.
    Other,
}

/// Returns what the columns contain, by the line of their names.
fn find_columns(header: &[u8], shape: Shape, facts: &[Fact]) -> anyhow::Result<Vec<Column>> {
    let mut required = vec![
        ("block", Column::Block),
        ("seed", Column::Seed),
        ("moves", Column::Moves),
        ("ending", Column::Ending),
    ];
    required.extend(match shape {
        Shape::Solo => &[("player", Column::Player), ("score", Column::Score), ("won", Column::Won)][..],
        Shape::Duel => &[
            ("first", Column::Seated(Seat::First)),
            ("second", Column::Seated(Seat::Second)),
            ("leg", Column::Leg),
            ("winner", Column::Winner),
            ("at_fault", Column::AtFault),
        ],
    });
    let mut fields = Fields { line: 1, rest: Some(header) };
    let names: Vec<_> = std::iter::from_fn(|| fields.next()).collect();
    let mut columns = vec![Column::Other; names.len()];
    for &(name, column) in &required {
        let index = names.iter().position(|other| **other == *name.as_bytes());
        columns[index.with_context(|| format!("it has no column `{name}`"))?] = column;
    }
    for (number, fact) in facts.iter().enumerate() {
        if let Some(index) = names.iter().position(|name| **name == *fact.column.as_bytes()) {
            columns[index] = Column::Fact(number);
        }
    }
    Ok(columns)
}

fn parse_row<'a>(mut fields: Fields<'a>, columns: &[Column], shape: Shape) -> anyhow::Result<ReadRow<'a>> {
    let line = fields.line;
    let mut names: [Cow<[u8]>; 2] = [Cow::Borrowed(&[]), Cow::Borrowed(&[])];
    let (mut block, mut leg, mut seed) = (0, 0, 0);
    let (mut score, mut won, mut winner) = (0, false, None);
    let (mut facts, mut moves, mut ending, mut at_fault) = (Facts::default(), 0, None, Seat::First);
    for &column in columns {
        match column {
            Column::Player => names[0] = fields.field()?,
            Column::Seated(seat) => names[seat.number()] = fields.field()?,
            Column::Block => block = fields.number()?,
            Column::Leg => leg = fields.number()?,
            Column::Seed => seed = fields.number()?,
            Column::Score => score = fields.number()?,
            Column::Fact(number) => facts[number] = fields.number()?,
            Column::Moves => moves = fields.number()?,
            Column::Won => won = *fields.field()? == *b"true",
            Column::Winner => {
                winner = Some(
                    parse_winner(&fields.field()?).with_context(|| format!("invalid winner: line {line}"))?,
                )
            }
            Column::Ending => ending = Some(fields.field()?),
            Column::AtFault => {
                let text = fields.field()?;
                let seat = if text.is_empty() { Some(Seat::First) } else { parse_seat(&text) };
                at_fault = seat.with_context(|| format!("invalid seat at fault: line {line}"))?;
            }
            Column::Other => drop(fields.field()?),
        }
    }
    ensure!(fields.rest.is_none(), "line {line} has too many columns");
    if shape == Shape::Solo {
        names[1] = names[0].clone();
    }
    let ending = ending
        .and_then(|name| parse_ending(&name, at_fault))
        .with_context(|| format!("invalid ending: line {line}"))?;
    let outcome = winner.unwrap_or(Outcome::Points { score, won });
    Ok(ReadRow { names, block, leg, seed, record: GameRecord { outcome, facts, moves, ending } })
}

/// Parses an ending as in `games.csv`, given the seat that is at fault if the ending is a fault.
fn parse_ending(name: &[u8], at_fault: Seat) -> Option<Ending> {
    Ending::ALL.into_iter().find(|ending| {
        ending.name().as_bytes() == name && ending.seat_at_fault().is_none_or(|seat| seat == at_fault)
    })
}

/// Parses the outcome of a duel as in `games.csv`.
fn parse_winner(text: &[u8]) -> Option<Outcome> {
    if text == b"none" { Some(Outcome::Drawn) } else { parse_seat(text).map(Outcome::Won) }
}

/// Parses a seat as in `games.csv`.
fn parse_seat(text: &[u8]) -> Option<Seat> {
    [Seat::First, Seat::Second].into_iter().find(|&seat| seat_name(seat) == text)
}

/// Fields of a row that are not parsed yet.
struct Fields<'a> {
    /// First line of the row.
    line: u64,
    /// Text of the fields, separated by commas; `None` after the last field.
    rest: Option<&'a [u8]>,
}

impl<'a> Fields<'a> {
    fn next(&mut self) -> Option<Cow<'a, [u8]>> {
        let rest = self.rest?;
        if let Some(quoted) = rest.strip_prefix(b"\"") {
            return self.unquote(quoted).map(Cow::Owned);
        }
        let end = rest.iter().position(|&byte| byte == b',');
        self.rest = end.map(|end| &rest[end + 1..]);
        Some(Cow::Borrowed(&rest[..end.unwrap_or(rest.len())]))
    }

    /// Returns the field that begins after a quotation mark, up to the next single one. Returns
    /// `None` if other text follows.
    fn unquote(&mut self, mut rest: &'a [u8]) -> Option<Vec<u8>> {
        let mut field = Vec::new();
        loop {
            let end = rest.iter().position(|&byte| byte == b'"').unwrap_or(rest.len());
            field.extend_from_slice(&rest[..end]);
            rest = rest.get(end + 1..).unwrap_or_default();
            match rest.first() {
                Some(b'"') => field.push(b'"'),
                Some(b',') => {
                    self.rest = Some(&rest[1..]);
                    return Some(field);
                }
                None => {
                    self.rest = None;
                    return Some(field);
                }
                Some(_) => return None,
            }
            rest = &rest[1..];
        }
    }

    fn field(&mut self) -> anyhow::Result<Cow<'a, [u8]>> {
        self.next()
            .with_context(|| format!("line {} has too few columns or a misplaced quotation mark", self.line))
    }

    fn number<N: TryFrom<u64> + FromStr<Err = ParseIntError>>(&mut self) -> anyhow::Result<N> {
        // Nearly all fields are digits, as this program writes them.
        if let Some((number, rest)) = self.rest.and_then(decimal::parse_number)
            && let Ok(number) = N::try_from(number)
            && let None | Some(b',') = rest.first()
        {
            self.rest = rest.get(1..);
            return Ok(number);
        }
        let field = self.field()?;
        String::from_utf8_lossy(&field).parse().with_context(|| format!("line {}", self.line))
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::arena::Arena;
    use gauntlet_core::rng::{Rng, Seed};
    use gauntlet_games::GAMES;

    use anyhow::bail;

    use super::*;
    use crate::tally::rows::columns;

    /// Names, numbers and text of a row, in the order of [`read`].
    type RowText = (Vec<String>, [u64; 3], String);

    fn read(csv: &mut dyn Read, game: &str) -> anyhow::Result<Vec<RowText>> {
        let arena = Arena::find(&GAMES, game).expect("a game");
        let mut rows = Vec::new();
        read_rows(csv, arena.shape, arena.facts, &mut |row| {
            let names = row.names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
            rows.push((names, [row.block, row.leg, row.seed], format!("{:?}", row.record)));
            Ok(())
        })?;
        Ok(rows)
    }

    /// Reads rows with the csv crate.
    fn read_plainly(csv: &[u8], game: &str) -> anyhow::Result<Vec<RowText>> {
        let arena = Arena::find(&GAMES, game).expect("a game");
        let mut reader = csv::Reader::from_reader(csv);
        let names = reader.headers()?.clone();
        let column = |name: &str| names.iter().position(|other| other == name);
        let mut rows = Vec::new();
        for row in reader.records() {
            let row = row?;
            let text = |name: &str| column(name).map(|index| row[index].to_owned()).context("a column");
            let number = |name: &str| -> anyhow::Result<u64> { Ok(text(name)?.parse()?) };
            let mut facts = Facts::default();
            for (fact, own) in facts.iter_mut().zip(arena.facts) {
                *fact = column(own.column).map_or(Ok(0), |index| row[index].parse())?;
            }
            let seat = |text: &str| match text {
                "first" => Some(Seat::First),
                "second" => Some(Seat::Second),
                _ => None,
            };
            let (names, leg, outcome, at_fault) = match arena.shape {
                Shape::Solo => {
                    let outcome = Outcome::Points { score: number("score")?, won: text("won")? == "true" };
                    (vec![text("player")?; 2], 0, outcome, Seat::First)
                }
                Shape::Duel => {
                    let winner = text("winner")?;
                    let outcome = match seat(&winner) {
                        Some(winner) => Outcome::Won(winner),
                        None if winner == "none" => Outcome::Drawn,
                        None => bail!("invalid winner"),
                    };
                    let at_fault = seat(&text("at_fault")?).unwrap_or(Seat::First);
                    (vec![text("first")?, text("second")?], number("leg")?, outcome, at_fault)
                }
            };
            let name = text("ending")?;
            let is_own = |ending: &Ending| {
                ending.name() == name && ending.seat_at_fault().is_none_or(|seat| seat == at_fault)
            };
            let ending = Ending::ALL.into_iter().find(is_own).context("an ending")?;
            let record = GameRecord { outcome, facts, moves: text("moves")?.parse()?, ending };
            rows.push((names, [number("block")?, leg, number("seed")?], format!("{record:?}")));
        }
        Ok(rows)
    }

    fn pick<'a>(rng: &mut Rng, texts: &[&'a str]) -> &'a str {
        texts[rng.below(texts.len() as u64) as usize]
    }

    /// Rows of both shapes, with quoted names, columns in any order and other columns are read as
    /// by the csv crate. This reader accepts no damaged row that the crate refuses.
    #[test]
    fn rows_are_those_of_the_csv_crate() {
        let (mut equal_count, mut refused_count) = (0, 0);
        for seed in 0..4000 {
            let mut rng = Seed::root(seed).rng();
            let game = pick(&mut rng, &["2048", "gomoku"]);
            let arena = Arena::find(&GAMES, game).expect("a game");
            let mut names: Vec<_> = columns(arena.shape, arena.facts).iter().map(|(name, _)| *name).collect();
            if rng.below(3) == 0 {
                names.insert(rng.below(3) as usize, "other");
                let other = rng.below(names.len() as u64) as usize;
                names.swap(0, other);
            }
            let mut csv = names.join(",");
            for _ in 0..rng.below(4) {
                let fields = names.iter().map(|&name| match name {
                    "player" | "first" | "second" => {
                        pick(&mut rng, &["a", "b b", "\"a,b\"", "\"a\"\"b\"", "\"a\nb\""]).to_owned()
                    }
                    "won" => pick(&mut rng, &["true", "false"]).to_owned(),
                    "winner" => pick(&mut rng, &["first", "second", "none"]).to_owned(),
                    "at_fault" => pick(&mut rng, &["first", "second", ""]).to_owned(),
                    "ending" => pick(&mut rng, &["game-over", "crashed", "max-moves", "panic"]).to_owned(),
                    "opening" | "other" => pick(&mut rng, &["", "h8 i9", "x"]).to_owned(),
                    "moves" | "leg" => rng.below(100).to_string(),
                    _ => (rng.bits() >> (1 + rng.below(63))).to_string(),
                });
                let row = fields.collect::<Vec<_>>().join(",");
                csv += pick(&mut rng, &["\n", "\n", "\n\n", "\r\n"]);
                csv += &row;
            }
            csv += pick(&mut rng, &["\n", "", "\r\n"]);
            let expected = read_plainly(csv.as_bytes(), game).expect("rows");
            assert_eq!(read(&mut csv.as_bytes(), game).expect("rows"), expected, "{csv}");
            equal_count += expected.len();
            // A damaged byte after the line of names. The csv crate also ends lines at a carriage
            // return.
            let start = names.join(",").len();
            let mut bytes = csv.into_bytes();
            if bytes.len() > start + 1 && !bytes.contains(&b'\r') {
                let index = start + 1 + rng.below((bytes.len() - start - 1) as u64) as usize;
                bytes[index] = pick(&mut rng, &["x", ",", "7", "-", " "]).as_bytes()[0];
                let rows = read(&mut &bytes[..], game).ok();
                refused_count += usize::from(rows.is_none());
                if rows.is_some() {
                    assert_eq!(rows, read_plainly(&bytes, game).ok(), "{}", String::from_utf8_lossy(&bytes));
                }
            }
        }
        assert!(equal_count > 5000 && refused_count > 500, "{equal_count} {refused_count}");
    }

    /// Rows that begin in one part of the file and end in the next are read as by the csv crate,
    /// also after the first quotation mark or the first byte outside ASCII.
    #[test]
    fn rows_across_parts_are_those_of_the_csv_crate() {
        let mut csv = "player,block,seed,score,max_tile,moves,won,ending\n".to_owned();
        for block in 0..40_000 {
            let name = match block {
                0..10_000 => "a",
                10_000..20_000 => "\u{e9}",
                _ => "\"a\nb\"",
            };
            csv += &format!("{name},{block},{},16,8,3,false,game-over\n", block * block);
        }
        assert!(csv.len() > 10 * BUFFER_BYTES);
        let expected = read_plainly(csv.as_bytes(), "2048").expect("rows");
        assert!(read(&mut csv.as_bytes(), "2048").expect("rows") == expected);
        // An invalid byte in a name, before and after the first quotation mark.
        for (row, line) in [("\u{e9},15000,", 15_002), ("\"a\nb\",30000,", 40_002)] {
            let mut bytes = csv.clone().into_bytes();
            bytes[csv.find(row).expect("a row") + row.len() - ",15000,".len() - 2] = 0xff;
            let error = format!("{:#}", read(&mut &bytes[..], "2048").expect_err("an invalid byte"));
            assert!(error.starts_with(&format!("line {line}")), "{error}");
        }
    }

    /// A quoted name may contain line breaks. A quote that is never closed is read only up to the
    /// longest row.
    #[test]
    fn a_row_without_end_is_refused() {
        let row = |name: &str| {
            format!("player,block,seed,score,max_tile,moves,won,ending\n{name},0,7,16,8,3,false,game-over\n")
        };
        let rows = read(&mut row("\"a\nb\"").as_bytes(), "2048").expect("rows");
        assert_eq!(rows[0].0, ["a\nb", "a\nb"]);
        let unclosed = row("a") + "\"b";
        let error = read(&mut unclosed.as_bytes().chain(io::repeat(b'\n')), "2048").expect_err("no end");
        assert!(format!("{error:#}").contains("a row is longer than 16 MiB"), "{error:#}");
    }

    #[test]
    fn messages_have_the_line() {
        let rows = "player,block,seed,score,moves,won,ending\na,0,7,16,3,false,game-over\n";
        for (row, message) in [
            ("a,0,7,16,3,false,won", "invalid ending: line 3"),
            ("a,0,7,1x,3,false,game-over", "line 3: invalid digit found in string"),
            ("a,0,7,16,4294967296,false,game-over", "line 3: number too large to fit in target type"),
            ("a,0,7,16,3,false", "line 3 has too few columns or a misplaced quotation mark"),
            ("a,0,7,16,3,false,game-over,", "line 3 has too many columns"),
        ] {
            let error = read(&mut format!("{rows}{row}").as_bytes(), "2048").expect_err("an invalid row");
            assert_eq!(format!("{error:#}"), message);
        }
        let error = read(&mut &b"player,block,seed,score,moves,won\n"[..], "2048").expect_err("no ending");
        assert_eq!(format!("{error:#}"), "it has no column `ending`");
    }
}
