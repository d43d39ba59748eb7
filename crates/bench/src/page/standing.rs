//! Players as the page shows them, and their order.

use std::collections::BTreeMap;

use super::plots::intervals::Unit;
use crate::measure::Measure;
use crate::results::analysis::contestants::leads_by;
use crate::stats::Estimate;
use crate::table::{Row, Table, Written};

/// A player with all that the plots need of it.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    pub(super) name: String,
    pub(super) games: u64,
    /// True if its game is one of two.
    pub(super) is_duel: bool,
    /// Each [`Strength`] that is known of it, and as people read it.
    pub(super) numbers: [(Option<Estimate>, Written); 3],
    /// Processor time of a move in milliseconds.
    pub(super) ms: Option<f64>,
}

/// Number of a standing by which players are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strength {
    WinRate,
    Score,
    /// The rating of a game of two. Its standings have the share of points in place of a win rate.
    Elo,
}

impl Strength {
    /// Win rates, unless they are 0 or 1 for all players and so tell nothing.
    pub(super) fn of(all: &[Standing]) -> Strength {
        if all.iter().any(|one| one.is_duel) {
            return Strength::Elo;
        }
        let rates: Vec<f64> =
            all.iter().filter_map(|one| Some(Strength::WinRate.value(one)?.value)).collect();
        match leads_by(&rates) {
            Measure::Score => Strength::Score,
            _ => Strength::WinRate,
        }
    }

    /// The measure that it is of.
    pub(super) fn measure(self) -> Measure {
        match self {
            Strength::WinRate => Measure::Win,
            Strength::Score => Measure::Score,
            Strength::Elo => Measure::Points,
        }
    }

    pub(super) fn value(self, one: &Standing) -> Option<Estimate> {
        one.numbers[self as usize].0
    }

    /// The value as people read it.
    pub(super) fn written(self, one: &Standing) -> &Written {
        &one.numbers[self as usize].1
    }

    pub(super) fn unit(self) -> Unit {
        match self {
            Strength::WinRate => Unit::Share,
            Strength::Score | Strength::Elo => Unit::Plain,
        }
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            Strength::WinRate => "win rate",
            Strength::Score => "mean score",
            Strength::Elo => "Elo",
        }
    }
}

/// The players of a table of win rates or of ratings, with their times.
pub(super) fn standings(rates: &Table, times: Option<&Table>) -> Vec<Standing> {
    let known = |row: Row| Some((row.words("player").to_owned(), row.number("cpu_ms_per_move")?));
    let ms: BTreeMap<String, f64> =
        times.into_iter().flat_map(Table::rows).filter_map(known).filter(|(_, ms)| *ms > 0.0).collect();
    let is_duel = rates.name == "elo";
    let columns = match is_duel {
        true => [Some("points_rate"), None, Some("elo")],
        false => [Some("win_rate"), Some("mean_score"), None],
    };
    let one = |row: Row| Standing {
        name: row.words("player").to_owned(),
        games: row.count("games").unwrap_or(0),
        is_duel,
        numbers: columns.map(|column| {
            column.map(|column| (row.estimate(column), row.written(column))).unwrap_or_default()
        }),
        ms: ms.get(row.words("player")).copied(),
    };
    rates.rows().map(one).collect()
}

/// The strongest first; players without a number last. Equals stay in the order of the experiment.
pub(super) fn ranked(mut all: Vec<Standing>, by: Strength) -> Vec<Standing> {
    let value = |one: &Standing| by.value(one).map_or(f64::NEG_INFINITY, |estimate| estimate.value);
    all.sort_by(|a, b| value(b).total_cmp(&value(a)));
    all
}
