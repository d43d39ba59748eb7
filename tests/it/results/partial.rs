//! Results of an unfinished run: from its journal, the blocks that are complete for all players.

use std::collections::BTreeMap;
use std::fs;
use std::time::SystemTime;

use gauntlet::results::store::read::Results;

use crate::bench::{CLASSICS, Folder, GAMES, JOURNAL, classics_with_games, play_in_new_folder, read_tables};

const RESULTS: &str = "results/classics";

/// Returns a folder in which a run of 60,000 games was killed when its journal had this many bytes.
fn killed(text: &str, bytes: u64) -> Folder {
    let folder = Folder::with_file("classics.toml", text);
    assert!(folder.kill_at("run classics.toml --quiet --threads 2", JOURNAL, bytes));
    folder
}

/// Returns a complete run of this number of blocks.
fn finished(text: &str, blocks: u64) -> Folder {
    play_in_new_folder("classics.toml", text.replace("60000", &blocks.to_string()))
}

/// Returns the files of the results, with content and modification time.
fn listing(folder: &Folder) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
    let entries = fs::read_dir(folder.path(RESULTS)).unwrap().map(Result::unwrap);
    let file = |entry: fs::DirEntry| {
        let changed = entry.metadata().unwrap().modified().unwrap();
        (entry.file_name().into_string().unwrap(), (fs::read(entry.path()).unwrap(), changed))
    };
    entries.map(file).collect()
}

/// Returns all output about results, except times.
fn seen(folder: &Folder) -> BTreeMap<String, String> {
    let said = |line: &str| (line.to_owned(), folder.run(line).assert_status(0).out);
    let mut seen: BTreeMap<String, String> = [
        "report results/classics --table max-tile --format csv",
        "compare results/classics --all-pairs",
        "rank results/classics --by score --format csv",
    ]
    .map(said)
    .into();
    folder.run("report results/classics --out page.html --plots .").assert_status(0);
    for plot in ["win-rate", "largest-tile", "scores"] {
        seen.insert(plot.to_owned(), folder.read(&format!("page-{plot}.svg")));
    }
    let results = Results::read(gauntlet::catalog(&gauntlet::GAMES), &folder.path(RESULTS)).unwrap();
    let games = results.set.bytes("games.csv").unwrap();
    seen.insert("games".to_owned(), String::from_utf8(games).unwrap());
    seen
}

#[test]
fn a_killed_run_shows_what_a_run_of_its_complete_blocks_shows() {
    let folder = killed(CLASSICS, 60_000);
    let blocks = folder.blocks(RESULTS);
    assert!((1..60_000).contains(&blocks), "{blocks}");
    let before = listing(&folder);
    let names: Vec<&str> = before.keys().map(String::as_str).collect();
    assert_eq!(names, [".lock", "experiment.toml", "journal.jsonl"]);
    let partial = seen(&folder);
    let whole = seen(&finished(CLASSICS, blocks));
    for (what, partial) in &partial {
        assert!(
            *partial == whole[what],
            "{what}:\n{partial}\n--- of a run of {blocks} games:\n{}",
            whole[what]
        );
    }
    assert!(listing(&folder) == before, "something was written");

    let part =
        format!("showing the first {} of 60,000 blocks, which are complete for all players", grouped(blocks));
    for command in ["report", "compare", "rank"] {
        let said = folder.run(&format!("{command} {RESULTS}")).assert_status(0);
        assert!(said.err.starts_with("warning: results/classics is unfinished"), "{}", said.err);
        assert!(said.err.contains(&part), "{}", said.err);
        let json = folder.run(&format!("{command} {RESULTS} --format json")).assert_status(0);
        let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
        assert!(json["warnings"][0].as_str().unwrap().contains(&part), "{json}");
    }
    let page = folder.read("page.html");
    let banner = page.find(&part).expect("a banner");
    assert!(banner < page.find("class=\"facts\"").unwrap());
    let blocks = grouped(blocks);
    folder
        .run("status classics.toml")
        .assert_status(0)
        .assert_says(&format!("{blocks} of 60,000 blocks are complete for all players"))
        .assert_says("to resume: gauntlet run classics.toml\n");
}

#[test]
fn status_tells_the_command_that_goes_on() {
    let folder = small();
    let whole = read_tables(&folder, "results");
    cut(&folder, |journal| journal[..journal.len() / 2].to_vec());
    let said = folder.run("status results/classics").assert_status(0).out;
    let again = said.lines().find_map(|line| line.trim().strip_prefix("to resume: ")).unwrap();
    folder.shell(&format!("{again} --quiet")).assert_status(0);
    assert!(read_tables(&folder, "results") == whole);
    assert_eq!(folder.run("report results/classics").assert_status(0).err, "");
}

/// Formats a number as it is printed.
fn grouped(number: u64) -> String {
    gauntlet::text::group_digits(number)
}

#[cfg(unix)]
#[test]
fn results_that_cannot_be_written_to_are_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = killed(CLASSICS, 30_000);
    let mode = |mode| fs::set_permissions(folder.path(RESULTS), PermissionsExt::from_mode(mode)).unwrap();
    mode(0o555);
    for command in ["report", "compare", "rank", "status"] {
        folder.run(&format!("{command} {RESULTS}")).assert_status(0);
    }
    mode(0o755);
}

#[test]
fn a_run_that_goes_on_is_read() {
    let folder = Folder::with_file("classics.toml", CLASSICS);
    let mut child = folder.start("run classics.toml --quiet --threads 1");
    folder.wait_for(JOURNAL, 50_000);
    let mut seen = Vec::new();
    while seen.len() < 3 && child.try_wait().unwrap().is_none() {
        let said = folder.run("report results/classics --table win-rate --format csv").assert_status(0);
        let games = said.out.lines().nth(1).unwrap().split(',').nth(1).unwrap();
        seen.push(games.parse::<u64>().unwrap());
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!seen.is_empty() && seen.is_sorted(), "{seen:?}");
    // Blocks that were shown are still there.
    assert!(folder.blocks(RESULTS) >= *seen.last().unwrap());
}

/// Returns a folder with a complete run of a few games.
fn small() -> Folder {
    finished(CLASSICS, SMALL)
}

const SMALL: u64 = 300;

/// Removes the tables, and changes the journal.
fn cut(folder: &Folder, change: impl FnOnce(Vec<u8>) -> Vec<u8>) {
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
    let folder = small();
    // Cuts the end of the run, and part of the last line of games.
    cut(&folder, |journal| journal[..journal.len() - 100].to_vec());
    let torn = folder.blocks(RESULTS);
    let said = folder.run("report results/classics").assert_status(0);
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    // Changes a digit in a line of some blocks. Only these are missing.
    cut(&folder, |mut journal| {
        let needed = b"\"first\":1,\"games\":";
        let at = journal.windows(needed.len()).position(|at| at == needed).expect("games from the second on");
        journal[at + needed.len()] ^= 1;
        journal
    });
    let said = "warning: 1 damaged line of results/classics/journal.jsonl is skipped";
    folder.run("report results/classics").assert_status(0).assert_says(said);
    let blocks = folder.blocks(RESULTS);
    assert!(torn > 1 && (SMALL / 2..SMALL).contains(&blocks), "{blocks}");
    let complete = format!("{blocks} of {SMALL} blocks");
    folder
        .run("status classics.toml")
        .assert_status(0)
        .assert_says(&format!("{complete} are complete for all players"));
    folder.run("compare results/classics").assert_status(0).assert_says(&format!("showing {complete}"));
    folder.run("report results/classics --out page.html").assert_status(0);
    // The games are those of the whole run.
    let results = Results::read(gauntlet::catalog(&gauntlet::GAMES), &folder.path(RESULTS)).unwrap();
    let games = String::from_utf8(results.set.bytes("games.csv").unwrap()).unwrap();
    let whole = small();
    let of_seed = |games: &str| -> BTreeMap<(String, String), String> {
        let rows = crate::bench::parse_csv_rows(games).into_iter();
        rows.map(|row| ((row["player"].clone(), row["seed"].clone()), row["score"].clone())).collect()
    };
    let (part, whole) = (of_seed(&games), of_seed(&whole.read(GAMES)));
    assert_eq!(part.len() as u64, 3 * blocks);
    assert!(part.iter().all(|(game, score)| whole[game] == *score));
}

/// Without damage, tables end at the first gap. Otherwise, games that end early would be favoured.
#[test]
fn a_gap_without_damage_ends_the_tables() {
    let folder = small();
    cut(&folder, |journal| {
        let gap = b"\"first\":1,\"games\":";
        let lines = journal.split_inclusive(|&byte| byte == b'\n');
        let mut has_gap = false;
        let kept = lines.filter(|line| {
            let is_gap = !has_gap && line.windows(gap.len()).any(|at| at == gap);
            has_gap |= is_gap;
            !is_gap
        });
        kept.collect::<Vec<_>>().concat()
    });
    assert_eq!(folder.blocks(RESULTS), 1);
}

#[test]
fn without_a_complete_block_there_is_one_line() {
    let folder = small();
    // Keeps the first line of games, of one player.
    cut(&folder, |journal| {
        let lines: Vec<&[u8]> = journal.split_inclusive(|&byte| byte == b'\n').take(3).collect();
        lines.concat()
    });
    for command in ["report", "compare", "rank", "report --out page.html"] {
        let said = folder.run(&format!("{command} {RESULTS}")).assert_status(1);
        let nothing = "gauntlet: results/classics: no block is complete for all 3 players yet; 1 of 900 games are played\n";
        assert_eq!(said.err, nothing);
        assert_eq!(said.out, "");
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
    let other = "its journal has 1 game of another version of the experiment or the program";
    folder.run("report results/classics").assert_status(1).assert_says(other);
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
    let partial = seen(&folder);
    assert!(partial == seen(&finished(&text.replace("900", "60000"), 300)));
    folder.run("report results/classics").assert_status(0).assert_says("first 300 of 900 blocks");
    assert!(listing(&folder) == before, "something was written");
    folder.run("run classics.toml --quiet --shard 2/3").assert_status(0);
    let said = folder.run("report results/classics").assert_status(0).assert_says("its complete journal");
    let whole = finished(&text.replace("900", "60000"), 900);
    assert!(seen(&folder) == seen(&whole));
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
}

const ANNOUNCED: &str = "
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
    let text = format!("{CLASSICS}{ANNOUNCED}");
    let folder = finished(&text, SMALL);
    let known = ["claims", "published"].map(|name| folder.read(&format!("{RESULTS}/{name}.csv")));
    // All games are there, and only the tables are missing: claims can be answered.
    cut(&folder, |journal| journal);
    for (name, known) in ["claims", "published"].into_iter().zip(known) {
        let said =
            folder.run(&format!("report results/classics --table {name} --format csv")).assert_status(0);
        assert!(said.out == known, "{}", said.out);
        assert!(said.err.contains("its complete journal"), "{}", said.err);
    }
    cut(&folder, |journal| journal[..journal.len() / 2].to_vec());
    let said = folder.run("report results/classics").assert_status(0);
    let none = "; verdicts on claims and published numbers need a finished run";
    assert!(said.err.contains(none), "{}", said.err);
    assert!(!said.out.contains("verdict"), "{}", said.out);
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
    assert_eq!(folder.run("report results/classics --table stop --format csv").assert_status(0).out, stop);
    // The cut keeps the journal up to the first of the lines that were played last. Each line
    // contains a few blocks, so without the later half nothing is decided.
    cut(&folder, |journal| journal[..journal.len() / 3].to_vec());
    assert!(folder.blocks(RESULTS) < end);
    let said = folder.run("report results/classics").assert_status(0).assert_says("of at most 60,000 blocks");
    assert!(said.err.contains("verdicts on `[stop]` need") && !said.out.contains("stop\n"), "{}", said.err);
    let said = folder.run("compare results/classics").assert_status(0);
    assert!(!said.err.contains("may have stopped early"), "{}", said.err);
}

/// Complete tables are shown until those of the longer run replace them.
#[test]
fn tables_stay_until_a_longer_run_is_finished() {
    let folder = small();
    let show = || folder.run("report results/classics --table win-rate --format csv").assert_status(0);
    let before = show();
    assert_eq!(before.err, "");
    folder.write("classics.toml", CLASSICS);
    assert!(folder.kill_at("run classics.toml --quiet", JOURNAL, 2 * folder.size(JOURNAL)));
    let after = show()
        .assert_says("warning: the run in results/classics has continued since these tables were written");
    assert_eq!(after.out, before.out);
    folder.play("classics.toml", classics_with_games(300));
    assert_eq!(show().err, "");
}

/// Documents only contain tables of finished runs, because others would change.
#[test]
fn no_document_takes_tables_of_an_unfinished_run() {
    let folder = killed(CLASSICS, 10_000);
    let document = "<!-- gauntlet results/classics win-rate -->\n<!-- /gauntlet -->\n";
    folder.write("d.md", document);
    let said = folder.run("report --splice d.md").assert_status(1);
    let told = "line 1: results/classics is unfinished, and documents need finished results";
    assert_eq!(said.err.trim_end(), format!("gauntlet: {told}"));
    assert_eq!(folder.read("d.md"), document);
}
