//! Scripts for GNU parallel: they copy the program, the experiment and the files of its players to
//! hosts by ssh, and bring the journals back.
//!
//! GNU parallel evaluates `{= perl =}` in each of its words. So its command line holds fixed words
//! and numbers alone. What a user has named is in the scripts that it calls: `ssh.sh` here, and
//! `task` on the hosts.

use std::fmt::Write;
use std::iter::repeat_n;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

use anyhow::Context;

use super::super::exit::Usage;
use super::division::{Division, word};
use crate::run::places;
use crate::text::{quoted_in_script, shown};

/// Times that a task is tried, on another host each time if there is one.
const TRIES: u32 = 4;

/// Calls ssh for GNU parallel.
const SSH: &str = "\
#!/bin/sh
# Calls ssh. GNU parallel knows a host by its number alone: host3 is the third.
for word; do
    shift
    number=${word#host}
    case $number in
    \"$word\" | '' | *[!0-9]*) ;;
    *) word=$(printf '%s\\n' \"$GAUNTLET_HOSTS\" | sed -n \"${number}p\") ;;
    esac
    set -- \"$@\" \"$word\"
done
exec $GAUNTLET_SSH \"$@\"
";

/// A host, as ssh knows it.
#[derive(Clone, Debug)]
pub(super) struct Host {
    /// Tasks that it plays at once.
    tasks: u16,
    name: String,
}

impl FromStr for Host {
    type Err = &'static str;

    fn from_str(said: &str) -> Result<Host, &'static str> {
        let (tasks, name) = said.split_once('/').unwrap_or(("1", said));
        let may_have = |letter: char| letter.is_alphanumeric() || "._-@:[]%+".contains(letter);
        // What begins with a dash is an option of ssh.
        let is_name = !name.is_empty() && !name.starts_with('-') && name.chars().all(may_have);
        match tasks.parse() {
            Ok(tasks @ 1..=1024) if is_name => Ok(Host { tasks, name: name.to_owned() }),
            _ => Err(
                "expected a host as ssh knows it, as in alpha, me@alpha or 4/alpha, of letters, digits and ._-@:[]%+",
            ),
        }
    }
}

/// Places on a host, below the folder in which its tasks begin. The path from results to files is
/// the same as here, for journals hold it.
struct Layout {
    results: PathBuf,
    files: PathBuf,
}

impl Layout {
    fn of(division: &Division, around: &Path) -> Layout {
        let home = Path::new("./home");
        let Some(path) = places::relative(&division.folder, around) else {
            return Layout { results: home.join("results"), files: home.to_owned() };
        };
        let is_up = |part: &Component| matches!(part, Component::ParentDir);
        let up = path.components().take_while(is_up).count();
        Layout {
            results: home.join(repeat_n("results", up.saturating_sub(1)).collect::<PathBuf>()),
            files: home.join(path.components().skip(up).collect::<PathBuf>()),
        }
    }
}

/// Writes the scripts. Returns the path of the one that plays.
pub(super) fn write(division: &Division, hosts: &[Host]) -> anyhow::Result<PathBuf> {
    let around = division.file.parent().filter(|_| division.file.is_file());
    let (Some(around), Some(file)) = (around, division.file.file_name()) else {
        return Err(Usage(format!("{} is no file: name the experiment's own", shown(&division.file))).into());
    };
    refuse_what_stays(division)?;
    let Layout { results, files } = Layout::of(division, around);
    let copied: Vec<&Path> =
        [Path::new(file)].into_iter().chain(division.files.iter().map(PathBuf::as_path)).collect();
    let mut unpack =
        "#!/bin/sh\n# Puts copied files in their places.\nset -e\nchmod +x gauntlet\n".to_owned();
    for (number, path) in copied.iter().enumerate() {
        let place = files.join(path);
        let folder = place.parent().context("a file lies in a folder")?;
        writeln!(unpack, "mkdir -p {}\nmv file-{number} {}", word(folder), word(&place))?;
    }
    let journal = format!("journal-\"$1\"-of-{}.jsonl", division.of);
    let task = format!(
        "#!/bin/sh
# Plays the shard with this number.
./gauntlet run {file} --results {around} --shard \"$1\"/{of}{more} --quiet &&
    mv {results}/{journal} .
",
        file = word(&files.join(file)),
        around = word(&results),
        of = division.of,
        more = division.more,
        results = word(&results.join(&division.name)),
    );
    for (name, text) in [("ssh.sh", SSH), ("task", &task), ("unpack", &unpack)] {
        division.write(name, text)?;
    }
    let copied = copied.iter().map(|path| around.join(path));
    division.write("parallel.sh", &script(division, hosts, copied))
}

/// Refuses players that other hosts would not have.
fn refuse_what_stays(division: &Division) -> Result<(), Usage> {
    let is_below =
        |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if let Some(far) = division.files.iter().find(|path| !is_below(path)) {
        return Err(Usage(format!(
            "the file {} does not lie below that of the experiment, so it is not copied to other hosts: move it there, or use \
             `cluster commands` in a folder that the hosts share",
            shown(far)
        )));
    }
    if division.has_programs {
        return Err(Usage(
            "players that are other programs are not copied to other hosts: use `cluster commands` in a folder that the hosts share"
                .to_owned(),
        ));
    }
    Ok(())
}

/// The script that copies these files, calls GNU parallel, and merges.
fn script(division: &Division, hosts: &[Host], copied: impl Iterator<Item = PathBuf>) -> String {
    let names: Vec<&str> = hosts.iter().map(|host| &*host.name).collect();
    let hosts: Vec<String> =
        (1..).zip(hosts).map(|(number, host)| format!("{}/host{number}", host.tasks)).collect();
    let numbers: Vec<String> = division.left.iter().map(u64::to_string).collect();
    let sends: String = (0..)
        .zip(copied)
        .map(|(number, path)| format!("        send \"$1\" file-{number} {} &&\n", word(&path)))
        .collect();
    format!(
        "#!/bin/sh
# Plays shards of {name} on other hosts, and merges them: those that were left when this was written.
# A task whose host dies is given to another host.
cd {scripts} || exit 1
GAUNTLET_SSH=${{PARALLEL_SSH:-ssh}} PARALLEL_SSH='sh ssh.sh'
GAUNTLET_HOSTS={names}
export GAUNTLET_SSH PARALLEL_SSH GAUNTLET_HOSTS
# A folder of this call alone, on each host.
folder=gauntlet-{digest}-$$
send() {{
    sh ssh.sh \"$1\" \"cat > $folder/$2\" < \"$3\"
}}
copy() {{
    send \"$1\" gauntlet {program} &&
        send \"$1\" task task &&
        send \"$1\" unpack unpack &&
{sends}        sh ssh.sh \"$1\" \"cd $folder && sh unpack\" < /dev/null
}}
begun=
clean() {{
    for host in $begun; do
        sh ssh.sh \"$host\" \"rm -rf $folder\" < /dev/null 2> /dev/null
    done
    begun=
}}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
there=
for login in {hosts}; do
    host=${{login#*/}}
    name=$(printf '%s\\n' \"$GAUNTLET_HOSTS\" | sed -n \"${{host#host}}p\")
    if ! sh ssh.sh \"$host\" \"mkdir -p $folder\" < /dev/null; then
        printf 'skipping %s: no answer\\n' \"$name\" >&2
        continue
    fi
    begun=\"$begun $host\"
    if copy \"$host\"; then
        there=\"$there --sshlogin $login\"
    else
        printf 'skipping %s: copy failed\\n' \"$name\" >&2
    fi
done
# Without a host GNU parallel would play here.
[ -n \"$there\" ] || {{ echo 'no host answers' >&2; exit 1; }}
parallel --workdir \"$folder\" --retries {TRIES} --joblog joblog $there \\
    --return journal-{{}}-of-{of}.jsonl 'sh task {{}}' ::: {numbers}
ended=$?
for journal in journal-*.jsonl; do
    [ -e \"$journal\" ] && mv \"$journal\" ..
done
clean
[ \"$ended\" = 0 ] || echo 'Some tasks failed: cluster/joblog names them. The same gauntlet cluster command again plays what is missing.' >&2
{merge} &&
    {page}
",
        name = division.name,
        scripts = word(&division.scripts()),
        names = quoted_in_script(&names.join("\n")),
        digest = division.digest,
        program = word(&division.program),
        hosts = hosts.join(" "),
        of = division.of,
        numbers = numbers.join(" "),
        merge = division.merge(),
        page = division.page(),
    )
}
