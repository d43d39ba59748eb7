//! Results of an evaluation: comparisons, and a summary as text.

use std::path::PathBuf;

use gauntlet::GAMES;
use gauntlet::measure::Measure;
use gauntlet::results::analysis::contestants::{self, PairChoice};
use gauntlet::results::analysis::doubts;
use gauntlet::results::analysis::pairwise::{self, PairwiseQuestion};
use gauntlet::results::analysis::summary::RunSummary;
use gauntlet::results::store::read::{self, Results};
use gauntlet::results::tables::printed;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

fn failed(error: anyhow::Error) -> PyErr {
    PyRuntimeError::new_err(format!("{error:#}"))
}

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
        let results = [Results::read(gauntlet::catalog(&GAMES), &folder).map_err(failed)?];
        let measures = results[0].experiment.arena().measures();
        let by = match by {
            None => pairwise::leading(&results).to_vec(),
            Some(by) => match measures.find(by) {
                Some(measure) => vec![measure],
                None => return Err(PyValueError::new_err(format!("unknown measure {by:?}"))),
            },
        };
        if let Some(refusal) = doubts::refusal(&results, &by) {
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
    let players = contestants::contestants(results, &by).map_err(failed)?;
    let choice = PairChoice::Baseline(than.to_owned());
    let pairs = contestants::pairs(&players, &choice).map_err(PyValueError::new_err)?;
    let pair = pairs.into_iter().find(|(one, _)| players[*one].name == player);
    let pair = pair.ok_or_else(|| PyValueError::new_err(format!("no other player {player:?}")))?;
    let asked = PairwiseQuestion { by, level: level.get(), ..PairwiseQuestion::default() };
    let table = pairwise::table(&pairwise::compare(&players, &[pair], &asked));
    Ok(table.to_json()["rows"].to_string())
}

/// Describes some results: the first table, what it shows, and warnings.
#[pyfunction]
pub(crate) fn summary(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    py.detach(|| {
        let catalog = gauntlet::catalog(&GAMES);
        let results = Results::read(catalog, &folder).map_err(failed)?;
        let first = printed(catalog.games).into_iter().find(|name| read::has_table(&results.set, name));
        let table = first.map(|name| read::table(&results.set, name)).transpose().map_err(failed)?;
        let mut text = table.map_or_else(String::new, |table| table.to_text(None));
        for sentence in RunSummary::of(&results).map_err(failed)?.sentences {
            text += &format!("{sentence}\n");
        }
        for warning in results.set.warnings() {
            text += &format!("warning: {warning}\n");
        }
        Ok(text)
    })
}
