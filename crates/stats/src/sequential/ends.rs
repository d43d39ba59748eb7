//! Exact distribution of a sequential test's ends: a walk with steps of known probabilities, which
//! ends when the test decides.

use std::cmp::Ordering;

/// Current state of the walk.
pub(super) struct Walk {
    /// Probability of each height at which the test continues, starting at the lowest.
    going_on: Vec<f64>,
    least: u64,
    ends: Ends,
}

/// Ends further up than the actual end of a test, and that end.
pub(super) struct Ends {
    beyond: Vec<End>,
    here: Vec<End>,
}

/// End of a walk: the logarithm of its probability, and the exponents of the two kinds of factor,
/// which reweight it for other step probabilities.
struct End {
    log_probability: f64,
    factors: [f64; 2],
}

impl Walk {
    /// Creates a walk that has not begun.
    pub(super) fn new() -> Walk {
        let ends = Ends { beyond: Vec::new(), here: Vec::new() };
        Walk { going_on: vec![1.0], least: 0, ends }
    }

    /// Advances by one step: up by 0, 1, 2 and so on, with these probabilities.
    pub(super) fn step(&mut self, parts: &[f64]) {
        let mut next = vec![0.0; self.going_on.len() + parts.len() - 1];
        for (place, probability) in self.going_on.iter().enumerate() {
            for (more, part) in parts.iter().enumerate() {
                next[place + more] += probability * part;
            }
        }
        self.going_on = next;
    }

    /// Removes the heights at which the test ends. `decide` returns the winner at a height: the
    /// first (greater) or the second (less).
    pub(super) fn remove_ends(
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

    /// Returns the ends of a walk that is over at this height.
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
    /// Returns the probability of all ends beyond, and of this part of the end itself, if the
    /// factors have grown by these logarithms.
    pub(super) fn probability(&self, part_of_here: f64, [one, other]: [f64; 2]) -> f64 {
        let sum = |ends: &[End]| {
            let terms =
                ends.iter().map(|end| end.log_probability + end.factors[0] * one + end.factors[1] * other);
            terms.map(f64::exp).sum::<f64>()
        };
        sum(&self.beyond) + part_of_here * sum(&self.here)
    }
}
