//! The contract of a section: how it is checked and changed, and the use that is made of it.

use gauntlet_core::diagnostic::Diagnostic;

use crate::config::context::{Context, Revision};

/// A section of an experiment as written: the table under one header, or all tables of one name.
pub(in crate::config) trait TopSection {
    /// The same, checked.
    type Checked: PartialEq;

    /// Checks it. Where it is mistaken, the mistakes are told.
    fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Self::Checked;

    /// Follows a change of the players, and drops what is no longer about one of them or no longer
    /// true. Tells what is dropped.
    fn revise(&mut self, checked: &Self::Checked, revision: &Revision, dropped: &mut Vec<String>);
}

/// The use that is made of a section.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::config) enum Use {
    /// It says which games are played: with another one it is another run.
    Games,
    /// It asks for verdicts on the games of a run, whichever they are.
    Verdicts,
    /// Another command than `run` reads it.
    Elsewhere,
}
