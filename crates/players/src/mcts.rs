//! Monte Carlo tree search, for any game: UCT with chance nodes.
//!
//! Source: L. Kocsis and Cs. Szepesvári, "Bandit based Monte-Carlo Planning" (2006). Each round
//! descends the tree by the move with the largest mean plus `exploration` times √(ln n / k). Here n
//! is the number of choices at the node, and k of them were this move; moves never chosen come
//! first. When the descent leaves the tree, a node is added, and a random game is played from it.
//! The value of that game counts for each move on the path, from the view of the seat that made it.
//! The move chosen most often at the root is played; among equals the one with the better mean,
//! then the first in the order of moves.
//!
//! Chance: a move leads to a chance node, whose outcomes are the positions that occurred after it.
//! Each time the move is played again, so outcomes are as frequent as the rules make them.
//! Positions are recognized by equality. If each chance node has many outcomes, the tree stays
//! flat. `widening` lets it grow deeper, after A. Couëtoux et al., "Continuous Upper Confidence
//! Trees" (2011): a move chosen n times has at most `widening` × √n outcomes, rounded up. At the
//! limit, one of the known outcomes is drawn, in proportion to its frequency.
//!
//! Deviations: means are scaled to 0 to 1, as the theory requires. They are in that range in a
//! duel, and if wins count. Points of a solo game have no bound: 0 is the fewest points of any
//! random game of this search, and 1 the most. Moves never chosen are tried in random order, which
//! the source leaves open, because on a large board the move order would be a bias.
//!
//! Each search starts with an empty tree. A node of 2048 takes some 200 bytes with its moves.
//!
//! `millis` adds nodes until the time is over, but at least one and at most the largest `nodes`.

use gauntlet_core::game::{Game, Seat, Shape};
use gauntlet_core::num::{BoundedInt, CountLimit, Millis, bounded};
use gauntlet_core::player::{
    Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, RecipeFacts, Start, Stop,
};
use gauntlet_core::rng::{Rng, Seed};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::budget::Budget;
use super::playout_value::{self, PlayoutValue};

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Monte Carlo tree search (UCT) with random playouts.
algorithm = "mcts"
# tree nodes per move, 1 to 10000000; default 1000
nodes = 40
# instead of nodes: time limit of the search
# millis = 0.5
# exploration constant, 0 to 1000; a win has value 1
exploration = 0.5
# result of a random game: "score" (in two-player games 1, 1/2 or 0) or "win"
value = "score"
# progressive widening: a move has at most this times sqrt(visits) outcomes
# widening = 1.0
# maximum number of moves per random game; default: no limit
# rollout_moves = 50
"#;

/// Examples of settings that [`EXAMPLE`] leaves out.
pub const MORE_EXAMPLES: &[&str] = &[r#"algorithm = "mcts"
nodes = 40
widening = 0.5
rollout_moves = 12
"#];

/// Maximum number of nodes.
const MAX_NODES: u32 = 10_000_000;

/// Number of nodes per search.
type NodeLimit = CountLimit<1, MAX_NODES>;

/// Number of nodes if no limit is written.
const DEFAULT_NODES: NodeLimit = NodeLimit::new(1000);

/// Settings of Monte Carlo tree search.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Number of nodes per search, each with a random game.
    pub nodes: Option<NodeLimit>,
    /// Time limit in milliseconds.
    pub millis: Option<Millis>,
    /// Factor of the exploration bonus for rarely chosen moves.
    pub exploration: Exploration,
    /// Value of a random game.
    pub value: PlayoutValue,
    /// Factor of the limit on outcomes of a move.
    pub widening: Option<Widening>,
    /// Maximum number of moves per random game.
    pub rollout_moves: Option<BoundedInt<1, 1_000_000>>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            nodes: None,
            millis: None,
            exploration: Exploration(0.5),
            value: PlayoutValue::default(),
            widening: None,
            rollout_moves: None,
        }
    }
}

/// Serializes the settings with the nodes if no limit is written, and without unused ones.
impl Serialize for Config {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct EffectiveSettings {
            #[serde(skip_serializing_if = "Option::is_none")]
            nodes: Option<NodeLimit>,
            #[serde(skip_serializing_if = "Option::is_none")]
            millis: Option<Millis>,
            exploration: Exploration,
            value: PlayoutValue,
            widening: Option<Widening>,
            rollout_moves: Option<BoundedInt<1, 1_000_000>>,
        }

        let Config { nodes, millis, exploration, value, widening, rollout_moves } = *self;
        let nodes = nodes.or(millis.is_none().then_some(DEFAULT_NODES));
        EffectiveSettings { nodes, millis, exploration, value, widening, rollout_moves }.serialize(serializer)
    }
}

bounded! {
    /// Exploration constant in the bound that selects moves.
    Exploration: |factor| (0.0..=1000.0).contains(&factor), "must be from 0 to 1000, such as 0.5"
}

bounded! {
    /// Limit on the outcomes of a move, as a factor of the square root of its visits.
    Widening: |factor| factor > 0.0 && factor <= 1000.0, "must be above 0 and at most 1000, such as 1.0"
}

impl<G: Game> Recipe<G> for Config {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<G>>> {
        let budget = self.budget().map_err(|(_, message)| anyhow::Error::msg(message))?;
        Ok(Box::new(self.build_search::<G>(budget, context)))
    }

    fn facts(&self, _: &G::Rules) -> RecipeFacts {
        RecipeFacts { is_reproducible: self.millis.is_none(), ..RecipeFacts::default() }
    }

    fn contradiction(&self) -> Option<(&'static str, String)> {
        self.budget().err()
    }
}

impl Config {
    fn budget(&self) -> Result<Budget, (&'static str, String)> {
        Budget::from_settings_or(
            Budget::Nodes(DEFAULT_NODES.get().into()),
            [Budget::nodes(self.nodes), Budget::millis(self.millis)],
        )
    }

    fn build_search<G: Game>(&self, budget: Budget, context: &BuildContext) -> Mcts<G> {
        Mcts {
            budget,
            exploration: self.exploration.0,
            value: self.value,
            widening: self.widening.map(|widening| widening.0),
            max_moves: self.rollout_moves.map_or(u32::MAX, BoundedInt::get),
            game_rng: Seed::root(0).rng(),
            player_rng: Seed::root(1).rng(),
            root_score: 0,
            value_range: (0, 2),
            nodes: Vec::new(),
            edges: Vec::new(),
            path: Vec::new(),
            legal_moves: Vec::new(),
            max_depth: 0,
            stop: context.stop.clone(),
        }
    }
}

/// Index that means no node.
const NO_NODE: u32 = u32::MAX;

/// Position in the tree.
struct Node<G> {
    position: G,
    /// Seat to move; `None` if the game is over.
    seat: Option<Seat>,
    /// Range of its moves among all edges. It is empty before the node is passed for the first
    /// time.
    edges: (u32, u32),
    /// Number of moves that were chosen; they come first.
    tried_count: u32,
    /// Number of choices made here.
    choices: u32,
    /// Number of times that this outcome was drawn.
    visits: u32,
    /// Next outcome of the move that leads here.
    sibling: u32,
}

/// Move at a node, which is a chance node.
struct Edge<M> {
    mv: M,
    /// Index in the order of moves.
    move_index: u32,
    /// Number of times that it was chosen.
    visits: u32,
    /// Number of its outcomes, and the last that was found.
    outcomes: u32,
    last_outcome: u32,
    /// Sum of the random games through it, for the seat that moves, in halves.
    total: u64,
}

struct Mcts<G: Game> {
    budget: Budget,
    exploration: f64,
    value: PlayoutValue,
    widening: Option<f64>,
    max_moves: u32,
    /// The search's generators: for the game's randomness, and for random moves.
    game_rng: Rng,
    player_rng: Rng,
    /// Points at the root.
    root_score: u64,
    /// Smallest and largest value of a random game, in halves.
    value_range: (u64, u64),
    nodes: Vec<Node<G>>,
    edges: Vec<Edge<G::Move>>,
    /// Nodes and edges from the root down.
    path: Vec<(u32, u32)>,
    legal_moves: Vec<G::Move>,
    /// Length of the longest path of the last search.
    max_depth: usize,
    stop: Stop,
}

impl<G: Game> Player<G> for Mcts<G> {
    fn begin(&mut self, start: &Start<G>) {
        self.game_rng = start.seed.child("world", 0).rng();
        self.player_rng = start.seed.child("player", 0).rng();
    }

    fn choose(&mut self, position: &G) -> Result<Choice<G::Move>, NoMove> {
        let budget = self.budget.start();
        self.nodes.clear();
        self.edges.clear();
        self.root_score = position.state().outcome.score();
        let is_bounded = G::INFO.shape == Shape::Duel || self.value == PlayoutValue::Win;
        self.value_range = if is_bounded { (0, 2) } else { (u64::MAX, 0) };
        self.add_node(position.clone());
        self.expand(0);
        if self.edges.is_empty() || self.nodes[0].seat.is_none() {
            return Err(NoMove::forfeit("there is no legal move"));
        }
        self.max_depth = 0;
        loop {
            self.run_iteration();
            self.max_depth = self.max_depth.max(self.path.len());
            let (depth, nodes) = (self.max_depth as u32, self.nodes[0].choices);
            let is_exhausted = budget.is_exhausted(depth, nodes.into());
            if is_exhausted || nodes >= MAX_NODES || self.stop.is_requested() {
                break;
            }
        }
        self.stop.check()?;
        let best = self
            .root_edges()
            .max_by_key(|edge| (edge.visits, edge.total, std::cmp::Reverse(edge.move_index)));
        let best = best.expect("there is a move");
        let value = Some(playout_value::mean(best.total, best.visits.into()));
        Ok(Choice {
            value,
            nodes: self.nodes[0].choices.into(),
            depth: Some(self.max_depth as u32),
            ..Choice::new(best.mv)
        })
    }

    fn abilities(&mut self) -> Abilities<'_, G> {
        Abilities::Inspect(self)
    }
}

impl<G: Game> Inspect<G> for Mcts<G> {
    /// Returns the visits of each move at the root.
    fn counters(&mut self) -> Vec<(&'static str, Value)> {
        let visits =
            self.root_edges_by_move().into_iter().map(|edge| (edge.mv.to_string(), edge.visits.into()));
        vec![("visits", Value::Object(visits.collect()))]
    }

    fn move_values(&mut self, _position: &G) -> Vec<(G::Move, f64)> {
        let tried_edges = self.root_edges_by_move().into_iter().filter(|edge| edge.visits > 0);
        tried_edges.map(|edge| (edge.mv, playout_value::mean(edge.total, edge.visits.into()))).collect()
    }
}

impl<G: Game> Mcts<G> {
    /// Returns the moves of the root.
    fn root_edges(&self) -> impl Iterator<Item = &Edge<G::Move>> {
        let (first, end) = self.nodes.first().map_or((0, 0), |root| root.edges);
        self.edges[first as usize..end as usize].iter()
    }

    /// Returns the moves of the root in the order of moves.
    fn root_edges_by_move(&self) -> Vec<&Edge<G::Move>> {
        let mut edges: Vec<_> = self.root_edges().collect();
        edges.sort_by_key(|edge| edge.move_index);
        edges
    }

    /// Adds a node and returns its index.
    fn add_node(&mut self, position: G) -> u32 {
        let seat = position.to_move();
        let node =
            Node { position, seat, edges: (0, 0), tried_count: 0, choices: 0, visits: 1, sibling: NO_NODE };
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Lists the moves of a node.
    fn expand(&mut self, node: u32) {
        self.legal_moves.clear();
        self.nodes[node as usize].position.moves(&mut self.legal_moves);
        let first = self.edges.len() as u32;
        self.edges.extend(self.legal_moves.iter().zip(0..).map(|(&mv, move_index)| Edge {
            mv,
            move_index,
            visits: 0,
            outcomes: 0,
            last_outcome: NO_NODE,
            total: 0,
        }));
        self.nodes[node as usize].edges = (first, self.edges.len() as u32);
    }

    /// Descends the tree, adds a node, plays a random game from it, and updates the path with its
    /// value.
    fn run_iteration(&mut self) {
        self.path.clear();
        let mut node = 0;
        // Step 1: descend to a new node, or to the end of the game.
        let outcome = loop {
            if self.nodes[node as usize].seat.is_none() {
                break self.nodes[node as usize].position.state().outcome;
            }
            if self.nodes[node as usize].edges == (0, 0) {
                self.expand(node);
            }
            let Some(edge) = self.select(node) else {
                break self.nodes[node as usize].position.state().outcome;
            };
            self.path.push((node, edge));
            match self.make_move(node, edge) {
                Ok(child) => {
                    self.nodes[child as usize].visits += 1;
                    node = child;
                }
                Err(mut position) => {
                    // Step 2: play a random game from there.
                    let new_node = self.add_node(position.clone());
                    let edge = &mut self.edges[edge as usize];
                    self.nodes[new_node as usize].sibling = edge.last_outcome;
                    edge.last_outcome = new_node;
                    edge.outcomes += 1;
                    position.play_out(self.max_moves, &mut self.game_rng, &mut self.player_rng);
                    break position.state().outcome;
                }
            }
        };
        // Step 3: value it for each seat.
        let values =
            [Seat::First, Seat::Second].map(|seat| self.value.half_points(outcome, seat, self.root_score));
        for &(node, edge) in &self.path {
            let node = &mut self.nodes[node as usize];
            node.choices += 1;
            let edge = &mut self.edges[edge as usize];
            edge.visits += 1;
            edge.total += values[node.seat.expect("a seat has chosen").number()];
        }
        if G::INFO.shape == Shape::Solo {
            self.value_range = (self.value_range.0.min(values[0]), self.value_range.1.max(values[0]));
        }
    }

    /// Selects the move to descend by; `None` if there is no move.
    fn select(&mut self, node: u32) -> Option<u32> {
        let Node { edges: (first, end), tried_count, choices, .. } = self.nodes[node as usize];
        let moves = &mut self.edges[first as usize..end as usize];
        if (tried_count as usize) < moves.len() {
            let random_index = tried_count as usize
                + self.player_rng.below(moves.len() as u64 - u64::from(tried_count)) as usize;
            moves.swap(tried_count as usize, random_index);
            self.nodes[node as usize].tried_count += 1;
            return Some(first + tried_count);
        }
        let (low, high) = self.value_range;
        let (low, scale) = (low as f64, 1.0 / (high - low).max(1) as f64);
        // From `libm`, because logarithms differ between platforms.
        let log = libm::log(choices.into());
        let mut best = None;
        let mut best_bound = f64::NEG_INFINITY;
        for (edge, index) in moves.iter().zip(first..) {
            let visits = f64::from(edge.visits);
            let mean = (edge.total as f64 / visits - low) * scale;
            let bound = mean + self.exploration * (log / visits).sqrt();
            if bound > best_bound {
                (best, best_bound) = (Some(index), bound);
            }
        }
        best
    }

    /// Makes a move and returns the resulting node; a position without a node is returned as an
    /// error.
    fn make_move(&mut self, node: u32, edge: u32) -> Result<u32, G> {
        let Edge { mv, outcomes, last_outcome, visits, .. } = self.edges[edge as usize];
        if outcomes > 0
            && self
                .widening
                .is_some_and(|factor| f64::from(outcomes) >= factor * f64::from(visits + 1).sqrt())
        {
            return Ok(self.draw_outcome(last_outcome, visits));
        }
        let mut position = self.nodes[node as usize].position.clone();
        position.play(mv, &mut self.game_rng).expect("a listed move is legal");
        let mut candidate = last_outcome;
        while candidate != NO_NODE {
            let Node { position: other, sibling, .. } = &self.nodes[candidate as usize];
            if *other == position {
                return Ok(candidate);
            }
            candidate = *sibling;
        }
        Err(position)
    }

    /// Draws one of these outcomes in proportion to its frequency in this many visits.
    fn draw_outcome(&mut self, first: u32, visits: u32) -> u32 {
        let mut remaining = self.game_rng.below(visits.into()) as u32;
        let mut outcome = first;
        loop {
            let Node { visits, sibling, .. } = self.nodes[outcome as usize];
            if remaining < visits {
                return outcome;
            }
            remaining -= visits;
            outcome = sibling;
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_twenty48::rules::{Direction, Rules, Twenty48};

    use super::*;

    fn run_search(widening: Option<f64>, nodes: u32) -> Mcts<Twenty48> {
        let nodes = BoundedInt::try_from(i64::from(nodes)).ok();
        run_config(&Config { nodes, widening: widening.map(Widening), ..Config::default() })
    }

    fn run_config(config: &Config) -> Mcts<Twenty48> {
        let position = Twenty48::start(&Rules::default(), &mut Seed::root(2).rng());
        let budget = config.budget().expect("one limit");
        let mut search = config.build_search::<Twenty48>(budget, &BuildContext::default());
        search.begin(&Start { seed: Seed::root(5), seat: Seat::First, rules: &Rules::default() });
        search.choose(&position).expect("a move");
        search
    }

    #[test]
    fn a_time_limit_replaces_the_nodes() {
        let limited = Config { millis: Millis::try_from(0.001).ok(), ..Config::default() };
        assert!(run_config(&limited).nodes[0].choices >= 1);
        let mut millis = 0.001;
        while run_config(&Config { millis: Millis::try_from(millis).ok(), ..Config::default() }).max_depth < 3
        {
            millis *= 4.0;
        }
        assert!(!Recipe::<Twenty48>::facts(&limited, &Rules::default()).is_reproducible);
        let both = Config { nodes: Some(DEFAULT_NODES), ..limited };
        let message = "conflicts with `nodes`: set only one of them".to_owned();
        assert_eq!(Recipe::<Twenty48>::contradiction(&both), Some(("millis", message)));
    }

    fn outcomes<'a>(search: &'a Mcts<Twenty48>, edge: &Edge<Direction>) -> Vec<&'a Node<Twenty48>> {
        let mut nodes = Vec::new();
        let mut next_node = edge.last_outcome;
        while next_node != NO_NODE {
            nodes.push(&search.nodes[next_node as usize]);
            next_node = search.nodes[next_node as usize].sibling;
        }
        nodes
    }

    /// Every choice is counted once at each node, and outcomes of a move are different positions
    /// that follow from it.
    #[test]
    fn counts_add_up() {
        for widening in [None, Some(0.7)] {
            let search = run_search(widening, 3000);
            assert_eq!(search.nodes[0].choices, 3000);
            for node in &search.nodes {
                let edges = &search.edges[node.edges.0 as usize..node.edges.1 as usize];
                assert_eq!(node.choices, edges.iter().map(|edge| edge.visits).sum::<u32>());
                assert!(edges.iter().filter(|edge| edge.visits > 0).count() == node.tried_count as usize);
                for edge in edges {
                    let outcomes = outcomes(&search, edge);
                    assert_eq!(outcomes.len(), edge.outcomes as usize);
                    assert_eq!(edge.visits, outcomes.iter().map(|outcome| outcome.visits).sum::<u32>());
                    for (i, outcome) in outcomes.iter().enumerate() {
                        let after = node.position.board().slide(edge.mv).expect("a legal move");
                        let tiles =
                            after.cells().ranks().into_iter().zip(outcome.position.board().cells().ranks());
                        assert_eq!(tiles.filter(|(before, now)| before != now).count(), 1, "a tile came");
                        assert!(outcomes[..i].iter().all(|other| other.position != outcome.position));
                    }
                }
            }
        }
    }

    /// Tiles occur in the tree as often as by the rules: one in ten is a 4.
    #[test]
    fn outcomes_are_as_frequent_as_by_the_rules() {
        let search = run_search(None, 6000);
        let (mut total, mut fours) = (0, 0);
        for edge in search.root_edges() {
            let after = search.nodes[0].position.board().slide(edge.mv).expect("a legal move");
            let sum = |cells: gauntlet_twenty48::rules::Cells| cells.values().into_iter().sum::<u32>();
            for outcome in outcomes(&search, edge) {
                total += outcome.visits;
                if sum(outcome.position.board().cells()) == sum(after.cells()) + 4 {
                    fours += outcome.visits;
                }
            }
        }
        assert_eq!(total, 6000);
        let error = (0.1 * 0.9 / 6000.0_f64).sqrt();
        assert!((f64::from(fours) / 6000.0 - 0.1).abs() < 4.0 * error, "{fours}");
    }

    #[test]
    fn widening_bounds_outcomes() {
        let search = run_search(Some(0.7), 3000);
        let max_outcomes = |visits: u32| (0.7 * f64::from(visits).sqrt()).ceil().max(1.0) as u32;
        assert!(search.edges.iter().all(|edge| edge.outcomes <= max_outcomes(edge.visits)));
        assert!(
            search.root_edges().any(|edge| edge.outcomes == max_outcomes(edge.visits)),
            "the bound is reached"
        );
        let depth = |search: &Mcts<Twenty48>| search.max_depth;
        assert!(depth(&search) > depth(&run_search(None, 3000)), "it is there to make the tree deeper");
    }
}
