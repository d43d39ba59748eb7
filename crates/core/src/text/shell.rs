//! Words as they are typed at a shell.

use std::fmt::Write;
use std::path::Path;

use super::escape::is_hidden;

/// The name of a file, quoted for a shell if need be, and written so that no command takes it for an option.
pub fn quoted_path(path: &Path) -> String {
    let name = path.as_os_str().as_encoded_bytes();
    quoted_bytes(&if name.starts_with(b"-") { [b"./", name].concat() } else { name.to_vec() })
}

/// A word, quoted for a shell if need be.
pub fn quoted(word: &str) -> String {
    quoted_bytes(word.as_bytes())
}

/// A word for a script of any POSIX shell. Every character stays as it is, hidden ones included, for `sh` may lack `$'…'`.
pub fn quoted_in_script(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn quoted_bytes(word: &[u8]) -> String {
    match str::from_utf8(word) {
        Ok(text) if !text.contains(is_hidden) => quoted_in_script(text),
        _ => by_numbers(word),
    }
}

/// A word that cannot be shown as it is, in the quotes `$'…'` of bash and zsh, which know bytes by their
/// numbers.
fn by_numbers(word: &[u8]) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        #[track_caller]
        fn check(word: &str, expected: &str) {
            assert_eq!(quoted(word), expected);
        }

        check("a-b_c=1", "a-b_c=1");
        check("", "''");
        check("a b", "'a b'");
        check("it's", r"'it'\''s'");
        check("it's\u{1b}[2J", r"$'it\x27s\x1b[2J'");
        check("a\nb\u{202e}ü", r"$'a\x0ab\xe2\x80\xaeü'");
        assert_eq!(quoted_path(Path::new("-x")), "./-x");
        assert_eq!(quoted_in_script("it's\u{200b}"), "'it'\\''s\u{200b}'");
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text_can_be_typed_too() {
        use std::os::unix::ffi::OsStrExt;

        let name = std::ffi::OsStr::from_bytes(b"-a\xff\\b");
        assert_eq!(quoted_path(Path::new(name)), r"$'./-a\xff\x5cb'");
    }
}
