//! The tables of duels: `elo`, each player's result against all others, and `duels`, the result of
//! each pairing.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use gauntlet_core::game::Shape;
use gauntlet_core::rng::Seed;
use gauntlet_core::table::{Table, TableEstimate, TypedRow, table};
use gauntlet_core::text::{format_games, group_digits, list_names};
use gauntlet_run::failing_players;
use gauntlet_run::plan::Plan;
use gauntlet_run::tally::meeting::{Meeting, Meetings};
use gauntlet_run::tally::{LEVEL, Tally};
use gauntlet_stats::{
    self, Cluster, ClusterCounts, Estimate, Strengths, bisect, elo_estimate, normalized_elo, share_of_elo,
};

use crate::compare::stop::{PAIR_POINTS, PAIRS};

/// Name of the table of ratings.
pub const ELO: &str = "elo";

/// Name of the table of pairings.
pub const DUELS: &str = "duels";

/// Decimals of a rating; more have no significance.
const ELO_DECIMALS: usize = 1;

/// A player with its rating and its share of the points.
struct RatedPlayer<'a> {
    name: &'a str,
    tally: &'a Tally,
    elo: Option<Estimate>,
    /// The next lower-rated player, and the lead over it.
    lead: Option<(&'a str, Estimate)>,
    share: Option<Estimate>,
    /// Reason why it was skipped, if it was.
    skip_reason: Option<&'a str>,
}

table! {
    /// What a player got from all others.
    pub struct EloRow(ELO, Some(LEVEL)) of (it, is_limited): (&RatedPlayer, bool) {
        /// Name of the player.
        player: String, words() = it.name;
        /// Bradley-Terry rating, with its 95 % interval.
        elo: TableEstimate, number().as_first().with_decimals(ELO_DECIMALS) = it.elo;
        /// The player with the next lower rating.
        ahead_of: String, words() = it.lead.map_or("", |(other, _)| other);
        /// Rating minus the rating of `ahead_of`, with its 95 % interval.
        elo_ahead: Option<Estimate>, number().with_decimals(ELO_DECIMALS) = it.lead.map(|(_, ahead)| ahead);
        /// Number of games in blocks that did not end with `panic`.
        games: u64, count() = it.tally.games;
        /// Games won, in either seat.
        wins: u64, count().as_first().first_count_of(RESULTS) = it.tally.wins;
        /// Games drawn, in either seat.
        draws: u64, count().next_count_of(RESULTS) = it.tally.draws;
        /// Games lost, in either seat.
        losses: u64, count().next_count_of(RESULTS) = it.tally.games - it.tally.wins - it.tally.draws;
        /// Share of points, with its 95 % interval. A draw is half a point.
        points_rate: TableEstimate, share().as_first().with_decimals(6) = it.share;
        /// Mean number of moves per game, of both players.
        mean_moves: Option<f64>, number().with_decimals(2) = it.tally.mean_moves();
        /// Games that the player lost by its fault, or that ended with `panic`.
        forfeits: u64, count().as_exception() = it.tally.forfeits() + it.tally.failed_games;
        /// Games that ended at `max_moves`; they count as draws.
        cut: Option<u64>, count().as_exception().as_optional() = it.tally.out_of_moves;
        /// Games that ended with `max-seconds`; only in experiments with this limit.
        out_of_time: Option<u64>, count().as_exception().as_optional() = is_limited.then_some(it.tally.out_of_time);
        /// Reason why the player was skipped; only if a player was skipped.
        skipped: Option<String>, words().as_optional() = it.skip_reason.map(str::to_owned);
    }
}

/// Head of the column of wins, draws and losses for people.
const RESULTS: &str = "won-drawn-lost";

/// Two players, and the first one's result against the other.
struct PairingResult<'a> {
    names: [&'a str; 2],
    meeting: &'a Meeting,
    cluster_counts: Option<ClusterCounts>,
    share: Option<Estimate>,
}

table! {
    /// What two players got from each other, as the first of them sees it.
    pub struct DuelRow(DUELS, Some(LEVEL)) of (it, is_limited): (&PairingResult, bool) {
        /// First player.
        player: String, words() = it.names[0];
        /// Second player.
        against: String, words().as_first() = it.names[1];
        /// Number of games in blocks that did not end with `panic`.
        games: u64, count() = it.meeting.games();
        /// Games that the first player won.
        wins: Option<u64>, count().as_first().first_count_of(RESULTS) = it.meeting.results()[0];
        /// Games drawn.
        draws: Option<u64>, count().next_count_of(RESULTS) = it.meeting.results()[1];
        /// Games that the first player lost.
        losses: Option<u64>, count().next_count_of(RESULTS) = it.meeting.results()[2];
        /// Share of points of the first player, with its 95 % interval.
        points_rate: TableEstimate, share().as_first().with_decimals(6) = it.share;
        /// Share of points as an Elo difference, with bounds; empty if infinite.
        elo_difference: Option<Estimate>, number().as_first().with_decimals(ELO_DECIMALS) = it.share.map(elo_estimate);
        /// Elo difference, normalised by the standard deviation of a game, with bounds.
        normalized_elo: Option<Estimate>, number().with_decimals(ELO_DECIMALS) =
            it.share.and_then(|share| normalized_elo(share, it.meeting.pairs));
        /// Likelihood of superiority (LOS) of the first player.
        superiority: Option<f64>, share().with_decimals(6) = it.cluster_counts.as_ref().map(ClusterCounts::superiority);
        /// Number of distinct openings, up to symmetry.
        openings: u64, count() = it.cluster_counts.as_ref().map_or(0, ClusterCounts::clusters);
        /// Results of the first player in the first seat (in Gomoku, black).
        in_first_seat: Option<[u64; 3]>, count()
            .with_parts(&["first_wins", "first_draws", "first_losses"])
            .first_count_of("won-drawn-lost in the first seat") =
            it.meeting.seat_results[0];
        /// Results of the first player in the second seat.
        in_second_seat: Option<[u64; 3]>, count()
            .with_parts(&["second_wins", "second_draws", "second_losses"])
            .first_count_of("won-drawn-lost in the second seat") =
            it.meeting.seat_results[1];
        /// Number of pairs in which the first player scored 0, 0.5, 1, 1.5 or 2 points.
        pairs: Option<[u64; 5]>, count().with_parts(&PAIRS).first_count_of(PAIR_POINTS) = it.meeting.pairs;
        /// Mean number of moves per game, of both players.
        mean_moves: Option<f64>, number().with_decimals(2) =
            (it.meeting.games() > 0).then(|| it.meeting.moves as f64 / it.meeting.games() as f64);
        /// Games that the first player lost by its fault.
        forfeits: u64, count().as_exception() = it.meeting.forfeits[0];
        /// Games that the second player lost by its fault.
        rival_forfeits: u64, count().as_exception().with_heading("forfeits of the second player") = it.meeting.forfeits[1];
        /// Games that ended with `max-seconds`; only in experiments with this limit.
        out_of_time: Option<u64>, count().as_exception().as_optional() =
            is_limited.then_some(it.meeting.out_of_time);
    }
}

/// Makes the table of what each player got from all others.
pub(super) fn rating_table(plan: &Plan, tallies: &[Tally], meetings: &Meetings, is_limited: bool) -> Table {
    let paired_players = PairedPlayers::new(meetings);
    let scale = paired_players.scale(plan.anchor);
    let next_lower = scale.as_ref().map_or_else(Vec::new, Scale::next_lower_players);
    let rated_players = plan.players.iter().zip(tallies).enumerate().map(|(index, (player, tally))| {
        let share = cluster_points(meetings, index).map(|counts| counts.interval(LEVEL));
        let scale_and_number = scale.as_ref().zip(paired_players.number_of(index));
        let lead = scale_and_number.and_then(|(scale, number)| {
            let other = next_lower[number]?;
            Some((plan.players[paired_players.players[other]].name, scale.rating_difference(number, other)))
        });
        let elo = scale_and_number.map(|(scale, number)| scale.rating(number));
        let skip_reason = plan.skipped.get(&index).map(|reason| failing_players::first_clause(reason));
        RatedPlayer { name: player.name, tally, elo, lead, share, skip_reason }
    });
    EloRow::table(rated_players.map(|player| EloRow::new((&player, is_limited))))
}

/// Makes the table of what each two players got from each other.
pub(super) fn pairing_table(plan: &Plan, meetings: &Meetings) -> Table {
    let pairings = meetings.iter().map(|(members, meeting)| {
        let cluster_counts = meeting.cluster_counts();
        let share = cluster_counts.as_ref().map(|counts| counts.interval(LEVEL));
        PairingResult { names: members.map(|index| plan.players[index].name), meeting, cluster_counts, share }
    });
    DuelRow::table(pairings.map(|pairing| DuelRow::new((&pairing, plan.max_seconds.is_some()))))
}

/// Rates all players on one scale, on which the anchor has 0. `None` for players without pairings,
/// and for all if some players are not connected by games, even through others.
pub(crate) fn ratings(players: usize, meetings: &Meetings, anchor: Option<usize>) -> Vec<Option<Estimate>> {
    let paired_players = PairedPlayers::new(meetings);
    let scale = paired_players.scale(anchor);
    (0..players).map(|player| Some(scale.as_ref()?.rating(paired_players.number_of(player)?))).collect()
}

/// Players with pairings, numbered without gaps: a player that was skipped has no pairing.
struct PairedPlayers<'a> {
    /// Indices in the plan, in order.
    players: Vec<usize>,
    meetings: Cow<'a, Meetings>,
}

impl PairedPlayers<'_> {
    fn new(meetings: &Meetings) -> PairedPlayers<'_> {
        let indices: BTreeSet<usize> = meetings.iter().flat_map(|(members, _)| members).collect();
        let players: Vec<usize> = indices.into_iter().collect();
        let number_of = |player: usize| players.partition_point(|&other| other < player);
        let meetings = match players.last() {
            Some(&last) if last >= players.len() => Cow::Owned(meetings.renumber(number_of)),
            _ => Cow::Borrowed(meetings),
        };
        PairedPlayers { players, meetings }
    }

    /// Returns the number of a player of the plan.
    fn number_of(&self, player: usize) -> Option<usize> {
        self.players.binary_search(&player).ok()
    }

    fn scale(&self, anchor: Option<usize>) -> Option<Scale<'_>> {
        Scale::new(self.players.len(), &self.meetings, anchor.and_then(|anchor| self.number_of(anchor)))
    }
}

/// Scale on which players are rated.
struct Scale<'a> {
    strengths: Strengths,
    meetings: &'a Meetings,
    /// Players whose mean rating is 0.
    origin: Vec<usize>,
    players: usize,
}

impl Scale<'_> {
    /// Rates players; returns `None` if some never met. Without an anchor, the largest group of
    /// players that are connected by points in both directions has mean 0. If each player is a
    /// group, the mean of those with some but not all points is 0.
    fn new(players: usize, meetings: &Meetings, anchor: Option<usize>) -> Option<Scale<'_>> {
        Some(Scale::from_strengths(
            fit_strengths(players, meetings, SAMPLE_RANGE.1).ok()?,
            players,
            meetings,
            anchor,
        ))
    }

    fn from_strengths(
        strengths: Strengths,
        players: usize,
        meetings: &Meetings,
        anchor: Option<usize>,
    ) -> Scale<'_> {
        let are_tied = |one, other| strengths.reaches(one, other) && strengths.reaches(other, one);
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for player in 0..players {
            match groups.iter_mut().find(|group| are_tied(group[0], player)) {
                Some(group) => group.push(player),
                None => groups.push(vec![player]),
            }
        }
        let share = |player| cluster_points(meetings, player).map_or(0.5, |counts| counts.share());
        let is_between = |player: &usize| (0.0..1.0).contains(&share(*player)) && share(*player) > 0.0;
        let largest = groups.into_iter().rev().max_by_key(Vec::len).filter(|group| group.len() > 1);
        let mut origin = match (anchor, largest) {
            (Some(anchor), _) => vec![anchor],
            (None, Some(group)) => group,
            (None, None) => (0..players).filter(is_between).collect(),
        };
        if origin.is_empty() {
            origin = (0..players).collect();
        }
        Scale { strengths: strengths.shift_origin(&origin), meetings, origin, players }
    }

    fn rating(&self, player: usize) -> Estimate {
        let others = self.origin.iter().copied().filter(|&other| other != player).collect::<Vec<usize>>();
        let rating = self.strengths.rating(player, LEVEL);
        if others.is_empty() {
            return rating;
        }
        // With a mean of 0, a rating moves by this part of its movement relative to the others.
        let fraction = others.len() as f64 / self.origin.len() as f64;
        self.remove_unsupported_bounds(
            widen(rating, cluster_points(self.meetings, player), fraction),
            player,
            &others,
        )
    }

    /// Returns by how much a player is rated above another.
    fn rating_difference(&self, player: usize, other: usize) -> Estimate {
        self.remove_unsupported_bounds(self.strengths.difference(player, other, LEVEL), player, &[other])
    }

    /// Removes the bounds of a difference that no game supports. A player may be arbitrarily weak
    /// if it has no points from the others, or from players who have some. The other bound is
    /// widened by the uncertainty of those games.
    fn remove_unsupported_bounds(&self, estimate: Estimate, player: usize, others: &[usize]) -> Estimate {
        let reaches = |one, other| self.strengths.reaches(one, other);
        let mut result = estimate;
        let stronger_players: Vec<usize> =
            others.iter().copied().filter(|&other| !reaches(player, other)).collect();
        if !stronger_players.is_empty() {
            let upper_shift =
                self.shift(player, &stronger_players, &|rival| !reaches(player, rival), |share| share.high);
            result = Estimate {
                low: f64::NEG_INFINITY,
                high: result.high.max(estimate.value + upper_shift),
                ..result
            };
        }
        let weaker_players: Vec<usize> =
            others.iter().copied().filter(|&other| !reaches(other, player)).collect();
        if !weaker_players.is_empty() {
            let lower_shift =
                self.shift(player, &weaker_players, &|rival| !reaches(rival, player), |share| share.low);
            result =
                Estimate { low: result.low.min(estimate.value + lower_shift), high: f64::INFINITY, ..result };
        }
        result
    }

    /// Returns true if two players are connected by points in both directions.
    fn are_connected(&self, one: usize, other: usize) -> bool {
        self.strengths.reaches(one, other) && self.strengths.reaches(other, one)
    }

    /// Returns by how much the strength of a player's group changes if its share of the points is
    /// at one end of its interval. The share is from games against the groups of `others`. Without
    /// such games, it is from games against all players for which `is_apart` is true. Without those
    /// either, the result is 0.
    fn shift(
        &self,
        player: usize,
        others: &[usize],
        is_apart: &dyn Fn(usize) -> bool,
        bound: fn(Estimate) -> f64,
    ) -> f64 {
        let is_own = |one: usize| self.are_connected(one, player);
        let is_other = |one: usize| others.iter().any(|&other| self.are_connected(one, other));
        let counts_of_others = self.meetings.cluster_counts(is_own, is_other);
        let is_rival = |one: usize| if counts_of_others.is_some() { is_other(one) } else { is_apart(one) };
        let Some(cluster_counts) =
            counts_of_others.clone().or_else(|| self.meetings.cluster_counts(is_own, is_rival))
        else {
            return 0.0;
        };
        let mut games: Vec<(f64, f64)> = Vec::new();
        for ([one, other], meeting) in self.meetings.iter() {
            for (own, rival) in [(one, other), (other, one)] {
                if is_own(own) && is_rival(rival) {
                    games.push((meeting.games() as f64, self.value(own) - self.value(rival)));
                }
            }
        }
        let target_points =
            bound(cluster_counts.interval(LEVEL)) * games.iter().map(|(games, _)| games).sum::<f64>();
        let points =
            |shift: f64| games.iter().map(|(games, lead)| games * share_of_elo(lead + shift)).sum::<f64>();
        bisect(-LARGEST_RATING, LARGEST_RATING, 60, |shift| points(shift) >= target_points).1
    }

    fn value(&self, player: usize) -> f64 {
        self.strengths.elo(player)
    }

    /// Returns the next lower-rated player of each player; `None` for the last.
    fn next_lower_players(&self) -> Vec<Option<usize>> {
        let elo: Vec<f64> = (0..self.players).map(|player| self.value(player)).collect();
        let mut order: Vec<usize> = (0..elo.len()).collect();
        order.sort_by(|&one, &other| elo[other].total_cmp(&elo[one]));
        let mut next_lower = vec![None; order.len()];
        order.windows(2).for_each(|pair| next_lower[pair[0]] = Some(pair[1]));
        next_lower
    }
}

/// Largest absolute rating.
const LARGEST_RATING: f64 = 100_000.0;

/// Sums the points of a player by openings, against all others together.
fn cluster_points(meetings: &Meetings, player: usize) -> Option<ClusterCounts> {
    meetings.cluster_counts(|own| own == player, |rival| rival != player)
}

/// Widens an interval to at least the one implied by the player's share of the points. If all
/// clusters ended alike, a bootstrap interval has almost no width, but the interval of the share
/// has.
fn widen(rating: Estimate, cluster_counts: Option<ClusterCounts>, fraction: f64) -> Estimate {
    let Some(counts) = cluster_counts else { return rating };
    let share_as_elo = elo_estimate(counts.interval(LEVEL));
    let [width_below, width_above] =
        [share_as_elo.value - share_as_elo.low, share_as_elo.high - share_as_elo.value];
    let min_width = |width: f64| if width.is_finite() { fraction * width } else { 0.0 };
    Estimate {
        low: rating.low.min(rating.value - min_width(width_below)),
        high: rating.high.max(rating.value + min_width(width_above)),
        ..rating
    }
}

/// Explains why there are no ratings; `None` if there are.
pub(crate) fn explain_missing_ratings(plan: &Plan, meetings: &Meetings) -> Option<String> {
    if plan.arena.shape == Shape::Solo {
        return None;
    }
    let paired_players = PairedPlayers::new(meetings);
    let groups = fit_strengths(paired_players.players.len(), &paired_players.meetings, 0).err()?;
    let list_group = |group: &Vec<usize>| {
        let names: Vec<&str> =
            group.iter().map(|&index| plan.players[paired_players.players[index]].name).collect();
        list_names(&names, MAX_NAMED)
    };
    let groups: Vec<String> = groups.iter().take(MAX_NAMED).map(list_group).collect();
    Some(format!("no ratings: these groups of players never met: {}", groups.join("; ")))
}

/// Reports the number of games that were cut; `None` if there are none.
pub(crate) fn describe_cut_games(meetings: &Meetings) -> Option<String> {
    let sum = |count: fn(&Meeting) -> u64| meetings.iter().map(|(_, meeting)| count(meeting)).sum::<u64>();
    let (cut_games, all_games) = (sum(|meeting| meeting.out_of_moves), sum(Meeting::games));
    (cut_games > 0).then(|| {
        format!(
            "{} of {} were cut by `max_moves` and count as draws",
            group_digits(cut_games),
            format_games(all_games)
        )
    })
}

/// Largest number of names and groups in a sentence.
const MAX_NAMED: usize = 6;

/// Smallest and largest number of bootstrap samples for the errors of ratings.
const SAMPLE_RANGE: (usize, usize) = (40, 1000);

/// Number of cluster sums that take about a second.
const MAX_CLUSTER_SUMS: usize = 200_000_000;

fn fit_strengths(
    players: usize,
    meetings: &Meetings,
    max_samples: usize,
) -> Result<Strengths, Vec<Vec<usize>>> {
    // Results of all players in a cluster, and the number of clusters with equal results: with two
    // players there are few different ones.
    let mut kinds: BTreeMap<Vec<Cluster>, u64> = BTreeMap::new();
    for number in 0..meetings.clusters() {
        let kind = meetings.iter().map(|(_, meeting)| meeting.cluster(number)).collect();
        *kinds.entry(kind).or_default() += 1;
    }
    let counts: Vec<u64> = kinds.values().copied().collect();
    let pairings: Vec<gauntlet_stats::Meeting> = meetings
        .iter()
        .enumerate()
        .map(|(index, (players, _))| gauntlet_stats::Meeting {
            players,
            clusters: kinds.keys().map(|kind| kind[index]).collect(),
        })
        .collect();
    // Fitting the ratings solves several systems of equations.
    let fit_cost = pairings.len() * counts.len() + players.pow(3);
    let samples = (MAX_CLUSTER_SUMS / fit_cost.max(1)).max(SAMPLE_RANGE.0).min(max_samples);
    let mut rng = Seed::root(0).child("ratings", 0).rng();
    let mut draw = || ((rng.bits() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    Strengths::fit(players, &pairings, &counts, samples, &mut draw)
}

#[cfg(test)]
mod tests {
    use gauntlet_core::game::{Facts, Outcome, Seat};
    use gauntlet_core::record::{Ending, GameRecord};

    use super::*;

    /// Makes the pairings of these players, given the first player's half points in each pair of
    /// games.
    fn make_meetings(pairings: &[([usize; 2], Vec<u64>)]) -> Meetings {
        let mut meetings = Meetings::from_pairs(pairings.iter().map(|(players, _)| *players));
        let game =
            |outcome| GameRecord { outcome, facts: Facts::default(), moves: 10, ending: Ending::GameOver };
        for (lineup, (_, half_points)) in pairings.iter().enumerate() {
            for (cluster, &half_points) in half_points.iter().enumerate() {
                let outcome = |half_points: u64, seat: Seat| match half_points {
                    2 => Outcome::Won(seat),
                    1 => Outcome::Drawn,
                    _ => Outcome::Won(seat.other()),
                };
                let first = half_points.min(2);
                let pair =
                    [outcome(first, Seat::First), outcome(half_points - first, Seat::Second)].map(game);
                meetings.add_pair(lineup, cluster as u64, &pair);
            }
        }
        meetings
    }

    /// Two strong players share points with each other, and so do two weak ones. No weak player has
    /// a point against a strong one.
    #[test]
    fn the_gap_of_groups_is_open_where_no_game_bounds_it() {
        let (balanced, all_points) = (vec![2, 1, 3, 2, 4, 0, 2, 2, 3, 1], vec![4; 10]);
        let mut pairings = vec![([0, 1], balanced.clone()), ([2, 3], balanced)];
        pairings.extend([[0, 2], [0, 3], [1, 2], [1, 3]].map(|players| (players, all_points.clone())));
        let meetings = make_meetings(&pairings);
        let scale = Scale::new(4, &meetings, None).expect("they met");
        let ratings = [0, 1, 2, 3].map(|player| scale.rating(player));
        assert!(ratings[..2].iter().all(|rating| rating.half_width().is_finite()), "{ratings:?}");
        assert!(
            (ratings[0].value + ratings[1].value).abs() < 1e-9,
            "the first of the largest groups has a mean of 0: {ratings:?}"
        );
        for rating in &ratings[2..] {
            assert!(rating.low == f64::NEG_INFINITY && rating.high < -100.0, "{ratings:?}");
        }
        let [within_group, between_groups, reversed] =
            [[0, 1], [0, 2], [3, 1]].map(|[one, other]| scale.rating_difference(one, other));
        assert!(within_group.half_width().is_finite(), "{within_group:?}");
        assert!(
            between_groups.high == f64::INFINITY && (100.0..300.0).contains(&between_groups.low),
            "{between_groups:?}"
        );
        assert!(
            reversed.low == f64::NEG_INFINITY && (-300.0..-100.0).contains(&reversed.high),
            "{reversed:?}"
        );
        // Compared with a weak player, the strong ones have no upper bound.
        let anchored = Scale::new(4, &meetings, Some(2)).expect("they met");
        assert_eq!((anchored.rating(2).value, anchored.rating(0).high), (0.0, f64::INFINITY));
        assert!(anchored.rating(0).low > 100.0 && anchored.rating(3).half_width().is_finite());
    }

    /// A player in the middle lost all games against one player and won all against another. It has
    /// some of the points, and neither difference has an outer bound.
    #[test]
    fn one_between_two_groups_is_open_at_both_ends() {
        let all_points = vec![4; 12];
        let meetings = make_meetings(&[
            ([0, 1], all_points.clone()),
            ([1, 2], all_points.clone()),
            ([0, 2], all_points),
        ]);
        let scale = Scale::new(3, &meetings, None).expect("they met");
        let [above, between, below] = [0, 1, 2].map(|player| scale.rating(player));
        assert!(above.low > 100.0 && above.high == f64::INFINITY, "{above:?}");
        assert!(between.value == 0.0, "{between:?}");
        assert!(below.low == f64::NEG_INFINITY && below.high < -100.0, "{below:?}");
        let [to_stronger, to_weaker] = [scale.rating_difference(1, 0), scale.rating_difference(1, 2)];
        assert!(to_stronger.low == f64::NEG_INFINITY && to_stronger.high < -100.0, "{to_stronger:?}");
        assert!(to_weaker.high == f64::INFINITY && to_weaker.low > 100.0, "{to_weaker:?}");
    }

    /// Returns the share of intervals of ratings and of differences that cover the truth, and the
    /// share of intervals without a bound.
    fn simulate_coverage(runs: u64, true_ratings: &[f64], clusters: usize) -> [f64; 3] {
        let mut rng = Seed::root(41).child("clusters", clusters as u64).rng();
        let mut draw = || rng.unit();
        // A third of the uncertain games are draws.
        let mut half_points = |lead: f64| -> u64 {
            let share = share_of_elo(lead);
            let draw_rate = 2.0 / 3.0 * share.min(1.0 - share);
            let mut game = || {
                let random = draw();
                if random < share - draw_rate / 2.0 { 2 } else { u64::from(random < share + draw_rate / 2.0) }
            };
            game() + game()
        };
        let (mut covered, mut total, mut unbounded) = ([0; 2], [0; 2], 0);
        for _ in 0..runs {
            let mut pairings = Vec::new();
            for one in 0..true_ratings.len() {
                for other in one + 1..true_ratings.len() {
                    let lead = true_ratings[one] - true_ratings[other];
                    pairings.push(([one, other], (0..clusters).map(|_| half_points(lead)).collect()));
                }
            }
            let meetings = make_meetings(&pairings);
            let strengths = fit_strengths(true_ratings.len(), &meetings, 200).expect("they met");
            let scale = Scale::from_strengths(strengths, true_ratings.len(), &meetings, None);
            let mean = scale.origin.iter().map(|&player| true_ratings[player]).sum::<f64>()
                / scale.origin.len() as f64;
            let mut record = |kind: usize, interval: Estimate, true_value: f64| {
                total[kind] += 1;
                covered[kind] += u64::from(!interval.excludes(true_value));
                unbounded += u64::from(interval.low.is_infinite() || interval.high.is_infinite());
            };
            for player in 0..true_ratings.len() {
                record(0, scale.rating(player), true_ratings[player] - mean);
                for other in 0..player {
                    record(
                        1,
                        scale.rating_difference(player, other),
                        true_ratings[player] - true_ratings[other],
                    );
                }
            }
        }
        let share_of = |count: u64, whole: u64| count as f64 / whole as f64;
        [
            share_of(covered[0], total[0]),
            share_of(covered[1], total[1]),
            share_of(unbounded, total[0] + total[1]),
        ]
    }

    #[test]
    fn ratings_hold() {
        for (true_ratings, clusters) in [(&[0.0, 100.0, 1000.0][..], 20), (&[0.0, 50.0, 900.0, 950.0], 12)] {
            let coverage = simulate_coverage(60, true_ratings, clusters);
            assert!(
                coverage[..2].iter().all(|&share| share > 0.9),
                "{true_ratings:?}, {clusters}: {coverage:?}"
            );
            assert!(coverage[2] > 0.1, "{true_ratings:?}: never open, so nothing was tested");
        }
    }

    #[test]
    #[ignore = "measures: cargo bench --bench verdicts -- ratings"]
    fn coverage_of_ratings() {
        for true_ratings in [
            &[0.0, 0.0][..],
            &[0.0, 200.0],
            &[0.0, 600.0],
            &[0.0, 100.0, 700.0],
            &[0.0, 400.0, 800.0],
            &[0.0, 50.0, 600.0, 650.0],
            &[0.0, 50.0, 900.0, 950.0],
            &[0.0, 50.0, 100.0, 150.0, 200.0, 250.0],
            &[0.0, 50.0, 100.0, 700.0, 750.0, 800.0],
        ] {
            for clusters in [5, 12, 50] {
                let [ratings, differences, open] =
                    simulate_coverage(200, true_ratings, clusters).map(|part| 100.0 * part);
                println!(
                    "{true_ratings:?}, {clusters} clusters: {ratings:.1}, {differences:.1}; open {open:.1}"
                );
            }
        }
    }
}
