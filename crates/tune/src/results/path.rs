//! The path of a search: its steps, and their table.

use gauntlet_analysis::config::tune::{Field, Tune};
use gauntlet_core::table::layout::Layout;
use gauntlet_core::table::{Cell, Column, Kind, Row, Table};
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::Estimate;

use super::TRAJECTORY;

/// A step of the search.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The games spent so far.
    pub games: u64,
    /// Its kind: a step or a check.
    pub kind: String,
    /// Of a check: whether what it compared was kept.
    pub kept: Option<bool>,
    /// Of a check: by how much the mean loss was less than that of the start, on the search's own games.
    pub gain: Option<Estimate>,
    /// Where the search stood then.
    pub at: Vec<String>,
}

/// The keys of what each value of [`Step::at`] is of: settings; of a race, that it is a player.
pub fn keys(tune: &Tune) -> Vec<String> {
    match &tune.field {
        Field::Params { params, .. } => params.iter().map(|param| param.key.clone()).collect(),
        Field::Players { .. } => vec!["player".to_owned()],
    }
}

/// The table of the path of the search: behind its own columns stands one for each of these keys.
pub fn trajectory<'a>(keys: &[String]) -> Layout<'a, &'a Step> {
    Layout::new(TRAJECTORY, Some(LEVEL))
        .count("games", |it: &&Step| it.games)
        .words("kind", |it| &*it.kind)
        .column(Column::new("kept", Kind::Truth), |it| it.kept)
        .estimate(Column::number("gain"), ["gain_low", "gain_high"], 6, |it| it.gain)
        .settings(keys, |it| &it.at)
}

/// The steps of a path with as many keys.
pub(super) fn steps(path: &Table, keys: usize) -> Vec<Step> {
    let step = |(row, cells): (Row, &Vec<Cell>)| Step {
        games: row.count("games").unwrap_or(0),
        kind: row.words("kind").to_owned(),
        kept: row.truth("kept"),
        gain: row.estimate("gain"),
        // A setting may be called as another column.
        at: cells[cells.len() - keys..].iter().map(Cell::text).collect(),
    };
    path.rows().zip(&path.rows).map(step).collect()
}
