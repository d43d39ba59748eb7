//! Crosstable: the results of all players against each other, with a row and a column for each
//! player, the strongest first.

use std::collections::BTreeMap;

use gauntlet_core::table::{ColumnContent, Table, TextTable};

use super::duels::{DuelRow, ELO, EloRow};

/// Result of two players' games, from the view of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairScore {
    pub results: [u64; 3],
    /// Share of the points as text, with its interval.
    pub points: String,
}

impl PairScore {
    /// Formats the results, as `12-0-3`.
    pub fn text(&self) -> String {
        self.results.map(|games| games.to_string()).join("-")
    }
}

/// A crosstable.
#[derive(Clone, Debug)]
pub struct Crosstable {
    /// Players, the strongest first.
    pub players: Vec<String>,
    /// Result of each player against each; `None` against itself, and for players that did not
    /// meet.
    pub scores: Vec<Vec<Option<PairScore>>>,
}

impl Crosstable {
    /// Makes the crosstable from the tables of pairings and ratings. `None` if fewer than three
    /// players met: for two, one line suffices.
    pub fn new(duels: &Table, elo: &Table) -> Option<Crosstable> {
        let mut scores_by_pair: BTreeMap<(String, String), PairScore> = BTreeMap::new();
        for row in duels.read_rows::<DuelRow>() {
            let (Some(wins), Some(draws), Some(losses)) = (row.wins, row.draws, row.losses) else { continue };
            let own =
                PairScore { results: [wins, draws, losses], points: row.points_rate.text.with_bounds() };
            let other = PairScore { results: [losses, draws, wins], points: String::new() };
            scores_by_pair.insert((row.against.clone(), row.player.clone()), other);
            scores_by_pair.insert((row.player, row.against), own);
        }
        let players: Vec<String> = sort_by_rating(elo).read_rows::<EloRow>().map(|row| row.player).collect();
        let scores = players.iter().map(|player| {
            players
                .iter()
                .map(|rival| scores_by_pair.get(&(player.clone(), rival.clone())).cloned())
                .collect()
        });
        let scores = scores.collect();
        (players.len() > 2 && !scores_by_pair.is_empty()).then_some(Crosstable { players, scores })
    }

    /// Formats the crosstable for a terminal; the head of a column is the rank of its player.
    pub fn to_sheet(&self) -> TextTable {
        let ranks = 1..=self.players.len();
        let mut columns =
            vec![(String::new(), ColumnContent::Numbers), ("player".to_owned(), ColumnContent::Names)];
        columns.extend(ranks.clone().map(|rank| (format!("against {rank}"), ColumnContent::Numbers)));
        let last = columns.last().map(|(title, _)| title.clone()).unwrap_or_default();
        let rows = ranks.zip(self.players.iter().zip(&self.scores)).map(|(rank, (player, scores))| {
            let score = |(rival, score): (usize, &Option<PairScore>)| match score {
                Some(score) => score.text(),
                None if rival + 1 == rank => "·".to_owned(),
                None => String::new(),
            };
            [rank.to_string(), player.clone()]
                .into_iter()
                .chain(scores.iter().enumerate().map(score))
                .collect()
        });
        TextTable::new(columns, rows.collect()).with_needed(&last)
    }
}

/// Sorts a table of ratings, the strongest player first and players without a rating last. Returns
/// any other table unchanged.
pub fn sort_by_rating(table: &Table) -> Table {
    let mut table = table.clone();
    if table.name == ELO {
        let rating = |row: &EloRow| row.elo.estimate.map_or(f64::NEG_INFINITY, |elo| elo.value);
        let mut rows: Vec<_> =
            table.read_rows::<EloRow>().map(|row| rating(&row)).zip(table.rows.clone()).collect();
        rows.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        table.rows = rows.into_iter().map(|(_, cells)| cells).collect();
    }
    table
}

#[cfg(test)]
mod tests {
    use gauntlet_games::GAMES;

    use super::*;
    use crate::results::tables::schemas;

    fn parse_table(name: &str, csv: &str) -> Table {
        let schema = schemas(&GAMES).into_iter().find(|schema| schema.name == name).expect("a table");
        Table::from_csv(&schema, csv.as_bytes()).expect("a table")
    }

    #[test]
    fn everyone_meets_everyone_the_best_rated_first() {
        let elo = parse_table("elo", "player,elo\nc,-50.0\na,80.5\nunknown,\nb,3.0\n");
        let csv = "player,against,wins,draws,losses,points_rate\nc,a,1,2,9,0.166667\nb,a,5,0,7,0.416667\nb,c,12,0,0,1\n";
        let crosstable = Crosstable::new(&parse_table("duels", csv), &elo).expect("four players");
        assert_eq!(
            crosstable.to_sheet().to_text(None),
            "   player   against 1  against 2  against 3  against 4\n\
             1  a                ·      7-0-5      9-2-1\n\
             2  b            5-0-7          ·     12-0-0\n\
             3  c            1-2-9     0-0-12          ·\n\
             4  unknown                                           ·\n"
        );
        let two = parse_table("elo", "player,elo\na,1.0\nb,2.0\n");
        assert!(Crosstable::new(&parse_table("duels", csv), &two).is_none());
        let other = parse_table("win-rate", "player,games\nb,1\na,2\n");
        assert_eq!(sort_by_rating(&other).to_csv(), other.to_csv());
    }

    #[test]
    fn wins_draws_and_losses_stand_in_one_column() {
        let csv = "player,against,wins,draws,losses,points_rate\nc,a,1,2,9,0.166667\n";
        let text = parse_table("duels", csv).to_text(None);
        assert!(text.starts_with("player  against  won-drawn-lost  points rate % "), "{text}");
        assert!(text.contains("  1-2-9  "), "{text}");
    }
}
