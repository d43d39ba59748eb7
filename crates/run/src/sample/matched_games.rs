//! Games of two samples on equal seeds, and the numbers by which they are compared.

use std::sync::{Arc, PoisonError};

use gauntlet_core::measure::Measure;
use gauntlet_stats::{ContingencyTable, MeanLogRatio, ValueCounts};

use super::Sample;
use crate::blocks::BlockSeeds;

/// Games of two samples on equal seeds.
#[derive(Debug)]
pub struct MatchedGames<'a> {
    first: &'a Sample,
    second: &'a Sample,
    /// For each place of the first sample the place in the second, or `None` if all places are
    /// equal.
    second_places: Option<Arc<Vec<u32>>>,
}

impl MatchedGames<'_> {
    pub fn new<'a>(first: &'a Sample, second: &'a Sample) -> MatchedGames<'a> {
        let second_places = match (&first.blocks.blocks, &second.blocks.blocks) {
            (BlockSeeds::Derived { seed: one, .. }, BlockSeeds::Derived { seed: other, .. })
                if one == other =>
            {
                None
            }
            (one, other) if one == other => None,
            _ => Some(cached_places(second, first)),
        };
        MatchedGames { first, second, second_places }
    }

    /// Iterates over the places of the game in each sample, in the order of the first.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> + Clone {
        let (first, second) = (self.first, self.second);
        let equal_count = if self.has_equal_places() { first.place_count.min(second.place_count) } else { 0 };
        let second_place =
            |place: usize| self.second_places.as_ref().map_or(place, |places| places[place] as usize);
        let pair_at =
            move |place| Some((place, second_place(place))).filter(|&(_, other)| second.has_game(other));
        let played_pairs = (equal_count == 0).then(|| first.played_places().filter_map(pair_at));
        (0..equal_count).map(|place| (place, place)).chain(played_pairs.into_iter().flatten())
    }

    /// Returns true if place n of both samples has a game on the same seed, up to the end of the
    /// shorter.
    fn has_equal_places(&self) -> bool {
        self.second_places.is_none() && self.first.gaps.is_empty() && self.second.gaps.is_empty()
    }

    /// Returns the number of pairs.
    pub fn count(&self) -> u64 {
        self.places().count() as u64
    }

    /// Iterates over the scores of both players on each seed.
    fn scores(&self) -> impl Iterator<Item = [f64; 2]> + Clone {
        let [mut own_cursor, mut other_cursor] = [self.first, self.second].map(Sample::score_cursor);
        self.places().map(move |(place, other_place)| {
            [own_cursor.score_at(place), other_cursor.score_at(other_place)].map(|score| score as f64)
        })
    }

    /// Returns true if both players have the same score on each seed.
    pub fn has_equal_scores(&self) -> bool {
        self.scores().all(|[one, other]| one == other)
    }

    /// Returns the mean score of each player; `None` without pairs.
    pub fn mean_scores(&self) -> [Option<f64>; 2] {
        let mut count = 0_u64;
        let mut sums = [0.0; 2];
        for [one, other] in self.scores() {
            count += 1;
            sums = [sums[0] + one, sums[1] + other];
        }
        sums.map(|sum| (count > 0).then(|| sum / count as f64))
    }

    /// Counts the differences of the scores on each seed.
    pub fn differences(&self) -> ValueCounts {
        self.scores().map(|[one, other]| one - other).collect()
    }

    /// Returns the ratio of the scores on each seed.
    pub fn score_ratio(&self) -> ScoreRatio {
        let is_shifted = self.scores().any(|scores| scores.contains(&0.0));
        let shift = f64::from(is_shifted);
        let log = MeanLogRatio::from_pairs(self.scores().map(|[one, other]| (one + shift, other + shift)));
        ScoreRatio { log, is_shifted }
    }

    /// Counts pairs of games by their successes.
    pub fn successes(&self, measure: Measure) -> ContingencyTable {
        let (one, other) = (self.first.rate(measure), self.second.rate(measure));
        if self.has_equal_places() {
            return one.cross_tabulate(other);
        }
        let mut pairs = ContingencyTable::default();
        self.places().for_each(|(place, other_place)| pairs.add(one.get(place), other.get(other_place)));
        pairs
    }
}

/// Ratio of two players' scores.
#[derive(Clone, Copy, Debug)]
pub struct ScoreRatio {
    /// Its mean logarithm; `None` with too few games.
    pub log: Option<MeanLogRatio>,
    /// True if one point was added to every score because some are 0.
    pub is_shifted: bool,
}

impl ScoreRatio {
    /// Compares the scores of all games, as if no seeds were equal.
    pub fn from_all_games(first: &Sample, second: &Sample) -> ScoreRatio {
        let [one, other] = [first, second].map(Sample::scores);
        let is_shifted = one.clone().chain(other.clone()).any(|score| score == 0);
        let shift = f64::from(is_shifted);
        let log = MeanLogRatio::from_samples(
            one.map(|score| score as f64 + shift),
            other.map(|score| score as f64 + shift),
        );
        ScoreRatio { log, is_shifted }
    }
}

/// Marks a seed that the other sample does not have.
const NOWHERE: u32 = u32::MAX;

/// Returns [`find_places`], cached for players of the same two experiments.
fn cached_places(other: &Sample, sample: &Sample) -> Arc<Vec<u32>> {
    let place_counts = [other.place_count, sample.place_count];
    let lock_cache = || sample.blocks.places_cache.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((cached_blocks, cached_counts, cached)) = &*lock_cache()
        && *cached_counts == place_counts
        && cached_blocks.as_ptr() == Arc::as_ptr(&other.blocks)
    {
        return Arc::clone(cached);
    }
    let new_places = Arc::new(find_places(other, sample));
    *lock_cache() = Some((Arc::downgrade(&other.blocks), place_counts, Arc::clone(&new_places)));
    new_places
}

/// Finds, for each place of a sample, the place in `other` with the same seed. Sorts only one part
/// of the seeds at a time, to save memory.
fn find_places(other: &Sample, sample: &Sample) -> Vec<u32> {
    const PARTS: u64 = 16;
    let seeds = |source: &Sample, part: u64| {
        let blocks = Arc::clone(&source.blocks);
        let seeds =
            (0..source.place_count as u32).map(move |place| (blocks.blocks.seed(place.into()), place));
        seeds.filter(move |(seed, _)| seed % PARTS == part)
    };
    let mut places = vec![NOWHERE; sample.place_count];
    for part in 0..PARTS {
        let mut other_seeds: Vec<(u64, u32)> = seeds(other, part).collect();
        other_seeds.sort_unstable();
        for (seed, place) in seeds(sample, part) {
            if let Ok(index) = other_seeds.binary_search_by_key(&seed, |(seed, _)| *seed) {
                places[place as usize] = other_seeds[index].1;
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use gauntlet_core::disk::scratch_file;

    use super::super::ExperimentBlocks;
    use super::super::tests::{game, sample, sample_from_seed};
    use super::*;

    fn pairs(first: &Sample, second: &Sample) -> Vec<(u64, u64)> {
        let matched = MatchedGames::new(first, second);
        let score = |sample: &Sample, place| sample.result(Measure::Score, place).expect("a game");
        matched.places().map(|(one, other)| (score(first, one), score(second, other))).collect()
    }

    #[test]
    fn games_on_the_same_seeds_are_paired() {
        let a = sample(&[(3, Some(1)), (5, Some(20)), (7, Some(3)), (9, Some(40))]);
        let b = sample(&[(3, Some(11)), (5, None), (7, Some(13)), (9, Some(14))]);
        let reordered = sample(&[(9, Some(50)), (7, Some(51)), (8, Some(52)), (3, None)]);
        assert_eq!((a.games(), b.games(), reordered.games()), (4, 3, 3));
        assert_eq!((a.successes(Measure::Win), b.successes(Measure::Win)), (2, 3));
        assert_eq!(b.scores().collect::<Vec<_>>(), [11, 13, 14]);
        assert_eq!(pairs(&a, &b), [(1, 11), (3, 13), (40, 14)]);
        assert_eq!(pairs(&b, &a), [(11, 1), (13, 3), (14, 40)]);
        assert_eq!(pairs(&a, &reordered), [(3, 51), (40, 50)]);
        assert_eq!(pairs(&reordered, &a), [(50, 40), (51, 3)]);
    }

    #[test]
    fn blocks_of_one_seed_are_paired_though_their_numbers_differ() {
        let (few, many) = (sample_from_seed(7, &[1, 2, 3]), sample_from_seed(7, &[4, 5, 6, 7, 8]));
        assert_eq!(pairs(&few, &many), [(1, 4), (2, 5), (3, 6)]);
        assert_eq!(pairs(&many, &few), [(4, 1), (5, 2), (6, 3)]);
        assert_eq!(pairs(&few, &sample_from_seed(8, &[4, 5, 6])), []);
        // Seeds of the blocks, listed in another order.
        let blocks = BlockSeeds::Derived { seed: 7, games: 5 };
        let listed_sample = sample(&[4, 0, 2].map(|block| (blocks.seed(block), Some(10 * block))));
        assert_eq!(pairs(&many, &listed_sample), [(4, 0), (6, 20), (8, 40)]);
        assert_eq!(pairs(&listed_sample, &many), [(40, 8), (0, 4), (20, 6)]);
    }

    /// Places are found once for two experiments, and again for other experiments or other numbers
    /// of games.
    #[test]
    fn places_are_found_once() {
        let scores: Vec<u64> = (0..50).collect();
        let one = sample_from_seed(7, &scores);
        let reversed_sample = |games: u64| {
            let blocks = BlockSeeds::Derived { seed: 7, games: 50 };
            sample(&(0..games).rev().map(|block| (blocks.seed(block), Some(block))).collect::<Vec<_>>())
        };
        let (other, twin) = (reversed_sample(50), reversed_sample(50));
        let places = |second: &Sample| cached_places(second, &one);
        let first = places(&other);
        let mut same_blocks = Sample::new(Arc::clone(&other.blocks), &[Measure::Score]);
        same_blocks.add(0, &[game(1); 50]);
        assert!(Arc::ptr_eq(&first, &places(&same_blocks)), "sorted anew");
        let recomputed = places(&twin);
        assert!(!Arc::ptr_eq(&first, &recomputed) && first == recomputed);
        assert_eq!(pairs(&one, &reversed_sample(3)), [(0, 0), (1, 1), (2, 2)]);
        let mut shorter = Sample::new(Arc::clone(&other.blocks), &[Measure::Win, Measure::Score]);
        (0..20).for_each(|score| shorter.push(Some(&game(score))));
        assert_eq!(places(&shorter), find_places(&shorter, &one).into());
    }

    #[test]
    fn stored_scores_are_compared_alike() {
        let blocks = ExperimentBlocks::new(BlockSeeds::Derived { seed: 1, games: 100_000 });
        let fill = |mut sample: Sample, factor: u64| {
            for block in (0..100_000).filter(|block| block % (997 * factor) != 5) {
                sample.add(block, &[game(block * block * factor % 40_009)]);
            }
            sample
        };
        let (measures, file) = ([Measure::Score], scratch_file());
        let in_memory = [3, 7].map(|factor| fill(Sample::new(Arc::clone(&blocks), &measures), factor));
        let stored = [3, 7]
            .map(|factor| fill(Sample::with_stored_scores(Arc::clone(&blocks), &measures, &file), factor));
        let [expected, found] = [&in_memory, &stored].map(|[one, other]| MatchedGames::new(one, other));
        assert_eq!((found.count(), found.mean_scores()), (expected.count(), expected.mean_scores()));
        assert_eq!(found.differences(), expected.differences());
        assert_eq!(found.score_ratio().log, expected.score_ratio().log);
        let [expected, found] =
            [&in_memory, &stored].map(|[one, other]| ScoreRatio::from_all_games(one, other).log);
        assert_eq!(found, expected);
        assert!(stored[0].scores().eq(in_memory[0].scores()) && stored[0].storage_error().is_none());
    }

    #[test]
    fn blocks_that_are_left_out_are_gaps() {
        let blocks = ExperimentBlocks::new(BlockSeeds::Derived { seed: 1, games: 4 });
        let [mut whole, mut other] = [0; 2].map(|_| Sample::new(Arc::clone(&blocks), &[Measure::Score]));
        whole.add(0, &[game(1), game(2)]);
        whole.add(2, &[game(3), game(4)]);
        other.add(1, &[game(12)]);
        other.add(3, &[game(14)]);
        assert_eq!((whole.games(), other.games()), (4, 2));
        assert_eq!(pairs(&whole, &other), [(2, 12), (4, 14)]);
        assert_eq!(other.scores().collect::<Vec<_>>(), [12, 14]);
        let results = (0..5).map(|place| other.result(Measure::Score, place)).collect::<Vec<_>>();
        assert_eq!(results, [None, Some(12), None, Some(14), None]);
    }
}
