use serde::Deserialize;

use super::super::evaluation::{ArticleFinal, Corner27, Formula, McSimple, Repository, SnakeLinear};
use super::super::quick::Quick;
use super::super::{plain, vectors};
use super::*;
use crate::game::Game as _;
use crate::games::twenty48::{Board, Cells, Rules};

fn position(cells: Cells) -> Twenty48 {
    Twenty48::set_up(&Rules::default(), &cells.line(), None).expect("a board")
}

#[test]
fn evaluations_of_all_boards_of_the_vectors() {
    fn check<F: Formula>(named: Named, place: usize) {
        let judge = Quick::<F>::new(named.empty_weight());
        for case in vectors::statics() {
            let board = case.board.line();
            assert_eq!(judge.value(case.board), case.evals[place], "{named:?} by definition on {board}");
            let rows = case.board.nibbles().expect("no vector has a tile over 32768");
            let columns = case.board.transposed().nibbles().expect("nor turned");
            assert_eq!(judge.quick(rows, columns), case.evals[place], "{named:?} from tables on {board}");
        }
    }

    check::<Corner27>(Named::Corner27, 0);
    check::<SnakeLinear>(Named::SnakeLinear57, 1);
    check::<ArticleFinal>(Named::ArticleFinal, 2);
    check::<McSimple>(Named::McSimple, 3);
    check::<Repository>(Named::Repo57, 4);
    check::<Repository>(Named::Repo117, 5);
}

/// A run of `swift_expectimax.jsonl`.
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

/// The value of each legal direction, which the search and the plain recursion give alike to the last bit.
fn values<F: Formula>(board: Board, depth: u32, named: Named) -> Vec<(Direction, f64)> {
    let mut search = Search::new(Quick::<F>::new(named.empty_weight()));
    search.begin();
    let mut value = |direction| {
        let after = board.slide(direction)?;
        let value = search.value(after, depth);
        let plain = plain::chance(&search.judge, after, depth);
        assert_eq!(value, plain, "{direction} on {}, {depth} deep", board.cells().line());
        Some((direction, value))
    };
    Direction::ALL.into_iter().filter_map(&mut value).collect()
}

#[test]
fn all_runs_of_the_vectors() {
    let mut compared = 0;
    for case in vectors::lines::<Case>(include_str!("../../../../../tests/it/vectors/swift_expectimax.jsonl"))
    {
        let position = position(Cells::from_values(case.board).expect("tiles"));
        let board = position.board();
        for run in case.runs {
            let named = match &*run.eval {
                "articleFinal" => Named::ArticleFinal,
                "corner27" => Named::Corner27,
                "repo117" => Named::Repo117,
                other => panic!("no evaluation {other}"),
            };
            let family = if run.order == "repo" { Family::Repository } else { Family::Article };
            let config = Config {
                family,
                depth: Some(i64::from(run.depth).try_into().expect("a depth")),
                adaptive: Some(run.adaptive),
                evaluation: Some(named),
                ..Config::default()
            };
            let what = format!("{} on {}", run.name, board.cells().line());
            let thought = config.build().expect("needs nothing").choose(&position).expect("a move");
            assert_eq!(thought.mv.name(), run.mv, "{what}");
            let close = |ours: f64, theirs: f64| (ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0);
            let value = thought.value.expect("a value");
            assert!(close(value, run.score), "{what}: {value}, not {}", run.score);

            let depth = run.depth - u32::from(run.adaptive && board.cells().empty() >= 4);
            let values = match named {
                Named::ArticleFinal => values::<ArticleFinal>(board, depth, named),
                Named::Corner27 => values::<Corner27>(board, depth, named),
                _ => values::<Repository>(board, depth, named),
            };
            assert_eq!(values.len(), run.values.len(), "{what}");
            for (direction, ours) in values {
                let theirs = run.values[direction.name()];
                assert!(close(ours, theirs), "{what}: {direction} {ours}, not {theirs}");
                compared += 1;
            }
        }
    }
    assert!(compared > 1500, "only {compared} values were compared");
}

/// Boards of real games at every stage: every so many moves of this player's own games.
fn boards_of_play(games: u64, every: u32) -> Vec<Board> {
    let mut boards = Vec::new();
    let config = Config { depth: Some(2.try_into().expect("a depth")), ..Config::default() };
    let mut player = config.build().expect("needs nothing");
    for game in 0..games {
        let mut world = Seed::root(game).child("world", 0).rng();
        let mut position = Twenty48::start(&Rules::default(), &mut world);
        while position.to_move().is_some() {
            if position.moves_played() % every == 0 {
                boards.push(position.board());
            }
            let mv = player.choose(&position).expect("a move").mv;
            position.play(mv, &mut world).expect("a legal move");
        }
    }
    boards
}

/// `cargo test --release --lib -- --ignored --nocapture speed_of_expectimax`
#[test]
#[ignore = "takes time, and says how much"]
fn speed_of_expectimax() {
    let boards = boards_of_play(8, 17);
    for (family, depth) in [(Family::Repository, 5), (Family::Repository, 4), (Family::Article, 4)] {
        let depth = Some(i64::from(depth).try_into().expect("a depth"));
        let config = Config { family, depth, ..Config::default() };
        let mut player = config.build().expect("needs nothing");
        let positions: Vec<Twenty48> = boards.iter().map(|board| position(board.cells())).collect();
        let mut times = [0.0; 21];
        let mut sum = 0.0;
        let nodes: u64 = boards.iter().map(|&b| player.choose(&position(b.cells())).unwrap().nodes).sum();
        println!("nodes a move us {}", nodes as f64 / boards.len() as f64);
        for time in &mut times {
            let start = cpu_time::ThreadTime::now();
            for position in &positions {
                sum += player.choose(position).expect("a move").value.expect("a value");
            }
            *time = start.elapsed().as_secs_f64() / boards.len() as f64 * 1e6;
        }
        times.sort_by(f64::total_cmp);
        println!(
            "{family:?} {depth:?}: {:.1} us a move (least {:.1}) over {} boards, {sum}",
            times[10],
            times[0],
            boards.len()
        );
    }
}
