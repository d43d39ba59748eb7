//! Results never overwrite tables that they do not continue.

use std::collections::BTreeMap;
use std::fs;

use gauntlet::disk::system_disk;
use gauntlet::results::store::folder::FolderState;
use gauntlet::run::journal::Journal;

use crate::bench::{Folder, GAMES, JOURNAL, classics_with_games, play_in_new_folder};
use crate::in_process::parse_experiment;

const RESULTS: &str = "results/classics";
const MANIFEST: &str = "results/classics/manifest.toml";
const REPLAYED: &str = "results/classics/replayed";

fn experiment() -> String {
    classics_with_games(50)
}

/// Returns tables without the journal that made them, as in a fresh clone.
fn clone() -> Folder {
    let folder = play_in_new_folder("a.toml", experiment());
    fs::remove_file(folder.path(JOURNAL)).unwrap();
    folder
}

/// Returns the files of the results that are under version control.
fn tracked_files(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    folder.files(RESULTS).into_iter().filter(|(name, _)| !name.starts_with("journal")).collect()
}

#[test]
fn tables_of_another_journal_are_compared_with_and_stay() {
    let folder = clone();
    let before = tracked_files(&folder);
    for message in ["150 games played", "no games left to play"] {
        let output = folder.run("run a.toml").assert_status(0);
        output
            .assert_says(message)
            .assert_says("games identical to games.csv of results/classics, which is unchanged")
            .assert_says("results in results/classics/replayed");
        assert!(tracked_files(&folder) == before);
        assert_eq!(folder.read(&format!("{REPLAYED}/games.csv")), folder.read(GAMES));
    }
    for line in ["report", "rank", "compare", "status", "judge", "check --results results/classics"] {
        let of = if line.starts_with("check") { "a.toml" } else { REPLAYED };
        folder.run(&format!("{line} {of}")).assert_status(0);
    }
    // A changed comment does not matter.
    folder.write("a.toml", format!("# of note\n{}", experiment()));
    folder.run("run a.toml").assert_status(0).assert_says("games identical to games.csv of");
    folder.run("status a.toml").assert_status(0).assert_says("tables complete");
    // An export contains a table of this run, not a table that stays.
    folder.run("run a.toml --quiet --export ms-per-move=times.csv").assert_status(0);
    assert_eq!(folder.read("times.csv"), folder.read(&format!("{REPLAYED}/ms-per-move.csv")));
    folder
        .run(&format!("run a.toml --quiet --export ms-per-move={RESULTS}/ms-per-move.csv"))
        .assert_status(0);
    assert!(tracked_files(&folder) == before);
    // On request the tables are replaced, and then they belong to this journal.
    folder.run("run a.toml --quiet --replace").assert_status(0);
    assert!(tracked_files(&folder)["ms-per-move.csv"] != before["ms-per-move.csv"]);
    let output = folder.run("run a.toml").assert_status(0).assert_says("results in results/classics\n");
    assert!(!output.stdout.contains("identical"), "{}", output.stdout);
    folder.write("a.toml", experiment().replace("= 50", "= 60"));
    folder.run("run a.toml").assert_status(0).assert_says("30 games played");
    assert_eq!(folder.read(GAMES).lines().count(), 181);
}

#[test]
fn games_that_differ_from_those_of_the_tables_are_told() {
    let folder = clone();
    let games = folder.read(GAMES);
    let changed_rows = games.lines().map(|row| match row.strip_prefix("gain,3,") {
        Some(rest) => format!("gain,3,{}\n", rest.replacen(',', ",1", 1)),
        None => format!("{row}\n"),
    });
    folder.write(GAMES, changed_rows.collect::<String>());
    let manifest = folder.read(&format!("{RESULTS}/manifest.toml"));
    let digest = |text: &str| blake3::hash(text.as_bytes()).to_hex().to_string();
    let forged_manifest = manifest.replace(&digest(&games), &digest(&folder.read(GAMES)));
    folder.write(&format!("{RESULTS}/manifest.toml"), &forged_manifest);
    let before = tracked_files(&folder);
    folder
        .run("run a.toml")
        .assert_status(1)
        .assert_says("150 games played")
        .assert_says("1 game of results/classics differs from the games played now; first row: gain,3,");
    assert!(tracked_files(&folder) == before);
    // If the file of games is missing, its digest is enough.
    fs::remove_file(folder.path(GAMES)).unwrap();
    folder.run("run a.toml --quiet").assert_status(1).assert_says("the digest of games.csv");
    // If a player has a time limit, different games are expected.
    folder.write(
        &format!("{RESULTS}/manifest.toml"),
        forged_manifest.replace("reproducible = true", "reproducible = false"),
    );
    folder.run("run a.toml").assert_status(0).assert_says("as expected with time limits");
}

#[test]
fn tables_of_another_experiment_are_not_overwritten() {
    let folder = clone();
    let before = tracked_files(&folder);
    folder.write("a.toml", experiment().replace("= 50", "= 20"));
    folder.write("b.toml", experiment().replace("classics", "other"));
    for line in ["run a.toml", "run b.toml a.toml", "run a.toml --shard 1/2"] {
        let output = folder.run(line).assert_status(2);
        let output = output
            .assert_says("results/classics has tables of another version of the experiment")
            .assert_says("--replace");
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
        assert!(tracked_files(&folder) == before);
        assert!(
            !folder.path(JOURNAL).exists() && !folder.path("results/other").exists(),
            "games were played"
        );
    }
    folder.run("run a.toml --quiet --replace").assert_status(0);
    assert_eq!(folder.read(GAMES).lines().count(), 61);
}

/// Tables stay if their manifest is damaged or missing and they are of another experiment.
#[test]
fn tables_with_a_damaged_manifest_are_not_overwritten_by_others() {
    let folder = clone();
    for is_missing in [true, false] {
        if is_missing {
            fs::remove_file(folder.path(MANIFEST)).expect("a manifest");
        } else {
            folder.write(MANIFEST, "");
        }
        folder.write("a.toml", experiment().replace("= 50", "= 20"));
        let before = tracked_files(&folder);
        for line in ["run a.toml", "run a.toml --shard 1/2"] {
            folder.run(line).assert_status(2).assert_says("--replace");
            assert!(tracked_files(&folder) == before && !folder.path(JOURNAL).exists(), "{line}");
        }
    }
    // Their own experiment repairs them.
    folder.write("a.toml", experiment());
    folder.run("run a.toml --quiet").assert_status(0);
    folder.run("status a.toml").assert_status(0).assert_says("tables complete");
    assert_eq!(folder.read(GAMES).lines().count(), 151);
}

/// `gauntlet status` announces what `gauntlet run` does with tables that it did not make.
#[test]
fn status_says_what_a_run_would_do() {
    let folder = clone();
    let [own, changed] = [experiment(), experiment().replace("= 50", "= 20")];
    let replays = "no journal: the run cannot be resumed; running it again replays all games";
    let replaces = "no journal: running it again replays all games and replaces the tables";
    let refuses = "no journal: to run this version, use --replace, or another folder with --name";
    let check = |text: &str, status: i32, message: &str, runs: i32| {
        folder.write("a.toml", text);
        folder.run("status a.toml").assert_status(status).assert_says(&format!("  {message}\n"));
        folder.run("run a.toml --quiet").assert_status(runs);
        let _ = fs::remove_file(folder.path(JOURNAL));
    };
    check(&own, 0, replays, 0);
    check(&changed, 0, refuses, 2);
    // A damaged table hinders only readers: it stays, and the games are played next to it.
    let rates = folder.read(&format!("{RESULTS}/win-rate.csv"));
    folder.write(&format!("{RESULTS}/win-rate.csv"), "");
    check(&own, 1, replays, 0);
    check(&changed, 1, refuses, 2);
    folder.write(&format!("{RESULTS}/win-rate.csv"), rates);
    folder.write(MANIFEST, "");
    check(&changed, 1, refuses, 2);
    check(&own, 1, replaces, 0);
    // The journal of another run does not make the tables its own.
    folder.write("a.toml", &changed);
    folder.run("run a.toml --quiet --results apart").assert_status(0);
    folder.write(JOURNAL, folder.read("apart/classics/journal.jsonl"));
    folder
        .run("status a.toml")
        .assert_status(0)
        .assert_says("  the journal did not make these tables: to run this version, use --replace");
    folder.run("run a.toml --quiet").assert_status(2);
}

#[test]
fn a_folder_has_a_state_for_each_experiment() {
    let [own, changed] = [experiment(), experiment().replace("= 50", "= 20")];
    let folder = Folder::new();
    let check = |text: &str, expected: FolderState| {
        let journal = folder.path(JOURNAL);
        let journal = journal.exists().then(|| Journal::peek(&journal).expect("a journal"));
        let sessions = journal.iter().flat_map(Journal::sessions);
        let experiment = parse_experiment(&gauntlet::GAMES, text);
        let state = FolderState::read(&system_disk(), &experiment, &folder.path(RESULTS), sessions);
        assert_eq!(state.expect("a state"), expected, "{text}");
    };
    check(&own, FolderState::Empty);
    folder.play("a.toml", &own);
    let manifest = folder.read(MANIFEST);
    check(&own, FolderState::Finished { games: 150 });
    check(&changed, FolderState::Stale { games: 150 });
    // The journal has the session that played the copy next to the tables.
    folder.write(MANIFEST, "");
    check(&own, FolderState::Damaged);
    check(&changed, FolderState::Damaged);
    fs::remove_file(folder.path(JOURNAL)).unwrap();
    check(&format!("# of note\n{own}"), FolderState::Damaged);
    check(&changed, FolderState::Foreign);
    fs::remove_file(folder.path(MANIFEST)).unwrap();
    check(&own, FolderState::Empty);
    check(&changed, FolderState::Foreign);
    folder.write(MANIFEST, manifest);
    check(&own, FolderState::Kept);
    check(&changed, FolderState::Foreign);
    folder.write(MANIFEST, "");
    fs::remove_file(folder.path(&format!("{RESULTS}/experiment.toml"))).unwrap();
    check(&own, FolderState::Foreign);
}

#[test]
fn a_merge_overwrites_nothing_either() {
    let folder = clone();
    let before = tracked_files(&folder);
    // Shards of the same experiment are compared with its tables.
    for shard in 1..=2 {
        folder.run(&format!("run a.toml --quiet --shard {shard}/2")).assert_status(0);
    }
    folder
        .run("merge a.toml")
        .assert_status(0)
        .assert_says("games identical to games.csv of results/classics");
    assert!(tracked_files(&folder) == before);
    // Shards of another experiment are refused.
    folder.write("a.toml", experiment().replace("= 50", "= 20"));
    folder
        .run("merge a.toml")
        .assert_status(2)
        .assert_says("has tables of another version")
        .assert_says("--replace");
    assert!(tracked_files(&folder) == before);
    folder.run("merge a.toml --replace").assert_status(0);
    assert_eq!(folder.read(GAMES).lines().count(), 61);
    // A merged journal continues the tables that shards made.
    folder.write("a.toml", experiment());
    folder.run("merge a.toml").assert_status(0).assert_says("results in results/classics\n");
    assert_eq!(folder.read(GAMES).lines().count(), 151);
}

#[test]
fn tables_of_fewer_games_are_announced() {
    let folder = play_in_new_folder("a.toml", experiment());
    folder.write("a.toml", experiment().replace("= 50", "= 20"));
    let told = "the tables in results/classics have 150 games; the new tables have 60, and the journal keeps";
    folder.run("run a.toml").assert_status(0).assert_says(told).assert_says("no games left to play");
    assert_eq!(folder.read(GAMES).lines().count(), 61);
    let said = folder.run("run a.toml").assert_status(0);
    assert_eq!(said.stderr, "");
    folder.write("a.toml", experiment());
    folder.run("run a.toml").assert_status(0).assert_says("no games left to play");
}
