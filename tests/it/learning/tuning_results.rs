//! The folder of a tuning: its page, its tables, and the output of other commands.

use std::fs;
use std::sync::OnceLock;

use crate::bench::{Folder, TUNE, TUNING, parse_csv_rows, play_in_new_folder};
use crate::results::page::{HOSTILE, assert_harmless};

/// A race of players with hostile names.
fn race() -> String {
    let player = |(name, order): (&str, &str)| {
        format!("\n[[player]]\nname = \"{name}\"\nalgorithm = \"fixed-order\"\norder = [{order}]\n")
    };
    let players = [
        ("x & 'y'", r#""up", "down", "left", "right""#),
        ("b & c; &lt;", r#""down", "left", "right", "up""#),
        ("plain", r#""left", "right", "up", "down""#),
    ];
    let players: String = players.into_iter().map(player).collect();
    format!(
        "name = \"t\"\ngame = \"2048\"\nseed = 7\ngames = 10\n{players}\n[tune]\nmethod = \"race\"\nbudget = 600\n\n\
         [tune.validate]\ngames = 20\n"
    )
}

/// Returns the folder of a tuning of this file, made once.
fn tuning_folder(text: &str, cell: &'static OnceLock<Folder>) -> Folder {
    let original = cell.get_or_init(|| {
        let folder = Folder::with_file("t.toml", text);
        let output = folder.run("tune t.toml --quiet");
        assert!([0, 6, 7].contains(&output.code.unwrap()), "{}", output.stderr);
        folder
    });
    let copy = Folder::new();
    let source = original.path("");
    let mut folders = vec![source.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(&source).unwrap().to_string_lossy().into_owned();
                copy.write(&name, fs::read(&path).unwrap());
            }
        }
    }
    copy
}

pub(crate) fn tuning() -> Folder {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    tuning_folder(TUNING, &FOLDER)
}

pub(crate) fn hostile_race() -> Folder {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    tuning_folder(&race(), &FOLDER)
}

/// Returns the page of a tuning.
pub(crate) fn page_of(folder: &Folder) -> String {
    folder.run(&format!("report {TUNE} --out page.html --plots .")).assert_status(0);
    folder.read("page.html")
}

/// Copies a folder of one tuning to another.
fn copy_folder(source: &Folder, target: &Folder, name: &str) {
    for (file, bytes) in source.files(&format!("{TUNE}/{name}")) {
        target.write(&format!("{TUNE}/{name}/{file}"), bytes);
    }
}

/// Updates the digest of a changed file in the manifest.
fn update_digest(folder: &Folder, file: &str) {
    let path = format!("{TUNE}/manifest.toml");
    let mut manifest: toml::Table = folder.read(&path).parse().unwrap();
    let digest = blake3::hash(folder.read(&format!("{TUNE}/{file}")).as_bytes()).to_hex().to_string();
    manifest["digests"].as_table_mut().unwrap().insert(file.to_owned(), digest.into());
    folder.write(&path, manifest.to_string());
}

#[test]
fn its_page_tells_the_verdict_the_settings_and_the_path() {
    let folder = tuning();
    let html = page_of(&folder);
    assert!(html.contains("One search only; <code>searches = 3</code> in [tune]"), "{html}");
    assert_harmless(&html);
    let manifest: toml::Table = folder.read(&format!("{TUNE}/manifest.toml")).parse().unwrap();
    let verdict = match manifest["verdict"].as_str().unwrap() {
        "better" => "Better:",
        "worse" => "Worse:",
        _ => "Inconclusive:",
    };
    let validation = parse_csv_rows(&folder.read(&format!("{TUNE}/validation.csv")));
    let answer = &validation[0]["answer"];
    assert!(html.contains(&format!("<strong>{verdict}</strong> {answer}.")), "{html}");
    assert!(answer.contains(" % score [") && answer.contains("20 pairs"), "{answer}");
    for part in
        ["settings", "gain", "path", "importance", "slice-weights-smoothness", "map-ovolve", "validations"]
    {
        assert!(html.contains(&format!("id=\"{part}\"")), "there is no {part}");
    }
    let tuned_toml = folder.read(&format!("{TUNE}/tuned.toml"));
    let weights = tuned_toml.lines().find(|line| line.starts_with("weights = ")).unwrap();
    assert!(html.contains(weights), "{weights} is not there to be pasted");
    assert!(html.contains("biased in favour of the best point"));
    let file = "page-t-validation-1.html";
    assert!(html.contains(&format!("href=\"{file}\"")) && folder.path(file).exists());
    for plot in ["gain", "path", "importance"] {
        let svg = folder.read(&format!("page-{plot}.svg"));
        assert!(svg.contains("<svg") && svg.len() > 1000, "{plot}");
    }
    let single_page = folder.run(&format!("report {TUNE} --out -")).assert_status(0).stdout;
    assert!(
        single_page.contains("Validation 1") && !single_page.contains(".html\""),
        "a page alone leads to no others"
    );
}

/// A tuning that was continued and killed near its end has games of an answer that is not shown
/// yet.
#[test]
fn games_of_the_next_answer_are_not_shown_as_those_of_this_one() {
    let (killed, later) = (tuning(), tuning());
    later.run("tune t.toml --budget 1800 --quiet");
    let later_page = page_of(&later);
    assert!(
        later_page.contains("Validation 2") && later_page.contains("id=\"slice-"),
        "there is a next answer"
    );
    assert!(page_of(&killed).contains("id=\"slice-"));
    copy_folder(&later, &killed, "validation-2");
    let page = page_of(&killed);
    assert!(page.contains("Validation 1") && !page.contains("Validation 2"));
    assert!(page.contains("id=\"slice-"), "the slices are still those of this answer");
    copy_folder(&later, &killed, "explained");
    let page = page_of(&killed);
    assert!(page.contains("Validation 1") && !page.contains("id=\"slice-"));
}

#[test]
fn whatever_players_are_called_does_nothing() {
    let folder = hostile_race();
    let path = format!("{TUNE}/trajectory.csv");
    folder.write(&path, folder.read(&path).replace("b & c; &lt;", HOSTILE[0]).replace("step", HOSTILE[3]));
    update_digest(&folder, "trajectory.csv");
    let html = page_of(&folder);
    assert_harmless(&html);
    assert!(html.contains("Race of 3 players. Start: x &amp; &#x27;y&#x27;. Winner: "), "{html}");
    let folder = tuning();
    for file in ["validation.csv", "importance.csv"] {
        let path = format!("{TUNE}/{file}");
        let text = folder.read(&path);
        folder.write(&path, text.replace("tuned", HOSTILE[0]).replace("weights.empty back", HOSTILE[3]));
        update_digest(&folder, file);
    }
    let html = page_of(&folder);
    assert_harmless(&html);
    assert!(html.contains("&lt;script&gt;alert(1)&lt;&#x2f;script&gt;"));
}

#[test]
fn its_tables_are_printed_and_put_into_documents() {
    let folder = tuning();
    let report = |options: &str| folder.run(&format!("report {TUNE} {options}"));
    let output = report("").assert_status(0);
    let answer = folder.read(&format!("{TUNE}/validation.csv"));
    let answer = answer.lines().nth(1).unwrap().split('"').nth(1).unwrap();
    assert!(
        output.stdout.contains(answer) && output.stdout.contains("weights.smoothness"),
        "{}",
        output.stdout
    );
    let path = folder.read(&format!("{TUNE}/trajectory.csv"));
    assert_eq!(report("--table trajectory --format csv").assert_status(0).stdout, path);
    report("--table win-rate").assert_status(1).assert_says("has no table `win-rate`");
    folder.write("doc.md", format!("<!-- gauntlet {TUNE} tuned -->\n<!-- /gauntlet -->\n"));
    folder.run("report --splice doc.md").assert_status(0);
    assert!(folder.read("doc.md").contains("| weights.smoothness | 0.1 |"), "{}", folder.read("doc.md"));
}

#[test]
fn other_commands_say_what_the_folder_is() {
    let folder = tuning();
    for command in ["compare", "rank", "show", "run", "judge", "merge"] {
        let output = folder.run(&format!("{command} {TUNE}")).assert_status(1);
        let message = "results/t/tune has a tuning: use `gauntlet report results/t/tune --out FILE`; its validation is in results/t/tune/validation-1";
        assert_eq!(output.stderr.trim_end(), format!("gauntlet: {message}"), "{command}");
        folder
            .run(&format!("{command} results/t"))
            .assert_status(1)
            .assert_says("gauntlet report results/t/tune --out FILE");
    }
    folder.run("report results/t").assert_status(1).assert_says("gauntlet report results/t/tune --out FILE");
    folder.run("compare results/t/tune/validation-1").assert_status(0);
}

#[test]
fn a_tuning_that_has_not_ended_is_told_in_a_line() {
    let folder = tuning();
    let path = format!("{TUNE}/manifest.toml");
    let manifest = folder.read(&path);
    let finished_line = manifest.lines().find(|line| line.starts_with("finished = ")).expect("when it ended");
    folder.write(&path, manifest.replace(finished_line, ""));
    // It may have been stopped before its path was written, too.
    for is_there in [true, false] {
        if !is_there {
            fs::remove_file(folder.path(&format!("{TUNE}/trajectory.csv"))).unwrap();
            // Then its manifest does not name it.
            let manifest = folder.read(&path);
            let digest_line =
                manifest.lines().find(|line| line.starts_with("\"trajectory.csv\"")).expect("its digest");
            folder.write(&path, manifest.replace(digest_line, ""));
        }
        for command in ["compare", "rank", "show"] {
            let output = folder.run(&format!("{command} {TUNE}")).assert_status(1);
            let message = "has an unfinished tuning; resume it with the same `gauntlet tune` command";
            assert_eq!(output.stderr.trim_end(), format!("gauntlet: results/t/tune {message}"), "{command}");
        }
    }
}

#[test]
fn a_file_that_the_manifest_does_not_vouch_for_is_refused() {
    for file in ["trajectory.csv", "validation.csv", "importance.csv", "tuned.toml", "experiment.toml"] {
        let folder = tuning();
        let path = format!("{TUNE}/{file}");
        let text = folder.read(&path);
        folder.write(&path, text + "\n");
        for options in ["", " --out page.html"] {
            let output = folder.run(&format!("report {TUNE}{options}")).assert_status(1);
            output
                .assert_says(&format!("results/t/tune/{file} does not match its digest in the manifest"))
                .assert_says("recreate it with `gauntlet tune t.toml`");
        }
    }
    let folder = tuning();
    let manifest = folder.read(&format!("{TUNE}/manifest.toml"));
    folder.write(&format!("{TUNE}/manifest.toml"), manifest.replace("format = 1", "format = 2"));
    folder.run(&format!("report {TUNE}")).assert_status(1).assert_says("by a newer gauntlet");
}

/// A run of an experiment with a `[tune]` and the name of a tuning's folder has the same files, but
/// is not a tuning.
#[test]
fn a_run_that_is_called_tune_is_no_tuning() {
    let folder = play_in_new_folder("tune.toml", TUNING.replace("name = \"t\"", "name = \"tune\""));
    folder.run("report results/tune").assert_status(0);
    fs::remove_file(folder.path("results/tune/manifest.toml")).unwrap();
    folder.run("report results/tune").assert_status(0);
}

#[test]
fn a_page_of_results_holds_no_tuning() {
    let folder = tuning();
    let output = folder.run(&format!("report {TUNE} {TUNE}/validation-1 --out pages/")).assert_status(2);
    output.assert_says("is a tuning folder: a report of a tuning takes only one folder");
}
