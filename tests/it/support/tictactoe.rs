//! Tic-tac-toe: a small duel, with players of every kind. It is played through plan, run, journal,
//! tally and results, which know two shapes of games but no particular game.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use gauntlet::arena::{Arena, CargoPackage, GameDefinition};
use gauntlet::assets::AssetFiles;
use gauntlet::game::{
    self, Block, Diagram, EndedBy, Facts, Game, GameInfo, GameResult, GameState, IllegalMove, Notation,
    Outcome, RandomPlay, Seat, Shape,
};
use gauntlet::player::{
    Algorithm, BuildContext, Choice, FileMistake, NoMove, Player, Recipe, RecipeFacts, RecipeIdentity, Start,
};
use gauntlet::players::{flat_mc, mcts, random};
use gauntlet::rng::Rng;
use serde::{Deserialize, Serialize};

use crate::external_player::{self, ExternalPlayer};

/// The games of these tests.
pub(crate) const GAMES: &[Arena] = &[Arena::new(&TICTACTOE)];

const TICTACTOE: GameDefinition<TicTacToe> = GameDefinition::new(
    CargoPackage { name: "tests", version: "1.2.3" },
    &[
        Algorithm::new::<random::Config>("random", random::EXAMPLE),
        Algorithm::new::<flat_mc::Config>("flat-mc", flat_mc::EXAMPLE),
        Algorithm::new::<mcts::Config>("mcts", mcts::EXAMPLE),
        Algorithm::new::<FirstFreeCell>("first", "# Plays the first free cell.\nalgorithm = \"first\"\n"),
        Algorithm::new::<Quitter>("quitter", "# Gives up.\nalgorithm = \"quitter\"\nafter = 2\n"),
        Algorithm::new::<Breaker>("breaker", "# Breaks in one game of ten.\nalgorithm = \"breaker\"\n"),
        Algorithm::new::<ExternalPlayer>("talker", external_player::EXAMPLE),
        Algorithm::new::<Book>("book", "# Plays by a file.\nalgorithm = \"book\"\nfile = \"cells.book\"\n"),
    ],
    |_| Vec::new(),
);

/// A position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TicTacToe {
    cells: [Option<Seat>; 9],
    moves: u32,
}

/// The rules have no settings.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rules {}

impl game::Rules for Rules {}

/// The number of a cell, row by row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cell(pub(crate) usize);

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

impl Game for TicTacToe {
    type Rules = Rules;
    type Move = Cell;

    const INFO: GameInfo = GameInfo {
        name: "tic-tac-toe",
        shape: Shape::Duel,
        moves: "the number of a cell",
        facts: &[],
        has_stones: false,
    };

    /// Sets up the opening: one stone for each seat, on random cells.
    fn open(_rules: &Rules, _block: Block, game_rng: &mut Rng) -> TicTacToe {
        let mut cells = [None; 9];
        let one = game_rng.below(9) as usize;
        let other = (one + 1 + game_rng.below(8) as usize) % 9;
        (cells[one], cells[other]) = (Some(Seat::First), Some(Seat::Second));
        TicTacToe { cells, moves: 0 }
    }

    fn set_up(_rules: &Rules, diagram: &Diagram) -> Result<TicTacToe, String> {
        let cell = |symbol| match symbol {
            '.' => Ok(None),
            'x' => Ok(Some(Seat::First)),
            'o' => Ok(Some(Seat::Second)),
            _ => Err(format!("{symbol:?} is no cell")),
        };
        let cells: Vec<_> = diagram.cells.chars().map(cell).collect::<Result<_, _>>()?;
        let cells = cells.try_into().map_err(|_| "there are nine cells".to_owned())?;
        Ok(TicTacToe { cells, moves: diagram.moves.unwrap_or(0) })
    }

    fn diagram(&self) -> Diagram {
        Diagram { moves: Some(self.moves), ..Diagram::from_cells(&self.to_string()) }
    }

    fn to_move(&self) -> Option<Seat> {
        let is_over = self.winner().is_some() || self.cells.iter().all(Option::is_some);
        (!is_over).then_some(if self.moves.is_multiple_of(2) { Seat::First } else { Seat::Second })
    }

    fn moves(&self, list: &mut Vec<Cell>) {
        if self.to_move().is_some() {
            list.extend((0..9).filter(|&cell| self.cells[cell].is_none()).map(Cell));
        }
    }

    fn read_move(&self, text: &str) -> Option<Cell> {
        (0..9).map(Cell).find(|cell| cell.to_string() == text)
    }

    fn play(&mut self, mv: Cell, _game_rng: &mut Rng) -> Result<(), IllegalMove> {
        let seat = self.to_move().ok_or(IllegalMove)?;
        match self.cells.get_mut(mv.0) {
            Some(cell @ None) => *cell = Some(seat),
            _ => return Err(IllegalMove),
        }
        self.moves += 1;
        Ok(())
    }

    fn state(&self) -> GameState {
        GameState {
            outcome: self.winner().map_or(Outcome::Drawn, Outcome::Won),
            facts: Facts::default(),
            moves: self.moves,
            is_cut_short: false,
        }
    }

    /// The opening takes two of the nine cells.
    fn invalid_reason(_rules: &Rules, result: &GameResult) -> Option<String> {
        let GameResult { ended_by, outcome, moves, .. } = *result;
        let is_sound = match (ended_by, outcome) {
            (EndedBy::Rules, Outcome::Drawn) => moves == 7,
            // A seat wins with its third stone or a later one.
            (EndedBy::Rules, Outcome::Won(Seat::First)) => (3..=7).contains(&moves) && moves % 2 == 1,
            (EndedBy::Rules, Outcome::Won(Seat::Second)) => (4..=7).contains(&moves) && moves % 2 == 0,
            (EndedBy::Other, _) => moves < 7,
            _ => false,
        };
        (!is_sound).then(|| format!("no game ends this way after {moves} moves"))
    }
}

impl RandomPlay for TicTacToe {}

impl Notation for TicTacToe {}

impl TicTacToe {
    fn winner(&self) -> Option<Seat> {
        let owner = |line: &[usize; 3]| {
            let [a, b, c] = line.map(|cell| self.cells[cell]);
            a.filter(|_| a == b && b == c)
        };
        LINES.iter().find_map(owner)
    }

    /// Returns the first free cell in this order.
    fn first_free(&self, order: &[usize]) -> Option<Cell> {
        order.iter().copied().find(|&cell| self.cells[cell].is_none()).map(Cell)
    }
}

impl fmt::Display for TicTacToe {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.cells.iter().try_for_each(|cell| {
            f.write_str(match cell {
                None => ".",
                Some(Seat::First) => "x",
                Some(Seat::Second) => "o",
            })
        })
    }
}

/// A player that is a function of the position and a seed.
struct FunctionPlayer<F> {
    choose: F,
    chance: u64,
}

impl<F: FnMut(&TicTacToe, u64) -> Result<Cell, NoMove> + Send> Player<TicTacToe> for FunctionPlayer<F> {
    fn begin(&mut self, start: &Start<TicTacToe>) {
        self.chance = start.seed.rng().below(10);
    }

    fn choose(&mut self, position: &TicTacToe) -> Result<Choice<Cell>, NoMove> {
        (self.choose)(position, self.chance).map(Choice::new)
    }
}

fn function_player(
    choose: impl FnMut(&TicTacToe, u64) -> Result<Cell, NoMove> + Send + 'static,
) -> anyhow::Result<Box<dyn Player<TicTacToe>>> {
    Ok(Box::new(FunctionPlayer { choose, chance: 0 }))
}

const IN_ORDER: [usize; 9] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/// Plays the first free cell.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FirstFreeCell {}

impl Recipe<TicTacToe> for FirstFreeCell {
    fn build(&self, _context: &BuildContext) -> anyhow::Result<Box<dyn Player<TicTacToe>>> {
        function_player(|position, _| {
            position.first_free(&IN_ORDER).ok_or(NoMove::forfeit("no cell is free"))
        })
    }
}

/// Gives up after some moves of the game.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Quitter {
    after: u32,
}

impl Recipe<TicTacToe> for Quitter {
    fn build(&self, _context: &BuildContext) -> anyhow::Result<Box<dyn Player<TicTacToe>>> {
        let after = self.after;
        function_player(move |position, _| match position.first_free(&IN_ORDER) {
            Some(cell) if position.moves < after => Ok(cell),
            _ => Err(NoMove::forfeit("enough")),
        })
    }
}

/// A player whose program breaks in about one game of ten.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Breaker {}

impl Recipe<TicTacToe> for Breaker {
    fn build(&self, _context: &BuildContext) -> anyhow::Result<Box<dyn Player<TicTacToe>>> {
        function_player(|position, chance| {
            assert!(chance > 0, "a defect");
            position.first_free(&IN_ORDER).ok_or(NoMove::forfeit("no cell is free"))
        })
    }
}

/// Plays the first free cell in the order of a file, which has nine digits.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Book {
    file: PathBuf,
}

impl Book {
    fn order(&self, assets: &AssetFiles) -> anyhow::Result<Arc<Vec<usize>>> {
        assets.get(&self.file, |bytes| {
            let digits = bytes.iter().map(|byte| usize::from(byte.wrapping_sub(b'0')));
            let order: Vec<usize> = digits.take(9).collect();
            let is_whole = (0..9).all(|cell| order.contains(&cell));
            is_whole
                .then_some(order)
                .ok_or_else(|| "is no book: it must begin with the nine digits 0 to 8".to_owned())
        })
    }
}

impl Recipe<TicTacToe> for Book {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<TicTacToe>>> {
        let order = self.order(&context.assets)?;
        function_player(move |position, _| {
            position.first_free(&order).ok_or(NoMove::forfeit("no cell is free"))
        })
    }

    fn facts(&self, _rules: &Rules) -> RecipeFacts {
        RecipeFacts { files: vec![("file", self.file.clone())], ..RecipeFacts::default() }
    }

    fn open(&self, assets: &AssetFiles) -> Result<RecipeIdentity, FileMistake> {
        self.order(assets)
            .map(|_| RecipeIdentity::default())
            .map_err(|error| FileMistake::new("file", &error))
    }
}
