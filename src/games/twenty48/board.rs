//! The two halves of a turn as two types: [`Board`], where the player is to move, and [`After`], where a tile is
//! to come. Only a slide leads from one to the other, and only a tile back.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::cells::{self, Cells};
use super::slide;
use crate::rng::Rng;

/// A direction to slide in, in the order in which most programs number them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Towards row 0.
    Up,
    /// Towards column 3.
    Right,
    /// Towards row 3.
    Down,
    /// Towards column 0.
    Left,
}

impl Direction {
    /// All four, in order.
    pub const ALL: [Direction; 4] = [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

    /// Lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Up => "up",
            Direction::Right => "right",
            Direction::Down => "down",
            Direction::Left => "left",
        }
    }

    #[inline]
    fn is_vertical(self) -> bool {
        matches!(self, Direction::Up | Direction::Down)
    }

    /// Whether the wall is at the end of a line rather than at its start.
    #[inline]
    fn is_to_end(self) -> bool {
        matches!(self, Direction::Right | Direction::Down)
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A board on which the player is to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Board(Cells);

/// A board on which a tile is to come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct After(Cells);

impl Board {
    /// The player is to move on these cells.
    pub const fn new(cells: Cells) -> Board {
        Board(cells)
    }

    /// A new game: two tiles.
    pub fn start(world: &mut Rng) -> (Board, Spawned) {
        let (one, first) = After::default().spawn(world);
        let (two, second) = After(one.0).spawn(world);
        (two, Spawned { fours: first.fours + second.fours })
    }

    /// What lies there.
    pub const fn cells(self) -> Cells {
        self.0
    }

    /// The board after a slide, or none if nothing would move.
    #[inline]
    pub fn slide(self, direction: Direction) -> Option<After> {
        let after = self.slid(direction);
        (after != self.0).then_some(After(after))
    }

    #[inline]
    fn slid(self, direction: Direction) -> Cells {
        // Both turns are computed and one is taken: a branch on the direction would often be guessed wrong.
        let vertical = direction.is_vertical();
        let lines = self.0.transposed_if(vertical);
        slide::slide_rows(lines, direction.is_to_end()).transposed_if(vertical)
    }

    /// The points that a slide earns; 0 also where nothing would move.
    #[inline]
    pub fn gain(self, direction: Direction) -> u64 {
        slide::gain_of_rows(self.0.transposed_if(direction.is_vertical()))
    }

    /// Whether the game is over: no empty cell and no equal neighbours.
    #[inline]
    pub fn is_over(self) -> bool {
        self.0.empty_mask() == 0 && !self.0.full_has_merge()
    }

    /// The directions in which something would move.
    pub fn legal(self) -> impl Iterator<Item = Direction> {
        Direction::ALL.into_iter().filter(move |&direction| self.slide(direction).is_some())
    }

    /// The sum over all tiles of what they are worth if merged from 2s alone: the score of a game, plus 4 for each
    /// 4 that came by itself.
    #[inline]
    pub fn potential(self) -> u64 {
        slide::potential(self.0)
    }
}

/// The tiles that came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spawned {
    /// How many of the tiles were 4s.
    pub fours: u32,
}

impl After {
    /// A tile is to come on these cells.
    pub const fn new(cells: Cells) -> After {
        After(cells)
    }

    /// What lies there.
    pub const fn cells(self) -> Cells {
        self.0
    }

    /// Puts a tile on a uniformly random empty cell: a 2 with probability 0.9, else a 4. It takes a single draw.
    ///
    /// # Panics
    /// If no cell is empty, which no slide leaves behind.
    #[inline]
    pub fn spawn(self, world: &mut Rng) -> (Board, Spawned) {
        let mask = self.0.empty_mask();
        assert!(mask != 0, "a tile needs an empty cell");
        let empty = u64::from(cells::count(mask));
        // One number below 10 n decides both: its tens say which cell, its ones whether a 4 (on a 9). The tens
        // are taken from the bits directly, which is the same number and does not wait for a division.
        let (bits, draw) = world.bits_below(10 * empty);
        let k = ((u128::from(bits) * u128::from(empty)) >> 64) as u64;
        let four = draw - 10 * k == 9;
        let tile = cells::nth_empty(mask, k as u32) << u32::from(four);
        let cells = Cells { ranks: self.0.ranks | tile, above: self.0.above };
        (Board(cells), Spawned { fours: u32::from(four) })
    }

    /// Puts this tile on this cell, for searches over all tiles that may come.
    ///
    /// # Panics
    /// If the cell is not empty, or the tile is neither a 2 (rank 1) nor a 4 (rank 2).
    #[inline]
    #[must_use]
    pub fn place(self, index: usize, rank: u8) -> Board {
        assert!(self.0.rank(index) == 0 && matches!(rank, 1 | 2), "a 2 or a 4, on an empty cell");
        Board(Cells { ranks: self.0.ranks | u64::from(rank) << (4 * index), above: self.0.above })
    }
}
