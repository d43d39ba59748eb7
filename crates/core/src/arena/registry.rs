//! A game with its players, its rules and its features, by names and texts: what stands above needs
//! no type of a game.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Deref;

use super::described::Rules;
use super::entrant::AnyGame;
use super::package::Package;
use crate::game::{Fact, Game, Shape};
use crate::learning::Training;
use crate::measure::{Measures, Named};
use crate::player::{Algorithm, Translated};

/// The games of a program: all that its experiments can name.
pub type Arenas = &'static [Arena];

/// A game as experiments know it: by names and texts. What needs the game itself is in [`AnyGame`].
#[derive(Clone, Copy)]
pub struct Arena {
    /// The package that its rules come from.
    pub package: Package,
    /// As written in `game = "…"`.
    pub name: &'static str,
    /// Its shape.
    pub shape: Shape,
    /// Facts that its games end with, besides their score.
    pub facts: &'static [Fact],
    /// A protocol of its own managers, if there is one.
    pub translated: Option<Translated>,
    /// Training of players that learn, if it has any.
    pub training: Option<&'static Training>,
    /// True if its positions are written as stones on a board
    /// ([`GameInfo::has_stones`](crate::game::GameInfo::has_stones)).
    pub has_stones: bool,
    game: &'static dyn AnyGame,
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The tables of contents of one game.
#[derive(Clone, Copy, Debug)]
pub struct Contents<G: Game> {
    package: Package,
    algorithms: &'static [Algorithm<G>],
    guests: &'static [Guests<G>],
    pub(super) features: Features<G>,
    translated: Option<Translated>,
    training: Option<&'static Training>,
}

/// Measures every feature of a position, by name.
type Features<G> = fn(&G) -> Vec<(&'static str, f64)>;

/// Players of a game that another package brings.
#[derive(Clone, Copy, Debug)]
pub struct Guests<G: Game> {
    /// The package: `package!()` in its source.
    pub package: Package,
    /// Its players.
    pub algorithms: &'static [Algorithm<G>],
}

impl<G: Game> Contents<G> {
    /// A game with its players and its features. The package is where all of them come from:
    /// `package!()` in its source.
    pub const fn new(
        package: Package,
        algorithms: &'static [Algorithm<G>],
        features: Features<G>,
    ) -> Contents<G> {
        Contents { package, algorithms, guests: &[], features, translated: None, training: None }
    }

    /// The same game, with a training for players that learn.
    #[must_use]
    pub const fn with_training(self, training: &'static Training) -> Contents<G> {
        Contents { training: Some(training), ..self }
    }

    /// The same game, and players of other packages behind its own.
    #[must_use]
    pub const fn with_guests(self, guests: &'static [Guests<G>]) -> Contents<G> {
        Contents { guests, ..self }
    }

    /// The same game, whose players are also served by a protocol of its own managers. Its lines
    /// begin with words in capitals.
    #[must_use]
    pub const fn with_protocol(self, translated: Translated) -> Contents<G> {
        Contents { translated: Some(translated), ..self }
    }

    /// True if the game is one of another package.
    pub fn is_foreign(&self) -> bool {
        self.package.is_foreign()
    }

    /// The same without what the house brings. Kept for as long as the program runs, as the tables
    /// of an [`Arena`] must be.
    pub fn brought(&'static self) -> &'static Contents<G> {
        if self.is_foreign() { self } else { Box::leak(Box::new(Contents { algorithms: &[], ..*self })) }
    }

    /// The same with only the player of this name; none if there is no such player. Kept for as
    /// long as the program runs.
    pub fn only(&'static self, name: &str) -> Option<&'static Contents<G>> {
        let named = |algorithms: &'static [Algorithm<G>]| {
            let place = algorithms.iter().position(|algorithm| algorithm.name == name);
            place.map_or(&[][..], |place| &algorithms[place..=place])
        };
        let of = |guests: &Guests<G>| Guests { algorithms: named(guests.algorithms), ..*guests };
        let guests: Vec<_> = self.guests.iter().map(of).collect();
        let only = Contents { algorithms: named(self.algorithms), guests: guests.leak(), ..*self };
        only.algorithms().next()?;
        Some(Box::leak(Box::new(only)))
    }

    /// Every player, with the package that it comes from.
    pub fn algorithms(&self) -> impl Iterator<Item = (Package, &'static Algorithm<G>)> {
        let own = self.algorithms.iter().map(|algorithm| (self.package, algorithm));
        let of = |guests: &'static Guests<G>| {
            guests.algorithms.iter().map(move |algorithm| (guests.package, algorithm))
        };
        own.chain(self.guests.iter().flat_map(of))
    }
}

impl Deref for Arena {
    type Target = dyn AnyGame;

    fn deref(&self) -> &Self::Target {
        self.game
    }
}

impl Arena {
    /// A game with its tables of contents.
    pub const fn of<G: Game>(contents: &'static Contents<G>) -> Arena {
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

    /// The game of this name.
    pub fn find(games: Arenas, name: &str) -> Option<&'static Arena> {
        games.iter().find(|arena| arena.name == name)
    }

    /// The packages that its rules and these of its players come from, but for those of the house.
    pub fn foreign_packages(&self, algorithms: &[&str]) -> Vec<Package> {
        let players = self.manual().into_iter().filter(|known| algorithms.contains(&known.name));
        let all = players.map(|known| known.package).chain([self.package]);
        let foreign: BTreeSet<Package> = all.filter(|package| package.is_foreign()).collect();
        foreign.into_iter().collect()
    }

    /// By what its players can be compared.
    pub fn measures(&self) -> Measures {
        Measures { shape: self.shape, facts: self.facts }
    }

    /// The reason why players have no such measure or quantity under these rules; none if they
    /// have.
    pub fn refusal(&self, rules: &Rules, named: impl Named) -> Option<String> {
        if !self.measures().has(named) {
            return Some(format!("{} knows no `{named}`", self.name));
        }
        let reach = named.reach()?;
        let (last, cause) = rules.limits[reach.fact()].as_ref()?;
        let value = reach.value();
        (*last < value).then(|| format!("no game can {} {value}: {cause}", reach.word()))
    }
}
