//! Plans: the games of an experiment, the key of each line-up, and the part of a shard. A plan is
//! data and plays nothing.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use gauntlet_core::arena::{Arena, CargoPackage, CheckedRules, Entry};
use gauntlet_core::assets::AssetFiles;
use gauntlet_core::game::{Opening, Shape};
use gauntlet_core::num::Seconds;
use gauntlet_core::player::{BuildContext, Stop};
use gauntlet_core::rng;
use gauntlet_core::text::list_names;
use serde_json::{Value, json};

use crate::blocks::BlockSeeds;
use crate::early_stop::EarlyStop;

/// Every game of an experiment: each line-up plays each block once.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// Game with its players.
    pub arena: &'static Arena,
    /// Players, in the order of the file.
    pub players: Vec<PlannedPlayer<'a>>,
    /// Line-ups: each player alone, or each pair of players.
    pub lineups: Vec<LineUp>,
    /// Players that have no line-ups because they failed in game after game, by index, with the
    /// reason.
    pub skipped: BTreeMap<usize, String>,
    /// Blocks, which determine the seeds.
    pub blocks: Cow<'a, BlockSeeds>,
    /// Number of games of each player that was fixed before any game was seen, if declared.
    pub planned_games: Option<u64>,
    /// Number of games of each player whose results were known before the others were added, if
    /// declared.
    pub extended_from: Option<u64>,
    /// Number of moves after which a game is cut.
    pub max_moves: Option<u32>,
    /// Time after which a game is cut.
    pub max_seconds: Option<Seconds>,
    /// Player whose rating is fixed at 0, if any.
    pub anchor: Option<usize>,
    /// Rule that may end the run before the last block.
    pub stop: Option<&'a EarlyStop>,
    /// Files from which players are built.
    pub assets: Arc<AssetFiles>,
    /// Rules of the game; `None` for the default ones.
    pub rules: Option<CheckedRules>,
    /// Cached openings.
    pub opening_cache: OpeningCache,
}

/// Cache of openings of blocks, which take some time to generate. Several blocks share an entry,
/// which keeps the one used last.
pub type OpeningCache = Arc<Mutex<BTreeMap<u64, (u64, Opening)>>>;

/// Number of cached openings, some seven megabytes. A run of fewer blocks generates each opening
/// once for all its pairings. The journal is read and written in two windows, which together have
/// fewer openings.
const CACHE_SIZE: u64 = 1 << 16;

/// The most players that a sentence names.
const MAX_NAMES: usize = 5;

/// Openings of the blocks of a plan, generated on demand.
#[derive(Clone, Debug)]
pub struct BlockOpenings {
    arena: &'static Arena,
    rules: Option<CheckedRules>,
    blocks: BlockSeeds,
    opening_cache: OpeningCache,
}

impl BlockOpenings {
    /// Returns the number of the block's cluster: blocks whose openings are symmetric share it. In
    /// a game without openings each block has its own.
    pub fn cluster(&self, block: u64) -> u64 {
        let opening = opening(self.arena, self.rules.as_ref(), &self.blocks, &self.opening_cache, block);
        opening.map_or(block, |opening| opening.cluster)
    }
}

/// Returns the opening of a block, in a game with openings.
fn opening(
    arena: &Arena,
    rules: Option<&CheckedRules>,
    blocks: &BlockSeeds,
    cache: &OpeningCache,
    block: u64,
) -> Option<Opening> {
    let lock_cache = || cache.lock().unwrap_or_else(PoisonError::into_inner);
    let slot = block % CACHE_SIZE;
    if let Some((_, opening)) = lock_cache().get(&slot).filter(|(cached_block, _)| *cached_block == block) {
        return Some(opening.clone());
    }
    let opening = arena.opening(rules?, blocks.block(block))?;
    lock_cache().insert(slot, (block, opening.clone()));
    Some(opening)
}

/// A player of a plan.
#[derive(Clone, Copy, Debug)]
pub struct PlannedPlayer<'a> {
    /// Name in the experiment.
    pub name: &'a str,
    /// Entry that builds the player.
    pub entry: &'a Entry,
}

/// Players of a game, by index: one alone, or two against each other. Queue, coverage, journal and
/// tally number line-ups. In a duel a block has two legs, and the first member moves first in the
/// first leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineUp {
    /// One player alone.
    Alone([usize; 1]),
    /// Two players against each other.
    Pair([usize; 2]),
}

impl LineUp {
    /// Returns the indices of the players in the plan.
    pub fn members(&self) -> &[usize] {
        match self {
            LineUp::Alone(members) => members,
            LineUp::Pair(members) => members,
        }
    }
}

impl<'a> Plan<'a> {
    /// Makes the plan of these players on these blocks with default rules: each player alone, or
    /// each pair of players.
    pub fn new(
        arena: &'static Arena,
        players: Vec<PlannedPlayer<'a>>,
        blocks: Cow<'a, BlockSeeds>,
    ) -> Plan<'a> {
        let all = 0..players.len();
        let lineups = match arena.shape {
            Shape::Solo => all.map(|player| LineUp::Alone([player])).collect(),
            Shape::Duel => {
                let others = |one| one + 1..players.len();
                all.flat_map(|one| others(one).map(move |other| LineUp::Pair([one, other]))).collect()
            }
        };
        Plan {
            arena,
            players,
            lineups,
            skipped: BTreeMap::new(),
            blocks,
            planned_games: None,
            extended_from: None,
            max_moves: None,
            max_seconds: None,
            anchor: None,
            stop: None,
            assets: Arc::default(),
            rules: None,
            opening_cache: OpeningCache::default(),
        }
    }

    /// Returns the settings of the rules, defaults included; empty for the default rules.
    pub fn rules_json(&self) -> &Value {
        self.rules.as_ref().map_or(&Value::Null, |rules| &rules.settings)
    }

    /// Returns the opening of a block, in a game with openings.
    pub fn opening(&self, block: u64) -> Option<Opening> {
        opening(self.arena, self.rules.as_ref(), &self.blocks, &self.opening_cache, block)
    }

    /// Returns the openings of the plan's blocks, without the rest of the plan.
    pub fn openings(&self) -> BlockOpenings {
        BlockOpenings {
            arena: self.arena,
            rules: self.rules.clone(),
            blocks: self.blocks.clone().into_owned(),
            opening_cache: self.opening_cache.clone(),
        }
    }

    /// Returns the number of the block's cluster: blocks whose openings are symmetric share it. In
    /// a game without openings each block has its own.
    pub fn cluster(&self, block: u64) -> u64 {
        self.opening(block).map_or(block, |opening| opening.cluster)
    }

    /// Leaves out the line-ups of these players, given by index with the reason. The players keep
    /// their places.
    #[must_use]
    pub fn without_players(&self, skipped: BTreeMap<usize, String>) -> Plan<'a> {
        let is_kept = |lineup: &&LineUp| !lineup.members().iter().any(|player| skipped.contains_key(player));
        Plan {
            lineups: self.lineups.iter().filter(is_kept).copied().collect(),
            anchor: self.anchor.filter(|anchor| !skipped.contains_key(anchor)),
            skipped,
            ..self.clone()
        }
    }

    /// Limits the plan to at most this number of blocks, the first ones.
    #[must_use]
    pub fn limit_to_first(&self, blocks: u64) -> Plan<'a> {
        let blocks = match &*self.blocks {
            BlockSeeds::Derived { seed, games } => {
                BlockSeeds::Derived { seed: *seed, games: blocks.min(*games) }
            }
            BlockSeeds::Listed(seeds) => {
                BlockSeeds::Listed(seeds.iter().copied().take(blocks as usize).collect())
            }
        };
        Plan { blocks: Cow::Owned(blocks), opening_cache: OpeningCache::default(), ..self.clone() }
    }

    /// Limits the plan to these blocks, which get new numbers.
    #[must_use]
    pub fn limit_to_blocks(&self, parts: &[Range<u64>]) -> Plan<'a> {
        if let [Range { start: 0, end }] = parts {
            return self.limit_to_first(*end);
        }
        let seeds = parts.iter().cloned().flatten().map(|block| self.blocks.seed(block)).collect();
        let blocks = Cow::Owned(BlockSeeds::Listed(seeds));
        Plan { blocks, opening_cache: OpeningCache::default(), ..self.clone() }
    }

    /// Returns true if every record depends only on its line-up and its block.
    pub fn is_reproducible(&self) -> bool {
        (0..self.lineups.len()).all(|lineup| self.is_lineup_reproducible(lineup))
    }

    /// Returns why equal seeds may give other games, in words that continue a sentence; `None` if
    /// the plan is reproducible.
    pub fn irreproducibility(&self) -> Option<String> {
        let members = self.lineups.iter().flat_map(|lineup| lineup.members());
        let players: BTreeSet<usize> = members.copied().collect();
        let planned = players.into_iter().map(|player| self.players[player]);
        let irreproducible = planned.filter(|player| !player.entry.facts().is_reproducible);
        let (hosts, others): (Vec<_>, Vec<_>) =
            irreproducible.partition(|player| player.entry.facts().host_batch.is_some());
        // Only external programs have this setting.
        let (programs, time_limited): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|player| player.entry.settings["reproducible"] == false);
        let names: Vec<&str> = programs.iter().map(|player| player.name).collect();
        let causes = [
            (!hosts.is_empty()).then(|| "Python functions played".to_owned()),
            (self.max_seconds.is_some() || !time_limited.is_empty())
                .then(|| "depends on a time limit".to_owned()),
            (!names.is_empty()).then(|| {
                let names = list_names(&names, MAX_NAMES);
                format!(
                    "`reproducible = true` is missing in {names} (set it if equal seeds give equal games)"
                )
            }),
        ];
        let causes: Vec<String> = causes.into_iter().flatten().collect();
        (!causes.is_empty()).then(|| causes.join("; "))
    }

    /// Iterates over the functions of the host program that play without an identity.
    pub fn unidentified_players(&self) -> impl Iterator<Item = &str> {
        let is_identified = |entry: &Entry| entry.settings["identity"].is_string();
        let functions = self.players.iter().filter(|player| player.entry.facts().host_batch.is_some());
        functions.filter(move |player| !is_identified(player.entry)).map(|player| player.name)
    }

    /// Returns true if the line-up is a function of the host program.
    pub fn is_host_function(&self, lineup: usize) -> bool {
        self.members(lineup).all(|player| player.entry.facts().host_batch.is_some())
    }

    /// Returns true if every record of a line-up depends only on its block.
    pub fn is_lineup_reproducible(&self, lineup: usize) -> bool {
        self.max_seconds.is_none() && self.members(lineup).all(|player| player.entry.facts().is_reproducible)
    }

    /// Returns the blocks of each line-up that a shard plays, in order. The shards cover all blocks
    /// without overlap. If the run may end early, shards alternate, so that all of them work on the
    /// first blocks, which decide.
    pub fn shard_parts(&self, shard: Shard) -> Vec<Range<u64>> {
        let all = self.blocks.len();
        if self.stop.is_some() { shard.alternating_ranges(all) } else { vec![shard.range(all)] }
    }

    /// Returns the blocks of a shard, or all blocks, limited to those before `end`.
    pub fn parts_before(&self, end: u64, shard: Option<Shard>) -> Vec<Range<u64>> {
        let all = 0..self.blocks.len();
        let parts = shard.map_or_else(|| Vec::from([all]), |shard| self.shard_parts(shard));
        parts.into_iter().map(|part| part.start..part.end.min(end)).filter(|part| !part.is_empty()).collect()
    }

    /// Returns the blocks of a line-up in a share of all games, if the games of all line-ups form
    /// one sequence.
    pub fn blocks_in_share(&self, share: Shard, lineup: usize) -> Range<u64> {
        let blocks = self.blocks.len();
        let positions = share.range(blocks * self.lineups.len() as u64);
        let first = blocks * lineup as u64;
        let block_at = |position: u64| position.clamp(first, first + blocks) - first;
        block_at(positions.start)..block_at(positions.end)
    }

    /// Returns the number of games of a block.
    pub fn legs(&self) -> u64 {
        self.arena.shape.legs() as u64
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        self.blocks.len() * self.lineups.len() as u64 * self.legs()
    }

    /// Returns the players of a line-up.
    pub fn members(&self, lineup: usize) -> impl Iterator<Item = PlannedPlayer<'a>> {
        self.lineups[lineup].members().iter().map(|&player| self.players[player])
    }

    /// Returns the bytes that the players of a line-up need.
    pub fn memory(&self, lineup: usize) -> u64 {
        self.members(lineup).fold(0, |sum, player| player.entry.facts().memory.saturating_add(sum))
    }

    /// Returns the largest number of threads of a player. In a duel one player thinks while the
    /// other waits.
    pub fn threads_of_a_player(&self) -> usize {
        self.players.iter().map(|player| player.entry.facts().threads).max().unwrap_or(1)
    }

    /// Returns the name of a line-up.
    pub fn title(&self, lineup: usize) -> String {
        self.members(lineup).map(|player| player.name).collect::<Vec<_>>().join(" against ")
    }

    /// Returns the build context of the plan's players.
    pub fn build_context(&self, stop: &Stop) -> BuildContext {
        let (assets, stop) = (self.assets.clone(), stop.clone());
        BuildContext { assets, stop, max_seconds: self.max_seconds, ..BuildContext::default() }
    }

    /// Returns the packages of the game and its players, except built-in ones.
    pub fn packages(&self) -> Vec<String> {
        let algorithms: Vec<&str> = self.players.iter().map(|player| player.entry.algorithm).collect();
        self.arena.foreign_packages(&algorithms).iter().map(CargoPackage::to_string).collect()
    }

    /// Returns, for each line-up, the first line-up with equal games: players with equal settings
    /// share their games.
    pub fn twin_lineups(&self) -> Vec<usize> {
        let mut first_lineups = BTreeMap::new();
        let no_signatures = vec![None; self.players.len()];
        (0..self.lineups.len())
            .map(|i| *first_lineups.entry(self.identity(i, &no_signatures)).or_insert(i))
            .collect()
    }

    /// Returns the key of a line-up: a digest of everything that could change its records, except
    /// the block. `signatures` has the signature of each player, so that a player gets another key
    /// if the program plays differently.
    pub fn key(&self, lineup: usize, signatures: &[Option<String>]) -> String {
        blake3::hash(self.identity(lineup, signatures).as_bytes()).to_hex()[..16].to_owned()
    }

    /// Returns a digest of what all line-ups have in common: the game, its rules and limits, and
    /// the seed of the first block.
    pub fn base_digest(&self) -> String {
        let base_data = format!("{} {}", self.common_data(), self.blocks.seed(0));
        blake3::hash(base_data.as_bytes()).to_hex()[..16].to_owned()
    }

    fn common_data(&self) -> Value {
        let mut common = json!({
            "game": self.arena.name,
            "rules": self.rules_json(),
            "max_moves": self.max_moves,
            "seed_scheme": rng::SCHEME,
            "seed": match &*self.blocks {
                BlockSeeds::Derived { seed, .. } => Some(seed),
                BlockSeeds::Listed(_) => None,
            },
        });
        // Without the limit, keys equal those from before the limit existed.
        if let Some(max_seconds) = self.max_seconds {
            common["max_seconds"] = json!(max_seconds);
        }
        common
    }

    fn identity(&self, lineup: usize, signatures: &[Option<String>]) -> String {
        let mut identity = self.common_data();
        let player_data = |player: usize| {
            let Entry { algorithm, settings, files, identity, .. } = self.players[player].entry;
            let mut data = json!({ "algorithm": algorithm, "settings": settings });
            if !files.is_empty() {
                data["files"] = files.iter().map(|file| json!([file.setting, file.digest])).collect();
                // A file identifies a player by its content, not by its path.
                for file in files {
                    data["settings"][file.setting] = Value::Null;
                }
            }
            if let Some(identity) = identity {
                data["identity"] = json!(identity);
            }
            data["play"] = json!(signatures[player]);
            data
        };
        match self.lineups[lineup] {
            // The entries of a single player are next to those of the game. Any other form would
            // change every key, and every journal would be played again.
            LineUp::Alone([player]) => {
                for (key, value) in player_data(player).as_object().into_iter().flatten() {
                    identity[key] = value.clone();
                }
            }
            LineUp::Pair(players) => identity["players"] = players.map(player_data).to_vec().into(),
        }
        identity.to_string()
    }
}

/// A part of the blocks of every line-up: number `index` of `count`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    count: u64,
    index: u64,
}

/// Smallest number of turns of each shard when shards alternate, if there are enough blocks.
const MIN_TURNS: u64 = 16;

/// Largest number of blocks in a turn: blocks of a few microseconds are too short for one batch
/// each.
const LONGEST_TURN: u64 = 64;

impl Shard {
    /// Returns the blocks of this shard as one range.
    fn range(self, all: u64) -> Range<u64> {
        let boundary = |k: u64| (u128::from(all) * u128::from(k) / u128::from(self.count)) as u64;
        boundary(self.index - 1)..boundary(self.index)
    }

    /// Returns the blocks of this shard when shards alternate.
    fn alternating_ranges(self, all: u64) -> Vec<Range<u64>> {
        let turn_length = (all / (MIN_TURNS * self.count)).clamp(1, LONGEST_TURN);
        let starts = ((self.index - 1) * turn_length..all).step_by((turn_length * self.count) as usize);
        starts.map(|first| first..(first + turn_length).min(all)).collect()
    }

    /// Returns the number of this shard, counted from 1.
    pub fn index(self) -> u64 {
        self.index
    }

    /// Returns the number of shards.
    pub fn count(self) -> u64 {
        self.count
    }

    /// Iterates over all shards of the division.
    pub fn all_shards(self) -> impl Iterator<Item = Shard> {
        (1..=self.count).map(move |index| Shard { index, count: self.count })
    }

    /// Formats the shard for names of files.
    pub fn file_part(self) -> String {
        format!("{}-of-{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').or_else(|| text.split_once("-of-"));
        let parsed = numbers.and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match parsed {
            Some((index, count)) if 1 <= index && index <= count && count <= 1_000_000 => {
                Ok(Shard { index, count })
            }
            _ => Err("expected K/N with 1 <= K <= N, such as 2/3".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_TURN, Shard};

    #[test]
    fn shards_cover_all_blocks_once() {
        for all in [0, 1, 2, 7, 1000, 10_000_019] {
            for shard_count in [1, 2, 3, 64] {
                let first: Shard = format!("1/{shard_count}").parse().unwrap();
                let mut next = 0;
                for shard in first.all_shards() {
                    let blocks = shard.range(all);
                    assert_eq!(blocks.start, next, "{shard} of {all}");
                    next = blocks.end;
                }
                assert_eq!(next, all);

                let mut turns: Vec<_> =
                    first.all_shards().flat_map(|shard| shard.alternating_ranges(all)).collect();
                turns.sort_by_key(|turn| turn.start);
                let ends = turns.iter().map(|turn| turn.end);
                assert!(
                    turns.iter().map(|turn| turn.start).eq(std::iter::once(0).chain(ends).take(turns.len()))
                );
                assert_eq!(turns.last().map_or(0, |turn| turn.end), all);
                let count = |shard: Shard| {
                    shard.alternating_ranges(all).iter().map(|turn| turn.end - turn.start).sum::<u64>()
                };
                let (min_blocks, max_blocks) = (
                    first.all_shards().map(count).min().unwrap(),
                    first.all_shards().map(count).max().unwrap(),
                );
                assert!(all < shard_count || min_blocks > 0, "{all} in {shard_count}");
                assert!(
                    max_blocks - min_blocks <= LONGEST_TURN.min((all / shard_count).max(1)),
                    "{min_blocks} to {max_blocks} of {all} in {shard_count}"
                );
            }
        }
    }

    #[test]
    fn shards_are_written_k_of_n() {
        for valid in ["1/1", "2/3", "3/3"] {
            assert_eq!(valid.parse::<Shard>().unwrap().to_string(), valid);
        }
        for invalid in ["", "0/3", "4/3", "1", "a/b", "-1/3", "1/0", "1/2/3"] {
            assert!(invalid.parse::<Shard>().is_err(), "{invalid}");
        }
    }
}
