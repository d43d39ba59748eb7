//! `gauntlet ask` from the point of view of a driver: its answers, their independence of threads
//! and kills, and the files of a submitted answer.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::OnceLock;

use gauntlet::rng::Seed;
use serde_json::{Value, json};

use crate::bench::{Folder, PROGRAM, ProgramOutput};
#[cfg(unix)]
use crate::tools::find_program;

/// Short games, so that hundreds take no time. The start has bad weights, so many other settings
/// are better.
const SETTINGS: &str = r#"
name = "t"
game = "2048"
seed = 7
games = 50
win = 128
until = 128

[[player]]
name = "ovolve"
algorithm = "ovolve"
depth = 0
win_tile = "none"
weights = { smoothness = 0.1, monotonicity = -3.0, empty = 2.7, largest = 1.0 }

[tune]
player = "ovolve"
budget = 600

[tune.validate]
games = 60

[tune.params]
depth = { min = 0, max = 1 }
weights.smoothness = { min = 0.01, max = 2.0, scale = "log" }
weights.monotonicity = { min = -10.0, max = 10.0 }
weights.largest = { tied_to = "weights.smoothness" }
"#;

const JOURNAL: &str = "results/t/ask/journal.jsonl";

/// Returns a folder with these settings, and a journal that has the program's signatures, because
/// computing them takes seconds.
fn folder(settings: &str) -> Folder {
    static JOURNAL_CACHE: OnceLock<String> = OnceLock::new();
    let journal = JOURNAL_CACHE.get_or_init(|| {
        let folder = Folder::new();
        folder.write("t.toml", SETTINGS);
        folder.run_with("ask t.toml", r#"{"ask": {}, "blocks": 1, "first": 123456}"#).assert_status(0);
        folder.read(JOURNAL)
    });
    let folder = Folder::new();
    folder.write("t.toml", settings);
    folder.write(JOURNAL, journal);
    folder
}

/// Parses the answers in the output.
fn parse_answers(output: &ProgramOutput) -> Vec<Value> {
    output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A program that asks questions.
struct Driver {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Driver {
    fn start(folder: &Folder, line: &str) -> Driver {
        let mut command = folder.command(line);
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().unwrap();
        let (questions, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Driver { child, questions, answers: BufReader::new(answers) }
    }

    fn send(&mut self, question: &Value) {
        writeln!(self.questions, "{question}").unwrap();
    }

    fn ask(&mut self, question: &Value) -> Value {
        self.send(question);
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{question}: {line:?}: {error}"))
    }

    /// Closes its questions, and waits for the exit status.
    fn end(self) -> ProgramOutput {
        let Driver { child, questions, answers } = self;
        drop((questions, answers));
        let output: Output = child.wait_with_output().unwrap();
        ProgramOutput::new("ask", &output)
    }
}

/// One question of every kind that plays games.
const QUESTIONS: &str = r#"{"ask": {}, "blocks": 40, "id": 1}
{"ask": {"weights.monotonicity": 3, "depth": 1}, "blocks": 40, "id": [2]}

{"ask": [{"weights.smoothness": 0.5}, {}, {"weights.monotonicity": 11}, {"weights.smoothness": 0.5}], "first": 20, "blocks": 50}
{"ask": {"weights.monotonicity": 3}}
"#;

#[test]
fn the_same_is_answered_on_any_threads_and_after_a_kill() {
    let reference = folder(SETTINGS);
    let output = reference.run_with("ask t.toml -j 1", QUESTIONS).assert_status(0);
    assert_eq!(output.stderr, "", "off a terminal there is no progress");
    let answers = parse_answers(&output);
    assert_eq!(answers.len(), 4);
    assert_eq!((&answers[0]["id"], &answers[1]["id"]), (&json!(1), &json!([2])));
    // New blocks follow answers blocks asked for before.
    let first_blocks: Vec<&Value> = answers.iter().map(|answer| &answer["first"]).collect();
    assert_eq!((first_blocks[0], first_blocks[1], first_blocks[3]), (&json!(0), &json!(40), &json!(80)));
    let list_answers = answers[2]["answers"].as_array().unwrap();
    assert_eq!(list_answers[0], list_answers[3], "equal candidates share their games");
    assert_eq!(list_answers[2], json!({"refused": "weights.monotonicity: 11 is outside -10 to 10"}));
    // Blocks 20 to 40 of the start were played for the first question.
    assert_eq!((&list_answers[1]["games"], &list_answers[1]["first"]), (&json!(50), &json!(20)));
    assert_eq!(answers[3]["games"], json!(100));

    let two_threads = folder(SETTINGS);
    assert_eq!(two_threads.run_with("ask t.toml -j 2", QUESTIONS).assert_status(0).stdout, output.stdout);

    let interrupted = folder(SETTINGS);
    let mut driver = Driver::start(&interrupted, "ask t.toml -j 2");
    let first = driver.ask(&json!({"ask": {}, "blocks": 40, "id": 1}));
    assert_eq!(first, answers[0]);
    driver.send(&json!({"ask": {"weights.monotonicity": 3, "depth": 1}, "blocks": 5000}));
    interrupted.wait_for_size(JOURNAL, interrupted.read(JOURNAL).len() as u64 + 1000);
    driver.child.kill().unwrap();
    driver.child.wait().unwrap();
    assert_eq!(interrupted.run_with("ask t.toml", QUESTIONS).assert_status(0).stdout, output.stdout);

    // Games in the journal are not played again.
    let journal = interrupted.read(JOURNAL);
    assert_eq!(interrupted.run_with("ask t.toml", QUESTIONS).assert_status(0).stdout, output.stdout);
    assert_eq!(interrupted.read(JOURNAL), journal);
}

#[test]
fn a_loss_is_what_tune_minimises() {
    let question = r#"{"ask": {"weights.monotonicity": 3}, "blocks": 1}"#;
    let ask = |settings: &str| {
        parse_answers(&folder(settings).run_with("ask t.toml", question).assert_status(0)).remove(0)
    };
    let number = |answer: &Value, key: &str| answer[key].as_f64().unwrap();
    let default_answer = ask(SETTINGS);
    assert_eq!(number(&default_answer, "loss"), -libm::log1p(number(&default_answer, "score")));
    assert_eq!(default_answer["error"], Value::Null);
    let by_win = ask(&SETTINGS.replace("budget = 600", "budget = 600\nobjective = \"win\""));
    assert_eq!(number(&by_win, "loss"), 1.0 - number(&by_win, "win"));
    assert_eq!(by_win["score"], default_answer["score"]);
    let nodes = number(&default_answer, "nodes");
    let node_limited = ask(&SETTINGS.replace("budget = 600", "budget = 600\nat_most_nodes = 1"));
    let penalty = number(&node_limited, "loss") - number(&default_answer, "loss");
    assert!(nodes > 1.0 && (penalty - 10.0 * nodes.log2()).abs() < 1e-9, "{penalty} of {nodes}");
}

/// A setting of words accepts its words. Other words are rejected, like numbers out of range.
#[test]
fn words_and_truths_are_asked_for() {
    let text = SETTINGS.split("[tune.params]").next().unwrap().to_owned();
    let player = "algorithm = \"swift-expectimax\"\ndepth = 1\nadaptive = true\n";
    let (before, after) = text.split_once("algorithm").unwrap();
    let after = after.split_once("\n\n").unwrap().1;
    let choices = "[tune.params]\nadaptive = { choices = [true, false] }\nevaluation = { choices = [\"corner-27\", \"repo-117\"] }\n";
    let folder = folder(&format!("{before}{player}\n{after}{choices}"));
    let lines = "{\"space\": true}\n{\"ask\": {\"evaluation\": \"corner-27\"}, \"blocks\": 3, \"first\": 0}\n\
                 {\"ask\": {\"evaluation\": \"repo-117\", \"adaptive\": true}, \"blocks\": 3, \"first\": 0}\n\
                 {\"ask\": {\"evaluation\": \"repo\"}}\n{\"ask\": {\"adaptive\": 1}}\n";
    folder.write("lines", lines);
    let input = std::fs::File::open(folder.path("lines")).unwrap();
    let output = ProgramOutput::new("ask", &folder.command("ask t.toml").stdin(input).output().unwrap())
        .assert_status(0);
    let answers = parse_answers(&output);
    let space = &answers[0]["space"];
    assert_eq!(space[0], json!({"key": "adaptive", "choices": [true, false], "start": true, "tied": []}));
    assert_eq!(space[1]["start"], "repo-117");
    assert_ne!(answers[1]["loss"], answers[2]["loss"]);
    assert_eq!(answers[3]["refused"], "evaluation: \"repo\" is not one of its values");
    assert_eq!(answers[4]["refused"], "adaptive: 1 is not one of its values");
}

#[test]
fn a_mistake_is_answered_and_ends_nothing() {
    let folder = folder(SETTINGS);
    let journal = folder.read(JOURNAL);
    let mistakes = [
        ("nonsense", "expected JSON, such as"),
        (r#"{"ask": {}"#, "expected JSON, such as"),
        (r#"{"ask": {}, "tell": {}}"#, "expected exactly one of"),
        ("{}", "expected exactly one of"),
        (r#"{"asks": {}}"#, "unknown field `asks`"),
        (r#"{"ask": 7}"#, "`ask`: invalid type"),
        (r#"{"ask": []}"#, "`ask` must have 1 to"),
        (r#"{"ask": {"depth": "deep"}}"#, r#""depth" must be a number"#),
        (r#"{"ask": {"weights.monotonocity": 1}}"#, r#"did you mean "weights.monotonicity"?"#),
        (
            r#"{"ask": {"nothing": 1}}"#,
            r#"expected one of "depth", "weights.smoothness", "weights.monotonicity""#,
        ),
        (r#"{"ask": {"weights.largest": 1}}"#, r#"is tied to "weights.smoothness""#),
        (r#"{"ask": [{}, {"depth": 0.5}]}"#, "must be a whole number"),
        (r#"{"ask": {"depth": 0, "depth": 1}}"#, r#""depth" is given twice"#),
        (r#"{"tell": {"depth": 1, "weights.smoothness": 1, "depth": 1}}"#, r#""depth" is given twice"#),
        (r#"{"ask": {}, "blocks": 0}"#, "`blocks` must be from 1 to"),
        (r#"{"ask": {}, "blocks": 10000000}"#, "`blocks` must be from 1 to"),
        (r#"{"ask": {}, "first": 18446744073709551615}"#, "`first` must be at most"),
        (r#"{"ask": {}, "first": -1}"#, "invalid value"),
        (r#"{"tell": {}, "blocks": 5}"#, "need `ask`"),
        (r#"{"tell": {"depth": 0.5}}"#, "must be a whole number"),
    ];
    let lines: String = mistakes.iter().map(|(line, _)| format!("{line}\n")).collect();
    let out_of_range = "{\"ask\": {\"depth\": 2}, \"id\": \"r\"}\n{\"tell\": {\"depth\": 2}}\n";
    folder.write("lines", [lines.as_bytes(), b"\"\xff\"\n", out_of_range.as_bytes()].concat());
    let input = std::fs::File::open(folder.path("lines")).unwrap();
    let output = ProgramOutput::new("ask", &folder.command("ask t.toml").stdin(input).output().unwrap())
        .assert_status(0);
    let mut answers = parse_answers(&output);
    assert_eq!(answers.len(), mistakes.len() + 3);
    let reason = "depth: 2 is outside 0 to 1";
    assert_eq!(answers.pop().unwrap(), json!({"id": null, "refused": reason}));
    assert_eq!(answers.pop().unwrap(), json!({"id": "r", "refused": reason}));
    assert!(answers.pop().unwrap()["mistake"].is_string(), "what is no UTF-8");
    for ((line, expected), answer) in mistakes.iter().zip(&answers) {
        let output = answer["mistake"].as_str().unwrap_or_else(|| panic!("{line}: {answer}"));
        assert!(output.contains(expected), "{line}: {output}");
    }
    assert_eq!(folder.read(JOURNAL), journal, "nothing is played");
}

/// The limit of a question applies to the product of candidates and blocks.
#[test]
fn a_question_has_a_limit_of_blocks() {
    let folder = folder(SETTINGS);
    let candidates = vec!["{}"; 10_000].join(",");
    let question = format!("{{\"ask\": [{candidates}], \"blocks\": 20000}}");
    let message = folder.run_with("ask t.toml", &question).assert_status(0);
    message.assert_says(
        "at most 10,000,000 blocks for all candidates together; this request has 10,000 candidates times 20,000 blocks",
    );
}

/// Asks a question with this many candidates and blocks, in games of one move, under a memory
/// limit.
#[cfg(unix)]
fn large_question(candidates: u32, blocks: u32, megabytes: u64) {
    let folder = folder(&SETTINGS.replace("until = 128", "max_moves = 1"));
    let settings: Vec<String> = (0..candidates)
        .map(|index| format!("{{\"weights.monotonicity\": {}}}", f64::from(index) / 1e3))
        .collect();
    folder.write("asked", format!("{{\"ask\": [{}], \"blocks\": {blocks}}}", settings.join(",")));
    let limit = megabytes << 10;
    let output =
        folder.shell(&format!("ulimit -d {limit}; gauntlet ask t.toml --threads 1 < asked")).assert_status(0);
    let answers = &parse_answers(&output)[0]["answers"];
    assert_eq!(answers.as_array().map(Vec::len), Some(candidates as usize));
    assert_eq!(answers[0]["games"], json!(blocks), "{output:?}");
}

/// A question needs about 70 bytes per block: the games in the journal, and the losses.
#[cfg(unix)]
#[test]
fn a_large_question_takes_some_memory() {
    large_question(10_000, 100, 160);
}

/// The largest permitted question: 10 CPU seconds, and 350 MB on disk. `cargo test --release --test
/// it -- --ignored largest_question`.
#[cfg(unix)]
#[test]
#[ignore = "takes half a minute and a gigabyte"]
fn the_largest_question_takes_less_than_a_gigabyte() {
    large_question(10_000, 1_000, 1_000);
    large_question(10, 1_000_000, 1_000);
}

#[test]
fn a_file_without_settings_to_tune_is_refused() {
    let folder = Folder::new();
    let players = SETTINGS.split("[tune]").next().unwrap();
    folder.write("plain.toml", players);
    folder.run("ask plain.toml").assert_status(2).assert_says("has no [tune]");
    let other_player = "[[player]]\nname = \"any\"\nalgorithm = \"random\"\n";
    folder.write("race.toml", format!("{players}{other_player}[tune]\nmethod = \"race\"\nbudget = 600\n"));
    folder.run("ask race.toml").assert_status(2).assert_says("needs [tune.params]");
    folder.run("ask nowhere.toml").assert_status(2);
}

#[test]
fn a_random_search_finds_better_settings_and_has_them_validated() {
    let folder = folder(SETTINGS);
    let mut driver = Driver::start(&folder, "ask t.toml");
    let space = driver.ask(&json!({"space": true}));
    let settings = space["space"].as_array().unwrap();
    let keys: Vec<&str> = settings.iter().map(|setting| setting["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["depth", "weights.smoothness", "weights.monotonicity"]);
    assert_eq!((&settings[0]["whole"], &settings[1]["scale"]), (&json!(true), &json!("log")));
    assert_eq!((&settings[2]["start"], &settings[1]["tied"]), (&json!(-3.0), &json!(["weights.largest"])));
    let mut rng = Seed::root(1).child("driver", 0).rng();
    let mut uniform =
        |low: f64, high: f64| low + (high - low) * (rng.bits() >> 11) as f64 / (1_u64 << 53) as f64;
    let mut candidates = vec![json!({})];
    candidates.extend((0..7).map(|_| json!({"weights.monotonicity": uniform(-10.0, 10.0)})));
    let answer = driver.ask(&json!({"ask": candidates, "blocks": 30}));
    let losses: Vec<f64> =
        answer["answers"].as_array().unwrap().iter().map(|answer| answer["loss"].as_f64().unwrap()).collect();
    let best = (0..losses.len()).min_by(|&a, &b| losses[a].total_cmp(&losses[b])).unwrap();
    assert!(losses[best] < losses[0], "{losses:?}");

    let reply = driver.ask(&json!({"tell": candidates[best], "id": "end"}));
    assert_eq!((&reply["id"], &reply["verdict"]), (&json!("end"), &json!("better")), "{reply}");
    assert!(reply["answer"].as_str().unwrap().contains("tuned"), "{reply}");
    assert_eq!(reply["validation"], json!("results/t/ask/validation-1"));
    assert_eq!(reply["tuned"], json!("results/t/ask/tuned.toml"));
    let claim = folder.read("results/t/ask/validation-1/experiment.toml");
    assert!(claim.contains("level = 0.975"), "{claim}");
    let manifest: toml::Table = folder.read("results/t/ask/manifest.toml").parse().unwrap();
    assert_eq!((manifest["method"].as_str(), manifest["verdict"].as_str()), (Some("ask"), Some("better")));
    assert_eq!(manifest["games"].as_integer(), Some(8 * 30 + 1));
    assert!(folder.read("results/t/ask/tuned.toml").contains(reply["answer"].as_str().unwrap()));
    assert!(folder.read("results/t/ask/validation.csv").contains("\n1,241,"));
    folder.run("check results/t/ask/tuned.toml").assert_status(0);

    // Submitting the same answer repeated_reply gives the same validation. Submitting the
    // start_reply gives none.
    let repeated_reply = driver.ask(&json!({"tell": candidates[best]}));
    assert_eq!(repeated_reply["validation"], reply["validation"]);
    let start_reply = driver.ask(&json!({"tell": {}}));
    assert_eq!((&start_reply["verdict"], &start_reply["validation"]), (&json!("inconclusive"), &Value::Null));
    // It still plays afterwards.
    assert_eq!(driver.ask(&json!({"ask": {}, "blocks": 2}))["first"], json!(30));
    driver.end().assert_status(0);
}

/// A question that plays nothing changes nothing: the files of a finished answer stay as they are.
#[test]
fn a_question_leaves_the_answer() {
    let folder = folder(SETTINGS);
    folder.run_with("ask t.toml", "{\"tell\": {\"weights.monotonicity\": 2}}\n").assert_status(0);
    let files = || {
        let entries = std::fs::read_dir(folder.path("results/t/ask")).unwrap();
        let read_file = |file: std::fs::DirEntry| (file.file_name(), std::fs::read(file.path()).ok());
        entries.map(|file| read_file(file.unwrap())).collect::<std::collections::BTreeMap<_, _>>()
    };
    let files_before = files();
    assert!(files_before.contains_key(std::ffi::OsStr::new("tuned.toml")), "{:?}", files_before.keys());
    let questions = "{\"space\": true}\nnonsense\n{\"space\": true, \"id\": 7}\n";
    let output = folder.run_with("ask t.toml", questions).assert_status(0);
    assert_eq!(output.stdout.lines().count(), 3, "{output:?}");
    assert!(files() == files_before, "files beside the answer");
    folder.run("report results/t/ask --out page.html").assert_status(0);
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let folder = folder(SETTINGS);
    let Driver { mut child, mut questions, answers } = Driver::start(&folder, "ask t.toml");
    drop(answers);
    writeln!(questions, "{}", json!({"space": true})).unwrap();
    // It ends even though there may be more questions.
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(ProgramOutput::new("ask", &child.wait_with_output().unwrap()).stderr, "");
}

#[cfg(unix)]
#[test]
fn one_ctrl_c_ends_it_at_work_and_idle() {
    let interrupt = |driver: &Driver| {
        Command::new("kill").args(["-INT", &driver.child.id().to_string()]).status().unwrap();
    };
    let folder = folder(SETTINGS);
    let mut idle = Driver::start(&folder, "ask t.toml");
    idle.ask(&json!({"space": true}));
    interrupt(&idle);
    assert_eq!(idle.child.wait().unwrap().code(), Some(130));
    let mut busy = Driver::start(&folder, "ask t.toml");
    busy.send(&json!({"ask": {"depth": 1}, "blocks": 1_000_000}));
    folder.wait_for_size(JOURNAL, folder.read(JOURNAL).len() as u64 + 1000);
    interrupt(&busy);
    assert_eq!(busy.child.wait().unwrap().code(), Some(130));
    busy.end().assert_status(130).assert_says("finished games are in the journal");
}

/// Returns Python, if it is installed with this module; `GAUNTLET_PYTHON` sets another name.
#[cfg(unix)]
fn python(module: &str) -> Option<String> {
    find_program("GAUNTLET_PYTHON", "python3", &["-c", &format!("import {module}")])
}

/// A short driver: submits the best of some random weights.
const DRIVER: &str = r#"
import json, random, subprocess, sys
gauntlet = subprocess.Popen([sys.argv[1], "ask", "t.toml"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def answer(**question):
    print(json.dumps(question), file=gauntlet.stdin, flush=True)
    return json.loads(gauntlet.stdout.readline())
draw = random.Random(1)
tried = [{"weights.monotonicity": draw.uniform(-10, 10)} for _ in range(6)]
losses = [answer(ask=settings, blocks=20, first=0)["loss"] for settings in tried]
assert min(losses) < answer(ask={}, blocks=20, first=0)["loss"]
print(answer(tell=tried[losses.index(min(losses))])["verdict"])
gauntlet.stdin.close()
sys.exit(gauntlet.wait())
"#;

#[cfg(unix)]
#[test]
fn a_program_in_python_drives_it() {
    let Some(python) = python("json") else { return };
    let folder = folder(SETTINGS);
    let output = Command::new(python).args(["-c", DRIVER, PROGRAM]).current_dir(folder.path("")).output();
    let driver_output = ProgramOutput::new("a driver in Python", &output.unwrap()).assert_status(0);
    assert_eq!(driver_output.stdout, "better\n");
}

#[cfg(unix)]
#[test]
fn optuna_drives_it() {
    let Some(python) = python("optuna") else { return };
    let folder = folder(SETTINGS);
    folder.copy_from_repository("examples/optuna");
    folder.run("check examples/optuna/tune.toml").assert_status(0);
    let drive = |options: &str| {
        let line = format!("examples/optuna/drive.py t.toml --gauntlet {PROGRAM} --blocks 20 {options}");
        let output =
            Command::new(&python).args(line.split_whitespace()).current_dir(folder.path("")).output();
        ProgramOutput::new(&line, &output.unwrap()).assert_status(0)
    };
    let first_output = drive("--trials 12").assert_says("better: tuned vs start");
    let journal = folder.read(JOURNAL);
    assert_eq!(drive("--trials 12").stdout, first_output.stdout);
    assert_eq!(folder.read(JOURNAL), journal, "the same questions are answered from the journal");
    // Two workers of one study, and one that submits the answer.
    drive("--trials 4 --worker --storage sqlite:///study.db --results one");
    drive("--trials 4 --worker --storage sqlite:///study.db --results two");
    drive("--trials 0 --storage sqlite:///study.db").assert_says("to play with these settings");
}

/// The budget in the files counts games, not lines: repeated lines of the journal count once.
#[test]
fn a_line_that_stands_twice_is_counted_once() {
    let budget = |copies: usize| {
        let folder = folder(SETTINGS);
        folder.run_with("ask t.toml", r#"{"ask": {"depth": 1}, "blocks": 40}"#).assert_status(0);
        let journal = folder.read(JOURNAL);
        let line = journal.lines().rfind(|line| line.contains("\"score\"")).expect("a line of games");
        folder.write(JOURNAL, journal.clone() + &format!("{line}\n").repeat(copies));
        folder.run_with("ask t.toml", r#"{"tell": {"depth": 1}}"#).assert_status(0);
        let manifest: toml::Table = folder.read("results/t/ask/manifest.toml").parse().unwrap();
        manifest["budget"].as_integer().unwrap()
    };
    // The one game that the journal had before, and the games of the question.
    assert_eq!([budget(0), budget(3)], [41, 41]);
}

#[cfg(unix)]
#[test]
fn a_line_without_end_is_refused() {
    let folder = Folder::new();
    let seeds =
        "name = 't'\ngame = '2048'\nseed = 1\ngames = 20\n[[player]]\nname = 'p'\nalgorithm = 'ronzil'\n";
    folder.write(
        "t.toml",
        format!(
            "{seeds}[tune]\nplayer = 'p'\nbudget = 1000\n[tune.params]\nruns = {{ min = 1, max = 200 }}\n"
        ),
    );
    let output = folder.shell("gauntlet ask t.toml --results asked < /dev/zero").assert_status(1);
    output.assert_says("cannot read line 1 of standard input: longer than 16 MiB");
}
