//! Tables of a run that has not ended or was stopped: made from its journal, and never written.
//!
//! They cover the prefix of blocks that are complete for all players, without blocks in damaged
//! lines. Using all finished games would favour short ones: of games started at one time, those
//! that are lost early end first.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use anyhow::bail;
use gauntlet_core::disk::{scratch_file, system_disk};
use gauntlet_core::table::{Table, TypedRow};
use gauntlet_core::text::{display_path, format_games, group_digits};
use gauntlet_run::coverage::Coverage;
use gauntlet_run::failing_players::{self, skip_failing};
use gauntlet_run::folder_journals::{FolderJournals, JournalReader};
use gauntlet_run::journal::Journal;
use gauntlet_run::judge::StopResult;
use gauntlet_run::keyed_plan::KeyedPlan;
use gauntlet_run::merge::merge;
use gauntlet_run::missing_blocks::{complete_ranges, find_failures};
use gauntlet_run::plan::Plan;
use gauntlet_run::tally;
use gauntlet_run::tally::running_sums::RunningSums;
use gauntlet_run::{machine, paths, threads};

use super::experiment_copy::parse_copy;
use super::files::NewFile;
use super::folder::read_experiment_copy;
use super::manifest::{Manifest, recorded_answers};
use super::snapshot::{
    EXPERIMENT, GAMES_CSV, MANIFEST, PartialRun, ResultsSnapshot, compute_digest, explain_load_error,
};
use super::write::{no_players_message, sum_games};
use crate::compare::claims::ClaimSamples;
use crate::config::{Catalog, Experiment};
use crate::results::tables::artifacts::assemble;
use crate::results::tables::times::MoveTimeRow;
use crate::results::tables::{strengths, warnings};

/// Makes the tables of the games in the journals of a folder without tables; `None` if it has no
/// journal. Fails if no block is complete for all players.
pub fn read_partial(catalog: Catalog, folder: &Path) -> anyhow::Result<Option<ResultsSnapshot>> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let main = paths::journal_path(folder, None);
    let shards = paths::find_shards(folder)?;
    if !main.exists() && shards.is_empty() {
        return Ok(None);
    }
    let copy = read_experiment_copy(catalog, &system_disk(), folder)?;
    let experiment = parse_copy(catalog, folder, copy).map_err(explain_load_error)?;
    let mut journals = Vec::new();
    for path in main.exists().then_some(&main).into_iter().chain(shards.iter().map(|(_, path)| path)) {
        journals.push(Journal::peek(path)?);
    }
    let keyed_plan = KeyedPlan::new(experiment.plan(), &journals.iter().collect::<Vec<_>>())?;
    let damage = |journal: &Journal| describe_damage(journal.path(), journal.damaged_lines());
    let messages: Vec<String> = journals.iter().filter_map(damage).collect();
    let damaged_count: usize = journals.iter().map(Journal::damaged_lines).sum();
    let journal = match <[Journal; 1]>::try_from(journals) {
        Ok([journal]) => journal,
        Err(several) => {
            let mut journal = Journal::in_memory(folder)?;
            let several = several.iter().map(|one| Coverage::from_journal(&keyed_plan, one));
            merge(&keyed_plan, &mut journal, &several.collect::<anyhow::Result<Vec<_>>>()?)?;
            journal
        }
    };
    // A journal that was merged from several has no damaged line of its own.
    let in_other_journals = damaged_count.saturating_sub(journal.damaged_lines());
    make_partial_snapshot(
        folder,
        &experiment,
        &keyed_plan,
        &journal,
        DamagedLines { in_other_journals, messages },
    )
    .map(Some)
}

/// Returns a notice if a run has continued since the tables of its folder were written. Until the
/// run ends, reports show these tables, because they are complete.
pub(super) fn describe_continuation(tables: &ResultsSnapshot) -> Option<String> {
    let folder = tables.folder();
    let journal = paths::journal_path(folder, None);
    let modified_at = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    // Reading a large journal takes a second, and is needed only if it has grown.
    if modified_at(&journal)? <= modified_at(&folder.join(MANIFEST))? {
        return None;
    }
    let run = tables.manifest().run_keys()?;
    // Tables from another journal stay: the games of this journal were played to be compared with
    // them.
    let has_grown = Journal::peek(&journal).is_ok_and(|journal| {
        let sessions = journal.sessions();
        sessions.len() > run.session.len() && run.is_from_sessions(&sessions.iter().collect::<Vec<_>>())
    });
    has_grown.then(|| {
        format!(
            "the run in {} has continued since these tables were written and is unfinished: see `gauntlet status` with the file of the experiment",
            display_path(folder)
        )
    })
}

/// Describes the lines of a journal that do not count, by their number; `None` if all count.
pub fn describe_damage(path: &Path, lines: usize) -> Option<String> {
    let (noun, verb) = if lines == 1 { ("line", "is") } else { ("lines", "are") };
    (lines > 0).then(|| format!("{lines} damaged {noun} of {} {verb} skipped", display_path(path)))
}

/// Tables of a run in progress, for a page that shows it again and again.
#[derive(Clone)]
pub struct RunningTables {
    /// Strengths of the players, and times of their moves; none if no block is complete.
    pub tables: Vec<Table>,
    /// What they are made of, in sentences.
    pub description: String,
}

/// Makes the tables of the sums of a run that ends before the block `end` at the latest.
pub fn make_running_tables(
    folder: &Path,
    experiment: &Experiment,
    plan: &KeyedPlan,
    journals: &FolderJournals,
    end: u64,
) -> RunningTables {
    let readers = || journals.journals().map(|(_, reader)| reader);
    let dispute_messages = readers().filter_map(JournalReader::conflict_message).map(str::to_owned);
    let damage_messages =
        readers().filter_map(|reader| describe_damage(reader.journal().path(), reader.damaged_lines()));
    let unidentified = plan.unidentified_players().map(warnings::unidentified_warning);
    let with_warnings = |description: String| {
        let warnings =
            [description].into_iter().chain(dispute_messages).chain(damage_messages).chain(unidentified);
        warnings.collect::<Vec<_>>().join(" ")
    };
    let sums = match journals.sums() {
        Some(Ok(sums)) if sums.blocks > 0 => sums,
        Some(Err(conflict)) => return RunningTables { tables: Vec::new(), description: conflict.to_owned() },
        _ => {
            let games_of = |(shard, reader): (_, &JournalReader)| reader.progress(plan, shard, end).done;
            let games_played = journals.journals().map(games_of).sum();
            let foreign_games = readers().map(JournalReader::foreign_games).sum();
            return RunningTables {
                tables: Vec::new(),
                description: with_warnings(no_blocks_message(folder, plan, games_played, foreign_games)),
            };
        }
    };
    let RunningSums { blocks, tallies, meetings } = sums;
    let partial = PartialRun {
        parts: std::iter::once(0..*blocks).collect(),
        blocks: *blocks,
        total_blocks: end,
        is_whole: *blocks == end,
    };
    let limited_plan = plan.limit_to_first(*blocks);
    let is_corrected =
        readers().any(|reader| recorded_answers(&limited_plan, reader.journal()).warning().is_some());
    let players = plan.players.iter().map(|player| player.name).zip(tallies);
    let times = MoveTimeRow::table(players.map(MoveTimeRow::new));
    RunningTables {
        tables: vec![strengths(plan, tallies, meetings), times],
        description: with_warnings(describe_coverage(folder, experiment, plan, &partial, is_corrected)),
    }
}

/// Lines of journals that do not count.
#[derive(Default)]
pub struct DamagedLines {
    /// Number of those in other journals, from which the journal was merged.
    pub in_other_journals: usize,
    /// Describes all of them.
    pub messages: Vec<String>,
}

/// Makes the tables of the blocks that are complete for all players. Fails if there is none.
pub fn make_partial_snapshot(
    folder: &Path,
    experiment: &Experiment,
    plan: &KeyedPlan,
    journal: &Journal,
    damaged_lines: DamagedLines,
) -> anyhow::Result<ResultsSnapshot> {
    let coverage = Coverage::from_journal(plan, journal)?;
    let dispute_message = coverage.conflict.as_ref().map(|dispute| dispute.description.clone());
    let (remaining, judge) = skip_failing(plan, &coverage)?;
    if remaining.lineups.is_empty() && !remaining.skipped.is_empty() {
        bail!("{}", no_players_message(&remaining));
    }
    let stop_result = judge.map(|judge| judge.stop_result());
    let end = stop_result.as_ref().and_then(StopResult::end).unwrap_or(plan.blocks.len());
    let remaining_coverage = Coverage::from_journal(&remaining, journal)?;
    let parts = complete_ranges(&remaining, &remaining_coverage, damaged_lines.in_other_journals).into_iter();
    let parts = parts.map(|part| part.start..part.end.min(end)).filter(|part| !part.is_empty());
    let parts: Vec<Range<u64>> = parts.collect();
    let blocks: u64 = parts.iter().map(|part| part.end - part.start).sum();
    if blocks == 0 {
        let all = 0..plan.blocks.len();
        let played_blocks =
            (0..plan.lineups.len()).map(|lineup| coverage.count_blocks(lineup, &all)).sum::<u64>();
        bail!("{}", no_blocks_message(folder, plan, played_blocks * plan.legs(), coverage.foreign_games()));
    }
    let partial = PartialRun { parts, blocks, total_blocks: end, is_whole: blocks == end };

    let plan = &remaining.limit_to_blocks(&partial.parts);
    let coverage = remaining_coverage.limit_to_blocks(&partial.parts);
    let (failures, _) = find_failures(plan, &coverage, &(0..blocks));
    let mut csv = NewFile { path: folder.join(GAMES_CSV), file: scratch_file() };
    let mut samples =
        ClaimSamples::new(plan, if partial.is_whole { &experiment.sections().claims } else { &[] });
    let pool = threads::build_pool(machine::cores())?;
    let tallies = pool.install(|| tally::tally(plan, &coverage, &failures, &mut csv, &mut samples))?;

    let mut manifest = Manifest::from_journal(plan, journal, experiment, "", &[]);
    let experiment_sums =
        sum_games(plan, journal, &manifest, &tallies, &samples, stop_result.as_ref(), partial.is_whole);
    let description = describe_coverage(
        folder,
        experiment,
        plan,
        &partial,
        experiment_sums.earlier_looks.warning().is_some(),
    );
    let result_tables = assemble(&experiment_sums, experiment)?;
    let mut files = BTreeMap::new();
    let digest = compute_digest(&*csv.file)?;
    manifest.digests.insert(GAMES_CSV.to_owned(), digest.to_hex().to_string().into());
    for table in result_tables.tables() {
        let (name, csv) = (format!("{}.csv", table.name), table.to_csv());
        manifest.digests.insert(name.clone(), blake3::hash(&csv).to_hex().to_string().into());
        files.insert(name, csv);
    }
    let warnings = [description]
        .into_iter()
        .chain(failing_players::skip_messages(plan))
        .chain(dispute_message)
        .chain(damaged_lines.messages)
        .collect();
    files.insert(EXPERIMENT.to_owned(), experiment.text().as_bytes().to_vec());
    Ok(ResultsSnapshot::in_memory(experiment.catalog(), folder, manifest, files, csv.file, partial, warnings))
}

/// Returns the message for a folder where no block is complete.
fn no_blocks_message(folder: &Path, plan: &KeyedPlan, games_played: u64, foreign_games: u64) -> String {
    let players_text = match plan.players.len() {
        1 => String::new(),
        players => format!(" for all {} players", group_digits(players as u64)),
    };
    let foreign_text = match foreign_games {
        0 => String::new(),
        count => {
            format!(
                "; its journal has {} of another version of the experiment or the program",
                format_games(count)
            )
        }
    };
    format!(
        "{}: no block is complete{players_text} yet; {} of {} are played{foreign_text}",
        display_path(folder),
        group_digits(games_played),
        format_games(plan.games())
    )
}

/// Describes the part of the experiment that is complete. `is_corrected` is true if comparisons are
/// corrected for earlier answers.
fn describe_coverage(
    folder: &Path,
    experiment: &Experiment,
    plan: &Plan,
    partial: &PartialRun,
    is_corrected: bool,
) -> String {
    let &PartialRun { blocks, total_blocks, is_whole, ref parts } = partial;
    let folder = display_path(folder);
    if is_whole {
        let exception = if plan.skipped.is_empty() { "" } else { ", without skipped players" };
        return format!(
            "{folder} has no tables yet; showing tables from its complete journal{exception}. Write them with `gauntlet run` or `merge`"
        );
    }
    let first = if matches!(parts[..], [Range { start: 0, .. }]) { "the first " } else { "" };
    let at_most = if experiment.sections().stop.is_some() { "at most " } else { "" };
    let players_text = match (experiment.players().len(), plan.skipped.len()) {
        (1, _) => "",
        (_, 0) => " for all players",
        _ => " for all other players",
    };
    let verdicts = [
        (!experiment.sections().claims.is_empty(), "claims"),
        (!experiment.sections().published.is_empty(), "published numbers"),
        (experiment.sections().stop.is_some(), "`[stop]`"),
    ];
    let verdicts: Vec<&str> =
        verdicts.into_iter().filter_map(|(is_asked, name)| is_asked.then_some(name)).collect();
    let verdicts = match &verdicts[..] {
        [] => String::new(),
        verdicts => format!("; verdicts on {} need a finished run", verdicts.join(" and ")),
    };
    let assumption = if is_corrected {
        "p and intervals of comparisons account for early stopping; intervals of single players do not"
    } else {
        "p and intervals assume a fixed number of games"
    };
    format!(
        "{folder} is unfinished: showing {first}{} of {at_most}{} blocks, which are complete{players_text}{verdicts}; {assumption}",
        group_digits(blocks),
        group_digits(total_blocks)
    )
}
