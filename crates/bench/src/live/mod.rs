//! A page that shows a run, a tuning or a training as it goes, on an address of this machine.
//!
//! - [`picture`]: what the page shows, as one JSON document; [`of_run`], [`of_tuning`] and [`of_training`]: made of what a run, a
//!   tuning or a training tells those who look on; [`of_folder`] and [`tuning_folder`]: made of what lies in a folder
//! - `heard`: what is heard of a run, and the part of a picture that it makes
//! - `traces`: what is seen of files from outside
//! - `searched`: what all pictures of a search have; `rate`: how fast games grow in number; `words`: what games and unfinished runs are
//! - [`hub`]: the picture of now, which every reader of the page is sent
//! - [`server`]: connections, each within limits; [`request`]: the little of HTTP that they may say; [`address`]: where it listens
//! - `document`: the page itself
//!
//! Nothing that is asked of it can start, stop or write anything: there are two things to be read, the page and its events.

pub mod address;
mod document;
mod heard;
pub mod hub;
pub mod of_folder;
pub mod of_run;
pub mod of_training;
pub mod of_tuning;
pub mod picture;
mod rate;
pub mod request;
mod searched;
pub mod server;
mod traces;
pub mod tuning_folder;
mod words;
