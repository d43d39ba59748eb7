//! Words about published numbers.

use gauntlet_core::measure::Quantity;
use gauntlet_core::text::{
    capital, decimals, duration, games, grouped, grouped_real, percent, probability, round_up,
};
use gauntlet_stats::{Estimate, never_above};

use super::phrases::{corrected_for, p_value};
use crate::compare::published::JudgedNumber;
use crate::compare::published::verdict::{MOST_GAMES, PublishedVerdict};
use crate::config::published::{PublishedNumber, PublishedValue, Statistic};

/// Risk that an event with a rate above the bound never happens.
const UNSEEN: f64 = 0.025;

/// Reason for naming no number of further games.
const TOO_FEW_TO_COUNT: &str = "too few games were played to estimate how many would decide";

/// Assumption about a published number without a number of games.
const AS_EXACT: &str = "without a number of games, the published number is taken as exact";

/// Assumption behind every estimate of further games.
const ALIKE: &str = "that results stay the same";

impl JudgedNumber<'_> {
    /// Returns both numbers in a line, and what decides the verdict.
    pub(crate) fn answer(&self) -> String {
        let what = self.published.what;
        let measured = self.measured().map_or_else(String::new, |measured| format!(", measured {measured}"));
        let more = self.in_short().map_or_else(String::new, |more| format!("; {more}"));
        format!("{} {what}: published {}{measured}{more}", self.player, self.printed())
    }

    /// Formats the measured number, as "96.0 % [93.6, 97.5] in 400 games".
    fn measured(&self) -> Option<String> {
        let found = self.found.estimate?;
        let played = games(self.tally.games);
        if self.published.what.is_time() {
            return Some(duration(found.value));
        }
        if matches!(self.verdict, PublishedVerdict::Seen | PublishedVerdict::NotSeen) {
            return None;
        }
        if self.published.statistic == Statistic::Typical {
            let values = match self.published.what {
                Quantity::Score => &self.tally.scores,
                Quantity::Moves => &self.tally.lengths,
                _ => return None,
            };
            let values = Some(values).filter(|values| values.count() > 0)?;
            let quarter = |of: u64| values.ranked((values.count() - 1) * of / 4);
            let (low, high) = quarter(1).zip(quarter(3))?;
            return Some(format!("{} to {} in the middle half of {played}", grouped(low), grouped(high)));
        }
        let kind = if self.published.statistic == Statistic::Median { "a median of " } else { "" };
        let unit = if self.published.what.is_rate() { " %" } else { "" };
        let bounds =
            found.bounds().map(|(low, high)| format!(" [{}, {}]", self.number(low), self.number(high)));
        Some(format!("{kind}{}{unit}{} in {played}", self.number(found.value), bounds.unwrap_or_default()))
    }

    /// Returns what decides the verdict, in a few words.
    fn in_short(&self) -> Option<String> {
        let more =
            |more: Option<u64>| more.map(|more| format!("about {} more games would decide", rough(more)));
        match self.verdict {
            _ if self.skipped.is_some() => self.skipped_in_words(),
            _ if self.tally.out_of_time > 0 => Some("max_seconds cut some games".to_owned()),
            PublishedVerdict::Reproduced => self.within(),
            PublishedVerdict::Close => Some(format!("{}, but {}", self.within()?, self.holm()?)),
            PublishedVerdict::Contradicted => self.holm(),
            PublishedVerdict::Compatible { .. } => Some(match self.published.games {
                Some(_) => "the source has too few games".to_owned(),
                None => "the source gives no number of games".to_owned(),
            }),
            PublishedVerdict::OfUnknownGames { from: Some(from) } => {
                Some(format!("differs if the source played at least {}", games(from)))
            }
            PublishedVerdict::OfUnknownGames { from: None } => {
                Some("the source gives no number of games".to_owned())
            }
            PublishedVerdict::TooFew { more: some, .. } => {
                more(some).or_else(|| Some("too few games here".to_owned()))
            }
            PublishedVerdict::OnTheEdge { .. } => {
                Some("the interval includes an end of the margin".to_owned())
            }
            PublishedVerdict::NotJudged => self.ratio(),
            PublishedVerdict::Seen => Some(self.seen()),
            PublishedVerdict::NotSeen => {
                // Rounded up, so that all rates above it are excluded.
                let bound = (1e4 * never_above(self.tally.games, UNSEEN)).ceil() / 1e4;
                Some(format!(
                    "not seen in {}; rates above {} are excluded at {} (one-sided, exact)",
                    games(self.tally.games),
                    percent(bound),
                    percent(1.0 - UNSEEN)
                ))
            }
        }
    }

    /// Says why there are no games, if the player was skipped.
    fn skipped_in_words(&self) -> Option<String> {
        self.skipped.map(|why| format!("the player was skipped: {why}"))
    }

    /// Names the values that the measured interval is within.
    fn within(&self) -> Option<String> {
        Some(match self.printed_range()?.is_single() {
            true => format!("within the margin, {}", self.of_margin(self.found.case.as_ref()?.meant())),
            false => "within the published range".to_owned(),
        })
    }

    /// Formats p with the number of published numbers that it is corrected for.
    fn holm(&self) -> Option<String> {
        self.tested.map(|(_, adjusted, family)| p_value(adjusted, "", family, None))
    }

    /// Returns what the short answer omits, in sentences: the reason of the verdict, what more
    /// games would show, and the source.
    pub(crate) fn explanation(&self) -> String {
        let PublishedNumber { source, note, .. } = self.published;
        let corrected = corrected_for(self.earlier).filter(|_| self.found.case.is_some());
        let corrected = corrected.map(|corrected| format!("the interval and p are {corrected}"));
        let seen = self.extended_from.filter(|_| self.verdict != PublishedVerdict::NotJudged);
        let added = seen.map(|seen| format!("games were added after the first {}", grouped(seen)));
        let sentences = [self.because(), note.clone(), corrected, added, Some(format!("source: {source}"))];
        let sentence = |said: String| capital(said.trim_end_matches('.')) + ".";
        sentences.into_iter().flatten().map(sentence).collect::<Vec<_>>().join(" ")
    }

    /// Formats the published number, as "86.2 % of 29 games".
    fn printed(&self) -> String {
        let PublishedNumber { what, statistic, value, games: theirs, .. } = self.published;
        let PublishedValue::Number(range) = value else { return "some games".to_owned() };
        let number = |number: f64| match what {
            _ if what.is_rate() => percent(number).trim_end_matches(" %").to_owned(),
            _ if what.is_time() => duration(number),
            _ => grouped_real(number, number.to_string().split_once('.').map_or(0, |(_, rest)| rest.len())),
        };
        let unit = if what.is_rate() { " %" } else { "" };
        let number = match range.is_single() {
            true => number(range.low()) + unit,
            false if what.is_time() && range.low() == 0.0 => format!("up to {}", number(range.high())),
            false => format!("{} to {}{unit}", number(range.low()), number(range.high())),
        };
        let number = match statistic {
            Statistic::Mean => number,
            Statistic::Median => format!("a median of {number}"),
            Statistic::Typical => format!("typically {number}"),
        };
        match theirs {
            Some(theirs) if !what.is_time() => format!("{number} in {}", games(theirs.get())),
            _ => number,
        }
    }

    /// Gives the reason for the verdict, in one or two sentences without the last period.
    fn because(&self) -> Option<String> {
        if self.skipped.is_some() {
            return self.skipped_in_words();
        }
        if self.tally.out_of_time > 0 {
            return Some(format!(
                "{} of these games were cut by max_seconds",
                grouped(self.tally.out_of_time)
            ));
        }
        if self.published.statistic == Statistic::Typical {
            return self.typically();
        }
        let theirs = || self.published.games.map(|theirs| games(theirs.get()));
        Some(match self.verdict {
            PublishedVerdict::Reproduced => match theirs() {
                Some(theirs) => format!("{theirs} at the source determine its number to within the margin"),
                None => AS_EXACT.to_owned(),
            },
            PublishedVerdict::Close => {
                let difference = "the difference is significant, but smaller than the margin";
                match theirs() {
                    Some(_) => difference.to_owned(),
                    None => format!("{difference}. {}", capital(AS_EXACT)),
                }
            }
            PublishedVerdict::Contradicted => {
                format!("the interval does not overlap {}; {}", self.margin()?, self.tested()?)
            }
            PublishedVerdict::OfUnknownGames { from } => {
                let even = format!("; even {} at the source would not contradict it", games(MOST_GAMES));
                let even = if from.is_some() { String::new() } else { even };
                let margin = self.margin()?;
                format!(
                    "the interval does not overlap {margin}{even}. If the published number is exact, {}",
                    self.tested()?
                )
            }
            PublishedVerdict::Compatible { is_within: true } => {
                format!(
                    "the published number comes from only {}, so it is not known to within the margin",
                    theirs()?
                )
            }
            PublishedVerdict::Compatible { is_within: false } => {
                format!(
                    "with {} at the source, the difference is not significant: {}",
                    theirs()?,
                    self.tested()?
                )
            }
            PublishedVerdict::TooFew { more, is_outside: true } => {
                format!(
                    "the interval does not overlap {}, but {}. {}",
                    self.margin()?,
                    self.tested()?,
                    bring(more)
                )
            }
            PublishedVerdict::TooFew { more: Some(_), is_outside: false } => format!(
                "the interval is neither inside nor outside {}. The estimate of further games assumes {ALIKE}",
                self.margin()?
            ),
            PublishedVerdict::TooFew { more: None, is_outside: false } => TOO_FEW_TO_COUNT.to_owned(),
            PublishedVerdict::OnTheEdge { more } => {
                let more = match more {
                    Some(more) => format!("About {} more games would decide, assuming {ALIKE}", rough(more)),
                    None => format!("Even {} would not decide, assuming {ALIKE}", games(MOST_GAMES)),
                };
                format!("{} ends inside the interval. {more}", self.margin()?)
            }
            PublishedVerdict::Seen | PublishedVerdict::NotSeen => return None,
            PublishedVerdict::NotJudged => "times on different machines are not compared".to_owned(),
        })
    }

    /// Gives the reason for a verdict on a typical value.
    fn typically(&self) -> Option<String> {
        Some(match self.verdict {
            PublishedVerdict::Reproduced => "the published value is in the middle half of the games".to_owned(),
            PublishedVerdict::OfUnknownGames { .. } => {
                format!("the published value is outside the middle half of the games, {}", self.tested()?)
            }
            PublishedVerdict::TooFew { more, is_outside: true } => {
                let tested = self.tested()?;
                format!("the published value is outside the middle half of the games, but {tested}. {}", bring(more))
            }
            PublishedVerdict::TooFew { more: Some(_), is_outside: false } => format!(
                "the published value is near an end of the middle half of the games. The estimate of further games assumes {ALIKE}"
            ),
            PublishedVerdict::OnTheEdge { .. } => {
                "the published value is so near an end of the middle half of the games that more games would hardly decide"
                    .to_owned()
            }
            _ => TOO_FEW_TO_COUNT.to_owned(),
        })
    }

    /// Says how often the event happened.
    fn seen(&self) -> String {
        let verb = if self.published.what == Quantity::Win { "won" } else { "reached in" };
        format!("{verb} {} of {}", grouped(self.found.successes), games(self.tally.games))
    }

    /// Formats the time here as a multiple of the published time.
    fn ratio(&self) -> Option<String> {
        let range = self.printed_range()?;
        let ms = self.found.estimate?.value;
        let nearest = range.nearest(ms);
        Some(if nearest == ms {
            "different machines; within the published range".to_owned()
        } else if nearest == 0.0 {
            "different machines".to_owned()
        } else {
            format!("different machines; {} times the published time", two_digits(ms / nearest))
        })
    }

    /// Formats the values that are equal for all practical purposes, as "the margin (81.6 to 90.5
    /// %)".
    fn margin(&self) -> Option<String> {
        let range = self.printed_range()?;
        Some(if range.is_single() {
            format!("the margin ({})", self.of_margin(self.found.case.as_ref()?.meant()))
        } else {
            "the published range".to_owned()
        })
    }

    /// Formats the p and the p corrected for its family.
    fn tested(&self) -> Option<String> {
        let (p, adjusted, family) = self.tested?;
        let (alone, corrected) = (in_two_digits(p), in_two_digits(adjusted));
        Some(match family {
            1 => format!("p {}", probability(p)),
            _ if alone == corrected => format!("p {corrected} (Holm over {family})"),
            _ => {
                format!("p {corrected} (Holm over {family}; uncorrected {})", alone.trim_start_matches("= "))
            }
        })
    }

    /// Formats a margin with its own number of digits: its ends are exact, and the interval of the
    /// measured number does not limit their precision.
    fn of_margin(&self, (low, high): (f64, f64)) -> String {
        if !self.published.what.is_rate() {
            let half = (high - low) / 2.0;
            let decimals = if half >= 2.0 { 0 } else { decimals(half) };
            return format!("{} to {}", grouped_real(low, decimals), grouped_real(high, decimals));
        }
        // Two significant digits of the distance from 0 or 100 %, except for an end at 0 or 100 %.
        let apart =
            [low, high].map(|end| 100.0 * end.min(1.0 - end)).into_iter().filter(|&apart| apart > 0.0);
        let least = apart.fold(10.0, f64::min);
        let decimals = (1.0 - libm::log10(least).floor()).clamp(1.0, 6.0) as usize;
        format!("{:.decimals$} to {:.decimals$} %", 100.0 * low, 100.0 * high)
    }

    /// Formats a number without its unit, to the digits that the interval of the measured one
    /// justifies.
    fn number(&self, number: f64) -> String {
        let known_to = self.found.estimate.map_or(f64::INFINITY, Estimate::half_width);
        if self.published.what.is_rate() {
            let decimals = decimals(100.0 * known_to);
            return format!("{:.decimals$}", 100.0 * number);
        }
        let decimals = if known_to >= 2.0 { 0 } else { decimals(known_to) };
        grouped_real(number, decimals)
    }
}

/// Returns a sentence on how many further games would make p small enough.
fn bring(more: Option<u64>) -> String {
    more.map_or_else(
        || capital(TOO_FEW_TO_COUNT),
        |more| format!("About {} more games would bring p to 0.05, assuming {ALIKE}", rough(more)),
    )
}

/// Formats a p with a leading `=` or `<`, for use next to another p.
fn in_two_digits(p: f64) -> String {
    if (2e-12..0.001).contains(&p) { format!("= {p:.1e}") } else { probability(p) }
}

/// Formats a ratio to two digits.
fn two_digits(ratio: f64) -> String {
    let decimals = (1.0 - libm::log10(ratio).floor()).clamp(0.0, 9.0) as usize;
    format!("{ratio:.decimals$}")
}

/// Formats an estimated number of games.
fn rough(number: u64) -> String {
    grouped(round_up(number))
}
