//! From an experiment to jobs: which games there are, what identifies each, and which of them a shard plays.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde_json::json;

use crate::arena::Entrant;
use crate::config::stop::Stop;
use crate::config::{Blocks, Experiment};
use crate::game::Fact;
use crate::rng;

/// Every game of an experiment: each player plays each block once.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The players, in the order of the file.
    pub entries: Vec<Planned<'a>>,
    /// The seeds.
    pub blocks: Cow<'a, Blocks>,
    /// Where a game is cut off.
    pub max_moves: Option<u32>,
    /// What a game ends with besides its score.
    pub facts: &'static [Fact],
    /// What may end the run before the last block.
    pub stop: Option<&'a Stop>,
}

/// A player and its place in the plan.
#[derive(Clone, Debug)]
pub struct Planned<'a> {
    /// Its name in the experiment.
    pub name: &'a str,
    /// What builds it.
    pub entrant: &'a Entrant,
    /// With a block's seed, the identity of a job: all that could change its record. Games whose key is in the
    /// journal are not played again, so a changed setting replays what it touches and nothing else.
    pub key: String,
}

/// Lists the games of an experiment.
pub fn plan(experiment: &Experiment) -> Plan<'_> {
    let mut play = BTreeMap::new();
    let entries = experiment.entries().iter().map(|entry| {
        let entrant = &entry.entrant;
        let play = play
            .entry(entrant.algorithm)
            .or_insert_with(|| experiment.arena().signature_of(entrant.algorithm));
        let identity = json!({
            "game": experiment.arena().name,
            "rules": experiment.rules().settings,
            "max_moves": experiment.max_moves(),
            "seed_scheme": rng::SCHEME,
            "seed": match experiment.blocks() {
                Blocks::Derived { seed, .. } => Some(seed),
                Blocks::Listed(_) => None,
            },
            "algorithm": entrant.algorithm,
            "settings": entrant.settings,
            // A player whose play was changed in the program is another player. What shows it is how the
            // algorithm plays its example; so to change an example has its players play anew, too.
            "play": play,
        });
        let key = blake3::hash(identity.to_string().as_bytes()).to_hex()[..16].to_owned();
        Planned { name: &entry.name, entrant, key }
    });
    Plan {
        entries: entries.collect(),
        blocks: Cow::Borrowed(experiment.blocks()),
        max_moves: experiment.max_moves().map(Into::into),
        facts: experiment.arena().facts,
        stop: experiment.stop(),
    }
}

impl<'a> Plan<'a> {
    /// The same plan with no more than the first so many blocks.
    #[must_use]
    pub fn first(&self, blocks: u64) -> Plan<'a> {
        let blocks = match &*self.blocks {
            Blocks::Derived { seed, games } => Blocks::Derived { seed: *seed, games: blocks.min(*games) },
            Blocks::Listed(seeds) => Blocks::Listed(seeds.iter().copied().take(blocks as usize).collect()),
        };
        Plan { blocks: Cow::Owned(blocks), ..self.clone() }
    }

    /// Whether every record depends on its job alone.
    pub fn is_reproducible(&self) -> bool {
        self.entries.iter().all(|entry| entry.entrant.is_reproducible())
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.blocks.len() * self.entries.len() as u64
    }
}

/// A share of the blocks of every player: number `index` of `of`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    of: u64,
    index: u64,
}

impl Shard {
    /// The blocks of this share. All shares together are all blocks, and no two overlap.
    pub fn blocks(self, all: u64) -> Range<u64> {
        let border = |k: u64| (u128::from(all) * u128::from(k) / u128::from(self.of)) as u64;
        border(self.index - 1)..border(self.index)
    }

    /// All shares of which this is one.
    pub fn all(self) -> impl Iterator<Item = Shard> {
        (1..=self.of).map(move |index| Shard { index, of: self.of })
    }

    /// For names of files.
    pub fn file_part(self) -> String {
        format!("{}-of-{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').or_else(|| text.split_once("-of-"));
        let parsed = numbers.and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        match parsed {
            Some((index, of)) if 1 <= index && index <= of && of <= 1_000_000 => Ok(Shard { index, of }),
            _ => Err("expected K/N with 1 <= K <= N, as in 2/3".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::Shard;

    #[test]
    fn shards_cover_all_blocks_once() {
        for all in [0, 1, 2, 7, 1000, 10_000_019] {
            for of in [1, 2, 3, 64] {
                let first: Shard = format!("1/{of}").parse().unwrap();
                let mut next = 0;
                for shard in first.all() {
                    let blocks = shard.blocks(all);
                    assert_eq!(blocks.start, next, "{shard} of {all}");
                    next = blocks.end;
                }
                assert_eq!(next, all);
            }
        }
    }

    #[test]
    fn shards_are_written_k_of_n() {
        for good in ["1/1", "2/3", "3/3"] {
            assert_eq!(good.parse::<Shard>().unwrap().to_string(), good);
        }
        for bad in ["", "0/3", "4/3", "1", "a/b", "-1/3", "1/0", "1/2/3"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
