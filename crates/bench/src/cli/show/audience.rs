//! The contract of those that a replayed game is shown to, and the plainest of them: text.

use std::io::Write;

use crate::arena::Step;
use crate::game::{Outcome, Seat};

/// Audience of a replayed game.
pub(super) trait Audience {
    /// True if it asks for the value of each move.
    fn asks(&self) -> bool;
    /// Sees a step.
    fn see(&mut self, step: &Step, out: &mut dyn Write) -> anyhow::Result<()>;
    /// Hears how the game ended; nothing where a player broke, which is told as an error.
    fn end(&mut self, end: Option<&str>, out: &mut dyn Write) -> anyhow::Result<()>;
}

/// Prints each step.
pub(super) struct Text {
    pub(super) only_last: bool,
    pub(super) values: bool,
    /// The last step, should the player break or only the last be asked for.
    pub(super) last: String,
}

impl Audience for Text {
    fn asks(&self) -> bool {
        self.values
    }

    fn see(&mut self, step: &Step, out: &mut dyn Write) -> anyhow::Result<()> {
        let text = step_as_text(step) + "\n\n";
        if self.only_last {
            self.last = text;
        } else {
            out.write_all(text.as_bytes())?;
        }
        Ok(())
    }

    fn end(&mut self, end: Option<&str>, out: &mut dyn Write) -> anyhow::Result<()> {
        out.write_all(self.last.as_bytes())?;
        Ok(end.map_or(Ok(()), |end| writeln!(out, "{end}"))?)
    }
}

/// A step as lines: the move and how the game stands, what moves were worth, the position.
pub(super) fn step_as_text(step: &Step) -> String {
    let depth = step.depth.map_or_else(String::new, |depth| format!(" at depth {depth}"));
    let mv = step.mv.map_or_else(String::new, |mv| format!(" {mv}{depth},"));
    let worth = |(mv, worth): &(String, f64)| format!("{mv} {worth}");
    let weighed: Vec<String> = step.weighed.iter().map(worth).collect();
    let weighed = if weighed.is_empty() { String::new() } else { format!("\n{}", weighed.join(", ")) };
    format!("{}:{mv} {}{weighed}\n{}", step.moves, standing(step.outcome), step.position)
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

    fn see(&mut self, _step: &Step, _out: &mut dyn Write) -> anyhow::Result<()> {
        Ok(())
    }

    fn end(&mut self, _end: Option<&str>, _out: &mut dyn Write) -> anyhow::Result<()> {
        Ok(())
    }
}
