//! `leaderboard`: strength and cost of each player of a solo game in one line, with published
//! numbers and the command that plays it. It has no file: it is made from other tables on request.

use std::collections::BTreeMap;

use gauntlet_core::measure::is_rate_name;
use gauntlet_core::table::{CellKind, Column, Table, TypedRow, table};
use gauntlet_core::text::format_plain;
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::{Estimate, wilson};

use super::fact_table::{ReachRow, ValueRows, rows_by_player};
use super::rates::WinRateRow;
use super::times::MoveTimeRow;
use crate::compare::front::FrontStatus;
use crate::compare::published::PublishedRow;

/// Name of the table of strength and cost.
pub const LEADERBOARD: &str = "leaderboard";

/// Largest number of values of a fact with a column: the largest values.
const MAX_VALUES: usize = 6;

/// Share of its games in which some player must reach a value for the value to have a column.
const MIN_SHARE: f64 = 0.05;

/// Tables from which the leaderboard is made.
pub(in crate::results) struct Sources<'a> {
    /// Wins and scores.
    pub(in crate::results) rates: &'a Table,
    /// Times.
    pub(in crate::results) times: &'a Table,
    /// Status of players on the front of score and speed, if known.
    pub(in crate::results) front_statuses: &'a BTreeMap<String, FrontStatus>,
    /// The fact that shows how far games went, such as the largest tile.
    pub(in crate::results) fact_table: Option<&'a Table>,
    /// Published numbers.
    pub(in crate::results) published: Option<&'a Table>,
    /// Returns the command that plays a player alone; empty if there is none.
    pub(in crate::results) command: &'a dyn Fn(&str) -> String,
}

table! {
    /// Strength and price of a player.
    pub(in crate::results) struct LeaderboardRow(LEADERBOARD, Some(LEVEL)) of it: &Line {
        /// Name of the player.
        player: String, words() = &*it.player;
        /// Mean CPU time per move, with its 95 % interval.
        cpu_ms_per_move: Option<Estimate>, millis().with_units().with_decimals(6) = it.ms;
        /// Mean score, with its 95 % interval.
        mean_score: Option<Estimate>, number().with_decimals(0) = it.score;
        /// Number of games of the player.
        games: u64, count() = it.games;
        /// Share of moves from endgame tables; empty if there are none.
        from_tables: Option<f64>, share().with_decimals(3) = it.from_tables;
        /// `on`, `off` or `open`: whether the player is on the Pareto front of score and time.
        front: String, words().as_first() = it.front_status.map_or("", FrontStatus::word);
        /// Published numbers about the player, each with its source.
        published: String, words() = &*it.published;
        /// Command that plays this player alone.
        command: String, words() = &*it.command;
    }
}

/// Number of columns before the columns of values.
const COLUMNS_BEFORE_VALUES: usize = 7;

struct Line {
    player: String,
    games: u64,
    score: Option<Estimate>,
    ms: Option<Estimate>,
    /// Share of moves from endgame tables.
    from_tables: Option<f64>,
    /// Rows of the player in the table of the fact, by value.
    value_rows: ValueRows,
    front_status: Option<FrontStatus>,
    published: String,
    command: String,
}

impl Line {
    /// Returns the share of its games that reached a value.
    fn share(&self, value: u64) -> Option<Estimate> {
        match self.value_rows.range(value..).next() {
            Some((&reached_value, row)) if reached_value == value => row.reach_rate.estimate,
            // The table begins where the first game ended, and ends where the last game did.
            Some(_) => wilson(self.games, self.games, LEVEL),
            None => wilson(0, self.games, LEVEL),
        }
    }
}

/// Makes the table: players on the front, then inconclusive ones, then those off it; the strongest
/// of each group first.
pub(in crate::results) fn table(sources: &Sources) -> Table {
    let times = sources.times.read_rows::<MoveTimeRow>();
    let times: BTreeMap<String, (Option<Estimate>, Option<f64>)> =
        times.map(|row| (row.player, (row.cpu_ms_per_move, row.from_tables))).collect();
    let (_, mut value_rows) = sources.fact_table.map(rows_by_player).unwrap_or_default();
    let mut published_texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in sources.published.into_iter().flat_map(Table::read_rows::<PublishedRow>) {
        published_texts.entry(row.player.clone()).or_default().push(format_published(&row));
    }
    let lines =
        sources.rates.read_rows::<WinRateRow>().map(|WinRateRow { player, games, mean_score, .. }| {
            let (ms, from_tables) = times.get(&player).copied().unwrap_or_default();
            Line {
                games,
                score: mean_score.estimate,
                ms: ms.filter(|ms| ms.value > 0.0),
                from_tables,
                value_rows: value_rows.remove(&*player).unwrap_or_default(),
                front_status: sources.front_statuses.get(&player).copied(),
                published: published_texts.remove(&*player).unwrap_or_default().join("; "),
                command: (sources.command)(&player),
                player,
            }
        });
    let mut lines: Vec<Line> = lines.collect();
    let score = |line: &Line| line.score.map_or(f64::NEG_INFINITY, |score| score.value);
    let front_order = |line: &Line| (line.front_status.is_none(), line.front_status);
    lines.sort_by(|a, b| front_order(a).cmp(&front_order(b)).then(score(b).total_cmp(&score(a))));

    let is_often = |row: &ReachRow| row.reach_rate.estimate.is_some_and(|rate| rate.value >= MIN_SHARE);
    let frequent_values = |line: &Line| {
        let rows = line.value_rows.iter().filter(|(_, row)| is_often(row));
        rows.map(|(&value, _)| value).collect::<Vec<_>>()
    };
    let mut values: Vec<u64> = lines.iter().flat_map(frequent_values).collect();
    values.sort_unstable();
    values.dedup();
    let values = values.split_off(values.len().saturating_sub(MAX_VALUES));
    let mut table = LeaderboardRow::table(lines.iter().map(LeaderboardRow::new));
    if lines.iter().all(|line| line.from_tables.is_none()) {
        table.drop_column("from_tables");
    }
    for (index, value) in values.into_iter().enumerate() {
        let bounds = ["low", "high"].map(|end| &*format!("{value}_{end}").leak());
        let column = Column::from_name(value.to_string(), CellKind::Share)
            .with_parts(Box::leak(Box::new(bounds)))
            .with_decimals(6);
        table.insert(COLUMNS_BEFORE_VALUES + 3 * index, column, lines.iter().map(|line| line.share(value)));
    }
    table
}

/// Formats a published number in short: `reach 2048 80 %: README of …`.
fn format_published(row: &PublishedRow) -> String {
    let ends = [row.published_from, row.published_to];
    let number = match ends {
        [Some(lower), Some(upper)] if is_rate_name(&row.what) => {
            let [low, high] = [lower, upper].map(|part| format_plain(100.0 * part));
            if lower == upper { format!(" {low} %") } else { format!(" {low} to {high} %") }
        }
        [Some(lower), Some(upper)] if lower == upper => format!(" {lower}"),
        [Some(lower), Some(upper)] => format!(" {lower} to {upper}"),
        _ => String::new(),
    };
    let statistic = row.statistic.as_deref().filter(|&statistic| statistic != "mean");
    let statistic = statistic.map_or_else(String::new, |statistic| format!(" ({statistic})"));
    format!("{}{statistic}{number}: {}", row.what, row.source)
}

#[cfg(test)]
mod tests {
    use gauntlet_core::table::TableWidth;
    use gauntlet_games::GAMES;

    use super::*;
    use crate::results::tables::schemas;

    #[test]
    fn those_of_the_front_come_first_each_with_its_price() {
        let table = |name: &str, csv: &str| {
            let schema = schemas(&GAMES).into_iter().find(|schema| schema.name == name).expect("a table");
            Table::from_csv(&schema, csv.as_bytes()).expect("a table")
        };
        let rates = "player,games,mean_score,mean_score_low,mean_score_high\n\
                     slow,100,900,800,1000\nbad,100,1000,900,1100\ngood one,100,5000,4000,6000\nfast,100,90,80,100\nbroken,0,,,\n";
        let times = "player,cpu_ms_per_move,cpu_ms_per_move_low,cpu_ms_per_move_high\n\
                     slow,2,1.9,2.1\nbad,1.5,1.4,1.6\ngood one,1,0.9,1.1\nfast,0.001,0.0009,0.0011\n";
        let tiles = "player,tile,reached,reach_rate,reach_rate_low,reach_rate_high\n\
                     slow,64,100,1,0.96,1\nslow,128,4,0.04,0.01,0.1\n\
                     good one,128,100,1,0.96,1\ngood one,256,50,0.5,0.4,0.6\ngood one,512,4,0.04,0.01,0.1\n";
        let published = "player,what,statistic,published_from,published_to,source\n\
                    good one,reach 512,,0.333,0.333,an article\n\
                    good one,reach 512,,0.333,0.7,another\n\
                    good one,score,mean,4000,5000,a README\ngood one,score,typical,4000,4000,a page\n";
        let statuses = [
            ("slow", FrontStatus::Off),
            ("bad", FrontStatus::Open),
            ("good one", FrontStatus::On),
            ("fast", FrontStatus::On),
        ];
        let sources = Sources {
            rates: &table("win-rate", rates),
            front_statuses: &statuses.map(|(name, status)| (name.to_owned(), status)).into(),
            times: &table("ms-per-move", times),
            fact_table: Some(&table("max-tile", tiles)),
            published: Some(&table("published", published)),
            command: &|player| format!("play {player}"),
        };
        let board = super::table(&sources);
        let names: Vec<&str> = board.rows().map(|row| row.words("player")).collect();
        assert_eq!(names, ["good one", "fast", "bad", "slow", "broken"]);
        let first = board.rows().next().expect("a row");
        assert_eq!(first.words("command"), "play good one");
        let expected = "reach 512 33.3 %: an article; reach 512 33.3 to 70 %: another; \
                        score 4000 to 5000: a README; score (typical) 4000: a page";
        assert_eq!(first.words("published"), expected);
        let front_words: Vec<&str> = board.rows().map(|row| row.words("front")).collect();
        assert_eq!(front_words, ["on", "on", "open", "off", ""]);
        // The order of the rows is not shown by a hidden column.
        let text = board.to_text(Some(TableWidth { width: 80, full_table_hint: "" }));
        assert!(text.lines().next().is_some_and(|header| header.contains("front")), "{text}");
        // 512 was seldom reached, so it has no column. A value that all or no games reached has no
        // row, but a share.
        let share = |player: usize, value: &str| {
            let row = board.rows().nth(player).expect("a row");
            let share = row.estimate(value).expect("a share");
            (share.value, share.low > 0.0, share.high < 1.0)
        };
        assert!(!board.columns.iter().any(|column| column.name == "512"));
        assert_eq!(share(0, "64"), (1.0, true, false));
        assert_eq!(share(0, "256"), (0.5, true, true));
        assert_eq!(share(3, "256"), (0.0, false, true));
    }
}
