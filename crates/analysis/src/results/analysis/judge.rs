//! Re-evaluates verdicts from existing games, by the rules of this version of the program, for the
//! present claims and published numbers of the experiment. Nothing is played, and no journal is
//! needed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use gauntlet_core::disk::{Disk, system_disk};
use gauntlet_core::record::GameRecord;
use gauntlet_core::table::{Table, TypedRow};
use gauntlet_core::text::{display_path, format_games, group_digits};
use gauntlet_run::failing_players;
use gauntlet_run::journal::Journal;
use gauntlet_run::judge::{Judge, StopResult};
use gauntlet_run::plan::Plan;
use gauntlet_run::sample::{ExperimentBlocks, Sample};
use gauntlet_run::tally::csv_tally::{is_broken, tally_rows};
use gauntlet_run::tally::player_times::{PlayerTimes, ThinkingTime};
use gauntlet_run::tally::{BlockObserver, Tally};
use gauntlet_run::{machine, paths};

use crate::compare::VERDICT_TABLES;
use crate::compare::claims::ClaimSamples;
use crate::config::Experiment;
use crate::config::published::PublishedNumber;
use crate::results::store::command::ManifestCommand;
use crate::results::store::folder::has_tables;
use crate::results::store::manifest::{self, Manifest, ReevaluationKeys, ResultsKind, RunKeys};
use crate::results::store::read::Results;
use crate::results::store::replacement::FolderTransaction;
use crate::results::store::snapshot::GAMES_CSV;
use crate::results::store::write::RunReport;
use crate::results::tables::SETTINGS;
use crate::results::tables::artifacts::{ExperimentSums, ResultTables, assemble};
use crate::results::tables::duels::{DUELS, ELO};
use crate::results::tables::times::{MoveTimeRow, TimeRow};

/// Suggestion if the games of a folder do not match the experiment.
const PLAY: &str = "play the experiment with `gauntlet run`";

/// Replaces the tables of verdicts in a folder of results, atomically, together with the experiment
/// and the manifest. `command` reproduces the result. The report has only these tables.
pub fn judge(experiment: &Experiment, folder: &Path, command: &str) -> anyhow::Result<RunReport> {
    judge_on_disk(&system_disk(), experiment, folder, command)
}

/// Replaces the tables of verdicts, on a given file system.
pub fn judge_on_disk(
    disk: &Arc<dyn Disk>,
    experiment: &Experiment,
    folder: &Path,
    command: &str,
) -> anyhow::Result<RunReport> {
    let place = display_path(folder);
    ensure!(has_tables(&**disk, folder), "{place} has no results; {PLAY}");
    let mut files = FolderTransaction::begin(disk, folder)?;
    // A run in progress would replace the verdicts by its own. A run that starts later waits for
    // the folder.
    drop(Journal::lock(&**disk, &paths::journal_path(folder, None))?);
    let results = Results::read_for_judging(experiment.catalog(), disk, folder, experiment)?;
    if let Some(difference) = describe_difference(&results.experiment, experiment) {
        bail!("the games in {place} were played with {difference}; {PLAY}");
    }

    let plan = results.run.plan(experiment);
    let mut samples = ClaimSamples::new(&plan, &experiment.sections().claims);
    let (tallies, blocks, stop_result) = sum_games(&results, &plan, &mut samples)?;
    let plan = plan.limit_to_first(blocks);
    let evaluation = record_evaluation(&results, experiment, command);
    let experiment_sums = ExperimentSums {
        plan: &plan,
        samples: &samples,
        is_whole: true,
        stop_result: stop_result.as_ref(),
        rules: results.run.rules(),
        earlier_looks: results.run.earlier_answers(&plan, plan.legs() * plan.blocks.len()),
        tallies: &tallies,
        sessions: &[],
        cores: results.manifest().cores,
        added_claims: &evaluation.added_claims,
        repeated_claims: &results.run.repeated_claims,
    };
    let ResultTables { sums, data, verdicts, mut warnings } = assemble(&experiment_sums, experiment)?;
    files.add_tables(verdicts.iter(), VERDICT_TABLES.into_iter())?;
    // Ratings are relative to the anchor, which may have changed.
    let is_rated = |table: &&Table| [ELO, DUELS].contains(&table.name);
    let settings = data.iter().filter(|table| table.name == SETTINGS);
    files.add_tables(sums.iter().filter(is_rated).chain(settings), std::iter::empty())?;
    warnings.splice(0..0, failing_players::skip_messages(&plan));
    for (message, items) in [
        ("a claim was removed after the games were played", &evaluation.removed_claims),
        ("a published number was removed after the games were played", &evaluation.removed_published),
    ] {
        warnings.extend(items.iter().map(|one| format!("{message}: {one}")));
    }
    // The manifest's facts about the games do not change.
    let run = RunKeys { judged: Some(evaluation), ..results.run.clone() };
    let experiment_digest = manifest::experiment_digest(experiment);
    let manifest =
        Manifest { kind: ResultsKind::Run(Box::new(run)), experiment_digest, ..results.manifest().clone() };
    files.replace(experiment, &mut { manifest })?;
    Ok(RunReport { warnings, tables: verdicts, ..RunReport::default() })
}

/// Sums the games of some results; also returns the number of blocks and the state of the `[stop]`.
/// Fails if they are not the games of the plan.
fn sum_games(
    results: &Results,
    plan: &Plan,
    samples: &mut ClaimSamples,
) -> anyhow::Result<(Vec<Tally>, u64, Option<StopResult>)> {
    let mut replay = Judge::new(plan)
        .map(|judge| StopReplay::new(judge, ExperimentBlocks::new(plan.blocks.clone().into_owned())));
    let csv = results.folder.join(GAMES_CSV);
    let needed: Vec<bool> = (0..plan.lineups.len()).map(|lineup| samples.needs(lineup)).collect();
    let (mut tallies, blocks) = results.read_games(|csv_bytes| {
        let result = tally_rows(plan, csv_bytes, &mut |lineup, block, legs| {
            if let Some(replay) = &mut replay {
                replay.add_games(lineup, block, legs);
            }
            if needed[lineup] && !is_broken(legs) {
                samples.on_blocks(lineup, block, legs);
            }
        });
        result.with_context(|| {
            format!("{} does not contain the games of the experiment; {PLAY}", display_path(&csv))
        })
    })?;
    let stop_result = replay.map(|replay| replay.result(blocks));
    let needed_blocks = stop_result.as_ref().and_then(StopResult::end).unwrap_or(plan.blocks.len());
    ensure!(
        blocks == needed_blocks,
        "{} has {} per player, but the experiment needs {}; {PLAY}",
        display_path(&csv),
        format_games(blocks),
        group_digits(needed_blocks)
    );
    let mut clocks = read_times(results)?;
    for (player, tally) in plan.players.iter().zip(&mut tallies) {
        tally.move_times = clocks.remove(player.name).unwrap_or_default();
    }
    Ok((tallies, blocks, stop_result))
}

/// Returns the thinking time of players. Some committed results have no times by parts of the run,
/// only means.
fn read_times(results: &Results) -> anyhow::Result<BTreeMap<String, PlayerTimes>> {
    let mut clocks = results.read_times()?;
    if results.table(TimeRow::NAME)?.is_none() {
        for row in results.rows::<MoveTimeRow>()? {
            let (moves, Some(ms)) = (row.moves, row.cpu_ms_per_move) else { continue };
            let ns = (1e6 * ms.value * moves as f64).round() as u64;
            let thinking = ThinkingTime { moves, ns, ..ThinkingTime::default() };
            clocks.entry(row.player).or_default().strata.insert((0, 0), thinking);
        }
    }
    Ok(clocks)
}

/// Games of the line-ups that could end the run. `games.csv` has them line-up by line-up, and they
/// are judged block by block.
struct StopReplay {
    judge: Judge,
    /// One sample for each line-up that the judge needs. A single line-up is judged directly,
    /// without a sample.
    samples: Vec<Sample>,
}

impl StopReplay {
    fn new(judge: Judge, blocks: Arc<ExperimentBlocks>) -> StopReplay {
        let sample = |_: &usize| Sample::new(Arc::clone(&blocks), &[judge.measure()]);
        let needed_lineups = judge.lineups().iter().filter(|_| judge.lineups().len() > 1);
        StopReplay { samples: needed_lineups.map(sample).collect(), judge }
    }

    fn add_games(&mut self, lineup: usize, block: u64, legs: &[GameRecord]) {
        if self.samples.is_empty() {
            self.judge.add_games(|judged_lineup| judged_lineup == lineup, block, legs);
        }
        for (judged_lineup, sample) in self.judge.lineups().iter().zip(&mut self.samples) {
            if *judged_lineup == lineup && !is_broken(legs) {
                sample.add(block, legs);
            }
        }
    }

    fn result(self, blocks: u64) -> StopResult {
        let StopReplay { mut judge, samples } = self;
        let measure = judge.measure();
        for block in (0..blocks).filter(|_| !samples.is_empty()) {
            judge.add_block(block, samples.iter().map(|sample| sample.result(measure, block as usize)));
        }
        judge.stop_result()
    }
}

/// Describes how the games of an earlier version of an experiment differ from those of the present
/// one, apart from their number and seeds. `None` if they do not differ.
fn describe_difference(earlier: &Experiment, current: &Experiment) -> Option<String> {
    let names = |experiment: &Experiment| -> Vec<String> {
        experiment.players().iter().map(|entry| entry.name.clone()).collect()
    };
    let rules = |experiment: &Experiment| {
        (experiment.rules().settings.clone(), experiment.max_moves(), experiment.max_seconds())
    };
    if earlier.name() != current.name() || earlier.arena().name != current.arena().name {
        return Some(format!("the experiment {} of the game {}", earlier.name(), earlier.arena().name));
    }
    if rules(earlier) != rules(current) {
        return Some("other rules".to_owned());
    }
    if let Some(section) = earlier.find_games_difference(current) {
        return Some(format!("another `[{section}]`"));
    }
    if names(earlier) != names(current) {
        return Some(format!("the players {}", names(earlier).join(", ")));
    }
    let mut players = earlier.players().iter().zip(current.players());
    let other = players.find(|(earlier, current)| {
        let (earlier, current) = (&earlier.entry, &current.entry);
        (earlier.algorithm, &earlier.settings) != (current.algorithm, &current.settings)
    });
    other.map(|(earlier, _)| format!("other settings of {}", earlier.name))
}

/// Makes the record of this evaluation: claims and published numbers that were added or removed
/// after the games were known.
fn record_evaluation(results: &Results, experiment: &Experiment, command: &str) -> ReevaluationKeys {
    let published = |experiment: &Experiment| -> Vec<String> {
        experiment
            .sections()
            .published
            .iter()
            .map(|published| describe_number(experiment, published))
            .collect()
    };
    // A claim that an earlier `judge` removed stays listed until it is back.
    let update_removed = |already_removed: &[String], earlier: Vec<String>, current: &[String]| {
        let mut removed = [already_removed, &earlier].concat();
        removed.retain(|one| !current.contains(one));
        removed
    };
    let mut earlier_evaluation = results.run.judged.clone().unwrap_or_default();
    earlier_evaluation.added_claims.extend(results.run.added_claims.iter().cloned());
    let (earlier, current) = (results.experiment.describe_claims(), experiment.describe_claims());
    let is_new = |claim: &&String| {
        earlier_evaluation.added_claims.contains(claim)
            || !(earlier.contains(claim) || earlier_evaluation.removed_claims.contains(claim))
    };
    let added_claims = current.iter().filter(is_new).cloned().collect();
    // A claim that was added and removed again was never announced.
    let announced_claims =
        earlier.iter().filter(|claim| !earlier_evaluation.added_claims.contains(claim)).cloned().collect();
    ReevaluationKeys {
        finished: machine::now(),
        gauntlet: machine::VERSION.to_owned(),
        revision: machine::build().revision.to_owned(),
        command: ManifestCommand::new(command),
        added_claims,
        removed_claims: update_removed(&earlier_evaluation.removed_claims, announced_claims, &current),
        removed_published: update_removed(
            &earlier_evaluation.removed_published,
            published(&results.experiment),
            &published(experiment),
        ),
    }
}

fn describe_number(experiment: &Experiment, published: &PublishedNumber) -> String {
    let PublishedNumber { player, quantity, value, source, .. } = published;
    format!("{}, {quantity}: {value} ({source})", experiment.players()[*player].name)
}
