//! The shards of a run that are left to play, and the commands that play and merge them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf, absolute};

use anyhow::Context;
use gauntlet_analysis::results::store::files::write_document;
use gauntlet_analysis::results::store::manifest::experiment_digest;
use gauntlet_analysis::results::store::tuning::{FOLDER, finished_budget};
use gauntlet_core::disk::system_disk;
use gauntlet_core::text::{display_path, format_count, group_digits, quote_for_script};
use gauntlet_run::decision::ShardEarlyStop;
use gauntlet_run::division::{ShardDivision, fix_division};
use gauntlet_run::journal::Journal;
use gauntlet_run::keyed_plan::KeyedPlan;
use gauntlet_run::paths;
use gauntlet_run::plan::Shard;
use gauntlet_run::shards::complete_shards;
use gauntlet_tune::section::TuneSection;

use gauntlet_cli::exit::Usage;
use gauntlet_cli::output::print_message;
use gauntlet_cli::permission::external_commands;
use gauntlet_cli::target::Target;

/// Tasks of a run or of a tuning.
pub(crate) struct Division {
    /// True if the tasks are workers of one tuning.
    pub(crate) is_tuning: bool,
    /// Name of the experiment.
    pub(crate) name: String,
    /// Path of this program.
    pub(crate) program: PathBuf,
    /// The experiment's file.
    pub(crate) file: PathBuf,
    /// The folder of its results.
    pub(crate) folder: PathBuf,
    /// Number of shards.
    pub(crate) shard_count: u64,
    /// Numbers of the shards that are left.
    pub(crate) remaining: Vec<u64>,
    /// Option for how long the workers of a tuning wait for the first one; empty for the default.
    pub(crate) wait_option: &'static str,
    /// Further options of each task.
    pub(crate) options: String,
    /// Digest that identifies this division among all experiments and results folders.
    pub(crate) digest: String,
    /// Files from which players are built, as named in the experiment.
    pub(crate) files: BTreeSet<PathBuf>,
    /// True if a player is an external program.
    pub(crate) has_programs: bool,
}

impl Division {
    /// Divides a tuning among workers, which share its games. No task is left if the tuning has an
    /// answer.
    pub(crate) fn from_tuning(
        target: &Target,
        file: &Path,
        shard_count: u64,
        options: String,
    ) -> anyhow::Result<Division> {
        let tune = TuneSection::from_experiment(&target.experiment);
        let budget = tune.map_or(0, |tune| tune.budget);
        let is_answered =
            finished_budget(&target.folder.join(FOLDER))?.is_some_and(|finished| finished >= budget);
        let remaining = if is_answered { Vec::new() } else { (1..=shard_count).collect() };
        Division::from_parts(target, file, (shard_count, remaining), options, true)
    }

    /// Divides a run into this number of shards. Every shard has equally many blocks of every
    /// player, so all take about the same time. Fails if the folder contains shards of another
    /// division.
    pub(crate) fn new(
        target: &Target,
        file: &Path,
        shard_division: ShardDivision,
        options: String,
    ) -> anyhow::Result<Division> {
        let shard_count = shard_division.shards;
        let Target { experiment, folder } = target;
        let plan = experiment.plan();
        let blocks = plan.blocks.len();
        if shard_count > blocks {
            return Err(Usage(format!(
                "{} shards for {} blocks: some shards would be empty; use at most --shards {blocks}",
                group_digits(shard_count),
                group_digits(blocks)
            ))
            .into());
        }
        let mut remaining: Vec<u64> = (1..=shard_count).collect();
        let journals = paths::find_shards(folder)?;
        if let Some((other, _)) = journals.iter().find(|(shard, _)| shard.count() != shard_count) {
            return Err(Usage(format!(
                "{} already has journals of {} shards: use --shards {}, or move the journals away",
                display_path(folder),
                group_digits(other.count()),
                other.count()
            ))
            .into());
        }
        if let Some((shard, path)) = journals.first() {
            let plan = KeyedPlan::new(plan, &[&Journal::peek(path)?])?;
            let digest = experiment_digest(experiment);
            let end = match ShardEarlyStop::new(&plan, folder, &digest, *shard)
                .map(|early_stop| early_stop.read_end())
            {
                Some(Ok(Some(end))) => end,
                _ => blocks,
            };
            let complete: BTreeSet<u64> =
                complete_shards(&plan, &journals, end)?.into_iter().map(Shard::index).collect();
            remaining.retain(|number| !complete.contains(number));
        }
        let division = Division::from_parts(target, file, (shard_count, remaining), options, false)?;
        if let Some(earlier) = fix_division(folder, shard_division)? {
            print_message(format_args!(
                "now divided into {} instead of {}: queued tasks of the old division will exit without playing",
                format_count(shard_count, "shard"),
                group_digits(earlier)
            ));
        }
        Ok(division)
    }

    fn from_parts(
        target: &Target,
        file: &Path,
        (shard_count, remaining): (u64, Vec<u64>),
        options: String,
        is_tuning: bool,
    ) -> anyhow::Result<Division> {
        let Target { experiment, folder } = target;
        let program = std::env::current_exe().context("cannot find the gauntlet executable")?;
        let full_folder = absolute_path(folder)?;
        let digest = format!("{}\n{}", experiment_digest(experiment), display_path(&full_folder));
        Ok(Division {
            is_tuning,
            name: experiment.name().to_owned(),
            program: absolute_path(&program)?,
            file: absolute_path(file)?,
            folder: full_folder,
            digest: blake3::hash(digest.as_bytes()).to_hex()[..16].to_owned(),
            shard_count,
            remaining,
            wait_option: "",
            options,
            has_programs: !external_commands(experiment).is_empty(),
            files: experiment
                .players()
                .iter()
                .flat_map(|entry| entry.entry.files.iter().map(|file| file.path.clone()))
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
        })
    }

    /// Returns the name of its jobs: the experiment's name without characters special to a shell.
    pub(crate) fn job_name(&self) -> String {
        let to_plain =
            |character: char| if character.is_alphanumeric() || character == '_' { character } else { '-' };
        format!("gauntlet-{}", self.name.chars().map(to_plain).collect::<String>())
    }

    /// Returns the command that plays a shard. Its number may be a shell variable.
    pub(crate) fn task_command(&self, number: &str) -> String {
        let (command, option) = if self.is_tuning { ("tune", "worker") } else { ("run", "shard") };
        format!(
            "{} --{option} {number}/{}{}{} --quiet",
            self.program_command(command),
            self.shard_count,
            self.wait_option,
            self.options
        )
    }

    /// Returns the command that prints the answer of a tuning.
    pub(crate) fn answer_command(&self) -> String {
        self.program_command("tune") + &self.options
    }

    /// Returns the command that merges the shards. For a tuning it plays what the workers have not
    /// played, and prints the answer.
    pub(crate) fn merge_command(&self) -> String {
        if self.is_tuning {
            return format!("{}{} --quiet", self.program_command("tune"), self.options);
        }
        self.program_command("merge")
    }

    fn program_command(&self, command: &str) -> String {
        let parent = self.folder.parent().unwrap_or(Path::new("/"));
        format!(
            "{} {command} {} --results {}",
            quote_path(&self.program),
            quote_path(&self.file),
            quote_path(parent)
        )
    }

    /// Returns the command that makes the report of the merged results.
    pub(crate) fn report_command(&self) -> String {
        let page = self.folder.join("report.html");
        let results_folder = if self.is_tuning { self.folder.join(FOLDER) } else { self.folder.clone() };
        format!(
            "{} report {} --out {}",
            quote_path(&self.program),
            quote_path(&results_folder),
            quote_path(&page)
        )
    }

    /// Returns the folder for scripts and task logs.
    pub(crate) fn scripts_folder(&self) -> PathBuf {
        self.folder.join("cluster")
    }

    /// Writes a script, replacing an older one. Returns its path.
    pub(crate) fn write_script(&self, name: &str, text: &str) -> anyhow::Result<PathBuf> {
        let folder = self.scripts_folder();
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create the folder {}", display_path(&folder)))?;
        let path = folder.join(name);
        write_document(&system_disk(), &path, text.as_bytes())?;
        Ok(path)
    }
}

/// Quotes a path as a word of a script.
pub(crate) fn quote_path(path: &Path) -> String {
    quote_for_script(&path.to_string_lossy())
}

/// Fills the places `@key@` of a template with values. Places inside values are not filled.
pub(crate) fn fill_template(template: &str, values: &[(&str, &str)]) -> String {
    let mut parts = template.split('@');
    let mut text = parts.next().unwrap_or_default().to_owned();
    // True if the text before this part ended with an `@` that does not begin a place.
    let mut is_open = true;
    for part in parts {
        match values.iter().find(|(key, _)| is_open && *key == part) {
            Some((_, value)) => {
                text += value;
                is_open = false;
            }
            None => {
                if is_open {
                    text.push('@');
                }
                text += part;
                is_open = true;
            }
        }
    }
    text
}

/// Returns the absolute path, because tasks may start in any folder. Fails if it is not text
/// or has control characters, because Slurm and shells read lines.
fn absolute_path(path: &Path) -> anyhow::Result<PathBuf> {
    let full_path = absolute(path).with_context(|| format!("cannot find {}", display_path(path)))?;
    match full_path.to_str() {
        Some(text) if !text.contains(char::is_control) => Ok(full_path),
        Some(_) => {
            Err(Usage(format!("the path {} has a control character; rename it", display_path(&full_path)))
                .into())
        }
        None => Err(Usage(format!("the path {} is not UTF-8; rename it", display_path(&full_path))).into()),
    }
}
