//! A game written out, state by state, so that a change of play is visible.

use std::fmt::Write;

use gauntlet::game::Game;
use gauntlet::players::random;

use crate::{golden, self_play};

/// Number of turns shown from the start, and from the end.
const FIRST_TURNS: usize = 30;
const LAST_TURNS: usize = 5;

#[test]
fn random_game_of_2048() {
    const BLOCK: u64 = 2048;
    let mut text = String::from("A random game of block 2048: its first 30 turns and its last 5.\n");
    let mut turns = Vec::new();
    let mut player = self_play::build_player::<random::Config>("{}");
    let final_position = self_play::play(&mut [&mut *player], BLOCK, |before, direction, next| {
        let mut turn = String::new();
        if before.state().moves == 0 {
            writeln!(turn, "\nstart\n{before}\nscore {}", before.score()).expect("memory");
        }
        let legal: Vec<_> =
            before.board().legal_directions().map(|direction| direction.to_string()).collect();
        let gain = before.board().gain(direction);
        let after = before.board().slide(direction).expect("a legal move").cells();
        let new_cell =
            (0..16).find(|&cell| after.rank(cell) != next.board().cells().rank(cell)).expect("a tile came");
        let tile = next.board().cells().values()[new_cell];
        writeln!(turn, "\nmove {}: {direction} of {}, gain {gain}", next.state().moves, legal.join(" "))
            .expect("memory");
        writeln!(turn, "a {tile} comes in row {}, column {}", new_cell / 4, new_cell % 4).expect("memory");
        writeln!(turn, "{next}\nscore {}", next.score()).expect("memory");
        turns.push(turn);
    });
    let omitted_turns = turns.len() - FIRST_TURNS - LAST_TURNS;
    text += &turns[..FIRST_TURNS].concat();
    writeln!(text, "\n({omitted_turns} turns)").expect("memory");
    text += &turns[turns.len() - LAST_TURNS..].concat();
    let max_tile = final_position.state().facts[0];
    writeln!(
        text,
        "\nover after {} moves, score {}, max_tile {max_tile}",
        final_position.state().moves,
        final_position.score()
    )
    .expect("memory");
    golden::assert_golden("it/vectors/playthrough-2048.txt", &text);
}
