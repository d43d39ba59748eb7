//! The table of contents: every player of every game, one file and one entry each.
//!
//! - `budget`: the limit of a search

pub mod budget;

/// Players for any game.
pub mod any {
    pub mod flat_mc;
    pub mod mcts;
    pub mod random;
    pub mod worth;
}

/// Players of Gomoku.
pub mod gomoku {
    pub mod alphabeta;
    pub mod greedy;
    pub mod minimax;
}

/// Players of 2048.
pub mod twenty48 {
    pub mod datumbox;
    pub mod fixed_order;
    pub mod greedy;
    pub mod lazuxd;
    mod new_tile;
    mod order;
    pub mod ovolve;
    pub mod ronzil;
    pub mod swift;
    #[cfg(test)]
    mod testing;
    pub mod vba_minimax;
}

use crate::games::gomoku::Gomoku;
use crate::games::twenty48::Twenty48;
use crate::player::Algorithm;

/// The players of 2048, in the order of the manual.
pub const TWENTY48: &[Algorithm<Twenty48>] = &[
    Algorithm::of::<any::random::Config>("random", any::random::EXAMPLE),
    Algorithm::of::<any::flat_mc::Config>("flat-mc", any::flat_mc::EXAMPLE).with(any::flat_mc::MORE_EXAMPLES),
    Algorithm::of::<any::mcts::Config>("mcts", any::mcts::EXAMPLE).with(any::mcts::MORE_EXAMPLES),
    Algorithm::of::<twenty48::greedy::Config>("greedy", twenty48::greedy::EXAMPLE)
        .with(twenty48::greedy::MORE_EXAMPLES),
    Algorithm::of::<twenty48::fixed_order::Config>("fixed-order", twenty48::fixed_order::EXAMPLE),
    Algorithm::of::<twenty48::swift::greedy::Config>("swift-greedy", twenty48::swift::greedy::EXAMPLE)
        .with(twenty48::swift::greedy::MORE_EXAMPLES),
    Algorithm::of::<twenty48::swift::expectimax::Config>(
        "swift-expectimax",
        twenty48::swift::expectimax::EXAMPLE,
    )
    .with(twenty48::swift::expectimax::MORE_EXAMPLES),
    Algorithm::of::<twenty48::swift::monte_carlo::Config>(
        "swift-monte-carlo",
        twenty48::swift::monte_carlo::EXAMPLE,
    )
    .with(twenty48::swift::monte_carlo::MORE_EXAMPLES),
    Algorithm::of::<twenty48::ovolve::Config>("ovolve", twenty48::ovolve::EXAMPLE)
        .with(twenty48::ovolve::MORE_EXAMPLES),
    Algorithm::of::<twenty48::vba_minimax::Config>("vba-minimax", twenty48::vba_minimax::EXAMPLE)
        .with(twenty48::vba_minimax::MORE_EXAMPLES),
    Algorithm::of::<twenty48::datumbox::Config>("datumbox", twenty48::datumbox::EXAMPLE)
        .with(twenty48::datumbox::MORE_EXAMPLES),
    Algorithm::of::<twenty48::lazuxd::Config>("lazuxd", twenty48::lazuxd::EXAMPLE),
    Algorithm::of::<twenty48::ronzil::Config>("ronzil", twenty48::ronzil::EXAMPLE),
];

/// The players of Gomoku, in the order of the manual.
pub const GOMOKU: &[Algorithm<Gomoku>] = &[
    Algorithm::of::<any::random::Config>("random", any::random::EXAMPLE),
    // Their further examples play random games without number, which takes long on so large a board.
    Algorithm::of::<any::flat_mc::Config>("flat-mc", any::flat_mc::EXAMPLE),
    Algorithm::of::<any::mcts::Config>("mcts", any::mcts::EXAMPLE),
    Algorithm::of::<gomoku::greedy::Config>("gomoku-greedy", gomoku::greedy::EXAMPLE),
    Algorithm::of::<gomoku::minimax::Config>("gomoku-minimax", gomoku::minimax::EXAMPLE)
        .with(gomoku::minimax::MORE_EXAMPLES),
    Algorithm::of::<gomoku::alphabeta::Config>("gomoku-alphabeta", gomoku::alphabeta::EXAMPLE)
        .with(gomoku::alphabeta::MORE_EXAMPLES),
];
