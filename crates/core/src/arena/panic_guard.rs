//! Catches panics of players: the game is recorded as broken, and all other games continue.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Message of the last panic inside [`catch_panic`].
    static PANIC_MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
    /// True if this thread is inside [`catch_panic`].
    static IS_GUARDED: RefCell<bool> = const { RefCell::new(false) };
}

/// Calls a function. If it panics, returns the panic's message and its location in the source.
///
/// Nothing is printed meanwhile, because a player that panics in each of a hundred thousand games
/// would flood the terminal. State that the function modifies may be inconsistent and must be
/// discarded.
pub(super) fn catch_panic<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous_hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_GUARDED.with_borrow(|is_guarded| *is_guarded) {
                return previous_hook(info);
            }
            let message = info.payload_as_str().unwrap_or("no message");
            let location =
                info.location().map(|location| format!(" ({}:{})", location.file(), location.line()));
            PANIC_MESSAGE.set(Some(format!("{message}{}", location.unwrap_or_default())));
        }));
    });
    let was_guarded = IS_GUARDED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(call));
    IS_GUARDED.set(was_guarded);
    result.map_err(|_| PANIC_MESSAGE.take().unwrap_or_else(|| "no message".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::catch_panic;

    #[test]
    fn a_panic_is_reported_with_its_location() {
        assert_eq!(catch_panic(|| 1), Ok(1));
        let message = catch_panic(|| panic!("lost at {}", 7)).unwrap_err();
        assert!(message.starts_with("lost at 7 (") && message.contains("guard.rs:"), "{message}");
        let message = catch_panic(|| catch_panic(|| panic!("inner")).unwrap_err()).unwrap();
        assert!(message.starts_with("inner"), "{message}");
        assert_eq!(catch_panic(|| 2), Ok(2));
    }
}
