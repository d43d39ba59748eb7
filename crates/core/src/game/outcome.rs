//! Who plays, and how a game ends.

use super::fact::Facts;

/// Shape of a game: the number of players and their aim. What stands above is written for these
/// two, not for single games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One player, for points and a win.
    Solo,
    /// Two players: one of them wins, or it is a draw.
    Duel,
}

impl Shape {
    /// The seats of a game.
    pub const fn seats(self) -> &'static [Seat] {
        match self {
            Shape::Solo => &[Seat::First],
            Shape::Duel => &[Seat::First, Seat::Second],
        }
    }

    /// The member of a line-up in this seat and this leg of a block: in the second leg of a duel
    /// the seats are swapped.
    pub const fn member_at(self, leg: usize, seat: Seat) -> usize {
        match self {
            Shape::Solo => 0,
            Shape::Duel => leg ^ seat.number(),
        }
    }

    /// Number of players of a game.
    pub const fn players(self) -> usize {
        self.seats().len()
    }

    /// Number of games of a block: one for a single player; for two players one with each of them
    /// moving first.
    pub const fn legs(self) -> usize {
        self.players()
    }
}

/// A place at the table. A solo game has only the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seat {
    /// The player that moves first, or alone. Where a game begins with an opening, it has the side
    /// that moved first there.
    First,
    /// The other player.
    Second,
}

impl Seat {
    /// The opposite seat.
    #[must_use]
    pub const fn other(self) -> Seat {
        match self {
            Seat::First => Seat::Second,
            Seat::Second => Seat::First,
        }
    }

    /// Its number: 0 or 1.
    pub const fn number(self) -> usize {
        self as usize
    }
}

/// End of a game, or state of a position: absolute, not from the view of one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A solo game: points, and whether they count as a win.
    Points {
        /// Points so far.
        score: u64,
        /// True after a win by the rules.
        won: bool,
    },
    /// A duel that this seat has won.
    Won(Seat),
    /// A duel that neither seat has won, or not yet.
    Drawn,
}

impl Outcome {
    /// The outcome as one seat sees it.
    pub fn seen_by(self, seat: Seat) -> WinDrawLoss {
        match self {
            Outcome::Points { won: true, .. } => WinDrawLoss::Win,
            Outcome::Points { won: false, .. } => WinDrawLoss::Loss,
            Outcome::Won(winner) if winner == seat => WinDrawLoss::Win,
            Outcome::Won(_) => WinDrawLoss::Loss,
            Outcome::Drawn => WinDrawLoss::Draw,
        }
    }

    /// The points of a solo game; 0 in a duel, which has none.
    pub fn score(self) -> u64 {
        match self {
            Outcome::Points { score, .. } => score,
            Outcome::Won(_) | Outcome::Drawn => 0,
        }
    }
}

/// The outcome of a game as one of its seats sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WinDrawLoss {
    /// A duel won, or a solo game in which what the rules call a win was reached.
    Win,
    /// Neither seat won.
    Draw,
    /// A duel lost, or a solo game without a win.
    Loss,
}

impl WinDrawLoss {
    /// The points of the seat, in halves: so sums are whole numbers.
    pub fn half_points(self) -> u64 {
        match self {
            WinDrawLoss::Win => 2,
            WinDrawLoss::Draw => 1,
            WinDrawLoss::Loss => 0,
        }
    }
}

/// Result of a game, from a record that may be forged or wrong.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// Cause of its end.
    pub by: EndedBy,
    /// Its outcome.
    pub outcome: Outcome,
    /// The value of each fact in [`GameInfo::facts`](super::GameInfo::facts).
    pub facts: Facts,
    /// Number of moves.
    pub moves: u32,
}

/// Cause of a game's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedBy {
    /// Its rules.
    Rules,
    /// The experiment, at a place that the rules know: [`Standing::is_cut_short`].
    Until,
    /// Nothing that the rules know: it had too many moves, or a player could not go on. The outcome
    /// of a duel then says nothing about its last position.
    Other,
}

/// How far a game has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Outcome so far.
    pub outcome: Outcome,
    /// The value of each fact in [`GameInfo::facts`](super::GameInfo::facts).
    pub facts: Facts,
    /// Number of moves played.
    pub moves: u32,
    /// True if the experiment (`until`) ended the game, not its rules.
    pub is_cut_short: bool,
}
