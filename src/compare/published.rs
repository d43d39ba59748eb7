//! The table `published`: what others say that a player does beside what it did here, and a verdict on each. The rule
//! is explained in `docs/METHOD.md`.

use std::borrow::Cow;

use crate::arena::GAMES;
use crate::config::published::{Published, Range};
use crate::measure::Measure;
use crate::plan::Plan;
use crate::stats::{Distribution, Estimate, newcombe, wilson};
use crate::table::{Cell, Column, Kind, Schema, Table};
use crate::tally::LEVEL;
use crate::tally::Tally;

/// The table of published numbers, each of what its row says.
pub const PUBLISHED: Schema = Schema {
    name: "published",
    columns: Cow::Borrowed(&[
        Column::words("player"),
        Column::words("what"),
        Column::new("published_from", OF_WHAT).from_of("published"),
        Column::new("published_to", OF_WHAT).to_of("published"),
        Column::count("published_games"),
        Column::new("measured", OF_WHAT),
        Column::new("measured_low", OF_WHAT).low_of("measured"),
        Column::new("measured_high", OF_WHAT).high_of("measured"),
        Column::count("games"),
        Column::words("verdict"),
        Column::words("source"),
    ]),
    level: Some(LEVEL),
};

const OF_WHAT: Kind = Kind::ByRow { named_in: "what", is_share: names_a_rate };

/// Whether a word of the column `what` names a rate of some game.
fn names_a_rate(what: &str) -> bool {
    GAMES.iter().filter_map(|arena| arena.measures().find(what)).any(Measure::is_rate)
}

/// So far may a rate lie from a published one that is a single number, and be the same for all practical purposes:
/// five percentage points, but no more than half of the way to 0 or to 1, whichever is nearer; around these themselves five.
const RATE_MARGIN: f64 = 0.05;

/// Likewise a mean or a time, as a part of the published one.
const MEAN_MARGIN: f64 = 0.1;

/// A published number that rests on games of its own must be known so much better than not at all: to three margins.
/// Otherwise its games are too few, however many were played here.
const KNOWN_MARGINS: f64 = 3.0;

/// The least number of games from which the time of a game is judged.
const LEAST_GAMES: u64 = 30;

/// Whether a published number is reproduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reproduced {
    Yes,
    No,
    TooFew,
}

impl Reproduced {
    const fn verdict(self) -> &'static str {
        match self {
            Reproduced::Yes => "reproduced",
            Reproduced::No => "not reproduced",
            Reproduced::TooFew => "too few games to say",
        }
    }
}

/// What was measured, and whether that reproduces the published number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reproduction {
    measured: Option<Estimate>,
    reproduced: Reproduced,
}

impl Reproduction {
    const UNKNOWN: Reproduction = Reproduction { measured: None, reproduced: Reproduced::TooFew };

    fn of(measured: Estimate, reproduced: Reproduced) -> Reproduction {
        Reproduction { measured: Some(measured), reproduced }
    }
}

/// The table, a row for each published number in the order of the file.
pub fn table(plan: &Plan, tallies: &[Tally], published: &[Published]) -> Table {
    let row = |published: &Published| {
        let tally = &tallies[published.player];
        let Reproduction { measured, reproduced } = reproduction(published, tally);
        let decimals = if published.what == Measure::Score { 2 } else { 6 };
        vec![
            Cell::Text(plan.players[published.player].name.to_owned()),
            Cell::Text(published.what.to_string()),
            Cell::as_printed(published.value.low()),
            Cell::as_printed(published.value.high()),
            published.games.map_or(Cell::Nothing, |games| Cell::Whole(games.get())),
            Cell::real(measured.map(|measured| measured.value), decimals),
            Cell::real(measured.map(|measured| measured.low), decimals),
            Cell::real(measured.map(|measured| measured.high), decimals),
            Cell::Whole(tally.games),
            Cell::Text(reproduced.verdict().to_owned()),
            Cell::Text(published.source.clone()),
        ]
    };
    Table::new(&PUBLISHED, published.iter().map(row).collect())
}

fn reproduction(published: &Published, tally: &Tally) -> Reproduction {
    let games = tally.games;
    match published.what {
        Measure::Win => rate(published, tally.wins, games),
        Measure::Reach(reach) => rate(published, tally.at_least(reach.fact(), reach.value()), games),
        Measure::Score => mean(published, &tally.scores),
        Measure::MsPerMove => time(published, tally.mean_cpu_ms(), true),
        Measure::MsPerGame => {
            let ms = tally.mean_cpu_ms().zip(tally.mean_moves()).map(|(ms, moves)| ms * moves);
            time(published, ms, games >= LEAST_GAMES)
        }
    }
}

fn rate(published: &Published, successes: u64, games: u64) -> Reproduction {
    let range = published.value;
    let Some(measured) = wilson(successes, games, LEVEL) else { return Reproduction::UNKNOWN };
    let meant = match published.games {
        None => Meant::of_rate(range),
        // What was printed is the share of whole games, and has an error of its own.
        Some(others) => {
            let others = others.get();
            let successes_at = |rate: f64| ((rate * others as f64).round() as u64).min(others);
            let interval =
                |rate| wilson(successes_at(rate), others, LEVEL).map_or((0.0, 1.0), |it| (it.low, it.high));
            // Of a range, the rate that is nearest to the measured one is asked.
            let nearest = nearest(range, measured.value);
            let difference = newcombe((successes, games), (successes_at(nearest), others), LEVEL);
            let differs =
                nearest != measured.value && difference.is_some_and(|difference| difference.excludes(0.0));
            let (low, high) = interval(nearest);
            // Around 0 and 1 all of the error lies on one side.
            let is_known = (nearest - low).max(high - nearest) <= KNOWN_MARGINS * RATE_MARGIN;
            let (low, high) = (interval(range.low()).0, interval(range.high()).1);
            Meant::of_rate(range).with_error(low, high, is_known, differs)
        }
    };
    let reproduced = match meant.reproduced_by(measured.low, measured.high) {
        // What never happened here is not reproduced, however small the rate that was published.
        Reproduced::Yes if successes == 0 && range.low() > 0.0 => Reproduced::TooFew,
        other => other,
    };
    Reproduction::of(measured, reproduced)
}

fn mean(published: &Published, scores: &Distribution) -> Reproduction {
    let range = published.value;
    let Some(measured) = scores.mean(LEVEL) else { return Reproduction::UNKNOWN };
    if measured.bounds().is_none() {
        return Reproduction::of(measured, Reproduced::TooFew);
    }
    let meant = match published.games {
        None => Meant::of_mean(range),
        Some(others) => {
            // A published mean comes without its spread: that of the games played here is taken for both.
            let half_width = measured.half_width();
            let parts = scores.count() as f64 / others.get() as f64;
            let nearest = nearest(range, measured.value);
            let differs = (measured.value - nearest).abs() > half_width * (1.0 + parts).sqrt();
            let theirs = half_width * parts.sqrt();
            let is_known = theirs <= KNOWN_MARGINS * MEAN_MARGIN * nearest;
            Meant::of_mean(range).with_error(range.low() - theirs, range.high() + theirs, is_known, differs)
        }
    };
    Reproduction::of(measured, meant.reproduced_by(measured.low, measured.high))
}

/// Times are compared as they are: how much they would differ in another run, no table knows.
fn time(published: &Published, ms: Option<f64>, is_enough: bool) -> Reproduction {
    let Some(ms) = ms else { return Reproduction::UNKNOWN };
    let reproduced = match is_enough {
        true => Meant::of_mean(published.value).reproduced_by(ms, ms),
        false => Reproduced::TooFew,
    };
    Reproduction::of(Estimate::unbounded(ms, LEVEL), reproduced)
}

/// What a published number says.
struct Meant {
    /// What is the same for all practical purposes.
    same: (f64, f64),
    /// That, and what the error of the published number allows.
    allowed: (f64, f64),
    /// Whether the measured number differs from it by both errors; without an error of its own that is left to `same`.
    differs: bool,
    /// Whether it is known well enough that anything can reproduce it.
    is_known: bool,
}

impl Meant {
    fn new(low: f64, high: f64) -> Meant {
        Meant { same: (low, high), allowed: (low, high), differs: true, is_known: true }
    }

    /// A range as it is given; a single number with its margin.
    fn of_rate(range: Range) -> Meant {
        if range.low() < range.high() {
            return Meant::new(range.low(), range.high());
        }
        let rate = range.low();
        let to_an_end = rate.min(1.0 - rate);
        let margin = if to_an_end > 0.0 { RATE_MARGIN.min(to_an_end / 2.0) } else { RATE_MARGIN };
        Meant::new((rate - margin).max(0.0), (rate + margin).min(1.0))
    }

    /// Likewise.
    fn of_mean(range: Range) -> Meant {
        let margin = if range.low() < range.high() { 0.0 } else { MEAN_MARGIN };
        Meant::new((1.0 - margin) * range.low(), (1.0 + margin) * range.high())
    }

    /// The same with an error of its own.
    fn with_error(self, low: f64, high: f64, is_known: bool, differs: bool) -> Meant {
        Meant { allowed: (self.allowed.0.min(low), self.allowed.1.max(high)), is_known, differs, ..self }
    }

    /// Reproduced is what lies for certain within what is allowed, and not reproduced what differs.
    fn reproduced_by(&self, low: f64, high: f64) -> Reproduced {
        if self.differs && (high < self.same.0 || self.same.1 < low) {
            Reproduced::No
        } else if self.is_known && self.allowed.0 <= low && high <= self.allowed.1 {
            Reproduced::Yes
        } else {
            Reproduced::TooFew
        }
    }
}

fn nearest(range: Range, number: f64) -> f64 {
    number.clamp(range.low(), range.high())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;
    use crate::arena::{Arena, GAMES};

    const YES: Reproduced = Reproduced::Yes;
    const NO: Reproduced = Reproduced::No;
    const FEW: Reproduced = Reproduced::TooFew;

    fn said(what: Measure, low: f64, high: f64, games: u64) -> Published {
        let value = Range::new(low, high).expect("a range");
        Published { player: 0, what, value, games: NonZeroU64::new(games), source: "x".to_owned() }
    }

    #[test]
    fn words_name_rates_as_measures_do() {
        for (what, expected) in [
            ("win", true),
            ("reach 8", true),
            ("reach 131072", true),
            ("score", false),
            ("ms-per-move", false),
            ("ms-per-game", false),
        ] {
            assert_eq!(names_a_rate(what), expected, "{what}");
        }
    }

    /// Bounds in the comments are Wilson's at 95 %, computed elsewhere.
    #[test]
    fn a_rate_without_games_is_taken_as_printed() {
        #[track_caller]
        fn check(low: f64, high: f64, successes: u64, games: u64, expected: Reproduced) {
            let found = rate(&said(Measure::Win, low, high, 0), successes, games);
            assert_eq!(found.reproduced, expected, "{low} to {high}, {successes} of {games}: {found:?}");
        }

        // A single number stands for 5 points to each side.
        check(0.4, 0.4, 160, 400, YES); // 0.353 to 0.449
        check(0.4, 0.4, 173, 400, FEW); // 0.385 to 0.481
        check(0.4, 0.4, 204, 400, NO); // 0.461 to 0.559
        check(0.5, 0.5, 180, 400, FEW); // 0.402 to 0.499
        check(0.4, 0.4, 13, 30, FEW); // 0.274 to 0.608
        check(0.4, 0.4, 28, 30, NO); // 0.787 to 0.982
        check(0.2, 0.2, 29, 300, NO); // 0.068 to 0.135
        // More games make it surer, and do not refute what is near.
        check(0.4, 0.4, 17_200, 40_000, YES);
        check(0.4, 0.4, 18_400, 40_000, NO);
        // A range is what it says.
        check(0.7, 0.8, 268, 400, FEW); // 0.622 to 0.714
        check(0.7, 0.8, 256, 400, NO); // 0.592 to 0.686
        check(0.7, 0.8, 300, 400, YES); // 0.705 to 0.790
        check(0.7, 0.8, 30, 40, FEW); // 0.598 to 0.858
        check(0.6, 0.9, 30, 40, FEW);
        check(0.5, 0.9, 30, 40, YES);
        check(0.3, 1.0, 27, 200, NO); // 0.094 to 0.189
        check(0.125, 1.0, 4, 200, NO); // 0.008 to 0.050
        check(0.125, 1.0, 75, 200, YES); // 0.311 to 0.444
        // Small rates and large ones have less room to one side.
        check(0.01, 0.01, 0, 100, FEW); // 0 to 0.037
        check(0.01, 0.01, 4, 400, FEW); // 0.004 to 0.025
        check(0.01, 0.01, 40, 4000, YES); // 0.007 to 0.014
        check(0.01, 0.01, 0, 4000, NO); // 0 to 0.00096
        // What never happened is not reproduced.
        check(0.0001, 0.05, 0, 400, FEW); // 0 to 0.0095
        check(0.01, 1.0, 0, 24, FEW);
        check(0.01, 1.0, 10, 400, YES); // 0.014 to 0.045
        check(0.01, 1.0, 0, 400, NO);
        check(0.0, 0.05, 0, 400, YES);
        check(0.0, 0.0, 0, 400, YES);
        check(0.0, 0.0, 1, 400, YES); // 0.0004 to 0.014
        check(0.0, 0.0, 40, 400, NO);
        check(1.0, 1.0, 400, 400, YES);
        check(1.0, 1.0, 23, 24, FEW); // 0.798 to 0.993
        check(1.0, 1.0, 340, 400, NO);
        check(0.5, 0.5, 0, 0, FEW);
    }

    #[test]
    fn a_rate_with_games_has_an_error_of_its_own() {
        #[track_caller]
        fn check(low: f64, high: f64, theirs: u64, successes: u64, games: u64, expected: Reproduced) {
            let reach = Arena::find(GAMES, "2048").and_then(|arena| arena.measures().find("reach 2048"));
            let reach = reach.expect("a measure of 2048");
            let found = rate(&said(reach, low, high, theirs), successes, games);
            assert_eq!(found.reproduced, expected, "{low} to {high}, {successes} of {games}: {found:?}");
        }

        // 45 of 49 is 0.808 to 0.968, and 340 of 400 is 0.812 to 0.882.
        check(0.918, 0.918, 49, 340, 400, YES);
        check(0.918, 0.918, 49, 320, 400, NO); // differ by -0.183 to -0.002
        check(0.918, 0.918, 49, 330, 400, FEW); // 0.785 to 0.859, but differ by -0.158 to 0.023
        check(0.918, 0.918, 49, 85, 100, FEW); // 0.767 to 0.907
        // The example of Newcombe's paper: 0.052 to 0.334 between 56 of 70 and 48 of 80.
        check(0.6, 0.6, 80, 56, 70, NO);
        check(0.8, 0.8, 70, 48, 80, NO);
        // Of a range, the end that is nearer.
        check(0.7, 0.8, 1000, 256, 400, NO); // differ by -0.116 to -0.006
        check(0.7, 0.8, 1000, 270, 400, FEW); // by -0.080 to 0.028
        check(0.7, 0.8, 1000, 300, 400, YES);
        // Their games may be too few to be reproduced: 7 of 10 is 0.397 to 0.892, 19 of 29 is 0.473 to 0.801.
        check(0.7, 0.8, 10, 200, 400, FEW);
        check(0.7, 0.8, 10, 300, 400, FEW);
        check(0.7, 0.8, 10, 20, 400, NO);
        check(0.655, 0.655, 29, 262, 400, FEW);
        check(1.0, 1.0, 6, 400, 400, FEW); // 6 of 6 is 0.610 to 1
        check(1.0, 1.0, 10, 336, 400, FEW); // 10 of 10 is 0.722 to 1
        check(1.0, 1.0, 20, 370, 400, FEW); // 20 of 20 is 0.839 to 1
        check(1.0, 1.0, 22, 370, 400, YES); // 22 of 22 is 0.851 to 1
        check(0.0, 0.0, 22, 0, 400, YES);
        check(0.0, 0.0, 20, 0, 400, FEW);
        // Small rates have small margins, to both sides.
        check(0.01, 0.01, 10_000, 200, 4000, NO); // 0.044 to 0.057
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
        fn check(low: f64, high: f64, theirs: u64, scores: &Distribution, expected: Reproduced) {
            let found = mean(&said(Measure::Score, low, high, theirs), scores);
            assert_eq!(found.reproduced, expected, "{low} to {high}, {theirs}: {found:?}");
        }

        // Student's 95 % for 100 games and a standard deviation of 500 sqrt(100 / 99) are 99.711 to each side.
        let hundred = scores(500, 100);
        let measured = mean(&said(Measure::Score, 1000.0, 1000.0, 0), &hundred).measured.expect("many games");
        assert!((measured.high - 1099.711).abs() < 1e-3, "{measured:?}");
        // A single number stands for a tenth to each side: 900 to 1100, 909 to 1111, 1091 to 1333.
        check(1000.0, 1000.0, 0, &hundred, YES);
        check(1010.0, 1010.0, 0, &hundred, FEW);
        check(1212.0, 1212.0, 0, &hundred, FEW);
        check(1223.0, 1223.0, 0, &hundred, NO);
        check(800.0, 800.0, 0, &hundred, NO);
        // As many games there as here: theirs is known to 99.7 as well, and the difference to 141.013.
        check(1000.0, 1000.0, 100, &hundred, YES);
        check(1141.0, 1141.0, 100, &hundred, FEW);
        check(1223.0, 1223.0, 100, &hundred, NO);
        // So few games there say little: 10 leave 315, 12 leave 288, and three tenths are 300.
        check(1000.0, 1000.0, 10, &hundred, FEW);
        check(1000.0, 1000.0, 12, &hundred, YES);
        // A range is what it says.
        check(900.0, 1100.0, 0, &hundred, YES);
        check(1050.0, 1090.0, 0, &hundred, FEW);
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
        fn check(low: f64, high: f64, ms: Option<f64>, expected: Reproduced) {
            let found = time(&said(Measure::MsPerMove, low, high, 0), ms, true);
            let measured = ms.map(|ms| Estimate::unbounded(ms, LEVEL));
            assert_eq!(found, Reproduction { measured, reproduced: expected });
        }

        check(100.0, 100.0, Some(100.0), YES);
        check(100.0, 100.0, Some(90.5), YES);
        check(100.0, 100.0, Some(109.5), YES);
        check(100.0, 100.0, Some(89.5), NO);
        check(100.0, 100.0, Some(110.5), NO);
        check(0.0, 50.0, Some(0.001), YES);
        check(27_000.0, 28_000.0, Some(26_000.0), NO);
        check(27_000.0, 28_000.0, Some(27_500.0), YES);
        check(1.0, 1.0, None, FEW);
        let few = time(&said(Measure::MsPerGame, 100.0, 100.0, 0), Some(100.0), false);
        assert_eq!(few.reproduced, FEW);
    }

    #[test]
    fn numbers_are_shown_as_they_were_printed() {
        for number in ["0.7", "0.918", "64643", "0.05", "1", "27.5"] {
            let Cell::Real(number_read, decimals) = Cell::as_printed(number.parse().unwrap()) else {
                panic!()
            };
            assert_eq!(format!("{number_read:.decimals$}"), number);
        }
    }
}
