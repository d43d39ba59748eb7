//! Tools that several tests share.
//!
//! - `bench`: runs the program in a fresh folder, with experiments to play, and reads its tables
//! - `inside`: experiments played in this process
//! - `cases`: checks laws on many random cases
//! - `table`: makes players of 2048 from settings
//! - `naive`: a second, plain engine of 2048
//! - `talker`: a program that plays, for tests of external players
//! - `tictactoe`: a small duel, unknown to all packages
//! - `scratch`: folders for temporary files, also for benches
//! - `disk`: a file system in memory whose operations fail
//! - `golden`: files of expected values that can be renewed
//! - `source`: the text files of the repository

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
