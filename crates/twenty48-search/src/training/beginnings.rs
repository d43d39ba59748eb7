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
const LEAST_MOVES: usize = 10;

/// Maximum number of boards kept per stage: the last ones.
const MOST_KEPT: usize = 1000;

/// Largest rank that a board can have.
const MOST_RANK: u8 = 17;

/// Initial position of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Beginning {
    /// Start by the rules.
    Fresh,
    /// A board of another game.
    Board(Board),
    /// Board after a move of another game.
    After(Afterstate),
}

impl Beginning {
    /// Returns the first board.
    pub(super) fn board(self, world: &mut Rng) -> Board {
        match self {
            Beginning::Fresh => Board::start(world).0,
            Beginning::Board(board) => board,
            Beginning::After(after) => after.spawn(world).0,
        }
    }
}

/// Data of past training games for the initial positions of later ones.
pub(super) enum Beginnings {
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
    kept: Vec<VecDeque<Afterstate>>,
    /// Stage whose turn it is.
    turn: usize,
    /// Highest stage of the game so far.
    highest: usize,
    draws: ChildSeeds,
}

impl Carousel {
    fn next(&mut self, game: u64) -> Beginning {
        // If a stage was not reached yet, the round ends.
        let kept = self.turn.checked_sub(1).map(|at| &self.kept[at]).filter(|kept| !kept.is_empty());
        let beginning = kept.map_or(Beginning::Fresh, |kept| {
            let drawn = self.draws.get(game).rng().below(kept.len() as u64);
            Beginning::After(kept[drawn as usize])
        });
        self.highest = kept.map_or(0, |_| self.turn);
        self.turn = (self.highest + 1) % (self.kept.len() + 1);
        beginning
    }

    #[inline]
    fn record(&mut self, after: Afterstate) {
        let stage = self.stages.stage(after.cells().capped_nibbles().word()) as usize;
        if stage > self.highest {
            self.highest = stage;
            let kept = &mut self.kept[stage - 1];
            if kept.len() >= MOST_KEPT {
                kept.pop_front();
            }
            kept.push_back(after);
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&[self.turn as u8])?;
        for kept in &self.kept {
            out.write_all(&(kept.len() as u16).to_le_bytes())?;
            kept.iter().try_for_each(|after| out.write_all(&after.cells().ranks()))?;
        }
        Ok(())
    }

    fn read(&mut self, from: &mut dyn Read) -> io::Result<()> {
        let mut turn = [0];
        from.read_exact(&mut turn)?;
        self.turn = usize::from(turn[0]).min(self.kept.len());
        for kept in &mut self.kept {
            let mut count = [0; 2];
            from.read_exact(&mut count)?;
            kept.clear();
            for _ in 0..u16::from_le_bytes(count) {
                kept.push_back(Afterstate::new(read_cells(from)?));
            }
        }
        Ok(())
    }
}

impl Beginnings {
    pub(super) fn new(restarts: RestartPolicy, stages: &Stages, seed: Seed) -> Beginnings {
        match restarts {
            RestartPolicy::None => Beginnings::Fresh,
            RestartPolicy::Half => Beginnings::Half { boards: Vec::new(), middle: None },
            RestartPolicy::Carousel => Beginnings::Carousel(Carousel {
                stages: stages.clone(),
                kept: vec![VecDeque::new(); stages.count() as usize - 1],
                turn: 0,
                highest: 0,
                draws: seed.children("carousel"),
            }),
        }
    }

    /// Returns the initial position of the game with this number.
    pub(super) fn next(&mut self, game: u64) -> Beginning {
        match self {
            Beginnings::Fresh => Beginning::Fresh,
            Beginnings::Half { boards, middle } => {
                boards.clear();
                middle.take().map_or(Beginning::Fresh, Beginning::Board)
            }
            Beginnings::Carousel(carousel) => carousel.next(game),
        }
    }

    /// Records a move of that game: the boards before and after it.
    #[inline]
    pub(super) fn record_move(&mut self, board: Board, after: Afterstate) {
        match self {
            Beginnings::Fresh => {}
            Beginnings::Half { boards, .. } => boards.push(board),
            Beginnings::Carousel(carousel) => carousel.record(after),
        }
    }

    /// Records the end of the game.
    pub(super) fn end(&mut self) {
        if let Beginnings::Half { boards, middle } = self
            && boards.len() >= LEAST_MOVES
        {
            *middle = Some(boards[boards.len() / 2]);
        }
    }

    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Beginnings::Fresh => Ok(()),
            // An empty board means none.
            Beginnings::Half { middle, .. } => {
                out.write_all(&middle.map_or([0; 16], |board| board.cells().ranks()))
            }
            Beginnings::Carousel(carousel) => carousel.write(out),
        }
    }

    pub(super) fn read(&mut self, from: &mut dyn Read) -> io::Result<()> {
        match self {
            Beginnings::Fresh => Ok(()),
            Beginnings::Half { middle, .. } => {
                let cells = read_cells(from)?;
                *middle = (cells != Cells::default()).then(|| Board::new(cells));
                Ok(())
            }
            Beginnings::Carousel(carousel) => carousel.read(from),
        }
    }
}

/// Reads a board. Damage is detected by the digest at the end of the file.
fn read_cells(from: &mut dyn Read) -> io::Result<Cells> {
    let mut ranks = [0; 16];
    from.read_exact(&mut ranks)?;
    Ok(Cells::from_ranks(ranks.map(|rank: u8| rank.min(MOST_RANK))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carousel() -> Carousel {
        let stages = Stages::try_from(vec![64, 128]).expect("stages");
        match Beginnings::new(RestartPolicy::Carousel, &stages, Seed::root(1)) {
            Beginnings::Carousel(carousel) => carousel,
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
        let begin = |carousel: &mut Carousel, game| (carousel.next(game), carousel.highest);
        assert_eq!([0, 1].map(|game| begin(&mut carousel, game)), [(Beginning::Fresh, 0); 2]);
        // The first board of a stage in a game is kept, and no other.
        [afterstate(5, 0), afterstate(6, 0), afterstate(6, 1), afterstate(5, 1)]
            .iter()
            .for_each(|seen| carousel.record(*seen));
        let first = (Beginning::After(afterstate(6, 0)), 1);
        assert_eq!([2, 3, 4].map(|game| begin(&mut carousel, game)), [first, (Beginning::Fresh, 0), first]);
        // After the second stage only the third is new.
        [afterstate(6, 2), afterstate(7, 2)].iter().for_each(|seen| carousel.record(*seen));
        let second = (Beginning::After(afterstate(7, 2)), 2);
        let round = [5, 6, 7, 8].map(|game| begin(&mut carousel, game));
        assert_eq!(round, [second, (Beginning::Fresh, 0), first, second]);
    }

    #[test]
    fn the_last_boards_are_kept_and_drawn() {
        let mut carousel = carousel();
        for number in 0..1005 {
            (carousel.highest, carousel.turn) = (0, 1);
            carousel.record(afterstate(6 + u8::from(number >= 3), (number % 60) as u8));
        }
        assert_eq!([0, 1].map(|at| carousel.kept[at].len()), [3, MOST_KEPT]);
        assert_eq!(carousel.kept[1].front(), Some(&afterstate(7, 5)));
        let mut drawn: Vec<Beginning> = Vec::new();
        for game in 0..100 {
            carousel.turn = 1;
            drawn.push(carousel.next(game));
        }
        (0..3).for_each(|number| assert!(drawn.contains(&Beginning::After(afterstate(6, number)))));
        // A state that is written and read back continues equally.
        let mut state = Vec::new();
        carousel.write(&mut state).expect("memory");
        let mut other = self::carousel();
        other.read(&mut &state[..]).expect("the same");
        assert!((0..9).all(|game| carousel.next(game) == other.next(game)));
        assert_eq!(carousel.kept, other.kept);
        assert!(other.read(&mut &state[..state.len() - 1]).is_err());
    }
}
