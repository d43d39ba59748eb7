//! Words about a `[stop]` that compares two players.

use gauntlet_core::measure::Measure;
use gauntlet_core::text::{format_level, format_percent, format_points, group_digits, round_to};
use gauntlet_run::early_stop::{SequentialTest, Sprt, scale_name};
use gauntlet_run::judge::SequentialDecision;

use super::phrases::{elo_lead, level_suffix, rate_difference};
use crate::compare::question::Conclusion;
use crate::compare::stop::{StopTest, StopTestView};

impl StopTest {
    /// Names what was decided, as "gain is not better than base by more than 2 points", and the
    /// risk of error of this decision. `None` while nothing is decided.
    fn describe_decision(&self, [better, than]: [&str; 2]) -> Option<(String, f64)> {
        let is_better = self.end.as_ref()?.ruling.decision? == SequentialDecision::Better;
        let (border, risk) = match self.test {
            SequentialTest::Confidence(level) => (0.0, round_to(1.0 - level.get(), 9)),
            SequentialTest::Sprt(Sprt { from, alpha, .. }) if is_better => (from, alpha.get()),
            SequentialTest::Sprt(Sprt { to, beta, .. }) => (to, beta.get()),
        };
        let is = match is_better {
            true if border < 0.0 => "not worse",
            true => "better",
            false if border > 0.0 => "not better",
            false => "worse",
        };
        let by = match self.test.elo() {
            _ if border == 0.0 => String::new(),
            Some(elo) => format!(" by more than {} {}", border.abs(), scale_name(elo)),
            None => format!(" by more than {}", format_points(border.abs())),
        };
        Some((format!("{better} is {is} than {than}{by}"), risk))
    }
}

impl StopTestView<'_> {
    /// Describes the decision next to the answer to another question, or to the same question at a
    /// higher level than `asked_at`. `None` while nothing is decided.
    pub(crate) fn note(&self, names: [&str; 2], asked_at: Option<f64>) -> Option<String> {
        let (said, _) = self.result.describe_decision(names)?;
        let how = asked_at.map_or_else(
            || "on another question".to_owned(),
            |asked_at| format!("at {}", format_level(asked_at)),
        );
        Some(format!("[stop] ended the run {how}: by {}, {said}", self.result.by))
    }

    /// Returns the difference and the test in a line.
    pub(crate) fn answer(&self) -> String {
        let StopTest { by, test, .. } = *self.result;
        let estimate = self.end.ruling.estimate;
        let difference = estimate.map_or_else(String::new, |estimate| {
            let estimate = if self.is_turned { estimate.map_decreasing(|it| -it) } else { estimate };
            let level = self.describe_bounds_level(estimate.level);
            match test.elo() {
                Some(elo) => elo_lead(scale_name(elo), estimate) + &level + "; ",
                None => rate_difference(by, estimate, &level) + "; ",
            }
        });
        let test = match test {
            SequentialTest::Sprt(Sprt { from, to, elo, .. }) => {
                let bounds = if self.is_turned { [-to, -from] } else { [from, to] };
                // Adding 0 turns -0 into 0.
                let [from, to] =
                    bounds.map(|bound| if elo.is_some() { bound } else { round_to(100.0 * bound, 4) } + 0.0);
                format!("SPRT [{from}, {to}] {}", elo.map_or("points", scale_name))
            }
            SequentialTest::Confidence(sure) => {
                format!("confidence sequence at {}", format_level(sure.get()))
            }
        };
        let unit = if by == Measure::Points { "pairs" } else { "blocks" };
        let (after, at_most) = (group_digits(self.end.ruling.blocks), group_digits(self.end.at_most));
        format!("{difference}{test}, {after} of at most {at_most} {unit}")
    }

    /// Names the level of the interval, to follow it. If both errors of a test have one risk, this is
    /// the risk of each bound, so that decision and interval have one rate.
    fn describe_bounds_level(&self, of: f64) -> String {
        match self.result.test {
            SequentialTest::Sprt(Sprt { alpha, beta, .. })
                if alpha == beta && self.bounds_conclusion().is_none() =>
            {
                format!(" with each bound at {}", format_level(1.0 - alpha.get()))
            }
            _ => level_suffix(of),
        }
    }

    /// Returns what was decided and its risk, in at most three sentences. `asked` is the level of a
    /// question that the decision left open.
    pub(crate) fn explanation(&self, names: [&str; 2], asked: Option<f64>) -> String {
        let corrected = if self.effect().is_some() { "; the interval is corrected for stopping" } else { "" };
        let Some((said, risk)) = self.result.describe_decision(names) else {
            return format!("All blocks were played without a decision of [stop]{corrected}.");
        };
        let Some((shown, bounds_at)) = self.bounds_conclusion() else {
            return format!(
                "[stop] decided that {said}. The risk of error is about {}{corrected}.",
                format_percent(risk)
            );
        };
        let is = if shown == Conclusion::Yes { "better" } else { "worse" };
        let less = asked
            .map_or_else(String::new, |asked| format!(", but not at the {} asked for", format_level(asked)));
        // The risks of the decision and of the bounds add up.
        let risk = format_percent(round_to(1.0 - bounds_at, 9));
        format!(
            "[stop] decided that {said}. By its interval, {} is {is}{less}. The risk of error of both is about {risk}{corrected}.",
            names[0]
        )
    }
}
