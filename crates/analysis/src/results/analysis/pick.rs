//! One game of many to be looked at: the worst, the best, or the one in the middle.

use anyhow::bail;
use gauntlet_core::text::shown;

use crate::results::store::read::Results;

/// Choice of one of a player's games, by score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The one of the lowest score.
    Worst,
    /// The one of the highest score.
    Best,
    /// The one in the middle; of two the lower one.
    Median,
}

/// A game that was picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picked {
    /// Its block.
    pub block: u64,
    /// Its score.
    pub score: u64,
    /// Number of games that it was picked of.
    pub of: u64,
}

/// Picks a game of a solo player from its results; of equal scores the first. Games that broke
/// their player's program are left out.
pub fn pick(results: &Results, player: &str, which: Pick) -> anyhow::Result<Picked> {
    let plan = results.experiment.plan();
    let Some(place) = plan.players.iter().position(|known| known.name == player) else {
        bail!("{} have no player `{player}`", shown(&results.folder));
    };
    let mut games: Vec<(u64, u64)> = Vec::new();
    results.hear(&plan, |lineup, block, legs| {
        // Of a solo game, players and line-ups have the same numbers.
        if let ([record], true) = (legs, lineup == place) {
            games.push((record.score(), block));
        }
    })?;
    let Some(last) = games.len().checked_sub(1) else {
        bail!("{} hold no game of {player}", shown(&results.folder));
    };
    let (score, block) = match which {
        Pick::Worst => *games.iter().min().expect("there is a game"),
        Pick::Best => {
            *games.iter().max_by_key(|&&(score, block)| (score, u64::MAX - block)).expect("there is a game")
        }
        Pick::Median => *games.select_nth_unstable(last / 2).1,
    };
    Ok(Picked { block, score, of: games.len() as u64 })
}
