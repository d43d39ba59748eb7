//! A folder of results, read back: all that comparisons and the page know of it. Nothing is played for them.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};

use super::absent;
use super::folder::has_tables;
use super::manifest;
use super::partial;
use super::set::{GAMES, Set};
use super::settings;
use super::tables::{
    SETTINGS, SUMS_OF_PLAYERS, VERDICTS, asked_for, cut_games, forget_absent_limit, schemas, tell_old_times,
};
use super::times::{self, TIMES};
use super::tuning::is_tuning;
use crate::arena::Arenas;
use crate::compare::sample::{self, Sample};
use crate::compare::stop::{STOP, Settled};
use crate::config::Experiment;
use crate::disk::{Disk, system};
use crate::measure::Measure;
use crate::plan::{LineUp, plan};
use crate::stats::Distribution;
use crate::table::Table;
use crate::tally::clock::Clock;
use crate::tally::meeting::Meetings;
use crate::tally::replay::{hear_rows, is_broken};
use crate::text::shown;

/// A folder of results.
#[derive(Debug)]
pub struct Results {
    /// The folder.
    pub folder: PathBuf,
    /// What was asked for.
    pub experiment: Experiment,
    /// Its files.
    pub set: Set,
    /// What came of its `[stop]`; none if it has none.
    pub settled: Option<Settled>,
}

impl Results {
    /// Reads a folder that a run or a merge has filled, or is filling.
    pub fn read(arenas: Arenas, folder: &Path) -> anyhow::Result<Results> {
        Results::settled(set(arenas, folder)?)
    }

    /// Reads a folder that a run or a merge has filled, on some file system.
    pub fn read_on(arenas: Arenas, disk: &Arc<dyn Disk>, folder: &Path) -> anyhow::Result<Results> {
        Results::settled(Set::read(arenas, disk, folder)?)
    }

    fn settled(set: Set) -> anyhow::Result<Results> {
        let mut results = Results::of(set)?;
        if results.experiment.stop().is_some() {
            let table = results.table(STOP.name)?;
            results.settled = Settled::read(&results.experiment, table.as_ref());
        }
        Ok(results)
    }

    /// The same for making the verdicts anew: these tables need not be there, nor the copy of the experiment if that is
    /// the one to be judged by.
    pub(super) fn to_be_judged(
        arenas: Arenas,
        disk: &Arc<dyn Disk>,
        folder: &Path,
        experiment: &Experiment,
    ) -> anyhow::Result<Results> {
        let set = Set::read(arenas, disk, folder)?;
        if set.experiment_digest() == Some(&manifest::digest(experiment)) {
            return Ok(Results {
                folder: folder.to_owned(),
                experiment: experiment.clone(),
                set,
                settled: None,
            });
        }
        Results::of(set)
    }

    fn of(set: Set) -> anyhow::Result<Results> {
        let folder = set.folder().to_owned();
        Ok(Results { folder, experiment: set.experiment()?, set, settled: None })
    }

    /// What the experiment is called.
    pub fn name(&self) -> &str {
        self.experiment.name()
    }

    /// Where, when and by what it was made.
    pub fn manifest(&self) -> &toml::Table {
        self.set.manifest()
    }

    /// What a reader would type to get the same.
    pub fn command(&self) -> &str {
        self.set.command()
    }

    /// One of its tables; none if the experiment has no such table.
    pub fn table(&self, name: &str) -> anyhow::Result<Option<Table>> {
        if has_table(&self.set, name) { table(&self.set, name).map(Some) } else { Ok(None) }
    }

    /// The settings of its players, each with all of them.
    pub fn settings(&self) -> anyhow::Result<Table> {
        settings::of_results(&self.set)
    }

    /// How long each player thought; none in results of before there was a yardstick.
    pub fn clocks(&self) -> anyhow::Result<Option<BTreeMap<String, Clock>>> {
        let Some(table) = self.table(TIMES.name)? else { return Ok(None) };
        let mut clocks = times::clocks(&table);
        let of_several_machines = self.sessions().windows(2).any(|pair| pair[0] != pair[1]);
        clocks.values_mut().for_each(|clock| clock.of_several_machines = of_several_machines);
        for name in SUMS_OF_PLAYERS {
            for (player, cut) in self.table(name)?.iter().flat_map(cut_games) {
                clocks.entry(player).or_default().cut_games = cut;
            }
        }
        Ok(Some(clocks))
    }

    /// The processor and the yardstick of each session.
    pub(super) fn sessions(&self) -> Vec<[Option<toml::Value>; 2]> {
        let sessions = self.manifest().get("session").and_then(toml::Value::as_array);
        let of = |session: &toml::Value| ["cpu", "yardstick"].map(|key| session.get(key).cloned());
        sessions.into_iter().flatten().map(of).collect()
    }

    /// Whether it is known how long players thought.
    pub fn has_clocks(&self) -> bool {
        has_table(&self.set, TIMES.name)
    }

    /// Whether its games are there; large ones often are not kept.
    pub fn has_games(&self) -> bool {
        self.set.holds(GAMES)
    }

    /// What comparisons by these measures need of the games of each player, in the order of the experiment.
    pub fn samples(&self, by: &[Measure]) -> anyhow::Result<Vec<(String, Sample)>> {
        self.read_games(|csv| {
            let samples = sample::read(&plan(&self.experiment), csv, by);
            samples.with_context(|| format!("{} is damaged", shown(&self.folder.join(GAMES))))
        })
    }

    /// What the games of each two players against each other add up to.
    pub fn meetings(&self) -> anyhow::Result<Meetings> {
        let plan = plan(&self.experiment);
        let mut meetings = Meetings::of(&plan);
        self.read_games(|csv| {
            let heard = hear_rows(&plan, csv, |lineup, block, legs| {
                if !is_broken(legs) {
                    meetings.add(&plan, lineup, block, legs);
                }
            });
            heard.with_context(|| format!("{} is damaged", shown(&self.folder.join(GAMES))))
        })?;
        Ok(meetings)
    }

    /// The scores of each player's games, in the order of the experiment.
    pub fn scores(&self) -> anyhow::Result<Vec<(String, Distribution)>> {
        let plan = plan(&self.experiment);
        let mut scores = vec![Distribution::default(); plan.players.len()];
        self.read_games(|csv| {
            let heard = hear_rows(&plan, csv, |lineup, _, legs| {
                if let (LineUp::Alone([player]), [record], false) =
                    (plan.lineups[lineup], legs, is_broken(legs))
                {
                    scores[player].add(record.score());
                }
            });
            heard.with_context(|| format!("{} is damaged", shown(&self.folder.join(GAMES))))
        })?;
        Ok(plan.players.iter().map(|player| player.name.to_owned()).zip(scores).collect())
    }

    /// Reads the file of its games.
    pub(super) fn read_games<T>(
        &self,
        read: impl FnOnce(&mut dyn Read) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        self.set.stream(GAMES, read)
    }
}

/// The tables of a folder: those that lie there, or where none do, those of the games that its journals hold by now.
pub fn set(arenas: Arenas, folder: &Path) -> anyhow::Result<Set> {
    if is_tuning(folder) {
        return Err(absent::results(arenas, folder));
    }
    if let Some(set) = partial::set(arenas, folder)? {
        return Ok(set);
    }
    if !has_tables(&*system(), folder) {
        return Err(absent::results(arenas, folder));
    }
    let mut set = Set::read(arenas, &system(), folder)?;
    set.warnings.extend(partial::continued(&set));
    Ok(set)
}

/// Whether some results have a table.
pub fn has_table(set: &Set, name: &str) -> bool {
    set.names(&format!("{name}.csv"))
}

/// A table of some results, from its file.
pub fn table(set: &Set, name: &str) -> anyhow::Result<Table> {
    if name == SETTINGS {
        return settings::of_results(set);
    }
    let Some(schema) = schemas(set.arenas()).into_iter().chain([TIMES]).find(|schema| schema.name == name)
    else {
        bail!("there is no table `{name}`: expected {}", asked_for(set.arenas()).join(", "));
    };
    let file = format!("{name}.csv");
    if !set.names(&file) {
        let is_verdict = VERDICTS.iter().any(|schema| schema.name == name);
        match set.partial() {
            Some(partial) if is_verdict && !partial.is_whole => {
                bail!("{} have no table `{name}` before the run is finished", shown(set.folder()))
            }
            _ => bail!("{} have no table `{name}`", shown(set.folder())),
        }
    }
    let csv = set.bytes(&file)?;
    let damaged =
        || format!("{} is damaged, or of another version of gauntlet", shown(&set.folder().join(&file)));
    let mut table = Table::from_csv(&schema, &csv).with_context(damaged)?;
    tell_old_times(&mut table);
    forget_absent_limit(&mut table);
    Ok(table)
}
