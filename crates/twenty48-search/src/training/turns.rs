//! Games that are played in turn, one move of each. While the weights of one game come from memory,
//! another game is played.

use gauntlet_core::learning::Episode;
use gauntlet_core::rng::{Rng, Seed};
use gauntlet_twenty48::rules::Board;

use super::initial_positions::InitialPosition;
use crate::network::Network;
use crate::network::board_moves::BoardMoves;
use crate::network::legal_moves::LegalMove;

/// Number of weights that the games in turn look up per board, at most. The first-level cache holds
/// those of all moves.
const LOOKUPS_IN_TURN: usize = 64;

/// Games that are played in turn.
pub(super) trait Games {
    /// Game in play.
    type Game;

    /// Begins the game with this number.
    fn begin(&mut self, number: usize) -> Self::Game;

    /// Plays a move of the game with this number. Returns the episode if there is no move, and the
    /// game is over.
    fn play(&mut self, number: usize, game: &mut Self::Game) -> Option<Episode>;
}

/// Plays this number of games, `width` at a time. When a game ends, the next one takes its place.
/// Returns the episodes in the order of the games' numbers.
pub(super) fn play_in_turn<G: Games>(games: &mut G, game_count: usize, width: usize) -> Vec<Episode> {
    let mut episodes = vec![Episode { score: 0, moves: 0 }; game_count];
    let mut next_numbers = 0..game_count;
    let mut open_games: Vec<(usize, G::Game)> =
        next_numbers.by_ref().take(width).map(|number| (number, games.begin(number))).collect();
    while !open_games.is_empty() {
        let mut slot = 0;
        while let Some((number, game)) = open_games.get_mut(slot) {
            let Some(episode) = games.play(*number, game) else {
                slot += 1;
                continue;
            };
            episodes[*number] = episode;
            if let Some(next_number) = next_numbers.next() {
                open_games[slot] = (next_number, games.begin(next_number));
                slot += 1;
            } else {
                open_games.remove(slot);
            }
        }
    }
    episodes
}

/// Plays a game for each seed with frozen weights. `on_move` receives the index of the seed, the
/// board before each move, and the move.
///
/// With 4x6, two games in turn make 1.15 times as many moves per CPU second as one game, and three
/// make 1.11 times as many. With 8x6, two make 0.95 times as many, and a network that fits into the
/// caches gains nothing. (Medians of nine alternating rounds on a busy AMD EPYC.)
pub(super) fn play_frozen(
    network: &Network,
    seeds: &[Seed],
    start: InitialPosition,
    on_move: impl FnMut(usize, Board, LegalMove),
) -> Vec<Episode> {
    let width = if network.is_memory_bound() {
        (LOOKUPS_IN_TURN / network.layout().lookups_per_board()).clamp(1, 2)
    } else {
        1
    };
    play_in_turn(&mut FrozenGames { network, seeds, start, on_move }, seeds.len(), width)
}

/// Games with frozen weights.
struct FrozenGames<'a, F> {
    network: &'a Network,
    seeds: &'a [Seed],
    start: InitialPosition,
    on_move: F,
}

/// Game with frozen weights, before a move.
struct FrozenGame {
    game_rng: Rng,
    board: Board,
    /// Moves of the board. Their weights have been prefetched since it was reached.
    board_moves: BoardMoves,
    episode: Episode,
}

impl<F: FnMut(usize, Board, LegalMove)> Games for FrozenGames<'_, F> {
    type Game = FrozenGame;

    fn begin(&mut self, number: usize) -> FrozenGame {
        let mut game_rng = self.seeds[number].rng();
        let board = self.start.board(&mut game_rng);
        let mut board_moves = BoardMoves::default();
        board_moves.generate(board, self.network);
        FrozenGame { game_rng, board, board_moves, episode: Episode { score: 0, moves: 0 } }
    }

    #[inline]
    fn play(&mut self, number: usize, game: &mut FrozenGame) -> Option<Episode> {
        let Some((index, _)) = game.board_moves.best_move(self.network) else { return Some(game.episode) };
        let legal_move = game.board_moves.get(index);
        game.episode.score += legal_move.gain;
        game.episode.moves += 1;
        (self.on_move)(number, game.board, legal_move);
        game.board = legal_move.after.spawn(&mut game.game_rng).0;
        game.board_moves.generate(game.board, self.network);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::pattern::Patterns;
    use crate::network::stages::Stages;

    /// However many games are played in turn, each is the game that is played alone.
    #[test]
    fn games_do_not_depend_on_games_in_turn() {
        let patterns = Patterns::try_from("0123 4567".to_owned()).expect("patterns");
        let mut network = Network::new(&patterns, true, &Stages::default(), 0.0).expect("memory");
        let mut rng = Seed::root(5).rng();
        network.weights_mut().iter_mut().for_each(|weight| *weight = rng.below(1 << 10) as f32);
        let seeds: Vec<Seed> = (0..7).map(Seed::root).collect();
        let play = |seeds: &[Seed], width| {
            let mut paths = vec![Vec::new(); seeds.len()];
            let mut games = FrozenGames {
                network: &network,
                seeds,
                start: InitialPosition::Fresh,
                on_move: |number: usize, board: Board, legal_move: LegalMove| {
                    paths[number].push((board, legal_move.direction))
                },
            };
            let episodes = play_in_turn(&mut games, seeds.len(), width);
            (episodes, paths)
        };
        let (episodes, paths): (Vec<_>, Vec<_>) = seeds.iter().map(|&seed| play(&[seed], 1)).unzip();
        let alone = (episodes.concat(), paths.concat());
        assert!(alone.0.iter().all(|episode| episode.moves > 20), "{:?}", alone.0);
        for width in 1..=8 {
            assert_eq!(play(&seeds, width), alone, "{width} games in turn");
        }
    }
}
