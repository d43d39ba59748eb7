//! The place of new players among those of other results: their ranks, the front, and the
//! comparisons that decide it.

use gauntlet_core::measure::Measure;
use gauntlet_core::table::{Table, TypedRow, table};
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::Estimate;

use super::contestants::{Contestant, read_contestants, sort_by_strength};
use super::front::fronts;
use super::pairwise::{PairwiseQuestion, compare_among, leader_measures, strength_measure};
use super::rank::Leaderboard;
use super::warnings::{describe_other_rules, explain_refusal};
use crate::compare::comparison::Comparison;
use crate::compare::front::FrontStatus;
use crate::compare::time::{TimeUnit, log_ratio, ms_per_move};
use crate::results::store::read::Results;

table! {
    /// A row of the table of places, which fits a terminal of 80 columns.
    struct PlaceRow("place", None) of it: &Line {
        rank_best: u64, count().start_of("rank") = it.ranks[0];
        rank_worst: u64, count().end_of("rank") = it.ranks[1];
        player: String, words() = &*it.name;
        win_rate: Option<f64>, share().with_decimals(6) = it.strength.filter(|_| it.measure == Measure::Win);
        mean_score: Option<f64>, number().with_decimals(0) = it.strength.filter(|_| it.measure == Measure::Score);
        cpu_ms_per_move: Option<f64>, millis().with_units().with_decimals(6) = it.ms;
        front: String, words() = it.front.map_or("", FrontStatus::word);
        why: String, words() = it.why;
    }
}

struct Line {
    ranks: [u64; 2],
    name: String,
    measure: Measure,
    strength: Option<f64>,
    ms: Option<f64>,
    front: Option<FrontStatus>,
    /// Why the row is shown.
    why: &'static str,
}

/// The place of new players.
#[derive(Debug)]
pub struct Place {
    /// All players.
    pub contestants: Vec<Contestant>,
    /// Number of rows of the table, out of all players.
    pub shown_count: usize,
    /// New players, those on the front, and those that decide the place.
    pub table: Table,
    /// Comparisons with new players by strength and by time, where there are some.
    pub comparisons: Vec<PlaceComparisons>,
    pub notes: Vec<String>,
}

/// Comparisons by one measure.
#[derive(Debug)]
pub struct PlaceComparisons {
    /// Pairs of a rival and a new player.
    pub pairs: Vec<(usize, usize)>,
    pub question: PairwiseQuestion,
    pub comparisons: Vec<Comparison>,
}

impl Place {
    /// Finds the place of the players of the first results among those of the others. All are of
    /// one solo game. Times of other machines are converted to the machine of the first results.
    pub fn find(results: &[Results]) -> anyhow::Result<Place> {
        let measures = leader_measures(results);
        let contestants = read_contestants(results, measures)?;
        // A win may mean another tile in each of the results.
        let measure = match describe_other_rules(results) {
            Some(_) => Measure::Score,
            None => strength_measure(&contestants),
        };
        let fronts = fronts(results, read_contestants(results, measures)?, measure);
        let times = times_on_first_machine(results, &contestants)?;
        let (order, strengths) = sort_by_strength(&contestants, measure, LEVEL);
        let ranked: Vec<RankedPlayer> = order
            .iter()
            .map(|&index| RankedPlayer {
                is_new: contestants[index].results_index == 0,
                ms: times[index].map(|ms| ms.value),
            })
            .collect();
        let rivals: Vec<Rival> = (0..ranked.len())
            .filter(|&position| ranked[position].is_new)
            .flat_map(|new| deciding_rivals(&ranked, new))
            .collect();
        let leaderboard = Leaderboard::new(results, &contestants, measure, LEVEL);
        let line = |(position, ranks): (usize, [u64; 2])| {
            let contestant = &contestants[order[position]];
            let front = fronts[contestant.results_index].get(&contestant.name).copied();
            let rival = rivals.iter().find(|rival| rival.position == position);
            let why = match rival {
                _ if ranked[position].is_new => "yours",
                Some(rival) => rival.why,
                None if front == Some(FrontStatus::On) => "on the front",
                None => return None,
            };
            Some(Line {
                ranks,
                name: contestant.label.clone(),
                measure,
                strength: strengths[order[position]].map(|strength| strength.value),
                ms: times[order[position]].map(|ms| ms.value),
                front,
                why,
            })
        };
        let lines: Vec<Line> = leaderboard.rank_ranges().enumerate().filter_map(line).collect();
        let mut table = PlaceRow::table(lines.iter().map(PlaceRow::new));
        table.drop_column(if measure == Measure::Win { "mean_score" } else { "win_rate" });
        let pairs: Vec<(usize, usize)> =
            rivals.iter().map(|rival| (order[rival.position], order[rival.new])).collect();
        let (comparisons, notes) = compare_pairs(results, &contestants, &pairs, measure);
        Ok(Place { shown_count: lines.len(), table, comparisons, notes, contestants })
    }
}

/// Compares pairs by strength, and by time if that is possible. All pairs of a new player and
/// another one could have been chosen, so the correction covers all. Also returns notes.
fn compare_pairs(
    results: &[Results],
    contestants: &[Contestant],
    pairs: &[(usize, usize)],
    strength: Measure,
) -> (Vec<PlaceComparisons>, Vec<String>) {
    let is_new = |index: &usize| contestants[*index].results_index == 0;
    let all_pairs: Vec<(usize, usize)> = (0..contestants.len())
        .filter(|rival| !is_new(rival))
        .flat_map(|rival| (0..contestants.len()).filter(is_new).map(move |new| (rival, new)))
        .collect();
    let has_times = |&(one, other): &(usize, usize)| {
        let clocks = contestants[one].times.as_ref().zip(contestants[other].times.as_ref());
        clocks.is_some_and(|(one, other)| log_ratio(one, other, false).is_ok())
    };
    let timed_pairs: Vec<(usize, usize)> = pairs.iter().copied().filter(has_times).collect();
    let mut notes = Vec::new();
    let mut comparisons = Vec::new();
    let mut add = |measure: Measure, pairs: Vec<(usize, usize)>| {
        let question = PairwiseQuestion { measures: vec![measure], ..PairwiseQuestion::default() };
        let found = compare_among(contestants, &pairs, &all_pairs, &question);
        comparisons.push(PlaceComparisons { pairs, question, comparisons: found });
    };
    if !pairs.is_empty() {
        add(strength, pairs.to_vec());
    }
    let refusal = explain_refusal(results, &[Measure::MsPerMove]).or_else(|| {
        let reason = "too few are known, or they come from different clocks";
        timed_pairs.is_empty().then(|| reason.to_owned())
    });
    match refusal {
        Some(reason) => {
            notes.push(format!("Times are not tested, so players are open where speed decides: {reason}."));
        }
        None => add(Measure::MsPerMove, timed_pairs),
    }
    (comparisons, notes)
}

/// Returns the times of all players on the machine of the first results.
fn times_on_first_machine(
    results: &[Results],
    contestants: &[Contestant],
) -> anyhow::Result<Vec<Option<Estimate>>> {
    let loop_ns = results[0].calibration_ns()?;
    let processor = Some(&*results[0].manifest().cpu);
    let unit = loop_ns.map(|loop_ns| TimeUnit { loop_ns, processor });
    let time = |one: &Contestant| {
        let clock = one.times.as_ref()?;
        match one.results_index {
            0 => ms_per_move(clock, LEVEL),
            index => unit?.convert(clock, &results[index].manifest().cpu, LEVEL),
        }
    };
    Ok(contestants.iter().map(time).collect())
}

/// A player in order of strength.
struct RankedPlayer {
    is_new: bool,
    ms: Option<f64>,
}

/// A rival that decides the place of a new player. Positions are those in order of strength.
#[derive(Debug, PartialEq, Eq)]
struct Rival {
    position: usize,
    new: usize,
    why: &'static str,
}

/// Returns the rivals that decide the place of a player: its neighbours in strength, the strongest
/// that is not slower, and the fastest that is stronger. Players are in order of strength.
fn deciding_rivals(players: &[RankedPlayer], new: usize) -> Vec<Rival> {
    let ms = |position: usize| players[position].ms.unwrap_or(f64::INFINITY);
    let is_rival = |position: &usize| !players[*position].is_new;
    let stronger = || (0..new).filter(is_rival);
    let candidates = [
        (stronger().next_back(), "next stronger"),
        ((new + 1..players.len()).find(is_rival), "next weaker"),
        (
            (0..players.len()).filter(is_rival).find(|&position| ms(position) <= ms(new)),
            "strongest in your time",
        ),
        (stronger().min_by(|&one, &other| ms(one).total_cmp(&ms(other))), "fastest that is stronger"),
    ];
    let mut rivals: Vec<Rival> = Vec::new();
    for (position, why) in candidates {
        let Some(position) = position else { continue };
        match rivals.iter_mut().find(|rival| rival.position == position) {
            Some(rival) if why != "next weaker" => rival.why = why,
            Some(_) => {}
            None => rivals.push(Rival { position, new, why }),
        }
    }
    rivals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rivals_are_those_that_decide() {
        let player = |is_new, ms| RankedPlayer { is_new, ms };
        let players = [
            player(false, Some(9.0)),
            player(false, Some(1.0)),
            player(true, Some(2.0)),
            player(false, Some(5.0)),
            player(true, Some(4.0)),
            player(false, None),
        ];
        let found = |new| -> Vec<(usize, &str)> {
            deciding_rivals(&players, new).iter().map(|rival| (rival.position, rival.why)).collect()
        };
        assert_eq!(found(2), [(1, "fastest that is stronger"), (3, "next weaker")]);
        assert_eq!(found(4), [(3, "next stronger"), (5, "next weaker"), (1, "fastest that is stronger")]);
        // The strongest of all has only a weaker neighbour, and one that is as fast.
        let players = [player(true, Some(3.0)), player(false, Some(4.0)), player(false, Some(2.0))];
        let rivals = deciding_rivals(&players, 0);
        assert_eq!(rivals[0], Rival { position: 1, new: 0, why: "next weaker" });
        assert_eq!(rivals[1], Rival { position: 2, new: 0, why: "strongest in your time" });
        assert_eq!(rivals.len(), 2);
    }
}
