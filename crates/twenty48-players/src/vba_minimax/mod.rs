//! Port of ovolve's program to VBA: minimax over every possible tile.
//!
//! Source: a listing in a Russian article on 2048 by minimax with alpha-beta. Its workbook is not
//! public, so nothing here could be compared with a run of the original. Depth counts the plies of
//! both sides, and the computer may place a 2 or a 4 on every empty cell. A board on which nothing
//! moves is worth -1000000 plus its largest tile. Any other, at depth 0, is worth 0.1 smoothness +
//! monotonicity + 2.7 ln(empty cells) + the value of the largest tile, which at hundreds or
//! thousands outweighs the rest.
//!
//! The listing has two bugs, and both are settings here. First, both loops exit where alpha-beta
//! should continue, and continue where they should exit. The effect depends on how the language
//! passes alpha and beta:
//!
//! - by reference, the default of VBA: after the first leaf the bounds of all plies, which are the
//!   same two variables, are closed, and no loop exits again; nearly plain minimax;
//! - by value, as most readers would assume: a ply of the player tries its first legal move only,
//!   and a ply of the computer 2s only;
//! - `minimax` is what was intended: correct alpha-beta, and so the value of plain minimax.
//!
//! Second, the smoothness is overwritten where it should be summed, and is positive: it is the
//! difference of the last pair of neighbours visited.
//!
//! Deviations, where the listing is silent: the logarithm is the natural one, and that of no empty
//! cell is 0 (VBA's own would fail). At the root each legal move of up, left, right and down, in
//! this order, is searched with a full window, and the first among equals is taken. The listing
//! gives no depth; 3 is our guess.
//!
//! CPU time in ms per move over whole games, on one core of a shared machine (an EPYC): `minimax`
//! takes 0.004 at depth 3 and 0.026 at depth 4, `by-ref` 0.005 and 0.044, `by-val` 0.002 and 0.016.
//! That is 4 to 22 times less than the plain search in the tests, because lines are looked up in
//! tables.

mod search;
#[cfg(test)]
mod tests;

use gauntlet_core::num::{BoundedInt, DepthLimit};
use gauntlet_core::player::{Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, Start};
use gauntlet_twenty48::rules::{Direction, Twenty48};
use serde::{Deserialize, Serialize};

use search::{FULL_WINDOW, MOVE_ORDER, Search};
pub use search::{ListingInterpretation, SmoothnessFeature};

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Minimax over all new tiles, as in a VBA port of ovolve's program.
algorithm = "vba-minimax"
depth = 3               # plies of both sides, 1 to 12
# "minimax": as intended; "by-ref" or "by-val": as printed, with its bug
reading = "minimax"
# smoothness as printed, or as in ovolve's program: "ovolve"
smooth = "vba-printed"
"#;

/// Examples of settings that [`EXAMPLE`] leaves out.
pub const MORE_EXAMPLES: &[&str] = &[
    r#"algorithm = "vba-minimax"
depth = 2
reading = "by-ref"
"#,
    r#"algorithm = "vba-minimax"
depth = 2
reading = "by-val"
smooth = "ovolve"
"#,
];

/// Settings of `vba-minimax`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Plies of both sides.
    pub depth: DepthLimit<1, 12>,
    /// Interpretation of the listing.
    pub reading: ListingInterpretation,
    /// Smoothness in the evaluation.
    pub smooth: SmoothnessFeature,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            depth: BoundedInt::new(3),
            reading: ListingInterpretation::Minimax,
            smooth: SmoothnessFeature::VbaPrinted,
        }
    }
}

impl Recipe<Twenty48> for Config {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let search = Search::new(self.reading, self.smooth, context.stop.clone());
        Ok(Box::new(VbaMinimax { depth: self.depth.get(), search }))
    }
}

struct VbaMinimax {
    depth: u32,
    search: Search,
}

impl Player<Twenty48> for VbaMinimax {
    fn begin(&mut self, _start: &Start<Twenty48>) {}

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        self.search.positions = 0;
        let mut best: Option<(f64, Direction)> = None;
        for (direction, after) in position.board().slides(MOVE_ORDER) {
            let value = self.search.computer(after, self.depth - 1, &mut FULL_WINDOW.clone());
            if best.is_none_or(|(best_value, _)| value > best_value) {
                best = Some((value, direction));
            }
        }
        self.search.stop.check()?;
        let (value, mv) = best.ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        let (nodes, depth) = (self.search.positions, Some(self.depth));
        Ok(Choice { value: Some(value), nodes, depth, ..Choice::new(mv) })
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Twenty48> for VbaMinimax {
    fn move_values(&mut self, position: &Twenty48) -> Vec<(Direction, f64)> {
        let slides = position.board().slides(MOVE_ORDER);
        slides
            .map(|(direction, after)| {
                (direction, self.search.computer(after, self.depth - 1, &mut FULL_WINDOW.clone()))
            })
            .collect()
    }
}
