//! Experiments that are made of another: under another head, with players of its own making.

use std::sync::Arc;

use anyhow::anyhow;
use gauntlet_core::arena::Entrant;
use gauntlet_core::diagnostic::{Diagnostic, Lines, Mistakes};
use gauntlet_core::game::Shape;
use gauntlet_core::settings::content::Said;
use gauntlet_core::settings::{WrittenTable, tree};
use gauntlet_methods::Listed;

use super::blocks::{GameCount, SeedNumber};
use super::check;
use super::experiment::Experiment;
use super::name::Name;
use super::pairings::Pairings;
use super::player::{self, PlayerAsWritten};
use super::sections::tune::{Field, Searches};
use super::written::ExperimentAsWritten;

/// The head of an experiment that is made of another: what it does not share with it.
#[derive(Clone, Copy, Debug)]
pub struct DerivedHead<'a> {
    /// The end of its name, behind that of the other.
    pub ending: &'a str,
    /// Its seed.
    pub seed: u64,
    /// Games of each player, or in a game of two of each two players: an even number.
    pub games: u64,
}

/// An experiment of the same game by the same rules with these players, each under its name and
/// with all its settings. What the other says of its players (claims, `[stop]`, published numbers,
/// `[tune]`) is not in it.
pub fn derived<'p>(
    of: &Experiment,
    head: DerivedHead,
    players: impl IntoIterator<Item = (&'p str, &'p Entrant)>,
) -> anyhow::Result<ExperimentAsWritten> {
    let ExperimentAsWritten { game, rule_keys, rules, max_moves, max_seconds, .. } = (*of.written).clone();
    let name = named(of.name(), head.ending)?;
    let games = GameCount::of(head.games.into()).map_err(|flaw| anyhow!("{}: {flaw}", name.get()))?;
    // In a game of two the first player is the one that the others are beside.
    let pairings = (of.arena().shape == Shape::Duel).then(|| Said::of(Pairings::Gauntlet));
    Ok(ExperimentAsWritten {
        name: Said::of(name),
        game,
        rule_keys,
        rules,
        max_moves,
        max_seconds,
        seed: Said::of(SeedNumber(head.seed)),
        games: Said::of(games),
        pairings: pairings.unwrap_or_default(),
        players: players.into_iter().map(|(name, entrant)| PlayerAsWritten::of(name, entrant)).collect(),
        ..ExperimentAsWritten::default()
    })
}

/// A name with an ending. Where both would be too long it is cut before that, and a digest of the
/// whole name stands behind the cut: names that begin alike stay apart.
fn named(name: &str, ending: &str) -> anyhow::Result<Name> {
    if let Ok(whole) = Name::try_from(name.to_owned() + ending) {
        return Ok(whole);
    }
    let digest = &blake3::hash(name.as_bytes()).to_hex()[..DIGITS];
    let places = name.char_indices().map(|(place, letter)| place + letter.len_utf8()).rev();
    let mut all = places.map(|place| Name::try_from(format!("{}~{digest}{ending}", &name[..place])));
    all.find_map(Result::ok).ok_or_else(|| anyhow!("{name}{ending} is no name of a folder"))
}

/// Digits of the digest in a name that was cut.
const DIGITS: usize = 8;

/// The experiment that was made of another. Its text says first what a reader must know.
pub fn checked(of: &Experiment, written: ExperimentAsWritten, comment: &str) -> anyhow::Result<Experiment> {
    let comment = comment.lines().map(|line| format!("# {line}\n"));
    let text: String = comment.chain([written.to_toml()]).collect();
    let assets = Some(Arc::clone(of.assets()));
    let name = written.name.value().map_or(of.name(), Name::get).to_owned();
    let made = check::experiment(of.arenas, &Lines::of(""), written, text.clone(), assets, Vec::new());
    // The text is in no file yet, and what was taken from the other experiment has its places
    // there: a place would be one that the reader cannot look at.
    let placeless = |mistake| Diagnostic { span: None, ..mistake };
    Ok(made.map_err(|mistakes| Mistakes::new(&name, "", mistakes.into_iter().map(placeless).collect()))?)
}

/// Changes of a tuning that give it a folder of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TuningChanges {
    /// Another method.
    pub method: Option<Listed>,
    /// Another number of searches that share the games.
    pub searches: Option<Searches>,
    /// Another seed.
    pub seed: Option<u64>,
}

/// The same experiment, tuned otherwise, under a name of its own.
pub fn tuned_otherwise(
    of: &Experiment,
    TuningChanges { method, searches, seed }: TuningChanges,
) -> anyhow::Result<Experiment> {
    let mut written = (*of.written).clone();
    let mut ending = String::new();
    if let (Some(method), Some(tune)) = (method, &mut written.sections.tune) {
        ending += &format!("+method={method}");
        tune.method = Said::of(method);
    }
    if let (Some(searches), Some(tune)) = (searches, &mut written.sections.tune) {
        ending += &format!("+searches={}", searches.get());
        tune.searches = Said::of(searches);
    }
    if let Some(seed) = seed {
        ending += &format!("+seed={seed}");
        written.seed = Said::of(SeedNumber(seed));
    }
    written.name = Said::of(named(of.name(), &ending)?);
    checked(of, written, "")
}

impl Experiment {
    /// The tuned player with other values: one for each setting that moves, in the order of the
    /// file. Whole settings get the nearest whole number. Fails with what the player says of values
    /// that it refuses.
    ///
    /// # Panics
    /// If no settings are tuned, or there is not one finite value for each.
    pub fn candidate(&self, values: &[f64]) -> Result<Entrant, Vec<Diagnostic>> {
        let field = self.sections.tune.as_ref().map(|tune| &tune.field);
        let Some(Field::Params { player, params, .. }) = field else { panic!("no settings are tuned") };
        assert_eq!(params.len(), values.len(), "a candidate has a value for each setting");
        let entrant = &self.entries()[*player].entrant;
        let mut settings = entrant.settings.clone();
        for (param, &value) in params.iter().zip(values) {
            param.put(&mut settings, value);
        }
        let written = WrittenTable { table: tree::of_settings(&settings), header: 0..0 };
        player::enter(self.arena, &self.rules, entrant.algorithm, &written, Some(&self.assets))
    }
}
