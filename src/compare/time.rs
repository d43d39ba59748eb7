//! Two players by time: milliseconds of the processor for a move.

use std::cmp::Ordering;

use super::question::Question;
use super::words::{self, Off, Said};
use crate::stats::{ALIKE, Estimate, p_beyond, p_excluding, ratio};
use crate::tally::RESAMPLES;
use crate::text::{percent, significant};

/// What a comparison by time found.
#[derive(Clone, Copy, Debug)]
pub struct TimeFinding {
    /// Milliseconds of each; none where no clock was read.
    pub ms: [Option<f64>; 2],
    /// How many times as much time the first takes; none where too little is known.
    pub ratio: Option<Estimate>,
}

/// Compares two players; also tells p.
pub(super) fn compare(ms: [Option<Estimate>; 2], question: Question) -> (TimeFinding, Option<f64>) {
    let values = ms.map(|ms| ms.map(|ms| ms.value));
    let [Some(first), Some(second)] = ms else { return (TimeFinding { ms: values, ratio: None }, None) };
    let interval = |level| ratio(first, second, level);
    // The bounds of the times rest on a limited number of samples: no smaller p can be known.
    let least = 1.0 / RESAMPLES as f64;
    let p = match question.margin {
        Some(margin) => {
            p_beyond(1.0 + margin, Ordering::Less, ALIKE, interval).map(|p| p.clamp(least, 1.0 - least))
        }
        None => p_excluding(1.0, interval).map(|p| p.max(least)),
    };
    (TimeFinding { ms: values, ratio: interval(question.level) }, p)
}

impl TimeFinding {
    /// On which side of the margin the first player lies. Less time is better.
    pub(super) fn side(&self, margin: f64) -> Option<Ordering> {
        (1.0 + margin).partial_cmp(&self.ratio?.value)
    }

    /// The ratio in words; turned, of the second player.
    pub(super) fn said(&self, question: Question, is_turned: bool) -> Option<Said> {
        let ratio = self.ratio?;
        let ratio = if is_turned { words::inverted(ratio) } else { ratio };
        let amount = match words::percent_off(ratio) {
            Off::Nothing => "takes about the same CPU time for a move".to_owned(),
            Off::Percent(percent) => {
                let less = if ratio.value < 1.0 { "less" } else { "more" };
                format!("takes {percent} {less} CPU time for a move")
            }
            Off::Far => format!("takes {} times the CPU time for a move", significant(ratio.value)),
        };
        Some(Said {
            verb: "is faster than",
            amount,
            within: words::ratio_within(ratio),
            test: if question.margin.is_none() { "p" } else { "one-sided p" },
            games: String::new(),
            tolerance: question.margin.map(percent),
        })
    }
}
