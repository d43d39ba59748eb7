//! Plays the move with the largest immediate gain, from the author of 2048 in SwiftUI; among equal
//! gains the last.
//!
//! Source: BestKora/Game2048ChatGPT `109bfd1` and the articles around it (see the module above).
//! The two differ only in the order of directions. If nothing merges, all gains are 0, so the last
//! legal direction of the order is played: left in the program, right in the articles.
//!
//! Deviations: none; its "right if nothing moves" is never reached.

use gauntlet_core::player::{BuildContext, Player, Recipe};
use gauntlet_twenty48::rules::Twenty48;
use serde::{Deserialize, Serialize};

use super::super::greedy::Greedy;
use super::super::order::DirectionOrder;
use super::family::SwiftSource;

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Greedy player of a SwiftUI program, which makes the last of the moves with the most points.
algorithm = "swift-greedy"
# order of moves: down, up, right, left; "article": up, down, left, right
family = "repository"
"#;

/// Examples of settings that [`EXAMPLE`] leaves out.
pub const MORE_EXAMPLES: &[&str] = &[r#"algorithm = "swift-greedy"
family = "article"
"#];

/// Settings of `swift-greedy`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Source of the order of directions.
    pub family: SwiftSource,
}

impl Recipe<Twenty48> for Config {
    fn build(&self, _context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        // The last of the family's order is the first of the reversed one.
        Ok(Box::new(Greedy::new(DirectionOrder::new(self.family.order()).reverse())))
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_twenty48::rules::{Direction, Rules};

    use super::super::vectors;
    use super::*;

    fn choose(family: SwiftSource, board: &str) -> Option<Direction> {
        let position = Twenty48::set_up(&Rules::default(), board, None).expect("a board");
        position.board().legal_directions().next()?;
        let mut player = Config { family }.build(&BuildContext::default()).expect("needs nothing");
        Some(player.choose(&position).expect("there is a move").mv)
    }

    #[test]
    fn every_board_of_the_vectors() {
        let mut count = 0;
        for case in vectors::static_cases() {
            let expected =
                [(SwiftSource::Article, &case.greedy_article), (SwiftSource::Repository, &case.greedy_repo)];
            for (family, expected) in expected {
                // If nothing moves the original answers "right"; ours is not asked.
                if let Some(direction) = choose(family, &case.board.format_line()) {
                    assert_eq!(direction.name(), expected, "{family:?} on {}", case.board.format_line());
                    count += 1;
                }
            }
        }
        assert!(count > 2000, "only {count} moves were compared");
    }

    /// Test by the original's author.
    #[test]
    fn best_direction_of_the_author() {
        let lines = vectors::lines::<serde_json::Value>(vectors::XCTEST);
        let line = lines.iter().find(|line| line["algorithm"] == "greedy").expect("a test of greedy");
        let board: [u64; 16] = serde_json::from_value(line["board"].clone()).expect("a board");
        let board = gauntlet_twenty48::rules::Cells::from_values(board).expect("tiles");
        let direction = choose(SwiftSource::Repository, &board.format_line()).expect("a move");
        assert_eq!(direction.name(), line["best"]);
    }
}
