//! Rules for the source. They determine which packages may depend on which, and which files may
//! touch the system. Files must not import each other in cycles. Clippy bounds the length of
//! functions.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::source::{File, Import, find_imports, read_sources};

/// The packages of the core with their permitted dependencies, besides external libraries. Games
/// and players know nothing of runs, runs know nothing of questions about their games, and
/// `analysis` knows nothing of the drivers that call it.
const PACKAGES: &[(&str, &[&str])] = &[
    ("stats", &[]),
    ("core", &["stats"]),
    ("methods", &["core", "stats"]),
    ("players", &["core"]),
    ("twenty48", &["core"]),
    ("twenty48-endgame", &["core", "twenty48"]),
    ("twenty48-players", &["core", "players", "twenty48", "twenty48-endgame"]),
    ("twenty48-search", &["core", "players", "twenty48", "twenty48-endgame"]),
    ("gomoku", &["core", "players"]),
    ("games", &["core", "gomoku", "players", "twenty48", "twenty48-players", "twenty48-search"]),
    ("run", &["core", "stats"]),
    ("analysis", &["core", "run", "stats"]),
    ("tune", &["analysis", "core", "methods", "run", "stats"]),
    ("train", &["analysis", "core", "run"]),
    ("report", &["analysis", "core", "run", "stats", "tune"]),
    ("cli", &["analysis", "core", "report", "run", "tune"]),
];

/// Packages in which nothing reads a clock, starts a thread or a process, opens a file or a socket,
/// or reads its environment.
const PURE_PACKAGES: &[&str] = &[
    "stats",
    "core",
    "methods",
    "players",
    "twenty48",
    "twenty48-players",
    "twenty48-search",
    "gomoku",
    "games",
];

/// Exceptions. They are the file system, the module that starts programs, memory for networks, the
/// arena's stopwatch and calibration loop, what the stopwatch leaves out, the reader of large
/// files, and the caches of the user. Games and players with time limits are exceptions too.
const MAY_TOUCH_THE_SYSTEM: &[&str] = &[
    "src/arena/stopwatch.rs",
    "src/arena/calibration.rs",
    "src/assets.rs",
    "src/user_cache.rs",
    "src/player/preparation.rs",
    "src/player/stop.rs",
    PROCESSES,
    "src/disk.rs",
    "src/memory.rs",
    "src/network/pages.rs",
    "src/laws/players.rs",
    "src/players/alphabeta/search.rs",
    "src/external.rs",
    "src/players/gomocup/engine.rs",
    "src/players/expectimax/",
    "src/budget.rs",
];

/// The module that starts processes, for external players.
const PROCESSES: &str = "src/process/";

/// Parts of the standard library, libraries and types that touch the system.
const SYSTEM: &[&str] = &[
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
const CLOCKS: &[&str] = &["Instant", "SystemTime"];

/// The most lines of a source file without its tests.
const MAX_LINES: usize = 500;

/// Returns the folders of packages that each package of the workspace depends on, besides in tests.
fn dependencies() -> Vec<(String, Vec<String>)> {
    let root = env!("CARGO_MANIFEST_DIR");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root)
        .output()
        .expect("cargo starts");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let folder = |path: &Value| {
        let path = path.as_str()?.strip_prefix(root)?.trim_end_matches("Cargo.toml");
        Some(path.trim_matches('/').replace('\\', "/"))
    };
    let packages = metadata["packages"].as_array().expect("packages").iter();
    packages
        .map(|package| {
            let entries = package["dependencies"].as_array().expect("a list").iter();
            let entries = entries.filter(|entry| entry["kind"] != "dev");
            let folders = entries.filter_map(|entry| folder(&entry["path"])).collect();
            (folder(&package["manifest_path"]).expect("a folder"), folders)
        })
        .collect()
}

/// Returns dependencies that are not permitted, and packages of the core without permissions.
/// Extras may use all packages of the core. Only the root package and the Python module may use
/// extras.
fn wrong_dependencies(packages: &[(String, Vec<String>)]) -> Vec<String> {
    let mut violations = Vec::new();
    for (package, used_packages) in packages {
        let name = package.strip_prefix("crates/");
        let permission = PACKAGES.iter().find(|(listed_name, _)| Some(*listed_name) == name);
        if name.is_some() && permission.is_none() {
            violations.push(format!("`{package}` is not in the list of packages"));
        }
        let is_allowed = |dependency: &&String| match dependency.strip_prefix("crates/") {
            Some(folder) => permission.is_none_or(|(_, allowed)| allowed.contains(&folder)),
            None => name.is_none() && !package.starts_with("extras/"),
        };
        let wrong_uses = used_packages.iter().filter(|dependency| !is_allowed(dependency));
        violations.extend(wrong_uses.map(|dependency| format!("`{package}` depends on `{dependency}`")));
    }
    violations
}

/// Returns the places where a file touches the system.
fn system_imports(file: &File) -> Vec<String> {
    let paths = find_imports(file).into_iter().filter(|import| {
        // Treats `env::var`, `std::env::var` and `use std::env` alike.
        let first = import.parts.iter().find(|part| *part != "std");
        first.is_some_and(|part| SYSTEM.contains(&&**part))
            || import.parts.iter().any(|part| CLOCKS.contains(&&**part))
    });
    paths.map(|import| location(file, &import)).collect()
}

fn location(file: &File, import: &Import) -> String {
    format!("{}:{}: `{}`", file.path, import.line, import.parts.join("::"))
}

/// Returns uses of the system in packages that must not use it, and processes that are started
/// outside of the module for that.
fn system_uses(files: &[File]) -> Vec<String> {
    let mut violations = Vec::new();
    for file in files {
        let is_quiet = PURE_PACKAGES.contains(&file.package());
        if is_quiet && !MAY_TOUCH_THE_SYSTEM.iter().any(|path| file.package_and_path().1.starts_with(path)) {
            violations.extend(system_imports(file));
        } else if !file.package_and_path().1.starts_with(PROCESSES) {
            let process_starts = find_imports(file).into_iter();
            let process_starts = process_starts
                .filter(|import| import.parts.windows(2).any(|pair| pair == ["process", "Command"]));
            violations.extend(process_starts.map(|import| location(file, &import)));
        }
    }
    violations
}

/// Returns exceptions that no file uses.
fn unused_permissions(files: &[File]) -> Vec<&'static str> {
    let is_used = |path: &str| {
        files
            .iter()
            .any(|file| file.package_and_path().1.starts_with(path) && !system_imports(file).is_empty())
    };
    MAY_TOUCH_THE_SYSTEM.iter().copied().filter(|path| !is_used(path)).collect()
}

/// Returns files that are too long.
fn long_files(files: &[File]) -> Vec<String> {
    let lengths = files.iter().map(|file| (&file.path, file.product_lines().count()));
    let too_long = lengths.filter(|&(_, lines)| lines > MAX_LINES);
    too_long.map(|(path, lines)| format!("{path}: {lines} lines without tests, not {MAX_LINES}")).collect()
}

/// The modules of a package, by their paths from its root.
struct Modules<'a> {
    files: BTreeMap<Vec<String>, (&'a File, Vec<Import>)>,
}

impl<'a> Modules<'a> {
    fn from_files(files: impl Iterator<Item = &'a File>) -> Modules<'a> {
        let files: Vec<&File> = files.filter(|file| file.package_and_path().1 != "src/main.rs").collect();
        let mut modules: BTreeMap<_, _> =
            files.iter().map(|&file| (module(file), (file, find_imports(file)))).collect();
        for file in files {
            for test in test_modules(&file.text) {
                let test = [module(file), vec![test.to_owned()]].concat();
                modules.retain(|path, _| !path.starts_with(&test));
            }
        }
        Modules { files: modules }
    }

    /// Returns the modules that a path leads to: the last module among its parts. If a module on
    /// the way only re-exports the item, the module that defines it follows.
    fn targets(&self, importer: &[String], parts: &[String]) -> Vec<Vec<String>> {
        let (mut path, mut rest) = (importer.to_vec(), parts);
        match &*parts[0] {
            "crate" => (path, rest) = (Vec::new(), &parts[1..]),
            "self" => rest = &parts[1..],
            "super" => {}
            child if self.files.contains_key(&[importer, &[child.to_owned()]].concat()) => {}
            name => {
                let Some(import) = self.import(importer, name).filter(|import| import.parts[0] != name)
                else {
                    return Vec::new();
                };
                return self.targets(importer, &[&import.parts[..], &parts[1..]].concat());
            }
        }
        while rest.first().is_some_and(|part| part == "super") {
            path.pop();
            rest = &rest[1..];
        }
        while let Some(part) = rest.first()
            && self.files.contains_key(&[&path[..], std::slice::from_ref(part)].concat())
        {
            path.push(part.clone());
            rest = &rest[1..];
        }
        let reexport = rest.first().and_then(|item| self.import(&path, item));
        let further_targets =
            reexport.map(|import| self.targets(&path, &[&import.parts[..], &rest[1..]].concat()));
        let mut targets = further_targets.unwrap_or_default();
        // If the head of a folder re-exports a name, its files may use the head as a facade to see
        // each other.
        if targets.is_empty() || !importer.starts_with(&path) {
            targets.insert(0, path);
        }
        targets
    }

    fn import(&self, module: &[String], name: &str) -> Option<&Import> {
        let (_, imports) = self.files.get(module)?;
        imports.iter().find(|import| import.name.as_deref() == Some(name))
    }

    /// Returns, for each folder, which of its members imports which, and where. The head of a
    /// folder has an empty name.
    fn folders(&self) -> BTreeMap<&[String], BTreeMap<(&str, String), String>> {
        let mut folders: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
        for (importer, (file, imports)) in &self.files {
            for import in imports {
                for target in
                    self.targets(importer, &import.parts).iter().filter(|target| *target != importer)
                {
                    let common = importer.iter().zip(target).take_while(|(one, other)| one == other).count();
                    let member = importer.get(common).map_or("", |name| name);
                    let other = target.get(common).cloned().unwrap_or_default();
                    let folder: &mut BTreeMap<_, _> = folders.entry(&importer[..common]).or_default();
                    folder.entry((member, other)).or_insert_with(|| location(file, import));
                }
            }
        }
        folders
    }
}

/// Returns the path of a file's module from the root of its package.
fn module(file: &File) -> Vec<String> {
    let path = file.package_and_path().1.trim_start_matches("src/").trim_end_matches(".rs");
    let mut names: Vec<String> = path.split('/').map(str::to_owned).collect();
    names.pop_if(|last| ["mod", "lib"].contains(&&**last));
    names
}

/// Returns the names of modules that a file declares for tests.
fn test_modules(text: &str) -> impl Iterator<Item = &str> {
    let declarations = text.split("#[cfg(test)]\n").skip(1).filter_map(|rest| rest.lines().next());
    declarations.filter_map(|line| line.trim().strip_suffix(';')?.split_once("mod ")).map(|(_, name)| name)
}

/// Returns imports in cycles, between members of a folder. Members that import no other one, or
/// that no other one imports, are removed until there are no more such members.
fn cycles(files: &[File]) -> Vec<String> {
    let packages: BTreeSet<&str> = files.iter().map(|file| file.package_and_path().0).collect();
    let mut cycles = Vec::new();
    for package in packages {
        let modules = Modules::from_files(files.iter().filter(|file| file.package_and_path().0 == package));
        for mut imports in modules.folders().into_values() {
            loop {
                let before = imports.len();
                let importers: BTreeSet<String> =
                    imports.keys().map(|(importer, _)| (*importer).to_owned()).collect();
                let imported: BTreeSet<String> = imports.keys().map(|(_, target)| target.clone()).collect();
                imports.retain(|(one, other), _| imported.contains(*one) && importers.contains(other));
                if imports.len() == before {
                    break;
                }
            }
            cycles.extend(imports.into_values());
        }
    }
    cycles
}

#[track_caller]
fn assert_empty<T: AsRef<str>>(violations: &[T]) {
    let lines: Vec<&str> = violations.iter().map(AsRef::as_ref).collect();
    assert!(violations.is_empty(), "\n{}\n", lines.join("\n"));
}

#[test]
fn packages_depend_on_lower_packages() {
    let packages = dependencies();
    assert!(packages.len() > PACKAGES.len(), "{packages:?}");
    assert_empty(&wrong_dependencies(&packages));
}

#[test]
fn only_permitted_files_touch_the_system() {
    assert_empty(&system_uses(&read_sources()));
    assert_empty(&unused_permissions(&read_sources()));
}

#[test]
fn files_are_short() {
    assert_empty(&long_files(&read_sources()));
}

#[test]
fn files_do_not_import_each_other_in_cycles() {
    assert_empty(&cycles(&read_sources()));
}

/// Each rule must be able to fail.
#[test]
fn violations_are_found() {
    let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
    let package = |name: &str, used_packages: &[&str]| {
        (
            name.to_owned(),
            used_packages.iter().map(|package_name| (*package_name).to_owned()).collect::<Vec<_>>(),
        )
    };
    let packages = [
        package("", &["crates/core", "extras/x"]),
        package("crates/run", &["crates/core", "crates/games", "extras/x"]),
        package("crates/new", &[]),
        package("extras/x", &["crates/run", "extras/live"]),
    ];
    let expected = [
        "`crates/run` depends on `crates/games`",
        "`crates/run` depends on `extras/x`",
        "`crates/new` is not in the list of packages",
        "`extras/x` depends on `extras/live`",
    ];
    assert_eq!(wrong_dependencies(&packages), expected);

    let uses = "// fs::read\nuse std::{\n    fmt,\n    time::{Duration as D, Instant},\n};\nfn f() { env::var(x); a.fs::<u8>() }\n\
                #[cfg(test)]\nmod tests {\n    use std::fs;\n}\nuse std::process::{self, Command as C};\n";
    let expected_uses =
        ["2: `std::time::Instant`", "6: `env::var`", "11: `std::process`", "11: `std::process::Command`"];
    let lines_in =
        |path: &str, lines: &[&str]| lines.iter().map(|line| format!("{path}:{line}")).collect::<Vec<_>>();
    for (path, expected_lines) in [
        ("crates/core/src/a.rs", &expected_uses[..]),
        ("crates/core/src/disk.rs", &expected_uses[3..]),
        ("crates/gomoku/src/a.rs", &expected_uses[..]),
        ("src/a.rs", &expected_uses[3..]),
        ("crates/core/src/process/a.rs", &[]),
    ] {
        assert_eq!(system_uses(&[file(path, uses)]), lines_in(path, expected_lines));
    }
    assert_eq!(unused_permissions(&[file("crates/core/src/process/a.rs", "")]), MAY_TOUCH_THE_SYSTEM);

    let tests = "    #[cfg(test)]\n    fn f() {\n\n    }\n";
    assert_eq!(long_files(&[file("src/a.rs", &(tests.to_owned() + &"\n".repeat(500)))]), [""; 0]);
    assert_eq!(long_files(&[file("src/a.rs", &("\n".repeat(501) + tests))]).len(), 1);
}

#[test]
fn cycles_are_found() {
    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let file =
            |(path, text): &(&str, &str)| File { path: format!("src/{path}.rs"), text: (*text).to_owned() };
        let places: Vec<String> = cycles(&files.iter().map(file).collect::<Vec<_>>())
            .iter()
            .map(|violation| violation.rsplit_once(": ").expect("a place").0.to_owned())
            .collect();
        assert_eq!(places, expected);
    }
    let (mod_file, a) = (("x/mod", "mod a;\nmod b;\nmod c;"), ("x/a", "use super::b::B;"));
    let cycle = &["src/x/a.rs:1", "src/x/b.rs:1"];
    check(&[mod_file, a, ("x/b", "use super::c::C;"), ("x/c", "")], &[]);
    for b in [
        "use super::a::A;",
        "use crate::{num, x::{self, a as other}};",
        "fn f() -> crate::x::a::A {}",
        "use super::{\n    super::num,\n    a,\n};",
    ] {
        check(&[mod_file, a, ("x/b", b)], cycle);
    }
    check(&[mod_file, a, ("x/b", "use crate::x;\nfn f() { x::a::f() }")], &["src/x/a.rs:1", "src/x/b.rs:2"]);
    check(
        &[mod_file, a, ("x/b", "mod inner {\n    use super::super::a::A;\n}")],
        &["src/x/a.rs:1", "src/x/b.rs:2"],
    );
    check(&[mod_file, a, ("x/b", "mod inner {\n    use super::A;\n}\npub(in crate::x) struct B;")], &[]);
    check(
        &[
            mod_file,
            a,
            ("x/b", "#[cfg(test)]\nuse super::a::A;\nuse std::a::A;\nfn f() { ::a::f(); g.a::<u8>() }"),
        ],
        &[],
    );
    check(&[("x/mod", "mod a;\n#[cfg(test)]\nmod b;"), a, ("x/b", "use super::a::A;")], &[]);
    check(
        &[mod_file, a, ("x/b", "use super::c::C;"), ("x/c", "use super::a::A;")],
        &["src/x/a.rs:1", "src/x/b.rs:1", "src/x/c.rs:1"],
    );
    // The head of a folder may be a facade.
    check(&[("x/mod", "mod a;\nuse a::A;"), ("x/a", "use super::Own;")], &["src/x/mod.rs:2", "src/x/a.rs:1"]);
    let facade = ("x/mod", "mod a;\nmod b;\npub use a::A;\npub use b::{B as Bee, f};");
    check(&[facade, ("x/a", "use super::Bee;"), ("x/b", "")], &[]);
    check(&[facade, ("x/a", "use super::Bee;"), ("x/b", "use super::A;")], cycle);
    // A folder is one member of its parent folder, and `lib.rs` is the head of its package.
    let inner = [
        ("x/mod", "mod a;\nmod y;"),
        ("x/y/mod", "mod c;"),
        ("x/y/c", "use crate::x::a::A;"),
        ("x/a", "use super::y::c::C;"),
    ];
    check(&inner, &["src/x/a.rs:1", "src/x/y/c.rs:1"]);
    check(&[("lib", "mod a;\nuse a::A;"), ("a", "use crate::B;")], &["src/lib.rs:2", "src/a.rs:1"]);
}
