//! Players that other programs ask.

use serde_json::Value;

/// A player that other programs ask by lines of text.
pub trait Served {
    /// Answers a line, or breaks off at the last. A mistake in the line is told in words.
    fn hear(&mut self, line: &str) -> Result<Reply, String>;
}

/// Reply to a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The line asks for nothing.
    None,
    /// The answer, without its end.
    Line(String),
    /// The conversation is over.
    Quit,
}

/// Another protocol, by which managers of one game alone talk with players: from the name of a
/// player, the rules, and the player as it is served by the lines of docs/PROTOCOL.md.
pub type Translated = fn(&str, &Value, Box<dyn Served>) -> Box<dyn Served>;
