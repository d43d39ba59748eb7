//! Sections that drivers own: a package above this one registers its section, checks it, and gets
//! it back from the experiment.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::settings::section::{KeyDeclaration, KeyVisitor, Section};

pub use crate::config::blocks::SeedNumber;
pub use crate::config::context::{Context, Revision};
pub use crate::config::reference::Reference;
pub use crate::config::sections::stop::Difference;

/// Section of a driver, as written. It changes neither the games of the experiment nor its
/// verdicts.
pub trait DriverSection: Section + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// Its key among the sections.
    const KEY: KeyDeclaration;

    /// The section after checking.
    type Checked: Send + Sync + 'static;

    /// Checks the section and reports mistakes.
    fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<Self::Checked>;

    /// Applies a change of the players. Returns false if the section is about excluded ones.
    fn revise(&mut self, _: &Self::Checked, _: &Revision) -> bool {
        true
    }
}

/// Registered section of a driver.
#[derive(Clone, Copy, Debug)]
pub struct RegisteredSection(pub(in crate::config) fn() -> Box<dyn AnySection>);

impl RegisteredSection {
    /// Registers a section.
    pub const fn of<S: DriverSection>() -> RegisteredSection {
        RegisteredSection(|| Box::new(None::<S>))
    }
}

/// A section after checking, whatever its type.
pub(super) type AnyChecked = Arc<dyn Any + Send + Sync>;

/// A section as written, whatever its type; it may be absent.
pub(crate) trait AnySection: Any + fmt::Debug + Send + Sync {
    fn keys(&mut self, keys: &mut KeyVisitor);
    fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<AnyChecked>;
    fn revise(&mut self, checked: &AnyChecked, revision: &Revision, dropped: &mut Vec<String>);
    fn copy(&self) -> Box<dyn AnySection>;
    fn is_same(&self, other: &dyn Any) -> bool;
}

impl<S: DriverSection> AnySection for Option<S> {
    fn keys(&mut self, keys: &mut KeyVisitor) {
        keys.table(S::KEY, self);
    }

    fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<AnyChecked> {
        Some(Arc::new(self.as_ref()?.check(context, mistakes)?))
    }

    fn revise(&mut self, checked: &AnyChecked, revision: &Revision, dropped: &mut Vec<String>) {
        let Some(written) = self.as_mut() else { return };
        let checked = checked.downcast_ref().expect("a section of this type");
        if !written.revise(checked, revision) {
            *self = None;
            dropped.push(format!("the [{}], {}", S::KEY.name, Revision::LEFT_OUT));
        }
    }

    fn copy(&self) -> Box<dyn AnySection> {
        Box::new(self.clone())
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

impl Clone for Box<dyn AnySection> {
    fn clone(&self) -> Box<dyn AnySection> {
        (**self).copy()
    }
}

impl PartialEq for dyn AnySection {
    fn eq(&self, other: &dyn AnySection) -> bool {
        self.is_same(other)
    }
}
