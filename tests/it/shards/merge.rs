//! Shards: played separately, merged into the same tables.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::bench::{
    CLASSICS, Folder, GAMES, add_checksum, classics_with_games, parse_entry, play_classics,
    play_in_new_folder, read_tables,
};

#[test]
fn shards_merge_into_the_same_tables() {
    let (folder, _) = play_classics();
    folder.run("merge classics.toml").assert_status(1).assert_says("nothing to merge");
    assert!(!folder.path("results").exists());
    folder.run("run classics.toml --quiet --shard 3/3").assert_status(0);
    folder.run("run classics.toml --quiet --shard 1/3").assert_status(0);
    folder
        .run("status classics.toml")
        .assert_status(0)
        .assert_says("shard 3/3: 60,000 of 60,000 games (100 %), complete")
        .assert_says("shard 2/3: not started");
    let output = folder
        .run("merge classics.toml")
        .assert_status(1)
        .assert_says("gain: blocks 20000 to 39999 (shard 2/3)");
    assert!(!output.stderr.contains("shard 1/3"), "{}", output.stderr);
    assert!(!folder.path(GAMES).exists());
    // The last one comes from another folder, and everything is merged only once.
    folder.run("run classics.toml --quiet --shard 2/3 --results elsewhere").assert_status(0);
    folder
        .run("merge results/classics elsewhere/classics/journal-2-of-3.jsonl")
        .assert_status(0)
        .assert_says("60,000 games merged from other journals");
    assert!(read_tables(&folder, "results") == read_tables(&folder, "undisturbed"));
    folder.run("merge classics.toml").assert_status(0).assert_says("0 games merged");
    let manifest: toml::Table = folder.read("results/classics/manifest.toml").parse().unwrap();
    assert_eq!(manifest["session"].as_array().unwrap().len(), 3, "each session once");
    folder.run("run classics.toml").assert_status(0).assert_says("no games left to play");
}

/// Merges and inspects more journals than a process may have open files by default.
#[cfg(unix)]
#[test]
fn more_shards_than_open_files_are_joined() {
    let folder = Folder::with_file("a.toml", classics_with_games(200));
    folder
        .shell("for shard in $(seq 200); do gauntlet run a.toml --quiet --shard $shard/200 || exit; done")
        .assert_status(0);
    let run_limited = |line: &str| folder.shell(&format!("ulimit -Sn 64; {line}"));
    run_limited("gauntlet status a.toml").assert_status(0).assert_says("200 shards: 200 complete");
    run_limited("gauntlet merge a.toml").assert_status(0).assert_says("600 games merged");
    folder.run("run a.toml --quiet --results alone").assert_status(0);
    assert!(read_tables(&folder, "results") == read_tables(&folder, "alone"));
    // If the limit is fixed, the command reports this in a line, and merges nothing.
    let output = folder
        .shell("rm -r results/classics/journal.jsonl; ulimit -n 64; gauntlet merge a.toml")
        .assert_status(1);
    assert!(
        output.stderr.lines().count() == 1 && output.stderr.contains("Too many open files"),
        "{}",
        output.stderr
    );
}

#[test]
fn shards_that_disagree_are_refused() {
    let folder = play_in_new_folder("a.toml", classics_with_games(60));
    folder.run("run a.toml --quiet --shard 1/2").assert_status(0);
    // A wrong score with a correct checksum, as from a faulty machine.
    let path = "results/classics/journal-1-of-2.jsonl";
    folder.write(path, forge_games(&folder.read(path), raise_score));
    folder
        .run("merge results/classics")
        .assert_status(1)
        .assert_says("have different games of")
        .assert_says("classics/journal.jsonl, line ")
        .assert_says("classics/journal-1-of-2.jsonl, line ")
        .assert_says("`gauntlet show RESULTS --player ");
    folder
        .run("merge a.toml results/classics/journal.jsonl")
        .assert_status(2)
        .assert_says("is the target of the merge");
    folder.run(&format!("merge a.toml {GAMES}")).assert_status(1).assert_says("is not a journal");
}

#[test]
fn a_shard_without_games_is_no_obstacle() {
    let folder = Folder::with_file("a.toml", classics_with_games(2));
    for shard in 1..=3 {
        folder.run(&format!("run a.toml --quiet --shard {shard}/3")).assert_status(0);
    }
    let empty = folder.path("results/classics/journal-1-of-3.jsonl");
    assert_eq!(fs::metadata(empty).unwrap().len(), 0, "two games are not enough for three shards");
    // Named again by a pattern, each is still merged once.
    folder
        .shell("gauntlet merge results/classics results/classics/journal-*-of-3.jsonl")
        .assert_status(0)
        .assert_says("6 games merged");
    folder.run("run a.toml --quiet --results undisturbed").assert_status(0);
    assert!(read_tables(&folder, "results") == read_tables(&folder, "undisturbed"));
    folder.write("torn", "5f0c12");
    folder.run("merge a.toml torn").assert_status(1).assert_says("torn is not a journal");
    // A shard that was killed in its first line is not an error, either.
    folder.write("results/classics/journal-1-of-3.jsonl", "5f0c12");
    folder.run("merge a.toml").assert_status(0).assert_says("journal-1-of-3.jsonl has no games yet");
}

#[test]
fn shards_of_an_edited_experiment_are_its_own() {
    let folder = Folder::new();
    let small = classics_with_games(20);
    folder.play("a.toml --shard 1/2", &small);
    // Without tables, the folder's copy follows the file.
    let edited = small.replace("= 20", "= 30");
    folder.play("a.toml --shard 1/2", &edited);
    folder.run("run a.toml --quiet --shard 2/2").assert_status(0);
    folder.run("merge results/classics").assert_status(0).assert_says("90 games merged");
    assert_eq!(folder.read(GAMES).lines().count(), 91);
    // With tables, the copy belongs to them, and the user must name the version.
    folder.play("a.toml --shard 1/1", edited.replace("= 30", "= 40"));
    fs::remove_file(folder.path("results/classics/journal-1-of-2.jsonl")).unwrap();
    fs::remove_file(folder.path("results/classics/journal-2-of-2.jsonl")).unwrap();
    folder.run("merge results/classics").assert_status(1).assert_says("instead of the folder");
    assert_eq!(folder.read(GAMES).lines().count(), 91);
    folder.run("merge a.toml").assert_status(0).assert_says("30 games merged");
    assert_eq!(folder.read(GAMES).lines().count(), 121);
    // An edit that changes no game changes nothing here.
    folder.write("a.toml", format!("# of note\n{}", folder.read("a.toml")));
    folder.run("merge a.toml").assert_status(0).assert_says("0 games merged");
    folder.run("merge results/classics").assert_status(0).assert_says("0 games merged");
    let status = folder.run("status results/classics").assert_status(0);
    assert!(!status.stdout.contains("does not need"), "{}", status.stdout);
}

#[test]
fn a_shard_that_was_mended_is_taken() {
    let folder = play_in_new_folder("a.toml --shard 1/1", classics_with_games(20));
    folder.run("run a.toml --quiet --results other").assert_status(0);
    let (shard_path, other_path) = ("results/classics/journal-1-of-1.jsonl", "other/classics/journal.jsonl");
    let valid_journal = folder.read(shard_path);
    folder.write(shard_path, forge_games(&valid_journal, raise_score));
    folder.run(&format!("merge a.toml {other_path}")).assert_status(1).assert_says("have different games of");
    folder.write(shard_path, valid_journal);
    folder.run(&format!("merge a.toml {other_path}")).assert_status(0).assert_says("60 games merged");
}

/// The times in a journal line are stored with its first game, which another journal may have too.
#[test]
fn times_come_along_with_games() {
    let folder = Folder::new();
    let with_seeds = |seeds: &[u32]| {
        let seeds: Vec<String> = seeds.iter().map(u32::to_string).collect();
        CLASSICS.replace("seed = 7\ngames = 60000", &format!("seeds = [{}]", seeds.join(", ")))
    };
    let seeds: Vec<u32> = (100..400).collect();
    folder.play("a.toml --shard 1/1", with_seeds(&seeds));
    let first_seeds: BTreeSet<u32> =
        folder.read("results/classics/journal-1-of-1.jsonl").lines().filter_map(first_seed).collect();
    folder.play("b.toml", with_seeds(&first_seeds.into_iter().collect::<Vec<_>>()));
    folder.write("a.toml", with_seeds(&seeds.into_iter().rev().collect::<Vec<_>>()));
    folder.run("merge a.toml").assert_status(0);
    let journal = folder.read("results/classics/journal.jsonl");
    let entries = journal.lines().map(parse_entry);
    let games: Vec<_> = entries.filter(|entry| entry.get("games").is_some()).collect();
    assert!(!games.is_empty());
    for entry in games {
        assert!(entry["games"]["times"]["moves"].as_u64().is_some_and(|moves| moves > 0), "{entry}");
    }
}

fn first_seed(line: &str) -> Option<u32> {
    Some(parse_entry(line)["games"]["seeds"][0].as_u64()? as u32)
}

#[test]
fn what_to_type_next_can_be_typed() {
    let folder = Folder::with_file("-a b.toml", classics_with_games(4));
    let run = "gauntlet run --quiet --results 'else where' --shard";
    folder.shell(&format!("{run} 1/2 -- '-a b.toml'")).assert_status(0);
    let output =
        folder.shell(&format!("{} 2/2 -- '-a b.toml'", run.replace("--quiet ", ""))).assert_status(0);
    let (_, merge) = output.stderr.lines().last().unwrap().split_once("when all shards are: ").unwrap();
    folder.shell(merge).assert_status(0).assert_says("12 games merged");
    let manifest: toml::Table = folder.read("else where/classics/manifest.toml").parse().unwrap();
    assert_eq!(manifest["command"].as_str(), Some("gauntlet merge './-a b.toml'"));
}

/// If the order of listed seeds changes, the games of a line are no longer consecutive. The results
/// do not change.
#[test]
fn listed_seeds_may_change_their_order() {
    let folder = Folder::new();
    let with_seeds = |step: usize| {
        // Multiples of a step without a common divisor with 1,009 reach every seed once.
        let seeds: Vec<String> = (0..1009).map(|i| (i * step % 1009 + 5).to_string()).collect();
        CLASSICS.replace("seed = 7\ngames = 60000", &format!("seeds = [{}]", seeds.join(", ")))
    };
    folder.play("a.toml --shard 1/2", with_seeds(1));
    folder.run("run a.toml --quiet --shard 2/2").assert_status(0);
    folder.play("a.toml --results undisturbed", with_seeds(333));
    folder.run("merge a.toml").assert_status(0).assert_says("3,027 games merged");
    assert!(read_tables(&folder, "results") == read_tables(&folder, "undisturbed"));
    let lines = |name: &str| folder.read(&format!("results/classics/{name}.jsonl")).lines().count();
    assert!(lines("journal") <= lines("journal-1-of-2") + lines("journal-2-of-2"), "lines are taken whole");
    // In yet another order nothing is left to play.
    folder.write("a.toml", with_seeds(777));
    folder.run("run a.toml").assert_status(0).assert_says("no games left to play");
    folder.run("run a.toml --quiet --results undisturbed").assert_status(0);
    assert!(read_tables(&folder, "results") == read_tables(&folder, "undisturbed"));
}

/// More games than the program examines at a time are out of order.
#[test]
fn many_seeds_may_change_their_order() {
    let folder = Folder::new();
    let with_seeds = |step: u64| {
        let seeds: Vec<String> = (0..300_007).map(|i| (i * step % 300_007).to_string()).collect();
        let (header, _) = CLASSICS.split_once("[[player]]\nname = \"gain\"").unwrap();
        header.replace("seed = 7\ngames = 60000", &format!("seeds = [{}]", seeds.join(", ")))
    };
    folder.play("a.toml", with_seeds(1));
    folder.write("a.toml", with_seeds(100_003));
    folder.run("run a.toml").assert_status(0).assert_says("no games left to play");
    folder.run("run a.toml --quiet --results undisturbed").assert_status(0);
    assert!(read_tables(&folder, "results") == read_tables(&folder, "undisturbed"));
}

#[test]
fn a_broken_game_is_told_and_not_asked_for_again() {
    let folder = play_in_new_folder("a.toml --shard 1/2", classics_with_games(20));
    // A player's program broke in a game of the first line.
    let journal = "results/classics/journal-1-of-2.jsonl";
    let text = folder.read(journal);
    let (number, line) = text.lines().enumerate().find(|(_, line)| line.contains("{\"games\"")).unwrap();
    let mut entry = parse_entry(line);
    let games = entry["games"].as_object_mut().unwrap();
    let game_count = games["games"].as_u64().unwrap();
    let block = games["first"].as_u64().unwrap() + game_count - 1;
    games["games"] = (game_count - 1).into();
    for column in ["score", "moves"] {
        games[column].as_array_mut().unwrap().pop();
    }
    games["facts"][0].as_array_mut().unwrap().pop();
    games["won"] = serde_json::json!([]);
    let key = games["key"].as_str().unwrap().to_owned();
    let seeds = folder.run("run a.toml --quiet --results other --export games=-").assert_status(0);
    let seed = seeds.stdout.lines().find_map(|row| row.strip_prefix(&format!("any,{block},")));
    let seed = seed.unwrap().split_once(',').unwrap().0;
    let panic = |message: &str| {
        format!("{{\"panic\":{{\"key\":\"{key}\",\"seed\":{seed},\"message\":\"{message}\"}}}}")
    };
    let mut lines: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
    lines[number] = add_checksum(&entry.to_string());
    lines.push(add_checksum(&panic("no idea")));
    folder.write(journal, lines.concat());
    folder.run("status a.toml").assert_status(0).assert_says("1 game failed");
    let output = folder.run("merge a.toml").assert_status(1).assert_says("30 games are missing");
    assert!(!output.stderr.contains("shard 1/2"), "{}", output.stderr);
    // Two messages about one game: the first one stays, and the journal does not change further.
    folder.write("again", lines[..number].concat() + &add_checksum(&panic("still no idea")));
    folder.run("merge a.toml again").assert_status(1);
    let merged_journal = folder.read("results/classics/journal.jsonl");
    folder.run("merge a.toml again").assert_status(1);
    assert_eq!(folder.read("results/classics/journal.jsonl"), merged_journal);
}

/// Changes games in a journal; its checksums are correct.
fn forge_games(journal: &str, change: fn(&mut Value)) -> String {
    let line = |line: &str| {
        let mut entry = parse_entry(line);
        entry.get_mut("games").map(change);
        add_checksum(&entry.to_string())
    };
    journal.lines().map(line).collect()
}

/// Adds a merge to the first game of a line, which is possible.
fn raise_score(games: &mut Value) {
    games["score"][0] = (games["score"][0].as_u64().unwrap() + 4).into();
}

/// The flaw of a forged line, and the function that forges it.
type Forgery = (&'static str, fn(&mut Value));

/// Impossible games: `merge` refuses them, and `run` plays them again.
#[test]
fn games_that_cannot_be_are_not_counted() {
    let forgeries: [Forgery; 9] = [
        ("4611686018427387904 is not a tile", |games| games["facts"][0][0] = (1_u64 << 62).into()),
        ("-8 is not a tile", |games| games["facts"][0][0] = (-8).into()),
        ("no game ends with 18446744073709551612 points", |games| games["score"][0] = (u64::MAX - 3).into()),
        ("no game of 4294967295 moves", |games| games["moves"][0] = u32::MAX.into()),
        ("be won by these rules", |games| games["won"] = serde_json::json!([0])),
        ("a game with `until` cannot end this way", |games| games["endings"] = serde_json::json!([[0, 1]])),
        ("the game ended by `max_moves` after only", |games| games["endings"] = serde_json::json!([[0, 2]])),
        ("a player's program panicked", |games| games["endings"] = serde_json::json!([[0, 5]])),
        ("its columns contradict each other", |games| games["facts"] = serde_json::json!([])),
    ];
    let folder = play_in_new_folder("a.toml --results undisturbed", classics_with_games(40));
    for shard in ["1/2", "2/2"] {
        folder.run(&format!("run a.toml --quiet --shard {shard}")).assert_status(0);
    }
    let (path, main) = ("results/classics/journal-2-of-2.jsonl", "results/classics/journal.jsonl");
    let valid_journal = folder.read(path);
    for (message, forgery) in forgeries {
        let forged_journal = forge_games(&valid_journal, forgery);
        folder.write(path, &forged_journal);
        let output = folder
            .run("merge a.toml")
            .assert_status(1)
            .assert_says("journal-2-of-2.jsonl, line ")
            .assert_says(message);
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
        assert!(!folder.path(main).exists());
        folder.run("status a.toml").assert_status(0).assert_says("damaged line");
        // A shard with such games plays them again.
        folder.run("run a.toml --quiet --shard 2/2").assert_status(0).assert_says("played again");
        folder
            .run("status a.toml")
            .assert_status(0)
            .assert_says("shard 2/2: 60 of 60 games (100 %), complete");
        folder.run("merge a.toml").assert_status(0).assert_says("120 games merged");
        assert!(read_tables(&folder, "results") == read_tables(&folder, "undisturbed"), "{message}");
        folder.write(main, &forged_journal);
        folder.run("run a.toml --quiet").assert_status(0);
        assert!(read_tables(&folder, "results") == read_tables(&folder, "undisturbed"), "{message}");
        fs::remove_file(folder.path(main)).unwrap();
    }
    folder.write(path, valid_journal);
    folder.run("merge a.toml").assert_status(0);
    assert!(read_tables(&folder, "results") == read_tables(&folder, "undisturbed"));
}

/// Clock readings may have any value, and cause no failure.
#[test]
fn absurd_times_break_nothing() {
    let folder = play_in_new_folder("a.toml", classics_with_games(40));
    let journal = folder.read("results/classics/journal.jsonl");
    folder.write(
        "results/classics/journal.jsonl",
        forge_games(&journal, |games| {
            for key in ["moves", "wall_ns", "cpu_ns", "thinking_ns", "thoughts", "thinking_cpu_ns", "max_ns"]
            {
                games["times"][key] = u64::MAX.into();
            }
            games["times"]["histogram"] = serde_json::json!([[u64::MAX, u64::MAX], [1, u64::MAX]]);
            games["times"]["depths"] = serde_json::json!([[u32::MAX, u64::MAX], [1, u64::MAX]]);
            games["times"]["yardsticks"] = serde_json::json!({ "count": u64::MAX, "ns": u64::MAX });
            games["session"] = u64::MAX.into();
        }),
    );
    folder.run("run a.toml").assert_status(0).assert_says("no games left to play");
    folder.run("report results/classics").assert_status(0);
    folder.run("report results/classics --out page.html").assert_status(0);
    folder.run("compare results/classics --by ms-per-move").assert_status(0);
}

/// Lines of one journal that disagree about a block: none counts, and `run` plays their games
/// again.
#[test]
fn a_journal_that_contradicts_itself_is_played_again() {
    let folder = play_in_new_folder("a.toml", classics_with_games(40));
    let before = read_tables(&folder, "results");
    let (main, journal) = ("results/classics/journal.jsonl", folder.read("results/classics/journal.jsonl"));
    // The same games twice are no contradiction.
    folder.write(main, format!("{journal}{journal}"));
    let output = folder.run("run a.toml --quiet").assert_status(0);
    assert_eq!(output.stderr, "");
    assert!(read_tables(&folder, "results") == before);
    let contradiction = "have different games of any on block 0, with ";
    let forged_journal = forge_games(&journal, raise_score);
    // The forged line is last, first, and twice as often as the other.
    for journal_text in [
        journal.clone() + &forged_journal,
        forged_journal.clone() + &journal,
        forged_journal.clone() + &journal + &forged_journal,
    ] {
        folder.write(main, &journal_text);
        let output = folder.run("merge a.toml").assert_status(1);
        let output = output
            .assert_says("journal.jsonl, line ")
            .assert_says(contradiction)
            .assert_says("`gauntlet run`");
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
        folder.run("status a.toml").assert_status(0).assert_says(contradiction).assert_says("not complete");
        assert_eq!(folder.read(main), journal_text);
        let run_output = folder.run("run a.toml --quiet").assert_status(0);
        let run_output = run_output.assert_says(contradiction);
        assert_eq!(run_output.stderr.lines().count(), 1, "{}", run_output.stderr);
        assert!(read_tables(&folder, "results") == before);
        // From now on they agree.
        for command in ["status", "merge", "run"] {
            let output = folder.run(&format!("{command} a.toml")).assert_status(0);
            assert!(!(output.stdout + &output.stderr).contains("different games"), "{command}");
        }
        assert!(read_tables(&folder, "results") == before);
    }
    // A shard that contradicts itself is repaired by its own run.
    folder.run("run a.toml --quiet --shard 1/2 --results shards").assert_status(0);
    folder.run("run a.toml --quiet --shard 2/2 --results shards").assert_status(0);
    let path = "shards/classics/journal-1-of-2.jsonl";
    let shard = folder.read(path);
    folder.write(path, shard.clone() + &forge_games(&shard, raise_score));
    folder.run("merge a.toml --results shards").assert_status(1).assert_says("journal-1-of-2.jsonl, line ");
    folder.run("run a.toml --quiet --shard 1/2 --results shards").assert_status(0).assert_says(contradiction);
    folder.run("merge a.toml --results shards").assert_status(0);
    assert!(read_tables(&folder, "shards") == before);
}

/// `merge --verify` plays games again and names the journal, the player and the block that differ.
#[test]
fn a_shard_that_was_forged_well_is_found() {
    let folder = Folder::with_file("a.toml", classics_with_games(400));
    for shard in ["1/2", "2/2"] {
        folder.run(&format!("run a.toml --quiet --shard {shard}")).assert_status(0);
    }
    let (path, main) = ("results/classics/journal-2-of-2.jsonl", "results/classics/journal.jsonl");
    let valid_journal = folder.read(path);
    // A busy machine writes many lines; only those that begin with the shard's first block are
    // forged.
    let forge_first_block = |games: &mut Value| {
        if games["first"] == 200 {
            raise_score(games);
        }
    };
    folder.write(path, forge_games(&valid_journal, forge_first_block));
    let output = folder.run("merge a.toml --verify 100%").assert_status(1);
    output
        .assert_says("journal-2-of-2.jsonl, line ")
        .assert_says(": the game of any on block 200 differs from its replay: ")
        .assert_says("nothing merged");
    assert!(!folder.path(main).exists() && !folder.path(GAMES).exists());
    // The same seed draws the same blocks, and a small sample may miss a forgery.
    folder
        .run("merge a.toml --verify 1 --verify-seed 7")
        .assert_status(0)
        .assert_says("6 games replayed with identical results");
    fs::remove_file(folder.path(main)).unwrap();
    folder.write(path, valid_journal);
    folder
        .run("merge a.toml --verify 1%")
        .assert_status(0)
        .assert_says("12 games replayed with identical results (--verify-seed");
    assert!(folder.path(GAMES).exists());
    // Games that were merged before are verified, too.
    let merged_journal = folder.read(main);
    folder.write(main, forge_games(&merged_journal, raise_score));
    fs::remove_file(folder.path(path)).unwrap();
    fs::remove_file(folder.path("results/classics/journal-1-of-2.jsonl")).unwrap();
    folder.run("merge a.toml --verify 100%").assert_status(1).assert_says("journal.jsonl, line ");
    folder.run("merge a.toml --verify 0%").assert_status(2).assert_says("above 0");
    folder.run("merge a.toml --verify-seed 7").assert_status(2);
}

/// Games that cannot be verified are reported.
#[test]
fn what_cannot_be_verified_is_told() {
    let folder = play_in_new_folder(
        "a.toml --shard 1/1",
        classics_with_games(40).replace("seed =", "max_seconds = 60\nseed ="),
    );
    let output = folder.run("merge a.toml --verify 100%").assert_status(0);
    let output = output.assert_says("nothing verified: no player is reproducible");
    assert!(!output.stderr.contains("played again"), "{}", output.stderr);
}

/// A journal stores the build of each of its sessions.
#[test]
fn games_of_different_builds_are_not_mixed_unawares() {
    let (folder, _) = play_classics();
    for shard in ["1/2", "2/2"] {
        folder.run(&format!("run classics.toml --quiet --shard {shard}")).assert_status(0);
    }
    let shard_path = "results/classics/journal-2-of-2.jsonl";
    let lines = folder.read(shard_path);
    let lines = lines.lines().map(|line| match line.split_once(' ') {
        Some((_, entry)) if entry.starts_with("{\"session\"") => {
            add_checksum(&entry.replacen("\"cpu\":", "\"packages\":[\"own 0.2.0\"],\"cpu\":", 1))
        }
        _ => format!("{line}\n"),
    });
    let lines: String = lines.collect();
    folder.write(shard_path, lines);
    folder
        .run("merge classics.toml")
        .assert_status(2)
        .assert_says("played by different builds")
        .assert_says("own 0.2.0")
        .assert_says("--mix-builds");
    assert!(!folder.path(GAMES).exists());
    folder.run("merge classics.toml --mix-builds").assert_status(0);
    assert!(folder.read("results/classics/manifest.toml").contains("packages = [\"own 0.2.0\"]"));
}

/// Further content of a journal's lines is merged too: the nodes of a search, and the moves of a
/// program that is not reproducible.
#[test]
fn positions_and_moves_come_along_with_games() {
    let folder = Folder::new();
    folder.copy_from_repository("examples/players");
    folder.play(
        "t.toml --allow-commands --results undisturbed",
        "name = \"classics\"\ngame = \"2048\"\nseed = 5\ngames = 6\nuntil = 64\nwin = 64\n\n[[player]]\nname = \"searches\"\n\
         algorithm = \"ovolve\"\ndepth = 1\nwin_tile = \"none\"\n\n[[player]]\nname = \"program\"\nalgorithm = \"external\"\n\
         command = [\"sh\", \"examples/players/first.sh\"]\n",
    );
    for shard in 1..=2 {
        folder.run(&format!("run t.toml --quiet --allow-commands --shard {shard}/2")).assert_status(0);
    }
    folder.run("merge t.toml").assert_status(0);
    assert!(read_tables(&folder, "results") == read_tables(&folder, "undisturbed"));
    let sorted_nodes = |name: &str| -> Vec<u64> {
        let journal = folder.read(&format!("{name}.jsonl"));
        let lines = journal.lines().map(parse_entry);
        let node_counts: Vec<Value> =
            lines.filter_map(|line| line["games"]["nodes"].as_array().cloned()).flatten().collect();
        let mut node_counts: Vec<u64> = node_counts.iter().filter_map(Value::as_u64).collect();
        node_counts.sort_unstable();
        node_counts
    };
    let expected = sorted_nodes("undisturbed/classics/journal");
    assert!(expected.len() == 6 && sorted_nodes("results/classics/journal") == expected, "{expected:?}");
    // A program that reports another name in the next shard is another program.
    let script = folder.read("examples/players/first.sh");
    folder.write("examples/players/link.sh", ". examples/players/first.sh\n");
    let text = folder.read("t.toml").replace("first.sh", "link.sh");
    folder.write("t.toml", text);
    for (shard, name) in [(1, "ready first-sh 1"), (2, "ready first-sh 2")] {
        folder.write("examples/players/first.sh", script.replace("ready first-sh 1", name));
        folder
            .run(&format!("run t.toml --quiet --allow-commands --shard {shard}/2 --results two"))
            .assert_status(0);
    }
    let message = r#"program: games were played by two different programs, "first-sh 1" and "first-sh 2""#;
    folder.run("merge t.toml --results two").assert_status(1).assert_says(message);
    folder.write("examples/players/first.sh", script);
    folder.write("t.toml", folder.read("t.toml").replace("link.sh", "first.sh"));
    // No program is started.
    folder
        .run("show results/classics --player program --block 5 --last")
        .assert_status(0)
        .assert_says("points");
}
