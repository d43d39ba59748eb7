//! Links in the documents have existing targets.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the targets of a text's links, without URLs.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    ends.filter(|link| !link.contains("://"))
}

/// Returns the files of a text's links, without the part after `#`.
fn links(text: &str) -> Vec<&str> {
    let files = targets(text).filter_map(|link| link.split('#').next());
    files.filter(|link| !link.is_empty()).collect()
}

fn documents() -> Vec<PathBuf> {
    let folders = ["", "docs", "configs", "results"].into_iter();
    let entries = folders.flat_map(|folder| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path())
    });
    entries.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect()
}

/// Returns the dead links of these files.
fn dead(files: &[PathBuf]) -> Vec<String> {
    let mut dead = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).expect("text");
        for link in links(&text) {
            if !file.with_file_name(link).exists() {
                dead.push(format!("{}: {link}", file.file_name().expect("a name").to_string_lossy()));
            }
        }
    }
    dead
}

#[test]
fn links_of_documents_lead_somewhere() {
    let documents = documents();
    assert!(documents.len() > 5, "{documents:?}");
    let found: usize =
        documents.iter().map(|file| links(&fs::read_to_string(file).expect("text")).len()).sum();
    assert!(found > 30, "{found} links");
    assert_eq!(dead(&documents), [""; 0]);
}

/// Returns the anchor of a heading: in small letters, with hyphens for spaces, and without
/// characters that are neither letters nor digits.
fn anchor(heading: &str) -> String {
    let letters = heading.trim().to_lowercase();
    letters.replace(' ', "-").chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
}

#[test]
fn links_into_documents_lead_to_headings() {
    let (mut found, mut dead) = (0, Vec::new());
    for file in documents() {
        let text = fs::read_to_string(&file).expect("text");
        for link in targets(&text) {
            let Some((target, name)) = link.split_once('#') else { continue };
            let target = if target.is_empty() { file.clone() } else { file.with_file_name(target) };
            let headings = fs::read_to_string(&target).expect("a document");
            let mut headings = headings.lines().filter(|line| line.starts_with('#'));
            found += 1;
            if !headings.any(|line| anchor(line.trim_start_matches('#')) == name) {
                dead.push(format!("{}: {link}", file.file_name().expect("a name").to_string_lossy()));
            }
        }
    }
    assert!(found > 30, "{found} links");
    assert_eq!(dead, [""; 0]);
}
