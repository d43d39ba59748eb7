//! Random numbers are reproducible and fair.

use gauntlet::game::{Game, RandomPlay};
use gauntlet::rng::{Rng, SEED_LIMIT, Seed};
use gauntlet::twenty48::players::{fixed_order, greedy};
use gauntlet::twenty48::rules::{Afterstate, Board, Cells, Direction, Rules, Twenty48};
use rand::{Rng as _, SeedableRng};
use rand_xoshiro::Xoroshiro128PlusPlus;
use serde_json::Value;

use crate::{golden, self_play};

#[test]
fn the_generator_is_the_published_one() {
    // Numbers from the authors' C program, as in the tests of `rand_xoshiro`.
    let expected = [
        393_217,
        669_327_710_093_319,
        1_732_421_326_133_921_491,
        11_394_790_081_659_126_983,
        9_555_452_776_773_192_676,
        3_586_421_180_005_889_563,
        1_691_397_964_866_707_553,
        10_735_626_796_753_111_697,
        15_216_282_715_349_408_991,
        14_247_243_556_711_267_923,
    ];
    let mut own = Rng::from_state([1, 2]);
    let mut state = [0; 16];
    (state[0], state[8]) = (1, 2);
    let mut library = Xoroshiro128PlusPlus::from_seed(state);
    for number in expected {
        assert_eq!(own.bits(), number);
        assert_eq!(library.next_u64(), number);
    }
    for _ in 0..100_000 {
        assert_eq!(own.bits(), library.next_u64());
    }
    assert_eq!(Rng::from_state(own.state()).bits(), own.bits());
}

/// Streams of the seed tree, pinned by a second implementation (`vectors/README.md`).
#[test]
fn streams_are_what_they_were() {
    let vectors: Value = serde_json::from_str(&golden::read("it/vectors/chance.json")).expect("JSON");
    let number = |value: &Value| value.as_u64().expect("a whole number");
    let list = |value: &Value| value.as_array().expect("a list").clone();
    for stream in list(&vectors["streams"]) {
        let seed = list(&stream["path"]).iter().fold(Seed::root(number(&stream["root"])), |seed, step| {
            seed.child(step[0].as_str().expect("a name"), number(&step[1]))
        });
        let mut rng = seed.rng();
        for bits in list(&stream["bits"]) {
            assert_eq!(rng.bits(), number(&bits), "{stream}");
        }
        let mut rng = seed.rng();
        for draw in list(&stream["below"]) {
            assert_eq!(rng.below(number(&draw[0])), number(&draw[1]), "{stream}");
        }
    }
    for block in list(&vectors["blocks"]) {
        assert_eq!(Seed::block_seed(number(&block[0]), number(&block[1])), number(&block[2]));
    }
}

#[test]
fn block_seeds_fit_a_signed_integer_and_differ() {
    let mut seeds: Vec<u64> = (0..100_000).map(|block| Seed::block_seed(20_261_121, block)).collect();
    assert!(seeds.iter().all(|&seed| seed < SEED_LIMIT));
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), 100_000);
}

#[test]
fn places_in_the_tree_differ() {
    let first = |seed: Seed| seed.rng().bits();
    let root = Seed::root(1);
    let seeds = [
        root,
        Seed::root(2),
        root.child("world", 0),
        root.child("world", 1),
        root.child("seat", 0),
        root.child("seat", 0).child("world", 0),
        root.child("world", 0).child("seat", 0),
        root.child("", 0),
    ];
    for (i, &a) in seeds.iter().enumerate() {
        for &b in &seeds[..i] {
            assert!(a != b && first(a) != first(b), "{a:?} and {b:?}");
        }
    }
}

/// Pearson's statistic: the distance between observed and expected counts.
fn chi_squared(counts: &[u64], expected: &[f64]) -> f64 {
    counts.iter().zip(expected).map(|(&count, expected)| (count as f64 - expected).powi(2) / expected).sum()
}

/// The 0.999999 quantile of the chi-squared distribution with this many degrees of freedom (mpmath,
/// 40 digits).
fn once_in_a_million(degrees: usize) -> f64 {
    match degrees {
        1 => 23.928127,
        2 => 27.631021,
        3 => 30.664850,
        5 => 35.888187,
        11 => 48.865643,
        14 => 54.635306,
        15 => 56.493442,
        29 => 80.435970,
        31 => 83.642516,
        _ => panic!("not in the table: {degrees} degrees of freedom"),
    }
}

#[test]
fn tiles_are_fair() {
    /// Draws a million tiles on a board.
    #[track_caller]
    fn check(ranks: [u8; 16]) {
        const SPAWNS: u64 = 1_000_000;
        let after = Afterstate::new(Cells::from_ranks(ranks));
        let empty: Vec<usize> = (0..16).filter(|&cell| ranks[cell] == 0).collect();
        let mut counts = [[0_u64; 2]; 16];
        let mut game_rng = Seed::root(20_261_121).child("world", empty.len() as u64).rng();
        for _ in 0..SPAWNS {
            let (board, spawn) = after.spawn(&mut game_rng);
            let cells = board.cells();
            let cell = empty.iter().copied().find(|&cell| cells.rank(cell) != 0).expect("a tile came");
            assert_eq!(spawn.fours, u32::from(cells.rank(cell) == 2));
            counts[cell][cells.rank(cell) as usize - 1] += 1;
        }
        let n = empty.len() as f64;
        let cell_counts = |cell: &usize| counts[*cell];
        let fours: u64 = empty.iter().map(|cell| cell_counts(cell)[1]).sum();
        let tiles = SPAWNS as f64;
        let tile_statistic = chi_squared(&[SPAWNS - fours, fours], &[0.9 * tiles, 0.1 * tiles]);
        assert!(tile_statistic < once_in_a_million(1), "2s and 4s: {tile_statistic}");
        let per_cell: Vec<u64> = empty.iter().map(|cell| cell_counts(cell).iter().sum()).collect();
        assert_eq!(per_cell.iter().sum::<u64>(), SPAWNS);
        if empty.len() > 1 {
            let cell_statistic = chi_squared(&per_cell, &vec![tiles / n; empty.len()]);
            assert!(cell_statistic < once_in_a_million(empty.len() - 1), "cells: {cell_statistic}");
        }
        // Cells and tiles together: a 4 is equally rare on each cell.
        let joint_counts: Vec<u64> = empty.iter().flat_map(cell_counts).collect();
        let expected: Vec<f64> = empty.iter().flat_map(|_| [0.9 * tiles / n, 0.1 * tiles / n]).collect();
        let joint_statistic = chi_squared(&joint_counts, &expected);
        assert!(
            joint_statistic < once_in_a_million(2 * empty.len() - 1),
            "cells and tiles: {joint_statistic}"
        );
    }

    check([0; 16]);
    check([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0]);
    check([1, 0, 2, 0, 3, 4, 0, 5, 0, 6, 7, 8, 0, 16, 0, 15]);
    check([0, 2, 3, 4, 5, 6, 0, 8, 9, 10, 11, 12, 13, 14, 15, 0]);
    check([0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17]);
}

/// A tile and its cell follow from one number below 10 n: its last digit, and the digits before it.
#[test]
fn a_tile_takes_one_draw() {
    let full: [u8; 16] = std::array::from_fn(|i| 1 + i as u8);
    for seed in 0..200 {
        let (mut game_rng, mut twin_rng) = (Seed::root(seed).rng(), Seed::root(seed).rng());
        for empty in (1..=16).chain([7, 16, 1]) {
            // This many empty cells, at different places for each seed.
            let mut ranks = full;
            let cells: Vec<usize> = (0..empty).map(|k| (k * 5 + seed as usize) % 16).collect();
            cells.iter().for_each(|&cell| ranks[cell] = 0);
            let (board, spawn) = Afterstate::new(Cells::from_ranks(ranks)).spawn(&mut game_rng);
            let draw = twin_rng.below(10 * empty as u64) as usize;
            let cell = (0..16).filter(|&cell| ranks[cell] == 0).nth(draw / 10).expect("an empty cell");
            ranks[cell] = if draw % 10 == 9 { 2 } else { 1 };
            assert_eq!(board.cells().ranks(), ranks);
            assert_eq!(spawn.fours, u32::from(draw % 10 == 9));
        }
        assert_eq!(game_rng.bits(), twin_rng.bits(), "as many draws were made");
    }
}

/// A game's stream of tiles advances by one draw per tile, on any board.
#[test]
fn a_game_takes_one_draw_a_tile() {
    let bits_after = |mut rng: Rng, draws: u32| {
        (0..draws).for_each(|_| _ = rng.bits());
        rng.bits()
    };
    for block in 0..100 {
        let (mut game_rng, mut player_rng) =
            (self_play::new_game_rng(block), self_play::seat_seed(block).rng());
        let mut position = Twenty48::start(&Rules::default(), &mut game_rng);
        while let Some(direction) = position.random_move(&mut player_rng) {
            position.play(direction, &mut game_rng).expect("a legal move");
        }
        let tiles = 2 + position.state().moves;
        assert_eq!(game_rng.bits(), bits_after(self_play::new_game_rng(block), tiles));
        let mut start_rng = self_play::new_game_rng(block);
        Board::start(&mut start_rng);
        assert_eq!(start_rng.bits(), bits_after(self_play::new_game_rng(block), 2));
    }
}

/// Players with equal first moves see equal tiles, whatever else they compute or draw.
#[test]
fn equal_moves_meet_equal_tiles() {
    let mut greedy = self_play::build_player::<greedy::Config>("{}");
    let mut fixed =
        self_play::build_player::<fixed_order::Config>(r#"{ "order": ["up", "right", "down", "left"] }"#);
    let mut common_moves = 0;
    for block in 0..2_000 {
        let mut games: [Vec<(Direction, Cells)>; 2] = Default::default();
        for (player, game) in [&mut greedy, &mut fixed].into_iter().zip(&mut games) {
            self_play::play(&mut [&mut **player], block, |_, direction, position| {
                game.push((direction, position.board().cells()))
            });
        }
        for (one, other) in games[0].iter().zip(&games[1]) {
            if one.0 != other.0 {
                break;
            }
            assert_eq!(one.1, other.1, "block {block}");
            common_moves += 1;
        }
    }
    assert!(common_moves > 4_000, "the players agree on too few moves ({common_moves}) to show anything");
}
