//! Statistics compared with values computed elsewhere: see `vectors/README.md`.

use gauntlet::stats::{
    Bounds, ContingencyTable, EloScale, Estimate, Hypothesis, MeanLogRatio, SignedRanks, elo_estimate,
    elo_ratio, hodges_lehmann, holm, mixture_interval, mixture_log_evidence, newcombe, normalized_elo, power,
    wilson,
};
use serde_json::Value;

/// Number of cases, so that none is lost.
const CASES: usize = 81;

/// One case: input and expected output.
struct Case<'a>(&'a Value);

impl Case<'_> {
    fn input(&self, name: &str) -> &Value {
        let input = &self.0["inputs"][name];
        assert!(!input.is_null(), "{}: no input {name}", self.0);
        input
    }

    fn count(&self, name: &str) -> u64 {
        self.input(name).as_u64().expect("a count")
    }

    fn number(&self, name: &str) -> f64 {
        self.input(name).as_f64().expect("a number")
    }

    fn list(&self, name: &str) -> Vec<f64> {
        numbers(self.input(name))
    }

    fn counts<const N: usize>(&self, name: &str) -> [u64; N] {
        let counts = self.input(name).as_array().expect("a list").iter();
        counts
            .map(|count| count.as_u64().expect("a count"))
            .collect::<Vec<_>>()
            .try_into()
            .expect("that many cells")
    }

    /// Checks that the result is within the case's tolerance. An expected value that is not finite
    /// (`inf`, `nan`, null) means that we return none.
    #[track_caller]
    fn assert_value(&self, name: &str, actual: impl Into<Option<f64>>) {
        let expected = &self.0["expected"][name];
        assert!(self.0["expected"].get(name).is_some(), "{}: no {name}", self.0);
        let actual = actual.into();
        let Some(number) = expected.as_f64() else {
            assert_eq!(actual, None, "{}: {name} of {expected}", self.0);
            return;
        };
        let actual = actual.unwrap_or_else(|| panic!("{}: no {name}", self.0));
        let tolerance = self.0["tol"].as_f64().expect("a tolerance").min(1e-9);
        let error = (actual - number).abs();
        assert!(
            error <= tolerance * number.abs().max(1.0),
            "{}: {name} is {actual}, not {number}: off {error:e}",
            self.0
        );
    }

    #[track_caller]
    fn assert_bounds(&self, interval: Option<Estimate>, low: &str, high: &str) {
        let interval = interval.expect("there are trials");
        assert_eq!(interval.level, self.number("conf"));
        self.assert_value(low, interval.low);
        self.assert_value(high, interval.high);
    }

    fn gsprt<const N: usize>(&self, counts: [u64; N]) {
        let model = match self.input("model").as_str() {
            Some("logistic") => EloScale::Logistic,
            Some("normalized") => EloScale::Normalized,
            _ => panic!("{}: an unknown model", self.0),
        };
        let (elo0, elo1) = (self.number("elo0"), self.number("elo1"));
        self.assert_value("llr", elo_ratio(counts, elo0, elo1, model));
    }

    /// Checks Elo from a share of the points, and from the ends of an interval around it.
    fn elo<const N: usize>(&self, counts: [u64; N]) {
        let trials = counts.iter().sum::<u64>() as f64;
        let cells = (0..N).map(|cell| cell as f64 / (N - 1) as f64);
        let share = cells.zip(counts).map(|(cell, count)| count as f64 * cell).sum::<f64>() / trials;
        self.assert_value("score", share);
        let half_width = 1.959_963_984_540_054 * self.0["expected"]["se_score"].as_f64().expect("an error");
        let interval =
            Estimate { value: share, low: share - half_width, high: share + half_width, level: 0.95 };
        let elo = elo_estimate(interval);
        let if_finite = |elo: f64| Some(elo).filter(|elo| elo.is_finite());
        self.assert_value("elo", if_finite(elo.value));
        self.assert_value("elo_lo", if_finite(elo.low));
        self.assert_value("elo_hi", if_finite(elo.high));
        if let Ok(pairs) = <[u64; 5]>::try_from(&counts[..]) {
            let normalized = normalized_elo(interval, pairs);
            self.assert_value("nelo", normalized.map(|elo| elo.value));
            self.assert_value("nelo_error", normalized.map(|elo| (elo.high - elo.low) / 2.0));
        }
    }
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

#[allow(clippy::too_many_lines, reason = "one case for each function")]
fn check(case: &Case<'_>) {
    match case.0["function"].as_str().expect("a name") {
        "wilson" => {
            let rate = wilson(case.count("k"), case.count("n"), case.number("conf"));
            case.assert_bounds(rate, "lo", "hi");
        }
        "mcnemar_exact" => {
            let (only_first, only_second) = (case.count("b"), case.count("c"));
            let pairs = ContingencyTable { both: 5, only_first, only_second, neither: 3 };
            case.assert_value("p_two_sided", pairs.mcnemar());
        }
        "newcombe_diff" => {
            let (first, second) =
                ((case.count("k1"), case.count("n1")), (case.count("k2"), case.count("n2")));
            let interval = newcombe(first, second, case.number("conf"));
            case.assert_bounds(interval, "lo", "hi");
            case.assert_value("diff", interval.map(|interval| interval.value));
        }
        "newcombe_paired" => {
            let pairs = ContingencyTable {
                both: case.count("both"),
                only_first: case.count("only_a"),
                only_second: case.count("only_b"),
                neither: case.count("neither"),
            };
            let interval = pairs.difference(case.number("conf"));
            case.assert_bounds(interval, "lo", "hi");
            case.assert_value("diff", interval.map(|interval| interval.value));
        }
        "wald_bounds" => {
            let bounds = Bounds::new(case.number("alpha"), case.number("beta"));
            case.assert_value("lower", bounds.lower);
            case.assert_value("upper", bounds.upper);
            let decision = match bounds.decide(case.number("llr")) {
                None => "continue",
                Some(Hypothesis::Null) => "accept_h0",
                Some(Hypothesis::Alternative) => "accept_h1",
            };
            assert_eq!(case.0["expected"]["decision"], decision, "{}", case.0);
        }
        "gsprt_trinomial" => case.gsprt(case.counts::<3>("losses_draws_wins")),
        "gsprt_pentanomial" => case.gsprt(case.counts::<5>("ll_ld_mid_wd_ww")),
        "elo_wdl" => case.elo(case.counts::<3>("losses_draws_wins")),
        "elo_pentanomial" => case.elo(case.counts::<5>("ll_ld_mid_wd_ww")),
        "holm" => {
            let adjusted = holm(&case.list("p"));
            let expected = numbers(&case.0["expected"]["adjusted"]);
            let max_error = adjusted
                .iter()
                .zip(&expected)
                .map(|(actual, expected)| (actual - expected).abs())
                .fold(0.0, f64::max);
            assert!(adjusted.len() == expected.len() && max_error <= 1e-9, "{}: {adjusted:?}", case.0);
        }
        "paired_t_log" => {
            let pairs = case.list("a").into_iter().zip(case.list("b"));
            let ratio = MeanLogRatio::from_pairs(pairs).expect("pairs").ratio(case.number("conf"));
            case.assert_bounds(Some(ratio.estimate), "lo", "hi");
            case.assert_value("ratio", ratio.estimate.value);
            case.assert_value("p_two_sided", ratio.p);
            let count = case.list("a").len() as f64;
            case.assert_value("t", ratio.estimate.value.ln() / (ratio.spread / count.sqrt()));
        }
        "sample_size_two_proportions" => {
            let (p1, p2) = (case.number("p1"), case.number("p2"));
            let trials = power::trials_for_rates(p1, p2, 1.0 - case.number("alpha"), case.number("power"));
            case.assert_value("n_per_arm_exact", trials);
            case.assert_value("n_per_arm", trials.ceil());
        }
        "sample_size_mcnemar" => {
            let (only_first, only_second) = (case.number("p10"), case.number("p01"));
            let level = 1.0 - case.number("alpha");
            let pairs = power::common_trials_for_rates(only_first, only_second, level, case.number("power"));
            case.assert_value("n_pairs_exact", pairs);
            case.assert_value("n_pairs", pairs.ceil());
        }
        "beta_mixture_cs" => {
            let (successes, trials) = (case.count("k"), case.count("n"));
            let prior = (case.number("a"), case.number("b"));
            case.assert_bounds(
                Some(mixture_interval(successes, trials, case.number("conf"), prior)),
                "lo",
                "hi",
            );
            let evidence = mixture_log_evidence(successes, trials, case.number("p_null"), prior);
            case.assert_value("log_e_at_null", evidence);
        }
        "wilcoxon_exact" => {
            let ranks = SignedRanks::new(&case.list("d").into_iter().collect());
            case.assert_value("w_plus", ranks.sum_above);
            case.assert_value("n_nonzero", ranks.values as f64);
            case.assert_value("p_two_sided", ranks.exact_p());
            assert_eq!(Some(ranks.p()), ranks.exact_p());
        }
        "wilcoxon_normal" => {
            let ranks = SignedRanks::new(&case.list("d").into_iter().collect());
            let (z, p) = ranks.normal_approximation(case.input("continuity").as_bool().expect("yes or no"));
            case.assert_value("w_plus", ranks.sum_above);
            case.assert_value("n_nonzero", ranks.values as f64);
            case.assert_value("z", z);
            case.assert_value("p_two_sided", p);
        }
        "hodges_lehmann_one_sample" => {
            let location = hodges_lehmann(&case.list("x").into_iter().collect(), case.number("conf"));
            case.assert_bounds(location, "lo", "hi");
            case.assert_value("estimate", location.map(|location| location.value));
        }
        other => panic!("{other} is compared with nothing"),
    }
}

#[test]
fn agrees_with_values_computed_elsewhere() {
    let vectors: Value = serde_json::from_str(include_str!("../vectors/stats.json")).expect("cases");
    let cases = vectors["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), CASES);
    cases.iter().for_each(|case| check(&Case(case)));
}
