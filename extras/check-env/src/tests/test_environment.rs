//! An environment with a switch for each fault. It shares no code with the referee.

use gauntlet_core::rng::{Rng, Seed};
use gauntlet_twenty48::rules::Direction;

use crate::{CellKind, Environment, Failure, Observation, Reset, Step};

/// Fault of the test environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Switch {
    Sound,
    NeverFour,
    ManyFours,
    MaskAllowsAll,
    MaskIgnoresMerges,
    MaskInOtherOrder,
    MaskOfBoardBefore,
    CapAt15,
    CapRaises,
    StaleCount,
    StaleCountByColumn,
    LastCellNeverFilled,
    CornerNeverFilled,
    CornerRarelyFilled,
    NoNewTile,
    TwoNewTiles,
    TileAfterIdle,
    RewardTileSum,
    RewardHalved,
    RewardScore,
    MergedTwice,
    MergedAgain,
    MergedAtWrongEnd,
    OneMergePerLine,
    OneStartTile,
    OneStartTileAtTimes,
    BiasedStart,
    SecondCellFromFirst,
    EqualStartValues,
    ValueFromCell,
    EveryTenthFour,
    EndsAt2048,
    TruncatedAt2048,
    TruncatedAt200,
    EndsTooLate,
    EndsWhenFull,
    SharedObservation,
    ResetInsideStep,
    SeedIgnored,
    SeedsAlike,
    Raises,
    StepsRaise,
    ResetsRaise,
    LeftRaises,
    LeftIgnored,
    AllIgnored,
    LeftSlidesUp,
    NoReward,
    NoRewardAtTimes,
    EndsBeforeTileAt2048,
    TruncatedBeforeTileAt2048,
    TruncatedAt30,
    IllegalRaises,
    IllegalEnds,
    IllegalEndsWithTile,
}

/// Test environment.
pub(super) struct TestEnvironment {
    pub(super) switch: Switch,
    pub(super) order: Vec<Direction>,
    pub(super) kind: CellKind,
    pub(super) has_mask: bool,
    pub(super) can_set: bool,
    pub(super) planes: usize,
    ranks: [u8; 16],
    earlier: [u8; 16],
    game_rng: Rng,
    /// Source of games without a seed.
    seed_rng: Rng,
    score: u64,
    moves: u64,
    tiles: u64,
}

impl TestEnvironment {
    pub(super) fn new(switch: Switch, seed: u64) -> TestEnvironment {
        TestEnvironment {
            switch,
            order: vec![Direction::Left, Direction::Up, Direction::Right, Direction::Down],
            kind: CellKind::Values,
            has_mask: true,
            can_set: false,
            planes: 18,
            ranks: [0; 16],
            earlier: [0; 16],
            game_rng: Seed::root(seed).rng(),
            seed_rng: Seed::root(seed).child("source", 0).rng(),
            score: 0,
            moves: 0,
            tiles: 0,
        }
    }

    fn observation_of(&self, ranks: [u8; 16]) -> Observation {
        let value = |rank: u8| if rank == 0 { 0.0 } else { f64::from(1_u32 << rank) };
        match self.kind {
            CellKind::Values => {
                Observation { numbers: ranks.iter().map(|&rank| value(rank)).collect(), shape: vec![4, 4] }
            }
            CellKind::Ranks => {
                Observation { numbers: ranks.iter().map(|&rank| rank.into()).collect(), shape: vec![1, 16] }
            }
            CellKind::Planes => {
                let mut numbers = vec![0.0; 16 * self.planes];
                for (cell, &rank) in ranks.iter().enumerate() {
                    numbers[cell * self.planes + usize::from(rank)] = 1.0;
                }
                Observation { numbers, shape: vec![4, 4, self.planes] }
            }
        }
    }

    /// Cells of the lines of a direction, each from the wall.
    fn lines(direction: Direction) -> [[usize; 4]; 4] {
        std::array::from_fn(|line| {
            std::array::from_fn(|index| match direction {
                Direction::Left => 4 * line + index,
                Direction::Right => 4 * line + 3 - index,
                Direction::Up => 4 * index + line,
                Direction::Down => 4 * (3 - index) + line,
            })
        })
    }

    /// Slides one line: returns its tiles from the wall, and the points.
    fn merge_line(&self, mut tiles: Vec<u8>) -> (Vec<u8>, u64) {
        let mut points = 0;
        let is_wrong_end = self.switch == Switch::MergedAtWrongEnd;
        if is_wrong_end {
            tiles.reverse();
        }
        let mut merged_tiles: Vec<(u8, bool)> = Vec::new();
        let mut is_first = true;
        for rank in tiles {
            let may_merge = self.switch != Switch::OneMergePerLine || is_first;
            match merged_tiles.last_mut() {
                Some(last)
                    if last.0 == rank && may_merge && (!last.1 || self.switch == Switch::MergedTwice) =>
                {
                    let is_capped = self.switch == Switch::CapAt15 && last.0 == 15;
                    last.0 += u8::from(!is_capped);
                    last.1 = true;
                    points += 1 << last.0;
                    is_first = false;
                }
                _ => merged_tiles.push((rank, false)),
            }
        }
        let mut line_tiles: Vec<u8> = merged_tiles.into_iter().map(|(rank, _)| rank).collect();
        if self.switch == Switch::MergedAgain && line_tiles.windows(2).any(|pair| pair[0] == pair[1]) {
            return self.merge_line(line_tiles);
        }
        if is_wrong_end {
            line_tiles.reverse();
        }
        (line_tiles, points)
    }

    fn slide(&self, direction: Direction) -> ([u8; 16], u64) {
        let mut ranks = [0; 16];
        let mut points = 0;
        for line in Self::lines(direction) {
            let tiles = line.iter().map(|&cell| self.ranks[cell]).filter(|&rank| rank != 0).collect();
            let (tiles, line_points) = self.merge_line(tiles);
            points += line_points;
            for (index, rank) in tiles.into_iter().enumerate() {
                ranks[line[index]] = rank;
            }
        }
        (ranks, points)
    }

    fn can_slide(&self, direction: Direction) -> bool {
        self.slide(direction).0 != self.ranks
    }

    fn is_over(&self) -> bool {
        !Direction::ALL.into_iter().any(|direction| self.can_slide(direction))
    }

    /// Adds a tile; `empty_before` is the number of empty cells before the move.
    fn add_tile(&mut self, empty_before: u64) {
        let columns = (0..16).map(|index| 4 * (index % 4) + index / 4);
        let order: Vec<usize> =
            if self.switch == Switch::StaleCountByColumn { columns.collect() } else { (0..16).collect() };
        let mut empty: Vec<usize> = order.into_iter().filter(|&cell| self.ranks[cell] == 0).collect();
        match self.switch {
            Switch::StaleCount | Switch::StaleCountByColumn => empty.truncate(empty_before as usize),
            Switch::LastCellNeverFilled => _ = empty.pop(),
            Switch::CornerNeverFilled => empty.retain(|&cell| cell != 15),
            Switch::CornerRarelyFilled if empty.len() > 1 => empty.retain(|&cell| cell != 15),
            _ => {}
        }
        if empty.is_empty() {
            return;
        }
        let sample = self.game_rng.unit();
        let cell = empty[(sample * empty.len() as f64) as usize];
        self.tiles += 1;
        self.ranks[cell] = match self.switch {
            Switch::ValueFromCell => 1 + u8::from(sample < 0.1),
            Switch::EveryTenthFour => 1 + u8::from(self.tiles.is_multiple_of(10)),
            _ => self.tile(),
        };
    }

    fn tile(&mut self) -> u8 {
        let four_percent = match self.switch {
            Switch::NeverFour => 0,
            Switch::ManyFours => 12,
            _ => 10,
        };
        if self.game_rng.below(100) < four_percent { 2 } else { 1 }
    }

    fn begin(&mut self) {
        self.ranks = [0; 16];
        self.score = 0;
        self.moves = 0;
        self.tiles = 0;
        let first = self.game_rng.below(if self.switch == Switch::BiasedStart { 12 } else { 16 }) as usize;
        self.ranks[first] = self.tile();
        let mut second = self.game_rng.below(15) as usize;
        second += usize::from(second >= first);
        match self.switch {
            Switch::OneStartTile => return,
            Switch::OneStartTileAtTimes => second = self.game_rng.below(16) as usize,
            Switch::SecondCellFromFirst => second = (first + 5) % 16,
            Switch::EqualStartValues => {
                self.ranks[second] = self.ranks[first];
                return;
            }
            _ => {}
        }
        self.ranks[second] = self.tile();
    }

    fn mask(&self) -> Option<Vec<bool>> {
        let is_legal = |&direction: &Direction| match self.switch {
            Switch::MaskAllowsAll => true,
            Switch::MaskIgnoresMerges => Self::lines(direction)
                .iter()
                .any(|line| line.windows(2).any(|pair| self.ranks[pair[0]] == 0 && self.ranks[pair[1]] != 0)),
            _ => self.can_slide(direction),
        };
        let order = if self.switch == Switch::MaskInOtherOrder { &Direction::ALL[..] } else { &self.order };
        self.has_mask.then(|| order.iter().map(is_legal).collect())
    }

    fn observe(&self) -> Reset {
        Reset { observation: self.observation_of(self.ranks), mask: self.mask() }
    }

    fn has_reward(&self) -> bool {
        self.switch != Switch::NoReward
            && (self.switch != Switch::NoRewardAtTimes || !self.moves.is_multiple_of(7))
    }

    fn reward(&self, points: u64) -> f64 {
        let sum: u64 = self.ranks.iter().filter(|&&rank| rank != 0).map(|&rank| 1 << rank).sum();
        match self.switch {
            Switch::RewardTileSum => sum as f64,
            Switch::RewardHalved => points as f64 / 2.0,
            Switch::RewardScore => self.score as f64,
            _ => points as f64,
        }
    }

    fn step_without_move(&mut self) -> Result<Step, Failure> {
        if self.switch == Switch::IllegalRaises {
            return Err(Failure::Raised("ValueError: illegal".to_owned()));
        }
        if matches!(self.switch, Switch::TileAfterIdle | Switch::IllegalEndsWithTile) {
            self.add_tile(16);
        }
        let Reset { observation, mask } = self.observe();
        let ends = matches!(self.switch, Switch::IllegalEnds | Switch::IllegalEndsWithTile);
        let terminated = self.is_over() || ends;
        Ok(Step { observation, reward: self.has_reward().then_some(0.0), terminated, truncated: false, mask })
    }
}

impl Environment for TestEnvironment {
    fn actions(&self) -> usize {
        self.order.len()
    }

    fn reset(&mut self, seed: Option<u64>) -> Result<Reset, Failure> {
        if self.switch == Switch::ResetsRaise {
            return Err(Failure::Raised("OSError: no file".to_owned()));
        }
        self.game_rng = match (seed, self.switch) {
            (None, _) | (_, Switch::SeedIgnored) => Seed::root(self.seed_rng.bits()).rng(),
            (_, Switch::SeedsAlike) => Seed::root(5).rng(),
            (Some(seed), _) => Seed::root(seed).rng(),
        };
        self.begin();
        Ok(self.observe())
    }

    fn step(&mut self, action: usize) -> Result<Step, Failure> {
        self.earlier = self.ranks;
        let earlier_mask = self.mask();
        let mut direction = self.order[action];
        let is_left = direction == Direction::Left;
        match self.switch {
            Switch::StepsRaise => return Err(Failure::Raised("TypeError: always".to_owned())),
            Switch::LeftRaises if is_left => return Err(Failure::Raised("TypeError: left".to_owned())),
            Switch::LeftIgnored if is_left => return self.step_without_move(),
            Switch::AllIgnored => return self.step_without_move(),
            Switch::LeftSlidesUp if is_left => direction = Direction::Up,
            _ => {}
        }
        if !self.can_slide(direction) {
            return self.step_without_move();
        }
        let empty_before = self.ranks.iter().filter(|&&rank| rank == 0).count() as u64;
        let (ranks, points) = self.slide(direction);
        self.ranks = ranks;
        let largest = self.ranks.into_iter().max().unwrap_or(0);
        if self.switch == Switch::CapRaises && largest > 15 {
            return Err(Failure::Raised("IndexError: index 16 is out of bounds".to_owned()));
        }
        if self.switch == Switch::Raises && self.game_rng.below(500) == 0 {
            return Err(Failure::Raised("RuntimeError: at times".to_owned()));
        }
        self.score += points;
        self.moves += 1;
        let has_2048 = largest >= 11;
        match self.switch {
            Switch::EndsBeforeTileAt2048 | Switch::TruncatedBeforeTileAt2048 if has_2048 => {}
            Switch::NoNewTile if self.moves.is_multiple_of(3) => {}
            Switch::TwoNewTiles => {
                self.add_tile(empty_before);
                self.add_tile(empty_before);
            }
            _ => self.add_tile(empty_before),
        }
        let is_full = self.ranks.iter().all(|&rank| rank != 0);
        let terminated = match self.switch {
            Switch::EndsTooLate => false,
            Switch::EndsAt2048 | Switch::EndsBeforeTileAt2048 => self.is_over() || has_2048,
            Switch::EndsWhenFull => is_full,
            _ => self.is_over(),
        };
        let reward = self.has_reward().then(|| self.reward(points));
        if self.switch == Switch::ResetInsideStep && terminated {
            self.begin();
        }
        let Reset { observation, mask } = self.observe();
        let truncated = match self.switch {
            Switch::TruncatedAt2048 | Switch::TruncatedBeforeTileAt2048 => has_2048,
            Switch::TruncatedAt30 => self.moves >= 30,
            Switch::TruncatedAt200 => self.moves >= 200,
            _ => false,
        };
        let mask = if self.switch == Switch::MaskOfBoardBefore { earlier_mask } else { mask };
        Ok(Step { observation, reward, terminated, truncated, mask })
    }

    fn set_board(&mut self, board: &Observation) -> Result<Option<Reset>, Failure> {
        if !self.can_set {
            return Ok(None);
        }
        assert_eq!(self.kind, CellKind::Values, "set boards are values");
        self.ranks = std::array::from_fn(|cell| match board.numbers[cell] as u32 {
            0 => 0,
            value => value.ilog2() as u8,
        });
        Ok(Some(self.observe()))
    }

    fn earlier_observation(&mut self) -> Option<Observation> {
        let ranks = if self.switch == Switch::SharedObservation { self.ranks } else { self.earlier };
        Some(self.observation_of(ranks))
    }
}
