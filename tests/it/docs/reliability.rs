//! `docs/RELIABILITY.md` names a test for each promise, and all these tests exist.

use std::path::Path;

use crate::source::{File, is_of_removed_extra, read_repository};

const PAGE: &str = "docs/RELIABILITY.md";
/// The only proof that is not a test.
const STORM: &str = "benches/storm/";

/// Returns the flaws of the document, which is one of these files.
fn broken_promises(files: &[File]) -> Vec<String> {
    let find = |path: &str| files.iter().find(|file| file.path == path);
    let page = find(PAGE).map_or("", |page| &page.text);
    let (_, section) = page.split_once("## Promises").unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let mut flaws = Vec::new();
    let lines: Vec<&str> = section.lines().collect();
    // Each table begins with its headings and a rule.
    let tables = lines.split(|line| !line.starts_with('|')).filter(|table| !table.is_empty());
    let rows: Vec<&str> = tables.flat_map(|table| table.iter().skip(2).copied()).collect();
    for &row in &rows {
        let proofs = row.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        let proofs: Vec<&str> = proofs.split('`').skip(1).step_by(2).collect();
        if proofs.is_empty() {
            flaws.push(format!("without a test: {row}"));
        }
        for proof in proofs {
            let is_there = match proof.split_once("::") {
                Some((path, test)) => {
                    is_of_removed_extra(path) || find(path).is_some_and(|file| has_test(&file.text, test))
                }
                // The storm ends with status 1 if it finds a difference, and `.ci/run` runs it.
                None => proof == STORM && files.iter().any(|file| file.path.starts_with(STORM)),
            };
            if !is_there {
                flaws.push(format!("there is no {proof}"));
            }
        }
    }
    if rows.is_empty() {
        flaws.push(format!("{PAGE} has no table"));
    }
    flaws
}

/// Returns true if a file has a test of this name that is not ignored.
fn has_test(text: &str, name: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let function = format!("fn {name}(");
    lines.iter().enumerate().filter(|(_, line)| line.starts_with(&function)).any(|(index, _)| {
        let attributes: Vec<_> =
            lines[..index].iter().rev().take_while(|line| line.starts_with("#[")).collect();
        attributes.contains(&&"#[test]") && !attributes.iter().any(|attribute| attribute.contains("ignore"))
    })
}

#[test]
fn every_promise_has_its_test() {
    let flaws = broken_promises(&read_repository());
    assert!(flaws.is_empty(), "\n{}\n", flaws.join("\n"));
    assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE).exists());
}
