//! Evaluations compiled from weights into tables.

use super::feature::FeatureFunction;
use super::weights::{WeightedFeature, Weights};
use crate::rules::nibbles::{PackedLines, build_table};
use crate::rules::{Cells, Line};

/// Weighted sum of features. It is many times faster than computing the features one by one.
///
/// Sums over rows or columns are folded. They are computed once for each of the 65,536 possible
/// rows when the evaluation is built, which takes 2 to 8 ms. Other features, such as the number of
/// islands, are computed on the board each time. Tables end at the tile 32768; boards with larger
/// tiles are evaluated feature by feature.
///
/// Speed, from `cargo bench --bench twenty48 evaluation`, medians of one run: nneonneo's four
/// features take 10 ns per board instead of 193. A snake with three others takes 23 ns instead of
/// 239, a quarter of it for a feature that does not fold. Four features of which one folds take 36
/// ns instead of 126.
#[derive(Debug)]
pub struct Evaluation {
    line_tables: LineTables,
    /// Features that do not fold.
    board_features: Box<[BoardFeature]>,
    /// All features, for boards with large tiles.
    features: Box<[WeightedFeature]>,
}

/// Weight, and the function that evaluates the board.
type BoardFeature = (f64, fn(Cells) -> f64);

/// Value for each row.
type Table = Box<[f64; 1 << 16]>;

/// Features folded into tables of lines.
#[derive(Debug)]
enum LineTables {
    Nothing,
    /// Sums over cells, independent of position: four look-ups.
    Rows(Table),
    /// Sums over rows and columns: eight look-ups. A feature of cells counts half in its row and
    /// half in its column.
    Lines(Table),
    /// Sums that depend on the row's position: four look-ups, each in the table of its row.
    Places(Box<[Table; 4]>),
    /// Sums that depend on the row's position, and others over columns: eight look-ups in five
    /// tables.
    PlacesAndColumns(Box<[Table; 5]>),
}

impl Weights {
    /// Compiles the weights into tables.
    pub fn compile(&self) -> Evaluation {
        Evaluation::new(self.features().collect())
    }
}

impl Evaluation {
    fn new(features: Box<[WeightedFeature]>) -> Evaluation {
        let has_feature = |predicate: fn(&FeatureFunction) -> bool| {
            features.iter().any(|feature| predicate(&feature.function))
        };
        let has_line_features = has_feature(FeatureFunction::is_sum_over_lines);
        let has_row_features = has_feature(FeatureFunction::is_sum_over_rows);
        let has_cell_features = has_feature(FeatureFunction::is_sum_over_cells);
        let line_tables = match (has_row_features, has_line_features) {
            (false, false) if !has_cell_features => LineTables::Nothing,
            (false, false) => LineTables::Rows(build_table(|row| {
                features.iter().map(|feature| feature.cells_value(row)).sum()
            })),
            (false, true) => LineTables::Lines(build_table(|line| {
                features
                    .iter()
                    .map(|feature| feature.line_value(line) + feature.cells_value(line) / 2.0)
                    .sum()
            })),
            (true, _) => {
                let row_table = |index: usize| {
                    let row_value = |feature: &WeightedFeature, row| {
                        feature.line_value(row) + feature.cells_value(row) + feature.place_value(index, row)
                    };
                    build_table(|row| features.iter().map(|feature| row_value(feature, row)).sum())
                };
                let [a, b, c, d] = std::array::from_fn(row_table);
                if has_line_features {
                    let column_table =
                        build_table(|line| features.iter().map(|feature| feature.line_value(line)).sum());
                    LineTables::PlacesAndColumns(Box::new([a, b, c, d, column_table]))
                } else {
                    LineTables::Places(Box::new([a, b, c, d]))
                }
            }
        };
        let board_features = features.iter().filter_map(|feature| match feature.function {
            FeatureFunction::Board(function) => Some((feature.weight, function)),
            _ => None,
        });
        Evaluation { line_tables, board_features: board_features.collect(), features }
    }

    /// Returns the weighted sum.
    #[inline]
    pub fn value(&self, cells: Cells) -> f64 {
        let Some(rows) = cells.nibbles() else { return self.value_by_feature(cells) };
        let line_sum = match &self.line_tables {
            LineTables::Nothing => 0.0,
            LineTables::Rows(table) => sum([table; 4], rows),
            LineTables::Lines(table) => sum([table; 4], rows) + sum([table; 4], rows.transpose()),
            LineTables::Places(tables) => sum(tables.each_ref(), rows),
            LineTables::PlacesAndColumns(tables) => {
                let [a, b, c, d, column] = &**tables;
                sum([a, b, c, d], rows) + sum([column; 4], rows.transpose())
            }
        };
        let board_sum: f64 =
            self.board_features.iter().map(|(weight, function)| weight * function(cells)).sum();
        line_sum + board_sum
    }

    /// Returns the weighted sum, computed feature by feature. It works for tiles of any rank,
    /// unlike the tables.
    #[cold]
    pub fn value_by_feature(&self, cells: Cells) -> f64 {
        self.features.iter().map(|feature| feature.value(cells)).sum()
    }
}

/// Returns the sum over the lines, each looked up in its table.
#[inline]
fn sum(tables: [&Table; 4], lines: PackedLines) -> f64 {
    let [a, b, c, d] = lines.lines().map(usize::from);
    (tables[0][a] + tables[1][b]) + (tables[2][c] + tables[3][d])
}

impl WeightedFeature {
    pub(super) fn line_value(&self, line: Line) -> f64 {
        match self.function {
            FeatureFunction::Lines(function) => self.weight * function(line),
            FeatureFunction::LinesToPower(function, _) => self.weight * function(line, &self.powers),
            _ => 0.0,
        }
    }

    pub(super) fn cells_value(&self, row: Line) -> f64 {
        match self.function {
            FeatureFunction::Cells(function) => self.weight * function(row),
            FeatureFunction::CellsToPower(function, _) => self.weight * function(row, &self.powers),
            _ => 0.0,
        }
    }

    pub(super) fn place_value(&self, index: usize, row: Line) -> f64 {
        match self.function {
            FeatureFunction::Rows(function) => self.weight * function(index, row),
            _ => 0.0,
        }
    }
}
