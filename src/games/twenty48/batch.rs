//! Many games of uniformly random play at once, each exactly the game that the plain loop plays.
//!
//! Random play is what playouts and baselines are made of, and one game at a time it waits: for a table, for
//! the sum before, for the wrong guess at a branch. Here `L` games stand side by side in *lanes*, cell by cell:
//! all first cells in one array of bytes, all second cells in the next. A step of the rules is then the same
//! few sums and comparisons in every lane, without a branch or a table, and the compiler makes vector
//! instructions of plain loops over lanes. A rank is a byte, so no tile is too large.
//!
//! The plain loop is the definition, and the tests below compare with it game by game:
//!
//! ```
//! # use gauntlet::{game::Game, games::twenty48::{Rules, Twenty48, batch::random_games}, rng::Seed};
//! # let (world_seed, player_seed) = (Seed::root(1), Seed::root(2));
//! let (mut world, mut dice) = (world_seed.rng(), player_seed.rng());
//! let mut game = Twenty48::start(&Rules::default(), &mut world);
//! while let Some(direction) = game.random_move(&mut dice) {
//!     game.play(direction, &mut world).expect("it is legal");
//! }
//! let played = random_games(&[(world_seed, player_seed)])[0];
//! assert_eq!((played.board, played.score, played.moves), (game.board(), game.score(), game.moves_played()));
//! ```
//!
//! Each lane has the two streams of its game, and each stream advances exactly where that of the plain loop
//! does: the dice at every attempt, legal or not, the world at every tile. A lane whose game is over takes the
//! next game of the list, and every game is played to its end. To stop when enough games are over would favour
//! the short ones.

use super::board::Board;
use super::lanes::{ATTEMPTS, Lanes, for_each_marked};
use crate::rng::Seed;

/// A finished game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Playout {
    /// The board on which nothing can move.
    pub board: Board,
    /// The points.
    pub score: u64,
    /// How many moves were played.
    pub moves: u32,
}

/// Plays a random game for each pair of seeds, the world's and the player's. The games come in the order of the
/// pairs; how many there are in the list, and what processor this is, changes none of them.
///
/// Best called with thousands: each call ends with lanes that have run out of games, which costs up to 5 % of the
/// time of 4,000 games and 11 % of 1,000. Fewer than 20 are played faster one by one.
pub fn random_games(seeds: &[(Seed, Seed)]) -> Vec<Playout> {
    Variant::best().play(seeds)
}

/// The instructions that the compiler may use: the same code, compiled once for each. The speeds are 3.6, 8.2 and
/// 10.4 times that of the plain loop, which plays one game at a time from tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    /// What every processor of the target has; SSE2 on x86-64.
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Variant {
    /// The faster, the later.
    #[cfg(target_arch = "x86_64")]
    const ALL: [Variant; 3] = [Variant::Baseline, Variant::Avx2, Variant::Avx512];
    #[cfg(not(target_arch = "x86_64"))]
    const ALL: [Variant; 1] = [Variant::Baseline];

    fn best() -> Variant {
        Variant::ALL.into_iter().rfind(|variant| variant.runs_here()).unwrap_or(Variant::Baseline)
    }

    fn runs_here(self) -> bool {
        match self {
            Variant::Baseline => true,
            #[cfg(target_arch = "x86_64")]
            Variant::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Variant::Avx512 => is_x86_feature_detected!("avx512bw"),
        }
    }

    #[allow(unsafe_code)]
    fn play(self, seeds: &[(Seed, Seed)]) -> Vec<Playout> {
        assert!(self.runs_here(), "this processor lacks the instructions");
        match self {
            Variant::Baseline => play::<64>(seeds),
            // SAFETY: the processor has AVX2, as was just asserted. 2.3 times the speed of the baseline.
            #[cfg(target_arch = "x86_64")]
            Variant::Avx2 => unsafe { play_avx2(seeds) },
            // SAFETY: the processor has AVX-512BW, as was just asserted. 1.3 times the speed of AVX2.
            #[cfg(target_arch = "x86_64")]
            Variant::Avx512 => unsafe { play_avx512(seeds) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn play_avx2(seeds: &[(Seed, Seed)]) -> Vec<Playout> {
    play::<64>(seeds)
}

/// With twice the lanes, for its registers are twice as long: 7 % faster here, and no faster elsewhere.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512bw")]
fn play_avx512(seeds: &[(Seed, Seed)]) -> Vec<Playout> {
    play::<128>(seeds)
}

/// Plays all games in `L` lanes. Whatever it calls for each lane is inlined, so that it is compiled for the
/// instructions that the caller may use.
#[inline(always)]
fn play<const L: usize>(seeds: &[(Seed, Seed)]) -> Vec<Playout> {
    let mut played = vec![Playout::default(); seeds.len()];
    let mut games = seeds.iter().enumerate();
    let mut lanes = Lanes::<L>::new();
    let mut playing = 0;
    for (lane, (game, &pair)) in (0..L).zip(&mut games) {
        lanes.begin(lane, game, pair);
        playing += 1;
    }
    while playing > 0 {
        lanes.throw_dice();
        for _ in 0..ATTEMPTS {
            lanes.draw();
            lanes.slide();
            lanes.choose();
            lanes.put();
        }
        lanes.look();
        for_each_marked(lanes.over, |lane| {
            played[lanes.game[lane]] = lanes.finished(lane);
            if let Some((game, &pair)) = games.next() {
                lanes.begin(lane, game, pair);
            } else {
                lanes.clear(lane);
                playing -= 1;
            }
        });
    }
    played
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::games::twenty48::{Rules, Twenty48};

    fn seeds(games: u64) -> Vec<(Seed, Seed)> {
        let seed = |game| Seed::root(7).child("block", game);
        (0..games).map(|game| (seed(game).child("world", 0), seed(game).child("player", 0))).collect()
    }

    fn played_plainly(&(world, player): &(Seed, Seed)) -> Playout {
        let (mut world, mut dice) = (world.rng(), player.rng());
        let mut game = Twenty48::start(&Rules::default(), &mut world);
        while game.to_move().is_some() {
            let direction = game.random_move(&mut dice).expect("it is not over");
            game.play(direction, &mut world).expect("it is legal");
        }
        Playout { board: game.board(), score: game.score(), moves: game.moves_played() }
    }

    #[test]
    fn games_are_those_of_the_plain_loop() {
        let seeds = seeds(3000);
        let plain: Vec<Playout> = seeds.iter().map(played_plainly).collect();
        for games in [0, 1, 2, 63, 64, 65, 129, 3000] {
            let (seeds, plain) = (&seeds[..games], &plain[..games]);
            assert!(random_games(seeds) == plain, "{games} games");
            for variant in Variant::ALL.into_iter().filter(|variant| variant.runs_here()) {
                assert!(variant.play(seeds) == plain, "{games} games, {variant:?}");
            }
            assert!(play::<8>(seeds) == plain, "{games} games in 8 lanes");
            assert!(play::<24>(seeds) == plain, "{games} games in 24 lanes");
            assert!(play::<256>(seeds) == plain, "{games} games in 256 lanes");
        }
    }

    #[test]
    fn random_play_scores_as_known() {
        // Without optimization fewer, since lanes are slow then.
        let games = if cfg!(debug_assertions) { 10_000 } else { 100_000 };
        let score: u64 = random_games(&seeds(games)).iter().map(|played| played.score).sum();
        let mean = score as f64 / games as f64;
        let standard_error = 535.0 / (games as f64).sqrt();
        assert!((mean - 1094.5).abs() < 4.0 * standard_error, "{mean}");
    }
}
