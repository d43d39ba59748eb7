//! Games stepped together, one action each: the engine of environments for reinforcement learning.
//!
//! Each game is exactly the game that [`Twenty48`] plays with the same block seed and the same
//! moves.

use std::collections::TryReserveError;

use gauntlet_core::game::{Block, Game};
use gauntlet_core::rng::{Rng, Seed};

use super::direction::{Direction, Directions};
use super::settings::{IdleMoves, Rules};
use super::twenty48::Twenty48;

mod state;

/// Games stepped together.
#[derive(Debug)]
pub struct GameVector {
    rules: Rules,
    rules_digest: u64,
    modes: StepModes,
    experiment: u64,
    slots: Vec<Slot>,
}

/// What happens at illegal actions and at the end of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepModes {
    /// Effect of an illegal action.
    pub illegal: IllegalAction,
    /// When the next episode begins.
    pub autoreset: Autoreset,
}

/// Effect of an illegal action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllegalAction {
    /// Nothing changes, and the reward is 0.
    Ignore,
    /// The step fails before any game has moved.
    Error,
    /// The episode ends.
    End,
}

/// When the next episode of a game begins, after one has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Autoreset {
    /// With the next step, which ignores the action of this game.
    NextStep,
    /// In the step that ends the episode.
    SameStep,
    /// Never: [`GameVector::reset`] begins it.
    Disabled,
}

/// Game with its random stream.
#[derive(Debug)]
struct Slot {
    game: Twenty48,
    game_rng: Rng,
    /// Points of a vertical slide and of a horizontal one.
    gains: [u64; 2],
    legal: Directions,
    is_over: bool,
    /// Block seed of the first episode, if it was set for this game alone.
    own_seed: Option<u64>,
    /// Number of the current episode.
    episode: u64,
    seed: u64,
}

/// Arrays that a step fills, one row per game.
#[derive(Debug)]
pub struct StepArrays<'a> {
    /// Ranks of sixteen cells, row-major.
    pub boards: &'a mut [i8],
    /// Points of the step.
    pub rewards: &'a mut [f64],
    /// 1 if the step ended the episode.
    pub terminated: &'a mut [u8],
    /// 1 for each legal direction: up, right, down, left.
    pub masks: &'a mut [i8],
    /// The same as bits: up is 1, right 2, down 4, left 8.
    pub bits: &'a mut [u8],
}

/// Last position of an episode whose successor began in the same step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinalPosition {
    /// Number of the game.
    pub game: usize,
    /// Ranks of its cells.
    pub board: [i8; 16],
    /// Points of the episode.
    pub score: u64,
    /// Block seed of the episode.
    pub seed: u64,
}

/// Reason why a step is impossible. No game has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepError {
    /// The action is not a number from 0 to 3.
    NotAnAction(usize),
    /// The action of this game is illegal.
    Illegal(usize),
    /// The episode of this game is over.
    Over(usize),
}

/// Number of bytes of the state of a game.
pub const STATE_SIZE: usize = 72;

/// Bytes that are no state, or states of another number of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateError;

impl Slot {
    fn begin(rules: &Rules, seed: u64, own_seed: Option<u64>, episode: u64) -> Slot {
        let mut game_rng = Block::from_seed(seed).game_seed().rng();
        let game = Twenty48::start(rules, &mut game_rng);
        Slot::new(game, game_rng, seed, own_seed, episode)
    }

    fn new(game: Twenty48, game_rng: Rng, seed: u64, own_seed: Option<u64>, episode: u64) -> Slot {
        let mut slot = Slot {
            game,
            game_rng,
            gains: [0; 2],
            legal: Directions::NONE,
            is_over: false,
            own_seed,
            episode,
            seed,
        };
        slot.update_actions();
        slot
    }

    /// Computes the legal actions and their points.
    #[inline]
    fn update_actions(&mut self) {
        let board = self.game.board();
        match board.slide_effects() {
            Some(effects) if self.game.rules().idle_moves == IdleMoves::Illegal => {
                self.gains = [effects.vertical_gain().into(), effects.horizontal_gain().into()];
                self.legal = effects.legal_directions();
            }
            _ => self.update_actions_by_rules(),
        }
        self.is_over = false;
        if self.legal == Directions::NONE || self.game.is_cut_short() {
            self.end();
        }
    }

    /// Ends the episode.
    fn end(&mut self) {
        self.is_over = true;
        self.legal = Directions::NONE;
    }

    #[cold]
    fn update_actions_by_rules(&mut self) {
        let board = self.game.board();
        self.gains = [board.gain(Direction::Up), board.gain(Direction::Left)];
        self.legal = self.game.legal_directions();
    }

    /// Plays an action, and returns its points.
    #[inline]
    fn play(&mut self, direction: Direction, illegal: IllegalAction) -> f64 {
        if !self.legal.contains(direction) {
            if illegal == IllegalAction::End {
                self.end();
            }
            return 0.0;
        }
        let gain = self.gains[direction as usize & 1];
        self.game.play(direction, &mut self.game_rng).expect("a legal move");
        self.update_actions();
        gain as f64
    }

    #[inline]
    fn board(&self) -> [i8; 16] {
        self.game.board().cells().ranks().map(|rank| rank as i8)
    }
}

/// Owned arrays for the steps of some games.
#[derive(Debug)]
pub struct StepBuffers {
    /// See [`StepArrays::boards`].
    pub boards: Vec<i8>,
    /// See [`StepArrays::rewards`].
    pub rewards: Vec<f64>,
    /// See [`StepArrays::terminated`].
    pub terminated: Vec<u8>,
    /// See [`StepArrays::masks`].
    pub masks: Vec<i8>,
    /// See [`StepArrays::bits`].
    pub bits: Vec<u8>,
}

impl StepBuffers {
    /// Creates arrays for this number of games.
    pub fn new(games: usize) -> StepBuffers {
        StepBuffers {
            boards: vec![0; 16 * games],
            rewards: vec![0.0; games],
            terminated: vec![0; games],
            masks: vec![0; 4 * games],
            bits: vec![0; games],
        }
    }

    /// Returns the arrays for a step to fill.
    pub fn lend(&mut self) -> StepArrays<'_> {
        StepArrays {
            boards: &mut self.boards,
            rewards: &mut self.rewards,
            terminated: &mut self.terminated,
            masks: &mut self.masks,
            bits: &mut self.bits,
        }
    }
}

impl StepArrays<'_> {
    #[inline]
    fn set_position(&mut self, i: usize, slot: &Slot) {
        self.boards[16 * i..][..16].copy_from_slice(&slot.board());
        self.masks[4 * i..][..4].copy_from_slice(&slot.legal.to_bytes().map(|byte| byte as i8));
        self.bits[i] = slot.legal.number() as u8;
    }
}

impl GameVector {
    /// Begins the first episode of this number of games: of n games, game i plays the blocks i,
    /// i + n, i + 2n, … of the experiment with this seed. The error means too little memory.
    pub fn new(
        rules: &Rules,
        modes: StepModes,
        experiment: u64,
        games: usize,
    ) -> Result<GameVector, TryReserveError> {
        let mut slots = Vec::new();
        slots.try_reserve_exact(games)?;
        slots.extend(
            (0..games).map(|game| Slot::begin(rules, Seed::block_seed(experiment, game as u64), None, 0)),
        );
        Ok(GameVector { rules: *rules, rules_digest: rules.digest(), modes, experiment, slots })
    }

    /// Returns the number of games.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns true if there are no games.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Begins the next episode of these games.
    pub fn reset(&mut self, games: impl IntoIterator<Item = usize>) {
        for game in games {
            self.begin_next(game);
        }
    }

    /// Begins an episode with this block seed in each of these games. Episode k after it is block k
    /// of the experiment with that seed.
    pub fn reset_to(&mut self, seeds: impl IntoIterator<Item = (usize, u64)>) {
        for (game, seed) in seeds {
            self.slots[game] = Slot::begin(&self.rules, seed, Some(seed), 0);
        }
    }

    fn begin_next(&mut self, game: usize) {
        let Slot { own_seed, episode, .. } = self.slots[game];
        let episode = episode + 1;
        let seed = match own_seed {
            Some(seed) => Seed::block_seed(seed, episode),
            None => Seed::block_seed(self.experiment, game as u64 + episode * self.slots.len() as u64),
        };
        self.slots[game] = Slot::begin(&self.rules, seed, own_seed, episode);
    }

    /// Writes the current positions; rewards and ends are 0.
    pub fn observe(&self, arrays: &mut StepArrays) {
        for (i, slot) in self.slots.iter().enumerate() {
            arrays.set_position(i, slot);
        }
        arrays.rewards.fill(0.0);
        arrays.terminated.fill(0);
    }

    /// Plays one action in each game. Returns the last positions of episodes whose successors began
    /// in this step.
    pub fn step(
        &mut self,
        actions: &[i64],
        arrays: &mut StepArrays,
    ) -> Result<Vec<FinalPosition>, StepError> {
        self.check(actions)?;
        let StepModes { illegal, autoreset } = self.modes;
        let mut final_positions = Vec::new();
        for (i, &action) in actions.iter().enumerate() {
            let slot = &mut self.slots[i];
            let (mut reward, mut terminated) = (0.0, false);
            if slot.is_over {
                self.begin_next(i);
            } else {
                reward = slot.play(Direction::from_bits(action as u64), illegal);
                terminated = slot.is_over;
            }
            if terminated && autoreset == Autoreset::SameStep {
                let slot = &self.slots[i];
                let (score, seed) = (slot.game.score(), slot.seed);
                final_positions.push(FinalPosition { game: i, board: slot.board(), score, seed });
                self.begin_next(i);
            }
            arrays.set_position(i, &self.slots[i]);
            arrays.rewards[i] = reward;
            arrays.terminated[i] = terminated.into();
        }
        Ok(final_positions)
    }

    fn check(&self, actions: &[i64]) -> Result<(), StepError> {
        let StepModes { illegal, autoreset } = self.modes;
        if autoreset == Autoreset::Disabled
            && let Some(i) = self.slots.iter().position(|slot| slot.is_over)
        {
            return Err(StepError::Over(i));
        }
        let is_invalid = |(slot, action): (&Slot, &i64)| !slot.is_over && !(0..4).contains(action);
        if let Some(i) = self.slots.iter().zip(actions).position(is_invalid) {
            return Err(StepError::NotAnAction(i));
        }
        if illegal == IllegalAction::Error {
            let is_illegal = |(slot, &action): (&Slot, &i64)| {
                !slot.is_over && !slot.legal.contains(Direction::from_bits(action as u64))
            };
            if let Some(i) = self.slots.iter().zip(actions).position(is_illegal) {
                return Err(StepError::Illegal(i));
            }
        }
        Ok(())
    }

    /// Returns the block seeds of the current episodes.
    pub fn seeds(&self) -> impl Iterator<Item = u64> {
        self.slots.iter().map(|slot| slot.seed)
    }

    /// Returns the score of each current episode.
    pub fn scores(&self) -> impl Iterator<Item = u64> {
        self.slots.iter().map(|slot| slot.game.score())
    }

    /// Returns the legal actions of each game, as bits.
    pub fn action_bits(&self) -> impl Iterator<Item = u8> {
        self.slots.iter().map(|slot| slot.legal.number() as u8)
    }

    /// Returns the position of a game.
    pub fn game(&self, game: usize) -> &Twenty48 {
        &self.slots[game].game
    }

    /// Replaces the position of a game.
    pub fn set_game(&mut self, game: usize, position: Twenty48) {
        self.slots[game].game = position;
        self.slots[game].update_actions();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: StepModes = StepModes { illegal: IllegalAction::Ignore, autoreset: Autoreset::NextStep };

    /// Plays random actions, legal or not, next to plain games, and compares all arrays.
    fn compare_with_plain_games(rules: &Rules, own_seeds: &[u64], games: usize, steps: usize) -> u64 {
        let seed_of = |game: usize, episode: u64| match own_seeds.get(game) {
            None => Seed::block_seed(3, game as u64 + episode * games as u64),
            Some(&seed) if episode == 0 => seed,
            Some(&seed) => Seed::block_seed(seed, episode),
        };
        let mut vector = GameVector::new(rules, MODES, 3, games).unwrap();
        vector.reset_to(own_seeds.iter().copied().enumerate());
        let mut arrays = StepBuffers::new(games);
        let begin = |seed| {
            let mut game_rng = Block::from_seed(seed).game_seed().rng();
            (Twenty48::start(rules, &mut game_rng), game_rng)
        };
        let mut reference_games: Vec<_> = (0..games).map(|i| begin(seed_of(i, 0))).collect();
        let mut episodes = vec![0; games];
        let mut rng = Seed::root(7).rng();
        for _ in 0..steps {
            let actions: Vec<i64> = (0..games).map(|_| rng.below(4) as i64).collect();
            vector.step(&actions, &mut arrays.lend()).unwrap();
            for (i, (game, game_rng)) in reference_games.iter_mut().enumerate() {
                let (mut reward, mut is_over) = (0, false);
                if game.to_move().is_none() {
                    episodes[i] += 1;
                    (*game, *game_rng) = begin(seed_of(i, episodes[i]));
                } else {
                    let before = game.score();
                    let direction = Direction::ALL[actions[i] as usize];
                    if game.accepts(direction) {
                        game.play(direction, game_rng).unwrap();
                    }
                    (reward, is_over) = (game.score() - before, game.to_move().is_none());
                }
                assert_eq!(
                    arrays.boards[16 * i..][..16],
                    game.board().cells().ranks().map(|rank| rank as i8)
                );
                assert_eq!((arrays.rewards[i], arrays.terminated[i]), (reward as f64, is_over.into()));
                let is_legal = |direction| !is_over && game.to_move().is_some() && game.accepts(direction);
                assert_eq!(arrays.masks[4 * i..][..4], Direction::ALL.map(|d| i8::from(is_legal(d))));
                let bits = arrays.masks[4 * i..][..4].iter().rev().fold(0, |bits, &bit| 2 * bits + bit as u8);
                assert_eq!(arrays.bits[i], bits);
            }
        }
        assert!(vector.seeds().zip(&episodes).enumerate().all(|(i, (seed, &k))| seed == seed_of(i, k)));
        episodes.iter().sum()
    }

    #[test]
    fn games_are_those_of_the_plain_engine() {
        let default_rules = Rules::default();
        assert!(compare_with_plain_games(&default_rules, &[], 50, 1500) > 100);
        let own_seeds: Vec<u64> = (0..20).map(|i| 3 * i).collect();
        assert!(compare_with_plain_games(&default_rules, &own_seeds, 25, 1000) > 20);
        let early_end_rules: Rules =
            serde_json::from_str(r#"{"win": 64, "until": "win", "idle_moves": "spawn"}"#).unwrap();
        assert!(compare_with_plain_games(&early_end_rules, &[], 50, 300) > 100);
        let start_rules: Rules =
            serde_json::from_str(r#"{"start": "512 256 128 64  8 16 0 0  2 0 0 0  0 0 0 0"}"#).unwrap();
        assert!(compare_with_plain_games(&start_rules, &[], 50, 300) > 100);
    }

    #[test]
    fn large_tiles_merge() {
        let rules = Rules::default();
        let mut vector = GameVector::new(&rules, MODES, 1, 1).unwrap();
        let text = "65536 65536 0 0 32768 32768 0 0 2 4 8 16 2 4 8 16";
        vector.set_game(0, Twenty48::set_up(&rules, text, None).unwrap());
        let mut arrays = StepBuffers::new(1);
        vector.observe(&mut arrays.lend());
        assert_eq!((&arrays.boards[..6], arrays.bits[0]), (&[16, 16, 0, 0, 15, 15][..], 0b1111));
        vector.step(&[3], &mut arrays.lend()).unwrap();
        assert_eq!((arrays.boards[0], arrays.boards[4], arrays.rewards[0]), (17, 16, 196_608.0));
    }

    #[test]
    fn illegal_actions_do_as_their_mode_says() {
        let rules = Rules::default();
        let begin = |illegal| {
            let modes = StepModes { illegal, ..MODES };
            let mut vector = GameVector::new(&rules, modes, 1, 2).unwrap();
            for game in 0..2 {
                let board = Twenty48::set_up(&rules, "2 4 8 16 0 0 0 0 0 0 0 0 0 0 0 0", None).unwrap();
                vector.set_game(game, board);
            }
            vector
        };
        let mut arrays = StepBuffers::new(2);
        let mut vector = begin(IllegalAction::Ignore);
        vector.step(&[2, 0], &mut arrays.lend()).unwrap();
        assert_eq!((&arrays.terminated[..], vector.game(1).board().cells().count_empty()), (&[0, 0][..], 12));
        let mut vector = begin(IllegalAction::Error);
        assert_eq!(vector.step(&[2, 0], &mut arrays.lend()), Err(StepError::Illegal(1)));
        assert_eq!(vector.game(0).board().cells().count_empty(), 12);
        let mut vector = begin(IllegalAction::End);
        vector.step(&[2, 0], &mut arrays.lend()).unwrap();
        assert_eq!((&arrays.terminated[..], &arrays.masks[4..]), (&[0, 1][..], &[0; 4][..]));
        // The action of a game whose next episode begins is ignored.
        assert!(vector.step(&[2, -1], &mut arrays.lend()).is_ok());
        assert_eq!(vector.step(&[2, 4], &mut arrays.lend()), Err(StepError::NotAnAction(1)));
        assert!(GameVector::new(&rules, MODES, 1, 1 << 60).is_err());
    }

    #[test]
    fn episodes_follow_each_other_as_their_mode_says() {
        let rules = Rules::default();
        let board_text = "2 4 2 4 4 2 4 2 16 4 8 4 8 2 16 16";
        let begin = |autoreset| {
            let mut vector = GameVector::new(&rules, StepModes { autoreset, ..MODES }, 1, 1).unwrap();
            vector.set_game(0, Twenty48::set_up(&rules, board_text, None).unwrap());
            vector
        };
        let mut arrays = StepBuffers::new(1);
        let mut vector = begin(Autoreset::SameStep);
        let final_positions = vector.step(&[1], &mut arrays.lend()).unwrap();
        assert_eq!((arrays.terminated[0], arrays.rewards[0], final_positions[0].game), (1, 32.0, 0));
        assert_eq!(final_positions[0].board[15], 5);
        assert_eq!(vector.seeds().next(), Some(Seed::block_seed(1, 1)));
        let mut vector = begin(Autoreset::NextStep);
        assert_eq!(vector.step(&[1], &mut arrays.lend()), Ok(Vec::new()));
        assert_eq!((arrays.terminated[0], arrays.bits[0], arrays.boards[15]), (1, 0, 5));
        vector.step(&[1], &mut arrays.lend()).unwrap();
        assert_eq!((arrays.terminated[0], arrays.rewards[0]), (0, 0.0));
        let mut vector = begin(Autoreset::Disabled);
        vector.step(&[1], &mut arrays.lend()).unwrap();
        assert_eq!(vector.step(&[1], &mut arrays.lend()), Err(StepError::Over(0)));
        vector.reset(0..1);
        assert_eq!(vector.seeds().next(), Some(Seed::block_seed(1, 1)));
        assert!(vector.step(&[1], &mut arrays.lend()).is_ok());
    }
}
