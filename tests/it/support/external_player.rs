//! A player that is another program. It receives positions and rules as lines of text and answers
//! with moves, so it needs everything that the contracts offer to external players.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use gauntlet::assets::AssetFiles;
use gauntlet::game::Game;
use gauntlet::player::{
    Abilities, BuildContext, Choice, FileMistake, NoMove, Player, Recipe, RecipeFacts, RecipeIdentity,
    RemotePlayer, Start, Stop,
};
use gauntlet::record::{Fault, ProcessTime, TimeSource};
use serde::{Deserialize, Serialize};

/// A program for tic-tac-toe: it plays the first free cell, and reports a cost of 2000
/// microseconds. It records what it receives at the start of a game, and may fail in a chosen way
/// in the second seat.
pub(crate) const SCRIPT: &str = r#"while read -r word rest; do
  if [ "$word" = start ]; then
    seat=${rest%% *}
    echo "$rest" >> told
    continue
  fi
  board=${word#*\"board\":\"}
  before=${board%%.*}
  case $1-$seat in
    crashes-second) exit 3 ;;
    sleeps-second) exec sleep 600 ;;
    raves-second) echo "the middle" ;;
    *) echo "${#before} 2000" ;;
  esac
done
"#;

/// The manual of the algorithm.
pub(crate) const EXAMPLE: &str = r#"# Asks another program.
algorithm = "talker"
command = ["sh", "talker.sh"]
millis = 10000
wall = false
bytes = 0
"#;

/// Settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExternalPlayer {
    /// The program and its arguments. Arguments that are files next to the experiment are part of
    /// it.
    pub(crate) command: Vec<String>,
    /// Time limit for an answer.
    pub(crate) millis: u64,
    /// True if its time is wall time, not the time that the program reports.
    pub(crate) wall: bool,
    /// Memory that it needs.
    pub(crate) bytes: u64,
}

impl<G: Game> Recipe<G> for ExternalPlayer {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<G>>> {
        let (program, arguments) = self.command.split_first().context("no program is named")?;
        let mut command = Command::new(program);
        if context.assets.folder() != Path::new("") {
            command.current_dir(context.assets.folder());
        }
        let mut child = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, lines) = channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let stdin = child.stdin.take().expect("piped");
        let timeout = Duration::from_millis(self.millis);
        let (stop, reported_time) = (context.stop.clone(), Duration::ZERO);
        Ok(Box::new(Program { child, stdin, lines, timeout, stop, reported_time }))
    }

    fn facts(&self, _rules: &G::Rules) -> RecipeFacts {
        RecipeFacts {
            memory: self.bytes,
            time_source: if self.wall { TimeSource::Wall } else { TimeSource::Process },
            is_reproducible: false,
            ..RecipeFacts::default()
        }
    }

    fn open(&self, assets: &AssetFiles) -> Result<RecipeIdentity, FileMistake> {
        let mut hasher = blake3::Hasher::new();
        for word in &self.command {
            hasher.update(format!("{word}\n").as_bytes());
            if assets.folder().join(word).is_file() {
                hasher.update(
                    assets
                        .digest(Path::new(word))
                        .map_err(|error| FileMistake::for_player(&error))?
                        .as_bytes(),
                );
            }
        }
        Ok(RecipeIdentity::from_program(hasher.finalize().to_hex().to_string()))
    }
}

struct Program {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
    timeout: Duration,
    stop: Stop,
    reported_time: Duration,
}

impl Program {
    /// Sends a line. A dead program is noticed when its answer is due.
    fn send_line(&mut self, line: &str) {
        let _ = writeln!(self.stdin, "{line}");
    }

    fn read_line(&mut self) -> Result<String, NoMove> {
        let answer = self.stop.wait(self.timeout, |duration| match self.lines.recv_timeout(duration) {
            Ok(line) => Some(Some(line)),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(None),
        })?;
        answer.ok_or_else(|| NoMove::fault(Fault::Crashed, "it ended before it answered"))
    }
}

impl<G: Game> Player<G> for Program {
    fn begin(&mut self, start: &Start<G>) {
        let seat = ["first", "second"][start.seat.number()];
        let rules = serde_json::to_string(start.rules).expect("rules are plain data");
        self.send_line(&format!("start {seat} {rules}"));
    }

    fn choose(&mut self, position: &G) -> Result<Choice<G::Move>, NoMove> {
        self.send_line(&position.diagram().to_string());
        let line = self.read_line()?;
        let (mv, micros) = line.split_once(' ').unwrap_or((&line, ""));
        self.reported_time += Duration::from_micros(micros.parse().unwrap_or(0));
        let mv = position.read_move(mv);
        mv.map(Choice::new).ok_or_else(|| NoMove::fault(Fault::Nonsense, format!("{line:?} is no move")))
    }

    fn abilities(&mut self) -> Abilities<'_, G> {
        Abilities::Remote(self)
    }
}

impl<G: Game> RemotePlayer<G> for Program {
    fn cpu_time(&self) -> ProcessTime {
        ProcessTime::from_exact_clock(self.reported_time)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
