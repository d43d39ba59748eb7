//! Environments that are other programs, by the lines in docs/PROTOCOL.md.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gauntlet_core::assets::AssetFiles;
use gauntlet_core::player::{NoMove, Stop};
use gauntlet_core::process::{LaunchSpec, Program};
use gauntlet_core::protocol::{VERSION, first_word, shorten_output};

use crate::environment::{Environment, Failure, Observation, Reset, Step};

/// Actions of a program that does not say how many it has.
const USUAL_ACTIONS: usize = 4;

/// Environment that is another program. After a crash it is started again.
#[derive(Debug)]
pub struct ProgramEnvironment {
    command: Vec<String>,
    assets: Arc<AssetFiles>,
    /// Time limit for each answer.
    timeout: Duration,
    program: Option<Program>,
    greeting_reply: GreetingReply,
    stop: Stop,
}

/// Answer of a program to the greeting.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GreetingReply {
    actions: usize,
    sets_boards: bool,
    takes_seeds: bool,
}

/// Answer with a board.
#[derive(Debug, Default, PartialEq)]
struct BoardLine {
    numbers: Vec<f64>,
    reward: Option<f64>,
    /// Terminated and truncated.
    done: Option<(bool, bool)>,
    mask: Option<Vec<bool>>,
}

impl ProgramEnvironment {
    /// Starts a program, if the assets permit it. A stop request ends the check.
    pub fn start(
        command: &[String],
        assets: Arc<AssetFiles>,
        timeout: Duration,
        stop: &Stop,
    ) -> Result<ProgramEnvironment, String> {
        let greeting_reply = GreetingReply { actions: 0, sets_boards: false, takes_seeds: true };
        let command = command.to_vec();
        let stop = stop.clone();
        let mut environment =
            ProgramEnvironment { command, assets, timeout, program: None, greeting_reply, stop };
        match environment.greet() {
            Ok(()) => Ok(environment),
            Err(Failure::Raised(message) | Failure::Ended(message)) => Err(message),
        }
    }

    fn greet(&mut self) -> Result<(), Failure> {
        let launch = LaunchSpec {
            command: &self.command,
            directory: Path::new("."),
            variables: &[],
            memory: None,
            title: "environment",
        };
        let program =
            Program::start(&launch, &self.assets).map_err(|error| Failure::Ended(error.to_string()))?;
        self.program = Some(program);
        let millis = self.timeout.as_millis();
        let to_failure = |failure| match failure {
            Failure::Raised(message) | Failure::Ended(message) => {
                Failure::Ended(format!("no reply `ready` to the greeting: {message}"))
            }
        };
        let line = self.ask(&format!("gauntlet {VERSION} environment 2048 step_millis={millis}"));
        self.greeting_reply = GreetingReply::read(&line.map_err(to_failure)?).map_err(Failure::Ended)?;
        Ok(())
    }

    /// Sends a line and returns the answer.
    fn ask(&mut self, line: &str) -> Result<String, Failure> {
        let Some(program) = &mut self.program else {
            return Err(Failure::Raised("the program does not run".to_owned()));
        };
        let _ = writeln!(program.output_buffer(), "{line}");
        match program.read_line(&self.stop, self.timeout) {
            Ok(answer) => Ok(answer.to_owned()),
            Err(NoMove::Forfeit(forfeit)) => {
                self.program = None;
                Err(Failure::Raised(forfeit.reason.into()))
            }
            Err(NoMove::Interrupted) => Err(Failure::Ended("stopped".to_owned())),
            Err(NoMove::CannotPlay(message)) => Err(Failure::Ended(message.into())),
        }
    }

    /// Sends a line and returns the board in the answer.
    fn ask_for_board(&mut self, line: &str) -> Result<BoardLine, Failure> {
        if self.program.is_none() {
            self.greet()?;
        }
        let answer = self.ask(line)?;
        if let ("error", message) = first_word(&answer) {
            return Err(Failure::Raised(message.trim().to_owned()));
        }
        BoardLine::read(&answer).map_err(|message| {
            let short_answer = shorten_output(&answer);
            let short_line = shorten_output(line);
            Failure::Ended(format!("reply {short_answer:?} to {short_line:?}: {message}"))
        })
    }

    /// Ends the program.
    pub fn quit(self) {
        if let Some(program) = self.program {
            program.dismiss("quit\n");
        }
    }
}

impl Environment for ProgramEnvironment {
    fn actions(&self) -> usize {
        self.greeting_reply.actions
    }

    fn reset(&mut self, seed: Option<u64>) -> Result<Reset, Failure> {
        let seed = seed.map_or_else(String::new, |seed| format!(" {seed}"));
        Ok(self.ask_for_board(&format!("reset{seed}"))?.into_reset())
    }

    fn step(&mut self, action: usize) -> Result<Step, Failure> {
        let line = format!("step {action}");
        let board = self.ask_for_board(&line)?;
        let Some((terminated, truncated)) = board.done else {
            let message = format!("the reply to {line:?} needs `done=0`, `1` or `truncated`");
            return Err(Failure::Ended(message));
        };
        let reward = board.reward;
        let Reset { observation, mask } = board.into_reset();
        Ok(Step { observation, reward, terminated, truncated, mask })
    }

    fn set_board(&mut self, board: &Observation) -> Result<Option<Reset>, Failure> {
        if !self.greeting_reply.sets_boards {
            return Ok(None);
        }
        let numbers: Vec<String> = board.numbers.iter().map(f64::to_string).collect();
        Ok(Some(self.ask_for_board(&format!("set {}", numbers.join(" ")))?.into_reset()))
    }

    fn takes_seeds(&self) -> bool {
        self.greeting_reply.takes_seeds
    }
}

impl GreetingReply {
    /// Parses the answer to the greeting.
    fn read(answer: &str) -> Result<GreetingReply, String> {
        let ("ready", words) = first_word(answer) else {
            let answer = shorten_output(answer);
            return Err(format!("expected `ready` and a name as reply to the greeting, found {answer:?}"));
        };
        let mut greeting_reply =
            GreetingReply { actions: USUAL_ACTIONS, sets_boards: false, takes_seeds: true };
        for (key, value) in words.split_ascii_whitespace().filter_map(|word| word.split_once('=')) {
            let error = || format!("expected {key}=NUMBER, found {key}={}", shorten_output(value));
            match key {
                "actions" => greeting_reply.actions = value.parse().map_err(|_| error())?,
                "set" => greeting_reply.sets_boards = parse_digit(value).ok_or_else(error)?,
                "seeds" => greeting_reply.takes_seeds = parse_digit(value).ok_or_else(error)?,
                _ => {}
            }
        }
        Ok(greeting_reply)
    }
}

impl BoardLine {
    /// Parses an answer with a board, or returns what is wrong with it. Unknown words are ignored.
    fn read(answer: &str) -> Result<BoardLine, String> {
        let ("board", words) = first_word(answer) else {
            return Err("expected `board` and its cells, or `error` and a reason".to_owned());
        };
        let mut board = BoardLine::default();
        for word in words.split_ascii_whitespace() {
            let error = |expected: &str| format!("expected {expected}, found {:?}", shorten_output(word));
            match word.split_once('=') {
                None => board.numbers.push(word.parse().map_err(|_| error("a number for each cell"))?),
                Some(("reward", value)) => {
                    board.reward = Some(value.parse().map_err(|_| error("reward=NUMBER"))?);
                }
                Some(("done", value)) => {
                    let truncated = (value == "truncated").then_some((false, true));
                    let done = truncated.or_else(|| parse_digit(value).map(|done| (done, false)));
                    board.done = Some(done.ok_or_else(|| error("done=0, done=1 or done=truncated"))?);
                }
                Some(("legal", value)) => {
                    let digits: Option<Vec<bool>> = value
                        .chars()
                        .map(|character| parse_digit(character.encode_utf8(&mut [0; 4])))
                        .collect();
                    board.mask = Some(digits.ok_or_else(|| error("a 0 or a 1 for each action"))?);
                }
                Some(_) => {}
            }
        }
        Ok(board)
    }

    fn into_reset(self) -> Reset {
        let shape = vec![self.numbers.len()];
        Reset { observation: Observation { numbers: self.numbers, shape }, mask: self.mask }
    }
}

fn parse_digit(word: &str) -> Option<bool> {
    match word {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_parsed() {
        let board = BoardLine::read("board 0 2.0 1e1 reward=4 done=0 legal=101 more=x").expect("a board");
        assert_eq!(board.numbers, [0.0, 2.0, 10.0]);
        assert_eq!((board.reward, board.done), (Some(4.0), Some((false, false))));
        assert_eq!(board.mask, Some(vec![true, false, true]));
        let truncated = BoardLine::read("board 0 done=truncated").expect("a board");
        assert_eq!(truncated.done, Some((false, true)));
        for line in ["bord 0", "", "board x", "board 0 done=2", "board 0 legal=2", "board 0 reward="] {
            assert!(BoardLine::read(line).is_err(), "{line}");
        }
    }

    #[test]
    fn greetings_are_parsed() {
        let reply = |actions, sets_boards, takes_seeds| GreetingReply { actions, sets_boards, takes_seeds };
        assert_eq!(GreetingReply::read("ready my env"), Ok(reply(4, false, true)));
        assert_eq!(GreetingReply::read("ready x actions=5 set=1 seeds=0 new=2"), Ok(reply(5, true, false)));
        assert!(GreetingReply::read("hello").is_err());
        assert!(GreetingReply::read("ready x actions=many").is_err());
    }
}
