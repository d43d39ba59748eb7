//! Whether the games of an experiment can come as far as a measure asks.

use serde_json::Value;

use crate::arena::{Arena, Rules};
use crate::measure::{REACHED, What};

/// Why no game of this experiment can come so far.
pub fn out_of_reach(what: What, arena: &Arena, rules: &Rules) -> Option<String> {
    let What::Reach(tile) = what else { return None };
    if !arena.facts.contains(&REACHED) {
        return Some(format!("in {} there are no tiles to reach", arena.name));
    }
    let last = last_tile(&rules.settings).filter(|&last| last < u64::from(tile))?;
    Some(format!("no game can reach {tile}: `until` stops each at {last}"))
}

/// The tile beyond which no game is played, if there is one.
fn last_tile(rules: &Value) -> Option<u64> {
    match &rules["until"] {
        Value::String(word) if word == "win" => rules["win"].as_u64(),
        until => until.as_u64(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn games_end_somewhere() {
        assert_eq!(last_tile(&json!({ "win": 512, "until": "game-over" })), None);
        assert_eq!(last_tile(&json!({ "win": 512, "until": 1024 })), Some(1024));
        assert_eq!(last_tile(&json!({ "win": 512, "until": "win" })), Some(512));
        assert_eq!(last_tile(&json!({})), None);
    }
}
