//! The table of a fact. Its short form has one line per player, which shows how many games reached
//! each of the last few values.

use std::collections::{BTreeMap, BTreeSet};

use gauntlet_core::game::Fact;
use gauntlet_core::table::{ColumnContent, Schema, Table, TableEstimate, TextTable, TypedRow, table};
use gauntlet_core::text::group_digits;
use gauntlet_run::tally::{LEVEL, Tally};
use gauntlet_stats::wilson;

/// Number of values shown in the short form, the largest ones: nearly every game reaches smaller
/// ones.
const MAX_VALUES: usize = 5;

/// A value is shown in the short form only if at least one player reached it in this number of
/// games. A rate from fewer games would be shown only because it is not 0, so on average it would
/// be too large.
const MIN_REACHED: u64 = 5;

/// Name of the column with the share of games that reached a value.
const REACH_RATE: &str = "reach_rate";

table! {
    /// A value of a fact, as a tile of 2048: the games of a player that ended on it, and that
    /// reached it.
    pub struct ReachRow("reached", Some(LEVEL)) of
        (player, it, fact, value): (&str, &Tally, usize, i64)
    {
        /// Name of the player.
        player: String, words() = player;
        /// Value of the tile.
        value: Option<u64>, count() = value as u64;
        /// Number of games whose largest tile was `tile`.
        games: u64, count() = count_ended(it, fact, value);
        /// `games` divided by all games of the player.
        share: Option<f64>, share().with_decimals(6) =
            (it.games > 0).then(|| count_ended(it, fact, value) as f64 / it.games as f64);
        /// Number of games whose largest tile was `tile` or larger.
        reached: u64, count() = it.count_at_least(fact, value);
        /// `reached` divided by all games of the player, with Wilson's 95 % interval.
        reach_rate: TableEstimate, share().with_decimals(6) = wilson(it.count_at_least(fact, value), it.games, LEVEL);
    }
}

fn count_ended(tally: &Tally, fact: usize, value: i64) -> u64 {
    tally.facts[fact].get(&value).copied().unwrap_or(0)
}

/// Returns the schema of the table of a fact, which names the values.
pub(super) fn schema(fact: &Fact) -> Schema {
    let mut schema = Schema { name: fact.table, ..ReachRow::schema() };
    schema.columns[1] = schema.columns[1].with_name(fact.value_name);
    schema
}

/// Makes the table of a fact. The rows of a player are all values from the smallest to the largest
/// at which a game ended, including values at which none ended.
pub(super) fn table<'a>(
    players: impl Iterator<Item = (&'a str, &'a Tally)>,
    fact: &'static Fact,
    fact_index: usize,
) -> Table {
    let rows = players.flat_map(|(player, tally)| {
        let mut values = tally.facts[fact_index].keys().copied().filter(|&value| value > 0);
        let first = values.next();
        let last = values.next_back().or(first);
        let all_values = std::iter::successors(first, |&value| Some((fact.next_value)(value)));
        let all_values = all_values.take_while(move |&value| Some(value) <= last);
        all_values.map(move |value| ReachRow::new((player, tally, fact_index, value)))
    });
    Table::new(&schema(fact), ReachRow::table(rows).rows)
}

/// Rows of a player, by value.
pub type ValueRows = BTreeMap<u64, ReachRow>;

/// Returns the players of the table of a fact, in order, and the rows of each.
pub fn rows_by_player(table: &Table) -> (Vec<String>, BTreeMap<String, ValueRows>) {
    let (mut names, mut rows) = (Vec::new(), BTreeMap::<String, ValueRows>::new());
    for (value, row) in table.read_rows().filter_map(|row: ReachRow| Some((row.value?, row))) {
        if !rows.contains_key(&row.player) {
            names.push(row.player.clone());
        }
        rows.entry(row.player.clone()).or_default().insert(value, row);
    }
    (names, rows)
}

/// Makes one line per player, if this is the table of a fact.
pub fn to_sheet(table: &Table) -> Option<TextTable> {
    // Only tables of facts have this column. The values of the fact are in the column after the
    // players.
    table.columns.iter().find(|column| column.name == REACH_RATE)?;
    let fact = table.columns[1].name;
    let (names, rows) = rows_by_player(table);
    // The rows of a player begin where its first game ended: all games reached smaller values.
    let is_often = |value: &u64| {
        let mut next = rows.values().filter_map(|player_rows| player_rows.range(value..).next());
        next.any(|(_, row)| row.reached >= MIN_REACHED)
    };
    let mut values: BTreeSet<u64> =
        rows.values().flat_map(|player_rows| player_rows.keys().copied()).collect();
    values.retain(is_often);
    let last: Vec<u64> = values.iter().rev().take(MAX_VALUES).rev().copied().collect();
    let mut columns = vec![("player".to_owned(), ColumnContent::Names)];
    columns.extend(last.iter().map(|value| (format!("{value} %"), ColumnContent::Numbers)));
    columns.push((format!("largest {fact} (games)"), ColumnContent::Numbers));
    let line = |name: &String| {
        let player_rows = &rows[name];
        let share = |value: &u64| match player_rows.get(value) {
            Some(row) => row.reach_rate.text.number().to_owned(),
            // Every game ended at a larger value, or none at this value or a larger one.
            None if player_rows.range(value..).next().is_some() => "100.00".to_owned(),
            None => "0.00".to_owned(),
        };
        let largest = player_rows.last_key_value();
        let largest = largest.map(|(value, row)| format!("{value} ({})", group_digits(row.reached)));
        let shares = last.iter().map(share);
        [name.clone()].into_iter().chain(shares).chain([largest.unwrap_or_default()]).collect()
    };
    Some(TextTable::new(columns, names.iter().map(line).collect()))
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
        let text = to_sheet(&table).expect("a fact").to_text(None);
        assert_eq!(
            text,
            "player    64 %   128 %   512 %  1024 %  2048 %  largest tile (games)\n\
             good    100.00  100.00  100.00   90.00   50.00              2048 (5)\n\
             poor     80.00   10.00    0.00    0.00    0.00               128 (1)\n"
        );
        // A rare value has no rate, only its number of games.
        let rare = csv.replace("good,2048,5,0.5,5,0.5,0.24,0.76", "good,2048,4,0.4,4,0.4,0.17,0.69");
        let table = Table::from_csv(&schema, rare.as_bytes()).expect("a table");
        let text = to_sheet(&table).expect("a fact").to_text(None);
        assert_eq!(
            text,
            "player    32 %    64 %   128 %   512 %  1024 %  largest tile (games)\n\
             good    100.00  100.00  100.00  100.00   90.00              2048 (4)\n\
             poor    100.00   80.00   10.00    0.00    0.00               128 (1)\n"
        );
        let other =
            schemas(&GAMES).into_iter().find(|schema| schema.name == "win-rate").expect("a table of 2048");
        assert!(to_sheet(&Table::new(&other, Vec::new())).is_none());
    }
}
