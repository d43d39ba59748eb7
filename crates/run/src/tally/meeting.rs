//! Sums over the games of two players against each other.

use std::collections::BTreeMap;

use gauntlet_core::game::Seat;
use gauntlet_core::record::{Ending, GameRecord};
use gauntlet_stats::{Cluster, Clustered};

use super::by_cluster::ByCluster;
use super::numbers::Numbers;
use crate::plan::{LineUp, Plan};

/// Sums over the games of two players against each other, as the first of them sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meeting {
    /// Number of pairs of games in which it got no point, half a point, and so on to both points.
    pub pairs: [u64; 5],
    /// The same, of those that are the first of their opening: another one with an image of it is
    /// no news.
    pub firsts: [u64; 5],
    /// Its games won, drawn and lost in each seat.
    pub by_seat: [[u64; 3]; 2],
    /// Games that it ended by its own fault, and those that the other ended so.
    pub forfeits: [u64; 2],
    /// Games that were broken off because their time was over.
    pub out_of_time: u64,
    /// Games that were broken off because they had too many moves: draws that no player made.
    pub cut: u64,
    /// Moves of all games.
    pub moves: u64,
    /// Half points and pairs by openings; those that are images of each other are one cluster.
    clusters: ByCluster,
}

impl Meeting {
    /// Adds a pair: the first player has the first seat in the first game, and the other seat in
    /// the second one.
    pub fn add(&mut self, cluster: usize, pair: &[GameRecord; 2]) {
        let mut half_points = 0;
        for (record, seat) in pair.iter().zip([Seat::First, Seat::Second]) {
            let halves = record.outcome.seen_by(seat).half_points() as usize;
            self.by_seat[seat.number()][2 - halves] += 1;
            half_points += halves;
            self.moves += u64::from(record.moves);
            self.out_of_time += u64::from(record.ending == Ending::MaxSeconds);
            self.cut += u64::from(record.ending == Ending::MaxMoves);
            if let Some(at_fault) = record.ending.at_fault() {
                self.forfeits[usize::from(at_fault != seat)] += 1;
            }
        }
        self.pairs[half_points] += 1;
        let is_first = self.clusters.add(cluster, half_points as u32);
        self.firsts[half_points] += u64::from(is_first);
    }

    /// The same as the other player sees it.
    #[must_use]
    pub fn turned(&self) -> Meeting {
        let Meeting { mut pairs, mut firsts, by_seat: [first, second], forfeits: [own, others], .. } = *self;
        pairs.reverse();
        firsts.reverse();
        let turned = |[won, drawn, lost]: [u64; 3]| [lost, drawn, won];
        Meeting {
            pairs,
            firsts,
            // The first player's second seat is the other's first one.
            by_seat: [turned(second), turned(first)],
            forfeits: [others, own],
            clusters: self.clusters.turned(),
            ..*self
        }
    }

    /// Number of pairs.
    pub fn count(&self) -> u64 {
        self.pairs.iter().sum()
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        2 * self.count()
    }

    /// Games won, drawn and lost in both seats.
    pub fn results(&self) -> [u64; 3] {
        let [first, second] = self.by_seat;
        [0, 1, 2].map(|place| first[place] + second[place])
    }

    /// The correlation of the points of both games of a pair: below 0 where the colour decides
    /// games, above where the opening is good for one player. None where all games ended alike.
    pub fn correlation(&self) -> Option<f64> {
        let variance = |counts: &[u64]| {
            let count = counts.iter().sum::<u64>() as f64;
            let most = counts.len() as f64 - 1.0;
            let mean = |power: i32| {
                let terms = (0_u8..)
                    .zip(counts)
                    .map(|(cell, &pairs)| pairs as f64 * (f64::from(cell) / most).powi(power));
                terms.sum::<f64>() / count
            };
            mean(2) - mean(1) * mean(1)
        };
        let [won, drawn, lost] = self.results();
        let of_game = variance(&[lost, drawn, won]);
        (of_game > 1e-12).then(|| (2.0 * variance(&self.pairs) / of_game - 1.0).clamp(-1.0, 1.0))
    }

    /// The cluster of this number; empty if it has none.
    pub fn cluster(&self, number: usize) -> Cluster {
        let [half_points, pairs] = self.clusters.sums(number).map(u64::from);
        Cluster { half_points, pairs }
    }

    /// The share of the points by clusters; none without pairs.
    pub fn clustered(&self) -> Option<Clustered> {
        Clustered::of((0..self.clusters.len()).map(|number| self.cluster(number)))
    }
}

/// All meetings of the players of a plan.
#[derive(Clone, Debug, Default)]
pub struct Meetings {
    /// Of each line-up its members, and what their games add up to.
    all: Vec<([usize; 2], Meeting)>,
    /// The place of a pair in that list.
    places: BTreeMap<[usize; 2], usize>,
    /// The number of each cluster, in the order in which they came.
    numbers: Numbers,
}

impl Meetings {
    /// Those of a plan, of no games yet. A line-up of one player has none.
    pub fn of(plan: &Plan) -> Meetings {
        let members = |lineup: &LineUp| match *lineup {
            LineUp::Alone([alone]) => [alone, alone],
            LineUp::Pair(pair) => pair,
        };
        Meetings::of_pairs(plan.lineups.iter().map(members))
    }

    /// Those of these players.
    pub fn of_pairs(pairs: impl Iterator<Item = [usize; 2]>) -> Meetings {
        let all: Vec<_> = pairs.map(|members| (members, Meeting::default())).collect();
        let places = all.iter().enumerate().map(|(place, (members, _))| (*members, place)).collect();
        Meetings { all, places, numbers: Numbers::default() }
    }

    /// Adds some blocks of a line-up that follow each other: of all legs of one block after the
    /// other.
    pub fn add(&mut self, plan: &Plan, lineup: usize, first: u64, records: &[GameRecord]) {
        let (pairs, rest) = records.as_chunks::<2>();
        assert!(rest.is_empty(), "a block of a duel has two games");
        pairs.iter().zip(first..).for_each(|(pair, block)| self.add_pair(lineup, plan.cluster(block), pair));
    }

    /// Adds a pair of a line-up, whose opening is of this cluster.
    pub fn add_pair(&mut self, lineup: usize, cluster: u64, pair: &[GameRecord; 2]) {
        let number = self.numbers.number(cluster);
        self.all[lineup].1.add(number as usize, pair);
    }

    /// The number of clusters of all meetings together.
    pub fn clusters(&self) -> usize {
        self.numbers.len()
    }

    /// Sums over two players' games against each other, as the first of them sees it; none if they
    /// do not meet.
    pub fn between(&self, one: usize, other: usize) -> Option<Meeting> {
        let found = |pair: [usize; 2]| self.places.get(&pair).map(|&place| &self.all[place].1);
        found([one, other]).cloned().or_else(|| found([other, one]).map(Meeting::turned))
    }

    /// All of them, each with the places of its players.
    pub fn iter(&self) -> impl Iterator<Item = ([usize; 2], &Meeting)> {
        self.all.iter().map(|(members, meeting)| (*members, meeting))
    }

    /// The points of some players by openings, against some others together; games among the
    /// players themselves are none of these.
    pub fn clustered(
        &self,
        is_own: impl Fn(usize) -> bool,
        is_rival: impl Fn(usize) -> bool,
    ) -> Option<Clustered> {
        let mut sums = vec![Cluster::default(); self.clusters()];
        for (members, meeting) in self.iter() {
            let [one, other] = members;
            let [is_seen, is_turned] =
                [[one, other], [other, one]].map(|[own, rival]| is_own(own) && is_rival(rival));
            if !(is_seen || is_turned) {
                continue;
            }
            for (number, sum) in sums.iter_mut().enumerate() {
                let Cluster { half_points, pairs } = meeting.cluster(number);
                sum.half_points += if is_turned { 4 * pairs - half_points } else { half_points };
                sum.pairs += pairs;
            }
        }
        Clustered::of(sums)
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
        let won = |seat| game(Outcome::Won(seat), Ending::GameOver);
        let mut meeting = Meeting::default();
        // Won with black and lost with white; then won with black, and the other gave up.
        meeting.add(7, &[won(Seat::First), won(Seat::First)]);
        let given = game(Outcome::Won(Seat::Second), Ending::Fault(Seat::First, Fault::GaveUp));
        meeting.add(7, &[won(Seat::First), given]);
        meeting.add(9, &[game(Outcome::Drawn, Ending::GameOver), won(Seat::First)]);
        assert_eq!((meeting.pairs, meeting.firsts), ([0, 1, 1, 0, 1], [0, 1, 1, 0, 0]));
        assert_eq!(meeting.by_seat, [[2, 1, 0], [1, 0, 2]]);
        assert_eq!((meeting.count(), meeting.games(), meeting.results()), (3, 6, [3, 1, 2]));
        assert_eq!((meeting.forfeits, meeting.moves), ([0, 1], 60));
        let of = |half_points, pairs| Cluster { half_points, pairs };
        assert_eq!(
            [6, 7, 8, 9, 10].map(|number| meeting.cluster(number)),
            [of(0, 0), of(6, 2), of(0, 0), of(1, 1), of(0, 0)]
        );

        let other = meeting.turned();
        assert_eq!(other.pairs, [1, 0, 1, 1, 0]);
        assert_eq!(other.by_seat, [[2, 0, 1], [0, 1, 2]]);
        assert_eq!(other.forfeits, [1, 0]);
        assert_eq!(other.turned(), meeting);
        // Points of 1 and 0, of 1 and 1, and of 1/2 and 0: squares of 13/4 in six games, of 21/16
        // in three pairs, around 7/12.
        let (of_game, of_pair) = (13.0 / 24.0 - 49.0 / 144.0, 21.0 / 48.0 - 49.0 / 144.0);
        let correlation = meeting.correlation().expect("they differ");
        assert!((correlation - (2.0 * of_pair / of_game - 1.0)).abs() < 1e-12, "{correlation}");
        assert!(other.correlation().is_some_and(|turned| (turned - correlation).abs() < 1e-12));
        assert_eq!(Meeting::default().correlation(), None);
    }
}
