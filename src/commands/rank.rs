//! `gauntlet rank`: a leaderboard over any number of results.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::results::analysis::contestants;
use gauntlet_analysis::results::analysis::doubts;
use gauntlet_analysis::results::analysis::pairwise;
use gauntlet_analysis::results::analysis::rank::Leaderboard;
use gauntlet_analysis::results::store::absent;
use gauntlet_analysis::results::store::read::Results;
use gauntlet_core::measure::Measure;
use gauntlet_core::num::Level;
use gauntlet_core::text::{display_path, escape, wrap_line};

use super::compare::{check_comparable, parse_level, print, warn};
use gauntlet_cli::exit::Usage;
use gauntlet_cli::format::Format;
use gauntlet_cli::say::{print_as, print_error};
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
    /// [default: win, or points]
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
    let all: Vec<PathBuf> = args.results.iter().flat_map(|path| absent::expand_path(path)).collect();
    if all == args.results {
        return print_ranking(&Results::read_all(catalog, &all)?, args);
    }
    let groups = group_by_rules(catalog, &all);
    if groups.len() > 1 && !matches!(args.format, Format::Text | Format::Markdown) {
        let usage = "results with different rules need separate lists, but this format has only one list: give folders with the same rules";
        return Err(Usage(usage.to_owned()).into());
    }
    let mut failure: Option<anyhow::Error> = None;
    for (place, group) in groups.iter().enumerate() {
        let names: Vec<String> = group.iter().map(|one| display_path(&one.folder).to_string()).collect();
        let gap = if place == 0 { "" } else { "\n" };
        if groups.len() > 1 {
            let rules = group[0].experiment.rules().win.as_ref();
            let rules = rules.map_or_else(String::new, |win| format!(", a win is {win}"));
            let said = format!("{}{rules}: {}", group[0].experiment.arena().name, names.join(", "));
            print_as(args.format, &format!("{gap}{}\n", wrap_line(&escape::line(&said), width())))?;
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
        let read = Results::read(catalog, folder).and_then(|results| match results.has_games() {
            true => Ok(results),
            false => Err(anyhow!("skipping {}: no games.csv or journal", display_path(folder))),
        });
        match read {
            Ok(results) => match groups.iter_mut().find(|group| doubts::have_same_rules(&group[0], &results))
            {
                Some(group) => group.push(results),
                None => groups.push(vec![results]),
            },
            Err(error) => print_error(&error),
        }
    }
    groups
}

/// Prints the ranking of the players of these results.
fn print_ranking(results: &[Results], args: &Args) -> anyhow::Result<ExitCode> {
    let by = args.by.unwrap_or(pairwise::leader_measures(results)[0]);
    let players = contestants::read_contestants(results, &[by])?;
    check_comparable(results, &players, &[by])?;
    let board = Leaderboard::new(results, &players, by, args.level.get());
    let mut doubts = doubts::first_warnings(results);
    doubts.extend(doubts::comparison_warnings(results, &[by])?);
    let mut table = match args.format {
        Format::Csv | Format::Json => board.table(),
        _ if !args.sentences => board.table_for_people(),
        _ => {
            warn(&doubts);
            let line = |said: &String| match args.format {
                Format::Markdown => format!("- {}\n", escape::markdown(said)),
                Format::Latex => escape::latex(said) + "\n\n",
                _ => wrap_line(&escape::line(said), width()) + "\n",
            };
            print_as(args.format, &board.sentences().iter().map(line).collect::<String>())?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    let settings = || contestants::settings(results, &players);
    args.format.join_settings(args.with_settings, std::slice::from_mut(&mut table), settings)?;
    print(&table, args.format, doubts)?;
    Ok(ExitCode::SUCCESS)
}
