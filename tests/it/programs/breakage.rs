//! A player whose program breaks or misbehaves harms only its own games.

use std::borrow::Cow;
use std::sync::Arc;

use gauntlet::GAMES;
use gauntlet::arena::Entry;
use gauntlet::game::{Diagram, Game, Seat};
use gauntlet::plan::{Plan, PlannedPlayer};
use gauntlet::player::{BuildContext, Choice, NoMove, Player, Recipe, Start, Stop};
use gauntlet::record::{Ending, Fault};
use gauntlet::run::blocks::BlockSeeds;
use gauntlet::run::coverage::Coverage;
use gauntlet::run::run;
use gauntlet::twenty48::rules::{Direction, Rules, Twenty48};

use crate::bench::Folder;
use crate::in_process::{key_by_name, open_journal, quiet_options};

/// Plays the first legal direction, and misbehaves at the 20th move of one game in ten.
#[derive(Clone, Copy, Debug)]
enum BadBehaviour {
    Panics,
    GivesUp,
    Lies,
    /// Ends with a fault after which it must not be asked again.
    Fails(Fault),
}

impl Recipe<Twenty48> for BadBehaviour {
    fn build(&self, _context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        Ok(Box::new(BadPlayer { behaviour: *self, misbehaves: false, is_gone: false, moves: 0 }))
    }
}

struct BadPlayer {
    behaviour: BadBehaviour,
    misbehaves: bool,
    is_gone: bool,
    moves: u32,
}

impl Player<Twenty48> for BadPlayer {
    fn begin(&mut self, start: &Start<Twenty48>) {
        self.misbehaves = start.seed.rng().below(10) == 0;
        self.moves = 0;
        assert!(!self.is_gone, "it is built anew");
    }

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        self.moves += 1;
        let mut directions = Direction::ALL.into_iter();
        let legal_move = directions.find(|&direction| position.board().slide(direction).is_some()).unwrap();
        if !self.misbehaves || self.moves < 20 {
            return Ok(Choice::new(legal_move));
        }
        match self.behaviour {
            BadBehaviour::Panics => panic!("no idea at move {}", self.moves),
            BadBehaviour::GivesUp => Err(NoMove::forfeit("I am lost")),
            BadBehaviour::Fails(fault) => {
                self.is_gone = true;
                Err(NoMove::fault(fault, "I am gone"))
            }
            // This direction is illegal sooner or later.
            BadBehaviour::Lies => Ok(Choice::new(Direction::Left)),
        }
    }
}

fn build_entry(behaviour: BadBehaviour) -> Entry {
    Entry::new::<Twenty48>("bad", format!("{behaviour:?}").into(), Arc::new(behaviour), Rules::default())
}

#[test]
fn bad_players_harm_themselves_only() {
    let fatal = [Fault::Crashed, Fault::TimedOut, Fault::Nonsense];
    let [crashes, sleeps, raves] = fatal.map(BadBehaviour::Fails);
    let bad_entries =
        [BadBehaviour::Panics, BadBehaviour::GivesUp, BadBehaviour::Lies, crashes, sleeps, raves]
            .map(build_entry);
    let blocks = BlockSeeds::Derived { seed: 5, games: 300 };
    let players = ["panics", "gives up", "lies", "crashes", "sleeps", "raves"].into_iter().zip(&bad_entries);
    let players = players.map(|(name, entry)| PlannedPlayer { name, entry });
    let plan = Plan::new(&GAMES[0], players.collect(), Cow::Borrowed(&blocks));
    let plan = key_by_name(plan);
    let folder = Folder::new();
    let options = quiet_options(2);
    let mut journal = open_journal(&folder.path("journal"));
    let run_end = run(&plan, &mut journal, &options, &Stop::default()).unwrap();

    assert!(!run_end.is_interrupted);
    assert!((10..60).contains(&run_end.panics.len()), "{} panics", run_end.panics.len());
    for failure in &run_end.panics {
        assert_eq!(failure.lineup, 0);
        assert_eq!(failure.seed, blocks.seed(failure.block));
        assert!(
            failure.message.starts_with("no idea at move 20 (") && failure.message.contains("breakage.rs:")
        );
    }
    // All other games exist, and the other misbehaviour is in the records.
    let coverage = Coverage::from_journal(&plan, &journal).unwrap();
    assert_eq!(coverage.count_blocks(0, &(0..300)), 300 - run_end.panics.len() as u64);
    for (player, fault) in (1..).zip([Fault::GaveUp, Fault::IllegalMove].into_iter().chain(fatal)) {
        assert_eq!(coverage.count_blocks(player, &(0..300)), 300);
        let lines = journal.lines_of(plan.key(player));
        let records = lines.flat_map(|line| journal.read(line).unwrap().records().unwrap());
        let forfeits = records.filter(|record| record.ending == Ending::Fault(Seat::First, fault)).count();
        assert!((10..60).contains(&forfeits), "{forfeits} games ended by {fault:?}");
    }
    assert!(run_end.forfeits.iter().any(|game| game.message == "I am lost"), "{:?}", run_end.forfeits);
    // The position of an illegal move is shown.
    let illegal = run_end.forfeits.iter().find(|game| game.message == "illegal move left");
    let board_text =
        illegal.and_then(|game| game.position.as_deref()).expect("an illegal move with its position");
    let position =
        <Twenty48 as Game>::set_up(&Rules::default(), &Diagram::from_cells(board_text)).expect("a position");
    assert!(position.board().slide(Direction::Left).is_none(), "{board_text}");
    // Another run retries only the broken games.
    drop(journal);
    let first_count = folder.read("journal").matches("\"panic\":{").count();
    let mut journal = open_journal(&folder.path("journal"));
    let second_end = run(&plan, &mut journal, &options, &Stop::default()).unwrap();
    assert_eq!(second_end.games_played, run_end.panics.len() as u64);
    assert_eq!(second_end.panics, run_end.panics);
    drop(journal);
    let second_count = folder.read("journal").matches("\"panic\":{").count();
    assert_eq!(
        (first_count, second_count),
        (run_end.panics.len(), run_end.panics.len()),
        "the same is not said again"
    );
}
