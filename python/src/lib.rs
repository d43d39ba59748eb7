//! The native half of the Python module `gauntlet`.

mod env;

use pyo3::prelude::*;

#[pymodule(name = "_gauntlet")]
mod module {
    #[pymodule_export]
    use super::env::{Games, GomokuGame};

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        use pyo3::types::PyModuleMethods;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
