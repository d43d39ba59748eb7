//! The tables of duels: `elo`, each player's result against all others, and `duels`, the result of
//! each pairing.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use gauntlet_core::game::Shape;
use gauntlet_core::rng::Seed;
use gauntlet_core::table::{Table, TableEstimate, TypedRow, table};
use gauntlet_core::text::{format_games, group_digits, list_names};
use gauntlet_run::failing;
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
    ahead: Option<(&'a str, Estimate)>,
    share: Option<Estimate>,
    /// Reason why it was skipped, if it was.
    skipped: Option<&'a str>,
}

table! {
    /// What a player got from all others.
    pub struct EloRow(ELO, Some(LEVEL)) of (it, is_limited): (&RatedPlayer, bool) {
        /// Name of the player.
        player: String, words() = it.name;
        /// Bradley-Terry rating, with its 95 % interval.
        elo: TableEstimate, number().as_first().with_decimals(ELO_DECIMALS) = it.elo;
        /// The player with the next lower rating.
        ahead_of: String, words() = it.ahead.map_or("", |(other, _)| other);
        /// Rating minus the rating of `ahead_of`, with its 95 % interval.
        elo_ahead: Option<Estimate>, number().with_decimals(ELO_DECIMALS) = it.ahead.map(|(_, ahead)| ahead);
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
        forfeits: u64, count().as_exception() = it.tally.forfeits() + it.tally.broken;
        /// Games that ended at `max_moves`; they count as draws.
        cut: Option<u64>, count().as_exception().as_optional() = it.tally.cut;
        /// Games that ended with `max-seconds`; only in experiments with this limit.
        out_of_time: Option<u64>, count().as_exception().as_optional() = is_limited.then_some(it.tally.out_of_time);
        /// Reason why the player was skipped; only if a player was skipped.
        skipped: Option<String>, words().as_optional() = it.skipped.map(str::to_owned);
    }
}

/// Head of the column of wins, draws and losses for people.
const RESULTS: &str = "won-drawn-lost";

/// Two players, and the first one's result against the other.
struct PairingResult<'a> {
    names: [&'a str; 2],
    meeting: &'a Meeting,
    clustered: Option<ClusterCounts>,
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
        superiority: Option<f64>, share().with_decimals(6) = it.clustered.as_ref().map(ClusterCounts::superiority);
        /// Number of distinct openings, up to symmetry.
        openings: u64, count() = it.clustered.as_ref().map_or(0, ClusterCounts::clusters);
        /// Results of the first player in the first seat (in Gomoku, black).
        in_first_seat: Option<[u64; 3]>, count()
            .with_parts(&["first_wins", "first_draws", "first_losses"])
            .first_count_of("won-drawn-lost in the first seat") =
            it.meeting.by_seat[0];
        /// Results of the first player in the second seat.
        in_second_seat: Option<[u64; 3]>, count()
            .with_parts(&["second_wins", "second_draws", "second_losses"])
            .first_count_of("won-drawn-lost in the second seat") =
            it.meeting.by_seat[1];
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
    let paired = PairedPlayers::new(meetings);
    let scale = paired.scale(plan.anchor);
    let below = scale.as_ref().map_or_else(Vec::new, Scale::next_lower_players);
    let rated = plan.players.iter().zip(tallies).enumerate().map(|(place, (player, tally))| {
        let share = cluster_points(meetings, place).map(|clustered| clustered.interval(LEVEL));
        let rated = scale.as_ref().zip(paired.place(place));
        let ahead = rated.and_then(|(scale, own)| {
            let other = below[own]?;
            Some((plan.players[paired.players[other]].name, scale.rating_difference(own, other)))
        });
        let elo = rated.map(|(scale, own)| scale.rating(own));
        let skipped = plan.skipped.get(&place).map(|why| failing::first_clause(why));
        RatedPlayer { name: player.name, tally, elo, ahead, share, skipped }
    });
    EloRow::table(rated.map(|rated| EloRow::new((&rated, is_limited))))
}

/// Makes the table of what each two players got from each other.
pub(super) fn pairing_table(plan: &Plan, meetings: &Meetings) -> Table {
    let met = meetings.iter().map(|(members, meeting)| {
        let clustered = meeting.cluster_counts();
        let share = clustered.as_ref().map(|clustered| clustered.interval(LEVEL));
        PairingResult { names: members.map(|place| plan.players[place].name), meeting, clustered, share }
    });
    DuelRow::table(met.map(|met| DuelRow::new((&met, plan.max_seconds.is_some()))))
}

/// Rates all players on one scale, on which the anchor has 0. `None` for players without pairings,
/// and for all if some players are not connected by games, even through others.
pub(crate) fn ratings(players: usize, meetings: &Meetings, anchor: Option<usize>) -> Vec<Option<Estimate>> {
    let paired = PairedPlayers::new(meetings);
    let scale = paired.scale(anchor);
    (0..players).map(|player| Some(scale.as_ref()?.rating(paired.place(player)?))).collect()
}

/// Players with pairings, numbered without gaps: a player that was skipped has no pairing.
struct PairedPlayers<'a> {
    /// Indices in the plan, in order.
    players: Vec<usize>,
    meetings: Cow<'a, Meetings>,
}

impl PairedPlayers<'_> {
    fn new(meetings: &Meetings) -> PairedPlayers<'_> {
        let all: BTreeSet<usize> = meetings.iter().flat_map(|(members, _)| members).collect();
        let players: Vec<usize> = all.into_iter().collect();
        let place = |player: usize| players.partition_point(|&other| other < player);
        let meetings = match players.last() {
            Some(&last) if last >= players.len() => Cow::Owned(meetings.renumber(place)),
            _ => Cow::Borrowed(meetings),
        };
        PairedPlayers { players, meetings }
    }

    /// Returns the number of a player of the plan.
    fn place(&self, player: usize) -> Option<usize> {
        self.players.binary_search(&player).ok()
    }

    fn scale(&self, anchor: Option<usize>) -> Option<Scale<'_>> {
        Scale::new(self.players.len(), &self.meetings, anchor.and_then(|anchor| self.place(anchor)))
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
            fit_strengths(players, meetings, SAMPLES.1).ok()?,
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
        let share = |player| cluster_points(meetings, player).map_or(0.5, |clustered| clustered.share());
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
        let part = others.len() as f64 / self.origin.len() as f64;
        self.remove_unsupported_bounds(
            widen(rating, cluster_points(self.meetings, player), part),
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
    fn remove_unsupported_bounds(&self, of: Estimate, player: usize, others: &[usize]) -> Estimate {
        let reaches = |one, other| self.strengths.reaches(one, other);
        let mut opened = of;
        let above: Vec<usize> = others.iter().copied().filter(|&other| !reaches(player, other)).collect();
        if !above.is_empty() {
            let stronger = self.shift(player, &above, &|rival| !reaches(player, rival), |share| share.high);
            opened =
                Estimate { low: f64::NEG_INFINITY, high: opened.high.max(of.value + stronger), ..opened };
        }
        let below: Vec<usize> = others.iter().copied().filter(|&other| !reaches(other, player)).collect();
        if !below.is_empty() {
            let weaker = self.shift(player, &below, &|rival| !reaches(rival, player), |share| share.low);
            opened = Estimate { low: opened.low.min(of.value + weaker), high: f64::INFINITY, ..opened };
        }
        opened
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
        end: fn(Estimate) -> f64,
    ) -> f64 {
        let is_own = |one: usize| self.are_connected(one, player);
        let is_asked = |one: usize| others.iter().any(|&other| self.are_connected(one, other));
        let asked = self.meetings.cluster_counts(is_own, is_asked);
        let is_rival = |one: usize| if asked.is_some() { is_asked(one) } else { is_apart(one) };
        let Some(clustered) = asked.clone().or_else(|| self.meetings.cluster_counts(is_own, is_rival)) else {
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
        let wanted = end(clustered.interval(LEVEL)) * games.iter().map(|(games, _)| games).sum::<f64>();
        let points =
            |shift: f64| games.iter().map(|(games, ahead)| games * share_of_elo(ahead + shift)).sum::<f64>();
        bisect(-LARGEST_RATING, LARGEST_RATING, 60, |shift| points(shift) >= wanted).1
    }

    fn value(&self, player: usize) -> f64 {
        self.strengths.elo(player)
    }

    /// Returns the next lower-rated player of each player; `None` for the last.
    fn next_lower_players(&self) -> Vec<Option<usize>> {
        let elo: Vec<f64> = (0..self.players).map(|player| self.value(player)).collect();
        let mut order: Vec<usize> = (0..elo.len()).collect();
        order.sort_by(|&one, &other| elo[other].total_cmp(&elo[one]));
        let mut below = vec![None; order.len()];
        order.windows(2).for_each(|pair| below[pair[0]] = Some(pair[1]));
        below
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
fn widen(rating: Estimate, clustered: Option<ClusterCounts>, part: f64) -> Estimate {
    let Some(clustered) = clustered else { return rating };
    let against_all = elo_estimate(clustered.interval(LEVEL));
    let [below, above] = [against_all.value - against_all.low, against_all.high - against_all.value];
    let least = |way: f64| if way.is_finite() { part * way } else { 0.0 };
    Estimate {
        low: rating.low.min(rating.value - least(below)),
        high: rating.high.max(rating.value + least(above)),
        ..rating
    }
}

/// Explains why there are no ratings; `None` if there are.
pub(crate) fn explain_missing_ratings(plan: &Plan, meetings: &Meetings) -> Option<String> {
    if plan.arena.shape == Shape::Solo {
        return None;
    }
    let paired = PairedPlayers::new(meetings);
    let groups = fit_strengths(paired.players.len(), &paired.meetings, 0).err()?;
    let named = |group: &Vec<usize>| {
        let names: Vec<&str> = group.iter().map(|&place| plan.players[paired.players[place]].name).collect();
        list_names(&names, MOST_NAMED)
    };
    let groups: Vec<String> = groups.iter().take(MOST_NAMED).map(named).collect();
    Some(format!("no ratings: these groups of players never met: {}", groups.join("; ")))
}

/// Reports the number of games that were cut; `None` if there are none.
pub(crate) fn describe_cut_games(meetings: &Meetings) -> Option<String> {
    let sum = |of: fn(&Meeting) -> u64| meetings.iter().map(|(_, meeting)| of(meeting)).sum::<u64>();
    let (cut, all) = (sum(|meeting| meeting.cut), sum(Meeting::games));
    (cut > 0).then(|| {
        format!("{} of {} were cut by `max_moves` and count as draws", group_digits(cut), format_games(all))
    })
}

/// Largest number of names and groups in a sentence.
const MOST_NAMED: usize = 6;

/// Smallest and largest number of bootstrap samples for the errors of ratings.
const SAMPLES: (usize, usize) = (40, 1000);

/// Number of cluster sums that take about a second.
const SUMS: usize = 200_000_000;

fn fit_strengths(players: usize, meetings: &Meetings, most: usize) -> Result<Strengths, Vec<Vec<usize>>> {
    // Results of all players in a cluster, and the number of clusters with equal results: with two
    // players there are few different ones.
    let mut kinds: BTreeMap<Vec<Cluster>, u64> = BTreeMap::new();
    for number in 0..meetings.clusters() {
        let kind = meetings.iter().map(|(_, meeting)| meeting.cluster(number)).collect();
        *kinds.entry(kind).or_default() += 1;
    }
    let times: Vec<u64> = kinds.values().copied().collect();
    let all: Vec<gauntlet_stats::Meeting> = meetings
        .iter()
        .enumerate()
        .map(|(place, (players, _))| gauntlet_stats::Meeting {
            players,
            clusters: kinds.keys().map(|kind| kind[place]).collect(),
        })
        .collect();
    // Fitting the ratings solves several systems of equations.
    let fit = all.len() * times.len() + players.pow(3);
    let samples = (SUMS / fit.max(1)).max(SAMPLES.0).min(most);
    let mut rng = Seed::root(0).child("ratings", 0).rng();
    let mut draw = || ((rng.bits() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    Strengths::fit(players, &all, &times, samples, &mut draw)
}

#[cfg(test)]
mod tests {
    use gauntlet_core::game::{Facts, Outcome, Seat};
    use gauntlet_core::record::{Ending, GameRecord};

    use super::*;

    /// Makes the pairings of these players, given the first player's half points in each pair of
    /// games.
    fn make_meetings(all: &[([usize; 2], Vec<u64>)]) -> Meetings {
        let mut meetings = Meetings::from_pairs(all.iter().map(|(players, _)| *players));
        let game =
            |outcome| GameRecord { outcome, facts: Facts::default(), moves: 10, ending: Ending::GameOver };
        for (lineup, (_, half_points)) in all.iter().enumerate() {
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
        let (even, all) = (vec![2, 1, 3, 2, 4, 0, 2, 2, 3, 1], vec![4; 10]);
        let mut of = vec![([0, 1], even.clone()), ([2, 3], even)];
        of.extend([[0, 2], [0, 3], [1, 2], [1, 3]].map(|players| (players, all.clone())));
        let meetings = make_meetings(&of);
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
        let [within, across, back] =
            [[0, 1], [0, 2], [3, 1]].map(|[one, other]| scale.rating_difference(one, other));
        assert!(within.half_width().is_finite(), "{within:?}");
        assert!(across.high == f64::INFINITY && (100.0..300.0).contains(&across.low), "{across:?}");
        assert!(back.low == f64::NEG_INFINITY && (-300.0..-100.0).contains(&back.high), "{back:?}");
        // Compared with a weak player, the strong ones have no upper bound.
        let beside = Scale::new(4, &meetings, Some(2)).expect("they met");
        assert_eq!((beside.rating(2).value, beside.rating(0).high), (0.0, f64::INFINITY));
        assert!(beside.rating(0).low > 100.0 && beside.rating(3).half_width().is_finite());
    }

    /// A player in the middle lost all games against one player and won all against another. It has
    /// some of the points, and neither difference has an outer bound.
    #[test]
    fn one_between_two_groups_is_open_at_both_ends() {
        let all = vec![4; 12];
        let meetings = make_meetings(&[([0, 1], all.clone()), ([1, 2], all.clone()), ([0, 2], all)]);
        let scale = Scale::new(3, &meetings, None).expect("they met");
        let [above, between, below] = [0, 1, 2].map(|player| scale.rating(player));
        assert!(above.low > 100.0 && above.high == f64::INFINITY, "{above:?}");
        assert!(between.value == 0.0, "{between:?}");
        assert!(below.low == f64::NEG_INFINITY && below.high < -100.0, "{below:?}");
        let [up, down] = [scale.rating_difference(1, 0), scale.rating_difference(1, 2)];
        assert!(up.low == f64::NEG_INFINITY && up.high < -100.0, "{up:?}");
        assert!(down.high == f64::INFINITY && down.low > 100.0, "{down:?}");
    }

    /// Returns the share of intervals of ratings and of differences that cover the truth, and the
    /// share of intervals without a bound.
    fn simulate_coverage(runs: u64, truth: &[f64], clusters: usize) -> [f64; 3] {
        let mut rng = Seed::root(41).child("clusters", clusters as u64).rng();
        let mut draw = || rng.unit();
        // A third of the uncertain games are draws.
        let mut half_points = |ahead: f64| -> u64 {
            let share = share_of_elo(ahead);
            let drawn = 2.0 / 3.0 * share.min(1.0 - share);
            let mut game = || {
                let luck = draw();
                if luck < share - drawn / 2.0 { 2 } else { u64::from(luck < share + drawn / 2.0) }
            };
            game() + game()
        };
        let (mut held, mut all, mut open) = ([0; 2], [0; 2], 0);
        for _ in 0..runs {
            let mut of = Vec::new();
            for one in 0..truth.len() {
                for other in one + 1..truth.len() {
                    let ahead = truth[one] - truth[other];
                    of.push(([one, other], (0..clusters).map(|_| half_points(ahead)).collect()));
                }
            }
            let meetings = make_meetings(&of);
            let strengths = fit_strengths(truth.len(), &meetings, 200).expect("they met");
            let scale = Scale::from_strengths(strengths, truth.len(), &meetings, None);
            let mean =
                scale.origin.iter().map(|&player| truth[player]).sum::<f64>() / scale.origin.len() as f64;
            let mut note = |kind: usize, within: Estimate, truth: f64| {
                all[kind] += 1;
                held[kind] += u64::from(!within.excludes(truth));
                open += u64::from(within.low.is_infinite() || within.high.is_infinite());
            };
            for player in 0..truth.len() {
                note(0, scale.rating(player), truth[player] - mean);
                for other in 0..player {
                    note(1, scale.rating_difference(player, other), truth[player] - truth[other]);
                }
            }
        }
        let part = |count: u64, of: u64| count as f64 / of as f64;
        [part(held[0], all[0]), part(held[1], all[1]), part(open, all[0] + all[1])]
    }

    #[test]
    fn ratings_hold() {
        for (truth, clusters) in [(&[0.0, 100.0, 1000.0][..], 20), (&[0.0, 50.0, 900.0, 950.0], 12)] {
            let held = simulate_coverage(60, truth, clusters);
            assert!(held[..2].iter().all(|&held| held > 0.9), "{truth:?}, {clusters}: {held:?}");
            assert!(held[2] > 0.1, "{truth:?}: never open, so nothing was tested");
        }
    }

    #[test]
    #[ignore = "measures: cargo bench --bench verdicts -- ratings"]
    fn coverage_of_ratings() {
        for truth in [
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
                    simulate_coverage(200, truth, clusters).map(|part| 100.0 * part);
                println!("{truth:?}, {clusters} clusters: {ratings:.1}, {differences:.1}; open {open:.1}");
            }
        }
    }
}
