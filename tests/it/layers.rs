//! The house's own rules, read off the source: who may know whom, who may touch the world, how long a file may be.
//!
//! A module names only modules of a lower layer, and modules of one layer do not know each other. So statistics
//! know nothing of games, games nothing of players, players nothing of experiments.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The layers, the lowest first.
const LAYERS: &[&[&str]] = &[
    &["rng", "num", "text", "diagnostic", "stats"],
    &["game", "settings"],
    &["games", "record", "measure"],
    &["assets", "eval", "table"],
    &["player"],
    &["players"],
    &["arena"],
    &["config"],
    &["plan"],
    &["run"],
    &["tally"],
    &["compare"],
    &["results"],
    &["tune", "cluster", "page"],
    &["cli"],
];

/// The map of the house and its door know everything.
const EXEMPT: &[&str] = &["src/lib.rs", "src/main.rs"];

/// Below this layer nothing reads a clock, starts a thread or opens a file,
const WORLDLY: &str = "run";

/// but for these: the arena's stopwatch, the reader of experiments, and players that are limited by time.
const MAY_TOUCH_THE_WORLD: &[&str] = &[
    "src/arena/stopwatch.rs",
    "src/assets.rs",
    "src/config.rs",
    "src/config/",
    "src/players/twenty48/ovolve/mod.rs",
];

/// What touches the world.
const TOUCHES: &[&str] =
    &["Instant::now", "SystemTime", "thread::spawn", "thread::scope", "std::fs", "fs::", "File"];

/// The most lines of a source file without its tests.
const MOST_LINES: usize = 500;

/// A file of the repository: its path from the root, with slashes, and its text.
struct File {
    path: String,
    text: String,
}

impl File {
    /// The top-level module it belongs to.
    fn module(&self) -> &str {
        let inside = self.path.strip_prefix("src/").expect("a source file");
        inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs")
    }

    /// How many modules lead to it: 1 for `src/rng.rs` and `src/stats/mod.rs`.
    fn depth(&self) -> usize {
        self.path.trim_end_matches("/mod.rs").matches('/').count()
    }

    /// The text before its tests; none of a file that is all tests.
    fn without_tests(&self) -> &str {
        if self.path.ends_with("/tests.rs") {
            return "";
        }
        let mut tests = self.text.match_indices("#[cfg(test)]").map(|(at, _)| at);
        // Not one that stands in a comment or in a string, nor one that only names a file of tests.
        let tests = tests.find(|&at| {
            let item = self.text[at..].lines().nth(1).unwrap_or("");
            (at == 0 || self.text[..at].ends_with('\n')) && !(item.starts_with("mod ") && item.ends_with(';'))
        });
        &self.text[..tests.unwrap_or(self.text.len())]
    }

    /// The place of a byte, as `path:line`.
    fn place(&self, at: usize) -> String {
        format!("{}:{}", self.path, 1 + self.text[..at].matches('\n').count())
    }
}

/// The text with every comment blanked, so that places stay the same. A string that holds two slashes loses its end
/// with them, which hides no path of modules.
fn without_comments(text: &str) -> String {
    let blanked = text.split_inclusive('\n').map(|line| match line.find("//") {
        Some(at) => {
            let end = line.trim_end_matches('\n').len();
            format!("{}{}{}", &line[..at], " ".repeat(end - at), &line[end..])
        }
        None => line.to_owned(),
    });
    blanked.collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The first word of a text.
fn word(text: &str) -> &str {
    let text = text.trim_start();
    &text[..text.find(|c| !is_word(c)).unwrap_or(text.len())]
}

/// The words that begin the members of a path's end: `rng` of `rng::Rng`, `game` and `rng` of
/// `{game::Game, rng::{Rng, Seed}}`.
fn heads(path: &str) -> Vec<&str> {
    let Some(group) = path.trim_start().strip_prefix('{') else { return vec![word(path)] };
    let mut heads = vec![word(group)];
    let mut depth = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => heads.push(word(&group[at + 1..])),
            _ => {}
        }
    }
    heads.retain(|head| !head.is_empty());
    heads
}

/// Where a text stands as words of their own, or, if it begins and ends with none, anywhere.
fn occurrences<'a>(text: &'a str, what: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(what).map(|(at, _)| at).filter(move |&at| {
        let joined_before = what.starts_with(is_word) && text[..at].ends_with(is_word);
        let joined_after = what.ends_with(is_word) && text[at + what.len()..].starts_with(is_word);
        !joined_before && !joined_after
    })
}

/// Each top-level module that a file names, and where.
fn named_modules<'a>(file: &File, code: &'a str) -> Vec<(usize, &'a str)> {
    let mut named = Vec::new();
    for at in occurrences(code, "crate::") {
        named.extend(heads(&code[at + "crate::".len()..]).into_iter().map(|head| (at, head)));
    }
    // So many `super`s lead to the root as well; from within a module of tests it would be one more.
    let to_root = "super::".repeat(file.depth());
    for at in occurrences(&code[..file.without_tests().len()], &to_root) {
        if !code[..at].ends_with("super::") {
            named.extend(heads(&code[at + to_root.len()..]).into_iter().map(|head| (at, head)));
        }
    }
    named
}

fn layer_of(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// Uses of modules that are not on a lower layer.
fn upward_uses(files: &[File]) -> Vec<String> {
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| !EXEMPT.contains(&&*file.path)) {
        let Some(layer) = layer_of(file.module()) else {
            violations.push(format!("{}:1: `{}` has no layer", file.path, file.module()));
            continue;
        };
        // Tests too: what a test needs from above belongs into `tests/it`.
        let code = without_comments(&file.text);
        for (at, named) in named_modules(file, &code) {
            let allowed = named == file.module() || layer_of(named).is_none_or(|named| named < layer);
            if !allowed {
                violations.push(format!("{}: `{}` names `{named}`", file.place(at), file.module()));
            }
        }
    }
    violations
}

/// Clocks, threads and files below the layer that may have them.
fn worldly_uses(files: &[File]) -> Vec<String> {
    let worldly = layer_of(WORLDLY).expect("a layer");
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| layer_of(file.module()).is_some_and(|layer| layer < worldly)) {
        if MAY_TOUCH_THE_WORLD.iter().any(|path| file.path.starts_with(path)) {
            continue;
        }
        let code = without_comments(file.without_tests());
        for what in TOUCHES {
            violations.extend(occurrences(&code, what).map(|at| format!("{}: `{what}`", file.place(at))));
        }
    }
    violations.sort();
    violations
}

/// Files of players that the table of contents does not list.
fn unregistered_players(files: &[File]) -> Vec<String> {
    let table = files.iter().find(|file| file.path == "src/players/mod.rs").map_or("", |file| &file.text);
    let table = without_comments(table);
    let players = files.iter().filter_map(|file| Some((file, file.path.strip_prefix("src/players/")?)));
    let mut violations = Vec::new();
    for (file, path) in players.filter(|(_, path)| *path != "mod.rs") {
        let Some(at) = occurrences(file.without_tests(), "const EXAMPLE").next() else { continue };
        let module = path.trim_end_matches(".rs").trim_end_matches("/mod").replace('/', "::");
        for part in ["Config", "EXAMPLE"] {
            if occurrences(&table, &format!("{module}::{part}")).next().is_none() {
                violations.push(format!("{}: `{module}::{part}` is not in players/mod.rs", file.place(at)));
            }
        }
    }
    violations
}

/// Files that are too long to be read at a sitting.
fn long_files(files: &[File]) -> Vec<String> {
    let lengths = files.iter().map(|file| (&file.path, file.without_tests().lines().count()));
    let long = lengths.filter(|&(_, lines)| lines > MOST_LINES);
    long.map(|(path, lines)| format!("{path}:{lines}: {lines} lines without tests, not {MOST_LINES}"))
        .collect()
}

/// Paths of somebody's machine: an absolute path into a folder where people or programs keep their own.
fn machine_paths(files: &[File]) -> Vec<String> {
    // Put together here, or this very file would hold them.
    let folders = ["home", "root", "tmp", "work", "Users", "mnt"].map(|name| format!("/{name}/"));
    let mut violations = Vec::new();
    for file in files {
        for folder in &folders {
            for (at, _) in file.text.match_indices(folder) {
                // Within an address or a relative path it is no path of a machine.
                if !file.text[..at].ends_with(|c: char| is_word(c) || "./-*})".contains(c)) {
                    violations.push(format!("{}: {folder}", file.place(at)));
                }
            }
        }
    }
    violations
}

/// Every text file of the repository: what git knows or would add, else whatever lies there.
fn repository() -> Vec<File> {
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
    // What was deleted but not yet committed cannot be read, and what is not UTF-8 is no text.
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

fn sources() -> Vec<File> {
    let is_source = |file: &File| file.path.starts_with("src/") && file.path.ends_with(".rs");
    let sources: Vec<File> = repository().into_iter().filter(is_source).collect();
    assert!(sources.iter().any(|file| file.path == "src/lib.rs"), "the sources were not found");
    sources
}

#[track_caller]
fn none_of(violations: Vec<String>) {
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}

#[test]
fn modules_name_lower_modules_only() {
    none_of(upward_uses(&sources()));
}

#[test]
fn clocks_threads_and_files_stay_above() {
    none_of(worldly_uses(&sources()));
}

#[test]
fn players_are_registered() {
    none_of(unregistered_players(&sources()));
}

#[test]
fn files_are_short() {
    none_of(long_files(&sources()));
}

#[test]
fn no_path_of_a_machine() {
    none_of(machine_paths(&repository()));
}

/// The map in `lib.rs` lists modules in the order of their layers.
#[test]
fn the_map_is_in_order() {
    let sources = sources();
    let map = sources.iter().find(|file| file.path == "src/lib.rs").expect("the map");
    let listed = map.text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    let layers: Vec<_> = listed.map(|module| (layer_of(module), module)).collect();
    assert!(layers.iter().all(|(layer, _)| layer.is_some()), "a module without a layer: {layers:?}");
    assert!(layers.is_sorted_by_key(|(layer, _)| *layer), "{layers:?}");
}

/// A rule that nothing can break would protect nothing: each is shown files that break it.
#[test]
fn violations_are_seen() {
    #[track_caller]
    fn check(rule: fn(&[File]) -> Vec<String>, files: &[(&str, &str)], expected: &[&str]) {
        let file = |(path, text): &(&str, &str)| File { path: (*path).to_owned(), text: (*text).to_owned() };
        let files: Vec<File> = files.iter().map(file).collect();
        assert_eq!(rule(&files), expected);
    }

    check(upward_uses, &[("src/games/a.rs", "use crate::rng::Rng;\nuse crate::game::Game;")], &[]);
    check(upward_uses, &[("src/game.rs", "//! See [`crate::arena`].\nfn f() {} // crate::run")], &[]);
    check(
        upward_uses,
        &[("src/stats/a.rs", "\nuse crate::game::Seat;")],
        &["src/stats/a.rs:2: `stats` names `game`"],
    );
    check(upward_uses, &[("src/rng.rs", "fn f() -> crate::num::P {}")], &["src/rng.rs:1: `rng` names `num`"]);
    check(upward_uses, &[("src/stats/a.rs", "use crate::stats::b; use crate::{stats::c};")], &[]);
    check(
        upward_uses,
        &[("src/players/x/a.rs", "use super::super::players;\nuse super::super::arena;")],
        &[],
    );
    check(
        upward_uses,
        &[("src/players/x/a.rs", "use super::super::super::{game, arena::{GAMES, Step}, config};")],
        &["src/players/x/a.rs:1: `players` names `arena`", "src/players/x/a.rs:1: `players` names `config`"],
    );
    check(
        upward_uses,
        &[(
            "src/eval/mod.rs",
            "use crate::{\n    game::{Game, Seat},\n    players, rng,\n};\nuse super::arena;",
        )],
        &["src/eval/mod.rs:1: `eval` names `players`", "src/eval/mod.rs:5: `eval` names `arena`"],
    );
    check(upward_uses, &[("src/new.rs", ""), ("src/lib.rs", "")], &["src/new.rs:1: `new` has no layer"]);

    let timed =
        "use std::time::Instant;\nfn f() { Instant::now() } // Instant::now\n#[cfg(test)]\nmod t { File }";
    check(worldly_uses, &[("src/eval/a.rs", timed)], &["src/eval/a.rs:2: `Instant::now`"]);
    let named = "#[cfg(test)]\nmod tests;\nfn f() { Instant::now() }\n#[cfg(test)]\nmod t { File }";
    check(worldly_uses, &[("src/eval/a.rs", named)], &["src/eval/a.rs:3: `Instant::now`"]);
    check(
        worldly_uses,
        &[("src/arena/stopwatch.rs", timed), ("src/run/a.rs", timed), ("src/config/a.rs", timed)],
        &[],
    );
    check(
        worldly_uses,
        &[("src/game.rs", "struct FileName;\nfn f(file: File) {}")],
        &["src/game.rs:2: `File`"],
    );

    let table = ("src/players/mod.rs", "x::a::Config x::a::EXAMPLE\n// x::c::Config x::c::EXAMPLE");
    let example = "\npub const EXAMPLE: &str = \"\";";
    check(
        unregistered_players,
        &[table, ("src/players/x/a.rs", example), ("src/players/x/b.rs", "fn f() {}")],
        &[],
    );
    check(
        unregistered_players,
        &[table, ("src/players/x/c.rs", example)],
        &[
            "src/players/x/c.rs:2: `x::c::Config` is not in players/mod.rs",
            "src/players/x/c.rs:2: `x::c::EXAMPLE` is not in players/mod.rs",
        ],
    );

    let (long, tested) = ("\n".repeat(MOST_LINES + 1), "\n".repeat(MOST_LINES) + "#[cfg(test)]\n\n\n");
    let expected = "src/b.rs:501: 501 lines without tests, not 500";
    check(long_files, &[("src/a.rs", &tested), ("src/b.rs", &long)], &[expected]);

    let home = format!("/{}/", "home");
    let text = format!("https://example.org{home}x, ..{home}x\nand {home}x");
    check(machine_paths, &[("a.md", &text)], &[&format!("a.md:2: {home}")]);
}
