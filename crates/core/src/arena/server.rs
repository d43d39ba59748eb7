//! Serves a built-in player over the protocol in docs/PROTOCOL.md, for other people's managers.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Map;

use super::member::build;
use crate::game::{Diagram, Game, Rules, Seat};
use crate::player::{BuildContext, Choice, NoMove, Player, PlayerServer, Recipe, Reply, Start};
use crate::protocol::{VERSION, decode_word, first_word, format_settings};
use crate::rng::Seed;

pub(super) struct Server<G: Game> {
    pub(super) name: String,
    pub(super) recipe: Arc<dyn Recipe<G>>,
    pub(super) rules: Arc<G::Rules>,
    pub(super) context: BuildContext,
    /// Players of the open games, by number. After a game ends, its player plays the next game with
    /// this number.
    pub(super) players: BTreeMap<u64, Box<dyn Player<G>>>,
}

impl<G: Game> PlayerServer for Server<G> {
    fn handle_line(&mut self, line: &str) -> Result<Reply, String> {
        let (word, rest) = first_word(line);
        match word {
            "" | "end" => Ok(Reply::None),
            "gauntlet" => self.check_greeting(rest).map(|()| Reply::Line(format!("ready {}", self.name))),
            "new" => self.begin(rest).map(|()| Reply::None),
            "move" => self.choose(rest).map(Reply::Line),
            "quit" => Ok(Reply::Quit),
            other => Err(format!("unknown command {other:?}")),
        }
    }
}

impl<G: Game> Server<G> {
    /// Checks that game and rules match those of the player.
    fn check_greeting(&self, rest: &str) -> Result<(), String> {
        let mut words = rest.split_ascii_whitespace();
        let version = words.next().unwrap_or("");
        if version != VERSION.to_string() {
            return Err(format!("unknown protocol version {version:?}: expected {VERSION}"));
        }
        let game = words.next().ok_or("the greeting has no game")?;
        if game != G::INFO.name {
            return Err(format!("the game is {game}, but the player plays {}", G::INFO.name));
        }
        let own_rules = serde_json::to_value(&*self.rules).expect("rules are plain data");
        // Rules may leave out a default.
        let mut written_rules = own_rules.as_object().cloned().unwrap_or_default();
        written_rules.retain(|_, value| !value.is_null());
        let is_own = |key: &str, text: &str| {
            let mut rules = written_rules.clone();
            rules.insert(key.to_owned(), serde_json::from_str(text).unwrap_or_else(|_| text.into()));
            let rules = serde_json::from_value::<G::Rules>(rules.into());
            rules.is_ok_and(|rules| serde_json::to_value(rules).is_ok_and(|rules| rules == own_rules))
        };
        for (key, word) in words.filter_map(|word| word.split_once('=')) {
            let is_rule = <G::Rules as Rules>::MANUAL.iter().any(|rule| rule.name == key);
            if is_rule && !is_own(key, &decode_word(word)) {
                let expected =
                    written_rules.get_key_value(key).map_or("the default".to_owned(), |(key, value)| {
                        format_settings("", &Map::from_iter([(key.clone(), value.clone())]))
                            .trim_end()
                            .to_owned()
                    });
                return Err(format!("the game has {key}={word}, but the player expects {expected}"));
            }
        }
        Ok(())
    }

    fn begin(&mut self, rest: &str) -> Result<(), String> {
        let mut words = rest.split_ascii_whitespace();
        let (Some(game), Some(seed)) = (words.next(), words.next()) else {
            return Err("expected the number of the game and its seed, such as `new 0 7`".to_owned());
        };
        let game = parse_number(Some(game))?;
        let mut seed = Seed::root(parse_number(Some(seed))?);
        let mut seat = Seat::First;
        for word in words {
            match word.split_once('=') {
                Some(("seat", "first")) => seat = Seat::First,
                Some(("seat", "second")) => seat = Seat::Second,
                // Another gauntlet sends the random stream that its own player would use.
                Some(("stream", digits)) => {
                    let stream = u64::from_str_radix(digits, 16);
                    seed = Seed::from_stream(
                        stream.map_err(|_| format!("{word}: expected a hexadecimal number"))?,
                    );
                }
                _ => {}
            }
        }
        if !self.players.contains_key(&game) {
            let player = build(&*self.recipe, &self.context).map_err(|error| format!("{error:#}"))?;
            self.players.insert(game, player);
        }
        let player = self.players.get_mut(&game).expect("just built");
        player.begin(&Start { seed, seat, rules: &self.rules });
        Ok(())
    }

    fn choose(&mut self, rest: &str) -> Result<String, String> {
        let (game, rest) = first_word(rest);
        let game = parse_number(Some(game))?;
        let player = self.players.get_mut(&game).ok_or_else(|| format!("game {game} has not started"))?;
        let position = G::set_up(&self.rules, &parse_diagram(rest)?)?;
        if position.to_move().is_none() {
            return Err("the game is over".to_owned());
        }
        match player.choose(&position) {
            Ok(Choice { mv, value, nodes, depth, .. }) => {
                let mut line = format!("{game} {mv}");
                line += &value
                    .filter(|value| value.is_finite())
                    .map_or(String::new(), |value| format!(" value={value}"));
                line += &if nodes > 0 { format!(" nodes={nodes}") } else { String::new() };
                line += &depth.map_or(String::new(), |depth| format!(" depth={depth}"));
                Ok(line)
            }
            Err(NoMove::Forfeit(forfeit)) => Err(format!("the player returned no move: {}", forfeit.reason)),
            Err(NoMove::Interrupted) => Err("the player was stopped".to_owned()),
            Err(NoMove::CannotPlay(reason)) => Err(reason.into()),
        }
    }
}

fn parse_number(word: Option<&str>) -> Result<u64, String> {
    let word = word.unwrap_or("");
    word.parse().map_err(|_| format!("{word:?} is not a game number or seed"))
}

/// Parses the position in the words of a line.
pub(super) fn parse_diagram(words: &str) -> Result<Diagram, String> {
    let mut diagram = Diagram::default();
    for word in words.split_ascii_whitespace() {
        let Some((key, value)) = word.split_once('=') else {
            let separator = if diagram.cells.is_empty() { "" } else { " " };
            diagram.cells += &format!("{separator}{word}");
            continue;
        };
        let number_error = || format!("{word} is not a number");
        match key {
            "score" => diagram.score = Some(value.parse().map_err(|_| number_error())?),
            "moves" => diagram.moves = Some(value.parse().map_err(|_| number_error())?),
            "turn" => diagram.to_move = Some(value.to_owned()),
            "won" => diagram.won = value == "true",
            // Words of a later version are ignored.
            _ => {}
        }
    }
    Ok(diagram)
}
