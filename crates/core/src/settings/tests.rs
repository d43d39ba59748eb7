use std::collections::BTreeMap;
use std::num::{NonZeroI8, NonZeroU8};

use serde::Deserialize;

use super::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct Settings {
    depth: NonZeroU8,
    level: f64,
    ties: Ties,
    corners: [u8; 2],
    #[serde(default)]
    weights: BTreeMap<Feature, f32>,
    #[serde(default)]
    budget: Option<Budget>,
    #[serde(default, rename = "move-offset")]
    offset: i16,
    #[serde(default)]
    step: Option<NonZeroI8>,
    #[serde(default)]
    inner: Option<Inner>,
    #[serde(default)]
    label: Label,
    #[serde(default)]
    flag: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Ties {
    First,
    Last,
}

#[derive(Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
enum Feature {
    Empty,
    MaxTile,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code)]
enum Budget {
    Depth(u8),
    Time { millis: u16 },
    Free,
}

#[derive(Debug, Deserialize)]
#[allow(dead_code)]
struct Inner {
    a: u8,
    b: u8,
}

#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "String")]
#[allow(dead_code)]
struct Label(String);

impl TryFrom<String> for Label {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Label, &'static str> {
        if text.contains('!') { Err("must not shout") } else { Ok(Label(text)) }
    }
}

const GOOD: &str = "depth = 1\nlevel = 0.5\nties = 'first'\ncorners = [1, 2]\n";

/// Reads a text and checks the mistakes in it: `what|message|help`, sorted by position.
fn check(text: &str, expected: &[&str]) {
    let table = tree::parse_table(text);
    let result =
        read::<Settings>(&SettingsTable { table, header: 0..0 }, &format!("algorithm = 'x'\n{GOOD}"));
    let mistakes = crate::diagnostic::Mistakes::new("", text, result.err().unwrap_or_default());
    let messages = mistakes.list().iter().map(|mistake| {
        let source = mistake.span.clone().map_or("", |span| &text[span]);
        let help = mistake.help.as_ref().map_or(String::new(), |help| format!("|{help}"));
        format!("{source}|{}{help}", mistake.message)
    });
    assert_eq!(messages.collect::<Vec<_>>(), expected, "{text}");
}

/// Like [`check`], for a text that is valid except for one line.
fn check_line(line: &str, expected: &str) {
    let key = line.split([' ', '.']).next().unwrap();
    let others = GOOD.lines().filter(|good_line| !good_line.starts_with(key)).collect::<Vec<_>>().join("\n");
    check(&format!("{line}\n{others}"), &[expected]);
}

#[test]
fn good_settings_are_read() {
    check(GOOD, &[]);
    check(
        &format!("{GOOD}weights = {{ empty = 1, max-tile = 2.5 }}\nbudget = {{ depth = 3 }}\nstep = -1"),
        &[],
    );
    check(&format!("{GOOD}budget = {{ time = {{ millis = 3 }} }}\nmove-offset = 0xff"), &[]);
    check(&format!("{GOOD}budget = 'free'\nlabel = 'x'\ninner.a = 1\ninner.b = 2"), &[]);
}

#[test]
fn a_bad_value_is_said_to_be_what_it_must_be() {
    check_line("depth = 0", "0|must be at least 1");
    check_line("depth = -3", "-3|must be at least 1");
    check_line("depth = 256", "256|must be at most 255");
    check_line("depth = 99999999999999999999", "99999999999999999999|must be at most 255");
    let huge = "9".repeat(60);
    check_line(&format!("depth = {huge}"), &format!("{huge}|must be at most 255"));
    check_line(&format!("depth = -{huge}"), &format!("-{huge}|must be at least 1"));
    check_line(&format!("level = {huge}"), &format!("{huge}|must be a number; this number is too large"));
    check_line("depth = 'x'", "'x'|must be a whole number, not a string");
    check_line("depth = 1.5", "1.5|must be a whole number, not a number with a decimal point");
    check_line("depth = 1979-05-27", "1979-05-27|must be a whole number, not a date or time");
    check_line("level = 'x'", "'x'|must be a number, not a string");
    check_line("level = 1e999", "1e999|is too large a number");
    check_line("level = []", "[]|must be a number, not a list");
    check_line("flag = 1", "1|must be true or false, not a whole number");
    check_line("step = 0", "0|must not be 0");
    check_line("step = 200", "200|must be at most 127");
    check_line("label = 1", "1|must be a string, not a whole number|did you mean `\"1\"`?");
    check_line("label = true", "true|must be a string, not a boolean|did you mean `\"true\"`?");
    check_line("label = 'a!'", "'a!'|must not shout");
    check_line("inner = 1", "1|must be a table, not a whole number");
    check_line("inner = [1, 2]", "[1, 2]|must be a table, not a list");
}

#[test]
fn unknown_words_are_told_the_known_ones() {
    check_line("ties = 'frist'", "'frist'|must be \"first\" or \"last\"|did you mean \"first\"?");
    check_line("ties = 'middle'", "'middle'|must be \"first\" or \"last\"");
    check_line("ties = 1", "1|must be \"first\" or \"last\", not a whole number");
    check_line("budget = 'dept'", "'dept'|must be \"depth\", \"time\" or \"free\"|did you mean \"depth\"?");
    check_line("budget = 'depth'", "'depth'|needs a value: { depth = … }");
    check_line("budget = { free = 1 }", "{ free = 1 }|takes no value: write \"free\" alone");
    check_line("budget = { depth = 300 }", "300|must be at most 255");
    check_line(
        "budget = { depth = 1, free = 1 }",
        "{ depth = 1, free = 1 }|must have exactly one key: `depth`, `time` or `free`",
    );
    check_line("weights = { emty = 1 }", "emty|must be \"empty\" or \"max-tile\"|did you mean \"empty\"?");
    check_line("weights.emty = 1", "emty|must be \"empty\" or \"max-tile\"|did you mean \"empty\"?");
}

#[test]
fn lists_of_wrong_length_are_refused_in_both_directions() {
    check_line("corners = [1]", "[1]|must be a list of 2 values, not 1");
    check_line("corners = [1, 2, 3]", "[1, 2, 3]|must be a list of 2 values, not 3");
}

#[test]
fn all_mistakes_are_reported_and_each_once() {
    check(
        "depth = 0\nlevel = 'x'\nties = 'second'\ncorners = [-1, 'x', 3]\nweights = { empty = 'x', emty = 1 }\n",
        &[
            "0|must be at least 1",
            "'x'|must be a number, not a string",
            "'second'|must be \"first\" or \"last\"",
            "-1|must be at least 0",
            "'x'|must be a whole number, not a string",
            "'x'|must be a number, not a string",
            "emty|must be \"empty\" or \"max-tile\"|did you mean \"empty\"?",
        ],
    );
}

#[test]
fn each_missing_key_is_reported_and_hides_nothing() {
    check(
        "move-offset = 'x'\n",
        &[
            "|`corners` is missing",
            "|`depth` is missing",
            "|`level` is missing",
            "|`ties` is missing",
            "'x'|must be a whole number, not a string",
        ],
    );
    check(&format!("{GOOD}inner = {{ a = 1 }}"), &["{ a = 1 }|`b` is missing"]);
}

#[test]
fn unknown_keys_are_reported_and_misspelt_ones_are_not_missing() {
    check(&GOOD.replace("depth", "dept"), &["dept|unknown key|did you mean `depth`?"]);
    check(&format!("{GOOD}dept = 1"), &["dept|unknown key"]);
    check(&format!("{GOOD}inner = {{ a = 1, b = 2, c = 3 }}"), &["c|unknown key|known keys: `a`, `b`"]);
}

#[test]
fn fields_are_those_that_serde_knows() {
    assert_eq!(fields::<Inner>(), ["a", "b"]);
    assert_eq!(fields::<Settings>()[6], "move-offset");
    assert_eq!(fields::<u8>(), [] as [&str; 0]);
}

/// A struct may check itself as a whole. Its mistake is reported at its header, unless parts are
/// already invalid.
#[test]
fn a_contradiction_is_reported_unless_something_else_is_wrong() {
    #[derive(Debug, Deserialize)]
    struct Parts {
        low: u8,
        high: u8,
    }
    #[derive(Debug, Deserialize)]
    #[serde(try_from = "Parts")]
    struct Ordered;
    impl TryFrom<Parts> for Ordered {
        type Error = String;
        fn try_from(parts: Parts) -> Result<Ordered, String> {
            if parts.low < parts.high { Ok(Ordered) } else { Err("`low` must be below `high`".to_owned()) }
        }
    }
    let read_messages = |text| {
        let table = tree::parse_table(text);
        let mistakes =
            read::<Ordered>(&SettingsTable { table, header: 3..4 }, "low = 5\nhigh = 1").unwrap_err();
        mistakes.into_iter().map(|mistake| mistake.message).collect::<Vec<_>>()
    };
    assert_eq!(fields::<Ordered>(), ["low", "high"]);
    assert_eq!(read_messages("low = 2\nhigh = 1"), ["`low` must be below `high`"]);
    assert_eq!(read_messages("low = 'x'\nhigh = 1"), ["must be a whole number, not a string"]);
}

/// A type that refuses a whole table with serde's own message is understood too.
#[test]
fn what_a_table_as_a_whole_is_refused_for_is_put_into_words() {
    #[derive(Debug)]
    struct Picky;
    impl<'de> Deserialize<'de> for Picky {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Picky, D::Error> {
            BTreeMap::<String, u8>::deserialize(deserializer)?;
            Err(serde::de::Error::invalid_value(serde::de::Unexpected::Map, &"a table of even numbers"))
        }
    }
    let table = tree::parse_table("a = 1");
    let mistakes = read::<Picky>(&SettingsTable { table, header: 0..0 }, "").unwrap_err();
    assert_eq!(mistakes, [Diagnostic::for_file("must be a table of even numbers")]);
}
