//! Games added after an answer: later answers are corrected for it.

use crate::bench::{Folder, ProgramOutput, Row, play_in_new_folder, read_rows};
use crate::tools::lacks_command;

/// Two players of equal strength: one is the mirror image of the other at a diagonal.
fn equal_players(games: u64, tables: &str) -> String {
    format!(
        "name = \"grown\"\ngame = \"2048\"\nseed = 5\ngames = {games}\nwin = 256\n[[player]]\nname = \"one\"\nalgorithm = \"greedy\"\n\
         order = [\"down\", \"left\", \"right\", \"up\"]\n[[player]]\nname = \"other\"\nalgorithm = \"greedy\"\n\
         order = [\"right\", \"up\", \"down\", \"left\"]\n{tables}"
    )
}

const CLAIMS: &str = "[[claim]]\nbetter = \"one\"\nthan = \"other\"\n[[claim]]\nbetter = \"one\"\nthan = \"other\"\nby = \"score\"\n\
    [[claim]]\nbetter = \"one\"\nthan = \"other\"\nmargin = 0.01\n\
    [[published]]\nplayer = \"one\"\nwhat = \"win\"\nvalue = 0.3\nsource = \"they\"\n";

fn read_claims(folder: &Folder, results: &str) -> Vec<[String; 3]> {
    let rows = read_rows(folder, &format!("{results}/claims.csv"));
    rows.iter().map(|row| ["earlier_answers", "p", "difference_low"].map(|name| row[name].clone())).collect()
}

/// Returns the number of earlier answers for which all verdicts are corrected.
#[track_caller]
fn count_earlier_answers(folder: &Folder, results: &str) -> u64 {
    let mut counts: Vec<u64> = Vec::new();
    for table in ["claims", "published"] {
        let rows = read_rows(folder, &format!("{results}/{table}.csv"));
        counts.extend(rows.iter().map(|row| row["earlier_answers"].parse::<u64>().expect("a number")));
        let is_corrected = |row: &Row| row["explanation"].contains("earlier answer");
        assert!(rows.iter().all(|row| is_corrected(row) == (row["earlier_answers"] != "0")), "{rows:?}");
    }
    assert!(counts.windows(2).all(|pair| pair[0] == pair[1]), "{counts:?}");
    counts[0]
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("{text:?} is no number"))
}

fn run(folder: &Folder, games: u64, options: &str) -> ProgramOutput {
    folder.write("grown.toml", equal_players(games, CLAIMS));
    folder.run(&format!("run grown.toml {options}")).assert_status(0)
}

/// Each answer is corrected for the answers before it, even if nobody read them. The games equal
/// the games of a single run.
#[test]
fn each_number_of_games_counts_once() {
    let folder = Folder::new();
    run(&folder, 60, "--quiet");
    assert_eq!(count_earlier_answers(&folder, "results/grown"), 0);
    let output = run(&folder, 120, "");
    assert_eq!(count_earlier_answers(&folder, "results/grown"), 1);
    output
        .assert_says(
            "corrected for 1 earlier answer (after 60 games); intervals of single players are not. At",
        )
        .assert_says("1 earlier answer)");
    run(&folder, 180, "--quiet");
    assert_eq!(count_earlier_answers(&folder, "results/grown"), 2);
    let grown = folder.read("results/grown/claims.csv");
    // Repeating an answer does not change it, and the first one is unchanged.
    run(&folder, 180, "--quiet");
    assert_eq!(folder.read("results/grown/claims.csv"), grown);
    folder.run("judge grown.toml").assert_status(0);
    assert_eq!(folder.read("results/grown/claims.csv"), grown);

    folder.run("run grown.toml --quiet --results fresh").assert_status(0);
    assert_eq!(count_earlier_answers(&folder, "fresh/grown"), 0);
    assert_eq!(folder.read("fresh/grown/games.csv"), folder.read("results/grown/games.csv"));
    for (fresh, grown) in
        read_claims(&folder, "fresh/grown").iter().zip(read_claims(&folder, "results/grown"))
    {
        let corrected_p = (12.0 * number(&fresh[1])).min(1.0);
        assert!((number(&grown[1]) / corrected_p - 1.0).abs() < 0.02, "{fresh:?}, {grown:?}");
        // Scores have a ratio.
        assert!(grown[2].is_empty() || number(&grown[2]) < number(&fresh[2]), "{fresh:?}, {grown:?}");
    }
    let measured =
        |results: &str| number(&read_rows(&folder, &format!("{results}/published.csv"))[0]["measured_low"]);
    assert!(measured("results/grown") < measured("fresh/grown"));

    run(&folder, 60, "--quiet");
    assert_eq!(count_earlier_answers(&folder, "results/grown"), 0);
}

#[test]
fn other_commands_say_the_same() {
    let folder = Folder::new();
    run(&folder, 60, "--quiet");
    run(&folder, 120, "--quiet");
    folder.run("run grown.toml --quiet --results fresh").assert_status(0);
    let p = |results: &str| -> Vec<f64> {
        let rows = folder.run(&format!("compare {results} --format csv")).assert_status(0).parse_rows();
        rows.iter().map(|row| number(&row["p"])).collect()
    };
    for (fresh, grown) in p("fresh/grown").into_iter().zip(p("results/grown")) {
        assert!((grown / (6.0 * fresh).min(1.0) - 1.0).abs() < 0.02, "{fresh}, {grown}");
    }
    let message = "corrected for 1 earlier answer (after 60 games)";
    for command in ["compare", "rank"] {
        folder.run(&format!("{command} results/grown")).assert_status(0).assert_says(message);
    }
    folder.run("report results/grown --out grown.html").assert_status(0);
    assert!(folder.read("grown.html").contains(message));
}

/// `--games` plays in other folders, which contain the same games.
#[test]
fn changes_on_the_command_line_are_answers_about_the_same_games() {
    let folder = Folder::new();
    run(&folder, 60, "--quiet");
    for (games, expected) in [(120, 1), (180, 2), (90, 3)] {
        folder.run(&format!("run grown.toml --quiet --games {games}")).assert_status(0);
        assert_eq!(
            count_earlier_answers(&folder, &format!("results/grown+games={games}")),
            expected,
            "{games}"
        );
    }
    // The first answer was about this number of games.
    run(&folder, 60, "--quiet");
    assert_eq!(count_earlier_answers(&folder, "results/grown"), 0);
    run(&folder, 240, "--quiet");
    assert_eq!(count_earlier_answers(&folder, "results/grown"), 4);
    // Another seed is another sample.
    folder.play("grown.toml --name other", equal_players(300, CLAIMS).replace("seed = 5", "seed = 6"));
    assert_eq!(count_earlier_answers(&folder, "results/other"), 0);
}

#[test]
fn shards_are_answered_when_they_are_merged() {
    let folder = Folder::new();
    for (games, expected) in [(60, 0), (120, 1)] {
        folder.write("grown.toml", equal_players(games, CLAIMS));
        for shard in ["1/2", "2/2"] {
            folder.run(&format!("run grown.toml --quiet --shard {shard}")).assert_status(0);
        }
        folder.run("merge grown.toml").assert_status(0);
        assert_eq!(count_earlier_answers(&folder, "results/grown"), expected);
    }
    // A journal contains the answers about its games, so a merge counts them.
    folder.play("grown.toml --results rest --shard 1/1", equal_players(180, CLAIMS));
    folder.run("merge grown.toml results/grown/journal.jsonl --results rest").assert_status(0);
    assert_eq!(count_earlier_answers(&folder, "rest/grown"), 2);
}

/// A run that was stopped before its answer does not count as an answer.
#[test]
fn what_gave_no_answer_does_not_count() {
    let folder = Folder::new();
    run(&folder, 60, "--quiet --shard 1/2");
    run(&folder, 120, "--quiet");
    assert_eq!(count_earlier_answers(&folder, "results/grown"), 0);
    // A player that was added later was in no earlier answer.
    let third_player = "[[player]]\nname = \"third\"\nalgorithm = \"random\"\n";
    let third_claim = "[[claim]]\nbetter = \"one\"\nthan = \"third\"\n";
    folder.play("grown.toml", equal_players(180, &format!("{third_player}{CLAIMS}{third_claim}")));
    let counts: Vec<String> = read_claims(&folder, "results/grown")
        .into_iter()
        .map(|[earlier_answers, ..]| earlier_answers)
        .collect();
    assert_eq!(counts, ["1", "1", "1", "0"]);
    // A changed player was in no earlier answer, either.
    let changed_experiment =
        equal_players(240, CLAIMS).replace("order = [\"down\"", "ties = \"last\"\norder = [\"down\"");
    folder.play("grown.toml", changed_experiment);
    assert_eq!(read_claims(&folder, "results/grown")[0][0], "0");
}

/// A run that ended by its time limit has shown its complete blocks.
#[test]
fn a_part_that_was_shown_counts() {
    let folder = play_in_new_folder("grown.toml --for 1s", equal_players(100_000_000, CLAIMS));
    let blocks = folder.blocks("results/grown+for=1s");
    let games = blocks + 100;
    folder.run(&format!("run grown.toml --quiet --games {games} --name grown+more")).assert_status(0);
    // It has its own name, and no folder to take games from.
    folder.play("grown.toml", equal_players(games, CLAIMS));
    assert_eq!(count_earlier_answers(&folder, "results/grown"), 1);
}

/// The number of games that the file declares as seen counts like a recorded answer, and once.
#[test]
fn what_the_file_says_was_seen_counts() {
    let folder = Folder::new();
    folder.play(
        "grown.toml",
        equal_players(120, CLAIMS).replace("games = 120", "games = 120\nextended_from = 60"),
    );
    assert_eq!(count_earlier_answers(&folder, "results/grown"), 1);
    let folder = Folder::new();
    run(&folder, 60, "--quiet");
    folder.play(
        "grown.toml",
        equal_players(120, CLAIMS).replace("games = 120", "games = 120\nextended_from = 60"),
    );
    assert_eq!(count_earlier_answers(&folder, "results/grown"), 1);
}

/// Tests of `[stop]` are valid at every look and not corrected; tests of scores are corrected.
#[test]
fn a_stop_stays_as_it_is() {
    let folder = Folder::new();
    let stop = "[stop]\nbetter = \"one\"\nthan = \"other\"\ndifference = 0.001\n";
    let claims = CLAIMS.replace("by = \"score\"", "by = \"reach 128\"");
    for games in [60, 120] {
        folder.play("grown.toml", equal_players(games, &format!("{claims}{stop}")));
    }
    assert!(read_rows(&folder, "results/grown/claims.csv").iter().all(|row| row["earlier_answers"] == "0"));
    for (measure, expected) in [("win", "0"), ("score", "1")] {
        let output =
            folder.run(&format!("compare results/grown --by {measure} --format csv")).assert_status(0);
        assert_eq!(output.parse_rows()[0]["earlier_answers"], expected, "{measure}");
    }
    folder.run("run grown.toml --quiet --results fresh").assert_status(0);
    assert_eq!(folder.read("fresh/grown/stop.csv"), folder.read("results/grown/stop.csv"));
}

/// Returns the numbers of earlier answers for which the claims of these results are corrected.
fn earlier_answers(folder: &Folder, results: &str) -> Vec<u64> {
    let rows = read_rows(folder, &format!("{results}/claims.csv"));
    rows.iter().map(|row| row["earlier_answers"].parse().expect("a number")).collect()
}

const CLAIM: &str = "[[claim]]\nbetter = \"one\"\nthan = \"other\"\n";

fn changed_player(games: u64) -> String {
    equal_players(games, CLAIM).replace("order = [\"down\"", "ties = \"last\"\norder = [\"down\"")
}

/// A number of games counts again for a changed player.
#[test]
fn a_changed_player_has_answers_of_its_own() {
    let folder = Folder::new();
    for games in [60, 120] {
        folder.play("grown.toml", equal_players(games, CLAIM));
    }
    for (games, expected) in [(60, 0), (120, 1), (240, 2)] {
        folder.play("grown.toml", changed_player(games));
        assert_eq!(earlier_answers(&folder, "results/grown"), [expected], "{games}");
    }
}

/// A number of games counts again for an added player.
#[test]
fn an_added_player_has_answers_of_its_own() {
    let folder = Folder::new();
    let third_player = "[[player]]\nname = \"third\"\nalgorithm = \"random\"\n[[claim]]\nbetter = \"one\"\nthan = \"third\"\n";
    folder.play("grown.toml", equal_players(60, CLAIM));
    for (games, expected) in [(60, [0, 0]), (120, [1, 1])] {
        folder.play("grown.toml", equal_players(games, &format!("{CLAIM}{third_player}")));
        assert_eq!(earlier_answers(&folder, "results/grown"), expected, "{games}");
    }
}

/// A number of games counts again with another seed.
#[test]
fn another_seed_has_answers_of_its_own() {
    let folder = Folder::new();
    for (seed, games, expected) in [(5, 60, 0), (6, 60, 0), (6, 120, 1), (7, 240, 0)] {
        folder.play("grown.toml", equal_players(games, CLAIM).replace("seed = 5", &format!("seed = {seed}")));
        assert_eq!(earlier_answers(&folder, "results/grown"), [expected], "{seed}, {games}");
    }
    let manifest: toml::Table = folder.read("results/grown/manifest.toml").parse().unwrap();
    assert_eq!(manifest["answer"].as_array().expect("answers").len(), 1, "of this seed");
}

/// Answers about one of two players are not answers about the pair.
#[test]
fn answers_about_one_player_are_not_about_two() {
    let folder = play_in_new_folder("grown.toml", equal_players(60, CLAIM));
    for games in [90, 120] {
        folder.run(&format!("run grown.toml --quiet --only one --games {games}")).assert_status(0);
    }
    folder.run("run grown.toml --quiet --games 240").assert_status(0);
    assert_eq!(earlier_answers(&folder, "results/grown+games=240"), [1]);
}

#[test]
fn answers_about_a_changed_player_are_not_about_the_original() {
    let folder = play_in_new_folder("grown.toml --set one:ties=last", equal_players(60, CLAIMS));
    folder.run("run grown.toml --quiet --set one:ties=last --games 120").assert_status(0);
    folder.run("run grown.toml --quiet --games 240").assert_status(0);
    assert_eq!(earlier_answers(&folder, "results/grown+games=240"), [0, 0, 0]);
    folder.run("run grown.toml --quiet --set one:ties=last --games 240").assert_status(0);
    let names = std::fs::read_dir(folder.path("results")).unwrap().map(|entry| entry.unwrap().file_name());
    let is_last = |name: &String| name.contains("ties") && name.contains("240");
    let changed_folder = names.filter_map(|name| name.into_string().ok()).find(is_last).expect("its results");
    assert_eq!(earlier_answers(&folder, &format!("results/{changed_folder}")), [2, 2, 2]);
}

/// Two players of which the first is better, so that `[stop]` ends a run.
fn unequal_players(games: u64, tables: &str) -> String {
    equal_players(games, &format!("{CLAIM}{tables}")).replace(
        "algorithm = \"greedy\"\norder = [\"right\"",
        "algorithm = \"fixed-order\"\norder = [\"right\"",
    )
}

/// A number of games that `[stop]` chose was not fixed in advance, even if the experiment says so
/// later.
#[test]
fn the_end_of_a_stop_counts_as_an_answer() {
    let folder = Folder::new();
    let stop = "[stop]\nbetter = \"one\"\nthan = \"other\"\ndifference = 0.05\n";
    folder.play("grown.toml", unequal_players(20_000, stop));
    let games =
        read_rows(&folder, "results/grown/win-rate.csv")[0]["games"].parse::<u64>().expect("a number");
    assert!(games < 20_000, "the run ended early");
    folder.write("grown.toml", unequal_players(games, ""));
    let output = folder.run("run grown.toml").assert_status(0);
    output.assert_says("the run stopped early").assert_says("corrected for 1 earlier answer");
    assert_eq!(earlier_answers(&folder, "results/grown"), [1]);
    folder.run("compare results/grown").assert_status(0).assert_says("the run stopped early");
    folder.run("judge grown.toml").assert_status(0);
    assert_eq!(earlier_answers(&folder, "results/grown"), [1]);
    // Repeating the answer does not change it.
    folder.run("run grown.toml --quiet").assert_status(0);
    assert_eq!(earlier_answers(&folder, "results/grown"), [1]);
}

/// A part that is shown when the time is over is corrected for answers of other runs of the
/// experiment.
#[test]
fn a_part_that_is_shown_is_corrected() {
    let folder = Folder::new();
    run(&folder, 60, "--quiet");
    folder.write("grown.toml", equal_players(100_000_000, CLAIMS));
    folder
        .run("run grown.toml --for 1s")
        .assert_status(0)
        .assert_says("p and intervals of comparisons account for early stopping");
    // A fast machine plays more games in a second than are compared without a request.
    folder.run("compare results/grown+for=1s").assert_status(0).assert_says("corrected for 1 earlier answer");
}

/// The experiment's answers count for a part, even though external programs play all games again.
#[test]
fn a_part_of_programs_is_corrected() {
    if lacks_command("serve") {
        return;
    }
    let folder = Folder::new();
    let served_experiment = |games: u64| {
        let players = ["one", "other"].map(|name| {
            format!(
                "[[player]]\nname = \"{name}\"\nalgorithm = \"external\"\nreproducible = true\n\
                 command = [{:?}, \"serve\", \"grown.toml\", \"--player\", \"{name}\"]\n",
                crate::bench::PROGRAM
            )
        });
        let header = equal_players(games, "");
        let header = header.split("[[player]]").next().expect("a head").replace("grown", "served");
        header + &players.concat()
    };
    folder.write("grown.toml", equal_players(2, ""));
    folder.play("served.toml --allow-commands", served_experiment(3));
    folder.write("served.toml", served_experiment(100_000_000));
    let output = folder.run("run served.toml --for 3s --allow-commands").assert_status(0);
    output.assert_says("1 earlier answer)");
}

/// Journals that cannot be read are named.
#[test]
fn answers_that_cannot_be_read_are_named() {
    let folder = Folder::new();
    run(&folder, 60, "--quiet");
    folder.run("run grown.toml --quiet --games 120").assert_status(0);
    let journal = "results/grown+games=120/journal.jsonl";
    std::fs::remove_file(folder.path(journal)).unwrap();
    std::fs::create_dir(folder.path(journal)).unwrap();
    run(&folder, 180, "--quiet").assert_says("earlier results in results/grown+games=120 are not counted: ");
}
