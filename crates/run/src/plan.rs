//! From an experiment to jobs: which games there are, what identifies each, and which of them a
//! shard plays. A plan is data and plays nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use gauntlet_core::arena::{Arena, CheckedRules, Entrant, Package};
use gauntlet_core::assets::Assets;
use gauntlet_core::game::{Opening, Shape};
use gauntlet_core::num::Seconds;
use gauntlet_core::player::{BuildContext, Stop};
use gauntlet_core::rng;
use serde_json::{Value, json};

use crate::blocks::Blocks;
use crate::early_stop::EarlyStop;

/// Every game of an experiment: each line-up plays each block once.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The game.
    pub arena: &'static Arena,
    /// The players, in the order of the file.
    pub players: Vec<Planned<'a>>,
    /// Line-ups: each player by itself, or each pair of players.
    pub lineups: Vec<LineUp>,
    /// The seeds.
    pub blocks: Cow<'a, Blocks>,
    /// The number of games of each player that was named before any was seen, if it is said.
    pub planned_games: Option<u64>,
    /// Games of each player after which the others were added, if what those had shown was known by
    /// then.
    pub extended_from: Option<u64>,
    /// Moves after which a game is cut off.
    pub max_moves: Option<u32>,
    /// Time after which a game is broken off.
    pub max_seconds: Option<Seconds>,
    /// The player whose rating is 0, if one is named.
    pub anchor: Option<usize>,
    /// Rule that may end the run before the last block.
    pub stop: Option<&'a EarlyStop>,
    /// The files that players are built from.
    pub assets: Arc<Assets>,
    /// The rules; none if they are the default ones.
    pub rules: Option<CheckedRules>,
    /// The openings that were asked for.
    pub known: OpeningCache,
}

/// Openings of blocks that were asked for: to make one takes some time. Each block has a place,
/// which it shares with others: the one that was asked for last is kept.
pub type OpeningCache = Arc<Mutex<BTreeMap<u64, (u64, Opening)>>>;

/// The number of openings that are kept, some seven megabytes. A run of fewer blocks makes each
/// opening once, for all its pairings. The two windows of the journal, of which one is read while
/// the other is written, have fewer.
const KEPT: u64 = 1 << 16;

/// The openings of the blocks of a plan, made when they are asked for.
#[derive(Clone, Debug)]
pub struct Openings {
    arena: &'static Arena,
    rules: Option<CheckedRules>,
    blocks: Blocks,
    known: OpeningCache,
}

impl Openings {
    /// The number that blocks share whose openings are images of each other. In a game without
    /// openings each has its own.
    pub fn cluster(&self, block: u64) -> u64 {
        let opening = opening(self.arena, self.rules.as_ref(), &self.blocks, &self.known, block);
        opening.map_or(block, |opening| opening.cluster)
    }
}

/// The opening of a block, in a game with openings.
fn opening(
    arena: &Arena,
    rules: Option<&CheckedRules>,
    blocks: &Blocks,
    known: &OpeningCache,
    block: u64,
) -> Option<Opening> {
    let known = || known.lock().unwrap_or_else(PoisonError::into_inner);
    let place = block % KEPT;
    if let Some((_, opening)) = known().get(&place).filter(|(of, _)| *of == block) {
        return Some(opening.clone());
    }
    let opening = arena.opening(rules?, blocks.block(block))?;
    known().insert(place, (block, opening.clone()));
    Some(opening)
}

/// A player and its name in the experiment.
#[derive(Clone, Copy, Debug)]
pub struct Planned<'a> {
    /// Its name in the experiment.
    pub name: &'a str,
    /// Its entry, which builds it.
    pub entrant: &'a Entrant,
}

/// Players of a game, by their places among the players: one alone, or two against each other.
/// Plan, queue, coverage, journal and tally count line-ups. A block of a duel has two legs, and the
/// first member moves first in the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineUp {
    /// One player by itself.
    Alone([usize; 1]),
    /// Two players against each other.
    Pair([usize; 2]),
}

impl LineUp {
    /// The players, by their places in the plan.
    pub fn members(&self) -> &[usize] {
        match self {
            LineUp::Alone(members) => members,
            LineUp::Pair(members) => members,
        }
    }
}

impl<'a> Plan<'a> {
    /// The games of these players on these blocks, by the default rules: each player by itself, or
    /// each pair of players.
    pub fn of(arena: &'static Arena, players: Vec<Planned<'a>>, blocks: Cow<'a, Blocks>) -> Plan<'a> {
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
            blocks,
            planned_games: None,
            extended_from: None,
            max_moves: None,
            max_seconds: None,
            anchor: None,
            stop: None,
            assets: Arc::default(),
            rules: None,
            known: OpeningCache::default(),
        }
    }

    /// The settings of the rules, defaults included; nothing where they are the default ones.
    pub fn rules_as_data(&self) -> &Value {
        self.rules.as_ref().map_or(&Value::Null, |rules| &rules.settings)
    }

    /// Opening of a block, in a game with openings.
    pub fn opening(&self, block: u64) -> Option<Opening> {
        opening(self.arena, self.rules.as_ref(), &self.blocks, &self.known, block)
    }

    /// The openings of its blocks, without the rest of it.
    pub fn openings(&self) -> Openings {
        Openings {
            arena: self.arena,
            rules: self.rules.clone(),
            blocks: self.blocks.clone().into_owned(),
            known: self.known.clone(),
        }
    }

    /// The number that blocks share whose openings are images of each other. In a game without
    /// openings each has its own.
    pub fn cluster(&self, block: u64) -> u64 {
        self.opening(block).map_or(block, |opening| opening.cluster)
    }

    /// The same plan with at most this number of blocks, the first ones.
    #[must_use]
    pub fn first(&self, blocks: u64) -> Plan<'a> {
        let blocks = match &*self.blocks {
            Blocks::Derived { seed, games } => Blocks::Derived { seed: *seed, games: blocks.min(*games) },
            Blocks::Listed(seeds) => Blocks::Listed(seeds.iter().copied().take(blocks as usize).collect()),
        };
        Plan { blocks: Cow::Owned(blocks), known: OpeningCache::default(), ..self.clone() }
    }

    /// True if every record depends on its job alone.
    pub fn is_reproducible(&self) -> bool {
        (0..self.lineups.len()).all(|lineup| self.is_lineup_reproducible(lineup))
    }

    /// True if every record of one line-up depends on its job alone.
    pub fn is_lineup_reproducible(&self, lineup: usize) -> bool {
        self.max_seconds.is_none()
            && self.members(lineup).all(|player| player.entrant.facts().is_reproducible)
    }

    /// The blocks that a shard plays of each line-up, in their order. All shards together are all
    /// blocks, and no two overlap. Where a run may end early, shards take turns: the first blocks
    /// of all decide, and are played by all shards at a time.
    pub fn parts(&self, shard: Shard) -> Vec<Range<u64>> {
        let all = self.blocks.len();
        if self.stop.is_some() { shard.turns(all) } else { vec![shard.stretch(all)] }
    }

    /// The same, or all blocks, as far as they lie before a block.
    pub fn parts_before(&self, end: u64, shard: Option<Shard>) -> Vec<Range<u64>> {
        let all = 0..self.blocks.len();
        let parts = shard.map_or_else(|| Vec::from([all]), |shard| self.parts(shard));
        parts.into_iter().map(|part| part.start..part.end.min(end)).filter(|part| !part.is_empty()).collect()
    }

    /// The blocks of a line-up that are in such a share of all games, where the line-ups stand
    /// behind each other.
    pub fn share(&self, share: Shard, lineup: usize) -> Range<u64> {
        let blocks = self.blocks.len();
        let own = share.stretch(blocks * self.lineups.len() as u64);
        let before = blocks * lineup as u64;
        let within = |place: u64| place.clamp(before, before + blocks) - before;
        within(own.start)..within(own.end)
    }

    /// Number of games of a block of one line-up.
    pub fn legs(&self) -> u64 {
        self.arena.shape.legs() as u64
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        self.blocks.len() * self.lineups.len() as u64 * self.legs()
    }

    /// The players of a line-up.
    pub fn members(&self, lineup: usize) -> impl Iterator<Item = Planned<'a>> {
        self.lineups[lineup].members().iter().map(|&player| self.players[player])
    }

    /// Bytes that the players of a line-up need.
    pub fn memory(&self, lineup: usize) -> u64 {
        self.members(lineup).fold(0, |sum, player| player.entrant.facts().memory.saturating_add(sum))
    }

    /// The most threads that a player thinks with: of two, one thinks while the other waits.
    pub fn threads_of_a_player(&self) -> usize {
        self.players.iter().map(|player| player.entrant.facts().threads).max().unwrap_or(1)
    }

    /// Name of a line-up.
    pub fn title(&self, lineup: usize) -> String {
        self.members(lineup).map(|player| player.name).collect::<Vec<_>>().join(" against ")
    }

    /// BuildContext that the players of the plan are built with.
    pub fn kit(&self, stop: &Stop) -> BuildContext {
        let (assets, stop) = (self.assets.clone(), stop.clone());
        BuildContext { assets, stop, max_seconds: self.max_seconds, ..BuildContext::default() }
    }

    /// The packages that the game and its players come from, but for those of the house.
    pub fn packages(&self) -> Vec<String> {
        let algorithms: Vec<&str> = self.players.iter().map(|player| player.entrant.algorithm).collect();
        self.arena.foreign_packages(&algorithms).iter().map(Package::to_string).collect()
    }

    /// For each line-up the first one that plays the same games: players with the same settings
    /// share theirs.
    pub fn twins(&self) -> Vec<usize> {
        let mut first = BTreeMap::new();
        let none = vec![None; self.players.len()];
        (0..self.lineups.len()).map(|i| *first.entry(self.identity(i, &none)).or_insert(i)).collect()
    }

    /// The key of a line-up: a digest of all that could change its records, but the block. `play`
    /// has the signature of each player, by which a player that the program now plays otherwise
    /// gets another key.
    pub fn key(&self, lineup: usize, play: &[Option<String>]) -> String {
        blake3::hash(self.identity(lineup, play).as_bytes()).to_hex()[..16].to_owned()
    }

    fn identity(&self, lineup: usize, play: &[Option<String>]) -> String {
        let mut identity = json!({
            "game": self.arena.name,
            "rules": self.rules_as_data(),
            "max_moves": self.max_moves,
            "seed_scheme": rng::SCHEME,
            "seed": match &*self.blocks {
                Blocks::Derived { seed, .. } => Some(seed),
                Blocks::Listed(_) => None,
            },
        });
        // An experiment without such a limit has the key that it had before there were any.
        if let Some(max_seconds) = self.max_seconds {
            identity["max_seconds"] = json!(max_seconds);
        }
        let player = |player: usize| {
            let Entrant { algorithm, settings, files, identity, .. } = self.players[player].entrant;
            let mut own = json!({ "algorithm": algorithm, "settings": settings });
            if !files.is_empty() {
                own["files"] = files.iter().map(|file| json!([file.setting, file.digest])).collect();
                // A file makes the player by its content, not by its place.
                for file in files {
                    own["settings"][file.setting] = Value::Null;
                }
            }
            if let Some(identity) = identity {
                own["identity"] = json!(identity);
            }
            own["play"] = json!(play[player]);
            own
        };
        match self.lineups[lineup] {
            // The entries of a single player stand beside those of the game. Any other form would
            // change every key, and have every journal played anew.
            LineUp::Alone([alone]) => {
                for (key, value) in player(alone).as_object().into_iter().flatten() {
                    identity[key] = value.clone();
                }
            }
            LineUp::Pair(both) => identity["players"] = both.map(player).to_vec().into(),
        }
        identity.to_string()
    }
}

/// A part of the blocks of every line-up: number `index` of `of`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    of: u64,
    index: u64,
}

/// Where shards take turns each has at least so many, if there are enough blocks,
const TURNS: u64 = 16;

/// and a turn is no longer than this: blocks of a few microseconds are not worth an batch each.
const LONGEST_TURN: u64 = 64;

impl Shard {
    /// The blocks of this shard, one behind the other.
    fn stretch(self, all: u64) -> Range<u64> {
        let border = |k: u64| (u128::from(all) * u128::from(k) / u128::from(self.of)) as u64;
        border(self.index - 1)..border(self.index)
    }

    /// The blocks of this shard, where shards take turns.
    fn turns(self, all: u64) -> Vec<Range<u64>> {
        let turn = (all / (TURNS * self.of)).clamp(1, LONGEST_TURN);
        let firsts = ((self.index - 1) * turn..all).step_by((turn * self.of) as usize);
        firsts.map(|first| first..(first + turn).min(all)).collect()
    }

    /// Its number, from 1 on.
    pub fn index(self) -> u64 {
        self.index
    }

    /// The number of shards.
    pub fn of(self) -> u64 {
        self.of
    }

    /// All shards of which this is one.
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
    use super::{LONGEST_TURN, Shard};

    #[test]
    fn shards_cover_all_blocks_once() {
        for all in [0, 1, 2, 7, 1000, 10_000_019] {
            for of in [1, 2, 3, 64] {
                let first: Shard = format!("1/{of}").parse().unwrap();
                let mut next = 0;
                for shard in first.all() {
                    let blocks = shard.stretch(all);
                    assert_eq!(blocks.start, next, "{shard} of {all}");
                    next = blocks.end;
                }
                assert_eq!(next, all);

                let mut turns: Vec<_> = first.all().flat_map(|shard| shard.turns(all)).collect();
                turns.sort_by_key(|turn| turn.start);
                let ends = turns.iter().map(|turn| turn.end);
                assert!(
                    turns.iter().map(|turn| turn.start).eq(std::iter::once(0).chain(ends).take(turns.len()))
                );
                assert_eq!(turns.last().map_or(0, |turn| turn.end), all);
                let count =
                    |shard: Shard| shard.turns(all).iter().map(|turn| turn.end - turn.start).sum::<u64>();
                let (least, most) =
                    (first.all().map(count).min().unwrap(), first.all().map(count).max().unwrap());
                assert!(all < of || least > 0, "{all} in {of}");
                assert!(
                    most - least <= LONGEST_TURN.min((all / of).max(1)),
                    "{least} to {most} of {all} in {of}"
                );
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
