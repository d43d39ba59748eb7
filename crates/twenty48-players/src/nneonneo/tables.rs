//! Evaluation and slides of each line, in the original's single precision.

use std::sync::LazyLock;

use gauntlet_twenty48::eval::merges_of_line;
use gauntlet_twenty48::rules::line::{Line, pack, reverse, slide_line};
use gauntlet_twenty48::rules::nibbles::build_table;
use gauntlet_twenty48::rules::{Grid, PackedLines};

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
        Tables { heuristic: build_table(heuristic_of_line), slides: build_table(slides_of_line) }
    }

    /// Returns the evaluation of a board.
    #[inline(always)]
    pub(super) fn heuristic(&self, grid: Grid) -> f32 {
        self.sum(grid.rows) + self.sum(grid.columns)
    }

    #[inline(always)]
    fn sum(&self, lines: PackedLines) -> f32 {
        let [a, b, c, d] = lines.lines().map(|line| self.heuristic[usize::from(line)]);
        a + b + c + d
    }

    /// Returns all lines slid towards their first cells, and towards their last.
    #[inline(always)]
    pub(super) fn slide_both_ways(&self, lines: PackedLines) -> (PackedLines, PackedLines) {
        let both_slides = lines.lines().map(|line| self.slides[usize::from(line)]);
        (
            PackedLines::from_lines(both_slides.map(|slides| slides as u16)),
            PackedLines::from_lines(both_slides.map(|slides| (slides >> 16) as u16)),
        )
    }
}

/// Returns the value of a line, rounded where the original rounds.
fn heuristic_of_line(line: Line) -> f32 {
    let power = |rank: u8, power| libm::pow(rank.into(), power);
    let sum = line.into_iter().fold(0.0, |sum: f32, rank| (f64::from(sum) + power(rank, 3.5)) as f32);
    let empty = line.into_iter().filter(|&rank| rank == 0).count();
    let [mut falling, mut rising] = [0.0_f32; 2];
    for pair in line.windows(2) {
        let step = power(pair[0], 4.0) - power(pair[1], 4.0);
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
