//! Runs that end when enough is known.

use std::time::{Duration, Instant};

use crate::bench::{
    Folder, ProgramOutput, Row, add_checksum, parse_entry, play_in_new_folder, read_rows, short_experiment,
};
use crate::tools::lacks_command;

/// Two similar players, and a difference that takes a few hundred blocks.
const CLOSE: &str =
    "\n[stop]\nbetter = \"gain\"\nthan = \"third\"\nby = \"score\"\ndifference = [-0.1, 0.1]\n";

fn experiment(stop: &str) -> String {
    short_experiment(3000) + stop
}

/// The files that depend only on games.
const OF_GAMES: [&str; 4] = ["games.csv", "win-rate.csv", "max-tile.csv", "stop.csv"];

fn blocks(folder: &Folder) -> u64 {
    read_rows(folder, "results/short/stop.csv")[0]["blocks"].parse().unwrap()
}

#[test]
fn a_run_ends_where_it_ends_on_any_number_of_threads() {
    for stop in [
        "\n[stop]\nbetter = \"gain\"\nthan = \"any\"\n",
        "\n[stop]\nbetter = \"any\"\nthan = \"gain\"\nby = \"reach 128\"\nmethod = \"confidence\"\nlevel = 0.999\n",
        CLOSE,
    ] {
        let text = experiment(stop);
        let one = play_in_new_folder("short.toml --threads 1", &text);
        let end = blocks(&one);
        assert!((30..3000).contains(&end), "{end} blocks");
        let games = read_rows(&one, "results/short/games.csv");
        assert_eq!(games.len() as u64, 3 * end, "all players have played the same blocks");
        for threads in ["--threads 2", "--threads 16"] {
            let many = play_in_new_folder(&format!("short.toml {threads}"), &text);
            for file in OF_GAMES {
                let name = format!("results/short/{file}");
                assert_eq!(one.read(&name), many.read(&name), "{file} with {threads}");
            }
        }
    }
}

/// The end follows from the scores alone, and one block less decides nothing.
#[test]
fn it_ends_at_the_first_block_that_decides() {
    let folder = play_in_new_folder("short.toml", experiment(CLOSE));
    let end = blocks(&folder);
    let row = &read_rows(&folder, "results/short/stop.csv")[0];
    let number = |column: &str| row[column].parse::<f64>().expect("a number");
    assert!(number("ratio") <= number("lower") || number("ratio") >= number("upper"), "{row:?}");
    let counted = ["behind", "even", "ahead"].map(|column| row[column].parse::<u64>().unwrap());
    assert_eq!(counted.iter().sum::<u64>(), end);
    let games = read_rows(&folder, "results/short/games.csv");
    let scores = |player: &'static str| {
        let of = games.iter().filter(move |row| row["player"] == player);
        of.map(|row| row["score"].parse::<u64>().unwrap()).collect::<Vec<_>>()
    };
    let ahead = scores("gain").into_iter().zip(scores("third")).filter(|(one, other)| one > other).count();
    assert_eq!(ahead as u64, counted[2]);

    // With fewer games, the run continues to its end and decides nothing.
    let fewer = experiment(CLOSE).replace("games = 3000", &format!("games = {}", end - 1));
    folder.write("short.toml", fewer);
    let said = folder.run("run short.toml --explain").assert_status(0);
    assert!(said.out.contains("All blocks were played without a decision of [stop]"), "{}", said.out);
    let row = &read_rows(&folder, "results/short/stop.csv")[0];
    assert_eq!((&*row["verdict"], &*row["blocks"]), ("inconclusive", &*(end - 1).to_string()));
}

#[test]
fn a_killed_run_ends_where_it_would_have() {
    let text =
        experiment(CLOSE).replace("\"random\"", "\"greedy\"").replace("games = 3000", "games = 60_000");
    let text = text.replace("[-0.1, 0.1]", "[-0.01, 0.01]");
    let whole = play_in_new_folder("short.toml", &text);
    let folder = Folder::with_file("short.toml", &text);
    // Killed three times as its journal grows; the first time it is not finished.
    for death in 0..3 {
        let journal = "results/short/journal.jsonl";
        let is_killed = folder.kill_at("run short.toml --quiet", journal, folder.size(journal) + 5_000);
        assert!(death > 0 || is_killed, "nothing was interrupted");
    }
    folder.run("run short.toml --quiet").assert_status(0);
    for file in OF_GAMES {
        let name = format!("results/short/{file}");
        assert_eq!(folder.read(&name), whole.read(&name), "{file}");
    }
    let again = folder.run("run short.toml").assert_status(0);
    assert!(again.out.contains("no games left to play"), "{}", again.out);
}

/// A run that ends after some blocks of its shards, which are too long to be played to their end in
/// a test.
fn long() -> String {
    let text =
        experiment(CLOSE).replace("\"random\"", "\"greedy\"").replace("games = 3000", "games = 40_000_000");
    text.replace("[-0.1, 0.1]", "[-0.01, 0.01]")
}

const DECISION: &str = "results/short/decision.jsonl";

/// Waits until the tasks of shards have decided the end of their run.
fn wait_for_decision(folder: &Folder) {
    let patience = Instant::now();
    while !std::fs::read_to_string(folder.path(DECISION)).is_ok_and(|told| !told.contains("\"end\":null")) {
        assert!(patience.elapsed() < Duration::from_secs(120), "nothing is decided");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn grouped(number: u64) -> String {
    let thousands = number / 1000;
    if thousands == 0 { number.to_string() } else { format!("{thousands},{:03}", number % 1000) }
}

fn same_games(folder: &Folder, whole: &Folder) {
    for file in OF_GAMES {
        let name = format!("results/short/{file}");
        assert_eq!(folder.read(&name), whole.read(&name), "{file}");
    }
}

/// Shards take turns by blocks, so the first blocks of the run are played first. The merge decides
/// independently of earlier decisions.
#[test]
fn shards_are_judged_when_they_are_merged() {
    let text = experiment(CLOSE);
    let whole = play_in_new_folder("short.toml", &text);
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
    same_games(&folder, &whole);
    // The journal of a whole run is enough.
    whole.run("merge short.toml").assert_status(0);
}

/// Tasks end when their journals together decide; one that is killed and one that begins later end
/// there, too.
#[test]
fn tasks_end_when_their_run_is_decided() {
    let text = long();
    let whole = play_in_new_folder("short.toml", &text);
    let end = blocks(&whole);
    assert!((1_000..300_000).contains(&end), "{end} blocks");
    let folder = Folder::with_file("short.toml", &text);
    // An unreadable journal does not prevent tasks from deciding with the others.
    let unreadable = folder.path("results/short/journal-9-of-9.jsonl");
    std::fs::create_dir_all(&unreadable).expect("a folder");
    let task = |shard: u32| folder.start(&format!("run short.toml --shard {shard}/3 --threads 1"));
    let (one, mut two) = (task(1), task(2));
    folder.wait_for("results/short/journal-2-of-3.jsonl", 5_000);
    two.kill().expect("a kill");
    two.wait().expect("an end");
    // Without the blocks of the third task nothing is decided, whatever the others play.
    let later = [task(2), task(3)];
    wait_for_decision(&folder);
    let mut passed_over = 0;
    for task in [one].into_iter().chain(later) {
        let said = ProgramOutput::new("a task", &task.wait_with_output().expect("an end")).assert_status(0);
        assert!(said.err.contains(&format!("the run ended after {} blocks", grouped(end))), "{}", said.err);
        let told = "cannot read all journals to find the end of the run: ";
        assert!(said.err.matches(told).count() < 2, "{}", said.err);
        passed_over += u32::from(said.err.contains(told));
    }
    assert!(passed_over > 0);
    std::fs::remove_dir(&unreadable).expect("a folder");
    let said = folder.run("status short.toml").assert_status(0).assert_says("3 shards: 3 complete");
    assert!(said.out.contains(&format!("stopped after {}", grouped(end))), "{}", said.out);
    if !lacks_command("cluster") {
        folder
            .run("cluster commands short.toml --shards 3")
            .assert_status(0)
            .assert_says("all 3 shards are complete");
    }
    folder.run("merge short.toml").assert_status(0);
    same_games(&folder, &whole);
    // Shards count as complete although they did not play all their games.
    let held = (1..=3).map(|shard| folder.read(&format!("results/short/journal-{shard}-of-3.jsonl")));
    let of_line = |line: &str| parse_entry(line)["games"]["games"].as_u64().unwrap_or(0);
    let games: u64 = held.map(|journal| journal.lines().map(of_line).sum::<u64>()).sum();
    assert!((3 * end..120_000_000).contains(&games), "{games} of 120,000,000");
}

/// A decision file is not trusted: one of another experiment, a damaged one and a false one change
/// nothing.
#[test]
fn a_decision_that_does_not_count_is_ignored() {
    let text = experiment(CLOSE);
    let whole = play_in_new_folder("short.toml", &text);
    let folder = Folder::with_file("short.toml", &text);
    let shard =
        |number: u32| folder.run(&format!("run short.toml --quiet --shard {number}/2")).assert_status(0);

    folder.write(DECISION, "what is this\n");
    shard(1).assert_says("decision.jsonl: it is damaged");
    folder.write(DECISION, decision("of another", 5));
    shard(2).assert_says("decision.jsonl: it belongs to another version of the experiment");
    // A task that plays for half a second replaces the file.
    folder.write(DECISION, decision("of another", 5));
    folder
        .run("status short.toml")
        .assert_status(0)
        .assert_says("it belongs to another version of the experiment");
    folder.run("merge short.toml").assert_status(0);
    same_games(&folder, &whole);
}

/// Returns a line as the program writes it, with a given end.
fn decision(experiment: &str, end: u64) -> String {
    add_checksum(&format!(
        r#"{{"decision":{{"experiment":"{experiment}","games":"0123456789abcdef","look":1,"next":1,"blocks":{end},"end":{end}}}}}"#
    ))
}

/// A false end for this very run: tasks believe it, and the merge detects it.
#[test]
fn a_false_decision_is_taken_back() {
    let whole = play_in_new_folder("short.toml", long());
    let folder = Folder::with_file("short.toml", long());
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
        let said = folder.run(&format!("run short.toml --shard {shard}/2")).assert_status(0);
        assert!(said.err.contains("the run ended after 7 blocks"), "{}", said.err);
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
    same_games(&folder, &whole);
}

/// The test that ended a run answers the claim about the same question: no other test on the same
/// games contradicts it.
#[test]
fn the_claim_it_was_run_for_is_answered_by_what_ended_it() {
    let same = "\n[[claim]]\nbetter = \"gain\"\nthan = \"third\"\n";
    let surer = "\n[[claim]]\nbetter = \"third\"\nthan = \"any\"\nlevel = 0.99\n";
    for (than, verdict, claimed) in [("any", "better", "confirmed"), ("third", "not better", "inconclusive")]
    {
        let stop = format!("\n[stop]\nbetter = \"gain\"\nthan = {than:?}\ndifference = 0.1\n");
        let folder =
            play_in_new_folder("short.toml", experiment(&stop) + &same.replace("third", than) + surer);
        let stop = &read_rows(&folder, "results/short/stop.csv")[0];
        assert_eq!(stop["verdict"], verdict, "{stop:?}");
        let claims = read_rows(&folder, "results/short/claims.csv");
        assert_eq!(claims[0]["verdict"], claimed, "{:?}", claims[0]);
        assert!(claims[0]["explanation"].starts_with("[stop] decided that gain is "), "{:?}", claims[0]);
        assert_eq!(claims[0]["p"], "");
        // The test that ended the run does not answer other claims.
        assert!(claims[1]["answer"].contains("(anytime"), "{:?}", claims[1]);
        let compared = folder.run("compare results/short --by win --explain").assert_status(0);
        assert!(compared.out.contains("(anytime") && !compared.out.contains("McNemar"), "{}", compared.out);
    }
}

/// Claims in such a run are answered by tests that are valid at every look, and the result says
/// that the run ended early.
#[test]
fn what_was_looked_at_is_said() {
    let claims = "\n[[claim]]\nbetter = \"gain\"\nthan = \"any\"\n";
    let folder = play_in_new_folder("short.toml", experiment(CLOSE) + claims);
    let claim = &read_rows(&folder, "results/short/claims.csv")[0];
    assert!(claim["answer"].contains("(anytime)"), "{}", claim["answer"]);
    assert_eq!(claim["verdict"], "confirmed");
    let said = folder.run("run short.toml").assert_status(0);
    assert!(said.out.contains("the run stopped early"), "{}", said.out);
    let compared = folder.run("compare results/short --by win --fail-on regression").assert_status(5);
    assert!(compared.err.contains("may have stopped early"), "{}", compared.err);
    let status = folder.run("status results/short").assert_status(0);
    assert!(status.out.contains("stopped after"), "{}", status.out);
}

/// Two players on seeds that end the run as early as possible, when a test that ignores `[stop]` is
/// far from certain.
fn two(stop: &str) -> String {
    let head = short_experiment(3000);
    let head = head.split("\n[[player]]\nname = \"third\"").next().expect("players");
    head.replace("seed = 11", "seed = 3") + stop
}

/// The comparison that ended the run has one answer: at the end of the run, in tables, in claims,
/// in `compare`, in `rank` and on the page.
#[test]
fn what_ended_the_run_has_one_answer() {
    let stop = "\n[stop]\nbetter = \"gain\"\nthan = \"any\"\ndifference = 0.3\n";
    let claim = |better: &str, than: &str, more: &str| {
        format!("\n[[claim]]\nbetter = {better:?}\nthan = {than:?}\n{more}\n")
    };
    let claims = [
        claim("gain", "any", ""),
        claim("any", "gain", ""),
        claim("gain", "any", "margin = 0.01"),
        claim("gain", "any", "by = \"reach 128\""),
    ];
    let folder = Folder::with_file("short.toml", two(stop) + &claims.concat());
    let run = folder.run("run short.toml --explain").assert_status(0);
    let ended = &read_rows(&folder, "results/short/stop.csv")[0];
    assert_eq!(ended["verdict"], "better");
    let said = &*ended["explanation"];
    assert_eq!(
        said,
        "[stop] decided that gain is better than any. The risk of error is about 5 %; the interval is corrected for \
         stopping."
    );
    assert!(run.out.contains(said), "{}", run.out);
    let [estimate, low, high] =
        ["estimate", "estimate_low", "estimate_high"].map(|column| ended[column].parse::<f64>().unwrap());
    assert!(0.0 < low && low < estimate && estimate < high && high < 1.0, "{ended:?}");
    assert_eq!(ended["level"], "0.9");

    let claims = read_rows(&folder, "results/short/claims.csv");
    let told = |row: &Row, verdict: &str| {
        assert_eq!(row["verdict"], verdict, "{row:?}");
        assert_eq!(row["explanation"], said, "{row:?}");
        assert_eq!((&*row["p"], &*row["adjusted_p"], &*row["level"]), ("", "", "0.9"));
    };
    told(&claims[0], "confirmed");
    told(&claims[1], "refuted");
    assert_eq!(claims[0]["difference_low"], ended["estimate_low"]);
    assert_eq!(claims[1]["difference_high"], format!("-{}", ended["estimate_low"]));
    // Claims with another margin or another measure ask other questions.
    for other in &claims[2..] {
        assert!(other["explanation"].contains("corrected for 2 comparisons"), "{other:?}");
        let note = "; [stop] ended the run on another question: by win, gain is better than any";
        assert!(other["answer"].ends_with(note), "{other:?}");
    }

    let compared = |arguments: &str| {
        folder.run(&format!("compare results/short --format csv {arguments}")).assert_status(0).parse_rows()
    };
    told(&compared("--by win --baseline any")[0], "better");
    told(&compared("--by win --baseline gain")[0], "worse");
    let surer = &compared("--by win --level 0.96")[0];
    assert_eq!(surer["verdict"], "inconclusive");
    assert!(
        surer["answer"].contains("p = 0.15 (anytime)")
            && surer["answer"].ends_with("[stop] ended the run at 95 %: by win, gain is better than any"),
        "{surer:?}"
    );

    let ranks = folder.run("rank results/short --format csv").assert_status(0).parse_rows();
    let told: Vec<_> =
        ranks.iter().map(|row| (&*row["player"], &*row["rank_best"], &*row["rank_worst"])).collect();
    assert_eq!(told, [("gain", "1", "1"), ("any", "2", "2")]);

    // The page needs no single games for that.
    for remove in [false, true] {
        if remove {
            std::fs::remove_file(folder.path("results/short/games.csv")).unwrap();
        }
        folder.run("report results/short --out page.html").assert_status(0);
        let page = folder.read("page.html");
        assert!(page.contains("The difference is significant."), "{remove}");
        assert!(page.contains(said), "{remove}");
    }
}

/// A player that is not better may still be found to be worse: `[stop]` does not hide a regression.
#[test]
fn not_better_may_be_worse() {
    for method in ["difference = 0.1", "method = \"confidence\"", "difference = [-0.1, 0]"] {
        let stop = format!("\n[stop]\nbetter = \"any\"\nthan = \"gain\"\n{method}\n");
        let folder = play_in_new_folder("short.toml", two(&stop));
        let ended = &read_rows(&folder, "results/short/stop.csv")[0];
        assert!(["worse", "not better"].contains(&&*ended["verdict"]), "{ended:?}");
        let said = &*ended["explanation"];
        assert!(ended["answer"].starts_with("any vs gain: -"), "{}", ended["answer"]);
        let line = "compare results/short --by win --baseline gain --fail-on regression";
        // If the two errors of a test add up to 10 %, it cannot give 95 %; but "worse" is only one
        // of the two.
        let is_unsure = said.contains("any is worse. The risk of error of both is about 10 %;");
        let said = said.replace("any is worse.", "any is worse, but not at the 95 % asked for.");
        let decided = format!("{}. {said}\n", ended["answer"]);
        let verdict = if is_unsure { "inconclusive" } else { "worse" };
        assert_eq!(is_unsure, method == "difference = 0.1", "{said}");
        // Decision and interval have one rate.
        assert_eq!(ended["answer"].contains("] at 90 %;"), is_unsure, "{}", ended["answer"]);
        assert_eq!(
            folder.run(&format!("{line} --explain")).assert_status(5).out,
            format!("{verdict}  {decided}")
        );
        // The table has it as a note, because its columns did not decide.
        folder.run(line).assert_status(5).assert_says(ended["answer"].trim_start_matches("any vs gain: "));
    }
}

/// An undecided run says so everywhere.
#[test]
fn nothing_decided_is_an_answer() {
    let stop = "\n[stop]\nbetter = \"gain\"\nthan = \"any\"\ndifference = [0, 0.02]\n";
    let claim = "\n[[claim]]\nbetter = \"gain\"\nthan = \"any\"\n";
    let folder = play_in_new_folder("short.toml", two(stop).replace("games = 3000", "games = 11") + claim);
    let ended = &read_rows(&folder, "results/short/stop.csv")[0];
    assert_eq!(ended["verdict"], "inconclusive");
    let said = &*ended["explanation"];
    assert_eq!(
        said,
        "All blocks were played without a decision of [stop]; the interval is corrected for stopping."
    );
    assert!(ended["answer"].contains("] with each bound at 95 %; SPRT"), "{}", ended["answer"]);
    let claims = read_rows(&folder, "results/short/claims.csv");
    assert_eq!((&*claims[0]["verdict"], &*claims[0]["explanation"]), ("inconclusive", said));
    let compared = folder.run("compare results/short --by win --baseline any --explain").assert_status(0);
    assert_eq!(compared.out, format!("inconclusive  {}. {said}\n", ended["answer"]));
}
