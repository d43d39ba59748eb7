//! Assembles tables, verdicts and warnings from games: of a finished run, of an unfinished one, or
//! of games that are judged again.

use gauntlet_core::game::Shape;
use gauntlet_core::table::Table;
use gauntlet_core::text;
use gauntlet_run::early_stop::EarlyStop;
use gauntlet_run::journal::SessionEntry;
use gauntlet_run::judge::StopResult;
use gauntlet_run::plan::Plan;
use gauntlet_run::tally::Tally;

use super::{duels, settings, tables, times, warnings};
use crate::answer;
use crate::compare::claims::{self, ClaimSamples};
use crate::compare::earlier_looks::EarlierLooks;
use crate::compare::precision::{self, PRECISION};
use crate::compare::published;
use crate::compare::stop::{self, StopTest};
use crate::config::Experiment;

/// Mark of a claim that was added after games were played.
const ADDED_MARK: &str = "claimed after the games were played";

/// Mark of a claim that had an answer on this seed before a player changed.
const REPEATED_MARK: &str = "played again after the player changed";

/// Sums of an experiment's games.
pub(crate) struct ExperimentSums<'a> {
    /// Plan of these games.
    pub(crate) plan: &'a Plan<'a>,
    pub(crate) tallies: &'a [Tally],
    pub(crate) samples: &'a ClaimSamples<'a>,
    /// False for a look at an unfinished run. A look that was not announced does not answer claims.
    pub(crate) is_whole: bool,
    /// State of the `[stop]`, if the experiment has one.
    pub(crate) stop_result: Option<&'a StopResult>,
    /// [Rules](gauntlet_stats::RULES) under which the games were played.
    pub(crate) rules: u32,
    /// Answers before this one.
    pub(crate) earlier_looks: EarlierLooks,
    /// Sessions of their journal; empty without the journal.
    pub(crate) sessions: &'a [SessionEntry],
    /// Number of cores of the machine.
    pub(crate) cores: usize,
    /// Claims that were added after games were played.
    pub(crate) added_claims: &'a [String],
    /// Claims that had an answer on this seed before a player changed.
    pub(crate) repeated_claims: &'a [String],
}

/// Tables, verdicts and warnings.
pub(crate) struct ResultTables {
    /// Tables made from sums, in the order in which they are printed.
    pub(crate) sums: Vec<Table>,
    /// Tables for programs: times and settings.
    pub(crate) data: [Table; 2],
    /// Tables of verdicts that the experiment asks for, in the order in which they are printed.
    pub(crate) verdicts: Vec<Table>,
    /// Warnings about the tables.
    pub(crate) warnings: Vec<String>,
}

/// Makes the tables of games, with verdicts and warnings. Fails if scores for claims cannot be
/// read.
pub(crate) fn assemble(sums: &ExperimentSums, experiment: &Experiment) -> anyhow::Result<ResultTables> {
    let &ExperimentSums { plan, tallies, samples, .. } = sums;
    let players = plan.players.iter().zip(tallies);
    let times = times::table(players.map(|(player, tally)| (player.name, &tally.move_times)));
    let verdicts = if sums.is_whole { verdicts(sums, experiment) } else { Vec::new() };
    samples.check_storage()?;
    Ok(ResultTables {
        sums: tables(plan, tallies, samples.meetings(), sums.sessions),
        data: [times, settings::settings_table(experiment)],
        warnings: warnings(sums, experiment, &verdicts),
        verdicts,
    })
}

impl ResultTables {
    /// Iterates over all tables, in the order of their files.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &Table> {
        self.sums.iter().chain(&self.data).chain(&self.verdicts)
    }
}

/// Makes the tables of verdicts: on published numbers, on claims, and on a run that could end
/// early.
fn verdicts(sums: &ExperimentSums, experiment: &Experiment) -> Vec<Table> {
    let ExperimentSums { plan, tallies, samples, rules, earlier_looks, .. } = sums;
    let (sections, max_blocks) = (experiment.sections(), experiment.blocks().len());
    let stop_with_result = sections.stop.as_ref().zip(sums.stop_result);
    let name = |player: usize| plan.players[player].name;
    let stop =
        stop_with_result.and_then(|(stop, stop_result)| StopTest::new(stop, stop_result, max_blocks, name));
    let mut tables = Vec::new();
    if !sections.published.is_empty() {
        tables.push(published::table(plan, tallies, &sections.published, earlier_looks));
    }
    if !sections.claims.is_empty() {
        tables.push(claims::table(
            experiment,
            samples,
            tallies,
            stop.as_ref(),
            *rules,
            earlier_looks,
            &[(ADDED_MARK, sums.added_claims), (REPEATED_MARK, sums.repeated_claims)],
        ));
    }
    tables.extend(stop.as_ref().and_then(stop::table));
    if let Some((EarlyStop::Precision(precision_stop), StopResult::Precision(result))) = stop_with_result {
        tables.push(precision::table(plan, precision_stop, result, max_blocks));
    }
    tables
}

/// Returns warnings about the tables of one run.
fn warnings(sums: &ExperimentSums, experiment: &Experiment, verdicts: &[Table]) -> Vec<String> {
    let &ExperimentSums { plan, tallies, ref earlier_looks, cores, .. } = sums;
    let was_stopped = sums.stop_result.and_then(StopResult::end).is_some();
    let mut warnings = Vec::new();
    // A player in another process waits for it, which is no overload. In a duel its rivals wait
    // too.
    let runs_elsewhere = |tally: &Tally| tally.move_times.time_source.is_elsewhere();
    let all_wait = plan.arena.shape == Shape::Duel && tallies.iter().any(runs_elsewhere);
    let (wall, cpu) = tallies
        .iter()
        .filter(|tally| !all_wait && !runs_elsewhere(tally))
        .map(|tally| (tally.times.wall_ns, tally.times.cpu_ns))
        .fold((0_u64, 0_u64), |sums, times| (sums.0.saturating_add(times.0), sums.1.saturating_add(times.1)));
    warnings.extend(warnings::overload_warning(wall as f64 / 1e6, cpu as f64 / 1e6));
    let threads = tallies
        .iter()
        .flat_map(|tally| &tally.thread_counts)
        .max()
        .map_or(0, |count| count * plan.threads_of_a_player());
    if threads > cores && tallies.iter().any(runs_elsewhere) {
        warnings.push(format!(
            "machine possibly overloaded: {threads} threads on {cores} cores; external programs got less CPU time than their time limit; use fewer --threads"
        ));
    }
    if tallies.iter().any(|tally| tally.thread_counts.len() > 1) {
        warnings.push("times were measured with different numbers of --threads".to_owned());
    }
    warnings.extend(plan.unidentified_players().map(warnings::unidentified_warning));
    for (entry, tally) in plan.players.iter().zip(tallies).filter(|(_, tally)| tally.failed_games > 0) {
        warnings.push(format!(
            "{} of {} failed and are excluded from means and rates",
            text::format_games(tally.failed_games),
            entry.name
        ));
    }
    let forfeiting_players = plan.players.iter().zip(tallies).filter(|(_, tally)| tally.forfeits() > 0);
    warnings.extend(forfeiting_players.map(|(entry, tally)| warnings::forfeits_warning(entry.name, tally)));
    for (entry, tally) in plan.players.iter().zip(tallies).filter(|(_, tally)| tally.out_of_time > 0) {
        let total = format!("{} of {}", text::format_games(tally.games), entry.name);
        warnings.push(warnings::cut_games_warning(tally.out_of_time, &total, plan.max_seconds));
    }
    if let Some(end_description) =
        verdicts.iter().find(|table| table.name == PRECISION).and_then(answer::precision::describe_end)
    {
        warnings.push(format!(
            "{end_description}: {PRECISION}.csv accounts for early stopping; other intervals, tests of scores and published numbers do not"
        ));
    } else if was_stopped || earlier_looks.is_from_stopped_run() {
        warnings.push(warnings::early_end_warning(plan.arena.shape));
    }
    for (mark, claims) in [(ADDED_MARK, sums.added_claims), (REPEATED_MARK, sums.repeated_claims)] {
        warnings.extend(claims.iter().map(|claim| format!("{mark}: {claim}")));
    }
    warnings.extend(earlier_looks.warning());
    if plan.blocks.len() < 30 && plan.arena.shape == Shape::Solo {
        warnings.push(format!(
            "{} per player: intervals of mean scores need 30 games or more",
            text::format_games(plan.blocks.len())
        ));
    }
    if experiment.sections().published.iter().any(|published| published.quantity.is_time()) {
        warnings.push("published times are from other machines and get no verdict".to_owned());
    }
    let meetings = sums.samples.meetings();
    warnings.extend(duels::explain_missing_ratings(plan, meetings));
    warnings.extend(duels::describe_cut_games(meetings));
    warnings
}
