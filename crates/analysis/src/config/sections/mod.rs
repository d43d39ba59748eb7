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

use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::settings::section::{Key, Keys};
use gauntlet_run::early_stop::EarlyStop;

use super::context::{Context, Revision};
use claim::{Claim, ClaimAsWritten};
use published::{Published, PublishedAsWritten};
use stop::StopAsWritten;
use top::{TopSection, Use};
use train::{Train, TrainAsWritten};
use tune::{Tune, TuneAsWritten};

/// The list of the sections: the meaning of each, the method that reads it, its key, what it is,
/// its field with the types as written and as checked, and the use that is made of it.
macro_rules! sections {
    ($($(#[doc = $meaning:literal])+ $way:ident $key:ident, $kind:literal,
    $name:ident: $written:ty => $checked:ty, $use:ident;)*) => {
        /// The sections as written.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(crate) struct SectionsAsWritten {
            $($(#[doc = $meaning])+ pub(crate) $name: $written,)*
        }

        /// The sections, checked.
        #[derive(Clone, Debug)]
        pub struct Sections {
            $($(#[doc = $meaning])+ pub $name: $checked,)*
        }

        impl SectionsAsWritten {
            /// Shows the keys of all.
            pub(super) fn keys(&mut self, keys: &mut Keys) {
                $(keys.$way(
                    Key {
                        name: stringify!($key),
                        kind: $kind,
                        default: "none",
                        meaning: &[$($meaning),+],
                    },
                    &mut self.$name,
                );)*
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
            /// The first section of one of these uses that says something else in another
            /// experiment, by its key.
            pub(super) fn differing(&self, other: &Sections, uses: &[Use]) -> Option<&'static str> {
                $(if uses.contains(&Use::$use) && self.$name != other.$name {
                    return Some(stringify!($key));
                })*
                None
            }
        }
    };
}

sections! {
    /// Conclusions that are announced: [below](#claims).
    tables claim, "tables, `[[claim]]`", claims: Vec<ClaimAsWritten> => Vec<Claim>, Verdicts;
    /// A test that may end the run before all games are played: [below](#stopping-early).
    table stop, "table, `[stop]`", stop: Option<StopAsWritten> => Option<EarlyStop>, Games;
    /// Numbers that others published about the players: [below](#published-numbers).
    tables published, "tables, `[[published]]`", published: Vec<PublishedAsWritten> => Vec<Published>, Verdicts;
    /// Settings to be improved: [below](#tuning).
    table tune, "table, `[tune]`", tune: Option<TuneAsWritten> => Option<Tune>, Elsewhere;
    /// What a player learns from: [below](#training).
    table train, "table, `[train]`", train: Option<TrainAsWritten> => Option<Train>, Elsewhere;
}
