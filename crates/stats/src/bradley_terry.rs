//! Bradley–Terry ratings of several players from pairs of games between two of them (Bradley and
//! Terry, 1952). A player's share of the points against another is the logistic function of the
//! difference of their strengths; a draw is half a point to each.
//!
//! Strengths maximize the likelihood with a prior: each player is assumed to have won one game and
//! lost one against a player of mean strength. So players that won or lost all games have a finite,
//! though extreme, strength. After a few dozen games of a player the prior has little influence.
//!
//! Errors come from a bootstrap over clusters of openings. Every two players play the same
//! openings, so a cluster is drawn with the games of all players, and an effect of the opening that
//! all pairings share does not cancel. The weights are Rubin's (1981), exponential ones: none is 0,
//! so no group is disconnected by chance. Clusters in which all players had equal results share one
//! weight, the sum of theirs. The two games of the prior have their own weights, squares of normal
//! numbers, whose mean is 1. So even players that beat all others in all games have an error.

use std::f64::consts::LN_10;

use super::clusters::Cluster;
use super::estimate::Estimate;
use super::special::{normal_quantile, two_sided_normal, two_sided_student};

/// Games of two players: the first player's results, by kind of cluster. In all clusters of a kind
/// all players had equal results. All meetings number the kinds alike; a kind that these two did
/// not play is empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Meeting {
    /// Indices of the two players.
    pub players: [usize; 2],
    /// Pairs of games in one cluster of each kind.
    pub clusters: Vec<Cluster>,
}

impl Meeting {
    fn game_counts(&self) -> GameCounts {
        let games = self.clusters.iter().map(|&Cluster { half_points, pairs }| {
            [half_points, 4 * pairs - half_points].map(|half_points| half_points as f64 / 2.0)
        });
        (self.players, games.collect())
    }

    fn has_games(&self) -> bool {
        self.clusters.iter().any(|cluster| cluster.pairs > 0)
    }
}

/// Strengths of some players, with their errors.
#[derive(Clone, Debug, PartialEq)]
pub struct Strengths {
    elo: Vec<f64>,
    /// Strengths in each bootstrap sample, one player after another.
    samples: Vec<Vec<f64>>,
    /// Number of clusters behind the samples.
    clusters: u64,
    /// `reachable[a][b]` is true if a chain of players leads from `a` to `b`, each of which took
    /// points from the next, or if `a` is `b`.
    reachable: Vec<Vec<bool>>,
}

/// Elo points by which the odds of a point grow by a factor of e.
const ELO_UNIT: f64 = 400.0 / LN_10;

impl Strengths {
    /// Fits the strengths of players 0 to `players` - 1, with mean 0. `cluster_counts` is the
    /// number of clusters of each kind. `draw` returns numbers in (0, 1), for the bootstrap
    /// samples.
    ///
    /// # Errors
    /// If games do not connect all players: returns the connected groups.
    ///
    /// # Panics
    /// If a meeting has an unknown player, twice the same player, or another number of kinds.
    pub fn fit(
        players: usize,
        meetings: &[Meeting],
        cluster_counts: &[u64],
        samples: usize,
        draw: &mut dyn FnMut() -> f64,
    ) -> Result<Strengths, Vec<Vec<usize>>> {
        assert!(
            meetings.iter().all(|meeting| meeting.clusters.len() == cluster_counts.len()),
            "clusters without a number"
        );
        let groups = group_players(players, meetings);
        if groups.len() > 1 {
            return Err(groups);
        }
        let game_counts: Vec<GameCounts> = meetings.iter().map(Meeting::game_counts).collect();
        let unit_priors = vec![[1.0; 2]; players];
        let counts: Vec<f64> = cluster_counts.iter().map(|&count| count as f64).collect();
        let strengths = Likelihood::new(&game_counts, &counts, &unit_priors).maximize(vec![0.0; players]);
        let samples = (0..samples).map(|_| {
            let weights: Vec<f64> =
                cluster_counts.iter().map(|&count| sum_of_exponentials(count, draw)).collect();
            let mut square = || normal_quantile(draw()).powi(2);
            let priors: Vec<_> = (0..players).map(|_| [square(), square()]).collect();
            center(Likelihood::new(&game_counts, &weights, &priors).maximize(strengths.clone()))
        });
        let samples = samples.collect();
        let has_games = |kind: usize| meetings.iter().any(|meeting| meeting.clusters[kind].pairs > 0);
        let clusters =
            (0..cluster_counts.len()).filter(|&kind| has_games(kind)).map(|kind| cluster_counts[kind]).sum();
        Ok(Strengths {
            elo: center(strengths),
            samples,
            clusters,
            reachable: reachability(players, meetings),
        })
    }

    /// Returns true if games bound how much weaker a player is than another: it took points from
    /// it, or from a player that did, and so on.
    pub fn reaches(&self, player: usize, other: usize) -> bool {
        self.reachable[player][other]
    }

    /// Shifts the strengths so that these players have mean 0.
    ///
    /// # Panics
    /// If `origin` is empty.
    #[must_use]
    pub fn shift_origin(mut self, origin: &[usize]) -> Strengths {
        assert!(!origin.is_empty(), "a scale without an origin");
        for elo in std::iter::once(&mut self.elo).chain(&mut self.samples) {
            let mean = origin.iter().map(|&player| elo[player]).sum::<f64>() / origin.len() as f64;
            elo.iter_mut().for_each(|elo| *elo -= mean);
        }
        self
    }

    /// Returns the strength of a player relative to the origin, without bounds.
    pub fn elo(&self, player: usize) -> f64 {
        self.elo[player]
    }

    /// Returns the strength of a player with bounds, relative to the origin; by default, the mean
    /// of all players.
    pub fn rating(&self, player: usize, level: f64) -> Estimate {
        self.estimate(level, |elo| elo[player])
    }

    /// Returns by how much a player is stronger than another.
    pub fn difference(&self, player: usize, other: usize, level: f64) -> Estimate {
        self.estimate(level, |elo| elo[player] - elo[other])
    }

    /// Returns the proportion of samples in which a player is stronger than another.
    pub fn superiority(&self, player: usize, other: usize) -> f64 {
        let stronger = self.samples.iter().filter(|elo| elo[player] > elo[other]).count();
        stronger as f64 / self.samples.len() as f64
    }

    /// Returns the sample quantiles, widened by the ratio of Student's to normal quantiles, because
    /// a bootstrap of few clusters varies too little. The bounds are infinite for a single cluster,
    /// or for fewer samples than such quantiles need.
    fn estimate(&self, level: f64, statistic: impl Fn(&[f64]) -> f64) -> Estimate {
        let value = statistic(&self.elo);
        let mut values: Vec<f64> = self.samples.iter().map(|elo| statistic(elo)).collect();
        values.sort_by(f64::total_cmp);
        let tail_count = ((1.0 - level) / 2.0 * (values.len() + 1) as f64).floor() as usize;
        if self.clusters < 2 || tail_count == 0 {
            return Estimate::unbounded(value, level);
        }
        let n = self.clusters as f64;
        let widening = two_sided_student(level, n - 1.0) / two_sided_normal(level) * (n / (n - 1.0)).sqrt();
        let [low, high] = [values[tail_count - 1], values[values.len() - tail_count]];
        let (low, high) =
            (value - widening * (value - low).max(0.0), value + widening * (high - value).max(0.0));
        Estimate { value, low, high, level }
    }
}

/// Draws the sum of `count` exponential variates of mean 1; for a large count, a gamma variate
/// after Marsaglia and Tsang (2000).
fn sum_of_exponentials(count: u64, draw: &mut dyn FnMut() -> f64) -> f64 {
    if count < 8 {
        return (0..count).map(|_| -draw().ln()).sum();
    }
    let shape = count as f64 - 1.0 / 3.0;
    loop {
        let normal = normal_quantile(draw());
        let cube = (1.0 + normal / (9.0 * shape).sqrt()).powi(3);
        if cube > 0.0 && draw().ln() < normal * normal / 2.0 + shape * (1.0 - cube + cube.ln()) {
            return shape * cube;
        }
    }
}

/// Returns for each player which players it reaches: it took points from them, or from players that
/// did, and so on.
fn reachability(players: usize, meetings: &[Meeting]) -> Vec<Vec<bool>> {
    let mut reachable: Vec<Vec<bool>> =
        (0..players).map(|one| (0..players).map(|other| one == other).collect()).collect();
    for Meeting { players: [one, other], clusters } in meetings {
        reachable[*one][*other] |= clusters.iter().any(|cluster| cluster.half_points > 0);
        reachable[*other][*one] |= clusters.iter().any(|cluster| cluster.half_points < 4 * cluster.pairs);
    }
    for middle in 0..players {
        let onward = reachable[middle].clone();
        for row in reachable.iter_mut().filter(|row| row[middle]) {
            row.iter_mut().zip(&onward).for_each(|(entry, &is_onward)| *entry |= is_onward);
        }
    }
    reachable
}

/// Converts strengths to Elo with mean 0.
fn center(strengths: Vec<f64>) -> Vec<f64> {
    let mean = strengths.iter().sum::<f64>() / strengths.len().max(1) as f64;
    strengths.into_iter().map(|strength| (strength - mean) * ELO_UNIT).collect()
}

/// Groups players that are connected by games.
fn group_players(players: usize, meetings: &[Meeting]) -> Vec<Vec<usize>> {
    let mut group: Vec<usize> = (0..players).collect();
    for meeting in meetings {
        let [one, other] = meeting.players;
        assert!(one != other && one < players && other < players, "{one} meets {other} of {players}");
        if meeting.has_games() {
            let [kept_group, merged_group] = [group[one], group[other]];
            group
                .iter_mut()
                .filter(|number| **number == merged_group)
                .for_each(|number| *number = kept_group);
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for player in 0..players {
        match groups.iter_mut().find(|members| group[members[0]] == group[player]) {
            Some(members) => members.push(player),
            None => groups.push(vec![player]),
        }
    }
    groups
}

/// Games of two players by clusters: won and lost by the first, with draws as half of each.
type GameCounts = ([usize; 2], Vec<[f64; 2]>);

/// Likelihood of strengths, from weighted games.
struct Likelihood<'a> {
    /// Pairs of players, with the games won and lost by the first.
    games: Vec<([usize; 2], [f64; 2])>,
    /// Games that each player won and lost against a player of strength 0.
    priors: &'a [[f64; 2]],
}

impl<'a> Likelihood<'a> {
    fn new(meetings: &[GameCounts], weights: &[f64], priors: &'a [[f64; 2]]) -> Likelihood<'a> {
        let games = meetings.iter().map(|(players, clusters)| {
            let weighted = clusters.iter().zip(weights);
            let sum = weighted.fold([0.0; 2], |[won, lost], (games, weight)| {
                [won + weight * games[0], lost + weight * games[1]]
            });
            (*players, sum)
        });
        Likelihood { games: games.collect(), priors }
    }

    /// Lists the games; the prior's opponent is `None`.
    fn iter_games(&self) -> impl Iterator<Item = (usize, Option<usize>, [f64; 2])> {
        let games = self.games.iter().map(|&([one, other], games)| (one, Some(other), games));
        games.chain(self.priors.iter().enumerate().map(|(player, &games)| (player, None, games)))
    }

    fn log_likelihood(&self, strengths: &[f64]) -> f64 {
        let terms = self.iter_games().map(|(one, other, [won, lost])| {
            let difference = strengths[one] - other.map_or(0.0, |other| strengths[other]);
            // ln of the logistic function, without overflow.
            let log_share = |x: f64| x.min(0.0) - (-x.abs()).exp().ln_1p();
            won * log_share(difference) + lost * log_share(-difference)
        });
        terms.sum()
    }

    /// Maximizes the likelihood by Newton's method with halved steps. The function is strictly
    /// concave.
    fn maximize(&self, mut strengths: Vec<f64>) -> Vec<f64> {
        let players = strengths.len();
        let mut best = self.log_likelihood(&strengths);
        for _ in 0..100 {
            let mut slope = vec![0.0; players];
            let mut curvature = vec![0.0; players * players];
            for (one, other, [won, lost]) in self.iter_games() {
                let difference = strengths[one] - other.map_or(0.0, |other| strengths[other]);
                let share = 1.0 / (1.0 + (-difference).exp());
                let (slope_part, curvature_part) =
                    (won - (won + lost) * share, (won + lost) * share * (1.0 - share));
                slope[one] += slope_part;
                curvature[one * players + one] += curvature_part;
                if let Some(other) = other {
                    slope[other] -= slope_part;
                    curvature[other * players + other] += curvature_part;
                    curvature[one * players + other] -= curvature_part;
                    curvature[other * players + one] -= curvature_part;
                }
            }
            let mut step = solve(curvature, slope);
            let longest = step.iter().fold(0.0_f64, |max, part| max.max(part.abs()));
            if longest > MAX_STEP {
                step.iter_mut().for_each(|part| *part *= MAX_STEP / longest);
            }
            let (next, log) = loop {
                let next: Vec<f64> = strengths.iter().zip(&step).map(|(old, step)| old + step).collect();
                let log = self.log_likelihood(&next);
                if log >= best || step.iter().all(|part| part.abs() < TOLERANCE) {
                    break (next, log);
                }
                step.iter_mut().for_each(|part| *part /= 2.0);
            };
            (strengths, best) = (next, log);
            if longest < TOLERANCE {
                break;
            }
        }
        strengths
    }
}

/// Longest step of a strength, in natural units, because the function is nearly flat far out.
const MAX_STEP: f64 = 2.0;

/// Step size at which to stop. Each step squares the error, in natural units.
const TOLERANCE: f64 = 1e-6;

/// Solves linear equations with a symmetric positive definite matrix, by Cholesky decomposition.
fn solve(mut matrix: Vec<f64>, mut values: Vec<f64>) -> Vec<f64> {
    let n = values.len();
    for column in 0..n {
        for row in column..n {
            let dot = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
            let (row_start, column_start) = (row * n, column * n);
            let product =
                dot(&matrix[row_start..row_start + column], &matrix[column_start..column_start + column]);
            let rest = matrix[row_start + column] - product;
            matrix[row_start + column] = if row == column {
                rest.max(f64::MIN_POSITIVE).sqrt()
            } else {
                rest / matrix[column_start + column]
            };
        }
    }
    for row in 0..n {
        let sum: f64 = (0..row).map(|column| matrix[row * n + column] * values[column]).sum();
        values[row] = (values[row] - sum) / matrix[row * n + row];
    }
    for row in (0..n).rev() {
        let sum: f64 = (row + 1..n).map(|below| matrix[below * n + row] * values[below]).sum();
        values[row] = (values[row] - sum) / matrix[row * n + row];
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo_of_share;

    /// Marsaglia's xorshift64, as numbers between 0 and 1.
    fn draws(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
        }
    }

    fn meeting(one: usize, other: usize, half_points: &[u64]) -> Meeting {
        let clusters = half_points.iter().map(|&half_points| Cluster { half_points, pairs: 1 }).collect();
        Meeting { players: [one, other], clusters }
    }

    /// Draws the half points of a pair for a player ahead by these points, which include the effect
    /// of the opening.
    fn half_points(lead: f64, draw: &mut dyn FnMut() -> f64) -> u64 {
        let share = 1.0 / (1.0 + (-lead / ELO_UNIT).exp());
        // A third of the uncertain part are draws.
        let draw_rate = 2.0 / 3.0 * share.min(1.0 - share);
        (0..2)
            .map(|_| {
                let roll = draw();
                if roll < share - draw_rate / 2.0 { 2 } else { u64::from(roll < share + draw_rate / 2.0) }
            })
            .sum()
    }

    fn round_robin(true_strengths: &[f64], clusters: usize, draw: &mut dyn FnMut() -> f64) -> Vec<Meeting> {
        let mut meetings = Vec::new();
        for one in 0..true_strengths.len() {
            for other in one + 1..true_strengths.len() {
                let points: Vec<u64> = (0..clusters)
                    .map(|_| half_points(true_strengths[one] - true_strengths[other], draw))
                    .collect();
                meetings.push(meeting(one, other, &points));
            }
        }
        meetings
    }

    #[test]
    fn of_two_it_is_elo() {
        // 3,000 of 4,000 games; the prior shifts that by a fraction of a point.
        let strengths =
            Strengths::fit(2, &[meeting(0, 1, &[3])], &[2000], 0, &mut draws(1)).expect("they met");
        let difference = strengths.difference(0, 1, 0.95);
        assert!((difference.value - elo_of_share(0.75)).abs() < 0.1, "{difference:?}");
        assert_eq!(difference.bounds(), None, "without samples nothing is known of the error");
        assert!((strengths.rating(0, 0.95).value + strengths.rating(1, 0.95).value).abs() < 1e-9);
        // By hand: with a lost pair and the prior, the slope is 0 at 2 s(d) = 1 - 2 s(d / 2), where
        // s is the share.
        let lost_pair = Strengths::fit(2, &[meeting(0, 1, &[0])], &[1], 0, &mut draws(1)).expect("they met");
        let lead = lost_pair.difference(0, 1, 0.95).value / ELO_UNIT;
        let share = |x: f64| 1.0 / (1.0 + (-x).exp());
        assert!(lead < -1.0 && (share(lead) - (0.5 - share(lead / 2.0))).abs() < 1e-9, "{lead}");
    }

    /// Strengths at which each player's expected points equal its actual points: the condition of
    /// maximum likelihood.
    #[test]
    fn everyone_gets_the_points_that_it_has() {
        let mut draw = draws(2);
        let true_strengths: Vec<f64> = (0..12).map(|player| 60.0 * f64::from(player)).collect();
        let mut meetings = round_robin(&true_strengths, 9, &mut draw);
        meetings.retain(|meeting| (meeting.players[0] + 2 * meeting.players[1]) % 3 > 0);
        let game_counts: Vec<GameCounts> = meetings.iter().map(Meeting::game_counts).collect();
        let likelihood = Likelihood::new(&game_counts, &[1.0; 9], &[[1.0; 2]; 12]);
        let strengths = likelihood.maximize(vec![0.0; 12]);
        let mut residuals = vec![0.0; 12];
        for (one, other, [won, lost]) in likelihood.iter_games() {
            let difference = strengths[one] - other.map_or(0.0, |other| strengths[other]);
            let residual = won - (won + lost) / (1.0 + (-difference).exp());
            residuals[one] += residual;
            if let Some(other) = other {
                residuals[other] -= residual;
            }
        }
        assert!(residuals.iter().all(|residual| residual.abs() < 1e-9), "{residuals:?}");
        // A distant start finds the same maximum.
        let other_strengths =
            likelihood.maximize((0..12).map(|player| if player % 2 == 0 { 30.0 } else { -30.0 }).collect());
        assert!(
            strengths.iter().zip(&other_strengths).all(|(one, other)| (one - other).abs() < 1e-9),
            "{strengths:?}, {other_strengths:?}"
        );
    }

    #[test]
    fn who_won_everything_is_far_out_and_has_an_error() {
        let meetings = [
            meeting(0, 1, &[4; 20]),
            meeting(0, 2, &[4; 20]),
            meeting(1, 2, &[2, 3, 1, 2, 2, 3, 1, 2, 2, 2, 2, 3, 1, 2, 2, 3, 1, 2, 2, 2]),
        ];
        let strengths = Strengths::fit(3, &meetings, &[1; 20], 1000, &mut draws(3)).expect("they met");
        let best = strengths.difference(0, 1, 0.95);
        assert!(
            (400.0..900.0).contains(&best.value) && best.low > 150.0 && best.low < best.value - 100.0,
            "{best:?}"
        );
        assert!(best.high.is_finite() && best.high > best.value + 100.0, "{best:?}");
        assert!(strengths.superiority(0, 2) > 0.999);
        assert!((strengths.superiority(1, 2) + strengths.superiority(2, 1) - 1.0).abs() < 1e-12);
        // Equal random numbers give equal samples.
        assert_eq!(Strengths::fit(3, &meetings, &[1; 20], 1000, &mut draws(3)), Ok(strengths));
    }

    #[test]
    fn who_never_met_is_in_another_group() {
        let unplayed = Meeting { players: [1, 2], clusters: vec![Cluster::default(); 2] };
        let meetings = [meeting(0, 3, &[1, 2]), unplayed, meeting(4, 1, &[2, 2]), meeting(3, 5, &[4, 4])];
        assert_eq!(
            Strengths::fit(6, &meetings, &[1; 2], 10, &mut draws(1)),
            Err(vec![vec![0, 3, 5], vec![1, 4], vec![2]])
        );
        assert!(Strengths::fit(1, &[], &[], 10, &mut draws(1)).is_ok());
    }

    /// Strengths and their errors are equal, whether clusters are listed individually or by kind.
    #[test]
    fn kinds_of_clusters_are_clusters() {
        let kinds =
            [0, 1, 2, 3, 4].map(|half_points| (half_points, [9, 40, 100, 60, 30][half_points as usize]));
        let all_half_points: Vec<u64> =
            kinds.iter().flat_map(|&(half_points, times)| vec![half_points; times as usize]).collect();
        let ones = vec![1; all_half_points.len()];
        let one = Strengths::fit(2, &[meeting(0, 1, &all_half_points)], &ones, 1000, &mut draws(1))
            .expect("they met");
        let by_kind = meeting(0, 1, &kinds.map(|(half_points, _)| half_points));
        let other = Strengths::fit(2, &[by_kind], &kinds.map(|(_, times)| times), 1000, &mut draws(2))
            .expect("they met");
        let [one, other] = [one, other].map(|strengths| strengths.difference(0, 1, 0.95));
        assert!((one.value - other.value).abs() < 1e-6, "{one:?}, {other:?}");
        assert!(
            (one.low - other.low).abs() < 4.0 && (one.high - other.high).abs() < 4.0,
            "{one:?}, {other:?}"
        );
    }

    #[test]
    fn points_lead_from_player_to_player() {
        // 0 and 1 share points, and so do 2 and 3; 1 beat 2 in all games; 4 lost to 0, and beat 3.
        let meetings = [
            meeting(0, 1, &[1, 3]),
            meeting(2, 3, &[2, 2]),
            meeting(1, 2, &[4, 4]),
            meeting(0, 4, &[4, 4]),
            meeting(4, 3, &[4, 4]),
        ];
        let strengths = Strengths::fit(5, &meetings, &[1; 2], 0, &mut draws(1)).expect("they met");
        let reachable = [0, 1, 2, 3, 4].map(|one| [0, 1, 2, 3, 4].map(|other| strengths.reaches(one, other)));
        let top = [true; 5];
        assert_eq!(reachable[..2], [top; 2]);
        assert_eq!(reachable[2..4], [[false, false, true, true, false]; 2]);
        assert_eq!(reachable[4], [false, false, true, true, true]);
    }

    /// A single cluster gives no error, and effects common to all meetings do not count as one
    /// player's luck.
    #[test]
    fn clusters_are_drawn_for_all_at_once() {
        let single_cluster =
            Strengths::fit(2, &[meeting(0, 1, &[3])], &[1], 100, &mut draws(1)).expect("they met");
        assert_eq!(single_cluster.difference(0, 1, 0.95).bounds(), None);
        // Players 1 and 2 have equal results in each opening against 0, so their difference is
        // known better than either strength.
        let results: Vec<u64> = (0..40).map(|cluster| [0, 4, 2, 3, 1][cluster % 5]).collect();
        let strengths = Strengths::fit(
            3,
            &[meeting(0, 1, &results), meeting(0, 2, &results)],
            &[1; 40],
            400,
            &mut draws(5),
        )
        .expect("they met");
        let [strength, difference] = [strengths.difference(0, 1, 0.95), strengths.difference(1, 2, 0.95)];
        assert!(difference.half_width() < strength.half_width() / 2.0, "{strength:?}, {difference:?}");
    }

    /// Returns the coverage of the intervals of strengths and of differences.
    fn coverage(runs: u64, true_strengths: &[f64], clusters: usize) -> [f64; 2] {
        let mean = true_strengths.iter().sum::<f64>() / true_strengths.len() as f64;
        let (mut covered, mut totals) = ([0; 2], [0; 2]);
        let mut record = |kind: usize, estimate: Estimate, true_value: f64| {
            totals[kind] += 1;
            covered[kind] += u64::from(!estimate.excludes(true_value));
        };
        for run in 0..runs {
            let mut draw = draws(run + 1);
            let meetings = round_robin(true_strengths, clusters, &mut draw);
            let strengths =
                Strengths::fit(true_strengths.len(), &meetings, &vec![1; clusters], 200, &mut draw)
                    .expect("they met");
            for player in 0..true_strengths.len() {
                record(0, strengths.rating(player, 0.95), true_strengths[player] - mean);
                for other in 0..player {
                    record(
                        1,
                        strengths.difference(player, other, 0.95),
                        true_strengths[player] - true_strengths[other],
                    );
                }
            }
        }
        [0, 1].map(|kind| covered[kind] as f64 / totals[kind] as f64)
    }

    #[test]
    fn intervals_hold() {
        for (true_strengths, clusters) in
            [(&[0.0, 200.0][..], 12), (&[0.0, 100.0, 700.0], 20), (&[0.0, 40.0, 80.0, 120.0, 160.0], 20)]
        {
            let shares = coverage(150, true_strengths, clusters);
            assert!(shares.iter().all(|&share| share > 0.91), "{true_strengths:?}, {clusters}: {shares:?}");
        }
    }

    #[test]
    #[ignore = "measures: cargo bench --bench verdicts -- ratings"]
    fn coverage_of_strengths() {
        for true_strengths in [
            &[0.0, 0.0][..],
            &[0.0, 200.0],
            &[0.0, 600.0],
            &[0.0, 100.0, 700.0],
            &[0.0, 50.0, 100.0, 150.0, 200.0, 250.0],
        ] {
            for clusters in [5, 12, 20, 50, 200] {
                let [strengths, differences] = coverage(1000, true_strengths, clusters);
                println!(
                    "{true_strengths:?}, {clusters} clusters: {:.1}, {:.1}",
                    100.0 * strengths,
                    100.0 * differences
                );
            }
        }
    }
}
