//! Players as typed on a command line, each in one argument: an algorithm with settings, a program
//! with its arguments, or a network file with settings.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{MAIN_SEPARATOR, Path, is_separator};
use std::sync::Arc;

use gauntlet_core::arena::{AlgorithmManual, Arena, Arenas};
use gauntlet_core::assets::AssetFiles;
use gauntlet_core::diagnostic::{Diagnostic, LineIndex, Mistakes, nearest_name};
use gauntlet_core::disk::open_regular;
use gauntlet_core::settings::SettingsTable;
use gauntlet_core::settings::tree::{self, PlacedValue, TomlTable, TomlValue, wrap_unplaced};
use gauntlet_core::text::{display_path, quote, quote_path, split_words};
use toml::Spanned;

use super::changes::{OptionPositions, parse_setting, set_place};
use super::pattern::escape_braces;
use super::search_path::{is_executable, is_on_path};
use super::{Catalog, Experiment, LoadError, name, read_table};

/// Comment at the head of a written experiment.
const HEADER: &str = "# Written by `gauntlet versus`. `gauntlet run` plays this file, and `gauntlet format` explains \
                      every key.\n\n";

/// Key of the file of a network.
const NETWORK: &str = "network";

/// Largest number of bytes of a player's name.
const MAX_PLAYER_BYTES: usize = 60;

/// Largest number of bytes of the name of an experiment.
const MAX_EXPERIMENT_BYTES: usize = 80;

/// Players of a command line, which all play one game.
pub struct TypedPlayers {
    catalog: Catalog,
    arena: &'static Arena,
    /// The arguments, each on a line: mistakes are shown in this text.
    text: String,
    /// Players without mistakes in the form of their argument.
    players: Vec<TypedPlayer>,
    mistakes: Vec<Diagnostic>,
}

/// Head of the experiment that typed players play.
#[derive(Clone)]
pub struct TypedHead {
    /// Name of the experiment; by default the names of its players.
    pub name: Option<String>,
    pub seed: u64,
    /// Games per player, or per pairing in two-player games, which is rounded up to an even number.
    pub games: u64,
    /// Keys of rules, such as `win`.
    pub rules: TomlTable,
}

/// A player as typed.
struct TypedPlayer {
    name: String,
    /// Whether the name is a setting. Other names are made from the argument.
    has_typed_name: bool,
    algorithm: String,
    /// Position of the word that identifies the player.
    place: Range<usize>,
    /// Its `[[player]]`.
    table: TomlTable,
}

impl TypedPlayers {
    /// Reads players of a game, or of the first game that all of them play. Mistakes are reported
    /// by [`TypedPlayers::experiment`].
    pub fn read(catalog: Catalog, game: Option<&'static Arena>, arguments: &[String]) -> TypedPlayers {
        let text = arguments.join("\n");
        let (mut players, mut mistakes, mut start) = (Vec::new(), Vec::new(), 0);
        for argument in arguments {
            match (PlayerArgument { games: catalog.games, text: argument, start }).read() {
                Ok(player) => players.push(player),
                Err(mistake) => mistakes.push(mistake),
            }
            start += argument.len() + 1;
        }
        let arena = game.unwrap_or_else(|| infer_game(catalog.games, &players));
        mistakes.extend(players.iter().filter_map(|player| other_game_mistake(catalog.games, arena, player)));
        mistakes.extend(equal_name_mistakes(&players, &LineIndex::new(&text)));
        number_equal_names(&mut players);
        TypedPlayers { catalog, arena, text, players, mistakes }
    }

    /// Returns true if no argument has a mistake in its form.
    pub fn are_well_formed(&self) -> bool {
        self.mistakes.is_empty()
    }

    /// Returns the game.
    pub fn arena(&self) -> &'static Arena {
        self.arena
    }

    /// Makes the experiment. Files of players are relative to the current folder; they are opened
    /// if `opens_files`.
    pub fn experiment(&self, head: &TypedHead, opens_files: bool) -> Result<Experiment, LoadError> {
        let TypedHead { name, seed, games, rules } = head;
        let legs = self.arena.shape.legs() as u64;
        let mut options = OptionPositions::after(&self.text);
        let mut table = TomlTable::new();
        let mut add = |key: &str, value, option: String| {
            let place = options.add(option);
            table.insert(wrap_unplaced(key.to_owned()), Spanned::new(place, value));
        };
        let name = name.clone().unwrap_or_else(|| self.default_name());
        add("name", TomlValue::Text(name.clone()), format!("--name {}", quote(&name)));
        add("game", TomlValue::Text(self.arena.name.to_owned()), format!("--game {}", self.arena.name));
        add("seed", TomlValue::Whole((*seed).into()), format!("--seed {seed}"));
        let rounded_games = games.div_ceil(legs) * legs;
        add("games", TomlValue::Whole(rounded_games.into()), format!("--games {games}"));
        table.extend(rules.clone());
        let player =
            |player: &TypedPlayer| Spanned::new(player.place.clone(), TomlValue::Table(player.table.clone()));
        let players = TomlValue::List(self.players.iter().map(player).collect());
        table.insert(wrap_unplaced("player".to_owned()), wrap_unplaced(players));
        let text = HEADER.to_owned() + &tree::write_document(&table);
        let assets = opens_files.then(|| Arc::new(AssetFiles::new(Path::new(""))));
        let result = read_table(self.catalog, &LineIndex::new(&self.text), table, text, assets);
        let found_mistakes = match result {
            Ok(experiment) if self.mistakes.is_empty() => return Ok(experiment),
            // Without players, other mistakes are consequences.
            _ if self.players.is_empty() => Vec::new(),
            result => result.err().unwrap_or_default(),
        };
        // Other mistakes at the same place are consequences.
        let is_new = |mistake: &Diagnostic| {
            let is_at_place = |earlier: &Diagnostic| earlier.span == mistake.span;
            self.mistakes.is_empty() || mistake.span.is_some() && !self.mistakes.iter().any(is_at_place)
        };
        let mistakes = self.mistakes.iter().cloned().chain(found_mistakes.into_iter().filter(is_new));
        let mistakes = options.name_options(mistakes.collect());
        Err(LoadError::Mistaken(Mistakes::new("player", &self.text, mistakes)))
    }

    /// Makes the name of the experiment from those of the players. A file with this name needs no
    /// quotes in a shell.
    pub fn default_name(&self) -> String {
        let names: Vec<&str> = self.players.iter().map(|player| &*player.name).collect();
        let mut name = names.join("-vs-").replace(char::is_whitespace, "-");
        name.retain(|character| character.is_alphanumeric() || "-_.=,+@%".contains(character));
        name::shorten(name.trim_start_matches(|first: char| !first.is_alphanumeric()), MAX_EXPERIMENT_BYTES)
    }

    /// Makes the name of an experiment that compares the players with those of another experiment.
    pub fn default_name_among(&self, other: &str) -> String {
        name::shorten(&format!("{}-among-{other}", self.default_name()), name::MAX_NAME_BYTES)
    }
}

/// Returns the first game that all players can play, or the game of the first player.
fn infer_game(games: Arenas, players: &[TypedPlayer]) -> &'static Arena {
    let plays = |arena: &Arena, player: &TypedPlayer| find_algorithm(arena, &player.algorithm).is_some();
    let common_game = games.iter().find(|arena| players.iter().all(|player| plays(arena, player)));
    let first_game = || games.iter().find(|arena| players.first().is_some_and(|player| plays(arena, player)));
    common_game.or_else(first_game).unwrap_or(&games[0])
}

fn find_algorithm(arena: &Arena, name: &str) -> Option<AlgorithmManual> {
    arena.manual().into_iter().find(|manual| manual.name == name)
}

fn other_game_mistake(games: Arenas, arena: &Arena, player: &TypedPlayer) -> Option<Diagnostic> {
    if find_algorithm(arena, &player.algorithm).is_some() {
        return None;
    }
    let other_game = games.iter().find(|game| find_algorithm(game, &player.algorithm).is_some())?;
    let message = format!("plays {}, but the game is {}", other_game.name, arena.name);
    let help = "all players must play one game; `gauntlet players` lists the players of each game";
    Some(Diagnostic::new(player.place.clone(), message).with_help(help))
}

/// Returns the mistakes of players that are equal to an earlier one, or were given its name.
fn equal_name_mistakes<'a>(
    players: &'a [TypedPlayer],
    source: &'a LineIndex,
) -> impl Iterator<Item = Diagnostic> + 'a {
    players.iter().enumerate().filter_map(|(index, player)| {
        let mut namesakes = players[..index].iter().filter(|other| is_equal_name(&other.name, &player.name));
        let number = |other: &TypedPlayer| source.line_and_column(other.place.start).0;
        let equal_player = namesakes.clone().find(|other| other.table == player.table);
        let (message, help) = if let Some(other) = equal_player {
            let help = if player.algorithm == EXTERNAL {
                "to let it play against itself, copy the program"
            } else {
                "give another setting, or another name, as in `name=other`"
            };
            (format!("is the same player as number {}", number(other)), help)
        } else if player.has_typed_name {
            let message = format!("has the same name as number {}", number(namesakes.next()?));
            (message, "give another name, as in `name=other`")
        } else {
            return None;
        };
        Some(Diagnostic::new(player.place.clone(), message).with_help(help))
    })
}

/// Adds a number to names made from arguments that are equal to the name of an earlier player, such
/// as those of an algorithm and of a program.
fn number_equal_names(players: &mut [TypedPlayer]) {
    for index in 0..players.len() {
        let (earlier_players, player) = (&players[..index], &players[index]);
        if player.has_typed_name || !has_name(earlier_players, &player.name) {
            continue;
        }
        let mut names = (2_u64..).map(|number| format!("{} {number}", player.name));
        let name = names.find(|name| !has_name(players, name)).expect("there are enough numbers");
        let place = player.place.clone();
        let text = Spanned::new(place, TomlValue::Text(escape_braces(&name)));
        players[index].table.insert(wrap_unplaced("name".to_owned()), text);
        players[index].name = name;
    }
}

fn has_name(players: &[TypedPlayer], name: &str) -> bool {
    players.iter().any(|player| is_equal_name(&player.name, name))
}

/// Compares names. Some file systems ignore case.
fn is_equal_name(name: &str, other_name: &str) -> bool {
    name.to_lowercase() == other_name.to_lowercase()
}

/// The algorithm that plays by a program.
const EXTERNAL: &str = "external";

/// An argument with a player.
struct PlayerArgument<'a> {
    games: Arenas,
    text: &'a str,
    /// Position of the argument in the text of all arguments.
    start: usize,
}

impl PlayerArgument<'_> {
    fn read(&self) -> Result<TypedPlayer, Diagnostic> {
        // A file whose name contains blanks needs no quotes.
        let is_file = Path::new(self.text).is_file();
        let words =
            if is_file { std::iter::once(0..self.text.len()).collect() } else { split_settings(self.text) };
        let Some((first, rest)) = words.split_first() else {
            let message = "is empty: expected an algorithm, a program or a network file";
            return Err(self.mistake(0..self.text.len(), message));
        };
        let word = unquote(&self.text[first.clone()]);
        if self.games.iter().any(|arena| find_algorithm(arena, &word).is_some()) {
            return self.read_algorithm(&word, TomlTable::new(), first, rest);
        }
        if let Some(algorithm) = network_algorithm(self.games, &word) {
            let mut table = TomlTable::new();
            let value = Spanned::new(self.place(first), TomlValue::Text(word.clone()));
            table.insert(wrap_unplaced(NETWORK.to_owned()), value);
            return self.read_algorithm(algorithm, table, first, rest);
        }
        let command = if is_file { Some(vec![self.text.to_owned()]) } else { split_command(self.text) };
        match command {
            Some(command) => self.read_program(command, first),
            None => Err(self.mistake(0..self.text.len(), "a quote is not closed")),
        }
    }

    /// Reads the settings of an algorithm.
    fn read_algorithm(
        &self,
        algorithm: &str,
        table: TomlTable,
        first: &Range<usize>,
        settings: &[Range<usize>],
    ) -> Result<TypedPlayer, Diagnostic> {
        let name = plain_name(self.text);
        let mut keys = TomlTable::new();
        for (key, value) in [("name", &*escape_braces(&name)), ("algorithm", algorithm)] {
            let value = Spanned::new(self.place(first), TomlValue::Text(value.to_owned()));
            keys.insert(wrap_unplaced(key.to_owned()), value);
        }
        keys.extend(table.clone());
        let form = "expected a setting, such as `nodes=1000`";
        let mut has_typed_name = false;
        for word in settings {
            let text = &self.text[word.clone()];
            let (path, value, _) =
                parse_setting(text, form).map_err(|error| self.mistake(word.clone(), &error))?;
            if path[0] == "algorithm" || table.contains_key(&*path[0]) {
                return Err(self.mistake(word.clone(), &format!("the first word is the {}", path[0])));
            }
            has_typed_name |= path == ["name"];
            let key_length = text.find('=').unwrap_or(text.len());
            let key = self.place(&(word.start..word.start + key_length));
            let value_place = self.place(&(word.start + key_length + 1..word.end));
            tree::put(&mut keys, &path, &key, set_place(&value, &value_place))
                .map_err(|key| self.mistake(word.clone(), &format!("`{key}` is not a table")))?;
        }
        let name = match keys.get("name").map(PlacedValue::get_ref) {
            Some(TomlValue::Text(other_name)) if *other_name != escape_braces(&name) => other_name.clone(),
            _ => name,
        };
        let (algorithm, place) = (algorithm.to_owned(), self.place(first));
        Ok(TypedPlayer { name, has_typed_name, algorithm, place, table: keys })
    }

    /// Reads a program with its arguments.
    fn read_program(
        &self,
        mut command: Vec<String>,
        first: &Range<usize>,
    ) -> Result<TypedPlayer, Diagnostic> {
        let program = &*command[0];
        let path = Path::new(program);
        let has_folder = program.contains(is_separator);
        if !path.is_file() && (has_folder || !is_on_path(program).unwrap_or(true)) {
            let names = self.games.iter().flat_map(|arena| arena.manual()).map(|manual| manual.name);
            let names: Vec<&str> = names.collect();
            return Err(match nearest_name(program, names).filter(|_| !has_folder) {
                _ if path.exists() => self.mistake(first.clone(), "is not a regular file"),
                _ if has_folder => self.mistake(first.clone(), "no such file"),
                Some(name) => {
                    self.mistake(first.clone(), "unknown player").with_help(format!("did you mean `{name}`?"))
                }
                None => self
                    .mistake(first.clone(), "is neither an algorithm nor a program nor a file")
                    .with_help("`gauntlet players` lists the algorithms"),
            });
        }
        if path.is_file() {
            self.check_executable(path, first)?;
        }
        if path.is_file() && !has_folder {
            command[0] = format!(".{MAIN_SEPARATOR}{program}");
        }
        let name = plain_name(self.text);
        let place = self.place(first);
        let command = command.into_iter().map(|word| Spanned::new(place.clone(), TomlValue::Text(word)));
        let keys = [
            ("name", TomlValue::Text(escape_braces(&name))),
            ("algorithm", TomlValue::Text(EXTERNAL.to_owned())),
            ("command", TomlValue::List(command.collect())),
        ];
        let key =
            |(key, value): (&str, _)| (wrap_unplaced(key.to_owned()), Spanned::new(place.clone(), value));
        let table = keys.into_iter().map(key).collect();
        let algorithm = EXTERNAL.to_owned();
        Ok(TypedPlayer { name, has_typed_name: false, algorithm, place: place.clone(), table })
    }

    /// Refuses files that cannot be started.
    fn check_executable(&self, path: &Path, first: &Range<usize>) -> Result<(), Diagnostic> {
        if path.extension().is_some_and(|extension| extension == "toml") {
            let help = format!("to play the experiment: gauntlet run {}", quote_path(path));
            return Err(self.mistake(first.clone(), "is not a player").with_help(help));
        }
        if is_executable(path) {
            return Ok(());
        }
        let help = format!(
            "make it executable, or name the program that starts it, as in {}",
            quote(&format!("python3 {}", display_path(path)))
        );
        Err(self.mistake(first.clone(), "is neither executable nor a network").with_help(help))
    }

    /// Returns the position of a part of this argument in the text of all.
    fn place(&self, range: &Range<usize>) -> Range<usize> {
        self.start + range.start..self.start + range.end
    }

    fn mistake(&self, range: Range<usize>, message: &str) -> Diagnostic {
        Diagnostic::new(self.place(&range), message)
    }
}

/// Returns the algorithm that plays with a network file and no other setting; `None` if the file is
/// no network of a game.
fn network_algorithm(games: Arenas, path: &str) -> Option<&'static str> {
    let mut head = Vec::new();
    let file = open_regular(Path::new(path), File::options().read(true)).ok()?;
    file.take(64).read_to_end(&mut head).ok()?;
    let has_networks = |arena: &&Arena| {
        arena.training.is_some()
            && head.starts_with(format!("gauntlet network of {},", arena.name).as_bytes())
    };
    let arena = games.iter().find(has_networks)?;
    let (rules, _) = arena.read_rules(&SettingsTable::default());
    let mut table = TomlTable::new();
    table.insert(wrap_unplaced(NETWORK.to_owned()), wrap_unplaced(TomlValue::Text(path.to_owned())));
    let settings = SettingsTable { table, header: 0..0 };
    let mut names = arena.manual().into_iter().map(|manual| manual.name);
    names.find(|name| arena.read_entry(&rules, name, &settings).is_ok())
}

/// Makes a name from an argument: without quotes, and without what a name of a file cannot contain.
fn plain_name(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let name = name::sanitize(&words.join(" ").replace(['"', '\''], ""));
    let name = name.trim_start_matches(|character: char| !character.is_alphanumeric());
    name::shorten(name.trim_end_matches(['.', ' ']), MAX_PLAYER_BYTES)
}

/// Returns the words of a program and its arguments, without quotes; `None` if a quote is not
/// closed.
fn split_command(text: &str) -> Option<Vec<String>> {
    // On Windows, a backslash separates folders, and quotes nothing.
    let text = if cfg!(windows) { text.replace('\\', r"\\") } else { text.to_owned() };
    split_words(&text)?.into_iter().map(|word| word.into_string().ok()).collect()
}

/// Returns an algorithm or a network, and its settings. Blanks in quotes and brackets of TOML do
/// not separate them.
fn split_settings(text: &str) -> Vec<Range<usize>> {
    let (mut words, mut start, mut quote, mut depth) = (Vec::new(), None, None, 0_usize);
    for (index, character) in text.char_indices() {
        if character.is_whitespace() && quote.is_none() && depth == 0 {
            words.extend(start.take().map(|start| start..index));
            continue;
        }
        start.get_or_insert(index);
        match character {
            '"' | '\'' if quote.is_none() => quote = Some(character),
            _ if quote == Some(character) => quote = None,
            '[' | '{' if quote.is_none() => depth += 1,
            ']' | '}' if quote.is_none() => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    words.extend(start.map(|start| start..text.len()));
    words
}

/// Removes the quotes around a word.
fn unquote(word: &str) -> String {
    let quoted = word.strip_prefix(['"', '\'']).and_then(|rest| rest.strip_suffix(['"', '\'']));
    quoted.unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_in_quotes_and_brackets_do_not_separate_words() {
        let check = |text: &str, expected: &[&str]| {
            let words: Vec<&str> = split_settings(text).into_iter().map(|word| &text[word]).collect();
            assert_eq!(words, expected, "{text}");
        };
        check("", &[]);
        check(" a  b=1 ", &["a", "b=1"]);
        check("a b=['x', \"y ]\"] c={ d = 1 }", &["a", "b=['x', \"y ]\"]", "c={ d = 1 }"]);
        check("'my network' depth=2", &["'my network'", "depth=2"]);
        check("a b=[1, 2", &["a", "b=[1, 2"]);
    }

    #[test]
    fn names_are_names_of_files() {
        let check = |text: &str, expected: &str| assert_eq!(plain_name(text), expected);
        check("expectimax  nodes=50", "expectimax nodes=50");
        check("fixed-order order=[\"up\", 'left']", "fixed-order order=[up, left]");
        check("./my_player", "my_player");
        check("../bots/v2/play --fast", "bots_v2_play --fast");
        let long_name = plain_name(&"x".repeat(99));
        assert_eq!(long_name.chars().count(), MAX_PLAYER_BYTES);
        assert_ne!(long_name, plain_name(&"x".repeat(98)));
    }
}
