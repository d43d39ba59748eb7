//! Numbers keys in the order of first use, in twelve bytes per key; a map takes some thirty.

use std::collections::BTreeMap;

/// Numbers of keys, counted from 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    /// Sorted keys, and the number of each.
    keys: Vec<u64>,
    numbers: Vec<u32>,
    /// Keys added since the last sorting.
    new_keys: BTreeMap<u64, u32>,
}

/// Keys are sorted when the new ones are an eighth of the others, or as many as this constant.
const MERGE_DIVISOR: usize = 8;
const MIN_MERGE: usize = 1 << 10;

impl Numbers {
    /// Returns the number of keys.
    pub(super) fn len(&self) -> usize {
        self.keys.len() + self.new_keys.len()
    }

    /// Returns the number of a key, or gives the next number to a new key.
    pub(super) fn get_or_insert(&mut self, key: u64) -> u32 {
        if let Ok(index) = self.keys.binary_search(&key) {
            return self.numbers[index];
        }
        let next = self.len() as u32;
        let number = *self.new_keys.entry(key).or_insert(next);
        if self.new_keys.len() >= MIN_MERGE.max(self.keys.len() / MERGE_DIVISOR) {
            self.merge_new();
        }
        number
    }

    /// Merges the new keys in place, from the last to the first.
    fn merge_new(&mut self) {
        let mut source = self.keys.len();
        let mut target = self.len();
        self.keys.reserve_exact(target - source);
        self.keys.resize(target, 0);
        self.numbers.reserve_exact(target - source);
        self.numbers.resize(target, 0);
        for (key, number) in std::mem::take(&mut self.new_keys).into_iter().rev() {
            while source > 0 && self.keys[source - 1] > key {
                source -= 1;
                target -= 1;
                self.keys[target] = self.keys[source];
                self.numbers[target] = self.numbers[source];
            }
            target -= 1;
            self.keys[target] = key;
            self.numbers[target] = number;
        }
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;

    use super::*;

    #[test]
    fn numbers_are_those_of_a_map() {
        let mut rng = Seed::root(5).child("keys", 0).rng();
        let (mut numbers, mut expected) = (Numbers::default(), BTreeMap::new());
        for count in 0..40_000_u64 {
            // Repeated keys, ascending keys, and the largest and smallest key.
            let key = match count % 4 {
                0 => rng.bits() % 5_000,
                1 => count,
                2 => rng.bits(),
                _ => [0, u64::MAX][count as usize / 4 % 2],
            };
            let next = expected.len() as u32;
            assert_eq!(numbers.get_or_insert(key), *expected.entry(key).or_insert(next), "{key}");
            assert_eq!(numbers.len(), expected.len());
        }
        assert!(numbers.keys.len() > 20_000 && numbers.keys.is_sorted());
    }
}
