//! Draws a position: stones on a board with coordinates, next to it the players and the values of
//! moves. A game without stones is shown as text.

use gauntlet_core::arena::ReplayStep;
use gauntlet_core::text::{format_plain, group_digits};

use super::observers::{format_header, format_step};
use gauntlet_cli::picture::{Background, Picture, TextColour};

/// Data for drawing a game besides its steps.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    /// Names of black and white, if positions have stones.
    pub(super) stones: Option<[String; 2]>,
    /// True if the picture is drawn with colours.
    pub(super) is_coloured: bool,
}

/// The most moves that are listed.
const MAX_LISTED: usize = 10;

/// Columns between the board and the text next to it.
const GAP: usize = 3;

/// Draws a step.
pub(super) fn draw_step(step: &ReplayStep, view: &View) -> Picture {
    let Some(names) = &view.stones else { return Picture::from_text(&format_step(step)) };
    let rows: Vec<Vec<&str>> = step.position.lines().map(|row| row.split_whitespace().collect()).collect();
    let size = rows.first().map_or(0, Vec::len);
    let mut picture = Picture::from_text(&format_header(step));
    // Row numbers, and two columns for each cell, so that cells are about square.
    let board = draw_board(&rows, step, view.is_coloured);
    let sidebar = draw_sidebar(step, names, view.is_coloured);
    picture.add_below(board.put_beside(4 + 2 * size + GAP, sidebar));
    picture
}

/// Returns the letter of a column.
fn column_letter(column: usize) -> char {
    char::from(b'a' + column as u8)
}

fn draw_board(rows: &[Vec<&str>], step: &ReplayStep, is_coloured: bool) -> Picture {
    let mut picture = Picture::default();
    picture.begin_line();
    let letters: String = (0..rows.len()).map(|column| format!(" {}", column_letter(column))).collect();
    picture.add_span(TextColour::Faint, Background::Plain, format!("   {letters}"));
    for (row, cells) in rows.iter().enumerate() {
        picture.begin_line();
        picture.add_span(TextColour::Faint, Background::Plain, format!("{:>2} ", row + 1));
        let name = |column: usize| format!("{}{}", column_letter(column), row + 1);
        let is_last = |column: usize| step.mv == Some(name(column).as_str());
        let mut ground = Background::Board;
        for (column, &cell) in cells.iter().enumerate() {
            let shade_level = shade(step.move_values, &name(column));
            ground = if shade_level > 0 { Background::Shade(shade_level) } else { Background::Board };
            // The last move is marked by brackets around it.
            let bracket = match column > 0 && is_last(column - 1) {
                true => "]",
                false if is_last(column) => "[",
                false => " ",
            };
            let (ink, symbol) = match (cell, is_coloured) {
                ("B", _) => (TextColour::Black, "●"),
                ("W", true) => (TextColour::White, "●"),
                ("W", false) => (TextColour::White, "○"),
                (_, true) => (TextColour::Line, "·"),
                (_, false) => (TextColour::Line, ["·", "░", "▒", "█"][usize::from(shade_level)]),
            };
            picture.add_span(if bracket == " " { ink } else { TextColour::Mark }, ground, bracket);
            picture.add_span(ink, ground, symbol);
        }
        let is_last_column = cells.len().checked_sub(1).is_some_and(is_last);
        picture.add_span(TextColour::Mark, ground, if is_last_column { "]" } else { " " });
    }
    picture
}

/// Returns the shade of a cell: 3 for the best moves, 2 for the best ten, 1 for the better half, 0
/// for others.
fn shade(move_values: &[(String, f64)], cell: &str) -> u8 {
    let Some(&(_, value)) = move_values.iter().find(|(mv, _)| mv == cell) else { return 0 };
    // Moves of equal value have the same shade. If most moves are equal, they have none.
    let better_or_equal = move_values.iter().filter(|&&(_, other)| other >= value).count();
    let is_best = move_values.iter().all(|&(_, other)| other <= value);
    match 2 * better_or_equal <= move_values.len() {
        true if is_best => 3,
        true if better_or_equal <= MAX_LISTED => 2,
        true => 1,
        false => 0,
    }
}

/// Lists the players, and the values of moves for the player of the last move.
fn draw_sidebar(step: &ReplayStep, names: &[String; 2], is_coloured: bool) -> Picture {
    let mut picture = Picture::default();
    for (name, is_white) in names.iter().zip([false, true]) {
        picture.begin_line();
        let (ink, symbol) = match (is_white, is_coloured) {
            (false, _) => (TextColour::Black, "●"),
            (true, true) => (TextColour::White, "●"),
            (true, false) => (TextColour::White, "○"),
        };
        picture.add_span(ink, Background::Board, format!(" {symbol} "));
        let colour = if is_white { "white" } else { "black" };
        picture.add_span(TextColour::Plain, Background::Plain, format!(" {colour}: {name}"));
    }
    let move_count = step.move_values.len();
    if move_count == 0 {
        return picture;
    }
    picture.begin_line();
    picture.begin_line();
    let title = if move_count > MAX_LISTED {
        format!("the best {MAX_LISTED} of {}", group_digits(move_count as u64))
    } else {
        "the moves".to_owned()
    };
    picture.add_span(TextColour::Plain, Background::Plain, format!("{title}, with their values"));
    let mut sorted_moves: Vec<&(String, f64)> = step.move_values.iter().collect();
    sorted_moves.sort_by(|one, other| other.1.total_cmp(&one.1));
    for (index, (mv, value)) in sorted_moves.iter().enumerate() {
        let is_chosen = step.mv == Some(mv);
        if index >= MAX_LISTED && !is_chosen {
            continue;
        }
        picture.begin_line();
        let marker = if is_chosen { ">" } else { " " };
        picture.add_span(TextColour::Mark, Background::Plain, marker);
        let place_note = if index < MAX_LISTED { String::new() } else { format!("  (place {})", index + 1) };
        picture.add_span(
            TextColour::Plain,
            Background::Plain,
            format!(" {mv:<4}{:>12}{place_note}", format_plain(*value)),
        );
    }
    picture
}

#[cfg(test)]
mod tests {
    use gauntlet_core::game::Outcome;

    use super::*;

    fn render(move_values: &[(String, f64)], is_coloured: bool) -> String {
        let step = ReplayStep {
            moves: 3,
            mv: Some("c2"),
            depth: None,
            value: None,
            is_from_table: false,
            table: None,
            move_values,
            outcome: Outcome::Drawn,
            position: "B . .\n. . W\nB . .",
        };
        let stones = Some(["one".to_owned(), "other".to_owned()]);
        draw_step(&step, &View { stones, is_coloured }).to_text(is_coloured)
    }

    #[test]
    fn a_board_has_stones_coordinates_and_a_mark() {
        assert_eq!(
            render(&[], false),
            "3: c2, neither has won\n    a b c     ●  black: one\n 1  ● · ·     ○  white: other\n 2  · ·[○]\n 3  ● · ·\n"
        );
        let coloured = render(&[], true);
        // The white stone has its own colour, and its cell the colour of wood.
        assert!(coloured.contains("\u{1b}[38;5;231;48;5;179m●\u{1b}[0m"), "{coloured}");
        assert!(coloured.contains("\u{1b}[1;38;5;160;48;5;179m[\u{1b}[0m") && !coloured.contains('○'));
    }

    #[test]
    fn moves_are_shaded_and_the_best_ten_are_listed() {
        let cells = ["b1", "c1", "a2", "b2", "c2", "b3", "c3"];
        let move_values: Vec<(String, f64)> = cells
            .iter()
            .zip([0.5, -1.0, 0.5, 2.0, 0.25, -3.0, -2.0])
            .map(|(mv, value)| ((*mv).to_owned(), value))
            .collect();
        let text = render(&move_values, false);
        assert!(text.contains(" 1  ● ▒ ·") && text.contains(" 2  ▒ █[○]"), "{text}");
        assert!(text.contains("the moves, with their values\n"), "{text}");
        assert!(text.contains("> c2          0.25\n"), "{text}");
        // If there are many moves, the best ten are listed, and the chosen one.
        let mut many_values = move_values;
        many_values.extend((0..20).map(|n| (format!("d{n}"), 1.0)));
        let text = render(&many_values, false);
        assert_eq!(text.lines().count(), 1 + 2 + 1 + 1 + MAX_LISTED + 1, "{text}");
        assert!(
            text.contains("the best 10 of 27, ") && text.contains("> c2          0.25  (place 24)\n"),
            "{text}"
        );
        assert!(!text.contains(" d0  ") || text.matches("\n").count() < 20, "{text}");
        let equal_values: Vec<(String, f64)> = cells.iter().map(|mv| ((*mv).to_owned(), 1.0)).collect();
        assert!(!render(&equal_values, false).contains(['░', '▒', '█']));
    }
}
