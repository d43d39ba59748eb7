//! Tables for people on a terminal: the most important columns first, times in suitable units.

use super::answer::AnswerText;
use super::column::{CellKind, ColumnRole, Priority};
use super::text_table::{ColumnContent, TableWidth, TextTable};
use super::{Cell, Column, Row, Table};
use crate::text::names::ShortNames;
use crate::text::{format_duration, format_duration_bounds};

impl Table {
    /// Writes the table, aligned, with each estimate and its interval in one column; or its
    /// answers, if it has some. On a terminal it shows as many columns as fit, and wraps answers.
    pub fn to_text(&self, table_width: Option<TableWidth>) -> String {
        match self.answers() {
            Some(answers) => {
                AnswerText::align(&answers, table_width.map(|table_width| table_width.width)).concat()
            }
            None => self.to_sheet().to_text(table_width),
        }
    }

    /// Writes the table as Markdown with the columns and units of the terminal, or its answers as a
    /// list.
    pub fn to_markdown(&self) -> String {
        match self.answers() {
            Some(answers) => answers.iter().map(AnswerText::to_markdown).collect(),
            None => self.to_sheet().to_markdown(),
        }
    }

    /// Writes the table as LaTeX with the columns and units of the terminal, or its answers as a
    /// list.
    pub fn to_latex(&self) -> String {
        match self.answers() {
            Some(answers) => {
                let items: String = answers.iter().map(AnswerText::to_latex).collect();
                format!("\\begin{{itemize}}\n{items}\\end{{itemize}}\n")
            }
            None => self.to_sheet().to_latex(),
        }
    }

    /// Returns the names of players in the table.
    pub fn player_names(&self) -> impl Iterator<Item = &str> {
        let columns = self.columns.iter().filter(|column| column.has_players());
        columns.flat_map(|column| self.rows().map(|row| row.words(column.name)))
    }

    /// Replaces names of players by their short forms, also in answers.
    pub fn cut_names(&mut self, names: &ShortNames) {
        let is_cut = |column: &Column| column.has_players() || matches!(column.kind, CellKind::Answer);
        let indices: Vec<usize> =
            (0..self.columns.len()).filter(|&index| is_cut(&self.columns[index])).collect();
        for row in &mut self.rows {
            for &index in &indices {
                if let Cell::Text(text) = &mut row[index] {
                    *text = names.cut(text);
                }
            }
        }
    }

    /// Returns the columns that people see, the most important ones first.
    pub fn to_sheet(&self) -> TextTable {
        let indices = self.columns_by_priority();
        let headings = indices.iter().map(|&index| {
            let column = &self.columns[index];
            let content = match column.kind {
                CellKind::Words if column.has_players() || column.name == "results" => ColumnContent::Names,
                CellKind::Words | CellKind::Verdict { .. } | CellKind::Answer | CellKind::Explanation => {
                    ColumnContent::Words
                }
                _ => ColumnContent::Numbers,
            };
            (self.text_heading(column), content)
        });
        let rows =
            self.rows().map(|row| indices.iter().map(|&index| self.format_text_cell(row, index)).collect());
        TextTable::new(headings.collect(), rows.collect())
    }

    /// Returns the columns that are shown, by priority.
    fn columns_by_priority(&self) -> Vec<usize> {
        let mut indices = self.shown_columns();
        let is_nonzero =
            |index: usize| self.rows.iter().any(|row| !matches!(row[index], Cell::Whole(0) | Cell::Nothing));
        let first_column = indices
            .iter()
            .copied()
            .find(|&index| index > 0 && self.columns[index].priority == Priority::First);
        indices.sort_by_key(|&index| match self.columns[index].priority {
            _ if index == 0 => 0,
            _ if Some(index) == first_column => 1,
            Priority::Exception if is_nonzero(index) => 2,
            Priority::First => 3,
            Priority::Setting => 4,
            Priority::Usual => 5,
            Priority::Exception => 6,
        });
        indices
    }

    pub(super) fn text_heading(&self, column: &Column) -> String {
        let heading = self.column_heading(column).text;
        match column.kind {
            _ if column.priority == Priority::Setting => heading.trim_start_matches("settings.").to_owned(),
            // Each cell has its unit.
            CellKind::Millis => heading.split(' ').filter(|&word| word != "ms").collect::<Vec<_>>().join(" "),
            _ => heading,
        }
    }

    pub(super) fn format_text_cell(&self, row: Row, index: usize) -> String {
        let column = &self.columns[index];
        if let (CellKind::Millis, &Cell::Below(bound, _)) = (column.kind, row.cell(column.name)) {
            return format!("< {}", format_duration(bound));
        }
        let Cell::Real(value, decimals) = *row.cell(column.name) else { return self.format_cell(row, index) };
        let bounds = row.estimate(column.name).and_then(|estimate| estimate.bounds());
        match (column.kind, column.role, bounds) {
            (CellKind::Millis, ColumnRole::All, Some((low, high))) => {
                format_duration_bounds(value, [low, high], decimals)
            }
            (CellKind::Millis, ColumnRole::All, None) => format_duration(value),
            _ => self.format_cell(row, index),
        }
    }
}

impl Column {
    /// Returns true if it has names of players.
    fn has_players(&self) -> bool {
        ["player", "than", "against"].contains(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Schema;

    /// A reading below a clock's resolution: less than its bound, for people and for programs.
    #[test]
    fn a_time_may_be_below_a_bound() {
        let columns = vec![
            Column::words("player"),
            Column::millis("ms"),
            Column::millis("low").low_of("ms"),
            Column::millis("high").high_of("ms"),
        ];
        let schema = Schema { name: "times", columns, level: Some(0.95) };
        let csv = "player,ms,low,high\na,<0.020000,,0.020000\n";
        let table = Table::from_csv(&schema, csv.as_bytes()).expect("a table");
        assert_eq!(String::from_utf8(table.to_csv()).expect("text"), csv);
        assert_eq!(table.fold_columns().1, [["a", "<0.020000"]]);
        assert!(table.to_text(None).contains(" < 20 µs\n"), "{}", table.to_text(None));
        assert_eq!(table.to_json()["rows"][0]["ms"], "<0.020000");
        assert!(Table::from_csv(&schema, b"player,ms,low,high\na,<x,,\n").is_err());
    }

    #[track_caller]
    fn check(csv: &str, expected: &str) {
        let columns = vec![
            Column::words("player"),
            Column::count("moves"),
            Column::count("cut").as_exception(),
            Column::millis("mean_ms").as_first(),
            Column::millis("cpu_ms_per_move").as_first(),
            Column::millis("low").low_of("cpu_ms_per_move"),
            Column::millis("high").high_of("cpu_ms_per_move"),
        ];
        let times = Schema { name: "times", columns, level: Some(0.95) };
        let csv = format!("player,moves,cut,mean_ms,cpu_ms_per_move,low,high\n{csv}\n");
        let table = Table::from_csv(&times, csv.as_bytes()).expect("is a table");
        assert_eq!(table.to_text(None), expected);
        // Files keep their order and their unit.
        assert_eq!(String::from_utf8(table.to_csv()).expect("text"), csv);
    }

    #[test]
    fn times_have_units_and_what_matters_comes_first() {
        check(
            "a,9,0,0.000101,0.003200,0.003100,0.003400\nb,10,0,45.100000,,,",
            "player    mean   cpu per move [95 %]  moves  cut\n\
             a       101 ns  3.20 µs [3.10, 3.40]      9    0\n\
             b        45 ms                           10    0\n",
        );
    }

    #[test]
    fn exceptions_stand_where_they_are_seen_once_there_are_some() {
        check(
            "a,9,1,1.000000,2.000000,,",
            "player  mean  cut  cpu per move [95 %]  moves\n\
             a       1 ms    1                 2 ms      9\n",
        );
    }
}
