//! Evaluation and slides of each line, in the original's single precision.

use std::sync::LazyLock;

use gauntlet_twenty48::eval::{RankPowers, merges_of_line};
use gauntlet_twenty48::rules::Grid;
use gauntlet_twenty48::rules::line::{Line, pack, reverse, slide_line};
use gauntlet_twenty48::rules::nibbles::build_table;

use crate::leaf_values::LineTables;

/// Tables, built once.
pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

/// Tables of lines, indexed by their four nibbles.
pub(super) struct Tables {
    heuristic: Box<[f32; 1 << 16]>,
    /// Line slid towards its first cell (low half), and towards its last.
    slides: Box<[u32; 1 << 16]>,
}

impl Tables {
    fn new() -> Tables {
        let (rank_powers, step_powers) = (RankPowers::new(3.5), RankPowers::new(4.0));
        Tables {
            heuristic: build_table(|line| heuristic_of_line(line, &rank_powers, &step_powers)),
            slides: build_table(slides_of_line),
        }
    }

    /// Returns the evaluation of a board.
    #[inline(always)]
    pub(super) fn heuristic(&self, grid: Grid) -> f32 {
        self.sum_all(grid.rows) + self.sum_all(grid.columns)
    }
}

impl LineTables for Tables {
    type Value = f32;
    /// Value of a lost position.
    const NONE: f32 = 0.0;

    #[inline(always)]
    fn slide(&self, line: u16) -> (u16, u16) {
        let slides = self.slides[usize::from(line)];
        (slides as u16, (slides >> 16) as u16)
    }

    #[inline(always)]
    fn value(&self, line: u16) -> f32 {
        self.heuristic[usize::from(line)]
    }

    #[inline(always)]
    fn sum([a, b, c, d]: [f32; 4]) -> f32 {
        a + b + c + d
    }

    #[inline(always)]
    fn max(one: f32, other: f32) -> f32 {
        if one > other { one } else { other }
    }
}

/// Returns the value of a line, rounded where the original rounds.
fn heuristic_of_line(line: Line, rank_powers: &RankPowers, step_powers: &RankPowers) -> f32 {
    let sum = line.into_iter().fold(0.0, |sum: f32, rank| (f64::from(sum) + rank_powers.power(rank)) as f32);
    let empty = line.into_iter().filter(|&rank| rank == 0).count();
    let [mut falling, mut rising] = [0.0_f32; 2];
    for pair in line.windows(2) {
        let step = step_powers.power(pair[0]) - step_powers.power(pair[1]);
        if step > 0.0 {
            falling = (f64::from(falling) + step) as f32;
        } else {
            rising = (f64::from(rising) - step) as f32;
        }
    }
    200_000.0 + 270.0 * empty as f32 + 700.0 * merges_of_line(line) as f32
        - 47.0 * falling.min(rising)
        - 11.0 * sum
}

/// Returns the slides by the rules, except that two tiles of 32768 merge to one of 32768.
fn slides_of_line(line: Line) -> u32 {
    let pack_capped = |after: Line| u32::from(pack(after.map(|rank| rank.min(15))));
    pack_capped(slide_line(line)) | pack_capped(reverse(slide_line(reverse(line)))) << 16
}
