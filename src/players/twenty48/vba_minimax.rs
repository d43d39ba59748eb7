//! The port of ovolve's program to VBA: minimax over every tile that may come.
//!
//! Source: a listing in a Russian article on 2048 by minimax with alpha-beta; its workbook is not public, so nothing
//! here could be compared with a run of the original. Depth counts the plies of both sides, and the computer may
//! place a 2 or a 4 on every empty cell. A board on which nothing moves is worth -1000000 and its largest tile; any
//! other, at depth 0, 0.1 smoothness + monotonicity + 2.7 ln(empty cells) + the value of the largest tile, which
//! with its hundreds or thousands outweighs the rest.
//!
//! The listing has two slips, and here both are settings. First, both loops are left where alpha-beta should go on,
//! and go on where they should be left. What comes of that depends on how the language passes alpha and beta:
//!
//! - by reference, as VBA does unless told otherwise: after the first leaf the bounds of all plies, which are the
//!   same two variables, are closed, and no loop is ever left again; nearly plain minimax;
//! - by value, as most readers would take it: a ply of the player looks at its first legal move only, and a ply of the
//!   computer at 2s only;
//! - `minimax` is what was meant: alpha-beta as it should be, and so the value of plain minimax.
//!
//! Second, the smoothness is overwritten where it should be summed, and is positive: it is the difference of the
//! last pair of neighbours that is looked at.
//!
//! Deviations, where the listing is silent: the logarithm is the natural one, and that of no empty cell is 0 (VBA's
//! own would fail). At the root each legal move of up, left, right and down, in this order, is given a full window,
//! and the first of equals is taken. The depth is not told; 3 is our guess.
//!
//! Costs, in ms of CPU time a move over whole games on one core of a shared machine (an EPYC): `minimax` 0.004 at depth 3 and 0.026 at depth 4, `by-ref` 0.005 and 0.044, `by-val` 0.002 and 0.016. Lines
//! looked up in ovolve's tables make that 4 to 22 times less than the plain search in the tests takes.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::ovolve::tables::{Measured, TABLES};
use crate::eval::twenty48::{LN, monotonicity_lines, smoothness_last, smoothness_nearest};
use crate::games::twenty48::{After, Board, Cells, Direction, Nibbles, Twenty48};
use crate::num::Whole;
use crate::player::{Kit, NoMove, Player, Recipe, Stop, Thought};
use crate::rng::Seed;

/// The manual.
pub const EXAMPLE: &str = r#"# Searches by minimax over every tile that may come, as a port of ovolve to VBA does.
algorithm = "vba-minimax"
depth = 3               # plies of both sides, 1 to 12
reading = "minimax"     # alpha-beta as meant; as printed, with bounds that are shared, "by-ref", or copied, "by-val"
smooth = "vba-printed"  # the last difference of neighbours, as printed; or what ovolve's program sums, "ovolve"
"#;

/// What the example leaves out.
pub const SAMPLES: &[&str] = &[
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
    /// How many plies, of both sides.
    pub depth: Whole<1, 12>,
    /// How the listing is understood.
    pub reading: Reading,
    /// Which smoothness is weighed.
    pub smooth: Smooth,
}

impl Default for Config {
    fn default() -> Config {
        Config { depth: Whole::new(3), reading: Reading::Minimax, smooth: Smooth::VbaPrinted }
    }
}

/// How the listing is understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// As it was meant: a loop is left where alpha and beta meet.
    Minimax,
    /// As printed, with one alpha and one beta for all plies: a loop is left where they do not meet.
    ByRef,
    /// As printed, with an alpha and a beta of each ply's own.
    ByVal,
}

/// Which smoothness is weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Smooth {
    /// The feature `smoothness-last`.
    VbaPrinted,
    /// The feature `smoothness-nearest`.
    Ovolve,
}

impl Recipe<Twenty48> for Config {
    fn build(&self, kit: &Kit) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        // Tables are made now, not on the time of the first move.
        LazyLock::force(&TABLES);
        let stop = kit.stop.clone();
        let search = Search { reading: self.reading, smooth: self.smooth, positions: 0, stop };
        Ok(Box::new(VbaMinimax { depth: self.depth.get(), search }))
    }
}

struct VbaMinimax {
    depth: u32,
    search: Search,
}

impl Player<Twenty48> for VbaMinimax {
    fn begin(&mut self, _seed: Seed) {}

    fn choose(&mut self, position: &Twenty48) -> Result<Thought<Direction>, NoMove> {
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
        Ok(Thought { mv, value: Some(value), nodes, depth })
    }
}

/// The order in which the player's moves are tried.
const WAYS: [Direction; 4] = [Direction::Up, Direction::Left, Direction::Right, Direction::Down];

/// What no value falls below or exceeds.
const LIMIT: f64 = 1_000_000.0;

/// Alpha and beta.
#[derive(Clone, Debug)]
struct Window {
    alpha: f64,
    beta: f64,
}

const FULL: Window = Window { alpha: -LIMIT, beta: LIMIT };

struct Search {
    reading: Reading,
    smooth: Smooth,
    /// Boards that were looked at.
    positions: u64,
    stop: Stop,
}

impl Search {
    fn player(&mut self, board: Board, depth: u32, window: &mut Window) -> f64 {
        self.positions += 1;
        if board.is_over() {
            return f64::from(board.cells().max_tile()) - LIMIT;
        }
        if depth == 0 {
            return self.value(board.cells());
        }
        let mut best = -LIMIT;
        for after in WAYS.into_iter().filter_map(|direction| board.slide(direction)) {
            best = self.below(window, |search, window| search.computer(after, depth - 1, window)).max(best);
            window.alpha = window.alpha.max(best);
            if self.leaves(window) {
                break;
            }
        }
        best
    }

    /// A board after a move has an empty cell, so it is not asked whether the game is over.
    fn computer(&mut self, after: After, depth: u32, window: &mut Window) -> f64 {
        self.positions += 1;
        if depth == 0 {
            return self.value(after.cells());
        }
        if self.stop.is_asked() {
            return 0.0;
        }
        let mut best = LIMIT;
        for index in (0..16).filter(|&index| after.cells().rank(index) == 0) {
            for rank in [1, 2] {
                let board = after.place(index, rank);
                best = self.below(window, |search, window| search.player(board, depth - 1, window)).min(best);
                window.beta = window.beta.min(best);
                if self.leaves(window) {
                    // Alpha-beta has seen enough of the ply. As printed, the loop over 2 and 4 is left, no more.
                    if self.reading == Reading::Minimax {
                        return best;
                    }
                    break;
                }
            }
        }
        best
    }

    /// Searches a ply below, with these bounds or with a copy of them.
    fn below(&mut self, window: &mut Window, search: impl FnOnce(&mut Search, &mut Window) -> f64) -> f64 {
        match self.reading {
            Reading::ByRef => search(self, window),
            Reading::ByVal | Reading::Minimax => search(self, &mut window.clone()),
        }
    }

    /// Whether a loop is left.
    fn leaves(&self, window: &Window) -> bool {
        match self.reading {
            Reading::Minimax => window.beta <= window.alpha,
            Reading::ByRef | Reading::ByVal => window.beta > window.alpha,
        }
    }

    fn value(&self, cells: Cells) -> f64 {
        let (measured, last) = match cells.nibbles() {
            Some(rows) => (TABLES.measured(rows, rows.transposed()), last_difference(rows)),
            None => (measured(cells), smoothness_last(cells)),
        };
        let smoothness = match self.smooth {
            Smooth::VbaPrinted => last,
            Smooth::Ovolve => measured.smoothness,
        };
        let room = if measured.empty == 0 { 0.0 } else { LN[measured.empty] };
        0.1 * smoothness + measured.monotonicity + 2.7 * room + f64::from(cells.max_tile())
    }
}

/// What tables cannot measure.
#[cold]
fn measured(cells: Cells) -> Measured {
    Measured {
        smoothness: smoothness_nearest(cells),
        monotonicity: monotonicity_lines(cells),
        empty: cells.empty() as usize,
    }
}

/// The feature `smoothness-last` of a board of nibbles, from its end: the pair that is looked at last.
#[inline]
fn last_difference(rows: Nibbles) -> f64 {
    let rows = rows.word();
    let first = |tiles: u64| tiles >> (tiles.trailing_zeros() & !3) & 15;
    let mut tiles = rows;
    while tiles != 0 {
        let place = (63 - tiles.leading_zeros()) & !3;
        let tile = tiles >> place;
        tiles ^= tile << place;
        let from_here = rows >> place;
        // In its row there are so many cells more; what lies behind them is of the next.
        let right = from_here >> 4 & ((1 << (12 - place % 16)) - 1);
        let below = from_here >> 16 & 0x0000_000F_000F_000F;
        if right | below != 0 {
            return tile.abs_diff(first(if right != 0 { right } else { below })) as f64;
        }
    }
    0.0
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::value::RawValue;

    use super::*;
    use crate::game::Game;
    use crate::games::twenty48::Rules;

    const STATIC: &str = include_str!("../../../tests/it/vectors/vba_static.jsonl");
    const SEARCHES: &str = include_str!("../../../tests/it/vectors/vba_minimax.jsonl");

    const READINGS: [Reading; 3] = [Reading::ByRef, Reading::ByVal, Reading::Minimax];

    fn searching(reading: Reading, smooth: Smooth) -> Search {
        Search { reading, smooth, positions: 0, stop: Stop::default() }
    }

    fn number(value: &RawValue) -> f64 {
        value.get().parse().expect("a number")
    }

    /// The transliteration has another logarithm of 3, and it may sum in another order.
    #[track_caller]
    fn check_near(value: f64, expected: f64, of: &str) {
        assert!((value - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{of}: {value}, not {expected}");
    }

    #[test]
    fn boards_are_evaluated_as_printed() {
        #[derive(Deserialize)]
        struct Case<'a> {
            board: [u64; 16],
            #[serde(rename = "smoothPrinted", borrow)]
            smooth_printed: &'a RawValue,
            #[serde(rename = "smoothAccumulated", borrow)]
            smooth_accumulated: &'a RawValue,
            #[serde(borrow)]
            eval: &'a RawValue,
            over: bool,
        }

        let mut cases = 0;
        for line in STATIC.lines() {
            let case: Case = serde_json::from_str(line).expect("a line of a board");
            let cells = Cells::from_values(case.board).expect("tiles");
            let expected = number(case.eval);
            check_near(searching(Reading::Minimax, Smooth::VbaPrinted).value(cells), expected, line);
            // The other smoothness in place of the printed one.
            let (printed, summed) = (number(case.smooth_printed), -number(case.smooth_accumulated));
            let expected = expected + 0.1 * (summed - printed);
            check_near(searching(Reading::Minimax, Smooth::Ovolve).value(cells), expected, line);
            assert_eq!(Board::new(cells).is_over(), case.over, "{line}");
            cases += 1;
        }
        assert_eq!(cases, 1292);
    }

    #[test]
    fn boards_are_searched_in_all_three_readings() {
        #[derive(Deserialize)]
        struct Case<'a> {
            board: [u64; 16],
            #[serde(borrow)]
            runs: Vec<Run<'a>>,
        }

        #[derive(Deserialize)]
        struct Run<'a> {
            depth: u32,
            maximising: bool,
            #[serde(rename = "byRef", borrow)]
            by_ref: &'a RawValue,
            #[serde(rename = "byVal", borrow)]
            by_val: &'a RawValue,
            #[serde(borrow)]
            minimax: &'a RawValue,
        }

        let mut runs = 0;
        for line in SEARCHES.lines() {
            let case: Case = serde_json::from_str(line).expect("a line of searches");
            let cells = Cells::from_values(case.board).expect("tiles");
            for run in case.runs {
                let expected = [run.by_ref, run.by_val, run.minimax];
                for (reading, expected) in READINGS.into_iter().zip(expected) {
                    let of = format!("{:?} {reading:?} at depth {}", case.board, run.depth);
                    for value in [found, found_plainly]
                        .map(|found| found(reading, Smooth::VbaPrinted, cells, run.depth, run.maximising))
                    {
                        check_near(value, number(expected), &of);
                    }
                    runs += 1;
                }
            }
        }
        assert_eq!(runs, 3 * 694);
    }

    fn found(reading: Reading, smooth: Smooth, cells: Cells, depth: u32, maximising: bool) -> f64 {
        let mut search = searching(reading, smooth);
        if maximising {
            search.player(Board::new(cells), depth, &mut FULL.clone())
        } else {
            search.computer(After::new(cells), depth, &mut FULL.clone())
        }
    }

    /// The search by its definition.
    fn found_plainly(reading: Reading, smooth: Smooth, cells: Cells, depth: u32, maximising: bool) -> f64 {
        let (mut alpha, mut beta) = (-LIMIT, LIMIT);
        plain(reading, smooth, cells, depth, maximising, &mut alpha, &mut beta)
    }

    fn plain(
        reading: Reading,
        smooth: Smooth,
        cells: Cells,
        depth: u32,
        maximising: bool,
        alpha: &mut f64,
        beta: &mut f64,
    ) -> f64 {
        if Board::new(cells).is_over() {
            return -LIMIT + f64::from(cells.max_tile());
        }
        if depth == 0 {
            let smooth = match smooth {
                Smooth::VbaPrinted => smoothness_last(cells),
                Smooth::Ovolve => smoothness_nearest(cells),
            };
            let room = if cells.empty() == 0 { 0.0 } else { LN[cells.empty() as usize] };
            return 0.1 * smooth
                + 1.0 * monotonicity_lines(cells)
                + 2.7 * room
                + 1.0 * f64::from(cells.max_tile());
        }
        let below = |cells: Cells, alpha: &mut f64, beta: &mut f64| {
            let (mut own_alpha, mut own_beta) = (*alpha, *beta);
            match reading {
                Reading::ByRef => plain(reading, smooth, cells, depth - 1, !maximising, alpha, beta),
                Reading::ByVal => {
                    plain(reading, smooth, cells, depth - 1, !maximising, &mut own_alpha, &mut own_beta)
                }
                // What alpha-beta should find, without any.
                Reading::Minimax => plain(reading, smooth, cells, depth - 1, !maximising, &mut 0.0, &mut 0.0),
            }
        };
        let mut best = if maximising { -LIMIT } else { LIMIT };
        if maximising {
            for direction in [Direction::Up, Direction::Left, Direction::Right, Direction::Down] {
                if let Some(after) = Board::new(cells).slide(direction) {
                    best = best.max(below(after.cells(), alpha, beta));
                    *alpha = alpha.max(best);
                    if reading != Reading::Minimax && *beta > *alpha {
                        break;
                    }
                }
            }
        } else {
            for index in 0..16 {
                for rank in [1, 2] {
                    let mut ranks = cells.ranks();
                    if ranks[index] != 0 {
                        continue;
                    }
                    ranks[index] = rank;
                    best = best.min(below(Cells::from_ranks(ranks), alpha, beta));
                    *beta = beta.min(best);
                    if reading != Reading::Minimax && *alpha < *beta {
                        break;
                    }
                }
            }
        }
        best
    }

    /// Boards from random play, and the same raised to 16384, 32768 and 65536.
    fn boards_of_play() -> Vec<Cells> {
        let mut boards = Vec::new();
        for seed in 0..40 {
            let mut world = Seed::root(seed).child("world", 0).rng();
            let mut dice = Seed::root(seed).child("player", 0).rng();
            let mut game = Twenty48::start(&Rules::default(), &mut world);
            while let Some(mv) = game.random_move(&mut dice) {
                boards.push(game.board().cells());
                game.play(mv, &mut world).expect("a legal move");
            }
        }
        let raised = boards.iter().step_by(7).flat_map(|cells| {
            [14, 15, 16].map(|largest| {
                let lift = largest - cells.max_rank();
                Cells::from_ranks(cells.ranks().map(|rank| if rank <= 2 { rank } else { rank + lift }))
            })
        });
        let raised: Vec<_> = raised.collect();
        boards.extend(raised);
        boards
    }

    #[test]
    fn fast_is_as_plain() {
        let boards = boards_of_play();
        assert!(boards.len() > 5000, "{} boards", boards.len());
        for (number, &cells) in boards.iter().enumerate() {
            let depth = [1, 2, 2, 3][number % 4] - u32::from(number % 4 == 3 && cells.empty() > 6);
            for reading in READINGS {
                for smooth in [Smooth::VbaPrinted, Smooth::Ovolve] {
                    let fast = found(reading, smooth, cells, depth, true);
                    let plain = found_plainly(reading, smooth, cells, depth, true);
                    assert_eq!(fast, plain, "{cells:?} {reading:?} {smooth:?}");
                }
            }
        }
    }

    /// The move is the first of the best, each valued by itself.
    #[test]
    fn each_move_has_a_window_of_its_own() {
        for (number, cells) in boards_of_play().into_iter().enumerate().filter(|(_, cells)| cells.empty() < 5)
        {
            let (reading, depth) = (READINGS[number % 3], 2 + number as u32 % 2);
            let mut best: Option<(f64, Direction)> = None;
            for direction in [Direction::Up, Direction::Left, Direction::Right, Direction::Down] {
                let Some(after) = Board::new(cells).slide(direction) else { continue };
                let value = found_plainly(reading, Smooth::VbaPrinted, after.cells(), depth - 1, false);
                if best.is_none_or(|(most, _)| value > most) {
                    best = Some((value, direction));
                }
            }
            let settings = format!("{{\"depth\": {depth}}}");
            let mut config: Config = serde_json::from_str(&settings).expect("settings");
            config.reading = reading;
            let mut player = config.build(&Kit::default()).expect("a player");
            let position = Twenty48::set_up(&Rules::default(), &cells.line(), None).expect("a board");
            let thought = player.choose(&position).ok();
            assert_eq!(
                thought.map(|thought| (thought.value.expect("a value"), thought.mv)),
                best,
                "{cells:?}"
            );
        }
    }
}
