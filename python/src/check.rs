//! `gauntlet.check_env`: checks an environment that is a Python object.

use gauntlet_check_env::{
    CellKind, CheckOptions, Direction, Environment, Failure, Observation, Reset, Step, check,
};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// Checks the environment behind `adapter`, which is `gauntlet.checking.Adapter`. Returns the
/// report as JSON and as text.
#[pyfunction]
#[pyo3(signature = (adapter, *, games, seed, actions, cells, reward))]
pub(crate) fn check_env(
    adapter: Bound<'_, PyAny>,
    games: Option<u64>,
    seed: u64,
    actions: Option<Vec<String>>,
    cells: Option<&str>,
    reward: bool,
) -> PyResult<(String, String)> {
    let defaults = CheckOptions::default();
    let options = CheckOptions {
        games: games.unwrap_or(defaults.games),
        seed,
        actions: actions.map(|names| parse_directions(&names)).transpose()?,
        cells: cells.map(parse_cell_kind).transpose()?,
        has_reward: reward,
        ..defaults
    };
    let action_count = adapter.getattr("actions")?.extract()?;
    let takes_seeds = adapter.getattr("takes_seeds")?.extract()?;
    let mut environment = PythonEnvironment { adapter, action_count, takes_seeds, failure: None };
    let report = check(&mut environment, &options);
    if let Some(failure) = environment.failure {
        return Err(failure);
    }
    let report = report.map_err(PyRuntimeError::new_err)?;
    Ok((report.to_json().to_string(), report.to_text()))
}

fn parse_directions(names: &[String]) -> PyResult<Vec<Direction>> {
    let parse_direction = |name: &String| {
        let direction = Direction::ALL.into_iter().find(|direction| direction.name() == name);
        direction.ok_or_else(|| {
            PyValueError::new_err(format!("actions: expected up, right, down or left, got {name:?}"))
        })
    };
    if (1..names.len()).any(|index| names[..index].contains(&names[index])) {
        return Err(PyValueError::new_err("actions: a direction is named twice"));
    }
    names.iter().map(parse_direction).collect()
}

fn parse_cell_kind(name: &str) -> PyResult<CellKind> {
    match name {
        "values" => Ok(CellKind::Values),
        "ranks" => Ok(CellKind::Ranks),
        "planes" => Ok(CellKind::Planes),
        _ => Err(PyValueError::new_err(format!(
            "cells: expected \"values\", \"ranks\" or \"planes\", got {name:?}"
        ))),
    }
}

/// Environment that is a Python object. A method of the adapter returns a text if the environment
/// raised an exception; an exception of the adapter itself ends the check.
struct PythonEnvironment<'py> {
    adapter: Bound<'py, PyAny>,
    action_count: usize,
    takes_seeds: bool,
    /// Exception that ends the check.
    failure: Option<PyErr>,
}

/// Observation and mask, as the adapter returns them.
type ObservationAndMask<'py> = (Bound<'py, PyAny>, Option<Vec<bool>>);

impl<'py> PythonEnvironment<'py> {
    /// Keeps an exception that ends the check.
    fn keep_exception(&mut self, failure: PyErr) -> Failure {
        let message = failure.to_string();
        self.failure.get_or_insert(failure);
        Failure::Ended(message)
    }

    /// Converts the answer of the adapter.
    fn read<T>(
        &mut self,
        answer: PyResult<Bound<'py, PyAny>>,
        convert: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> Result<T, Failure> {
        if let Some(failure) = &self.failure {
            return Err(Failure::Ended(failure.to_string()));
        }
        // Ctrl-C may have come while the check was thinking.
        let answer = self.adapter.py().check_signals().and(answer);
        let answer = answer.map_err(|failure| self.keep_exception(failure))?;
        if let Ok(message) = answer.cast::<PyString>() {
            return Err(Failure::Raised(message.to_string_lossy().into_owned()));
        }
        convert(&answer).map_err(|failure| self.keep_exception(failure))
    }
}

fn read_observation(array: &Bound<'_, PyAny>) -> PyResult<Observation> {
    let buffer = PyBuffer::<f64>::get(array)?;
    Ok(Observation { numbers: buffer.to_vec(array.py())?, shape: buffer.shape().to_vec() })
}

fn read_reset(answer: &Bound<'_, PyAny>) -> PyResult<Reset> {
    let (array, mask): ObservationAndMask<'_> = answer.extract()?;
    Ok(Reset { observation: read_observation(&array)?, mask })
}

impl Environment for PythonEnvironment<'_> {
    fn actions(&self) -> usize {
        self.action_count
    }

    fn reset(&mut self, seed: Option<u64>) -> Result<Reset, Failure> {
        let answer = self.adapter.call_method1("reset", (seed,));
        self.read(answer, read_reset)
    }

    fn step(&mut self, action: usize) -> Result<Step, Failure> {
        let answer = self.adapter.call_method1("step", (action,));
        self.read(answer, |answer| {
            let ((array, mask), reward, terminated, truncated): (
                ObservationAndMask<'_>,
                Option<f64>,
                bool,
                bool,
            ) = answer.extract()?;
            Ok(Step { observation: read_observation(&array)?, reward, terminated, truncated, mask })
        })
    }

    fn set_board(&mut self, board: &Observation) -> Result<Option<Reset>, Failure> {
        let answer = self.adapter.call_method1("set_board", (board.numbers.clone(), board.shape.clone()));
        self.read(answer, |answer| if answer.is_none() { Ok(None) } else { read_reset(answer).map(Some) })
    }

    fn earlier_observation(&mut self) -> Option<Observation> {
        let answer = self.adapter.call_method0("earlier_observation");
        self.read(answer, read_observation).ok()
    }

    fn takes_seeds(&self) -> bool {
        self.takes_seeds
    }
}
