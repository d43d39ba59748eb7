use std::borrow::Cow;

use gauntlet_core::game::Outcome;
use gauntlet_core::num::Risk;
use gauntlet_core::record::Ending;
use gauntlet_games::GAMES;
use gauntlet_stats::{EloScale, EloTest};

use super::*;
use crate::blocks::BlockSeeds;
use crate::early_stop::{PrecisionStop, SequentialTest, Sprt};

const SPRT: fn() -> SequentialTest = || {
    SequentialTest::Sprt(Sprt {
        from: 0.0,
        to: 0.5,
        alpha: Risk::default(),
        beta: Risk::default(),
        elo: None,
    })
};

/// Creates a judge of players 0 and 1 by score.
fn new_judge(test: SequentialTest) -> Judge {
    Judge::from_pair(Measure::Score, test, [0, 1])
}

fn comparison_result(judge: &Judge) -> ComparisonStopResult {
    match judge.stop_result() {
        StopResult::Comparison(result) => result,
        other => panic!("must judge two players: {other:?}"),
    }
}

fn record(score: u64, ending: Ending) -> GameRecord {
    GameRecord { outcome: Outcome::Points { score, won: false }, facts: Default::default(), moves: 1, ending }
}

/// Returns the scores of both players in a block: the first wins two of three blocks.
fn scores(block: u64) -> [u64; 2] {
    if block % 3 == 1 { [1, 2] } else { [2, 1] }
}

#[test]
fn the_order_of_arrival_decides_nothing() {
    let orders: [fn(u64) -> u64; 3] = [|i| i, |i| 399 - i, |i| i * 37 % 400];
    let results = orders.map(|order| {
        let mut judge = new_judge(SPRT());
        for (i, player) in (0..400).flat_map(|i| [(i, 0), ((i + 7) % 400, 1)]) {
            let block = order(i);
            judge.add_games(
                |lineup| lineup == player,
                block,
                &[record(scores(block)[player], Ending::GameOver)],
            );
        }
        comparison_result(&judge)
    });
    assert_eq!(results[0].decision, Some(SequentialDecision::Better));
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
    assert!(results[0].blocks < 400);
}

/// The first result counts, as in a merge.
#[test]
fn of_a_block_that_is_heard_twice_the_first_counts() {
    let mut judge = new_judge(SPRT());
    for [first, second] in [[2, 1], [1, 2]] {
        judge.add_games(|lineup| lineup == 0, 0, &[record(first, Ending::GameOver)]);
        judge.add_games(|lineup| lineup == 0, 0, &[record(second, Ending::GameOver)]);
        judge.add_games(|lineup| lineup == 1, 0, &[record(1, Ending::GameOver)]);
    }
    assert_eq!(comparison_result(&judge).blocks, 1);
    assert_eq!(comparison_result(&judge).balance, [0, 0, 1]);
}

#[test]
fn a_block_that_is_not_complete_holds_up_all_that_follow() {
    let mut judge = new_judge(SPRT());
    for block in 0..400 {
        for player in (0..2).filter(|&player| (block, player) != (5, 1)) {
            judge.add_games(
                |lineup| lineup == player,
                block,
                &[record(scores(block)[player], Ending::GameOver)],
            );
        }
    }
    assert_eq!((comparison_result(&judge).blocks, judge.end()), (5, None));
    // A game that broke its program completes the block, and counts for neither player.
    judge.add_games(|lineup| lineup == 1, 5, &[GameRecord::from_panic(Seat::First)]);
    let ComparisonStopResult { blocks, balance, .. } = comparison_result(&judge);
    assert_eq!(judge.end(), Some(blocks));
    assert_eq!(blocks, balance.iter().sum::<u64>() + 1);
}

#[test]
fn players_with_the_same_settings_share_their_games() {
    let mut judge = new_judge(SPRT());
    for block in 0..400 {
        judge.add_games(|_| true, block, &[record(block, Ending::GameOver)]);
    }
    // Players that never differ are decided only at the last block.
    let ComparisonStopResult { blocks, balance, decision, .. } = comparison_result(&judge);
    assert_eq!((decision, blocks, balance), (None, 400, [0, 400, 0]));
}

/// Between equal players a run rarely ends with a difference: in 2,000 runs no more often than the
/// risk allows. `cargo bench --bench verdicts -- stopping` plays more.
#[test]
fn equals_are_rarely_told_apart() {
    let sprt = SequentialTest::Sprt(Sprt {
        from: 0.0,
        to: 0.1,
        alpha: Risk::default(),
        beta: Risk::default(),
        elo: None,
    });
    for (rule, max_blocks) in
        [(sprt, 1_000), (SequentialTest::Confidence(gauntlet_core::num::Level::default()), 500)]
    {
        let mut rng = gauntlet_core::rng::Seed::root(5).rng();
        let mut wrong_runs = 0;
        for _ in 0..2_000 {
            let mut judge = new_judge(rule);
            for block in 0..max_blocks {
                for player in 0..2 {
                    let score = u64::from(rng.below(10) < 3);
                    judge.add_games(|lineup| lineup == player, block, &[record(score, Ending::GameOver)]);
                }
                if judge.end().is_some() {
                    break;
                }
            }
            // A test ends in favour of a difference where its ratio is positive.
            wrong_runs += u64::from(judge.end().is_some() && judge.bounds_position().value > 0.0);
        }
        let rate = gauntlet_stats::wilson(wrong_runs, 2_000, 0.99).expect("there were runs");
        assert!(rate.low <= 0.05, "{rule:?}: {wrong_runs} of 2,000");
        assert!(wrong_runs > 0, "{rule:?} never errs, so nothing was tested");
    }
}

/// Estimates of the difference from many complete runs of a test, compared with the true
/// difference, as shares of the runs.
struct EstimateErrors {
    /// The corrected estimate was above the true difference.
    above: f64,
    /// The plain estimate was above the true difference.
    plain_above: f64,
    /// The bounds contained the true difference.
    covered: f64,
    /// The bounds included 0, although a difference was decided.
    disagreed: f64,
}

/// Runs the rule many times. `differing_share` is the share of blocks that differ, `won_share` the
/// first player's share of these.
fn measure_estimates(
    rule: SequentialTest,
    (differing_share, won_share): (f64, f64),
    runs: u64,
) -> EstimateErrors {
    let [mut above, mut plain_above, mut covered, mut disagreed] = [0; 4];
    for run in 0..runs {
        let mut rng = gauntlet_core::rng::Seed::root(17).child("run", run).rng();
        let mut judge = new_judge(rule);
        for block in 0..400 {
            let luck = rng.unit();
            let scores = [
                luck < differing_share * won_share,
                (differing_share * won_share..differing_share).contains(&luck),
            ]
            .map(u64::from);
            for (player, score) in scores.into_iter().enumerate() {
                judge.add_games(|lineup| lineup == player, block, &[record(score, Ending::GameOver)]);
            }
            if judge.end().is_some() {
                break;
            }
        }
        let truth = differing_share * (2.0 * won_share - 1.0);
        let ComparisonStopResult { blocks, balance: [behind, _, ahead], estimate, decision, .. } =
            comparison_result(&judge);
        let effect = estimate.expect("there are blocks");
        let uncorrected = (ahead as f64 - behind as f64) / blocks as f64;
        above += u64::from(effect.value > truth);
        plain_above += u64::from(uncorrected > truth);
        covered += u64::from(effect.low <= truth && truth <= effect.high);
        disagreed += u64::from(match decision {
            Some(SequentialDecision::Better) => effect.low <= 0.0,
            Some(SequentialDecision::Worse) => effect.high >= 0.0,
            Some(SequentialDecision::NotBetter) | None => false,
        });
    }
    let [above, plain_above, covered, disagreed] =
        [above, plain_above, covered, disagreed].map(|count: u64| count as f64 / runs as f64);
    EstimateErrors { above, plain_above, covered, disagreed }
}

fn sprt(risk: f64, true_difference: f64) -> SequentialTest {
    let risk = Risk::try_from(risk).expect("a risk");
    SequentialTest::Sprt(Sprt { from: 0.0, to: true_difference, alpha: risk, beta: risk, elo: None })
}

/// The estimate of a test that stopped at a large difference is still median-unbiased. Its bounds
/// miss the true difference no more often than their level allows.
#[test]
fn what_stopped_a_run_is_corrected() {
    let rule = sprt(0.025, 0.3);
    for truth in [(0.5, 0.5), (0.5, 0.65), (0.5, 0.8), (0.3, 0.9)] {
        let EstimateErrors { above, covered, disagreed, .. } = measure_estimates(rule, truth, 600);
        assert!((0.46..0.54).contains(&above), "{rule} at {truth:?}: {above} too high");
        assert!(covered >= 0.94, "{rule} at {truth:?}: {covered} covered");
        assert!(disagreed <= 0.01, "{rule} at {truth:?}: {disagreed} disagreed");
    }
    let rule = SequentialTest::Confidence(gauntlet_core::num::Level::default());
    let EstimateErrors { above, plain_above, covered, disagreed } = measure_estimates(rule, (0.5, 0.8), 600);
    assert!((0.46..0.54).contains(&above), "{rule}: {above} too high");
    assert!(plain_above > 0.6, "{rule}: only {plain_above} too high without a correction");
    assert!(covered >= 0.95 && disagreed == 0.0, "{rule}: {covered} covered, {disagreed} disagreed");
}

/// Checks the corrected estimates with more runs, and with tests and true differences that take
/// longer.
#[test]
#[ignore = "measures: cargo bench --bench verdicts -- stopped"]
fn what_stopped_many_runs_is_corrected() {
    let rules =
        [sprt(0.025, 0.3), sprt(0.05, 0.3), sprt(0.05, 0.15), SequentialTest::Confidence(Default::default())];
    for rule in rules {
        for truth in [(0.5, 0.5), (0.5, 0.65), (0.5, 0.8), (0.8, 0.6), (0.3, 0.7), (0.3, 0.9)] {
            let EstimateErrors { above, plain_above, covered, disagreed } =
                measure_estimates(rule, truth, 4_000);
            println!(
                "{rule} at {truth:?}: {above:.3} too high ({plain_above:.3} uncorrected), {covered:.3} covered, \
                 {disagreed:.4} disagreed"
            );
            assert!((0.45..0.55).contains(&above));
            let level = match rule {
                SequentialTest::Sprt(Sprt { alpha, beta, .. }) => 1.0 - alpha.get() - beta.get(),
                SequentialTest::Confidence(level) => level.get(),
            };
            assert!(covered >= level - 0.015 && disagreed <= 0.01);
        }
    }
}

#[test]
fn confidence_sees_either_side() {
    for (is_swapped, expected) in [(false, SequentialDecision::Better), (true, SequentialDecision::Worse)] {
        let mut judge = new_judge(SequentialTest::Confidence(gauntlet_core::num::Level::default()));
        for block in 0..400 {
            for player in 0..2 {
                let score = scores(block)[if is_swapped { 1 - player } else { player }];
                judge.add_games(|lineup| lineup == player, block, &[record(score, Ending::GameOver)]);
            }
        }
        assert_eq!(comparison_result(&judge).decision, Some(expected));
    }
}

/// Every kind of rule ends the run at the first block after which its value reaches a bound, not
/// before and not without one.
#[test]
fn each_rule_ends_at_the_first_block_that_decides() {
    let confidence = SequentialTest::Confidence(gauntlet_core::num::Level::default());
    let stop = PrecisionStop {
        measure: Measure::Win,
        points: 10.0.try_into().expect("points"),
        level: gauntlet_core::num::Level::default(),
    };
    let elo = EloTest { elo: [0.0, 100.0], model: EloScale::Logistic, alpha: 0.001, beta: 0.001 };
    let gomoku = GAMES.iter().find(|arena| arena.shape == Shape::Duel).expect("a duel");
    let blocks = BlockSeeds::Derived { seed: 1, games: 1_000 };
    // Without rules, no openings are symmetric.
    let openings = Plan::new(gomoku, Vec::new(), Cow::Owned(blocks)).openings();
    let check = |mut rule: Box<dyn StoppingRule>, results: fn(u64) -> Vec<u64>, ends: bool| {
        // No width is too large to continue.
        let is_width = matches!(rule.stop_result(), StopResult::Precision(_));
        for block in 0..1_000 {
            for (side, result) in results(block).into_iter().enumerate() {
                rule.add(side, block, Some(result));
            }
            rule.judge();
            let BoundsPosition { value, lower, upper, .. } = rule.position();
            let is_outside = (!is_width && value >= upper) || lower.is_some_and(|lower| value <= lower);
            assert_eq!(rule.is_over(), is_outside, "{rule:?} after {block}");
            assert_eq!(rule.blocks(), block + 1);
            if is_outside {
                assert_eq!(rule.stop_result().end(), Some(block + 1));
                assert!(ends && block > 10, "{rule:?} after {block}");
                // Later blocks change nothing.
                for (side, result) in results(block + 1).into_iter().enumerate() {
                    rule.add(side, block + 1, Some(result));
                }
                rule.judge();
                assert_eq!(rule.blocks(), block + 1);
                return;
            }
        }
        assert!(!ends && rule.stop_result().end().is_none(), "{rule:?}");
    };
    let wins_two_of_three: fn(u64) -> Vec<u64> = |block| scores(block).to_vec();
    let wins_half: fn(u64) -> Vec<u64> = |block| vec![block % 2, 1 - block % 2];
    let solo = |test| Box::new(ComparisonRule::new(test));
    let duel = || Box::new(ComparisonRule::from_duel(elo, openings.clone()));
    check(solo(SPRT()), wins_two_of_three, true);
    check(solo(SPRT()), wins_half, true);
    check(solo(confidence), wins_two_of_three, true);
    check(solo(confidence), wins_half, false);
    check(duel(), |block| vec![2 + block % 3], true);
    check(duel(), |block| vec![1 + block % 3], true);
    check(Box::new(PrecisionRule::new(stop, 2)), |block| vec![block % 2, 0], true);
}

#[test]
fn it_says_how_it_stands() {
    let description = new_judge(SPRT()).describe_state(|_| String::new());
    assert_eq!(description, "log ratio 0.00 after 0 blocks; the test ends at -2.94 or 2.94");
}
