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
const WITHOUT_MOVE_VALUES: [&str; 2] = ["gomoku-alphabeta", "gomoku-minimax"];

/// Checks the players of this name, in each game that has one, against all laws.
fn keep_all_the_laws(name: &'static str) {
    struct PlayerLaws(&'static str, BTreeSet<&'static str>);

    impl Law for PlayerLaws {
        fn check<G: Game>(&mut self, contents: &'static GameDefinition<G>, boards: &[&str]) {
            if let Some(definition) = contents.with_only_player(self.0) {
                self.1.extend(laws::check_players(definition, boards));
            }
        }
    }

    let mut player_laws = PlayerLaws(name, BTreeSet::new());
    for_each_game(&mut player_laws);
    assert_eq!(
        !player_laws.1.is_empty(),
        WITHOUT_MOVE_VALUES.contains(&name),
        "{name} looks at positions and shows no values"
    );
}

#[test]
fn every_player_has_a_test() {
    let names = GAMES.iter().flat_map(|arena| arena.manual()).map(|manual| manual.name);
    let hint = "build.rs finds a player by `Algorithm::new::<…>(\"name\"` in the lists of crates/*";
    assert_eq!(NAMES.iter().copied().collect::<BTreeSet<_>>(), names.collect(), "{hint}");
}

#[test]
fn names_are_unique_and_plain() {
    struct NameLaw;

    impl Law for NameLaw {
        fn check<G: Game>(&mut self, contents: &'static GameDefinition<G>, _: &[&str]) {
            laws::check_names(contents);
        }
    }

    for_each_game(&mut NameLaw);
}
