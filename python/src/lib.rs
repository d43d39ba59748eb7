//! The native half of the Python module `gauntlet`.

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
    use super::results::{compare, experiment_name, summary};

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        use gauntlet_core::game::Rules as _;
        use gauntlet_twenty48::rules::Rules;
        use pyo3::types::PyModuleMethods;

        let rules: Vec<&str> = Rules::MANUAL.iter().map(|rule| rule.name).collect();
        module.add("RULES", rules)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
