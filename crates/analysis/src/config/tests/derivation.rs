//! Experiments derived from others.

use super::*;
use crate::config::derivation::{DerivationOptions, check_derived, derive};

const PLAYERS: &str = "seed = 1\ngames = 10\n[[player]]\nname = 'any'\nalgorithm = 'random'\n";

/// Players are written with all their settings, so settings must be read back unchanged.
#[test]
fn every_player_can_be_written_out() {
    for arena in GAMES.iter() {
        for manual in arena.manual() {
            for example in std::iter::once(&manual.example).chain(manual.more_examples) {
                let entry = arena.read_snippet(manual.name, example);
                let top_keys = HEAD.replace("2048", arena.name);
                let original = parse_valid(&format!(
                    "{top_keys}seeds = [1]\n[[player]]\nname = 'x'\nalgorithm = 'random'"
                ));
                let options = DerivationOptions { suffix: "-made", seed: 1, games: 2 };
                let table = derive(&original, options, [("{x}", &entry)]).expect("is sound");
                let derived = check_derived(&original, &table, "for a test").expect("is sound");
                assert!(derived.players()[0].entry.settings == entry.settings, "{}", derived.text());
                assert_eq!(derived.players()[0].name, "{x}");
                let reparsed = parse_valid(derived.text());
                assert!(
                    reparsed.table() == derived.table() && reparsed.is_equivalent(&derived),
                    "{}",
                    derived.text()
                );
            }
        }
    }
}

/// Names that are too long with a suffix are cut, and stay different if their beginnings are equal.
#[test]
fn names_that_are_cut_stay_apart() {
    let derived_name = |name: &str, suffix| {
        let text = format!("name = '{name}'\ngame = '2048'\n{PLAYERS}");
        let table = derive(&parse_valid(&text), DerivationOptions { suffix, seed: 1, games: 2 }, [])
            .expect("is sound");
        table["name"].get_ref().as_text().expect("a name").to_owned()
    };
    // Names up to 100 bytes are not cut.
    let longest_name = "n".repeat(94);
    assert_eq!(derived_name(&longest_name, "-tuned"), format!("{longest_name}-tuned"));
    for letter in ["n", "é"] {
        let common_part = letter.repeat(96 / letter.len());
        let names: Vec<String> = ["one", "two", "one"]
            .map(|end| derived_name(&format!("{common_part}{end}"), "-validation-12"))
            .into();
        assert_ne!(names[0], names[1]);
        assert_eq!(names[0], names[2]);
        for name in names {
            assert!((99..=100).contains(&name.len()) && name.ends_with("-validation-12"), "{name}");
        }
    }
}

/// A mistake in a derived experiment is reported under its name, without a line of its text, which
/// is in no file.
#[test]
fn what_is_made_is_refused_without_a_place() {
    let original = parse_valid(&format!("{HEAD}{PLAYERS}"));
    let entry = &original.players()[0].entry;
    let options = DerivationOptions { suffix: "-made", seed: 1, games: 2 };
    let table = derive(&original, options, [("twice", entry), ("twice", entry)]).expect("is written");
    let error = check_derived(&original, &table, "for a test").expect_err("is refused").to_string();
    assert!(error.starts_with("x-made: duplicate name: \"twice\" is at line "), "{error}");
}
