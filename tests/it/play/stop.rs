//! Runs that end when enough is known.

use std::time::{Duration, Instant};

use crate::bench::{
    ENDLESS, Folder, ProgramOutput, Row, add_checksum, parse_entry, play_in_new_folder, read_rows,
    short_experiment,
};
use crate::tools::lacks_command;

/// Two similar players, and a difference that takes a few hundred blocks.
const CLOSE_STOP: &str =
    "\n[stop]\nbetter = \"gain\"\nthan = \"third\"\nby = \"score\"\ndifference = [-0.1, 0.1]\n";

fn experiment(stop: &str) -> String {
    short_experiment(3000) + stop
}

/// The files that depend only on games.
const GAME_FILES: [&str; 4] = ["games.csv", "win-rate.csv", "max-tile.csv", "stop.csv"];

fn blocks(folder: &Folder) -> u64 {
    read_rows(folder, "results/short/stop.csv")[0]["blocks"].parse().unwrap()
}

#[test]
fn a_run_ends_where_it_ends_on_any_number_of_threads() {
    for stop in [
        "\n[stop]\nbetter = \"gain\"\nthan = \"any\"\n",
        "\n[stop]\nbetter = \"any\"\nthan = \"gain\"\nby = \"reach 128\"\nmethod = \"confidence\"\nlevel = 0.999\n",
        CLOSE_STOP,
    ] {
        let text = experiment(stop);
        let one = play_in_new_folder("short.toml --threads 1", &text);
        let end = blocks(&one);
        assert!((30..3000).contains(&end), "{end} blocks");
        let games = read_rows(&one, "results/short/games.csv");
        assert_eq!(games.len() as u64, 3 * end, "all players have played the same blocks");
        for threads in ["--threads 2", "--threads 16"] {
            let many = play_in_new_folder(&format!("short.toml {threads}"), &text);
            for file in GAME_FILES {
                let name = format!("results/short/{file}");
                assert_eq!(one.read(&name), many.read(&name), "{file} with {threads}");
            }
        }
    }
}

/// The end follows from the scores alone, and one block less decides nothing.
#[test]
fn it_ends_at_the_first_block_that_decides() {
    let folder = play_in_new_folder("short.toml", experiment(CLOSE_STOP));
    let end = blocks(&folder);
    let row = &read_rows(&folder, "results/short/stop.csv")[0];
    let number = |column: &str| row[column].parse::<f64>().expect("a number");
    assert!(number("ratio") <= number("lower") || number("ratio") >= number("upper"), "{row:?}");
    let counts = ["behind", "even", "ahead"].map(|column| row[column].parse::<u64>().unwrap());
    assert_eq!(counts.iter().sum::<u64>(), end);
    let games = read_rows(&folder, "results/short/games.csv");
    let scores = |player: &'static str| {
        let rows = games.iter().filter(move |row| row["player"] == player);
        rows.map(|row| row["score"].parse::<u64>().unwrap()).collect::<Vec<_>>()
    };
    let ahead_count =
        scores("gain").into_iter().zip(scores("third")).filter(|(one, other)| one > other).count();
    assert_eq!(ahead_count as u64, counts[2]);

    // With fewer games, the run continues to its end and decides nothing.
    let fewer_games = experiment(CLOSE_STOP).replace("games = 3000", &format!("games = {}", end - 1));
    folder.write("short.toml", fewer_games);
    let output = folder.run("run short.toml --explain").assert_status(0);
    assert!(
        output.stdout.contains("All blocks were played without a decision of [stop]"),
        "{}",
        output.stdout
    );
    let row = &read_rows(&folder, "results/short/stop.csv")[0];
    assert_eq!((&*row["verdict"], &*row["blocks"]), ("inconclusive", &*(end - 1).to_string()));
}

#[test]
fn a_killed_run_ends_where_it_would_have() {
    let text =
        experiment(CLOSE_STOP).replace("\"random\"", "\"greedy\"").replace("games = 3000", "games = 60_000");
    let text = text.replace("[-0.1, 0.1]", "[-0.01, 0.01]");
    let complete = play_in_new_folder("short.toml", &text);
    // Killed three times as its journal grows. No machine decides so narrow a question before.
    let endless = text.replace("60_000", &ENDLESS.to_string()).replace("[-0.01, 0.01]", "[-1e-6, 1e-6]");
    let folder = Folder::with_file("short.toml", endless);
    for _ in 0..3 {
        let journal = "results/short/journal.jsonl";
        assert!(folder.kill_at("run short.toml --quiet", journal, folder.size(journal) + 5_000));
    }
    folder.write("short.toml", &text);
    folder.run("run short.toml --quiet").assert_status(0);
    for file in GAME_FILES {
        let name = format!("results/short/{file}");
        assert_eq!(folder.read(&name), complete.read(&name), "{file}");
    }
    let second_run = folder.run("run short.toml").assert_status(0);
    assert!(second_run.stdout.contains("no games left to play"), "{}", second_run.stdout);
}

/// A run that ends after some blocks of its shards, which are too long to be played to their end in
/// a test.
fn long_experiment() -> String {
    let text = experiment(CLOSE_STOP)
        .replace("\"random\"", "\"greedy\"")
        .replace("games = 3000", "games = 40_000_000");
    text.replace("[-0.1, 0.1]", "[-0.01, 0.01]")
}

const DECISION: &str = "results/short/decision.jsonl";

/// Waits until the tasks of shards have decided the end of their run.
fn wait_for_decision(folder: &Folder) {
    let start = Instant::now();
    while !std::fs::read_to_string(folder.path(DECISION)).is_ok_and(|text| !text.contains("\"end\":null")) {
        assert!(start.elapsed() < Duration::from_secs(120), "nothing is decided");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn group_thousands(number: u64) -> String {
    let thousands = number / 1000;
    if thousands == 0 { number.to_string() } else { format!("{thousands},{:03}", number % 1000) }
}

fn assert_same_games(folder: &Folder, complete: &Folder) {
    for file in GAME_FILES {
        let name = format!("results/short/{file}");
        assert_eq!(folder.read(&name), complete.read(&name), "{file}");
    }
}

/// Shards take turns by blocks, so the first blocks of the run are played first. The merge decides
/// independently of earlier decisions.
#[test]
fn shards_are_judged_when_they_are_merged() {
    let text = experiment(CLOSE_STOP);
    let complete = play_in_new_folder("short.toml", &text);
    let folder = Folder::with_file("short.toml", &text);
    for shard in ["1/2", "2/2"] {
        folder.run(&format!("run short.toml --quiet --shard {shard}")).assert_status(0);
    }
    folder
        .run("status short.toml")
        .assert_status(0)
        .assert_says("stopped after")
        .assert_says("2 shards: 2 complete");
    folder.run("merge short.toml").assert_status(0);
    assert_same_games(&folder, &complete);
    // The journal of a whole run is enough.
    complete.run("merge short.toml").assert_status(0);
}

/// Tasks end when their journals together decide; one that is killed and one that begins later end
/// there, too.
#[test]
fn tasks_end_when_their_run_is_decided() {
    let text = long_experiment();
    let complete = play_in_new_folder("short.toml", &text);
    let end = blocks(&complete);
    assert!((1_000..300_000).contains(&end), "{end} blocks");
    let folder = Folder::with_file("short.toml", &text);
    // An unreadable journal does not prevent tasks from deciding with the others.
    let unreadable = folder.path("results/short/journal-9-of-9.jsonl");
    std::fs::create_dir_all(&unreadable).expect("a folder");
    let task = |shard: u32| folder.start(&format!("run short.toml --shard {shard}/3 --threads 1"));
    let (one, mut two) = (task(1), task(2));
    folder.wait_for_size("results/short/journal-2-of-3.jsonl", 5_000);
    two.kill().expect("a kill");
    two.wait().expect("an end");
    // Without the blocks of the third task nothing is decided, whatever the others play.
    let later_tasks = [task(2), task(3)];
    wait_for_decision(&folder);
    let mut skip_count = 0;
    for task in [one].into_iter().chain(later_tasks) {
        let output = ProgramOutput::new("a task", &task.wait_with_output().expect("an end")).assert_status(0);
        assert!(
            output.stderr.contains(&format!("the run ended after {} blocks", group_thousands(end))),
            "{}",
            output.stderr
        );
        let message = "cannot read all journals to find the end of the run: ";
        assert!(output.stderr.matches(message).count() < 2, "{}", output.stderr);
        skip_count += u32::from(output.stderr.contains(message));
    }
    assert!(skip_count > 0);
    std::fs::remove_dir(&unreadable).expect("a folder");
    let output = folder.run("status short.toml").assert_status(0).assert_says("3 shards: 3 complete");
    assert!(output.stdout.contains(&format!("stopped after {}", group_thousands(end))), "{}", output.stdout);
    if !lacks_command("cluster") {
        folder
            .run("cluster commands short.toml --shards 3")
            .assert_status(0)
            .assert_says("all 3 shards are complete");
    }
    folder.run("merge short.toml").assert_status(0);
    assert_same_games(&folder, &complete);
    // Shards count as complete although they did not play all their games.
    let journals = (1..=3).map(|shard| folder.read(&format!("results/short/journal-{shard}-of-3.jsonl")));
    let games_in_line = |line: &str| parse_entry(line)["games"]["games"].as_u64().unwrap_or(0);
    let games: u64 = journals.map(|journal| journal.lines().map(games_in_line).sum::<u64>()).sum();
    assert!((3 * end..120_000_000).contains(&games), "{games} of 120,000,000");
}

/// A decision file is not trusted: one of another experiment, a damaged one and a false one change
/// nothing.
#[test]
fn a_decision_that_does_not_count_is_ignored() {
    let text = experiment(CLOSE_STOP);
    let complete = play_in_new_folder("short.toml", &text);
    let folder = Folder::with_file("short.toml", &text);
    let shard =
        |number: u32| folder.run(&format!("run short.toml --quiet --shard {number}/2")).assert_status(0);

    folder.write(DECISION, "what is this\n");
    shard(1).assert_says("decision.jsonl: it is damaged");
    folder.write(DECISION, decision_line("of another", 5));
    shard(2).assert_says("decision.jsonl: it belongs to another version of the experiment");
    // A task that plays for half a second replaces the file.
    folder.write(DECISION, decision_line("of another", 5));
    folder
        .run("status short.toml")
        .assert_status(0)
        .assert_says("it belongs to another version of the experiment");
    folder.run("merge short.toml").assert_status(0);
    assert_same_games(&folder, &complete);
}

/// Returns a line as the program writes it, with a given end.
fn decision_line(experiment: &str, end: u64) -> String {
    add_checksum(&format!(
        r#"{{"decision":{{"experiment":"{experiment}","games":"0123456789abcdef","look":1,"next":1,"blocks":{end},"end":{end}}}}}"#
    ))
}

/// A false end for this very run: tasks believe it, and the merge detects it.
#[test]
fn a_false_decision_is_taken_back() {
    let complete = play_in_new_folder("short.toml", long_experiment());
    let folder = Folder::with_file("short.toml", long_experiment());
    // A decision for this experiment comes from its own tasks.
    let tasks =
        [1, 2].map(|shard| folder.start(&format!("run short.toml --quiet --shard {shard}/2 --threads 1")));
    wait_for_decision(&folder);
    for mut task in tasks {
        task.wait().expect("an end");
    }
    let mut line = parse_entry(&folder.read(DECISION));
    line["decision"]["end"] = 7.into();
    folder.write(DECISION, add_checksum(&line.to_string()));
    for shard in [1, 2] {
        std::fs::remove_file(folder.path(&format!("results/short/journal-{shard}-of-2.jsonl")))
            .expect("a file");
        let output = folder.run(&format!("run short.toml --shard {shard}/2")).assert_status(0);
        assert!(output.stderr.contains("the run ended after 7 blocks"), "{}", output.stderr);
    }
    folder
        .run("merge short.toml")
        .assert_status(1)
        .assert_says("the journals show a different end of the run");
    assert!(!folder.path(DECISION).exists());
    let tasks =
        [1, 2].map(|shard| folder.start(&format!("run short.toml --quiet --shard {shard}/2 --threads 1")));
    for mut task in tasks {
        task.wait().expect("an end");
    }
    folder.run("merge short.toml").assert_status(0);
    assert_same_games(&folder, &complete);
}

/// The test that ended a run answers the claim about the same question: no other test on the same
/// games contradicts it.
#[test]
fn the_claim_it_was_run_for_is_answered_by_what_ended_it() {
    let same_claim = "\n[[claim]]\nbetter = \"gain\"\nthan = \"third\"\n";
    let surer_claim = "\n[[claim]]\nbetter = \"third\"\nthan = \"any\"\nlevel = 0.99\n";
    for (opponent, verdict, claim_verdict) in
        [("any", "better", "confirmed"), ("third", "not better", "inconclusive")]
    {
        let stop = format!("\n[stop]\nbetter = \"gain\"\nthan = {opponent:?}\ndifference = 0.1\n");
        let folder = play_in_new_folder(
            "short.toml",
            experiment(&stop) + &same_claim.replace("third", opponent) + surer_claim,
        );
        let stop = &read_rows(&folder, "results/short/stop.csv")[0];
        assert_eq!(stop["verdict"], verdict, "{stop:?}");
        let claims = read_rows(&folder, "results/short/claims.csv");
        assert_eq!(claims[0]["verdict"], claim_verdict, "{:?}", claims[0]);
        assert!(claims[0]["explanation"].starts_with("[stop] decided that gain is "), "{:?}", claims[0]);
        assert_eq!(claims[0]["p"], "");
        // The test that ended the run does not answer other claims.
        assert!(claims[1]["answer"].contains("(anytime"), "{:?}", claims[1]);
        let comparison = folder.run("compare results/short --by win --explain").assert_status(0);
        assert!(
            comparison.stdout.contains("(anytime") && !comparison.stdout.contains("McNemar"),
            "{}",
            comparison.stdout
        );
    }
}

/// Claims in such a run are answered by tests that are valid at every look, and the result says
/// that the run ended early.
#[test]
fn what_was_looked_at_is_said() {
    let claims = "\n[[claim]]\nbetter = \"gain\"\nthan = \"any\"\n";
    let folder = play_in_new_folder("short.toml", experiment(CLOSE_STOP) + claims);
    let claim = &read_rows(&folder, "results/short/claims.csv")[0];
    assert!(claim["answer"].contains("(anytime)"), "{}", claim["answer"]);
    assert_eq!(claim["verdict"], "confirmed");
    let output = folder.run("run short.toml").assert_status(0);
    assert!(output.stdout.contains("the run stopped early"), "{}", output.stdout);
    let comparison = folder.run("compare results/short --by win --fail-on regression").assert_status(5);
    assert!(comparison.stderr.contains("may have stopped early"), "{}", comparison.stderr);
    let status = folder.run("status results/short").assert_status(0);
    assert!(status.stdout.contains("stopped after"), "{}", status.stdout);
}

/// Two players on seeds that end the run as early as possible, when a test that ignores `[stop]` is
/// far from certain.
fn two_players(stop: &str) -> String {
    let text = short_experiment(3000);
    let text = text.split("\n[[player]]\nname = \"third\"").next().expect("players");
    text.replace("seed = 11", "seed = 3") + stop
}

/// The comparison that ended the run has one answer: at the end of the run, in tables, in claims,
/// in `compare`, in `rank` and on the page.
#[test]
fn what_ended_the_run_has_one_answer() {
    let stop = "\n[stop]\nbetter = \"gain\"\nthan = \"any\"\ndifference = 0.3\n";
    let claim = |player: &str, opponent: &str, settings: &str| {
        format!("\n[[claim]]\nbetter = {player:?}\nthan = {opponent:?}\n{settings}\n")
    };
    let claims = [
        claim("gain", "any", ""),
        claim("any", "gain", ""),
        claim("gain", "any", "margin = 0.01"),
        claim("gain", "any", "by = \"reach 128\""),
    ];
    let folder = Folder::with_file("short.toml", two_players(stop) + &claims.concat());
    let run = folder.run("run short.toml --explain").assert_status(0);
    let stop_row = &read_rows(&folder, "results/short/stop.csv")[0];
    assert_eq!(stop_row["verdict"], "better");
    let explanation = &*stop_row["explanation"];
    assert_eq!(
        explanation,
        "[stop] decided that gain is better than any. The risk of error is about 5 %; the interval is corrected for \
         stopping."
    );
    assert!(run.stdout.contains(explanation), "{}", run.stdout);
    let [estimate, low, high] =
        ["estimate", "estimate_low", "estimate_high"].map(|column| stop_row[column].parse::<f64>().unwrap());
    assert!(0.0 < low && low < estimate && estimate < high && high < 1.0, "{stop_row:?}");
    assert_eq!(stop_row["level"], "0.9");

    let claims = read_rows(&folder, "results/short/claims.csv");
    let assert_verdict = |row: &Row, verdict: &str| {
        assert_eq!(row["verdict"], verdict, "{row:?}");
        assert_eq!(row["explanation"], explanation, "{row:?}");
        assert_eq!((&*row["p"], &*row["adjusted_p"], &*row["level"]), ("", "", "0.9"));
    };
    assert_verdict(&claims[0], "confirmed");
    assert_verdict(&claims[1], "refuted");
    assert_eq!(claims[0]["difference_low"], stop_row["estimate_low"]);
    assert_eq!(claims[1]["difference_high"], format!("-{}", stop_row["estimate_low"]));
    // Claims with another margin or another measure ask other questions.
    for other_claim in &claims[2..] {
        assert!(other_claim["explanation"].contains("corrected for 2 comparisons"), "{other_claim:?}");
        let note = "; [stop] ended the run on another question: by win, gain is better than any";
        assert!(other_claim["answer"].ends_with(note), "{other_claim:?}");
    }

    let compare = |arguments: &str| {
        folder.run(&format!("compare results/short --format csv {arguments}")).assert_status(0).parse_rows()
    };
    assert_verdict(&compare("--by win --baseline any")[0], "better");
    assert_verdict(&compare("--by win --baseline gain")[0], "worse");
    let surer_row = &compare("--by win --level 0.96")[0];
    assert_eq!(surer_row["verdict"], "inconclusive");
    assert!(
        surer_row["answer"].contains("p = 0.15 (anytime)")
            && surer_row["answer"].ends_with("[stop] ended the run at 95 %: by win, gain is better than any"),
        "{surer_row:?}"
    );

    let ranks = folder.run("rank results/short --format csv").assert_status(0).parse_rows();
    let rank_bounds: Vec<_> =
        ranks.iter().map(|row| (&*row["player"], &*row["rank_best"], &*row["rank_worst"])).collect();
    assert_eq!(rank_bounds, [("gain", "1", "1"), ("any", "2", "2")]);

    // The page needs no single games for that.
    for removes_games in [false, true] {
        if removes_games {
            std::fs::remove_file(folder.path("results/short/games.csv")).unwrap();
        }
        folder.run("report results/short --out page.html").assert_status(0);
        let page = folder.read("page.html");
        assert!(page.contains("The difference is significant."), "{removes_games}");
        assert!(page.contains(explanation), "{removes_games}");
    }
}

/// A player that is not better may still be found to be worse: `[stop]` does not hide a regression.
#[test]
fn not_better_may_be_worse() {
    for method in ["difference = 0.1", "method = \"confidence\"", "difference = [-0.1, 0]"] {
        let stop = format!("\n[stop]\nbetter = \"any\"\nthan = \"gain\"\n{method}\n");
        let folder = play_in_new_folder("short.toml", two_players(&stop));
        let stop_row = &read_rows(&folder, "results/short/stop.csv")[0];
        assert!(["worse", "not better"].contains(&&*stop_row["verdict"]), "{stop_row:?}");
        let explanation = &*stop_row["explanation"];
        assert!(stop_row["answer"].starts_with("any vs gain: -"), "{}", stop_row["answer"]);
        let line = "compare results/short --by win --baseline gain --fail-on regression";
        // If the two errors of a test add up to 10 %, it cannot give 95 %; but "worse" is only one
        // of the two.
        let is_unsure = explanation.contains("any is worse. The risk of error of both is about 10 %;");
        let expected_explanation =
            explanation.replace("any is worse.", "any is worse, but not at the 95 % asked for.");
        let expected_output = format!("{}. {expected_explanation}\n", stop_row["answer"]);
        let verdict = if is_unsure { "inconclusive" } else { "worse" };
        assert_eq!(is_unsure, method == "difference = 0.1", "{expected_explanation}");
        // Decision and interval have one rate.
        assert_eq!(stop_row["answer"].contains("] at 90 %;"), is_unsure, "{}", stop_row["answer"]);
        assert_eq!(
            folder.run(&format!("{line} --explain")).assert_status(5).stdout,
            format!("{verdict}  {expected_output}")
        );
        // The table has it as a note, because its columns did not decide.
        folder.run(line).assert_status(5).assert_says(stop_row["answer"].trim_start_matches("any vs gain: "));
    }
}

/// An undecided run says so everywhere.
#[test]
fn nothing_decided_is_an_answer() {
    let stop = "\n[stop]\nbetter = \"gain\"\nthan = \"any\"\ndifference = [0, 0.02]\n";
    let claim = "\n[[claim]]\nbetter = \"gain\"\nthan = \"any\"\n";
    let folder =
        play_in_new_folder("short.toml", two_players(stop).replace("games = 3000", "games = 11") + claim);
    let stop_row = &read_rows(&folder, "results/short/stop.csv")[0];
    assert_eq!(stop_row["verdict"], "inconclusive");
    let explanation = &*stop_row["explanation"];
    assert_eq!(
        explanation,
        "All blocks were played without a decision of [stop]; the interval is corrected for stopping."
    );
    assert!(stop_row["answer"].contains("] with each bound at 95 %; SPRT"), "{}", stop_row["answer"]);
    let claims = read_rows(&folder, "results/short/claims.csv");
    assert_eq!((&*claims[0]["verdict"], &*claims[0]["explanation"]), ("inconclusive", explanation));
    let comparison = folder.run("compare results/short --by win --baseline any --explain").assert_status(0);
    assert_eq!(comparison.stdout, format!("inconclusive  {}. {explanation}\n", stop_row["answer"]));
    // The bounds of the test have their own level, which the heading lacks.
    let table = folder.run("compare results/short --by win --baseline any").assert_status(0);
    assert!(
        table.stdout.contains("difference [95 %]") && table.stdout.contains("] at 90 %"),
        "{}",
        table.stdout
    );
}
