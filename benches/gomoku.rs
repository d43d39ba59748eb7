//! Timings of Gomoku. Each asserts its answer, so that a fast wrong engine or player fails.
//!
//! `cargo bench --bench gomoku`; an item of perft is a leaf, one of a player is a node of its
//! search.

use divan::Bencher;
use divan::counter::ItemsCount;
use gauntlet::game::Game;
use gauntlet::gomoku::players::minimax;
use gauntlet::gomoku::rules::perft::{Perft, perft};
use gauntlet::gomoku::rules::{Board, Gomoku, Rule, Stone, cell};
use gauntlet::player::{BuildContext, Recipe};
use gauntlet::rng::Seed;

fn main() {
    divan::main();
}

/// The position after these moves.
fn position(moves: &str) -> Gomoku {
    let mut position = Gomoku::at(Board::new(15), Rule::Free, Stone::Black);
    for mv in cell::cells(moves).expect("cells") {
        position.play(mv, &mut Seed::root(0).rng()).expect("a legal move");
    }
    position
}

#[divan::bench]
fn leaves(bencher: Bencher) {
    let position = position("g8i7e9k11f10k10f6d4d8g11e7g5e8e10f8h8");
    let expected = Perft { nodes: 8_955_648, black_wins: 44_712, white_wins: 0, draws: 0 };
    bencher
        .counter(ItemsCount::new(expected.nodes))
        .bench_local(|| assert_eq!(perft(&position, 3), expected));
}

/// The first choice of the program's medium level, and of its hard one.
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
        let thought = player.choose(&position).expect("a move");
        assert_eq!((&*thought.mv.to_string(), thought.nodes), (cell, nodes));
    });
}
