//! `scores` and `profile`: how the scores of each player are distributed. They have no files: they
//! are made from single games on request.

use gauntlet_core::table::{Table, TableEstimate, TypedRow, table};
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::{Estimate, Histogram, interquartile_mean, performance_profile};

/// Name of the table of interquartile means and quantiles.
pub const SCORES: &str = "scores";

/// Name of the table of performance profiles.
pub const PROFILE: &str = "profile";

table! {
    /// Scores of a player.
    pub struct ScoresRow(SCORES, Some(LEVEL)) of (name, scores): (&str, &Histogram) {
        /// Name of the player.
        player: String, words() = name;
        /// Number of games of the player.
        games: u64, count() = scores.count();
        /// Mean of the middle half of the scores, with its 95 % interval.
        interquartile_mean: TableEstimate, number().with_decimals(2) = interquartile_mean(scores, LEVEL);
        /// Lowest score.
        min_score: Option<u64>, count() = scores.value_at_rank(0);
        /// Quantiles of the scores: 10 % of games score at most `p10_score`.
        p10_score: Option<f64>, number().with_decimals(1) = scores.quantile(0.1);
        p25_score: Option<f64>, number().with_decimals(1) = scores.quantile(0.25);
        median_score: Option<f64>, number().with_decimals(1) = scores.median();
        p75_score: Option<f64>, number().with_decimals(1) = scores.quantile(0.75);
        p90_score: Option<f64>, number().with_decimals(1) = scores.quantile(0.9);
        /// Highest score.
        max_score: Option<u64>, count() = scores.max();
    }
}

table! {
    /// A point of a player's performance profile.
    pub struct ProfileRow(PROFILE, Some(LEVEL)) of (name, score, share): (&str, u64, Estimate) {
        /// Name of the player.
        player: String, words() = name;
        /// Score to reach.
        score: u64, count() = score;
        /// Share of games with at least this score, with a 95 % band for all scores together.
        reached_rate: TableEstimate, share().with_decimals(6) = Some(share);
    }
}

/// Largest number of steps of a profile. There is a row for each step and each player.
const MAX_PROFILE_STEPS: u64 = 40;

/// Scores of each player, in the order of the experiment.
pub(in crate::results) type PlayerScores = [(String, Histogram)];

/// Makes the table of interquartile means and quantiles.
pub(in crate::results) fn score_table(scores: &PlayerScores) -> Table {
    ScoresRow::table(scores.iter().map(|(name, scores)| ScoresRow::new((name, scores))))
}

/// Makes the performance profiles of all players at the same scores: multiples of a round number,
/// from 0 to the first that no game reached.
pub(in crate::results) fn profile_table(scores: &PlayerScores) -> Table {
    let max_score = scores.iter().filter_map(|(_, scores)| scores.max()).max().unwrap_or(0);
    let step = round_step(max_score, MAX_PROFILE_STEPS);
    let thresholds: Vec<u64> = (0..=max_score / step + 1).map(|index| index * step).collect();
    let profile = |(name, scores): &(String, Histogram)| {
        let shares = performance_profile(scores, &thresholds, LEVEL);
        let rows = thresholds.iter().zip(shares).map(|(&score, share)| ProfileRow::new((name, score, share)));
        rows.collect::<Vec<_>>()
    };
    ProfileRow::table(scores.iter().flat_map(profile))
}

/// Returns a round width that divides the scores into at most this many ranges.
pub fn round_step(max_score: u64, max_ranges: u64) -> u64 {
    let min_width = max_score / max_ranges + 1;
    let power = 10_u64.pow(min_width.ilog10());
    [1, 2, 5, 10]
        .map(|factor| factor * power)
        .into_iter()
        .find(|&width| width >= min_width)
        .unwrap_or(min_width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_scores_are_round() {
        let steps = [0, 59, 60, 3000, 81_000].map(|max_score| round_step(max_score, 60));
        assert_eq!(steps, [1, 1, 2, 100, 2000]);
    }

    #[test]
    fn profiles_of_all_players_have_the_same_scores() {
        let scores = [
            ("a".to_owned(), (0..100).map(|game| 31 * game).collect()),
            ("b".to_owned(), [0].into_iter().collect()),
        ];
        let rows: Vec<ProfileRow> = profile_table(&scores).read_rows().collect();
        let scores_of = |player: &str| {
            rows.iter().filter(|row| row.player == player).map(|row| row.score).collect::<Vec<_>>()
        };
        assert_eq!(scores_of("a"), (0..=31).map(|index| 100 * index).collect::<Vec<_>>());
        assert_eq!(scores_of("a"), scores_of("b"));
        let rate = |player: &str, score: u64| {
            let row = rows.iter().find(|row| (&*row.player, row.score) == (player, score)).expect("a row");
            row.reached_rate.estimate.expect("a share").value
        };
        // 1,519 is the first score of `a` from 1,500 on, and its 49th from 0.
        assert_eq!([rate("a", 0), rate("a", 1500), rate("a", 3100)], [1.0, 0.51, 0.0]);
        assert_eq!([rate("b", 0), rate("b", 100)], [1.0, 0.0]);
    }
}
