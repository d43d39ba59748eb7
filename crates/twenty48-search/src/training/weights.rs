//! Weights that learn.

use std::io::{self, Read, Write};

use gauntlet_twenty48::rules::Cells;

use super::method::{LearningMethod, Method};
use crate::network::file::write_floats;
use crate::network::pages::allocate;
use crate::network::places::{WeightIndices, prefetch};
use crate::network::{Network, weight_or_earlier};

/// Weights of a network, and their learning rates.
pub(super) struct TrainingWeights {
    pub(super) network: Network,
    rates: Rates,
    /// Part of an error that each weight of a board learns.
    part: f32,
    /// True if the weights currently have separate rates.
    is_coherent: bool,
}

/// Learning rates of the weights.
enum Rates {
    One,
    /// For each weight the sum of its errors, and of their absolute values.
    Coherence(Vec<[f32; 2]>),
}

impl TrainingWeights {
    pub(super) fn new(manner: &LearningMethod, network: Network) -> Result<TrainingWeights, String> {
        let rates = if manner.method.is_ever_coherent() {
            Rates::Coherence(allocate(network.weights().len(), [0.0; 2])?)
        } else {
            Rates::One
        };
        Ok(TrainingWeights { network, rates, part: 0.0, is_coherent: false })
    }

    /// Sets the rates after this number of games.
    pub(super) fn choose_rates(&mut self, manner: &LearningMethod, games: u64) {
        let LearningMethod { method, rate, tc_after, .. } = *manner;
        self.is_coherent = method.is_ever_coherent() && games >= tc_after;
        let rate = if self.is_coherent && method == Method::OtdTc { 1.0 } else { rate };
        self.part = rate / self.network.layout().lookups_per_board() as f32;
    }

    /// Corrects the weights of a board by its error.
    #[inline]
    pub(super) fn correct(&mut self, places: &WeightIndices, error: f32) {
        let step = self.part * error;
        let places = &places[..self.network.layout().lookups_per_board()];
        let has_stages = !self.network.layout().stages().is_one();
        let of_stage = self.network.layout().weights_per_stage();
        let weights = self.network.weights_mut();
        if has_stages {
            for &place in places {
                weights[place as usize] = weight_or_earlier(weights, of_stage, place);
            }
        }
        match &mut self.rates {
            Rates::Coherence(sums) if self.is_coherent => {
                let size = error.abs();
                for &place in places {
                    let [sum, sizes] = &mut sums[place as usize];
                    let rate = if *sizes > 0.0 { sum.abs() / *sizes } else { 1.0 };
                    weights[place as usize] += rate * step;
                    *sum += error;
                    *sizes += size;
                }
            }
            _ => {
                for &place in places {
                    weights[place as usize] += step;
                }
            }
        }
    }

    /// Prefetches what is needed to correct the weights of a board.
    #[inline]
    pub(super) fn prefetch(&self, places: &WeightIndices) {
        if let Rates::Coherence(sums) = &self.rates
            && self.is_coherent
        {
            for &place in &places[..self.network.layout().lookups_per_board()] {
                prefetch(sums, place);
            }
        }
    }

    /// Computes the indices of a board, and prefetches what is needed to correct its weights.
    #[inline]
    pub(super) fn prepare(&self, board: Cells, places: &mut WeightIndices) {
        self.network.compute_and_prefetch(board, places);
        self.prefetch(places);
    }

    /// Writes the weights, and the state of their rates.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write_floats(self.network.weights(), out)?;
        if let Rates::Coherence(sums) = &self.rates {
            write_floats(sums.as_flattened(), out)?;
        }
        Ok(())
    }

    /// Reads the weights, and the state of their rates.
    pub(super) fn read(&mut self, from: &mut dyn Read) -> io::Result<()> {
        read_floats(self.network.weights_mut(), from)?;
        if let Rates::Coherence(sums) = &mut self.rates {
            read_floats(sums.as_flattened_mut(), from)?;
        }
        Ok(())
    }
}

/// Reads little-endian floats.
fn read_floats(floats: &mut [f32], from: &mut dyn Read) -> io::Result<()> {
    let mut bytes = vec![0; 1 << 16];
    for part in floats.chunks_mut(1 << 14) {
        let bytes = &mut bytes[..4 * part.len()];
        from.read_exact(bytes)?;
        for (float, bytes) in part.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *float = f32::from_le_bytes(*bytes);
        }
    }
    Ok(())
}
