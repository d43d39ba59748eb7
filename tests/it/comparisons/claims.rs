//! Answers to claims, tested with the program.

use std::fs;

use crate::bench::{Folder, play_in_new_folder, read_rows};

/// Two greedy players and a random one. 400 games show that greedy play is better.
const EXPERIMENT: &str = r#"
name = "said"
game = "2048"
seed = 5
games = 400
win = 256

[[player]]
name = "gain"
algorithm = "greedy"

[[player]]
name = "gain, other order"
algorithm = "greedy"
order = ["down", "left", "right", "up"]

[[player]]
name = "any"
algorithm = "random"
"#;

fn claim(player: &str, opponent: &str, settings: &str) -> String {
    format!("\n[[claim]]\nbetter = {player:?}\nthan = {opponent:?}\n{settings}\n")
}

fn play_with_claims(claims: &[String]) -> Folder {
    play_in_new_folder("said.toml", EXPERIMENT.to_owned() + &claims.concat())
}

#[test]
fn each_claim_has_its_answer() {
    let folder = play_with_claims(&[
        claim("gain", "any", ""),
        claim("any", "gain", "by = \"score\""),
        claim("gain", "gain, other order", "by = \"reach 256\"\nlevel = 0.99"),
        claim("gain", "gain, other order", "margin = 0.25"),
        claim("gain", "gain, other order", "by = \"score\"\nmargin = 0.001"),
        claim("any", "gain", "by = \"reach 128\"\nmargin = 0.01"),
    ]);
    let claims = read_rows(&folder, "results/said/claims.csv");
    let verdicts: Vec<&str> = claims.iter().map(|row| row["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["confirmed", "refuted", "inconclusive", "confirmed", "inconclusive", "refuted"]);
    let explanation_starts = [
        "McNemar's test uses the ",
        "Ratio and t-test use mean logarithms of scores, not mean scores",
        "McNemar's test uses the ",
        "p is the probability of such a result if gain were worse than gain, other order by exactly the margin.",
        "p is the probability of such a result if gain were worse than gain, other order by exactly the margin.",
        "p is the probability of such a result if any were worse than gain by exactly the margin.",
    ];
    let [report, explained_report] = ["", " --explain"]
        .map(|option| folder.run(&format!("report results/said{option}")).assert_status(0).stdout);
    for (row, start) in claims.iter().zip(explanation_starts) {
        let line = format!("{:<14}{}", row["verdict"], row["answer"]);
        assert!(report.lines().any(|told| told == line), "{line}: {report}");
        assert!(row["answer"].contains(", 400 pairs"), "{}", row["answer"]);
        assert!(row["explanation"].starts_with(start), "{}", row["explanation"]);
        assert!(explained_report.contains(&row["explanation"]), "{explained_report}");
        assert_eq!((&*row["pairing"], &*row["games"]), ("paired", "400"));
    }
}

/// The numbers of a claim equal those computed from the games.
#[test]
fn numbers_are_counted_again() {
    let folder = play_with_claims(&[claim("gain", "any", ""), claim("gain", "any", "by = \"score\"")]);
    let games = read_rows(&folder, "results/said/games.csv");
    let player_rows = |player: &'static str| games.iter().filter(move |row| row["player"] == player);
    let pairs: Vec<_> = player_rows("gain").zip(player_rows("any")).collect();
    assert!(pairs.iter().all(|(one, other)| one["seed"] == other["seed"]));
    let count_pairs = |one: &str, other: &str| {
        pairs.iter().filter(|(a, b)| a["won"] == one && b["won"] == other).count().to_string()
    };
    let claims = read_rows(&folder, "results/said/claims.csv");
    assert_eq!(claims[0]["only_player"], count_pairs("true", "false"));
    assert_eq!(claims[0]["only_than"], count_pairs("false", "true"));
    let rates = read_rows(&folder, "results/said/win-rate.csv");
    assert_eq!(
        (&claims[0]["value"], &claims[0]["than_value"]),
        (&rates[0]["win_rate"], &rates[2]["win_rate"])
    );
    assert_eq!(
        (&claims[1]["value"], &claims[1]["than_value"]),
        (&rates[0]["mean_score"], &rates[2]["mean_score"])
    );

    let number = |text: &str| text.parse::<f64>().expect("a number");
    let difference = number(&claims[0]["value"]) - number(&claims[0]["than_value"]);
    assert!((number(&claims[0]["difference"]) - difference).abs() < 2e-6);
    let logs = pairs.iter().map(|(a, b)| (number(&a["score"]) / number(&b["score"])).ln());
    let ratio = (logs.sum::<f64>() / pairs.len() as f64).exp();
    assert!((number(&claims[1]["ratio"]) - ratio).abs() < 2e-6, "{ratio}");
    // Holm's correction of two claims doubles the smaller p. The larger p is raised to at least
    // this.
    let mut p = [0, 1].map(|i| ["p", "adjusted_p"].map(|column| number(&claims[i][column])));
    p.sort_by(|one, other| one[0].total_cmp(&other[0]));
    let [[small, small_adjusted], [large, large_adjusted]] = p;
    assert!((small_adjusted / (2.0 * small) - 1.0).abs() < 0.02, "{small_adjusted} of {small}");
    assert!((large_adjusted / large.max(2.0 * small) - 1.0).abs() < 0.02, "{large_adjusted} of {large}");
}

/// A new claim plays no games, and without claims there is no table of claims.
#[test]
fn claims_come_and_go_without_games() {
    let folder = play_with_claims(&[]);
    assert!(!folder.path("results/said/claims.csv").exists());
    let experiment = folder.read("said.toml");
    folder.write("said.toml", format!("{experiment}{}", claim("gain", "any", "by = \"ms\"")));
    let output = folder.run("run said.toml").assert_status(0);
    assert!(output.stdout.contains("no games left to play"), "{}", output.stdout);
    let claims = read_rows(&folder, "results/said/claims.csv");
    assert_eq!(claims[0]["by"], "ms-per-move");
    let times = read_rows(&folder, "results/said/ms-per-move.csv");
    assert_eq!(claims[0]["value"], times[0]["cpu_ms_per_move"]);
    let exported = folder.run("run said.toml --export claims=-").assert_status(0).stdout;
    assert_eq!(exported, folder.read("results/said/claims.csv"));
    folder.play("said.toml", experiment);
    assert!(!folder.path("results/said/claims.csv").exists());
    let output = folder.run("run said.toml --export claims=-").assert_status(2);
    assert!(output.stderr.contains("has no `[[claim]]`"), "{}", output.stderr);
}

/// One game, no win, or scores of 0 suffice for an answer. No cell contains NaN or infinity.
#[test]
fn little_is_said_of_little() {
    for (games, win) in [(1, 256), (2, 131_072), (3, 8)] {
        let folder = Folder::new();
        let claims = ["win", "reach 128", "score", "ms"]
            .map(|measure| claim("gain", "any", &format!("by = {measure:?}\nlevel = 0.999999")));
        let margins =
            ["win", "score"].map(|measure| claim("any", "gain", &format!("by = {measure:?}\nmargin = 0.02")));
        let experiment = EXPERIMENT.replace("win = 256", &format!("win = {win}\nmax_moves = 1"));
        let experiment = experiment.replace("games = 400", &format!("games = {games}"));
        folder.play("said.toml", experiment + &claims.concat() + &margins.concat());
        let claims = read_rows(&folder, "results/said/claims.csv");
        assert_eq!(claims.len(), 6);
        for row in claims {
            assert!(!row["verdict"].is_empty() && !row["answer"].is_empty(), "{row:?}");
            for (column, cell) in &row {
                assert!(!["NaN", "inf"].iter().any(|word| cell.contains(word)), "{column}: {cell}");
                let is_short =
                    cell.len() < 20 || ["answer", "explanation", "player", "than"].contains(&&**column);
                assert!(is_short, "{column}: {cell}");
            }
        }
    }
}

#[test]
fn a_claim_added_after_games_were_played_is_marked() {
    const MARK: &str = "claimed after the games were played";
    let one_claim = EXPERIMENT.to_owned() + &claim("gain", "any", "");
    let two_claims = one_claim.clone() + &claim("gain", "gain, other order", "margin = 0.25");
    let assert_marks = |folder: &Folder, expected: &[bool]| {
        let claims = read_rows(folder, "results/said/claims.csv");
        let actual: Vec<bool> = claims.iter().map(|row| row["answer"].ends_with(MARK)).collect();
        assert_eq!(actual, expected);
        let manifest: toml::Table = folder.read("results/said/manifest.toml").parse().unwrap();
        let added_count =
            manifest.get("added_claims").map_or(0, |added| added.as_array().expect("a list").len());
        assert_eq!(added_count, expected.iter().filter(|&&is_marked| is_marked).count());
    };
    let folder = play_in_new_folder("said.toml", &one_claim);
    assert_marks(&folder, &[false]);
    // A killed run is resumed. Only a claim that was added since is marked.
    let journal = folder.read("results/said/journal.jsonl");
    let unfinished_journal: String =
        journal.lines().take(journal.lines().count() - 2).map(|line| format!("{line}\n")).collect();
    for (text, expected) in [(&one_claim, &[false][..]), (&two_claims, &[false, true])] {
        fs::remove_dir_all(folder.path("results")).unwrap();
        folder.write("results/said/journal.jsonl", &unfinished_journal);
        folder.play("said.toml", text);
        assert_marks(&folder, expected);
    }
    let output = folder.run("run said.toml").assert_status(0).assert_says("no games left to play");
    output.assert_says(&format!(
        "warning: {MARK}: by win, gain is at most 0.25 worse than gain, other order, at level 0.95"
    ));
    // The mark stays after more games, and after a re-evaluation. A claim about a new player is not
    // marked.
    let extended = two_claims.replace("games = 400", "games = 500")
        + "\n[[player]]\nname = \"new\"\nalgorithm = \"greedy\"\nties = \"last\"\n"
        + &claim("new", "any", "");
    folder.play("said.toml", &extended);
    assert_marks(&folder, &[false, true, false]);
    folder.run("judge said.toml").assert_status(0).assert_says(MARK);
    assert_marks(&folder, &[false, true, false]);

    let shards = Folder::new();
    for (text, shard) in [(&one_claim, "1/2"), (&two_claims, "2/2")] {
        shards.play(&format!("said.toml --shard {shard}"), text);
    }
    shards.run("merge said.toml").assert_status(0).assert_says(MARK);
    assert_marks(&shards, &[false, true]);
}

/// A player that was changed after an answer may have been fitted to the seed.
#[test]
fn a_claim_played_again_after_a_player_changed_is_marked() {
    const MARK: &str = "played again after the player changed";
    let first = EXPERIMENT.to_owned() + &claim("gain", "any", "") + &claim("gain, other order", "any", "");
    let changed_experiment = first.replace("[\"down\", \"left\"", "[\"left\", \"down\"");
    assert_ne!(first, changed_experiment);
    let assert_marks = |folder: &Folder, expected: [bool; 2]| {
        let claims = read_rows(folder, "results/said/claims.csv");
        let actual: Vec<bool> = claims.iter().map(|row| row["answer"].ends_with(MARK)).collect();
        assert_eq!(actual, expected);
        let manifest: toml::Table = folder.read("results/said/manifest.toml").parse().unwrap();
        let repeated_count =
            manifest.get("repeated_claims").map_or(0, |all| all.as_array().expect("a list").len());
        assert_eq!(repeated_count, expected.iter().filter(|&&is_marked| is_marked).count());
    };
    let folder = play_in_new_folder("said.toml", &first);
    assert_marks(&folder, [false; 2]);
    // Only the claim about the changed player is marked, wherever the answer is shown.
    folder.write("said.toml", &changed_experiment);
    let sentence = "by win, gain, other order is better than any, at level 0.95";
    folder.run("run said.toml").assert_status(0).assert_says(&format!("warning: {MARK}: {sentence}"));
    assert_marks(&folder, [false, true]);
    folder.run("report results/said --out said.html").assert_status(0);
    assert!(folder.read("said.html").contains(MARK));
    folder.run("judge said.toml").assert_status(0).assert_says(MARK);
    assert_marks(&folder, [false, true]);
    // With more games, the answer still counts as repeated.
    folder.play("said.toml", changed_experiment.replace("games = 400", "games = 500"));
    assert_marks(&folder, [false, true]);
    // A repetition of the first answer is not marked. Another seed is another test.
    folder.play("said.toml", &first);
    assert_marks(&folder, [false; 2]);
    folder.play("said.toml", changed_experiment.replace("seed = ", "seed = 1"));
    assert_marks(&folder, [false; 2]);

    // The manifest remembers the answer without its journal.
    for (text, expected) in [(&first, [false; 2]), (&changed_experiment, [false, true])] {
        fs::remove_file(folder.path("results/said/journal.jsonl")).unwrap();
        folder.write("said.toml", text);
        folder.run("run said.toml --replace").assert_status(0);
        assert_marks(&folder, expected);
    }
    // So do the journals of shards.
    let shards = Folder::new();
    for text in [&first, &changed_experiment] {
        shards.write("said.toml", text);
        for shard in ["1/2", "2/2"] {
            shards.run(&format!("run said.toml --quiet --shard {shard}")).assert_status(0);
        }
        shards.run("merge said.toml").assert_status(0);
    }
    assert_marks(&shards, [false, true]);
}
