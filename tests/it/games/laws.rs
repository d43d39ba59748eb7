//! Laws for every game, and the list through which laws reach each game with its type.

use std::collections::BTreeSet;

use gauntlet::arena::{Arena, GameDefinition};
use gauntlet::game::{Block, Game, MAX_FACTS, Outcome};
use gauntlet::laws::games::{check_all_playouts, check_playouts, check_rules, check_text, check_texts};
use gauntlet::rng::Seed;
use gauntlet::twenty48::rules::{self as twenty48, Twenty48};
use gauntlet::{GAMES, gomoku};

use crate::self_play;
use crate::tictactoe::{self, TicTacToe};

/// A law for any game and its players.
pub(crate) trait Law {
    /// Checks a game. `boards` are positions that games seldom reach, as text.
    fn check<G: Game>(&mut self, contents: &'static GameDefinition<G>, boards: &[&str]);
}

/// Checks every game against a law. A test below fails if a built-in game is missing here.
pub(crate) fn for_each_game(law: &mut impl Law) {
    // Searches by tables of lines end before a tile of 65536.
    law.check(&gauntlet::twenty48::CONTENTS, &["32768 16384 8192 4  65536 0 0 0  2 0 4 0  0 0 0 2"]);
    // A board without a five and with one empty cell.
    law.check(&gomoku::CONTENTS, &[&full_board_but_one()]);
}

/// Pairs of stones that alternate along rows and columns: no line is longer than two, and one cell
/// is empty.
fn full_board_but_one() -> String {
    let stone = |x: usize, y: usize| if (x / 2 + y).is_multiple_of(2) { 'B' } else { 'W' };
    let rows = (0..15).map(|y| (0..15).map(|x| stone(x, y)).collect::<String>());
    let full = rows.collect::<Vec<_>>().join("\n");
    full.replacen('B', ".", 1)
}

#[test]
fn no_game_is_missing() {
    struct GameNames(Vec<&'static str>);

    impl Law for GameNames {
        fn check<G: Game>(&mut self, _: &'static GameDefinition<G>, _: &[&str]) {
            self.0.push(G::INFO.name);
        }
    }

    let mut names = GameNames(Vec::new());
    for_each_game(&mut names);
    let registered: Vec<&str> = GAMES.iter().map(|arena: &Arena| arena.name).collect();
    assert_eq!(names.0, registered);
}

#[test]
fn games_keep_their_laws() {
    struct Rules;

    impl Law for Rules {
        fn check<G: Game>(&mut self, _: &'static GameDefinition<G>, boards: &[&str]) {
            check_rules::<G>(boards);
        }
    }

    for_each_game(&mut Rules);
}

#[test]
fn positions_and_moves_are_text() {
    struct Text;

    impl Law for Text {
        fn check<G: Game>(&mut self, _: &'static GameDefinition<G>, boards: &[&str]) {
            check_texts::<G>(boards);
            let start = G::open(&G::Rules::default(), Block::from_seed(1), &mut self_play::new_game_rng(1));
            for invalid_move in ["0,0", "-1", "z99"] {
                assert_eq!(start.read_move(invalid_move), None, "{invalid_move}");
            }
        }
    }

    for_each_game(&mut Text);
    check_texts::<TicTacToe>(&["xo.......", "xoxoxoox."]);
    // A win that the tiles do not show.
    let rules: twenty48::Rules = serde_json::from_str(r#"{"win":16,"win_by":"gain"}"#).expect("rules");
    let mut position =
        Twenty48::set_up(&rules, "4 4 0 0  4 4 0 0  0 0 0 0  0 0 0 0", Some(12)).expect("a board");
    position.play(twenty48::Direction::Left, &mut Seed::root(1).rng()).expect("a legal move");
    assert_eq!(position.state().outcome, Outcome::Points { score: 28, won: true });
    check_text(&rules, &position);
}

#[test]
fn names_are_unique_and_facts_fit() {
    let names: BTreeSet<_> = GAMES.iter().map(|arena| arena.name).collect();
    assert_eq!(names.len(), GAMES.len(), "{names:?}");
    for arena in GAMES.iter() {
        let facts: BTreeSet<_> = arena.facts.iter().map(|fact| fact.column).collect();
        assert!(facts.len() == arena.facts.len() && facts.len() <= MAX_FACTS, "{facts:?}");
    }
}

/// Random games equal those of a plain loop, however fast a game plays them.
#[test]
fn playouts_are_those_of_the_plain_loop() {
    struct Plain;

    impl Law for Plain {
        fn check<G: Game>(&mut self, _: &'static GameDefinition<G>, boards: &[&str]) {
            check_all_playouts::<G>(boards);
        }
    }

    for_each_game(&mut Plain);
    check_playouts(&TicTacToe::open(
        &tictactoe::Rules::default(),
        Block::from_seed(1),
        &mut self_play::new_game_rng(1),
    ));
    // Rules that change the end of a game, or its moves.
    for rules in [
        r#"{"until":64}"#,
        r#"{"win":32,"until":"win"}"#,
        r#"{"win":16}"#,
        r#"{"win":64,"win_by":"gain"}"#,
        r#"{"idle_moves":"spawn"}"#,
        r#"{"start":"64 32 2 0  0 0 0 0  0 0 0 0  0 0 0 0"}"#,
    ] {
        let rules: twenty48::Rules = serde_json::from_str(rules).expect("rules");
        for board in ["0 0 0 0  0 0 2 0  0 0 0 0  0 0 0 0", "4 0 0 0  8 2 0 0  32 8 2 0  32 8 8 4"] {
            check_playouts(&Twenty48::set_up(&rules, board, Some(30)).expect("a board"));
        }
    }
    let empty = "0 0 0 0  0 0 0 0  0 0 0 0  0 0 0 0";
    check_playouts(&Twenty48::set_up(&twenty48::Rules::default(), empty, None).expect("a board"));
}
