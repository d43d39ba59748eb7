//! The integration tests, in one program so that there is only one link step.
//!
//! Meant for `cargo test --release`: some play millions of games.

mod support;

use support::{bench, browser, cases, disk, golden, inside, naive, source, table, talker, tictactoe, tools};

mod archive;
mod comparisons;
mod docs;
mod experiments;
mod games;
mod gomocup;
mod imports;
mod learning;
mod play;
mod programs;
mod results;
mod shards;
mod signature;

/// The tests of the extras, which `build.rs` finds in their folders.
mod extras {
    include!(concat!(env!("OUT_DIR"), "/extras.rs"));
}
