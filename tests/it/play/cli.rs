//! The program as a whole: runs, resumes, refuses, shards, answers.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::bench::{
    CLASSICS, ENDLESS, Folder, GAMES, JOURNAL, PROGRAM, ProgramOutput, classics_with_games, play_classics,
    play_in_new_folder, read_tables,
};

#[test]
fn threads_do_not_matter() {
    let (folder, games) = play_classics();
    for threads in [1, 2, 7] {
        folder
            .run(&format!("run classics.toml --quiet --threads {threads} --results {threads}"))
            .assert_status(0);
        assert!(
            folder.read(&format!("{threads}/classics/games.csv")) == games,
            "{threads} threads play other games"
        );
    }
}

#[test]
fn a_killed_run_goes_on_and_ends_the_same() {
    let (folder, _) = play_classics();
    // Three kills at different moments of a run that is too long to end before, then an undisturbed
    // end after fewer games.
    folder.write("classics.toml", classics_with_games(ENDLESS));
    for bytes in [1, 300_000, 900_000] {
        assert!(folder.kill_at("run classics.toml --quiet", JOURNAL, bytes));
        assert!(!folder.path(GAMES).exists(), "tables of an unfinished run");
    }
    folder.write("classics.toml", CLASSICS);
    folder.run("run classics.toml").assert_status(0);
    assert!(read_tables(&folder, "results") == read_tables(&folder, "undisturbed"));
    folder.run("run classics.toml").assert_status(0).assert_says("no games left to play");
}

#[test]
fn a_torn_or_damaged_journal_is_mended() {
    let (folder, games) = play_classics();
    let journal = folder.path("undisturbed/classics/journal.jsonl");
    let journal_bytes = fs::read(&journal).unwrap();
    // The journal is torn within the last line of games, and within the first line.
    for cut in [journal_bytes.len() - 200, 10] {
        fs::write(&journal, &journal_bytes[..cut]).unwrap();
        folder.run("run classics.toml --results undisturbed").assert_status(0).assert_says(" played in ");
        assert!(folder.read("undisturbed/classics/games.csv") == games);
    }
    // If a bit of a score is wrong, only the games of that line are played again. The longest line
    // has games.
    let mut damaged = journal_bytes;
    let longest = damaged.split(|&byte| byte == b'\n').max_by_key(|line| line.len()).unwrap();
    let start = damaged.windows(longest.len()).position(|part| part == longest).unwrap();
    let middle = start + longest.len() / 2;
    let digit = middle + damaged[middle..].iter().position(u8::is_ascii_digit).unwrap();
    damaged[digit] ^= 1;
    fs::write(&journal, &damaged).unwrap();
    let output = folder
        .run("run classics.toml --results undisturbed")
        .assert_status(0)
        .assert_says("1 damaged line of");
    let played_line =
        output.stdout.lines().rfind(|line| line.contains("games played")).unwrap().replace(',', "");
    let played_games: u64 = played_line.split_whitespace().next().unwrap().parse().unwrap();
    assert!((1..=16_384).contains(&played_games), "{played_games} games were played again");
    assert!(folder.read("undisturbed/classics/games.csv") == games);
    // The damaged line stays in the journal, which now has its games in another line.
    let output = folder.run("run classics.toml --results undisturbed").assert_status(0);
    assert_eq!(output.stderr, "");
    folder.run("status undisturbed/classics").assert_status(0).assert_says("1 damaged line of");
}

/// The file of games is written again only if it has changed, or if its games have.
#[test]
fn games_that_have_not_changed_are_not_written() {
    let folder = Folder::new();
    folder.write("a.toml", classics_with_games(20));
    folder.run("run a.toml").assert_status(0);
    let games = folder.read(GAMES);
    let is_written = |line: &str| {
        let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        File::options().append(true).open(folder.path(GAMES)).unwrap().set_modified(modified).unwrap();
        folder.run(line).assert_status(0);
        fs::metadata(folder.path(GAMES)).unwrap().modified().unwrap() != modified
    };
    assert!(!is_written("run a.toml"));
    assert!(!is_written("run ./a.toml --threads 1"));
    assert!(!is_written("judge a.toml"));
    assert!(!is_written("run a.toml"));
    folder.write(GAMES, games.replacen("game-over", "max-moves", 1));
    assert!(is_written("run a.toml"));
    assert_eq!(folder.read(GAMES), games);
    // The journal has more games than the tables.
    folder.write("a.toml", classics_with_games(10));
    assert!(is_written("run a.toml"));
    assert!(is_written("run a.toml"));
    folder.write("a.toml", classics_with_games(20));
    assert!(is_written("run a.toml"));
    assert_eq!(folder.read(GAMES), games);
}

#[cfg(unix)]
#[test]
fn a_signal_stops_gently_and_tells_how_to_go_on() {
    let (folder, games) = play_classics();
    // A run that does not end before the signal.
    folder.write("classics.toml", classics_with_games(ENDLESS));
    for signal in ["INT", "TERM"] {
        let child = folder.start("run classics.toml --quiet");
        folder.wait_for_size(JOURNAL, 20_000);
        // It holds the journal's lock now, so a second run is refused.
        folder
            .run("run classics.toml --quiet")
            .assert_status(1)
            .assert_says("another gauntlet process is using");
        Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        let output = ProgramOutput::new(signal, &child.wait_with_output().unwrap())
            .assert_status(130)
            .assert_says("to resume");
        let resume = output.stderr.lines().last().unwrap().trim().to_owned();
        assert_eq!(resume, format!("{PROGRAM} run classics.toml --quiet"));
        fs::remove_dir_all(folder.path("results")).unwrap();
    }
    let child = folder.start("run classics.toml --quiet --threads 1");
    folder.wait_for_size(JOURNAL, 20_000);
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = ProgramOutput::new("INT", &child.wait_with_output().unwrap()).assert_status(130);
    folder.write("classics.toml", CLASSICS);
    folder.shell(output.stderr.lines().last().unwrap()).assert_status(0);
    assert!(folder.read(GAMES) == games);
}

#[test]
fn only_what_is_new_is_played() {
    let folder = Folder::new();
    let small = classics_with_games(100);
    let check = |text: &str, message: &str| {
        folder.write("a.toml", text);
        folder.run("run a.toml").assert_status(0).assert_says(message);
    };
    check(&small, "300 games played");
    check(&small, "no games left to play");
    check(&small.replace("= 100", "= 150"), "150 games played");
    check(&small, "no games left to play");
    assert_eq!(folder.read(GAMES).lines().count(), 301);
    check(&small.replace("\"gain\"", "\"renamed\""), "no games left to play");
    check(&small.replace("\"greedy\"", "\"greedy\"\nties = \"last\""), "100 games played");
    check(&small.replace("\"greedy\"", "\"greedy\"\nties = \"first\""), "no games left to play");
    check(
        &format!("{small}\n[[player]]\nname = \"new\"\nalgorithm = \"greedy\"\nties = \"last\"\n"),
        "no games left",
    );
    check(&small.replace("seed = 7", "seed = 8"), "300 games played");
    check(&small.replace("seed = 7", "seed = 7\nwin = 256"), "300 games played");
    check(&small.replace("seed = 7", "seed = 7\nmax_moves = 20"), "300 games played");
    // Two players with the same settings share their games.
    check(
        &small
            .replace("seed = 7", "seed = 9")
            .replace("\"fixed-order\"\norder", "\"greedy\"\norder")
            .replace("[\"down\", \"left\", \"right\", \"up\"]", "[\"up\", \"right\", \"down\", \"left\"]"),
        "200 games played",
    );
    let check = folder.run("check a.toml").assert_status(0).assert_says("shares the games of gain");
    check.assert_says("0 of 200 games to play");
    let times = folder.read("results/classics/ms-per-move.csv");
    let moves: Vec<&str> = times.lines().skip(2).map(|row| row.split(',').nth(1).unwrap()).collect();
    assert_eq!(moves[0], moves[1], "{times}");
}

/// `check` describes `[tune]`. `run` mentions it, and plays the players of the file.
#[test]
fn a_run_plays_what_could_be_tuned_as_it_stands() {
    let folder = Folder::new();
    let player = "[[player]]\nname = \"e\"\nalgorithm = \"datumbox\"\ndepth = 1\n";
    let header = "name = \"small\"\ngame = \"2048\"\nseed = 1\ngames = 2\n";
    let tune = "[tune]\nplayer = \"e\"\nbudget = 8000\nat_most_nodes = 500\nsearches = 2\n\
                [tune.params]\ndepth = { min = 1, max = 3 }\n";
    folder.write("small.toml", format!("{header}{player}{tune}"));
    let stdout = folder.run("check small.toml").assert_status(0).stdout;
    let expected = "\n  `gauntlet tune` would search:
    player      e
    settings    depth
    method      model, 2 interleaved searches
    objective   score, at most 500 nodes per move
    games       8,000
    validation  2,000 games per player, level 0.95
";
    assert!(stdout.contains(expected), "{stdout}");
    let output = folder.run("run small.toml").assert_status(0);
    let pointer = "gauntlet: playing with untuned settings; to tune: gauntlet tune small.toml";
    assert_eq!(output.stderr.lines().filter(|line| line.contains("tune")).collect::<Vec<_>>(), [pointer]);
    assert!(output.stdout.contains("2 games played"), "{}", output.stdout);
    let race = "[tune]\nmethod = \"race\"\nobjective = \"win\"\nbudget = 100\n[tune.validate]\ngames = 50\ndifference = 0.03\n";
    let second_player = player.replace("\"e\"", "\"f\"");
    for (text, description) in [
        (format!("{header}{player}"), None),
        (
            format!("{header}{player}{second_player}{race}"),
            Some(
                "  `gauntlet tune` would search:
    players     e, f
    method      race
    objective   win
    games       100
    validation  sprt between 0 and 0.03 (alpha 0.05, beta 0.05), at most 50 games per player
",
            ),
        ),
    ] {
        folder.write("small.toml", text);
        let check = folder.run("check small.toml").assert_status(0).stdout;
        assert_eq!(check.split_once("  `gauntlet tune`").is_some(), description.is_some(), "{check}");
        assert!(check.contains(description.unwrap_or_default()), "{check}");
        let output = folder.run("run small.toml --quiet").assert_status(0);
        assert_eq!(
            output.stderr, "",
            "the results are of the same experiment, or of one with another player"
        );
    }
}

#[test]
fn a_common_factor_of_all_weights_is_noted() {
    let folder = Folder::new();
    let player = |name: &str, weights: &str| {
        format!(
            "[[player]]\nname = \"{name}\"\nalgorithm = \"swift-expectimax\"\ndepth = 1\nweights = {{ {weights} }}\n"
        )
    };
    let header = "name = \"factor\"\ngame = \"2048\"\nseed = 1\ngames = 5\n";
    let players = [
        player("one", "empty = 1, merges = 2.5"),
        player("eight", "empty = 8, merges = 20"),
        player("other", "empty = 8, merges = 21"),
        player("twin", "empty = 1.0, merges = 2.5"),
    ];
    folder.write("factor.toml", format!("{header}{}", players.concat()));
    let stdout = folder.run("check factor.toml").assert_status(0).stdout;
    let notes: Vec<&str> = stdout.lines().filter(|line| line.contains("note:")).collect();
    let note = "  note: weights of one and eight differ by a common factor only; apart from rounding, their games are identical";
    assert_eq!(notes, [note]);
}

#[test]
fn tables_keep_the_experiment_they_are_of() {
    let folder = Folder::new();
    let small = classics_with_games(100);
    folder.play("a.toml", &small);
    folder.run("status a.toml").assert_status(0).assert_says("tables complete");
    // A larger run is killed: the tables and the copy are still those of the smaller run.
    folder.write("a.toml", classics_with_games(ENDLESS));
    assert!(folder.kill_at("run a.toml --quiet", JOURNAL, 100_000));
    assert_eq!(folder.read("results/classics/experiment.toml"), small);
    folder.run("status a.toml").assert_status(0).assert_says("tables of another version of the experiment");
    folder
        .run("status results/classics")
        .assert_status(0)
        .assert_says("not needed by this version of the experiment");
    folder.run("show results/classics --player gain --block 99 --last").assert_status(0);
}

#[test]
fn listed_seeds_are_the_blocks() {
    let folder = Folder::new();
    let with_seeds = |seeds: &str| CLASSICS.replace("seed = 7\ngames = 60000", &format!("seeds = {seeds}"));
    folder.play("derived.toml", classics_with_games(3));
    let derived_games = folder.read(GAMES);
    let seeds: Vec<&str> =
        derived_games.lines().skip(1).take(3).map(|row| row.split(',').nth(2).unwrap()).collect();
    // The seeds of games.csv, listed in another order, give the same games.
    folder.write("listed.toml", with_seeds(&format!("[{}, {}]", seeds[2], seeds[0])));
    folder.run("run listed.toml --results listed").assert_status(0).assert_says("6 games played");
    let check = |block: usize, derived_block: usize| {
        let without_block = |csv: &str, block: usize| {
            let rows = csv.lines().filter(|row| row.starts_with(&format!("gain,{block},")));
            rows.map(|row| row.splitn(3, ',').nth(2).unwrap().to_owned()).next().unwrap()
        };
        assert_eq!(
            without_block(&folder.read("listed/classics/games.csv"), block),
            without_block(&derived_games, derived_block)
        );
    };
    check(0, 2);
    check(1, 0);
    // Only the seed inserted between the others has new games.
    folder.write("listed.toml", with_seeds(&format!("[{}, {}, {}]", seeds[2], seeds[1], seeds[0])));
    folder.run("run listed.toml --results listed").assert_status(0).assert_says("3 games played");
    check(2, 0);
}

#[test]
fn the_win_rate_counts_what_the_experiment_calls_a_win() {
    let folder = play_in_new_folder(
        "a.toml",
        classics_with_games(500).replace("seed = 7", "seed = 7\nwin = 128\nuntil = 256"),
    );
    let mut reader = csv::Reader::from_path(folder.path(GAMES)).unwrap();
    let mut wins = 0;
    for row in reader.records() {
        let row = row.unwrap();
        let tile: u32 = row[4].parse().unwrap();
        assert!(tile <= 256);
        assert_eq!(&row[6] == "true", tile >= 128, "{row:?}");
        assert_eq!(&row[7] == "until", tile == 256, "{row:?}");
        wins += u32::from(&row[0] == "any" && &row[6] == "true");
    }
    assert!(folder.read("results/classics/win-rate.csv").contains(&format!("any,500,{wins},")));
}

#[test]
fn mistakes_end_with_2_and_failures_with_1() {
    let folder = Folder::with_file("a.toml", classics_with_games(10));
    folder.write("bad.toml", CLASSICS.replace("greedy", "gready").replace("60000", "0"));
    folder
        .run("run bad.toml")
        .assert_status(2)
        .assert_says("bad.toml:5:9")
        .assert_says("did you mean \"greedy\"?");
    folder.run("check bad.toml a.toml").assert_status(2).assert_says("30 of 30 games to play");
    assert!(!folder.path("results").exists(), "a mistake leaves nothing behind");
    folder.run("run a.toml bad.toml").assert_status(2);
    assert!(!folder.path("results").exists(), "a mistake in one file keeps the others from playing");
    folder.run("run nowhere.toml").assert_status(2).assert_says("nowhere.toml");
    folder.run("run").assert_status(2);
    folder.run("run a.toml --threads 0").assert_status(2);
    folder.run("run a.toml --shard 4/3").assert_status(2).assert_says("K/N");
    for table in ["scores", "leaderboard", "groups"] {
        let output = folder.run(&format!("run a.toml --export {table}=-")).assert_status(2).stderr;
        let expected = format!("`{table}`: expected games, win-rate");
        assert!(output.contains(&expected) && !output.contains("leaderboard,"), "{output}");
    }
    folder.run("run a.toml --export elo=-").assert_status(2).assert_says("no table `elo` to export");
    assert!(!folder.path("results").exists(), "a table without a file is refused before the first game");
    folder.run("players gredy").assert_status(2).assert_says("did you mean `greedy`?");
    // A default depends on another setting, but not on the example.
    folder.run("players swift-monte-carlo").assert_status(0).assert_says("crowded_simulations  150\n");
    folder.run("status a.toml").assert_status(0).assert_says("no games played here");
    folder.run("report results/none").assert_status(2);
    folder.write("twin.toml", classics_with_games(10).replace("classics", "Classics"));
    folder.run("run a.toml twin.toml").assert_status(2).assert_says("have the same name");
    folder.write("file", "");
    folder.run("run a.toml --quiet --results file").assert_status(1).assert_says("cannot create the folder");
    folder.run("show a.toml --player gian").assert_status(2).assert_says("did you mean `gain`?");
    folder.run("show a.toml").assert_status(2).assert_says("any, gain, corner");
    folder
        .run("show a.toml --player gain --block 10")
        .assert_status(2)
        .assert_says("--block must be from 0 to 9");
}

#[test]
fn what_is_no_journal_is_not_written_over() {
    let folder = Folder::with_file("a.toml", classics_with_games(20));
    for text in ["my notes", "my notes\n", "5f0c 12\n"] {
        folder.write(JOURNAL, text);
        folder.run("run a.toml --quiet").assert_status(1).assert_says("is not a journal");
        assert_eq!(folder.read(JOURNAL), text);
    }
    // A file that was torn in its first line is still a journal.
    folder.write(JOURNAL, "5f0c12");
    folder.run("run a.toml --quiet").assert_status(0);
}

#[cfg(unix)]
#[test]
fn the_copy_of_an_experiment_is_a_file_of_its_own() {
    let folder = Folder::new();
    let small = classics_with_games(20);
    folder.write("mine.toml", &small);
    fs::create_dir_all(folder.path("results/classics")).unwrap();
    std::os::unix::fs::symlink("../../mine.toml", folder.path("results/classics/experiment.toml")).unwrap();
    folder.play("edited.toml --shard 1/2", small.replace("= 20", "= 30"));
    assert_eq!(folder.read("mine.toml"), small);
    assert_eq!(folder.read("results/classics/experiment.toml"), folder.read("edited.toml"));
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_one_line_and_the_journal_stays_whole() {
    let (folder, games) = play_classics();
    // No file may grow over 200 kB, which looks like a full disk.
    let output =
        folder.shell("trap '' XFSZ; ulimit -f 400; gauntlet run classics.toml --quiet").assert_status(1);
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    folder.run("status classics.toml").assert_status(0).assert_says("not complete");
    folder.run("run classics.toml --quiet").assert_status(0);
    assert!(folder.read(GAMES) == games);
    // The journal fits, but games.csv does not: the old one stays.
    fs::write(folder.path(GAMES), "old").unwrap();
    folder
        .shell("trap '' XFSZ; ulimit -f 400; gauntlet run classics.toml --quiet")
        .assert_status(1)
        .assert_says("games.csv");
    assert_eq!(folder.read(GAMES), "old");
    let count_temporary_files = || {
        let entries = fs::read_dir(folder.path("results/classics")).unwrap();
        entries
            .filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().starts_with(".new-"))
            .count()
    };
    assert_eq!(count_temporary_files(), 0, "temporary files stay behind");
    // A killed run cannot clean up; the next one does.
    folder.write("results/classics/.new-win-rate.csv", "half a ta");
    folder.run("run classics.toml --quiet").assert_status(0);
    assert_eq!(count_temporary_files(), 0, "temporary files of a killed run stay behind");
}

#[test]
fn a_table_goes_where_it_is_sent() {
    let folder = Folder::with_file("a.toml", classics_with_games(20));
    let output = folder.run("run a.toml --export win-rate=- --export games=copy.csv").assert_status(0);
    assert_eq!(output.stdout, folder.read("results/classics/win-rate.csv"));
    assert!(output.stderr.contains("results in results/classics"), "{}", output.stderr);
    assert_eq!(folder.read("copy.csv"), folder.read(GAMES));
    folder.shell("gauntlet run a.toml | head -n 1").assert_status(0).assert_says("win-rate");
    folder
        .shell("gauntlet show a.toml --player gain | head -n 1")
        .assert_status(0)
        .assert_says("0: 0 points");
    folder
        .run("run a.toml --export games=- --export win-rate=-")
        .assert_status(2)
        .assert_says("only one table");
    folder
        .run("run a.toml --export games=x --export win-rate=./x")
        .assert_status(2)
        .assert_says("only one table can be written to ./x");
    folder.run("run a.toml --export games=").assert_status(2).assert_says("missing file");
    folder.run("run a.toml --export games=nowhere/x").assert_status(2).assert_says("no such folder");
    folder.run("run a.toml --export games=results").assert_status(2).assert_says("it is a folder");
    // Files of the experiment are not overwritten, by any path.
    folder
        .run("run a.toml --export games=results/../a.toml")
        .assert_status(2)
        .assert_says("is the file of the experiment");
    folder
        .run(&format!("run a.toml --export win-rate={GAMES}"))
        .assert_status(2)
        .assert_says("is inside the results folder");
    folder
        .run(&format!("run a.toml --export games={JOURNAL}"))
        .assert_status(2)
        .assert_says("is inside the results folder");
    // A table may be replaced, also of a duel; other files may not.
    for (old_text, status) in
        [("first,second,block,leg\n", 0), ("player,luck\n", 0), ("first of all: dear diary\n", 2)]
    {
        folder.write("there.csv", old_text);
        folder.run("run a.toml --quiet --export games=there.csv").assert_status(status);
        assert_eq!(folder.read("there.csv") == old_text, status == 2, "{old_text}");
    }
    // An export onto the table itself changes nothing.
    folder.run(&format!("run a.toml --export games=./{GAMES}")).assert_status(0);
    assert_eq!(folder.read(GAMES), folder.read("copy.csv"));
    // If its output has no reader, the second experiment is still played.
    folder.write("b.toml", classics_with_games(20).replace("classics", "second"));
    folder
        .run("run a.toml b.toml --export win-rate=-")
        .assert_status(2)
        .assert_says("--export would be overwritten");
    folder.shell("gauntlet run a.toml b.toml | true").assert_status(0);
    assert!(folder.path("results/second/games.csv").exists());
    if std::path::Path::new("/dev/full").exists() {
        folder
            .shell("gauntlet players > /dev/full")
            .assert_status(1)
            .assert_says("cannot write to standard output");
    }
}

/// The cost of an experiment is measured with games that are not kept.
#[test]
fn the_cost_of_an_experiment_is_told() {
    let folder = Folder::with_file("a.toml", classics_with_games(2000));
    let output = folder.run("check a.toml --cost").assert_status(0);
    for player in ["any", "gain", "corner"] {
        assert!(output.stdout.contains(&format!("  cost of {player}: ")), "{}", output.stdout);
    }
    assert!(!folder.path("results").exists());
    let size = output.stdout.split("journal of about ").nth(1).expect("a size").trim();
    let (number, unit) = size.split_once(' ').expect("a number and a unit");
    let unit = [("kB", 1e3), ("MB", 1e6)].into_iter().find(|(name, _)| *name == unit).expect("a unit").1;
    let estimated_bytes = unit * number.parse::<f64>().expect("a number");
    folder.run("run a.toml --quiet").assert_status(0);
    let actual_bytes = folder.path("results/classics/journal.jsonl").metadata().unwrap().len() as f64;
    assert!(
        (0.2..5.0).contains(&(estimated_bytes / actual_bytes)),
        "{estimated_bytes} told, {actual_bytes} written"
    );
    // If everything is played, there is no cost.
    assert!(!folder.run("check a.toml --cost").assert_status(0).stdout.contains("cost"));
}

#[test]
fn a_game_is_shown_as_it_was_played() {
    let folder = play_in_new_folder("a.toml", classics_with_games(20));
    for row in csv::Reader::from_path(folder.path(GAMES)).unwrap().records() {
        let row = row.unwrap();
        let end = format!("{} after {} moves, {} points", &row[7], &row[5], &row[3]);
        folder
            .run(&format!("show results/classics --player {} --block {} --last", &row[0], &row[1]))
            .assert_status(0)
            .assert_says(&end);
        folder
            .run(&format!("show a.toml --player {} --seed {}", &row[0], &row[2]))
            .assert_status(0)
            .assert_says(&end);
    }
    // If a game in games.csv differs from its replay, the command reports this, whatever the name
    // of the player.
    folder.play("b.toml", classics_with_games(20).replace("classics", "b").replace("gain", "panic"));
    for (results, player) in [("results/classics", "gain"), ("results/b", "panic")] {
        let games = format!("{results}/games.csv");
        let [third, fourth] = [3, 4].map(|block| format!("{player},{block},"));
        let swapped_games = folder.read(&games).replace(&third, "other,3,").replace(&fourth, &third);
        folder.write(&games, swapped_games);
        folder.update_digests(results);
        folder
            .run(&format!("show {results} --player {player} --block 3 --last"))
            .assert_status(1)
            .assert_says("has a different game here");
    }
}

#[test]
fn the_manifest_says_how_it_was_made() {
    let folder = play_in_new_folder("a.toml --threads 1", classics_with_games(20));
    let manifest: toml::Table = folder.read("results/classics/manifest.toml").parse().unwrap();
    let digest = |file: &str| blake3::hash(folder.read(file).as_bytes()).to_hex().to_string();
    assert_eq!(manifest["digests"]["games.csv"].as_str().unwrap(), digest(GAMES));
    assert_eq!(
        manifest["digests"]["win-rate.csv"].as_str().unwrap(),
        digest("results/classics/win-rate.csv")
    );
    assert_eq!(manifest["experiment_digest"].as_str().unwrap(), digest("a.toml"));
    assert_eq!(folder.read("results/classics/experiment.toml"), folder.read("a.toml"));
    let signatures = manifest["signatures"].as_table().unwrap();
    let algorithms: BTreeSet<&str> =
        CLASSICS.lines().filter_map(|line| line.strip_prefix("algorithm = ")).collect();
    assert_eq!(signatures.len(), algorithms.len());
    for (algorithm, signature) in signatures {
        assert_eq!(signature.as_str().map(str::to_owned), gauntlet::GAMES[0].signature_of(algorithm));
    }
    assert_eq!(manifest["command"].as_str().unwrap(), "gauntlet run a.toml");
    assert_eq!(manifest["seed_scheme"].as_integer(), Some(1));
    assert_eq!(manifest["reproducible"].as_bool(), Some(true));
    assert_eq!(manifest["threads"].as_integer(), Some(1));
    for key in ["gauntlet", "revision", "compiler", "target", "cpu", "started", "finished"] {
        assert!(!manifest[key].as_str().unwrap().is_empty(), "{key}");
    }
}

#[cfg(unix)]
#[test]
fn every_example_in_the_help_works() {
    let folder = Folder::new();
    let examples = ["examples/environments", "examples/optuna", "examples/players"];
    for path in ["configs", "configs/train", "configs/tune"].into_iter().chain(examples) {
        folder.copy_from_repository(path);
    }
    let help = folder.run("--help").assert_status(0);
    for command in gauntlet::program(&gauntlet::GAMES, &[]).commands().map(|command| command.name) {
        let help = folder.run(&format!("{command} --help")).assert_status(0);
        let example =
            help.stdout.rsplit_once("Example:\n").unwrap_or_else(|| panic!("{command} has no example")).1;
        // Joins wrapped lines.
        let mut examples: Vec<String> = Vec::new();
        for line in example.lines() {
            match examples.last_mut() {
                Some(last) if last.ends_with("&&") || !line.starts_with("  gauntlet") => {
                    *last += &format!(" {}", line.trim());
                }
                _ => examples.push(line.trim().to_owned()),
            }
        }
        examples.iter().for_each(|example| _ = folder.shell(example).assert_status(0));
        // A run is divided once, and the examples of two commands divide the same one.
        folder.shell("rm -rf results/quick/cluster results/quick/journal-*-of-*.jsonl").assert_status(0);
    }
    folder.shell(help.stdout.rsplit_once("Example:\n").unwrap().1.trim()).assert_status(0);
}
