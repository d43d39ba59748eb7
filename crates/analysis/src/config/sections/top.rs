//! The trait of a section: how it is checked, and which commands use it.

use gauntlet_core::diagnostic::Diagnostic;

use crate::config::context::Context;

/// A section of an experiment as written: the table under one header, or all tables of one name.
pub(in crate::config) trait TopSection {
    /// The section after checking.
    type Checked: PartialEq;

    /// Checks the section and reports mistakes.
    fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Self::Checked;
}

/// Use of a section.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::config) enum Use {
    /// It determines which games are played: another section means another run.
    Games,
    /// It asks for verdicts on the games of any run.
    Verdicts,
}
