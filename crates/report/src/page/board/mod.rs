//! Boards in a page: the rows of a table, drawn by `board.js`. Without scripts they appear as
//! written here. `board.css` styles them: tiles in the colours of their ranks, or stones on lines.

use super::html::Html;

/// Style of boards: tables with the class `board`, and `stones` for boards with stones.
pub(super) const STYLE: &str = include_str!("board.css");

/// Script that draws boards (`boards.draw`). It must come before scripts that use it.
pub(super) const SCRIPT: &str = include_str!("board.js");

/// Writes the rows of a board. A board with stones has coordinates and a mark on the last move.
pub(super) fn write_rows(html: &mut Html, rows: &[Vec<String>], last_move: Option<&str>, has_stones: bool) {
    let columns = rows.first().map_or(0, Vec::len);
    if has_stones {
        html.put("<tr><th></th>", &[]);
        column_letters().take(columns).for_each(|letter| html.put("<th>{}</th>", &[&letter.to_string()]));
        html.put("</tr>", &[]);
    }
    for (row, number) in rows.iter().zip(1_usize..) {
        html.put("<tr>", &[]);
        if has_stones {
            html.put("<th>{}</th>", &[&number]);
        }
        for (cell, letter) in row.iter().zip(column_letters()) {
            let is_last = last_move.is_some_and(|last| last == format!("{letter}{number}"));
            match cell.as_str() {
                stone @ ("B" | "W") if has_stones => {
                    let class = if is_last { "last" } else { "" };
                    html.put(r#"<td data-stone="{}" class="{}"></td>"#, &[&stone, &class]);
                }
                _ if has_stones => html.put("<td></td>", &[]),
                cell => html.put("<td>{}</td>", &[&cell]),
            }
        }
        html.put("</tr>", &[]);
    }
}

/// Returns the letters of columns, from the left.
fn column_letters() -> impl Iterator<Item = char> {
    'a'..='z'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw_rows(text: &str, last_move: Option<&str>, has_stones: bool) -> String {
        let cells: Vec<Vec<String>> =
            text.lines().map(|row| row.split(' ').map(str::to_owned).collect()).collect();
        let mut html = Html::default();
        write_rows(&mut html, &cells, last_move, has_stones);
        html.finish()
    }

    #[test]
    fn stones_lie_at_their_coordinates() {
        let board = draw_rows("B .\n. W", Some("b2"), true);
        assert!(board.starts_with("<tr><th></th><th>a</th><th>b</th></tr><tr><th>1</th>"), "{board}");
        assert!(board.contains("<td data-stone=\"B\" class=\"\"></td><td></td></tr>"), "{board}");
        assert!(board.ends_with("<td data-stone=\"W\" class=\"last\"></td></tr>"), "{board}");
        assert_eq!(draw_rows("2 .", Some("up"), false), "<tr><td>2</td><td>.</td></tr>");
    }
}
