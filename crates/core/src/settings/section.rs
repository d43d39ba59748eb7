//! The sections of a file, as written: a struct of keys that is read from a table, with every
//! mistake at its place, and written as TOML again.

use std::fmt;
use std::ops::{Deref, Range};

use super::content::{Said, Wire};
use super::tree::{self, Placed, Table, Value};
use super::{Stray, Written, missing, strays, words};
use crate::diagnostic::Diagnostic;

/// A value that has a section under each of some names.
pub trait Rows: Wire {
    /// One of the sections.
    type Row: Section;
}

/// The place of a section's header. It is nothing that the section says, so any two are equal.
#[derive(Clone, Debug, Default)]
pub struct Header(pub Range<usize>);

impl PartialEq for Header {
    fn eq(&self, _: &Header) -> bool {
        true
    }
}

impl Deref for Header {
    type Target = Range<usize>;

    fn deref(&self) -> &Range<usize> {
        &self.0
    }
}

/// A key of a section, as it is declared.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What may stand under it.
    pub kind: &'static str,
    /// What holds where it is not written; empty if it must be.
    pub default: &'static str,
    /// Its meaning, line by line.
    pub meaning: &'static [&'static str],
}

/// Its row in the manual.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Key { name, kind, default, meaning } = self;
        let default = if default.is_empty() { "required" } else { default };
        let meaning: Vec<&str> = meaning.iter().map(|line| line.trim()).collect();
        write!(f, "| `{name}` | {kind} | {default} | {} |", meaning.join(" "))
    }
}

/// Declares a section. A key is its meaning, the method of [`Keys`] that reads and writes it, its
/// name, the type of its field, what may stand under it, and its default unless it is required.
/// `rest` is the field of all other keys; `also` adds fields, which a method shows; `with` has the
/// rest of [`Section`].
#[macro_export]
macro_rules! declare {
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident {
            $($(#[doc = $meaning:literal])+
            $of:vis $way:ident $key:ident: $type:ty, $kind:literal $(, $default:literal)?;)*
        }
        $(rest { $rest_of:vis $rest:ident })?
        $(also { $($(#[$note:meta])* $with:vis $other:ident: $plain:ty,)* } by $show:ident)?
        $(with { $($item:item)* })?
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq)]
        $vis struct $name {
            /// The place of its header.
            $vis header: $crate::settings::section::Header,
            $($(#[doc = $meaning])+ $of $key: $type,)*
            $(
                /// Keys that only others know.
                $rest_of $rest: $crate::settings::tree::Table,
            )?
            $($($(#[$note])* $with $other: $plain,)*)?
        }

        impl $crate::settings::section::Section for $name {
            fn keys(&mut self, keys: &mut $crate::settings::section::Keys) {
                keys.header(&mut self.header);
                $(keys.$way(
                    $crate::settings::section::Key {
                        name: stringify!($key),
                        kind: $kind,
                        default: concat!($($default)?),
                        meaning: &[$($meaning),+],
                    },
                    &mut self.$key,
                );)*
                $(keys.rest(None, &mut self.$rest);)?
                $(self.$show(keys);)?
            }

            $($($item)*)?
        }
    };
}
pub use declare;

/// A section of a file.
pub trait Section: Clone + Default {
    /// Shows each key with its field, in the order of the manual. This one function reads a
    /// section, writes it, and lists its keys.
    fn keys(&mut self, keys: &mut Keys);

    /// The keys that fit those that are written; all of them where this is not said.
    fn fitting(_: &Table) -> Option<&'static [&'static str]> {
        None
    }

    /// One of them, in a message about a list that has none; empty where that is its key.
    const ONE: &'static str = "";

    /// Help for an unknown key that is one of another section.
    fn help(_: &str) -> Option<String> {
        None
    }
}

/// The keys of a section, as it shows them.
pub struct Keys<'k> {
    /// The dotted name of the section; empty for the file.
    of: &'k str,
    way: Way<'k>,
}

/// Uses of the keys.
enum Way<'k> {
    List(&'k mut List),
    Read { from: &'k Written, known: &'k List, strays: &'k [Stray], mistakes: &'k mut Vec<Diagnostic> },
    Write(&'k mut Table),
}

/// The keys of a section.
#[derive(Default)]
struct List {
    keys: Vec<Key>,
    /// Those that others know.
    more: Vec<&'static str>,
    /// True if any other key is allowed.
    is_open: bool,
    /// The sections within.
    sections: Vec<Listed>,
}

/// A section with its keys.
pub struct Listed {
    /// Its dotted name; empty for the file.
    pub of: String,
    /// Its header, as `[[player]]`.
    pub header: String,
    /// Its keys.
    pub keys: Vec<Key>,
}

impl Keys<'_> {
    /// The place of the section's header.
    pub fn header(&mut self, field: &mut Header) {
        if let Way::Read { from, .. } = &self.way {
            *field = Header(from.header.clone());
        }
    }

    /// A key.
    pub fn key<T: Wire>(&mut self, key: Key, field: &mut Said<T>) {
        let name = key.name;
        match &mut self.way {
            Way::List(list) => list.keys.push(key),
            Way::Read { from, strays, mistakes, .. } => match from.table.get(name) {
                Some(written) => *field = Said::read(written, mistakes),
                None => field.misspell(meant(strays, name)),
            },
            Way::Write(to) => {
                if let Some(value) = field.value() {
                    insert(to, name, value.write());
                }
            }
        }
    }

    /// A key under which names have a section each, which its value reads.
    pub fn named<T: Rows>(&mut self, key: Key, field: &mut Said<T>) {
        let of = dotted(self.of, key.name);
        match &mut self.way {
            Way::List(list) => list.add::<T::Row>(key, &of, format!("[{of}]")),
            _ => self.key(key, field),
        }
    }

    /// A key that must be there.
    pub fn must<T: Wire>(&mut self, key: Key, field: &mut Said<T>) {
        self.key(key, field);
        if let Way::Read { from, mistakes, .. } = &mut self.way
            && !field.is_written()
        {
            mistakes.push(field.blame(&from.header, missing(key.name)));
        }
    }

    /// A section within, under a header of its own.
    pub fn table<S: Section>(&mut self, key: Key, field: &mut Option<S>) {
        let (name, of) = (key.name, dotted(self.of, key.name));
        match &mut self.way {
            Way::List(list) => list.add::<S>(key, &of, format!("[{of}]")),
            Way::Read { from, mistakes, .. } => {
                let Some(written) = from.table.get(name) else { return };
                match written.get_ref() {
                    Value::Table(table) => {
                        let from = Written { table: table.clone(), header: written.span() };
                        *field = Some(read(&of, S::default(), &from, mistakes));
                    }
                    _ => mistakes
                        .push(Diagnostic::at(written.span(), format!("must be one table headed `[{of}]`"))),
                }
            }
            Way::Write(to) => {
                if let Some(section) = field {
                    insert(to, name, Value::Table(table(section)));
                }
            }
        }
    }

    /// Sections within, each under a header in double brackets. Tells whether they are there, or
    /// were probably meant to be.
    pub fn tables<S: Section>(&mut self, key: Key, field: &mut Vec<S>) -> bool {
        let (name, of) = (key.name, dotted(self.of, key.name));
        match &mut self.way {
            Way::List(list) => list.add::<S>(key, &of, format!("[[{of}]]")),
            Way::Read { from, strays, mistakes, .. } => {
                let Some(written) = from.table.get(name) else { return meant(strays, name).is_some() };
                let refusal =
                    |at: &Placed| Diagnostic::at(at.span(), format!("must be a table headed `[[{of}]]`"));
                let items = match written.get_ref() {
                    Value::List(items) => &items[..],
                    _ => std::slice::from_ref(written),
                };
                if items.is_empty() {
                    let thing = if S::ONE.is_empty() { name } else { S::ONE };
                    mistakes
                        .push(Diagnostic::at(written.span(), format!("there is no {thing} in this list")));
                }
                // One pair of brackets in place of two is clear enough to go on.
                if !matches!(written.get_ref(), Value::List(_)) {
                    mistakes.push(refusal(written));
                }
                for item in items {
                    match item.get_ref() {
                        Value::Table(table) => {
                            let from = Written { table: table.clone(), header: item.span() };
                            field.push(read(&of, S::default(), &from, mistakes));
                        }
                        _ => mistakes.push(refusal(item)),
                    }
                }
            }
            Way::Write(to) if !field.is_empty() => {
                let sections = field.iter().map(|section| tree::unplaced(Value::Table(table(section))));
                insert(to, name, Value::List(sections.collect()));
            }
            Way::Write(_) => {}
        }
        true
    }

    /// Keys that only others know: these, or where none are named all that are left.
    pub fn rest(&mut self, others: Option<&[&'static str]>, field: &mut Table) {
        match &mut self.way {
            Way::List(list) => {
                list.is_open |= others.is_none();
                list.more.extend(others.unwrap_or_default());
            }
            Way::Read { from, known, .. } => {
                let is_rest = |key: &str| match others {
                    Some(others) => others.contains(&key),
                    None => !known.has(key),
                };
                let rest = from.table.iter().filter(|(key, _)| is_rest(key.get_ref()));
                *field = rest.map(|(key, value)| (key.clone(), value.clone())).collect();
            }
            Way::Write(to) => to.extend(field.iter().map(|(key, value)| (key.clone(), value.clone()))),
        }
    }

    /// A mistake of the section.
    pub fn blame(&mut self, mistake: Diagnostic) {
        if let Way::Read { mistakes, .. } = &mut self.way {
            mistakes.push(mistake);
        }
    }
}

impl List {
    fn of<S: Section>(section: &mut S, of: &str) -> List {
        let mut list = List::default();
        section.keys(&mut Keys { of, way: Way::List(&mut list) });
        list
    }

    fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }

    fn has(&self, name: &str) -> bool {
        self.keys.iter().any(|key| key.name == name)
    }

    fn add<S: Section>(&mut self, key: Key, of: &str, header: String) {
        self.keys.push(key);
        let List { keys, sections, .. } = List::of(&mut S::default(), of);
        self.sections.push(Listed { of: of.to_owned(), header, keys });
        self.sections.extend(sections);
    }

    /// Help for a stray key of the section `of`: the header that was probably meant, or the
    /// sections within that have this key.
    fn help(&self, of: &str, stray: &Stray, table: &Table) -> Option<String> {
        let called = |name: &str| self.sections.iter().find(|section| section.of == name);
        if let Some(meant) = &stray.meant {
            return Some(format!("did you mean `{}`?", called(&dotted(of, meant))?.header));
        }
        let has = |section: &&Listed| section.keys.iter().any(|key| key.name == stray.key);
        let own: Vec<&Listed> = self.sections.iter().filter(has).collect();
        let first = own.first()?;
        let is_section = |value: &Placed| match value.get_ref() {
            Value::Table(_) => true,
            Value::List(items) => items.iter().all(|item| matches!(item.get_ref(), Value::Table(_))),
            _ => false,
        };
        if table.get(&*stray.key).is_some_and(is_section) {
            let meant = dotted(&first.of, &stray.key);
            let header = called(&meant).map_or(format!("[{meant}]"), |section| section.header.clone());
            return Some(format!("did you mean `{header}`?"));
        }
        let headers: Vec<&str> = own.iter().map(|section| &*section.header).collect();
        Some(format!("it is a key of {}", words::either(&headers, '`')))
    }
}

/// Reads a section of this dotted name, with all mistakes in it. What it is begun as may say which
/// keys it has.
pub fn read<S: Section>(of: &str, mut section: S, from: &Written, mistakes: &mut Vec<Diagnostic>) -> S {
    let known = List::of(&mut section, of);
    let fitting = S::fitting(&from.table).map_or_else(|| known.names(), <[_]>::to_vec);
    let mut strays = strays(&from.table, &[fitting, known.more.clone()].concat());
    strays.retain(|stray| !known.is_open && !known.has(&stray.key));
    mistakes.extend(strays.iter().map(|stray| {
        let Stray { key, mistake, .. } = stray;
        let help =
            S::help(key).or_else(|| known.help(of, stray, &from.table)).or_else(|| mistake.help.clone());
        Diagnostic { help, ..mistake.clone() }
    }));
    section.keys(&mut Keys { of, way: Way::Read { from, known: &known, strays: &strays, mistakes } });
    section
}

/// A section as a table.
pub fn table<S: Section>(section: &S) -> Table {
    let mut table = Table::new();
    section.clone().keys(&mut Keys { of: "", way: Way::Write(&mut table) });
    table
}

fn insert(table: &mut Table, name: &str, value: Value) {
    table.insert(tree::unplaced(name.to_owned()), tree::unplaced(value));
}

/// The keys of a section.
pub fn names<S: Section>() -> Vec<&'static str> {
    List::of(&mut S::default(), "").names()
}

/// Lists a section, under an empty name, and the sections inside it.
pub fn listed<S: Section>() -> Vec<Listed> {
    let List { keys, mut sections, .. } = List::of(&mut S::default(), "");
    sections.insert(0, Listed { of: String::new(), header: String::new(), keys });
    sections
}

/// Where the key stands that was probably meant to be this one.
fn meant(strays: &[Stray], name: &str) -> Option<Range<usize>> {
    strays.iter().find(|stray| stray.meant.as_deref() == Some(name))?.mistake.span.clone()
}

fn dotted(of: &str, name: &str) -> String {
    if of.is_empty() { name.to_owned() } else { format!("{of}.{name}") }
}
