//! Text files of the repository, and the code in them.
//!
//! Code is read line by line, which is possible because rustfmt formats it. An item ends at the
//! first line that has its indentation and ends in `}`, `;` or `,`.

use std::path::Path;
use std::{fs, iter};

/// A file of the repository: its path from the root, with slashes, and its text.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    /// Returns the folder of its package, and its path in there: `crates/run` and `src/lib.rs`; the
    /// folder of the root package is empty.
    pub(crate) fn package_and_path(&self) -> (&str, &str) {
        let index = self.path.find("src/").expect("a source file");
        (self.path[..index].trim_end_matches('/'), &self.path[index..])
    }

    /// Returns the name of the folder of its package.
    pub(crate) fn package(&self) -> &str {
        self.package_and_path().0.rsplit('/').next().expect("a name")
    }

    /// Returns true if all of it is compiled for tests only.
    pub(crate) fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.contains("/tests/")
    }

    /// Returns its lines with their numbers, without items that are compiled for tests only.
    pub(crate) fn product_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut lines = (1..).zip(self.text.lines());
        let is_test = self.is_test();
        iter::from_fn(move || {
            let (mut number, mut line) = lines.next()?;
            while line.trim_start() == "#[cfg(test)]" {
                let margin = &line[..line.len() - line.trim_start().len()];
                let is_end = |line: &str| line.ends_with(['}', ';', ',']);
                let first_line = lines.find(|(_, line)| !line.trim_start().starts_with("#["))?.1;
                if !is_end(first_line) {
                    let closes = |line: &str| {
                        line.strip_prefix(margin).is_some_and(|item| item.starts_with([')', ']', '}']))
                    };
                    lines.find(|(_, line)| closes(line) && is_end(line));
                }
                (number, line) = lines.next()?;
            }
            Some((number, line))
        })
        .filter(move |_| !is_test)
    }

    /// Returns its code: [`File::product_lines`] without comments.
    pub(crate) fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.product_lines().filter(|(_, line)| !line.trim_start().starts_with("//"));
        lines.map(|(number, line)| (number, line.split(" // ").next().expect("a line")))
    }
}

/// Returns true if a path or a link leads into the folder of an extra that was removed.
pub(crate) fn is_of_removed_extra(path: &str) -> bool {
    let extra = path.split_once("extras/").and_then(|(_, rest)| rest.split('/').next());
    extra.is_some_and(|extra| !Path::new(env!("CARGO_MANIFEST_DIR")).join("extras").join(extra).exists())
}

/// Reads every text file of the folders that contain code and documents.
pub(crate) fn read_repository() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = ["src", "crates", "extras", "tests", "benches", "docs"].map(str::to_owned).to_vec();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).into_iter().flatten() {
            let entry = entry.expect("an entry");
            let path = format!("{folder}/{}", entry.file_name().to_str().expect("names in UTF-8"));
            if entry.file_type().expect("a type").is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(entry.path()) {
                files.push(File { path, text });
            }
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

/// Reads the source files of all packages.
pub(crate) fn read_sources() -> Vec<File> {
    let is_source =
        |path: &str| (path.starts_with("src/") || path.contains("/src/")) && path.ends_with(".rs");
    let sources: Vec<File> = read_repository().into_iter().filter(|file| is_source(&file.path)).collect();
    assert!(sources.iter().any(|file| file.path == "src/lib.rs"), "the sources were not found");
    sources
}

/// A path of modules in a file.
#[derive(Debug)]
pub(crate) struct Import {
    /// The line where its statement begins.
    pub(crate) line: usize,
    /// Its parts: `[super, claim, Claim]`.
    pub(crate) parts: Vec<String>,
    /// The name that a `use` gives it.
    pub(crate) name: Option<String>,
}

/// Returns the paths in the code of a file: all members of each `use`, and other paths of at least
/// two parts. String literals count as code.
pub(crate) fn find_imports(file: &File) -> Vec<Import> {
    let mut imports = Vec::new();
    let mut module_ends: Vec<String> = Vec::new();
    let mut lines = file.code_lines();
    while let Some((line, text)) = lines.next() {
        // The module of a visibility is not imported.
        let text = &*text.replace("pub(in crate::", "pub(in ");
        let (margin, item) = text.split_at(text.len() - text.trim_start().len());
        if module_ends.last().is_some_and(|end| *end == text) {
            module_ends.pop();
            continue;
        }
        let is_visibility = item.starts_with("pub(");
        let item = item.split_once(") ").filter(|_| is_visibility).map_or(item, |(_, item)| item);
        let item = item.strip_prefix("pub ").unwrap_or(item);
        if item.starts_with("mod ") && item.ends_with('{') {
            module_ends.push(format!("{margin}}}"));
        }
        let mut paths = Vec::new();
        if let Some(tree) = item.strip_prefix("use ") {
            let mut tree = tree.to_owned();
            while !tree.ends_with(';') {
                tree += lines.next().expect("the end of a `use`").1;
            }
            expand_use("", tree.trim_end_matches(';'), &mut paths);
        } else {
            let words = item.split(|c: char| !(c.is_alphanumeric() || "_:.".contains(c)));
            // Calls of methods are not paths, and neither is anything after a type in `<…>`.
            let words = words.filter_map(|word| word.rsplit("..").next());
            let words =
                words.filter(|word| word.contains("::") && !word.contains('.') && !word.starts_with(':'));
            paths.extend(words.map(|word| (word.trim_end_matches(':').to_owned(), None)));
        }
        for (path, name) in paths {
            let mut parts: Vec<String> = path.split("::").map(str::to_owned).collect();
            // In a module within the file, `super` may be the file itself.
            for _ in &module_ends {
                match &*parts[0] {
                    "super" if parts.get(1).is_some_and(|next| next == "super") => _ = parts.remove(0),
                    "super" => parts[0] = "self".to_owned(),
                    _ => {}
                }
            }
            imports.push(Import { line, parts, name: name.filter(|_| module_ends.is_empty()) });
        }
    }
    imports
}

/// Adds the members of a `use`, each with its name.
fn expand_use(prefix: &str, tree: &str, paths: &mut Vec<(String, Option<String>)>) {
    let tree = tree.trim();
    if let Some((before, members)) = tree.split_once('{') {
        let members = members.strip_suffix('}').expect("a group ends its `use`");
        let prefix = format!("{prefix}{before}");
        let mut depth = 0;
        let is_comma = |c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        };
        members
            .split(is_comma)
            .filter(|member| !member.trim().is_empty())
            .for_each(|member| expand_use(&prefix, member, paths));
        return;
    }
    let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
    let path = format!("{prefix}{path}");
    let path = path.strip_suffix("::self").or(path.strip_suffix("::*")).unwrap_or(&path);
    let name = if name.is_empty() { path.rsplit("::").next().expect("a part") } else { name };
    paths.push((path.to_owned(), Some(name.to_owned()).filter(|_| !tree.ends_with('*'))));
}
