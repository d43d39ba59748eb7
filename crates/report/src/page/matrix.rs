//! All pairs of players as a matrix.

use std::collections::BTreeMap;

use gauntlet_analysis::answer::comparison::DifferenceFormat;
use gauntlet_analysis::compare::verdict::Verdict;
use gauntlet_analysis::results::analysis::contestants::{Contestant, all_pairs, sort_by_strength};
use gauntlet_analysis::results::analysis::pairwise;
use gauntlet_analysis::results::tables::crosstable::{Crosstable, PairScore};
use gauntlet_core::measure::Measure;
use gauntlet_core::text::names::{fit_names, min_distinct_width};
use gauntlet_run::tally::LEVEL;

use super::table_view::{Download, mark};

/// A matrix as the page shows it.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    /// Its label, for screen readers.
    pub(super) label: &'static str,
    pub(super) caption: String,
    pub(super) players: Vec<MatrixPlayer>,
    /// For each player of a row, the result against each player of a column; `None` against itself.
    pub(super) cells: Vec<Vec<Option<MatrixCell>>>,
    /// The table of comparisons, if it is not too large for a page.
    pub(super) download: Option<Download>,
}

#[derive(Clone, Debug)]
pub(super) struct MatrixPlayer {
    pub(super) name: String,
    /// The name at the head of a row.
    pub(super) row_name: String,
    /// A shortened name for narrow columns.
    pub(super) column_name: String,
}

#[derive(Clone, Debug)]
pub(super) struct MatrixCell {
    /// By how much the player of the row is better.
    pub(super) text: String,
    /// Mark of the verdict.
    pub(super) mark: &'static str,
    /// The full answer.
    pub(super) answer: String,
}

/// Letters of a name above a column: the usual number, and the maximum if values would be cut.
const COLUMN_LETTERS: [usize; 2] = [20, 36];

/// Letters of a name before a row.
const ROW_LETTERS: usize = 44;

/// The most players of a matrix, which has a cell for each two of them.
pub(super) const MAX_PLAYERS: usize = 40;

/// The most comparisons that a page can contain: those of twenty players.
const MAX_PAIRS: usize = 190;

impl Matrix {
    /// Compares all pairs of players by the measure of the leader, the best first. `None` if there
    /// is only one player. The contestants are those for [`pairwise::leader_measures`].
    pub(super) fn new(players: &[Contestant]) -> Option<Matrix> {
        let comparisons = pairwise::compare_all(players);
        let measure = comparisons.first()?.question.measure;
        let mut cells = BTreeMap::new();
        for (comparison, (one, other)) in comparisons.iter().zip(all_pairs(players.len())) {
            for (pair, is_swapped) in [((one, other), false), ((other, one), true)] {
                let verdict = Verdict::from_comparison(comparison.conclusion().swap_players_if(is_swapped));
                let text = comparison.format_cell(is_swapped, DifferenceFormat::Whole);
                let cell = MatrixCell { text, mark: mark(verdict), answer: comparison.answer() };
                cells.insert(pair, cell);
            }
        }
        let (order, _) = sort_by_strength(players, measure, LEVEL);
        let row = |&one: &usize| order.iter().map(|&other| cells.remove(&(one, other))).collect();
        let cells = order.iter().map(row).collect();
        let unit = match measure {
            Measure::Score => "difference in scores, in percent or as a factor",
            Measure::Points => "share of points minus one half, in percentage points",
            _ => "difference in win rate, in percentage points",
        };
        // Of several results, `compare` also shows players that repeat the games of others.
        let are_of_one_run = players.iter().all(|player| player.results_index == players[0].results_index);
        let command = if are_of_one_run {
            format!(" Same as `gauntlet compare --by {measure} --matrix`.")
        } else {
            String::new()
        };
        let caption = format!(
            "Row player against column player: {unit}. Significant results are bold and coloured, with p corrected for all pairs; a question mark means inconclusive. Hover over a cell for the full answer.{command}"
        );
        let table = pairwise::table(&comparisons);
        Some(Matrix {
            label: "All pairs",
            caption,
            players: make_players(&order.iter().map(|&player| &*players[player].label).collect::<Vec<_>>()),
            cells,
            download: (comparisons.len() <= MAX_PAIRS).then(|| Download::with_name(&table, "all-pairs")),
        })
    }

    /// Makes a matrix of games won, drawn and lost.
    pub(super) fn from_crosstable(crosstable: &Crosstable) -> Matrix {
        let cell = |(player, opponent): (&String, &String), score: &PairScore| {
            let [won, drawn, lost] = score.results;
            let points = match score.points.is_empty() {
                true => String::new(),
                false => format!(", {} of the points", score.points),
            };
            let answer =
                format!("{player} against {opponent}: {won} won, {drawn} drawn, {lost} lost{points}");
            MatrixCell { text: score.text(), mark: "", answer }
        };
        let row = |(player, scores): (&String, &Vec<Option<PairScore>>)| {
            let scores = scores.iter().zip(&crosstable.players);
            scores
                .map(|(score, opponent)| score.as_ref().map(|score| cell((player, opponent), score)))
                .collect()
        };
        Matrix {
            label: "Results of each pair",
            caption: "Games won, drawn and lost by the row player against the column player. Strongest player first."
                .to_owned(),
            players: make_players(&crosstable.players.iter().map(String::as_str).collect::<Vec<_>>()),
            cells: crosstable.players.iter().zip(&crosstable.scores).map(row).collect(),
            download: None,
        }
    }
}

/// Returns the players with their names at the heads of rows and columns.
fn make_players(names: &[&str]) -> Vec<MatrixPlayer> {
    let column_names =
        fit_names(names, min_distinct_width(names).clamp(COLUMN_LETTERS[0], COLUMN_LETTERS[1]));
    let row_names = fit_names(names, ROW_LETTERS);
    let players = names.iter().zip(row_names.into_iter().zip(column_names));
    players
        .map(|(name, (row_name, column_name))| MatrixPlayer {
            name: (*name).to_owned(),
            row_name,
            column_name,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use gauntlet_analysis::config::Catalog;
    use gauntlet_analysis::results::analysis::contestants::read_contestants;
    use gauntlet_analysis::results::store::read::Results;
    use gauntlet_games::GAMES;

    use super::*;

    #[test]
    fn cells_are_those_of_the_comparisons() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/quick-published"));
        let results = Results::read(Catalog::new(&GAMES), folder).expect("results");
        let players = read_contestants(&[results], &[Measure::Win]).expect("players");
        let matrix = Matrix::new(&players).expect("several players");
        assert_eq!(matrix.players[0].name, "n-tuple");
        assert_eq!(matrix.players[4].name, "random");
        let cell = |row: usize, column: usize| {
            let cell = matrix.cells[row][column].as_ref()?;
            Some((&*cell.text, cell.mark, &*cell.answer))
        };
        assert_eq!(cell(1, 1).map(|(text, ..)| text), None);
        let (text, mark, answer) = cell(0, 4).expect("a cell");
        assert_eq!((text, mark), ("+85", "good"));
        assert!(answer.starts_with("n-tuple vs random: +84.6 points of wins ["), "{answer}");
        assert_eq!(cell(4, 0).map(|(text, mark, _)| (text, mark)), Some(("-85", "bad")));
        assert!(matrix.caption.contains("`gauntlet compare --by win --matrix`"));
    }

    /// Long names of a sweep lose their common parts, not their values.
    #[test]
    fn heads_tell_the_values() {
        let names = [
            "e weights.empty=500 weights.monotonicity-power=-22 weights.merges=1250",
            "e weights.empty=700 weights.monotonicity-power=-4.5 weights.merges=12500",
        ];
        let players = make_players(&names);
        let column_names: Vec<&str> = players.iter().map(|player| &*player.column_name).collect();
        assert_eq!(column_names, ["e 500 -22 1250", "e 700 -4.5 12500"]);
        assert!(players.iter().all(|player| !player.row_name.contains('…')));
    }
}
