//! Words about a `[stop]` that compares two players.

use gauntlet_core::measure::Measure;
use gauntlet_core::text::{grouped, level, percent, points, rounded};
use gauntlet_run::early_stop::scale;
use gauntlet_run::judge::pair::SequentialDecision;

use super::phrases::{at_level, elo_lead, rate_difference};
use crate::compare::question::Conclusion;
use crate::compare::stop::{Scale, StopTest, StopTestView, Test};

impl StopTest {
    /// Names what was decided, as "gain is not better than base by more than 2 points", and the
    /// risk of error of this decision. `None` while nothing is decided.
    fn decided(&self, [better, than]: [&str; 2]) -> Option<(String, f64)> {
        let is_better = self.end.as_ref()?.decision? == SequentialDecision::Better;
        let (border, risk) = match self.test {
            Test::Confidence(level) => (0.0, rounded(1.0 - level, 9)),
            Test::Between([from, _], [alpha, _], _) if is_better => (from, alpha),
            Test::Between([_, to], [_, beta], _) => (to, beta),
        };
        let is = match is_better {
            true if border < 0.0 => "not worse",
            true => "better",
            false if border > 0.0 => "not better",
            false => "worse",
        };
        let by = match self.test {
            _ if border == 0.0 => String::new(),
            Test::Between(_, _, Scale::Elo(model)) => {
                format!(" by more than {} {}", border.abs(), scale(model))
            }
            _ => format!(" by more than {}", points(border.abs())),
        };
        Some((format!("{better} is {is} than {than}{by}"), risk))
    }
}

impl StopTestView<'_> {
    /// Describes the decision next to the answer to another question, or to the same question at a
    /// higher level than `asked_at`. `None` while nothing is decided.
    pub(crate) fn note(&self, names: [&str; 2], asked_at: Option<f64>) -> Option<String> {
        let (said, _) = self.result.decided(names)?;
        let how = asked_at
            .map_or_else(|| "on another question".to_owned(), |asked_at| format!("at {}", level(asked_at)));
        Some(format!("[stop] ended the run {how}: by {}, {said}", self.result.by))
    }

    /// Returns the difference and the test in a line.
    pub(crate) fn answer(&self) -> String {
        let StopTest { by, test, .. } = *self.result;
        let estimate = self.end.estimate.map(|it| if self.is_turned { it.turned(|it| -it) } else { it });
        let difference = estimate.map_or_else(String::new, |estimate| {
            let level = self.bounds_at(estimate.level);
            match test {
                Test::Between(_, _, Scale::Elo(model)) => elo_lead(scale(model), estimate) + &level + "; ",
                _ => rate_difference(by, estimate, &level) + "; ",
            }
        });
        let test = match test {
            Test::Between([from, to], _, on) => {
                let [from, to] = if self.is_turned { [-to, -from] } else { [from, to] };
                let (unit, part): (_, fn(f64) -> f64) = match on {
                    Scale::Blocks => ("points", |bound| rounded(100.0 * bound, 4)),
                    Scale::Elo(model) => (scale(model), |bound| bound),
                };
                // Adding 0 turns -0 into 0.
                format!("SPRT [{}, {}] {unit}", part(from) + 0.0, part(to) + 0.0)
            }
            Test::Confidence(sure) => format!("confidence sequence at {}", level(sure)),
        };
        let unit = if by == Measure::Points { "pairs" } else { "blocks" };
        let (after, at_most) = (grouped(self.end.blocks), grouped(self.end.at_most));
        format!("{difference}{test}, {after} of at most {at_most} {unit}")
    }

    /// Names the level of the interval, to follow it. If both errors of a test have one risk, this is
    /// the risk of each bound, so that decision and interval have one rate.
    fn bounds_at(&self, of: f64) -> String {
        match self.result.test {
            Test::Between(_, [alpha, beta], _) if alpha == beta && self.besides().is_none() => {
                format!(" with each bound at {}", level(1.0 - alpha))
            }
            _ => at_level(of),
        }
    }

    /// Returns what was decided and its risk, in at most three sentences. `asked` is the level of a
    /// question that the decision left open.
    pub(crate) fn explanation(&self, names: [&str; 2], asked: Option<f64>) -> String {
        let corrected = if self.effect().is_some() { "; the interval is corrected for stopping" } else { "" };
        let Some((said, risk)) = self.result.decided(names) else {
            return format!("All blocks were played without a decision of [stop]{corrected}.");
        };
        let Some((shown, bounds_at)) = self.besides() else {
            return format!(
                "[stop] decided that {said}. The risk of error is about {}{corrected}.",
                percent(risk)
            );
        };
        let is = if shown == Conclusion::Yes { "better" } else { "worse" };
        let less =
            asked.map_or_else(String::new, |asked| format!(", but not at the {} asked for", level(asked)));
        // The risks of the decision and of the bounds add up.
        let risk = percent(rounded(1.0 - bounds_at, 9));
        format!(
            "[stop] decided that {said}. By its interval, {} is {is}{less}. The risk of error of both is about {risk}{corrected}.",
            names[0]
        )
    }
}
