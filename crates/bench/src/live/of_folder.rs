//! The picture of a run that other processes play: made of its journals, which may be those of shards, and of the tables that are made
//! of the blocks that are complete for all players.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::picture::{Finished, Picture, Player, State, Stop, which};
use super::rate::Rate;
use super::words;
use crate::config::Experiment;
use crate::disk::system;
use crate::game::Shape;
use crate::plan::{Shard, plan};
use crate::results::store::folder::Tables;
use crate::results::store::read;
use crate::results::store::set::Set;
use crate::results::tables::doubts;
use crate::run::coverage::Coverage;
use crate::run::journal::Journal;
use crate::run::judge::{self, Judge};
use crate::run::keyed::Keyed;
use crate::run::{machine, places};
use crate::table::Table;
use crate::text::{duration, shown};

/// The most players that are shown: the first of the table.
const MOST_PLAYERS: usize = 100;

/// The number of games finished last that are shown.
const FINISHED: usize = 8;

/// Looks at a folder of results.
pub struct Watch<'a> {
    experiment: &'a Experiment,
    folder: &'a Path,
    /// Commands that go on from here: one that reports, and one that merges shards.
    report: String,
    merge: String,
    /// What lay there at the last look.
    traces: Vec<Trace>,
    rate: Rate,
}

/// How a file lay there: it is read again only when this has changed.
pub(super) type Trace = (PathBuf, u64, Option<SystemTime>);

/// A journal at one look.
struct Part {
    played: Vec<u64>,
    all: u64,
    is_in_use: bool,
}

impl<'a> Watch<'a> {
    /// Looks at the results of an experiment in a folder.
    pub fn of(experiment: &'a Experiment, folder: &'a Path, report: String, merge: String) -> Watch<'a> {
        Watch { experiment, folder, report, merge, traces: Vec::new(), rate: Rate::default() }
    }

    /// Looks again; none if nothing has changed.
    pub fn look(&mut self) -> anyhow::Result<Option<Picture>> {
        let main = places::path_in(self.folder, None);
        let shards = places::shards_in(self.folder)?;
        let manifest = self.folder.join("manifest.toml");
        let paths = std::iter::once(&manifest).chain([&main]).chain(shards.iter().map(|(_, path)| path));
        let traces: Vec<Trace> = paths.filter_map(|path| trace(path)).collect();
        let is_playing =
            std::iter::once(&main).chain(shards.iter().map(|(_, path)| path)).any(|path| is_in_use(path));
        // A run that ends writes no games, and says so all the same.
        if traces == self.traces && is_playing && !self.rate.is_empty() {
            return Ok(None);
        }
        let picture = self.picture(&main, &shards)?;
        self.traces = traces;
        Ok(Some(picture))
    }

    fn picture(&mut self, main: &Path, shards: &[(Shard, PathBuf)]) -> anyhow::Result<Picture> {
        let experiment = self.experiment;
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
                is_in_use: is_in_use(journal.path()),
            });
            warnings.extend(coverage.disputed.as_ref().map(|dispute| dispute.told.clone()));
            finished.extend(last_games(&keyed, journal));
        }
        let tables = Tables::of(&system(), experiment, self.folder);
        let lineups = keyed.lineups.len();
        let played: Vec<u64> =
            (0..lineups).map(|lineup| parts.iter().map(|part| part.played[lineup]).sum()).collect();
        let each = keyed.legs() * end;
        let (done, all) = (played.iter().sum::<u64>(), each * lineups as u64);
        let is_playing = parts.iter().any(|part| part.is_in_use);
        let is_over = matches!(tables, Tables::Current) && !is_playing && done >= all;
        let set = if is_over || !matches!(tables, Tables::Current | Tables::Other) {
            read::set(experiment.arenas(), self.folder)
        } else {
            // Tables of before say nothing of the games of now.
            Err(anyhow::anyhow!(
                "{} has tables of before this run; those of all its games come at its end",
                shown(self.folder)
            ))
        };
        let mut said = match &set {
            Ok(set) => set.warnings().join(" "),
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
            warnings.push("no process of this machine plays into this folder now".to_owned());
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
            scale: if keyed.arena.shape == Shape::Duel { "Elo" } else { "win rate" },
            stop: stop.filter(|_| !is_over),
            finished,
            report: if is_over { self.report.clone() } else { String::new() },
            ..Picture::default()
        };
        picture.finished.truncate(FINISHED);
        self.fill_in(&mut picture, &keyed, set.as_ref().ok(), &played, each)?;
        if let Ok(set) = &set
            && read::has_table(set, MS_PER_MOVE)
        {
            warnings.extend(doubts::overload_in(&read::table(set, MS_PER_MOVE)?, keyed.arena.shape));
        }
        picture.warnings = warnings;
        Ok(picture)
    }

    /// The players, as the tables have them.
    fn fill_in(
        &self,
        picture: &mut Picture,
        plan: &Keyed,
        set: Option<&Set>,
        played: &[u64],
        each: u64,
    ) -> anyhow::Result<()> {
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
        let value = |player: &Player| player.strength.map_or(f64::NEG_INFINITY, |strength| strength.value);
        players.sort_by(|one, other| value(other).total_cmp(&value(one)));
        picture.others = players.len().saturating_sub(MOST_PLAYERS);
        players.truncate(MOST_PLAYERS);
        picture.players = players;
        Ok(())
    }
}

const MS_PER_MOVE: &str = "ms-per-move";

pub(super) fn trace(path: &Path) -> Option<Trace> {
    let file = fs::metadata(path).ok()?;
    Some((path.to_owned(), file.len(), file.modified().ok()))
}

pub(super) fn is_in_use(path: &Path) -> bool {
    path.exists() && Journal::is_in_use(path)
}

fn stop_of(plan: &Keyed, judge: &Judge) -> Stop {
    Stop::of(judge.stands(|player| plan.players[player].name), judge.between())
}

/// The games that stand last in a journal, the last first.
fn last_games(plan: &Keyed, journal: &Journal) -> Vec<Finished> {
    let of_line = |line: &crate::run::journal::JournalLine| {
        let lineup = (0..plan.lineups.len()).find(|&lineup| plan.key(lineup) == &*line.key)?;
        let record = journal.read(line).ok()?.records()?.pop()?;
        let legs = plan.legs();
        let last = u64::from(line.games).checked_sub(1)?;
        let (block, leg) = (line.first? + last / legs, (last % legs) as usize);
        Some(Finished {
            who: plan.title(lineup),
            which: which(block, leg),
            how: words::how(plan, lineup, leg, &record),
        })
    };
    journal.lines().iter().rev().take(FINISHED).filter_map(of_line).collect()
}
