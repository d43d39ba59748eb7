//! Plays many games of simple players in parallel, each exactly the game that the plain loop plays.
//!
//! Random play is the basis of playouts and baselines, but one game at a time is slow. Each step
//! waits for a load from a table, for the previous sum or for a mispredicted branch. Here `L` games
//! are in parallel *lanes*, cell by cell: all first cells in one array of bytes, all second cells
//! in the next. So a step of the rules is a few sums and comparisons, equal in every lane, without
//! a branch or a table. The compiler vectorizes plain loops over lanes. A rank is a byte, so no
//! tile is too large.
//!
//! The plain loop is the definition, and the tests below compare with it game by game:
//!
//! ```
//! # use gauntlet_core::{game::{Game, RandomPlay}, rng::Seed};
//! # use gauntlet_twenty48::rules::{Rules, Twenty48, batch::random_games};
//! # let (world_seed, player_seed) = (Seed::root(1), Seed::root(2));
//! let (mut world, mut dice) = (world_seed.rng(), player_seed.rng());
//! let mut game = Twenty48::start(&Rules::default(), &mut world);
//! while let Some(direction) = game.random_move(&mut dice) {
//!     game.play(direction, &mut world).expect("it is legal");
//! }
//! let played = random_games(&[(world_seed, player_seed)])[0];
//! assert_eq!((played.board, played.score, played.moves), (game.board(), game.score(),
//! game.state().moves));
//! ```
//!
//! Each lane has the two streams of its game, which advance exactly as in the plain loop. The dice
//! advance at every attempt, legal or not, and the world at every tile. A lane whose game is over
//! takes the next game of the list, and every game is played to its end. Stopping when enough games
//! are over would favour short ones.

use std::ops::ControlFlow;

use super::board::Afterstate;
use super::direction::Direction;
use super::lanes::{ATTEMPTS, Lanes, MarkedLanes};
pub use super::playout::Playout;
use gauntlet_core::rng::{ChildSeeds, Seed};

use super::playout::Start;

/// Plays a random game for each pair of seeds, the world's and the player's. The games are returned
/// in the order of the pairs. They do not depend on the number of games or on the processor.
///
/// Best called with thousands: each call ends with lanes that have run out of games. Calls with a
/// thousand games take 9 % longer per game than those with four thousand.
pub fn random_games(seeds: &[(Seed, Seed)]) -> Vec<Playout> {
    let mut games = WholeGames::new(seeds);
    Variant::best().play(&mut games, RandomMoves);
    games.playouts
}

/// Plays `runs` random games to their end from each of these boards, before a tile appears. Passes
/// on each game with its number as it ends. Game n starts at board n / `runs`. Its streams are the
/// children of the seed with that number, named "world" and "player". The first draw of its world
/// is for the first tile. Points and moves count from there.
///
/// The order in which games end is unspecified; the games depend only on the arguments. After
/// `on_end` breaks, no further game is passed on.
///
/// # Panics
/// If a board has no empty cell.
pub fn run_playouts(
    starts: &[Afterstate],
    runs: usize,
    seed: Seed,
    on_end: impl FnMut(usize, Playout) -> ControlFlow<()>,
) {
    let mut playouts = Playouts::new(starts, runs, seed, on_end);
    if playouts.count() < MIN_LANE_GAMES {
        let _ = playouts.play_one_by_one();
    } else {
        Variant::best().play(&mut playouts, RandomMoves);
    }
}

/// Fewer games than this are played one by one. With AVX-512 lanes are faster from 16 on, with AVX2
/// from 20 on.
const MIN_LANE_GAMES: usize = 20;

/// The last games are finished one by one, because most lanes are idle then. A choice of `ronzil`
/// with 100 runs gains 7 %; values from 4 to 16 make no measurable difference.
const LAST_GAMES: usize = 8;

/// Order of directions that chooses all moves of a game: the first direction that is legal, or the
/// first of those that gain most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderedMoves {
    /// Directions, the preferred one first.
    pub order: [Direction; 4],
    /// True if only the directions with the largest immediate gain count.
    pub by_gain: bool,
}

/// Plays a game for each game seed, with moves chosen by an order. The games are returned in the
/// order of the seeds. They do not depend on the number of games or on the processor.
pub fn ordered_games(moves: OrderedMoves, game_seeds: impl Iterator<Item = Seed>) -> Vec<Playout> {
    // The player draws nothing, so its seed is arbitrary.
    let seeds: Vec<(Seed, Seed)> = game_seeds.map(|game_seed| (game_seed, game_seed)).collect();
    let mut games = WholeGames::new(&seeds);
    Variant::best().play(&mut games, moves);
    games.playouts
}

/// Way to choose the moves of all lanes.
trait LaneMoves: Copy {
    /// At most so many last games are finished one by one.
    const LAST: usize;
    /// Prepares the next [`ATTEMPTS`] moves.
    fn prepare<const L: usize>(self, lanes: &mut Lanes<L>);
    /// Sets the directions of the next move.
    fn direct<const L: usize>(self, lanes: &mut Lanes<L>);
}

/// Uniformly random attempts, of which illegal ones move nothing.
#[derive(Clone, Copy)]
struct RandomMoves;

impl LaneMoves for RandomMoves {
    const LAST: usize = LAST_GAMES;

    #[inline(always)]
    fn prepare<const L: usize>(self, lanes: &mut Lanes<L>) {
        lanes.draw_directions();
    }

    #[inline(always)]
    fn direct<const L: usize>(self, _lanes: &mut Lanes<L>) {}
}

impl LaneMoves for OrderedMoves {
    const LAST: usize = 0;

    #[inline(always)]
    fn prepare<const L: usize>(self, _lanes: &mut Lanes<L>) {}

    #[inline(always)]
    fn direct<const L: usize>(self, lanes: &mut Lanes<L>) {
        lanes.scan();
        if self.by_gain {
            lanes.keep_best_gains();
        }
        let [a, b, c, d] = self.order;
        lanes.prefer([a as u8, b as u8, c as u8, d as u8]);
    }
}

/// Games to be played.
trait Games {
    fn count(&self) -> usize;
    /// Starts a game in a lane.
    fn begin<const L: usize>(&self, lanes: &mut Lanes<L>, lane: usize, game: usize);
    /// Receives a finished game, as if played from the empty board, and returns whether to
    /// continue.
    fn end(&mut self, game: usize, playout: Playout) -> ControlFlow<()>;
}

/// Games from the initial position.
struct WholeGames<'a> {
    seeds: &'a [(Seed, Seed)],
    playouts: Vec<Playout>,
}

impl WholeGames<'_> {
    fn new(seeds: &[(Seed, Seed)]) -> WholeGames<'_> {
        WholeGames { seeds, playouts: vec![Playout::default(); seeds.len()] }
    }
}

impl Games for WholeGames<'_> {
    fn count(&self) -> usize {
        self.seeds.len()
    }

    #[inline(always)]
    fn begin<const L: usize>(&self, lanes: &mut Lanes<L>, lane: usize, game: usize) {
        lanes.begin(lane, game, self.seeds[game]);
    }

    #[inline(always)]
    fn end(&mut self, game: usize, playout: Playout) -> ControlFlow<()> {
        self.playouts[game] = playout;
        ControlFlow::Continue(())
    }
}

/// Games from given boards.
struct Playouts<E> {
    starts: Vec<Start>,
    runs: usize,
    worlds: ChildSeeds,
    players: ChildSeeds,
    on_end: E,
}

impl<E: FnMut(usize, Playout) -> ControlFlow<()>> Playouts<E> {
    fn new(starts: &[Afterstate], runs: usize, seed: Seed, on_end: E) -> Playouts<E> {
        let starts = starts.iter().copied().map(Start::new).collect();
        Playouts { starts, runs, worlds: seed.children("world"), players: seed.children("player"), on_end }
    }

    #[inline(always)]
    fn seeds(&self, game: usize) -> (Seed, Seed) {
        (self.worlds.get(game as u64), self.players.get(game as u64))
    }

    fn play_one_by_one(&mut self) -> ControlFlow<()> {
        for game in 0..self.count() {
            let (world, player) = self.seeds(game);
            let played = self.starts[game / self.runs].play(world.rng(), player.rng());
            (self.on_end)(game, played)?;
        }
        ControlFlow::Continue(())
    }
}

impl<E: FnMut(usize, Playout) -> ControlFlow<()>> Games for Playouts<E> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.starts.len() * self.runs
    }

    #[inline(always)]
    fn begin<const L: usize>(&self, lanes: &mut Lanes<L>, lane: usize, game: usize) {
        lanes.begin_at(lane, game, &self.starts[game / self.runs], self.seeds(game));
    }

    #[inline(always)]
    fn end(&mut self, game: usize, playout: Playout) -> ControlFlow<()> {
        (self.on_end)(game, self.starts[game / self.runs].subtract_start(playout))
    }
}

/// Instruction set that the compiler may use. The same code is compiled once for each. Random play
/// is 2.2, 4.3 and 7.9 times as fast as one game at a time (`cargo bench --bench twenty48`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    /// Instructions of every processor of the target; SSE2 on x86-64.
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Variant {
    /// All variants of this target, slowest first.
    #[cfg(target_arch = "x86_64")]
    const ALL: [Variant; 3] = [Variant::Baseline, Variant::Avx2, Variant::Avx512];
    #[cfg(not(target_arch = "x86_64"))]
    const ALL: [Variant; 1] = [Variant::Baseline];

    fn best() -> Variant {
        Variant::ALL.into_iter().rfind(|variant| variant.is_supported()).unwrap_or(Variant::Baseline)
    }

    fn is_supported(self) -> bool {
        match self {
            Variant::Baseline => true,
            #[cfg(target_arch = "x86_64")]
            Variant::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Variant::Avx512 => is_x86_feature_detected!("avx512bw"),
        }
    }

    #[allow(unsafe_code)]
    fn play(self, games: &mut impl Games, moves: impl LaneMoves) {
        assert!(self.is_supported(), "this processor lacks the instructions");
        match self {
            Variant::Baseline => play::<64, _>(games, moves),
            // SAFETY: the processor has AVX2, as just asserted.
            #[cfg(target_arch = "x86_64")]
            Variant::Avx2 => unsafe { play_avx2(games, moves) },
            // SAFETY: the processor has AVX-512BW, as just asserted.
            #[cfg(target_arch = "x86_64")]
            Variant::Avx512 => unsafe { play_avx512(games, moves) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn play_avx2(games: &mut impl Games, moves: impl LaneMoves) {
    play::<64, _>(games, moves);
}

/// Plays with twice the lanes, because its registers are twice as long: 5 % faster here, and no
/// faster elsewhere.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512bw")]
fn play_avx512(games: &mut impl Games, moves: impl LaneMoves) {
    play::<128, _>(games, moves);
}

/// Plays all games in `L` lanes, or until one of them breaks. All functions called per lane are
/// inlined, so that they are compiled for the caller's instruction set.
#[inline(always)]
fn play<const L: usize, M: LaneMoves>(games: &mut impl Games, moves: M) {
    let mut lanes = Lanes::<L>::new();
    let mut next = games.count().min(L);
    for lane in 0..next {
        games.begin(&mut lanes, lane, lane);
    }
    let mut playing = next;
    while playing > M::LAST || next < games.count() {
        moves.prepare(&mut lanes);
        for _ in 0..ATTEMPTS {
            moves.direct(&mut lanes);
            lanes.draw();
            lanes.slide();
            lanes.choose();
            lanes.put_tiles();
        }
        lanes.mark_finished();
        for lane in MarkedLanes::new(lanes.is_over) {
            if games.end(lanes.game[lane], lanes.result(lane)).is_break() {
                return;
            }
            if next < games.count() {
                games.begin(&mut lanes, lane, next);
                next += 1;
            } else {
                lanes.clear(lane);
                playing -= 1;
            }
        }
    }
    for lane in 0..L {
        if let Some(playout) = lanes.finish(lane)
            && games.end(lanes.game[lane], playout).is_break()
        {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::game::{Game, RandomPlay};
    use gauntlet_core::rng::Rng;

    use super::*;
    use crate::rules::{Rules, Twenty48};

    fn seeds(games: u64) -> Vec<(Seed, Seed)> {
        let seed = |game| Seed::root(7).child("block", game);
        (0..games).map(|game| (seed(game).child("world", 0), seed(game).child("player", 0))).collect()
    }

    /// Definition: one move after another by the rules.
    fn play_plainly(&(world, player): &(Seed, Seed)) -> Playout {
        let mut world = world.rng();
        let game = Twenty48::start(&Rules::default(), &mut world);
        play_to_end(game, world, player)
    }

    fn play_plainly_from(start: Afterstate, (world, player): (Seed, Seed)) -> Playout {
        let mut world = world.rng();
        let (board, _) = start.spawn(&mut world);
        let game =
            Twenty48::set_up(&Rules::default(), &board.cells().format_line(), Some(0)).expect("a board");
        play_to_end(game, world, player)
    }

    fn play_to_end(mut game: Twenty48, mut world: Rng, player: Seed) -> Playout {
        let mut dice = player.rng();
        while game.to_move().is_some() {
            let direction = game.random_move(&mut dice).expect("it is not over");
            game.play(direction, &mut world).expect("it is legal");
        }
        Playout { board: game.board(), score: game.score(), moves: game.state().moves }
    }

    #[test]
    fn games_are_those_of_the_plain_loop() {
        let seeds = seeds(3000);
        let expected: Vec<Playout> = seeds.iter().map(play_plainly).collect();
        for games in [0, 1, 2, 63, 64, 65, 129, 3000] {
            let (seeds, expected) = (&seeds[..games], &expected[..games]);
            assert!(random_games(seeds) == expected, "{games} games");
            let check = |label: &str, play: &dyn Fn(&mut WholeGames)| {
                let mut whole = WholeGames::new(seeds);
                play(&mut whole);
                assert!(whole.playouts == expected, "{games} games {label}");
            };
            for variant in Variant::ALL.into_iter().filter(|variant| variant.is_supported()) {
                check(&format!("by {variant:?}"), &|games| variant.play(games, RandomMoves));
            }
            check("in 8 lanes", &|games| play::<8, _>(games, RandomMoves));
            check("in 24 lanes", &|games| play::<24, _>(games, RandomMoves));
            check("in 256 lanes", &|games| play::<256, _>(games, RandomMoves));
        }
    }

    /// Plays one move after another by the definition of the order.
    fn play_ordered_plainly(moves: OrderedMoves, game_seed: Seed) -> Playout {
        let mut game_rng = game_seed.rng();
        let mut game = Twenty48::start(&Rules::default(), &mut game_rng);
        while game.to_move().is_some() {
            let board = game.board();
            let gain = |direction| if moves.by_gain { board.gain(direction) } else { 0 };
            let legal = || moves.order.into_iter().filter(|&direction| board.slide(direction).is_some());
            let max_gain = legal().map(gain).max();
            let direction = legal().find(|&direction| Some(gain(direction)) == max_gain);
            game.play(direction.expect("it is not over"), &mut game_rng).expect("it is legal");
        }
        Playout { board: game.board(), score: game.score(), moves: game.state().moves }
    }

    #[test]
    fn ordered_games_are_those_of_the_plain_loop() {
        let order = [Direction::Down, Direction::Left, Direction::Right, Direction::Up];
        for (by_gain, order) in
            [(true, order), (false, order), (true, Direction::ALL), (false, Direction::ALL)]
        {
            let moves = OrderedMoves { order, by_gain };
            let seeds = seeds(700);
            let plain: Vec<Playout> =
                seeds.iter().map(|&(game_seed, _)| play_ordered_plainly(moves, game_seed)).collect();
            for games in [0, 1, 64, 65, 700] {
                let (seeds, plain) = (&seeds[..games], &plain[..games]);
                let game_seeds = seeds.iter().map(|&(game_seed, _)| game_seed);
                assert!(ordered_games(moves, game_seeds) == plain, "{games} games of {moves:?}");
                for variant in Variant::ALL.into_iter().filter(|variant| variant.is_supported()) {
                    let mut whole = WholeGames::new(seeds);
                    variant.play(&mut whole, moves);
                    assert!(whole.playouts == plain, "{games} games of {moves:?} by {variant:?}");
                }
            }
        }
    }

    type Noted<'a> = Playouts<&'a mut dyn FnMut(usize, Playout) -> ControlFlow<()>>;

    /// Playouts from boards of all kinds equal those of the plain loop, for every variant and any
    /// number of games.
    #[test]
    fn playouts_are_those_of_the_plain_loop() {
        let boards = [
            "0 0 0 0  0 0 2 0  0 0 0 0  0 0 0 0",
            "8 4 0 2  64 32 8 4  128 64 16 8  256 128 2 32",
            "0 8 4 2  64 32 8 4  128 64 16 8  256 128 2 32",
            "4 0 0 0  8 2 0 0  32 8 2 0  128 8 8 4",
            "2 4 8 16  32 64 128 256  512 1024 2048 4096  0 4 8192 16384",
            "32768 32768 65536 131072  4 4 0 0  2 8 2 0  0 0 0 0",
            "0 131072 131072 65536  65536 32768 32768 16384  4 4 2 2  8 8 16 16",
        ];
        let starts: Vec<Afterstate> =
            boards.iter().map(|board| Afterstate::new(board.parse().expect("a board"))).collect();
        for runs in [1, 2, 9, 40, 150] {
            let seed = Seed::root(runs as u64);
            let plain = (0..starts.len() * runs).map(|game| {
                let seeds = (seed.child("world", game as u64), seed.child("player", game as u64));
                play_plainly_from(starts[game / runs], seeds)
            });
            let plain: Vec<Playout> = plain.collect();
            let check = |how: &str, play: &dyn Fn(&mut Noted)| {
                let mut playouts = vec![None; plain.len()];
                let mut ended = |game: usize, playout| {
                    assert_eq!(playouts[game].replace(playout), None);
                    ControlFlow::Continue(())
                };
                play(&mut Playouts::new(&starts, runs, seed, &mut ended));
                assert!(playouts.iter().flatten().eq(&plain), "{runs} runs {how}");
                assert_eq!(playouts.iter().flatten().count(), plain.len());
            };
            for variant in Variant::ALL.into_iter().filter(|variant| variant.is_supported()) {
                check(&format!("by {variant:?}"), &|games| variant.play(games, RandomMoves));
            }
            check("in 8 lanes", &|games| play::<8, _>(games, RandomMoves));
            check("in 256 lanes", &|games| play::<256, _>(games, RandomMoves));
            check("one by one", &|games| assert!(games.play_one_by_one().is_continue()));
            let mut playouts = vec![Playout::default(); plain.len()];
            run_playouts(&starts, runs, seed, |game, playout| {
                playouts[game] = playout;
                ControlFlow::Continue(())
            });
            assert!(playouts == plain, "{runs} runs");
            // Games from the third board are over as soon as the tile has appeared.
            assert!(plain[2 * runs..3 * runs].iter().all(|playout| (playout.score, playout.moves) == (0, 0)));
        }
        run_playouts(&[], 5, Seed::root(1), |_, _| panic!("there is no game"));
    }

    /// Playing stops at the playout that breaks, one by one and in lanes.
    #[test]
    fn playouts_can_be_left() {
        let start = Afterstate::new("0 0 0 0  0 0 2 0  0 0 0 0  0 0 0 0".parse().expect("a board"));
        for runs in [MIN_LANE_GAMES - 1, MIN_LANE_GAMES, 5000] {
            for most in [1, 2, runs - 1] {
                let mut ended = 0;
                run_playouts(&[start], runs, Seed::root(1), |_, _| {
                    ended += 1;
                    if ended == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                assert_eq!(ended, most, "of {runs}");
            }
        }
    }

    /// The streams of a playout have fixed names, so that later versions play the same games.
    #[test]
    fn a_playout_has_streams_of_its_own() {
        let start = Afterstate::new("4 0 0 0  8 2 0 0  32 8 2 0  128 8 8 4".parse().expect("a board"));
        let seed = Seed::root(3);
        let mut played = Vec::new();
        run_playouts(&[start], 2, seed, |_, playout| {
            played.push(playout);
            ControlFlow::Continue(())
        });
        let seeds = (seed.child("world", 1), seed.child("player", 1));
        assert_eq!(played[1], play_plainly_from(start, seeds));
    }

    #[test]
    fn random_play_scores_as_known() {
        // Fewer without optimization, because lanes are slow then.
        let games = if cfg!(debug_assertions) { 10_000 } else { 100_000 };
        let score: u64 = random_games(&seeds(games)).iter().map(|played| played.score).sum();
        let mean = score as f64 / games as f64;
        let standard_error = 535.0 / (games as f64).sqrt();
        assert!((mean - 1094.5).abs() < 4.0 * standard_error, "{mean}");
    }
}
