//! Value networks (n-tuple networks): the value of a board right after a move is the sum of one
//! weight per pattern, chosen by the pattern's content.

pub mod board_moves;
pub mod file;
pub mod legal_moves;
pub mod pages;
pub mod pattern;
pub mod stages;
pub mod tdl2048;
pub mod weight_indices;

use gauntlet_twenty48::rules::Cells;

use pages::try_allocate_zeros;
use pattern::Patterns;
use stages::Stages;
use weight_indices::{Layout, MAX_INDICES, WeightIndices};

/// Maximum weight in a file, which keeps every sum within the range of a float.
const MAX_WEIGHT: f32 = 1e12;

/// Number of weights that a core's caches hold, in 2 MiB. Prefetching these takes longer than it
/// saves.
const CACHED_WEIGHTS: usize = 1 << 19;

/// Value network.
#[derive(Clone, Debug)]
pub struct Network {
    layout: Layout,
    weights: Vec<f32>,
}

impl Network {
    /// Creates a network of these patterns in which every board has the same value. Fails if there
    /// is not enough memory.
    pub fn new(
        patterns: &Patterns,
        is_symmetric: bool,
        stages: &Stages,
        value: f32,
    ) -> Result<Network, String> {
        let layout = Layout::new(patterns.list(), is_symmetric, stages).ok_or_else(|| {
            let weights = patterns.contents().saturating_mul(stages.count().into());
            format!("a network of {patterns} has {} GiB of weights; at most 16 GiB", weights >> 28)
        })?;
        let weight = value / layout.lookups_per_board() as f32;
        let mut weights = try_allocate_zeros(layout.weights())?;
        if weight != 0.0 {
            weights[..layout.weights_per_stage()].fill(weight);
        }
        Ok(Network { layout, weights })
    }

    /// Creates a network of the same layout with all weights 0. Fails if there is not enough
    /// memory.
    pub fn with_zero_weights(&self) -> Result<Network, String> {
        Ok(Network { layout: self.layout.clone(), weights: try_allocate_zeros(self.weights.len())? })
    }

    /// Returns the layout of its weights.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns its weights.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Returns its weights for modification.
    pub fn weights_mut(&mut self) -> &mut [f32] {
        &mut self.weights
    }

    /// Returns true if a core's caches cannot hold its weights.
    pub fn is_memory_bound(&self) -> bool {
        self.weights.len() > CACHED_WEIGHTS
    }

    /// Computes the indices of a board's weights. A tile over 32768 counts as 32768.
    #[inline]
    pub fn compute_indices(&self, board: Cells, indices: &mut WeightIndices) {
        self.layout.compute_indices(board.capped_nibbles().word(), indices, |_| {});
    }

    /// Computes the indices of a board's weights, and prefetches the weights if the caches cannot
    /// hold them.
    #[inline]
    pub fn compute_and_prefetch(&self, board: Cells, indices: &mut WeightIndices) {
        if !self.is_memory_bound() {
            return self.compute_indices(board, indices);
        }
        self.layout.compute_indices(board.capped_nibbles().word(), indices, |index| {
            weight_indices::prefetch(&self.weights, index)
        });
    }

    /// Returns the value of the board with these indices. It adds four partial sums, each of every
    /// fourth weight, because the order of additions affects the last bit.
    #[inline]
    pub fn sum(&self, indices: &WeightIndices) -> f32 {
        let indices = &indices[..self.layout.lookups_per_board()];
        if self.layout.stages().has_one_stage() {
            sum_weights(indices, |index| self.weights[index as usize])
        } else {
            sum_weights(indices, |index| {
                weight_or_earlier(&self.weights, self.layout.weights_per_stage(), index)
            })
        }
    }

    /// Returns the value of a board right after a move: the sum of its weights, in the order of
    /// [`Network::sum`].
    #[inline]
    pub fn value(&self, board: Cells) -> f32 {
        if !self.layout.is_symmetric() || !self.layout.stages().has_one_stage() {
            let mut indices = [0; MAX_INDICES];
            self.compute_indices(board, &mut indices);
            return self.sum(&indices);
        }
        let mut sums = [0.0_f32; 4];
        self.layout.for_each_index::<8>(board.capped_nibbles().word(), 0, |indices| {
            let [a, b, c, d, e, f, g, h] = indices.map(|index| self.weights[index as usize]);
            sums = [sums[0] + a + e, sums[1] + b + f, sums[2] + c + g, sums[3] + d + h];
        });
        sum_partials(sums)
    }
}

#[inline(always)]
fn sum_weights(indices: &[u32], weight: impl Fn(u32) -> f32) -> f32 {
    let (fours, rest) = indices.as_chunks::<4>();
    let mut sums = [0.0_f32; 4];
    for four in fours {
        for (sum, &index) in sums.iter_mut().zip(four) {
            *sum += weight(index);
        }
    }
    for (sum, &index) in sums.iter_mut().zip(rest) {
        *sum += weight(index);
    }
    sum_partials(sums)
}

#[inline(always)]
fn sum_partials([a, b, c, d]: [f32; 4]) -> f32 {
    (a + b) + (c + d)
}

/// Returns the weight at an index; if its stage has not learned it, the weight of the stage before.
#[inline]
pub fn weight_or_earlier(weights: &[f32], stage_size: usize, index: u32) -> f32 {
    let mut index = index as usize;
    while weights[index] == 0.0 && index >= stage_size {
        index -= stage_size;
    }
    weights[index]
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;

    use super::*;

    /// Returns a board with tiles of these ranks on its first cells.
    fn board(ranks: [u8; 2]) -> Cells {
        Cells::from_ranks(std::array::from_fn(|cell| ranks.get(cell).copied().unwrap_or(0)))
    }

    /// A stage takes unlearned weights from the stage before; an earlier stage does not see what a
    /// later one learns.
    #[test]
    fn a_stage_begins_with_what_the_one_before_has_learned() {
        let patterns = Patterns::try_from("01".to_owned()).expect("a pattern");
        let stages = Stages::try_from(vec![16, 32]).expect("stages");
        let mut network = Network::new(&patterns, false, &stages, 0.0).expect("a small network");
        let [first, second, third] = [[1, 2], [4, 1], [5, 1]].map(board);
        let index_of = |network: &Network, board| {
            let mut indices = [0; MAX_INDICES];
            network.compute_indices(board, &mut indices);
            indices[0] as usize
        };
        let stage_size = network.layout().weights_per_stage();
        let [first_index, second_index, third_index] =
            [first, second, third].map(|board| index_of(&network, board));
        assert!(first_index < stage_size && second_index / stage_size == 1 && third_index / stage_size == 2);

        network.weights_mut()[first_index] = 7.0;
        network.weights_mut()[second_index - stage_size] = 3.0;
        network.weights_mut()[third_index - 2 * stage_size] = 5.0;
        assert_eq!([first, second, third].map(|board| network.value(board)), [7.0, 3.0, 5.0]);
        // The second stage learns a weight of the third board's content.
        network.weights_mut()[third_index - stage_size] = 4.0;
        assert_eq!(network.value(third), 4.0);
        network.weights_mut()[third_index] = 6.0;
        network.weights_mut()[second_index] = 2.0;
        assert_eq!([first, second, third].map(|board| network.value(board)), [7.0, 2.0, 6.0]);
        assert_eq!(network.weights()[second_index - stage_size], 3.0);
    }

    /// The value is exact to the last bit, whichever way the weights are added.
    #[test]
    fn a_value_is_the_sum_of_its_weights() {
        let patterns = Patterns::try_from("012 56 0 1".to_owned()).expect("patterns");
        for (is_symmetric, stages) in [(true, vec![]), (false, vec![]), (true, vec![64]), (false, vec![64])] {
            let stages = Stages::try_from(stages).expect("stages");
            let mut network = Network::new(&patterns, is_symmetric, &stages, 0.0).expect("a network");
            let mut rng = Seed::root(5).rng();
            network.weights_mut().iter_mut().for_each(|weight| *weight = rng.below(1 << 22) as f32 / 7.0);
            for _ in 0..200 {
                let board = Cells::from_ranks(std::array::from_fn(|_| rng.below(12) as u8));
                let mut indices = [0; MAX_INDICES];
                network.compute_indices(board, &mut indices);
                assert_eq!(network.value(board), network.sum(&indices), "{}", board.format_line());
            }
        }
    }
}
