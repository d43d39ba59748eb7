//! A page that shows a run, a tuning or a training in progress, served on this machine.
//!
//! - [`picture`]: the content of the page, as one JSON document; [`of_folder`], [`tuning_folder`]
//!   and [`of_training`]: make it from the folder of a run, a tuning or a training, whichever
//!   process writes into the folder
//! - `file_stamps`: detects changes of files
//! - `searched`: a search as part of a picture; `words`: how a game ended, and other phrases
//! - [`hub`]: the current picture, which every reader receives
//! - [`server`]: connections, each within limits; [`request`]: the subset of HTTP that it accepts;
//!   [`address`]: where it listens
//! - `document`: the page itself
//!
//! The page is read-only. No request can start, stop or write anything; only the page and its
//! events can be read.

pub mod address;
mod document;
mod file_stamps;
pub mod hub;
pub mod of_folder;
pub mod of_training;
pub mod picture;
pub mod request;
mod searched;
pub mod server;
pub mod tuning_folder;
mod words;
