use gauntlet_core::game::{Diagram, Game, Seat};
use gauntlet_core::rng::Seed;

use super::*;
use crate::rules::opening::{SYMMETRIES, image};
use crate::rules::{Board, Rule, Rules, Stone};

fn player(settings: &str) -> Box<dyn Player<Gomoku>> {
    let config: Config = toml::from_str(settings).expect("settings");
    config.build(&BuildContext::default()).expect("no file is needed")
}

fn position(rows: &[&str], turn: &str, rule: Rule) -> Gomoku {
    let rules = Rules { size: rows.len() as u8, rule, ..Rules::default() };
    let diagram = Diagram { to_move: Some(turn.to_owned()), ..Diagram::from_cells(&rows.concat()) };
    Gomoku::set_up(&rules, &diagram).expect("a position")
}

#[test]
fn one_limit_is_set() {
    let conflicting_key = |settings: &str| {
        let config: Config = toml::from_str(settings).expect("settings");
        Recipe::<Gomoku>::contradiction(&config).map(|(key, _)| key)
    };
    assert_eq!(conflicting_key(""), Some("nodes"));
    assert_eq!(conflicting_key("nodes = 5\nmillis = 5"), Some("millis"));
    assert_eq!(conflicting_key("depth = 5\nnodes = 5"), Some("depth"));
    assert_eq!(conflicting_key("depth = 5\nweights = { two = 2000 }"), Some("weights"));
    assert_eq!(conflicting_key("depth = 5"), None);
    let timed_config: Config = toml::from_str("millis = 5").expect("settings");
    assert!(!Recipe::<Gomoku>::facts(&timed_config, &crate::rules::Rules::default()).is_reproducible);
}

#[test]
fn fives_are_made_and_stopped() {
    let rows = [
        "BBBB....W",
        ".........",
        ".........",
        ".........",
        "WWW......",
        ".........",
        ".........",
        ".........",
        ".........",
    ];
    for settings in ["nodes = 1", "depth = 1", "nodes = 300\nvcf_nodes = 0"] {
        let mut player = player(settings);
        for turn in ["B", "W"] {
            let choice = player.choose(&position(&rows, turn, Rule::Free)).expect("a move");
            assert_eq!(choice.mv.to_string(), "e1", "{turn}");
        }
    }
}

#[test]
fn exactly_five_is_played_where_six_do_not_win() {
    // e1 makes six; row f is completed to five at f9.
    let rows = [
        "BBBB.B...",
        ".........",
        ".........",
        ".........",
        ".....B...",
        ".....B...",
        ".....B...",
        ".....B...",
        "WWWW.W.W.",
    ];
    let choice = player("nodes = 100").choose(&position(&rows, "B", Rule::Standard)).expect("a move");
    assert_eq!(choice.mv.to_string(), "f4");
}

#[test]
fn choices_do_not_depend_on_games_before() {
    let mut board = Board::new(15);
    for (index, cell) in (0..).zip(["h8", "h9", "i9", "g7", "g9"]) {
        board.put(cell.parse().expect("a cell"), Stone::next_after(index));
    }
    let first_position = Gomoku::from_board(board, Rule::Free, Stone::White);
    let other_position = position(&["B....", ".....", "..W..", ".....", "....."], "B", Rule::Free);
    for settings in ["nodes = 3000", "depth = 3"] {
        let mut player = player(settings);
        let mut choose = |position: &Gomoku| {
            player.begin(&Start { seed: Seed::root(1), seat: Seat::First, rules: &Rules::default() });
            player.choose(position).expect("a move")
        };
        let expected = choose(&first_position);
        choose(&other_position);
        assert_eq!(choose(&first_position), expected);
        assert!(expected.nodes > 0 && expected.depth.is_some());
    }
}

#[test]
fn images_of_a_position_have_one_value() {
    // At depth one, before the order of ties matters.
    let stones = ["h8", "h9", "i9", "g7", "g9", "j10", "f8"];
    let values: Vec<Option<f64>> = (0..SYMMETRIES)
        .map(|symmetry| {
            let mut board = Board::new(15);
            for (index, cell) in (0..).zip(stones) {
                board.put(image(cell.parse().expect("a cell"), symmetry, 15), Stone::next_after(index));
            }
            let mut player = player("depth = 1");
            player.choose(&Gomoku::from_board(board, Rule::Free, Stone::White)).expect("a move").value
        })
        .collect();
    assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
}

#[test]
fn every_size_and_rule_is_played_to_the_end() {
    for (size, rule) in [(5, Rule::Free), (6, Rule::Standard), (19, Rule::Standard)] {
        let mut game = Gomoku::from_board(Board::new(size), rule, Stone::Black);
        let mut player = player("nodes = 60");
        let mut game_rng = Seed::root(1).rng();
        while game.to_move().is_some() {
            let choice = player.choose(&game).expect("a move");
            game.play(choice.mv, &mut game_rng).expect("a legal move");
        }
    }
}
