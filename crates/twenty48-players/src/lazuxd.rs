//! Alpha-beta minimax on the mean value of the tiles.
//!
//! Source: lazuxd/playing-2048-with-minimax at commit `041d3b2`, in Python, and the article on it,
//! "How to apply Minimax to 2048". Moves are tried up, down, left, right. The computer puts a 2 or
//! a 4 on any empty cell, whichever is worst. A position at the end of the search is worth the
//! truncated mean of its tiles. Depth counts both sides' plies, 5 in the program. A lost position
//! is valued like any other.
//!
//! Deviations: none in its answers. Values are exact and the first among equal moves is made, so
//! replies may be searched in any way. The last turn is optimized: tiles only add to the sum, so
//! the sum is known. The best move is the one with the most merges, and the worst tile is found by
//! counting merges of rows and columns.
//!
//! At depth 5 a move takes 0.003 ms (median over games on one core of a shared EPYC), a tenth of
//! the plain twin in the tests.

use gauntlet_core::num::{BoundedInt, DepthLimit};
use gauntlet_core::player::{Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, Start, Stop};
use gauntlet_twenty48::rules::slide::merges_of_row;
use gauntlet_twenty48::rules::{Afterstate, Board, Cells, Direction, PackedLines, Twenty48};
use serde::{Deserialize, Serialize};

use super::new_tile::NewTile;

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Minimax of lazuxd's program, which maximizes the mean value of the tiles.
algorithm = "lazuxd"
depth = 5  # plies of both sides, 1 to 20
"#;

/// Settings of `lazuxd`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Plies of both sides.
    pub depth: DepthLimit<1, 20>,
}

impl Default for Config {
    fn default() -> Config {
        Config { depth: BoundedInt::try_from(5).expect("5 is in bounds") }
    }
}

impl Recipe<Twenty48> for Config {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        Ok(Box::new(Lazuxd { depth: self.depth.get(), search: Search::new(context.stop.clone()) }))
    }
}

struct Lazuxd {
    depth: u32,
    search: Search,
}

impl Player<Twenty48> for Lazuxd {
    /// Does nothing, because no state is kept between moves.
    fn begin(&mut self, _start: &Start<Twenty48>) {}

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        let (mv, value) = self.search.choose(position.board(), self.depth);
        self.search.stop.check()?;
        let mv = mv.ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        Ok(Choice {
            value: Some(value.into()),
            nodes: self.search.nodes,
            depth: Some(self.depth),
            ..Choice::new(mv)
        })
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Twenty48> for Lazuxd {
    fn move_values(&mut self, position: &Twenty48) -> Vec<(Direction, f64)> {
        self.search.direction_values(position.board(), self.depth)
    }
}

/// In the program's order.
const DIRECTIONS: [Direction; 4] = [Direction::Up, Direction::Down, Direction::Left, Direction::Right];

/// More than the maximum depth.
const PLIES: usize = 21;

struct Search {
    /// True if all boards of this search fit into nibbles.
    fits_nibbles: bool,
    /// Killer tile by remaining plies: the tile that was worst in the last search. Trying it first
    /// avoids most of the others.
    worst_tiles: [Option<NewTile>; PLIES],
    nodes: u64,
    stop: Stop,
}

impl Search {
    fn new(stop: Stop) -> Search {
        Search { fits_nibbles: true, worst_tiles: [None; PLIES], nodes: 0, stop }
    }

    /// Returns the first direction with the highest value, if there is any, and the value.
    fn choose(&mut self, board: Board, depth: u32) -> (Option<Direction>, u32) {
        let sum = board.cells().values().into_iter().sum();
        self.fits_nibbles = board.cells().nibbles_for(depth).is_some();
        self.worst_tiles = [None; PLIES];
        self.nodes = 0;
        let (mut best_move, mut best_value) = (None, 0);
        for (direction, after) in board.slides(DIRECTIONS) {
            let value = self.computer(after, sum, depth - 1, best_value, u32::MAX);
            if best_move.is_none() || value > best_value {
                (best_move, best_value) = (Some(direction), value);
            }
        }
        match best_move {
            None => (None, utility(board.cells(), sum)),
            best_move => (best_move, best_value),
        }
    }

    /// Returns the value of each direction, as in `choose` but without bounds from other
    /// directions.
    fn direction_values(&mut self, board: Board, depth: u32) -> Vec<(Direction, f64)> {
        let sum = board.cells().values().into_iter().sum();
        let slides = board.slides(DIRECTIONS);
        slides
            .map(|(direction, after)| (direction, self.computer(after, sum, depth - 1, 0, u32::MAX).into()))
            .collect()
    }

    /// Returns the value, cut to the bounds, if the player is to move.
    fn player(&mut self, board: Board, sum: u32, depth: u32, mut alpha: u32, beta: u32) -> u32 {
        self.nodes += 1;
        let mut is_stuck = true;
        if depth > 0 {
            for (_, after) in board.slides(DIRECTIONS) {
                is_stuck = false;
                alpha = alpha.max(self.computer(after, sum, depth - 1, alpha, beta));
                if beta <= alpha {
                    return alpha;
                }
            }
        }
        if is_stuck { utility(board.cells(), sum) } else { alpha }
    }

    /// Returns the value, cut to the bounds, before a tile appears.
    fn computer(&mut self, after: Afterstate, sum: u32, depth: u32, alpha: u32, mut beta: u32) -> u32 {
        self.nodes += 1;
        let cells = after.cells();
        if depth == 0 {
            return utility(cells, sum);
        }
        if self.stop.is_requested() {
            return beta;
        }
        if let Some(board) = cells.nibbles().filter(|_| self.fits_nibbles && depth == 2) {
            return self.last_turn(board, sum);
        }
        let ply = depth as usize;
        for tile in NewTile::all_starting_with(self.worst_tiles[ply], cells.empty_mask()) {
            let board = after.place(tile.cell, tile.rank);
            let value = self.player(board, sum + (1 << tile.rank), depth - 1, alpha, beta);
            if value < beta {
                beta = value;
                self.worst_tiles[ply] = Some(tile);
                if beta <= alpha {
                    break;
                }
            }
        }
        beta
    }

    /// Returns the value of the worst tile if the player then makes the move with the most merges.
    /// A move without merges has the value of no move. A tile changes the merges of one row and of
    /// one column.
    fn last_turn(&mut self, rows: PackedLines, sum: u32) -> u32 {
        let empty_mask = rows.empty_mask();
        self.nodes += 2 * u64::from(empty_mask.count_ones());
        let columns = rows.transpose();
        let (row_merges, column_merges) =
            (rows.lines().map(merges_of_row), columns.lines().map(merges_of_row));
        let (horizontal_merges, vertical_merges) =
            (row_merges.iter().sum::<u8>(), column_merges.iter().sum::<u8>());
        // Fewest merges after a 2, and after a 4.
        let mut min_merges = [u8::MAX; 2];
        let mut cells = empty_mask;
        while cells != 0 {
            let cell = cells.trailing_zeros() as usize / 4;
            cells &= cells - 1;
            let (row, column) = (cell / 4, cell % 4);
            for (rank, min_merges) in (1..).zip(&mut min_merges) {
                let horizontal_merges =
                    horizontal_merges - row_merges[row] + merges_of_row(rows.with_tile(cell, rank).line(row));
                let transposed = columns.with_tile(4 * column + row, rank);
                let vertical_merges =
                    vertical_merges - column_merges[column] + merges_of_row(transposed.line(column));
                *min_merges = (*min_merges).min(horizontal_merges.max(vertical_merges));
            }
        }
        let tiles = 17 - empty_mask.count_ones();
        let [two, four] = min_merges.map(u32::from);
        ((sum + 2) / (tiles - two)).min((sum + 4) / (tiles - four))
    }
}

/// Returns the truncated mean value of the tiles; 0 without tiles.
fn utility(cells: Cells, sum: u32) -> u32 {
    sum.checked_div(16 - cells.count_empty()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use gauntlet_core::game::{Game, RandomPlay};
    use gauntlet_core::rng::Seed;
    use gauntlet_twenty48::eval::tile_mean;
    use gauntlet_twenty48::rules::Rules;
    use gauntlet_twenty48::rules::line::{merges_when_slid, unpack};
    use serde_json::Value;

    use super::*;

    /// Plain twin of the program, as simple as its description.
    mod reference {
        use super::*;

        pub(super) fn maximize(board: Board, mut a: i64, b: i64, depth: u32) -> (i64, Option<Direction>) {
            let moves =
                DIRECTIONS.into_iter().filter_map(|direction| Some((direction, board.slide(direction)?)));
            let mut moves = moves.peekable();
            if depth == 0 || moves.peek().is_none() {
                return (tile_mean(board.cells()) as i64, None);
            }
            let (mut best, mut best_move) = (-1, None);
            for (direction, after) in moves {
                let value = minimize(after, a, b, depth - 1);
                if value > best {
                    (best, best_move) = (value, Some(direction));
                }
                if best >= b {
                    break;
                }
                a = a.max(best);
            }
            (best, best_move)
        }

        fn minimize(after: Afterstate, a: i64, mut b: i64, depth: u32) -> i64 {
            if depth == 0 {
                return tile_mean(after.cells()) as i64;
            }
            let mut best = i64::MAX;
            for cell in (0..16).filter(|&cell| after.cells().rank(cell) == 0) {
                for rank in [1, 2] {
                    best = best.min(maximize(after.place(cell, rank), a, b, depth - 1).0);
                    if best <= a {
                        return best;
                    }
                    b = b.min(best);
                }
            }
            best
        }

        /// Returns the choice as the program computes it.
        pub(super) fn choose(board: Board, depth: u32) -> (Option<Direction>, u32) {
            let (value, mv) = maximize(board, -1, i64::MAX, depth);
            (mv, value as u32)
        }
    }

    fn lines(text: &str) -> impl Iterator<Item = (Board, Value)> {
        text.lines().map(|line| {
            let case: Value = serde_json::from_str(line).expect("a line of JSON");
            let values = case["board"].as_array().expect("a list").iter();
            let values: Vec<u64> = values.map(|value| value.as_u64().expect("a tile")).collect();
            let cells = Cells::from_values(values.try_into().expect("sixteen")).expect("tiles");
            (Board::new(cells), case)
        })
    }

    #[test]
    fn the_table_agrees_with_the_definition_on_all_rows() {
        for row in 0..=u16::MAX {
            assert_eq!(merges_of_row(row), merges_when_slid(unpack(row)), "{row:04x}");
        }
    }

    #[test]
    fn searches_are_those_of_the_program() {
        let mut search = Search::new(Stop::default());
        let mut cases = 0;
        for (board, case) in lines(include_str!("../../../tests/it/vectors/lazuxd_search.jsonl")) {
            for result in case["depths"].as_array().expect("a list") {
                let depth = result["depth"].as_u64().expect("a depth") as u32;
                let mv = result["move"].as_u64().map(|code| DIRECTIONS[code as usize]);
                let expected = (mv, result["utility"].as_u64().expect("a value") as u32);
                assert_eq!(search.choose(board, depth), expected, "board {}, depth {depth}", case["id"]);
                assert_eq!(reference::choose(board, depth), expected, "board {}, depth {depth}", case["id"]);
                cases += 1;
            }
        }
        assert_eq!(cases, 466);
    }

    #[test]
    fn boards_are_worth_what_they_are_to_the_program() {
        for (board, case) in lines(include_str!("../../../tests/it/vectors/lazuxd_static.jsonl")) {
            let sum = board.cells().values().into_iter().sum();
            let expected = case["utility"].as_u64().unwrap_or(0) as u32;
            assert_eq!(utility(board.cells(), sum), expected, "board {}", case["id"]);
        }
    }

    /// Every choice and value of the fast search equals the plain search, on boards of games that
    /// begin with small or large tiles.
    #[test]
    fn fast_is_plain() {
        let starts = [
            "2 0 0 0  0 0 0 0  0 0 4 0  0 0 0 0",
            "2 0 0 0  4 2 0 0  16 8 512 4  16384 1024 512 0",
            "2 0 0 0  4 2 0 0  16384 8192 8192 4  32768 1024 512 0",
            "2 0 0 0  4 2 0 0  32768 32768 8192 4  65536 1024 512 0",
            "2 4 0 16  32768 8 64 32768  16384 16384 8 4  65536 131072 512 2",
        ];
        let mut search = Search::new(Stop::default());
        let mut count = 0;
        for game in 0..150 {
            let (mut game_rng, mut player_rng) =
                (Seed::root(game).child("world", 0).rng(), Seed::root(game).rng());
            let start = starts[game as usize % starts.len()];
            let mut position = Twenty48::set_up(&Rules::default(), start, None).expect("a board");
            while position.to_move().is_some() {
                let board = position.board();
                let max_depth = match (player_rng.below(60), board.cells().count_empty()) {
                    (0, 0..=5) => 5,
                    (1..4, 0..=7) => 4,
                    (4..20, _) => 3,
                    _ => 2,
                };
                for depth in 1..=max_depth {
                    let actual = search.choose(board, depth);
                    assert_eq!(
                        actual,
                        reference::choose(board, depth),
                        "{}, depth {depth}",
                        board.cells().format_line()
                    );
                    count += 1;
                }
                let mv = if player_rng.below(4) == 0 {
                    position.random_move(&mut player_rng).expect("not over")
                } else {
                    search.choose(board, 1).0.expect("not over")
                };
                position.play(mv, &mut game_rng).expect("a legal move");
            }
        }
        assert!(count > 20_000, "{count}");
        assert_eq!(search.choose(Board::default(), 3), (None, 0), "nothing moves on the empty board");
    }
}
