//! Results of undisturbed experiments.

use std::collections::BTreeMap;
use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::folder::Folder;
use super::scenario::Scenario;

/// Files of an undisturbed run, and the reports about it.
pub(crate) struct Reference {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    pub(crate) reports: [String; 2],
    /// Duration of the command, and of a repetition that has nothing left to play.
    pub(crate) durations: [Duration; 2],
}

/// Runs the three versions of a scenario without disturbance.
pub(crate) fn run_undisturbed(scenario: &Scenario) -> [Reference; 3] {
    [0, 1, 2].map(|version| {
        let folder = Folder::new();
        folder.write(scenario, 0);
        let run_once = |words: &str| {
            let start = Instant::now();
            let output = folder.wait_for_end(folder.start(words));
            assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
            start.elapsed()
        };
        if version > 0 {
            // Claims are corrected for an earlier answer about fewer games, so this run repeats
            // that answer.
            run_once("run e.toml --quiet --threads 1");
            folder.write(scenario, 1);
        }
        let mut durations =
            [run_once("run e.toml --quiet --threads 1"), run_once("run e.toml --quiet --threads 1")];
        if version == 2 {
            folder.write(scenario, version);
            durations = [run_once("judge e.toml"), run_once("judge e.toml")];
        }
        let results =
            questions(scenario).map(|question| read_report(&folder.wait_for_end(folder.start(&question))));
        let reports = results.map(|report| report.expect("undisturbed results can be told"));
        Reference { files: folder.files(scenario), reports, durations }
    })
}

/// Returns the commands that show results.
pub(crate) fn questions(scenario: &Scenario) -> [String; 2] {
    let results = scenario.results();
    [format!("report {results} --format json"), format!("rank {results} --by score --format csv")]
}

/// Returns a command's output without clock readings. The error is true if the command failed
/// correctly, with one line.
pub(crate) fn read_report(output: &Output) -> Result<String, bool> {
    let [stdout, stderr] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    match output.status.code() {
        Some(0) => Ok(serde_json::from_str(&stdout).map_or(stdout, without_clocks)),
        // 2: the run has not created its folder yet.
        Some(1 | 2) => Err(stdout.is_empty() && stderr.lines().count() == 1),
        _ => Err(false),
    }
}

/// Returns true if the output is labelled as tables of an unfinished run, or as tables from a
/// complete journal without written tables.
pub(crate) fn is_partial(output: &Output) -> bool {
    let text =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat();
    text.contains("is unfinished: showing the first")
        || text.contains("showing tables from its complete journal")
}

/// Removes what does not depend on the games alone from a report, and its warnings, such as the
/// warning that a run is in progress.
fn without_clocks(mut report: Value) -> String {
    report["warnings"] = Value::Null;
    let tables = report["results"][0]["tables"].as_array_mut().into_iter().flatten();
    for table in tables.filter(|table| table["name"] == "ms-per-move") {
        for row in table["rows"].as_array_mut().into_iter().flatten() {
            *row = json!([row["player"], row["moves"]]);
        }
    }
    report.to_string()
}
