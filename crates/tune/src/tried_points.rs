//! What a search has tried: games by the values of each setting. The size does not depend on the
//! length of the search.

use gauntlet_methods::method::{CandidateLosses, MethodStep, Point, StepKind};

use super::candidates::Candidates;
use crate::results::path::keys;
use crate::results::tried_values;
use crate::section::{CandidateSpace, Param};

/// Number of parts of a numeric range, unless it has fewer values.
const PARTS: usize = 20;

/// Counts of candidates and games, for each part of each axis.
pub(super) struct TriedPoints(Vec<Vec<(u64, u64)>>);

impl TriedPoints {
    /// Returns empty counts.
    pub(super) fn new(candidates: Candidates) -> TriedPoints {
        TriedPoints(match &candidates.tune.field {
            CandidateSpace::Params { params, .. } => {
                params.iter().map(|param| vec![(0, 0); part_count(param)]).collect()
            }
            CandidateSpace::Players { players, .. } => vec![vec![(0, 0); players.len()]],
        })
    }

    /// Adds a step of the method. Checks are not added: they compare points that were tried before.
    pub(super) fn add(&mut self, candidates: Candidates, step: &MethodStep, losses: &[CandidateLosses]) {
        if !matches!(step.kind, StepKind::Pilot | StepKind::Step) {
            return;
        }
        for (point, _) in step.candidates.iter().zip(losses).filter(|(_, losses)| losses.is_some()) {
            for (axis, parts) in self.0.iter_mut().enumerate() {
                let index = part_of(candidates, axis, point, parts.len());
                parts[index].0 += 1;
                parts[index].1 += step.blocks;
            }
        }
    }

    /// Returns the rows of the table.
    pub(super) fn rows(&self, candidates: Candidates) -> Vec<tried_values::TriedValuesRow> {
        let legs = candidates.experiment.arena().shape.legs() as u64;
        let axes = keys(candidates.tune).into_iter().zip(&self.0).enumerate();
        let rows = axes.flat_map(|(axis, (key, parts))| {
            let count = parts.len();
            parts.iter().enumerate().map(move |(index, &(candidate_count, blocks))| {
                let [smallest, largest] = part_ends(candidates, axis, index, count);
                tried_values::TriedValuesRow {
                    setting: key.clone(),
                    from: smallest,
                    to: largest,
                    candidates: candidate_count,
                    games: legs * blocks,
                }
            })
        });
        rows.collect()
    }
}

/// Returns the number of parts: one for each value if there are few values.
fn part_count(param: &Param) -> usize {
    let values = param.max - param.min + 1.0;
    if param.is_whole && values <= PARTS as f64 { values as usize } else { PARTS }
}

/// Returns true if each part of a setting is one value.
fn is_by_value(param: &Param, parts: usize) -> bool {
    param.is_whole && param.max - param.min + 1.0 == parts as f64
}

/// Returns the part that contains a point.
fn part_of(candidates: Candidates, axis: usize, point: &Point, parts: usize) -> usize {
    let position = match &candidates.tune.field {
        CandidateSpace::Players { .. } => point[0],
        CandidateSpace::Params { params, .. } if is_by_value(&params[axis], parts) => {
            params[axis].value(point[axis]) - params[axis].min
        }
        CandidateSpace::Params { .. } => point[axis] * parts as f64,
    };
    (position as usize).min(parts - 1)
}

/// Returns the smallest and the largest value of a part.
fn part_ends(candidates: Candidates, axis: usize, part: usize, parts: usize) -> [String; 2] {
    match &candidates.tune.field {
        CandidateSpace::Players { .. } => {
            [(); 2].map(|()| candidates.player_name(&vec![part as f64]).to_owned())
        }
        CandidateSpace::Params { params, .. } if is_by_value(&params[axis], parts) => {
            [(); 2].map(|()| params[axis].format_value(params[axis].min + part as f64))
        }
        CandidateSpace::Params { params, .. } => [part, part + 1].map(|boundary| {
            let param = &params[axis];
            // The ends of the range are shown exactly.
            param.format_value(match boundary {
                0 => param.min,
                _ if boundary == parts => param.max,
                _ => param.value(boundary as f64 / parts as f64),
            })
        }),
    }
}
