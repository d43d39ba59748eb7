//! Stop requests, and the time limit of a game.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::no_move::NoMove;
use crate::num::Seconds;
use crate::record::Fault;
use crate::text::format_duration;

/// Stop request, shared by all threads of a run, and the time limit of one game, if it has one. The
/// request is never withdrawn while a game lasts. A search that sees it may return any value,
/// because the player checks it again before answering.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    is_requested: Arc<AtomicBool>,
    limit: Option<Arc<Limit>>,
}

impl Stop {
    /// Creates a stop request from a flag, which a signal handler can set.
    pub fn from_flag(flag: Arc<AtomicBool>) -> Stop {
        Stop { is_requested: flag, limit: None }
    }

    /// Requests a stop.
    pub fn request(&self) {
        self.is_requested.store(true, Ordering::Relaxed);
    }

    /// Adds a time limit per game to the request. The result is for the games of one thread.
    #[must_use]
    pub fn with_time_limit(&self, seconds: Seconds) -> Stop {
        Stop { is_requested: self.is_requested.clone(), limit: Some(Arc::new(Limit::new(seconds))) }
    }

    /// Starts the time of a game.
    pub fn start_game(&self) {
        if let Some(limit) = &self.limit {
            limit.start();
        }
    }

    /// Adds time to that of the current game.
    pub(crate) fn extend_game(&self, time: Duration) {
        if let Some(limit) = &self.limit {
            limit.extend(time);
        }
    }

    /// Returns true if a stop was requested or the time is over. This costs as little as reading a
    /// field; with a time limit, the clock is read only once in several calls.
    #[inline]
    pub fn is_requested(&self) -> bool {
        self.is_requested.load(Ordering::Relaxed)
            || self.limit.as_ref().is_some_and(|limit| limit.poll_is_over())
    }

    /// Returns true if the game has exceeded its time limit. Without a limit, always false.
    pub fn is_time_over(&self) -> bool {
        self.limit.as_ref().is_some_and(|limit| limit.is_over())
    }

    /// Waits for an event from outside the thread, such as an answer of another program. After
    /// `timeout`, the player is at fault. `wait` receives a short duration and returns when it is
    /// over, as `recv_timeout` does. A signal handler may request the stop, but cannot wake a
    /// thread, so the request is checked between these short waits.
    pub fn wait<T>(
        &self,
        timeout: Duration,
        mut wait: impl FnMut(Duration) -> Option<T>,
    ) -> Result<T, NoMove> {
        let start = Instant::now();
        loop {
            // Endless output of a program must not keep a thread from stopping.
            if self.is_requested() || self.is_time_over() {
                return Err(NoMove::Interrupted);
            }
            let left = timeout.saturating_sub(start.elapsed());
            if let Some(event) = wait(left.min(MAX_WAIT)) {
                return Ok(event);
            }
            if left.is_zero() {
                return Err(NoMove::fault(
                    Fault::TimedOut,
                    format!("no answer within {}", format_duration(1e3 * timeout.as_secs_f64())),
                ));
            }
        }
    }

    /// Returns the stop as an error, which a player passes on with `?` after its search.
    #[inline]
    pub fn check(&self) -> Result<(), NoMove> {
        if self.is_requested() { Err(NoMove::Interrupted) } else { Ok(()) }
    }
}

/// Longest wait without a check of the stop request.
const MAX_WAIT: Duration = Duration::from_millis(20);

/// Time limit of a game by wall clock, so that computation in other processes counts too.
#[derive(Debug)]
struct Limit {
    max_duration: Duration,
    created_at: Instant,
    /// End of the game's time, in nanoseconds since the limit was created.
    end_ns: AtomicU64,
    /// Number of checks since the clock was last read.
    check_count: AtomicU32,
    is_over: AtomicBool,
}

/// Number of checks per clock reading: a check costs a nanosecond, reading the clock some 25.
const CHECKS_PER_READING: u32 = 16;

impl Limit {
    fn new(seconds: Seconds) -> Limit {
        Limit {
            max_duration: seconds.get(),
            created_at: Instant::now(),
            end_ns: AtomicU64::new(u64::MAX),
            check_count: AtomicU32::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    fn start(&self) {
        let end = self.created_at.elapsed() + self.max_duration;
        self.end_ns.store(u64::try_from(end.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        self.is_over.store(false, Ordering::Relaxed);
    }

    fn extend(&self, time: Duration) {
        let end_ns = self.end_ns.load(Ordering::Relaxed);
        let ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.end_ns.store(end_ns.saturating_add(ns), Ordering::Relaxed);
    }

    fn poll_is_over(&self) -> bool {
        let check_count = self.check_count.load(Ordering::Relaxed) + 1;
        self.check_count.store(check_count % CHECKS_PER_READING, Ordering::Relaxed);
        if check_count < CHECKS_PER_READING { self.is_over.load(Ordering::Relaxed) } else { self.is_over() }
    }

    /// Returns true if the time is over; then it stays so until the next game.
    fn is_over(&self) -> bool {
        if self.created_at.elapsed().as_nanos() as u64 >= self.end_ns.load(Ordering::Relaxed) {
            self.is_over.store(true, Ordering::Relaxed);
        }
        self.is_over.load(Ordering::Relaxed)
    }
}
