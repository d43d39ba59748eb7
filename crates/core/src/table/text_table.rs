//! Tables of text for people, with the most important columns first. On a terminal, as many columns
//! are shown as fit.

use std::collections::{BTreeMap, BTreeSet};

use unicode_width::UnicodeWidthStr;

use crate::text::names::{fit_names, min_distinct_width, name_width};
use crate::text::{escape, wrap_line};

/// Content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnContent {
    /// Names, which may be cut if the width is limited.
    Names,
    /// Other words, left-aligned.
    Words,
    /// Numbers, right-aligned.
    Numbers,
}

/// Available width for a table on a terminal.
#[derive(Clone, Copy, Debug)]
pub struct TableWidth<'a> {
    /// Width of the terminal in columns.
    pub width: usize,
    /// Command or option that shows the columns that do not fit.
    pub full_table_hint: &'a str,
}

/// Headings and rows of text.
#[derive(Clone, Debug, Default)]
pub struct TextTable {
    headings: Vec<(String, ColumnContent)>,
    rows: Vec<Vec<String>>,
    /// Number of leading columns for which names are cut: those up to the first value after a name,
    /// unless more are needed.
    needed_count: usize,
}

/// Spaces between columns.
const GAP: usize = 2;

/// Width to which names are cut if otherwise hardly any column would be left.
const MIN_NAME_WIDTH: usize = 8;

/// Smallest width to which names are cut, even if they still do not fit. It has room for the
/// numbers that distinguish them.
const MIN_NUMBERED_WIDTH: usize = 4;

impl TextTable {
    /// Creates a sheet of rows with one cell per heading.
    pub fn new(headings: Vec<(String, ColumnContent)>, rows: Vec<Vec<String>>) -> TextTable {
        debug_assert!(rows.iter().all(|row| row.len() == headings.len()), "a row has other columns");
        let needed_count = count_named_columns(&headings) + 1;
        TextTable { headings, rows, needed_count }
    }

    /// Marks the columns up to this heading as needed: names are cut as short as possible before
    /// one of them is left out.
    pub fn with_needed(mut self, heading: &str) -> TextTable {
        let index = self.headings.iter().position(|(text, _)| text == heading);
        self.needed_count = index.map_or(self.needed_count, |index| index + 1);
        self
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Removes a column with equal cells in every row and returns their text. It does nothing
    /// without rows.
    pub fn take_constant_column(&mut self, heading: &str) -> Option<String> {
        let index = self.headings.iter().position(|(text, _)| text == heading)?;
        let common_text = self.rows.first()?[index].clone();
        if self.rows.iter().any(|row| row[index] != common_text) {
            return None;
        }
        self.headings.remove(index);
        self.rows.iter_mut().for_each(|row| _ = row.remove(index));
        self.needed_count -= usize::from(index < self.needed_count);
        Some(common_text)
    }

    /// Removes all columns after the first `count`.
    #[must_use]
    pub fn keep_first_columns(mut self, count: usize) -> TextTable {
        self.headings.truncate(count);
        self.rows.iter_mut().for_each(|row| row.truncate(count));
        TextTable { needed_count: self.needed_count.min(count), ..self }
    }

    /// Returns true if all columns fit once names are cut.
    pub fn fits_with_cut_names(&self, width: usize) -> bool {
        let widths = self.widths();
        let max_name_width = self.name_width(widths.len(), |names| name_width(names, width));
        self.total_width(&self.cut_widths(&widths, widths.len(), max_name_width), widths.len(), usize::MAX)
            <= width
    }

    /// Returns true if all columns fit.
    pub fn fits(&self, width: usize) -> bool {
        let widths = self.widths();
        self.total_width(&widths, widths.len(), usize::MAX) <= width
    }

    /// Writes the aligned sheet. On a terminal, names are cut and columns are left out from the
    /// right until it fits, with a note below. Columns without a value in any row are left out
    /// silently.
    pub fn to_text(&self, table_width: Option<TableWidth>) -> String {
        match table_width {
            None => self.align(None).0,
            Some(table_width) => {
                let (mut text, hidden_columns) = self.without_empty().align(Some(table_width.width));
                if !hidden_columns.is_empty() {
                    let note = format!(
                        "hidden columns: {} (see {})",
                        hidden_columns.join(", "),
                        table_width.full_table_hint
                    );
                    text += &(wrap_line(&note, Some(table_width.width)) + "\n");
                }
                text
            }
        }
    }

    /// Writes the sheet as Markdown.
    pub fn to_markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let header = line(self.headings.iter().map(|(heading, _)| escape::markdown(heading)).collect());
        let rule = |(_, content): &(String, ColumnContent)| {
            if *content == ColumnContent::Numbers { "---:" } else { "---" }.to_owned()
        };
        let rule = line(self.headings.iter().map(rule).collect());
        let rows = self.rows.iter().map(|row| line(row.iter().map(|cell| escape::markdown(cell)).collect()));
        header + &rule + &rows.collect::<String>()
    }

    /// Writes the sheet as a table of LaTeX, for the package booktabs.
    pub fn to_latex(&self) -> String {
        let line = |cells: Vec<String>| {
            let line = cells.join(" & ");
            // After the end of a row, a bracket or a star would be its argument.
            let guard = if line.starts_with(['[', '*']) { "{}" } else { "" };
            format!("{guard}{line} \\\\\n")
        };
        let column = |(_, content): &(String, ColumnContent)| {
            if *content == ColumnContent::Numbers { 'r' } else { 'l' }
        };
        let columns: String = self.headings.iter().map(column).collect();
        let header = line(self.headings.iter().map(|(heading, _)| escape::latex(heading)).collect());
        let rows: String =
            self.rows.iter().map(|row| line(row.iter().map(|cell| escape::latex(cell)).collect())).collect();
        format!(
            "\\begin{{tabular}}{{{columns}}}\n\\toprule\n{header}\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}\n"
        )
    }

    /// Returns the sheet without columns that are empty in every row.
    fn without_empty(&self) -> TextTable {
        let is_filled =
            |&index: &usize| self.rows.is_empty() || self.rows.iter().any(|row| !row[index].is_empty());
        let indices: Vec<usize> = (0..self.headings.len()).filter(is_filled).collect();
        TextTable {
            headings: indices.iter().map(|&index| self.headings[index].clone()).collect(),
            rows: self
                .rows
                .iter()
                .map(|row| indices.iter().map(|&index| row[index].clone()).collect())
                .collect(),
            needed_count: indices.iter().filter(|&&index| index < self.needed_count).count(),
        }
    }

    /// Returns the text, and the headings of the columns left out.
    fn align(&self, width: Option<usize>) -> (String, Vec<String>) {
        let widths = self.widths();
        let (count, max_name_width) =
            width.map_or((widths.len(), usize::MAX), |width| self.fit_columns(&widths, width));
        let widths = self.cut_widths(&widths, count, max_name_width);
        let short_names = self.cut_names(count, max_name_width);
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let mut line = String::new();
            for (index, cell) in cells.enumerate() {
                let padding = " ".repeat(widths[index].saturating_sub(cell.width()));
                let gap = if index == 0 { 0 } else { GAP };
                line.extend(std::iter::repeat_n(' ', gap));
                match self.headings[index].1 {
                    ColumnContent::Numbers => line = line + &padding + cell,
                    ColumnContent::Names | ColumnContent::Words => line = line + cell + &padding,
                }
            }
            line.trim_end().to_owned() + "\n"
        };
        let mut text = line(&mut self.headings[..count].iter().map(|(heading, _)| &**heading));
        for row in &self.rows {
            let cells: Vec<_> = row[..count].iter().map(|cell| escape::line(cell)).collect();
            let cells = cells.iter().zip(&self.headings).map(|(cell, (_, content))| match content {
                ColumnContent::Names => short_names
                    .as_ref()
                    .and_then(|short_names| short_names.get(&**cell))
                    .map_or(&**cell, String::as_str),
                _ => &**cell,
            });
            text += &line(&mut cells.into_iter());
        }
        (text, self.headings[count..].iter().map(|(heading, _)| heading.clone()).collect())
    }

    /// Returns the width of each column.
    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = self.headings.iter().map(|(heading, _)| heading.width()).collect();
        for row in &self.rows {
            for (cell, width) in row.iter().zip(&mut widths) {
                *width = (*width).max(escape::line(cell).width());
            }
        }
        widths
    }

    /// Returns the width of the first columns, with names cut to a width.
    fn total_width(&self, widths: &[usize], count: usize, max_name_width: usize) -> usize {
        let columns = self.headings.iter().zip(widths).take(count);
        let column_widths = columns.map(|((_, content), &width)| match content {
            ColumnContent::Names => width.min(max_name_width) + GAP,
            _ => width + GAP,
        });
        column_widths.sum::<usize>().saturating_sub(GAP)
    }

    /// Returns the number of columns that fit, and the width of names next to them.
    fn fit_columns(&self, widths: &[usize], width: usize) -> (usize, usize) {
        let count = widths.len();
        if self.total_width(widths, count, usize::MAX) <= width {
            return (count, usize::MAX);
        }
        let max_name_width = self.name_width(count, |names| name_width(names, width));
        let cut_widths = self.cut_widths(widths, count, max_name_width);
        let needed_count = self.needed_count.min(count);
        let fitting_count = (needed_count..=count)
            .rev()
            .find(|&count| self.total_width(&cut_widths, count, usize::MAX) <= width);
        if let Some(count) = fitting_count {
            return (count, max_name_width);
        }
        // Names are always kept.
        let named_count = count_named_columns(&self.headings).min(needed_count);
        let fits = |&count: &usize| {
            let min_name_width = self.name_width(count, min_distinct_width).max(MIN_NAME_WIDTH);
            self.total_width(widths, count, min_name_width) <= width
        };
        let count = (named_count..=needed_count).rev().find(fits).unwrap_or(named_count);
        let max_width = widths.iter().copied().max().unwrap_or(0).max(MIN_NUMBERED_WIDTH);
        let max_name_width = (MIN_NUMBERED_WIDTH..=max_width)
            .rev()
            .find(|&max_name_width| self.total_width(widths, count, max_name_width) <= width);
        (count, max_name_width.unwrap_or(MIN_NUMBERED_WIDTH))
    }

    /// Returns a width for the names in the first columns.
    fn name_width(&self, count: usize, width_of: impl Fn(&[&str]) -> usize) -> usize {
        let names = self.names(count);
        width_of(&names.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Returns the width of each column if the names in the first columns are cut to a width.
    fn cut_widths(&self, widths: &[usize], count: usize, max_name_width: usize) -> Vec<usize> {
        let mut widths = widths.to_vec();
        let Some(short_names) = self.cut_names(count, max_name_width) else { return widths };
        for (index, width) in widths.iter_mut().enumerate().take(count) {
            if self.headings[index].1 == ColumnContent::Names {
                let names = self.rows.iter().filter_map(|row| short_names.get(&*escape::line(&row[index])));
                *width =
                    names.map(|name| name.width()).max().unwrap_or(0).max(self.headings[index].0.width());
            }
        }
        widths
    }

    /// Returns the distinct names in the first columns, in order.
    fn names(&self, count: usize) -> Vec<String> {
        let indices: Vec<usize> =
            (0..count).filter(|&index| self.headings[index].1 == ColumnContent::Names).collect();
        let names = self.rows.iter().flat_map(|row| indices.iter().map(|&index| escape::line(&row[index])));
        let mut seen_names = BTreeSet::new();
        names.map(|name| name.into_owned()).filter(|name| seen_names.insert(name.clone())).collect()
    }

    /// Cuts the names in the first columns to this width; `None` if all are narrow enough.
    fn cut_names(&self, count: usize, width: usize) -> Option<BTreeMap<String, String>> {
        let names = self.names(count);
        if names.iter().all(|name| name.width() <= width) {
            return None;
        }
        let short_names = fit_names(&names.iter().map(String::as_str).collect::<Vec<_>>(), width);
        Some(names.into_iter().zip(short_names).collect())
    }
}

/// Returns the number of columns up to the first name; the first column if there are no names.
fn count_named_columns(headings: &[(String, ColumnContent)]) -> usize {
    headings.iter().position(|(_, content)| *content == ColumnContent::Names).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> TextTable {
        let headings = [
            ("player", ColumnContent::Names),
            ("win rate % [95 %]", ColumnContent::Numbers),
            ("depth", ColumnContent::Numbers),
            ("games", ColumnContent::Numbers),
            ("timed", ColumnContent::Words),
        ];
        let row = |name: &str, rate: &str| [name, rate, "", "500", "thoughts"].map(str::to_owned).to_vec();
        let rows = vec![
            row("swift-expectimax depth=5", "96.60 [94.62, 97.87]"),
            row("swift-expectimax depth=4", "82.60 [79.03, 85.67]"),
            row("random", "0.00 [0.00, 0.76]"),
        ];
        TextTable::new(headings.map(|(heading, content)| (heading.to_owned(), content)).to_vec(), rows)
    }

    #[track_caller]
    fn check(width: usize, expected: &str) {
        let text = sheet().to_text(Some(TableWidth { width, full_table_hint: "--format csv" }));
        assert_eq!(text, expected);
        assert!(text.lines().all(|line| line.width() <= width), "{text}");
    }

    #[test]
    fn off_a_terminal_everything_stays() {
        assert_eq!(
            sheet().to_text(None),
            "player                       win rate % [95 %]  depth  games  timed\n\
             swift-expectimax depth=5  96.60 [94.62, 97.87]           500  thoughts\n\
             swift-expectimax depth=4  82.60 [79.03, 85.67]           500  thoughts\n\
             random                       0.00 [0.00, 0.76]           500  thoughts\n"
        );
    }

    #[test]
    fn a_terminal_has_names_that_differ_and_the_first_columns() {
        // If everything fits, only the empty column is missing.
        check(
            70,
            "player                       win rate % [95 %]  games  timed\n\
             swift-expectimax depth=5  96.60 [94.62, 97.87]    500  thoughts\n\
             swift-expectimax depth=4  82.60 [79.03, 85.67]    500  thoughts\n\
             random                       0.00 [0.00, 0.76]    500  thoughts\n",
        );
        // Names stay whole as long as the most important columns fit.
        check(
            56,
            "player                       win rate % [95 %]  games\n\
             swift-expectimax depth=5  96.60 [94.62, 97.87]    500\n\
             swift-expectimax depth=4  82.60 [79.03, 85.67]    500\n\
             random                       0.00 [0.00, 0.76]    500\n\
             hidden columns: timed (see --format csv)\n",
        );
    }

    #[test]
    fn names_are_cut_only_for_the_first_value() {
        check(
            46,
            "player                       win rate % [95 %]\n\
             swift-expectimax depth=5  96.60 [94.62, 97.87]\n\
             swift-expectimax depth=4  82.60 [79.03, 85.67]\n\
             random                       0.00 [0.00, 0.76]\n\
             hidden columns: games, timed (see --format\n  csv)\n",
        );
        check(
            40,
            "player                 win rate % [95 %]\n\
             swift-exp… depth=5  96.60 [94.62, 97.87]\n\
             swift-exp… depth=4  82.60 [79.03, 85.67]\n\
             random                 0.00 [0.00, 0.76]\n\
             hidden columns: games, timed (see\n  --format csv)\n",
        );
    }

    /// Sheet of a sweep over five weights.
    fn build_sweep() -> TextTable {
        let headings = [
            ("rank", ColumnContent::Words),
            ("player", ColumnContent::Names),
            ("win rate % [95 %]", ColumnContent::Numbers),
            ("better than", ColumnContent::Numbers),
            ("worse than", ColumnContent::Numbers),
            ("games", ColumnContent::Numbers),
        ];
        let rows = ["500 2 3.5 700 -0.5", "300 4 4.5 800 1.25"].map(|values| {
            let keys = ["empty", "merges", "monotony.power", "monotony.weight", "rank-sum.power"];
            let words = keys.iter().zip(values.split(' ')).map(|(key, value)| format!(" {key}={value}"));
            let name = format!("e{}", words.collect::<String>());
            ["1 to 2", &name, "82.60 [79.03, 85.67]", "0", "0", "500"].map(str::to_owned).to_vec()
        });
        TextTable::new(
            headings.map(|(heading, content)| (heading.to_owned(), content)).to_vec(),
            rows.to_vec(),
        )
    }

    #[test]
    fn names_keep_their_values_before_other_columns() {
        let render = |width| build_sweep().to_text(Some(TableWidth { width, full_table_hint: "it" }));
        for (width, is_left_out) in [(82, false), (80, true), (70, true), (60, true), (50, true), (30, true)]
        {
            let text = render(width);
            assert!(
                text.contains("  e 500 2 3.5 700 -0.5") && text.contains("  e 300 4 4.5 800 1.25"),
                "{text}"
            );
            assert_eq!(text.contains("hidden columns"), is_left_out, "{text}");
            assert!(text.lines().all(|line| line.width() <= width), "{text}");
        }
        // The name alone is wider.
        assert!(render(20).contains("…wer=-0.5\n") && render(20).contains("…wer=1.25\n"), "{}", render(20));
        assert!(render(20).lines().all(|line| line.width() <= 20), "{}", render(20));
    }

    #[test]
    fn what_is_the_same_in_every_row_can_be_said_once() {
        let mut sheet = sheet();
        assert_eq!(sheet.take_constant_column("player"), None);
        assert_eq!(sheet.take_constant_column("games").as_deref(), Some("500"));
        let text = sheet.to_text(None);
        assert!(!text.contains("games") && !text.contains("500") && text.contains("thoughts"), "{text}");
    }

    #[test]
    fn all_columns_are_in_the_document() {
        let markdown = sheet().to_markdown();
        assert!(
            markdown.starts_with("| player | win rate % [95 %] | depth | games | timed |\n| --- | ---: |")
        );
    }
}
