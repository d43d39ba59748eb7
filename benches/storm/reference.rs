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
    pub(crate) told: [String; 2],
    /// Duration of the command, and of a repetition that has nothing left to play.
    pub(crate) lasts: [Duration; 2],
}

/// Runs the three versions of a scenario without disturbance.
pub(crate) fn undisturbed(scenario: &Scenario) -> [Reference; 3] {
    [0, 1, 2].map(|version| {
        let folder = Folder::new();
        folder.write(scenario, 0);
        let once = |words: &str| {
            let start = Instant::now();
            let output = folder.end_of(folder.start(words));
            assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
            start.elapsed()
        };
        if version > 0 {
            // Claims are corrected for an earlier answer about fewer games, so this run repeats
            // that answer.
            once("run e.toml --quiet --threads 1");
            folder.write(scenario, 1);
        }
        let mut lasts = [once("run e.toml --quiet --threads 1"), once("run e.toml --quiet --threads 1")];
        if version == 2 {
            folder.write(scenario, version);
            lasts = [once("judge e.toml"), once("judge e.toml")];
        }
        let told = questions(scenario).map(|question| told(&folder.end_of(folder.start(&question))));
        let told = told.map(|told| told.expect("undisturbed results can be told"));
        Reference { files: folder.files(scenario), told, lasts }
    })
}

/// Returns the commands that show results.
pub(crate) fn questions(scenario: &Scenario) -> [String; 2] {
    let results = scenario.results();
    [format!("report {results} --format json"), format!("rank {results} --by score --format csv")]
}

/// Returns a command's output without clock readings. The error is true if the command failed
/// correctly, with one line.
pub(crate) fn told(output: &Output) -> Result<String, bool> {
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    match output.status.code() {
        Some(0) => Ok(serde_json::from_str(&out).map_or(out, without_clocks)),
        Some(1) => Err(out.is_empty() && err.lines().count() == 1),
        _ => Err(false),
    }
}

/// Returns true if the output is labelled as tables of an unfinished run, or as tables from a
/// complete journal without written tables.
pub(crate) fn is_partial(output: &Output) -> bool {
    let said =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat();
    said.contains("is unfinished: showing the first")
        || said.contains("showing tables from its complete journal")
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
