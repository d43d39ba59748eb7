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
    let worse_order = "order = [\"up\", \"down\", \"left\", \"right\"]";
    for (name, seed, order) in [("old", 3, ""), ("new", 3, worse_order), ("elsewhere", 4, "")] {
        folder.play(&format!("{name}.toml"), experiment(name, seed, order));
        std::fs::remove_file(folder.path(&format!("results/{name}/journal.jsonl"))).unwrap();
    }
    folder
}

fn compare(folder: &Folder, arguments: &str) -> Vec<Row> {
    folder.run(&format!("compare {arguments} --format csv")).assert_status(0).parse_rows()
}

#[test]
fn players_of_one_result_are_compared_with_the_strongest() {
    // The order of players does not matter.
    let folder = Folder::new();
    let weak = "[[player]]\nname = \"weak\"\nalgorithm = \"random\"\n\n[[player]]";
    let text = experiment("turned", 3, "").replacen("[[player]]", weak, 1);
    folder.play("turned.toml", text);
    let rows = compare(&folder, "results/turned --by win");
    let pairs: Vec<_> = rows.iter().map(|row| (&*row["player"], &*row["than"])).collect();
    assert_eq!(pairs, [("weak", "mine"), ("any", "mine")]);
    // Any player could have been the strongest, so the correction counts all pairs. A comparison
    // that was named beforehand is more certain.
    let output = folder.run("compare results/turned --by win").assert_status(0);
    output.assert_says(
        "corrected for 3 comparisons, because the pairs were chosen after the games were played",
    );
    let with_baseline = compare(&folder, "results/turned --by win --baseline mine");
    let p = |row: &Row| row["adjusted_p"].parse::<f64>().expect("a p");
    assert_eq!(rows[0]["p"], with_baseline[0]["p"]);
    assert!(p(&rows[0]) > p(&with_baseline[0]), "{rows:?} {with_baseline:?}");

    let folder = three_runs();
    let comparisons = compare(&folder, "results/old");
    let verdicts: Vec<_> = comparisons
        .iter()
        .map(|row| (&*row["player"], &*row["than"], &*row["by"], &*row["verdict"]))
        .collect();
    assert_eq!(verdicts, [("any", "mine", "win", "worse"), ("any", "mine", "score", "worse")]);
    assert!(comparisons.iter().all(|row| row["pairing"] == "paired" && row["games"] == "500"));
    let reversed = compare(&folder, "results/old --baseline any --by win");
    assert_eq!(reversed[0]["verdict"], "better");
    // The same comparison from the other side.
    assert_eq!(format!("-{}", reversed[0]["difference"]), comparisons[0]["difference"]);
    assert_eq!(reversed[0]["p"], comparisons[0]["p"]);
}

#[test]
fn namesakes_are_compared_across_results_in_pairs_where_seeds_agree() {
    let folder = three_runs();
    let comparisons = compare(&folder, "results/old results/new results/elsewhere");
    let pairings: Vec<_> =
        comparisons.iter().map(|row| (&*row["player"], &*row["than"], &*row["pairing"])).collect();
    let expected = [
        ("mine (new)", "mine (old)", "paired"),
        ("any (new)", "any (old)", "paired"),
        ("mine (elsewhere)", "mine (old)", "independent"),
        ("any (elsewhere)", "any (old)", "independent"),
    ];
    assert_eq!(pairings[..4], expected);
    assert_eq!(pairings[4..], expected);
    // Random players on the same seeds play the same games.
    assert_eq!(
        (&*comparisons[1]["only_player"], &*comparisons[1]["only_than"], &*comparisons[1]["p"]),
        ("0", "0", "1.0000")
    );
    assert!(comparisons[1]["answer"].ends_with("; equal on every seed"), "{}", comparisons[1]["answer"]);
    // The correction counts all comparisons.
    assert!(comparisons[0]["answer"].contains("Holm over 8"), "{}", comparisons[0]["answer"]);
}

#[test]
fn a_regression_has_an_exit_status_of_its_own() {
    let folder = three_runs();
    let options = "--by score --fail-on regression";
    // A random player under the name of a greedy one is a regression; the same player on other
    // seeds is not.
    folder.play("spoilt.toml", experiment("spoilt", 3, "").replace("\"greedy\"", "\"random\""));
    folder.run(&format!("compare results/old results/spoilt {options}")).assert_status(5);
    folder.run(&format!("compare results/spoilt results/old {options}")).assert_status(0);
    folder.run(&format!("compare results/old results/elsewhere {options}")).assert_status(0);
    folder.run(&format!("compare results/old --baseline mine {options}")).assert_status(5);
    let output = folder.run(&format!("compare results/old --all-pairs {options}")).assert_status(2);
    assert!(output.stderr.contains("cannot be used with"), "{}", output.stderr);
    // A player with a new name would not be compared.
    folder.play("renamed.toml", experiment("renamed", 3, "").replace("\"mine\"", "\"ours\""));
    let output = folder.run(&format!("compare results/old results/renamed {options}")).assert_status(2);
    assert!(
        output
            .stderr
            .contains("not compared, because no other results have a player with this name: mine, ours"),
        "{}",
        output.stderr
    );
    folder.run("compare results/old results/renamed --by score").assert_status(0);
    folder.play("rules.toml", experiment("rules", 3, "").replace("win = 256", "win = 512"));
    let output = folder.run(&format!("compare results/old results/rules {options}")).assert_status(2);
    assert!(output.stderr.contains("different rules"), "{}", output.stderr);
    let json = folder.run("compare results/old results/rules --format json").assert_status(0).stdout;
    assert!(
        json.contains(
            "\"warnings\": [\n    \"results/old and results/rules were played under different rules\""
        ),
        "{json}"
    );
    folder.run(&format!("compare results/old --baseline any {options}")).assert_status(0);
    folder.run("compare results/old --baseline mine --by score").assert_status(0);
    // Nor can players be worse without an answer.
    folder.play("few.toml", experiment("few", 3, "").replace("games = 500", "games = 20"));
    folder
        .run("compare results/old results/few --by ms --fail-on regression")
        .assert_status(2)
        .assert_says("--fail-on cannot detect a regression: ")
        .assert_says("not comparable by ms-per-move");
}

#[test]
fn mistakes_are_told() {
    let folder = three_runs();
    for (line, message) in [
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
        let output = folder.run(line).assert_status(2);
        assert!(output.stderr.contains(message), "{line}: {}", output.stderr);
    }
    let output = folder.run("compare results/nowhere").assert_status(2);
    assert!(output.stderr.contains("no such folder: results/nowhere"), "{}", output.stderr);
    for (line, message) in [
        ("compare results/old results/../results/old", "is given twice"),
        ("rank results/old results/old", "is given twice"),
        ("power --spread 0.6 --games 100 --correlation 0.5", "cannot be used with"),
        ("power --rate 0.5 --games 100 --power 0.1", "from 0.51"),
    ] {
        let output = folder.run(line).assert_status(2);
        assert!(output.stderr.contains(message), "{line}: {}", output.stderr);
    }
    // Cut at the end of a line, it still looks like a table.
    let games = folder.read("results/old/games.csv");
    folder.write("results/old/games.csv", &games[..games[..games.len() / 2].rfind('\n').unwrap() + 1]);
    let output = folder.run("rank results/old").assert_status(1);
    assert!(output.stderr.contains("does not match its digest in the manifest"), "{}", output.stderr);
    std::fs::remove_file(folder.path("results/old/games.csv")).unwrap();
    let output = folder.run("compare results/old").assert_status(1);
    assert!(output.stderr.contains("recreate it with `gauntlet run old.toml`"), "{}", output.stderr);
}

#[test]
fn ranks_say_what_is_open() {
    let folder = three_runs();
    let ranks = folder
        .run("rank results/old results/elsewhere --by score --format csv")
        .assert_status(0)
        .parse_rows();
    let intervals: Vec<_> =
        ranks.iter().map(|row| (&*row["rank"], &*row["rank_best"], &*row["rank_worst"])).collect();
    assert_eq!(intervals, [("1", "1", "2"), ("2", "1", "2"), ("3", "3", "4"), ("4", "3", "4")]);
    assert!(ranks[0]["player"].starts_with("mine (") && ranks[3]["player"].starts_with("any ("));
    let scores: Vec<f64> = ranks.iter().map(|row| row["mean_score"].parse().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    for row in &ranks {
        let [rank, best, worst] =
            ["rank", "rank_best", "rank_worst"].map(|column| row[column].parse::<u64>().unwrap());
        assert!(best <= rank && rank <= worst, "{row:?}");
    }
    let output = folder.run("rank results/old --by score --level 0.99").assert_status(0);
    assert!(output.stdout.contains("mean score [99 %]"), "{}", output.stdout);
    let score_bounds = |level: &str| {
        let output =
            folder.run(&format!("rank results/old --by score --level {level} --format csv")).assert_status(0);
        let best = &output.parse_rows()[0];
        ["mean_score_low", "mean_score_high"].map(|column| best[column].parse::<f64>().unwrap())
    };
    let ([low, high], [lower, higher]) = (score_bounds("0.9"), score_bounds("0.99"));
    assert!(lower < low && low < high && high < higher, "{lower}, {low}, {high}, {higher}");
    let times = folder.run("rank results/old --by ms").assert_status(0);
    assert!(times.stdout.contains("cpu per move"), "{}", times.stdout);
}

#[test]
fn every_form_holds_the_same_numbers() {
    let folder = three_runs();
    let csv = compare(&folder, "results/old --by win");
    let json = folder.run("compare results/old --by win --format json").assert_status(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["schema"], 1);
    let row = &json["table"]["rows"][0];
    assert_eq!(row["games"], 500);
    assert_eq!(row["player"], "any");
    assert_eq!(row["margin"], serde_json::Value::Null);
    assert_eq!(row["difference"].as_f64().unwrap(), csv[0]["difference"].parse::<f64>().unwrap());
    let markdown =
        folder.run("compare results/old --by win --format markdown --explain").assert_status(0).stdout;
    assert_eq!(
        markdown,
        format!("- **{}**: {}. {}\n", csv[0]["verdict"], csv[0]["answer"], csv[0]["explanation"])
            .replace(" <", " &lt;")
    );
    let tables = folder.run("report results/old results/new --format json").assert_status(0).stdout;
    let tables: serde_json::Value = serde_json::from_str(&tables).unwrap();
    assert_eq!(tables["results"][1]["tables"][0]["name"], "win-rate");
    assert_eq!(tables["results"][1]["tables"][0]["rows"][1]["games"], 500);
    let one = folder.run("report results/old --format csv --table max-tile").assert_status(0).stdout;
    assert_eq!(one, folder.read("results/old/max-tile.csv"));
}

/// Returns players of different strength, and two equal ones.
fn play_three_players() -> Folder {
    let folder = Folder::new();
    let equal_player = "[[player]]\nname = \"same\"\nalgorithm = \"random\"\n";
    folder.play("three.toml", experiment("three", 3, "") + equal_player);
    folder
}

/// Each pair is a row, the better player first; sentences are optional.
#[test]
fn a_pair_is_a_row_and_the_best_come_first() {
    let folder = play_three_players();
    let output = folder.run("compare results/three --all-pairs --by win").assert_status(0);
    let lines: Vec<&str> = output.stdout.lines().collect();
    let first_words = |line: &str| line.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
    // A cell that is equal in every row is printed once.
    assert_eq!(lines[0], "by win:", "{}", output.stdout);
    assert_eq!(first_words(lines[1]), "player answer than", "{}", output.stdout);
    assert_eq!(first_words(lines[2]), "mine better any", "{}", output.stdout);
    assert_eq!(first_words(lines[3]), "mine better same", "{}", output.stdout);
    assert!(lines[2].contains(" points [") && lines[2].ends_with("  500 pairs"), "{}", lines[2]);
    assert!(lines[4].starts_with("any     inconclusive  same"), "{}", lines[4]);
    output.assert_says("p is corrected for 3 comparisons");
    // The baseline stays in its place, and the best of the others comes first.
    let output = folder.run("compare results/three --baseline any --by win --by score").assert_status(0);
    assert!(output.stdout.starts_with("against any:\nplayer  answer "), "{}", output.stdout);
    let row_starts: Vec<_> = output.stdout.lines().skip(2).take(4).map(first_words).collect();
    assert_eq!(
        row_starts,
        ["mine better win", "same inconclusive win", "mine better score", "same inconclusive score"]
    );
    let output = folder.run("compare results/three --baseline any --by win").assert_status(0);
    assert!(output.stdout.starts_with("against any, by win:\nplayer  answer "), "{}", output.stdout);
    let markdown =
        folder.run("compare results/three --all-pairs --by win --format markdown").assert_status(0).stdout;
    assert!(markdown.starts_with("| player | answer | than | by | difference [95 %] | p | games |\n| --- |"));
    assert_eq!(markdown.matches("\n| ").count(), 4, "{markdown}");
    let output = folder.run("compare results/three --all-pairs --by win --explain").assert_status(0);
    assert_eq!(output.stdout.lines().count(), 3, "{}", output.stdout);
    assert!(output.stdout.starts_with("better        mine vs any: "), "{}", output.stdout);
}

#[test]
fn a_matrix_has_all_players_beside_all() {
    let folder = play_three_players();
    let output = folder.run("compare results/three --matrix --by win --by score").assert_status(0);
    let words: Vec<Vec<&str>> =
        output.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
    assert_eq!(
        output.stdout.lines().next(),
        Some("by win: rows against columns, in points; + better, - worse, ? inconclusive")
    );
    assert_eq!(words[1], ["no", "player", "1", "2", "3"]);
    assert_eq!(words[2][..2], ["1", "mine"]);
    assert!(
        words[2][2..].iter().all(|cell| cell.starts_with('+') && !cell.ends_with('?')),
        "{}",
        output.stdout
    );
    assert_eq!(words[3][..2], ["2", "any"]);
    assert!(words[3][2].starts_with('-') && words[3][3] == "+0.0?", "{}", output.stdout);
    assert_eq!(words[6][..2], ["by", "score:"]);
    let markdown =
        folder.run("compare results/three --matrix --by win --format markdown").assert_status(0).stdout;
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
    let folder = play_three_players();
    let output = folder.run("rank results/three").assert_status(0);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = output.stdout.lines().map(words).collect();
    assert_eq!(lines[0], "rank player win rate % [95 %] better than worse than games");
    assert!(lines[1].starts_with("1 mine ") && lines[1].ends_with(" 2 0 500"), "{}", output.stdout);
    assert!(lines[2].starts_with("2 to 3 any ") && lines[2].ends_with(" 0 1 500"), "{}", output.stdout);
    let output = folder.run("rank results/three --sentences").assert_status(0);
    assert!(output.stdout.starts_with("mine: rank 1 of 3, win rate "), "{}", output.stdout);
    output.assert_says("significantly better than 2 and worse than 0 of the others\nany: rank 2 to 3 of 3, ");
    // If nobody won, players are ordered by their scores.
    folder.copy_from_repository("results/leaderboard");
    let ranks = folder.run("rank results/leaderboard --format csv").assert_status(0).parse_rows();
    assert!(ranks[0].contains_key("mean_score"), "{:?}", ranks[0]);
}

/// A player whose name is a number stays a text.
#[test]
fn names_that_look_like_numbers_stay_names() {
    let folder = play_in_new_folder("n.toml", experiment("n", 1, "").replace("\"mine\"", "\"2048\""));
    let json = folder.run("report results/n --format json --table win-rate").assert_status(0).stdout;
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
    let output = folder.run("compare results/times --by ms --explain --format csv").assert_status(0);
    assert!(
        output.stdout.contains("Both players were timed side by side in the same run."),
        "{}",
        output.stdout
    );
    // Without its times, a player cannot be compared, for this reason.
    std::fs::remove_file(folder.path("results/times/times.csv")).unwrap();
    folder.update_digests("results/times");
    let output = folder.run("compare results/times --by ms --explain --format csv").assert_status(0);
    assert!(
        output.stdout.contains("fast vs slow: not comparable by ms-per-move: fast has no times"),
        "{}",
        output.stdout
    );
}

#[test]
fn times_that_have_nothing_in_common_are_refused() {
    let folder = three_runs();
    let assert_refused = |message: &str| {
        let output = folder.run("compare results/old results/new --by ms").assert_status(2);
        assert!(output.stderr.contains(message), "{}", output.stderr);
        output
    };
    folder.run("compare results/old results/new --by ms").assert_status(0);
    folder.run("rank results/old --by ms").assert_status(0);
    let manifest = folder.read("results/new/manifest.toml");
    let session = manifest.find("[[session]]").expect("a session");
    let other_machine = manifest[session..].replace("cpu = \"", "cpu = \"other ");
    folder.write("results/new/manifest.toml", manifest[..session].to_owned() + &other_machine);
    assert_refused("were timed on different machines; to compare times, play all players in one experiment");
    let other_loop = manifest.replace("yardstick = 1", "yardstick = 2");
    folder.write("results/new/manifest.toml", other_loop);
    assert_refused("times in results/old and results/new were calibrated with different calibration loops");
    folder.write("results/new/manifest.toml", manifest.replace("yardstick = 1\n", ""));
    assert_refused("times in results/old and results/new were calibrated with different calibration loops");
    folder.write("results/new/manifest.toml", manifest.replacen("threads = ", "threads = 10", 1));
    let output = folder.run("compare results/old results/new --by ms").assert_status(0);
    assert!(output.stderr.contains("timed with different threads"), "{}", output.stderr);
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
    let text = experiment("lanes", 5, "").replace("games = 500", "games = 6_000");
    let folder = play_in_new_folder("lanes.toml", text.replace("\"greedy\"", "\"n-tuple\""));
    let table = read_rows(&folder, "results/lanes/ms-per-move.csv");
    let [mine, any] = &table[..] else { panic!("two players") };
    assert_eq!((&*mine["timed"], &*any["timed"]), ("thoughts", "games at once, rules included"));
    assert!(any["p50_ms"].is_empty() && any["max_ms"].is_empty() && !any["cpu_ms_per_move"].is_empty());
    let output = folder.run("compare results/lanes --by ms").assert_status(0);
    assert!(output.stdout.contains("the time of any includes the rules"), "{}", output.stdout);
}
