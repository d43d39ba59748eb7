//! Network files: exchanged with TDL2048+, and used by players.

use std::fs;

use gauntlet::rng::Seed;
use gauntlet::twenty48::network::Network;
use serde_json::Value;

use crate::bench::Folder;

/// A file of TDL2048+ after 400 games (`vectors/README.md`).
const FILE: &[u8] = include_bytes!("../../../../tests/it/vectors/021-56.w");

const SETTINGS: &str = r#"
name = "t"
game = "2048"
seed = 7
games = 3

[[player]]
name = "theirs"
algorithm = "n-tuple"
network = "theirs.network"
"#;

/// Returns one line of `network show`.
fn show(folder: &Folder, file: &str, label: &str) -> String {
    let output = folder.run(&format!("network show {file}")).assert_status(0).stdout;
    let line =
        output.lines().find(|line| line.starts_with(label)).unwrap_or_else(|| panic!("{label}: {output}"));
    line.to_owned()
}

#[test]
fn files_of_tdl2048_are_exchanged() {
    let folder = Folder::new();
    folder.write("theirs.w", FILE);
    folder.write("t.toml", SETTINGS);
    folder
        .run("network import theirs.w --out theirs.network")
        .assert_status(0)
        .assert_says("wrote theirs.network (");
    assert_eq!(show(&folder, "theirs.network", "patterns"), "patterns      012 56 (012 56)");
    let digest = blake3::hash(FILE).to_hex().to_string();
    assert!(show(&folder, "theirs.network", "training").contains(&digest));
    assert!(!folder.run("network show theirs.network").assert_status(0).stdout.contains("learned from"));
    folder.run("run t.toml").assert_status(0);
    // A network is unchanged after export and import.
    folder.copy_from_repository("configs/train");
    folder.run("network export configs/train/quick.network --out quick.w").assert_status(0);
    folder.run("network import quick.w --out again.network").assert_status(0);
    for label in ["patterns", "weights", "digest"] {
        let original = show(&folder, "configs/train/quick.network", label);
        assert_eq!(show(&folder, "again.network", label), original);
    }
    // Existing files are only replaced on request.
    let bytes_before = folder.files(".")["quick.w"].clone();
    let command = "network export theirs.network --out quick.w";
    folder.run(command).assert_status(2).assert_says("quick.w already exists: use --replace to overwrite it");
    assert!(folder.files(".")["quick.w"] == bytes_before);
    folder.run(&format!("{command} --replace")).assert_status(0);
    assert_eq!(folder.files(".")["quick.w"].len(), FILE.len());
}

/// A file from elsewhere cannot imitate other lines of the output.
#[test]
fn a_network_tells_each_thing_on_one_line() {
    let folder = Folder::new();
    folder.copy_from_repository("configs/train");
    let show_network = |file: &str| folder.run(&format!("network show {file}"));
    let bytes = folder.files("configs/train")["quick.network"].clone();
    folder.write("forged", replace_bytes(&bytes, "gauntlet train configs", r"x\ndigest train configs"));
    let network_info = show_network("forged").assert_status(0).stdout;
    assert_eq!(
        network_info.lines().count(),
        show_network("configs/train/quick.network").assert_status(0).stdout.lines().count()
    );
    assert!(network_info.contains("not a command of gauntlet"), "{network_info}");
    folder.write("forged", replace_bytes(&bytes, "gauntlet train configs", "curl x | sh # configs"));
    show_network("forged").assert_status(0).assert_says("not a command of gauntlet");
    show_network("configs/train/quick.network")
        .assert_status(0)
        .assert_says("gauntlet train configs/train/quick.toml");
    // An unknown key is reported in a message of one line.
    folder.write("forged", replace_bytes(&bytes, r#""seed":1,"build""#, r#""s\nd":1,"build""#));
    let output = show_network("forged").assert_status(1).assert_says("unknown field");
    assert_eq!(output.stderr.trim_end().lines().count(), 1, "{}", output.stderr);
}

/// Returns a file with a changed header and a matching digest.
fn replace_bytes(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let header = bytes.split_inclusive(|&byte| byte == b'\n').take(2).collect::<Vec<_>>().concat();
    let new_header = String::from_utf8_lossy(&header).replace(old, new);
    assert_ne!(new_header.as_bytes(), header);
    [
        new_header.as_bytes(),
        &bytes[header.len()..bytes.len() - 32],
        blake3::hash(new_header.as_bytes()).as_bytes(),
    ]
    .concat()
}

/// Changes any byte of the header, a thousand other bytes, and the length.
#[test]
fn a_damaged_network_is_refused_in_one_line() {
    let folder = Folder::new();
    folder.copy_from_repository("configs/train");
    let network_bytes = folder.files("configs/train")["quick.network"].clone();
    folder.write("t.toml", SETTINGS.replace("theirs.network", "x.network"));
    let assert_refused = |bytes: &[u8], line: &str, label: &str| {
        folder.write("x.network", bytes);
        let output = folder.run(line);
        assert!(matches!(output.code, Some(1 | 2)), "{label}: {output:?}");
        assert!(
            output.stderr.contains("x.network") && !output.stderr.contains("panicked"),
            "{label}: {output:?}"
        );
        // A mistake in an experiment is reported with its line and a help text.
        let lines = if line.starts_with("network") { 1 } else { 3 };
        assert_eq!(output.stderr.trim_end().lines().count(), lines, "{label}: {output:?}");
    };
    let header_length: usize =
        network_bytes.split_inclusive(|&byte| byte == b'\n').take(2).map(<[u8]>::len).sum();
    let mut rng = Seed::root(43).rng();
    let mut random_index =
        || header_length + rng.below((network_bytes.len() - header_length) as u64) as usize;
    let body_indices: Vec<usize> = (0..1000).map(|_| random_index()).collect();
    for (number, index) in (0..header_length).chain(body_indices).enumerate() {
        let mut bytes = network_bytes.clone();
        bytes[index] ^= 1 + rng.below(255) as u8;
        let message = Network::read(&bytes).expect_err("a damaged network");
        assert!(!message.contains(char::is_control), "byte {index}: {message:?}");
        // Also with the program.
        if number % 32 == 0 {
            assert_refused(&bytes, "network show x.network", &format!("byte {index}"));
            assert_refused(&bytes, "check t.toml", &format!("byte {index}"));
        }
    }
    for line in ["network show x.network", "network export x.network --out y", "run t.toml"] {
        for length in [
            0,
            1,
            36,
            header_length - 1,
            header_length,
            header_length + 4,
            network_bytes.len() - 33,
            network_bytes.len() - 32,
            network_bytes.len() - 1,
        ] {
            assert_refused(&network_bytes[..length], line, &format!("{length} bytes"));
        }
        assert_refused(&[&network_bytes[..], b"\0"].concat(), line, "a byte more");
        assert_refused(&[&network_bytes[..], &network_bytes[..]].concat(), line, "twice");
    }
    assert!(!folder.path("y").exists() && !folder.path("results").exists());
}

/// The patterns in a file decide how it plays: changed ones of equal size are detected.
#[test]
fn a_network_with_other_patterns_is_refused() {
    let folder = Folder::new();
    folder.copy_from_repository("configs/train");
    let network_bytes = folder.files("configs/train")["quick.network"].clone();
    for (old, new) in
        [("\"5x4\"", "\"0123 4567 0145 1256 569b\""), ("\"symmetric\":true", "\"symmetric\":false")]
    {
        let text = String::from_utf8_lossy(&network_bytes[..1000]);
        let index = text.find(old).expect("a setting");
        let bytes = [&network_bytes[..index], new.as_bytes(), &network_bytes[index + old.len()..]].concat();
        folder.write("x.network", bytes);
        folder
            .run("network show x.network")
            .assert_status(1)
            .assert_says("is damaged: its header does not match its digest");
    }
}

/// Files that are larger than their content are refused by their length and first bytes.
#[cfg(target_os = "linux")]
#[test]
fn a_huge_file_is_refused_at_once() {
    let folder = Folder::new();
    folder.copy_from_repository("configs/train");
    let network_bytes = folder.files("configs/train")["quick.network"].clone();
    for start in [b"".as_slice(), FILE, &network_bytes, b"player,score\n"] {
        folder.write("x", start);
        for length in [1_u64 << 40, 8 << 30] {
            fs::File::options().append(true).open(folder.path("x")).unwrap().set_len(length).unwrap();
            for action in ["show x", "import x --out y", "export x --out y"] {
                let line = format!("ulimit -d {}; exec timeout 60 gauntlet network {action}", 6 << 10);
                let output = folder.shell(&line).assert_status(1);
                assert_eq!(output.stderr.trim_end().lines().count(), 1, "{action}: {output:?}");
            }
        }
    }
}

/// A network is exchanged in the memory of one network, and 6 MiB for everything else.
#[cfg(target_os = "linux")]
#[test]
fn networks_are_exchanged_part_by_part() {
    let folder = Folder::new();
    let table = |name: u32, digits: u16| {
        let header = [&[4_u8][..], &name.to_le_bytes(), &digits.to_le_bytes(), &[0, 0, 4, 0]].concat();
        let weights = 1_u64 << (4 * digits);
        let weights = [&weights.to_le_bytes()[..], &vec![0x41; 4 * weights as usize], &[0, 0]].concat();
        [header, weights].concat()
    };
    let tables = [table(0x01234, 5), table(0x45678, 5), table(0x01245, 5), table(0x45689, 5)].concat();
    folder.write("theirs.w", [&[0, 4, 0, 0, 0][..], &tables].concat());
    for action in ["import theirs.w --out ours", "export ours --out again.w", "show ours"] {
        let line = format!("ulimit -d {}; exec gauntlet network {action}", (6 + 16) << 10);
        folder.shell(&line).assert_status(0);
    }
    assert!(folder.files(".")["theirs.w"] == folder.files(".")["again.w"]);
}

#[test]
fn files_that_are_no_networks_get_one_line() {
    let folder = Folder::new();
    let assert_refused = |bytes: &[u8], line: &str, expected: &str| {
        folder.write("x", bytes);
        let output = folder.run(line).assert_status(1);
        assert!(
            output.stderr.contains(expected) && output.stderr.trim_end().lines().count() == 1,
            "{output:?}"
        );
        assert!(!folder.path("y").exists(), "nothing is written");
    };
    let import = "network import x --out y";
    assert_refused(&FILE[..FILE.len() - 9], import, "x is truncated");
    assert_refused(b"player,score\n", import, "x is no network of TDL2048+");
    assert_refused(b"", import, "x is truncated");
    let mut invalid_pattern = FILE.to_owned();
    invalid_pattern[10] = 7;
    assert_refused(
        &invalid_pattern,
        import,
        "x has a table 0000021 of 4,096 weights, which is not a pattern of cells",
    );
    assert_refused(FILE, "network export x --out y", "x is not a 2048 network written by `gauntlet train`");
    assert_refused(FILE, "network show x", "x is not a 2048 network");
}

#[test]
fn a_network_plays_by_nodes() {
    let folder = Folder::new();
    let players = r#"
[[player]]
name = "at once"
algorithm = "n-tuple"

[[player]]
name = "nodes"
algorithm = "n-tuple"
nodes = 3000

[[player]]
name = "downgraded"
algorithm = "n-tuple"
downgrade = 4096
"#;
    let header = SETTINGS.split("[[player]]").next().unwrap();
    folder.write("t.toml", format!("{header}{players}"));
    let board = r#"{"board": [4096,512,64,8, 4,16,8,2, 0,0,2,0, 2,0,0,0]}"#;
    let output = folder.run_with("probe --experiment t.toml", board).assert_status(0);
    let answer: Value = serde_json::from_str(&output.stdout).unwrap();
    let players = &answer["players"];
    assert_eq!((&players["at once"]["depth"], &players["at once"]["nodes"]), (&1.into(), &4.into()));
    let nodes = players["nodes"]["nodes"].as_u64().unwrap();
    assert!((1000..3100).contains(&nodes) && players["nodes"]["depth"].as_u64() > Some(2), "{answer}");
    // Only a search has a table.
    assert!(
        players["nodes"]["table_hits"].as_u64() > Some(0) && players["at once"].get("table_hits").is_none(),
        "{answer}"
    );
    for player in ["at once", "nodes", "downgraded"] {
        let values = players[player]["values"].as_object().unwrap();
        let best = values.values().map(|value| value.as_f64().unwrap()).fold(f64::MIN, f64::max);
        assert_eq!(players[player]["value"].as_f64(), Some(best), "{answer}");
        // A step that is left unfinished has value_counts the directions that it reached.
        let value_counts = if player == "nodes" { 2..=4 } else { 4..=4 };
        assert!(value_counts.contains(&values.len()), "{answer}");
    }
    assert_ne!(players["at once"]["value"], players["downgraded"]["value"]);
}

/// The second search evaluates boards with the network of the player.
#[test]
fn another_search_has_the_network_of_the_player() {
    let folder = Folder::new();
    folder.write("x", FILE);
    folder.run("network import x --out y").assert_status(0);
    let late = "algorithm = \"n-tuple\"\nlate_from = 4\n\
                late = { evaluation = \"none\", weights = { network = 1 }, depth = 1 }\n";
    let search = "algorithm = \"expectimax\"\nevaluation = \"none\"\nweights = { network = 1 }\ndepth = 1\n";
    let players = format!(
        "[[player]]\nname = \"built-in\"\n{late}[[player]]\nname = \"late\"\nnetwork = \"y\"\n{late}\
         [[player]]\nname = \"search\"\nnetwork = \"y\"\n{search}"
    );
    let header = SETTINGS.split("[[player]]").next().unwrap();
    folder.write("t.toml", format!("{header}{players}"));
    let board = r#"{"board": [4096,512,64,8, 4,16,8,2, 0,0,2,0, 2,0,0,0]}"#;
    let output = folder.run_with("probe --experiment t.toml", board).assert_status(0);
    let answer: Value = serde_json::from_str(&output.stdout).unwrap();
    let values = |player: &str| answer["players"][player]["values"].clone();
    assert!(values("late").is_object(), "{answer}");
    assert_eq!(values("late"), values("search"), "{answer}");
    assert_ne!(values("late"), values("built-in"), "{answer}");
}

#[test]
fn a_network_has_one_limit() {
    let folder = Folder::new();
    let two_limits = "network = \"theirs.network\"\ndepth = 2\nnodes = 30";
    folder.write("t.toml", SETTINGS.replace("network = \"theirs.network\"", two_limits));
    folder.run("check t.toml").assert_status(2).assert_says("conflicts with `depth`: set only one of them");
}

/// A network and features are combined by a weight, if the player sets one.
#[test]
fn a_network_counts_beside_features() {
    let folder = Folder::new();
    folder.write("theirs.w", FILE);
    folder.run("network import theirs.w --out theirs.network").assert_status(0);
    let player =
        |lines: &str| SETTINGS.replace("algorithm = \"n-tuple\"\nnetwork = \"theirs.network\"", lines);
    let combined = "algorithm = \"expectimax\"\ndepth = 1\nevaluation = \"none\"\ngains = true\nweights = { network = 1, empty = 20 }";
    folder.write("t.toml", player(&format!("{combined}\nnetwork = \"theirs.network\"")));
    folder.run("run t.toml").assert_status(0);
    assert!(folder.read("results/t/manifest.toml").contains("theirs.network"));
    folder.write("t.toml", player(&format!("{combined}\nnetwork = \"theirs.w\"")));
    folder.run("check t.toml").assert_status(2).assert_says("is not a 2048 network");
    let unweighted = combined.replace("network = 1, ", "");
    folder.write("t.toml", player(&format!("{unweighted}\nnetwork = \"theirs.network\"")));
    folder.run("check t.toml").assert_status(2).assert_says("has no effect without a `network` in `weights`");
    folder.write("t.toml", player("algorithm = \"swift-expectimax\"\nweights = { network = 1 }"));
    folder.run("check t.toml").assert_status(2).assert_says("which only `expectimax` accepts with features");
}

#[test]
fn mistakes_on_the_command_line_are_reported() {
    let folder = Folder::with_file("x.toml", "name = 'x'");
    for line in ["network show absent", "network import absent --out x", "network export absent --out x"] {
        folder.run(line).assert_status(2).assert_says("no such ").assert_says("absent");
    }
    assert!(!folder.path("x").exists());
    folder.run("network show x.toml").assert_status(1);
    folder
        .run("help network shwo")
        .assert_status(2)
        .assert_says("tip: a similar subcommand exists: 'show'\n");
    // Subcommands of a command have other names.
    let output = folder.run("network list").assert_status(2);
    assert!(!output.stderr.contains("players"), "{}", output.stderr);
    let output = folder.run("network export").assert_status(2).assert_says("gauntlet network export");
    output.assert_says("required arguments were not provided");
}

#[test]
fn the_help_is_what_it_was() {
    crate::docs::help::check_extra("network", ::network::COMMANDS);
}
