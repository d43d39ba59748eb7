//! `gauntlet power`: the number of games that show a difference, or the difference that a number of
//! games can show.

use std::process::ExitCode;

use gauntlet_analysis::compare::power::{self, PowerInput, PowerMeasure};
use gauntlet_core::num::{Level, Share};
use gauntlet_core::text::format_percent;
use gauntlet_stats::share_of_elo;

use super::compare::{parse_level, parse_share};
use gauntlet_cli::exit::Usage;
use gauntlet_cli::format::Format;
use gauntlet_cli::output::print_as;

/// Compute how many games are needed to detect a difference
///
/// With --games, it computes the smallest difference that can be detected.
///
/// For rates, give --rate. For scores, give --spread: the standard deviation of ln(score a / score
/// b) on the same seeds, about 0.6 for players of 2048. If the results of two players on the same
/// seed are correlated, fewer games are needed. `gauntlet compare` prints the correlation.
///
/// For two-player games, give --draws, and --elo or --games. The unit is the pair: one opening
/// played with both colours. If the colour often decides the game, the two games of a pair have a
/// negative correlation, and fewer games are needed. `gauntlet compare` prints the correlation.
#[derive(clap::Args)]
#[command(
    after_long_help = "Example:\n  gauntlet power --rate 0.9 --difference 0.01\n  gauntlet power --draws 0.3 --elo 20"
)]
pub(super) struct Args {
    /// Rate of the weaker player, such as 0.9; from 0.000001 to 0.999999
    #[arg(long, value_name = "P", value_parser = parse_share, required_unless_present_any = ["spread", "draws"], conflicts_with_all = ["spread", "draws"])]
    rate: Option<Share>,

    /// Spread of scores, such as 0.6; from 0.001 to 100
    #[arg(long, value_name = "SD", value_parser = parse_spread, conflicts_with = "draws")]
    spread: Option<f64>,

    /// Share of drawn games in two-player games, such as 0.3; from 0 to 0.999999
    #[arg(long, value_name = "P", value_parser = parse_draw_rate, conflicts_with = "difference")]
    draws: Option<f64>,

    /// Difference to detect: in rates, such as 0.01, or relative in scores; from 0.000001 to
    /// 0.999999
    #[arg(long, value_name = "D", value_parser = parse_share, required_unless_present_any = ["games", "elo"], conflicts_with_all = ["games", "elo"])]
    difference: Option<Share>,

    /// Difference to detect in Elo, for two-player games; from 0.01 to 1000
    #[arg(long, value_name = "ELO", value_parser = parse_elo, requires = "draws", conflicts_with = "games")]
    elo: Option<f64>,

    /// Games per player
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=1_000_000_000_000))]
    games: Option<u64>,

    /// Correlation of two players on the same seeds, from 0 to 0.999999; in two-player games, of
    /// the two games of a pair, from -0.999999 [default: 0, 0.2 and 0.5, or 0, -0.2 and -0.5]
    #[arg(long, value_name = "R", value_parser = parse_correlation, conflicts_with = "spread", allow_hyphen_values = true)]
    correlation: Option<f64>,

    /// Confidence level, from 0.51 to 0.999999999
    #[arg(long, value_name = "LEVEL", default_value = "0.95", value_parser = parse_level)]
    level: Level,

    /// Probability of detecting the difference, from 0.51 to 0.999999999
    #[arg(long, value_name = "POWER", default_value = "0.8", value_parser = parse_level)]
    power: Level,

    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let quantity = match (args.rate, args.draws) {
        (Some(rate), _) => PowerMeasure::Rate(rate.get()),
        (None, Some(draw_rate)) => PowerMeasure::Points(draw_rate),
        (None, None) => PowerMeasure::Score(args.spread.unwrap_or_default()),
    };
    let input = match args.difference.map(Share::get).or(args.elo) {
        Some(difference) => PowerInput::Difference(difference),
        None => PowerInput::Games(args.games.unwrap_or_default()),
    };
    if let (PowerMeasure::Rate(rate), PowerInput::Difference(difference)) = (quantity, input)
        && rate + difference >= 1.0
    {
        return Err(Usage(format!("--rate {rate} + --difference {difference} must be less than 1")).into());
    }
    if let (PowerMeasure::Points(draw_rate), PowerInput::Difference(elo)) = (quantity, input)
        && share_of_elo(elo) > 1.0 - draw_rate / 2.0
    {
        let max_points = format_percent(1.0 - draw_rate / 2.0);
        return Err(Usage(format!(
            "--elo {elo} is impossible: with this share of draws, a player gets at most {max_points} of the points"
        ))
        .into());
    }
    let is_duel = args.draws.is_some();
    if !is_duel && args.correlation.is_some_and(|correlation| correlation < 0.0) {
        return Err(Usage("--correlation below 0 needs --draws".to_owned()).into());
    }
    let sign = if is_duel { -1.0 } else { 1.0 };
    let correlations =
        args.correlation.map_or_else(|| vec![0.0, 0.2 * sign, 0.5 * sign], |correlation| vec![correlation]);
    let table = power::table(quantity, input, &correlations, args.level.get(), args.power.get());
    print_as(args.format, &args.format.format_table(&table))?;
    Ok(ExitCode::SUCCESS)
}

fn parse_correlation(text: &str) -> Result<f64, String> {
    parse_within(text, -0.999_999, 0.999_999, "0.2")
}

fn parse_draw_rate(text: &str) -> Result<f64, String> {
    parse_within(text, 0.0, 0.999_999, "0.3")
}

fn parse_elo(text: &str) -> Result<f64, String> {
    parse_within(text, 0.01, 1000.0, "20")
}

fn parse_spread(text: &str) -> Result<f64, String> {
    parse_within(text, 0.001, 100.0, "0.6")
}

fn parse_within(text: &str, minimum: f64, maximum: f64, example: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (minimum..=maximum).contains(number));
    number.ok_or_else(|| format!("must be a number from {minimum} to {maximum}, such as {example}"))
}
