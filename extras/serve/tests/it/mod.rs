//! Players and losses for other programs.

mod ask;
