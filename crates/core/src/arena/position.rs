//! A position of some game in words, for those who ask programs one question after the other.

use crate::game::{Block, Diagram, Game, Outcome, Seat};
use crate::protocol::no_move;

/// Where a game begins.
#[derive(Clone, Debug)]
pub enum Setup {
    /// As the games of this block.
    Block(Block),
    /// In the position that a diagram shows.
    Diagram(Diagram),
}

/// A position without the type of its game.
#[derive(Clone, Debug)]
pub struct PositionInWords {
    /// Its words in a line of the protocol.
    pub told: String,
    /// The seat to move; none if the game is over.
    pub to_move: Option<Seat>,
    /// Every legal move.
    pub moves: Vec<String>,
    /// State of the game.
    pub outcome: Outcome,
}

/// The position after these moves, or what is wrong with one of them.
pub(super) fn in_words<G: Game>(
    rules: &G::Rules,
    setup: &Setup,
    played: &[String],
) -> Result<PositionInWords, String> {
    let (block, diagram) = match setup {
        Setup::Block(block) => (*block, None),
        Setup::Diagram(diagram) => (Block::of_seed(0), Some(diagram)),
    };
    let mut world = block.world().rng();
    let mut position = match diagram {
        None => G::open(rules, block, &mut world),
        Some(diagram) => G::set_up(rules, diagram)?,
    };
    for mv in played {
        let known = position.read_move(mv).ok_or_else(|| no_move(mv, G::INFO.moves))?;
        position.play(known, &mut world).map_err(|_| format!("{mv} is not possible here"))?;
    }
    let mut told = Vec::new();
    position.tell(&mut told);
    let (to_move, mut moves) = (position.to_move(), Vec::new());
    if to_move.is_some() {
        position.moves(&mut moves);
    }
    Ok(PositionInWords {
        told: String::from_utf8_lossy(&told).into_owned(),
        to_move,
        moves: moves.iter().map(ToString::to_string).collect(),
        outcome: position.standing().outcome,
    })
}
