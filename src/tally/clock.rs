//! How long a player thought, by parts of the run: what comparisons by time are made from.

use std::collections::BTreeMap;

use crate::record::Times;

/// Parts of the blocks of an experiment. All players are dealt the same part of their blocks at about the same time, so what
/// the machine does in that time is common to them.
pub const PARTS: u64 = 40;

/// A part of the blocks as played in one session: what is paired by time.
pub type Place = (u64, u64);

/// How long a player thought, by session and part of the blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clock(pub BTreeMap<Place, Thinking>);

/// How long some thoughts took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thinking {
    /// How many.
    pub thoughts: u64,
    /// Nanoseconds of the processor.
    pub ns: u64,
    /// The same in millionths of a yardstick; none if not all of it was measured beside one.
    pub micro_yardsticks: Option<u64>,
}

impl Thinking {
    /// Nothing yet.
    const NOTHING: Thinking = Thinking { thoughts: 0, ns: 0, micro_yardsticks: Some(0) };

    /// The thoughts of one line of the journal.
    fn of(times: &Times) -> Thinking {
        // Journals of before this was measured have only the wall time of thoughts, which interruptions bend.
        let by_part = || (times.thinking_ns as f64 * times.cpu_ns as f64 / times.wall_ns as f64) as u64;
        let ns = times.thinking_cpu_ns.unwrap_or_else(by_part);
        // Each line by what was played of the yardstick beside it: the machine may have been another before.
        let micro_yardsticks =
            times.yardsticks.mean_ns().map(|yardstick| (1e6 * ns as f64 / yardstick) as u64);
        Thinking { thoughts: times.thoughts, ns, micro_yardsticks }
    }

    fn add(&mut self, other: Thinking) {
        self.thoughts += other.thoughts;
        self.ns += other.ns;
        let both = self.micro_yardsticks.zip(other.micro_yardsticks);
        self.micro_yardsticks = both.map(|(one, other)| one + other);
    }
}

impl Clock {
    /// Of which only the mean is known, in milliseconds.
    pub fn of_mean(thoughts: u64, ms: f64) -> Clock {
        let ns = (1e6 * ms * thoughts as f64).round() as u64;
        Clock(BTreeMap::from([((0, 0), Thinking { thoughts, ns, micro_yardsticks: None })]))
    }

    /// All of it.
    pub fn total(&self) -> Thinking {
        self.0.values().fold(Thinking::NOTHING, |mut total, &thinking| {
            total.add(thinking);
            total
        })
    }

    /// Milliseconds of the processor for a thought.
    pub fn mean_ms(&self) -> Option<f64> {
        let Thinking { thoughts, ns, .. } = self.total();
        (thoughts > 0).then(|| ns as f64 / thoughts as f64 / 1e6)
    }

    pub(super) fn add_line(&mut self, place: Place, times: &Times) {
        self.add(place, Thinking::of(times));
    }

    fn add(&mut self, place: Place, thinking: Thinking) {
        self.0.entry(place).or_insert(Thinking::NOTHING).add(thinking);
    }

    pub(super) fn merge(&mut self, other: Clock) {
        for (place, thinking) in other.0 {
            self.add(place, thinking);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Yardsticks;

    #[test]
    fn every_line_counts_by_its_own_yardstick() {
        let line = |ns, count, yardstick_ns| Times {
            thoughts: 10,
            thinking_cpu_ns: Some(ns),
            yardsticks: Yardsticks { count, ns: yardstick_ns },
            ..Times::default()
        };
        let mut clock = Clock::default();
        clock.add_line((1, 0), &line(1000, 1, 20_000));
        // The machine is half as fast, and so is the player.
        clock.add_line((1, 0), &line(2000, 3, 120_000));
        let expected = Thinking { thoughts: 20, ns: 3000, micro_yardsticks: Some(100_000) };
        assert_eq!(clock.total(), expected);
        assert_eq!(clock.mean_ms(), Some(150e-6));
        // One line without a yardstick, and the whole is not known by it.
        clock.add_line((2, 39), &line(5000, 0, 0));
        assert_eq!(clock.total(), Thinking { thoughts: 30, ns: 8000, micro_yardsticks: None });
        assert_eq!(clock.0[&(1, 0)], expected);
        assert_eq!(Clock::default().mean_ms(), None);
    }
}
