//! Comparisons of players from result files.

use crate::bench::{Folder, Row, play_in_new_folder, read_rows};

fn experiment(name: &str, seed: u64, order: &str) -> String {
    format!(
        r#"
name = "{name}"
game = "2048"
seed = {seed}
games = 500
win = 256

[[player]]
name = "mine"
algorithm = "greedy"
{order}

[[player]]
name = "any"
algorithm = "random"
"#
    )
}

/// Two versions of a player on the same seeds, and the first version on other seeds; without
/// journals.
fn three_runs() -> Folder {
    let folder = Folder::new();
    let worse = "order = [\"up\", \"down\", \"left\", \"right\"]";
    for (name, seed, order) in [("old", 3, ""), ("new", 3, worse), ("elsewhere", 4, "")] {
        folder.play(&format!("{name}.toml"), experiment(name, seed, order));
        std::fs::remove_file(folder.path(&format!("results/{name}/journal.jsonl"))).unwrap();
    }
    folder
}

fn compared(folder: &Folder, arguments: &str) -> Vec<Row> {
    folder.run(&format!("compare {arguments} --format csv")).assert_status(0).parse_rows()
}

#[test]
fn players_of_one_result_are_compared_with_the_strongest() {
    // The order of players does not matter.
    let folder = Folder::new();
    let weak = "[[player]]\nname = \"weak\"\nalgorithm = \"random\"\n\n[[player]]";
    let all = experiment("turned", 3, "").replacen("[[player]]", weak, 1);
    folder.play("turned.toml", all);
    let rows = compared(&folder, "results/turned --by win");
    let told: Vec<_> = rows.iter().map(|row| (&*row["player"], &*row["than"])).collect();
    assert_eq!(told, [("weak", "mine"), ("any", "mine")]);
    // Any player could have been the strongest, so the correction counts all pairs. A comparison
    // that was named beforehand is more certain.
    let said = folder.run("compare results/turned --by win").assert_status(0);
    said.assert_says(
        "corrected for all 3 pairs of players, because the pairs were chosen after the games were played",
    );
    let named = compared(&folder, "results/turned --by win --baseline mine");
    let p = |row: &Row| row["adjusted_p"].parse::<f64>().expect("a p");
    assert_eq!(rows[0]["p"], named[0]["p"]);
    assert!(p(&rows[0]) > p(&named[0]), "{rows:?} {named:?}");

    let folder = three_runs();
    let all = compared(&folder, "results/old");
    let told: Vec<_> =
        all.iter().map(|row| (&*row["player"], &*row["than"], &*row["by"], &*row["verdict"])).collect();
    assert_eq!(told, [("any", "mine", "win", "worse"), ("any", "mine", "score", "worse")]);
    assert!(all.iter().all(|row| row["pairing"] == "paired" && row["games"] == "500"));
    let turned = compared(&folder, "results/old --baseline any --by win");
    assert_eq!(turned[0]["verdict"], "better");
    // The same comparison from the other side.
    assert_eq!(format!("-{}", turned[0]["difference"]), all[0]["difference"]);
    assert_eq!(turned[0]["p"], all[0]["p"]);
}

#[test]
fn namesakes_are_compared_across_results_in_pairs_where_seeds_agree() {
    let folder = three_runs();
    let all = compared(&folder, "results/old results/new results/elsewhere");
    let told: Vec<_> = all.iter().map(|row| (&*row["player"], &*row["than"], &*row["pairing"])).collect();
    let expected = [
        ("mine (new)", "mine (old)", "paired"),
        ("any (new)", "any (old)", "paired"),
        ("mine (elsewhere)", "mine (old)", "independent"),
        ("any (elsewhere)", "any (old)", "independent"),
    ];
    assert_eq!(told[..4], expected);
    assert_eq!(told[4..], expected);
    // Random players on the same seeds play the same games.
    assert_eq!((&*all[1]["only_player"], &*all[1]["only_than"], &*all[1]["p"]), ("0", "0", "1.0000"));
    assert!(all[1]["answer"].ends_with("; equal on every seed"), "{}", all[1]["answer"]);
    // The correction counts all comparisons.
    assert!(all[0]["answer"].contains("Holm over 8"), "{}", all[0]["answer"]);
}

#[test]
fn a_regression_has_an_exit_status_of_its_own() {
    let folder = three_runs();
    let by = "--by score --fail-on regression";
    // A random player under the name of a greedy one is a regression; the same player on other
    // seeds is not.
    folder.play("spoilt.toml", experiment("spoilt", 3, "").replace("\"greedy\"", "\"random\""));
    folder.run(&format!("compare results/old results/spoilt {by}")).assert_status(5);
    folder.run(&format!("compare results/spoilt results/old {by}")).assert_status(0);
    folder.run(&format!("compare results/old results/elsewhere {by}")).assert_status(0);
    folder.run(&format!("compare results/old --baseline mine {by}")).assert_status(5);
    let said = folder.run(&format!("compare results/old --all-pairs {by}")).assert_status(2);
    assert!(said.err.contains("cannot be used with"), "{}", said.err);
    // A player with a new name would not be compared.
    folder.play("renamed.toml", experiment("renamed", 3, "").replace("\"mine\"", "\"ours\""));
    let said = folder.run(&format!("compare results/old results/renamed {by}")).assert_status(2);
    assert!(
        said.err.contains("not compared, because no other results have a player with this name: mine, ours"),
        "{}",
        said.err
    );
    folder.run("compare results/old results/renamed --by score").assert_status(0);
    folder.play("rules.toml", experiment("rules", 3, "").replace("win = 256", "win = 512"));
    let said = folder.run(&format!("compare results/old results/rules {by}")).assert_status(2);
    assert!(said.err.contains("different rules"), "{}", said.err);
    let json = folder.run("compare results/old results/rules --format json").assert_status(0).out;
    assert!(
        json.contains(
            "\"warnings\": [\n    \"results/old and results/rules were played under different rules\""
        ),
        "{json}"
    );
    folder.run(&format!("compare results/old --baseline any {by}")).assert_status(0);
    folder.run("compare results/old --baseline mine --by score").assert_status(0);
}

#[test]
fn mistakes_are_told() {
    let folder = three_runs();
    for (line, told) in [
        ("compare results/old --baseline mien", "did you mean \"mine\"?"),
        ("compare results/old results/new --baseline mine", "use \"mine (old)\" or \"mine (new)\""),
        ("compare results/old --by wins", "expected win"),
        ("compare results/old --by 'reach' --level 2", "error:"),
        ("compare results/old --level 1", "from 0.51 to 0.999999999"),
        ("rank results/old --by reach", "expected win"),
        ("power --rate 1.5 --difference 0.1", "from 0.000001 to 0.999999"),
        ("power --rate 0.9 --difference 0.2", "must be less than 1"),
        ("power --rate 0.9", "--difference"),
        ("power --difference 0.1", "--rate"),
        ("report results/old --format csv", "choose a table with --table"),
    ] {
        let said = folder.run(line).assert_status(2);
        assert!(said.err.contains(told), "{line}: {}", said.err);
    }
    let said = folder.run("compare results/nowhere").assert_status(2);
    assert!(said.err.contains("no such folder: results/nowhere"), "{}", said.err);
    for (line, told) in [
        ("compare results/old results/../results/old", "is given twice"),
        ("rank results/old results/old", "is given twice"),
        ("power --spread 0.6 --games 100 --correlation 0.5", "cannot be used with"),
        ("power --rate 0.5 --games 100 --power 0.1", "from 0.51"),
    ] {
        let said = folder.run(line).assert_status(2);
        assert!(said.err.contains(told), "{line}: {}", said.err);
    }
    // Cut at the end of a line, it still looks like a table.
    let games = folder.read("results/old/games.csv");
    folder.write("results/old/games.csv", &games[..games[..games.len() / 2].rfind('\n').unwrap() + 1]);
    let said = folder.run("rank results/old").assert_status(1);
    assert!(said.err.contains("does not match its digest in the manifest"), "{}", said.err);
    std::fs::remove_file(folder.path("results/old/games.csv")).unwrap();
    let said = folder.run("compare results/old").assert_status(1);
    assert!(said.err.contains("recreate it with `gauntlet run old.toml`"), "{}", said.err);
}

#[test]
fn ranks_say_what_is_open() {
    let folder = three_runs();
    let ranks = folder
        .run("rank results/old results/elsewhere --by score --format csv")
        .assert_status(0)
        .parse_rows();
    let told: Vec<_> =
        ranks.iter().map(|row| (&*row["rank"], &*row["rank_best"], &*row["rank_worst"])).collect();
    assert_eq!(told, [("1", "1", "2"), ("2", "1", "2"), ("3", "3", "4"), ("4", "3", "4")]);
    assert!(ranks[0]["player"].starts_with("mine (") && ranks[3]["player"].starts_with("any ("));
    let scores: Vec<f64> = ranks.iter().map(|row| row["mean_score"].parse().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    for row in &ranks {
        let [rank, best, worst] =
            ["rank", "rank_best", "rank_worst"].map(|column| row[column].parse::<u64>().unwrap());
        assert!(best <= rank && rank <= worst, "{row:?}");
    }
    let said = folder.run("rank results/old --by score --level 0.99").assert_status(0);
    assert!(said.out.contains("mean score [99 %]"), "{}", said.out);
    let bounds = |level: &str| {
        let said =
            folder.run(&format!("rank results/old --by score --level {level} --format csv")).assert_status(0);
        let best = &said.parse_rows()[0];
        ["mean_score_low", "mean_score_high"].map(|column| best[column].parse::<f64>().unwrap())
    };
    let ([low, high], [lower, higher]) = (bounds("0.9"), bounds("0.99"));
    assert!(lower < low && low < high && high < higher, "{lower}, {low}, {high}, {higher}");
    let times = folder.run("rank results/old --by ms").assert_status(0);
    assert!(times.out.contains("cpu per move"), "{}", times.out);
}

#[test]
fn every_form_holds_the_same_numbers() {
    let folder = three_runs();
    let csv = compared(&folder, "results/old --by win");
    let json = folder.run("compare results/old --by win --format json").assert_status(0).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["schema"], 1);
    let row = &json["table"]["rows"][0];
    assert_eq!(row["games"], 500);
    assert_eq!(row["player"], "any");
    assert_eq!(row["margin"], serde_json::Value::Null);
    assert_eq!(row["difference"].as_f64().unwrap(), csv[0]["difference"].parse::<f64>().unwrap());
    let markdown =
        folder.run("compare results/old --by win --format markdown --explain").assert_status(0).out;
    assert_eq!(
        markdown,
        format!("- **{}**: {}. {}\n", csv[0]["verdict"], csv[0]["answer"], csv[0]["explanation"])
            .replace(" <", " &lt;")
    );
    let tables = folder.run("report results/old results/new --format json").assert_status(0).out;
    let tables: serde_json::Value = serde_json::from_str(&tables).unwrap();
    assert_eq!(tables["results"][1]["tables"][0]["name"], "win-rate");
    assert_eq!(tables["results"][1]["tables"][0]["rows"][1]["games"], 500);
    let one = folder.run("report results/old --format csv --table max-tile").assert_status(0).out;
    assert_eq!(one, folder.read("results/old/max-tile.csv"));
}

/// Returns players of different strength, and two equal ones.
fn ranked() -> Folder {
    let folder = Folder::new();
    let more = "[[player]]\nname = \"same\"\nalgorithm = \"random\"\n";
    folder.play("three.toml", experiment("three", 3, "") + more);
    folder
}

/// Each pair is a row, the better player first; sentences are optional.
#[test]
fn a_pair_is_a_row_and_the_best_come_first() {
    let folder = ranked();
    let said = folder.run("compare results/three --all-pairs --by win").assert_status(0);
    let lines: Vec<&str> = said.out.lines().collect();
    let starts = |line: &str| line.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
    // A cell that is equal in every row is printed once.
    assert_eq!(lines[0], "by win:", "{}", said.out);
    assert_eq!(starts(lines[1]), "player answer than", "{}", said.out);
    assert_eq!(starts(lines[2]), "mine better any", "{}", said.out);
    assert_eq!(starts(lines[3]), "mine better same", "{}", said.out);
    assert!(lines[2].contains(" points [") && lines[2].ends_with("  500 pairs"), "{}", lines[2]);
    assert!(lines[4].starts_with("any     inconclusive  same"), "{}", lines[4]);
    said.assert_says("p is corrected for 3 comparisons");
    // The baseline stays in its place, and the best of the others comes first.
    let said = folder.run("compare results/three --baseline any --by win --by score").assert_status(0);
    assert!(said.out.starts_with("against any:\nplayer  answer "), "{}", said.out);
    let starts: Vec<_> = said.out.lines().skip(2).take(4).map(starts).collect();
    assert_eq!(
        starts,
        ["mine better win", "same inconclusive win", "mine better score", "same inconclusive score"]
    );
    let said = folder.run("compare results/three --baseline any --by win").assert_status(0);
    assert!(said.out.starts_with("against any, by win:\nplayer  answer "), "{}", said.out);
    let markdown =
        folder.run("compare results/three --all-pairs --by win --format markdown").assert_status(0).out;
    assert!(markdown.starts_with("| player | answer | than | by | difference [95 %] | p | games |\n| --- |"));
    assert_eq!(markdown.matches("\n| ").count(), 4, "{markdown}");
    let said = folder.run("compare results/three --all-pairs --by win --explain").assert_status(0);
    assert_eq!(said.out.lines().count(), 3, "{}", said.out);
    assert!(said.out.starts_with("better        mine vs any: "), "{}", said.out);
}

#[test]
fn a_matrix_has_all_players_beside_all() {
    let folder = ranked();
    let said = folder.run("compare results/three --matrix --by win --by score").assert_status(0);
    let words: Vec<Vec<&str>> =
        said.out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
    assert_eq!(
        said.out.lines().next(),
        Some("by win: rows against columns, in points; + better, - worse, ? inconclusive")
    );
    assert_eq!(words[1], ["no", "player", "1", "2", "3"]);
    assert_eq!(words[2][..2], ["1", "mine"]);
    assert!(words[2][2..].iter().all(|cell| cell.starts_with('+') && !cell.ends_with('?')), "{}", said.out);
    assert_eq!(words[3][..2], ["2", "any"]);
    assert!(words[3][2].starts_with('-') && words[3][3] == "+0.0?", "{}", said.out);
    assert_eq!(words[6][..2], ["by", "score:"]);
    let markdown =
        folder.run("compare results/three --matrix --by win --format markdown").assert_status(0).out;
    assert!(
        markdown.contains(
            "\n| no | player | 1 | 2 | 3 |\n| ---: | --- | ---: | ---: | ---: |\n| 1 | mine |  | +"
        ),
        "{markdown}"
    );
    folder.run("compare results/three --matrix --baseline any").assert_status(2);
}

#[test]
fn a_rank_is_a_row_or_a_sentence() {
    let folder = ranked();
    let said = folder.run("rank results/three").assert_status(0);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = said.out.lines().map(words).collect();
    assert_eq!(lines[0], "rank player win rate % [95 %] better than worse than games");
    assert!(lines[1].starts_with("1 mine ") && lines[1].ends_with(" 2 0 500"), "{}", said.out);
    assert!(lines[2].starts_with("2 to 3 any ") && lines[2].ends_with(" 0 1 500"), "{}", said.out);
    let said = folder.run("rank results/three --sentences").assert_status(0);
    assert!(said.out.starts_with("mine: rank 1 of 3, win rate "), "{}", said.out);
    said.assert_says("significantly better than 2 and worse than 0 of the others\nany: rank 2 to 3 of 3, ");
}

/// A player whose name is a number stays a text.
#[test]
fn names_that_look_like_numbers_stay_names() {
    let folder = play_in_new_folder("n.toml", experiment("n", 1, "").replace("\"mine\"", "\"2048\""));
    let json = folder.run("report results/n --format json --table win-rate").assert_status(0).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["results"][0]["tables"][0]["rows"][0]["player"], "2048");
}

/// Times are compared if they were measured together, or with the calibration loop of one machine.
/// Otherwise, the message explains how they could be compared. The fast player's batches cover
/// several parts of the run.
#[test]
fn a_fast_player_is_timed_side_by_side_with_a_slow_one() {
    let folder = Folder::new();
    let players = "[[player]]\nname = \"fast\"\nalgorithm = \"greedy\"\n\n\
                   [[player]]\nname = \"slow\"\nalgorithm = \"expectimax\"\nnodes = 20\n";
    let run = format!("name = \"times\"\ngame = \"2048\"\nseed = 1\ngames = 240\n\n{players}");
    folder.write("times.toml", run);
    folder.run("run times.toml --threads 2").assert_status(0);
    let said = folder.run("compare results/times --by ms --explain --format csv").assert_status(0);
    assert!(said.out.contains("Both players were timed side by side in the same run."), "{}", said.out);
    // Without its times, a player cannot be compared, for this reason.
    std::fs::remove_file(folder.path("results/times/times.csv")).unwrap();
    folder.update_digests("results/times");
    let said = folder.run("compare results/times --by ms --explain --format csv").assert_status(0);
    assert!(
        said.out.contains("fast vs slow: not comparable by ms-per-move: fast has no times"),
        "{}",
        said.out
    );
}

#[test]
fn times_that_have_nothing_in_common_are_refused() {
    let folder = three_runs();
    let refused = |told: &str| {
        let said = folder.run("compare results/old results/new --by ms").assert_status(2);
        assert!(said.err.contains(told), "{}", said.err);
        said
    };
    folder.run("compare results/old results/new --by ms").assert_status(0);
    folder.run("rank results/old --by ms").assert_status(0);
    let manifest = folder.read("results/new/manifest.toml");
    let session = manifest.find("[[session]]").expect("a session");
    let elsewhere = manifest[session..].replace("cpu = \"", "cpu = \"other ");
    folder.write("results/new/manifest.toml", manifest[..session].to_owned() + &elsewhere);
    refused("were timed on different machines; to compare times, play all players in one experiment");
    let another = manifest.replace("yardstick = 1", "yardstick = 2");
    folder.write("results/new/manifest.toml", another);
    refused("times in results/old and results/new were calibrated with different calibration loops");
    folder.write("results/new/manifest.toml", manifest.replace("yardstick = 1\n", ""));
    refused("times in results/old and results/new were calibrated with different calibration loops");
    folder.write("results/new/manifest.toml", manifest.replacen("threads = ", "threads = 10", 1));
    let said = folder.run("compare results/old results/new --by ms").assert_status(0);
    assert!(said.err.contains("timed with different threads"), "{}", said.err);
    folder.write("results/new/manifest.toml", manifest);
    // Without times there is nothing to calibrate.
    std::fs::remove_file(folder.path("results/new/times.csv")).unwrap();
    folder.update_digests("results/new");
    folder.run("compare results/old results/new --by ms").assert_status(0).assert_says("inconclusive");
    folder.run("compare results/old results/new --by win").assert_status(0);
}

/// A random player plays interleaved games, so its time includes the rules and has no quantiles.
/// Every comparison with it says so.
#[test]
fn times_of_lanes_are_marked() {
    let folder =
        play_in_new_folder("lanes.toml", experiment("lanes", 5, "").replace("games = 500", "games = 60_000"));
    let table = read_rows(&folder, "results/lanes/ms-per-move.csv");
    let [mine, any] = &table[..] else { panic!("two players") };
    assert_eq!((&*mine["timed"], &*any["timed"]), ("thoughts", "games at once, rules included"));
    assert!(any["p50_ms"].is_empty() && any["max_ms"].is_empty() && !any["cpu_ms_per_move"].is_empty());
    let said = folder.run("compare results/lanes --by ms").assert_status(0);
    assert!(said.out.contains("the time of any includes the rules"), "{}", said.out);
}
