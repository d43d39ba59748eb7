//! The state of a stopping rule, relative to its bounds.

use serde::Serialize;

/// State of a stopping rule, relative to its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BoundsPosition {
    /// Current value.
    pub value: f64,
    /// Lower bound, if there is one.
    pub lower: Option<f64>,
    /// Upper bound.
    pub upper: f64,
    /// Name of the value.
    pub what: &'static str,
}
