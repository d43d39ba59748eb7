//! Sections of a file: structs of keys that are read from a table, with all mistakes and their
//! positions.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};

use super::content::{KeyContent, ValueType};
use super::tree::{PlacedValue, TomlTable, TomlValue};
use super::{SettingsTable, UnknownKey, find_unknown_keys, missing_message, words};
use crate::diagnostic::{Cause, Diagnostic};

/// Value with several named sections.
pub trait NamedSections: ValueType {
    /// One of the sections.
    type Row: Section;
}

/// Position of a section's header.
#[derive(Clone, Debug, Default)]
pub struct HeaderPosition(pub Range<usize>);

impl Deref for HeaderPosition {
    type Target = Range<usize>;

    fn deref(&self) -> &Range<usize> {
        &self.0
    }
}

/// Declared key of a section.
#[derive(Clone, Debug)]
pub struct KeyDeclaration {
    /// Name of the key.
    pub name: &'static str,
    /// Accepted values.
    pub kind: Cow<'static, str>,
    /// Default; empty if the key is required.
    pub default: &'static str,
    /// Meaning, line by line.
    pub meaning: &'static [&'static str],
}

impl KeyDeclaration {
    /// Returns the meaning without line breaks.
    pub fn sentence(&self) -> String {
        self.meaning.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
    }
}

/// Writes the key's row of the manual.
impl fmt::Display for KeyDeclaration {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let KeyDeclaration { name, kind, default, .. } = self;
        let default = if default.is_empty() { "required" } else { default };
        write!(f, "| `{name}` | {kind} | {default} | {} |", self.sentence())
    }
}

/// Declares a section. A key consists of its meaning, the method of [`KeyVisitor`] that reads it,
/// its name, the type of its field, its accepted values (`_` if the type knows them), and its
/// default unless it is required. `rest` is the field of all other keys; `also` adds fields, which
/// a method shows; `with` contains the rest of [`Section`].
#[macro_export]
macro_rules! declare {
    (@kind _ $type:ty) => { std::borrow::Cow::Owned(<$type as $crate::num::ValueKind>::kind()) };
    (@kind $kind:literal $type:ty) => { std::borrow::Cow::Borrowed($kind) };
    (
        $(#[$about:meta])*
        $vis:vis struct $name:ident {
            $($(#[doc = $meaning:literal])+
            $of:vis $way:ident $key:ident: $type:ty, $kind:tt $(, $default:literal)?;)*
        }
        $(rest { $rest_of:vis $rest:ident })?
        $(also { $($(#[$note:meta])* $with:vis $other:ident: $plain:ty,)* } by $show:ident)?
        $(with { $($item:item)* })?
    ) => {
        $(#[$about])*
        #[derive(Debug, Default)]
        $vis struct $name {
            /// Position of the section's header.
            $vis header: $crate::settings::section::HeaderPosition,
            $($(#[doc = $meaning])+ $of $key: $type,)*
            $(
                /// Keys that others interpret.
                $rest_of $rest: $crate::settings::tree::TomlTable,
            )?
            $($($(#[$note])* $with $other: $plain,)*)?
        }

        impl $crate::settings::section::Section for $name {
            fn keys(&mut self, keys: &mut $crate::settings::section::KeyVisitor) {
                keys.header(&mut self.header);
                $(keys.$way(
                    $crate::settings::section::KeyDeclaration {
                        name: stringify!($key),
                        kind: $crate::settings::section::declare!(@kind $kind $type),
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

/// Section of a file.
pub trait Section: Default {
    /// Passes each key with its field to `keys`, in the order of the manual. This one function
    /// serves to read a section and to list its keys.
    fn keys(&mut self, keys: &mut KeyVisitor);

    /// Returns the keys that fit the written ones; `None` if all keys fit.
    fn fitting_keys(_: &TomlTable) -> Option<&'static [&'static str]> {
        None
    }

    /// Noun for one of them, in a message about an empty list; empty if its key serves.
    const ONE: &'static str = "";

    /// Returns help for an unknown key that belongs to another section.
    fn help(_: &str) -> Option<String> {
        None
    }
}

/// Visitor of a section's keys.
pub struct KeyVisitor<'k> {
    /// Dotted name of the section; empty for the file itself.
    of: &'k str,
    way: Way<'k>,
}

/// What to do with the keys.
enum Way<'k> {
    List(&'k mut List),
    Read {
        from: &'k SettingsTable,
        known: &'k List,
        strays: &'k [UnknownKey],
        mistakes: &'k mut Vec<Diagnostic>,
    },
}

/// Collected keys of a section.
#[derive(Default)]
struct List {
    keys: Vec<KeyDeclaration>,
    /// Keys that others interpret.
    more: Vec<&'static str>,
    /// True if any other key is allowed.
    is_open: bool,
    /// Nested sections.
    sections: Vec<SectionKeys>,
}

/// Section with its keys.
pub struct SectionKeys {
    /// Dotted name; empty for the file itself.
    pub of: String,
    /// Header, such as `[[player]]`.
    pub header: String,
    /// Keys of the section.
    pub keys: Vec<KeyDeclaration>,
}

impl KeyVisitor<'_> {
    /// Visits the position of the section's header.
    pub fn header(&mut self, field: &mut HeaderPosition) {
        if let Way::Read { from, .. } = &self.way {
            *field = HeaderPosition(from.header.clone());
        }
    }

    /// Visits an optional key.
    pub fn key<T: ValueType>(&mut self, key: KeyDeclaration, field: &mut KeyContent<T>) {
        let name = key.name;
        match &mut self.way {
            Way::List(list) => list.keys.push(key),
            Way::Read { from, strays, mistakes, .. } => match from.table.get(name) {
                Some(written) => *field = KeyContent::read(written, mistakes),
                None => *field = KeyContent::absent(from.header.clone(), find_misspelled(strays, name)),
            },
        }
    }

    /// Visits a key whose value reads named sections.
    pub fn named_sections<T: NamedSections>(&mut self, key: KeyDeclaration, field: &mut KeyContent<T>) {
        let of = join_dotted(self.of, key.name);
        match &mut self.way {
            Way::List(list) => list.add::<T::Row>(key, &of, format!("[{of}]")),
            _ => self.key(key, field),
        }
    }

    /// Visits a required key.
    pub fn must<T: ValueType>(&mut self, key: KeyDeclaration, field: &mut KeyContent<T>) {
        let name = key.name;
        self.key(key, field);
        if let Way::Read { mistakes, .. } = &mut self.way
            && !field.is_written()
        {
            mistakes.push(field.missing(name, missing_message(name)));
        }
    }

    /// Visits a nested section with its own header.
    pub fn table<S: Section>(&mut self, key: KeyDeclaration, field: &mut Option<S>) {
        let (name, of) = (key.name, join_dotted(self.of, key.name));
        match &mut self.way {
            Way::List(list) => list.add::<S>(key, &of, format!("[{of}]")),
            Way::Read { from, mistakes, .. } => {
                let Some(written) = from.table.get(name) else { return };
                match written.get_ref() {
                    TomlValue::Table(table) => {
                        let from = SettingsTable { table: table.clone(), header: written.span() };
                        *field = Some(read(&of, S::default(), &from, mistakes));
                    }
                    _ => {
                        mistakes.push(Diagnostic::new(written.span(), format!("must be one table `[{of}]`")))
                    }
                }
            }
        }
    }

    /// Visits nested sections, each with a header in double brackets. Returns true if they are
    /// there, or were probably meant.
    pub fn tables<S: Section>(&mut self, key: KeyDeclaration, field: &mut Vec<S>) -> bool {
        let (name, of) = (key.name, join_dotted(self.of, key.name));
        match &mut self.way {
            Way::List(list) => list.add::<S>(key, &of, format!("[[{of}]]")),
            Way::Read { from, strays, mistakes, .. } => {
                let Some(written) = from.table.get(name) else {
                    return find_misspelled(strays, name).is_some();
                };
                let refusal =
                    |at: &PlacedValue| Diagnostic::new(at.span(), format!("must be a table `[[{of}]]`"));
                let items = match written.get_ref() {
                    TomlValue::List(items) => &items[..],
                    _ => std::slice::from_ref(written),
                };
                if items.is_empty() {
                    let thing = if S::ONE.is_empty() { name } else { S::ONE };
                    mistakes.push(Diagnostic::new(written.span(), format!("this list has no {thing}")));
                }
                // Single brackets instead of double ones are clear enough to continue.
                if !matches!(written.get_ref(), TomlValue::List(_)) {
                    mistakes.push(refusal(written));
                }
                for item in items {
                    match item.get_ref() {
                        TomlValue::Table(table) => {
                            let from = SettingsTable { table: table.clone(), header: item.span() };
                            field.push(read(&of, S::default(), &from, mistakes));
                        }
                        _ => mistakes.push(refusal(item)),
                    }
                }
            }
        }
        true
    }

    /// Visits keys that others interpret: the given ones, or all that are left.
    pub fn rest(&mut self, others: Option<&[&'static str]>, field: &mut TomlTable) {
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
        }
    }

    /// Records a mistake of the section.
    pub fn blame(&mut self, mistake: Diagnostic) {
        if let Way::Read { mistakes, .. } = &mut self.way {
            mistakes.push(mistake);
        }
    }
}

impl List {
    fn from_section<S: Section>(section: &mut S, of: &str) -> List {
        let mut list = List::default();
        section.keys(&mut KeyVisitor { of, way: Way::List(&mut list) });
        list
    }

    fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }

    fn has(&self, name: &str) -> bool {
        self.keys.iter().any(|key| key.name == name)
    }

    fn add<S: Section>(&mut self, key: KeyDeclaration, of: &str, header: String) {
        self.keys.push(key);
        let List { keys, sections, .. } = List::from_section(&mut S::default(), of);
        self.sections.push(SectionKeys { of: of.to_owned(), header, keys });
        self.sections.extend(sections);
    }

    /// Returns help for an unknown key of the section `of`, and its cause: the header that was
    /// probably meant, or the nested sections that have this key.
    fn help(&self, of: &str, stray: &UnknownKey, table: &TomlTable) -> Option<(String, Cause)> {
        let called = |name: &str| self.sections.iter().find(|section| section.of == name);
        if let Some(meant) = &stray.meant {
            let meant = join_dotted(of, meant);
            let help = format!("did you mean `{}`?", called(&meant)?.header);
            return Some((help, Cause::MisspeltHeader(meant)));
        }
        let has = |section: &&SectionKeys| section.keys.iter().any(|key| key.name == stray.key);
        let own: Vec<&SectionKeys> = self.sections.iter().filter(has).collect();
        let first = own.first()?;
        let is_section = |value: &PlacedValue| match value.get_ref() {
            TomlValue::Table(_) => true,
            TomlValue::List(items) => items.iter().all(|item| matches!(item.get_ref(), TomlValue::Table(_))),
            _ => false,
        };
        if table.get(&*stray.key).is_some_and(is_section) {
            let meant = join_dotted(&first.of, &stray.key);
            let header = called(&meant).map_or(format!("[{meant}]"), |section| section.header.clone());
            return Some((format!("did you mean `{header}`?"), Cause::MisspeltHeader(meant)));
        }
        let headers: Vec<&str> = own.iter().map(|section| &*section.header).collect();
        Some((format!("this is a key of {}", words::join_or(&headers, '`')), Cause::Other))
    }
}

/// Reads the section with this dotted name, with all mistakes. The initial `section` may determine
/// which keys it has.
pub fn read<S: Section>(of: &str, mut section: S, from: &SettingsTable, mistakes: &mut Vec<Diagnostic>) -> S {
    let known = List::from_section(&mut section, of);
    let fitting = S::fitting_keys(&from.table).map_or_else(|| known.names(), <[_]>::to_vec);
    let mut strays = find_unknown_keys(&from.table, &[fitting, known.more.clone()].concat());
    strays.retain(|stray| !known.is_open && !known.has(&stray.key));
    mistakes.extend(strays.iter().map(|stray| {
        let UnknownKey { key, mistake, .. } = stray;
        let help = S::help(key).map(|help| (help, Cause::Other));
        match help.or_else(|| known.help(of, stray, &from.table)) {
            Some((help, cause)) => Diagnostic { help: Some(help), cause, ..mistake.clone() },
            None => mistake.clone(),
        }
    }));
    section.keys(&mut KeyVisitor { of, way: Way::Read { from, known: &known, strays: &strays, mistakes } });
    section
}

/// Returns the names of a section's keys.
pub fn key_names<S: Section>() -> Vec<&'static str> {
    List::from_section(&mut S::default(), "").names()
}

/// Lists a section, under an empty name, and its nested sections.
pub fn list_sections<S: Section>(mut section: S) -> Vec<SectionKeys> {
    let List { keys, mut sections, .. } = List::from_section(&mut section, "");
    sections.insert(0, SectionKeys { of: String::new(), header: String::new(), keys });
    sections
}

/// Returns the position of the misspelled key that was probably meant to be this one.
fn find_misspelled(strays: &[UnknownKey], name: &str) -> Option<Range<usize>> {
    strays.iter().find(|stray| stray.meant.as_deref() == Some(name))?.mistake.span.clone()
}

fn join_dotted(of: &str, name: &str) -> String {
    if of.is_empty() { name.to_owned() } else { format!("{of}.{name}") }
}
