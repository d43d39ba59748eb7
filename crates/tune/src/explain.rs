//! Effect of each setting around the answer, on games of its own: slices through the answer along
//! one setting and along two, and the loss when a setting goes back to its start.
//!
//! It is an experiment like any other, in a folder of results of its own, and its page draws the
//! slices. Nothing of it is read from the path of the search, whose games chose the answer and so
//! favour it.

use gauntlet_analysis::compare::comparison::Comparison;
use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::config::derived::{DerivedHead, checked, derived};
use gauntlet_analysis::config::tune::Param;
use gauntlet_analysis::results::analysis::contestants::contestants;
use gauntlet_analysis::results::analysis::pairwise::{Asked, compare};
use gauntlet_analysis::results::store::tuning::EXPLAINED;
use gauntlet_core::player::Stop;
use gauntlet_methods::method::Point;

use super::candidates::{Candidates, Side, root};
use super::play_out::play_out;
use super::space::Axes;
use super::task::{Halt, Task};
use crate::results::{ANSWER, BACK};

/// Places along one setting: how far from the answer, as parts of the box, on both sides. Near it
/// they are close.
const ALONG_ONE: [f64; 4] = [0.05, 0.12, 0.25, 0.5];

/// The same along each of two settings.
const ALONG_TWO: [f64; 2] = [0.12, 0.25];

/// The fewest games of a player: of less nothing can be seen.
const FEWEST: u64 = 10;

/// Subject of the explanation.
pub(super) struct Explained<'a> {
    pub(super) task: &'a Task<'a>,
    pub(super) candidates: Candidates<'a>,
    pub(super) params: &'a [Param],
    pub(super) start: &'a Point,
    pub(super) answer: &'a Point,
}

/// Plays the slices and the answer with single settings put back, as far as the journal lacks the
/// games, and writes their tables into a folder beside the tuning. Returns, by the objective, the
/// answer beside each player of which one setting went back.
pub(super) fn explain(
    of: &Explained,
    tell: &mut dyn FnMut(u64),
    stop: &Stop,
) -> Result<Vec<Comparison>, Halt> {
    let task = of.task;
    let (sides, backs) = of.players();
    let experiment = of.experiment(&sides)?;
    let lineups = experiment.plan().lineups.len() as u64;
    tell(experiment.blocks().len() * experiment.arena().shape.legs() as u64 * lineups);
    let folder = task.folder.join(EXPLAINED);
    let results = [play_out(task, &experiment, &folder, stop)?.0];
    let by = task.tune.objective;
    let players = contestants(&results, &[by])?;
    let pairs: Vec<(usize, usize)> = (1..=backs).map(|back| (0, back)).collect();
    let asked = Asked { by: vec![by], level: task.tune.validate.level.get(), ..Asked::default() };
    Ok(compare(&players, &pairs, &asked))
}

impl Explained<'_> {
    /// The answer, then the answer with one setting put back to its start, then those along slices;
    /// and how many are of the second kind.
    fn players(&self) -> (Vec<Side>, usize) {
        let mut players = Distinct { of: self, sides: Vec::new(), known: Vec::new() };
        players.add(self.answer.clone(), |_| ANSWER.to_owned());
        let all = 0..self.params.len();
        for axis in all.clone() {
            let mut point = self.answer.clone();
            point[axis] = self.start[axis];
            players.add(point, |_| format!("{}{BACK}", self.params[axis].key));
        }
        let backs = players.sides.len() - 1;
        let mut add = |axes: &[usize], point: Point| {
            players.add(point, |values| {
                let part = |&axis: &usize| {
                    format!("{}={}", self.params[axis].key, self.params[axis].shown(values[axis]))
                };
                axes.iter().map(part).collect::<Vec<_>>().join(" ")
            });
        };
        for axis in all.clone() {
            for place in around(self.answer[axis], &ALONG_ONE) {
                let mut point = self.answer.clone();
                point[axis] = place;
                add(&[axis], point);
            }
        }
        // The two settings that moved most.
        let mut moved: Vec<usize> = all.collect();
        let way = |axis: usize| (self.answer[axis] - self.start[axis]).abs();
        moved.sort_by(|&one, &other| way(other).total_cmp(&way(one)));
        if let [one, other, ..] = moved[..] {
            for first in around(self.answer[one], &ALONG_TWO) {
                for second in around(self.answer[other], &ALONG_TWO) {
                    let mut point = self.answer.clone();
                    (point[one], point[other]) = (first, second);
                    add(&[one, other], point);
                }
            }
        }
        (players.sides, backs)
    }

    fn experiment(&self, sides: &[Side]) -> anyhow::Result<Experiment> {
        let task = self.task;
        let seed = root(task.experiment).child(EXPLAINED, 0).number();
        let legs = task.experiment.arena().shape.legs() as u64;
        let games = (task.tune.explain / sides.len() as u64).max(FEWEST).next_multiple_of(legs);
        let comment =
            "The answer of a tuning, the same with one setting put back to its start, and slices through it.";
        let head = DerivedHead { ending: &format!("-{EXPLAINED}"), seed, games };
        let players = sides.iter().map(|side| (&*side.name, &side.entrant));
        checked(task.experiment, derived(task.experiment, head, players)?, comment)
    }
}

/// Players that differ from each other: whole numbers beside each other can be the same.
struct Distinct<'a> {
    of: &'a Explained<'a>,
    sides: Vec<Side>,
    known: Vec<Vec<f64>>,
}

impl Distinct<'_> {
    /// Adds the player of a point, if it takes these settings and there is none with them.
    fn add(&mut self, point: Point, name: impl Fn(&[f64]) -> String) {
        let values = Axes::of(self.of.params).values(&point);
        if !self.known.contains(&values)
            && let Some(side) = self.of.candidates.side(&name(&values), &point)
        {
            self.known.push(values);
            self.sides.push(side);
        }
    }
}

/// Places of a slice through a place, within the box, from the least on.
fn around(place: f64, ways: &[f64]) -> impl Iterator<Item = f64> {
    let below = ways.iter().rev().map(move |way| place - way);
    let above = ways.iter().map(move |way| place + way);
    below.chain([place]).chain(above).filter(|place| (0.0..=1.0).contains(place))
}
