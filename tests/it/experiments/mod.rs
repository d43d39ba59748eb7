//! Experiments: how users write, change and check them.

mod built_in;
mod changed_runs;
mod configs;
mod extremes;
mod first_hour;
mod fuzz;
mod hostile;
mod init;
mod settings;
mod typos;
mod versus;
