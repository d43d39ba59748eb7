//! Players with the numbers that people want first, and their order by strength.

use std::collections::BTreeMap;

use gauntlet_core::measure::Measure;
use gauntlet_core::record::Timed;
use gauntlet_core::table::{Cell, CellText, Table, WrittenEstimate};
use gauntlet_stats::Estimate;

use super::order::leads_by;
use crate::compare::front::Front;
use crate::results::tables::duels::{ELO, Elo};
use crate::results::tables::rates::WinRate;
use crate::results::tables::times::MsPerMove;

/// A player with its numbers.
#[derive(Clone, Debug)]
pub struct Standing {
    /// Its name.
    pub name: String,
    /// Games that it played.
    pub games: u64,
    /// True if its game is one of two.
    pub is_duel: bool,
    /// Each [`Strength`] that is known of it, and as people read it.
    pub numbers: [WrittenEstimate; 3],
    /// Processor time of a move in milliseconds.
    pub ms: Option<f64>,
    /// What that is the time of.
    pub timed: Timed,
    /// Where it is by strength and time, as far as that is known.
    pub front: Option<Front>,
}

/// Number of a standing by which players are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// The share of games won.
    WinRate,
    /// The mean logarithm of the score.
    Score,
    /// The rating of a game of two. Its standings have the share of points in place of a win rate.
    Elo,
}

impl Strength {
    /// Win rates, unless they are 0 or 1 for all players and so tell nothing.
    pub fn of(all: &[Standing]) -> Strength {
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
    pub fn measure(self) -> Measure {
        match self {
            Strength::WinRate => Measure::Win,
            Strength::Score => Measure::Score,
            Strength::Elo => Measure::Points,
        }
    }

    /// Its value for a player.
    pub fn value(self, one: &Standing) -> Option<Estimate> {
        one.numbers[self as usize].estimate
    }

    /// The value as people read it.
    pub fn written(self, one: &Standing) -> &CellText {
        &one.numbers[self as usize].text
    }

    /// Its name on an axis.
    pub fn label(self) -> &'static str {
        match self {
            Strength::WinRate => "win rate",
            Strength::Score => "mean score",
            Strength::Elo => "Elo",
        }
    }
}

/// The players of a table of win rates or of ratings, with their times.
pub fn standings(rates: &Table, times: Option<&Table>) -> Vec<Standing> {
    let known = |row: MsPerMove| Some((row.player, (row.cpu_ms_per_move?.value, row.timed)));
    let times: BTreeMap<String, (f64, Timed)> = times
        .into_iter()
        .flat_map(Table::typed::<MsPerMove>)
        .filter_map(known)
        .filter(|(_, (ms, _))| *ms > 0.0)
        .collect();
    let one = |name: String, games, is_duel, numbers| {
        let (ms, timed) = times.get(&name).copied().unzip();
        Standing { name, games, is_duel, numbers, ms, timed: timed.unwrap_or_default(), front: None }
    };
    let none = WrittenEstimate::default;
    match rates.name {
        ELO => rates
            .typed::<Elo>()
            .map(|row| one(row.player, row.games, true, [row.points_rate, none(), row.elo]))
            .collect(),
        _ => rates
            .typed::<WinRate>()
            .map(|row| one(row.player, row.games, false, [row.win_rate, row.mean_score, none()]))
            .collect(),
    }
}

/// Notes where each of these is by strength and time.
pub fn place(all: &mut [Standing], fronts: &BTreeMap<String, Front>) {
    for one in all {
        one.front = fronts.get(&one.name).copied();
    }
}

/// The strongest first; players without a number last. Those with the same number are ordered by
/// their mean scores, and equals stay in the order of the experiment.
pub fn ranked(mut all: Vec<Standing>, by: Strength) -> Vec<Standing> {
    let value = |by: Strength, one: &Standing| by.value(one).map_or(f64::NEG_INFINITY, |it| it.value);
    let more = |by: Strength, a: &Standing, b: &Standing| value(by, b).total_cmp(&value(by, a));
    all.sort_by(|a, b| more(by, a, b).then_with(|| more(Strength::Score, a, b)));
    all
}

/// Puts the rows of a table into the order of these players. Rows of other players come first.
pub fn sort_rows<'a>(table: &mut Table, order: impl Iterator<Item = &'a str>) {
    let places: BTreeMap<&str, usize> = order.zip(0..).collect();
    table.rows.sort_by_key(|row| match &row[0] {
        Cell::Text(name) => places.get(&**name).copied(),
        _ => None,
    });
}

/// The names of the players of a table of win rates or of ratings, the strongest first.
pub fn order(rates: &Table) -> Vec<String> {
    let all = standings(rates, None);
    let by = Strength::of(&all);
    ranked(all, by).into_iter().map(|one| one.name).collect()
}
