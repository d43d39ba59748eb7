//! Changes of an experiment on the command line.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::game::Shape;
use gauntlet_core::num::Points;
use gauntlet_core::settings::tree::{self, PlacedValue, TomlTable, TomlValue, wrap_unplaced};
use gauntlet_core::text::{escape, format_games, quote};
use gauntlet_run::early_stop::EarlyStop;
use toml::Spanned;

use super::blocks::MAX_GAMES_EACH;
use super::experiment::Experiment;
use super::name;
use super::player_tables::{PlayerTable, PlayerTables, unknown_player_message};
use super::sections::claim::Claim;
use super::selection::{EXCLUDED, Selection, retain_table, retain_tables};
use super::time::DurationArg;

/// Command-line overrides of an experiment.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct CliOverrides {
    /// Games per player, or per pairing in two-player games
    ///
    /// In two-player games, an odd number is rounded up.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX_GAMES_EACH))]
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
    value_text: String,
    value: TomlValue,
}

impl FromStr for SettingOverride {
    type Err = String;

    fn from_str(text: &str) -> Result<SettingOverride, String> {
        let form = "expected NAME:key=value, such as greedy:ties=last, or *:key=value for all players that have the setting";
        let (player, setting) = text.split_once(':').filter(|(player, _)| !player.is_empty()).ok_or(form)?;
        let (path, value, value_text) = parse_setting(setting, form)?;
        if ["name", "group", "sweep"].contains(&&*path[0]) {
            return Err(format!("`{}` is not a setting of any algorithm", path[0]));
        }
        let player = (player != "*").then(|| player.to_owned());
        let value_text = value.as_text().filter(|text| is_bare(text)).unwrap_or(value_text).to_owned();
        Ok(SettingOverride { player, path, value_text, value })
    }
}

impl fmt::Display for SettingOverride {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let SettingOverride { player, path, value_text, .. } = self;
        write!(f, "{}:{}={value_text}", player.as_deref().unwrap_or("*"), path.join("."))
    }
}

/// Reads a setting, `key=value`: the keys of its path, its value, which is TOML or plain text, and
/// the value as typed. Other texts fail with the message `form`.
pub(super) fn parse_setting<'a>(
    text: &'a str,
    form: &str,
) -> Result<(Vec<String>, TomlValue, &'a str), String> {
    let (path, value) = text.split_once('=').ok_or(form)?;
    let path: Vec<String> = path.split('.').map(|key| key.trim().to_owned()).collect();
    if path.iter().any(String::is_empty) {
        return Err(form.to_owned());
    }
    let value = value.trim();
    match TomlValue::parse(value) {
        Ok(parsed_value) => Ok((path, parsed_value, value)),
        // Plain text that is not TOML is a string.
        Err(_) if is_bare(value) => Ok((path, TomlValue::Text(value.to_owned()), value)),
        Err(error) => {
            let is_text = !value.starts_with(['[', '{']) && !value.contains(['"', '\'', '\\']);
            let keys = path.join(".");
            let remedy =
                if is_text { format!("; put it in quotes: {keys}=\"{value}\"") } else { String::new() };
            Err(format!("`{value}` is not a TOML value: {error}{remedy}"))
        }
    }
}

/// Returns true if a text is plain and no TOML value, so that it needs no quotes on the command
/// line.
fn is_bare(text: &str) -> bool {
    let is_plain = |character: char| character.is_alphanumeric() || "-_./ ".contains(character);
    !text.is_empty() && text.chars().all(is_plain) && TomlValue::parse(text).is_err()
}

/// Largest number of bytes of changes in a name. Longer changes are cut, and end with part of a
/// digest.
const MAX_SUFFIX_BYTES: usize = 24;

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
    pub fn to_options(&self) -> String {
        let CliOverrides { games, seed, settings, only, precision, time, name } = self;
        let games = games.iter().map(|games| format!(" --games {games}"));
        let seed = seed.iter().map(|seed| format!(" --seed {seed}"));
        let set = settings.iter().map(|setting| format!(" --set {}", quote(&setting.to_string())));
        let only = only.iter().map(|only| format!(" --only {}", quote(only)));
        let precision = precision.iter().map(|points| format!(" --precision {points}"));
        let time = time.iter().map(|time| format!(" --for {time}"));
        let name = name.iter().map(|name| format!(" --name {}", quote(name)));
        games.chain(seed).chain(set).chain(only).chain(precision).chain(time).chain(name).collect()
    }

    /// Returns the name of the changed experiment: the original name and the changes.
    fn new_name(&self, original: &str) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let suffix = self.name_suffix();
        let safe_suffix = name::sanitize(&suffix).replace([' ', '\t'], "_");
        let is_kept = safe_suffix == suffix && suffix.len() <= MAX_SUFFIX_BYTES;
        let own = if is_kept { suffix } else { name::cut(&safe_suffix, &suffix, MAX_SUFFIX_BYTES) };
        name::shorten(&format!("{original}{own}"), name::MAX_NAME_BYTES)
    }

    /// Returns the comment at the head of a changed experiment's file: the original experiment and
    /// the changes.
    pub(super) fn comment(&self, original: &str) -> String {
        let suffix = self.name_suffix();
        let changes: Vec<_> = suffix.split('+').skip(1).map(escape::line).collect();
        if changes.is_empty() {
            String::new()
        } else {
            format!("# {original}, changed: {}\n", changes.join(", "))
        }
    }

    /// Formats the changes except `--name` in a fixed order, each preceded by a plus.
    fn name_suffix(&self) -> String {
        let mut suffix = String::new();
        suffix.extend(self.games.map(|games| format!("+games={games}")));
        suffix.extend(self.seed.map(|seed| format!("+seed={seed}")));
        for SettingOverride { player, path, value_text, value } in &self.settings {
            let value = value.as_text().unwrap_or(value_text);
            suffix += &format!("+{}.{}={value}", player.as_deref().unwrap_or("all"), path.join("."));
        }
        let only_names: BTreeSet<&String> = self.only.iter().collect();
        suffix.extend(only_names.iter().map(|name| format!("+only={name}")));
        suffix.extend(self.precision.map(|points| format!("+precision={points}")));
        suffix.extend(self.time.iter().map(|time| format!("+for={time}")));
        suffix
    }

    /// Applies all changes to the keys of an experiment; values get positions of `options`. Returns
    /// the parts that are dropped as a consequence; fails with a message if something to be changed
    /// does not exist.
    pub(super) fn apply(
        &self,
        experiment: &Experiment,
        table: &mut TomlTable,
        options: &mut OptionPositions,
    ) -> Result<Vec<String>, String> {
        let mut dropped_parts = Vec::new();
        let mut players = PlayerTables::take(experiment, table);
        let is_kept = players.select(&self.only, experiment)?;
        let mut selection = Selection::new(experiment.players(), is_kept);
        players.exclude(&selection, &self.only, experiment);
        for setting in &self.settings {
            let place = options.add(setting.option());
            setting.apply(&mut players, experiment, &place)?;
        }
        selection.renamed = players.rename(experiment).map_err(|reason| {
            let settings = self.settings.iter().map(SettingOverride::option).collect::<Vec<_>>();
            format!("{}: {reason}", settings.join(" "))
        })?;
        self.keep_sections(table, experiment, &players, &selection, &mut dropped_parts);
        keep_pairings(table, experiment, &selection, &mut dropped_parts)?;
        table.insert(wrap_unplaced("player".to_owned()), players.into_value());
        let name = self.new_name(experiment.name());
        let place = options.add(format!("--name {}", quote(&name)));
        put(table, &["name"], TomlValue::Text(name), place)?;
        if let Some(games) = self.games {
            change_games(table, games, experiment.arena().shape, options, &mut dropped_parts)?;
        }
        if let Some(seed) = self.seed {
            let place = options.add(format!("--seed {seed}"));
            put(table, &["seed"], TomlValue::Whole(seed.into()), place)?;
            if table.remove("extended_from").is_some() {
                dropped_parts.push("`extended_from`, ignored with --seed".to_owned());
            }
        }
        if let Some(points) = self.precision {
            let stop = table.get("stop").map(PlacedValue::get_ref);
            // In a solo game, a `[stop]` without `precision` compares two players.
            if let Some(TomlValue::Table(stop)) = stop
                && !stop.contains_key("precision")
            {
                return Err(format!(
                    "--precision {points}: {} already has a `[stop]` that compares two players; remove `[stop]` or --precision",
                    experiment.name()
                ));
            }
            let place = options.add(format!("--precision {points}"));
            put(table, &["stop", "precision"], TomlValue::Real(format!("{:?}", points.get())), place)?;
        }
        Ok(dropped_parts)
    }
    /// Drops what is about excluded or changed players, or can no longer be tested.
    fn keep_sections(
        &self,
        table: &mut TomlTable,
        experiment: &Experiment,
        players: &PlayerTables,
        selection: &Selection,
        dropped_parts: &mut Vec<String>,
    ) {
        let is_changed = |player: usize| players.0.iter().any(|one| one.is_changed && one.has(player));
        let sections = experiment.sections();
        retain_tables(
            table,
            "claim",
            &sections.claims,
            dropped_parts,
            |claim, Claim { player, rival, measure, .. }| {
                // Tests of means are valid only for a number of games that is fixed beforehand.
                let is_open = self.precision.is_some() && !measure.is_rate();
                match selection.keep(claim, &[("better", *player), ("than", *rival)]) {
                    true => is_open.then_some("by a measure that a run with `[stop]` cannot test"),
                    false => Some(EXCLUDED),
                }
            },
        );
        if let Some(players) = sections.stop.as_ref().and_then(EarlyStop::comparison) {
            retain_table(table, "stop", dropped_parts, |stop| {
                selection.keep(stop, &[("better", players.better_player), ("than", players.other_player)])
            });
        }
        retain_tables(table, "published", &sections.published, dropped_parts, |number, published| {
            match selection.keep(number, &[("player", published.player)]) {
                true => is_changed(published.player).then_some("for changed players"),
                false => Some(EXCLUDED),
            }
        });
        for (section, content) in experiment.catalog.sections.iter().zip(&sections.drivers) {
            let (section, Some(content)) = (section.0(), content) else { continue };
            retain_table(table, section.key(), dropped_parts, |table| {
                section.select(table, content, selection)
            });
        }
        if experiment.anchor().is_some_and(|anchor| !selection.keep(table, &[("anchor", anchor)])) {
            table.remove("anchor");
            dropped_parts.push(format!("the anchor, {EXCLUDED}"));
        }
    }
}

/// Positions of options: they follow those of the file.
pub(super) struct OptionPositions {
    start: usize,
    options: Vec<String>,
}

impl OptionPositions {
    /// Creates positions after those of a text.
    pub(super) fn after(text: &str) -> OptionPositions {
        OptionPositions { start: text.len() + 1, options: Vec::new() }
    }

    pub(super) fn add(&mut self, option: String) -> Range<usize> {
        let start = self.start + self.options.len();
        self.options.push(option);
        start..start + 1
    }

    /// Adds the option to the messages about its value.
    pub(super) fn name_options(&self, mut mistakes: Vec<Diagnostic>) -> Vec<Diagnostic> {
        for mistake in &mut mistakes {
            let index = mistake.span.as_ref().and_then(|span| span.start.checked_sub(self.start));
            if let Some(option) = index.and_then(|index| self.options.get(index)) {
                mistake.message = format!("{option}: {}", mistake.message);
                mistake.span = None;
            }
        }
        mistakes
    }
}

/// Puts a value under a path of keys.
fn put(table: &mut TomlTable, path: &[&str], value: TomlValue, place: Range<usize>) -> Result<(), String> {
    let path: Vec<String> = path.iter().map(|&key| key.to_owned()).collect();
    tree::put(table, &path, &place, PlacedValue::new(place.clone(), value))
        .map_err(|key| format!("`{key}` is not a table"))
}

/// Keeps pairings of which both players are kept. The word "round-robin" does not change: it means
/// all players that are left.
fn keep_pairings(
    table: &mut TomlTable,
    experiment: &Experiment,
    selection: &Selection,
    dropped_parts: &mut Vec<String>,
) -> Result<(), String> {
    let Some(pairings) = table.get_mut("pairings").filter(|_| selection.changes_names()) else {
        return Ok(());
    };
    if pairings.get_ref().as_text() == Some("round-robin") {
        return Ok(());
    }
    let pairs = experiment.pairs();
    let kept_pairs = pairs.iter().filter(|pair| pair.iter().all(|&player| selection.has(player)));
    let kept_pairs: Vec<PlacedValue> = kept_pairs.map(|pair| selection.names(pair)).collect();
    if kept_pairs.is_empty() {
        return Err("none of the remaining players play against each other".to_owned());
    }
    if kept_pairs.len() < pairs.len() {
        let dropped_pairs = pairs.len() - kept_pairs.len();
        dropped_parts.push(format!("{dropped_pairs} of {} pairings, {EXCLUDED}", pairs.len()));
    }
    *pairings = wrap_unplaced(TomlValue::List(kept_pairs));
    Ok(())
}

/// Changes the number of games of each player, or of each pairing in duels. Each seed of a duel has
/// several games, so the number is rounded up.
fn change_games(
    table: &mut TomlTable,
    games: u64,
    shape: Shape,
    options: &mut OptionPositions,
    dropped_parts: &mut Vec<String>,
) -> Result<(), String> {
    let legs = shape.legs() as u64;
    let option = format!("--games {games}");
    let blocks = games.div_ceil(legs);
    let games = legs * blocks;
    if let Some(TomlValue::List(seeds)) = table.get_mut("seeds").map(PlacedValue::get_mut) {
        let seed_count = seeds.len();
        match usize::try_from(blocks) {
            Ok(blocks) if blocks <= seed_count => seeds.truncate(blocks),
            _ => {
                let each = if legs == 1 { "one game".to_owned() } else { format_games(legs) };
                return Err(format!("{option}: the experiment has only {seed_count} seeds, {each} per seed"));
            }
        }
    } else {
        let place = options.add(option);
        put(table, &["games"], TomlValue::Whole(games.into()), place)?;
    }
    // A number that was announced for more games than are played belongs to another run.
    for (key, max_value) in [("planned_games", games), ("extended_from", games.saturating_sub(1))] {
        if let Some(TomlValue::Whole(number)) = table.get(key).map(PlacedValue::get_ref)
            && *number > max_value.into()
        {
            table.remove(key);
            dropped_parts.push(format!("`{key}`, which exceeds the number of games"));
        }
    }
    Ok(())
}

impl SettingOverride {
    /// Formats the option as it can be typed.
    fn option(&self) -> String {
        format!("--set {}", quote(&self.to_string()))
    }

    /// Sets the value in each selected `[[player]]`.
    fn apply(
        &self,
        players: &mut PlayerTables,
        experiment: &Experiment,
        place: &Range<usize>,
    ) -> Result<(), String> {
        let option = self.option();
        let manuals = experiment.arena().manual();
        let mut is_known = false;
        for player in &mut players.0 {
            let algorithm = player.table.get("algorithm").and_then(|value| value.get_ref().as_text());
            let name = player.name().to_owned();
            let is_selected = match &self.player {
                Some(player_name) => player.is_named(player_name, experiment),
                None => manuals.iter().any(|manual| {
                    Some(manual.name) == algorithm && manual.settings.contains(&&*self.path[0])
                }),
            };
            if !is_selected {
                continue;
            }
            if player.sweep().overlaps(&self.path) {
                return Err(format!(
                    "{option}: the sweep of {name} has several values of this setting; select one player with --only NAME"
                ));
            }
            tree::put(&mut player.table, &self.path, place, set_place(&self.value, place))
                .map_err(|key| format!("{option}: `{key}` of {name} is not a table"))?;
            // A player that is named after its algorithm keeps its name.
            if !player.table.contains_key("name") {
                player.table.insert(wrap_unplaced("name".to_owned()), wrap_unplaced(TomlValue::Text(name)));
            }
            (player.is_changed, is_known) = (true, true);
        }
        if is_known {
            return Ok(());
        }
        let is_player = |name: &str| {
            let indices = players.0.iter().flat_map(|family| family.players.clone());
            indices.into_iter().any(|one| experiment.players()[one].name == name)
        };
        Err(match &self.player {
            Some(name) if is_player(name) => {
                let only = quote(name);
                format!(
                    "{option}: {name:?} comes from a sweep; select it with --only {only} to change its settings"
                )
            }
            Some(name) => unknown_player_message(&option, name, players.0.iter().map(PlayerTable::name)),
            None => format!("{option}: no player has a setting `{}`", self.path[0]),
        })
    }
}

/// Gives all parts of a value one position.
pub(super) fn set_place(value: &TomlValue, place: &Range<usize>) -> PlacedValue {
    let value = match value {
        TomlValue::List(items) => {
            TomlValue::List(items.iter().map(|item| set_place(item.get_ref(), place)).collect())
        }
        TomlValue::Table(table) => {
            let entry = |(key, value): (&Spanned<String>, &PlacedValue)| {
                (Spanned::new(place.clone(), key.get_ref().clone()), set_place(value.get_ref(), place))
            };
            TomlValue::Table(table.iter().map(entry).collect())
        }
        other => other.clone(),
    };
    PlacedValue::new(place.clone(), value)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use gauntlet_games::GAMES;
    use gauntlet_run::early_stop::EarlyStop;

    use super::*;
    use crate::config::player::ExperimentPlayer;
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

    fn make(text: &str, changes: &CliOverrides) -> Result<(Experiment, Vec<String>), String> {
        let changed = config::load_with_changes(
            Catalog::new(&GAMES),
            Path::new("x.toml"),
            text.as_bytes().to_vec(),
            changes,
        );
        changed.map(|changed| (changed.experiment, changed.dropped_parts)).map_err(|error| error.to_string())
    }

    fn change(options: &[(&str, &str)]) -> Result<(Experiment, Vec<String>), String> {
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
        make(TEXT, &changes)
    }

    fn player_names(experiment: &Experiment) -> Vec<&str> {
        experiment.players().iter().map(|entry| &*entry.name).collect()
    }

    #[test]
    fn games_are_changed_and_what_was_planned_for_more_goes() {
        let (experiment, dropped_parts) = change(&[("games", "5")]).unwrap();
        assert_eq!((experiment.name(), experiment.blocks().len()), ("x+games=5", 5));
        assert_eq!(experiment.planned_games(), None);
        assert_eq!(dropped_parts, ["`planned_games`, which exceeds the number of games"]);
        let (experiment, dropped_parts) = change(&[("games", "50"), ("name", "y")]).unwrap();
        assert_eq!((experiment.name(), experiment.planned_games(), dropped_parts.len()), ("y", Some(10), 0));
    }

    /// A seed of a duel has two games.
    #[test]
    fn games_of_a_duel_are_two_per_seed() {
        let duel = |blocks: &str| {
            format!(
                "name = 'd'\ngame = 'gomoku'\n{blocks}\nplanned_games = 4\n\
                 [[player]]\nalgorithm = 'random'\n[[player]]\nalgorithm = 'gomoku-greedy'\n"
            )
        };
        let change = |blocks: &str, games: u64| {
            make(&duel(blocks), &CliOverrides { games: Some(games), ..CliOverrides::default() })
        };
        for blocks in ["seeds = [5, 6, 7, 8]", "seed = 1\ngames = 8"] {
            for (games, expected, planned) in
                [(1, 1, None), (3, 2, Some(4)), (4, 2, Some(4)), (8, 4, Some(4))]
            {
                let (experiment, _) = change(blocks, games).unwrap();
                assert_eq!(experiment.blocks().len(), expected, "{games} games of {blocks}");
                assert_eq!(experiment.planned_games(), planned, "{games} games of {blocks}");
            }
        }
        let message = change("seeds = [5, 6, 7, 8]", 9).unwrap_err();
        assert!(
            message.contains("--games 9: the experiment has only 4 seeds, 2 games per seed"),
            "{message}"
        );
    }

    #[test]
    fn precision_is_a_stop_of_the_file() {
        let precision = |options: &[(&str, &str)]| {
            let (experiment, dropped_parts) = change(options).unwrap();
            match &experiment.sections().stop {
                Some(EarlyStop::Precision(precision)) => {
                    (precision.points.get(), dropped_parts.len(), experiment)
                }
                other => panic!("{other:?}"),
            }
        };
        let (points, dropped_count, experiment) = precision(&[("precision", "0.5"), ("only", "any")]);
        assert_eq!((points, experiment.name()), (0.5, "x+only=any+precision=0.5"));
        // The claims are about players that are excluded.
        assert_eq!(dropped_count, 1);
        assert!(experiment.text().contains("[stop]\nprecision = 0.5\n"), "{}", experiment.text());
        // The option overrides a value in the file.
        let overrides = CliOverrides { precision: Some("2".parse().unwrap()), ..CliOverrides::default() };
        let bytes = experiment.text();
        let (result, _) = make(bytes, &overrides).unwrap();
        assert!(result.text().contains("[stop]\nprecision = 2.0\n"), "{}", result.text());
        // Tests of scores are valid only for a fixed number of games.
        let by_score = TEXT.replacen("than = \"any\"\n", "than = \"any\"\nby = \"score\"\n", 1);
        let precision_overrides =
            CliOverrides { precision: Some("2".parse().unwrap()), ..CliOverrides::default() };
        let (changed, dropped_parts) = make(&by_score, &precision_overrides).unwrap();
        assert_eq!(changed.sections().claims.len(), 1);
        assert_eq!(dropped_parts, ["a [[claim]], by a measure that a run with `[stop]` cannot test"]);
        // A comparison of two players is another rule.
        let pair = format!("{TEXT}\n[stop]\nbetter = \"any\"\nthan = \"e depth=1 weights.merges=1\"\n");
        let error = make(&pair, &precision_overrides).unwrap_err();
        assert!(error.contains("compares two players"), "{error}");
    }

    #[test]
    fn players_of_a_sweep_can_play_alone() {
        let name = "e depth=2 weights.merges=1";
        let (experiment, dropped_parts) = change(&[("only", name), ("only", "any")]).unwrap();
        assert_eq!(player_names(&experiment), ["any", name]);
        assert_eq!(experiment.sections().claims.len(), 1);
        assert_eq!(dropped_parts, ["a [[claim]], for excluded players"]);
        let (unchanged, _) = change(&[]).unwrap();
        let original = unchanged.players().iter().find(|entry| entry.name == name).unwrap();
        assert_eq!(experiment.players()[1].entry.settings, original.entry.settings);
        // Its settings differ from those of its neighbours.
        assert!(
            unchanged
                .players()
                .iter()
                .filter(|other| other.entry.settings == original.entry.settings)
                .count()
                == 1
        );
        let (experiment, dropped_parts) = change(&[("only", "e")]).unwrap();
        assert_eq!((player_names(&experiment).len(), experiment.sections().claims.len()), (4, 0));
        assert_eq!(dropped_parts.len(), 2, "{dropped_parts:?}");
    }

    #[test]
    fn settings_are_set_where_they_are() {
        let (experiment, _) = change(&[
            ("set", "e depth=1 weights.merges=2.5:weights.empty=3"),
            ("only", "e depth=1 weights.merges=2.5"),
        ])
        .unwrap();
        let settings = experiment.players()[0].entry.settings.to_string();
        assert!(settings.contains("\"empty\":3"), "{settings}");
        let (experiment, dropped_parts) =
            change(&[("set", "any:algorithm=greedy"), ("set", "*:ties=last")]).unwrap();
        assert_eq!(experiment.players()[0].entry.settings["ties"], "last");
        // The published number was that of the unchanged player.
        assert_eq!(dropped_parts, ["a [[published]], for changed players"]);
    }

    /// Players of a sweep or a pattern are changed by their full names, if all of them are selected
    /// as well.
    #[test]
    fn a_player_of_several_is_changed_by_its_name() {
        let text = "name = 'x'\ngame = '2048'\nseed = 1\ngames = 1\n\
                    [[player]]\nname = 'n {depth}'\nalgorithm = 'swift-expectimax'\nsweep.depth = [1, 2]\n\
                    [[player]]\nname = 'one {depth}'\nalgorithm = 'swift-expectimax'\ndepth = 1\n";
        let empty = |only: &[&str], set: &str| {
            let only = only.iter().map(|&name| name.to_owned()).collect();
            let settings = vec![format!("{set}:weights.empty=3").parse().unwrap()];
            let (experiment, _) = make(text, &CliOverrides { only, settings, ..CliOverrides::default() })?;
            let empty = |entry: &ExperimentPlayer| {
                (entry.name.clone(), entry.entry.settings["weights"]["empty"] == 3.0)
            };
            Ok::<_, String>(experiment.players().iter().map(empty).collect::<Vec<_>>())
        };
        let players = |all: &[(&str, bool)]| {
            Ok(all.iter().map(|(name, is_set)| ((*name).to_owned(), *is_set)).collect::<Vec<_>>())
        };
        assert_eq!(empty(&["one 1"], "one 1"), players(&[("one 1", true)]));
        assert_eq!(empty(&["n 1", "n 2"], "n 1"), players(&[("n 1", true), ("n 2", false)]));
        assert_eq!(empty(&["n 2"], "n {depth}"), players(&[("n 2", true)]));
        assert_eq!(empty(&[], "one 1"), players(&[("n 1", false), ("n 2", false), ("one 1", true)]));
        assert!(empty(&[], "n 1").unwrap_err().contains("select it with --only 'n 1'"));
    }

    #[test]
    fn a_name_contains_the_changed_settings() {
        let one = "e depth=2 weights.merges=1";
        let set = |setting: &str| format!("{one}:{setting}");
        let (experiment, _) = change(&[("only", one), ("only", "any"), ("set", &set("depth=5"))]).unwrap();
        let renamed = "e depth=5 weights.merges=1";
        assert_eq!(player_names(&experiment), ["any", renamed]);
        assert_eq!(experiment.players()[1].entry.settings["depth"], 5);
        // The claim is about the same player.
        assert_eq!(experiment.sections().claims.iter().map(|claim| claim.player).collect::<Vec<_>>(), [1]);
        let other = "e depth=1 weights.merges=1";
        let message = change(&[("only", one), ("only", other), ("set", &set("depth=1"))]).unwrap_err();
        let expected = format!("--set '{one}:depth=1': two players would have the name {other:?}");
        assert!(message.contains(&expected), "{message}");
        let message = change(&[("only", one), ("set", &set("weights={empty = 1}"))]).unwrap_err();
        assert!(message.contains("contains `weights.merges`, so it must have a value"), "{message}");
    }

    #[test]
    fn a_pattern_contains_the_changed_settings() {
        let text = "name = 'x'\ngame = '2048'\nseed = 1\ngames = 1\n\
                    [[player]]\nname = 'n {depth} {weights.empty}'\nalgorithm = 'swift-expectimax'\n\
                    weights.empty = 2\nsweep.depth = [1, 2]\n\
                    [[claim]]\nbetter = 'n 2 2'\nthan = 'n 1 2'\n";
        let check = |only: &[&str], set: &str, expected: &[&str], claims: usize| {
            let only = only.iter().map(|&name| name.to_owned()).collect();
            let changes =
                CliOverrides { only, settings: vec![set.parse().unwrap()], ..CliOverrides::default() };
            let (experiment, _) = make(text, &changes).unwrap();
            assert_eq!(player_names(&experiment), expected, "{set}");
            assert_eq!(experiment.sections().claims.len(), claims, "{set}");
        };
        check(&["n 1 2"], "n 1 2:depth=3", &["n 3 2"], 0);
        check(&["n 1 2", "n 2 2"], "n 1 2:depth=3", &["n 3 2", "n 2 2"], 1);
        check(&[], "*:weights.empty=4", &["n 1 4", "n 2 4"], 1);
    }

    #[test]
    fn mistakes_are_told() {
        // A player without a sweep is named once.
        let error = change(&[("only", "zzzzzz")]).unwrap_err();
        assert_eq!(error.matches("any").count(), 1, "{error}");
        let check = |option: (&str, &str), expected: &str| {
            let error = change(&[option]).unwrap_err();
            assert!(error.contains(expected), "{option:?}: {error}");
        };
        check(("set", "e:depth=3"), "select one player with --only NAME");
        check(("set", "ay:x=3"), "--set ay:x=3: no such player \"ay\"; did you mean \"any\"?");
        check(("set", "a y:x=3"), "--set 'a y:x=3': ");
        check(("set", "ay:x='3'"), r"--set 'ay:x='\''3'\''': ");
        check(("set", "ay:x='last'"), "--set ay:x=last: ");
        check(
            ("set", "e depth=2 weights.merges=1:depth=3"),
            "comes from a sweep; select it with --only 'e depth=2 weights.merges=1' to change",
        );
        check(("set", "*:nothing=3"), "no player has a setting `nothing`");
        check(("set", "e:version=zzz"), "x.toml: --set e:version=zzz: unknown key");
        check(("set", "e:weights.empty.x=1"), "`empty` of e is not a table");
        check(("set", "e=3"), "expected NAME:key=value");
        check(("set", "e:name=f"), "is not a setting");
        check(("set", "e:x=[1"), "is not a TOML value");
        check(("set", "e:x=a{b}"), "put it in quotes: x=\"a{b}\"");
        check(("only", "e depth=3"), "no such player");
        check(("name", "a/b"), "a name must not contain `/`");
        check(("games", "2000000000"), "--games 2000000000: must be a whole number from 1 to 1000000000");
    }

    #[test]
    fn names_are_those_of_folders_and_differ() {
        let name = |options: &[(&str, &str)]| change(options).unwrap().0.name().to_owned();
        assert_eq!(name(&[("games", "9"), ("only", "any")]), "x+games=9+only=any");
        assert_eq!(name(&[("only", "any"), ("only", "e")]), name(&[("only", "e"), ("only", "any")]));
        let [one, two] = ["e depth=1 weights.merges=1", "e depth=1 weights.merges=2.5"]
            .map(|only| name(&[("only", only)]));
        assert_ne!(one, two);
        let digest = one.strip_prefix("x+only=e_depth=1_weights-");
        assert!(digest.is_some_and(|digest| digest.len() == 7), "{one}");
        let (experiment, _) = change(&[("only", "e depth=1 weights.merges=1"), ("games", "9")]).unwrap();
        let comment = "# x, changed: games=9, only=e depth=1 weights.merges=1\n";
        assert!(experiment.text().starts_with(comment), "{}", experiment.text());
    }
}
