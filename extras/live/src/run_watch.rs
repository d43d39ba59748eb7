//! The picture of a run: made from its journals or the journals of its shards, and from the sums of
//! the blocks that are complete for all players. A look reads only what was added since the last
//! one.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use gauntlet_analysis::answer::{VerdictSentence, precision};
use gauntlet_analysis::compare::precision::PRECISION;
use gauntlet_analysis::compare::stop::STOP;
use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::results::analysis::standing::{StrengthMeasure, read_standings};
use gauntlet_analysis::results::store::folder::FolderState;
use gauntlet_analysis::results::store::partial::{self, RunningTables};
use gauntlet_analysis::results::store::read;
use gauntlet_analysis::results::store::snapshot::{MANIFEST, ResultsSnapshot};
use gauntlet_analysis::results::tables::times::MoveTimeRow;
use gauntlet_analysis::results::tables::{PlayerColumns, SUMS_OF_PLAYERS, warnings};
use gauntlet_core::disk::system_disk;
use gauntlet_core::game::Shape;
use gauntlet_core::table::{Table, TypedRow};
use gauntlet_core::text::{
    capitalize, display_path, format_duration, format_games, format_time_span, list_names,
};
use gauntlet_run::folder_journals::{FolderJournals, JournalReader, ReadPurpose};
use gauntlet_run::journal::Journal;
use gauntlet_run::judge::Judge;
use gauntlet_run::keyed_plan::KeyedPlan;
use gauntlet_run::plan::Shard;
use gauntlet_run::progress::{Progress, RunState};
use gauntlet_run::{paths, shards};

use crate::file_stamps::FileStamps;
use crate::phrases;
use crate::picture::{FinishedGame, LivePlayer, LiveProgress, LiveSnapshot, LiveStop, WorkState, game_name};

/// Watches a folder of results.
pub(crate) struct RunWatch {
    experiment: Experiment,
    folder: PathBuf,
    /// The folder of its tables.
    tables: PathBuf,
    /// The command that merges its shards. Without it, shards in the folder belong to another run.
    merge: Option<String>,
    /// Stamps of the files at the last look, and its time; `None` before the first look.
    last_stamps: Option<(FileStamps, Instant)>,
    /// Contents of the journals, to which each look adds what is new.
    journals: FolderJournals,
    /// Keys of the line-ups, once they are known.
    keys: Option<Vec<String>>,
    strengths: Option<Strengths>,
}

/// Tables of the players while a run plays, and when they were made.
struct Strengths {
    made_at: Instant,
    duration: Duration,
    running_tables: RunningTables,
}

/// If nothing has changed for this long, files are read again.
const REREAD_AFTER: Duration = Duration::from_secs(30);

/// Strengths are made again after this many times the time that it took. Ratings of many players
/// take seconds, and the run needs the machine.
const PAUSE_FACTOR: u32 = 10;

/// If more shards than this are silent, only their number is shown.
const MAX_NAMED: usize = 5;

/// Number of recently finished games shown.
const FINISHED_GAMES: usize = 8;

impl RunWatch {
    /// Watches the results of an experiment in a folder, and its tables in the same folder or
    /// another.
    pub(crate) fn new(
        experiment: Experiment,
        folder: PathBuf,
        tables: PathBuf,
        merge: Option<String>,
    ) -> RunWatch {
        let purpose = ReadPurpose::Sums { with_shards: merge.is_some() };
        let journals = FolderJournals::new(system_disk(), &folder, purpose);
        RunWatch {
            experiment,
            folder,
            tables,
            merge,
            last_stamps: None,
            journals,
            keys: None,
            strengths: None,
        }
    }

    /// Returns a new picture, or `None` if nothing has changed.
    pub(crate) fn poll(&mut self) -> anyhow::Result<Option<LiveSnapshot>> {
        let main_journal = paths::journal_path(&self.folder, None);
        let shards = if self.merge.is_some() { paths::find_shards(&self.folder)? } else { Vec::new() };
        let journals = [&main_journal].into_iter().chain(shards.iter().map(|(_, path)| path)).cloned();
        // A run that ends writes its manifest and does not change its journal.
        let stamps = FileStamps::new([self.tables.join(MANIFEST)], journals);
        // Silence changes no file, but its duration is shown.
        let is_same = |(last_stamps, last_look): &(FileStamps, Instant)| {
            *last_stamps == stamps && last_look.elapsed() < REREAD_AFTER
        };
        if self.last_stamps.as_ref().is_some_and(is_same) && !self.journals.is_behind() {
            return Ok(None);
        }
        self.last_stamps = None;
        let picture = self.take_snapshot(&shards)?;
        self.last_stamps = Some((stamps, Instant::now()));
        Ok(Some(picture))
    }

    fn take_snapshot(&mut self, shards: &[(Shard, PathBuf)]) -> anyhow::Result<LiveSnapshot> {
        let experiment = self.experiment.clone();
        if let Some(error) = self.journals.read(|| false) {
            return Err(error);
        }
        let plan = match &self.keys {
            Some(keys) => KeyedPlan::with_keys(experiment.plan(), keys.clone()),
            // Computing keys takes a second unless a session in a journal has the signatures.
            None => {
                let journals: Vec<_> = self.journals.journals().map(|(_, reader)| reader.journal()).collect();
                KeyedPlan::new(experiment.plan(), &journals)?
            }
        };
        self.keys.get_or_insert_with(|| {
            (0..plan.lineups.len()).map(|lineup| plan.key(lineup).to_owned()).collect()
        });
        let plan = self.journals.without_failing(&plan);
        if let Some(error) = self.journals.scan(&plan, || false).read_error {
            return Err(error);
        }
        let end_block = self.journals.judge().and_then(Judge::end).unwrap_or(plan.blocks.len());
        let run_journals: Vec<(Option<Shard>, &JournalReader)> =
            own_journals(&self.journals, shards).collect();
        let shard_progress: Vec<Progress> =
            run_journals.iter().map(|(shard, reader)| reader.progress(&plan, *shard, end_block)).collect();
        let lineup_games = plan.legs() * end_block;
        let total_progress = Progress::sum(&shard_progress, lineup_games * plan.lineups.len() as u64);
        let is_playing = shard_progress.iter().any(|part| part.state == RunState::Plays);
        let failed_games = self.journals.sums().and_then(Result::ok).map_or(0, |sums| {
            sums.tallies.iter().map(|tally| tally.failed_games).sum::<u64>()
                / plan.arena.shape.seats().len() as u64
        });
        let folder_state = FolderState::read_without_journals(&system_disk(), &self.experiment, &self.tables);
        let has_tables = folder_state.is_ok_and(FolderState::is_current);
        let is_over = has_tables && !is_playing && total_progress.done + failed_games >= total_progress.total;
        let results =
            is_over.then(|| read::read_snapshot(self.experiment.catalog(), &self.tables)).transpose()?;

        let mut warnings: Vec<String> = Vec::new();
        warnings.extend(
            run_journals.iter().filter_map(|(_, reader)| reader.conflict_message()).map(str::to_owned),
        );
        warnings.extend(describe_silence(shards, &shard_progress));
        if shards.is_empty() && !is_playing && !is_over {
            warnings.push(phrases::NO_PROCESS.to_owned());
        }
        warnings.extend((failed_games > 0).then(|| format!("{} failed", format_games(failed_games))));
        let mut finished_games: Vec<FinishedGame> =
            run_journals.iter().flat_map(|(_, reader)| last_games(&plan, reader.journal())).collect();
        finished_games.truncate(FINISHED_GAMES);
        drop(run_journals);
        let (description, tables) = match &results {
            Some(results) => (self.describe_end(results, &plan), read_tables(results, plan.arena.shape)?),
            None => {
                let RunningTables { tables, description } = self.running_tables(&plan, end_block);
                (self.describe_unfinished(&description, shards, &shard_progress), tables)
            }
        };
        warnings.extend(table_warnings(&tables, plan.arena.shape));
        let picture = LiveSnapshot {
            state: match (is_over, total_progress.done) {
                (true, _) => WorkState::Finished,
                (false, 0) => WorkState::Begins,
                (false, _) => WorkState::Plays,
            },
            said: description,
            warnings,
            progress: LiveProgress::new(&total_progress),
            answer: results.as_ref().map(claim_verdicts).unwrap_or_default(),
            scale: phrases::strength_scale(plan.arena.shape),
            stop: self.journals.judge().map(|judge| LiveStop {
                words: judge.describe_state(|lineup| plan.title(lineup)),
                between: judge.bounds_position(),
            }),
            finished: finished_games,
            ..LiveSnapshot::new("run", self.experiment.name(), plan.arena.name)
        };
        Ok(picture.with_players(make_players(&plan, &tables, &total_progress.lineups, lineup_games)))
    }

    /// Returns the tables of the complete blocks, which may be some seconds old if making them
    /// takes long. Their words state the number of blocks.
    fn running_tables(&mut self, plan: &KeyedPlan, end: u64) -> RunningTables {
        if let Some(strengths) = &self.strengths
            && strengths.made_at.elapsed() < PAUSE_FACTOR * strengths.duration
        {
            return strengths.running_tables.clone();
        }
        let start = Instant::now();
        let running_tables =
            partial::make_running_tables(&self.folder, &self.experiment, plan, &self.journals, end);
        let strengths = Strengths {
            made_at: Instant::now(),
            duration: start.elapsed(),
            running_tables: running_tables.clone(),
        };
        self.strengths = Some(strengths);
        running_tables
    }

    /// Describes how a finished run has ended, and where its tables are.
    fn describe_end(&self, results: &ResultsSnapshot, plan: &KeyedPlan) -> String {
        let players = if plan.skipped.is_empty() { "" } else { " of the other players" };
        let ending = describe_stop(results).unwrap_or_else(|| format!("All games{players} are played"));
        let description = format!("{ending}; results in {}.", display_path(&self.tables));
        std::iter::once(description).chain(results.warnings().iter().cloned()).collect::<Vec<_>>().join(" ")
    }

    /// Describes what the numbers of an unfinished run are, and how many of its shards there are.
    fn describe_unfinished(
        &self,
        description: &str,
        shards: &[(Shard, PathBuf)],
        shard_progress: &[Progress],
    ) -> String {
        let Some((first, _)) = shards.first() else { return description.to_owned() };
        let complete_count = shard_progress.iter().filter(|part| part.remaining() == 0).count();
        let states: Vec<RunState> = shard_progress.iter().map(|part| part.state).collect();
        let merge = self.merge.as_ref().filter(|_| complete_count as u64 == first.count());
        let next_step =
            merge.map(|merge| format!(" All shards are complete; write the tables with {merge}."));
        let next_step = next_step.unwrap_or_default();
        format!("{description} {}.{next_step}", shards::states(first.count(), &states))
    }
}

/// Returns the journals of a run. If there are shards, they are the run, and a main journal next to
/// them belongs to another run.
fn own_journals<'a>(
    journals: &'a FolderJournals,
    shards: &[(Shard, PathBuf)],
) -> impl Iterator<Item = (Option<Shard>, &'a JournalReader)> + use<'a> {
    let is_divided = !shards.is_empty();
    journals.journals().filter(move |(shard, _)| shard.is_some() == is_divided)
}

/// Returns the verdicts on the claims of a finished run.
fn claim_verdicts(results: &ResultsSnapshot) -> Vec<String> {
    let claims = read::table(results, "claims").ok();
    claims.iter().flat_map(VerdictSentence::read_all).map(|answer| answer.line()).collect()
}

/// Describes the result of a run with a `[stop]`; `None` for others.
fn describe_stop(results: &ResultsSnapshot) -> Option<String> {
    let table = |name: &str| read::table(results, name).ok();
    let answer = |table: &Table| table.rows().next().map(|row| row.words("answer").to_owned());
    let stop_answer = table(STOP).as_ref().and_then(answer);
    stop_answer.or_else(|| precision::describe_end(&table(PRECISION)?).map(|text| capitalize(&text)))
}

/// Describes which incomplete shards show no sign of progress.
fn describe_silence(shards: &[(Shard, PathBuf)], shard_progress: &[Progress]) -> Option<String> {
    let silent_shards = shards.iter().zip(shard_progress).filter(|(_, part)| part.is_silent());
    let descriptions: Vec<_> = silent_shards
        .map(|((shard, _), part)| format!("{shard} for {}", format_time_span(part.silent_seconds)))
        .collect();
    (!descriptions.is_empty()).then(|| {
        format!(
            "silent unfinished shards: {}; see `gauntlet status` to resume them",
            list_names(&descriptions, MAX_NAMED)
        )
    })
}

/// Reads the tables of players' strengths and times from finished results.
fn read_tables(results: &ResultsSnapshot, shape: Shape) -> anyhow::Result<Vec<Table>> {
    let name = SUMS_OF_PLAYERS[usize::from(shape == Shape::Duel)];
    let names = [name, MoveTimeRow::NAME].into_iter().filter(|name| read::has_table(results, name));
    names.map(|name| read::table(results, name)).collect()
}

/// Returns the players with the numbers of the tables.
fn make_players(
    plan: &KeyedPlan,
    tables: &[Table],
    games_by_lineup: &[u64],
    lineup_games: u64,
) -> Vec<LivePlayer> {
    let [strengths, times] = [SUMS_OF_PLAYERS.as_slice(), &[MoveTimeRow::NAME]]
        .map(|names| tables.iter().find(|table| names.contains(&table.name)));
    let standings = strengths.map_or_else(Vec::new, |strengths| read_standings(strengths, None));
    let measure =
        if plan.arena.shape == Shape::Duel { StrengthMeasure::Elo } else { StrengthMeasure::WinRate };
    let strength = |name: &str| measure.value(standings.iter().find(|one| one.name == name)?);
    let times: Vec<MoveTimeRow> = times.into_iter().flat_map(Table::read_rows::<MoveTimeRow>).collect();
    let cost = |name: &str| {
        let row = times.iter().find(|row| row.player == name)?;
        Some(format!("{} a move", format_duration(row.mean_ms?)))
    };
    let player = |(index, player): (usize, &gauntlet_run::plan::PlannedPlayer)| {
        let is_own = |&lineup: &usize| plan.lineups[lineup].members().contains(&index);
        let own_lineups: Vec<usize> = (0..plan.lineups.len()).filter(is_own).collect();
        LivePlayer {
            name: player.name.to_owned(),
            done: own_lineups.iter().filter_map(|&lineup| games_by_lineup.get(lineup)).sum(),
            all: lineup_games * own_lineups.len() as u64,
            strength: strength(player.name).map(Into::into),
            cost: cost(player.name).unwrap_or_default(),
        }
    };
    plan.players.iter().enumerate().map(player).collect()
}

/// Returns warnings from the tables: players that forfeited games, and an overloaded machine.
fn table_warnings(tables: &[Table], shape: Shape) -> Vec<String> {
    let forfeits = |table: &Table| {
        let sums = table.read_rows::<PlayerColumns>().filter(|one| one.forfeits > 0);
        sums.map(|one| format!("{} has forfeited {}", one.player, format_games(one.forfeits)))
            .collect::<Vec<_>>()
    };
    let sums = tables.iter().filter(|table| SUMS_OF_PLAYERS.contains(&table.name)).flat_map(forfeits);
    let times = tables.iter().filter(|table| table.name == MoveTimeRow::NAME);
    sums.chain(times.filter_map(|times| warnings::table_overload_warning(times, shape))).collect()
}

/// Returns the last games of a journal, the last one first.
fn last_games(plan: &KeyedPlan, journal: &Journal) -> Vec<FinishedGame> {
    let finished_game = |index: usize| {
        let line = journal.line(index);
        let lineup = (0..plan.lineups.len()).find(|&lineup| plan.key(lineup) == &*line.key)?;
        let record = journal.read(index).ok()?.records()?.pop()?;
        let legs = plan.legs();
        let last = u64::from(line.games).checked_sub(1)?;
        let (block, leg) = (line.first? + last / legs, (last % legs) as usize);
        Some(FinishedGame {
            who: plan.title(lineup),
            which: game_name(block, leg),
            how: phrases::describe_ending(plan, lineup, leg, &record),
        })
    };
    (0..journal.lines().len()).rev().take(FINISHED_GAMES).filter_map(finished_game).collect()
}
