//! Stages of a game, each with its own weights.

use gauntlet_twenty48::rules::PackedLines;
use serde::{Deserialize, Serialize};

/// Sums of a board's distinct tiles at which stages begin, except for the first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u32>", into = "Vec<u32>")]
pub struct Stages(Vec<u32>);

/// Maximum number of stages.
const MAX_STAGES: usize = 16;

/// Largest possible sum: one of each tile up to 32768.
const MAX_SUM: u32 = (1 << 16) - 2;

impl Stages {
    /// Returns true if there is only one stage.
    pub fn has_one_stage(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of stages.
    pub fn count(&self) -> u32 {
        self.0.len() as u32 + 1
    }

    /// Returns the stage of a board with these ranks, four bits each.
    #[inline]
    pub fn stage_of(&self, ranks: u64) -> u32 {
        let tile_sum = PackedLines::new(ranks).different_tiles();
        self.0.iter().filter(|&&sum| tile_sum >= sum).count() as u32
    }
}

impl TryFrom<Vec<u32>> for Stages {
    type Error = String;

    fn try_from(sums: Vec<u32>) -> Result<Stages, String> {
        if sums.len() >= MAX_STAGES {
            return Err(format!("must be at most {} sums of tiles", MAX_STAGES - 1));
        }
        if !sums.iter().all(|sum| (2..=MAX_SUM).contains(sum)) {
            return Err(format!("must be sums of different tiles, from 2 to {MAX_SUM}"));
        }
        if !sums.is_sorted_by(|one, next| one < next) {
            return Err("must be in ascending order".to_owned());
        }
        Ok(Stages(sums))
    }
}

impl From<Stages> for Vec<u32> {
    fn from(stages: Stages) -> Vec<u32> {
        stages.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_has_the_stage_of_its_different_tiles() {
        let stages = Stages::try_from(vec![16, 24, 32768]).expect("stages");
        for (ranks, stage) in [
            (0, 0),
            (0x3321, 0),
            (0x4000_0000_0000_0000, 1),
            (0x4321, 2),
            (0x4444, 1),
            (0x4003, 2),
            (0xEEEE, 2),
            (0xF, 3),
        ] {
            assert_eq!(stages.stage_of(ranks), stage, "{ranks:x}");
        }
        assert_eq!(
            (stages.count(), Stages::default().stage_of(0xFFFF), Stages::default().count()),
            (4, 0, 1)
        );
    }

    #[test]
    fn invalid_stages_are_refused() {
        for (sums, expected) in [
            (vec![32768, 16384], "must be in ascending order"),
            (vec![0], "sums of different tiles, from 2 to 65534"),
            (vec![1 << 16], "sums of different tiles"),
            ((2..20).collect(), "at most 15 sums"),
        ] {
            let message = Stages::try_from(sums).expect_err(expected);
            assert!(message.contains(expected), "{message}");
        }
    }
}
