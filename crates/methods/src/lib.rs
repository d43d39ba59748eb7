//! Tuning methods: searches for the point with the smallest loss. [`METHODS`] lists them, with one
//! file and one entry each.

pub mod cma_es;
mod coordinate_search;
mod gaussian_process;
mod jacobi;
pub mod loss_comparison;
pub mod method;
pub mod model;
pub mod normal;
pub mod race;
pub mod several_searches;
pub mod spsa;
mod tail_average;

use std::fmt;
use std::str::FromStr;

use gauntlet_core::rng::Seed;
use serde::de::{EnumAccess, Error as _, VariantAccess as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use method::{Optimizer, Point, Space, StepKind};
use several_searches::SeveralSearches;

/// Methods in the order of the manual. Tests check that each reaches its bar.
pub const METHODS: &[TuningMethod] = &[
    TuningMethod::Settings(MethodEntry {
        name: "spsa",
        about: spsa::ABOUT,
        create: spsa::create,
        criterion: AcceptanceCriterion::new(20_000),
    }),
    // With half of these games, one search in seventy misses the goal.
    TuningMethod::Settings(MethodEntry {
        name: "cma-es",
        about: cma_es::ABOUT,
        create: cma_es::create,
        criterion: AcceptanceCriterion::new(40_000),
    }),
    TuningMethod::Settings(DEFAULT_METHOD),
    TuningMethod::Players(MethodEntry {
        name: "race",
        about: race::ABOUT,
        create: race::create,
        criterion: AcceptanceCriterion::new(20_000),
    }),
];

/// Default method of a tuning.
pub const DEFAULT_METHOD: SettingsMethod = MethodEntry {
    name: "model",
    about: model::ABOUT,
    create: model::create,
    // It needs more computation than all the others.
    criterion: AcceptanceCriterion { searches: 3, allowed_misses: 0, ..AcceptanceCriterion::new(20_000) },
};

/// Required quality of a method: what its searches must reach on noisy objectives with a known
/// optimum (`crates/tune/src/tests`). A weak baseline has a low bar.
#[derive(Clone, Copy, Debug)]
pub struct AcceptanceCriterion {
    /// Games per search.
    pub games: u64,
    /// Proportion of the initial loss that a search may leave.
    pub remaining_loss: f64,
    /// Searches per objective.
    pub searches: u64,
    /// Number of these searches that may leave more.
    pub allowed_misses: u64,
}

impl AcceptanceCriterion {
    /// Requires that 19 of 20 searches leave less than a twentieth of the loss.
    pub const fn new(games: u64) -> AcceptanceCriterion {
        AcceptanceCriterion { games, remaining_loss: 0.05, searches: 20, allowed_misses: 1 }
    }
}

/// Method of the table, by what it searches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TuningMethod {
    /// Searches the settings of a player.
    Settings(SettingsMethod),
    /// Chooses one of several players.
    Players(PlayerMethod),
}

/// Method that searches a box.
pub type SettingsMethod = MethodEntry<fn(&Space, Seed) -> Box<dyn Optimizer>>;

/// Method that chooses one of some points, the first of which is the start.
pub type PlayerMethod = MethodEntry<fn(&[Point], Seed) -> Box<dyn Optimizer>>;

/// Method: its name, its manual, its constructor and its bar.
#[derive(Clone, Copy)]
pub struct MethodEntry<B> {
    /// Name in files.
    pub name: &'static str,
    /// Manual, as part of a sentence.
    pub about: &'static str,
    /// Constructor of a search.
    pub create: B,
    /// Required quality.
    pub criterion: AcceptanceCriterion,
}

impl TuningMethod {
    /// Returns the name in files.
    pub const fn name(&self) -> &'static str {
        match self {
            TuningMethod::Settings(method) => method.name,
            TuningMethod::Players(method) => method.name,
        }
    }

    /// Returns the manual, as part of a sentence.
    pub const fn about(&self) -> &'static str {
        match self {
            TuningMethod::Settings(method) => method.about,
            TuningMethod::Players(method) => method.about,
        }
    }
}

/// Creates this number of searches, which share the games. Each has its own seed.
pub fn create_search(method: SettingsMethod, space: &Space, searches: u32, seed: Seed) -> Box<dyn Optimizer> {
    if searches < 2 {
        return (method.create)(space, seed);
    }
    let seeds = (0..searches).map(|number| seed.child("search", number.into()));
    Box::new(SeveralSearches::new(seeds.map(|seed| (method.create)(space, seed))))
}

/// Returns the number of games of the final check: a twentieth of all games, more if several
/// results take part, and at least 60.
pub fn final_check_games(games: u64, rivals: usize) -> u64 {
    let rivals = rivals as u64;
    (games * (2 + rivals).min(8) / 40).max(60 + 20 * rivals)
}

/// The intermediate checks take at most one part in this number of the method's games.
const CHECK_DIVISOR: u64 = 9;

/// Returns the minimum number of games with which a search over this number of settings moves and
/// has its answer checked.
pub fn min_games(method: SettingsMethod, settings: usize, searches: u32) -> u64 {
    // The number of games per step does not depend on the settings' values.
    let space = Space { start: vec![0.5; settings], resolution: vec![0.0; settings] };
    let mut search = (method.create)(&space, Seed::root(0));
    let mut games = 0;
    while let Some(step) = search.ask(u64::MAX) {
        games += step.games();
        if step.kind == StepKind::Step {
            break;
        }
        let losses = vec![Some(vec![0.0; step.blocks as usize]); step.candidates.len()];
        search.record_losses(&step, &losses);
    }
    let rivals = searches.saturating_sub(1);
    let games = games * u64::from(1 + rivals);
    // One search moves before its first check.
    let check_games = if rivals > 0 { games.div_ceil(CHECK_DIVISOR) } else { 0 };
    let suffices = |budget: &u64| {
        budget.saturating_sub(final_check_games(*budget, rivals as usize)) >= games + check_games
    };
    (games..).find(suffices).expect("a search ends")
}

/// Returns the manual: one line per method.
pub fn manual() -> String {
    METHODS.iter().map(|method| format!("\n- {}: {}", method.name(), method.about())).collect()
}

/// Names of all methods.
const NAMES: &[&str] = &{
    let mut names = [""; METHODS.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = METHODS[index].name();
        index += 1;
    }
    names
};

impl FromStr for TuningMethod {
    type Err = String;

    fn from_str(name: &str) -> Result<TuningMethod, String> {
        let method = METHODS.iter().find(|method| method.name() == name);
        method.copied().ok_or_else(|| {
            let (last, others) = NAMES.split_last().expect("there are methods");
            format!("expected {} or {last}", others.join(", "))
        })
    }
}

impl fmt::Display for TuningMethod {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for TuningMethod {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for TuningMethod {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TuningMethod, D::Error> {
        deserializer.deserialize_enum("Method", NAMES, NameVisitor)
    }
}

/// Deserializer for the name of a method.
struct NameVisitor;

impl<'de> Visitor<'de> for NameVisitor {
    type Value = TuningMethod;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the name of a method")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<TuningMethod, A::Error> {
        let (name, content): (String, _) = data.variant()?;
        content.unit_variant()?;
        name.parse().map_err(|_| A::Error::unknown_variant(&name, NAMES))
    }
}

/// Methods are compared by their names.
impl<B> PartialEq for MethodEntry<B> {
    fn eq(&self, other: &MethodEntry<B>) -> bool {
        self.name == other.name
    }
}

impl<B> fmt::Debug for MethodEntry<B> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}
