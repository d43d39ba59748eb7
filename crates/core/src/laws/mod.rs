//! Laws of games and players, for the tests of every package that provides some. A broken law
//! panics.

pub mod games;
pub mod players;
pub mod table;

use crate::arena::GameDefinition;
use crate::game::Game;

/// Checks everything that a package provides against all laws: a game with its players, or its
/// players of a built-in game. `boards` are positions, as text, that games seldom reach.
///
/// # Panics
/// If a law is broken.
pub fn check_laws<G: Game>(definition: &'static GameDefinition<G>, boards: &[&str]) {
    if definition.is_foreign() {
        games::check_rules::<G>(boards);
        games::check_texts::<G>(boards);
        games::check_all_playouts::<G>(boards);
    }
    let definition = definition.without_built_in();
    assert!(
        definition.algorithms().next().is_some(),
        "this package has no players of {}: add players by `with_guests`",
        G::INFO.name
    );
    players::check_names(definition);
    players::check_players(definition, boards);
}
