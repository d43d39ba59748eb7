//! Players of 2048 with networks: expectimax with any evaluation, and the greedy player of a
//! network. They compute here, so this package is compiled for speed.
//!
//! - [`network`]: learned evaluations
//! - [`training`]: training of a network
//! - [`players`]: the table of players

#![warn(missing_docs)]

pub mod network;
pub mod players;
pub mod training;
