//! Signatures of this build's play, and their part in the keys of players.

use gauntlet::config;
use gauntlet::run::keyed_plan::{AlgorithmSignatures, KeyedPlan};
use gauntlet::{GAMES, catalog};

use crate::bench::Folder;
use crate::golden;

/// A commit that changes the number changes play and must say so.
#[test]
fn play_is_what_it_was() {
    golden::assert_golden("signature.txt", &format!("{}\n", gauntlet::arena::signature(&GAMES)));
}

/// The games of a signature are too short for `late` to play. So the key also has the signature of
/// the algorithm of `late`.
#[test]
fn a_key_covers_the_algorithm_of_another_search() {
    let folder = Folder::new();
    folder.write(
        "x.toml",
        r#"
name = "x"
game = "2048"
seed = 1
games = 1

[[player]]
name = "early"
algorithm = "n-tuple"

[[player]]
name = "late"
algorithm = "n-tuple"
late_from = 16384
late = { depth = 1 }
"#,
    );
    let experiment = config::load(catalog(&GAMES), &folder.path("x.toml")).expect("an experiment");
    let keys = |expectimax: &str| {
        let signatures = AlgorithmSignatures::from([("expectimax".to_owned(), Some(expectimax.to_owned()))]);
        let keyed_plan = KeyedPlan::with_signatures(&signatures, experiment.plan(), &[]).expect("keys");
        [0, 1].map(|lineup| keyed_plan.key(lineup).to_owned())
    };
    let ([early, late], [same, other]) = (keys("as it was"), keys("changed"));
    assert_eq!(early, same);
    assert_ne!(late, other);
}
