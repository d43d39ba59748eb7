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
use crate::players::network_evaluation::{NetworkEvaluation, ZeroEvaluation};

/// Maximum number of points in a game, and so on a path.
pub(in crate::players) const MAX_POINTS: f64 = 4e6;

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
        MAX_POINTS
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
    const IS_CUSTOM: bool;

    /// Returns its weights, if it has any.
    fn weights(&self) -> Option<Weights>;

    /// Returns the value of a lost position.
    fn loss_value(&self) -> f64;

    /// Returns true if no position is worth less than a lost one.
    fn is_loss_minimum(&self) -> bool;

    /// Builds the player with these weights and a network with its weight; `None` if nothing has a
    /// weight. No other value that is added exceeds `max_value`. It is not generic, so that the
    /// search of a named evaluation is compiled only here.
    fn build_player(
        &self,
        weights: Option<&Weights>,
        network: Option<(Arc<Network>, f64)>,
        max_value: f64,
        settings: ExpectimaxSettings,
    ) -> Option<Box<dyn Player<Twenty48>>>;
}

impl<E: Evaluate> EvaluationSetting for E {
    const IS_CUSTOM: bool = true;

    fn weights(&self) -> Option<Weights> {
        None
    }

    fn loss_value(&self) -> f64 {
        Evaluate::loss_value(self)
    }

    fn is_loss_minimum(&self) -> bool {
        false
    }

    fn build_player(
        &self,
        weights: Option<&Weights>,
        network: Option<(Arc<Network>, f64)>,
        max_value: f64,
        settings: ExpectimaxSettings,
    ) -> Option<Box<dyn Player<Twenty48>>> {
        let (max_value, visitor) =
            (max_value.max(self.max_value()), CustomVisitor { visitor: settings, evaluation: self.clone() });
        Some(match (weights, network) {
            (None, _) => visitor.visit(ZeroEvaluation(IntegerFeatures::without_features(max_value))),
            (Some(weights), None) => weights.compile_exact_general(max_value, visitor),
            (Some(weights), Some(network)) => build_with_network(weights, network, max_value, visitor),
        })
    }
}

/// Builds with weights and a network as the evaluation.
pub(super) fn build_with_network<B: EvaluationVisitor>(
    weights: &Weights,
    (network, weight): (Arc<Network>, f64),
    max_value: f64,
    visitor: B,
) -> B::Built {
    weights.compile_exact_general(
        max_value.max(MAX_POINTS * weight.abs()),
        NetworkVisitor { visitor, network, weight },
    )
}

/// Constructor that adds a network to the evaluation.
struct NetworkVisitor<B> {
    visitor: B,
    network: Arc<Network>,
    weight: f64,
}

impl<B: EvaluationVisitor> EvaluationVisitor for NetworkVisitor<B> {
    type Built = B::Built;

    fn visit(self, base: impl IntegerEvaluation + 'static) -> B::Built {
        self.visitor.visit(NetworkEvaluation { base, network: self.network, weight: self.weight })
    }
}

/// Constructor that adds another package's evaluation.
struct CustomVisitor<B, E> {
    visitor: B,
    evaluation: E,
}

impl<B: EvaluationVisitor, E: Evaluate> EvaluationVisitor for CustomVisitor<B, E> {
    type Built = B::Built;

    fn visit(self, base: impl IntegerEvaluation + 'static) -> B::Built {
        self.visitor.visit(CustomEvaluation { base, evaluation: self.evaluation })
    }
}

/// Sum of another package's evaluation, weights and a network.
struct CustomEvaluation<R, E> {
    base: R,
    evaluation: E,
}

impl<R: IntegerEvaluation, E: Evaluate> CustomEvaluation<R, E> {
    #[inline(always)]
    fn units(&self, cells: Cells) -> i64 {
        self.base.features().units_at_most(self.evaluation.value(cells))
    }
}

impl<R: IntegerEvaluation, E: Evaluate> IntegerEvaluation for CustomEvaluation<R, E> {
    type Prepared = R::Prepared;
    type Sum = i64;
    const HAS_BOARD_FEATURES: bool = true;

    #[inline(always)]
    fn row(&self, index: usize, row: u16) -> i64 {
        self.base.row(index, row).into()
    }

    #[inline(always)]
    fn column(&self, column: u16) -> i64 {
        self.base.column(column).into()
    }

    #[inline(always)]
    fn unfolded_value(&self, rows: PackedLines) -> i64 {
        self.base.unfolded_value(rows) + self.units(rows.cells())
    }

    #[inline(always)]
    fn is_memory_bound(&self) -> bool {
        self.base.is_memory_bound()
    }

    #[inline(always)]
    fn prepare(&self, rows: PackedLines, prepared: &mut R::Prepared) {
        self.base.prepare(rows, prepared);
    }

    #[inline(always)]
    fn prepared_unfolded_value(&self, rows: PackedLines, prepared: &R::Prepared) -> i64 {
        self.base.prepared_unfolded_value(rows, prepared) + self.units(rows.cells())
    }

    fn features(&self) -> &IntegerFeatures {
        self.base.features()
    }

    fn value(&self, cells: Cells) -> i64 {
        self.base.value(cells) + self.units(cells)
    }
}
