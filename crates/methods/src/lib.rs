//! Methods of tuning: what looks for the point that loses least. [`METHODS`] is the table of
//! contents: one file and one entry each.
//!
//! - [`method`]: the contract of a method, which knows points of a box and numbers, and nothing of
//!   games
//! - [`spsa`], [`cma_es`], [`model`], [`race`]: the methods
//! - [`several`]: several whole searches
//! - [`paired`]: losses on the same blocks, compared
//! - `tail`: the average of the last half of a path
//! - `normal`: normally distributed chance
//! - `jacobi`: the axes of the normal distribution of `cma_es`
//! - `process`: the Gaussian process of `model`; `climb`: a better point, by small changes

mod climb;
pub mod cma_es;
mod jacobi;
pub mod method;
pub mod model;
pub mod normal;
pub mod paired;
mod process;
pub mod race;
pub mod several;
pub mod spsa;
mod tail;

use std::fmt;
use std::str::FromStr;

use gauntlet_core::rng::Seed;
use serde::de::{EnumAccess, Error as _, VariantAccess as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use method::{Kind, Method, Point, Space};
use several::Several;

/// The methods, in the order of the manual. The tests of tunings hold each to its bar.
pub const METHODS: &[Listed] = &[
    Listed::Settings(Entry {
        name: "spsa",
        about: spsa::ABOUT,
        begin: spsa::begin,
        bar: Bar::within(20_000),
    }),
    // With half of these games, one search in seventy stops short of the goal.
    Listed::Settings(Entry {
        name: "cma-es",
        about: cma_es::ABOUT,
        begin: cma_es::begin,
        bar: Bar::within(40_000),
    }),
    Listed::Settings(USUAL),
    Listed::Players(Entry { name: "race", about: race::ABOUT, begin: race::begin, bar: Bar::within(20_000) }),
];

/// The method of a tuning that names none.
pub const USUAL: OfSettings = Entry {
    name: "model",
    about: model::ABOUT,
    begin: model::begin,
    // It computes for longer than all the others.
    bar: Bar { searches: 3, misses: 0, ..Bar::within(20_000) },
};

/// How good a method must be: the least that its searches reach on noisy objectives whose best
/// point is known (`crates/tune/src/tests`). A weak baseline has a low one.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// Games of a search.
    pub games: u64,
    /// Share of the start's loss that a search may leave.
    pub left: f64,
    /// Searches of each objective.
    pub searches: u64,
    /// Searches of them that may leave more.
    pub misses: u64,
}

impl Bar {
    /// 19 of 20 searches leave less than a twentieth of the loss.
    pub const fn within(games: u64) -> Bar {
        Bar { games, left: 0.05, searches: 20, misses: 1 }
    }
}

/// A method of the table, by what it chooses from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Listed {
    /// It moves the settings of a player.
    Settings(OfSettings),
    /// It chooses one of some players.
    Players(OfPlayers),
}

/// A method that looks for a point of a box.
pub type OfSettings = Entry<fn(&Space, Seed) -> Box<dyn Method>>;

/// A method that chooses one of some points, the first of which is the start.
pub type OfPlayers = Entry<fn(&[Point], Seed) -> Box<dyn Method>>;

/// A method: its name, its manual, its beginning and its bar.
#[derive(Clone, Copy)]
pub struct Entry<B> {
    /// Its name, as files write it.
    pub name: &'static str,
    /// Its manual: a part of a sentence.
    pub about: &'static str,
    /// Begins a search.
    pub begin: B,
    /// How good it must be.
    pub bar: Bar,
}

impl Listed {
    /// Its name, as files write it.
    pub const fn name(&self) -> &'static str {
        match self {
            Listed::Settings(method) => method.name,
            Listed::Players(method) => method.name,
        }
    }

    /// Its manual: a part of a sentence.
    pub const fn about(&self) -> &'static str {
        match self {
            Listed::Settings(method) => method.about,
            Listed::Players(method) => method.about,
        }
    }
}

/// Begins this number of searches, which share the games. Each has its own seed.
pub fn begin(method: OfSettings, space: &Space, searches: u32, seed: Seed) -> Box<dyn Method> {
    if searches < 2 {
        return (method.begin)(space, seed);
    }
    let seeds = (0..searches).map(|number| seed.child("search", number.into()));
    Box::new(Several::new(seeds.map(|seed| (method.begin)(space, seed))))
}

/// Games of the check at the end of a search: a twentieth of all its games, more where several ends
/// play them, and no less than 60.
pub fn final_check(games: u64, rivals: usize) -> u64 {
    let rivals = rivals as u64;
    (games * (2 + rivals).min(8) / 40).max(60 + 20 * rivals)
}

/// The checks on the way take at most this part of the games of the method.
const CHECKS: u64 = 9;

/// The least number of games with which a search for this number of settings moves, and has its
/// answer checked.
pub fn least_games(method: OfSettings, settings: usize, searches: u32) -> u64 {
    // How many games a step takes depends on no setting.
    let space = Space { start: vec![0.5; settings], grain: vec![0.0; settings] };
    let mut one = (method.begin)(&space, Seed::root(0));
    let mut games = 0;
    while let Some(step) = one.ask(u64::MAX) {
        games += step.games();
        if step.kind == Kind::Step {
            break;
        }
        let losses = vec![Some(vec![0.0; step.blocks as usize]); step.candidates.len()];
        one.tell(&step, &losses);
    }
    let rivals = searches.saturating_sub(1);
    let games = games * u64::from(1 + rivals);
    // One search moves before its first check.
    let checks = if rivals > 0 { games.div_ceil(CHECKS) } else { 0 };
    let suffices = |all: &u64| all.saturating_sub(final_check(*all, rivals as usize)) >= games + checks;
    (games..).find(suffices).expect("a search ends")
}

/// The manual: a line for each method.
pub fn manual() -> String {
    METHODS.iter().map(|method| format!("\n- {}: {}", method.name(), method.about())).collect()
}

/// The names of all methods.
const NAMES: &[&str] = &{
    let mut names = [""; METHODS.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = METHODS[place].name();
        place += 1;
    }
    names
};

/// The name of a removed method.
const REMOVED: &str = "restarts";

/// The error for it.
const INSTEAD: &str =
    "the method `restarts` was removed; `searches = 3` shares the games between three searches";

impl FromStr for Listed {
    type Err = String;

    fn from_str(name: &str) -> Result<Listed, String> {
        if name == REMOVED {
            return Err(INSTEAD.to_owned());
        }
        let found = METHODS.iter().find(|method| method.name() == name);
        found.copied().ok_or_else(|| {
            let (last, others) = NAMES.split_last().expect("there are methods");
            format!("expected {} or {last}", others.join(", "))
        })
    }
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Listed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Listed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Listed, D::Error> {
        deserializer.deserialize_enum("Method", NAMES, Name)
    }
}

/// Reads the name of a method.
struct Name;

impl<'de> Visitor<'de> for Name {
    type Value = Listed;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the name of a method")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Listed, A::Error> {
        let (name, content): (String, _) = data.variant()?;
        content.unit_variant()?;
        name.parse().map_err(|_| match &*name {
            REMOVED => A::Error::custom(INSTEAD),
            _ => A::Error::unknown_variant(&name, NAMES),
        })
    }
}

/// Methods are told apart by their names.
impl<B> PartialEq for Entry<B> {
    fn eq(&self, other: &Entry<B>) -> bool {
        self.name == other.name
    }
}

impl<B> fmt::Debug for Entry<B> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}
