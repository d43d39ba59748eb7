//! How games ended, and other phrases of the live page.

use gauntlet_core::game::{Outcome, Seat, Shape};
use gauntlet_core::record::{Ending, GameRecord};
use gauntlet_core::text::{format_count, group_digits};
use gauntlet_run::plan::Plan;

/// Describes how a game ended.
pub(super) fn describe_ending(plan: &Plan, lineup: usize, leg: usize, record: &GameRecord) -> String {
    let mut description = match record.outcome {
        Outcome::Points { score, won } => {
            format!("{} points, {}", group_digits(score), if won { "won" } else { "not won" })
        }
        Outcome::Won(seat) => {
            let member = plan.arena.shape.member_at(leg, seat);
            let order = if seat == Seat::First { "moving first" } else { "moving second" };
            format!("won by {}, {order}", plan.players[plan.lineups[lineup].members()[member]].name)
        }
        Outcome::Drawn => "drawn".to_owned(),
    };
    description += &format!(", {}", format_count(u64::from(record.moves), "move"));
    if record.ending != Ending::GameOver {
        description += &format!(", {}", record.ending.name());
    }
    description
}

/// Returns the scale of players' strength in a game of this shape.
pub(super) fn strength_scale(shape: Shape) -> &'static str {
    match shape {
        Shape::Solo => "win rate",
        Shape::Duel => "Elo",
    }
}

/// Warning for a folder into which no visible process plays.
pub(super) const NO_PROCESS: &str = "no active process on this machine";
