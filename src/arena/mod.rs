//! Where games are played: one job in, one record out.
//!
//! - `guard`: a fence around players
//! - `signature`: what a build plays, as one number
//! - `solo`: one game of one player
//! - `stopwatch`: how long thinking takes, when a move may take less time than reading a clock
//!
//! Above this module nothing is generic over games: a [`Worker`] is a function from jobs to records. [`GAMES`]
//! is the table of contents of games.

mod guard;
mod signature;
mod solo;
mod stopwatch;

pub use signature::signature;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::eval;
use crate::game::{Game, Rules as _, Shape};
use crate::games::twenty48::Twenty48;
use crate::player::{Algorithm, Recipe};
use crate::players;
use crate::record::{GameRecord, Slice};
use crate::settings::{self, Written};

/// Every game.
pub const GAMES: &[Arena] =
    &[Arena::of::<Twenty48>(&Contents { algorithms: players::TWENTY48, features: eval::twenty48::measured })];

/// A game as experiments know it: by names and texts.
#[derive(Clone, Copy)]
pub struct Arena {
    /// As written in `game = "…"`.
    pub name: &'static str,
    /// How many play it.
    pub shape: Shape,
    /// The game's own columns in `games.csv`.
    pub facts: &'static [&'static str],
    /// The keys of an experiment's file that set the rules.
    pub rule_keys: fn() -> &'static [&'static str],
    contents: &'static (dyn Any + Send + Sync),
    manual: fn(&Arena) -> Vec<Manual>,
    rules: fn(&Written) -> (Rules, Vec<Diagnostic>),
    enter: Enter,
    look: fn(&Arena, &Rules, &str, Option<u64>) -> Result<Sight, String>,
}

/// Reads the settings of one algorithm, under these rules.
type Enter = fn(&Arena, &Rules, &str, &Written) -> Result<Entrant, Vec<Diagnostic>>;

/// The tables of contents of one game.
struct Contents<G: Game> {
    algorithms: &'static [Algorithm<G>],
    /// Every feature of a position, by name.
    features: fn(&G) -> Vec<(&'static str, f64)>,
}

/// What the manual says of one algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Manual {
    /// As written in `algorithm = "…"`.
    pub name: &'static str,
    /// What the player does, in a sentence.
    pub summary: &'static str,
    /// A commented TOML snippet that names every setting.
    pub example: &'static str,
    /// Snippets with other settings, for tests and the signature.
    pub samples: &'static [&'static str],
    /// The names of its settings.
    pub settings: &'static [&'static str],
}

/// Checked rules of some game.
#[derive(Clone)]
pub struct Rules {
    /// All settings, defaults included: what identifies the rules.
    pub settings: Value,
    typed: Arc<dyn Any + Send + Sync>,
}

/// What a position shows.
#[derive(Clone, Debug)]
pub struct Sight {
    /// Whether the rules end the game here, whatever the experiment says about its end.
    pub over: bool,
    /// Whether there is any move; an empty board has none and is not over.
    pub movable: bool,
    /// What each move would do.
    pub moves: Value,
    /// Every feature of the game.
    pub features: Vec<(&'static str, f64)>,
}

impl Arena {
    const fn of<G: Game>(contents: &'static Contents<G>) -> Arena {
        Arena {
            name: G::NAME,
            shape: G::SHAPE,
            facts: G::FACTS,
            rule_keys: settings::fields::<G::Rules>,
            contents,
            manual: |arena| arena.contents::<G>().algorithms.iter().map(manual_of).collect(),
            rules: read_rules::<G>,
            enter: |arena, rules, algorithm, written| {
                let algorithms = arena.contents::<G>().algorithms;
                let algorithm =
                    algorithms.iter().find(|known| known.name == algorithm).ok_or_else(Vec::new)?;
                let settled = algorithm.read(written)?;
                let rules = rules.typed::<G>().clone();
                Ok(Entrant::of::<G>(algorithm.name, settled.settings, settled.recipe.into(), rules))
            },
            look: |arena, rules, board, score| {
                let position = G::set_up(rules.typed::<G>(), board, score)?;
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
    pub fn find(name: &str) -> Option<&'static Arena> {
        GAMES.iter().find(|arena| arena.name == name)
    }

    /// What there is to say about each algorithm, in the order of the manual.
    pub fn manual(&self) -> Vec<Manual> {
        (self.manual)(self)
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

    /// Looks at a position that somebody wrote down.
    pub fn look(&self, rules: &Rules, board: &str, score: Option<u64>) -> Result<Sight, String> {
        (self.look)(self, rules, board, score)
    }
}

impl Rules {
    fn typed<G: Game>(&self) -> &G::Rules {
        self.typed.downcast_ref().expect("rules go with their own game")
    }
}

fn manual_of<G: Game>(algorithm: &Algorithm<G>) -> Manual {
    Manual {
        name: algorithm.name,
        summary: algorithm.summary(),
        example: algorithm.example,
        samples: algorithm.samples,
        settings: algorithm.settings(),
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
    (Rules { settings, typed: Arc::new(rules) }, mistakes)
}

/// A player as an experiment enters it: settings checked, rules known.
#[derive(Clone)]
pub struct Entrant {
    /// Its algorithm.
    pub algorithm: &'static str,
    /// All its settings, defaults included: what identifies the player.
    pub settings: Value,
    seated: Arc<dyn AnySeated>,
}

impl Entrant {
    /// Enters a player that need not be in any table. Settings must tell it from every other of its algorithm.
    pub fn of<G: Game>(
        algorithm: &'static str,
        settings: Value,
        recipe: Arc<dyn Recipe<G>>,
        rules: G::Rules,
    ) -> Entrant {
        Entrant { algorithm, settings, seated: Arc::new(Seated::<G> { recipe, rules: Arc::new(rules) }) }
    }

    /// Whether equal seeds make equal games.
    pub fn is_reproducible(&self) -> bool {
        self.seated.is_reproducible()
    }

    /// Builds the player, for one thread. `max_moves` ends a game early.
    pub fn worker(&self, max_moves: Option<u32>) -> anyhow::Result<Worker> {
        self.seated.worker(max_moves)
    }

    /// Plays the game of one seed and shows every step of it.
    pub fn replay(
        &self,
        max_moves: Option<u32>,
        seed: u64,
        show: &mut dyn FnMut(&Step),
    ) -> anyhow::Result<(GameRecord, Option<String>)> {
        self.seated.replay(max_moves, seed, show)
    }

    /// Asks the player, freshly begun, for its move.
    pub fn ponder(&self, board: &str, score: Option<u64>, seed: u64) -> anyhow::Result<Value> {
        self.seated.ponder(board, score, seed)
    }
}

impl fmt::Debug for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.algorithm, self.settings)
    }
}

/// Plays the games of these block seeds, one after the other. Stays with one player and one thread.
pub type Worker = Box<dyn FnMut(&[u64]) -> Slice>;

/// One position of a replayed game.
#[derive(Debug)]
pub struct Step<'a> {
    /// Moves made so far.
    pub moves: u32,
    /// The move that led here; none at the start.
    pub mv: Option<&'a str>,
    /// How deep the player searched for that move, if it says so.
    pub depth: Option<u32>,
    /// The score so far.
    pub score: u64,
    /// The position as text.
    pub position: &'a str,
}

/// The seam at which the type of a game disappears.
trait AnySeated: Send + Sync {
    fn is_reproducible(&self) -> bool;
    fn worker(&self, max_moves: Option<u32>) -> anyhow::Result<Worker>;
    fn replay(
        &self,
        max_moves: Option<u32>,
        seed: u64,
        show: &mut dyn FnMut(&Step),
    ) -> anyhow::Result<(GameRecord, Option<String>)>;
    fn ponder(&self, board: &str, score: Option<u64>, seed: u64) -> anyhow::Result<Value>;
}

struct Seated<G: Game> {
    recipe: Arc<dyn Recipe<G>>,
    rules: Arc<G::Rules>,
}
