//! An array job for Slurm whose tasks are shards, and a dependent job that merges them.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use gauntlet_analysis::config::time::DurationArg;

use gauntlet_cli::output::NO_TABLES;

use super::division::{Division, fill_template, quote_path};

/// Option for the time that a worker of a tuning waits for the leader to begin. Slurm does not
/// begin all tasks of an array at the same time.
pub(crate) const WAIT_OPTION: &str = " --wait 24h";

/// Words for the head of a script of Slurm.
#[derive(clap::Args)]
pub(crate) struct SlurmOptions {
    /// slurm: time limit of a task, such as 2h or 2:00:00; a task that reaches it is queued again
    #[arg(long, value_name = "TIME")]
    time: Option<String>,

    /// slurm: partition for the tasks
    #[arg(long, value_name = "NAME")]
    partition: Option<String>,

    /// slurm: account to charge
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    account: Option<String>,

    /// slurm: submit the jobs
    #[arg(long)]
    pub(crate) submit: bool,

    /// slurm: additional sbatch options for the tasks
    #[arg(last = true, value_name = "OPTION")]
    more: Vec<String>,
}

impl SlurmOptions {
    /// Parses the time of a task, in seconds: a number with a unit, or in Slurm's notation minutes,
    /// M:S, H:M:S, D-H, D-H:M or D-H:M:S.
    pub(crate) fn parse_seconds(&self) -> Option<f64> {
        let text = self.time.as_deref()?;
        if let Ok(time) = text.parse::<DurationArg>() {
            return Some(time.get().as_secs_f64());
        }
        let (days, rest) = text.split_once('-').map_or((None, text), |(days, rest)| (Some(days), rest));
        let parts: Vec<f64> =
            rest.split(':').map(|part| part.parse::<u32>().map(f64::from)).collect::<Result<_, _>>().ok()?;
        let [hours, minutes, seconds] = match (days, &parts[..]) {
            (None, &[minutes]) => [0.0, minutes, 0.0],
            (None, &[minutes, seconds]) => [0.0, minutes, seconds],
            (Some(_), &[hours]) => [hours, 0.0, 0.0],
            (Some(_), &[hours, minutes]) => [hours, minutes, 0.0],
            (_, &[hours, minutes, seconds]) => [hours, minutes, seconds],
            _ => return None,
        };
        let days = f64::from(days.map_or(Ok(0), str::parse::<u32>).ok()?);
        Some(((days * 24.0 + hours) * 60.0 + minutes) * 60.0 + seconds).filter(|&time| time > 0.0)
    }

    /// Returns the time of a task in Slurm's notation.
    fn format_time(&self) -> Option<String> {
        let text = self.time.as_ref()?;
        let Ok(time) = text.parse::<DurationArg>() else { return Some(text.clone()) };
        let seconds = time.get().as_secs();
        Some(format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60))
    }

    /// Returns true if any of these options is set. `may_have_time` excludes the time.
    pub(crate) fn has_any(&self, may_have_time: bool) -> bool {
        let values = [&self.time.clone().filter(|_| !may_have_time), &self.partition, &self.account];
        self.submit || !self.more.is_empty() || values.iter().any(|word| word.is_some())
    }

    /// Returns the lines that both jobs share.
    fn format_common_lines(&self) -> String {
        let values = [("partition", &self.partition), ("account", &self.account)];
        let set_values = values.iter().filter_map(|(key, word)| Some((key, word.as_ref()?)));
        set_values.map(|(key, word)| format!("#SBATCH --{key}={word}\n")).collect()
    }
}

/// Writes the scripts. Returns the path of the one that submits both jobs.
pub(crate) fn write(division: &Division, options: &SlurmOptions, threads: u16) -> anyhow::Result<PathBuf> {
    let line_breaks =
        options.more.iter().chain(&options.time).chain(&options.partition).chain(&options.account);
    ensure!(
        !line_breaks.into_iter().any(|word| word.contains(['\n', '\r'])),
        "an sbatch option must be one line"
    );
    let time = options.format_time().into_iter().map(|time| format!("#SBATCH --time={time}\n"));
    let extra_lines = options.more.iter().map(|word| format!("#SBATCH {word}\n"));
    let scripts = division.scripts_folder();
    let values = [
        ("name", division.name.clone()),
        ("job", division.job_name()),
        ("threads", threads.to_string()),
        ("common", options.format_common_lines()),
        ("head", time.chain(extra_lines).collect()),
        ("array", format_ranges(&division.remaining)),
        ("task", division.task_command("\"$SLURM_ARRAY_TASK_ID\"")),
        ("merge", division.merge_command()),
        ("page", division.report_command()),
        ("no_tables", NO_TABLES.to_owned()),
        ("manifest", quote_path(&division.folder.join("manifest.toml"))),
        ("scripts", quote_path(&scripts)),
        ("status", format!("{} status {}", quote_path(&division.program), quote_path(&division.folder))),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(key, value)| (*key, &**value)).collect();
    let write_job = |name, template, log_for_slurm, log_for_shell| {
        let (output, redirect) = log_path_and_line(&scripts, log_for_slurm, log_for_shell);
        let log_values = [("output", &*output), ("redirect", &*redirect)];
        division.write_script(name, &fill_template(template, &[&values[..], &log_values[..]].concat()))
    };
    let task_log = "task-\"$SLURM_ARRAY_TASK_ID\".log";
    write_job("play.sbatch", include_str!("scripts/play.sbatch"), "task-%a.log", task_log)?;
    let end_template = if division.is_tuning {
        include_str!("scripts/end-tuning.sbatch")
    } else {
        include_str!("scripts/end-run.sbatch")
    };
    write_job("end.sbatch", end_template, "end.log", "end.log")?;
    division.write_script("submit.sh", &fill_template(include_str!("scripts/submit.sh"), &values))
}

/// Returns the path of a job's log for Slurm, and a line of the script. Slurm writes the log, with
/// its own messages. Slurm misreads `%` and `\` in the folder's path; in this case the script
/// writes the log.
fn log_path_and_line(scripts: &Path, for_slurm: &str, for_shell: &str) -> (String, String) {
    if scripts.to_string_lossy().contains(['%', '\\']) {
        ("/dev/null".to_owned(), format!("exec >> {}/{for_shell} 2>&1\n", quote_path(scripts)))
    } else {
        (for_slurm.to_owned(), String::new())
    }
}

/// Formats numbers as ranges in Slurm's notation: `1-4,7`.
fn format_ranges(numbers: &[u64]) -> String {
    let mut parts: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => parts.push((number, number)),
        }
    }
    let format_range = |&(first, last): &(u64, u64)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    parts.iter().map(format_range).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::{SlurmOptions, format_ranges};

    #[test]
    fn times_are_told_in_both_ways() {
        let options = |time: &str| SlurmOptions {
            time: Some(time.to_owned()),
            partition: None,
            account: None,
            submit: false,
            more: Vec::new(),
        };
        for (text, seconds, formatted) in [
            ("1h", 3600.0, "1:00:00"),
            ("90s", 90.0, "0:01:30"),
            ("90", 5400.0, "90"),
            ("2:30", 150.0, "2:30"),
            ("2:00:00", 7200.0, "2:00:00"),
            ("1-12", 129_600.0, "1-12"),
            ("1-00:30", 88_200.0, "1-00:30"),
        ] {
            assert_eq!(
                (options(text).parse_seconds(), options(text).format_time()),
                (Some(seconds), Some(formatted.to_owned()))
            );
        }
        for invalid in ["", "x", "1:2:3:4", "-1", "0"] {
            assert_eq!(options(invalid).parse_seconds(), None, "{invalid}");
        }
    }

    #[test]
    fn numbers_are_told_as_ranges() {
        assert_eq!(format_ranges(&[1, 2, 3, 4]), "1-4");
        assert_eq!(format_ranges(&[1, 3, 4, 9]), "1,3-4,9");
        assert_eq!(format_ranges(&[7]), "7");
    }
}
