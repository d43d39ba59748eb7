//! Players that answer other programs.

use serde_json::Value;

/// Player that answers other programs over lines of text.
pub trait PlayerServer {
    /// Answers a line, or ends the conversation. A mistake in the line is returned as a message.
    fn handle_line(&mut self, line: &str) -> Result<Reply, String>;
}

/// Reply to a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The line needs no answer.
    None,
    /// Answer, without its line end.
    Line(String),
    /// The conversation is over.
    Quit,
}

/// Adapter for another protocol, used by managers of one game. Arguments are the player's name, the
/// rules, and the player as served over docs/PROTOCOL.md.
pub type ProtocolAdapter = fn(&str, &Value, Box<dyn PlayerServer>) -> Box<dyn PlayerServer>;
