//! Runs: their journal, and how they stop, resume and keep to limits.

mod cli;
mod continued;
mod duel;
mod duel_stop;
mod faults;
mod interrupt;
mod journal;
mod limits;
mod max_seconds;
#[cfg(target_os = "linux")]
mod memory;
mod precision;
mod stop;
mod threads;
mod time_limit;
mod user_cache;
mod within;
