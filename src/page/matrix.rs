//! All pairs of players as a matrix, from the table of their comparisons: a row and a column for each player, the strongest
//! first.

use super::view::{Download, mark};
use crate::table::{Row, Table};
use crate::text::names::fitted;

/// As the page shows it.
pub(super) struct Matrix {
    pub(super) caption: String,
    pub(super) players: Vec<Player>,
    /// For each player of a row what it does against each of a column; nothing against itself.
    pub(super) cells: Vec<Vec<Option<MatrixCell>>>,
    /// The comparisons themselves, if they are not too many for a page.
    pub(super) download: Option<Download>,
}

pub(super) struct Player {
    pub(super) name: String,
    /// The name where there is little room.
    pub(super) short: String,
}

#[derive(Clone)]
pub(super) struct MatrixCell {
    /// By how much the player of the row is better: in points, or how many times as high its scores are.
    pub(super) text: String,
    /// Whether that is shown.
    pub(super) mark: &'static str,
    /// The whole answer.
    pub(super) answer: String,
}

/// How many letters of a name stand above a column.
const SHORT: usize = 20;

/// As many comparisons as a page has room for: those of twenty players.
const MOST_PAIRS: usize = 190;

impl Matrix {
    pub(super) fn of(table: &Table) -> Matrix {
        let mut known: Vec<(&str, f64)> = Vec::new();
        for row in table.rows() {
            for (name, value) in [("player", "value"), ("than", "than_value")] {
                let name = row.words(name);
                if known.iter().all(|(other, _)| *other != name) {
                    known.push((name, row.number(value).unwrap_or(f64::NEG_INFINITY)));
                }
            }
        }
        known.sort_by(|one, other| other.1.total_cmp(&one.1));
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let place = |name: &str| names.iter().position(|other| *other == name);
        let mut cells = vec![vec![None; names.len()]; names.len()];
        for row in table.rows() {
            let Some((one, other)) = place(row.words("player")).zip(place(row.words("than"))) else {
                continue;
            };
            cells[one][other] = Some(cell(row, false));
            cells[other][one] = Some(cell(row, true));
        }
        let by = table.rows().next().map_or("win", |row| row.words("by")).to_owned();
        let unit = match by.as_str() {
            "score" => "how many times as high its scores are",
            _ => "by how many points it wins more of the games",
        };
        let caption = format!(
            "The player of the row against that of the column: {unit}. Bold and coloured is what is shown, with p corrected \
             for all pairs; the rest is open. Hover over a cell for the whole answer. The same as `gauntlet compare --by {by} \
             --all-pairs`."
        );
        let short = fitted(&names, SHORT);
        let players = names.iter().zip(short).map(|(name, short)| Player { name: (*name).to_owned(), short });
        Matrix {
            caption,
            players: players.collect(),
            cells,
            download: (table.rows.len() <= MOST_PAIRS).then(|| Download::named(table, "all-pairs")),
        }
    }
}

/// The cell of a row; turned, that of its second player.
fn cell(row: Row, is_turned: bool) -> MatrixCell {
    let verdict = match (row.words("verdict"), is_turned) {
        ("better", true) => "worse",
        ("worse", true) => "better",
        (verdict, _) => verdict,
    };
    let points = row.number("difference").map(|points| if is_turned { -points } else { points });
    let ratio = row.number("ratio").map(|ratio| if is_turned { 1.0 / ratio } else { ratio });
    let text = points.map(in_points).or(ratio.map(in_times)).unwrap_or_default();
    MatrixCell { text, mark: mark(verdict), answer: row.words("answer").to_owned() }
}

/// A difference of rates in points: `+14`, `−0.4`.
fn in_points(difference: f64) -> String {
    let points = 100.0 * difference;
    let decimals = usize::from(points.abs() < 0.95);
    let number = format!("{:.decimals$}", points.abs());
    match number.as_str() {
        "0.0" => "0".to_owned(),
        _ if points < 0.0 => format!("−{number}"),
        _ => format!("+{number}"),
    }
}

/// A ratio of scores: `×1.59`, `×12`.
fn in_times(ratio: f64) -> String {
    let decimals = [(9.95, 0), (1.995, 1)].into_iter().find(|(from, _)| ratio >= *from).map_or(2, |(_, n)| n);
    format!("×{ratio:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::table::schema;

    #[test]
    fn each_pair_is_told_from_both_sides() {
        let csv = "player,than,by,value,than_value,difference,ratio,verdict,answer\n\
                   a,b,win,0.2,0.5,-0.3,,worse,b beats a\n\
                   a,c,win,0.2,0.1999,0.0001,,no difference shown,open\n\
                   b,c,win,0.5,0.1999,0.3001,,better,b beats c\n";
        let matrix = Matrix::of(&Table::from_csv(&schema("comparison"), csv.as_bytes()).unwrap());
        let names: Vec<&str> = matrix.players.iter().map(|player| &*player.name).collect();
        assert_eq!(names, ["b", "a", "c"]);
        let cell = |row: usize, column: usize| {
            let cell = matrix.cells[row][column].as_ref()?;
            Some((&*cell.text, cell.mark, &*cell.answer))
        };
        assert_eq!(cell(0, 1), Some(("+30", "good", "b beats a")));
        assert_eq!(cell(1, 0), Some(("−30", "bad", "b beats a")));
        assert_eq!(cell(1, 2), Some(("0", "open", "open")));
        assert_eq!(cell(2, 0), Some(("−30", "bad", "b beats c")));
        assert_eq!(cell(1, 1), None);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.1412, 0.0042, -0.0951, 0.0].map(in_points), ["+14", "+0.4", "−10", "0"]);
        assert_eq!([12.4, 4.321, 1.589, 0.23].map(in_times), ["×12", "×4.3", "×1.59", "×0.23"]);
    }
}
