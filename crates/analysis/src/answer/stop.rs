//! Words about a `[stop]` that compares two players.

use gauntlet_core::measure::Measure;
use gauntlet_core::text::{format_level, format_percent, format_points, group_digits, round_to};
use gauntlet_run::early_stop::{SequentialTest, Sprt, scale_name};
use gauntlet_run::judge::SequentialDecision;

use super::phrases::{format_elo_lead, format_rate_difference, level_suffix};
use crate::compare::question::Conclusion;
use crate::compare::stop::{StopTest, StopTestView};

impl StopTest {
    /// Names what was decided, as "gain is not better than base by more than 2 points", and the
    /// risk of error of this decision. `None` while nothing is decided.
    fn describe_decision(&self, [player, rival]: [&str; 2]) -> Option<(String, f64)> {
        let is_better = self.state.as_ref()?.ruling.decision? == SequentialDecision::Better;
        let (threshold, risk) = match self.test {
            SequentialTest::Confidence(level) => (0.0, round_to(1.0 - level.get(), 9)),
            SequentialTest::Sprt(Sprt { from: lower, alpha, .. }) if is_better => (lower, alpha.get()),
            SequentialTest::Sprt(Sprt { to: upper, beta, .. }) => (upper, beta.get()),
        };
        let relation = match is_better {
            true if threshold < 0.0 => "not worse",
            true => "better",
            false if threshold > 0.0 => "not better",
            false => "worse",
        };
        let amount = match self.test.elo() {
            _ if threshold == 0.0 => String::new(),
            Some(elo) => format!(" by more than {} {}", threshold.abs(), scale_name(elo)),
            None => format!(" by more than {}", format_points(threshold.abs())),
        };
        Some((format!("{player} is {relation} than {rival}{amount}"), risk))
    }
}

impl StopTestView<'_> {
    /// Describes the decision next to the answer to another question, or to the same question at a
    /// higher level than `asked_level`. `None` while nothing is decided.
    pub(crate) fn note(&self, names: [&str; 2], asked_level: Option<f64>) -> Option<String> {
        let (decision, _) = self.result.describe_decision(names)?;
        let qualifier = asked_level.map_or_else(
            || "on another question".to_owned(),
            |asked_level| format!("at {}", format_level(asked_level)),
        );
        Some(format!("[stop] ended the run {qualifier}: by {}, {decision}", self.result.measure))
    }

    /// Returns the difference and the test in a line.
    pub(crate) fn answer(&self) -> String {
        let StopTest { measure, test, .. } = *self.result;
        let estimate = self.state.ruling.estimate;
        let difference = estimate.map_or_else(String::new, |estimate| {
            let estimate = if self.is_swapped { estimate.map_decreasing(|value| -value) } else { estimate };
            let level = self.describe_bounds_level(estimate.level);
            match test.elo() {
                Some(elo) => format_elo_lead(scale_name(elo), estimate) + &level + "; ",
                None => format_rate_difference(measure, estimate, &level) + "; ",
            }
        });
        let test = match test {
            SequentialTest::Sprt(Sprt { from: lower, to: upper, elo, .. }) => {
                let bounds = if self.is_swapped { [-upper, -lower] } else { [lower, upper] };
                // Adding 0 turns -0 into 0.
                let [lower, upper] =
                    bounds.map(|bound| if elo.is_some() { bound } else { round_to(100.0 * bound, 4) } + 0.0);
                format!("SPRT [{lower}, {upper}] {}", elo.map_or("points", scale_name))
            }
            SequentialTest::Confidence(level) => {
                format!("confidence sequence at {}", format_level(level.get()))
            }
        };
        let unit = if measure == Measure::Points { "pairs" } else { "blocks" };
        let (blocks, max_blocks) =
            (group_digits(self.state.ruling.blocks), group_digits(self.state.max_blocks));
        format!("{difference}{test}, {blocks} of at most {max_blocks} {unit}")
    }

    /// Names the level of the interval, to follow it. If both errors of a test have one risk, this
    /// is the risk of each bound, so that decision and interval have one rate.
    fn describe_bounds_level(&self, level: f64) -> String {
        match self.result.test {
            SequentialTest::Sprt(Sprt { alpha, beta, .. })
                if alpha == beta && self.bounds_conclusion().is_none() =>
            {
                format!(" with each bound at {}", format_level(1.0 - alpha.get()))
            }
            _ => level_suffix(level),
        }
    }

    /// Returns what was decided and its risk, in at most three sentences. `asked_level` is the
    /// level of a question that the decision left open.
    pub(crate) fn explanation(&self, names: [&str; 2], asked_level: Option<f64>) -> String {
        let corrected = if self.effect().is_some() { "; the interval is corrected for stopping" } else { "" };
        let Some((decision, risk)) = self.result.describe_decision(names) else {
            return format!("All blocks were played without a decision of [stop]{corrected}.");
        };
        let Some((conclusion, bounds_at)) = self.bounds_conclusion() else {
            return format!(
                "[stop] decided that {decision}. The risk of error is about {}{corrected}.",
                format_percent(risk)
            );
        };
        let relation = if conclusion == Conclusion::Yes { "better" } else { "worse" };
        let level_note = asked_level
            .map_or_else(String::new, |level| format!(", but not at the {} asked for", format_level(level)));
        // The risks of the decision and of the bounds add up.
        let risk = format_percent(round_to(1.0 - bounds_at, 9));
        format!(
            "[stop] decided that {decision}. By its interval, {} is {relation}{level_note}. The risk of error of both is about {risk}{corrected}.",
            names[0]
        )
    }
}
