//! The place of new players among those of other results: their ranks, the front, and the
//! comparisons that decide it.

use std::collections::BTreeSet;

use gauntlet_core::game::Shape;
use gauntlet_core::measure::Measure;
use gauntlet_core::table::{Table, TypedRow, table};
use gauntlet_core::text::display_path;
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::Estimate;

use super::contestants::{Contestant, read_contestants, sort_by_strength};
use super::front::fronts_with_times;
use super::order;
use super::pairwise::{PairwiseQuestion, compare, leader_measures, strength_measure};
use super::rank::Leaderboard;
use crate::compare::comparison::Comparison;
use crate::compare::front::FrontStatus;
use crate::compare::time::{ms_on_machine, ms_per_move};
use crate::results::store::read::Results;

table! {
    /// A row around the place of new players.
    struct PlaceRow("place", Some(LEVEL)) of it: &Line<'_> {
        rank_best: u64, count().start_of("rank") = it.ranks[0];
        rank_worst: u64, count().end_of("rank") = it.ranks[1];
        player: String, words() = &*it.contestant.label;
        cpu_ms_per_move: Option<Estimate>, millis().with_units().with_decimals(6) = it.ms;
        front: String, words() = it.front.map_or("", FrontStatus::word);
        games: u64, count() = it.contestant.games;
    }
}

struct Line<'a> {
    ranks: [u64; 2],
    contestant: &'a Contestant,
    strength: Option<Estimate>,
    ms: Option<Estimate>,
    front: Option<FrontStatus>,
}

/// The place of new players.
#[derive(Debug)]
pub struct Place {
    /// All players that took part.
    pub contestants: Vec<Contestant>,
    /// New players, those on the front, and those that decide the place.
    pub table: Table,
    /// Pairs of a rival and a new player.
    pub pairs: Vec<(usize, usize)>,
    pub question: PairwiseQuestion,
    /// Comparisons of the pairs by each measure.
    pub comparisons: Vec<Comparison>,
    pub notes: Vec<String>,
}

impl Place {
    /// Finds the place of the players of the first results among those of the others. Times of
    /// other machines are converted to the machine of the first results.
    pub fn find(results: &[Results]) -> anyhow::Result<Place> {
        debug_assert!(results.iter().all(|results| results.experiment.arena().shape == Shape::Solo));
        let measures = leader_measures(results);
        let contestants = read_contestants(results, measures)?;
        let measure = strength_measure(&contestants);
        let fronts = fronts_with_times(results, read_contestants(results, measures)?, measure, true);
        let (order, strengths) = sort_by_strength(&contestants, measure, LEVEL);
        let leaderboard = Leaderboard::new(results, &contestants, measure, LEVEL);
        let loop_ns = results[0].calibration_ns();
        let line = |(&index, row): (&usize, [u64; 2])| {
            let contestant = &contestants[index];
            let clock = contestant.times.as_ref();
            let ms = match contestant.results_index {
                0 => clock.and_then(|clock| ms_per_move(clock, LEVEL)),
                _ => clock.zip(loop_ns).and_then(|(clock, loop_ns)| ms_on_machine(clock, loop_ns, LEVEL)),
            };
            let front = fronts[contestant.results_index].get(&contestant.name).copied();
            Line { ranks: row, contestant, strength: strengths[index], ms, front }
        };
        let lines: Vec<Line> = order.iter().zip(leaderboard.rank_ranges()).map(line).collect();
        let new_lines = || (0..lines.len()).filter(|&line| lines[line].contestant.results_index == 0);
        let decisions: Vec<(usize, usize)> = new_lines()
            .flat_map(|new| deciding_rivals(&lines, new).into_iter().map(move |rival| (rival, new)))
            .collect();
        let is_shown = |line: &usize| {
            lines[*line].front == Some(FrontStatus::On)
                || decisions.iter().any(|(rival, new)| rival == line || new == line)
        };
        let shown: Vec<usize> = (0..lines.len()).filter(is_shown).collect();
        let mut table = PlaceRow::table(shown.iter().map(|&line| PlaceRow::new(&lines[line])));
        let values = shown.iter().map(|&line| lines[line].strength);
        table.insert(table.column_index("cpu_ms_per_move"), order::value_column(measure), values);
        let pairs = decisions.iter().map(|&(rival, new)| (order[rival], order[new])).collect::<Vec<_>>();
        let question =
            PairwiseQuestion { measures: vec![measure, Measure::MsPerMove], ..PairwiseQuestion::default() };
        let comparisons = compare(&contestants, &pairs, &question);
        let folders: Vec<_> =
            results[1..].iter().map(|results| display_path(&results.folder).to_string()).collect();
        let notes = vec![
            format!(
                "{} of {} players are shown: yours, those on the front, and those that decide your place.",
                shown.len(),
                lines.len()
            ),
            format!(
                "Times from {} are converted to this machine by the calibration loop.",
                folders.join(", ")
            ),
        ];
        Ok(Place { table, pairs, question, comparisons, notes, contestants })
    }
}

/// Returns the rivals that decide the place of a player: its neighbours in strength, the strongest
/// that is not slower, and the fastest that is not weaker. Lines are sorted by strength.
fn deciding_rivals(lines: &[Line], new: usize) -> BTreeSet<usize> {
    let ms = |line: usize| lines[line].ms.map_or(f64::INFINITY, |ms| ms.value);
    let is_rival = |line: &usize| lines[*line].contestant.results_index != 0;
    let stronger = || (0..new).filter(is_rival);
    let strongest_in_time = (0..lines.len()).filter(is_rival).find(|&line| ms(line) <= ms(new));
    let fastest = stronger().min_by(|&one, &other| ms(one).total_cmp(&ms(other)));
    let neighbours = [stronger().next_back(), (new + 1..lines.len()).find(is_rival)];
    neighbours.into_iter().chain([strongest_in_time, fastest]).flatten().collect()
}
