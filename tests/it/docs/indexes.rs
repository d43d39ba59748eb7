//! The tables of `results/README.md` and `configs/README.md` agree with results and experiments.
//! `CITATION.cff` agrees with the package.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gauntlet::text::{format_count, format_time_span, group_decimal, group_digits};
use gauntlet::tune::section::TuneSection;
use gauntlet::{GAMES, catalog, config};

use crate::golden;

type Row = BTreeMap<String, String>;

fn path_of(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Returns the rows of a table, or none if there is no such file.
fn rows(path: &Path) -> Vec<Row> {
    let Ok(mut table) = csv::Reader::from_path(path) else { return Vec::new() };
    table.deserialize().map(|row| row.unwrap_or_else(|error| panic!("{}: {error}", path.display()))).collect()
}

/// Returns the folders in a folder, sorted.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders
}

/// The folder of a run; or of a tuning, with the folders of its validation and its slices.
struct Results(Vec<(PathBuf, toml::Table)>);

impl Results {
    fn read(name: &str) -> Option<Results> {
        let folder = path_of("results").join(name);
        let tuning = folder.join("tune");
        let folders = [vec![folder, tuning.clone()], folders_in(&tuning)].concat();
        let read_folder = |folder: PathBuf| {
            let manifest = fs::read_to_string(folder.join("manifest.toml")).ok()?;
            Some((folder, manifest.parse().unwrap()))
        };
        let manifests: Vec<_> = folders.into_iter().filter_map(read_folder).collect();
        (!manifests.is_empty()).then_some(Results(manifests))
    }

    fn command(&self) -> &str {
        self.0[0].1["command"].as_str().unwrap()
    }

    /// Returns the experiment's file by its path in the repository.
    fn experiment(&self) -> &str {
        self.command().rsplit(' ').next().unwrap()
    }

    fn games(&self) -> String {
        let games = self.0.iter().map(|(_, manifest)| manifest["games"].as_integer().unwrap() as u64);
        group_digits(games.sum())
    }

    /// Returns the CPU time of the players. Searches of tunings report wall time only, which is an
    /// upper bound.
    fn cpu_time(&self) -> String {
        let (mut seconds, mut prefix) = (0.0, "");
        for (folder, manifest) in &self.0 {
            // In a duel, the column `moves` counts the moves of both players.
            let seats = if folder.join("elo.csv").exists() { 2.0 } else { 1.0 };
            for row in rows(&folder.join("ms-per-move.csv")) {
                let number = |column: &str| row[column].trim_start_matches('<').parse::<f64>().unwrap();
                seconds += number("moves") * number("cpu_ms_per_move") / seats / 1000.0;
            }
            if let Some(search_seconds) = manifest.get("search_seconds").and_then(toml::Value::as_float) {
                seconds += search_seconds * manifest["threads"].as_integer().unwrap() as f64;
                prefix = "≤ ";
            }
        }
        format!("{prefix}{}", format_time_span(seconds))
    }

    /// Returns the verdicts; or the best player, if no verdict was asked for.
    fn answer(&self) -> String {
        let table = |name: &str| rows(&self.0[0].0.join(name));
        let [claims, published, validation] = ["claims.csv", "published.csv", "validation.csv"].map(table);
        let mut parts = Vec::new();
        match &claims[..] {
            [] => {}
            [_] | [_, _] => parts.extend(claims.iter().map(|claim| {
                format!("{} vs {}, {}: {}", claim["player"], claim["than"], claim["by"], claim["verdict"])
            })),
            _ => parts.push(verdicts(&claims, "claim")),
        }
        if !published.is_empty() {
            parts.push(verdicts(&published, "published number"));
        }
        if !validation.is_empty() {
            let rows = validation.iter().map(|row| format!("{} {}", row["by"], row["verdict"]));
            parts.push(format!("tuned vs start: {}", rows.collect::<Vec<_>>().join(", ")));
        }
        if parts.is_empty() {
            parts.extend(best(&table("win-rate.csv"), "mean_score", "mean score", 0));
            parts.extend(best(&table("elo.csv"), "elo", "Elo", 1));
        }
        parts.join("; ")
    }
}

/// Returns how many rows have each verdict: `3 claims: 2 confirmed, 1 refuted`.
fn verdicts(rows: &[Row], noun: &str) -> String {
    let mut counts = BTreeMap::<&str, u64>::new();
    rows.iter().for_each(|row| *counts.entry(&row["verdict"]).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let counts: Vec<String> = counts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
    format!("{}: {}", format_count(rows.len() as u64, noun), counts.join(", "))
}

/// Returns the player with the highest value in a column, with its interval.
fn best(rows: &[Row], column: &str, name: &str, decimals: usize) -> Option<String> {
    let number = |row: &Row, end: &str| row[&format!("{column}{end}")].parse::<f64>().unwrap();
    let best = rows.iter().max_by(|one, other| number(one, "").total_cmp(&number(other, "")))?;
    let label = if rows.len() > 1 { format!("highest {name}") } else { name.to_owned() };
    let [value, low, high] = ["", "_low", "_high"].map(|end| group_decimal(number(best, end), decimals));
    Some(format!("{label}: {}, {value} [{low}, {high}]", best["player"]))
}

/// Returns the target of the link at the start of a table's row.
fn link_of(line: &str) -> Option<&str> {
    Some(line.strip_prefix("| [")?.split_once("](")?.1.split_once(')')?.0)
}

fn cells(line: &str) -> Vec<&str> {
    line.trim_matches(['|', ' ']).split(" | ").collect()
}

/// Keeps the first cells of each row with a link, and replaces the cells after them.
fn renew_rows(text: &str, kept_cells: usize, make_cells: impl Fn(&str) -> Option<Vec<String>>) -> String {
    let row = |line: &str| {
        let new_cells = make_cells(link_of(line)?)?;
        let first_cells = cells(line).into_iter().take(kept_cells).map(str::to_owned);
        Some(format!("| {} |\n", first_cells.chain(new_cells).collect::<Vec<_>>().join(" | ")))
    };
    text.lines().map(|line| row(line).unwrap_or_else(|| format!("{line}\n"))).collect()
}

/// Returns the path in the repository of a file linked in `configs/README.md`.
fn file_of(link: &str) -> String {
    link.strip_prefix("../").map_or_else(|| format!("configs/{link}"), str::to_owned)
}

fn link_targets(text: &str) -> Vec<String> {
    let mut links: Vec<String> = text.lines().filter_map(link_of).map(str::to_owned).collect();
    links.sort();
    links
}

/// Names and questions are written by hand. The other cells are derived from experiments, manifests
/// and tables; GAUNTLET_BLESS=1 writes them.
#[test]
fn readmes_of_results_and_configs_are_up_to_date() {
    let [configs_readme, results_readme] =
        ["configs", "results"].map(|name| fs::read_to_string(path_of(name).join("README.md")).unwrap());
    let mut names: Vec<String> = folders_in(&path_of("results"))
        .iter()
        .map(|folder| folder.file_name().unwrap().to_string_lossy().into_owned())
        .filter(|name| Results::read(name).is_some())
        .collect();
    // Results of a user's own runs, which git ignores.
    names.retain(|name| name != "quick" && !name.contains('+'));
    let mut linked_names = link_targets(&results_readme);
    linked_names.retain(|name| Results::read(name).is_some());
    assert_eq!(linked_names, names, "results/README.md has a row for each folder");

    let folders = ["configs", "configs/reproduce", "configs/train", "configs/tune", "examples/engines"];
    let files = folders.into_iter().flat_map(|folder| {
        let entries = fs::read_dir(path_of(folder)).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(move |name| format!("{folder}/{}", name.to_string_lossy()))
    });
    let mut files: Vec<String> = files.filter(|file| file.ends_with(".toml")).collect();
    files.sort();
    let mut linked_files: Vec<String> =
        link_targets(&configs_readme).iter().map(|link| file_of(link)).collect();
    linked_files.sort();
    assert_eq!(linked_files, files, "configs/README.md has a row for each experiment");

    let results: Vec<(String, Results)> =
        names.into_iter().filter_map(|name| Some((name.clone(), Results::read(&name)?))).collect();
    let questions: BTreeMap<String, &str> =
        configs_readme.lines().filter_map(|line| Some((file_of(link_of(line)?), cells(line)[1]))).collect();
    let configs = renew_rows(&configs_readme, 2, |link| {
        let file = file_of(link);
        let path = path_of(&file);
        let experiment = config::from_bytes(catalog(&GAMES), &path, fs::read(&path).unwrap(), None).unwrap();
        let tune = TuneSection::from_experiment(&experiment);
        let games = tune.map_or_else(|| experiment.plan().games(), |tune| tune.budget);
        let run_results = results.iter().find(|(_, results)| results.experiment() == file);
        let time = run_results.map(|(_, results)| results.cpu_time()).unwrap_or_default();
        Some(vec![experiment.players().len().to_string(), group_digits(games), time])
    });
    let results = renew_rows(&results_readme, 1, |link| {
        let (_, results) = results.iter().find(|(name, _)| name == link)?;
        let question = questions[results.experiment()].to_owned();
        let command = format!("`{}`", results.command());
        Some(vec![question, results.answer(), results.games(), results.cpu_time(), command])
    });
    golden::assert_all_golden([
        ("../configs/README.md".to_owned(), configs),
        ("../results/README.md".to_owned(), results),
    ]);
}

#[test]
fn citation_describes_this_version() {
    let citation = fs::read_to_string(path_of("CITATION.cff")).unwrap();
    assert!(citation.contains(&format!("\nversion: {}\n", env!("CARGO_PKG_VERSION"))));
    let description = env!("CARGO_PKG_DESCRIPTION");
    assert!(citation.split_whitespace().collect::<Vec<_>>().join(" ").contains(description));
}
