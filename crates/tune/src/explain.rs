//! Effect of each setting near the answer, measured with separate games: slices through the answer
//! along one setting and along two, and the loss if a setting is reset to its start.
//!
//! The slices are an ordinary experiment in a separate results folder, and its page plots them. The
//! search path is not used for this: its games chose the answer, so they favour it.

use gauntlet_analysis::compare::comparison::Comparison;
use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::config::derivation::{DerivationOptions, check_derived, derive};
use gauntlet_analysis::results::analysis::contestants::read_contestants;
use gauntlet_analysis::results::analysis::pairwise::{PairwiseQuestion, compare};
use gauntlet_analysis::results::store::tuning::EXPLAIN_FOLDER;
use gauntlet_core::player::Stop;
use gauntlet_core::text::format_games;
use gauntlet_methods::method::Point;
use gauntlet_run::bar::ProgressDisplay;

use super::candidates::{Candidates, Side, root_seed};
use super::experiment_run::run_experiment;
use super::space::Axes;
use super::task::{MissingGamesReason, TuningJob};
use crate::results::{ANSWER, RESET_SUFFIX};
use crate::section::Param;

/// Distances from the answer along one setting, on both sides, as parts of its range. They are
/// denser near the answer.
const ALONG_ONE: [f64; 4] = [0.05, 0.12, 0.25, 0.5];

/// Distances from the answer along each of two settings.
const ALONG_TWO: [f64; 2] = [0.12, 0.25];

/// The fewest games per player. Fewer games would show nothing.
const MIN_GAMES: u64 = 10;

/// Subject of the explanation.
pub(super) struct ExplanationJob<'a> {
    pub(super) task: &'a TuningJob<'a>,
    pub(super) candidates: Candidates<'a>,
    pub(super) params: &'a [Param],
    pub(super) start: &'a Point,
    pub(super) answer: &'a Point,
}

/// Plays the slices and the answer with single settings reset, and writes their tables into a
/// folder next to the tuning. Games in the journal are not played again. Returns comparisons, by
/// the objective, of the answer with each player that has one setting reset.
pub(super) fn explain(
    job: &ExplanationJob,
    display: &ProgressDisplay,
    stop: &Stop,
) -> Result<Vec<Comparison>, MissingGamesReason> {
    let task = job.task;
    let (sides, reset_count) = job.players();
    let experiment = job.make_experiment(&sides)?;
    let lineups = experiment.plan().lineups.len() as u64;
    let game_count =
        format_games(experiment.blocks().len() * experiment.arena().shape.legs() as u64 * lineups);
    display.replace_with_line(&format!("slices through the best point: {game_count}"));
    let folder = task.folder.join(EXPLAIN_FOLDER);
    let results = [run_experiment(task, &experiment, &folder, stop)?.0];
    let objective = task.tune.objective;
    let players = read_contestants(&results, &[objective])?;
    let pairs: Vec<(usize, usize)> = (1..=reset_count).map(|reset| (0, reset)).collect();
    let question = PairwiseQuestion {
        measures: vec![objective],
        level: task.tune.validate.level.get(),
        ..PairwiseQuestion::default()
    };
    Ok(compare(&players, &pairs, &question))
}

impl ExplanationJob<'_> {
    /// Returns the answer, then the answer with one setting reset to its start, then the slices.
    /// The number is how many players have a setting reset.
    fn players(&self) -> (Vec<Side>, usize) {
        let mut players = DistinctPlayers { job: self, sides: Vec::new(), added_values: Vec::new() };
        players.add(self.answer.clone(), |_| ANSWER.to_owned());
        let all_axes = 0..self.params.len();
        for axis in all_axes.clone() {
            let mut point = self.answer.clone();
            point[axis] = self.start[axis];
            players.add(point, |_| format!("{}{RESET_SUFFIX}", self.params[axis].key));
        }
        let reset_count = players.sides.len() - 1;
        let mut add = |axes: &[usize], point: Point| {
            players.add(point, |values| {
                let format_setting = |&axis: &usize| {
                    format!("{}={}", self.params[axis].key, self.params[axis].format_value(values[axis]))
                };
                axes.iter().map(format_setting).collect::<Vec<_>>().join(" ")
            });
        };
        for axis in all_axes.clone() {
            for position in slice_positions(self.answer[axis], &ALONG_ONE) {
                let mut point = self.answer.clone();
                point[axis] = position;
                add(&[axis], point);
            }
        }
        // The two settings that moved most.
        let mut sorted_axes: Vec<usize> = all_axes.collect();
        let distance = |axis: usize| (self.answer[axis] - self.start[axis]).abs();
        sorted_axes.sort_by(|&one, &other| distance(other).total_cmp(&distance(one)));
        if let [one, other, ..] = sorted_axes[..] {
            for first in slice_positions(self.answer[one], &ALONG_TWO) {
                for second in slice_positions(self.answer[other], &ALONG_TWO) {
                    let mut point = self.answer.clone();
                    (point[one], point[other]) = (first, second);
                    add(&[one, other], point);
                }
            }
        }
        (players.sides, reset_count)
    }

    fn make_experiment(&self, sides: &[Side]) -> anyhow::Result<Experiment> {
        let task = self.task;
        let seed = root_seed(task.experiment).child(EXPLAIN_FOLDER, 0).number();
        let legs = task.experiment.arena().shape.legs() as u64;
        let games = (task.tune.explain / sides.len() as u64).max(MIN_GAMES).next_multiple_of(legs);
        let comment = "The best point of a tuning, the best point with one setting reset to its start, and slices through it.";
        let options = DerivationOptions { suffix: &format!("-{EXPLAIN_FOLDER}"), seed, games };
        let players = sides.iter().map(|side| (&*side.name, &side.entry));
        check_derived(task.experiment, &derive(task.experiment, options, players)?, comment)
    }
}

/// Players with distinct settings. Neighbouring points can round to the same whole numbers.
struct DistinctPlayers<'a> {
    job: &'a ExplanationJob<'a>,
    sides: Vec<Side>,
    added_values: Vec<Vec<f64>>,
}

impl DistinctPlayers<'_> {
    /// Adds the player at a point, unless it refuses the settings or they are already in the list.
    fn add(&mut self, point: Point, name: impl Fn(&[f64]) -> String) {
        let values = Axes::new(self.job.params).values(&point);
        if !self.added_values.contains(&values)
            && let Some(side) = self.job.candidates.make_side(&name(&values), &point)
        {
            self.added_values.push(values);
            self.sides.push(side);
        }
    }
}

/// Returns the positions of a slice through `center` that are inside the box, in ascending order.
fn slice_positions(center: f64, distances: &[f64]) -> impl Iterator<Item = f64> {
    let below = distances.iter().rev().map(move |distance| center - distance);
    let above = distances.iter().map(move |distance| center + distance);
    below.chain([center]).chain(above).filter(|position| (0.0..=1.0).contains(position))
}
