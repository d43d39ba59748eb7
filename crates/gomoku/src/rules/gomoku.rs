//! Game of Gomoku, from an opening to a five or a full board.

use std::collections::BTreeMap;
use std::fmt;

use gauntlet_core::game::{
    self, Block, Diagram, EndedBy, Facts, Game, GameInfo, GameResult, GameState, GameTranscript, IllegalMove,
    Notation, Opening, Outcome, RandomPlay, Seat, Shape,
};
use gauntlet_core::rng::{Rng, Seed};
use gauntlet_core::settings::documented::documented;
use gauntlet_core::settings::section::KeyDeclaration;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::board::{Board, Rule, SIZE};
use super::cell::{Cell, MAX_SIZE};
use super::opening::{self, CachedOpenings, OpeningList, OpeningSource, images};
use super::opening_generator::OpeningGenerator;
use super::sgf::{self, Sgf};
use super::stone::Stone;

/// Position of a Gomoku game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gomoku {
    board: Board,
    rule: Rule,
    /// Colour to move; `None` if the game is over.
    turn: Option<Stone>,
    /// Colour that has won.
    winner: Option<Stone>,
    moves: u32,
}

documented! {
    /// Rules that an experiment may set.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct Rules {
        /// Number of rows and columns of the board.
        #[serde(deserialize_with = "size")]
        pub size: u8 => "whole number, 5 to 25", "`15`";
        /// Winning row: five or more stones, or exactly five.
        pub rule: Rule => r#"`"free"` or `"standard"`"#, r#"`"free"`"#;
        /// Stones on the board at the start of a game.
        pub openings: OpeningSource => r#"`"generated"`, `"gomocup"`, `"empty"` or a list of strings"#, r#"`"generated"`"#;
        /// Number of stones in a generated opening.
        #[serde(deserialize_with = "stones")]
        pub opening_stones: Option<u8> => "whole number, 1 to 9", "`5`";
    } also {
        /// Listed openings, parsed.
        #[serde(skip)]
        pub(crate) dealt: CachedOpenings;
    }
}

/// Default number of stones per generated opening.
const OPENING_STONES: u8 = 5;

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            size: SIZE,
            rule: Rule::Free,
            openings: OpeningSource::Generated,
            opening_stones: None,
            dealt: CachedOpenings::default(),
        }
    }
}

fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    let size = u8::deserialize(deserializer)?;
    if (5..=MAX_SIZE).contains(&size) {
        Ok(size)
    } else {
        Err(D::Error::custom(format!("must be from 5 to {MAX_SIZE}")))
    }
}

fn stones<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u8>, D::Error> {
    let stones = u8::deserialize(deserializer)?;
    if (1..=9).contains(&stones) { Ok(Some(stones)) } else { Err(D::Error::custom("must be from 1 to 9")) }
}

impl game::Rules for Rules {
    const MANUAL: &'static [KeyDeclaration] = Rules::KEYS;

    fn opening(&self, block: Block) -> Option<Opening> {
        Some(opening::to_game_opening(&self.block_stones(block), self.size))
    }

    fn contradiction(&self) -> Option<(&'static str, String)> {
        if self.opening_stones.is_some() && self.openings != OpeningSource::Generated {
            let message = "only for generated openings";
            return Some(("opening_stones", message.to_owned()));
        }
        if self.openings == OpeningSource::Gomocup && self.size != SIZE {
            return Some(("openings", format!("Gomocup's openings need a board of size {SIZE}")));
        }
        let openings = match self.opening_list()? {
            Ok(opening_list) => &opening_list.openings,
            Err(message) => return Some(("openings", message.clone())),
        };
        let five =
            openings.iter().position(|stones| opening::set_up_board(stones, self.size, self.rule).is_none());
        if let Some(index) = five {
            return Some(("openings", format!("opening {} has a winning row", index + 1)));
        }
        let mut first_indices = BTreeMap::new();
        openings.iter().enumerate().find_map(|(index, stones)| {
            let earlier_index = first_indices.insert(opening::canonical_image(stones, self.size), index)?;
            let message =
                format!("opening {} is a rotation or reflection of opening {}", index + 1, earlier_index + 1);
            Some(("openings", message))
        })
    }

    fn openings(&self) -> Option<u64> {
        let Some(opening_list) = self.opening_list() else { return Some(self.opening_generator().blocks()) };
        let openings = &opening_list.as_ref().ok()?.openings;
        let min_images = openings.iter().map(|stones| images(stones, self.size).len()).min()?;
        Some((openings.len() * min_images) as u64)
    }
}

impl Rules {
    /// Returns the listed openings; `None` if there is no list.
    fn opening_list(&self) -> Option<&Result<OpeningList, String>> {
        self.dealt.opening_list(&self.openings, self.size)
    }

    fn opening_generator(&self) -> OpeningGenerator {
        OpeningGenerator::new(self.size, self.rule, self.opening_stones.unwrap_or(OPENING_STONES))
    }

    /// Returns the opening stones of a block's games.
    fn block_stones(&self, block: Block) -> Vec<Cell> {
        match self.opening_list() {
            None => self.opening_generator().stones(block),
            Some(opening_list) => {
                // First each opening as listed, then a symmetric image of each, then another.
                let openings = &opening_list.as_ref().expect("checked when the experiment was read").openings;
                let (index, round) =
                    (block.number % openings.len() as u64, block.number / openings.len() as u64);
                let mut images = images(&openings[index as usize], self.size);
                let image_index = round % images.len() as u64;
                images.swap_remove(image_index as usize)
            }
        }
    }

    /// Returns the smallest and largest number of stones per opening.
    fn opening_stones(&self) -> (u32, u32) {
        match self.opening_list() {
            Some(Ok(opening_list)) => opening_list.stones,
            _ => {
                let stones = self.opening_stones.unwrap_or(OPENING_STONES).into();
                (stones, stones)
            }
        }
    }
}

impl Gomoku {
    /// Creates a game from a board without a winner, with this colour to move.
    pub fn from_board(board: Board, rule: Rule, turn: Stone) -> Gomoku {
        let turn = (!board.is_full()).then_some(turn);
        Gomoku { board, rule, turn, winner: None, moves: 0 }
    }

    /// Returns the board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the rule for winning rows.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// Returns the colour to move; `None` if the game is over.
    #[inline]
    pub fn turn(&self) -> Option<Stone> {
        self.turn
    }

    /// Returns the colour that has won.
    pub fn winner(&self) -> Option<Stone> {
        self.winner
    }
}

impl Game for Gomoku {
    type Rules = Rules;
    type Move = Cell;

    const INFO: GameInfo = GameInfo {
        name: "gomoku",
        shape: Shape::Duel,
        moves: "a column and a row, such as `h8`",
        facts: &[],
        has_stones: true,
    };

    fn open(rules: &Rules, block: Block, _game_rng: &mut Rng) -> Gomoku {
        let stones = rules.block_stones(block);
        let board = opening::set_up_board(&stones, rules.size, rules.rule).expect("no opening has a five");
        Gomoku::from_board(board, rules.rule, Stone::next_after(stones.len() as u32))
    }

    /// Parses `.`, `B` and `W` row by row, with optional blanks and line ends between them.
    fn set_up(rules: &Rules, diagram: &Diagram) -> Result<Gomoku, String> {
        if diagram.score.is_some() {
            return Err("Gomoku has no score".to_owned());
        }
        let mut board = Board::new(rules.size);
        let mut cells = board.cells();
        let mut stones = [0_u32; 2];
        for (index, letter) in diagram.cells.chars().filter(|letter| !letter.is_whitespace()).enumerate() {
            let cell = cells.next().ok_or_else(|| too_long_message(&diagram.cells, rules.size))?;
            let stone = match letter {
                '.' => continue,
                'B' => Stone::Black,
                'W' => Stone::White,
                _ => return Err(format!("cell {index} is '{letter}', not '.', 'B' or 'W'")),
            };
            board.put(cell, stone);
            stones[stone.number()] += 1;
        }
        if cells.next().is_some() {
            return Err(too_long_message(&diagram.cells, rules.size));
        }
        let [black, white] = stones;
        let turn = match diagram.to_move.as_deref() {
            Some("B") => Stone::Black,
            Some("W") => Stone::White,
            Some(other) => return Err(format!("\"to_move\" must be \"B\" or \"W\", not \"{other}\"")),
            None if black == white => Stone::Black,
            None if black == white + 1 => Stone::White,
            None => {
                return Err(format!(
                    "{black} black and {white} white stones: add the colour to move, such as \"to_move\": \"B\""
                ));
            }
        };
        let fives = Stone::BOTH.map(|stone| {
            board
                .cells()
                .any(|cell| board.stone_at(cell) == Some(stone) && board.makes_five(cell, stone, rules.rule))
        });
        let winner = match fives {
            [true, true] => return Err("both colours have a winning row".to_owned()),
            [true, false] => Some(Stone::Black),
            [false, true] => Some(Stone::White),
            [false, false] => None,
        };
        let position = Gomoku::from_board(board, rules.rule, turn);
        let (turn, moves) = (position.turn.filter(|_| winner.is_none()), diagram.moves.unwrap_or(0));
        Ok(Gomoku { winner, turn, moves, ..position })
    }

    fn diagram(&self) -> Diagram {
        // On a full board neither player is to move, and any colour will do.
        let turn = self.turn.or(self.winner.map(Stone::other)).unwrap_or(Stone::Black);
        Diagram {
            cells: self.board.to_string(),
            to_move: Some(turn.letter().to_string()),
            moves: Some(self.moves),
            ..Diagram::default()
        }
    }

    #[inline]
    fn to_move(&self) -> Option<Seat> {
        self.turn.map(Stone::seat)
    }

    fn moves(&self, list: &mut Vec<Cell>) {
        if self.turn.is_some() {
            list.extend(self.board.empty_cells());
        }
    }

    fn read_move(&self, text: &str) -> Option<Cell> {
        // Gomocup's notation of cells is not accepted here.
        text.parse().ok().filter(|cell: &Cell| cell.to_string() == text)
    }

    #[inline]
    fn play(&mut self, cell: Cell, _game_rng: &mut Rng) -> Result<(), IllegalMove> {
        let stone = self.turn.ok_or(IllegalMove)?;
        if !self.board.has(cell) || self.board.stone_at(cell).is_some() {
            return Err(IllegalMove);
        }
        self.board.put(cell, stone);
        self.moves += 1;
        self.turn = Some(stone.other());
        if self.board.makes_five(cell, stone, self.rule) {
            self.winner = Some(stone);
            self.turn = None;
        } else if self.board.is_full() {
            self.turn = None;
        }
        Ok(())
    }

    #[inline]
    fn state(&self) -> GameState {
        GameState {
            outcome: self.winner.map_or(Outcome::Drawn, |stone| Outcome::Won(stone.seat())),
            facts: Facts::default(),
            moves: self.moves,
            is_cut_short: false,
        }
    }

    fn invalid_reason(rules: &Rules, result: &GameResult) -> Option<String> {
        let GameResult { ended_by, outcome, moves, .. } = *result;
        let cells = u32::from(rules.size) * u32::from(rules.size);
        let (min_stones, max_stones) = rules.opening_stones();
        let is_possible = |opening: u32| {
            let stones = u64::from(opening) + u64::from(moves);
            match (ended_by, outcome) {
                (EndedBy::Rules, Outcome::Drawn) => stones == u64::from(cells),
                (EndedBy::Rules, Outcome::Won(seat)) => {
                    // The winner made the last move and has a five.
                    let last_stone = Stone::next_after((stones.max(1) - 1) as u32);
                    let winner_stones =
                        if last_stone == Stone::Black { stones.div_ceil(2) } else { stones / 2 };
                    moves > 0 && stones <= u64::from(cells) && last_stone.seat() == seat && winner_stones >= 5
                }
                (EndedBy::Other, Outcome::Drawn | Outcome::Won(_)) => stones < u64::from(cells),
                (EndedBy::Until, _) | (_, Outcome::Points { .. }) => false,
            }
        };
        (!(min_stones..=max_stones).any(is_possible))
            .then(|| format!("no game ends this way after {moves} moves"))
    }
}

impl RandomPlay for Gomoku {
    fn random_move(&self, rng: &mut Rng) -> Option<Cell> {
        self.turn?;
        let size = self.board.size();
        let cells = u32::from(size) * u32::from(size);
        // While at least one cell in four is empty, redrawing is faster than counting.
        while 4 * self.board.stones() < 3 * cells {
            let cell = Cell::from_index(rng.below(cells.into()) as usize, size);
            if self.board.stone_at(cell).is_none() {
                return Some(cell);
            }
        }
        let index = rng.below(u64::from(cells - self.board.stones()));
        self.board.empty_cells().nth(index as usize)
    }
}

impl Notation for Gomoku {
    /// Writes one letter per cell, without blanks.
    fn write_position(&self, line: &mut Vec<u8>) {
        line.extend(self.board.cells().map(|cell| self.board.letter(cell) as u8));
        let turn = self.turn.unwrap_or(Stone::Black).letter();
        line.extend_from_slice(format!(" turn={turn} moves={}", self.moves).as_bytes());
    }

    fn effects(&self) -> serde_json::Value {
        let winning_cells = |stone| -> Vec<String> {
            let cells =
                self.board.empty_cells().filter(|&cell| self.board.makes_five(cell, stone, self.rule));
            cells.map(|cell| cell.to_string()).collect()
        };
        serde_json::json!({ "fives": { "B": winning_cells(Stone::Black), "W": winning_cells(Stone::White) } })
    }

    fn move_number(&self, cell: Cell) -> Option<u64> {
        Some(cell.index(self.board.size()) as u64)
    }

    /// Writes the game in the Smart Game Format.
    fn export_game(
        rules: &Rules,
        block: Block,
        title: &str,
        moves: &[Cell],
        names: [&str; 2],
        outcome: Option<Outcome>,
    ) -> Option<String> {
        let opening = rules.block_stones(block);
        let stones = opening.iter().chain(moves).copied();
        Some(sgf::write(&Sgf {
            size: rules.size,
            rule: rules.rule,
            title: title.to_owned(),
            names: names.map(str::to_owned),
            outcome,
            stones: (0..).map(Stone::next_after).zip(stones).collect(),
            opening: opening.len(),
        }))
    }

    fn import_game(text: &str, number: usize) -> Option<Result<GameTranscript<Gomoku>, String>> {
        let result = sgf::read(text, number).and_then(|game| {
            let positions = replay_positions(&game)?;
            Ok(GameTranscript { names: game.names, positions })
        });
        Some(result)
    }
}

fn too_long_message(cells: &str, size: u8) -> String {
    let count = cells.chars().filter(|letter| !letter.is_whitespace()).count();
    let cell_count = u32::from(size) * u32::from(size);
    format!("found {count} cells, but a board of size {size} has {cell_count}")
}

/// Returns the positions of an imported game, starting at the end of its opening, each with the
/// move that led to it.
fn replay_positions(game: &Sgf) -> Result<Vec<(Option<Cell>, Gomoku)>, String> {
    let mut board = Board::new(game.size);
    let (opening, moves) = game.stones.split_at(game.opening.min(game.stones.len()));
    for &(stone, cell) in opening {
        if board.stone_at(cell).is_some() || board.makes_five(cell, stone, game.rule) {
            return Err(format!("the stone on {cell} cannot belong to the opening"));
        }
        board.put(cell, stone);
    }
    let turn = moves.first().map_or(Stone::Black, |&(stone, _)| stone);
    let mut positions = vec![(None, Gomoku::from_board(board, game.rule, turn))];
    for &(stone, cell) in moves {
        let (_, last_position) = positions.last().expect("the first position");
        let mut next = last_position.clone();
        let is_turn = next.turn() == Some(stone);
        if !is_turn || next.play(cell, &mut Seed::root(0).rng()).is_err() {
            return Err(format!(
                "the stone on {cell} is not a legal move after {} moves",
                positions.len() - 1
            ));
        }
        positions.push((Some(cell), next));
    }
    Ok(positions)
}

/// Writes the board.
impl fmt::Display for Gomoku {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.board.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_that_was_read_is_played_again() {
        let text = "(;GM[4]SZ[15]C[The first stones are the opening: 3];B[hh];W[ii];B[gg];W[aa];B[oo];W[ab])";
        let game = Gomoku::import_game(text, 1).expect("a form").expect("a sound game");
        assert_eq!(game.positions.len(), 4);
        assert_eq!(game.positions[0].1.board().stones(), 3);
        assert_eq!(game.positions[3].0, Some(Cell::new(0, 1)));
        let duplicate_stone = Gomoku::import_game("(;SZ[15];B[aa];W[aa])", 1).expect("a form");
        assert!(duplicate_stone.is_err(), "a cell is taken once");
    }

    #[test]
    fn flaws_are_found() {
        let rules = Rules::default();
        let reason = |ended_by, outcome, moves| {
            Gomoku::invalid_reason(&rules, &GameResult { ended_by, outcome, facts: Facts::default(), moves })
        };
        // After five stones white moves first, then black.
        assert_eq!(reason(EndedBy::Rules, Outcome::Won(Seat::First), 6), None);
        assert!(reason(EndedBy::Rules, Outcome::Won(Seat::First), 5).is_some(), "white made the last move");
        assert!(reason(EndedBy::Rules, Outcome::Won(Seat::First), 2).is_some(), "black has four stones");
        assert_eq!(reason(EndedBy::Rules, Outcome::Drawn, 220), None);
        assert!(reason(EndedBy::Rules, Outcome::Drawn, 219).is_some(), "a cell is empty");
        assert!(reason(EndedBy::Other, Outcome::Drawn, 221).is_some(), "there are 225 cells");
        assert!(reason(EndedBy::Rules, Outcome::Points { score: 1, won: true }, 6).is_some());
    }
}
