//! No cycles among the files of a folder: a file must be understandable from the files below it.
//!
//! A file names another one by any path to it: `super::x`, `self::x`, `crate::room::x`, in a `use`
//! or not. A name that `mod.rs` only re-exports (`pub use child::Item`) leads to the child, so a
//! folder may have a facade. A name that `mod.rs` defines leads to `mod.rs`, and `mod child;` alone
//! names nothing. A folder counts as one file of its parent folder, and `lib.rs` as the `mod.rs` of
//! its package. Cargo refuses cycles of packages. Test-only code is exempt.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::source::{File, Said, Written, said, sources};

/// The modules of a package, by their paths from the root.
struct House<'a> {
    files: Vec<(&'a File, Said<'a>)>,
    modules: BTreeMap<Vec<&'a str>, Module<'a>>,
}

#[derive(Default)]
struct Module<'a> {
    /// The index of its file.
    file: usize,
    /// Names that it re-exports, each with the path behind it.
    names: BTreeMap<&'a str, Vec<&'a str>>,
    is_test: bool,
}

impl<'a> House<'a> {
    fn of(files: impl Iterator<Item = &'a File>) -> House<'a> {
        let files: Vec<_> = files
            .filter(|file| file.inside() != "src/main.rs")
            .map(|file| (file, said(&file.text)))
            .collect();
        let mut modules = BTreeMap::new();
        for (place, (file, said)) in files.iter().enumerate() {
            let home = file.module();
            let held = said.held.iter().chain([const { &Vec::new() }]);
            for within in held {
                let named = |path: &&Written<'a>| path.within == *within && !path.is_test;
                let names = said.paths.iter().filter(named);
                let names = names.filter_map(|path| Some((path.name?, path.parts.clone()))).collect();
                let is_test = home.last() == Some(&"tests");
                modules.insert([&home[..], within].concat(), Module { file: place, names, is_test });
            }
        }
        for (file, said) in &files {
            for within in &said.tests {
                let tested = [&file.module()[..], within].concat();
                for (_, module) in modules.iter_mut().filter(|(path, _)| path.starts_with(&tested)) {
                    module.is_test = true;
                }
            }
        }
        House { files, modules }
    }

    /// Returns the absolute path of a path in a module; `None` if it leads out of the package.
    fn absolute(&self, module: &[&'a str], parts: &[&'a str]) -> Option<Vec<&'a str>> {
        let (first, rest) = parts.split_first()?;
        match *first {
            "crate" => Some(rest.to_vec()),
            "self" if rest.first() == Some(&"super") => self.absolute(module, rest),
            "self" => Some([module, rest].concat()),
            "super" => {
                let (_, parent) = module.split_last()?;
                match rest.first() {
                    Some(&"super") => self.absolute(parent, rest),
                    _ => Some([parent, rest].concat()),
                }
            }
            child => {
                let inside = [module, &[child]].concat();
                if self.modules.contains_key(&inside) {
                    return Some([&inside[..], rest].concat());
                }
                let named = self.modules.get(module)?.names.get(child)?;
                // A name that a `use` imports may be the name of its source.
                if named[0] == child {
                    return None;
                }
                self.absolute(module, &[&named[..], rest].concat())
            }
        }
    }

    /// Returns the module that defines a path's item, after the modules that only re-export it.
    fn led_by(&self, module: &[&'a str], parts: &[&'a str]) -> Vec<Vec<&'a str>> {
        let Some(path) = self.absolute(module, parts) else { return Vec::new() };
        let inside = (0..=path.len()).rev().find(|&end| self.modules.contains_key(&path[..end]));
        let Some(end) = inside else { return Vec::new() };
        let here = path[..end].to_vec();
        let mut led = vec![here.clone()];
        if let Some(passed) = path.get(end).and_then(|item| self.modules[&here].names.get(item)) {
            led.extend(self.led_by(&here, &[&passed[..], &path[end + 1..]].concat()));
        }
        led
    }

    /// Returns the uses of one member of a folder by another: in each folder, for each pair, the
    /// first place.
    fn named(&self) -> BTreeMap<Vec<&'a str>, Graph<'a>> {
        let mut folders: BTreeMap<Vec<&str>, Graph> = BTreeMap::new();
        for (file, said) in &self.files {
            let home = file.module();
            if self.modules[&home].is_test {
                continue;
            }
            for path in said.paths.iter().filter(|path| !path.is_test) {
                let led = self.led_by(&[&home[..], &path.within].concat(), &path.parts);
                let last = led.len().saturating_sub(1);
                for (place, module) in led.iter().enumerate() {
                    // If the head of a folder re-exports a name, it is the facade through which its
                    // files see each other.
                    let is_front = place < last && home.starts_with(module);
                    let module = &self.modules[module];
                    if is_front || module.is_test {
                        continue;
                    }
                    let there = self.files[module.file].0.module();
                    let common = home.iter().zip(&there).take_while(|(one, other)| one == other).count();
                    if home == there {
                        continue;
                    }
                    let member = |path: &[&'a str]| path.get(common).copied();
                    let places = folders.entry(home[..common].to_vec()).or_default();
                    places.entry(member(&home)).or_default().entry(member(&there)).or_insert((file, path.at));
                }
            }
        }
        folders
    }
}

/// The members of a folder (`None` is its head), and the place where each names another.
type Graph<'a> = BTreeMap<Option<&'a str>, BTreeMap<Option<&'a str>, (&'a File, usize)>>;

/// Returns the shortest path from one member to another.
fn way<'a>(graph: &Graph<'a>, from: Option<&'a str>, to: Option<&'a str>) -> Option<Vec<Option<&'a str>>> {
    let mut before = BTreeMap::from([(from, None)]);
    let mut queue = VecDeque::from([from]);
    while let Some(member) = queue.pop_front() {
        if member == to {
            let mut way: Vec<_> = std::iter::successors(Some(to), |member| before[member]).collect();
            way.reverse();
            return Some(way);
        }
        for &next in graph.get(&member).into_iter().flat_map(BTreeMap::keys) {
            before.entry(next).or_insert_with(|| {
                queue.push_back(next);
                Some(member)
            });
        }
    }
    None
}

/// Returns the cycles of each folder that has any: for each edge in a cycle, the shortest cycle
/// through it.
fn circles(files: &[File]) -> BTreeMap<String, Vec<String>> {
    let packages: BTreeSet<&str> = files.iter().map(File::package).collect();
    let mut circular = BTreeMap::new();
    for package in packages {
        let house = House::of(files.iter().filter(|file| file.package() == package));
        circular.extend(circles_of(package, &house));
    }
    circular
}

/// Returns the cycles of one package.
fn circles_of(package: &str, house: &House) -> BTreeMap<String, Vec<String>> {
    let mut circular = BTreeMap::new();
    for (folder, graph) in house.named() {
        let mut circles = BTreeSet::new();
        for (&from, named) in &graph {
            for &to in named.keys() {
                if let Some(mut members) = way(&graph, to, from) {
                    let first = (0..members.len()).min_by_key(|&place| members[place]).unwrap_or(0);
                    members.rotate_left(first);
                    circles.insert(members);
                }
            }
        }
        if circles.is_empty() {
            continue;
        }
        let folder = [&["src"], &folder[..]].concat().join("/");
        let show = |circle: &Vec<Option<&str>>| {
            let next = circle.iter().cycle().skip(1);
            let steps = circle.iter().zip(next).map(|(from, to)| {
                let (file, at) = graph[from][to];
                let name = file.inside().strip_prefix(&format!("{folder}/")).unwrap_or(file.inside());
                format!("{name}:{} names {}", file.line(at), to.unwrap_or("mod"))
            });
            steps.collect::<Vec<_>>().join(", ")
        };
        circular.insert(format!("{package}{folder}"), circles.iter().map(show).collect());
    }
    circular
}

#[test]
fn files_of_a_folder_do_not_name_each_other_in_circles() {
    let circular = circles(&sources()).into_iter();
    let complaints =
        circular.map(|(folder, circles)| format!("circles in {folder}:\n    {}", circles.join("\n    ")));
    let complaints: Vec<String> = complaints.collect();
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// The rule must be able to fail: it is tested on files that break it and files that do not.
#[test]
fn circles_are_seen() {
    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let file =
            |(path, text): &(&str, &str)| File { path: format!("src/{path}"), text: (*text).to_owned() };
        let files: Vec<File> = files.iter().map(file).collect();
        let told: Vec<String> = circles(&files)
            .into_iter()
            .flat_map(|(folder, circles)| {
                circles.into_iter().map(move |circle| format!("{folder}: {circle}"))
            })
            .collect();
        assert_eq!(told, expected);
    }

    let (mod_rs, a) = (("x/mod.rs", "mod a;\nmod b;\nmod c;"), ("x/a.rs", "use super::b::B;"));
    check(&[mod_rs, a, ("x/b.rs", "")], &[]);
    let two = "src/x: a.rs:1 names b, b.rs:2 names a";
    check(&[mod_rs, a, ("x/b.rs", "\nuse super::a::A;")], &[two]);
    check(&[mod_rs, a, ("x/b.rs", "\nfn f() -> crate::x::a::A {}")], &[two]);
    check(&[mod_rs, a, ("x/b.rs", "\nuse crate::{num, x::{self, a as other}};")], &[two]);
    check(&[mod_rs, a, ("x/b.rs", "use crate::x;\nfn f() { x::a::f() }")], &[two]);
    check(&[mod_rs, a, ("x/b.rs", "use super::super::x as room;\nfn f() { room::a::f() }")], &[two]);
    check(&[mod_rs, a, ("x/b.rs", "mod inner {\nuse super::super::a::A; }")], &[two]);
    check(&[mod_rs, a, ("x/b.rs", "const C: char = '\"';\nstatic A: super::a::A = '\"';")], &[two]);
    check(
        &[mod_rs, a, ("x/b.rs", "use super::c::C;"), ("x/c.rs", "\n\nfn f(a: &super::a::A) {}")],
        &["src/x: a.rs:1 names b, b.rs:1 names c, c.rs:3 names a"],
    );

    // Not names: comments, strings, visibilities, fields and methods, external names.
    check(
        &[
            mod_rs,
            a,
            ("x/b.rs", "// super::a::A\n/* super::a */ const S: &str = \"super::a \\\" super::a\";"),
        ],
        &[],
    );
    check(
        &[mod_rs, a, ("x/b.rs", "const S: &str = r#\"\" super::a\"#; const B: &[u8] = b\"super::a\";")],
        &[],
    );
    check(&[mod_rs, a, ("x/b.rs", "pub(in super::super::x::a) struct A(pub(super) u8);")], &[]);
    check(&[mod_rs, a, ("x/b.rs", "use std::a::A; fn f() { ::a::f(); g.a::<u8>(); a::f() }")], &[]);

    // Test-only code.
    check(&[mod_rs, a, ("x/b.rs", "#[cfg(test)]\nmod tests { use super::super::a::A; }")], &[]);
    check(&[mod_rs, a, ("x/b.rs", "#[cfg(test)]\n#[allow(x)]\npub fn f<A, B>() { super::a::f() }")], &[]);
    check(&[mod_rs, a, ("x/b.rs", "#[cfg(test)]\nuse super::a::A;\nuse super::c::C;"), ("x/c.rs", "")], &[]);
    check(&[mod_rs, a, ("x/b.rs", "#[cfg(test)] mod tests {}\nuse super::a::A;")], &[two]);
    check(&[mod_rs, a, ("x/b.rs", "#[cfg(test)] fn f() {}\nuse super::a::A;")], &[two]);
    check(&[("x/mod.rs", "mod a;\n#[cfg(test)]\nmod b;"), a, ("x/b.rs", "use super::a::A;")], &[]);
    check(&[mod_rs, ("x/a.rs", "#[cfg(test)] mod tests;"), ("x/a/tests.rs", "use super::*;")], &[]);

    // The head of a folder names its files, and is named for items that it defines.
    check(&[("x/mod.rs", "mod a;\nuse a::A;"), ("x/a.rs", "")], &[]);
    let head = "src/x: mod.rs:2 names a, a.rs:1 names mod";
    check(&[("x/mod.rs", "mod a;\nfn f() { a::A::new() }"), ("x/a.rs", "use super::Own;")], &[head]);
    check(&[("x/mod.rs", "mod a;\nuse self::a::A;"), ("x/a.rs", "use super::*;")], &[head]);
    check(&[("x/mod.rs", "mod a;\nuse a::A;"), ("x/a.rs", "fn f() -> crate::x::Own {}")], &[head]);
    check(&[("x/mod.rs", "mod a;\nfn f() {}"), ("x/a.rs", "use super::f;")], &[]);
    let front = ("x/mod.rs", "mod a;\nmod b;\npub use a::A;\npub use b::{B as Bee, f};");
    check(&[front, ("x/a.rs", "use super::Bee;"), ("x/b.rs", "")], &[]);
    check(&[front, ("x/a.rs", "use super::f;"), ("x/b.rs", "\nuse super::A;")], &[two]);

    // A file that re-exports a name is named, and so is the file that defines it.
    let passing = ("x/b.rs", "pub use super::c::C;");
    check(&[mod_rs, ("x/a.rs", "use super::b::C;"), passing, ("x/c.rs", "")], &[]);
    check(
        &[mod_rs, ("x/a.rs", "use super::b::C;"), passing, ("x/c.rs", "use super::a::A;")],
        &["src/x: a.rs:1 names b, b.rs:1 names c, c.rs:1 names a", "src/x: a.rs:1 names c, c.rs:1 names a"],
    );

    // The root of a package is a folder too, and each package has separate modules.
    let lib = ("lib.rs", "pub mod a;\npub mod b;");
    let two = "src: a.rs:1 names b, b.rs:2 names a";
    check(&[lib, ("a.rs", "use super::b::B;"), ("b.rs", "\nuse crate::a::A;")], &[two]);
    check(&[lib, ("a.rs", "use super::b::B;"), ("b/mod.rs", "")], &[]);

    // A nested folder is one file of its parent, and is checked by itself.
    let inner =
        [("x/mod.rs", "mod a;\nmod y;"), ("x/y/mod.rs", "mod c;\nmod d;"), ("x/a.rs", "use super::y::d::D;")];
    let beside = |c, d| [&inner[..], &[("x/y/c.rs", c), ("x/y/d.rs", d)]].concat();
    check(&beside("use super::d::D;", ""), &[]);
    check(&beside("", "use super::super::a::A;"), &["src/x: a.rs:1 names y, y/d.rs:1 names a"]);
    check(&beside("use super::d::D;", "use super::c::C;"), &["src/x/y: c.rs:1 names d, d.rs:1 names c"]);
    let inline = ("x/mod.rs", "pub mod y {\npub mod c;\nmod d; }\nconst C: u8 = y::c::C;");
    check(&[inline, ("x/y/c.rs", "use super::d::D;"), ("x/y/d.rs", "")], &[]);
    check(
        &[inline, ("x/y/c.rs", "use super::d::D;"), ("x/y/d.rs", "use super::super::C;")],
        &["src/x: mod.rs:4 names y, y/d.rs:1 names mod"],
    );
    check(
        &[("x/y.rs", "mod c;\nuse c::C;"), ("x/y/c.rs", "use super::Y;")],
        &["src/x/y: src/x/y.rs:2 names c, c.rs:1 names mod"],
    );
}
