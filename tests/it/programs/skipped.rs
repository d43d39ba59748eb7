//! Players whose program fails in game after game: a run skips them, and everything about the other
//! players is as if they played alone.

#![cfg(target_os = "linux")]

use std::fs;

use crate::bench::{Folder, Row, read_rows};

/// A program that plays 2048 once the file `repaired` exists.
const BROKEN_PROGRAM: &str = "[ -e repaired ] || exit 3\n\
    while read -r word number rest; do case $word in\n\
    gauntlet) echo ready broken ;;\n\
    move) echo $number up ;;\n\
    quit) exit ;;\nesac; done\n";

const HEADER: &str = "name = \"e\"\ngame = \"2048\"\nseed = 3\ngames = 60\nwin = 16\n\
    max_moves = 12\nidle_moves = \"spawn\"\n";

const WORKING_PLAYERS: &str = "\n[[player]]\nname = \"any\"\nalgorithm = \"random\"\n\
    \n[[player]]\nname = \"gain\"\nalgorithm = \"greedy\"\n\
    \n[[player]]\nname = \"corner\"\nalgorithm = \"fixed-order\"\norder = [\"down\", \"left\", \"right\", \"up\"]\n";

const BROKEN_PLAYER: &str =
    "\n[[player]]\nname = \"mine\"\nalgorithm = \"external\"\ncommand = [\"sh\", \"mine.sh\"]\n";

const CLAIM: &str = "\n[[claim]]\nbetter = \"gain\"\nthan = \"any\"\nby = \"score\"\n";

const BROKEN_CLAIMS: &str = "\n[[claim]]\nbetter = \"mine\"\nthan = \"any\"\nby = \"score\"\n\
    \n[[published]]\nplayer = \"mine\"\nwhat = \"win\"\nvalue = 0.5\ngames = 100\nsource = \"nowhere\"\n";

const SKIP_MESSAGE: &str =
    "skipped mine, which failed in 10 games in a row: the program exited with status 3";

const RUN: &str = "run e.toml --quiet --allow-commands --threads 2";

/// Returns a folder with an experiment of the sound players and the broken one, which is between
/// them.
fn broken_player_folder() -> Folder {
    let folder = Folder::with_file("mine.sh", BROKEN_PROGRAM);
    let (first, others) =
        WORKING_PLAYERS.split_once("\n[[player]]\nname = \"gain\"").expect("several players");
    folder.write(
        "e.toml",
        format!("{HEADER}{first}{BROKEN_PLAYER}\n[[player]]\nname = \"gain\"{others}{CLAIM}{BROKEN_CLAIMS}"),
    );
    folder.write(
        "sound.toml",
        format!("{HEADER}{WORKING_PLAYERS}{CLAIM}").replace("name = \"e\"", "name = \"sound\""),
    );
    folder
}

/// Returns the rows of a table about players other than the broken one, without its column.
fn rows_of_others(folder: &Folder, table: &str) -> Vec<Row> {
    let mut rows = read_rows(folder, table);
    rows.retain(|row| row.get("player").is_none_or(|player| player != "mine"));
    rows.iter_mut().for_each(|row| _ = row.remove("skipped"));
    rows
}

/// Returns the tables that depend on games alone.
fn tables(folder: &Folder) -> Vec<String> {
    let names = ["games", "win-rate", "max-tile", "claims", "published"];
    names.map(|name| folder.read(&format!("results/e/{name}.csv"))).into()
}

#[test]
fn a_broken_player_costs_only_its_own_answers() {
    let folder = broken_player_folder();
    folder
        .run(RUN)
        .assert_status(1)
        .assert_says(SKIP_MESSAGE)
        .assert_says("repair mine and repeat the command");
    folder.run("run sound.toml --quiet").assert_status(0);
    for table in ["games", "win-rate", "max-tile"] {
        let expected = rows_of_others(&folder, &format!("results/sound/{table}.csv"));
        assert_eq!(rows_of_others(&folder, &format!("results/e/{table}.csv")), expected, "{table}");
    }
    let row = read_rows(&folder, "results/e/win-rate.csv").remove(1);
    assert_eq!(
        [&*row["player"], &row["games"], &row["skipped"]],
        ["mine", "0", "the program exited with status 3"]
    );
    assert_eq!([&*row["win_rate"], &row["mean_score"], &row["max_score"]], ["", "", ""]);
    let [claim, broken_claim] = &read_rows(&folder, "results/e/claims.csv")[..] else { panic!("two claims") };
    assert_eq!(*claim, read_rows(&folder, "results/sound/claims.csv")[0]);
    assert_eq!(broken_claim["verdict"], "not judged");
    assert!(
        broken_claim["answer"].ends_with("mine was skipped: the program exited with status 3"),
        "{broken_claim:?}"
    );
    let published = &read_rows(&folder, "results/e/published.csv")[0];
    assert_eq!([&*published["verdict"], &published["p"]], ["not judged", ""]);
    assert!(folder.read("results/e/manifest.toml").contains("[skipped]\nmine = \"the program exited"));

    for command in ["report", "compare", "rank --by score", "judge", "status"] {
        let before = tables(&folder);
        folder.run(&format!("{command} results/e")).assert_status(0).assert_says(SKIP_MESSAGE);
        assert!(tables(&folder) == before, "{command}");
    }
    let ranks = |path: &str| {
        let line = format!("rank {path} --by score --format csv");
        folder.run(&line).assert_status(0).stdout.replace("results/sound", "results/e")
    };
    assert_eq!(ranks("results/e"), ranks("results/sound"));
    folder
        .run("status results/e")
        .assert_status(0)
        .assert_says("60 of 60 blocks are complete for all other players");
    folder.run("report results/e --out page.html").assert_status(0);
    let page = folder.read("page.html");
    assert!(page.contains(&SKIP_MESSAGE[1..]) && page.contains("not judged"), "the page has the reason");

    // The reason is in the tables, so it does not depend on the journal.
    fs::rename(folder.path("results/e/journal.jsonl"), folder.path("journal")).unwrap();
    folder.run("status results/e").assert_status(0).assert_says(SKIP_MESSAGE);
    folder.run("report results/e").assert_status(0).assert_says(SKIP_MESSAGE);
    fs::rename(folder.path("journal"), folder.path("results/e/journal.jsonl")).unwrap();

    // Before there are tables, commands make them from the journal.
    let expected_tables = tables(&folder);
    fs::remove_file(folder.path("results/e/manifest.toml")).unwrap();
    for command in ["report", "compare", "rank --by score"] {
        folder.run(&format!("{command} results/e")).assert_status(0).assert_says(SKIP_MESSAGE);
    }
    assert_eq!(ranks("results/e"), ranks("results/sound"));

    // The broken player is tried again.
    folder.run(RUN).assert_status(1).assert_says(SKIP_MESSAGE);
    assert!(tables(&folder) == expected_tables);
}

#[test]
fn a_repaired_player_plays_only_its_games() {
    let folder = broken_player_folder();
    folder.run(RUN).assert_status(1);
    folder.write("repaired", "");
    let output = folder.run("run e.toml --allow-commands --threads 2").assert_status(0);
    let played_games =
        output.stdout.lines().find_map(|line| line.split_once(" games played")).expect("a line").0;
    // The player had failed in ten games or a few more, which are played now.
    assert!((30..=50).contains(&played_games.parse::<u64>().unwrap()), "{played_games}");
    let manifest = folder.read("results/e/manifest.toml");
    assert!(!manifest.contains("[skipped]"));
    // A claim that was not judged had no answer.
    assert!(!manifest.contains("repeated_claims"), "{manifest}");
    let row = &read_rows(&folder, "results/e/win-rate.csv")[1];
    assert_eq!((&*row["player"], &*row["games"], row.get("skipped")), ("mine", "60", None));
    assert_ne!(read_rows(&folder, "results/e/claims.csv")[1]["verdict"], "not judged");
    let output = folder.run("report results/e").assert_status(0);
    assert!(!output.stderr.contains("skipped"), "{}", output.stderr);
}

/// A run that is killed anywhere ends with the same tables.
#[test]
fn a_cut_journal_leads_to_the_same_tables() {
    let folder = broken_player_folder();
    folder.run(RUN).assert_status(1);
    let expected_tables = tables(&folder);
    let journal = folder.read("results/e/journal.jsonl");
    for part in 1..6 {
        fs::remove_dir_all(folder.path("results/e")).unwrap();
        folder.write("results/e/journal.jsonl", &journal[..journal.len() * part / 6]);
        folder.run(RUN).assert_status(1).assert_says(SKIP_MESSAGE);
        assert!(tables(&folder) == expected_tables, "{part}");
    }
}

#[test]
fn shards_with_a_broken_player_are_merged() {
    let folder = broken_player_folder();
    folder.run(RUN).assert_status(1);
    let expected_tables = tables(&folder);
    fs::remove_dir_all(folder.path("results")).unwrap();
    for shard in 1..=2 {
        folder.run(&format!("{RUN} --shard {shard}/2")).assert_status(1).assert_says(SKIP_MESSAGE);
    }
    folder.run("status e.toml").assert_status(0).assert_says(SKIP_MESSAGE);
    folder.run("report results/e").assert_status(0).assert_says(SKIP_MESSAGE);
    folder.run("merge e.toml").assert_status(1).assert_says(SKIP_MESSAGE);
    assert!(tables(&folder) == expected_tables);
}

/// A rule about every player does not wait for a player that is skipped.
#[test]
fn a_broken_player_does_not_keep_a_run_from_ending() {
    let folder = broken_player_folder();
    let stop = "\n[stop]\nprecision = 5\n";
    for name in ["e", "sound"] {
        let text = folder.read(&format!("{name}.toml")).replace("games = 60", "games = 200000");
        let text = text.replace("by = \"score\"", "by = \"win\"");
        folder.write(&format!("{name}.toml"), text + stop);
    }
    folder.run(RUN).assert_status(1).assert_says(SKIP_MESSAGE);
    folder.run("run sound.toml --quiet").assert_status(0);
    let games = rows_of_others(&folder, "results/e/games.csv");
    assert!(games == rows_of_others(&folder, "results/sound/games.csv"));
    assert_eq!(folder.read("results/e/precision.csv"), folder.read("results/sound/precision.csv"));
    assert!(games.len() < 3 * 100_000, "{}", games.len());
    // No command waits for its games either.
    folder.run(RUN).assert_status(1);
    assert!(rows_of_others(&folder, "results/e/games.csv") == games);
}

#[test]
fn without_a_sound_player_there_are_no_tables() {
    let folder = Folder::with_file("mine.sh", BROKEN_PROGRAM);
    folder.write("e.toml", format!("{HEADER}{BROKEN_PLAYER}"));
    folder
        .run(RUN)
        .assert_status(1)
        .assert_says("no player has complete games: skipped mine, which failed in 10 games in a row");
    for command in ["report", "compare", "rank"] {
        folder.run(&format!("{command} results/e")).assert_status(1).assert_says(SKIP_MESSAGE);
    }
    folder.run("status results/e").assert_status(0).assert_says(SKIP_MESSAGE);
}

/// In a duel, the pairings of the player are left out, and the others are rated.
#[test]
fn pairings_of_a_broken_player_are_left_out() {
    const DUEL: &str = "name = \"e\"\ngame = \"gomoku\"\nsize = 7\nseed = 3\ngames = 40\n\
        \n[[player]]\nname = \"any\"\nalgorithm = \"random\"\n";
    const OTHERS: &str = "\n[[player]]\nname = \"gain\"\nalgorithm = \"mcts\"\nnodes = 20\n\
        \n[[player]]\nname = \"last\"\nalgorithm = \"mcts\"\nnodes = 40\n";
    let folder = Folder::with_file("mine.sh", BROKEN_PROGRAM);
    folder.write("e.toml", format!("{DUEL}{BROKEN_PLAYER}{OTHERS}"));
    folder.write("sound.toml", format!("{DUEL}{OTHERS}").replace("name = \"e\"", "name = \"sound\""));
    folder.run(RUN).assert_status(1).assert_says(SKIP_MESSAGE);
    folder.run("run sound.toml --quiet").assert_status(0);
    for table in ["games", "elo", "duels"] {
        let rows = |name: &str| rows_of_others(&folder, &format!("results/{name}/{table}.csv"));
        assert_eq!(rows("e"), rows("sound"), "{table}");
    }
    let row = &read_rows(&folder, "results/e/elo.csv")[1];
    assert_eq!([&*row["player"], &row["elo"], &row["games"]], ["mine", "", "0"]);
    folder.run("compare results/e --all-pairs").assert_status(0).assert_says(SKIP_MESSAGE);
    folder.run("report results/e --out page.html").assert_status(0);
}

/// The cause of different games is named: here it is a missing promise and no time limit.
#[test]
fn a_missing_promise_is_named() {
    let folder = broken_player_folder();
    folder.write("repaired", "");
    let message = "not reproducible: `reproducible = true` is missing in mine";
    folder.run("check e.toml").assert_status(0).assert_says(message);
    folder.run(RUN).assert_status(0);
    let output = folder.run("compare results/e").assert_status(0).assert_says(message);
    assert!(!output.stderr.contains("time limit"), "{}", output.stderr);
    folder.run("report results/e --out page.html").assert_status(0);
    assert!(folder.read("page.html").contains("reproducible = true` is missing in mine"));

    let reproducible = folder.read("e.toml").replace("\"mine.sh\"]\n", "\"mine.sh\"]\nreproducible = true\n");
    folder.write("e.toml", &reproducible);
    assert!(!folder.run("check e.toml").assert_status(0).stdout.contains("not reproducible"));
    folder.write("e.toml", reproducible.replace("win = 16", "win = 16\nmax_seconds = 60"));
    folder.run("check e.toml").assert_status(0).assert_says("not reproducible: depends on a time limit\n");
}
