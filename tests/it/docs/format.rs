//! The pages of the manual in `docs/` equal those that the program makes, and name every key and
//! column.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use gauntlet::config;
use gauntlet::results::store::manifest::{Manifest, RunKeys, Session, TuningKeys};
use gauntlet::table::TypedRow;
use gauntlet::train::curve::CurveRow;
use gauntlet::train::section::TrainSection;
use gauntlet::tune::section::TuneSection;
use gauntlet::twenty48::eval::FEATURES;
use gauntlet::{GAMES, catalog};

use crate::bench::{Folder, play_in_new_folder};
use crate::golden;
use crate::learning::tuning_results::tuning;
use crate::tools::lacks_command;

const EXPERIMENT: &str = r#"
name = "small"
game = "2048"
seed = 1
games = 8
player = [
    { name = "any", algorithm = "random" },
    { name = "other", algorithm = "greedy" },
]

[[published]]
player = "any"
what = "score"
value = 1100
source = "a paper"

[[claim]]
better = "other"
than = "any"

[stop]
better = "other"
than = "any"
"#;

const DUEL: &str = r#"
name = "duel"
game = "gomoku"
seed = 1
games = 4
player = [
    { name = "one", algorithm = "random" },
    { name = "other", algorithm = "random" },
]
"#;

/// The pages of the manual.
const PAGE_NAMES: [&str; 4] = ["EXPERIMENT", "RESULTS", "COMMANDS", "GLOSSARY"];

/// Returns the pages, as the program makes them.
fn pages() -> &'static [String] {
    static PAGES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let manual = Folder::new().run("format all").assert_status(0).stdout;
        let find_start = |name: &&str| {
            let heading = format!("\n# {}{}\n", &name[..1], name[1..].to_lowercase());
            manual.find(&heading).unwrap_or_else(|| panic!("no page {name}")) + 1
        };
        let later_starts: Vec<usize> = PAGE_NAMES[1..].iter().map(find_start).collect();
        let starts = std::iter::once(0).chain(later_starts.iter().copied());
        let ends = later_starts.iter().copied().chain([manual.len()]);
        starts.zip(ends).map(|(start, end)| manual[start..end].to_owned()).collect()
    });
    &PAGES
}

/// The committed pages. With GAUNTLET_BLESS=1 they are rewritten.
#[test]
fn pages_equal_the_manual_of_the_program() {
    let files = PAGE_NAMES.map(|name| format!("../docs/{name}.md"));
    golden::assert_all_golden(files.into_iter().zip(pages().iter().cloned()));
}

/// Returns the text under a heading, up to the next one.
fn section(heading: &str) -> &'static str {
    let heading = format!("\n{heading}\n");
    let split_page = pages().iter().find_map(|page| page.split_once(&*heading));
    let (_, rest) = split_page.unwrap_or_else(|| panic!("there is no {heading:?}"));
    rest.split_once("\n#").map_or(rest, |(section, _)| section)
}

/// Returns the rows of a section's table whose first column has this head.
fn rows(heading: &str, first_column: &str) -> Vec<Vec<&'static str>> {
    let lines = section(heading).lines().skip_while(|line| !line.starts_with(&format!("| {first_column} |")));
    let rows: Vec<_> = lines
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches(['|', ' ']).split(" | ").collect())
        .collect();
    assert!(!rows.is_empty(), "{heading:?} has no table of {first_column:?}");
    rows
}

/// Returns the words in backticks.
fn quoted_words(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns the names in the first column of a section's table, in order.
fn names_in_table(heading: &str, first_column: &str) -> Vec<String> {
    rows(heading, first_column).into_iter().flat_map(|row| quoted_words(row[0])).collect()
}

/// A cell has at most 20 words, and a row no empty meaning.
#[test]
fn meanings_are_short() {
    for line in pages().iter().flat_map(|page| page.lines()).filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches(['|', ' ']).split(" | ").collect();
        let words = cells.iter().map(|cell| cell.split_whitespace().count()).max();
        assert!(words <= Some(20), "{line}");
        assert!(!line.ends_with("|  |") && cells.len() > 1, "{line}");
    }
}

/// Every declared section, rule and setting has its table of keys.
#[test]
fn every_key_is_in_its_table() {
    let experiment = &pages()[0];
    let row = |key: &str| format!("\n{key}\n");
    for section in config::section_keys(catalog(&GAMES)) {
        let key_lines: String = section.keys.iter().map(|key| format!("\n{key}")).collect();
        assert!(experiment.contains(&key_lines), "[{}]", section.name);
    }
    for arena in GAMES.iter() {
        let manual = arena.rules_manual();
        assert_eq!(manual.iter().map(|key| key.name).collect::<Vec<_>>(), arena.rule_keys());
        let training = arena.training.map_or(&[][..], |training| training.manual);
        let names: Vec<_> = training.iter().map(|key| key.name).collect();
        assert_eq!(names, arena.training.map_or(&[][..], |training| (training.keys)()));
        let features: Vec<_> = arena.features().iter().map(|feature| feature.name.to_owned()).collect();
        assert_eq!(names_in_table(&format!("### Features of {}", arena.name), "feature"), features);
        manual
            .iter()
            .chain(training)
            .for_each(|key| assert!(experiment.contains(&row(&key.to_string())), "{key}"));
    }
    assert_eq!(
        names_in_table("### Features of 2048", "feature"),
        FEATURES.iter().map(|feature| feature.name).collect::<Vec<_>>()
    );
}

/// Returns the column names of a table of some results.
fn header_line(folder: &Folder, path: &str) -> String {
    let csv = folder.read(&format!("results/{path}.csv"));
    csv.lines().next().expect("a line of column names").to_owned()
}

#[test]
fn every_column_is_named() {
    let folder = play_in_new_folder("small.toml", EXPERIMENT);
    let documented_columns = |table: &str| names_in_table(&format!("### {table}.csv"), "column").join(",");
    for table in ["games", "win-rate", "max-tile", "ms-per-move", "times", "published", "claims", "stop"] {
        // Columns that exist only with external players, a time limit, or skipped players.
        let optional = match table {
            "times" => ",unseen_ms",
            "win-rate" => ",out_of_time,skipped",
            _ => "",
        };
        assert_eq!(documented_columns(table), header_line(&folder, &format!("small/{table}")) + optional);
    }
    let (players, _) = EXPERIMENT.split_once("\n[[claim]]").expect("a claim");
    folder.play("known.toml --name known", format!("{players}\n[stop]\nprecision = 1\n"));
    assert_eq!(documented_columns("precision"), header_line(&folder, "known/precision"));
    folder.play("duel.toml", DUEL);
    for (table, optional) in [("elo", ",out_of_time,skipped"), ("duels", ",out_of_time")] {
        assert_eq!(documented_columns(table), header_line(&folder, &format!("duel/{table}")) + optional);
    }
    let games: Vec<&str> = section("### games.csv").split("| column |").collect();
    let row = |name: &str| games[2].contains(&format!("\n| `{name}` |"));
    assert!(header_line(&folder, "duel/games").split(',').all(row) && games.len() == 3);
    let several = crate::results::processors::play_shards();
    several.run("merge a.toml").assert_status(0);
    assert_eq!(
        documented_columns("times-by-processor"),
        header_line(&several, "classics/times-by-processor")
    );
}

/// The manifest of a merge, which has all keys, including the shard of a session.
#[test]
fn every_key_of_the_manifest_is_named() {
    let folder = play_in_new_folder("small.toml --shard 1/2", EXPERIMENT);
    folder.run("run small.toml --quiet --shard 2/2").assert_status(0);
    folder.run("merge small.toml").assert_status(0);
    let manifest: toml::Table = folder.read("results/small/manifest.toml").parse().unwrap();
    let declared_keys: BTreeSet<&str> =
        Manifest::KEYS.iter().chain(RunKeys::KEYS).map(|key| key.name).collect();
    // None of these players is a program, is a function without identity, is built from a file or
    // comes from another package. No player was skipped, no claim was added or repeated, and
    // nothing was re-evaluated.
    let absent = [
        "packages",
        "programs",
        "unidentified",
        "files_from",
        "files",
        "added_claims",
        "repeated_claims",
        "skipped",
        "judged",
    ];
    let mut manifest_keys: BTreeSet<&str> = manifest.keys().map(String::as_str).chain(absent).collect();
    assert!(manifest_keys.remove("of"));
    assert_eq!(declared_keys, manifest_keys);
    let sessions = manifest["session"].as_array().expect("a list of sessions");
    let session_keys: BTreeSet<String> =
        sessions.iter().flat_map(|session| keys(session.as_table().expect("a table"))).collect();
    let declared_session_keys = Session::KEYS.iter().map(|key| key.name.to_owned());
    assert_eq!(declared_session_keys.filter(|key| key != "packages").collect::<BTreeSet<_>>(), session_keys);
    let digests = keys(manifest["digests"].as_table().expect("a table"));
    let tables =
        ["games", "win-rate", "max-tile", "ms-per-move", "times", "settings", "published", "claims", "stop"];
    assert_eq!(digests, tables.map(|table| format!("{table}.csv")));
}

#[test]
fn every_column_and_key_of_a_tuning_is_named() {
    let folder = tuning();
    let documented_columns = |table: &str| names_in_table(&format!("### {table}.csv"), "column").join(",");
    let settings = ",weights.smoothness,weights.empty";
    assert_eq!(documented_columns("trajectory") + settings, header_line(&folder, "t/tune/trajectory"));
    let claims = documented_columns("claims");
    assert_eq!(documented_columns("validation") + "," + &claims, header_line(&folder, "t/tune/validation"));
    assert_eq!(claims, header_line(&folder, "t/tune/importance"));
    assert_eq!(documented_columns("curve").split(',').collect::<Vec<_>>(), {
        CurveRow::schema().columns.iter().map(|column| column.name).collect::<Vec<_>>()
    });
    let manifest: toml::Table = folder.read("results/t/tune/manifest.toml").parse().unwrap();
    let declared_keys = Manifest::KEYS.iter().chain(TuningKeys::KEYS).map(|key| key.name);
    assert_eq!(
        declared_keys.chain(["of"]).collect::<BTreeSet<_>>(),
        manifest.keys().map(String::as_str).collect()
    );
}

fn keys(table: &toml::Table) -> Vec<String> {
    table.keys().cloned().collect()
}

/// A key that is written with its default has the same meaning as a missing key.
#[test]
fn declared_defaults_are_those_that_hold() {
    let player = |name: &str| format!("[[player]]\nname = '{name}'\nalgorithm = 'lazuxd'\ndepth = 1\n");
    let solo = format!(
        "name = 'x'\ngame = '2048'\nseed = 1\ngames = 40\n{}{}[[claim]]\nbetter = 'a'\nthan = 'b'\n\
         [[published]]\nplayer = 'a'\nwhat = 'win'\nvalue = 0.5\nsource = 'x'\n[tune]\nplayer = 'a'\nbudget = 4000\n\
         [tune.validate]\n[tune.params.depth]\nmin = 1\nmax = 2\n[train]\ngames = 10\nseed = 1\nmethod = 'tc'\n\
         patterns = '4x6'\nrate = 1.0\n",
        player("a"),
        player("b"),
    );
    let pair = "better = 'a'\nthan = 'b'\n";
    let samples = [
        format!("{solo}[stop]\n{pair}"),
        format!("{solo}[stop]\n{pair}method = 'confidence'\n"),
        solo.replace("[tune.validate]\n", "objective = 'win'\n[tune.validate]\ndifference = 0.02\n"),
        format!("{DUEL}[stop]\nbetter = \"one\"\nthan = \"other\"\nelo = 5\n"),
    ];
    let parse = |text: &str| config::parse(catalog(&GAMES), "x.toml", text);
    samples.iter().for_each(|sample| drop(parse(sample).unwrap_or_else(|mistakes| panic!("{mistakes}"))));
    let mut checked_lines = BTreeSet::new();
    for manual_section in config::section_keys(catalog(&GAMES)) {
        let header =
            if manual_section.name == "tune.params" { "[tune.params.depth]" } else { &manual_section.header };
        for key in &manual_section.keys {
            let default = key.default.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
            let Some(default) = default.filter(|default| !default.contains('`')) else { continue };
            let line = format!("{} = {default}", key.name);
            for sample in samples.iter().filter(|sample| sample.contains(header)) {
                let text = sample.replacen(header, &format!("{header}\n{line}"), 1);
                let text = if header.is_empty() { format!("{line}\n{sample}") } else { text };
                let (Ok(original), Ok(with_default)) = (parse(sample), parse(&text)) else { continue };
                assert!(original.is_equivalent(&with_default), "[{}] {line}", manual_section.name);
                assert!(
                    TuneSection::from_experiment(&original) == TuneSection::from_experiment(&with_default),
                    "[{}] {line}",
                    manual_section.name
                );
                assert!(
                    TrainSection::from_experiment(&original) == TrainSection::from_experiment(&with_default),
                    "[{}] {line}",
                    manual_section.name
                );
                checked_lines.insert(format!("{} {line}", manual_section.name));
            }
        }
    }
    assert!(checked_lines.len() >= 19, "{checked_lines:?}");
}

#[test]
fn every_key_of_an_answer_is_named() {
    let folder = Folder::with_file("small.toml", EXPERIMENT);
    let question = r#"{"id": 1, "board": [2,2,4,0, 0,0,0,0, 0,0,0,0, 0,0,0,2], "score": 8}"#;
    let input: serde_json::Map<String, serde_json::Value> = serde_json::from_str(question).unwrap();
    // `to_move` is only for duels.
    let input_keys: Vec<_> = input.keys().cloned().chain(["to_move".to_owned()]).collect();
    assert_eq!(names_in_table("## Probe", "input key"), input_keys);
    let output = folder.run_with("probe --experiment small.toml", question).assert_status(0);
    let answer: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let keys = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().expect("an object").keys().cloned().collect()
    };
    assert_eq!(names_in_table("## Probe", "output key"), keys(&answer));
    let rows = rows("## Probe", "output key");
    let described_keys = |key: &str| {
        let row = rows.iter().find(|row| quoted_words(row[0]) == [key]).expect("a row of this key");
        quoted_words(row[1])
    };
    for key in [keys(&answer["moves"]), keys(&answer["moves"]["left"])].concat() {
        assert!(described_keys("moves").contains(&key), "{key}");
    }
    let player_keys = names_in_table("## Probe", "player key");
    for key in keys(&answer["players"]["any"]) {
        assert!(player_keys.contains(&key), "{key}");
    }
    // What each player reports about its choice.
    for (arena, board) in GAMES.iter().zip([question.to_owned(), json_of_stones()]) {
        let algorithms = arena.manual().into_iter().filter(|manual| !manual.example.contains("command = "));
        let players: String = algorithms
            .map(|manual| format!("[[player]]\nname = {:?}\n{}\n", manual.name, manual.example))
            .collect();
        let header = format!("name = \"all\"\ngame = {:?}\nseed = 1\ngames = 2\n", arena.name);
        folder.write("all.toml", header + &players);
        let output = folder.run_with("probe --experiment all.toml", &board).assert_status(0);
        let answer: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        for (name, report) in answer["players"].as_object().expect("an object") {
            for key in keys(report) {
                assert!(player_keys.contains(&key), "{name}: {key}");
            }
        }
    }
}

/// Returns a question about a board of Gomoku.
fn json_of_stones() -> String {
    format!("{{\"board\": \"{}BW{}\"}}", ".".repeat(112), ".".repeat(111))
}

#[test]
fn every_key_of_a_question_is_named() {
    if lacks_command("ask") {
        return;
    }
    let folder = Folder::new();
    let tune = "[tune]\nplayer = \"any\"\nbudget = 1000\n[tune.validate]\ngames = 10\n\
                [tune.params]\ndepth = { min = 1, max = 2 }\n";
    let player = "[[player]]\nname = \"any\"\nalgorithm = \"lazuxd\"\ndepth = 1\n";
    folder.write(
        "t.toml",
        format!("name = \"t\"\ngame = \"2048\"\nseed = 1\ngames = 2\nuntil = 16\nwin = 16\n{player}{tune}"),
    );
    let lines = [
        "{\"wrong\": 1}",
        "{\"space\": true}",
        "{\"ask\": [{}, {\"depth\": 3}], \"blocks\": 1}",
        "{\"tell\": {}}",
    ];
    let output = folder.run_with("ask t.toml", &lines.join("\n")).assert_status(0);
    let answers: Vec<serde_json::Value> =
        output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let keys = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().unwrap_or_else(|| panic!("{value} is no object")).keys().cloned().collect()
    };
    let batch_answers = answers[2]["answers"].as_array().expect("a list");
    let output_keys: BTreeSet<String> = answers.iter().chain(batch_answers).flat_map(keys).collect();
    assert_eq!(names_in_table("## Ask", "output key").into_iter().collect::<BTreeSet<_>>(), output_keys);
    let rows = rows("## Ask", "output key");
    let space = rows.iter().find(|row| quoted_words(row[0]) == ["space"]).expect("a row");
    for key in keys(&answers[1]["space"][0]) {
        assert!(quoted_words(space[1]).contains(&key), "{key}");
    }
    // The message about an unknown key lists the known keys.
    let known_keys =
        answers[0]["mistake"].as_str().expect("a mistake").split_once("one of ").expect("a list").1;
    let input_keys: BTreeSet<String> = quoted_words(known_keys).into_iter().collect();
    assert_eq!(names_in_table("## Ask", "input key").into_iter().collect::<BTreeSet<_>>(), input_keys);
}
