//! Comparisons in words, and their p.

use gauntlet_core::arena::Arena;
use gauntlet_core::game::Outcome;
use gauntlet_core::record::{Ending, GameRecord, TimeSource};
use gauntlet_games::GAMES;
use gauntlet_run::blocks::BlockSeeds;
use gauntlet_run::sample::ExperimentBlocks;
use gauntlet_stats::{ContingencyTable, Estimate};

use super::*;
use crate::compare::finding::{Effect, TimeBasis};
use crate::compare::pairing::tests::{sample, sample_from_seed};

fn estimate_within(low: f64, value: f64, high: f64) -> Estimate {
    Estimate { value, low, high, level: 0.95 }
}

fn rate_difference(difference: Estimate) -> MeasuredDifference {
    let pairs = Some(ContingencyTable { both: 400, only_first: 150, only_second: 100, neither: 350 });
    let effect = Some(Effect::Difference(difference));
    MeasuredDifference { values: [Some(0.5), Some(0.4)], effect, detail: DifferenceDetail::Rate { pairs } }
}

fn score_difference(estimate: Estimate) -> MeasuredDifference {
    let detail = DifferenceDetail::Score {
        spread: Some(0.6),
        is_shifted: false,
        differing_seeds: Some(900),
        ranks: None,
    };
    MeasuredDifference { values: [Some(500.0), Some(400.0)], effect: Some(Effect::Ratio(estimate)), detail }
}

fn time_difference(ratio: Option<Estimate>) -> MeasuredDifference {
    let detail =
        DifferenceDetail::Time { basis: Ok(TimeBasis::SideBySide), time_source: TimeSource::Thoughts };
    MeasuredDifference { values: [Some(0.5), Some(0.4)], effect: ratio.map(Effect::Times), detail }
}

/// Checks answer and explanation.
#[track_caller]
fn assert_words(comparison: &Comparison, family: usize, answer: &str, explanation: &str) {
    let comparison = Comparison { family_size: family, ..comparison.clone() };
    assert_eq!([comparison.answer(), comparison.explanation()], [answer, explanation]);
}

#[test]
fn rates_in_words() {
    let difference = rate_difference(estimate_within(0.029, 0.041, 0.053));
    let measure = Arena::find(&GAMES, "2048").and_then(|arena| arena.measures().find("reach 2048"));
    let measure = measure.expect("a measure of 2048");
    assert_words(
        &Comparison::example(measure, difference, 2e-9, None),
        1,
        "A vs B: +4.1 points of games reaching 2048 [2.9, 5.3]; p = 2e-9 (McNemar), 1,000 pairs",
        "McNemar's test uses the 250 seeds on which only one player reached 2048.",
    );
    assert_words(
        &Comparison::example(
            Measure::Win,
            rate_difference(estimate_within(-0.053, -0.041, -0.029)),
            0.0123,
            None,
        ),
        6,
        "A vs B: -4.1 points of wins [-5.3, -2.9]; p = 0.012 (McNemar, Holm over 6), 1,000 pairs",
        "McNemar's test uses the 250 seeds on which only one player won. p is corrected for 6 comparisons by \
         Holm's method; the interval is not corrected.",
    );
    // Connor's formula with a quarter of the games discordant: 4,902 pairs for 2 points.
    assert_words(
        &Comparison::example(
            Measure::Win,
            rate_difference(estimate_within(-0.012, -0.002, 0.008)),
            0.7,
            None,
        ),
        1,
        "A vs B: -0.2 points of wins [-1.2, 0.8]; p = 0.70 (McNemar), 1,000 pairs",
        "McNemar's test uses the 250 seeds on which only one player won. 6,700 more games of each player would \
         detect a difference of 2 points with a power of 80 %.",
    );
    assert_words(
        &Comparison::example(
            Measure::Win,
            rate_difference(estimate_within(-0.004, 0.001, 0.006)),
            0.01,
            Some(0.0125),
        ),
        1,
        "A vs B: +0.1 points of wins [-0.4, 0.6]; margin 1.25 points; p = 0.01 (one-sided), 1,000 pairs",
        "p is the probability of such a result if A were worse than B by exactly the margin.",
    );
    let mut comparison =
        Comparison::example(Measure::Win, rate_difference(estimate_within(-0.088, 0.0004, 0.019)), 0.9, None);
    comparison.question.is_sequential = true;
    assert_words(
        &comparison,
        1,
        "A vs B: +0.0 points of wins [-8.8, 1.9]; p = 0.90 (anytime), 1,000 pairs",
        "p and the interval are valid although the run may stop at any block.",
    );
}

/// 200 of 1,000 seeds differ, half of them each way. The standard error is 1.4 points, so 2.5
/// points are 1.77 errors, and the tail of a normal distribution above them holds 3.9 %.
#[test]
fn with_a_margin_p_is_one_tail() {
    let record = |won| GameRecord {
        outcome: Outcome::Points { score: 1, won },
        facts: Default::default(),
        moves: 1,
        ending: Ending::GameOver,
    };
    let sample = |won: fn(u32) -> bool| {
        let blocks = ExperimentBlocks::new(BlockSeeds::Derived { seed: 1, games: 1000 });
        let mut sample = Sample::new(blocks, &[Measure::Win]);
        sample.add(0, &(0..1000).map(|game| record(won(game))).collect::<Vec<_>>());
        sample
    };
    let [one, other] = [sample(|game| game < 500), sample(|game| (100..600).contains(&game))];
    let side = |name, sample| ComparedPlayer { name, games: 1000, sample, clock: None, run: 0 };
    let compare = |first, second, margin| {
        let question = ComparisonQuestion {
            measure: Measure::Win,
            level: 0.95,
            margin: Some(margin),
            is_sequential: false,
            earlier_answers: 0,
        };
        Comparison::new(&side("A", first), &side("B", second), || None, question, None)
    };
    let mut comparisons = vec![compare(&one, &other, 0.025)];
    let p = comparisons[0].p.expect("there are games");
    assert!((p - 0.039).abs() < 0.002, "{p}");
    assert_eq!(comparisons[0].conclusion(), Conclusion::Yes);

    // The other tail tests whether it is worse by more than the margin; its p is corrected too.
    let worse_sample = sample(|game| (100..556).contains(&game));
    comparisons = vec![compare(&worse_sample, &one, 0.02)];
    let tail = comparisons[0].opposite_p.expect("there is a margin");
    assert!(comparisons[0].p.is_some_and(|p| p > 0.9) && (0.025..0.05).contains(&tail), "{tail}");
    assert_eq!(comparisons[0].conclusion(), Conclusion::Opposite);
    comparisons.push(compare(&one, &other, 0.5));
    correct(&mut comparisons, &[]);
    assert_eq!(comparisons[0].family_size, 2);
    assert_eq!(
        (comparisons[0].conclusion(), comparisons[1].conclusion()),
        (Conclusion::Inconclusive, Conclusion::Yes)
    );
}

#[test]
fn what_many_show_is_what_each_shows() {
    let mut comparisons: Vec<Comparison> = [0.001, 0.02, 0.024, 0.9, 0.012]
        .map(|p| {
            Comparison::example(Measure::Win, rate_difference(estimate_within(-0.05, -0.04, -0.03)), p, None)
        })
        .into();
    comparisons[1].finding = rate_difference(estimate_within(0.03, 0.04, 0.05));
    comparisons[2].p = None;
    comparisons[2].stop_conclusion = Some(StopConclusion {
        conclusion: Conclusion::Yes,
        bounds_conclusion: Conclusion::Inconclusive,
        effect: None,
        answer: String::new(),
        explanation: String::new(),
    });
    comparisons.push(Comparison { p: None, ..comparisons[3].clone() });
    let conclusions = conclude_all(comparisons.iter().map(TestResult::from), 0.95);
    correct(&mut comparisons, &[]);
    assert_eq!(comparisons[0].family_size, 4);
    assert_eq!(conclusions, comparisons.iter().map(Comparison::conclusion).collect::<Vec<_>>());
    use Conclusion::{Inconclusive, Opposite, Yes};
    assert_eq!(conclusions, [Opposite, Yes, Yes, Inconclusive, Opposite, Inconclusive]);
    // With a fifth p the second is too large: 0.012 times 4, then 0.02 times 3.
    comparisons.iter_mut().for_each(|one| one.adjusted_p = None);
    correct(&mut comparisons, &[0.5]);
    assert_eq!(comparisons[0].family_size, 5);
    assert_eq!(comparisons[1].conclusion(), Inconclusive);
}

/// Covers pairs on all seeds, on some and on none; gaps, scores of 0 and of any size, and equal
/// players.
#[test]
fn a_test_alone_is_that_of_the_comparison() {
    let sample_scores = |first_seed: u64, scores: [u64; 11]| {
        sample(&(first_seed..).zip(scores.map(Some)).collect::<Vec<_>>())
    };
    let scores = [40, 9, 8, 77, 20, 10, 11, 12, 3, 5, 900];
    let mut scores_with_gap: Vec<_> = (0..).zip(scores.map(|score| Some(score + 1))).collect();
    scores_with_gap[3].1 = None;
    let long_scores: Vec<u64> = (0..200).map(|game| (game * 37) % 23).collect();
    let samples = [
        sample_scores(0, scores),
        sample_scores(0, scores.map(|score| score / 2)),
        sample_scores(0, scores.map(|score| score % 9)),
        sample_scores(1, scores),
        sample_scores(50, scores.map(|score| 3 * score)),
        sample(&scores_with_gap),
        sample(&[(0, Some(1))]),
        sample(&[]),
        sample_from_seed(7, &long_scores),
        sample_from_seed(7, &long_scores.iter().rev().map(|score| score + 2).take(130).collect::<Vec<_>>()),
        sample_from_seed(8, &long_scores[..64]),
    ];
    let side = |games| ComparedPlayer { name: "A", games, sample: &samples[0], clock: None, run: 0 };
    for [one, other] in samples.iter().flat_map(|one| samples.iter().map(move |other| [one, other])) {
        for (measure, margin) in [(Measure::Win, None), (Measure::Score, None), (Measure::Score, Some(0.05))]
        {
            for earlier_answers in [0, 2] {
                let [first, second] =
                    [one, other].map(|sample| ComparedPlayer { sample, ..side(sample.games()) });
                let question = ComparisonQuestion {
                    measure,
                    level: 0.95,
                    margin,
                    is_sequential: false,
                    earlier_answers,
                };
                let expected = TestResult::from(&Comparison::new(&first, &second, || None, question, None));
                assert_eq!(TestResult::new(one, other, question), Some(expected), "{question:?}");
            }
        }
    }
}

/// After earlier answers p is larger and bounds are wider, and both agree. Results that hold at
/// every look do not change.
#[test]
fn an_answer_is_corrected_for_earlier_ones() {
    let scores: Vec<u64> = (0..200).map(|game| (game * 37) % 23).collect();
    let raised_scores = |increment: u64| scores.iter().map(|score| score + increment).collect::<Vec<_>>();
    let samples = [
        sample_from_seed(7, &raised_scores(3)),
        sample_from_seed(7, &raised_scores(1)[..].iter().rev().copied().collect::<Vec<_>>()),
    ];
    let [first, second] = [0, 1].map(|index: usize| ComparedPlayer {
        name: ["A", "B"][index],
        games: 200,
        sample: &samples[index],
        clock: None,
        run: 0,
    });
    let compare = |measure, margin, is_sequential, earlier_answers, level| {
        let question = ComparisonQuestion { measure, level, margin, is_sequential, earlier_answers };
        Comparison::new(&first, &second, || None, question, None)
    };
    for measure in [Measure::Win, Measure::Score] {
        for margin in [None, Some(0.01)] {
            let uncorrected = compare(measure, margin, false, 0, 0.95);
            let corrected = compare(measure, margin, false, 2, 0.95);
            let (uncorrected_p, corrected_p) = (uncorrected.p.expect("a p"), corrected.p.expect("a p"));
            assert!(
                (corrected_p - (12.0 * uncorrected_p).min(1.0)).abs() < 1e-12,
                "{measure}: {uncorrected_p}, {corrected_p}"
            );
            let opposite = |comparison: &Comparison| comparison.opposite_p.unwrap_or(1.0);
            assert!(
                (opposite(&corrected) - (12.0 * opposite(&uncorrected)).min(1.0)).abs() < 1e-12,
                "{measure}"
            );
            let estimate = |comparison: &Comparison| comparison.finding.effect.expect("games").estimate();
            let strict = compare(measure, margin, false, 0, 1.0 - 0.05 / 12.0);
            let (corrected_estimate, strict) = (estimate(&corrected), estimate(&strict));
            assert_eq!(
                (corrected_estimate.low, corrected_estimate.high, corrected_estimate.level),
                (strict.low, strict.high, 0.95),
                "{measure}"
            );
            let [uncorrected_text, corrected_text] = [uncorrected, corrected]
                .map(|comparison| Comparison { family_size: 2, ..comparison }.explanation());
            assert!(corrected_text.ends_with(
                "The interval and p are corrected for 2 earlier answers; p also for 2 comparisons."
            ));
            assert!(
                uncorrected_text.contains("the interval is not corrected.")
                    && !uncorrected_text.contains("earlier"),
                "{uncorrected_text}"
            );
        }
    }
    assert_eq!(compare(Measure::Win, None, true, 2, 0.95).p, compare(Measure::Win, None, true, 0, 0.95).p);
    assert_ne!(
        compare(Measure::Score, None, true, 2, 0.95).p,
        compare(Measure::Score, None, true, 0, 0.95).p
    );
}

#[test]
fn scores_and_times_in_words() {
    let mut score =
        Comparison::example(Measure::Score, score_difference(estimate_within(1.1, 1.12, 1.14)), 1e-20, None);
    let answer = "A vs B: +12.0 % score [10.0, 14.0]; p < 1e-11 (t-test), 1,000 pairs";
    assert_words(&score, 1, answer, "Ratio and t-test use mean logarithms of scores, not mean scores.");
    // Most seeds have equal results.
    score.finding.detail = DifferenceDetail::Score {
        spread: Some(0.6),
        is_shifted: false,
        differing_seeds: Some(72),
        ranks: None,
    };
    let explanation = "Ratio and t-test use mean logarithms of scores, not mean scores; scores differ on 72 of 1,000 seeds.";
    assert_words(&score, 1, answer, explanation);
    let mut time = Comparison::example(
        Measure::MsPerMove,
        time_difference(Some(estimate_within(0.6, 0.65, 0.7))),
        0.001,
        None,
    );
    time.pairing = Pairing::Independent(1000, 500);
    let answer = "A vs B: -35.0 % CPU time per move [-40.0, -30.0]; p = 0.001";
    assert_words(&time, 1, answer, "Both players were timed side by side in the same run.");
    time.finding = time_difference(None);
    time.note = Some("A has no times".to_owned());
    assert_words(&time, 1, "A vs B: not comparable by ms-per-move: A has no times", "");
    let mut difference = time_difference(Some(estimate_within(0.6, 0.65, 0.7)));
    for (basis, explanation) in [
        (TimeBasis::AcrossSessions, "The players were timed in different sessions of a run"),
        (TimeBasis::AcrossRuns, "The runs differ"),
    ] {
        difference.detail = DifferenceDetail::Time { basis: Ok(basis), time_source: TimeSource::Thoughts };
        time = Comparison::example(Measure::MsPerMove, difference, 0.001, None);
        let answer =
            "A vs B: -35.0 % CPU time per move [-40.0, -30.0]; p = 0.001, in units of the calibration loop";
        let explanation =
            format!("{explanation}, so each time is divided by the time of the calibration loop.");
        assert_words(&time, 1, answer, &explanation);
    }
}

/// Of four sentences, the one on the test gives way to caveats.
#[test]
fn an_explanation_has_three_sentences() {
    let mut scores =
        Comparison::example(Measure::Score, score_difference(estimate_within(1e-9, 1.0, 1e9)), 1.0, None);
    scores.finding.detail = DifferenceDetail::Score {
        spread: Some(0.6),
        is_shifted: true,
        differing_seeds: Some(1),
        ranks: None,
    };
    scores.left_out_games = 7;
    scores.pairing = Pairing::Paired(1);
    scores.question.level = 0.999_999;
    let answer = "A vs B: score ratio unbounded; p = 1 (t-test), 1 pair";
    let rest = "Left out: 7 games without a partner on the same seed. 5,600 more games of each player would detect a \
                difference of 5 % with a power of 80 %.";
    let test_sentence = "Ratio and t-test use mean logarithms of scores plus 1, because some scores are 0.";
    assert_words(&scores, 1, answer, &format!("{test_sentence} {rest}"));
    scores.question.earlier_answers = 1;
    let rest = rest.replace("5,600", "5,900") + " The interval and p are corrected for 1 earlier answer.";
    assert_words(&scores, 1, &answer.replace("t-test", "t-test, corrected for 1 earlier answer"), &rest);
}
