//! GLOSSARY explains every term of the first outputs that a user sees.

use std::collections::BTreeSet;

use crate::bench::Folder;

const GLOSSARY: &str = include_str!("../../../docs/GLOSSARY.md");

/// Words of the output that need no explanation, and names of its players.
const EVERYDAY_WORDS: &str =
    "a all and by columns compare comparisons count difference e each expectimax fewer for greedy
    greedy-vs-random half has highest in include is its largest logarithms machine max method more
    most ms need no not ns of often on one only or others over played quick ran random ratio reached
    rules s significant test than that the ties use vs warning which won µs";

/// Returns the terms of the glossary in small letters: the first cell of each row.
fn terms(glossary: &str) -> Vec<String> {
    let rows = glossary.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split('`').next()).map(str::to_lowercase).collect()
}

/// Returns the words of an output, outside of commands, that neither list has.
fn unexplained_words(output: &str, terms: &[String], everyday_words: &str) -> BTreeSet<String> {
    let term_words = terms.iter().flat_map(|term| term.split_whitespace());
    let known: BTreeSet<&str> = term_words.chain(everyday_words.split_whitespace()).collect();
    let lines = output.lines().map(|line| line.split("gauntlet ").next().unwrap_or_default());
    let words = lines.flat_map(|line| line.split(|c: char| !c.is_alphabetic() && c != '-'));
    let words = words.map(|word| word.trim_matches('-').to_lowercase()).filter(|word| !word.is_empty());
    words
        .filter(|word| !known.contains(word.as_str()) && !known.contains(word.trim_end_matches('s')))
        .collect()
}

#[test]
fn the_glossary_has_every_term_of_the_first_outputs() {
    let folder = Folder::new();
    for command in ["run quick", "versus greedy random --games 20", "compare results/quick --explain"] {
        let output = folder.run(command).assert_status(0);
        let missing = unexplained_words(&output.stdout, &terms(GLOSSARY), EVERYDAY_WORDS);
        assert!(missing.is_empty(), "{command}: neither in docs/GLOSSARY.md nor everyday words: {missing:?}");
    }
}

#[test]
fn an_unknown_term_is_found() {
    let found = unexplained_words("2 wins, kurtosis 0.5: gauntlet rank", &["win".to_owned()], "");
    assert_eq!(found, BTreeSet::from(["kurtosis".to_owned()]));
}

#[test]
fn the_glossary_is_sorted() {
    let terms = terms(GLOSSARY);
    assert!(terms.len() > 40 && terms.is_sorted(), "{terms:?}");
}
