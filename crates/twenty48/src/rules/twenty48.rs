//! Game of 2048: from two tiles to the last move, with its score.

use std::fmt;
use std::ops::ControlFlow;

use gauntlet_core::game::{
    self, Block, Diagram, EndedBy, Fact, Game, GameInfo, GameResult, GameState, IllegalMove, Notation,
    Outcome, PlayoutRequest, PlayoutResult, RandomPlay, Seat, Shape,
};
use gauntlet_core::rng::{Rng, Seed};
use gauntlet_core::text::push_number;

use super::batch::{self, OrderedMoves, Playout};
use super::board::{Afterstate, Board, SpawnCount};
use super::cells::{Cells, nth_empty};
use super::direction::{Direction, Directions};
use super::end_bounds;
use super::settings::{EndCondition, GoalTile, IdleMoves, Rules, SpawnLaw, WinCriterion};

/// Position of a game of 2048.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twenty48 {
    board: Board,
    /// Potential of the board minus the score. A merge raises both equally and a 2 neither; only a
    /// spawned 4 adds its 4 points of potential here. So the score needs no counting during a game,
    /// which saves 12 % of the time of random play.
    debt: i64,
    pub(super) moves: u32,
    rules: Rules,
    /// True after a move has earned a win by [`WinCriterion::Gain`].
    pub(super) won_by_gain: bool,
}

impl Twenty48 {
    /// Starts a game: two tiles on the start board.
    #[inline]
    pub fn start(rules: &Rules, game_rng: &mut Rng) -> Twenty48 {
        if !rules.have_original_spawns() {
            return Twenty48::start_by_law(rules, game_rng);
        }
        let (board, spawn_count) = rules.start.afterstate().spawn_two(game_rng);
        let debt = rules.start.potential() as i64 + 4 * i64::from(spawn_count.fours);
        Twenty48::from_board(board, debt, rules)
    }

    /// Plays whole games with moves in an order, one per pair of seeds (world, player). `None` if
    /// the rules have exceptions, something ends a game early or games have a start board.
    pub fn ordered_games(
        rules: &Rules,
        moves: OrderedMoves,
        seeds: &mut dyn Iterator<Item = (Seed, Seed)>,
    ) -> Option<Vec<Twenty48>> {
        let worlds = seeds.map(|(game_rng, _)| game_rng);
        rules
            .are_standard_from_empty_board()
            .then(|| Twenty48::from_playouts(batch::ordered_games(moves, worlds), rules))
    }

    /// Converts games from the initial position, played in lanes.
    fn from_playouts(playouts: Vec<Playout>, rules: &Rules) -> Vec<Twenty48> {
        let games = playouts.into_iter().map(|game| Twenty48 {
            moves: game.moves,
            ..Twenty48::with_score(game.board, game.score, rules)
        });
        games.collect()
    }

    #[cold]
    fn start_by_law(rules: &Rules, game_rng: &mut Rng) -> Twenty48 {
        let start = Board::new(rules.start.afterstate().cells());
        let mut game = Twenty48::with_score(start, 0, rules);
        for _ in 0..2 {
            let cells = game.board.cells();
            game.spawn(Afterstate::new(cells), cells.count_empty(), game_rng);
        }
        game
    }

    /// Puts a tile on a board by the law of the rules, with this number of cells empty before the
    /// move.
    fn spawn(&mut self, after: Afterstate, empty_before: u32, game_rng: &mut Rng) {
        let empty = match self.rules.spawn {
            SpawnLaw::Uniform => after.cells().count_empty(),
            SpawnLaw::Stale => empty_before,
        };
        if empty == 0 {
            self.board = Board::new(after.cells());
            return;
        }
        let k = game_rng.below(empty.into()) as u32;
        let four = self.rules.four.draw(game_rng);
        let index = nth_empty(after.cells().empty_mask(), k).trailing_zeros() / 4;
        self.board = after.place(index as usize, 1 + four as u8);
        self.debt += 4 * i64::from(four);
    }

    /// Plays a move by rules whose tiles are not the usual ones.
    #[cold]
    fn play_by_law(&mut self, direction: Direction, world: &mut Rng) -> Result<(), IllegalMove> {
        let empty = self.board.cells().count_empty();
        let after = self.board_after(direction).ok_or(IllegalMove)?;
        self.spawn(after, empty, world);
        self.moves += 1;
        Ok(())
    }

    /// Parses a position of sixteen values, row-major. Without a score it counts from 0.
    pub fn set_up(rules: &Rules, text: &str, score: Option<u64>) -> Result<Twenty48, String> {
        let board = Board::new(text.parse::<Cells>().map_err(|error| error.to_string())?);
        let score = score.unwrap_or(0);
        if i64::try_from(score).is_err() {
            return Err("the score is absurdly large".to_owned());
        }
        Ok(Twenty48::with_score(board, score, rules))
    }

    /// Creates a position with this score, less than 2^63.
    pub fn with_score(board: Board, score: u64, rules: &Rules) -> Twenty48 {
        Twenty48::from_board(board, board.potential() as i64 - score as i64, rules)
    }

    /// Returns the board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// Returns the points so far.
    #[inline]
    pub fn score(&self) -> u64 {
        (self.board.potential() as i64 - self.debt) as u64
    }

    /// Returns the rules of this game.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    fn from_board(board: Board, debt: i64, rules: &Rules) -> Twenty48 {
        Twenty48 { board, debt, moves: 0, rules: *rules, won_by_gain: false }
    }

    /// Returns true if the rules accept the move.
    #[inline]
    pub fn accepts(&self, direction: Direction) -> bool {
        self.board_after(direction).is_some()
    }

    /// Returns the directions of the moves that the rules accept.
    #[inline]
    pub fn legal_directions(&self) -> Directions {
        match self.board.slide_effects() {
            Some(effects) if self.rules.idle_moves == IdleMoves::Illegal => effects.legal_directions(),
            _ => Direction::ALL.into_iter().filter(|&direction| self.accepts(direction)).collect(),
        }
    }

    /// Returns the board after a move, before a tile appears; `None` if the rules refuse the move.
    #[inline]
    fn board_after(&self, direction: Direction) -> Option<Afterstate> {
        match self.board.slide(direction) {
            None => self.board_after_idle(),
            after => after,
        }
    }

    /// Returns the board after a move that changed nothing, if such a move spawns a tile.
    #[cold]
    fn board_after_idle(&self) -> Option<Afterstate> {
        let spawns_tile = self.rules.idle_moves == IdleMoves::Spawn && self.board.cells().count_empty() > 0;
        spawns_tile.then(|| Afterstate::new(self.board.cells()))
    }

    /// Plays a move that changes nothing, if the rules accept it: a tile appears.
    #[cold]
    fn play_idle(&mut self, game_rng: &mut Rng) -> Result<SpawnCount, IllegalMove> {
        let (board, spawn_count) = self.board_after_idle().ok_or(IllegalMove)?.spawn(game_rng);
        self.board = board;
        Ok(spawn_count)
    }

    /// Resolves a random draw of a move that changes nothing. Returns `Some(None)` if no move is
    /// left, and the move itself if it spawns a tile; otherwise `None`, to draw another one.
    #[inline(never)]
    fn random_move_after_an_idle_one(&self, direction: Direction) -> Option<Option<Direction>> {
        if self.rules.idle_moves == IdleMoves::Spawn && self.board_after_idle().is_some() {
            return Some(Some(direction));
        }
        let is_stuck = self.board.is_over() || self.board.cells() == Cells::default();
        is_stuck.then_some(None)
    }

    #[cold]
    fn is_stopped(&self) -> bool {
        match self.rules.until {
            EndCondition::GameOver => false,
            EndCondition::Win => self.is_won(),
            EndCondition::Tile(tile) => self.board.cells().has_rank(tile.rank()),
        }
    }

    #[cold]
    fn earns_a_win(&self, direction: Direction) -> bool {
        self.board.gain(direction) >= self.rules.win.value().into()
    }

    #[inline]
    pub(super) fn is_cut_short(&self) -> bool {
        self.rules.until != EndCondition::GameOver && self.is_stopped()
    }

    fn is_won(&self) -> bool {
        match self.rules.win_by {
            WinCriterion::Tile => self.board.cells().max_rank() >= self.rules.win.rank(),
            WinCriterion::Gain => self.won_by_gain,
        }
    }
}

impl Game for Twenty48 {
    type Rules = Rules;
    type Move = Direction;

    const INFO: GameInfo = GameInfo {
        name: "2048",
        shape: Shape::Solo,
        moves: "`up`, `down`, `left` or `right`",
        facts: &[Fact {
            column: "max_tile",
            table: "max-tile",
            noun: "largest tile",
            value_name: "tile",
            word: "reach",
            example: 2048,
            invalid_reason: |value| {
                GoalTile::try_from(value).err().map(|refusal| format!("what is reached {refusal}"))
            },
            next_value: |tile| 2 * tile,
        }],
        has_stones: false,
    };

    #[inline]
    fn open(rules: &Rules, _block: Block, game_rng: &mut Rng) -> Twenty48 {
        Twenty48::start(rules, game_rng)
    }

    /// Parses sixteen values, row-major.
    fn set_up(rules: &Rules, diagram: &Diagram) -> Result<Twenty48, String> {
        if diagram.to_move.is_some() {
            return Err("\"to_move\" is not allowed: 2048 has one player".to_owned());
        }
        let position = Twenty48::set_up(rules, &diagram.cells, diagram.score)?;
        Ok(Twenty48 { moves: diagram.moves.unwrap_or(0), won_by_gain: diagram.won, ..position })
    }

    fn diagram(&self) -> Diagram {
        let (score, moves) = (Some(self.score()), Some(self.moves));
        Diagram {
            cells: self.board.cells().format_line(),
            score,
            to_move: None,
            moves,
            won: self.won_by_gain,
        }
    }

    #[inline]
    fn to_move(&self) -> Option<Seat> {
        if self.board.is_over() || self.is_cut_short() { None } else { Some(Seat::First) }
    }

    fn moves(&self, list: &mut Vec<Direction>) {
        list.extend(Direction::ALL.into_iter().filter(|&direction| self.accepts(direction)));
    }

    fn read_move(&self, text: &str) -> Option<Direction> {
        Direction::ALL.into_iter().find(|direction| direction.name() == text)
    }

    #[inline]
    fn play(&mut self, direction: Direction, game_rng: &mut Rng) -> Result<(), IllegalMove> {
        if self.rules.win_by == WinCriterion::Gain {
            self.won_by_gain |= self.earns_a_win(direction);
        }
        if !self.rules.have_original_spawns() {
            return self.play_by_law(direction, game_rng);
        }
        let spawn_count = match self.board.play_turn(direction, game_rng) {
            Some(spawn_count) => spawn_count,
            None => self.play_idle(game_rng)?,
        };
        self.debt += 4 * i64::from(spawn_count.fours);
        self.moves += 1;
        Ok(())
    }

    #[inline]
    fn state(&self) -> GameState {
        GameState {
            outcome: Outcome::Points { score: self.score(), won: self.is_won() },
            facts: [self.board.cells().max_tile().into(), 0],
            moves: self.moves,
            is_cut_short: self.is_cut_short(),
        }
    }

    fn invalid_reason(rules: &Rules, result: &GameResult) -> Option<String> {
        let GameResult { ended_by, outcome: Outcome::Points { score, won }, facts: [max_tile, _], moves } =
            *result
        else {
            return Some("games of 2048 end with points".to_owned());
        };
        // Without an empty cell before a move, a stale law spawns no tile.
        let min_tiles = if rules.spawn == SpawnLaw::Stale { 2 } else { 2 + u64::from(moves) };
        let is_stuck = ended_by == EndedBy::Rules;
        end_bounds::invalid_reason(rules.start, max_tile, score, moves, min_tiles, is_stuck)
            .or_else(|| rules.invalid_end_reason(max_tile, score, won, ended_by == EndedBy::Until))
    }
}

impl RandomPlay for Twenty48 {
    /// Draws directions until one is legal: one in six is not.
    #[inline]
    fn random_move(&self, rng: &mut Rng) -> Option<Direction> {
        loop {
            let direction = Direction::from_bits(rng.bits() >> 62);
            if self.board.slide(direction).is_some() {
                return Some(direction);
            }
            if let Some(answer) = self.random_move_after_an_idle_one(direction) {
                return answer;
            }
        }
    }

    /// Plays in lanes, if the rules have no exceptions, nothing ends a game early and games have no
    /// start board.
    fn random_games(rules: &Rules, seeds: &mut dyn Iterator<Item = (Seed, Seed)>) -> Option<Vec<Twenty48>> {
        rules.are_standard_from_empty_board().then(|| {
            let seeds: Vec<(Seed, Seed)> = seeds.collect();
            Twenty48::from_playouts(batch::random_games(&seeds), rules)
        })
    }

    /// Skips any further check of the board after a draw that moves nothing: 1.4 times as fast,
    /// from positions of games.
    fn play_out(&mut self, max_moves: u32, game_rng: &mut Rng, player_rng: &mut Rng) -> u32 {
        if !self.rules.are_standard() || self.board.cells() == Cells::default() {
            return game::play_out_one_by_one(self, max_moves, game_rng, player_rng);
        }
        let (mut moves, mut fours) = (0, 0);
        while moves < max_moves && !self.board.is_over() {
            if let Some(spawn_count) =
                self.board.play_turn(Direction::from_bits(player_rng.bits() >> 62), game_rng)
            {
                fours += spawn_count.fours;
                moves += 1;
            }
        }
        self.debt += 4 * i64::from(fours);
        self.moves += moves;
        moves
    }

    /// Plays in lanes, if the rules have no exceptions and nothing ends a game early.
    fn run_playouts(
        &self,
        request: &PlayoutRequest<Direction>,
        mut on_end: impl FnMut(usize, PlayoutResult) -> ControlFlow<()>,
    ) {
        if !self.rules.are_standard() || request.max_moves != u32::MAX {
            return game::run_playouts_one_by_one(self, request, on_end);
        }
        let (mut starts, mut scores) = (Vec::new(), Vec::new());
        for &direction in request.first_moves {
            starts.push(self.board.slide(direction).expect("a legal move"));
            scores.push(self.score() + self.board.gain(direction));
        }
        batch::run_playouts(&starts, request.runs, request.seed, |number, playout| {
            let won = playout.board.cells().max_rank() >= self.rules.win.rank();
            let outcome = Outcome::Points { score: scores[number / request.runs] + playout.score, won };
            on_end(number, PlayoutResult { outcome, moves: 1 + playout.moves })
        });
    }
}

impl Notation for Twenty48 {
    fn write_position(&self, line: &mut Vec<u8>) {
        self.board.cells().write_values(line);
        line.extend_from_slice(b"score=");
        push_number(self.score(), line);
        line.extend_from_slice(b" moves=");
        push_number(self.moves.into(), line);
        if self.won_by_gain {
            line.extend_from_slice(b" won=true");
        }
    }

    fn effects(&self) -> serde_json::Value {
        let moves = Direction::ALL.into_iter().map(|direction| {
            let effect = self.board_after(direction).map(|after| {
                serde_json::json!({ "board": after.cells().values(), "gain": self.board.gain(direction) })
            });
            (direction.name().to_owned(), effect.into())
        });
        serde_json::Value::Object(moves.collect())
    }
}

/// Writes the board as a grid.
impl fmt::Display for Twenty48 {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.board.cells().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts where a tile comes, and how often it is a 4, when one board slides left.
    fn count_spawns(rules: &str, board: &str) -> ([u32; 16], u32) {
        let rules: Rules = serde_json::from_str(rules).expect("rules");
        let position = Twenty48::set_up(&rules, board, None).expect("a board");
        let after = position.board().slide(Direction::Left).expect("it moves").cells().ranks();
        let (mut cells, mut fours) = ([0; 16], 0);
        let mut game_rng = Seed::root(1).rng();
        for _ in 0..10_000 {
            let mut game = position.clone();
            game.play(Direction::Left, &mut game_rng).expect("a legal move");
            for (cell, (rank, previous_rank)) in
                game.board().cells().ranks().into_iter().zip(after).enumerate()
            {
                cells[cell] += u32::from(rank != previous_rank);
                fours += u32::from(rank != previous_rank && rank == 2);
            }
            assert_eq!(game.score(), position.score() + 8);
        }
        (cells, fours)
    }

    #[test]
    fn a_stale_tile_comes_to_one_of_the_first_empty_cells() {
        // Two cells are empty before the move and three after it.
        let board = "4 4 2 8  2 64 128 256  2 4 8 0  8 16 32 0";
        let (cells, fours) = count_spawns(r#"{"spawn":"stale"}"#, board);
        assert_eq!((cells[3] + cells[11], cells.iter().sum::<u32>()), (10_000, 10_000));
        assert!((4800..5200).contains(&cells[3]) && (900..1100).contains(&fours), "{cells:?} {fours}");
        let (cells, _) = count_spawns("{}", board);
        assert!([3, 11, 15].iter().all(|&cell| (3100..3600).contains(&cells[cell])), "{cells:?}");
    }

    #[test]
    fn no_stale_tile_comes_to_a_board_that_was_full() {
        let board = "4 4 2 8  2 64 128 256  2 4 8 2  8 16 32 4";
        assert_eq!(count_spawns(r#"{"spawn":"stale"}"#, board).0, [0; 16]);
        assert_eq!(count_spawns("{}", board).0[3], 10_000);
    }

    #[test]
    fn fours_come_with_their_probability() {
        let board = "4 4 2 8  2 64 128 256  2 4 8 0  8 16 32 0";
        for (four, expected) in
            [("0", 0..1), ("0.25", 2300..2700), (r#""1/3""#, 3100..3600), ("1", 10_000..10_001)]
        {
            let (cells, fours) = count_spawns(&format!(r#"{{"four":{four}}}"#), board);
            assert_eq!(cells.iter().sum::<u32>(), 10_000);
            assert!(expected.contains(&fours), "{four}: {fours}");
        }
    }

    #[test]
    fn games_by_other_laws_keep_their_score() {
        let rules: Rules = serde_json::from_str(r#"{"spawn":"stale","four":0.5}"#).expect("rules");
        for block in 0..50 {
            let (mut game_rng, mut player_rng) = (Seed::root(block).rng(), Seed::root(!block).rng());
            let mut game = Twenty48::start(&rules, &mut game_rng);
            let mut score = 0;
            while let Some(direction) = game.random_move(&mut player_rng) {
                score += game.board().gain(direction);
                game.play(direction, &mut game_rng).expect("a legal move");
                assert_eq!(game.score(), score);
            }
            assert!(game.to_move().is_none());
        }
    }
}
