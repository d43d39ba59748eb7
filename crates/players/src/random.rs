//! Uniformly random play, for any game: the baseline that every player should beat.
//!
//! Source: folklore. Published "random" baselines of 2048 differ by a factor of two. Some draw
//! among four directions and count illegal ones, and some never spawn a 4. Here every legal move is
//! equally likely.

use gauntlet_core::game::Game;
use gauntlet_core::player::{BuildContext, Choice, NoMove, Player, Recipe, Start};
use gauntlet_core::rng::{Rng, Seed};
use serde::{Deserialize, Serialize};

/// Manual: a TOML example.
pub const EXAMPLE: &str = r#"# Makes a legal move, chosen uniformly at random.
algorithm = "random"
"#;

/// Settings of random play: none.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {}

impl<G: Game> Recipe<G> for Config {
    fn build(&self, _context: &BuildContext) -> anyhow::Result<Box<dyn Player<G>>> {
        Ok(Box::new(Random { rng: Seed::root(0).rng() }))
    }
}

struct Random {
    rng: Rng,
}

impl<G: Game> Player<G> for Random {
    fn begin(&mut self, start: &Start<G>) {
        self.rng = start.seed.rng();
    }

    fn choose(&mut self, position: &G) -> Result<Choice<G::Move>, NoMove> {
        let mv = position.random_move(&mut self.rng);
        mv.map(Choice::new).ok_or_else(|| NoMove::forfeit("there is no legal move"))
    }

    fn play_games(
        &mut self,
        rules: &G::Rules,
        seeds: &mut dyn Iterator<Item = (Seed, Seed)>,
    ) -> Option<Vec<G>> {
        G::random_games(rules, seeds)
    }
}
