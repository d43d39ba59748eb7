//! Distributions of scores.

use gauntlet_analysis::results::analysis::distributions::GameDistributions;
use gauntlet_analysis::results::analysis::standing::{Standing, sort_rows};
use gauntlet_analysis::results::tables::scores::{SCORES, round_step};
use gauntlet_stats::Histogram;

use super::figures::{Figure, describe_omission};
use super::plots::scores::{self, ScoreDistribution};
use super::plots::{MAX_ROWS, Plot};

/// Title of the figure.
pub(super) const TITLE: &str = "Scores";

/// Largest number of ranges of scores.
const MAX_RANGES: u64 = 60;

/// Plots the distributions, the strongest player first.
pub(super) fn plot_scores(standings: &[Standing], distributions: &GameDistributions) -> Figure {
    let scores = &distributions.scores;
    let max_score = scores.iter().filter_map(|(_, scores)| scores.max()).max().unwrap_or(0);
    let width = round_step(max_score, MAX_RANGES);
    let distribution = |one: &Standing| {
        let (_, scores): &(String, Histogram) = scores.iter().find(|(name, _)| *name == one.name)?;
        let (last, median) = (scores.max()?, scores.median()?);
        let mut counts = vec![0; (last / width + 1) as usize];
        for (score, games) in scores.iter() {
            counts[(score / width) as usize] += games;
        }
        let mean = scores.sum() as f64 / scores.count() as f64;
        let value = format!("median {median:.0}");
        Some(ScoreDistribution { name: one.name.clone(), counts, median, mean, value })
    };
    let drawn: Vec<ScoreDistribution> = standings.iter().filter_map(distribution).take(MAX_ROWS).collect();
    let Some(mut table) = distributions.score_table().filter(|_| !drawn.is_empty()) else {
        return Figure::without_plot(SCORES, TITLE, "No games.".to_owned());
    };
    let plot = Plot::new(|sheet| scores::draw(sheet, TITLE, width, &drawn));
    sort_rows(&mut table, standings.iter().map(|one| &*one.name));
    let caption = "Score distribution of each player, all scaled to the same height. The table shows the interquartile mean, which is the mean of the middle half, and quantiles.";
    Figure::new(SCORES, TITLE, caption, plot, &table).with_note(describe_omission(standings.len(), MAX_ROWS))
}
