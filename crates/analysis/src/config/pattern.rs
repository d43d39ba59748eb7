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
    pub(super) fn read(source: &str) -> Result<Pattern, &'static str> {
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut characters = source.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '{' | '}' if characters.next_if_eq(&character).is_some() => text.push(character),
                '}' => return Err("unmatched `}`; write `}}` for a literal brace"),
                '{' => {
                    let mut key = String::new();
                    loop {
                        match characters.next() {
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
                character => text.push(character),
            }
        }
        parts.push(Part::Text(text));
        Ok(Pattern(parts))
    }

    /// Returns what is wrong with a name as written.
    pub(super) fn invalid_reason(source: &str) -> Option<String> {
        match Pattern::read(source) {
            Ok(pattern) => pattern.literal_name().and_then(name::invalid_reason),
            Err(message) => Some(message.to_owned()),
        }
    }

    /// Returns the name if it has no `{setting}` placeholder.
    pub(super) fn literal_name(&self) -> Option<&str> {
        if let [Part::Text(text)] = &self.0[..] { Some(text) } else { None }
    }

    /// Returns the name of a player with these settings.
    pub(super) fn fill(&self, settings: &[(String, Option<String>)]) -> Result<String, InvalidPlaceholder> {
        let mut filled_name = String::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => filled_name.push_str(text),
                Part::Key(key) => match settings.iter().find(|(setting_key, _)| setting_key == key) {
                    Some((_, Some(value))) => filled_name.push_str(&name::sanitize(value)),
                    setting => return Err(invalid_placeholder(key, setting.is_some(), settings)),
                },
            }
        }
        Ok(filled_name)
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
    let keys = || settings.iter().map(|(setting_key, _)| setting_key.as_str());
    let related_key = keys().find(|setting_key| {
        setting_key.ends_with(&format!(".{key}")) || setting_key.starts_with(&format!("{key}."))
    });
    let help = match related_key.or_else(|| nearest(key, keys())) {
        Some(suggestion) => Some(format!("did you mean `{{{suggestion}}}`?")),
        None if settings.is_empty() => None,
        None => Some(format!(
            "its settings are {}",
            keys().map(|setting_key| format!("`{{{setting_key}}}`")).collect::<Vec<_>>().join(", ")
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
        let describe_error = |pattern: &str| {
            let error = name(pattern).expect_err("does not fit");
            (error.message, error.help.unwrap_or_default())
        };
        let check = |pattern: &str, message: &str, help: &str| {
            assert_eq!(describe_error(pattern), (message.to_owned(), help.to_owned()), "{pattern}");
        };
        check("{dpeth}", "the player has no setting `dpeth`", "did you mean `{depth}`?");
        check("{empty}", "the player has no setting `empty`", "did you mean `{weights.empty}`?");
        check("{weights}", "the player has no setting `weights`", "did you mean `{weights.empty}`?");
        check("{millis}", "`millis` is not set, so a name cannot contain it", "");
        for invalid in ["{", "a}", "{}", "{a{b}", "{a", "{{}", "{a b"] {
            assert!(Pattern::read(invalid).is_err(), "{invalid}");
        }
        assert_eq!(Pattern::read("a {{b}}").unwrap().literal_name(), Some("a {b}"));
        assert_eq!(Pattern::read("a {b}").unwrap().literal_name(), None);
    }
}
