//! The program gauntlet with its built-in games, two more players of 2048, and Connect Four.

mod bottom_row;
mod connect_four;
mod drop_in;
mod heaviest_row;

use std::process::ExitCode;

use gauntlet::arena::{Arena, GameDefinition, GuestPlayers};
use gauntlet::package;
use gauntlet::player::Algorithm;
use gauntlet::players::{mcts, random};
use gauntlet::twenty48::players::expectimax;
use gauntlet::twenty48::rules::Twenty48;

use bottom_row::BottomRow;
use connect_four::ConnectFour;

/// Additional players of 2048: a player from this package, and gauntlet's search with an evaluation
/// from this package.
const PLAYERS: &[GuestPlayers<Twenty48>] = &[GuestPlayers {
    package: package!(),
    algorithms: &[
        Algorithm::new::<heaviest_row::Config>("heaviest-row", heaviest_row::EXAMPLE),
        Algorithm::new::<expectimax::Config<BottomRow>>("bottom-row", bottom_row::EXAMPLE),
    ],
}];

/// Connect Four, with two of gauntlet's players for any game and a player from this package.
const CONNECT_FOUR: GameDefinition<ConnectFour> = GameDefinition::new(
    package!(),
    &[
        Algorithm::new::<random::Config>("random", random::EXAMPLE),
        Algorithm::new::<mcts::Config>("mcts", mcts::EXAMPLE),
        Algorithm::new::<drop_in::Config>("drop-in", drop_in::EXAMPLE),
    ],
    connect_four::features,
);

fn main() -> ExitCode {
    gauntlet::main(&[
        gauntlet::twenty48::arena_with_guests(PLAYERS),
        gauntlet::gomoku::arena(),
        Arena::new(&CONNECT_FOUR),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWENTY48: GameDefinition<Twenty48> = gauntlet::twenty48::CONTENTS.with_guests(PLAYERS);

    /// The laws that gauntlet's own games and players pass: rules, settings, legal moves, and
    /// players without memory of earlier games.
    #[test]
    fn the_laws_hold() {
        gauntlet::check_laws(&TWENTY48, &[]);
        gauntlet::check_laws(&CONNECT_FOUR, &[]);
    }
}
