//! The request to stop, and the limit of time for a game.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::no_move::NoMove;
use crate::num::Seconds;
use crate::record::Fault;
use crate::text::duration;

/// The request to stop, shared by everything that plays in one run; and the limit of time for one
/// game, if it has one. The request is never taken back while a game lasts: a search that sees it
/// may return any value, because the player checks it again before it answers.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    limit: Option<Arc<Limit>>,
}

impl Stop {
    /// The request that this flag stands for: a signal handler can set the flag.
    pub fn from_flag(flag: Arc<AtomicBool>) -> Stop {
        Stop { asked: flag, limit: None }
    }

    /// Makes the request.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// The same request, and one that is made when a game takes longer than this. It is for the
    /// games of one thread.
    #[must_use]
    pub fn limited_to(&self, seconds: Seconds) -> Stop {
        Stop { asked: self.asked.clone(), limit: Some(Arc::new(Limit::of(seconds))) }
    }

    /// A game begins, and has all of its time before it.
    pub fn start_game(&self) {
        if let Some(limit) = &self.limit {
            limit.start();
        }
    }

    /// True if the request was made. This costs as little as reading a field; where there is a
    /// limit of time, the clock is read at one look in some.
    #[inline]
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
            || self.limit.as_ref().is_some_and(|limit| limit.is_over_about_now())
    }

    /// True if the time of the game is over.
    pub fn is_time_over(&self) -> bool {
        self.limit.as_ref().is_some_and(|limit| limit.is_over())
    }

    /// Waits for something from outside the thread, as the answer of another program, for at most
    /// this long; then the player is at fault. `wait` is given a moment to wait and comes back when
    /// it is over, as `recv_timeout` does: the request to stop may come from a signal handler,
    /// which can wake nothing, so it is looked at between moments.
    pub fn wait<T>(&self, most: Duration, mut wait: impl FnMut(Duration) -> Option<T>) -> Result<T, NoMove> {
        let start = Instant::now();
        loop {
            // What always has something to say must not keep a thread from the end.
            if self.is_asked() || self.is_time_over() {
                return Err(NoMove::Interrupted);
            }
            let left = most.saturating_sub(start.elapsed());
            if let Some(come) = wait(left.min(MOMENT)) {
                return Ok(come);
            }
            if left.is_zero() {
                return Err(NoMove::fault(
                    Fault::TimedOut,
                    format!("no answer within {}", duration(1e3 * most.as_secs_f64())),
                ));
            }
        }
    }

    /// The same as a result, which a player passes on with `?` after its search has returned.
    #[inline]
    pub fn check(&self) -> Result<(), NoMove> {
        if self.is_asked() { Err(NoMove::Interrupted) } else { Ok(()) }
    }
}

/// The longest part of a wait in which nothing looks at the request to stop.
const MOMENT: Duration = Duration::from_millis(20);

/// Limit of a game's time, by the clock on the wall: what players compute in other processes
/// counts, too.
#[derive(Debug)]
struct Limit {
    most: Duration,
    made: Instant,
    /// End of the game's time, in nanoseconds since the limit was made.
    end_ns: AtomicU64,
    /// Looks since the clock was last read.
    looks: AtomicU32,
    is_over: AtomicBool,
}

/// A look costs a nanosecond, a reading of the clock some 25.
const LOOKS_A_READING: u32 = 16;

impl Limit {
    fn of(seconds: Seconds) -> Limit {
        Limit {
            most: seconds.get(),
            made: Instant::now(),
            end_ns: AtomicU64::new(u64::MAX),
            looks: AtomicU32::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    fn start(&self) {
        let end = self.made.elapsed() + self.most;
        self.end_ns.store(u64::try_from(end.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.is_over.store(false, Ordering::Relaxed);
    }

    fn is_over_about_now(&self) -> bool {
        let looks = self.looks.load(Ordering::Relaxed) + 1;
        self.looks.store(looks % LOOKS_A_READING, Ordering::Relaxed);
        if looks < LOOKS_A_READING { self.is_over.load(Ordering::Relaxed) } else { self.is_over() }
    }

    /// Once it is over, it stays so until the next game.
    fn is_over(&self) -> bool {
        if self.made.elapsed().as_nanos() as u64 >= self.end_ns.load(Ordering::Relaxed) {
            self.is_over.store(true, Ordering::Relaxed);
        }
        self.is_over.load(Ordering::Relaxed)
    }
}
