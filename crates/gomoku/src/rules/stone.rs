//! Stones.

use gauntlet_core::game::Seat;

/// Colour of a stone. Black has the first seat and places the first stone of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stone {
    /// The side that places the first stone.
    Black,
    /// The other side.
    White,
}

impl Stone {
    /// Both colours.
    pub const BOTH: [Stone; 2] = [Stone::Black, Stone::White];

    /// Returns the other colour.
    #[must_use]
    pub const fn other(self) -> Stone {
        match self {
            Stone::Black => Stone::White,
            Stone::White => Stone::Black,
        }
    }

    /// Returns the seat of the player with these stones.
    pub const fn seat(self) -> Seat {
        match self {
            Stone::Black => Seat::First,
            Stone::White => Seat::Second,
        }
    }

    /// Returns the colour of the player in this seat.
    pub const fn from_seat(seat: Seat) -> Stone {
        match seat {
            Seat::First => Stone::Black,
            Seat::Second => Stone::White,
        }
    }

    /// Returns the colour of the next stone after this number of stones.
    pub const fn next_after(stones: u32) -> Stone {
        if stones.is_multiple_of(2) { Stone::Black } else { Stone::White }
    }

    /// Returns the letter in diagrams.
    pub const fn letter(self) -> char {
        match self {
            Stone::Black => 'B',
            Stone::White => 'W',
        }
    }

    /// Returns 0 for black and 1 for white.
    pub const fn number(self) -> usize {
        self as usize
    }
}
