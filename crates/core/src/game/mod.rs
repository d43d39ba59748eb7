//! The contract of a game: its rules, as far as a contest needs them. It knows nothing of who plays.
//!
//! Laws, which `tests/it/games.rs` holds every game to:
//! - what `moves` lists is what `play` accepts, and nothing else;
//! - where `to_move` is none by the rules (not by the experiment, [`Game::is_cut_short`]), there are no moves;
//! - a move is read as it is written, and no other text is one;
//! - a position that was written as a [`Diagram`] and read again is equal;
//! - equal seeds and equal moves make equal games;
//! - no game that can be played has a flaw ([`Game::flaw`]), and stones lie where moves say ([`Game::HAS_STONES`]).
//!
//! - `fact`: numbers that games end with besides the score

mod fact;

use std::fmt::{self, Debug, Display};
use std::ops::ControlFlow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use fact::{Fact, Facts, MAX_FACTS};

use crate::rng::{Rng, Seed};

/// Shape of a game: the number of players and their aim. What stands above is written for these two, not for single games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One player, for points and a win.
    Solo,
    /// Two players: one of them wins, or it is a draw.
    Duel,
}

impl Shape {
    /// The seats of a game.
    pub const fn seats(self) -> &'static [Seat] {
        match self {
            Shape::Solo => &[Seat::First],
            Shape::Duel => &[Seat::First, Seat::Second],
        }
    }

    /// The member of a line-up in this seat and this leg of a block: in the second leg of a duel the seats are swapped.
    pub const fn member_at(self, leg: usize, seat: Seat) -> usize {
        match self {
            Shape::Solo => 0,
            Shape::Duel => leg ^ seat.number(),
        }
    }

    /// Number of players of a game.
    pub const fn players(self) -> usize {
        self.seats().len()
    }

    /// Number of games of a block: one for a single player; for two players one with each of them moving first.
    pub const fn legs(self) -> usize {
        self.players()
    }
}

/// A place at the table. A solo game has only the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seat {
    /// The player that moves first, or alone. Where a game begins with an opening, it has the side that moved first there.
    First,
    /// The other player.
    Second,
}

impl Seat {
    /// The opposite seat.
    #[must_use]
    pub const fn other(self) -> Seat {
        match self {
            Seat::First => Seat::Second,
            Seat::Second => Seat::First,
        }
    }

    /// Its number: 0 or 1.
    pub const fn number(self) -> usize {
        self as usize
    }
}

/// End of a game, or state of a position: absolute, not from the view of one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A solo game: points, and whether they count as a win.
    Points {
        /// Points so far.
        score: u64,
        /// True after a win by the rules.
        won: bool,
    },
    /// A duel that this seat has won.
    Won(Seat),
    /// A duel that neither seat has won, or not yet.
    Drawn,
}

impl Outcome {
    /// The outcome as one seat sees it.
    pub fn seen_by(self, seat: Seat) -> WinDrawLoss {
        match self {
            Outcome::Points { won: true, .. } => WinDrawLoss::Win,
            Outcome::Points { won: false, .. } => WinDrawLoss::Loss,
            Outcome::Won(winner) if winner == seat => WinDrawLoss::Win,
            Outcome::Won(_) => WinDrawLoss::Loss,
            Outcome::Drawn => WinDrawLoss::Draw,
        }
    }

    /// The points of a solo game; 0 in a duel, which has none.
    pub fn score(self) -> u64 {
        match self {
            Outcome::Points { score, .. } => score,
            Outcome::Won(_) | Outcome::Drawn => 0,
        }
    }
}

/// The outcome of a game as one of its seats sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WinDrawLoss {
    /// A duel won, or a solo game in which what the rules call a win was reached.
    Win,
    /// Neither seat won.
    Draw,
    /// A duel lost, or a solo game without a win.
    Loss,
}

impl WinDrawLoss {
    /// The points of the seat, in halves: so sums are whole numbers.
    pub fn half_points(self) -> u64 {
        match self {
            WinDrawLoss::Win => 2,
            WinDrawLoss::Draw => 1,
            WinDrawLoss::Loss => 0,
        }
    }
}

/// Result of a game, from a record that may be forged or wrong.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// Cause of its end.
    pub by: EndedBy,
    /// Its outcome.
    pub outcome: Outcome,
    /// The value of each fact in [`Game::FACTS`].
    pub facts: Facts,
    /// Number of moves.
    pub moves: u32,
}

/// Cause of a game's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedBy {
    /// Its rules.
    Rules,
    /// The experiment, at a place that the rules know: [`Game::is_cut_short`].
    Until,
    /// Nothing that the rules know: it had too many moves, or a player could not go on. The outcome of a duel then says
    /// nothing about its last position.
    Other,
}

/// Random games that are asked of a position ([`Game::playouts`]).
#[derive(Clone, Copy, Debug)]
pub struct Playouts<'a, M> {
    /// The legal moves that they begin with.
    pub first: &'a [M],
    /// Number of games that begin with each: game n begins with move n / `runs`.
    pub runs: usize,
    /// A game is left when it has this many moves, the first one included.
    pub most_moves: u32,
    /// Game n draws its world from the n-th child named "world", and its moves after the first from the n-th child named
    /// "player".
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

/// Plays random moves by the rules, one after the other: the definition of [`Game::play_out`].
pub fn play_out_plainly<G: Game>(game: &mut G, most_moves: u32, world: &mut Rng, dice: &mut Rng) -> u32 {
    let mut moves = 0;
    while moves < most_moves && game.to_move().is_some() {
        let Some(mv) = game.random_move(dice) else { break };
        game.play(mv, world).expect("a random move is legal");
        moves += 1;
    }
    moves
}

/// Plays random games one after the other: the definition of [`Game::playouts`].
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
        if ended(number, Playout { outcome: game.outcome(), moves }).is_break() {
            return;
        }
    }
}

/// A block as a game sees it: what its chance grows from, and which of a series of blocks it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Seed of all chance in the block.
    pub seed: u64,
    /// The series that it belongs to: the seed of the experiment. 0 where the experiment lists seeds.
    pub series: u64,
    /// Its number in the series, which no other block of the series has: its seed, where the experiment lists seeds.
    pub number: u64,
}

impl Block {
    /// The block of a seed that belongs to no series.
    pub const fn of_seed(seed: u64) -> Block {
        Block { seed, series: 0, number: seed }
    }

    /// The block of this number in the series that grows from an experiment's seed.
    pub const fn of_series(series: u64, number: u64) -> Block {
        Block { seed: Seed::of_block(series, number), series, number }
    }

    /// The chance of the block that belongs to no player: the same for every line-up, and for both legs of a duel.
    pub const fn world(self) -> Seed {
        Seed::root(self.seed).child("world", 0)
    }

    /// The private stream of the player in this seat, in this leg of the block.
    pub const fn seat(self, leg: usize, seat: Seat) -> Seed {
        Seed::root(self.seed).child("seat", (2 * leg + seat.number()) as u64)
    }
}

/// A position as any program can write and read it: as JSON a question of `gauntlet probe`. What is not known is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Diagram {
    /// Its cells.
    #[serde(rename = "board")]
    pub cells: String,
    /// The points so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<u64>,
    /// Side to move, in the words of the game, where the cells do not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_move: Option<String>,
    /// Number of moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<u32>,
    /// True if the game counts as won already, by a move that the cells do not show.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub won: bool,
}

impl Diagram {
    /// These cells, and nothing else is known.
    pub fn of(cells: &str) -> Diagram {
        Diagram { cells: cells.to_owned(), ..Diagram::default() }
    }
}

/// One line of JSON.
impl Display for Diagram {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// Opening of a block, in a game with openings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// As `games.csv` has it.
    pub text: String,
    /// The same number for openings that are images of each other by a symmetry of the game: what they show is not
    /// independent.
    pub cluster: u64,
}

/// A game that was read from a text of another program.
#[derive(Clone, Debug)]
pub struct ReadGame<G: Game> {
    /// The players in their seats.
    pub names: [String; 2],
    /// Its positions, each with the move that led to it.
    pub positions: Vec<(Option<G::Move>, G)>,
}

/// The rules of a game. A position can be cloned and a generator of random numbers cannot, so the caller brings that.
pub trait Game: Clone + PartialEq + Display + Debug + Send + 'static {
    /// Rules that an experiment may set; its fields are keys of the experiment's file.
    type Rules: Rules;
    /// A move.
    type Move: Copy + PartialEq + Debug + Display + Send + 'static;

    /// Name in experiments.
    const NAME: &'static str;
    /// Shape of the game.
    const SHAPE: Shape;
    /// How moves are written, for messages: behind "a move is".
    const MOVES: &'static str;
    /// Facts that a game ends with, besides its score.
    const FACTS: &'static [Fact];
    /// True if positions are written as black and white stones, `B` and `W`, on a square board, and a move as the letter of its
    /// column and the number of its row, from the top left: pictures are made of that.
    const HAS_STONES: bool = false;

    /// The position in which the games of a block begin. `world` grows from [`Block::world`].
    fn open(rules: &Self::Rules, block: Block, world: &mut Rng) -> Self;

    /// Opening of a block, where blocks differ in that and in nothing else that the world brings; none in a game
    /// without openings.
    fn opening(rules: &Self::Rules, block: Block) -> Option<Opening> {
        let _ = (rules, block);
        None
    }

    /// The position that a diagram shows.
    fn set_up(rules: &Self::Rules, diagram: &Diagram) -> Result<Self, String>;

    /// The position as a diagram, of which [`Game::set_up`] makes the same position.
    fn diagram(&self) -> Diagram;

    /// Adds the position to a line that another program reads (docs/PROTOCOL.md). A game may override this with a shorter form.
    fn tell(&self, line: &mut Vec<u8>) {
        let shown = self.diagram();
        let mut words: Vec<String> = shown.cells.split_whitespace().map(str::to_owned).collect();
        words.extend(shown.score.map(|score| format!("score={score}")));
        words.extend(shown.to_move.map(|to_move| format!("turn={to_move}")));
        words.extend(shown.moves.map(|moves| format!("moves={moves}")));
        words.extend(shown.won.then(|| "won=true".to_owned()));
        line.extend(words.join(" ").bytes());
    }

    /// The seat to move; none if the game is over.
    fn to_move(&self) -> Option<Seat>;

    /// True if the experiment (`until`) ended the game, not its rules.
    fn is_cut_short(&self) -> bool;

    /// Adds every legal move to the list.
    fn moves(&self, list: &mut Vec<Self::Move>);

    /// A legal move drawn uniformly at random; none if there is none. A game may override this with something faster.
    fn random_move(&self, rng: &mut Rng) -> Option<Self::Move> {
        let mut list = Vec::new();
        self.moves(&mut list);
        if list.is_empty() { None } else { Some(list[rng.below(list.len() as u64) as usize]) }
    }

    /// A move from a text as its `Display` writes it, legal here or not; none where the text is no move.
    fn read_move(&self, text: &str) -> Option<Self::Move>;

    /// Plays a move, if it is legal.
    fn play(&mut self, mv: Self::Move, world: &mut Rng) -> Result<(), IllegalMove>;

    /// Whole games of uniformly random moves, one for each pair of seeds (world, player), in their order and
    /// exactly as playing them one by one would give; none if this game knows no faster way than that.
    fn random_games(rules: &Self::Rules, seeds: &[(Seed, Seed)]) -> Option<Vec<Self>> {
        let _ = (rules, seeds);
        None
    }

    /// Plays uniformly random moves until the game is over or this many were played, and says how many were. A game may
    /// override this with something faster, which draws and plays the same.
    fn play_out(&mut self, most_moves: u32, world: &mut Rng, dice: &mut Rng) -> u32 {
        play_out_plainly(self, most_moves, world, dice)
    }

    /// Plays random games from here, and hands over each with its number as it ends; none any more once `ended` breaks
    /// off. The games depend on the arguments alone, but the order in which they end is not defined. A game may override
    /// this with something faster, which plays the same games.
    fn playouts(&self, asked: &Playouts<Self::Move>, ended: impl FnMut(usize, Playout) -> ControlFlow<()>) {
        playouts_one_by_one(self, asked, ended);
    }

    /// Effect of each move, as `gauntlet probe` shows it.
    fn look(&self) -> serde_json::Value;

    /// The number of a move as programs write it, where moves have one: the cell that it fills, row by row from 0.
    fn number_of(&self, mv: Self::Move) -> Option<u64> {
        let _ = mv;
        None
    }

    /// Number of moves played.
    fn moves_played(&self) -> u32;

    /// Outcome so far.
    fn outcome(&self) -> Outcome;

    /// The value of each fact in [`Game::FACTS`].
    fn facts(&self) -> Facts;

    /// A whole game, with a title, as a text that other programs of this game read; none if there is no such form. The names are
    /// those of the players in their seats. A game that was cut has no outcome. Texts of several games follow each other.
    fn exchanged(
        rules: &Self::Rules,
        block: Block,
        title: &str,
        moves: &[Self::Move],
        names: [&str; 2],
        outcome: Option<Outcome>,
    ) -> Option<String> {
        let _ = (rules, block, title, moves, names, outcome);
        None
    }

    /// The positions of one of the games of such a text, counted from 1, each with the move that led to it, and who sat where;
    /// none if it is not of this game.
    fn read_exchanged(text: &str, number: usize) -> Option<Result<ReadGame<Self>, String>> {
        let _ = (text, number);
        None
    }

    /// Reason why no game by these rules can have come to this; none if one can. Records from a file are held to
    /// it, so that no forged one is counted. It need not find every impossible game, but any that it lets pass
    /// can be summed up over any number of games, and each of its facts is a value that a game can end with.
    fn flaw(rules: &Self::Rules, ended: &Ended) -> Option<String>;
}

/// Settings of a game's rules.
pub trait Rules: Clone + Debug + Default + Send + Sync + Serialize + DeserializeOwned + 'static {
    /// A contradiction between settings each of which is valid alone: the key to blame and what is wrong.
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

    /// The value of a fact (by its place in [`Game::FACTS`]) at which every game stops, and what stops it, in words; none
    /// where games may go further.
    fn limit(&self, fact: usize) -> Option<(i64, String)> {
        let _ = fact;
        None
    }
}

/// A move that the rules do not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalMove;
