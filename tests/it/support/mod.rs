//! Tools that several tests share.

pub(crate) mod bench;
pub(crate) mod browser;
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
pub(crate) mod tools;
