//! Comparisons of players: claims, verdicts, and the statistics behind them.

mod claims;
mod compare;
mod coverage;
mod growth;
mod judge;
mod stats;
