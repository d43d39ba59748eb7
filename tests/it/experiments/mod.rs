//! Experiments: how users write, change and check them.

mod changed;
mod configs;
mod extremes;
mod first_hour;
mod fuzz;
mod hostile;
mod init;
mod mistyped;
mod settings;
