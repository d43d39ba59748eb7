//! Half points and pairs by cluster of openings, in a byte per cluster: most generated openings
//! have one pair.

use std::collections::BTreeMap;

/// Largest number of pairs of a cluster that fits in its byte.
const FEW: u32 = 3;

/// Byte of a cluster with more pairs.
const MANY: u8 = u8::MAX;

/// Half points and pairs of clusters, which are numbered from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ClusterSums {
    /// For each cluster, its pairs and its half points, four bits each.
    few: Vec<u8>,
    /// Half points and pairs of clusters with more pairs, by number.
    many: BTreeMap<usize, [u32; 2]>,
}

impl ClusterSums {
    /// Adds a pair, and returns true if it is the first of its cluster.
    pub(super) fn add(&mut self, cluster: usize, half_points: u32) -> bool {
        if self.few.len() <= cluster {
            self.few.resize(cluster + 1, 0);
        }
        let [own, pairs] = self.sums(cluster);
        // There are never more games than fit.
        let sums = [own.saturating_add(half_points), pairs.saturating_add(1)];
        self.few[cluster] = match pack_byte(sums) {
            MANY => {
                self.many.insert(cluster, sums);
                MANY
            }
            byte => byte,
        };
        pairs == 0
    }

    /// Returns the half points and pairs of a cluster, 0 if it has none.
    pub(super) fn sums(&self, cluster: usize) -> [u32; 2] {
        match self.few.get(cluster) {
            None => [0; 2],
            Some(&MANY) => self.many[&cluster],
            Some(byte) => [byte & 15, byte >> 4].map(u32::from),
        }
    }

    /// Returns one more than the highest number of a cluster with pairs.
    pub(super) fn len(&self) -> usize {
        self.few.len()
    }

    /// Returns the counts from the other player's view.
    pub(super) fn swap_players(&self) -> ClusterSums {
        let turned = |[own, pairs]: [u32; 2]| [4 * pairs - own, pairs];
        ClusterSums {
            few: (0..self.len()).map(|cluster| pack_byte(turned(self.sums(cluster)))).collect(),
            many: self.many.iter().map(|(&cluster, &sums)| (cluster, turned(sums))).collect(),
        }
    }
}

fn pack_byte([half_points, pairs]: [u32; 2]) -> u8 {
    if pairs <= FEW { (pairs << 4 | half_points) as u8 } else { MANY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_pairs() {
        let mut found = ClusterSums::default();
        let mut expected: BTreeMap<usize, [u32; 2]> = BTreeMap::new();
        for pair in 0..10_000_usize {
            // The first clusters have thousands of pairs, the last ones two, and some have none.
            let cluster = if pair % 3 == 0 { pair % 9 } else { pair / 2 };
            let half_points = (pair * 7 % 5) as u32;
            let [own, pairs] = expected.entry(cluster).or_default();
            assert_eq!(found.add(cluster, half_points), *pairs == 0, "{pair}");
            *own += half_points;
            *pairs += 1;
        }
        assert_eq!(found.len(), 5_000);
        let turned = found.swap_players();
        for cluster in 0..6_000 {
            let [own, pairs] = expected.get(&cluster).copied().unwrap_or_default();
            assert_eq!(found.sums(cluster), [own, pairs], "{cluster}");
            assert_eq!(turned.sums(cluster), [4 * pairs - own, pairs], "{cluster}");
        }
        assert_eq!(turned.swap_players(), found);
        assert!(found.many.len() < 10 && found.many.len() > 1);
    }
}
