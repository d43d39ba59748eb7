//! The observers of a replayed game, and the text of a step.

use gauntlet_core::arena::ReplayStep;
use gauntlet_core::game::{Outcome, Seat};
use gauntlet_core::player::TableMove;

use gauntlet_cli::output::Screen;

/// Observer of a replayed game.
pub(super) trait GameObserver {
    /// Receives a step.
    fn on_step(&mut self, step: &ReplayStep, out: &mut Screen) -> anyhow::Result<()>;
    /// Receives how the game ended; `None` if a player broke, which is reported as an error.
    fn on_end(&mut self, end: Option<&str>, out: &mut Screen) -> anyhow::Result<()>;
}

/// Formats a step: the move and the state of the game, the values of moves, the position.
pub(super) fn format_step(step: &ReplayStep) -> String {
    let format_value = |(mv, value): &(String, f64)| format!("{mv} {value}");
    let move_values: Vec<String> = step.move_values.iter().map(format_value).collect();
    let values_line =
        if move_values.is_empty() { String::new() } else { format!("\n{}", move_values.join(", ")) };
    format!("{}{values_line}\n{}", format_header(step), step.position)
}

/// Formats the move and the state of the game.
pub(super) fn format_header(step: &ReplayStep) -> String {
    let mv = step.mv.map_or_else(String::new, |mv| format!(" {mv}{},", describe_origin(step)));
    format!("{}:{mv} {}", step.moves, describe_state(step.outcome))
}

/// Describes where the move of a step comes from: a search, or a table.
pub(super) fn describe_origin(step: &ReplayStep) -> String {
    match (step.table, step.depth) {
        (Some(TableMove { name, probability, search }), _) => {
            let search = search.as_deref().unwrap_or("none");
            format!(" from {name} (probability {probability:.5}; search: {search})")
        }
        (None, _) if step.is_from_table => " from a table".to_owned(),
        (None, Some(depth)) => format!(" at depth {depth}"),
        (None, None) => String::new(),
    }
}

/// Describes the state of a game.
pub(super) fn describe_state(outcome: Outcome) -> String {
    match outcome {
        Outcome::Points { score, .. } => format!("{score} points"),
        Outcome::Won(Seat::First) => "won by the first player".to_owned(),
        Outcome::Won(Seat::Second) => "won by the second player".to_owned(),
        Outcome::Drawn => "neither has won".to_owned(),
    }
}
