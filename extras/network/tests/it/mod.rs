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
fn show(folder: &Folder, file: &str, what: &str) -> String {
    let said = folder.run(&format!("network show {file}")).assert_status(0).out;
    let line = said.lines().find(|line| line.starts_with(what)).unwrap_or_else(|| panic!("{what}: {said}"));
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
    assert!(!folder.run("network show theirs.network").assert_status(0).out.contains("learned from"));
    folder.run("run t.toml").assert_status(0);
    // A network is unchanged after export and import.
    folder.copy_from_repository("configs/train");
    folder.run("network export configs/train/quick.network --out quick.w").assert_status(0);
    folder.run("network import quick.w --out again.network").assert_status(0);
    for what in ["patterns", "weights", "digest"] {
        let ours = show(&folder, "configs/train/quick.network", what);
        assert_eq!(show(&folder, "again.network", what), ours);
    }
    // Existing files are only replaced on request.
    let before = folder.files(".")["quick.w"].clone();
    let again = "network export theirs.network --out quick.w";
    folder.run(again).assert_status(2).assert_says("quick.w already exists: use --replace to overwrite it");
    assert!(folder.files(".")["quick.w"] == before);
    folder.run(&format!("{again} --replace")).assert_status(0);
    assert_eq!(folder.files(".")["quick.w"].len(), FILE.len());
}

/// A file from elsewhere cannot imitate other lines of the output.
#[test]
fn a_network_tells_each_thing_on_one_line() {
    let folder = Folder::new();
    folder.copy_from_repository("configs/train");
    let told = |file: &str| folder.run(&format!("network show {file}"));
    let bytes = folder.files("configs/train")["quick.network"].clone();
    folder.write("forged", replace_bytes(&bytes, "gauntlet train configs", r"x\ndigest train configs"));
    let shown = told("forged").assert_status(0).out;
    assert_eq!(
        shown.lines().count(),
        told("configs/train/quick.network").assert_status(0).out.lines().count()
    );
    assert!(shown.contains("not a command of gauntlet"), "{shown}");
    folder.write("forged", replace_bytes(&bytes, "gauntlet train configs", "curl x | sh # configs"));
    told("forged").assert_status(0).assert_says("not a command of gauntlet");
    told("configs/train/quick.network")
        .assert_status(0)
        .assert_says("gauntlet train configs/train/quick.toml");
    // An unknown key is reported in a message of one line.
    folder.write("forged", replace_bytes(&bytes, r#""seed":1,"build""#, r#""s\nd":1,"build""#));
    let said = told("forged").assert_status(1).assert_says("unknown field");
    assert_eq!(said.err.trim_end().lines().count(), 1, "{}", said.err);
}

/// Returns a file with a changed header and a matching digest.
fn replace_bytes(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let head = bytes.split_inclusive(|&byte| byte == b'\n').take(2).collect::<Vec<_>>().concat();
    let other = String::from_utf8_lossy(&head).replace(from, to);
    assert_ne!(other.as_bytes(), head);
    [other.as_bytes(), &bytes[head.len()..bytes.len() - 32], blake3::hash(other.as_bytes()).as_bytes()]
        .concat()
}

/// Changes any byte of the header, a thousand other bytes, and the length.
#[test]
fn a_damaged_network_is_refused_in_one_line() {
    let folder = Folder::new();
    folder.copy_from_repository("configs/train");
    let whole = folder.files("configs/train")["quick.network"].clone();
    folder.write("t.toml", SETTINGS.replace("theirs.network", "x.network"));
    let refused = |bytes: &[u8], line: &str, what: &str| {
        folder.write("x.network", bytes);
        let said = folder.run(line);
        assert!(matches!(said.code, Some(1 | 2)), "{what}: {said:?}");
        assert!(said.err.contains("x.network") && !said.err.contains("panicked"), "{what}: {said:?}");
        // A mistake in an experiment is reported with its line and a help text.
        let lines = if line.starts_with("network") { 1 } else { 3 };
        assert_eq!(said.err.trim_end().lines().count(), lines, "{what}: {said:?}");
    };
    let head: usize = whole.split_inclusive(|&byte| byte == b'\n').take(2).map(<[u8]>::len).sum();
    let mut dice = Seed::root(43).rng();
    let mut other = || head + dice.below((whole.len() - head) as u64) as usize;
    let others: Vec<usize> = (0..1000).map(|_| other()).collect();
    for (number, at) in (0..head).chain(others).enumerate() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 + dice.below(255) as u8;
        let why = Network::read(&bytes).expect_err("a damaged network");
        assert!(!why.contains(char::is_control), "byte {at}: {why:?}");
        // Also with the program.
        if number % 32 == 0 {
            refused(&bytes, "network show x.network", &format!("byte {at}"));
            refused(&bytes, "check t.toml", &format!("byte {at}"));
        }
    }
    for line in ["network show x.network", "network export x.network --out y", "run t.toml"] {
        for length in
            [0, 1, 36, head - 1, head, head + 4, whole.len() - 33, whole.len() - 32, whole.len() - 1]
        {
            refused(&whole[..length], line, &format!("{length} bytes"));
        }
        refused(&[&whole[..], b"\0"].concat(), line, "a byte more");
        refused(&[&whole[..], &whole[..]].concat(), line, "twice");
    }
    assert!(!folder.path("y").exists() && !folder.path("results").exists());
}

/// The patterns in a file decide how it plays: changed ones of equal size are detected.
#[test]
fn a_network_with_other_patterns_is_refused() {
    let folder = Folder::new();
    folder.copy_from_repository("configs/train");
    let whole = folder.files("configs/train")["quick.network"].clone();
    for (from, to) in
        [("\"5x4\"", "\"0123 4567 0145 1256 569b\""), ("\"symmetric\":true", "\"symmetric\":false")]
    {
        let text = String::from_utf8_lossy(&whole[..1000]);
        let at = text.find(from).expect("a setting");
        let bytes = [&whole[..at], to.as_bytes(), &whole[at + from.len()..]].concat();
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
    let ours = folder.files("configs/train")["quick.network"].clone();
    for start in [b"".as_slice(), FILE, &ours, b"player,score\n"] {
        folder.write("x", start);
        for length in [1_u64 << 40, 8 << 30] {
            fs::File::options().append(true).open(folder.path("x")).unwrap().set_len(length).unwrap();
            for action in ["show x", "import x --out y", "export x --out y"] {
                let line = format!("ulimit -d {}; exec timeout 60 gauntlet network {action}", 6 << 10);
                let said = folder.shell(&line).assert_status(1);
                assert_eq!(said.err.trim_end().lines().count(), 1, "{action}: {said:?}");
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
        let head = [&[4_u8][..], &name.to_le_bytes(), &digits.to_le_bytes(), &[0, 0, 4, 0]].concat();
        let weights = 1_u64 << (4 * digits);
        let weights = [&weights.to_le_bytes()[..], &vec![0x41; 4 * weights as usize], &[0, 0]].concat();
        [head, weights].concat()
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
    let refused = |bytes: &[u8], line: &str, expected: &str| {
        folder.write("x", bytes);
        let said = folder.run(line).assert_status(1);
        assert!(said.err.contains(expected) && said.err.trim_end().lines().count() == 1, "{said:?}");
        assert!(!folder.path("y").exists(), "nothing is written");
    };
    let import = "network import x --out y";
    refused(&FILE[..FILE.len() - 9], import, "x is truncated");
    refused(b"player,score\n", import, "x is no network of TDL2048+");
    refused(b"", import, "x is truncated");
    let mut other = FILE.to_owned();
    other[10] = 7;
    refused(&other, import, "x has a table 0000021 of 4,096 weights, which is not a pattern of cells");
    refused(FILE, "network export x --out y", "x is not a 2048 network written by `gauntlet train`");
    refused(FILE, "network show x", "x is not a 2048 network");
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
    let head = SETTINGS.split("[[player]]").next().unwrap();
    folder.write("t.toml", format!("{head}{players}"));
    let board = r#"{"board": [4096,512,64,8, 4,16,8,2, 0,0,2,0, 2,0,0,0]}"#;
    let said = folder.run_with("probe --experiment t.toml", board).assert_status(0);
    let answer: Value = serde_json::from_str(&said.out).unwrap();
    let players = &answer["players"];
    assert_eq!((&players["at once"]["depth"], &players["at once"]["nodes"]), (&1.into(), &4.into()));
    let nodes = players["nodes"]["nodes"].as_u64().unwrap();
    assert!((1000..3100).contains(&nodes) && players["nodes"]["depth"].as_u64() > Some(2), "{answer}");
    // Only a search has a table.
    assert!(
        players["nodes"]["known"].as_u64() > Some(0) && players["at once"].get("known").is_none(),
        "{answer}"
    );
    for player in ["at once", "nodes", "downgraded"] {
        let values = players[player]["values"].as_object().unwrap();
        let best = values.values().map(|value| value.as_f64().unwrap()).fold(f64::MIN, f64::max);
        assert_eq!(players[player]["value"].as_f64(), Some(best), "{answer}");
        // A step that is left unfinished has compared the directions that it reached.
        let compared = if player == "nodes" { 2..=4 } else { 4..=4 };
        assert!(compared.contains(&values.len()), "{answer}");
    }
    assert_ne!(players["at once"]["value"], players["downgraded"]["value"]);
}

#[test]
fn a_network_has_one_limit() {
    let folder = Folder::new();
    let both = "network = \"theirs.network\"\ndepth = 2\nnodes = 30";
    folder.write("t.toml", SETTINGS.replace("network = \"theirs.network\"", both));
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
    let both = "algorithm = \"expectimax\"\ndepth = 1\nevaluation = \"none\"\ngains = true\nweights = { network = 1, empty = 20 }";
    folder.write("t.toml", player(&format!("{both}\nnetwork = \"theirs.network\"")));
    folder.run("run t.toml").assert_status(0);
    assert!(folder.read("results/t/manifest.toml").contains("theirs.network"));
    folder.write("t.toml", player(&format!("{both}\nnetwork = \"theirs.w\"")));
    folder.run("check t.toml").assert_status(2).assert_says("is not a 2048 network");
    let without = both.replace("network = 1, ", "");
    folder.write("t.toml", player(&format!("{without}\nnetwork = \"theirs.network\"")));
    folder.run("check t.toml").assert_status(2).assert_says("has no effect without a `network` in `weights`");
    folder.write("t.toml", player("algorithm = \"swift-expectimax\"\nweights = { network = 1 }"));
    folder.run("check t.toml").assert_status(2).assert_says("which only `expectimax` accepts with features");
}

#[test]
fn mistakes_on_the_command_line_are_told() {
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
    let said = folder.run("network list").assert_status(2);
    assert!(!said.err.contains("players"), "{}", said.err);
    let said = folder.run("network export").assert_status(2).assert_says("gauntlet network export");
    said.assert_says("required arguments were not provided");
}

#[test]
fn the_help_is_what_it_was() {
    crate::docs::help::check_extra("network", ::network::COMMANDS);
}
