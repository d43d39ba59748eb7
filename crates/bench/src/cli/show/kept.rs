//! Games of programs that play otherwise each time: the journal keeps their moves, so nothing is started to show them.

use std::path::Path;

use anyhow::{Context, bail};

use crate::cli::exit::Usage;
use crate::plan::Plan;
use crate::record::GameRecord;
use crate::run::coverage::Coverage;
use crate::run::journal::Journal;
use crate::run::keyed::Keyed;
use crate::run::places;
use crate::text::shown;

/// A game as the journal has it.
pub(super) struct Kept {
    pub(super) record: GameRecord,
    /// Its moves, with blanks between them.
    pub(super) moves: String,
}

/// The game of a line-up on this block, in this leg of it.
pub(super) fn find(
    folder: &Path,
    plan: &Plan,
    lineup: usize,
    (block, leg): (Option<u64>, usize),
) -> anyhow::Result<Kept> {
    let title = plan.title(lineup);
    let Some(block) = block else {
        let why = "plays otherwise each time, so there are only its games in the journal: name one of them with --block";
        return Err(Usage(format!("{title} {why}")).into());
    };
    let path = places::path_in(folder, None);
    if !path.exists() {
        bail!(
            "the journal {} is not there, and {title} plays otherwise each time: only the journal has its moves",
            shown(&path)
        );
    }
    let journal = Journal::peek(&path)?;
    let plan = Keyed::of(plan.clone(), &[&journal])?;
    let kept = Coverage::of(&plan, &journal)?.kept(&plan, lineup, block, leg)?;
    let Some((record, moves)) = kept else {
        bail!("block {block} of {title} is not played, as far as {} tells", shown(&path));
    };
    let moves = moves.with_context(|| format!("{} does not hold the moves of this game", shown(&path)))?;
    Ok(Kept { record, moves })
}
