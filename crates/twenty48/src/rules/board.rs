//! Board types for the two halves of a turn: [`Board`], if the player is to move, and
//! [`Afterstate`], before a tile appears. Only a slide converts the first to the second, and only a
//! tile converts it back.

use gauntlet_core::rng::Rng;

use super::bmi2::Bmi2;
use super::cells::{self, Cells};
use super::direction::{Direction, Directions};
use super::line::SlideEffect;
use super::slide;
use super::tile;

/// Board on which the player is to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Board(Cells);

/// Afterstate: a board just after a slide, before a tile appears.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Afterstate(Cells);

impl Board {
    /// Creates a board from cells, with the player to move.
    pub const fn new(cells: Cells) -> Board {
        Board(cells)
    }

    /// Starts a game with two tiles.
    pub fn start(game_rng: &mut Rng) -> (Board, SpawnCount) {
        Afterstate::default().spawn_two(game_rng)
    }

    /// Returns the cells.
    pub const fn cells(self) -> Cells {
        self.0
    }

    /// Returns the board after a slide; `None` if nothing would move.
    #[inline]
    pub fn slide(self, direction: Direction) -> Option<Afterstate> {
        let after = self.slide_cells(direction);
        (after != self.0).then_some(Afterstate(after))
    }

    #[inline]
    fn slide_cells(self, direction: Direction) -> Cells {
        match Bmi2::detect() {
            Some(bmi2) if !self.0.outgrows_tables() => {
                Cells { ranks: bmi2.slide(self.0.ranks, direction), excess: 0 }
            }
            _ => self.slide_cells_portably(direction),
        }
    }

    /// Not inlined, because the compiler would compute parts of it ahead of loops that rarely need
    /// them.
    #[inline(never)]
    fn slide_cells_portably(self, direction: Direction) -> Cells {
        // Both slides are computed and one is selected, because a branch on the direction would
        // often be mispredicted.
        let vertical = direction.is_vertical();
        let lines = self.0.transpose_if(vertical);
        slide::slide_rows(lines, direction.is_to_end()).transpose_if(vertical)
    }

    /// Plays a whole turn: [`Board::slide`] and [`Afterstate::spawn`] in one step. If nothing would
    /// move it returns `None`, and neither the board nor the world changes.
    #[inline]
    pub fn play_turn(&mut self, direction: Direction, game_rng: &mut Rng) -> Option<SpawnCount> {
        match Bmi2::detect() {
            Some(bmi2) if !self.0.outgrows_tables() => {
                let (ranks, fours) = bmi2.play_turn(self.0.ranks, direction, game_rng);
                let has_moved = ranks != self.0.ranks;
                self.0.ranks = ranks;
                has_moved.then_some(SpawnCount { fours })
            }
            _ => self.play_turn_portably(direction, game_rng),
        }
    }

    #[inline(never)]
    fn play_turn_portably(&mut self, direction: Direction, game_rng: &mut Rng) -> Option<SpawnCount> {
        let after = self.slide_cells_portably(direction);
        if after == self.0 {
            return None;
        }
        let (board, spawn_count) = Afterstate(after).spawn(game_rng);
        *self = board;
        Some(spawn_count)
    }

    /// Returns the effects of all four slides, from two sums over tables. `None` if tiles of 32768
    /// and more exceed the tables.
    #[inline]
    pub fn slide_effects(self) -> Option<SlideEffects> {
        if self.0.outgrows_tables() {
            return None;
        }
        let (vertical, horizontal) = match Bmi2::detect() {
            Some(bmi2) => bmi2.effects(self.0.ranks),
            None => effects_portably(self.0.ranks),
        };
        Some(SlideEffects { vertical, horizontal })
    }

    /// Returns the points of a slide; also 0 if nothing would move.
    #[inline]
    pub fn gain(self, direction: Direction) -> u64 {
        slide::gain_of_rows(self.0.transpose_if(direction.is_vertical()))
    }

    /// Returns true if nothing can move: no empty cell and no equal neighbours.
    #[inline]
    pub fn is_over(self) -> bool {
        self.0.empty_mask() == 0 && !self.0.full_has_merge()
    }

    /// Returns the slides that move something, in this order of directions.
    #[inline]
    pub fn slides(self, order: [Direction; 4]) -> impl Iterator<Item = (Direction, Afterstate)> {
        order.into_iter().filter_map(move |direction| Some((direction, self.slide(direction)?)))
    }

    /// Returns the directions in which something would move.
    pub fn legal_directions(self) -> impl Iterator<Item = Direction> {
        self.slides(Direction::ALL).map(|(direction, _)| direction)
    }

    /// Returns the sum of the tiles' potentials, their points if merged from 2s alone: the score of
    /// a game, plus 4 for each spawned 4.
    #[inline]
    pub fn potential(self) -> u64 {
        slide::potential(self.0)
    }
}

/// Computes the effects of sliding columns and of sliding rows, on any processor.
#[inline(never)]
fn effects_portably(ranks: u64) -> (SlideEffect, SlideEffect) {
    (slide::effect_of_rows(cells::transpose(ranks)), slide::effect_of_rows(ranks))
}

/// Effects of the slides of a board, by axis: both slides of an axis earn equal points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlideEffects {
    vertical: SlideEffect,
    horizontal: SlideEffect,
}

impl SlideEffects {
    /// Returns the points of a slide up, which equal those of a slide down.
    #[inline(always)]
    pub const fn vertical_gain(self) -> u32 {
        self.vertical.gain()
    }

    /// Returns the points of a slide left, which equal those of a slide right.
    #[inline(always)]
    pub const fn horizontal_gain(self) -> u32 {
        self.horizontal.gain()
    }

    /// Returns the directions in which something would move.
    #[inline(always)]
    pub fn legal_directions(self) -> Directions {
        let (vertical, horizontal) = (self.vertical, self.horizontal);
        Directions::from_flags(
            vertical.moves_first(),
            horizontal.moves_last(),
            vertical.moves_last(),
            horizontal.moves_first(),
        )
    }
}

/// Spawned tiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpawnCount {
    /// Number of 4s among them.
    pub fours: u32,
}

impl Afterstate {
    /// Creates an afterstate from cells.
    pub const fn new(cells: Cells) -> Afterstate {
        Afterstate(cells)
    }

    /// Returns the cells.
    pub const fn cells(self) -> Cells {
        self.0
    }

    /// Puts the first two tiles of a game on a board with two empty cells or more.
    pub(super) fn spawn_two(self, game_rng: &mut Rng) -> (Board, SpawnCount) {
        let (one, first) = self.spawn(game_rng);
        let (two, second) = Afterstate(one.0).spawn(game_rng);
        (two, SpawnCount { fours: first.fours + second.fours })
    }

    /// Puts a tile on a uniformly random empty cell: a 2 with probability 0.9, else a 4. It takes a
    /// single draw.
    ///
    /// # Panics
    /// If no cell is empty, which cannot happen after a slide.
    #[inline]
    pub fn spawn(self, game_rng: &mut Rng) -> (Board, SpawnCount) {
        let mask = self.0.empty_mask();
        assert!(mask != 0, "a tile needs an empty cell");
        let (k, four) = tile::draw(game_rng, cells::count_cells(mask));
        let tile = cells::nth_empty(mask, k) << four;
        let cells = Cells { ranks: self.0.ranks | tile, excess: self.0.excess };
        (Board(cells), SpawnCount { fours: four })
    }

    /// Puts this tile on this cell, for searches over all possible tiles.
    ///
    /// # Panics
    /// If the cell is not empty, or the tile is neither a 2 (rank 1) nor a 4 (rank 2).
    #[inline]
    #[must_use]
    pub fn place(self, index: usize, rank: u8) -> Board {
        assert!(self.0.rank(index) == 0 && matches!(rank, 1 | 2), "expected a 2 or a 4 on an empty cell");
        Board(Cells { ranks: self.0.ranks | u64::from(rank) << (4 * index), excess: self.0.excess })
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;

    use super::*;

    /// Returns boards of random play, and boards of any ranks: full, nearly empty, with tiles that
    /// exceed the tables.
    fn boards() -> impl Iterator<Item = Board> {
        let mut rng = Seed::root(1).rng();
        (0..20_000).map(move |board| {
            let (rank_limit, empty_odds) = ([3, 5, 12, 16, 18][board % 5], [0, 1, 4, 14][board % 4]);
            let mut rank = || if rng.below(16) < empty_odds { 0 } else { rng.below(rank_limit) as u8 };
            Board(Cells::from_ranks(std::array::from_fn(|_| rank())))
        })
    }

    #[test]
    fn slides_are_those_of_the_definition() {
        for board in boards() {
            for direction in Direction::ALL {
                let vertical = direction.is_vertical();
                let lines = board.0.transpose_if(vertical);
                let expected = slide::slide_rows_plainly(lines, direction.is_to_end()).transpose_if(vertical);
                assert_eq!(
                    board.slide_cells(direction),
                    expected,
                    "{direction} on {}",
                    board.0.format_line()
                );
                assert_eq!(
                    board.slide_cells_portably(direction),
                    expected,
                    "{direction} on {}",
                    board.0.format_line()
                );
            }
        }
    }

    #[test]
    fn a_turn_is_a_slide_and_a_tile() {
        for (number, board) in (0..).zip(boards()) {
            for direction in Direction::ALL {
                let seed = Seed::root(number).child("world", direction as u64);
                let mut game_rng = seed.rng();
                let expected = board.slide(direction).map(|after| after.spawn(&mut game_rng));
                let next = game_rng.bits();
                for turn in [Board::play_turn, Board::play_turn_portably] {
                    let (mut after_turn, mut game_rng) = (board, seed.rng());
                    let spawn_count = turn(&mut after_turn, direction, &mut game_rng);
                    let expected =
                        expected.map_or((board, None), |(board, spawn_count)| (board, Some(spawn_count)));
                    assert_eq!(
                        (after_turn, spawn_count),
                        expected,
                        "{direction} on {}",
                        board.0.format_line()
                    );
                    assert_eq!(game_rng.bits(), next, "as many draws");
                }
            }
        }
    }

    #[test]
    fn prospects_are_what_slides_do() {
        let mut outgrown_count = 0;
        for board in boards() {
            let Some(effects) = board.slide_effects() else {
                assert!(board.0.outgrows_tables());
                outgrown_count += 1;
                continue;
            };
            for direction in Direction::ALL {
                let gains = [effects.horizontal_gain(), effects.vertical_gain()];
                let gain = gains[usize::from(direction.is_vertical())];
                assert_eq!(
                    u64::from(gain),
                    board.gain(direction),
                    "{direction} on {}",
                    board.0.format_line()
                );
                assert_eq!(effects.legal_directions().contains(direction), board.slide(direction).is_some());
            }
            assert_eq!(effects_portably(board.0.ranks), (effects.vertical, effects.horizontal));
        }
        assert!((1000..19_000).contains(&outgrown_count), "{outgrown_count}");
    }
}
