//! `gauntlet probe`: for given boards, the effect of each move, the features, and each player's
//! choice.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use gauntlet_analysis::config::{Catalog, Experiment, ExperimentPlayer};
use gauntlet_core::arena::{Arena, Arenas, CheckedRules};
use gauntlet_core::disk::read_line;
use gauntlet_core::game::Diagram;
use gauntlet_core::player::BuildContext;
use gauntlet_core::settings::SettingsTable;
use gauntlet_core::text::{display_path, escape, quote_path};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use gauntlet_cli::exit::Usage;
use gauntlet_cli::output::{format_json_error, print_waiting, screen};
use gauntlet_cli::permission::Allow;
use gauntlet_cli::target;

/// Show the moves that players choose in given positions
///
/// The input has one JSON object per line: {"id": …, "board": [16 tiles, row by row, 0 for empty],
/// "score": points so far, if known}. A Gomoku board is a string of '.', 'B' and 'W', row by row,
/// and "to_move" is "B" or "W".
///
/// The output has one JSON object per input line. It shows whether the game is over, the result of
/// each move, and all features of the board. For each player, it shows the chosen move, and the
/// values of all moves if the player computes values. Each line starts with a new player.
///
/// Some players need a second search for the values of the other moves. It can take longer than the
/// first search. It changes neither the chosen move nor its counters. `gauntlet features` explains
/// each feature.
#[derive(clap::Args)]
#[command(after_long_help = r#"Example:
  echo '{"id": 1, "board": [2,2,4,0, 0,0,0,0, 0,0,0,0, 0,0,0,2]}' | gauntlet probe --experiment quick"#)]
pub(super) struct Args {
    /// Experiment with the players; without it, only rules and features are shown
    #[arg(long, value_name = "FILE")]
    experiment: Option<PathBuf>,

    /// File with positions; `-` for standard input
    #[arg(value_name = "BOARDS", default_value = "-")]
    boards: PathBuf,

    #[command(flatten)]
    allow: Allow,
}

/// A line of the input. Other keys are ignored, so they can be notes about the board.
#[derive(Deserialize)]
struct Question {
    /// Returned unchanged.
    #[serde(default)]
    id: Option<Box<RawValue>>,
    board: Cells,
    #[serde(default)]
    score: Option<u64>,
    #[serde(default)]
    to_move: Option<String>,
}

/// A board in a line: numbers, or a text. The game parses both as a text.
struct Cells(String);

impl<'de> Deserialize<'de> for Cells {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Cells, D::Error> {
        struct CellsVisitor;

        impl<'de> Visitor<'de> for CellsVisitor {
            type Value = Cells;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a board: a list of whole numbers, or a string")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Cells, E> {
                Ok(Cells(text.to_owned()))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Cells, A::Error> {
                let mut cells = Vec::new();
                while let Some(cell) = list.next_element::<u64>()? {
                    cells.push(cell.to_string());
                }
                Ok(Cells(cells.join(" ")))
            }
        }
        deserializer.deserialize_any(CellsVisitor)
    }
}

/// A line of the output.
#[derive(Serialize)]
struct Answer {
    id: Option<Box<RawValue>>,
    over: bool,
    moves: Value,
    features: Map<String, Value>,
    players: Map<String, Value>,
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    let experiment = args.experiment.as_deref().map(|path| target::load(catalog, path)).transpose()?;
    let experiment_and_path = experiment.as_ref().zip(args.experiment.as_deref());
    let _temporary_folder = experiment_and_path
        .map(|(experiment, path)| args.allow.permit_with_temporary_folder(experiment, path))
        .transpose()?;
    let input_name = display_path(&args.boards);
    let input: Box<dyn BufRead> = if args.boards.as_os_str() == "-" {
        print_waiting("boards", ", one JSON object per line");
        Box::new(io::stdin().lock())
    } else {
        target::refuse_missing(&args.boards)?;
        if args.experiment.is_none() && args.boards.extension().is_some_and(|extension| extension == "toml") {
            return Err(Usage(format!(
                "{input_name} is not a list of boards; for the players of an experiment, use `gauntlet probe --experiment {} BOARDS`",
                quote_path(&args.boards)
            ))
            .into());
        }
        Box::new(BufReader::new(
            File::open(&args.boards).with_context(|| format!("cannot read {input_name}"))?,
        ))
    };
    answer_all(catalog.games, experiment.as_ref(), input, &input_name.to_string(), &mut screen())?;
    Ok(ExitCode::SUCCESS)
}

/// Answers each line of an input with one line. `name` appears in messages.
pub fn answer_all(
    arenas: Arenas,
    experiment: Option<&Experiment>,
    mut input: impl BufRead,
    input_name: &str,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let arena = experiment.map_or(&arenas[0], Experiment::arena);
    let rules = experiment.map_or_else(
        || arena.read_rules(&SettingsTable::default()).0,
        |experiment| experiment.rules().clone(),
    );
    let players = experiment.map_or(&[][..], Experiment::players);
    let seed = experiment.map_or(0, |experiment| experiment.blocks().seed(0));
    let context = build_context(experiment);
    let mut bytes = Vec::new();
    for number in 1.. {
        read_line(&mut input, &mut bytes)
            .with_context(|| format!("cannot read line {number} of {input_name}"))?;
        if bytes.is_empty() {
            break;
        }
        let mistake = |message: String| Usage(format!("{input_name}: line {number}: {message}"));
        let line = str::from_utf8(&bytes).map_err(|_| mistake("is not UTF-8".to_owned()))?;
        if line.trim().is_empty() {
            continue;
        }
        // Some editors write a byte order mark first.
        let line = line.strip_prefix('\u{feff}').filter(|_| number == 1).unwrap_or(line);
        let question: Question =
            serde_json::from_str(line).map_err(|error| mistake(format_json_error(&error) + EXAMPLE_HINT))?;
        let answer = answer_question(arena, &rules, players, (seed, &context), question).map_err(|message| {
            let other_games = arenas.iter().map(|arena| arena.name).filter(|&name| name != arena.name);
            let other_games: Vec<&str> = other_games.collect();
            // The rules of other games, such as the size of the board, are in an experiment.
            let hint = match experiment {
                None if !other_games.is_empty() => format!(
                    "; without --experiment, boards are of {}: for a board of {}, use `gauntlet probe --experiment FILE`",
                    arena.name,
                    other_games.join(" or ")
                ),
                _ => String::new(),
            };
            mistake(message + &hint)
        })??;
        let answer = serde_json::to_string(&answer).map_err(io::Error::from)?;
        writeln!(out, "{}", escape::json(&answer))?;
    }
    Ok(())
}

/// Returns the build context of the players: their files.
fn build_context(experiment: Option<&Experiment>) -> BuildContext {
    experiment.map_or_else(BuildContext::default, |experiment| BuildContext {
        assets: experiment.assets().clone(),
        ..BuildContext::default()
    })
}

/// Answers one question with JSON. Fails on a mistake in the question, or another error.
fn answer_question(
    arena: &Arena,
    rules: &CheckedRules,
    players: &[ExperimentPlayer],
    (seed, context): (u64, &BuildContext),
    question: Question,
) -> Result<anyhow::Result<Answer>, String> {
    let Question { id, board: Cells(cells), score, to_move } = question;
    let diagram = &Diagram { cells, score, to_move, ..Diagram::default() };
    let inspection = arena.inspect_position(rules, diagram)?;
    let answers = players.iter().map(|player| {
        let answer = if inspection.has_moves {
            player.entry.probe_position(diagram, seed, context)?
        } else {
            json!({ "move": null, "value": null, "nodes": 0, "depth": null })
        };
        Ok((player.name.clone(), answer))
    });
    let answers = answers.collect::<anyhow::Result<Map<String, Value>>>();
    let features: Map<String, Value> =
        inspection.features.iter().map(|&(name, value)| (name.to_owned(), to_json_number(value))).collect();
    Ok(answers.map(|players| Answer {
        id,
        over: inspection.is_over,
        moves: inspection.moves,
        features,
        players,
    }))
}

/// Formats whole numbers without a decimal point, and infinite ones as words, because JSON has no
/// infinity.
fn to_json_number(value: f64) -> Value {
    if value.is_finite() {
        if value.fract() == 0.0 && value.abs() < 2f64.powi(53) { (value as i64).into() } else { value.into() }
    } else {
        value.to_string().into()
    }
}

/// Hint for a line that cannot be parsed.
const EXAMPLE_HINT: &str = r#"; expected JSON, such as {"board": [0,0,2,0, 0,0,0,0, 0,0,0,4, 0,0,0,0]}"#;
