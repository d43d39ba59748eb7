//! External programs: good ones play like built-in players, bad ones harm only their own games, and
//! no process of theirs survives.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use gauntlet::text::escape::is_hidden;

use crate::bench::{Folder, ProgramOutput, read_rows};
use crate::results::page::assert_harmless;
use crate::tools::{is_installed, lacks_command, succeeds};

/// A program for Gomoku on a 15 × 15 board that plays the first free cell. Its first argument says
/// how it misbehaves.
const BAD_PROGRAM: &str = r#"behaviour=$1
letters=abcdefghijklmno
moves=0
games=0
answer() {
  board=$1
  before=${board%%.*}
  place=${#before}
  rest=${letters#?}
  x=$((place % 15))
  letter=$letters
  while [ "$x" -gt 0 ]; do letter=${letter#?}; x=$((x - 1)); done
  echo "${2:-0} ${letter%"${letter#?}"}$((place / 15 + 1))"
}
case $behaviour in
  crash-at-start) echo "no weights here" >&2; exit 3 ;;
  never-ready) sleep 600 ;;
  noise-to-stderr) yes "a line of standard error" >&2 & ;;
  deaf-to-signals) trap "" TERM HUP INT ;;
esac
while read -r word game board rest; do
  case $word in
    gauntlet)
      case $behaviour in
        unready) echo "hello" ;;
        *) echo "ready $behaviour 1.0" ;;
      esac ;;
    new) games=$((games + 1)) seat=$rest ;;
    move)
      moves=$((moves + 1))
      case $behaviour in
        crash-in-game) [ $moves = 3 ] && kill -SEGV $$ ;;
        burns) [ $moves = 2 ] && { i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; exit 3; } ;;
        vanishes) [ $games = 3 ] && [ ! -e bin/gone ] && mv bin/player bin/gone && exit 3 ;;
        exit-0) exit 0 ;;
        hang|deaf-to-signals) sleep 600 ;;
        hangs-later) [ $moves = 2 ] && sleep 600 ;;
        illegal-move) board=${board#?}.; board=.$board ;;
        empty-line) echo; continue ;;
        half-a-line) printf "0 a"; sleep 600 ;;
        wrong-game) answer "$board" 1; continue ;;
        twice) echo "$(answer "$board"; answer "$board")"; continue ;;
        flood) yes ;;
        flood-without-end) tr "\0" x < /dev/zero ;;
        no-text) printf '\377\376\n'; continue ;;
        no-cell) echo "0 somewhere"; continue ;;
        closed) exec 1>&-; sleep 600 ;;
        leaves-children) sleep 600 & setsid sleep 600 & setsid sh -c "sleep 600 & sleep 600" & ;;
        remembers) [ $games -gt 1 ] && board=B$board ;;
        minds-its-colour)
          case "$seat $rest" in
            seat=first*turn=B*|seat=second*turn=W*) ;;
            *) echo "0 somewhere"; continue ;;
          esac ;;
        changes-its-mind) [ -e changed ] && board=B$board; touch changed ;;
      esac
      answer "$board" ;;
    quit) [ "$behaviour" = hangs-on-quit ] && sleep 600 ;;
  esac
done
"#;

/// Expected ending of the games with each behaviour, and words of the reason. If a behaviour harms
/// no game, the ending follows the rules.
const BEHAVIOURS: &[(&str, &str, &str)] = &[
    (
        "crash-at-start",
        "crashed",
        "the program exited with status 3; last line of standard error: no weights here",
    ),
    (
        "never-ready",
        "timed-out",
        "; does it flush its output? test: gauntlet players --try -- sh bad.sh never-ready",
    ),
    ("crash-in-game", "crashed", "the program was killed by signal 11"),
    ("exit-0", "crashed", "the program exited with status 0 before the reply"),
    ("hang", "timed-out", "no answer within 500 ms; does it flush its output?"),
    ("hangs-later", "timed-out", "no answer within 500 ms"),
    ("deaf-to-signals", "timed-out", "no answer within 500 ms"),
    ("illegal-move", "illegal-move", "illegal move a1"),
    ("empty-line", "nonsense", r#"reply "": expected the number of the game"#),
    ("half-a-line", "timed-out", "no answer within 500 ms"),
    ("wrong-game", "nonsense", "expected the number of the game"),
    ("twice", "nonsense", "unexpected output: more than one line for a move"),
    ("flood", "nonsense", r#"reply "y""#),
    ("flood-without-end", "nonsense", "the reply is longer than 65536 bytes"),
    ("no-text", "nonsense", "not UTF-8"),
    (
        "no-cell",
        "nonsense",
        r#"reply "0 somewhere": "somewhere" is not a move: expected a column and a row, such as `h8`"#,
    ),
    ("closed", "crashed", "it "),
    ("unready", "nonsense", r#"expected `ready` and a name as reply to the greeting, found "hello""#),
    ("hangs-on-quit", "game-over", ""),
    ("noise-to-stderr", "game-over", ""),
    ("leaves-children", "game-over", ""),
];

/// An experiment in which each of these plays games against a random player.
fn experiment(games: u32, behaviours: &[&str], mark: &str) -> String {
    let mut text = format!(
        "name = \"bad\"\ngame = \"gomoku\"\nseed = 3\ngames = {games}\npairings = \"gauntlet\"\n\n\
         [[player]]\nname = \"chance\"\nalgorithm = \"random\"\n"
    );
    for behaviour in behaviours {
        let command = format!("[\"sh\", \"bad.sh\", \"{behaviour}\"]");
        text += &format!(
            "\n[[player]]\nname = \"{behaviour}\"\nalgorithm = \"external\"\ncommand = {command}\n\
             env = [\"GAUNTLET_MARK={mark}\"]\nmove_millis = 500\nstart_millis = 1500\n"
        );
    }
    text
}

/// Returns a mark for the environment of a test's processes.
fn mark(test: &str) -> String {
    format!("{test}-{}", std::process::id())
}

/// Returns the processes with a mark.
fn marked_processes(mark: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("processes").flatten();
    let has_mark = |path: &std::path::Path| {
        let environment = fs::read(path.join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(&format!("GAUNTLET_MARK={mark}"))
    };
    let paths = entries.map(|entry| entry.path()).filter(|path| has_mark(path));
    let describe = |path: std::path::PathBuf| {
        let arguments = fs::read(path.join("cmdline")).unwrap_or_default();
        format!("{} {}", path.display(), String::from_utf8_lossy(&arguments).replace('\0', " "))
    };
    paths.map(describe).collect()
}

/// Waits until no process with a mark is left.
#[track_caller]
fn assert_none_left(mark: &str) {
    let start = Instant::now();
    while !marked_processes(mark).is_empty() {
        assert!(start.elapsed() < Duration::from_secs(20), "there still are {:?}", marked_processes(mark));
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn bad_player_folder(experiment: &str) -> Folder {
    let folder = Folder::with_file("bad.toml", experiment);
    folder.write("bad.sh", BAD_PROGRAM);
    folder
}

/// Each kind of misbehaviour has its ending, within its time, and costs only the game in which it
/// happened. No process survives.
#[test]
fn each_bad_player_has_its_ending() {
    let mark = mark("endings");
    // At most ten endings of games are printed.
    BEHAVIOURS.chunks(5).for_each(|behaviours| assert_endings(behaviours, &mark));
}

fn assert_endings(behaviours: &[(&str, &str, &str)], mark: &str) {
    let names: Vec<&str> = behaviours.iter().map(|(name, ..)| *name).collect();
    let folder = bad_player_folder(&experiment(2, &names, mark));
    let start = Instant::now();
    let output = folder.run("run bad.toml --quiet --allow-commands --threads 2").assert_status(0);
    // Some games wait for half a second, and one start takes one and a half seconds. Everything
    // else is fast, but the machine may be busy.
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    assert_eq!(marked_processes(mark), [""; 0], "nothing of them is left when the run has ended");

    let mut endings: BTreeMap<(String, String), u32> = BTreeMap::new();
    for row in read_rows(&folder, "results/bad/games.csv") {
        let bad_player =
            [&row["first"], &row["second"]].into_iter().find(|name| *name != "chance").expect("a rival");
        *endings.entry((bad_player.clone(), row["ending"].clone())).or_default() += 1;
        if row["ending"] != "game-over" {
            assert_eq!(row["winner"], if row["at_fault"] == "first" { "second" } else { "first" }, "{row:?}");
            assert_eq!(row[&row["at_fault"]], *bad_player, "{row:?}");
        }
    }
    for (name, ending, reason) in behaviours {
        let count = endings.get(&((*name).to_owned(), (*ending).to_owned())).copied().unwrap_or(0);
        // In the game after a fault a program that counts its moves starts from 0.
        assert_eq!(count, 2, "{name}: {endings:#?}\n{}", output.stderr);
        let lines = output
            .stderr
            .lines()
            .filter(|line| line.contains(&format!("against {name}: forfeit in a game of block")));
        let lines: Vec<&str> = lines.collect();
        assert_eq!(lines.len(), if reason.is_empty() { 0 } else { 2 }, "{name}: {lines:?}");
        assert!(lines.iter().all(|line| line.contains(reason)), "{name}: {lines:?} do not say {reason:?}");
        // A program that has moved flushes its output.
        assert!(*name != "hangs-later" || lines.iter().all(|line| !line.contains("flush")), "{lines:?}");
    }
    for entry in fs::read_dir(folder.path("results/bad/stderr")).expect("a folder") {
        let length = entry.expect("an entry").metadata().expect("a file").len();
        assert!(length <= 1 << 20, "{length} bytes of standard error");
    }
    if names.contains(&"crash-at-start") {
        let errors = folder.read("results/bad/stderr/crash-at-start-1.txt");
        assert!(errors.starts_with("sh bad.sh crash-at-start\nno weights here\n"), "{errors}");
    }
}

/// The first forfeit of a player is shown while the run goes on: here the second game never ends.
#[test]
fn the_first_forfeit_is_shown_at_once() {
    const PROGRAM: &str = "while read -r word number rest; do case $word in\n\
        gauntlet) echo ready ;;\n\
        move) [ -e once ] && exec sleep 3600; touch once; echo $number nowhere ;;\n\
        quit) exit ;;\nesac; done\n";
    let folder = Folder::with_file("p.sh", PROGRAM);
    folder.write(
        "e.toml",
        "name = \"e\"\ngame = \"2048\"\nseed = 1\ngames = 9\n[[player]]\nname = \"idea\"\n\
         algorithm = \"external\"\ncommand = [\"sh\", \"p.sh\"]\nmove_millis = 86400000\n",
    );
    let session = folder.start_session("run e.toml --allow-commands --threads 1");
    session.wait(|screen| {
        let has_row =
            screen.contains("idea  1  wins") && screen.contains("]  1 forfeit") && screen.contains("≥ ");
        (has_row && screen.contains("idea forfeited a game (block 0): reply")).then_some(())
    });
}

/// A player that fails in every game is given up; the games of others are played.
#[test]
fn who_fails_always_is_given_up() {
    let mark = mark("given-up");
    let folder = bad_player_folder(&experiment(60, &["crash-at-start", "good"], &mark));
    let output = folder.run("run bad.toml --quiet --allow-commands --threads 2").assert_status(1);
    output
        .assert_says(
            "skipped crash-at-start, which failed in 10 games in a row: the program exited with status 3",
        )
        .assert_says("no weights here");
    assert_eq!(read_rows(&folder, "results/bad/games.csv").len(), 60, "games of the others");
    // The others have played all their games.
    let output =
        folder.run("run bad.toml --allow-commands --only chance --only good --name bad").assert_status(0);
    output.assert_says("no games left to play");
    assert_none_left(&mark);
}

/// If the system prevents a program from starting, the player is not blamed. The run ends, and
/// plays the game again later.
#[test]
fn what_cannot_start_ends_the_run() {
    let mark = mark("start");
    let good_experiment = experiment(4, &["good"], &mark);
    let run = "run bad.toml --quiet --allow-commands --threads 1";
    let folder = bad_player_folder(&good_experiment);
    let player = |command: &str| good_experiment.replace("[\"sh\", \"bad.sh\", \"good\"]", command);
    for (text, message) in [
        (player("[\"no-such-program\"]"), "cannot start no-such-program: No such file or directory"),
        (player("[\"./bad.sh\"]"), "cannot start ./bad.sh: Permission denied"),
        (format!("{good_experiment}directory = \"nowhere\"\n"), "no such folder: "),
    ] {
        folder.write("bad.toml", text);
        let output = folder.run(run).assert_status(1);
        assert_eq!(output.stderr.matches(message).count(), 1, "{}", output.stderr);
        output.assert_says("good: cannot start").assert_says("; to play the others: --only chance\n");
        assert!(!folder.path("results/bad/games.csv").exists());
    }
    folder.write("results/other/stderr", "a file where the folder should be\n");
    folder.write("bad.toml", good_experiment.replace("\"bad\"", "\"other\""));
    folder
        .run(run)
        .assert_status(1)
        .assert_says("good: cannot start sh: cannot save the standard error of the program: ");

    // A program that vanishes in its third game, the first one of the second opening: earlier games
    // are kept.
    let text = experiment(8, &["vanishes"], &mark)
        .replace("[\"sh\", \"bad.sh\", ", "[\"player\", ")
        .replace("env = [", "env = [\"PATH=bin:/usr/bin:/bin\", ");
    folder.write("bad.toml", text);
    folder.write("bin/player", format!("#!/bin/sh\n{BAD_PROGRAM}"));
    let path = folder.path("bin/player");
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("permissions");
    folder.run(run).assert_status(1).assert_says("vanishes: cannot start player: No such file or directory");
    folder.run("check bad.toml").assert_status(0).assert_says("6 of 8 games to play");
    fs::rename(folder.path("bin/gone"), &path).expect("a file");
    folder.write("bin/gone", "");
    folder.run(run).assert_status(0);
    let games = read_rows(&folder, "results/bad/games.csv");
    assert_eq!(games.iter().filter(|row| row["ending"] == "game-over").count(), 8, "{games:?}");
    assert_none_left(&mark);
}

/// The run ends with one line if the limit on open files is too low in the run, in a supervisor or
/// in the program. The line explains how to raise it.
#[test]
fn too_few_files_for_a_program_are_told() {
    let mark = mark("files");
    let folder = bad_player_folder(&experiment(4, &["good"], &mark));
    let mut messages = Vec::new();
    for limit in 4.. {
        let line =
            format!("ulimit -n {limit}; exec gauntlet run bad.toml --quiet --allow-commands --threads 1");
        let output = folder.shell(&line);
        if output.stderr.contains("error while loading shared libraries") {
            continue;
        }
        if output.code == Some(0) {
            break;
        }
        let output = output
            .assert_status(1)
            .assert_says("Too many open files")
            .assert_says("raise the limit with `ulimit -n`");
        assert_eq!(output.stderr.lines().count(), 1, "{limit}: {}", output.stderr);
        messages.push(output.stderr);
    }
    let is_start_error = |line: &&String| line.starts_with("gauntlet: good: cannot start sh: ");
    assert!(messages.iter().filter(is_start_error).count() > 1, "{messages:?}");
    assert_eq!(read_rows(&folder, "results/bad/games.csv").len(), 4);
    assert_none_left(&mark);
}

/// The CPU time of a program that crashes in every game is still known.
#[test]
fn time_before_a_crash_counts() {
    let mark = mark("burns");
    let folder = bad_player_folder(
        &experiment(4, &["burns"], &mark).replace("move_millis = 500", "move_millis = 100000"),
    );
    folder.run("run bad.toml --quiet --allow-commands --threads 1").assert_status(0);
    let times = read_rows(&folder, "results/bad/ms-per-move.csv");
    let row = times.iter().find(|row| row["player"] == "burns").expect("times");
    let ms: f64 = row["cpu_ms_per_move"].parse().expect("a time");
    // Counting to 300,000 takes a shell a tenth of a second, and other moves less than 0.1 ms.
    assert!(ms > 1.0, "{row:?}");
}

/// No command starts unless the command line permits it: not for `run`, `tune`, `probe`, `show` or
/// `check`.
#[test]
fn nothing_starts_unasked() {
    let mark = mark("unasked");
    let text = experiment(2, &["touches", "other"], &mark);
    let folder = bad_player_folder(&text.replace("move_millis", "reproducible = true\nmove_millis"));
    folder.write("bad.sh", format!("touch started\n{BAD_PROGRAM}"));
    for line in [
        "run bad.toml",
        "run bad.toml --allow-command other",
        "probe --experiment bad.toml",
        "show bad.toml --player chance --against touches",
        "show bad.toml --player chance --against touches --allow-command other",
    ] {
        folder
            .run(line)
            .assert_status(2)
            .assert_says("touches: sh bad.sh touches")
            .assert_says("--allow-commands");
    }
    let output = folder.run("run bad.toml --allow-command touchs --allow-command other").assert_status(2);
    output.assert_says("no such player \"touchs\"; did you mean \"touches\"?");
    for line in ["check bad.toml", "check bad.toml --cost", "status bad.toml"] {
        folder.run(line).assert_status(0);
    }
    folder.run("check bad.toml").assert_says("touches starts sh bad.sh touches");
    assert!(!folder.path("started").exists(), "a command was started");
    assert!(!folder.path("results").exists(), "something was written");
    folder.run("run bad.toml --quiet --allow-command other --allow-command touches").assert_status(0);
    assert!(folder.path("started").exists());
    // A results folder grants no permission.
    fs::remove_file(folder.path("started")).expect("a file");
    folder.run("run results/bad").assert_status(2);
    assert!(!folder.path("started").exists(), "a command was started");
}

/// A run killed at any moment leaves no process behind. `GAUNTLET_KILLS` is the number of kills.
#[test]
fn a_killed_run_leaves_nothing() {
    let mark = mark("killed");
    let folder = bad_player_folder(&experiment(400, &["leaves-children", "deaf-to-signals", "hang"], &mark));
    let kills = std::env::var("GAUNTLET_KILLS").map_or(10, |kills| kills.parse().expect("a number"));
    for round in 0..kills {
        let mut run = folder.start("run bad.toml --quiet --allow-commands --threads 2");
        std::thread::sleep(Duration::from_millis(60 * (round % 10) + round / 10));
        run.kill().expect("a process");
        run.wait().expect("an end");
        assert_none_left(&mark);
    }
}

/// A broken promise is reported before a game is played, and so is a program that reports another
/// name than before.
#[test]
fn promises_are_tried() {
    let mark = mark("promises");
    let text = experiment(4, &["changes-its-mind"], &mark);
    let folder = bad_player_folder(&format!("{text}reproducible = true\n"));
    folder.run("run bad.toml --quiet --allow-commands").assert_status(1).assert_says(
        "not reproducible despite `reproducible = true`: in two games of block 0, move 1 was a1 and then b1",
    );
    assert!(!folder.path("results/bad/games.csv").exists());
    let folder = bad_player_folder(&format!("{}reproducible = true\n", experiment(4, &["remembers"], &mark)));
    folder
        .run("run bad.toml --quiet --allow-commands")
        .assert_status(1)
        .assert_says("depends on earlier games; reset all state at `new`");

    let folder = bad_player_folder(
        &format!("{}files = []\n", experiment(4, &["good"], &mark)).replace("bad.sh", "link.sh"),
    );
    folder.write("link.sh", ". ./bad.sh\n");
    folder.run("run bad.toml --quiet --allow-commands").assert_status(0);
    // The same script by its settings, but another program behind it.
    folder.write("bad.sh", BAD_PROGRAM.replace("1.0", "2.0"));
    let rerun = "run bad.toml --quiet --allow-commands --games 6 --name bad";
    folder
        .run(rerun)
        .assert_status(1)
        .assert_says(r#"the program is "good 2.0", but games in the journal were played by "good 1.0""#);
    folder.write("bad.sh", BAD_PROGRAM);
    folder.run(rerun).assert_status(0);
    // A changed script is another player, and plays all games.
    folder.write("link.sh", "# changed\n. ./bad.sh\n");
    folder.run("check bad.toml --games 6 --name bad").assert_status(0).assert_says("6 of 6 games to play");
}

/// Tables without a journal list the programs that played, however they were played; a program
/// without a name has no entry.
#[test]
fn a_manifest_tells_what_programs_call_themselves() {
    let mark = mark("named");
    let folder = bad_player_folder(&experiment(4, &["good", "silent"], &mark));
    let programs = |results: &str| {
        let manifest: toml::Table =
            folder.read(&format!("{results}/bad/manifest.toml")).parse().expect("TOML");
        manifest.get("programs").map(toml::Value::to_string)
    };
    folder.write(
        "bad.sh",
        BAD_PROGRAM
            .replace("        *) echo \"ready", "        silent) echo ready ;;\n        *) echo \"ready"),
    );
    for shard in ["1/2", "2/2"] {
        folder.run(&format!("run bad.toml --quiet --allow-commands --shard {shard}")).assert_status(0);
    }
    folder.run("merge bad.toml").assert_status(0);
    assert_eq!(programs("results").as_deref(), Some("{ good = \"good 1.0\" }"));
    folder.run("run bad.toml --quiet --allow-commands --results alone").assert_status(0);
    assert_eq!(programs("alone"), programs("results"));
    let entry = "<dd>good: good 1.0</dd>";
    assert!(folder.run("report alone/bad --out -").assert_status(0).stdout.contains(entry));
    // Re-evaluated verdicts are of the same games.
    folder.run("judge alone/bad").assert_status(0);
    assert_eq!(programs("alone"), programs("results"));
}

/// A program may report any name, and a manifest may come from a stranger.
#[test]
fn names_of_programs_do_nothing_on_the_page() {
    const HOSTILE: &str = "<script>alert(1)</script>\"><img src=x onerror=alert(2)></dd></dl><b>' onmouseover='alert(3) {{ 7*7 }} \
                           \u{1b}[2J\u{202e}";
    let escaped =
        "good: &lt;script&gt;alert(1)&lt;&#x2f;script&gt;&quot;&gt;&lt;img src=x onerror=alert(2)&gt;";
    let folder = bad_player_folder(&experiment(2, &["good"], &mark("hostile")));
    folder.write("bad.sh", BAD_PROGRAM.replace("echo \"ready $behaviour 1.0\"", "cat greeting"));
    folder.write("greeting", format!("ready {HOSTILE}{}\n", "y".repeat(60_000)));
    let read_page = || {
        let page = folder.run("report results/bad --out -").assert_status(0).stdout;
        assert_harmless(&page);
        assert!(page.contains(escaped), "it is not shown");
        assert!(!page.contains(|character| character != '\n' && is_hidden(character)));
        assert!(!page.contains(&"y".repeat(200)), "it is not cut");
        page
    };
    folder.run("run bad.toml --quiet --allow-commands").assert_status(0);
    let manifest = folder.read("results/bad/manifest.toml");
    assert!(!manifest.contains(|character| character != '\n' && is_hidden(character)));
    read_page();

    let mut forged_manifest: toml::Table = manifest.parse().expect("TOML");
    let programs = forged_manifest["programs"].as_table_mut().expect("a table");
    let stored_name = programs["good"].as_str().expect("a text");
    assert!(
        stored_name.contains(r"\u{1b}[2J\u{202e}yy") && stored_name.chars().count() == 201,
        "{stored_name}"
    );
    programs.insert("good".to_owned(), format!("{HOSTILE}{}", "y".repeat(1 << 20)).into());
    programs.insert("stranger".to_owned(), "no player of the experiment".into());
    programs.insert("chance".to_owned(), "\u{1b}c".into());
    folder.write("results/bad/manifest.toml", forged_manifest.to_string());
    let page = read_page();
    assert!(!page.contains("no player of the experiment"));
    for command in ["report", "compare", "rank", "judge", "status"] {
        let output = folder.run(&format!("{command} results/bad")).assert_status(0);
        assert!(
            ![output.stdout, output.stderr]
                .concat()
                .contains(|character| character != '\n' && is_hidden(character)),
            "{command}"
        );
    }
}

/// A tuning checks its programs, too: their names, and that they repeat a game.
#[test]
fn promises_of_tuned_programs_are_tried() {
    let folder = Folder::with_file("first.sh", include_str!("../../../examples/players/first.sh"));
    let text = "name = \"t\"\ngame = \"2048\"\nseed = 7\ngames = 50\nwin = 32\nuntil = 32\n\n[[player]]\nname = \"p\"\n\
         algorithm = \"external\"\ncommand = [\"sh\", \"p.sh\"]\noptions = { x = 1 }\nreproducible = true\nmove_millis = 100000\n\n\
         [tune]\nplayer = \"p\"\nmethod = \"cma-es\"\nbudget = 120\n[tune.validate]\ngames = 10\n[tune.params]\noptions.x = { min = 0.0, max = 2.0 }\n";
    folder.write("t.toml", text);
    folder.write("p.sh", ". ./first.sh\n");
    let assert_answered = |line: &str| {
        let output = folder.run(line);
        // It is better, inconclusive, or worse.
        assert!(matches!(output.code, Some(0 | 6 | 7)), "{:?} {}", output.code, output.stderr);
    };
    assert_answered("tune t.toml --quiet --allow-commands");
    let rerun = "tune t.toml --quiet --allow-commands --budget 240";
    let script = folder.read("first.sh");
    folder.write("first.sh", script.replace("ready first-sh 1", "ready first-sh 2"));
    folder.run(rerun).assert_status(1).assert_says(
        r#"p: the program is "first-sh 2", but games in the journal were played by "first-sh 1""#,
    );
    folder.write("first.sh", &script);
    assert_answered(rerun);

    // An external optimizer asks for the same games.
    if !lacks_command("ask") {
        let ask = |line: &str, blocks: u32| {
            let question = format!("{{\"ask\": {{\"options.x\": 2}}, \"blocks\": {blocks}}}");
            folder.run_with(line, &question)
        };
        ask("ask t.toml", 4).assert_status(2).assert_says("p: sh p.sh").assert_says("--allow-commands");
        ask("ask t.toml --allow-commands", 4).assert_status(0).assert_says("\"games\":4");
        folder.write("first.sh", script.replace("ready first-sh 1", "ready first-sh 2"));
        ask("ask t.toml --allow-commands", 5).assert_status(1).assert_says(r#"the program is "first-sh 2""#);
        folder.write("first.sh", &script);
    }

    let flips = "gauntlet) [ -e flip ] && rm flip || touch flip; ";
    let flipping_script =
        script.replace("gauntlet) ", flips).replace("echo \"$game", "[ -e flip ] && echo; echo \"$game");
    folder.write("first.sh", flipping_script);
    folder
        .run("tune t.toml --quiet --allow-commands --results other")
        .assert_status(1)
        .assert_says("not reproducible despite `reproducible = true`");
}

/// The example programs play the games of a built-in player, move by move, in any language. Their
/// CPU time is the time of their processes.
#[test]
fn programs_in_other_languages_play_as_ours_do() {
    let folder = Folder::new();
    for name in ["first.py", "first.js", "first.c", "first.sh", "batched.c", "batched.py"] {
        folder.write(
            name,
            fs::read(format!("{}/examples/players/{name}", env!("CARGO_MANIFEST_DIR"))).expect("a file"),
        );
    }
    let has_compiler = is_installed("cc");
    if has_compiler {
        folder.shell("cc -O2 -o first first.c && cc -O2 -o batched batched.c").assert_status(0);
    }
    let candidates = [
        (true, r#"["sh", "first.sh"]"#),
        (is_installed("python3"), r#"["python3", "first.py"]"#),
        (is_installed("node"), r#"["node", "first.js"]"#),
        (has_compiler, r#"["./first"]"#),
        (has_compiler, r#"["./batched"]"#),
        // All seven games of the player are open at the same time, then at most two, then one.
        (has_compiler, r#"["./batched", "4096"]"#),
        (has_compiler, r#"["./batched", "2"]"#),
        (has_compiler, r#"["./batched", "1"]"#),
        (succeeds("python3", &["-c", "import numpy"]), r#"["python3", "batched.py"]"#),
    ];
    let mut text = "name = \"same\"\ngame = \"2048\"\nseed = 5\ngames = 7\n\n[[player]]\nname = \"ours\"\n\
        algorithm = \"fixed-order\"\norder = [\"down\", \"left\", \"right\", \"up\"]\n"
        .to_owned();
    let commands: Vec<&str> = candidates
        .into_iter()
        .filter(|(is_installed, _)| *is_installed)
        .map(|(_, command)| command)
        .collect();
    for (index, command) in commands.iter().enumerate() {
        text += &format!(
            "\n[[player]]\nname = \"{index}\"\nalgorithm = \"external\"\ncommand = {command}\nreproducible = true\n"
        );
    }
    folder.play("same.toml --allow-commands", text);
    let games = read_rows(&folder, "results/same/games.csv");
    let games_of = |name: &str| -> Vec<_> {
        let rows = games.iter().filter(|row| row["player"] == name);
        rows.map(|row| ["seed", "score", "moves", "max_tile", "ending"].map(|column| row[column].clone()))
            .collect()
    };
    assert_eq!(games_of("ours").len(), 7);
    let times = read_rows(&folder, "results/same/ms-per-move.csv");
    for (index, command) in commands.iter().enumerate() {
        assert_eq!(games_of("ours"), games_of(&index.to_string()), "{command}");
        assert_eq!(times[index + 1]["timed"], "thoughts in other processes");
    }
    let ms: f64 = times[1]["cpu_ms_per_move"].parse().expect("a time");
    assert!(ms > 0.0, "{times:?}");
    // A game is shown by replaying it, if that is permitted.
    let show_command = "show same.toml --player 0 --block 1 --last";
    folder.run(show_command).assert_status(2).assert_says("--allow-commands");
    folder.run(&format!("{show_command} --allow-commands")).assert_status(0).assert_says("game-over after");
}

/// The moves of a program that is not reproducible are in the journal: `show` reads them, and
/// starts nothing.
#[test]
fn games_that_cannot_be_played_again_are_kept() {
    let mark = mark("kept");
    let folder = bad_player_folder(&experiment(4, &["good"], &mark));
    folder.run("run bad.toml --quiet --allow-commands").assert_status(0);
    let games = read_rows(&folder, "results/bad/games.csv");
    folder.write("bad.sh", "touch started\n");
    for row in &games {
        let line = format!(
            "show results/bad --player chance --against good --block {} --leg {}",
            row["block"], row["leg"]
        );
        // A changed script is another player, which has no games there.
        folder.run(&line).assert_status(1).assert_says("is not in ");
    }
    folder.write("bad.sh", BAD_PROGRAM);
    for row in &games {
        let line = format!(
            "show results/bad --player chance --against good --block {} --leg {}",
            row["block"], row["leg"]
        );
        let winner = &row[&row["winner"]];
        folder
            .run(&line)
            .assert_status(0)
            .assert_says(&format!("{} after {} moves, ", row["ending"], row["moves"]))
            .assert_says(winner);
        folder.run(&format!("{line} --sgf -")).assert_status(0).assert_says("(;");
    }
    assert!(!folder.path("started").exists(), "something was started");
    fs::remove_file(folder.path("results/bad/journal.jsonl")).expect("a journal");
    let line = "show results/bad --player chance --against good";
    folder.run(line).assert_status(1).assert_says("only the journal has its moves");
}

/// Tables can be read without the program, as in a repository.
#[test]
fn tables_outlive_their_programs() {
    let folder = bad_player_folder(&(experiment(4, &["good"], &mark("outlived")) + "files = [\"bad.sh\"]\n"));
    folder.run("run bad.toml --quiet --allow-commands").assert_status(0);
    fs::remove_file(folder.path("bad.sh")).expect("a program");
    // The games in a journal belong to the program as it was.
    folder.run("status results/bad").assert_status(2).assert_says("bad.sh");
    fs::remove_file(folder.path("results/bad/journal.jsonl")).expect("a journal");
    folder
        .run("status results/bad")
        .assert_status(0)
        .assert_says("tables complete")
        .assert_says("running it again replays all games");
    for command in ["report", "compare", "rank", "judge"] {
        folder.run(&format!("{command} results/bad")).assert_status(0);
    }
}

/// The conversations in the document are real ones.
#[test]
fn the_document_shows_what_is_said() {
    let document =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/PROTOCOL.md")).expect("the document");
    let conversations: Vec<Vec<&str>> = document
        .split("```text\n")
        .skip(1)
        .map(|block| {
            block
                .lines()
                .take_while(|line| *line != "```")
                .filter_map(|line| line.strip_prefix("> "))
                .collect()
        })
        .collect();
    let folder = bad_player_folder("");
    folder.write("first.sh", include_str!("../../../examples/players/first.sh"));
    let player = |command: &str| {
        format!(
            "[[player]]\nname = \"p\"\nalgorithm = \"external\"\ncommand = [\"sh\", \"-c\", \"tee said | {command}\"]\n"
        )
    };
    let chance = "[[player]]\nname = \"chance\"\nalgorithm = \"random\"\n";
    for (game, opponent, player, expected_lines) in [
        ("2048", "", player("sh first.sh"), &conversations[0]),
        ("gomoku", chance, player("sh bad.sh good") + "options = { depth = 6 }\n", &conversations[1]),
    ] {
        let text = format!("name = \"{game}\"\ngame = \"{game}\"\nseed = 1\ngames = 2\n{opponent}{player}");
        folder.play(&format!("{game}.toml --allow-commands --threads 1"), text);
        let input_text = folder.read("said");
        let mut input_lines = input_text.lines();
        for line in expected_lines.iter().filter(|line| **line != "...") {
            assert!(input_lines.any(|input_line| input_line == *line), "{game}: {line}");
        }
    }
}

/// Words are separated by any number of spaces or tabs, as Lua's `print(game, move)` writes them.
#[test]
fn any_blank_separates_words() {
    let folder = Folder::new();
    // A program whose `echo` puts these separators around each word.
    let with_blanks = |program: &str, blanks: &str| match blanks {
        "" => program.to_owned(),
        _ => {
            let words = format!("for each in $*; do printf '{blanks}%s{blanks}' \"$each\"; done");
            format!("echo() {{ {words}; printf '\\n'; }}\n{program}")
        }
    };
    let mut players = String::new();
    for (blanks, number) in [("", 0), ("\\t", 1), (" \\t\\t ", 2)] {
        for (name, program) in
            [("first", include_str!("../../../examples/players/first.sh")), ("batched", BATCHED)]
        {
            folder.write(&format!("{name}{number}.sh"), with_blanks(program, blanks));
            folder
                .run(&format!("players --try -- sh {name}{number}.sh good"))
                .assert_status(0)
                .assert_says("passed  all tests");
            players += &format!(
                "[[player]]\nname = \"{name}{number}\"\nalgorithm = \"external\"\ncommand = [\"sh\", \"{name}{number}.sh\"]\n"
            );
        }
        folder.write(&format!("bad{number}.sh"), with_blanks(BAD_PROGRAM, blanks));
        let gomoku = format!("players --try --game gomoku -- sh bad{number}.sh good");
        folder.run(&gomoku).assert_status(0).assert_says("name \"good").assert_says("passed  all tests");
    }
    folder.play(
        "t.toml --allow-commands",
        format!("name = \"t\"\ngame = \"2048\"\nseed = 5\ngames = 9\n{players}"),
    );
    let games = read_rows(&folder, "results/t/games.csv");
    let games_of = |name: &str| -> Vec<_> {
        let rows = games.iter().filter(|row| row["player"] == name);
        rows.map(|row| ["seed", "score", "moves", "ending"].map(|column| row[column].clone())).collect()
    };
    for name in ["first", "batched"] {
        let expected_games = games_of(&format!("{name}0"));
        assert!(
            expected_games.len() == 9 && expected_games.iter().all(|game| game[3] == "game-over"),
            "{name}: {expected_games:?}"
        );
        assert!(
            (1..3).all(|number| games_of(&format!("{name}{number}")) == expected_games),
            "{name}: {games:?}"
        );
    }
}

/// The board of an illegal move is printed as a board, and only the last line of standard error of
/// a program that ended.
#[test]
fn a_forfeit_shows_its_board_or_its_last_line() {
    let folder = Folder::new();
    let player = |answer: &str| {
        format!(
            "while read -r word number rest; do case $word in gauntlet) echo ready x;; move) {answer};; quit) exit;; esac; done\n"
        )
    };
    let count_rows = |text: &str| {
        text.lines().filter(|line| line.split_whitespace().count() == 4 && line.starts_with(' ')).count()
    };
    folder.write(
        "e.toml",
        "name = 'e'\ngame = '2048'\nseed = 1\ngames = 1\n[[player]]\nname = 'p'\nalgorithm = 'external'\n\
         command = ['sh', 'p.sh']\n",
    );
    folder.write("p.sh", player("echo $number left"));
    let output = folder.run("run e.toml --allow-commands").assert_status(0);
    let (_, board) =
        output.stderr.split_once("p forfeited a game (block 0): illegal move left\n").expect("a message");
    let board: Vec<&str> = board.lines().take(4).collect();
    let is_row = |line: &&str| line.starts_with("  ") && line.split_whitespace().count() == 4;
    assert!(board.iter().all(is_row), "{}", output.stderr);
    assert!(!output.stderr.contains('{'), "{}", output.stderr);
    let output = folder.run("players --try -- sh p.sh").assert_status(1);
    assert_eq!(count_rows(&output.stdout), 4, "{}", output.stdout);
    let (_, board) = output
        .stdout
        .split_once("only `up` is possible: reply \"0 left\": illegal move left")
        .expect("a test");
    assert!(board.lines().nth(1).is_some_and(|row| row.trim_start().starts_with(". ")), "{}", output.stdout);

    folder.write("p.sh", player("printf 'one\\ntwo\\n\\n' >&2; exit 3"));
    let output = folder.run("run e.toml --allow-commands --replace").assert_status(0);
    assert!(output.stderr.contains("; last line of standard error: two\n"), "{}", output.stderr);
}

/// `--try` reports what is right and wrong; the starter player is right.
#[test]
fn a_player_is_tried() {
    let folder = bad_player_folder("");
    folder.write("first.sh", include_str!("../../../examples/players/first.sh"));
    let output = folder.run("players --try -- sh first.sh").assert_status(0);
    output
        .assert_says("ok      starts: name \"first-sh 1\"")
        .assert_says("ok      only `up` is possible: up")
        .assert_says("`reproducible = true` is possible")
        .assert_says("passed  all tests");
    folder
        .run("players --try --game gomoku -- sh bad.sh good")
        .assert_status(0)
        .assert_says("passed  all tests");
    folder
        .run("players --try --game gomoku -- sh bad.sh minds-its-colour")
        .assert_status(0)
        .assert_says("passed  all tests");
    let verbose_output = folder
        .run("players --try --game gomoku --verbose --option depth=3 -- sh bad.sh good")
        .assert_status(0);
    verbose_output
        .assert_says("option.depth=3\n< ready good 1.0\n")
        .assert_says("\n> new 0 1000003 seat=first\n")
        .assert_says("\n> end 0 result=");
    let output =
        folder.run("players --try --game gomoku --move-millis 300 -- sh bad.sh half-a-line").assert_status(1);
    output
        .assert_says("no answer within 300 ms: its output \"0 a\" has no end of line")
        .assert_says("skipped second game: too many timeouts");
    folder
        .run("players --try --game gomoku --move-millis 300 -- sh bad.sh hang")
        .assert_status(1)
        .assert_says("check that it flushes its output after each line");
    folder
        .run("players --try --option depth -- sh bad.sh good")
        .assert_status(2)
        .assert_says("expected NAME=VALUE, found \"depth\"");
    for (behaviour, message) in [
        ("no-cell", "reply \"0 somewhere\": \"somewhere\" is not a move"),
        ("wrong-game", "expected the number of the game, 0, at the start of the line"),
        ("twice", "more than one line in the reply"),
        ("exit-0", "the program exited with status 0 before the reply"),
        ("unready", "expected `ready` and a name as reply to the greeting, found \"hello\""),
        ("hangs-on-quit", "did not exit within 0.5 s of `quit`"),
    ] {
        let output =
            folder.run(&format!("players --try --game gomoku -- sh bad.sh {behaviour}")).assert_status(1);
        output.assert_says("WRONG").assert_says(message);
    }
    folder.write("batched.sh", BATCHED);
    let output = folder.run("players --try -- sh batched.sh good").assert_status(0);
    output
        .assert_says("name \"batched\", batch of 8 games")
        .assert_says("batch of 4 games: ")
        .assert_says("passed  all tests");
    for (arguments, message) in [
        (
            "strays",
            "batch of 4 games: reply \"99 down\": expected the number of a requested game at the start of the line",
        ),
        ("good 100000", "expected a batch of 1 to 65536 games, found \"100000\""),
    ] {
        folder
            .run(&format!("players --try -- sh batched.sh {arguments}"))
            .assert_status(1)
            .assert_says("WRONG")
            .assert_says(message);
    }
    folder
        .run("players --try --game chess -- sh bad.sh")
        .assert_status(2)
        .assert_says("unknown game `chess`");
    folder.run("players --try").assert_status(2);
}

/// A program that plays many games of 2048 at the same time: the player of the examples. Its first
/// argument says how it misbehaves.
const BATCHED: &str = r#"behaviour=$1
rounds=0
begun=0
bad=none
late=
moves() {
  while [ $# -gt 0 ]; do
    for pair in "$1 $2" "$2 $3" "$3 $4"; do
      from=${pair% *} to=${pair#* }
      [ "$from" != 0 ] && { [ "$to" = 0 ] || [ "$from" = "$to" ]; } && return 0
    done
    shift 4
  done
  return 1
}
while read -r word game a b c d e f g h i j k l m n o p rest; do
  case $word in
    gauntlet) echo "ready batched batch=${2:-8}" ;;
    new)
      begun=$((begun + 1))
      [ "$game" = $bad ] && bad=none
      # The third game of all is the bad one.
      [ $begun = 3 ] && [ ! -e "third-$behaviour" ] && touch "third-$behaviour" && bad=$game ;;
    move)
      [ "$behaviour-$game" = skips-$bad ] && continue
      [ "$behaviour-$game" = strays-2 ] && game=99
      if moves $a $e $i $m $b $f $j $n $c $g $k $o $d $h $l $p; then mv=down
      elif moves $d $c $b $a $h $g $f $e $l $k $j $i $p $o $n $m; then mv=left
      elif moves $a $b $c $d $e $f $g $h $i $j $k $l $m $n $o $p; then mv=right
      else mv=up; fi
      [ "$behaviour-$game" = raves-$bad ] && mv=nowhere
      [ "$behaviour" = trickles ] && late="$late $game/$mv" && continue
      echo "$game $mv" ;;
    go)
      rounds=$((rounds + 1))
      [ "$behaviour-$rounds" = hangs-3 ] && [ ! -e hung ] && touch hung && sleep 600
      [ "$behaviour-$rounds" = floods-3 ] && [ ! -e flooded ] && touch flooded && yes "0 up"
      [ "$behaviour-$rounds" = crashes-4 ] && [ ! -e crashed ] && touch crashed && exit 3
      [ "$behaviour" = always-crashes ] && [ $rounds = 4 ] && exit 3
      slowly=
      [ "$behaviour-$rounds" = trickles-3 ] && [ ! -e trickled ] && touch trickled && slowly="sleep 2"
      for answer in $late; do $slowly; echo "${answer%/*} ${answer#*/}"; done
      late=
      $slowly
      echo "done" ;;
  esac
done
"#;

/// A fault in one of many games costs that game. If the game is unknown, it costs one game, and the
/// others restart.
#[test]
fn faults_in_a_batch_cost_one_game() {
    let mark = mark("batch");
    let folder = Folder::with_file("batched.sh", BATCHED);
    let behaviours = [
        ("good", None),
        ("skips", Some("nonsense")),
        ("raves", Some("nonsense")),
        ("floods", Some("nonsense")),
        ("hangs", Some("timed-out")),
        // Each answer arrives within the limit of a move, but together they take longer than the
        // limit for all.
        ("trickles", Some("timed-out")),
        ("crashes", Some("crashed")),
    ];
    let mut text =
        "name = \"batch\"\ngame = \"2048\"\nseed = 5\ngames = 8\nuntil = 64\nwin = 64\n\n[[player]]\n\
        name = \"ours\"\nalgorithm = \"fixed-order\"\norder = [\"down\", \"left\", \"right\", \"up\"]\n"
            .to_owned();
    let player = |behaviour: &str| {
        format!(
            "\n[[player]]\nname = \"{behaviour}\"\nalgorithm = \"external\"\n\
             command = [\"sh\", \"batched.sh\", \"{behaviour}\"]\nmove_millis = 3000\nenv = [\"GAUNTLET_MARK={mark}\"]\n"
        )
    };
    behaviours.iter().for_each(|(behaviour, _)| text += &player(behaviour));
    folder.play("batch.toml --allow-commands --threads 1", &text);
    let games = read_rows(&folder, "results/batch/games.csv");
    let games_of = |name: &str| -> Vec<_> {
        let rows = games.iter().filter(|row| row["player"] == name);
        rows.map(|row| ["seed", "score", "moves", "ending"].map(|column| row[column].clone())).collect()
    };
    let built_in_games = games_of("ours");
    assert_eq!(built_in_games.len(), 8);
    for (name, ending) in behaviours {
        let failed_count = games_of(name).iter().filter(|game| Some(&*game[3]) == ending).count();
        let others =
            games_of(name).into_iter().zip(&built_in_games).filter(|(game, _)| Some(&*game[3]) != ending);
        for (game, expected) in others {
            assert_eq!(game, *expected, "{name}");
        }
        assert_eq!(failed_count, usize::from(ending.is_some()), "{name}: {:?}", games_of(name));
    }
    // Their moves are stored by game.
    let (block, good_games) = (3, games_of("good"));
    let output =
        folder.run(&format!("show results/batch --player good --block {block} --last")).assert_status(0);
    output.assert_says(&format!(
        "until after {} moves, {} points, won",
        good_games[block][2], good_games[block][1]
    ));

    let always = text.replace("games = 8", "games = 40").replace("name = \"batch\"", "name = \"always\"");
    folder.write("always.toml", always + &player("always-crashes") + &player("strays"));
    let command = "run always.toml --quiet --allow-commands --threads 1 --name always --only ours";
    for (behaviour, message) in [
        ("always-crashes", "the program exited with status 3"),
        ("strays", "expected the number of a requested game"),
    ] {
        let output = folder.run(&format!("{command} --only {behaviour}")).assert_status(1);
        let skipped = format!("skipped {behaviour}, which failed in 10 games in a row: ");
        let skipped_line = output.stderr.lines().find(|line| line.contains(&skipped));
        assert!(skipped_line.is_some_and(|line| line.contains(message)), "{}", output.stderr);
    }
    assert_none_left(&mark);
}

/// A program that kills or stops its supervisor harms only its own games. The run notices
/// immediately, even if a process in another session still holds the pipe. No process survives. A
/// stopped supervisor is continued when it is needed.
#[test]
fn a_program_may_kill_its_supervisor() {
    let leave_child =
        "setsid sh -c 'touch away; exec sleep 3600' & while [ ! -e away ]; do sleep 0.01; done; ";
    let first = include_str!("../../../examples/players/first.sh");
    let script_with = |command: &str| {
        first.replace("    move)\n", &format!("    move) rm -f away; {leave_child}{command}\n"))
    };
    let cases = [
        ("kill -KILL $PPID; sleep 3600", "crashed", "the supervisor of the program was killed"),
        // It has its own group, in the same session.
        (
            "set -m; sleep 3600 & kill -KILL $PPID; sleep 3600",
            "crashed",
            "the supervisor of the program was killed",
        ),
        // It joins the group of the bench.
        (
            "python3 join.py $PPID joined$$ & while [ ! -e joined$$ ]; do sleep 0.01; done; \
             kill -KILL $PPID; sleep 3600",
            "crashed",
            "the supervisor of the program was killed",
        ),
        ("kill -STOP $PPID; exit 3", "crashed", "the program exited with status 3"),
        ("kill -STOP $PPID", "max-moves", ""),
    ];
    for (number, (command, ending, message)) in cases.into_iter().enumerate() {
        let (folder, mark) = (Folder::new(), mark(&format!("supervisor-{number}")));
        let script = script_with(command);
        assert!(script.contains(command));
        folder.write("p.sh", script);
        folder.write("join.py", JOIN_SCRIPT);
        let player = format!(
            "algorithm = \"external\"\ncommand = [\"sh\", \"p.sh\"]\nenv = [\"GAUNTLET_MARK={mark}\"]\n\
             move_millis = 86400000\n"
        );
        let other = "\n[[player]]\nname = \"any\"\nalgorithm = \"random\"\n";
        folder.write(
            "e.toml",
            format!(
                "name = \"e\"\ngame = \"2048\"\nseed = 1\ngames = 4\nmax_moves = 1\n[[player]]\n\
                 name = \"p\"\n{player}{other}"
            ),
        );
        // Each of two threads has a program.
        let mut run = folder.start("run e.toml --allow-commands --threads 2");
        let start = Instant::now();
        while run.try_wait().unwrap().is_none() {
            if start.elapsed() > Duration::from_secs(120) {
                run.kill().unwrap();
                panic!("{command}: the run does not end");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        ProgramOutput::new(command, &run.wait_with_output().unwrap()).assert_status(0).assert_says(message);
        let games = read_rows(&folder, "results/e/games.csv");
        let endings: Vec<_> =
            games.iter().filter(|row| row["player"] == "p").map(|row| row["ending"].as_str()).collect();
        assert_eq!(endings, [ending; 4], "{command}");
        assert_none_left(&mark);
    }
}

/// Joins the group of the supervisor's parent, and reports this by a file.
const JOIN_SCRIPT: &str = r#"
import os, sys, time
fields = lambda pid: open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
bench = fields(sys.argv[1])[1]
os.setpgid(0, int(fields(bench)[2]))
open(sys.argv[2], "w").close()
time.sleep(3600)
"#;

/// The process that becomes the bench may have started other processes. They do not belong to a
/// player, so they survive.
#[cfg(target_os = "linux")]
#[test]
fn what_the_bench_inherits_survives_the_end_of_a_supervisor() {
    let folder = Folder::new();
    let first = include_str!("../../../examples/players/first.sh");
    folder.write("p.sh", first.replace("    move)\n", "    move) kill -KILL $PPID; sleep 3600\n"));
    folder.write(
        "e.toml",
        "name = \"e\"\ngame = \"2048\"\nseed = 1\ngames = 1\nmax_moves = 1\n[[player]]\nname = \"p\"\n\
         algorithm = \"external\"\ncommand = [\"sh\", \"p.sh\"]\nmove_millis = 86400000\n",
    );
    folder
        .shell(
            "setsid sleep 3600 > own.log 2>&1 & echo $! > own.pid; exec gauntlet run e.toml --allow-commands",
        )
        .assert_status(0)
        .assert_says("the supervisor of the program was killed");
    let pid = folder.read("own.pid");
    let status = Command::new("kill").args(["-KILL", pid.trim()]).status().expect("kill");
    assert!(status.success(), "the process {pid} is gone");
}

/// After the run each player that forfeited games has a line, and the table shows their number on a
/// narrow terminal.
#[test]
fn forfeits_are_summed_up() {
    let folder = bad_player_folder(&experiment(4, &["illegal-move", "remembers"], &mark("summed-up")));
    let output = folder.run("run bad.toml --allow-commands --threads 1").assert_status(0);
    assert_eq!(
        output.stderr.matches("illegal-move: forfeit in a game of block 0: illegal-move: ").count(),
        1
    );
    output.assert_says("warning: illegal-move forfeited 4 of 4 games (illegal move)\n");
    let table = folder.run_on_terminal("run bad.toml --allow-commands", 60);
    let header = table.lines().find(|line| line.starts_with("player")).expect("a head");
    assert!(header.contains("  forfeits"), "{table}");
}

/// `check` warns of a program and a script that do not exist, without starting anything.
#[test]
fn absent_programs_are_warned_of() {
    let folder = bad_player_folder(&experiment(2, &["good"], "absent"));
    let check = || folder.run("check bad.toml").assert_status(0).stdout;
    assert!(!check().contains("cannot start"), "{}", check());
    let text = folder.read("bad.toml");
    for (command, warning) in [
        (r#""sh", "absent.sh""#, "no such file: absent.sh"),
        (r#""no-such-program", "bad.sh""#, "no such program: no-such-program"),
        (r#""./absent", "bad.sh""#, "no such program: ./absent"),
    ] {
        folder.write("bad.toml", text.replace(r#""sh", "bad.sh""#, command));
        assert!(check().contains(&format!("  warning: good cannot start: {warning}\n")), "{}", check());
    }
}

/// If a program has changed, all its games are played again, and a line says so.
#[test]
fn a_changed_program_is_announced() {
    const LINE: &str = "good: the journal has no games of this version of its program and settings";
    let folder = bad_player_folder(&experiment(2, &["good", "remembers"], &mark("changed")));
    let run = || folder.run("run bad.toml --allow-commands").assert_status(0);
    assert!(!run().stderr.contains("journal has no games"));
    folder.write("bad.sh", format!("{BAD_PROGRAM}# changed\n"));
    run().assert_says(LINE).assert_says("4 games played");
    assert!(!run().stderr.contains("journal has no games"));
}

/// Printed commands have the permission that the user gave. `status` received none, so its commands
/// have none.
#[test]
fn printed_commands_have_their_permission() {
    let folder = bad_player_folder(&experiment(4, &["good"], &mark("printed")));
    let assert_permitted = |line: &str, stderr: ProgramOutput| {
        let text = stderr.stdout.clone() + &stderr.stderr;
        let commands: Vec<&str> = text.split("gauntlet run ").skip(1).collect();
        assert!(!commands.is_empty(), "{line}: {text}");
        let are_whole = commands.iter().all(|rest| rest.lines().next().unwrap().contains("--allow-commands"));
        assert!(are_whole, "{line}: {text}");
    };
    assert_permitted("run", folder.run("run bad.toml --allow-commands").assert_status(0));
    // As if the run had been killed.
    let journal = folder.read("results/bad/journal.jsonl");
    let (before_last, _) = journal.rsplit_once("{\"games\":").expect("a line of games");
    let (kept_lines, _) = before_last.rsplit_once('\n').expect("lines before it");
    folder.write("results/bad/journal.jsonl", format!("{kept_lines}\n"));
    // A results folder and its experiment may come from a stranger.
    for path in ["bad.toml", "results/bad"] {
        let output =
            folder.run(&format!("status {path}")).assert_status(0).assert_says("to resume: gauntlet run ");
        assert!(!output.stdout.contains("--allow-commands"), "{}", output.stdout);
        output.assert_says("starts programs: needs permission");
    }
    folder.write("bad.toml", experiment(100_000, &["good"], &mark("printed")).replace("\"bad\"", "\"long\""));
    assert_permitted("run --for", folder.run("run bad.toml --for 3s --allow-commands").assert_status(0));
}
