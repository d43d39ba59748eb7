//! The sentence on each published number.

use gauntlet_core::measure::Quantity;
use gauntlet_core::text::{decimals, duration, games, grouped, grouped_real, percent, probability, round_up};
use gauntlet_run::tally::Tally;
use gauntlet_stats::{Estimate, never_above};

use super::super::growth::corrected_for;
use super::verdict::{Found, MOST_GAMES, PublishedVerdict};
use crate::config::published::{ClosedRange, PublishedNumber, PublishedValue, Statistic};

/// Risk that an event with a rate above the bound never happens.
const UNSEEN: f64 = 0.025;

/// Reason for naming no number of further games.
const TOO_FEW_TO_COUNT: &str = "too few were played here to say how many would decide";

/// A judged published number: a row and the parts of its sentence.
pub(super) struct PublishedWords<'a> {
    pub(super) player: &'a str,
    pub(super) published: &'a PublishedNumber,
    pub(super) tally: &'a Tally,
    pub(super) found: Found<'a>,
    /// The p, the p corrected for its family, and the size of the family.
    pub(super) tested: Option<(f64, f64, usize)>,
    pub(super) verdict: PublishedVerdict,
    pub(super) planned_games: Option<u64>,
    pub(super) extended_from: Option<u64>,
    /// Number of earlier answers, from other numbers of games.
    pub(super) earlier: usize,
}

impl PublishedWords<'_> {
    /// Returns the published range, if the number is a range.
    pub(super) fn printed_range(&self) -> Option<ClosedRange> {
        if let PublishedValue::Number(range) = self.published.value { Some(range) } else { None }
    }

    /// Returns both numbers in a line, and what decides the verdict.
    pub(super) fn answer(&self) -> String {
        let what = self.published.what;
        let measured = self.measured().map_or_else(String::new, |measured| format!(", measured {measured}"));
        let more = self.in_short().map_or_else(String::new, |more| format!("; {more}"));
        format!("{} {what}: published {}{measured}{more}", self.player, self.printed())
    }

    /// Formats the measured number, as "96.0 % [93.6, 97.5] in 400 games".
    fn measured(&self) -> Option<String> {
        let found = self.found.estimate?;
        let is_plain = self.published.statistic != Statistic::Typical && !self.published.what.is_time();
        let Some((low, high)) = found.bounds().filter(|_| is_plain) else {
            return self.here();
        };
        let ((value, unit), (low, _), (high, _)) =
            (self.number(found.value), self.number(low), self.number(high));
        let kind = if self.published.statistic == Statistic::Median { "a median of " } else { "" };
        (!matches!(self.verdict, PublishedVerdict::Seen | PublishedVerdict::NotSeen))
            .then(|| format!("{kind}{value}{unit} [{low}, {high}] in {}", games(self.tally.games)))
    }

    /// Returns what decides the verdict, in a few words.
    fn in_short(&self) -> Option<String> {
        let more =
            |more: Option<u64>| more.map(|more| format!("some {} more games would decide", rough(more)));
        match self.verdict {
            _ if self.tally.out_of_time > 0 => Some("max_seconds cut some games".to_owned()),
            PublishedVerdict::Reproduced => self.within(),
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
            PublishedVerdict::OnTheEdge { .. } => Some("at the end of the margin".to_owned()),
            PublishedVerdict::NotJudged => self.ratio(),
            PublishedVerdict::Seen | PublishedVerdict::NotSeen => self.because(),
        }
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
        let (_, adjusted, family) = self.tested?;
        let holm = if family > 1 { format!(" (Holm over {family})") } else { String::new() };
        Some(format!("p {}{holm}", probability(adjusted)))
    }

    /// Explains the verdict in full sentences.
    pub(super) fn explanation(&self) -> String {
        let verdict = self.verdict;
        let PublishedNumber { what, source, note, .. } = self.published;
        let mut text = format!("{}, {what}: {}", self.player, self.printed());
        let because = self.because();
        let here = self.here().map(|here| format!("here {here}"));
        for part in [self.only_if(), here, because].into_iter().flatten().chain(note.clone()) {
            text += &format!("; {part}");
        }
        if let (Some(seen), false) = (self.extended_from, verdict == PublishedVerdict::NotJudged) {
            text += &format!("; games were added when the first {} had been seen", grouped(seen));
        }
        if let (Some(corrected), true) = (corrected_for(self.earlier), self.found.case.is_some()) {
            text += &format!("; {corrected}");
        }
        format!("{text} ({source})")
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

    /// Formats the measured number for a sentence, as "96.0 % (93.6 to 97.5 %) in 400 games".
    fn here(&self) -> Option<String> {
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
            return Some(format!("the central half of {played} has {} to {}", grouped(low), grouped(high)));
        }
        let kind = if self.published.statistic == Statistic::Median { "a median of " } else { "" };
        let within = found.bounds().map(|bounds| format!(" ({})", self.range(bounds)));
        let (number, unit) = self.number(found.value);
        Some(format!("{kind}{number}{unit}{} in {played}", within.unwrap_or_default()))
    }

    /// Says from how many games on a published number without games would contradict the
    /// measurement.
    fn only_if(&self) -> Option<String> {
        let PublishedVerdict::OfUnknownGames { from } = self.verdict else { return None };
        if self.tally.out_of_time > 0 || self.published.statistic == Statistic::Typical {
            return None;
        }
        let only = match from {
            Some(from) => format!("would contradict ours only if it rested on at least {}", games(from)),
            None => format!("would not contradict ours even if it rested on {}", games(MOST_GAMES)),
        };
        Some(format!("{only}, and does not say on how many"))
    }

    /// Gives the reason for the verdict.
    fn because(&self) -> Option<String> {
        if self.tally.out_of_time > 0 {
            return Some(format!("max_seconds cut {} of these games", grouped(self.tally.out_of_time)));
        }
        if self.published.statistic == Statistic::Typical {
            return self.typically();
        }
        let theirs = self.published.games.map(|theirs| games(theirs.get()));
        let of_theirs = theirs.as_deref().unwrap_or("unknown games");
        let margin = || self.margin();
        let p = self.tested();
        Some(match self.verdict {
            PublishedVerdict::Reproduced => match theirs {
                Some(theirs) => {
                    format!("all of that lies within {}, and {theirs} are enough to say so", margin()?)
                }
                None => format!("all of that lies within {}", margin()?),
            },
            PublishedVerdict::Contradicted => format!("none of that lies within {}, and {}", margin()?, p?),
            PublishedVerdict::OfUnknownGames { .. } => {
                format!("none of that lies within {}; taken as exact it has {}", margin()?, p?)
            }
            PublishedVerdict::Compatible { is_within: true } => {
                format!(
                    "all of that lies within {}, but {of_theirs} are too few to know that number to its margin",
                    margin()?
                )
            }
            PublishedVerdict::Compatible { is_within: false } => {
                format!("{of_theirs} do not contradict that ({}), and are too few to say more", p?)
            }
            PublishedVerdict::TooFew { more, is_outside: true } => {
                let more = bring(more);
                format!("none of that lies within {}, but {}; {more}", margin()?, p?)
            }
            PublishedVerdict::TooFew { more: Some(more), is_outside: false } => {
                let (more, margin) = (rough(more), margin()?);
                format!(
                    "some {more} more would decide whether that lies within {margin}, if they are like these"
                )
            }
            PublishedVerdict::TooFew { more: None, is_outside: false } => TOO_FEW_TO_COUNT.to_owned(),
            PublishedVerdict::OnTheEdge { more } => {
                let more = match more {
                    Some(more) => {
                        format!("some {} more would be needed to decide, if they are like these", rough(more))
                    }
                    None => format!("even {} would not decide, if they are like these", games(MOST_GAMES)),
                };
                format!("{} ends within that; {more}", margin()?)
            }
            PublishedVerdict::Seen => {
                format!(
                    "{} {} of {}",
                    self.came_about(),
                    grouped(self.found.successes),
                    games(self.tally.games)
                )
            }
            PublishedVerdict::NotSeen => {
                // Rounded up, so that all rates above it are excluded.
                let bound = (1e4 * never_above(self.tally.games, UNSEEN)).ceil() / 1e4;
                format!(
                    "not seen in {}; rates above {} are excluded (exact, one-sided at {})",
                    games(self.tally.games),
                    percent(bound),
                    percent(1.0 - UNSEEN)
                )
            }
            PublishedVerdict::NotJudged => self.ratio()?,
        })
    }

    /// Gives the reason for a verdict on a typical value.
    fn typically(&self) -> Option<String> {
        Some(match self.verdict {
            PublishedVerdict::Reproduced => "what is typical lies within it".to_owned(),
            PublishedVerdict::OfUnknownGames { .. } => {
                format!("what is typical does not lie within it, {}", self.tested()?)
            }
            PublishedVerdict::TooFew { more, is_outside: true } => {
                format!("what is typical does not lie within it, but {}; {}", self.tested()?, bring(more))
            }
            PublishedVerdict::TooFew { more: Some(more), is_outside: false } => {
                format!(
                    "some {} more would decide whether it lies within that, if they are like these",
                    rough(more)
                )
            }
            PublishedVerdict::OnTheEdge { .. } => {
                "it lies so near an end of that half that more games would hardly decide".to_owned()
            }
            _ => TOO_FEW_TO_COUNT.to_owned(),
        })
    }

    /// Returns the verb for an event that happened or not.
    fn came_about(&self) -> &'static str {
        if self.published.what == Quantity::Win { "won" } else { "reached in" }
    }

    /// Formats the time here as a multiple of the published time.
    fn ratio(&self) -> Option<String> {
        let range = self.printed_range()?;
        let ms = self.found.estimate?.value;
        let nearest = range.nearest(ms);
        Some(if nearest == ms {
            "times of another machine; here it lies within that".to_owned()
        } else if nearest == 0.0 {
            "times of another machine".to_owned()
        } else {
            format!("times of another machine; here {} of it", two_digits(ms / nearest))
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
            _ if alone == corrected => format!("p {corrected} corrected for {family} numbers"),
            _ => format!(
                "p {corrected} corrected for {family} numbers, {} alone",
                alone.trim_start_matches("= ")
            ),
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

    /// Formats a range of such numbers.
    fn range(&self, (low, high): (f64, f64)) -> String {
        let ((low, unit), (high, _)) = (self.number(low), self.number(high));
        format!("{low} to {high}{unit}")
    }

    /// Formats a number to the digits that the interval of the measured one justifies, and its
    /// unit.
    fn number(&self, number: f64) -> (String, &'static str) {
        let known_to = self.found.estimate.map_or(f64::INFINITY, Estimate::half_width);
        if self.published.what.is_rate() {
            let decimals = decimals(100.0 * known_to);
            return (format!("{:.decimals$}", 100.0 * number), " %");
        }
        let decimals = if known_to >= 2.0 { 0 } else { decimals(known_to) };
        (grouped_real(number, decimals), "")
    }
}

/// Says how many further games would make p small enough.
fn bring(more: Option<u64>) -> String {
    more.map_or_else(
        || "too few were played here to say how many would bring it to 0.05".to_owned(),
        |more| format!("some {} more would bring it to 0.05, if they are like these", rough(more)),
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
