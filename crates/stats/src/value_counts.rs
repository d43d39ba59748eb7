//! Distributions of numbers, kept as counts of distinct values: memory does not depend on how many
//! numbers there are.

/// Numbers that are kept before they are counted, unless there are more distinct values.
const MIN_UNCOUNTED: usize = 1 << 14;

/// Distinct values with their counts, independent of the order of the values. 0 and -0 are equal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueCounts {
    /// Distinct values in ascending order, each with its count.
    counts: Vec<(f64, u64)>,
}

impl ValueCounts {
    /// Iterates over the distinct values in ascending order, each with its count. NaN is first or
    /// last.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (f64, u64)> + Clone {
        self.counts.iter().copied()
    }

    /// Returns the distinct values in ascending order, each with its count.
    pub fn as_slice(&self) -> &[(f64, u64)] {
        &self.counts
    }

    /// Returns the number of values.
    pub fn count(&self) -> u64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// Counts these values and clears the list.
    fn count_list(&mut self, values: &mut Vec<f64>) {
        values.sort_unstable_by(f64::total_cmp);
        let groups = values.chunk_by(|one, other| one.total_cmp(other).is_eq());
        let mut added_counts = groups.map(|group| (group[0], group.len() as u64)).peekable();
        let mut merged_counts = Vec::with_capacity(self.counts.len());
        for &(value, count) in &self.counts {
            while let Some(added) = added_counts.next_if(|(added, _)| added.total_cmp(&value).is_lt()) {
                merged_counts.push(added);
            }
            let equal = added_counts.next_if(|(added, _)| added.total_cmp(&value).is_eq());
            merged_counts.push((value, count + equal.map_or(0, |(_, added_count)| added_count)));
        }
        merged_counts.extend(added_counts);
        self.counts = merged_counts;
        values.clear();
    }
}

impl FromIterator<f64> for ValueCounts {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> ValueCounts {
        let mut distribution = ValueCounts::default();
        let mut uncounted = Vec::new();
        for value in values {
            // The sum of -0 and 0 is 0.
            uncounted.push(value + 0.0);
            // A merge visits all distinct values, so it waits for as many new ones.
            if uncounted.len() >= distribution.counts.len().max(MIN_UNCOUNTED) {
                distribution.count_list(&mut uncounted);
            }
        }
        distribution.count_list(&mut uncounted);
        distribution
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the counts against a sorted list.
    #[track_caller]
    fn check(values: impl Iterator<Item = f64>) {
        let values: Vec<f64> = values.collect();
        let distribution: ValueCounts = values.iter().copied().collect();
        let mut sorted_values = values;
        sorted_values.sort_unstable_by(f64::total_cmp);
        assert_eq!(distribution.count(), sorted_values.len() as u64);
        let repeated_values = distribution.iter().flat_map(|(value, count)| vec![value; count as usize]);
        assert!(repeated_values.eq(sorted_values.iter().copied()));
        let has_order = |pair: &[(f64, u64)]| pair[0].0 < pair[1].0;
        assert!(distribution.as_slice().windows(2).all(has_order), "the values are not distinct");
    }

    #[test]
    fn agrees_with_the_plain_list() {
        let many = 5 * MIN_UNCOUNTED as i64 + 3;
        check([].into_iter());
        check([3.5, -2.0, 3.5, 0.0, -0.0].into_iter());
        check([7.0; 9].into_iter());
        // Few distinct values, all distinct, and values that arrive in either order.
        check((0..many).map(|number| ((number * 7919) % 1009 - 500) as f64));
        check((0..many).map(|number| ((number * 7919) % many) as f64));
        check((0..many).map(|number| number as f64 / 8.0));
        check((0..many).map(|number| -number as f64));
    }

    #[test]
    fn zeros_are_equal() {
        let distribution: ValueCounts = [0.0, -0.0, 0.0].into_iter().collect();
        assert_eq!(distribution.as_slice(), [(0.0, 3)]);
        assert!(distribution.as_slice()[0].0.is_sign_positive());
    }
}
