//! Whether the games of two players are compared in pairs.

use gauntlet_run::sample::Sample;

/// How games are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Games on equal seeds: the number of pairs.
    Paired(u64),
    /// Games on independent seeds: the number of games of each player.
    Independent(u64, u64),
}

/// Word for paired games.
pub const PAIRED: &str = "paired";

impl Pairing {
    /// Pairs games if at least nine tenths of the smaller sample can be paired. Otherwise too many
    /// games would be left out, and all are compared as if on independent seeds.
    pub(super) fn choose(pairs: u64, first: &Sample, second: &Sample) -> Pairing {
        let (one, other) = (first.games(), second.games());
        let is_enough = pairs > 0 && 10 * pairs >= 9 * one.min(other);
        if is_enough { Pairing::Paired(pairs) } else { Pairing::Independent(one, other) }
    }

    pub fn word(self) -> &'static str {
        match self {
            Pairing::Paired(_) => PAIRED,
            Pairing::Independent(..) => "independent",
        }
    }

    /// Returns the number of compared games of each player.
    pub fn games(self) -> [u64; 2] {
        match self {
            Pairing::Paired(games) => [games, games],
            Pairing::Independent(one, other) => [one, other],
        }
    }

    /// Returns the smaller number of games.
    pub(crate) fn smaller_count(self) -> u64 {
        let [one, other] = self.games();
        one.min(other)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use gauntlet_core::game::Outcome;
    use gauntlet_core::measure::Measure;
    use gauntlet_core::record::{Ending, GameRecord};
    use gauntlet_run::blocks::BlockSeeds;
    use gauntlet_run::sample::ExperimentBlocks;
    use gauntlet_run::sample::matched_games::MatchedGames;

    use super::*;

    /// Makes the sample of a player with these seeds and scores. `None` is a game in which the
    /// player's program broke.
    pub(in crate::compare) fn sample(games: &[(u64, Option<u64>)]) -> Sample {
        let blocks = BlockSeeds::Listed(games.iter().map(|(seed, _)| *seed).collect());
        sample_from_blocks(blocks, games.iter().map(|(_, score)| *score))
    }

    /// Makes the sample of a player with these scores, on the blocks of an experiment with this
    /// seed.
    pub(in crate::compare) fn sample_from_seed(seed: u64, scores: &[u64]) -> Sample {
        let games = scores.len() as u64;
        sample_from_blocks(BlockSeeds::Derived { seed, games }, scores.iter().copied().map(Some))
    }

    /// A game is won above 10 points.
    fn sample_from_blocks(blocks: BlockSeeds, scores: impl IntoIterator<Item = Option<u64>>) -> Sample {
        let mut sample = Sample::new(ExperimentBlocks::new(blocks), &[Measure::Win, Measure::Score]);
        for (block, score) in (0..).zip(scores) {
            let record = score.map(|score| GameRecord {
                outcome: Outcome::Points { score, won: score > 10 },
                facts: Default::default(),
                moves: 1,
                ending: Ending::GameOver,
            });
            sample.add(block, record.as_slice());
        }
        sample
    }

    #[test]
    fn nine_of_ten_make_pairs() {
        let games = |first_seed: u64| {
            (first_seed..first_seed + 10).map(|seed| (seed, Some(seed))).collect::<Vec<_>>()
        };
        let samples = [0, 1, 2].map(|first_seed| sample(&games(first_seed)));
        let choose =
            |one: &Sample, other: &Sample| Pairing::choose(MatchedGames::new(one, other).count(), one, other);
        assert_eq!(choose(&samples[0], &samples[1]), Pairing::Paired(9));
        assert_eq!(choose(&samples[0], &samples[2]), Pairing::Independent(10, 10));
        let empty_sample = sample(&[(1, None)]);
        assert_eq!(choose(&empty_sample, &empty_sample), Pairing::Independent(0, 0));
    }
}
