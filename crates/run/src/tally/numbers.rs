//! Numbers keys in the order of first use, in twelve bytes per key; a map takes some thirty.

use std::collections::BTreeMap;

/// Numbers of keys, counted from 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    /// Sorted keys, and the number of each.
    keys: Vec<u64>,
    numbers: Vec<u32>,
    /// Keys added since the last sorting.
    new: BTreeMap<u64, u32>,
}

/// Keys are sorted when the new ones are an eighth of the others, or as many as this constant.
const PART: usize = 8;
const LEAST: usize = 1 << 10;

impl Numbers {
    /// Returns the number of keys.
    pub(super) fn len(&self) -> usize {
        self.keys.len() + self.new.len()
    }

    /// Returns the number of a key, or gives the next number to a new key.
    pub(super) fn get_or_insert(&mut self, key: u64) -> u32 {
        if let Ok(place) = self.keys.binary_search(&key) {
            return self.numbers[place];
        }
        let next = self.len() as u32;
        let number = *self.new.entry(key).or_insert(next);
        if self.new.len() >= LEAST.max(self.keys.len() / PART) {
            self.merge_new();
        }
        number
    }

    /// Merges the new keys in place, from the last to the first.
    fn merge_new(&mut self) {
        let mut from = self.keys.len();
        let mut to = self.len();
        self.keys.reserve_exact(to - from);
        self.keys.resize(to, 0);
        self.numbers.reserve_exact(to - from);
        self.numbers.resize(to, 0);
        for (key, number) in std::mem::take(&mut self.new).into_iter().rev() {
            while from > 0 && self.keys[from - 1] > key {
                from -= 1;
                to -= 1;
                self.keys[to] = self.keys[from];
                self.numbers[to] = self.numbers[from];
            }
            to -= 1;
            self.keys[to] = key;
            self.numbers[to] = number;
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
