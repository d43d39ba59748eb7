//! Sections that drivers own: a package above this one registers its section, checks it, and gets it
//! back from the experiment.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::settings::section::{self, Key, Keys, Section};

pub use crate::config::blocks::SeedNumber;
pub use crate::config::context::{Context, Revision};
pub use crate::config::reference::Reference;
pub use crate::config::sections::stop::Difference;

/// Section of a driver, as written. It changes neither the games of the experiment nor its verdicts.
pub trait DriverSection: Section + Send + Sync + 'static {
    /// Its key among the sections.
    const KEY: Key;

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
pub struct RegisteredSection(fn() -> Box<dyn AnySection>);

impl RegisteredSection {
    /// Registers a section.
    pub const fn of<S: DriverSection>() -> RegisteredSection {
        RegisteredSection(|| Box::new(None::<S>))
    }
}

/// A section after checking, whatever its type.
type AnyChecked = Arc<dyn Any + Send + Sync>;

/// A section as written, whatever its type; it may be absent.
trait AnySection: Any + Send + Sync {
    fn keys(&mut self, keys: &mut Keys);
    fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<AnyChecked>;
    fn revise(&mut self, checked: &dyn Any, revision: &Revision, dropped: &mut Vec<String>);
    fn copy(&self) -> Box<dyn AnySection>;
}

impl<S: DriverSection> AnySection for Option<S> {
    fn keys(&mut self, keys: &mut Keys) {
        keys.table(S::KEY, self);
    }

    fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<AnyChecked> {
        Some(Arc::new(self.as_ref()?.check(context, mistakes)?))
    }

    fn revise(&mut self, checked: &dyn Any, revision: &Revision, dropped: &mut Vec<String>) {
        let Some((written, checked)) = self.as_mut().zip(checked.downcast_ref()) else { return };
        if !written.revise(checked, revision) {
            *self = None;
            dropped.push(format!("the [{}], {}", S::KEY.name, Revision::LEFT_OUT));
        }
    }

    fn copy(&self) -> Box<dyn AnySection> {
        Box::new(self.clone())
    }
}

/// Sections of all drivers as written, in the order in which they are registered.
#[derive(Default)]
pub(crate) struct DriverSections(Vec<Box<dyn AnySection>>);

impl DriverSections {
    /// Returns the registered sections, all absent.
    pub(in crate::config) fn new(registered: &[RegisteredSection]) -> DriverSections {
        DriverSections(registered.iter().map(|section| section.0()).collect())
    }

    /// Checks all sections.
    pub(super) fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> CheckedDriverSections {
        CheckedDriverSections(self.0.iter().map(|section| section.check(context, mistakes)).collect())
    }

    /// Applies a change of the players to all sections.
    pub(super) fn revise(
        &mut self,
        checked: &CheckedDriverSections,
        revision: &Revision,
        dropped: &mut Vec<String>,
    ) {
        for (section, checked) in self.0.iter_mut().zip(&checked.0) {
            if let Some(checked) = checked {
                section.revise(&**checked, revision, dropped);
            }
        }
    }

    /// Returns the section of this type, if it is there.
    pub(in crate::config) fn get_mut<S: DriverSection>(&mut self) -> Option<&mut S> {
        let mut sections = self.0.iter_mut().map(|section| &mut **section as &mut dyn Any);
        sections.find_map(<dyn Any>::downcast_mut::<Option<S>>)?.as_mut()
    }
}

impl Section for DriverSections {
    fn keys(&mut self, keys: &mut Keys) {
        self.0.iter_mut().for_each(|section| section.keys(keys));
    }
}

impl Clone for DriverSections {
    fn clone(&self) -> DriverSections {
        DriverSections(self.0.iter().map(|section| section.copy()).collect())
    }
}

/// Sections are equal if they are written equally.
impl PartialEq for DriverSections {
    fn eq(&self, other: &DriverSections) -> bool {
        section::table(self) == section::table(other)
    }
}

impl fmt::Debug for DriverSections {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        section::table(self).fmt(f)
    }
}

/// Sections of all drivers after checking; absent ones are `None`.
#[derive(Clone, Debug)]
pub struct CheckedDriverSections(Vec<Option<AnyChecked>>);

impl CheckedDriverSections {
    /// Returns the section of this type, if it is there.
    pub fn get<C: 'static>(&self) -> Option<&C> {
        self.0.iter().flatten().find_map(|section| section.downcast_ref())
    }
}
