//! Words about published numbers.

use gauntlet_core::measure::Quantity;
use gauntlet_core::text::{
    capitalize, decimals, format_duration, format_games, format_percent, format_probability, group_decimal,
    group_digits, round_up,
};
use gauntlet_stats::{Estimate, upper_bound_without_success};

use super::phrases::format_p_value;
use crate::compare::earlier_looks::describe_correction;
use crate::compare::published::JudgedNumber;
use crate::compare::published::verdict::{MAX_GAMES, PublishedVerdict};
use crate::config::published::{PublishedNumber, PublishedValue, Statistic};

/// Risk that an event with a rate above the bound never happens.
const UNSEEN_RISK: f64 = 0.025;

/// Reason for naming no number of further games.
const TOO_FEW_TO_COUNT: &str = "too few games were played to estimate how many would decide";

/// Assumption about a published number without a number of games.
const EXACT_ASSUMPTION: &str = "without a number of games, the published number is taken as exact";

/// Assumption behind every estimate of further games.
const RESULTS_STAY_ASSUMPTION: &str = "that results stay the same";

impl JudgedNumber<'_> {
    /// Returns both numbers in a line, and what decides the verdict.
    pub(crate) fn answer(&self) -> String {
        let quantity = self.published.quantity;
        let measurement =
            self.format_measured_number().map_or_else(String::new, |number| format!(", measured {number}"));
        let reason = self.describe_briefly().map_or_else(String::new, |more| format!("; {more}"));
        format!(
            "{} {quantity}: published {}{measurement}{reason}",
            self.player,
            self.format_published_number()
        )
    }

    /// Formats the measured number, as "96.0 % [93.6, 97.5] in 400 games".
    fn format_measured_number(&self) -> Option<String> {
        let estimate = self.counterpart.estimate?;
        let games = format_games(self.tally.games);
        if self.published.quantity.is_time() {
            return Some(format_duration(estimate.value));
        }
        if matches!(self.verdict, PublishedVerdict::Seen | PublishedVerdict::NotSeen) {
            return None;
        }
        if self.published.statistic == Statistic::Typical {
            let values = match self.published.quantity {
                Quantity::Score => &self.tally.scores,
                Quantity::Moves => &self.tally.game_lengths,
                _ => return None,
            };
            let values = Some(values).filter(|values| values.count() > 0)?;
            let quartile = |number: u64| values.value_at_rank((values.count() - 1) * number / 4);
            let (low, high) = quartile(1).zip(quartile(3))?;
            return Some(format!(
                "{} to {} in the middle half of {games}",
                group_digits(low),
                group_digits(high)
            ));
        }
        let kind = if self.published.statistic == Statistic::Median { "a median of " } else { "" };
        let unit = if self.published.quantity.is_rate() { " %" } else { "" };
        let bounds = estimate
            .bounds()
            .map(|(low, high)| format!(" [{}, {}]", self.format_number(low), self.format_number(high)));
        Some(format!(
            "{kind}{}{unit}{} in {games}",
            self.format_number(estimate.value),
            bounds.unwrap_or_default()
        ))
    }

    /// Returns what decides the verdict, in a few words.
    fn describe_briefly(&self) -> Option<String> {
        let more_games_note = |more_games: Option<u64>| {
            more_games.map(|games| format!("about {} more games would decide", format_rough_count(games)))
        };
        match self.verdict {
            _ if self.skip_reason.is_some() => self.describe_skip(),
            _ if self.tally.out_of_time > 0 => Some("max_seconds cut some games".to_owned()),
            PublishedVerdict::Reproduced => self.describe_range(),
            PublishedVerdict::Close => {
                Some(format!("{}, but {}", self.describe_range()?, self.format_corrected_p()?))
            }
            PublishedVerdict::Contradicted => self.format_corrected_p(),
            PublishedVerdict::Compatible { .. } => Some(match self.published.games {
                Some(_) => "the source has too few games".to_owned(),
                None => "the source gives no number of games".to_owned(),
            }),
            PublishedVerdict::OfUnknownGames { min_games: Some(min_games) } => {
                Some(format!("differs if the source played at least {}", format_games(min_games)))
            }
            PublishedVerdict::OfUnknownGames { min_games: None } => {
                Some("the source gives no number of games".to_owned())
            }
            PublishedVerdict::TooFew { more_games, .. } => {
                more_games_note(more_games).or_else(|| Some("too few games here".to_owned()))
            }
            PublishedVerdict::OnTheEdge { .. } => {
                Some("the interval includes an end of the margin".to_owned())
            }
            PublishedVerdict::NotJudged => self.format_time_ratio(),
            PublishedVerdict::Seen => Some(self.describe_events()),
            PublishedVerdict::NotSeen => {
                // Rounded up, so that all rates above it are excluded.
                let bound = (1e4 * upper_bound_without_success(self.tally.games, UNSEEN_RISK)).ceil() / 1e4;
                Some(format!(
                    "not seen in {}; rates above {} are excluded at {} (one-sided, exact)",
                    format_games(self.tally.games),
                    format_percent(bound),
                    format_percent(1.0 - UNSEEN_RISK)
                ))
            }
        }
    }

    /// Says why there are no games, if the player was skipped.
    fn describe_skip(&self) -> Option<String> {
        self.skip_reason.map(|reason| format!("the player was skipped: {reason}"))
    }

    /// Names the values that the measured interval is within.
    fn describe_range(&self) -> Option<String> {
        Some(match self.printed_range()?.is_single() {
            true => format!(
                "within the margin, {}",
                self.format_margin(self.counterpart.comparison.as_ref()?.equivalent_range())
            ),
            false => "within the published range".to_owned(),
        })
    }

    /// Formats p with the number of published numbers that it is corrected for.
    fn format_corrected_p(&self) -> Option<String> {
        self.test_result.map(|(_, adjusted, family)| format_p_value(adjusted, "", family, None))
    }

    /// Returns what the short answer omits, in sentences: the reason of the verdict, what more
    /// games would show, and the source.
    pub(crate) fn explanation(&self) -> String {
        let PublishedNumber { source, note, .. } = self.published;
        let correction =
            describe_correction(self.earlier_answers).filter(|_| self.counterpart.comparison.is_some());
        let correction_sentence = correction.map(|correction| format!("the interval and p are {correction}"));
        let games_before = self.extended_from.filter(|_| self.verdict != PublishedVerdict::NotJudged);
        let extension_note = games_before
            .map(|games_before| format!("games were added after the first {}", group_digits(games_before)));
        let sentences = [
            self.explain_verdict(),
            note.clone(),
            correction_sentence,
            extension_note,
            Some(format!("source: {source}")),
        ];
        let to_sentence = |text: String| capitalize(text.trim_end_matches('.')) + ".";
        sentences.into_iter().flatten().map(to_sentence).collect::<Vec<_>>().join(" ")
    }

    /// Formats the published number, as "86.2 % of 29 games".
    fn format_published_number(&self) -> String {
        let PublishedNumber { quantity, statistic, value, games: source_games, .. } = self.published;
        let PublishedValue::Number(range) = value else { return "some games".to_owned() };
        let format_number = |number: f64| match quantity {
            _ if quantity.is_rate() => format_percent(number).trim_end_matches(" %").to_owned(),
            _ if quantity.is_time() => format_duration(number),
            _ => group_decimal(number, number.to_string().split_once('.').map_or(0, |(_, rest)| rest.len())),
        };
        let unit = if quantity.is_rate() { " %" } else { "" };
        let number = match range.is_single() {
            true => format_number(range.low()) + unit,
            false if quantity.is_time() && range.low() == 0.0 => {
                format!("up to {}", format_number(range.high()))
            }
            false => format!("{} to {}{unit}", format_number(range.low()), format_number(range.high())),
        };
        let number = match statistic {
            Statistic::Mean => number,
            Statistic::Median => format!("a median of {number}"),
            Statistic::Typical => format!("typically {number}"),
        };
        match source_games {
            Some(source_games) if !quantity.is_time() => {
                format!("{number} in {}", format_games(source_games.get()))
            }
            _ => number,
        }
    }

    /// Gives the reason for the verdict, in one or two sentences without the last period.
    fn explain_verdict(&self) -> Option<String> {
        if self.skip_reason.is_some() {
            return self.describe_skip();
        }
        if self.tally.out_of_time > 0 {
            return Some(format!(
                "{} of these games were cut by max_seconds",
                group_digits(self.tally.out_of_time)
            ));
        }
        if self.published.statistic == Statistic::Typical {
            return self.explain_typical();
        }
        let source_games = || self.published.games.map(|games| format_games(games.get()));
        Some(match self.verdict {
            PublishedVerdict::Reproduced => match source_games() {
                Some(source_games) => {
                    format!("{source_games} at the source determine its number to within the margin")
                }
                None => EXACT_ASSUMPTION.to_owned(),
            },
            PublishedVerdict::Close => {
                let difference = "the difference is significant, but smaller than the margin";
                match source_games() {
                    Some(_) => difference.to_owned(),
                    None => format!("{difference}. {}", capitalize(EXACT_ASSUMPTION)),
                }
            }
            PublishedVerdict::Contradicted => {
                format!("the interval does not overlap {}; {}", self.describe_margin()?, self.describe_p()?)
            }
            PublishedVerdict::OfUnknownGames { min_games } => {
                let caveat =
                    format!("; even {} at the source would not contradict it", format_games(MAX_GAMES));
                let caveat = if min_games.is_some() { String::new() } else { caveat };
                let margin = self.describe_margin()?;
                format!(
                    "the interval does not overlap {margin}{caveat}. If the published number is exact, {}",
                    self.describe_p()?
                )
            }
            PublishedVerdict::Compatible { is_within: true } => {
                format!(
                    "the published number comes from only {}, so it is not known to within the margin",
                    source_games()?
                )
            }
            PublishedVerdict::Compatible { is_within: false } => {
                format!(
                    "with {} at the source, the difference is not significant: {}",
                    source_games()?,
                    self.describe_p()?
                )
            }
            PublishedVerdict::TooFew { more_games, is_outside: true } => {
                format!(
                    "the interval does not overlap {}, but {}. {}",
                    self.describe_margin()?,
                    self.describe_p()?,
                    describe_games_to_decide(more_games)
                )
            }
            PublishedVerdict::TooFew { more_games: Some(_), is_outside: false } => format!(
                "the interval is neither inside nor outside {}. The estimate of further games assumes {RESULTS_STAY_ASSUMPTION}",
                self.describe_margin()?
            ),
            PublishedVerdict::TooFew { more_games: None, is_outside: false } => TOO_FEW_TO_COUNT.to_owned(),
            PublishedVerdict::OnTheEdge { more_games } => {
                let prospect = match more_games {
                    Some(count) => format!("About {} more games would decide", format_rough_count(count)),
                    None => format!("Even {} would not decide", format_games(MAX_GAMES)),
                };
                let margin = self.describe_margin()?;
                format!("{margin} ends inside the interval. {prospect}, assuming {RESULTS_STAY_ASSUMPTION}")
            }
            PublishedVerdict::Seen | PublishedVerdict::NotSeen => return None,
            PublishedVerdict::NotJudged => "times on different machines are not compared".to_owned(),
        })
    }

    /// Gives the reason for a verdict on a typical value.
    fn explain_typical(&self) -> Option<String> {
        Some(match self.verdict {
            PublishedVerdict::Reproduced => "the published value is in the middle half of the games".to_owned(),
            PublishedVerdict::OfUnknownGames { .. } => {
                format!("the published value is outside the middle half of the games, {}", self.describe_p()?)
            }
            PublishedVerdict::TooFew { more_games, is_outside: true } => {
                let p_text = self.describe_p()?;
                format!("the published value is outside the middle half of the games, but {p_text}. {}", describe_games_to_decide(more_games))
            }
            PublishedVerdict::TooFew { more_games: Some(_), is_outside: false } => format!(
                "the published value is near an end of the middle half of the games. The estimate of further games assumes {RESULTS_STAY_ASSUMPTION}"
            ),
            PublishedVerdict::OnTheEdge { .. } => {
                "the published value is so near an end of the middle half of the games that more games would hardly decide"
                    .to_owned()
            }
            _ => TOO_FEW_TO_COUNT.to_owned(),
        })
    }

    /// Says how often the event happened.
    fn describe_events(&self) -> String {
        let verb = if self.published.quantity == Quantity::Win { "won" } else { "reached in" };
        format!("{verb} {} of {}", group_digits(self.counterpart.successes), format_games(self.tally.games))
    }

    /// Formats the time here as a multiple of the published time.
    fn format_time_ratio(&self) -> Option<String> {
        let range = self.printed_range()?;
        let ms = self.counterpart.estimate?.value;
        let nearest = range.nearest(ms);
        Some(if nearest == ms {
            "different machines; within the published range".to_owned()
        } else if nearest == 0.0 {
            "different machines".to_owned()
        } else {
            format!("different machines; {} times the published time", format_ratio(ms / nearest))
        })
    }

    /// Formats the values that are equal for all practical purposes, as "the margin (81.6 to 90.5
    /// %)".
    fn describe_margin(&self) -> Option<String> {
        let range = self.printed_range()?;
        Some(if range.is_single() {
            format!(
                "the margin ({})",
                self.format_margin(self.counterpart.comparison.as_ref()?.equivalent_range())
            )
        } else {
            "the published range".to_owned()
        })
    }

    /// Formats the p and the p corrected for its family.
    fn describe_p(&self) -> Option<String> {
        let (p, adjusted, family) = self.test_result?;
        let (uncorrected, corrected) = (format_p(p), format_p(adjusted));
        Some(match family {
            1 => format!("p {}", format_probability(p)),
            _ if uncorrected == corrected => format!("p {corrected} (Holm over {family})"),
            _ => {
                format!(
                    "p {corrected} (Holm over {family}; uncorrected {})",
                    uncorrected.trim_start_matches("= ")
                )
            }
        })
    }

    /// Formats a margin with its own number of digits: its ends are exact, and the interval of the
    /// measured number does not limit their precision.
    fn format_margin(&self, (low, high): (f64, f64)) -> String {
        if !self.published.quantity.is_rate() {
            let half = (high - low) / 2.0;
            let decimals = if half >= 2.0 { 0 } else { decimals(half) };
            return format!("{} to {}", group_decimal(low, decimals), group_decimal(high, decimals));
        }
        // Two significant digits of the distance from 0 or 100 %, except for an end at 0 or 100 %.
        let distances =
            [low, high].map(|end| 100.0 * end.min(1.0 - end)).into_iter().filter(|&distance| distance > 0.0);
        let min_distance = distances.fold(10.0, f64::min);
        let decimals = (1.0 - libm::log10(min_distance).floor()).clamp(1.0, 6.0) as usize;
        format!("{:.decimals$} to {:.decimals$} %", 100.0 * low, 100.0 * high)
    }

    /// Formats a number without its unit, to the digits that the interval of the measured one
    /// justifies.
    fn format_number(&self, number: f64) -> String {
        let half_width = self.counterpart.estimate.map_or(f64::INFINITY, Estimate::half_width);
        if self.published.quantity.is_rate() {
            let decimals = decimals(100.0 * half_width);
            return format!("{:.decimals$}", 100.0 * number);
        }
        let decimals = if half_width >= 2.0 { 0 } else { decimals(half_width) };
        group_decimal(number, decimals)
    }
}

/// Returns a sentence on how many further games would make p small enough.
fn describe_games_to_decide(more_games: Option<u64>) -> String {
    more_games.map_or_else(
        || capitalize(TOO_FEW_TO_COUNT),
        |more_games| {
            format!(
                "About {} more games would bring p to 0.05, assuming {RESULTS_STAY_ASSUMPTION}",
                format_rough_count(more_games)
            )
        },
    )
}

/// Formats a p with a leading `=` or `<`, for use next to another p.
fn format_p(p: f64) -> String {
    if (2e-12..0.001).contains(&p) { format!("= {p:.1e}") } else { format_probability(p) }
}

/// Formats a ratio to two digits.
fn format_ratio(ratio: f64) -> String {
    let decimals = (1.0 - libm::log10(ratio).floor()).clamp(0.0, 9.0) as usize;
    format!("{ratio:.decimals$}")
}

/// Formats an estimated number of games.
fn format_rough_count(number: u64) -> String {
    group_digits(round_up(number))
}
