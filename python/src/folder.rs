//! A folder of a run, a tuning or a training: its tables, its report and its plots.

use std::fs;
use std::path::{Path, PathBuf};
use std::slice;

use anyhow::{Context, bail};
use gauntlet::GAMES;
use gauntlet::disk::system_disk;
use gauntlet::page::drawn_plot::draw_curve_file;
use gauntlet::page::{self, ExploratoryComparisons, Page, ReportFileNames};
use gauntlet::results::analysis::requested_tables::{available_tables, make_table};
use gauntlet::results::analysis::summary::RunSummary;
use gauntlet::results::store::files::write_document;
use gauntlet::results::store::read::{self, Results};
use gauntlet::results::store::snapshot::{GAMES_CSV, ResultsSnapshot};
use gauntlet::results::store::tuning::{is_tuning, is_unfinished};
use gauntlet::results::tables::curve::{CURVE, CurveRow};
use gauntlet::results::tables::times::TimeRow;
use gauntlet::results::tables::{REQUESTED_TABLES, SETTINGS, printed_tables};
use gauntlet::table::{Cell, CellKind, Table, TypedRow};
use gauntlet::text::display_path;
use gauntlet::train::CURVE_FILE;
use gauntlet::tune::results::TABLES;
use gauntlet::tune::results::tuning_results::{TuningResults, read_summary};
use gauntlet::tune::results::unfinished_tuning::UnfinishedTuning;
use gauntlet::tune::unfinished_tuning::read_unfinished;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Table of all games.
const GAMES_TABLE: &str = "games";

pub(crate) fn to_python_error(error: anyhow::Error) -> PyErr {
    PyRuntimeError::new_err(format!("{error:#}"))
}

/// What a folder contains.
pub(crate) enum ResultsFolder {
    Run(Box<Results>),
    Tuning(Box<TuningResults>),
    Unfinished(Box<UnfinishedTuning>),
    Training(Box<Table>),
}

impl ResultsFolder {
    pub(crate) fn read(folder: &Path) -> PyResult<ResultsFolder> {
        ResultsFolder::read_any(folder).map_err(to_python_error)
    }

    fn read_any(folder: &Path) -> anyhow::Result<ResultsFolder> {
        let catalog = gauntlet::catalog(&GAMES);
        if is_unfinished(folder) {
            return Ok(ResultsFolder::Unfinished(Box::new(read_unfinished(catalog, folder)?)));
        }
        if is_tuning(folder) {
            return Ok(ResultsFolder::Tuning(Box::new(TuningResults::read(catalog, folder)?)));
        }
        let curve_path = folder.join(CURVE_FILE);
        if curve_path.exists() {
            let csv = fs::read(&curve_path)
                .with_context(|| format!("cannot read {}", display_path(&curve_path)))?;
            return Ok(ResultsFolder::Training(Box::new(Table::from_csv(&CurveRow::schema(), &csv)?)));
        }
        Ok(ResultsFolder::Run(Box::new(Results::read(catalog, folder)?)))
    }

    fn names(&self) -> Vec<&'static str> {
        match self {
            ResultsFolder::Run(results) => {
                let files = printed_tables(&GAMES).into_iter().chain([SETTINGS, TimeRow::NAME]);
                let mut names: Vec<_> =
                    files.filter(|name| read::has_table(&results.snapshot, name)).collect();
                names.extend(results.has_games().then_some(GAMES_TABLE));
                names.extend(available_tables(results));
                names
            }
            ResultsFolder::Tuning(_) | ResultsFolder::Unfinished(_) => {
                TABLES.into_iter().filter(|name| self.table(name).is_ok()).collect()
            }
            ResultsFolder::Training(_) => vec![CURVE],
        }
    }

    fn table(&self, name: &str) -> anyhow::Result<Table> {
        match self {
            ResultsFolder::Run(results) if REQUESTED_TABLES.contains(&name) => make_table(results, name),
            ResultsFolder::Run(results) => read::table(&results.snapshot, name),
            ResultsFolder::Tuning(tuning) => tuning.table(name),
            ResultsFolder::Unfinished(tuning) => tuning.table(name),
            ResultsFolder::Training(curve) if name == CURVE => Ok((**curve).clone()),
            ResultsFolder::Training(_) => bail!("a training has only the table `{CURVE}`"),
        }
    }

    /// Returns the table that a summary begins with.
    pub(crate) fn first_table(&self) -> anyhow::Result<Option<Table>> {
        match self {
            ResultsFolder::Tuning(tuning) => Ok(tuning.printed_tables().into_iter().next()),
            ResultsFolder::Unfinished(tuning) => Ok(tuning.printed_tables().into_iter().next()),
            _ => self.names().first().map(|name| self.table(name)).transpose(),
        }
    }

    /// Returns sentences about the results, and warnings.
    pub(crate) fn notes(&self) -> anyhow::Result<Vec<String>> {
        let (mut notes, warnings) = match self {
            ResultsFolder::Run(results) => {
                (RunSummary::new(results)?.sentences, results.snapshot.warnings().to_vec())
            }
            ResultsFolder::Tuning(tuning) => {
                let answer = read_summary(gauntlet::catalog(&GAMES), tuning.snapshot.folder())?;
                ([vec![answer.verdict], answer.settings].concat(), tuning.snapshot.warnings().to_vec())
            }
            ResultsFolder::Unfinished(tuning) => (vec![tuning.describe_progress()], tuning.warnings()),
            ResultsFolder::Training(_) => (Vec::new(), Vec::new()),
        };
        notes.extend(warnings.iter().map(|warning| format!("warning: {warning}")));
        Ok(notes)
    }

    fn page(&self) -> anyhow::Result<Page> {
        let names = ReportFileNames { index: String::new(), prefix: String::new() };
        match self {
            ResultsFolder::Run(results) => {
                page::make_page(results, &ExploratoryComparisons::new(slice::from_ref(&**results))?)
            }
            ResultsFolder::Tuning(tuning) => Ok(page::make_tuning_site(tuning, &[], &names)?.index),
            ResultsFolder::Unfinished(tuning) => Ok(page::make_unfinished_site(tuning, &[], &names)?.index),
            ResultsFolder::Training(_) => bail!("a training has no report"),
        }
    }

    fn plots(&self) -> anyhow::Result<Vec<(String, String)>> {
        let ResultsFolder::Training(curve) = self else { return Ok(self.page()?.plots) };
        let tests = curve.read_rows::<CurveRow>().filter_map(|row| Some((row.games, row.score_mean?)));
        let svg = draw_curve_file(&tests.collect::<Vec<_>>());
        Ok(svg.map(|svg| ("learning".to_owned(), svg)).into_iter().collect())
    }

    fn snapshot(&self) -> Option<&ResultsSnapshot> {
        if let ResultsFolder::Run(results) = self { Some(&results.snapshot) } else { None }
    }
}

/// Returns the names of the tables in a folder.
#[pyfunction]
pub(crate) fn tables(py: Python<'_>, folder: PathBuf) -> PyResult<Vec<&'static str>> {
    py.detach(|| Ok(ResultsFolder::read(&folder)?.names()))
}

/// Returns columns with their kinds (`text`, `bool`, `int`, `float`, or `any` if the kind is not
/// known), and rows. A number that is only known to be below a bound is missing.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "a value of Python")]
pub(crate) fn table(
    py: Python<'_>,
    folder: PathBuf,
    name: &str,
) -> PyResult<(Vec<(&'static str, &'static str)>, Vec<Vec<Py<PyAny>>>)> {
    let table = py.detach(|| ResultsFolder::read(&folder)?.table(name).map_err(to_python_error))?;
    let kind = |kind| match kind {
        CellKind::Truth => "bool",
        CellKind::Count => "int",
        CellKind::Words if name == SETTINGS => "any",
        CellKind::Words | CellKind::Verdict { .. } | CellKind::Answer | CellKind::Explanation => "text",
        _ => "float",
    };
    let columns = table.columns.iter().map(|column| (column.name, kind(column.kind))).collect();
    let object = |cell: &Cell| {
        Ok(match cell {
            Cell::Text(text) if text.is_empty() => py.None(),
            Cell::Text(text) => text.into_pyobject(py)?.into_any().unbind(),
            Cell::Truth(boolean) => boolean.into_pyobject(py)?.to_owned().into_any().unbind(),
            Cell::Whole(number) => number.into_pyobject(py)?.into_any().unbind(),
            Cell::Real(number, _) | Cell::Probability(number) => {
                number.into_pyobject(py)?.into_any().unbind()
            }
            Cell::Below(..) | Cell::Nothing => py.None(),
        })
    };
    let rows = table.rows.iter().map(|row| row.iter().map(object).collect::<PyResult<_>>());
    Ok((columns, rows.collect::<PyResult<_>>()?))
}

/// Returns the file of all games of a run, as bytes of CSV.
#[pyfunction]
pub(crate) fn games(py: Python<'_>, folder: PathBuf) -> PyResult<Vec<u8>> {
    py.detach(|| {
        let folder = ResultsFolder::read(&folder)?;
        let snapshot =
            folder.snapshot().context("only runs have a table of games").map_err(to_python_error)?;
        let mut csv = Vec::new();
        let result = snapshot.stream(GAMES_CSV, |file| Ok(file.read_to_end(&mut csv)?));
        result.map_err(to_python_error)?;
        Ok(csv)
    })
}

/// Writes the report of a folder. Replaces only an earlier report.
#[pyfunction]
pub(crate) fn report(py: Python<'_>, folder: PathBuf, out: PathBuf) -> PyResult<()> {
    py.detach(|| {
        let html = ResultsFolder::read(&folder)?.page().map_err(to_python_error)?.html;
        if fs::read(&out).is_ok_and(|bytes| !bytes.is_empty() && !page::is_generated(&bytes)) {
            let message = "already exists and is not a report of gauntlet: choose another name";
            return Err(PyRuntimeError::new_err(format!("{} {message}", display_path(&out))));
        }
        write_document(&system_disk(), &out, html.as_bytes()).map_err(to_python_error)
    })
}

/// Returns name and SVG of each plot of the report.
#[pyfunction]
pub(crate) fn plots(py: Python<'_>, folder: PathBuf) -> PyResult<Vec<(String, String)>> {
    py.detach(|| ResultsFolder::read(&folder)?.plots().map_err(to_python_error))
}
