//! Players for any game, in a solo game and in a duel: their choices by definition, and their
//! strength.

use std::collections::BTreeSet;

use gauntlet::game::{Block, Game, Outcome, RandomPlay, Seat, WinDrawLoss};
use gauntlet::player::{BuildContext, Player, Recipe};
use gauntlet::players::{flat_mc, mcts};
use gauntlet::rng::Seed;
use gauntlet::twenty48::rules::{self as twenty48, Direction, Twenty48};
use serde::de::DeserializeOwned;

use crate::self_play;
use crate::tictactoe::{self, Cell, TicTacToe};

/// Returns a player of any game with these JSON settings.
fn build_player<C: Recipe<G> + DeserializeOwned, G: Game>(settings: &str) -> Box<dyn Player<G>> {
    let config: C = serde_json::from_str(settings).expect("settings of the algorithm");
    config.build(&BuildContext::default()).expect("a player")
}

fn legal_moves<G: Game>(position: &G) -> Vec<G::Move> {
    let mut list = Vec::new();
    position.moves(&mut list);
    list
}

/// Flat Monte Carlo, written from its definition: one random game after the other.
mod flat {
    use super::*;

    const RUNS: u64 = 20;

    fn game_value(outcome: Outcome, seat: Seat, start_score: u64, by_score: bool) -> f64 {
        match (outcome, outcome.result_for(seat)) {
            (Outcome::Points { score, .. }, _) if by_score => (score - start_score) as f64,
            (_, WinDrawLoss::Win) => 1.0,
            (_, WinDrawLoss::Draw) if by_score => 0.5,
            _ => 0.0,
        }
    }

    fn check<G: Game>(games: u64, move_limit: u32) {
        let cases = [
            (r#"{"rollouts":20}"#, u32::MAX, true),
            (r#"{"rollouts":20,"value":"win"}"#, u32::MAX, false),
            (r#"{"rollouts":20,"rollout_moves":6}"#, 6, true),
        ];
        for (settings, max_moves, by_score) in cases {
            let mut player = build_player::<flat_mc::Config, G>(settings);
            for block in 0..games {
                let mut game_rng = self_play::new_game_rng(block);
                let mut position = G::open(&G::Rules::default(), Block::from_seed(block), &mut game_rng);
                self_play::begin(&mut *player, self_play::seat_seed(block));
                let mut seed_rng = self_play::seat_seed(block).rng();
                while let Some(seat) = position.to_move().filter(|_| position.state().moves < move_limit) {
                    let seed = Seed::root(seed_rng.bits());
                    let (mut number, mut nodes, mut move_means) = (0, 0, Vec::new());
                    for mv in legal_moves(&position) {
                        let mut total = 0.0;
                        for _ in 0..RUNS {
                            let mut game = position.clone();
                            let mut rollout_rng = seed.child("world", number).rng();
                            let mut player_rng = seed.child("player", number).rng();
                            game.play(mv, &mut rollout_rng).expect("a legal move");
                            let mut moves = 1;
                            while game.to_move().is_some() && moves < max_moves {
                                let mv = game.random_move(&mut player_rng).expect("a move");
                                game.play(mv, &mut rollout_rng).expect("a legal move");
                                moves += 1;
                            }
                            total += game_value(
                                game.state().outcome,
                                seat,
                                position.state().outcome.score(),
                                by_score,
                            );
                            nodes += u64::from(moves);
                            number += 1;
                        }
                        move_means.push((mv, total / RUNS as f64));
                    }
                    let max_mean = move_means.iter().map(|&(_, mean)| mean).fold(0.0, f64::max);
                    let best = *move_means.iter().find(|&&(_, mean)| mean == max_mean).expect("a legal move");
                    let choice = player.choose(&position).expect("a legal move");
                    assert_eq!(
                        (choice.mv, choice.value, choice.nodes),
                        (best.0, Some(max_mean), nodes),
                        "{settings}: {position}"
                    );
                    assert_eq!(player.abilities().move_values(&position), move_means);
                    position.play(choice.mv, &mut game_rng).expect("a legal move");
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
fn solve(position: &TicTacToe) -> i32 {
    if position.to_move().is_none() {
        // The other seat made the last move.
        return if position.state().outcome == Outcome::Drawn { 0 } else { -1 };
    }
    legal_moves(position)
        .into_iter()
        .map(|cell| -solve(&position_after(position, cell)))
        .max()
        .expect("a free cell")
}

fn position_after(position: &TicTacToe, cell: Cell) -> TicTacToe {
    let mut next = position.clone();
    next.play(cell, &mut Seed::root(0).rng()).expect("a free cell");
    next
}

/// Returns some distinct openings.
fn openings(count: usize) -> Vec<TicTacToe> {
    let mut seen = BTreeSet::new();
    let rules = tictactoe::Rules::default();
    let starts = (0..)
        .map(|block| TicTacToe::open(&rules, Block::from_seed(block), &mut self_play::new_game_rng(block)));
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
        search_seat: Seat,
        seen: &mut BTreeSet<String>,
    ) {
        let Some(seat) = position.to_move() else {
            assert_ne!(
                position.state().outcome.result_for(search_seat),
                WinDrawLoss::Loss,
                "{search_seat:?} lost {position}"
            );
            return;
        };
        if !seen.insert(position.to_string()) {
            return;
        }
        if seat == search_seat {
            self_play::begin(&mut *player, Seed::root(3));
            let cell = player.choose(position).expect("a free cell").mv;
            follow(player, &position_after(position, cell), search_seat, seen);
        } else {
            legal_moves(position)
                .into_iter()
                .for_each(|cell| follow(player, &position_after(position, cell), search_seat, seen));
        }
    }

    let mut player = build_player::<mcts::Config, TicTacToe>(SEARCH);
    let openings = openings(if cfg!(debug_assertions) { 12 } else { 72 });
    let mut position_count = 0;
    for opening in &openings {
        let value = solve(opening);
        for (search_seat, seat_value) in [(Seat::First, value), (Seat::Second, -value)] {
            if seat_value >= 0 {
                let mut seen = BTreeSet::new();
                follow(&mut *player, opening, search_seat, &mut seen);
                position_count += seen.len();
            }
        }
    }
    assert!(position_count > 20 * openings.len(), "{position_count}");
}

/// The search wins every position that has an immediately winning move.
#[test]
fn a_tree_search_finds_a_win_in_one() {
    let mut player = build_player::<mcts::Config, TicTacToe>(r#"{"nodes":200}"#);
    let (mut rng, mut win_count) = (Seed::root(8).rng(), 0);
    for mut position in openings(72) {
        while let Some(cell) = position.random_move(&mut rng) {
            let is_win = |cell: &Cell| position_after(&position, *cell).state().outcome != Outcome::Drawn;
            if legal_moves(&position).iter().any(is_win) {
                self_play::begin(&mut *player, Seed::root(win_count));
                let choice = player.choose(&position).expect("a free cell");
                assert_eq!(solve(&position_after(&position, choice.mv)), -1, "{} in {position}", choice.mv);
                assert!(choice.value.is_some_and(|value| value > 0.8), "{choice:?}");
                win_count += 1;
            }
            position = position_after(&position, cell);
        }
    }
    assert!(win_count > 50, "{win_count}");
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
        let mut player = build_player::<mcts::Config, Twenty48>(settings);
        for seed in 0..5 {
            self_play::begin(&mut *player, Seed::root(seed));
            let choice = player.choose(&position).expect("a move");
            assert!(matches!(choice.mv, Direction::Left | Direction::Right), "{settings}: {choice:?}");
            assert!(choice.value.is_some_and(|value| value >= 2048.0), "{settings}: {choice:?}");
            assert_eq!(choice.nodes, 400);
            let move_values = player.abilities().move_values(&position);
            let value_of = |direction| move_values.iter().find(|(mv, _)| *mv == direction).expect("tried").1;
            assert!(value_of(choice.mv) > value_of(Direction::Down) + 100.0, "{settings}: {move_values:?}");
        }
    }
}

/// If a move ends the game, its value is exact.
#[test]
fn values_are_those_of_games_that_end_at_once() {
    let rules: twenty48::Rules = serde_json::from_str(r#"{"win":64,"until":"win"}"#).expect("rules");
    let position = Twenty48::set_up(&rules, "32 32 0 0  0 0 0 0  0 0 0 0  0 0 0 0", None).expect("a board");
    for value in ["score", "win"] {
        let mut player =
            build_player::<mcts::Config, Twenty48>(&format!(r#"{{"nodes":50,"value":"{value}"}}"#));
        self_play::begin(&mut *player, Seed::root(1));
        let choice = player.choose(&position).expect("a move");
        let move_values = player.abilities().move_values(&position);
        for (direction, move_value) in move_values {
            if matches!(direction, Direction::Left | Direction::Right) {
                assert_eq!(move_value, if value == "score" { 64.0 } else { 1.0 }, "{direction}");
            }
        }
        assert!(choice.depth.is_some_and(|depth| depth >= 1));
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
        let message = serde_json::from_str::<mcts::Config>(settings).expect_err("a mistake").to_string();
        assert!(message.contains(mistake), "{settings}: {message}");
    }
    for (settings, mistake) in
        [(r#"{"rollouts":0}"#, "must be at least 1"), (r#"{"nodes":1}"#, "unknown field")]
    {
        let message = serde_json::from_str::<flat_mc::Config>(settings).expect_err("a mistake").to_string();
        assert!(message.contains(mistake), "{settings}: {message}");
    }
}
