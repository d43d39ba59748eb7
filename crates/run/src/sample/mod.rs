//! Samples: the part of a player's games that comparisons keep. A rate takes a bit per game, the
//! score a number per game, in memory or in a file. Games are added to a sample while the journal
//! or `games.csv` is read.

pub mod matched_games;
mod scores;

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, Weak};

use gauntlet_core::disk::DiskFile;
use gauntlet_core::game::Seat;
use gauntlet_core::measure::Measure;
use gauntlet_core::record::GameRecord;
use gauntlet_stats::{ContingencyTable, Histogram};

use crate::blocks::BlockSeeds;
use crate::plan::{LineUp, Plan, PlannedPlayer};
use crate::tally::csv_tally::{is_broken, read_rows};
use scores::{ScoreCursor, Scores};

/// Blocks, which determine the seeds of games. All players of an experiment share them.
#[derive(Debug)]
pub struct ExperimentBlocks {
    blocks: BlockSeeds,
    /// Cached result of the last [`find_places`]. Players of two experiments may be compared
    /// millions of times.
    places_cache: Mutex<Option<CachedPlaces>>,
}

/// The other blocks, the number of places in each, and the result of [`find_places`].
type CachedPlaces = (Weak<ExperimentBlocks>, [usize; 2], Arc<Vec<u32>>);

impl ExperimentBlocks {
    pub fn new(blocks: BlockSeeds) -> Arc<ExperimentBlocks> {
        Arc::new(ExperimentBlocks { blocks, places_cache: Mutex::default() })
    }
}

/// A player's games, reduced to some measures. The index of a game, its place, is the number of its
/// block.
#[derive(Debug)]
pub struct Sample {
    blocks: Arc<ExperimentBlocks>,
    place_count: usize,
    /// Places without a game, because the player's program broke.
    gaps: BTreeSet<usize>,
    /// For each rate, whether the game at each place is a success.
    rates: Vec<(Measure, Bits)>,
    /// Score at each place.
    scores: Option<Scores>,
}

impl Sample {
    /// Creates an empty sample of games on these blocks, for these measures.
    pub fn new(blocks: Arc<ExperimentBlocks>, measures: &[Measure]) -> Sample {
        let rates = measures
            .iter()
            .filter(|measure| measure.is_rate())
            .map(|&measure| (measure, Bits::default()))
            .collect();
        let scores = measures.contains(&Measure::Score).then(Scores::default);
        Sample { blocks, place_count: 0, gaps: BTreeSet::new(), rates, scores }
    }

    /// Creates an empty sample with scores in a file, which can only be read in order. Samples may
    /// share the file.
    pub fn with_stored_scores(
        blocks: Arc<ExperimentBlocks>,
        measures: &[Measure],
        file: &Arc<dyn DiskFile>,
    ) -> Sample {
        let mut sample = Sample::new(blocks, measures);
        sample.scores = sample.scores.map(|_| Scores::stored(Arc::clone(file)));
        sample
    }

    /// Returns the first error of writing or reading stored scores. After one, the sample has only
    /// some of its scores.
    pub fn storage_error(&self) -> Option<&io::Error> {
        self.scores.as_ref()?.storage_error()
    }

    /// Returns true if the sample keeps anything of single games. Times need none.
    pub fn needs_games(&self) -> bool {
        !self.rates.is_empty() || self.scores.is_some()
    }

    /// Adds the games of consecutive blocks. Blocks skipped since the last call become gaps.
    pub fn add(&mut self, first: u64, records: &[GameRecord]) {
        while (self.place_count as u64) < first {
            self.push(None);
        }
        records.iter().for_each(|record| self.push(Some(record)));
    }

    /// Fills the next place.
    fn push(&mut self, record: Option<&GameRecord>) {
        if record.is_none() {
            self.gaps.insert(self.place_count);
        }
        for (measure, bits) in &mut self.rates {
            bits.push(record.is_some_and(|record| is_success(record, *measure)));
        }
        if let Some(scores) = &mut self.scores {
            scores.push(record.map_or(0, GameRecord::score));
        }
        self.place_count += 1;
    }

    /// Returns the result of the game at this place: its score, or 1 or 0 for success or failure by
    /// a rate. `None` if the place has no game.
    ///
    /// # Panics
    /// If the sample is not for this measure.
    pub fn result(&self, measure: Measure, place: usize) -> Option<u64> {
        self.has_game(place).then(|| match measure {
            Measure::Score => self.score_cursor().score_at(place),
            _ => self.rate(measure).get(place).into(),
        })
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        (self.place_count - self.gaps.len()) as u64
    }

    /// Iterates over the places that have a game.
    fn played_places(&self) -> impl Iterator<Item = usize> + Clone {
        (0..self.place_count).filter(|place| !self.gaps.contains(place))
    }

    /// Returns true if a place has a game.
    fn has_game(&self, place: usize) -> bool {
        place < self.place_count && !self.gaps.contains(&place)
    }

    /// Counts the games that are successes.
    ///
    /// # Panics
    /// If the sample is not for this rate.
    pub fn successes(&self, measure: Measure) -> u64 {
        self.rate(measure).count()
    }

    /// Returns one bit per place, set if the game is a success.
    fn rate(&self, measure: Measure) -> &Bits {
        let (_, bits) =
            self.rates.iter().find(|(candidate, _)| *candidate == measure).expect("a sample for this rate");
        bits
    }

    /// Returns the scores of all games.
    ///
    /// # Panics
    /// If the sample is not for scores.
    pub fn distribution(&self) -> Histogram {
        self.scores().collect()
    }

    /// Returns the mean score; `None` without games.
    pub fn mean_score(&self) -> Option<f64> {
        let (count, sum) =
            self.scores().fold((0_u64, 0.0), |(count, sum), score| (count + 1, sum + score as f64));
        (count > 0).then(|| sum / count as f64)
    }

    /// Iterates over the scores of all games, in their order.
    pub fn scores(&self) -> impl Iterator<Item = u64> + Clone {
        let mut cursor = self.score_cursor();
        self.played_places().map(move |place| cursor.score_at(place))
    }

    /// Returns a cursor over the scores.
    fn score_cursor(&self) -> ScoreCursor<'_> {
        self.scores.as_ref().expect("a sample for scores").cursor()
    }
}

/// Returns true if a solo game is a success by this rate.
fn is_success(record: &GameRecord, measure: Measure) -> bool {
    match measure {
        Measure::Reach(threshold) => threshold.is_in(&record.facts),
        _ => record.is_won_by(Seat::First),
    }
}

#[derive(Clone, Debug, Default)]
struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(64) {
            self.words.push(0);
        }
        self.words[self.len / 64] |= u64::from(bit) << (self.len % 64);
        self.len += 1;
    }

    /// Counts the places in both lists by their two bits.
    fn cross_tabulate(&self, other: &Bits) -> ContingencyTable {
        let places = self.len.min(other.len) as u64;
        let mut pairs = ContingencyTable::default();
        for (word_index, (one, other)) in (0_u64..).zip(self.words.iter().zip(&other.words)) {
            let shared_bits = places.saturating_sub(64 * word_index);
            let mask = if shared_bits < 64 { (1 << shared_bits) - 1 } else { u64::MAX };
            pairs.both += u64::from((one & other & mask).count_ones());
            pairs.only_first += u64::from((one & !other & mask).count_ones());
            pairs.only_second += u64::from((!one & other & mask).count_ones());
        }
        pairs.neither = places - pairs.both - pairs.discordant();
        pairs
    }

    fn get(&self, place: usize) -> bool {
        self.words[place / 64] >> (place % 64) & 1 == 1
    }

    /// Counts the bits that are set.
    fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

/// Creates an empty sample of each player for these measures, in the order of the plan.
pub fn empty_samples(plan: &Plan, measures: &[Measure]) -> Vec<(String, Sample)> {
    let blocks = ExperimentBlocks::new(plan.blocks.clone().into_owned());
    let empty_sample =
        |player: &PlannedPlayer| (player.name.to_owned(), Sample::new(Arc::clone(&blocks), measures));
    plan.players.iter().map(empty_sample).collect()
}

/// Reads a sample of each player from `games.csv`. A duel is no sample of one player.
pub fn read(plan: &Plan, csv: &mut dyn Read, measures: &[Measure]) -> anyhow::Result<Vec<(String, Sample)>> {
    let mut samples = empty_samples(plan, measures);
    read_rows(plan, csv, &mut |lineup, _, legs| {
        if let LineUp::Alone([player]) = plan.lineups[lineup] {
            samples[player].1.push(legs.first().filter(|_| !is_broken(legs)));
        }
    })?;
    Ok(samples)
}

#[cfg(test)]
pub(super) mod tests {
    use gauntlet_core::game::Outcome;
    use gauntlet_core::record::Ending;

    use super::*;

    /// Makes a game that has only a score, and is won above 10 points.
    pub(super) fn game(score: u64) -> GameRecord {
        GameRecord {
            outcome: Outcome::Points { score, won: score > 10 },
            facts: Default::default(),
            moves: 1,
            ending: Ending::GameOver,
        }
    }

    /// Makes the sample of a player with these seeds and scores. `None` is a game in which the
    /// player's program broke.
    pub(super) fn sample(games: &[(u64, Option<u64>)]) -> Sample {
        let blocks = BlockSeeds::Listed(games.iter().map(|(seed, _)| *seed).collect());
        build_sample(blocks, games.iter().map(|(_, score)| *score))
    }

    fn build_sample(blocks: BlockSeeds, scores: impl IntoIterator<Item = Option<u64>>) -> Sample {
        let mut sample = Sample::new(ExperimentBlocks::new(blocks), &[Measure::Win, Measure::Score]);
        for score in scores {
            sample.push(score.map(game).as_ref());
        }
        sample
    }

    /// Makes the sample of a player with these scores, on the blocks of an experiment with this
    /// seed.
    pub(super) fn sample_from_seed(seed: u64, scores: &[u64]) -> Sample {
        let games = scores.len() as u64;
        build_sample(BlockSeeds::Derived { seed, games }, scores.iter().copied().map(Some))
    }
}
