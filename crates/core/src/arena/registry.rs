//! Registry entry of a game: its players, rules and features by name, so that code above needs no
//! type of a game.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Deref;

use super::descriptions::{CheckedRules, FeatureEntry};
use super::entry::AnyGame;
use super::package::CargoPackage;
use crate::game::{Fact, Game, Shape};
use crate::learning::TrainingSupport;
use crate::measure::{GameMetric, MeasureSet};
use crate::player::{Algorithm, ProtocolAdapter};

/// All games that a program's experiments can name.
pub type Arenas = &'static [Arena];

/// Game by names and texts, as experiments refer to it. [`AnyGame`] contains what needs the game
/// itself.
#[derive(Clone, Copy)]
pub struct Arena {
    /// Package that provides the rules.
    pub package: CargoPackage,
    /// Name, as in `game = "…"`.
    pub name: &'static str,
    /// Shape of the game.
    pub shape: Shape,
    /// Facts that its games end with, in addition to the score.
    pub facts: &'static [Fact],
    /// Protocol of this game's own managers, if there is one.
    pub adapter: Option<ProtocolAdapter>,
    /// Training of learning players, if the game has any.
    pub training: Option<&'static TrainingSupport>,
    /// True if positions are stones on a board
    /// ([`GameInfo::has_stones`](crate::game::GameInfo::has_stones)).
    pub has_stones: bool,
    game: &'static dyn AnyGame,
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Players, features and other parts of one game.
#[derive(Clone, Copy, Debug)]
pub struct GameDefinition<G: Game> {
    package: CargoPackage,
    algorithms: &'static [Algorithm<G>],
    linked_player_lists: PlayerLists<G>,
    guests: &'static [GuestPlayers<G>],
    pub(super) compute_features: FeatureFunction<G>,
    pub(super) describe_features: fn() -> Vec<FeatureEntry>,
    adapter: Option<ProtocolAdapter>,
    training: Option<&'static TrainingSupport>,
}

/// Lists of players. Each is a static of a package, so that its players are compiled only there.
pub type PlayerLists<G> = &'static [&'static &'static [Algorithm<G>]];

/// Function that computes every feature of a position, by name.
type FeatureFunction<G> = fn(&G) -> Vec<(&'static str, f64)>;

/// Players that another package adds to a game.
#[derive(Clone, Copy, Debug)]
pub struct GuestPlayers<G: Game> {
    /// Package: `package!()` in its source.
    pub package: CargoPackage,
    /// Added players.
    pub algorithms: &'static [Algorithm<G>],
}

impl<G: Game> GameDefinition<G> {
    /// Creates the contents of a game from its players and features. `package` provides them all;
    /// it is `package!()` in its source.
    pub const fn new(
        package: CargoPackage,
        algorithms: &'static [Algorithm<G>],
        features: FeatureFunction<G>,
    ) -> GameDefinition<G> {
        GameDefinition {
            package,
            algorithms,
            linked_player_lists: &[],
            guests: &[],
            compute_features: features,
            describe_features: Vec::new,
            adapter: None,
            training: None,
        }
    }

    /// Adds players of packages that belong to this program. They count as the game's own.
    #[must_use]
    pub const fn with_lists(self, lists: PlayerLists<G>) -> GameDefinition<G> {
        GameDefinition { linked_player_lists: lists, ..self }
    }

    /// Adds the manual of the features.
    #[must_use]
    pub const fn with_feature_manual(self, feature_manual: fn() -> Vec<FeatureEntry>) -> GameDefinition<G> {
        GameDefinition { describe_features: feature_manual, ..self }
    }

    /// Adds a training for learning players.
    #[must_use]
    pub const fn with_training(self, training: &'static TrainingSupport) -> GameDefinition<G> {
        GameDefinition { training: Some(training), ..self }
    }

    /// Adds players of a program that uses this one as a library. Lists name their package.
    #[must_use]
    pub const fn with_guests(self, guests: &'static [GuestPlayers<G>]) -> GameDefinition<G> {
        GameDefinition { guests, ..self }
    }

    /// Adds a protocol of the game's own managers, which also serves its players. Its lines begin
    /// with words in capitals.
    #[must_use]
    pub const fn with_protocol(self, adapter: ProtocolAdapter) -> GameDefinition<G> {
        GameDefinition { adapter: Some(adapter), ..self }
    }

    /// Returns true if another package provides the game.
    pub fn is_foreign(&self) -> bool {
        self.package.is_foreign()
    }

    /// Returns the contents that packages other than the built-in ones provide. They are leaked,
    /// because the tables of an [`Arena`] must be static.
    pub fn without_built_in(&'static self) -> &'static GameDefinition<G> {
        if self.is_foreign() {
            return self;
        }
        Box::leak(Box::new(GameDefinition { algorithms: &[], linked_player_lists: &[], ..*self }))
    }

    /// Returns the contents with only the player of this name, if there is one. They are leaked,
    /// because the tables of an [`Arena`] must be static.
    pub fn with_only_player(&'static self, name: &str) -> Option<&'static GameDefinition<G>> {
        let filter_by_name = |algorithms: &'static [Algorithm<G>]| {
            let index = algorithms.iter().position(|algorithm| algorithm.name == name);
            index.map_or(&[][..], |index| &algorithms[index..=index])
        };
        let filter_guests = |guests: &GuestPlayers<G>| GuestPlayers {
            algorithms: filter_by_name(guests.algorithms),
            ..*guests
        };
        let guests: Vec<_> = self.guests.iter().map(filter_guests).collect();
        let own_algorithms =
            self.own_lists().map(filter_by_name).find(|list| !list.is_empty()).unwrap_or_default();
        let definition = GameDefinition {
            algorithms: own_algorithms,
            linked_player_lists: &[],
            guests: guests.leak(),
            ..*self
        };
        definition.algorithms().next()?;
        Some(Box::leak(Box::new(definition)))
    }

    /// Returns every player with the package that provides it.
    pub fn algorithms(&self) -> impl Iterator<Item = (CargoPackage, &'static Algorithm<G>)> {
        let own_algorithms = self.own_lists().flatten().map(|algorithm| (self.package, algorithm));
        let guest_algorithms = |guests: &'static GuestPlayers<G>| {
            guests.algorithms.iter().map(move |algorithm| (guests.package, algorithm))
        };
        own_algorithms.chain(self.guests.iter().flat_map(guest_algorithms))
    }

    fn own_lists(&self) -> impl Iterator<Item = &'static [Algorithm<G>]> {
        std::iter::once(self.algorithms).chain(self.linked_player_lists.iter().map(|list| **list))
    }
}

impl Deref for Arena {
    type Target = dyn AnyGame;

    fn deref(&self) -> &Self::Target {
        self.game
    }
}

impl Arena {
    /// Creates the arena of a game.
    pub const fn new<G: Game>(definition: &'static GameDefinition<G>) -> Arena {
        Arena {
            package: definition.package,
            name: G::INFO.name,
            shape: G::INFO.shape,
            facts: G::INFO.facts,
            adapter: definition.adapter,
            training: definition.training,
            has_stones: G::INFO.has_stones,
            game: definition,
        }
    }

    /// Finds the game with this name.
    pub fn find(games: Arenas, name: &str) -> Option<&'static Arena> {
        games.iter().find(|arena| arena.name == name)
    }

    /// Returns the packages of the rules and of these players, without built-in ones.
    pub fn foreign_packages(&self, algorithms: &[&str]) -> Vec<CargoPackage> {
        let players = self.manual().into_iter().filter(|entry| algorithms.contains(&entry.name));
        let all = players.map(|entry| entry.package).chain([self.package]);
        let foreign: BTreeSet<CargoPackage> = all.filter(|package| package.is_foreign()).collect();
        foreign.into_iter().collect()
    }

    /// Returns the measures that compare players of this game.
    pub fn measures(&self) -> MeasureSet {
        MeasureSet { shape: self.shape, facts: self.facts }
    }

    /// Returns why a measure or quantity does not exist under these rules; `None` if it exists.
    pub fn unavailable_reason(&self, rules: &CheckedRules, metric: impl GameMetric) -> Option<String> {
        if !self.measures().has(metric) {
            return Some(format!("{} has no `{metric}`", self.name));
        }
        let threshold = metric.threshold()?;
        let (limit, reason) = rules.limits[threshold.fact()].as_ref()?;
        let value = threshold.value();
        (*limit < value).then(|| format!("no game can {} {value}: {reason}", threshold.word()))
    }
}
