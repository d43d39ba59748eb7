//! The contract of a section: how it is read, checked and changed, and the use that is made of it.

use crate::config::context::{Context, Staying};
use crate::diagnostic::Diagnostic;
use crate::settings::section::Keys;

/// A section of an experiment as written: the table under one header, or all tables of one name.
pub(in crate::config) trait TopSection {
    /// The same, checked.
    type Checked: PartialEq;
    /// Its key in the file.
    const KEY: &'static str;
    /// The use that is made of it.
    const USE: Use;

    /// Shows the key.
    fn key(&mut self, keys: &mut Keys);

    /// Checks it. Where it is mistaken, the mistakes are told.
    fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Self::Checked;

    /// Names each player as those that stay are named, and drops what is about players that are left out.
    /// Tells what is dropped.
    fn leave_out(&mut self, checked: &Self::Checked, staying: Staying, dropped: &mut Vec<String>);

    /// Drops what is no longer true of players with other settings. Tells what is dropped.
    fn change_settings(
        &mut self,
        _checked: &Self::Checked,
        _is_changed: &dyn Fn(usize) -> bool,
        _dropped: &mut Vec<String>,
    ) {
    }
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

/// Keeps some tables of a section. Tells how many are dropped, and why.
pub(in crate::config) fn retain<S>(
    tables: &mut Vec<S>,
    key: &str,
    is_kept: impl Iterator<Item = bool>,
    why: &str,
    dropped: &mut Vec<String>,
) {
    let (before, mut flags) = (tables.len(), is_kept);
    tables.retain(|_| flags.next() != Some(false));
    match before - tables.len() {
        0 => {}
        1 => dropped.push(format!("a [[{key}]], {why}")),
        gone => dropped.push(format!("{gone} [[{key}]], {why}")),
    }
}
