//! The native half of the Python module `gauntlet`.
//!
//! - `check`: checks an environment
//! - `env`: games that Python steps
//! - `evaluate`: plays with Python functions
//! - `folder`: tables, report and plots of a folder
//! - `results`: comparisons and summaries

mod check;
mod env;
mod evaluate;
mod folder;
mod results;

use pyo3::prelude::*;

#[pymodule(name = "_gauntlet")]
mod module {
    #[pymodule_export]
    use super::check::check_env;
    #[pymodule_export]
    use super::env::{Games, GomokuGame};
    #[pymodule_export]
    use super::evaluate::evaluate;
    #[pymodule_export]
    use super::folder::{games, plots, report, table, tables};
    #[pymodule_export]
    use super::results::{compare, summary};

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        use pyo3::types::PyModuleMethods;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
