//! Compares pairs of players.

use gauntlet_core::game::Shape;
use gauntlet_core::measure::Measure;
use gauntlet_core::table::{Column, Table};
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::Estimate;
use rayon::prelude::*;

use super::contestants::{Contestant, all_pairs, measured_value, sort_by_strength};
use super::order::choose_measure;
use crate::answer::format_hundredths;
use crate::compare::comparison::{self, Comparison, TestResult, correct};
use crate::compare::question::{ComparisonQuestion, Conclusion, RelevantDifference};
use crate::compare::table;
use crate::config::claim::Claim;
use crate::results::store::read::Results;

/// Question about pairs of players, for some measures.
#[derive(Clone, Debug)]
pub struct PairwiseQuestion {
    /// Measures by which they are compared.
    pub measures: Vec<Measure>,
    /// Confidence level at which all answers hold together.
    pub level: f64,
    /// Smallest differences that are relevant.
    pub relevant_difference: RelevantDifference,
}

impl Default for PairwiseQuestion {
    fn default() -> PairwiseQuestion {
        PairwiseQuestion {
            measures: vec![Measure::Win],
            level: LEVEL,
            relevant_difference: RelevantDifference::default(),
        }
    }
}

/// Returns the measures by which these results may have a leader ([`compare_leader`]).
pub fn leader_measures(results: &[Results]) -> &'static [Measure] {
    let is_duel = |results: &Results| results.experiment.arena().shape == Shape::Duel;
    if results.iter().any(is_duel) { &[Measure::Points] } else { &[Measure::Win, Measure::Score] }
}

/// Pairs all players with the strongest one, by the first of these measures that separates players.
pub fn pair_with_strongest(contestants: &[Contestant], measures: &[Measure]) -> Vec<(usize, usize)> {
    let measure = match measures {
        [Measure::Win, Measure::Score, ..] => solo_measure(contestants),
        _ => measures.first().copied().unwrap_or(Measure::Win),
    };
    match sort_by_strength(contestants, measure, LEVEL).0[..] {
        [strongest, ref others @ ..] => others.iter().map(|&other| (other, strongest)).collect(),
        [] => Vec::new(),
    }
}

/// Pairs the leader with each other player, the strongest first. Also returns the measure of all
/// these comparisons: wins, unless the first two won equally often. `None` if there is no other
/// player. The contestants are those for [`leader_measures`].
fn pair_with_leader(contestants: &[Contestant]) -> Option<(Measure, Vec<(usize, usize)>)> {
    let measure = strength_measure(contestants);
    let (order, values) = sort_by_strength(contestants, measure, LEVEL);
    // If some players never met, none has a rating, and none leads.
    if measure == Measure::Points && values.iter().all(Option::is_none) {
        return None;
    }
    let (&leader, others) = order.split_first()?;
    let comparison_measure =
        separating_measure(&contestants[leader], &contestants[*others.first()?], measure);
    Some((comparison_measure, others.iter().map(|&other| (leader, other)).collect()))
}

/// Returns the measure of strength of these players.
pub fn strength_measure(contestants: &[Contestant]) -> Measure {
    let is_duel = contestants.iter().any(|one| one.duels.is_some());
    if is_duel { Measure::Points } else { solo_measure(contestants) }
}

/// Returns the measure that orders players of a solo game: wins, unless all win rates are 0 or 1.
fn solo_measure(contestants: &[Contestant]) -> Measure {
    choose_measure(&contestants.iter().filter_map(win_rate).collect::<Vec<_>>())
}

/// Returns the measure that separates two players: scores if they won equally often.
fn separating_measure(one: &Contestant, other: &Contestant, measure: Measure) -> Measure {
    let separates =
        measure != Measure::Win || win_rate(one) != win_rate(other) || one.mean_score == other.mean_score;
    if separates { measure } else { Measure::Score }
}

fn win_rate(one: &Contestant) -> Option<f64> {
    measured_value(one, Measure::Win, LEVEL).map(|rate| rate.value)
}

/// Compares some pairs, corrected for their number.
pub fn compare(
    contestants: &[Contestant],
    pairs: &[(usize, usize)],
    question: &PairwiseQuestion,
) -> Vec<Comparison> {
    compare_corrected(contestants, pairs, question, &[])
}

/// Compares all players with one that was selected by the same games. The correction covers all
/// pairs of players, because any of them could have been selected.
pub fn compare_with_selected(
    contestants: &[Contestant],
    pairs: &[(usize, usize)],
    question: &PairwiseQuestion,
) -> Vec<Comparison> {
    let Some(&(_, selected)) = pairs.first() else { return Vec::new() };
    let others = |&measure: &Measure| p_of_others(contestants, selected, measure, question.level);
    compare_corrected(
        contestants,
        pairs,
        question,
        &question.measures.iter().flat_map(others).collect::<Vec<_>>(),
    )
}

/// Compares pairs that were selected by the same games from some candidates. The correction covers
/// all candidates.
pub(super) fn compare_among(
    contestants: &[Contestant],
    pairs: &[(usize, usize)],
    candidates: &[(usize, usize)],
    question: &PairwiseQuestion,
) -> Vec<Comparison> {
    let others = candidates.iter().filter(|pair| !pairs.contains(pair));
    let p = |measure: Measure| {
        let question = make_question(measure, question.level);
        others.clone().filter_map(move |&pair| test_pair(contestants, pair, question).p)
    };
    let p: Vec<f64> = question.measures.iter().flat_map(|&measure| p(measure)).collect();
    compare_corrected(contestants, pairs, question, &p)
}

/// Compares the leader with each other player, the strongest first; empty if there is no other
/// player. The leader is selected by the same games, so the correction covers all pairs of players.
/// The contestants are those for [`leader_measures`].
pub fn compare_leader(contestants: &[Contestant]) -> Vec<Comparison> {
    let Some((measure, pairs)) = pair_with_leader(contestants) else { return Vec::new() };
    let others = p_of_others(contestants, pairs[0].0, measure, LEVEL);
    compare_corrected(
        contestants,
        &pairs,
        &PairwiseQuestion { measures: vec![measure], ..PairwiseQuestion::default() },
        &others,
    )
}

/// Returns true if an announced claim of these results answers this comparison, with its own
/// correction.
pub fn is_claimed(results: &Results, comparison: &Comparison) -> bool {
    let name = |player: usize| &*results.experiment.players()[player].name;
    let has_answers = results.snapshot.partial().is_none_or(|partial| partial.is_whole);
    let is_about = |(claim, description): (&Claim, String)| {
        let pair = [name(claim.player), name(claim.rival)];
        claim.measure == comparison.question.measure
            && claim.margin.is_none()
            && [pair, [pair[1], pair[0]]].contains(&comparison.names(false))
            && !results.run.is_added_claim(&description)
    };
    let claims = &results.experiment.sections().claims;
    has_answers && claims.iter().zip(results.experiment.describe_claims()).any(is_about)
}

/// Compares all pairs of players by the leader's measure, corrected for their number. The
/// contestants are those for [`leader_measures`].
pub fn compare_all(contestants: &[Contestant]) -> Vec<Comparison> {
    let Some((measure, _)) = pair_with_leader(contestants) else { return Vec::new() };
    let pairs: Vec<_> = all_pairs(contestants.len()).collect();
    compare(contestants, &pairs, &PairwiseQuestion { measures: vec![measure], ..PairwiseQuestion::default() })
}

/// Compares some pairs, corrected for their number and that of others with these p.
fn compare_corrected(
    contestants: &[Contestant],
    pairs: &[(usize, usize)],
    question: &PairwiseQuestion,
    others: &[f64],
) -> Vec<Comparison> {
    let compare = |&measure: &Measure| {
        pairs.iter().map(move |&pair| Comparison {
            relevant_difference: question.relevant_difference,
            ..compare_pair(contestants, pair, make_question(measure, question.level))
        })
    };
    let mut comparisons: Vec<Comparison> = question.measures.iter().flat_map(compare).collect();
    correct(&mut comparisons, others);
    comparisons
}

/// Returns the p of all pairs without one player. Only the p is kept: a thousand players have half
/// a million pairs.
fn p_of_others(contestants: &[Contestant], excluded: usize, measure: Measure, level: f64) -> Vec<f64> {
    let p = |(one, other)| {
        if excluded == one || excluded == other {
            return None;
        }
        test_pair(contestants, (one, other), make_question(measure, level)).p
    };
    map_pairs(contestants.len(), &p).flatten().collect()
}

/// Tests all pairs of players and returns, for each player, the results against later ones. The
/// correction covers all pairs together.
pub(super) fn test_all_pairs(
    contestants: &[Contestant],
    measure: Measure,
    level: f64,
) -> impl Iterator<Item = ((usize, usize), Conclusion)> {
    let test = |pair| test_pair(contestants, pair, make_question(measure, level));
    let conclusions = comparison::conclude_all(map_pairs(contestants.len(), &test), level);
    all_pairs(contestants.len()).zip(conclusions)
}

/// Number of players from which on pairs are tested on all cores: that is half a million pairs.
/// Threads take megabytes.
const PARALLEL_FROM: usize = 1000;

/// Computes a value for each pair, in the order of [`all_pairs`]. With many players it uses all
/// cores, for some of the players at a time.
fn map_pairs<'o, T: Send + 'o>(
    players: usize,
    compute: &'o (impl Fn((usize, usize)) -> T + Sync),
) -> Box<dyn Iterator<Item = T> + 'o> {
    const BATCH_SIZE: usize = 64;
    if players < PARALLEL_FROM {
        return Box::new(all_pairs(players).map(compute));
    }
    Box::new((0..players).step_by(BATCH_SIZE).flat_map(move |first| {
        let ones = first..players.min(first + BATCH_SIZE);
        let of_one = |one| (one + 1..players).map(move |other| compute((one, other)));
        ones.into_par_iter().flat_map_iter(of_one).collect::<Vec<T>>()
    }))
}

/// Makes the question which of two players is better. The number of earlier answers is set later.
fn make_question(measure: Measure, level: f64) -> ComparisonQuestion {
    ComparisonQuestion { measure, level, margin: None, is_sequential: false, earlier_answers: 0 }
}

/// Returns true if the results of two players may have ended their run.
fn may_stop(one: &Contestant, other: &Contestant) -> bool {
    // It counts that the run could have ended early, not whether it did.
    one.may_stop && one.results_index == other.results_index
}

/// Compares one pair without correction. If a run may stop early, its test must hold at every look.
fn compare_pair(
    contestants: &[Contestant],
    (one, other): (usize, usize),
    question: ComparisonQuestion,
) -> Comparison {
    let (one, other) = (&contestants[one], &contestants[other]);
    let may_stop = may_stop(one, other);
    let is_sequential = question.measure.has_sequential_test() && may_stop;
    let question =
        ComparisonQuestion { is_sequential, earlier_answers: one.earlier_answers(other), ..question };
    let stop = one.stop.as_ref().filter(|_| may_stop);
    let stop = stop.and_then(|stop| stop.view_for([&one.name, &other.name]));
    Comparison::new(
        &one.as_compared_player(),
        &other.as_compared_player(),
        || one.meeting(other),
        question,
        stop,
    )
}

/// Tests one pair, for many pairs: by the fast method if there is one.
pub(super) fn test_pair(
    contestants: &[Contestant],
    pair: (usize, usize),
    question: ComparisonQuestion,
) -> TestResult {
    let (one, other) = (&contestants[pair.0], &contestants[pair.1]);
    let question = ComparisonQuestion { earlier_answers: one.earlier_answers(other), ..question };
    let fast_result =
        if may_stop(one, other) { None } else { TestResult::new(&one.sample, &other.sample, question) };
    fast_result.unwrap_or_else(|| TestResult::from(&compare_pair(contestants, pair, question)))
}

/// Name of the table of comparisons that were not announced.
pub const COMPARISON: &str = "comparison";

/// Name of the column with the probability that the first player scores more on a seed.
const IMPROVEMENT: &str = "probability_of_improvement";

/// Makes the table of comparisons. Besides the columns of claims it has the probability of
/// improvement, which explanations repeat, if any comparison is by score.
pub fn table(comparisons: &[Comparison]) -> Table {
    let mut table = table::comparison_table(COMPARISON, comparisons);
    let improvements: Vec<Option<Estimate>> =
        comparisons.iter().map(|comparison| Some(table::ranks(comparison)?.improvement)).collect();
    if improvements.iter().all(Option::is_none) {
        return table;
    }
    let explanation = table.column_index("explanation");
    for ((row, comparison), improvement) in table.rows.iter_mut().zip(comparisons).zip(&improvements) {
        if let Some(improvement) = improvement {
            let [player, rival] = comparison.names(false);
            let share = format_hundredths(*improvement, " % of seeds ");
            let sentence = format!("{player} scores more than {rival} on {share}; ties count half.");
            row[explanation] = format!("{} {sentence}", row[explanation].text()).trim_start().into();
        }
    }
    let column = Column::number(IMPROVEMENT)
        .with_parts(&["probability_of_improvement_low", "probability_of_improvement_high"])
        .with_decimals(6);
    table.insert(table.column_index("earlier_answers"), column, improvements);
    table
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;

    use super::super::contestants::tests::contestant_of_games;
    use super::*;

    /// Makes a player that wins by coin tosses.
    fn coin_flipper(name: String, seed: Seed, games: u64) -> Contestant {
        let mut rng = seed.rng();
        let outcomes: Vec<_> = (0..games).map(|_| (1, rng.bits() >> 63 == 1)).collect();
        Contestant { mean_score: None, ..contestant_of_games(name, &outcomes, None) }
    }

    /// Two players won every game, and a third one 95 %: the leader's comparisons, and all pairs
    /// from which it was selected, use scores.
    #[test]
    fn all_are_compared_by_score_if_the_first_two_won_equally_often() {
        let player = |name: &str, score: u64, lost: u64| {
            let outcomes: Vec<_> = (0..100).map(|game| (score + game, game >= lost)).collect();
            contestant_of_games(name.to_owned(), &outcomes, None)
        };
        let players = [player("weak", 70, 5), player("second", 900, 0), player("best", 1000, 0)];
        let comparisons = compare_leader(&players);
        for comparison in &comparisons {
            assert_eq!((&*comparison.player, comparison.question.measure), ("best", Measure::Score));
            assert_eq!(comparison.conclusion(), Conclusion::Yes, "{}", comparison.rival);
        }
        let order: Vec<&str> = comparisons.iter().map(|comparison| &*comparison.rival).collect();
        assert_eq!(order, ["second", "weak"]);
        // In wins, five lost games of 100 do not separate the third player from the others.
        let others = |measure| p_of_others(&players, 2, measure, LEVEL);
        assert!(others(Measure::Win)[0] > 0.05 && others(Measure::Score)[0] < 1e-6);
        let (measure, _) = pair_with_leader(&players).expect("there are others");
        assert_eq!(measure, Measure::Score);
        // If the first two differ in wins, wins decide.
        let players = [player("weak", 70, 5), player("second", 900, 20), player("best", 1000, 0)];
        assert_eq!(pair_with_leader(&players).expect("there are others").0, Measure::Win);
    }

    /// Among equal players one always leads. Tested as if it had been named beforehand, it would be
    /// better than some other in far more runs than the level allows.
    #[test]
    fn among_equals_the_leader_is_seldom_better() {
        const RUNS: u64 = 400;
        let (mut better_runs, mut better_runs_if_named) = (0, 0);
        let is_better = |comparisons: Vec<Comparison>| {
            comparisons.iter().any(|comparison| comparison.conclusion() != Conclusion::Inconclusive)
        };
        for run in 0..RUNS {
            let seed = Seed::root(2048).child("leader", run);
            let players: Vec<_> =
                (0..17).map(|i| coin_flipper(format!("player {i}"), seed.child("player", i), 200)).collect();
            let comparisons = compare_leader(&players);
            assert_eq!(comparisons.len(), 16);
            better_runs += u64::from(is_better(comparisons));
            let (measure, pairs) = pair_with_leader(&players).expect("there are others");
            let question = PairwiseQuestion { measures: vec![measure], ..PairwiseQuestion::default() };
            better_runs_if_named += u64::from(is_better(compare(&players, &pairs, &question)));
        }
        assert!(20 * better_runs <= RUNS, "in {better_runs} of {RUNS} runs");
        assert!(10 * better_runs_if_named > RUNS, "in {better_runs_if_named} of {RUNS} runs");
    }
}
