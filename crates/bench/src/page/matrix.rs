//! All pairs of players as a matrix, as the page shows it.

use super::view::{Download, mark};
use crate::compare::verdict::Verdict;
use crate::measure::Measure;
use crate::results::analysis::versus::{AllPairs, Told};
use crate::results::tables::crossed::{Crossed, Score};
use crate::text::names::{fitted, least_width};

/// As the page shows it.
pub(super) struct Matrix {
    /// What it is, for those who do not see it.
    pub(super) label: &'static str,
    pub(super) caption: String,
    pub(super) players: Vec<Player>,
    /// For each player of a row what it does against each of a column; nothing against itself.
    pub(super) cells: Vec<Vec<Option<MatrixCell>>>,
    /// The comparisons themselves, if they are not too many for a page.
    pub(super) download: Option<Download>,
}

pub(super) struct Player {
    pub(super) name: String,
    /// The name at the head of a row.
    pub(super) long: String,
    /// The name where there is little room.
    pub(super) short: String,
}

#[derive(Clone)]
pub(super) struct MatrixCell {
    /// By how much the player of the row is better.
    pub(super) text: String,
    /// Mark of the verdict.
    pub(super) mark: &'static str,
    /// The whole answer.
    pub(super) answer: String,
}

/// Letters of a name above a column, and letters if values would be cut.
const SHORT: [usize; 2] = [20, 36];

/// Letters of a name before a row.
const LONG: usize = 44;

/// As many comparisons as a page has room for: those of twenty players.
const MOST_PAIRS: usize = 190;

impl Matrix {
    pub(super) fn of(pairs: &AllPairs) -> Matrix {
        let cell = |told: &Told| MatrixCell {
            text: told.text.clone(),
            mark: mark(Verdict::of_comparison(told.shown)),
            answer: told.answer.clone(),
        };
        let cells = pairs.cells.iter().map(|row| row.iter().map(|told| told.as_ref().map(cell)).collect());
        let (by, unit) = match pairs.by {
            Measure::Score => (pairs.by, "how much higher its scores are, or how many times as high"),
            Measure::Points => {
                (pairs.by, "by how many points in a hundred it gets more than half of the points")
            }
            by => (by, "by how many points it wins more of the games"),
        };
        let caption = format!(
            "The player of the row against that of the column: {unit}. Bold and coloured is what is shown, with p corrected \
             for all pairs; a question mark stands where nothing is. Hover over a cell for the whole answer. The same as \
             `gauntlet compare --by {by} --matrix`."
        );
        Matrix {
            label: "All pairs",
            caption,
            players: named(&pairs.players),
            cells: cells.collect(),
            download: (pairs.table.rows.len() <= MOST_PAIRS)
                .then(|| Download::named(&pairs.table, "all-pairs")),
        }
    }

    /// Games won, drawn and lost.
    pub(super) fn of_scores(crossed: &Crossed) -> Matrix {
        let cell = |(player, rival): (&String, &String), score: &Score| {
            let [won, drawn, lost] = score.results;
            let points = match score.points.is_empty() {
                true => String::new(),
                false => format!(", {} of the points", score.points),
            };
            let answer = format!("{player} against {rival}: {won} won, {drawn} drawn, {lost} lost{points}");
            MatrixCell { text: score.text(), mark: "", answer }
        };
        let row = |(player, scores): (&String, &Vec<Option<Score>>)| {
            let scores = scores.iter().zip(&crossed.players);
            scores.map(|(score, rival)| score.as_ref().map(|score| cell((player, rival), score))).collect()
        };
        Matrix {
            label: "Each against each",
            caption: "Games won, drawn and lost by the player of the row against that of the column, the strongest first."
                .to_owned(),
            players: named(&crossed.players),
            cells: crossed.players.iter().zip(&crossed.scores).map(row).collect(),
            download: None,
        }
    }
}

/// Players with their names at the heads of rows and columns.
fn named(names: &[String]) -> Vec<Player> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let short = fitted(&names, least_width(&names).clamp(SHORT[0], SHORT[1]));
    let long = fitted(&names, LONG);
    let players = names.iter().zip(long.into_iter().zip(short));
    players.map(|(name, (long, short))| Player { name: (*name).to_owned(), long, short }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::question::Shown;
    use crate::results::analysis::contestants;

    fn matrix(names: [&str; 2], by: Measure) -> Matrix {
        let told =
            |text: &str, shown| Some(Told { text: text.to_owned(), shown, answer: "the answer".to_owned() });
        Matrix::of(&AllPairs {
            by,
            players: names.map(str::to_owned).to_vec(),
            cells: vec![vec![None, told("+30", Shown::Yes)], vec![told("-30", Shown::Opposite), None]],
            table: contestants::table(&[]),
        })
    }

    #[test]
    fn cells_are_those_of_the_comparisons() {
        let matrix = matrix(["b", "a"], Measure::Win);
        let cell = |row: usize, column: usize| {
            let cell = matrix.cells[row][column].as_ref()?;
            Some((&*cell.text, cell.mark, &*cell.answer))
        };
        assert_eq!(cell(0, 1), Some(("+30", "good", "the answer")));
        assert_eq!(cell(1, 0), Some(("-30", "bad", "the answer")));
        assert_eq!(cell(1, 1), None);
        assert!(matrix.caption.contains("`gauntlet compare --by win --matrix`"));
    }

    /// Long names of a sweep lose what they have in common, and not their values.
    #[test]
    fn heads_tell_the_values() {
        let names = [
            "e weights.empty=500 weights.monotonicity-power=-22 weights.merges=1250",
            "e weights.empty=700 weights.monotonicity-power=-4.5 weights.merges=12500",
        ];
        let matrix = matrix(names, Measure::Win);
        let short: Vec<&str> = matrix.players.iter().map(|player| &*player.short).collect();
        assert_eq!(short, ["e 500 -22 1250", "e 700 -4.5 12500"]);
        assert!(matrix.players.iter().all(|player| !player.long.contains('…')));
    }
}
