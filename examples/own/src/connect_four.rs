//! Connect Four: two players drop stones into seven columns of six cells; four in a line win.

use std::fmt;

use gauntlet::game::{
    self, Block, Diagram, EndedBy, Facts, Game, GameInfo, GameResult, GameState, IllegalMove, Notation,
    Outcome, RandomPlay, Seat, Shape,
};
use gauntlet::rng::Rng;
use serde::{Deserialize, Serialize};

pub const COLUMNS: usize = 7;
pub const ROWS: usize = 6;

/// Random stones before the first move, so that games of two deterministic players differ.
const OPENING: u32 = 4;

/// The rules have no settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {}

impl game::Rules for Rules {}

/// A column, from 1 on the left to 7.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column(pub usize);

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.0 + 1)
    }
}

/// A position.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectFour {
    /// Columns from the left, each from the bottom up.
    columns: [[Option<Seat>; ROWS]; COLUMNS],
    /// The seat to move, unless the game is over.
    next_seat: Seat,
    winner: Option<Seat>,
    moves: u32,
}

impl ConnectFour {
    const EMPTY: ConnectFour =
        ConnectFour { columns: [[None; ROWS]; COLUMNS], next_seat: Seat::First, winner: None, moves: 0 };

    /// Returns the number of stones in a column.
    fn height(&self, column: usize) -> usize {
        self.columns[column].iter().filter(|cell| cell.is_some()).count()
    }

    /// Returns the stone in a cell, if the cell is on the board and has one.
    fn stone(&self, x: i32, y: i32) -> Option<Seat> {
        let column = self.columns.get(usize::try_from(x).ok()?)?;
        *column.get(usize::try_from(y).ok()?)?
    }

    /// Returns true if this seat can drop a stone into this column and gets four in a line.
    pub fn wins(&self, seat: Seat, column: usize) -> bool {
        if self.height(column) == ROWS {
            return false;
        }
        let (x, y) = (column as i32, self.height(column) as i32);
        [(1, 0), (0, 1), (1, 1), (1, -1)].iter().any(|(dx, dy)| {
            let count_line = |sign: i32| {
                (1..4).take_while(|n| self.stone(x + sign * n * dx, y + sign * n * dy) == Some(seat)).count()
            };
            count_line(1) + count_line(-1) >= 3
        })
    }

    fn is_full(&self) -> bool {
        (0..COLUMNS).all(|column| self.height(column) == ROWS)
    }

    fn drop(&mut self, column: usize) {
        let is_win = self.wins(self.next_seat, column);
        let height = self.height(column);
        self.columns[column][height] = Some(self.next_seat);
        self.winner = is_win.then_some(self.next_seat);
        self.next_seat = self.next_seat.other();
    }
}

impl Game for ConnectFour {
    type Rules = Rules;
    type Move = Column;

    const INFO: GameInfo = GameInfo {
        name: "connect-four",
        shape: Shape::Duel,
        moves: "the number of a column",
        facts: &[],
        has_stones: false,
    };

    fn open(_rules: &Rules, _block: Block, game_rng: &mut Rng) -> ConnectFour {
        let mut position = ConnectFour::EMPTY;
        for _ in 0..OPENING {
            position.drop(game_rng.below(COLUMNS as u64) as usize);
        }
        // Four stones, two for each seat, cannot make a line of four.
        position
    }

    fn set_up(_rules: &Rules, diagram: &Diagram) -> Result<ConnectFour, String> {
        let rows: Vec<Vec<char>> =
            diagram.cells.split_whitespace().map(|row| row.chars().collect()).collect();
        if rows.len() != ROWS || rows.iter().any(|row| row.len() != COLUMNS) {
            return Err(format!("expected {ROWS} rows of {COLUMNS} cells: `.`, `x` or `o`"));
        }
        let mut position = ConnectFour::EMPTY;
        let mut stones = [0_u32; 2];
        // From the bottom up, in the order of dropping.
        for (y, row) in rows.iter().rev().enumerate() {
            for (column, cell) in row.iter().enumerate() {
                let seat = match cell {
                    '.' => continue,
                    'x' => Seat::First,
                    'o' => Seat::Second,
                    character => return Err(format!("`{character}` is no cell: expected `.`, `x` or `o`")),
                };
                if position.height(column) != y {
                    return Err(format!("a stone of column {} lies on nothing", column + 1));
                }
                let winner = position.winner;
                position.next_seat = seat;
                position.drop(column);
                position.winner = position.winner.or(winner);
                stones[seat.number()] += 1;
            }
        }
        if stones[0] < stones[1] || stones[0] > stones[1] + 1 {
            return Err(format!("{} x and {} o: the seats drop stones in turn", stones[0], stones[1]));
        }
        position.next_seat = if stones[0] == stones[1] { Seat::First } else { Seat::Second };
        position.moves = diagram.moves.unwrap_or((stones[0] + stones[1]).saturating_sub(OPENING));
        Ok(position)
    }

    fn diagram(&self) -> Diagram {
        Diagram { moves: Some(self.moves), ..Diagram::from_cells(self.to_string().trim_end()) }
    }

    fn to_move(&self) -> Option<Seat> {
        (self.winner.is_none() && !self.is_full()).then_some(self.next_seat)
    }

    fn moves(&self, list: &mut Vec<Column>) {
        if self.to_move().is_some() {
            list.extend((0..COLUMNS).filter(|&column| self.height(column) < ROWS).map(Column));
        }
    }

    fn read_move(&self, text: &str) -> Option<Column> {
        (0..COLUMNS).map(Column).find(|column| column.to_string() == text)
    }

    fn play(&mut self, mv: Column, _game_rng: &mut Rng) -> Result<(), IllegalMove> {
        let is_open = mv.0 < COLUMNS && self.height(mv.0) < ROWS;
        if self.to_move().is_none() || !is_open {
            return Err(IllegalMove);
        }
        self.drop(mv.0);
        self.moves += 1;
        Ok(())
    }

    fn state(&self) -> GameState {
        GameState {
            outcome: self.winner.map_or(Outcome::Drawn, Outcome::Won),
            facts: Facts::default(),
            moves: self.moves,
            is_cut_short: false,
        }
    }

    /// A game ends with its last stone: a winning stone, or the stone that fills the board.
    fn invalid_reason(_rules: &Rules, result: &GameResult) -> Option<String> {
        let GameResult { ended_by, outcome, moves, .. } = *result;
        let max_moves = (COLUMNS * ROWS) as u32 - OPENING;
        let is_valid = match (ended_by, outcome) {
            (EndedBy::Rules, Outcome::Drawn) => moves == max_moves,
            (EndedBy::Rules, Outcome::Won(seat)) => {
                let mover = if moves % 2 == 1 { Seat::First } else { Seat::Second };
                (2..=max_moves).contains(&moves) && seat == mover
            }
            (EndedBy::Other, _) => moves < max_moves,
            _ => false,
        };
        (!is_valid).then(|| format!("no game ends this way after {moves} moves"))
    }
}

impl RandomPlay for ConnectFour {}

impl Notation for ConnectFour {
    fn effects(&self) -> serde_json::Value {
        let wins = |seat| -> Vec<String> {
            let columns = (0..COLUMNS).filter(|&column| self.wins(seat, column));
            columns.map(|column| Column(column).to_string()).collect()
        };
        serde_json::json!({ "wins_of_x": wins(Seat::First), "wins_of_o": wins(Seat::Second) })
    }
}

/// Writes rows from the top, `x` for the seat that moves first and `o` for the other.
impl fmt::Display for ConnectFour {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for y in (0..ROWS).rev() {
            let row: String = (0..COLUMNS)
                .map(|x| match self.columns[x][y] {
                    None => '.',
                    Some(Seat::First) => 'x',
                    Some(Seat::Second) => 'o',
                })
                .collect();
            writeln!(f, "{row}")?;
        }
        Ok(())
    }
}

/// Returns the features of a position, which `gauntlet probe` prints.
pub fn features(position: &ConnectFour) -> Vec<(&'static str, f64)> {
    let wins = |seat| (0..COLUMNS).filter(|&column| position.wins(seat, column)).count() as f64;
    vec![("wins-of-first", wins(Seat::First)), ("wins-of-second", wins(Seat::Second))]
}
