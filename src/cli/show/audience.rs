//! The contract of those that a replayed game is shown to, and how a step is told in words.

use gauntlet_core::arena::Step;
use gauntlet_core::game::{Outcome, Seat};

use crate::cli::say::Screen;

/// Audience of a replayed game.
pub(super) trait Audience {
    /// True if it asks for the value of each move.
    fn asks(&self) -> bool;
    /// Sees a step.
    fn see(&mut self, step: &Step, out: &mut Screen) -> anyhow::Result<()>;
    /// Receives how the game ended; `None` if a player broke, which is reported as an error.
    fn end(&mut self, end: Option<&str>, out: &mut Screen) -> anyhow::Result<()>;
}

/// A step as lines: the move and how the game stands, what moves were worth, the position.
pub(super) fn step_as_text(step: &Step) -> String {
    let worth = |(mv, worth): &(String, f64)| format!("{mv} {worth}");
    let weighed: Vec<String> = step.weighed.iter().map(worth).collect();
    let weighed = if weighed.is_empty() { String::new() } else { format!("\n{}", weighed.join(", ")) };
    format!("{}{weighed}\n{}", head(step), step.position)
}

/// The move, and how the game stands.
pub(super) fn head(step: &Step) -> String {
    let depth = step.depth.map_or_else(String::new, |depth| format!(" at depth {depth}"));
    let mv = step.mv.map_or_else(String::new, |mv| format!(" {mv}{depth},"));
    format!("{}:{mv} {}", step.moves, standing(step.outcome))
}

/// State of a game, in words.
pub(super) fn standing(outcome: Outcome) -> String {
    match outcome {
        Outcome::Points { score, .. } => format!("{score} points"),
        Outcome::Won(Seat::First) => "won by the first player".to_owned(),
        Outcome::Won(Seat::Second) => "won by the second player".to_owned(),
        Outcome::Drawn => "neither has won".to_owned(),
    }
}

/// Shows nothing: the game is written elsewhere.
pub(super) struct Unseen;

impl Audience for Unseen {
    fn asks(&self) -> bool {
        false
    }

    fn see(&mut self, _step: &Step, _out: &mut Screen) -> anyhow::Result<()> {
        Ok(())
    }

    fn end(&mut self, _end: Option<&str>, _out: &mut Screen) -> anyhow::Result<()> {
        Ok(())
    }
}
