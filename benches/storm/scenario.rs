//! Experiments of the storm of kills.

/// Experiment in two sizes: first the smaller, then the larger in a folder that has the smaller's
/// tables.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) games: [u64; 2],
    /// Rest of the experiment.
    text: &'static str,
    /// Claims that are added after all games, for `gauntlet judge`.
    added_claims: &'static str,
}

/// Players that need less than a microsecond per move.
const QUICK: &str = r#"
win = 256
[[player]]
name = "any"
algorithm = "random"
[[player]]
name = "gain"
algorithm = "greedy"
[[player]]
name = "last"
algorithm = "greedy"
ties = "last"
"#;

/// Players that search.
const SEARCHES: &str = r#"
max_moves = 60
[[player]]
name = "ovolve"
algorithm = "ovolve"
depth = 2
[[player]]
name = "ronzil"
algorithm = "ronzil"
runs = 3
[[player]]
name = "datumbox"
algorithm = "datumbox"
depth = 2
[[player]]
name = "corner"
algorithm = "fixed-order"
order = ["down", "left", "right", "up"]
"#;

/// Claim for runs with a stopping rule.
const RATE_CLAIM: &str = "[[claim]]\nbetter = \"last\"\nthan = \"any\"\nby = \"reach 128\"\n";

const CLAIMS: &str = r#"
[[claim]]
better = "gain"
than = "any"
level = 0.99
[[claim]]
better = "gain"
than = "last"
by = "score"
"#;

pub(crate) const SCENARIOS: [Scenario; 5] = [
    Scenario { name: "plain", games: [1000, 5000], text: "", added_claims: CLAIMS },
    Scenario { name: "claims", games: [300, 1200], text: CLAIMS, added_claims: RATE_CLAIM },
    Scenario {
        name: "sprt",
        games: [100, 1000],
        text: "[stop]\nbetter = \"gain\"\nthan = \"last\"\nby = \"score\"\ndifference = [-0.1, 0.1]\n",
        added_claims: RATE_CLAIM,
    },
    Scenario {
        name: "confidence",
        games: [20, 1000],
        text: "[stop]\nbetter = \"gain\"\nthan = \"any\"\nmethod = \"confidence\"\nlevel = 0.999\n",
        added_claims: RATE_CLAIM,
    },
    Scenario {
        name: "searches",
        games: [8, 40],
        text: "",
        added_claims: "[[claim]]\nbetter = \"ovolve\"\nthan = \"corner\"\nby = \"score\"\n",
    },
];

impl Scenario {
    /// Returns the experiment in its smaller size (0), in its larger size (1), or larger with added
    /// claims (2).
    pub(crate) fn experiment(&self, version: usize) -> String {
        let players = if self.name == "searches" { SEARCHES } else { QUICK };
        let added_claims = if version == 2 { self.added_claims } else { "" };
        let games = self.games[version.min(1)];
        let header = format!("name = {:?}\ngame = \"2048\"\nseed = 11\ngames = {games}", self.name);
        // Top-level keys must precede the first table.
        header + players + self.text + added_claims
    }

    pub(crate) fn results(&self) -> String {
        format!("results/{}", self.name)
    }
}
