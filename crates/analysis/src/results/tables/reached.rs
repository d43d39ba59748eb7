//! The table of a fact in one line for each player: how many of its games reached each of the last few values.

use std::collections::{BTreeMap, BTreeSet};

use gauntlet_core::table::{Holds, Row, Sheet, Table};

/// Values that are shown, the largest ones: nearly every game reaches the smaller ones.
const SHOWN: usize = 5;

/// The column of shares of games that came to a value or a larger one.
const REACH_RATE: &str = "reach_rate";

/// The players of a table of a fact in their order, and the rows of each by their values.
pub(super) fn by_player(table: &Table) -> (Vec<&str>, BTreeMap<&str, BTreeMap<u64, Row<'_>>>) {
    let fact = table.columns[1].name;
    let (mut names, mut rows) = (Vec::new(), BTreeMap::<&str, BTreeMap<u64, Row>>::new());
    for (row, value) in table.rows().filter_map(|row| Some((row, row.count(fact)?))) {
        let name = row.words("player");
        if !rows.contains_key(name) {
            names.push(name);
        }
        rows.entry(name).or_default().insert(value, row);
    }
    (names, rows)
}

/// The line for each player, if this is the table of a fact.
pub fn sheet(table: &Table) -> Option<Sheet> {
    // Tables of facts alone have this column. The values of the fact stand in the one after the players.
    table.columns.iter().find(|column| column.name == REACH_RATE)?;
    let fact = table.columns[1].name;
    let (names, rows) = by_player(table);
    let values: BTreeSet<u64> = rows.values().flat_map(|of_player| of_player.keys().copied()).collect();
    let last: Vec<u64> = values.iter().rev().take(SHOWN).rev().copied().collect();
    let mut heads = vec![("player".to_owned(), Holds::Names)];
    heads.extend(last.iter().map(|value| (format!("{value} %"), Holds::Numbers)));
    heads.push((format!("largest {fact}"), Holds::Numbers));
    let line = |name: &&str| {
        let of_player = &rows[name];
        let share = |value: &u64| match of_player.get(value) {
            Some(row) => row.written(REACH_RATE).number().to_owned(),
            // Every game ended on a larger value, or none on so large a one.
            None if of_player.range(value..).next().is_some() => "100.00".to_owned(),
            None => "0.00".to_owned(),
        };
        let largest = of_player.keys().next_back().map(u64::to_string);
        let shares = last.iter().map(share);
        [(*name).to_owned()].into_iter().chain(shares).chain([largest.unwrap_or_default()]).collect()
    };
    Some(Sheet::new(heads, names.iter().map(line).collect()))
}

#[cfg(test)]
mod tests {
    use gauntlet_games::GAMES;

    use super::*;
    use crate::results::tables::schemas;

    /// Sixteen players have 85 rows in the table, and sixteen lines here.
    #[test]
    fn each_player_has_one_line_with_the_last_tiles() {
        let csv = "player,tile,games,share,reached,reach_rate,reach_rate_low,reach_rate_high\n\
                   good,512,1,0.1,10,1,0.7,1\n\
                   good,1024,4,0.4,9,0.9,0.6,0.98\n\
                   good,2048,5,0.5,5,0.5,0.24,0.76\n\
                   poor,32,2,0.2,10,1,0.7,1\n\
                   poor,64,7,0.7,8,0.8,0.5,0.9\n\
                   poor,128,1,0.1,1,0.1,0.02,0.4\n";
        let schema =
            schemas(&GAMES).into_iter().find(|schema| schema.name == "max-tile").expect("a table of 2048");
        let table = Table::from_csv(&schema, csv.as_bytes()).expect("a table");
        let text = sheet(&table).expect("a fact").to_text(None);
        assert_eq!(
            text,
            "player    64 %   128 %   512 %  1024 %  2048 %  largest tile\n\
             good    100.00  100.00  100.00   90.00   50.00          2048\n\
             poor     80.00   10.00    0.00    0.00    0.00           128\n"
        );
        let other =
            schemas(&GAMES).into_iter().find(|schema| schema.name == "win-rate").expect("a table of 2048");
        assert!(sheet(&Table::new(&other, Vec::new())).is_none());
    }
}
