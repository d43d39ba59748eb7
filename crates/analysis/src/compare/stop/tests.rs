//! The answers of tests that can end a run.

use gauntlet_core::num::{Level, Risk};
use gauntlet_core::rng::Seed;
use gauntlet_games::GAMES;
use gauntlet_run::judge::Judge;
use gauntlet_stats::{EloTest, PairCounts};

use super::*;
use crate::compare::comparison::{ComparedPlayer, Comparison};
use crate::compare::finding::{DifferenceDetail, MeasuredDifference};
use crate::compare::pairing::tests::sample_from_seed;
use crate::config::{Catalog, parse};

fn stop_test(
    test: SequentialTest,
    decision: Option<SequentialDecision>,
    [low, value, high]: [f64; 3],
) -> StopTest {
    let ruling = ComparisonStopResult {
        blocks: 40,
        balance: [0, 40, 0],
        pairs: None,
        evidence: LikelihoodRatio { ratio: 0.0, lower: None, upper: 0.0 },
        decision,
        estimate: Some(Estimate { low, value, high, level: 0.9 }),
    };
    let state = Some(StopState { max_blocks: 40, ruling });
    StopTest { player: "A".to_owned(), rival: "B".to_owned(), measure: Measure::Win, test, state }
}

fn sequential_test(lower: f64, upper: f64) -> SequentialTest {
    SequentialTest::Sprt(Sprt {
        from: lower,
        to: upper,
        alpha: Risk::default(),
        beta: Risk::try_from(0.01).expect("a risk"),
        elo: None,
    })
}

const QUESTION: ComparisonQuestion = ComparisonQuestion {
    measure: Measure::Win,
    level: 0.95,
    margin: None,
    is_sequential: true,
    earlier_answers: 0,
};

#[test]
fn a_decision_shows_who_is_better() {
    let (better_effect, worse_effect, open_effect) = ([0.1, 0.2, 0.3], [-0.3, -0.2, -0.1], [-0.1, 0.1, 0.2]);
    let confidence = SequentialTest::Confidence(Level::default());
    for (rule, decision, effect, expected) in [
        (sequential_test(0.0, 0.2), Some(SequentialDecision::Better), better_effect, Conclusion::Yes),
        (
            sequential_test(0.0, 0.2),
            Some(SequentialDecision::NotBetter),
            open_effect,
            Conclusion::Inconclusive,
        ),
        (
            sequential_test(0.0, 0.2),
            Some(SequentialDecision::NotBetter),
            better_effect,
            Conclusion::Inconclusive,
        ),
        (
            sequential_test(0.0, 0.2),
            Some(SequentialDecision::NotBetter),
            worse_effect,
            Conclusion::Inconclusive,
        ),
        (sequential_test(0.0, 0.2), None, open_effect, Conclusion::Inconclusive),
        (sequential_test(-0.2, 0.0), Some(SequentialDecision::NotBetter), worse_effect, Conclusion::Opposite),
        (sequential_test(-0.2, 0.0), Some(SequentialDecision::Better), open_effect, Conclusion::Inconclusive),
        (
            sequential_test(-0.2, 0.0),
            Some(SequentialDecision::Better),
            better_effect,
            Conclusion::Inconclusive,
        ),
        (confidence, Some(SequentialDecision::Better), better_effect, Conclusion::Yes),
        (confidence, Some(SequentialDecision::Worse), worse_effect, Conclusion::Opposite),
        (confidence, None, open_effect, Conclusion::Inconclusive),
    ] {
        let result = stop_test(rule, decision, effect);
        let swapped = match expected {
            Conclusion::Yes => Conclusion::Opposite,
            Conclusion::Opposite => Conclusion::Yes,
            Conclusion::Inconclusive => Conclusion::Inconclusive,
        };
        let question = ComparisonQuestion { level: if decision.is_some() { 0.95 } else { 0.6 }, ..QUESTION };
        assert_eq!(
            result.view_for(["A", "B"]).and_then(|answer| answer.conclusion(&question)),
            Some(expected),
            "{result:?}"
        );
        assert_eq!(
            result.view_for(["B", "A"]).and_then(|answer| answer.conclusion(&question)),
            Some(swapped),
            "{result:?}"
        );
    }
    // The bounds, which are at 90 %, answer more than the decision.
    let question = ComparisonQuestion { level: 0.9, ..QUESTION };
    for (rule, decision, effect, expected) in [
        (sequential_test(0.0, 0.2), SequentialDecision::NotBetter, worse_effect, Conclusion::Opposite),
        (sequential_test(-0.2, 0.0), SequentialDecision::Better, better_effect, Conclusion::Yes),
    ] {
        let result = stop_test(rule, Some(decision), effect);
        assert_eq!(
            result.view_for(["A", "B"]).and_then(|answer| answer.conclusion(&question)),
            Some(expected),
            "{result:?}"
        );
    }
}

/// Returns the error rates of claims about equal players: how often the claim is confirmed, and how
/// often it is refuted.
fn simulate_errors(stop: &str, level: f64, runs: u64) -> [f64; 2] {
    let text = format!(
        "name = 'x'\ngame = '2048'\nseed = 1\ngames = 3000\n[[player]]\nname = 'A'\nalgorithm = 'random'\n[[player]]\n\
         name = 'B'\nalgorithm = 'greedy'\n[stop]\nbetter = 'A'\nthan = 'B'\n{stop}\n"
    );
    let experiment = parse(Catalog::new(&GAMES), "x.toml", &text).expect("an experiment");
    let plan = experiment.plan();
    let stop = experiment.sections().stop.as_ref().expect("a stop");
    let conclusion_of = |run: u64| {
        let mut rng = Seed::root(23).child("run", run).rng();
        let mut judge = Judge::new(&plan).expect("there is a stop");
        for block in 0..3000 {
            judge.add_block(block, [rng.below(2), rng.below(2)].map(Some));
            if judge.end().is_some() {
                break;
            }
        }
        let result =
            StopTest::new(stop, &judge.stop_result(), 3000, |player| ["A", "B"][player]).expect("of two");
        result
            .view_for(["A", "B"])
            .and_then(|answer| answer.conclusion(&ComparisonQuestion { level, ..QUESTION }))
    };
    let conclusions: Vec<_> = (0..runs).map(conclusion_of).collect();
    [Conclusion::Yes, Conclusion::Opposite].map(|wrong_conclusion| {
        conclusions.iter().filter(|&&conclusion| conclusion == Some(wrong_conclusion)).count() as f64
            / runs as f64
    })
}

/// Checks that claims err no more often than their level allows, both errors together.
fn assert_claim_level(difference: f64, runs: u64) {
    let small = format!("difference = {difference}\nalpha = 0.025\nbeta = 0.025");
    for (stop, level, has_errors) in [
        (&*format!("difference = {difference}"), 0.95, [true, false]),
        (&format!("difference = [-{difference}, 0]"), 0.95, [false, true]),
        (&format!("difference = {difference}"), 0.9, [true, true]),
        (&small, 0.95, [true, true]),
    ] {
        let errors = simulate_errors(stop, level, runs);
        println!("{stop:?}, a claim at {level}: shown and its opposite in {errors:?}");
        // One of a hundred correct tests would err as often.
        let (risk, runs) = (1.0 - level, runs as f64);
        let max_rate = risk + 2.33 * (risk * level / runs).sqrt();
        assert!(errors.iter().sum::<f64>() <= max_rate, "{stop} at {level}: {errors:?}");
        assert_eq!(errors.map(|part| part > 0.0), has_errors, "{stop} at {level}: {errors:?}");
    }
}

#[test]
fn a_claim_keeps_its_level_in_a_run_that_stops() {
    assert_claim_level(0.3, 400);
}

#[test]
#[ignore = "measures: cargo bench --bench verdicts -- stopped-claims"]
fn many_claims_keep_their_level_in_runs_that_stop() {
    assert_claim_level(0.1, 1_000);
}

/// Returns the error rates of claims by points about equal players, whose pairs have these
/// probabilities: how often the claim is confirmed, and how often it is refuted.
fn simulate_elo_errors(test: EloTest, probabilities: [f64; 5], level: f64, runs: u64) -> [f64; 2] {
    let [alpha, beta] = [test.alpha, test.beta].map(|risk| Risk::try_from(risk).expect("a risk"));
    let [lower, upper] = test.elo;
    let sprt = SequentialTest::Sprt(Sprt { from: lower, to: upper, alpha, beta, elo: Some(test.model) });
    let stop = EarlyStop::Comparison(ComparisonStop {
        better_player: 0,
        other_player: 1,
        measure: Measure::Points,
        test: sprt,
    });
    let conclusion_of = |run: u64| {
        let mut rng = Seed::root(29).child("run", run).rng();
        let mut pairs = PairCounts::default();
        for _ in 0..10_000 {
            let mut remainder = rng.unit();
            let index = probabilities.iter().position(|probability| {
                remainder -= probability;
                remainder < 0.0
            });
            pairs[index.unwrap_or(4)] += 1;
            if test.decide(pairs).is_some() {
                break;
            }
        }
        let stop_result = StopResult::Comparison(
            ComparisonStopResult::from_pairs(&test, pairs.iter().sum(), pairs).with_estimate(&test),
        );
        let result = StopTest::new(&stop, &stop_result, 10_000, |player| ["A", "B"][player]).expect("of two");
        let question = ComparisonQuestion { measure: Measure::Points, level, ..QUESTION };
        let conclusion = result.view_for(["A", "B"]).and_then(|answer| answer.conclusion(&question));
        let swapped = result.view_for(["B", "A"]).and_then(|answer| answer.conclusion(&question));
        assert_eq!(conclusion.map(|first| first.swap_players_if(true)), swapped);
        conclusion
    };
    let conclusions: Vec<_> = (0..runs).map(conclusion_of).collect();
    [Conclusion::Yes, Conclusion::Opposite].map(|wrong_conclusion| {
        conclusions.iter().filter(|&&conclusion| conclusion == Some(wrong_conclusion)).count() as f64
            / runs as f64
    })
}

/// Checks that claims by points err no more often than their level allows, both errors together,
/// for any distribution of pairs between equal players.
fn assert_points_claim_level(elo: f64, runs: u64) {
    const TYPICAL: [f64; 5] = [0.05, 0.2, 0.5, 0.2, 0.05];
    const DRAWISH: [f64; 5] = [0.005, 0.045, 0.9, 0.045, 0.005];
    const WIDE: [f64; 5] = [0.25, 0.15, 0.2, 0.15, 0.25];
    for probabilities in [TYPICAL, DRAWISH, WIDE] {
        for (elo_bounds, risk, model, level) in [
            ([0.0, elo], 0.05, EloScale::Logistic, 0.95),
            ([-elo, 0.0], 0.05, EloScale::Logistic, 0.95),
            ([0.0, elo], 0.05, EloScale::Logistic, 0.9),
            ([0.0, elo], 0.025, EloScale::Logistic, 0.95),
            ([0.0, elo], 0.05, EloScale::Normalized, 0.9),
        ] {
            let test = EloTest { elo: elo_bounds, model, alpha: risk, beta: risk };
            let errors = simulate_elo_errors(test, probabilities, level, runs);
            println!(
                "{probabilities:?}, {elo_bounds:?} {model:?} at risks of {risk}, a claim at {level}: {errors:?}"
            );
            // One of two hundred correct tests would err as often.
            let (error_rate, run_count) = (1.0 - level, runs as f64);
            let max_rate = error_rate + 2.58 * (error_rate * level / run_count).sqrt();
            assert!(
                errors.iter().sum::<f64>() <= max_rate,
                "{test:?} of {probabilities:?} at {level}: {errors:?}"
            );
            // The bounds of the other side are less sure than 95 % if the risks are 5 %.
            if (risk, level) == (0.05, 0.95) {
                assert_eq!(errors[usize::from(elo_bounds[0] == 0.0)], 0.0, "{test:?}");
            }
        }
    }
}

#[test]
fn a_claim_by_points_keeps_its_level_in_a_run_that_stops() {
    assert_points_claim_level(60.0, 100);
}

#[test]
#[ignore = "measures: cargo bench --bench verdicts -- elo-claims"]
fn many_claims_by_points_keep_their_level_in_runs_that_stop() {
    assert_points_claim_level(30.0, 2_000);
}

/// An answer read back from the table equals that of the run, on both Elo scales.
#[test]
fn a_table_of_a_duel_tells_the_answer_again() {
    for model in ["logistic", "normalised"] {
        let text = format!(
            "name = 'x'\ngame = 'gomoku'\nseed = 1\ngames = 1000\n[[player]]\nname = 'A'\nalgorithm = 'random'\n\
             [[player]]\nname = 'B'\nalgorithm = 'random'\n[stop]\nbetter = 'A'\nthan = 'B'\nelo = [0, 20]\n\
             model = '{model}'\n"
        );
        let experiment = parse(Catalog::new(&GAMES), "x.toml", &text).expect("an experiment");
        let stop = experiment.sections().stop.as_ref().expect("a stop");
        let test = stop.comparison().and_then(|stop| stop.test.elo_test()).expect("a test in Elo");
        // The table rounds the evidence.
        let stop_result = StopResult::Comparison(ComparisonStopResult {
            evidence: LikelihoodRatio { ratio: 3.0, lower: None, upper: 2.9 },
            ..ComparisonStopResult::from_pairs(&test, 183, [3, 20, 50, 70, 40]).with_estimate(&test)
        });
        let plan = experiment.plan();
        let name = |player: usize| plan.players[player].name;
        let result = StopTest::new(stop, &stop_result, 500, name).expect("of two");
        let table = super::table(&result).expect("an answer");
        let table = Table::from_csv(&StopRow::schema(), &table.to_csv()).expect("a table");
        assert_eq!(StopTest::read(&experiment, Some(&table)), Some(result.clone()), "{model}");
        let view = result.view_for(["A", "B"]).expect("an answer");
        let effect = view.effect().expect("an effect");
        assert!(0.0 < effect.low && effect.low < effect.value && effect.value < effect.high, "{effect:?}");
        let ruling = view.state.ruling;
        assert_eq!((ruling.blocks, ruling.decision), (183, Some(SequentialDecision::Better)));
    }
}

/// The numbers of a comparison of scores assume a fixed number of games, so the answer of the run
/// has none of them.
#[test]
fn the_answer_by_score_has_no_numbers_of_another_test() {
    let scores: Vec<u64> = (0..40).map(|game| 400 + (game * 37) % 23).collect();
    let samples = [
        sample_from_seed(7, &scores.iter().map(|score| score + 9).collect::<Vec<_>>()),
        sample_from_seed(7, &scores),
    ];
    let side = |index: usize| ComparedPlayer {
        name: ["A", "B"][index],
        games: 40,
        sample: &samples[index],
        clock: None,
        run: 0,
    };
    let mut result = stop_test(sequential_test(0.0, 0.2), Some(SequentialDecision::Better), [0.1, 0.2, 0.3]);
    for (measure, is_answered) in [(Measure::Score, true), (Measure::Win, false)] {
        result.measure = measure;
        let question = ComparisonQuestion { measure: Measure::Score, ..QUESTION };
        let stop = result.view_for(["A", "B"]);
        let comparison = Comparison::new(&side(0), &side(1), || None, question, stop);
        let MeasuredDifference { effect, detail: DifferenceDetail::Score { ranks, .. }, .. } =
            comparison.finding
        else {
            panic!("not of scores")
        };
        let has_none = effect.is_none() && ranks.is_none() && comparison.p.is_none();
        assert_eq!((comparison.stop_conclusion.is_some(), has_none), (is_answered, is_answered), "{measure}");
    }
}

#[test]
fn other_questions_are_not_answered() {
    let is_answered = |rule: SequentialTest, question: ComparisonQuestion| {
        let result = stop_test(rule, Some(SequentialDecision::Better), [0.1, 0.2, 0.3]);
        result.view_for(["A", "B"]).and_then(|answer| answer.conclusion(&question)).is_some()
    };
    let with_measure = |measure| ComparisonQuestion { measure, ..QUESTION };
    let with_level = |level| ComparisonQuestion { level, ..QUESTION };
    assert!(
        is_answered(sequential_test(0.0, 0.2), QUESTION)
            && is_answered(sequential_test(0.0, 0.2), with_level(0.9))
    );
    assert!(!is_answered(sequential_test(0.0, 0.2), with_measure(Measure::Score)));
    assert!(!is_answered(sequential_test(0.0, 0.2), ComparisonQuestion { margin: Some(0.01), ..QUESTION }));
    // As sure as the risk of the question: alpha, or beta if the larger difference is 0.
    assert!(!is_answered(sequential_test(0.0, 0.2), with_level(0.96)));
    assert!(
        is_answered(sequential_test(-0.2, 0.0), with_level(0.99))
            && !is_answered(sequential_test(-0.2, 0.0), with_level(0.995))
    );
    assert!(!is_answered(SequentialTest::Confidence(Level::default()), with_level(0.96)));
    // At a higher level the question is equal, but the answer is not sure enough.
    let confidence = |rule: SequentialTest, question: ComparisonQuestion| {
        stop_test(rule, None, [0.0; 3]).confidence_for(&question)
    };
    assert_eq!(confidence(sequential_test(0.0, 0.2), with_level(0.96)), Some(0.95));
    assert_eq!(confidence(sequential_test(-0.2, 0.0), with_level(0.995)), Some(0.99));
    assert_eq!(confidence(sequential_test(0.0, 0.2), with_measure(Measure::Score)), None);
    assert_eq!(confidence(sequential_test(-0.1, 0.1), with_level(0.96)), None);
    assert!(
        !is_answered(sequential_test(-0.1, 0.1), QUESTION)
            && !is_answered(sequential_test(0.1, 0.2), QUESTION)
    );
    let result = stop_test(sequential_test(0.0, 0.2), Some(SequentialDecision::Better), [0.1, 0.2, 0.3]);
    assert_eq!(result.view_for(["A", "C"]).and_then(|answer| answer.conclusion(&QUESTION)), None);
}
