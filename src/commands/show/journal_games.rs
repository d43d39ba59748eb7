//! Reads games from the journal for `gauntlet show`, so that external programs that are not
//! reproducible need not be started. Also detects players that were changed after they had played.

use std::path::Path;

use anyhow::{Context, bail};
use gauntlet_core::record::GameRecord;
use gauntlet_core::text::display_path;
use gauntlet_run::coverage::Coverage;
use gauntlet_run::journal::Journal;
use gauntlet_run::keyed_plan::KeyedPlan;
use gauntlet_run::paths;
use gauntlet_run::plan::Plan;

/// A game with its moves, from the journal.
pub(super) struct JournalGame {
    pub(super) record: GameRecord,
    /// Its moves, separated by spaces.
    pub(super) moves: String,
}

impl JournalGame {
    /// Returns its moves.
    pub(super) fn moves(&self) -> Vec<&str> {
        self.moves.split(' ').filter(|mv| !mv.is_empty()).collect()
    }
}

/// Returns true if a player of this line-up was changed after it had played. Then the journal lacks
/// games of this line-up, but has games of line-ups that are not in the plan.
pub(super) fn has_changed_player(folder: &Path, plan: &Plan, lineup: usize) -> anyhow::Result<bool> {
    let path = paths::journal_path(folder, None);
    if !path.exists() {
        return Ok(false);
    }
    let journal = Journal::peek(&path)?;
    let plan = KeyedPlan::new(plan.clone(), &[&journal])?;
    let is_planned = |key: &str| (0..plan.lineups.len()).any(|lineup| plan.key(lineup) == key);
    let has_games = journal.lines_of(plan.key(lineup)).next().is_some();
    Ok(!has_games && journal.lines().iter().any(|line| !is_planned(&line.key)))
}

/// Finds the games of a line-up on these blocks and legs.
pub(super) fn find_games(
    folder: &Path,
    plan: &Plan,
    lineup: usize,
    block_legs: &[(u64, usize)],
) -> anyhow::Result<Vec<JournalGame>> {
    let title = plan.title(lineup);
    let path = paths::journal_path(folder, None);
    if !path.exists() {
        bail!(
            "no such file: {}; {title} is not reproducible, so only the journal has its moves",
            display_path(&path)
        );
    }
    let journal = Journal::peek(&path)?;
    let plan = KeyedPlan::new(plan.clone(), &[&journal])?;
    let coverage = Coverage::from_journal(&plan, &journal)?;
    let read_one = |&(block, leg): &(u64, usize)| {
        let Some((record, moves)) = coverage.read_game(&plan, lineup, block, leg)? else {
            bail!("block {block} of {title} is not in {}", display_path(&path));
        };
        let moves =
            moves.with_context(|| format!("{} does not have the moves of this game", display_path(&path)))?;
        Ok(JournalGame { record, moves })
    };
    block_legs.iter().map(read_one).collect()
}
