//! The port of ovolve's program to VBA: minimax over every tile that may come.
//!
//! Source: a listing in a Russian article on 2048 by minimax with alpha-beta; its workbook is not
//! public, so nothing here could be compared with a run of the original. Depth counts the plies of
//! both sides, and the computer may place a 2 or a 4 on every empty cell. A board on which nothing
//! moves is worth -1000000 and its largest tile; any other, at depth 0, 0.1 smoothness +
//! monotonicity + 2.7 ln(empty cells) + the value of the largest tile, which with its hundreds or
//! thousands outweighs the rest.
//!
//! The listing has two slips, and here both are settings. First, both loops are left where
//! alpha-beta should go on, and go on where they should be left. What comes of that depends on how
//! the language passes alpha and beta:
//!
//! - by reference, as VBA does unless told otherwise: after the first leaf the bounds of all plies,
//!   which are the same two variables, are closed, and no loop is ever left again; nearly plain
//!   minimax;
//! - by value, as most readers would take it: a ply of the player looks at its first legal move
//!   only, and a ply of the computer at 2s only;
//! - `minimax` is what was meant: alpha-beta as it should be, and so the value of plain minimax.
//!
//! Second, the smoothness is overwritten where it should be summed, and is positive: it is the
//! difference of the last pair of neighbours that is looked at.
//!
//! Deviations, where the listing is silent: the logarithm is the natural one, and that of no empty
//! cell is 0 (VBA's own would fail). At the root each legal move of up, left, right and down, in
//! this order, is given a full window, and the first of equals is taken. The depth is not told; 3
//! is our guess.
//!
//! Costs, in ms of CPU time a move over whole games on one core of a shared machine (an EPYC):
//! `minimax` 0.004 at depth 3 and 0.026 at depth 4, `by-ref` 0.005 and 0.044, `by-val` 0.002 and
//! 0.016. That is 4 to 22 times less than the plain search in the tests takes, because lines are
//! looked up in tables.
//!
//! - `search`: the search itself

mod search;
#[cfg(test)]
mod tests;

use gauntlet_core::num::Whole;
use gauntlet_core::player::{Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, Start};
use serde::{Deserialize, Serialize};

use crate::rules::{Direction, Twenty48};
use search::{FULL, Search, WAYS};
pub use search::{Reading, Smooth};

/// The manual.
pub const EXAMPLE: &str = r#"# Searches by minimax over every tile that may come, as a port of ovolve to VBA does.
algorithm = "vba-minimax"
depth = 3               # plies of both sides, 1 to 12
# as meant; as printed, where bounds are shared, "by-ref"; or copied, "by-val"
reading = "minimax"
# the last difference of neighbours, as printed; or what ovolve sums, "ovolve"
smooth = "vba-printed"
"#;

/// Examples of the settings that [`EXAMPLE`] leaves out.
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

/// Settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Plies of both sides.
    pub depth: Whole<1, 12>,
    /// Reading of the listing.
    pub reading: Reading,
    /// Smoothness in the evaluation.
    pub smooth: Smooth,
}

impl Default for Config {
    fn default() -> Config {
        Config { depth: Whole::new(3), reading: Reading::Minimax, smooth: Smooth::VbaPrinted }
    }
}

impl Recipe<Twenty48> for Config {
    fn build(&self, kit: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let search = Search::new(self.reading, self.smooth, kit.stop.clone());
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
        for direction in WAYS {
            let Some(after) = position.board().slide(direction) else { continue };
            let value = self.search.computer(after, self.depth - 1, &mut FULL.clone());
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, direction));
            }
        }
        self.search.stop.check()?;
        let (value, mv) = best.ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        let (nodes, depth) = (self.search.positions, Some(self.depth));
        Ok(Choice { mv, value: Some(value), nodes, depth })
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Twenty48> for VbaMinimax {
    fn move_values(&mut self, position: &Twenty48) -> Vec<(Direction, f64)> {
        let mut worth = |direction| {
            let after = position.board().slide(direction)?;
            Some((direction, self.search.computer(after, self.depth - 1, &mut FULL.clone())))
        };
        WAYS.into_iter().filter_map(&mut worth).collect()
    }
}
