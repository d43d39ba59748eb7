//! The rules of games, one folder each. They know nothing of players.
//!
//! - `twenty48`: 2048
//! - `gomoku`: Gomoku

pub mod gomoku;
pub mod twenty48;
