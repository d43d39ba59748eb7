//! The table `claims`: comparisons that the experiment announced, and their results.

use std::sync::Arc;

use anyhow::bail;
use gauntlet_core::disk::scratch_file;
use gauntlet_core::measure::Measure;
use gauntlet_core::record::GameRecord;
use gauntlet_core::table::Table;
use gauntlet_core::text::display_path;
use gauntlet_run::failing_players;
use gauntlet_run::plan::{LineUp, Plan};
use gauntlet_run::sample::{ExperimentBlocks, Sample};
use gauntlet_run::tally::meeting::Meetings;
use gauntlet_run::tally::{BlockObserver, Tally};

use super::comparison::{ComparedPlayer, Comparison, correct};
use super::earlier_looks::EarlierLooks;
use super::question::ComparisonQuestion;
use super::stop::StopTest;
use super::verdict::Verdict;
use super::{points, table};
use crate::config::Experiment;
use crate::config::claim::Claim;

pub use super::table::CLAIMS;

/// Samples of the players that claims compare, filled while the journal is read.
#[derive(Debug)]
pub struct ClaimSamples<'a> {
    players: Vec<Sample>,
    /// Player of each line-up that has one player.
    solo_players: Vec<Option<usize>>,
    /// Sums of the games of each pairing.
    meetings: Meetings,
    plan: &'a Plan<'a>,
}

impl<'a> ClaimSamples<'a> {
    /// Creates empty samples for the claims of an experiment.
    pub fn new(plan: &'a Plan<'a>, claims: &[Claim]) -> ClaimSamples<'a> {
        let blocks = ExperimentBlocks::new(plan.blocks.clone().into_owned());
        let score_file = scratch_file();
        let sample = |player: usize| {
            let player_claims = claims.iter().filter(|claim| claim.player == player || claim.rival == player);
            let mut measures: Vec<Measure> = Vec::new();
            for claim in player_claims {
                if !measures.contains(&claim.measure) {
                    measures.push(claim.measure);
                }
            }
            Sample::with_stored_scores(Arc::clone(&blocks), &measures, &score_file)
        };
        let solo_players = plan.lineups.iter().map(|lineup| match lineup {
            LineUp::Alone([player]) => Some(*player),
            LineUp::Pair(_) => None,
        });
        ClaimSamples {
            players: (0..plan.players.len()).map(sample).collect(),
            solo_players: solo_players.collect(),
            meetings: Meetings::new(plan),
            plan,
        }
    }

    /// Returns the sums of the games of each pairing.
    pub fn meetings(&self) -> &Meetings {
        &self.meetings
    }

    /// Fails if scores could not be stored or read: then comparisons by score are wrong.
    pub fn check_storage(&self) -> anyhow::Result<()> {
        match self.players.iter().find_map(Sample::storage_error) {
            Some(error) => {
                let folder = std::env::temp_dir();
                bail!("cannot keep scores in a temporary file in {} (TMPDIR): {error}", display_path(&folder))
            }
            None => Ok(()),
        }
    }
}

impl BlockObserver for ClaimSamples<'_> {
    fn needs(&self, lineup: usize) -> bool {
        self.solo_players[lineup].is_none_or(|player| self.players[player].needs_games())
    }

    fn on_blocks(&mut self, lineup: usize, first: u64, records: &[GameRecord]) {
        match self.solo_players[lineup] {
            Some(player) => self.players[player].add(first, records),
            None => self.meetings.add(self.plan, lineup, first, records),
        }
    }
}

/// Makes the table of claims, each with its answer. `stop` is the result of a `[stop]` that
/// compares two players. `rules` are the [rules](gauntlet_stats::RULES) under which the games were
/// played; `caveats` belong to them, each with the claims that have it.
pub fn table(
    experiment: &Experiment,
    samples: &ClaimSamples,
    tallies: &[Tally],
    stop: Option<&StopTest>,
    rules: u32,
    earlier_looks: &EarlierLooks,
    caveats: &[(&str, &[String])],
) -> Table {
    let entries = experiment.players();
    let side = |player: usize, measure: Measure| ComparedPlayer {
        name: &entries[player].name,
        games: tallies[player].games,
        sample: &samples.players[player],
        clock: Some(&tallies[player].move_times).filter(|_| measure.is_time()),
        run: 0,
    };
    let (mut comparisons, mut is_judged) = (Vec::new(), Vec::new());
    for (claim, description) in experiment.sections().claims.iter().zip(experiment.describe_claims()) {
        let (level, margin) = (claim.level.get(), claim.margin.map(|margin| margin.get()));
        let (player, rival) = (side(claim.player, claim.measure), side(claim.rival, claim.measure));
        let is_sequential = experiment.sections().stop.is_some();
        let earlier_answers = earlier_looks.count_about(&[player.name, rival.name]);
        let question =
            ComparisonQuestion { measure: claim.measure, level, margin, is_sequential, earlier_answers };
        let meeting = || samples.meetings.meeting(claim.player, claim.rival);
        let stop_view = stop.and_then(|stop| stop.view_for([player.name, rival.name]));
        let mut comparison = Comparison::new(&player, &rival, meeting, question, stop_view);
        if claim.measure == Measure::Points && margin.is_none() && points::is_newer_than(rules) {
            let note = "the test was changed after these games were seen";
            comparison.note = Some(note.to_owned());
        }
        let caveats = caveats.iter().filter(|(_, claims)| claims.contains(&description));
        for (caveat, _) in caveats {
            let notes = comparison.note.into_iter().chain([(*caveat).to_owned()]);
            comparison.note = Some(notes.collect::<Vec<_>>().join("; "));
        }
        let skip_notes = [claim.player, claim.rival].into_iter().filter_map(|player| {
            let reason = failing_players::first_clause(samples.plan.skipped.get(&player)?);
            Some(format!("{} was skipped: {reason}", entries[player].name))
        });
        let skip_notes = skip_notes.collect::<Vec<_>>();
        if !skip_notes.is_empty() {
            comparison.note = Some(skip_notes.join("; "));
        }
        is_judged.push(skip_notes.is_empty());
        comparisons.push(comparison);
    }
    correct(&mut comparisons, &[]);
    let verdict = |index: usize, conclusion| match is_judged[index] {
        true => Verdict::from_claim(conclusion),
        false => Verdict::NotJudged,
    };
    table::table(CLAIMS, &comparisons, verdict, Comparison::suggest_measure)
}
