//! Lines of the protocol in docs/PROTOCOL.md: the greeting of a program, and parsing of its
//! answers. Games and the command for testing a program share this code.

use serde_json::{Map, Value};

/// Version of the protocol.
pub const VERSION: u32 = 1;

/// Maximum number of open games per program.
const MAX_OPEN_GAMES: usize = 65_536;

/// Splits a line into its first word and the words after it. Words are separated by any number of
/// spaces and tabs.
#[inline]
pub fn first_word(line: &str) -> (&str, &str) {
    let line = line.trim_ascii();
    line.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((line, ""))
}

/// Returns the first line sent to a program.
pub fn greeting(game: &str, rules: &Value, move_millis: u128, options: &Map<String, Value>) -> String {
    let rules = rules.as_object().map_or_else(String::new, |rules| format_settings("", rules));
    let line = format!(
        "gauntlet {VERSION} {game} {rules}move_millis={move_millis} {}",
        format_settings("option.", options)
    );
    line.trim_end().to_owned()
}

/// Writes settings as words, each followed by a space. Settings without a value are left out.
pub fn format_settings(prefix: &str, settings: &Map<String, Value>) -> String {
    let word = |(key, value): (&String, &Value)| match value {
        Value::Null => String::new(),
        Value::String(text) => format!("{prefix}{key}={} ", encode_word(text)),
        other => format!("{prefix}{key}={} ", encode_word(&other.to_string())),
    };
    settings.iter().map(word).collect()
}

/// Encodes a text as one word: blanks, invisible characters and `%` are percent-encoded, as in
/// URLs.
pub fn encode_word(text: &str) -> String {
    let mut word = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() || c == '%' {
            c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| word += &format!("%{byte:02X}"));
        } else {
            word.push(c);
        }
    }
    word
}

/// Decodes a percent-encoded word.
pub fn decode_word(word: &str) -> String {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let [first, others @ ..] = rest {
        let digits = others.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => (bytes.push(byte), rest = &others[2..]),
            None => (bytes.push(*first), rest = others),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Answer of a program to the greeting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ready {
    /// Name that the program gives itself.
    pub name: String,
    /// Maximum number of games that the program wants to be asked about at once; `None` for one
    /// game at a time.
    pub batch: Option<usize>,
}

impl Ready {
    /// Parses the answer to the greeting, or returns what is wrong with it.
    pub fn read(answer: &str) -> Result<Ready, String> {
        let ends_in_blank = |words: &&str| words.ends_with(|last: char| last.is_ascii_whitespace());
        let batch_field = answer.rsplit_once("batch=").filter(|(words, _)| ends_in_blank(words));
        let (words, batch) = match batch_field {
            Some((words, number)) => match number.trim_ascii().parse() {
                Ok(batch @ 1..=MAX_OPEN_GAMES) => (words, Some(batch)),
                _ => {
                    let number = shorten_output(number);
                    return Err(format!("expected a batch of 1 to {MAX_OPEN_GAMES} games, found {number:?}"));
                }
            },
            None => (answer, None),
        };
        let ("ready", name) = first_word(words) else {
            let words = shorten_output(words);
            return Err(format!("expected `ready` and a name as reply to the greeting, found {words:?}"));
        };
        Ok(Ready { name: name.trim().to_owned(), batch })
    }
}

/// Answer of a program to `move`, without the number of the game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveAnswer<'a> {
    /// Move in the game's notation.
    pub word: &'a str,
    /// Value of the move for the program.
    pub value: Option<f64>,
    /// Number of positions searched.
    pub nodes: u64,
    /// Search depth.
    pub depth: Option<u32>,
}

impl<'a> MoveAnswer<'a> {
    /// Parses an answer about the game with this number, or returns what is wrong with it.
    #[inline]
    pub fn read(line: &'a str, number: &str) -> Result<MoveAnswer<'a>, String> {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some(number) {
            return Err(format!(
                "expected the number of the game, {number}, at the start of the line; reply only to `move`, and write other output to standard error"
            ));
        }
        let word = words.next().ok_or("the move is missing")?;
        let mut answer = MoveAnswer { word, value: None, nodes: 0, depth: None };
        for word in words {
            let (key, value) =
                word.split_once('=').ok_or("expected fields such as value=1.5 after the move")?;
            let is_read = match key {
                "value" => value
                    .parse()
                    .map(|value: f64| answer.value = Some(value).filter(|value| value.is_finite()))
                    .is_ok(),
                "nodes" => value.parse().map(|nodes| answer.nodes = nodes).is_ok(),
                "depth" => value.parse().map(|depth| answer.depth = Some(depth)).is_ok(),
                // Words of a later version are ignored.
                _ => true,
            };
            if !is_read {
                return Err(format!("`{key}` is not a number"));
            }
        }
        Ok(answer)
    }
}

/// Returns the message for a word that is not a move. `moves` describes the game's notation.
pub fn unknown_move_message(word: &str, moves: &str) -> String {
    format!("{word:?} is not a move: expected {moves}")
}

/// Cuts a program's output if it is long.
pub fn shorten_output(text: &str) -> &str {
    const MAX_LENGTH: usize = 60;
    text.char_indices().nth(MAX_LENGTH).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_words() {
        let options = serde_json::json!({ "depth": 3, "book": "my own.txt", "fast": true, "none": null });
        let options = options.as_object().unwrap();
        let line = greeting("2048", &serde_json::json!({ "win": 2048, "tile": null }), 500, options);
        let option_words = "option.depth=3 option.book=my%20own.txt option.fast=true";
        assert_eq!(line, format!("gauntlet 1 2048 win=2048 move_millis=500 {option_words}"));
        assert_eq!(greeting("2048", &Value::Null, 500, &Map::new()), "gauntlet 1 2048 move_millis=500");
        assert_eq!(encode_word("100 %\n\u{a0}ü"), "100%20%25%0A%C2%A0ü");
        assert_eq!(decode_word("100%20%25%0A%C2%A0ü"), "100 %\n\u{a0}ü");
        // Malformed escapes stay unchanged.
        assert_eq!(decode_word("5%, %zz%4"), "5%, %zz%4");
    }

    #[test]
    fn the_name_of_a_program_is_all_but_its_batch() {
        let parse = |answer| Ready::read(answer).map(|ready| (ready.name, ready.batch));
        assert_eq!(parse("ready"), Ok((String::new(), None)));
        assert_eq!(parse("ready my player 1.0"), Ok(("my player 1.0".to_owned(), None)));
        assert_eq!(parse("ready x batch=4096"), Ok(("x".to_owned(), Some(4096))));
        assert_eq!(parse("ready batch=1"), Ok((String::new(), Some(1))));
        assert_eq!(parse("ready\tx 1\tbatch=4096\t"), Ok(("x 1".to_owned(), Some(4096))));
        assert_eq!(parse(" \tready \t x"), Ok(("x".to_owned(), None)));
        assert_eq!(parse("ready x=batch=4"), Ok(("x=batch=4".to_owned(), None)));
        for wrong in ["ready x batch=0", "ready x batch=65537", "ready x batch=x", "ready x batch=4 v2"] {
            assert!(
                parse(wrong).is_err_and(|message| message.contains("expected a batch of 1 to 65536 games")),
                "{wrong}"
            );
        }
        assert!(parse("readily").is_err_and(|message| message.contains("expected `ready`")));
    }

    #[test]
    fn words_behind_a_move_come_in_any_order_and_may_be_new() {
        let answer = MoveAnswer::read("7 up depth=4 later=x value=-1.5 nodes=300", "7");
        let expected = MoveAnswer { word: "up", value: Some(-1.5), nodes: 300, depth: Some(4) };
        assert_eq!(answer, Ok(expected));
        assert_eq!(MoveAnswer::read("\t7\tup \tdepth=4\tvalue=-1.5  nodes=300", "7"), answer);
        assert_eq!(MoveAnswer::read("0 up value=inf", "0").map(|answer| answer.value), Ok(None));
        let check = |line, fragment: &str| {
            assert!(MoveAnswer::read(line, "0").is_err_and(|message| message.contains(fragment)), "{line}");
        };
        check("up", "expected the number of the game, 0, at the start");
        check("00 up", "expected the number of the game, 0, at the start");
        check("", "expected the number of the game, 0, at the start");
        check("0", "the move is missing");
        check("0 up 3", "expected fields such as value=1.5 after");
        check("0 up nodes=-1", "`nodes` is not a number");
    }

    #[test]
    fn long_texts_are_cut_between_letters() {
        assert_eq!(shorten_output("short"), "short");
        assert_eq!(shorten_output(&"ü".repeat(100)), "ü".repeat(60));
    }
}
