//! The picture of a run that other processes play: made of its journals, which may be those of shards, and of the tables that are made
//! of the blocks that are complete for all players.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::heard::FINISHED;
use super::picture::{Finished, Picture, Player, State, Stop, which};
use super::rate::Rate;
use super::traces::Traces;
use super::words;
use crate::compare::precision::{self, PRECISION};
use crate::compare::stop::STOP;
use crate::config::Experiment;
use crate::disk::system;
use crate::game::Shape;
use crate::plan::{Shard, plan};
use crate::results::store::folder::Tables;
use crate::results::store::read;
use crate::results::store::set::{MANIFEST, Set};
use crate::results::tables::doubts;
use crate::run::coverage::Coverage;
use crate::run::journal::Journal;
use crate::run::judge::{self, Judge};
use crate::run::keyed::Keyed;
use crate::run::shards::{Progress, progress};
use crate::run::{machine, places};
use crate::table::{Row, Table};
use crate::text::{capital, duration, games, listed, shown, time_span};

/// Looks at a folder of results.
pub struct Watch {
    experiment: Experiment,
    folder: PathBuf,
    /// Commands that go on from here: one that reports, and one that merges shards.
    report: String,
    merge: String,
    /// What lay there at the last look, and when that was; none before the first one.
    traces: Option<(Traces, Instant)>,
    rate: Rate,
}

/// Where nothing has changed for so long, it is looked at again.
const AGAIN: Duration = Duration::from_secs(30);

/// Of more silent shards than these it is told how many there are.
const NAMED: usize = 5;

/// A journal at one look.
struct Part {
    played: Vec<u64>,
    all: u64,
    is_in_use: bool,
}

impl Watch {
    /// Looks at the results of an experiment in a folder.
    pub fn of(experiment: Experiment, folder: PathBuf, report: String, merge: String) -> Watch {
        Watch { experiment, folder, report, merge, traces: None, rate: Rate::default() }
    }

    /// Looks again; none if nothing has changed.
    pub fn look(&mut self) -> anyhow::Result<Option<Picture>> {
        let main = places::path_in(&self.folder, None);
        let shards = places::shards_in(&self.folder)?;
        let journals = [&main].into_iter().chain(shards.iter().map(|(_, path)| path)).cloned();
        // A run that ends writes its manifest, and leaves its journal.
        let traces = Traces::of([self.folder.join(MANIFEST)]).with_journals(journals);
        // Silence is nothing that could be seen of a file, and is told all the same.
        let is_same = |(before, then): &(Traces, Instant)| *before == traces && then.elapsed() < AGAIN;
        if self.traces.as_ref().is_some_and(is_same) {
            return Ok(None);
        }
        self.traces = None;
        let picture = self.picture(&main, &shards)?;
        self.traces = Some((traces, Instant::now()));
        Ok(Some(picture))
    }

    fn picture(&mut self, main: &Path, shards: &[(Shard, PathBuf)]) -> anyhow::Result<Picture> {
        let experiment = &self.experiment;
        let plan = plan(experiment);
        let mut journals = Vec::new();
        let main_too = main.exists().then_some((None, main));
        // Where shards lie, they are what is played, and a run beside them is another.
        let of_shards = shards.iter().map(|(shard, path)| (Some(*shard), &**path));
        let sources: Vec<_> =
            if shards.is_empty() { main_too.into_iter().collect() } else { of_shards.collect() };
        for (shard, path) in sources {
            journals.push((shard, Journal::peek(path)?));
        }
        let keyed = Keyed::of(plan, &journals.iter().map(|(_, journal)| journal).collect::<Vec<_>>())?;
        let mut finished = Vec::new();
        let mut warnings = Vec::new();
        let mut stop = None;
        let mut end = keyed.blocks.len();
        let mut parts = Vec::new();
        let held = journals.iter().map(|(_, journal)| Coverage::of(&keyed, journal));
        let held = held.collect::<anyhow::Result<Vec<_>>>()?;
        let judge = match &held[..] {
            [run] if shards.is_empty() => judge::heard(&keyed, run)?,
            held => {
                let beside = main_too.map(|(_, path)| Journal::peek(path)).transpose()?;
                let beside = beside.as_ref().map(|journal| Coverage::of(&keyed, journal)).transpose()?;
                judge::heard_together(&keyed, beside.as_ref(), held)?
            }
        };
        if let Some(judge) = judge {
            end = judge.end().unwrap_or(end);
            stop = Some(stop_of(&keyed, &judge));
        }
        for ((shard, journal), coverage) in journals.iter().zip(&held) {
            let among = keyed.parts_before(end, *shard);
            let played =
                (0..keyed.lineups.len()).map(|lineup| keyed.legs() * coverage.blocks_in(lineup, &among));
            parts.push(Part {
                played: played.collect(),
                all: keyed.legs() * among.iter().map(|part| part.end - part.start).sum::<u64>(),
                is_in_use: Journal::is_in_use(journal.path()),
            });
            warnings.extend(coverage.disputed.as_ref().map(|dispute| dispute.told.clone()));
            finished.extend(last_games(&keyed, journal));
        }
        warnings.extend(silence(&progress(&keyed, shards, end)?));
        let tables = Tables::of(&system(), experiment, &self.folder);
        let lineups = keyed.lineups.len();
        let played: Vec<u64> =
            (0..lineups).map(|lineup| parts.iter().map(|part| part.played[lineup]).sum()).collect();
        let each = keyed.legs() * end;
        let (done, all) = (played.iter().sum::<u64>(), each * lineups as u64);
        let is_playing = parts.iter().any(|part| part.is_in_use);
        let is_over = matches!(tables, Tables::Current) && !is_playing && done >= all;
        let set = if is_over || !matches!(tables, Tables::Current | Tables::Other) {
            read::set(experiment.arenas(), &self.folder)
        } else {
            // Tables of before say nothing of the games of now.
            Err(anyhow::anyhow!(
                "{} has tables of before this run; those of all its games come at its end",
                shown(&self.folder)
            ))
        };
        let mut said = match &set {
            Ok(set) => {
                let how = how_it_ended(set).filter(|_| is_over).map(|how| how + ".");
                how.into_iter()
                    .chain(set.warnings().iter().map(ToString::to_string))
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            Err(error) => format!("{error:#}"),
        };
        let whole = parts.iter().filter(|part| part.played.iter().all(|&played| played == part.all)).count();
        if let Some((first, _)) = shards.first()
            && !is_over
        {
            let playing = parts.iter().filter(|part| part.is_in_use).count();
            let all = first.of();
            said += &format!(
                " Of {all} shards {} have begun here, {whole} are complete, {playing} play now on this machine.",
                parts.len()
            );
            if whole as u64 == all {
                said += &format!(" All are complete: {} writes the tables.", self.merge);
            }
        } else if !is_playing && !is_over {
            warnings.push(words::NO_PROCESS.to_owned());
        }
        let mut picture = Picture {
            kind: "run",
            title: experiment.name().to_owned(),
            game: keyed.arena.name.to_owned(),
            version: machine::VERSION.to_owned(),
            state: if is_over {
                State::Finished
            } else if done > 0 {
                State::Plays
            } else {
                State::Begins
            },
            said,
            progress: self.rate.progress(done, all),
            scale: words::scale(keyed.arena.shape),
            stop: stop.filter(|_| !is_over),
            finished,
            report: if is_over { self.report.clone() } else { String::new() },
            ..Picture::default()
        };
        picture.finished.truncate(FINISHED);
        if let Ok(set) = &set {
            warnings.extend(forfeits(set, keyed.arena.shape)?);
        }
        picture = picture.with_players(players(&keyed, set.as_ref().ok(), &played, each)?);
        if let Ok(set) = &set
            && read::has_table(set, MS_PER_MOVE)
        {
            warnings.extend(doubts::overload_in(&read::table(set, MS_PER_MOVE)?, keyed.arena.shape));
        }
        picture.warnings = warnings;
        Ok(picture)
    }
}

/// How a run with a `[stop]` came out, in words with which a sentence begins; none of other runs.
pub fn how_it_ended(set: &Set) -> Option<String> {
    let table = |name: &str| read::table(set, name).ok();
    let answer = |table: &Table| table.rows().next().map(|row| row.words("answer").to_owned());
    let how = table(STOP).as_ref().and_then(answer);
    how.or_else(|| precision::told(&table(PRECISION)?)).map(|how| capital(&how))
}

/// The shards that are not complete and of which nothing shows that they go on.
fn silence(shards: &[Progress]) -> Option<String> {
    let silent = shards.iter().filter(|shard| shard.is_silent());
    let told: Vec<_> =
        silent.map(|shard| format!("{} for {}", shard.shard, time_span(shard.silent))).collect();
    (!told.is_empty()).then(|| {
        format!(
            "shards that are silent and not complete: {}; `gauntlet status` tells how to go on",
            listed(&told, NAMED)
        )
    })
}

/// The players, as the tables have them.
fn players(plan: &Keyed, set: Option<&Set>, played: &[u64], each: u64) -> anyhow::Result<Vec<Player>> {
    let is_duel = plan.arena.shape == Shape::Duel;
    let read = |name: &str| -> anyhow::Result<Option<Table>> {
        set.filter(|set| read::has_table(set, name)).map(|set| read::table(set, name)).transpose()
    };
    let strengths = read(if is_duel { "elo" } else { "win-rate" })?;
    let times = read(MS_PER_MOVE)?;
    let column = if is_duel { "elo" } else { "win_rate" };
    let found = |table: &Option<Table>, name: &str, column: &str| {
        let row = table.as_ref()?.rows().find(|row| row.words("player") == name)?;
        row.estimate(column)
    };
    let cost = |name: &str| {
        let row = times.as_ref()?.rows().find(|row| row.words("player") == name)?;
        Some(format!("{} a move", duration(row.number("mean_ms")?)))
    };
    let mut players = Vec::new();
    for (place, player) in plan.players.iter().enumerate() {
        let own: Vec<u64> = (0..plan.lineups.len())
            .filter(|&lineup| plan.lineups[lineup].members().contains(&place))
            .map(|lineup| played[lineup])
            .collect();
        players.push(Player {
            name: player.name.to_owned(),
            done: own.iter().sum(),
            all: each * own.len() as u64,
            strength: found(&strengths, player.name, column).map(Into::into),
            cost: cost(player.name).unwrap_or_default(),
            ..Player::default()
        });
    }
    Ok(players)
}

const MS_PER_MOVE: &str = "ms-per-move";

/// The players that have forfeited games, as the tables have them.
fn forfeits(set: &Set, shape: Shape) -> anyhow::Result<Vec<String>> {
    let name = if shape == Shape::Duel { "elo" } else { "win-rate" };
    if !read::has_table(set, name) {
        return Ok(Vec::new());
    }
    let table = read::table(set, name)?;
    let told = |row: Row| {
        let number = row.count("forfeits").filter(|number| *number > 0)?;
        Some(format!("{} has forfeited {}", row.words("player"), games(number)))
    };
    Ok(table.rows().filter_map(told).collect())
}

fn stop_of(plan: &Keyed, judge: &Judge) -> Stop {
    Stop::of(judge.stands(|player| plan.players[player].name), judge.between())
}

/// The games that stand last in a journal, the last first.
fn last_games(plan: &Keyed, journal: &Journal) -> Vec<Finished> {
    let of_line = |place: usize| {
        let line = journal.line(place);
        let lineup = (0..plan.lineups.len()).find(|&lineup| plan.key(lineup) == &*line.key)?;
        let record = journal.read(place).ok()?.records()?.pop()?;
        let legs = plan.legs();
        let last = u64::from(line.games).checked_sub(1)?;
        let (block, leg) = (line.first? + last / legs, (last % legs) as usize);
        Some(Finished {
            who: plan.title(lineup),
            which: which(block, leg),
            how: words::how(plan, lineup, leg, &record),
        })
    };
    (0..journal.lines().len()).rev().take(FINISHED).filter_map(of_line).collect()
}
