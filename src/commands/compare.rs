//! `gauntlet compare`: compares the players of results, using only their files.

use std::path::PathBuf;
use std::process::ExitCode;

use gauntlet_analysis::compare::comparison::Comparison;
use gauntlet_analysis::compare::question::RelevantDifference;
use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::results::analysis::contestants::{self, Contestant, PairChoice};
use gauntlet_analysis::results::analysis::doubts;
use gauntlet_analysis::results::analysis::pairwise::{self, PairwiseQuestion};
use gauntlet_analysis::results::analysis::versus::PairwiseComparisons;
use gauntlet_analysis::results::store::read::Results;
use gauntlet_core::arena::Arenas;
use gauntlet_core::measure::Measure;
use gauntlet_core::num::{Level, Share};
use gauntlet_core::table::{Table, TableWidth, TextTable};
use gauntlet_core::text::{escape, wrap_line};

use gauntlet_cli::exit::{REGRESSION, Usage};
use gauntlet_cli::format::{Format, versioned_json};
use gauntlet_cli::say::{complain, print_as};
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
    let by = if args.by.is_empty() {
        pairwise::leader_measures(&results).to_vec()
    } else {
        remove_duplicates(&args.by)
    };
    let players = contestants::read_contestants(&results, &by)?;
    check_comparable(&results, &players, &by)?;
    let are_all = args.all_pairs || args.matrix;
    let (choice, namesakes) = match &args.baseline {
        Some(name) => (Some(PairChoice::Baseline(name.clone())), Vec::new()),
        None if are_all => (Some(PairChoice::AllPairs), Vec::new()),
        None => (args.fail_on.is_some().then_some(PairChoice::First), contestants::namesakes(&players)),
    };
    // A player that is chosen by the games themselves is tested more strictly.
    let is_found = namesakes.is_empty() && choice.is_none();
    let pairs = match &choice {
        _ if !namesakes.is_empty() => namesakes,
        Some(choice) => contestants::pairs(&players, choice).map_err(Usage)?,
        None => pairwise::pair_with_strongest(&players, &by),
    };
    if pairs.is_empty() {
        return Err(Usage("only one player: give other results for a comparison".to_owned()).into());
    }
    let mut doubts = doubts::first_warnings(&results);
    doubts.extend(doubts::comparison_warnings(&results, &by)?);
    let left_out = contestants::unpaired_players(&players, &pairs);
    let left_out = (!left_out.is_empty()).then(|| {
        format!(
            "not compared, because no other results have a player with this name: {}",
            left_out.join(", ")
        )
    });
    if args.fail_on.is_some() {
        // Players that are not compared cannot be found to be worse.
        if let Some(blind) = doubts::describe_other_rules(&results).or_else(|| left_out.clone()) {
            return Err(Usage(format!("--fail-on cannot detect a regression: {blind}")).into());
        }
    }
    doubts.extend(left_out);
    let relevant = args
        .difference
        .map_or_else(RelevantDifference::default, |d| RelevantDifference { rate: d.get(), part: d.get() });
    let asked = PairwiseQuestion { by, level: args.level.get(), relevant };
    let compare = if is_found { pairwise::compare_with_selected } else { pairwise::compare };
    let comparisons = compare(&players, &pairs, &asked);
    let versus = PairwiseComparisons {
        players: &players,
        pairs: &pairs,
        are_all,
        asked: &asked,
        comparisons: &comparisons,
    };
    match args.format {
        Format::Text | Format::Markdown if !args.explain => {
            warn(&doubts);
            print_as(args.format, &format_for_people(versus, args))?;
        }
        _ => {
            let mut table = pairwise::table(&comparisons);
            if args.explain {
                table.append_explanations();
            }
            let settings = || contestants::settings(&results, &players);
            args.format.join_settings(args.with_settings, std::slice::from_mut(&mut table), settings)?;
            print(&table, args.format, doubts)?;
        }
    }
    let is_worse = comparisons.iter().any(Comparison::is_worse);
    Ok(if args.fail_on.is_some() && is_worse { ExitCode::from(REGRESSION) } else { ExitCode::SUCCESS })
}

/// Refuses results that cannot answer the question.
pub(super) fn check_comparable(
    results: &[Results],
    players: &[Contestant],
    by: &[Measure],
) -> Result<(), Usage> {
    if let Some(refusal) = doubts::explain_refusal(results, by) {
        return Err(Usage(refusal));
    }
    if players.is_empty() {
        return Err(Usage("these results have no games".to_owned()));
    }
    Ok(())
}

/// Formats the comparisons as a table or as matrices, with notes.
fn format_for_people(versus: PairwiseComparisons, args: &Args) -> String {
    let width = width().filter(|_| args.format == Format::Text);
    let told = |sheet: &TextTable| match args.format {
        Format::Markdown => sheet.to_markdown(),
        _ => sheet.to_text(width.map(|width| TableWidth { width, all: "--format csv" })),
    };
    let line = |text: &str| wrap_line(&escape::line(text), width) + "\n";
    let mut text = String::new();
    if args.matrix {
        for (said, matrix) in versus.matrices(width) {
            // In Markdown a table needs an empty line before it.
            let gap = if args.format == Format::Markdown { "\n" } else { "" };
            text += &format!("{}{gap}{}\n", line(&said), told(&matrix));
        }
    } else if args.format == Format::Markdown {
        text += &(told(&versus.to_sheet()) + "\n");
    } else {
        let (said, sheet) = versus.to_sheet_with_line();
        text += &said.map(|said| line(&said)).unwrap_or_default();
        text += &(told(&sheet) + "\n");
    }
    for note in versus.notes() {
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
pub(super) fn warn(doubts: &[String]) {
    for doubt in doubts {
        complain(format_args!("warning: {doubt}"));
    }
}

/// Prints a table. Warnings go to standard error, or into the JSON, whose reader sees nothing else.
pub(super) fn print(table: &Table, format: Format, doubts: Vec<String>) -> anyhow::Result<()> {
    let text = match format {
        Format::Json => versioned_json([("table", table.to_json()), ("warnings", doubts.into())]),
        _ => {
            warn(&doubts);
            format.format_table(table)
        }
    };
    print_as(format, &text)
}

/// Removes duplicates.
fn remove_duplicates(by: &[Measure]) -> Vec<Measure> {
    let mut once = by.to_vec();
    let mut known = Vec::new();
    once.retain(|what| {
        let is_new = !known.contains(what);
        known.push(*what);
        is_new
    });
    once
}

/// Adds a parser for the measures of these games to the option `--by`.
pub(super) fn add_measure_parser(arenas: Arenas, command: clap::Command) -> clap::Command {
    command.mut_arg("by", |arg| arg.value_parser(move |text: &str| parse_measure(arenas, text)))
}

/// Parses a measure by which players can be compared.
fn parse_measure(arenas: Arenas, text: &str) -> Result<Measure, String> {
    // The game of the results is only known when they are read.
    let known = arenas.iter().find_map(|arena| arena.measures().find(text));
    known.ok_or_else(|| {
        let facts = arenas.iter().flat_map(|arena| arena.facts);
        let reach = facts.map(|fact| format!("`{} {}` or another {}, ", fact.word, fact.example, fact.value));
        format!("expected win, {}score, points or ms", reach.collect::<String>())
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
