//! Player: searches each direction once, or deepens step by step.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use gauntlet_core::num::BoundedInt;
use gauntlet_core::player::{Abilities, Choice, Inspect, NoMove, Player, Start, Stop};
use gauntlet_players::budget::Budget;
use gauntlet_twenty48::eval::{EvaluationVisitor, IntegerEvaluation};
use gauntlet_twenty48::rules::{Board, Direction, Twenty48};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bounds::Bounds;
use super::meter::Meter;
use super::rules::{MOST_DEPTH, Rules};
use super::search::Search;
use super::table::{Kind, Table};

/// Depth rule: the number of distinct tiles, minus a constant.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adaptive {
    /// Minimum depth.
    pub least: BoundedInt<1, MOST_DEPTH>,
    /// Amount subtracted from the number of distinct tiles.
    pub less: BoundedInt<0, 16>,
}

/// Parts of a player in addition to its evaluation.
#[derive(Debug)]
pub struct ExpectimaxSettings {
    pub(super) budget: Budget,
    pub(super) adaptive: Option<Adaptive>,
    /// Smallest probability of a board that is searched further.
    pub(super) least: f32,
    pub(super) gains: bool,
    /// Value of a lost position, in points.
    pub(super) lost: f64,
    pub(super) lost_is_least: bool,
    pub(super) fours: u32,
    pub(super) table_mib: u32,
    pub(super) kind: Kind,
    pub(super) has_bounds: bool,
    pub(super) stop: Stop,
}

impl ExpectimaxSettings {
    fn build_player<E: IntegerEvaluation>(self, evaluation: E) -> Expectimax<E> {
        let ExpectimaxSettings { budget, adaptive, least, gains, lost_is_least, fours, .. } = self;
        let lost = evaluation.features().units(self.lost);
        let table = Table::new(self.table_mib, self.kind);
        let rules = Rules { least, gains, lost, lost_is_least };
        let mut search = Search::new(evaluation, rules, table, Meter::new(self.stop));
        if self.has_bounds {
            search.bounds = Bounds::new(&search.evaluation);
        }
        Expectimax { budget, adaptive, least, fours, search, found: Found::default() }
    }
}

impl EvaluationVisitor for ExpectimaxSettings {
    type Built = Box<dyn Player<Twenty48>>;

    fn visit(self, evaluation: impl IntegerEvaluation + 'static) -> Box<dyn Player<Twenty48>> {
        Box::new(self.build_player(evaluation))
    }
}

/// Search for a move, with one evaluation.
pub(in crate::players) struct Expectimax<E: IntegerEvaluation> {
    budget: Budget,
    adaptive: Option<Adaptive>,
    least: f32,
    fours: u32,
    search: Search<E>,
    found: Found,
}

/// Results of the last choice.
#[derive(Default)]
struct Found {
    /// Value of each legal direction, in units, starting with those that the last step compared.
    /// With bounds, directions that are not the best may have a number between their value and the
    /// best one.
    values: Vec<(Direction, i64)>,
    /// Number of directions that the last step compared: not all, if it was interrupted. The values
    /// of the others come from the previous step and are not comparable.
    compared: usize,
    nodes: u64,
    known: u64,
    depth: u32,
    least: f32,
}

impl Found {
    fn compared_directions(&self) -> &[(Direction, i64)] {
        &self.values[..self.compared]
    }
}

/// Directions in the order of nneonneo's program.
pub(super) const DIRECTIONS: [Direction; 4] =
    [Direction::Up, Direction::Down, Direction::Left, Direction::Right];

/// Table size in mebibytes if it is not a setting.
pub(in crate::players) const TABLE_MIB: u32 = 8;

impl<E: IntegerEvaluation> Player<Twenty48> for Expectimax<E> {
    fn begin(&mut self, _start: &Start<Twenty48>) {
        self.found = Found::default();
    }

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        self.choose_on(position.board())
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl<E: IntegerEvaluation> Inspect<Twenty48> for Expectimax<E> {
    fn counters(&mut self) -> Vec<(&'static str, Value)> {
        vec![("known", self.table_hits().into()), ("least_probability", f64::from(self.found.least).into())]
    }

    fn move_values(&mut self, position: &Twenty48) -> Vec<(Direction, f64)> {
        if self.search.bounds.is_some() {
            self.value_all(position.board());
        }
        self.direction_values()
    }
}

impl<E: IntegerEvaluation> Expectimax<E> {
    /// Creates the search of another player. Points count, and a lost position is worth nothing
    /// more. With a depth limit, no board is too improbable to be searched.
    pub(in crate::players) fn with_points_only(evaluation: E, budget: Budget, stop: Stop) -> Expectimax<E> {
        let least = match budget {
            Budget::Depth(_) => 0.0,
            Budget::Nodes(_) | Budget::Time(_) => 0.5_f32.powi(MOST_DEPTH as i32),
        };
        let parts = ExpectimaxSettings {
            budget,
            adaptive: None,
            least,
            gains: true,
            lost: 0.0,
            lost_is_least: false,
            fours: u32::MAX,
            table_mib: if budget == Budget::Depth(1) { 0 } else { TABLE_MIB },
            kind: Kind::Ranged,
            has_bounds: false,
            stop,
        };
        parts.build_player(evaluation)
    }

    /// Returns the best move of a board.
    pub(in crate::players) fn choose_on(&mut self, board: Board) -> Result<Choice<Direction>, NoMove> {
        self.found = Found::default();
        match (self.adaptive, self.budget) {
            (Some(rule), _) => {
                let kinds = board.cells().different_tiles().count_ones();
                let depth = kinds.saturating_sub(rule.less.get()).max(rule.least.get());
                self.step(board, depth, self.least, u64::MAX, None);
            }
            (None, Budget::Depth(depth)) => {
                self.step(board, depth, self.least, u64::MAX, None);
            }
            (None, Budget::Nodes(nodes)) => self.deepen(board, nodes, None),
            (None, Budget::Time(time)) => self.deepen(board, u64::MAX, Some(time)),
        }
        self.search.meter.stop.check()?;
        let values = self.found.compared_directions().iter().copied();
        let best = values.reduce(|best, other| if other.1 > best.1 { other } else { best });
        let (mv, value) = best.ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        let value = Some(self.search.evaluation.features().points(value));
        Ok(Choice { value, nodes: self.found.nodes, depth: Some(self.found.depth), ..Choice::new(mv) })
    }

    /// Returns the number of boards of the last choice that were in the table.
    pub(in crate::players) fn table_hits(&self) -> u64 {
        self.found.known
    }

    /// Returns the value of each direction that the last choice compared, in points.
    pub(in crate::players) fn direction_values(&self) -> Vec<(Direction, f64)> {
        let common = self.search.evaluation.features();
        self.found
            .compared_directions()
            .iter()
            .map(|&(direction, value)| (direction, common.points(value)))
            .collect()
    }

    /// Searches every direction to this depth, best of the previous step first. Returns false if a
    /// limit was reached. Then the searched directions are compared if there are two; values of
    /// different depths are not.
    fn step(&mut self, board: Board, depth: u32, least: f32, most: u64, deadline: Option<Instant>) -> bool {
        let search = &mut self.search;
        search.table.forget();
        search.rules.least = least;
        search.meter.begin(most, deadline);
        let gains = search.rules.gains;
        let values = &mut self.found.values;
        if values.is_empty() {
            values.extend(DIRECTIONS.map(|direction| (direction, 0)));
            values.retain(|&(direction, _)| board.slide(direction).is_some());
        } else {
            values.sort_by_key(|&(_, value)| Reverse(value));
        }
        let mut deeper = [0; 4];
        let mut compared = 0;
        for &(direction, _) in values.iter() {
            let after = board.slide(direction).expect("a legal direction");
            if search.table.kind == Kind::Deep {
                search.table.clear_entries();
            }
            let gain =
                if gains { search.evaluation.features().units(board.gain(direction) as f64) } else { 0 };
            // With bounds it suffices to know that a direction is not better than the best one so
            // far.
            let best = deeper[..compared].iter().copied().max();
            let alpha = best.filter(|_| search.bounds.is_some()).unwrap_or(i64::MIN);
            deeper[compared] = gain + search.value(after, depth - 1, self.fours, alpha);
            if search.meter.is_over {
                break;
            }
            compared += 1;
        }
        self.found.nodes += search.meter.nodes;
        self.found.known += search.meter.known;
        let is_done = !search.meter.is_over;
        if is_done || compared > 1 {
            for ((_, value), deeper) in values.iter_mut().zip(&deeper[..compared]) {
                *value = *deeper;
            }
            (self.found.compared, self.found.depth, self.found.least) = (compared, depth, least);
        }
        is_done
    }

    /// Computes the values of all directions that the last step compared, which may only have
    /// bounds. After a stop request they are meaningless.
    fn value_all(&mut self, board: Board) {
        let Found { depth, least, compared, ref mut values, .. } = self.found;
        let search = &mut self.search;
        search.table.forget();
        search.rules.least = least;
        search.meter.begin(u64::MAX, None);
        for (direction, value) in &mut values[..compared] {
            let after = board.slide(*direction).expect("a legal direction");
            *value = search.value(after, depth - 1, self.fours, i64::MIN);
        }
    }

    /// Deepens until this number of boards was searched, or the time is over.
    fn deepen(&mut self, board: Board, nodes: u64, time: Option<Duration>) {
        let start = Instant::now();
        let deadline = time.map(|time| start + time);
        for step in 1..=MOST_DEPTH {
            let (depth, least) = match self.least {
                0.0 => (step, 0.0),
                least => (step, least.max(0.5_f32.powi(step as i32))),
            };
            // The first step is always completed.
            let is_first = step == 1;
            let left = if is_first { u64::MAX } else { nodes.saturating_sub(self.found.nodes) };
            let is_done = self.step(board, depth, least, left, deadline.filter(|_| !is_first));
            let is_spent = self.found.nodes >= nodes || deadline.is_some_and(|end| Instant::now() >= end);
            if !is_done || is_spent || self.found.values.len() < 2 {
                break;
            }
        }
    }
}
