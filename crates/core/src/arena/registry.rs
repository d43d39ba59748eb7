//! Registry entry of a game: its players, rules and features by name, so that code above needs no
//! type of a game.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Deref;

use super::described::{CheckedRules, FeatureEntry};
use super::entrant::AnyGame;
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
    pub translated: Option<ProtocolAdapter>,
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
    lists: PlayerLists<G>,
    guests: &'static [GuestPlayers<G>],
    pub(super) features: Features<G>,
    pub(super) feature_manual: fn() -> Vec<FeatureEntry>,
    translated: Option<ProtocolAdapter>,
    training: Option<&'static TrainingSupport>,
}

/// Lists of players. Each is a static of a package, so that its players are compiled only there.
pub type PlayerLists<G> = &'static [&'static &'static [Algorithm<G>]];

/// Function that computes every feature of a position, by name.
type Features<G> = fn(&G) -> Vec<(&'static str, f64)>;

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
        features: Features<G>,
    ) -> GameDefinition<G> {
        GameDefinition {
            package,
            algorithms,
            lists: &[],
            guests: &[],
            features,
            feature_manual: Vec::new,
            translated: None,
            training: None,
        }
    }

    /// Adds players of other packages of the same program after those of [`GameDefinition::new`].
    #[must_use]
    pub const fn with_lists(self, lists: PlayerLists<G>) -> GameDefinition<G> {
        GameDefinition { lists, ..self }
    }

    /// Adds the manual of the features.
    #[must_use]
    pub const fn with_feature_manual(self, feature_manual: fn() -> Vec<FeatureEntry>) -> GameDefinition<G> {
        GameDefinition { feature_manual, ..self }
    }

    /// Adds a training for learning players.
    #[must_use]
    pub const fn with_training(self, training: &'static TrainingSupport) -> GameDefinition<G> {
        GameDefinition { training: Some(training), ..self }
    }

    /// Adds players of other packages after the game's own.
    #[must_use]
    pub const fn with_guests(self, guests: &'static [GuestPlayers<G>]) -> GameDefinition<G> {
        GameDefinition { guests, ..self }
    }

    /// Adds a protocol of the game's own managers, which also serves its players. Its lines begin
    /// with words in capitals.
    #[must_use]
    pub const fn with_protocol(self, translated: ProtocolAdapter) -> GameDefinition<G> {
        GameDefinition { translated: Some(translated), ..self }
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
        Box::leak(Box::new(GameDefinition { algorithms: &[], lists: &[], ..*self }))
    }

    /// Returns the contents with only the player of this name, if there is one. They are leaked,
    /// because the tables of an [`Arena`] must be static.
    pub fn with_only_player(&'static self, name: &str) -> Option<&'static GameDefinition<G>> {
        let named = |algorithms: &'static [Algorithm<G>]| {
            let place = algorithms.iter().position(|algorithm| algorithm.name == name);
            place.map_or(&[][..], |place| &algorithms[place..=place])
        };
        let of = |guests: &GuestPlayers<G>| GuestPlayers { algorithms: named(guests.algorithms), ..*guests };
        let guests: Vec<_> = self.guests.iter().map(of).collect();
        let own = self.own_lists().map(named).find(|list| !list.is_empty()).unwrap_or_default();
        let only = GameDefinition { algorithms: own, lists: &[], guests: guests.leak(), ..*self };
        only.algorithms().next()?;
        Some(Box::leak(Box::new(only)))
    }

    /// Returns every player with the package that provides it.
    pub fn algorithms(&self) -> impl Iterator<Item = (CargoPackage, &'static Algorithm<G>)> {
        let own = self.own_lists().flatten().map(|algorithm| (self.package, algorithm));
        let of = |guests: &'static GuestPlayers<G>| {
            guests.algorithms.iter().map(move |algorithm| (guests.package, algorithm))
        };
        own.chain(self.guests.iter().flat_map(of))
    }

    fn own_lists(&self) -> impl Iterator<Item = &'static [Algorithm<G>]> {
        std::iter::once(self.algorithms).chain(self.lists.iter().map(|list| **list))
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
    pub const fn new<G: Game>(contents: &'static GameDefinition<G>) -> Arena {
        Arena {
            package: contents.package,
            name: G::INFO.name,
            shape: G::INFO.shape,
            facts: G::INFO.facts,
            translated: contents.translated,
            training: contents.training,
            has_stones: G::INFO.has_stones,
            game: contents,
        }
    }

    /// Finds the game with this name.
    pub fn find(games: Arenas, name: &str) -> Option<&'static Arena> {
        games.iter().find(|arena| arena.name == name)
    }

    /// Returns the packages of the rules and of these players, without built-in ones.
    pub fn foreign_packages(&self, algorithms: &[&str]) -> Vec<CargoPackage> {
        let players = self.manual().into_iter().filter(|known| algorithms.contains(&known.name));
        let all = players.map(|known| known.package).chain([self.package]);
        let foreign: BTreeSet<CargoPackage> = all.filter(|package| package.is_foreign()).collect();
        foreign.into_iter().collect()
    }

    /// Returns the measures that compare players of this game.
    pub fn measures(&self) -> MeasureSet {
        MeasureSet { shape: self.shape, facts: self.facts }
    }

    /// Returns why a measure or quantity does not exist under these rules; `None` if it exists.
    pub fn unavailable_reason(&self, rules: &CheckedRules, named: impl GameMetric) -> Option<String> {
        if !self.measures().has(named) {
            return Some(format!("{} has no `{named}`", self.name));
        }
        let reach = named.reach()?;
        let (last, cause) = rules.limits[reach.fact()].as_ref()?;
        let value = reach.value();
        (*last < value).then(|| format!("no game can {} {value}: {cause}", reach.word()))
    }
}
