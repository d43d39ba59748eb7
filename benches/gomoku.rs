//! Timings of Gomoku. Each benchmark asserts its result, so that a fast but wrong engine or player
//! fails.
//!
//! `cargo bench --bench gomoku`; an item is a leaf of perft, or a node of a player's search.

use divan::Bencher;
use divan::counter::ItemsCount;
use gauntlet::game::Game;
use gauntlet::gomoku::players::minimax;
use gauntlet::gomoku::rules::{Board, Gomoku, Rule, Stone, cell};
use gauntlet::player::{BuildContext, Recipe};
use gauntlet::rng::Seed;

fn main() {
    divan::main();
}

/// Returns the position after these moves.
fn position(moves: &str) -> Gomoku {
    let mut position = Gomoku::from_board(Board::new(15), Rule::Free, Stone::Black);
    for mv in cell::parse_cells(moves).expect("cells") {
        position.play(mv, &mut Seed::root(0).rng()).expect("a legal move");
    }
    position
}

/// Counts the sequences of this many moves, and the wins among them.
fn perft(board: &mut Board, turn: Stone, depth: u32) -> (u64, u64) {
    let mut sum = (0, 0);
    for cell in board.empty_cells().collect::<Vec<_>>() {
        let is_win = board.makes_five(cell, turn, Rule::Free);
        if depth == 1 {
            sum = (sum.0 + 1, sum.1 + u64::from(is_win));
        } else if !is_win {
            board.put(cell, turn);
            let (nodes, wins) = perft(board, turn.other(), depth - 1);
            board.take(cell);
            sum = (sum.0 + nodes, sum.1 + wins);
        }
    }
    sum
}

#[divan::bench]
fn leaves(bencher: Bencher) {
    let mut board = position("g8i7e9k11f10k10f6d4d8g11e7g5e8e10f8h8").board().clone();
    let expected = (8_955_648, 44_712);
    bencher
        .counter(ItemsCount::new(expected.0))
        .bench_local(|| assert_eq!(perft(&mut board, Stone::Black, 3), expected));
}

/// First choice of the program's medium level (depth 6) and of its hard level (depth 8).
#[divan::bench(args = [6, 8])]
fn minimax_chooses(bencher: Bencher, depth: u32) {
    let position = position("j6d11j10i9l10d8e4m10f7c11g6e11f11d10d9e8i6f6");
    let (cell, nodes) = match depth {
        6 => ("h7", 12_006),
        _ => ("h7", 56_641),
    };
    let config: minimax::Config = toml::from_str(&format!("depth = {depth}")).expect("settings");
    let mut player = config.build(&BuildContext::default()).expect("a player");
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| {
        let choice = player.choose(&position).expect("a move");
        assert_eq!((&*choice.mv.to_string(), choice.nodes), (cell, nodes));
    });
}
