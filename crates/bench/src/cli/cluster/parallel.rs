//! A script for GNU parallel: it copies the program, the experiment and the files of its players to hosts by ssh, and brings the
//! journals back.

use std::path::{Component, Path, PathBuf};

use anyhow::Context;

use super::super::exit::Usage;
use super::division::Division;
use crate::text::{quoted, quoted_path, shown};

/// Times that a task is tried, on another host each time if there is one.
const TRIES: u32 = 4;

/// Writes the script. Returns its path.
pub(super) fn write(division: &Division, hosts: &[String]) -> anyhow::Result<PathBuf> {
    let (programs, program) = parts(&division.program)?;
    let (around, file) = parts(&division.file)?;
    let is_below =
        |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if let Some(far) = division.files.iter().find(|path| !is_below(path)) {
        return Err(Usage(format!(
            "the file {} does not lie below that of the experiment, so it is not copied to other hosts: move it there, or use \
             `cluster commands` in a folder that the hosts share",
            shown(far)
        ))
        .into());
    }
    if division.has_programs {
        return Err(Usage(
            "players that are other programs are not copied to other hosts: use `cluster commands` in a folder that the hosts share"
                .to_owned(),
        )
        .into());
    }
    // What stands behind `/./` is the path on the host.
    let copied = [programs.join(".").join(program), around.join(".").join(file)].into_iter();
    let copied = copied.chain(division.files.iter().map(|path| around.join(".").join(path)));
    let copies: String = copied.map(|path| format!(" \\\n    --basefile {}", quoted_path(&path))).collect();
    let hosts = hosts.iter().map(|host| quoted(host)).collect::<Vec<_>>().join(" ");
    let numbers: Vec<String> = division.left.iter().map(u64::to_string).collect();
    let journal = format!("journal-{{}}-of-{}.jsonl", division.of);
    let task = format!(
        "./{} run {} --results . --shard {{}}/{}{} --quiet && mv {}/{journal} .",
        quoted(&program.to_string_lossy()),
        quoted_path(file),
        division.of,
        division.more,
        quoted(&division.name),
    );
    let text = format!(
        "#!/bin/sh
# Plays the shards of {name} that were left when this was written on other hosts, and joins them. A task whose host dies is given to
# another one.
cd {scripts} || exit 1
there=
for host in {hosts}; do
    if ${{PARALLEL_SSH:-ssh}} \"${{host#*/}}\" true < /dev/null; then
        there=\"$there --sshlogin $host\"
    else
        echo \"$host does not answer, and is left out\" >&2
    fi
done
# Without a host GNU parallel would play here.
[ -n \"$there\" ] || {{ echo 'no host answers' >&2; exit 1; }}
parallel --workdir {workdir} --cleanup --retries {TRIES} --joblog joblog $there{copies} \\
    --return {journal} \\
    {task} \\
    ::: {numbers}
ended=$?
for journal in journal-*.jsonl; do
    [ -e \"$journal\" ] && mv \"$journal\" ..
done
for host in {hosts}; do
    ${{PARALLEL_SSH:-ssh}} \"${{host#*/}}\" rm -rf {workdir} < /dev/null 2> /dev/null
done
[ \"$ended\" = 0 ] || echo 'Some tasks failed: cluster/joblog names them. The same gauntlet cluster command again plays what is missing.' >&2
{merge} &&
    {page}
",
        name = division.name,
        workdir = division.plain_name(),
        scripts = quoted_path(&division.scripts()),
        task = quoted(&task),
        numbers = numbers.join(" "),
        merge = division.merge(),
        page = division.page(),
    );
    division.write("parallel.sh", &text)
}

/// The folder and the name of a file.
fn parts(path: &Path) -> anyhow::Result<(&Path, &Path)> {
    let name = path.file_name().map(Path::new);
    path.parent().zip(name).with_context(|| format!("{} names no file", shown(path)))
}
