//! Perft: counts the sequences of moves from a position, and how they end. Engines with equal
//! counts play by the same rules.

use serde_json::Value;

use super::{Board, Rule, Stone, cell};

/// Counts the sequences of this length, at least 1: all of them, wins of black, wins of white, and
/// draws. A sequence that ends the game counts at its own length only.
fn perft(board: &mut Board, rule: Rule, turn: Stone, depth: usize) -> [u64; 4] {
    let mut sum = [0; 4];
    for cell in board.empty_cells().collect::<Vec<_>>() {
        let is_win = board.makes_five(cell, turn, rule);
        if depth == 1 {
            let is_full = board.stones() + 1 == u32::from(board.size()).pow(2);
            sum[0] += 1;
            sum[1 + turn.number()] += u64::from(is_win);
            sum[3] += u64::from(is_full && !is_win);
        } else if !is_win {
            board.put(cell, turn);
            let counts = perft(board, rule, turn.other(), depth - 1);
            board.take(cell);
            for (sum, count) in sum.iter_mut().zip(counts) {
                *sum += count;
            }
        }
    }
    sum
}

#[test]
fn perft_is_that_of_the_vectors() {
    let lines = include_str!("../../../../tests/it/vectors/gomoku_rules.jsonl").lines();
    let cases = lines.map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    let mut count = 0;
    for case in cases.filter(|case| case["kind"] == "perft") {
        let rule = if case["rule"] == "free" { Rule::Free } else { Rule::Standard };
        let mut board = Board::new(case["size"].as_u64().expect("a size") as u8);
        let mut turn = Stone::Black;
        for cell in cell::parse_cells(case["moves"].as_str().expect("a text")).expect("cells") {
            board.put(cell, turn);
            turn = turn.other();
        }
        for depth in 1..=case["nodes"].as_array().expect("a list").len() {
            let list = |key: &str| case[key][depth - 1].as_u64().expect("a number");
            let expected = [list("nodes"), list("black_wins"), list("white_wins"), list("draws")];
            // Larger counts take seconds.
            if expected[0] > 6_000_000 {
                continue;
            }
            assert_eq!(perft(&mut board, rule, turn, depth), expected, "{} to depth {depth}", case["id"]);
            count += 1;
        }
    }
    assert_eq!(count, 79);
}
