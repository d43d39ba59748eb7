//! The table `published`: what others say that a player does beside what it did here, and a verdict on each. The rule
//! is explained in `docs/METHOD.md`.

use super::table::{Cell, Table};
use super::tables::LEVEL;
use super::tally::Tally;
use crate::config::published::{Published, REACHED, Range, What};
use crate::plan::Plan;
use crate::stats::{Distribution, Interval, Mean, newcombe, wilson};

/// The name of the table.
pub(super) const PUBLISHED: &str = "published";

/// A rate is known well enough to call a published one reproduced if its interval reaches no further than this to each
/// side: five percentage points.
const RATE_TOLERANCE: f64 = 0.05;

/// Likewise of a mean, as a part of the published one. And so much may a time differ, which has no interval.
const MEAN_TOLERANCE: f64 = 0.1;

/// A published number that rests on a known number of games may be known this many times less well. Otherwise its
/// games are too few, however many were played here.
const PUBLISHED_TOLERANCE: f64 = 3.0;

/// What may be said of a published number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Reproduced,
    NotReproduced,
    TooFew,
}

impl Verdict {
    const fn name(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::NotReproduced => "not reproduced",
            Verdict::TooFew => "too few games to say",
        }
    }
}

/// What was measured, and what that says of the published number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Judged {
    estimate: Option<f64>,
    bounds: Option<(f64, f64)>,
    verdict: Verdict,
}

impl Judged {
    const UNKNOWN: Judged = Judged { estimate: None, bounds: None, verdict: Verdict::TooFew };
}

/// The table, a row for each published number in the order of the file.
pub(super) fn table(plan: &Plan, tallies: &[Tally], published: &[Published]) -> Table {
    let columns = [
        "player",
        "what",
        "published_from",
        "published_to",
        "published_games",
        "measured",
        "measured_low",
        "measured_high",
        "games",
        "verdict",
        "source",
    ];
    let fact = plan.facts.iter().position(|&fact| fact == REACHED);
    let row = |published: &Published| {
        let tally = &tallies[published.player];
        let judged = judge(published, tally, fact);
        let decimals = if published.what == What::Score { 2 } else { 6 };
        vec![
            Cell::Text(plan.entries[published.player].name.to_owned()),
            Cell::Text(published.what.to_string()),
            as_printed(published.value.low()),
            as_printed(published.value.high()),
            published.games.map_or(Cell::Nothing, |games| Cell::Whole(games.get())),
            Cell::real(judged.estimate, decimals),
            Cell::real(judged.bounds.map(|(low, _)| low), decimals),
            Cell::real(judged.bounds.map(|(_, high)| high), decimals),
            Cell::Whole(tally.scores.count()),
            Cell::Text(judged.verdict.name().to_owned()),
            Cell::Text(published.source.clone()),
        ]
    };
    Table::new(PUBLISHED, &columns, published.iter().map(row).collect())
}

/// A number with the digits that it was written with, as far as they say something.
fn as_printed(number: f64) -> Cell {
    let decimals = number.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
    Cell::Real(number, decimals)
}

fn judge(published: &Published, tally: &Tally, fact: Option<usize>) -> Judged {
    let games = tally.scores.count();
    match published.what {
        What::Win => rate(published, tally.wins, games),
        What::Reach(tile) => rate(published, fact.map_or(0, |fact| tally.at_least(fact, tile.into())), games),
        What::Score => mean(published, &tally.scores),
        What::MsPerMove => time(published, tally.mean_ms()),
        What::MsPerGame => {
            time(published, tally.mean_ms().zip(tally.mean_moves()).map(|(ms, moves)| ms * moves))
        }
    }
}

fn rate(published: &Published, successes: u64, games: u64) -> Judged {
    let range = published.value;
    let Some(measured) = wilson(successes, games, LEVEL) else { return Judged::UNKNOWN };
    let narrow = |interval: Interval, times: f64| {
        (interval.high - interval.low) / 2.0 <= times * RATE_TOLERANCE.max(half_width(range))
    };
    // Step 1. Can both be the same? Of a range, the rate that is nearest to the measured one is asked.
    let nearest = nearest(range, measured.estimate);
    let (agree, is_known) = match published.games {
        None => (measured.low <= range.high() && range.low() <= measured.high, true),
        Some(others) => {
            // What was printed is the share of whole games.
            let others = others.get();
            let theirs = ((nearest * others as f64).round() as u64).min(others);
            let difference = newcombe((successes, games), (theirs, others), LEVEL);
            let agree = difference.is_none_or(|by| by.low <= 0.0 && 0.0 <= by.high);
            let is_known =
                wilson(theirs, others, LEVEL).is_some_and(|rate| narrow(rate, PUBLISHED_TOLERANCE));
            (agree || nearest == measured.estimate, is_known)
        }
    };
    // Step 2. If so: would it have been seen if they were not? What never happened is not reproduced, however small
    // the rate that was published.
    let is_seen = successes > 0 || range.low() == 0.0;
    let verdict = verdict(agree, narrow(measured, 1.0) && is_known && is_seen);
    Judged { estimate: Some(measured.estimate), bounds: Some((measured.low, measured.high)), verdict }
}

fn mean(published: &Published, scores: &Distribution) -> Judged {
    let range = published.value;
    let measured = match scores.mean(LEVEL) {
        None => return Judged::UNKNOWN,
        Some(Mean::Alone(score)) => return Judged { estimate: Some(score), ..Judged::UNKNOWN },
        Some(Mean::Whole(measured)) => measured,
    };
    let reach = (measured.high - measured.low) / 2.0;
    // A published mean comes without its spread: that of the games played here is taken for both.
    let others = published.games.map_or(f64::INFINITY, |others| others.get() as f64);
    let parts = scores.count() as f64 / others;
    let distance = (measured.estimate - nearest(range, measured.estimate)).abs();
    let tolerance = (MEAN_TOLERANCE * middle(range)).max(half_width(range));
    let is_known = reach * parts.sqrt() <= PUBLISHED_TOLERANCE * tolerance;
    let verdict = verdict(distance <= reach * (1.0 + parts).sqrt(), reach <= tolerance && is_known);
    Judged { estimate: Some(measured.estimate), bounds: Some((measured.low, measured.high)), verdict }
}

/// Times are compared as they are: how much they would differ in another run, no table knows.
fn time(published: &Published, ms: Option<f64>) -> Judged {
    let Some(ms) = ms else { return Judged::UNKNOWN };
    let range = published.value;
    let agree = (1.0 - MEAN_TOLERANCE) * range.low() <= ms && ms <= (1.0 + MEAN_TOLERANCE) * range.high();
    Judged { estimate: Some(ms), bounds: None, verdict: verdict(agree, true) }
}

fn verdict(agree: bool, is_sure: bool) -> Verdict {
    match (agree, is_sure) {
        (false, _) => Verdict::NotReproduced,
        (true, true) => Verdict::Reproduced,
        (true, false) => Verdict::TooFew,
    }
}

fn nearest(range: Range, number: f64) -> f64 {
    number.clamp(range.low(), range.high())
}

fn middle(range: Range) -> f64 {
    f64::midpoint(range.low(), range.high())
}

fn half_width(range: Range) -> f64 {
    (range.high() - range.low()) / 2.0
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;

    const YES: Verdict = Verdict::Reproduced;
    const NO: Verdict = Verdict::NotReproduced;
    const FEW: Verdict = Verdict::TooFew;

    fn said(what: What, low: f64, high: f64, games: u64) -> Published {
        let value = Range::new(low, high).expect("a range");
        Published { player: 0, what, value, games: NonZeroU64::new(games), source: "x".to_owned() }
    }

    /// Bounds in the comments are Wilson's at 95 %, computed elsewhere.
    #[test]
    fn a_rate_without_games_is_taken_as_printed() {
        #[track_caller]
        fn check(low: f64, high: f64, successes: u64, games: u64, expected: Verdict) {
            let judged = rate(&said(What::Win, low, high, 0), successes, games);
            assert_eq!(judged.verdict, expected, "{low} to {high}, {successes} of {games}: {judged:?}");
        }

        check(0.4, 0.4, 173, 400, YES); // 0.385 to 0.481
        check(0.4, 0.4, 180, 400, NO); // 0.402 to 0.499
        check(0.5, 0.5, 180, 400, NO);
        check(0.4, 0.4, 13, 30, FEW); // 0.274 to 0.608
        check(0.4, 0.4, 28, 30, NO); // 0.787 to 0.982
        check(0.2, 0.2, 29, 300, NO); // 0.068 to 0.135
        // A range is met from outside, and allows an interval of half its width.
        check(0.7, 0.8, 268, 400, YES); // 0.622 to 0.714
        check(0.7, 0.8, 256, 400, NO); // 0.592 to 0.686
        check(0.7, 0.8, 300, 400, YES);
        check(0.7, 0.8, 30, 40, FEW); // 0.598 to 0.858
        check(0.6, 0.9, 30, 40, YES);
        // What never happened is not reproduced, nor refuted before it should have been seen.
        check(0.01, 0.01, 0, 100, FEW); // 0 to 0.037
        check(0.01, 0.01, 1, 200, YES); // 0.001 to 0.028
        check(0.01, 0.01, 0, 400, NO); // 0 to 0.0095
        check(0.001, 1.0, 0, 24, FEW);
        check(0.001, 1.0, 1, 24, YES);
        check(0.001, 1.0, 0, 4000, NO); // 0 to 0.00096
        check(0.0, 0.05, 0, 400, YES);
        check(0.0, 0.0, 0, 400, YES);
        check(0.0, 0.0, 1, 400, NO);
        check(1.0, 1.0, 400, 400, YES);
        check(1.0, 1.0, 399, 400, NO);
        check(0.5, 0.5, 0, 0, FEW);
    }

    #[test]
    fn a_rate_with_games_has_an_error_of_its_own() {
        #[track_caller]
        fn check(low: f64, high: f64, theirs: u64, successes: u64, games: u64, expected: Verdict) {
            let judged = rate(&said(What::Reach(2048), low, high, theirs), successes, games);
            assert_eq!(judged.verdict, expected, "{low} to {high}, {successes} of {games}: {judged:?}");
        }

        // 45 of 49 is 0.808 to 0.968, and 340 of 400 is 0.812 to 0.882: as printed, 0.918 would be missed.
        check(0.918, 0.918, 49, 340, 400, YES);
        check(0.918, 0.918, 0, 340, 400, NO);
        check(0.918, 0.918, 49, 320, 400, NO); // differ by -0.183 to -0.002
        check(0.918, 0.918, 49, 85, 100, FEW); // 0.767 to 0.907 here
        // The example of Newcombe's paper: 0.052 to 0.334 between 56 of 70 and 48 of 80.
        check(0.6, 0.6, 80, 56, 70, NO);
        check(0.8, 0.8, 70, 48, 80, NO);
        // Of a range, the end that is nearer.
        check(0.7, 0.8, 1000, 256, 400, NO); // differ by -0.116 to -0.006
        check(0.7, 0.8, 1000, 270, 400, YES); // by -0.080 to 0.028
        check(0.7, 0.8, 1000, 300, 400, YES);
        // Their games may be too few to be reproduced: 7 of 10 is 0.397 to 0.892, 19 of 29 is 0.473 to 0.801.
        check(0.7, 0.8, 10, 200, 400, FEW);
        check(0.7, 0.8, 10, 300, 400, FEW);
        check(0.655, 0.655, 29, 262, 400, FEW);
        check(1.0, 1.0, 6, 400, 400, FEW); // 6 of 6 is 0.610 to 1
        check(1.0, 1.0, 20, 340, 400, YES);
        check(0.0, 0.0, 20, 0, 400, YES);
        // More games than a real number tells apart.
        check(1.0, 1.0, u64::MAX, 400, 400, YES);
    }

    /// `games` scores of mean 1000, half of them `spread` below it and half above.
    fn scores(spread: u64, games: u64) -> Distribution {
        (0..games).map(|game| if game % 2 == 0 { 1000 - spread } else { 1000 + spread }).collect()
    }

    #[test]
    fn a_mean_borrows_its_spread() {
        #[track_caller]
        fn check(low: f64, high: f64, theirs: u64, scores: &Distribution, expected: Verdict) {
            let judged = mean(&said(What::Score, low, high, theirs), scores);
            assert_eq!(judged.verdict, expected, "{low} to {high}, {theirs}: {judged:?}");
        }

        // Student's 95 % for 100 games and a standard deviation of 500 sqrt(100 / 99) are 99.711 to each side.
        let hundred = scores(500, 100);
        let bounds = mean(&said(What::Score, 1000.0, 1000.0, 0), &hundred).bounds.expect("many games");
        assert!((bounds.1 - 1099.711).abs() < 1e-3, "{bounds:?}");
        check(1000.0, 1000.0, 0, &hundred, YES);
        check(1099.0, 1099.0, 0, &hundred, YES);
        check(1100.0, 1100.0, 0, &hundred, NO);
        check(900.0, 900.0, 0, &hundred, NO);
        check(901.0, 901.0, 0, &hundred, FEW); // a tenth of this is less than 99.7
        // As many games there as here: the difference is known to 141.013.
        check(1141.0, 1141.0, 100, &hundred, YES);
        check(1142.0, 1142.0, 100, &hundred, NO);
        // So few games there say little: 10 leave 315, 11 leave 301, and three tenths are 300.
        check(1000.0, 1000.0, 10, &hundred, FEW);
        check(1000.0, 1000.0, 12, &hundred, YES);
        // A range.
        check(1050.0, 1090.0, 0, &hundred, YES);
        check(1100.0, 2000.0, 0, &hundred, NO);
        check(500.0, 700.0, 0, &hundred, NO);
        let few = scores(500, 10); // 377 to each side
        check(1000.0, 1000.0, 0, &few, FEW);
        check(600.0, 1400.0, 0, &few, YES);
        check(1000.0, 1000.0, 0, &scores(0, 1), FEW);
        check(1000.0, 1000.0, 0, &scores(0, 0), FEW);
        check(1000.0, 1000.0, 0, &scores(0, 2), YES);
    }

    #[test]
    fn a_time_is_compared_as_it_is() {
        #[track_caller]
        fn check(low: f64, high: f64, ms: Option<f64>, expected: Verdict) {
            let judged = time(&said(What::MsPerMove, low, high, 0), ms);
            assert_eq!(judged, Judged { estimate: ms, bounds: None, verdict: expected });
        }

        check(100.0, 100.0, Some(100.0), YES);
        check(100.0, 100.0, Some(90.5), YES);
        check(100.0, 100.0, Some(109.5), YES);
        check(100.0, 100.0, Some(89.5), NO);
        check(100.0, 100.0, Some(110.5), NO);
        check(0.0, 50.0, Some(0.001), YES);
        check(27_000.0, 28_000.0, Some(24_000.0), NO);
        check(27_000.0, 28_000.0, Some(25_000.0), YES);
        check(1.0, 1.0, None, FEW);
    }

    #[test]
    fn numbers_are_shown_as_they_were_printed() {
        for number in ["0.7", "0.918", "64643", "0.05", "1", "27.5"] {
            let Cell::Real(number_read, decimals) = as_printed(number.parse().unwrap()) else { panic!() };
            assert_eq!(format!("{number_read:.decimals$}"), number);
        }
    }
}
