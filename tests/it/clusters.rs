//! Coverage of the bounds of a share of points that pairs of games in clusters show, by simulation from fixed
//! seeds.

use gauntlet::rng::{Rng, Seed};
use gauntlet::stats::{Cluster, Clustered};

use crate::coverage::uniform;

/// Frequencies of pairs with no points, half a point, one, one and a half, and two.
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

/// Number of pairs of a cluster.
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

/// Clusters in which three fifths of the pairs end as the first one did.
fn clusters(rng: &mut Rng, parts: &[f64; 5], count: u64, size: Size) -> Clustered {
    let cluster = |number| {
        let (pairs, first) = (size(number), pair(rng, parts));
        let others = (1..pairs).map(|_| if uniform(rng) < 0.6 { first } else { pair(rng, parts) });
        Cluster { half_points: first + others.sum::<u64>(), pairs }
    };
    Clustered::of((0..count).map(cluster).collect::<Vec<_>>()).expect("pairs")
}

/// Coverage of the bounds at 95 %, and their mean distance if it is asked for.
fn coverage(runs: u64, parts: &[f64; 5], count: u64, size: Size, width: bool) -> (f64, f64) {
    let truth = (0_u8..).zip(parts).map(|(cell, part)| f64::from(cell) / 4.0 * part).sum::<f64>();
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
    // And not by being too wide: of many clusters the level is all that they hold.
    let (held, width) = coverage(400, &PLAYERS[1].1, 400, SIZES[0].1, true);
    let normal = 2.0 * 1.96 * (0.065_9_f64 / 400.0).sqrt();
    assert!(held <= 0.98 && width < 1.06 * normal, "{held}, {width} for {normal}");
}

/// The table of `docs/METHOD.md`.
#[test]
#[ignore = "measures; cargo test --release --test it -- --ignored --nocapture coverage_of_clusters"]
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
