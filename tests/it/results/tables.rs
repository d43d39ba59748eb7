//! The tables compared with `games.csv`: every number made from games is computed again here, in a
//! plain way, from the rows of the games.

use crate::bench::{Folder, Row, read_rows};

/// The order is not alphabetical, a sweep makes two players from one, and a comma needs quotes.
const EXPERIMENT: &str = r#"
name = "small"
game = "2048"
seed = 5
games = GAMES
max_moves = 150
win = 128
player = [
    { name = "gain", algorithm = "greedy", sweep.ties = ["last", "first"] },
    { name = "any, at all", algorithm = "random" },
    { name = "corner", algorithm = "fixed-order", order = ["down", "left", "right", "up"] },
]
"#;

const PLAYERS: [&str; 4] = ["gain ties=last", "gain ties=first", "any, at all", "corner"];

/// A row of `games.csv`.
struct Game {
    player: String,
    block: u64,
    seed: u64,
    score: u64,
    max_tile: u64,
    moves: u64,
    won: bool,
    ending: String,
}

/// Returns a table in the results: each row by column name.
fn table(folder: &Folder, name: &str) -> Vec<Row> {
    read_rows(folder, &format!("results/small/{name}.csv"))
}

fn games(folder: &Folder) -> Vec<Game> {
    let number = |text: &String| text.parse().unwrap();
    let rows = table(folder, "games").into_iter();
    rows.map(|row| Game {
        player: row["player"].clone(),
        block: number(&row["block"]),
        seed: number(&row["seed"]),
        score: number(&row["score"]),
        max_tile: number(&row["max_tile"]),
        moves: number(&row["moves"]),
        won: row["won"].parse().unwrap(),
        ending: row["ending"].clone(),
    })
    .collect()
}

/// Plays the experiment with this many games.
fn play(folder: &Folder, games: usize, threads: usize) {
    folder.play(&format!("small.toml --threads {threads}"), EXPERIMENT.replace("GAMES", &games.to_string()));
}

fn played_folder(games: usize, threads: usize) -> Folder {
    let folder = Folder::new();
    play(&folder, games, threads);
    folder
}

/// Numbers of games, and for each the half-width of the 95 % interval of a mean in standard errors.
/// This is the 0.975 quantile of Student's distribution with one degree of freedom less than games,
/// from published tables.
const SIZES: [(usize, Option<f64>); 5] =
    [(1, None), (2, Some(12.706205)), (5, Some(2.776445)), (10, Some(2.262157)), (37, Some(2.028094))];

/// The 0.975 quantile of the normal distribution.
const Z: f64 = 1.959963984540054;

/// Checks that a number is correctly rounded to this many decimals. `slack` is the uncertainty of
/// the expected number, made from a quantile of few digits.
#[track_caller]
fn check_real(label: &str, cell: &str, expected: Option<f64>, decimals: usize, slack: f64) {
    let Some(expected) = expected else {
        assert_eq!(cell, "", "{label}: there is no such number");
        return;
    };
    let (_, fraction) = cell.split_once('.').unwrap_or_else(|| panic!("{label}: {cell:?} has no point"));
    assert_eq!(fraction.len(), decimals, "{label}: {cell}");
    let number: f64 = cell.parse().unwrap();
    assert!(number != 0.0 || !cell.starts_with('-'), "{label}: {cell}");
    let error = (number - expected).abs();
    assert!(
        error <= 0.5 * 10_f64.powi(-(decimals as i32)) + slack + 1e-9 * expected.abs(),
        "{label}: {cell}, expected {expected}"
    );
}

#[track_caller]
fn check_whole(label: &str, cell: &str, expected: u64) {
    assert_eq!(cell, expected.to_string(), "{label}");
}

/// Checks a rate and its bounds, by the textbook formula.
#[track_caller]
fn check_rate(label: &str, row: &Row, column: &str, successes: usize, trials: usize) {
    let (n, p) = (trials as f64, successes as f64 / trials as f64);
    let centre = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half_width = Z / (1.0 + Z * Z / n) * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    check_real(&format!("{label}, {column}"), &row[column], Some(p), 6, 0.0);
    let [low, high] = ["low", "high"].map(|end| &row[&format!("{column}_{end}")]);
    check_real(&format!("{label}, {column} low"), low, Some((centre - half_width).max(0.0)), 6, 0.0);
    check_real(&format!("{label}, {column} high"), high, Some((centre + half_width).min(1.0)), 6, 0.0);
    let [low, rate, high] = [low, &row[column], high].map(|cell| cell.parse::<f64>().unwrap());
    assert!(0.0 <= low && low <= rate && rate <= high && high <= 1.0, "{label}: {low}, {rate}, {high}");
}

/// Rows are in the order of the file, then of blocks, and each is what the experiment requested.
fn check_games(all_games: &[Game], games: usize) {
    assert_eq!(all_games.len(), PLAYERS.len() * games);
    for (player, rows) in PLAYERS.iter().zip(all_games.chunks(games)) {
        for ((block, game), first_game) in (0..).zip(rows).zip(all_games) {
            let label = format!("{player}, block {block}");
            assert_eq!((&*game.player, game.block), (*player, block));
            assert_eq!(game.seed, gauntlet::rng::Seed::block_seed(5, block), "{label}");
            assert_eq!(game.seed, first_game.seed, "{label}: all players meet the same seeds");
            assert_eq!(game.won, game.max_tile >= 128, "{label}");
            assert!(game.max_tile.is_power_of_two() && game.score % 4 == 0, "{label}");
            match &*game.ending {
                "max-moves" => assert_eq!(game.moves, 150, "{label}"),
                "game-over" => assert!(game.moves <= 150, "{label}"),
                other => panic!("{label} ends by {other}"),
            }
        }
    }
}

fn check_win_rate(rows: &[Row], all_games: &[Game], games: usize, student_quantile: Option<f64>) {
    assert_eq!(rows.len(), PLAYERS.len());
    for ((row, player), player_games) in rows.iter().zip(PLAYERS).zip(all_games.chunks(games)) {
        let label = |column: &str| format!("{column} of {player} in {games} games");
        assert_eq!(row["player"], player);
        check_whole(&label("games"), &row["games"], games as u64);
        let wins = player_games.iter().filter(|game| game.won).count();
        check_whole(&label("wins"), &row["wins"], wins as u64);
        check_rate(&label("rate"), row, "win_rate", wins, games);

        let n = games as f64;
        let mut scores: Vec<u64> = player_games.iter().map(|game| game.score).collect();
        scores.sort_unstable();
        let mean = scores.iter().sum::<u64>() as f64 / n;
        let squares: f64 = scores.iter().map(|&score| (score as f64 - mean).powi(2)).sum();
        let error = student_quantile.map(|_| (squares / (n - 1.0)).sqrt() / n.sqrt());
        let half_width = student_quantile.zip(error).map(|(student, error)| student * error);
        // The published quantiles have six decimals.
        let slack = 0.6e-6 * error.unwrap_or(0.0);
        check_real(&label("mean score"), &row["mean_score"], Some(mean), 2, 0.0);
        check_real(&label("low"), &row["mean_score_low"], half_width.map(|half| mean - half), 2, slack);
        check_real(&label("high"), &row["mean_score_high"], half_width.map(|half| mean + half), 2, slack);
        let median = (scores[(games - 1) / 2] + scores[games / 2]) as f64 / 2.0;
        check_real(&label("median"), &row["median_score"], Some(median), 1, 0.0);
        check_whole(&label("max"), &row["max_score"], scores[games - 1]);
        let moves: u64 = player_games.iter().map(|game| game.moves).sum();
        check_real(&label("mean moves"), &row["mean_moves"], Some(moves as f64 / n), 2, 0.0);
        let forfeit = |game: &&Game| matches!(&*game.ending, "illegal-move" | "gave-up" | "panic");
        check_whole(&label("forfeits"), &row["forfeits"], player_games.iter().filter(forfeit).count() as u64);
    }
}

fn check_max_tile(rows: &[Row], all_games: &[Game], games: usize) {
    let mut rows = rows.iter();
    for (player, player_games) in PLAYERS.into_iter().zip(all_games.chunks(games)) {
        let tiles = || player_games.iter().map(|game| game.max_tile);
        let (first, last) = (tiles().min().unwrap(), tiles().max().unwrap());
        let mut tile = first;
        let mut shares = 0.0;
        while tile <= last {
            let row = rows.next().unwrap_or_else(|| panic!("there is no row {player}, {tile}"));
            let label = |column: &str| format!("{column} of {player} for {tile} in {games} games");
            assert_eq!(row["player"], player);
            check_whole(&label("tile"), &row["tile"], tile);
            let exact_count = tiles().filter(|&max| max == tile).count();
            let reached_count = tiles().filter(|&max| max >= tile).count();
            check_whole(&label("games"), &row["games"], exact_count as u64);
            check_real(&label("share"), &row["share"], Some(exact_count as f64 / games as f64), 6, 0.0);
            check_whole(&label("reached"), &row["reached"], reached_count as u64);
            check_rate(&label("rate"), row, "reach_rate", reached_count, games);
            shares += row["share"].parse::<f64>().unwrap();
            tile *= 2;
        }
        assert!((shares - 1.0_f64).abs() < 1e-5, "the shares of {player} sum to {shares}");
    }
    assert!(rows.next().is_none(), "there are more rows than tiles");
}

/// Times vary, but must be consistent.
fn check_ms_per_move(rows: &[Row], all_games: &[Game], games: usize, threads: usize) {
    assert_eq!(rows.len(), PLAYERS.len());
    for ((row, player), player_games) in rows.iter().zip(PLAYERS).zip(all_games.chunks(games)) {
        assert_eq!(row["player"], player);
        check_whole("moves", &row["moves"], player_games.iter().map(|game| game.moves).sum());
        check_whole("threads", &row["threads"], threads as u64);
        let names =
            ["mean_ms", "p50_ms", "p90_ms", "p99_ms", "max_ms", "cpu_ms_per_move", "moves_per_second"];
        let [mean, p50, p90, p99, max, cpu, rate] = names
            .map(|name| row[name].parse::<f64>().unwrap_or_else(|_| panic!("{name} is {:?}", row[name])));
        // Every player takes time, and the shortest printed time is a nanosecond.
        assert!(1e-6 <= p50 && p50 <= p90 && p90 <= p99 && p99 <= max, "{row:?}");
        assert!(1e-6 <= mean && mean <= max, "{row:?}");
        // A thread cannot use more CPU time than wall time. But reading the two clocks takes some
        // microseconds, which is much for a slice as small as these.
        let moves: f64 = row["moves"].parse().unwrap();
        assert!(cpu <= 1.1 * mean + 0.1 / moves, "{row:?}");
        assert!(rate >= 1.0, "{row:?}");
    }
}

fn check_tables(folder: &Folder, size: usize, student_quantile: Option<f64>, threads: usize) {
    let all_games = games(folder);
    check_games(&all_games, size);
    check_win_rate(&table(folder, "win-rate"), &all_games, size, student_quantile);
    check_max_tile(&table(folder, "max-tile"), &all_games, size);
    check_ms_per_move(&table(folder, "ms-per-move"), &all_games, size, threads);
}

#[test]
fn tables_are_what_the_games_add_up_to() {
    for ((size, student_quantile), threads) in SIZES.into_iter().zip([1, 2, 3].into_iter().cycle()) {
        let folder = played_folder(size, threads);
        check_tables(&folder, size, student_quantile, threads);
        if size == 37 {
            // The checks above would be weak if none of these cases occurred.
            let all_games = games(&folder);
            for ending in ["max-moves", "game-over"] {
                assert!(all_games.iter().any(|game| game.ending == ending), "no game ends by {ending}");
            }
            assert!(all_games.iter().any(|game| game.won) && all_games.iter().any(|game| !game.won));
        }
    }
}

/// Games that were played in several sessions add up like games of a single session. The largest
/// number of threads is shown.
#[test]
fn tables_of_several_goes_are_those_of_one() {
    let folder = played_folder(10, 3);
    // With fewer games, nothing is played. The times are still those of all games that were timed
    // together.
    for (size, threads) in [(37, 2), (5, 1)] {
        play(&folder, size, threads);
        let single_session = played_folder(size, 1);
        for table in ["games", "win-rate", "max-tile"] {
            let name = format!("results/small/{table}.csv");
            assert_eq!(folder.read(&name), single_session.read(&name), "{name}");
        }
        if size == 37 {
            check_tables(&folder, size, Some(2.028094), 3);
        }
    }
}
