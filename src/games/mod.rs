//! The rules of games, one folder each. They know nothing of players.

pub mod twenty48;
