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
    for (old, new) in changes {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, new);
    }
    text
}

/// Returns the files that must be equal however a tuning ended.
fn final_files(folder: &Folder, results: &str) -> Vec<String> {
    let files = ["tuned.toml", "trajectory.csv", "validation-1/experiment.toml", "validation-1/games.csv"];
    let mut contents: Vec<String> =
        files.iter().map(|file| folder.read(&format!("{results}/t/tune/{file}"))).collect();
    // Times are excluded, and so are answers about times.
    let validation = folder.read(&format!("{results}/t/tune/validation.csv"));
    contents.extend(validation.lines().filter(|line| !line.contains("ms-per-move")).map(str::to_owned));
    contents
}

#[test]
fn a_tuning_leaves_what_it_found() {
    let folder = Folder::with_file("t.toml", settings(&[("budget = 600", "budget = 600\nexplain = 300")]));
    let output = folder.run("tune t.toml");
    assert!([Some(0), Some(6)].contains(&output.code), "{output:?}");
    let verdict = if output.code == Some(0) { "better: " } else { "inconclusive: " };
    assert!(output.stdout.starts_with(verdict), "{output:?}");
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
    assert!(check.code == Some(0) && check.stdout.contains("ovolve: ovolve"), "{check:?}");
    // Slices are an experiment with the answer and with each setting reset.
    let slices = folder.read("results/t/tune/explained/settings.csv");
    for player in ["\ntuned,", "\nweights.smoothness back,", "\nweights.empty back,", "\nweights.empty="] {
        assert!(slices.contains(player), "{player:?} in {slices}");
    }
    // Nothing is left to do the second time, and the answer is the same.
    let before = final_files(&folder, "results");
    let second_run = folder.run("tune t.toml");
    assert_eq!((second_run.code, &before), (output.code, &final_files(&folder, "results")));
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
    let complete = folder.run("tune t.toml -j1 --quiet --results one");
    assert!([Some(0), Some(6)].contains(&complete.code), "{complete:?}");
    let journal = "killed/t/tune/journal.jsonl";
    // A larger budget cannot end before the kill.
    let line = "tune t.toml -j3 --quiet --results killed --budget 1000000000";
    assert!(folder.kill_at(line, journal, 20_000));
    assert_eq!(folder.run("tune t.toml -j2 --quiet --results killed").code, complete.code);
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
    assert_eq!(final_files(&folder, "one"), final_files(&folder, "three"));

    // A larger budget cannot end before the first kill.
    let line = "tune t.toml -j2 -q --results killed --budget 1000000000";
    assert!(folder.kill_at(line, "killed/t/tune/journal.jsonl", 3_000));
    let mut kills = 1;
    for attempt in 0..200 {
        let mut child = start_silently(&folder, "tune t.toml -j2 -q --results killed");
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
    assert_eq!(final_files(&folder, "one"), final_files(&folder, "killed"), "after {kills} kills");
}

/// Journal lines with losses only save time. If they are missing or damaged, the tuning ends with
/// the same result.
#[test]
fn losses_in_the_journal_only_spare_time() {
    let folder = Folder::with_file("t.toml", SETTINGS);
    let tune = |results: &str| _ = folder.run(&format!("tune t.toml -j1 -q --results {results}"));
    let file = |results: &str| folder.path(&format!("{results}/t/tune/journal.jsonl"));
    let has_losses = |line: &&str| line.contains(r#" {"losses":{"#);
    let count = |journal: &str| journal.lines().filter(has_losses).count();
    tune("whole");
    let expected = final_files(&folder, "whole");
    let journal = fs::read_to_string(file("whole")).unwrap();
    assert!(count(&journal) > 10);
    tune("whole");
    assert_eq!(count(&fs::read_to_string(file("whole")).unwrap()), count(&journal), "all of them count");

    // Returns how the tuning ends when resumed from a journal.
    let number = Cell::new(0);
    let resume = |journal: &str| {
        let results = format!("r{}", number.replace(number.get() + 1));
        fs::create_dir_all(file(&results).parent().unwrap()).unwrap();
        fs::write(file(&results), journal).unwrap();
        tune(&results);
        (final_files(&folder, &results), count(&fs::read_to_string(file(&results)).unwrap()))
    };
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    let has_games = |line: &&&str| line.contains(r#" {"games":{"#);
    let all_but = |is_excluded: &dyn Fn(&&str) -> bool| {
        lines.iter().filter(|line| !is_excluded(line)).copied().collect()
    };
    folder.run("tune t.toml -j1 -q --results other --seed 8");
    let other_journal = fs::read_to_string(folder.path("other/t+seed=8/tune/journal.jsonl")).unwrap();
    let other_losses: String = other_journal.split_inclusive('\n').filter(has_losses).collect();
    let game = *lines.iter().filter(has_games).nth(3).unwrap();
    let dropped_line = add_checksum(&format!(r#"{{"dropped":{{"lines":["{}"]}}}}"#, &game[..16]));
    let cases: [(&str, String); 6] = [
        ("without them", all_but(&has_losses)),
        (
            "without the first of them",
            all_but(&|line| *line == *lines.iter().find(|line| has_losses(line)).unwrap()),
        ),
        ("of which they are damaged", journal.replace(r#""losses":[["#, r#""losses":[[1"#)),
        ("without a line of games", all_but(&|line| *line == game)),
        ("with those of another search", other_losses + &journal),
        ("of which a line counts no more", format!("{journal}{dropped_line}")),
    ];
    for (label, journal) in cases {
        assert_eq!(resume(&journal).0, expected, "a journal {label}");
    }
    assert_eq!(resume(&all_but(&has_losses)).1, count(&journal), "they are written again");

    // The search uses these losses: losses of other games change its path.
    let forge_losses = |line: &&str| {
        if !has_losses(line) {
            return (*line).to_owned();
        }
        let mut entry = parse_entry(line);
        for losses in entry["losses"]["losses"].as_array_mut().unwrap().iter_mut().step_by(2) {
            losses.as_array_mut().unwrap().fill(0.into());
        }
        add_checksum(&entry.to_string())
    };
    assert_ne!(resume(&lines.iter().map(forge_losses).collect::<String>()).0, expected);
}

fn start_silently(folder: &Folder, line: &str) -> Child {
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
    let (second, longer_journal) = (path("trajectory.csv"), path("journal.jsonl"));
    assert!(longer_journal.starts_with(&journal), "the journal is continued");
    let steps = |path: &str| -> Vec<String> {
        path.lines().take_while(|line| !line.contains("final")).map(str::to_owned).collect()
    };
    let (before, now) = (steps(&first), steps(&second));
    assert!(now.len() > before.len() && now.starts_with(&before), "the path is continued");

    assert_eq!(path("validation-1/experiment.toml"), validation, "the first validation stays");
    let second_validation = path("validation-2/experiment.toml");
    let line = |text: &str, key: &str| text.lines().find(|line| line.starts_with(key)).unwrap().to_owned();
    assert_eq!(
        [line(&validation, "level"), line(&second_validation, "level")],
        ["level = 0.975", "level = 0.9875"]
    );
    assert_ne!(line(&validation, "seed"), line(&second_validation, "seed"));
    let seeds = |validation: &str| -> Vec<String> {
        let games = path(&format!("{validation}/games.csv"));
        games.lines().skip(1).map(|row| row.split(',').nth(2).unwrap().to_owned()).collect()
    };
    let (one, two) = (seeds("validation-1"), seeds("validation-2"));
    assert!(one.len() == 120 && one.iter().all(|seed| !two.contains(seed)), "fresh seeds");
    // The seeds of the validation differ from those of the search, too.
    let repeated_seeds = one.iter().filter(|seed| longer_journal.contains(seed.as_str())).count();
    assert_eq!(repeated_seeds, 0);
}

/// Names and levels that a tuning makes are within the program's limits. Names are cut. If a level
/// cannot be halved again, this is reported before a game.
#[test]
fn what_a_tuning_makes_fits() {
    let folder = Folder::new();
    let name = "n".repeat(100);
    folder.write("t.toml", settings(&[("name = \"t\"", &format!("name = \"{name}\""))]));
    let output = folder.run("tune t.toml");
    assert!([Some(0), Some(6)].contains(&output.code), "{output:?}");
    let tuned_toml = folder.read(&format!("results/{name}/tune/tuned.toml"));
    let digest = &blake3::hash(name.as_bytes()).to_hex()[..8];
    assert!(tuned_toml.contains(&format!("name = \"{}~{digest}-tuned\"", "n".repeat(85))), "{tuned_toml}");

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
    let ask_output = folder.run_with("ask u.toml", lines).assert_status(0);
    assert!(
        ask_output.stdout.contains("has 26 validations") && ask_output.stdout.lines().count() == 2,
        "{ask_output:?}"
    );
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
    assert!(folder.kill_at("tune t.toml --budget 1000000000", journal, folder.size(journal) + 10_000));
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
    let complete = Folder::with_file("t.toml", &text);
    complete.run("tune t.toml --quiet");
    complete.run("tune t.toml --quiet --budget 900");

    let folder = Folder::with_file("t.toml", &text);
    folder.run("tune t.toml --quiet");
    let first = answer(&folder);
    let mut errors = BTreeSet::new();
    let size = |name: &str| fs::metadata(folder.path(name)).map_or(0, |file| file.len());
    // A file size limit looks like a full disk. First, the journal of the search reaches the limit,
    // then files of the validation and of the slices. Finally, there is room for all.
    let mut kilobytes = size("results/t/tune/journal.jsonl") / 1024;
    loop {
        let blocks = 2 * kilobytes;
        let output = folder
            .shell(&format!("trap '' XFSZ; ulimit -f {blocks}; gauntlet tune t.toml --quiet --budget 900"));
        if output.code != Some(1) {
            assert!([Some(0), Some(6), Some(7)].contains(&output.code), "{output:?}");
            break;
        }
        assert_eq!(output.stderr.lines().count(), 1, "{output:?}");
        errors.insert(output.stderr);
        assert!(answer(&folder) == first, "at {kilobytes} kB another answer");
        folder.run("report results/t/tune --out page.html").assert_status(0);
        kilobytes += kilobytes / 8 + 1;
    }
    assert!(errors.len() >= 2, "{errors:?}");
    for file in ["trajectory.csv", "tuned.toml", "validation-2/games.csv", "explained/games.csv"] {
        let [actual, expected] =
            [&folder, &complete].map(|folder| folder.read(&format!("results/t/tune/{file}")));
        assert!(actual == expected, "{file}");
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
    let assert_slices_shown = || {
        folder.run("report results/t/tune --out page.html").assert_status(0);
        assert!(folder.read("page.html").contains("weights.empty back"), "no slices");
    };
    assert_slices_shown();

    let journal = "results/t/tune/explained/journal.jsonl";
    // More slices cannot end before the kill.
    folder.write("t.toml", text.replace("explain = 3000", "explain = 100_000_000"));
    let is_killed = folder.kill_at("tune t.toml --quiet --budget 900", journal, folder.size(journal) + 1);
    assert!(is_killed, "it was not killed among its slices");
    folder.write("t.toml", &text);
    assert!(answer(&folder) == first, "files of an answer that has not ended");
    assert_slices_shown();

    folder.run("tune t.toml --quiet --budget 900");
    assert!(answer(&folder) != first);
    assert_slices_shown();
    let complete = Folder::with_file("t.toml", &text);
    complete.run("tune t.toml --quiet");
    complete.run("tune t.toml --quiet --budget 900");
    let slices = "results/t/tune/explained/games.csv";
    assert!(folder.read(slices) == complete.read(slices), "other slices");
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
    let output = folder.run("tune t.toml");
    assert!([Some(0), Some(6)].contains(&output.code), "{output:?}");
    let manifest: toml::Table = folder.read("results/t/tune/manifest.toml").parse().unwrap();
    let rejected_count = manifest["refused"].as_integer().unwrap();
    assert!(
        rejected_count > 0
            && output.stdout.contains(&format!("{rejected_count} candidates rejected by the player")),
        "{output:?}"
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
    let tuned_toml = folder.read("results/t/tune/tuned.toml");
    // Depth 1 visits about 20 nodes per move, depth 2 about a hundred.
    assert!(tuned_toml.contains("depth = 1\n") || tuned_toml.contains("depth = 0\n"), "{tuned_toml}");
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
    let tuning_result = || {
        let output = folder.run("tune t.toml --quiet -j1");
        let manifest: toml::Table = folder.read("results/t/tune/manifest.toml").parse().unwrap();
        (output.code, output.stdout, manifest["verdict"].clone(), final_files(&folder, "results"))
    };
    let first = tuning_result();
    let game_count = folder.read(&format!("{path}/games.csv")).lines().count() - 1;
    assert!(game_count < 600, "{game_count} games: the stop ended nothing");

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
    assert_eq!(tuning_result(), first);
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
    let positions_line =
        |stdout: String| stdout.lines().find(|line| line.contains("positions searched")).map(str::to_owned);
    let first = positions_line(folder.run("tune t.toml").stdout).expect("positions");
    let path = "results/t/tune/validation-1/journal.jsonl";
    let journal = folder.read(path);
    let line = journal.lines().rfind(|line| line.contains("\"nodes\"")).expect("a line that counts");
    folder.write(path, journal.clone() + &format!("{line}\n").repeat(500));
    assert_eq!(positions_line(folder.run("tune t.toml").stdout), Some(first));
}

#[test]
fn a_race_finds_the_player_that_is_far_better() {
    let folder = Folder::new();
    let experiment = r#"
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
    folder.write("t.toml", experiment);
    let output = folder.run("tune t.toml");
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stdout.contains("winner of the race: deep depth=2; start: any"), "{output:?}");
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
    let output = folder.run("tune t.toml --quiet");
    assert!([Some(0), Some(6), Some(7)].contains(&output.code), "{output:?}");
    let trajectory = folder.read("results/t/tune/trajectory.csv");
    assert!(
        [",corner-27,", ",repo-117,", ",snake-linear-57,"].iter().any(|word| trajectory.contains(word)),
        "{trajectory}"
    );
    assert!(output.stdout.contains("the best point leads 2 other ends by "), "{output:?}");
    let ends = folder.read("results/t/tune/ends.csv");
    assert_eq!(ends.lines().count(), 3, "{ends}");
    assert!(
        ends.starts_with("games,less,less_low,less_high,pairs,evaluation,adaptive,empty_weight\n"),
        "{ends}"
    );
    assert!(folder.run("check results/t/tune/tuned.toml").code == Some(0));
    let table = folder.run("report results/t/tune --table tuned").assert_status(0);
    assert!(table.stdout.contains("repo-117, corner-27, snake-linear-57"), "{table:?}");
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
    let (complete, longer) = (Folder::new(), Folder::new());
    for folder in [&complete, &longer] {
        folder.write("t.toml", &text);
    }
    complete
        .run("check t.toml")
        .assert_status(0)
        .assert_says("\n    games       1,800\n")
        .assert_says("3 interleaved searches");
    let output = complete.run("tune t.toml --quiet");
    assert!([Some(0), Some(6), Some(7)].contains(&output.code), "{output:?}");
    assert!(
        output.stdout.contains("Another search would find the best point with probability 1/4"),
        "{output:?}"
    );
    let ends = complete.read("results/t/tune/ends.csv");
    let ends: BTreeSet<&str> = ends.lines().collect();
    assert_eq!(ends.len(), 3, "a head and two ends that differ: {ends:?}");
    // Searches from the command line have a separate folder, and are the same search.
    let other = Folder::with_file("t.toml", text.replace("searches = 3\n", "").replace("searches = 3", ""));
    other.run("tune t.toml --quiet --searches 3");
    let path = |folder: &Folder, name: &str| folder.read(&format!("results/{name}/tune/trajectory.csv"));
    assert!(path(&other, "t+searches=3") == path(&complete, "t"));
    longer.run("tune t.toml --quiet --budget 1500");
    longer.run("tune t.toml --quiet");
    for file in ["trajectory.csv", "ends.csv"] {
        let [actual, expected] = [&longer, &complete].map(|one| one.read(&format!("results/t/tune/{file}")));
        assert!(actual == expected, "{file}");
    }
}

/// A budget too small for any search is refused with the minimum, and with the minimum the search
/// moves.
#[test]
fn a_budget_that_is_too_small_is_refused_with_the_least_one() {
    let duel = "name = \"t\"\ngame = \"gomoku\"\nseed = 7\ngames = 20\nsize = 5\n\n[[player]]\nname = \"ovolve\"\n\
                algorithm = \"flat-mc\"\nrollouts = 1\n\n[tune]\nplayer = \"ovolve\"\nbudget = 600\nmethod = \"spsa\"\n\n\
                [tune.validate]\ngames = 60\n\n[tune.params]\nrollouts = { min = 1, max = 3 }\n";
    let cases_for =
        |method: &str| [(settings(&[("spsa", method)]), 100), (duel.replace("spsa", method), 200)];
    for (text, small_budget) in
        ["spsa", "cma-es", "model", "model\"\nsearches = \"3"].into_iter().flat_map(cases_for)
    {
        let text = text.replace("searches = \"3\"", "searches = 3");
        let folder =
            Folder::with_file("t.toml", text.replace("budget = 600", &format!("budget = {small_budget}")));
        let output = folder.run("tune t.toml").assert_status(2);
        let quoted_line = format!("budget = {small_budget}\n");
        assert!(output.stderr.contains(&quoted_line) && output.stderr.contains("^^^ "), "{}", output.stderr);
        let (_, rest) = output.stderr.split_once(" needs at least ").expect("the least budget");
        let min_budget: u64 = rest.split_once(" games").expect("games").0.replace(',', "").parse().unwrap();
        folder.write("t.toml", text.replace("budget = 600", "budget = 6000"));
        let line = |budget: u64| format!("tune t.toml --quiet --budget {budget}");
        let output = folder.run(&line(min_budget - 1)).assert_status(2).assert_says("--budget: ");
        assert!(
            output.stderr.replace(',', "").contains(&format!("at least {min_budget} games")),
            "{output:?}"
        );
        let output = folder.run(&line(min_budget));
        assert!([Some(0), Some(6), Some(7)].contains(&output.code), "{output:?}");
        assert!(folder.read("results/t/tune/trajectory.csv").contains(",step,"), "{output:?}");
    }
}

#[test]
fn what_cannot_be_tuned_is_told() {
    let folder = Folder::with_file("none.toml", SETTINGS.split("[tune]").next().unwrap());
    let output = folder.run("tune none.toml");
    assert!(output.code == Some(2) && output.stderr.contains("has no [tune]"), "{output:?}");
    folder.write("t.toml", SETTINGS);
    let output = folder.run("tune t.toml --method simplex");
    assert!(output.code == Some(2) && output.stderr.contains("spsa, cma-es, model or race"), "{output:?}");
    let output = folder.run("tune absent.toml");
    assert!(
        output.code == Some(2) && output.stderr.contains("no such file or folder: absent.toml"),
        "{output:?}"
    );
}

/// A tuning with a time limit prints what is known and how to resume, and finds the same answer as
/// one that was not stopped.
#[test]
fn a_tuning_of_short_times_comes_to_the_same_answer() {
    let folder = Folder::with_file(
        "long.toml",
        TUNING.replace("budget = 900", "budget = 1000000000").replace("\"t\"", "\"long\""),
    );
    let output = folder.run("tune long.toml --for 0.1s").assert_status(0);
    output
        .assert_says("results/long/tune: tuning by spsa with a budget of 1,000,000,000 games, unfinished")
        .assert_says(
            "stopped by --for; to resume for the same time:\n  gauntlet tune long.toml --for 0.1s\n",
        );
    folder.write("t.toml", TUNING);
    let complete = folder.run("tune t.toml --quiet --results whole");
    let mut calls = 1;
    let mut output = folder.run("tune t.toml --quiet --for 0.1s");
    while output.stderr.contains("stopped by --for") {
        assert!(output.code == Some(0) && calls < 100, "{}{}", output.stdout, output.stderr);
        output = folder.run("tune t.toml --quiet --for 0.1s");
        calls += 1;
    }
    assert_eq!(output.code, complete.code, "{}{}", output.stdout, output.stderr);
    for file in ["trajectory.csv", "tuned.toml"] {
        let [actual, other] =
            ["results", "whole"].map(|results| folder.read(&format!("{results}/t/tune/{file}")));
        assert_eq!(actual, other.replace(" --results=whole", ""), "{file}");
    }
}

/// Returns the bytes of a damaged file; `None` if it is missing.
type Damage = fn(&[u8]) -> Option<Vec<u8>>;

/// If a file of a tuning or training is cut, empty, missing or damaged, the same command makes it
/// again, or ends with one line that names an option for this.
#[test]
fn damaged_files_of_tunings_and_trainings_are_made_again() {
    let folder = Folder::with_file("t.toml", TUNING);
    let complete = folder.run("tune t.toml --quiet");
    folder.write(
        "n.toml",
        "name = 'n'\ngame = '2048'\nseed = 7\ngames = 5\n[[player]]\nname = 'a'\nalgorithm = 'random'\n\
         [train]\npatterns = '0123 4567'\nmethod = 'tc'\nrate = 1\ngames = 30\nseed = 3\ntest_games = 10\n",
    );
    folder.run("train n.toml --quiet").assert_status(0);
    let damages: [Damage; 4] = [
        |bytes| Some(bytes[..bytes.len() / 2].to_vec()),
        |_| Some(Vec::new()),
        |_| None,
        |bytes| Some([&bytes[..bytes.len() / 3], b"\xff\xfe", &bytes[bytes.len() / 3..]].concat()),
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
    let tuning = tuning.map(|file| (format!("results/t/tune/{file}"), "tune t.toml --quiet", complete.code));
    let training = ["checkpoint", "network", "curve.csv", ".training"];
    let training = training.map(|file| (format!("results/n/train/{file}"), "train n.toml --quiet", Some(0)));
    for (file, command, code) in tuning.into_iter().chain(training) {
        for (number, damage) in damages.iter().enumerate() {
            let before = std::fs::read(folder.path(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
            match damage(&before) {
                Some(bytes) => folder.write(&file, bytes),
                None => std::fs::remove_file(folder.path(&file)).unwrap(),
            }
            let mut output = folder.run(command);
            if output.code != code {
                assert!(
                    output.stderr.trim_end().lines().count() == 1 && output.stderr.contains("--replace"),
                    "{file} {number}: {}",
                    output.stderr
                );
                output = folder.run(&format!("{command} --replace"));
            }
            assert_eq!(output.code, code, "{file} {number}: {}", output.stderr);
            assert_eq!(answer(), expected, "{file} {number}");
        }
    }
}
