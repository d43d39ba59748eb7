//! `gauntlet power`: how many games a difference needs, and which difference a number of games can show.

use std::process::ExitCode;

use super::compare::{level, share};
use super::exit::Usage;
use super::format::Format;
use super::say::say_in;
use crate::compare::power::{self, Aim, Quantity};
use crate::num::{Level, Share};

/// Tell how many games show a difference, or which difference a number of games shows
///
/// Of a rate it takes --rate, of scores --spread: the standard deviation of ln(score a / score b) on the same seeds,
/// some 0.6 for players of 2048. Paired games need fewer the more alike two players fare on one seed: `gauntlet compare`
/// prints that as their correlation.
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet power --rate 0.9 --difference 0.01")]
pub(super) struct Args {
    /// The rate of the weaker player, as 0.9; from 0.000001 to 0.999999
    #[arg(long, value_name = "P", value_parser = share, required_unless_present = "spread", conflicts_with = "spread")]
    rate: Option<Share>,

    /// The spread of scores, as 0.6; from 0.001 to 100
    #[arg(long, value_name = "SD", value_parser = spread)]
    spread: Option<f64>,

    /// A difference to be shown: of a rate, as 0.01; or a part of the score; from 0.000001 to 0.999999
    #[arg(long, value_name = "D", value_parser = share, required_unless_present = "games", conflicts_with = "games")]
    difference: Option<Share>,

    /// Games that each player plays
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=1_000_000_000_000))]
    games: Option<u64>,

    /// Correlation of two players on the same seeds, from 0 to 0.999999 [default: 0, 0.2 and 0.5]
    #[arg(long, value_name = "R", value_parser = correlation, conflicts_with = "spread")]
    correlation: Option<f64>,

    /// How sure an answer shall be, from 0.51 to 0.999999999
    #[arg(long, value_name = "LEVEL", default_value = "0.95", value_parser = level)]
    level: Level,

    /// How often a difference that is there shall be shown, from 0.51 to 0.999999999
    #[arg(long, value_name = "POWER", default_value = "0.8", value_parser = level)]
    power: Level,

    /// How to print the numbers
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let quantity = match (args.rate, args.spread) {
        (Some(rate), _) => Quantity::Rate(rate.get()),
        (None, spread) => Quantity::Score(spread.unwrap_or_default()),
    };
    let aim = match (args.difference, args.games) {
        (Some(difference), _) => Aim::Difference(difference.get()),
        (None, games) => Aim::Games(games.unwrap_or_default()),
    };
    if let (Quantity::Rate(rate), Aim::Difference(difference)) = (quantity, aim)
        && rate + difference >= 1.0
    {
        return Err(Usage(format!("no rate is {rate} + {difference}: it would be 1 or more")).into());
    }
    let correlations = args.correlation.map_or_else(|| vec![0.0, 0.2, 0.5], |one| vec![one]);
    let table = power::table(quantity, aim, &correlations, args.level.get(), args.power.get());
    say_in(args.format, &args.format.of(&table))?;
    Ok(ExitCode::SUCCESS)
}

fn correlation(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|correlation| (0.0..=0.999_999).contains(correlation));
    number.ok_or_else(|| "must be a number from 0 to 0.999999, such as 0.2".to_owned())
}

fn spread(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|spread| (0.001..=100.0).contains(spread));
    number.ok_or_else(|| "must be a number from 0.001 to 100, such as 0.6".to_owned())
}
