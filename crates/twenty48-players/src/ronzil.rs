//! Plays random games from each move to the end, and makes the move with the highest mean score.
//!
//! Source: Ronen Zilbershtein's series on 2048, part 1, and its program ronzil/2048-AI at commit
//! `1e1e88e`. For each move it plays a number of games with random legal moves, and takes the mean
//! of their points, including those of the first move. Directions are tried up, right, down, left;
//! among equal means the last is chosen.
//!
//! Deviations: after a move whose merge made a 2048, the program added no tile, even in its random
//! games: a remnant of the rule that this wins the game. Here a tile follows every move. So games
//! differ at each such merge: at the first in every game that gets so far, and again on the way to
//! every further 2048, as a 4096 takes two.
//!
//! Each game has its own random streams, so all games of a choice are played in parallel
//! ([`batch`]). With 100 runs a move takes 0.11 ms (median over the first 400 moves of games, on
//! one core of an EPYC with AVX2).

use std::ops::ControlFlow;

use gauntlet_core::num::{BoundedInt, CountLimit};
use gauntlet_core::player::{Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, Start, Stop};
use gauntlet_core::rng::{Rng, Seed};
use gauntlet_twenty48::rules::{Afterstate, Direction, Twenty48, batch};
use serde::{Deserialize, Serialize};

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Monte Carlo player of ronzil's program: the move with the best mean score of random games.
algorithm = "ronzil"
# random games per move, 1 to 100000; default 100, as in the program
runs = 10
"#;

/// Settings of `ronzil`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Number of random games per move.
    pub runs: CountLimit<1, 100_000>,
}

impl Default for Config {
    fn default() -> Config {
        Config { runs: BoundedInt::try_from(100).expect("100 is in bounds") }
    }
}

impl Recipe<Twenty48> for Config {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let (runs, stop) = (self.runs.get() as usize, context.stop.clone());
        Ok(Box::new(Ronzil { runs, player_rng: Seed::root(0).rng(), means: Vec::new(), stop }))
    }
}

struct Ronzil {
    runs: usize,
    /// Generator that gives each choice a seed.
    player_rng: Rng,
    /// Moves of the last choice, with the mean score of each.
    means: Vec<(Direction, f64)>,
    stop: Stop,
}

/// Sums over the random games of a move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Total {
    score: u64,
    moves: u64,
}

impl Player<Twenty48> for Ronzil {
    fn begin(&mut self, start: &Start<Twenty48>) {
        self.player_rng = start.seed.rng();
    }

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        let board = position.board();
        let runs = self.runs as u64;
        let (mut legal, mut starts, mut totals) = (Vec::new(), Vec::new(), Vec::new());
        for (direction, after) in board.slides(Direction::ALL) {
            legal.push(direction);
            starts.push(after);
            totals.push(Total { score: board.gain(direction) * runs, moves: 0 });
        }
        if legal.is_empty() {
            return Err(NoMove::forfeit("there is no legal move"));
        }
        play_out(&starts, self.runs, Seed::root(self.player_rng.bits()), &mut totals, &self.stop);
        self.stop.check()?;
        self.means.clear();
        self.means.extend(legal.into_iter().zip(totals.iter().map(|total| total.score as f64 / runs as f64)));
        // The last among equals.
        let best = (0..totals.len()).max_by_key(|&i| totals[i].score).expect("there is a move");
        let (mv, value) = self.means[best];
        let nodes = totals.iter().map(|total| total.moves + runs).sum();
        Ok(Choice { value: Some(value), nodes, ..Choice::new(mv) })
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Twenty48> for Ronzil {
    fn move_values(&mut self, _position: &Twenty48) -> Vec<(Direction, f64)> {
        self.means.clone()
    }
}

/// Adds the points and the moves of random games from these boards; stops early on request.
fn play_out(starts: &[Afterstate], runs: usize, seed: Seed, totals: &mut [Total], stop: &Stop) {
    batch::run_playouts(starts, runs, seed, |game, playout| {
        let total = &mut totals[game / runs];
        total.score += playout.score;
        total.moves += u64::from(playout.moves);
        if stop.is_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
}

#[cfg(test)]
mod tests {
    use gauntlet_core::game::{Game, RandomPlay, Seat};
    use gauntlet_twenty48::rules::{Board, Cells, Rules};
    use serde_json::Value;

    use super::*;

    /// Means of the program and of ours must differ by at most four standard errors of their
    /// difference.
    #[test]
    fn playouts_earn_what_those_of_the_program_earn() {
        let runs = if cfg!(debug_assertions) { 1_000 } else { 40_000 };
        let mut count = 0;
        for line in include_str!("../../../tests/it/vectors/ronzil_rollouts.jsonl").lines() {
            let case: Value = serde_json::from_str(line).expect("a line of JSON");
            let values: Vec<u64> = case["board"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|v| v.as_u64().expect("a tile"))
                .collect();
            let board = Board::new(Cells::from_values(values.try_into().expect("sixteen")).expect("tiles"));
            let their_runs = case["runs"].as_f64().expect("a number");
            for (direction, move_case) in
                Direction::ALL.into_iter().zip(case["moves"].as_array().expect("a list"))
            {
                let after = board.slide(direction);
                assert_eq!(after.is_none(), move_case.is_null());
                let Some(after) = after else { continue };
                let mut total = [Total { score: board.gain(direction) * runs as u64, moves: 0 }];
                play_out(&[after], runs, Seed::root(direction as u64), &mut total, &Stop::default());
                // The program counts the first move.
                let means = [
                    (total[0].score as f64 / runs as f64, "meanScore", "seScore"),
                    (total[0].moves as f64 / runs as f64 + 1.0, "meanMoves", "seMoves"),
                ];
                for (mean, key, error_key) in means {
                    let number = |key| move_case[key].as_f64().expect("a number");
                    // The same deviation with more runs.
                    let error = number(error_key) * (1.0 + their_runs / runs as f64).sqrt();
                    let difference = (mean - number(key)).abs();
                    assert!(
                        difference <= 4.0 * error,
                        "board {}, {direction}, {key}: {mean}, not {} within {error}",
                        case["id"],
                        number(key)
                    );
                    count += 1;
                }
            }
        }
        assert_eq!(count, 60);
    }

    /// The choice by definition: one game at a time, no lanes, totals compared as in the program.
    #[test]
    fn choices_are_those_of_plain_playouts() {
        let config: Config = serde_json::from_str(r#"{"runs":30}"#).expect("settings");
        let mut player = config.build(&BuildContext::default()).expect("a player");
        for block in 0..20 {
            let (mut game_rng, player_seed) =
                (Seed::root(block).child("world", 0).rng(), Seed::root(block).child("seat", 0));
            let mut position = Twenty48::start(&Rules::default(), &mut game_rng);
            player.begin(&Start { seed: player_seed, seat: Seat::First, rules: &Rules::default() });
            let mut player_rng = player_seed.rng();
            for _ in 0..40 {
                let seed = Seed::root(player_rng.bits());
                let (mut best, mut best_move, mut game) = (0.0, None, 0);
                for direction in position.board().legal_directions() {
                    let mut total = 0;
                    for _ in 0..30 {
                        let (mut game_rng, mut player_rng) =
                            (seed.child("world", game).rng(), seed.child("player", game).rng());
                        let mut playout = position.clone();
                        playout.play(direction, &mut game_rng).expect("a legal move");
                        while let Some(direction) = playout.random_move(&mut player_rng) {
                            playout.play(direction, &mut game_rng).expect("a legal move");
                        }
                        total += playout.score() - position.score();
                        game += 1;
                    }
                    let mean = total as f64 / 30.0;
                    if mean >= best {
                        (best, best_move) = (mean, Some(direction));
                    }
                }
                let choice = player.choose(&position).expect("a legal move");
                assert_eq!((Some(choice.mv), choice.value), (best_move, Some(best)), "{position}");
                position.play(choice.mv, &mut game_rng).expect("a legal move");
            }
        }
    }
}
