//! Runs that are changed on the command line, and experiments from elsewhere than a file.

use std::fs;

use crate::bench::{CLASSICS, Folder};

fn folder() -> Folder {
    let folder = Folder::new();
    let claim = "\n[[claim]]\nbetter = \"gain\"\nthan = \"any\"\nby = \"score\"\n";
    folder.write("a.toml", CLASSICS.replace("60000", "50") + claim);
    folder
}

#[test]
fn a_changed_run_has_a_folder_that_stands_for_itself() {
    let folder = folder();
    let changes = "--games 20 --only gain --set gain:ties=last";
    let results = "results/classics+games=20+gain.ties=last+only=gain";
    let check = folder.run(&format!("check a.toml {changes}")).ends(0);
    check
        .saying("20 of 20 games to play")
        .saying("\"ties\":\"last\"")
        .saying("left out of classics+games=20");
    assert!(!folder.path("results").exists());
    folder
        .run(&format!("run a.toml {changes}"))
        .ends(0)
        .saying("20 games played")
        .saying("a [[claim]], about");
    assert!(!folder.path("results/classics").exists());
    let manifest: toml::Table = folder.read(&format!("{results}/manifest.toml")).parse().unwrap();
    let command = "gauntlet run a.toml --games 20 --set gain:ties=last --only gain";
    assert_eq!(manifest["command"].as_str(), Some(command));
    // Without the options, every command takes the folder.
    for line in ["report", "status", "judge", "merge", "check", "run"] {
        folder.run(&format!("{line} {results}")).ends(0);
    }
    folder.run(&format!("run {results}")).ends(0).saying("nothing was left to play").saying(results);
    folder.run(&format!("run a.toml {changes}")).ends(0).saying("nothing was left to play");
    // More games of a run that is called so go on with it.
    folder.run("run a.toml --games 10 --name mine --quiet").ends(0);
    folder.run("run a.toml --games 30 --name mine").ends(0).saying("60 games played");
    assert_eq!(folder.read("results/mine/games.csv").lines().count(), 91);
    assert!(folder.read("results/mine/experiment.toml").contains("[[claim]]"));
}

#[test]
fn an_experiment_may_come_from_standard_input() {
    let folder = folder();
    let text = folder.read("a.toml");
    folder.run_with("check -", &text).ends(0).saying("150 of 150 games to play");
    folder.run_with("run - --games 10 --quiet", &text).ends(0);
    folder.run("run results/classics+games=10/experiment.toml").ends(0).saying("nothing was left to play");
    folder.run_with("check -", "name = 3").ends(2).saying("standard input:1:8");
}

#[test]
fn an_experiment_to_begin_with_is_sound() {
    let folder = Folder::new();
    folder.run("init").ends(0).saying("gauntlet run experiment.toml");
    folder
        .run("check experiment.toml")
        .ends(0)
        .saying("claim: by score, greedy ties=first is better than random");
    folder.write("experiment.toml", "mine");
    folder.run("init").ends(2).saying("is there already");
    assert_eq!(folder.read("experiment.toml"), "mine");
    let printed = folder.run("init -").ends(0).out;
    folder.run_with("check -", &printed).ends(0);
}

#[test]
fn every_command_has_a_man_page() {
    let folder = Folder::new();
    folder.run("man").ends(0).saying(".TH gauntlet 1");
    folder.run("man pages").ends(0);
    for command in ["gauntlet", "gauntlet-run", "gauntlet-init", "gauntlet-man"] {
        assert!(folder.read(&format!("pages/{command}.1")).contains(".SH NAME"), "{command}");
    }
    let help = folder.run("--help").ends(0).out;
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.map_while(|line| line.split_whitespace().next()).filter(|&name| name != "help");
    assert_eq!(fs::read_dir(folder.path("pages")).unwrap().count(), commands.count() + 1);
}
