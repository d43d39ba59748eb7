//! Timings of the search of `ovolve`, at boards of its own games. Each asserts its answer, so that a fast wrong search
//! fails.
//!
//! `cargo bench --bench ovolve`; an item is a move.

use divan::Bencher;
use divan::counter::ItemsCount;
use gauntlet::game::Game;
use gauntlet::games::twenty48::{Rules, Twenty48};
use gauntlet::player::{Kit, Player, Recipe};
use gauntlet::players::twenty48::ovolve;
use gauntlet::rng::Seed;

fn main() {
    divan::main();
}

fn player(depth: u32) -> Box<dyn Player<Twenty48>> {
    let settings = serde_json::json!({ "depth": depth });
    let config: ovolve::Config = serde_json::from_value(settings).expect("settings");
    config.build(&Kit::default()).expect("a player")
}

/// Every eighth position of four games up to the tile 2048.
fn positions() -> Vec<Twenty48> {
    let mut positions = Vec::new();
    let mut player = player(2);
    for seed in 0..4 {
        let mut world = Seed::root(seed).child("world", 0).rng();
        let mut game = Twenty48::start(&Rules::default(), &mut world);
        while game.to_move().is_some() && !game.board().cells().has_rank(11) {
            if game.moves_played() % 8 == 0 {
                positions.push(game.clone());
            }
            let mv = player.choose(&game).expect("a move").mv;
            game.play(mv, &mut world).expect("it is legal");
        }
    }
    positions
}

/// Moves, and positions that the search counts: the same for ever, for they are those of the original.
#[divan::bench(args = [(2, 50_866), (3, 304_891), (4, 2_105_760)])]
fn choose(bencher: Bencher, (depth, nodes): (u32, u64)) {
    let positions = positions();
    let mut player = player(depth);
    bencher.counter(ItemsCount::new(positions.len())).bench_local(|| {
        let thoughts = positions.iter().map(|position| player.choose(position).expect("a move"));
        assert_eq!(thoughts.map(|thought| thought.nodes).sum::<u64>(), nodes);
    });
}
