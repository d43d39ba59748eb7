//! The check: finds encoding and directions, plays, and tests the evidence.

use gauntlet_core::rng::Seed;
use gauntlet_twenty48::rules::Direction;

use crate::actions::{ActionMap, MOST_ACTIONS, Trial};
use crate::encoding::{CellKind, Encoding};
use crate::environment::{Environment, Failure, Observation};
use crate::evidence::Tally;
use crate::play::{Play, Policy, seed_of};
use crate::policy::{Searcher, any};
use crate::referee::{Evidence, Referee};
use crate::replay::replay;
use crate::report::{Findings, Report};

/// Steps by which encoding and directions are found.
const MOST_TRIALS: u64 = 600;

/// Errors in a row after which the trials end.
const MOST_ERRORS: u32 = 5;

/// Settings of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckOptions {
    /// Games to play: three of five at random, the others by search.
    pub games: u64,
    /// Starts to draw besides.
    pub starts: u64,
    /// Seed of everything that the check draws.
    pub seed: u64,
    /// Directions of the actions in order; `None` to find them.
    pub actions: Option<Vec<Direction>>,
    /// Meaning of the numbers; `None` to find it.
    pub cells: Option<CellKind>,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions { games: 100, starts: 400, seed: 1, actions: None, cells: None }
    }
}

/// Checks an environment. The error says why the check could not be completed.
pub fn check(environment: &mut dyn Environment, options: &CheckOptions) -> Result<Report, String> {
    run(environment, options).map_err(|failure| match failure {
        Failure::Raised(why) | Failure::Ended(why) => why,
    })
}

fn run(environment: &mut dyn Environment, options: &CheckOptions) -> Result<Report, Failure> {
    let seed = Seed::root(options.seed);
    let count = environment.actions();
    if count == 0 || count > MOST_ACTIONS {
        return Err(Failure::Ended(format!("an environment of 2048 has 4 actions, not {count}")));
    }
    let tried = try_actions(environment, seed)?;
    let seeding = replay(environment, &mut seed.child("replay", 0).rng())?;
    let encoding = match Encoding::find(&tried.observations, options.cells) {
        Ok(encoding) => encoding,
        Err(why) => {
            let why = tried.error.unwrap_or(why);
            return Ok(Report::of(Findings {
                cells: Err(why.clone()),
                actions: Err(why),
                ..Findings::none(seeding)
            }));
        }
    };
    let actions = match &options.actions {
        Some(directions) if directions.len() == count => Ok(ActionMap::of(directions)),
        Some(directions) => {
            let given = directions.len();
            return Err(Failure::Ended(format!("{given} directions were given for {count} actions")));
        }
        None => ActionMap::find(&tried.decoded(&encoding), count),
    };
    let cells = encoding.to_string();
    let known = actions.clone().unwrap_or_else(|_| ActionMap::of(&[]));
    let referee = Referee { encoding, actions: known, evidence: Evidence::default() };
    let dice = seed.child("play", 0).rng();
    let uses_seeds = environment.takes_seeds() && seeding.wrong == 0;
    let mut play = Play { environment, referee, dice, searcher: Searcher::new(), resets: 0, uses_seeds };
    let sets_boards = play_all(&mut play, options, actions.is_ok())?;
    let evidence = play.referee.evidence;
    Ok(Report::of(Findings { cells: Ok(cells), actions, evidence, seeding, sets_boards }))
}

/// Plays starts, boards that are set, and games. Returns true if boards can be set.
fn play_all(play: &mut Play, options: &CheckOptions, has_actions: bool) -> Result<bool, Failure> {
    for _ in 0..options.starts {
        if play.is_hopeless() {
            return Ok(false);
        }
        play.start()?;
    }
    if !has_actions {
        return Ok(false);
    }
    for game in 0..options.games {
        if play.is_hopeless() {
            return Ok(false);
        }
        if play.is_endless(options.games) {
            break;
        }
        play.game(if game % 5 < 3 { Policy::Random } else { Policy::Search })?;
    }
    play.start()?;
    play.set_boards()
}

/// Steps with random actions.
#[derive(Debug, Default)]
struct Trials {
    observations: Vec<Observation>,
    /// Action, and the indices of the observations before and after it.
    steps: Vec<(usize, usize, usize)>,
    /// The last error.
    error: Option<String>,
}

impl Trials {
    fn decoded(&self, encoding: &Encoding) -> Vec<Trial> {
        let board = |index: usize| encoding.decode(&self.observations[index]).ok();
        let trial = |&(action, before, after): &(usize, usize, usize)| {
            Some(Trial { action, before: board(before)?, after: board(after)? })
        };
        self.steps.iter().filter_map(trial).collect()
    }
}

/// Executes random actions.
fn try_actions(environment: &mut dyn Environment, seed: Seed) -> Result<Trials, Failure> {
    let mut dice = seed.child("trials", 0).rng();
    let mut tried = Trials::default();
    let actions: Vec<usize> = (0..environment.actions()).collect();
    let (mut steps, mut errors, mut resets) = (0, 0, 0);
    while steps < MOST_TRIALS && errors < MOST_ERRORS {
        let seed = seed_of(environment.takes_seeds(), resets, &mut dice);
        resets += 1;
        match environment.reset(seed) {
            Ok(reset) => tried.observations.push(reset.observation),
            Err(Failure::Raised(why)) => {
                tried.error = Some(format!("reset raised an error: {why}"));
                errors += 1;
                continue;
            }
            Err(ended) => return Err(ended),
        }
        loop {
            let action = any(&actions, &mut dice);
            steps += 1;
            match environment.step(action) {
                Ok(step) => {
                    errors = 0;
                    let before = tried.observations.len() - 1;
                    tried.observations.push(step.observation);
                    tried.steps.push((action, before, before + 1));
                    if step.terminated || step.truncated || steps >= MOST_TRIALS {
                        break;
                    }
                }
                Err(Failure::Raised(why)) => {
                    tried.error = Some(format!("step raised an error: {why}"));
                    // Illegal actions may raise errors.
                    errors += u32::from(tried.steps.is_empty());
                    break;
                }
                Err(ended) => return Err(ended),
            }
        }
    }
    Ok(tried)
}

impl Findings {
    fn none(seeding: Tally) -> Findings {
        Findings {
            cells: Err(String::new()),
            actions: Err(String::new()),
            evidence: Evidence::default(),
            seeding,
            sets_boards: false,
        }
    }
}
