//! Names that are valid as names of files and folders on Linux, macOS and Windows.

use std::path::Path;

use gauntlet_core::diagnostic;
use gauntlet_core::text::escape::{is_hidden, needs_apostrophe};
use serde::Deserialize;
use unicode_width::UnicodeWidthChar;

/// A name that is valid as the name of a file.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct FileSafeName(String);

impl FileSafeName {
    pub(super) fn get(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for FileSafeName {
    type Error = String;

    fn try_from(name: String) -> Result<FileSafeName, String> {
        invalid_reason(&name).map_or(Ok(FileSafeName(name)), Err)
    }
}

/// Longest name in bytes. Most file systems allow 255; the rest is for suffixes and numbers.
pub(super) const MAX_NAME_BYTES: usize = 100;

/// Characters that separate folders, have a meaning in a Windows shell, or are refused by Windows
/// file systems.
const FORBIDDEN: [char; 9] = ['/', '\\', '<', '>', ':', '"', '|', '?', '*'];

/// Names that Windows reserves for devices, alone and with any suffix.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Returns why a name cannot be the name of a file.
pub(super) fn invalid_reason(name: &str) -> Option<String> {
    let is_dot_or_blank = |character: char| character == '.' || character.is_whitespace();
    let describe = |character: char| match character {
        '.' => "a dot".to_owned(),
        character if character.is_whitespace() => "a blank".to_owned(),
        character => format!("`{character}`"),
    };
    let (Some(first), Some(last)) = (name.chars().next(), name.chars().next_back()) else {
        return Some("a name must not be empty".to_owned());
    };
    if let Some(hidden) = name.chars().find(|character| is_hidden(*character)) {
        let kind = if hidden.is_control() { "control character" } else { "invisible character" };
        return Some(format!("a name must not contain the {kind} U+{:04X}", u32::from(hidden)));
    }
    if let Some(forbidden) = name.chars().find(|character| FORBIDDEN.contains(character)) {
        return Some(format!("a name must not contain {}", describe(forbidden)));
    }
    if is_dot_or_blank(first) {
        return Some(format!("a name must not begin with {}", describe(first)));
    }
    if needs_apostrophe(name) {
        return Some(format!(
            "a name must not begin with `{first}`: a spreadsheet would take it for a formula"
        ));
    }
    // Such a mark combines with the character before it.
    if let Some((_, mark)) = chars_with_previous(name).find(|(previous, character)| {
        character.width() == Some(0) && previous.is_none_or(char::is_whitespace)
    }) {
        let code = u32::from(mark);
        return Some(format!("a name must have a letter before the combining mark U+{code:04X}"));
    }
    if is_dot_or_blank(last) {
        return Some(format!("a name must not end with {}", describe(last)));
    }
    if name.len() > MAX_NAME_BYTES {
        return Some(format!(
            "a name must not be longer than {MAX_NAME_BYTES} bytes; this name has {}",
            name.len()
        ));
    }
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_lowercase();
    let port = |kind| stem.strip_prefix(kind).is_some_and(is_port);
    if DEVICES.contains(&stem.as_str()) || port("com") || port("lpt") {
        return Some(format!("a name must not be `{stem}`, which is a device on Windows"));
    }
    None
}

/// Iterates over characters, each with the one before it.
fn chars_with_previous(name: &str) -> impl Iterator<Item = (Option<char>, char)> {
    std::iter::once(None).chain(name.chars().map(Some)).zip(name.chars())
}

fn is_port(number: &str) -> bool {
    matches!(number, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
}

/// Replaces each character that a name must not contain by `_`.
pub(super) fn sanitize(text: &str) -> String {
    let replace = |character: char| {
        if is_hidden(character) || FORBIDDEN.contains(&character) { '_' } else { character }
    };
    text.chars().map(replace).collect()
}

/// Cuts a name to `max_bytes` or less, and appends part of a digest of `text`, from which the name
/// was made.
pub(super) fn cut(name: &str, text: &str, max_bytes: usize) -> String {
    let prefix = &name[..name.floor_char_boundary(max_bytes)];
    let prefix = prefix.trim_end_matches(|character: char| !character.is_alphanumeric());
    format!("{prefix}-{}", &blake3::hash(text.as_bytes()).to_hex()[..DIGEST_CHARS])
}

/// Number of characters of a digest in a name.
const DIGEST_CHARS: usize = 7;

/// Returns a name, cut to `max_bytes` if it is longer.
pub(super) fn shorten(name: &str, max_bytes: usize) -> String {
    if name.len() <= max_bytes { name.to_owned() } else { cut(name, name, max_bytes - DIGEST_CHARS - 1) }
}

/// Makes the name of an experiment from the name of its file, replacing invalid characters.
pub fn experiment_name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = sanitize(&stem);
    if invalid_reason(&name).is_none() { name } else { "experiment".to_owned() }
}

/// Returns a suggestion for an unknown name.
pub(super) fn suggest_name<'a>(name: &str, known_names: impl Iterator<Item = &'a str>) -> Option<String> {
    diagnostic::nearest(name, known_names).map(|suggestion| format!("did you mean \"{suggestion}\"?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_cut_at_a_character() {
        let name = "局".repeat(48);
        let cut_name = shorten(&name, 80);
        assert!(cut_name.len() <= 80 && cut_name.starts_with("局局"), "{cut_name}");
        assert_ne!(cut_name, shorten(&"局".repeat(49), 80));
        assert_eq!(shorten(&name, name.len()), name);
    }

    #[test]
    fn names_are_names_of_files() {
        let check = |name: &str, expected: Option<&str>| {
            assert_eq!(invalid_reason(name).as_deref(), expected, "{name:?}")
        };
        check("greedy", None);
        check("überraschung 数独 -_.,+=()[]{}#%&@!'~^;$ x", None);
        check(&"x".repeat(100), None);
        check("console", None);
        check("com10", None);
        let formula = |first| {
            format!("a name must not begin with `{first}`: a spreadsheet would take it for a formula")
        };
        check("-a", Some(&formula('-')));
        // In a spreadsheet cell it would be the formula `=x`.
        check("'=x", Some(&formula('\'')));
        check("'x", None);
        check("x\u{2800}", Some("a name must not contain the invisible character U+2800"));
        check("a.con", None);
        check("", Some("a name must not be empty"));
        check("a\nb", Some("a name must not contain the control character U+000A"));
        check("a\u{7f}", Some("a name must not contain the control character U+007F"));
        for forbidden in ['/', '\\', '<', '>', ':', '"', '|', '?', '*'] {
            check(&format!("a{forbidden}b"), Some(&format!("a name must not contain `{forbidden}`")));
        }
        for (hidden, code) in
            [('\u{202e}', "202E"), ('\u{200b}', "200B"), ('\u{2066}', "2066"), ('\u{e0041}', "E0041")]
        {
            let expected = format!("a name must not contain the invisible character U+{code}");
            check(&format!("a{hidden}b"), Some(&expected));
        }
        for formula in ['=', '+', '-', '@', '＝'] {
            let expected =
                format!("a name must not begin with `{formula}`: a spreadsheet would take it for a formula");
            check(&format!("{formula}1+1"), Some(&expected));
            check(&format!("1{formula}1"), None);
        }
        check("e\u{301}", None);
        check("\u{301}e", Some("a name must have a letter before the combining mark U+0301"));
        check("e \u{301}", Some("a name must have a letter before the combining mark U+0301"));
        check(".a", Some("a name must not begin with a dot"));
        check("..", Some("a name must not begin with a dot"));
        check(" a", Some("a name must not begin with a blank"));
        check("a.", Some("a name must not end with a dot"));
        check("a\u{3000}", Some("a name must not end with a blank"));
        check(&"é".repeat(51), Some("a name must not be longer than 100 bytes; this name has 102"));
        for device in ["con", "NUL", "Aux.txt", "com1", "LPT9.a.b", "prn .x", "COM¹"] {
            assert!(invalid_reason(device).unwrap().contains("device on Windows"), "{device}");
        }
    }

    #[test]
    fn a_file_gives_its_experiment_a_name() {
        let check =
            |file: &str, expected: &str| assert_eq!(experiment_name(Path::new(file)), expected, "{file}");
        check("mine.toml", "mine");
        check("some where/my games.toml", "my games");
        check("a:b.toml", "a_b");
        check("con.toml", "experiment");
        check("..", "experiment");
        check(&"x".repeat(101), "experiment");
    }

    #[test]
    fn harmless_texts_have_no_forbidden_letters() {
        assert_eq!(sanitize("a/b\n*é\u{202e}"), "a_b__é_");
    }
}
