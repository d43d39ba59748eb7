//! Laws that games and players keep, for the tests of every package that brings some. A law panics
//! where it is broken.
//!
//! - [`games`]: laws of a game
//! - [`players`]: laws of its players
//! - [`table`]: a table at which both are looked at, step by step

pub mod games;
pub mod players;
pub mod table;

use crate::arena::Contents;
use crate::game::Game;

/// Holds to all laws what a package brings: a game with its players, or its players of a game of
/// the house. `boards` are positions that games seldom reach, as text.
///
/// # Panics
/// If a law is broken.
pub fn laws<G: Game>(contents: &'static Contents<G>, boards: &[&str]) {
    if contents.is_foreign() {
        games::rules::<G>(boards);
        games::texts::<G>(boards);
        games::playouts::<G>(boards);
    }
    let contents = contents.brought();
    assert!(
        contents.algorithms().next().is_some(),
        "this package brings no player of {}: `with_guests` adds them",
        G::INFO.name
    );
    players::names(contents);
    players::players(contents, boards);
}
