//! The state of what may end a run, between its bounds.

use serde::Serialize;

/// What may end a run, on its way between its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Between {
    /// Where it is now.
    pub value: f64,
    /// The bound below, if there is one.
    pub lower: Option<f64>,
    /// The bound above.
    pub upper: f64,
    /// What is measured.
    pub what: &'static str,
}
