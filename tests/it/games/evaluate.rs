//! Evaluations from other packages for the search of `expectimax`.

use std::sync::LazyLock;

use gauntlet::arena::{Arena, GuestPlayers, ReplayRequest, ReplayStep, replay};
use gauntlet::game::Block;
use gauntlet::player::{Algorithm, BuildContext};
use gauntlet::record::Ending;
use gauntlet::settings::{SettingsTable, tree};
use gauntlet::twenty48::eval::{empty, islands};
use gauntlet::twenty48::players::expectimax::{Config, Evaluate};
use gauntlet::twenty48::rules::{Cells, Twenty48};
use serde::{Deserialize, Serialize};

/// The features `empty` and `islands`, weighted by another package.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WeightedFeatures {
    empty: f64,
    islands: f64,
}

impl Evaluate for WeightedFeatures {
    fn value(&self, board: Cells) -> f64 {
        self.empty * empty(board) + self.islands * islands(board)
    }
}

/// An evaluation that returns no numbers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wild {}

impl Evaluate for Wild {
    fn value(&self, board: Cells) -> f64 {
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300][board.count_empty() as usize % 4]
    }
}

const PLAYERS: &[GuestPlayers<Twenty48>] = &[GuestPlayers {
    package: gauntlet::package!(),
    algorithms: &[
        Algorithm::new::<Config<WeightedFeatures>>("weighed", "algorithm = 'weighed'"),
        Algorithm::new::<Config<Wild>>("wild", "algorithm = 'wild'"),
    ],
}];

static ARENA: LazyLock<Arena> = LazyLock::new(|| gauntlet::twenty48::arena_with_guests(PLAYERS));

/// Returns every step of the first moves of a game, with the value of each move.
fn steps(algorithm: &str, settings: &str) -> Vec<String> {
    let entry = ARENA.read_snippet(algorithm, settings);
    let mut steps = Vec::new();
    let mut record_step = |step: &ReplayStep| steps.push(format!("{step:?}"));
    let game = ReplayRequest { block: Block::from_seed(3), leg: 0, asks_values: true };
    let (record, _) =
        replay(&[&entry], Some(120), game, &BuildContext::default(), &mut record_step).expect("a game");
    assert!(matches!(record.ending, Ending::MaxMoves | Ending::GameOver), "{settings}: {record:?}");
    steps
}

#[track_caller]
fn assert_same(actual: &[String], expected: &[String], label: &str) {
    let other = actual.iter().zip(expected).find(|(line, expected)| line != expected);
    assert_eq!(other, None, "{label}");
    assert_eq!(actual.len(), expected.len(), "{label}");
}

#[test]
fn an_evaluation_outside_plays_as_the_same_one_inside() {
    let built_in_steps = |weights: &str, search: &str| {
        steps("expectimax", &format!("evaluation = 'none'\nweights = {{ {weights} }}\n{search}"))
    };
    let mut distinct_games = Vec::new();
    // With both weights, all searches have the same unit. With `empty` alone, the unit would be
    // coarser if points count.
    let both_weights = "empty = 3, islands = -1";
    for (weights, searches) in [
        (both_weights, ["depth = 1\nlost = -5", "depth = 2\ngains = true\ntable_mib = 0", "nodes = 400"]),
        (
            "empty = 3",
            [
                "depth = 2\nleast_probability = 0",
                "nodes = 400\nstar1 = false",
                "depth = 2\nfours = 0\nreuse = 'deeper'",
            ],
        ),
    ] {
        for search in searches {
            let expected = built_in_steps(weights, search);
            let guest_steps = |settings: String| steps("weighed", &format!("{settings}\n{search}"));
            assert_same(&guest_steps(format!("evaluation = {{ {weights} }}")), &expected, search);
            // A part of the sum is given as built-in features.
            let (own_weights, other_weights) = weights.split_once(", ").unwrap_or(("empty = 2", "empty = 1"));
            let split_steps =
                guest_steps(format!("evaluation = {{ {own_weights} }}\nweights = {{ {other_weights} }}"));
            assert_same(&split_steps, &expected, search);
            distinct_games.push(expected);
        }
    }
    distinct_games.sort();
    distinct_games.dedup();
    assert_eq!(distinct_games.len(), 6, "each plays something else");
}

#[test]
fn a_network_counts_beside_it() {
    let search = "depth = 1\ngains = true\nweights = { network = 1, islands = -10 }";
    let expected = steps("expectimax", &format!("evaluation = 'none'\n{search}"));
    assert_same(&steps("weighed", search), &expected, search);
    let split_settings = search.replace("islands = -10", "islands = -7");
    assert_same(
        &steps("weighed", &format!("{split_settings}\nevaluation = {{ islands = -3 }}")),
        &expected,
        &split_settings,
    );
    assert_ne!(steps("weighed", &split_settings), expected);
}

#[test]
fn values_that_are_no_numbers_lose_no_game() {
    assert!(steps("wild", "depth = 2").len() > 20);
}

#[test]
fn mistakes_are_told_at_their_keys() {
    let check = |text: &str, expected: &[&str]| {
        let settings = SettingsTable { table: tree::parse_table(text), header: 0..0 };
        let (rules, _) = ARENA.read_rules(&SettingsTable::default());
        let mistakes = ARENA.read_entry(&rules, "weighed", &settings).expect_err("is mistaken");
        let messages = mistakes.into_iter().map(|mistake| {
            let source = &text[mistake.span.unwrap_or_default()];
            format!("{source}|{}", mistake.message)
        });
        assert_eq!(messages.collect::<Vec<_>>(), expected, "{text}");
    };
    check("evaluation = { emty = 1 }\ndepth = 2", &["emty|unknown key"]);
    check(
        "evaluation = { empty = 'x' }\ndepth = 0",
        &["'x'|must be a number, not a string", "0|must be at least 1"],
    );
    check(
        "depth = 2\nstar1 = true",
        &["true|needs bounds of board values, which are unknown with an `evaluation` of another package"],
    );
    check("depth = 2\nweights = { empty = 0 }", &["{ empty = 0 }|must give weight to at least one feature"]);
}
