//! Tools that several tests share.
//!
//! - `bench`: the program in a folder of its own, experiments that it plays there, and tables that
//!   it leaves
//! - `inside`: experiments that are played in this process
//! - `cases`: laws that are tried on many cases
//! - `table`: a seat at which a recipe plays
//! - `naive`: a second and plain engine of 2048
//! - `talker`: a program that plays, for tests of players that think elsewhere
//! - `tictactoe`: a small game of two, which no room of the house knows
//! - `scratch`: folders for temporary files, for benches as well
//! - `disk`: a file system in memory whose operations fail
//! - `golden`: files that are compared and can be renewed
//! - `source`: the texts of the repository

pub(crate) mod bench;
pub(crate) mod cases;
pub(crate) mod disk;
pub(crate) mod golden;
pub(crate) mod inside;
pub(crate) mod naive;
pub(crate) mod scratch;
pub(crate) mod source;
pub(crate) mod table;
pub(crate) mod talker;
pub(crate) mod tictactoe;
