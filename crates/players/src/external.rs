//! Player that is an external program in any language. It reads questions on standard input and
//! answers on standard output, by the protocol in `docs/PROTOCOL.md`.
//!
//! The program is started at the first game of a worker and plays all games of it. After a fault it
//! is restarted.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gauntlet_core::assets::AssetFiles;
use gauntlet_core::game::{Game, Outcome, Seat, Shape, WinDrawLoss};
use gauntlet_core::num::BoundedInt;
use gauntlet_core::player::{
    Abilities, BuildContext, Choice, FileMistake, NoMove, Player, Recipe, RecipeFacts, RecipeIdentity,
    RemotePlayer, Start, Stop,
};
use gauntlet_core::process::Program;
use gauntlet_core::protocol::{self, MoveAnswer, Ready, first_word, shorten_output, unknown_move_message};
use gauntlet_core::record::{Fault, ProcessTime};
use gauntlet_core::text::{format_duration, push_number, quote};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::external_program::{self, ExternalProgram};

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Asks an external program for its moves (docs/PROTOCOL.md).
algorithm = "external"
# program and arguments; needs --allow-commands
command = ["python3", "my_player.py"]
options = { depth = 3 }    # settings sent to the program; can be tuned
# working directory, relative to this file; default: folder of this file
# directory = "players"
# environment variables to pass or set; default: PATH, HOME, LANG, TMPDIR
# env = ["CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS=1"]
# files that the program reads, in addition to those in `command`
# files = ["weights.bin"]
move_millis = 10000        # time limit per move
start_millis = 10000       # time limit for the start
# memory_mib = 512         # memory limit of each process
# true if equal seeds give equal games; `run` checks this
reproducible = false
"#;

/// Message for unrequested lines.
const UNEXPECTED_OUTPUT: &str = "unexpected output: more than one line for a move";

/// Last line sent to a program.
const QUIT_LINE: &str = "quit\n";

/// Settings of an external player.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Program and its arguments.
    pub command: Vec<String>,
    /// Options passed to the program.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// Working directory.
    #[serde(default)]
    pub directory: Option<String>,
    /// Environment variables.
    #[serde(default)]
    pub env: Vec<String>,
    /// Files that make up the program.
    #[serde(default)]
    pub files: Vec<String>,
    /// Time limit per move.
    #[serde(default = "ten_seconds")]
    pub move_millis: BoundedInt<1, 86_400_000>,
    /// Time limit for startup.
    #[serde(default = "ten_seconds")]
    pub start_millis: BoundedInt<1, 86_400_000>,
    /// Memory limit for each of its processes.
    #[serde(default)]
    pub memory_mib: Option<BoundedInt<1, 1_048_576>>,
    /// True if equal seeds make equal games.
    #[serde(default)]
    pub reproducible: bool,
}

fn ten_seconds() -> BoundedInt<1, 86_400_000> {
    BoundedInt::new(10_000)
}

impl Config {
    fn external_program(&self) -> ExternalProgram<'_> {
        let directory = Path::new(self.directory.as_deref().unwrap_or(""));
        ExternalProgram { command: &self.command, directory, env: &self.env, files: &self.files }
    }

    fn start_program<G: Game>(
        &self,
        assets: &Arc<AssetFiles>,
        rules: &G::Rules,
        stop: &Stop,
    ) -> Result<RunningProgram, NoMove> {
        let memory = self.memory_mib.map(BoundedInt::get);
        let mut program = self.external_program().start(
            assets,
            memory,
            &protocol::format_settings("option.", &self.options),
        )?;
        let rules = serde_json::to_value(rules).expect("rules are plain data");
        let greeting = protocol::greeting(G::INFO.name, &rules, self.move_millis.get().into(), &self.options);
        let _ = writeln!(program.output_buffer(), "{greeting}");
        let timeout = Duration::from_millis(self.start_millis.get().into());
        let answer = program.read_line(stop, timeout).map_err(|error| match error {
            NoMove::Forfeit(forfeit) if forfeit.fault == Fault::TimedOut => {
                let limit = format_duration(1e3 * timeout.as_secs_f64());
                NoMove::fault(Fault::TimedOut, format!("the program was not ready within {limit}"))
            }
            other => other,
        })?;
        let Ready { name, batch } =
            Ready::read(answer).map_err(|reason| NoMove::fault(Fault::Nonsense, reason))?;
        if batch.is_some() {
            program.widen_pipes();
        }
        program.start_clock();
        Ok(RunningProgram { program, name, batch })
    }
}

impl<G: Game> Recipe<G> for Config {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<G>>> {
        Ok(Box::new(ExternalPlayer {
            config: self.clone(),
            assets: context.assets.clone(),
            stop: context.stop.clone(),
            timeout: Duration::from_millis(self.move_millis.get().into()),
            running_program: Err(NoMove::Interrupted),
            final_cpu_time: ProcessTime::default(),
            is_started: false,
            has_moved: false,
            seats: Vec::new(),
        }))
    }

    fn facts(&self, _rules: &G::Rules) -> RecipeFacts {
        RecipeFacts {
            command: Some(self.command.clone()),
            memory: self.memory_mib.map_or(0, |mib| u64::from(mib.get()) << 20),
            time_source: external_program::TIME_SOURCE,
            is_reproducible: self.reproducible,
            ..RecipeFacts::default()
        }
    }

    fn open(&self, assets: &AssetFiles) -> Result<RecipeIdentity, FileMistake> {
        let identity = self.external_program().identity(&format!("protocol {}", protocol::VERSION), assets);
        identity.map(RecipeIdentity::from_program).map_err(|error| FileMistake::for_player(&error))
    }

    fn contradiction(&self) -> Option<(&'static str, String)> {
        if let Some(key) = self.options.keys().find(|key| !external_program::is_name(key)) {
            return Some((
                "options",
                format!("{key:?} is not an option name: a name must not contain blanks or `=`"),
            ));
        }
        let is_plain = |value: &Value| value.is_string() || value.is_number() || value.is_boolean();
        if let Some((key, _)) = self.options.iter().find(|(_, value)| !is_plain(value)) {
            return Some(("options", format!("`{key}` must be a string, a number or a boolean")));
        }
        self.external_program().contradiction()
    }
}

/// Running program that is ready for games.
struct RunningProgram {
    program: Program,
    name: String,
    /// Maximum number of games that it is asked about at once; `None` for one game at a time.
    batch: Option<usize>,
}

struct ExternalPlayer {
    config: Config,
    assets: Arc<AssetFiles>,
    stop: Stop,
    timeout: Duration,
    /// Program, or why there is none.
    running_program: Result<RunningProgram, NoMove>,
    /// CPU time that the program had used when it ended.
    final_cpu_time: ProcessTime,
    /// True once it was started: it is not restarted, the player is rebuilt.
    is_started: bool,
    /// True once it returned a move.
    has_moved: bool,
    /// Its seat in each open game, by game number.
    seats: Vec<Seat>,
}

impl ExternalPlayer {
    /// Starts the program, unless it was started before.
    fn start<G: Game>(&mut self, rules: &G::Rules) {
        if !self.is_started {
            self.is_started = true;
            let running_program = self.config.start_program::<G>(&self.assets, rules, &self.stop);
            self.running_program = running_program.map_err(|error| self.add_hint(error));
        }
    }

    /// Returns the CPU time that the program has used since it was ready.
    fn program_cpu_time(&self) -> ProcessTime {
        self.running_program
            .as_ref()
            .map_or(self.final_cpu_time, |running_program| running_program.program.cpu_time())
    }

    /// Ends the program for good, after this error.
    fn fail(&mut self, error: NoMove) -> NoMove {
        self.final_cpu_time = self.program_cpu_time();
        let error = self.add_hint(error);
        self.running_program = Err(error.clone());
        error
    }

    /// Adds a likely cause to the timeout of a program that has never returned a move.
    fn add_hint(&self, error: NoMove) -> NoMove {
        match error {
            NoMove::Forfeit(forfeit)
                if forfeit.fault == Fault::TimedOut && !self.has_moved && !forfeit.has_partial_line =>
            {
                let command: Vec<String> = self.config.command.iter().map(|word| quote(word)).collect();
                let hint = format!(
                    "{}; does it flush its output? test: gauntlet players --try -- {}",
                    forfeit.reason,
                    command.join(" ")
                );
                NoMove::fault(Fault::TimedOut, hint)
            }
            other => other,
        }
    }
}

impl<G: Game> Player<G> for ExternalPlayer {
    fn begin(&mut self, start: &Start<G>) {
        self.begin_numbered(0, start);
    }

    fn choose(&mut self, position: &G) -> Result<Choice<G::Move>, NoMove> {
        let answer = match &mut self.running_program {
            Ok(running_program) => match running_program.batch {
                None => ask(&mut running_program.program, position, &self.stop, self.timeout),
                Some(_) => {
                    let mut answers = Vec::with_capacity(1);
                    ask_all(
                        &mut running_program.program,
                        &[(0, position)],
                        &self.stop,
                        self.timeout,
                        &mut answers,
                    )
                    .and_then(|()| answers.remove(0))
                }
            },
            Err(error) => return Err(error.clone()),
        };
        self.has_moved |= answer.is_ok();
        // After a fault it is killed without a farewell.
        answer.map_err(|error| self.fail(error))
    }

    fn abilities(&mut self) -> Abilities<'_, G> {
        Abilities::Remote(self)
    }
}

impl<G: Game> RemotePlayer<G> for ExternalPlayer {
    fn greeting(&mut self, rules: &G::Rules) -> Result<Option<String>, NoMove> {
        self.start::<G>(rules);
        self.running_program
            .as_ref()
            .map(|running_program| Some(running_program.name.clone()))
            .map_err(Clone::clone)
    }

    fn batch_size(&mut self, rules: &G::Rules) -> usize {
        self.start::<G>(rules);
        self.running_program.as_ref().map_or(1, |running_program| running_program.batch.unwrap_or(1))
    }

    fn begin_numbered(&mut self, number: usize, start: &Start<G>) {
        self.start::<G>(start.rules);
        self.seats.resize(self.seats.len().max(number + 1), start.seat);
        self.seats[number] = start.seat;
        let Ok(RunningProgram { program, .. }) = &mut self.running_program else { return };
        if program.has_input() {
            self.fail(NoMove::fault(Fault::Nonsense, UNEXPECTED_OUTPUT));
            return;
        }
        // Every language represents whole numbers up to this size exactly.
        let seed = start.seed.rng().bits() >> 11;
        let seat = match (G::INFO.shape, start.seat) {
            (Shape::Solo, _) => "",
            (Shape::Duel, Seat::First) => " seat=first",
            (Shape::Duel, Seat::Second) => " seat=second",
        };
        let stream = start.seed.stream();
        let _ = writeln!(program.output_buffer(), "new {number} {seed}{seat} stream={stream:016x}");
    }

    fn choose_all(
        &mut self,
        positions: &[(usize, &G)],
        answers: &mut Vec<Result<Choice<G::Move>, NoMove>>,
    ) -> Result<(), NoMove> {
        let result = match &mut self.running_program {
            Ok(RunningProgram { program, .. }) => {
                ask_all(program, positions, &self.stop, self.timeout, answers)
            }
            Err(error) => return Err(error.clone()),
        };
        self.has_moved |= result.is_ok();
        result.map_err(|error| self.fail(error))
    }

    fn end(&mut self, number: usize, outcome: Outcome) {
        let Ok(RunningProgram { program, .. }) = &mut self.running_program else { return };
        let line = program.output_buffer();
        let _ = match outcome {
            Outcome::Points { score, .. } => writeln!(line, "end {number} score={score}"),
            duel => writeln!(
                line,
                "end {number} result={}",
                match duel.result_for(self.seats[number]) {
                    WinDrawLoss::Win => "win",
                    WinDrawLoss::Draw => "draw",
                    WinDrawLoss::Loss => "loss",
                }
            ),
        };
    }

    fn cpu_time(&self) -> ProcessTime {
        self.program_cpu_time()
    }
}

/// Kills the program if an answer is due; otherwise tells it to quit.
impl Drop for ExternalPlayer {
    fn drop(&mut self) {
        if let Ok(running_program) = std::mem::replace(&mut self.running_program, Err(NoMove::Interrupted)) {
            running_program.program.dismiss(QUIT_LINE);
        }
    }
}

/// Asks for a move: one line, and one line as answer.
fn ask<G: Game>(
    program: &mut Program,
    position: &G,
    stop: &Stop,
    timeout: Duration,
) -> Result<Choice<G::Move>, NoMove> {
    if program.has_input() {
        return Err(NoMove::fault(Fault::Nonsense, UNEXPECTED_OUTPUT));
    }
    let line = program.output_buffer();
    line.extend_from_slice(b"move 0 ");
    position.write_position(line);
    line.push(b'\n');
    let choice = parse_answer(position, "0", program.read_line(stop, timeout)?)?;
    if program.has_buffered_input() {
        return Err(NoMove::fault(Fault::Nonsense, UNEXPECTED_OUTPUT));
    }
    Ok(choice)
}

/// Asks for a move in several games: sends all their lines and `go`, and reads the answers in any
/// order, up to `done`.
fn ask_all<G: Game>(
    program: &mut Program,
    positions: &[(usize, &G)],
    stop: &Stop,
    timeout: Duration,
    answers: &mut Vec<Result<Choice<G::Move>, NoMove>>,
) -> Result<(), NoMove> {
    if program.has_input() {
        return Err(NoMove::fault(Fault::Nonsense, UNEXPECTED_OUTPUT));
    }
    let line = program.output_buffer();
    for (number, position) in positions {
        line.extend_from_slice(b"move ");
        push_number(*number as u64, line);
        line.push(b' ');
        position.write_position(line);
        line.push(b'\n');
    }
    line.extend_from_slice(b"go\n");
    let mut replies: Vec<Option<Result<Choice<G::Move>, NoMove>>> = positions.iter().map(|_| None).collect();
    let mut next_index = 0;
    let start = Instant::now();
    loop {
        let line = match program.try_read_line() {
            Some(line) => line?,
            None => {
                let left = timeout.saturating_sub(start.elapsed());
                if left.is_zero() {
                    let limit = format_duration(1e3 * timeout.as_secs_f64());
                    return Err(NoMove::fault(
                        Fault::TimedOut,
                        format!("the program was not done within {limit}"),
                    ));
                }
                program.read_line(stop, left)?
            }
        };
        if line.trim_ascii() == "done" {
            break;
        }
        let (number, _) = first_word(line);
        let game: Option<usize> = number.parse().ok();
        // Most programs answer in the order of the questions.
        let index = if positions.get(next_index).is_some_and(|(asked, _)| Some(*asked) == game) {
            Some(next_index)
        } else {
            game.and_then(|game| positions.binary_search_by_key(&game, |(asked, _)| *asked).ok())
        };
        let Some(index) = index else {
            let reason = format!("reply {:?}: expected the number of a requested game", shorten_output(line));
            return Err(NoMove::fault(Fault::Nonsense, reason));
        };
        if replies[index].is_some() {
            let reason = format!("reply {:?}: second reply for the same game", shorten_output(line));
            return Err(NoMove::fault(Fault::Nonsense, reason));
        }
        next_index = index + 1;
        replies[index] = Some(parse_answer(positions[index].1, number, line));
    }
    if program.has_buffered_input() {
        return Err(NoMove::fault(Fault::Nonsense, UNEXPECTED_OUTPUT));
    }
    answers.extend(replies.into_iter().map(|answer| {
        answer.unwrap_or_else(|| Err(NoMove::fault(Fault::Nonsense, "`done` without a move of this game")))
    }));
    Ok(())
}

/// Parses the move and its details from an answer.
fn parse_answer<G: Game>(position: &G, number: &str, line: &str) -> Result<Choice<G::Move>, NoMove> {
    let nonsense = |reason: String| {
        NoMove::fault(Fault::Nonsense, format!("reply {:?}: {reason}", shorten_output(line)))
    };
    let MoveAnswer { word, value, nodes, depth } = MoveAnswer::read(line, number).map_err(nonsense)?;
    let mv = position.read_move(word).ok_or_else(|| nonsense(unknown_move_message(word, G::INFO.moves)))?;
    Ok(Choice { value, nodes, depth, ..Choice::new(mv) })
}
