//! Networks as a user has them: exchanged with TDL2048+, and played by.

use serde_json::Value;

use crate::bench::Folder;

/// What TDL2048+ wrote after 400 games (`vectors/README.md`).
const FILE: &[u8] = include_bytes!("vectors/021-56.w");

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

/// One line of what `network show` tells.
fn told(folder: &Folder, file: &str, what: &str) -> String {
    let said = folder.run(&format!("network show {file}")).ends(0).out;
    let line = said.lines().find(|line| line.starts_with(what)).unwrap_or_else(|| panic!("{what}: {said}"));
    line.to_owned()
}

#[test]
fn files_of_tdl2048_are_exchanged() {
    let folder = Folder::new();
    folder.write("theirs.w", FILE);
    folder.write("t.toml", SETTINGS);
    folder.run("network import theirs.w --out theirs.network").ends(0).saying("wrote theirs.network (");
    assert_eq!(told(&folder, "theirs.network", "patterns"), "patterns      012 56 (012 56)");
    let digest = blake3::hash(FILE).to_hex().to_string();
    assert!(told(&folder, "theirs.network", "training").contains(&digest));
    assert!(!folder.run("network show theirs.network").ends(0).out.contains("learned from"));
    folder.run("run t.toml").ends(0);
    // A network of ours is the same when it comes back.
    folder.copy_from_repository("configs/train");
    folder.run("network export configs/train/quick.network --out quick.w").ends(0);
    folder.run("network import quick.w --out again.network").ends(0);
    for what in ["patterns", "weights", "digest"] {
        let ours = told(&folder, "configs/train/quick.network", what);
        assert_eq!(told(&folder, "again.network", what), ours);
    }
    // What is there stays, unless something else is said.
    let before = folder.files(".")["quick.w"].clone();
    let again = "network export theirs.network --out quick.w";
    folder.run(again).ends(2).saying("quick.w is there already: --replace replaces it");
    assert!(folder.files(".")["quick.w"] == before);
    folder.run(&format!("{again} --replace")).ends(0);
    assert_eq!(folder.files(".")["quick.w"].len(), FILE.len());
}

/// The file of a stranger tells what it likes, but no line in the place of another.
#[test]
fn a_network_tells_each_thing_on_one_line() {
    let folder = Folder::new();
    folder.copy_from_repository("configs/train");
    let told = |file: &str| folder.run(&format!("network show {file}"));
    let mut bytes = folder.files("configs/train")["quick.network"].clone();
    let command = b"gauntlet train";
    let at = bytes.windows(command.len()).position(|window| window == command).expect("a command");
    bytes[at..][..8].copy_from_slice(br"x\ndiges");
    folder.write("forged", &bytes);
    let shown = told("forged").ends(0).out;
    assert_eq!(shown.lines().count(), told("configs/train/quick.network").ends(0).out.lines().count());
    assert!(shown.contains(r"x\ndiges"), "{shown}");
    // A key that is none is told in a message, and that is one line as well.
    let seed = b"\"seed\":";
    let at = bytes.windows(seed.len()).rposition(|window| window == seed).expect("a seed");
    bytes[at..][..6].copy_from_slice(br#""s\nd""#);
    folder.write("forged", &bytes);
    let said = told("forged").ends(1).saying("unknown field");
    assert_eq!(said.err.trim_end().lines().count(), 1, "{}", said.err);
}

#[test]
fn files_that_are_no_networks_get_one_line() {
    let folder = Folder::new();
    let refused = |bytes: &[u8], line: &str, expected: &str| {
        folder.write("x", bytes);
        let said = folder.run(line).ends(1);
        assert!(said.err.contains(expected) && said.err.trim_end().lines().count() == 1, "{said:?}");
        assert!(!folder.path("y").exists(), "nothing is written");
    };
    let import = "network import x --out y";
    refused(&FILE[..FILE.len() - 9], import, "x is cut off");
    refused(b"player,score\n", import, "x is no network of TDL2048+");
    refused(b"", import, "x is cut off");
    let mut other = FILE.to_owned();
    other[10] = 7;
    refused(&other, import, "x has a table 0000021 of 4,096 weights, which is no pattern of cells");
    refused(FILE, "network export x --out y", "x is no network of 2048 that `gauntlet train` has written");
    refused(FILE, "network show x", "x is no network of 2048");
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
    let said = folder.run_with("probe --experiment t.toml", board).ends(0);
    let answer: Value = serde_json::from_str(&said.out).unwrap();
    let players = &answer["players"];
    assert_eq!((&players["at once"]["depth"], &players["at once"]["nodes"]), (&1.into(), &4.into()));
    let nodes = players["nodes"]["nodes"].as_u64().unwrap();
    assert!((1000..3100).contains(&nodes) && players["nodes"]["depth"].as_u64() > Some(2), "{answer}");
    // A table is there for a search only.
    assert!(
        players["nodes"]["known"].as_u64() > Some(0) && players["at once"].get("known").is_none(),
        "{answer}"
    );
    for player in ["at once", "nodes", "downgraded"] {
        let values = players[player]["values"].as_object().unwrap();
        let best = values.values().map(|value| value.as_f64().unwrap()).fold(f64::MIN, f64::max);
        assert_eq!(players[player]["value"].as_f64(), Some(best), "{answer}");
        // A step that is left in its middle has compared the directions that it came to.
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
    folder.run("check t.toml").ends(2).saying("either `depth` or `nodes`, not both");
}

/// Beside features it counts by a weight, for the player that says so.
#[test]
fn a_network_counts_beside_features() {
    let folder = Folder::new();
    folder.write("theirs.w", FILE);
    folder.run("network import theirs.w --out theirs.network").ends(0);
    let player =
        |lines: &str| SETTINGS.replace("algorithm = \"n-tuple\"\nnetwork = \"theirs.network\"", lines);
    let both = "algorithm = \"expectimax\"\ndepth = 1\nevaluation = \"none\"\ngains = true\nweights = { network = 1, empty = 20 }";
    folder.write("t.toml", player(&format!("{both}\nnetwork = \"theirs.network\"")));
    folder.run("run t.toml").ends(0);
    assert!(folder.read("results/t/manifest.toml").contains("theirs.network"));
    folder.write("t.toml", player(&format!("{both}\nnetwork = \"theirs.w\"")));
    folder.run("check t.toml").ends(2).saying("is no network of 2048");
    let without = both.replace("network = 1, ", "");
    folder.write("t.toml", player(&format!("{without}\nnetwork = \"theirs.network\"")));
    folder.run("check t.toml").ends(2).saying("has no effect without a `network` in `weights`");
    folder.write("t.toml", player("algorithm = \"swift-expectimax\"\nweights = { network = 1 }"));
    folder.run("check t.toml").ends(2).saying("which `expectimax` alone takes beside features");
}
