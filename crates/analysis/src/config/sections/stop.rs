//! `[stop]`: rules that may end a run before all games are played.

use std::ops::Range;

use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::game::Shape;
use gauntlet_core::measure::Measure;
use gauntlet_core::num::{Level, Points, Risk, Share};
use gauntlet_core::settings;
use gauntlet_core::settings::content::{KeyContent, ValueType};
use gauntlet_core::settings::section::declare;
use gauntlet_core::settings::tree::{PlacedValue, TomlTable, TomlValue};
use gauntlet_run::early_stop::{ComparisonStop, EarlyStop, PrecisionStop, SequentialTest, Sprt};
use gauntlet_stats::EloScale;
use serde::Deserialize;

use super::top::TopSection;
use crate::config::context::Context;
use crate::config::reference::Reference;

/// Name of a rule.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RuleName {
    #[default]
    Sprt,
    Confidence,
}

/// Two differences between which a sequential test decides: of shares, or of Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HypothesisPair<const IS_ELO: bool> {
    pub from: f64,
    pub to: f64,
}

pub type Difference = HypothesisPair<false>;
type Elo = HypothesisPair<true>;

/// Limits of the two differences of a test, and words for messages.
struct Bounds {
    single: &'static str,
    example: &'static str,
    most: f64,
    too_large: &'static str,
    least: f64,
    too_near: &'static str,
}

const SHARE_BOUNDS: Bounds = Bounds {
    single: "a number from 0.000001 to 0.999999",
    example: "two such as [-0.01, 0.01]",
    most: Share::MOST,
    too_large: "a difference must be from -0.999999 to 0.999999; 2 points are 0.02",
    least: Share::LEAST,
    too_near: "the two differences must be at least 0.000001 apart",
};

const ELO_BOUNDS: Bounds = Bounds {
    single: "a number from 0.01 to 1000",
    example: "two such as [0, 5]",
    most: 1000.0,
    too_large: "a difference in Elo must be from -1000 to 1000",
    least: 0.01,
    too_near: "the two differences must be at least 0.01 apart",
};

/// Largest difference in normalised Elo. Beyond 230 the likelihood cannot be computed.
const MOST_NORMALISED: f64 = 200.0;

impl<const IS_ELO: bool> ValueType for HypothesisPair<IS_ELO> {
    /// Reads the differences. A single number is the second one; the first is then 0.
    fn read(written: &PlacedValue, mistakes: &mut Vec<Diagnostic>) -> Option<Self> {
        let Bounds { single, example, most, too_large, least, too_near } =
            if IS_ELO { ELO_BOUNDS } else { SHARE_BOUNDS };
        let numbers = match written.get_ref() {
            TomlValue::Whole(_) | TomlValue::Real(_) => settings::read_value(written).map(|to| vec![0.0, to]),
            TomlValue::List(items) => items.iter().map(settings::read_value::<f64>).collect(),
            other => {
                let message = settings::mistyped_message(&format!("{single}, or {example}"), other);
                Err(Diagnostic::new(written.span(), message))
            }
        };
        let flaw = match numbers.map_err(|mistake| mistakes.push(mistake)).ok()?[..] {
            [from, to] if from >= to => {
                "the lower difference must come first, and a single difference must be above 0".to_owned()
            }
            // Written so that NaN is also refused.
            [from, to] if !(from.abs() <= most && to.abs() <= most) => too_large.to_owned(),
            [from, to] if to - from < least => too_near.to_owned(),
            [from, to] => return Some(HypothesisPair { from, to }),
            _ => format!("must be one number, or {example}"),
        };
        mistakes.push(Diagnostic::new(written.span(), flaw));
        None
    }
}

/// Default differences of a sequential ratio test: 0 and two points.
const DIFFERENCE: Difference = HypothesisPair { from: 0.0, to: 0.02 };

declare! {
    /// A `[stop]` as written: with `precision`, about every player; in a game of two with `elo`;
    /// otherwise of two players by a measure.
    pub(crate) struct StopAsWritten {
        /// The player that is expected to be better.
        key better: KeyContent<Reference>, "name of a player, or a table";
        /// The player that `better` is compared with.
        key than: KeyContent<Reference>, "name of another player, or a table";
        /// The [measure](#measures) that decides who wins a block.
        key by: KeyContent<TomlValue>, r#"`"win"`, `"reach TILE"` or `"score"`"#, r#"`"win"`"#;
        /// Sequential probability ratio test (SPRT), or a confidence sequence that ends when it
        /// excludes 0.
        key method: KeyContent<RuleName>, r#"`"sprt"` or `"confidence"`"#, r#"`"sprt"`"#;
        /// For `sprt`: the two hypotheses, as differences; a single number means 0 and that number.
        key difference: KeyContent<Difference>, "number from 0.000001 to 0.999999, or list of two numbers from -0.999999 to 0.999999",
            "`0.02`";
        /// Probability of the verdict "better" if the smaller difference is true.
        key alpha: KeyContent<Risk>, _, "`0.05`";
        /// Probability of the verdict "not better" if the larger difference is true.
        key beta: KeyContent<Risk>, _, "`0.05`";
        /// Confidence level, for `confidence` and `precision`.
        key level: KeyContent<Level>, _, "`0.95`";
        /// Required [precision](#precision) of every rate, in percentage points.
        key precision: KeyContent<Points>, "number from 0.0001 to less than 50", "none";
        /// The two hypotheses, as Elo differences; a single number means 0 and that number.
        key elo: KeyContent<Elo>, "number from 0.01 to 1000, or list of two numbers from -1000 to 1000";
        /// [Elo scale](METHOD.md#elo-of-a-pairing): by share of points, or by standard deviations
        /// of a game.
        key model: KeyContent<EloScale>, r#"`"logistic"` or `"normalised"`"#, r#"`"logistic"`"#;
    } with {
        fn fitting_keys(written: &TomlTable) -> Option<&'static [&'static str]> {
            Some(if written.contains_key("precision") {
                &["precision", "by", "level"]
            } else if written.contains_key("elo") {
                &["better", "than", "elo", "model", "alpha", "beta"]
            } else {
                &["better", "than", "by", "method", "difference", "alpha", "beta", "level", "precision"]
            })
        }
    }
}

/// Returns true if each block decides the measure for one player, the other, or neither.
fn decides_blocks(measure: Measure) -> bool {
    !measure.is_time()
}

impl TopSection for Option<StopAsWritten> {
    type Checked = Option<EarlyStop>;

    fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<EarlyStop> {
        check(self.as_ref()?, context, mistakes)
    }
}

fn check(written: &StopAsWritten, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<EarlyStop> {
    let before = mistakes.len();
    let StopAsWritten {
        better, than, by, method, difference, alpha, beta, level, precision, elo, model, ..
    } = written;
    let places = |keys: &[Option<Range<usize>>]| keys.iter().flatten().cloned().collect::<Vec<_>>();
    let of_pair =
        [better.place(), than.place(), method.place(), difference.place(), alpha.place(), beta.place()];
    let (foreign, message) = match context.arena.shape {
        Shape::Duel => (
            places(&[by.place(), method.place(), difference.place(), level.place(), precision.place()]),
            "is only for one-player games; for two-player games use `elo`, such as `elo = [0, 5]`",
        ),
        Shape::Solo => (
            places(&[elo.place(), model.place()]),
            "is only for two-player games; for one-player games use `difference`",
        ),
    };
    let mut is_sound = refuse(foreign, message, mistakes);
    let stop = match context.arena.shape {
        Shape::Duel if precision.is_written() => None,
        Shape::Duel => check_duel(written, context, mistakes).map(EarlyStop::Comparison),
        Shape::Solo if precision.is_written() => {
            let message = "conflicts with `precision`: [stop] either compares two players or has a precision";
            is_sound &= refuse(places(&of_pair), message, mistakes);
            let by = context.parse_by(by, Measure::is_rate, mistakes);
            let level = level.value().copied().unwrap_or_default();
            by.zip(precision.value())
                .map(|(by, &points)| EarlyStop::Precision(PrecisionStop { by, points, level }))
        }
        Shape::Solo => check_comparison(written, context, mistakes).map(EarlyStop::Comparison),
    };
    stop.filter(|_| is_sound && mistakes.len() == before)
}

/// Reports keys that have no meaning here, without checking their values. Returns true if there are
/// none.
fn refuse(places: Vec<Range<usize>>, message: &str, mistakes: &mut Vec<Diagnostic>) -> bool {
    mistakes.retain(|mistake| mistake.span.as_ref().is_none_or(|span| !places.contains(span)));
    let is_sound = places.is_empty();
    mistakes.extend(places.into_iter().map(|place| Diagnostic::new(place, message)));
    is_sound
}

/// Finds the two players of the comparison.
fn find_players(
    StopAsWritten { better, than, .. }: &StopAsWritten,
    context: Context,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<(usize, usize)> {
    for (key, said) in [("better", better), ("than", than)].into_iter().filter(|(_, said)| !said.is_written())
    {
        mistakes.push(said.mistake(settings::missing_message(key)));
    }
    context.find_two_players([better, than], mistakes)
}

fn check_duel(
    written: &StopAsWritten,
    context: Context,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<ComparisonStop> {
    let StopAsWritten { than, alpha, beta, elo, model, .. } = written;
    if !elo.is_written() {
        mistakes.push(elo.mistake(settings::missing_message("elo")));
    }
    let pair = find_players(written, context, mistakes);
    let (better, other) = pair?;
    if !context.can_meet(better, other) {
        mistakes.push(than.mistake("these players do not play against each other"));
        return None;
    }
    let model = model.value().copied().unwrap_or_default();
    let HypothesisPair { from, to } = *elo.value()?;
    if model == EloScale::Normalized && [from, to].iter().any(|elo| elo.abs() > MOST_NORMALISED) {
        let message = "a difference in normalised Elo must be from -200 to 200; 200 is 0.58 standard deviations of a game";
        mistakes.push(elo.mistake(message));
        return None;
    }
    let [alpha, beta] = [alpha, beta].map(|risk| risk.value().copied().unwrap_or_default());
    let test = SequentialTest::Sprt(Sprt { from, to, alpha, beta, elo: Some(model) });
    Some(ComparisonStop { better, than: other, by: Measure::Points, test })
}

fn check_comparison(
    written: &StopAsWritten,
    context: Context,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<ComparisonStop> {
    let StopAsWritten { by, method, difference, alpha, beta, level, .. } = written;
    let pair = find_players(written, context, mistakes);
    let by = context.parse_by(by, decides_blocks, mistakes)?;
    if method.is_mistaken() {
        return None;
    }
    let risk = |said: &KeyContent<Risk>| said.value().copied().unwrap_or_default();
    let (test, others, message) = match method.value().copied().unwrap_or_default() {
        RuleName::Sprt => {
            let HypothesisPair { from, to } = difference.value().copied().unwrap_or(DIFFERENCE);
            (
                SequentialTest::Sprt(Sprt { from, to, alpha: risk(alpha), beta: risk(beta), elo: None }),
                vec![level.place()],
                "is only for `method = \"confidence\"`; \"sprt\" has `alpha` and `beta`",
            )
        }
        RuleName::Confidence => (
            SequentialTest::Confidence(level.value().copied().unwrap_or_default()),
            vec![difference.place(), alpha.place(), beta.place()],
            "is only for `method = \"sprt\"`; \"confidence\" has `level`",
        ),
    };
    let is_sound = refuse(others.into_iter().flatten().collect(), message, mistakes);
    let (better, than) = pair.filter(|_| is_sound)?;
    Some(ComparisonStop { better, than, by, test })
}
