//! A page that shows a run, a tuning or a training in progress. The command `live` serves it on
//! this machine, and so does the option `--live` of `run`, `tune` and `train`.
//!
//! The page is read-only. No request can start, stop or write anything; only the page and its
//! events can be read. Its content is one JSON document (`picture`), which is made from the folder
//! of the work. Any process may write into this folder.

mod address;
mod command;
mod document;
mod file_stamps;
mod hub;
mod phrases;
mod picture;
mod request;
mod run_watch;
mod search_picture;
mod server;
mod training_watch;
mod tuning_watch;

pub use command::{COMMANDS, Live, LivePage, Subject};
pub use picture::WorkState;
