//! Players with their main numbers, sorted by strength.

use std::collections::BTreeMap;

use gauntlet_core::measure::Measure;
use gauntlet_core::record::TimeSource;
use gauntlet_core::table::{Cell, EstimateText, Table, TableEstimate};
use gauntlet_stats::Estimate;

use super::order::choose_measure;
use crate::compare::front::FrontStatus;
use crate::results::tables::duels::{ELO, EloRow};
use crate::results::tables::rates::WinRateRow;
use crate::results::tables::times::MoveTimeRow;

/// A player with its main numbers.
#[derive(Clone, Debug)]
pub struct Standing {
    pub name: String,
    /// Number of games played.
    pub games: u64,
    /// True if the game is a duel.
    pub is_duel: bool,
    /// Value and text of each [`StrengthMeasure`] that is known.
    pub numbers: [TableEstimate; 3],
    /// CPU time per move in milliseconds.
    pub ms: Option<f64>,
    /// Which time counts.
    pub timed: TimeSource,
    /// Status on the front of strength and time, if known.
    pub front: Option<FrontStatus>,
}

/// The number by which players are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrengthMeasure {
    /// Share of games won.
    WinRate,
    /// Mean logarithm of the score.
    Score,
    /// Rating in duels. The standings have the share of points in place of a win rate.
    Elo,
}

impl StrengthMeasure {
    pub const ALL: [StrengthMeasure; 3] =
        [StrengthMeasure::WinRate, StrengthMeasure::Score, StrengthMeasure::Elo];

    /// Chooses win rates, unless all are 0 or 1 and so separate no players.
    pub fn choose(all: &[Standing]) -> StrengthMeasure {
        if all.iter().any(|one| one.is_duel) {
            return StrengthMeasure::Elo;
        }
        let rates: Vec<f64> =
            all.iter().filter_map(|one| Some(StrengthMeasure::WinRate.value(one)?.value)).collect();
        match choose_measure(&rates) {
            Measure::Score => StrengthMeasure::Score,
            _ => StrengthMeasure::WinRate,
        }
    }

    /// Returns the measure of this number.
    pub fn measure(self) -> Measure {
        match self {
            StrengthMeasure::WinRate => Measure::Win,
            StrengthMeasure::Score => Measure::Score,
            StrengthMeasure::Elo => Measure::Points,
        }
    }

    /// Returns the value for a player.
    pub fn value(self, one: &Standing) -> Option<Estimate> {
        one.numbers[self as usize].estimate
    }

    /// Returns the value as text.
    pub fn text(self, one: &Standing) -> &EstimateText {
        &one.numbers[self as usize].text
    }

    /// Returns the name for an axis.
    pub fn label(self) -> &'static str {
        match self {
            StrengthMeasure::WinRate => "win rate",
            StrengthMeasure::Score => "mean score",
            StrengthMeasure::Elo => "Elo",
        }
    }
}

/// Reads players from a table of win rates or ratings, with their times.
pub fn read_standings(rates: &Table, times: Option<&Table>) -> Vec<Standing> {
    let known = |row: MoveTimeRow| Some((row.player, (row.cpu_ms_per_move?.value, row.timed)));
    let times: BTreeMap<String, (f64, TimeSource)> = times
        .into_iter()
        .flat_map(Table::read_rows::<MoveTimeRow>)
        .filter_map(known)
        .filter(|(_, (ms, _))| *ms > 0.0)
        .collect();
    let one = |name: String, games, is_duel, numbers| {
        let (ms, timed) = times.get(&name).copied().unzip();
        Standing { name, games, is_duel, numbers, ms, timed: timed.unwrap_or_default(), front: None }
    };
    let none = TableEstimate::default;
    match rates.name {
        ELO => rates
            .read_rows::<EloRow>()
            .map(|row| one(row.player, row.games, true, [row.points_rate, none(), row.elo]))
            .collect(),
        _ => rates
            .read_rows::<WinRateRow>()
            .map(|row| one(row.player, row.games, false, [row.win_rate, row.mean_score, none()]))
            .collect(),
    }
}

/// Sets the status of each player on the front.
pub fn set_front_status(all: &mut [Standing], fronts: &BTreeMap<String, FrontStatus>) {
    for one in all {
        one.front = fronts.get(&one.name).copied();
    }
}

/// Sorts players, the strongest first; players without a value are last. Players with equal values
/// are ordered by mean score, then as in the experiment.
pub fn rank_standings(mut all: Vec<Standing>, by: StrengthMeasure) -> Vec<Standing> {
    let value = |by: StrengthMeasure, one: &Standing| by.value(one).map_or(f64::NEG_INFINITY, |it| it.value);
    let more = |by: StrengthMeasure, a: &Standing, b: &Standing| value(by, b).total_cmp(&value(by, a));
    all.sort_by(|a, b| more(by, a, b).then_with(|| more(StrengthMeasure::Score, a, b)));
    all
}

/// Sorts the rows of a table by this order of players. Rows of other players are first.
pub fn sort_rows<'a>(table: &mut Table, order: impl Iterator<Item = &'a str>) {
    let places: BTreeMap<&str, usize> = order.zip(0..).collect();
    table.rows.sort_by_key(|row| match &row[0] {
        Cell::Text(name) => places.get(&**name).copied(),
        _ => None,
    });
}

/// Returns the players of a table of win rates or ratings, the strongest first.
pub fn players_by_strength(rates: &Table) -> Vec<String> {
    let all = read_standings(rates, None);
    let by = StrengthMeasure::choose(&all);
    rank_standings(all, by).into_iter().map(|one| one.name).collect()
}
