//! Checks for impossible records. The arena creates none, but a file may contain them.

use crate::game::{EndedBy, Game, GameResult, Outcome, Seat, Shape};
use crate::record::{Ending, GameRecord};

/// Returns why no game by these rules with at most `max_moves` moves can have this record, if it is
/// impossible.
pub(super) fn invalid_reason<G: Game>(
    rules: &G::Rules,
    record: &GameRecord,
    max_moves: Option<u32>,
) -> Option<String> {
    let GameRecord { outcome, facts, moves, ending } = *record;
    let is_solo = matches!(outcome, Outcome::Points { .. });
    if is_solo != (G::INFO.shape == Shape::Solo) || facts[G::INFO.facts.len()..].iter().any(|&fact| fact != 0)
    {
        return Some(format!("the game is not {}", G::INFO.name));
    }
    let move_limit = max_moves.unwrap_or(u32::MAX);
    if moves > move_limit {
        return Some(format!("the game has {moves} moves, more than `max_moves` = {move_limit}"));
    }
    let ended_by = match ending {
        Ending::GameOver => EndedBy::Rules,
        Ending::Until => EndedBy::Until,
        Ending::MaxMoves if moves < move_limit => {
            return Some(format!("the game ended by `max_moves` after only {moves} moves"));
        }
        // A game in which a player's program panicked has no record.
        Ending::Panic(_) => return Some("a player's program panicked".to_owned()),
        Ending::Fault(..) if moves == move_limit => {
            return Some("a player made one move too many".to_owned());
        }
        Ending::Fault(seat, _) => {
            let is_so = match G::INFO.shape {
                Shape::Solo => seat == Seat::First,
                Shape::Duel => outcome == Outcome::Won(seat.other()),
            };
            if !is_so {
                return Some("the player that forfeited did not lose".to_owned());
            }
            EndedBy::Other
        }
        Ending::MaxMoves | Ending::MaxSeconds => EndedBy::Other,
    };
    G::invalid_reason(rules, &GameResult { ended_by, outcome, facts, moves })
}
