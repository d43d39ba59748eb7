//! What tables, comparisons and the page need of memory, held by a limit of the system.

use super::bench::Folder;

/// Games of each of two players; of a few moves, so that they are played at once.
const GAMES: u64 = 100_000;

const EXPERIMENT: &str = r#"
name = "large"
game = "2048"
seed = 1
max_moves = 2

[[player]]
name = "chance"
algorithm = "random"

[[player]]
name = "gain"
algorithm = "greedy"

[[claim]]
better = "gain"
than = "chance"
by = "score"

[[claim]]
better = "gain"
than = "chance"
by = "reach 8"
"#;

/// The most megabytes that a command may take. Half of that is what it takes for a few games. A list of 8 bytes for each
/// game takes 1.6 more, and one for each pair 0.8.
const MEGABYTES: u64 = 6;

#[test]
fn a_game_takes_a_few_bytes() {
    let folder = Folder::new();
    folder.write("large.toml", format!("games = {GAMES}\n{EXPERIMENT}"));
    folder.run("run large.toml --quiet").ends(0);
    let claims = folder.read("results/large/claims.csv");
    let within_bounds = |line: &str| {
        let limit = 1024 * MEGABYTES;
        folder.shell(&format!("ulimit -d {limit}; exec gauntlet {line}")).ends(0)
    };
    within_bounds("compare results/large").saying("100,000 paired seeds");
    within_bounds("rank results/large");
    within_bounds("report results/large --out large.html");
    within_bounds("judge large.toml");
    assert_eq!(folder.read("results/large/claims.csv"), claims);
}
