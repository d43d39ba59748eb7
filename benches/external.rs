//! Times a player that is an external program written in C and answers without computing. So the
//! timings measure gauntlet's part of a move and the pipes. Without the compiler `cc`, nothing is
//! timed.
//!
//! `cargo bench --bench external`; an item is a move. Each benchmark asserts that the program plays
//! like the built-in player.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use gauntlet::GAMES;
use gauntlet::arena::build_worker;
use gauntlet::assets::{AssetFiles, ProgramPermission};
use gauntlet::game::Block;
use gauntlet::player::BuildContext;
use gauntlet::record::GameRecord;

fn main() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/players/batched.c");
    let compilation = Command::new("cc").args(["-O2", "-o", "batched", source]).current_dir(folder).status();
    if compilation.is_ok_and(|status| status.success()) {
        divan::main();
    } else {
        println!("there is no C compiler `cc`: nothing is timed");
    }
}

/// Returns the number of moves and the points of all games.
fn sums(records: &[GameRecord]) -> (u64, u64) {
    (records.iter().map(|record| u64::from(record.moves)).sum(), records.iter().map(GameRecord::score).sum())
}

/// Plays these games with the program, with at most `max_open` games open.
fn play(bencher: Bencher, games: u64, max_open: u64) {
    let assets = AssetFiles::new(Path::new(env!("CARGO_TARGET_TMPDIR")));
    let mut programs = ProgramPermission::default();
    programs.supervisor = Some(env!("CARGO_BIN_EXE_gauntlet").into());
    assets.permit(programs);
    let context = BuildContext { assets: Arc::new(assets), ..BuildContext::default() };
    let command =
        if max_open > 1 { format!("\"./batched\", \"{max_open}\"") } else { "\"./batched\"".to_owned() };
    let program =
        GAMES[0].read_snippet("external", &format!("algorithm = \"external\"\ncommand = [{command}]"));
    let snippet = "algorithm = \"fixed-order\"\norder = [\"down\", \"left\", \"right\", \"up\"]";
    let built_in = GAMES[0].read_snippet("fixed-order", snippet);
    let blocks: Vec<Block> = (0..games).map(Block::from_seed).collect();
    let expected =
        sums(&build_worker(&[&built_in], None, &BuildContext::default()).expect("a player")(&blocks).records);
    let mut worker = build_worker(&[&program], None, &context).expect("a player");
    bencher.counter(ItemsCount::new(expected.0)).bench_local(|| {
        assert_eq!(sums(&worker(&blocks).records), expected);
    });
}

#[divan::bench(sample_count = 10)]
fn one_game_after_the_other(bencher: Bencher) {
    play(bencher, 200, 1);
}

#[divan::bench(sample_count = 5)]
fn many_games_at_once(bencher: Bencher) {
    play(bencher, 16_384, 4_096);
}
