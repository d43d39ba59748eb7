//! The contract of a game, and its optional parts for speed and for other programs.

use std::fmt::{Debug, Display};
use std::ops::ControlFlow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::block::{Block, Opening};
use super::diagram::Diagram;
use super::fact::{Fact, Facts};
use super::outcome::{GameResult, GameState, Outcome, Seat, Shape};
use crate::rng::{Rng, Seed};
use crate::settings::section::KeyDeclaration;

/// Static information about a game.
#[derive(Clone, Copy, Debug)]
pub struct GameInfo {
    /// Name in experiments.
    pub name: &'static str,
    /// Shape of the game: number of players and their aim.
    pub shape: Shape,
    /// Notation of moves for messages, to follow "a move is".
    pub moves: &'static str,
    /// Facts that a game ends with, in addition to its score.
    pub facts: &'static [Fact],
    /// True if positions are stones, `B` for black and `W` for white, on a square board. Moves must
    /// then be a column letter and a row number, counted from the top left. Pictures rely on it.
    pub has_stones: bool,
}

/// Rules and state of a game. A position is `Clone` and a random number generator is not, so the
/// caller passes the generator.
pub trait Game: RandomPlay + Notation + Clone + PartialEq + Display + Debug + Send + 'static {
    /// Settings of the rules, whose fields are keys of the experiment's file.
    type Rules: Rules;
    /// Move of the game.
    type Move: Copy + PartialEq + Debug + Display + Send + 'static;

    /// Name, shape and texts of the game.
    const INFO: GameInfo;

    /// Creates the initial position of a block's games. `game_rng` is the generator of
    /// [`Block::game_seed`].
    fn open(rules: &Self::Rules, block: Block, game_rng: &mut Rng) -> Self;

    /// Creates the position of a diagram.
    fn set_up(rules: &Self::Rules, diagram: &Diagram) -> Result<Self, String>;

    /// Returns the position as a diagram, from which [`Game::set_up`] recreates it.
    fn diagram(&self) -> Diagram;

    /// Returns the seat to move; `None` if the game is over.
    fn to_move(&self) -> Option<Seat>;

    /// Appends all legal moves to the list.
    fn moves(&self, list: &mut Vec<Self::Move>);

    /// Parses a move as its `Display` writes it, whether or not it is legal here; `None` if the
    /// text is not a move.
    fn read_move(&self, text: &str) -> Option<Self::Move>;

    /// Plays a move, or fails if it is illegal.
    fn play(&mut self, mv: Self::Move, game_rng: &mut Rng) -> Result<(), IllegalMove>;

    /// Returns the state of the game so far.
    fn state(&self) -> GameState;

    /// Returns why no game by these rules can end like this, if it cannot. Records from files are
    /// checked with it, so that no forged record is counted. It need not find every impossible
    /// game. Any game that it accepts must be safe to sum over any number of games, and its facts
    /// must be possible final values.
    fn invalid_reason(rules: &Self::Rules, result: &GameResult) -> Option<String>;
}

/// Settings of a game's rules.
pub trait Rules: Clone + Debug + Default + Send + Sync + Serialize + DeserializeOwned + 'static {
    /// The keys with the manual's text ([`documented!`](crate::settings::documented)).
    const MANUAL: &'static [KeyDeclaration] = &[];

    /// Returns a contradiction between settings that are each valid alone: the key to blame and
    /// what is wrong.
    fn contradiction(&self) -> Option<(&'static str, String)> {
        None
    }

    /// Returns the definition of a win, to follow "a win is"; `None` if the rules do not set it.
    fn win(&self) -> Option<String> {
        None
    }

    /// Returns the number of blocks of a series with distinct openings; `None` if unlimited.
    fn openings(&self) -> Option<u64> {
        None
    }

    /// Returns the opening of a block, if the opening is the only randomness of the world; `None`
    /// in a game without openings.
    fn opening(&self, block: Block) -> Option<Opening> {
        let _ = block;
        None
    }

    /// Returns the value of a fact (by its index in [`GameInfo::facts`]) at which every game stops,
    /// and what stops it, in words; `None` if games may go further.
    fn limit(&self, fact: usize) -> Option<(i64, String)> {
        let _ = fact;
        None
    }

    /// Returns the names of the stages of a game, in the order in which games reach them. Empty if
    /// there are none.
    fn stages(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the number of stages that a game with this result reached.
    fn count_stages_reached(&self, outcome: Outcome, facts: &Facts, moves: u32) -> usize {
        let _ = (outcome, facts, moves);
        0
    }
}

/// Error for a move that the rules do not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalMove;

/// Random moves and random games, for speed. A faster implementation must draw and play exactly
/// what the default does.
pub trait RandomPlay: Sized {
    /// Draws a legal move uniformly at random; `None` if there is none.
    fn random_move(&self, rng: &mut Rng) -> Option<Self::Move>
    where
        Self: Game,
    {
        let mut list = Vec::new();
        self.moves(&mut list);
        if list.is_empty() { None } else { Some(list[rng.below(list.len() as u64) as usize]) }
    }

    /// Plays whole games of uniformly random moves, one per pair of seeds (world, player). The
    /// results must equal those of playing them one by one, in order. `None` if the game has no
    /// faster way.
    fn random_games(rules: &Self::Rules, seeds: &mut dyn Iterator<Item = (Seed, Seed)>) -> Option<Vec<Self>>
    where
        Self: Game,
    {
        let _ = (rules, seeds);
        None
    }

    /// Plays uniformly random moves until the game is over or `max_moves` were played. Returns the
    /// number of moves.
    fn play_out(&mut self, max_moves: u32, game_rng: &mut Rng, player_rng: &mut Rng) -> u32
    where
        Self: Game,
    {
        play_out_one_by_one(self, max_moves, game_rng, player_rng)
    }

    /// Plays random games from this position. Calls `on_end` with the number of each game as it
    /// ends, until `on_end` breaks. The games depend only on the arguments, but the order in which
    /// they end is unspecified.
    fn run_playouts(
        &self,
        request: &PlayoutRequest<Self::Move>,
        on_end: impl FnMut(usize, PlayoutResult) -> ControlFlow<()>,
    ) where
        Self: Game,
    {
        run_playouts_one_by_one(self, request, on_end);
    }
}

/// Request for random games from a position ([`RandomPlay::run_playouts`]).
#[derive(Clone, Copy, Debug)]
pub struct PlayoutRequest<'a, M> {
    /// Legal first moves of the games.
    pub first_moves: &'a [M],
    /// Number of games per first move: game n begins with move n / `runs`.
    pub runs: usize,
    /// Maximum number of moves per game, including the first.
    pub max_moves: u32,
    /// Seed of the games. Game n draws its world from the n-th child named "world", and its moves
    /// after the first from the n-th child named "player".
    pub seed: Seed,
}

/// Result of a random game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayoutResult {
    /// Outcome at the end, or when the move limit was reached.
    pub outcome: Outcome,
    /// Number of moves.
    pub moves: u32,
}

/// Plays random moves one by one: the definition of [`RandomPlay::play_out`].
pub fn play_out_one_by_one<G: Game>(
    game: &mut G,
    max_moves: u32,
    game_rng: &mut Rng,
    player_rng: &mut Rng,
) -> u32 {
    let mut moves = 0;
    while moves < max_moves && game.to_move().is_some() {
        let Some(mv) = game.random_move(player_rng) else { break };
        game.play(mv, game_rng).expect("a random move is legal");
        moves += 1;
    }
    moves
}

/// Plays random games one after another: the definition of [`RandomPlay::run_playouts`].
pub fn run_playouts_one_by_one<G: Game>(
    position: &G,
    request: &PlayoutRequest<G::Move>,
    mut on_end: impl FnMut(usize, PlayoutResult) -> ControlFlow<()>,
) {
    let (game_seeds, player_seeds) = (request.seed.children("world"), request.seed.children("player"));
    let mut game = position.clone();
    for number in 0..request.first_moves.len() * request.runs {
        let (mut game_rng, mut player_rng) =
            (game_seeds.get(number as u64).rng(), player_seeds.get(number as u64).rng());
        game.clone_from(position);
        game.play(request.first_moves[number / request.runs], &mut game_rng).expect("a legal move");
        let moves = 1 + game.play_out(request.max_moves.saturating_sub(1), &mut game_rng, &mut player_rng);
        if on_end(number, PlayoutResult { outcome: game.state().outcome, moves }).is_break() {
            return;
        }
    }
}

/// Game imported from another program's text.
#[derive(Clone, Debug)]
pub struct GameTranscript<G: Game> {
    /// Names of the players by seat.
    pub names: [String; 2],
    /// Positions, each with the move that led to it.
    pub positions: Vec<(Option<G::Move>, G)>,
}

/// Notation of a game for other programs. Each method has a default.
pub trait Notation: Sized {
    /// Appends the position to a line of the protocol (docs/PROTOCOL.md); by default, as the words
    /// of its diagram.
    fn write_position(&self, line: &mut Vec<u8>)
    where
        Self: Game,
    {
        let diagram = self.diagram();
        let mut words: Vec<String> = diagram.cells.split_whitespace().map(str::to_owned).collect();
        words.extend(diagram.score.map(|score| format!("score={score}")));
        words.extend(diagram.to_move.map(|to_move| format!("turn={to_move}")));
        words.extend(diagram.moves.map(|moves| format!("moves={moves}")));
        words.extend(diagram.won.then(|| "won=true".to_owned()));
        line.extend(words.join(" ").bytes());
    }

    /// Returns the effect of each move, for `gauntlet probe`.
    fn effects(&self) -> Value
    where
        Self: Game,
    {
        Value::Null
    }

    /// Returns the number of a move in the protocol, if moves are numbered: the cell that it fills,
    /// row by row from 0.
    fn move_number(&self, mv: Self::Move) -> Option<u64>
    where
        Self: Game,
    {
        let _ = mv;
        None
    }

    /// Exports a whole game, with a title, in the format of other programs; `None` if there is no
    /// such format. The names are those of the players by seat. A game that was cut has no outcome.
    /// Texts of several games can be concatenated.
    fn export_game(
        rules: &Self::Rules,
        block: Block,
        title: &str,
        moves: &[Self::Move],
        names: [&str; 2],
        outcome: Option<Outcome>,
    ) -> Option<String>
    where
        Self: Game,
    {
        let _ = (rules, block, title, moves, names, outcome);
        None
    }

    /// Imports one game of such a text, counted from 1: the players, and the positions with the
    /// moves that led to them. `None` if the game has no such format.
    fn import_game(text: &str, number: usize) -> Option<Result<GameTranscript<Self>, String>>
    where
        Self: Game,
    {
        let _ = (text, number);
        None
    }
}
