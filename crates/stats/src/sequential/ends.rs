//! The ends that a sequential test can come to, counted exactly: a walk that goes up by steps of
//! known probabilities, and ends where the test decides.

use std::cmp::Ordering;

/// The walk as far as it has come.
pub(super) struct Walk {
    /// The probability of each height at which the test goes on, from the least one on.
    going_on: Vec<f64>,
    least: u64,
    ends: Ends,
}

/// The ends further up than the one that a test came to, and that end itself.
pub(super) struct Ends {
    beyond: Vec<End>,
    here: Vec<End>,
}

/// An end: the logarithm of its probability, and how often the two kinds of factor stand in it, by
/// which it is counted for other probabilities of the steps.
struct End {
    log_probability: f64,
    factors: [f64; 2],
}

impl Walk {
    /// A walk that has not begun.
    pub(super) fn new() -> Walk {
        let ends = Ends { beyond: Vec::new(), here: Vec::new() };
        Walk { going_on: vec![1.0], least: 0, ends }
    }

    /// Goes a step further: up by 0, 1, 2 and so on with these probabilities.
    pub(super) fn step(&mut self, parts: &[f64]) {
        let mut next = vec![0.0; self.going_on.len() + parts.len() - 1];
        for (place, probability) in self.going_on.iter().enumerate() {
            for (more, part) in parts.iter().enumerate() {
                next[place + more] += probability * part;
            }
        }
        self.going_on = next;
    }

    /// Takes out the heights at which the test ends. `decide` says in whose favour it does at a
    /// height: of the first (greater) or the second (less).
    pub(super) fn look(
        &mut self,
        decide: impl Fn(u64) -> Option<Ordering>,
        factors: impl Fn(u64) -> [f64; 2],
    ) {
        while let Some(&probability) = self.going_on.last() {
            let most = self.least + self.going_on.len() as u64 - 1;
            if decide(most) != Some(Ordering::Greater) {
                break;
            }
            self.ends.beyond.push(End { log_probability: probability.ln(), factors: factors(most) });
            self.going_on.pop();
        }
        let heights = self.least..self.least + self.going_on.len() as u64;
        let below = heights.take_while(|&height| decide(height) == Some(Ordering::Less)).count();
        self.going_on.drain(..below);
        self.least += below as u64;
    }

    /// The ends, the walk being over at this height.
    pub(super) fn close(mut self, at: u64, factors: impl Fn(u64) -> [f64; 2]) -> Ends {
        for (height, probability) in (self.least..).zip(self.going_on) {
            let end = End { log_probability: probability.ln(), factors: factors(height) };
            match height.cmp(&at) {
                Ordering::Greater => self.ends.beyond.push(end),
                Ordering::Equal => self.ends.here.push(end),
                Ordering::Less => {}
            }
        }
        self.ends
    }
}

impl Ends {
    /// The probability of all ends beyond and of this part of the end itself, where the factors
    /// have grown by these logarithms.
    pub(super) fn probability(&self, part_of_here: f64, [one, other]: [f64; 2]) -> f64 {
        let sum = |ends: &[End]| {
            let terms =
                ends.iter().map(|end| end.log_probability + end.factors[0] * one + end.factors[1] * other);
            terms.map(f64::exp).sum::<f64>()
        };
        sum(&self.beyond) + part_of_here * sum(&self.here)
    }
}
