//! Pace of batched games: whether all open games are one request, or two halves in turn.
//!
//! With two halves, gauntlet plays the moves of one half while the program thinks about the other.
//! This saves up to half of the time. But a program that needs as long for half a request as for a
//! whole one, such as a network on a GPU, would lose half of its speed. So both ways are tried, and
//! the faster one is kept for a while. Games do not depend on the choice, because no move depends
//! on the other games of a request.

use std::ops::Range;
use std::time::{Duration, Instant};

/// Minimum duration of a period, and its minimum number of requests.
const PERIOD: Duration = Duration::from_millis(10);
const PERIOD_REQUESTS: u32 = 6;

/// Number of periods between two trials of the slower way: at first, and at most.
const FIRST_KEPT_PERIODS: u32 = 16;
const MAX_KEPT_PERIODS: u32 = 1024;

/// Factor by which halves must be faster. Fewer, larger requests are easier for most programs.
const MIN_GAIN: f64 = 1.05;

/// Division of the open games into requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Division {
    Whole,
    Halves,
}

/// Chooses the division, by the speed so far.
pub(super) struct Pace {
    max_games: usize,
    may_divide: bool,
    /// Division of the present requests, and of the next ones.
    current: Division,
    next: Division,
    /// Start of the present period, its requests and moves.
    period_start: Instant,
    requests: u32,
    moves: usize,
    /// Moves per second in the last period of each division.
    whole_speed: f64,
    halves_speed: f64,
    /// Number of periods until the next trial, and between two trials.
    periods_left: u32,
    kept_periods: u32,
    is_trial: bool,
}

impl Pace {
    /// Creates the pace of at most this many open games. It starts with whole requests, and keeps
    /// them unless `may_divide`.
    pub(super) fn new(max_games: usize, may_divide: bool) -> Pace {
        Pace {
            max_games,
            may_divide: may_divide && max_games > 1,
            current: Division::Whole,
            next: Division::Whole,
            period_start: Instant::now(),
            requests: 0,
            moves: 0,
            whole_speed: 0.0,
            halves_speed: 0.0,
            periods_left: 0,
            kept_periods: FIRST_KEPT_PERIODS,
            is_trial: false,
        }
    }

    /// Returns the numbers of the games of the next two requests, if no request is open. The second
    /// is empty if the games are not divided.
    pub(super) fn divide(&mut self) -> [Range<usize>; 2] {
        if self.current != self.next {
            self.current = self.next;
            self.start_period(Instant::now());
        }
        let middle = match self.current {
            Division::Whole => self.max_games,
            Division::Halves => self.max_games / 2,
        };
        [0..middle, middle..self.max_games]
    }

    /// Returns true if the games of an answered request are the next request, while another request
    /// is open.
    pub(super) fn keeps_halves(&self) -> bool {
        self.current == Division::Halves && self.next == Division::Halves
    }

    /// Records a request whose moves were played, and chooses the next division.
    pub(super) fn note_request(&mut self, moves: usize) {
        self.requests += 1;
        self.moves += moves;
        let now = Instant::now();
        let elapsed = now - self.period_start;
        // Before a change, the last half is still open.
        if self.may_divide
            && self.current == self.next
            && self.requests >= PERIOD_REQUESTS
            && elapsed >= PERIOD
        {
            self.end_period(self.moves as f64 / elapsed.as_secs_f64());
            self.start_period(now);
        }
    }

    fn start_period(&mut self, now: Instant) {
        (self.period_start, self.requests, self.moves) = (now, 0, 0);
    }

    /// Chooses the next division after a period with this speed.
    fn end_period(&mut self, speed: f64) {
        match self.current {
            Division::Whole => self.whole_speed = speed,
            Division::Halves => self.halves_speed = speed,
        }
        if self.is_trial {
            self.is_trial = false;
            let faster = if self.halves_speed > MIN_GAIN * self.whole_speed {
                Division::Halves
            } else {
                Division::Whole
            };
            let is_confirmed = faster != self.current;
            self.kept_periods =
                if is_confirmed { (2 * self.kept_periods).min(MAX_KEPT_PERIODS) } else { FIRST_KEPT_PERIODS };
            self.periods_left = self.kept_periods;
            self.next = faster;
        } else if self.periods_left > 0 {
            self.periods_left -= 1;
        } else {
            self.is_trial = true;
            self.next = match self.current {
                Division::Whole => Division::Halves,
                Division::Halves => Division::Whole,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays periods at these speeds of whole requests and halves. Returns the number of periods
    /// with halves.
    fn count_halves(pace: &mut Pace, periods: u32, whole_speed: f64, halves_speed: f64) -> u32 {
        let mut halves = 0;
        for _ in 0..periods {
            pace.divide();
            let is_divided = pace.keeps_halves();
            halves += u32::from(is_divided);
            pace.end_period(if is_divided { halves_speed } else { whole_speed });
        }
        halves
    }

    #[test]
    fn the_faster_division_is_kept_and_the_other_one_is_tried_rarely() {
        let mut pace = Pace::new(8, true);
        assert!((990..1000).contains(&count_halves(&mut pace, 1000, 1.0, 1.5)));
        // A change of the speeds is noticed.
        assert!(count_halves(&mut pace, 4000, 1.5, 1.0) < 2000);
        assert!((1..10).contains(&count_halves(&mut pace, 1000, 1.5, 1.0)));
        // A small gain is not worth smaller requests.
        let mut pace = Pace::new(8, true);
        assert!((1..10).contains(&count_halves(&mut pace, 1000, 1.0, 1.01)));
    }

    #[test]
    fn every_game_is_in_one_request() {
        for max_games in 2..10 {
            let mut pace = Pace::new(max_games, true);
            assert_eq!(pace.divide(), [0..max_games, max_games..max_games]);
            pace.end_period(1.0);
            let halves = pace.divide();
            assert!(pace.keeps_halves() && halves.iter().all(|half| !half.is_empty()));
            assert_eq!(halves.into_iter().flatten().collect::<Vec<_>>(), (0..max_games).collect::<Vec<_>>());
        }
    }
}
