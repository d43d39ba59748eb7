//! Quotes and splits words of a shell command.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;
use std::str::Chars;

use super::escape::is_hidden;

/// Quotes a file name for a shell if needed, and writes it so that no command takes it for an
/// option.
pub fn quote_path(path: &Path) -> String {
    let name = path.as_os_str().as_encoded_bytes();
    quote_bytes(&if name.starts_with(b"-") { [b"./", name].concat() } else { name.to_vec() })
}

/// Quotes a word for a shell if needed.
pub fn quote(word: &str) -> String {
    quote_bytes(word.as_bytes())
}

/// Quotes a word for a script of any POSIX shell. Hidden characters stay unchanged, because `sh`
/// may lack `$'…'`.
pub fn quote_for_script(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=,:@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn quote_bytes(word: &[u8]) -> String {
    match str::from_utf8(word) {
        Ok(text) if !text.contains(is_hidden) => quote_for_script(text),
        _ => quote_by_codes(word),
    }
}

/// Quotes a word with hidden characters by `$'…'` of bash and zsh, with byte codes.
fn quote_by_codes(word: &[u8]) -> String {
    let mut quoted = "$'".to_owned();
    let write = |bytes: &[u8], quoted: &mut String| {
        for byte in bytes {
            write!(quoted, "\\x{byte:02x}").expect("writing to memory does not fail");
        }
    };
    for chunk in word.utf8_chunks() {
        for letter in chunk.valid().chars() {
            if is_hidden(letter) || "'\\".contains(letter) {
                write(letter.encode_utf8(&mut [0; 4]).as_bytes(), &mut quoted);
            } else {
                quoted.push(letter);
            }
        }
        write(chunk.invalid(), &mut quoted);
    }
    quoted + "'"
}

/// Splits a command into words and removes quotes, without any expansion. `None` if a quote is open
/// or a control character is outside quotes, because the end of a line ends a command.
pub fn split_words(command: &str) -> Option<Vec<OsString>> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut rest = command.chars();
    while let Some(letter) = rest.next() {
        let mut buffer = [0; 4];
        match letter {
            ' ' | '\t' => words.extend(word.take()),
            _ if letter.is_control() => return None,
            '$' if rest.as_str().starts_with('\'') => {
                rest.next();
                word.get_or_insert_default().extend(parse_byte_codes(&mut rest)?);
            }
            '\'' => {
                let (inside, after_quote) = rest.as_str().split_once('\'')?;
                word.get_or_insert_default().extend(inside.bytes());
                rest = after_quote.chars();
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    let letter = match rest.next()? {
                        '"' => break,
                        '\\' if rest.as_str().starts_with(['"', '\\', '$', '`']) => rest.next()?,
                        letter => letter,
                    };
                    word.extend(letter.encode_utf8(&mut buffer).bytes());
                }
            }
            letter => {
                let letter = if letter == '\\' { rest.next()? } else { letter };
                word.get_or_insert_default().extend(letter.encode_utf8(&mut buffer).bytes());
            }
        }
    }
    words.extend(word);
    words.into_iter().map(os_string_from_bytes).collect()
}

/// Parses the word after `$'` and its closing quote. The only escapes are byte codes.
fn parse_byte_codes(rest: &mut Chars) -> Option<Vec<u8>> {
    let mut word = Vec::new();
    loop {
        match rest.next()? {
            '\'' => return Some(word),
            '\\' => {
                let digits = rest.as_str().strip_prefix('x')?.get(..2)?;
                word.push(u8::from_str_radix(digits, 16).ok().filter(|&byte| byte != 0)?);
                rest.nth(2);
            }
            letter => word.extend(letter.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
}

#[cfg(unix)]
fn os_string_from_bytes(word: Vec<u8>) -> Option<OsString> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(word))
}

#[cfg(not(unix))]
fn os_string_from_bytes(word: Vec<u8>) -> Option<OsString> {
    String::from_utf8(word).ok().map(OsString::from)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        #[track_caller]
        fn check(word: &str, expected: &str) {
            assert_eq!(quote(word), expected);
        }

        check("a-b_c=1", "a-b_c=1");
        check("", "''");
        check("a b", "'a b'");
        check("it's", r"'it'\''s'");
        check("it's\u{1b}[2J", r"$'it\x27s\x1b[2J'");
        check("a\nb\u{202e}ü", r"$'a\x0ab\xe2\x80\xaeü'");
        assert_eq!(quote_path(Path::new("-x")), "./-x");
        assert_eq!(quote_for_script("it's\u{200b}"), "'it'\\''s\u{200b}'");
    }

    #[test]
    fn quoted_words_are_read_again() {
        for word in
            ["", "a b", "it's", "''", "-x", r"\'$'\\x41", "\"`$(a)`\"", "a\n\u{1b}\u{202e}ü'", "=~*?{}"]
        {
            let command = format!("x {} {}", quote(word), quote_for_script(word));
            assert_eq!(
                split_words(&command),
                Some(["x", word, word].map(OsString::from).to_vec()),
                "{command}"
            );
        }
        let join_words = |command: &str| split_words(command).map(|words| words.join(OsStr::new("|")));
        assert_eq!(join_words(r#"a"b\"$c" d\ e  '' "" "#), Some(r#"ab"$c|d e||"#.into()));
        for open in
            ["'a", "\"a", "\"a\\\"", "a\\", r"$'a", r"$'\n'", r"$'\x4'", r"$'\x00'", "a\nb", "a\rb", "a\0"]
        {
            assert_eq!(split_words(open), None, "{open:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text_can_be_typed_too() {
        use std::os::unix::ffi::OsStrExt;

        let name = std::ffi::OsStr::from_bytes(b"-a\xff\\b");
        assert_eq!(quote_path(Path::new(name)), r"$'./-a\xff\x5cb'");
    }
}
