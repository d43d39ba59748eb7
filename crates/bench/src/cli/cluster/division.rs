//! The shards of a run that are left to play, and the commands that play and join them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf, absolute};

use anyhow::Context;

use super::super::commands::commands;
use super::super::exit::Usage;
use super::super::target::Target;
use crate::disk::system;
use crate::plan::{Shard, plan};
use crate::results::store::files::write_document;
use crate::run::coverage::Coverage;
use crate::run::journal::Journal;
use crate::run::keyed::Keyed;
use crate::run::places;
use crate::text::{grouped, quoted_path, shown};

/// Tasks of a run.
pub(super) struct Division {
    /// Name of the experiment.
    pub(super) name: String,
    /// This program.
    pub(super) program: PathBuf,
    /// The experiment's file.
    pub(super) file: PathBuf,
    /// The folder of its results.
    pub(super) folder: PathBuf,
    /// Number of shards.
    pub(super) of: u64,
    /// Numbers of the shards that are left.
    pub(super) left: Vec<u64>,
    /// Further options of each task.
    pub(super) more: String,
    /// Files that players are made of, as the experiment names them.
    pub(super) files: BTreeSet<PathBuf>,
    /// True if a player is another program.
    pub(super) has_programs: bool,
}

impl Division {
    /// The division of a run into this number of shards. Each holds as many blocks of every player as any other, so all take about
    /// as long. Fails if the folder holds shards of another division.
    pub(super) fn of(target: &Target, file: &Path, of: u64, more: String) -> anyhow::Result<Division> {
        let Target { experiment, folder } = target;
        let plan = plan(experiment);
        let blocks = plan.blocks.len();
        if of > blocks {
            return Err(Usage(format!(
                "{} shards of {} blocks: some would hold none; at most --shards {blocks}",
                grouped(of),
                grouped(blocks)
            ))
            .into());
        }
        let mut left: Vec<u64> = (1..=of).collect();
        let journals = places::shards_in(folder)?;
        if let Some((other, _)) = journals.iter().find(|(shard, _)| shard.of() != of) {
            return Err(Usage(format!(
                "{} holds journals of {} shards, and a run is divided once: say --shards {}, or move them away",
                shown(folder),
                grouped(other.of()),
                other.of()
            ))
            .into());
        }
        let mut keyed = None;
        for (shard, path) in &journals {
            let journal = Journal::peek(path)?;
            let known = match keyed.take() {
                Some(known) => known,
                None => Keyed::of(plan.clone(), &[&journal])?,
            };
            if is_complete(keyed.insert(known), &journal, *shard)? {
                left.retain(|&number| number != shard.index());
            }
        }
        // A task may start anywhere, so paths begin at the root.
        let whole = |path: &Path| absolute(path).with_context(|| format!("cannot find {}", shown(path)));
        Ok(Division {
            name: experiment.name().to_owned(),
            program: std::env::current_exe().context("cannot find this program's own file")?,
            file: whole(file)?,
            folder: whole(folder)?,
            of,
            left,
            more,
            has_programs: !commands(experiment).is_empty(),
            files: experiment
                .entries()
                .iter()
                .flat_map(|entry| entry.entrant.files.iter().map(|file| file.path.clone()))
                .collect(),
        })
    }

    /// Name of its jobs: that of the experiment, as far as it means nothing to a shell.
    pub(super) fn plain_name(&self) -> String {
        let plain = |letter: char| if letter.is_alphanumeric() || letter == '_' { letter } else { '-' };
        format!("gauntlet-{}", self.name.chars().map(plain).collect::<String>())
    }

    /// The command that plays a shard. Its number may be a variable of a shell.
    pub(super) fn task(&self, number: &str) -> String {
        format!("{} --shard {number}/{}{} --quiet", self.command("run"), self.of, self.more)
    }

    /// The command that joins the shards.
    pub(super) fn merge(&self) -> String {
        self.command("merge")
    }

    fn command(&self, verb: &str) -> String {
        let around = self.folder.parent().unwrap_or(Path::new("/"));
        format!(
            "{} {verb} {} --results {}",
            quoted_path(&self.program),
            quoted_path(&self.file),
            quoted_path(around)
        )
    }

    /// The command that makes the page of the joined results.
    pub(super) fn page(&self) -> String {
        let page = self.folder.join("report.html");
        format!(
            "{} report {} --out {}",
            quoted_path(&self.program),
            quoted_path(&self.folder),
            quoted_path(&page)
        )
    }

    /// Folder for scripts and what tasks say.
    pub(super) fn scripts(&self) -> PathBuf {
        self.folder.join("cluster")
    }

    /// Writes a script, in place of an older one. Returns its path.
    pub(super) fn write(&self, name: &str, text: &str) -> anyhow::Result<PathBuf> {
        let folder = self.scripts();
        fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", shown(&folder)))?;
        let path = folder.join(name);
        write_document(&system(), &path, text.as_bytes())?;
        Ok(path)
    }
}

/// True if a journal holds all games of its shard.
fn is_complete(plan: &Keyed, journal: &Journal, shard: Shard) -> anyhow::Result<bool> {
    let coverage = Coverage::of(plan, journal)?;
    let among = shard.blocks(plan.blocks.len());
    Ok((0..plan.lineups.len()).all(|lineup| coverage.blocks(lineup, &among) == among.end - among.start))
}
