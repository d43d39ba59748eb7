//! The packages that games and players are compiled from: those of the house, and those of others.

use std::fmt;

/// The package that a game or a player comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    /// Its name, as `Cargo.toml` says.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

impl Package {
    /// The packages of the house, which are one to their users.
    pub const HOUSE: Package = Package { name: "gauntlet", version: env!("CARGO_PKG_VERSION") };

    /// A package outside of the house. What it plays changes with its own version, so results name
    /// it.
    pub fn is_foreign(self) -> bool {
        self != Package::HOUSE
    }
}

/// As manifests have it: `own 0.1.0`.
impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// The package in whose source this stands.
#[macro_export]
macro_rules! package {
    () => {
        $crate::arena::Package { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") }
    };
}
