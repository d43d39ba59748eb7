//! What is to be played and what was played, as plain data without generics.

use serde::{Deserialize, Serialize};

use crate::game::Facts;

/// One game played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// Points at the end.
    pub score: u64,
    /// The game's own columns.
    pub facts: Facts,
    /// Moves made.
    pub moves: u32,
    /// Whether it counts as a win.
    pub won: bool,
    /// Why it ended.
    pub ending: Ending,
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// No move was left.
    GameOver,
    /// The experiment's `until` was reached.
    Until,
    /// The experiment's `max_moves` was reached.
    MaxMoves,
    /// The player chose a move that the rules do not allow.
    IllegalMove,
    /// The player gave up, or could not answer.
    GaveUp,
    /// The player's program broke: a defect of ours, not a result.
    Panic,
}

impl Ending {
    /// All of them. The place in this list is the code in a journal, so new ones go to its end.
    pub const ALL: [Ending; 6] = [
        Ending::GameOver,
        Ending::Until,
        Ending::MaxMoves,
        Ending::IllegalMove,
        Ending::GaveUp,
        Ending::Panic,
    ];

    /// As written in `games.csv`.
    pub const fn name(self) -> &'static str {
        match self {
            Ending::GameOver => "game-over",
            Ending::Until => "until",
            Ending::MaxMoves => "max-moves",
            Ending::IllegalMove => "illegal-move",
            Ending::GaveUp => "gave-up",
            Ending::Panic => "panic",
        }
    }

    /// Whether the player, not the rules, ended the game.
    pub const fn is_forfeit(self) -> bool {
        matches!(self, Ending::IllegalMove | Ending::GaveUp | Ending::Panic)
    }
}

/// Some games of one player, played one after the other on one thread.
#[derive(Clone, Debug, Default)]
pub struct Slice {
    /// One record a game, in the order of the jobs.
    pub records: Vec<GameRecord>,
    /// What went wrong in which game (its place in `records`): why a player gave up, where a program broke.
    pub complaints: Vec<(usize, String)>,
    /// How long it took.
    pub times: Times,
}

/// Clock readings of a slice. They never decide anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// Moves made in the slice.
    pub moves: u64,
    /// From the first game's start to the last one's end.
    pub wall_ns: u64,
    /// CPU time of the thread in between.
    pub cpu_ns: u64,
    /// Time spent thinking, estimated from the moves that were timed.
    pub thinking_ns: u64,
    /// How many moves that is the time of.
    pub thoughts: u64,
    /// The longest thought that was timed.
    pub max_ns: u64,
    /// How many moves took how many nanoseconds, shortest first.
    pub histogram: Vec<(u64, u64)>,
    /// How many moves were searched how deep, of those whose player says so; the shallowest first. Journals of
    /// before there was such a count have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depths: Vec<(u32, u64)>,
}
