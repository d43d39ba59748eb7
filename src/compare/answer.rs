//! A comparison in words: who is better, by how much, how sure that is; or how many games it would take to tell.

use super::comparison::{Comparison, Effect, Pairing, Shown, UNBOUNDED};
use crate::measure::Measure;
use crate::stats::Estimate;
use crate::stats::power::{
    pairs_difference_shown, pairs_for_rates, pairs_for_ratio, ratio_shown, trials_for_rates,
};
use crate::text::{decimals, games, grouped, level, percent, points, probability, round_up, significant};

/// How often a difference that is there shall be seen, where games are counted for it.
pub const POWER: f64 = 0.8;

/// A difference that is worth knowing of, where nobody says otherwise: a share of all games, or a part of a score.
#[derive(Clone, Copy, Debug)]
pub struct Worth {
    /// Of rates.
    pub rate: f64,
    /// Of scores and times.
    pub part: f64,
}

impl Default for Worth {
    fn default() -> Worth {
        Worth { rate: 0.02, part: 0.05 }
    }
}

/// The answer to a comparison, which is one of so many that p is corrected for.
pub fn answer(comparison: &Comparison, family: usize, worth: Worth) -> String {
    let mut words = in_words(comparison, family, worth);
    if comparison.is_shifted {
        words += "; one point was added to every score, for some are 0";
    }
    if comparison.left_out > 0 {
        words += &format!("; {} on seeds of their own are left out", games(comparison.left_out));
    }
    words
}

fn in_words(comparison: &Comparison, family: usize, worth: Worth) -> String {
    let Comparison { player, than, question, .. } = comparison;
    let Some(effect) = comparison.effect else {
        return format!("too little is known to compare {player} and {than} by {}", question.by);
    };
    let detail = detail(comparison, family);
    let margin = question.margin.map(|margin| tolerance(margin, question.by));
    match (comparison.shown(), margin) {
        (Shown::Yes, None) => format!("{} {}", headed(player, than, effect, question.by), detail(effect)),
        (Shown::Yes, Some(margin)) => format!(
            "{player} is at least as good as {than}, give or take {margin}: {} {}",
            amount("it", effect, question.by),
            detail(effect)
        ),
        (Shown::Opposite, None) => {
            let effect = turned(effect);
            format!("{} {}", headed(than, player, effect, question.by), detail(effect))
        }
        (Shown::Opposite, Some(margin)) => format!(
            "{player} is worse than {than}, by more than {margin}: {} {}",
            amount("it", effect, question.by),
            detail(effect)
        ),
        (Shown::Nothing, None) if comparison.is_same() => {
            format!(
                "no difference shown between {player} and {than}: by {}, they did the same on every seed {}",
                question.by,
                detail(effect)
            )
        }
        (Shown::Nothing, None) => {
            let more =
                more_games(comparison, family, worth).map_or_else(String::new, |more| format!("; {more}"));
            format!(
                "no difference shown between {player} and {than}: {} {}{more}",
                amount(player, effect, question.by),
                detail(effect)
            )
        }
        (Shown::Nothing, Some(margin)) => format!(
            "not shown that {player} is at least as good as {than}, give or take {margin}: {} {}",
            amount("it", effect, question.by),
            detail(effect)
        ),
    }
}

/// Who is better than whom, and by how much.
fn headed(player: &str, than: &str, effect: Effect, by: Measure) -> String {
    let verb = if by.is_time() { "is faster than" } else { "beats" };
    format!("{player} {verb} {than}: {}", amount("it", effect, by))
}

/// By how much the first differs.
fn amount(who: &str, effect: Effect, by: Measure) -> String {
    match effect {
        Effect::Difference(interval) => {
            let does = match by {
                Measure::Reach(reach) => format!("reaches {} in", reach.value()),
                _ => "wins".to_owned(),
            };
            let more = if interval.value < 0.0 { "fewer" } else { "more" };
            let points = 100.0 * interval.value.abs();
            let points = format!("{points:.*}", decimals(100.0 * reach(interval)));
            let noun = if points == "1.0" { "point" } else { "points" };
            format!("{who} {does} {points} {noun} {more} of the games")
        }
        Effect::Ratio(interval) => {
            let ratio = interval.value;
            let is_near = (0.5..2.0).contains(&ratio);
            let percent = format!("{:.*}", decimals(100.0 * reach(interval)), 100.0 * (ratio - 1.0).abs());
            let times = significant(ratio);
            match (by.is_time(), is_near) {
                (true, true) => {
                    format!(
                        "{who} takes {percent} % {} CPU time for a move",
                        if ratio < 1.0 { "less" } else { "more" }
                    )
                }
                (true, false) => format!("{who} takes {times} times the CPU time for a move"),
                // The mean of logarithms, that is; the means of the tables may differ by more or less.
                (false, true) => {
                    let higher = if ratio < 1.0 { "lower" } else { "higher" };
                    format!("{who} has scores typically {percent} % {higher}")
                }
                (false, false) => format!("{who} has scores typically {times} times as high"),
            }
        }
    }
}

/// How sure it is: interval, p, games.
fn detail(comparison: &Comparison, family: usize) -> impl Fn(Effect) -> String {
    let question = comparison.question;
    let p = comparison.adjusted.or(comparison.p).map(probability);
    let test = match (question.by, question.margin, question.sequential, comparison.pairing) {
        (_, _, true, Pairing::Paired(_)) => "anytime p",
        (Measure::Win | Measure::Reach(_), None, false, Pairing::Paired(_)) => "McNemar p",
        (Measure::Score, None, _, _) => "t-test p",
        _ => "p",
    };
    let p = p.map_or_else(String::new, |p| match family {
        1 => format!(", {test} {p}"),
        _ => format!(", {test} {p} corrected for {family} comparisons"),
    });
    let games = match (question.by.is_time(), comparison.pairing) {
        (true, _) => String::new(),
        (false, Pairing::Paired(1)) => ", 1 paired seed".to_owned(),
        (false, Pairing::Paired(games)) => format!(", {} paired seeds", grouped(games)),
        (false, Pairing::Independent(one, other)) if one == other => {
            format!(", {} games of each on seeds of their own", grouped(one))
        }
        (false, Pairing::Independent(one, other)) => {
            format!(", {} and {} games on seeds of their own", grouped(one), grouped(other))
        }
    };
    let level = level(question.level);
    move |effect| {
        let within = match effect {
            Effect::Difference(interval) => {
                let decimals = decimals(100.0 * reach(interval));
                format!("{:.decimals$} to {:.decimals$}", 100.0 * interval.low, 100.0 * interval.high)
            }
            Effect::Ratio(interval) if interval.high >= UNBOUNDED => "of any size".to_owned(),
            Effect::Ratio(interval) if (0.5..2.0).contains(&interval.value) => {
                let decimals = decimals(100.0 * reach(interval));
                let percent = |ratio: f64| 100.0 * (ratio - 1.0);
                // Said of what is less, the bounds are of how much less.
                let (low, high) = match interval.value < 1.0 {
                    true => (-percent(interval.high), -percent(interval.low)),
                    false => (percent(interval.low), percent(interval.high)),
                };
                format!("{low:.decimals$} to {high:.decimals$} %")
            }
            Effect::Ratio(interval) => {
                format!("{} to {}", significant(interval.low), significant(interval.high))
            }
        };
        format!("({level} interval {within}{p}{games})")
    }
}

/// How many more games would show a difference that is worth it, or which one these would have shown.
fn more_games(comparison: &Comparison, family: usize, worth: Worth) -> Option<String> {
    // A run that ended itself is not to be gone on with; and of several comparisons each must be the surer.
    if comparison.question.sequential {
        return None;
    }
    let level = 1.0 - (1.0 - comparison.question.level) / family as f64;
    let (played, needed, shown, unit) = match (comparison.question.by, comparison.pairing) {
        (Measure::Win | Measure::Reach(_), Pairing::Paired(games)) => {
            let pairs = comparison.pairs?;
            let differ = pairs.discordant() as f64 / games as f64;
            if differ == 0.0 {
                return None;
            }
            let either = differ.max(worth.rate);
            let needed =
                pairs_for_rates((either + worth.rate) / 2.0, (either - worth.rate) / 2.0, level, POWER);
            let shown = pairs_difference_shown(differ, games, level, POWER);
            (games, needed, shown.map(points), points(worth.rate))
        }
        (Measure::Win | Measure::Reach(_), Pairing::Independent(one, other)) => {
            let rate = comparison.values[1]?;
            let away = if rate + worth.rate < 1.0 { rate + worth.rate } else { rate - worth.rate };
            (one.min(other), trials_for_rates(rate, away, level, POWER), None, points(worth.rate))
        }
        (Measure::Score, pairing) => {
            let spread = comparison.spread.filter(|&spread| spread > 0.0)?;
            let games = match pairing {
                Pairing::Paired(games) => games,
                Pairing::Independent(one, other) => one.min(other),
            };
            let shown = ratio_shown(games, spread, level, POWER);
            let needed = pairs_for_ratio(1.0 + worth.part, spread, level, POWER);
            (games, needed, Some(percent(shown - 1.0)), percent(worth.part))
        }
        (Measure::MsPerMove | Measure::MsPerGame, _) => return None,
    };
    let more = needed.ceil() - played as f64;
    if more >= 1.0 && more.is_finite() {
        let more = grouped(round_up(more as u64));
        Some(format!("{more} more games of each would show a difference of {unit} with a power of 80 %"))
    } else {
        shown.map(|shown| format!("so many games show a difference of {shown} with a power of 80 %"))
    }
}

/// The effect seen from the other side.
fn turned(effect: Effect) -> Effect {
    match effect {
        Effect::Difference(Estimate { value, low, high, level }) => {
            Effect::Difference(Estimate { value: -value, low: -high, high: -low, level })
        }
        Effect::Ratio(Estimate { value, low, high, level }) => {
            Effect::Ratio(Estimate { value: 1.0 / value, low: 1.0 / high, high: 1.0 / low, level })
        }
    }
}

fn reach(interval: Estimate) -> f64 {
    (interval.high - interval.low) / 2.0
}

/// How much worse is still as good.
fn tolerance(margin: f64, by: Measure) -> String {
    if by.is_rate() { points(margin) } else { percent(margin) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{Arena, GAMES};
    use crate::compare::comparison::Question;
    use crate::stats::Pairs;

    fn within(low: f64, value: f64, high: f64) -> Estimate {
        Estimate { value, low, high, level: 0.95 }
    }

    fn comparison(by: Measure, effect: Effect, p: f64, margin: Option<f64>) -> Comparison {
        Comparison {
            player: "A".to_owned(),
            than: "B".to_owned(),
            question: Question { by, level: 0.95, margin, sequential: false },
            pairing: Pairing::Paired(1000),
            values: [Some(0.5), Some(0.4)],
            effect: Some(effect),
            p: Some(p),
            adjusted: None,
            pairs: Some(Pairs { both: 400, only_first: 150, only_second: 100, neither: 350 }),
            spread: Some(0.6),
            is_shifted: false,
            left_out: 0,
            decided: None,
            ranks: None,
        }
    }

    #[track_caller]
    fn check(comparison: &Comparison, family: usize, expected: &str) {
        assert_eq!(answer(comparison, family, Worth::default()), expected);
    }

    #[test]
    fn rates_in_words() {
        let more = Effect::Difference(within(0.029, 0.041, 0.053));
        let reach = Arena::find(GAMES, "2048").and_then(|arena| arena.measures().find("reach 2048"));
        let reach = reach.expect("a measure of 2048");
        check(
            &comparison(reach, more, 2e-9, None),
            1,
            "A beats B: it reaches 2048 in 4.1 points more of the games (95 % interval 2.9 to 5.3, McNemar p = 2e-9, \
             1,000 paired seeds)",
        );
        check(
            &comparison(Measure::Win, turned(more), 0.0123, None),
            6,
            "B beats A: it wins 4.1 points more of the games (95 % interval 2.9 to 5.3, McNemar p = 0.012 corrected for \
             6 comparisons, 1,000 paired seeds)",
        );
        // Connor's formula with a quarter of the games discordant: 4,902 pairs for 2 points.
        check(
            &comparison(Measure::Win, Effect::Difference(within(-0.012, -0.002, 0.008)), 0.7, None),
            1,
            "no difference shown between A and B: A wins 0.2 points fewer of the games (95 % interval -1.2 to 0.8, \
             McNemar p = 0.70, 1,000 paired seeds); 4,000 more games of each would show a difference of 2 points with a \
             power of 80 %",
        );
        check(
            &comparison(Measure::Win, Effect::Difference(within(-0.004, 0.001, 0.006)), 0.01, Some(0.0125)),
            1,
            "A is at least as good as B, give or take 1.25 points: it wins 0.1 points more of the games (95 % interval \
             -0.4 to 0.6, p = 0.01, 1,000 paired seeds)",
        );
        check(
            &comparison(Measure::Win, Effect::Difference(within(-0.094, -0.09, -0.086)), 0.001, Some(0.01)),
            1,
            "A is worse than B, by more than 1 point: it wins 9.0 points fewer of the games (95 % interval -9.4 to -8.6, \
             p = 0.001, 1,000 paired seeds)",
        );
    }

    #[test]
    fn scores_and_times_in_words() {
        check(
            &comparison(Measure::Score, Effect::Ratio(within(1.1, 1.12, 1.14)), 1e-20, None),
            1,
            "A beats B: it has scores typically 12.0 % higher (95 % interval 10.0 to 14.0 %, t-test p < 1e-11, 1,000 \
             paired seeds)",
        );
        check(
            &comparison(Measure::Score, Effect::Ratio(within(0.3, 0.4, 0.5)), 0.01, None),
            1,
            "B beats A: it has scores typically 2.50 times as high (95 % interval 2.00 to 3.33, t-test p = 0.01, 1,000 \
             paired seeds)",
        );
        // Less time is better.
        let mut time = comparison(Measure::MsPerMove, Effect::Ratio(within(0.6, 0.65, 0.7)), 0.001, None);
        time.pairing = Pairing::Independent(1000, 500);
        check(
            &time,
            1,
            "A is faster than B: it takes 35.0 % less CPU time for a move (95 % interval 30.0 to 40.0 %, p = 0.001)",
        );
        time.effect = None;
        check(&time, 1, "too little is known to compare A and B by ms-per-move");
    }

    #[test]
    fn what_must_be_known_is_said() {
        let mut scores = comparison(Measure::Score, Effect::Ratio(within(1e-9, 1.0, 1e9)), 1.0, None);
        scores.spread = None;
        scores.is_shifted = true;
        scores.left_out = 7;
        scores.pairing = Pairing::Paired(1);
        scores.question.level = 0.999_999;
        check(
            &scores,
            1,
            "no difference shown between A and B: A has scores typically 0.0 % higher (99.9999 % interval of any size, \
             t-test p = 1, 1 paired seed); one point was added to every score, for some are 0; 7 games on seeds of their \
             own are left out",
        );
    }
}
