//! Weights that learn.

use std::io::{self, Read, Write};

use gauntlet_twenty48::rules::Cells;

use super::method::{LearningSettings, RateMethod};
use super::sparse_floats;
use crate::network::pages::try_allocate_zeros;
use crate::network::weight_indices::{WeightIndices, prefetch};
use crate::network::{Network, weight_or_earlier};

/// Weights of a network, and their learning rates.
pub(super) struct TrainingWeights {
    pub(super) network: Network,
    rates: Rates,
    /// Part of an error that each weight of a board learns.
    error_share: f32,
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
    pub(super) fn new(
        learning_method: &LearningSettings,
        network: Network,
    ) -> Result<TrainingWeights, String> {
        let rates = if learning_method.method.has_separate_rates() {
            Rates::Coherence(try_allocate_zeros(network.weights().len())?)
        } else {
            Rates::One
        };
        Ok(TrainingWeights { network, rates, error_share: 0.0, is_coherent: false })
    }

    /// Sets the rates after this number of games.
    pub(super) fn choose_rates(&mut self, learning_method: &LearningSettings, games: u64) {
        let LearningSettings { method, rate, tc_after, .. } = *learning_method;
        self.is_coherent = method.has_separate_rates() && games >= tc_after;
        let rate = if self.is_coherent && method == RateMethod::OtdTc { 1.0 } else { rate };
        self.error_share = rate / self.network.layout().lookups_per_board() as f32;
    }

    /// Corrects the weights of a board by its error.
    #[inline]
    pub(super) fn correct(&mut self, indices: &WeightIndices, error: f32) {
        let step = self.error_share * error;
        let indices = &indices[..self.network.layout().lookups_per_board()];
        let has_stages = !self.network.layout().stages().has_one_stage();
        let stage_size = self.network.layout().weights_per_stage();
        let weights = self.network.weights_mut();
        if has_stages {
            for &index in indices {
                weights[index as usize] = weight_or_earlier(weights, stage_size, index);
            }
        }
        match &mut self.rates {
            Rates::Coherence(sums) if self.is_coherent => {
                let size = error.abs();
                for &index in indices {
                    let [sum, sizes] = &mut sums[index as usize];
                    let rate = if *sizes > 0.0 { sum.abs() / *sizes } else { 1.0 };
                    weights[index as usize] += rate * step;
                    *sum += error;
                    *sizes += size;
                }
            }
            _ => {
                for &index in indices {
                    weights[index as usize] += step;
                }
            }
        }
    }

    /// Prefetches what is needed to correct the weights of a board.
    #[inline]
    pub(super) fn prefetch(&self, indices: &WeightIndices) {
        if let Rates::Coherence(sums) = &self.rates
            && self.is_coherent
        {
            for &index in &indices[..self.network.layout().lookups_per_board()] {
                prefetch(sums, index);
            }
        }
    }

    /// Computes the indices of a board, and prefetches what is needed to correct its weights.
    #[inline]
    pub(super) fn prepare(&self, board: Cells, indices: &mut WeightIndices) {
        self.network.compute_and_prefetch(board, indices);
        self.prefetch(indices);
    }

    /// Writes the weights, and the state of their rates.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        sparse_floats::write(self.network.weights(), out)?;
        if let Rates::Coherence(sums) = &self.rates {
            sparse_floats::write(sums.as_flattened(), out)?;
        }
        Ok(())
    }

    /// Reads the weights, and the state of their rates.
    pub(super) fn read(&mut self, reader: &mut dyn Read) -> io::Result<()> {
        sparse_floats::read(self.network.weights_mut(), reader)?;
        if let Rates::Coherence(sums) = &mut self.rates {
            sparse_floats::read(sums.as_flattened_mut(), reader)?;
        }
        Ok(())
    }
}
