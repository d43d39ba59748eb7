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
struct Weighed {
    empty: f64,
    islands: f64,
}

impl Evaluate for Weighed {
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
        Algorithm::new::<Config<Weighed>>("weighed", "algorithm = 'weighed'"),
        Algorithm::new::<Config<Wild>>("wild", "algorithm = 'wild'"),
    ],
}];

static ARENA: LazyLock<Arena> = LazyLock::new(|| gauntlet::twenty48::arena_with_guests(PLAYERS));

/// Returns every step of the first moves of a game, with the value of each move.
fn steps(algorithm: &str, settings: &str) -> Vec<String> {
    let entrant = ARENA.read_snippet(algorithm, settings);
    let mut steps = Vec::new();
    let mut show = |step: &ReplayStep| steps.push(format!("{step:?}"));
    let game = ReplayRequest { block: Block::from_seed(3), leg: 0, weighed: true };
    let (record, _) =
        replay(&[&entrant], Some(120), game, &BuildContext::default(), &mut show).expect("a game");
    assert!(matches!(record.ending, Ending::MaxMoves | Ending::GameOver), "{settings}: {record:?}");
    steps
}

#[track_caller]
fn assert_same(found: &[String], expected: &[String], what: &str) {
    let other = found.iter().zip(expected).find(|(found, expected)| found != expected);
    assert_eq!(other, None, "{what}");
    assert_eq!(found.len(), expected.len(), "{what}");
}

#[test]
fn an_evaluation_outside_plays_as_the_same_one_inside() {
    let inside = |weights: &str, search: &str| {
        steps("expectimax", &format!("evaluation = 'none'\nweights = {{ {weights} }}\n{search}"))
    };
    let mut known = Vec::new();
    // With both weights, all searches have the same unit. With `empty` alone, the unit would be
    // coarser if points count.
    let both = "empty = 3, islands = -1";
    for (weights, searches) in [
        (both, ["depth = 1\nlost = -5", "depth = 2\ngains = true\ntable_mib = 0", "nodes = 400"]),
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
            let expected = inside(weights, search);
            let outside = |settings: String| steps("weighed", &format!("{settings}\n{search}"));
            assert_same(&outside(format!("evaluation = {{ {weights} }}")), &expected, search);
            // A part of the sum is given as built-in features.
            let (own, others) = weights.split_once(", ").unwrap_or(("empty = 2", "empty = 1"));
            let split = outside(format!("evaluation = {{ {own} }}\nweights = {{ {others} }}"));
            assert_same(&split, &expected, search);
            known.push(expected);
        }
    }
    known.sort();
    known.dedup();
    assert_eq!(known.len(), 6, "each plays something else");
}

#[test]
fn a_network_counts_beside_it() {
    let search = "depth = 1\ngains = true\nweights = { network = 1, islands = -10 }";
    let expected = steps("expectimax", &format!("evaluation = 'none'\n{search}"));
    assert_same(&steps("weighed", search), &expected, search);
    let split = search.replace("islands = -10", "islands = -7");
    assert_same(&steps("weighed", &format!("{split}\nevaluation = {{ islands = -3 }}")), &expected, &split);
    assert_ne!(steps("weighed", &split), expected);
}

#[test]
fn values_that_are_no_numbers_lose_no_game() {
    assert!(steps("wild", "depth = 2").len() > 20);
}

#[test]
fn mistakes_are_told_at_their_keys() {
    let check = |text: &str, expected: &[&str]| {
        let written = SettingsTable { table: tree::parse_table(text), header: 0..0 };
        let (rules, _) = ARENA.read_rules(&SettingsTable::default());
        let mistakes = ARENA.read_entry(&rules, "weighed", &written).expect_err("is mistaken");
        let told = mistakes.into_iter().map(|mistake| {
            let at = &text[mistake.span.unwrap_or_default()];
            format!("{at}|{}", mistake.message)
        });
        assert_eq!(told.collect::<Vec<_>>(), expected, "{text}");
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
