//! A page that shows a run, a tuning or a training as it goes, on an address of this machine.
//!
//! - [`picture`]: what the page shows, as one JSON document; [`of_folder`], [`tuning_folder`] and
//!   [`of_training`]: made of the folder of a run, a tuning or a training, whether this process
//!   writes into it or another one
//! - `file_stamps`: what is seen of files from outside
//! - `searched`: a search as a picture has it; `words`: how a game ended, and other words of
//!   pictures
//! - [`hub`]: the picture of now, which every reader of the page is sent
//! - [`server`]: connections, each within limits; [`request`]: the little of HTTP that they may
//!   say; [`address`]: where it listens
//! - `document`: the page itself
//!
//! Nothing that is asked of it can start, stop or write anything: there are two things to be read,
//! the page and its events.

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
