//! `gauntlet init`: writes an experiment to begin with.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gauntlet_analysis::config::{BuiltInExperiment, experiment_name};
use gauntlet_core::text::{display_path, quote_path};

use crate::built_in::BUILT_IN;
use gauntlet_cli::exit::Usage;
use gauntlet_cli::output::{data, prose};
use gauntlet_cli::target::{already_exists_error, write_new};

/// Create a starter experiment with comments
///
/// The results folder has the same name as the file.
#[derive(clap::Args)]
#[command(after_long_help = "\
Example:
  gauntlet init mine.toml
  gauntlet init --game gomoku stones.toml
  gauntlet init --tune better.toml
  gauntlet init --built-in quick copy.toml
  gauntlet init --external python
  gauntlet init --external c in-c.toml")]
pub(super) struct Args {
    /// Path of the new file; `-` for standard output
    #[arg(value_name = "FILE", default_value = "experiment.toml")]
    file: PathBuf,

    /// Game of the experiment
    #[arg(long, value_name = "GAME", value_enum, default_value_t, conflicts_with_all = ["tune", "external"])]
    game: Game,

    /// Create an experiment that tunes the settings of a player
    #[arg(long, conflicts_with = "external")]
    tune: bool,

    /// Write a built-in experiment, which `gauntlet run NAME` plays without a file
    #[arg(long, value_name = "NAME", value_parser = BUILT_IN.map(|experiment| experiment.name))]
    #[arg(conflicts_with_all = ["game", "tune", "external"])]
    built_in: Option<String>,

    /// Also create a starter player in this language, for this experiment
    #[arg(long, value_name = "LANGUAGE")]
    external: Option<Language>,
}

/// A game with a starter experiment.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Game {
    #[default]
    #[value(name = "2048")]
    Twenty48,
    Gomoku,
}

/// A language with a starter player.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Language {
    Python,
    #[value(name = "javascript", alias = "js")]
    JavaScript,
    C,
    #[value(name = "c++", alias = "cpp")]
    Cpp,
    Lua,
    Rust,
}

/// A starter experiment, which is written under a name of the user's choice.
struct Template {
    text: &'static str,
    /// Its name in the text.
    name: &'static str,
    /// Its own path in the text.
    path: &'static str,
    /// The command that it is for.
    command: &'static str,
}

const TWENTY48: Template =
    Template { text: include_str!("init.toml"), name: "first", path: "FILE", command: "run" };
const GOMOKU: Template =
    Template { text: include_str!("init-gomoku.toml"), name: "stones", path: "FILE", command: "run" };
const TUNE: Template = Template {
    text: include_str!("../../configs/tune/quick.toml"),
    name: "tune-quick",
    path: "configs/tune/quick.toml",
    command: "tune",
};

/// The experiment that plays a starter player.
const EXTERNAL: Template = Template {
    text: include_str!("../../examples/players/mine.toml"),
    name: "my-player",
    path: "examples/players/mine.toml",
    command: "run",
};

/// The name of a starter player's file, without its ending, and of its program.
const PLAYER: &str = "my_player";

/// A starter player.
struct Starter {
    /// Its language, as people write it.
    language: &'static str,
    /// Its name in the text.
    file: &'static str,
    text: &'static str,
    toolchain: Toolchain,
}

/// The program that starts a player, or that compiles it.
enum Toolchain {
    Interpreter(&'static str),
    /// A compiler with its options, without `-o`.
    Compiler(&'static str),
}

/// Makes the starter of one of the examples.
macro_rules! starter {
    ($language:literal, $file:literal, $toolchain:expr) => {
        Starter {
            language: $language,
            file: $file,
            text: include_str!(concat!("../../examples/players/", $file)),
            toolchain: $toolchain,
        }
    };
}

impl Language {
    fn starter(self) -> Starter {
        use Toolchain::{Compiler, Interpreter};
        match self {
            Language::Python => starter!("Python", "first.py", Interpreter("python3")),
            Language::JavaScript => starter!("JavaScript", "first.js", Interpreter("node")),
            Language::C => starter!("C", "first.c", Compiler("cc -O2")),
            Language::Cpp => starter!("C++", "first.cpp", Compiler("c++ -O2")),
            Language::Lua => starter!("Lua", "first.lua", Interpreter("lua")),
            Language::Rust => starter!("Rust", "first.rs", Compiler("rustc -O")),
        }
    }
}

impl Template {
    /// Returns the text of the template for this path: the experiment is named after the file.
    fn text_for(&self, file: &Path) -> String {
        let Template { text, name, path, .. } = self;
        let new_name = experiment_name(file);
        let text = text.replacen(&format!("name = \"{name}\""), &format!("name = \"{new_name}\""), 1);
        let text = text.replace(path, &quote_path(file));
        let [folder, page] = [format!("results/{new_name}"), format!("{new_name}.html")].map(PathBuf::from);
        text.replace(&format!("results/{name}"), &quote_path(&folder))
            .replace(&format!("{name}.html"), &quote_path(&page))
    }
}

/// Writes a starter player, and next to it an experiment that plays it.
fn write_external(args: &Args, starter: &Starter) -> anyhow::Result<ExitCode> {
    let Starter { language, file: name, text, toolchain } = starter;
    if args.file.as_os_str() == "-" {
        return Err(Usage("--external writes two files, so `-` is not possible".to_owned()).into());
    }
    let source_name = name.replacen("first", PLAYER, 1);
    let source = args.file.with_file_name(&source_name);
    let program = args.file.with_file_name(PLAYER);
    // Nothing is written if one of the files exists, or the program of a starter in another
    // language.
    if let Some(existing) = [&args.file, &source, &program].into_iter().find(|path| path.exists()) {
        return Err(already_exists_error(existing).into());
    }
    let path = quote_path(&source);
    let (command, compile_command, start_command) = match toolchain {
        Toolchain::Interpreter(program) => {
            (format!("\"{program}\", \"{source_name}\""), None, format!("{program} {path}"))
        }
        Toolchain::Compiler(compiler) => {
            // A program in the current folder is started by `./my_player`.
            let is_in_current_folder = source.parent().is_none_or(|folder| folder.as_os_str().is_empty());
            let program =
                quote_path(&if is_in_current_folder { Path::new(".").join(program) } else { program });
            (format!("\"./{PLAYER}\""), Some(format!("{compiler} -o {program} {path}")), program)
        }
    };
    let compile_line = |margin: &str| {
        compile_command.as_ref().map_or_else(String::new, |invocation| format!("{margin}{invocation}\n"))
    };
    let experiment = EXTERNAL
        .text_for(&args.file)
        .replace("\"python3\", \"first.py\"", &command)
        .replace("in Python", &format!("in {language}"))
        .replace("#     gauntlet run", &(compile_line("#     ") + "#     gauntlet run"));
    write_new(&source, &text.replace(name, &source_name).replace("-o first ", &format!("-o {PLAYER} ")))?;
    write_new(&args.file, &experiment)?;
    let steps = if compile_command.is_some() { "compile and test the player" } else { "test the player" };
    writeln!(
        prose(),
        "created {} and {}; to {steps} and to play:\n{}  gauntlet players --try -- {start_command}\n  \
         gauntlet run {} --allow-commands",
        display_path(&source),
        display_path(&args.file),
        compile_line("  "),
        quote_path(&args.file),
    )?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(language) = args.external {
        return write_external(args, &language.starter());
    }
    let built_in = BUILT_IN.into_iter().find(|experiment| args.built_in.as_deref() == Some(experiment.name));
    let template = match (built_in, args.tune, args.game) {
        (Some(BuiltInExperiment { name, path, text }), ..) => Template { text, name, path, command: "run" },
        (None, true, _) => TUNE,
        (None, false, Game::Twenty48) => TWENTY48,
        (None, false, Game::Gomoku) => GOMOKU,
    };
    if args.file.as_os_str() == "-" {
        data().write_all(template.text_for(Path::new("experiment.toml")).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    write_new(&args.file, &template.text_for(&args.file))?;
    let (name, file) = (display_path(&args.file), quote_path(&args.file));
    let (command, verb) = (template.command, if args.tune { "tune" } else { "play" });
    writeln!(prose(), "created {name}; to {verb} it:\n  gauntlet {command} {file}")?;
    Ok(ExitCode::SUCCESS)
}
