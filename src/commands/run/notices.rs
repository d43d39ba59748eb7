//! Notices of `gauntlet run` on standard error: what limits a run, before and after its games.

use std::collections::BTreeSet;
use std::path::Path;

use gauntlet_analysis::config::Experiment;
use gauntlet_core::text::display_path;
use gauntlet_run::journal::Journal;
use gauntlet_run::keyed_plan::KeyedPlan;
use gauntlet_run::paths;
use gauntlet_run::{RunEnd, machine};

use crate::commands::check::find_absent_programs;
use gauntlet_cli::output::{describe_damaged_lines, print_forfeits, print_message};
use gauntlet_cli::permission::Allow;

/// Prints that a run ignores the shards in its folder.
pub(super) fn print_ignored_shards(folder: &Path) -> anyhow::Result<()> {
    if !paths::find_shards(folder)?.is_empty() {
        print_message(format_args!(
            "gauntlet: {} has journals of shards, which this run ignores; to use them: gauntlet merge",
            display_path(folder)
        ));
    }
    Ok(())
}

/// Prints that the settings are not tuned yet, and the command that tunes them.
pub(super) fn print_untuned(target: &str, allow: &Allow) {
    print_message(format_args!(
        "gauntlet: playing with untuned settings; to tune: gauntlet tune {target}{}",
        allow.to_options()
    ));
}

/// Prints which programs are missing, and the effect of more threads than cores.
pub(super) fn print_limitations(experiment: &Experiment, plan: &KeyedPlan, threads: usize) {
    // A program that does not exist ends the run before the first game.
    for absent in find_absent_programs(experiment).iter().filter(|absent| absent.is_script) {
        print_message(format_args!(
            "warning: {absent}; to leave it out, select the other players with --only"
        ));
    }
    if threads * plan.threads_of_a_player() > machine::cores() {
        let threads = match plan.threads_of_a_player() {
            1 => format!("{threads} threads"),
            player_threads => format!("{threads} threads, with {player_threads} threads per player,"),
        };
        let effect = if plan.players.iter().any(|player| player.entry.facts().command.is_some()) {
            "external programs get less CPU time than their time limit and may play worse or lose on time"
        } else {
            "games are unaffected, but times per move will be too long"
        };
        print_message(format_args!("gauntlet: {threads} on {} cores: {effect}", machine::cores()));
    }
}

/// Prints which external players have only games of another version in the journal.
pub(super) fn print_changed_programs(plan: &KeyedPlan, journal: &Journal) {
    let lineups = || 0..plan.lineups.len();
    let keys: BTreeSet<&str> = lineups().map(|lineup| plan.key(lineup)).collect();
    if journal.lines().iter().all(|line| keys.contains(&*line.key)) {
        return;
    }
    for (index, player) in plan.players.iter().enumerate() {
        let mut player_lineups = lineups().filter(|&lineup| plan.lineups[lineup].members().contains(&index));
        let is_new = player_lineups.all(|lineup| journal.lines_of(plan.key(lineup)).next().is_none());
        if is_new && player.entry.facts().command.is_some() {
            print_message(format_args!(
                "gauntlet: {}: the journal has no games of this version of its program and settings; all games are played again",
                player.name
            ));
        }
    }
}

/// Prints problems with the journal or the games.
pub(super) fn print_problems(end: &RunEnd, plan: &KeyedPlan, journal: &Journal, is_quiet: bool) {
    if end.games_played > 0 && journal.damaged_lines() > 0 {
        print_message(format_args!(
            "gauntlet: {} skipped; their games are played again",
            describe_damaged_lines(journal)
        ));
    }
    if let Some(dispute) = &end.conflict {
        print_message(format_args!("gauntlet: {dispute}; replaying the games of both lines"));
    }
    if let Some(message) = &end.warning {
        print_message(format_args!("gauntlet: {message}"));
    }
    // Otherwise the first forfeit of each player was shown when it happened.
    if is_quiet {
        print_forfeits(&end.forfeits, plan);
    }
}
