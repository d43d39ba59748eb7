//! `gauntlet compare`: compares the players of results, using only their files.

use std::path::PathBuf;
use std::process::ExitCode;

use gauntlet_analysis::compare::comparison::Comparison;
use gauntlet_analysis::compare::question::RelevantDifference;
use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::results::analysis::comparison_tables::PairwiseComparisons;
use gauntlet_analysis::results::analysis::contestants::{self, Contestant, PairChoice};
use gauntlet_analysis::results::analysis::pairwise::{self, PairwiseQuestion};
use gauntlet_analysis::results::analysis::warnings;
use gauntlet_analysis::results::store::read::Results;
use gauntlet_core::arena::Arenas;
use gauntlet_core::measure::Measure;
use gauntlet_core::num::{Level, Share};
use gauntlet_core::table::{Table, TableWidth, TextTable};
use gauntlet_core::text::{escape, wrap_line};

use gauntlet_cli::exit::{REGRESSION, Usage};
use gauntlet_cli::format::{Format, versioned_json};
use gauntlet_cli::output::{print_as, print_message};
use gauntlet_cli::terminal::width;

/// Compare players and show which differences are significant
///
/// Games on the same seeds are compared in pairs, other games as independent samples. If several
/// results have players with the same names, each player is compared with its namesake in the first
/// results. Otherwise all players are compared with the strongest.
#[derive(clap::Args)]
#[command(after_long_help = "\
`gauntlet compare old new --fail-on regression` exits with status 5 if a player of `new` is significantly worse than its \
namesake in `old`. If no names match, the first player is the baseline, not the strongest.

Example:
  gauntlet compare results/quick --by score --all-pairs")]
pub(super) struct Args {
    /// Results folders
    #[arg(value_name = "RESULTS", required = true)]
    results: Vec<PathBuf>,

    /// Measure: win, `reach 2048` or another tile, score or ms; in two-player games points or ms
    /// [default: win and score, or points]
    #[arg(long, value_name = "WHAT", value_parser = clap::builder::ValueParser::string())]
    by: Vec<Measure>,

    /// Compare all players with this player [default: the strongest]
    #[arg(long, value_name = "NAME", conflicts_with = "all_pairs", allow_hyphen_values = true)]
    baseline: Option<String>,

    /// Compare all players with each other
    #[arg(long)]
    all_pairs: bool,

    /// Confidence level of all answers together, from 0.51 to 0.999999999
    #[arg(long, value_name = "LEVEL", default_value = "0.95", value_parser = parse_level)]
    level: Level,

    /// Smallest difference of interest, from 0.000001 to 0.999999; determines the recommended
    /// number of games [default: 0.02 for rates, 0.05 for scores]
    #[arg(long, value_name = "D", value_parser = parse_share)]
    difference: Option<Share>,

    /// Explain the test behind each verdict
    #[arg(short = 'v', long, conflicts_with = "matrix")]
    explain: bool,

    /// Show a matrix of all pairs of players
    #[arg(long, conflicts_with_all = ["baseline", "all_pairs"])]
    matrix: bool,

    /// Add the settings of both players to CSV; JSON always has them
    #[arg(long)]
    with_settings: bool,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// Exit with status 5 if a player is significantly worse
    #[arg(long, value_name = "WHAT", value_parser = ["regression"], conflicts_with_all = ["all_pairs", "matrix"])]
    fail_on: Option<String>,
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    let results = Results::read_all(catalog, &args.results)?;
    let measures = if args.by.is_empty() {
        pairwise::leader_measures(&results).to_vec()
    } else {
        remove_duplicates(&args.by)
    };
    let players = contestants::read_contestants(&results, &measures)?;
    check_comparable(&results, &players, &measures)?;
    let is_all_pairs = args.all_pairs || args.matrix;
    let (choice, namesakes) = match &args.baseline {
        Some(name) => (Some(PairChoice::Baseline(name.clone())), Vec::new()),
        None if is_all_pairs => (Some(PairChoice::AllPairs), Vec::new()),
        None => (args.fail_on.is_some().then_some(PairChoice::First), contestants::namesake_pairs(&players)),
    };
    // A player that is chosen by the games themselves is tested more strictly.
    let is_leader_baseline = namesakes.is_empty() && choice.is_none();
    let pairs = match &choice {
        _ if !namesakes.is_empty() => namesakes,
        Some(choice) => contestants::pairs(&players, choice).map_err(Usage)?,
        None => pairwise::pair_with_strongest(&players, &measures),
    };
    if pairs.is_empty() {
        return Err(Usage("only one player: give other results for a comparison".to_owned()).into());
    }
    let mut warnings = warnings::first_warnings(&results);
    warnings.extend(warnings::comparison_warnings(&results, &measures)?);
    let unpaired = contestants::unpaired_players(&players, &pairs);
    let unpaired_note = (!unpaired.is_empty()).then(|| {
        format!(
            "not compared, because no other results have a player with this name: {}",
            unpaired.join(", ")
        )
    });
    if args.fail_on.is_some() {
        // Players that are not compared cannot be found to be worse.
        if let Some(reason) = warnings::describe_other_rules(&results).or_else(|| unpaired_note.clone()) {
            return Err(Usage(format!("--fail-on cannot detect a regression: {reason}")).into());
        }
    }
    warnings.extend(unpaired_note);
    let relevant_difference = args
        .difference
        .map_or_else(RelevantDifference::default, |d| RelevantDifference { rate: d.get(), score: d.get() });
    let question = PairwiseQuestion { measures, level: args.level.get(), relevant_difference };
    let compare = if is_leader_baseline { pairwise::compare_with_selected } else { pairwise::compare };
    let comparisons = compare(&players, &pairs, &question);
    if args.fail_on.is_some()
        && let Some(missing) = comparisons.iter().find(|comparison| !comparison.has_answer())
    {
        return Err(Usage(format!("--fail-on cannot detect a regression: {}", missing.answer())).into());
    }
    let pairwise_comparisons = PairwiseComparisons {
        players: &players,
        pairs: &pairs,
        are_all: is_all_pairs,
        question: &question,
        comparisons: &comparisons,
    };
    match args.format {
        Format::Text | Format::Markdown if !args.explain => {
            warn(&warnings);
            print_as(args.format, &format_for_people(pairwise_comparisons, args))?;
        }
        _ => {
            let mut table = pairwise::table(&comparisons);
            if args.explain {
                table.append_explanations();
            }
            let settings = || contestants::settings(&results, &players);
            args.format.join_settings(args.with_settings, std::slice::from_mut(&mut table), settings)?;
            print(&table, args.format, warnings)?;
        }
    }
    let is_worse = comparisons.iter().any(Comparison::is_worse);
    Ok(if args.fail_on.is_some() && is_worse { ExitCode::from(REGRESSION) } else { ExitCode::SUCCESS })
}

/// Refuses results that cannot answer the question.
pub(super) fn check_comparable(
    results: &[Results],
    players: &[Contestant],
    measures: &[Measure],
) -> Result<(), Usage> {
    if let Some(refusal) = warnings::explain_refusal(results, measures) {
        return Err(Usage(refusal));
    }
    if players.is_empty() {
        return Err(Usage("these results have no games".to_owned()));
    }
    Ok(())
}

/// Formats the comparisons as a table or as matrices, with notes.
fn format_for_people(pairwise_comparisons: PairwiseComparisons, args: &Args) -> String {
    let width = width().filter(|_| args.format == Format::Text);
    let format_text_table = |text_table: &TextTable| match args.format {
        Format::Markdown => text_table.to_markdown(),
        _ => text_table.to_text(width.map(|width| TableWidth { width, full_table_hint: "--format csv" })),
    };
    let line = |text: &str| wrap_line(&escape::line(text), width) + "\n";
    let mut text = String::new();
    if args.matrix {
        for (caption, matrix) in pairwise_comparisons.matrices(width) {
            // In Markdown a table needs an empty line before it.
            let separator = if args.format == Format::Markdown { "\n" } else { "" };
            text += &format!("{}{separator}{}\n", line(&caption), format_text_table(&matrix));
        }
    } else if args.format == Format::Markdown {
        text += &(format_text_table(&pairwise_comparisons.to_sheet()) + "\n");
    } else {
        let (caption, text_table) = pairwise_comparisons.to_sheet_with_line();
        text += &caption.map(|caption| line(&caption)).unwrap_or_default();
        text += &(format_text_table(&text_table) + "\n");
    }
    for note in pairwise_comparisons.notes() {
        text += &match args.format {
            Format::Markdown => format!("- {}\n", escape::markdown(&note)),
            _ => line(&note),
        };
    }
    if width.is_some() && !args.matrix {
        text += &line("--explain: the test behind each verdict; --matrix: all pairs");
    }
    text
}

/// Prints warnings that give reason to doubt an answer.
pub(super) fn warn(warnings: &[String]) {
    for warning in warnings {
        print_message(format_args!("warning: {warning}"));
    }
}

/// Prints a table. Warnings go to standard error, or into the JSON, whose reader sees nothing else.
pub(super) fn print(table: &Table, format: Format, warnings: Vec<String>) -> anyhow::Result<()> {
    let text = match format {
        Format::Json => versioned_json([("table", table.to_json()), ("warnings", warnings.into())]),
        _ => {
            warn(&warnings);
            format.format_table(table)
        }
    };
    print_as(format, &text)
}

/// Removes duplicates.
fn remove_duplicates(measures: &[Measure]) -> Vec<Measure> {
    let mut unique = measures.to_vec();
    let mut seen_measures = Vec::new();
    unique.retain(|measure| {
        let is_new = !seen_measures.contains(measure);
        seen_measures.push(*measure);
        is_new
    });
    unique
}

/// Adds a parser for the measures of these games to the option `--by`.
pub(super) fn add_measure_parser(arenas: Arenas, command: clap::Command) -> clap::Command {
    command.mut_arg("by", |arg| arg.value_parser(move |text: &str| parse_measure(arenas, text)))
}

/// Parses a measure by which players can be compared.
fn parse_measure(arenas: Arenas, text: &str) -> Result<Measure, String> {
    // The game of the results is only known when they are read.
    let measure = arenas.iter().find_map(|arena| arena.measures().find(text));
    measure.ok_or_else(|| {
        let facts = arenas.iter().flat_map(|arena| arena.facts);
        let fact_measures =
            facts.map(|fact| format!("`{} {}` or another {}, ", fact.word, fact.example, fact.value_name));
        format!("expected win, {}score, points or ms", fact_measures.collect::<String>())
    })
}

/// Parses a confidence level.
pub(super) fn parse_level(text: &str) -> Result<Level, String> {
    let number = text.parse::<f64>().map_err(|_| "must be a number such as 0.95".to_owned())?;
    Level::try_from(number).map_err(str::to_owned)
}

/// Parses a share.
pub(super) fn parse_share(text: &str) -> Result<Share, String> {
    let number = text.parse::<f64>().map_err(|_| "must be a number such as 0.02".to_owned())?;
    Share::try_from(number).map_err(str::to_owned)
}
