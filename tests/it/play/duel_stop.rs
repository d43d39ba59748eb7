//! Duels that end when an Elo test is decided, with tic-tac-toe.

use std::path::Path;

use gauntlet::catalog;
use gauntlet::config::Experiment;
use gauntlet::measure::Measure;
use gauntlet::plan::Shard;
use gauntlet::player::Stop;
use gauntlet::results::analysis::contestants::read_contestants;
use gauntlet::results::analysis::judge::judge;
use gauntlet::results::analysis::pairwise::compare_all;
use gauntlet::results::store::read::Results;
use gauntlet::results::store::write::{RunReport, write_results};
use gauntlet::run::coverage::Coverage;
use gauntlet::run::early_stop::EarlyStop;
use gauntlet::run::journal::Journal;
use gauntlet::run::keyed_plan::KeyedPlan;
use gauntlet::run::merge::merge;
use gauntlet::run::{RunOptions, run};
use gauntlet::stats::Hypothesis;

use crate::bench::Folder;
use crate::in_process::{parse_experiment, quiet_options, read_table};
use crate::tictactoe::GAMES;

/// The two players of the `[stop]` are in the opposite order in the file, and there is a third
/// player.
const THREE: &str = r#"
name = "stopped"
game = "tic-tac-toe"
seed = 7
games = 8000
player = [
    { name = "chance", algorithm = "random" },
    { name = "first", algorithm = "first" },
    { name = "book", algorithm = "breaker" },
]

[stop]
better = "first"
than = "chance"
"#;

fn play(plan: &KeyedPlan, journal: &mut Journal, threads: usize, shard: Option<Shard>) {
    let options = RunOptions { shard, ..quiet_options(threads) };
    run(plan, journal, &options, &Stop::default()).expect("a run");
}

/// Plays in some way and returns the tables that depend only on games, and the report.
fn play_and_write(
    experiment: &Experiment,
    results: &Path,
    fill: impl FnOnce(&KeyedPlan, &mut Journal, &Path),
) -> ([String; 2], RunReport) {
    let mut journal = Journal::open(&results.join("journal.jsonl")).expect("a journal");
    let keyed_plan = KeyedPlan::new(experiment.plan(), &[&journal]).expect("keys");
    fill(&keyed_plan, &mut journal, results);
    let report =
        write_results(experiment, &keyed_plan, &mut journal, results, "gauntlet run stopped.toml", 2)
            .expect("results");
    assert_eq!(report.missing_blocks, 0);
    (["games.csv", "stop.csv"].map(|file| std::fs::read_to_string(results.join(file)).expect(file)), report)
}

/// Computes from the games after which block the test ends, and the pairs up to there.
fn expected_stop(experiment: &Experiment, results: &Path) -> (u64, [u64; 5], Option<Hypothesis>) {
    let Some(EarlyStop::Comparison(stop)) = &experiment.sections().stop else { panic!("another stop") };
    let test = stop.test.elo_test().expect("a test in Elo");
    let games = read_table(results, "games");
    let games: Vec<_> =
        games.iter().filter(|game| game["first"] != "book" && game["second"] != "book").collect();
    let (mut pairs, mut decision) = ([0; 5], None);
    let mut blocks = 0;
    for pair in games.chunks(2) {
        assert_eq!(pair[0]["seed"], pair[1]["seed"]);
        assert_eq!(decision, None, "the run goes on behind its end");
        let half_points = pair.iter().map(|game| match &*game["winner"] {
            "none" => 1,
            seat => 2 * usize::from(game[seat] == "first"),
        });
        pairs[half_points.sum::<usize>()] += 1;
        blocks += 1;
        decision = test.decide(pairs);
    }
    (blocks, pairs, decision)
}

#[test]
fn a_duel_ends_where_it_ends() {
    let folder = Folder::new();
    for (number, (elo, verdict)) in [
        ("elo = [0, 40]", "better"),
        ("elo = [120, 180]\nmodel = \"normalised\"", "not better"),
        ("elo = [-0.02, 0.02]", "inconclusive"),
    ]
    .into_iter()
    .enumerate()
    {
        let games = if verdict == "inconclusive" { "games = 120" } else { "games = 8000" };
        let experiment = parse_experiment(GAMES, &format!("{THREE}{elo}\n").replace("games = 8000", games));
        let results_path = |name: &str| folder.path(&format!("{name}-{number}"));
        let (one, report) = play_and_write(&experiment, &results_path("one"), |plan, journal, _| {
            play(plan, journal, 1, None)
        });
        let row = read_table(&results_path("one"), "stop").remove(0);
        let (blocks, pairs, decision) = expected_stop(&experiment, &results_path("one"));
        assert_eq!(row["verdict"], verdict, "{row:?}");
        assert_eq!(decision.is_none(), verdict == "inconclusive");
        assert_eq!(
            (row["player"].as_str(), row["than"].as_str(), row["by"].as_str()),
            ("first", "chance", "points")
        );
        assert_eq!(row["blocks"], blocks.to_string());
        assert!(blocks < 4000 && (blocks == 60) == decision.is_none(), "{blocks} blocks");
        let counts = ["behind", "even", "ahead"].map(|column| row[column].parse::<u64>().expect("a count"));
        assert_eq!(counts, [pairs[0] + pairs[1], pairs[2], pairs[3] + pairs[4]]);
        let by_points = ["pairs_0", "pairs_0_5", "pairs_1", "pairs_1_5", "pairs_2"];
        assert_eq!(by_points.map(|column| row[column].parse::<u64>().expect("a count")), pairs);
        // All line-ups have played the same blocks, and the answer is in the report.
        assert_eq!(read_table(&results_path("one"), "games").len() as u64, 6 * blocks);
        let [value, low, high] = ["estimate", "estimate_low", "estimate_high"]
            .map(|column| row[column].parse::<f64>().expect("a number"));
        assert!(low < value && value < high, "{row:?}");
        assert!(report.tables.iter().any(|table| table.name == "stop"));
        assert!(
            row["explanation"].contains("[stop]") && row["explanation"].contains("corrected for stopping"),
            "{row:?}"
        );

        let (many, _) = play_and_write(&experiment, &results_path("many"), |plan, journal, _| {
            play(plan, journal, 3, None)
        });
        assert_eq!(one, many);
        let (resumed, _) = play_and_write(&experiment, &results_path("resumed"), |plan, journal, _| {
            play(&plan.limit_to_first(blocks / 2), journal, 2, None);
            play(plan, journal, 2, None);
        });
        assert_eq!(one, resumed);
        let (sharded, _) = play_and_write(&experiment, &results_path("sharded"), |plan, journal, results| {
            let shard: Shard = "1/3".parse().expect("a shard");
            let shards = shard.all_shards().map(|shard| {
                let mut shard_journal =
                    Journal::open(&results.join(format!("journal-{}.jsonl", shard.file_part())))
                        .expect("a journal");
                play(&plan.limit_to_first(2 * blocks), &mut shard_journal, 2, Some(shard));
                shard_journal
            });
            let shards: Vec<_> = shards.collect();
            let plan = plan.limit_to_first(2 * blocks);
            let coverages =
                shards.iter().map(|shard| Coverage::from_journal(&plan, shard).expect("a journal"));
            merge(&plan, journal, &coverages.collect::<Vec<_>>()).expect("shards that fit");
        });
        assert_eq!(one, sharded);
        // `judge` gives the same answer from the games.
        judge(&experiment, &results_path("one"), "gauntlet judge stopped.toml").expect("verdicts");
        assert_eq!(std::fs::read_to_string(results_path("one").join("stop.csv")).expect("a table"), one[1]);
    }
}

/// A block in which a program broke counts for no player, and delays nothing.
#[test]
fn a_broken_block_is_passed_over() {
    let folder = Folder::new();
    let text =
        THREE.replace("better = \"first\"", "better = \"book\"").replace("games = 8000", "games = 200");
    let experiment = parse_experiment(GAMES, &format!("{text}elo = [-0.02, 0.02]\n"));
    let (_, report) =
        play_and_write(&experiment, &folder.path("broken"), |plan, journal, _| play(plan, journal, 2, None));
    let row = read_table(&folder.path("broken"), "stop").remove(0);
    let counted_blocks: u64 =
        ["behind", "even", "ahead"].iter().map(|column| row[*column].parse::<u64>().expect("a count")).sum();
    let broken_blocks = report.failures.iter().filter(|broken| broken.lineup == 1).count() as u64;
    assert_eq!(row["blocks"], "100");
    assert!(
        (1..50).contains(&(100 - counted_blocks)),
        "{counted_blocks} of 100 count, {broken_blocks} broke"
    );
}

/// A claim about the question of `[stop]` has its answer; other claims use tests that are valid at
/// every look. `judge` and `compare` give the same answers.
#[test]
fn claims_beside_a_stop_have_its_answer() {
    let folder = Folder::new();
    let claim = |player: &str, opponent: &str, settings: &str| {
        format!("\n[[claim]]\nbetter = \"{player}\"\nthan = \"{opponent}\"\n{settings}")
    };
    let text = [
        THREE.to_owned() + "elo = [0, 40]\n",
        claim("first", "chance", ""),
        claim("chance", "first", ""),
        claim("first", "chance", "margin = 0.1\n"),
        claim("first", "book", ""),
    ];
    let experiment = parse_experiment(GAMES, &text.concat());
    let results = folder.path("claims");
    play_and_write(&experiment, &results, |plan, journal, _| play(plan, journal, 2, None));
    let claims = read_table(&results, "claims");
    let stop = read_table(&results, "stop").remove(0);
    let values_of = |column: &str| claims.iter().map(|claim| claim[column].clone()).collect::<Vec<_>>();
    assert_eq!(values_of("verdict")[..2], ["confirmed", "refuted"]);
    assert_eq!(values_of("level"), ["0.9", "0.9", "0.95", "0.95"]);
    for (claim, is_of_stop) in claims.iter().zip([true, true, false, false]) {
        assert_eq!(
            claim["explanation"].contains("[stop] decided that first is better"),
            is_of_stop,
            "{claim:?}"
        );
        assert_eq!(claim["p"].is_empty(), is_of_stop, "{claim:?}");
        assert_eq!(claim["answer"].contains("(anytime"), !is_of_stop, "{claim:?}");
    }
    assert!(claims[2]["answer"].contains("[stop] ended the run on another question"), "{:?}", claims[2]);
    let answer = &*stop["answer"];
    assert_eq!(claims[0]["answer"], answer, "{:?}", claims[0]);
    judge(&experiment, &results, "gauntlet judge stopped.toml").expect("verdicts");
    assert_eq!(read_table(&results, "claims"), claims);
    let result_sets = [Results::read(catalog(GAMES), &results).expect("results")];
    let players = read_contestants(&result_sets, &[Measure::Points]).expect("players");
    let comparisons = compare_all(&players);
    assert_eq!(comparisons[0].explanation(), stop["explanation"]);
    assert!(comparisons[1].answer().contains("(anytime"), "{}", comparisons[1].answer());
}
