//! Initial positions of training games.

use std::collections::VecDeque;
use std::io::{self, Read, Write};

use gauntlet_core::rng::{ChildSeeds, Rng, Seed};
use gauntlet_twenty48::rules::{Afterstate, Board, Cells};
use serde::{Deserialize, Serialize};

use crate::network::stages::Stages;

/// Initial positions of training games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RestartPolicy {
    /// Always the start of a game.
    #[default]
    None,
    /// The middle of the last game, if that was long enough.
    Half,
    /// Each stage in turn.
    Carousel,
}

impl RestartPolicy {
    pub(super) fn is_none(&self) -> bool {
        *self == RestartPolicy::None
    }
}

/// Minimum number of moves of a game in whose middle another one begins.
const MIN_MOVES: usize = 10;

/// Maximum number of boards kept per stage: the last ones.
const MAX_BOARDS: usize = 1000;

/// Largest rank that a board can have.
const MAX_RANK: u8 = 17;

/// Initial position of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum InitialPosition {
    /// Start by the rules.
    Fresh,
    /// A board of another game.
    Board(Board),
    /// Board after a move of another game.
    After(Afterstate),
}

impl InitialPosition {
    /// Returns the first board.
    pub(super) fn board(self, game_rng: &mut Rng) -> Board {
        match self {
            InitialPosition::Fresh => Board::start(game_rng).0,
            InitialPosition::Board(board) => board,
            InitialPosition::After(after) => after.spawn(game_rng).0,
        }
    }
}

/// Data of past training games for the initial positions of later ones.
pub(super) enum InitialPositions {
    Fresh,
    Half {
        /// Boards of the current game.
        boards: Vec<Board>,
        /// Board at which the next game begins, unless it starts by the rules.
        middle: Option<Board>,
    },
    Carousel(Carousel),
}

/// Boards with which games entered a stage.
pub(super) struct Carousel {
    stages: Stages,
    /// For each stage but the first, a queue of its last boards.
    queues: Vec<VecDeque<Afterstate>>,
    /// Stage whose turn it is.
    next_stage: usize,
    /// Highest stage of the game so far.
    highest_stage: usize,
    seeds: ChildSeeds,
}

impl Carousel {
    fn next(&mut self, game: u64) -> InitialPosition {
        // If a stage was not reached yet, the round ends.
        let queue =
            self.next_stage.checked_sub(1).map(|index| &self.queues[index]).filter(|queue| !queue.is_empty());
        let initial_position = queue.map_or(InitialPosition::Fresh, |queue| {
            let index = self.seeds.get(game).rng().below(queue.len() as u64);
            InitialPosition::After(queue[index as usize])
        });
        self.highest_stage = queue.map_or(0, |_| self.next_stage);
        self.next_stage = (self.highest_stage + 1) % (self.queues.len() + 1);
        initial_position
    }

    #[inline]
    fn record(&mut self, after: Afterstate) {
        let stage = self.stages.stage_of(after.cells().capped_nibbles().word()) as usize;
        if stage > self.highest_stage {
            self.highest_stage = stage;
            let queue = &mut self.queues[stage - 1];
            if queue.len() >= MAX_BOARDS {
                queue.pop_front();
            }
            queue.push_back(after);
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&[self.next_stage as u8])?;
        for queue in &self.queues {
            out.write_all(&(queue.len() as u16).to_le_bytes())?;
            queue.iter().try_for_each(|after| out.write_all(&after.cells().ranks()))?;
        }
        Ok(())
    }

    fn read(&mut self, reader: &mut dyn Read) -> io::Result<()> {
        let mut stage_byte = [0];
        reader.read_exact(&mut stage_byte)?;
        self.next_stage = usize::from(stage_byte[0]).min(self.queues.len());
        for queue in &mut self.queues {
            let mut count = [0; 2];
            reader.read_exact(&mut count)?;
            queue.clear();
            for _ in 0..u16::from_le_bytes(count) {
                queue.push_back(Afterstate::new(read_cells(reader)?));
            }
        }
        Ok(())
    }
}

impl InitialPositions {
    pub(super) fn new(restarts: RestartPolicy, stages: &Stages, seed: Seed) -> InitialPositions {
        match restarts {
            RestartPolicy::None => InitialPositions::Fresh,
            RestartPolicy::Half => InitialPositions::Half { boards: Vec::new(), middle: None },
            RestartPolicy::Carousel => InitialPositions::Carousel(Carousel {
                stages: stages.clone(),
                queues: vec![VecDeque::new(); stages.count() as usize - 1],
                next_stage: 0,
                highest_stage: 0,
                seeds: seed.children("carousel"),
            }),
        }
    }

    /// Returns the initial position of the game with this number.
    pub(super) fn next(&mut self, game: u64) -> InitialPosition {
        match self {
            InitialPositions::Fresh => InitialPosition::Fresh,
            InitialPositions::Half { boards, middle } => {
                boards.clear();
                middle.take().map_or(InitialPosition::Fresh, InitialPosition::Board)
            }
            InitialPositions::Carousel(carousel) => carousel.next(game),
        }
    }

    /// Records a move of that game: the boards before and after it.
    #[inline]
    pub(super) fn record_move(&mut self, board: Board, after: Afterstate) {
        match self {
            InitialPositions::Fresh => {}
            InitialPositions::Half { boards, .. } => boards.push(board),
            InitialPositions::Carousel(carousel) => carousel.record(after),
        }
    }

    /// Records the end of the game.
    pub(super) fn end(&mut self) {
        if let InitialPositions::Half { boards, middle } = self
            && boards.len() >= MIN_MOVES
        {
            *middle = Some(boards[boards.len() / 2]);
        }
    }

    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            InitialPositions::Fresh => Ok(()),
            // An empty board means none.
            InitialPositions::Half { middle, .. } => {
                out.write_all(&middle.map_or([0; 16], |board| board.cells().ranks()))
            }
            InitialPositions::Carousel(carousel) => carousel.write(out),
        }
    }

    pub(super) fn read(&mut self, reader: &mut dyn Read) -> io::Result<()> {
        match self {
            InitialPositions::Fresh => Ok(()),
            InitialPositions::Half { middle, .. } => {
                let cells = read_cells(reader)?;
                *middle = (cells != Cells::default()).then(|| Board::new(cells));
                Ok(())
            }
            InitialPositions::Carousel(carousel) => carousel.read(reader),
        }
    }
}

/// Reads a board. Damage is detected by the digest at the end of the file.
fn read_cells(reader: &mut dyn Read) -> io::Result<Cells> {
    let mut ranks = [0; 16];
    reader.read_exact(&mut ranks)?;
    Ok(Cells::from_ranks(ranks.map(|rank: u8| rank.min(MAX_RANK))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carousel() -> Carousel {
        let stages = Stages::try_from(vec![64, 128]).expect("stages");
        match InitialPositions::new(RestartPolicy::Carousel, &stages, Seed::root(1)) {
            InitialPositions::Carousel(carousel) => carousel,
            _ => unreachable!("it was asked for"),
        }
    }

    /// Returns a board with one tile of this rank, and another one that makes it distinct.
    fn afterstate(rank: u8, other: u8) -> Afterstate {
        let mut ranks = [0; 16];
        (ranks[0], ranks[usize::from(other % 15) + 1]) = (rank, 1 + other / 15);
        Afterstate::new(Cells::from_ranks(ranks))
    }

    #[test]
    fn stages_have_their_turn_once_they_are_reached() {
        let mut carousel = carousel();
        let begin = |carousel: &mut Carousel, game| (carousel.next(game), carousel.highest_stage);
        assert_eq!([0, 1].map(|game| begin(&mut carousel, game)), [(InitialPosition::Fresh, 0); 2]);
        // The first board of a stage in a game is kept, and no other.
        [afterstate(5, 0), afterstate(6, 0), afterstate(6, 1), afterstate(5, 1)]
            .iter()
            .for_each(|after| carousel.record(*after));
        let first = (InitialPosition::After(afterstate(6, 0)), 1);
        assert_eq!(
            [2, 3, 4].map(|game| begin(&mut carousel, game)),
            [first, (InitialPosition::Fresh, 0), first]
        );
        // After the second stage only the third is new.
        [afterstate(6, 2), afterstate(7, 2)].iter().for_each(|after| carousel.record(*after));
        let second = (InitialPosition::After(afterstate(7, 2)), 2);
        let round = [5, 6, 7, 8].map(|game| begin(&mut carousel, game));
        assert_eq!(round, [second, (InitialPosition::Fresh, 0), first, second]);
    }

    #[test]
    fn the_last_boards_are_kept_and_drawn() {
        let mut carousel = carousel();
        for number in 0..1005 {
            (carousel.highest_stage, carousel.next_stage) = (0, 1);
            carousel.record(afterstate(6 + u8::from(number >= 3), (number % 60) as u8));
        }
        assert_eq!([0, 1].map(|index| carousel.queues[index].len()), [3, MAX_BOARDS]);
        assert_eq!(carousel.queues[1].front(), Some(&afterstate(7, 5)));
        let mut positions: Vec<InitialPosition> = Vec::new();
        for game in 0..100 {
            carousel.next_stage = 1;
            positions.push(carousel.next(game));
        }
        (0..3).for_each(|number| assert!(positions.contains(&InitialPosition::After(afterstate(6, number)))));
        // A state that is written and read back continues equally.
        let mut state = Vec::new();
        carousel.write(&mut state).expect("memory");
        let mut other = self::carousel();
        other.read(&mut &state[..]).expect("the same");
        assert!((0..9).all(|game| carousel.next(game) == other.next(game)));
        assert_eq!(carousel.queues, other.queues);
        assert!(other.read(&mut &state[..state.len() - 1]).is_err());
    }
}
