//! Performance profiles: the share of games that reach each score.

use gauntlet_analysis::results::analysis::distributions::GameDistributions;
use gauntlet_analysis::results::analysis::standing::{Standing, sort_rows};
use gauntlet_analysis::results::tables::scores::PROFILE;
use gauntlet_core::table::Cell;
use gauntlet_core::text::group_digits;
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::{Histogram, performance_profile};

use super::figures::{Figure, describe_selection};
use super::plots::curves::{Curve, MAX_CURVES, PlotPoint};
use super::plots::intervals::Unit;
use super::plots::{Plot, ScreenSize, profiles};

/// Largest number of steps of a curve before its last score. Games whose scores are inside a step
/// are at most this fraction of all games, which is about a pixel.
const MAX_STEPS: u64 = 200;

/// Returns the scores where the steps of a curve end, up to the first score that no game reached.
fn step_ends(scores: &Histogram) -> Vec<u64> {
    let count = scores.count();
    let mut games_inside = 0;
    let is_end = |&(_, games): &(u64, u64)| {
        games_inside += games;
        let is_end = games_inside * MAX_STEPS > count;
        if is_end {
            games_inside = 0;
        }
        is_end
    };
    let ends = scores.iter().filter(is_end).map(|(score, _)| score);
    let last = scores.max().into_iter().flat_map(|max| [max, max + 1]);
    let mut ends: Vec<u64> = [0].into_iter().chain(ends).chain(last).collect();
    ends.dedup();
    ends
}

/// Returns the points of a player's curve; none without games.
fn points(name: &str, scores: &Histogram) -> Vec<PlotPoint> {
    let ends = step_ends(scores);
    let shares = performance_profile(scores, &ends, LEVEL);
    let point = |(score, estimate)| {
        let share = Unit::Share.format_estimate(&estimate);
        let hint = format!("{name}: {share} of games score at least {}", group_digits(score));
        PlotPoint { position: score as f64, estimate, hint }
    };
    ends.into_iter().zip(shares).map(point).collect()
}

/// Plots the profiles of the strongest players; `None` without games. More curves than colours
/// would hide each other, and a page of many players would be large.
pub(super) fn plot_profiles(distributions: &GameDistributions, standings: &[Standing]) -> Option<Figure> {
    let mut table = distributions.profile_table()?;
    let curve = |one: &Standing| {
        let (name, scores) = distributions.scores.iter().find(|(name, _)| *name == one.name)?;
        let points = points(name, scores);
        (!points.is_empty()).then(|| Curve { name: name.clone(), points, zero_position: None })
    };
    let curves: Vec<Curve> = standings.iter().filter_map(curve).take(MAX_CURVES).collect();
    if curves.is_empty() {
        return None;
    }
    let title = "Performance profiles";
    let file = profiles::draw(ScreenSize::Wide, title, &curves, true);
    let plot = Plot::new(|sheet| profiles::draw(sheet, title, &curves, false)).with_file(file);
    let caption = "Share of games with at least each score. With a probability of 95 %, the band of a player contains its true shares for all scores together (Dvoretzky, Kiefer and Wolfowitz, with Massart's constant). A curve ends at the first score that no game of its player reached. The table has fewer scores than the plot.";
    let is_shown = |name: &str| curves.iter().any(|curve| curve.name == name);
    table.rows.retain(|row| matches!(&row[0], Cell::Text(name) if is_shown(name)));
    sort_rows(&mut table, standings.iter().map(|one| &*one.name));
    let figure = Figure::new(PROFILE, title, caption, plot, &table).with_download(&table);
    Some(figure.with_choices(&curves).with_note(describe_selection(standings.len(), MAX_CURVES)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the curve of a player against the shares of all its scores.
    #[track_caller]
    fn check(scores: &[u64]) {
        let scores: Histogram = scores.iter().copied().collect();
        let points = points("a", &scores);
        assert!(points.len() as u64 <= MAX_STEPS + 3, "{} points", points.len());
        let corners = profiles::steps(points.iter().map(|point| (point.position, point.estimate.value)));
        let distinct: Vec<u64> = scores.iter().map(|(score, _)| score).collect();
        for (&score, share) in distinct.iter().zip(performance_profile(&scores, &distinct, LEVEL)) {
            let score = score as f64;
            let has_score = |ends: &&[(f64, f64)]| ends[0].0 < score && score <= ends[1].0;
            let drawn = match corners.windows(2).find(has_score) {
                Some(ends) => {
                    assert_eq!(ends[0].1, ends[1].1, "the curve slopes at {score}");
                    ends[0].1
                }
                None => corners[0].1,
            };
            assert!(!share.excludes(drawn), "{drawn} at {score} is outside of {share:?}");
            assert!((drawn - share.value).abs() < 1.0 / MAX_STEPS as f64 + 1e-9, "{drawn} at {score}");
        }
        let zeros = points.iter().filter(|point| point.estimate.value == 0.0).count();
        assert_eq!((zeros, points.last().map(|point| point.estimate.value)), (1, Some(0.0)));
    }

    #[test]
    fn the_drawn_line_is_within_the_band_at_every_score() {
        check(&[0]);
        check(&[3, 3, 3, 700]);
        // Half of the games have nearly equal scores, between wide gaps.
        let clustered = (0..500).map(|i| if i % 2 == 0 { 5000 + i } else { 100 * i });
        check(&clustered.collect::<Vec<_>>());
        let skewed: Vec<u64> = (0..20_000_u64).map(|i| i.pow(3) / 1_000_000).collect();
        check(&skewed);
    }
}
