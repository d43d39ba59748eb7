//! Published numbers compared with the measured ones.

use std::collections::BTreeMap;

use crate::bench::{Folder, play_in_new_folder, read_rows};

const HEADER: &str = r#"
name = "said"
game = "2048"
seed = 5
games = 400
win = 512
player = [
    { name = "gain", algorithm = "greedy", sweep.ties = ["first", "last"] },
    { name = "any, at all", algorithm = "random" },
]
"#;

/// Published numbers with their verdicts: player, measure, value, games, verdict. A greedy player
/// wins about 14 % of these games. Random play scores about 1,094 points in 118 moves.
/// `results/baselines` has a million games of each.
const PUBLISHED: [(&str, &str, &str, &str, &str); 14] = [
    ("gain ties=first", "win", "0.14", "", "unclear"),
    ("gain ties=first", "reach 512", "[0.1, 0.2]", "", "reproduced"),
    ("gain ties=first", "win", "0.4", "", "would differ"),
    ("gain ties=first", "win", "0.25", "4", "compatible"),
    ("gain ties=last", "win", "0.4", "100", "differs"),
    ("gain ties=last", "reach 2048", "'some'", "", "not seen"),
    ("gain ties=last", "reach 512", "'some'", "", "seen"),
    ("any, at all", "score", "1094", "", "reproduced"),
    ("any, at all", "score", "[1500, 2000]", "", "would differ"),
    ("any, at all", "score", "1120.5", "50", "compatible"),
    ("any, at all", "moves", "118", "400", "reproduced"),
    ("any, at all", "ms-per-move", "[0, 1]", "", "not judged"),
    ("any, at all", "ms-per-game", "60_000", "3", "not judged"),
    ("gain ties=last", "reach 2048", "[0.001, 1]", "", "unclear"),
];

fn experiment(published: &[(&str, &str, &str, &str, &str)]) -> String {
    let section = |(i, (player, measure, value, games, _)): (usize, &(&str, &str, &str, &str, &str))| {
        let games = if games.is_empty() { String::new() } else { format!("games = {games}\n") };
        format!(
            "\n[[published]]\nplayer = {player:?}\nwhat = {measure:?}\nvalue = {value}\n{games}source = \"they | {i}\"\n"
        )
    };
    HEADER.to_owned() + &published.iter().enumerate().map(section).collect::<String>()
}

fn table(folder: &Folder, name: &str) -> Vec<BTreeMap<String, String>> {
    read_rows(folder, &format!("results/said/{name}.csv"))
}

#[test]
fn measured_numbers_are_those_of_the_other_tables() {
    let folder = play_in_new_folder("said.toml", experiment(&PUBLISHED));
    let [wins, tiles, times] = ["win-rate", "max-tile", "ms-per-move"].map(|name| table(&folder, name));
    let rows = table(&folder, "published");
    assert_eq!(rows.len(), PUBLISHED.len());
    for ((i, row), (player, measure, value, games, verdict)) in rows.iter().enumerate().zip(PUBLISHED) {
        let player_row = |table: &[BTreeMap<String, String>]| {
            table.iter().find(|row| row["player"] == player).expect("a row of each player").clone()
        };
        let with_bounds = |row: &BTreeMap<String, String>, name: &str| {
            [name.to_owned(), format!("{name}_low"), format!("{name}_high")]
                .map(|column| row[&column].clone())
        };
        let measured = with_bounds(row, "measured");
        match measure {
            "win" => assert_eq!(measured, with_bounds(&player_row(&wins), "win_rate"), "{row:?}"),
            "score" => assert_eq!(measured, with_bounds(&player_row(&wins), "mean_score"), "{row:?}"),
            "moves" => assert_eq!(measured[0], player_row(&wins)["mean_moves"], "{row:?}"),
            "reach 512" => {
                let tile =
                    |tile: &&BTreeMap<String, String>| tile["player"] == player && tile["tile"] == "512";
                let tile = tiles.iter().find(tile).expect("a row of 512");
                assert_eq!(measured, with_bounds(tile, "reach_rate"), "{row:?}");
            }
            // A tile that no game reached has no row: Wilson's upper bound for 0 of 400.
            "reach 2048" => assert_eq!(measured, ["0.000000", "0.000000", "0.009512"], "{row:?}"),
            "ms-per-move" => {
                assert_eq!(
                    measured,
                    [player_row(&times)["cpu_ms_per_move"].clone(), String::new(), String::new()]
                );
            }
            "ms-per-game" => {
                let number = |text: &String| text.parse::<f64>().unwrap();
                let product =
                    number(&player_row(&times)["cpu_ms_per_move"]) * number(&player_row(&wins)["mean_moves"]);
                // The time per move is rounded to six decimals of a millisecond.
                assert!(
                    (number(&measured[0]) - product).abs() <= 1e-6 * number(&player_row(&wins)["mean_moves"])
                );
                assert_eq!(measured[1..], ["", ""]);
            }
            other => panic!("{other} is not checked"),
        }
        let range = value.trim_matches(['[', ']']).replace('_', "");
        let (low, high) = range.split_once(", ").unwrap_or((&range, &range));
        let format_number =
            |number: &str| number.parse::<f64>().map_or(String::new(), |number| number.to_string());
        assert_eq!(
            [&row["published_from"], &row["published_to"]],
            [&format_number(low), &format_number(high)]
        );
        assert_eq!(row["published_games"], games);
        assert_eq!((&*row["player"], &*row["what"], &*row["games"]), (player, measure, "400"));
        assert_eq!(row["differs_from"].is_empty(), verdict != "would differ", "{row:?}");
        assert_eq!((&*row["verdict"], &row["source"]), (verdict, &format!("they | {i}")), "{row:?}");
        assert!(row["answer"].starts_with(&format!("{player} {measure}: published ")), "{row:?}");
        let explanation = &row["explanation"];
        assert!(explanation.ends_with(&format!("Source: {}.", row["source"])), "{row:?}");
        let has_p = verdict != "not judged" && value != "'some'";
        assert_eq!([row["p"].is_empty(), row["adjusted_p"].is_empty()], [!has_p; 2], "{row:?}");
    }
}

/// A published number changes no game, and disappears from the tables with its section.
#[test]
fn published_numbers_play_nothing_anew() {
    let folder = Folder::with_file("said.toml", experiment(&[]));
    folder.run("run said.toml").assert_status(0).assert_says("1,200 games played");
    assert!(!folder.path("results/said/published.csv").exists());
    folder.write("said.toml", experiment(&PUBLISHED));
    let output = folder.run("run said.toml").assert_status(0).assert_says("no games left to play");
    assert!(output.stdout.contains("\npublished\n"), "{}", output.stdout);
    folder.run("status results/said").assert_status(0);
    folder.run("report results/said").assert_status(0).assert_says("\ndiffers ");
    let manifest: toml::Table = folder.read("results/said/manifest.toml").parse().unwrap();
    let digest = blake3::hash(folder.read("results/said/published.csv").as_bytes()).to_hex().to_string();
    assert_eq!(manifest["digests"]["published.csv"].as_str(), Some(&*digest));

    folder.write("said.toml", experiment(&[]));
    let output = folder.run("run said.toml").assert_status(0).assert_says("no games left to play");
    assert!(!output.stdout.contains("published"), "{}", output.stdout);
    assert!(!folder.path("results/said/published.csv").exists());
    let manifest: toml::Table = folder.read("results/said/manifest.toml").parse().unwrap();
    assert!(manifest["digests"].get("published.csv").is_none());
    folder.run("run said.toml --export published=-").assert_status(2).assert_says("has no `[[published]]`");
}

#[test]
fn a_merge_compares_as_a_run_does() {
    let folder = play_in_new_folder("said.toml", experiment(&PUBLISHED));
    let expected = table(&folder, "published");
    let merged_folder = Folder::with_file("said.toml", experiment(&PUBLISHED));
    for shard in ["1/2", "2/2"] {
        merged_folder.run(&format!("run said.toml --quiet --shard {shard}")).assert_status(0);
    }
    merged_folder.run("merge said.toml").assert_status(0).assert_says("\nunclear ");
    assert_eq!(table(&merged_folder, "published").len(), expected.len());
    for (row, expected) in table(&merged_folder, "published").iter().zip(&expected) {
        let cells = row.iter().zip(expected).filter(|((column, _), _)| {
            !["measured", "answer", "explanation"].contains(&column.as_str())
                || !row["what"].starts_with("ms-")
        });
        cells.for_each(|(actual, expected)| assert_eq!(actual, expected));
    }
}

#[test]
fn published_numbers_are_shown_before_and_after() {
    let folder = Folder::with_file("said.toml", experiment(&PUBLISHED));
    let output = folder.run("check said.toml").assert_status(0);
    for line in [
        "  published: gain ties=first, win: 0.14 (they | 0)\n",
        "  published: gain ties=first, reach 512: 0.1 to 0.2 (they | 1)\n",
        "  published: gain ties=last, win: 0.4 in 100 games (they | 4)\n",
        "  published: gain ties=last, reach 2048: some (they | 5)\n",
        "  published: any, at all, ms-per-game: 60000 in 3 games (they | 12)\n",
    ] {
        assert!(output.stdout.contains(line), "{line}{}", output.stdout);
    }

    let output = folder.run("run said.toml --export published=-").assert_status(0);
    assert_eq!(output.stdout, folder.read("results/said/published.csv"));
    assert!(output.stderr.contains("warning: published times are from other machines"), "{}", output.stderr);
    folder.write("said.md", "<!-- gauntlet results/said published -->\n<!-- /gauntlet -->\n");
    folder.run("report --splice said.md").assert_status(0);
    let document = folder.read("said.md");
    for row in table(&folder, "published") {
        let answer = row["answer"].replace('|', "\\|").replace('<', "&lt;");
        assert!(document.contains(&format!("- **{}**: {answer}\n", row["verdict"])), "{answer}\n{document}");
    }
}

/// A number added after the games had been seen is marked everywhere.
#[test]
fn an_extended_run_says_so() {
    let folder = Folder::new();
    let text = experiment(&PUBLISHED).replacen("games = 400", "games = 400\nplanned_games = 100", 1);
    folder.write("said.toml", text);
    let output = folder.run("run said.toml --explain").assert_status(0);
    let sentence = "Games were added after the first 100.";
    assert!(output.stdout.contains(sentence), "{}", output.stdout);
    assert!(
        output.stdout.contains("are corrected for 1 earlier answer (after 100 games)"),
        "{}",
        output.stdout
    );
    let rows = table(&folder, "published");
    assert_eq!((&*rows[0]["planned_games"], &*rows[0]["extended_from"]), ("100", "100"));
    folder.run("report results/said --out said.html").assert_status(0);
    assert!(folder.read("said.html").contains(sentence));
    assert!(
        folder
            .run("check said.toml")
            .assert_status(0)
            .stdout
            .contains("  extended: games were added after the first 100 were seen\n")
    );
}
