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
use gauntlet_analysis::results::store::set::{MANIFEST, ResultsSnapshot};
use gauntlet_analysis::results::tables::times::MoveTimeRow;
use gauntlet_analysis::results::tables::{PlayerColumns, SUMS_OF_PLAYERS, doubts};
use gauntlet_core::disk::system_disk;
use gauntlet_core::game::Shape;
use gauntlet_core::table::{Table, TypedRow};
use gauntlet_core::text::{
    capitalize, display_path, format_duration, format_games, format_time_span, list_names,
};
use gauntlet_run::journal::Journal;
use gauntlet_run::judge::Judge;
use gauntlet_run::keyed::KeyedPlan;
use gauntlet_run::plan::Shard;
use gauntlet_run::progress::{Progress, RunState};
use gauntlet_run::seen::{FolderJournals, JournalReader, ReadPurpose};
use gauntlet_run::{paths, shards};

use crate::file_stamps::FileStamps;
use crate::picture::{FinishedGame, LivePlayer, LiveProgress, LiveSnapshot, LiveStop, WorkState, game_name};
use crate::words;

/// Watches a folder of results.
pub(crate) struct RunWatch {
    experiment: Experiment,
    folder: PathBuf,
    /// The folder of its tables.
    tables: PathBuf,
    /// The command that merges its shards. Without it, shards in the folder belong to another run.
    merge: Option<String>,
    /// Stamps of the files at the last look, and its time; `None` before the first look.
    traces: Option<(FileStamps, Instant)>,
    /// Contents of the journals, to which each look adds what is new.
    journals: FolderJournals,
    /// Keys of the line-ups, once they are known.
    keys: Option<Vec<String>>,
    strengths: Option<Strengths>,
}

/// Tables of the players while a run plays, and when they were made.
struct Strengths {
    made: Instant,
    took: Duration,
    running: RunningTables,
}

/// If nothing has changed for this long, files are read again.
const REREAD_AFTER: Duration = Duration::from_secs(30);

/// Strengths are made again after this many times the time that it took. Ratings of many players
/// take seconds, and the run needs the machine.
const REST: u32 = 10;

/// If more shards than this are silent, only their number is shown.
const MOST_NAMED: usize = 5;

/// Number of recently finished games shown.
const FINISHED: usize = 8;

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
        RunWatch { experiment, folder, tables, merge, traces: None, journals, keys: None, strengths: None }
    }

    /// Returns a new picture, or `None` if nothing has changed.
    pub(crate) fn poll(&mut self) -> anyhow::Result<Option<LiveSnapshot>> {
        let main = paths::journal_path(&self.folder, None);
        let shards = if self.merge.is_some() { paths::find_shards(&self.folder)? } else { Vec::new() };
        let journals = [&main].into_iter().chain(shards.iter().map(|(_, path)| path)).cloned();
        // A run that ends writes its manifest and does not change its journal.
        let traces = FileStamps::new([self.tables.join(MANIFEST)], journals);
        // Silence changes no file, but its duration is shown.
        let is_same =
            |(before, then): &(FileStamps, Instant)| *before == traces && then.elapsed() < REREAD_AFTER;
        if self.traces.as_ref().is_some_and(is_same) && !self.journals.is_behind() {
            return Ok(None);
        }
        self.traces = None;
        let picture = self.take_snapshot(&shards)?;
        self.traces = Some((traces, Instant::now()));
        Ok(Some(picture))
    }

    fn take_snapshot(&mut self, shards: &[(Shard, PathBuf)]) -> anyhow::Result<LiveSnapshot> {
        let experiment = self.experiment.clone();
        if let Some(unread) = self.journals.read(|| false) {
            return Err(unread);
        }
        let keyed = match &self.keys {
            Some(keys) => KeyedPlan::with_keys(experiment.plan(), keys.clone()),
            // Computing keys takes a second unless a session in a journal has the signatures.
            None => {
                let journals: Vec<_> = self.journals.journals().map(|(_, reader)| reader.journal()).collect();
                KeyedPlan::new(experiment.plan(), &journals)?
            }
        };
        self.keys
            .get_or_insert_with(|| (0..keyed.lineups.len()).map(|it| keyed.key(it).to_owned()).collect());
        let keyed = self.journals.without_failing(&keyed);
        if let Some(unread) = self.journals.scan(&keyed, || false).unread {
            return Err(unread);
        }
        let end = self.journals.judge().and_then(Judge::end).unwrap_or(keyed.blocks.len());
        let own: Vec<(Option<Shard>, &JournalReader)> = own_journals(&self.journals, shards).collect();
        let parts: Vec<Progress> =
            own.iter().map(|(shard, reader)| reader.progress(&keyed, *shard, end)).collect();
        let each = keyed.legs() * end;
        let sum = Progress::sum(&parts, each * keyed.lineups.len() as u64);
        let is_playing = parts.iter().any(|part| part.state == RunState::Plays);
        let broken = self.journals.sums().and_then(Result::ok).map_or(0, |sums| {
            sums.tallies.iter().map(|tally| tally.broken).sum::<u64>()
                / keyed.arena.shape.seats().len() as u64
        });
        let tables = FolderState::read_without_journals(&system_disk(), &self.experiment, &self.tables);
        let has_tables = tables.is_ok_and(FolderState::is_current);
        let is_over = has_tables && !is_playing && sum.done + broken >= sum.all;
        let set =
            is_over.then(|| read::read_snapshot(self.experiment.catalog(), &self.tables)).transpose()?;

        let mut warnings: Vec<String> = Vec::new();
        warnings.extend(own.iter().filter_map(|(_, reader)| reader.dispute_message()).map(str::to_owned));
        warnings.extend(describe_silence(shards, &parts));
        if shards.is_empty() && !is_playing && !is_over {
            warnings.push(words::NO_PROCESS.to_owned());
        }
        warnings.extend((broken > 0).then(|| format!("{} failed", format_games(broken))));
        let mut finished: Vec<FinishedGame> =
            own.iter().flat_map(|(_, reader)| last_games(&keyed, reader.journal())).collect();
        finished.truncate(FINISHED);
        drop(own);
        let (said, tables) = match &set {
            Some(set) => (self.describe_end(set, &keyed), read_tables(set, keyed.arena.shape)?),
            None => {
                let RunningTables { tables, said } = self.running_tables(&keyed, end);
                (self.describe_unfinished(&said, shards, &parts), tables)
            }
        };
        warnings.extend(table_warnings(&tables, keyed.arena.shape));
        let picture = LiveSnapshot {
            state: match (is_over, sum.done) {
                (true, _) => WorkState::Finished,
                (false, 0) => WorkState::Begins,
                (false, _) => WorkState::Plays,
            },
            said,
            warnings,
            progress: LiveProgress::new(&sum),
            answer: set.as_ref().map(claim_verdicts).unwrap_or_default(),
            scale: words::strength_scale(keyed.arena.shape),
            stop: self.journals.judge().map(|judge| LiveStop {
                words: judge.describe_state(|lineup| keyed.title(lineup)),
                between: judge.bounds_position(),
            }),
            finished,
            ..LiveSnapshot::new("run", self.experiment.name(), keyed.arena.name)
        };
        Ok(picture.with_players(make_players(&keyed, &tables, &sum.lineups, each)))
    }

    /// Returns the tables of the complete blocks, which may be some seconds old if making them takes
    /// long. Their words state the number of blocks.
    fn running_tables(&mut self, plan: &KeyedPlan, end: u64) -> RunningTables {
        if let Some(made) = &self.strengths
            && made.made.elapsed() < REST * made.took
        {
            return made.running.clone();
        }
        let begun = Instant::now();
        let running = partial::make_running_tables(&self.folder, &self.experiment, plan, &self.journals, end);
        let made = Strengths { made: Instant::now(), took: begun.elapsed(), running: running.clone() };
        self.strengths = Some(made);
        running
    }

    /// Describes how a finished run has ended, and where its tables are.
    fn describe_end(&self, set: &ResultsSnapshot, plan: &KeyedPlan) -> String {
        let whose = if plan.skipped.is_empty() { "" } else { " of the other players" };
        let how = describe_stop(set).unwrap_or_else(|| format!("All games{whose} are played"));
        let said = format!("{how}; results in {}.", display_path(&self.tables));
        std::iter::once(said).chain(set.warnings().iter().cloned()).collect::<Vec<_>>().join(" ")
    }

    /// Describes what the numbers of an unfinished run are, and how many of its shards there are.
    fn describe_unfinished(&self, said: &str, shards: &[(Shard, PathBuf)], parts: &[Progress]) -> String {
        let Some((first, _)) = shards.first() else { return said.to_owned() };
        let whole = parts.iter().filter(|part| part.remaining() == 0).count();
        let begun: Vec<RunState> = parts.iter().map(|part| part.state).collect();
        let merge = self.merge.as_ref().filter(|_| whole as u64 == first.count());
        let next = merge.map(|merge| format!(" All shards are complete; write the tables with {merge}."));
        let next = next.unwrap_or_default();
        format!("{said} {}.{next}", shards::states(first.count(), &begun))
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
fn claim_verdicts(set: &ResultsSnapshot) -> Vec<String> {
    let claims = read::table(set, "claims").ok();
    claims.iter().flat_map(VerdictSentence::read_all).map(|answer| answer.line()).collect()
}

/// Describes the result of a run with a `[stop]`; `None` for others.
fn describe_stop(set: &ResultsSnapshot) -> Option<String> {
    let table = |name: &str| read::table(set, name).ok();
    let answer = |table: &Table| table.rows().next().map(|row| row.words("answer").to_owned());
    let how = table(STOP).as_ref().and_then(answer);
    how.or_else(|| precision::describe_end(&table(PRECISION)?).map(|how| capitalize(&how)))
}

/// Describes which incomplete shards show no sign of progress.
fn describe_silence(shards: &[(Shard, PathBuf)], parts: &[Progress]) -> Option<String> {
    let silent = shards.iter().zip(parts).filter(|(_, part)| part.is_silent());
    let told: Vec<_> =
        silent.map(|((shard, _), part)| format!("{shard} for {}", format_time_span(part.silent))).collect();
    (!told.is_empty()).then(|| {
        format!(
            "silent unfinished shards: {}; see `gauntlet status` to resume them",
            list_names(&told, MOST_NAMED)
        )
    })
}

/// Reads the tables of players' strengths and times from finished results.
fn read_tables(set: &ResultsSnapshot, shape: Shape) -> anyhow::Result<Vec<Table>> {
    let name = SUMS_OF_PLAYERS[usize::from(shape == Shape::Duel)];
    let names = [name, MoveTimeRow::NAME].into_iter().filter(|name| read::has_table(set, name));
    names.map(|name| read::table(set, name)).collect()
}

/// Returns the players with the numbers of the tables.
fn make_players(plan: &KeyedPlan, tables: &[Table], played: &[u64], each: u64) -> Vec<LivePlayer> {
    let [strengths, times] = [SUMS_OF_PLAYERS.as_slice(), &[MoveTimeRow::NAME]]
        .map(|names| tables.iter().find(|table| names.contains(&table.name)));
    let standings = strengths.map_or_else(Vec::new, |strengths| read_standings(strengths, None));
    let by = if plan.arena.shape == Shape::Duel { StrengthMeasure::Elo } else { StrengthMeasure::WinRate };
    let strength = |name: &str| by.value(standings.iter().find(|one| one.name == name)?);
    let times: Vec<MoveTimeRow> = times.into_iter().flat_map(Table::read_rows::<MoveTimeRow>).collect();
    let cost = |name: &str| {
        let row = times.iter().find(|row| row.player == name)?;
        Some(format!("{} a move", format_duration(row.mean_ms?)))
    };
    let player = |(place, player): (usize, &gauntlet_run::plan::PlannedPlayer)| {
        let is_own = |&lineup: &usize| plan.lineups[lineup].members().contains(&place);
        let own: Vec<usize> = (0..plan.lineups.len()).filter(is_own).collect();
        LivePlayer {
            name: player.name.to_owned(),
            done: own.iter().filter_map(|&lineup| played.get(lineup)).sum(),
            all: each * own.len() as u64,
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
    sums.chain(times.filter_map(|times| doubts::table_overload_warning(times, shape))).collect()
}

/// Returns the last games of a journal, the last one first.
fn last_games(plan: &KeyedPlan, journal: &Journal) -> Vec<FinishedGame> {
    let of_line = |place: usize| {
        let line = journal.line(place);
        let lineup = (0..plan.lineups.len()).find(|&lineup| plan.key(lineup) == &*line.key)?;
        let record = journal.read(place).ok()?.records()?.pop()?;
        let legs = plan.legs();
        let last = u64::from(line.games).checked_sub(1)?;
        let (block, leg) = (line.first? + last / legs, (last % legs) as usize);
        Some(FinishedGame {
            who: plan.title(lineup),
            which: game_name(block, leg),
            how: words::describe_ending(plan, lineup, leg, &record),
        })
    };
    (0..journal.lines().len()).rev().take(FINISHED).filter_map(of_line).collect()
}
