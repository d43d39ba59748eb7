//! Laws for every algorithm in every table of contents: a new entry is held to them without a test of its own.

use std::collections::BTreeSet;

use gauntlet::arena::Contents;
use gauntlet::game::Game;
use gauntlet::laws::players as laws;

use crate::games::{Law, for_each_game};

/// Tests that hold the players of every game to a law each.
macro_rules! laws_of_players {
    ($($test:ident: $law:ident;)+) => {$(
        #[test]
        fn $test() {
            struct Held;

            impl Law for Held {
                fn hold<G: Game>(&mut self, contents: &'static Contents<G>, _: &[&str]) {
                    laws::$law(contents);
                }
            }

            for_each_game(&mut Held);
        }
    )+};
}

laws_of_players! {
    names_are_unique_and_plain: names;
    examples_are_the_manual: manuals;
    examples_differ: examples;
    moves_are_legal: legal_moves;
    equal_seeds_make_equal_games: equal_seeds;
    players_forget: forgetting;
    the_arena_plays_the_games_of_the_table: arena_and_table;
    players_survive_a_panic_of_another: panics;
    strange_settings_are_refused: strange_settings;
}

#[test]
fn searches_stop_when_asked() {
    struct Stopped;

    impl Law for Stopped {
        fn hold<G: Game>(&mut self, contents: &'static Contents<G>, boards: &[&str]) {
            laws::stops(contents, boards);
        }
    }

    for_each_game(&mut Stopped);
}

#[test]
fn moves_are_weighed() {
    struct Weighing(BTreeSet<&'static str>);

    impl Law for Weighing {
        fn hold<G: Game>(&mut self, contents: &'static Contents<G>, _: &[&str]) {
            self.0.extend(laws::weights(contents));
        }
    }

    let mut weighing = Weighing(BTreeSet::new());
    for_each_game(&mut weighing);
    assert!(weighing.0.len() >= 8, "only {:?} weigh their moves", weighing.0);
}

/// Who searches shows what each move is worth. The searches of these two know of all moves but the best only that they are no better.
#[test]
fn probe_tells_the_choice_and_its_values() {
    struct Silent(BTreeSet<&'static str>);

    impl Law for Silent {
        fn hold<G: Game>(&mut self, contents: &'static Contents<G>, _: &[&str]) {
            self.0.extend(laws::answers(contents));
        }
    }

    let mut silent = Silent(BTreeSet::new());
    for_each_game(&mut silent);
    assert_eq!(silent.0, BTreeSet::from(["gomoku-alphabeta", "gomoku-minimax"]));
}
