//! Draws a position: stones on a board with coordinates, next to it the players and the values of
//! moves. A game without stones is shown as text.

use gauntlet_core::arena::ReplayStep;
use gauntlet_core::text::{format_plain, group_digits};

use super::audience::{format_head, format_step};
use gauntlet_cli::paint::{Ground, Ink, Picture};

/// Data for drawing a game besides its steps.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    /// Names of black and white, if positions have stones.
    pub(super) stones: Option<[String; 2]>,
    /// True if the picture is drawn with colours.
    pub(super) is_coloured: bool,
}

/// The most moves that are listed.
const MOST: usize = 10;

/// Columns between the board and the text next to it.
const GAP: usize = 3;

/// Draws a step.
pub(super) fn draw_step(step: &ReplayStep, view: &View) -> Picture {
    let Some(names) = &view.stones else { return Picture::from_text(&format_step(step)) };
    let rows: Vec<Vec<&str>> = step.position.lines().map(|row| row.split_whitespace().collect()).collect();
    let size = rows.first().map_or(0, Vec::len);
    let mut picture = Picture::from_text(&format_head(step));
    // Row numbers, and two columns for each cell, so that cells are about square.
    let board = draw_board(&rows, step, view.is_coloured);
    let beside = draw_sidebar(step, names, view.is_coloured);
    picture.add_below(board.put_beside(4 + 2 * size + GAP, beside));
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
    picture.add_span(Ink::Faint, Ground::Plain, format!("   {letters}"));
    for (row, cells) in rows.iter().enumerate() {
        picture.begin_line();
        picture.add_span(Ink::Faint, Ground::Plain, format!("{:>2} ", row + 1));
        let name = |column: usize| format!("{}{}", column_letter(column), row + 1);
        let is_last = |column: usize| step.mv == Some(name(column).as_str());
        let mut ground = Ground::Board;
        for (column, &cell) in cells.iter().enumerate() {
            let shade = shade(step.weighed, &name(column));
            ground = if shade > 0 { Ground::Shade(shade) } else { Ground::Board };
            // The last move is marked by brackets around it.
            let before = match column > 0 && is_last(column - 1) {
                true => "]",
                false if is_last(column) => "[",
                false => " ",
            };
            let (ink, sign) = match (cell, is_coloured) {
                ("B", _) => (Ink::Black, "●"),
                ("W", true) => (Ink::White, "●"),
                ("W", false) => (Ink::White, "○"),
                (_, true) => (Ink::Line, "·"),
                (_, false) => (Ink::Line, ["·", "░", "▒", "█"][usize::from(shade)]),
            };
            picture.add_span(if before == " " { ink } else { Ink::Mark }, ground, before);
            picture.add_span(ink, ground, sign);
        }
        let is_at_the_end = cells.len().checked_sub(1).is_some_and(is_last);
        picture.add_span(Ink::Mark, ground, if is_at_the_end { "]" } else { " " });
    }
    picture
}

/// Returns the shade of a cell: 3 for the best moves, 2 for the best ten, 1 for the better half, 0
/// for others.
fn shade(weighed: &[(String, f64)], cell: &str) -> u8 {
    let Some(&(_, worth)) = weighed.iter().find(|(mv, _)| mv == cell) else { return 0 };
    // Moves of equal value have the same shade. If most moves are equal, they have none.
    let as_good = weighed.iter().filter(|&&(_, other)| other >= worth).count();
    let is_best = weighed.iter().all(|&(_, other)| other <= worth);
    match 2 * as_good <= weighed.len() {
        true if is_best => 3,
        true if as_good <= MOST => 2,
        true => 1,
        false => 0,
    }
}

/// Lists the players, and the values of moves for the player of the last move.
fn draw_sidebar(step: &ReplayStep, names: &[String; 2], is_coloured: bool) -> Picture {
    let mut picture = Picture::default();
    for (name, is_white) in names.iter().zip([false, true]) {
        picture.begin_line();
        let (ink, sign) = match (is_white, is_coloured) {
            (false, _) => (Ink::Black, "●"),
            (true, true) => (Ink::White, "●"),
            (true, false) => (Ink::White, "○"),
        };
        picture.add_span(ink, Ground::Board, format!(" {sign} "));
        let colour = if is_white { "white" } else { "black" };
        picture.add_span(Ink::Plain, Ground::Plain, format!(" {colour}: {name}"));
    }
    let all = step.weighed.len();
    if all == 0 {
        return picture;
    }
    picture.begin_line();
    picture.begin_line();
    let of = if all > MOST {
        format!("the best {MOST} of {}", group_digits(all as u64))
    } else {
        "the moves".to_owned()
    };
    picture.add_span(Ink::Plain, Ground::Plain, format!("{of}, with their values"));
    let mut sorted: Vec<&(String, f64)> = step.weighed.iter().collect();
    sorted.sort_by(|one, other| other.1.total_cmp(&one.1));
    for (place, (mv, worth)) in sorted.iter().enumerate() {
        let is_chosen = step.mv == Some(mv);
        if place >= MOST && !is_chosen {
            continue;
        }
        picture.begin_line();
        let mark = if is_chosen { ">" } else { " " };
        picture.add_span(Ink::Mark, Ground::Plain, mark);
        let place = if place < MOST { String::new() } else { format!("  (place {})", place + 1) };
        picture.add_span(Ink::Plain, Ground::Plain, format!(" {mv:<4}{:>12}{place}", format_plain(*worth)));
    }
    picture
}

#[cfg(test)]
mod tests {
    use gauntlet_core::game::Outcome;

    use super::*;

    fn render(weighed: &[(String, f64)], is_coloured: bool) -> String {
        let step = ReplayStep {
            moves: 3,
            mv: Some("c2"),
            depth: None,
            value: None,
            is_from_table: false,
            table: None,
            weighed,
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
        let weighed: Vec<(String, f64)> = cells
            .iter()
            .zip([0.5, -1.0, 0.5, 2.0, 0.25, -3.0, -2.0])
            .map(|(mv, worth)| ((*mv).to_owned(), worth))
            .collect();
        let text = render(&weighed, false);
        assert!(text.contains(" 1  ● ▒ ·") && text.contains(" 2  ▒ █[○]"), "{text}");
        assert!(text.contains("the moves, with their values\n"), "{text}");
        assert!(text.contains("> c2          0.25\n"), "{text}");
        // If there are many moves, the best ten are listed, and the chosen one.
        let mut many = weighed;
        many.extend((0..20).map(|n| (format!("d{n}"), 1.0)));
        let text = render(&many, false);
        assert_eq!(text.lines().count(), 1 + 2 + 1 + 1 + MOST + 1, "{text}");
        assert!(
            text.contains("the best 10 of 27, ") && text.contains("> c2          0.25  (place 24)\n"),
            "{text}"
        );
        assert!(!text.contains(" d0  ") || text.matches("\n").count() < 20, "{text}");
        let same: Vec<(String, f64)> = cells.iter().map(|mv| ((*mv).to_owned(), 1.0)).collect();
        assert!(!render(&same, false).contains(['░', '▒', '█']));
    }
}
