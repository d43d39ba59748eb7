//! Lists of modules are complete: the comment at the head of a folder names every file in it, and
//! no other.

use crate::source::{File, is_word, repository, said, tokens};

/// Returns true for the head of a folder, whose comment lists the modules that it declares. The
/// players of a game are in their table (`layers::players_are_registered`), and a second list would
/// be one more place to edit for each player.
fn is_head(file: &File) -> bool {
    let may_list_players =
        ["players/mod.rs", "players/src/lib.rs"].iter().any(|end| file.path.ends_with(*end));
    let is_table_of_players = may_list_players && file.text.contains("Algorithm::of");
    let is_root = file.path.starts_with("crates/") && file.path.ends_with("/src/lib.rs");
    let is_head = is_root || file.path.ends_with("/mod.rs");
    (is_head || file.path == "tests/it/main.rs") && !is_table_of_players
}

/// Returns modules that a file declares and that are other files, without tests.
fn declared(text: &str) -> Vec<&str> {
    let tests = said(text).test_items;
    let mut depth = 0;
    let mut declared = Vec::new();
    for three in tokens(text).windows(3) {
        match (three[0].1, three[2].1) {
            ("{", _) => depth += 1,
            ("}", _) => depth -= 1,
            ("mod", ";") if depth == 0 && !tests.iter().any(|item| item.contains(&three[0].0)) => {
                declared.push(three[1].1);
            }
            _ => {}
        }
    }
    declared
}

/// Returns the comment of a file.
fn comment(text: &str) -> String {
    text.lines().filter_map(|line| line.strip_prefix("//!")).collect::<Vec<_>>().join("\n")
}

/// Returns words in backticks: `name` for [`name`] and [`mod@name`].
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).map(|word| word.trim_start_matches("mod@"))
}

/// Returns names at the heads of list items: `a` and `b` of "- `a`: the first; `b`: the second".
fn listed(comment: &str) -> Vec<&str> {
    let items = comment.split("\n - ").skip(1).map(|item| item.split("\n\n").next().unwrap_or(item));
    let clauses = items.flat_map(|item| item.split("; "));
    let heads = clauses.filter_map(|clause| Some(clause.split_once(": ")?.0));
    // Names are separated only by commas and link targets.
    let is_of_names = |head: &&str| {
        head.split('`').step_by(2).all(|between| {
            let between = between.trim_matches(|c: char| "[], ".contains(c) || c.is_whitespace());
            between.is_empty() || between.starts_with("(mod@")
        })
    };
    heads.filter(is_of_names).flat_map(quoted).filter(|name| name.chars().all(is_word)).collect()
}

/// Returns modules that the head of their folder does not list, and listed names that are no
/// modules.
fn incomplete_lists(files: &[File]) -> Vec<String> {
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| is_head(file)) {
        let (declared, comment) = (declared(&file.text), comment(&file.text));
        let missing = declared.iter().filter(|module| !quoted(&comment).any(|name| name == **module));
        violations.extend(missing.map(|module| format!("{}: its list lacks `{module}`", file.path)));
        let gone = listed(&comment).into_iter().filter(|name| !declared.contains(name));
        violations.extend(gone.map(|name| format!("{}: `{name}` is listed, and is not there", file.path)));
    }
    violations
}

#[test]
fn lists_of_modules_are_complete() {
    let violations = incomplete_lists(&repository());
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}

#[test]
fn incomplete_lists_are_seen() {
    let check = |text: &str, expected: &[&str]| {
        let files = [("src/x/mod.rs", text), ("src/x/a.rs", "mod other;")];
        let files = files.map(|(path, text)| File { path: path.to_owned(), text: text.to_owned() });
        assert_eq!(incomplete_lists(&files), expected, "{text}");
    };
    let modules = "mod a;\npub(crate) mod b;\n#[cfg(test)]\nmod tests;\npub mod c {\n    mod d;\n}\n";
    let with = |comment: &str| format!("{comment}\n\n{modules}");
    check(&with("//! Some files.\n//!\n//! - `a`: one\n//! - [`b`](mod@b): two"), &[]);
    check(&with("//! Some files.\n//!\n//! - [`a`], [`mod@b`]: both;\n//!   as ever"), &[]);
    check(&with("//! - Some: `a`; others of `b`: all"), &[]);
    check(&with("//! Some files.\n//!\n//! - `a`: one"), &["src/x/mod.rs: its list lacks `b`"]);
    check(&with("//! The file `a`."), &["src/x/mod.rs: its list lacks `b`"]);
    let gone =
        "//! Some files.\n//!\n//! - `a`: one, with `x`;\n//!   `b`: two; `y`: three\n//! - `--z`: a flag";
    check(&with(gone), &["src/x/mod.rs: `y` is listed, and is not there"]);
}
