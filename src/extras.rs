//! The list of extras. `extras/README.md` explains how to remove and add one.

use gauntlet_cli::command::Command;

/// Commands of the extras, in the order of the help.
pub(crate) const EXTRAS: &[&[Command]] = &[
    #[cfg(feature = "live")]
    live::COMMANDS,
    #[cfg(feature = "check-env")]
    check_env::COMMANDS,
    #[cfg(feature = "cluster")]
    cluster::COMMANDS,
    #[cfg(feature = "serve")]
    serve::COMMANDS,
    #[cfg(feature = "network")]
    network::COMMANDS,
    #[cfg(feature = "endgame")]
    endgame::COMMANDS,
    #[cfg(feature = "new-player")]
    new_player::COMMANDS,
    #[cfg(feature = "packaging")]
    packaging::COMMANDS,
];
