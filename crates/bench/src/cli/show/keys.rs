//! Keys that a person presses while a game is played in the terminal. The terminal hands over each key at once, and does not show
//! it, for as long as they are listened to.

use std::io::{self, Read};
use std::thread;

/// A key, by what it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Play on, or stop.
    Toggle,
    /// So many moves on, or back.
    Move(isize),
    /// Twice as fast, or half.
    Faster(bool),
    /// Leave.
    Quit,
}

/// The keys of what a terminal sends.
fn keys(mut sent: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    while let Some((&first, rest)) = sent.split_first() {
        let (key, rest) = match (first, rest) {
            (0x1b, [b'[' | b'O', code, rest @ ..]) => {
                let key = match code {
                    b'A' => Some(Key::Faster(true)),
                    b'B' => Some(Key::Faster(false)),
                    b'C' => Some(Key::Move(1)),
                    b'D' => Some(Key::Move(-1)),
                    b'H' => Some(Key::Move(isize::MIN)),
                    b'F' => Some(Key::Move(isize::MAX)),
                    _ => None,
                };
                (key, rest)
            }
            (b' ', rest) => (Some(Key::Toggle), rest),
            // As ^C it is a letter here, and no signal.
            (b'q' | b'Q' | 0x03, rest) => (Some(Key::Quit), rest),
            (_, rest) => (None, rest),
        };
        keys.extend(key);
        sent = rest;
    }
    keys
}

/// The terminal while keys are listened to.
pub(super) struct Listening {
    #[cfg(unix)]
    before: rustix::termios::Termios,
}

impl Listening {
    /// Hands over the keys of the terminal that standard input is, from a thread of its own. None where it is none, or where a key
    /// cannot be had before the end of its line.
    #[cfg(unix)]
    pub(super) fn begin(hear: impl FnMut(Key) -> bool + Send + 'static) -> Option<Listening> {
        use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};
        let before = tcgetattr(io::stdin()).ok()?;
        let mut at_once = before.clone();
        at_once.local_modes &= !(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
        at_once.special_codes[SpecialCodeIndex::VMIN] = 1;
        at_once.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(io::stdin(), OptionalActions::Now, &at_once).ok()?;
        thread::spawn(move || read(hear));
        Some(Listening { before })
    }

    /// None: only the terminals of Unix are known here.
    #[cfg(not(unix))]
    pub(super) fn begin(hear: impl FnMut(Key) -> bool + Send + 'static) -> Option<Listening> {
        let _ = (hear, read::<fn(Key) -> bool>);
        None
    }
}

#[cfg(unix)]
impl Drop for Listening {
    fn drop(&mut self) {
        let _ = rustix::termios::tcsetattr(io::stdin(), rustix::termios::OptionalActions::Now, &self.before);
    }
}

/// Reads keys until nobody hears them.
fn read(mut hear: impl FnMut(Key) -> bool) {
    let mut sent = [0; 64];
    loop {
        match io::stdin().read(&mut sent) {
            Ok(0) => return,
            Ok(count) => {
                if !keys(&sent[..count]).into_iter().all(&mut hear) {
                    return;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_known_by_what_a_terminal_sends() {
        let all =
            [Key::Toggle, Key::Move(1), Key::Move(-1), Key::Faster(true), Key::Faster(false), Key::Quit];
        assert_eq!(keys(b" \x1b[C\x1bOD\x1b[A\x1b[Bq"), all);
        assert_eq!(keys(b"\x1b[Hx\x1b[F\x03"), [Key::Move(isize::MIN), Key::Move(isize::MAX), Key::Quit]);
        assert_eq!(keys(b"\x1b"), []);
        assert_eq!(keys("ä\u{1b}[5~".as_bytes()), []);
    }
}
