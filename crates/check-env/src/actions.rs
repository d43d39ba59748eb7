//! Which action slides in which direction, found by play.

use std::fmt;

use gauntlet_twenty48::rules::{Board, Cells, Direction};

use crate::slides::has_tiles;

/// The most actions that are tried.
pub(crate) const MOST_ACTIONS: usize = 8;

/// Trials of an action that are needed to identify it.
const LEAST_TRIALS: u32 = 10;

/// Direction of each action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionMap(Vec<Option<Direction>>);

/// A step before the directions are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    pub(crate) action: usize,
    pub(crate) before: Cells,
    pub(crate) after: Cells,
}

impl ActionMap {
    /// Creates a map from the directions of the actions in order.
    pub fn of(directions: &[Direction]) -> ActionMap {
        ActionMap(directions.iter().copied().map(Some).collect())
    }

    /// Returns the direction of an action; `None` for one that is no direction.
    pub fn direction(&self, action: usize) -> Option<Direction> {
        self.0.get(action).copied().flatten()
    }

    /// Returns the action of a direction; `None` if no action slides that way.
    pub fn action(&self, direction: Direction) -> Option<usize> {
        self.0.iter().position(|&own| own == Some(direction))
    }

    /// Returns the number of actions.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no actions.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Finds the directions that explain the most trials, if they are better than any others. Each
    /// direction belongs to at most one action.
    pub(crate) fn find(trials: &[Trial], actions: usize) -> Result<ActionMap, String> {
        let mut explained = vec![[0_u32; 4]; actions];
        let mut tried = vec![0_u32; actions];
        for trial in trials {
            tried[trial.action] += 1;
            for direction in Direction::ALL {
                explained[trial.action][direction as usize] += u32::from(trial.fits(direction));
            }
        }
        let mut search = Search { explained: &explained, best: (0, Vec::new()), second: 0 };
        search.assign(&mut Vec::new(), [false; 4], 0);
        let Search { best: (most, mut map), second, .. } = search;
        if most < second + LEAST_TRIALS {
            return Err("no assignment of directions to actions explains the boards best".to_owned());
        }
        for (action, direction) in map.iter_mut().enumerate() {
            let fits = direction.map_or(0, |direction| explained[action][direction as usize]);
            if tried[action] < LEAST_TRIALS {
                return Err(format!("action {action} was executed only {} times", tried[action]));
            }
            if 2 * fits < tried[action] {
                *direction = None;
            }
        }
        Ok(ActionMap(map))
    }
}

impl Trial {
    /// Returns true if a slide in this direction explains the step, whatever tiles are new.
    fn fits(&self, direction: Direction) -> bool {
        match Board::new(self.before).slide(direction) {
            Some(after) => has_tiles(self.after, after.cells()),
            None => self.before == self.after,
        }
    }
}

/// Search over all assignments.
struct Search<'a> {
    explained: &'a [[u32; 4]],
    best: (u32, Vec<Option<Direction>>),
    second: u32,
}

impl Search<'_> {
    fn assign(&mut self, map: &mut Vec<Option<Direction>>, used: [bool; 4], sum: u32) {
        let Some(own) = self.explained.get(map.len()) else {
            if sum > self.best.0 {
                self.second = self.best.0;
                self.best = (sum, map.clone());
            } else {
                self.second = self.second.max(sum);
            }
            return;
        };
        for direction in Direction::ALL.into_iter().filter(|&direction| !used[direction as usize]) {
            let mut used = used;
            used[direction as usize] = true;
            map.push(Some(direction));
            self.assign(map, used, sum + own[direction as usize]);
            map.pop();
        }
        // More actions than directions: one of them is no direction.
        if self.explained.len() - map.len() > used.iter().filter(|used| !**used).count() {
            map.push(None);
            self.assign(map, used, sum);
            map.pop();
        }
    }
}

impl fmt::Display for ActionMap {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (action, direction) in self.0.iter().enumerate() {
            let comma = if action > 0 { ", " } else { "" };
            let name = direction.map_or("none", Direction::name);
            write!(f, "{comma}{action} {name}")?;
        }
        Ok(())
    }
}
