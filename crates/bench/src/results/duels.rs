//! The tables of a game of two: `elo`, what each player got from all others, and `duels`, what each two got from each other.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::times::OUT_OF_TIME;
use crate::game::Shape;
use crate::plan::Plan;
use crate::rng::Seed;
use crate::stats::{self, Cluster, Estimate, Strengths, elo, normalized_elo};
use crate::table::{Cell, Column, Schema, Table};
use crate::tally::meeting::{Meeting, Meetings};
use crate::tally::{LEVEL, Tally};
use crate::text::{games, grouped, listed};

/// The table of ratings: the points are the share of wins, and of draws by half.
pub(super) const ELO: Schema = Schema {
    name: "elo",
    columns: Cow::Borrowed(&[
        Column::words("player"),
        Column::number("elo").first(),
        Column::number("elo_low").low_of("elo"),
        Column::number("elo_high").high_of("elo"),
        Column::count("games"),
        Column::count("wins"),
        Column::count("draws"),
        Column::count("losses"),
        Column::share("points_rate").first(),
        Column::share("points_rate_low").low_of("points_rate"),
        Column::share("points_rate_high").high_of("points_rate"),
        Column::number("mean_moves"),
        Column::count("forfeits").exception(),
        Column::count(OUT_OF_TIME).exception(),
    ]),
    level: Some(LEVEL),
};

/// The table of meetings, each as its first player sees it.
pub(super) const DUELS: Schema = Schema {
    name: "duels",
    columns: Cow::Borrowed(&[
        Column::words("player"),
        Column::words("against").first(),
        Column::count("games"),
        Column::count("wins"),
        Column::count("draws"),
        Column::count("losses"),
        Column::share("points_rate").first(),
        Column::share("points_rate_low").low_of("points_rate"),
        Column::share("points_rate_high").high_of("points_rate"),
        Column::number("elo_difference").first(),
        Column::number("elo_difference_low").low_of("elo_difference"),
        Column::number("elo_difference_high").high_of("elo_difference"),
        Column::number("normalized_elo"),
        Column::number("normalized_elo_low").low_of("normalized_elo"),
        Column::number("normalized_elo_high").high_of("normalized_elo"),
        Column::share("superiority"),
        Column::count("openings"),
        Column::count("first_wins"),
        Column::count("first_draws"),
        Column::count("first_losses"),
        Column::count("second_wins"),
        Column::count("second_draws"),
        Column::count("second_losses"),
        Column::count("pairs_0"),
        Column::count("pairs_0_5"),
        Column::count("pairs_1"),
        Column::count("pairs_1_5"),
        Column::count("pairs_2"),
        Column::number("mean_moves"),
        Column::count("forfeits").exception(),
        Column::count("rival_forfeits").exception(),
        Column::count(OUT_OF_TIME).exception(),
    ]),
    level: Some(LEVEL),
};

/// Ratings with more digits than these say no more.
const ELO_DECIMALS: usize = 1;

/// Both tables of a plan.
pub(super) fn tables(plan: &Plan, tallies: &[Tally], meetings: &Meetings) -> [Table; 2] {
    let ratings = ratings(plan.players.len(), meetings);
    let rows = plan.players.iter().zip(tallies).enumerate().map(|(place, (player, tally))| {
        let share = meetings.clustered(place).map(|clustered| clustered.interval(LEVEL));
        let mut row = vec![Cell::Text(player.name.to_owned())];
        row.extend(cells(ratings[place], ELO_DECIMALS));
        row.extend([
            Cell::Whole(tally.games),
            Cell::Whole(tally.wins),
            Cell::Whole(tally.draws),
            Cell::Whole(tally.games - tally.wins - tally.draws),
        ]);
        row.extend(cells(share, 6));
        row.extend([
            Cell::real(tally.mean_moves(), 2),
            Cell::Whole(tally.forfeits + tally.broken),
            Cell::Whole(tally.out_of_time),
        ]);
        row
    });
    let elo = Table::new(&ELO, rows.collect());
    let names = |[one, other]: [usize; 2]| [one, other].map(|place| plan.players[place].name);
    let rows = meetings.iter().map(|(members, meeting)| met(names(members), meeting));
    [elo, Table::new(&DUELS, rows.collect())]
}

/// The rating of each player, all on one scale; none where some never met, not even by way of others.
pub(super) fn ratings(players: usize, meetings: &Meetings) -> Vec<Option<Estimate>> {
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

/// Why there are no ratings, in a sentence; none where there are.
pub(super) fn apart(plan: &Plan, meetings: &Meetings) -> Option<String> {
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

/// How many games were cut, in a sentence; none if none was.
pub(super) fn cut(meetings: &Meetings) -> Option<String> {
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

fn met(names: [&str; 2], meeting: &Meeting) -> Vec<Cell> {
    let clustered = meeting.clustered();
    let share = clustered.as_ref().map(|clustered| clustered.interval(LEVEL));
    let superiority = clustered.as_ref().map(|clustered| clustered.superiority());
    let openings = clustered.as_ref().map_or(0, |clustered| clustered.clusters());
    let normalized = share.and_then(|share| normalized_elo(share, meeting.pairs));
    let [own, others] = meeting.forfeits;
    let mut row: Vec<Cell> = names.map(|name| Cell::Text(name.to_owned())).into();
    row.push(Cell::Whole(meeting.games()));
    row.extend(meeting.results().map(Cell::Whole));
    row.extend(cells(share, 6));
    row.extend(cells(share.map(elo), ELO_DECIMALS));
    row.extend(cells(normalized, ELO_DECIMALS));
    row.push(Cell::real(superiority, 6));
    row.push(Cell::Whole(openings));
    row.extend(meeting.by_seat.into_iter().flatten().map(Cell::Whole));
    row.extend(meeting.pairs.map(Cell::Whole));
    row.push(Cell::real((meeting.games() > 0).then(|| meeting.moves as f64 / meeting.games() as f64), 2));
    row.extend([own, others, meeting.out_of_time].map(Cell::Whole));
    row
}

/// An estimate and its bounds; nothing in place of what is infinite.
fn cells(estimate: Option<Estimate>, decimals: usize) -> [Cell; 3] {
    let parts = estimate.map(|Estimate { value, low, high, .. }| [value, low, high]);
    [0, 1, 2]
        .map(|part| Cell::real(parts.map(|parts| parts[part]).filter(|number| number.is_finite()), decimals))
}
