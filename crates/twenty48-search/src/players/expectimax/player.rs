//! Player: searches each direction once, or deepens step by step.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use gauntlet_core::num::BoundedInt;
use gauntlet_core::player::{Abilities, Choice, Inspect, NoMove, Player, Preparation, Start, Stop};
use gauntlet_players::budget::Budget;
use gauntlet_twenty48::eval::{EvaluationVisitor, IntegerEvaluation};
use gauntlet_twenty48::rules::{Board, Direction, Twenty48};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bounds::Bounds;
use super::meter::Meter;
use super::rules::{MAX_DEPTH, NONE, Rules, tile_weight};
use super::search::Search;
use super::table::{Kind, Table};

/// Depth rule: the number of distinct tiles, minus a constant.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adaptive {
    /// Minimum depth.
    pub least: BoundedInt<1, MAX_DEPTH>,
    /// Amount subtracted from the number of distinct tiles.
    pub less: BoundedInt<0, 16>,
}

/// Parts of a player in addition to its evaluation.
#[derive(Debug)]
pub struct ExpectimaxSettings {
    pub(super) budget: Budget,
    pub(super) adaptive: Option<Adaptive>,
    /// Smallest probability of a board that is searched further.
    pub(super) min_probability: f32,
    pub(super) gains: bool,
    /// Value of a lost position, in points.
    pub(super) loss_value: f64,
    pub(super) is_loss_minimum: bool,
    /// Smallest value of a board that is searched further, as a factor of r 2^r.
    pub(super) least_value: Option<f64>,
    pub(super) fours: u32,
    pub(super) table_mib: u32,
    pub(super) kind: Kind,
    pub(super) has_bounds: bool,
    pub(super) preparation: Preparation,
    pub(super) stop: Stop,
}

impl ExpectimaxSettings {
    fn build_player<E: IntegerEvaluation>(self, evaluation: E) -> Expectimax<E> {
        let ExpectimaxSettings {
            budget,
            adaptive,
            min_probability,
            gains,
            is_loss_minimum,
            least_value,
            fours,
            ..
        } = self;
        let loss_value = evaluation.features().units(self.loss_value);
        let table = Table::new(self.table_mib, self.kind);
        let rules = Rules { min_probability, gains, loss_value, is_loss_minimum, min_value: NONE };
        let mut search = Search::new(evaluation, rules, table, Meter::new(self.stop));
        if self.has_bounds {
            search.bounds = Bounds::new::<E>(self.preparation);
        }
        Expectimax {
            budget,
            adaptive,
            min_probability,
            least_value,
            loss_value,
            fours,
            search,
            last_result: SearchResult::default(),
        }
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
    min_probability: f32,
    least_value: Option<f64>,
    /// Value of a lost position, unless `least_value` makes it less.
    loss_value: i64,
    fours: u32,
    search: Search<E>,
    last_result: SearchResult,
}

/// Results of the last choice.
#[derive(Default)]
struct SearchResult {
    /// Value of each legal direction, in units, starting with those that the last step compared.
    /// With bounds, directions that are not the best may have a number between their value and the
    /// best one.
    values: Vec<(Direction, i64)>,
    /// Number of directions that the last step compared: not all, if it was interrupted. The values
    /// of the others come from the previous step and are not comparable.
    compared_count: usize,
    nodes: u64,
    table_hits: u64,
    depth: u32,
    min_probability: f32,
}

impl SearchResult {
    fn compared_directions(&self) -> &[(Direction, i64)] {
        &self.values[..self.compared_count]
    }
}

/// Directions in the order of nneonneo's program.
pub(super) const DIRECTIONS: [Direction; 4] =
    [Direction::Up, Direction::Down, Direction::Left, Direction::Right];

/// Table size in mebibytes if it is not a setting.
pub(in crate::players) const TABLE_MIB: u32 = 8;

impl<E: IntegerEvaluation> Player<Twenty48> for Expectimax<E> {
    fn begin(&mut self, _start: &Start<Twenty48>) {
        self.last_result = SearchResult::default();
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
        vec![
            ("table_hits", self.table_hits().into()),
            ("least_probability", f64::from(self.last_result.min_probability).into()),
        ]
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
        let min_probability = match budget {
            Budget::Depth(_) => 0.0,
            Budget::Nodes(_) | Budget::Time(_) => 0.5_f32.powi(MAX_DEPTH as i32),
        };
        let settings = ExpectimaxSettings {
            budget,
            adaptive: None,
            min_probability,
            gains: true,
            loss_value: 0.0,
            is_loss_minimum: false,
            least_value: None,
            fours: u32::MAX,
            table_mib: if budget == Budget::Depth(1) { 0 } else { TABLE_MIB },
            kind: Kind::Ranged,
            has_bounds: false,
            preparation: Preparation::default(),
            stop,
        };
        settings.build_player(evaluation)
    }

    /// Returns the best move of a board.
    pub(in crate::players) fn choose_on(&mut self, board: Board) -> Result<Choice<Direction>, NoMove> {
        self.last_result = SearchResult::default();
        self.set_value_limits(board);
        match (self.adaptive, self.budget) {
            (Some(rule), _) => {
                let distinct_tiles = board.cells().different_tiles().count_ones();
                let depth = distinct_tiles.saturating_sub(rule.less.get()).max(rule.least.get());
                self.step(board, depth, self.min_probability, u64::MAX, None);
            }
            (None, Budget::Depth(depth)) => {
                self.step(board, depth, self.min_probability, u64::MAX, None);
            }
            (None, Budget::Nodes(nodes)) => self.deepen(board, nodes, None),
            (None, Budget::Time(time)) => self.deepen(board, u64::MAX, Some(time)),
        }
        self.search.meter.stop.check()?;
        let values = self.last_result.compared_directions().iter().copied();
        let best = values.reduce(|best, other| if other.1 > best.1 { other } else { best });
        let (mv, value) = best.ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        let value = Some(self.search.evaluation.features().points(value));
        Ok(Choice {
            value,
            nodes: self.last_result.nodes,
            depth: Some(self.last_result.depth),
            ..Choice::new(mv)
        })
    }

    /// Sets the limits that depend on the largest tile of a board.
    fn set_value_limits(&mut self, board: Board) {
        let Some(factor) = self.least_value else { return };
        let (evaluation, rules) = (&self.search.evaluation, &mut self.search.rules);
        let least_value = factor * tile_weight(board.cells().max_rank());
        rules.loss_value = self.loss_value.min(evaluation.features().units(-least_value));
        // On a bad board, all moves would be cut off.
        let min_value = evaluation.features().units(least_value);
        rules.min_value = if evaluation.value(board.cells()) < min_value { NONE } else { min_value };
    }

    /// Returns the number of boards of the last choice that were in the table.
    pub(in crate::players) fn table_hits(&self) -> u64 {
        self.last_result.table_hits
    }

    /// Returns the value of each direction that the last choice compared, in points.
    pub(in crate::players) fn direction_values(&self) -> Vec<(Direction, f64)> {
        let features = self.search.evaluation.features();
        self.last_result
            .compared_directions()
            .iter()
            .map(|&(direction, value)| (direction, features.points(value)))
            .collect()
    }

    /// Searches every direction to this depth, best of the previous step first. Returns false if a
    /// limit was reached. Then the searched directions are compared if there are two; values of
    /// different depths are not.
    fn step(
        &mut self,
        board: Board,
        depth: u32,
        min_probability: f32,
        max_nodes: u64,
        deadline: Option<Instant>,
    ) -> bool {
        let search = &mut self.search;
        search.table.clear();
        search.rules.min_probability = min_probability;
        search.meter.begin(max_nodes, deadline);
        let gains = search.rules.gains;
        let values = &mut self.last_result.values;
        if values.is_empty() {
            values.extend(DIRECTIONS.map(|direction| (direction, 0)));
            values.retain(|&(direction, _)| board.slide(direction).is_some());
        } else {
            values.sort_by_key(|&(_, value)| Reverse(value));
        }
        let mut new_values = [0; 4];
        let mut compared_count = 0;
        for &(direction, _) in values.iter() {
            let after = board.slide(direction).expect("a legal direction");
            if search.table.kind == Kind::Deep {
                search.table.clear_entries();
            }
            let gain =
                if gains { search.evaluation.features().units(board.gain(direction) as f64) } else { 0 };
            // With bounds it suffices to know that a direction is not better than the best one so
            // far.
            let best = new_values[..compared_count].iter().copied().max();
            let alpha = best.filter(|_| search.bounds.is_some()).unwrap_or(i64::MIN);
            new_values[compared_count] = gain + search.value(after, depth - 1, self.fours, alpha);
            if search.meter.is_over {
                break;
            }
            compared_count += 1;
        }
        self.last_result.nodes += search.meter.nodes;
        self.last_result.table_hits += search.meter.table_hits;
        let is_done = !search.meter.is_over;
        if is_done || compared_count > 1 {
            for ((_, value), new_value) in values.iter_mut().zip(&new_values[..compared_count]) {
                *value = *new_value;
            }
            (self.last_result.compared_count, self.last_result.depth, self.last_result.min_probability) =
                (compared_count, depth, min_probability);
        }
        is_done
    }

    /// Computes the values of all directions that the last step compared, which may only have
    /// bounds. After a stop request they are meaningless.
    fn value_all(&mut self, board: Board) {
        let SearchResult { depth, min_probability, compared_count, ref mut values, .. } = self.last_result;
        let search = &mut self.search;
        search.table.clear();
        search.rules.min_probability = min_probability;
        search.meter.begin(u64::MAX, None);
        for (direction, value) in &mut values[..compared_count] {
            let after = board.slide(*direction).expect("a legal direction");
            *value = search.value(after, depth - 1, self.fours, i64::MIN);
        }
    }

    /// Deepens until this number of boards was searched, or the time is over.
    fn deepen(&mut self, board: Board, nodes: u64, time: Option<Duration>) {
        self.search.prepare_bounds(board);
        let start = Instant::now();
        let deadline = time.map(|time| start + time);
        for step in 1..=MAX_DEPTH {
            let (depth, min_probability) = match self.min_probability {
                0.0 => (step, 0.0),
                min_probability => (step, min_probability.max(0.5_f32.powi(step as i32))),
            };
            // The first step is always completed.
            let is_first = step == 1;
            let node_budget = if is_first { u64::MAX } else { nodes.saturating_sub(self.last_result.nodes) };
            let is_done =
                self.step(board, depth, min_probability, node_budget, deadline.filter(|_| !is_first));
            let is_exhausted =
                self.last_result.nodes >= nodes || deadline.is_some_and(|end| Instant::now() >= end);
            if !is_done || is_exhausted || self.last_result.values.len() < 2 {
                break;
            }
        }
    }
}
