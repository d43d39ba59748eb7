//! Player that is a Gomocup engine: any program written for Gomocup managers plays here unchanged.

mod engine;
mod server;

use std::path::{Path, PathBuf};
use std::time::Duration;

use gauntlet_core::assets::AssetFiles;
use gauntlet_core::num::BoundedInt;
use gauntlet_core::player::{
    Abilities, BuildContext, Choice, FileMistake, NoMove, Player, Recipe, RecipeFacts, RecipeIdentity,
    RemotePlayer, Start,
};
use gauntlet_core::record::ProcessTime;
use gauntlet_players::external_program::{self, ExternalProgram};
use serde::{Deserialize, Serialize};

use crate::rules::{Cell, Gomoku, Rules};
use engine::{Engine, Limits};
pub use server::wrap_player;

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Asks a Gomocup engine for its moves, with the protocol of Gomocup managers.
algorithm = "gomocup"
# engine and arguments; needs --allow-commands
command = ["./pbrain-engine"]
# working directory, relative to this file; default: folder of the engine
# directory = "engines/engine"
# environment variables to pass or set; default: PATH, HOME, LANG, TMPDIR
# env = ["OMP_NUM_THREADS=1"]
# files that the engine reads, in addition to those in `command`
# files = ["config.toml"]
turn_millis = 1000         # time limit per move, sent to the engine
# game_millis = 120000     # time limit for all its moves of a game
late_millis = 1000         # tolerance for late moves
start_millis = 10000       # time limit for the start
# max_nodes = 5000         # positions per move, if it supports `max_node`
# max_depth = 8            # maximum depth in plies
threads = 1                # search threads, if it supports `thread_num`
# memory limit sent to the engine; each process may use twice as much
memory_mib = 350
reproducible = false       # true if equal seeds give equal games; checked
"#;

/// Settings of a Gomocup engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Engine and its arguments.
    pub command: Vec<String>,
    /// Working directory.
    #[serde(default)]
    pub directory: Option<String>,
    /// Environment variables.
    #[serde(default)]
    pub env: Vec<String>,
    /// Files that make up the engine.
    #[serde(default)]
    pub files: Vec<String>,
    /// Time limit per move.
    #[serde(default = "a_second")]
    pub turn_millis: BoundedInt<1, 86_400_000>,
    /// Time limit for all its moves of a game.
    #[serde(default)]
    pub game_millis: Option<BoundedInt<1, 86_400_000>>,
    /// Tolerance beyond the time limit, in which a move still counts.
    #[serde(default = "a_second_more")]
    pub late_millis: BoundedInt<0, 86_400_000>,
    /// Time limit for startup.
    #[serde(default = "ten_seconds")]
    pub start_millis: BoundedInt<1, 86_400_000>,
    /// Limit on positions per move.
    #[serde(default)]
    pub max_nodes: Option<BoundedInt<1, 4_000_000_000>>,
    /// Limit on plies per move.
    #[serde(default)]
    pub max_depth: Option<BoundedInt<1, 1000>>,
    /// Number of threads that the engine may use.
    #[serde(default = "one")]
    pub threads: BoundedInt<1, 1024>,
    /// Memory limit.
    #[serde(default = "memory_of_gomocup")]
    pub memory_mib: BoundedInt<1, 1_048_576>,
    /// True if equal seeds make equal games.
    #[serde(default)]
    pub reproducible: bool,
}

fn a_second() -> BoundedInt<1, 86_400_000> {
    BoundedInt::new(1000)
}

fn a_second_more() -> BoundedInt<0, 86_400_000> {
    BoundedInt::new(1000)
}

fn ten_seconds() -> BoundedInt<1, 86_400_000> {
    BoundedInt::new(10_000)
}

fn one() -> BoundedInt<1, 1024> {
    BoundedInt::new(1)
}

/// Returns the limit of Gomocup's tournaments.
fn memory_of_gomocup() -> BoundedInt<1, 1_048_576> {
    BoundedInt::new(350)
}

impl Config {
    /// Returns the engine's working directory, which must be its own: it finds its files there.
    fn folder(&self) -> PathBuf {
        match &self.directory {
            Some(directory) => PathBuf::from(directory),
            None => {
                let program_folder = self.command.first().and_then(|program| Path::new(program).parent());
                program_folder.map(Path::to_owned).unwrap_or_default()
            }
        }
    }

    /// Returns the command as seen from that folder.
    fn command_words(&self) -> Vec<String> {
        let mut words = self.command.clone();
        if self.directory.is_none()
            && let [program, ..] = &mut words[..]
            && let Some(name) = Path::new(&*program).file_name()
            && program.contains('/')
        {
            *program = format!("./{}", name.to_string_lossy());
        }
        words
    }

    /// Describes the engine as an external program.
    fn external_program<'a>(&'a self, words: &'a [String], folder: &'a Path) -> ExternalProgram<'a> {
        ExternalProgram { command: words, directory: folder, env: &self.env, files: &self.files }
    }

    fn limits(&self) -> Limits {
        let millis = |millis: u32| Duration::from_millis(millis.into());
        Limits {
            turn: millis(self.turn_millis.get()),
            game: self.game_millis.map(|game| millis(game.get())),
            tolerance: millis(self.late_millis.get()),
            start_timeout: millis(self.start_millis.get()),
            nodes: self.max_nodes.map(BoundedInt::get),
            depth: self.max_depth.map(BoundedInt::get),
            threads: self.threads.get(),
            memory: u64::from(self.memory_mib.get()) << 20,
        }
    }

    /// Starts the engine and waits until it is ready for a game.
    fn start_engine(&self, rules: &Rules, context: &BuildContext) -> Result<Engine, NoMove> {
        let (words, folder) = (self.command_words(), self.folder());
        let memory = self.memory_mib.get().saturating_mul(2);
        let program = self.external_program(&words, &folder).start(&context.assets, Some(memory), "")?;
        Engine::begin(program, self.limits(), rules, &context.stop)
    }
}

impl Recipe<Gomoku> for Config {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Gomoku>>> {
        Ok(Box::new(Gomocup {
            config: self.clone(),
            context: context.clone(),
            engine: None,
            earlier_cpu_time: ProcessTime::default(),
            failure: None,
        }))
    }

    fn facts(&self, _rules: &Rules) -> RecipeFacts {
        RecipeFacts {
            command: Some(self.command.clone()),
            memory: u64::from(self.memory_mib.get()) << 20,
            threads: self.threads.get() as usize,
            time_source: external_program::TIME_SOURCE,
            is_reproducible: self.reproducible,
            ..RecipeFacts::default()
        }
    }

    fn open(&self, assets: &AssetFiles) -> Result<RecipeIdentity, FileMistake> {
        let (words, folder) = (self.command_words(), self.folder());
        let identity = self.external_program(&words, &folder).identity("gomocup 1", assets);
        identity.map(RecipeIdentity::from_program).map_err(|error| FileMistake::for_player(&error))
    }

    fn contradiction(&self) -> Option<(&'static str, String)> {
        let (words, folder) = (self.command_words(), self.folder());
        self.external_program(&words, &folder).contradiction()
    }
}

struct Gomocup {
    config: Config,
    context: BuildContext,
    /// Running engine, from its first game on.
    engine: Option<Engine>,
    /// CPU time of earlier engines, which could not begin another game.
    earlier_cpu_time: ProcessTime,
    /// Why the engine is not asked any more, if so.
    failure: Option<NoMove>,
}

impl Player<Gomoku> for Gomocup {
    fn begin(&mut self, start: &Start<Gomoku>) {
        if self.failure.is_some() {
            return;
        }
        let is_ready = match &mut self.engine {
            Some(engine) => engine.begin_again(start.rules, &self.context.stop),
            None => Ok(false),
        };
        let result = is_ready.and_then(|is_ready| {
            if is_ready {
                return Ok(());
            }
            if let Some(engine) = self.engine.take() {
                self.earlier_cpu_time += engine.cpu_time();
                engine.end();
            }
            self.engine = Some(self.config.start_engine(start.rules, &self.context)?);
            Ok(())
        });
        self.failure = result.err();
    }

    fn choose(&mut self, position: &Gomoku) -> Result<Choice<Cell>, NoMove> {
        if let Some(error) = &self.failure {
            return Err(error.clone());
        }
        let engine = self.engine.as_mut().expect("begun");
        let result = engine.choose(position, &self.context.stop);
        if let Err(error) = &result {
            self.failure = Some(error.clone());
        }
        result.map(Choice::new)
    }

    fn abilities(&mut self) -> Abilities<'_, Gomoku> {
        Abilities::Remote(self)
    }
}

impl RemotePlayer<Gomoku> for Gomocup {
    fn greeting(&mut self, rules: &Rules) -> Result<Option<String>, NoMove> {
        let mut engine = self.config.start_engine(rules, &self.context)?;
        let name = engine.query_version(&self.context.stop)?;
        engine.end();
        Ok(name)
    }

    fn cpu_time(&self) -> ProcessTime {
        let mut total = self.earlier_cpu_time;
        total += self.engine.as_ref().map_or(ProcessTime::default(), Engine::cpu_time);
        total
    }
}

/// Tells the engine to end between two moves; kills it during a move.
impl Drop for Gomocup {
    fn drop(&mut self) {
        if let Some(engine) = self.engine.take() {
            engine.end();
        }
    }
}
