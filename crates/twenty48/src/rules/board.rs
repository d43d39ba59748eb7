//! The two halves of a turn as two types: [`Board`], where the player is to move, and [`After`],
//! where a tile is to come. Only a slide leads from one to the other, and only a tile back.

use gauntlet_core::rng::Rng;

use super::bmi2::Bmi2;
use super::cells::{self, Cells};
use super::direction::{Direction, Directions};
use super::line::Effect;
use super::slide;
use super::tile;

/// A board on which the player is to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Board(Cells);

/// A board on which a tile is to come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct After(Cells);

impl Board {
    /// Board of these cells, with the player to move.
    pub const fn new(cells: Cells) -> Board {
        Board(cells)
    }

    /// A new game: two tiles.
    pub fn start(world: &mut Rng) -> (Board, Spawned) {
        let (one, first) = After::default().spawn(world);
        let (two, second) = After(one.0).spawn(world);
        (two, Spawned { fours: first.fours + second.fours })
    }

    /// Cells of the board.
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
        match Bmi2::here() {
            Some(bmi2) if !self.0.outgrows_tables() => {
                Cells { ranks: bmi2.slid(self.0.ranks, direction), above: 0 }
            }
            _ => self.slid_portably(direction),
        }
    }

    /// Not inlined, or its parts would be computed ahead of loops that hardly ever need them.
    #[inline(never)]
    fn slid_portably(self, direction: Direction) -> Cells {
        // Both turns are computed and one is taken: a branch on the direction would often be
        // guessed wrong.
        let vertical = direction.is_vertical();
        let lines = self.0.transposed_if(vertical);
        slide::slide_rows(lines, direction.is_to_end()).transposed_if(vertical)
    }

    /// A whole turn: [`Board::slide`] and [`After::spawn`] in one step. Where nothing would move
    /// there is none, and neither the board nor the world has changed.
    #[inline]
    pub fn turn(&mut self, direction: Direction, world: &mut Rng) -> Option<Spawned> {
        match Bmi2::here() {
            Some(bmi2) if !self.0.outgrows_tables() => {
                let (ranks, fours) = bmi2.turn(self.0.ranks, direction, world);
                let moved = ranks != self.0.ranks;
                self.0.ranks = ranks;
                moved.then_some(Spawned { fours })
            }
            _ => self.turn_portably(direction, world),
        }
    }

    #[inline(never)]
    fn turn_portably(&mut self, direction: Direction, world: &mut Rng) -> Option<Spawned> {
        let after = self.slid_portably(direction);
        if after == self.0 {
            return None;
        }
        let (board, spawned) = After(after).spawn(world);
        *self = board;
        Some(spawned)
    }

    /// Effects of all four slides, from two sums over tables. None where tiles of 32768 and more
    /// outgrow the tables.
    #[inline]
    pub fn prospects(self) -> Option<Prospects> {
        if self.0.outgrows_tables() {
            return None;
        }
        let (vertical, horizontal) = match Bmi2::here() {
            Some(bmi2) => bmi2.effects(self.0.ranks),
            None => effects_portably(self.0.ranks),
        };
        Some(Prospects { vertical, horizontal })
    }

    /// The points that a slide earns; 0 also where nothing would move.
    #[inline]
    pub fn gain(self, direction: Direction) -> u64 {
        slide::gain_of_rows(self.0.transposed_if(direction.is_vertical()))
    }

    /// True if nothing can move: no empty cell and no equal neighbours.
    #[inline]
    pub fn is_over(self) -> bool {
        self.0.empty_mask() == 0 && !self.0.full_has_merge()
    }

    /// The directions in which something would move.
    pub fn legal(self) -> impl Iterator<Item = Direction> {
        Direction::ALL.into_iter().filter(move |&direction| self.slide(direction).is_some())
    }

    /// The sum over all tiles of what they are worth if merged from 2s alone: the score of a game,
    /// plus 4 for each 4 that came by itself.
    #[inline]
    pub fn potential(self) -> u64 {
        slide::potential(self.0)
    }
}

/// Effects of sliding columns and of sliding rows, by code for all processors.
#[inline(never)]
fn effects_portably(ranks: u64) -> (Effect, Effect) {
    (slide::effect_of_rows(cells::transpose(ranks)), slide::effect_of_rows(ranks))
}

/// Effects of the slides of a board, by axis: both slides of an axis earn the same points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prospects {
    vertical: Effect,
    horizontal: Effect,
}

impl Prospects {
    /// The points that a slide up earns, and a slide down.
    #[inline(always)]
    pub const fn vertical_gain(self) -> u32 {
        self.vertical.gain()
    }

    /// The points that a slide left earns, and a slide right.
    #[inline(always)]
    pub const fn horizontal_gain(self) -> u32 {
        self.horizontal.gain()
    }

    /// The directions in which something would move.
    #[inline(always)]
    pub fn legal(self) -> Directions {
        let (vertical, horizontal) = (self.vertical, self.horizontal);
        Directions::of(
            vertical.moves_first(),
            horizontal.moves_last(),
            vertical.moves_last(),
            horizontal.moves_first(),
        )
    }
}

/// Tiles that came by themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spawned {
    /// Number of 4s among them.
    pub fours: u32,
}

impl After {
    /// Afterstate of these cells: a tile is to come.
    pub const fn new(cells: Cells) -> After {
        After(cells)
    }

    /// Cells of the board.
    pub const fn cells(self) -> Cells {
        self.0
    }

    /// Puts a tile on a uniformly random empty cell: a 2 with probability 0.9, else a 4. It takes a
    /// single draw.
    ///
    /// # Panics
    /// If no cell is empty, which no slide leaves behind.
    #[inline]
    pub fn spawn(self, world: &mut Rng) -> (Board, Spawned) {
        let mask = self.0.empty_mask();
        assert!(mask != 0, "a tile needs an empty cell");
        let (k, four) = tile::draw(world, cells::count(mask));
        let tile = cells::nth_empty(mask, k) << four;
        let cells = Cells { ranks: self.0.ranks | tile, above: self.0.above };
        (Board(cells), Spawned { fours: four })
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

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;

    use super::*;

    /// Boards of random play, and boards of any ranks: full, nearly empty, with tiles that outgrow
    /// tables.
    fn boards() -> impl Iterator<Item = Board> {
        let mut dice = Seed::root(1).rng();
        (0..20_000).map(move |board| {
            let (most, holes) = ([3, 5, 12, 16, 18][board % 5], [0, 1, 4, 14][board % 4]);
            let mut rank = || if dice.below(16) < holes { 0 } else { dice.below(most) as u8 };
            Board(Cells::from_ranks(std::array::from_fn(|_| rank())))
        })
    }

    #[test]
    fn slides_are_those_of_the_definition() {
        for board in boards() {
            for direction in Direction::ALL {
                let vertical = direction.is_vertical();
                let lines = board.0.transposed_if(vertical);
                let slid = slide::slide_rows_plainly(lines, direction.is_to_end()).transposed_if(vertical);
                assert_eq!(board.slid(direction), slid, "{direction} on {}", board.0.line());
                assert_eq!(board.slid_portably(direction), slid, "{direction} on {}", board.0.line());
            }
        }
    }

    #[test]
    fn a_turn_is_a_slide_and_a_tile() {
        for (number, board) in (0..).zip(boards()) {
            for direction in Direction::ALL {
                let seed = Seed::root(number).child("world", direction as u64);
                let mut world = seed.rng();
                let expected = board.slide(direction).map(|after| after.spawn(&mut world));
                let next = world.bits();
                for turn in [Board::turn, Board::turn_portably] {
                    let (mut turned, mut world) = (board, seed.rng());
                    let spawned = turn(&mut turned, direction, &mut world);
                    let expected = expected.map_or((board, None), |(board, spawned)| (board, Some(spawned)));
                    assert_eq!((turned, spawned), expected, "{direction} on {}", board.0.line());
                    assert_eq!(world.bits(), next, "as many draws");
                }
            }
        }
    }

    #[test]
    fn prospects_are_what_slides_do() {
        let mut outgrown = 0;
        for board in boards() {
            let Some(prospects) = board.prospects() else {
                assert!(board.0.outgrows_tables());
                outgrown += 1;
                continue;
            };
            for direction in Direction::ALL {
                let gains = [prospects.horizontal_gain(), prospects.vertical_gain()];
                let gain = gains[usize::from(direction.is_vertical())];
                assert_eq!(u64::from(gain), board.gain(direction), "{direction} on {}", board.0.line());
                assert_eq!(prospects.legal().contains(direction), board.slide(direction).is_some());
            }
            assert_eq!(effects_portably(board.0.ranks), (prospects.vertical, prospects.horizontal));
        }
        assert!((1000..19_000).contains(&outgrown), "{outgrown}");
    }
}
