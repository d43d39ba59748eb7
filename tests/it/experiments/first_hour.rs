//! The first hour of a new user: a terminal of 80 columns, templates, and messages about small
//! mistakes.

use crate::bench::Folder;
use crate::golden;

/// Three players of 2048, two of which play with a strategy.
const MINE: &str = r#"
name = "mine"
game = "2048"
seed = 1
games = 60

[[player]]
name = "any"
algorithm = "random"

[[player]]
name = "greedy"
algorithm = "greedy"

[player.sweep]
ties = ["first", "last"]

[[published]]
player = "any"
what = "score"
value = [1000, 1200]
source = "a paper"
"#;

/// Two players of Gomoku.
const STONES: &str = "name = 'stones'\ngame = 'gomoku'\nseed = 1\ngames = 8\n[[player]]\nname = 'any'\nalgorithm = 'random'\n\
    [[player]]\nname = 'rows'\nalgorithm = 'gomoku-greedy'\n";

#[test]
fn settings_are_told_as_they_are_written() {
    let folder = Folder::with_file("mine.toml", MINE);
    let output = folder.run("check mine.toml").assert_status(0);
    let output = output
        .assert_says("  any: random, 60 games to play\n")
        .assert_says("greedy (order = [\"up\", \"right\", \"down\", \"left\"], ties = \"first\")");
    assert!(!output.stdout.contains('{'), "{}", output.stdout);
    let output = folder.run("players expectimax").assert_status(0);
    let output = output.assert_says("rank-power = { weight = -22.0, power = 3.5 }");
    assert!(!output.stdout.contains("\":"), "{}", output.stdout);
}

#[test]
fn a_weight_of_a_player_without_weights_names_the_cure() {
    let folder = Folder::new();
    let tuning_experiment = |algorithm: &str| {
        let player = format!("[[player]]\nname = 'p'\nalgorithm = '{algorithm}'\n");
        let tune = "[tune]\nplayer = 'p'\nbudget = 1000\n[tune.params]\n";
        let weight = "weights.empty = { min = 1, max = 5 }\n";
        format!("name = 'x'\ngame = '2048'\nseed = 1\ngames = 9\n{player}{tune}{weight}")
    };
    folder.write("without.toml", tuning_experiment("greedy"));
    let stderr = folder.run("check without.toml").assert_status(2).stderr;
    assert!(stderr.contains("`greedy` has no `weights`"), "{stderr}");
    assert!(stderr.contains("these algorithms have: `swift-expectimax`"), "{stderr}");
    // A player with its own weights in another form: the message suggests the correct text.
    folder.write(
        "unsaid.toml",
        tuning_experiment("ovolve\ndepth = 1".replace('\n', "'\n").as_str())
            .replace("depth = 1'", "depth = 1"),
    );
    let stderr = folder.run("check unsaid.toml").assert_status(2).stderr;
    let (_, suggestion) = stderr.split_once("add a start: `").expect("a cure");
    let (suggestion, _) = suggestion.split_once('`').expect("its end");
    let corrected = folder.read("unsaid.toml").replace("weights.empty = { min = 1, max = 5 }", suggestion);
    folder.write("mended.toml", corrected);
    folder.run("check mended.toml").assert_status(0);
}

#[test]
fn a_board_of_another_game_says_what_it_needs() {
    let folder = Folder::new();
    let board = format!("{{\"board\": \"{}\", \"to_move\": \"B\"}}", ".".repeat(225));
    let stderr = folder.run_with("probe", &board).assert_status(2).stderr;
    assert!(
        stderr.contains("for a board of gomoku, use") && stderr.contains("--experiment FILE"),
        "{stderr}"
    );
    folder.write("stones.toml", STONES);
    folder.run_with("probe --experiment stones.toml", &board).assert_status(0).assert_says("\"rows\"");
}

#[test]
fn a_folder_of_results_is_taken_whole() {
    let folder = Folder::new();
    folder.play("mine.toml", MINE);
    folder.play("stones.toml", STONES);
    let output = folder.run("status results").assert_status(0);
    output.assert_says("results/mine: 180 games").assert_says("results/stones: 8 games");
    // Games with different rules have separate rankings.
    let output = folder.run("rank results").assert_status(0);
    let output = output
        .assert_says("gomoku: results/stones\n")
        .assert_says("2048, a win is the tile 2048: results/mine\n");
    assert!(
        output.stdout.find("rows").is_some_and(|rows| Some(rows) > output.stdout.find("greedy")),
        "{}",
        output.stdout
    );
    folder.run("rank results --format csv").assert_status(2).assert_says("give folders with the same rules");
    std::fs::remove_dir_all(folder.path("results/stones")).unwrap();
    folder.run("rank results --format csv").assert_status(0).assert_says("greedy ties=last,");
    // Results that cannot be ranked do not affect others.
    folder.play("other.toml", MINE.replacen("\"mine\"", "\"other\"", 1));
    std::fs::remove_file(folder.path("results/other/games.csv")).unwrap();
    let output = folder.run("rank results").assert_status(0);
    assert!(output.stderr.contains("skipping results/other: no games.csv or journal"), "{}", output.stderr);
    output.assert_says("greedy ties=last");
    folder.run("status .").assert_status(1).assert_says("has no results");
}

#[test]
fn a_run_in_a_folder_that_came_with_its_tables_is_told_by_report() {
    let folder = Folder::new();
    folder.play("mine.toml", MINE);
    std::fs::remove_file(folder.path("results/mine/journal.jsonl")).unwrap();
    assert!(!folder.run("report results/mine").assert_status(0).stderr.contains("replayed"));
    folder.run("run mine.toml --quiet").assert_status(0);
    for command in ["report results/mine", "report results/mine --out mine.html"] {
        let stderr = folder.run(command).assert_status(0).stderr;
        assert!(stderr.contains("tables of the games played here: results/mine/replayed"), "{stderr}");
    }
}

#[test]
fn a_page_says_what_it_means_and_warns_as_the_terminal_does() {
    let folder = Folder::new();
    folder.play("mine.toml", MINE);
    let page = |folder: &Folder| folder.run("report results/mine --out -").assert_status(0).stdout;
    let html = page(&folder);
    assert!(html.contains("<dt>played again</dt><dd>reproducible on any machine</dd>"), "{html}");
    assert!(!html.contains("same everywhere"), "{html}");
    // Players that had the processor for a third of the time.
    let times = folder.read("results/mine/ms-per-move.csv");
    let column_index = |name: &str| {
        times.lines().next().expect("heads").split(',').position(|column| column == name).expect("a column")
    };
    let (mean, cpu) = (column_index("mean_ms"), column_index("cpu_ms_per_move"));
    let slow = times.lines().enumerate().map(|(row, line)| {
        let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        if row > 0 {
            (cells[mean], cells[cpu]) = ("3.000000".to_owned(), "1.000000".to_owned());
        }
        cells.join(",") + "\n"
    });
    folder.write("results/mine/ms-per-move.csv", slow.collect::<String>());
    folder.update_digests("results/mine");
    let warning = "Machine overloaded: players ran for 33 % of wall time";
    assert!(page(&folder).contains(warning) && !html.contains(warning));
}

#[test]
fn further_answers_are_counted_in_words() {
    let folder = Folder::new();
    let players = (0..5).map(|i| format!("\n[[player]]\nname = \"r{i}\"\nalgorithm = \"random\"\n"));
    let experiment =
        MINE.split("\n[[published]]").next().expect("players").to_owned() + &players.collect::<String>();
    folder.play("mine.toml", experiment);
    let html = folder.run("report results/mine --out -").assert_status(0).stdout;
    assert!(html.contains("<summary>4 more answers</summary>"), "{html}");
}

/// The program explains its formats by itself.
#[test]
fn the_formats_are_explained_by_the_program() {
    let folder = Folder::new();
    let document = ["EXPERIMENT", "RESULTS", "COMMANDS", "GLOSSARY"]
        .map(|name| format!("../docs/{name}.md"))
        .map(|path| golden::read(&path))
        .concat();
    assert_eq!(folder.run("format all").assert_status(0).stdout, document);
    let contents = folder.run("format").assert_status(0);
    contents.assert_says("\n  Exit status\n").assert_says("  Rules of gomoku\n");
    let exit = folder.run("format exit status").assert_status(0).stdout;
    assert!(exit.starts_with("## Exit status\n") && exit.contains("| 75 |"), "{exit}");
    let features = folder.run("features").assert_status(0).stdout;
    assert!(features.starts_with("## Features\n") && features.contains("runs-black"), "{features}");
    // Links to sections that are not printed become their words.
    let remove_links = |text: &str| -> String {
        let parts = text.split("](").enumerate();
        let parts =
            parts.map(
                |(index, part)| {
                    if index == 0 { part } else { part.split_once(')').map_or("", |split| split.1) }
                },
            );
        parts.collect::<String>().replace(['[', ']'], "")
    };
    let document = remove_links(&document);
    assert!(document.contains(&remove_links(&features)) && document.contains(&remove_links(&exit)));
    folder
        .run("format opening_stones")
        .assert_status(0)
        .assert_says("Number of stones in a generated opening.");
    folder.run("format featurs").assert_status(2).assert_says("did you mean `gauntlet format features`?");
}

/// No word is split at the edge of the terminal.
#[cfg(target_os = "linux")]
mod terminal {
    use super::{Folder, MINE};

    fn assert_words_are_whole(folder: &Folder, line: &str, width: usize) -> String {
        let screen = folder.run_on_terminal_with("exec env NO_COLOR=1", line, width);
        let wide_lines: Vec<&str> = screen.lines().filter(|line| line.chars().count() > width).collect();
        // Commands to type and samples of a document stay on one line.
        let may_be_wide = |wide_line: &&str| {
            wide_line.starts_with("  gauntlet ")
                || (line.starts_with("format") && wide_line.starts_with("    "))
        };
        assert!(wide_lines.iter().all(may_be_wide), "{line}: {wide_lines:#?}");
        screen
    }

    #[test]
    fn lines_break_between_words() {
        let folder = Folder::new();
        folder.play("mine.toml", MINE);
        for line in [
            "check mine.toml",
            "status results/mine",
            "players",
            "format all",
            "features",
            "report results/mine",
            "run mine.toml",
            "rank results",
            "compare results/mine",
            "init new.toml",
            "probe mine.toml",
            "report results/mine --out page.html",
            "run mine.toml --only anyone",
            "show results/mine --player nobody",
        ] {
            assert_words_are_whole(&folder, line, 80);
        }
        let screen = assert_words_are_whole(&folder, "check mine.toml", 40);
        assert!(
            screen.contains("\n    [\"up\", \"right\", \"down\", \"left\"],\n    ties = \"first\"), 0 games"),
            "{screen}"
        );
        // Text to copy is not wrapped.
        let screen = folder.run_on_terminal("players mine.toml any", 20);
        assert!(screen.contains("algorithm = \"random\"\n"), "{screen}");
    }
}
