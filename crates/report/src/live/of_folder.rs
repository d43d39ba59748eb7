//! The picture of a run: made from its journals or the journals of its shards, and from the tables
//! of the blocks that are complete for all players.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gauntlet_analysis::compare::answer::VerdictSentence;
use gauntlet_analysis::compare::precision::{self, PRECISION};
use gauntlet_analysis::compare::stop::STOP;
use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::results::analysis::standing::{StrengthMeasure, standings};
use gauntlet_analysis::results::store::folder::TablesStatus;
use gauntlet_analysis::results::store::manifest::Manifest;
use gauntlet_analysis::results::store::read;
use gauntlet_analysis::results::store::set::{MANIFEST, ResultsSnapshot, manifest_of};
use gauntlet_analysis::results::tables::times::MoveTimeRow;
use gauntlet_analysis::results::tables::{PlayerColumns, SUMS_OF_PLAYERS, doubts};
use gauntlet_core::disk::system;
use gauntlet_core::game::Shape;
use gauntlet_core::table::{Table, TypedRow};
use gauntlet_core::text::{capital, duration, games, listed, shown, time_span};
use gauntlet_run::broken::broken;
use gauntlet_run::coverage::Coverage;
use gauntlet_run::journal::Journal;
use gauntlet_run::judge::{self, Judge};
use gauntlet_run::keyed::KeyedPlan;
use gauntlet_run::paths;
use gauntlet_run::plan::Shard;
use gauntlet_run::progress::{self, Progress};

use super::file_stamps::FileStamps;
use super::picture::{FinishedGame, LivePlayer, LiveProgress, LiveSnapshot, LiveStop, WorkState, which};
use super::words;

/// Watches a folder of results.
pub struct RunWatch {
    experiment: Experiment,
    folder: PathBuf,
    /// The folder of its tables.
    tables: PathBuf,
    /// The command that merges its shards. Without it, shards in the folder belong to another run.
    merge: Option<String>,
    /// Stamps of the files at the last look, and its time; `None` before the first look.
    traces: Option<(FileStamps, Instant)>,
}

/// If nothing has changed for this long, files are read again.
const AGAIN: Duration = Duration::from_secs(30);

/// If more shards than this are silent, only their number is shown.
const NAMED: usize = 5;

/// Number of recently finished games shown.
const FINISHED: usize = 8;

type Journals = Vec<(Option<Shard>, Journal)>;

impl RunWatch {
    /// Watches the results of an experiment in a folder, and its tables in the same folder or
    /// another.
    pub fn of(experiment: Experiment, folder: PathBuf, tables: PathBuf, merge: Option<String>) -> RunWatch {
        RunWatch { experiment, folder, tables, merge, traces: None }
    }

    /// Returns a new picture, or `None` if nothing has changed.
    pub fn look(&mut self) -> anyhow::Result<Option<LiveSnapshot>> {
        let main = paths::path_in(&self.folder, None);
        let shards = if self.merge.is_some() { paths::shards_in(&self.folder)? } else { Vec::new() };
        let journals = [&main].into_iter().chain(shards.iter().map(|(_, path)| path)).cloned();
        // A run that ends writes its manifest and does not change its journal.
        let traces = FileStamps::of([self.tables.join(MANIFEST)], journals);
        // Silence changes no file, but its duration is shown.
        let is_same = |(before, then): &(FileStamps, Instant)| *before == traces && then.elapsed() < AGAIN;
        if self.traces.as_ref().is_some_and(is_same) {
            return Ok(None);
        }
        self.traces = None;
        let picture = self.picture(&main, &shards)?;
        self.traces = Some((traces, Instant::now()));
        Ok(Some(picture))
    }

    fn picture(&self, main: &Path, shards: &[(Shard, PathBuf)]) -> anyhow::Result<LiveSnapshot> {
        let journals = journals(main, shards)?;
        let peeked: Vec<&Journal> = journals.iter().map(|(_, journal)| journal).collect();
        let keyed = KeyedPlan::of(self.experiment.plan(), &peeked)?;
        let held = peeked.iter().map(|journal| Coverage::of(&keyed, journal));
        let held = held.collect::<anyhow::Result<Vec<_>>>()?;
        let judge = judge_of(&keyed, &held, main, shards)?;
        let end = judge.as_ref().and_then(Judge::end).unwrap_or(keyed.blocks.len());
        let of_journal = |((shard, _), coverage): (&(Option<Shard>, Journal), &Coverage)| {
            Progress::of_journal(&keyed, coverage, *shard, end)
        };
        let parts: Vec<Progress> = journals.iter().zip(&held).map(of_journal).collect();
        let each = keyed.legs() * end;
        let sum = Progress::together(&parts, each * keyed.lineups.len() as u64);
        let is_playing = parts.iter().any(|part| part.state == progress::RunState::Plays);
        let broken = held.iter().map(|coverage| broken(&keyed, coverage, &(0..end)).0.len() as u64);
        let broken = keyed.legs() * broken.sum::<u64>();
        let tables = TablesStatus::of(&system(), &self.experiment, &self.tables);
        let spared = self.spared(&keyed, &sum.lineups, each);
        let is_over =
            matches!(tables, TablesStatus::Current) && !is_playing && sum.done + broken + spared >= sum.all;
        let set = self.set(&tables, is_over);

        let mut warnings: Vec<String> = Vec::new();
        warnings.extend(held.iter().filter_map(|it| it.disputed.as_ref()).map(|it| it.told.clone()));
        warnings.extend(silence(shards, &parts));
        if shards.is_empty() && !is_playing && !is_over {
            warnings.push(words::NO_PROCESS.to_owned());
        }
        warnings.extend((broken > 0).then(|| format!("{} failed", games(broken))));
        if let Ok(set) = &set {
            warnings.extend(doubts_in(set, keyed.arena.shape)?);
        }
        let mut finished: Vec<FinishedGame> =
            peeked.iter().flat_map(|journal| last_games(&keyed, journal)).collect();
        finished.truncate(FINISHED);
        let picture = LiveSnapshot {
            state: match (is_over, sum.done) {
                (true, _) => WorkState::Finished,
                (false, 0) => WorkState::Begins,
                (false, _) => WorkState::Plays,
            },
            said: match &set {
                Ok(set) if is_over => self.ended(set),
                set => self.unfinished(set.as_ref(), shards, &parts),
            },
            warnings,
            progress: LiveProgress::of(&sum),
            answer: set.as_ref().ok().filter(|_| is_over).map(claims).unwrap_or_default(),
            scale: words::scale(keyed.arena.shape),
            stop: judge.map(|judge| LiveStop {
                words: judge.stands(|lineup| keyed.title(lineup)),
                between: judge.between(),
            }),
            finished,
            ..LiveSnapshot::of("run", self.experiment.name(), keyed.arena.name)
        };
        Ok(picture.with_players(players(&keyed, set.as_ref().ok(), &sum.lineups, each)?))
    }

    /// Returns the number of games that the tables lack because their players were skipped.
    fn spared(&self, keyed: &KeyedPlan, played: &[u64], each: u64) -> u64 {
        let manifest = manifest_of(&*system(), &self.tables).ok().flatten();
        let Some(run) = manifest.as_ref().and_then(Manifest::run) else { return 0 };
        let is_skipped =
            |lineup: &usize| keyed.members(*lineup).any(|player| run.skipped.contains_key(player.name));
        let skipped = (0..keyed.lineups.len()).filter(is_skipped);
        skipped.map(|lineup| each.saturating_sub(played.get(lineup).copied().unwrap_or(0))).sum()
    }

    /// Returns the tables of the run or of its complete blocks, or the reason why there are none.
    fn set(&self, tables: &TablesStatus, is_over: bool) -> anyhow::Result<ResultsSnapshot> {
        let has_tables =
            self.tables != self.folder || matches!(tables, TablesStatus::Current | TablesStatus::Other);
        if is_over || !has_tables {
            return read::set(self.experiment.catalog(), &self.tables);
        }
        // Older tables do not describe the games of this run.
        anyhow::bail!(
            "{} has tables from before this run; the run updates them at its end",
            shown(&self.folder)
        )
    }

    /// Describes how a finished run has ended, and where its tables are.
    fn ended(&self, set: &ResultsSnapshot) -> String {
        let how = how_it_ended(set).unwrap_or_else(|| "All games are played".to_owned());
        let said = format!("{how}; results in {}.", shown(&self.tables));
        std::iter::once(said).chain(set.warnings().iter().cloned()).collect::<Vec<_>>().join(" ")
    }

    /// Describes what the numbers of an unfinished run are, and how many of its shards there are.
    fn unfinished(
        &self,
        set: Result<&ResultsSnapshot, &anyhow::Error>,
        shards: &[(Shard, PathBuf)],
        parts: &[Progress],
    ) -> String {
        let said = set.map_or_else(|error| format!("{error:#}"), |set| set.warnings().join(" "));
        let Some((first, _)) = shards.first() else { return said };
        let whole = parts.iter().filter(|part| part.left() == 0).count();
        let playing = parts.iter().filter(|part| part.state == progress::RunState::Plays).count();
        let (all, begun) = (first.of(), parts.len());
        let merge = self.merge.as_ref().filter(|_| whole as u64 == all);
        let next = merge.map(|merge| format!(" All shards are complete; write the tables with {merge}."));
        let next = next.unwrap_or_default();
        format!(
            "{said} Shards: {begun} of {all} started here, {whole} complete, {playing} running on this machine.{next}"
        )
    }
}

/// Opens the journals of a run. If there are shards, they are the run, and a main journal next to
/// them belongs to another run.
fn journals(main: &Path, shards: &[(Shard, PathBuf)]) -> anyhow::Result<Journals> {
    let peek = |shard: Option<Shard>, path: &Path| Ok((shard, Journal::peek(path)?));
    if shards.is_empty() {
        return main.exists().then(|| peek(None, main)).into_iter().collect();
    }
    shards.iter().map(|(shard, path)| peek(Some(*shard), path)).collect()
}

/// Returns the judge of a run that may end early, fed with all games so far.
fn judge_of(
    keyed: &KeyedPlan,
    held: &[Coverage],
    main: &Path,
    shards: &[(Shard, PathBuf)],
) -> anyhow::Result<Option<Judge>> {
    if let ([run], true) = (held, shards.is_empty()) {
        return judge::heard(keyed, run);
    }
    let beside = main.exists().then(|| Journal::peek(main)).transpose()?;
    let beside = beside.as_ref().map(|journal| Coverage::of(keyed, journal)).transpose()?;
    judge::heard_together(keyed, beside.as_ref(), held)
}

/// Returns the verdicts on the claims of a finished run.
fn claims(set: &ResultsSnapshot) -> Vec<String> {
    let claims = read::table(set, "claims").ok();
    let verdicts = claims.iter().flat_map(VerdictSentence::all);
    let line = |VerdictSentence { text, verdict, .. }| match verdict {
        Some(verdict) => format!("{}: {text}", verdict.word()),
        None => text,
    };
    verdicts.map(line).collect()
}

/// Describes the result of a run with a `[stop]`; `None` for others.
fn how_it_ended(set: &ResultsSnapshot) -> Option<String> {
    let table = |name: &str| read::table(set, name).ok();
    let answer = |table: &Table| table.rows().next().map(|row| row.words("answer").to_owned());
    let how = table(STOP).as_ref().and_then(answer);
    how.or_else(|| precision::told(&table(PRECISION)?).map(|how| capital(&how)))
}

/// Describes which incomplete shards show no sign of progress.
fn silence(shards: &[(Shard, PathBuf)], parts: &[Progress]) -> Option<String> {
    let silent = shards.iter().zip(parts).filter(|(_, part)| part.is_silent());
    let told: Vec<_> =
        silent.map(|((shard, _), part)| format!("{shard} for {}", time_span(part.silent))).collect();
    (!told.is_empty()).then(|| {
        format!("silent unfinished shards: {}; see `gauntlet status` to resume them", listed(&told, NAMED))
    })
}

/// Returns the players with the numbers of the tables.
fn players(
    plan: &KeyedPlan,
    set: Option<&ResultsSnapshot>,
    played: &[u64],
    each: u64,
) -> anyhow::Result<Vec<LivePlayer>> {
    let read = |name: &str| -> anyhow::Result<Option<Table>> {
        set.filter(|set| read::has_table(set, name)).map(|set| read::table(set, name)).transpose()
    };
    let standings = read(sums_of(plan.arena.shape))?.map_or_else(Vec::new, |rates| standings(&rates, None));
    let by = if plan.arena.shape == Shape::Duel { StrengthMeasure::Elo } else { StrengthMeasure::WinRate };
    let strength = |name: &str| by.value(standings.iter().find(|one| one.name == name)?);
    let times: Vec<MoveTimeRow> =
        read(MoveTimeRow::NAME)?.iter().flat_map(Table::typed::<MoveTimeRow>).collect();
    let cost = |name: &str| {
        let row = times.iter().find(|row| row.player == name)?;
        Some(format!("{} a move", duration(row.mean_ms?)))
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
    Ok(plan.players.iter().enumerate().map(player).collect())
}

/// Returns the name of the table that ranks the players.
fn sums_of(shape: Shape) -> &'static str {
    SUMS_OF_PLAYERS[usize::from(shape == Shape::Duel)]
}

/// Returns warnings from the tables: players that forfeited games, and an overloaded machine.
fn doubts_in(set: &ResultsSnapshot, shape: Shape) -> anyhow::Result<Vec<String>> {
    let mut doubts = Vec::new();
    let name = sums_of(shape);
    if read::has_table(set, name) {
        let sums = read::table(set, name)?;
        let sums = sums.typed::<PlayerColumns>().filter(|one| one.forfeits > 0);
        doubts.extend(sums.map(|one| format!("{} has forfeited {}", one.player, games(one.forfeits))));
    }
    if read::has_table(set, MoveTimeRow::NAME) {
        doubts.extend(doubts::overload_in(&read::table(set, MoveTimeRow::NAME)?, shape));
    }
    Ok(doubts)
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
            which: which(block, leg),
            how: words::how(plan, lineup, leg, &record),
        })
    };
    (0..journal.lines().len()).rev().take(FINISHED).filter_map(of_line).collect()
}
