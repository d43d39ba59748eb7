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
use gauntlet::tally::clock::{PARTS, PlayerTimes, ThinkingTime};

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
    report("ten players, some of them at the borders", &at_the_borders(), runs);
    report("the players of results/leaderboard", &of_the_leaderboard(), runs.min(200));
}

/// Returns five players with a clear place on the front, and five borderline players, for which a
/// test errs most easily. One of them equals another player. Two equal another player in one
/// respect and are a little worse in the other. Two are just over the margin of 5 % away from being
/// off.
fn at_the_borders() -> Vec<Player> {
    let mut all: Vec<Player> =
        (0..5).map(|step| player(7.0 + f64::from(step), 5.0 + f64::from(step))).collect();
    let just_more = (1.0 + MARGIN).ln() + 1e-6;
    all.push(all[2]);
    all.push(player(all[1].score - 0.05, all[1].ns));
    all.push(player(all[1].score, all[1].ns + 0.03));
    all.push(player(all[3].score - 1.0, all[3].ns - just_more));
    all.push(player(all[4].score - 0.5, all[4].ns - just_more));
    all
}

/// Returns the players of the committed leaderboard, with their scores and times there.
fn of_the_leaderboard() -> Vec<Player> {
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
fn truth(players: &[Player], of: usize) -> [bool; 2] {
    let own = players[of];
    let others = || players.iter().enumerate().filter(move |(place, _)| *place != of).map(|(_, other)| other);
    let margins = [(1.0 - MARGIN).ln(), (1.0 + MARGIN).ln()];
    let on = others().all(|other| other.score < own.score || other.ns > own.ns);
    let off = others().any(|other| {
        (other.score > own.score && other.ns <= own.ns + margins[1])
            || (other.ns < own.ns && other.score >= own.score + margins[0])
    });
    [on, off]
}

fn report(what: &str, players: &[Player], runs: u64) {
    let truths: Vec<[bool; 2]> = (0..players.len()).map(|of| truth(players, of)).collect();
    let (mut wrong, mut called, mut same, mut opposite) = (0, [0; 3], [0; 2], 0);
    let mut last: Option<(Vec<FrontStatus>, Vec<bool>)> = None;
    for run in 0..runs {
        let (found, by_estimates) = played(players, Seed::root(43).child(what, run));
        let is_wrong = |(front, [on, off]): (&FrontStatus, &[bool; 2])| match front {
            FrontStatus::On => !on,
            FrontStatus::Off => !off,
            FrontStatus::Open => false,
        };
        wrong += u64::from(found.iter().zip(&truths).any(is_wrong));
        found.iter().for_each(|front| called[*front as usize] += 1);
        if let Some((earlier, earlier_by_estimates)) = last.take() {
            let on = |front: &[FrontStatus]| {
                front.iter().map(|front| *front == FrontStatus::On).collect::<Vec<_>>()
            };
            same[0] += u64::from(by_estimates == earlier_by_estimates);
            same[1] += u64::from(on(&found) == on(&earlier));
            let mut both = found.iter().zip(&earlier);
            opposite += u64::from(both.any(|(one, other)| {
                matches!(
                    (one, other),
                    (FrontStatus::On, FrontStatus::Off) | (FrontStatus::Off, FrontStatus::On)
                )
            }));
        } else {
            last = Some((found, by_estimates));
        }
    }
    let [on, open, off] = called.map(|count| f64::from(count) / runs as f64);
    let can_be = |place: usize| truths.iter().filter(|truth| truth[place]).count();
    println!("{what}, {runs} runs:");
    println!("  any player wrongly on or off: {}", errors(wrong, runs));
    println!(
        "  in the mean {on:.2} on, {open:.2} open, {off:.2} off, of {}, where {} are on and {} off",
        players.len(),
        can_be(0),
        can_be(1)
    );
    let pairs = runs / 2;
    println!(
        "  the repetition has the same front: {}; by estimates alone: {}",
        rate(same[1], pairs),
        rate(same[0], pairs)
    );
    println!("  the repetition contradicts the front: {}", rate(opposite, pairs));
}

/// Simulates a run. Returns its front, and which players are on the front by point estimates.
fn played(players: &[Player], seed: Seed) -> (Vec<FrontStatus>, Vec<bool>) {
    let blocks = ExperimentBlocks::new(BlockSeeds::Derived { seed: 1, games: GAMES });
    let samples: Vec<Sample> = (0_u64..)
        .zip(players)
        .map(|(place, player)| {
            let mut rng = seed.child("games", place).rng();
            let records: Vec<GameRecord> = (0..GAMES)
                .map(|_| record((player.score + player.spread * normal(&mut rng)).exp().round() as u64))
                .collect();
            let mut sample = Sample::new(blocks.clone(), &[Measure::Score]);
            sample.add(0, &records);
            sample
        })
        .collect();
    let clocks = clocks(players, seed);
    let side = |place: usize| ComparedPlayer {
        name: "",
        games: GAMES,
        sample: &samples[place],
        clock: Some(&clocks[place]),
        run: 0,
    };
    let p = |one: usize, other: usize, axis: FrontAxis, margin: Option<f64>| {
        let asked = |by| ComparisonQuestion { by, level: 0.95, margin, sequential: false, earlier: 0 };
        let tested = match axis {
            FrontAxis::Strength => {
                TestResult::new(&samples[one], &samples[other], asked(Measure::Score)).expect("scores")
            }
            FrontAxis::Speed => {
                let question = asked(Measure::MsPerMove);
                TestResult::from(&Comparison::new(&side(one), &side(other), || None, question, None))
            }
        };
        tested.uncorrected_p()
    };
    let mean = |sample: &Sample| sample.scores().map(|score| score as f64).sum::<f64>() / GAMES as f64;
    let places: Vec<[f64; 2]> = samples
        .iter()
        .zip(&clocks)
        .map(|(sample, clock)| [mean(sample).ln(), -clock.mean_ms().expect("a time").ln()])
        .collect();
    let beats = |one: &[f64; 2], other: &[f64; 2]| one[0] >= other[0] && one[1] >= other[1] && one != other;
    let by_estimates = places.iter().map(|own| !places.iter().any(|other| beats(other, own))).collect();
    (pareto_front(&places, 0.95, &p), by_estimates)
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
    let thoughts = 1000 * GAMES / PARTS;
    let clock = |(place, player): (u64, &Player)| {
        let mut rng = seed.child("times", place).rng();
        let unseen = WITHIN_RUN * std::f64::consts::FRAC_1_SQRT_2 * normal(&mut rng);
        let thinking = |(part, speed): (u64, &f64)| {
            let log = player.ns + unseen + speed + 0.03 * normal(&mut rng);
            let yardsticks = CalibrationRuns { count: 10, ns: (100_000.0 * speed.exp()) as u64 };
            ((1, part), ThinkingTime { thoughts, ns: (thoughts as f64 * log.exp()) as u64, yardsticks })
        };
        PlayerTimes {
            places: (0..).zip(&speeds).map(thinking).collect(),
            starts: 1,
            ..PlayerTimes::default()
        }
    };
    (0..).zip(players).map(clock).collect()
}
