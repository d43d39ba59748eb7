//! Checks laws on many random cases.

use std::fmt::Debug;
use std::thread;

use gauntlet::rng::{Rng, Seed};

/// A case being checked, printed if it fails.
struct CheckedCase<T: Debug>(T);

impl<T: Debug> Drop for CheckedCase<T> {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("it fails for {:?}", self.0);
        }
    }
}

/// Checks a law on this many cases, each made from its own seed.
pub(crate) fn assert_for_all<T: Debug + Clone>(
    cases: u64,
    make_case: impl Fn(&mut Rng) -> T,
    law: impl Fn(T),
) {
    for number in 0..cases {
        let case = CheckedCase(make_case(&mut Seed::root(2048).child("case", number).rng()));
        law(case.0.clone());
    }
}
