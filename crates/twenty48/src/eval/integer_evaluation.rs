//! Evaluations compiled into tables of whole numbers, for searches that add values in any order.

use super::feature::FeatureFunction;
use super::weights::{WeightedFeature, Weights};
use crate::rules::line::{Line, pack, reverse, unpack};
use crate::rules::{Cells, PackedLines};

/// Weighted sum of features as a whole number of units, where a unit is a power of two. Each part
/// of a line is rounded separately, and the features that do not fold are rounded together;
/// everything after that is exact.
pub trait IntegerEvaluation: Send {
    /// Type for sums over lines.
    type Sum: SumInteger;

    /// Data prepared for a board.
    type Prepared: Default + Send;

    /// True if there are features that do not fold into lines.
    const HAS_BOARD_FEATURES: bool;

    /// Returns the value of the row with this index.
    fn row(&self, index: usize, row: u16) -> Self::Sum;

    /// Returns the value of a column.
    fn column(&self, column: u16) -> Self::Sum;

    /// Returns the value of the features that do not fold.
    fn unfolded_value(&self, rows: PackedLines) -> i64;

    /// Returns true if `unfolded_value` mostly waits for memory, so that it pays to
    /// [`IntegerEvaluation::prepare`] many boards before the first is evaluated.
    #[inline(always)]
    fn is_memory_bound(&self) -> bool {
        false
    }

    /// Prefetches what [`IntegerEvaluation::unfolded_value`] will read for a board.
    #[inline(always)]
    fn prepare(&self, _rows: PackedLines, _prepared: &mut Self::Prepared) {}

    /// Returns the value of [`IntegerEvaluation::unfolded_value`] for a prepared board.
    #[inline(always)]
    fn prepared_unfolded_value(&self, rows: PackedLines, _prepared: &Self::Prepared) -> i64 {
        self.unfolded_value(rows)
    }

    /// Returns the table of values, if rows and columns share one and values have 32 bits.
    #[inline(always)]
    fn one_table(&self) -> Option<&[i32; 1 << 16]> {
        None
    }

    /// Returns the parts that all evaluations share.
    fn features(&self) -> &IntegerFeatures;

    /// Returns the value of a board with any tiles, by definition.
    fn value(&self, cells: Cells) -> i64 {
        self.features().value(cells)
    }
}

/// Whole number that is wide enough for the values of an evaluation.
pub trait SumInteger:
    Copy + Ord + std::ops::Add<Output = Self> + std::ops::Sub<Output = Self> + Into<i64> + Send + 'static
{
    /// Number below any value.
    const NONE: Self;

    /// Converts a number that fits.
    fn from_units(units: i64) -> Self;

    /// Returns the table, if its numbers have 32 bits.
    fn as_i32_table(table: &[Self; 1 << 16]) -> Option<&[i32; 1 << 16]>;
}

impl SumInteger for i32 {
    const NONE: i32 = i32::MIN;

    #[inline(always)]
    fn from_units(units: i64) -> i32 {
        units as i32
    }

    #[inline(always)]
    fn as_i32_table(table: &[i32; 1 << 16]) -> Option<&[i32; 1 << 16]> {
        Some(table)
    }
}

impl SumInteger for i64 {
    const NONE: i64 = i64::MIN;

    #[inline(always)]
    fn from_units(units: i64) -> i64 {
        units
    }

    #[inline(always)]
    fn as_i32_table(_table: &[i64; 1 << 16]) -> Option<&[i32; 1 << 16]> {
        None
    }
}

/// Features and unit of an evaluation in whole numbers.
#[derive(Debug)]
pub struct IntegerFeatures {
    features: Box<[WeightedFeature]>,
    /// True if the value of a row depends on its position.
    is_positional: bool,
    /// Units per point.
    scale: f64,
    /// Symmetries of the evaluation.
    pub symmetry: Symmetry,
}

/// Symmetries under which the value of an evaluation is known not to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// Identity only.
    None,
    /// Reflection in the diagonal.
    Diagonal,
    /// All eight symmetries of the square.
    Square,
}

/// Evaluation by one table: all features are sums over cells or lines, independent of position.
#[derive(Debug)]
struct OneTable<S, const BOARD_FEATURES: bool> {
    table: Box<[S; 1 << 16]>,
    features: IntegerFeatures,
}

/// Evaluation by five tables: the value of a row depends on its position.
#[derive(Debug)]
struct FiveTables<const BOARD_FEATURES: bool> {
    rows: Box<[i64; 4 << 16]>,
    columns: Box<[i64; 1 << 16]>,
    features: IntegerFeatures,
}

/// Constructor that receives an evaluation in the one of four forms that its weights need.
pub trait EvaluationVisitor {
    /// Player or search that is built.
    type Built;

    /// Builds it with this evaluation.
    fn visit(self, evaluation: impl IntegerEvaluation + 'static) -> Self::Built;
}

/// Bits of a value that should fit into 32: half of them are for lines, and half for points.
const NARROW_BITS: i32 = 30;
/// Bits of a value otherwise.
const VALUE_BITS: i32 = 45;
/// Bits of the largest feature that does not fold.
const BOARD_FEATURE_BITS: i32 = 22;
/// Maximum number of bits of a unit's inverse.
const SCALE_BITS: i32 = 20;

impl Weights {
    /// Compiles the weights. No value that a search adds exceeds `max_value`.
    pub fn compile_exact<B: EvaluationVisitor>(&self, max_value: f64, visitor: B) -> B::Built {
        let features = IntegerFeatures::new(self.features().collect());
        let has_board_features =
            features.features.iter().any(|feature| matches!(feature.function, FeatureFunction::Board(_)));
        match (features.is_positional, has_board_features) {
            (false, false) => visitor.visit(OneTable::<i32, false>::new(features, max_value)),
            (false, true) => visitor.visit(OneTable::<i64, true>::new(features, max_value)),
            (true, false) => visitor.visit(FiveTables::<false>::new(features, max_value)),
            (true, true) => visitor.visit(FiveTables::<true>::new(features, max_value)),
        }
    }

    /// Compiles the weights into the one form that suits all, for use with another evaluation.
    pub fn compile_exact_general<B: EvaluationVisitor>(&self, max_value: f64, visitor: B) -> B::Built {
        visitor.visit(FiveTables::<true>::new(IntegerFeatures::new(self.features().collect()), max_value))
    }
}

impl IntegerFeatures {
    /// Creates the parts of these features, whose unit is not chosen yet.
    fn new(features: Box<[WeightedFeature]>) -> IntegerFeatures {
        let is_positional = features.iter().any(|feature| feature.function.is_sum_over_rows());
        IntegerFeatures { features, is_positional, scale: 1.0, symmetry: Symmetry::None }
    }

    /// Returns the common parts without features, for use with another evaluation. No value that a
    /// search adds exceeds `max_value`.
    pub fn without_features(max_value: f64) -> IntegerFeatures {
        let mut features = IntegerFeatures::new(Box::new([]));
        features.choose_unit(0.0, VALUE_BITS, max_value);
        features
    }

    /// Converts points to units, limited to the maximum value.
    #[inline]
    pub fn units_at_most(&self, points: f64) -> i64 {
        let max_units = 1_i64 << VALUE_BITS;
        self.units(points).clamp(-max_units, max_units)
    }

    /// Converts points to units.
    #[inline]
    pub fn units(&self, points: f64) -> i64 {
        round(points * self.scale)
    }

    /// Converts units to points.
    pub fn points(&self, units: i64) -> f64 {
        units as f64 / self.scale
    }

    /// Chooses the unit so that none of these numbers of points needs more bits.
    fn choose_unit(&mut self, largest_part: f64, bits: i32, max_value: f64) {
        let weights = self.sum(|feature| match feature.function {
            FeatureFunction::Board(_) => feature.weight.abs(),
            _ => 0.0,
        });
        let spare_bits = |bits: i32, number: f64| bits - exponent(number);
        // A value has eight parts.
        let scale = spare_bits(bits - 3, largest_part)
            .min(spare_bits(bits - BOARD_FEATURE_BITS, weights))
            .min(spare_bits(bits, max_value))
            .min(SCALE_BITS);
        self.scale = 2_f64.powi(scale);
    }

    /// Returns the value of the row with this index, in points.
    fn row(&self, index: usize, row: Line) -> f64 {
        let line = self.column(row);
        if self.is_positional {
            line + self.sum(|feature| feature.cells_value(row))
                + self.sum(|feature| feature.place_value(index, row))
        } else {
            line
        }
    }

    /// Returns the value of a column, in points. If rows depend on their position, cells count in
    /// their rows alone; otherwise half in their rows and half in their columns.
    fn column(&self, column: Line) -> f64 {
        let line_sum = self.sum(|feature| feature.line_value(column));
        if self.is_positional {
            line_sum
        } else {
            line_sum + self.sum(|feature| feature.cells_value(column)) / 2.0
        }
    }

    /// Returns the value of every column, in points ([`IntegerFeatures::column`]).
    fn columns(&self) -> Vec<f64> {
        let mut columns =
            self.sums_over_lines(FeatureFunction::is_sum_over_lines, WeightedFeature::line_value);
        if !self.is_positional {
            let cells =
                self.sums_over_lines(FeatureFunction::is_sum_over_cells, WeightedFeature::cells_value);
            for (column, cells) in columns.iter_mut().zip(cells) {
                *column += cells / 2.0;
            }
        }
        columns
    }

    /// Returns the value of every row with this index, in points, if it depends on the position
    /// ([`IntegerFeatures::row`]).
    fn rows(&self, index: usize, columns: &[f64], cells: &[f64]) -> Vec<f64> {
        let places = self.sums_over_lines(FeatureFunction::is_sum_over_rows, |feature, row| {
            feature.place_value(index, row)
        });
        let lines = columns.iter().zip(cells).map(|(column, cells)| column + cells);
        lines.zip(places).map(|(line, place)| line + place).collect()
    }

    /// Returns the sum of a part of each feature that has it, for every line that fits into four
    /// nibbles.
    fn sums_over_lines(
        &self,
        has_part: fn(&FeatureFunction) -> bool,
        part: impl Fn(&WeightedFeature, Line) -> f64,
    ) -> Vec<f64> {
        let mut sums = vec![0.0; 1 << 16];
        for feature in self.features.iter().filter(|feature| has_part(&feature.function)) {
            for (line, sum) in (0..=u16::MAX).zip(&mut sums) {
                *sum += part(feature, unpack(line));
            }
        }
        sums
    }

    /// Returns the sum of a part of each feature.
    #[inline]
    fn sum(&self, part: impl Fn(&WeightedFeature) -> f64) -> f64 {
        self.features.iter().map(part).sum()
    }

    /// Returns the value of the features that do not fold. An infinite feature counts as the
    /// maximum.
    #[inline]
    fn unfolded_value(&self, cells: Cells) -> i64 {
        self.units_at_most(self.sum(|feature| match feature.function {
            FeatureFunction::Board(function) => feature.weight * function(cells),
            _ => 0.0,
        }))
    }

    fn value(&self, cells: Cells) -> i64 {
        let rows: i64 = (0..).zip(cells.rows()).map(|(index, row)| self.units(self.row(index, row))).sum();
        let columns: i64 = cells.columns().map(|column| self.units(self.column(column))).iter().sum();
        rows + columns + self.unfolded_value(cells)
    }
}

/// Rounds a number half away from zero, as `f64::round` does, without a call of a function. Numbers
/// outside the range become its ends.
#[inline(always)]
fn round(number: f64) -> i64 {
    let truncated = number as i64;
    // The difference has no more bits than the number, so it is exact.
    let fraction = number - truncated as f64;
    truncated.saturating_add(i64::from(fraction >= 0.5) - i64::from(fraction <= -0.5))
}

/// Returns the smallest e with 2^e at least as large as the number; for 0 one that restricts
/// nothing.
fn exponent(number: f64) -> i32 {
    if number == 0.0 { -1000 } else { libm::log2(number.abs()).ceil() as i32 }
}

/// Returns the largest of some parts.
fn largest_part(parts: impl Iterator<Item = f64>) -> f64 {
    parts.map(f64::abs).fold(0.0, f64::max)
}

impl<S: SumInteger, const BOARD_FEATURES: bool> OneTable<S, BOARD_FEATURES> {
    fn new(mut features: IntegerFeatures, max_value: f64) -> Self {
        let parts = features.columns();
        let bits = if BOARD_FEATURES { VALUE_BITS } else { NARROW_BITS };
        features.choose_unit(largest_part(parts.iter().copied()), bits, max_value);
        let table: Box<[S]> = parts.into_iter().map(|points| S::from_units(features.units(points))).collect();
        let table: Box<[S; 1 << 16]> = table.try_into().ok().expect("an entry for each line");
        let is_mirrored =
            |line: u16| table[usize::from(line)] == table[usize::from(pack(reverse(unpack(line))))];
        features.symmetry = if BOARD_FEATURES {
            Symmetry::None
        } else if (0..=u16::MAX).all(is_mirrored) {
            Symmetry::Square
        } else {
            Symmetry::Diagonal
        };
        OneTable { table, features }
    }
}

impl<S: SumInteger, const BOARD_FEATURES: bool> IntegerEvaluation for OneTable<S, BOARD_FEATURES> {
    type Prepared = ();
    type Sum = S;
    const HAS_BOARD_FEATURES: bool = BOARD_FEATURES;

    #[inline(always)]
    fn row(&self, _index: usize, row: u16) -> S {
        self.table[usize::from(row)]
    }

    #[inline(always)]
    fn column(&self, column: u16) -> S {
        self.table[usize::from(column)]
    }

    #[inline(always)]
    fn unfolded_value(&self, rows: PackedLines) -> i64 {
        if BOARD_FEATURES { self.features.unfolded_value(rows.cells()) } else { 0 }
    }

    #[inline(always)]
    fn one_table(&self) -> Option<&[i32; 1 << 16]> {
        if BOARD_FEATURES { None } else { S::as_i32_table(&self.table) }
    }

    fn features(&self) -> &IntegerFeatures {
        &self.features
    }
}

impl<const BOARD_FEATURES: bool> FiveTables<BOARD_FEATURES> {
    fn new(mut features: IntegerFeatures, max_value: f64) -> Self {
        let columns = features.columns();
        let rows: Vec<f64> = if features.is_positional {
            let cells =
                features.sums_over_lines(FeatureFunction::is_sum_over_cells, WeightedFeature::cells_value);
            (0..4).flat_map(|index| features.rows(index, &columns, &cells)).collect()
        } else {
            columns.repeat(4)
        };
        features.choose_unit(largest_part(rows.iter().chain(&columns).copied()), VALUE_BITS, max_value);
        let units = |points: Vec<f64>| -> Box<[i64]> {
            points.into_iter().map(|points| features.units(points)).collect()
        };
        let rows = units(rows).try_into().expect("as many for each place");
        let columns = units(columns).try_into().expect("an entry for each line");
        FiveTables { rows, columns, features }
    }
}

impl<const BOARD_FEATURES: bool> IntegerEvaluation for FiveTables<BOARD_FEATURES> {
    type Prepared = ();
    type Sum = i64;
    const HAS_BOARD_FEATURES: bool = BOARD_FEATURES;

    #[inline(always)]
    fn row(&self, index: usize, row: u16) -> i64 {
        self.rows[(index & 3) << 16 | usize::from(row)]
    }

    #[inline(always)]
    fn column(&self, column: u16) -> i64 {
        self.columns[usize::from(column)]
    }

    #[inline(always)]
    fn unfolded_value(&self, rows: PackedLines) -> i64 {
        if BOARD_FEATURES { self.features.unfolded_value(rows.cells()) } else { 0 }
    }

    fn features(&self) -> &IntegerFeatures {
        &self.features
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_half_away_from_zero() {
        let halves = (-40..=40).map(|number| f64::from(number) / 4.0);
        let near_halves = halves.clone().flat_map(|number| [number.next_up(), number.next_down()]);
        let powers = (0..70).flat_map(|power| [2_f64.powi(power), 2_f64.powi(power) - 0.5]);
        let large = powers.flat_map(|number| [number, -number]);
        let special = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -0.0, f64::MIN_POSITIVE, f64::MAX];
        for number in halves.chain(near_halves).chain(large).chain(special) {
            assert_eq!(round(number), number.round() as i64, "{number}");
        }
    }

    /// Tables contain the values by definition.
    #[test]
    fn tables_are_those_of_the_definition() {
        struct TableCheck;
        impl EvaluationVisitor for TableCheck {
            type Built = ();
            fn visit(self, evaluation: impl IntegerEvaluation + 'static) {
                let features = evaluation.features();
                for line in 0..=u16::MAX {
                    for index in 0..4 {
                        let value: i64 = evaluation.row(index, line).into();
                        assert_eq!(value, features.units(features.row(index, unpack(line))), "{line:04x}");
                    }
                    let value: i64 = evaluation.column(line).into();
                    assert_eq!(value, features.units(features.column(unpack(line))), "{line:04x}");
                }
            }
        }
        for weights in [
            &[("empty", 540.0), ("merges", 700.0), ("monotonicity-power", -47.0), ("rank-power", -22.3)][..],
            &[("empty", -1.7), ("islands", 3.0)],
            &[("snake-power", 0.3), ("empty", 2.1), ("merges", 0.7), ("rank-power", -0.2)],
            &[("islands", 2.0)],
        ] {
            let weights = Weights::from_pairs(weights);
            weights.compile_exact(1e6, TableCheck);
            weights.compile_exact_general(1e6, TableCheck);
        }
    }
}
