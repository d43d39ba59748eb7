//! Simulations, from fixed seeds, of the test and the bounds for a share of points in clusters of
//! pairs of games.
//!
//! # The choice of p and of the bounds
//!
//! The rules below were fixed before their simulations were run. `choice_of_p` and
//! `choice_of_bounds` print the numbers. Before that choice, p was the one that matches Gaffke's
//! bounds. The other candidate is the exact test by sign flips (`ClusterCounts::p_of_equals`). The
//! level is 95 %, and each cell has 10,000 runs.
//!
//! **p.** A cell is one of five kinds of equal players, with one of three sizes of clusters, and
//! with 5, 8, 12, 20 or 50 clusters. Sign flips are chosen under two conditions. In each cell, at
//! most 5.5 % of the runs have p ≤ 0.05. And for each size with 12 clusters, they detect a player
//! that is 100 Elo better at least as often as Gaffke's p.
//!
//! **Bounds.** There are three candidates:
//!
//! - Gaffke's bounds.
//! - Inverted sign flips. They contain a share unless sign flips of the clusters' points beyond
//!   that share reject it (p ≤ 0.05).
//! - *Mixed* bounds. They are Gaffke's, but if sign flips reject equal players, they exclude one
//!   half and everything on its other side.
//!
//! A cell is a player with a share of 50 to 98 %, or one of three players with a share of 50 % and
//! an asymmetric distribution. There are three sizes of clusters, and 8 or 12 clusters. A candidate
//! is valid if it contains the true share in at least 94.5 % of the runs of every cell. The choice
//! is the first valid one of inverted sign flips, mixed bounds and Gaffke's bounds.
//!
//! **Outcome.** Sign flips erred in at most 4.4 % of the runs of a cell and detected the better
//! player at least as often, so they give p. Inverted sign flips contained the share in as few as
//! 15 % of the runs, and mixed bounds in 94.3 % of one cell. So the bounds are Gaffke's.

use gauntlet_core::rng::{Rng, Seed};
use gauntlet_stats::{Cluster, ClusterCounts};

fn uniform(rng: &mut Rng) -> f64 {
    (rng.bits() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Frequencies of pairs with 0, 1/2, 1, 3/2 and 2 points, for each player.
const PLAYERS: [(&str, [f64; 5]); 8] = [
    ("all alike", [0.2, 0.2, 0.2, 0.2, 0.2]),
    ("some better", [0.05, 0.2, 0.4, 0.25, 0.1]),
    ("clearly better", [0.02, 0.08, 0.2, 0.3, 0.4]),
    ("nearly always better", [0.0, 0.01, 0.04, 0.15, 0.8]),
    ("loses one pair of 50", [0.02, 0.0, 0.0, 0.0, 0.98]),
    ("mostly drawn", [0.0, 0.05, 0.9, 0.05, 0.0]),
    ("colour decides", [0.01, 0.0, 0.97, 0.0, 0.02]),
    ("won or lost", [0.3, 0.0, 0.0, 0.0, 0.7]),
];

/// Frequencies for equal players: each result is as likely as its opposite.
const EQUALS: [(&str, [f64; 5]); 5] = [
    ("all alike", [0.2, 0.2, 0.2, 0.2, 0.2]),
    ("mostly drawn", [0.0, 0.05, 0.9, 0.05, 0.0]),
    ("colour decides", [0.015, 0.0, 0.97, 0.0, 0.015]),
    ("won or lost", [0.5, 0.0, 0.0, 0.0, 0.5]),
    ("by half a point", [0.0, 0.4, 0.2, 0.4, 0.0]),
];

/// Frequencies for players that get half of the points, with an asymmetric distribution. For
/// example, pairs often give a little more than half of their points, and seldom much less.
const EVEN_BUT_NOT_ALIKE: [(&str, [f64; 5]); 3] = [
    ("loses a third in full", [1.0 / 3.0, 0.0, 0.0, 2.0 / 3.0, 0.0]),
    ("loses a tenth in full", [0.1, 0.0, 0.7, 0.2, 0.0]),
    ("wins a quarter in full", [0.0, 0.5, 0.25, 0.0, 0.25]),
];

/// Frequencies for a player that is 100 Elo better, without draws and with many draws.
const BETTER: [(&str, [f64; 5]); 2] =
    [("without draws", [0.1296, 0.0, 0.4608, 0.0, 0.4096]), ("with draws", [0.03, 0.12, 0.26, 0.44, 0.15])];

/// Number of pairs in the cluster with this number.
type Size = fn(u64) -> u64;

const SIZES: [(&str, Size); 3] = [
    ("one pair each", |_| 1),
    ("one to four", |cluster| 1 + cluster % 4),
    ("a tenth of eight", |cluster| if cluster.is_multiple_of(10) { 8 } else { 1 }),
];

fn pair(rng: &mut Rng, parts: &[f64; 5]) -> u64 {
    let mut luck = uniform(rng);
    let beyond = |part: &f64| {
        luck -= part;
        luck < 0.0
    };
    parts.iter().position(beyond).unwrap_or(4) as u64
}

/// Draws clusters of correlated pairs: three fifths of the further pairs of a cluster end like its
/// first one.
fn draw_clusters(rng: &mut Rng, parts: &[f64; 5], count: u64, size: Size) -> Vec<Cluster> {
    let cluster = |number| {
        let (pairs, first) = (size(number), pair(rng, parts));
        let others = (1..pairs).map(|_| if uniform(rng) < 0.6 { first } else { pair(rng, parts) });
        Cluster { half_points: first + others.sum::<u64>(), pairs }
    };
    (0..count).map(cluster).collect()
}

fn clusters(rng: &mut Rng, parts: &[f64; 5], count: u64, size: Size) -> ClusterCounts {
    ClusterCounts::new(draw_clusters(rng, parts, count, size)).expect("pairs")
}

fn true_share(parts: &[f64; 5]) -> f64 {
    (0_u8..).zip(parts).map(|(cell, part)| f64::from(cell) / 4.0 * part).sum()
}

/// Returns the share of runs in which p is at most 0.05 for the hypothesis that players are equal:
/// by sign flips, and by Gaffke's method.
fn measure_power(runs: u64, parts: &[f64; 5], count: u64, size: Size) -> [f64; 2] {
    let mut told = [0_u64; 2];
    for run in 0..runs {
        let clustered = clusters(&mut Seed::root(16).child("equals", run).rng(), parts, count, size);
        let p = [clustered.p_of_equals(), clustered.p(0.5)];
        told.iter_mut().zip(p).for_each(|(told, p)| *told += u64::from(p <= 0.05));
    }
    told.map(|told| told as f64 / runs as f64)
}

/// Returns the p of a share by sign flips of the clusters' points beyond it. It enumerates all sign
/// combinations, each from the previous one by changing one sign.
fn flip_signs(clusters: &[Cluster], share: f64) -> f64 {
    let beyond = |cluster: &Cluster| cluster.half_points as f64 / 4.0 - share * cluster.pairs as f64;
    let mut beyond: Vec<f64> = clusters.iter().map(beyond).collect();
    let mut sum: f64 = beyond.iter().sum();
    let (seen, ways) = (sum.abs() - 1e-9, 1_u64 << beyond.len());
    let mut as_far = u64::from(sum.abs() >= seen);
    for way in 1..ways {
        let one = &mut beyond[way.trailing_zeros() as usize];
        sum -= 2.0 * *one;
        *one = -*one;
        as_far += u64::from(sum.abs() >= seen);
    }
    as_far as f64 / ways as f64
}

/// Returns the share of runs in which each kind of bounds contains the true share: Gaffke's,
/// inverted sign flips, and mixed bounds.
fn measure_levels(runs: u64, parts: &[f64; 5], count: u64, size: Size) -> [f64; 3] {
    let truth = true_share(parts);
    let mut held = [0_u64; 3];
    for run in 0..runs {
        let drawn = draw_clusters(&mut Seed::root(17).child("bounds", run).rng(), parts, count, size);
        let clustered = ClusterCounts::new(drawn.iter().copied()).expect("pairs");
        let gaffke = clustered.p(truth) >= 0.05;
        let is_beyond =
            clustered.share().total_cmp(&0.5) != truth.total_cmp(&0.5) || (truth - 0.5).abs() < 1e-9;
        let mixed = gaffke && !(is_beyond && clustered.p_of_equals() <= 0.05);
        let holds = [gaffke, flip_signs(&drawn, truth) > 0.05, mixed];
        held.iter_mut().zip(holds).for_each(|(held, holds)| *held += u64::from(holds));
    }
    held.map(|held| held as f64 / runs as f64)
}

/// Returns the coverage of the bounds at 95 %, and if `width` is true, the mean distance between
/// them.
fn coverage(runs: u64, parts: &[f64; 5], count: u64, size: Size, width: bool) -> (f64, f64) {
    let truth = true_share(parts);
    let (mut held, mut widths) = (0, 0.0);
    for run in 0..runs {
        let mut rng = Seed::root(15).child("clusters", run).rng();
        let clustered = clusters(&mut rng, parts, count, size);
        held += u64::from(clustered.p(truth) >= 0.05);
        if width {
            let within = clustered.interval(0.95);
            widths += within.high - within.low;
        }
    }
    (held as f64 / runs as f64, widths / runs as f64)
}

#[test]
fn a_share_lies_within_its_bounds() {
    for (name, parts) in &PLAYERS {
        for (sizes, size) in SIZES {
            for (count, runs) in [(5, 400), (20, 400), (100, 400)] {
                let (held, _) = coverage(runs, parts, count, size, false);
                // 0.93 is two standard errors of this many runs below 0.95.
                assert!(held >= 0.93, "{name}, {sizes}, {count} clusters: {held}");
            }
        }
    }
    // With many clusters, coverage must not exceed the level by much: the bounds are not too wide.
    let (held, width) = coverage(400, &PLAYERS[1].1, 400, SIZES[0].1, true);
    let normal = 2.0 * 1.96 * (0.065_9_f64 / 400.0).sqrt();
    assert!(held <= 0.98 && width < 1.06 * normal, "{held}, {width} for {normal}");
}

#[test]
fn equals_are_told_apart_no_more_often_than_the_level_says() {
    for (name, parts) in &EQUALS {
        for (sizes, size) in SIZES {
            let [flips, gaffke] = measure_power(400, parts, 12, size);
            // Three standard errors of this many runs above 5 %.
            assert!(flips <= 0.083 && gaffke <= 0.05, "{name}, {sizes}: {flips}, {gaffke}");
        }
    }
    // In 10,000 runs of `choice_of_p`: 46.1 and 4.8 %.
    let [flips, gaffke] = measure_power(400, &BETTER[1].1, 12, SIZES[1].1);
    assert!(flips > 0.35 && gaffke < 0.1, "{flips}, {gaffke}");
}

#[test]
#[ignore = "measures: cargo bench --bench verdicts -- equals"]
fn choice_of_p() {
    for (sizes, size) in SIZES {
        println!("\n{sizes}: told apart by sign flips (by Gaffke's p), %");
        for (name, parts) in &EQUALS {
            let cells = [5, 8, 12, 20, 50].map(|count| {
                let [flips, gaffke] = measure_power(10_000, parts, count, size);
                format!("{:.2} ({:.2})", 100.0 * flips, 100.0 * gaffke)
            });
            println!("| equal, {name} | {} |", cells.join(" | "));
        }
        for (name, parts) in &BETTER {
            let [flips, gaffke] = measure_power(10_000, parts, 12, size);
            println!("| 100 Elo, {name}, 12 clusters | {:.1} ({:.1}) |", 100.0 * flips, 100.0 * gaffke);
        }
    }
}

#[test]
#[ignore = "measures: cargo bench --bench verdicts -- equals"]
fn choice_of_bounds() {
    for (sizes, size) in SIZES {
        println!("\n{sizes}: the share held by Gaffke's bounds, sign flips inverted, mixed bounds, %");
        for (name, parts) in PLAYERS.iter().chain(&EVEN_BUT_NOT_ALIKE) {
            let cells = [8, 12].map(|count| {
                measure_levels(10_000, parts, count, size)
                    .map(|held| format!("{:.2}", 100.0 * held))
                    .join(", ")
            });
            println!("| {name}, {:.2} | {} |", true_share(parts), cells.join(" | "));
        }
    }
}

/// Prints the table of `docs/EVIDENCE.md`.
#[test]
#[ignore = "measures: cargo bench --bench verdicts -- shares"]
fn coverage_of_clusters() {
    let counts = [2, 5, 12, 20, 50, 200];
    for (sizes, size) in SIZES {
        println!("\n{sizes}");
        for (name, parts) in &PLAYERS {
            let cells: Vec<String> = counts
                .iter()
                .map(|&count| {
                    let (held, _) = coverage(10_000, parts, count, size, false);
                    let (_, width) = coverage(100, parts, count, size, true);
                    assert!(held >= 0.945, "{name}, {sizes}, {count} clusters: {held}");
                    format!("{:.1} ({:.1})", 100.0 * held, 50.0 * width)
                })
                .collect();
            println!("| {name} | {} |", cells.join(" | "));
        }
    }
}
