//! Positions of a game as text, for the code that asks programs about single positions.

use crate::game::{Block, Diagram, Game, Outcome, Seat};
use crate::protocol::unknown_move_message;

/// Initial position of a game.
#[derive(Clone, Debug)]
pub enum InitialPosition {
    /// Start of the games of this block.
    Block(Block),
    /// Position of a diagram.
    Diagram(Diagram),
}

/// Position without the game's type.
#[derive(Clone, Debug)]
pub struct PositionInWords {
    /// Position as words in a line of the protocol.
    pub protocol_text: String,
    /// Position as lines of text, for people.
    pub text: String,
    /// Seat to move; `None` if the game is over.
    pub to_move: Option<Seat>,
    /// All legal moves.
    pub moves: Vec<String>,
    /// Outcome so far.
    pub outcome: Outcome,
}

/// Returns the position after these moves, or what is wrong with one of them.
pub(super) fn describe_position<G: Game>(
    rules: &G::Rules,
    setup: &InitialPosition,
    played_moves: &[String],
) -> Result<PositionInWords, String> {
    let (block, diagram) = match setup {
        InitialPosition::Block(block) => (*block, None),
        InitialPosition::Diagram(diagram) => (Block::from_seed(0), Some(diagram)),
    };
    let mut game_rng = block.game_seed().rng();
    let mut position = match diagram {
        None => G::open(rules, block, &mut game_rng),
        Some(diagram) => G::set_up(rules, diagram)?,
    };
    for mv in played_moves {
        let parsed_move = position.read_move(mv).ok_or_else(|| unknown_move_message(mv, G::INFO.moves))?;
        position.play(parsed_move, &mut game_rng).map_err(|_| format!("illegal move {mv}"))?;
    }
    let mut line = Vec::new();
    position.write_position(&mut line);
    let (to_move, mut moves) = (position.to_move(), Vec::new());
    if to_move.is_some() {
        position.moves(&mut moves);
    }
    Ok(PositionInWords {
        protocol_text: String::from_utf8_lossy(&line).into_owned(),
        text: position.to_string(),
        to_move,
        moves: moves.iter().map(ToString::to_string).collect(),
        outcome: position.state().outcome,
    })
}
