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
    pub time_source: TimeSource,
    /// Status on the front of strength and time, if known.
    pub front_status: Option<FrontStatus>,
}

/// The number by which players are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrengthMeasure {
    /// Share of games won.
    WinRate,
    /// Mean score.
    Score,
    /// Rating in duels. The standings have the share of points in place of a win rate.
    Elo,
}

impl StrengthMeasure {
    pub const ALL: [StrengthMeasure; 3] =
        [StrengthMeasure::WinRate, StrengthMeasure::Score, StrengthMeasure::Elo];

    /// Chooses win rates, unless all are 0 or 1 and so separate no players.
    pub fn choose(standings: &[Standing]) -> StrengthMeasure {
        if standings.iter().any(|one| one.is_duel) {
            return StrengthMeasure::Elo;
        }
        let rates: Vec<f64> =
            standings.iter().filter_map(|one| Some(StrengthMeasure::WinRate.value(one)?.value)).collect();
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
    let player_time = |row: MoveTimeRow| Some((row.player, (row.cpu_ms_per_move?.value, row.timed)));
    let times: BTreeMap<String, (f64, TimeSource)> = times
        .into_iter()
        .flat_map(Table::read_rows::<MoveTimeRow>)
        .filter_map(player_time)
        .filter(|(_, (ms, _))| *ms > 0.0)
        .collect();
    let standing = |name: String, games, is_duel, numbers| {
        let (ms, time_source) = times.get(&name).copied().unzip();
        Standing {
            name,
            games,
            is_duel,
            numbers,
            ms,
            time_source: time_source.unwrap_or_default(),
            front_status: None,
        }
    };
    let no_estimate = TableEstimate::default;
    match rates.name {
        ELO => rates
            .read_rows::<EloRow>()
            .map(|row| standing(row.player, row.games, true, [row.points_rate, no_estimate(), row.elo]))
            .collect(),
        _ => rates
            .read_rows::<WinRateRow>()
            .map(|row| standing(row.player, row.games, false, [row.win_rate, row.mean_score, no_estimate()]))
            .collect(),
    }
}

/// Sets the status of each player on the front.
pub fn set_front_status(standings: &mut [Standing], statuses: &BTreeMap<String, FrontStatus>) {
    for one in standings {
        one.front_status = statuses.get(&one.name).copied();
    }
}

/// Sorts players, the strongest first; players without a value are last. Players with equal values
/// are ordered by mean score, then as in the experiment.
pub fn rank_standings(mut standings: Vec<Standing>, measure: StrengthMeasure) -> Vec<Standing> {
    let value = |key: StrengthMeasure, one: &Standing| {
        key.value(one).map_or(f64::NEG_INFINITY, |estimate| estimate.value)
    };
    let compare = |key: StrengthMeasure, a: &Standing, b: &Standing| value(key, b).total_cmp(&value(key, a));
    standings.sort_by(|a, b| compare(measure, a, b).then_with(|| compare(StrengthMeasure::Score, a, b)));
    standings
}

/// Sorts the rows of a table by this order of players. Rows of other players are first.
pub fn sort_rows<'a>(table: &mut Table, order: impl Iterator<Item = &'a str>) {
    let positions: BTreeMap<&str, usize> = order.zip(0..).collect();
    table.rows.sort_by_key(|row| match &row[0] {
        Cell::Text(name) => positions.get(&**name).copied(),
        _ => None,
    });
}

/// Returns the players of a table of win rates or ratings, the strongest first.
pub fn players_by_strength(rates: &Table) -> Vec<String> {
    let standings = read_standings(rates, None);
    let measure = StrengthMeasure::choose(&standings);
    rank_standings(standings, measure).into_iter().map(|one| one.name).collect()
}
