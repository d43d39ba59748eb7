//! Links in the documents have existing targets.

use std::fs;
use std::path::{Path, PathBuf};

use crate::source::is_of_removed_extra;

/// Returns the targets of a text's links, without URLs.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    links.filter(|link| !link.contains("://"))
}

/// Returns the names of the extras.
fn extras() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("extras");
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders.map(|folder| folder.file_name().into_string().expect("a name")).collect()
}

fn documents() -> Vec<PathBuf> {
    let folders = ["", "docs", "configs", "results", "extras"].map(str::to_owned).into_iter();
    let folders = folders.chain(extras().into_iter().map(|name| format!("extras/{name}")));
    let entries = folders.flat_map(|folder| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path())
    });
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// Returns the anchor of a heading: in small letters, with hyphens for spaces, and without
/// characters that are neither letters nor digits.
fn anchor(heading: &str) -> String {
    let lowercase = heading.trim().to_lowercase();
    lowercase.replace(' ', "-").chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
}

/// Links lead to files, and links with an anchor to headings.
#[test]
fn links_of_documents_lead_somewhere() {
    let (mut files, mut headings, mut dead_links) = (0, 0, Vec::new());
    for file in documents() {
        let text = fs::read_to_string(&file).expect("text");
        for link in targets(&text).filter(|link| !is_of_removed_extra(link)) {
            let (target, name) = link.split_once('#').unwrap_or((link, ""));
            let target = if target.is_empty() { file.clone() } else { file.with_file_name(target) };
            let is_found = if name.is_empty() {
                files += 1;
                target.exists()
            } else {
                headings += 1;
                let text = fs::read_to_string(&target).unwrap_or_default();
                let mut lines = text.lines().filter(|line| line.starts_with('#'));
                lines.any(|line| anchor(line.trim_start_matches('#')) == name)
            };
            if !is_found {
                dead_links.push(format!("{}: {link}", file.display()));
            }
        }
    }
    assert!(files > 30 && headings > 30, "{files} links to files, {headings} to headings");
    assert_eq!(dead_links, [""; 0]);
}
