//! Evaluation selected by the settings.

use gauntlet_core::num::Weight;
use gauntlet_core::player::Player;
use gauntlet_twenty48::eval::{Evaluation, Weights};
use gauntlet_twenty48::rules::{Cells, PackedLines, Twenty48};
use serde::Serialize;

use super::evaluation::{ArticleFinal, Corner27, McSimple, Repository, SnakeLinear, SwiftEvaluation};
use super::line_evaluation::LineEvaluation;
use super::table_evaluation::TableEvaluation;

/// Returns a contradiction between settings of the evaluation: the key to blame and what is wrong.
pub(super) fn contradiction(
    evaluation: Option<SwiftEvaluation>,
    empty_weight: Option<Weight>,
    weights: Option<&Weights>,
) -> Option<(&'static str, String)> {
    let weights = weights?;
    if weights.network().is_some() {
        Some(("weights", "have a `network`, which only `expectimax` accepts with features".to_owned()))
    } else if evaluation.is_some() {
        Some(("weights", "conflicts with `evaluation`".to_owned()))
    } else if empty_weight.is_some() {
        Some(("empty_weight", "needs an `evaluation`; with `weights`, set `empty` in `weights`".to_owned()))
    } else {
        None
    }
}

/// Player that lacks only its evaluation.
pub(super) trait PlayerBuilder {
    /// Builds the player.
    fn build_with(self, evaluation: impl LineEvaluation + 'static) -> Box<dyn Player<Twenty48>>;
}

/// Evaluation as recorded in settings.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum EvaluationSettings {
    /// Named formula.
    Formula {
        evaluation: SwiftEvaluation,
        /// Weight of the empty cells; `None` for the formula's, for players that cannot change it.
        #[serde(skip_serializing_if = "Option::is_none")]
        empty_weight: Option<Weight>,
    },
    /// Weighted features.
    Features { weights: Weights },
}

/// Builds the player with the evaluation that the settings select.
pub(super) fn build(
    evaluation: &EvaluationSettings,
    player: impl PlayerBuilder,
) -> Box<dyn Player<Twenty48>> {
    let (formula, empty_weight) = match evaluation {
        EvaluationSettings::Features { weights } => {
            return player.build_with(WeightedEvaluation(weights.compile()));
        }
        EvaluationSettings::Formula { evaluation, empty_weight } => (*evaluation, *empty_weight),
    };
    let empty_weight = empty_weight.unwrap_or(formula.empty_weight()).get();
    match formula {
        SwiftEvaluation::Corner27 => player.build_with(TableEvaluation::<Corner27>::new(empty_weight)),
        SwiftEvaluation::SnakeLinear57 => {
            player.build_with(TableEvaluation::<SnakeLinear>::new(empty_weight))
        }
        SwiftEvaluation::ArticleFinal => {
            player.build_with(TableEvaluation::<ArticleFinal>::new(empty_weight))
        }
        SwiftEvaluation::McSimple => player.build_with(TableEvaluation::<McSimple>::new(empty_weight)),
        SwiftEvaluation::Repo57 | SwiftEvaluation::Repo117 => {
            player.build_with(TableEvaluation::<Repository>::new(empty_weight))
        }
    }
}

/// Weighted features. They have their own tables, so the row sums here only record the rows.
pub(super) struct WeightedEvaluation(pub(super) Evaluation);

impl LineEvaluation for WeightedEvaluation {
    type Rows = u64;
    type Columns = ();

    fn value(&self, cells: Cells) -> f64 {
        self.0.value(cells)
    }

    #[inline]
    fn row(&self, index: usize, row: u16) -> u64 {
        u64::from(row) << (16 * index)
    }

    #[inline]
    fn add_rows(one: u64, other: u64) -> u64 {
        one | other
    }

    #[inline]
    fn column(&self, _column: u16) {}

    #[inline]
    fn add_columns((): (), (): ()) {}

    #[inline]
    fn sum(&self, rows: u64, (): ()) -> f64 {
        self.0.value(PackedLines::new(rows).cells())
    }
}
