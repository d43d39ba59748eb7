//! Memory of tables, comparisons and the page, bounded by a system limit.

use crate::bench::{Folder, ProgramOutput, add_checksum, play_in_new_folder};

/// Games of each of two players; they have few moves, so they are fast.
const GAMES: u64 = 100_000;

const EXPERIMENT: &str = r#"
name = "large"
game = "2048"
seed = 1
max_moves = 2
player = [
    { name = "chance", algorithm = "random" },
    { name = "gain", algorithm = "greedy" },
]

[[claim]]
better = "gain"
than = "chance"
by = "score"

[[claim]]
better = "gain"
than = "chance"
by = "reach 8"
"#;

/// The most megabytes that a command may use here, twice what it uses for a few games. A list of 8
/// bytes for each game needs 1.6 more, and one for each pair 0.8.
const MEGABYTES: u64 = 6;

#[test]
fn a_game_takes_a_few_bytes() {
    let folder = play_in_new_folder("large.toml", format!("games = {GAMES}\n{EXPERIMENT}"));
    let claims = folder.read("results/large/claims.csv");
    run_within_limit(&folder, "compare results/large").assert_says("100,000 pairs");
    run_within_limit(&folder, "rank results/large");
    run_within_limit(&folder, "report results/large --out large.html");
    run_within_limit(&folder, "judge large.toml");
    assert_eq!(folder.read("results/large/claims.csv"), claims);
}

#[test]
fn a_pair_of_players_takes_some_bytes() {
    let folder = Folder::new();
    let players =
        (0..200).map(|player| format!("[[player]]\nname = \"p{player}\"\nalgorithm = \"random\"\n"));
    let header = "name = \"many\"\ngame = \"2048\"\nseed = 1\ngames = 20\nwin = 128\n";
    folder.play("many.toml", header.to_owned() + &players.collect::<String>());
    // 19,900 pairs, and a kilobyte for an answer in words.
    run_within_limit(&folder, "rank results/many").assert_says("p199");
    // The page has two megabytes, and is assembled in memory.
    run_within(&folder, 16, "report results/many --out many.html");
}

/// Messages of broken programs are stored up to a maximum length.
#[test]
fn long_complaints_take_little_memory() {
    let folder = play_in_new_folder("large.toml", format!("games = 4\n{EXPERIMENT}"));
    let message = "a".repeat(60_000);
    let panic_line = |seed: u64| {
        add_checksum(&format!(r#"{{"panic":{{"key":"a key","seed":{seed},"message":"{message}"}}}}"#))
    };
    let journal = folder.read("results/large/journal.jsonl");
    folder.write("results/large/journal.jsonl", journal + &(0..1000).map(panic_line).collect::<String>());
    let output = folder.shell(&format!("ulimit -d {}; exec gauntlet status large.toml", 32 << 10));
    output.assert_status(0).assert_says("8 of 8 games");
}

fn run_within_limit(folder: &Folder, line: &str) -> ProgramOutput {
    run_within(folder, MEGABYTES, line)
}

fn run_within(folder: &Folder, megabytes: u64, line: &str) -> ProgramOutput {
    let limit = 1024 * megabytes;
    folder.shell(&format!("ulimit -d {limit}; exec gauntlet {line}")).assert_status(0)
}
