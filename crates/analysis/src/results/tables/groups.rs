//! `groups`: players with the same `group`, such as networks of one training with several seeds. It
//! has no file: it is made from `win-rate` on request.

use gauntlet_core::table::{Table, TableEstimate, TypedRow, table};
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::{Estimate, student_mean_of};

use super::rates::WinRateRow;

/// Name of the table of groups.
pub const GROUPS: &str = "groups";

table! {
    /// The players of a group, each of which counts once.
    pub struct GroupRow(GROUPS, Some(LEVEL)) of (name, players): (&str, &[WinRateRow]) {
        /// Name of the group.
        group: String, words() = name;
        /// Number of players in the group.
        players: u64, count() = players.len() as u64;
        /// Number of games of all its players.
        games: u64, count() = players.iter().map(|one| one.games).sum::<u64>();
        /// Mean of the win rates of its players, with Student's 95 % interval over players.
        win_rate: TableEstimate, share().with_decimals(6) = mean(players, |one| &one.win_rate).map(within_shares);
        /// Mean of the mean scores of its players, with Student's 95 % interval over players.
        mean_score: TableEstimate, number().with_decimals(2) = mean(players, |one| &one.mean_score);
    }
}

/// Returns the mean over players. Each player with games counts once.
/// Equal numbers show as little about their spread as a single one, so they have no bounds.
fn mean(players: &[WinRateRow], number: fn(&WinRateRow) -> &TableEstimate) -> Option<Estimate> {
    let numbers = players.iter().filter_map(|one| Some(number(one).estimate?.value));
    let mut numbers: Vec<f64> = numbers.collect();
    if numbers.iter().all(|number| *number == numbers[0]) {
        numbers.truncate(1);
    }
    student_mean_of(&numbers, LEVEL)
}

/// Limits finite bounds to the range of a share.
fn within_shares(share: Estimate) -> Estimate {
    if share.is_unbounded() {
        return share;
    }
    Estimate { low: share.low.max(0.0), high: share.high.min(1.0), ..share }
}

/// Makes the table from the table of win rates. `group_of` returns the group of a player, if it has
/// one. Groups are in the order of their first players; `None` without groups.
pub(in crate::results) fn table<'a>(
    rates: &Table,
    group_of: impl Fn(&str) -> Option<&'a str>,
) -> Option<Table> {
    let mut groups: Vec<(&str, Vec<WinRateRow>)> = Vec::new();
    for row in rates.read_rows::<WinRateRow>() {
        let Some(name) = group_of(&row.player) else { continue };
        match groups.iter_mut().find(|(other, _)| *other == name) {
            Some((_, players)) => players.push(row),
            None => groups.push((name, vec![row])),
        }
    }
    let rows = groups.iter().map(|(name, players)| GroupRow::new((name, &**players)));
    (!groups.is_empty()).then(|| GroupRow::table(rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The textbook's interval of three numbers: 4.3027 standard errors.
    #[test]
    fn the_interval_is_over_players() {
        let csv = "player,games,win_rate,mean_score\na 1,10,0.5,100\nb,10,0.9,900\na 2,1000,0.4,130\na 3,10,0.6,160\nc,10,1,7\n";
        let rates = Table::from_csv(&WinRateRow::schema(), csv.as_bytes()).expect("a table");
        let group_of = |player: &str| match &player[..1] {
            "a" => Some("several"),
            "b" => Some("single"),
            _ => None,
        };
        let rows: Vec<GroupRow> = table(&rates, group_of).expect("groups").read_rows().collect();
        let [several, single] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((&*several.group, several.players, several.games), ("several", 3, 1020));
        let score = several.mean_score.estimate.expect("a mean");
        assert_eq!((score.value, score.low, score.high), (130.0, 55.48, 204.52));
        let rate = several.win_rate.estimate.expect("a mean");
        assert_eq!((rate.value, rate.low, rate.high), (0.5, 0.251_586, 0.748_414));
        assert_eq!((&*single.group, single.players), ("single", 1));
        assert!(single.mean_score.estimate.expect("a mean").is_unbounded());
        assert!(table(&rates, |_| None).is_none());
    }

    #[test]
    fn equal_numbers_have_no_bounds() {
        let csv = "player,games,win_rate,mean_score\na,10,0,100.1\nb,10,0,100.1\nc,10,0,100.2\n";
        let rates = Table::from_csv(&WinRateRow::schema(), csv.as_bytes()).expect("a table");
        let rows: Vec<GroupRow> = table(&rates, |_| Some("all")).expect("groups").read_rows().collect();
        let [rate, score] = [&rows[0].win_rate, &rows[0].mean_score].map(|it| it.estimate.expect("a mean"));
        assert!(rate.value == 0.0 && rate.is_unbounded(), "{rate:?}");
        assert!(!score.is_unbounded(), "{score:?}");
    }
}
