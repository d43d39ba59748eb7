//! Samples: the part of a player's games that comparisons keep. A rate takes a bit per game, the
//! score a number per game.
//!
//! Games are added to a sample while the journal or `games.csv` is read. Games on equal seeds are
//! paired.

use std::collections::BTreeSet;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use gauntlet_core::game::Seat;
use gauntlet_core::measure::Measure;
use gauntlet_core::record::GameRecord;
use gauntlet_run::blocks::Blocks;
use gauntlet_run::plan::{LineUp, Plan, PlannedPlayer};
use gauntlet_run::tally::replay::{hear_rows, is_broken};
use gauntlet_stats::Pairs;

/// Blocks, which determine the seeds of games. All players of an experiment share them.
#[derive(Debug)]
pub struct SharedBlocks {
    blocks: Blocks,
    /// Cached result of the last [`places_in`]. Players of two experiments may be compared millions
    /// of times.
    found: Mutex<Option<Found>>,
}

/// The other blocks, the number of places in each, and the result of [`places_in`].
type Found = (Weak<SharedBlocks>, [usize; 2], Arc<Vec<u32>>);

impl SharedBlocks {
    pub fn of(blocks: Blocks) -> Arc<SharedBlocks> {
        Arc::new(SharedBlocks { blocks, found: Mutex::default() })
    }
}

/// A player's games, reduced to some measures. The index of a game, its place, is the number of its
/// block.
#[derive(Clone, Debug)]
pub struct Sample {
    blocks: Arc<SharedBlocks>,
    places: usize,
    /// Places without a game, because the player's program broke.
    gaps: BTreeSet<usize>,
    /// For each rate, whether the game at each place is a success.
    rates: Vec<(Measure, Bits)>,
    /// Score at each place.
    scores: Option<Scores>,
}

impl Sample {
    /// Creates an empty sample of games on these blocks, for these measures.
    pub fn of(blocks: Arc<SharedBlocks>, by: &[Measure]) -> Sample {
        let rates = by.iter().filter(|by| by.is_rate()).map(|&by| (by, Bits::default())).collect();
        let scores = by.contains(&Measure::Score).then(Scores::default);
        Sample { blocks, places: 0, gaps: BTreeSet::new(), rates, scores }
    }

    /// Returns true if the sample keeps anything of single games. Times need none.
    pub fn needs_games(&self) -> bool {
        !self.rates.is_empty() || self.scores.is_some()
    }

    /// Adds the games of consecutive blocks. Blocks skipped since the last call become gaps.
    pub fn add(&mut self, first: u64, records: &[GameRecord]) {
        while (self.places as u64) < first {
            self.push(None);
        }
        records.iter().for_each(|record| self.push(Some(record)));
    }

    /// Fills the next place.
    fn push(&mut self, record: Option<&GameRecord>) {
        if record.is_none() {
            self.gaps.insert(self.places);
        }
        for (by, bits) in &mut self.rates {
            bits.push(record.is_some_and(|record| succeeds(record, *by)));
        }
        if let Some(scores) = &mut self.scores {
            scores.push(record.map_or(0, GameRecord::score));
        }
        self.places += 1;
    }

    /// Returns the result of the game at this place: its score, or 1 or 0 for success or failure by
    /// a rate. `None` if the place has no game.
    ///
    /// # Panics
    /// If the sample is not for this measure.
    pub fn word(&self, by: Measure, place: usize) -> Option<u64> {
        self.has(place).then(|| match by {
            Measure::Score => self.score(place),
            _ => self.rate(by).get(place).into(),
        })
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        (self.places - self.gaps.len()) as u64
    }

    /// Iterates over the places that have a game.
    fn played(&self) -> impl Iterator<Item = usize> + Clone {
        (0..self.places).filter(|place| !self.gaps.contains(place))
    }

    /// Returns true if a place has a game.
    fn has(&self, place: usize) -> bool {
        place < self.places && !self.gaps.contains(&place)
    }

    /// Counts the games that are successes.
    ///
    /// # Panics
    /// If the sample is not for this rate.
    pub fn successes(&self, by: Measure) -> u64 {
        self.rate(by).count()
    }

    /// Returns one bit per place, set if the game is a success.
    fn rate(&self, by: Measure) -> &Bits {
        let (_, bits) = self.rates.iter().find(|(kept, _)| *kept == by).expect("a sample for this rate");
        bits
    }

    /// Iterates over the scores of all games, in their order.
    ///
    /// # Panics
    /// If the sample is not for scores.
    pub fn scores(&self) -> impl Iterator<Item = u64> + Clone {
        self.played().map(|place| self.score(place))
    }

    /// Returns the score at a place that has a game.
    pub(super) fn score(&self, place: usize) -> u64 {
        self.scores.as_ref().expect("a sample for scores").get(place)
    }
}

/// Returns true if a solo game is a success by this rate.
fn succeeds(record: &GameRecord, by: Measure) -> bool {
    match by {
        Measure::Reach(reach) => reach.is_in(&record.facts),
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
    fn beside(&self, other: &Bits) -> Pairs {
        let places = self.len.min(other.len) as u64;
        let mut pairs = Pairs::default();
        for (at, (one, other)) in (0_u64..).zip(self.words.iter().zip(&other.words)) {
            let shared = places.saturating_sub(64 * at);
            let there = if shared < 64 { (1 << shared) - 1 } else { u64::MAX };
            pairs.both += u64::from((one & other & there).count_ones());
            pairs.only_first += u64::from((one & !other & there).count_ones());
            pairs.only_second += u64::from((!one & other & there).count_ones());
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

/// A list of scores. Nearly all scores are below 2^32 and take 4 bytes.
#[derive(Clone, Debug)]
enum Scores {
    Short(Vec<u32>),
    Long(Vec<u64>),
}

impl Default for Scores {
    fn default() -> Scores {
        Scores::Short(Vec::new())
    }
}

impl Scores {
    fn push(&mut self, score: u64) {
        if let Scores::Short(short) = self {
            match u32::try_from(score) {
                Ok(score) => return short.push(score),
                Err(_) => *self = Scores::Long(short.iter().copied().map(u64::from).collect()),
            }
        }
        if let Scores::Long(long) = self {
            long.push(score);
        }
    }

    fn get(&self, place: usize) -> u64 {
        match self {
            Scores::Short(short) => short[place].into(),
            Scores::Long(long) => long[place],
        }
    }
}

/// Reads a sample of each player from `games.csv`, for these measures, in the order of the plan.
pub fn read(plan: &Plan, csv: impl Read, by: &[Measure]) -> anyhow::Result<Vec<(String, Sample)>> {
    let blocks = SharedBlocks::of(plan.blocks.clone().into_owned());
    let empty = |player: &PlannedPlayer| (player.name.to_owned(), Sample::of(Arc::clone(&blocks), by));
    let mut all: Vec<_> = plan.players.iter().map(empty).collect();
    hear_rows(plan, csv, |lineup, _, legs| {
        // A duel is no sample of one player.
        if let LineUp::Alone([player]) = plan.lineups[lineup] {
            all[player].1.push(legs.first().filter(|_| !is_broken(legs)));
        }
    })?;
    Ok(all)
}

/// Games of two samples on equal seeds.
pub(super) struct Matched<'a> {
    first: &'a Sample,
    second: &'a Sample,
    /// For each place of the first sample the place in the second, or `None` if all places are
    /// equal.
    elsewhere: Option<Arc<Vec<u32>>>,
}

impl Matched<'_> {
    pub(super) fn of<'a>(first: &'a Sample, second: &'a Sample) -> Matched<'a> {
        let elsewhere = match (&first.blocks.blocks, &second.blocks.blocks) {
            (Blocks::Derived { seed: one, .. }, Blocks::Derived { seed: other, .. }) if one == other => None,
            (one, other) if one == other => None,
            _ => Some(known_places_in(second, first)),
        };
        Matched { first, second, elsewhere }
    }

    /// Iterates over the places of the game in each sample, in the order of the first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, usize)> + Clone {
        let there = |place: usize| self.elsewhere.as_ref().map_or(place, |places| places[place] as usize);
        let both = move |place| Some((place, there(place))).filter(|&(_, there)| self.second.has(there));
        self.first.played().filter_map(both)
    }

    /// Returns true if place n of both samples has a game on the same seed, up to the end of the
    /// shorter.
    fn lie_alike(&self) -> bool {
        self.elsewhere.is_none() && self.first.gaps.is_empty() && self.second.gaps.is_empty()
    }

    /// Returns the scores of both players on each seed.
    pub(super) fn scores(&self) -> Vec<[u64; 2]> {
        let both = |(at, there)| [self.first.score(at), self.second.score(there)];
        if self.lie_alike() {
            let places = self.first.places.min(self.second.places);
            return (0..places).map(|place| both((place, place))).collect();
        }
        self.iter().map(both).collect()
    }

    /// Counts pairs of games by their successes.
    pub(super) fn successes(&self, by: Measure) -> Pairs {
        let (one, other) = (self.first.rate(by), self.second.rate(by));
        if self.lie_alike() {
            return one.beside(other);
        }
        let mut pairs = Pairs::default();
        self.iter().for_each(|(at, there)| pairs.add(one.get(at), other.get(there)));
        pairs
    }
}

/// Marks a seed that the other sample does not have.
const NOWHERE: u32 = u32::MAX;

/// Returns [`places_in`], cached for players of the same two experiments.
fn known_places_in(other: &Sample, sample: &Sample) -> Arc<Vec<u32>> {
    let places = [other.places, sample.places];
    let known = || sample.blocks.found.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, at, found)) = &*known()
        && *at == places
        && of.as_ptr() == Arc::as_ptr(&other.blocks)
    {
        return Arc::clone(found);
    }
    let found = Arc::new(places_in(other, sample));
    *known() = Some((Arc::downgrade(&other.blocks), places, Arc::clone(&found)));
    found
}

/// Finds, for each place of a sample, the place in `other` with the same seed. Sorts only one part
/// of the seeds at a time, to save memory.
fn places_in(other: &Sample, sample: &Sample) -> Vec<u32> {
    const PARTS: u64 = 16;
    let seeds = |of: &Sample, part: u64| {
        let blocks = Arc::clone(&of.blocks);
        let seeds = (0..of.places as u32).map(move |place| (blocks.blocks.seed(place.into()), place));
        seeds.filter(move |(seed, _)| seed % PARTS == part)
    };
    let mut found = vec![NOWHERE; sample.places];
    for part in 0..PARTS {
        let mut there: Vec<(u64, u32)> = seeds(other, part).collect();
        there.sort_unstable();
        for (seed, place) in seeds(sample, part) {
            if let Ok(at) = there.binary_search_by_key(&seed, |(seed, _)| *seed) {
                found[place as usize] = there[at].1;
            }
        }
    }
    found
}

/// How games are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Games on equal seeds: the number of pairs.
    Paired(u64),
    /// Games on independent seeds: the number of games of each player.
    Independent(u64, u64),
}

/// Word for paired games.
pub const PAIRED: &str = "paired";

impl Pairing {
    /// Pairs games if at least nine tenths of the smaller sample can be paired. Otherwise too many
    /// games would be left out, and all are compared as if on independent seeds.
    pub(super) fn of(pairs: u64, first: &Sample, second: &Sample) -> Pairing {
        let (one, other) = (first.games(), second.games());
        let is_enough = pairs > 0 && 10 * pairs >= 9 * one.min(other);
        if is_enough { Pairing::Paired(pairs) } else { Pairing::Independent(one, other) }
    }

    pub fn word(self) -> &'static str {
        match self {
            Pairing::Paired(_) => PAIRED,
            Pairing::Independent(..) => "independent",
        }
    }

    /// Returns the number of compared games of each player.
    pub fn games(self) -> [u64; 2] {
        match self {
            Pairing::Paired(games) => [games, games],
            Pairing::Independent(one, other) => [one, other],
        }
    }

    /// Returns the smaller number of games.
    pub(super) fn fewer(self) -> u64 {
        let [one, other] = self.games();
        one.min(other)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use gauntlet_core::game::Outcome;
    use gauntlet_core::record::Ending;

    use super::*;

    /// Makes a game that has only a score, and is won above 10 points.
    pub(in crate::compare) fn game(score: u64) -> GameRecord {
        GameRecord {
            outcome: Outcome::Points { score, won: score > 10 },
            facts: Default::default(),
            moves: 1,
            ending: Ending::GameOver,
        }
    }

    /// Makes the sample of a player with these seeds and scores. `None` is a game in which the
    /// player's program broke.
    pub(in crate::compare) fn sample(games: &[(u64, Option<u64>)]) -> Sample {
        let blocks = Blocks::Listed(games.iter().map(|(seed, _)| *seed).collect());
        of_blocks(blocks, games.iter().map(|(_, score)| *score))
    }

    fn of_blocks(blocks: Blocks, scores: impl IntoIterator<Item = Option<u64>>) -> Sample {
        let mut sample = Sample::of(SharedBlocks::of(blocks), &[Measure::Win, Measure::Score]);
        for score in scores {
            sample.push(score.map(game).as_ref());
        }
        sample
    }

    /// Makes the sample of a player with these scores, on the blocks of an experiment with this
    /// seed.
    pub(in crate::compare) fn derived(seed: u64, scores: &[u64]) -> Sample {
        let games = scores.len() as u64;
        of_blocks(Blocks::Derived { seed, games }, scores.iter().copied().map(Some))
    }

    fn pairs(first: &Sample, second: &Sample) -> Vec<(u64, u64)> {
        let matched = Matched::of(first, second);
        matched.iter().map(|(one, other)| (first.score(one), second.score(other))).collect()
    }

    #[test]
    fn games_on_the_same_seeds_are_paired() {
        let a = sample(&[(3, Some(1)), (5, Some(20)), (7, Some(3)), (9, Some(40))]);
        let b = sample(&[(3, Some(11)), (5, None), (7, Some(13)), (9, Some(14))]);
        let turned = sample(&[(9, Some(50)), (7, Some(51)), (8, Some(52)), (3, None)]);
        assert_eq!((a.games(), b.games(), turned.games()), (4, 3, 3));
        assert_eq!((a.successes(Measure::Win), b.successes(Measure::Win)), (2, 3));
        assert_eq!(b.scores().collect::<Vec<_>>(), [11, 13, 14]);
        assert_eq!(pairs(&a, &b), [(1, 11), (3, 13), (40, 14)]);
        assert_eq!(pairs(&b, &a), [(11, 1), (13, 3), (14, 40)]);
        assert_eq!(pairs(&a, &turned), [(3, 51), (40, 50)]);
        assert_eq!(pairs(&turned, &a), [(50, 40), (51, 3)]);
    }

    #[test]
    fn blocks_of_one_seed_are_paired_though_their_numbers_differ() {
        let (few, many) = (derived(7, &[1, 2, 3]), derived(7, &[4, 5, 6, 7, 8]));
        assert_eq!(pairs(&few, &many), [(1, 4), (2, 5), (3, 6)]);
        assert_eq!(pairs(&many, &few), [(4, 1), (5, 2), (6, 3)]);
        assert_eq!(pairs(&few, &derived(8, &[4, 5, 6])), []);
        // Seeds of the blocks, listed in another order.
        let blocks = Blocks::Derived { seed: 7, games: 5 };
        let listed = sample(&[4, 0, 2].map(|block| (blocks.seed(block), Some(10 * block))));
        assert_eq!(pairs(&many, &listed), [(4, 0), (6, 20), (8, 40)]);
        assert_eq!(pairs(&listed, &many), [(40, 8), (0, 4), (20, 6)]);
    }

    /// Places are found once for two experiments, and again for other experiments or other numbers
    /// of games.
    #[test]
    fn places_are_found_once() {
        let scores: Vec<u64> = (0..50).collect();
        let one = derived(7, &scores);
        let listed = |games: u64| {
            let blocks = Blocks::Derived { seed: 7, games: 50 };
            sample(&(0..games).rev().map(|block| (blocks.seed(block), Some(block))).collect::<Vec<_>>())
        };
        let (other, twin) = (listed(50), listed(50));
        let places = |of: &Sample| known_places_in(of, &one);
        let first = places(&other);
        assert!(Arc::ptr_eq(&first, &places(&other.clone())), "sorted anew");
        let again = places(&twin);
        assert!(!Arc::ptr_eq(&first, &again) && first == again);
        assert_eq!(pairs(&one, &listed(3)), [(0, 0), (1, 1), (2, 2)]);
        let mut fewer = Sample::of(Arc::clone(&other.blocks), &[Measure::Win, Measure::Score]);
        (0..20).for_each(|score| fewer.push(Some(&game(score))));
        assert_eq!(places(&fewer), places_in(&fewer, &one).into());
    }

    #[test]
    fn blocks_that_are_left_out_are_gaps() {
        let blocks = SharedBlocks::of(Blocks::Derived { seed: 1, games: 4 });
        let [mut whole, mut broken] = [0; 2].map(|_| Sample::of(Arc::clone(&blocks), &[Measure::Score]));
        whole.add(0, &[game(1), game(2)]);
        whole.add(2, &[game(3), game(4)]);
        broken.add(1, &[game(12)]);
        broken.add(3, &[game(14)]);
        assert_eq!((whole.games(), broken.games()), (4, 2));
        assert_eq!(pairs(&whole, &broken), [(2, 12), (4, 14)]);
        assert_eq!(broken.scores().collect::<Vec<_>>(), [12, 14]);
        let words = (0..5).map(|place| broken.word(Measure::Score, place)).collect::<Vec<_>>();
        assert_eq!(words, [None, Some(12), None, Some(14), None]);
    }

    #[test]
    fn scores_of_any_size_are_kept() {
        let most = u64::from(u32::MAX);
        let scores = [0, 7, most, most + 1, 3, u64::MAX];
        for length in 0..=scores.len() {
            let kept = derived(1, &scores[..length]);
            assert_eq!(kept.scores().collect::<Vec<_>>(), scores[..length]);
            assert_eq!(matches!(kept.scores, Some(Scores::Short(_))), length <= 3);
        }
    }

    #[test]
    fn nine_of_ten_make_pairs() {
        let games = |from: u64| (from..from + 10).map(|seed| (seed, Some(seed))).collect::<Vec<_>>();
        let all = [0, 1, 2].map(|from| sample(&games(from)));
        let pairing = |one: &Sample, other: &Sample| {
            Pairing::of(Matched::of(one, other).iter().count() as u64, one, other)
        };
        assert_eq!(pairing(&all[0], &all[1]), Pairing::Paired(9));
        assert_eq!(pairing(&all[0], &all[2]), Pairing::Independent(10, 10));
        let none = sample(&[(1, None)]);
        assert_eq!(pairing(&none, &none), Pairing::Independent(0, 0));
    }
}
