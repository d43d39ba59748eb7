//! The Pareto front of strength and time: leaderboard, notes and page agree on it.

use crate::bench::{Folder, play_in_new_folder};

/// Returns two players with this many games. Scores show that greedy is stronger.
fn two_players(name: &str, games: u32, tables: &str) -> String {
    format!(
        "name = \"{name}\"\ngame = \"2048\"\nseed = 1\ngames = {games}\n{tables}\
         [[player]]\nname = \"greedy\"\nalgorithm = \"greedy\"\n\
         [[player]]\nname = \"at random\"\nalgorithm = \"random\"\n"
    )
}

const FEW_GAMES_NOTE: &str =
    "Times are compared with 240 or more games; players whose place depends on time are open.";
const RULES_NOTE: &str = "The times of greedy, at random include the rules.";
const STOP_NOTE: &str = "Runs that can stop early have no test of scores.";

/// Returns the players of a leaderboard with their place on the front, in its order.
fn places(folder: &Folder, results: &str) -> Vec<[String; 2]> {
    let csv = folder
        .run(&format!("report results/{results} --table leaderboard --format csv"))
        .assert_status(0)
        .stdout;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let column_names = reader.headers().expect("heads").clone();
    let column = |name: &str| column_names.iter().position(|other| other == name).expect("a column");
    let columns = ["player", "front"].map(column);
    reader
        .records()
        .map(|row| row.expect("a row"))
        .map(|row| columns.map(|column| row[column].to_owned()))
        .collect()
}

/// Returns the page of some results.
fn page(folder: &Folder, results: &str) -> String {
    folder.run(&format!("report results/{results} --out {results}.html")).assert_status(0);
    folder.read(&format!("{results}.html"))
}

fn pair(player: &str, front: &str) -> [String; 2] {
    [player, front].map(str::to_owned)
}

/// Note that explains why players with few games are open.
const OPEN_NOTE: &str = "Times of fewer than 240 games are not compared, so these players are open.";

#[test]
fn table_page_and_document_agree() {
    let folder = play_in_new_folder("few.toml", two_players("few", 20, ""));
    assert_eq!(places(&folder, "few"), [pair("greedy", "on"), pair("at random", "open")]);
    // A page of one result has the front in its overview and in its section.
    assert!(page(&folder, "few").contains(OPEN_NOTE), "{}", page(&folder, "few"));
    for format in ["text", "markdown"] {
        let output =
            folder.run(&format!("report results/few --table leaderboard --format {format}")).assert_status(0);
        output.assert_says(FEW_GAMES_NOTE).assert_says(RULES_NOTE);
    }
    // Only players in the chosen rows are named.
    folder.write("d.md", "<!-- gauntlet results/few leaderboard:1 -->\n<!-- /gauntlet -->\n");
    folder.run("report --splice d.md").assert_status(0);
    let document = folder.read("d.md");
    assert!(document.contains(FEW_GAMES_NOTE) && !document.contains(RULES_NOTE), "{document}");

    folder.play("enough.toml", two_players("enough", 240, ""));
    let output =
        folder.run("report results/enough --table leaderboard").assert_status(0).assert_says(RULES_NOTE);
    assert!(!output.stdout.contains("Times are compared with"), "{}", output.stdout);
    assert!(!page(&folder, "enough").contains("times of fewer than"));
}

#[test]
fn without_games_no_place_is_known() {
    let folder = play_in_new_folder("few.toml", two_players("few", 20, ""));
    std::fs::remove_file(folder.path("results/few/games.csv")).expect("a file");
    assert_eq!(places(&folder, "few"), [pair("greedy", ""), pair("at random", "")]);
    assert!(page(&folder, "few").contains("The Pareto front is unknown, because games.csv is missing."));
}

/// In a run that may stop, tests of scores are not valid at every look, so no player is on the
/// front.
#[test]
fn a_run_that_may_stop_has_an_open_front() {
    let folder = play_in_new_folder(
        "stop.toml",
        two_players("stop", 20, "[stop]\nbetter = \"greedy\"\nthan = \"at random\"\n"),
    );
    assert_eq!(places(&folder, "stop"), [pair("greedy", "open"), pair("at random", "open")]);
    folder.run("report results/stop --table leaderboard").assert_status(0).assert_says(STOP_NOTE);
}

/// A look before the end was not announced, so it gives no verdict.
#[test]
fn an_unfinished_run_has_an_open_front() {
    let folder = play_in_new_folder("part.toml --shard 1/2", two_players("part", 40, ""));
    let output = folder.run("report results/part --table leaderboard").assert_status(0);
    output.assert_says("The front of an unfinished run is not tested; its players are open.");
    assert_eq!(places(&folder, "part"), [pair("greedy", "open"), pair("at random", "open")]);
    assert!(page(&folder, "part").contains("The front of an unfinished run is not tested"));
}

/// A single player has no place on a front. In the overview of two folders, the weaker player is
/// open.
#[test]
fn two_folders_have_one_front() {
    let folder = Folder::new();
    for name in ["greedy", "random"] {
        let player = format!("[[player]]\nname = \"{name}\"\nalgorithm = \"{name}\"\n");
        let header = format!("name = \"{name}\"\ngame = \"2048\"\nseed = 1\ngames = 20\n");
        folder.write(&format!("{name}.toml"), header + &player);
        folder.run(&format!("run {name}.toml --quiet")).assert_status(0);
        assert_eq!(places(&folder, name), [pair(name, "")]);
        let page = page(&folder, name);
        assert!(page.contains("Strength and time") && !page.contains("Pareto front"), "{page}");
    }
    folder.run("report results/greedy results/random --out pages/").assert_status(0);
    let index = folder.read("pages/index.html");
    assert!(index.contains(OPEN_NOTE), "{index}");
}
