//! `gauntlet rank`: a leaderboard over any number of results.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::results::analysis::contestants;
use gauntlet_analysis::results::analysis::pairwise;
use gauntlet_analysis::results::analysis::rank::Leaderboard;
use gauntlet_analysis::results::analysis::warnings;
use gauntlet_analysis::results::store::missing_results;
use gauntlet_analysis::results::store::read::Results;
use gauntlet_core::measure::Measure;
use gauntlet_core::num::Level;
use gauntlet_core::text::{display_path, escape, wrap_line};

use super::compare::{check_comparable, parse_level, print, warn};
use gauntlet_cli::exit::Usage;
use gauntlet_cli::format::Format;
use gauntlet_cli::output::{print_as, print_error};
use gauntlet_cli::terminal::width;

/// Rank players, with a range of possible ranks for each
///
/// A player ranks behind all that are significantly better and before all that are significantly
/// worse. The confidence level applies to all pairs together.
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet rank results/quick --by score")]
pub(super) struct Args {
    /// Results folders, or a parent folder; each game and rule set has a separate list
    #[arg(value_name = "RESULTS", required = true)]
    results: Vec<PathBuf>,

    /// Measure: win, `reach 2048` or another tile, score or ms; in two-player games points or ms
    /// [default: win, or score if players won all or no games; in two-player games points]
    #[arg(long, value_name = "WHAT", value_parser = clap::builder::ValueParser::string())]
    by: Option<Measure>,

    /// Confidence level of all ranks together, from 0.51 to 0.999999999
    #[arg(long, value_name = "LEVEL", default_value = "0.95", value_parser = parse_level)]
    level: Level,

    /// Print a sentence for each rank instead of a table
    #[arg(short = 'v', long)]
    sentences: bool,

    /// Add columns with player settings; CSV has all settings, other formats those that differ
    #[arg(long)]
    with_settings: bool,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    let folders: Vec<PathBuf> =
        args.results.iter().flat_map(|path| missing_results::expand_path(path)).collect();
    if folders == args.results {
        return print_ranking(&Results::read_all(catalog, &folders)?, args);
    }
    let groups = group_by_rules(catalog, &folders);
    if groups.len() > 1 && !matches!(args.format, Format::Text | Format::Markdown) {
        let message = "results with different rules need separate lists, but this format has only one list: give folders with the same rules";
        return Err(Usage(message.to_owned()).into());
    }
    let mut failure: Option<anyhow::Error> = None;
    for (index, group) in groups.iter().enumerate() {
        let names: Vec<String> =
            group.iter().map(|results| display_path(&results.folder).to_string()).collect();
        let separator = if index == 0 { "" } else { "\n" };
        if groups.len() > 1 {
            let rules = group[0].experiment.rules().win.as_ref();
            let rules = rules.map_or_else(String::new, |win| format!(", a win is {win}"));
            let caption = format!("{}{rules}: {}", group[0].experiment.arena().name, names.join(", "));
            print_as(args.format, &format!("{separator}{}\n", wrap_line(&escape::line(&caption), width())))?;
        }
        // If one game does not have this measure, the other games are still ranked.
        if let Err(error) = print_ranking(group, args)
            && let Some(earlier) = failure.replace(error)
        {
            print_error(&earlier);
        }
    }
    failure.map_or(Ok(ExitCode::SUCCESS), Err)
}

/// Groups the results in folders by their rules. Reports what cannot be ranked.
fn group_by_rules(catalog: Catalog, folders: &[PathBuf]) -> Vec<Vec<Results>> {
    let mut groups: Vec<Vec<Results>> = Vec::new();
    for folder in folders {
        let result = Results::read(catalog, folder).and_then(|results| match results.has_games() {
            true => Ok(results),
            false => Err(anyhow!("skipping {}: no games.csv or journal", display_path(folder))),
        });
        match result {
            Ok(results) => {
                match groups.iter_mut().find(|group| warnings::have_same_rules(&group[0], &results)) {
                    Some(group) => group.push(results),
                    None => groups.push(vec![results]),
                }
            }
            Err(error) => print_error(&error),
        }
    }
    groups
}

/// Prints the ranking of the players of these results.
fn print_ranking(results: &[Results], args: &Args) -> anyhow::Result<ExitCode> {
    let measures = args.by.as_ref().map_or_else(|| pairwise::leader_measures(results), std::slice::from_ref);
    let players = contestants::read_contestants(results, measures)?;
    let measure = args.by.unwrap_or_else(|| pairwise::strength_measure(&players));
    check_comparable(results, &players, &[measure])?;
    let leaderboard = Leaderboard::new(results, &players, measure, args.level.get());
    let mut warnings = warnings::first_warnings(results);
    warnings.extend(warnings::comparison_warnings(results, &[measure])?);
    let mut table = match args.format {
        Format::Csv | Format::Json => leaderboard.table(),
        _ if !args.sentences => leaderboard.table_for_people(),
        _ => {
            warn(&warnings);
            let line = |sentence: &String| match args.format {
                Format::Markdown => format!("- {}\n", escape::markdown(sentence)),
                Format::Latex => escape::latex(sentence) + "\n\n",
                _ => wrap_line(&escape::line(sentence), width()) + "\n",
            };
            print_as(args.format, &leaderboard.sentences().iter().map(line).collect::<String>())?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    let settings = || contestants::settings(results, &players);
    args.format.join_settings(args.with_settings, std::slice::from_mut(&mut table), settings)?;
    print(&table, args.format, warnings)?;
    Ok(ExitCode::SUCCESS)
}
