//! Records of games, as plain data without generics.

use std::ops::AddAssign;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::game::{Facts, Outcome, Seat, Standing, WinDrawLoss};

/// One game played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// Its outcome.
    pub outcome: Outcome,
    /// The game's own columns.
    pub facts: Facts,
    /// Moves made, of both seats together.
    pub moves: u32,
    /// Cause of its end.
    pub ending: Ending,
}

impl GameRecord {
    /// The record of a game that came to this and ended so.
    pub fn of(standing: Standing, ending: Ending) -> GameRecord {
        let Standing { outcome, facts, moves, .. } = standing;
        GameRecord { outcome, facts, moves, ending }
    }

    /// The record of a game that its rules or the experiment ended.
    pub fn of_whole(standing: Standing) -> GameRecord {
        let ending = if standing.is_cut_short { Ending::Until } else { Ending::GameOver };
        GameRecord::of(standing, ending)
    }

    /// The points of a solo game; 0 in a duel.
    pub fn score(&self) -> u64 {
        self.outcome.score()
    }

    /// True if this seat won.
    pub fn is_won_by(&self, seat: Seat) -> bool {
        self.outcome.seen_by(seat) == WinDrawLoss::Win
    }

    /// The record of a game that broke the program of the player in this seat: it says nothing
    /// about either player.
    pub fn broken(seat: Seat) -> GameRecord {
        let (outcome, facts) = (Outcome::Drawn, Facts::default());
        GameRecord { outcome, facts, moves: 0, ending: Ending::Panic(seat) }
    }
}

/// Cause of a game's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The rules ended it.
    GameOver,
    /// The experiment's `until` was reached.
    Until,
    /// The experiment's `max_moves` was reached.
    MaxMoves,
    /// The player in this seat could not go on. That is data about the player.
    Fault(Seat, Fault),
    /// A defect of ours broke the program while the player in this seat was asked: no result.
    Panic(Seat),
    /// The experiment's `max_seconds` were over.
    MaxSeconds,
}

/// Reason why a player could not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// It chose a move that the rules do not allow.
    IllegalMove,
    /// It gave up, or could not answer.
    GaveUp,
    /// A program of its own, in which it thinks, ended before it answered.
    Crashed,
    /// It did not answer within a limit of its own settings.
    TimedOut,
    /// Its answer was no move.
    Nonsense,
}

impl Fault {
    /// As written in `games.csv`.
    pub const fn name(self) -> &'static str {
        match self {
            Fault::IllegalMove => "illegal-move",
            Fault::GaveUp => "gave-up",
            Fault::Crashed => "crashed",
            Fault::TimedOut => "timed-out",
            Fault::Nonsense => "nonsense",
        }
    }

    /// True if the player cannot be asked again, and must be built anew: the other end of its pipe
    /// is gone, or may still answer what was asked before.
    pub const fn is_fatal(self) -> bool {
        matches!(self, Fault::Crashed | Fault::TimedOut | Fault::Nonsense)
    }
}

impl Ending {
    /// All of them. The place in this list is the code in a journal, so new ones go to its end.
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

    /// As written in `games.csv`.
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

    /// The seat whose player could not go on, if that ended the game.
    pub const fn at_fault(self) -> Option<Seat> {
        match self {
            Ending::Fault(seat, _) | Ending::Panic(seat) => Some(seat),
            _ => None,
        }
    }

    /// True if a player's program broke.
    pub const fn is_panic(self) -> bool {
        matches!(self, Ending::Panic(_))
    }
}

/// The ending, in `games.csv`, of games that broke a player's program.
pub const PANIC: &str = "panic";

/// An batch, played: the games of some blocks of one line-up, one after the other on one thread.
#[derive(Clone, Debug, Default)]
pub struct Slice {
    /// The games of one block after the other, the legs of a block in order. If the run was asked
    /// to stop, these are the first blocks of the batch: the block in hand and all that follow are
    /// dropped.
    pub records: Vec<GameRecord>,
    /// The games that a player ended by its own fault, each by its place in `records` and in their
    /// order, with the reason: why a player gave up, where a program broke.
    pub complaints: Vec<(usize, String)>,
    /// Positions that the only player of a line-up visited in each of these games; empty where it
    /// counts none.
    pub nodes: Vec<u64>,
    /// The moves of each of these games, with blanks between them, where it could not be played
    /// again; else empty.
    pub moves: Vec<String>,
    /// Times of each player of the line-up.
    pub times: Vec<Times>,
    /// Number of games that were open at once at most; 0 where one came after the other.
    pub batch: u64,
    /// The member of the line-up that failed in game after game, if one did: the blocks that follow
    /// are not played.
    pub given_up: Option<usize>,
    /// Reason why a program could not be started, if one could not: the block in hand and all that
    /// follow are not played.
    pub failure: Option<String>,
}

/// Clock readings of a slice. They never decide anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// Moves that the player made in the slice.
    pub moves: u64,
    /// From the first game's start to the last one's end.
    pub wall_ns: u64,
    /// CPU time of the thread in between.
    pub cpu_ns: u64,
    /// Time spent thinking, estimated from the moves that were timed.
    pub thinking_ns: u64,
    /// The number of moves of which that is the time.
    pub thoughts: u64,
    /// CPU time of these thoughts. Older journals have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_cpu_ns: Option<u64>,
    /// The time that counts as thinking.
    #[serde(default, skip_serializing_if = "Timed::is_of_thoughts")]
    pub timed: Timed,
    /// The most that a coarse clock left out of the CPU time of other processes. Only such times
    /// have it; older journals, whose clock had ticks of 10 ms, do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unseen_ns: Option<u64>,
    /// Yardsticks that were played in the slice.
    #[serde(default, skip_serializing_if = "Yardsticks::is_none")]
    pub yardsticks: Yardsticks,
    /// The longest thought that was timed.
    pub max_ns: u64,
    /// Number of moves by nanoseconds, shortest first.
    pub histogram: Vec<(u64, u64)>,
    /// Number of moves by depth of search, of those whose player says so; the shallowest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depths: Vec<(u32, u64)>,
}

impl Times {
    /// Adds the sums of other readings, and takes the longer of the longest thoughts. Histograms
    /// and depths are left to the caller, which keeps them in maps. The readings may be those of a
    /// forged journal.
    pub fn add_sums(&mut self, other: &Times) {
        self.moves = self.moves.saturating_add(other.moves);
        self.wall_ns = self.wall_ns.saturating_add(other.wall_ns);
        self.cpu_ns = self.cpu_ns.saturating_add(other.cpu_ns);
        self.thinking_ns = self.thinking_ns.saturating_add(other.thinking_ns);
        self.thoughts = self.thoughts.saturating_add(other.thoughts);
        self.max_ns = self.max_ns.max(other.max_ns);
    }
}

/// CPU time in other processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTime {
    /// The time.
    pub taken: Duration,
    /// The most that a coarse clock may have left out of it, or put into it.
    pub unseen: Duration,
}

impl CpuTime {
    /// A time by a clock that leaves nothing out.
    pub const fn exact(taken: Duration) -> CpuTime {
        CpuTime { taken, unseen: Duration::ZERO }
    }

    /// The greater of each.
    #[must_use]
    pub fn max(self, other: CpuTime) -> CpuTime {
        CpuTime { taken: self.taken.max(other.taken), unseen: self.unseen.max(other.unseen) }
    }
}

impl AddAssign for CpuTime {
    fn add_assign(&mut self, other: CpuTime) {
        self.taken += other.taken;
        self.unseen += other.unseen;
    }
}

/// The time that counts as a player's thinking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Timed {
    /// CPU time of the thread on which the player thinks.
    #[default]
    Thoughts,
    /// CPU time of that thread for whole games, rules included: games played at once have no
    /// thoughts of their own.
    Games,
    /// CPU time of other processes, in which the player thinks.
    Process,
    /// Time on the wall, while the player thinks elsewhere.
    Wall,
}

impl Timed {
    /// All of them.
    pub const ALL: [Timed; 4] = [Timed::Thoughts, Timed::Games, Timed::Process, Timed::Wall];

    /// As written in the tables of times.
    pub const fn word(self) -> &'static str {
        match self {
            Timed::Thoughts => "thoughts",
            Timed::Games => "games at once, rules included",
            Timed::Process => "thoughts in other processes",
            Timed::Wall => "thoughts on the wall",
        }
    }

    /// The time of this word.
    pub fn of(word: &str) -> Option<Timed> {
        Timed::ALL.into_iter().find(|timed| timed.word() == word)
    }

    /// The clock, in words that follow "its time is"; times by different clocks cannot be compared.
    pub const fn clock(self) -> &'static str {
        match self {
            Timed::Thoughts | Timed::Games => "CPU time of its thread",
            Timed::Process => "CPU time of other processes",
            Timed::Wall => "time on the wall",
        }
    }

    /// True if the time is that of whole games, rules included.
    pub const fn includes_rules(self) -> bool {
        matches!(self, Timed::Games)
    }

    /// True for a player that thinks elsewhere than on the thread that asks it.
    pub const fn is_elsewhere(self) -> bool {
        matches!(self, Timed::Process | Timed::Wall)
    }

    /// True for what nearly all players have, which a journal does not say.
    fn is_of_thoughts(&self) -> bool {
        *self == Timed::Thoughts
    }
}

/// Number of plays of the yardstick, and the CPU time that they took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Yardsticks {
    /// Number of plays.
    pub count: u64,
    /// Nanoseconds of the processor.
    pub ns: u64,
}

impl Yardsticks {
    /// True if it was not played.
    pub fn is_none(&self) -> bool {
        self.count == 0
    }

    /// Nanoseconds that one takes.
    pub fn mean_ns(self) -> Option<f64> {
        (self.count > 0 && self.ns > 0).then(|| self.ns as f64 / self.count as f64)
    }
}

impl AddAssign for Yardsticks {
    fn add_assign(&mut self, other: Yardsticks) {
        // A forged journal must not break the program.
        self.count = self.count.saturating_add(other.count);
        self.ns = self.ns.saturating_add(other.ns);
    }
}
