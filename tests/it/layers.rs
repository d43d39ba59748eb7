//! Rules for the source: which package may depend on which, which code may touch the system, and
//! how long files may be. `circles` has the rule for files of one package.

use std::collections::BTreeMap;

use crate::bench::Folder;
use crate::source::{File, is_word, repository, said, sources, tokens};

/// The packages with their permitted dependencies, besides external libraries. Games and players
/// know nothing of runs, runs know nothing of questions about their games, and `analysis` knows
/// nothing of the drivers that call it.
const PACKAGES: &[(&str, &[&str])] = &[
    ("stats", &[]),
    ("core", &["stats"]),
    ("methods", &["core", "stats"]),
    ("players", &["core"]),
    ("twenty48", &["core"]),
    ("twenty48-endgame", &["core", "twenty48"]),
    ("twenty48-players", &["core", "players", "twenty48", "twenty48-endgame"]),
    ("twenty48-search", &["core", "players", "twenty48", "twenty48-endgame"]),
    ("check-env", &["core", "stats", "twenty48"]),
    ("gomoku", &["core", "players"]),
    ("games", &["core", "gomoku", "players", "twenty48", "twenty48-players", "twenty48-search"]),
    ("run", &["core", "stats"]),
    ("analysis", &["core", "run", "stats"]),
    ("tune", &["analysis", "core", "methods", "run", "stats"]),
    ("train", &["analysis", "core", "run"]),
    ("report", &["analysis", "core", "run", "stats", "train", "tune"]),
];

/// The module that starts processes, for external players.
const PROCESSES: &str = "process";

/// Packages in which nothing reads a clock, starts a thread or a process, opens a file or a socket,
/// or reads its environment.
const QUIET: &[&str] = &[
    "stats",
    "core",
    "methods",
    "players",
    "twenty48",
    "twenty48-players",
    "twenty48-search",
    "check-env",
    "gomoku",
    "games",
];

/// Exceptions: the file system, the module that starts programs, memory for networks, the arena's
/// stopwatch and calibration loop, the reader of large files, and games and players with time
/// limits.
const MAY_TOUCH_THE_WORLD: &[&str] = &[
    "src/arena/stopwatch.rs",
    "src/arena/yardstick.rs",
    "src/assets.rs",
    "src/player/stop.rs",
    "src/process/",
    "src/disk.rs",
    "src/memory.rs",
    "src/network/pages.rs",
    "src/laws/players.rs",
    "src/players/alphabeta/search.rs",
    "src/external.rs",
    "src/players/gomocup/engine.rs",
    "src/players/expectimax/",
    "src/ovolve/mod.rs",
];

/// Parts of the standard library and libraries that touch the system.
const WORLD: &[&str] = &[
    "env",
    "fs",
    "net",
    "process",
    "thread",
    "cpu_time",
    "rayon",
    "rustix",
    "libc",
    "signal_hook",
    "tempfile",
];

/// Types that touch the system.
const CLOCKS: &[&str] = &["Instant", "SystemTime"];

/// The most lines of a source file without its tests.
const MOST_LINES: usize = 500;

/// The most lines of a function.
const MOST_LINES_OF_A_FUNCTION: usize = 80;

/// Returns the top-level module of a file; `lib.rs` and `main.rs` have none.
fn room(file: &File) -> &str {
    file.module().first().copied().unwrap_or("")
}

/// Returns our packages that a manifest names outside of its `[dev-dependencies]`.
fn known_packages(manifest: &str) -> Vec<&str> {
    let mut section = "";
    let mut known = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        }
        let name = line.strip_prefix("gauntlet-").and_then(|rest| rest.split(['.', ' ']).next());
        known.extend(name.filter(|_| section == "[dependencies]"));
    }
    known
}

/// Returns packages with dependencies that are not permitted, or that are not in [`PACKAGES`].
fn strange_packages(files: &[File]) -> Vec<String> {
    let mut violations = Vec::new();
    for file in files {
        let name = file.path.strip_prefix("crates/").and_then(|path| path.strip_suffix("/Cargo.toml"));
        let Some(name) = name else { continue };
        match PACKAGES.iter().find(|(package, _)| *package == name) {
            None => violations.push(format!("{}: `{name}` is not in the list of packages", file.path)),
            Some((_, allowed)) => {
                let known = known_packages(&file.text).into_iter().filter(|known| !allowed.contains(known));
                violations.extend(known.map(|known| format!("{}: `{name}` knows `{known}`", file.path)));
            }
        }
    }
    violations
}

/// Returns the places where a file touches the system outside of its tests, and how.
fn touches(file: &File) -> Vec<(usize, String)> {
    if file.path.ends_with("/tests.rs") {
        return Vec::new();
    }
    let paths = said(&file.text).paths.into_iter().filter(|path| !path.is_test);
    let worldly = paths.filter(|path| {
        // Treats `env::var`, `std::env::var` and `use std::env` alike.
        let parts = path.parts.strip_prefix(&["std"]).unwrap_or(&path.parts);
        parts.first().is_some_and(|part| WORLD.contains(part))
            || parts.iter().any(|part| CLOCKS.contains(part))
    });
    worldly.map(|path| (path.at, path.parts.join("::"))).collect()
}

/// Returns uses of the system in packages that must not use it.
fn worldly_uses(files: &[File]) -> Vec<String> {
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| QUIET.contains(&file.package_name())) {
        if !MAY_TOUCH_THE_WORLD.iter().any(|path| file.inside().starts_with(path)) {
            violations
                .extend(touches(file).iter().map(|(at, what)| format!("{}: `{what}`", file.place(*at))));
        }
    }
    violations
}

/// Returns processes that are started outside of the module for that.
fn processes(files: &[File]) -> Vec<String> {
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| room(file) != PROCESSES) {
        let paths = said(&file.text).paths.into_iter().filter(|path| !path.is_test);
        let starts = paths.filter(|path| path.parts.windows(2).any(|pair| pair == ["process", "Command"]));
        violations.extend(starts.map(|path| format!("{}: `{}`", file.place(path.at), path.parts.join("::"))));
    }
    violations
}

/// Returns exceptions that no file uses.
fn idle_permissions(files: &[File]) -> Vec<String> {
    let is_used =
        |path: &str| files.iter().any(|file| file.inside().starts_with(path) && !touches(file).is_empty());
    let idle = MAY_TOUCH_THE_WORLD.iter().filter(|path| !is_used(path));
    idle.map(|path| format!("{path} does not touch the world, and needs no permission")).collect()
}

/// The package of players for any game, which packages of a game list.
const FOR_ANY_GAME: &str = "players";

/// Returns true for a package of players alone, whose root lists them.
fn has_only_players(file: &File) -> bool {
    file.package_name().ends_with("players")
}

/// Returns files of players that are not in the list of their package, or for players of any game
/// in the list of a game.
fn unregistered_players(files: &[File]) -> Vec<String> {
    let is_table = |file: &&File| match file.inside() {
        "src/lib.rs" => has_only_players(file),
        path => path == "src/players/mod.rs",
    };
    let tables = files.iter().filter(is_table);
    let tables: Vec<(&str, Vec<String>)> = tables
        .map(|file| {
            (file.package(), said(&file.text).paths.iter().map(|path| path.parts.join("::")).collect())
        })
        .collect();
    let is_listed = |of: &File, path: &String| {
        let is_for_any = of.package_name() == FOR_ANY_GAME;
        tables.iter().any(|(package, table)| (is_for_any || *package == of.package()) && table.contains(path))
    };
    let is_player = |file: &&File| room(file) == "players" || has_only_players(file);
    let players = files.iter().filter(|file| is_player(file) && !is_table(file));
    let mut violations = Vec::new();
    for file in players {
        let tokens = tokens(&file.text);
        let example = tokens.windows(2).find(|pair| pair[0].1 == "const" && pair[1].1 == "EXAMPLE");
        let Some(&[(at, _), _]) = example else { continue };
        let module = file.module();
        let module = if has_only_players(file) { &module[..] } else { &module[1..] };
        for part in ["Config", "EXAMPLE"] {
            let path = [module, &[part]].concat().join("::");
            if !is_listed(file, &path) {
                violations.push(format!("{}: `{path}` is not in the list of players", file.place(at)));
            }
        }
    }
    violations
}

/// Returns files that are too long.
fn long_files(files: &[File]) -> Vec<String> {
    let lengths = files.iter().map(|file| (&file.path, file.lines_without_tests()));
    let long = lengths.filter(|&(_, lines)| lines > MOST_LINES);
    long.map(|(path, lines)| format!("{path}:{lines}: {lines} lines without tests, not {MOST_LINES}"))
        .collect()
}

/// Returns functions that are too long for two screens. In rustfmt's format, a function ends at the
/// first brace with the indentation of its head.
fn long_functions(files: &[File]) -> Vec<String> {
    let mut violations = Vec::new();
    for file in files {
        let lines: Vec<&str> = file.text.lines().collect();
        for (start, line) in lines.iter().enumerate() {
            let head = line.trim_start();
            let indent = &line[..line.len() - head.len()];
            let mut words = head
                .split(' ')
                .skip_while(|word| word.starts_with("pub") || ["const", "async", "unsafe"].contains(word));
            if words.next() != Some("fn") || head.ends_with([';', '}']) {
                continue;
            }
            let end = lines[start..].iter().position(|line| line.strip_prefix(indent) == Some("}"));
            let length = end.map_or(0, |end| end + 1);
            if length > MOST_LINES_OF_A_FUNCTION {
                violations.push(format!("{}:{}: a function of {length} lines", file.path, start + 1));
            }
        }
    }
    violations
}

/// Type that each player exports, next to its `EXAMPLE`: `random::Config`.
const OF_EACH_PLAYER: &str = "Config";

/// Returns types that two files of a package export under the same name.
fn names_used_twice(files: &[File]) -> Vec<String> {
    let mut known = BTreeMap::new();
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| !file.path.contains("/tests")) {
        let tests = said(&file.text).test_items;
        for (at, line) in lines_of(&file.text) {
            let item = line.strip_prefix("pub ").or(line.strip_prefix("pub(crate) ")).unwrap_or_default();
            let name =
                ["struct ", "enum ", "trait ", "type "].iter().find_map(|kind| item.strip_prefix(kind));
            let name = name.and_then(|name| name.split(|c: char| !is_word(c)).next());
            let Some(name) = name.filter(|name| *name != OF_EACH_PLAYER) else { continue };
            if tests.iter().any(|item| item.contains(&at)) {
                continue;
            }
            if let Some(first) = known.insert((file.package(), name), &*file.path)
                && first != file.path
            {
                violations.push(format!("{}: `{name}` is also in {first}", file.place(at)));
            }
        }
    }
    violations
}

/// Returns the lines of a text, each with its position.
fn lines_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split('\n').scan(0, |next, line| {
        let at = *next;
        *next += line.len() + 1;
        Some((at, line))
    })
}

/// Returns machine-specific paths: absolute paths into folders for users' or programs' files.
fn machine_paths(files: &[File]) -> Vec<String> {
    // Assembled here, so that this file does not contain them.
    let folders = ["home", "root", "tmp", "work", "Users", "mnt"].map(|name| format!("/{name}/"));
    let mut violations = Vec::new();
    for file in files {
        for folder in &folders {
            for (at, _) in file.text.match_indices(folder) {
                // Part of a URL or a relative path is not such a path.
                if !file.text[..at].ends_with(|c: char| is_word(c) || "./-*})".contains(c)) {
                    violations.push(format!("{}: {folder}", file.place(at)));
                }
            }
        }
    }
    violations
}

#[track_caller]
fn none_of(violations: Vec<String>) {
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}

#[test]
fn packages_know_lower_packages_only() {
    none_of(strange_packages(&repository()));
}

#[test]
fn the_world_is_touched_above() {
    none_of(worldly_uses(&sources()));
    none_of(idle_permissions(&sources()));
}

#[test]
fn processes_are_started_in_one_room() {
    none_of(processes(&sources()));
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
fn functions_are_short() {
    none_of(long_functions(&sources()));
}

#[test]
fn exported_names_are_unique_in_their_package() {
    none_of(names_used_twice(&sources()));
}

#[test]
fn no_path_of_a_machine() {
    none_of(machine_paths(&repository()));
}

/// Each rule must be able to fail: each is tested on files that break it.
#[test]
fn violations_are_seen() {
    #[track_caller]
    fn check(rule: fn(&[File]) -> Vec<String>, files: &[(&str, &str)], expected: &[&str]) {
        let file = |(path, text): &(&str, &str)| File { path: (*path).to_owned(), text: (*text).to_owned() };
        let files: Vec<File> = files.iter().map(file).collect();
        assert_eq!(rule(&files), expected);
    }

    let manifest = "[dependencies]\ngauntlet-core.workspace = true\ngauntlet-stats = { path = \"x\" }\n\
                    serde = \"1\"\n\n[dev-dependencies]\ngauntlet-games.workspace = true";
    check(strange_packages, &[("crates/run/Cargo.toml", manifest), ("Cargo.toml", manifest)], &[]);
    check(
        strange_packages,
        &[("crates/stats/Cargo.toml", manifest), ("crates/new/Cargo.toml", "")],
        &[
            "crates/stats/Cargo.toml: `stats` knows `core`",
            "crates/stats/Cargo.toml: `stats` knows `stats`",
            "crates/new/Cargo.toml: `new` is not in the list of packages",
        ],
    );

    let timed = "\nfn f() { Instant::now() } // Instant::now\n#[cfg(test)]\nmod t { use std::fs::File; }";
    check(worldly_uses, &[("crates/core/src/a.rs", timed)], &["crates/core/src/a.rs:2: `Instant::now`"]);
    let after =
        "#[cfg(test)]\nmod tests;\n#[cfg(test)]\nfn f() { env::var() }\nuse std::time::{Duration, Instant};";
    check(
        worldly_uses,
        &[("crates/core/src/a.rs", after)],
        &["crates/core/src/a.rs:5: `std::time::Instant`"],
    );
    check(
        worldly_uses,
        &[
            ("crates/core/src/arena/stopwatch.rs", timed),
            ("crates/run/src/a.rs", timed),
            ("src/cli/a.rs", timed),
        ],
        &[],
    );
    for (text, told) in [
        ("use std::fs;", "std::fs"),
        ("fn f() { std::env::var(\"x\") }", "std::env::var"),
        ("use std::{fmt, process::{self}};", "std::process"),
        ("fn f() { net::TcpStream::connect(x) }", "net::TcpStream::connect"),
        ("use std::thread as t;", "std::thread"),
        ("use rayon::prelude::*;", "rayon::prelude"),
        ("fn f() { cpu_time::ThreadTime::now() }", "cpu_time::ThreadTime::now"),
        ("fn f() -> fs::File {}", "fs::File"),
    ] {
        check(
            worldly_uses,
            &[("crates/core/src/game.rs", text)],
            &[&format!("crates/core/src/game.rs:1: `{told}`")],
        );
    }
    let harmless =
        "const V: &str = env!(\"V\"); struct File; // fs::read\nfn f() { a.process::<u8>(); crate::fs::f() }";
    check(worldly_uses, &[("crates/core/src/game.rs", harmless)], &[]);
    let idle = |path: &str| format!("{path} does not touch the world, and needs no permission");
    let all: Vec<String> = MAY_TOUCH_THE_WORLD.iter().map(|path| idle(path)).collect();
    let others: Vec<&str> =
        all.iter().filter(|idle| !idle.starts_with("src/process/")).map(|idle| &**idle).collect();
    check(idle_permissions, &[("crates/core/src/process/a.rs", timed)], &others);
    check(
        idle_permissions,
        &[("crates/core/src/process/a.rs", "")],
        &all.iter().map(|idle| &**idle).collect::<Vec<_>>(),
    );

    let starts =
        "use std::process::{Command, ExitCode};\nfn f() { process::Command::new(x) } // Command::new";
    check(
        processes,
        &[("src/cli/a.rs", starts), ("src/process.rs", starts), ("src/cli/b.rs", "use clap::Command;")],
        &["src/cli/a.rs:1: `std::process::Command`", "src/cli/a.rs:2: `process::Command::new`"],
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
            "src/players/x/c.rs:2: `x::c::Config` is not in the list of players",
            "src/players/x/c.rs:2: `x::c::EXAMPLE` is not in the list of players",
        ],
    );
    let root = ("crates/x-players/src/lib.rs", "a::Config a::EXAMPLE c::EXAMPLE");
    check(
        unregistered_players,
        &[root, ("crates/x-players/src/a.rs", example), ("crates/x-players/src/c.rs", example)],
        &["crates/x-players/src/c.rs:2: `c::Config` is not in the list of players"],
    );

    let long = |lines: usize, more: &str| "\n".repeat(lines) + more;
    let tests = "#[cfg(test)]\nmod tests {\n\n}\n";
    let just_right = [long(500, ""), long(500, tests), tests.to_owned() + &long(500, "")];
    for text in &just_right {
        check(long_files, &[("src/a.rs", text)], &[]);
    }
    let too_long = [long(501, ""), long(501, tests), tests.to_owned() + &long(501, "")];
    for text in &too_long {
        check(long_files, &[("src/a.rs", text)], &["src/a.rs:501: 501 lines without tests, not 500"]);
    }
    check(long_files, &[("src/a/tests.rs", &long(501, ""))], &[]);

    let function = |head: &str, indent: &str, lines: usize| {
        format!("{indent}{head} {{\n{}{indent}}}\n", format!("{indent}    {{}}\n").repeat(lines - 2))
    };
    for (head, indent) in [("fn f()", ""), ("pub(crate) const fn f<T>(of: T)", "    ")] {
        check(long_functions, &[("src/a.rs", &function(head, indent, 80))], &[]);
        let expected = "src/a.rs:1: a function of 81 lines";
        check(long_functions, &[("src/a.rs", &function(head, indent, 81))], &[expected]);
    }

    check(
        names_used_twice,
        &[
            ("crates/a/src/x.rs", "pub struct Config;\npub struct Rule<T>(T);\nstruct Own;"),
            ("crates/a/src/y.rs", "pub struct Config;\n\npub(crate) enum Rule {}\npub struct Own;"),
            ("crates/b/src/x.rs", "pub trait Rule {}\n#[cfg(test)]\nmod tests {\npub struct Own;\n}"),
            ("crates/b/src/y.rs", "pub struct Own;"),
        ],
        &["crates/a/src/y.rs:3: `Rule` is also in crates/a/src/x.rs"],
    );

    let home = format!("/{}/", "home");
    let text = format!("https://example.org{home}x, ..{home}x\nand {home}x");
    check(machine_paths, &[("a.md", &text)], &[&format!("a.md:2: {home}")]);
}

/// `.ci/lines` counts every line of the product, whatever its file is called, and no test.
#[test]
fn lines_of_code_are_those_of_the_product() {
    let folder = Folder::new();
    folder.write(".ci/lines", include_str!("../../.ci/lines"));
    let three = "fn one() {}\n\n// A comment.\nfn two() {}\n#[cfg(test)]\nmod tests {\n    use super::*;\n}\nfn three() {}\n";
    folder.write("src/main.rs", "#[cfg(test)]\nmod plain;\nmod search;\n");
    folder.write("src/plain.rs", three);
    folder.write("src/search/mod.rs", "mod vectors;\n#[cfg(test)]\npub(super) mod values;\n");
    folder.write("src/search/vectors.rs", three.replace("fn three() {}\n", ""));
    folder.write("src/search/values.rs", three);
    folder.write("python/src/lib.rs", "fn module() {}\n");
    folder.write("python/gauntlet/rows.py", "# A comment.\nimport csv\n\nROWS = []\n");
    let said = folder.shell("git init -q && bash .ci/lines").ends(0).out;
    let counts: BTreeMap<&str, &str> = said
        .lines()
        .filter_map(|line| line.trim().split_once("  ").map(|(count, room)| (room, count)))
        .collect();
    let expected = [("main.rs", "1"), ("src/search", "3"), ("python/lib.rs", "1"), ("python/gauntlet", "2")];
    for (room, count) in expected {
        assert!(counts.iter().any(|(known, own)| known.ends_with(room) && *own == count), "{room}: {said}");
    }
    assert_eq!(counts["in all"], "7", "{said}");
}
