//! Half points and pairs by cluster of openings, in a byte per cluster: most generated openings
//! have one pair.

use std::collections::BTreeMap;

/// Largest number of pairs of a cluster that fits in its byte.
const MAX_PACKED_PAIRS: u32 = 3;

/// Byte of a cluster with more pairs.
const UNPACKED: u8 = u8::MAX;

/// Half points and pairs of clusters, which are numbered from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ClusterSums {
    /// For each cluster, its pairs and its half points, four bits each.
    packed: Vec<u8>,
    /// Half points and pairs of clusters with more pairs, by number.
    unpacked: BTreeMap<usize, [u32; 2]>,
}

impl ClusterSums {
    /// Adds a pair, and returns true if it is the first of its cluster.
    pub(super) fn add(&mut self, cluster: usize, half_points: u32) -> bool {
        if self.packed.len() <= cluster {
            self.packed.resize(cluster + 1, 0);
        }
        let [own_half_points, pairs] = self.sums(cluster);
        // There are never more games than fit.
        let sums = [own_half_points.saturating_add(half_points), pairs.saturating_add(1)];
        self.packed[cluster] = match pack_byte(sums) {
            UNPACKED => {
                self.unpacked.insert(cluster, sums);
                UNPACKED
            }
            byte => byte,
        };
        pairs == 0
    }

    /// Returns the half points and pairs of a cluster, 0 if it has none.
    pub(super) fn sums(&self, cluster: usize) -> [u32; 2] {
        match self.packed.get(cluster) {
            None => [0; 2],
            Some(&UNPACKED) => self.unpacked[&cluster],
            Some(byte) => [byte & 15, byte >> 4].map(u32::from),
        }
    }

    /// Returns one more than the highest number of a cluster with pairs.
    pub(super) fn len(&self) -> usize {
        self.packed.len()
    }

    /// Returns the counts from the other player's view.
    pub(super) fn swap_sides(&self) -> ClusterSums {
        let swap = |[own, pairs]: [u32; 2]| [4 * pairs - own, pairs];
        ClusterSums {
            packed: (0..self.len()).map(|cluster| pack_byte(swap(self.sums(cluster)))).collect(),
            unpacked: self.unpacked.iter().map(|(&cluster, &sums)| (cluster, swap(sums))).collect(),
        }
    }
}

fn pack_byte([half_points, pairs]: [u32; 2]) -> u8 {
    if pairs <= MAX_PACKED_PAIRS { (pairs << 4 | half_points) as u8 } else { UNPACKED }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_pairs() {
        let mut sums = ClusterSums::default();
        let mut expected: BTreeMap<usize, [u32; 2]> = BTreeMap::new();
        for pair in 0..10_000_usize {
            // The first clusters have thousands of pairs, the last ones two, and some have none.
            let cluster = if pair % 3 == 0 { pair % 9 } else { pair / 2 };
            let half_points = (pair * 7 % 5) as u32;
            let [own, pairs] = expected.entry(cluster).or_default();
            assert_eq!(sums.add(cluster, half_points), *pairs == 0, "{pair}");
            *own += half_points;
            *pairs += 1;
        }
        assert_eq!(sums.len(), 5_000);
        let swapped = sums.swap_sides();
        for cluster in 0..6_000 {
            let [own, pairs] = expected.get(&cluster).copied().unwrap_or_default();
            assert_eq!(sums.sums(cluster), [own, pairs], "{cluster}");
            assert_eq!(swapped.sums(cluster), [4 * pairs - own, pairs], "{cluster}");
        }
        assert_eq!(swapped.swap_sides(), sums);
        assert!(sums.unpacked.len() < 10 && sums.unpacked.len() > 1);
    }
}
