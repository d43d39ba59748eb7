//! A game written out, state by state, so that a change of play is visible.

use std::fmt::Write;

use gauntlet::game::Game;
use gauntlet::players::random;

use crate::{golden, table};

/// Number of turns shown from the start, and from the end.
const FIRST: usize = 30;
const LAST: usize = 5;

#[test]
fn random_game_of_2048() {
    const BLOCK: u64 = 2048;
    let mut text = String::from("A random game of block 2048: its first 30 turns and its last 5.\n");
    let mut turns = Vec::new();
    let mut player = table::player::<random::Config>("{}");
    let over = table::play(&mut [&mut *player], BLOCK, |before, direction, now| {
        let mut turn = String::new();
        if before.standing().moves == 0 {
            writeln!(turn, "\nstart\n{before}\nscore {}", before.score()).expect("memory");
        }
        let legal: Vec<_> =
            before.board().legal_directions().map(|direction| direction.to_string()).collect();
        let gain = before.board().gain(direction);
        let after = before.board().slide(direction).expect("a legal move").cells();
        let came =
            (0..16).find(|&cell| after.rank(cell) != now.board().cells().rank(cell)).expect("a tile came");
        let tile = now.board().cells().values()[came];
        writeln!(turn, "\nmove {}: {direction} of {}, gain {gain}", now.standing().moves, legal.join(" "))
            .expect("memory");
        writeln!(turn, "a {tile} comes in row {}, column {}", came / 4, came % 4).expect("memory");
        writeln!(turn, "{now}\nscore {}", now.score()).expect("memory");
        turns.push(turn);
    });
    let left_out = turns.len() - FIRST - LAST;
    text += &turns[..FIRST].concat();
    writeln!(text, "\n({left_out} turns)").expect("memory");
    text += &turns[turns.len() - LAST..].concat();
    let facts = over.standing().facts[0];
    writeln!(text, "\nover after {} moves, score {}, max_tile {facts}", over.standing().moves, over.score())
        .expect("memory");
    golden::assert_golden("it/vectors/playthrough-2048.txt", &text);
}
