//! A game with its players, its rules and its features, by names and texts: what stands above needs no type of a game.

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::entrant::Entrant;
use super::package::Package;
use super::position::{InPlay, Position};
use crate::diagnostic::Diagnostic;
use crate::game::{Block, Diagram, Fact, Game, Opening, Outcome, ReadGame, Rules as _, Shape};
use crate::learning::Training;
use crate::measure::{Measures, Named};
use crate::player::{Algorithm, Translated};
use crate::settings::{self, Written};

/// The games of a program: all that its experiments can name.
pub type Arenas = &'static [Arena];

/// A game as experiments know it: by names and texts.
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
    /// The keys of an experiment's file that set the rules.
    pub rule_keys: fn() -> &'static [&'static str],
    /// A protocol of its own managers, if there is one.
    pub translated: Option<Translated>,
    /// Training of players that learn, if it has any.
    pub training: Option<&'static Training>,
    /// True if its positions are written as stones on a board ([`Game::HAS_STONES`]).
    pub has_stones: bool,
    contents: &'static (dyn Any + Send + Sync),
    manual: fn(&Arena) -> Vec<Manual>,
    rules: fn(&Written) -> (Rules, Vec<Diagnostic>),
    enter: Enter,
    opening: fn(&Rules, Block) -> Option<Opening>,
    exchanged: fn(&Rules, &Exchange) -> Option<String>,
    read_exchanged: fn(&str, usize) -> Option<Result<Read, String>>,
    look: fn(&Arena, &Rules, &Diagram) -> Result<Sight, String>,
    open: fn(&Rules, Block) -> Box<dyn Position>,
    set_up: SetUp,
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Sets up what a diagram shows.
type SetUp = fn(&Rules, &Diagram) -> Result<Box<dyn Position>, String>;

/// Reads the settings of one algorithm, under these rules.
type Enter = fn(&Arena, &Rules, &str, &Written) -> Result<Entrant, Vec<Diagnostic>>;

/// The tables of contents of one game.
#[derive(Clone, Copy, Debug)]
pub struct Contents<G: Game> {
    package: Package,
    algorithms: &'static [Algorithm<G>],
    guests: &'static [Guests<G>],
    features: Features<G>,
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
    /// A game with its players and its features. The package is where all of them come from: `package!()` in its source.
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

    /// The same game, whose players are also served by a protocol of its own managers. Its lines begin with words in capitals.
    #[must_use]
    pub const fn with_protocol(self, translated: Translated) -> Contents<G> {
        Contents { translated: Some(translated), ..self }
    }

    /// True if the game is one of another package.
    pub fn is_foreign(&self) -> bool {
        self.package.is_foreign()
    }

    /// The same without what the house brings. Kept for as long as the program runs, as the tables of an [`Arena`] must be.
    pub fn brought(&'static self) -> &'static Contents<G> {
        if self.is_foreign() { self } else { Box::leak(Box::new(Contents { algorithms: &[], ..*self })) }
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

/// Entry of the manual on one algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Manual {
    /// As written in `algorithm = "…"`.
    pub name: &'static str,
    /// Play of the algorithm, in a sentence.
    pub summary: &'static str,
    /// A commented TOML snippet that names every setting.
    pub example: &'static str,
    /// Snippets with other settings, for tests and the signature.
    pub more_examples: &'static [&'static str],
    /// The names of its settings.
    pub settings: &'static [&'static str],
    /// The package that it comes from.
    pub package: Package,
}

/// Checked rules of some game.
#[derive(Clone)]
pub struct Rules {
    /// All settings, defaults included: what identifies the rules.
    pub settings: Value,
    /// Win, in words that follow "a win is"; none where the rules do not set that.
    pub win: Option<String>,
    /// Number of blocks of an experiment with openings that differ; none where there is no such limit.
    pub openings: Option<u64>,
    /// Limit of each fact: the value at which every game stops, and its reason.
    limits: Vec<Option<(i64, String)>>,
    typed: Arc<dyn Any + Send + Sync>,
}

/// A game to be written for other programs.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    /// Its block.
    pub block: Block,
    /// What it is among others of one file.
    pub title: &'a str,
    /// Its moves, as the game writes them.
    pub moves: &'a [String],
    /// The players in their seats.
    pub names: [&'a str; 2],
    /// Its outcome; none if it was cut.
    pub outcome: Option<Outcome>,
}

/// A game that was read from a text of another program.
#[derive(Clone, Debug)]
pub struct Read {
    /// The players in their seats.
    pub names: [String; 2],
    /// Its positions, from the start on.
    pub positions: Vec<Told>,
}

/// A position of such a game.
#[derive(Clone, Debug)]
pub struct Told {
    /// The move that led to it; none at the start.
    pub mv: Option<String>,
    /// State of the game.
    pub outcome: Outcome,
    /// The position as text.
    pub position: String,
}

/// Sight of a position.
#[derive(Clone, Debug)]
pub struct Sight {
    /// True if the rules end the game here, whatever the experiment says about its end.
    pub over: bool,
    /// True if there is any move; an empty board has none and is not over.
    pub movable: bool,
    /// Effect of each move.
    pub moves: Value,
    /// Every feature of the game.
    pub features: Vec<(&'static str, f64)>,
}

impl Arena {
    /// A game with its tables of contents.
    pub const fn of<G: Game>(contents: &'static Contents<G>) -> Arena {
        Arena {
            package: contents.package,
            name: G::NAME,
            shape: G::SHAPE,
            facts: G::FACTS,
            rule_keys: settings::fields::<G::Rules>,
            translated: contents.translated,
            training: contents.training,
            has_stones: G::HAS_STONES,
            contents,
            manual: |arena| arena.contents::<G>().algorithms().map(manual_of).collect(),
            rules: read_rules::<G>,
            enter: |arena, rules, algorithm, written| {
                let mut algorithms = arena.contents::<G>().algorithms();
                let (_, algorithm) =
                    algorithms.find(|(_, known)| known.name == algorithm).ok_or_else(Vec::new)?;
                let settled = algorithm.read(written)?;
                let rules = rules.typed::<G>().clone();
                Ok(Entrant::of::<G>(algorithm.name, settled.settings, settled.recipe.into(), rules))
            },
            opening: |rules, block| G::opening(rules.typed::<G>(), block),
            exchanged: |rules, &Exchange { block, title, moves, names, outcome }| {
                let rules = rules.typed::<G>();
                let start = G::open(rules, block, &mut block.world().rng());
                let moves: Option<Vec<G::Move>> = moves.iter().map(|mv| start.read_move(mv)).collect();
                G::exchanged(rules, block, title, &moves?, names, outcome)
            },
            read_exchanged: |text, number| {
                let told = |(mv, position): (Option<G::Move>, G)| Told {
                    mv: mv.map(|mv| mv.to_string()),
                    outcome: position.outcome(),
                    position: position.to_string(),
                };
                let read = G::read_exchanged(text, number)?;
                Some(read.map(|ReadGame { names, positions }| Read {
                    names,
                    positions: positions.into_iter().map(told).collect(),
                }))
            },
            open: |rules, block| {
                let position = G::open(rules.typed::<G>(), block, &mut block.world().rng());
                Box::new(InPlay::of(position, block))
            },
            set_up: |rules, diagram| {
                let position = G::set_up(rules.typed::<G>(), diagram)?;
                Ok(Box::new(InPlay::of(position, Block::of_seed(0))))
            },
            look: |arena, rules, diagram| {
                let position = G::set_up(rules.typed::<G>(), diagram)?;
                let mut moves = Vec::new();
                position.moves(&mut moves);
                Ok(Sight {
                    over: position.to_move().is_none() && moves.is_empty(),
                    movable: !moves.is_empty(),
                    moves: position.look(),
                    features: (arena.contents::<G>().features)(&position),
                })
            },
        }
    }

    fn contents<G: Game>(&self) -> &'static Contents<G> {
        self.contents.downcast_ref().expect("an arena is made with the tables of its game")
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

    /// Entries on all algorithms, in the order of the manual.
    pub fn manual(&self) -> Vec<Manual> {
        (self.manual)(self)
    }

    /// By what its players can be compared.
    pub fn measures(&self) -> Measures {
        Measures { shape: self.shape, facts: self.facts }
    }

    /// The reason why players have no such measure or quantity under these rules; none if they have.
    pub fn refusal(&self, rules: &Rules, named: impl Named) -> Option<String> {
        if !self.measures().has(named) {
            return Some(format!("{} knows no `{named}`", self.name));
        }
        let reach = named.reach()?;
        let (last, cause) = rules.limits[reach.fact()].as_ref()?;
        let value = reach.value();
        (*last < value).then(|| format!("no game can {} {value}: {cause}", reach.word()))
    }

    /// Reads the rules from the keys in [`Arena::rule_keys`]. Where they are mistaken, the mistakes come with the
    /// default rules, so that what depends on them can still be checked.
    pub fn rules(&self, written: &Written) -> (Rules, Vec<Diagnostic>) {
        (self.rules)(written)
    }

    /// Reads the settings of a player. An algorithm that is not in the manual has no mistakes to report: the
    /// caller knows better what to say about it.
    pub fn enter(
        &self,
        rules: &Rules,
        algorithm: &str,
        written: &Written,
    ) -> Result<Entrant, Vec<Diagnostic>> {
        (self.enter)(self, rules, algorithm, written)
    }

    /// Opening of a block, in a game with openings.
    pub fn opening(&self, rules: &Rules, block: Block) -> Option<Opening> {
        (self.opening)(rules, block)
    }

    /// A whole game as a text that other programs of this game read; none if there is no such form.
    pub fn exchanged(&self, rules: &Rules, game: &Exchange) -> Option<String> {
        (self.exchanged)(rules, game)
    }

    /// One of the games of such a text, counted from 1; none if this game has no such form.
    pub fn read_exchanged(&self, text: &str, number: usize) -> Option<Result<Read, String>> {
        (self.read_exchanged)(text, number)
    }

    /// The position in which the games of a block begin.
    pub fn open(&self, rules: &Rules, block: Block) -> Box<dyn Position> {
        (self.open)(rules, block)
    }

    /// The position that a diagram shows.
    pub fn set_up(&self, rules: &Rules, diagram: &Diagram) -> Result<Box<dyn Position>, String> {
        (self.set_up)(rules, diagram)
    }

    /// Looks at the position that a diagram shows.
    pub fn look(&self, rules: &Rules, diagram: &Diagram) -> Result<Sight, String> {
        (self.look)(self, rules, diagram)
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.settings.fmt(f)
    }
}

impl Rules {
    fn typed<G: Game>(&self) -> &G::Rules {
        self.typed.downcast_ref().expect("rules go with their own game")
    }
}

fn manual_of<G: Game>((package, algorithm): (Package, &Algorithm<G>)) -> Manual {
    Manual {
        name: algorithm.name,
        summary: algorithm.summary(),
        example: algorithm.example,
        more_examples: algorithm.more_examples,
        settings: algorithm.settings(),
        package,
    }
}

fn read_rules<G: Game>(written: &Written) -> (Rules, Vec<Diagnostic>) {
    let (rules, mut mistakes) = match settings::read::<G::Rules>(written, "") {
        Ok(rules) => (rules, Vec::new()),
        Err(mistakes) => (G::Rules::default(), mistakes),
    };
    if let Some((key, message)) = rules.contradiction() {
        mistakes.push(written.blame(key, message));
    }
    let settings = serde_json::to_value(&rules).expect("rules are plain data");
    let limits = (0..G::FACTS.len()).map(|fact| rules.limit(fact)).collect();
    (
        Rules { settings, win: rules.win(), openings: rules.openings(), limits, typed: Arc::new(rules) },
        mistakes,
    )
}
