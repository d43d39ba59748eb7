//! Checks the port against answers of the original, and beyond its tables.

use std::collections::VecDeque;

use gauntlet_core::game::{Game, Seat};
use gauntlet_core::player::Stop;
use gauntlet_core::rng::Seed;
use gauntlet_twenty48::rules::{Board, Cells, Rules};
use gauntlet_twenty48::testing::{raise_tiles, random_boards};
use serde::Deserialize;

use super::board::{LargeBoard, SearchBoard, small_board};
use super::value::VALUES;
use super::*;

/// Line of the vectors.
#[derive(Deserialize)]
struct Case {
    board: String,
    #[serde(rename = "static")]
    value: i32,
    search3: (f64, Direction),
    search5: (f64, Direction),
    source3: String,
    move3: Direction,
}

impl Case {
    fn all() -> impl Iterator<Item = Case> {
        let lines = include_str!("../../../../tests/it/vectors/macroxue.jsonl").lines();
        lines.map(|line| serde_json::from_str(line).expect("a line of the vectors"))
    }

    fn cells(&self) -> Cells {
        let rank = |digit: char| digit.to_digit(17).expect("a rank") as u8;
        let ranks: Vec<u8> = self.board.chars().map(rank).collect();
        Cells::from_ranks(ranks.try_into().expect("a board"))
    }
}

fn player(depth: u32) -> Box<dyn Player<Twenty48>> {
    let config = Config { depth: BoundedInt::new(depth), ..Config::default() };
    config.build(&BuildContext::default()).expect("a player")
}

fn begin(player: &mut dyn Player<Twenty48>) {
    player.begin(&Start { seed: Seed::root(1), seat: Seat::First, rules: &Rules::default() });
}

fn position(cells: Cells) -> Twenty48 {
    Twenty48::set_up(&Rules::default(), &cells.format_line(), None).expect("a board")
}

#[test]
fn boards_moves_and_values_are_those_of_the_original() {
    let (mut depth3_player, mut depth5_player) = (player(3), player(5));
    let mut cases = 0;
    for case in Case::all() {
        let cells = case.cells();
        assert_eq!(LargeBoard::new(cells).value(&VALUES), case.value, "{}", case.board);
        for (player, expected) in [(&mut depth3_player, case.search3), (&mut depth5_player, case.search5)] {
            begin(&mut **player);
            let choice = player.choose(&position(cells)).expect("a move");
            assert_eq!((choice.value, choice.mv), (Some(expected.0), expected.1), "{}", case.board);
        }
        cases += 1;
    }
    assert_eq!(cases, 200);
}

/// Generator of glibc, `srand` and `rand`.
struct Rand {
    words: VecDeque<u32>,
    /// Number of 4s placed.
    fours: u64,
}

impl Rand {
    fn new(seed: u32) -> Rand {
        let mut words = vec![seed];
        for word in 1..31 {
            words.push((u64::from(words[word - 1]) * 16807 % 0x7FFF_FFFF) as u32);
        }
        words.rotate_left(3);
        let mut rand = Rand { words: words.into(), fours: 0 };
        for _ in 0..310 {
            rand.next();
        }
        rand
    }

    fn next(&mut self) -> u32 {
        let word = self.words[0].wrapping_add(self.words[28]);
        self.words.pop_front();
        self.words.push_back(word);
        word >> 1
    }

    /// Places a tile as the original does.
    fn place(&mut self, cells: Cells) -> Cells {
        let mut ranks = cells.ranks();
        let empty: Vec<usize> = (0..16).filter(|&cell| ranks[cell] == 0).collect();
        let cell = empty[self.next() as usize % empty.len()];
        let is_four = self.next().is_multiple_of(10);
        ranks[cell] = 1 + u8::from(is_four);
        self.fours += u64::from(is_four);
        Cells::from_ranks(ranks)
    }
}

/// Plays a game of the original. Returns the number of moves and the score.
fn original_game(player: &mut dyn Player<Twenty48>, seed: u32) -> (u32, u64) {
    begin(player);
    let mut rand = Rand::new(seed);
    let mut cells = rand.place(Cells::default());
    cells = rand.place(cells);
    let mut moves = 0;
    while !Board::new(cells).is_over() {
        let mv = player.choose(&position(cells)).expect("a move").mv;
        cells = rand.place(Board::new(cells).slide(mv).expect("a legal move").cells());
        moves += 1;
    }
    (moves, Board::new(cells).potential() - 4 * rand.fours)
}

/// The original's program without its endgame tables, with the cache of the whole game.
#[test]
fn games_are_those_of_the_original() {
    let mut player = player(2);
    for (seed, moves, score) in [(2001, 3745, 80_712), (2002, 5553, 132_684)] {
        assert_eq!(original_game(&mut *player, seed), (moves, score), "game {seed}");
    }
}

/// The original's program with its endgame tables, which have gigabytes:
/// `GAUNTLET_ENDGAMES=FOLDER cargo test --release -p gauntlet-twenty48-players -- --ignored`.
#[test]
#[ignore = "needs two tables of gigabytes"]
fn tables_are_asked_as_by_the_original() {
    let folder = std::env::var("GAUNTLET_ENDGAMES").expect("a folder of tables");
    let config = Config { endgames: Some(folder.into()), ..Config::default() };
    let mut player = config.build(&BuildContext::default()).expect("a player");
    for case in Case::all() {
        begin(&mut *player);
        let choice = player.choose(&position(case.cells())).expect("a move");
        let expected = (case.move3, case.source3 != "search");
        assert_eq!((choice.mv, choice.is_from_table), expected, "{}", case.board);
    }
    for (seed, moves, score) in [(2001, 14_886, 387_252), (2002, 22_233, 629_592)] {
        assert_eq!(original_game(&mut *player, seed), (moves, score), "game {seed}");
    }
}

/// Boards of random play, some of them raised to 16384 and 32768.
fn small_boards() -> impl Iterator<Item = Cells> {
    let boards = (0..40).flat_map(random_boards).map(Board::cells).enumerate();
    boards.map(|(number, cells)| match number % 3 {
        0 => cells,
        large => raise_tiles(cells, 13 + large as u8, 3),
    })
}

/// A small board looks up what `LargeBoard` computes.
#[test]
fn tables_are_as_their_definition() {
    let mut boards = 0;
    for cells in small_boards() {
        let Some(rows) = cells.nibbles_for(2) else { continue };
        let (small, large) = (small_board(rows), LargeBoard::new(cells));
        assert_eq!(small.value(&VALUES), large.value(&VALUES), "{}", cells.format_line());
        assert_eq!(small.number(), large.number(), "{}", cells.format_line());
        for (actual, expected) in SearchBoard::slides(small).into_iter().zip(large.slides()) {
            assert_eq!(actual.number(), expected.number(), "{}", cells.format_line());
        }
        let best = [small.best_values(&VALUES, [1, 2]), large.best_values(&VALUES, [1, 2])];
        for cell in (0..16).filter(|&cell| large.empty_mask() >> (4 * cell) & 1 == 1) {
            let [small, large] = best.map(|best| best.map(|best| best[cell]));
            assert_eq!(small, large, "{} with a tile on cell {cell}", cells.format_line());
        }
        boards += 1;
    }
    assert!(boards > 3000, "{boards} boards");
}

/// Both kinds of boards are searched to the same values.
#[test]
fn searches_do_not_depend_on_tables() {
    let boards = small_boards().filter(|cells| cells.nibbles_for(9).is_some());
    for cells in boards.step_by(20) {
        let values = |is_small| {
            let mut search = Search::new(Stop::default());
            let board = Board::new(cells);
            if is_small { search.search_root(board, 2) } else { search.search_root_without_tables(board, 2) }
        };
        assert_eq!(values(true), values(false), "{}", cells.format_line());
    }
}

#[test]
fn games_go_on_with_large_tiles() {
    let mut player = player(1);
    let mut game_rng = Seed::root(3).child("world", 0).rng();
    let mut game = position(
        "131072 65536 32768 32768  16384 4096 2048 1024  2 0 0 0  0 0 0 0".parse().expect("a board"),
    );
    begin(&mut *player);
    let choice = player.choose(&game).expect("a move");
    assert!(matches!(choice.mv, Direction::Left | Direction::Right), "{choice:?}");
    while game.to_move().is_some() {
        let mv = player.choose(&game).expect("a move").mv;
        game.play(mv, &mut game_rng).expect("a legal move");
    }
    assert!(game.state().moves > 20, "{} moves", game.state().moves);
    // The largest board.
    begin(&mut *player);
    player.choose(&position(Cells::from_ranks([17; 16]))).expect("a move");
}
