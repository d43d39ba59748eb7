//! A folder of results, read back: all that comparisons and the page know of it. Nothing is played for them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};

use super::folder::{EXPERIMENT, GAMES, MANIFEST};
use super::manifest::FORMAT;
use super::tables::{forget_absent_limit, printed, schemas, tell_old_times};
use super::times::{self, TIMES};
use crate::arena;
use crate::compare::sample::{self, Sample};
use crate::compare::stop::{STOP, Settled};
use crate::config::{self, Experiment, LoadError};
use crate::measure::Measure;
use crate::plan::plan;
use crate::stats::Distribution;
use crate::table::Table;
use crate::tally::clock::Clock;
use crate::tally::replay::hear_rows;

/// A folder of results.
#[derive(Debug)]
pub struct Results {
    /// The folder.
    pub folder: PathBuf,
    /// What was asked for.
    pub experiment: Experiment,
    /// Where, when and by what it was made.
    pub manifest: toml::Table,
    /// What came of its `[stop]`; none if it has none.
    pub settled: Option<Settled>,
}

impl Results {
    /// Reads a folder that a run or a merge has filled.
    pub fn read(folder: &Path) -> anyhow::Result<Results> {
        let manifest = manifest(folder)?;
        let experiment = config::load_without_files(arena::GAMES, &folder.join(EXPERIMENT)).map_err(
            |error| match error {
                LoadError::Unreadable(error) => error,
                LoadError::Mistaken(mistakes) => anyhow!(mistakes),
            },
        )?;
        let mut results = Results { folder: folder.to_owned(), experiment, manifest, settled: None };
        if results.experiment.stop().is_some() {
            let table = results.table(STOP.name)?;
            results.settled = Settled::read(&results.experiment, table.as_ref());
        }
        Ok(results)
    }

    /// What the experiment is called.
    pub fn name(&self) -> &str {
        self.experiment.name()
    }

    /// What a reader would type to get the same.
    pub fn command(&self) -> &str {
        self.manifest.get("command").and_then(toml::Value::as_str).unwrap_or_default()
    }

    /// One of its tables; none if the experiment has no such table.
    pub fn table(&self, name: &str) -> anyhow::Result<Option<Table>> {
        if self.folder.join(format!("{name}.csv")).exists() {
            read_table(&self.folder, name).map(Some)
        } else {
            Ok(None)
        }
    }

    /// How long each player thought; none in results of before there was a yardstick.
    pub fn clocks(&self) -> anyhow::Result<Option<BTreeMap<String, Clock>>> {
        let Some(table) = self.table(TIMES.name)? else { return Ok(None) };
        let mut clocks = times::clocks(&table);
        let of_several_machines = self.sessions().windows(2).any(|pair| pair[0] != pair[1]);
        clocks.values_mut().for_each(|clock| clock.of_several_machines = of_several_machines);
        Ok(Some(clocks))
    }

    /// The processor and the yardstick of each session.
    pub(super) fn sessions(&self) -> Vec<[Option<toml::Value>; 2]> {
        let sessions = self.manifest.get("session").and_then(toml::Value::as_array);
        let of = |session: &toml::Value| ["cpu", "yardstick"].map(|key| session.get(key).cloned());
        sessions.into_iter().flatten().map(of).collect()
    }

    /// Whether it is known how long players thought.
    pub fn has_clocks(&self) -> bool {
        self.folder.join(format!("{}.csv", TIMES.name)).exists()
    }

    /// Whether its games are there; large ones often are not kept.
    pub fn has_games(&self) -> bool {
        self.folder.join(GAMES).exists()
    }

    /// What comparisons by these measures need of the games of each player, in the order of the experiment.
    pub fn samples(&self, by: &[Measure]) -> anyhow::Result<Vec<(String, Sample)>> {
        self.read_games(|csv| {
            let samples = sample::read(&plan(&self.experiment), csv, by);
            samples.with_context(|| format!("{} is damaged", self.folder.join(GAMES).display()))
        })
    }

    /// The scores of each player's games, in the order of the experiment.
    pub fn scores(&self) -> anyhow::Result<Vec<(String, Distribution)>> {
        let plan = plan(&self.experiment);
        let mut scores = vec![Distribution::default(); plan.players.len()];
        self.read_games(|csv| {
            let heard = hear_rows(&plan, csv, |player, _, record| {
                if !record.ending.is_panic() {
                    scores[player].add(record.score());
                }
            });
            heard.with_context(|| format!("{} is damaged", self.folder.join(GAMES).display()))
        })?;
        Ok(plan.players.iter().map(|player| player.name.to_owned()).zip(scores).collect())
    }

    /// Reads the file of its games, which must be the one that the manifest tells of.
    pub(super) fn read_games<T>(
        &self,
        read: impl FnOnce(&mut dyn Read) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let path = self.folder.join(GAMES);
        let shown = path.display();
        if !path.exists() {
            return Err(anyhow!("{shown} is not there; `{}` makes it again", self.command()));
        }
        let unreadable = || format!("cannot read {shown}");
        let mut csv = Digested(File::open(&path).with_context(unreadable)?, blake3::Hasher::new());
        let found = read(&mut csv);
        // Where a row is damaged, the rest is not read yet.
        io::copy(&mut csv, &mut io::sink()).with_context(unreadable)?;
        let digest = self.manifest.get("digests").and_then(|digests| digests.get(GAMES)?.as_str());
        if digest != Some(csv.1.finalize().to_hex().as_str()) {
            return Err(anyhow!(
                "{shown} is not the one that the manifest beside it tells of: it was changed or cut"
            ));
        }
        found
    }
}

/// A file that is read, and the digest of what was read of it.
struct Digested(File, blake3::Hasher);

impl Read for Digested {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(bytes)?;
        self.1.update(&bytes[..read]);
        Ok(read)
    }
}

/// The manifest of a folder of results.
pub fn manifest(folder: &Path) -> anyhow::Result<toml::Table> {
    let path = folder.join(MANIFEST);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let manifest: toml::Table = text.parse().with_context(|| format!("{} is damaged", path.display()))?;
    match manifest.get("format").and_then(toml::Value::as_integer) {
        Some(format) if format > FORMAT.into() => Err(anyhow!(
            "{} was written by a newer gauntlet (format {format}; this one reads up to {FORMAT})",
            path.display()
        )),
        _ => Ok(manifest),
    }
}

/// A table of some results, from its file.
pub fn read_table(folder: &Path, name: &str) -> anyhow::Result<Table> {
    let Some(schema) = schemas().into_iter().chain([TIMES]).find(|schema| schema.name == name) else {
        bail!("there is no table `{name}`: expected {}", printed().join(", "));
    };
    let path = folder.join(format!("{name}.csv"));
    let csv = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let table = Table::from_csv(&schema, &csv);
    let damaged = || format!("{} is damaged, or of another version of gauntlet", path.display());
    let mut table = table.with_context(damaged)?;
    tell_old_times(&mut table);
    forget_absent_limit(&mut table);
    Ok(table)
}
