//! A duel goes through the same stages as every experiment: file, plan, run, journal, tally,
//! results. The game is tic-tac-toe, which is unknown outside the tests.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gauntlet::arena::{Entry, ReplayRequest, build_worker};
use gauntlet::catalog;
use gauntlet::config::{self, Experiment};
use gauntlet::game::{Block, Game, Outcome, RandomPlay, Seat};
use gauntlet::plan::{LineUp, Shard};
use gauntlet::player::{BuildContext, Choice, NoMove, Player, Recipe, Start, Stop};
use gauntlet::record::Ending;
use gauntlet::results::store::write::{RunReport, write_results};
use gauntlet::rng::Seed;
use gauntlet::run::coverage::Coverage;
use gauntlet::run::journal::{Journal, SessionEntry};
use gauntlet::run::keyed_plan::KeyedPlan;
use gauntlet::run::machine;
use gauntlet::run::merge::merge;
use gauntlet::run::{RunEnd, RunOptions, run};

use crate::bench::Folder;
use crate::in_process::{parse_experiment, quiet_options, read_table};
use crate::self_play::blocks;
use crate::tictactoe::{Cell, GAMES, Rules, TicTacToe};

const BLOCKS: u64 = 120;

const FOUR: &str = r#"
name = "four"
game = "tic-tac-toe"
seed = 7
games = 240
player = [
    { name = "chance", algorithm = "random" },
    { name = "first", algorithm = "first" },
    { name = "quitter", algorithm = "quitter", after = 2 },
    { name = "twin of first", algorithm = "first" },
]
"#;

fn play(plan: &KeyedPlan, journal: &mut Journal, threads: usize, shard: Option<Shard>) -> RunEnd {
    let options = RunOptions { shard, ..quiet_options(threads) };
    run(plan, journal, &options, &Stop::default()).expect("a run")
}

fn write_tables(
    experiment: &Experiment,
    plan: &KeyedPlan,
    journal: &mut Journal,
    folder: &Path,
) -> RunReport {
    write_results(experiment, plan, journal, folder, "gauntlet run four.toml", 2).expect("results")
}

/// Plays one game in a plain loop: the winner, the number of moves, and the ending.
fn play_plain_game(names: [&str; 2], block: u64, leg: u64) -> (String, u32, String) {
    let mut game_rng = Seed::root(block).child("world", 0).rng();
    let mut position = TicTacToe::open(&Rules::default(), Block::from_seed(block), &mut game_rng);
    let mut player_rngs = [0, 1].map(|seat| Seed::root(block).child("seat", 2 * leg + seat).rng());
    let seats = [Seat::First, Seat::Second];
    while let Some(seat) = position.to_move() {
        let number = seats.iter().position(|&other| other == seat).expect("a seat");
        let mut free_cells = Vec::new();
        position.moves(&mut free_cells);
        let choice = match names[number] {
            "chance" => position.random_move(&mut player_rngs[number]),
            "quitter" if position.state().moves >= 2 => None,
            _ => free_cells.first().copied(),
        };
        let Some(cell) = choice else {
            return (["second", "first"][number].to_owned(), position.state().moves, "gave-up".to_owned());
        };
        position.play(Cell(cell.0), &mut game_rng).expect("a free cell");
    }
    let winner = match position.state().outcome {
        Outcome::Won(Seat::First) => "first",
        Outcome::Won(Seat::Second) => "second",
        _ => "none",
    };
    (winner.to_owned(), position.state().moves, "game-over".to_owned())
}

#[test]
fn a_duel_goes_from_a_file_to_tables() {
    let experiment = parse_experiment(GAMES, FOUR);
    let plan = experiment.plan();
    let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]].map(LineUp::Pair);
    assert_eq!(plan.lineups, pairs);
    assert_eq!(plan.games(), 6 * 2 * BLOCKS);
    assert_eq!(plan.title(3), "first against quitter");
    let folder = Folder::new();
    let results = folder.path("four");
    let mut journal = Journal::open(&results.join("journal.jsonl")).expect("a journal");
    let keyed_plan = KeyedPlan::new(plan, &[&journal]).expect("keys");
    let run_end = play(&keyed_plan, &mut journal, 2, None);
    // Two players have the same settings, so they share their games against a third one.
    assert_eq!(run_end.games_played, 5 * 2 * BLOCKS);
    let report = write_tables(&experiment, &keyed_plan, &mut journal, &results);
    assert_eq!((report.missing_blocks, report.failures.len()), (0, 0));

    // Every game equals the one of a plain loop.
    let games = read_table(&results, "games");
    assert_eq!(games.len() as u64, 6 * 2 * BLOCKS);
    let mut counts: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    for game in &games {
        let [first, second] = ["first", "second"].map(|seat| &*game[seat]);
        let canonical_name = |name: &str| if name == "twin of first" { "first" } else { name }.to_owned();
        let names = [canonical_name(first), canonical_name(second)];
        let number = |column: &str| game[column].parse::<u64>().expect("a number");
        let expected = play_plain_game([&names[0], &names[1]], number("seed"), number("leg"));
        assert_eq!(
            (game["winner"].clone(), number("moves") as u32, game["ending"].clone()),
            expected,
            "{game:?}"
        );
        let is_forfeit = game["ending"] == "gave-up";
        assert_eq!(!game["at_fault"].is_empty(), is_forfeit, "{game:?}");
        assert!(!is_forfeit || game["at_fault"] != game["winner"], "{game:?}");
        for (seat, name) in [("first", first), ("second", second)] {
            let index = if game["winner"] == seat { 0 } else { usize::from(game["winner"] != "none") + 1 };
            counts.entry(name).or_default()[index] += 1;
        }
    }
    // The opening of a block is the same in both legs and in every line-up, and seats are swapped.
    assert_eq!((&*games[0]["first"], &*games[0]["second"]), ("chance", "first"));
    assert_eq!((&*games[1]["first"], &*games[1]["second"]), ("first", "chance"));
    assert_eq!(games[0]["seed"], games[1]["seed"]);

    // Tables add up the games.
    let table = read_table(&results, "elo");
    assert_eq!(table.len(), 4);
    for row in &table {
        let [wins, draws, losses] = counts[&*row["player"]];
        let numbers =
            ["games", "wins", "draws", "losses"].map(|column| row[column].parse::<u64>().expect("a number"));
        assert_eq!(numbers, [wins + draws + losses, wins, draws, losses], "{row:?}");
        let points = (wins as f64 + draws as f64 / 2.0) / (wins + draws + losses) as f64;
        let [rate, low, high] = ["points_rate", "points_rate_low", "points_rate_high"]
            .map(|column| row[column].parse::<f64>().expect("a number"));
        assert!((rate - points).abs() < 1e-6 && low <= rate && rate <= high, "{row:?}");
    }
    let times = read_table(&results, "ms-per-move");
    assert!(times.iter().all(|row| row["moves"] != "0" && !row["mean_ms"].is_empty()), "{times:?}");
}

/// The games are equal on one thread, on many threads, in shards, and after an interruption.
#[test]
fn a_duel_depends_on_its_job_alone() {
    let experiment = parse_experiment(GAMES, FOUR);
    let folder = Folder::new();
    let write_games = |name: &str, fill: &dyn Fn(&KeyedPlan, &mut Journal, &Path)| {
        let results = folder.path(name);
        let mut journal = Journal::open(&results.join("journal.jsonl")).expect("a journal");
        let keyed_plan = KeyedPlan::new(experiment.plan(), &[&journal]).expect("keys");
        fill(&keyed_plan, &mut journal, &results);
        let report = write_tables(&experiment, &keyed_plan, &mut journal, &results);
        assert_eq!(report.missing_blocks, 0, "{name}");
        std::fs::read_to_string(results.join("games.csv")).expect("games")
    };
    let one = write_games("one", &|plan, journal, _| {
        play(plan, journal, 1, None);
    });
    let many = write_games("many", &|plan, journal, _| {
        play(plan, journal, 3, None);
    });
    let resumed = write_games("resumed", &|plan, journal, _| {
        play(&plan.limit_to_first(31), journal, 2, None);
        play(plan, journal, 2, None);
    });
    let sharded = write_games("sharded", &|plan, journal, results| {
        let shard: Shard = "1/3".parse().expect("a shard");
        let shards = shard.all_shards().map(|shard| {
            let mut shard_journal =
                Journal::open(&results.join(format!("journal-{}.jsonl", shard.file_part())))
                    .expect("a journal");
            play(plan, &mut shard_journal, 2, Some(shard));
            shard_journal
        });
        let shards: Vec<_> = shards.collect();
        let coverages = shards.iter().map(|shard| Coverage::from_journal(plan, shard).expect("a journal"));
        merge(plan, journal, &coverages.collect::<Vec<_>>()).expect("shards that fit");
    });
    assert_eq!(one, many);
    assert_eq!(one, resumed);
    assert_eq!(one, sharded);
}

/// A block is complete or missing: if a player's program breaks in one leg, both legs are reported
/// as broken.
#[test]
fn a_player_that_breaks_takes_its_block_along() {
    let text = FOUR.replace("algorithm = \"quitter\", after = 2", "algorithm = \"breaker\"");
    let experiment = parse_experiment(GAMES, &text);
    let folder = Folder::new();
    let results = folder.path("four");
    let mut journal = Journal::open(&results.join("journal.jsonl")).expect("a journal");
    let keyed_plan = KeyedPlan::new(experiment.plan(), &[&journal]).expect("keys");
    let run_end = play(&keyed_plan, &mut journal, 2, None);
    assert!((3..300).contains(&run_end.panics.len()), "{} blocks broke", run_end.panics.len());
    assert!(run_end.panics.iter().all(|failure| failure.message.starts_with("quitter: a defect")));
    // Each report names the leg in which the failure can be repeated.
    assert!(run_end.panics.iter().any(|failure| failure.leg == 1));
    for failure in &run_end.panics {
        let lineup: Vec<_> = keyed_plan.members(failure.lineup).map(|player| player.entry).collect();
        let job =
            ReplayRequest { block: Block::from_seed(failure.seed), leg: failure.leg, asks_values: false };
        let replayed = gauntlet::arena::replay(&lineup, None, job, &BuildContext::default(), &mut |_| {})
            .expect("a game");
        assert!(replayed.0.ending.is_panic(), "{failure:?}");
    }
    let report = write_tables(&experiment, &keyed_plan, &mut journal, &results);
    assert_eq!(report.missing_blocks, 0);
    assert_eq!(report.failures, run_end.panics);
    // A player is not blamed for failures of its opponent's program.
    assert!(report.warnings.iter().any(|warning| warning.contains("of first failed")));
    let games = read_table(&results, "games");
    assert_eq!(games.len() as u64, 6 * 2 * BLOCKS);
    let name = Ending::Panic(Seat::First).name();
    let broken_games = games.iter().filter(|game| game["ending"] == name).count();
    assert_eq!(broken_games, 2 * report.failures.len());
    let counted_games: u64 =
        read_table(&results, "elo").iter().map(|row| row["games"].parse::<u64>().expect("a number")).sum();
    assert_eq!(counted_games as usize, 2 * (games.len() - broken_games), "broken games are in no sum");
}

/// A signature in a journal is valid for this program and this game: `random` of another game plays
/// something else.
#[test]
fn a_signature_is_remembered_for_one_program_and_one_game() {
    let experiment = parse_experiment(GAMES, FOUR);
    let folder = Folder::new();
    let signature = |name: &str, binary: String, game: &str| {
        let mut journal = Journal::open(&folder.path(name)).expect("a journal");
        let signatures = BTreeMap::from([("random".to_owned(), Some("remembered".to_owned()))]);
        let session = SessionEntry { binary, game: game.to_owned(), signatures, ..SessionEntry::default() };
        journal.begin(session).expect("a session");
        let keyed_plan = KeyedPlan::new(experiment.plan(), &[&journal]).expect("keys");
        keyed_plan.signatures()["random"].clone().expect("chance has seeds")
    };
    assert_eq!(signature("own", machine::program_identity(), "tic-tac-toe"), "remembered");
    assert_ne!(signature("game", machine::program_identity(), "2048"), "remembered");
    assert_ne!(signature("older", machine::program_identity(), ""), "remembered");
    assert_ne!(signature("program", "another".to_owned(), "tic-tac-toe"), "remembered");
}

#[test]
fn a_duel_needs_two() {
    let (one_player, _) = FOUR.split_once("    { name = \"first\"").expect("several players");
    // A single player is enough for asking it for moves.
    assert_eq!(parse_experiment(GAMES, &format!("{one_player}]")).plan().games(), 0);
}

/// A player built from a file: the file is next to the experiment, is identified by its digest, and
/// must be valid.
#[test]
fn players_are_built_from_files() {
    let folder = Folder::new();
    let text = FOUR
        .replace("algorithm = \"quitter\", after = 2", "algorithm = \"book\", file = \"books/some.book\"");
    folder.write("four.toml", &text);
    let load = || config::load(catalog(GAMES), &folder.path("four.toml"));
    let location = "four.toml:9:52";
    let assert_mistake = |message: &str| {
        let mistakes = load().expect_err("a mistake").to_string();
        assert!(mistakes.contains(location) && mistakes.contains(message), "{mistakes}");
    };
    assert_mistake("cannot read books/some.book");
    std::fs::create_dir(folder.path("books")).expect("a folder");
    folder.write("books/some.book", "1234");
    assert_mistake("is no book");

    let mut keys = Vec::new();
    for (book, expected) in [("876543210", 8), ("012345678", 0), ("876543210", 8)] {
        folder.write("books/some.book", book);
        let experiment = load().unwrap_or_else(|error| panic!("{error}"));
        let plan = experiment.plan();
        let digest = blake3::hash(book.as_bytes()).to_hex().to_string();
        assert_eq!(plan.players[2].entry.files[0].digest, digest);
        // The player does what its file says.
        let lineup: Vec<_> = plan.members(3).map(|player| player.entry).collect();
        let context = plan.build_context(&Stop::default());
        let mut moves = Vec::new();
        let mut record_move = |step: &gauntlet::arena::ReplayStep| {
            moves.extend(step.mv.map(|mv| (mv.parse::<usize>().expect("a cell"), step.position.to_owned())));
        };
        // In the second leg the book moves first.
        gauntlet::arena::replay(
            &lineup,
            None,
            ReplayRequest { block: Block::from_seed(5), leg: 1, asks_values: false },
            &context,
            &mut record_move,
        )
        .expect("a game");
        let (first, position) = &moves[0];
        let order: Vec<usize> = book.bytes().map(|digit| usize::from(digit - b'0')).collect();
        let earlier_cells = order.iter().take_while(|&cell| cell != first);
        assert!(
            earlier_cells.into_iter().all(|&cell| &position[cell..=cell] != "."),
            "{position} after {first}"
        );
        assert_eq!(order[0], expected);
        // The content of the file is part of the key, and its digest is in the manifest.
        let results = folder.path("results");
        let mut journal = Journal::open(&results.join("journal.jsonl")).expect("a journal");
        let keyed_plan = KeyedPlan::new(plan, &[&journal]).expect("keys");
        keys.push(keyed_plan.key(3).to_owned());
        play(&keyed_plan, &mut journal, 2, None);
        write_tables(&experiment, &keyed_plan, &mut journal, &results);
        let manifest = std::fs::read_to_string(results.join("manifest.toml")).expect("a manifest");
        assert!(manifest.contains(&format!("\"books/some.book\" = \"{digest}\"")), "{manifest}");
    }
    assert_eq!(keys[0], keys[2]);
    assert_ne!(keys[0], keys[1]);
    // Another path to the same file gives the same player.
    folder.write("four.toml", text.replace("books/some.book", "./books/some.book"));
    let experiment = load().unwrap_or_else(|error| panic!("{error}"));
    let keyed_plan = KeyedPlan::new(experiment.plan(), &[]).expect("keys");
    assert_eq!(keyed_plan.key(3), keys[0]);
}

/// A player whose program breaks, and breaks again while it is rebuilt.
#[derive(Debug, Default)]
struct Fragile(AtomicBool);

impl Recipe<TicTacToe> for Fragile {
    fn build(&self, _context: &BuildContext) -> anyhow::Result<Box<dyn Player<TicTacToe>>> {
        assert!(!self.0.swap(true, Ordering::Relaxed), "a second defect");
        Ok(Box::new(BrokenPlayer))
    }
}

struct BrokenPlayer;

impl Player<TicTacToe> for BrokenPlayer {
    fn begin(&mut self, _start: &Start<TicTacToe>) {}

    fn choose(&mut self, _position: &TicTacToe) -> Result<Choice<Cell>, NoMove> {
        panic!("a defect")
    }
}

#[test]
fn a_player_that_cannot_be_built_anew_is_the_one_to_blame() {
    let working = GAMES[0].read_snippet("first", "algorithm = \"first\"");
    let fragile =
        Entry::new("fragile", serde_json::Value::Null, Arc::new(Fragile::default()), Rules::default());
    let mut worker = build_worker(&[&working, &fragile], None, &BuildContext::default()).expect("players");
    let slice = worker(&blocks([1, 2]));
    let seats_at_fault: Vec<_> = slice.records.iter().map(|record| record.ending.seat_at_fault()).collect();
    // It is second in the first leg of each block, and first in the other.
    assert_eq!(seats_at_fault, [Seat::Second, Seat::First, Seat::Second, Seat::First].map(Some));
    assert!(
        slice.complaints[0].1.reason.contains("a defect")
            && slice.complaints[1].1.reason.contains("a second defect")
    );
}
