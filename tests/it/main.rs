//! The integration tests, in one program so that there is only one link step.
//!
//! Meant for `cargo test --release`: some play millions of games.

// Some tools are only used by tests of extras.
#![cfg_attr(not(feature = "default"), allow(dead_code, unused_imports))]

mod support;

use support::{
    bench, browser, cases, disk, external_player, golden, in_process, naive, self_play, source, tictactoe,
    tools,
};

mod comparisons;
mod docs;
mod experiments;
mod games;
mod imports;
mod learning;
mod play;
mod programs;
mod results;
mod shards;

/// The tests of the extras, which `build.rs` finds in their folders.
mod extras {
    include!(concat!(env!("OUT_DIR"), "/extras.rs"));
}
