//! Warnings about comparisons between players of several results, and reasons why some comparisons
//! are refused.

use gauntlet_core::measure::Measure;
use gauntlet_core::text::{self, display_path, format_games};
use gauntlet_run::early_stop::EarlyStop;

use crate::compare::points;
use crate::compare::precision::PRECISION;
use crate::results::store::manifest::Session;
use crate::results::store::read::Results;
use crate::results::tables::warnings;

/// Returns why players of these results cannot be compared by one of these measures; `None` if they
/// can.
pub fn explain_refusal(results: &[Results], measures: &[Measure]) -> Option<String> {
    for (i, one) in results.iter().enumerate() {
        let real_path =
            |results: &Results| results.folder.canonicalize().unwrap_or_else(|_| results.folder.clone());
        if results[..i].iter().any(|earlier| real_path(earlier) == real_path(one)) {
            return Some(format!("{} is given twice", display_path(&one.folder)));
        }
        let experiment = &one.experiment;
        let refuse = |&measure: &Measure| experiment.arena().unavailable_reason(experiment.rules(), measure);
        if let Some(reason) = measures.iter().find_map(refuse) {
            return Some(format!("{}: {reason}", display_path(&one.folder)));
        }
    }
    if measures.iter().any(|measure| measure.is_time()) { explain_time_refusal(results) } else { None }
}

/// Returns why times of these results cannot be compared; `None` if they can. Within one experiment
/// players are timed side by side; between results there is only the calibration loop.
fn explain_time_refusal(results: &[Results]) -> Option<String> {
    const REMEDY: &str = "to compare times, play all players in one experiment";
    let (first, others) = results.split_first()?;
    for other in others {
        let folders = format!("{} and {}", display_path(&first.folder), display_path(&other.folder));
        let sessions: Vec<&Session> = first.run.session.iter().chain(&other.run.session).collect();
        let any_differ = |is_same: fn(&Session, &Session) -> bool| {
            sessions.windows(2).any(|pair| !is_same(pair[0], pair[1]))
        };
        if sessions.iter().any(|session| session.yardstick.is_none())
            || any_differ(|one, other| one.yardstick == other.yardstick)
        {
            return Some(format!(
                "times in {folders} were calibrated with different calibration loops; {REMEDY}"
            ));
        }
        if any_differ(|one, other| one.cpu == other.cpu) || first.manifest().cores != other.manifest().cores {
            return Some(format!("{folders} were timed on different machines; {REMEDY}"));
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

/// Returns true if both results were played under rules that differ in nothing, or only in what
/// counts as a win. Games do not end with a win.
fn have_same_scores(one: &Results, other: &Results) -> bool {
    let rules = |results: &Results| {
        let experiment = &results.experiment;
        let mut settings = experiment.rules().settings.clone();
        settings.as_object_mut().map(|settings| settings.remove("win"));
        (experiment.arena().name, settings, experiment.max_moves(), experiment.max_seconds())
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
    results.iter().flat_map(|results| results.snapshot.warnings()).cloned().collect()
}

/// Returns warnings about comparing these results by these measures.
pub fn comparison_warnings(results: &[Results], measures: &[Measure]) -> anyhow::Result<Vec<String>> {
    let has_common_rules =
        !measures.contains(&Measure::Win) && results.iter().all(|other| have_same_scores(&results[0], other));
    let other_rules = describe_other_rules(results).filter(|_| !has_common_rules);
    let mut warnings: Vec<String> = other_rules.into_iter().collect();
    if results.len() > 1 && measures.contains(&Measure::Points) {
        warnings.push(
            "ratings of different folders are not comparable: each folder has a different zero point"
                .to_owned(),
        );
    }
    let folder_name = |results: &Results| display_path(&results.folder).to_string();
    if let Some((first, others)) = results.split_first() {
        for other in others {
            let (one, two) = (folder_name(first), folder_name(other));
            // The speed of a calibration loop depends on its compiler, and threads share the
            // machine.
            let (first_manifest, other_manifest) = (first.manifest(), other.manifest());
            let differences = [
                ("compiler", first_manifest.compiler != other_manifest.compiler),
                ("threads", first_manifest.threads != other_manifest.threads),
            ];
            for (label, _) in differences
                .into_iter()
                .filter(|(_, is_different)| *is_different && measures.iter().any(|measure| measure.is_time()))
            {
                warnings.push(format!(
                    "{one} and {two} were timed with different {label}; calibration may not correct for this"
                ));
            }
            if first.run.seed_scheme != other.run.seed_scheme {
                warnings.push(format!("equal seeds give different games in {one} and {two}"));
            }
        }
    }
    for results in results {
        if !results.run.reproducible {
            // A program of another version may have had other reasons.
            let cause =
                results.plan().irreproducibility().map_or_else(String::new, |reason| format!(": {reason}"));
            warnings.push(format!("{} is not reproducible{cause}", folder_name(results)));
        }
        if measures.contains(&Measure::Points) && points::is_newer_than(results.run.rules()) {
            warnings.push(format!(
                "the test of points was changed after the games of {} were seen",
                folder_name(results)
            ));
        }
        let earlier_looks = results.earlier_answers();
        warnings.extend(earlier_looks.warning());
        if earlier_looks.is_from_stopped_run() {
            warnings.push(warnings::early_end_warning(results.experiment.arena().shape));
        }
        let time_limited = results.sums()?.into_iter().filter_map(|row| Some((row.games, row.out_of_time?)));
        let (total, cut_games) =
            time_limited.fold((0, 0), |(sum, cut_sum), (games, cut_here)| (sum + games, cut_sum + cut_here));
        if cut_games > 0 {
            let games_text = format!("{} in {}", format_games(total), folder_name(results));
            warnings.push(warnings::cut_games_warning(
                cut_games,
                &games_text,
                results.experiment.max_seconds(),
            ));
        }
        let has_ended = results.snapshot.partial().is_none_or(|partial| partial.is_whole);
        match results.experiment.sections().stop.as_ref().filter(|_| has_ended) {
            Some(EarlyStop::Comparison(stop)) if stop.measure != Measure::Points => warnings.push(format!(
                "{} may have stopped early: its rates are biased, and tests of scores are too confident, except the test in [stop]",
                folder_name(results)
            )),
            Some(EarlyStop::Comparison(_)) => warnings.push(format!(
                "{} may have stopped early: ratings and shares of points are biased; comparisons account for early stopping",
                folder_name(results)
            )),
            Some(EarlyStop::Precision(precision)) => warnings.push(format!(
                "{} may have stopped when every rate was known to within {}: intervals in {}.csv account for early stopping; other intervals of single players and tests of scores do not",
                folder_name(results),
                text::format_points(precision.points.share()),
                PRECISION
            )),
            None => {}
        }
    }
    Ok(warnings)
}
