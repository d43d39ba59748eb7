//! `gauntlet players --within`: limits of searches with a given time per move.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use gauntlet::GAMES;
use gauntlet::arena::{self, ReplayRequest, ReplayStep};
use gauntlet::game::Block;
use gauntlet::player::BuildContext;
use gauntlet::settings::limits::SearchLimit;

use crate::bench::Folder;

/// Names that limits of searches have.
const LIMIT_NAMES: [&str; 6] = ["nodes", "depth", "millis", "rollouts", "runs", "simulations"];

/// Settings with such a name that limit something else.
const OTHERS: [(&str, &str); 1] = [("swift-monte-carlo", "depth")];

#[test]
fn types_declare_the_limits_of_every_player() {
    let mut kinds = BTreeMap::new();
    for manual in GAMES.iter().flat_map(|arena| arena.manual()) {
        let limits = (manual.limits)();
        for SearchLimit { setting, kind } in &limits {
            kinds.insert(*setting, format!("{kind:?}"));
        }
        let is_declared = |name: &&str| limits.iter().any(|limit| limit.setting == *name);
        let undeclared =
            manual.settings.iter().filter(|name| LIMIT_NAMES.contains(name) && !is_declared(name));
        let expected: Vec<&str> =
            OTHERS.iter().filter(|(player, _)| *player == manual.name).map(|(_, name)| *name).collect();
        assert_eq!(undeclared.copied().collect::<Vec<_>>(), expected, "{}", manual.name);
    }
    assert_eq!([&*kinds["nodes"], &*kinds["depth"], &*kinds["millis"]], ["Count", "Depth", "Time"]);
}

#[test]
fn a_stand_in_makes_most_moves_of_each_game() {
    let entry = |depth| GAMES[0].read_snippet("n-tuple", &format!("depth = {depth}"));
    let (shared, own_moves) = entry(2).with_stand_in(&entry(1), 7);
    for seed in 1..3 {
        let game = ReplayRequest { block: Block::from_seed(seed), leg: 0, asks_values: false };
        let mut depths = Vec::new();
        let mut record_depth = |step: &ReplayStep| depths.extend(step.depth);
        arena::replay(&[&shared], Some(60), game, &BuildContext::default(), &mut record_depth)
            .expect("a game");
        let expected = (0..60).map(|number| if number % 7 == 3 { 2 } else { 1 });
        assert_eq!(depths, expected.collect::<Vec<_>>());
        assert_eq!(own_moves.load(Ordering::Relaxed), 9 * seed);
    }
}

/// Both limits of the player are counts that hold at the same time.
#[test]
fn a_limit_that_holds_with_another_is_kept() {
    let folder = Folder::new();
    let player = |name: &str, crowded: u64| {
        format!(
            "[[player]]\nname = '{name}'\nalgorithm = 'swift-monte-carlo'\nsimulations = 3\ncrowded_simulations = {crowded}\n"
        )
    };
    let head = "name = 'crowded'\ngame = '2048'\nseed = 1\ngames = 2\nmax_moves = 10\n";
    folder.write("crowded.toml", format!("{head}{}{}", player("few", 2), player("many", 40)));
    let toml = folder.run("players crowded.toml --within 30us").assert_status(0).stdout;
    // On a slow machine, the time is too short for them.
    let has_own_answer = |name: &str, crowded: u64| {
        let is_found = toml.contains(&format!("\ncrowded_simulations = {crowded}\n"));
        is_found != toml.contains(&format!("\n# {name}: "))
    };
    assert!(has_own_answer("few", 2) && has_own_answer("many", 40), "{toml}");
}

/// Players of each kind. Games are short, so that measurements contain several.
const EXPERIMENT: &str = r#"
name = "short"
game = "2048"
seed = 1
games = 2
max_moves = 50

[[player]]
name = "greedy"
algorithm = "greedy"

[[player]]
name = "e"
algorithm = "expectimax"
evaluation = "macroxue"
[player.sweep]
nodes = [10, 20]

[[player]]
name = "timed"
algorithm = "mcts"
millis = 3.5

[[player]]
name = "deep"
algorithm = "macroxue"

[[player]]
name = "adaptive"
algorithm = "expectimax"
adaptive = { least = 1, less = 4 }

[[player]]
name = "deepest"
algorithm = "swift-monte-carlo"
family = "article"
variant = "plain"
simulations = 7

[[player]]
name = "program"
algorithm = "external"
command = ["no-such-program"]
"#;

#[test]
fn limits_are_printed_as_players_that_play() {
    let folder = Folder::with_file("short.toml", EXPERIMENT);
    let output = folder.run("players short.toml --within 50us").assert_status(0).stdout;
    let (found, left_out) = output.split_once("# Left out:\n").expect("players are left out");
    let reasons: BTreeMap<&str, &str> = left_out
        .lines()
        .map(|line| line.trim_start_matches("# ").split_once(": ").expect("a reason"))
        .collect();
    assert!(reasons["greedy"].ends_with(" per move; no setting limits its search"), "{left_out}");
    assert_eq!(reasons["program"], "external programs are not started");
    assert_eq!(reasons["adaptive"], "accepts no `nodes`: conflicts with `adaptive`: set only one of them");
    // Both players of the sweep have the same limit.
    assert_eq!(found.matches("algorithm = \"expectimax\"").count(), 1, "{found}");
    let (_, limit) = found.split_once("name = \"e nodes=").expect("a name with the limit");
    let limit = limit.split_once('"').expect("the end of the name").0;
    assert!(found.contains(&format!("\nnodes = {limit}\n")), "{found}");
    assert!(found.contains("name = \"timed\"") && !found.contains("millis"), "{found}");

    let head = EXPERIMENT.split_once("\n[[player]]").expect("players").0;
    folder.write("found.toml", format!("{head}{found}"));
    folder.run("run found.toml --quiet").assert_status(0);
    let manifest = folder.read("results/short/manifest.toml");
    assert!(manifest.contains("reproducible = true"), "{manifest}");
}

#[test]
fn a_time_that_no_player_keeps_is_reported() {
    let text = "name = \"x\"\ngame = \"gomoku\"\nseed = 1\ngames = 2\n\
                [[player]]\nname = \"f\"\nalgorithm = \"flat-mc\"\n";
    let folder = Folder::with_file("x.toml", text);
    let output = folder.run("players x.toml --within 1us").assert_status(0).stdout;
    assert!(
        output.contains("# f: ") && output.contains(" per move with rollouts = 1, the smallest"),
        "{output}"
    );
}

#[test]
fn wrong_uses_are_refused() {
    let folder = Folder::with_file("short.toml", EXPERIMENT);
    for (arguments, message) in [
        ("players short.toml --within 5m", "unknown unit `m`; expected a number with a unit"),
        ("players short.toml --within 0.1us", "must be from 1us to 60s"),
        ("players greedy --within 1ms", "`greedy` is an algorithm: for --within, give its experiment"),
        ("players --within 1ms", "ALGORITHM|EXPERIMENT"),
        ("players short.toml deep --within 1ms", "cannot be used with"),
        ("players short.tml --within 1ms", "short.tml"),
    ] {
        folder.run(arguments).assert_status(2).assert_says(message);
    }
}
