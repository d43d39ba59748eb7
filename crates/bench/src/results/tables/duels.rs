//! The tables of a game of two: `elo`, what each player got from all others, and `duels`, what each two got from each other.

use std::collections::{BTreeMap, BTreeSet};

use super::times::out_of_time;
use crate::game::Shape;
use crate::plan::Plan;
use crate::rng::Seed;
use crate::stats::{
    self, Cluster, Clustered, Estimate, Strengths, border, elo, normalized_elo, share_of_elo,
};
use crate::table::layout::Layout;
use crate::table::{Column, Schema, Table};
use crate::tally::meeting::{Meeting, Meetings};
use crate::tally::{LEVEL, Tally};
use crate::text::{games, grouped, listed};

/// The column of games that were cut by the limit of moves, which older tables do not have.
pub(crate) const CUT: &str = "cut";

/// The table of ratings.
pub(crate) const ELO: &str = "elo";

/// Ratings with more digits than these say no more.
const ELO_DECIMALS: usize = 1;

/// A player with its rating and its share of the points.
struct Rated<'a> {
    name: &'a str,
    tally: &'a Tally,
    elo: Option<Estimate>,
    /// The player that is rated next below, and by how much this one is ahead of it.
    ahead: Option<(&'a str, Estimate)>,
    share: Option<Estimate>,
}

/// The table of ratings: the points are the share of wins, and of draws by half.
fn elo_table<'a>(is_limited: bool) -> Layout<'a, Rated<'a>> {
    let layout = Layout::new(ELO, Some(LEVEL))
        .words("player", |it: &Rated| it.name)
        .estimate(Column::number("elo").first(), ["elo_low", "elo_high"], ELO_DECIMALS, |it| it.elo)
        .words("ahead_of", |it| it.ahead.map_or("", |(other, _)| other))
        .estimate(Column::number("elo_ahead"), ["elo_ahead_low", "elo_ahead_high"], ELO_DECIMALS, |it| {
            it.ahead.map(|(_, ahead)| ahead)
        })
        .count("games", |it| it.tally.games)
        .count("wins", |it| it.tally.wins)
        .count("draws", |it| it.tally.draws)
        .count("losses", |it| it.tally.games - it.tally.wins - it.tally.draws)
        .estimate(Column::share("points_rate").first(), POINTS_RATE, 6, |it| it.share)
        .real(Column::number("mean_moves"), 2, |it| it.tally.mean_moves())
        .column(Column::count("forfeits").exception(), |it| it.tally.forfeits + it.tally.broken)
        .column(Column::count(CUT).exception(), |it| it.tally.cut);
    out_of_time(layout, is_limited, |it| it.tally.out_of_time)
}

/// The bounds of a share of points.
const POINTS_RATE: [&str; 2] = ["points_rate_low", "points_rate_high"];

/// Two players, and what the first of them got from the other.
struct Met<'a> {
    names: [&'a str; 2],
    meeting: &'a Meeting,
    clustered: Option<Clustered>,
    share: Option<Estimate>,
}

/// The table of meetings, each as its first player sees it.
fn duels_table<'a>(is_limited: bool) -> Layout<'a, Met<'a>> {
    let layout = Layout::new("duels", Some(LEVEL))
        .words("player", |it: &Met| it.names[0])
        .column(Column::words("against").first(), |it| it.names[1])
        .count("games", |it| it.meeting.games())
        .count("wins", |it| it.meeting.results()[0])
        .count("draws", |it| it.meeting.results()[1])
        .count("losses", |it| it.meeting.results()[2])
        .estimate(Column::share("points_rate").first(), POINTS_RATE, 6, |it| it.share)
        .estimate(
            Column::number("elo_difference").first(),
            ["elo_difference_low", "elo_difference_high"],
            ELO_DECIMALS,
            |it| it.share.map(elo),
        )
        .estimate(
            Column::number("normalized_elo"),
            ["normalized_elo_low", "normalized_elo_high"],
            ELO_DECIMALS,
            |it| it.share.and_then(|share| normalized_elo(share, it.meeting.pairs)),
        )
        .real(Column::share("superiority"), 6, |it| it.clustered.as_ref().map(Clustered::superiority))
        .count("openings", |it| it.clustered.as_ref().map_or(0, Clustered::clusters));
    let seats = ["first_wins", "first_draws", "first_losses", "second_wins", "second_draws", "second_losses"];
    let layout = seats.into_iter().enumerate().fold(layout, |layout, (place, name)| {
        layout.count(name, move |it| it.meeting.by_seat[place / 3][place % 3])
    });
    let pairs = ["pairs_0", "pairs_0_5", "pairs_1", "pairs_1_5", "pairs_2"];
    let layout = pairs
        .into_iter()
        .enumerate()
        .fold(layout, |layout, (place, name)| layout.count(name, move |it| it.meeting.pairs[place]));
    let layout = layout
        .real(Column::number("mean_moves"), 2, |it| {
            (it.meeting.games() > 0).then(|| it.meeting.moves as f64 / it.meeting.games() as f64)
        })
        .column(Column::count("forfeits").exception(), |it| it.meeting.forfeits[0])
        .column(Column::count("rival_forfeits").exception(), |it| it.meeting.forfeits[1]);
    out_of_time(layout, is_limited, |it| it.meeting.out_of_time)
}

/// What both tables are read by.
pub(crate) fn schemas() -> [Schema; 2] {
    [elo_table(true).schema().clone(), duels_table(true).schema().clone()]
}

/// Both tables of a plan.
pub(crate) fn tables(plan: &Plan, tallies: &[Tally], meetings: &Meetings, is_limited: bool) -> [Table; 2] {
    let scale = Scale::of(plan.players.len(), meetings, plan.anchor);
    let below = scale.as_ref().map_or_else(|| vec![None; tallies.len()], Scale::next_below);
    let rated = plan.players.iter().zip(tallies).enumerate().map(|(place, (player, tally))| {
        let share = meetings.clustered(place).map(|clustered| clustered.interval(LEVEL));
        let ahead = scale.as_ref().zip(below[place]);
        let ahead = ahead.map(|(scale, other)| (plan.players[other].name, scale.ahead(place, other)));
        Rated { name: player.name, tally, elo: scale.as_ref().map(|scale| scale.rating(place)), ahead, share }
    });
    let met = meetings.iter().map(|(members, meeting)| {
        let clustered = meeting.clustered();
        let share = clustered.as_ref().map(|clustered| clustered.interval(LEVEL));
        Met { names: members.map(|place| plan.players[place].name), meeting, clustered, share }
    });
    [elo_table(is_limited).table(rated), duels_table(is_limited).table(met)]
}

/// The rating of each player, all on one scale; none where some never met, not even by way of others. The anchor has 0.
pub(crate) fn ratings(players: usize, meetings: &Meetings, anchor: Option<usize>) -> Vec<Option<Estimate>> {
    let scale = Scale::of(players, meetings, anchor);
    (0..players).map(|player| Some(scale.as_ref()?.rating(player))).collect()
}

/// The scale on which players are rated.
struct Scale<'a> {
    strengths: Strengths,
    meetings: &'a Meetings,
    /// The players whose mean is 0.
    origin: Vec<usize>,
    /// The share of the points that each player got.
    shares: Vec<f64>,
}

impl Scale<'_> {
    /// None where some players never met. Without an anchor the mean of those is 0 that got some of the points, and not all:
    /// only their strengths have two ends.
    fn of(players: usize, meetings: &Meetings, anchor: Option<usize>) -> Option<Scale<'_>> {
        let strengths = strengths(players, meetings).ok()?;
        let share = |player| meetings.clustered(player).map_or(0.5, |clustered| clustered.share());
        let shares: Vec<f64> = (0..players).map(share).collect();
        let mut origin: Vec<usize> = match anchor {
            Some(anchor) => vec![anchor],
            None => (0..players).filter(|&player| 0.0 < shares[player] && shares[player] < 1.0).collect(),
        };
        if origin.is_empty() {
            origin = (0..players).collect();
        }
        Some(Scale { strengths: strengths.beside(&origin), meetings, origin, shares })
    }

    fn rating(&self, player: usize) -> Estimate {
        let others = self.origin.iter().copied().filter(|&other| other != player).collect::<Vec<usize>>();
        let rating = self.strengths.of_player(player, LEVEL);
        if others.is_empty() {
            return rating;
        }
        // Of so many ratings with the mean 0 one moves by this part of what it moves against the others.
        let part = others.len() as f64 / self.origin.len() as f64;
        let rating = widened(rating, self.meetings.clustered(player), part);
        self.open(holding(rating, self.bound(player)), player, &others)
    }

    /// The end of a rating that games bound, of a player without a point or with all of them: the strength at which it would get
    /// the end of its share of the points from those that it played. None for other players.
    fn bound(&self, player: usize) -> Option<f64> {
        let within = self.meetings.clustered(player)?.interval(LEVEL);
        let wanted = match within.value {
            0.0 => within.high,
            1.0 => within.low,
            _ => return None,
        };
        let own = self.meetings.iter().filter(|(members, _)| members.contains(&player));
        let rivals: Vec<(f64, f64)> = own
            .map(|(members, meeting)| {
                let rival = if members[0] == player { members[1] } else { members[0] };
                (meeting.games() as f64, self.value(rival))
            })
            .collect();
        let games: f64 = rivals.iter().map(|(games, _)| games).sum();
        let points =
            |own: f64| rivals.iter().map(|(games, rival)| games * share_of_elo(own - rival)).sum::<f64>();
        Some(border(-FURTHEST, FURTHEST, 60, |own| points(own) >= wanted * games).1)
    }

    fn value(&self, player: usize) -> f64 {
        self.strengths.of_player(player, LEVEL).value
    }

    /// By how much a player is rated above another.
    fn ahead(&self, player: usize, other: usize) -> Estimate {
        let difference = self.strengths.difference(player, other, LEVEL);
        let difference = holding(difference, self.bound(other).map(|bound| self.value(player) - bound));
        let difference = holding(difference, self.bound(player).map(|bound| bound - self.value(other)));
        self.open(difference, player, &[other])
    }

    /// The difference of a player and others without the ends that no game bounds: a player without a point may be as
    /// weak as can be, and one that got all of them as strong.
    fn open(&self, of: Estimate, player: usize, others: &[usize]) -> Estimate {
        let is_any = |share: f64| others.iter().any(|&other| self.shares[other] == share);
        let low = if self.shares[player] == 0.0 || is_any(1.0) { f64::NEG_INFINITY } else { of.low };
        let high = if self.shares[player] == 1.0 || is_any(0.0) { f64::INFINITY } else { of.high };
        Estimate { low, high, ..of }
    }

    /// For each player the one that is rated next below it; none for the last.
    fn next_below(&self) -> Vec<Option<usize>> {
        let elo: Vec<f64> = (0..self.shares.len()).map(|player| self.value(player)).collect();
        let mut order: Vec<usize> = (0..elo.len()).collect();
        order.sort_by(|&one, &other| elo[other].total_cmp(&elo[one]));
        let mut below = vec![None; order.len()];
        order.windows(2).for_each(|pair| below[pair[0]] = Some(pair[1]));
        below
    }
}

/// Elo beyond which no rating lies.
const FURTHEST: f64 = 100_000.0;

/// An interval that holds this number as well, if there is one.
fn holding(interval: Estimate, number: Option<f64>) -> Estimate {
    let Estimate { low, high, .. } = interval;
    number.map_or(interval, |number| Estimate { low: low.min(number), high: high.max(number), ..interval })
}

/// An interval that is no narrower than the one that the player's share of the points implies. A bootstrap of clusters that all
/// ended alike has hardly any width, and the share's has.
fn widened(rating: Estimate, clustered: Option<Clustered>, part: f64) -> Estimate {
    let Some(clustered) = clustered else { return rating };
    let against_all = elo(clustered.interval(LEVEL));
    let [below, above] = [against_all.value - against_all.low, against_all.high - against_all.value];
    let least = |way: f64| if way.is_finite() { part * way } else { 0.0 };
    Estimate {
        low: rating.low.min(rating.value - least(below)),
        high: rating.high.max(rating.value + least(above)),
        ..rating
    }
}

/// Reason why there are no ratings, in a sentence; none where there are.
pub(crate) fn apart(plan: &Plan, meetings: &Meetings) -> Option<String> {
    if plan.arena.shape == Shape::Solo {
        return None;
    }
    let groups = strengths(plan.players.len(), meetings).err()?;
    let named = |group: &Vec<usize>| {
        let names: Vec<&str> = group.iter().map(|&player| plan.players[player].name).collect();
        listed(&names, NAMED)
    };
    let groups: Vec<String> = groups.iter().take(NAMED).map(named).collect();
    Some(format!("there are no ratings, for these groups never met: {}", groups.join("; ")))
}

/// Number of games that were cut, in a sentence; none if there are none.
pub(crate) fn cut(meetings: &Meetings) -> Option<String> {
    let sum = |of: fn(&Meeting) -> u64| meetings.iter().map(|(_, meeting)| of(meeting)).sum::<u64>();
    let (cut, all) = (sum(|meeting| meeting.cut), sum(Meeting::games));
    (cut > 0)
        .then(|| format!("{} of {} were cut by `max_moves`: they count as drawn", grouped(cut), games(all)))
}

/// As many names and groups as a sentence has room for.
const NAMED: usize = 6;

/// The most samples by which the errors of ratings are found, and the least.
const SAMPLES: (usize, usize) = (1000, 40);

/// About as many sums of a cluster as a second has time for.
const SUMS: usize = 200_000_000;

fn strengths(players: usize, meetings: &Meetings) -> Result<Strengths, Vec<Vec<usize>>> {
    let keys: BTreeSet<u64> =
        meetings.iter().flat_map(|(_, own)| own.clusters().map(|(key, _)| key)).collect();
    let places: BTreeMap<u64, usize> = keys.into_iter().zip(0..).collect();
    let all: Vec<stats::Meeting> = meetings
        .iter()
        .map(|(players, own)| {
            let mut clusters = vec![Cluster { half_points: 0, pairs: 0 }; places.len()];
            own.clusters().for_each(|(key, cluster)| clusters[places[&key]] = cluster);
            stats::Meeting { players, clusters }
        })
        .collect();
    // To fit the ratings is to solve some systems of equations.
    let fit = all.len() * places.len() + players.pow(3);
    let samples = (SUMS / fit.max(1)).clamp(SAMPLES.1, SAMPLES.0);
    let mut rng = Seed::root(0).child("ratings", 0).rng();
    let mut draw = || ((rng.bits() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    Strengths::of(players, &all, samples, &mut draw)
}
