//! Reasons why a player answers without a move.

use crate::record::Fault;

/// Reason why a player answers without a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoMove {
    /// The player cannot answer and loses by its fault. This is data about the player, not an error
    /// of the run.
    Forfeit(Box<Forfeit>),
    /// The player was asked to stop ([`Stop`](super::Stop)). The game is dropped, and the next run
    /// plays it again.
    Interrupted,
    /// The player's program could not be started, or a file of the player is damaged, for this
    /// reason. This is an error of the run; the game is dropped.
    CannotPlay(Box<str>),
}

/// Forfeit: the end of a game by a player's fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forfeit {
    /// Fault, as in the record of the game.
    pub fault: Fault,
    /// Reason, for messages.
    pub reason: Box<str>,
    /// True if the time ended in the middle of a line from the player's program.
    pub has_partial_line: bool,
}

impl NoMove {
    /// Creates the error of a player that gives up, for this reason.
    pub fn forfeit(reason: impl Into<Box<str>>) -> NoMove {
        NoMove::fault(Fault::GaveUp, reason)
    }

    /// Creates the error of a player that can play no game, for this reason.
    pub fn cannot_play(reason: impl Into<Box<str>>) -> NoMove {
        NoMove::CannotPlay(reason.into())
    }

    /// Creates the error of a player that cannot answer because of this fault.
    pub fn fault(fault: Fault, reason: impl Into<Box<str>>) -> NoMove {
        NoMove::Forfeit(Box::new(Forfeit { fault, reason: reason.into(), has_partial_line: false }))
    }
}
