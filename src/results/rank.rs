//! The leaderboard: players in the order of one measure, each with the ranks that their games leave open.

use super::contestants::{Asked, Choice, Contestant, compare, pairs, value};
use super::read::Results;
use crate::compare::question::Shown;
use crate::measure::Measure;
use crate::table::{Cell, Table};

/// The leaderboard: players in the order of one measure, each with the ranks that the games leave open. Whoever is
/// shown to be better, at this level for all pairs together, stands before; all others may.
pub fn rank(
    results: &[Results],
    contestants: &[Contestant],
    by: Measure,
    level: f64,
) -> anyhow::Result<Table> {
    let (name, decimals) = match by {
        Measure::Win => ("win_rate", 6),
        Measure::Reach(_) => ("reach_rate", 6),
        Measure::Score => ("mean_score", 2),
        Measure::MsPerMove | Measure::MsPerGame => ("cpu_ms_per_move", 6),
    };
    let pairs = pairs(contestants, &Choice::AllPairs).map_err(anyhow::Error::msg)?;
    let asked = Asked { by: vec![by], level, ..Asked::default() };
    let mut better = vec![0_u64; contestants.len()];
    let mut worse = better.clone();
    for (&(one, other), (comparison, _)) in pairs.iter().zip(compare(results, contestants, &pairs, &asked)) {
        let (winner, loser) = match comparison.shown() {
            Shown::Yes => (one, other),
            Shown::Opposite => (other, one),
            Shown::Nothing => continue,
        };
        better[winner] += 1;
        worse[loser] += 1;
    }
    let values: Vec<_> = contestants.iter().map(|one| value(one, by, level)).collect();
    let mut order: Vec<usize> = (0..contestants.len()).collect();
    // The least time is the best; whoever has no number comes last.
    let sign = if by.is_time() { 1.0 } else { -1.0 };
    let key = |place: usize| values[place].map_or(f64::INFINITY, |estimate| sign * estimate.value);
    order.sort_by(|&one, &other| key(one).total_cmp(&key(other)));
    let low = format!("{name}_low");
    let high = format!("{name}_high");
    let columns = [
        "player",
        "results",
        "rank",
        "rank_best",
        "rank_worst",
        "games",
        name,
        &low,
        &high,
        "level",
        "better_than",
        "worse_than",
    ];
    let row = |(rank, &place): (usize, &usize)| {
        let one = &contestants[place];
        let estimate = values[place];
        let (best, worst) = (worse[place] + 1, contestants.len() as u64 - better[place]);
        vec![
            Cell::Text(one.label.clone()),
            Cell::Text(results[one.results].folder.display().to_string()),
            // What is tested may order two otherwise than their means do.
            Cell::Whole((rank as u64 + 1).clamp(best, worst)),
            Cell::Whole(best),
            Cell::Whole(worst),
            Cell::Whole(one.sample.games()),
            Cell::real(estimate.map(|estimate| estimate.value), decimals),
            Cell::real(estimate.map(|estimate| estimate.low), decimals),
            Cell::real(estimate.map(|estimate| estimate.high), decimals),
            Cell::as_printed(level),
            Cell::Whole(better[place]),
            Cell::Whole(worse[place]),
        ]
    };
    Ok(Table::new("rank", &columns, order.iter().enumerate().map(row).collect()))
}
