//! Progress of a run or a shard by its journal, for `status`.

use std::io::Write;

use gauntlet_core::text::{games, grouped};
use gauntlet_run::broken::{broken, complete};
use gauntlet_run::coverage::Coverage;
use gauntlet_run::failing::{self, without_failing};
use gauntlet_run::judge::Judge;
use gauntlet_run::keyed::KeyedPlan;
use gauntlet_run::plan::Shard;
use gauntlet_run::progress::{Progress, RunState};

use gauntlet_cli::permission::tell_resume;
use gauntlet_cli::say::damaged_lines;

/// Prints the progress of a run or a shard. The end of a shard is known from the judge of all shards.
pub(super) fn tell(
    out: &mut impl Write,
    plan: &KeyedPlan,
    coverage: &Coverage,
    shard: Option<Shard>,
    of_all_shards: Option<&Judge>,
    again: &str,
) -> anyhow::Result<()> {
    let journal = coverage.journal;
    let (rest, own) = without_failing(plan, coverage)?;
    let judge = if shard.is_some() { of_all_shards } else { own.as_ref() };
    let end = judge.and_then(Judge::end).unwrap_or(plan.blocks.len());
    let progress = Progress::of_journal(plan, coverage, shard, end);
    // A duel with one player has no line-up.
    let each = progress.all / plan.lineups.len().max(1) as u64;
    let parts = plan.parts_before(end, shard);
    let broken: Vec<_> = parts.iter().flat_map(|part| broken(plan, coverage, part).0).collect();
    let name = shard.map_or_else(|| "run".to_owned(), |shard| format!("shard {shard}"));
    writeln!(out, "  {name}: {}, {}", progress.part(), progress.state.words())?;
    for (lineup, &played) in progress.lineups.iter().enumerate().filter(|(_, played)| **played < each) {
        writeln!(out, "    {}: {} of {}", plan.title(lineup), grouped(played), grouped(each))?;
    }
    for told in failing::skip_messages(&rest) {
        writeln!(out, "    {told}")?;
    }
    if shard.is_none() {
        tell_stop(out, &rest, judge)?;
    }
    if progress.left() > 0 && shard.is_none() {
        let parts = complete(&rest, &Coverage::of(&rest, journal)?, 0).into_iter();
        let blocks = parts.map(|part| part.end.min(end).saturating_sub(part.start)).sum();
        let [blocks, all] = [blocks, end].map(grouped);
        let whom = match (plan.players.len(), rest.skipped.len()) {
            (1, _) => "",
            (_, 0) => " for all players",
            _ => " for all other players",
        };
        writeln!(
            out,
            "    {blocks} of {all} blocks are complete{whom}; `report` and `compare` use only these"
        )?;
    }
    if progress.left() > 0 && progress.state != RunState::Plays {
        let shard = shard.map_or_else(String::new, |shard| format!(" --shard {shard}"));
        tell_resume(out, &format!("{again}{shard}"), plan)?;
    }
    if !broken.is_empty() {
        let count = games(plan.legs() * broken.len() as u64);
        writeln!(out, "    {count} failed")?;
    }
    if coverage.others() > 0 {
        writeln!(out, "    {} not needed by this version of the experiment", games(coverage.others()))?;
    }
    if let Some(dispute) = &coverage.disputed {
        writeln!(out, "    {}; `gauntlet run` replays the games of both lines", dispute.told)?;
    }
    if journal.damaged() > 0 {
        writeln!(out, "    {} skipped", damaged_lines(journal))?;
    }
    Ok(())
}

/// Prints whether a run that may end early has ended.
pub(super) fn tell_stop(out: &mut impl Write, plan: &KeyedPlan, judge: Option<&Judge>) -> anyhow::Result<()> {
    let Some(judge) = judge else { return Ok(()) };
    match judge.end() {
        Some(end) => {
            let [end, most] = [end, plan.blocks.len()].map(grouped);
            writeln!(out, "    stopped after {end} of at most {most} blocks")?;
        }
        None => writeln!(out, "    {}", judge.stands(|lineup| plan.title(lineup)))?,
    }
    Ok(())
}
