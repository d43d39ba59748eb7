//! Complete states of games as bytes: copies of environments, and positions of searches.

use gauntlet_core::game::Block;
use gauntlet_core::rng::{Rng, SEED_LIMIT};

use super::{GameVector, STATE_SIZE, Slot, StateError};
use crate::rules::board::Board;
use crate::rules::cells::{Cells, MAX_RANK};
use crate::rules::settings::Rules;
use crate::rules::twenty48::Twenty48;

/// Words of a state: board (2), generator (2), score, moves and flags, seed, own seed, episode.
const WORDS: usize = STATE_SIZE / 8;

const WON_BY_GAIN: u64 = 1;
const IS_OVER: u64 = 2;
const HAS_OWN_SEED: u64 = 4;
const ALL_FLAGS: u64 = WON_BY_GAIN | IS_OVER | HAS_OWN_SEED;

/// Bits above the flags, which contain part of the digest of the rules.
const RULES_BITS: u64 = u32::MAX as u64 & !ALL_FLAGS;

impl Slot {
    fn to_words(&self, rules_digest: u64) -> [u64; WORDS] {
        let board = u128::from_le_bytes(self.game.board().cells().ranks());
        let [a, b] = self.game_rng.state();
        let mut flags = rules_digest & RULES_BITS;
        flags |= u64::from(self.game.won_by_gain) * WON_BY_GAIN;
        flags |= u64::from(self.is_over) * IS_OVER;
        flags |= u64::from(self.own_seed.is_some()) * HAS_OWN_SEED;
        let moves_and_flags = u64::from(self.game.moves) | flags << 32;
        let own_seed = self.own_seed.unwrap_or(0);
        let score = self.game.score();
        [board as u64, (board >> 64) as u64, a, b, score, moves_and_flags, self.seed, own_seed, self.episode]
    }

    fn from_words(rules: &Rules, rules_digest: u64, words: [u64; WORDS]) -> Option<Slot> {
        let [low, high, a, b, score, moves_and_flags, seed, own_seed, episode] = words;
        let ranks = (u128::from(high) << 64 | u128::from(low)).to_le_bytes();
        let flags = moves_and_flags >> 32;
        let is_valid = ranks.iter().all(|&rank| rank <= MAX_RANK)
            && [a, b] != [0, 0]
            && score <= i64::MAX as u64
            && flags & RULES_BITS == rules_digest & RULES_BITS
            && seed < SEED_LIMIT
            && own_seed < SEED_LIMIT
            // A larger number would overflow the number of a block.
            && episode <= u32::MAX.into();
        if !is_valid {
            return None;
        }
        let board = Board::new(Cells::from_ranks(ranks));
        let mut game = Twenty48::with_score(board, score, rules);
        game.moves = moves_and_flags as u32;
        game.won_by_gain = flags & WON_BY_GAIN != 0;
        let own_seed = (flags & HAS_OWN_SEED != 0).then_some(own_seed);
        let mut slot = Slot::new(game, Rng::from_state([a, b]), seed, own_seed, episode);
        if flags & IS_OVER != 0 {
            // An illegal action may have ended the episode.
            slot.end();
        }
        Some(slot)
    }
}

impl GameVector {
    /// Returns the states of all games, [`STATE_SIZE`] bytes each. A state contains the random
    /// stream of its game, and a digest of the rules.
    pub fn states(&self) -> Vec<u8> {
        let words = self.slots.iter().flat_map(|slot| slot.to_words(self.rules_digest));
        words.flat_map(u64::to_le_bytes).collect()
    }

    /// Restores the states of all games, or none of them. The states must be of the same rules. If
    /// a state has no own seed, later episodes follow the experiment of this vector.
    pub fn set_states(&mut self, states: &[u8]) -> Result<(), StateError> {
        if states.len() != STATE_SIZE * self.slots.len() {
            return Err(StateError);
        }
        let slot = |bytes: &[u8]| {
            let mut words = [0; WORDS];
            for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
                *word = u64::from_le_bytes(*bytes);
            }
            Slot::from_words(&self.rules, self.rules_digest, words)
        };
        let slots: Option<Vec<Slot>> = states.chunks_exact(STATE_SIZE).map(slot).collect();
        self.slots = slots.ok_or(StateError)?;
        Ok(())
    }

    /// Replaces the random stream of a game. Without it, all continuations of a state with the same
    /// moves would have the same tiles, so a search would see the future.
    pub fn set_chance(&mut self, game: usize, seed: u64) {
        self.slots[game].game_rng = Block::from_seed(seed).game_seed().rng();
    }

    /// Returns the seed from which the episodes of each game follow.
    pub fn origins(&self) -> impl Iterator<Item = u64> {
        self.slots.iter().map(|slot| slot.own_seed.unwrap_or(self.experiment))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Autoreset, IllegalAction, StepBuffers, StepModes};
    use super::*;

    const MODES: StepModes = StepModes { illegal: IllegalAction::End, autoreset: Autoreset::NextStep };

    fn vector(rules: &Rules, experiment: u64) -> GameVector {
        GameVector::new(rules, MODES, experiment, 3).unwrap()
    }

    fn gain_rules() -> Rules {
        serde_json::from_str(r#"{"win": 32, "win_by": "gain"}"#).unwrap()
    }

    /// Plays these steps, which contain illegal actions, and returns all boards, scores and seeds.
    fn play(vector: &mut GameVector, steps: std::ops::Range<i64>) -> Vec<(Vec<i8>, Vec<u64>, Vec<u64>)> {
        let mut buffers = StepBuffers::new(3);
        let step = |step: i64| {
            vector.step(&[step % 4, step / 3 % 4, step * step % 4], &mut buffers.lend()).unwrap();
            (buffers.boards.clone(), vector.scores().collect(), vector.seeds().collect())
        };
        steps.map(step).collect()
    }

    #[test]
    fn a_restored_game_continues_as_the_saved_one() {
        for rules in [Rules::default(), gain_rules()] {
            let mut saved = vector(&rules, 1);
            saved.reset_to([(1, 77)]);
            let mut restored = vector(&rules, 1);
            let mut over = 0;
            for start in 0..60 {
                play(&mut saved, 7 * start..7 * start + 7);
                over += saved.slots.iter().filter(|slot| slot.is_over).count();
                let states = saved.states();
                restored.set_states(&states).unwrap();
                assert_eq!(restored.states(), states);
                let slots = restored.slots.iter().zip(&saved.slots);
                assert!(slots.into_iter().all(|(a, b)| (&a.game, a.legal) == (&b.game, b.legal)));
                assert_eq!(play(&mut restored, 1..40), play(&mut saved, 1..40));
            }
            assert!(over > 0 && saved.seeds().eq(restored.seeds()));
            assert_eq!(saved.origins().collect::<Vec<_>>(), [1, 77, 1]);
        }
    }

    #[test]
    fn another_stream_of_chance_makes_another_game() {
        let mut games = vector(&Rules::default(), 1);
        let states = games.states();
        let mut continuation = |seed: Option<u64>| {
            games.set_states(&states).unwrap();
            (0..3).for_each(|game| seed.into_iter().for_each(|seed| games.set_chance(game, seed)));
            play(&mut games, 0..1)
        };
        let plain = continuation(None);
        assert_eq!(continuation(None), plain);
        assert_ne!(continuation(Some(5)), plain);
        assert_eq!(continuation(Some(5)), continuation(Some(5)));
    }

    #[test]
    fn bytes_that_are_no_state_change_nothing() {
        let mut games = vector(&Rules::default(), 1);
        let states = games.states();
        let with = |place: usize, bytes: &[u8]| {
            let mut changed = vector(&Rules::default(), 2).states();
            changed[STATE_SIZE + place..][..bytes.len()].copy_from_slice(bytes);
            changed
        };
        let invalid = [
            states[1..].to_vec(),
            states[..2 * STATE_SIZE].to_vec(),
            with(3, &[MAX_RANK + 1]),
            with(16, &[0; 16]),
            with(32, &[255; 8]),
            with(44, &[8]),
            with(55, &[128]),
            with(63, &[128]),
            with(64, &[255; 8]),
            vector(&gain_rules(), 1).states(),
        ];
        for bytes in invalid {
            assert_eq!(games.set_states(&bytes), Err(StateError));
            assert_eq!(games.states(), states);
        }
    }
}
