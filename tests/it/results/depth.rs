//! Depth of searches: counted for every move, stored in the journal, averaged in the table of
//! times, and not in records.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use gauntlet::GAMES;
use gauntlet::arena::{self, Entry};
use gauntlet::compare::claims::ClaimSamples;
use gauntlet::game::Game;
use gauntlet::plan::{Plan, PlannedPlayer};
use gauntlet::player::{BuildContext, Choice, NoMove, Player, Recipe, Start, Stop};
use gauntlet::record::ClockReadings;
use gauntlet::results::tables;
use gauntlet::run::blocks::BlockSeeds;
use gauntlet::run::coverage::Coverage;
use gauntlet::run::journal::{self, GamesEntry};
use gauntlet::run::run;
use gauntlet::table::{Cell, Table};
use gauntlet::tally;
use gauntlet::tally::meeting::Meetings;
use gauntlet::twenty48::rules::{Direction, Rules, Twenty48};

use crate::bench::Folder;
use crate::in_process::{key_by_name, open_journal, quiet_options};

/// Plays the first legal direction and reports a search depth, or none.
#[derive(Clone, Copy, Debug)]
struct DepthReporter(Depth);

/// The depth reported before a move of this number.
type Depth = fn(u32) -> Option<u32>;

impl Recipe<Twenty48> for DepthReporter {
    fn build(&self, _context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        Ok(Box::new(*self))
    }
}

impl Player<Twenty48> for DepthReporter {
    fn begin(&mut self, _start: &Start<Twenty48>) {}

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        let legal_move =
            position.board().legal_directions().next().expect("only asked where there is a move");
        let depth = self.0(position.state().moves);
        Ok(Choice { depth, nodes: depth.map_or(0, u64::from), ..Choice::new(legal_move) })
    }
}

fn cell<'a>(table: &'a Table, row: usize, column: &str) -> &'a Cell {
    &table.rows[row][table.column_index(column)]
}

#[test]
fn the_table_of_times_says_how_deep_players_searched() {
    let depths: [(&str, Depth); 3] = [
        ("sometimes", |moves| (moves % 7 != 3).then_some(3 + moves % 5)),
        ("never", |_| None),
        ("not at all deep", |_| Some(0)),
    ];
    let build_entry = |&(name, depth): &(&str, Depth)| {
        Entry::new::<Twenty48>("says", name.into(), Arc::new(DepthReporter(depth)), Rules::default())
    };
    let arena_entries = depths.each_ref().map(build_entry);
    let blocks = BlockSeeds::Derived { seed: 5, games: 40 };
    let players = depths.iter().zip(&arena_entries);
    let players = players.map(|(&(name, _), entry)| PlannedPlayer { name, entry });
    let plan = Plan::new(&GAMES[0], players.collect(), Cow::Borrowed(&blocks));
    let plan = key_by_name(plan);

    let folder = Folder::new();
    let mut journal = open_journal(&folder.path("journal.jsonl"));
    let options = quiet_options(2);
    run(&plan, &mut journal, &options, &Stop::default()).unwrap();
    let coverage = Coverage::from_journal(&plan, &journal).unwrap();
    let mut nodes: BTreeMap<String, u64> = BTreeMap::new();
    for (index, line) in journal.lines().iter().enumerate() {
        *nodes.entry(line.key.to_string()).or_default() +=
            journal.read(index).unwrap().nodes.iter().sum::<u64>();
    }
    let mut games = Vec::new();
    let tallies =
        tally::tally(&plan, &coverage, &[], &mut games, &mut ClaimSamples::new(&plan, &[])).unwrap();
    assert!(!String::from_utf8(games).unwrap().contains("depth"), "a depth may depend on the clock");
    let tables = tables::tables(&plan, &tallies, &Meetings::default(), journal.sessions());
    let times = tables.iter().find(|table| table.name == "ms-per-move").expect("a table of times");

    for (row, (entry, (name, depth))) in arena_entries.iter().zip(depths).enumerate() {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for block in 0..40 {
            let mut count_depth = |step: &gauntlet::arena::ReplayStep| {
                assert_eq!(step.depth, step.moves.checked_sub(1).and_then(depth));
                if let Some(depth) = step.depth {
                    *counts.entry(depth).or_default() += 1;
                }
            };
            let job = arena::ReplayRequest { block: blocks.block(block), leg: 0, asks_values: false };
            arena::replay(&[entry], None, job, &BuildContext::default(), &mut count_depth).unwrap();
        }
        assert_eq!(tallies[row].depths, counts, "{name}");
        let depth_cell =
            |depth: Option<&u32>| depth.map_or(Cell::Nothing, |&depth| Cell::Whole(depth.into()));
        assert_eq!(*cell(times, row, "depth_min"), depth_cell(counts.keys().min()), "{name}");
        assert_eq!(*cell(times, row, "depth_max"), depth_cell(counts.keys().max()), "{name}");
        let moves: u64 = counts.values().sum();
        let plies: u64 = counts.iter().map(|(&depth, moves)| u64::from(depth) * moves).sum();
        assert_eq!(nodes[name], plies, "{name} looks at as many positions as it says plies");
        let mean = Cell::from_real((moves > 0).then(|| plies as f64 / moves as f64), 3);
        assert_eq!(*cell(times, row, "depth_mean"), mean, "{name}");
    }
    assert_eq!(*cell(times, 1, "depth_mean"), Cell::Nothing);
    assert_eq!(*cell(times, 2, "depth_mean"), Cell::Real(0.0, 3));
}

/// A player that reports no depths has none in its line of times.
#[test]
fn a_line_without_depths_is_read() {
    let line =
        r#"{"moves":3,"wall_ns":9,"cpu_ns":8,"thinking_ns":7,"thoughts":3,"max_ns":4,"histogram":[[2,3]]}"#;
    let times: ClockReadings = serde_json::from_str(line).unwrap();
    assert_eq!(times.depths, []);
    assert_eq!(serde_json::to_string(&times).unwrap(), line);

    let mut games = GamesEntry::new("a", &[], 1);
    games.first = Some(0);
    games.times = ClockReadings { depths: vec![(2, 5), (4, 1)], ..times };
    let folder = Folder::new();
    let mut journal = open_journal(&folder.path("journal.jsonl"));
    journal.append_games(games.to_line()).unwrap();
    let line = journal.read_raw(0).unwrap();
    assert_eq!(journal::parse(&line).unwrap().times.depths, [(2, 5), (4, 1)]);
}

/// One external player that is limited by time, and one that is not.
#[test]
fn depths_are_shown() {
    let folder = Folder::new();
    let experiment = r#"
name = "timed"
game = "2048"
seed = 3
games = 2
max_moves = 20
player = [
    { name = "by-time", algorithm = "ovolve", millis = 1 },
    { name = "by-depth", algorithm = "ovolve", depth = 1 },
    { name = "at-once", algorithm = "greedy" },
]
"#;
    folder.play("timed.toml", experiment);
    let manifest: toml::Table = folder.read("results/timed/manifest.toml").parse().unwrap();
    assert_eq!(manifest["reproducible"].as_bool(), Some(false));
    let times = folder.read("results/timed/ms-per-move.csv");
    let mut reader = csv::Reader::from_reader(times.as_bytes());
    let column_names = reader.headers().unwrap().clone();
    let depth = |row: &csv::StringRecord, column: &str| {
        let index = column_names.iter().position(|name| name == column).expect("a column of this name");
        row[index].parse::<f64>().ok()
    };
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    let [minimum, mean, maximum] =
        ["depth_min", "depth_mean", "depth_max"].map(|column| depth(&rows[0], column).expect("a depth"));
    assert!(
        minimum <= mean && mean <= maximum && maximum >= 2.0,
        "{minimum}, {mean}, {maximum} in a millisecond"
    );
    for (row, expected) in [(&rows[1], Some(1.0)), (&rows[2], None)] {
        for column in ["depth_min", "depth_mean", "depth_max"] {
            assert_eq!(depth(row, column), expected, "{column}");
        }
    }
    folder.run("show timed.toml --player by-depth").assert_status(0).assert_says(" at depth 1, ");
    assert!(!folder.run("show timed.toml --player at-once").assert_status(0).stdout.contains("depth"));

    let question = r#"{"board": [8,2,0,2, 64,8,4,4, 128,16,8,4, 256,64,32,32]}"#;
    let output = folder.run_with("probe --experiment timed.toml", question).assert_status(0);
    let answer: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let mut report = answer["players"]["by-depth"].clone();
    let values =
        report.as_object_mut().expect("an answer").remove("values").expect("what each move is worth");
    assert_eq!(values["left"], report["value"]);
    let by_depth = serde_json::json!({
        "move": "left", "value": 7.942994775023704, "nodes": 26, "depth": 1, "positions": 26, "cutoffs": 0
    });
    assert_eq!(report, by_depth);
    assert!(answer["players"]["by-time"]["depth"].is_u64(), "{answer}");
    assert_eq!(answer["players"]["at-once"]["depth"], serde_json::Value::Null);
}
