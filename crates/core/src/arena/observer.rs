//! Observers of a game: one that shows each step, and one that stores the moves.

use std::fmt::Write;

use anyhow::anyhow;

use crate::game::{Block, Game, Outcome};
use crate::player::{Choice, Player, TableMove};

/// Position of a replayed game.
#[derive(Debug)]
pub struct ReplayStep<'a> {
    /// Number of moves made so far.
    pub moves: u32,
    /// Move that led to this position; `None` at the start.
    pub mv: Option<&'a str>,
    /// Search depth of that move, if the player reports it.
    pub depth: Option<u32>,
    /// Value of that move for the player, if it reports it.
    pub value: Option<f64>,
    /// True if that move comes from a table of solved positions.
    pub is_from_table: bool,
    /// Table of that move, if values were requested.
    pub table: Option<&'a TableMove<String>>,
    /// Value of each legal move for the player, if values were requested and the player has any.
    /// NaN values are left out.
    pub move_values: &'a [(String, f64)],
    /// State of the game.
    pub outcome: Outcome,
    /// Position as text.
    pub position: &'a str,
}

/// Observer of a game. Games of a run have none.
pub(super) trait Observer<G: Game> {
    /// Is called when a player has chosen a move in this position.
    fn on_choice(&mut self, player: &mut dyn Player<G>, position: &G);

    /// Is called when the game has reached a position, with the choice that led to it; `None` at
    /// the start.
    fn on_position(&mut self, position: &G, choice: Option<Choice<G::Move>>);
}

impl<G: Game> Observer<G> for () {
    #[inline]
    fn on_choice(&mut self, _player: &mut dyn Player<G>, _position: &G) {}

    #[inline]
    fn on_position(&mut self, _position: &G, _choice: Option<Choice<G::Move>>) {}
}

/// Observer that shows each step of a game.
pub(super) struct StepObserver<'a> {
    pub(super) show: &'a mut dyn FnMut(&ReplayStep),
    /// True if the observer requests the values of moves; the last answer is kept.
    pub(super) asks_values: bool,
    pub(super) move_values: Vec<(String, f64)>,
    pub(super) table: Option<TableMove<String>>,
}

impl<'a> StepObserver<'a> {
    pub(super) fn new(show: &'a mut dyn FnMut(&ReplayStep), asks_values: bool) -> StepObserver<'a> {
        StepObserver { show, asks_values, move_values: Vec::new(), table: None }
    }
}

impl<G: Game> Observer<G> for StepObserver<'_> {
    fn on_choice(&mut self, player: &mut dyn Player<G>, position: &G) {
        if self.asks_values {
            let move_values =
                player.abilities().move_values(position).into_iter().filter(|(_, value)| value.is_finite());
            self.move_values = move_values.map(|(mv, value)| (mv.to_string(), value)).collect();
            self.table = player.abilities().table_move().map(TableMove::into_text);
        }
    }

    fn on_position(&mut self, position: &G, choice: Option<Choice<G::Move>>) {
        let state = position.state();
        (self.show)(&ReplayStep {
            moves: state.moves,
            mv: choice.map(|choice| choice.mv.to_string()).as_deref(),
            depth: choice.and_then(|choice| choice.depth),
            value: choice.and_then(|choice| choice.value),
            is_from_table: choice.is_some_and(|choice| choice.is_from_table),
            table: self.table.as_ref(),
            move_values: &self.move_values,
            outcome: state.outcome,
            position: &position.to_string(),
        });
    }
}

/// Observer that keeps the moves of a game.
#[derive(Default)]
pub(super) struct MoveRecorder(pub(super) String);

impl<G: Game> Observer<G> for MoveRecorder {
    fn on_choice(&mut self, _player: &mut dyn Player<G>, _position: &G) {}

    fn on_position(&mut self, _position: &G, choice: Option<Choice<G::Move>>) {
        if let Some(Choice { mv, .. }) = choice {
            let separator = if self.0.is_empty() { "" } else { " " };
            let _ = write!(self.0, "{separator}{mv}");
        }
    }
}

/// Replays a game from its known moves and shows every step and the final position. No player is
/// asked.
pub(super) fn replay_moves<G: Game>(
    rules: &G::Rules,
    block: Block,
    moves: &[&str],
    show: &mut dyn FnMut(&ReplayStep),
) -> anyhow::Result<()> {
    let mut observer = StepObserver::new(show, false);
    let mut game_rng = block.game_seed().rng();
    let mut position = G::open(rules, block, &mut game_rng);
    observer.on_position(&position, None);
    for (index, text) in moves.iter().enumerate() {
        let mv = position.read_move(text).filter(|&mv| position.play(mv, &mut game_rng).is_ok());
        let mv = mv.ok_or_else(|| anyhow!("move {} of the game, {text:?}, is illegal here", index + 1))?;
        observer.on_position(&position, Some(Choice::new(mv)));
    }
    Ok(())
}
