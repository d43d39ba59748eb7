//! Results in a folder: comparisons of two players, and a summary as text.

use std::path::PathBuf;

use gauntlet::GAMES;
use gauntlet::measure::Measure;
use gauntlet::results::analysis::contestants::{self, PairChoice};
use gauntlet::results::analysis::pairwise::{self, PairwiseQuestion};
use gauntlet::results::analysis::warnings;
use gauntlet::results::store::read::Results;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::folder::{ResultsFolder, to_python_error};

/// Compares two players of some results. Returns the rows of the table `comparison` as JSON.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    folder: PathBuf,
    player: &str,
    than: &str,
    by: Option<&str>,
    level: f64,
) -> PyResult<String> {
    let level =
        level.try_into().map_err(|message: &str| PyValueError::new_err(format!("level {message}")))?;
    py.detach(|| {
        let results = [Results::read(gauntlet::catalog(&GAMES), &folder).map_err(to_python_error)?];
        let measures = results[0].experiment.arena().measures();
        let chosen_measures = match by {
            None => pairwise::leader_measures(&results).to_vec(),
            Some(measure_name) => match measures.find(measure_name) {
                Some(measure) => vec![measure],
                None => {
                    let names = measures.list_names(|_| true).unwrap_or_default();
                    let message = format!("by: expected {names}, got {measure_name:?}");
                    return Err(PyValueError::new_err(message));
                }
            },
        };
        if let Some(refusal) = warnings::explain_refusal(&results, &chosen_measures) {
            return Err(PyValueError::new_err(refusal));
        }
        rows(&results, (player, than), chosen_measures, level)
    })
}

fn rows(
    results: &[Results],
    (player, opponent): (&str, &str),
    measures: Vec<Measure>,
    level: gauntlet::num::Level,
) -> PyResult<String> {
    let players = contestants::read_contestants(results, &measures).map_err(to_python_error)?;
    let choice = PairChoice::Baseline(opponent.to_owned());
    let pairs = contestants::pairs(&players, &choice).map_err(PyValueError::new_err)?;
    let pair = pairs.into_iter().find(|(index, _)| players[*index].name == player);
    let pair = pair.ok_or_else(|| PyValueError::new_err(format!("no other player {player:?}")))?;
    let question = PairwiseQuestion { measures, level: level.get(), ..PairwiseQuestion::default() };
    let table = pairwise::table(&pairwise::compare(&players, &[pair], &question));
    Ok(table.to_json()["rows"].to_string())
}

/// Returns the name of the experiment in a file. The parser is that of the program: `tomllib` reads
/// an older version of TOML.
#[pyfunction]
pub(crate) fn experiment_name(text: &str) -> Option<String> {
    gauntlet_core::settings::tree::find_string(text, "name")
}

/// Headings of the first table for people, with whether their columns contain words; its rows; the
/// table as text; and what it shows, with warnings.
type SummaryParts = (Vec<(String, bool)>, Vec<Vec<String>>, String, Vec<String>);

/// Describes some results.
#[pyfunction]
pub(crate) fn summary(py: Python<'_>, folder: PathBuf) -> PyResult<SummaryParts> {
    py.detach(|| {
        let folder = ResultsFolder::read(&folder)?;
        let notes = folder.notes().map_err(to_python_error)?;
        let Some(table) = folder.first_table().map_err(to_python_error)? else {
            return Ok((Vec::new(), Vec::new(), String::new(), notes));
        };
        let (columns, rows) = table.fold_columns();
        let columns = columns.into_iter().map(|column| (column.text, column.column.is_words())).collect();
        Ok((columns, rows, table.to_text(None), notes))
    })
}
