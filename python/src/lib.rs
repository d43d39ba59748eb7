//! The native half of the Python module `gauntlet`.

use pyo3::prelude::*;

#[pymodule(name = "_gauntlet")]
mod module {
    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        use pyo3::types::PyModuleMethods;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
