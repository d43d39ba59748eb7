//! `gauntlet new-player`: writes a starter player, into a checkout of gauntlet or as a package.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use gauntlet_analysis::results::store::files::write_document;
use gauntlet_core::arena::Arenas;
use gauntlet_core::disk::system_disk;
use gauntlet_core::text::{display_path, quote_path};

use gauntlet_cli::command::{Command, define, parse_arguments};
use gauntlet_cli::exit::Usage;
use gauntlet_cli::output::{accept_closed_pipe, prose};
use gauntlet_cli::target::write_new;

/// The commands of this extra.
pub const COMMANDS: &[Command] = &[Command {
    name: "new-player",
    synonyms: &["new", "create", "template"],
    define: define::<Args>,
    run: |program, matches| accept_closed_pipe(run(program.catalog.games, &parse_arguments(matches))),
}];

/// Create a starter player in Rust
///
/// In a checkout of gauntlet, this adds one source file and two lines to the list of players.
/// Elsewhere it creates a package that has every command. The new player plays legal moves, has one
/// setting and one test, and passes the checks for all players.
#[derive(clap::Args)]
#[command(after_long_help = "\
For a player in another language, use `gauntlet init --external LANGUAGE`.

Example:
  gauntlet new-player snake-one")]
pub(crate) struct Args {
    /// Name of the player: lower-case letters, digits and dashes
    #[arg(value_name = "NAME")]
    name: String,

    /// Game of the player
    #[arg(long, value_name = "GAME", value_enum, default_value_t)]
    game: Game,

    /// Create a package even inside a checkout
    #[arg(long)]
    outside: bool,

    /// Checkout of gauntlet for the package to depend on [default: source of this program]
    #[arg(long, value_name = "DIR")]
    gauntlet: Option<PathBuf>,
}

/// A game with a starter player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Game {
    #[default]
    #[value(name = "2048")]
    Twenty48,
    Gomoku,
}

/// Names that a template uses for a game.
struct Names {
    /// Text of the player's file.
    player: &'static str,
    /// The game's name in experiments.
    game: &'static str,
    /// The module of the library.
    module: &'static str,
    /// The package of its players.
    package: &'static str,
    /// The file that lists the players.
    list: &'static str,
    /// The module of the library, as that package imports it.
    import: &'static str,
    /// The type of the game.
    game_type: &'static str,
    /// The module of the other game.
    other_module: &'static str,
    /// A built-in player of the game.
    built_in_player: &'static str,
}

impl Game {
    fn names(self) -> Names {
        match self {
            Game::Twenty48 => Names {
                player: include_str!("../starter/twenty48.rs"),
                game: "2048",
                module: "twenty48",
                package: "twenty48-players",
                list: "crates/twenty48-players/src/lib.rs",
                import: "gauntlet_twenty48",
                game_type: "Twenty48",
                other_module: "gomoku",
                built_in_player: "greedy",
            },
            Game::Gomoku => Names {
                player: include_str!("../starter/gomoku.rs"),
                game: "gomoku",
                module: "gomoku",
                package: "gomoku",
                list: "crates/gomoku/src/players/mod.rs",
                import: "crate",
                game_type: "Gomoku",
                other_module: "twenty48",
                built_in_player: "gomoku-greedy",
            },
        }
    }
}

const PACKAGE: &str = include_str!("../starter/package.toml");
const MAIN: &str = include_str!("../starter/package-main.txt");
const EXPERIMENT: &str = include_str!("../starter/package-experiment.txt");

/// The most letters of a name. Longer names would make the line in the list of players too long.
const MAX_NAME_LENGTH: usize = 20;

/// Keywords of Rust, which no module can use as a name.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "main", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self",
    "static", "struct", "super", "test", "trait", "true", "try", "type", "typeof", "union", "unsafe",
    "unsized", "use", "virtual", "where", "while", "yield",
];

/// Names of crates, modules and programs that would conflict with a player's file.
const RESERVED_NAMES: &[&str] = &[
    "alloc",
    "anyhow",
    "build",
    "core",
    "deps",
    "examples",
    "gauntlet",
    "incremental",
    "serde",
    "std",
    "tests",
];

/// A valid name for a new player.
#[derive(Debug)]
struct Name<'a>(&'a str);

impl<'a> Name<'a> {
    fn new(arenas: Arenas, name: &'a str) -> Result<Name<'a>, Usage> {
        let is_plain = name.split('-').all(|word| {
            !word.is_empty()
                && word.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
        });
        if !is_plain
            || !name.starts_with(|first: char| first.is_ascii_lowercase())
            || name.len() > MAX_NAME_LENGTH
        {
            let form = "lower-case letters and digits, with dashes between words, such as `snake-one`";
            return Err(Usage(format!("the name of a player must be at most {MAX_NAME_LENGTH} {form}")));
        }
        let name = Name(name);
        let module = name.module_name();
        if KEYWORDS.contains(&&*module)
            || RESERVED_NAMES.contains(&&*module)
            || module.starts_with("gauntlet_")
        {
            return Err(Usage(format!("`{}` is a reserved word in Rust: choose another name", name.0)));
        }
        let has_player = |arena: &&gauntlet_core::arena::Arena| {
            arena.manual().iter().any(|algorithm| algorithm.name == name.0)
        };
        match arenas.iter().find(has_player) {
            Some(arena) => Err(Usage(format!("{} already has a player `{}`", arena.name, name.0))),
            None => Ok(name),
        }
    }

    /// Returns the module name of its file.
    fn module_name(&self) -> String {
        self.0.replace('-', "_")
    }

    /// Returns the name of its type.
    fn type_name(&self) -> String {
        let word = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
        self.0.split('-').map(word).collect()
    }

    /// Returns the player's file for a package outside of gauntlet.
    fn render_player(&self, game: Game) -> String {
        game.names().player.replace("new-player", self.0).replace("NewPlayer", &self.type_name())
    }
}

pub(crate) fn run(arenas: Arenas, args: &Args) -> anyhow::Result<ExitCode> {
    let name = Name::new(arenas, &args.name)?;
    let current_folder = Path::new(".");
    match find_checkout(current_folder).filter(|_| !args.outside && args.gauntlet.is_none()) {
        Some(checkout) => write_in_checkout(&checkout, &name, args.game),
        None => write_package(args, &name),
    }
}

/// Returns the checkout of gauntlet that contains a folder.
fn find_checkout(folder: &Path) -> Option<PathBuf> {
    let absolute = fs::canonicalize(folder).ok()?;
    let checkout = absolute.ancestors().find(|folder| is_checkout(folder))?;
    // Relative to the current folder, for short messages.
    let depth = absolute.strip_prefix(checkout).ok()?.components().count();
    Some(if folder.is_absolute() { checkout.to_owned() } else { [".."].repeat(depth).iter().collect() })
}

fn is_checkout(folder: &Path) -> bool {
    [Game::Twenty48, Game::Gomoku].iter().all(|game| folder.join(game.names().list).is_file())
}

/// Writes the player's file and its two lines in the list.
fn write_in_checkout(checkout: &Path, name: &Name, game: Game) -> anyhow::Result<ExitCode> {
    let Names { module: game_module, package, list, import, .. } = game.names();
    let list = checkout.join(list);
    let old = fs::read_to_string(&list).with_context(|| format!("cannot read {}", display_path(&list)))?;
    let new = add_to_list(&old, name)
        .with_context(|| format!("{} has no list of players in the expected form", display_path(&list)))?;
    let module = name.module_name();
    let folder = list.with_file_name(&module);
    if folder.exists() {
        return Err(
            Usage(format!("{} is already a player: choose another name", display_path(&folder))).into()
        );
    }
    let file = list.with_file_name(format!("{module}.rs"));
    // Inside, the game and the core are packages.
    let text =
        name.render_player(game).replace(&format!("gauntlet::{game_module}::"), &format!("{import}::"));
    let text = text.replace("gauntlet::", "gauntlet_core::");
    write_new(&file, &text)?;
    write_document(&system_disk(), &list, new.as_bytes())?;
    writeln!(
        prose(),
        "created {} and added it to {}. To compile and check it:\n  \
         cargo test --profile quick --test it -- players::{module} signature:: format::pages\n  \
         cargo run --profile quick -- players {}\nA new player changes the signature and the manual. To update both:\n  \
         GAUNTLET_BLESS=1 cargo test --profile quick --test it -- signature:: format::pages\nTo run its tests:\n  \
         cargo test --profile quick -p gauntlet-bench -p gauntlet-{package} --lib -- {module}",
        display_path(&file),
        display_path(&list),
        name.0,
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Adds a player to the text of a list, as the last one of the manual. `None` if the list has
/// another form.
fn add_to_list(list: &str, name: &Name) -> Option<String> {
    let module = format!("pub mod {};\n", name.module_name());
    let modules = list.match_indices("pub mod ").map(|(index, _)| index);
    let next = modules.clone().find(|&index| list[index..] > *module);
    let last = modules.last()?;
    let index = next.unwrap_or_else(|| list[last..].find('\n').map_or(list.len(), |end| last + end + 1));
    let (before, after) = list.split_at(index);
    let text = [before, &module, after].concat();
    let end = text.rfind("\n];")? + 1;
    let entry =
        format!("    Algorithm::new::<{0}::Config>(\"{1}\", {0}::EXAMPLE),\n", name.module_name(), name.0);
    Some([&text[..end], &entry, &text[end..]].concat())
}

/// Writes a package.
fn write_package(args: &Args, name: &Name) -> anyhow::Result<ExitCode> {
    let names = args.game.names();
    let program_checkout = || find_checkout(std::env::current_exe().ok()?.parent()?);
    let checkout = match &args.gauntlet {
        Some(path) if !is_checkout(path) => {
            return Err(Usage(format!("{} is not a checkout of gauntlet", display_path(path))).into());
        }
        Some(path) => {
            Some(fs::canonicalize(path).with_context(|| format!("cannot find {}", display_path(path)))?)
        }
        None => program_checkout(),
    };
    let path = checkout.as_deref().unwrap_or(Path::new("../gauntlet"));
    let path = path.to_str().with_context(|| format!("{} is not UTF-8 text", display_path(path)))?;
    let folder = Path::new(name.0);
    fs::create_dir(folder).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Usage(format!("{} already exists", display_path(folder))).into(),
        _ => anyhow::Error::new(error).context(format!("cannot create {}", display_path(folder))),
    })?;
    fs::create_dir(folder.join("src"))
        .with_context(|| format!("cannot create {}", display_path(&folder.join("src"))))?;
    let fill_template = |text: &str| {
        text.replace("GAMENAME", names.game)
            .replace("GAME", names.module)
            .replace("TYPE", names.game_type)
            .replace("OTHER", names.other_module)
            .replace("MODULE", &name.module_name())
            .replace("KNOWN", names.built_in_player)
            .replace("NAME", name.0)
    };
    let path = toml::Value::String(path.to_owned()).to_string();
    let player = name.render_player(args.game);
    let example =
        player.split_once("r#\"").and_then(|(_, rest)| rest.split_once("\"#")).map_or("", |(text, _)| text);
    write_new(&folder.join("Cargo.toml"), &fill_template(PACKAGE).replace("\"CHECKOUT\"", &path))?;
    write_new(&folder.join("src/main.rs"), &fill_template(MAIN))?;
    write_new(&folder.join(format!("src/{}.rs", name.module_name())), &player)?;
    write_new(
        &folder.join(format!("{}.toml", name.0)),
        &fill_template(EXPERIMENT).replace("EXAMPLE", example),
    )?;
    let hint = match checkout {
        Some(_) => "",
        None => " Set the path of gauntlet in its Cargo.toml.",
    };
    writeln!(
        prose(),
        "created {}/, a package with your player and those of gauntlet.{hint} To check it and to play:\n  \
         cd {}\n  cargo test\n  cargo run --release -- run {}.toml",
        display_path(folder),
        quote_path(folder),
        name.0
    )?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use gauntlet_games::GAMES;

    use super::*;

    #[test]
    fn names_are_those_of_modules_and_types() {
        let name = Name::new(&GAMES, "snake-2-one").expect("a name");
        assert_eq!(
            (name.module_name(), name.type_name()),
            ("snake_2_one".to_owned(), "Snake2One".to_owned())
        );
        for invalid_name in [
            "",
            "Snake",
            "snake--one",
            "-snake",
            "2snake",
            "snake_one",
            "mod",
            "greedy",
            "a-name-that-is-too-long",
            "../x",
        ] {
            assert!(Name::new(&GAMES, invalid_name).is_err(), "{invalid_name}");
        }
    }

    #[test]
    fn the_list_has_two_more_lines() {
        let list =
            "//! x\n\npub mod a;\npub mod n;\nmod o;\n\nuse x;\n\npub const PLAYERS: &[A] = &[\n    A,\n];\n";
        let add = |name: &'static str| add_to_list(list, &Name(name)).expect("a list");
        assert_eq!(
            add("b-c"),
            "//! x\n\npub mod a;\npub mod b_c;\npub mod n;\nmod o;\n\nuse x;\n\npub const PLAYERS: &[A] = &[\n    A,\n    \
             Algorithm::new::<b_c::Config>(\"b-c\", b_c::EXAMPLE),\n];\n"
        );
        assert!(
            add("z").contains("pub mod n;\npub mod z;\nmod o;\n")
                && add("A0").contains("\n\npub mod A0;\npub mod a;\n")
        );
        assert!(add_to_list("pub mod a;\n", &Name("z")).is_none() && add_to_list("", &Name("z")).is_none());
    }
}
