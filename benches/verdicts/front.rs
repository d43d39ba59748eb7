//! Errors of the Pareto front for players whose true place is known. Simulated games and times are
//! tested as in the leaderboard.
//!
//! This plan was fixed before the first run. There are 2,000 runs each of four and of six equal
//! players with 300 games, and of ten players with a known front. There are 200 runs of the 43
//! players of results/leaderboard, with their numbers there as the truth. The root of the seeds is
//! 43. A run is wrong if it wrongly calls any player on or off the front. At most 5 % of the runs
//! of each kind may be wrong.
//!
//! Two consecutive runs are a leaderboard and its repetition. Their fronts are equal if they
//! contain the same players. They contradict each other if a player is on one front and off the
//! other. The rules for repetitions were added after a trial of 20 runs, before the others.

use std::path::Path;

use gauntlet::compare::comparison::{ComparedPlayer, Comparison, TestResult};
use gauntlet::compare::front::{FrontAxis, FrontStatus, MARGIN, pareto_front};
use gauntlet::compare::question::ComparisonQuestion;
use gauntlet::compare::time::WITHIN_RUN;
use gauntlet::game::Outcome;
use gauntlet::measure::Measure;
use gauntlet::record::{CalibrationRuns, Ending, GameRecord};
use gauntlet::results::store::read::Results;
use gauntlet::rng::Seed;
use gauntlet::run::blocks::BlockSeeds;
use gauntlet::run::sample::{ExperimentBlocks, Sample};
use gauntlet::tally::player_times::{PARTS, PlayerTimes, ThinkingTime};

use crate::{errors, normal, rate};

/// Games per player.
const GAMES: u64 = 300;

/// Player: mean and standard deviation of the logarithm of its score, and logarithm of its time per
/// move in nanoseconds.
#[derive(Clone, Copy)]
struct Player {
    score: f64,
    spread: f64,
    ns: f64,
}

fn player(score: f64, ns: f64) -> Player {
    Player { score, spread: 0.6, ns }
}

pub(crate) fn print(numbers: &[f64]) {
    let runs = numbers[0] as u64;
    report("four equal players", &[player(9.0, 8.0); 4], runs);
    report("six equal players", &[player(9.0, 8.0); 6], runs);
    report("ten players, some of them at the borders", &borderline_players(), runs);
    report("the players of results/leaderboard", &leaderboard_players(), runs.min(200));
}

/// Returns five players with a clear place on the front, and five borderline players, for which a
/// test errs most easily. One of them equals another player. Two equal another player in one
/// respect and are a little worse in the other. Two are just over the margin of 5 % away from being
/// off.
fn borderline_players() -> Vec<Player> {
    let mut players: Vec<Player> =
        (0..5).map(|step| player(7.0 + f64::from(step), 5.0 + f64::from(step))).collect();
    let log_margin = (1.0 + MARGIN).ln() + 1e-6;
    players.push(players[2]);
    players.push(player(players[1].score - 0.05, players[1].ns));
    players.push(player(players[1].score, players[1].ns + 0.03));
    players.push(player(players[3].score - 1.0, players[3].ns - log_margin));
    players.push(player(players[4].score - 0.5, players[4].ns - log_margin));
    players
}

/// Returns the players of the committed leaderboard, with their scores and times there.
fn leaderboard_players() -> Vec<Player> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/leaderboard");
    let results = Results::read(gauntlet::catalog(&gauntlet::GAMES), &folder).expect("results");
    let mut clocks = results.read_times().expect("times");
    let players = results.samples(&[Measure::Score]).expect("games").into_iter().map(|(name, sample)| {
        let logs: Vec<f64> = sample.scores().map(|score| (score.max(1) as f64).ln()).collect();
        let score = logs.iter().sum::<f64>() / logs.len() as f64;
        let squares: f64 = logs.iter().map(|log| (log - score) * (log - score)).sum();
        let ms = clocks.remove(&name).and_then(|clock| clock.mean_ms()).expect("a time");
        Player { score, spread: (squares / (logs.len() - 1) as f64).sqrt(), ns: (1e6 * ms).ln() }
    });
    players.collect()
}

/// Returns whether a player is truly on the front, and whether it is truly off.
fn truth(players: &[Player], index: usize) -> [bool; 2] {
    let candidate = players[index];
    let others = || {
        players
            .iter()
            .enumerate()
            .filter(move |(other_index, _)| *other_index != index)
            .map(|(_, other)| other)
    };
    let margins = [(1.0 - MARGIN).ln(), (1.0 + MARGIN).ln()];
    let is_on = others().all(|other| other.score < candidate.score || other.ns > candidate.ns);
    let is_off = others().any(|other| {
        (other.score > candidate.score && other.ns <= candidate.ns + margins[1])
            || (other.ns < candidate.ns && other.score >= candidate.score + margins[0])
    });
    [is_on, is_off]
}

fn report(label: &str, players: &[Player], runs: u64) {
    let truths: Vec<[bool; 2]> = (0..players.len()).map(|index| truth(players, index)).collect();
    let (mut wrong_runs, mut status_counts, mut same_fronts, mut contradictions) = (0, [0; 3], [0; 2], 0);
    let mut previous: Option<(Vec<FrontStatus>, Vec<bool>)> = None;
    for run in 0..runs {
        let (statuses, by_estimates) = simulate_run(players, Seed::root(43).child(label, run));
        let is_wrong = |(front, [is_on, is_off]): (&FrontStatus, &[bool; 2])| match front {
            FrontStatus::On => !is_on,
            FrontStatus::Off => !is_off,
            FrontStatus::Open => false,
        };
        wrong_runs += u64::from(statuses.iter().zip(&truths).any(is_wrong));
        statuses.iter().for_each(|front| status_counts[*front as usize] += 1);
        if let Some((earlier, earlier_by_estimates)) = previous.take() {
            let members = |front: &[FrontStatus]| {
                front.iter().map(|front| *front == FrontStatus::On).collect::<Vec<_>>()
            };
            same_fronts[0] += u64::from(by_estimates == earlier_by_estimates);
            same_fronts[1] += u64::from(members(&statuses) == members(&earlier));
            let mut status_pairs = statuses.iter().zip(&earlier);
            contradictions += u64::from(status_pairs.any(|(one, other)| {
                matches!(
                    (one, other),
                    (FrontStatus::On, FrontStatus::Off) | (FrontStatus::Off, FrontStatus::On)
                )
            }));
        } else {
            previous = Some((statuses, by_estimates));
        }
    }
    let [mean_on, mean_open, mean_off] = status_counts.map(|count| f64::from(count) / runs as f64);
    let count_true = |side: usize| truths.iter().filter(|truth| truth[side]).count();
    println!("{label}, {runs} runs:");
    println!("  any player wrongly on or off: {}", errors(wrong_runs, runs));
    println!(
        "  in the mean {mean_on:.2} on, {mean_open:.2} open, {mean_off:.2} off, of {}, where {} are on and {} off",
        players.len(),
        count_true(0),
        count_true(1)
    );
    let pairs = runs / 2;
    println!(
        "  the repetition has the same front: {}; by estimates alone: {}",
        rate(same_fronts[1], pairs),
        rate(same_fronts[0], pairs)
    );
    println!("  the repetition contradicts the front: {}", rate(contradictions, pairs));
}

/// Simulates a run. Returns its front, and which players are on the front by point estimates.
fn simulate_run(players: &[Player], seed: Seed) -> (Vec<FrontStatus>, Vec<bool>) {
    let blocks = ExperimentBlocks::new(BlockSeeds::Derived { seed: 1, games: GAMES });
    let samples: Vec<Sample> = (0_u64..)
        .zip(players)
        .map(|(index, player)| {
            let mut rng = seed.child("games", index).rng();
            let records: Vec<GameRecord> = (0..GAMES)
                .map(|_| record((player.score + player.spread * normal(&mut rng)).exp().round() as u64))
                .collect();
            let mut sample = Sample::new(blocks.clone(), &[Measure::Score]);
            sample.add(0, &records);
            sample
        })
        .collect();
    let clocks = clocks(players, seed);
    let compared_player = |index: usize| ComparedPlayer {
        name: "",
        games: GAMES,
        sample: &samples[index],
        clock: Some(&clocks[index]),
        run: 0,
    };
    let p = |one: usize, other: usize, axis: FrontAxis, margin: Option<f64>| {
        let make_question = |measure| ComparisonQuestion {
            measure,
            level: 0.95,
            margin,
            is_sequential: false,
            earlier_answers: 0,
        };
        let result = match axis {
            FrontAxis::Strength => {
                TestResult::new(&samples[one], &samples[other], make_question(Measure::Score))
                    .expect("scores")
            }
            FrontAxis::Speed => {
                let question = make_question(Measure::MsPerMove);
                TestResult::from(&Comparison::new(
                    &compared_player(one),
                    &compared_player(other),
                    || None,
                    question,
                    None,
                ))
            }
        };
        result.uncorrected_p()
    };
    let mean = |sample: &Sample| sample.scores().map(|score| score as f64).sum::<f64>() / GAMES as f64;
    let points: Vec<[f64; 2]> = samples
        .iter()
        .zip(&clocks)
        .map(|(sample, clock)| [mean(sample).ln(), -clock.mean_ms().expect("a time").ln()])
        .collect();
    let beats = |one: &[f64; 2], other: &[f64; 2]| one[0] >= other[0] && one[1] >= other[1] && one != other;
    let by_estimates = points.iter().map(|point| !points.iter().any(|other| beats(other, point))).collect();
    (pareto_front(&points, 0.95, &p), by_estimates)
}

fn record(score: u64) -> GameRecord {
    GameRecord {
        outcome: Outcome::Points { score, won: false },
        facts: Default::default(),
        moves: 1000,
        ending: Ending::GameOver,
    }
}

/// Simulates the times of one run. The machine's speed drifts for all players, and times vary from
/// part to part. In addition, each player has an error that is constant over the run.
fn clocks(players: &[Player], seed: Seed) -> Vec<PlayerTimes> {
    let mut rng = seed.child("machine", 0).rng();
    let mut speed = 0.0;
    let speeds: Vec<f64> = (0..PARTS)
        .map(|_| {
            speed = 0.95 * speed + 0.05 * normal(&mut rng);
            speed
        })
        .collect();
    let moves_per_part = 1000 * GAMES / PARTS;
    let clock = |(index, player): (u64, &Player)| {
        let mut rng = seed.child("times", index).rng();
        let run_error = WITHIN_RUN * std::f64::consts::FRAC_1_SQRT_2 * normal(&mut rng);
        let part_time = |(part, speed): (u64, &f64)| {
            let log = player.ns + run_error + speed + 0.03 * normal(&mut rng);
            let calibration = CalibrationRuns { count: 10, ns: (100_000.0 * speed.exp()) as u64 };
            (
                (1, part),
                ThinkingTime {
                    moves: moves_per_part,
                    ns: (moves_per_part as f64 * log.exp()) as u64,
                    calibration_runs: calibration,
                },
            )
        };
        PlayerTimes {
            strata: (0..).zip(&speeds).map(part_time).collect(),
            cold_starts: 1,
            ..PlayerTimes::default()
        }
    };
    (0..).zip(players).map(clock).collect()
}
