//! Statistics that papers ask for, compared with plain computations from `games.csv`: interquartile
//! means, performance profiles, the probability of improvement, and groups of players.

use std::fs;

use gauntlet::results::analysis::requested_tables::available_tables;
use gauntlet::results::store::read::Results;

use crate::bench::{Folder, Row, play_in_new_folder, read_rows};

const EXPERIMENT: &str = r#"
name = "small"
game = "2048"
seed = 5
games = 41
win = 128
player = [
    { name = "gain", algorithm = "greedy" },
    { name = "worse", algorithm = "fixed-order", order = ["down", "left", "right", "up"], group = "orders" },
    { name = "any", algorithm = "random" },
    { name = "other", algorithm = "fixed-order", order = ["up", "down", "left", "right"], group = "orders" },
]
"#;

/// Returns a table that is made on request.
fn table(folder: &Folder, name: &str) -> Vec<Row> {
    folder.run(&format!("report results/small --table {name} --format csv")).assert_status(0).parse_rows()
}

/// Returns the scores of a player, in the order of the blocks.
fn scores(folder: &Folder, player: &str) -> Vec<f64> {
    let games = read_rows(folder, "results/small/games.csv").into_iter();
    games.filter(|game| game["player"] == player).map(|game| game["score"].parse().unwrap()).collect()
}

/// Checks a number to the decimals of its column.
#[track_caller]
fn check(row: &Row, column: &str, expected: f64, decimals: i32) {
    let got: f64 = row[column].parse().unwrap_or_else(|_| panic!("no {column} in {row:?}"));
    assert!((got - expected).abs() <= 0.5001 * 0.1_f64.powi(decimals), "{column} {got} is not {expected}");
}

#[test]
fn interquartile_means_and_quantiles() {
    let folder = play_in_new_folder("small.toml", EXPERIMENT);
    let rows = table(&folder, "scores");
    assert_eq!(rows.len(), 4);
    for row in &rows {
        let mut sorted = scores(&folder, &row["player"]);
        sorted.sort_by(f64::total_cmp);
        assert_eq!(row["games"], "41");
        // Ten of 41 games are left out at each end.
        let middle = &sorted[10..31];
        let mean = middle.iter().sum::<f64>() / 21.0;
        let winsorized = sorted.iter().map(|score| score.clamp(middle[0], middle[20]));
        let winsorized_mean = winsorized.clone().sum::<f64>() / 41.0;
        let squares: f64 = winsorized.map(|score| (score - winsorized_mean).powi(2)).sum();
        // Student's 0.975 quantile with 20 degrees of freedom, from published tables.
        let half_width = 2.085_963 * 41.0 / 21.0 * (squares / 40.0 / 41.0).sqrt();
        check(row, "interquartile_mean", mean, 2);
        check(row, "interquartile_mean_low", mean - half_width, 1);
        check(row, "interquartile_mean_high", mean + half_width, 1);
        for (column, rank) in [
            ("min_score", 0),
            ("p10_score", 4),
            ("p25_score", 10),
            ("median_score", 20),
            ("p75_score", 30),
            ("p90_score", 36),
            ("max_score", 40),
        ] {
            check(row, column, sorted[rank], 1);
        }
    }
}

#[test]
fn profiles_count_the_games_that_reach_a_score() {
    let folder = play_in_new_folder("small.toml", EXPERIMENT);
    let rows = table(&folder, "profile");
    // ln(2 / 0.05) = 3.688879454114.
    let half_width = (3.688_879_454_114_f64 / 2.0 / 41.0).sqrt();
    for row in &rows {
        let score: f64 = row["score"].parse().unwrap();
        let player_scores = scores(&folder, &row["player"]);
        let share = player_scores.iter().filter(|&&other| other >= score).count() as f64 / 41.0;
        check(row, "reached_rate", share, 6);
        check(row, "reached_rate_low", (share - half_width).max(0.0), 6);
        check(row, "reached_rate_high", (share + half_width).min(1.0), 6);
    }
    let shares_at_end = rows.iter().filter(|row| row["reached_rate"] == "0.000000").count();
    assert!(shares_at_end >= 4 && rows.len() > 4 * 16, "{} rows", rows.len());
    folder.run("report results/small --out small.html --plots plots").assert_status(0);
    let svg = folder.read("plots/small-profile.svg");
    assert_eq!(svg.matches("<polygon opacity=\"0.15\"").count(), 4);
    for player in ["gain", "worse", "any", "other"] {
        let start = format!("<title>{player}: ");
        let hints = svg.split(&start).skip(1);
        let hints = hints.map(|hint| hint.split('<').next().unwrap().split(' ').collect::<Vec<_>>());
        let hints: Vec<(String, f64)> = hints
            .map(|words| (words[0].to_owned(), words[words.len() - 1].replace(',', "").parse().unwrap()))
            .collect();
        assert!(hints.len() >= 5, "{hints:?}");
        for (percent, score) in hints {
            let reached = scores(&folder, player).iter().filter(|&&other| other >= score).count();
            assert_eq!(percent, format!("{:.2}", 100.0 * reached as f64 / 41.0), "{player} {score}");
        }
    }
}

#[test]
fn a_player_that_scores_more_on_most_seeds_is_an_improvement() {
    let folder = play_in_new_folder("small.toml", EXPERIMENT);
    let csv = "compare results/small --baseline any --by score --by win --format csv";
    let rows = folder.run(csv).assert_status(0).parse_rows();
    let rivals = scores(&folder, "any");
    for row in rows.iter().filter(|row| row["by"] == "score") {
        let pairs = scores(&folder, &row["player"]).into_iter().zip(rivals.iter().copied());
        let points: f64 = pairs
            .map(|(own, rival)| {
                if own > rival {
                    1.0
                } else if own < rival {
                    0.0
                } else {
                    0.5
                }
            })
            .sum();
        check(row, "probability_of_improvement", points / 41.0, 6);
        let bound = |end: &str| row[&format!("probability_of_improvement_{end}")].parse::<f64>().unwrap();
        assert!(bound("low") < points / 41.0 && points / 41.0 <= bound("high"), "{row:?}");
    }
    let wins: Vec<&Row> = rows.iter().filter(|row| row["by"] == "win").collect();
    assert!(wins.len() == 3 && wins.iter().all(|row| row["probability_of_improvement"].is_empty()));
    folder
        .run("compare results/small --baseline any --by score --explain")
        .assert_status(0)
        .assert_says("ties count half.");
    let by_wins = folder.run("compare results/small --by win --format csv").assert_status(0).parse_rows();
    assert!(!by_wins[0].contains_key("probability_of_improvement"));
}

/// Each player of a group counts once: its interval is over players, not over games.
#[test]
fn a_group_is_known_as_well_as_its_players_agree() {
    let folder = play_in_new_folder("small.toml", EXPERIMENT);
    let groups = table(&folder, "groups");
    let players = read_rows(&folder, "results/small/win-rate.csv");
    let members: Vec<&Row> =
        players.iter().filter(|row| ["worse", "other"].contains(&&*row["player"])).collect();
    let [group] = &groups[..] else { panic!("{groups:?}") };
    assert_eq!([&group["group"], &group["players"], &group["games"]], ["orders", "2", "82"]);
    for (column, decimals) in [("mean_score", 2), ("win_rate", 6)] {
        let numbers: Vec<f64> = members.iter().map(|row| row[column].parse().unwrap()).collect();
        let (mean, spread) = ((numbers[0] + numbers[1]) / 2.0, (numbers[0] - numbers[1]).abs());
        check(group, column, mean, decimals);
        // With one degree of freedom, Student's quantile is 12.706205.
        let bounds = [mean - 12.706_205 * spread / 2.0, mean + 12.706_205 * spread / 2.0];
        let range = if column == "win_rate" { [0.0, 1.0] } else { [f64::NEG_INFINITY, f64::INFINITY] };
        check(group, &format!("{column}_low"), bounds[0].max(range[0]), decimals - 2);
        check(group, &format!("{column}_high"), bounds[1].min(range[1]), decimals - 2);
    }
    let plain =
        EXPERIMENT.replace(", group = \"orders\"", "").replace("name = \"small\"", "name = \"plain\"");
    folder.play("plain.toml", plain);
    folder.run("report results/plain --table groups").assert_status(1).assert_says("no player has a `group`");
}

/// The list of tables needs no games, of which there may be millions.
#[test]
fn tables_are_listed_without_reading_games() {
    let folder = play_in_new_folder("small.toml", EXPERIMENT);
    let read = |name: &str| {
        let results = folder.path("results").join(name);
        Results::read(gauntlet::catalog(&gauntlet::GAMES), &results).unwrap()
    };
    let results = read("small");
    fs::write(folder.path("results/small/games.csv"), "damaged").unwrap();
    assert_eq!(available_tables(&results), ["leaderboard", "groups", "stages", "scores", "profile"]);
    fs::remove_file(folder.path("results/small/games.csv")).unwrap();
    assert_eq!(available_tables(&read("small")), ["leaderboard", "groups"]);
    let duel = "name = \"duel\"\ngame = \"gomoku\"\nseed = 1\ngames = 4\n\
                player = [{ name = \"a\", algorithm = \"random\" }, { name = \"b\", algorithm = \"random\" }]\n";
    folder.play("duel.toml", duel);
    assert_eq!(available_tables(&read("duel")), [""; 0]);
}

/// A group changes no game: results of the experiment without groups stay.
#[test]
fn a_group_changes_no_game() {
    let folder = play_in_new_folder("small.toml", EXPERIMENT.replace(", group = \"orders\"", ""));
    let games = folder.read("results/small/games.csv");
    folder.play("small.toml", EXPERIMENT);
    assert_eq!(folder.read("results/small/games.csv"), games);
    assert_eq!(table(&folder, "groups").len(), 1);
}
