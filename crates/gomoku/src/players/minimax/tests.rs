use std::collections::BTreeSet;

use gauntlet_core::game::{Diagram, Game, Seat};
use gauntlet_core::player::{BuildContext, Player, Recipe, Start, Stop};
use gauntlet_core::rng::Seed;
use serde_json::Value;

use super::super::greedy;
use super::search::{OrderingSide, Search, SearchResult};
use super::search_board::SearchBoard;
use super::{Config, EXAMPLE, MORE_EXAMPLES, Minimax};
use crate::eval::{runs, windows};
use crate::rules::{Board, Cell, Gomoku, Rule, Rules, Stone, cell};

/// Plain implementation of the program, for comparison: it scans boards and has a separate branch
/// for each side.
mod reference {
    use super::*;

    pub(super) struct Search {
        pub(super) board: Board,
        pub(super) own: Stone,
        pub(super) width: usize,
        pub(super) order_table: OrderingSide,
        pub(super) nodes: u64,
    }

    impl Search {
        /// Returns the value of a position to the choosing side, its best cell, and the nodes of
        /// the search.
        pub(super) fn search(&mut self, depth: u32) -> Option<SearchResult> {
            self.nodes = 0;
            let first = self.candidates(self.own).first()?.0;
            let (score, cell) = self.value(depth, -i32::MAX, i32::MAX, self.own);
            Some(SearchResult { cell: cell.unwrap_or(first), score, nodes: self.nodes })
        }

        fn value(&mut self, depth: u32, mut alpha: i32, mut beta: i32, turn: Stone) -> (i32, Option<usize>) {
            self.nodes += 1;
            let own = runs::sum_runs(&self.board, self.own);
            let other = runs::sum_runs(&self.board, self.own.other());
            if depth == 0 || own >= 100_000 || other >= 100_000 || self.board.is_full() {
                return (own - other, None);
            }
            let mut best = None;
            for (number, _) in self.candidates(turn) {
                let cell = Cell::from_index(number, self.board.size());
                self.board.put(cell, turn);
                let (value, _) = self.value(depth - 1, alpha, beta, turn.other());
                self.board.take(cell);
                if turn == self.own {
                    if value > alpha {
                        (alpha, best) = (value, Some(number));
                    }
                } else if value < beta {
                    (beta, best) = (value, Some(number));
                }
                if alpha >= beta {
                    break;
                }
            }
            (if turn == self.own { alpha } else { beta }, best)
        }

        pub(super) fn candidates(&self, turn: Stone) -> Vec<(usize, i32)> {
            let board = &self.board;
            let table = if self.order_table == OrderingSide::Black { Stone::Black } else { turn };
            let is_near = |cell: &Cell| {
                board.cells().any(|other| {
                    let distance = cell.x.abs_diff(other.x).max(cell.y.abs_diff(other.y));
                    board.stone_at(other).is_some() && distance <= 2
                })
            };
            let values = windows::cell_values(board, table);
            let near_cells = board.empty_cells().filter(is_near).map(|cell| cell.index(board.size()));
            let mut candidates: Vec<(usize, i32)> = near_cells.map(|cell| (cell, values[cell])).collect();
            candidates.sort_by_key(|&(_, score)| std::cmp::Reverse(score));
            candidates.truncate(self.width);
            candidates
        }
    }
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn static_cases() -> Vec<Value> {
    lines(include_str!("../../../../../tests/it/vectors/gomoku_static.jsonl"))
}

fn number(value: &Value) -> i32 {
    value.as_i64().unwrap_or_else(|| panic!("{value} is no number")) as i32
}

fn numbers(value: &Value) -> Vec<i32> {
    value.as_array().expect("a list").iter().map(number).collect()
}

/// Returns the position of a vector with a board as text.
fn position(case: &Value, to_move: &str) -> Gomoku {
    let to_move = case[to_move].as_str().map(str::to_owned);
    let diagram = Diagram { to_move, ..Diagram::from_cells(case["board"].as_str().expect("a board")) };
    Gomoku::set_up(&Rules::default(), &diagram).expect("a position")
}

/// Returns the position of a vector with moves. These vectors use the program's first coordinate as
/// the column, the others as the row. Ties between candidates are ordered by that coordinate, so
/// here columns are rows.
fn play_case(case: &Value) -> Gomoku {
    let mut position = Gomoku::from_board(Board::new(15), Rule::Free, Stone::Black);
    for mv in cell::parse_cells(case["moves"].as_str().expect("moves")).expect("cells") {
        position.play(transpose(mv), &mut Seed::root(0).rng()).expect("a legal move");
    }
    position
}

fn transpose(cell: Cell) -> Cell {
    Cell::new(cell.y, cell.x)
}

fn reference_search(position: &Gomoku, width: usize, order_table: OrderingSide) -> reference::Search {
    let own = position.turn().expect("not over");
    reference::Search { board: position.board().clone(), own, width, order_table, nodes: 0 }
}

fn fast_search(position: &Gomoku, width: usize, order_table: OrderingSide) -> Search {
    let mut search = Search::new(position.board().size(), 6, width, order_table, Stop::default());
    search.set_up(position.board(), position.turn().expect("not over"));
    search
}

#[test]
fn positions_are_worth_what_they_are_to_the_program() {
    for case in static_cases() {
        let position = position(&case, "toMove");
        let board = position.board();
        let run_sums = Stone::BOTH.map(|stone| runs::sum_runs(board, stone));
        assert_eq!(run_sums, [number(&case["evalBlack"]), number(&case["evalWhite"])], "{}", case["id"]);
        for (stone, table, best) in
            [(Stone::Black, "greedyBlack", "bestBlack"), (Stone::White, "greedyWhite", "bestWhite")]
        {
            let values = windows::cell_values(board, stone);
            let expected = numbers(&case[table]);
            for cell in board.empty_cells() {
                let number = cell.index(15);
                assert_eq!(values[number], expected[number], "{cell} of {}, {table}", case["id"]);
            }
            let max_value = board.empty_cells().map(|cell| values[cell.index(15)]).max();
            let best_cells = board
                .empty_cells()
                .map(|cell| cell.index(15))
                .filter(|&cell| Some(values[cell]) == max_value);
            let best_cells: Vec<i32> = best_cells.map(|cell| cell as i32).collect();
            assert_eq!(best_cells, numbers(&case[best]), "{}", case["id"]);
        }
        let candidates: Vec<Vec<i32>> =
            case["candidates"].as_array().expect("a list").iter().map(numbers).collect();
        let mut search = Search::new(15, 2, 10, OrderingSide::Black, Stop::default());
        search.set_up(board, Stone::White);
        let own = Stone::White;
        let reference = reference::Search {
            board: board.clone(),
            own,
            width: 10,
            order_table: OrderingSide::Black,
            nodes: 0,
        };
        for list in [search.candidates(), reference.candidates(own)] {
            let actual: Vec<Vec<i32>> =
                list.into_iter().map(|(cell, score)| vec![cell as i32, score]).collect();
            assert_eq!(actual, candidates, "{}", case["id"]);
        }
        let is_finished = run_sums.iter().any(|&value| value >= runs::FIVE);
        assert_eq!(Some(is_finished), case["finished"].as_bool());
        assert_eq!(is_finished, position.turn().is_none());
    }
}

/// Returns the first choice of a player with these settings: its move, its value, and its other
/// data.
fn choice(config: Config, position: &Gomoku) -> (usize, Option<f64>, u64, Value) {
    let mut player = Minimax::new(config, Stop::default());
    player.begin(&Start { seed: Seed::root(1), seat: Seat::First, rules: &Rules::default() });
    let player_choice = player.choose(position).expect("a move");
    let counters =
        player.abilities().counters().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    (player_choice.mv.index(15), player_choice.value, player_choice.nodes, Value::Object(counters))
}

fn config(depth: u64) -> Config {
    serde_json::from_value(serde_json::json!({ "depth": depth })).expect("settings")
}

#[test]
fn searches_are_those_of_the_program() {
    let cases = lines(include_str!("../../../../../tests/it/vectors/gomoku_minimax.jsonl"));
    for (case, index) in cases.iter().zip(0..) {
        let position = position(case, "player");
        let (cell, value, nodes, counters) =
            choice(config(case["maxDepth"].as_u64().expect("a depth")), &position);
        assert_eq!(cell as i32, number(&case["move"]), "{}", case["id"]);
        assert_eq!(value, Some(f64::from(number(&case["score"]))), "{}", case["id"]);
        assert_eq!(counters["iterations"], case["iterations"], "{}", case["id"]);
        let iterations = case["iterations"].as_array().expect("a list");
        assert_eq!(nodes as i32, iterations.iter().map(|iteration| number(&iteration["nodes"])).sum::<i32>());
        // The plain search is slow.
        let first = &iterations[0];
        let result = reference_search(&position, 10, OrderingSide::Black).search(2).expect("a candidate");
        let actual = [result.cell as i32, result.score, result.nodes as i32];
        assert_eq!(actual, ["move", "score", "nodes"].map(|key| number(&first[key])), "{}", case["id"]);
        if let (0, Some(second)) = (index % 20, iterations.get(1)) {
            let result = reference_search(&position, 10, OrderingSide::Black).search(4).expect("a candidate");
            let actual = [result.cell as i32, result.score, result.nodes as i32];
            assert_eq!(actual, ["move", "score", "nodes"].map(|key| number(&second[key])), "{}", case["id"]);
        }
    }
    assert_eq!(cases.len(), 95);
}

#[test]
fn the_program_plays_the_games_of_its_second_port() {
    let cases = lines(include_str!("../../../../../tests/it/vectors/gomoku_seed.jsonl"));
    for case in &cases {
        let position = play_case(case);
        let turn = case["stm"].as_str().expect("a colour");
        assert_eq!(position.turn(), Some(if turn == "b" { Stone::Black } else { Stone::White }));
        let run_sums = Stone::BOTH.map(|stone| runs::sum_runs(position.board(), stone));
        assert_eq!(run_sums, [number(&case["eval_black"]), number(&case["eval_white"])], "{}", case["id"]);

        let mut player = greedy::Config {}.build(&BuildContext::default()).expect("a player");
        let player_choice = player.choose(&position).expect("a move");
        assert_eq!(player_choice.value, case["greedy_score"].as_f64(), "{}", case["id"]);
        let best = case["greedy_best"].as_array().expect("a list").iter();
        let best: BTreeSet<u64> = best.map(cell_number).collect();
        let [("best", best_counter)] = &player.abilities().counters()[..] else {
            panic!("{:?}", player.abilities().counters())
        };
        let actual_best: BTreeSet<u64> = best_counter
            .as_array()
            .expect("a list")
            .iter()
            .map(|cell| cell.as_u64().expect("a number"))
            .collect();
        assert_eq!(actual_best, best, "{}", case["id"]);

        let expected_searches = case["minimax"].as_object().expect("searches");
        for depth in [2, 4, 6] {
            if let Some(expected) = expected_searches.get(&format!("d{depth}")) {
                let result =
                    fast_search(&position, 10, OrderingSide::Black).search(depth).expect("a candidate");
                assert_eq!(result.cell as u64, cell_number(&expected["move"]), "{}", case["id"]);
                assert_eq!(result.score, number(&expected["score"]), "{} to depth {depth}", case["id"]);
                assert_eq!(result.nodes as i32, number(&expected["nodes"]), "{} to {depth}", case["id"]);
            }
            if let Some(expected) = expected_searches.get(&format!("id{depth}")) {
                let (cell, ..) = choice(config(depth.into()), &position);
                assert_eq!(cell as u64, cell_number(expected), "{}", case["id"]);
            }
        }
        let mover_result = fast_search(&position, 10, OrderingSide::Mover).search(4).expect("a candidate");
        let expected = cell_number(&expected_searches["d4_if_own_table"]);
        assert_eq!(mover_result.cell as u64, expected, "{}, ordered for the mover", case["id"]);
    }
    assert_eq!(cases.len(), 22);
}

fn cell_number(cell: &Value) -> u64 {
    let cell: Cell = cell.as_str().expect("a cell").parse().expect("a cell");
    transpose(cell).index(15) as u64
}

/// Returns positions of random games with stones close enough to make rows.
fn random_positions(count: u64) -> impl Iterator<Item = (Gomoku, u64)> {
    (0..count).map(|seed| {
        let mut rng = Seed::root(seed).rng();
        let size = [5, 6, 7, 9, 12, 15, 15, 15, 19, 25][rng.below(10) as usize];
        let rule = [Rule::Free, Rule::Standard][rng.below(2) as usize];
        let mut position = Gomoku::from_board(Board::new(size), rule, Stone::Black);
        let region_size = rng.below(4) as u8 + 4;
        let (left, top) = [(); 2].map(|()| rng.below(u64::from(size)) as u8).into();
        let stones = rng.below(u64::from(region_size.min(size)).pow(2) * 2 / 3) + 1;
        for _ in 0..4 * stones {
            let cell = [left, top].map(|start| (start + rng.below(region_size.into()) as u8) % size);
            let previous = position.clone();
            let _ = position.play(Cell::new(cell[0], cell[1]), &mut rng);
            if position.turn().is_none() {
                position = previous;
                break;
            }
            if u64::from(position.state().moves) >= stones {
                break;
            }
        }
        (position, seed)
    })
}

/// Every cell, value and node count of the fast search equals the plain search.
#[test]
fn fast_is_plain() {
    let (mut count, mut finished_count) = (0, 0);
    for (position, seed) in random_positions(150) {
        if position.turn().is_none() || position.board().stones() == 0 {
            continue;
        }
        let order_table = [OrderingSide::Black, OrderingSide::Mover][seed as usize % 2];
        let width = [10, 10, 3, 1, 40][seed as usize % 5];
        let (mut fast, mut reference) =
            (fast_search(&position, width, order_table), reference_search(&position, width, order_table));
        assert_eq!(fast.candidates(), reference.candidates(reference.own), "{position}");
        let max_depth = match (seed % 10, width) {
            (_, 40) => 2,
            (0, _) => 4,
            (1..5, _) => 3,
            _ => 2,
        };
        for depth in 1..=max_depth {
            let expected = reference.search(depth);
            assert_eq!(fast.search(depth), expected, "to depth {depth}, {width} candidates\n{position}");
            count += 1;
            finished_count += usize::from(expected.is_some_and(|result| result.score.abs() > 50_000));
        }
    }
    assert!(count > 300 && finished_count > 10, "{count} searches, {finished_count} with a five");
}

/// A stone changes the board by the difference of two plain scans, and removing it reverts the
/// change.
#[test]
fn the_field_knows_what_a_stone_changes() {
    for (position, seed) in random_positions(40) {
        let board = position.board();
        let (size, mut rng) = (board.size(), Seed::root(seed).child("stones", 0).rng());
        let mut search_board = SearchBoard::new(size, true);
        let (mut plain_board, mut run_values, mut near_cells) = (Board::new(size), [0; 2], [0; _]);
        let mut placed_stones = Vec::new();
        let cells: Vec<Cell> = board.cells().filter(|&cell| board.stone_at(cell).is_some()).collect();
        for cell in cells {
            // Random colours, so that there are fives and longer rows.
            let stone = Stone::BOTH[usize::from(rng.below(4) == 0)];
            let number = cell.index(size);
            let after = search_board.values_after(number, stone, run_values);
            search_board.put(number, stone);
            search_board.add_neighbours(&mut near_cells, number);
            plain_board.put(cell, stone);
            placed_stones.push((number, stone, run_values));
            run_values = after;
            assert_eq!(
                run_values,
                Stone::BOTH.map(|stone| runs::sum_runs(&plain_board, stone)),
                "{plain_board}"
            );
        }
        let visited_cells = |search_board: &SearchBoard, table: usize| {
            let mut visited = Vec::new();
            search_board.visit_near(&near_cells, table, |cell, score| visited.push((cell, score)));
            visited
        };
        for table in Stone::BOTH {
            let expected_values = windows::cell_values(&plain_board, table);
            for (cell, score) in visited_cells(&search_board, table.number()) {
                assert_eq!(score, expected_values[cell], "{}\n{plain_board}", Cell::from_index(cell, size));
            }
        }
        for (cell, stone, values_before) in placed_stones.into_iter().rev() {
            search_board.take(cell, stone);
            assert_eq!(search_board.values_after(cell, stone, values_before).len(), 2);
        }
        let empty_values = windows::cell_values(&Board::new(size), Stone::Black);
        for table in [0, 1] {
            assert!(
                visited_cells(&search_board, table).iter().all(|&(cell, score)| score == empty_values[cell]),
                "{plain_board}"
            );
        }
    }
}

/// A five in one move is played, on every board size, under both rules and by each example.
#[test]
fn a_five_is_played() {
    for size in 5..=25 {
        for rule in [Rule::Free, Rule::Standard] {
            for example in [EXAMPLE, MORE_EXAMPLES[0]] {
                let mut board = Board::new(size);
                for x in [0, 1, 2, 4] {
                    board.put(Cell::new(x, size - 1), Stone::White);
                    board.put(Cell::new(size - 1 - x, 0), Stone::Black);
                }
                let position = Gomoku::from_board(board, rule, Stone::White);
                let mut settings: toml::Table = example.parse().expect("TOML");
                settings.remove("algorithm");
                let config: Config = settings.try_into().expect("settings");
                let mut player = Minimax::new(config, Stop::default());
                let player_choice = player.choose(&position).expect("a move");
                assert_eq!(player_choice.mv, Cell::new(3, size - 1), "{position}");
                assert_eq!(player_choice.depth, Some(2));
                assert!(player_choice.value.is_some_and(|value| value >= 90_000.0), "{player_choice:?}");
            }
        }
    }
}

/// On an empty board the centre is played, without a search.
#[test]
fn the_first_stone_is_in_the_middle() {
    for (size, middle) in [(5, "c3"), (6, "d4"), (15, "h8"), (20, "k11"), (25, "m13")] {
        let position = Gomoku::from_board(Board::new(size), Rule::Free, Stone::Black);
        let mut player = Minimax::new(Config::default(), Stop::default());
        let player_choice = player.choose(&position).expect("a move");
        assert_eq!((player_choice.mv.to_string(), player_choice.nodes), (middle.to_owned(), 0));
        let mut greedy = greedy::Config {}.build(&BuildContext::default()).expect("a player");
        assert_eq!(greedy.choose(&position).expect("a move").mv, player_choice.mv);
        assert_eq!(position.to_move(), Some(Seat::First));
    }
}

/// Under `standard` a row of six does not end the game. The search takes it for a five and plays
/// its first candidate.
#[test]
fn six_in_a_row_are_a_five_to_the_search() {
    let mut board = Board::new(15);
    for x in 0..6 {
        board.put(Cell::new(x, 4), Stone::Black);
        board.put(Cell::new(2 * x, 12), Stone::White);
    }
    let position = Gomoku::from_board(board, Rule::Standard, Stone::Black);
    let mut player = Minimax::new(Config::default(), Stop::default());
    let player_choice = player.choose(&position).expect("a move");
    assert_eq!((player_choice.mv.index(15), player_choice.nodes), (player.candidates[0].0, 1));
    // White to move: the search finds nothing better and goes through all depths.
    let position = Gomoku::from_board(position.board().clone(), Rule::Standard, Stone::White);
    let player_choice = player.choose(&position).expect("a move");
    assert_eq!(
        (player_choice.mv.index(15), player_choice.nodes, player_choice.depth),
        (player.candidates[0].0, 3, Some(6))
    );
}
