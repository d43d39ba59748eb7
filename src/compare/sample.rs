//! What comparisons keep of a player's games: a bit a game for a rate, a number a game for the score.
//!
//! A sample is filled while games go by, from the journal or from `games.csv`. Games on the same seeds are paired.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::sync::Arc;

use crate::game::{Fact, Seat};
use crate::measure::Measure;
use crate::record::GameRecord;
use crate::tally::rows;

/// A player's games, as far as some measures need them.
#[derive(Clone, Debug)]
pub struct Sample {
    seeds: Seeds,
    places: usize,
    /// Places without a game: it broke its player's program.
    gaps: BTreeSet<usize>,
    /// For each rate, whether the game at each place is a success.
    rates: Vec<(Measure, Bits)>,
    /// The score at each place.
    scores: Option<Vec<u64>>,
}

/// The seeds of the places of a sample.
#[derive(Clone, Debug, PartialEq)]
enum Seeds {
    /// The blocks of a plan, which all samples of the plan share.
    OfPlan,
    /// These. Players that played on the same seeds share the list.
    Listed(Arc<Vec<u64>>),
}

impl Sample {
    /// An empty sample for these measures, whose places are the blocks of a plan.
    pub fn of_plan(by: &[Measure]) -> Sample {
        Sample::new(Seeds::OfPlan, by)
    }

    fn new(seeds: Seeds, by: &[Measure]) -> Sample {
        let rates = by.iter().filter(|by| by.is_rate()).map(|&by| (by, Bits::default())).collect();
        let scores = by.contains(&Measure::Score).then(Vec::new);
        Sample { seeds, places: 0, gaps: BTreeSet::new(), rates, scores }
    }

    /// Whether the sample keeps anything of a game. Times need no single games.
    pub fn needs_games(&self) -> bool {
        !self.rates.is_empty() || self.scores.is_some()
    }

    /// Adds the games of blocks that follow each other. Blocks that were left out since the last call are gaps.
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

    /// How many games there are.
    pub fn games(&self) -> u64 {
        (self.places - self.gaps.len()) as u64
    }

    /// The places that have a game.
    fn played(&self) -> impl Iterator<Item = usize> {
        (0..self.places).filter(|place| !self.gaps.contains(place))
    }

    /// Whether a place has a game.
    fn has(&self, place: usize) -> bool {
        place < self.places && !self.gaps.contains(&place)
    }

    /// How many games are successes.
    ///
    /// # Panics
    /// If the sample is not for this rate.
    pub fn successes(&self, by: Measure) -> u64 {
        self.rate(by).count()
    }

    /// Whether the game at each place is a success.
    pub(super) fn rate(&self, by: Measure) -> &Bits {
        let (_, bits) = self.rates.iter().find(|(kept, _)| *kept == by).expect("a sample for this rate");
        bits
    }

    /// The scores of all games, in their order.
    ///
    /// # Panics
    /// If the sample is not for scores.
    pub fn scores(&self) -> impl Iterator<Item = u64> {
        self.played().map(|place| self.score(place))
    }

    /// The score at a place that has a game.
    pub(super) fn score(&self, place: usize) -> u64 {
        self.scores.as_ref().expect("a sample for scores")[place]
    }
}

/// Whether a game of a single player is a success where this rate is asked for.
fn succeeds(record: &GameRecord, by: Measure) -> bool {
    match by {
        Measure::Reach(reach) => reach.is_in(&record.facts),
        _ => record.is_won_by(Seat::First),
    }
}

/// A list of bits.
#[derive(Clone, Debug, Default)]
pub(super) struct Bits {
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

    pub(super) fn get(&self, place: usize) -> bool {
        self.words[place / 64] >> (place % 64) & 1 == 1
    }

    /// How many are set.
    fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

/// A sample of each player of `games.csv`, for these measures, in the order of the file.
pub fn read(csv: impl Read, facts: &[Fact], by: &[Measure]) -> anyhow::Result<Vec<(String, Sample)>> {
    let mut all: Vec<(String, Sample)> = Vec::new();
    rows::read(csv, facts, |player, _, seed, record| {
        if all.last().is_none_or(|(last, _)| last != player) {
            share_seeds(&mut all);
            all.push((player.to_owned(), Sample::new(Seeds::Listed(Arc::default()), by)));
        }
        let (_, sample) = all.last_mut().expect("just pushed");
        if let Seeds::Listed(seeds) = &mut sample.seeds {
            Arc::make_mut(seeds).push(seed);
        }
        sample.push(Some(record).filter(|record| !record.ending.is_panic()));
        Ok(())
    })?;
    share_seeds(&mut all);
    Ok(all)
}

/// Lets the last sample share the seeds of the one before, if they are the same.
fn share_seeds(all: &mut [(String, Sample)]) {
    if let [.., (_, before), (_, last)] = all
        && before.seeds == last.seeds
    {
        last.seeds = before.seeds.clone();
    }
}

/// The places of both that have games on the same seed, in the order of the first.
pub(super) fn same_seeds<'a>(
    first: &'a Sample,
    second: &'a Sample,
) -> Box<dyn Iterator<Item = (usize, usize)> + 'a> {
    match (&first.seeds, &second.seeds) {
        (Seeds::Listed(one), Seeds::Listed(other)) if one != other => {
            let places: BTreeMap<u64, usize> = second.played().map(|place| (other[place], place)).collect();
            Box::new(first.played().filter_map(move |place| Some((place, *places.get(&one[place])?))))
        }
        (one, other) => {
            assert!(one == other, "blocks of a plan are not seeds of a file");
            Box::new(first.played().filter(|&place| second.has(place)).map(|place| (place, place)))
        }
    }
}

/// Which games are compared with which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Games on the same seeds: how many of each.
    Paired(u64),
    /// Games on seeds of their own: how many of each.
    Independent(u64, u64),
}

impl Pairing {
    /// Games are paired if nine of ten of the smaller sample can be. With fewer, too many would be left out, and all are
    /// compared as if the seeds were different ones.
    pub(super) fn of(pairs: u64, first: &Sample, second: &Sample) -> Pairing {
        let (one, other) = (first.games(), second.games());
        let is_enough = pairs > 0 && 10 * pairs >= 9 * one.min(other);
        if is_enough { Pairing::Paired(pairs) } else { Pairing::Independent(one, other) }
    }

    /// The smaller number of games.
    pub(super) fn fewer(self) -> u64 {
        match self {
            Pairing::Paired(games) => games,
            Pairing::Independent(one, other) => one.min(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::games::twenty48::Twenty48;

    /// A seed, and the score of its game; none of a game that broke its player's program.
    type Written = (u64, Option<u64>);

    /// The samples of players as `games.csv` has them.
    fn samples(players: &[(&str, &[Written])]) -> Vec<Sample> {
        let mut csv = "player,block,seed,score,max_tile,moves,won,ending\n".to_owned();
        for (name, games) in players {
            for (block, (seed, score)) in games.iter().enumerate() {
                let ending = if score.is_some() { "game-over" } else { "panic" };
                let score = score.unwrap_or(0);
                csv += &format!("{name},{block},{seed},{score},8,5,{},{ending}\n", score > 10);
            }
        }
        let by = [Measure::Win, Measure::Score];
        let all = read(csv.as_bytes(), Twenty48::FACTS, &by).expect("a good file");
        all.into_iter().map(|(_, sample)| sample).collect()
    }

    fn pairs(first: &Sample, second: &Sample) -> Vec<(u64, u64)> {
        same_seeds(first, second).map(|(one, other)| (first.score(one), second.score(other))).collect()
    }

    #[test]
    fn games_on_the_same_seeds_are_paired() {
        let all = samples(&[
            ("a", &[(3, Some(1)), (5, Some(20)), (7, Some(3)), (9, Some(40))]),
            ("b", &[(3, Some(11)), (5, None), (7, Some(13)), (9, Some(14))]),
            ("turned", &[(9, Some(50)), (7, Some(51)), (8, Some(52)), (3, None)]),
        ]);
        let [a, b, turned] = &all[..] else { panic!("three players") };
        assert_eq!((a.games(), b.games(), turned.games()), (4, 3, 3));
        assert_eq!((a.successes(Measure::Win), b.successes(Measure::Win)), (2, 3));
        assert_eq!(b.scores().collect::<Vec<_>>(), [11, 13, 14]);
        assert_eq!(pairs(a, b), [(1, 11), (3, 13), (40, 14)]);
        assert_eq!(pairs(b, a), [(11, 1), (13, 3), (14, 40)]);
        assert_eq!(pairs(a, turned), [(3, 51), (40, 50)]);
        assert_eq!(pairs(turned, a), [(50, 40), (51, 3)]);
        // One list of seeds for both that have the same.
        assert!(
            matches!((&a.seeds, &b.seeds), (Seeds::Listed(one), Seeds::Listed(other)) if Arc::ptr_eq(one, other))
        );
    }

    #[test]
    fn blocks_that_are_left_out_are_gaps() {
        let record = |score| GameRecord {
            outcome: crate::game::Outcome::Points { score, won: false },
            facts: Default::default(),
            moves: 1,
            ending: crate::record::Ending::GameOver,
        };
        let [mut whole, mut broken] = [0; 2].map(|_| Sample::of_plan(&[Measure::Score]));
        whole.add(0, &[record(1), record(2)]);
        whole.add(2, &[record(3), record(4)]);
        broken.add(1, &[record(12)]);
        broken.add(3, &[record(14)]);
        assert_eq!((whole.games(), broken.games()), (4, 2));
        assert_eq!(pairs(&whole, &broken), [(2, 12), (4, 14)]);
        assert_eq!(broken.scores().collect::<Vec<_>>(), [12, 14]);
    }

    #[test]
    fn nine_of_ten_make_pairs() {
        let games = |from: u64| (from..from + 10).map(|seed| (seed, Some(seed))).collect::<Vec<_>>();
        let all = samples(&[("a", &games(0)), ("b", &games(1)), ("c", &games(2))]);
        let pairing =
            |one: &Sample, other: &Sample| Pairing::of(same_seeds(one, other).count() as u64, one, other);
        assert_eq!(pairing(&all[0], &all[1]), Pairing::Paired(9));
        assert_eq!(pairing(&all[0], &all[2]), Pairing::Independent(10, 10));
        let none = samples(&[("a", &[(1, None)]), ("b", &[(1, None)])]);
        assert_eq!(pairing(&none[0], &none[1]), Pairing::Independent(0, 0));
    }
}
