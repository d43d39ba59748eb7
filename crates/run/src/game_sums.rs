//! Sums of games for the display of progress.

use std::ops::AddAssign;

use gauntlet_core::game::{Outcome, Shape};
use gauntlet_core::record::GameRecord;

/// Sums of some games of a line-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GameSums {
    pub(super) games: u64,
    /// Games won; in a duel, by the first player.
    pub(super) wins: u64,
    /// Games that a player forfeited.
    pub(super) forfeits: u64,
    /// Sum of the scores.
    pub(super) points: u64,
}

impl GameSums {
    /// Sums these games, which begin with the first leg of a block.
    pub(super) fn new(shape: Shape, records: &[GameRecord]) -> GameSums {
        // The seat of the first member alternates between legs.
        let seats = shape.seats().iter().cycle();
        let wins = records.iter().zip(seats).filter(|(record, seat)| record.is_won_by(**seat)).count();
        let points = records.iter().map(|record| match record.outcome {
            Outcome::Points { score, .. } => score,
            _ => 0,
        });
        let forfeits = records.iter().filter(|record| record.ending.seat_at_fault().is_some()).count();
        GameSums {
            games: records.len() as u64,
            wins: wins as u64,
            forfeits: forfeits as u64,
            points: points.fold(0, u64::saturating_add),
        }
    }
}

impl AddAssign for GameSums {
    fn add_assign(&mut self, other: GameSums) {
        self.games += other.games;
        self.wins += other.wins;
        self.forfeits += other.forfeits;
        self.points = self.points.saturating_add(other.points);
    }
}
