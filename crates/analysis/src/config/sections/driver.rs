//! Sections that drivers own: a package above this one registers its section, checks it, and gets
//! it back from the experiment.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::settings::section::{KeyDeclaration, KeyVisitor, Section};
use gauntlet_core::settings::tree::TomlTable;

pub use crate::config::blocks::SeedNumber;
pub use crate::config::context::Context;
pub use crate::config::reference::Reference;
pub use crate::config::sections::stop::Difference;
pub use crate::config::selection::Selection;

/// Section of a driver, as written. It changes neither the games of the experiment nor its
/// verdicts.
pub trait DriverSection: Section + fmt::Debug + 'static {
    /// Its key among the sections.
    const KEY: KeyDeclaration;

    /// The section after checking.
    type Checked: Send + Sync + 'static;

    /// Checks the section and reports mistakes.
    fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<Self::Checked>;

    /// Restricts the table of a checked section to the selected players. Returns false if it is
    /// about excluded ones.
    fn restrict_to_selection(_: &mut TomlTable, _: &Self::Checked, _: &Selection) -> bool {
        true
    }
}

/// Registered section of a driver.
#[derive(Clone, Copy, Debug)]
pub struct RegisteredSection(pub(in crate::config) fn() -> Box<dyn AnySection>);

impl RegisteredSection {
    /// Registers a section.
    pub const fn new<S: DriverSection>() -> RegisteredSection {
        RegisteredSection(|| Box::new(None::<S>))
    }
}

/// A section after checking, whatever its type.
pub(super) type AnyCheckedSection = Arc<dyn Any + Send + Sync>;

/// A section as written, whatever its type; it may be absent.
pub(crate) trait AnySection: fmt::Debug {
    fn visit_keys(&mut self, keys: &mut KeyVisitor);
    fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<AnyCheckedSection>;
    fn key(&self) -> &'static str;
    fn select(&self, table: &mut TomlTable, section: &AnyCheckedSection, selection: &Selection) -> bool;
}

impl<S: DriverSection> AnySection for Option<S> {
    fn visit_keys(&mut self, keys: &mut KeyVisitor) {
        keys.table(S::KEY, self);
    }

    fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<AnyCheckedSection> {
        Some(Arc::new(self.as_ref()?.check(context, mistakes)?))
    }

    fn key(&self) -> &'static str {
        S::KEY.name
    }

    fn select(&self, table: &mut TomlTable, section: &AnyCheckedSection, selection: &Selection) -> bool {
        S::restrict_to_selection(table, section.downcast_ref().expect("a section of this type"), selection)
    }
}
