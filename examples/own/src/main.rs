//! Every command of gauntlet, for its own games, two players that this package adds to 2048, and
//! Connect Four.

mod bottom_row;
mod connect_four;
mod drop_in;
mod heaviest_row;

use std::process::ExitCode;

use gauntlet::arena::{Arena, Contents, Guests};
use gauntlet::package;
use gauntlet::player::Algorithm;
use gauntlet::players::{mcts, random};
use gauntlet::twenty48::players::expectimax;
use gauntlet::twenty48::rules::Twenty48;

use bottom_row::BottomRow;
use connect_four::ConnectFour;

/// Our players of 2048, beside those of gauntlet: one of our own, and gauntlet's search with our
/// evaluation.
const PLAYERS: &[Guests<Twenty48>] = &[Guests {
    package: package!(),
    algorithms: &[
        Algorithm::of::<heaviest_row::Config>("heaviest-row", heaviest_row::EXAMPLE),
        Algorithm::of::<expectimax::Config<BottomRow>>("bottom-row", bottom_row::EXAMPLE),
    ],
}];

/// Connect Four: two players of gauntlet play any game, one of ours plays this one.
const CONNECT_FOUR: Contents<ConnectFour> = Contents::new(
    package!(),
    &[
        Algorithm::of::<random::Config>("random", random::EXAMPLE),
        Algorithm::of::<mcts::Config>("mcts", mcts::EXAMPLE),
        Algorithm::of::<drop_in::Config>("drop-in", drop_in::EXAMPLE),
    ],
    connect_four::measured,
);

fn main() -> ExitCode {
    gauntlet::main(&[gauntlet::twenty48::with(PLAYERS), gauntlet::gomoku::arena(), Arena::of(&CONNECT_FOUR)])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWENTY48: Contents<Twenty48> = gauntlet::twenty48::CONTENTS.with_guests(PLAYERS);

    /// All that gauntlet asks of its own games and players: rules and settings that hold, legal
    /// moves, players that forget.
    #[test]
    fn the_laws_hold() {
        gauntlet::laws(&TWENTY48, &[]);
        gauntlet::laws(&CONNECT_FOUR, &[]);
    }
}
