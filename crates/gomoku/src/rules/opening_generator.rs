//! Generated openings: stones near the centre, balanced, and all different within a series of
//! blocks.
//!
//! All placements of the given number of stones on the square around the centre are numbered. The
//! seed of a series shuffles the numbers, and each block takes the next few of them. So no two
//! blocks of a series can have the same opening. Among its placements, a block uses the most
//! balanced one in which neither side has a five or wins by fours.
//!
//! Balance is measured by what each colour could make of every empty cell ([`ThreatBoard::sum`]);
//! the right to move counts about one stone.

use gauntlet_core::game::Block;
use gauntlet_core::rng::{ChildSeeds, Seed};

use super::board::Rule;
use super::cell::Cell;
use super::opening;
use super::stone::Stone;
use super::threats::{PatternWeights, ThreatBoard};
use super::vcf::{Vcf, VcfResult};

/// Side of the square for the stones, if the board has room for it.
const SQUARE_SIZE: u8 = 7;

/// Weight of each pattern in the balance of an opening.
const PATTERN_WEIGHTS: PatternWeights = [0, 0, 0, 2, 5, 8, 20, 25, 80, 0];

/// Weight of the right to move: about one stone.
///
/// Fitted to 400 games of `gomoku-alphabeta` with 1000 nodes against itself, from random placements
/// of five stones. The side to move won half of the games if its sum was smaller by this amount.
const TURN_WEIGHT: i32 = 140;

/// Limit on positions per search for a win by fours. Few stones need no more.
const MAX_VCF_NODES: u64 = 200;

/// Generator of openings with this number of stones on a board of this size.
#[derive(Clone, Copy, Debug)]
pub struct OpeningGenerator {
    size: u8,
    rule: Rule,
    stones: u8,
}

impl OpeningGenerator {
    /// Creates a generator for 1 to 9 stones on a board of at least 5 cells on a side.
    pub fn new(size: u8, rule: Rule, stones: u8) -> OpeningGenerator {
        OpeningGenerator { size, rule, stones }
    }

    /// Returns the number of blocks of a series with distinct openings.
    pub fn blocks(self) -> u64 {
        self.placements() / self.attempts()
    }

    /// Returns the stones of a block's opening.
    pub fn stones(self, block: Block) -> Vec<Cell> {
        let (placements, attempts) = (self.placements(), self.attempts());
        // A block of a listed seed has no series. It draws independently, and may get another
        // block's opening.
        let is_alone = block == Block::from_seed(block.seed);
        let key = Seed::root(if is_alone { block.seed } else { block.series }).child("openings", 0);
        let first_number = if is_alone { 0 } else { block.number % self.blocks() * attempts };
        let shuffle = Shuffle::new(placements, key);
        let mut threats = ThreatBoard::new(self.size, self.rule, PATTERN_WEIGHTS);
        let mut vcf = Vcf::new(1 << 6);
        let openings =
            (first_number..first_number + attempts).map(|number| self.placement(shuffle.get(number)));
        let rated_openings =
            openings.map(|opening| (self.imbalance(&opening, &mut threats, &mut vcf), opening));
        let (_, best) = rated_openings
            .min_by_key(|&(imbalance, _)| imbalance)
            .expect("a block has at least one candidate");
        best
    }

    /// Returns the imbalance of an opening. One with a win by fours is worse than any without.
    fn imbalance(self, opening: &[Cell], threats: &mut ThreatBoard, vcf: &mut Vcf) -> u32 {
        if opening::set_up_board(opening, self.size, self.rule).is_none() {
            return u32::MAX;
        }
        for (index, cell) in (0..).zip(opening) {
            threats.put(cell.index(self.size), Stone::next_after(index));
        }
        let turn = Stone::next_after(opening.len() as u32);
        let is_won = |&stone: &Stone| vcf.solve(threats, stone, MAX_VCF_NODES) != VcfResult::NoWin;
        let imbalance =
            if Stone::BOTH.iter().any(is_won) { u32::MAX - 1 } else { lead(threats, turn).unsigned_abs() };
        for cell in opening {
            threats.take(cell.index(self.size));
        }
        imbalance
    }

    /// Returns the number of placements per block. One or two stones leave too little choice.
    fn attempts(self) -> u64 {
        match self.stones {
            1 => 1,
            2 => 4,
            _ => 16,
        }
    }

    fn square(self) -> u8 {
        SQUARE_SIZE.min(self.size)
    }

    fn stones_per_colour(self) -> [u64; 2] {
        [self.stones.div_ceil(2).into(), (self.stones / 2).into()]
    }

    /// Returns the number of placements: choices of cells for black times choices for white.
    fn placements(self) -> u64 {
        let cells = u64::from(self.square()) * u64::from(self.square());
        let [black, white] = self.stones_per_colour();
        binomial(cells, black) * binomial(cells - black, white)
    }

    /// Returns the placement with this number, with black and white stones alternating.
    fn placement(self, number: u64) -> Vec<Cell> {
        let square = self.square();
        let corner = (self.size - square) / 2;
        let mut free_cells: Vec<usize> = (0..usize::from(square) * usize::from(square)).collect();
        let [black, white] = self.stones_per_colour();
        let white_choices = binomial(free_cells.len() as u64 - black, white);
        let colours =
            [(black, number / white_choices), (white, number % white_choices)].map(|(stones, number)| {
                let indices = combination(free_cells.len() as u64, stones, number);
                let cells: Vec<usize> = indices.iter().map(|&index| free_cells[index]).collect();
                free_cells.retain(|cell| !cells.contains(cell));
                cells
            });
        let order = (0..usize::from(self.stones)).map(|index| colours[index % 2][index / 2]);
        let cells = order.map(|index| Cell::from_index(index, square));
        cells.map(|cell| Cell::new(corner + cell.x, corner + cell.y)).collect()
    }
}

/// Returns the lead of the side to move.
fn lead(threats: &ThreatBoard, turn: Stone) -> i32 {
    threats.sum(turn) + TURN_WEIGHT - threats.sum(turn.other())
}

/// Returns the binomial coefficient: the number of ways to choose `k` of `n`.
fn binomial(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |ways, i| ways * (n - i) / (i + 1))
}

/// Returns the combination of `k` of `n` with this number, in ascending order.
fn combination(n: u64, k: u64, mut number: u64) -> Vec<usize> {
    let mut indices = Vec::new();
    let mut remaining = k;
    for index in 0..n {
        if remaining == 0 {
            break;
        }
        let combinations_with = binomial(n - index - 1, remaining - 1);
        if number < combinations_with {
            indices.push(index as usize);
            remaining -= 1;
        } else {
            number -= combinations_with;
        }
    }
    indices
}

/// Shuffled order of the numbers below a limit. It is a Feistel network on the next power of four,
/// applied repeatedly until the result is below the limit.
struct Shuffle {
    limit: u64,
    half: u32,
    rounds: [ChildSeeds; 4],
}

impl Shuffle {
    fn new(limit: u64, key: Seed) -> Shuffle {
        let bits = u64::BITS - (limit - 1).leading_zeros();
        let rounds = [0, 1, 2, 3].map(|round| key.child("round", round).children("half"));
        Shuffle { limit, half: bits.div_ceil(2).max(1), rounds }
    }

    /// Returns the number at an index below the limit.
    fn get(&self, index: u64) -> u64 {
        let mut number = index;
        loop {
            number = self.permute_once(number);
            if number < self.limit {
                return number;
            }
        }
    }

    fn permute_once(&self, number: u64) -> u64 {
        let mask = (1 << self.half) - 1;
        let (mut left, mut right) = (number >> self.half, number & mask);
        for round in self.rounds {
            (left, right) = (right, left ^ (round.get(right).number() & mask));
        }
        (left << self.half) | right
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::rules::opening::canonical_image;

    #[test]
    fn placements_are_numbered_without_gaps() {
        for (size, stones) in [(5, 1), (5, 2), (5, 3), (15, 2)] {
            let generator = OpeningGenerator::new(size, Rule::Free, stones);
            let placements: BTreeSet<Vec<Cell>> =
                (0..generator.placements()).map(|number| generator.placement(number)).collect();
            assert_eq!(placements.len() as u64, generator.placements());
            for opening in placements {
                assert_eq!(opening.len(), usize::from(stones));
                let distinct: BTreeSet<&Cell> = opening.iter().collect();
                assert_eq!(distinct.len(), opening.len());
                let (min, max) = ((size - generator.square()) / 2, (size + generator.square()) / 2);
                assert!(
                    opening.iter().all(|cell| [cell.x, cell.y]
                        .iter()
                        .all(|coordinate| (min..max).contains(coordinate)))
                );
            }
        }
    }

    #[test]
    fn a_shuffle_has_every_number_once() {
        for limit in [1, 2, 3, 49, 64, 1000] {
            let order = |key| {
                let shuffle = Shuffle::new(limit, Seed::root(key));
                (0..limit).map(|index| shuffle.get(index)).collect::<Vec<_>>()
            };
            let mut sorted = order(1);
            sorted.sort_unstable();
            assert_eq!(sorted, (0..limit).collect::<Vec<_>>());
            assert!(limit < 49 || order(1) != order(2), "keys make other orders");
        }
    }

    #[test]
    fn openings_of_a_series_are_distinct() {
        for (size, stones, blocks) in
            [(15, 5, 10_000), (15, 3, 3_000), (15, 1, 49), (5, 4, 1_000), (20, 9, 500)]
        {
            let generator = OpeningGenerator::new(size, Rule::Free, stones);
            assert!(blocks <= generator.blocks(), "{} blocks of {stones} stones", generator.blocks());
            let sorted_stones = |number| {
                let opening = generator.stones(Block::from_series(3, number));
                [0, 1].map(|first| opening.iter().skip(first).step_by(2).copied().collect::<Vec<_>>())
            };
            let openings: BTreeSet<_> = (0..blocks).map(sorted_stones).collect();
            assert_eq!(openings.len() as u64, blocks);
            assert_eq!(sorted_stones(7), sorted_stones(7));
        }
    }

    #[test]
    fn listed_seeds_draw_for_themselves() {
        let generator = OpeningGenerator::new(15, Rule::Free, 5);
        let openings: BTreeSet<_> =
            (0..100).map(|seed| generator.stones(Block::from_seed((1 << 62) + seed))).collect();
        assert!(openings.len() > 90, "{} of 100", openings.len());
    }

    #[test]
    fn no_opening_is_won_and_few_are_unbalanced() {
        for (size, rule) in [(15, Rule::Free), (9, Rule::Standard)] {
            let generator = OpeningGenerator::new(size, rule, 5);
            let mut leads = Vec::new();
            for number in 0..300 {
                let opening = generator.stones(Block::from_series(1, number));
                let board = opening::set_up_board(&opening, size, rule).expect("no five");
                let mut threats = ThreatBoard::from_board(&board, rule, PATTERN_WEIGHTS);
                for stone in Stone::BOTH {
                    assert_eq!(Vcf::new(1 << 10).solve(&mut threats, stone, 10_000), VcfResult::NoWin);
                }
                leads.push(lead(&threats, Stone::White).abs());
            }
            leads.sort_unstable();
            assert!(leads[leads.len() * 95 / 100] <= 20, "{leads:?}");
        }
    }

    #[test]
    fn images_are_as_balanced_and_of_one_cluster() {
        let generator = OpeningGenerator::new(15, Rule::Free, 5);
        for number in 0..20 {
            let opening = generator.stones(Block::from_series(2, number));
            let rate = |opening: &[Cell]| {
                generator.imbalance(
                    opening,
                    &mut ThreatBoard::new(15, Rule::Free, PATTERN_WEIGHTS),
                    &mut Vcf::new(1 << 6),
                )
            };
            for image in opening::images(&opening, 15) {
                assert_eq!(rate(&image), rate(&opening));
                assert_eq!(canonical_image(&image, 15), canonical_image(&opening, 15));
                assert_eq!(
                    opening::to_game_opening(&image, 15).cluster,
                    opening::to_game_opening(&opening, 15).cluster
                );
            }
        }
    }
}
