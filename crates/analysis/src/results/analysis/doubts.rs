//! Warnings about comparisons between players of several results, and reasons why some comparisons
//! are refused.

use gauntlet_core::measure::Measure;
use gauntlet_core::text::{self, display_path, format_games};
use gauntlet_run::early_stop::EarlyStop;

use crate::compare::points;
use crate::compare::precision::PRECISION;
use crate::results::store::manifest::Session;
use crate::results::store::read::Results;
use crate::results::tables::doubts;

/// Returns why players of these results cannot be compared by one of these measures; `None` if they
/// can.
pub fn explain_refusal(results: &[Results], by: &[Measure]) -> Option<String> {
    for (i, one) in results.iter().enumerate() {
        let place =
            |results: &Results| results.folder.canonicalize().unwrap_or_else(|_| results.folder.clone());
        if results[..i].iter().any(|earlier| place(earlier) == place(one)) {
            return Some(format!("{} is given twice", display_path(&one.folder)));
        }
        let experiment = &one.experiment;
        let refuse = |&by: &Measure| experiment.arena().unavailable_reason(experiment.rules(), by);
        if let Some(why) = by.iter().find_map(refuse) {
            return Some(format!("{}: {why}", display_path(&one.folder)));
        }
    }
    if by.iter().any(|by| by.is_time()) { explain_time_refusal(results) } else { None }
}

/// Returns why times of these results cannot be compared; `None` if they can. Within one experiment
/// players are timed side by side; between results there is only the calibration loop.
fn explain_time_refusal(results: &[Results]) -> Option<String> {
    const REMEDY: &str = "to compare times, play all players in one experiment";
    let (first, others) = results.split_first()?;
    for other in others {
        let both = format!("{} and {}", display_path(&first.folder), display_path(&other.folder));
        let sessions: Vec<&Session> = first.run.session.iter().chain(&other.run.session).collect();
        let differ = |is_same: fn(&Session, &Session) -> bool| {
            sessions.windows(2).any(|pair| !is_same(pair[0], pair[1]))
        };
        if sessions.iter().any(|session| session.yardstick.is_none())
            || differ(|one, other| one.yardstick == other.yardstick)
        {
            return Some(format!(
                "times in {both} were calibrated with different calibration loops; {REMEDY}"
            ));
        }
        if differ(|one, other| one.cpu == other.cpu) || first.manifest().cores != other.manifest().cores {
            return Some(format!("{both} were timed on different machines; {REMEDY}"));
        }
    }
    None
}

/// Returns true if both results were played under equal rules.
pub fn have_same_rules(one: &Results, other: &Results) -> bool {
    let rules = |results: &Results| {
        let experiment = &results.experiment;
        (
            experiment.arena().name,
            experiment.rules().settings.clone(),
            experiment.max_moves(),
            experiment.max_seconds(),
        )
    };
    rules(one) == rules(other)
}

/// Describes the rules in which some results differ from the first; `None` if all are equal.
pub fn describe_other_rules(results: &[Results]) -> Option<String> {
    let (first, others) = results.split_first()?;
    let other = others.iter().find(|other| !have_same_rules(first, other))?;
    Some(format!(
        "{} and {} were played under different rules",
        display_path(&first.folder),
        display_path(&other.folder)
    ))
}

/// Returns the warnings that come before everything else.
pub fn first_warnings(results: &[Results]) -> Vec<String> {
    results.iter().flat_map(|results| results.set.warnings()).cloned().collect()
}

/// Returns warnings about comparing these results by these measures.
pub fn comparison_warnings(results: &[Results], by: &[Measure]) -> anyhow::Result<Vec<String>> {
    let mut doubts: Vec<String> = describe_other_rules(results).into_iter().collect();
    if results.len() > 1 && by.contains(&Measure::Points) {
        doubts.push(
            "ratings of different folders are not comparable: each folder has a different zero point"
                .to_owned(),
        );
    }
    let shown = |results: &Results| display_path(&results.folder).to_string();
    if let Some((first, others)) = results.split_first() {
        for other in others {
            let (one, two) = (shown(first), shown(other));
            // The speed of a calibration loop depends on its compiler, and threads share the
            // machine.
            let (own, others) = (first.manifest(), other.manifest());
            let differ =
                [("compiler", own.compiler != others.compiler), ("threads", own.threads != others.threads)];
            for (what, _) in
                differ.into_iter().filter(|(_, differ)| *differ && by.iter().any(|by| by.is_time()))
            {
                doubts.push(format!(
                    "{one} and {two} were timed with different {what}; calibration may not correct for this"
                ));
            }
            if first.run.seed_scheme != other.run.seed_scheme {
                doubts.push(format!("equal seeds give different games in {one} and {two}"));
            }
        }
    }
    for results in results {
        if !results.run.reproducible {
            // A program of another version may have had other reasons.
            let cause = results.plan().irreproducibility().map_or_else(String::new, |why| format!(": {why}"));
            doubts.push(format!("{} is not reproducible{cause}", shown(results)));
        }
        if by.contains(&Measure::Points) && points::is_newer_than(results.run.rules()) {
            doubts.push(format!(
                "the test of points was changed after the games of {} were seen",
                shown(results)
            ));
        }
        let earlier = results.earlier_answers();
        doubts.extend(earlier.warning());
        if earlier.is_from_stopped_run() {
            doubts.push(doubts::early_end_warning(results.experiment.arena().shape));
        }
        let limited = results.sums()?.into_iter().filter_map(|of| Some((of.games, of.out_of_time?)));
        let (all, cut) = limited.fold((0, 0), |(all, cut), (games, out)| (all + games, cut + out));
        if cut > 0 {
            let all = format!("{} in {}", format_games(all), shown(results));
            doubts.push(doubts::cut_games_warning(cut, &all, results.experiment.max_seconds()));
        }
        let has_ended = results.set.partial().is_none_or(|partial| partial.is_whole);
        match results.experiment.sections().stop.as_ref().filter(|_| has_ended) {
            Some(EarlyStop::Comparison(stop)) if stop.by != Measure::Points => doubts.push(format!(
                "{} may have stopped early: its rates are biased, and tests of scores are too confident, except the test in [stop]",
                shown(results)
            )),
            Some(EarlyStop::Comparison(_)) => doubts.push(format!(
                "{} may have stopped early: ratings and shares of points are biased; comparisons account for early stopping",
                shown(results)
            )),
            Some(EarlyStop::Precision(precision)) => doubts.push(format!(
                "{} may have stopped when every rate was known to within {}: intervals in {}.csv account for early stopping; other intervals of single players and tests of scores do not",
                shown(results),
                text::format_points(precision.points.share()),
                PRECISION
            )),
            None => {}
        }
    }
    Ok(doubts)
}
