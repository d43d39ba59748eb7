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
mod plain {
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
            let worths = windows::cell_values(board, table);
            let near = board.empty_cells().filter(is_near).map(|cell| cell.index(board.size()));
            let mut candidates: Vec<(usize, i32)> = near.map(|cell| (cell, worths[cell])).collect();
            candidates.sort_by_key(|&(_, score)| std::cmp::Reverse(score));
            candidates.truncate(self.width);
            candidates
        }
    }
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn statics() -> Vec<Value> {
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

fn plain(position: &Gomoku, width: usize, order_table: OrderingSide) -> plain::Search {
    let own = position.turn().expect("not over");
    plain::Search { board: position.board().clone(), own, width, order_table, nodes: 0 }
}

fn fast(position: &Gomoku, width: usize, order_table: OrderingSide) -> Search {
    let mut search = Search::new(position.board().size(), 6, width, order_table, Stop::default());
    search.set_up(position.board(), position.turn().expect("not over"));
    search
}

#[test]
fn positions_are_worth_what_they_are_to_the_program() {
    for case in statics() {
        let position = position(&case, "toMove");
        let board = position.board();
        let evaluated = Stone::BOTH.map(|stone| runs::sum_runs(board, stone));
        assert_eq!(evaluated, [number(&case["evalBlack"]), number(&case["evalWhite"])], "{}", case["id"]);
        for (stone, table, best) in
            [(Stone::Black, "greedyBlack", "bestBlack"), (Stone::White, "greedyWhite", "bestWhite")]
        {
            let worths = windows::cell_values(board, stone);
            let expected = numbers(&case[table]);
            for cell in board.empty_cells() {
                let number = cell.index(15);
                assert_eq!(worths[number], expected[number], "{cell} of {}, {table}", case["id"]);
            }
            let most = board.empty_cells().map(|cell| worths[cell.index(15)]).max();
            let of_most =
                board.empty_cells().map(|cell| cell.index(15)).filter(|&cell| Some(worths[cell]) == most);
            let of_most: Vec<i32> = of_most.map(|cell| cell as i32).collect();
            assert_eq!(of_most, numbers(&case[best]), "{}", case["id"]);
        }
        let candidates: Vec<Vec<i32>> =
            case["candidates"].as_array().expect("a list").iter().map(numbers).collect();
        let mut search = Search::new(15, 2, 10, OrderingSide::Black, Stop::default());
        search.set_up(board, Stone::White);
        let own = Stone::White;
        let plain = plain::Search {
            board: board.clone(),
            own,
            width: 10,
            order_table: OrderingSide::Black,
            nodes: 0,
        };
        for found in [search.candidates(), plain.candidates(own)] {
            let found: Vec<Vec<i32>> =
                found.into_iter().map(|(cell, score)| vec![cell as i32, score]).collect();
            assert_eq!(found, candidates, "{}", case["id"]);
        }
        let is_finished = evaluated.iter().any(|&worth| worth >= runs::FIVE);
        assert_eq!(Some(is_finished), case["finished"].as_bool());
        assert_eq!(is_finished, position.turn().is_none());
    }
}

/// Returns the first choice of a player with these settings: its move, its value, and its other
/// data.
fn choice(config: Config, position: &Gomoku) -> (usize, Option<f64>, u64, Value) {
    let mut player = Minimax::new(config, Stop::default());
    player.begin(&Start { seed: Seed::root(1), seat: Seat::First, rules: &Rules::default() });
    let thought = player.choose(position).expect("a move");
    let remarks =
        player.abilities().counters().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    (thought.mv.index(15), thought.value, thought.nodes, Value::Object(remarks))
}

fn config(depth: u64) -> Config {
    serde_json::from_value(serde_json::json!({ "depth": depth })).expect("settings")
}

#[test]
fn searches_are_those_of_the_program() {
    let cases = lines(include_str!("../../../../../tests/it/vectors/gomoku_minimax.jsonl"));
    for (case, place) in cases.iter().zip(0..) {
        let position = position(case, "player");
        let (cell, value, nodes, remarks) =
            choice(config(case["maxDepth"].as_u64().expect("a depth")), &position);
        assert_eq!(cell as i32, number(&case["move"]), "{}", case["id"]);
        assert_eq!(value, Some(f64::from(number(&case["score"]))), "{}", case["id"]);
        assert_eq!(remarks["iterations"], case["iterations"], "{}", case["id"]);
        let iterations = case["iterations"].as_array().expect("a list");
        assert_eq!(nodes as i32, iterations.iter().map(|found| number(&found["nodes"])).sum::<i32>());
        // The plain search is slow.
        let first = &iterations[0];
        let found = plain(&position, 10, OrderingSide::Black).search(2).expect("a candidate");
        let told = [found.cell as i32, found.score, found.nodes as i32];
        assert_eq!(told, ["move", "score", "nodes"].map(|key| number(&first[key])), "{}", case["id"]);
        if let (0, Some(second)) = (place % 20, iterations.get(1)) {
            let found = plain(&position, 10, OrderingSide::Black).search(4).expect("a candidate");
            let told = [found.cell as i32, found.score, found.nodes as i32];
            assert_eq!(told, ["move", "score", "nodes"].map(|key| number(&second[key])), "{}", case["id"]);
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
        let evaluated = Stone::BOTH.map(|stone| runs::sum_runs(position.board(), stone));
        assert_eq!(evaluated, [number(&case["eval_black"]), number(&case["eval_white"])], "{}", case["id"]);

        let mut player = greedy::Config {}.build(&BuildContext::default()).expect("a player");
        let thought = player.choose(&position).expect("a move");
        assert_eq!(thought.value, case["greedy_score"].as_f64(), "{}", case["id"]);
        let best = case["greedy_best"].as_array().expect("a list").iter();
        let best: BTreeSet<u64> = best.map(cell_number).collect();
        let [("best", told)] = &player.abilities().counters()[..] else {
            panic!("{:?}", player.abilities().counters())
        };
        let told: BTreeSet<u64> =
            told.as_array().expect("a list").iter().map(|cell| cell.as_u64().expect("a number")).collect();
        assert_eq!(told, best, "{}", case["id"]);

        let told = case["minimax"].as_object().expect("searches");
        for depth in [2, 4, 6] {
            if let Some(expected) = told.get(&format!("d{depth}")) {
                let found = fast(&position, 10, OrderingSide::Black).search(depth).expect("a candidate");
                assert_eq!(found.cell as u64, cell_number(&expected["move"]), "{}", case["id"]);
                assert_eq!(found.score, number(&expected["score"]), "{} to depth {depth}", case["id"]);
                assert_eq!(found.nodes as i32, number(&expected["nodes"]), "{} to {depth}", case["id"]);
            }
            if let Some(expected) = told.get(&format!("id{depth}")) {
                let (cell, ..) = choice(config(depth.into()), &position);
                assert_eq!(cell as u64, cell_number(expected), "{}", case["id"]);
            }
        }
        let of_mover = fast(&position, 10, OrderingSide::Mover).search(4).expect("a candidate");
        let expected = cell_number(&told["d4_if_own_table"]);
        assert_eq!(of_mover.cell as u64, expected, "{}, ordered for the mover", case["id"]);
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
        let mut dice = Seed::root(seed).rng();
        let size = [5, 6, 7, 9, 12, 15, 15, 15, 19, 25][dice.below(10) as usize];
        let rule = [Rule::Free, Rule::Standard][dice.below(2) as usize];
        let mut position = Gomoku::from_board(Board::new(size), rule, Stone::Black);
        let reach = dice.below(4) as u8 + 4;
        let (left, top) = [(); 2].map(|()| dice.below(u64::from(size)) as u8).into();
        let stones = dice.below(u64::from(reach.min(size)).pow(2) * 2 / 3) + 1;
        for _ in 0..4 * stones {
            let cell = [left, top].map(|place| (place + dice.below(reach.into()) as u8) % size);
            let before = position.clone();
            let _ = position.play(Cell::new(cell[0], cell[1]), &mut dice);
            if position.turn().is_none() {
                position = before;
                break;
            }
            if u64::from(position.standing().moves) >= stones {
                break;
            }
        }
        (position, seed)
    })
}

/// Every cell, value and node count of the fast search equals the plain search.
#[test]
fn fast_is_plain() {
    let (mut compared, mut finished) = (0, 0);
    for (position, seed) in random_positions(150) {
        if position.turn().is_none() || position.board().stones() == 0 {
            continue;
        }
        let order_table = [OrderingSide::Black, OrderingSide::Mover][seed as usize % 2];
        let width = [10, 10, 3, 1, 40][seed as usize % 5];
        let (mut fast, mut plain) =
            (fast(&position, width, order_table), plain(&position, width, order_table));
        assert_eq!(fast.candidates(), plain.candidates(plain.own), "{position}");
        let deepest = match (seed % 10, width) {
            (_, 40) => 2,
            (0, _) => 4,
            (1..5, _) => 3,
            _ => 2,
        };
        for depth in 1..=deepest {
            let found = plain.search(depth);
            assert_eq!(fast.search(depth), found, "to depth {depth}, {width} candidates\n{position}");
            compared += 1;
            finished += usize::from(found.is_some_and(|found| found.score.abs() > 50_000));
        }
    }
    assert!(compared > 300 && finished > 10, "{compared} searches, {finished} with a five");
}

/// A stone changes the board by the difference of two plain scans, and removing it reverts the
/// change.
#[test]
fn the_field_knows_what_a_stone_changes() {
    for (position, seed) in random_positions(40) {
        let board = position.board();
        let (size, mut dice) = (board.size(), Seed::root(seed).child("stones", 0).rng());
        let mut searched = SearchBoard::new(size, true);
        let (mut scanned, mut worths, mut near) = (Board::new(size), [0; 2], [0; _]);
        let mut placed = Vec::new();
        let cells: Vec<Cell> = board.cells().filter(|&cell| board.stone_at(cell).is_some()).collect();
        for cell in cells {
            // Random colours, so that there are fives and longer rows.
            let stone = Stone::BOTH[usize::from(dice.below(4) == 0)];
            let number = cell.index(size);
            let after = searched.values_after(number, stone, worths);
            searched.put(number, stone);
            searched.add_neighbours(&mut near, number);
            scanned.put(cell, stone);
            placed.push((number, stone, worths));
            worths = after;
            assert_eq!(worths, Stone::BOTH.map(|stone| runs::sum_runs(&scanned, stone)), "{scanned}");
        }
        let told = |searched: &SearchBoard, table: usize| {
            let mut told = Vec::new();
            searched.visit_near(&near, table, |cell, score| told.push((cell, score)));
            told
        };
        for table in Stone::BOTH {
            let of_cells = windows::cell_values(&scanned, table);
            for (cell, score) in told(&searched, table.number()) {
                assert_eq!(score, of_cells[cell], "{}\n{scanned}", Cell::from_index(cell, size));
            }
        }
        for (cell, stone, before) in placed.into_iter().rev() {
            searched.take(cell, stone);
            assert_eq!(searched.values_after(cell, stone, before).len(), 2);
        }
        let empty = windows::cell_values(&Board::new(size), Stone::Black);
        for table in [0, 1] {
            assert!(told(&searched, table).iter().all(|&(cell, score)| score == empty[cell]), "{scanned}");
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
                let thought = player.choose(&position).expect("a move");
                assert_eq!(thought.mv, Cell::new(3, size - 1), "{position}");
                assert_eq!(thought.depth, Some(2));
                assert!(thought.value.is_some_and(|value| value >= 90_000.0), "{thought:?}");
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
        let thought = player.choose(&position).expect("a move");
        assert_eq!((thought.mv.to_string(), thought.nodes), (middle.to_owned(), 0));
        let mut greedy = greedy::Config {}.build(&BuildContext::default()).expect("a player");
        assert_eq!(greedy.choose(&position).expect("a move").mv, thought.mv);
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
    let thought = player.choose(&position).expect("a move");
    assert_eq!((thought.mv.index(15), thought.nodes), (player.candidates[0].0, 1));
    // White to move: the search finds nothing better and goes through all depths.
    let position = Gomoku::from_board(position.board().clone(), Rule::Standard, Stone::White);
    let thought = player.choose(&position).expect("a move");
    assert_eq!((thought.mv.index(15), thought.nodes, thought.depth), (player.candidates[0].0, 3, Some(6)));
}
