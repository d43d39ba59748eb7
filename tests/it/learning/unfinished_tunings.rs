//! Unfinished tunings: `status`, tables and page of their journals so far; and before that `check
//! --cost` and the progress of a search.

use std::collections::BTreeMap;
use std::fs;

use super::tuning_results::{hostile_race, page_of, tuning};
use crate::bench::{Folder, TUNE, TUNING, parse_csv_rows};
#[cfg(target_os = "linux")]
use crate::docs::walk::screen_lines;
use crate::results::page::assert_harmless;

/// Removes the files that a tuning writes at its end, as if it had been killed before.
fn remove_final_files(folder: &Folder) {
    let path = format!("{TUNE}/manifest.toml");
    let mut manifest: toml::Table = folder.read(&path).parse().unwrap();
    manifest.remove("finished").expect("when it ended");
    manifest["digests"] = toml::Table::new().into();
    folder.write(&path, manifest.to_string());
    for entry in fs::read_dir(folder.path(TUNE)).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".csv") || name == "tuned.toml" {
            fs::remove_file(path).unwrap();
        }
    }
}

/// Cuts a tuning as if it had been killed when its journal had this many lines.
fn simulate_kill(folder: &Folder, lines: usize) {
    remove_final_files(folder);
    for name in ["validation-1", "explained"] {
        let _ = fs::remove_dir_all(folder.path(&format!("{TUNE}/{name}")));
    }
    let path = format!("{TUNE}/journal.jsonl");
    let journal = folder.read(&path);
    folder.write(&path, journal.split_inclusive('\n').take(lines).collect::<String>());
}

/// Returns the number of lines of the journal.
fn journal_lines(folder: &Folder) -> usize {
    folder.read(&format!("{TUNE}/journal.jsonl")).lines().count()
}

/// Returns the files on disk.
fn listing(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    folder.files(TUNE).into_iter().collect()
}

/// Returns the number before some words.
fn number_before(text: &str, words: &str) -> u64 {
    let before = text.split(words).next().filter(|before| before.len() < text.len()).expect(words);
    before.rsplit(' ').next().unwrap().replace(',', "").parse().expect("a number")
}

#[test]
fn the_path_is_that_of_the_whole_tuning_as_far_as_there_are_games() {
    let complete = tuning();
    let path = complete.read(&format!("{TUNE}/trajectory.csv"));
    let line_count = journal_lines(&complete);
    let mut step_counts = Vec::new();
    for kept_lines in [3, line_count / 4, line_count / 2, line_count - line_count / 8] {
        let folder = tuning();
        simulate_kill(&folder, kept_lines);
        let before = listing(&folder);
        let report = |options: &str| folder.run(&format!("report {TUNE} {options}")).assert_status(0);
        let output = report("--table trajectory --format csv");
        assert!(path.starts_with(&output.stdout), "{kept_lines} of {line_count} lines:\n{}", output.stdout);
        let steps = output.stdout.lines().count() - 1;
        step_counts.push(steps);
        // The number of games in the message is between the last of these steps and the current
        // step.
        let warning = output.stderr.lines().next().unwrap();
        assert!(warning.contains("is an unfinished tuning: the search has played "), "{warning}");
        assert!(warning.ends_with("no verdict yet"), "{warning}");
        let played_games = number_before(warning, " of 900 games");
        let games_of_row = |row: Option<&str>| row.and_then(|row| row.split(',').next()?.parse().ok());
        let (last, next): (Option<u64>, Option<u64>) =
            (games_of_row(output.stdout.lines().last()), games_of_row(path.lines().nth(steps + 1)));
        let range = last.unwrap_or(0)..next.expect("a further step");
        assert!(range.contains(&played_games), "{played_games} games are not of {range:?}");
        // The current point of the search is the last row of its path.
        let best = parse_csv_rows(&report("--table best-so-far --format csv").stdout);
        assert_eq!(best[0]["setting"], "weights.smoothness");
        assert_eq!(best[0]["start"], "0.1");
        if let Some(last) = parse_csv_rows(&output.stdout).last() {
            assert_eq!(
                [&best[0]["now"], &best[1]["now"]],
                [&last["weights.smoothness"], &last["weights.empty"]]
            );
        }
        let candidates = parse_csv_rows(&report("--table candidates --format csv").stdout);
        assert!(candidates.len() > 1 && candidates[0].contains_key("weights.empty"), "{candidates:?}");
        let full_report = report("");
        assert!(
            full_report.stdout.contains("best so far") && !full_report.stdout.contains("verdict"),
            "{}",
            full_report.stdout
        );
        report("--table trajectory --format json")
            .assert_says("\"warnings\"")
            .assert_says("is an unfinished tuning");
        folder
            .run(&format!("report {TUNE} --table validation"))
            .assert_status(1)
            .assert_says("until the tuning ends");
        assert!(listing(&folder) == before, "something was written");
    }
    assert!(
        step_counts.is_sorted() && step_counts[0] < step_counts[3] && step_counts[3] > 5,
        "{step_counts:?}"
    );
}

#[test]
fn its_page_says_that_it_has_not_ended() {
    let folder = tuning();
    let line_count = journal_lines(&folder);
    simulate_kill(&folder, line_count - line_count / 8);
    folder.run(&format!("report {TUNE} --out page.html --plots .")).assert_status(0);
    let html = folder.read("page.html");
    assert_harmless(&html);
    assert!(html.contains("<strong>Not finished:</strong> the search has played "), "{html}");
    assert!(html.contains("no verdict yet"));
    for part in ["best-so-far", "candidates", "gain", "path", "tried", "validations"] {
        assert!(html.contains(&format!("id=\"{part}\"")), "there is no {part}");
    }
    assert!(html.contains("The best point will be validated after the search."));
    // Nothing that is only known at the end is shown.
    for claim in ["Better:", "Worse:", "Not shown", "For use in", "typically", "seconds of the search"] {
        assert!(!html.contains(claim), "{claim} in the page of a tuning that has not ended");
    }
    assert!(folder.read("page-path.svg").contains("<svg"));
    let race = hostile_race();
    simulate_kill(&race, journal_lines(&race) / 2);
    race.run(&format!("report {TUNE} --out page.html")).assert_status(0);
    let html = race.read("page.html");
    assert_harmless(&html);
    assert!(html.contains("leads so far"), "{html}");
}

/// The games of the tried values add up to the games of the method's steps. This holds for the file
/// and for an unfinished search.
#[test]
fn what_has_been_tried_is_told() {
    let folder = tuning();
    let tried_csv = folder.read(&format!("{TUNE}/tried.csv"));
    let path = parse_csv_rows(&folder.read(&format!("{TUNE}/trajectory.csv")));
    let (mut previous_games, mut search_games) = (0, 0);
    for step in &path {
        let games: u64 = step["games"].parse().unwrap();
        search_games += if step["kind"].contains("check") { 0 } else { games - previous_games };
        previous_games = games;
    }
    let rows = parse_csv_rows(&tried_csv);
    let games_of = |key: &str, table: &[crate::bench::Row]| -> u64 {
        table.iter().filter(|row| row["setting"] == key).map(|row| row["games"].parse::<u64>().unwrap()).sum()
    };
    for (key, minimum, maximum) in [("weights.smoothness", "0.01", "5"), ("weights.empty", "'-20", "20")] {
        assert_eq!(games_of(key, &rows), search_games, "{key}: {tried_csv}");
        let key_rows: Vec<_> = rows.iter().filter(|row| row["setting"] == key).collect();
        assert_eq!((&*key_rows[0]["from"], &*key_rows[key_rows.len() - 1]["to"]), (minimum, maximum));
        assert!(key_rows.windows(2).all(|pair| pair[0]["to"] == pair[1]["from"]), "{tried_csv}");
        // The search began near the start, and did not go everywhere.
        assert!(
            key_rows.iter().filter(|row| row["games"] != "0").count() > 1 && key_rows.len() == 20,
            "{tried_csv}"
        );
    }
    assert!(page_of(&folder).contains("id=\"tried\""));
    let svg = folder.read("page-tried.svg");
    assert!(svg.contains("-20") && !svg.contains("'-20"), "{svg}");
    simulate_kill(&folder, journal_lines(&folder) / 2);
    let current_rows = parse_csv_rows(
        &folder.run(&format!("report {TUNE} --table tried --format csv")).assert_status(0).stdout,
    );
    let (games_now, all_games) = (games_of("weights.empty", &current_rows), games_of("weights.empty", &rows));
    assert!(0 < games_now && games_now < all_games, "{games_now} of {all_games}");
    // In a race the values are players.
    let race = hostile_race();
    let race_rows = parse_csv_rows(&race.read(&format!("{TUNE}/tried.csv")));
    let names: Vec<&str> = race_rows.iter().map(|row| &*row["from"]).collect();
    assert_eq!(names, ["x & 'y'", "b & c; &lt;", "plain"]);
    assert!(race_rows.iter().all(|row| row["setting"] == "player" && row["games"] != "0"), "{race_rows:?}");
}

/// A finished search has an answer, which is not shown before validation.
#[test]
fn a_search_that_has_ended_waits_for_its_validation() {
    let folder = tuning();
    remove_final_files(&folder);
    let stdout = folder.run(&format!("status {TUNE}")).assert_status(0).stdout;
    assert!(stdout.contains("games (") && stdout.contains(", ended\n"), "{stdout}");
    assert!(stdout.contains("  validation 1: 40 of 40 games (100 %), complete\n"), "{stdout}");
    assert!(stdout.contains("    to resume: gauntlet tune t.toml\n"), "{stdout}");
    folder.run(&format!("report {TUNE} --out page.html")).assert_status(0);
    let html = folder.read("page.html");
    assert!(html.contains("<strong>Not finished:</strong> the search has ended after "), "{html}");
    assert!(html.contains("href=\"page-t-validation-1.html\"") && !html.contains("id=\"candidates\""));
}

#[test]
fn status_tells_of_a_tuning_wherever_it_is_asked() {
    let folder = tuning();
    let verdict =
        folder.read(&format!("{TUNE}/manifest.toml")).parse::<toml::Table>().unwrap()["verdict"].clone();
    let message = format!("results/t/tune: tuning by spsa, ended: {}\n", verdict.as_str().unwrap());
    for path in [TUNE, "results/t", "results", "t.toml"] {
        let stdout = folder.run(&format!("status {path}")).assert_status(0).stdout;
        assert!(
            stdout.contains(&message) && stdout.contains(" of a budget of 900 games\n"),
            "{path}: {stdout}"
        );
    }
    let line_count = journal_lines(&folder);
    simulate_kill(&folder, line_count / 2);
    for path in [TUNE, "results/t", "results", "t.toml"] {
        let stdout = folder.run(&format!("status {path}")).assert_status(0).stdout;
        let expected = "results/t/tune: tuning by spsa with a budget of 900 games, unfinished\n  search: ";
        assert!(stdout.contains(expected) && stdout.contains(" of 900 games ("), "{path}: {stdout}");
        assert!(stdout.contains(", not complete\n") && stdout.contains("best so far: "), "{path}: {stdout}");
    }
}

#[test]
fn status_tells_the_command_that_goes_on_with_a_tuning() {
    // A larger budget cannot end before the kill.
    let folder = Folder::with_file("t.toml", TUNING.replace("budget = 900", "budget = 1_000_000_000"));
    let journal = "else/where/t/tune/journal.jsonl";
    assert!(folder.kill_at("tune t.toml --quiet --threads 1 --results else/where", journal, 3_000));
    folder.write("t.toml", TUNING);
    let stdout = folder.run("status else/where/t").assert_status(0).stdout;
    let resume_command =
        stdout.lines().find_map(|line| line.trim().strip_prefix("to resume: ")).expect("a command");
    assert!(
        [0, 6, 7].contains(&folder.shell(&format!("{resume_command} --quiet")).code.unwrap()),
        "{resume_command}"
    );
    folder
        .run("status else/where")
        .assert_status(0)
        .assert_says("else/where/t/tune: tuning by spsa, ended: ");
    let path = "tune/trajectory.csv";
    assert_eq!(folder.read(&format!("else/where/t/{path}")), tuning().read(&format!("results/t/{path}")));
}

/// A continued tuning shows its answer until the next one is complete.
#[test]
fn an_answer_stays_while_the_search_goes_on_and_that_is_told() {
    let folder = tuning();
    let report = || folder.run(&format!("report {TUNE} --table tuned --format csv")).assert_status(0);
    let answer = report();
    assert_eq!(answer.stderr, "");
    let journal = format!("{TUNE}/journal.jsonl");
    assert!(folder.kill_at(
        "tune t.toml --quiet --budget 1000000000",
        &journal,
        folder.size(&journal) + 2_000
    ));
    let output = report().assert_says("the search in results/t/tune has continued since this verdict");
    assert_eq!(output.stdout, answer.stdout);
    folder
        .run("status results")
        .assert_status(0)
        .assert_says("  the search has continued since the verdict, unfinished: its journal has ");
}

/// Search and validation have separate prices, and the output lists what games of the player cannot
/// show.
#[test]
fn the_cost_of_a_tuning_is_told() {
    let folder = Folder::with_file("t.toml", TUNING);
    let cost = || folder.run("check t.toml --cost").assert_status(0).stdout;
    let stdout = cost();
    assert!(
        stdout.contains("  cost of tuning: about ") && stdout.contains(" per game of the untuned player ("),
        "{stdout}"
    );
    for (part, games) in [("search", "900 games"), ("validation", "40 games"), ("slices", "60 games")] {
        let line = stdout.lines().find(|line| line.starts_with(&format!("    {part}: {games}, about ")));
        assert!(line.is_some_and(|line| line.contains(" of CPU time")), "{part}: {stdout}");
    }
    assert!(stdout.contains("    unknown: time of the candidates "), "{stdout}");
    assert!(!folder.path("results").exists());
    // Games already played cost nothing.
    let folder = tuning();
    let stdout = folder.run("check t.toml --cost").assert_status(0).stdout;
    assert!(
        stdout.contains("  cost of tuning: none; results/t/tune already has the result for 900 games"),
        "{stdout}"
    );
    simulate_kill(&folder, journal_lines(&folder) / 2);
    let stdout = folder.run("check t.toml --cost").assert_status(0).stdout;
    let line = stdout.lines().find(|line| line.starts_with("    search: ")).expect("a price");
    let (remaining_games, played_games) =
        (number_before(line, " games, about"), number_before(line, " games already played"));
    assert!(played_games > 0 && remaining_games + played_games == 900, "{line}");
    // A race has games of several players, and the end of a sequential test is unknown.
    let folder = hostile_race();
    let text = folder.read("t.toml").replace("games = 20\n", "games = 20\ndifference = [0.0, 0.1]\n");
    let text = text.replace("[tune]\n", "[tune]\nobjective = \"win\"\n");
    folder.write("other.toml", text.replace("name = \"t\"", "name = \"other\""));
    let stdout = folder.run("check other.toml --cost").assert_status(0).stdout;
    assert!(stdout.contains(" per game of the 3 players ("), "{stdout}");
    assert!(stdout.contains("    validation: at most 40 games, about "), "{stdout}");
    assert!(stdout.contains("when validation ends early"), "{stdout}");
}

/// On a terminal of 80 columns all settings are visible, and no line is broken or cut.
#[cfg(target_os = "linux")]
#[test]
fn a_search_fits_eighty_columns() {
    let folder = Folder::new();
    let params = "weights.monotonicity = { min = 0.1, max = 10.0, scale = \"log\" }\nweights.largest = { min = 0.1, max = 3.0 }\n";
    folder.write("t.toml", TUNING.to_owned() + params);
    let output = folder.terminal_output("exec", "tune t.toml", 80);
    // The last drawing before validation. A setting is shown with its value, and nothing follows on
    // its line.
    let search_output = output.split("validation 1: ").next().unwrap();
    let end = search_output.rfind("weights.largest ").expect("the last setting");
    let end = search_output[end..].find('\u{1b}').map_or(search_output.len(), |offset| end + offset);
    let lines = screen_lines(&search_output[..end]);
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{lines:#?}");
    let first_line = lines.iter().rposition(|line| line.contains(" of 900 games")).expect("a first line");
    assert!(
        lines[first_line].contains(" %  ") && lines[first_line].ends_with("900 games")
            || lines[first_line].ends_with(" left"),
        "{lines:#?}"
    );
    let below = lines[first_line + 1..].join(", ");
    for key in ["weights.smoothness ", "weights.empty ", "weights.monotonicity ", "weights.largest "] {
        let value =
            below.split(key).nth(1).and_then(|rest| rest.trim_start().split([',', ' ']).next()).expect(key);
        assert!(value.parse::<f64>().is_ok(), "{key}{value:?} in {lines:#?}");
    }
}
