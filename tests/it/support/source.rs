//! The text files of the repository, and the paths of modules in Rust code.
//!
//! This is not a parser of Rust. It finds words and punctuation, and so each path that is written
//! in full, in a `use`, an expression or a type. It does not resolve types, so it does not follow
//! methods.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

/// A file of the repository: its path from the root, with slashes, and its text.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    /// Returns the folder of its package, with a final slash: `crates/gomoku/`; empty for the root
    /// package.
    pub(crate) fn package(&self) -> &str {
        self.path.split_once("src/").expect("a source file").0
    }

    /// Returns the name of its package without the prefix; empty for the root package.
    pub(crate) fn package_name(&self) -> &str {
        self.package().trim_start_matches("crates/").trim_end_matches('/')
    }

    /// Returns its path within its package: `src/players/mod.rs`.
    pub(crate) fn inside(&self) -> &str {
        &self.path[self.package().len()..]
    }

    /// Returns its module path, from the root of its package: `[players, swift, greedy]`; empty for
    /// `src/lib.rs`.
    pub(crate) fn module(&self) -> Vec<&str> {
        let inside = self.inside().trim_start_matches("src/").trim_end_matches(".rs");
        let mut names: Vec<&str> = inside.split('/').collect();
        names.pop_if(|last| *last == "mod");
        if let ["lib" | "main"] = names[..] { Vec::new() } else { names }
    }

    /// Returns the number of lines without tests; 0 if it contains only tests.
    pub(crate) fn lines_without_tests(&self) -> usize {
        if self.path.ends_with("/tests.rs") {
            return 0;
        }
        let of_tests = said(&self.text).test_items.into_iter();
        let of_tests: usize = of_tests.map(|item| 1 + self.text[item].matches('\n').count()).sum();
        self.text.lines().count() - of_tests
    }

    /// Returns the line of a byte, from 1.
    pub(crate) fn line(&self, at: usize) -> usize {
        1 + self.text[..at].matches('\n').count()
    }

    /// Returns the location of a byte, as `path:line`.
    pub(crate) fn place(&self, at: usize) -> String {
        format!("{}:{}", self.path, self.line(at))
    }
}

/// Reads every text file of the repository: files that git tracks or would add, or all files
/// without git.
pub(crate) fn repository() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()
        .filter(|output| root.join(".git").exists() && output.status.success());
    match listed {
        Some(output) => {
            let names = String::from_utf8(output.stdout).expect("names in UTF-8");
            paths.extend(names.split_terminator('\0').map(str::to_owned));
        }
        None => walk(root, "", &mut paths),
    }
    paths.sort();
    paths.dedup();
    // Skips files that are deleted but not committed, and files that are not UTF-8.
    let read = |path: String| Some(File { text: fs::read_to_string(root.join(&path)).ok()?, path });
    paths.into_iter().filter_map(read).collect()
}

fn walk(folder: &Path, prefix: &str, paths: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("names in UTF-8");
        let is_folder = entry.file_type().expect("a type").is_dir();
        match (is_folder, prefix) {
            (true, "") if matches!(&*name, "target" | ".git") => {}
            (true, _) => walk(&entry.path(), &format!("{prefix}{name}/"), paths),
            (false, _) => paths.push(format!("{prefix}{name}")),
        }
    }
}

/// Reads the source files of all packages.
pub(crate) fn sources() -> Vec<File> {
    let is_source = |file: &File| {
        let of_package = file.path.starts_with("crates/") && file.path.contains("/src/");
        (of_package || file.path.starts_with("src/")) && file.path.ends_with(".rs")
    };
    let sources: Vec<File> = repository().into_iter().filter(is_source).collect();
    assert!(sources.iter().any(|file| file.path == "src/lib.rs"), "the sources were not found");
    sources
}

pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A word or one character of punctuation, with its position.
type Token<'a> = (usize, &'a str);

/// Splits a text into words and punctuation, without comments, strings and characters.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if c == '"' {
            quoted(rest)
        } else if c == '\'' {
            // A character literal or a lifetime.
            let end = rest[1..].char_indices().nth(1).map(|(end, _)| 1 + end);
            match end {
                _ if rest[1..].starts_with('\\') => 3 + rest[3..].find('\'').map_or(0, |end| end + 1),
                Some(end) if rest[end..].starts_with('\'') => end + 1,
                _ => 1,
            }
        } else if is_word(c) {
            let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
            match (word, raw(&rest[word.len()..])) {
                ("r" | "br" | "cr", Some(length)) => word.len() + length,
                _ => {
                    tokens.push((at, word));
                    word.len()
                }
            }
        } else {
            if !c.is_whitespace() {
                tokens.push((at, &rest[..c.len_utf8()]));
            }
            c.len_utf8()
        };
        at += length;
    }
    tokens
}

/// Returns the length of the string literal at the start of a text.
fn quoted(text: &str) -> usize {
    let mut characters = text.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' => _ = characters.next(),
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns the length of the raw string literal at the start of a text, after its `r`.
fn raw(text: &str) -> Option<usize> {
    let hashes = text.len() - text.trim_start_matches('#').len();
    let end = format!("\"{}", "#".repeat(hashes));
    let content = text[hashes..].strip_prefix('"')?;
    Some(content.find(&end).map_or(text.len(), |at| hashes + 1 + at + end.len()))
}

/// A path of modules as written in a file, including members of a `use`.
#[derive(Debug, PartialEq)]
pub(crate) struct Written<'a> {
    /// Position of its last part.
    pub(crate) at: usize,
    /// Its parts: `[super, claim, Claim]`; `self` at the end of a `use` is omitted.
    pub(crate) parts: Vec<&'a str>,
    /// The modules inside the file that contain it.
    pub(crate) within: Vec<&'a str>,
    /// The name that a `use` gives it.
    pub(crate) name: Option<&'a str>,
    /// True if it is in test code.
    pub(crate) is_test: bool,
}

/// Modules in a file: the paths that it names and the modules that it contains.
#[derive(Default)]
pub(crate) struct Said<'a> {
    pub(crate) paths: Vec<Written<'a>>,
    /// The modules that it declares only for tests.
    pub(crate) tests: Vec<Vec<&'a str>>,
    /// Range of each test-only item, from its attribute to its end.
    pub(crate) test_items: Vec<Range<usize>>,
    /// The modules that it contains inline.
    pub(crate) held: Vec<Vec<&'a str>>,
}

/// Parses a file.
pub(crate) fn said(text: &str) -> Said<'_> {
    let mut reader =
        Reader { tokens: tokens(text), next: 0, within: Vec::new(), is_test: false, said: Said::default() };
    reader.items();
    assert_eq!(reader.next, reader.tokens.len(), "a bracket that nothing opened");
    reader.said
}

struct Reader<'a> {
    tokens: Vec<Token<'a>>,
    next: usize,
    within: Vec<&'a str>,
    is_test: bool,
    said: Said<'a>,
}

impl<'a> Reader<'a> {
    /// Returns the token this many places ahead; empty beyond the end.
    fn ahead(&self, places: usize) -> &'a str {
        self.tokens.get(self.next + places).map_or("", |(_, token)| token)
    }

    fn begins(&self, with: &[&str]) -> bool {
        (0..with.len()).all(|place| self.ahead(place) == with[place])
    }

    /// Reads up to the bracket that closes the current one, or to the end.
    fn items(&mut self) {
        let mut open = 0;
        while self.next < self.tokens.len() {
            match self.ahead(0) {
                "(" | "[" | "{" => open += 1,
                ")" | "]" | "}" if open == 0 => return,
                ")" | "]" | "}" => open -= 1,
                _ => {}
            }
            self.step();
        }
    }

    /// Reads a module, a `use` or another path, or skips one token.
    fn step(&mut self) {
        let word = self.ahead(0);
        if self.begins(&["#", "[", "cfg", "(", "test", ")", "]"]) {
            let start = self.tokens[self.next].0;
            self.next += 7;
            self.test();
            let (at, last) = self.tokens[self.next - 1];
            if !self.is_test {
                self.said.test_items.push(start..at + last.len());
            }
        } else if word == "pub" && self.ahead(1) == "(" && matches!(self.ahead(2), "super" | "crate" | "in") {
            // Modules in a visibility such as `pub(in …)` are not imported.
            while !matches!(self.ahead(0), ")" | "") {
                self.next += 1;
            }
            self.next += 1;
        } else if word == "mod" && self.ahead(2) == "{" {
            self.within.push(self.ahead(1));
            self.said.held.push(self.within.clone());
            self.next += 3;
            self.items();
            self.next += 1;
            self.within.pop();
        } else if word == "mod" && self.ahead(2) == ";" && self.is_test {
            self.said.tests.push([&self.within[..], &[self.ahead(1)]].concat());
            self.next += 3;
        } else if word == "use" {
            self.next += 1;
            self.tree(&mut Vec::new());
        } else if word.starts_with(is_word) && self.begins(&[word, ":", ":"]) && !self.is_joined() {
            self.path();
        } else {
            self.next += 1;
        }
    }

    /// Reads a test-only item.
    fn test(&mut self) {
        let before = std::mem::replace(&mut self.is_test, true);
        let mut open = 0;
        while self.next < self.tokens.len() {
            let token = self.ahead(0);
            match token {
                "(" | "[" | "{" => open += 1,
                ")" | "]" | "}" if open == 0 => break,
                ")" | "]" | "}" => open -= 1,
                _ => {}
            }
            let is_module = token == "mod";
            self.step();
            if is_module || open == 0 && matches!(token, ";" | "}") {
                break;
            }
        }
        self.is_test = before;
    }

    /// Returns true if the word continues something: a method, or a path from outside.
    fn is_joined(&self) -> bool {
        let before = |places: usize| self.next.checked_sub(places).map_or("", |at| self.tokens[at].1);
        before(1) == ":" && before(2) == ":" || before(1) == "." && before(2) != "."
    }

    /// Reads a path outside a `use`.
    fn path(&mut self) {
        let mut parts = vec![self.ahead(0)];
        while self.begins(&[self.ahead(0), ":", ":"]) && self.ahead(3).starts_with(is_word) {
            self.next += 3;
            parts.push(self.ahead(0));
        }
        self.note(parts, None);
        self.next += 1;
    }

    /// Reads a member of a `use` and its children, given the parts before it.
    fn tree(&mut self, before: &mut Vec<&'a str>) {
        let length = before.len();
        loop {
            match self.ahead(0) {
                "{" => {
                    while !matches!(self.ahead(0), "}" | "") {
                        self.next += 1;
                        if self.ahead(0) != "}" {
                            self.tree(before);
                        }
                    }
                    self.next += 1;
                }
                // A glob import names the module.
                "*" => {
                    self.note(before.clone(), None);
                    self.next += 1;
                }
                ":" => {
                    self.next += 1;
                    continue;
                }
                part => {
                    if part != "self" || before.is_empty() {
                        before.push(part);
                    }
                    if self.ahead(1) != ":" {
                        let name =
                            if self.ahead(1) == "as" { self.ahead(2) } else { before[before.len() - 1] };
                        self.note(before.clone(), Some(name));
                        self.next += if self.ahead(1) == "as" { 3 } else { 1 };
                    } else {
                        self.next += 1;
                        continue;
                    }
                }
            }
            break;
        }
        before.truncate(length);
    }

    fn note(&mut self, parts: Vec<&'a str>, name: Option<&'a str>) {
        let at = self.tokens[self.next].0;
        let (within, is_test) = (self.within.clone(), self.is_test);
        self.said.paths.push(Written { at, parts, within, name, is_test });
    }
}
