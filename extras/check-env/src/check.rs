//! The check: finds encoding and directions, plays, and tests the evidence.

use gauntlet_core::rng::Seed;
use gauntlet_twenty48::rules::Direction;

use crate::actions::{ActionMap, MAX_ACTIONS};
use crate::encoding::{CellKind, Encoding};
use crate::environment::{Environment, Failure};
use crate::evidence::Tally;
use crate::play::{Play, Policy};
use crate::policy::Searcher;
use crate::referee::{Evidence, Referee};
use crate::replay::replay;
use crate::report::{Findings, Report};
use crate::trials::Trials;

/// Settings of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckOptions {
    /// Games to play: three of five at random, the others by search.
    pub games: u64,
    /// Additional starts to draw.
    pub starts: u64,
    /// Seed of everything that the check draws.
    pub seed: u64,
    /// Directions of the actions in order; `None` to find them.
    pub actions: Option<Vec<Direction>>,
    /// Meaning of the numbers; `None` to find it.
    pub cells: Option<CellKind>,
    /// False if the environment has no reward, or another one on purpose.
    pub has_reward: bool,
}

impl Default for CheckOptions {
    fn default() -> CheckOptions {
        CheckOptions { games: 100, starts: 400, seed: 1, actions: None, cells: None, has_reward: true }
    }
}

/// Checks an environment. The error says why the check could not be completed.
pub fn check(environment: &mut dyn Environment, options: &CheckOptions) -> Result<Report, String> {
    run(environment, options).map_err(|failure| match failure {
        Failure::Raised(message) | Failure::Ended(message) => message,
    })
}

fn run(environment: &mut dyn Environment, options: &CheckOptions) -> Result<Report, Failure> {
    let seed = Seed::root(options.seed);
    let action_count = environment.actions();
    if action_count == 0 || action_count > MAX_ACTIONS {
        return Err(Failure::Ended(format!("an environment of 2048 has 4 actions, not {action_count}")));
    }
    let trials = Trials::play(environment, seed)?;
    let encoding = match Encoding::find(trials.observations(), options.cells) {
        Ok(encoding) => encoding,
        Err(message) => {
            let message = trials.reset_error().unwrap_or(message);
            let mut evidence = Evidence::default();
            trials.judge_without_board(&mut evidence);
            let has_reward = options.has_reward;
            let (cells, actions, seeding) = (Err(message.clone()), Err(message), Tally::default());
            let findings = Findings { cells, actions, evidence, seeding, sets_boards: false, has_reward };
            return Ok(Report::new(findings));
        }
    };
    let seeding = if trials.has_success() {
        replay(environment, &mut seed.child("replay", 0).rng())?
    } else {
        Tally::default()
    };
    let actions = match &options.actions {
        Some(directions) if directions.len() == action_count => Ok(ActionMap::new(directions)),
        Some(directions) => {
            let direction_count = directions.len();
            return Err(Failure::Ended(format!(
                "{direction_count} directions were given for {action_count} actions"
            )));
        }
        None => trials.find_directions(&encoding, action_count),
    };
    let cells = encoding.to_string();
    let action_map = actions.clone().unwrap_or_else(|_| ActionMap::new(&[]));
    let has_reward = options.has_reward;
    let referee = Referee { encoding, actions: action_map, has_reward, evidence: Evidence::default() };
    let rng = seed.child("play", 0).rng();
    let uses_seeds = environment.takes_seeds() && seeding.violations == 0;
    let mut play = Play { environment, referee, rng, searcher: Searcher::new(), resets: 0, uses_seeds };
    let sets_boards = play_all(&mut play, options, actions.is_ok())?;
    let mut referee = play.referee;
    trials.judge(&mut referee, actions.is_ok(), action_count);
    let evidence = referee.evidence;
    Ok(Report::new(Findings { cells: Ok(cells), actions, evidence, seeding, sets_boards, has_reward }))
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
        play.play_game(if game % 5 < 3 { Policy::Random } else { Policy::Search })?;
    }
    play.start()?;
    play.set_boards()
}
