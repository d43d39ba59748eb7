//! `[tune]`: which settings of a player to improve, by which method, and how the answer is tested.

mod param;
mod params;
#[cfg(test)]
mod tests;
mod trial_player;
mod values;

use std::borrow::Cow;
use std::ops::Range;

use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::config::derivation::{add, add_suffix, check_derived};
use gauntlet_analysis::config::driver::{
    Context, Difference, DriverSection, Reference, RegisteredSection, Selection,
};
use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::game::Shape;
use gauntlet_core::measure::Measure;
use gauntlet_core::num::{BoundedInt, BoundedLong, Level, Risk, bounded};
use gauntlet_core::settings;
use gauntlet_core::settings::content::{KeyContent, ValueList};
use gauntlet_core::settings::section::{KeyDeclaration, declare};
use gauntlet_core::settings::tree::{self, PlacedValue, TomlTable, TomlValue, wrap_unplaced};
use gauntlet_core::text;
use gauntlet_methods::{DEFAULT_METHOD, PlayerMethod, SettingsMethod, TuningMethod};
use gauntlet_run::early_stop::Sprt;
use serde_json::json;

pub use param::{Param, Scale};
pub use params::MAX_PARAMS;
use params::Params;

/// A tuning: its candidates, its budget, and the test of its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct TuneSection {
    /// Candidates, and the method of the search.
    pub field: CandidateSpace,
    /// Number of games of all candidates together.
    pub budget: u64,
    /// Number of searches that share the budget; one for a race.
    pub searches: u32,
    /// Objective to maximize: a rate, or the mean logarithm of the score.
    pub objective: Measure,
    /// Largest number of nodes per move of a candidate.
    pub at_most_nodes: Option<f64>,
    /// Test of the answer.
    pub validate: ValidationPlan,
    /// Number of games after tuning that show the effect of each setting.
    pub explain: u64,
}

/// The registered section.
pub const SECTION: RegisteredSection = RegisteredSection::new::<TuneAsWritten>();

impl TuneSection {
    /// Returns the `[tune]` of an experiment, if it has one.
    pub fn from_experiment(experiment: &Experiment) -> Option<&TuneSection> {
        experiment.sections().driver_section()
    }

    /// Returns the smallest budget with which the search starts, given the games of a block.
    fn min_budget(&self, legs: u64) -> u64 {
        legs * match &self.field {
            CandidateSpace::Params { params, method, .. } => {
                gauntlet_methods::min_games(*method, params.len(), self.searches)
            }
            CandidateSpace::Players { players, .. } => {
                (MIN_RACE_GAMES * players.len() as u64).max(MIN_BUDGET)
            }
        }
    }

    /// Returns the message about a budget that is too small; `None` if it is sufficient.
    pub fn too_small_message(&self, legs: u64) -> Option<String> {
        let (method, min_budget) = (self.field.method(), self.min_budget(legs));
        (self.budget < min_budget).then(|| {
            format!(
                "{method} needs at least {} to take a step and to check its answer",
                text::format_games(min_budget)
            )
        })
    }
}

/// Candidates, and the method of the search. Players are given by index.
#[derive(Clone, Debug, PartialEq)]
pub enum CandidateSpace {
    /// Values for some settings of a player.
    Params {
        /// Index of the player.
        player: usize,
        /// Tuned settings, at least one, in the order of the file.
        params: Vec<Param>,
        /// Method of the search.
        method: SettingsMethod,
    },
    /// One of several players: a race.
    Players {
        /// Indices of the players, at least two, without duplicates.
        players: Vec<usize>,
        /// Method of the race.
        method: PlayerMethod,
    },
}

impl CandidateSpace {
    /// Returns the name of the method.
    pub fn method(&self) -> &'static str {
        match self {
            CandidateSpace::Params { method, .. } => method.name,
            CandidateSpace::Players { method, .. } => method.name,
        }
    }
}

/// Test of the answer against the start, on seeds that the tuning did not use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValidationPlan {
    /// Games of each of the two players; the largest number if a sequential test may end it.
    pub games: u64,
    /// Confidence level of the test, and of every interval.
    pub level: Level,
    /// Sequential test that replaces the test after all games.
    pub sprt: Option<Sprt>,
}

/// Smallest default number of games of a validation.
const MIN_VALIDATION_GAMES: u64 = 1000;

/// Smallest number of games of each player in a race.
const MIN_RACE_GAMES: u64 = 10;

/// Smallest budget, in blocks.
const MIN_BUDGET: u64 = 100;

/// Largest number of games in `[tune]`. More than a journal can hold are probably a typing error.
const MAX_GAMES: u64 = 10_000_000_000;

/// A number of games, at least `MIN`.
type Games<const MIN: u64> = BoundedLong<MIN, MAX_GAMES>;

bounded! {
    /// A number of nodes per move.
    Nodes: |nodes| (1.0..=1e15).contains(&nodes), "1 to 1e15", "500"
}

/// Number of searches that share the games.
pub type SearchCount = BoundedInt<1, 16>;

declare! {
    /// A `[tune]` as written.
    struct TuneAsWritten {
        /// Player to tune; in a race, the `[[player]]` whose sweep takes part.
        key player: KeyContent<Reference>, "name of a player, or a table", "required, except in a race";
        /// Players that take part in a race.
        key players: KeyContent<ValueList<Reference>>, "list of players", "all players of the file";
        /// [Search method](#tuning-methods).
        key method: KeyContent<TuningMethod>, r#"`"spsa"`, `"cma-es"`, `"model"` or `"race"`"#,
            r#"`"model"`"#;
        /// Total number of games of all candidates.
        must budget: KeyContent<Games<MIN_BUDGET>>, _;
        /// Measure to improve: a rate, or the mean logarithm of the score.
        key objective: KeyContent<TomlValue>, r#"`"win"`, `"reach TILE"` or `"score"`"#, r#"`"score"`"#;
        /// Maximum mean number of evaluated positions per move of a candidate.
        key at_most_nodes: KeyContent<Nodes>, _, "no limit";
        /// Number of independent searches that share the budget; not for a race.
        key searches: KeyContent<SearchCount>, _, "`1`";
        /// Number of games after the search to measure the influence of each setting.
        key explain: KeyContent<Games<0>>, _, "`0`";
        /// [Validation](#validation) of the result.
        table validate: Option<ValidateAsWritten>, "table, `[tune.validate]`", "default values";
        /// [Settings to tune](#tuned-settings), at most 50.
        named_sections params: KeyContent<Params>, "table, `[tune.params]`", "required, except in a race";
    }
}

declare! {
    /// A `[tune.validate]` as written.
    struct ValidateAsWritten {
        /// Number of games per player; with `difference`, the maximum number.
        key games: KeyContent<Games<2>>, _, "a quarter of `budget`, at least 1000";
        /// Confidence level of the test.
        key level: KeyContent<Level>, _, "`0.95`";
        /// Differences of a sequential test that can end the validation early, as in [early
        /// stopping](#stopping-early).
        key difference: KeyContent<Difference>, "number from 0.000001 to 0.999999, or list of two numbers from 0 to 0.999999", "none";
        /// With `difference`: probability of the verdict "better" if the smaller difference is
        /// true.
        key alpha: KeyContent<Risk>, _, "`0.05`";
        /// With `difference`: probability of the verdict "not better" if the larger difference is
        /// true.
        key beta: KeyContent<Risk>, _, "`0.05`";
    }
}

impl DriverSection for TuneAsWritten {
    const KEY: KeyDeclaration = KeyDeclaration {
        name: "tune",
        kind: Cow::Borrowed("table, `[tune]`"),
        default: "none",
        meaning: &["[Search](#tuning) for better settings."],
    };

    type Checked = TuneSection;

    fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<TuneSection> {
        check(self, context, mistakes)
    }

    fn restrict_to_selection(table: &mut TomlTable, tune: &TuneSection, selection: &Selection) -> bool {
        match &tune.field {
            CandidateSpace::Params { player, .. } => selection.keep(table, &[("player", *player)]),
            CandidateSpace::Players { players, .. } => {
                let remaining: Vec<usize> =
                    players.iter().copied().filter(|&player| selection.has(player)).collect();
                // If the file names none, all players that are left take part in the race.
                if selection.changes_names()
                    && (table.remove("player").is_some() || table.contains_key("players"))
                {
                    table.insert(wrap_unplaced("players".to_owned()), selection.names(&remaining));
                }
                remaining.len() > 1
            }
        }
    }
}

/// An experiment with a time limit for games cannot be tuned.
fn check(section: &TuneAsWritten, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<TuneSection> {
    let earlier_count = mistakes.len();
    let TuneAsWritten { header, method, at_most_nodes, searches, explain, .. } = section;
    if context.has_clock {
        let message = "`max_seconds` ends games by time; a tuning must not depend on time";
        let help = "use `max_moves`, which is reproducible";
        mistakes.push(Diagnostic::new(header.0.clone(), message).with_help(help));
    }
    let objective = if section.objective.is_written() {
        context.parse_measure(&section.objective, can_judge, mistakes)
    } else if context.arena.shape == Shape::Duel {
        Some(Measure::Points)
    } else {
        Some(Measure::Score)
    };
    let field = match method.value() {
        // A misspelt method may be any of them.
        None if method.is_written() && !section.params.is_written() => None,
        method => match method.copied().unwrap_or(TuningMethod::Settings(DEFAULT_METHOD)) {
            TuningMethod::Players(method) => check_race(section, context, mistakes)
                .map(|players| CandidateSpace::Players { players, method }),
            TuningMethod::Settings(method) => check_tuned_player(section, context, mistakes)
                .map(|(player, params)| CandidateSpace::Params { player, params, method }),
        },
    };
    let budget = section.budget.value()?.get();
    let is_duel = context.arena.shape == Shape::Duel;
    if is_duel && at_most_nodes.is_written() {
        let message = "is only for one-player games";
        mistakes.push(at_most_nodes.mistake(message));
    }
    let is_rate = objective.is_none_or(Measure::is_rate);
    let default = ValidateAsWritten::default();
    let validate_section = section.validate.as_ref().unwrap_or(&default);
    let mut validate = check_validation(validate_section, budget, is_rate, mistakes);
    if is_duel {
        // Each opening is played twice.
        validate.games = validate.games.next_multiple_of(2);
    }
    let (field, objective) = field.zip(objective)?;
    let tune = TuneSection {
        field,
        budget,
        searches: searches.value().map_or(1, |searches| searches.get()),
        objective,
        at_most_nodes: at_most_nodes.value().map(|nodes| nodes.get()),
        validate,
        explain: explain.value().map_or(0, |games| games.get()),
    };
    if let Some(message) = tune.too_small_message(context.arena.shape.legs() as u64) {
        mistakes.push(section.budget.mistake(message));
    }
    (mistakes.len() == earlier_count).then_some(tune)
}

/// Returns true if a measure can judge candidates; times cannot.
fn can_judge(measure: Measure) -> bool {
    !measure.is_time()
}

/// Finds the player to tune and its tuned settings.
fn check_tuned_player(
    section: &TuneAsWritten,
    context: Context,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<(usize, Vec<Param>)> {
    let TuneAsWritten { player, players, params, .. } = section;
    if players.is_written() {
        let message = "is only for `method = \"race\"`; other methods tune the settings of `player`";
        mistakes.push(players.mistake(message));
    } else if !player.is_written() {
        let help = "name the player to tune; only `method = \"race\"` needs none";
        mistakes.push(player.mistake(settings::missing_message("player")).with_help(help));
    }
    let player_index = context.roster.find(player, mistakes);
    let entry = player_index.and_then(|index| context.roster.player(index));
    if let Some(entry) = entry.filter(|entry| !entry.entry.facts().is_reproducible) {
        mistakes.push(time_limit_mistake(&entry.name, player.span().unwrap_or_default()));
        return None;
    }
    if !params.is_written() {
        let message = "`[tune.params]` is missing: the settings to tune";
        let help = "add settings such as `weights.empty = { min = 0, max = 500 }`; to choose between players, use \
                    `method = \"race\"`";
        mistakes.push(params.mistake(message).with_help(help));
    }
    let params = params::check(params, context, entry.map(|entry| &entry.entry), mistakes)?;
    Some((player_index?, params))
}

fn time_limit_mistake(name: &str, span: Range<usize>) -> Diagnostic {
    Diagnostic::new(span, format!("{name:?} is limited by time; a tuning must not depend on time"))
        .with_help("limit it by depth, nodes or rollouts")
}

/// Finds the players of a race.
fn check_race(
    section: &TuneAsWritten,
    context: Context,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Vec<usize>> {
    let TuneAsWritten { header, player, players: several, params, searches, .. } = section;
    let help = "for a grid of settings, use `[player.sweep]`; for a list of players, several `[[player]]`";
    if params.is_written() {
        let message = "a race compares players and tunes no settings";
        mistakes.push(params.mistake(message).with_help(help));
    }
    if searches.is_written() {
        mistakes.push(searches.mistake("a race is one search").with_help(help));
    }
    if player.is_written() && several.is_written() {
        mistakes.push(several.mistake("conflicts with `player`: keep one of the two"));
    }
    if player.is_mistaken() || several.is_mistaken() {
        return None;
    }
    let earlier_count = mistakes.len();
    let span = player.span().or(several.span()).unwrap_or(header.0.clone());
    let references = match several.value().filter(|_| !player.is_written()) {
        Some(ValueList(several)) => &several[..],
        None => std::slice::from_ref(player),
    };
    let mut players = Vec::new();
    if player.is_written() || several.is_written() {
        for reference in references {
            let matches = context.roster.find_all(reference, mistakes);
            if matches.iter().any(|player| players.contains(player)) {
                mistakes.push(reference.mistake("is listed twice"));
            } else {
                players.extend(matches);
            }
        }
    } else {
        players.extend(0..context.roster.names.len());
    }
    // Players with mistakes may be in the race.
    if mistakes.len() > earlier_count || !context.roster.is_valid() {
        return None;
    }
    if players.len() < 2 {
        let help = "use a `[player.sweep]` or `players`; without both, all players of the file take part";
        mistakes.push(Diagnostic::new(span, "a race needs at least two players").with_help(help));
        return None;
    }
    let entries = players.iter().filter_map(|&player| context.roster.player(player));
    if let Some(entry) = entries.into_iter().find(|entry| !entry.entry.facts().is_reproducible) {
        mistakes.push(time_limit_mistake(&entry.name, span));
        return None;
    }
    Some(players)
}

/// Reads the test of the answer.
fn check_validation(
    section: &ValidateAsWritten,
    budget: u64,
    is_by_rate: bool,
    mistakes: &mut Vec<Diagnostic>,
) -> ValidationPlan {
    let ValidateAsWritten { games, level, difference, alpha, beta, .. } = section;
    if let Some(range) = difference.value() {
        if range.lower != 0.0 {
            let message = "must begin with 0, such as [0, 0.02]";
            mistakes.push(difference.mistake(message));
        }
        if !is_by_rate {
            let message = "is only for rates, not for `score`";
            mistakes.push(difference.mistake(message));
        }
        if level.value().is_some() {
            let message = "conflicts with `difference`, which has `alpha` and `beta`";
            mistakes.push(level.mistake(message));
        }
    } else if !difference.is_written() {
        for risk in [alpha, beta].into_iter().filter(|risk| risk.value().is_some()) {
            let message = "needs `difference`; without it, use `level`";
            mistakes.push(risk.mistake(message));
        }
    }
    if level.value().is_some_and(|level| Level::try_from(1.0 - (1.0 - level.get()) / 2.0).is_err()) {
        mistakes.push(level.mistake(
            "is too high: each validation has half the risk of the one before, and the first half of this",
        ));
    }
    if alpha.value().is_some_and(|alpha| Risk::try_from(alpha.get() / 2.0).is_err()) {
        mistakes.push(alpha.mistake(
            "is too small: each validation has half the risk of the one before, and the first half of this",
        ));
    }
    let risk = |content: &KeyContent<Risk>| content.value().copied().unwrap_or_default();
    ValidationPlan {
        games: games.value().map_or((budget / 4).max(MIN_VALIDATION_GAMES), |games| games.get()),
        level: level.value().copied().unwrap_or_default(),
        sprt: difference.value().map(|difference| Sprt {
            from: difference.lower,
            to: difference.upper,
            alpha: risk(alpha),
            beta: risk(beta),
            elo: None,
        }),
    }
}

/// Changes of a tuning that give it another folder.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TuneOverrides {
    /// Another method.
    pub method: Option<TuningMethod>,
    /// Another number of searches that share the games.
    pub searches: Option<SearchCount>,
    /// Another seed.
    pub seed: Option<u64>,
}

/// Derives an experiment with a changed tuning, under another name.
pub fn override_tuning(
    base: &Experiment,
    TuneOverrides { method, searches, seed }: TuneOverrides,
) -> anyhow::Result<Experiment> {
    let mut name_suffix = String::new();
    name_suffix.extend(method.map(|method| format!("+method={method}")));
    name_suffix.extend(searches.map(|searches| format!("+searches={}", searches.get())));
    name_suffix.extend(seed.map(|seed| format!("+seed={seed}")));
    let mut table = base.table();
    add(&mut table, "name", &json!(add_suffix(base.name(), &name_suffix)?));
    if let Some(seed) = seed {
        add(&mut table, "seed", &json!(seed));
    }
    if let Some(TomlValue::Table(tune)) = table.get_mut("tune").map(PlacedValue::get_mut) {
        let changes = json!({ "method": method, "searches": searches });
        tune.extend(tree::table_from_settings(&changes));
    }
    check_derived(base, &table, "")
}
