//! Ends of searches beside the answer: how far each is from it.

use super::ENDS;
use crate::measure::Measure;
use crate::stats::Estimate;
use crate::table::layout::Layout;
use crate::table::{Cell, Column, Kind, Row, Table};
use crate::tally::LEVEL;
use crate::text::{decimals, games, rounded};

/// End of another search, or of one from another start.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// Games that it and the answer played, the same ones.
    pub games: u64,
    /// By how much the answer loses less.
    pub less: Option<Estimate>,
    /// Value of each setting.
    pub at: Vec<String>,
}

/// The table of the ends: behind its own columns stands one for each of these keys.
pub fn ends<'a>(keys: &[String]) -> Layout<'a, &'a End> {
    let ends = Layout::new(ENDS, Some(LEVEL)).count("games", |it: &&End| it.games).estimate(
        Column::number("less"),
        ["less_low", "less_high"],
        6,
        |it| it.less,
    );
    keys.iter().enumerate().fold(ends, |ends, (place, key)| {
        ends.column(Column::of_setting(key.clone(), Kind::Words), move |it| {
            it.at.get(place).map_or("", String::as_str)
        })
    })
}

/// The ends of a table with as many keys.
pub(super) fn read(table: &Table, keys: usize) -> Vec<End> {
    let end = |(row, cells): (Row, &Vec<Cell>)| End {
        games: row.count("games").unwrap_or(0),
        less: row.estimate("less"),
        at: cells[cells.len() - keys..].iter().map(Cell::text).collect(),
    };
    table.rows().zip(&table.rows).map(end).collect()
}

/// By how much one point loses less than another, in words: of scores, which are logarithms, in per cent; else in points.
pub fn gain(less: Estimate, objective: Measure) -> String {
    let (change, unit): (fn(f64) -> f64, _) = match objective {
        Measure::Score => (libm::expm1, "%"),
        _ => (|less| less, "points"),
    };
    let [value, low, high] = [less.value, less.low, less.high].map(|less| 100.0 * change(less));
    let digits = decimals((high - low) / 2.0);
    let [value, low, high] = [value, low, high].map(|part| rounded(part, digits));
    format!("{value:.digits$} {unit} ({low:.digits$} to {high:.digits$})")
}

/// Luck in the answer, in words: the distances of the ends of other searches from it.
pub fn words(ends: &[End], objective: Measure) -> String {
    let fars: Vec<String> = ends.iter().filter_map(|end| Some(gain(end.less?, objective))).collect();
    let Some(end) = ends.first().filter(|_| !fars.is_empty()) else {
        return "the search began once: where another one ends is not known; `searches = 3` in [tune] shares the games among three of them, and tells"
            .to_owned();
    };
    let is_near = |end: &&End| end.less.is_some_and(|less| less.low <= 0.0);
    let near = ends.iter().filter(is_near).count();
    let reading = match near {
        0 => {
            "none came as far as the answer, so chance has a part in where a search ends, and further ones may find more"
        }
        _ if near == ends.len() => {
            "none is shown to be worse, so a further search is not expected to find more than these bounds allow"
        }
        _ => "some came as far as the answer, and others are shown to be worse",
    };
    format!(
        "{} {} ended elsewhere: on the same {} the answer leads by {} (95 % intervals); {reading}",
        ends.len(),
        if ends.len() == 1 { "other search" } else { "other searches" },
        games(end.games),
        fars.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_say_whether_the_start_matters() {
        let end = |value: f64, low: f64, high: f64| End {
            games: 200,
            less: Some(Estimate { value, low, high, level: 0.95 }),
            at: Vec::new(),
        };
        let said = |ends: &[End]| words(ends, Measure::Score);
        assert!(said(&[]).contains("began once"));
        let far = said(&[end(0.2, 0.1, 0.3)]);
        assert!(far.contains("1 other search ") && far.contains("22.1 % (10.5 to 35.0)"), "{far}");
        assert!(far.contains("none came as far"), "{far}");
        assert!(said(&[end(0.01, -0.1, 0.12)]).contains("none is shown to be worse"));
        assert!(said(&[end(0.2, 0.1, 0.3), end(0.01, -0.1, 0.12)]).contains("some came as far"));
    }
}
