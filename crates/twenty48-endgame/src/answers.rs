//! Answers of tables: which table has a board, and its best move.

use std::path::Path;
use std::str::FromStr;
use std::{fmt, fs, io};

use anyhow::{Context, bail};
use gauntlet_core::player::Preparation;
use gauntlet_core::text::{display_path, quote_path};
use gauntlet_twenty48::rules::{Cells, Direction};
use serde::{Deserialize, Serialize};

use crate::exact_rule::{CERTAINTY, ExactRule, Shape};
use crate::image::Image;
use crate::kind::Kind;
use crate::macroxue::MacroxueShape;
use crate::rule::{Outcome, Rule};
use crate::table::{AnyRule, Table};
use crate::values::legal_slides;

/// Move of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advice {
    /// Best move.
    pub direction: Direction,
    /// Probability to win by the best moves.
    pub probability: f64,
    /// Kind of the table.
    pub kind: Kind,
    /// Probability of each move that the table has, by [`Direction`].
    pub moves: [Option<f64>; 4],
}

/// Answer of a table about a board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// The table is not for such boards, or every move changes a large tile.
    NotCovered,
    /// The table is for such boards, but does not contain this one.
    Unknown,
    /// The table contains the board. With a probability of 0, the best move means nothing.
    Known(Advice),
}

impl Answer {
    /// Returns the best move, if the table has the board.
    pub fn advice(self) -> Option<Advice> {
        match self {
            Answer::Known(advice) => Some(advice),
            Answer::NotCovered | Answer::Unknown => None,
        }
    }
}

impl Advice {
    fn new(kind: Kind, moves: [Option<f64>; 4], direction: Direction) -> Option<Advice> {
        Some(Advice { direction, probability: moves[direction as usize]?, kind, moves })
    }
}

/// Moves in the order of tables. The first of equal moves is made.
const DIRECTIONS: [Direction; 4] = [Direction::Up, Direction::Left, Direction::Right, Direction::Down];

impl Table {
    /// Returns the best move and its probability, if the table contains this board. Fails if the
    /// boards with this sum are damaged.
    pub fn ask(&self, cells: Cells, preparation: &Preparation) -> anyhow::Result<Answer> {
        match &self.rule {
            AnyRule::Exact(rule) => self.ask_exact(rule, cells, preparation),
            AnyRule::Macroxue(rule) => self.ask_macroxue(rule.shape, cells, preparation),
        }
    }

    /// Returns the tiles on the free cells of an image.
    fn free_tiles(&self, image: Image, cells: Cells) -> u64 {
        let free_cells = (0..16).filter(|cell| self.index().free_cells() >> (4 * cell) & 15 != 0);
        free_cells.map(|cell| u64::from(cells.rank(image.cell(cell))) << (4 * cell)).sum()
    }

    /// An exact table has a board if its largest tiles differ and fill the locked cells. They
    /// cannot merge then, so any such tiles play alike. The smallest must be the target, so that a
    /// new tile of this rank has a partner, and in some shapes it must be on one cell.
    fn ask_exact(&self, rule: &ExactRule, cells: Cells, preparation: &Preparation) -> anyhow::Result<Answer> {
        let ExactRule { shape, target, .. } = *rule;
        if LargestTiles::new(cells).target(shape) != Some(target) {
            return Ok(Answer::NotCovered);
        }
        let image = Image::all().find(|image| {
            let rank = |cell| cells.rank(image.cell(cell));
            shape.smallest_locked_cell().is_none_or(|cell| rank(cell) == target)
                && shape.cells().iter().all(|&cell| rank(cell) >= target)
        });
        let Some(image) = image else { return Ok(Answer::NotCovered) };
        let word = self.free_tiles(image, cells) | rule.locked_tiles();
        let Some(codes) = self.index().codes(word) else { return Ok(Answer::NotCovered) };
        let layer = self.index().layer(codes);
        self.prepare_layer(layer, preparation)?;
        let mut moves = [None; 4];
        let mut best = Direction::Up;
        for (mv, after) in legal_slides(self.index(), word) {
            let number = match rule.outcome(after) {
                Outcome::Won => Some(CERTAINTY),
                Outcome::At(codes) => self.number(layer, codes),
                Outcome::Lost => Some(0),
            };
            // The best move is only known if all are.
            let Some(value) = number else { return Ok(Answer::Unknown) };
            let direction = image.direction(DIRECTIONS[usize::from(mv)]);
            moves[direction as usize] = Some(f64::from(value) / f64::from(CERTAINTY));
            if moves[direction as usize] > moves[best as usize] {
                best = direction;
            }
        }
        Ok(Advice::new(self.kind(), moves, best).map_or(Answer::NotCovered, Answer::Known))
    }

    /// The rule of macroxue/2048-ai: in each of four quarter turns, the board or else its transpose
    /// is asked. The largest probability counts, so all must be known.
    fn ask_macroxue(
        &self,
        shape: MacroxueShape,
        cells: Cells,
        preparation: &Preparation,
    ) -> anyhow::Result<Answer> {
        let mut best: Option<(u16, Direction)> = None;
        for turns in 0..4 {
            let regular_image =
                [false, true].map(|is_transposed| Image { turns, is_transposed }).into_iter().find(|image| {
                    let rank = |cell| cells.rank(image.cell(cell));
                    shape.is_covered(rank) && !shape.is_goal(rank)
                });
            let Some(image) = regular_image else { continue };
            let word = self.free_tiles(image, cells);
            let Some(codes) = self.index().codes(word) else { continue };
            let layer = self.index().layer(codes);
            self.prepare_layer(layer, preparation)?;
            let Some(number) = self.number(layer, codes) else { return Ok(Answer::Unknown) };
            let (probability, mv) = (number >> 2, usize::from(number & 3));
            if best.is_none_or(|(best_probability, _)| probability > best_probability) {
                best = Some((probability, image.direction(DIRECTIONS[mv])));
            }
        }
        let Some((probability, direction)) = best else { return Ok(Answer::NotCovered) };
        let mut moves = [None; 4];
        moves[direction as usize] = Some(f64::from(probability) / 16000.0);
        Ok(Advice::new(self.kind(), moves, direction).map_or(Answer::NotCovered, Answer::Known))
    }
}

/// Ranks of a board, the largest first.
struct LargestTiles([u8; 16]);

impl LargestTiles {
    fn new(cells: Cells) -> LargestTiles {
        let mut ranks = cells.ranks();
        ranks.sort_unstable_by(|a, b| b.cmp(a));
        LargestTiles(ranks)
    }

    /// Returns the only target that an exact table of this shape can have for the board: the rank
    /// of the smallest locked tile, if the locked tiles differ and the next tile is smaller.
    fn target(&self, shape: Shape) -> Option<u8> {
        let LargestTiles(ranks) = self;
        let count = shape.cells().len();
        let are_distinct = ranks.windows(2).take(count).all(|pair| pair[0] > pair[1]);
        are_distinct.then_some(ranks[count - 1])
    }
}

/// Tables of a folder.
#[derive(Debug)]
pub struct TableFolder {
    tables: Vec<Table>,
}

impl TableFolder {
    /// Opens all tables of a folder ([`Table::open`]).
    pub fn open(folder: &Path) -> anyhow::Result<TableFolder> {
        let remedy = format!("build some: gauntlet endgame build small --folder {}", quote_path(folder));
        let list = fs::read_dir(folder);
        let list =
            list.with_context(|| format!("cannot read the folder {}; {remedy}", display_path(folder)))?;
        let mut paths = list.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == Kind::EXTENSION));
        paths.sort();
        if paths.is_empty() {
            bail!("no endgame table is in {}; {remedy}", display_path(folder));
        }
        let tables = paths.iter().map(|path| Table::open(path)).collect::<anyhow::Result<_>>()?;
        Ok(TableFolder { tables })
    }

    /// Returns the tables.
    pub fn into_tables(self) -> Vec<Table> {
        self.tables
    }

    /// Returns the tables, by name.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Returns the tables that any of these sources names, by name.
    pub fn tables_of_sources<'a>(&'a self, sources: &'a [Source]) -> impl Iterator<Item = &'a Table> {
        self.tables.iter().filter(|table| sources.iter().any(|source| source.matches(table.kind())))
    }

    /// Returns the tables that a source names.
    pub fn tables_of_source<'a>(&'a self, source: &'a Source) -> impl Iterator<Item = &'a Table> {
        self.tables.iter().filter(|table| source.matches(table.kind()))
    }

    /// Returns the answer of the first source that has one.
    pub fn ask(
        &self,
        order: &[Source],
        cells: Cells,
        preparation: &Preparation,
    ) -> anyhow::Result<Option<Advice>> {
        let largest_tiles = LargestTiles::new(cells);
        for source in order {
            let tables = self.tables_of_source(source).filter(|table| match table.kind() {
                Kind::Exact(shape, rank) => largest_tiles.target(shape) == Some(rank),
                Kind::Macroxue(_) => true,
            });
            for table in tables {
                let is_probable = |advice: &Advice| {
                    advice.probability > 0.0 && advice.probability >= source.min_probability
                };
                if let Some(advice) = table.ask(cells, preparation)?.advice().filter(is_probable) {
                    return Ok(Some(advice));
                }
            }
        }
        Ok(None)
    }
}

/// Order in which a player asks tables if none is set. It has `block-10` for 512 only: with those
/// for 64, 128 and 256, `expectimax` was weaker (configs/endgames-targets.toml). The effect of
/// `block-11` is inconclusive (configs/endgames-medium.toml). With `hook-11`, scores were 2.1 %
/// higher (configs/endgames-hooks.toml). Answers of `block-11` count from a probability of 0.9 on,
/// because a search may move a large tile and return it. Those of `hook-11` have no minimum: a
/// search is much weaker on its boards (configs/endgames-hook-board.toml).
pub const ORDER: &[&str] = &[
    "block-11-512 0.9",
    "macroxue-11 0.9",
    "block-10-512",
    "hook-11-512",
    "hook-11-256",
    "row-10",
    "macroxue-10",
];

/// Returns the sources of an order.
pub fn parse_sources(order: &[&str]) -> Vec<Source> {
    order.iter().map(|source| source.parse().expect("a valid source")).collect()
}

/// Table, or all tables of a family, with the least probability of an answer that counts.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Source {
    tables: SourceTables,
    min_probability: f64,
}

/// Tables that a source names.
#[derive(Clone, Copy, Debug, PartialEq)]
enum SourceTables {
    Family(&'static str),
    Table(Kind),
}

impl Source {
    /// Does not allocate, because players ask before each move.
    fn matches(&self, kind: Kind) -> bool {
        match self.tables {
            SourceTables::Family(family) => kind.family() == family,
            SourceTables::Table(table) => kind == table,
        }
    }

    /// Returns the name of the table or family.
    pub fn name(&self) -> String {
        match self.tables {
            SourceTables::Family(family) => family.to_owned(),
            SourceTables::Table(kind) => kind.to_string(),
        }
    }
}

impl TryFrom<String> for Source {
    type Error = String;

    fn try_from(text: String) -> Result<Source, String> {
        text.parse()
    }
}

impl From<Source> for String {
    fn from(source: Source) -> String {
        source.to_string()
    }
}

impl FromStr for Source {
    type Err = String;

    /// Reads a name and, after a blank, a probability. Without one, every answer counts.
    fn from_str(text: &str) -> Result<Source, String> {
        let (name, probability_text) = text
            .split_once(' ')
            .map_or((text, None), |(name, probability_text)| (name, Some(probability_text)));
        let tables = match Kind::FAMILIES.into_iter().find(|family| *family == name) {
            Some(family) => SourceTables::Family(family),
            None => SourceTables::Table(name.parse()?),
        };
        let min_probability =
            probability_text.map_or(Ok(0.0), |probability_text| match probability_text.trim().parse() {
                Ok(probability) if (0.0..=1.0).contains(&probability) => Ok(probability),
                _ => Err(format!(
                    "expected a probability from 0 to 1 after {name}, not {}",
                    probability_text.trim()
                )),
            })?;
        Ok(Source { tables, min_probability })
    }
}

/// The name, and the probability if it is not 0.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.min_probability {
            0.0 => f.write_str(&self.name()),
            min_probability => write!(f, "{} {min_probability}", self.name()),
        }
    }
}
