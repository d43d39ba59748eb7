//! Sums of the games of two players against each other.

use std::collections::BTreeMap;
use std::io::Read;

use gauntlet_core::game::Seat;
use gauntlet_core::record::{Ending, GameRecord};
use gauntlet_stats::{Cluster, ClusterCounts};

use super::cluster_sums::ClusterSums;
use super::csv_tally::read_whole_blocks;
use super::numbers::Numbers;
use crate::plan::{LineUp, Plan};

/// Sums of the games of two players against each other, from the first player's view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meeting {
    /// Number of pairs of games in which the first player got 0, 1/2, 1, 3/2 and 2 points.
    pub pairs: [u64; 5],
    /// Number of such pairs that are the first of their opening. A pair with a symmetric opening
    /// adds no information.
    pub first_pairs: [u64; 5],
    /// Games won, drawn and lost in each seat.
    pub seat_results: [[u64; 3]; 2],
    /// Games that the first player forfeited, and games that the other forfeited.
    pub forfeits: [u64; 2],
    /// Games that were cut by the time limit.
    pub out_of_time: u64,
    /// Games that were cut by the move limit; they count as draws.
    pub out_of_moves: u64,
    pub moves: u64,
    /// Half points and pairs by cluster of symmetric openings.
    clusters: ClusterSums,
}

impl Meeting {
    /// Adds a pair of games. The first player has the first seat in the first game, and the other
    /// seat in the second.
    pub fn add(&mut self, cluster: usize, pair: &[GameRecord; 2]) {
        let mut half_points = 0;
        for (record, seat) in pair.iter().zip([Seat::First, Seat::Second]) {
            let halves = record.outcome.result_for(seat).half_points() as usize;
            self.seat_results[seat.number()][2 - halves] += 1;
            half_points += halves;
            self.moves += u64::from(record.moves);
            self.out_of_time += u64::from(record.ending == Ending::MaxSeconds);
            self.out_of_moves += u64::from(record.ending == Ending::MaxMoves);
            if let Some(at_fault) = record.ending.seat_at_fault() {
                self.forfeits[usize::from(at_fault != seat)] += 1;
            }
        }
        self.pairs[half_points] += 1;
        let is_first = self.clusters.add(cluster, half_points as u32);
        self.first_pairs[half_points] += u64::from(is_first);
    }

    /// Returns the sums from the other player's view.
    #[must_use]
    pub fn swap_players(&self) -> Meeting {
        let Meeting {
            mut pairs,
            mut first_pairs,
            seat_results: [first, second],
            forfeits: [own, others],
            ..
        } = *self;
        pairs.reverse();
        first_pairs.reverse();
        let swap = |[won, drawn, lost]: [u64; 3]| [lost, drawn, won];
        Meeting {
            pairs,
            first_pairs,
            // When the first player has the second seat, the other has the first.
            seat_results: [swap(second), swap(first)],
            forfeits: [others, own],
            clusters: self.clusters.swap_sides(),
            ..*self
        }
    }

    /// Returns the number of pairs.
    pub fn count(&self) -> u64 {
        self.pairs.iter().sum()
    }

    /// Returns the number of games.
    pub fn games(&self) -> u64 {
        2 * self.count()
    }

    /// Returns the games won, drawn and lost in both seats together.
    pub fn results(&self) -> [u64; 3] {
        let [first, second] = self.seat_results;
        [0, 1, 2].map(|index| first[index] + second[index])
    }

    /// Returns the correlation of the points in both games of a pair: negative if the colour
    /// decides games, positive if openings favour one player. `None` if all games ended alike.
    pub fn correlation(&self) -> Option<f64> {
        let variance = |counts: &[u64]| {
            let count = counts.iter().sum::<u64>() as f64;
            let max_points = counts.len() as f64 - 1.0;
            let mean = |power: i32| {
                let terms = (0_u8..)
                    .zip(counts)
                    .map(|(cell, &pairs)| pairs as f64 * (f64::from(cell) / max_points).powi(power));
                terms.sum::<f64>() / count
            };
            mean(2) - mean(1) * mean(1)
        };
        let [won, drawn, lost] = self.results();
        let game_variance = variance(&[lost, drawn, won]);
        (game_variance > 1e-12).then(|| (2.0 * variance(&self.pairs) / game_variance - 1.0).clamp(-1.0, 1.0))
    }

    /// Returns the cluster with this number; empty if there is none.
    pub fn cluster(&self, number: usize) -> Cluster {
        let [half_points, pairs] = self.clusters.sums(number).map(u64::from);
        Cluster { half_points, pairs }
    }

    /// Returns the share of the points, clustered by opening; `None` without pairs.
    pub fn cluster_counts(&self) -> Option<ClusterCounts> {
        ClusterCounts::new((0..self.clusters.len()).map(|number| self.cluster(number)))
    }
}

/// Sums of all pairings of a plan's players.
#[derive(Clone, Debug, Default)]
pub struct Meetings {
    /// For each line-up, its members and the sums of their games.
    pairings: Vec<([usize; 2], Meeting)>,
    /// Index of each pair in that list.
    pair_indices: BTreeMap<[usize; 2], usize>,
    /// Number of each cluster, in the order of first use.
    cluster_numbers: Numbers,
}

impl Meetings {
    /// Creates empty sums for the pairings of a plan. A line-up of one player has none.
    pub fn new(plan: &Plan) -> Meetings {
        let members = |lineup: &LineUp| match *lineup {
            LineUp::Alone([player]) => [player, player],
            LineUp::Pair(pair) => pair,
        };
        Meetings::from_pairs(plan.lineups.iter().map(members))
    }

    /// Creates empty sums for these pairs of players.
    pub fn from_pairs(pairs: impl Iterator<Item = [usize; 2]>) -> Meetings {
        let pairings: Vec<_> = pairs.map(|members| (members, Meeting::default())).collect();
        let pair_indices =
            pairings.iter().enumerate().map(|(index, (members, _))| (*members, index)).collect();
        Meetings { pairings, pair_indices, cluster_numbers: Numbers::default() }
    }

    /// Reads the games of a plan from `games.csv`.
    pub fn read(plan: &Plan, csv: &mut dyn Read) -> anyhow::Result<Meetings> {
        let mut meetings = Meetings::new(plan);
        read_whole_blocks(plan, csv, &mut |lineup, block, legs| meetings.add(plan, lineup, block, legs))?;
        Ok(meetings)
    }

    /// Adds consecutive blocks of a line-up, with the legs of each block in order.
    pub fn add(&mut self, plan: &Plan, lineup: usize, first: u64, records: &[GameRecord]) {
        let (pairs, rest) = records.as_chunks::<2>();
        assert!(rest.is_empty(), "a block of a duel has two games");
        pairs.iter().zip(first..).for_each(|(pair, block)| self.add_pair(lineup, plan.cluster(block), pair));
    }

    /// Adds a pair of games of a line-up, given the cluster of its opening.
    pub fn add_pair(&mut self, lineup: usize, cluster: u64, pair: &[GameRecord; 2]) {
        let number = self.cluster_numbers.get_or_insert(cluster);
        self.pairings[lineup].1.add(number as usize, pair);
    }

    /// Returns the number of clusters in all pairings together.
    pub fn clusters(&self) -> usize {
        self.cluster_numbers.len()
    }

    /// Returns the sums of two players' games, from the view of the first; `None` if they do not
    /// meet.
    pub fn meeting(&self, one: usize, other: usize) -> Option<Meeting> {
        let find_meeting =
            |pair: [usize; 2]| self.pair_indices.get(&pair).map(|&index| &self.pairings[index].1);
        find_meeting([one, other]).cloned().or_else(|| find_meeting([other, one]).map(Meeting::swap_players))
    }

    /// Gives players other numbers.
    #[must_use]
    pub fn renumber(&self, number: impl Fn(usize) -> usize) -> Meetings {
        let pairings = self.pairings.iter().map(|(members, meeting)| (members.map(&number), meeting.clone()));
        let pairings: Vec<_> = pairings.collect();
        let pair_indices =
            pairings.iter().enumerate().map(|(index, (members, _))| (*members, index)).collect();
        Meetings { pairings, pair_indices, cluster_numbers: self.cluster_numbers.clone() }
    }

    /// Iterates over all pairings, each with the indices of its players.
    pub fn iter(&self) -> impl Iterator<Item = ([usize; 2], &Meeting)> {
        self.pairings.iter().map(|(members, meeting)| (*members, meeting))
    }

    /// Sums the points by opening of some players against some others, without games among the
    /// players themselves.
    pub fn cluster_counts(
        &self,
        is_own: impl Fn(usize) -> bool,
        is_rival: impl Fn(usize) -> bool,
    ) -> Option<ClusterCounts> {
        let mut sums = vec![Cluster::default(); self.clusters()];
        for (members, meeting) in self.iter() {
            let [one, other] = members;
            let [is_direct, is_swapped] =
                [[one, other], [other, one]].map(|[own, rival]| is_own(own) && is_rival(rival));
            if !(is_direct || is_swapped) {
                continue;
            }
            for (number, sum) in sums.iter_mut().enumerate() {
                let Cluster { half_points, pairs } = meeting.cluster(number);
                sum.half_points += if is_swapped { 4 * pairs - half_points } else { half_points };
                sum.pairs += pairs;
            }
        }
        ClusterCounts::new(sums)
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::game::{Facts, Outcome};
    use gauntlet_core::record::Fault;

    use super::*;

    fn game(outcome: Outcome, ending: Ending) -> GameRecord {
        GameRecord { outcome, facts: Facts::default(), moves: 10, ending }
    }

    #[test]
    fn a_pair_counts_for_both_players() {
        let win = |seat| game(Outcome::Won(seat), Ending::GameOver);
        let mut meeting = Meeting::default();
        // Won as black and lost as white; then won as black, and the other player forfeited.
        meeting.add(7, &[win(Seat::First), win(Seat::First)]);
        let forfeit = game(Outcome::Won(Seat::Second), Ending::Fault(Seat::First, Fault::GaveUp));
        meeting.add(7, &[win(Seat::First), forfeit]);
        meeting.add(9, &[game(Outcome::Drawn, Ending::GameOver), win(Seat::First)]);
        assert_eq!((meeting.pairs, meeting.first_pairs), ([0, 1, 1, 0, 1], [0, 1, 1, 0, 0]));
        assert_eq!(meeting.seat_results, [[2, 1, 0], [1, 0, 2]]);
        assert_eq!((meeting.count(), meeting.games(), meeting.results()), (3, 6, [3, 1, 2]));
        assert_eq!((meeting.forfeits, meeting.moves), ([0, 1], 60));
        let cluster = |half_points, pairs| Cluster { half_points, pairs };
        assert_eq!(
            [6, 7, 8, 9, 10].map(|number| meeting.cluster(number)),
            [cluster(0, 0), cluster(6, 2), cluster(0, 0), cluster(1, 1), cluster(0, 0)]
        );

        let other = meeting.swap_players();
        assert_eq!(other.pairs, [1, 0, 1, 1, 0]);
        assert_eq!(other.seat_results, [[2, 0, 1], [0, 1, 2]]);
        assert_eq!(other.forfeits, [1, 0]);
        assert_eq!(other.swap_players(), meeting);
        // Points of 1 and 0, of 1 and 1, and of 1/2 and 0: sums of squares are 13/4 in six games,
        // and 21/16 in three pairs, with mean 7/12.
        let (game_variance, pair_variance) = (13.0 / 24.0 - 49.0 / 144.0, 21.0 / 48.0 - 49.0 / 144.0);
        let correlation = meeting.correlation().expect("they differ");
        assert!((correlation - (2.0 * pair_variance / game_variance - 1.0)).abs() < 1e-12, "{correlation}");
        assert!(other.correlation().is_some_and(|swapped| (swapped - correlation).abs() < 1e-12));
        assert_eq!(Meeting::default().correlation(), None);
    }
}
