//! Value networks (n-tuple networks): the value of a board right after a move is the sum of one
//! weight per pattern, chosen by the pattern's content.

pub mod file;
pub mod options;
pub mod pages;
pub mod pattern;
pub mod places;
pub mod stages;
pub mod tdl2048;
pub mod turns;

use gauntlet_twenty48::rules::Cells;

use pages::allocate;
use pattern::Patterns;
use places::{Layout, MOST_PLACES, WeightIndices};
use stages::Stages;

/// Maximum weight in a file, which keeps every sum within the range of a float.
const MOST_WEIGHT: f32 = 1e12;

/// Number of weights that a core's caches hold, in 2 MiB. Prefetching these takes longer than it
/// saves.
const NEAR: usize = 1 << 19;

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
        let mut weights = allocate(layout.weights(), weight)?;
        if weight != 0.0 {
            weights[layout.weights_per_stage()..].fill(0.0);
        }
        Ok(Network { layout, weights })
    }

    /// Creates a network of the same layout with all weights 0. Fails if there is not enough
    /// memory.
    pub fn with_zero_weights(&self) -> Result<Network, String> {
        Ok(Network { layout: self.layout.clone(), weights: allocate(self.weights.len(), 0.0)? })
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
        self.weights.len() > NEAR
    }

    /// Computes the indices of a board's weights. A tile over 32768 counts as 32768.
    #[inline]
    pub fn compute_indices(&self, board: Cells, places: &mut WeightIndices) {
        self.layout.compute_indices(board.capped_nibbles().word(), places, |_| {});
    }

    /// Computes the indices of a board's weights, and prefetches the weights if the caches cannot
    /// hold them.
    #[inline]
    pub fn compute_and_prefetch(&self, board: Cells, places: &mut WeightIndices) {
        if !self.is_memory_bound() {
            return self.compute_indices(board, places);
        }
        self.layout.compute_indices(board.capped_nibbles().word(), places, |place| {
            places::prefetch(&self.weights, place)
        });
    }

    /// Returns the value of the board with these indices. It adds four partial sums, each of every
    /// fourth weight, because the order of additions affects the last bit.
    #[inline]
    pub fn sum(&self, places: &WeightIndices) -> f32 {
        let places = &places[..self.layout.lookups_per_board()];
        if self.layout.stages().is_one() {
            sum_weights(places, |place| self.weights[place as usize])
        } else {
            sum_weights(places, |place| {
                weight_or_earlier(&self.weights, self.layout.weights_per_stage(), place)
            })
        }
    }

    /// Returns the value of a board right after a move: the sum of its weights, in the order of
    /// [`Network::sum`].
    #[inline]
    pub fn value(&self, board: Cells) -> f32 {
        if !self.layout.is_symmetric() || !self.layout.stages().is_one() {
            let mut places = [0; MOST_PLACES];
            self.compute_indices(board, &mut places);
            return self.sum(&places);
        }
        let mut sums = [0.0_f32; 4];
        self.layout.for_each_index::<8>(board.capped_nibbles().word(), 0, |places| {
            let [a, b, c, d, e, f, g, h] = places.map(|place| self.weights[place as usize]);
            sums = [sums[0] + a + e, sums[1] + b + f, sums[2] + c + g, sums[3] + d + h];
        });
        sum_partials(sums)
    }
}

#[inline(always)]
fn sum_weights(places: &[u32], weight: impl Fn(u32) -> f32) -> f32 {
    let (fours, rest) = places.as_chunks::<4>();
    let mut sums = [0.0_f32; 4];
    for four in fours {
        for (sum, &place) in sums.iter_mut().zip(four) {
            *sum += weight(place);
        }
    }
    for (sum, &place) in sums.iter_mut().zip(rest) {
        *sum += weight(place);
    }
    sum_partials(sums)
}

#[inline(always)]
fn sum_partials([a, b, c, d]: [f32; 4]) -> f32 {
    (a + b) + (c + d)
}

/// Returns the weight at an index; if its stage has not learned it, the weight of the stage before.
#[inline]
pub fn weight_or_earlier(weights: &[f32], of_stage: usize, place: u32) -> f32 {
    let mut place = place as usize;
    while weights[place] == 0.0 && place >= of_stage {
        place -= of_stage;
    }
    weights[place]
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
        let places = |network: &Network, board| {
            let mut places = [0; MOST_PLACES];
            network.compute_indices(board, &mut places);
            places[0] as usize
        };
        let of_stage = network.layout().weights_per_stage();
        let [at_first, at_second, at_third] = [first, second, third].map(|board| places(&network, board));
        assert!(at_first < of_stage && at_second / of_stage == 1 && at_third / of_stage == 2);

        network.weights_mut()[at_first] = 7.0;
        network.weights_mut()[at_second - of_stage] = 3.0;
        network.weights_mut()[at_third - 2 * of_stage] = 5.0;
        assert_eq!([first, second, third].map(|board| network.value(board)), [7.0, 3.0, 5.0]);
        // The second stage learns a weight of the third board's content.
        network.weights_mut()[at_third - of_stage] = 4.0;
        assert_eq!(network.value(third), 4.0);
        network.weights_mut()[at_third] = 6.0;
        network.weights_mut()[at_second] = 2.0;
        assert_eq!([first, second, third].map(|board| network.value(board)), [7.0, 2.0, 6.0]);
        assert_eq!(network.weights()[at_second - of_stage], 3.0);
    }

    /// The value is exact to the last bit, whichever way the weights are added.
    #[test]
    fn a_value_is_the_sum_of_its_weights() {
        let patterns = Patterns::try_from("012 56 0 1".to_owned()).expect("patterns");
        for (is_symmetric, stages) in [(true, vec![]), (false, vec![]), (true, vec![64]), (false, vec![64])] {
            let stages = Stages::try_from(stages).expect("stages");
            let mut network = Network::new(&patterns, is_symmetric, &stages, 0.0).expect("a network");
            let mut dice = Seed::root(5).rng();
            network.weights_mut().iter_mut().for_each(|weight| *weight = dice.below(1 << 22) as f32 / 7.0);
            for _ in 0..200 {
                let board = Cells::from_ranks(std::array::from_fn(|_| dice.below(12) as u8));
                let mut places = [0; MOST_PLACES];
                network.compute_indices(board, &mut places);
                assert_eq!(network.value(board), network.sum(&places), "{}", board.format_line());
            }
        }
    }
}
