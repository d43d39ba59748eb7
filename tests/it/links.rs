//! Links in the documents and in committed pages have existing targets.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the targets of a text's links, without URLs.
fn targets<'a>(text: &'a str, opening: &str, closing: char) -> impl Iterator<Item = &'a str> {
    let ends = text.split(opening).skip(1).filter_map(move |rest| rest.split(closing).next());
    ends.filter(|link| !link.contains("://") && !link.starts_with("data:"))
}

/// Returns the files of a text's links, without the part after `#`.
fn links<'a>(text: &'a str, opening: &str, closing: char) -> Vec<&'a str> {
    let files = targets(text, opening, closing).filter_map(|link| link.split('#').next());
    files.filter(|link| !link.is_empty()).collect()
}

fn files_in(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.to_string_lossy().ends_with(ending)).collect()
}

/// Returns the dead links of these files.
fn dead(files: &[PathBuf], opening: &str, closing: char) -> Vec<String> {
    let mut dead = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).expect("text");
        for link in links(&text, opening, closing) {
            // In HTML a slash is an entity.
            let link = link.replace("&#x2f;", "/");
            if !file.with_file_name(&link).exists() {
                dead.push(format!("{}: {link}", file.file_name().expect("a name").to_string_lossy()));
            }
        }
    }
    dead
}

#[test]
fn links_of_documents_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let documents = [files_in(root, ".md"), files_in(&root.join("docs"), ".md")].concat();
    assert!(documents.len() > 5, "{documents:?}");
    let found: usize =
        documents.iter().map(|file| links(&fs::read_to_string(file).expect("text"), "](", ')').len()).sum();
    assert!(found > 30, "{found} links");
    assert_eq!(dead(&documents, "](", ')'), [""; 0]);
}

/// Returns the anchor of a heading: in small letters, with hyphens for spaces, and without
/// characters that are neither letters nor digits.
fn anchor(heading: &str) -> String {
    let letters = heading.trim().to_lowercase();
    letters.replace(' ', "-").chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
}

#[test]
fn links_into_documents_lead_to_headings() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut found, mut dead) = (0, Vec::new());
    for file in [files_in(root, ".md"), files_in(&root.join("docs"), ".md")].concat() {
        let text = fs::read_to_string(&file).expect("text");
        for link in targets(&text, "](", ')') {
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

#[test]
fn links_of_kept_pages_lead_somewhere() {
    let pages = files_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reproductions"), ".html");
    assert!(pages.len() > 10, "an index and a page for each claim: {pages:?}");
    assert_eq!(dead(&pages, " href=\"", '"'), [""; 0]);
}
