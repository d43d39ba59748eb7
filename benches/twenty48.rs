//! Timings of the hot loops of 2048. Each asserts its answer, so that a fast wrong engine fails.
//!
//! `cargo bench --bench twenty48`; an item is a move.

use divan::Bencher;
use divan::counter::ItemsCount;
use gauntlet::game::Game;
use gauntlet::games::twenty48::batch::random_games;
use gauntlet::games::twenty48::{Rules, Twenty48};
use gauntlet::rng::Seed;

const GAMES: u64 = 4096;
/// What random play of these games comes to.
const MOVES: u64 = 486_604;
const SCORE: u64 = 4_517_760;

fn main() {
    divan::main();
}

fn seeds() -> impl Iterator<Item = (Seed, Seed)> {
    (0..GAMES).map(|game| {
        let seed = Seed::root(1).child("block", game);
        (seed.child("world", 0), seed.child("seat", 0))
    })
}

/// All games side by side in lanes.
#[divan::bench]
fn random_play_in_lanes(bencher: Bencher) {
    bencher.counter(ItemsCount::new(MOVES)).bench(|| {
        let played = random_games(&seeds().collect::<Vec<_>>());
        let moves: u64 = played.iter().map(|played| u64::from(played.moves)).sum();
        let score: u64 = played.iter().map(|played| played.score).sum();
        assert_eq!((moves, score), (MOVES, SCORE));
    });
}

/// One game after the other, by the rules as everybody uses them.
#[divan::bench]
fn random_play_one_by_one(bencher: Bencher) {
    bencher.counter(ItemsCount::new(MOVES)).bench(|| {
        let (mut moves, mut score) = (0, 0);
        for (world, player) in seeds() {
            let (mut world, mut dice) = (world.rng(), player.rng());
            let mut game = Twenty48::start(&Rules::default(), &mut world);
            while game.to_move().is_some() {
                let direction = game.random_move(&mut dice).expect("it is not over");
                game.play(direction, &mut world).expect("it is legal");
            }
            moves += u64::from(game.moves_played());
            score += game.score();
        }
        assert_eq!((moves, score), (MOVES, SCORE));
    });
}
