//! Solver for victory by continuous fours (VCF): whether a colour wins by fours alone, each of
//! which must be answered at once.
//!
//! Every stone of the attacker makes a four, so the defender has one answer: the cell that would
//! complete the five. Two such cells win. If the answer makes a four for the defender, the
//! attacker's next stone must stop it and make a four again. Results are exact: no move is left
//! out, and refuted positions are remembered without further conditions.

use super::cell::Cell;
use super::cellset::CellSet;
use super::pattern::Pattern;
use super::stone::Stone;
use super::threats::ThreatBoard;

/// Result of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VcfResult {
    /// Fours alone win; [`Vcf::winning_line`] is such a win.
    Win,
    /// Fours alone do not win.
    NoWin,
    /// Unknown: the limit of positions was reached.
    Unknown,
}

/// Hash of the attacker's colour: a position may be refuted for one attacker only.
const ATTACKER_HASHES: [u64; 2] = [0x5851_F42D_4C95_7F2D, 0x1405_7B7E_F767_814F];

/// Solver with a memory of refuted positions. The memory is valid for one rule and board size.
#[derive(Clone)]
pub struct Vcf {
    /// Hashes of positions, including the attacker, from which fours do not win; 0 means empty.
    refuted_hashes: Box<[u64]>,
    /// Line of the last win; reversed while it is being found.
    line: Vec<usize>,
    nodes: u64,
    max_nodes: u64,
}

impl Vcf {
    /// Creates a solver that remembers this number of positions, rounded up to a power of two.
    pub fn new(slots: usize) -> Vcf {
        Vcf {
            refuted_hashes: vec![0; slots.next_power_of_two()].into_boxed_slice(),
            line: Vec::new(),
            nodes: 0,
            max_nodes: 0,
        }
    }

    /// Clears the memory.
    pub fn clear(&mut self) {
        self.refuted_hashes.fill(0);
        self.line.clear();
        self.nodes = 0;
    }

    /// Searches for a win by fours of the attacker, who is to move. It visits at most this number
    /// of positions, and leaves the board unchanged.
    pub fn solve(&mut self, threats: &mut ThreatBoard, attacker: Stone, max_nodes: u64) -> VcfResult {
        (self.nodes, self.max_nodes) = (0, max_nodes);
        self.line.clear();
        let result = self.attack(threats, attacker);
        self.line.reverse();
        result
    }

    /// Returns the last win: attacker and defender in turn, from the first four to the five.
    pub fn winning_line<'a>(&'a self, threats: &'a ThreatBoard) -> impl Iterator<Item = Cell> + 'a {
        self.line.iter().map(|&cell| threats.cell(cell))
    }

    /// Returns the first cell of the last win.
    pub fn first_cell(&self) -> Option<usize> {
        self.line.first().copied()
    }

    /// Returns the number of stones of the last win, of both colours.
    pub fn length(&self) -> usize {
        self.line.len()
    }

    /// Returns the positions visited since the last search began.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    fn attack(&mut self, threats: &mut ThreatBoard, attacker: Stone) -> VcfResult {
        if self.nodes >= self.max_nodes {
            return VcfResult::Unknown;
        }
        self.nodes += 1;
        if let Some(five) = threats.fives(attacker).first() {
            self.line.push(five);
            return VcfResult::Win;
        }
        if threats.fours(attacker).is_empty() {
            return VcfResult::NoWin;
        }
        let candidates = forcing_cells(threats, attacker);
        if let Some(cell) = threats.doubles(attacker).intersection(&candidates).first() {
            return self.try_four(threats, attacker, cell);
        }
        let key = threats.hash() ^ ATTACKER_HASHES[attacker.number()];
        let slot = key as usize & (self.refuted_hashes.len() - 1);
        if self.refuted_hashes[slot] == key {
            return VcfResult::NoWin;
        }
        // Fours that also make an open three come first, because they lead to an open four.
        for is_strong in [true, false] {
            for cell in candidates.iter() {
                if (threats.patterns(attacker, cell).count(Pattern::OpenThree) > 0) == is_strong {
                    match self.try_four(threats, attacker, cell) {
                        VcfResult::NoWin => {}
                        result => return result,
                    }
                }
            }
        }
        self.refuted_hashes[slot] = key;
        VcfResult::NoWin
    }

    /// Returns the result of a four by the attacker, if the defender has no five.
    fn try_four(&mut self, threats: &mut ThreatBoard, attacker: Stone, cell: usize) -> VcfResult {
        threats.play(cell, attacker);
        let mut fives = threats.fives(attacker).iter();
        let answer = fives.next().expect("a four can become a five");
        let solution = if let Some(five) = fives.next() {
            self.line.extend([five, answer]);
            VcfResult::Win
        } else {
            threats.play(answer, attacker.other());
            let solution = self.attack(threats, attacker);
            threats.undo();
            if solution == VcfResult::Win {
                self.line.push(answer);
            }
            solution
        };
        threats.undo();
        if solution == VcfResult::Win {
            self.line.push(cell);
        }
        solution
    }
}

/// Returns the cells on which the attacker, who has no five, makes a four and stops a possible five
/// of the defender.
fn forcing_cells(threats: &ThreatBoard, attacker: Stone) -> CellSet {
    let defender_fives = threats.fives(attacker.other());
    match defender_fives.first() {
        None => *threats.fours(attacker),
        Some(five) if defender_fives.count_to_two() == 1 && threats.fours(attacker).has(five) => {
            CellSet::from_cell(five)
        }
        Some(_) => CellSet::default(),
    }
}
