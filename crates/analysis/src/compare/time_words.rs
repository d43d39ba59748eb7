//! Words about comparisons of times: why times are not compared, and caveats.

use gauntlet_core::text::group_digits;
use gauntlet_run::tally::clock::PlayerTimes;

use crate::compare::finding::{TimeBasis, TimeRefusal};
use crate::compare::time::LEAST_GAMES;

/// Returns why times are not compared, or a caveat if only one of them includes the rules.
pub(crate) fn time_caveat(
    names: [&str; 2],
    played: [u64; 2],
    clocks: [Option<&PlayerTimes>; 2],
    basis: Result<TimeBasis, TimeRefusal>,
) -> Option<String> {
    if let Err(refusal) = basis {
        return Some(describe_refusal(refusal, names, played, clocks));
    }
    let with_rules = clocks.map(|clock| clock.is_some_and(|clock| clock.timed.includes_rules()));
    let name = names[with_rules.iter().position(|&it| it)?];
    (with_rules[0] != with_rules[1])
        .then(|| format!("the time of {name} includes the rules, because {name} plays many games at once"))
}

/// Returns why times are not compared.
pub(crate) fn describe_refusal(
    refusal: TimeRefusal,
    names: [&str; 2],
    played: [u64; 2],
    clocks: [Option<&PlayerTimes>; 2],
) -> String {
    let [first, second] = names;
    match refusal {
        TimeRefusal::CutGames(cut) => {
            format!("max_seconds cut games of {}; times exclude the cut moves", names[cut])
        }
        TimeRefusal::NoTimes(player) => format!("{} has no times", names[player]),
        TimeRefusal::BelowResolution(player) => {
            format!("time of {} is below its clock's resolution", names[player])
        }
        TimeRefusal::UnlikeClocks => {
            let kinds = clocks.map(|clock| clock.map_or("", |clock| clock.timed.clock()));
            format!("{first} and {second} use different clocks ({}, {})", kinds[0], kinds[1])
        }
        TimeRefusal::FewGames(few) => {
            let (name, games) = (names[few], group_digits(played[few]));
            format!("too few games: {name} has {games}, but times need {LEAST_GAMES}")
        }
        TimeRefusal::FewCommonParts => {
            format!("{first} and {second} took turns in fewer than ten parts of the run; play more games")
        }
        TimeRefusal::FewParts(few) => {
            format!("the times of {} are from fewer than ten parts of its run", names[few])
        }
        TimeRefusal::SeveralMachines(player) => {
            format!("the sessions of {} used different machines", names[player])
        }
        TimeRefusal::NoCalibration(player) => {
            format!("the times of {} lack the calibration loop", names[player])
        }
    }
}
