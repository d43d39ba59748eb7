//! Endgame tables: built, resumed, checked and asked with the program, and used by players.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gauntlet_twenty48_endgame::build::{BuildEnd, BuildProgress, Builder};
use gauntlet_twenty48_endgame::kind::{Coverage, Kind};
use gauntlet_twenty48_endgame::table::Table;

use crate::bench::{Folder, PROGRAM, ProgramOutput, read_rows};
use crate::disk::{Cut, Fault, IgnoredSync, MemoryDisk};

/// Six different large tiles in a block; the smallest is the target.
const BOARD: &str = "2 4 0 0  4 0 0 0  2 16 64 32  4 512 256 128";

fn build_tables() -> Folder {
    let folder = Folder::new();
    folder
        .run("endgame build block-10 --target 16")
        .assert_status(0)
        .assert_says("built endgames/block-10-16.endgame");
    folder
}

#[test]
fn a_table_is_built_shown_checked_and_asked() {
    let folder = build_tables();
    let second_build = folder.run("endgame build block-10 --target 16").assert_status(0);
    second_build
        .assert_says("block-10-16.endgame is already there (all boards); its layers were not checked");
    let table_info = folder.run("endgame show endgames/block-10-16.endgame").assert_status(0);
    for line in ["table         block-10-16", "boards        1,048,576", "layers        57"] {
        assert!(table_info.stdout.contains(line), "{line}\n{}", table_info.stdout);
    }
    folder.run("endgame show endgames").assert_status(0).assert_says("block of 2x3 in a corner");
    let head_output = folder.shell("gauntlet endgame show endgames | head -1");
    assert!(!head_output.stderr.contains("Broken pipe"), "{}", head_output.stderr);
    folder
        .run("endgame check endgames")
        .assert_status(0)
        .assert_says("endgames/block-10-16.endgame is undamaged");
    let answer = folder.run(&format!("endgame ask {BOARD}")).assert_status(0);
    assert!(
        answer.stdout.starts_with("block-10-16 ")
            && answer.stdout.contains("by default, expectimax and n-tuple play "),
        "{}",
        answer.stdout
    );
    let no_answer = folder.run("endgame ask 2 4 0 0  4 0 0 0  2 16 64 64  4 512 256 128").assert_status(0);
    let expected =
        "no table in endgames has an answer; a board needs these locked tiles:\nblock-10-16    block of 2x3 ";
    assert!(no_answer.stdout.starts_with(expected), "{}", no_answer.stdout);
    let lost = folder.run("endgame ask 8 4 8 2  2 4 2 8  8 64 32 16  4 128 256 512").assert_status(0);
    assert!(lost.stdout.starts_with("block-10-16    lost  0.00000\n"), "{}", lost.stdout);
}

/// A table of reachable boards says so, and which board it does not have.
#[test]
fn a_table_of_reachable_boards_says_what_it_lacks() {
    let folder = Folder::new();
    folder.run("endgame build block-10 --target 32 --boards reachable").assert_status(0);
    let table_info = folder.run("endgame show endgames").assert_status(0).stdout;
    let known = table_info.lines().find(|line| line.starts_with("numbers ")).expect("a row");
    assert!(known.ends_with(" (boards reachable from sums up to 112)"), "{known}");
    folder.run("endgame check endgames").assert_status(0).assert_says("is undamaged");
    let ask = |free_tiles: &str, others: [u8; 2]| {
        let [first, second] = others;
        let line = format!("endgame ask {free_tiles}  {first} 2048 1024 32  {second} 4096 8192 16384");
        folder.run(&line).assert_status(0).stdout
    };
    let known_answer = ask("2 4 0 0  4 0 0 0", [2, 4]);
    assert!(known_answer.starts_with("block-10-32    right 1.00000\n"), "{known_answer}");
    let unknown_answer = ask("16 8 8 16  16 8 8 16", [16, 4]);
    let expected = "block-10-32    unknown: not among its reachable boards\nby default, ";
    assert!(unknown_answer.starts_with(expected), "{unknown_answer}");
    let refusal = folder.run("endgame build block-10 --target 32").assert_status(1);
    let expected =
        "block-10-32.endgame contains boards reachable from sums up to 112, not all boards; move it away";
    assert!(refusal.stderr.contains(expected), "{}", refusal.stderr);
    damage_layers(&folder.path("endgames/block-10-32.endgame"), [0]);
    let damage = folder.run("endgame check endgames").assert_status(1);
    let expected = "gauntlet endgame build block-10 --target 32 --boards reachable --folder endgames";
    assert!(damage.stderr.contains(expected), "{}", damage.stderr);
}

#[test]
fn mistakes_are_explained() {
    let folder = build_tables();
    for (line, message) in [
        (
            "endgame build chain",
            "no table is named chain; expected block-10, block-11, hook-11, row-10, macroxue-10, macroxue-11",
        ),
        ("endgame build block-9", "no table is named block-9; did you mean block-10?"),
        ("endgame build smal", "no table is named smal; did you mean small?"),
        ("endgame build medum", "no table is named medum; did you mean medium?"),
        ("endgame build block-10", "block-10 needs a target, such as 512"),
        ("endgame build block-10 --target 100", "is a tile from 8 to 1024, not 100"),
        ("endgame build macroxue-10 --target 512", "macroxue-10 has no target"),
        ("endgame build medium --target 512", "the set medium has fixed targets: leave out --target"),
        ("endgame ask 2 4 8", "is no board"),
        ("endgame ask 2 4 8 --folder missing", "is no board"),
        ("endgame check missing", "missing"),
    ] {
        let output = folder.run(line).assert_status(2);
        assert!(output.stderr.contains(message), "{line}\n{}", output.stderr);
    }
    let low_memory = folder.run("endgame build block-10 --target 32 --memory 1MiB").assert_status(1);
    assert!(
        low_memory.stderr.contains("block-10-32 needs 70 MiB of memory, but the limit is 1 MiB"),
        "{}",
        low_memory.stderr
    );
    // The first table of the set needs less, but none is built.
    let low_memory = folder.run("endgame build large --memory 1GiB").assert_status(1);
    assert!(low_memory.stderr.contains("block-11-512 needs 5.1 GiB of memory"), "{}", low_memory.stderr);
    assert!(!folder.path("endgames/macroxue-11.endgame").exists());
    // A table that is there needs no memory.
    folder.run("endgame build block-10 --target 8 --folder small").assert_status(0);
    folder.run("endgame build block-10 --target 8 --folder small --memory 1MiB").assert_status(0);
    folder.write("endgames/block-10-32.endgame", "no table");
    let invalid_table = folder.run(&format!("endgame ask {BOARD}")).assert_status(1);
    assert!(
        invalid_table.stderr.contains("endgames/block-10-32.endgame is no endgame table"),
        "{}",
        invalid_table.stderr
    );
}

/// Flips a bit in some layers of a table, given by their sums in units of 2. The file keeps its
/// size and its modification time.
fn damage_layers(path: &Path, layers: impl IntoIterator<Item = usize>) {
    let mut bytes = std::fs::read(path).expect("a table");
    let layer_count = Table::open(path).expect("a table").layers();
    // An entry of the directory at the end has 56 bytes, like the copy of it before its layer.
    let directory = bytes.len() - 56 * layer_count - 32;
    for layer in layers {
        let offset = &bytes[directory + 56 * layer + 8..][..8];
        let offset = u64::from_le_bytes(offset.try_into().expect("8 bytes"));
        bytes[offset as usize + 56] ^= 1;
    }
    let file = std::fs::File::options().write(true).open(path).expect("a table");
    let time = file.metadata().and_then(|file| file.modified()).expect("a time");
    std::io::Write::write_all(&mut &file, &bytes).expect("a table");
    file.set_modified(time).expect("a time");
}

/// A layer is checked before the first answer from it. The games of a damaged table do not count,
/// and with the table the run resumes.
#[test]
fn damage_is_found_before_an_answer_counts() {
    let folder = build_tables();
    folder.write("x.toml", PLAYERS);
    folder.run("run x.toml --quiet").assert_status(0);
    let (games, path) = (folder.read("results/x/games.csv"), folder.path("endgames/block-10-16.endgame"));
    std::fs::remove_dir_all(folder.path("results/x")).expect("results");
    let bytes = std::fs::read(&path).expect("a table");
    let layers = Table::open(&path).expect("a table").layers();
    damage_layers(&path, 0..layers);
    let output = folder.run("run x.toml --quiet --threads 1").assert_status(1);
    let is_reported = output.stderr.contains("the boards of sum ")
        && output.stderr.contains(
            " in endgames/block-10-16.endgame are damaged; delete it and build it again: gauntlet endgame build \
             block-10 --target 16 --folder endgames",
        );
    assert!(is_reported, "{}", output.stderr);
    assert!(!folder.path("results/x/games.csv").exists());
    std::fs::write(&path, bytes).expect("a table");
    folder.run("run x.toml --quiet").assert_status(0);
    assert_eq!(folder.read("results/x/games.csv"), games);
}

/// Damage that no game comes near is found by commands that check every byte.
#[test]
fn damage_that_no_answer_needs_is_found_on_request() {
    let folder = build_tables();
    folder.write("x.toml", PLAYERS);
    let path = folder.path("endgames/block-10-16.endgame");
    let last_layer = Table::open(&path).expect("a table").layers() - 1;
    folder.run("run x.toml --verify --quiet").assert_status(0);
    folder.run("check x.toml --verify").assert_status(0);
    let games = folder.read("results/x/games.csv");
    std::fs::remove_dir_all(folder.path("results/x")).expect("results");
    damage_layers(&path, [last_layer]);
    folder.run("run x.toml --quiet").assert_status(0);
    assert_eq!(folder.read("results/x/games.csv"), games);
    // Nothing is written to the folder of the tables, so it may be read-only.
    let names = std::fs::read_dir(folder.path("endgames")).expect("a folder").count();
    assert_eq!(names, 1);
    for command in ["run x.toml --verify", "check x.toml --verify", "endgame check endgames"] {
        let output = folder.run(command).assert_status(1);
        let message = format!("the boards of sum {} in ", 2 * last_layer);
        assert!(output.stderr.contains(&message), "{command}: {}", output.stderr);
    }
}

/// A player with tables, and the same without.
const PLAYERS: &str = r#"
name = "x"
game = "2048"
seed = 5
games = 40

[[player]]
name = "with"
algorithm = "n-tuple"
endgames = "endgames"
endgame_order = ["block-10"]

[[player]]
name = "without"
algorithm = "n-tuple"
"#;

#[test]
fn players_ask_the_tables_of_a_folder() {
    let folder = build_tables();
    folder.write("x.toml", PLAYERS);
    folder.run("run x.toml --quiet").assert_status(0);
    let times = read_rows(&folder, "results/x/ms-per-move.csv");
    let share = |player: &str| {
        let row = times.iter().find(|row| row["player"] == player).expect("a row");
        row["from_tables"].parse::<f64>().ok()
    };
    assert!(share("with").is_some_and(|share| share > 0.001), "{:?}", share("with"));
    assert_eq!(share("without"), None);
    // The manifest has the digest of each table.
    let table_info = folder.run("endgame show endgames/block-10-16.endgame").assert_status(0).stdout;
    let digest = table_info.lines().find_map(|line| line.strip_prefix("digest")).expect("a digest").trim();
    let manifest = folder.read("results/x/manifest.toml");
    assert!(manifest.contains(&format!("\"endgames/block-10-16.endgame\" = \"{digest}\"")), "{manifest}");
    // Two players use one table, which is copied once to other hosts.
    let two_players =
        PLAYERS.to_owned() + "endgames = \"endgames\"\nendgame_order = [\"block-10\"]\ndepth = 2\n";
    folder.write("twice.toml", two_players.replace("\"x\"", "\"twice\""));
    folder.run("cluster parallel twice.toml --shards 2 --hosts one").assert_status(0);
    let unpack = folder.read("results/twice/cluster/unpack");
    assert_eq!(unpack.matches("block-10-16.endgame").count(), 1, "{unpack}");
    // Another order is another player, and a missing_table family is a mistake.
    folder.write("y.toml", PLAYERS.replace("block-10", "row-10"));
    let missing_table = folder.run("check y.toml").assert_status(2);
    assert!(
        missing_table.stderr.contains("the table row-10 is not in the folder of `endgames`"),
        "{}",
        missing_table.stderr
    );
    folder.write("z.toml", PLAYERS.replace("endgames = \"endgames\"\n", ""));
    let unused_order = folder.run("check z.toml").assert_status(2);
    assert!(unused_order.stderr.contains("has no effect without `endgames`"), "{}", unused_order.stderr);
    for (order, message) in [
        ("", "no table of the default order is in this folder"),
        ("endgame_order = []\n", "is empty: name a table, or leave it out"),
    ] {
        folder.write("v.toml", PLAYERS.replace("endgame_order = [\"block-10\"]\n", order));
        let output = folder.run("check v.toml").assert_status(2);
        assert!(output.stderr.contains(message), "{}", output.stderr);
    }
    folder.write("u.toml", PLAYERS.replace("seed = 5", "seed = 5\nfour = 0.5"));
    let rule_mismatch = folder.run("check u.toml").assert_status(0);
    let message = rule_mismatch.stdout + &rule_mismatch.stderr;
    assert!(message.contains("has endgame tables for the usual new tiles"), "{message}");
    // `probe` shows the table, its probability and what the search would do.
    let line = format!("{{\"board\": [{}]}}\n", BOARD.split_whitespace().collect::<Vec<_>>().join(","));
    let probe_output = folder.run_with("probe --experiment x.toml", &line).assert_status(0);
    let answer: serde_json::Value = serde_json::from_str(&probe_output.stdout).expect("JSON");
    let (with_tables, without_tables) = (&answer["players"]["with"], &answer["players"]["without"]);
    assert_eq!(with_tables["table"], "block-10-16");
    assert!(
        with_tables["probability"].as_f64().is_some_and(|probability| probability > 0.5),
        "{with_tables}"
    );
    assert_eq!(with_tables["search"], without_tables["move"]);
    assert_eq!(with_tables["value"], with_tables["probability"]);
    // `show` prints the table too, and compares the game with_tables the results.
    let table_info = |block: u32| {
        folder.run(&format!("show results/x --player with --block {block}")).assert_status(0).stdout
    };
    let block =
        (0..40).find(|&block| table_info(block).contains(" from a table, ")).expect("a game with tables");
    let values_output =
        folder.run(&format!("show results/x --player with --block {block} --values")).assert_status(0);
    assert!(values_output.stdout.contains(" from block-10-16 (probability "), "{}", values_output.stdout);
    folder.run(&format!("show results/x --player with --block {block} --html game.html")).assert_status(0);
    let page = folder.read("game.html");
    assert!(page.contains(" from block-10-16 (probability "), "{page}");
    // The leaderboard has the share, too.
    let leaderboard = folder.run("report results/x --table leaderboard --format csv").assert_status(0).stdout;
    let leaderboard: Vec<Vec<&str>> = leaderboard.lines().map(|line| line.split(',').collect()).collect();
    let column = leaderboard[0].iter().position(|name| *name == "from_tables").expect("a column");
    let row = |player: &str| leaderboard.iter().find(|row| row[0] == player).expect("a row");
    assert_eq!(row("with")[column].parse().ok(), share("with"));
    assert_eq!(row("without")[column], "");
}

/// A run reads pages of its tables when it needs them. If they are gone, it cannot continue.
#[cfg(unix)]
#[test]
fn a_table_that_is_cut_during_a_run_is_named() {
    let folder = build_tables();
    folder.write("x.toml", PLAYERS.replace("games = 40", "games = 100_000_000"));
    let mut run = folder.start("run x.toml --quiet");
    // The first games are played. Most games follow.
    let journal = folder.path("results/x/journal.jsonl");
    let has_games = || std::fs::read_to_string(&journal).is_ok_and(|lines| lines.contains("\"games\""));
    while !has_games() {
        assert!(run.try_wait().expect("a process").is_none(), "the run has ended");
        std::thread::yield_now();
    }
    let table = folder.path("endgames/block-10-16.endgame");
    let bytes = std::fs::read(&table).expect("a table");
    let file = std::fs::File::options().write(true).open(&table).expect("a table");
    file.set_len(1).expect("a cut");
    let output =
        ProgramOutput::new("run x.toml", &run.wait_with_output().expect("a process")).assert_status(1);
    let expected =
        "endgames/block-10-16.endgame was cut short during its use, or its disk failed; restore it";
    assert!(output.stderr.contains(expected), "{}", output.stderr);
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    // With the table, the games before count.
    std::fs::write(&table, bytes).expect("a table");
    let status = folder.run("status x.toml").assert_status(0).stdout;
    assert!(status.contains(" of 200,000,000 games (") && !status.contains(" 0 of 200,000,000"), "{status}");
}

#[test]
fn a_killed_build_resumes_to_the_same_bytes() {
    // A build of reachable boards finds them again after each kill.
    for (target, boards, max_kills) in [(64, "all", u32::MAX), (32, "reachable", 10)] {
        let build_line = format!("endgame build block-10 --target {target} --boards {boards}");
        let table_name = format!("endgames/block-10-{target}.endgame");
        let folder = Folder::new();
        let mut kills = 0;
        // A build that ends before it is killed begins again.
        while kills == 0 || !folder.path(&table_name).exists() {
            let _ = std::fs::remove_file(folder.path(&table_name));
            let mut build = folder.start(&build_line);
            // Killed as soon as the file has grown.
            let part_path = folder.path(&format!("{table_name}.part"));
            let initial_length = file_length(&part_path);
            while file_length(&part_path) == initial_length && build.try_wait().expect("a process").is_none()
            {
                std::thread::yield_now();
            }
            if kills < max_kills {
                kills += u32::from(build.try_wait().expect("a process").is_none());
                let _ = build.kill();
            }
            build.wait().expect("a process");
        }
        let uninterrupted = Folder::new();
        uninterrupted.run(&build_line).assert_status(0);
        let files =
            [&folder, &uninterrupted].map(|folder| std::fs::read(folder.path(&table_name)).expect("a table"));
        assert!(files[0] == files[1], "the bytes differ");
    }
}

/// A build truncates and replaces no file that it has not begun itself.
#[cfg(unix)]
#[test]
fn a_build_changes_only_its_own_files() {
    let folder = build_tables();
    let part_path = "endgames/block-10-32.endgame.part";
    let build = "endgame build block-10 --target 32";
    let table = std::fs::read(folder.path("endgames/block-10-16.endgame")).expect("a table");
    for (command, message) in [
        ("ln -s ../victim", "is a link or has a second name"),
        ("ln victim", "is a link or has a second name"),
        ("cp victim", "is no unfinished table block-10-32 of all boards; move it away"),
        ("ln -s nothing", "is a broken link"),
        ("mkfifo", "is a pipe, not a file"),
    ] {
        for content in [&b"notes of somebody else"[..], b"", &[0; 9999], &table] {
            // An empty copy counts as unfinished, so a build may continue it.
            if command == "cp victim" && content.is_empty() {
                continue;
            }
            folder.write("victim", content);
            folder.shell(&format!("{command} {part_path}")).assert_status(0);
            let output = folder.shell(&format!("timeout 60 gauntlet {build}")).assert_status(1);
            assert!(
                output.stderr.contains(message) && output.stderr.contains(part_path),
                "{command}: {}",
                output.stderr
            );
            assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
            assert!(std::fs::read(folder.path("victim")).expect("the victim") == content, "{command}");
            if command == "cp victim" {
                assert!(std::fs::read(folder.path(part_path)).expect("the copy") == content, "{command}");
            }
            assert!(!folder.path("endgames/block-10-32.endgame").exists(), "{command}");
            std::fs::remove_file(folder.path(part_path)).expect("a name");
        }
    }
    // A file with this name that contains another table is output.
    folder.shell("cp endgames/block-10-16.endgame endgames/block-10-32.endgame").assert_status(0);
    let output = folder.run(build).assert_status(1);
    assert!(
        output.stderr.contains("block-10-32.endgame contains the table block-10-16, not "),
        "{}",
        output.stderr
    );
    std::fs::remove_file(folder.path("endgames/block-10-32.endgame")).expect("a table");
    // Its own unfinished file is continued, as is an empty one.
    folder.write(part_path, "");
    folder.run(build).assert_status(0).assert_says("built endgames/block-10-32.endgame");
}

/// Opening a pipe would wait for a writer.
#[cfg(unix)]
#[test]
fn a_pipe_is_no_table() {
    let folder = build_tables();
    folder.shell("mkfifo endgames/block-10-32.endgame").assert_status(0);
    for command in [
        &format!("ask {BOARD}"),
        "check endgames",
        "check endgames/block-10-32.endgame",
        "show endgames",
        "build block-10 --target 32",
    ] {
        let output = folder.shell(&format!("timeout 60 gauntlet endgame {command}")).assert_status(1);
        let expected = "gauntlet: cannot read endgames/block-10-32.endgame: is a pipe, not a file\n";
        assert_eq!(output.stderr, expected, "{command}");
    }
}

/// A signal ends the commands wherever they wait: here, for a reader of their output.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_commands_that_wait() {
    let folder = build_tables();
    folder.shell("mkfifo out").assert_status(0);
    // This end is never read.
    let _reader = std::fs::File::options().read(true).write(true).open(folder.path("out")).expect("a pipe");
    folder.shell("dd if=/dev/zero of=out oflag=nonblock bs=4096 count=1000").assert_status(1);
    for signal in ["INT", "TERM"] {
        for (line, message) in [
            (format!("endgame ask {BOARD}"), "stopped; to repeat:"),
            ("endgame check endgames".to_owned(), "stopped; to repeat:"),
            ("endgame show endgames".to_owned(), "stopped; to repeat:"),
            ("endgame build block-10 --target 16".to_owned(), "stopped; whole layers are saved; to resume:"),
        ] {
            let pipe = std::fs::File::options().write(true).open(folder.path("out")).expect("a pipe");
            let mut command = Command::new(PROGRAM);
            command.args(line.split_whitespace()).current_dir(folder.path(""));
            let child = command.stdout(pipe).stderr(Stdio::piped()).spawn().expect("a process");
            let threads = PathBuf::from(format!("/proc/{}/task", child.id()));
            // Its work has begun in a second thread, and cannot end.
            while std::fs::read_dir(&threads).expect("a process").count() < 2 {
                std::thread::yield_now();
            }
            Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().expect("kill");
            let output =
                ProgramOutput::new(&line, &child.wait_with_output().expect("a process")).assert_status(130);
            let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(output.stderr, format!("{message}\n  {PROGRAM} {words}\n"));
        }
    }
}

fn file_length(path: &Path) -> u64 {
    path.metadata().map_or(0, |file| file.len())
}

/// Builds a small table on a disk.
fn build_on(memory: &MemoryDisk, coverage: Coverage) -> anyhow::Result<BuildEnd> {
    let (folder, kind) = (PathBuf::from("endgames-in-memory"), "block-10-8".parse::<Kind>().expect("a kind"));
    Builder { disk: memory.disk(), folder, kind, coverage, memory: u64::MAX }.build(&mut |_| ())
}

/// If the unfinished file is removed and another build begins, its file is not published.
#[test]
fn a_replaced_file_is_not_published() {
    let memory = MemoryDisk::default();
    let (disk, folder) = (memory.disk(), PathBuf::from("endgames-in-memory"));
    let (name, part_path) = (folder.join("block-10-8.endgame"), folder.join("block-10-8.endgame.part"));
    let kind = "block-10-8".parse::<Kind>().expect("a kind");
    for is_replaced in [false, true] {
        for layer in [1, 20, 53] {
            let mut on_progress = |progress: BuildProgress| {
                assert!(layer <= progress.all_layers);
                if progress.layers == layer {
                    disk.remove(&part_path).expect("an unfinished file");
                    if is_replaced {
                        disk.create(&part_path).and_then(|file| file.append(b"other")).expect("another file");
                    }
                }
            };
            let (own_disk, folder, coverage) = (memory.disk(), folder.clone(), Coverage::All);
            let builder = Builder { disk: own_disk, folder, kind, coverage, memory: u64::MAX };
            let error = builder.build(&mut on_progress).expect_err("a replaced file").to_string();
            assert!(error.contains("endgame.part was removed or replaced during the build"), "{error}");
            assert!(!memory.files().contains_key(&name));
            let contents = memory.files().remove(&part_path);
            assert_eq!(contents, is_replaced.then(|| b"other".to_vec()));
            if is_replaced {
                disk.remove(&part_path).expect("another file");
            }
        }
    }
}

/// After a failure of any operation and after any power cut, a build resumes to the same bytes.
#[test]
fn builds_survive_accidents_at_each_operation() {
    for coverage in [Coverage::All, Coverage::ReachableFrom(20)] {
        let reference = MemoryDisk::default();
        assert!(matches!(build_on(&reference, coverage), Ok(BuildEnd::Built(_))));
        let operations = reference.operation_count();
        let name = PathBuf::from("endgames-in-memory/block-10-8.endgame");
        let expected = reference.files()[&name].clone();
        for operation in 1..=operations {
            let failing_memory = MemoryDisk::default().with_fault(Fault::From(operation), IgnoredSync::None);
            let error = build_on(&failing_memory, coverage).expect_err("a failed operation");
            let error = format!("{error:#}");
            assert!(!error.contains('\n') && error.contains("endgames-in-memory"), "{error}");
            for cut in Cut::all() {
                let restored = failing_memory.after_power_cut(cut);
                if restored.files().contains_key(&name) {
                    assert!(
                        restored.files()[&name] == expected,
                        "operation {operation}: an incomplete table has its name"
                    );
                    continue;
                }
                build_on(&restored, coverage).expect("a table");
                assert!(restored.files()[&name] == expected, "operation {operation}: {cut:?}");
            }
        }
    }
}

#[test]
fn a_mistyped_action_is_suggested() {
    for line in ["endgame biuld", "help endgame biuld"] {
        Folder::new().run(line).assert_status(2).assert_says("tip: a similar subcommand exists: 'build'\n");
    }
}

#[test]
fn the_help_is_what_it_was() {
    crate::docs::help::check_extra("endgame", ::endgame::COMMANDS);
}
