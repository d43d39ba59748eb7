use gauntlet_core::game::Game as _;
use gauntlet_core::rng::Seed;
use gauntlet_twenty48::rules::{Board, Cells, Rules};
use serde::Deserialize;

use super::super::evaluation::{ArticleFinal, Corner27, Formula, McSimple, Repository, SnakeLinear};
use super::super::table_evaluation::TableEvaluation;
use super::super::{reference, vectors};
use super::*;

fn position(cells: Cells) -> Twenty48 {
    Twenty48::set_up(&Rules::default(), &cells.format_line(), None).expect("a board")
}

#[test]
fn evaluations_of_all_boards_of_the_vectors() {
    fn check<F: Formula>(formula: SwiftEvaluation, index: usize) {
        let evaluation = TableEvaluation::<F>::new(formula.empty_weight().get());
        for case in vectors::static_cases() {
            let board = case.board.format_line();
            assert_eq!(
                evaluation.value(case.board),
                case.evals[index],
                "{formula:?} by definition on {board}"
            );
            let rows = case.board.nibbles().expect("no vector has a tile over 32768");
            let columns = case.board.transpose().nibbles().expect("nor turned");
            assert_eq!(
                evaluation.value_of_lines(rows, columns),
                case.evals[index],
                "{formula:?} from tables on {board}"
            );
        }
    }

    check::<Corner27>(SwiftEvaluation::Corner27, 0);
    check::<SnakeLinear>(SwiftEvaluation::SnakeLinear57, 1);
    check::<ArticleFinal>(SwiftEvaluation::ArticleFinal, 2);
    check::<McSimple>(SwiftEvaluation::McSimple, 3);
    check::<Repository>(SwiftEvaluation::Repo57, 4);
    check::<Repository>(SwiftEvaluation::Repo117, 5);
}

/// Run of `swift_expectimax.jsonl`.
#[derive(Deserialize)]
struct Run {
    name: String,
    depth: u32,
    eval: String,
    order: String,
    adaptive: bool,
    #[serde(rename = "move")]
    mv: String,
    score: f64,
    values: std::collections::BTreeMap<String, f64>,
}

#[derive(Deserialize)]
struct Case {
    board: [u64; 16],
    runs: Vec<Run>,
}

/// Returns the value of each legal direction, for which the search and the plain recursion agree to
/// the last bit.
fn values_by(search: &mut Search<impl LineEvaluation>, board: Board, depth: u32) -> Vec<(Direction, f64)> {
    search.begin();
    let mut value = |direction| {
        let after = board.slide(direction)?;
        let value = search.value(after, depth);
        let expected = reference::chance(&search.evaluation, after, depth, &mut 0, &Stop::default());
        assert_eq!(value, expected, "{direction} on {}, {depth} deep", board.cells().format_line());
        Some((direction, value))
    };
    Direction::ALL.into_iter().filter_map(&mut value).collect()
}

#[test]
fn all_runs_of_the_vectors() {
    let mut article = Search::new(TableEvaluation::<ArticleFinal>::new(5.7), Stop::default());
    let mut corner = Search::new(TableEvaluation::<Corner27>::new(2.7), Stop::default());
    let mut repository = Search::new(TableEvaluation::<Repository>::new(11.7), Stop::default());
    let mut count = 0;
    for case in vectors::lines::<Case>(include_str!("../../../../../tests/it/vectors/swift_expectimax.jsonl"))
    {
        let position = position(Cells::from_values(case.board).expect("tiles"));
        let board = position.board();
        for run in case.runs {
            let formula = match &*run.eval {
                "articleFinal" => SwiftEvaluation::ArticleFinal,
                "corner27" => SwiftEvaluation::Corner27,
                "repo117" => SwiftEvaluation::Repo117,
                other => panic!("no evaluation {other}"),
            };
            let family = if run.order == "repo" { SwiftSource::Repository } else { SwiftSource::Article };
            let config = Config {
                family,
                depth: Some(i64::from(run.depth).try_into().expect("a depth")),
                adaptive: Some(run.adaptive),
                evaluation: Some(formula),
                ..Config::default()
            };
            let label = format!("{} on {}", run.name, board.cells().format_line());
            let choice = config
                .build(&BuildContext::default())
                .expect("needs nothing")
                .choose(&position)
                .expect("a move");
            assert_eq!(choice.mv.name(), run.mv, "{label}");
            let is_close =
                |actual: f64, expected: f64| (actual - expected).abs() <= 1e-9 * expected.abs().max(1.0);
            let value = choice.value.expect("a value");
            assert!(is_close(value, run.score), "{label}: {value}, not {}", run.score);

            let depth = run.depth - u32::from(run.adaptive && board.cells().count_empty() >= 4);
            let values = match formula {
                SwiftEvaluation::ArticleFinal => values_by(&mut article, board, depth),
                SwiftEvaluation::Corner27 => values_by(&mut corner, board, depth),
                _ => values_by(&mut repository, board, depth),
            };
            assert_eq!(values.len(), run.values.len(), "{label}");
            for (direction, actual) in values {
                let expected = run.values[direction.name()];
                assert!(is_close(actual, expected), "{label}: {direction} {actual}, not {expected}");
                count += 1;
            }
        }
    }
    assert!(count > 1500, "only {count} values were compared");
}

/// Tests of this player by the original's author.
#[test]
fn best_directions_of_the_author() {
    let mut count = 0;
    for line in vectors::lines::<serde_json::Value>(vectors::XCTEST) {
        if line["algorithm"] != "expectimax depth 4" {
            continue;
        }
        let board: [u64; 16] = serde_json::from_value(line["board"].clone()).expect("a board");
        let config = Config { depth: Some(BoundedInt::new(4)), ..Config::default() };
        let position = position(Cells::from_values(board).expect("tiles"));
        let choice =
            config.build(&BuildContext::default()).expect("needs nothing").choose(&position).expect("a move");
        assert_eq!(choice.mv.name(), line["best"], "{}", line["test"]);
        count += 1;
    }
    assert_eq!(count, 3);
}

/// Returns boards of real games at every stage. Each is also returned with all but small tiles
/// raised so that the largest is 16384, 32768 or 65536. With two largest ones, the next merge
/// exceeds the tables.
fn boards_with_large_ones() -> Vec<Board> {
    let mut boards = Vec::new();
    for board in boards_of_play(3, 53) {
        boards.push(board);
        let cells = board.cells();
        let max_rank = cells.max_rank();
        for target_rank in [14, 15, 16] {
            let raised_ranks =
                cells.ranks().map(|rank| if rank >= 4 { rank + target_rank - max_rank } else { rank });
            boards.push(Board::new(Cells::from_ranks(raised_ranks)));
            let doubled_ranks =
                raised_ranks.map(|rank| if rank + 1 == target_rank { target_rank } else { rank });
            boards.push(Board::new(Cells::from_ranks(doubled_ranks)));
        }
    }
    boards
}

/// Compares every evaluation at every depth, odd and even, with the plain recursion.
#[test]
fn the_search_is_the_plain_one() {
    fn check(evaluation: impl LineEvaluation, boards: &[Board]) {
        let mut search = Search::new(evaluation, Stop::default());
        for (i, &board) in boards.iter().enumerate() {
            // The plain recursion is slow, so greater depths are tried on fewer boards.
            for depth in (0..=4).filter(|depth| i % [1, 1, 1, 4, 16][*depth as usize] == 0) {
                values_by(&mut search, board, depth);
            }
        }
    }

    let boards = boards_with_large_ones();
    assert!(boards.iter().any(|board| board.cells().nibbles().is_none()));
    check(TableEvaluation::<Corner27>::new(2.7), &boards);
    check(TableEvaluation::<SnakeLinear>::new(5.7), &boards);
    check(TableEvaluation::<ArticleFinal>::new(5.7), &boards);
    check(TableEvaluation::<McSimple>::new(2.0), &boards);
    check(TableEvaluation::<Repository>::new(13.7), &boards);
    let weights = Weights::from_pairs(&[("empty-log", 2.7), ("islands", -1.0), ("monotonicity-lines", 1.0)]);
    check(evaluation_settings::WeightedEvaluation(weights.compile()), &boards);
}

/// The search considers a possible tile 65536 at every depth.
#[test]
fn tiles_over_32768_are_searched() {
    let position = position("32768 32768 4 2  2 4 8 4  4 8 4 2  2 4 2 0".parse().expect("a board"));
    for depth in [1, 2, 3, 4] {
        let config = Config {
            depth: Some(BoundedInt::new(depth)),
            weights: Some(Weights::from_pairs(&[("max-tile", 1.0)])),
            ..Config::default()
        };
        let choice =
            config.build(&BuildContext::default()).expect("needs nothing").choose(&position).expect("a move");
        let value = choice.value.expect("a value");
        assert!((value - 65_536.0).abs() < 1e-6, "{depth} deep: {choice:?}");
        assert!(choice.nodes > 0);
    }
}

/// Weights equivalent to a named evaluation make the same choices.
#[test]
fn weights_can_say_what_names_say() {
    let weights =
        [("monotonicity-lines", 1.0), ("empty", 8.7), ("max-tile", 1.0), ("snake-power-bottom", 1.0)];
    let weights_config = Config { weights: Some(Weights::from_pairs(&weights)), ..Config::default() };
    let name_config = Config { empty_weight: Some(8.7.try_into().expect("a weight")), ..Config::default() };
    let mut players = [weights_config, name_config]
        .map(|config| config.build(&BuildContext::default()).expect("needs nothing"));
    for board in boards_of_play(2, 57) {
        let choices =
            players.each_mut().map(|player| player.choose(&position(board.cells())).expect("a move"));
        let [one, other] = choices.map(|choice| choice.value.expect("a value"));
        assert!(
            (one - other).abs() <= 1e-9 * other.abs(),
            "{one}, {other} on {}",
            board.cells().format_line()
        );
        assert_eq!(choices[0].mv, choices[1].mv, "{}", board.cells().format_line());
        assert_eq!(choices[0].depth, Some(if board.cells().count_empty() >= 4 { 4 } else { 5 }));
    }
}

#[test]
fn a_board_is_worth_one_thing() {
    #[track_caller]
    fn check(json: &str, expected: Option<&str>) {
        let config: Config = serde_json::from_str(json).expect("settings");
        assert_eq!(config.contradiction().map(|(key, _)| key), expected);
    }

    check(r#"{"weights": {"empty": 1}}"#, None);
    check(r#"{"evaluation": "repo-57", "empty_weight": 8.7}"#, None);
    check(r#"{"evaluation": "repo-57", "weights": {"empty": 1}}"#, Some("weights"));
    check(r#"{"empty_weight": 8.7, "weights": {"empty": 1}}"#, Some("empty_weight"));
}

/// Returns boards at every stage of this player's games, one every `every` moves.
fn boards_of_play(games: u64, every: u32) -> Vec<Board> {
    let mut boards = Vec::new();
    let config = Config { depth: Some(2.try_into().expect("a depth")), ..Config::default() };
    let mut player = config.build(&BuildContext::default()).expect("needs nothing");
    for game in 0..games {
        let mut game_rng = Seed::root(game).child("world", 0).rng();
        let mut position = Twenty48::start(&Rules::default(), &mut game_rng);
        while position.to_move().is_some() {
            if position.state().moves.is_multiple_of(every) {
                boards.push(position.board());
            }
            let mv = player.choose(&position).expect("a move").mv;
            position.play(mv, &mut game_rng).expect("a legal move");
        }
    }
    boards
}

/// Returns any settings as they are recorded.
fn record_settings(json: &str) -> String {
    let config: Config = serde_json::from_str(json).expect("settings");
    serde_json::to_string(&config).expect("plain data")
}

#[test]
fn settings_are_recorded_as_they_are_played() {
    let repository =
        r#"{"family":"repository","depth":5,"adaptive":true,"evaluation":"repo-117","empty_weight":11.7}"#;
    let article =
        r#"{"family":"article","depth":4,"adaptive":false,"evaluation":"article-final","empty_weight":5.7}"#;
    let weights = r#"{"family":"repository","depth":5,"adaptive":true,"weights":{"empty":1.0}}"#;
    // The recorded form is a way to write these settings, and so is each part of it.
    let check = |json: &str, expected: &str| assert_eq!(record_settings(json), expected, "{json}");
    check("{}", repository);
    check(repository, repository);
    check(r#"{"family": "repository"}"#, repository);
    check(r#"{"depth": 5}"#, repository);
    check(r#"{"adaptive": true}"#, repository);
    check(r#"{"evaluation": "repo-117"}"#, repository);
    check(r#"{"empty_weight": 11.7}"#, repository);
    check(r#"{"family": "article"}"#, article);
    check(article, article);
    check(r#"{"family": "article", "adaptive": false, "depth": 4}"#, article);
    check(r#"{"weights": {"empty": 1}}"#, weights);
    check(weights, weights);
}

#[test]
fn each_setting_is_recorded() {
    let players = [
        "{}",
        r#"{"family": "article"}"#,
        r#"{"depth": 4}"#,
        r#"{"adaptive": false}"#,
        r#"{"evaluation": "corner-27"}"#,
        r#"{"evaluation": "repo-57"}"#,
        r#"{"empty_weight": 13.7}"#,
        r#"{"weights": {"empty": 1}}"#,
        r#"{"weights": {"empty": 2}}"#,
    ];
    let recorded_settings: std::collections::BTreeSet<String> =
        players.into_iter().map(record_settings).collect();
    assert_eq!(recorded_settings.len(), players.len());
}

/// The plain search counts the same boards as the fast one, which only evaluates fewer of them.
#[test]
fn nodes_are_counted_alike() {
    let evaluation = TableEvaluation::<Repository>::new(11.7);
    let mut search = Search::new(TableEvaluation::<Repository>::new(11.7), Stop::default());
    for board in boards_of_play(1, 53) {
        for after in Direction::ALL.into_iter().filter_map(|direction| board.slide(direction)) {
            for depth in 0..=3 {
                let mut nodes = 0;
                reference::chance(&evaluation, after, depth, &mut nodes, &Stop::default());
                search.begin();
                search.value(after, depth);
                assert!(search.nodes <= nodes, "{} is more than {nodes}", search.nodes);
                assert!(depth > 1 || search.nodes == nodes, "{} is not {nodes}", search.nodes);
            }
        }
    }
}
