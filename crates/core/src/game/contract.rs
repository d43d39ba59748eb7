//! The contract of a game, and its optional parts for speed and for other programs.

use std::fmt::{Debug, Display};
use std::ops::ControlFlow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::block::{Block, Opening};
use super::diagram::Diagram;
use super::fact::Fact;
use super::outcome::{Ended, Outcome, Seat, Shape, Standing};
use crate::rng::{Rng, Seed};

/// What is known of a game without playing it.
#[derive(Clone, Copy, Debug)]
pub struct GameInfo {
    /// Name in experiments.
    pub name: &'static str,
    /// Number of players and their aim.
    pub shape: Shape,
    /// How moves are written, for messages: follows "a move is".
    pub moves: &'static str,
    /// Facts that a game ends with, besides its score.
    pub facts: &'static [Fact],
    /// True if positions are written as black and white stones, `B` and `W`, on a square board, and
    /// moves as the letter of a column and the number of a row, from the top left. Pictures are
    /// made of that.
    pub has_stones: bool,
}

/// The rules of a game. A position can be cloned and a generator of random numbers cannot, so the
/// caller brings the generator.
pub trait Game: RandomPlay + Notation + Clone + PartialEq + Display + Debug + Send + 'static {
    /// Rules that an experiment may set; its fields are keys of the experiment's file.
    type Rules: Rules;
    /// A move.
    type Move: Copy + PartialEq + Debug + Display + Send + 'static;

    /// Name, shape and texts of the game.
    const INFO: GameInfo;

    /// The position in which the games of a block begin. `world` grows from [`Block::world`].
    fn open(rules: &Self::Rules, block: Block, world: &mut Rng) -> Self;

    /// The position that a diagram shows.
    fn set_up(rules: &Self::Rules, diagram: &Diagram) -> Result<Self, String>;

    /// The position as a diagram, of which [`Game::set_up`] makes the same position.
    fn diagram(&self) -> Diagram;

    /// The seat to move; none if the game is over.
    fn to_move(&self) -> Option<Seat>;

    /// Adds every legal move to the list.
    fn moves(&self, list: &mut Vec<Self::Move>);

    /// A move from a text as its `Display` writes it, legal here or not; none if the text is no
    /// move.
    fn read_move(&self, text: &str) -> Option<Self::Move>;

    /// Plays a move, if it is legal.
    fn play(&mut self, mv: Self::Move, world: &mut Rng) -> Result<(), IllegalMove>;

    /// How far the game has come.
    fn standing(&self) -> Standing;

    /// Reason why no game by these rules can have come to this; none if one can. Records from a
    /// file are held to it, so that no forged one is counted. It need not find every impossible
    /// game, but any that it lets pass can be summed up over any number of games, and each of its
    /// facts is a value that a game can end with.
    fn flaw(rules: &Self::Rules, ended: &Ended) -> Option<String>;
}

/// Settings of a game's rules.
pub trait Rules: Clone + Debug + Default + Send + Sync + Serialize + DeserializeOwned + 'static {
    /// A contradiction between settings each of which is valid alone: the key to blame and what is
    /// wrong.
    fn contradiction(&self) -> Option<(&'static str, String)> {
        None
    }

    /// Win, in words that follow "a win is"; none where the rules do not set that.
    fn win(&self) -> Option<String> {
        None
    }

    /// Number of blocks of a series with openings that differ; none where there is no such limit.
    fn openings(&self) -> Option<u64> {
        None
    }

    /// Opening of a block, if blocks differ in that and in nothing else that the world brings; none
    /// in a game without openings.
    fn opening(&self, block: Block) -> Option<Opening> {
        let _ = block;
        None
    }

    /// The value of a fact (by its place in [`GameInfo::facts`]) at which every game stops, and
    /// what stops it, in words; none where games may go further.
    fn limit(&self, fact: usize) -> Option<(i64, String)> {
        let _ = fact;
        None
    }
}

/// A move that the rules do not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalMove;

/// Random moves and random games, for speed. A faster method must draw and play exactly what its
/// default does.
pub trait RandomPlay: Sized {
    /// A legal move drawn uniformly at random; none if there is none.
    fn random_move(&self, rng: &mut Rng) -> Option<Self::Move>
    where
        Self: Game,
    {
        let mut list = Vec::new();
        self.moves(&mut list);
        if list.is_empty() { None } else { Some(list[rng.below(list.len() as u64) as usize]) }
    }

    /// Whole games of uniformly random moves, one for each pair of seeds (world, player), in their
    /// order and exactly as playing them one by one would give; none if this game knows no faster
    /// way than that.
    fn random_games(rules: &Self::Rules, seeds: &[(Seed, Seed)]) -> Option<Vec<Self>>
    where
        Self: Game,
    {
        let _ = (rules, seeds);
        None
    }

    /// Plays uniformly random moves until the game is over or this many were played. Returns their
    /// number.
    fn play_out(&mut self, most_moves: u32, world: &mut Rng, dice: &mut Rng) -> u32
    where
        Self: Game,
    {
        play_out_plainly(self, most_moves, world, dice)
    }

    /// Plays random games from here. Calls `ended` with the number of each game as it ends, until
    /// `ended` breaks. The games depend on the arguments alone, but the order in which they end is
    /// not defined.
    fn playouts(&self, asked: &Playouts<Self::Move>, ended: impl FnMut(usize, Playout) -> ControlFlow<()>)
    where
        Self: Game,
    {
        playouts_one_by_one(self, asked, ended);
    }
}

/// Random games that are asked of a position ([`RandomPlay::playouts`]).
#[derive(Clone, Copy, Debug)]
pub struct Playouts<'a, M> {
    /// The legal moves that they begin with.
    pub first: &'a [M],
    /// Number of games that begin with each: game n begins with move n / `runs`.
    pub runs: usize,
    /// A game is left when it has this many moves, the first one included.
    pub most_moves: u32,
    /// Game n draws its world from the n-th child named "world", and its moves after the first from
    /// the n-th child named "player".
    pub seed: Seed,
}

/// Result of a random game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playout {
    /// Its outcome at the end, or when it was left.
    pub outcome: Outcome,
    /// Number of moves.
    pub moves: u32,
}

/// Plays random moves one by one. This loop defines what [`RandomPlay::play_out`] returns.
pub fn play_out_plainly<G: Game>(game: &mut G, most_moves: u32, world: &mut Rng, dice: &mut Rng) -> u32 {
    let mut moves = 0;
    while moves < most_moves && game.to_move().is_some() {
        let Some(mv) = game.random_move(dice) else { break };
        game.play(mv, world).expect("a random move is legal");
        moves += 1;
    }
    moves
}

/// Plays random games one after the other: the definition of [`RandomPlay::playouts`].
pub fn playouts_one_by_one<G: Game>(
    position: &G,
    asked: &Playouts<G::Move>,
    mut ended: impl FnMut(usize, Playout) -> ControlFlow<()>,
) {
    let (worlds, players) = (asked.seed.children("world"), asked.seed.children("player"));
    let mut game = position.clone();
    for number in 0..asked.first.len() * asked.runs {
        let (mut world, mut dice) =
            (worlds.numbered(number as u64).rng(), players.numbered(number as u64).rng());
        game.clone_from(position);
        game.play(asked.first[number / asked.runs], &mut world).expect("a legal move");
        let moves = 1 + game.play_out(asked.most_moves.saturating_sub(1), &mut world, &mut dice);
        if ended(number, Playout { outcome: game.standing().outcome, moves }).is_break() {
            return;
        }
    }
}

/// A game that was read from a text of another program.
#[derive(Clone, Debug)]
pub struct ReadGame<G: Game> {
    /// The players in their seats.
    pub names: [String; 2],
    /// Its positions, each with the move that led to it.
    pub positions: Vec<(Option<G::Move>, G)>,
}

/// How a game is written for other programs. Each method has a default.
pub trait Notation: Sized {
    /// Adds the position to a line of the protocol (docs/PROTOCOL.md): by default, the words of its
    /// diagram.
    fn tell(&self, line: &mut Vec<u8>)
    where
        Self: Game,
    {
        let shown = self.diagram();
        let mut words: Vec<String> = shown.cells.split_whitespace().map(str::to_owned).collect();
        words.extend(shown.score.map(|score| format!("score={score}")));
        words.extend(shown.to_move.map(|to_move| format!("turn={to_move}")));
        words.extend(shown.moves.map(|moves| format!("moves={moves}")));
        words.extend(shown.won.then(|| "won=true".to_owned()));
        line.extend(words.join(" ").bytes());
    }

    /// Effect of each move, as `gauntlet probe` shows it.
    fn effects(&self) -> Value
    where
        Self: Game,
    {
        Value::Null
    }

    /// The number of a move as programs write it, if moves have one: the cell that it fills, row by
    /// row from 0.
    fn number_of(&self, mv: Self::Move) -> Option<u64>
    where
        Self: Game,
    {
        let _ = mv;
        None
    }

    /// A whole game, with a title, as a text that other programs of this game read; none if there
    /// is no such form. The names are those of the players in their seats. A game that was cut has
    /// no outcome. Texts of several games follow each other.
    fn exchanged(
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

    /// Reads one of the games of such a text, counted from 1: the players, and the positions, each
    /// with the move that led to it. None if the text is not of this game.
    fn read_exchanged(text: &str, number: usize) -> Option<Result<ReadGame<Self>, String>>
    where
        Self: Game,
    {
        let _ = (text, number);
        None
    }
}
