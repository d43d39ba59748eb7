//! Timings of players. Each benchmark asserts its result, so that a fast but wrong player fails.
//!
//! `cargo bench --bench players`; an item is a move.

use std::sync::LazyLock;

use divan::Bencher;
use divan::counter::ItemsCount;
use gauntlet::GAMES;
use gauntlet::arena::build_worker;
use gauntlet::game::{Block, Game, Seat};
use gauntlet::player::{BuildContext, Player, Recipe, Start};
use gauntlet::players::{flat_mc, mcts};
use gauntlet::rng::Seed;
use gauntlet::twenty48::eval::{Evaluation, Weights, empty, islands};
use gauntlet::twenty48::players::expectimax::Evaluate;
use gauntlet::twenty48::players::{
    datumbox, expectimax, greedy, lazuxd, macroxue, n_tuple, nneonneo, ovolve, ronzil,
};
use gauntlet::twenty48::rules::{Cells, Rules, Twenty48};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

fn main() {
    divan::main();
}

/// Whole games through the arena, as a run plays them on each of its threads.
#[divan::bench]
fn greedy_games(bencher: Bencher) {
    const MOVES: u64 = 259_686;
    const SCORE: u64 = 3_079_076;
    let entry = GAMES[0].read_snippet("greedy", greedy::EXAMPLE);
    let mut play = build_worker(&[&entry], None, &BuildContext::default()).expect("a player");
    let blocks: Vec<Block> = (0..1000).map(Block::from_seed).collect();
    bencher.counter(ItemsCount::new(MOVES)).bench_local(|| {
        let records = play(&blocks).records;
        let moves: u64 = records.iter().map(|record| u64::from(record.moves)).sum();
        let score: u64 = records.iter().map(|record| record.score()).sum();
        assert_eq!((moves, score), (MOVES, SCORE));
    });
}

fn player<C: Recipe<Twenty48> + DeserializeOwned>(settings: Value) -> Box<dyn Player<Twenty48>> {
    let config: C = serde_json::from_value(settings).expect("settings");
    config.build(&BuildContext::default()).expect("a player")
}

/// Returns every eighth position of four games of `ovolve` up to the tile 2048.
fn positions() -> Vec<Twenty48> {
    let mut positions = Vec::new();
    let mut player = player::<ovolve::Config>(json!({ "depth": 2 }));
    for seed in 0..4 {
        let mut game_rng = Seed::root(seed).child("world", 0).rng();
        let mut game = Twenty48::start(&Rules::default(), &mut game_rng);
        while game.to_move().is_some() && !game.board().cells().has_rank(11) {
            if game.state().moves.is_multiple_of(8) {
                positions.push(game.clone());
            }
            let mv = player.choose(&game).expect("a move").mv;
            game.play(mv, &mut game_rng).expect("it is legal");
        }
    }
    positions
}

/// Choices of a player on all positions: its node count, and its numbers of moves up, right, down
/// and left.
type Answer = (u64, [u32; 4]);

fn choose(bencher: Bencher, mut player: Box<dyn Player<Twenty48>>, answer: Answer) {
    let positions = positions();
    bencher.counter(ItemsCount::new(positions.len())).bench_local(|| {
        player.begin(&Start { seed: Seed::root(1), seat: Seat::First, rules: &Rules::default() });
        let (mut nodes, mut moves) = (0, [0; 4]);
        for position in &positions {
            let choice = player.choose(position).expect("a move");
            nodes += choice.nodes;
            moves[choice.mv as usize] += 1;
        }
        assert_eq!((nodes, moves), answer);
    });
}

/// Nodes are counted as in the original.
#[divan::bench(args = [2, 3, 4])]
fn ovolve_chooses(bencher: Bencher, depth: u32) {
    let answer = match depth {
        2 => (50_866, [98, 90, 76, 85]),
        3 => (304_891, [100, 87, 75, 87]),
        _ => (2_105_760, [103, 81, 71, 94]),
    };
    choose(bencher, player::<ovolve::Config>(json!({ "depth": depth })), answer);
}

/// Nodes are moves that the original tries.
#[divan::bench(args = [2, 3])]
fn nneonneo_chooses(bencher: Bencher, depth: u32) {
    let answer = match depth {
        2 => (1_364_704, [92, 84, 75, 98]),
        _ => (22_131_376, [97, 77, 80, 95]),
    };
    choose(bencher, player::<nneonneo::Config>(json!({ "depth": depth })), answer);
}

/// Nodes are boards with a new tile.
#[divan::bench(args = [3, 5])]
fn macroxue_chooses(bencher: Bencher, depth: u32) {
    let answer = match depth {
        3 => (1_420_938, [91, 94, 73, 91]),
        _ => (13_128_492, [88, 97, 74, 90]),
    };
    choose(bencher, player::<macroxue::Config>(json!({ "depth": depth })), answer);
}

/// Full search, by depth and by the values that its table may answer with. The last search equals
/// `nneonneo` at depth 3.
#[divan::bench(args = [(3, "exact"), (4, "exact"), (4, "deeper")])]
fn expectimax_chooses(bencher: Bencher, (depth, reuse): (u32, &str)) {
    let answer = match (depth, reuse) {
        (3, _) => (632_221, [94, 84, 73, 98]),
        (_, "exact") => (9_672_838, [98, 78, 79, 94]),
        _ => (11_148_887, [96, 77, 81, 95]),
    };
    choose(
        bencher,
        player::<expectimax::Config>(json!({ "depth": depth, "reuse": reuse, "star1": false })),
        answer,
    );
}

/// Search at depth 5, without and with Star1 pruning.
#[divan::bench(args = [false, true], sample_count = 10)]
fn expectimax_leaves_boards(bencher: Bencher, star1: bool) {
    let nodes = if star1 { 47_167_498 } else { 74_886_601 };
    choose(
        bencher,
        player::<expectimax::Config>(json!({ "depth": 5, "star1": star1 })),
        (nodes, [84, 86, 77, 102]),
    );
}

/// Search with a node limit and an evaluation that is not symmetric, as in the leaderboard.
#[divan::bench]
fn expectimax_chooses_by_nodes(bencher: Bencher) {
    let settings = json!({ "nodes": 3000, "evaluation": "macroxue" });
    choose(bencher, player::<expectimax::Config>(settings), (1_051_651, [101, 87, 65, 96]));
}

/// Depth by the number of distinct tiles, and table values of deeper searches, like nneonneo's
/// program. Most of the time is spent in the transposition table.
#[divan::bench(sample_count = 3)]
fn expectimax_chooses_by_the_board(bencher: Bencher) {
    let settings = json!({ "adaptive": { "least": 4, "less": 3 }, "reuse": "deeper" });
    choose(bencher, player::<expectimax::Config>(settings), (30_050_804, [89, 79, 87, 94]));
}

/// Built-in network, without a search.
#[divan::bench]
fn n_tuple_chooses(bencher: Bencher) {
    choose(bencher, player::<n_tuple::Config>(json!({ "depth": 1 })), (1_273, [97, 89, 72, 91]));
}

/// Evaluation with a table per row, plus points: without vector instructions.
#[divan::bench]
fn expectimax_chooses_by_places(bencher: Bencher) {
    let settings = json!({ "depth": 3, "evaluation": "snake", "gains": true });
    choose(bencher, player::<expectimax::Config>(settings), (637_342, [69, 94, 100, 86]));
}

/// Features of `nneonneo`.
static NNEONNEO: LazyLock<Evaluation> = LazyLock::new(|| {
    let terms = [
        ("constant", 1_600_000.0),
        ("empty", 540.0),
        ("merges", 700.0),
        ("monotonicity-power", -47.0),
        ("rank-power", -22.0),
    ];
    Weights::from_pairs(&terms).compile()
});

/// Evaluation of another package, computed in one of several ways.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct ExternalEvaluation<const WAY: u8> {}

const TABLES: u8 = 0;
const PLAIN: u8 = 1;
const ISLANDS: u8 = 2;

impl<const WAY: u8> Evaluate for ExternalEvaluation<WAY> {
    fn value(&self, board: Cells) -> f64 {
        match WAY {
            TABLES => NNEONNEO.value(board),
            PLAIN => NNEONNEO.value_by_feature(board),
            _ => 3.0 * empty(board) - islands(board),
        }
    }
}

/// Built-in evaluations, and equal evaluations of another package. They use tables of lines, or are
/// computed feature by feature, or have a feature that is not a sum over lines. The built-in
/// evaluation also computes the latter on the board.
#[divan::bench(args = ["inside", "outside by tables", "outside", "inside islands", "outside islands"], sample_count = 20)]
fn expectimax_chooses_by_an_evaluation(bencher: Bencher, variant: &str) {
    let settings = json!({ "depth": 3, "lost_is_least": true, "star1": false });
    let external_settings = json!({ "depth": 3 });
    let islands_settings =
        json!({ "depth": 3, "evaluation": "none", "weights": { "empty": 3, "islands": -1 } });
    let (player, answer) = match variant {
        "inside" => (player::<expectimax::Config>(settings), (632_221, [94, 84, 73, 98])),
        "outside by tables" => {
            (player::<expectimax::Config<ExternalEvaluation<TABLES>>>(settings), (637_342, [95, 84, 72, 98]))
        }
        "outside" => {
            (player::<expectimax::Config<ExternalEvaluation<PLAIN>>>(settings), (637_342, [95, 84, 72, 98]))
        }
        "inside islands" => (player::<expectimax::Config>(islands_settings), (637_342, [99, 85, 74, 91])),
        _ => (
            player::<expectimax::Config<ExternalEvaluation<ISLANDS>>>(external_settings),
            (637_342, [99, 85, 74, 91]),
        ),
    };
    choose(bencher, player, answer);
}

#[divan::bench(args = [3, 5])]
fn lazuxd_chooses(bencher: Bencher, depth: u32) {
    let answer = match depth {
        3 => (16_061, [167, 37, 68, 77]),
        _ => (213_128, [148, 55, 85, 61]),
    };
    choose(bencher, player::<lazuxd::Config>(json!({ "depth": depth })), answer);
}

#[divan::bench(args = [("2014-04", "alpha-beta"), ("2014-05", "alpha-beta"), ("2014-05", "minimax")])]
fn datumbox_chooses(bencher: Bencher, (version, search): (&str, &str)) {
    let answer = match (version, search) {
        ("2014-04", _) => (419_378, [103, 76, 80, 90]),
        (_, "alpha-beta") => (391_400, [95, 80, 88, 86]),
        _ => (391_325, [91, 81, 89, 88]),
    };
    let settings = json!({ "version": version, "search": search, "depth": 5 });
    choose(bencher, player::<datumbox::Config>(settings), answer);
}

/// 100 random games for each legal move. A node is a move in one of these games.
#[divan::bench]
fn ronzil_chooses(bencher: Bencher) {
    choose(bencher, player::<ronzil::Config>(json!({ "runs": 100 })), (4_921_596, [79, 88, 98, 84]));
}

/// Plays the same games as `ronzil_chooses`.
#[divan::bench]
fn flat_mc_chooses(bencher: Bencher) {
    let player = player::<flat_mc::Config>(json!({ "rollouts": 100 }));
    choose(bencher, player, (4_921_596, [79, 88, 98, 84]));
}

/// Tree of 100 nodes.
#[divan::bench]
fn mcts_chooses(bencher: Bencher) {
    choose(bencher, player::<mcts::Config>(json!({ "nodes": 100 })), (34_900, [100, 90, 84, 75]));
}
