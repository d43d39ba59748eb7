//! The table `stop`: the comparison of two players that could end a run.

use super::settled::{BALANCE, DECIMALS, ELO_DECIMALS, PAIRS, Settled};
use super::verdict::Verdict;
use crate::config::stop::EarlyStop;
use crate::plan::Plan;
use crate::run::judge::Ruling;
use crate::run::judge::pair::{Decision, Evidence};
use crate::stats::PairCounts;
use crate::table::layout::Layout;
use crate::table::{Cell, Column, Kind, Schema, Table};
use crate::text::{grouped, rounded};

/// The table of the comparison that may end a run.
pub const STOP: &str = "stop";

/// State of a comparison that could end a run.
struct Ended {
    settled: Settled,
    blocks: u64,
    at_most: u64,
    /// Blocks that the first player lost, shared and won.
    balance: [u64; 3],
    /// Pairs of games by their points, in a game of two.
    pairs: Option<PairCounts>,
    evidence: Evidence,
    decision: Option<Decision>,
}

impl Ended {
    /// None if it is not about two players.
    fn of(plan: &Plan, stop: &EarlyStop, ruling: &Ruling, at_most: u64) -> Option<Ended> {
        let settled = Settled::of(stop, ruling, |player| plan.players[player].name)?;
        Some(match ruling {
            Ruling::Pair(ruling) => {
                let balance = ruling.balance;
                Ended {
                    settled,
                    blocks: balance.blocks,
                    at_most,
                    balance: [balance.behind, balance.even, balance.ahead],
                    pairs: None,
                    evidence: ruling.evidence,
                    decision: ruling.decision,
                }
            }
            Ruling::Duel(ruling) => {
                let [none, half, one, more, two] = ruling.pairs;
                Ended {
                    settled,
                    blocks: ruling.blocks,
                    at_most,
                    balance: [none + half, one, more + two],
                    pairs: Some(ruling.pairs),
                    evidence: ruling.evidence,
                    decision: ruling.decision,
                }
            }
            Ruling::Precision(_) => return None,
        })
    }

    fn verdict(&self) -> Verdict {
        match self.decision {
            Some(Decision::Better) if !self.settled.decides_better() => Verdict::NotWorse,
            Some(Decision::Better) => Verdict::Better,
            Some(Decision::NotBetter) => Verdict::NotBetter,
            Some(Decision::Worse) => Verdict::Worse,
            None => Verdict::Undecided,
        }
    }

    /// The end of the run in words.
    fn answer(&self, of: &str) -> String {
        let said = self.settled.said([&self.settled.better, &self.settled.than]);
        let (after, at_most) = (grouped(self.blocks), grouped(self.at_most));
        match self.decision {
            Some(_) => format!("the run was stopped after {after} of at most {at_most} {of}: {said}"),
            None => format!("the run went through all of its {at_most} {of}: {said}"),
        }
    }
}

/// The table. In games of two the estimate is one of Elo.
fn layout<'a>(is_duel: bool) -> Layout<'a, Ended> {
    let layout = Layout::new(STOP, None)
        .words("player", |it: &Ended| it.settled.better.clone())
        .words("than", |it| it.settled.than.clone())
        .words("by", |it| it.settled.by.to_string())
        .words("method", |it| it.settled.method())
        .count("blocks", |it| it.blocks)
        .count("at_most", |it| it.at_most);
    let balance = BALANCE.iter().enumerate();
    let layout =
        balance.fold(layout, |layout, (place, name)| layout.count(name, move |it| it.balance[place]));
    let pairs = PAIRS.iter().enumerate();
    let layout = pairs.fold(layout, |layout, (place, name)| {
        layout.column(Column::count(name), move |it| it.pairs.map(|pairs| Cell::Whole(pairs[place])))
    });
    let (of, decimals) = if is_duel { ("pairs", ELO_DECIMALS) } else { ("blocks", DECIMALS) };
    layout
        .real(Column::number("ratio"), 4, |it| Some(it.evidence.ratio))
        .real(Column::number("lower"), 4, |it| it.evidence.lower)
        .real(Column::number("upper"), 4, |it| Some(it.evidence.upper))
        .column(Verdict::column(), |it| it.verdict().word())
        .column(Column::new("answer", Kind::Answer), move |it| it.answer(of))
        .estimate(Column::number("estimate"), ["estimate_low", "estimate_high"], decimals, |it| {
            it.settled.estimate()
        })
        .column(Column::number("level"), |it| {
            it.settled.estimate().map(|it| Cell::as_printed(rounded(it.level, 9)))
        })
}

/// Schema by which the table is read.
pub fn schema() -> Schema {
    layout(true).schema().clone()
}

/// The comparison that could end the run, as it stands: a table of one row. None if the `[stop]` is not about two players.
pub fn table(plan: &Plan, stop: &EarlyStop, ruling: &Ruling, at_most: u64) -> Option<Table> {
    let is_duel = matches!(stop, EarlyStop::Duel(_));
    Some(layout(is_duel).table([Ended::of(plan, stop, ruling, at_most)?]))
}
