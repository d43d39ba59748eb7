//! `gauntlet tune`: its files, independence of threads and kills, continuation with more budget,
//! and validation of each answer on separate games.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::bench::{Folder, TUNING, add_checksum, parse_entry};
use crate::tools::lacks_command;

/// Short games, so that hundreds take little time.
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
weights = { smoothness = 0.1, monotonicity = 1.0, empty = 2.7, largest = 1.0 }

[tune]
player = "ovolve"
budget = 600
method = "spsa"

[tune.validate]
games = 60

[tune.params]
weights.smoothness = { min = 0.01, max = 2.0, scale = "log" }
weights.empty = { min = 0.0, max = 10.0 }
"#;

/// Returns [`SETTINGS`] with changed lines.
fn settings(changes: &[(&str, &str)]) -> String {
    let mut text = SETTINGS.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    text
}

/// Returns the files that must be equal however a tuning ended.
fn lasting(folder: &Folder, results: &str) -> Vec<String> {
    let files = ["tuned.toml", "trajectory.csv", "validation-1/experiment.toml", "validation-1/games.csv"];
    let mut all: Vec<String> =
        files.iter().map(|file| folder.read(&format!("{results}/t/tune/{file}"))).collect();
    // Times are excluded, and so are answers about times.
    let validation = folder.read(&format!("{results}/t/tune/validation.csv"));
    all.extend(validation.lines().filter(|line| !line.contains("ms-per-move")).map(str::to_owned));
    all
}

#[test]
fn a_tuning_leaves_what_it_found() {
    let folder = Folder::with_file("t.toml", settings(&[("budget = 600", "budget = 600\nexplain = 300")]));
    let said = folder.run("tune t.toml");
    assert!([Some(0), Some(6)].contains(&said.code), "{said:?}");
    let verdict = if said.code == Some(0) { "better: " } else { "inconclusive: " };
    assert!(said.out.starts_with(verdict), "{said:?}");
    for file in ["manifest.toml", "trajectory.csv", "validation.csv", "importance.csv", "experiment.toml"] {
        assert!(!folder.read(&format!("results/t/tune/{file}")).is_empty(), "{file}");
    }
    // The numbers in the manifest are those of the search.
    let manifest: toml::Table = folder.read("results/t/tune/manifest.toml").parse().unwrap();
    let trajectory = folder.read("results/t/tune/trajectory.csv");
    let last = trajectory.lines().last().unwrap();
    assert!(last.starts_with(&format!("{},final check,", manifest["games"])), "{last}");
    assert!(manifest["games"].as_integer().is_some_and(|games| (400..=600).contains(&games)), "{manifest}");
    // The settings that were found are a valid experiment, of the player under its own name.
    let check = folder.run("check results/t/tune/tuned.toml");
    assert!(check.code == Some(0) && check.out.contains("ovolve: ovolve"), "{check:?}");
    // Slices are an experiment with the answer and with each setting reset.
    let explained = folder.read("results/t/tune/explained/settings.csv");
    for player in ["\ntuned,", "\nweights.smoothness back,", "\nweights.empty back,", "\nweights.empty="] {
        assert!(explained.contains(player), "{player:?} in {explained}");
    }
    // Nothing is left to do the second time, and the answer is the same.
    let before = lasting(&folder, "results");
    let again = folder.run("tune t.toml");
    assert_eq!((again.code, &before), (said.code, &lasting(&folder, "results")));
}

/// The search with a model, over a real and an integer setting: equal on one thread, and on several
/// with a kill.
#[test]
fn a_model_comes_to_the_same_answer() {
    let folder = Folder::new();
    let params = "weights.empty = { min = 0.0, max = 10.0 }\ndepth = { min = 0, max = 1 }\n";
    let changes = [
        ("method = \"spsa\"", "method = \"model\""),
        ("weights.empty = { min = 0.0, max = 10.0 }\n", params),
    ];
    folder.write("t.toml", settings(&changes));
    let whole = folder.run("tune t.toml -j1 --quiet --results one");
    assert!([Some(0), Some(6)].contains(&whole.code), "{whole:?}");
    let journal = "killed/t/tune/journal.jsonl";
    assert!(folder.kill_at("tune t.toml -j3 --quiet --results killed", journal, 20_000));
    assert_eq!(folder.run("tune t.toml -j2 --quiet --results killed").code, whole.code);
    let path = folder.read("one/t/tune/trajectory.csv");
    assert!(path.lines().count() > 4, "{path}");
    assert_eq!(folder.read("killed/t/tune/trajectory.csv"), path);
}

#[test]
fn threads_and_kills_change_nothing() {
    let folder = Folder::with_file("t.toml", SETTINGS);
    let one = folder.run("tune t.toml -j1 --results one");
    let three = folder.run("tune t.toml -j3 --results three");
    assert_eq!(one.code, three.code);
    assert_eq!(lasting(&folder, "one"), lasting(&folder, "three"));

    let mut kills = 0;
    for attempt in 0..200 {
        let mut child = begun(&folder, "tune t.toml -j2 -q --results killed");
        sleep(Duration::from_millis(20 + 17 * (attempt % 23)));
        if let Some(status) = child.try_wait().unwrap() {
            assert_eq!(status.code(), one.code);
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    let end = folder.run("tune t.toml -q --results killed");
    assert_eq!(end.code, one.code, "{end:?}");
    assert!(kills > 0, "it was never killed");
    assert_eq!(lasting(&folder, "one"), lasting(&folder, "killed"), "after {kills} kills");
}

/// Journal lines with losses only save time. If they are missing or damaged, the tuning ends with
/// the same result.
#[test]
fn losses_in_the_journal_only_spare_time() {
    let folder = Folder::with_file("t.toml", SETTINGS);
    let tune = |results: &str| _ = folder.run(&format!("tune t.toml -j1 -q --results {results}"));
    let file = |results: &str| folder.path(&format!("{results}/t/tune/journal.jsonl"));
    let is_of_losses = |line: &&str| line.contains(r#" {"losses":{"#);
    let count = |journal: &str| journal.lines().filter(is_of_losses).count();
    tune("whole");
    let expected = lasting(&folder, "whole");
    let journal = fs::read_to_string(file("whole")).unwrap();
    assert!(count(&journal) > 10);
    tune("whole");
    assert_eq!(count(&fs::read_to_string(file("whole")).unwrap()), count(&journal), "all of them count");

    // Returns how the tuning ends when resumed from a journal.
    let number = Cell::new(0);
    let ends = |journal: &str| {
        let results = format!("r{}", number.replace(number.get() + 1));
        fs::create_dir_all(file(&results).parent().unwrap()).unwrap();
        fs::write(file(&results), journal).unwrap();
        tune(&results);
        (lasting(&folder, &results), count(&fs::read_to_string(file(&results)).unwrap()))
    };
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    let of_games = |line: &&&str| line.contains(r#" {"games":{"#);
    let all_but = |out: &dyn Fn(&&str) -> bool| lines.iter().filter(|line| !out(line)).copied().collect();
    folder.run("tune t.toml -j1 -q --results other --seed 8");
    let other = fs::read_to_string(folder.path("other/t+seed=8/tune/journal.jsonl")).unwrap();
    let others: String = other.split_inclusive('\n').filter(is_of_losses).collect();
    let game = *lines.iter().filter(of_games).nth(3).unwrap();
    let drops = add_checksum(&format!(r#"{{"dropped":{{"lines":["{}"]}}}}"#, &game[..16]));
    let cases: [(&str, String); 6] = [
        ("without them", all_but(&is_of_losses)),
        (
            "without the first of them",
            all_but(&|line| *line == *lines.iter().find(|line| is_of_losses(line)).unwrap()),
        ),
        ("of which they are damaged", journal.replace(r#""losses":[["#, r#""losses":[[1"#)),
        ("without a line of games", all_but(&|line| *line == game)),
        ("with those of another search", others + &journal),
        ("of which a line counts no more", format!("{journal}{drops}")),
    ];
    for (what, journal) in cases {
        assert_eq!(ends(&journal).0, expected, "a journal {what}");
    }
    assert_eq!(ends(&all_but(&is_of_losses)).1, count(&journal), "they are written again");

    // The search uses these losses: losses of other games change its path.
    let forged = |line: &&str| {
        if !is_of_losses(line) {
            return (*line).to_owned();
        }
        let mut entry = parse_entry(line);
        for losses in entry["losses"]["losses"].as_array_mut().unwrap().iter_mut().step_by(2) {
            losses.as_array_mut().unwrap().fill(0.into());
        }
        add_checksum(&entry.to_string())
    };
    assert_ne!(ends(&lines.iter().map(forged).collect::<String>()).0, expected);
}

fn begun(folder: &Folder, line: &str) -> Child {
    folder.command(line).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// More budget continues the search. The result is validated on other seeds, at half the risk.
#[test]
fn more_budget_goes_on() {
    let folder = Folder::with_file("t.toml", SETTINGS);
    folder.run("tune t.toml");
    let path = |name: &str| folder.read(&format!("results/t/tune/{name}"));
    let (first, journal) = (path("trajectory.csv"), path("journal.jsonl"));
    let validation = path("validation-1/experiment.toml");
    folder.run("tune t.toml --budget 900");
    let (second, grown) = (path("trajectory.csv"), path("journal.jsonl"));
    assert!(grown.starts_with(&journal), "the journal is continued");
    let steps = |path: &str| -> Vec<String> {
        path.lines().take_while(|line| !line.contains("final")).map(str::to_owned).collect()
    };
    let (before, now) = (steps(&first), steps(&second));
    assert!(now.len() > before.len() && now.starts_with(&before), "the path is continued");

    assert_eq!(path("validation-1/experiment.toml"), validation, "the first validation stays");
    let other = path("validation-2/experiment.toml");
    let line = |text: &str, key: &str| text.lines().find(|line| line.starts_with(key)).unwrap().to_owned();
    assert_eq!([line(&validation, "level"), line(&other, "level")], ["level = 0.975", "level = 0.9875"]);
    assert_ne!(line(&validation, "seed"), line(&other, "seed"));
    let seeds = |validation: &str| -> Vec<String> {
        let games = path(&format!("{validation}/games.csv"));
        games.lines().skip(1).map(|row| row.split(',').nth(2).unwrap().to_owned()).collect()
    };
    let (one, two) = (seeds("validation-1"), seeds("validation-2"));
    assert!(one.len() == 120 && one.iter().all(|seed| !two.contains(seed)), "fresh seeds");
    // The seeds of the validation differ from those of the search, too.
    let searched = one.iter().filter(|seed| grown.contains(seed.as_str())).count();
    assert_eq!(searched, 0);
}

/// Names and levels that a tuning makes are within the program's limits. Names are cut. If a level
/// cannot be halved again, this is reported before a game.
#[test]
fn what_a_tuning_makes_fits() {
    let folder = Folder::new();
    let name = "n".repeat(100);
    folder.write("t.toml", settings(&[("name = \"t\"", &format!("name = \"{name}\""))]));
    let said = folder.run("tune t.toml");
    assert!([Some(0), Some(6)].contains(&said.code), "{said:?}");
    let tuned = folder.read(&format!("results/{name}/tune/tuned.toml"));
    let digest = &blake3::hash(name.as_bytes()).to_hex()[..8];
    assert!(tuned.contains(&format!("name = \"{}~{digest}-tuned\"", "n".repeat(85))), "{tuned}");

    folder.write("u.toml", settings(&[("name = \"t\"", "name = \"u\"")]));
    folder.write("results/u/tune/validation-26/experiment.toml", "name = \"u\"");
    // The last permitted validation has ended, so the next one would be the 27th.
    folder.write("results/u/tune/validation-26/manifest.toml", "");
    folder.run("tune u.toml").assert_status(1).assert_says("has 26 validations");
    if lacks_command("ask") {
        return;
    }
    // `ask` reports it, and continues with the next line.
    for name in ["experiment.toml", "manifest.toml"] {
        folder.write(&format!("results/u/ask/validation-26/{name}"), "");
    }
    let lines = "{\"tell\": {\"weights.empty\": 4.2}}\n{\"space\": true}\n";
    let told = folder.run_with("ask u.toml", lines).assert_status(0);
    assert!(told.out.contains("has 26 validations") && told.out.lines().count() == 2, "{told:?}");
}

/// A result stays until a later one is complete. A tuning that is continued and stopped changes
/// none of its files, and a smaller budget does not replace it.
#[test]
fn an_answer_stays_until_the_next() {
    let folder = Folder::with_file("t.toml", SETTINGS);
    folder.run("tune t.toml");
    let names = ["manifest.toml", "trajectory.csv", "tuned.toml", "experiment.toml"];
    let files = || names.map(|name| folder.read(&format!("results/t/tune/{name}")));
    let first = files();
    let journal = "results/t/tune/journal.jsonl";
    assert!(folder.kill_at("tune t.toml --budget 1000000", journal, folder.size(journal) + 10_000));
    assert!(files() == first, "files of an unfinished search");
    folder.run("report results/t/tune --out page.html").assert_status(0);
    folder
        .run("tune t.toml --budget 400")
        .assert_status(2)
        .assert_says("already has the result of a search of 600 games");
    assert!(files() == first, "files of a smaller budget");
    folder.run("tune t.toml --budget 900");
    assert!(files().iter().zip(&first).all(|(now, before)| now != before || now.contains("[tune]")));
    folder.run("report results/t/tune --out page.html").assert_status(0);
}

/// Returns the files of an answer.
fn answer(folder: &Folder) -> Vec<String> {
    let names = [
        "manifest.toml",
        "trajectory.csv",
        "tuned.toml",
        "validation.csv",
        "importance.csv",
        "experiment.toml",
    ];
    names.map(|name| folder.read(&format!("results/t/tune/{name}"))).into()
}

/// If the disk becomes full at any file of a tuning, this is reported in one line. The earlier
/// result stays and is shown. With more room, the same command ends as if nothing had happened.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_answer() {
    // With so many games, the journal of the validation is longer than the journal of the search.
    let text = settings(&[("budget = 600", "budget = 600\nexplain = 300"), ("games = 60", "games = 3000")]);
    let whole = Folder::with_file("t.toml", &text);
    whole.run("tune t.toml --quiet");
    whole.run("tune t.toml --quiet --budget 900");

    let folder = Folder::with_file("t.toml", &text);
    folder.run("tune t.toml --quiet");
    let first = answer(&folder);
    let mut failed = BTreeSet::new();
    let size = |name: &str| fs::metadata(folder.path(name)).map_or(0, |file| file.len());
    // A file size limit looks like a full disk. First, the journal of the search reaches the limit,
    // then files of the validation and of the slices. Finally, there is room for all.
    let mut kilobytes = size("results/t/tune/journal.jsonl") / 1024;
    loop {
        let blocks = 2 * kilobytes;
        let said = folder
            .shell(&format!("trap '' XFSZ; ulimit -f {blocks}; gauntlet tune t.toml --quiet --budget 900"));
        if said.code != Some(1) {
            assert!([Some(0), Some(6), Some(7)].contains(&said.code), "{said:?}");
            break;
        }
        assert_eq!(said.err.lines().count(), 1, "{said:?}");
        failed.insert(said.err);
        assert!(answer(&folder) == first, "at {kilobytes} kB another answer");
        folder.run("report results/t/tune --out page.html").assert_status(0);
        kilobytes += kilobytes / 8 + 1;
    }
    assert!(failed.len() >= 2, "{failed:?}");
    for file in ["trajectory.csv", "tuned.toml", "validation-2/games.csv", "explained/games.csv"] {
        let [found, expected] =
            [&folder, &whole].map(|folder| folder.read(&format!("results/t/tune/{file}")));
        assert!(found == expected, "{file}");
    }
    folder.run("report results/t/tune --out page.html").assert_status(0);
}

/// A tuning that is killed during the slices of its next answer keeps the earlier answer with its
/// slices, and can be resumed.
#[test]
fn a_kill_among_the_slices_leaves_the_answer() {
    let text = settings(&[("budget = 600", "budget = 600\nexplain = 3000")]);
    let folder = Folder::with_file("t.toml", &text);
    folder.run("tune t.toml --quiet");
    let first = answer(&folder);
    let shows_slices = || {
        folder.run("report results/t/tune --out page.html").assert_status(0);
        assert!(folder.read("page.html").contains("weights.empty back"), "no slices");
    };
    shows_slices();

    let journal = "results/t/tune/explained/journal.jsonl";
    let is_killed = folder.kill_at("tune t.toml --quiet --budget 900", journal, folder.size(journal) + 1);
    assert!(is_killed, "it was not killed among its slices");
    assert!(answer(&folder) == first, "files of an answer that has not ended");
    shows_slices();

    folder.run("tune t.toml --quiet --budget 900");
    assert!(answer(&folder) != first);
    shows_slices();
    let whole = Folder::with_file("t.toml", &text);
    whole.run("tune t.toml --quiet");
    whole.run("tune t.toml --quiet --budget 900");
    let slices = "results/t/tune/explained/games.csv";
    assert!(folder.read(slices) == whole.read(slices), "other slices");
}

#[test]
fn candidates_that_the_player_refuses_are_counted_and_not_played() {
    let folder = Folder::new();
    let text = settings(&[
        ("smoothness = 0.1, monotonicity = 1.0", "smoothness = 9.6, monotonicity = 9.6"),
        (
            "weights.smoothness = { min = 0.01, max = 2.0, scale = \"log\" }",
            "weights.smoothness = { min = 0.1, max = 10 }",
        ),
        ("weights.empty = { min = 0.0, max = 10.0 }", "weights.monotonicity = { min = 0.1, max = 10 }"),
    ]);
    folder.write("t.toml", text);
    let said = folder.run("tune t.toml");
    assert!([Some(0), Some(6)].contains(&said.code), "{said:?}");
    let manifest: toml::Table = folder.read("results/t/tune/manifest.toml").parse().unwrap();
    let refused = manifest["refused"].as_integer().unwrap();
    assert!(
        refused > 0 && said.out.contains(&format!("{refused} candidates rejected by the player")),
        "{said:?}"
    );
}

#[test]
fn a_limit_of_nodes_holds() {
    let folder = Folder::new();
    let text = settings(&[
        ("weights.smoothness = { min = 0.01, max = 2.0, scale = \"log\" }", "depth = { min = 0, max = 2 }"),
        ("weights.empty = { min = 0.0, max = 10.0 }", ""),
        ("budget = 600", "budget = 600\nat_most_nodes = 30"),
    ]);
    folder.write("t.toml", text);
    folder.run("tune t.toml");
    let tuned = folder.read("results/t/tune/tuned.toml");
    // Depth 1 visits about 20 nodes per move, depth 2 about a hundred.
    assert!(tuned.contains("depth = 1\n") || tuned.contains("depth = 0\n"), "{tuned}");
}

/// Neither the verdict of a validation nor its node counts depend on games after its stop, whose
/// number is random. Here all of them are planted, by a run that does not stop. The node limit is
/// near the answer's node count.
#[test]
fn games_beyond_the_stop_of_a_validation_do_not_count() {
    let folder = Folder::new();
    let text = settings(&[
        ("depth = 0", "depth = 1"),
        ("monotonicity = 1.0", "monotonicity = -3.0"),
        ("weights.empty = { min = 0.0, max = 10.0 }", "weights.monotonicity = { min = -10.0, max = 10.0 }"),
        ("budget = 600", "budget = 600\nat_most_nodes = 34.5"),
        ("method = \"spsa\"", "method = \"spsa\"\nobjective = \"win\""),
        ("games = 60", "games = 400\ndifference = 0.3"),
    ]);
    folder.write("t.toml", text);
    folder.run("tune t.toml --quiet -j1");
    let path = "results/t/tune/validation-1";
    let found = || {
        let said = folder.run("tune t.toml --quiet -j1");
        let manifest: toml::Table = folder.read("results/t/tune/manifest.toml").parse().unwrap();
        (said.code, said.out, manifest["verdict"].clone(), lasting(&folder, "results"))
    };
    let first = found();
    let counted = folder.read(&format!("{path}/games.csv")).lines().count() - 1;
    assert!(counted < 600, "{counted} games: the stop ended nothing");

    let experiment = folder.read(&format!("{path}/experiment.toml"));
    let (before, stop) = experiment.split_once("[stop]").expect("a stop");
    let after = stop.split_once("\n[").map_or(String::new(), |(_, after)| format!("[{after}"));
    folder.play("longer.toml --results longer --name longer", before.to_owned() + &after);
    let games = folder.read("longer/longer/journal.jsonl");
    let games: String =
        games.lines().filter(|line| line.contains("\"nodes\"")).map(|line| format!("{line}\n")).collect();
    let journal = folder.read(&format!("{path}/journal.jsonl"));
    let counts = |text: &str| text.lines().filter(|line| line.contains("\"nodes\"")).count();
    assert!(counts(&games) > counts(&journal), "nothing is planted");
    folder.write(&format!("{path}/journal.jsonl"), journal + &games);
    assert_eq!(found(), first);
}

/// The node counts of a validation are those of the games that count: repeated lines in its
/// journal, or games after its stop, are excluded.
#[test]
fn nodes_of_a_validation_are_those_of_its_games() {
    let folder = Folder::new();
    let text = settings(&[
        ("depth = 0", "depth = 1"),
        ("method = \"spsa\"", "method = \"spsa\"\nobjective = \"win\""),
        ("games = 60", "games = 400\ndifference = 0.3"),
    ]);
    folder.write("t.toml", text);
    let told =
        |said: String| said.lines().find(|line| line.contains("positions searched")).map(str::to_owned);
    let first = told(folder.run("tune t.toml").out).expect("positions");
    let path = "results/t/tune/validation-1/journal.jsonl";
    let journal = folder.read(path);
    let line = journal.lines().rfind(|line| line.contains("\"nodes\"")).expect("a line that counts");
    folder.write(path, journal.clone() + &format!("{line}\n").repeat(500));
    assert_eq!(told(folder.run("tune t.toml").out), Some(first));
}

#[test]
fn a_race_finds_the_player_that_is_far_better() {
    let folder = Folder::new();
    let race = r#"
name = "t"
game = "2048"
seed = 3
games = 50
win = 512
until = 512

[[player]]
name = "any"
algorithm = "random"

[[player]]
name = "deep"
algorithm = "ovolve"

[player.sweep]
depth = [0, 2]

[tune]
method = "race"
budget = 600
objective = "win"

[tune.validate]
games = 100
difference = [0.0, 0.1]
"#;
    folder.write("t.toml", race);
    let said = folder.run("tune t.toml");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("winner of the race: deep depth=2; start: any"), "{said:?}");
    let stop = folder.read("results/t/tune/validation-1/stop.csv");
    assert!(stop.contains("deep depth=2,any,win,sprt"), "{stop}");
}

/// Settings with words are tuned, and two searches report the distance of their final points.
#[test]
fn words_are_chosen_and_other_ends_are_told() {
    let folder = Folder::new();
    let text = r#"
name = "t"
game = "2048"
seed = 7
games = 50
win = 64
until = 64

[[player]]
name = "swift"
algorithm = "swift-expectimax"
depth = 1
adaptive = true
evaluation = "corner-27"

[tune]
player = "swift"
method = "cma-es"
searches = 2
budget = 6000
explain = 50

[tune.validate]
games = 60

[tune.params]
evaluation = { choices = ["repo-117", "corner-27", "snake-linear-57"] }
adaptive = { choices = [true, false] }
empty_weight = { min = 0, max = 20 }
"#;
    folder.write("t.toml", text);
    let said = folder.run("tune t.toml --quiet");
    assert!([Some(0), Some(6), Some(7)].contains(&said.code), "{said:?}");
    let trajectory = folder.read("results/t/tune/trajectory.csv");
    assert!(
        [",corner-27,", ",repo-117,", ",snake-linear-57,"].iter().any(|word| trajectory.contains(word)),
        "{trajectory}"
    );
    assert!(said.out.contains("the best point leads 2 other ends by "), "{said:?}");
    let ends = folder.read("results/t/tune/ends.csv");
    assert_eq!(ends.lines().count(), 3, "{ends}");
    assert!(
        ends.starts_with("games,less,less_low,less_high,pairs,evaluation,adaptive,empty_weight\n"),
        "{ends}"
    );
    assert!(folder.run("check results/t/tune/tuned.toml").code == Some(0));
    let table = folder.run("report results/t/tune --table tuned").assert_status(0);
    assert!(table.out.contains("repo-117, corner-27, snake-linear-57"), "{table:?}");
    folder.run("report results/t/tune --out page.html").assert_status(0);
    let page = folder.read("page.html");
    assert!(
        page.contains("Results of the other searches")
            && page.contains("the best point leads 2 other ends by ")
    );
}

/// Several searches share the games, final points other than the answer are reported, and with more
/// games they continue from their state.
#[test]
fn several_searches_say_how_far_their_ends_are_apart() {
    let text = settings(&[("method = \"spsa\"", "searches = 3"), ("budget = 600", "budget = 1800")]);
    let (whole, longer) = (Folder::new(), Folder::new());
    for folder in [&whole, &longer] {
        folder.write("t.toml", &text);
    }
    whole
        .run("check t.toml")
        .assert_status(0)
        .assert_says("\n    games       1,800\n")
        .assert_says("3 interleaved searches");
    let said = whole.run("tune t.toml --quiet");
    assert!([Some(0), Some(6), Some(7)].contains(&said.code), "{said:?}");
    assert!(said.out.contains("Another search would find the best point with probability 1/4"), "{said:?}");
    let ends = whole.read("results/t/tune/ends.csv");
    let ends: BTreeSet<&str> = ends.lines().collect();
    assert_eq!(ends.len(), 3, "a head and two ends that differ: {ends:?}");
    // Searches from the command line have a separate folder, and are the same search.
    let other = Folder::with_file("t.toml", text.replace("searches = 3\n", "").replace("searches = 3", ""));
    other.run("tune t.toml --quiet --searches 3");
    let path = |folder: &Folder, name: &str| folder.read(&format!("results/{name}/tune/trajectory.csv"));
    assert!(path(&other, "t+searches=3") == path(&whole, "t"));
    longer.run("tune t.toml --quiet --budget 1500");
    longer.run("tune t.toml --quiet");
    for file in ["trajectory.csv", "ends.csv"] {
        let [found, expected] = [&longer, &whole].map(|one| one.read(&format!("results/t/tune/{file}")));
        assert!(found == expected, "{file}");
    }
}

/// A budget too small for any search is refused with the minimum, and with the minimum the search
/// moves.
#[test]
fn a_budget_that_is_too_small_is_refused_with_the_least_one() {
    let duel = "name = \"t\"\ngame = \"gomoku\"\nseed = 7\ngames = 20\nsize = 5\n\n[[player]]\nname = \"ovolve\"\n\
                algorithm = \"flat-mc\"\nrollouts = 1\n\n[tune]\nplayer = \"ovolve\"\nbudget = 600\nmethod = \"spsa\"\n\n\
                [tune.validate]\ngames = 60\n\n[tune.params]\nrollouts = { min = 1, max = 3 }\n";
    let of = |method: &str| [(settings(&[("spsa", method)]), 100), (duel.replace("spsa", method), 200)];
    for (text, least) in ["spsa", "cma-es", "model", "model\"\nsearches = \"3"].into_iter().flat_map(of) {
        let text = text.replace("searches = \"3\"", "searches = 3");
        let folder = Folder::with_file("t.toml", text.replace("budget = 600", &format!("budget = {least}")));
        let said = folder.run("tune t.toml").assert_status(2);
        let place = format!("budget = {least}\n");
        assert!(said.err.contains(&place) && said.err.contains("^^^ "), "{}", said.err);
        let (_, rest) = said.err.split_once(" needs at least ").expect("the least budget");
        let least: u64 = rest.split_once(" games").expect("games").0.replace(',', "").parse().unwrap();
        folder.write("t.toml", text.replace("budget = 600", "budget = 6000"));
        let line = |budget: u64| format!("tune t.toml --quiet --budget {budget}");
        let said = folder.run(&line(least - 1)).assert_status(2).assert_says("--budget: ");
        assert!(said.err.replace(',', "").contains(&format!("at least {least} games")), "{said:?}");
        let said = folder.run(&line(least));
        assert!([Some(0), Some(6), Some(7)].contains(&said.code), "{said:?}");
        assert!(folder.read("results/t/tune/trajectory.csv").contains(",step,"), "{said:?}");
    }
}

#[test]
fn what_cannot_be_tuned_is_told() {
    let folder = Folder::with_file("none.toml", SETTINGS.split("[tune]").next().unwrap());
    let said = folder.run("tune none.toml");
    assert!(said.code == Some(2) && said.err.contains("has no [tune]"), "{said:?}");
    folder.write("t.toml", SETTINGS);
    let said = folder.run("tune t.toml --method simplex");
    assert!(said.code == Some(2) && said.err.contains("spsa, cma-es, model or race"), "{said:?}");
    let said = folder.run("tune absent.toml");
    assert!(said.code == Some(2) && said.err.contains("no such file or folder: absent.toml"), "{said:?}");
}

/// A tuning with a time limit prints what is known and how to resume, and finds the same answer as
/// one that was not stopped.
#[test]
fn a_tuning_of_short_times_comes_to_the_same_answer() {
    let folder = Folder::with_file(
        "long.toml",
        TUNING.replace("budget = 900", "budget = 1000000000").replace("\"t\"", "\"long\""),
    );
    let said = folder.run("tune long.toml --for 0.1s").assert_status(0);
    said.assert_says("results/long/tune: tuning by spsa with a budget of 1,000,000,000 games, unfinished")
        .assert_says(
            "stopped by --for; to resume for the same time:\n  gauntlet tune long.toml --for 0.1s\n",
        );
    folder.write("t.toml", TUNING);
    let whole = folder.run("tune t.toml --quiet --results whole");
    let mut calls = 1;
    let mut said = folder.run("tune t.toml --quiet --for 0.1s");
    while said.err.contains("stopped by --for") {
        assert!(said.code == Some(0) && calls < 100, "{}{}", said.out, said.err);
        said = folder.run("tune t.toml --quiet --for 0.1s");
        calls += 1;
    }
    assert_eq!(said.code, whole.code, "{}{}", said.out, said.err);
    for file in ["trajectory.csv", "tuned.toml"] {
        let [own, other] =
            ["results", "whole"].map(|results| folder.read(&format!("{results}/t/tune/{file}")));
        assert_eq!(own, other.replace(" --results=whole", ""), "{file}");
    }
}

/// Returns the bytes of a damaged file; `None` if it is missing.
type Damage = fn(&[u8]) -> Option<Vec<u8>>;

/// If a file of a tuning or training is cut, empty, missing or damaged, the same command makes it
/// again, or ends with one line that names an option for this.
#[test]
fn damaged_files_of_tunings_and_trainings_are_made_again() {
    let folder = Folder::with_file("t.toml", TUNING);
    let whole = folder.run("tune t.toml --quiet");
    folder.write(
        "n.toml",
        "name = 'n'\ngame = '2048'\nseed = 7\ngames = 5\n[[player]]\nname = 'a'\nalgorithm = 'random'\n\
         [train]\npatterns = '0123 4567'\nmethod = 'tc'\nrate = 1\ngames = 30\nseed = 3\ntest_games = 10\n",
    );
    folder.run("train n.toml --quiet").assert_status(0);
    let damages: [Damage; 4] = [
        |whole| Some(whole[..whole.len() / 2].to_vec()),
        |_| Some(Vec::new()),
        |_| None,
        |whole| Some([&whole[..whole.len() / 3], b"\xff\xfe", &whole[whole.len() / 3..]].concat()),
    ];
    // Times always differ.
    let answer = || -> Vec<String> {
        let validation = folder.read("results/t/tune/validation.csv");
        validation.lines().filter(|row| !row.contains(",ms-per-move,")).map(str::to_owned).collect()
    };
    let expected = answer();
    let tuning = [
        "manifest.toml",
        "validation-1/manifest.toml",
        "validation-1/experiment.toml",
        "validation-1/journal.jsonl",
        "journal.jsonl",
        "tuned.toml",
        "validation.csv",
        "explained/manifest.toml",
        "explained/experiment.toml",
    ];
    let tuning = tuning.map(|file| (format!("results/t/tune/{file}"), "tune t.toml --quiet", whole.code));
    let training = ["checkpoint", "network", "curve.csv", ".training"];
    let training = training.map(|file| (format!("results/n/train/{file}"), "train n.toml --quiet", Some(0)));
    for (file, command, code) in tuning.into_iter().chain(training) {
        for (number, damage) in damages.iter().enumerate() {
            let before = std::fs::read(folder.path(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
            match damage(&before) {
                Some(bytes) => folder.write(&file, bytes),
                None => std::fs::remove_file(folder.path(&file)).unwrap(),
            }
            let mut said = folder.run(command);
            if said.code != code {
                assert!(
                    said.err.trim_end().lines().count() == 1 && said.err.contains("--replace"),
                    "{file} {number}: {}",
                    said.err
                );
                said = folder.run(&format!("{command} --replace"));
            }
            assert_eq!(said.code, code, "{file} {number}: {}", said.err);
            assert_eq!(answer(), expected, "{file} {number}");
        }
    }
}
