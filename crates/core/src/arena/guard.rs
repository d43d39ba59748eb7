//! Catches panics of players: the game is recorded as broken, and all other games continue.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Message of the last panic inside [`guarded`].
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
    /// True if this thread is inside [`guarded`].
    static FENCED: RefCell<bool> = const { RefCell::new(false) };
}

/// Calls a function. If it panics, returns the panic's message and its location in the source.
///
/// Nothing is printed meanwhile, because a player that panics in each of a hundred thousand games
/// would flood the terminal. State that the function modifies may be inconsistent and must be
/// discarded.
pub(super) fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let outside = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !FENCED.with_borrow(|fenced| *fenced) {
                return outside(info);
            }
            let message = info.payload_as_str().unwrap_or("no message");
            let place = info.location().map(|place| format!(" ({}:{})", place.file(), place.line()));
            SAID.set(Some(format!("{message}{}", place.unwrap_or_default())));
        }));
    });
    let nested = FENCED.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(call));
    FENCED.set(nested);
    outcome.map_err(|_| SAID.take().unwrap_or_else(|| "no message".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn a_panic_is_told_with_its_place() {
        assert_eq!(guarded(|| 1), Ok(1));
        let said = guarded(|| panic!("lost at {}", 7)).unwrap_err();
        assert!(said.starts_with("lost at 7 (") && said.contains("guard.rs:"), "{said}");
        let inner = guarded(|| guarded(|| panic!("inner")).unwrap_err()).unwrap();
        assert!(inner.starts_with("inner"), "{inner}");
        assert_eq!(guarded(|| 2), Ok(2));
    }
}
