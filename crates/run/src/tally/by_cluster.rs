//! Half points and pairs by clusters, in a byte for each cluster: of most openings that are
//! generated there is one pair.

use std::collections::BTreeMap;

/// The most pairs of a cluster that fit in its byte.
const FEW: u32 = 3;

/// The byte of a cluster that has more.
const MANY: u8 = u8::MAX;

/// Half points and pairs of clusters, which are numbered from 0 on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ByCluster {
    /// Of each cluster its pairs, four bits, and its half points.
    few: Vec<u8>,
    /// The half points and pairs of those that have many, by their numbers.
    many: BTreeMap<usize, [u32; 2]>,
}

impl ByCluster {
    /// Adds a pair, and returns true if it is the first of its cluster.
    pub(super) fn add(&mut self, cluster: usize, half_points: u32) -> bool {
        if self.few.len() <= cluster {
            self.few.resize(cluster + 1, 0);
        }
        let [own, pairs] = self.sums(cluster);
        // More than fits there are no games of.
        let sums = [own.saturating_add(half_points), pairs.saturating_add(1)];
        self.few[cluster] = match byte(sums) {
            MANY => {
                self.many.insert(cluster, sums);
                MANY
            }
            byte => byte,
        };
        pairs == 0
    }

    /// The half points and pairs of a cluster; none if it has no pair.
    pub(super) fn sums(&self, cluster: usize) -> [u32; 2] {
        match self.few.get(cluster) {
            None => [0; 2],
            Some(&MANY) => self.many[&cluster],
            Some(byte) => [byte & 15, byte >> 4].map(u32::from),
        }
    }

    /// One more than the last number of a cluster that has a pair.
    pub(super) fn len(&self) -> usize {
        self.few.len()
    }

    /// The same as the other player sees it.
    pub(super) fn turned(&self) -> ByCluster {
        let turned = |[own, pairs]: [u32; 2]| [4 * pairs - own, pairs];
        ByCluster {
            few: (0..self.len()).map(|cluster| byte(turned(self.sums(cluster)))).collect(),
            many: self.many.iter().map(|(&cluster, &sums)| (cluster, turned(sums))).collect(),
        }
    }
}

fn byte([half_points, pairs]: [u32; 2]) -> u8 {
    if pairs <= FEW { (pairs << 4 | half_points) as u8 } else { MANY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_pairs() {
        let mut found = ByCluster::default();
        let mut expected: BTreeMap<usize, [u32; 2]> = BTreeMap::new();
        for pair in 0..10_000_usize {
            // The first clusters have thousands of pairs and the last ones two, and some have none.
            let cluster = if pair % 3 == 0 { pair % 9 } else { pair / 2 };
            let half_points = (pair * 7 % 5) as u32;
            let [own, pairs] = expected.entry(cluster).or_default();
            assert_eq!(found.add(cluster, half_points), *pairs == 0, "{pair}");
            *own += half_points;
            *pairs += 1;
        }
        assert_eq!(found.len(), 5_000);
        let turned = found.turned();
        for cluster in 0..6_000 {
            let [own, pairs] = expected.get(&cluster).copied().unwrap_or_default();
            assert_eq!(found.sums(cluster), [own, pairs], "{cluster}");
            assert_eq!(turned.sums(cluster), [4 * pairs - own, pairs], "{cluster}");
        }
        assert_eq!(turned.turned(), found);
        assert!(found.many.len() < 10 && found.many.len() > 1);
    }
}
