//! A folder of results: written, and read back.
//!
//! - [`tables`]: all tables of an experiment, made of what its games add up to
//! - [`store`]: the folder that keeps them, with the experiment and the manifest; the one place where files of results are written
//! - [`analysis`]: comparisons of the players of several results, leaderboards, verdicts made anew

pub mod analysis;
pub mod store;
pub mod tables;

use gauntlet_core::table::typed::{Described, TypedRow};

use self::tables::duels::{Duel, Elo};
use self::tables::rates::WinRate;
use self::tables::times::{MsPerMove, Times, TimesByProcessor};

/// The columns of tables, as the manual describes them.
pub fn manual() -> Vec<Described> {
    vec![
        WinRate::described(),
        Elo::described(),
        Duel::described(),
        MsPerMove::described(),
        Times::described(),
        TimesByProcessor::described(),
    ]
}
