//! Statistics against values computed elsewhere: see `vectors/README.md`.

use gauntlet::stats::{
    Bounds, Estimate, Hypothesis, Model, Pairs, SignedRanks, agresti_coull, clopper_pearson, elo_ratio,
    elo_ratio_approximated, hodges_lehmann, hodges_lehmann_shift, holm, jeffreys, jeffreys_equal_tailed,
    mixture_interval, mixture_log_evidence, newcombe, paired_ratio, power, quantile_ranks, rating,
    wald_expected_trials, wald_ratio, wilson,
};
use serde_json::Value;

/// How many cases there are, so that none is lost.
const CASES: usize = 114;

/// One case: what goes in, and what has to come out.
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

    /// What comes out has to be as near as the case says. A value that is no number here (`inf`, `nan`, null) is one
    /// that we do not give.
    #[track_caller]
    fn gives(&self, name: &str, got: impl Into<Option<f64>>) {
        let expected = &self.0["expected"][name];
        assert!(self.0["expected"].get(name).is_some(), "{}: no {name}", self.0);
        let got = got.into();
        let Some(number) = expected.as_f64() else {
            assert_eq!(got, None, "{}: {name} of {expected}", self.0);
            return;
        };
        let got = got.unwrap_or_else(|| panic!("{}: no {name}", self.0));
        let tolerance = self.0["tol"].as_f64().expect("a tolerance").min(1e-9);
        let off = (got - number).abs();
        assert!(
            off <= tolerance * number.abs().max(1.0),
            "{}: {name} is {got}, not {number}: off {off:e}",
            self.0
        );
    }

    #[track_caller]
    fn gives_bounds(&self, interval: Option<Estimate>, low: &str, high: &str) {
        let interval = interval.expect("there are trials");
        assert_eq!(interval.level, self.number("conf"));
        self.gives(low, interval.low);
        self.gives(high, interval.high);
    }

    #[track_caller]
    fn gives_decision(&self, decision: Option<Hypothesis>) {
        let word = match decision {
            None => "continue",
            Some(Hypothesis::Null) => "accept_h0",
            Some(Hypothesis::Alternative) => "accept_h1",
        };
        assert_eq!(self.0["expected"]["decision"], word, "{}", self.0);
    }

    fn rate(&self, interval: fn(u64, u64, f64) -> Option<Estimate>) -> Option<Estimate> {
        interval(self.count("k"), self.count("n"), self.number("conf"))
    }

    fn bounds(&self) -> Bounds {
        let bounds = Bounds::of(self.number("alpha"), self.number("beta"));
        self.gives("lower", bounds.lower);
        self.gives("upper", bounds.upper);
        bounds
    }

    fn gsprt<const N: usize>(&self, counts: [u64; N]) {
        let model = match self.input("model").as_str() {
            Some("logistic") => Model::Logistic,
            Some("normalized") => Model::Normalized,
            _ => panic!("{}: an unknown model", self.0),
        };
        let (elo0, elo1) = (self.number("elo0"), self.number("elo1"));
        self.gives("llr", elo_ratio(counts, elo0, elo1, model));
        self.gives("llr_simple", elo_ratio_approximated(counts, elo0, elo1));
    }

    fn rating<const N: usize>(&self, counts: [u64; N]) {
        let rating = rating(counts, 0.95).expect("there are trials");
        self.gives("score", rating.score);
        self.gives("se_score", rating.score_error);
        self.gives("elo", rating.elo);
        self.gives("elo_lo", rating.elo_low);
        self.gives("elo_hi", rating.elo_high);
        self.gives("elo_error", rating.elo_error());
        self.gives("nelo", rating.normalized);
        self.gives("nelo_error", rating.normalized_error);
        self.gives("los", rating.superiority);
    }
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

fn check(case: &Case<'_>) {
    match case.0["function"].as_str().expect("a name") {
        "wilson" => case.gives_bounds(case.rate(wilson), "lo", "hi"),
        "agresti_coull" => case.gives_bounds(case.rate(agresti_coull), "lo", "hi"),
        "clopper_pearson" => case.gives_bounds(case.rate(clopper_pearson), "lo", "hi"),
        "jeffreys" => {
            case.gives_bounds(case.rate(jeffreys), "lo_bcd", "hi_bcd");
            case.gives_bounds(case.rate(jeffreys_equal_tailed), "lo_equal_tailed", "hi_equal_tailed");
        }
        "mcnemar_exact" => {
            let (only_first, only_second) = (case.count("b"), case.count("c"));
            let pairs = Pairs { both: 5, only_first, only_second, neither: 3 };
            case.gives("p_two_sided", pairs.mcnemar());
            case.gives("p_mid", pairs.mcnemar_mid());
        }
        "newcombe_diff" => {
            let (first, second) =
                ((case.count("k1"), case.count("n1")), (case.count("k2"), case.count("n2")));
            let interval = newcombe(first, second, case.number("conf"));
            case.gives_bounds(interval, "lo", "hi");
            case.gives("diff", interval.map(|interval| interval.value));
        }
        "newcombe_paired" => {
            let pairs = Pairs {
                both: case.count("both"),
                only_first: case.count("only_a"),
                only_second: case.count("only_b"),
                neither: case.count("neither"),
            };
            let interval = pairs.difference(case.number("conf"));
            case.gives_bounds(interval, "lo", "hi");
            case.gives("diff", interval.map(|interval| interval.value));
        }
        "wald_sprt" => {
            let (p0, p1) = (case.number("p0"), case.number("p1"));
            let ratio = wald_ratio(case.count("successes"), case.count("trials"), p0, p1);
            case.gives("llr", ratio);
            case.gives_decision(case.bounds().decide(ratio));
            let (null, alternative) = wald_expected_trials(case.number("alpha"), case.number("beta"), p0, p1);
            case.gives("asn_h0", null);
            case.gives("asn_h1", alternative);
        }
        "wald_sprt_path" => wald_path(case),
        "gsprt_trinomial" => case.gsprt(case.counts::<3>("losses_draws_wins")),
        "gsprt_pentanomial" => case.gsprt(case.counts::<5>("ll_ld_mid_wd_ww")),
        "elo_wdl" => case.rating(case.counts::<3>("losses_draws_wins")),
        "elo_pentanomial" => case.rating(case.counts::<5>("ll_ld_mid_wd_ww")),
        "holm" => {
            let adjusted = holm(&case.list("p"));
            let expected = numbers(&case.0["expected"]["adjusted"]);
            let off = adjusted
                .iter()
                .zip(&expected)
                .map(|(got, expected)| (got - expected).abs())
                .fold(0.0, f64::max);
            assert!(adjusted.len() == expected.len() && off <= 1e-9, "{}: {adjusted:?}", case.0);
        }
        "paired_t_log" => {
            let pairs = case.list("a").into_iter().zip(case.list("b"));
            let ratio = paired_ratio(pairs, case.number("conf")).expect("pairs");
            case.gives_bounds(Some(ratio.estimate), "lo", "hi");
            case.gives("ratio", ratio.estimate.value);
            case.gives("p_two_sided", ratio.p);
            case.gives("t", ratio.estimate.value.ln() / (ratio.spread / (ratio.pairs as f64).sqrt()));
            case.gives("df", (ratio.pairs - 1) as f64);
        }
        "sample_size_two_proportions" => {
            let (p1, p2) = (case.number("p1"), case.number("p2"));
            let trials = power::trials_for_rates(p1, p2, 1.0 - case.number("alpha"), case.number("power"));
            case.gives("n_per_arm_exact", trials);
            case.gives("n_per_arm", trials.ceil());
        }
        "sample_size_mcnemar" => {
            let (only_first, only_second) = (case.number("p10"), case.number("p01"));
            let level = 1.0 - case.number("alpha");
            let pairs = power::pairs_for_rates(only_first, only_second, level, case.number("power"));
            case.gives("n_pairs_exact", pairs);
            case.gives("n_pairs", pairs.ceil());
        }
        "beta_mixture_cs" => {
            let (successes, trials) = (case.count("k"), case.count("n"));
            let prior = (case.number("a"), case.number("b"));
            case.gives_bounds(
                Some(mixture_interval(successes, trials, case.number("conf"), prior)),
                "lo",
                "hi",
            );
            let evidence = mixture_log_evidence(successes, trials, case.number("p_null"), prior);
            case.gives("log_e_at_null", evidence);
        }
        "wilcoxon_exact" => {
            let ranks = SignedRanks::of(&case.list("d"));
            case.gives("w_plus", ranks.sum_above);
            case.gives("n_nonzero", ranks.values as f64);
            case.gives("p_two_sided", ranks.exact());
            assert_eq!(Some(ranks.p()), ranks.exact());
        }
        "wilcoxon_normal" => {
            let ranks = SignedRanks::of(&case.list("d"));
            let (z, p) = ranks.normal(case.input("continuity").as_bool().expect("yes or no"));
            case.gives("w_plus", ranks.sum_above);
            case.gives("n_nonzero", ranks.values as f64);
            case.gives("z", z);
            case.gives("p_two_sided", p);
        }
        "hodges_lehmann_one_sample" => {
            let location = hodges_lehmann(&case.list("x"), case.number("conf")).expect("values");
            case.gives_bounds(Some(location.estimate), "lo", "hi");
            case.gives("estimate", location.estimate.value);
            case.gives("achieved_conf", location.achieved);
            case.gives("k", location.rank as f64);
        }
        "hodges_lehmann_two_sample" => {
            case.gives("shift", hodges_lehmann_shift(&case.list("x"), &case.list("y")));
        }
        "quantile_ci_ranks" => {
            let ranks = quantile_ranks(case.count("n"), case.number("q"), case.number("conf"));
            case.gives("lower_rank", ranks.lower.map(|rank| rank as f64));
            case.gives("upper_rank", ranks.upper.map(|rank| rank as f64));
            case.gives("coverage", ranks.coverage);
        }
        other => panic!("{other} is compared with nothing"),
    }
}

/// Every outcome looked at, in order.
fn wald_path(case: &Case<'_>) {
    let (p0, p1) = (case.number("p0"), case.number("p1"));
    let bounds = case.bounds();
    let expected = numbers(&case.0["expected"]["path"]);
    let (mut successes, mut stop) = (0, None);
    let outcomes = case.input("outcomes").as_str().expect("letters").chars();
    for ((trials, outcome), expected) in (1..).zip(outcomes).zip(&expected) {
        successes += u64::from(outcome == 'W');
        let ratio = wald_ratio(successes, trials, p0, p1);
        assert!((ratio - expected).abs() <= 1e-9, "{}: {ratio} after {trials}", case.0);
        let decision = bounds.decide(ratio).map(|hypothesis| (trials, ratio, hypothesis));
        stop = stop.or(decision);
    }
    case.gives("stop_after", stop.map(|(trials, ..)| trials as f64));
    case.gives("llr_at_stop", stop.map(|(_, ratio, _)| ratio));
    case.gives_decision(stop.map(|(.., hypothesis)| hypothesis));
}

#[test]
fn agrees_with_values_computed_elsewhere() {
    let vectors: Value = serde_json::from_str(include_str!("vectors/stats.json")).expect("cases");
    let cases = vectors["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), CASES);
    cases.iter().for_each(|case| check(&Case(case)));
}
