//! Reasons why a player answers without a move.

use crate::record::Fault;

/// Reason why a player answers without a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoMove {
    /// The player cannot answer: the game is over by its fault. That is data about the player, not
    /// an error of the run.
    Forfeit(Box<Forfeit>),
    /// The player was asked to stop thinking ([`Stop`](super::Stop)). The game is dropped, and
    /// played anew by the next run.
    Interrupted,
    /// The program of the player could not be started, for this reason. That is an error of the
    /// run: the game is dropped.
    CannotStart(Box<str>),
}

/// End of a game by the fault of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forfeit {
    /// The fault, as the record of the game has it.
    pub fault: Fault,
    /// The reason, to be told to a person.
    pub why: Box<str>,
}

impl NoMove {
    /// The player gives up, for this reason.
    pub fn forfeit(why: impl Into<Box<str>>) -> NoMove {
        NoMove::fault(Fault::GaveUp, why)
    }

    /// The program could not be started, for this reason.
    pub fn cannot_start(why: impl Into<Box<str>>) -> NoMove {
        NoMove::CannotStart(why.into())
    }

    /// The player cannot answer by this fault, for this reason.
    pub fn fault(fault: Fault, why: impl Into<Box<str>>) -> NoMove {
        NoMove::Forfeit(Box::new(Forfeit { fault, why: why.into() }))
    }
}
