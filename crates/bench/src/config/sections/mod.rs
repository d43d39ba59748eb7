//! The sections of an experiment beside its players: one file each, and one line in the list below.
//!
//! - [`claim`]: conclusions announced before the run
//! - [`published`]: numbers from elsewhere about the players
//! - [`stop`]: what may end the run early
//! - `top`: the contract of them all
//! - [`train`]: training of a player that learns
//! - [`tune`]: which settings of a player are to be improved

pub mod claim;
pub mod published;
pub mod stop;
pub(super) mod top;
pub mod train;
pub mod tune;

use super::context::{Context, Revision};
use crate::diagnostic::Diagnostic;
use crate::settings::section::Keys;
use claim::{Claim, ClaimAsWritten};
use published::{Published, PublishedAsWritten};
use stop::{EarlyStop, StopAsWritten};
use top::{TopSection, Use};
use train::{Train, TrainAsWritten};
use tune::{Tune, TuneAsWritten};

/// The list of the sections: the name of each, its type as written and its type as checked.
macro_rules! sections {
    ($($(#[$about:meta])* $name:ident: $written:ty => $checked:ty,)*) => {
        /// The sections as written.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(crate) struct SectionsAsWritten {
            $($(#[$about])* pub(crate) $name: $written,)*
        }

        /// The sections, checked.
        #[derive(Clone, Debug)]
        pub struct Sections {
            $($(#[$about])* pub $name: $checked,)*
        }

        impl SectionsAsWritten {
            /// Shows the keys of all.
            pub(super) fn keys(&mut self, keys: &mut Keys) {
                $(self.$name.key(keys);)*
            }

            /// Checks all.
            pub(super) fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Sections {
                Sections { $($name: self.$name.check(context, mistakes),)* }
            }

            /// Follows a change of the players in all.
            pub(super) fn revise(
                &mut self,
                checked: &Sections,
                revision: &Revision,
                dropped: &mut Vec<String>,
            ) {
                $(self.$name.revise(&checked.$name, revision, dropped);)*
            }
        }

        impl Sections {
            /// The first section of one of these uses that says something else in another experiment, by its
            /// key.
            pub(super) fn differing(&self, other: &Sections, uses: &[Use]) -> Option<&'static str> {
                $(if uses.contains(&<$written>::USE) && self.$name != other.$name {
                    return Some(<$written>::KEY);
                })*
                None
            }
        }
    };
}

sections! {
    /// The claims, in the order of the file.
    claims: Vec<ClaimAsWritten> => Vec<Claim>,
    /// The rule that may end the run early.
    stop: Option<StopAsWritten> => Option<EarlyStop>,
    /// The published numbers, in the order of the file.
    published: Vec<PublishedAsWritten> => Vec<Published>,
    /// The settings to be tuned.
    tune: Option<TuneAsWritten> => Option<Tune>,
    /// Training of a player that learns.
    train: Option<TrainAsWritten> => Option<Train>,
}
