//! `gauntlet new-player`: it writes a complete player in the right place, which keeps every law.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use gauntlet::arena::{GameDefinition, GuestPlayers};
use gauntlet::gomoku::rules::Gomoku;
use gauntlet::package;
use gauntlet::player::Algorithm;
use gauntlet::twenty48::rules::Twenty48;

use crate::bench::Folder;
use crate::tools::is_installed;

/// The starter players before they are named. Their tests run with these tests.
#[allow(unreachable_pub)]
#[path = "../../starter/gomoku.rs"]
mod gomoku;
#[allow(unreachable_pub)]
#[path = "../../starter/twenty48.rs"]
mod twenty48;

const TWENTY48_WITH_STARTER: GameDefinition<Twenty48> =
    gauntlet::twenty48::CONTENTS.with_guests(&[GuestPlayers {
        package: package!(),
        algorithms: &[Algorithm::new::<twenty48::Config>("new-player", twenty48::EXAMPLE)],
    }]);

const GOMOKU_WITH_STARTER: GameDefinition<Gomoku> = gauntlet::gomoku::CONTENTS.with_guests(&[GuestPlayers {
    package: package!(),
    algorithms: &[Algorithm::new::<gomoku::Config>("new-player", gomoku::EXAMPLE)],
}]);

#[test]
fn what_is_written_keeps_the_laws() {
    gauntlet::check_laws(&TWENTY48_WITH_STARTER, &[]);
    gauntlet::check_laws(&GOMOKU_WITH_STARTER, &[]);
}

const CONTRIBUTING: &str = include_str!("../../../../CONTRIBUTING.md");

const PLAYERS_OF_2048: &str = "crates/twenty48-players/src/lib.rs";
const PLAYERS_OF_GOMOKU: &str = "crates/gomoku/src/players/mod.rs";

/// Returns the lists of players of both games, in a folder that looks like a checkout.
fn checkout() -> Folder {
    let folder = Folder::new();
    for list in [PLAYERS_OF_2048, PLAYERS_OF_GOMOKU] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(list);
        folder.write(list, std::fs::read(path).unwrap());
    }
    folder
}

/// Returns the lines that are only in the first text.
fn further_lines<'a>(new: &'a str, old: &str) -> Vec<&'a str> {
    new.lines().filter(|line| !old.lines().any(|old_line| old_line == *line)).collect()
}

/// Asserts that a file is formatted as by `cargo fmt`.
fn is_formatted(path: &Path) {
    if !is_installed("rustfmt") {
        return;
    }
    let formatting = Command::new("rustfmt")
        .args(["--check", "--edition", "2024", "--config-path", env!("CARGO_MANIFEST_DIR")])
        .arg(path)
        .output()
        .expect("rustfmt");
    assert!(formatting.status.success(), "{}", String::from_utf8_lossy(&formatting.stdout));
}

#[test]
fn in_a_checkout_it_writes_a_file_and_two_lines() {
    let folder = checkout();
    let gomoku_command = "cd crates/gomoku/src && gauntlet new-player snake-one --game gomoku";
    for (line, list, last_module, rules) in [
        (
            "gauntlet new-player snake-one",
            PLAYERS_OF_2048,
            "pub mod ronzil;",
            "use gauntlet_twenty48::rules::",
        ),
        (gomoku_command, PLAYERS_OF_GOMOKU, "pub mod minimax;", "use crate::rules::"),
    ] {
        let (before, output) = (folder.read(list), folder.shell(line).assert_status(0).stdout);
        let after = folder.read(list);
        let entry = "    Algorithm::new::<snake_one::Config>(\"snake-one\", snake_one::EXAMPLE),";
        assert_eq!(further_lines(&after, &before), ["pub mod snake_one;", entry]);
        assert!(
            after.contains(&format!("{last_module}\npub mod snake_one;\n"))
                && after.contains(&format!("{entry}\n];"))
        );
        let (list_folder, _) = list.rsplit_once('/').expect("a folder");
        let path = format!("{list_folder}/snake_one.rs");
        let player = folder.read(&path);
        assert!(
            player.contains("\nalgorithm = \"snake-one\"\n") && player.contains("for SnakeOne {"),
            "{player}"
        );
        assert!(player.contains("use gauntlet_core::player::") && player.contains(rules), "{player}");
        assert!(!player.contains("gauntlet::") && player.contains("#[test]"), "{player}");
        is_formatted(&folder.path(&path));
        // The suggested test command is in CONTRIBUTING.
        let laws_command =
            "cargo test --profile quick --test it -- players::snake_one signature:: format::pages";
        let update = "GAUNTLET_BLESS=1 cargo test --profile quick --test it -- signature:: format::pages\n";
        assert!(output.contains(update), "{output}");
        // With the features of that command, so that no library is compiled again.
        let package = list.split('/').nth(1).expect("a package");
        let package_command =
            format!("cargo test --profile quick -p gauntlet-bench -p gauntlet-{package} --lib -- snake_one");
        assert!(
            output.contains(laws_command)
                && output.contains(&package_command)
                && CONTRIBUTING.contains(laws_command),
            "{output}"
        );
    }
    assert!(CONTRIBUTING.contains("new-player snake-one`"));
    // Existing files stay.
    let list = folder.read(PLAYERS_OF_2048);
    folder.run("new-player snake-one").assert_status(2).assert_says("snake_one.rs already exists");
    assert_eq!(folder.read(PLAYERS_OF_2048), list);
    folder.write("crates/gomoku/src/players/minimax/mod.rs", "");
    folder
        .run("new-player minimax --game gomoku")
        .assert_status(2)
        .assert_says("minimax is already a player");
    folder.run("new-player tests").assert_status(2).assert_says("is a reserved word in Rust");
    folder.run("new-player greedy").assert_status(2).assert_says("2048 already has a player `greedy`");
    folder.run("new-player Snake").assert_status(2).assert_says("lower-case letters and digits");
}

/// Games are as fast in other packages as here: their profiles list the same packages.
#[test]
fn profiles_of_packages_are_those_of_the_workspace() {
    let packages_with_one_unit = |manifest: &str| -> BTreeSet<String> {
        let manifest: String =
            manifest.lines().map(|line| line.trim_start_matches("# ").to_owned() + "\n").collect();
        let index = manifest.find("[profile.release.package").expect("a profile");
        let profile = manifest[index..].split("\n\n").next().expect("a profile");
        let lines = profile.lines().collect::<Vec<_>>();
        let name = |line: &str| {
            line.split(['.', ' ', ']']).find(|word| word.starts_with("gauntlet-")).map(str::to_owned)
        };
        let units = (0..lines.len()).filter(|&line| lines[line].contains("codegen-units = 1"));
        units.filter_map(|line| name(lines[line]).or_else(|| name(lines[line - 1]))).collect()
    };
    let packages = packages_with_one_unit(include_str!("../../../../Cargo.toml"));
    assert!(packages.contains("gauntlet-twenty48-endgame"), "{packages:?}");
    assert_eq!(packages_with_one_unit(include_str!("../../../../examples/own/Cargo.toml")), packages);
    assert_eq!(packages_with_one_unit(include_str!("../../starter/package.toml")), packages);
}

#[test]
fn elsewhere_it_writes_a_package() {
    for (game, game_type, built_in_player) in
        [("2048", "Twenty48", "greedy"), ("gomoku", "Gomoku", "gomoku-greedy")]
    {
        let folder = Folder::new();
        let output = folder.run(&format!("new-player snake-one --game {game}")).assert_status(0).stdout;
        assert!(
            output.contains("\n  cd snake-one\n  cargo test\n  cargo run --release -- run snake-one.toml\n"),
            "{output}"
        );
        let manifest: toml::Table = folder.read("snake-one/Cargo.toml").parse().expect("TOML");
        assert_eq!(manifest["package"]["name"].as_str(), Some("snake-one"));
        let checkout = manifest["dependencies"]["gauntlet"]["path"].as_str().expect("a path");
        assert!(Path::new(checkout).join("crates/core/src/player/mod.rs").is_file(), "{checkout}");
        let main = folder.read("snake-one/src/main.rs");
        assert!(main.contains(&format!("const PLAYERS: &[GuestPlayers<{game_type}>]")), "{main}");
        for word in ["MODULE", "NAME", "TYPE", "OTHER"] {
            assert!(!main.contains(word), "{word} in {main}");
        }
        is_formatted(&folder.path("snake-one/src/main.rs"));
        // Its experiment is valid, except for the player that this program does not know.
        let experiment = folder.read("snake-one/snake-one.toml");
        folder.run("check snake-one/snake-one.toml").assert_status(2).assert_says("unknown algorithm");
        let (before, rest) = experiment.split_once("algorithm = \"snake-one\"\n").expect("the player");
        let (_, after) = rest.split_once('\n').expect("its setting");
        folder.write("known.toml", format!("{before}algorithm = \"random\"\n{after}"));
        folder.run("check known.toml").assert_status(0).assert_says("known: ").assert_says(built_in_player);
        folder.run("new-player snake-one").assert_status(2).assert_says("snake-one already exists");
    }
}

#[test]
fn the_help_is_what_it_was() {
    crate::docs::help::check_extra("new-player", ::new_player::COMMANDS);
}
