//! Distributions of scores: the only figure that is made from single games.

use gauntlet_analysis::results::analysis::standing::Standing;
use gauntlet_core::table::{Column, TypedRow, table};
use gauntlet_stats::Histogram;

use super::figures::{Figure, describe_omission};
use super::plots::scores::{self, ScoreDistribution};
use super::plots::{MAX_ROWS, Plot};

/// Title of the figure.
pub(super) const TITLE: &str = "Scores";

/// The quantiles in the table of scores.
const QUANTILES: [(&str, f64); 6] =
    [("least", 0.0), ("10 %", 0.1), ("25 %", 0.25), ("median", 0.5), ("75 %", 0.75), ("90 %", 0.9)];

table! {
    /// The scores of a player; their quantiles stand before the largest.
    struct ScoresRow("scores", None) of (one, scores): (&Standing, &Histogram) {
        player: String, words() = &*one.name;
        games: u64, count() = scores.count();
        most: Option<u64>, count() = scores.max();
    }
}

/// Plots the distributions, the strongest player first.
pub(super) fn plot_scores(standings: &[Standing], scores: &[(String, Histogram)]) -> Figure {
    let max_score = scores.iter().filter_map(|(_, scores)| scores.max()).max().unwrap_or(0);
    let width = bin_width(max_score);
    let empty = Histogram::default();
    let histogram_of = |one: &Standing| {
        let entry = scores.iter().find(|(name, _)| *name == one.name);
        entry.map_or(&empty, |(_, scores)| scores)
    };
    let player_scores: Vec<(&Standing, &Histogram)> =
        standings.iter().map(|one| (one, histogram_of(one))).collect();
    let distribution = |(one, scores): &(&Standing, &Histogram)| {
        let (last, median) = (scores.max()?, quantile(scores, 0.5)?);
        let mut counts = vec![0; (last / width + 1) as usize];
        for (score, games) in scores.iter() {
            counts[(score / width) as usize] += games;
        }
        let mean = scores.sum() as f64 / scores.count() as f64;
        let value = format!("median {median:.0}");
        Some(ScoreDistribution { name: one.name.clone(), counts, median, mean, value })
    };
    let distributions: Vec<ScoreDistribution> =
        player_scores.iter().filter_map(distribution).take(MAX_ROWS).collect();
    if distributions.is_empty() {
        return Figure::without_plot("scores", TITLE, "No games.".to_owned());
    }
    let plot = Plot::new(|sheet| scores::draw(sheet, TITLE, width, &distributions));
    let mut table = ScoresRow::table(player_scores.iter().copied().map(ScoresRow::new));
    for (column, (name, fraction)) in (2..).zip(QUANTILES) {
        let values = player_scores.iter().map(|(_, scores)| quantile(scores, fraction));
        table.insert(column, Column::number(name).with_decimals(1), values);
    }
    let caption =
        "Score distribution of each player, all scaled to the same height. The table shows quantiles.";
    Figure::new("scores", TITLE, caption, plot, &table)
        .with_note(describe_omission(standings.len(), MAX_ROWS))
}

/// Returns a round width that divides the scores into about 60 ranges.
fn bin_width(max_score: u64) -> u64 {
    let min_width = max_score / 60 + 1;
    let power = 10_u64.pow(min_width.ilog10());
    [1, 2, 5, 10]
        .map(|factor| factor * power)
        .into_iter()
        .find(|&width| width >= min_width)
        .unwrap_or(min_width)
}

/// Returns the quantile of sorted scores at `part`, interpolated between neighbours.
fn quantile(scores: &Histogram, fraction: f64) -> Option<f64> {
    let rank = fraction * (scores.count().checked_sub(1)?) as f64;
    let (below, above) =
        (scores.value_at_rank(rank.floor() as u64)?, scores.value_at_rank(rank.ceil() as u64)?);
    Some(below as f64 + (above as f64 - below as f64) * rank.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_scores_are_round() {
        assert_eq!([0, 59, 60, 3000, 81_000].map(bin_width), [1, 1, 2, 100, 2000]);
    }

    #[test]
    fn quantiles_lie_between() {
        let quantile_of = |scores: &[u64], part| quantile(&scores.iter().copied().collect(), part);
        assert_eq!(quantile_of(&[], 0.5), None);
        assert_eq!(quantile_of(&[7], 0.9), Some(7.0));
        assert_eq!(quantile_of(&[10, 1, 3, 2], 0.5), Some(2.5));
        assert_eq!(quantile_of(&[10, 1, 3, 2], 1.0), Some(10.0));
        assert_eq!(quantile_of(&[3, 7, 3, 3], 0.75), Some(4.0));
    }
}
