//! Players of 2048, with one file and one entry each, except those of `gauntlet-twenty48-search`.
//! They compute here, so this package is compiled for speed.

#![warn(missing_docs)]

pub mod datumbox;
pub mod fixed_order;
pub mod greedy;
pub mod lazuxd;
pub mod macroxue;
mod new_tile;
pub mod nneonneo;
mod order;
pub mod ovolve;
mod own_end;
pub mod policy;
pub mod ronzil;
pub mod swift;
pub mod vba_minimax;

use gauntlet_core::player::Algorithm;
use gauntlet_players::{external, flat_mc, mcts, random};
use gauntlet_twenty48::rules::Twenty48;

/// Players in the order of the manual. It is a static, so that they are compiled only here.
pub static PLAYERS: &[Algorithm<Twenty48>] = &[
    Algorithm::of::<random::Config>("random", random::EXAMPLE),
    Algorithm::of::<flat_mc::Config>("flat-mc", flat_mc::EXAMPLE).with(flat_mc::MORE_EXAMPLES),
    Algorithm::of::<mcts::Config>("mcts", mcts::EXAMPLE).with(mcts::MORE_EXAMPLES),
    Algorithm::of::<greedy::Config>("greedy", greedy::EXAMPLE).with(greedy::MORE_EXAMPLES),
    Algorithm::of::<fixed_order::Config>("fixed-order", fixed_order::EXAMPLE),
    Algorithm::of::<swift::greedy::Config>("swift-greedy", swift::greedy::EXAMPLE)
        .with(swift::greedy::MORE_EXAMPLES),
    Algorithm::of::<swift::expectimax::Config>("swift-expectimax", swift::expectimax::EXAMPLE)
        .with(swift::expectimax::MORE_EXAMPLES),
    Algorithm::of::<swift::monte_carlo::Config>("swift-monte-carlo", swift::monte_carlo::EXAMPLE)
        .with(swift::monte_carlo::MORE_EXAMPLES),
    Algorithm::of::<ovolve::Config>("ovolve", ovolve::EXAMPLE).with(ovolve::MORE_EXAMPLES),
    Algorithm::of::<vba_minimax::Config>("vba-minimax", vba_minimax::EXAMPLE)
        .with(vba_minimax::MORE_EXAMPLES),
    Algorithm::of::<datumbox::Config>("datumbox", datumbox::EXAMPLE).with(datumbox::MORE_EXAMPLES),
    Algorithm::of::<lazuxd::Config>("lazuxd", lazuxd::EXAMPLE),
    Algorithm::of::<ronzil::Config>("ronzil", ronzil::EXAMPLE),
    Algorithm::of::<external::Config>("external", external::EXAMPLE),
    Algorithm::of::<policy::Config>("python", policy::EXAMPLE),
    Algorithm::of::<nneonneo::Config>("nneonneo", nneonneo::EXAMPLE),
    Algorithm::of::<macroxue::Config>("macroxue", macroxue::EXAMPLE),
];
