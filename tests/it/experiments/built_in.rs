//! Built-in experiments: the first commands of a user need no file.

use crate::bench::Folder;

/// Names of the built-in experiments, and the files that they are made of.
const BUILT_IN: [(&str, &str); 2] = [
    ("quick", include_str!("../../../configs/quick.toml")),
    ("baselines", include_str!("../../../configs/baselines.toml")),
];

/// A name of a built-in experiment takes the place of its file, with the same games.
#[test]
fn a_built_in_experiment_is_played_in_an_empty_folder() {
    let folder = Folder::new();
    for (name, text) in BUILT_IN {
        folder.run(&format!("check {name}")).assert_status(0);
        folder.run(&format!("run {name} --games 20 --quiet")).assert_status(0);
        let built_in_games = folder.read(&format!("results/{name}+games=20/games.csv"));
        let file = format!("{name}.toml");
        folder.write(&file, text);
        folder.run(&format!("run {file} --games 20 --quiet --results again")).assert_status(0);
        assert!(folder.read(&format!("again/{name}+games=20/games.csv")) == built_in_games, "{name}");
    }
    let other = Folder::new();
    other.run("run quick --quiet").assert_status(0);
    for line in [
        "run quick --quiet",
        "judge quick",
        "status quick",
        "show quick --player random --best",
        "report results/quick",
        "merge quick",
        "players quick random",
    ] {
        other.run(line).assert_status(0);
    }
    let names: Vec<String> = std::fs::read_dir(other.path("."))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names, ["results"], "no other file is written");
}

/// A file of the user is preferred to a built-in experiment.
#[test]
fn a_file_has_precedence() {
    let folder = Folder::with_file("quick", BUILT_IN[0].1.replace("\"greedy\"", "\"corner\""));
    let message = folder.run("check quick").assert_status(2).stderr;
    assert!(message.contains("corner"), "{message}");
}

/// A path that is not just the name is no built-in experiment.
#[cfg(unix)]
#[test]
fn paths_are_no_names() {
    let folder = Folder::new();
    folder.run("check quick/").assert_status(2).assert_says("no such ");
    std::os::unix::fs::symlink("absent", folder.path("quick")).expect("a link");
    folder.run("check quick").assert_status(2).assert_says("no such ");
}

/// A folder with the name of a built-in experiment hides it, and the message says so.
#[test]
fn a_folder_that_hides_an_experiment_is_named() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("quick")).expect("a folder");
    for line in ["run quick", "check quick", "tune quick", "judge quick", "players ./quick"] {
        let stderr = folder.run(line).stderr;
        let is_named = stderr.contains("hides the built-in experiment `quick`");
        assert_eq!(is_named, !line.contains("./"), "{line}: {stderr}");
    }
}

/// A misspelt name is corrected, also in a folder with a file of another name.
#[test]
fn a_misspelt_name_is_corrected() {
    let folder = Folder::with_file("other.toml", BUILT_IN[0].1);
    for (line, name) in [
        ("run qiuck", "quick"),
        ("check baseline", "baselines"),
        ("status quik", "quick"),
        ("run quick.toml", "quick"),
        ("run configs/quick.toml", "quick"),
    ] {
        folder.run(line).assert_says(&format!("did you mean {name}?"));
    }
    folder.run("players qiuck").assert_status(2).assert_says("did you mean `quick`?");
    // A file is preferred.
    folder.write("quirk.toml", BUILT_IN[0].1);
    folder.run("run quirk.tml").assert_status(2).assert_says("did you mean quirk.toml?");
}

/// `init` writes a built-in experiment under a name of the user's choice.
#[test]
fn init_writes_a_built_in_experiment() {
    let folder = Folder::new();
    for (name, original) in BUILT_IN {
        folder.run(&format!("init --built-in {name} {name}.toml")).assert_status(0);
        let text = folder.read(&format!("{name}.toml"));
        assert_eq!(text, original.replace(&format!("configs/{name}.toml"), &format!("{name}.toml")));
    }
    folder.run("init --built-in quick mine.toml").assert_status(0);
    assert!(folder.read("mine.toml").contains("name = \"mine\""));
    folder.run("run mine.toml --games 10 --quiet").assert_status(0);
    folder.run("init --built-in absent").assert_status(2).assert_says("[possible values: quick, baselines]");
}
