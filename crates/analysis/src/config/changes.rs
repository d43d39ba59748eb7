//! Changes of an experiment on the command line.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use gauntlet_core::arena::Arena;
use gauntlet_core::diagnostic::{Diagnostic, nearest};
use gauntlet_core::game::Shape;
use gauntlet_core::num::Points;
use gauntlet_core::settings::content::{KeyContent, ValueList};
use gauntlet_core::settings::tree::{self, PlacedValue, TomlValue};
use gauntlet_core::text::{escape, listed, quoted};
use gauntlet_run::blocks::BlockSeeds;

use super::blocks::{GameCount, SeedNumber};
use super::context::Revision;
use super::experiment::Experiment;
use super::name::{self, FileSafeName};
use super::pairings::{Pair, Pairings};
use super::pattern;
use super::player::PlayerAsWritten;
use super::time::DurationArg;
use super::written::{ExperimentAsWritten, MOST_BYTES};

/// Command-line overrides of an experiment.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct CliOverrides {
    /// Games per player
    #[arg(long, value_name = "N", value_parser = GameCount::parse)]
    pub games: Option<u64>,

    /// Seed from which games are derived
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..1 << 63), hide_short_help = true)]
    pub seed: Option<u64>,

    /// Change a setting of a player; with `*`, of every player that has it
    #[arg(long = "set", value_name = "NAME:KEY=VALUE")]
    pub settings: Vec<SettingOverride>,

    /// Play only this player; can be repeated
    #[arg(long, value_name = "PLAYER")]
    pub only: Vec<String>,

    /// Stop when every win rate is known to within this many percentage points
    #[arg(long, value_name = "POINTS")]
    pub precision: Option<Points>,

    /// Start no new games after this time, such as 90s, 5m or 2h
    #[arg(long = "for", value_name = "TIME")]
    pub time: Option<DurationArg>,

    /// Name of the experiment and of its results folder
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

/// A setting of a player, `NAME:key=value`.
#[derive(Clone, Debug)]
pub struct SettingOverride {
    /// Name of a `[[player]]`; `None` for all players that have the setting.
    player: Option<String>,
    /// Keys of the setting, from the outermost table.
    path: Vec<String>,
    /// Value as typed.
    said: String,
    value: TomlValue,
}

impl FromStr for SettingOverride {
    type Err = String;

    fn from_str(text: &str) -> Result<SettingOverride, String> {
        let form = "expected NAME:key=value, such as greedy:ties=last, or *:key=value for all players that have the setting";
        let (player, rest) = text.split_once(':').ok_or(form)?;
        let (path, value) = rest.split_once('=').ok_or(form)?;
        let path: Vec<String> = path.split('.').map(|key| key.trim().to_owned()).collect();
        if player.is_empty() || path.iter().any(String::is_empty) {
            return Err(form.to_owned());
        }
        if ["name", "sweep"].contains(&&*path[0]) {
            return Err(format!("`{}` is not a setting of any algorithm", path[0]));
        }
        let said = value.trim();
        let value = match TomlValue::parse(said) {
            Ok(value) => value,
            // Plain text that is not TOML is a string.
            Err(_) if is_bare(said) => TomlValue::Text(said.to_owned()),
            Err(error) => return Err(format!("`{value}` is not a TOML value: {error}")),
        };
        let player = (player != "*").then(|| player.to_owned());
        let said = value.text().filter(|text| is_bare(text)).unwrap_or(said).to_owned();
        Ok(SettingOverride { player, path, said, value })
    }
}

impl fmt::Display for SettingOverride {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let SettingOverride { player, path, said, .. } = self;
        write!(f, "{}:{}={said}", player.as_deref().unwrap_or("*"), path.join("."))
    }
}

/// Returns true if a text is plain and no TOML value, so that it needs no quotes on the command
/// line.
fn is_bare(text: &str) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./ ".contains(letter);
    !text.is_empty() && text.chars().all(is_plain) && TomlValue::parse(text).is_err()
}

/// Largest number of letters of changes in a name. Longer changes are cut, and end with part of a
/// digest.
const LONGEST: usize = 24;

impl CliOverrides {
    /// Returns true if nothing is changed.
    pub fn is_empty(&self) -> bool {
        let CliOverrides { games, seed, settings, only, precision, time, name } = self;
        let is_same =
            games.is_none() && seed.is_none() && precision.is_none() && time.is_none() && name.is_none();
        is_same && settings.is_empty() && only.is_empty()
    }

    /// Returns true if only the name is changed, so that equal games are played.
    pub fn is_name_alone(&self) -> bool {
        !self.is_empty() && CliOverrides { name: None, ..self.clone() }.is_empty()
    }

    /// Formats the changes as options, each preceded by a blank.
    pub fn typed(&self) -> String {
        let CliOverrides { games, seed, settings, only, precision, time, name } = self;
        let games = games.iter().map(|games| format!(" --games {games}"));
        let seed = seed.iter().map(|seed| format!(" --seed {seed}"));
        let set = settings.iter().map(|setting| format!(" --set {}", quoted(&setting.to_string())));
        let only = only.iter().map(|only| format!(" --only {}", quoted(only)));
        let precision = precision.iter().map(|points| format!(" --precision {points}"));
        let time = time.iter().map(|time| format!(" --for {time}"));
        let name = name.iter().map(|name| format!(" --name {}", quoted(name)));
        games.chain(seed).chain(set).chain(only).chain(precision).chain(time).chain(name).collect()
    }

    /// Returns the name of the changed experiment: the original name and the changes.
    fn new_name(&self, of: &str) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let parts = self.parts();
        let plain = name::harmless(&parts).replace([' ', '\t'], "_");
        if plain == parts && parts.len() <= LONGEST {
            return format!("{of}{parts}");
        }
        let front: String = plain.chars().take(LONGEST).collect();
        let front = front.trim_end_matches(|letter: char| !letter.is_alphanumeric());
        format!("{of}{front}-{}", &blake3::hash(parts.as_bytes()).to_hex()[..7])
    }

    /// Returns the comment at the head of a changed experiment's file: the original experiment and
    /// the changes.
    pub(super) fn comment(&self, of: &str) -> String {
        let parts = self.parts();
        let parts: Vec<_> = parts.split('+').skip(1).map(escape::line).collect();
        if parts.is_empty() { String::new() } else { format!("# {of}, changed: {}\n", parts.join(", ")) }
    }

    /// Formats the changes except `--name` in a fixed order, each preceded by a plus.
    fn parts(&self) -> String {
        let mut parts = String::new();
        parts.extend(self.games.map(|games| format!("+games={games}")));
        parts.extend(self.seed.map(|seed| format!("+seed={seed}")));
        for SettingOverride { player, path, said, value } in &self.settings {
            let value = value.text().unwrap_or(said);
            parts += &format!("+{}.{}={value}", player.as_deref().unwrap_or("all"), path.join("."));
        }
        let only: BTreeSet<&String> = self.only.iter().collect();
        parts.extend(only.iter().map(|name| format!("+only={name}")));
        parts.extend(self.precision.map(|points| format!("+precision={points}")));
        parts.extend(self.time.iter().map(|time| format!("+for={time}")));
        parts
    }
    /// Adds the option to the messages about values of `--set`.
    pub(super) fn named(&self, mut mistakes: Vec<Diagnostic>) -> Vec<Diagnostic> {
        for mistake in &mut mistakes {
            let option = mistake.span.as_ref().and_then(|span| span.start.checked_sub(BEHIND));
            if let Some(setting) = option.and_then(|option| self.settings.get(option)) {
                mistake.message = format!("{}: {}", setting.option(), mistake.message);
                mistake.span = None;
            }
        }
        mistakes
    }

    /// Applies all changes to an experiment. Returns the parts that are dropped as a consequence;
    /// fails with a message if something to be changed does not exist.
    pub(super) fn apply(
        &self,
        experiment: &Experiment,
        dropped: &mut Vec<String>,
    ) -> Result<ExperimentAsWritten, String> {
        let mut written = (*experiment.written).clone();
        let mut revision = Revision {
            entries: experiment.entries(),
            is_kept: self.kept(experiment)?,
            is_changed: vec![false; experiment.entries().len()],
            may_stop: self.precision.is_some(),
        };
        // Players kept from a sweep become single players, so that their swept settings can be
        // changed.
        let standing = write_out(&mut written, &revision);
        let mut set = BTreeSet::new();
        for (place, setting) in self.settings.iter().enumerate() {
            set.extend(setting.apply(&revision, experiment.arena(), &mut written, BEHIND + place)?);
        }
        for (player, block) in standing {
            revision.is_changed[player] = set.contains(&block);
        }
        written.sections.revise(experiment.sections(), &revision, dropped);
        if let Some(anchor) = experiment.anchor() {
            revision.rename(&mut written.anchor, anchor);
            if !revision.has(anchor) {
                written.anchor = KeyContent::default();
                dropped.push(format!("the anchor, {}", Revision::LEFT_OUT));
            }
        }
        keep_pairings(&mut written, experiment, &revision, dropped)?;
        written.name = KeyContent::of(FileSafeName::try_from(self.new_name(experiment.name()))?);
        if let Some(games) = self.games {
            change_games(&mut written, games, dropped)?;
        }
        if let Some(seed) = self.seed {
            change_seed(&mut written, seed, experiment, dropped)?;
        }
        if let Some(points) = self.precision {
            change_precision(&mut written, points, experiment)?;
        }
        Ok(written)
    }

    /// Returns for each player whether it is kept, if `--only` names players.
    fn kept(&self, experiment: &Experiment) -> Result<Option<Vec<bool>>, String> {
        let (entries, written) = (experiment.entries(), &experiment.written);
        let mut is_kept = vec![false; entries.len()];
        for only in &self.only {
            let mut is_known = false;
            for (block, all) in blocks(written) {
                let is_whole = written.players[block].is_called(only);
                for player in all.filter(|&player| is_whole || entries[player].name == *only) {
                    (is_kept[player], is_known) = (true, true);
                }
            }
            if !is_known {
                let names = written.players.iter().filter_map(|player| player.name.value());
                let names = names.chain(entries.iter().map(|entry| &entry.name)).map(String::as_str);
                return Err(no_player("--only", only, names));
            }
        }
        Ok((!self.only.is_empty()).then_some(is_kept))
    }
}

/// Replaces a `[[player]]` that loses some players of its sweep by one `[[player]]` for each
/// remaining player. Returns the remaining players, each with the index of its `[[player]]`.
fn write_out(written: &mut ExperimentAsWritten, revision: &Revision) -> Vec<(usize, usize)> {
    let (mut players, mut standing) = (Vec::new(), Vec::new());
    for (block, all) in blocks(written) {
        let player = &written.players[block];
        if all.clone().all(|one| revision.has(one)) {
            standing.extend(all.map(|one| (one, players.len())));
            players.push(player.clone());
            continue;
        }
        let sweep = player.swept();
        for (one, choice) in all.zip(sweep.combinations()).filter(|(one, _)| revision.has(*one)) {
            standing.push((one, players.len()));
            players.push(PlayerAsWritten {
                name: KeyContent::of(pattern::literal(&revision.entries[one].name)),
                sweep: KeyContent::default(),
                settings: sweep.apply(&choice, &player.settings),
                ..player.clone()
            });
        }
    }
    written.players = players;
    standing
}

/// Source position of the first option's value. Values of the command line have positions after
/// those of any file.
const BEHIND: usize = MOST_BYTES + 1;

/// Iterates over the `[[player]]` tables, each with the indices of its players.
fn blocks(written: &ExperimentAsWritten) -> impl Iterator<Item = (usize, Range<usize>)> {
    let mut first = 0;
    written.players.iter().enumerate().map(move |(block, player)| {
        let all = first..first + player.swept().count();
        first = all.end;
        (block, all)
    })
}

/// Keeps pairings of which both players are kept. The word "round-robin" does not change: it means
/// all players that are left.
fn keep_pairings(
    written: &mut ExperimentAsWritten,
    experiment: &Experiment,
    revision: &Revision,
    dropped: &mut Vec<String>,
) -> Result<(), String> {
    if revision.is_kept.is_none() {
        return Ok(());
    }
    let Some(Pairings::Gauntlet | Pairings::Listed(_)) = written.pairings.value() else { return Ok(()) };
    let all = experiment.pairs();
    let kept: Vec<&[usize; 2]> =
        all.iter().filter(|pair| pair.iter().all(|&player| revision.has(player))).collect();
    if kept.is_empty() {
        return Err("none of the remaining players play against each other".to_owned());
    }
    if kept.len() < all.len() {
        let gone = all.len() - kept.len();
        dropped.push(format!("{gone} of {} pairings, {}", all.len(), Revision::LEFT_OUT));
    }
    let names = |pair: &[usize; 2]| pair.map(|player| experiment.entries()[player].name.as_str());
    let kept = kept.into_iter().map(|pair| KeyContent::of(Pair::of(names(pair))));
    written.pairings = KeyContent::of(Pairings::Listed(kept.collect()));
    Ok(())
}

/// Changes the number of games of each player.
fn change_games(
    written: &mut ExperimentAsWritten,
    games: u64,
    dropped: &mut Vec<String>,
) -> Result<(), String> {
    if let Some(ValueList(seeds)) = written.seeds.value_mut() {
        let listed = seeds.len();
        if games > listed as u64 {
            return Err(format!("--games {games}: the experiment has only {listed} seeds, one per game"));
        }
        seeds.truncate(games as usize);
    } else {
        let count = GameCount::of(games.into()).map_err(|flaw| format!("--games {games}: {flaw}"))?;
        written.games = KeyContent::of(count);
    }
    // A number that was announced for more games than are played belongs to another run.
    let ExperimentAsWritten { planned_games, extended_from, .. } = written;
    for (key, said, most) in
        [("planned_games", planned_games, games), ("extended_from", extended_from, games.saturating_sub(1))]
    {
        if said.value().is_some_and(|number| number.get() > most) {
            *said = KeyContent::default();
            dropped.push(format!("`{key}`, which exceeds the number of games"));
        }
    }
    Ok(())
}

/// Changes the seed of all games.
fn change_seed(
    written: &mut ExperimentAsWritten,
    seed: u64,
    experiment: &Experiment,
    dropped: &mut Vec<String>,
) -> Result<(), String> {
    if let BlockSeeds::Listed(_) = experiment.blocks() {
        return Err(format!("--seed {seed}: this experiment has `seeds`, not `seed`"));
    }
    written.seed = KeyContent::of(SeedNumber(seed));
    if written.extended_from.value().is_some() {
        written.extended_from = KeyContent::default();
        dropped.push("`extended_from`, ignored with --seed".to_owned());
    }
    Ok(())
}

/// Ends a run when the rate of every player is known to this precision.
fn change_precision(
    written: &mut ExperimentAsWritten,
    points: Points,
    experiment: &Experiment,
) -> Result<(), String> {
    if experiment.arena().shape == Shape::Duel {
        return Err(format!(
            "--precision {points}: only for one-player games; for two-player games, use `elo` in `[stop]`"
        ));
    }
    // In a solo game, a `[stop]` without `precision` compares two players.
    if written.sections.stop.as_ref().is_some_and(|stop| stop.precision.value().is_none()) {
        return Err(format!(
            "--precision {points}: {} already has a `[stop]` that compares two players; remove `[stop]` or --precision",
            experiment.name()
        ));
    }
    written.sections.stop.get_or_insert_default().precision = KeyContent::of(points);
    Ok(())
}

impl SettingOverride {
    /// Formats the option as typed.
    fn option(&self) -> String {
        format!("--set '{self}'")
    }

    /// Sets the value in each selected `[[player]]`, and returns their indices. The value gets its
    /// own source position.
    fn apply(
        &self,
        revision: &Revision,
        arena: &Arena,
        written: &mut ExperimentAsWritten,
        place: usize,
    ) -> Result<Vec<usize>, String> {
        let option = self.option();
        let manual = arena.manual();
        let has_setting = |player: &PlayerAsWritten| {
            let known =
                manual.iter().find(|known| player.algorithm.value().is_some_and(|name| name == known.name));
            known.is_some_and(|known| known.settings.contains(&&*self.path[0]))
        };
        let mut places = Vec::new();
        for (block, player) in written.players.iter_mut().enumerate() {
            let is_meant = match &self.player {
                Some(name) => player.is_called(name),
                None => has_setting(player),
            };
            if !is_meant {
                continue;
            }
            let name = player.name.value().map_or("", String::as_str);
            if player.swept().overlaps(&self.path) {
                return Err(format!(
                    "{option}: the sweep of {name} has several values of this setting; select one player with --only NAME"
                ));
            }
            if self.path == ["algorithm"] {
                let mut mistakes = Vec::new();
                player.algorithm = KeyContent::read(&placed(&self.value, place), &mut mistakes);
                if let Some(mistake) = mistakes.pop() {
                    return Err(format!("{option}: {}", mistake.message));
                }
            } else {
                let value = placed(&self.value, place);
                tree::put(&mut player.settings, &self.path, &value.span(), value)
                    .map_err(|key| format!("{option}: `{key}` of {name} is not a table"))?;
            }
            places.push(block);
        }
        if places.is_empty() {
            let names = written.players.iter().filter_map(|player| player.name.value());
            return Err(match &self.player {
                Some(name) if revision.staying().any(|known| known == name) => {
                    let only = quoted(name);
                    format!(
                        "{option}: {name:?} comes from a sweep; select it with --only {only} to change its settings"
                    )
                }
                Some(name) => no_player(&option, name, names.map(String::as_str)),
                None => format!("{option}: no player has a setting `{}`", self.path[0]),
            });
        }
        Ok(places)
    }
}

/// Gives all parts of a value one source position.
fn placed(value: &TomlValue, place: usize) -> PlacedValue {
    let value = match value {
        TomlValue::List(items) => {
            TomlValue::List(items.iter().map(|item| placed(item.get_ref(), place)).collect())
        }
        TomlValue::Table(table) => {
            let entry = |(key, value): (&toml::Spanned<String>, &PlacedValue)| {
                (toml::Spanned::new(place..place + 1, key.get_ref().clone()), placed(value.get_ref(), place))
            };
            TomlValue::Table(table.iter().map(entry).collect())
        }
        other => other.clone(),
    };
    PlacedValue::new(place..place + 1, value)
}

/// Returns the message about an unknown player.
fn no_player<'a>(option: &str, name: &str, names: impl Iterator<Item = &'a str>) -> String {
    const NAMED: usize = 10;
    let mut known = BTreeSet::new();
    let names: Vec<&str> = names.filter(|name| known.insert(*name)).collect();
    let near = nearest(name, names.iter().copied());
    // For the name of a sweep, suggests one of its players.
    let near = near.or_else(|| names.iter().copied().find(|known| known.starts_with(&format!("{name} "))));
    match near {
        Some(near) => format!("{option}: no such player {name:?}; did you mean {near:?}?"),
        None => format!("{option}: no such player {name:?}; expected one of {}", listed(&names, NAMED)),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use gauntlet_games::GAMES;
    use gauntlet_run::early_stop::EarlyStop;

    use super::*;
    use crate::config::{self, Catalog};

    const TEXT: &str = r#"
name = "x"
game = "2048"
seed = 1
games = 20
planned_games = 10   # said before

[[player]]
name = "any"
algorithm = "random"

# of note
[[player]]
name = "e"
algorithm = "swift-expectimax"
weights.empty = 2

[player.sweep]
depth = [1, 2]
weights.merges = [1, 2.5]

[[claim]]
better = "e depth=2 weights.merges=1"
than = "any"

[[claim]]
better = "e depth=1 weights.merges=1"
than = "any"

[[published]]
player = "any"
what = "win"
value = 0.0
source = "someone"
"#;

    fn made(text: &str, changes: &CliOverrides) -> Result<(Experiment, Vec<String>), String> {
        let made =
            config::changed(Catalog::of(&GAMES), Path::new("x.toml"), text.as_bytes().to_vec(), changes);
        made.map(|made| (made.experiment, made.dropped)).map_err(|error| error.to_string())
    }

    fn changed(options: &[(&str, &str)]) -> Result<(Experiment, Vec<String>), String> {
        let mut changes = CliOverrides::default();
        for (option, value) in options {
            match *option {
                "games" => changes.games = Some(value.parse().unwrap()),
                "set" => changes.settings.push(value.parse()?),
                "only" => changes.only.push((*value).to_owned()),
                "precision" => changes.precision = Some(value.parse()?),
                _ => changes.name = Some((*value).to_owned()),
            }
        }
        made(TEXT, &changes)
    }

    fn names(experiment: &Experiment) -> Vec<&str> {
        experiment.entries().iter().map(|entry| &*entry.name).collect()
    }

    #[test]
    fn games_are_changed_and_what_was_planned_for_more_goes() {
        let (experiment, dropped) = changed(&[("games", "5")]).unwrap();
        assert_eq!((experiment.name(), experiment.blocks().len()), ("x+games=5", 5));
        assert_eq!(experiment.planned_games(), None);
        assert_eq!(dropped, ["`planned_games`, which exceeds the number of games"]);
        let (experiment, dropped) = changed(&[("games", "50"), ("name", "y")]).unwrap();
        assert_eq!((experiment.name(), experiment.planned_games(), dropped.len()), ("y", Some(10), 0));
    }

    #[test]
    fn precision_is_a_stop_of_the_file() {
        let precision = |options: &[(&str, &str)]| {
            let (experiment, dropped) = changed(options).unwrap();
            match &experiment.sections().stop {
                Some(EarlyStop::Precision(precision)) => (precision.points.get(), dropped.len(), experiment),
                other => panic!("{other:?}"),
            }
        };
        let (points, dropped, experiment) = precision(&[("precision", "0.5"), ("only", "any")]);
        assert_eq!((points, experiment.name()), (0.5, "x+only=any+precision=0.5"));
        // The claims are about players that are excluded.
        assert_eq!(dropped, 1);
        assert!(experiment.text().contains("[stop]\nprecision = 0.5\n"), "{}", experiment.text());
        // The option overrides a value in the file.
        let again = CliOverrides { precision: Some("2".parse().unwrap()), ..CliOverrides::default() };
        let bytes = experiment.text();
        let (again, _) = made(bytes, &again).unwrap();
        assert!(again.text().contains("[stop]\nprecision = 2.0\n"), "{}", again.text());
        // Tests of scores are valid only for a fixed number of games.
        let by_score = TEXT.replacen("than = \"any\"\n", "than = \"any\"\nby = \"score\"\n", 1);
        let asked = CliOverrides { precision: Some("2".parse().unwrap()), ..CliOverrides::default() };
        let (kept, dropped) = made(&by_score, &asked).unwrap();
        assert_eq!(kept.sections().claims.len(), 1);
        assert_eq!(dropped, ["a [[claim]], by a measure that a run with `[stop]` cannot test"]);
        // A comparison of two players is another rule.
        let pair = format!("{TEXT}\n[stop]\nbetter = \"any\"\nthan = \"e depth=1 weights.merges=1\"\n");
        let error = made(&pair, &asked).unwrap_err();
        assert!(error.contains("compares two players"), "{error}");
    }

    #[test]
    fn players_of_a_sweep_can_play_alone() {
        let one = "e depth=2 weights.merges=1";
        let (experiment, dropped) = changed(&[("only", one), ("only", "any")]).unwrap();
        assert_eq!(names(&experiment), ["any", one]);
        assert_eq!(experiment.sections().claims.len(), 1);
        assert_eq!(dropped, ["a [[claim]], for excluded players"]);
        let (all, _) = changed(&[]).unwrap();
        let was = all.entries().iter().find(|entry| entry.name == one).unwrap();
        assert_eq!(experiment.entries()[1].entrant.settings, was.entrant.settings);
        // Its settings differ from those of its neighbours.
        assert!(
            all.entries().iter().filter(|other| other.entrant.settings == was.entrant.settings).count() == 1
        );
        let (experiment, dropped) = changed(&[("only", "e")]).unwrap();
        assert_eq!((names(&experiment).len(), experiment.sections().claims.len()), (4, 0));
        assert_eq!(dropped.len(), 2, "{dropped:?}");
    }

    #[test]
    fn settings_are_set_where_they_are() {
        let (experiment, _) = changed(&[
            ("set", "e depth=1 weights.merges=2.5:weights.empty=3"),
            ("only", "e depth=1 weights.merges=2.5"),
        ])
        .unwrap();
        let settings = experiment.entries()[0].entrant.settings.to_string();
        assert!(settings.contains("\"empty\":3"), "{settings}");
        let (experiment, dropped) =
            changed(&[("set", "any:algorithm=greedy"), ("set", "*:ties=last")]).unwrap();
        assert_eq!(experiment.entries()[0].entrant.settings["ties"], "last");
        // The published number was that of the unchanged player.
        assert_eq!(dropped, ["a [[published]], for changed players"]);
    }

    #[test]
    fn mistakes_are_told() {
        // A player without a sweep is named once.
        let said = changed(&[("only", "zzzzzz")]).unwrap_err();
        assert_eq!(said.matches("any").count(), 1, "{said}");
        let check = |option: (&str, &str), expected: &str| {
            let said = changed(&[option]).unwrap_err();
            assert!(said.contains(expected), "{option:?}: {said}");
        };
        check(("set", "e:depth=3"), "select one player with --only NAME");
        check(("set", "ay:x=3"), "--set 'ay:x=3': no such player \"ay\"; did you mean \"any\"?");
        check(("set", "ay:x='3'"), "--set 'ay:x='3'': ");
        check(("set", "ay:x='last'"), "--set 'ay:x=last': ");
        check(
            ("set", "e depth=2 weights.merges=1:depth=3"),
            "comes from a sweep; select it with --only 'e depth=2 weights.merges=1' to change",
        );
        check(("set", "*:nothing=3"), "no player has a setting `nothing`");
        check(("set", "e:version=zzz"), "x.toml: --set 'e:version=zzz': unknown key");
        check(("set", "e:weights.empty.x=1"), "`empty` of e is not a table");
        check(("set", "e=3"), "expected NAME:key=value");
        check(("set", "e:name=f"), "is not a setting");
        check(("set", "e:x=[1"), "is not a TOML value");
        check(("only", "e depth=3"), "no such player");
        check(("name", "a/b"), "a name must not contain `/`");
        check(("games", "2000000000"), "at most 1000000000 games");
    }

    #[test]
    fn names_are_those_of_folders_and_differ() {
        let name = |options: &[(&str, &str)]| changed(options).unwrap().0.name().to_owned();
        assert_eq!(name(&[("games", "9"), ("only", "any")]), "x+games=9+only=any");
        assert_eq!(name(&[("only", "any"), ("only", "e")]), name(&[("only", "e"), ("only", "any")]));
        let [one, two] = ["e depth=1 weights.merges=1", "e depth=1 weights.merges=2.5"]
            .map(|only| name(&[("only", only)]));
        assert_ne!(one, two);
        let digest = one.strip_prefix("x+only=e_depth=1_weights-");
        assert!(digest.is_some_and(|digest| digest.len() == 7), "{one}");
        let (experiment, _) = changed(&[("only", "e depth=1 weights.merges=1"), ("games", "9")]).unwrap();
        let said = "# x, changed: games=9, only=e depth=1 weights.merges=1\n";
        assert!(experiment.text().starts_with(said), "{}", experiment.text());
    }
}
