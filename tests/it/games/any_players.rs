//! Players for any game, in a solo game and in a duel: their choices by definition, and their
//! strength.

use std::collections::BTreeSet;

use gauntlet::game::{Block, Game, Outcome, RandomPlay, Seat, WinDrawLoss};
use gauntlet::player::{BuildContext, Player, Recipe};
use gauntlet::players::{flat_mc, mcts};
use gauntlet::rng::Seed;
use gauntlet::twenty48::rules::{self as twenty48, Direction, Twenty48};
use serde::de::DeserializeOwned;

use crate::table;
use crate::tictactoe::{self, Cell, TicTacToe};

/// Returns a player of any game with these JSON settings.
fn player<C: Recipe<G> + DeserializeOwned, G: Game>(settings: &str) -> Box<dyn Player<G>> {
    let config: C = serde_json::from_str(settings).expect("settings of the algorithm");
    config.build(&BuildContext::default()).expect("a player")
}

fn legal<G: Game>(position: &G) -> Vec<G::Move> {
    let mut list = Vec::new();
    position.moves(&mut list);
    list
}

/// Flat Monte Carlo, written from its definition: one random game after the other.
mod flat {
    use super::*;

    const RUNS: u64 = 20;

    fn worth(outcome: Outcome, seat: Seat, before: u64, by_score: bool) -> f64 {
        match (outcome, outcome.result_for(seat)) {
            (Outcome::Points { score, .. }, _) if by_score => (score - before) as f64,
            (_, WinDrawLoss::Win) => 1.0,
            (_, WinDrawLoss::Draw) if by_score => 0.5,
            _ => 0.0,
        }
    }

    fn check<G: Game>(games: u64, moves_each: u32) {
        let cases = [
            (r#"{"rollouts":20}"#, u32::MAX, true),
            (r#"{"rollouts":20,"value":"win"}"#, u32::MAX, false),
            (r#"{"rollouts":20,"rollout_moves":6}"#, 6, true),
        ];
        for (settings, most_moves, by_score) in cases {
            let mut player = player::<flat_mc::Config, G>(settings);
            for block in 0..games {
                let mut world = table::world_rng(block);
                let mut position = G::open(&G::Rules::default(), Block::from_seed(block), &mut world);
                table::begin(&mut *player, table::seat_seed(block));
                let mut choices = table::seat_seed(block).rng();
                while let Some(seat) = position.to_move().filter(|_| position.standing().moves < moves_each) {
                    let seed = Seed::root(choices.bits());
                    let (mut number, mut nodes, mut means) = (0, 0, Vec::new());
                    for mv in legal(&position) {
                        let mut total = 0.0;
                        for _ in 0..RUNS {
                            let mut game = position.clone();
                            let mut world = seed.child("world", number).rng();
                            let mut dice = seed.child("player", number).rng();
                            game.play(mv, &mut world).expect("a legal move");
                            let mut moves = 1;
                            while game.to_move().is_some() && moves < most_moves {
                                let mv = game.random_move(&mut dice).expect("a move");
                                game.play(mv, &mut world).expect("a legal move");
                                moves += 1;
                            }
                            total += worth(
                                game.standing().outcome,
                                seat,
                                position.standing().outcome.score(),
                                by_score,
                            );
                            nodes += u64::from(moves);
                            number += 1;
                        }
                        means.push((mv, total / RUNS as f64));
                    }
                    let most = means.iter().map(|&(_, mean)| mean).fold(0.0, f64::max);
                    let best = *means.iter().find(|&&(_, mean)| mean == most).expect("a legal move");
                    let thought = player.choose(&position).expect("a legal move");
                    assert_eq!(
                        (thought.mv, thought.value, thought.nodes),
                        (best.0, Some(most), nodes),
                        "{settings}: {position}"
                    );
                    assert_eq!(player.abilities().move_values(&position), means);
                    position.play(thought.mv, &mut world).expect("a legal move");
                }
            }
        }
    }

    #[test]
    fn choices_are_those_of_plain_games() {
        check::<Twenty48>(2, 12);
        check::<TicTacToe>(20, 9);
    }
}

/// Returns the value of a position for the seat to move, by a full search: 1 won, 0 drawn, -1 lost.
fn solved(position: &TicTacToe) -> i32 {
    if position.to_move().is_none() {
        // The other seat made the last move.
        return if position.standing().outcome == Outcome::Drawn { 0 } else { -1 };
    }
    legal(position).into_iter().map(|cell| -solved(&after(position, cell))).max().expect("a free cell")
}

fn after(position: &TicTacToe, cell: Cell) -> TicTacToe {
    let mut after = position.clone();
    after.play(cell, &mut Seed::root(0).rng()).expect("a free cell");
    after
}

/// Returns some distinct openings.
fn openings(count: usize) -> Vec<TicTacToe> {
    let mut seen = BTreeSet::new();
    let rules = tictactoe::Rules::default();
    let starts =
        (0..).map(|block| TicTacToe::open(&rules, Block::from_seed(block), &mut table::world_rng(block)));
    starts.filter(|start| seen.insert(start.to_string())).take(count).collect()
}

/// Random games mislead a small tree. With 600 nodes, it loses one line of play in 72 openings.
const SEARCH: &str = r#"{"nodes":6000,"exploration":1.0}"#;

/// The search does not lose from any opening that is not lost already, against all replies.
#[test]
fn a_tree_search_does_not_lose_tic_tac_toe() {
    /// Plays the search against all moves of the other seat.
    fn follow(
        player: &mut dyn Player<TicTacToe>,
        position: &TicTacToe,
        own: Seat,
        seen: &mut BTreeSet<String>,
    ) {
        let Some(seat) = position.to_move() else {
            assert_ne!(
                position.standing().outcome.result_for(own),
                WinDrawLoss::Loss,
                "{own:?} lost {position}"
            );
            return;
        };
        if !seen.insert(position.to_string()) {
            return;
        }
        if seat == own {
            table::begin(&mut *player, Seed::root(3));
            let cell = player.choose(position).expect("a free cell").mv;
            follow(player, &after(position, cell), own, seen);
        } else {
            legal(position).into_iter().for_each(|cell| follow(player, &after(position, cell), own, seen));
        }
    }

    let mut player = player::<mcts::Config, TicTacToe>(SEARCH);
    let openings = openings(if cfg!(debug_assertions) { 12 } else { 72 });
    let mut followed = 0;
    for opening in &openings {
        let worth = solved(opening);
        for (own, worth) in [(Seat::First, worth), (Seat::Second, -worth)] {
            if worth >= 0 {
                let mut seen = BTreeSet::new();
                follow(&mut *player, opening, own, &mut seen);
                followed += seen.len();
            }
        }
    }
    assert!(followed > 20 * openings.len(), "{followed}");
}

/// The search wins every position that has an immediately winning move.
#[test]
fn a_tree_search_finds_a_win_in_one() {
    let mut player = player::<mcts::Config, TicTacToe>(r#"{"nodes":200}"#);
    let (mut dice, mut found) = (Seed::root(8).rng(), 0);
    for mut position in openings(72) {
        while let Some(cell) = position.random_move(&mut dice) {
            let wins = |cell: &Cell| after(&position, *cell).standing().outcome != Outcome::Drawn;
            if legal(&position).iter().any(wins) {
                table::begin(&mut *player, Seed::root(found));
                let thought = player.choose(&position).expect("a free cell");
                assert_eq!(solved(&after(&position, thought.mv)), -1, "{} in {position}", thought.mv);
                assert!(thought.value.is_some_and(|value| value > 0.8), "{thought:?}");
                found += 1;
            }
            position = after(&position, cell);
        }
    }
    assert!(found > 50, "{found}");
}

/// Two 1024s are adjacent in a crowded corner. Merging them is best; a move down separates them.
#[test]
fn a_tree_search_takes_points_that_are_there() {
    let board = "16 4 8 2  1024 1024 4 16  2 8 16 4  2 4 2 8";
    for settings in [
        r#"{"nodes":400}"#,
        r#"{"nodes":400,"widening":1.0}"#,
        r#"{"nodes":400,"rollout_moves":1}"#,
        r#"{"nodes":400,"exploration":2.0}"#,
    ] {
        let position = Twenty48::set_up(&twenty48::Rules::default(), board, Some(20_000)).expect("a board");
        let mut player = player::<mcts::Config, Twenty48>(settings);
        for seed in 0..5 {
            table::begin(&mut *player, Seed::root(seed));
            let thought = player.choose(&position).expect("a move");
            assert!(matches!(thought.mv, Direction::Left | Direction::Right), "{settings}: {thought:?}");
            assert!(thought.value.is_some_and(|value| value >= 2048.0), "{settings}: {thought:?}");
            assert_eq!(thought.nodes, 400);
            let weighed = player.abilities().move_values(&position);
            let worth = |direction| weighed.iter().find(|(mv, _)| *mv == direction).expect("tried").1;
            assert!(worth(thought.mv) > worth(Direction::Down) + 100.0, "{settings}: {weighed:?}");
        }
    }
}

/// If a move ends the game, its value is exact.
#[test]
fn values_are_those_of_games_that_end_at_once() {
    let rules: twenty48::Rules = serde_json::from_str(r#"{"win":64,"until":"win"}"#).expect("rules");
    let position = Twenty48::set_up(&rules, "32 32 0 0  0 0 0 0  0 0 0 0  0 0 0 0", None).expect("a board");
    for value in ["score", "win"] {
        let mut player = player::<mcts::Config, Twenty48>(&format!(r#"{{"nodes":50,"value":"{value}"}}"#));
        table::begin(&mut *player, Seed::root(1));
        let thought = player.choose(&position).expect("a move");
        let weighed = player.abilities().move_values(&position);
        for (direction, worth) in weighed {
            if matches!(direction, Direction::Left | Direction::Right) {
                assert_eq!(worth, if value == "score" { 64.0 } else { 1.0 }, "{direction}");
            }
        }
        assert!(thought.depth.is_some_and(|depth| depth >= 1));
    }
}

/// Settings out of range are rejected at their place.
#[test]
fn settings_have_bounds() {
    for (settings, mistake) in [
        (r#"{"nodes":0}"#, "must be at least 1"),
        (r#"{"exploration":-0.1}"#, "must be from 0 to 1000"),
        (r#"{"exploration":1001.0}"#, "must be from 0 to 1000"),
        (r#"{"widening":0.0}"#, "must be above 0"),
        (r#"{"rollout_moves":0}"#, "must be at least 1"),
        (r#"{"value":"points"}"#, "`score` or `win`"),
    ] {
        let refused = serde_json::from_str::<mcts::Config>(settings).expect_err("a mistake").to_string();
        assert!(refused.contains(mistake), "{settings}: {refused}");
    }
    for (settings, mistake) in
        [(r#"{"rollouts":0}"#, "must be at least 1"), (r#"{"nodes":1}"#, "unknown field")]
    {
        let refused = serde_json::from_str::<flat_mc::Config>(settings).expect_err("a mistake").to_string();
        assert!(refused.contains(mistake), "{settings}: {refused}");
    }
}
