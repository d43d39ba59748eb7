//! Which action slides in which direction, found by play.

use std::fmt;

use gauntlet_twenty48::rules::{Board, Cells, Direction};

use crate::slides::has_tiles;

/// The most actions that are tried.
pub(crate) const MAX_ACTIONS: usize = 8;

/// Trials of an action that are needed to identify it.
const MIN_TRIALS: u32 = 10;

/// Direction of each action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionMap(Vec<Option<Direction>>);

/// A step before the directions are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    pub(crate) action: usize,
    pub(crate) before: Cells,
    /// Board after the step; `None` if the step raised an error.
    pub(crate) after: Option<Cells>,
}

impl ActionMap {
    /// Creates a map from the directions of the actions in order.
    pub fn new(directions: &[Direction]) -> ActionMap {
        ActionMap(directions.iter().copied().map(Some).collect())
    }

    /// Returns the direction of an action; `None` for one that is no direction.
    pub fn direction(&self, action: usize) -> Option<Direction> {
        self.0.get(action).copied().flatten()
    }

    /// Returns the action of a direction; `None` if no action slides that way.
    pub fn action(&self, direction: Direction) -> Option<usize> {
        self.0.iter().position(|&assigned| assigned == Some(direction))
    }

    /// Returns the number of actions.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no actions.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Finds the directions that explain the most trials. They must be better than any other
    /// directions, or explain most trials of an action. Each direction belongs to at most one
    /// action.
    ///
    /// If there are four actions, each gets a direction, even if some of them slide wrongly. The
    /// referee then finds the wrong slides.
    pub(crate) fn find(trials: &[Trial], actions: usize) -> Result<ActionMap, String> {
        let mut match_counts = vec![[0_u32; 4]; actions];
        let mut trial_counts = vec![0_u32; actions];
        // Without a legal move, any direction explains that nothing moves.
        for trial in
            trials.iter().filter(|trial| Board::new(trial.before).legal_directions().next().is_some())
        {
            trial_counts[trial.action] += 1;
            for direction in Direction::ALL {
                match_counts[trial.action][direction as usize] += u32::from(trial.is_explained_by(direction));
            }
        }
        let mut search = Search { match_counts: &match_counts, best: (0, Vec::new()), second_score: 0 };
        search.assign(&mut Vec::new(), [false; 4], 0);
        let Search { best: (best_score, mut map), second_score, .. } = search;
        if let Some(action) = (0..actions).find(|&action| trial_counts[action] < MIN_TRIALS) {
            return Err(format!("action {action} was executed only {} times", trial_counts[action]));
        }
        let is_plausible = |action: usize, direction: Direction| {
            2 * match_counts[action][direction as usize] >= trial_counts[action]
        };
        let mut pairs = map.iter().enumerate();
        let is_any_plausible = pairs.any(|(action, direction)| {
            direction.is_some_and(|slide_direction| is_plausible(action, slide_direction))
        });
        if best_score < second_score + MIN_TRIALS && !is_any_plausible {
            return Err("no assignment of directions to actions explains the boards".to_owned());
        }
        if actions != Direction::ALL.len() {
            for (action, direction) in map.iter_mut().enumerate() {
                *direction = direction.filter(|&direction| is_plausible(action, direction));
            }
        }
        Ok(ActionMap(map))
    }

    /// Returns the directions in which no action slides.
    pub(crate) fn missing_directions(&self) -> impl Iterator<Item = Direction> {
        Direction::ALL.into_iter().filter(|&direction| self.action(direction).is_none())
    }
}

impl Trial {
    /// Returns true if a slide in this direction explains the step, whatever tiles are new. An
    /// illegal move may raise an error.
    fn is_explained_by(&self, direction: Direction) -> bool {
        match Board::new(self.before).slide(direction) {
            Some(after_slide) => self.after.is_some_and(|after| has_tiles(after, after_slide.cells())),
            None => self.after.is_none_or(|after| after == self.before),
        }
    }

    /// Returns true if all directions are legal, so that any of them moves tiles.
    pub(crate) fn has_all_legal(&self) -> bool {
        Board::new(self.before).legal_directions().count() == Direction::ALL.len()
    }
}

/// Search over all assignments.
struct Search<'a> {
    match_counts: &'a [[u32; 4]],
    best: (u32, Vec<Option<Direction>>),
    second_score: u32,
}

impl Search<'_> {
    fn assign(&mut self, map: &mut Vec<Option<Direction>>, used_directions: [bool; 4], score: u32) {
        let Some(counts) = self.match_counts.get(map.len()) else {
            if score > self.best.0 {
                self.second_score = self.best.0;
                self.best = (score, map.clone());
            } else {
                self.second_score = self.second_score.max(score);
            }
            return;
        };
        for direction in Direction::ALL.into_iter().filter(|&direction| !used_directions[direction as usize])
        {
            let mut used_directions = used_directions;
            used_directions[direction as usize] = true;
            map.push(Some(direction));
            self.assign(map, used_directions, score + counts[direction as usize]);
            map.pop();
        }
        // If there are more actions than free directions, this action may have none.
        if self.match_counts.len() - map.len() > used_directions.iter().filter(|is_used| !**is_used).count() {
            map.push(None);
            self.assign(map, used_directions, score);
            map.pop();
        }
    }
}

impl fmt::Display for ActionMap {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (action, direction) in self.0.iter().enumerate() {
            let separator = if action > 0 { ", " } else { "" };
            let name = direction.map_or("none", Direction::name);
            write!(f, "{separator}{action} {name}")?;
        }
        Ok(())
    }
}
