//! `gauntlet init`: writes an experiment to begin with.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use gauntlet_analysis::config::name_for;
use gauntlet_core::text::{quoted_path, shown};

use super::exit::Usage;
use super::say::{data, prose};

/// Create a starter experiment with comments
///
/// The results folder has the same name as the file.
#[derive(clap::Args)]
#[command(after_long_help = "\
Example:
  gauntlet init mine.toml
  gauntlet init --game gomoku stones.toml
  gauntlet init --tune better.toml
  gauntlet init --external python")]
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

/// The player in Python, and the experiment that plays it.
const PYTHON: (&str, &str) = ("my_player.py", include_str!("../../examples/players/first.py"));
const EXTERNAL: Template = Template {
    text: include_str!("../../examples/players/mine.toml"),
    name: "my-player",
    path: "examples/players/mine.toml",
    command: "run",
};

impl Template {
    /// Returns the text of the template for this path: the experiment is named after the file.
    fn text_for(&self, file: &Path) -> String {
        let Template { text, name, path, .. } = self;
        let own = name_for(file);
        let text = text.replacen(&format!("name = \"{name}\""), &format!("name = \"{own}\""), 1);
        let text = text.replace(path, &quoted_path(file));
        let [folder, page] = [format!("results/{own}"), format!("{own}.html")].map(PathBuf::from);
        text.replace(&format!("results/{name}"), &quoted_path(&folder))
            .replace(&format!("{name}.html"), &quoted_path(&page))
    }
}

/// Writes a starter player, and next to it an experiment that plays it.
fn external(args: &Args, Language::Python: Language) -> anyhow::Result<ExitCode> {
    let (name, script) = PYTHON;
    if args.file.as_os_str() == "-" {
        return Err(Usage("--external writes two files, so `-` is not possible".to_owned()).into());
    }
    let script_path = args.file.with_file_name(name);
    write_new(&script_path, &script.replace("first.py", name))?;
    write_new(&args.file, &EXTERNAL.text_for(&args.file).replace("first.py", name))?;
    let (script_path, file) = (quoted_path(&script_path), quoted_path(&args.file));
    writeln!(
        prose(),
        "created {} and {}; to test the player and to play:\n  gauntlet players --try -- python3 {script_path}\n  \
         gauntlet run {file} --allow-commands",
        shown(&args.file.with_file_name(name)),
        shown(&args.file)
    )?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(language) = args.external {
        return external(args, language);
    }
    let template = match (args.tune, args.game) {
        (true, _) => TUNE,
        (false, Game::Twenty48) => TWENTY48,
        (false, Game::Gomoku) => GOMOKU,
    };
    if args.file.as_os_str() == "-" {
        data().write_all(template.text_for(Path::new("experiment.toml")).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    write_new(&args.file, &template.text_for(&args.file))?;
    let (name, file) = (shown(&args.file), quoted_path(&args.file));
    let (command, to_do) = (template.command, if args.tune { "tune" } else { "play" });
    writeln!(prose(), "created {name}; to {to_do} it:\n  gauntlet {command} {file}")?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a new file; fails if the file exists.
pub(super) fn write_new(path: &Path, text: &str) -> anyhow::Result<()> {
    let name = shown(path);
    let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(Usage(format!("{name} already exists: give another file")).into());
        }
        file => file.with_context(|| format!("cannot write {name}"))?,
    };
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {name}"))
}
