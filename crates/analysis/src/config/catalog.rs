//! What a program's experiments can contain.

use gauntlet_core::arena::Arenas;

use super::sections::driver::RegisteredSection;

/// Games and sections that a program's experiments can contain.
#[derive(Clone, Copy, Debug)]
pub struct Catalog {
    pub games: Arenas,
    /// Sections that drivers own, in the order of the manual.
    pub sections: &'static [RegisteredSection],
}

impl Catalog {
    /// Creates a catalog without drivers.
    pub const fn new(games: Arenas) -> Catalog {
        Catalog { games, sections: &[] }
    }
}
