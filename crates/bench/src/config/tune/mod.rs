//! `[tune]`: which settings of a player are to be improved, by what, and how the answer is tested.
//!
//! - `params`: `[tune.params]`, the settings that move
//! - `snippet`: the settings of a player as TOML, with other values put in

mod params;
mod snippet;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};
use toml::Spanned;
use toml::de::DeValue;

use super::context::Context;
use super::keys;
use super::reference::Reference;
use super::stop;
use crate::diagnostic::Diagnostic;
use crate::game::Shape;
use crate::measure::Measure;
use crate::num::{Level, Risk, Whole};
use crate::settings::{self, Written};
use crate::text;

pub(super) use params::ParamAsWritten;
pub use params::{MOST_PARAMS, Param, Scale};
pub(super) use snippet::player;

/// What is to be improved, with how many games, and how the answer is tested.
#[derive(Clone, Debug, PartialEq)]
pub struct Tune {
    /// What may be chosen.
    pub field: Field,
    /// How it is chosen.
    pub method: MethodName,
    /// The games of all candidates together.
    pub budget: u64,
    /// From how many points the search starts; 1 for a race.
    pub starts: u32,
    /// What is to become large: a rate, or the score, of which the mean logarithm counts.
    pub objective: Measure,
    /// The nodes a move that a candidate may look at.
    pub at_most_nodes: Option<f64>,
    /// How the answer is tested.
    pub validate: Validate,
    /// The games that show what each setting matters, after tuning.
    pub explain: u64,
}

/// What may be chosen. Players are named by their places among those of the experiment.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// Values for some settings of a player.
    Params {
        /// The player.
        player: usize,
        /// The settings, at least one, in the order of the file.
        params: Vec<Param>,
    },
    /// One of these players, which are at least two and each once: a race.
    Players(Vec<usize>),
}

/// How what was found is tested against the start, on seeds that the tuning never saw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Validate {
    /// The games of each of the two players; the most of them where a sequential test may end it.
    pub games: u64,
    /// The confidence level of the test, and of every interval.
    pub level: Level,
    /// The sequential test that is made in place of one after all games.
    pub sprt: Option<stop::Sprt>,
}

/// The name of a method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MethodName {
    /// Simultaneous perturbation: a step along the difference of two random neighbours.
    Spsa,
    /// Evolution with an adapted covariance matrix.
    #[default]
    CmaEs,
    /// Players against each other, of whom the worse ones drop out.
    Race,
}

impl MethodName {
    /// As files write it.
    pub fn name(self) -> &'static str {
        match self {
            MethodName::Spsa => "spsa",
            MethodName::CmaEs => "cma-es",
            MethodName::Race => "race",
        }
    }
}

impl FromStr for MethodName {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<MethodName, &'static str> {
        let mut all = [MethodName::Spsa, MethodName::CmaEs, MethodName::Race].into_iter();
        all.find(|method| method.name() == name).ok_or("expected spsa, cma-es or race")
    }
}

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The fewest games of a validation where its number is not written.
const FEWEST_TO_VALIDATE: u64 = 1000;

/// The fewest games of a race for each of its players.
const FEWEST_EACH: u64 = 10;

/// The smallest budget of a game of two, whose openings are played twice.
const FEWEST_OF_DUELS: u64 = 200;

/// The most games that a number in `[tune]` may ask for: more than any journal could hold are a slip of the finger.
const MOST_GAMES: u64 = 10_000_000_000;

/// A number of games, at least so many.
#[derive(Clone, Copy)]
struct Games<const LEAST: u64>(u64);

impl<'de, const LEAST: u64> Deserialize<'de> for Games<LEAST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Games<LEAST>, D::Error> {
        match u64::try_from(i64::deserialize(deserializer)?) {
            Ok(games) if games > MOST_GAMES => Err(format!("must be at most {MOST_GAMES} games")),
            Ok(games) if games >= LEAST => Ok(Games(games)),
            _ => Err(format!("must be at least {}", text::games(LEAST))),
        }
        .map_err(D::Error::custom)
    }
}

/// A number of nodes a move.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "f64")]
struct Nodes(f64);

impl TryFrom<f64> for Nodes {
    type Error = &'static str;

    fn try_from(nodes: f64) -> Result<Nodes, &'static str> {
        if (1.0..=1e15).contains(&nodes) {
            Ok(Nodes(nodes))
        } else {
            Err("must be from 1 to 1e15, such as 500")
        }
    }
}

/// A `[tune]` as written.
#[derive(Deserialize)]
pub(super) struct TuneAsWritten {
    #[allow(dead_code, reason = "names are looked up as written, and only their type is checked here")]
    player: Option<Reference>,
    #[allow(dead_code, reason = "likewise")]
    players: Option<Vec<Reference>>,
    #[serde(default)]
    method: MethodName,
    budget: Games<100>,
    #[allow(dead_code, reason = "read with the measures of the game")]
    objective: Option<IgnoredAny>,
    at_most_nodes: Option<Nodes>,
    starts: Option<Whole<1, 64>>,
    #[serde(default = "nothing")]
    explain: Games<0>,
    validate: Option<ValidateAsWritten>,
    #[allow(dead_code, reason = "read with the settings of the player")]
    params: Option<IgnoredAny>,
}

impl TuneAsWritten {
    /// Values for the keys that must be there.
    const EXAMPLE: &str = "budget = 100";
}

fn nothing() -> Games<0> {
    Games(0)
}

/// A `[tune.validate]` as written.
#[derive(Deserialize)]
pub(super) struct ValidateAsWritten {
    games: Option<Games<2>>,
    level: Option<Level>,
    difference: Option<stop::Difference>,
    alpha: Option<Risk>,
    beta: Option<Risk>,
}

/// The `[tune]` of a file. A file whose games are broken off by a clock cannot be tuned.
pub(super) fn check(
    written: &Written,
    context: Context,
    has_clock: bool,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Tune> {
    let before = mistakes.len();
    if has_clock {
        let message = "`max_seconds` lets a clock end games, and clocks do not steer a tuning";
        let help = "`max_moves` ends games as well, and always after the same move";
        mistakes.push(Diagnostic::at(written.header.clone(), message).helped(help));
    }
    let read = settings::read::<TuneAsWritten>(written, TuneAsWritten::EXAMPLE);
    let objective = objective(written, context, mistakes);
    // A method that is misspelt may be any.
    let method = match written.table.get("method").map(Spanned::get_ref) {
        None => Some(MethodName::default()),
        Some(name) => name.as_str().and_then(|name| name.parse().ok()),
    };
    let field = match method {
        Some(MethodName::Race) => race(written, context, mistakes).map(Field::Players),
        None if !written.table.contains_key("params") => None,
        _ => moving(written, context, mistakes),
    };
    let tune = match read {
        Ok(tune) => tune,
        Err(refused) => {
            mistakes.extend(refused);
            return None;
        }
    };
    let budget = tune.budget.0;
    if let Some(Field::Players(players)) = &field {
        let fewest = FEWEST_EACH * players.len() as u64 * context.arena.shape.legs() as u64;
        if budget < fewest {
            let message =
                format!("a race of {} players needs at least {}", players.len(), text::games(fewest));
            mistakes.push(written.blame("budget", message));
        }
    }
    let is_duel = context.arena.shape == Shape::Duel;
    if is_duel && tune.at_most_nodes.is_some() {
        let message = "games of two do not tell which of both players looked at how many positions";
        mistakes.push(written.blame("at_most_nodes", message.to_owned()));
    }
    if is_duel && budget < FEWEST_OF_DUELS {
        let message =
            format!("each opening is played twice: the budget must be at least {FEWEST_OF_DUELS} games");
        mistakes.push(written.blame("budget", message));
    }
    let is_rate = objective.is_none_or(Measure::is_rate);
    let mut validate = validate(written, tune.validate, budget, is_rate, mistakes);
    if is_duel {
        // Each opening is played twice.
        validate.games = validate.games.next_multiple_of(2);
    }
    let (field, objective) = field.zip(objective)?;
    (mistakes.len() == before).then_some(Tune {
        field,
        method: tune.method,
        budget,
        starts: tune.starts.map_or(1, Whole::get),
        objective,
        at_most_nodes: tune.at_most_nodes.map(|nodes| nodes.0),
        validate,
        explain: tune.explain.0,
    })
}

/// Whether a candidate can be judged by the measure: no clock says which is better.
fn judges(measure: Measure) -> bool {
    !measure.is_time()
}

fn objective(written: &Written, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<Measure> {
    match written.table.get("objective") {
        Some(_) => context.measure(written, "objective", judges, mistakes),
        None if context.arena.shape == Shape::Duel => Some(Measure::Points),
        None => Some(Measure::Score),
    }
}

/// Whether a key is there, or another one that was probably meant to be it.
fn is_meant(written: &Written, key: &str) -> bool {
    let strays = settings::strays(&written.table, settings::fields::<TuneAsWritten>());
    written.table.get(key).is_some() || strays.iter().any(|stray| stray.meant.as_deref() == Some(key))
}

/// The player whose settings move, and these.
fn moving(written: &Written, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<Field> {
    if written.table.get("players").is_some() {
        let message = "is of `method = \"race\"`; otherwise `player` names the one whose settings move";
        mistakes.push(written.blame("players", message.to_owned()));
    } else if !is_meant(written, "player") {
        let help = "name the player whose settings move; only `method = \"race\"` can do without";
        mistakes.push(Diagnostic::at(written.header.clone(), settings::missing("player")).helped(help));
    }
    let player = context.roster.find(&written.table, "player", mistakes);
    let entry = player.and_then(|player| context.roster.entry(player));
    if let (Some(entry), Some(place)) = (entry, keys::span(&written.table, "player"))
        && !entry.entrant.is_reproducible()
    {
        mistakes.push(limited_by_time(&entry.name, place));
        return None;
    }
    let Some(params) = written.table.get("params") else {
        if !is_meant(written, "params") {
            let message = "it is not said which settings move: `[tune.params]` is missing";
            let help = "each is a line such as `weights.empty = { min = 0, max = 500 }`; to choose between players of the \
                        file write `method = \"race\"`";
            mistakes.push(Diagnostic::at(written.header.clone(), message).helped(help));
        }
        return None;
    };
    let params = params::check(params, context, entry.map(|entry| &entry.entrant), mistakes)?;
    Some(Field::Params { player: player?, params })
}

fn limited_by_time(name: &str, place: Range<usize>) -> Diagnostic {
    Diagnostic::at(place, format!("{name:?} is limited by time, and clocks do not steer a tuning"))
        .helped("limit it by depth, nodes or rollouts")
}

/// The players of a race.
fn race(written: &Written, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<Vec<usize>> {
    for (key, message) in [
        ("params", "a race chooses between players and moves no settings"),
        ("starts", "a race has no starting points"),
    ] {
        if written.table.get(key).is_some() {
            let help = "a grid of settings is a `[player.sweep]`, and a list of players several `[[player]]`";
            mistakes.push(written.blame(key, message.to_owned()).helped(help));
        }
    }
    let (one, several) = (written.table.get("player"), written.table.get("players"));
    if one.is_some() && several.is_some() {
        mistakes.push(written.blame("players", "contradicts `player`: keep one of the two".to_owned()));
    }
    let before = mistakes.len();
    let mut players = Vec::new();
    let mut place = written.header.clone();
    if let Some(named) = one.or(several) {
        place = named.span();
        let list = match named.get_ref() {
            DeValue::Array(list) => list.iter().collect(),
            _ => vec![named],
        };
        for named in list {
            let found = context.roster.find_all(named, mistakes);
            if found.iter().any(|player| players.contains(player)) {
                mistakes.push(Diagnostic::at(named.span(), "is in the race already"));
            } else {
                players.extend(found);
            }
        }
    } else {
        players.extend(0..context.roster.names.len());
    }
    // Players with mistakes may be in the race.
    if mistakes.len() > before || !context.roster.is_sound() {
        return None;
    }
    if players.len() < 2 {
        let help = "a race chooses between several: the players of a `[player.sweep]`, those listed in `players`, or all of \
                    the file where neither is named";
        mistakes.push(Diagnostic::at(place, "a race needs at least two players").helped(help));
        return None;
    }
    let entries = players.iter().filter_map(|&player| context.roster.entry(player));
    if let Some(entry) = entries.into_iter().find(|entry| !entry.entrant.is_reproducible()) {
        mistakes.push(limited_by_time(&entry.name, place));
        return None;
    }
    Some(players)
}

/// How the answer is tested.
fn validate(
    tune: &Written,
    read: Option<ValidateAsWritten>,
    budget: u64,
    is_by_rate: bool,
    mistakes: &mut Vec<Diagnostic>,
) -> Validate {
    let value = tune.table.get("validate");
    let blame = |key: &str, message: &str| Diagnostic {
        span: value.and_then(|value| value.get_ref().as_table()).and_then(|table| keys::span(table, key)),
        message: message.to_owned(),
        help: None,
    };
    let ValidateAsWritten { games, level, difference, alpha, beta } = read.unwrap_or(ValidateAsWritten {
        games: None,
        level: None,
        difference: None,
        alpha: None,
        beta: None,
    });
    if let Some(difference) = difference {
        if difference.from != 0.0 {
            let message =
                "begins at 0 here: the question is whether the answer is better at all, as in [0, 0.02]";
            mistakes.push(blame("difference", message));
        }
        if !is_by_rate {
            let message = "is of rates: by `score` it would count who has the higher score, where the mean of its logarithm is tuned";
            mistakes.push(blame("difference", message));
        }
    }
    match difference {
        Some(_) if level.is_some() => {
            let message = "is of a test after all games; with `difference` it is `alpha` and `beta` that say how sure it shall be";
            mistakes.push(blame("level", message));
        }
        None => {
            let risks = [("alpha", alpha), ("beta", beta)];
            for (key, _) in risks.into_iter().filter(|(_, risk)| risk.is_some()) {
                let message = "is of a sequential test, which needs `difference`; without it `level` says how sure it shall be";
                mistakes.push(blame(key, message));
            }
        }
        Some(_) => {}
    }
    Validate {
        games: games.map_or((budget / 4).max(FEWEST_TO_VALIDATE), |games| games.0),
        level: level.unwrap_or_default(),
        sprt: difference.map(|difference| stop::Sprt {
            from: difference.from,
            to: difference.to,
            alpha: alpha.unwrap_or_default(),
            beta: beta.unwrap_or_default(),
        }),
    }
}
