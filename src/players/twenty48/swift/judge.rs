//! What a search wants of an evaluation, and which one the settings ask for.

use serde::Serialize;

use super::Named;
use super::evaluation::{ArticleFinal, Corner27, McSimple, Repository, SnakeLinear};
use super::quick::Quick;
use crate::eval::twenty48::{Evaluation, Weights};
use crate::games::twenty48::{Cells, Nibbles, Twenty48};
use crate::num::Weight;
use crate::player::Player;

/// What a search wants of an evaluation. Cells without a tile over 32768 can be looked at by lines, and what the lines
/// say can be joined in any order: so a search that changes one row need not look at the others again.
pub(super) trait Judge: Send {
    /// What some rows say.
    type Rows: Copy;
    /// What some columns say.
    type Columns: Copy;

    /// What the cells are worth, by definition.
    fn value(&self, cells: Cells) -> f64;

    /// What a row of nibbles says, this one from the top.
    fn row(&self, index: usize, row: u16) -> Self::Rows;

    /// What two sets of rows say together.
    fn rows(one: Self::Rows, other: Self::Rows) -> Self::Rows;

    /// What a column of nibbles says.
    fn column(&self, column: u16) -> Self::Columns;

    /// What two sets of columns say together.
    fn columns(one: Self::Columns, other: Self::Columns) -> Self::Columns;

    /// What four rows and four columns are worth, to the last bit as by definition.
    fn sum(&self, rows: Self::Rows, columns: Self::Columns) -> f64;

    /// What any cells are worth, the quick way if there is one.
    #[inline]
    fn worth(&self, cells: Cells) -> f64 {
        match cells.nibbles() {
            Some(rows) => self.quick(rows, rows.transposed()),
            None => self.value(cells),
        }
    }

    /// What all rows say.
    #[inline(always)]
    fn all_rows(&self, rows: Nibbles) -> Self::Rows {
        let [a, b, c, d] = rows.lines();
        Self::rows(Self::rows(self.row(0, a), self.row(1, b)), Self::rows(self.row(2, c), self.row(3, d)))
    }

    /// What all columns say.
    #[inline(always)]
    fn all_columns(&self, columns: Nibbles) -> Self::Columns {
        let [a, b, c, d] = columns.lines().map(|column| self.column(column));
        Self::columns(Self::columns(a, b), Self::columns(c, d))
    }

    /// What the cells are worth, given by rows and by columns.
    #[inline(always)]
    fn quick(&self, rows: Nibbles, columns: Nibbles) -> f64 {
        self.sum(self.all_rows(rows), self.all_columns(columns))
    }
}

/// Settings about evaluations that contradict each other: the key to blame and what is wrong.
pub(super) fn contradiction(
    evaluation: Option<Named>,
    empty_weight: Option<Weight>,
    weights: Option<&Weights>,
) -> Option<(&'static str, String)> {
    weights?;
    if evaluation.is_some() {
        Some(("weights", "cannot stand beside `evaluation`: a board is worth one or the other".to_owned()))
    } else if empty_weight.is_some() {
        Some(("empty_weight", "belongs to an `evaluation`; beside `weights`, say `empty` there".to_owned()))
    } else {
        None
    }
}

/// What makes a player of an evaluation, whichever it is.
pub(super) trait Build {
    /// The player.
    fn with(self, judge: impl Judge + 'static) -> Box<dyn Player<Twenty48>>;
}

/// What a board is worth, as settings are recorded.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Worth {
    /// A named formula.
    Formula {
        evaluation: Named,
        /// Of the empty cells; without it, for players that cannot change it, the formula's own.
        #[serde(skip_serializing_if = "Option::is_none")]
        empty_weight: Option<Weight>,
    },
    /// Features.
    Features { weights: Weights },
}

/// Makes a player of an evaluation.
pub(super) fn build(worth: &Worth, player: impl Build) -> Box<dyn Player<Twenty48>> {
    let (named, empty_weight) = match worth {
        Worth::Features { weights } => return player.with(Weighed(weights.evaluation())),
        Worth::Formula { evaluation, empty_weight } => (*evaluation, *empty_weight),
    };
    let empty_weight = empty_weight.unwrap_or(named.empty_weight()).get();
    match named {
        Named::Corner27 => player.with(Quick::<Corner27>::new(empty_weight)),
        Named::SnakeLinear57 => player.with(Quick::<SnakeLinear>::new(empty_weight)),
        Named::ArticleFinal => player.with(Quick::<ArticleFinal>::new(empty_weight)),
        Named::McSimple => player.with(Quick::<McSimple>::new(empty_weight)),
        Named::Repo57 | Named::Repo117 => player.with(Quick::<Repository>::new(empty_weight)),
    }
}

/// Features with weights. They come with tables of their own, so what rows say here is only where they lie.
pub(super) struct Weighed(pub(super) Evaluation);

impl Judge for Weighed {
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
    fn rows(one: u64, other: u64) -> u64 {
        one | other
    }

    #[inline]
    fn column(&self, _column: u16) {}

    #[inline]
    fn columns((): (), (): ()) {}

    #[inline]
    fn sum(&self, rows: u64, (): ()) -> f64 {
        self.0.value(Nibbles::new(rows).cells())
    }
}
