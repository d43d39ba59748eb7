//! Whether a seed determines the game.

use gauntlet_core::rng::Rng;

use crate::environment::{Environment, Failure, Observation};
use crate::evidence::{Example, Tally};
use crate::fault::Fault;

/// Games that are played twice.
const GAMES: usize = 4;

/// Actions of each game.
const ACTIONS: usize = 60;

/// What an environment returned: observations, rewards and ends. Rewards are bits, because NaN does
/// not equal itself.
type Trajectory = Vec<(Observation, Option<u64>, bool)>;

/// Plays some games by random actions, then each again with the same seed and actions.
pub(crate) fn replay(environment: &mut dyn Environment, rng: &mut Rng) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    if !environment.takes_seeds() {
        return Ok(tally);
    }
    let actions = environment.actions() as u64;
    let script: Vec<usize> = (0..ACTIONS).map(|_| rng.below(actions) as usize).collect();
    let seeds: Vec<u64> = (0..GAMES).map(|_| rng.below(1 << 31)).collect();
    let trajectories: Vec<Trajectory> =
        seeds.iter().map(|&seed| play_script(environment, seed, &script)).collect::<Result<_, _>>()?;
    let mut differences = Vec::new();
    for (&seed, trajectory) in seeds.iter().zip(&trajectories) {
        let repeat = play_script(environment, seed, &script)?;
        if trajectory.len() < 2 {
            // No step succeeded, so there is nothing to compare.
            continue;
        }
        tally.add_check();
        let steps = 0..trajectory.len().max(repeat.len());
        differences.extend(
            steps
                .into_iter()
                .find(|&index| trajectory.get(index) != repeat.get(index))
                .map(|step| (seed, step)),
        );
    }
    // Two starts can agree by chance, so one start that differs decides for all games.
    let start_differs = differences.iter().any(|&(_, step)| step == 0);
    let fault = if start_differs { Fault::SeedIgnored } else { Fault::SeedOfStartOnly };
    for (seed, step) in differences {
        tally.add_violation(&[fault], || Example {
            message: format!("two games of seed {seed} differ after {step} actions"),
            ..Example::default()
        });
    }
    if tally.violations == 0 && tally.checks > 1 && trajectories.windows(2).all(|pair| pair[0] == pair[1]) {
        for _ in 0..tally.checks {
            tally.add_violation(&[Fault::SeedsAlike], || Example {
                message: format!("{GAMES} seeds give the same game"),
                ..Example::default()
            });
        }
    }
    Ok(tally)
}

/// Plays the game of a seed until its end, an error, or the end of the script.
fn play_script(
    environment: &mut dyn Environment,
    seed: u64,
    script: &[usize],
) -> Result<Trajectory, Failure> {
    let mut trajectory = Vec::new();
    match environment.reset(Some(seed)) {
        Ok(reset) => trajectory.push((reset.observation, None, false)),
        Err(Failure::Raised(_)) => return Ok(trajectory),
        Err(failure) => return Err(failure),
    }
    for &action in script {
        match environment.step(action) {
            Ok(step) => {
                let is_over = step.terminated || step.truncated;
                trajectory.push((step.observation, step.reward.map(f64::to_bits), is_over));
                if is_over {
                    break;
                }
            }
            Err(Failure::Raised(_)) => break,
            Err(failure) => return Err(failure),
        }
    }
    Ok(trajectory)
}
