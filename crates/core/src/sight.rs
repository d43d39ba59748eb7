//! The game in play, for those who look on: how far it is, and its position when someone asks.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::game::{Block, Outcome};

/// The game in play, as the one thread that plays it shows it to those that look on: always its number of moves, and its position
/// when someone has asked for it. To tell costs a fast player nothing that can be measured: it is one plain store, and a look at
/// the same cache line.
#[derive(Clone, Debug, Default)]
pub struct Moves(Arc<Alone>);

/// In cache lines of its own: other threads write to the next ones.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Alone {
    moves: AtomicU64,
    is_asked: AtomicBool,
    sight: Mutex<Option<Sight>>,
}

/// A position of a game in play, as it was when someone asked for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    /// Block of the game.
    pub block: Block,
    /// Leg of the block.
    pub leg: usize,
    /// Moves made so far.
    pub moves: u32,
    /// The last of them.
    pub mv: String,
    /// State of the game.
    pub outcome: Outcome,
    /// The position as text.
    pub position: String,
}

impl Moves {
    /// The game has this number of moves.
    #[inline]
    pub fn set(&self, moves: u64) {
        self.0.moves.store(moves, Ordering::Relaxed);
    }

    /// Number of moves.
    pub fn get(&self) -> u64 {
        self.0.moves.load(Ordering::Relaxed)
    }

    /// Asks for the position after the next move.
    pub fn ask(&self) {
        self.0.is_asked.store(true, Ordering::Relaxed);
    }

    /// True if the position is asked for.
    #[inline]
    pub fn is_asked(&self) -> bool {
        self.0.is_asked.load(Ordering::Relaxed)
    }

    /// Shows the position that was asked for.
    #[cold]
    pub fn show(&self, sight: Sight) {
        *self.0.sight.lock().unwrap_or_else(PoisonError::into_inner) = Some(sight);
        self.0.is_asked.store(false, Ordering::Relaxed);
    }

    /// Takes the position that was shown, if one was since it was taken last.
    pub fn take_sight(&self) -> Option<Sight> {
        self.0.sight.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
