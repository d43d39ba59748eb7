//! Results of the methods on noisy objectives whose best point is known.
//!
//! The constants of the methods were chosen with other seeds.

mod ends;
mod objective;
mod random_search;

use gauntlet_core::rng::Seed;
use gauntlet_methods::cma_es::CmaEs;
use gauntlet_methods::loss_comparison::{excess, is_positive};
use gauntlet_methods::method::{CandidateLosses, MethodStep, Optimizer, Point, Space, StepKind};
use gauntlet_methods::spsa::Spsa;
use gauntlet_methods::{AcceptanceCriterion, METHODS, PlayerMethod, SettingsMethod, TuningMethod, min_games};
use rayon::prelude::*;

use self::objective::{Objective, START_LOSS, all_objectives, flat_objective};
use super::search::Search;
use super::validation::risk_divisor;

/// The first seed of the searches that must reach a bar.
const FIRST_SEED: u64 = 101;

/// Returns the methods that tune settings.
fn settings_methods() -> impl Iterator<Item = SettingsMethod> {
    METHODS.iter().filter_map(|tuning_method| match tuning_method {
        TuningMethod::Settings(method) => Some(*method),
        TuningMethod::Players(_) => None,
    })
}

/// Returns the methods that choose one of several players.
fn player_methods() -> impl Iterator<Item = PlayerMethod> {
    METHODS.iter().filter_map(|tuning_method| match tuning_method {
        TuningMethod::Players(method) => Some(*method),
        TuningMethod::Settings(_) => None,
    })
}

/// Runs the searches of an acceptance criterion. Returns true if they meet it, and the share of the
/// start's loss that each search leaves.
fn check_methods(
    criterion: AcceptanceCriterion,
    objective: &Objective,
    search: impl Fn(u64) -> Search + Sync,
) -> (bool, Vec<f64>) {
    // A bar that allows the whole loss, or a miss in every search, requires nothing.
    assert!(
        criterion.remaining_loss < 1.0 && criterion.allowed_misses < criterion.searches,
        "{criterion:?} holds a method to nothing"
    );
    let seeds: Vec<u64> = (FIRST_SEED..).take(criterion.searches as usize).collect();
    let losses_left = seeds.into_par_iter().map(|seed| {
        let search = search(seed);
        assert!(search.games_spent() <= criterion.games);
        objective.loss(search.best_point()) / START_LOSS
    });
    let losses_left: Vec<f64> = losses_left.collect();
    let misses = losses_left.iter().filter(|loss| **loss >= criterion.remaining_loss).count();
    (misses as u64 <= criterion.allowed_misses, losses_left)
}

/// Returns the objectives on which a method misses its bar, with the losses left.
fn find_misses(method: SettingsMethod) -> Vec<(&'static str, Vec<f64>)> {
    let find_miss = |objective: Objective| {
        let search = |seed| objective.search(method, seed, method.criterion.games);
        let (is_met, losses_left) = check_methods(method.criterion, &objective, search);
        (!is_met).then_some((objective.name, losses_left))
    };
    all_objectives().into_iter().filter_map(find_miss).collect()
}

#[test]
fn every_method_keeps_its_bar() {
    for method in settings_methods() {
        assert_eq!(find_misses(method), [], "{method:?}");
    }
}

#[test]
fn a_weak_baseline_keeps_a_low_bar_only() {
    let method = |criterion| SettingsMethod {
        name: "random-search",
        about: "",
        create: random_search::begin,
        criterion,
    };
    let usual = AcceptanceCriterion::new(20_000);
    assert_eq!(find_misses(method(usual)).len(), all_objectives().len());
    assert_eq!(find_misses(method(AcceptanceCriterion { remaining_loss: 0.9, ..usual })), []);
}

/// Points from the start to the best one, which loses a tenth less than the next.
#[test]
fn every_choice_finds_the_best() {
    let objective = &all_objectives()[0];
    // Losses grow with the square of the distance.
    let losses: [f64; 12] = [0.6, 0.5, 0.4, 0.3, 0.3, 0.2, 0.2, 0.15, 0.1, 0.1, 0.0, 0.45];
    let candidates: Vec<Point> =
        losses.iter().map(|loss| objective.point_between(1.0 - (loss / START_LOSS).sqrt())).collect();
    for method in player_methods() {
        let (is_met, losses_left) = check_methods(method.criterion, objective, |seed| {
            let search = Search::with_players(method, &candidates, Seed::root(seed));
            let search = objective.run(search, seed, method.criterion.games);
            // The race ends when one player is left, and does not use the rest of the budget.
            assert!(search.games_spent() < method.criterion.games);
            search
        });
        assert!(is_met, "{method:?}: {losses_left:?}");
    }
}

#[test]
fn a_larger_budget_begins_as_a_smaller_one_did() {
    let list: Vec<Point> =
        (0..5_u32).map(|i| all_objectives()[0].point_between(f64::from(i) / 4.0)).collect();
    for objective in all_objectives() {
        for tuning_method in METHODS {
            let run = |seed: u64, budget: u64| match *tuning_method {
                TuningMethod::Settings(method) => objective.search(method, seed, budget),
                TuningMethod::Players(method) => {
                    objective.run(Search::with_players(method, &list, Seed::root(seed)), seed, budget)
                }
            };
            let (short, repeated) = (run(1, 1_500), run(1, 1_500));
            assert_eq!(short.rows(), repeated.rows(), "{}", objective.name);
            let long = run(1, 6_000);
            // Compares without the final check, and without the last round of a race, which is
            // shortened.
            let is_race = matches!(tuning_method, TuningMethod::Players(_));
            let end = short.rows().iter().position(|row| row.kind == StepKind::Final);
            let path = &short.rows()[..end.unwrap_or(short.rows().len()) - usize::from(is_race)];
            assert!(path.len() > 3);
            assert_eq!(path, &long.rows()[..path.len()]);
            assert_ne!(path, &run(2, 1_500).rows()[..path.len()]);
        }
    }
}

/// A step whose losses were not recorded is asked for again, so a search may be interrupted at any
/// moment.
#[test]
fn asking_again_changes_nothing() {
    let objective = &all_objectives()[0];
    for tuning_method in METHODS {
        let mut method = match tuning_method {
            TuningMethod::Settings(method) => (method.create)(&objective.space(), Seed::root(1)),
            TuningMethod::Players(method) => (method.create)(&[vec![0.0], vec![1.0]], Seed::root(1)),
        };
        let step = method.ask(10_000);
        assert_eq!(method.ask(10_000), step);
        assert_eq!(method.ask(1), None);
        assert_eq!(method.ask(10_000), step);
    }
}

/// The path does not depend on the unit of the loss.
#[test]
fn the_unit_of_the_loss_does_not_matter() {
    let objective = &all_objectives()[0];
    for method in settings_methods() {
        let path_with_unit = |unit: f64| {
            let mut search = Search::with_settings(method, &objective.space(), 1, Seed::root(1));
            let mut number = 0;
            while let Some(step) = search.ask(3_000 - search.games_spent()) {
                let mut losses = objective.play(&step, Seed::root(1), number);
                losses.iter_mut().flatten().flatten().for_each(|loss| *loss *= unit);
                search.record_losses(&step, &losses);
                number += 1;
            }
            search.rows().iter().map(|row| row.point.clone()).collect::<Vec<_>>()
        };
        // Powers of two multiply without rounding.
        assert_eq!(path_with_unit(1.0), path_with_unit(1024.0));
        assert_eq!(path_with_unit(1.0), path_with_unit(1.0 / 1024.0));
    }
}

/// Bounds of a check contain the true gain, which is 0, as often as their level requires.
#[test]
fn nothing_is_gained_where_nothing_can_be() {
    let flat = flat_objective();
    // As many searches of each method as its bar has, so the slowest methods have few.
    let run_searches = |method: SettingsMethod| {
        let flat = &flat;
        (0..5 * method.criterion.searches).map(move |seed| flat.search(method, seed, 2_000))
    };
    let searches: Vec<Search> = settings_methods().flat_map(run_searches).collect();
    let checks = searches.iter().flat_map(|search| search.rows().iter().filter_map(|row| row.check));
    let gains: Vec<_> = checks.filter_map(|check| check.gain).collect();
    let claimed_count = gains.iter().filter(|gain| gain.low > 0.0).count();
    // 2.5 % are expected. With 400 gains, more than 5 % have a probability of 0.002.
    assert!(gains.len() >= 400 && claimed_count * 20 <= gains.len(), "{claimed_count} of {}", gains.len());
    // 5 % at most; with 200 searches, more than 10 % have a probability of 0.001.
    assert!(searches.iter().filter(|search| search.has_gone_back()).count() * 10 <= searches.len());
}

/// If a tuning is continued and validated repeatedly, the risk that any validation wrongly reports
/// an improvement stays within the requested risk.
#[test]
fn better_is_a_false_alarm_as_rarely_as_it_says() {
    const RUNS: u64 = 400;
    let flat = flat_objective();
    let spsa = settings_methods().next().expect("a method");
    let alarms = (0..RUNS).filter(|&run| {
        let search = flat.search(spsa, 10_000 + run, 500);
        (1..=4).any(|number| {
            let candidates = vec![flat.start.clone(), search.best_point().clone()];
            let step = MethodStep { kind: StepKind::Final, candidates, blocks: 60 };
            let losses = flat.play(&step, Seed::root(run).child("validation", number), number);
            let [start, answer] = [0, 1].map(|side| losses[side].clone().expect("it is played"));
            let gain = excess(&start, &answer).expect("several blocks");
            // Two-sided, as validation tests.
            is_positive(gain, 0.05 / risk_divisor(number) / 2.0)
        })
    });
    // At most 2.5 % are expected: 10. More than 20 have a probability of 0.001.
    let alarms = alarms.count();
    assert!((1..=20).contains(&alarms), "{alarms} of {RUNS}");
}

/// If the gain is far too large for a steep objective, the method only oscillates. Checks send it
/// back if the average of its points is bad, and it never ends worse than it began.
#[test]
fn with_a_gain_that_is_too_large_it_goes_back() {
    let objective = all_objectives()[0].steep();
    let mut return_count = 0;
    for seed in (FIRST_SEED..).take(20) {
        let spsa = Spsa::new(&objective.space(), Seed::root(seed)).with_gain(300.0);
        let search = objective.run(Search::new(Box::new(spsa), true), seed, 20_000);
        let final_loss = objective.loss(search.best_point());
        assert!(final_loss <= objective.loss(&objective.start), "seed {seed}: {final_loss}");
        return_count += usize::from(search.has_gone_back());
    }
    assert!(return_count > 0);
}

/// A method that moves away from the best point.
struct StrayingMethod {
    point: Point,
    stride: Vec<f64>,
}

impl Optimizer for StrayingMethod {
    fn ask(&mut self, games_left: u64) -> Option<MethodStep> {
        let step = MethodStep { kind: StepKind::Step, candidates: vec![self.point.clone()], blocks: 10 };
        (step.games() <= games_left).then_some(step)
    }

    fn record_losses(&mut self, _: &MethodStep, _: &[CandidateLosses]) {
        self.point.iter_mut().zip(&self.stride).for_each(|(x, stride)| *x += stride);
    }

    fn best_point(&self) -> Point {
        self.point.clone()
    }

    fn restart_at(&mut self, point: &Point) {
        self.point.clone_from(point);
        self.stride.fill(0.0);
    }
}

#[test]
fn a_method_that_goes_astray_goes_back() {
    let objective = &all_objectives()[0];
    let near_point = objective.point_between(0.002);
    let stride = objective.start.iter().zip(&near_point).map(|(start, ahead)| start - ahead).collect();
    let method = StrayingMethod { point: objective.start.clone(), stride };
    let search = objective.run(Search::new(Box::new(method), true), 1, 20_000);
    let first_return = search.rows().iter().position(|row| row.check.is_some_and(|check| !check.is_kept));
    let rows = &search.rows()[first_return.expect("a check that sends it back")..];
    assert!(rows[0].check.and_then(|check| check.gain).is_some_and(|gain| gain.high < 0.0));
    assert!(objective.loss(&rows[0].point) > START_LOSS);
    assert_eq!(*search.best_point(), objective.start);
}

/// Refused points are counted, and the search continues without them.
#[test]
fn what_is_refused_is_counted_and_never_answered() {
    let objective = &all_objectives()[0];
    for method in settings_methods() {
        let budget = method.criterion.games;
        let is_refused = |point: &[f64]| point[0] + point[3] > 1.03;
        let mut search = Search::with_settings(method, &objective.space(), 1, Seed::root(1));
        let (mut number, mut refused_count, mut games) = (0, 0, 0);
        while let Some(step) = search.ask(budget - search.games_spent()) {
            let mut losses = objective.play(&step, Seed::root(1), number);
            for (point, losses) in step.candidates.iter().zip(&mut losses) {
                if is_refused(point) {
                    *losses = None;
                    refused_count += 1;
                }
            }
            games += step.blocks * losses.iter().flatten().count() as u64;
            search.record_losses(&step, &losses);
            number += 1;
        }
        assert_eq!((search.refused_candidates(), search.games_spent()), (refused_count, games));
        assert!(refused_count > 0 && !is_refused(search.best_point()));
        // The best point is refused; near the border there are good points.
        assert!(
            objective.loss(search.best_point())
                < START_LOSS * (5.0 * method.criterion.remaining_loss).min(1.0)
        );
    }
}

/// If everything except the start is refused, the search plays nothing and ends.
#[test]
fn a_search_ends_where_all_is_refused() {
    let start = vec![0.5, 0.5];
    let space = Space { start: start.clone(), resolution: vec![0.0; 2] };
    let list = [start.clone(), vec![0.0, 0.0], vec![1.0, 1.0]];
    for tuning_method in METHODS {
        let mut search = match *tuning_method {
            TuningMethod::Settings(method) => Search::with_settings(method, &space, 1, Seed::root(1)),
            TuningMethod::Players(method) => Search::with_players(method, &list, Seed::root(1)),
        };
        while let Some(step) = search.ask(10_000 - search.games_spent()) {
            let losses_of = |point: &Point| (*point == start).then(|| vec![1.0; step.blocks as usize]);
            let losses: Vec<CandidateLosses> = step.candidates.iter().map(losses_of).collect();
            search.record_losses(&step, &losses);
        }
        assert_eq!(*search.best_point(), start);
        assert!(search.games_spent() <= 8);
    }
}

/// On an axis of whole numbers the candidates of a step are different players.
#[test]
fn whole_numbers_are_told_apart() {
    // Whole numbers from 0 to 2, and from 0 to 10.
    let space = Space { start: vec![0.5, 0.1], resolution: vec![0.5, 0.1] };
    let whole = |point: &Point, axis: usize| libm::round(point[axis] / space.resolution[axis]);
    let mut spsa = Spsa::new(&space, Seed::root(1));
    let mut cma_es = CmaEs::new(&space, Seed::root(1));
    for number in 0..200 {
        let lose = |step: &MethodStep| -> Vec<CandidateLosses> {
            let loss = |point: &Point| whole(point, 0) + whole(point, 1) / 3.0;
            let noise = |block: u64| ((number * 7 + block * 13) % 10) as f64 / 10.0;
            step.candidates
                .iter()
                .map(|point| Some((0..step.blocks).map(|block| loss(point) + noise(block)).collect()))
                .collect()
        };
        let step = spsa.ask(10_000).expect("a step");
        for pair in step.candidates.chunks(2) {
            assert!((0..2).all(|axis| whole(&pair[0], axis) != whole(&pair[1], axis)), "{pair:?}");
        }
        spsa.record_losses(&step, &lose(&step));
        let step = cma_es.ask(100_000).expect("a step");
        for axis in 0..2 {
            assert!(
                step.candidates.iter().any(|point| whole(point, axis) != whole(&step.candidates[0], axis))
            );
        }
        cma_es.record_losses(&step, &lose(&step));
    }
    for answer in [spsa.best_point(), cma_es.best_point()] {
        assert_eq!((whole(&answer, 0), whole(&answer, 1)), (0.0, 0.0), "{answer:?}");
    }
}

/// With the minimum number of games, each of several searches has moved before the final check.
#[test]
fn the_least_number_of_games_lets_all_searches_begin() {
    let space = Space { start: vec![0.3; 2], resolution: vec![0.0; 2] };
    for tuning_method in METHODS {
        let &TuningMethod::Settings(method) = tuning_method else { continue };
        for searches in [2, 3, 5, 16] {
            let min_games = min_games(method, 2, searches);
            let mut search = Search::with_settings(method, &space, searches, Seed::root(1));
            let (mut step_count, mut games_left) = (0, min_games);
            while let Some(step) = search.ask(games_left) {
                step_count += u32::from(step.kind == StepKind::Step);
                games_left -= step.games();
                let losses = step.candidates.iter().map(|point| Some(vec![point[0]; step.blocks as usize]));
                search.record_losses(&step, &losses.collect::<Vec<CandidateLosses>>());
            }
            assert!(step_count >= searches, "{}: {step_count} of {searches}", method.name);
        }
    }
}
