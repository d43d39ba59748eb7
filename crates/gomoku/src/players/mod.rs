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
    Algorithm::new::<random::Config>("random", random::EXAMPLE),
    // Without their further examples, which play whole random games and take long on so large a
    // board.
    Algorithm::new::<flat_mc::Config>("flat-mc", flat_mc::EXAMPLE),
    Algorithm::new::<mcts::Config>("mcts", mcts::EXAMPLE),
    Algorithm::new::<greedy::Config>("gomoku-greedy", greedy::EXAMPLE),
    Algorithm::new::<minimax::Config>("gomoku-minimax", minimax::EXAMPLE)
        .with_examples(minimax::MORE_EXAMPLES),
    Algorithm::new::<alphabeta::Config>("gomoku-alphabeta", alphabeta::EXAMPLE)
        .with_examples(alphabeta::MORE_EXAMPLES),
    Algorithm::new::<external::Config>("external", external::EXAMPLE),
    Algorithm::new::<gomocup::Config>("gomocup", gomocup::EXAMPLE),
];
