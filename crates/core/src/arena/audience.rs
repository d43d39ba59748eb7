//! The audience of a game: those who see it move by move, and those who keep its moves.

use std::fmt::Write;

use anyhow::anyhow;

use crate::game::{Block, Game, Outcome};
use crate::player::{Player, Thought};

/// One position of a replayed game.
#[derive(Debug)]
pub struct Step<'a> {
    /// Moves made so far.
    pub moves: u32,
    /// The move that led here; none at the start.
    pub mv: Option<&'a str>,
    /// Depth of the player's search for that move, if it says so.
    pub depth: Option<u32>,
    /// Value of that move to the player, if it says so.
    pub value: Option<f64>,
    /// Value of each legal move to it, where that was asked for and it weighs moves. Values that
    /// are no numbers are left out.
    pub weighed: &'a [(String, f64)],
    /// State of the game.
    pub outcome: Outcome,
    /// The position as text.
    pub position: &'a str,
}

/// Audience of a game. There is none where games are counted.
pub(super) trait Audience<G: Game> {
    /// A player has chosen a move here.
    fn chosen(&mut self, player: &mut dyn Player<G>, before: &G);

    /// The game has come to a position, by a move that was chosen with this thought unless it
    /// begins here.
    fn arrived(&mut self, position: &G, thought: Option<Thought<G::Move>>);
}

impl<G: Game> Audience<G> for () {
    #[inline]
    fn chosen(&mut self, _player: &mut dyn Player<G>, _before: &G) {}

    #[inline]
    fn arrived(&mut self, _position: &G, _thought: Option<Thought<G::Move>>) {}
}

/// Shows each step of a game.
pub(super) struct Shown<'a> {
    pub(super) show: &'a mut dyn FnMut(&Step),
    /// True if players are asked for the values of moves; and the answer of the last.
    pub(super) asks: bool,
    pub(super) weighed: Vec<(String, f64)>,
}

impl<G: Game> Audience<G> for Shown<'_> {
    fn chosen(&mut self, player: &mut dyn Player<G>, before: &G) {
        if self.asks {
            let weighed =
                player.abilities().move_values(before).into_iter().filter(|(_, worth)| worth.is_finite());
            self.weighed = weighed.map(|(mv, worth)| (mv.to_string(), worth)).collect();
        }
    }

    fn arrived(&mut self, position: &G, thought: Option<Thought<G::Move>>) {
        let standing = position.standing();
        (self.show)(&Step {
            moves: standing.moves,
            mv: thought.map(|thought| thought.mv.to_string()).as_deref(),
            depth: thought.and_then(|thought| thought.depth),
            value: thought.and_then(|thought| thought.value),
            weighed: &self.weighed,
            outcome: standing.outcome,
            position: &position.to_string(),
        });
    }
}

/// Keeps the moves of a game.
#[derive(Default)]
pub(super) struct Kept(pub(super) String);

impl<G: Game> Audience<G> for Kept {
    fn chosen(&mut self, _player: &mut dyn Player<G>, _before: &G) {}

    fn arrived(&mut self, _position: &G, thought: Option<Thought<G::Move>>) {
        if let Some(Thought { mv, .. }) = thought {
            let blank = if self.0.is_empty() { "" } else { " " };
            let _ = write!(self.0, "{blank}{mv}");
        }
    }
}

/// Shows every step of a game of which the moves are known, and the position that it came to.
/// Nothing is asked for a move.
pub(super) fn retell<G: Game>(
    rules: &G::Rules,
    block: Block,
    moves: &[&str],
    show: &mut dyn FnMut(&Step),
) -> anyhow::Result<()> {
    let mut audience = Shown { show, asks: false, weighed: Vec::new() };
    let mut world = block.world().rng();
    let mut position = G::open(rules, block, &mut world);
    audience.arrived(&position, None);
    for (number, text) in moves.iter().enumerate() {
        let mv = position.read_move(text).filter(|&mv| position.play(mv, &mut world).is_ok());
        let mv = mv.ok_or_else(|| anyhow!("move {} of the game, {text:?}, is none here", number + 1))?;
        audience.arrived(&position, Some(Thought::of(mv)));
    }
    Ok(())
}
