//! An experiment that is changed on the command line: its text is changed, so that what is kept of it is complete.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::experiment::Experiment;
use super::stop::EarlyStop;
use super::time::Time;
use super::tune::Field;
use super::{name, pairings, pattern};
use crate::diagnostic::nearest;
use crate::num::Points;
use crate::text::{listed, quoted};

/// What the command line asks for in place of what a file says.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// How many games each player plays.
    pub games: Option<u64>,
    /// Settings of players.
    pub settings: Vec<Setting>,
    /// The only players that play, by their names; all if there are none.
    pub only: Vec<String>,
    /// How well the win rate of every player is to be known, after which no more is played.
    pub precision: Option<Points>,
    /// How long games are asked for. That changes nothing but where the results go.
    pub time: Option<Time>,
    /// The name of the experiment.
    pub name: Option<String>,
}

/// A setting of a player, `NAME:key=value`.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The name of a `[[player]]`; none for all players that have the setting.
    player: Option<String>,
    /// The keys that lead to it.
    path: Vec<String>,
    value: Value,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Setting, String> {
        let form = "expected NAME:key=value, as in greedy:ties=last, or *:key=value for all players that have the setting";
        let (player, rest) = text.split_once(':').ok_or(form)?;
        let (path, value) = rest.split_once('=').ok_or(form)?;
        let path: Vec<String> = path.split('.').map(|key| key.trim().to_owned()).collect();
        if player.is_empty() || path.iter().any(String::is_empty) {
            return Err(form.to_owned());
        }
        if ["name", "sweep"].contains(&&*path[0]) {
            return Err(format!("`{}` is no setting of an algorithm", path[0]));
        }
        let value = match value.trim().parse::<Value>() {
            Ok(value) => value,
            // What is no TOML and is plain stands for itself.
            Err(_) if is_bare(value.trim()) => value.trim().into(),
            Err(error) => {
                return Err(format!("`{value}` is no value of TOML: {}", error.to_string().trim_end()));
            }
        };
        let player = (player != "*").then(|| player.to_owned());
        Ok(Setting { player, path, value: value.decorated(" ", "") })
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Setting { player, path, value } = self;
        write!(f, "{}:{}=", player.as_deref().unwrap_or("*"), path.join("."))?;
        match value.as_str().filter(|text| is_bare(text)) {
            Some(text) => f.write_str(text),
            None => value.clone().decorated("", "").fmt(f),
        }
    }
}

/// Whether a text is plain and no value of TOML, so that it needs no quotes on the command line.
fn is_bare(text: &str) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./ ".contains(letter);
    !text.is_empty() && text.chars().all(is_plain) && text.parse::<Value>().is_err()
}

/// The text of an experiment that was changed.
#[derive(Debug)]
pub struct Changed {
    /// The text.
    pub text: String,
    /// What went that was not asked for, in words.
    pub dropped: Vec<String>,
}

/// The longest name that is made of changes; what is longer is cut, and told apart by a digest.
const LONGEST: usize = 80;

impl Changes {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        let Changes { games, settings, only, precision, time, name } = self;
        let is_same = games.is_none() && precision.is_none() && time.is_none() && name.is_none();
        is_same && settings.is_empty() && only.is_empty()
    }

    /// The name of an experiment that is changed so: that of its file and what is changed.
    fn new_name(&self, of: &str) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let mut parts = String::new();
        parts.extend(self.games.map(|games| format!("+games={games}")));
        for Setting { player, path, value } in &self.settings {
            let value = value.as_str().map_or_else(|| value.to_string().trim().to_owned(), str::to_owned);
            parts += &format!("+{}.{}={value}", player.as_deref().unwrap_or("all"), path.join("."));
        }
        let only: BTreeSet<&String> = self.only.iter().collect();
        parts.extend(only.iter().map(|name| format!("+only={name}")));
        parts.extend(self.precision.map(|points| format!("+precision={points}")));
        parts.extend(self.time.iter().map(|time| format!("+for={time}")));
        let whole = format!("{of}{parts}");
        let plain = name::harmless(&whole).replace([' ', '\t'], "_");
        if parts.is_empty() || (plain == whole && whole.len() <= LONGEST) {
            return whole;
        }
        let digest = &blake3::hash(parts.as_bytes()).to_hex()[..8];
        let fitting = plain.char_indices().map(|(at, letter)| at + letter.len_utf8());
        let end = fitting.take_while(|&end| end <= LONGEST).last().unwrap_or(0);
        format!("{}+{digest}", &plain[..end])
    }

    /// Changes the text of an experiment, all but for leaving players out. The text must be that of a sound experiment. Fails
    /// in words where what is to be changed is not there.
    pub(super) fn change(&self, experiment: &Experiment) -> Result<Changed, String> {
        let mut document = read(experiment.text())?;
        let mut dropped = Vec::new();
        document["name"] = toml_edit::value(self.new_name(experiment.name()));
        if let Some(games) = self.games {
            change_games(&mut document, games, &mut dropped)?;
        }
        if let Some(points) = self.precision {
            change_precision(&mut document, points, experiment, &mut dropped)?;
        }
        let mut set = BTreeSet::new();
        for setting in &self.settings {
            set.extend(setting.apply(experiment, &mut document)?);
        }
        // A published number is of the player as it was published.
        let blocks = blocks(&mut document);
        let names: Vec<usize> = blocks.iter().flat_map(|block| vec![block.place; block.names]).collect();
        let published = experiment.published().iter().map(|published| {
            let block = names.get(published.player);
            block.is_none_or(|block| !set.contains(block))
        });
        let published: Vec<bool> = published.collect();
        retain(
            &mut document,
            "published",
            &published,
            "about players whose settings are changed",
            &mut dropped,
        );
        Ok(Changed { text: document.to_string(), dropped })
    }

    /// Leaves players out. The text must be that of the experiment.
    pub(super) fn leave_out(&self, experiment: &Experiment) -> Result<Changed, String> {
        let mut document = read(experiment.text())?;
        let mut dropped = Vec::new();
        let entries = experiment.entries();
        let blocks = blocks(&mut document);
        let mut is_kept = vec![false; entries.len()];
        for only in &self.only {
            let mut first = 0;
            let mut is_known = false;
            for block in &blocks {
                let is_whole = block.name == *only;
                for place in first..first + block.names {
                    if is_whole || entries[place].name == *only {
                        is_kept[place] = true;
                        is_known = true;
                    }
                }
                first += block.names;
            }
            if !is_known {
                let names = blocks.iter().map(|block| &*block.name);
                return Err(no_player("--only", only, names.chain(entries.iter().map(|entry| &*entry.name))));
            }
        }
        let (claims, published): (Vec<bool>, Vec<bool>) = (
            experiment.claims().iter().map(|claim| is_kept[claim.better] && is_kept[claim.than]).collect(),
            experiment.published().iter().map(|published| is_kept[published.player]).collect(),
        );
        // References may be to what a sweep makes, which is a player of its own from here on.
        let name = |place: usize| toml_edit::value(&*entries[place].name);
        if let Some(all) = tables(&mut document, "claim") {
            for (table, claim) in all.iter_mut().zip(experiment.claims()) {
                refer(table, "better", name(claim.better));
                refer(table, "than", name(claim.than));
            }
        }
        if let Some(all) = tables(&mut document, "published") {
            for (table, published) in all.iter_mut().zip(experiment.published()) {
                refer(table, "player", name(published.player));
            }
        }
        let stop = experiment.stop().and_then(|stop| match stop {
            EarlyStop::Pair(stop) => Some([stop.better, stop.than]),
            EarlyStop::Duel(stop) => Some([stop.better, stop.than]),
            EarlyStop::Precision(_) => None,
        });
        if let (Some(stop), Some(table)) = (stop, document.get_mut("stop").and_then(Item::as_table_like_mut))
        {
            refer(table, "better", name(stop[0]));
            refer(table, "than", name(stop[1]));
        }
        let why = "about players that are left out";
        retain(&mut document, "claim", &claims, why, &mut dropped);
        retain(&mut document, "published", &published, why, &mut dropped);
        if stop.is_some_and(|stop| stop.iter().any(|&player| !is_kept[player])) {
            document.remove("stop");
            dropped.push(format!("the [stop], {why}"));
        }
        if experiment.tune().is_some_and(|tune| !keep_tune(&mut document, &tune.field, &is_kept, experiment))
        {
            document.remove("tune");
            dropped.push(format!("the [tune], {why}"));
        }
        pairings::keep(&mut document, experiment, &is_kept, &mut dropped)?;
        keep_players(&mut document, &blocks, &is_kept, experiment);
        Ok(Changed { text: document.to_string(), dropped })
    }
}

/// The text of a sound experiment as a document.
fn read(text: &str) -> Result<DocumentMut, String> {
    let mut document: DocumentMut =
        text.parse().map_err(|error| format!("the experiment cannot be changed: {error}"))?;
    for key in ["player", "claim", "published"] {
        if let Some(item) = document.get_mut(key) {
            let tables = std::mem::take(item).into_array_of_tables();
            *item = tables.map_or_else(|item| item, Item::ArrayOfTables);
        }
    }
    Ok(document)
}

fn tables<'d>(document: &'d mut DocumentMut, key: &str) -> Option<&'d mut ArrayOfTables> {
    document.get_mut(key)?.as_array_of_tables_mut()
}

/// Keeps some of the tables under a key.
fn retain(document: &mut DocumentMut, key: &str, is_kept: &[bool], why: &str, dropped: &mut Vec<String>) {
    let gone = is_kept.iter().filter(|&&kept| !kept).count();
    let Some(all) = tables(document, key).filter(|_| gone > 0) else { return };
    let mut flags = is_kept.iter();
    all.retain(|_| flags.next() != Some(&false));
    if all.is_empty() {
        document.remove(key);
    }
    dropped.push(if gone == 1 { format!("a [[{key}]], {why}") } else { format!("{gone} [[{key}]], {why}") });
}

/// Names a player where it is not named by a text.
fn refer(table: &mut dyn TableLike, key: &str, name: Item) {
    if let Some(item) = table.get_mut(key).filter(|item| !item.is_str()) {
        *item = name;
    }
}

/// Names the players of `[tune]` that stay, and tells whether there is something to tune with them.
fn keep_tune(document: &mut DocumentMut, field: &Field, is_kept: &[bool], experiment: &Experiment) -> bool {
    let Some(table) = document.get_mut("tune").and_then(Item::as_table_like_mut) else { return false };
    let name = |place: usize| &*experiment.entries()[place].name;
    match field {
        Field::Params { player, .. } => {
            refer(table, "player", toml_edit::value(name(*player)));
            is_kept[*player]
        }
        Field::Players(players) => {
            let left: Vec<usize> = players.iter().copied().filter(|&player| is_kept[player]).collect();
            // Where none is named, all that are left are in the race.
            let is_named = ["player", "players"].iter().any(|key| table.remove(key).is_some());
            if is_named {
                let names: Array = left.iter().map(|&player| name(player)).collect();
                table.insert("players", toml_edit::value(names));
            }
            left.len() > 1
        }
    }
}

/// One `[[player]]`.
struct Block {
    /// Its place among them.
    place: usize,
    name: String,
    /// How many players it stands for.
    names: usize,
    /// The lists of its sweep: to which setting each leads, and its values.
    axes: Vec<(Vec<String>, Vec<Value>)>,
}

fn blocks(document: &mut DocumentMut) -> Vec<Block> {
    let players = tables(document, "player").into_iter().flat_map(|players| players.iter());
    let block = |(place, table): (usize, &Table)| {
        let name = table.get("name").and_then(Item::as_str).unwrap_or_default().to_owned();
        let mut axes = Vec::new();
        if let Some(sweep) = table.get("sweep").and_then(Item::as_table_like) {
            descend(sweep, &[], &mut axes);
        }
        let names = axes.iter().map(|(_, values)| values.len()).product();
        Block { place, name, names, axes }
    };
    players.enumerate().map(block).collect()
}

/// The lists of a sweep, in their order.
fn descend(lists: &dyn TableLike, parents: &[String], axes: &mut Vec<(Vec<String>, Vec<Value>)>) {
    for (key, item) in lists.iter() {
        let mut path = parents.to_vec();
        path.extend(key.split('.').map(str::to_owned));
        if let Some(values) = item.as_array() {
            axes.push((path, values.iter().cloned().map(|value| value.decorated("", "")).collect()));
        } else if let Some(inner) = item.as_table_like() {
            descend(inner, &path, axes);
        }
    }
}

/// Keeps some players. A `[[player]]` of whose sweep some go is written out: one for each that stays.
fn keep_players(document: &mut DocumentMut, blocks: &[Block], is_kept: &[bool], experiment: &Experiment) {
    let Some(players) = tables(document, "player") else { return };
    let mut kept = ArrayOfTables::new();
    let mut first = 0;
    for (table, block) in players.iter().zip(blocks) {
        let flags = &is_kept[first..first + block.names];
        if flags.iter().all(|&kept| kept) {
            kept.push(table.clone());
        } else {
            for choice in (0..block.names).filter(|&choice| flags[choice]) {
                kept.push(block.player(table, choice, &experiment.entries()[first + choice].name));
            }
        }
        first += block.names;
    }
    *players = kept;
}

impl Block {
    /// One player of a sweep, as a `[[player]]` of its own.
    fn player(&self, written: &Table, mut choice: usize, name: &str) -> Table {
        let mut player = Table::new();
        for (key, item) in written.iter().filter(|(key, _)| *key != "sweep") {
            // Tables under headers of their own would follow the last player of this name.
            let value = item.clone().into_value().expect("a setting is a value");
            player.insert(key, toml_edit::value(value.decorated(" ", "")));
        }
        // The name is made, and no pattern any more.
        player["name"] = toml_edit::value(pattern::literal(name));
        // The last list varies fastest.
        for (path, values) in self.axes.iter().rev() {
            let set = set(&mut player, path, values[choice % values.len()].clone());
            set.expect("nothing is both swept and set");
            choice /= values.len();
        }
        player.set_position(written.position());
        *player.decor_mut() = written.decor().clone();
        player
    }
}

/// Sets a value in a table, or in tables within it. Fails with the key on the way that has a value already.
fn set(table: &mut dyn TableLike, path: &[String], value: Value) -> Result<(), String> {
    let (key, rest) = path.split_first().expect("a path has a key");
    if rest.is_empty() {
        table.insert(key, toml_edit::value(value));
        return Ok(());
    }
    let inner = table.entry(key).or_insert_with(|| toml_edit::value(InlineTable::new()));
    set(inner.as_table_like_mut().ok_or_else(|| key.clone())?, rest, value)
}

/// Changes how many games each player plays.
fn change_games(document: &mut DocumentMut, games: u64, dropped: &mut Vec<String>) -> Result<(), String> {
    if let Some(seeds) = document.get_mut("seeds").and_then(Item::as_array_mut) {
        let listed = seeds.len();
        if games > listed as u64 {
            return Err(format!("--games {games}: the experiment lists {listed} seeds, one for each game"));
        }
        while seeds.len() as u64 > games {
            seeds.remove(seeds.len() - 1);
        }
    } else {
        document["games"] = toml_edit::value(i64::try_from(games).map_err(|error| error.to_string())?);
    }
    // A number that was announced for more games than are played was announced for another run.
    for (key, most) in [("planned_games", games), ("extended_from", games.saturating_sub(1))] {
        let number = document.get(key).and_then(Item::as_integer);
        if number.is_some_and(|number| number > i64::try_from(most).unwrap_or(i64::MAX)) {
            document.remove(key);
            dropped.push(format!("`{key}`, of more games than are played"));
        }
    }
    Ok(())
}

/// Lets a run end when the rate of every player is known so well.
fn change_precision(
    document: &mut DocumentMut,
    points: Points,
    experiment: &Experiment,
    dropped: &mut Vec<String>,
) -> Result<(), String> {
    if let Some(EarlyStop::Pair(_) | EarlyStop::Duel(_)) = experiment.stop() {
        return Err(format!(
            "--precision {points}: the `[stop]` of {} ends it by a comparison of two players, and a run ends by one rule; take \
             `[stop]` out of the file, or leave --precision out",
            experiment.name()
        ));
    }
    let stop = document.entry("stop").or_insert_with(toml_edit::table);
    let stop = stop.as_table_like_mut().ok_or("`stop` is no table")?;
    let value: Value =
        points.to_string().parse().map_err(|error| format!("--precision {points}: {error}"))?;
    stop.insert("precision", toml_edit::value(value));
    // Tests of means hold for numbers of games that are fixed beforehand.
    let claims: Vec<bool> = experiment.claims().iter().map(|claim| claim.by.is_rate()).collect();
    retain(document, "claim", &claims, "by what a run that may end early cannot answer", dropped);
    Ok(())
}

impl Setting {
    /// Sets it for each `[[player]]` that is meant, and returns their places.
    fn apply(&self, experiment: &Experiment, document: &mut DocumentMut) -> Result<Vec<usize>, String> {
        let option = format!("--set '{self}'");
        let blocks = blocks(document);
        let manual = experiment.arena().manual();
        let has_setting = |table: &Table| {
            let algorithm = table.get("algorithm").and_then(Item::as_str);
            let known = manual.iter().find(|known| Some(known.name) == algorithm);
            known.is_some_and(|known| known.settings.contains(&&*self.path[0]))
        };
        let players = tables(document, "player").into_iter().flat_map(|players| players.iter_mut());
        let mut places = Vec::new();
        for (block, table) in blocks.iter().zip(players) {
            let is_meant = match &self.player {
                Some(name) => block.name == *name,
                None => has_setting(table),
            };
            if !is_meant {
                continue;
            }
            let overlaps = |path: &[String]| path.starts_with(&self.path) || self.path.starts_with(path);
            if block.axes.iter().any(|(path, _)| overlaps(path)) {
                return Err(format!(
                    "{option}: {} has several values of it in its sweep; --only NAME leaves one of its players, whose value can be set",
                    block.name
                ));
            }
            set(table, &self.path, self.value.clone())
                .map_err(|key| format!("{option}: `{key}` of {} is no table", block.name))?;
            places.push(block.place);
        }
        if places.is_empty() {
            let names = blocks.iter().map(|block| &*block.name);
            return Err(match &self.player {
                Some(name) if experiment.entries().iter().any(|entry| entry.name == *name) => {
                    let only = quoted(name);
                    format!(
                        "{option}: a sweep makes {name:?}; with --only {only} it is a player of its own, whose settings can be set"
                    )
                }
                Some(name) => no_player(&option, name, names),
                None => format!("{option}: no player has a setting `{}`", self.path[0]),
            });
        }
        Ok(places)
    }
}

/// What is said of a player that there is not.
fn no_player<'a>(option: &str, name: &str, names: impl Iterator<Item = &'a str>) -> String {
    const NAMED: usize = 10;
    let mut known = BTreeSet::new();
    let names: Vec<&str> = names.filter(|name| known.insert(*name)).collect();
    let near = nearest(name, names.iter().copied());
    // Of a sweep the common part of its names is as near.
    let near = near.or_else(|| names.iter().copied().find(|known| known.starts_with(&format!("{name} "))));
    match near {
        Some(near) => format!("{option}: there is no player {name:?}; did you mean {near:?}?"),
        None => format!("{option}: there is no player {name:?}; there are {}", listed(&names, NAMED)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;
    use gauntlet_games::GAMES;
    use std::path::Path;

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

    fn changed(options: &[(&str, &str)]) -> Result<(Experiment, Vec<String>), String> {
        let mut changes = Changes::default();
        for (option, value) in options {
            match *option {
                "games" => changes.games = Some(value.parse().unwrap()),
                "set" => changes.settings.push(value.parse()?),
                "only" => changes.only.push((*value).to_owned()),
                "precision" => changes.precision = Some(value.parse()?),
                _ => changes.name = Some((*value).to_owned()),
            }
        }
        let bytes = TEXT.as_bytes().to_vec();
        config::changed(GAMES, Path::new("x.toml"), bytes, &changes).map_err(|error| error.to_string())
    }

    fn names(experiment: &Experiment) -> Vec<&str> {
        experiment.entries().iter().map(|entry| &*entry.name).collect()
    }

    #[test]
    fn games_are_changed_and_what_was_planned_for_more_goes() {
        let (experiment, dropped) = changed(&[("games", "5")]).unwrap();
        assert_eq!((experiment.name(), experiment.blocks().len()), ("x+games=5", 5));
        assert_eq!(experiment.planned_games(), None);
        assert_eq!(dropped, ["`planned_games`, of more games than are played"]);
        assert!(experiment.text().contains("# of note"), "comments stay");
        let (experiment, dropped) = changed(&[("games", "50"), ("name", "y")]).unwrap();
        assert_eq!((experiment.name(), experiment.planned_games(), dropped.len()), ("y", Some(10), 0));
    }

    #[test]
    fn precision_is_a_stop_of_the_file() {
        let precision = |options: &[(&str, &str)]| {
            let (experiment, dropped) = changed(options).unwrap();
            match experiment.stop() {
                Some(EarlyStop::Precision(precision)) => (precision.points.get(), dropped.len(), experiment),
                other => panic!("{other:?}"),
            }
        };
        let (points, dropped, experiment) = precision(&[("precision", "0.5"), ("only", "any")]);
        assert_eq!((points, experiment.name()), (0.5, "x+only=any+precision=0.5"));
        // The claims are about players that are left out.
        assert_eq!(dropped, 1);
        assert!(experiment.text().contains("[stop]\nprecision = 0.5\n"), "{}", experiment.text());
        // What a file asks for already is changed.
        let again = Changes { precision: Some("2".parse().unwrap()), ..Changes::default() };
        let bytes = experiment.text().as_bytes().to_vec();
        let (again, _) = config::changed(GAMES, Path::new("x.toml"), bytes, &again).unwrap();
        assert!(again.text().contains("[stop]\nprecision = 2\n"), "{}", again.text());
        // Claims by score have tests for a fixed number of games only.
        let by_score = TEXT.replacen("than = \"any\"\n", "than = \"any\"\nby = \"score\"\n", 1);
        let asked = Changes { precision: Some("2".parse().unwrap()), ..Changes::default() };
        let (kept, dropped) =
            config::changed(GAMES, Path::new("x.toml"), by_score.into_bytes(), &asked).unwrap();
        assert_eq!(kept.claims().len(), 1);
        assert_eq!(dropped, ["a [[claim]], by what a run that may end early cannot answer"]);
        // Of two players is another rule.
        let pair = format!("{TEXT}\n[stop]\nbetter = \"any\"\nthan = \"e depth=1 weights.merges=1\"\n");
        let error = config::changed(GAMES, Path::new("x.toml"), pair.into_bytes(), &asked).unwrap_err();
        assert!(error.to_string().contains("a comparison of two players"), "{error}");
    }

    #[test]
    fn players_of_a_sweep_can_play_alone() {
        let one = "e depth=2 weights.merges=1";
        let (experiment, dropped) = changed(&[("only", one), ("only", "any")]).unwrap();
        assert_eq!(names(&experiment), ["any", one]);
        assert_eq!(experiment.claims().len(), 1);
        assert_eq!(dropped, ["a [[claim]], about players that are left out"]);
        let (all, _) = changed(&[]).unwrap();
        let was = all.entries().iter().find(|entry| entry.name == one).unwrap();
        assert_eq!(experiment.entries()[1].entrant.settings, was.entrant.settings);
        // Its settings differ from those of its neighbours.
        assert!(
            all.entries().iter().filter(|other| other.entrant.settings == was.entrant.settings).count() == 1
        );
        let (experiment, dropped) = changed(&[("only", "e")]).unwrap();
        assert_eq!((names(&experiment).len(), experiment.claims().len()), (4, 0));
        assert_eq!(dropped.len(), 2, "{dropped:?}");
    }

    fn tuned(tune: &str, only: &[&str], set: &[&str]) -> Result<(Experiment, Vec<String>), String> {
        let mut changes = Changes::default();
        changes.only.extend(only.iter().map(|&name| name.to_owned()));
        changes.settings.extend(set.iter().map(|set| set.parse::<Setting>().expect("a setting")));
        let (text, _) = TEXT.split_once("[[claim]]").expect("claims");
        let bytes = format!("{text}[tune]\nbudget = 100\n{tune}").into_bytes();
        config::changed(GAMES, Path::new("x.toml"), bytes, &changes).map_err(|error| error.to_string())
    }

    #[test]
    fn a_tuning_stays_with_its_player() {
        let params = "[tune.params]\nweights.empty = { min = 0, max = 9 }";
        let one = format!("player = {{ name = 'e', depth = 2, weights.merges = 1 }}\n{params}");
        let gone = ["the [tune], about players that are left out"];
        let (experiment, dropped) = tuned(&one, &["any"], &[]).unwrap();
        assert_eq!((experiment.tune(), dropped), (None, gone.map(str::to_owned).to_vec()));
        for only in [&["e"][..], &["e depth=2 weights.merges=1"], &["any", "e depth=2 weights.merges=1"]] {
            let (experiment, dropped) = tuned(&one, only, &[]).unwrap();
            let Some(Field::Params { player, .. }) = experiment.tune().map(|tune| &tune.field) else {
                panic!("{only:?}")
            };
            assert_eq!(experiment.entries()[*player].name, "e depth=2 weights.merges=1");
            assert!(dropped.is_empty(), "{dropped:?}");
        }
        let set = ["e depth=2 weights.merges=1:weights.empty=5"];
        let (experiment, _) = tuned(&one, &["e depth=2 weights.merges=1"], &set).unwrap();
        let Some(Field::Params { params, .. }) = experiment.tune().map(|tune| &tune.field) else { panic!() };
        assert_eq!(params[0].start, 5.0);
        let set = [set[0].replace("=5", "=10")];
        let said = tuned(&one, &["e depth=2 weights.merges=1"], &[&set[0]]).unwrap_err();
        assert!(said.contains("10 is not from 0 to 9"), "{said}");
    }

    #[test]
    fn a_race_goes_on_between_the_players_that_stay() {
        let check = |tune: &str, only: &[&str], expected: &[usize]| {
            let (experiment, dropped) = tuned(&format!("method = 'race'\n{tune}"), only, &[]).unwrap();
            let field = experiment.tune().map(|tune| tune.field.clone());
            let expected = (!expected.is_empty()).then(|| Field::Players(expected.to_vec()));
            assert_eq!((field, dropped.is_empty()), (expected.clone(), expected.is_some()), "{only:?}");
        };
        let [one, two] = ["e depth=1 weights.merges=2.5", "e depth=2 weights.merges=1"];
        for family in ["player = 'e'", "players = ['e']"] {
            check(family, &["e"], &[0, 1, 2, 3]);
            check(family, &["any", one, two], &[1, 2]);
            check(family, &["any", one], &[]);
        }
        check("", &["any", one], &[0, 1]);
        check("", &["any"], &[]);
        check("players = ['any', { name = 'e', depth = 2, weights.merges = 1 }]", &["any", two], &[0, 1]);
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
        // What was published is of another player.
        assert_eq!(dropped, ["a [[published]], about players whose settings are changed"]);
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
        check(("set", "e:depth=3"), "--only NAME leaves one of its players");
        check(("set", "ay:x=3"), "--set 'ay:x=3': there is no player \"ay\"; did you mean \"any\"?");
        check(("set", "ay:x='3'"), "--set 'ay:x='3'': ");
        check(("set", "ay:x='last'"), "--set 'ay:x=last': ");
        check(
            ("set", "e depth=2 weights.merges=1:depth=3"),
            "with --only 'e depth=2 weights.merges=1' it is a player of its own",
        );
        check(("set", "*:nothing=3"), "no player has a setting `nothing`");
        check(("set", "e:version=zzz"), "x.toml (as changed):");
        check(("set", "e:weights.empty.x=1"), "`empty` of e is no table");
        check(("set", "e=3"), "expected NAME:key=value");
        check(("set", "e:name=f"), "is no setting");
        check(("set", "e:x=[1"), "is no value of TOML");
        check(("only", "e depth=3"), "there is no player");
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
        assert!(one.starts_with("x+only=e_depth=1_weights.merges=1+"), "{one}");
    }
}
