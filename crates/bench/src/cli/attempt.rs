//! `gauntlet players --try`: plays some games with a program, and tells its author line by line what is right and what is wrong.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::commands::Passing;
use super::exit::{FAILED, Usage};
use super::say::prose;
use crate::arena::{Arena, Arenas, Position, Rules};
use crate::assets::{Assets, Programs};
use crate::game::{Block, Diagram, Outcome, Shape};
use crate::player::{NoMove, Stop};
use crate::process::{Launch, Program};
use crate::settings::Written;
use crate::text::{duration, escape};

/// Time for each answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Time that a program has to end after `quit`.
const GRACE: Duration = Duration::from_millis(450);

/// Boards of 2048 at which programs fail: with one possible move each, nearly full, and with tiles that few programs reach.
const BOARDS: &[(&str, &str)] = &[
    ("only `up` is possible", "0 0 0 0 2 4 8 16 4 8 16 32 8 16 32 64"),
    ("only `down` is possible", "2 4 8 16 4 8 16 32 8 16 32 64 0 0 0 0"),
    ("only `left` is possible", "0 2 4 8 0 4 8 16 0 8 16 32 0 16 32 64"),
    ("only `right` is possible", "2 4 8 0 4 8 16 0 8 16 32 0 16 32 64 0"),
    ("a full board", "2 4 2 4 4 2 4 2 2 4 2 4 4 2 4 4"),
    ("large tiles", "131072 65536 32768 16384 1024 2048 4096 8192 512 256 128 64 2 4 8 0"),
];

/// A conversation with a program, and what was wrong with it so far.
struct Trial<'a> {
    command: &'a [String],
    arena: &'a Arena,
    rules: Rules,
    assets: Arc<Assets>,
    program: Option<Program>,
    /// True if it wants many games at once: then it answers after `go`, up to `done`.
    is_batched: bool,
    wrong: u32,
}

pub(super) fn run(arenas: Arenas, game: &str, command: &[String]) -> anyhow::Result<ExitCode> {
    let known = || arenas.iter().map(|arena| arena.name).collect::<Vec<_>>().join(", ");
    let arena = Arena::find(arenas, game)
        .ok_or_else(|| Usage(format!("--game: there is no game `{game}`; there are {}", known())))?;
    let (rules, _) = arena.rules(&Written::default());
    // Who types a command permits it.
    let assets = Arc::new(Assets::default());
    let errors = Passing::new();
    assets.permit(Programs::with_errors(errors.0.clone()));
    let mut trial = Trial { command, arena, rules, assets, program: None, is_batched: false, wrong: 0 };
    trial.all()?;
    Ok(if trial.wrong == 0 { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

impl Trial<'_> {
    fn all(&mut self) -> anyhow::Result<()> {
        if self.try_this("starts", Trial::greet)?.is_none() {
            self.say("give up", "without `ready` there is nothing more to try")?;
            return Ok(());
        }
        if self.arena.shape == Shape::Solo {
            for (what, cells) in BOARDS {
                self.try_this(what, |trial| trial.one_board(cells, ""))?;
            }
        }
        self.try_this("a word that it does not know", |trial| trial.first_move(" later=1"))?;
        let first = self.try_this("a whole game", |trial| trial.game(1))?;
        let other = self.try_this("another game", |trial| trial.game(2))?;
        let again = self.try_this("the first game again", |trial| trial.game(1))?;
        if let (Some(first), Some(_), Some(again)) = (first, other, again) {
            let same = first == again;
            let told = if same {
                "it plays the same game from the same seed: `reproducible = true` may be promised"
            } else {
                "it plays another game from the same seed: leave `reproducible = false`"
            };
            self.say("note", told)?;
        }
        self.try_this("ends by itself at `quit`", Trial::quit)?;
        let (wrong, word) = (self.wrong, if self.wrong == 1 { "thing is" } else { "things are" });
        self.say(
            "in all",
            &if wrong == 0 { "all is right".to_owned() } else { format!("{wrong} {word} wrong") },
        )
    }

    fn say(&self, mark: &str, text: &str) -> anyhow::Result<()> {
        Ok(writeln!(prose(), "{mark:8}{}", escape::line(text))?)
    }

    /// Tries something, which says in words how it went; none if it was wrong.
    fn try_this(
        &mut self,
        what: &str,
        attempt: impl FnOnce(&mut Self) -> Result<String, String>,
    ) -> anyhow::Result<Option<String>> {
        match attempt(self) {
            Ok(how) => {
                let (shown, _) = how.split_once('\n').unwrap_or((&how, ""));
                self.say("ok", &format!("{what}: {shown}"))?;
                Ok(Some(how.split_once('\n').map_or_else(|| how.clone(), |(_, all)| all.to_owned())))
            }
            Err(why) => {
                self.wrong += 1;
                self.program = None;
                self.say("WRONG", &format!("{what}: {why}"))?;
                Ok(None)
            }
        }
    }

    fn greet(&mut self) -> Result<String, String> {
        let launch = Launch {
            command: self.command,
            directory: Path::new("."),
            variables: &[],
            memory: None,
            title: "tried",
        };
        let mut program = Program::start(&launch, &self.assets).map_err(|error| error.to_string())?;
        let rules = self.rules.settings.as_object().into_iter().flatten();
        let rules = rules.filter(|(_, value)| !value.is_null()).map(|(key, value)| {
            format!(" {key}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        });
        let greeting = format!("gauntlet 1 {}{}", self.arena.name, rules.collect::<String>());
        writeln!(program.to_say(), "{greeting} move_millis={}", PATIENCE.as_millis())
            .map_err(|e| e.to_string())?;
        let start = Instant::now();
        let answer = program.hear(&Stop::default(), PATIENCE).map_err(reason)?.to_owned();
        let name = answer.strip_prefix("ready").filter(|rest| rest.is_empty() || rest.starts_with(' '));
        let name = name.ok_or_else(|| format!("it answered {answer:?}, not `ready` and its name"))?;
        let took = duration(1e3 * start.elapsed().as_secs_f64());
        self.is_batched = name.split(' ').any(|word| word.starts_with("batch="));
        self.program = Some(program);
        Ok(format!("it calls itself {:?}, ready within {took}", name.trim()))
    }

    /// The program, started anew after a fault.
    fn program(&mut self) -> Result<&mut Program, String> {
        if self.program.is_none() {
            self.greet()?;
        }
        self.program.as_mut().ok_or_else(|| "it does not start again".to_owned())
    }

    fn begin(&mut self, seed: u64) -> Result<(), String> {
        let seat = if self.arena.shape == Shape::Duel { " seat=first" } else { "" };
        let program = self.program()?;
        if program.has_more() {
            return Err("it said something that it was not asked".to_owned());
        }
        writeln!(program.to_say(), "new 0 {}{seat}", 1_000_003 * seed).map_err(|error| error.to_string())
    }

    /// Asks for a move, and plays it.
    fn ask(&mut self, position: &mut dyn Position, more: &str) -> Result<String, String> {
        let line = format!("move 0 {}{more}", position.told());
        let program = self.program()?;
        writeln!(program.to_say(), "{line}").map_err(|error| error.to_string())?;
        let is_batched = self.is_batched;
        let program = self.program()?;
        if is_batched {
            program.to_say().extend_from_slice(b"go\n");
        }
        let wrong = |why: String| format!("{why} (it was asked: {line})");
        let answer =
            program.hear(&Stop::default(), PATIENCE).map_err(|error| wrong(reason(error)))?.to_owned();
        let mut words = answer.split_ascii_whitespace();
        if words.next() != Some("0") {
            return Err(wrong(format!(
                "it answered {answer:?}; a line begins with the number of the game, 0"
            )));
        }
        let mv = words.next().ok_or_else(|| wrong(format!("it answered {answer:?}, without a move")))?;
        position.play(mv).map_err(|why| wrong(format!("it answered {answer:?}: {why}")))?;
        for word in words {
            let (key, value) = word.split_once('=').ok_or_else(|| {
                wrong(format!("it answered {answer:?}; behind the move come words such as value=1.5"))
            })?;
            if ["value", "nodes", "depth"].contains(&key) && value.parse::<f64>().is_err() {
                return Err(wrong(format!("it answered {answer:?}: {value:?} is no number")));
            }
        }
        if is_batched {
            let done = program.hear(&Stop::default(), PATIENCE).map_err(|error| wrong(reason(error)))?;
            if done != "done" {
                return Err(format!("after the answers to `go` it said {done:?}, not `done`"));
            }
        }
        if program.has_heard_more() {
            return Err(wrong("it answered more than one line".to_owned()));
        }
        Ok(mv.to_owned())
    }

    fn one_board(&mut self, cells: &str, more: &str) -> Result<String, String> {
        let mut position = self.arena.set_up(&self.rules, &Diagram::of(cells))?;
        self.begin(7)?;
        self.ask(&mut *position, more)
    }

    fn first_move(&mut self, more: &str) -> Result<String, String> {
        let mut position = self.arena.open(&self.rules, Block::of_seed(7));
        self.begin(7)?;
        self.ask(&mut *position, more)
    }

    /// Plays a game to its end; of two seats it has both in turn. Returns how it went, and on the next line all moves.
    fn game(&mut self, seed: u64) -> Result<String, String> {
        const MOST: usize = 5_000;
        let mut position = self.arena.open(&self.rules, Block::of_seed(seed));
        self.begin(seed)?;
        let start = Instant::now();
        let mut moves = Vec::new();
        while !position.moves().is_empty() && moves.len() < MOST {
            moves.push(self.ask(&mut *position, "")?);
        }
        let each = duration(1e3 * start.elapsed().as_secs_f64() / moves.len().max(1) as f64);
        let (end, standing) = match position.outcome() {
            Outcome::Points { score, .. } => (format!("score={score}"), format!(", {score} points")),
            _ => ("result=draw".to_owned(), String::new()),
        };
        writeln!(self.program()?.to_say(), "end 0 {end}").map_err(|error| error.to_string())?;
        Ok(format!("{} moves{standing}, {each} a move\n{}", moves.len(), moves.join(" ")))
    }

    fn quit(&mut self) -> Result<String, String> {
        self.program()?;
        let Some(program) = self.program.take() else { return Ok(String::new()) };
        let start = Instant::now();
        program.quit("quit\n");
        let took = start.elapsed();
        if took > GRACE {
            return Err("it had to be ended: it still ran half a second later".to_owned());
        }
        Ok(format!("within {}", duration(1e3 * took.as_secs_f64())))
    }
}

/// Reason why there was no answer.
fn reason(error: NoMove) -> String {
    match error {
        NoMove::Forfeit(forfeit) => forfeit.why.to_string(),
        NoMove::Interrupted => "stopped".to_owned(),
        NoMove::CannotStart(why) => why.into(),
    }
}
