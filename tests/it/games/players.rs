//! Laws for every algorithm in every list of players. So a new entry is checked without a new test.
//!
//! There is a test for each name, `players::corner_greedy` for `corner-greedy`, which `build.rs`
//! writes.

use std::collections::BTreeSet;

use gauntlet::GAMES;
use gauntlet::arena::GameDefinition;
use gauntlet::game::Game;
use gauntlet::laws::players as laws;

use super::laws::{Law, for_each_game};

include!(concat!(env!("OUT_DIR"), "/players.rs"));

/// Searches that do not return the values of all moves. They only determine that other moves are
/// not better than the best move.
const SILENT: [&str; 2] = ["gomoku-alphabeta", "gomoku-minimax"];

/// Checks the players of this name, in each game that has one, against all laws.
fn keep_all_the_laws(name: &'static str) {
    struct Held(&'static str, BTreeSet<&'static str>);

    impl Law for Held {
        fn hold<G: Game>(&mut self, contents: &'static GameDefinition<G>, boards: &[&str]) {
            if let Some(only) = contents.with_only_player(self.0) {
                self.1.extend(laws::check_players(only, boards));
            }
        }
    }

    let mut held = Held(name, BTreeSet::new());
    for_each_game(&mut held);
    assert_eq!(!held.1.is_empty(), SILENT.contains(&name), "{name} looks at positions and shows no values");
}

#[test]
fn every_player_has_a_test() {
    let known = GAMES.iter().flat_map(|arena| arena.manual()).map(|known| known.name);
    let hint = "build.rs finds a player by `Algorithm::new::<…>(\"name\"` in the lists of crates/*";
    assert_eq!(NAMES.iter().copied().collect::<BTreeSet<_>>(), known.collect(), "{hint}");
}

#[test]
fn names_are_unique_and_plain() {
    struct Named;

    impl Law for Named {
        fn hold<G: Game>(&mut self, contents: &'static GameDefinition<G>, _: &[&str]) {
            laws::check_names(contents);
        }
    }

    for_each_game(&mut Named);
}
