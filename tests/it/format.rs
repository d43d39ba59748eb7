//! `docs/FORMAT.md` describes every column, key and ending, and nothing else.

use std::collections::BTreeSet;

use gauntlet::config;
use gauntlet::game::Seat;
use gauntlet::methods::METHODS;
use gauntlet::record::Ending;
use gauntlet::results::tables::{schemas, times::TimeRow};
use gauntlet::table::{Schema, TypedRow};
use gauntlet::train::curve::CurveRow;
use gauntlet::train::section::TrainSection;
use gauntlet::tune::results::{
    ValidationColumns, ends::EndPointRow, path::TrajectoryRow, tried::TriedValuesRow,
};
use gauntlet::tune::section::TuneSection;
use gauntlet::twenty48::eval::FEATURES;
use gauntlet::{GAMES, catalog};

use crate::bench::{Folder, played};
use crate::golden;
use crate::tuned::tuning;

const FORMAT: &str = include_str!("../../docs/FORMAT.md");

const EXPERIMENT: &str = r#"
name = "small"
game = "2048"
seed = 1
games = 8

[[player]]
name = "any"
algorithm = "random"

[[player]]
name = "other"
algorithm = "greedy"

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

[[player]]
name = "one"
algorithm = "random"

[[player]]
name = "other"
algorithm = "random"
"#;

/// Returns the text under a heading, up to the next one.
fn section(heading: &str) -> &'static str {
    let (_, rest) =
        FORMAT.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("there is no {heading:?}"));
    rest.split_once("\n#").map_or(rest, |(section, _)| section)
}

/// Returns the rows of a section's table whose first column has this head.
fn rows(heading: &str, first: &str) -> Vec<Vec<&'static str>> {
    let lines = section(heading).lines().skip_while(|line| !line.starts_with(&format!("| {first} |")));
    let rows: Vec<_> = lines
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches(['|', ' ']).split(" | ").collect())
        .collect();
    assert!(!rows.is_empty(), "{heading:?} has no table of {first:?}");
    rows
}

/// Returns the words in backticks, without the brackets of TOML headers.
fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(|word| word.trim_matches(['[', ']']).to_owned()).collect()
}

/// Returns the names in the first column of a section's table, in order.
fn named(heading: &str, first: &str) -> Vec<String> {
    rows(heading, first).into_iter().flat_map(|row| quoted(row[0])).collect()
}

/// Returns the heading that describes a section of an experiment, by the link in its key's row.
fn heading(section: &str) -> String {
    let (around, key) = section.rsplit_once('.').unwrap_or(("", section));
    if key.is_empty() {
        return "### Keys of the experiment".to_owned();
    }
    let rows = rows(&heading(around), "key");
    let row =
        rows.iter().find(|row| quoted(row[0]) == [key]).unwrap_or_else(|| panic!("no row of {section:?}"));
    let link = row.last().and_then(|text| text.split_once("[below](#")?.1.split_once(')'));
    let (link, _) = link.unwrap_or_else(|| panic!("the row of {section:?} has no link to its section"));
    let mut headings = FORMAT.lines().filter(|line| line.starts_with("##"));
    let found =
        headings.find(|line| line.trim_start_matches(['#', ' ']).to_lowercase().replace(' ', "-") == link);
    found.unwrap_or_else(|| panic!("no heading is called {link:?}")).to_owned()
}

fn keys(table: &toml::Table) -> Vec<String> {
    table.keys().cloned().collect()
}

#[test]
fn every_column_is_named() {
    let folder = played("small.toml", EXPERIMENT);
    for table in ["games", "win-rate", "max-tile", "ms-per-move", "times", "published", "claims", "stop"] {
        let csv = folder.read(&format!("results/small/{table}.csv"));
        let head = csv.lines().next().expect("a line of column names");
        let heading = format!("### {table}.csv");
        // Columns that exist only with external players, or with a time limit.
        let optional = match table {
            "times" => ",unseen_ms",
            "win-rate" => ",out_of_time",
            _ => "",
        };
        let head = format!("{head}{optional}");
        assert_eq!(named(&heading, "column").join(","), head, "{heading}");
    }
    let (players, _) = EXPERIMENT.split_once("\n[[claim]]").expect("a claim");
    folder.play("known.toml --name known", format!("{players}\n[stop]\nprecision = 1\n"));
    let csv = folder.read("results/known/precision.csv");
    let head = csv.lines().next().expect("a line of column names");
    assert_eq!(named("### precision.csv", "column").join(","), head);
    assert_eq!(named("### settings.csv", "column"), ["player", "algorithm"]);
    folder.play("duel.toml", DUEL);
    for table in ["elo", "duels"] {
        let csv = folder.read(&format!("results/duel/{table}.csv"));
        let head = csv.lines().next().expect("a line of column names");
        assert_eq!(named(&format!("### {table}.csv"), "column").join(","), format!("{head},out_of_time"));
    }
    let several = crate::processors::shards();
    several.run("merge a.toml").ends(0);
    let csv = several.read("results/classics/times-by-processor.csv");
    let head = csv.lines().next().expect("a line of column names");
    assert_eq!(named("### times-by-processor.csv", "column").join(","), head);
    let csv = folder.read("results/duel/games.csv");
    let head = csv.lines().next().expect("a line of column names");
    assert_eq!(named("### games.csv", "column of a game of two").join(","), head);
    for arena in GAMES.iter() {
        let named = named("### games.csv", "column");
        assert!(
            arena.facts.iter().all(|fact| named.iter().any(|column| column == fact.column)),
            "{}",
            arena.name
        );
    }
}

#[test]
fn every_ending_is_named() {
    let of_first = |ending: &Ending| ending.at_fault() != Some(Seat::Second);
    let names: Vec<_> = Ending::ALL.into_iter().filter(of_first).map(Ending::name).collect();
    assert_eq!(named("### games.csv", "ending"), names);
    let forfeits = rows("### win-rate.csv", "column");
    let forfeits = forfeits.iter().find(|row| quoted(row[0]) == ["forfeits"]).expect("a row of forfeits");
    let forfeit = Ending::ALL.into_iter().filter(|ending| ending.at_fault() == Some(Seat::First));
    assert_eq!(quoted(forfeits[1]), forfeit.map(Ending::name).collect::<Vec<_>>());
}

/// The manifest of a merge, which has all keys, including the shard of a session.
#[test]
fn every_key_of_the_manifest_is_named() {
    let folder = played("small.toml --shard 1/2", EXPERIMENT);
    folder.run("run small.toml --quiet --shard 2/2").ends(0);
    folder.run("merge small.toml").ends(0);
    let manifest: toml::Table = folder.read("results/small/manifest.toml").parse().unwrap();
    // None of these players is a program, is built from a file or comes from another package, and
    // nothing was re-evaluated.
    let mut named = named("### manifest.toml", "key");
    named.retain(|key| !["packages", "programs", "files_from", "files", "judged"].contains(&&**key));
    assert_eq!(named, keys(&manifest));
    let sessions = manifest["session"].as_array().expect("a list of sessions");
    let found: BTreeSet<String> =
        sessions.iter().flat_map(|session| keys(session.as_table().expect("a table"))).collect();
    let row = rows("### manifest.toml", "key").pop().expect("a last row");
    assert_eq!(quoted(row[0]), ["session"]);
    let mut named: BTreeSet<_> = quoted(row[1]).into_iter().collect();
    assert!(named.remove("packages"));
    assert_eq!(named, found);
    let digests = keys(manifest["digests"].as_table().expect("a table"));
    let tables =
        ["games", "win-rate", "max-tile", "ms-per-move", "times", "settings", "published", "claims", "stop"];
    assert_eq!(digests, tables.map(|table| format!("{table}.csv")));
}

#[test]
fn every_column_and_key_of_a_tuning_is_named() {
    let folder = tuning();
    let first = |table: &str| -> Vec<String> {
        let csv = folder.read(&format!("results/t/tune/{table}.csv"));
        csv.lines().next().expect("a line of column names").split(',').map(str::to_owned).collect()
    };
    let settings = ["weights.smoothness", "weights.empty"].map(str::to_owned).to_vec();
    assert_eq!([named("#### trajectory.csv", "column"), settings].concat(), first("trajectory"));
    let claims = named("### claims.csv", "column");
    assert_eq!([named("#### validation.csv", "column"), claims.clone()].concat(), first("validation"));
    assert_eq!(claims, first("importance"));
    let manifest: toml::Table = folder.read("results/t/tune/manifest.toml").parse().unwrap();
    let found: BTreeSet<String> = keys(&manifest).into_iter().collect();
    assert_eq!(named("#### Manifest of a tuning", "key").into_iter().collect::<BTreeSet<_>>(), found);
}

#[test]
fn every_column_of_a_curve_is_named() {
    let head: Vec<&str> = CurveRow::schema().columns.iter().map(|column| column.name).collect();
    assert_eq!(named("#### curve.csv", "column"), head);
}

#[test]
fn every_key_of_an_experiment_is_named() {
    #[track_caller]
    fn check(heading: &str, known: &[&str]) {
        assert_eq!(named(heading, "key"), known, "{heading}");
    }

    for section in config::section_keys(catalog(&GAMES)) {
        let mut keys: Vec<&str> = section.keys.iter().map(|key| key.name).collect();
        if section.of == "stop" {
            // Keys of duels have a separate table.
            keys.retain(|key| !["elo", "model"].contains(key));
        }
        check(&heading(&section.of), &keys);
    }
    let training = GAMES[0].training.expect("2048 is learned");
    assert_eq!(named("### Training", "setting"), (training.keys)());
    for arena in GAMES.iter() {
        check(&format!("### Keys of {}", arena.name), arena.rule_keys());
    }
}

/// Returns the rows of a table's columns, each with its first column. A column without a meaning
/// shares the meaning of the previous one.
fn described(table: &Schema) -> Vec<(&'static str, String)> {
    let mut rows: Vec<(&str, Vec<String>, String)> = Vec::new();
    for column in &table.columns {
        let name = format!("`{}`", column.name);
        let meaning: Vec<&str> = column.meaning.iter().map(|line| line.trim()).collect();
        match rows.last_mut().filter(|_| meaning.is_empty()) {
            Some((_, names, _)) => names.push(name),
            None => rows.push((column.name, vec![name], meaning.join(" "))),
        }
    }
    let row = |(first, names, meaning): (_, Vec<String>, _)| {
        (first, format!("| {} | {meaning} |", names.join(", ")))
    };
    rows.into_iter().map(row).collect()
}

/// The rows of keys and columns equal their declarations. With GAUNTLET_BLESS=1 they are rewritten.
#[test]
fn keys_and_columns_are_described_as_they_are_declared() {
    let keys = config::section_keys(catalog(&GAMES)).into_iter().flat_map(|listed| {
        let heading = heading(&listed.of);
        listed.keys.into_iter().map(move |key| (heading.clone(), key.name, key.to_string()))
    });
    let of_tunings = [
        TrajectoryRow::schema(),
        TriedValuesRow::schema(),
        EndPointRow::schema(),
        ValidationColumns::schema(),
    ];
    let tables = schemas(&GAMES).into_iter().chain(of_tunings).chain([TimeRow::schema(), CurveRow::schema()]);
    let columns = tables.flat_map(|table| {
        described(&table).into_iter().map(move |(first, row)| (format!("# {}.csv", table.name), first, row))
    });
    let mut text = FORMAT.to_owned();
    for (heading, name, described) in keys.chain(columns) {
        let start = text.find(&format!("{heading}\n")).expect("its heading");
        let row = text[start..].find(&format!("\n| `{name}`")).unwrap_or_else(|| panic!("no row of {name}"));
        let row = start + row + 1;
        let end = row + text[row..].find('\n').expect("the end of the row");
        text.replace_range(row..end, &described);
    }
    golden::check("../docs/FORMAT.md", &text);
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
    let read = |text: &str| config::parse(catalog(&GAMES), "x.toml", text);
    samples.iter().for_each(|sample| drop(read(sample).unwrap_or_else(|mistakes| panic!("{mistakes}"))));
    let mut checked = BTreeSet::new();
    for listed in config::section_keys(catalog(&GAMES)) {
        let header = if listed.of == "tune.params" { "[tune.params.depth]" } else { &listed.header };
        for key in &listed.keys {
            let default = key.default.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
            let Some(default) = default.filter(|default| !default.contains('`')) else { continue };
            let line = format!("{} = {default}", key.name);
            for sample in samples.iter().filter(|sample| sample.contains(header)) {
                let text = sample.replacen(header, &format!("{header}\n{line}"), 1);
                let text = if header.is_empty() { format!("{line}\n{sample}") } else { text };
                let (Ok(without), Ok(with)) = (read(sample), read(&text)) else { continue };
                assert!(without.asks_the_same(&with), "[{}] {line}", listed.of);
                assert!(TuneSection::of(&without) == TuneSection::of(&with), "[{}] {line}", listed.of);
                assert!(TrainSection::of(&without) == TrainSection::of(&with), "[{}] {line}", listed.of);
                checked.insert(format!("{} {line}", listed.of));
            }
        }
    }
    assert!(checked.len() >= 19, "{checked:?}");
}

#[test]
fn every_key_of_an_answer_is_named() {
    let folder = Folder::new();
    folder.write("small.toml", EXPERIMENT);
    let question = r#"{"id": 1, "board": [2,2,4,0, 0,0,0,0, 0,0,0,0, 0,0,0,2], "score": 8}"#;
    let read: serde_json::Map<String, serde_json::Value> = serde_json::from_str(question).unwrap();
    // `to_move` is only for duels.
    let known: Vec<_> = read.keys().cloned().chain(["to_move".to_owned()]).collect();
    assert_eq!(named("## Probe", "key read"), known);
    let said = folder.run_with("probe --experiment small.toml", question).ends(0);
    let answer: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let keys = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().expect("an object").keys().cloned().collect()
    };
    assert_eq!(named("## Probe", "key written"), keys(&answer));
    let rows = rows("## Probe", "key written");
    let described = |key: &str| {
        let row = rows.iter().find(|row| quoted(row[0]) == [key]).expect("a row of this key");
        quoted(row[1])
    };
    for key in [keys(&answer["moves"]), keys(&answer["moves"]["left"])].concat() {
        assert!(described("moves").contains(&key), "{key}");
    }
    for key in keys(&answer["players"]["any"]) {
        assert!(described("players").contains(&key), "{key}");
    }
    // What each player reports about its choice.
    for (arena, board) in GAMES.iter().zip([question.to_owned(), json_of_stones()]) {
        let own = arena.manual().into_iter().filter(|manual| !manual.example.contains("command = "));
        let players: String =
            own.map(|manual| format!("[[player]]\nname = {:?}\n{}\n", manual.name, manual.example)).collect();
        let head = format!("name = \"all\"\ngame = {:?}\nseed = 1\ngames = 2\n", arena.name);
        folder.write("all.toml", head + &players);
        let said = folder.run_with("probe --experiment all.toml", &board).ends(0);
        let answer: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        for (name, told) in answer["players"].as_object().expect("an object") {
            for key in keys(told) {
                assert!(described("players").contains(&key), "{name}: {key}");
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
    let said = folder.run_with("ask t.toml", &lines.join("\n")).ends(0);
    let answers: Vec<serde_json::Value> =
        said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let keys = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().unwrap_or_else(|| panic!("{value} is no object")).keys().cloned().collect()
    };
    let of_list = answers[2]["answers"].as_array().expect("a list");
    let found: BTreeSet<String> = answers.iter().chain(of_list).flat_map(keys).collect();
    assert_eq!(named("## Ask", "key written").into_iter().collect::<BTreeSet<_>>(), found);
    let rows = rows("## Ask", "key written");
    let space = rows.iter().find(|row| quoted(row[0]) == ["space"]).expect("a row");
    for key in keys(&answers[1]["space"][0]) {
        assert!(quoted(space[1]).contains(&key), "{key}");
    }
    // The message about an unknown key lists the known keys.
    let known = answers[0]["mistake"].as_str().expect("a mistake").split_once("one of ").expect("a list").1;
    let read: BTreeSet<String> = quoted(known).into_iter().collect();
    assert_eq!(named("## Ask", "key read").into_iter().collect::<BTreeSet<_>>(), read);
}

/// Features in the order of the program, and which of them have powers.
#[test]
fn features_are_described() {
    let names = FEATURES.iter().map(|feature| feature.name.to_owned()).collect::<Vec<_>>();
    assert_eq!(named("## Features", "feature"), names);
    for (feature, row) in FEATURES.iter().zip(rows("## Features", "feature")) {
        let power = feature.function.power().map(|power| format!("{power} if not set"));
        assert!(power.as_ref().is_none_or(|power| row[1].contains(power)), "{power:?}: {row:?}");
        assert_eq!(row[1].contains("if not set"), power.is_some(), "{row:?}");
    }
}

/// Tuning methods in the order of the program, with its descriptions.
#[test]
fn methods_are_described() {
    let rows = rows("### Tuning", "method");
    let expected: Vec<Vec<String>> = METHODS
        .iter()
        .map(|method| vec![format!("`{}`", method.name()), method.about().to_owned()])
        .collect();
    assert_eq!(rows, expected);
}
