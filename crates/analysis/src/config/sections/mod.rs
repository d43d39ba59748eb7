//! Sections of an experiment except the players: one file each, and one line in the list below.

pub mod claim;
pub mod driver;
pub mod published;
pub mod stop;
pub(super) mod top;

use std::borrow::Cow;

use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::settings::section::{KeyDeclaration, KeyVisitor};
use gauntlet_run::early_stop::EarlyStop;

use super::context::Context;
use claim::{Claim, ClaimAsWritten};
use driver::{AnyCheckedSection, AnySection};
use published::{PublishedAsWritten, PublishedNumber};
use stop::StopAsWritten;
use top::{TopSection, Use};

/// Declares the sections. Each line has the meaning, the method that reads it, its key and its
/// kind. Then follow its field with the types as written and as checked, and its use.
macro_rules! sections {
    ($($(#[doc = $meaning:literal])+ $way:ident $key:ident, $kind:literal,
    $name:ident: $written:ty => $checked:ty, $use:ident;)*) => {
        /// The sections as written.
        #[derive(Debug, Default)]
        pub(crate) struct SectionsAsWritten {
            $($(#[doc = $meaning])+ pub(crate) $name: $written,)*
            /// Sections that other packages own.
            pub(crate) drivers: Vec<Box<dyn AnySection>>,
        }

        /// The sections, checked.
        #[derive(Clone, Debug)]
        pub struct Sections {
            $($(#[doc = $meaning])+ pub $name: $checked,)*
            /// Sections that other packages own. They change neither games nor verdicts.
            pub(super) drivers: Vec<Option<AnyCheckedSection>>,
        }

        impl SectionsAsWritten {
            /// Reads the keys of all sections.
            pub(super) fn keys(&mut self, keys: &mut KeyVisitor) {
                $(keys.$way(
                    KeyDeclaration {
                        name: stringify!($key),
                        kind: Cow::Borrowed($kind),
                        default: "none",
                        meaning: &[$($meaning),+],
                    },
                    &mut self.$name,
                );)*
                self.drivers.iter_mut().for_each(|section| section.visit_keys(keys));
            }

            /// Checks all sections.
            pub(super) fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Sections {
                Sections {
                    $($name: self.$name.check(context, mistakes),)*
                    drivers: self.drivers.iter().map(|section| section.check(context, mistakes)).collect(),
                }
            }
        }

        impl Sections {
            /// Returns the section of a driver by its type, if it is there.
            pub fn driver_section<C: 'static>(&self) -> Option<&C> {
                self.drivers.iter().flatten().find_map(|section| section.downcast_ref())
            }

            /// Returns the key of the first section with one of these uses that differs in another
            /// experiment.
            pub(super) fn find_difference(&self, other: &Sections, uses: &[Use]) -> Option<&'static str> {
                $(if uses.contains(&Use::$use) && self.$name != other.$name {
                    return Some(stringify!($key));
                })*
                None
            }
        }
    };
}

sections! {
    /// [Claims](#claims) that the run tests.
    tables claim, "tables, `[[claim]]`", claims: Vec<ClaimAsWritten> => Vec<Claim>, Verdicts;
    /// [Test](#stopping-early) that can end the run early.
    table stop, "table, `[stop]`", stop: Option<StopAsWritten> => Option<EarlyStop>, Games;
    /// [Published numbers](#published-numbers) to compare with the results.
    tables published, "tables, `[[published]]`", published: Vec<PublishedAsWritten> => Vec<PublishedNumber>, Verdicts;
}
