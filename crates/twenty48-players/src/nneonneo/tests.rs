//! Checks the port against vectors of the original, and beyond its boards.

use gauntlet_core::game::{Game, Seat};
use gauntlet_core::player::Stop;
use gauntlet_core::rng::Seed;
use gauntlet_twenty48::rules::{Cells, Grid, Rules};
use serde::Deserialize;

use super::*;
use crate::leaf_values::{LineTables, best_values};

/// Line of the vectors.
#[derive(Deserialize)]
struct Case {
    id: u32,
    board: [u64; 16],
    heuristic: f32,
    default_depth_limit: u32,
    runs: Vec<Run>,
}

/// Answers of the original for a board. Directions are in its order.
#[derive(Deserialize)]
struct Run {
    depth_limit: u32,
    #[serde(rename = "move")]
    mv: usize,
    scores: [f32; 4],
    evaluated: [u64; 4],
    cache_hits: [u64; 4],
}

fn player(depth: Option<u32>) -> Nneonneo {
    Nneonneo { depth, search: Search::new(Stop::default()), root_moves: Vec::new() }
}

fn position(board: &str) -> Twenty48 {
    Twenty48::set_up(&Rules::default(), board, None).expect("a board")
}

/// Moves and counters agree exactly; values agree except for the last bits, in which two builds of
/// the original differ.
#[test]
fn boards_moves_values_and_counters_are_those_of_the_original() {
    let mut runs = 0;
    for line in include_str!("../../../../tests/it/vectors/nneonneo.jsonl").lines() {
        let case: Case = serde_json::from_str(line).expect("a line of the vectors");
        let cells = Cells::from_values(case.board).expect("tiles");
        let rows = cells.nibbles().expect("no large tile");
        let id = case.id;
        assert_near(tables::TABLES.heuristic(Grid::from_rows(rows)), case.heuristic, 1e-6, id);
        assert_eq!(default_depth(rows), case.default_depth_limit, "board {id}");
        for run in case.runs {
            if cfg!(debug_assertions) && run.depth_limit > 3 {
                continue;
            }
            let depth = run.depth_limit;
            let mut player = player(Some(depth));
            let choice = player.choose(&position(&cells.format_line())).expect("a move");
            for (index, direction) in DIRECTIONS.into_iter().enumerate() {
                let root_move = player.root_moves.iter().find(|candidate| candidate.direction == direction);
                let counters =
                    root_move.map_or((0, 0), |root_move| (root_move.evaluated, root_move.cache_hits));
                let expected = (run.evaluated[index], run.cache_hits[index]);
                assert_eq!(counters, expected, "board {id}, depth {depth}, {direction}");
                assert_near(root_move.map_or(0.0, |root_move| root_move.value), run.scores[index], 1e-4, id);
            }
            let mut scores = run.scores;
            scores.sort_by(f32::total_cmp);
            if scores[3] - scores[2] > 1e-4 * scores[3] {
                assert_eq!(choice.mv, DIRECTIONS[run.mv], "board {id}, depth {depth}");
            }
            assert_eq!((choice.nodes, choice.depth), (run.evaluated.iter().sum(), Some(depth)));
            runs += 1;
        }
    }
    assert!(runs > 700, "{runs}");
}

/// Values found together have the bits of those found one by one, up to the largest tiles.
#[test]
fn last_boards_have_the_values_of_their_slides() {
    let tables = &*tables::TABLES;
    let mut rng = Seed::root(1).rng();
    for number in 0..4000 {
        let rank_limit = [3, 6, 12, 16][number % 4];
        let rank = |_| if rng.below(3) == 0 { 0 } else { rng.below(rank_limit) as u8 };
        let cells = Cells::from_ranks(std::array::from_fn(rank));
        let grid = Grid::from_rows(cells.nibbles().expect("no large tile"));
        let [twos, fours] = best_values(grid, tables, [1, 2]);
        assert_eq!(best_values(grid, tables, [2]), [fours]);
        for cell in (0..16).filter(|&cell| cells.rank(cell) == 0) {
            for (rank, values) in [(1, twos), (2, fours)] {
                let slides = grid.with_tile(cell, rank).slides_by(|lines| tables.slide_all(lines));
                let legal_slides = slides.into_iter().filter(|slide| slide.moves());
                let expected = legal_slides.map(|slide| tables.heuristic(slide.grid())).fold(0.0, f32::max);
                assert_eq!(values[cell].max(0.0), expected, "{} {cell} {rank}", cells.format_line());
            }
        }
    }
}

/// Without `depth` the original's rule applies: a game by the rule equals one by the depth that it
/// gives.
#[test]
fn without_a_depth_the_rule_decides() {
    let board = "2 4 8 16  32 64 2 0  0 0 0 0  0 0 0 0";
    let rule_choice = player(None).choose(&position(board)).expect("a move");
    assert_eq!(rule_choice.depth, Some(4), "six kinds of tiles");
    assert_eq!(player(Some(4)).choose(&position(board)).expect("a move"), rule_choice);
}

/// Tiles over 32768 are treated as 32768, but unequal ones do not merge, unlike in the original.
#[test]
fn what_is_not_legal_is_not_chosen() {
    let mut player = player(Some(2));
    let choice = player.choose(&position("65536 8 2 4  32768 4 16 8  2 8 32 16  4 16 2 2")).expect("a move");
    assert!(matches!(choice.mv, Direction::Left | Direction::Right), "{choice:?}");
    let legal = [Direction::Left, Direction::Right];
    assert_eq!(player.root_moves.iter().map(|root_move| root_move.direction).collect::<Vec<_>>(), legal);
}

#[test]
fn games_go_on_with_large_tiles() {
    let mut player = player(Some(1));
    let mut game_rng = Seed::root(3).child("world", 0).rng();
    let mut game = position("131072 65536 32768 16384  32768 16384 4096 1024  2 0 0 0  0 0 0 0");
    player.begin(&Start { seed: Seed::root(1), seat: Seat::First, rules: &Rules::default() });
    while game.to_move().is_some() {
        let mv = player.choose(&game).expect("a move").mv;
        game.play(mv, &mut game_rng).expect("a legal move");
    }
    assert!(game.state().moves > 5, "{} moves", game.state().moves);
}

#[track_caller]
fn assert_near(value: f32, expected: f32, tolerance: f32, id: u32) {
    let max_error = tolerance * expected.abs().max(1.0);
    assert!((value - expected).abs() <= max_error, "board {id}: {value} is not {expected}");
}

/// The original's nibbles have no 65536.
#[test]
fn two_tiles_of_32768_merge_to_one() {
    assert_eq!(tables::TABLES.slide(0x02FF), (0x002F, 0x2F00));
}
