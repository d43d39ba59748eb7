//! Value networks: a board right after a move is worth the sum of a weight for the content of each pattern.
//!
//! - [`pattern`]: patterns, and the sets of them that have names
//! - [`places`]: places of the weights that a board has
//! - [`turns`]: the moves of a board
//! - [`mod@file`]: networks as files

pub mod file;
pub mod pattern;
pub mod places;
pub mod turns;

use crate::rules::Cells;
use pattern::Patterns;
use places::{Layout, MOST_PLACES, Places};

/// A network.
#[derive(Clone, Debug)]
pub struct Network {
    layout: Layout,
    weights: Vec<f32>,
}

impl Network {
    /// The network of these patterns in which every board is worth the same. Fails where there is no memory for it.
    pub fn new(patterns: &Patterns, is_symmetric: bool, value: f32) -> Result<Network, String> {
        let layout = Layout::new(patterns.list(), is_symmetric).ok_or_else(|| {
            format!(
                "a network of {patterns} has {} GiB of weights; 16 GiB is the most",
                patterns.contents() >> 28
            )
        })?;
        let weight = value / layout.active() as f32;
        let weights = filled(layout.weights(), weight)?;
        Ok(Network { layout, weights })
    }

    /// Order of its weights.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Its weights.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// The same, to be changed.
    pub fn weights_mut(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    /// The places of the weights of a board. A tile over 32768 is taken for one of 32768.
    #[inline]
    pub fn places(&self, board: Cells, places: &mut Places) {
        self.layout.places(board.capped_nibbles().word(), places);
    }

    /// Fetches weights that will soon be read.
    #[inline]
    pub fn fetch(&self, places: &Places) {
        places::fetch(&self.weights, &places[..self.layout.active()]);
    }

    /// Value of the board that has these places. Four sums are made, of every fourth weight each: the order of additions decides
    /// the last bit.
    #[inline]
    pub fn sum(&self, places: &Places) -> f32 {
        let (fours, rest) = places[..self.layout.active()].as_chunks::<4>();
        let mut sums = [0.0_f32; 4];
        for four in fours {
            for (sum, &place) in sums.iter_mut().zip(four) {
                *sum += self.weights[place as usize];
            }
        }
        for (sum, &place) in sums.iter_mut().zip(rest) {
            *sum += self.weights[place as usize];
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// Value of a board right after a move.
    #[inline]
    pub fn value(&self, board: Cells) -> f32 {
        let mut places = [0; MOST_PLACES];
        self.places(board, &mut places);
        self.sum(&places)
    }
}

/// A list of equal items, where there is memory for it.
pub fn filled<T: Copy>(length: usize, item: T) -> Result<Vec<T>, String> {
    let mut list = Vec::new();
    list.try_reserve_exact(length).map_err(|_| {
        format!("there is no memory for {} MiB of weights", (length * size_of::<T>()).div_ceil(1 << 20))
    })?;
    list.resize(length, item);
    Ok(list)
}
