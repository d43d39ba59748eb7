//! Evaluations of a search: built-in ones by name, or those of another package.

use std::fmt::Debug;
use std::sync::Arc;

use gauntlet_core::player::Player;
use gauntlet_twenty48::eval::{EvaluationVisitor, IntegerEvaluation, IntegerFeatures, Weights};
use gauntlet_twenty48::rules::{Cells, PackedLines, Twenty48};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::player::ExpectimaxSettings;
use crate::network::Network;
use crate::players::networked::{NetworkEvaluation, ZeroEvaluation};

/// Maximum number of points in a game, and so on a path.
pub(in crate::players) const MOST_POINTS: f64 = 4e6;

/// An evaluation of boards that another package brings to the search of `expectimax`.
///
/// Its fields are its settings: a table under the key `evaluation`. All other keys are those of
/// `expectimax`, `weights` and `network` too, whose values are added to its own. So the player is
/// one entry, and the search is compiled for the evaluation:
///
/// ```
/// use gauntlet_core::player::Algorithm;
/// use gauntlet_twenty48_search::expectimax_example;
/// use gauntlet_twenty48_search::players::expectimax::{Config, Evaluate};
/// use gauntlet_twenty48::rules::{Cells, Twenty48};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize)]
/// #[serde(deny_unknown_fields)]
/// pub struct Roomy {
///     pub empty: f64,
/// }
///
/// impl Evaluate for Roomy {
///     fn value(&self, board: Cells) -> f64 {
///         self.empty * f64::from(board.count_empty())
///     }
/// }
///
/// const EXAMPLE: &str = expectimax_example!(
///     "# Expectimax that keeps cells empty.\nalgorithm = \"roomy\"\n",
///     "# what an empty cell is worth\nevaluation = { empty = 10 }\n"
/// );
///
/// const PLAYERS: &[Algorithm<Twenty48>] = &[Algorithm::new::<Config<Roomy>>("roomy", EXAMPLE)];
/// ```
pub trait Evaluate: Clone + Debug + Default + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Returns the value of a board just after a move; higher is better. Equal boards must have
    /// equal values, because the search caches them. It is rounded to a multiple of 2^-20, or to
    /// 2^-45 of [`Evaluate::max_value`] if that is coarser.
    fn value(&self, board: Cells) -> f64;

    /// Returns a bound on the absolute value. Larger values count as about this.
    fn max_value(&self) -> f64 {
        MOST_POINTS
    }

    /// Returns the value of a lost position if the setting `lost` is not written. If boards can be
    /// worth less than this, the player may try to lose.
    fn loss_value(&self) -> f64 {
        0.0
    }
}

/// Value of the setting `evaluation`: any [`Evaluate`], or a named evaluation.
pub trait EvaluationSetting:
    Clone + Debug + Default + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// True if it has a value in addition to its weights.
    const IS_OWN: bool;

    /// Returns its weights, if it has any.
    fn weights(&self) -> Option<Weights>;

    /// Returns the value of a lost position.
    fn loss_value(&self) -> f64;

    /// Returns true if no position is worth less than a lost one.
    fn is_loss_least(&self) -> bool;

    /// Builds the player with these weights and a network with its weight; `None` if nothing has a
    /// weight. No other value that is added exceeds `most`. It is not generic, so that the search
    /// of a named evaluation is compiled only here.
    fn build_player(
        &self,
        weights: Option<&Weights>,
        network: Option<(Arc<Network>, f64)>,
        most: f64,
        parts: ExpectimaxSettings,
    ) -> Option<Box<dyn Player<Twenty48>>>;
}

impl<E: Evaluate> EvaluationSetting for E {
    const IS_OWN: bool = true;

    fn weights(&self) -> Option<Weights> {
        None
    }

    fn loss_value(&self) -> f64 {
        Evaluate::loss_value(self)
    }

    fn is_loss_least(&self) -> bool {
        false
    }

    fn build_player(
        &self,
        weights: Option<&Weights>,
        network: Option<(Arc<Network>, f64)>,
        most: f64,
        parts: ExpectimaxSettings,
    ) -> Option<Box<dyn Player<Twenty48>>> {
        let (most, build) = (most.max(self.max_value()), WithOwn { build: parts, own: self.clone() });
        Some(match (weights, network) {
            (None, _) => build.visit(ZeroEvaluation(IntegerFeatures::without_features(most))),
            (Some(weights), None) => weights.compile_exact_general(most, build),
            (Some(weights), Some(network)) => build_with_network(weights, network, most, build),
        })
    }
}

/// Builds with weights and a network as the evaluation.
pub(super) fn build_with_network<B: EvaluationVisitor>(
    weights: &Weights,
    (network, weight): (Arc<Network>, f64),
    most: f64,
    build: B,
) -> B::Built {
    weights
        .compile_exact_general(most.max(MOST_POINTS * weight.abs()), WithNetwork { build, network, weight })
}

/// Constructor that adds a network to the evaluation.
struct WithNetwork<B> {
    build: B,
    network: Arc<Network>,
    weight: f64,
}

impl<B: EvaluationVisitor> EvaluationVisitor for WithNetwork<B> {
    type Built = B::Built;

    fn visit(self, rest: impl IntegerEvaluation + 'static) -> B::Built {
        self.build.visit(NetworkEvaluation { rest, network: self.network, weight: self.weight })
    }
}

/// Constructor that adds another package's evaluation.
struct WithOwn<B, E> {
    build: B,
    own: E,
}

impl<B: EvaluationVisitor, E: Evaluate> EvaluationVisitor for WithOwn<B, E> {
    type Built = B::Built;

    fn visit(self, rest: impl IntegerEvaluation + 'static) -> B::Built {
        self.build.visit(Own { rest, own: self.own })
    }
}

/// Sum of another package's evaluation, weights and a network.
struct Own<R, E> {
    rest: R,
    own: E,
}

impl<R: IntegerEvaluation, E: Evaluate> Own<R, E> {
    #[inline(always)]
    fn units(&self, cells: Cells) -> i64 {
        self.rest.features().units_at_most(self.own.value(cells))
    }
}

impl<R: IntegerEvaluation, E: Evaluate> IntegerEvaluation for Own<R, E> {
    type Prepared = R::Prepared;
    type Sum = i64;
    const IS_WHOLE: bool = true;

    #[inline(always)]
    fn row(&self, index: usize, row: u16) -> i64 {
        self.rest.row(index, row).into()
    }

    #[inline(always)]
    fn column(&self, column: u16) -> i64 {
        self.rest.column(column).into()
    }

    #[inline(always)]
    fn unfolded_value(&self, rows: PackedLines) -> i64 {
        self.rest.unfolded_value(rows) + self.units(rows.cells())
    }

    #[inline(always)]
    fn is_memory_bound(&self) -> bool {
        self.rest.is_memory_bound()
    }

    #[inline(always)]
    fn prepare(&self, rows: PackedLines, prepared: &mut R::Prepared) {
        self.rest.prepare(rows, prepared);
    }

    #[inline(always)]
    fn prepared_unfolded_value(&self, rows: PackedLines, prepared: &R::Prepared) -> i64 {
        self.rest.prepared_unfolded_value(rows, prepared) + self.units(rows.cells())
    }

    fn features(&self) -> &IntegerFeatures {
        self.rest.features()
    }

    fn value(&self, cells: Cells) -> i64 {
        self.rest.value(cells) + self.units(cells)
    }
}
