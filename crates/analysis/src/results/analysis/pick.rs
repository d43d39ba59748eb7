//! Selects a game to look at: the worst, the best, or the median one.

use anyhow::bail;
use gauntlet_core::text::display_path;

use crate::results::store::read::Results;

/// Which of a player's games to select, by score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GamePick {
    /// The game with the lowest score.
    Worst,
    /// The game with the highest score.
    Best,
    /// The median game; the lower one if there are two.
    Median,
}

/// A selected game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickedGame {
    pub block: u64,
    pub score: u64,
    /// Number of games that it was selected from.
    pub candidate_count: u64,
}

/// Selects a game of a solo player from its results; the first one if scores are equal. Games that
/// failed are skipped.
pub fn pick(results: &Results, player: &str, choice: GamePick) -> anyhow::Result<PickedGame> {
    let plan = results.plan();
    let Some(player_index) = plan.players.iter().position(|candidate| candidate.name == player) else {
        bail!("{} have no player `{player}`", display_path(&results.folder));
    };
    let mut games: Vec<(u64, u64)> = Vec::new();
    results.visit_blocks(&plan, &mut |lineup, block, legs| {
        if let ([record], true) = (legs, plan.lineups[lineup].members() == [player_index]) {
            games.push((record.score(), block));
        }
    })?;
    let Some(last) = games.len().checked_sub(1) else {
        bail!("{} has no games of {player}", display_path(&results.folder));
    };
    let (score, block) = match choice {
        GamePick::Worst => *games.iter().min().expect("there is a game"),
        GamePick::Best => {
            *games.iter().max_by_key(|&&(score, block)| (score, u64::MAX - block)).expect("there is a game")
        }
        GamePick::Median => *games.select_nth_unstable(last / 2).1,
    };
    Ok(PickedGame { block, score, candidate_count: games.len() as u64 })
}
