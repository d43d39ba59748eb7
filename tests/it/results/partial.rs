//! Results of an unfinished run: from its journal, the blocks that are complete for all players.

use std::collections::BTreeMap;
use std::fs;
use std::time::SystemTime;

use gauntlet::results::store::read::Results;

use crate::bench::{
    CLASSICS, ENDLESS, Folder, GAMES, JOURNAL, classics_with_games, play_in_new_folder, read_tables,
};

const RESULTS: &str = "results/classics";

/// Returns a folder in which an endless run was killed when its journal had this many bytes.
fn killed_run(bytes: u64) -> Folder {
    let folder = Folder::with_file("classics.toml", classics_with_games(ENDLESS));
    assert!(folder.kill_at("run classics.toml --quiet --threads 2", JOURNAL, bytes));
    folder
}

/// Returns a complete run of this number of blocks.
fn finished_run(text: &str, blocks: u64) -> Folder {
    play_in_new_folder("classics.toml", text.replace("60000", &blocks.to_string()))
}

/// Returns the files of the results, with content and modification time.
fn listing(folder: &Folder) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
    let entries = fs::read_dir(folder.path(RESULTS)).unwrap().map(Result::unwrap);
    let file = |entry: fs::DirEntry| {
        let modified = entry.metadata().unwrap().modified().unwrap();
        (entry.file_name().into_string().unwrap(), (fs::read(entry.path()).unwrap(), modified))
    };
    entries.map(file).collect()
}

/// Returns all output about results, except times.
fn all_output(folder: &Folder) -> BTreeMap<String, String> {
    let output_of = |line: &str| (line.to_owned(), folder.run(line).assert_status(0).stdout);
    let mut outputs: BTreeMap<String, String> = [
        "report results/classics --table max-tile --format csv",
        "compare results/classics --all-pairs",
        "rank results/classics --by score --format csv",
    ]
    .map(output_of)
    .into();
    folder.run("report results/classics --out page.html --plots .").assert_status(0);
    for plot in ["win-rate", "largest-tile", "scores"] {
        outputs.insert(plot.to_owned(), folder.read(&format!("page-{plot}.svg")));
    }
    let results = Results::read(gauntlet::catalog(&gauntlet::GAMES), &folder.path(RESULTS)).unwrap();
    let games = results.snapshot.bytes("games.csv").unwrap();
    outputs.insert("games".to_owned(), String::from_utf8(games).unwrap());
    outputs
}

#[test]
fn a_killed_run_shows_what_a_run_of_its_complete_blocks_shows() {
    let folder = killed_run(60_000);
    let blocks = folder.blocks(RESULTS);
    assert!((1..ENDLESS).contains(&blocks), "{blocks}");
    let before = listing(&folder);
    let names: Vec<&str> = before.keys().map(String::as_str).collect();
    assert_eq!(names, [".lock", "experiment.toml", "journal.jsonl"]);
    let partial = all_output(&folder);
    let expected = all_output(&finished_run(CLASSICS, blocks));
    for (label, text) in &partial {
        assert!(
            *text == expected[label],
            "{label}:\n{text}\n--- of a run of {blocks} games:\n{}",
            expected[label]
        );
    }
    assert!(listing(&folder) == before, "something was written");

    let note = format!(
        "showing the first {} of 100,000,000 blocks, which are complete for all players",
        format_number(blocks)
    );
    for command in ["report", "compare", "rank"] {
        let output = folder.run(&format!("{command} {RESULTS}")).assert_status(0);
        assert!(output.stderr.starts_with("warning: results/classics is unfinished"), "{}", output.stderr);
        assert!(output.stderr.contains(&note), "{}", output.stderr);
        let json = folder.run(&format!("{command} {RESULTS} --format json")).assert_status(0);
        let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
        assert!(json["warnings"][0].as_str().unwrap().contains(&note), "{json}");
    }
    let page = folder.read("page.html");
    let banner = page.find(&note).expect("a banner");
    assert!(banner < page.find("class=\"facts\"").unwrap());
    let blocks = format_number(blocks);
    folder
        .run("status classics.toml")
        .assert_status(0)
        .assert_says(&format!("{blocks} of 100,000,000 blocks are complete for all players"))
        .assert_says("to resume: gauntlet run classics.toml\n");
}

#[test]
fn status_tells_the_command_that_goes_on() {
    let folder = small_run();
    let expected_tables = read_tables(&folder, "results");
    cut_journal(&folder, |journal| journal[..journal.len() / 2].to_vec());
    let stdout = folder.run("status results/classics").assert_status(0).stdout;
    let resume_command = stdout.lines().find_map(|line| line.trim().strip_prefix("to resume: ")).unwrap();
    folder.shell(&format!("{resume_command} --quiet")).assert_status(0);
    assert!(read_tables(&folder, "results") == expected_tables);
    assert_eq!(folder.run("report results/classics").assert_status(0).stderr, "");
}

/// Formats a number as it is printed.
fn format_number(number: u64) -> String {
    gauntlet::text::group_digits(number)
}

#[cfg(unix)]
#[test]
fn results_that_cannot_be_written_to_are_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = killed_run(30_000);
    let mode = |mode| fs::set_permissions(folder.path(RESULTS), PermissionsExt::from_mode(mode)).unwrap();
    mode(0o555);
    for command in ["report", "compare", "rank", "status"] {
        folder.run(&format!("{command} {RESULTS}")).assert_status(0);
    }
    mode(0o755);
}

#[test]
fn a_run_that_goes_on_is_read() {
    let folder = Folder::with_file("classics.toml", classics_with_games(ENDLESS));
    let mut child = folder.start("run classics.toml --quiet --threads 1");
    folder.wait_for_size(JOURNAL, 50_000);
    let mut game_counts = Vec::new();
    let outputs = [(); 3].map(|()| folder.run("report results/classics --table win-rate --format csv"));
    child.kill().unwrap();
    child.wait().unwrap();
    for output in outputs {
        let games_cell =
            output.assert_status(0).stdout.lines().nth(1).unwrap().split(',').nth(1).unwrap().to_owned();
        game_counts.push(games_cell.parse::<u64>().unwrap());
    }
    assert!(game_counts.is_sorted(), "{game_counts:?}");
    // Blocks that were shown are still there.
    assert!(folder.blocks(RESULTS) >= *game_counts.last().unwrap());
}

/// Returns a folder with a complete run of a few games.
fn small_run() -> Folder {
    finished_run(CLASSICS, SMALL)
}

const SMALL: u64 = 300;

/// Removes the tables, and changes the journal.
fn cut_journal(folder: &Folder, change: impl FnOnce(Vec<u8>) -> Vec<u8>) {
    for name in listing(folder).into_keys() {
        if name.ends_with(".csv") || name == "manifest.toml" {
            fs::remove_file(folder.path(&format!("{RESULTS}/{name}"))).unwrap();
        }
    }
    let journal = fs::read(folder.path(JOURNAL)).unwrap();
    folder.write(JOURNAL, change(journal));
}

#[test]
fn a_torn_line_is_no_damage_and_a_damaged_one_is_told() {
    let folder = small_run();
    // Cuts the end of the run, and part of the last line of games.
    cut_journal(&folder, |journal| journal[..journal.len() - 100].to_vec());
    let torn_blocks = folder.blocks(RESULTS);
    let output = folder.run("report results/classics").assert_status(0);
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    // Changes a digit in a line of some blocks. Only these are missing.
    cut_journal(&folder, |mut journal| {
        let pattern = b"\"first\":1,\"games\":";
        let position = journal
            .windows(pattern.len())
            .position(|window| window == pattern)
            .expect("games from the second on");
        journal[position + pattern.len()] ^= 1;
        journal
    });
    let message = "warning: 1 damaged line of results/classics/journal.jsonl is skipped";
    folder.run("report results/classics").assert_status(0).assert_says(message);
    let blocks = folder.blocks(RESULTS);
    assert!(torn_blocks > 1 && (SMALL / 2..SMALL).contains(&blocks), "{blocks}");
    let count_text = format!("{blocks} of {SMALL} blocks");
    folder
        .run("status classics.toml")
        .assert_status(0)
        .assert_says(&format!("{count_text} are complete for all players"));
    folder.run("compare results/classics").assert_status(0).assert_says(&format!("showing {count_text}"));
    folder.run("report results/classics --out page.html").assert_status(0);
    // The games are those of the whole run.
    let results = Results::read(gauntlet::catalog(&gauntlet::GAMES), &folder.path(RESULTS)).unwrap();
    let games = String::from_utf8(results.snapshot.bytes("games.csv").unwrap()).unwrap();
    let complete_run = small_run();
    let scores_by_seed = |games: &str| -> BTreeMap<(String, String), String> {
        let rows = crate::bench::parse_csv_rows(games).into_iter();
        rows.map(|row| ((row["player"].clone(), row["seed"].clone()), row["score"].clone())).collect()
    };
    let (part_scores, all_scores) = (scores_by_seed(&games), scores_by_seed(&complete_run.read(GAMES)));
    assert_eq!(part_scores.len() as u64, 3 * blocks);
    assert!(part_scores.iter().all(|(game, score)| all_scores[game] == *score));
}

/// Without damage, tables end at the first gap. Otherwise, games that end early would be favoured.
#[test]
fn a_gap_without_damage_ends_the_tables() {
    let folder = small_run();
    cut_journal(&folder, |journal| {
        let gap = b"\"first\":1,\"games\":";
        let lines = journal.split_inclusive(|&byte| byte == b'\n');
        let mut has_gap = false;
        let kept_lines = lines.filter(|line| {
            let is_gap = !has_gap && line.windows(gap.len()).any(|window| window == gap);
            has_gap |= is_gap;
            !is_gap
        });
        kept_lines.collect::<Vec<_>>().concat()
    });
    assert_eq!(folder.blocks(RESULTS), 1);
}

#[test]
fn without_a_complete_block_there_is_one_line() {
    let folder = small_run();
    // Keeps the first line of games, of one player.
    cut_journal(&folder, |journal| {
        let lines: Vec<&[u8]> = journal.split_inclusive(|&byte| byte == b'\n').take(3).collect();
        lines.concat()
    });
    for command in ["report", "compare", "rank", "report --out page.html"] {
        let output = folder.run(&format!("{command} {RESULTS}")).assert_status(1);
        let message = "gauntlet: results/classics: no block is complete for all 3 players yet; 1 of 900 games are played\n";
        assert_eq!(output.stderr, message);
        assert_eq!(output.stdout, "");
    }
    folder
        .run("status results/classics")
        .assert_status(0)
        .assert_says("0 of 300 blocks are complete for all players");
    // The games are of another seed, so none of them counts.
    folder.write(
        &format!("{RESULTS}/experiment.toml"),
        CLASSICS.replace("seed = 7", "seed = 8").replace("60000", "300"),
    );
    let message = "its journal has 1 game of another version of the experiment or the program";
    folder.run("report results/classics").assert_status(1).assert_says(message);
}

#[test]
fn journals_of_shards_are_read_together() {
    let folder = Folder::new();
    let text = classics_with_games(900);
    folder.write("classics.toml", &text);
    for shard in ["1/3", "3/3"] {
        folder.run(&format!("run classics.toml --quiet --shard {shard}")).assert_status(0);
    }
    let before = listing(&folder);
    assert_eq!(folder.blocks(RESULTS), 300);
    let partial = all_output(&folder);
    assert!(partial == all_output(&finished_run(&text.replace("900", "60000"), 300)));
    folder.run("report results/classics").assert_status(0).assert_says("first 300 of 900 blocks");
    assert!(listing(&folder) == before, "something was written");
    folder.run("run classics.toml --quiet --shard 2/3").assert_status(0);
    let output = folder.run("report results/classics").assert_status(0).assert_says("its complete journal");
    let complete_run = finished_run(&text.replace("900", "60000"), 900);
    assert!(all_output(&folder) == all_output(&complete_run));
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
}

const CLAIMS: &str = "
[[claim]]
better = \"corner\"
than = \"any\"
by = \"score\"

[[published]]
player = \"corner\"
what = \"score\"
value = 2000
source = \"nowhere\"
";

/// A look before the end was not announced, so it answers no claims.
#[test]
fn what_was_announced_is_answered_at_the_end() {
    let text = format!("{CLASSICS}{CLAIMS}");
    let folder = finished_run(&text, SMALL);
    let expected_tables = ["claims", "published"].map(|name| folder.read(&format!("{RESULTS}/{name}.csv")));
    // All games are there, and only the tables are missing: claims can be answered.
    cut_journal(&folder, |journal| journal);
    for (name, expected) in ["claims", "published"].into_iter().zip(expected_tables) {
        let output =
            folder.run(&format!("report results/classics --table {name} --format csv")).assert_status(0);
        assert!(output.stdout == expected, "{}", output.stdout);
        assert!(output.stderr.contains("its complete journal"), "{}", output.stderr);
    }
    cut_journal(&folder, |journal| journal[..journal.len() / 2].to_vec());
    let output = folder.run("report results/classics").assert_status(0);
    let message = "; verdicts on claims and published numbers need a finished run";
    assert!(output.stderr.contains(message), "{}", output.stderr);
    assert!(!output.stdout.contains("verdict"), "{}", output.stdout);
    for table in ["claims", "published"] {
        folder
            .run(&format!("report results/classics --table {table}"))
            .assert_status(1)
            .assert_says("until the run has finished");
    }
}

/// If a run may end early, the tables show its end only if that was decided.
#[test]
fn a_run_that_may_stop_early_is_shown_as_far_as_it_is() {
    const STOP: &str = "\n[stop]\nbetter = \"corner\"\nthan = \"any\"\nby = \"score\"\nmethod = \"confidence\"\nlevel = 0.999\n";
    let text = format!("{CLASSICS}{STOP}");
    let folder = play_in_new_folder("classics.toml --threads 1", text);
    let stop = folder.read(&format!("{RESULTS}/stop.csv"));
    let end = folder.read(GAMES).lines().count() as u64 / 3;
    for name in listing(&folder).into_keys().filter(|name| name.ends_with(".csv") || name == "manifest.toml")
    {
        fs::remove_file(folder.path(&format!("{RESULTS}/{name}"))).unwrap();
    }
    assert_eq!(folder.blocks(RESULTS), end);
    assert_eq!(folder.run("report results/classics --table stop --format csv").assert_status(0).stdout, stop);
    // The cut keeps the journal up to the first of the lines that were played last. Each line
    // contains a few blocks, so without the later half nothing is decided.
    cut_journal(&folder, |journal| journal[..journal.len() / 3].to_vec());
    assert!(folder.blocks(RESULTS) < end);
    let output =
        folder.run("report results/classics").assert_status(0).assert_says("of at most 60,000 blocks");
    assert!(
        output.stderr.contains("verdicts on `[stop]` need") && !output.stdout.contains("stop\n"),
        "{}",
        output.stderr
    );
    let output = folder.run("compare results/classics").assert_status(0);
    assert!(!output.stderr.contains("may have stopped early"), "{}", output.stderr);
}

/// Complete tables are shown until those of the longer run replace them.
#[test]
fn tables_stay_until_a_longer_run_is_finished() {
    let folder = small_run();
    let show = || folder.run("report results/classics --table win-rate --format csv").assert_status(0);
    let before = show();
    assert_eq!(before.stderr, "");
    folder.write("classics.toml", classics_with_games(ENDLESS));
    assert!(folder.kill_at("run classics.toml --quiet", JOURNAL, 2 * folder.size(JOURNAL)));
    let after = show()
        .assert_says("warning: the run in results/classics has continued since these tables were written");
    assert_eq!(after.stdout, before.stdout);
    folder.play("classics.toml", classics_with_games(300));
    assert_eq!(show().stderr, "");
}

/// Documents only contain tables of finished runs, because others would change.
#[test]
fn no_document_takes_tables_of_an_unfinished_run() {
    let folder = killed_run(10_000);
    let document = "<!-- gauntlet results/classics win-rate -->\n<!-- /gauntlet -->\n";
    folder.write("d.md", document);
    let output = folder.run("report --splice d.md").assert_status(1);
    let message = "line 1: results/classics is unfinished, and documents need finished results";
    assert_eq!(output.stderr.trim_end(), format!("gauntlet: {message}"));
    assert_eq!(folder.read("d.md"), document);
}
