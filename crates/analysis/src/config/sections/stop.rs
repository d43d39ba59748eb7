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
    pub lower: f64,
    pub upper: f64,
}

pub type Difference = HypothesisPair<false>;
type Elo = HypothesisPair<true>;

/// Limits of the two differences of a test, and words for messages.
struct DifferenceLimits {
    single: &'static str,
    example: &'static str,
    max: f64,
    too_large: &'static str,
    min_gap: f64,
    too_near: &'static str,
}

const SHARE_BOUNDS: DifferenceLimits = DifferenceLimits {
    single: "a number from 0.000001 to 0.999999",
    example: "two such as [-0.01, 0.01]",
    max: Share::MAX,
    too_large: "a difference must be from -0.999999 to 0.999999; 2 points are 0.02",
    min_gap: Share::MIN,
    too_near: "the two differences must be at least 0.000001 apart",
};

const ELO_BOUNDS: DifferenceLimits = DifferenceLimits {
    single: "a number from 0.01 to 1000",
    example: "two such as [0, 5]",
    max: 1000.0,
    too_large: "a difference in Elo must be from -1000 to 1000",
    min_gap: 0.01,
    too_near: "the two differences must be at least 0.01 apart",
};

/// Largest difference in normalised Elo. Beyond 230 the likelihood cannot be computed.
const MAX_NORMALISED_ELO: f64 = 200.0;

impl<const IS_ELO: bool> ValueType for HypothesisPair<IS_ELO> {
    /// Reads the differences. A single number is the second one; the first is then 0.
    fn read(value: &PlacedValue, mistakes: &mut Vec<Diagnostic>) -> Option<Self> {
        let DifferenceLimits { single, example, max, too_large, min_gap, too_near } =
            if IS_ELO { ELO_BOUNDS } else { SHARE_BOUNDS };
        let numbers = match value.get_ref() {
            TomlValue::Whole(_) | TomlValue::Real(_) => {
                settings::read_value(value).map(|upper| vec![0.0, upper])
            }
            TomlValue::List(items) => items.iter().map(settings::read_value::<f64>).collect(),
            other => {
                let message = settings::mistyped_message(&format!("{single}, or {example}"), other);
                Err(Diagnostic::new(value.span(), message))
            }
        };
        let message = match numbers.map_err(|mistake| mistakes.push(mistake)).ok()?[..] {
            [lower, upper] if lower >= upper => {
                "the lower difference must come first, and a single difference must be above 0".to_owned()
            }
            // Written so that NaN is also refused.
            [lower, upper] if !(lower.abs() <= max && upper.abs() <= max) => too_large.to_owned(),
            [lower, upper] if upper - lower < min_gap => too_near.to_owned(),
            [lower, upper] => return Some(HypothesisPair { lower, upper }),
            _ => format!("must be one number, or {example}"),
        };
        mistakes.push(Diagnostic::new(value.span(), message));
        None
    }
}

/// Default differences of a sequential ratio test: 0 and two points.
const DIFFERENCE: Difference = HypothesisPair { lower: 0.0, upper: 0.02 };

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
        fn fitting_keys(table: &TomlTable) -> Option<&'static [&'static str]> {
            Some(if table.contains_key("precision") {
                &["precision", "by", "level"]
            } else if table.contains_key("elo") {
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

fn check(raw_stop: &StopAsWritten, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<EarlyStop> {
    let mistakes_before = mistakes.len();
    let StopAsWritten {
        better: player_key,
        than: rival_key,
        by: measure_key,
        method,
        difference,
        alpha,
        beta,
        level,
        precision,
        elo,
        model,
        ..
    } = raw_stop;
    let places = |keys: &[Option<Range<usize>>]| keys.iter().flatten().cloned().collect::<Vec<_>>();
    let pair_places =
        [player_key.span(), rival_key.span(), method.span(), difference.span(), alpha.span(), beta.span()];
    let (foreign_places, message) = match context.arena.shape {
        Shape::Duel => (
            places(&[measure_key.span(), method.span(), difference.span(), level.span(), precision.span()]),
            "is only for one-player games; for two-player games use `elo`, such as `elo = [0, 5]`",
        ),
        Shape::Solo => (
            places(&[elo.span(), model.span()]),
            "is only for two-player games; for one-player games use `difference`",
        ),
    };
    let mut is_sound = report_unused_keys(foreign_places, message, mistakes);
    let stop = match context.arena.shape {
        Shape::Duel if precision.is_written() => None,
        Shape::Duel => check_duel(raw_stop, context, mistakes).map(EarlyStop::Comparison),
        Shape::Solo if precision.is_written() => {
            let message = "conflicts with `precision`: [stop] either compares two players or has a precision";
            is_sound &= report_unused_keys(places(&pair_places), message, mistakes);
            let measure = context.parse_by(measure_key, Measure::is_rate, mistakes);
            let level = level.value().copied().unwrap_or_default();
            measure
                .zip(precision.value())
                .map(|(measure, &points)| EarlyStop::Precision(PrecisionStop { measure, points, level }))
        }
        Shape::Solo => check_comparison(raw_stop, context, mistakes).map(EarlyStop::Comparison),
    };
    stop.filter(|_| is_sound && mistakes.len() == mistakes_before)
}

/// Reports keys that have no meaning here, without checking their values. Returns true if there are
/// none.
fn report_unused_keys(places: Vec<Range<usize>>, message: &str, mistakes: &mut Vec<Diagnostic>) -> bool {
    mistakes.retain(|mistake| mistake.span.as_ref().is_none_or(|span| !places.contains(span)));
    let is_sound = places.is_empty();
    mistakes.extend(places.into_iter().map(|place| Diagnostic::new(place, message)));
    is_sound
}

/// Finds the two players of the comparison.
fn find_players(
    StopAsWritten { better: player_key, than: rival_key, .. }: &StopAsWritten,
    context: Context,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<(usize, usize)> {
    for (key, content) in
        [("better", player_key), ("than", rival_key)].into_iter().filter(|(_, content)| !content.is_written())
    {
        mistakes.push(content.mistake(settings::missing_message(key)));
    }
    context.find_two_players([player_key, rival_key], mistakes)
}

fn check_duel(
    raw_stop: &StopAsWritten,
    context: Context,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<ComparisonStop> {
    let StopAsWritten { than: rival_key, alpha, beta, elo, model, .. } = raw_stop;
    if !elo.is_written() {
        mistakes.push(elo.mistake(settings::missing_message("elo")));
    }
    let pair = find_players(raw_stop, context, mistakes);
    let (player, rival) = pair?;
    if !context.can_meet(player, rival) {
        mistakes.push(rival_key.mistake("these players do not play against each other"));
        return None;
    }
    let model = model.value().copied().unwrap_or_default();
    let HypothesisPair { lower, upper } = *elo.value()?;
    if model == EloScale::Normalized && [lower, upper].iter().any(|elo| elo.abs() > MAX_NORMALISED_ELO) {
        let message = "a difference in normalised Elo must be from -200 to 200; 200 is 0.58 standard deviations of a game";
        mistakes.push(elo.mistake(message));
        return None;
    }
    let [alpha, beta] = [alpha, beta].map(|risk| risk.value().copied().unwrap_or_default());
    let test = SequentialTest::Sprt(Sprt { from: lower, to: upper, alpha, beta, elo: Some(model) });
    Some(ComparisonStop { better_player: player, other_player: rival, measure: Measure::Points, test })
}

fn check_comparison(
    raw_stop: &StopAsWritten,
    context: Context,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<ComparisonStop> {
    let StopAsWritten { by: measure_key, method, difference, alpha, beta, level, .. } = raw_stop;
    let pair = find_players(raw_stop, context, mistakes);
    let measure = context.parse_by(measure_key, decides_blocks, mistakes)?;
    if method.is_mistaken() {
        return None;
    }
    let risk = |content: &KeyContent<Risk>| content.value().copied().unwrap_or_default();
    let (test, unused_places, message) = match method.value().copied().unwrap_or_default() {
        RuleName::Sprt => {
            let HypothesisPair { lower, upper } = difference.value().copied().unwrap_or(DIFFERENCE);
            (
                SequentialTest::Sprt(Sprt {
                    from: lower,
                    to: upper,
                    alpha: risk(alpha),
                    beta: risk(beta),
                    elo: None,
                }),
                vec![level.span()],
                "is only for `method = \"confidence\"`; \"sprt\" has `alpha` and `beta`",
            )
        }
        RuleName::Confidence => (
            SequentialTest::Confidence(level.value().copied().unwrap_or_default()),
            vec![difference.span(), alpha.span(), beta.span()],
            "is only for `method = \"sprt\"`; \"confidence\" has `level`",
        ),
    };
    let is_sound = report_unused_keys(unused_places.into_iter().flatten().collect(), message, mistakes);
    let (player, rival) = pair.filter(|_| is_sound)?;
    Some(ComparisonStop { better_player: player, other_player: rival, measure, test })
}
