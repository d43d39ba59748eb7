//! Table of all Gomoku players, with one file and one entry each.

pub mod alphabeta;
pub mod gomocup;
pub mod greedy;
pub mod minimax;

use gauntlet_core::player::Algorithm;
use gauntlet_players::{external, flat_mc, mcts, random};

use crate::rules::Gomoku;

/// Players of Gomoku, in the order of the manual.
pub const PLAYERS: &[Algorithm<Gomoku>] = &[
    Algorithm::of::<random::Config>("random", random::EXAMPLE),
    // Without their further examples, which play whole random games and take long on so large a
    // board.
    Algorithm::of::<flat_mc::Config>("flat-mc", flat_mc::EXAMPLE),
    Algorithm::of::<mcts::Config>("mcts", mcts::EXAMPLE),
    Algorithm::of::<greedy::Config>("gomoku-greedy", greedy::EXAMPLE),
    Algorithm::of::<minimax::Config>("gomoku-minimax", minimax::EXAMPLE).with(minimax::MORE_EXAMPLES),
    Algorithm::of::<alphabeta::Config>("gomoku-alphabeta", alphabeta::EXAMPLE).with(alphabeta::MORE_EXAMPLES),
    Algorithm::of::<external::Config>("external", external::EXAMPLE),
    Algorithm::of::<gomocup::Config>("gomocup", gomocup::EXAMPLE),
];
