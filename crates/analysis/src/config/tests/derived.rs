//! Experiments derived from others.

use super::*;
use crate::config::derived::{DerivationOptions, check_derived, derive};

const PLAYERS: &str = "seed = 1\ngames = 10\n[[player]]\nname = 'any'\nalgorithm = 'random'\n";

/// Players are written with all their settings, so settings must be read back unchanged.
#[test]
fn every_player_can_be_written_out() {
    for arena in GAMES.iter() {
        for manual in arena.manual() {
            for example in std::iter::once(&manual.example).chain(manual.more_examples) {
                let entrant = arena.read_snippet(manual.name, example);
                let head = HEAD.replace("2048", arena.name);
                let any =
                    parse_valid(&format!("{head}seeds = [1]\n[[player]]\nname = 'x'\nalgorithm = 'random'"));
                let head = DerivationOptions { ending: "-made", seed: 1, games: 2 };
                let written = derive(&any, head, [("{x}", &entrant)]).expect("is sound");
                let made = check_derived(&any, &written, "for a test").expect("is sound");
                assert!(made.entries()[0].entrant.settings == entrant.settings, "{}", made.text());
                assert_eq!(made.entries()[0].name, "{x}");
                let read = parse_valid(made.text());
                assert!(read.table() == made.table() && read.is_equivalent(&made), "{}", made.text());
            }
        }
    }
}

/// Names that are too long with a suffix are cut, and stay different if their beginnings are equal.
#[test]
fn names_that_are_cut_stay_apart() {
    let named = |name: &str, ending| {
        let text = format!("name = '{name}'\ngame = '2048'\n{PLAYERS}");
        let table = derive(&parse_valid(&text), DerivationOptions { ending, seed: 1, games: 2 }, [])
            .expect("is sound");
        table["name"].get_ref().as_text().expect("a name").to_owned()
    };
    // Names up to 100 bytes are not cut.
    let fits = "n".repeat(94);
    assert_eq!(named(&fits, "-tuned"), format!("{fits}-tuned"));
    for letter in ["n", "é"] {
        let common = letter.repeat(96 / letter.len());
        let cut: Vec<String> =
            ["one", "two", "one"].map(|end| named(&format!("{common}{end}"), "-validation-12")).into();
        assert_ne!(cut[0], cut[1]);
        assert_eq!(cut[0], cut[2]);
        for name in cut {
            assert!((99..=100).contains(&name.len()) && name.ends_with("-validation-12"), "{name}");
        }
    }
}

/// A mistake in a derived experiment is reported under its name, without a line of its text, which is
/// in no file.
#[test]
fn what_is_made_is_refused_without_a_place() {
    let any = parse_valid(&format!("{HEAD}{PLAYERS}"));
    let entrant = &any.entries()[0].entrant;
    let head = DerivationOptions { ending: "-made", seed: 1, games: 2 };
    let written = derive(&any, head, [("twice", entrant), ("twice", entrant)]).expect("is written");
    let refused = check_derived(&any, &written, "for a test").expect_err("is refused").to_string();
    assert!(refused.starts_with("x-made: duplicate name: \"twice\" is at line "), "{refused}");
}
