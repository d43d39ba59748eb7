//! Contract of a game: its rules, as far as a contest needs them. It does not depend on players.
//!
//! Laws, which `tests/it/games/laws.rs` checks for every game:
//! - `play` accepts exactly the moves that `moves` lists;
//! - if `to_move` is `None` by the rules (not by the experiment, [`GameState::is_cut_short`]),
//!   there are no moves;
//! - a written move can be read back, and no other text is a move;
//! - a position written as a [`Diagram`] and read back is equal;
//! - equal seeds and equal moves make equal games;
//! - no game that can be played is rejected by [`Game::invalid_reason`], and stones are where moves
//!   put them
//!   ([`GameInfo::has_stones`]).

mod block;
mod contract;
mod diagram;
mod fact;
mod outcome;

pub use block::{Block, Opening};
pub use contract::{
    Game, GameInfo, GameTranscript, IllegalMove, Notation, PlayoutRequest, PlayoutResult, RandomPlay, Rules,
    play_out_one_by_one, run_playouts_one_by_one,
};
pub use diagram::Diagram;
pub use fact::{Fact, Facts, MAX_FACTS};
pub use outcome::{EndedBy, GameResult, GameState, Outcome, Seat, Shape, WinDrawLoss};
