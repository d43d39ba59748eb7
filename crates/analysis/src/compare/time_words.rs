//! Words about comparisons of times: why times are not compared, and caveats.

use gauntlet_core::text::group_digits;
use gauntlet_run::tally::player_times::PlayerTimes;

use crate::compare::finding::{TimeBasis, TimeRefusal};
use crate::compare::time::MIN_GAMES;

/// Returns why times are not compared, or a caveat if only one of them includes the rules.
pub(crate) fn time_caveat(
    names: [&str; 2],
    games_played: [u64; 2],
    clocks: [Option<&PlayerTimes>; 2],
    basis: Result<TimeBasis, TimeRefusal>,
) -> Option<String> {
    if let Err(refusal) = basis {
        return Some(describe_refusal(refusal, names, games_played, clocks));
    }
    let includes_rules = clocks.map(|clock| clock.is_some_and(|clock| clock.time_source.includes_rules()));
    let name = names[includes_rules.iter().position(|&includes| includes)?];
    (includes_rules[0] != includes_rules[1])
        .then(|| format!("the time of {name} includes the rules, because {name} plays many games at once"))
}

/// Returns why times are not compared.
pub(crate) fn describe_refusal(
    refusal: TimeRefusal,
    names: [&str; 2],
    games_played: [u64; 2],
    clocks: [Option<&PlayerTimes>; 2],
) -> String {
    let [first, second] = names;
    match refusal {
        TimeRefusal::CutGames(player) => {
            format!("max_seconds cut games of {}; times exclude the cut moves", names[player])
        }
        TimeRefusal::NoTimes(player) => format!("{} has no times", names[player]),
        TimeRefusal::BelowResolution(player) => {
            format!("time of {} is below its clock's resolution", names[player])
        }
        TimeRefusal::UnlikeClocks => {
            let clock_names = clocks.map(|clock| clock.map_or("", |clock| clock.time_source.clock()));
            format!("{first} and {second} use different clocks ({}, {})", clock_names[0], clock_names[1])
        }
        TimeRefusal::FewGames(player) => {
            let (name, games) = (names[player], group_digits(games_played[player]));
            format!("too few games: {name} has {games}, but times need {MIN_GAMES}")
        }
        TimeRefusal::FewCommonParts => {
            format!("{first} and {second} took turns in fewer than ten parts of the run; play more games")
        }
        TimeRefusal::FewParts(player) => {
            format!("the times of {} are from fewer than ten parts of its run", names[player])
        }
        TimeRefusal::SeveralMachines(player) => {
            format!("the sessions of {} used different machines", names[player])
        }
        TimeRefusal::NoCalibration(player) => {
            format!("the times of {} lack the calibration loop", names[player])
        }
    }
}
