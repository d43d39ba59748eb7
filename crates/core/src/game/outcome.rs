//! Shapes, seats and outcomes of games.

use super::fact::Facts;

/// Shape of a game: the number of players and their aim. Code above the games is written for these
/// two shapes, not for single games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One player, who collects points and may win.
    Solo,
    /// Two players, of whom one wins or both draw.
    Duel,
}

impl Shape {
    /// Returns the seats of a game.
    pub const fn seats(self) -> &'static [Seat] {
        match self {
            Shape::Solo => &[Seat::First],
            Shape::Duel => &[Seat::First, Seat::Second],
        }
    }

    /// Returns the index of the line-up member in this seat and leg. In the second leg of a duel
    /// the seats are swapped.
    pub const fn member_at(self, leg: usize, seat: Seat) -> usize {
        match self {
            Shape::Solo => 0,
            Shape::Duel => leg ^ seat.number(),
        }
    }

    /// Returns the number of players of a game.
    pub const fn players(self) -> usize {
        self.seats().len()
    }

    /// Returns the number of games per block: one in a solo game; two in a duel, with each player
    /// moving first.
    pub const fn legs(self) -> usize {
        self.players()
    }
}

/// Seat of a player. A solo game has only the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seat {
    /// Player that moves first, or alone. If a game begins with an opening, this is the side that
    /// moved first in it.
    First,
    /// The other player.
    Second,
}

impl Seat {
    /// Returns the opponent's seat.
    #[must_use]
    pub const fn other(self) -> Seat {
        match self {
            Seat::First => Seat::Second,
            Seat::Second => Seat::First,
        }
    }

    /// Returns the seat as 0 or 1.
    pub const fn number(self) -> usize {
        self as usize
    }
}

/// Outcome of a game, or of a position so far: absolute, not from one seat's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Solo game with its points.
    Points {
        /// Points so far.
        score: u64,
        /// True if the game counts as won by the rules.
        won: bool,
    },
    /// Duel won by this seat.
    Won(Seat),
    /// Duel won by neither seat, or not yet.
    Drawn,
}

impl Outcome {
    /// Returns the outcome from the view of one seat.
    pub fn result_for(self, seat: Seat) -> WinDrawLoss {
        match self {
            Outcome::Points { won: true, .. } => WinDrawLoss::Win,
            Outcome::Points { won: false, .. } => WinDrawLoss::Loss,
            Outcome::Won(winner) if winner == seat => WinDrawLoss::Win,
            Outcome::Won(_) => WinDrawLoss::Loss,
            Outcome::Drawn => WinDrawLoss::Draw,
        }
    }

    /// Returns the points of a solo game, or 0 for a duel.
    pub fn score(self) -> u64 {
        match self {
            Outcome::Points { score, .. } => score,
            Outcome::Won(_) | Outcome::Drawn => 0,
        }
    }
}

/// Outcome from the view of one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WinDrawLoss {
    /// Duel won, or solo game in which the win by the rules was reached.
    Win,
    /// Neither seat won.
    Draw,
    /// Duel lost, or solo game without a win.
    Loss,
}

impl WinDrawLoss {
    /// Returns the points of the seat in halves, so that sums are whole numbers.
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
pub struct GameResult {
    /// Why the game ended.
    pub ended_by: EndedBy,
    /// Outcome of the game.
    pub outcome: Outcome,
    /// Value of each fact in [`GameInfo::facts`](super::GameInfo::facts).
    pub facts: Facts,
    /// Number of moves.
    pub moves: u32,
}

/// Why a game ended, as far as its rules are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedBy {
    /// By its rules.
    Rules,
    /// By the experiment's `until`, which the rules check: [`GameState::is_cut_short`].
    Until,
    /// By something outside the rules: too many moves, or a player that could not continue. In a
    /// duel, the outcome then does not follow from the last position.
    Other,
}

/// State of a game so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameState {
    /// Outcome so far.
    pub outcome: Outcome,
    /// Value of each fact in [`GameInfo::facts`](super::GameInfo::facts).
    pub facts: Facts,
    /// Number of moves played.
    pub moves: u32,
    /// True if the experiment's `until` ended the game, not its rules.
    pub is_cut_short: bool,
}
