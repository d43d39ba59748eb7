//! The table `claims`: what the experiment announced, and what came of it.

use std::sync::Arc;

use super::comparison::{Comparison, Side, correct};
use super::growth::EarlierAnswers;
use super::points;
use super::question::{Question, Relevant, Shown};
use super::sample::{Sample, Seeds};
use super::settled::Settled;
use super::table;
use super::verdict::Verdict;
use crate::config::Experiment;
use crate::config::claim::Claim;
use crate::measure::Measure;
use crate::plan::{LineUp, Plan};
use crate::record::GameRecord;
use crate::run::judge::Ruling;
use crate::table::Table;
use crate::tally::meeting::Meetings;
use crate::tally::{Audience, Tally};

/// The table of claims.
pub const CLAIMS: &str = "claims";

/// Samples of the players for claims, filled while the journal is read.
#[derive(Debug)]
pub struct Samples<'a> {
    players: Vec<Sample>,
    /// The player of each line-up of one player.
    alone: Vec<Option<usize>>,
    /// The games of each two players against each other, summed.
    meetings: Meetings,
    plan: &'a Plan<'a>,
}

impl<'a> Samples<'a> {
    /// Empty samples for the claims of an experiment.
    pub fn of(plan: &'a Plan<'a>, claims: &[Claim]) -> Samples<'a> {
        let blocks = Seeds::of(plan.blocks.clone().into_owned());
        let sample = |player: usize| {
            let about = claims.iter().filter(|claim| claim.better == player || claim.than == player);
            let mut by: Vec<Measure> = Vec::new();
            for claim in about {
                if !by.contains(&claim.by) {
                    by.push(claim.by);
                }
            }
            Sample::of(Arc::clone(&blocks), &by)
        };
        let alone = plan.lineups.iter().map(|lineup| match lineup {
            LineUp::Alone([player]) => Some(*player),
            LineUp::Pair(_) => None,
        });
        Samples {
            players: (0..plan.players.len()).map(sample).collect(),
            alone: alone.collect(),
            meetings: Meetings::of(plan),
            plan,
        }
    }

    /// The games of each two players against each other, summed.
    pub fn meetings(&self) -> &Meetings {
        &self.meetings
    }
}

impl Audience for Samples<'_> {
    fn wants(&self, lineup: usize) -> bool {
        self.alone[lineup].is_none_or(|player| self.players[player].needs_games())
    }

    fn hear(&mut self, lineup: usize, first: u64, records: &[GameRecord]) {
        match self.alone[lineup] {
            Some(player) => self.players[player].add(first, records),
            None => self.meetings.add(self.plan, lineup, first, records),
        }
    }
}

/// The measure that may separate two players that won no game, or every one, in words that go on.
fn suggestion(comparison: &Comparison) -> &'static str {
    match (comparison.question.by, comparison.finding.values) {
        (Measure::Win, [Some(0.0), Some(0.0)]) => {
            "; no wins on either side; compare scores with by = \"score\""
        }
        (Measure::Win, [Some(1.0), Some(1.0)]) => {
            "; no losses on either side; compare scores with by = \"score\""
        }
        _ => "",
    }
}

/// The claims of an experiment, each with its answer. The ruling is that of a run that may end early; the games were played
/// under these [rules](crate::stats::RULES), after these earlier answers.
pub fn table(
    experiment: &Experiment,
    samples: &Samples,
    tallies: &[Tally],
    ruling: Option<&Ruling>,
    rules: u32,
    earlier: &EarlierAnswers,
) -> Table {
    let entries = experiment.entries();
    let side = |player: usize, by: Measure| Side {
        name: &entries[player].name,
        games: tallies[player].games,
        sample: &samples.players[player],
        clock: Some(&tallies[player].clock).filter(|_| by.is_time()),
        run: 0,
    };
    let settled = experiment.sections().stop.as_ref().zip(ruling);
    let settled =
        settled.and_then(|(stop, ruling)| Settled::of(stop, ruling, |player| &entries[player].name));
    let mut comparisons = Vec::new();
    for claim in &experiment.sections().claims {
        let (level, margin) = (claim.level.get(), claim.margin.map(|margin| margin.get()));
        let (better, than) = (side(claim.better, claim.by), side(claim.than, claim.by));
        let sequential = experiment.sections().stop.is_some();
        let earlier = earlier.about(&[better.name, than.name]);
        let question = Question { by: claim.by, level, margin, sequential, earlier };
        let meeting = || samples.meetings.between(claim.better, claim.than);
        let mut comparison = Comparison::of(&better, &than, meeting, question);
        if let Some(settled) = &settled {
            settled.answer(&mut comparison, [better.name, than.name]);
        }
        if claim.by == Measure::Points && margin.is_none() && points::is_younger_than(rules) {
            let changed = "the test behind p was changed after these games had been seen";
            comparison.note = Some(changed.to_owned());
        }
        comparisons.push(comparison);
    }
    let family = correct(&mut comparisons, &[]);
    let answered = comparisons.into_iter().map(|comparison| {
        let words = comparison.answer(family, Relevant::default()) + suggestion(&comparison);
        let words = match comparison.shown() {
            Shown::Opposite => format!("{}: {words}", Verdict::OppositeShown.word()),
            Shown::Yes | Shown::Nothing => words,
        };
        (comparison, words)
    });
    table::table(CLAIMS, &answered.collect::<Vec<_>>(), Verdict::of_claim)
}
