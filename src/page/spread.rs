//! How scores are spread: the only figure that is made from single games.

use std::borrow::Cow;

use super::figures::{Figure, cut};
use super::plots::scores::{self, Hill};
use super::plots::{MOST_ROWS, Plot};
use super::standing::Standing;
use crate::compare::sample::Sample;
use crate::table::{Cell, Column, Schema, Table};

/// What it is called.
pub(super) const TITLE: &str = "Scores";

/// The table of scores: the least, five quantiles, the highest.
const SCORES: Schema = Schema {
    name: "scores",
    columns: Cow::Borrowed(&[
        Column::words("player"),
        Column::count("games"),
        Column::number("least"),
        Column::number("10 %"),
        Column::number("25 %"),
        Column::number("median"),
        Column::number("75 %"),
        Column::number("90 %"),
        Column::count("most"),
    ]),
    level: None,
};

/// The quantiles of that table, from the least score on.
const QUANTILES: [f64; 6] = [0.0, 0.1, 0.25, 0.5, 0.75, 0.9];

/// The figure: the strongest first, as everywhere.
pub(super) fn figure(ranked: &[Standing], samples: &[(String, Sample)]) -> Figure {
    let highest = samples.iter().flat_map(|(_, sample)| sample.scores()).max().unwrap_or(0);
    let width = bin_width(highest);
    let sorted: Vec<(&Standing, Vec<u64>)> = ranked
        .iter()
        .map(|one| {
            let sample = samples.iter().find(|(name, _)| *name == one.name);
            let mut scores: Vec<u64> = sample.into_iter().flat_map(|(_, sample)| sample.scores()).collect();
            scores.sort_unstable();
            (one, scores)
        })
        .collect();
    let hill = |(one, scores): &(&Standing, Vec<u64>)| {
        let (&last, median) = (scores.last()?, quantile(scores, 0.5)?);
        let mut counts = vec![0; (last / width + 1) as usize];
        for score in scores {
            counts[(score / width) as usize] += 1;
        }
        let mean = scores.iter().map(|&score| score as f64).sum::<f64>() / scores.len() as f64;
        let value = format!("median {median:.0}");
        Some(Hill { name: one.name.clone(), counts, median, mean, value })
    };
    let hills: Vec<Hill> = sorted.iter().filter_map(hill).take(MOST_ROWS).collect();
    if hills.is_empty() {
        return Figure::missing("scores", TITLE, "There are no games.".to_owned());
    }
    let plot = Plot::new(|sheet| scores::draw(sheet, TITLE, width, &hills));
    let row = |(one, scores): &(&Standing, Vec<u64>)| {
        let mut row = vec![Cell::Text(one.name.clone()), Cell::Whole(scores.len() as u64)];
        row.extend(QUANTILES.map(|part| Cell::real(quantile(scores, part), 1)));
        row.push(scores.last().map_or(Cell::Nothing, |&most| Cell::Whole(most)));
        row
    };
    let table = Table::new(&SCORES, sorted.iter().map(row).collect());
    let caption = "How many games ended with about which score; each hill is as high as its own peak. The table has \
                   the quantiles of the scores.";
    Figure::new("scores", TITLE, caption, plot, &table).noting(cut(ranked.len(), MOST_ROWS))
}

/// A round width that makes about 60 ranges.
fn bin_width(highest: u64) -> u64 {
    let wanted = highest / 60 + 1;
    let power = 10_u64.pow(wanted.ilog10());
    [1, 2, 5, 10].map(|times| times * power).into_iter().find(|&width| width >= wanted).unwrap_or(wanted)
}

/// The number within a sorted list that has this part of it below; between two numbers, the mean of both.
fn quantile(sorted: &[u64], part: f64) -> Option<f64> {
    let place = part * (sorted.len().checked_sub(1)?) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(below as f64 + (above as f64 - below as f64) * place.fract())
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
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[7], 0.9), Some(7.0));
        assert_eq!(quantile(&[1, 2, 3, 10], 0.5), Some(2.5));
        assert_eq!(quantile(&[1, 2, 3, 10], 1.0), Some(10.0));
    }
}
