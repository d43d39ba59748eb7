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
    pub(super) rate: Option<Estimate>,
    pub(super) score: Option<Estimate>,
    /// Both as people read them.
    pub(super) rate_written: Written,
    pub(super) score_written: Written,
    /// True if its game is one of two.
    pub(super) is_duel: bool,
    /// The rating, in a game of two.
    pub(super) elo: Option<Estimate>,
    pub(super) elo_written: Written,
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
        let rates: Vec<f64> = all.iter().filter_map(|one| Some(one.rate?.value)).collect();
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
        match self {
            Strength::WinRate => one.rate,
            Strength::Score => one.score,
            Strength::Elo => one.elo,
        }
    }

    /// The value as people read it.
    pub(super) fn written(self, one: &Standing) -> &Written {
        match self {
            Strength::WinRate => &one.rate_written,
            Strength::Score => &one.score_written,
            Strength::Elo => &one.elo_written,
        }
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
    let rate = if is_duel { "points_rate" } else { "win_rate" };
    let of = |row: Row, column: &str, is_there: bool| {
        if is_there { (row.estimate(column), row.written(column)) } else { (None, Written::default()) }
    };
    let one = |row: Row| Standing {
        name: row.words("player").to_owned(),
        games: row.count("games").unwrap_or(0),
        rate: row.estimate(rate),
        score: of(row, "mean_score", !is_duel).0,
        is_duel,
        elo: of(row, "elo", is_duel).0,
        rate_written: row.written(rate),
        score_written: of(row, "mean_score", !is_duel).1,
        elo_written: of(row, "elo", is_duel).1,
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
