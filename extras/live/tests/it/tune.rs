//! The live page of tunings and trainings, with `--live` and for folders that other processes
//! write.

use std::time::Instant;

use serde_json::Value;

use super::browser::{open_in_browser, open_in_light_and_dark, title_of, write_framed_page};
use super::{LivePageProcess, Pictures, last_picture, read_answer};
use crate::bench::{Folder, TUNE, TUNING};
use crate::browser::{find_browser, open_page};

/// A tuning that takes a second or two.
fn tuning(budget: u64) -> String {
    TUNING
        .replace("budget = 900", &format!("budget = {budget}"))
        .replace("explain = 60\n", "")
        .replace("[tune.validate]\ngames = 20", "[tune.validate]\ngames = 2000")
}

/// A training of a small network.
fn training(games: u64) -> String {
    format!(
        "name = 't'\ngame = '2048'\nseed = 7\ngames = 5\n[[player]]\nname = 'a'\nalgorithm = 'random'\n\
         [train]\npatterns = '0123 4567 0145'\nmethod = 'tc'\nrate = 1\ngames = {games}\nseed = 3\n\
         test_at = [20, 200, 700]\ntest_games = 40\n"
    )
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_tuning_is_shown_with_its_answer_and_plays_the_same_games() {
    let folder = Folder::new();
    folder.write("t.toml", tuning(12_000));
    let undisturbed = folder.run("tune t.toml --quiet --results apart");
    let live_page = LivePageProcess::start(&folder, "tune t.toml --live=0 --threads 2");
    let events: Vec<_> = live_page.pictures().collect();
    let output = live_page.end();
    assert_eq!(output.code, undisturbed.code, "{}", output.stderr);
    assert_eq!(output.stdout.lines().next(), undisturbed.stdout.lines().next());
    for file in ["trajectory.csv", "tuned.toml"] {
        let [live_file, quiet_file] =
            ["results", "apart"].map(|results| folder.read(&format!("{results}/t/tune/{file}")));
        assert_eq!(live_file.replace(" --live=0", ""), quiet_file, "{file}");
    }

    let (picture, later_events) = last_picture(events);
    assert_eq!(picture["state"], "finished");
    // The answer equals the one on the terminal.
    assert_eq!(picture["said"], output.stdout.lines().next().unwrap());
    let setting = picture["answer"][0].as_str().expect("an answer");
    // The page shortens numbers, and the terminal does not.
    let [shortened, suffix] = [setting.split(" (").next().unwrap(), " (was 0.1)"];
    assert!(shortened.starts_with("weights.smoothness = ") && setting.ends_with(suffix), "{setting}");
    assert!(output.stdout.contains(&shortened[..shortened.len() - 1]), "{setting} in {}", output.stdout);
    let report = later_events[0].1.as_str().expect("a report");
    assert!(report.contains("gauntlet report") && report.contains("weights.empty"), "the report is another");
}

#[test]
fn a_search_is_shown_with_its_settings_and_its_path() {
    let folder = Folder::new();
    folder.write("t.toml", tuning(3_000_000_000));
    let live_page = LivePageProcess::start(&folder, "tune t.toml --live=0 --threads 2");
    let is_full = |picture: &Value| {
        picture["candidates"]["rows"][0].is_array()
            && picture["drawings"].as_array().is_some_and(|drawings| drawings.len() == 3)
    };
    let (_, picture) = live_page.pictures().find(|(_, picture)| is_full(picture)).expect("a picture");
    live_page.signal("-KILL");
    live_page.end();
    assert_eq!((&picture["doing"], &picture["state"]), (&"searches".into(), &"plays".into()));
    assert!(number(&picture["progress"]["done"]) > 0, "{picture}");
    assert_eq!(picture["candidates"]["keys"][1], "weights.empty");
    let setting = &picture["settings"][0];
    assert_eq!((&setting["key"], &setting["values"][0]), (&"weights.smoothness".into(), &"0.1".into()));
    assert_eq!(setting["bounds"], serde_json::json!(["0.01", "5"]));
    let position = setting["places"][0].as_f64().unwrap();
    assert!((position - 10_f64.log10() / 500_f64.log10()).abs() < 1e-9, "{setting}");
    let drawings = picture["drawings"].as_array().unwrap().iter();
    let titles: Vec<&str> = drawings.map(|drawing| drawing["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Gain over the start", "The path of each setting", "Tried values"]);
    assert!(picture["said"].as_str().unwrap().contains("Only validation"), "{picture}");
    assert!(picture["parts"][0]["words"].as_str().unwrap().ends_with(" of 3,000,000,000 games"), "{picture}");
}

/// The page has the verdict of the terminal. Tested for a search that kept its start, and for a
/// result that only the node limit keeps from being better.
#[test]
fn the_page_has_the_verdict_of_the_terminal() {
    let limited_tuning = tuning(3000)
        .replace("empty = 2.7", "empty = -20.0")
        .replace("\"spsa\"", "\"cma-es\"\nat_most_nodes = 1");
    let pair = "name = 't'\ngame = '2048'\nseed = 7\ngames = 10\nmax_moves = 10\n\
                [[player]]\nname = 'a'\nalgorithm = 'random'\n[[player]]\nname = 'b'\nalgorithm = 'random'\n\
                [tune]\nmethod = 'race'\nbudget = 100\n[tune.validate]\ngames = 20\n";
    for (text, why) in [
        (
            &*limited_tuning,
            "inconclusive, because the player with the best settings searches more positions per move than `at_most_nodes = 1` allows: tuned vs start: +",
        ),
        (pair, "inconclusive: the search found nothing better than the initial settings"),
    ] {
        let folder = Folder::new();
        folder.write("t.toml", text);
        let shown = LivePageProcess::start(&folder, "tune t.toml --live=0");
        let (picture, _) = last_picture(shown.pictures());
        let said = shown.end().assert_status(6);
        let verdict = said.stdout.lines().next().unwrap();
        assert!(verdict.starts_with(why), "{verdict}");
        assert_eq!(picture["said"], verdict);
    }
}

/// A tuning of a duel, whose validation does not end during the test.
const DUEL: &str = "name = 't'\ngame = 'gomoku'\nseed = 7\ngames = 20\nsize = 7\n[[player]]\nname = 'mc'\n\
                    algorithm = 'flat-mc'\nrollouts = 1\n[tune]\nplayer = 'mc'\nbudget = 800\nmethod = 'spsa'\n\
                    [tune.validate]\ngames = 1000000\n[tune.params]\nrollouts = { min = 1, max = 3 }\n";

/// A validation is shown as a run: its players by ratings, and its earlier games.
#[test]
fn a_validation_that_goes_on_shows_ratings_and_the_games_of_before() {
    let folder = Folder::new();
    folder.write("t.toml", DUEL);
    let validates = |(_, picture): &(String, Value)| {
        picture["doing"] == "validates its best point" && number(&picture["progress"]["done"]) > 200
    };
    let live_page = LivePageProcess::start(&folder, "tune t.toml --live=0 --threads 1");
    let (_, before) = live_page.pictures().find(|event| validates(event)).expect("a validation");
    live_page.signal("-KILL");
    live_page.end();
    // `gauntlet live` shows the same players on the same scale.
    let watcher = LivePageProcess::start(&folder, "live t.toml --address 0");
    let (_, picture) = watcher.pictures().next().expect("a picture");
    assert_eq!(
        (&picture["scale"], &picture["doing"]),
        (&"Elo".into(), &"validates its best point".into()),
        "{picture}"
    );
    assert!(picture["players"][0]["strength"]["low"].is_number(), "{picture}");
    assert_eq!(picture["parts"][1]["name"], "validation 1");
    let warnings = picture["warnings"].as_array().unwrap().iter();
    let warnings =
        warnings.filter(|event| event.as_str().unwrap().contains("no active process on this machine"));
    assert_eq!(warnings.count(), 1, "{picture}");
    let live_page = LivePageProcess::start(&folder, "tune t.toml --live=0 --threads 1");
    let mut pictures = live_page.pictures();
    let (_, after) = pictures
        .find(|(_, picture)| {
            picture["doing"] == "validates its best point" && picture["players"][0]["strength"].is_object()
        })
        .expect("a validation that goes on");
    assert!(number(&after["progress"]["done"]) >= number(&before["progress"]["done"]), "{after}");
    assert_eq!((&after["scale"], after["players"].as_array().unwrap().len()), (&"Elo".into(), 2));
    assert!(after["drawings"][0]["wide"].is_string(), "the path of the search stays: {after}");
    live_page.signal("-INT");
    assert_eq!(last_picture(pictures).0["state"], "stopped");
    live_page.end().assert_status(130);
    watcher.signal("-KILL");
    watcher.end();
}

/// Slices are played after a finished validation; `gauntlet live` shows their progress.
#[cfg(unix)]
#[test]
fn slices_of_another_process_are_shown_with_their_pace() {
    let folder = Folder::new();
    folder.write("t.toml", TUNING.replace("explain = 60", "explain = 100_000_000"));
    let mut tuning_process = folder.start("tune t.toml --quiet");
    folder.wait_for_size(&format!("{TUNE}/explained/journal.jsonl"), 1);
    let live_page = LivePageProcess::start(&folder, "live t.toml --address 0");
    let mut pictures = live_page.pictures();
    let has_pace = |(_, picture): &(String, Value)| {
        picture["doing"] == "plays slices through its best point"
            && picture["progress"]["pace"][0].as_str().is_some_and(|pace| pace.ends_with(" games/s"))
    };
    let (_, picture) = pictures.find(has_pace).expect("a pace");
    let parts: Vec<&str> =
        picture["parts"].as_array().unwrap().iter().map(|part| part["name"].as_str().unwrap()).collect();
    assert_eq!(parts, ["search", "validation 1", "slices through the best point"]);
    tuning_process.kill().unwrap();
    tuning_process.wait().unwrap();
    live_page.signal("-KILL");
    live_page.end();
}

/// Only the external optimizer knows whether its tuning continues: if none is running, a finished
/// run is shown.
#[test]
fn a_tuning_that_nobody_drives_now_hides_no_ended_run() {
    let folder = Folder::new();
    folder.write("t.toml", tuning(900));
    folder.run("run t.toml --quiet").assert_status(0);
    folder.run_with("ask t.toml", r#"{"ask": {}, "blocks": 1}"#).assert_status(0);
    folder.run("live t.toml --address 0").assert_status(0).assert_says("the run in results/t has ended");
}

/// If a stopped run has older tables, it has not ended, so it is shown rather than a finished
/// tuning.
#[cfg(unix)]
#[test]
fn a_stopped_run_beside_older_tables_is_shown_before_an_ended_tuning() {
    let folder = Folder::new();
    folder.write("t.toml", tuning(900));
    folder.run("run t.toml --quiet").assert_status(0);
    let mut longer = tuning(900).replace("games = 10\n", "games = 10000000\n");
    folder.write("t.toml", &longer);
    let live_page = LivePageProcess::start(&folder, "run t.toml --live=0");
    assert!(live_page.pictures().any(|(_, picture)| number(&picture["progress"]["done"]) > 10));
    live_page.signal("-INT");
    live_page.end().assert_status(130);
    longer = longer.replace("games = 2000\n", "games = 20\n");
    folder.write("t.toml", longer);
    folder.run("tune t.toml --quiet");
    let live_page = LivePageProcess::start(&folder, "live t.toml --address 0");
    let (_, picture) = live_page.pictures().next().expect("a picture");
    assert_eq!((&picture["kind"], &picture["progress"]["all"]), (&"run".into(), &10_000_000.into()));
    live_page.signal("-KILL");
    live_page.end();
}

/// If there are several in a folder, the active one is shown.
#[test]
fn an_ended_tuning_hides_no_training() {
    let folder = Folder::new();
    folder.write("t.toml", tuning(900));
    folder.run("tune t.toml --quiet");
    folder.write("t.toml", training(100_000_000));
    let live_page = LivePageProcess::start(&folder, "train t.toml --live=0 --every 0.05s");
    folder.wait_for_size("results/t/train/checkpoint", 1);
    let watcher = LivePageProcess::start(&folder, "live t.toml --address 0");
    let (_, picture) = watcher.pictures().next().expect("a picture");
    assert_eq!(picture["kind"], "training");
    for live_page in [live_page, watcher] {
        live_page.signal("-KILL");
        live_page.end();
    }
}

/// The path of a tuning in another process, its end, and a temporary error.
#[cfg(unix)]
#[test]
fn a_tuning_of_another_process_is_shown_until_its_end() {
    let folder = Folder::new();
    folder.write("t.toml", tuning(3_000_000_000));
    let mut tuning_process = folder.start("tune t.toml --quiet");
    folder.wait_for_size(&format!("{TUNE}/journal.jsonl"), 100_000);
    let process = LivePageProcess::start(&folder, "live t.toml --address 0");
    let mut pictures = process.pictures();
    let (_, picture) = pictures.next().expect("a picture");
    assert_eq!((&picture["kind"], &picture["state"]), (&"tuning".into(), &"plays".into()));
    assert_eq!(picture["progress"]["all"], 3_000_000_000_u64);
    assert!(
        picture["candidates"]["rows"][0].is_array() && picture["settings"][1]["places"].is_array(),
        "{picture}"
    );
    tuning_process.kill().unwrap();
    tuning_process.wait().unwrap();
    let wait_for_warning = |pictures: &mut Pictures, words: &str| {
        let has_warning = |(_, picture): &(String, Value)| picture["warnings"].to_string().contains(words);
        pictures.find(has_warning).unwrap_or_else(|| panic!("{words} is never said")).1
    };
    wait_for_warning(&mut pictures, "no active process on this machine");
    // Files that are half written, or missing for a while, are read again.
    let manifest = folder.read(&format!("{TUNE}/manifest.toml"));
    folder.write(&format!("{TUNE}/manifest.toml"), "of = ");
    let warned = wait_for_warning(&mut pictures, "retrying");
    assert_eq!(warned["title"], "t", "what was there before is still shown: {warned}");
    folder.write(&format!("{TUNE}/manifest.toml"), manifest);
    let has_no_error = |(_, picture): &(String, Value)| !picture["warnings"].to_string().contains("retrying");
    assert!(pictures.any(|picture| has_no_error(&picture)), "an error stays");
    folder.write("t.toml", tuning(900));
    let output = folder.run("tune t.toml --quiet");
    assert!([0, 6, 7].contains(&output.code.unwrap()), "{}", output.stderr);
    let (picture, later_events) = last_picture(pictures);
    assert_eq!(picture["state"], "finished", "{picture}");
    assert_eq!(later_events.len(), 2, "a report and the end");
    process
        .end()
        .assert_status(0)
        .assert_says("the tuning in results/t/tune has ended: gauntlet report results/t/tune");
    folder.run(&format!("live {TUNE}")).assert_status(0).assert_says("has ended");
}

#[test]
fn a_training_is_shown_with_its_curve() {
    let folder = Folder::new();
    folder.write("t.toml", training(3000));
    folder.run("train t.toml --quiet --results apart").assert_status(0);
    let live_page = LivePageProcess::start(&folder, "train t.toml --live=0");
    let events: Vec<_> = live_page.pictures().collect();
    live_page.end().assert_status(0).assert_says("trained on 3,000 games");
    let [live_files, quiet_files] =
        ["results", "apart"].map(|results| folder.files(&format!("{results}/t/train")));
    assert!(
        live_files["checkpoint"] == quiet_files["checkpoint"]
            && live_files["curve.csv"] == quiet_files["curve.csv"]
    );
    let games_done: Vec<u64> =
        events.iter().filter_map(|(_, picture)| picture["progress"]["done"].as_u64()).collect();
    assert!(games_done.is_sorted() && games_done.last() == Some(&3000), "{games_done:?}");
    let (picture, later_events) = last_picture(events);
    assert_eq!((&picture["kind"], &picture["state"]), (&"training".into(), &"finished".into()));
    assert!(
        picture["said"].as_str().unwrap().starts_with("The network is results/t/train/network"),
        "{picture}"
    );
    let words = picture["progress"]["words"].to_string();
    assert!(words.contains("mean of the last 1,000 training games"), "{words}");
    let curve = &picture["drawings"][0];
    assert_eq!(curve["title"], "Learning curve");
    for games in ["20", "200", "700", "3,000"] {
        assert!(
            curve["wide"].as_str().unwrap().contains(&format!("\n{games}\n")),
            "{games} is no mark of the axis"
        );
    }
    assert_eq!(later_events.len(), 1, "a training has no report");
}

/// The progress of a training by moves is shown in moves, by the training process and by `gauntlet
/// live`.
#[test]
fn a_training_by_moves_is_shown() {
    let folder = Folder::new();
    folder.write("t.toml", training(1).replace("games = 1\nseed", "moves = 300_000\nseed"));
    let live_page = LivePageProcess::start(&folder, "train t.toml --live=0");
    let (finished_picture, _) = last_picture(live_page.pictures());
    live_page.end().assert_status(0).assert_says("trained on ");
    let progress = &finished_picture["progress"];
    assert!(number(&progress["done"]) >= 300_000 && progress["all"] == 300_000, "{finished_picture}");
    assert!(progress["words"][0].as_str().unwrap().ends_with(" of 300,000 moves"), "{finished_picture}");

    folder.write("t.toml", training(1).replace("games = 1\nseed", "moves = 1_000_000_000_000\nseed"));
    std::fs::remove_dir_all(folder.path("results")).unwrap();
    let mut training_process = folder.start("train t.toml --every 0.05s");
    folder.wait_for_size("results/t/train/checkpoint", 1);
    let live_page = LivePageProcess::start(&folder, "live t.toml --address 0");
    let has_pace =
        |(_, picture): &(String, Value)| picture["progress"]["pace"].as_array().unwrap().len() == 2;
    let (_, picture) = live_page.pictures().find(has_pace).expect("its pace");
    training_process.kill().unwrap();
    training_process.wait().unwrap();
    let progress = &picture["progress"];
    assert!(progress["words"][0].as_str().unwrap().ends_with(" of 1,000,000,000,000 moves"), "{picture}");
    assert!(number(&progress["done"]) > 1000 && progress["all"] == 1_000_000_000_000_u64, "{picture}");
    let pace = progress["pace"].to_string();
    assert!(pace.contains("M moves/s") && pace.contains(" left") && !pace.contains("games/s"), "{pace}");
    live_page.signal("-KILL");
    live_page.end();
}

#[cfg(unix)]
#[test]
fn a_training_of_another_process_is_shown_by_its_checkpoints() {
    let folder = Folder::new();
    folder.write("t.toml", training(100_000_000));
    let mut training_process = folder.start("train t.toml --every 0.05s");
    folder.wait_for_size("results/t/train/checkpoint", 1);
    let live_page = LivePageProcess::start(&folder, "live t.toml --address 0");
    let mut pictures = live_page.pictures();
    let has_moves =
        |(_, picture): &(String, Value)| picture["progress"]["pace"].to_string().contains("M moves/s");
    let (_, picture) = pictures.find(has_moves).expect("moves per second");
    assert_eq!((&picture["kind"], &picture["progress"]["all"]), (&"training".into(), &100_000_000.into()));
    training_process.kill().unwrap();
    training_process.wait().unwrap();
    let is_abandoned = |(_, picture): &(String, Value)| {
        picture["warnings"].to_string().contains("no training run is active on this machine")
    };
    assert!(pictures.any(|picture| is_abandoned(&picture)));
    folder.write("t.toml", training(500));
    folder.run("train t.toml --quiet --replace").assert_status(0);
    let (picture, _) = last_picture(pictures);
    assert_eq!(picture["state"], "finished");
    live_page.end().assert_status(0).assert_says("the training run in results/t/train has ended");
}

#[test]
fn a_browser_shows_a_tuning_and_a_training_within_a_phone() {
    let Some(browser) = find_browser() else { return };
    let folder = Folder::new();
    folder.write("t.toml", tuning(3_000_000_000).replace("ovolve\"\ndepth", "ovolve\"\n depth"));
    let live_page = LivePageProcess::start(&folder, "tune t.toml --live=0 --threads 1");
    let page = read_answer(live_page.request(""));
    let is_full = |picture: &Value| {
        picture["candidates"]["rows"][0].is_array()
            && picture["drawings"].as_array().is_some_and(|drawings| drawings.len() == 3)
    };
    let (_, mut picture) = live_page.pictures().find(|(_, picture)| is_full(picture)).expect("a picture");
    live_page.signal("-KILL");
    live_page.end();
    picture["settings"][0]["key"] = "<b>bold</b>".into();
    picture["drawings"][0]["title"] = "</script><script>alert(2)</script>".into();
    folder.write("t.toml", training(3000));
    let live_page = LivePageProcess::start(&folder, "train t.toml --live=0");
    let (trained, _) = last_picture(live_page.pictures());
    live_page.end().assert_status(0);
    for (name, picture, drawings) in [("live-tune", picture, 3), ("live-train", trained, 1)] {
        write_framed_page(&folder, &page, &picture);
        let html = "<!doctype html><body style='margin:0'><iframe src='inner.html' style='border:0;width:380px;height:2600px' onload='
            const page = this.contentDocument.documentElement;
            const pictures = [...page.querySelectorAll(`.drawing img.narrow`)];
            Promise.all(pictures.map((one) => one.decode())).then(() => {
                document.title = [page.clientWidth, page.scrollWidth, page.querySelectorAll(`b, svg`).length,
                    pictures.filter((one) => one.naturalWidth > 0 && one.getBoundingClientRect().width > 200).length].join(`|`);
            }, (error) => { document.title = error; })'>";
        folder.write("page.html", html);
        let (dom, urls) = open_page(
            &browser,
            &folder,
            &["--dump-dom", "--allow-file-access-from-files", "--virtual-time-budget=5000"],
        );
        assert_eq!(title_of(&dom), format!("380|380|0|{drawings}"), "{name}");
        assert!(urls.iter().all(|url| url.starts_with("data:image/svg+xml,")), "{urls:?}");
        // Each drawing exists in a wide and a narrow form.
        open_in_light_and_dark(&browser, &folder, name, 2 * drawings, 2600);
        // If the policy forbade drawings, this would be noticed: then no picture has a width.
        let strict = folder.read("inner.html").replace("img-src data:;", "");
        folder.write("inner.html", strict);
        let options = ["--dump-dom", "--allow-file-access-from-files", "--virtual-time-budget=5000"];
        let (dom, _) = open_page(&browser, &folder, &options);
        assert!(title_of(&dom).starts_with("EncodingError"), "{name}: {:?}", title_of(&dom));
    }
}

/// A browser follows a tuning that was killed and resumed, to its end.
#[test]
fn a_browser_sees_a_tuning_that_was_killed_go_on_and_end() {
    let Some(browser) = find_browser() else { return };
    let folder = Folder::new();
    folder.write("t.toml", tuning(1_000_000));
    let start = Instant::now();
    let live_page = LivePageProcess::start(&folder, "tune t.toml --live=0 --threads 1");
    let (address, _) = live_page.address_and_path();
    live_page
        .pictures()
        .find(|(_, picture)| picture["candidates"]["rows"][0].is_array())
        .expect("candidates");
    let (_, picture) = live_page.pictures().next().expect("a picture");
    live_page.signal("-KILL");
    live_page.end();
    // The rest has games for several seconds, however fast this machine is: time for a browser to
    // load the page.
    let games_done = number(&picture["progress"]["done"]) as f64;
    let budget = games_done + 6.0 * games_done / start.elapsed().as_secs_f64();
    folder.write("t.toml", tuning(budget.max(2000.0) as u64));
    let restarted = LivePageProcess::start(&folder, &format!("tune t.toml --live={address} --threads 1"));
    let browser_process = open_in_browser(&browser, &folder, &restarted);
    let tuning_output = restarted.end();
    assert!([0, 6, 7].contains(&tuning_output.code.unwrap()), "{}", tuning_output.stderr);
    let browser_output = browser_process.wait_with_output().unwrap();
    let dom = String::from_utf8(browser_output.stdout).unwrap();
    assert!(dom.contains("The tuning has ended"), "{dom}");
    assert!(dom.contains("href=\"blob:http://"), "no report is linked: {dom}");
    assert!(dom.contains("id=\"connection\" role=\"status\" hidden"), "{dom}");
}
