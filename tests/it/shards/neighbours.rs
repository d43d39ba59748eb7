//! Processes that work in one folder of results at the same time.

use std::fs;
use std::process::Child;
use std::thread;

use gauntlet::GAMES;
use gauntlet::disk::system_disk;
use gauntlet::results::store::folder::copy_experiment;
use gauntlet::results::store::read::{Results, table};

use crate::bench::{Folder, ProgramOutput};
use crate::in_process::parse_experiment;

const RESULTS: &str = "results/small";

const EXPERIMENT: &str = "name = \"small\"\ngame = \"2048\"\nseed = 3\ngames = 16\nwin = 64\n\n\
    [[player]]\nname = \"any\"\nalgorithm = \"random\"\n\n[[player]]\nname = \"gain\"\nalgorithm = \"greedy\"\n\n";

fn claim(measure: &str) -> String {
    format!("{EXPERIMENT}[[claim]]\nbetter = \"gain\"\nthan = \"any\"\nby = \"{measure}\"\n")
}

#[track_caller]
fn assert_success(children: Vec<Child>) {
    for child in children {
        ProgramOutput::new("beside others", &child.wait_with_output().unwrap()).assert_status(0);
    }
}

/// All of them first write a copy of the experiment.
#[test]
fn shards_that_start_together_all_play() {
    let experiment = parse_experiment(&GAMES, EXPERIMENT);
    for _ in 0..40 {
        let folder = Folder::new();
        let copy_to_folder =
            || copy_experiment(&system_disk(), &experiment, &folder.path(".")).map_err(|e| format!("{e:#}"));
        thread::scope(|scope| {
            let shards: Vec<_> = (0..8).map(|_| scope.spawn(copy_to_folder)).collect();
            shards.into_iter().for_each(|shard| assert_eq!(shard.join().unwrap(), Ok(())));
        });
        assert_eq!(folder.read("experiment.toml"), EXPERIMENT);
    }
    let folder = Folder::with_file("small.toml", EXPERIMENT);
    let shard = |k| folder.start(&format!("run small.toml --shard {k}/8 --quiet -j1"));
    assert_success((1..=8).map(shard).collect());
    folder.run("merge small.toml").assert_status(0);
    folder.run("status results/small").assert_status(0).assert_says("tables complete");
}

/// A shard of an edited experiment does not disturb a run of the earlier one.
#[test]
fn a_shard_may_start_while_tables_are_written() {
    let folder = Folder::with_file("small.toml", EXPERIMENT);
    let edited_experiments = ["win", "score"].map(|measure| parse_experiment(&GAMES, &claim(measure)));
    let mut run = folder.start("run small.toml --quiet -j1");
    folder.wait_for_size(&format!("{RESULTS}/journal.jsonl"), 1);
    while run.try_wait().unwrap().is_none() {
        for experiment in &edited_experiments {
            copy_experiment(&system_disk(), experiment, &folder.path(RESULTS)).unwrap();
        }
    }
    assert_success(vec![run]);
    folder.run("status small.toml").assert_status(0).assert_says("tables complete");
}

#[test]
fn judges_beside_each_other_leave_a_whole_folder() {
    let folder = Folder::with_file("small.toml", EXPERIMENT);
    folder.write("win.toml", claim("win"));
    folder.write("score.toml", claim("score"));
    folder.run("run small.toml --quiet").assert_status(0);
    for round in 0..16 {
        // With a journal, and then without, as in a committed folder.
        if round == 4 {
            fs::remove_file(folder.path(&format!("{RESULTS}/journal.jsonl"))).unwrap();
        }
        assert_success(["win", "score"].map(|measure| folder.start(&format!("judge {measure}.toml"))).into());
        folder.run("status results/small").assert_status(0).assert_says("tables complete");
    }
}

/// Files that a reader has opened do not change, even if others replace them.
#[test]
fn readers_beside_a_writer_see_what_belongs_together() {
    let folder = Folder::with_file("win.toml", claim("win"));
    folder.write("score.toml", claim("score"));
    folder.run("run win.toml --quiet").assert_status(0);
    let path = folder.path(RESULTS);
    let open_results = Results::read(gauntlet::catalog(&gauntlet::GAMES), &path).unwrap();
    let claims_csv = |results: &Results| {
        let claims = table(&results.snapshot, "claims").unwrap();
        claims.to_csv()
    };
    let old_claims = claims_csv(&open_results);
    let mut read_count = 0;
    for _ in 0..12 {
        let mut judges: Vec<Child> =
            ["score", "win"].map(|measure| folder.start(&format!("judge {measure}.toml"))).into();
        while judges.iter_mut().any(|judge| judge.try_wait().unwrap().is_none()) {
            let results = Results::read(gauntlet::catalog(&gauntlet::GAMES), &path)
                .unwrap_or_else(|error| panic!("{error:#}"));
            let claims_text = String::from_utf8(claims_csv(&results)).unwrap();
            let claim = &results.experiment.sections().claims[0];
            assert!(
                claims_text.contains(&format!(",{},", claim.measure)),
                "{}: {claims_text}",
                claim.measure
            );
            read_count += 1;
        }
        assert_success(judges);
    }
    assert!(read_count > 12);
    folder.run("judge score.toml").assert_status(0);
    assert!(
        claims_csv(&open_results) == old_claims
            && claims_csv(&Results::read(gauntlet::catalog(&gauntlet::GAMES), &path).unwrap()) != old_claims
    );
}
