//! Table of the players of this package, with one file and one entry each.

mod downgrading;
pub mod expectimax;
pub mod n_tuple;
mod network_evaluation;
mod two_searches;

use gauntlet_core::player::Algorithm;
use gauntlet_twenty48::rules::Twenty48;

/// Players in the order of the manual. It is a static, so that they are compiled only here.
pub static PLAYERS: &[Algorithm<Twenty48>] = &[
    Algorithm::new::<expectimax::Config>("expectimax", expectimax::EXAMPLE)
        .with_examples(expectimax::MORE_EXAMPLES),
    Algorithm::new::<n_tuple::Config>("n-tuple", n_tuple::EXAMPLE).with_examples(n_tuple::MORE_EXAMPLES),
];
