//! The table `claims`: comparisons that the experiment announced, and their results.

use std::sync::Arc;

use gauntlet_core::measure::Measure;
use gauntlet_core::record::GameRecord;
use gauntlet_core::table::Table;
use gauntlet_run::failing;
use gauntlet_run::plan::{LineUp, Plan};
use gauntlet_run::sample::{ExperimentBlocks, Sample};
use gauntlet_run::tally::meeting::Meetings;
use gauntlet_run::tally::{BlockObserver, Tally};

use super::comparison::{ComparedPlayer, Comparison, correct};
use super::growth::EarlierLooks;
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
    alone: Vec<Option<usize>>,
    /// Sums of the games of each pairing.
    meetings: Meetings,
    plan: &'a Plan<'a>,
}

impl<'a> ClaimSamples<'a> {
    /// Creates empty samples for the claims of an experiment.
    pub fn new(plan: &'a Plan<'a>, claims: &[Claim]) -> ClaimSamples<'a> {
        let blocks = ExperimentBlocks::new(plan.blocks.clone().into_owned());
        let sample = |player: usize| {
            let about = claims.iter().filter(|claim| claim.better == player || claim.than == player);
            let mut by: Vec<Measure> = Vec::new();
            for claim in about {
                if !by.contains(&claim.by) {
                    by.push(claim.by);
                }
            }
            Sample::new(Arc::clone(&blocks), &by)
        };
        let alone = plan.lineups.iter().map(|lineup| match lineup {
            LineUp::Alone([player]) => Some(*player),
            LineUp::Pair(_) => None,
        });
        ClaimSamples {
            players: (0..plan.players.len()).map(sample).collect(),
            alone: alone.collect(),
            meetings: Meetings::new(plan),
            plan,
        }
    }

    /// Returns the sums of the games of each pairing.
    pub fn meetings(&self) -> &Meetings {
        &self.meetings
    }
}

impl BlockObserver for ClaimSamples<'_> {
    fn wants(&self, lineup: usize) -> bool {
        self.alone[lineup].is_none_or(|player| self.players[player].needs_games())
    }

    fn on_blocks(&mut self, lineup: usize, first: u64, records: &[GameRecord]) {
        match self.alone[lineup] {
            Some(player) => self.players[player].add(first, records),
            None => self.meetings.add(self.plan, lineup, first, records),
        }
    }
}

/// Makes the table of claims, each with its answer. `stop` is the result of a `[stop]` that
/// compares two players. `rules` are the [rules](gauntlet_stats::RULES) under which the games were
/// played; `marks` are caveats, each with the claims that have it.
pub fn table(
    experiment: &Experiment,
    samples: &ClaimSamples,
    tallies: &[Tally],
    stop: Option<&StopTest>,
    rules: u32,
    earlier: &EarlierLooks,
    marks: &[(&str, &[String])],
) -> Table {
    let entries = experiment.entries();
    let side = |player: usize, by: Measure| ComparedPlayer {
        name: &entries[player].name,
        games: tallies[player].games,
        sample: &samples.players[player],
        clock: Some(&tallies[player].clock).filter(|_| by.is_time()),
        run: 0,
    };
    let (mut comparisons, mut is_judged) = (Vec::new(), Vec::new());
    for (claim, words) in experiment.sections().claims.iter().zip(experiment.describe_claims()) {
        let (level, margin) = (claim.level.get(), claim.margin.map(|margin| margin.get()));
        let (better, than) = (side(claim.better, claim.by), side(claim.than, claim.by));
        let sequential = experiment.sections().stop.is_some();
        let earlier = earlier.count_about(&[better.name, than.name]);
        let question = ComparisonQuestion { by: claim.by, level, margin, sequential, earlier };
        let meeting = || samples.meetings.meeting(claim.better, claim.than);
        let stop = stop.and_then(|stop| stop.view_for([better.name, than.name]));
        let mut comparison = Comparison::new(&better, &than, meeting, question, stop);
        if claim.by == Measure::Points && margin.is_none() && points::is_newer_than(rules) {
            let changed = "the test was changed after these games were seen";
            comparison.note = Some(changed.to_owned());
        }
        let marks = marks.iter().filter(|(_, claims)| claims.contains(&words));
        for (mark, _) in marks {
            let notes = comparison.note.into_iter().chain([(*mark).to_owned()]);
            comparison.note = Some(notes.collect::<Vec<_>>().join("; "));
        }
        let skipped = [claim.better, claim.than].into_iter().filter_map(|player| {
            let why = failing::first_clause(samples.plan.skipped.get(&player)?);
            Some(format!("{} was skipped: {why}", entries[player].name))
        });
        let skipped = skipped.collect::<Vec<_>>();
        if !skipped.is_empty() {
            comparison.note = Some(skipped.join("; "));
        }
        is_judged.push(skipped.is_empty());
        comparisons.push(comparison);
    }
    correct(&mut comparisons, &[]);
    let verdict = |place: usize, shown| match is_judged[place] {
        true => Verdict::from_claim(shown),
        false => Verdict::NotJudged,
    };
    table::table(CLAIMS, &comparisons, verdict, Comparison::suggest_measure)
}
