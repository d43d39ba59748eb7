//! Timings of the training of value networks, of play by them, and of the memory that limits both.
//! Results are asserted, so that a fast but wrong learner fails.
//!
//! `cargo bench --bench learning -- PATTERNS METHOD UPDATE GAMES` trains an empty network, and then
//! plays a tenth as many games with it. An example of the arguments is `4x6 tc forward 20000`. The
//! update `in-turn` is `forward` with two interleaved games. Without arguments, it trains `5x4`
//! with 300 games each, and asserts the numbers of moves: `td` forward, and `tc` forward, backward
//! and interleaved. Under `cargo bench` it also reads memory at random places. All times are CPU
//! times.

use cpu_time::ThreadTime;
use gauntlet::learning::Learner;
use gauntlet::rng::Seed;
use gauntlet::train::section::TrainSection;
use gauntlet::twenty48::network::pages::allocate_zeros;
use gauntlet::{GAMES, catalog, config};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    if let [patterns, method, update, games] = &words[..] {
        learn(patterns, method, update, games.parse().expect("a number of games"));
        return;
    }
    assert_eq!(learn("5x4", "td", "forward", 300), [145_288, 63_035]);
    assert_eq!(learn("5x4", "tc", "forward", 300), [139_483, 65_533]);
    assert_eq!(learn("5x4", "tc", "backward", 300), [79_470, 31_062]);
    assert_eq!(learn("5x4", "tc", "in-turn", 300), [143_196, 68_068]);
    if std::env::args().any(|word| word == "--bench") {
        read_at_random(1 << 26, 50_000_000);
    }
}

/// Trains an empty network, and plays with it a tenth as many games, but at least 100. Returns the
/// numbers of moves in training and in play.
fn learn(patterns: &str, method: &str, update: &str, games: u64) -> [u64; 2] {
    let rate = if method == "td" { 0.1 } else { 1.0 };
    let update_toml =
        if update == "in-turn" { "'forward'\nin_turn = true".to_owned() } else { format!("'{update}'") };
    let text = format!(
        "name = 'learning'\ngame = '2048'\nseed = 1\ngames = 2\n[[player]]\nname = 'any'\nalgorithm = 'random'\n\
         [train]\npatterns = '{patterns}'\nmethod = '{method}'\nupdate = {update_toml}\nrate = {rate}\ngames = {games}\nseed = 1\n"
    );
    let experiment =
        config::parse(catalog(&GAMES), "learning.toml", &text).unwrap_or_else(|error| panic!("{error}"));
    let training = TrainSection::from_experiment(&experiment).expect("a training").game_settings.clone();
    let mut learner =
        training.begin(Seed::root(1).child("train", 0)).unwrap_or_else(|error| panic!("{error}"));
    let label = format!("{patterns} {method} {update}");
    let training_moves =
        time_items(&format!("{label}, training, {games} games"), || train_alone(&mut *learner, games));
    let (tests, seeds) = (100.max(games / 10), Seed::root(1).children("test"));
    let play_moves = time_items(&format!("{label}, play, {tests} games"), || {
        let seeds: Vec<Seed> = (0..tests).map(|number| seeds.get(number)).collect();
        learner.test(&seeds).iter().map(|episode| episode.moves).sum()
    });
    [training_moves, play_moves]
}

/// Learns from this number of games on one thread. Returns the number of moves.
fn train_alone(learner: &mut dyn Learner, games: u64) -> u64 {
    let mut moves = 0;
    while learner.games() < games {
        let episodes = learner.learn(&|numbers, work| (0..numbers).for_each(work));
        moves += episodes.iter().map(|episode| episode.moves).sum::<u64>();
    }
    moves
}

/// Runs a workload and prints the items per CPU second. Returns the number of items.
fn time_items(label: &str, run: impl FnOnce() -> u64) -> u64 {
    let start = ThreadTime::now();
    let items = run();
    let seconds = start.elapsed().as_secs_f64();
    println!("{label}: {:.3} M a second ({items} in {seconds:.2} s)", items as f64 / seconds / 1e6);
    items
}

/// Reads a table `reads` times at random places. It has as many floats as a network of four
/// patterns of six cells. No read waits for the previous one.
fn read_at_random(floats: usize, reads: u64) {
    let small_pages = vec![1.0_f32; floats];
    let mut huge_pages: Vec<f32> = allocate_zeros(floats);
    huge_pages.fill(1.0);
    for (label, table) in
        [("pages of the usual size", &small_pages), ("pages as large as the system gives", &huge_pages)]
    {
        let mut index = 0x9E37_79B9_7F4A_7C15_u64;
        let mut sum = 0.0;
        let read_count = time_items(&format!("weights read at random places, {label}"), || {
            for _ in 0..reads {
                index ^= index << 13;
                index ^= index >> 7;
                index ^= index << 17;
                sum += f64::from(table[index as usize & (floats - 1)]);
            }
            reads
        });
        assert_eq!(sum, read_count as f64);
    }
}
