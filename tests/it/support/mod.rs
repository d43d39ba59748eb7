//! Tools that several tests share.

pub(crate) mod bench;
pub(crate) mod browser;
pub(crate) mod cases;
pub(crate) mod disk;
pub(crate) mod external_player;
pub(crate) mod golden;
pub(crate) mod in_process;
pub(crate) mod naive;
pub(crate) mod scratch;
pub(crate) mod self_play;
pub(crate) mod source;
pub(crate) mod tictactoe;
pub(crate) mod tools;
