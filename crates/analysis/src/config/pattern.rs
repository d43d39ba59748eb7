//! The name of a `[[player]]` as written: a name, or a pattern such as `e {depth}` that contains
//! settings.

use gauntlet_core::diagnostic::nearest;

use super::name;

/// A name as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    /// Dotted key of a setting, in braces.
    Key(String),
}

/// Writes a name that is no pattern, with doubled braces.
pub fn escape_braces(name: &str) -> String {
    name.replace('{', "{{").replace('}', "}}")
}

/// A setting in braces that cannot be part of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InvalidPlaceholder {
    pub(super) key: String,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Pattern {
    /// Parses a name, or returns what is wrong with its braces.
    pub(super) fn read(written: &str) -> Result<Pattern, &'static str> {
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut letters = written.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '{' | '}' if letters.next_if_eq(&letter).is_some() => text.push(letter),
                '}' => return Err("unmatched `}`; write `}}` for a literal brace"),
                '{' => {
                    let mut key = String::new();
                    loop {
                        match letters.next() {
                            Some('}') if !key.is_empty() => break,
                            Some(inner) if inner != '{' && inner != '}' => key.push(inner),
                            _ => {
                                return Err(
                                    "expected a setting such as `{depth}`; write `{{` for a literal brace",
                                );
                            }
                        }
                    }
                    parts.push(Part::Text(std::mem::take(&mut text)));
                    parts.push(Part::Key(key));
                }
                letter => text.push(letter),
            }
        }
        parts.push(Part::Text(text));
        Ok(Pattern(parts))
    }

    /// Returns what is wrong with a name as written.
    pub(super) fn invalid_reason(written: &str) -> Option<String> {
        match Pattern::read(written) {
            Ok(pattern) => pattern.literal_name().and_then(name::invalid_reason),
            Err(flaw) => Some(flaw.to_owned()),
        }
    }

    /// Returns the name if it has no `{setting}` placeholder.
    pub(super) fn literal_name(&self) -> Option<&str> {
        if let [Part::Text(text)] = &self.0[..] { Some(text) } else { None }
    }

    /// Returns the name of a player with these settings.
    pub(super) fn fill(&self, settings: &[(String, Option<String>)]) -> Result<String, InvalidPlaceholder> {
        let mut made = String::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => made.push_str(text),
                Part::Key(key) => match settings.iter().find(|(known, _)| known == key) {
                    Some((_, Some(value))) => made.push_str(&name::sanitize(value)),
                    known => return Err(invalid_placeholder(key, known.is_some(), settings)),
                },
            }
        }
        Ok(made)
    }
}

fn invalid_placeholder(
    key: &str,
    is_known: bool,
    settings: &[(String, Option<String>)],
) -> InvalidPlaceholder {
    if is_known {
        let message = format!("`{key}` is not set, so a name cannot contain it");
        return InvalidPlaceholder { key: key.to_owned(), message, help: None };
    }
    let known = || settings.iter().map(|(known, _)| known.as_str());
    let inner =
        known().find(|known| known.ends_with(&format!(".{key}")) || known.starts_with(&format!("{key}.")));
    let help = match inner.or_else(|| nearest(key, known())) {
        Some(near) => Some(format!("did you mean `{{{near}}}`?")),
        None if settings.is_empty() => None,
        None => Some(format!(
            "its settings are {}",
            known().map(|known| format!("`{{{known}}}`")).collect::<Vec<_>>().join(", ")
        )),
    };
    InvalidPlaceholder { key: key.to_owned(), message: format!("the player has no setting `{key}`"), help }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_hold_settings() {
        let settings =
            [("depth", Some("3")), ("file", Some("a/b")), ("weights.empty", Some("20")), ("millis", None)];
        let settings = settings.map(|(key, value)| (key.to_owned(), value.map(str::to_owned)));
        let name = |pattern: &str| Pattern::read(pattern).expect("is a pattern").fill(&settings);
        for (pattern, expected) in [
            ("e {depth} {weights.empty}", "e 3 20"),
            ("{depth}", "3"),
            ("a{{depth}}{{{depth}}}", "a{depth}{3}"),
            ("{file}", "a_b"),
            ("plain", "plain"),
        ] {
            assert_eq!(name(pattern).as_deref(), Ok(expected), "{pattern}");
        }
        let said = |pattern: &str| {
            let unfit = name(pattern).expect_err("does not fit");
            (unfit.message, unfit.help.unwrap_or_default())
        };
        let check = |pattern: &str, message: &str, help: &str| {
            assert_eq!(said(pattern), (message.to_owned(), help.to_owned()), "{pattern}");
        };
        check("{dpeth}", "the player has no setting `dpeth`", "did you mean `{depth}`?");
        check("{empty}", "the player has no setting `empty`", "did you mean `{weights.empty}`?");
        check("{weights}", "the player has no setting `weights`", "did you mean `{weights.empty}`?");
        check("{millis}", "`millis` is not set, so a name cannot contain it", "");
        for bad in ["{", "a}", "{}", "{a{b}", "{a", "{{}", "{a b"] {
            assert!(Pattern::read(bad).is_err(), "{bad}");
        }
        assert_eq!(Pattern::read("a {{b}}").unwrap().literal_name(), Some("a {b}"));
        assert_eq!(Pattern::read("a {b}").unwrap().literal_name(), None);
    }
}
