//! Players of 2048, with one file and one entry each, except those of `gauntlet-twenty48-search`.
//! They compute here, so this package is compiled for speed.

#![warn(missing_docs)]

pub mod datumbox;
mod end_mismatch;
pub mod fixed_order;
pub mod greedy;
pub mod lazuxd;
mod leaf_values;
pub mod macroxue;
mod new_tile;
pub mod nneonneo;
mod order;
pub mod ovolve;
pub mod policy;
pub mod ronzil;
pub mod swift;
pub mod vba_minimax;

use gauntlet_core::player::Algorithm;
use gauntlet_players::{external, flat_mc, mcts, random};
use gauntlet_twenty48::rules::Twenty48;

/// Players in the order of the manual. It is a static, so that they are compiled only here.
pub static PLAYERS: &[Algorithm<Twenty48>] = &[
    Algorithm::new::<random::Config>("random", random::EXAMPLE),
    Algorithm::new::<flat_mc::Config>("flat-mc", flat_mc::EXAMPLE).with_examples(flat_mc::MORE_EXAMPLES),
    Algorithm::new::<mcts::Config>("mcts", mcts::EXAMPLE).with_examples(mcts::MORE_EXAMPLES),
    Algorithm::new::<greedy::Config>("greedy", greedy::EXAMPLE).with_examples(greedy::MORE_EXAMPLES),
    Algorithm::new::<fixed_order::Config>("fixed-order", fixed_order::EXAMPLE),
    Algorithm::new::<swift::greedy::Config>("swift-greedy", swift::greedy::EXAMPLE)
        .with_examples(swift::greedy::MORE_EXAMPLES),
    Algorithm::new::<swift::expectimax::Config>("swift-expectimax", swift::expectimax::EXAMPLE)
        .with_examples(swift::expectimax::MORE_EXAMPLES),
    Algorithm::new::<swift::monte_carlo::Config>("swift-monte-carlo", swift::monte_carlo::EXAMPLE)
        .with_examples(swift::monte_carlo::MORE_EXAMPLES),
    Algorithm::new::<ovolve::Config>("ovolve", ovolve::EXAMPLE).with_examples(ovolve::MORE_EXAMPLES),
    Algorithm::new::<vba_minimax::Config>("vba-minimax", vba_minimax::EXAMPLE)
        .with_examples(vba_minimax::MORE_EXAMPLES),
    Algorithm::new::<datumbox::Config>("datumbox", datumbox::EXAMPLE).with_examples(datumbox::MORE_EXAMPLES),
    Algorithm::new::<lazuxd::Config>("lazuxd", lazuxd::EXAMPLE),
    Algorithm::new::<ronzil::Config>("ronzil", ronzil::EXAMPLE),
    Algorithm::new::<external::Config>("external", external::EXAMPLE),
    Algorithm::new::<policy::Config>("python", policy::EXAMPLE),
    Algorithm::new::<nneonneo::Config>("nneonneo", nneonneo::EXAMPLE),
    Algorithm::new::<macroxue::Config>("macroxue", macroxue::EXAMPLE),
];
