//! Packages that provide games and players: the built-in ones and those of other authors.

use std::fmt;

/// Package that provides a game or a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CargoPackage {
    /// Name in `Cargo.toml`.
    pub name: &'static str,
    /// Version in `Cargo.toml`.
    pub version: &'static str,
}

impl CargoPackage {
    /// Built-in packages, which users see as one.
    pub const BUILT_IN: CargoPackage = CargoPackage { name: "gauntlet", version: env!("CARGO_PKG_VERSION") };

    /// Returns true for a package that is not built in. Its players change with its own version, so
    /// results name it.
    pub fn is_foreign(self) -> bool {
        self != CargoPackage::BUILT_IN
    }
}

/// Writes the package as in manifests: `own 0.1.0`.
impl fmt::Display for CargoPackage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// Expands to the package whose source contains the call.
#[macro_export]
macro_rules! package {
    () => {
        $crate::arena::CargoPackage { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") }
    };
}
