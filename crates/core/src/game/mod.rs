//! The contract of a game: its rules, as far as a contest needs them. It knows nothing of who
//! plays.
//!
//! Laws, which `tests/it/games.rs` holds every game to:
//! - what `moves` lists is what `play` accepts, and nothing else;
//! - where `to_move` is none by the rules (not by the experiment, [`Standing::is_cut_short`]),
//!   there are no moves;
//! - a move is read as it is written, and no other text is one;
//! - a position that was written as a [`Diagram`] and read again is equal;
//! - equal seeds and equal moves make equal games;
//! - no game that can be played has a flaw ([`Game::flaw`]), and stones lie where moves say
//!   ([`GameInfo::has_stones`]).
//!
//! - `block`: the unit of pairing, and its opening
//! - `contract`: the contract of a game, and its optional parts for speed and for other programs
//! - `diagram`: a position as data
//! - `fact`: numbers that games end with besides the score
//! - `outcome`: who plays, and how a game ends

mod block;
mod contract;
mod diagram;
mod fact;
mod outcome;

pub use block::{Block, Opening};
pub use contract::{
    Game, GameInfo, IllegalMove, Notation, Playout, Playouts, RandomPlay, ReadGame, Rules, play_out_plainly,
    playouts_one_by_one,
};
pub use diagram::Diagram;
pub use fact::{Fact, Facts, MAX_FACTS};
pub use outcome::{Ended, EndedBy, Outcome, Seat, Shape, Standing, WinDrawLoss};
