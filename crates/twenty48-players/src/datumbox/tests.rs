//! Compares the fast search with the plain one, and both with the program's answers.

use gauntlet_core::game::{Game, RandomPlay};
use gauntlet_core::num::BoundedInt;
use gauntlet_core::player::{BuildContext, Choice, NoMove, Recipe, Stop};
use gauntlet_core::rng::Seed;
use gauntlet_twenty48::rules::{Board, Cells, Direction, Rules, Twenty48};
use serde_json::Value;

use super::reference::ReferenceBoard;
use super::search::Search;
use super::values::{Values, VersionDifferences, earns_nothing};
use super::{Config, Kind, Version};

const STATIC: &str = include_str!("../../../../tests/it/vectors/datumbox_static.jsonl");
const SEARCH: [(Version, &str); 2] = [
    (Version::April, include_str!("../../../../tests/it/vectors/datumbox_initial_search.jsonl")),
    (Version::May, include_str!("../../../../tests/it/vectors/datumbox_search.jsonl")),
];

fn lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"))
}

fn cells_of(board: &Value) -> Cells {
    let values: Vec<u64> =
        board.as_array().expect("a board").iter().map(|v| v.as_u64().expect("a tile")).collect();
    Cells::from_values(values.try_into().expect("sixteen")).expect("tiles")
}

fn int(value: &Value) -> i32 {
    value.as_i64().expect("a number").try_into().expect("an int")
}

fn version_differences(version: Version, search: Kind, win_test: bool) -> VersionDifferences {
    Config { version, search, depth: BoundedInt::try_from(1).expect("a depth"), win_test }
        .version_differences()
}

#[test]
fn boards_are_valued_as_by_the_program() {
    let differences = version_differences(Version::May, Kind::Minimax, true);
    let mut values = Values::new(differences);
    let mut cases = 0;
    for case in lines(STATIC) {
        let (cells, score) = (cells_of(&case["board"]), int(&case["score"]));
        let id = &case["id"];
        let empty = cells.count_empty();
        assert_eq!(empty as i32, int(&case["empty"]));
        assert_eq!(values.value(cells, score, empty), int(&case["heuristic"]), "board {id}");
        assert_eq!(ReferenceBoard::new(cells, score).heuristic(), int(&case["heuristic"]), "board {id}");
        let terminated = values.is_won(cells, score) || empty == 0 && earns_nothing(cells);
        assert_eq!(values.is_won(cells, score), case["hasWon"], "board {id}");
        assert_eq!(terminated, case["terminated"], "board {id}");
        assert_eq!(
            ReferenceBoard::new(cells, score).is_terminated(differences),
            case["terminated"],
            "board {id}"
        );
        for (direction, move_case) in Direction::ALL.into_iter().zip(case["moves"].as_array().expect("moves"))
        {
            let board = Board::new(cells);
            let after = board.slide(direction);
            assert_eq!(after.is_some(), move_case["moved"], "board {id}, {direction}");
            let Some(after) = after.map(|after| after.cells()) else { continue };
            let new_score = score + board.gain(direction) as i32;
            assert_eq!(new_score, score + int(&move_case["points"]), "board {id}, {direction}");
            assert_eq!(empty as i32, int(&move_case["staleEmpty"]));
            assert_eq!(
                values.value(after, new_score, empty),
                int(&move_case["staleHeuristic"]),
                "board {id}, {direction}"
            );
            let terminated = values.is_won(after, new_score) || empty == 0 && earns_nothing(after);
            assert_eq!(terminated, move_case["staleTerminated"], "board {id}, {direction}");

            let mut reference_board = ReferenceBoard::new(cells, score);
            reference_board.count_empty();
            reference_board.slide(direction);
            assert_eq!(
                reference_board.is_terminated(differences),
                move_case["staleTerminated"],
                "board {id}, {direction}"
            );
            assert_eq!(
                reference_board.heuristic(),
                int(&move_case["staleHeuristic"]),
                "board {id}, {direction}"
            );
            cases += 1;
        }
    }
    assert_eq!(cases, 4069);
}

#[test]
fn searches_are_those_of_the_program() {
    let mut cases = 0;
    for (version, text) in SEARCH {
        for case in lines(text) {
            let (cells, score) = (cells_of(&case["board"]), int(&case["score"]));
            for (kind, results) in [(Kind::AlphaBeta, &case["alphabeta"]), (Kind::Minimax, &case["minimax"])]
            {
                let differences = version_differences(version, kind, true);
                let mut search = Search::new(differences, Stop::default());
                for (depth, result) in (1..).zip(results.as_array().expect("a list")) {
                    let mv = result["move"].as_u64().map(|code| Direction::ALL[code as usize]);
                    let expected = (mv, int(&result["score"]));
                    let label = format!("board {}, {version:?}, {kind:?}, depth {depth}", case["id"]);
                    if search.values().is_won(cells, score) {
                        let win_value = search.values().win_value(cells, score, cells.count_empty());
                        assert_eq!((None, win_value), expected, "{label}");
                    } else {
                        assert_eq!(search.choose(cells, score, depth, |_| true), expected, "{label}");
                    }
                    if depth <= 3 {
                        let (value, mv) = ReferenceBoard::new(cells, score).choose(differences, depth);
                        assert_eq!((mv, value), expected, "{label}, plainly");
                    }
                    cases += 1;
                }
            }
        }
    }
    assert_eq!(cases, 2102);
}

/// Returns positions from games of the player at depth 1 and from random games, some of which begin
/// with large tiles.
fn positions(count: usize) -> Vec<(Cells, i32)> {
    let starts = [
        None,
        Some(("2 0 0 0  4 2 0 0  16 8 512 4  1024 1024 512 0", 17_900)),
        Some(("2 4 2 4  4 8 16 2  512 256 64 8  1024 1024 512 256", 18_300)),
        Some(("2 0 0 0  4 2 0 0  16 8 512 4  16384 1024 512 0", 250_000)),
        Some(("2 0 0 0  4 2 0 0  16384 8192 8192 4  32768 1024 512 0", 900_000)),
        Some(("2 0 0 0  4 2 0 0  32768 32768 8192 4  65536 1024 512 0", 1_900_000)),
        Some(("2 4 0 16  32768 8 64 32768  16384 16384 8 4  65536 131072 512 2", 3_800_000)),
    ];
    let mut positions = Vec::new();
    let mut search = Search::new(version_differences(Version::May, Kind::AlphaBeta, false), Stop::default());
    for game in 0.. {
        let (mut game_rng, mut player_rng) =
            (Seed::root(game).child("world", 0).rng(), Seed::root(game).child("seat", 0).rng());
        let rules = Rules::default();
        let mut position = match starts[game as usize % starts.len()] {
            None => Twenty48::start(&rules, &mut game_rng),
            Some((board, score)) => Twenty48::set_up(&rules, board, Some(score)).expect("a board"),
        };
        while position.to_move().is_some() {
            let (cells, score) = (position.board().cells(), position.score() as i32);
            if player_rng.below(4) == 0 {
                positions.push((cells, score));
                if positions.len() == count {
                    return positions;
                }
            }
            let mv = if player_rng.below(3) == 0 {
                position.random_move(&mut player_rng).expect("not over")
            } else {
                search.choose(cells, score, 1, |_| true).0.expect("not over")
            };
            position.play(mv, &mut game_rng).expect("a legal move");
        }
    }
    unreachable!("there is always another game")
}

/// Every choice and value of the fast search equals the plain search, regardless of what it has
/// cached from earlier boards.
#[test]
fn fast_is_plain() {
    let positions = positions(3000);
    let (mut large_count, mut ended_count) = (0, 0);
    for version in [Version::April, Version::May] {
        for kind in [Kind::AlphaBeta, Kind::Minimax] {
            for win_test in [true, false] {
                let differences = version_differences(version, kind, win_test);
                let mut search = Search::new(differences, Stop::default());
                for (i, &(cells, score)) in positions.iter().enumerate() {
                    if search.values().is_won(cells, score) {
                        continue;
                    }
                    // Deeper only if it is fast enough.
                    let max_depth = if i % 40 == 0 && cells.count_empty() < 6 {
                        5
                    } else if i % 8 == 0 {
                        3
                    } else {
                        2
                    };
                    for depth in 1..=max_depth {
                        let (value, mv) = ReferenceBoard::new(cells, score).choose(differences, depth);
                        let actual = search.choose(cells, score, depth, |_| true);
                        assert_eq!(
                            actual,
                            (mv, value),
                            "{} {score}, {differences:?}, depth {depth}",
                            cells.format_line()
                        );
                        large_count += usize::from(cells.max_rank() > 14);
                        ended_count += usize::from(value == i32::MAX || value <= 1);
                    }
                }
            }
        }
    }
    assert!(large_count > 1000 && ended_count > 300, "{large_count} large, {ended_count} ended");
}

fn choose(settings: &str, rules: &str, board: &str, score: u64) -> Result<Choice<Direction>, NoMove> {
    let config: Config = serde_json::from_str(settings).expect("settings");
    let rules: Rules = serde_json::from_str(rules).expect("rules");
    let position = Twenty48::set_up(&rules, board, Some(score)).expect("a board");
    config.build(&BuildContext::default()).expect("a player").choose(&position)
}

/// A pass is made under rules that allow it; otherwise the best legal move is made.
#[test]
fn a_pass_needs_rules_that_accept_it() {
    let april_settings = r#"{"version":"2014-04","depth":3}"#;
    let (board, score) = ("16 4 2 0  128 8 2 0  32 4 0 0  2 0 0 0", 940);
    let choice = choose(april_settings, r#"{"idle_moves":"spawn"}"#, board, score).expect("a move");
    assert_eq!((choice.mv, choice.value), (Direction::Left, Some(747.0)));

    let legal_choice = choose(april_settings, "{}", board, score).expect("a move");
    let root = ReferenceBoard::new(board.parse().expect("a board"), score as i32);
    let mut best = (i32::MIN, None);
    for direction in Board::new(root.cells).legal_directions() {
        let mut child = root;
        child.count_empty();
        child.slide(direction);
        let differences = version_differences(Version::April, Kind::AlphaBeta, true);
        let (value, _) = child.search(differences, 2, (i32::MIN, i32::MAX), false);
        if value > best.0 {
            best = (value, Some(direction));
        }
    }
    assert_eq!((legal_choice.value, Some(legal_choice.mv)), (Some(best.0.into()), best.1));

    // The later version does not pass under any rules.
    let may_settings = r#"{"version":"2014-05","depth":3}"#;
    let answers = ["{}", r#"{"idle_moves":"spawn"}"#].map(|rules| choose(may_settings, rules, board, score));
    assert_eq!(answers[0], answers[1]);
    assert_ne!(answers[0].as_ref().expect("a move").mv, Direction::Left);
}

#[test]
fn it_gives_up_where_the_program_has_no_move() {
    let board = "0 2 0 2  2 2 4 8  4 32 8 2  2048 512 32 4";
    let error = choose("{}", "{}", board, 24_604).expect_err("no move");
    assert!(format!("{error:?}").contains("`win_test = false`"), "{error:?}");
    assert!(choose(r#"{"win_test":false}"#, "{}", board, 24_604).is_ok());
    assert!(choose("{}", "{}", board, 18_431).is_ok(), "without the points it is not won");
    assert!(
        format!("{:?}", choose("{}", "{}", board, 1 << 30).expect_err("too many points"))
            .contains("1073741824 points")
    );
    assert!(choose("{}", "{}", &". ".repeat(16), 0).is_err());
}
