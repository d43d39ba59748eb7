//! The rules of games, one folder each. They know nothing of players.

pub mod gomoku;
pub mod twenty48;
