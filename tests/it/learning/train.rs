//! `gauntlet train`: equal bytes after kills, more games, the learning curve, and files that are
//! not networks.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use gauntlet::train::section::TrainSection;
use serde_json::Value;

use crate::bench::Folder;
use crate::tools::lacks_command;

/// Patterns so small that a thousand games take little time.
const SETTINGS: &str = r#"
name = "t"
game = "2048"
seed = 7
games = 5

[[player]]
name = "learned"
algorithm = "n-tuple"
network = "results/t/train/network"

[train]
patterns = "0123 4567 0145"
method = "tc"
rate = 1
games = 1500
seed = 3
test_at = [200, 700]
test_games = 40
"#;

/// Returns the files that must be equal however a training ended.
fn final_files(folder: &Folder, results: &str) -> Vec<Vec<u8>> {
    let files = folder.files(&format!("{results}/t/train"));
    ["network", "curve.csv", "checkpoint"].map(|name| files[name].clone()).to_vec()
}

#[test]
fn kills_change_nothing() {
    kills_change_nothing_of(SETTINGS);
}

/// Further state in a checkpoint: the second method, stages, and the start of the next game.
#[test]
fn kills_change_nothing_of_stages_and_restarts() {
    let method_lines =
        "method = \"otd+tc\"\ninitial = 1000\ntc_after = 600\nstages = [256, 512]\nrestarts = \"half\"";
    let settings = SETTINGS.replace("method = \"tc\"", method_lines).replace("rate = 1", "rate = 0.1");
    kills_change_nothing_of(&settings);
}

/// The boards at which games begin in rotation, and the current one, are part of a checkpoint.
/// Between games no board waits for errors.
#[test]
fn kills_change_nothing_of_a_carousel() {
    let method_lines = "method = \"tc\"\nlambda = 0.5\nstages = [128, 256, 512]\nrestarts = \"carousel\"";
    kills_change_nothing_of(&SETTINGS.replace("method = \"tc\"", method_lines));
}

/// Two interleaved games are learned from in laps of a hundred; the second method begins in the
/// middle of one.
#[test]
fn kills_change_nothing_of_games_in_turn() {
    let method_lines = "method = \"otd+tc\"\ninitial = 1000\ntc_after = 650\nlambda = 0.5\nin_turn = true";
    kills_change_nothing_of(
        &SETTINGS.replace("method = \"tc\"", method_lines).replace("rate = 1", "rate = 0.1"),
    );
}

fn kills_change_nothing_of(settings: &str) {
    let folder = Folder::with_file("t.toml", settings);
    let start = Instant::now();
    folder.run("train t.toml --results one").assert_status(0).assert_says("trained on ");
    let duration = start.elapsed();
    let expected = final_files(&folder, "one");
    folder.run("train t.toml --results two").assert_status(0);
    assert!(final_files(&folder, "two") == expected, "a second training");

    // The first kills come so soon that the training is not finished after twenty, and the later
    // ones so late that it finishes.
    let mut kills = 0;
    for attempt in 0..500 {
        let mut command = folder.command("train t.toml -q --every 0.001s --results killed");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        sleep(duration.mul_f64(0.01 * (1.0 + f64::from(attempt % 3)) * (1.0 + f64::from(attempt) / 20.0)));
        if let Some(status) = child.try_wait().unwrap() {
            assert_eq!(status.code(), Some(0));
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    folder.run("train t.toml -q --results killed").assert_status(0);
    assert!(kills > 0, "it was never killed");
    assert!(final_files(&folder, "killed") == expected, "after {kills} kills");
}

/// Games in rounds: equal bytes on any number of threads, and after kills during a lap.
#[test]
fn threads_learn_what_one_learns() {
    let folder = Folder::new();
    let settings =
        SETTINGS.replace("\"0123 4567 0145\"", "\"01 12 45\"").replace("games = 1500", "games = 20_000");
    folder.write("t.toml", settings + "update = \"backward\"\nlambda = 0.5\nrounds = true\n");
    let train = |threads: u32, results: &str, games: u64| {
        let line = format!("train t.toml -q --threads {threads} --results {results} --games {games}");
        folder.run(&line).assert_status(0);
        final_files(&folder, results)
    };
    let one = train(1, "one", 20_000);
    assert!(one == train(2, "two", 20_000) && one == train(3, "three", 20_000));
    // Kills during two laps; the exact point depends on the machine.
    let mut games: u64 = 0;
    for min_games in [1, 10_001] {
        let mut command =
            folder.command("train t.toml -q --every 0.001s --threads 2 --results killed --games 4000000000");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let path = folder.path("killed/t/train/checkpoint");
        while games < min_games {
            sleep(Duration::from_millis(1));
            let bytes = std::fs::read(&path).unwrap_or_default();
            let header = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).into_owned();
            let games_text = header.split("\"games\":").nth(1).and_then(|rest| rest.split(',').next());
            games = games_text.map_or(games, |number| number.parse().unwrap());
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let end = games.next_multiple_of(10_000).max(20_000);
    assert!(train(2, "killed", end) == train(1, "one", end), "after two kills");
    folder
        .run("train t.toml --games 35000")
        .assert_status(2)
        .assert_says("the training run cannot end after 35000 games");
    let settings = folder.read("t.toml");
    folder.write("t.toml", settings.replace("rounds = true", ""));
    folder.run("train t.toml --threads 2").assert_status(2).assert_says("without `rounds = true`");
    folder.write("t.toml", settings.replace("[200, 700]", "[200, 15_000]"));
    folder.run("train t.toml").assert_status(2).assert_says("less than 10000, or a multiple of 10000");
}

/// The last checkpoint stays valid, even if the disk is full before the first or after the last
/// checkpoint.
#[cfg(unix)]
#[test]
fn a_full_disk_costs_a_training_what_came_after_its_checkpoint() {
    let folder = Folder::with_file("t.toml", SETTINGS);
    folder.run("train t.toml -q --results whole").assert_status(0);
    // No file may grow over 20 kB, which looks like a full disk.
    let run_on_full_disk = |line: &str, file: &str| {
        let output = folder.shell(&format!("trap '' XFSZ; ulimit -f 40; gauntlet {line}")).assert_status(1);
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
        assert!(output.stderr.contains(&format!("results/t/train/{file}: ")), "{}", output.stderr);
        let files = folder.files("results/t/train");
        assert!(!files.keys().any(|name| name.starts_with(".new-")), "{:?}", files.keys());
        files.get("checkpoint").cloned()
    };
    assert_eq!(run_on_full_disk("train t.toml -q --every 0.001s", "checkpoint"), None);
    folder.run("train t.toml -q --games 400").assert_status(0);
    let files = folder.files("results/t/train");
    let [checkpoint, network] = ["checkpoint", "network"].map(|name| files[name].clone());
    for every in ["0.001s", "1h"] {
        let remaining = run_on_full_disk(&format!("train t.toml -q --every {every}"), "checkpoint");
        assert!(remaining.is_some_and(|bytes| bytes == checkpoint), "what was learned by then");
    }
    assert!(folder.files("results/t/train")["network"] == network, "nothing is learned half");
    folder.run("train t.toml -q").assert_status(0);
    assert!(final_files(&folder, "results") == final_files(&folder, "whole"));
}

#[cfg(unix)]
#[test]
fn a_training_is_stopped_and_goes_on() {
    let folder = Folder::new();
    // Too many games to wait for.
    folder.write("t.toml", SETTINGS.replace("games = 1500", "games = 100000000"));
    let child = folder.start("train t.toml --every 0.001s");
    folder.wait_for_size("results/t/train/checkpoint", 1);
    folder
        .run("train t.toml")
        .assert_status(1)
        .assert_says("another gauntlet process is using results/t/train");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("to resume:\n  gauntlet train t.toml"), "{stderr}");
    assert!(!folder.path("results/t/train/network").exists(), "nothing is learned half");
}

#[test]
fn more_games_go_on() {
    let folder = Folder::with_file("t.toml", SETTINGS);
    let output =
        folder.run("train t.toml --results whole").assert_status(0).assert_says("trained on 1,500 games");
    assert!(output.stdout.starts_with("after 1,500 games: mean score "), "{output:?}");
    folder.run("train t.toml --games 500").assert_status(0);
    let curve = folder.read("results/t/train/curve.csv");
    let games = |curve: &str| -> Vec<String> {
        curve.lines().skip(1).map(|row| row.split(',').next().unwrap().to_owned()).collect()
    };
    assert_eq!(games(&curve), ["200", "500"]);
    let resumed_output = folder.run("train t.toml").assert_status(0);
    assert!(resumed_output.stderr.contains("resuming after 500 games"), "{resumed_output:?}");
    // The end of the shorter training is not a listed number of the longer one.
    assert_eq!(games(&folder.read("results/t/train/curve.csv")), ["200", "700", "1500"]);
    assert!(final_files(&folder, "results") == final_files(&folder, "whole"));
    folder
        .run("train t.toml --games 900")
        .assert_status(1)
        .assert_says("already has a training run of 1,500 games");
    folder.write("t.toml", SETTINGS.replace("seed = 3", "seed = 4"));
    folder.run("train t.toml").assert_status(1).assert_says("belongs to a training run with other settings");
    folder.run("train t.toml --replace").assert_status(0);
    assert!(final_files(&folder, "results") != final_files(&folder, "whole"));
}

/// A training by moves ends with the first game that reaches them, and equals one of as many games.
#[test]
fn a_training_has_its_moves() {
    if lacks_command("network") {
        return;
    }
    let folder = Folder::with_file("t.toml", SETTINGS.replace("games = 1500", "moves = 250_000"));
    folder.run("train t.toml").assert_status(0);
    let curve = folder.read("results/t/train/curve.csv");
    let last_value = |curve: &str, column: usize| -> u64 {
        curve.lines().last().unwrap().split(',').nth(column).unwrap().parse().unwrap()
    };
    let (games, moves) = (last_value(&curve, 0), last_value(&curve, 1));
    let stdout = folder.run("network show results/t/train/network").assert_status(0).stdout;
    assert!(stdout.contains(&format!("learned from  {}\n", gauntlet::text::format_games(games))), "{stdout}");
    // One game less has too few moves.
    let fewer_games = games - 1;
    folder.run(&format!("train t.toml --results fewer --games {fewer_games}")).assert_status(0);
    assert!(last_value(&folder.read("fewer/t/train/curve.csv"), 1) < 250_000 && moves >= 250_000);
    let resumed_output = folder.run("train t.toml --results fewer").assert_status(0);
    assert!(
        resumed_output
            .stderr
            .contains(&format!("resuming after {} games", gauntlet::text::group_digits(fewer_games))),
        "{resumed_output:?}"
    );
    assert!(final_files(&folder, "fewer") == final_files(&folder, "results"));
    // A finished training does not change, and a longer one is not cut.
    folder.run("train t.toml --results fewer").assert_status(0);
    assert!(final_files(&folder, "fewer") == final_files(&folder, "results"));
    let more_games = games + 1;
    folder.run(&format!("train t.toml --results fewer --games {more_games}")).assert_status(0);
    folder
        .run("train t.toml --results fewer")
        .assert_status(1)
        .assert_says(&format!("use --games {more_games} or more"));
    // After kills the result is the same.
    kills_change_nothing_of(&SETTINGS.replace("games = 1500", "moves = 500_000"));
    // With interleaved games it ends with the first hundred games that reaches the moves.
    folder.write("t.toml", SETTINGS.replace("games = 1500", "moves = 250_000\nin_turn = true"));
    folder.run("train t.toml --results turn").assert_status(0);
    let curve = folder.read("turn/t/train/curve.csv");
    let games = last_value(&curve, 0);
    assert!(games % 100 == 0 && last_value(&curve, 1) >= 250_000, "{curve}");
    folder.run(&format!("train t.toml --results shorter --games {}", games - 100)).assert_status(0);
    assert!(last_value(&folder.read("shorter/t/train/curve.csv"), 1) < 250_000);
    folder.run("train t.toml --results shorter").assert_status(0);
    assert!(final_files(&folder, "shorter") == final_files(&folder, "turn"));
    folder.run(&format!("train t.toml --results turn --games {}", games + 100)).assert_status(0);
    folder.run("train t.toml --results turn").assert_status(1).assert_says("use --games");

    let check = folder.run("check t.toml").assert_status(0).stdout;
    assert!(check.contains("train: 250,000 moves; run with `gauntlet train`"), "{check}");
    for (length, message) in [
        ("games = 5\nmoves = 5", "conflicts with `games`: set only one of them"),
        ("", "`games` or `moves` is required"),
        ("moves = 0", "must be a whole number from 1 to 1000000000000000"),
        ("moves = \"many\"", "must be a whole number, not a string"),
    ] {
        folder.write("t.toml", SETTINGS.replace("games = 1500", length));
        let output = folder.run("train t.toml").assert_status(2).assert_says(message);
        assert!(!output.stderr.contains("is missing") || length.is_empty(), "{output:?}");
    }
    folder.write("t.toml", SETTINGS.replace("games = 1500", "movse = 1500"));
    let output = folder.run("train t.toml").assert_status(2).assert_says("did you mean `moves`?");
    assert!(!output.stderr.contains("is missing"), "{output:?}");
}

#[test]
fn what_was_learned_plays() {
    if lacks_command("network") {
        return;
    }
    let folder = Folder::with_file("t.toml", SETTINGS);
    folder.run("run t.toml").assert_status(2).assert_says("cannot read results/t/train/network");
    folder.run("train t.toml").assert_status(0);
    folder.run("run t.toml").assert_status(0);
    let manifest: toml::Table = folder.read("results/t/manifest.toml").parse().unwrap();
    let network = folder.files("results/t/train")["network"].clone();
    let files = manifest["files"].as_table().unwrap();
    // The digest in the manifest excludes the digest at the end of the file.
    let digest = blake3::hash(&network[..network.len() - 32]).to_hex().to_string();
    assert!(files.values().any(|file_digest| file_digest.as_str() == Some(&*digest)), "{manifest}");
    let stdout = folder.run("network show results/t/train/network").assert_status(0).stdout;
    for line in
        ["patterns      0123 4567 0145", "learned from  1,500 games", "command       gauntlet train t.toml"]
    {
        assert!(stdout.contains(line), "{stdout}");
    }
    // It has learned: it beats an untrained network.
    let mean = |row: &str| row.split(',').nth(3).unwrap().parse::<f64>().unwrap();
    let curve = folder.read("results/t/train/curve.csv");
    let mean_scores: Vec<f64> = curve.lines().skip(1).map(mean).collect();
    assert!(mean_scores.is_sorted() && mean_scores[2] > 5000.0, "{mean_scores:?}");
    // Next to each test are the scores of earlier training games, which are worse.
    let training_scores =
        |row: &str| -> Vec<f64> { row.split(',').skip(8).map(|number| number.parse().unwrap()).collect() };
    let training_rows: Vec<Vec<f64>> = curve.lines().skip(1).map(training_scores).collect();
    assert!(training_rows.iter().map(|row| row[1]).eq([200.0, 700.0, 1000.0]), "{training_rows:?}");
    assert!(
        training_rows.iter().zip(&mean_scores).all(|(row, mean)| (500.0..*mean).contains(&row[0])),
        "{training_rows:?}"
    );
}

#[test]
fn every_way_to_learn_learns() {
    if lacks_command("network") {
        return;
    }
    let folder = Folder::new();
    let (mut digests, mut network_info) = (BTreeSet::new(), String::new());
    for (method, lines) in [
        ("td", "rate = 0.1"),
        ("tc", "rate = 1"),
        ("td", "rate = 0.1\nupdate = \"backward\""),
        ("td", "rate = 0.1\nlambda = 0.5"),
        ("tc", "rate = 1\nlambda = 0.5"),
        ("tc", "rate = 1\nupdate = \"backward\"\nlambda = 0.5"),
        ("tc", "rate = 1\nupdate = \"backward\""),
        ("tc", "rate = 1\nupdate = \"backward\"\nrestarts = \"half\""),
        ("tc", "rate = 1\ninitial = 1000"),
        ("tc", "rate = 1\nsymmetric = false"),
        ("otd", "rate = 0.1\ninitial = 1000"),
        ("otd+tc", "rate = 0.1\ninitial = 1000\ntc_after = 400"),
        ("tc", "rate = 1\nstages = [256, 512]"),
        ("tc", "rate = 1\nrestarts = \"half\""),
        ("tc", "rate = 1\nin_turn = true"),
        ("tc", "rate = 1\nstages = [256, 512]\nrestarts = \"carousel\""),
    ] {
        let settings = format!("{:?}\n{lines}", method);
        let text = SETTINGS.replace("\"tc\"\nrate = 1", &settings).replace("games = 1500", "games = 800");
        folder.write("t.toml", text);
        folder.run("train t.toml --replace").assert_status(0);
        let curve = folder.read("results/t/train/curve.csv");
        let mean: f64 = curve.lines().last().unwrap().split(',').nth(3).unwrap().parse().unwrap();
        // Random play has 1,100 points and greedy play 3,100.
        assert!(mean > 3500.0, "{settings}: {mean}");
        network_info = folder.run("network show results/t/train/network").assert_status(0).stdout;
        let digest =
            network_info.lines().find(|line| line.starts_with("digest")).expect("a digest of the weights");
        assert!(digests.insert(digest.to_owned()), "{settings} is another training");
    }
    assert!(network_info.contains("\"restarts\":\"carousel\""), "{network_info}");
    // The largest lambda also ends.
    let text = SETTINGS.replace("rate = 1", "rate = 1\nupdate = \"backward\"\nlambda = 1");
    folder.write("t.toml", text.replace("games = 1500", "games = 20"));
    folder.run("train t.toml --replace").assert_status(0);
}

/// The page of the players of a training has its learning curve.
#[test]
fn the_page_has_the_curve() {
    let folder = Folder::with_file("t.toml", SETTINGS);
    folder.run("train t.toml --games 300").assert_status(0);
    folder.run("run t.toml").assert_status(0);
    folder.run("report results/t --out t.html --plots plots").assert_status(0);
    let page = folder.read("t.html");
    let curve = folder.read("results/t/train/curve.csv");
    let mean: f64 = curve.lines().last().unwrap().split(',').nth(3).unwrap().parse().unwrap();
    let hint = format!("after 300 games: {}", gauntlet::text::group_decimal(mean, 0));
    assert!(page.contains("Learning curve") && page.contains(&hint), "{hint}");
    assert!(folder.files("plots").keys().any(|name| name.contains("learning")));
    let headers: Vec<&str> = page.split("<th").filter_map(|part| part.split("</th>").next()).collect();
    let has_header = |word: &str| headers.iter().any(|header| header.contains(word));
    assert!(
        has_header("test games") && !has_header("training"),
        "means over training games look like results"
    );
    folder.write("results/t/train/curve.csv", "games\nmany\n");
    folder.run("report results/t --out t.html").assert_status(0);
    assert!(folder.read("t.html").contains("curve.csv cannot be read"));
    std::fs::remove_dir_all(folder.path("results/t/train")).unwrap();
    folder.run("report results/t --out t.html").assert_status(0);
    assert!(!folder.read("t.html").contains("Learning curve"));
}

/// A network with stages plays, and lists them.
#[test]
fn stages_play() {
    if lacks_command("network") {
        return;
    }
    let folder = Folder::with_file("t.toml", SETTINGS.replace("rate = 1", "rate = 1\nstages = [256, 512]"));
    folder.run("train t.toml --games 700").assert_status(0);
    folder.run("run t.toml").assert_status(0);
    let stdout = folder.run("network show results/t/train/network").assert_status(0).stdout;
    assert!(
        stdout.contains("stages        3; a stage begins when the sum of different tiles reaches 256, 512\n"),
        "{stdout}"
    );
    assert!(stdout.contains("weights       589,824, of which"), "{stdout}");
    folder.run("network export results/t/train/network --out t.w").assert_status(1).assert_says("has stages");
}

#[test]
fn damaged_files_get_one_line() {
    if lacks_command("network") {
        return;
    }
    let folder = Folder::with_file("t.toml", SETTINGS);
    folder.run("train t.toml --games 30").assert_status(0);
    let files = folder.files("results/t/train");
    let (network, state) = (&files["network"], &files["checkpoint"]);
    let assert_damaged = |bytes: &[u8], expected: &str| {
        folder.write("results/t/train/network", bytes);
        for line in ["network show results/t/train/network", "run t.toml"] {
            let output = folder.command(line).output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && stderr.contains(expected), "{line}: {stderr}");
        }
    };
    assert_damaged(&network[..network.len() - 7], "is cut off or damaged");
    assert_damaged(&[&network[..network.len() - 1], b"!"].concat(), "is damaged");
    assert_damaged(b"player,score\n", "is not a 2048 network");
    assert_damaged(b"", "is not a 2048 network");
    // Larger than memory, as a sparse file.
    std::fs::File::create(folder.path("large")).unwrap().set_len(1 << 43).unwrap();
    let output = folder.shell("ulimit -v 4000000; gauntlet network show large").assert_status(1);
    let limit = output
        .stderr
        .trim_end()
        .strip_prefix("gauntlet: cannot read large: the file needs 8 TiB, but the memory limit is ");
    assert!(limit.is_some_and(|text| text.ends_with("iB")), "{}", output.stderr);
    // A network of 512 MiB, with enough memory for it, or not.
    let header = String::from_utf8_lossy(network.split_inclusive(|&byte| byte == b'\n').nth(1).unwrap());
    let header = header.replace("0123 4567 0145", "8x6").replace("196608", "134217728");
    let start = format!("gauntlet network of 2048, version 1\n{header}");
    folder.write("eight", &start);
    let file = std::fs::File::options().append(true).open(folder.path("eight")).unwrap();
    file.set_len(start.len() as u64 + (1 << 29) + 32).unwrap();
    for (kib, expected) in [
        (400_000, "cannot be held: cannot allocate 512 MiB for weights"),
        (900_000, "is damaged: its weights do not match their digest"),
    ] {
        let output = folder.shell(&format!("ulimit -v {kib}; gauntlet network show eight")).assert_status(1);
        assert_eq!(output.stderr, format!("gauntlet: eight {expected}\n"));
    }
    let middle = state.len() / 2;
    let flipped_state = [&state[..middle], &[state[middle] ^ 1], &state[middle + 1..]].concat();
    for bytes in [&state[..middle], &state[..state.len() - 1], &flipped_state, &[&state[..], b"x"].concat()] {
        folder.write("results/t/train/checkpoint", bytes);
        let hint = "; start again with `gauntlet train FILE --replace`";
        folder
            .run("train t.toml --games 30")
            .assert_status(1)
            .assert_says("checkpoint is damaged (")
            .assert_says(hint);
        folder
            .run("status results/t")
            .assert_status(1)
            .assert_says("checkpoint is damaged (")
            .assert_says(hint);
    }
    // A checkpoint of another version.
    let old_header = String::from_utf8_lossy(&state[..28]).replace("version 4", "version 3");
    folder.write("results/t/train/checkpoint", [old_header.as_bytes(), &state[28..]].concat());
    folder.run("train t.toml --games 30").assert_status(1).assert_says("is not a checkpoint of this version");
    folder.write("results/t/train/checkpoint", "name,score\n");
    folder.run("train t.toml --games 30").assert_status(1).assert_says("is not a checkpoint of this version");
    folder.run("train t.toml --games 30 --replace").assert_status(0);
    assert_eq!(folder.files("results/t/train")["checkpoint"], *state);
}

#[test]
fn what_cannot_be_trained_is_refused() {
    let folder = Folder::with_file("t.toml", SETTINGS.split("[train]").next().unwrap());
    folder.run("train t.toml").assert_status(2).assert_says("t.toml has no [train]");
    folder.write("t.toml", SETTINGS.replace("0123 4567 0145", "8x6"));
    folder
        .run("train t.toml --memory 1GiB")
        .assert_status(2)
        .assert_says("the training run needs 1.5 GiB of memory, but the limit is 1 GiB");
    for (line, message) in [
        ("stages = [512, 256]", "must be in ascending order"),
        ("stages = [100000]", "must be sums of different tiles"),
        ("tc_after = 5", "has no effect without `method = \"otd+tc\"`"),
        ("restarts = \"all\"", "none"),
        ("restarts = \"carousel\"", "needs `stages`, because games start at each stage in turn"),
        ("lambda = 0.995", "must be at most 0.99 without `update = \"backward\"`"),
        ("in_turn = true\nrounds = true", "conflicts with `rounds`"),
        ("in_turn = true\nupdate = \"backward\"", "needs `update = \"forward\"`"),
        ("in_turn = true\nrestarts = \"half\"", "conflicts with `restarts`"),
        ("rounds = true", "needs `update = \"backward\"`"),
        ("update = \"backward\"\nrounds = true\nrestarts = \"half\"", "conflicts with `restarts`"),
    ] {
        folder.write("t.toml", SETTINGS.replace("rate = 1", &format!("rate = 1\n{line}")));
        folder.run("train t.toml").assert_status(2).assert_says(message);
    }
    folder.write("t.toml", SETTINGS.replace("rate = 1", "rate = 1\nin_turn = true"));
    folder
        .run("train t.toml --games 250")
        .assert_status(2)
        .assert_says("with `in_turn` must be a multiple of 100");
    folder.write("t.toml", SETTINGS.replace("rate = 1", "rate = 1\nin_turn = true").replace("700", "710"));
    folder.run("train t.toml").assert_status(2).assert_says("with `in_turn` must be a multiple of 100");
    for (method, message) in [
        ("td-lambda", "is \"td\" with `lambda`, as in `lambda = 0.5`"),
        ("tdd", "must be \"td\", \"tc\", \"otd\" or \"otd+tc\""),
    ] {
        folder.write("t.toml", SETTINGS.replace("\"tc\"", &format!("{method:?}")));
        folder.run("train t.toml").assert_status(2).assert_says(message);
    }
    folder.write("t.toml", SETTINGS.replace("\"tc\"", "\"otd\""));
    folder.run("train t.toml").assert_status(2).assert_says("needs a large `initial`");
    folder.write("t.toml", SETTINGS.replace("\"tc\"", "\"otd+tc\"\ninitial = 5"));
    folder.run("train t.toml").assert_status(2).assert_says("needs `tc_after`");
}

/// The built-in network is that of the committed training, after as many games.
#[test]
fn the_committed_network_is_that_of_its_file() {
    if lacks_command("network") {
        return;
    }
    let folder = Folder::new();
    folder.copy_from_repository("configs/train");
    let text = folder.read("configs/train/quick.toml");
    let experiment =
        gauntlet::config::parse(gauntlet::catalog(&gauntlet::GAMES), "quick.toml", &text).unwrap();
    let train = TrainSection::from_experiment(&experiment).expect("a training");
    let stdout = folder.run("network show configs/train/quick.network").assert_status(0).stdout;
    for line in [
        format!("training      {}", train.identity()),
        format!("learned from  {}", train.length),
        "command       gauntlet train configs/train/quick.toml".to_owned(),
    ] {
        assert!(stdout.contains(&line), "{line} in {stdout}");
    }
}

/// Before a training has written its network, a player that needs it explains how to make it.
#[test]
fn a_network_that_is_not_trained_yet_is_explained() {
    let folder = Folder::with_file("t.toml", SETTINGS);
    for line in ["check t.toml", "run t.toml"] {
        folder
            .run(line)
            .assert_status(2)
            .assert_says("help: `gauntlet train` creates it from the experiment t");
    }
    // The path of a damaged file is right.
    folder.write("results/t/train/network", "nothing");
    let output = folder.run("check t.toml").assert_status(2);
    assert!(!output.stderr.contains("help: the path is relative"), "{}", output.stderr);
    std::fs::remove_file(folder.path("results/t/train/network")).expect("a file");
    // A player without a network can be played alone.
    let other = "\n[[player]]\nname = \"any\"\nalgorithm = \"random\"\n\n[train]";
    folder.play("two.toml --only any", SETTINGS.replace("\n[train]", other));
    folder.run("train t.toml --games 30").assert_status(0);
    folder.run("check t.toml").assert_status(0);
    // The network counts as memory of players, but only if it plays.
    assert!(folder.files("results/t/train")["network"].len() > 512 << 10);
    folder.play("two.toml --memory 64MiB", folder.read("two.toml").replace("random", "greedy"));
    folder
        .run("run two.toml --games 6 --quiet --memory 512KiB")
        .assert_status(1)
        .assert_says("the files of players need ");
    folder.run("run two.toml --games 6 --only any --quiet --memory 512KiB").assert_status(0);
    folder.write("kept.toml", SETTINGS.replace("/train/network", "/train/network-30"));
    folder.run("check kept.toml").assert_status(2).assert_says("`gauntlet train` creates it");
    // The path of any other file may be wrong.
    folder.write("other.toml", SETTINGS.replace("/train/network", "/train/net"));
    folder
        .run("check other.toml")
        .assert_status(2)
        .assert_says("help: the path is relative to the file of the experiment");
}

/// Returns the scores of the same test games after each number of training games, from the
/// checkpoint.
fn scores_of_tests(folder: &Folder, checkpoint: &str) -> Vec<Vec<f64>> {
    let bytes = std::fs::read(folder.path(checkpoint)).expect("a checkpoint");
    let state =
        bytes.split(|&byte| byte == b'\n').find_map(|line| serde_json::from_slice::<Value>(line).ok());
    let state = state.expect("the state of the training");
    let numbers = |row: &Value| {
        let scores = row["scores"].as_array().expect("scores");
        scores.iter().map(|score| score.as_f64().expect("a number")).collect()
    };
    state["curve"].as_array().expect("a curve").iter().map(numbers).collect()
}

fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let covariance = |a: &[f64], b: &[f64]| {
        let (mean_a, mean_b) = (mean(a), mean(b));
        a.iter().zip(b).map(|(a, b)| (a - mean_a) * (b - mean_b)).sum::<f64>()
    };
    covariance(one, other) / (covariance(one, one) * covariance(other, other)).sqrt()
}

/// Measures for `docs/EVIDENCE.md` whether rows of one curve, which share their games, differ by
/// less than their intervals suggest.
#[test]
#[ignore = "measures: cargo bench --bench verdicts -- curves"]
fn rows_of_a_curve() {
    let folder = Folder::new();
    let settings =
        include_str!("../../../configs/train/quick.toml").replace("test_games = 300", "test_games = 1000");
    folder.write("quick.toml", settings);
    folder.run("train quick.toml -q").assert_status(0);
    let rows = scores_of_tests(&folder, "results/train-quick/train/checkpoint");
    let mut correlations = Vec::new();
    for (index, one) in rows.iter().enumerate() {
        for (other_index, other) in rows.iter().enumerate().skip(index + 1) {
            // Bounds after Fisher (1921).
            let (r, half_width) = (correlation(one, other), 1.96 / (one.len() as f64 - 3.0).sqrt());
            let [low, high] = [r.atanh() - half_width, r.atanh() + half_width].map(f64::tanh);
            println!(
                "rows {} and {}: correlation {r:.3} ({low:.3} to {high:.3})",
                index + 1,
                other_index + 1
            );
            correlations.push(r);
        }
    }
    assert_eq!(correlations.len(), 6, "pairs of four rows");
    println!("in the mean {:.3}", correlations.iter().sum::<f64>() / correlations.len() as f64);
}

/// `status` finds a training by its folder, its parent folder and its file: before its first
/// checkpoint, while it learns, after a kill, and at its end.
#[test]
fn status_shows_trainings() {
    let folder = Folder::new();
    let file = |games: u64| {
        format!(
            "name = 't'\ngame = '2048'\nseed = 7\ngames = 5\n[[player]]\nname = 'a'\nalgorithm = 'random'\n\
             [train]\npatterns = '0123 4567'\nmethod = 'tc'\nrate = 1\ngames = {games}\nseed = 3\ntest_games = 10\n"
        )
    };
    folder.write("t.toml", file(4_000_000_000));
    let assert_status_of_all = |message: &str| {
        for path in ["t.toml", "results", "results/t", "results/t/train"] {
            folder.run(&format!("status {path}")).assert_status(0).assert_says(message);
        }
    };
    let mut child = folder.start("train t.toml --every 0.05s --quiet");
    folder.wait_for_size("results/t/train/checkpoint", 100);
    assert_status_of_all("results/t/train: training run, running");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_status_of_all("results/t/train: training run, not complete");
    folder
        .run("status t.toml")
        .assert_status(0)
        .assert_says(" of 4,000,000,000 games")
        .assert_says("to resume: gauntlet train t.toml\n");
    folder
        .run("status results/t/train")
        .assert_status(0)
        .assert_says("to resume: the same `gauntlet train` command");
    // A time limit ends a training and saves its state.
    folder
        .run("train t.toml --for 0.01s")
        .assert_status(0)
        .assert_says("training run, not complete")
        .assert_says("train t.toml --for 0.01s");
    // After more games than in the file, another command resumes it.
    folder.write("t.toml", file(1));
    folder
        .run("status t.toml")
        .assert_status(0)
        .assert_says("training run, not complete")
        .assert_says("to resume: the same `gauntlet train` command");
    assert!(!folder.run("status t.toml").stdout.contains('%'));
    folder.write("t.toml", file(30));
    folder.run("train t.toml --replace --quiet").assert_status(0);
    assert_status_of_all("results/t/train: training run, ended");
    folder
        .run("status t.toml")
        .assert_status(0)
        .assert_says("of 30 games (100 %)")
        .assert_says("network: results/t/train/network");
    // The last game of a training of so many moves is completed.
    folder.write("t.toml", file(30).replace("rate = 1\ngames = 30", "rate = 1\nmoves = 5000"));
    folder.run("train t.toml --replace --quiet").assert_status(0);
    folder.run("status t.toml").assert_status(0).assert_says("of 5,000 moves (10");
    // Killed before its first checkpoint.
    std::fs::remove_file(folder.path("results/t/train/checkpoint")).unwrap();
    assert_status_of_all("training run, not complete, no checkpoint yet");
    folder.run("status absent").assert_status(2);
}

/// Every call learns something, however short its time, so repeating the command finishes.
#[test]
fn a_training_in_short_times_makes_the_same_network() {
    let folder = Folder::with_file(
        "t.toml",
        "name = 't'\ngame = '2048'\nseed = 7\ngames = 5\n[[player]]\nname = 'a'\nalgorithm = 'random'\n\
         [train]\npatterns = '0123 4567'\nmethod = 'tc'\nrate = 1\ngames = 12\nseed = 3\ntest_games = 10\n",
    );
    folder.run("train t.toml --quiet --results whole").assert_status(0);
    let call = |options: &str| {
        folder.run(&format!("train t.toml --quiet --for 0.001s {options}")).assert_status(0);
    };
    call("--results endless --games 4000000000");
    assert!(!folder.path("endless/t/train/network").exists());
    let is_finished = (0..40).any(|_| {
        call("");
        folder.path("results/t/train/network").exists()
    });
    assert!(is_finished);
    let [parts, whole] = ["results", "whole"]
        .map(|results| std::fs::read(folder.path(&format!("{results}/t/train/checkpoint"))).unwrap());
    assert!(parts == whole, "another training");
}
