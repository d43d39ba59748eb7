//! Whether games may have been ended by what they had shown.

use crate::compare::settled::Settled;
use crate::results::store::read::Results;

/// A `[stop]` of results, by which their run may have been ended.
#[derive(Clone, Copy)]
pub(super) struct MayStop<'a> {
    /// Decision of a stop by a comparison of two players, if there is one.
    pub(super) settled: Option<&'a Settled>,
}

impl MayStop<'_> {
    /// None if the results have no `[stop]`.
    pub(super) fn of(results: &Results) -> Option<MayStop<'_>> {
        results.experiment.sections().stop.as_ref().map(|_| MayStop { settled: results.settled.as_ref() })
    }
}
