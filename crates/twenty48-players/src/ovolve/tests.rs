use std::sync::Arc;
use std::time::Instant;

use gauntlet_core::game::{Game, RandomPlay};
use gauntlet_core::rng::Seed;
use gauntlet_twenty48::rules::{Afterstate, Cells, Grid, Rules};
use gauntlet_twenty48::testing::{parse_exact, raise_tiles, random_boards};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::search::Search;
use super::search_result::LOSS;
use super::*;

const SEARCHES: &str = include_str!("../../../../tests/it/vectors/ovolve_search.jsonl");
const COMPUTER_NODES: &str = include_str!("../../../../tests/it/vectors/ovolve_computer_node.jsonl");
const STATIC: &str = include_str!("../../../../tests/it/vectors/ovolve_static.jsonl");

/// Rank that the original counts as a win.
const RANK_OF_2048: Option<u8> = Some(11);

/// Returns the aim of the original, with this winning tile.
fn aim(win: Option<u8>) -> Aim {
    Aim::new(win, &OvolveWeights::default())
}

fn search(board: Board, depth: u32, win: Option<u8>) -> SearchResult {
    super::search::search(board, depth, &aim(win), &Stop::default())
}

fn reference_search(board: Board, depth: u32, win: Option<u8>) -> SearchResult {
    reference::search(board, depth, &aim(win), &Stop::default())
}

/// Returns candidates as the plain search lists them.
fn list_candidates(candidates: u32) -> Vec<(usize, u8)> {
    let indices = (0..32).filter(|index| candidates >> index & 1 == 1);
    indices.map(|index| (4 * (index % 4) + index / 4 % 4, 1 + index as u8 / 16)).collect()
}

fn cells_of(board: [u64; 16]) -> Cells {
    Cells::from_values(board).expect("tiles")
}

#[derive(Deserialize)]
struct SearchCase<'a> {
    id: u32,
    board: [u64; 16],
    #[serde(borrow)]
    depths: Vec<DepthResult<'a>>,
}

#[derive(Deserialize)]
struct DepthResult<'a> {
    depth: u32,
    #[serde(rename = "move")]
    mv: i8,
    #[serde(borrow)]
    score: &'a RawValue,
    positions: u64,
    cutoffs: u64,
}

/// Every search equals the original's, to the last bit and count, by both searches and the player.
#[test]
fn as_the_original_searched() {
    let mut searches = 0;
    for line in SEARCHES.lines() {
        let case: SearchCase = serde_json::from_str(line).expect("a line of searches");
        let board = Board::new(cells_of(case.board));
        for depth_result in &case.depths {
            let expected = SearchResult {
                mv: usize::try_from(depth_result.mv).ok().map(|code| Direction::ALL[code]),
                score: parse_exact(depth_result.score),
                positions: depth_result.positions,
                cutoffs: depth_result.cutoffs,
            };
            let (id, depth) = (case.id, depth_result.depth);
            assert_eq!(search(board, depth, RANK_OF_2048), expected, "board {id} at depth {depth}");
            assert_eq!(reference_search(board, depth, RANK_OF_2048), expected, "board {id} at depth {depth}");

            let (choice, counters) = choose(&format!("{{\"depth\": {depth}}}"), &case.board);
            let expected_counters = [("positions", expected.positions), ("cutoffs", expected.cutoffs)];
            assert_eq!(counters, expected_counters, "board {id} at depth {depth}");
            assert_eq!(choice.value, Some(expected.score), "board {id} at depth {depth}");
            // If every line loses, the move is that of the deepest search that found one, as with
            // deepening.
            let answer = case.depths.iter().take_while(|shallower| shallower.mv >= 0);
            let answer = answer.take_while(|shallower| shallower.depth <= depth).last().expect("a move");
            assert_eq!(choice.mv, Direction::ALL[answer.mv as usize], "board {id} at depth {depth}");
            assert_eq!(choice.depth, Some(answer.depth), "board {id} at depth {depth}");
            searches += 1;
        }
    }
    assert_eq!(searches, 524);
}

fn choose(settings: &str, board: &[u64; 16]) -> (Choice<Direction>, Vec<(&'static str, u64)>) {
    let config: Config = serde_json::from_str(settings).expect("settings");
    let mut player = config.build(&BuildContext::default()).expect("a player");
    let text = board.map(|tile| tile.to_string()).join(" ");
    let position = Twenty48::set_up(&Rules::default(), &text, None).expect("a board");
    let choice = player.choose(&position).expect("a board with a move");
    let counters = player
        .abilities()
        .counters()
        .into_iter()
        .map(|(name, count)| (name, count.as_u64().expect("a counter")));
    (choice, counters.collect())
}

/// Checks the tiles that the original searches, in its order, and the results below them.
#[test]
fn as_the_original_annoyed() {
    #[derive(Deserialize)]
    struct Case<'a> {
        id: u32,
        board: [u64; 16],
        annoyance: f64,
        candidates: Vec<(usize, u32)>,
        #[serde(borrow)]
        search0_score: &'a RawValue,
        search0_positions: u64,
        search0_cutoffs: u64,
    }

    let (mut cases, mut fast_cases) = (0, 0);
    for line in COMPUTER_NODES.lines() {
        let case: Case = serde_json::from_str(line).expect("a line of a node");
        let after = Afterstate::new(cells_of(case.board));
        let tiles = case.candidates.iter().map(|&(cell, value)| (cell, value.ilog2() as u8));
        let expected = (case.annoyance, tiles.collect::<Vec<_>>());
        assert_eq!(reference::candidates(after), expected, "board {}", case.id);
        let expected_result = (parse_exact(case.search0_score), case.search0_positions, case.search0_cutoffs);
        let (aim, stop) = (aim(RANK_OF_2048), Stop::default());
        let mut reference = reference::Search::new(&aim, &stop);
        let score = reference.computer(after, 0, LOSS, WIN);
        assert_eq!((score, reference.positions, reference.cutoffs), expected_result, "board {}", case.id);

        cases += 1;
        let mut fast_search = Search::new(&aim, &stop);
        let Some(rows) = after.cells().nibbles() else { continue };
        let (grid, max) = (Grid::from_rows(rows), after.cells().max_rank());
        assert_eq!(list_candidates(fast_search.candidates(grid)), expected.1, "board {}", case.id);
        let score = fast_search.computer(grid, max, 0, LOSS, WIN);
        assert_eq!((score, fast_search.positions, fast_search.cutoffs), expected_result, "board {}", case.id);
        fast_cases += 1;
    }
    assert_eq!((cases, fast_cases), (404, 404));
}

/// Returns boards from several kinds of play, and these with all tiles raised, which no play
/// reaches.
fn boards_of_play() -> Vec<Board> {
    let mut boards = Vec::new();
    for seed in 0..24 {
        let mut game_rng = Seed::root(seed).child("world", 0).rng();
        let mut player_rng = Seed::root(seed).child("player", 0).rng();
        let mut game = Twenty48::start(&Rules::default(), &mut game_rng);
        while game.to_move().is_some() {
            let board = game.board();
            // One game in three is random, so that boards are rough; the others go on as far as
            // possible.
            let best = || {
                let deepest_move = reference_search(board, seed as u32 % 3 - 1, None).mv;
                deepest_move.or_else(|| reference_search(board, 0, None).mv)
            };
            let mv = if seed % 3 == 0 { game.random_move(&mut player_rng) } else { best() };
            game.play(mv.expect("it is not over"), &mut game_rng).expect("a legal move");
            if player_rng.below(4) == 0 {
                boards.push(board);
            }
        }
    }
    for number in (0..boards.len()).step_by(5) {
        // The largest tile becomes 16384, 32768 or 65536; or two of 32768 are adjacent.
        for largest in 14..=17 {
            let mut ranks = raise_tiles(boards[number].cells(), largest.min(16), 3).ranks();
            if largest == 17 {
                (ranks[0], ranks[4]) = (15, 15);
            }
            boards.push(Board::new(Cells::from_ranks(ranks)));
        }
    }
    boards
}

#[test]
fn fast_is_as_plain() {
    let boards = boards_of_play();
    assert!(boards.len() > 2500, "{} boards", boards.len());
    for tile in [8192, 16384, 32768, 65536] {
        let with_tile = boards.iter().filter(|board| board.cells().max_tile() == tile).count();
        assert!(tile == 8192 || with_tile > 100, "{with_tile} boards of {tile}");
    }
    let mut fast_count = 0;
    for (number, &board) in boards.iter().enumerate() {
        for direction in board.legal_directions() {
            let after = board.slide(direction).expect("a legal move");
            let Some(rows) = after.cells().nibbles() else { continue };
            let grid = Grid::from_rows(rows);
            assert_eq!(
                list_candidates(Search::new(&aim(None), &Stop::default()).candidates(grid)),
                reference::candidates(after).1,
                "{board:?}"
            );
            let sum: u64 = after.cells().values().into_iter().map(u64::from).sum();
            fast_count += u32::from(sum < 1 << 16);
        }
        // A shallow search of all boards, a deeper one of some; the winning tile is on the board or
        // may still appear.
        let depth = if number % 16 == 0 { 3 } else { (number % 3) as u32 };
        let max = board.cells().max_rank();
        for win in [None, RANK_OF_2048, Some(max), Some(max + 1), Some(3)] {
            assert_eq!(search(board, depth, win), reference_search(board, depth, win), "{board:?} {win:?}");
        }
    }
    assert!(fast_count > 8000, "only {fast_count} boards are for the fast search");
}

/// Cells next to two or more groups are rare in play; here they are common.
#[test]
fn candidates_agree_where_islands_meet() {
    let mut rng = Seed::root(3).child("boards", 0).rng();
    for _ in 0..20_000 {
        let ranks = std::array::from_fn(|_| [0, 0, 1, 1, 2, 2, 3, 9][rng.below(8) as usize]);
        let after = Afterstate::new(Cells::from_ranks(ranks));
        if after.cells().count_empty() > 0 {
            let rows = after.cells().nibbles().expect("small tiles");
            let actual =
                list_candidates(Search::new(&aim(None), &Stop::default()).candidates(Grid::from_rows(rows)));
            assert_eq!(actual, reference::candidates(after).1, "{after:?}");
        }
    }
}

/// The evaluation of every board equals the original's to the last bit.
#[test]
fn as_the_original_evaluated() {
    #[derive(Deserialize)]
    struct Case<'a> {
        id: u32,
        board: [u64; 16],
        #[serde(borrow)]
        eval: &'a RawValue,
    }

    for line in STATIC.lines() {
        let case: Case = serde_json::from_str(line).expect("a line of a board");
        let (cells, expected) = (cells_of(case.board), parse_exact(case.eval));
        if cells == Cells::default() {
            continue; // The original takes a logarithm of 0 for the largest tile of nothing. No move leads there.
        }
        assert_eq!(reference::value(cells, &aim(None)), expected, "board {}", case.id);
        let Some(rows) = cells.nibbles() else { continue };
        let columns = cells.transpose().nibbles().expect("the same tiles");
        for (one, other) in [(rows, columns), (columns, rows)] {
            let value = aim(None).value(tables::TABLES.terms(one, other), cells.max_rank());
            assert_eq!(value, expected, "board {}", case.id);
        }
    }
}

/// With any weights both searches find equal moves, values and counters, which differ from the
/// original's.
#[test]
fn other_weights_agree_with_the_plain_search() {
    let weights = |[smoothness, monotonicity, empty, largest]: [f64; 4]| {
        let [smoothness, monotonicity, empty, largest] = [smoothness, monotonicity, empty, largest]
            .map(|weight| gauntlet_core::num::Weight::try_from(weight).unwrap());
        OvolveWeights { smoothness, monotonicity, empty, largest }
    };
    let mut changed_moves = 0;
    for (number, board) in (0..20).flat_map(random_boards).enumerate() {
        for weight_values in [[0.0; 4], [0.37, 1.9, 0.3, -2.0], [-1.0, 0.01, 8.0, 3.5]] {
            let aim = Aim::new(RANK_OF_2048, &weights(weight_values));
            let depth = (number % 3) as u32;
            let result = super::search::search(board, depth, &aim, &Stop::default());
            assert_eq!(
                result,
                reference::search(board, depth, &aim, &Stop::default()),
                "{board:?} {weight_values:?}"
            );
            changed_moves += u32::from(result.mv != search(board, depth, RANK_OF_2048).mv);
        }
    }
    assert!(changed_moves > 500, "{changed_moves} moves are not those of the original");
    assert!(
        !weights([5.0, 10.0, 20.0, 20.0]).are_too_large() && weights([20.0, 0.0, 0.0, 0.0]).are_too_large()
    );
}

/// At each depth, the original's deepening finds the move that the search of fixed depth falls back
/// to.
#[test]
fn fixed_depth_is_deepening_to_that_depth() {
    let boards = (0..100).flat_map(random_boards);
    let full_boards = boards.filter(|board| board.cells().count_empty() == 0);
    let mut loss_count = 0;
    for board in full_boards {
        let mut expected = None;
        for depth in 0..=3 {
            let result = search(board, depth, RANK_OF_2048);
            let Some(mv) = result.mv else { break };
            expected = Some((mv, Some(depth)));
        }
        let mut player = Ovolve {
            depth: 0,
            budget: Budget::Depth(3),
            aim: aim(RANK_OF_2048),
            stop: Stop::default(),
            positions: 0,
            cutoffs: 0,
        };
        let choice = player.search_to_depth(board, 3);
        assert_eq!(choice.map(|choice| (choice.mv, choice.depth)), expected, "{board:?}");
        let full_result = search(board, 3, RANK_OF_2048);
        assert_eq!(
            (player.positions, player.cutoffs),
            (full_result.positions, full_result.cutoffs),
            "{board:?}"
        );
        if let Some(choice) = choice.filter(|choice| choice.depth < Some(3)) {
            assert_eq!(choice.value, Some(LOSS));
            assert!(choice.nodes > full_result.positions);
            loss_count += 1;
        }
    }
    assert!(loss_count > 20, "only {loss_count} boards were lost");
}

#[test]
fn time_is_a_limit() {
    // Any time limit gives a move, with the result of the depth that was reached. That depth
    // depends on machine load, so with more and more time the search only has to get further than
    // the first depth.
    let line = SEARCHES.lines().next().expect("a line of searches");
    let case: SearchCase = serde_json::from_str(line).expect("a line of searches");
    let mut millis = 1;
    loop {
        let (choice, counters) = choose(&format!("{{\"millis\": {millis}}}"), &case.board);
        let depth = choice.depth.expect("no win is in sight");
        let result = search(Board::new(cells_of(case.board)), depth, RANK_OF_2048);
        assert_eq!((Some(choice.mv), choice.value), (result.mv, Some(result.score)));
        assert_eq!(counters, [("positions", result.positions), ("cutoffs", result.cutoffs)]);
        if depth >= 1 {
            assert!(choice.nodes > result.positions);
            break;
        }
        millis *= 4;
    }

    // After a stop request no more time is used, however long the limit.
    let config: Config = serde_json::from_str("{\"millis\": 3600000}").expect("settings");
    let stopped_context =
        BuildContext { stop: Stop::from_flag(Arc::new(true.into())), ..BuildContext::default() };
    let position = Twenty48::start(&Rules::default(), &mut Seed::root(1).rng());
    let mut player = config.build(&stopped_context).expect("a player");
    assert_eq!(player.choose(&position), Err(NoMove::Interrupted));

    // If everything loses at some depth, or a win is near, deepening ends long before its time.
    let lost_cases =
        SEARCHES.lines().map(|line| serde_json::from_str::<SearchCase>(line).expect("a line of searches"));
    let lost_case =
        lost_cases.into_iter().find(|case| case.depths.iter().any(|depth_result| depth_result.mv < 0));
    let lost_case = lost_case.expect("a lost board");
    let start = Instant::now();
    let (choice, _) = choose("{\"millis\": 3600000}", &lost_case.board);
    assert_eq!((choice.depth, choice.value), (Some(0), Some(LOSS)));
    let mut winning_board = [0; 16];
    (winning_board[0], winning_board[3]) = (1024, 1024);
    let (choice, counters) = choose("{\"millis\": 3600000}", &winning_board);
    assert_eq!((choice.depth, choice.value), (None, Some(WIN)));
    assert_eq!(choice.mv, Direction::Right);
    // Up moves nothing there, and right is the first that does.
    assert_eq!(counters, [("positions", 1), ("cutoffs", 0)]);
    assert!(start.elapsed() < std::time::Duration::from_secs(60));
}

#[test]
fn a_winning_tile_is_this_very_tile() {
    let mut board = [0; 16];
    (board[0], board[5]) = (2048, 2);
    let (choice, _) = choose("{\"depth\": 2}", &board);
    assert_eq!((choice.mv, choice.value, choice.nodes), (Direction::Up, Some(WIN), 1));
    board[0] = 4096;
    assert!(choose("{\"depth\": 2}", &board).0.value < Some(100.0));
    board[0] = 2048;
    assert!(choose("{\"depth\": 2, \"win_tile\": \"none\"}", &board).0.value < Some(100.0));
    assert!(choose("{\"depth\": 2, \"win_tile\": 4096}", &board).0.value < Some(100.0));
}
