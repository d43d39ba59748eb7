//! A time limit for a game: games that exceed it are ordinary records, and are reported wherever
//! games are.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gauntlet::arena::{Entry, build_worker};
use gauntlet::config::parse;
use gauntlet::num::Seconds;
use gauntlet::plan::{Plan, PlannedPlayer};
use gauntlet::player::{BuildContext, Choice, NoMove, Player, Recipe, Start, Stop};
use gauntlet::players::random;
use gauntlet::record::{Ending, GameRecord, TimeSource};
use gauntlet::run::blocks::BlockSeeds;
use gauntlet::twenty48::rules::{Direction, Rules, Twenty48};
use gauntlet::{GAMES, catalog};

use crate::bench::{Folder, read_rows};
use crate::self_play::blocks;

/// Plays the first legal direction. In every other game it is slow from the 20th move on.
#[derive(Clone, Copy, Debug)]
struct Slow {
    /// True if it checks the stop request while it thinks.
    checks_stop: bool,
}

struct SlowPlayer {
    checks_stop: bool,
    stop: Stop,
    is_slow: bool,
    moves: u32,
}

impl Recipe<Twenty48> for Slow {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let stop = context.stop.clone();
        Ok(Box::new(SlowPlayer { checks_stop: self.checks_stop, stop, is_slow: false, moves: 0 }))
    }
}

impl Player<Twenty48> for SlowPlayer {
    fn begin(&mut self, start: &Start<Twenty48>) {
        self.is_slow = start.seed.rng().below(2) == 0;
        self.moves = 0;
    }

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        self.moves += 1;
        if self.is_slow && self.moves >= 20 {
            if self.checks_stop {
                let start = Instant::now();
                while !self.stop.is_requested() {
                    assert!(start.elapsed() < Duration::from_secs(60), "it is not asked to stop");
                    std::thread::sleep(Duration::from_millis(1));
                }
            } else {
                std::thread::sleep(Duration::from_millis(400));
            }
            self.stop.check()?;
        }
        let mut directions = Direction::ALL.into_iter();
        Ok(Choice::new(directions.find(|&direction| position.board().slide(direction).is_some()).unwrap()))
    }
}

fn limited_context(seconds: f64) -> BuildContext {
    BuildContext { max_seconds: Some(Seconds::try_from(seconds).unwrap()), ..BuildContext::default() }
}

#[test]
fn a_game_that_takes_too_long_is_cut_and_counted_and_the_others_are_not() {
    let seeds: Vec<u64> = (0..12).collect();
    for checks_stop in [true, false] {
        let slow = Entry::new::<Twenty48>(
            "slow",
            checks_stop.into(),
            Arc::new(Slow { checks_stop }),
            Rules::default(),
        );
        let slice =
            build_worker(&[&slow], None, &limited_context(0.3)).unwrap()(&blocks(seeds.iter().copied()));
        assert_eq!((slice.records.len(), &slice.complaints[..]), (12, &[][..]));
        let (cut_games, finished_games): (Vec<&GameRecord>, Vec<&GameRecord>) =
            slice.records.iter().partition(|record| record.ending == Ending::MaxSeconds);
        assert!((2..=10).contains(&cut_games.len()), "{} of 12 games were cut", cut_games.len());
        // The current move is not made if the player was stopped during it.
        let moves = if checks_stop { 19..=19 } else { 19..=20 };
        assert!(cut_games.iter().all(|record| moves.contains(&record.moves)), "{cut_games:?}");
        assert!(
            cut_games.iter().all(|record| record.score() > 0 && record.facts[0] > 2),
            "count with their score at that time"
        );
        assert!(finished_games.iter().all(|record| record.ending == Ending::GameOver && record.moves > 19));
    }
}

/// Games that could be interleaved are played one by one.
#[test]
fn a_player_of_games_at_once_keeps_to_the_limit() {
    let random = GAMES[0].read_snippet("random", random::EXAMPLE);
    let seeds: Vec<u64> = (0..20_000).collect();
    let slice = build_worker(&[&random], None, &limited_context(0.001)).unwrap()(&blocks(
        seeds[..2000].iter().copied(),
    ));
    assert!(slice.times[0].timed == TimeSource::Thoughts, "the clock is looked at between moves");
    let finished_games = slice.records.iter().filter(|record| record.ending == Ending::GameOver);
    let unlimited = build_worker(&[&random], None, &BuildContext::default()).unwrap()(&blocks(
        seeds[..2000].iter().copied(),
    ));
    assert_eq!(unlimited.times[0].timed, TimeSource::Games);
    assert!(finished_games.count() > 1000 || cfg!(debug_assertions));
    for (one, other) in slice.records.iter().zip(&unlimited.records) {
        assert!(
            one == other || one.ending == Ending::MaxSeconds && one.moves <= other.moves,
            "{one:?} {other:?}"
        );
    }
}

/// A run that is asked to stop drops its games, with or without a limit.
#[test]
fn a_limit_does_not_hide_the_request_to_stop() {
    let slow = Slow { checks_stop: true };
    let slow = Entry::new::<Twenty48>("slow", true.into(), Arc::new(slow), Rules::default());
    let flag = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let context = BuildContext { stop: Stop::from_flag(flag.clone()), ..limited_context(1e6) };
    let slice = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            flag.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        build_worker(&[&slow], None, &context).unwrap()(&blocks(0..12))
    });
    assert!(slice.records.len() < 12 && slice.records.iter().all(|record| record.ending == Ending::GameOver));
}

fn experiment(limit: &str) -> String {
    format!(
        "name = \"x\"\ngame = \"2048\"\nseed = 1\ngames = 4\n{limit}\n[[player]]\nname = \"deep\"\n\
         algorithm = \"ronzil\"\nruns = 100000\n[[player]]\nname = \"any\"\nalgorithm = \"random\"\n"
    )
}

#[test]
fn a_limit_is_part_of_the_key_and_of_what_is_reproducible() {
    let key = |limit: &str| {
        let experiment = parse(catalog(&GAMES), "x.toml", &experiment(limit)).unwrap();
        let plan = experiment.plan();
        (plan.key(0, &[None, None]), plan.is_reproducible())
    };
    let (without_limit, ten, twenty) = (key(""), key("max_seconds = 10"), key("max_seconds = 20.5"));
    assert!(without_limit.1 && !ten.1 && !twenty.1);
    assert!(without_limit.0 != ten.0 && ten.0 != twenty.0);
    assert_eq!(ten, key("max_seconds = 10.0"));
    let blocks = BlockSeeds::Derived { seed: 1, games: 1 };
    let random = GAMES[0].read_snippet("random", random::EXAMPLE);
    let players = vec![PlannedPlayer { name: "any", entry: &random }];
    let plan = Plan::new(&GAMES[0], players, Cow::Borrowed(&blocks));
    // The key from before limits existed.
    assert_eq!(plan.key(0, &[None]), "c7c5f95e07b71fb0");
}

#[test]
fn cut_games_are_in_every_table_and_told() {
    let folder = Folder::with_file("x.toml", experiment("max_seconds = 0.05"));
    folder
        .run("check x.toml")
        .assert_status(0)
        .assert_says("at most 0.05 s per game; games can differ between machines");
    let message = "4 of 4 games of deep were cut at 0.05 s (max_seconds)";
    folder.run("run x.toml --threads 1").assert_status(0).assert_says(message).assert_says("out of time");
    let games = read_rows(&folder, "results/x/games.csv");
    assert_eq!(games.len(), 8);
    assert!(games[..4].iter().all(|game| game["ending"] == "max-seconds" && game["player"] == "deep"));
    let rates = read_rows(&folder, "results/x/win-rate.csv");
    assert_eq!((&*rates[0]["games"], &*rates[0]["out_of_time"]), ("4", "4"));
    assert_eq!(rates[1]["games"], "4");
    assert!(folder.read("results/x/manifest.toml").contains("reproducible = false"));
    // They count as played: another run has nothing to do, and shards and verdicts read them.
    folder.run("run x.toml").assert_status(0).assert_says("no games left to play");
    folder.run("judge x.toml").assert_status(0).assert_says(message);
    folder
        .run("compare results/x")
        .assert_status(0)
        .assert_says("in results/x were cut at 0.05 s (max_seconds)");
    // Times exclude the cut moves, so they only contain short moves.
    let output = folder.run("compare results/x --by ms").assert_status(0);
    output.assert_says("max_seconds cut games of deep; times exclude the cut moves");
    // A repeated run may be cut at another move.
    folder
        .run("show results/x --player deep --block 0 --last")
        .assert_status(0)
        .assert_says("may not be reproducible");
    folder.run("report results/x --out page.html").assert_status(0);
    assert!(folder.read("page.html").contains("were cut at 0.05 s"));

    // Without a limit, the table has no column for it.
    folder.write("x.toml", experiment("max_moves = 5").replace("100000", "5"));
    folder.run("run x.toml --threads 1").assert_status(0);
    assert!(!folder.read("results/x/win-rate.csv").contains("out_of_time"));
    assert!(!folder.run("report results/x").assert_status(0).stdout.contains("out of time"));
}
