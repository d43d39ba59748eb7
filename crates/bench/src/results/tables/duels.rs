//! The tables of a game of two: `elo`, what each player got from all others, and `duels`, what each two got from each other.

use std::collections::{BTreeMap, BTreeSet};

use super::times::out_of_time;
use crate::game::Shape;
use crate::plan::Plan;
use crate::rng::Seed;
use crate::stats::{self, Cluster, Clustered, Estimate, Strengths, elo, normalized_elo};
use crate::table::layout::Layout;
use crate::table::{Column, Schema, Table};
use crate::tally::meeting::{Meeting, Meetings};
use crate::tally::{LEVEL, Tally};
use crate::text::{games, grouped, listed};

/// The table of ratings.
pub(crate) const ELO: &str = "elo";

/// Ratings with more digits than these say no more.
const ELO_DECIMALS: usize = 1;

/// A player with its rating and its share of the points.
struct Rated<'a> {
    name: &'a str,
    tally: &'a Tally,
    elo: Option<Estimate>,
    share: Option<Estimate>,
}

/// The table of ratings: the points are the share of wins, and of draws by half.
fn elo_table<'a>(is_limited: bool) -> Layout<'a, Rated<'a>> {
    let layout = Layout::new(ELO, Some(LEVEL))
        .words("player", |it: &Rated| it.name)
        .estimate(Column::number("elo").first(), ["elo_low", "elo_high"], ELO_DECIMALS, |it| it.elo)
        .count("games", |it| it.tally.games)
        .count("wins", |it| it.tally.wins)
        .count("draws", |it| it.tally.draws)
        .count("losses", |it| it.tally.games - it.tally.wins - it.tally.draws)
        .estimate(Column::share("points_rate").first(), POINTS_RATE, 6, |it| it.share)
        .real(Column::number("mean_moves"), 2, |it| it.tally.mean_moves())
        .column(Column::count("forfeits").exception(), |it| it.tally.forfeits + it.tally.broken);
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
    let ratings = ratings(plan.players.len(), meetings);
    let rated = plan.players.iter().zip(tallies).enumerate().map(|(place, (player, tally))| {
        let share = meetings.clustered(place).map(|clustered| clustered.interval(LEVEL));
        Rated { name: player.name, tally, elo: ratings[place], share }
    });
    let met = meetings.iter().map(|(members, meeting)| {
        let clustered = meeting.clustered();
        let share = clustered.as_ref().map(|clustered| clustered.interval(LEVEL));
        Met { names: members.map(|place| plan.players[place].name), meeting, clustered, share }
    });
    [elo_table(is_limited).table(rated), duels_table(is_limited).table(met)]
}

/// The rating of each player, all on one scale; none where some never met, not even by way of others.
pub(crate) fn ratings(players: usize, meetings: &Meetings) -> Vec<Option<Estimate>> {
    match strengths(players, meetings) {
        Ok(strengths) => {
            let rating =
                |player| Some(widened(strengths.of_player(player, LEVEL), player, players, meetings));
            (0..players).map(rating).collect()
        }
        Err(_) => vec![None; players],
    }
}

/// An interval that is no narrower than the one that the player's share of the points implies. A bootstrap of clusters that all
/// ended alike has hardly any width, and the share's has. Of `n` ratings with the mean 0 one moves by (n - 1) / n of what it
/// moves against all others.
fn widened(rating: Estimate, player: usize, players: usize, meetings: &Meetings) -> Estimate {
    let Some(clustered) = meetings.clustered(player) else { return rating };
    let against_all = elo(clustered.interval(LEVEL));
    let part = (players as f64 - 1.0) / players as f64;
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
