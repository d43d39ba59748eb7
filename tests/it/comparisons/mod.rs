//! Comparisons of players: claims, verdicts, and the statistics behind them.

mod added_games;
mod claims;
mod compare;
mod coverage;
mod judge;
mod stats;
