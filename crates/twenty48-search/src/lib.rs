//! Players of 2048 with networks: expectimax with any evaluation, and the greedy player of a
//! network. They compute here, so this package is compiled for speed.

#![warn(missing_docs)]

pub mod network;
pub mod players;
pub mod training;
