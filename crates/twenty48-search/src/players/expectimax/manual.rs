//! Manual: TOML examples of the settings.

/// Builds a manual of a player with the settings of `expectimax`. Arguments: a one-sentence comment
/// and the key `algorithm`; a comment and the key `evaluation`.
#[macro_export]
macro_rules! expectimax_example {
    ($head:literal, $evaluation:literal) => {
        concat!(
            $head,
            r#"depth = 2                      # own moves per path, 1 to 60
# instead of depth: distinct tiles minus `less`, but at least `least`
# adaptive = { least = 4, less = 1 }
# instead of depth: boards per move, by iterative deepening
# nodes = 10_000
# instead of depth: time limit of iterative deepening
# millis = 10
"#,
            $evaluation,
            r#"# features added to the evaluation (`gauntlet features` lists them);
# `network = 1` adds a network
# weights = { merges = 800 }
# file written by `gauntlet train`; default: the built-in network
# network = "my.network"
# value of a lost position, -1e9 to 1e9; default: as in `evaluation`
# lost = 0
# true if a lost position has the lowest value; default for "nneonneo"
# lost_is_least = true
gains = false                  # true to add the points of moves
# less probable boards are not searched; 0 searches all
least_probability = 0.0001
# boards worth less than this times r 2^r are not searched (r: largest rank)
# least_value = 2
# maximum number of 4s per path, 0 to 60; default: no limit
# fours = 3
# size of the transposition table in MiB: 0, or a power of two up to 1024
# (other numbers are rounded down)
table_mib = 8
# reuse of table values: "exact", or "deeper", which can change moves
reuse = "exact"
# pruning of boards that cannot be the best; default: if values have bounds
# star1 = true
# folder of endgame tables, which are asked before the search
# endgames = "endgames"
# order of tables, each with the least probability that counts
# endgame_order = ["macroxue-11 0.9", "block-10-512", "macroxue-10"]
"#
        )
    };
}

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = expectimax_example!(
    r#"# Expectimax of this project, with a choice of evaluations and a cutoff at improbable positions.
algorithm = "expectimax"
"#,
    r#"# "nneonneo", "macroxue", "ovolve", "snake", or "none" to use only `weights`
evaluation = "nneonneo"
"#
);

/// Examples of settings that [`EXAMPLE`] leaves out.
pub const MORE_EXAMPLES: &[&str] = &[
    r#"algorithm = "expectimax"
nodes = 300
reuse = "deeper"
table_mib = 1
weights = { empty = 700, islands = -100 }
"#,
    r#"algorithm = "expectimax"
nodes = 1_500
evaluation = "macroxue"
table_mib = 1
"#,
    r#"algorithm = "expectimax"
depth = 2
evaluation = "macroxue"
fours = 0
gains = true
table_mib = 1
"#,
    r#"algorithm = "expectimax"
adaptive = { least = 1, less = 5 }
evaluation = "ovolve"
least_probability = 0.01
table_mib = 1
"#,
    r#"algorithm = "expectimax"
depth = 1
evaluation = "snake"
table_mib = 0
"#,
    r#"algorithm = "expectimax"
depth = 1
evaluation = "none"
weights = { network = 1, empty = 50 }
gains = true
"#,
];
