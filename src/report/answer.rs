//! A comparison in words: who is better, by how much, how sure that is; or how many games it would take to tell.

use super::comparison::{Comparison, Effect, Pairing, Shown};
use crate::config::what::What;
use crate::run::progress::grouped;
use crate::stats::Interval;
use crate::stats::power::{
    pairs_difference_shown, pairs_for_rates, pairs_for_ratio, ratio_shown, trials_for_rates,
};

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
            let more = more_games(comparison, worth).map_or_else(String::new, |more| format!("; {more}"));
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
fn headed(player: &str, than: &str, effect: Effect, by: What) -> String {
    let verb = if by.is_time() { "is faster than" } else { "beats" };
    format!("{player} {verb} {than}: {}", amount("it", effect, by))
}

/// By how much the first differs.
fn amount(who: &str, effect: Effect, by: What) -> String {
    let does = match by {
        What::Win => "wins".to_owned(),
        What::Reach(tile) => format!("reaches {tile} in"),
        What::Score => "scores".to_owned(),
        What::MsPerMove | What::MsPerGame => "takes".to_owned(),
    };
    match effect {
        Effect::Difference(interval) => {
            let more = if interval.estimate < 0.0 { "less" } else { "more" };
            let points = 100.0 * interval.estimate.abs();
            let points = format!("{points:.*}", decimals(100.0 * reach(interval)));
            let noun = if points == "1.0" { "point" } else { "points" };
            format!("{who} {does} {points} {noun} {more} of the games")
        }
        Effect::Ratio(interval) => {
            let ratio = interval.estimate;
            let of = if by.is_time() { " time of the processor a move" } else { "" };
            if (0.5..2.0).contains(&ratio) {
                let percent = 100.0 * (ratio - 1.0).abs();
                let percent = format!("{percent:.*}", decimals(100.0 * reach(interval)));
                format!("{who} {does} {percent} % {}{of}", if ratio < 1.0 { "less" } else { "more" })
            } else {
                let of = if by.is_time() { "much time of the processor a move" } else { "much" };
                format!("{who} {does} {} times as {of}", significant(ratio))
            }
        }
    }
}

/// How sure it is: interval, p, games.
fn detail(comparison: &Comparison, family: usize) -> impl Fn(Effect) -> String {
    let question = comparison.question;
    let p = comparison.adjusted.or(comparison.p).map(probability);
    let test = match (question.by, question.margin, question.sequential, comparison.pairing) {
        (_, None, true, Pairing::Paired(_)) => "anytime p",
        (What::Win | What::Reach(_), None, false, Pairing::Paired(_)) => "McNemar p",
        (What::Score, None, _, _) => "t-test p",
        _ => "p",
    };
    let p = p.map_or_else(String::new, |p| match family {
        1 => format!(", {test} {p}"),
        _ => format!(", {test} {p} corrected for {family} comparisons"),
    });
    let games = match (question.by.is_time(), comparison.pairing) {
        (true, _) => String::new(),
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
            Effect::Ratio(interval) if (0.5..2.0).contains(&interval.estimate) => {
                let decimals = decimals(100.0 * reach(interval));
                let percent = |ratio: f64| 100.0 * (ratio - 1.0);
                // Said of what is less, the bounds are of how much less.
                let (low, high) = match interval.estimate < 1.0 {
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
fn more_games(comparison: &Comparison, worth: Worth) -> Option<String> {
    let level = comparison.question.level;
    let (played, needed, shown, unit) = match (comparison.question.by, comparison.pairing) {
        (What::Win | What::Reach(_), Pairing::Paired(games)) => {
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
        (What::Win | What::Reach(_), Pairing::Independent(one, other)) => {
            let rate = comparison.values[1]?;
            let away = if rate + worth.rate < 1.0 { rate + worth.rate } else { rate - worth.rate };
            (one.min(other), trials_for_rates(rate, away, level, POWER), None, points(worth.rate))
        }
        (What::Score, Pairing::Paired(games)) => {
            let spread = comparison.spread.filter(|&spread| spread > 0.0)?;
            let needed = pairs_for_ratio(1.0 + worth.part, spread, level, POWER);
            let shown = ratio_shown(games, spread, level, POWER);
            (games, needed, Some(percent(shown - 1.0)), percent(worth.part))
        }
        _ => return None,
    };
    let more = needed.ceil() - played as f64;
    if more >= 1.0 && more.is_finite() {
        let more = grouped(round_up(more as u64));
        Some(format!("{more} more games of each would show one of {unit} in four of five cases"))
    } else {
        shown.map(|shown| format!("they would have shown one of {shown} in four of five cases"))
    }
}

/// The effect seen from the other side.
fn turned(effect: Effect) -> Effect {
    match effect {
        Effect::Difference(Interval { low, estimate, high, level }) => {
            Effect::Difference(Interval { low: -high, estimate: -estimate, high: -low, level })
        }
        Effect::Ratio(Interval { low, estimate, high, level }) => {
            Effect::Ratio(Interval { low: 1.0 / high, estimate: 1.0 / estimate, high: 1.0 / low, level })
        }
    }
}

fn reach(interval: Interval) -> f64 {
    (interval.high - interval.low) / 2.0
}

/// Digits after the point that are worth writing of what is known to about so much.
fn decimals(known_to: f64) -> usize {
    match known_to {
        known if known >= 0.2 => 1,
        known if known >= 0.02 => 2,
        _ => 3,
    }
}

/// A number to three digits.
fn significant(number: f64) -> String {
    let decimals = match number.abs() {
        large if large >= 100.0 => 0,
        large if large >= 10.0 => 1,
        small if small < 0.01 => 4,
        _ => 2,
    };
    format!("{number:.decimals$}")
}

/// A probability as people write it, with its sign of equality.
fn probability(p: f64) -> String {
    match p {
        p if p >= 0.995 => "= 1".to_owned(),
        p if p >= 0.1 => format!("= {p:.2}"),
        p if p >= 0.01 => format!("= {}", trimmed(format!("{p:.3}"))),
        p if p >= 0.001 => format!("= {}", trimmed(format!("{p:.4}"))),
        p if p >= 1e-15 => format!("= {p:.0e}"),
        _ => "< 1e-15".to_owned(),
    }
}

fn trimmed(number: String) -> String {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.').to_owned() } else { number }
}

fn points(rate: f64) -> String {
    let points = trimmed(format!("{:.2}", 100.0 * rate));
    format!("{points} point{}", if points == "1" { "" } else { "s" })
}

fn percent(part: f64) -> String {
    format!("{} %", trimmed(format!("{:.1}", 100.0 * part)))
}

fn level(level: f64) -> String {
    format!("{} %", trimmed(format!("{:.3}", 100.0 * level)))
}

fn tolerance(margin: f64, by: What) -> String {
    if by.is_rate() { points(margin) } else { percent(margin) }
}

/// Two digits are enough for a number of games that is a guess.
fn round_up(games: u64) -> u64 {
    let unit = 10_u64.pow(games.max(1).ilog10().saturating_sub(1));
    games.div_ceil(unit) * unit
}
