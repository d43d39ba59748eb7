//! Records of played games, as plain data without generics.

use std::fmt;
use std::ops::AddAssign;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::game::{Facts, GameState, Outcome, Seat, WinDrawLoss};

/// Record of one played game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// Outcome of the game.
    pub outcome: Outcome,
    /// Columns declared by the game.
    pub facts: Facts,
    /// Number of moves by both seats together.
    pub moves: u32,
    /// Why the game ended.
    pub ending: Ending,
}

impl GameRecord {
    /// Creates the record of a game from its final standing and its ending.
    pub fn new(state: GameState, ending: Ending) -> GameRecord {
        let GameState { outcome, facts, moves, .. } = state;
        GameRecord { outcome, facts, moves, ending }
    }

    /// Creates the record of a game that the rules or the experiment ended.
    pub fn without_fault(state: GameState) -> GameRecord {
        let ending = if state.is_cut_short { Ending::Until } else { Ending::GameOver };
        GameRecord::new(state, ending)
    }

    /// Returns the points of a solo game, or 0 for a duel.
    pub fn score(&self) -> u64 {
        self.outcome.score()
    }

    /// Returns true if this seat won.
    pub fn is_won_by(&self, seat: Seat) -> bool {
        self.outcome.result_for(seat) == WinDrawLoss::Win
    }

    /// Creates the record of a game in which the program of the player in this seat panicked. It
    /// says nothing about either player.
    pub fn from_panic(seat: Seat) -> GameRecord {
        let (outcome, facts) = (Outcome::Drawn, Facts::default());
        GameRecord { outcome, facts, moves: 0, ending: Ending::Panic(seat) }
    }
}

/// Reason why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The rules ended the game.
    GameOver,
    /// The experiment's `until` was reached.
    Until,
    /// The experiment's `max_moves` was reached.
    MaxMoves,
    /// The player in this seat could not continue. This is data about the player.
    Fault(Seat, Fault),
    /// A bug in our code panicked while the player in this seat was asked; there is no result.
    Panic(Seat),
    /// The experiment's `max_seconds` were reached.
    MaxSeconds,
}

/// Reason why a player could not continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// The player chose a move that the rules do not allow.
    IllegalMove,
    /// The player gave up or could not answer.
    GaveUp,
    /// The player's external program ended before it answered.
    Crashed,
    /// The player exceeded a time limit of its settings.
    TimedOut,
    /// The answer was not a move.
    Nonsense,
}

impl Fault {
    /// Returns the word for `games.csv`.
    pub const fn name(self) -> &'static str {
        match self {
            Fault::IllegalMove => "illegal-move",
            Fault::GaveUp => "gave-up",
            Fault::Crashed => "crashed",
            Fault::TimedOut => "timed-out",
            Fault::Nonsense => "nonsense",
        }
    }

    /// Returns the manual's text.
    const fn meaning(self) -> &'static str {
        match self {
            Fault::IllegalMove => "Fault: the player chose an illegal move.",
            Fault::GaveUp => "Fault: the player returned no move.",
            Fault::Crashed => "Fault: the player's program ended before it answered.",
            Fault::TimedOut => "Fault: the player exceeded the time limit of its settings.",
            Fault::Nonsense => "Fault: the player's answer was not a move.",
        }
    }

    /// Returns true if the player must be rebuilt before it is asked again. Its pipe is closed, or
    /// may still deliver the answer to an earlier question.
    pub const fn is_fatal(self) -> bool {
        matches!(self, Fault::Crashed | Fault::TimedOut | Fault::Nonsense)
    }
}

impl Ending {
    /// All endings. The index is the code in journals, so new endings must be appended.
    pub const ALL: [Ending; 16] = [
        Ending::GameOver,
        Ending::Until,
        Ending::MaxMoves,
        Ending::Fault(Seat::First, Fault::IllegalMove),
        Ending::Fault(Seat::First, Fault::GaveUp),
        Ending::Panic(Seat::First),
        Ending::Fault(Seat::Second, Fault::IllegalMove),
        Ending::Fault(Seat::Second, Fault::GaveUp),
        Ending::Panic(Seat::Second),
        Ending::MaxSeconds,
        Ending::Fault(Seat::First, Fault::Crashed),
        Ending::Fault(Seat::First, Fault::TimedOut),
        Ending::Fault(Seat::First, Fault::Nonsense),
        Ending::Fault(Seat::Second, Fault::Crashed),
        Ending::Fault(Seat::Second, Fault::TimedOut),
        Ending::Fault(Seat::Second, Fault::Nonsense),
    ];

    /// Returns the word for `games.csv`.
    pub const fn name(self) -> &'static str {
        match self {
            Ending::GameOver => "game-over",
            Ending::Until => "until",
            Ending::MaxMoves => "max-moves",
            Ending::MaxSeconds => "max-seconds",
            Ending::Fault(_, fault) => fault.name(),
            Ending::Panic(_) => PANIC,
        }
    }

    /// Returns the manual's text.
    pub const fn meaning(self) -> &'static str {
        match self {
            Ending::GameOver => "The rules ended the game.",
            Ending::Until => "The game reached the experiment's `until`.",
            Ending::MaxMoves => "The game reached the experiment's `max_moves`.",
            Ending::MaxSeconds => "The game reached the experiment's `max_seconds`; its final state counts.",
            Ending::Fault(_, fault) => fault.meaning(),
            Ending::Panic(_) => {
                "The player's code panicked. The game is not counted, and the next run replays it."
            }
        }
    }

    /// Returns the seat of the player whose fault ended the game, if one did.
    pub const fn seat_at_fault(self) -> Option<Seat> {
        match self {
            Ending::Fault(seat, _) | Ending::Panic(seat) => Some(seat),
            _ => None,
        }
    }

    /// Returns true if the program of a player panicked.
    pub const fn is_panic(self) -> bool {
        matches!(self, Ending::Panic(_))
    }
}

/// Word in `games.csv` for a game in which a player's program panicked.
pub const PANIC: &str = "panic";

/// Reason why a game ended by a player's fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Complaint {
    /// Why the player gave up, or where its program panicked.
    pub reason: String,
    /// Position of an illegal move, as lines of text.
    pub position: Option<String>,
}

impl Complaint {
    /// Creates a complaint about a fault in this position.
    pub(crate) fn new(fault: Fault, reason: String, position: &dyn fmt::Display) -> Complaint {
        Complaint { reason, position: (fault == Fault::IllegalMove).then(|| position.to_string()) }
    }
}

/// Played batch: the games of some blocks of one line-up, in order and on one thread.
#[derive(Clone, Debug, Default)]
pub struct BatchResult {
    /// Games of each block in turn, with the legs of a block in order. If the run was asked to
    /// stop, only the first blocks of the batch are here; the current block and all later ones are
    /// dropped.
    pub records: Vec<GameRecord>,
    /// Games that ended by a player's fault, each by its index in `records`, in ascending order,
    /// with the reason.
    pub complaints: Vec<(usize, Complaint)>,
    /// Positions that the only player of a line-up visited in each game; empty if it does not count
    /// them.
    pub nodes: Vec<u64>,
    /// Moves of each game, separated by blanks, if the game could not be replayed otherwise; else
    /// empty.
    pub moves: Vec<String>,
    /// Clock readings of each player of the line-up.
    pub times: Vec<ClockReadings>,
    /// Maximum number of games open at once; 0 if games were played one after another.
    pub batch: u64,
    /// Member of the line-up that failed in too many consecutive games, if one did. The remaining
    /// blocks are not played.
    pub given_up_member: Option<usize>,
    /// Why a program could not be started, if one could not. The current block and all later ones
    /// are not played.
    pub failure: Option<String>,
}

/// Clock readings of a slice. No result depends on them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockReadings {
    /// Moves made by the player in the slice.
    pub moves: u64,
    /// Wall time from the first game's start to the last game's end.
    pub wall_ns: u64,
    /// CPU time of the thread in that period.
    pub cpu_ns: u64,
    /// Thinking time, estimated from the timed moves.
    pub thinking_ns: u64,
    /// Number of moves that the thinking time covers.
    pub thoughts: u64,
    /// CPU time of these moves; `None` if too few moves were timed to separate it from the CPU time
    /// of the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_cpu_ns: Option<u64>,
    /// Kind of time that counts as thinking.
    #[serde(default, skip_serializing_if = "TimeSource::is_default")]
    pub timed: TimeSource,
    /// Maximum error of the CPU time of other processes, due to a coarse clock. Other times have
    /// none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unseen_ns: u64,
    /// Calibration loops run in the slice.
    #[serde(default, skip_serializing_if = "CalibrationRuns::is_none")]
    pub yardsticks: CalibrationRuns,
    /// Number of moves that came from a table of solved positions.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub table_moves: u64,
    /// Longest timed move.
    pub max_ns: u64,
    /// Number of moves by nanoseconds, in ascending order.
    pub histogram: Vec<(u64, u64)>,
    /// Number of moves by search depth, for players that report it, in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depths: Vec<(u32, u64)>,
}

/// Returns true for a count that is not written.
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl ClockReadings {
    /// Adds the sums of other readings, and keeps the longer of the longest moves. The caller adds
    /// histograms and depths, which it keeps in maps. The readings may come from a forged journal.
    pub fn add_sums(&mut self, other: &ClockReadings) {
        self.moves = self.moves.saturating_add(other.moves);
        self.wall_ns = self.wall_ns.saturating_add(other.wall_ns);
        self.cpu_ns = self.cpu_ns.saturating_add(other.cpu_ns);
        self.thinking_ns = self.thinking_ns.saturating_add(other.thinking_ns);
        self.thoughts = self.thoughts.saturating_add(other.thoughts);
        self.table_moves = self.table_moves.saturating_add(other.table_moves);
        self.max_ns = self.max_ns.max(other.max_ns);
    }
}

/// CPU time used in other processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessTime {
    /// Measured time.
    pub time: Duration,
    /// Maximum error, in either direction, due to a coarse clock.
    pub max_error: Duration,
}

impl ProcessTime {
    /// Creates a time read from an exact clock.
    pub const fn from_exact_clock(time: Duration) -> ProcessTime {
        ProcessTime { time, max_error: Duration::ZERO }
    }

    /// Returns the greater of each field.
    #[must_use]
    pub fn max(self, other: ProcessTime) -> ProcessTime {
        ProcessTime { time: self.time.max(other.time), max_error: self.max_error.max(other.max_error) }
    }
}

impl AddAssign for ProcessTime {
    fn add_assign(&mut self, other: ProcessTime) {
        self.time += other.time;
        self.max_error += other.max_error;
    }
}

/// Kind of time that counts as a player's thinking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeSource {
    /// CPU time of the player's thread during its moves.
    #[default]
    Thoughts,
    /// CPU time of that thread for whole games, including the rules. Games played at once have no
    /// separately timed moves.
    Games,
    /// CPU time of other processes in which the player computes.
    Process,
    /// Wall time while the player computes elsewhere.
    Wall,
}

impl TimeSource {
    /// All kinds of timing.
    pub const ALL: [TimeSource; 4] =
        [TimeSource::Thoughts, TimeSource::Games, TimeSource::Process, TimeSource::Wall];

    /// Returns the word for the tables of times.
    pub const fn word(self) -> &'static str {
        match self {
            TimeSource::Thoughts => "thoughts",
            TimeSource::Games => "games at once, rules included",
            TimeSource::Process => "thoughts in other processes",
            TimeSource::Wall => "thoughts on the wall",
        }
    }

    /// Parses the word from the tables of times.
    pub fn parse(word: &str) -> Option<TimeSource> {
        TimeSource::ALL.into_iter().find(|source| source.word() == word)
    }

    /// Names the clock, to follow "its time is". Times by different clocks cannot be compared.
    pub const fn clock(self) -> &'static str {
        match self {
            TimeSource::Thoughts | TimeSource::Games => "CPU time of its thread",
            TimeSource::Process => "CPU time of other processes",
            TimeSource::Wall => "wall time",
        }
    }

    /// Returns true if the time covers whole games, including the rules.
    pub const fn includes_rules(self) -> bool {
        matches!(self, TimeSource::Games)
    }

    /// Returns true for a player that computes outside the thread that asks it.
    pub const fn is_elsewhere(self) -> bool {
        matches!(self, TimeSource::Process | TimeSource::Wall)
    }

    /// Returns true for the timing of nearly all players, which journals leave out.
    fn is_default(&self) -> bool {
        *self == TimeSource::Thoughts
    }
}

/// Number of runs of the calibration loop, and their CPU time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalibrationRuns {
    /// Number of runs.
    pub count: u64,
    /// CPU time in nanoseconds.
    pub ns: u64,
}

impl CalibrationRuns {
    /// Returns true if there was no run.
    pub fn is_none(&self) -> bool {
        self.count == 0
    }

    /// Returns the mean CPU time of one run in nanoseconds.
    pub fn mean_ns(self) -> Option<f64> {
        (self.count > 0 && self.ns > 0).then(|| self.ns as f64 / self.count as f64)
    }
}

impl AddAssign for CalibrationRuns {
    fn add_assign(&mut self, other: CalibrationRuns) {
        // A forged journal must not cause a panic.
        self.count = self.count.saturating_add(other.count);
        self.ns = self.ns.saturating_add(other.ns);
    }
}
