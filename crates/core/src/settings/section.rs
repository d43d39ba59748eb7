//! Sections of a file: structs of keys that are read from a table, with all mistakes and their
//! positions.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};

use super::content::{KeyContent, ValueType};
use super::tree::{PlacedValue, TomlTable, TomlValue};
use super::{SettingsTable, UnknownKey, find_unknown_keys, missing_message, wording};
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
    const ITEM_NOUN: &'static str = "";

    /// Returns help for an unknown key that belongs to another section.
    fn help(_: &str) -> Option<String> {
        None
    }
}

/// Visitor of a section's keys.
pub struct KeyVisitor<'k> {
    /// Dotted name of the section; empty for the file itself.
    section_name: &'k str,
    mode: VisitMode<'k>,
}

/// What to do with the keys.
enum VisitMode<'k> {
    List(&'k mut KeyList),
    Read {
        settings: &'k SettingsTable,
        key_list: &'k KeyList,
        unknown_keys: &'k [UnknownKey],
        mistakes: &'k mut Vec<Diagnostic>,
    },
}

/// Collected keys of a section.
#[derive(Default)]
struct KeyList {
    keys: Vec<KeyDeclaration>,
    /// Keys that others interpret.
    other_keys: Vec<&'static str>,
    /// True if any other key is allowed.
    is_open: bool,
    /// Nested sections.
    sections: Vec<SectionKeys>,
}

/// Section with its keys.
pub struct SectionKeys {
    /// Dotted name; empty for the file itself.
    pub name: String,
    /// Header, such as `[[player]]`.
    pub header: String,
    /// Keys of the section.
    pub keys: Vec<KeyDeclaration>,
}

impl KeyVisitor<'_> {
    /// Visits the position of the section's header.
    pub fn header(&mut self, field: &mut HeaderPosition) {
        if let VisitMode::Read { settings, .. } = &self.mode {
            *field = HeaderPosition(settings.header.clone());
        }
    }

    /// Visits an optional key.
    pub fn key<T: ValueType>(&mut self, key: KeyDeclaration, field: &mut KeyContent<T>) {
        let name = key.name;
        match &mut self.mode {
            VisitMode::List(list) => list.keys.push(key),
            VisitMode::Read { settings, unknown_keys, mistakes, .. } => match settings.table.get(name) {
                Some(value) => *field = KeyContent::read(value, mistakes),
                None => {
                    *field = KeyContent::absent(settings.header.clone(), find_misspelled(unknown_keys, name))
                }
            },
        }
    }

    /// Visits a key whose value reads named sections.
    pub fn named_sections<T: NamedSections>(&mut self, key: KeyDeclaration, field: &mut KeyContent<T>) {
        let section_name = join_dotted(self.section_name, key.name);
        match &mut self.mode {
            VisitMode::List(list) => list.add::<T::Row>(key, &section_name, format!("[{section_name}]")),
            _ => self.key(key, field),
        }
    }

    /// Visits a required key.
    pub fn must<T: ValueType>(&mut self, key: KeyDeclaration, field: &mut KeyContent<T>) {
        let name = key.name;
        self.key(key, field);
        if let VisitMode::Read { mistakes, .. } = &mut self.mode
            && !field.is_written()
        {
            mistakes.push(field.missing(name, missing_message(name)));
        }
    }

    /// Visits a nested section with its own header.
    pub fn table<S: Section>(&mut self, key: KeyDeclaration, field: &mut Option<S>) {
        let (name, section_name) = (key.name, join_dotted(self.section_name, key.name));
        match &mut self.mode {
            VisitMode::List(list) => list.add::<S>(key, &section_name, format!("[{section_name}]")),
            VisitMode::Read { settings, mistakes, .. } => {
                let Some(value) = settings.table.get(name) else { return };
                match value.get_ref() {
                    TomlValue::Table(table) => {
                        let section_settings = SettingsTable { table: table.clone(), header: value.span() };
                        *field = Some(read(&section_name, S::default(), &section_settings, mistakes));
                    }
                    _ => mistakes
                        .push(Diagnostic::new(value.span(), format!("must be one table `[{section_name}]`"))),
                }
            }
        }
    }

    /// Visits nested sections, each with a header in double brackets. Returns true if they are
    /// there, or were probably meant.
    pub fn tables<S: Section>(&mut self, key: KeyDeclaration, field: &mut Vec<S>) -> bool {
        let (name, section_name) = (key.name, join_dotted(self.section_name, key.name));
        match &mut self.mode {
            VisitMode::List(list) => list.add::<S>(key, &section_name, format!("[[{section_name}]]")),
            VisitMode::Read { settings, unknown_keys, mistakes, .. } => {
                let Some(value) = settings.table.get(name) else {
                    return find_misspelled(unknown_keys, name).is_some();
                };
                let table_mistake = |item: &PlacedValue| {
                    Diagnostic::new(item.span(), format!("must be a table `[[{section_name}]]`"))
                };
                let items = match value.get_ref() {
                    TomlValue::List(items) => &items[..],
                    _ => std::slice::from_ref(value),
                };
                if items.is_empty() {
                    let noun = if S::ITEM_NOUN.is_empty() { name } else { S::ITEM_NOUN };
                    mistakes.push(Diagnostic::new(value.span(), format!("this list has no {noun}")));
                }
                // Single brackets instead of double ones are clear enough to continue.
                if !matches!(value.get_ref(), TomlValue::List(_)) {
                    mistakes.push(table_mistake(value));
                }
                for item in items {
                    match item.get_ref() {
                        TomlValue::Table(table) => {
                            let section_settings =
                                SettingsTable { table: table.clone(), header: item.span() };
                            field.push(read(&section_name, S::default(), &section_settings, mistakes));
                        }
                        _ => mistakes.push(table_mistake(item)),
                    }
                }
            }
        }
        true
    }

    /// Visits keys that others interpret: the given ones, or all that are left.
    pub fn rest(&mut self, others: Option<&[&'static str]>, field: &mut TomlTable) {
        match &mut self.mode {
            VisitMode::List(list) => {
                list.is_open |= others.is_none();
                list.other_keys.extend(others.unwrap_or_default());
            }
            VisitMode::Read { settings, key_list, .. } => {
                let is_rest = |key: &str| match others {
                    Some(others) => others.contains(&key),
                    None => !key_list.has(key),
                };
                let rest = settings.table.iter().filter(|(key, _)| is_rest(key.get_ref()));
                *field = rest.map(|(key, value)| (key.clone(), value.clone())).collect();
            }
        }
    }

    /// Records a mistake of the section.
    pub fn blame(&mut self, mistake: Diagnostic) {
        if let VisitMode::Read { mistakes, .. } = &mut self.mode {
            mistakes.push(mistake);
        }
    }
}

impl KeyList {
    fn from_section<S: Section>(section: &mut S, section_name: &str) -> KeyList {
        let mut list = KeyList::default();
        section.keys(&mut KeyVisitor { section_name, mode: VisitMode::List(&mut list) });
        list
    }

    fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }

    fn has(&self, name: &str) -> bool {
        self.keys.iter().any(|key| key.name == name)
    }

    fn add<S: Section>(&mut self, key: KeyDeclaration, section_name: &str, header: String) {
        self.keys.push(key);
        let KeyList { keys, sections, .. } = KeyList::from_section(&mut S::default(), section_name);
        self.sections.push(SectionKeys { name: section_name.to_owned(), header, keys });
        self.sections.extend(sections);
    }

    /// Returns help for an unknown key of the section `section_name`, and its cause: the header
    /// that was probably meant, or the nested sections that have this key.
    fn help(
        &self,
        section_name: &str,
        unknown_key: &UnknownKey,
        table: &TomlTable,
    ) -> Option<(String, Cause)> {
        let find_section = |name: &str| self.sections.iter().find(|section| section.name == name);
        if let Some(suggestion) = &unknown_key.suggestion {
            let suggested_name = join_dotted(section_name, suggestion);
            let help = format!("did you mean `{}`?", find_section(&suggested_name)?.header);
            return Some((help, Cause::MisspeltHeader(suggested_name)));
        }
        let has_key = |section: &&SectionKeys| section.keys.iter().any(|key| key.name == unknown_key.key);
        let matching_sections: Vec<&SectionKeys> = self.sections.iter().filter(has_key).collect();
        let first = matching_sections.first()?;
        let is_section = |value: &PlacedValue| match value.get_ref() {
            TomlValue::Table(_) => true,
            TomlValue::List(items) => items.iter().all(|item| matches!(item.get_ref(), TomlValue::Table(_))),
            _ => false,
        };
        if table.get(&*unknown_key.key).is_some_and(is_section) {
            let suggested_name = join_dotted(&first.name, &unknown_key.key);
            let header = find_section(&suggested_name)
                .map_or(format!("[{suggested_name}]"), |section| section.header.clone());
            return Some((format!("did you mean `{header}`?"), Cause::MisspeltHeader(suggested_name)));
        }
        let headers: Vec<&str> = matching_sections.iter().map(|section| &*section.header).collect();
        Some((format!("this is a key of {}", wording::join_or(&headers, '`')), Cause::Other))
    }
}

/// Reads the section with this dotted name, with all mistakes. The initial `section` may determine
/// which keys it has.
pub fn read<S: Section>(
    section_name: &str,
    mut section: S,
    settings: &SettingsTable,
    mistakes: &mut Vec<Diagnostic>,
) -> S {
    let key_list = KeyList::from_section(&mut section, section_name);
    let fitting_keys = S::fitting_keys(&settings.table).map_or_else(|| key_list.names(), <[_]>::to_vec);
    let mut unknown_keys =
        find_unknown_keys(&settings.table, &[fitting_keys, key_list.other_keys.clone()].concat());
    unknown_keys.retain(|unknown_key| !key_list.is_open && !key_list.has(&unknown_key.key));
    mistakes.extend(unknown_keys.iter().map(|unknown_key| {
        let UnknownKey { key, mistake, .. } = unknown_key;
        let help = S::help(key).map(|help| (help, Cause::Other));
        match help.or_else(|| key_list.help(section_name, unknown_key, &settings.table)) {
            Some((help, cause)) => Diagnostic { help: Some(help), cause, ..mistake.clone() },
            None => mistake.clone(),
        }
    }));
    section.keys(&mut KeyVisitor {
        section_name,
        mode: VisitMode::Read { settings, key_list: &key_list, unknown_keys: &unknown_keys, mistakes },
    });
    section
}

/// Returns the names of a section's keys.
pub fn key_names<S: Section>() -> Vec<&'static str> {
    KeyList::from_section(&mut S::default(), "").names()
}

/// Lists a section, under an empty name, and its nested sections.
pub fn list_sections<S: Section>(mut section: S) -> Vec<SectionKeys> {
    let KeyList { keys, mut sections, .. } = KeyList::from_section(&mut section, "");
    sections.insert(0, SectionKeys { name: String::new(), header: String::new(), keys });
    sections
}

/// Returns the position of the misspelled key that was probably meant to be this one.
fn find_misspelled(unknown_keys: &[UnknownKey], name: &str) -> Option<Range<usize>> {
    unknown_keys
        .iter()
        .find(|unknown_key| unknown_key.suggestion.as_deref() == Some(name))?
        .mistake
        .span
        .clone()
}

fn join_dotted(section_name: &str, name: &str) -> String {
    if section_name.is_empty() { name.to_owned() } else { format!("{section_name}.{name}") }
}
