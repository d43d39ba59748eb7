//! Exact distribution of a sequential test's ends: a walk with steps of known probabilities, which
//! ends when the test decides.

use std::cmp::Ordering;

/// Current state of the walk.
pub(super) struct Walk {
    /// Probability of each height at which the test continues, starting at the lowest.
    probabilities: Vec<f64>,
    lowest_height: u64,
    ends: Ends,
}

/// Ends further up than the actual end of a test, and that end.
pub(super) struct Ends {
    beyond: Vec<End>,
    actual: Vec<End>,
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
        let ends = Ends { beyond: Vec::new(), actual: Vec::new() };
        Walk { probabilities: vec![1.0], lowest_height: 0, ends }
    }

    /// Advances by one step: up by 0, 1, 2 and so on, with these probabilities.
    pub(super) fn step(&mut self, step_probabilities: &[f64]) {
        let mut next = vec![0.0; self.probabilities.len() + step_probabilities.len() - 1];
        for (index, probability) in self.probabilities.iter().enumerate() {
            for (rise, step_probability) in step_probabilities.iter().enumerate() {
                next[index + rise] += probability * step_probability;
            }
        }
        self.probabilities = next;
    }

    /// Removes the heights at which the test ends. `decide` returns the winner at a height: the
    /// first (greater) or the second (less).
    pub(super) fn remove_ends(
        &mut self,
        decide: impl Fn(u64) -> Option<Ordering>,
        factors: impl Fn(u64) -> [f64; 2],
    ) {
        while let Some(&probability) = self.probabilities.last() {
            let highest = self.lowest_height + self.probabilities.len() as u64 - 1;
            if decide(highest) != Some(Ordering::Greater) {
                break;
            }
            self.ends.beyond.push(End { log_probability: probability.ln(), factors: factors(highest) });
            self.probabilities.pop();
        }
        let heights = self.lowest_height..self.lowest_height + self.probabilities.len() as u64;
        let below = heights.take_while(|&height| decide(height) == Some(Ordering::Less)).count();
        self.probabilities.drain(..below);
        self.lowest_height += below as u64;
    }

    /// Returns the ends of a walk that is over at this height.
    pub(super) fn close(mut self, end_height: u64, factors: impl Fn(u64) -> [f64; 2]) -> Ends {
        for (height, probability) in (self.lowest_height..).zip(self.probabilities) {
            let end = End { log_probability: probability.ln(), factors: factors(height) };
            match height.cmp(&end_height) {
                Ordering::Greater => self.ends.beyond.push(end),
                Ordering::Equal => self.ends.actual.push(end),
                Ordering::Less => {}
            }
        }
        self.ends
    }
}

impl Ends {
    /// Returns the probability of all ends beyond, and of this part of the end itself, if the
    /// factors have grown by these logarithms.
    pub(super) fn probability(&self, end_fraction: f64, [one, other]: [f64; 2]) -> f64 {
        let sum = |ends: &[End]| {
            let terms =
                ends.iter().map(|end| end.log_probability + end.factors[0] * one + end.factors[1] * other);
            terms.map(f64::exp).sum::<f64>()
        };
        sum(&self.beyond) + end_fraction * sum(&self.actual)
    }
}
