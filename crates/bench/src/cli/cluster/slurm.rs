//! An array job for Slurm whose tasks are shards, and a job behind it that joins them.

use std::path::{Path, PathBuf};

use anyhow::ensure;

use super::super::merge::NO_TABLES;
use super::division::{Division, word};
use crate::config::time::Time;
use crate::text::quoted_in_script;

/// Seconds before the end of its time at which a task is told to stop. Slurm looks at the time twice a minute.
const NOTICE: u32 = 120;

/// Tasks of an array do not all begin at once, so a worker of a tuning waits this long for the one that leads to begin.
pub(super) const WAIT: &str = " --wait 24h";

/// Words for the head of a script of Slurm.
#[derive(clap::Args)]
pub(super) struct Words {
    /// slurm: the longest that a task may take before it stops and is queued again: 2h, or as Slurm writes it, 2:00:00
    #[arg(long, value_name = "TIME")]
    time: Option<String>,

    /// slurm: partition of the tasks
    #[arg(long, value_name = "NAME")]
    partition: Option<String>,

    /// slurm: account that pays for them
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    account: Option<String>,

    /// slurm: also submit the jobs
    #[arg(long)]
    pub(super) submit: bool,

    /// slurm: further options of sbatch, for the tasks
    #[arg(last = true, value_name = "OPTION")]
    more: Vec<String>,
}

impl Words {
    /// The time of a task in seconds: a number and its unit, or in Slurm's words minutes, M:S, H:M:S, D-H, D-H:M or D-H:M:S.
    pub(super) fn seconds(&self) -> Option<f64> {
        let said = self.time.as_deref()?;
        if let Ok(time) = said.parse::<Time>() {
            return Some(time.get().as_secs_f64());
        }
        let (days, rest) = said.split_once('-').map_or((None, said), |(days, rest)| (Some(days), rest));
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

    /// The same in the words of Slurm.
    fn time(&self) -> Option<String> {
        let said = self.time.as_ref()?;
        let Ok(time) = said.parse::<Time>() else { return Some(said.clone()) };
        let seconds = time.get().as_secs();
        Some(format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60))
    }

    /// True if any of them was said, but for a time that may be.
    pub(super) fn are_said(&self, may_have_time: bool) -> bool {
        let words = [&self.time.clone().filter(|_| !may_have_time), &self.partition, &self.account];
        self.submit || !self.more.is_empty() || words.iter().any(|word| word.is_some())
    }

    /// Lines for both jobs.
    fn common(&self) -> String {
        let words = [("partition", &self.partition), ("account", &self.account)];
        let said = words.iter().filter_map(|(key, word)| Some((key, word.as_ref()?)));
        said.map(|(key, word)| format!("#SBATCH --{key}={word}\n")).collect()
    }
}

/// Writes the scripts. Returns the path of the one that submits both jobs.
pub(super) fn write(division: &Division, words: &Words, threads: u16) -> anyhow::Result<PathBuf> {
    let line_breaks = words.more.iter().chain(&words.time).chain(&words.partition).chain(&words.account);
    ensure!(
        !line_breaks.into_iter().any(|word| word.contains(['\n', '\r'])),
        "an option of sbatch is one line"
    );
    let (name, job) = (&division.name, division.plain_name());
    let time = words.time().into_iter().map(|time| format!("#SBATCH --time={time}\n"));
    let more = words.more.iter().map(|word| format!("#SBATCH {word}\n"));
    let head: String = time.chain(more).collect();
    let (output, redirect) = log(&division.scripts(), "task-%a.log", "task-\"$SLURM_ARRAY_TASK_ID\".log");
    let play = format!(
        "#!/bin/bash
# Plays a shard of {name}. Written by gauntlet cluster, and written anew by it.
#SBATCH --job-name={job}
#SBATCH --array={array}
#SBATCH --cpus-per-task={threads}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output={output}
#SBATCH --signal=B:USR1@{NOTICE}
{common}{head}
{redirect}{task} &
child=$!
# Told to stop, because the end of its time is near (USR1) or for another reason (TERM), the child keeps the games that have ended, and
# the task goes on in another turn. Slurm sends TERM to all processes of a task or to this one alone, and the child ends at once if it
# hears it twice; so it is told here only if it plays on.
told=
again=
trap 'told=1; kill -TERM \"$child\"' USR1
trap 'told=1; pass_on' TERM
pass_on() {{
    for moment in 1 2 3 4 5 6 7 8 9 10; do
        kill -0 \"$child\" 2> /dev/null || return
        sleep 0.5
    done
    kill -TERM \"$child\"
}}
# A signal ends the waiting before the child has ended.
while wait \"$child\"; code=$?; [ -n \"$told\" ]; do
    told=
    again=1
done
# 75: the child alone was told to stop.
if [ \"$code\" = 75 ] || {{ [ -n \"$again\" ] && [ \"$code\" != 0 ]; }}; then
    task=${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID
    # Slurm refuses it while it is busy with the task itself.
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
        # A task that Slurm is ending was cancelled, and stays so, or Slurm queues it again.
        [ \"$(squeue --noheader --format=%T --jobs=\"$task\")\" = COMPLETING ] && break
        scontrol requeue \"$task\" && break
        sleep 2
    done
fi
exit \"$code\"
",
        array = ranges(&division.left),
        common = words.common(),
        task = division.task("\"$SLURM_ARRAY_TASK_ID\""),
    );
    let (output, redirect) = log(&division.scripts(), "end.log", "end.log");
    let finish = format!(
        "#!/bin/bash
# Joins the shards of {name}, and makes the page of the results.
#SBATCH --job-name={job}-end
#SBATCH --output={output}
#SBATCH --open-mode=append
{common}{like_tasks}
{redirect}{ends}",
        common = words.common(),
        // It plays what the workers of a tuning have left.
        like_tasks = if division.is_tuning {
            format!("#SBATCH --cpus-per-task={threads}\n{head}")
        } else {
            String::new()
        },
        ends = ends(division),
    );
    let play = word(&division.write("play.sbatch", &play)?);
    let finish = word(&division.write("end.sbatch", &finish)?);
    let look = format!("progress: {} status {}", word(&division.program), word(&division.folder));
    let submit = format!(
        "#!/bin/sh
# Generated by gauntlet cluster; do not edit.
# Submits the tasks of {name} that were left when this was written, and the job that joins them.
set -e
# Logs are named without a folder: Slurm reads quotes and blanks in the path of a log its own way.
cd {scripts}
tasks=$(sbatch --parsable --chdir=\"$PWD\" {play})
tasks=${{tasks%%;*}}
end=$(sbatch --parsable --chdir=\"$PWD\" --dependency=afterany:\"$tasks\" {finish})
echo \"submitted: tasks $tasks, and ${{end%%;*}} to join them\"
printf '%s\\n' {look}
",
        scripts = word(&division.scripts()),
        look = quoted_in_script(&look),
    );
    division.write("submit.sh", &submit)
}

/// The log of a job: its path for Slurm, and a line of the script. Slurm writes the log, with its
/// own messages. It misreads `%` and `\` in the path of the folder, so there the script writes it.
fn log(scripts: &Path, for_slurm: &str, for_shell: &str) -> (String, String) {
    if scripts.to_string_lossy().contains(['%', '\\']) {
        ("/dev/null".to_owned(), format!("exec >> {}/{for_shell} 2>&1\n", word(scripts)))
    } else {
        (for_slurm.to_owned(), String::new())
    }
}

/// What follows the tasks. A tuning has its answer from its first worker; what the workers have not played is played here.
fn ends(division: &Division) -> String {
    let (merge, page) = (division.merge(), division.page());
    if division.is_tuning {
        // 6 and 7 are answers, too.
        return format!(
            "{merge}
ended=$?
case $ended in
0 | 6 | 7) {page} || exit ;;
esac
exit \"$ended\"
"
        );
    }
    let manifest = word(&division.folder.join("manifest.toml"));
    format!(
        "said=$({merge} 2>&1)
joined=$?
printf '%s\\n' \"$said\"
case $said in
*'{NO_TABLES}'*) echo 'To play what is missing: the same gauntlet cluster command again.' ;;
# There are tables also where a game broke its player.
*) [ ! -e {manifest} ] || {page} || exit ;;
esac
exit \"$joined\"
"
    )
}

/// Numbers in the words of Slurm: `1-4,7`.
fn ranges(numbers: &[u64]) -> String {
    let mut parts: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => parts.push((number, number)),
        }
    }
    let part = |&(first, last): &(u64, u64)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    parts.iter().map(part).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::{Words, ranges};

    #[test]
    fn times_are_told_in_both_ways() {
        let of = |time: &str| Words {
            time: Some(time.to_owned()),
            partition: None,
            account: None,
            submit: false,
            more: Vec::new(),
        };
        for (said, seconds, written) in [
            ("1h", 3600.0, "1:00:00"),
            ("90s", 90.0, "0:01:30"),
            ("90", 5400.0, "90"),
            ("2:30", 150.0, "2:30"),
            ("2:00:00", 7200.0, "2:00:00"),
            ("1-12", 129_600.0, "1-12"),
            ("1-00:30", 88_200.0, "1-00:30"),
        ] {
            assert_eq!((of(said).seconds(), of(said).time()), (Some(seconds), Some(written.to_owned())));
        }
        for bad in ["", "x", "1:2:3:4", "-1", "0"] {
            assert_eq!(of(bad).seconds(), None, "{bad}");
        }
    }

    #[test]
    fn numbers_are_told_as_ranges() {
        assert_eq!(ranges(&[1, 2, 3, 4]), "1-4");
        assert_eq!(ranges(&[1, 3, 4, 9]), "1,3-4,9");
        assert_eq!(ranges(&[7]), "7");
    }
}
