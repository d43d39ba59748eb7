//! Results in a folder: comparisons of two players, and a summary as text.

use std::path::PathBuf;

use gauntlet::GAMES;
use gauntlet::measure::Measure;
use gauntlet::results::analysis::contestants::{self, PairChoice};
use gauntlet::results::analysis::doubts;
use gauntlet::results::analysis::pairwise::{self, PairwiseQuestion};
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
    let level = level.try_into().map_err(|why: &str| PyValueError::new_err(format!("level {why}")))?;
    py.detach(|| {
        let results = [Results::read(gauntlet::catalog(&GAMES), &folder).map_err(to_python_error)?];
        let measures = results[0].experiment.arena().measures();
        let by = match by {
            None => pairwise::leader_measures(&results).to_vec(),
            Some(by) => match measures.find(by) {
                Some(measure) => vec![measure],
                None => return Err(PyValueError::new_err(format!("unknown measure {by:?}"))),
            },
        };
        if let Some(refusal) = doubts::explain_refusal(&results, &by) {
            return Err(PyValueError::new_err(refusal));
        }
        rows(&results, (player, than), by, level)
    })
}

fn rows(
    results: &[Results],
    (player, than): (&str, &str),
    by: Vec<Measure>,
    level: gauntlet::num::Level,
) -> PyResult<String> {
    let players = contestants::read_contestants(results, &by).map_err(to_python_error)?;
    let choice = PairChoice::Baseline(than.to_owned());
    let pairs = contestants::pairs(&players, &choice).map_err(PyValueError::new_err)?;
    let pair = pairs.into_iter().find(|(one, _)| players[*one].name == player);
    let pair = pair.ok_or_else(|| PyValueError::new_err(format!("no other player {player:?}")))?;
    let asked = PairwiseQuestion { by, level: level.get(), ..PairwiseQuestion::default() };
    let table = pairwise::table(&pairwise::compare(&players, &[pair], &asked));
    Ok(table.to_json()["rows"].to_string())
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
        let (heads, rows) = table.fold_columns();
        let heads = heads.into_iter().map(|head| (head.text, head.column.is_words())).collect();
        Ok((heads, rows, table.to_text(None), notes))
    })
}
