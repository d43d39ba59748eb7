//! Features of 2048 boards equal those of public programs.

use std::collections::BTreeMap;

use gauntlet::game::{Game, RandomPlay};
use gauntlet::rng::Seed;
use gauntlet::twenty48::eval::{self as eval, FEATURES, Weights};
use gauntlet::twenty48::rules::{Cells, Rules, Twenty48};
use serde_json::value::RawValue;

/// The fields of one line as text, because serde_json may miss the nearest double by one unit in
/// the last place.
type Case<'a> = BTreeMap<&'a str, &'a RawValue>;

/// Returns the board and the rest of each line of a file, and checks the number of lines.
fn cases(text: &str, lines: usize) -> impl Iterator<Item = (Cells, Case<'_>)> {
    assert_eq!(text.lines().count(), lines);
    text.lines().map(|line| {
        let case: Case = serde_json::from_str(line).expect("a line of JSON");
        let board: [u64; 16] = serde_json::from_str(case["board"].get()).expect("16 cells");
        (Cells::from_values(board).expect("tiles"), case)
    })
}

/// Parses a number, which may be an infinity in words.
fn number(value: &RawValue) -> f64 {
    value.get().trim_matches('"').parse().expect("a number")
}

/// Returns the value of the feature with this name.
fn feature(name: &str, cells: Cells) -> f64 {
    let feature = FEATURES.iter().find(|feature| feature.name == name).expect("a feature");
    feature.value(cells)
}

/// Compares features with fields, exactly.
#[track_caller]
fn check(cells: Cells, case: &Case, pairs: &[(&str, &str)]) {
    for (name, field) in pairs {
        assert_eq!(feature(name, cells), number(case[*field]), "{name} of {}", cells.format_line());
    }
}

#[track_caller]
fn check_near(value: f64, expected: f64, tolerance: f64, cells: Cells) {
    let is_near = value == expected || (value - expected).abs() <= tolerance * expected.abs();
    assert!(is_near, "{value} is not {expected}: {}", cells.format_line());
}

#[test]
fn as_ovolve() {
    for (cells, case) in cases(include_str!("../vectors/ovolve_static.jsonl"), 1292) {
        let pairs = [
            ("smoothness-nearest", "smoothness"),
            ("monotonicity-wave", "monotonicity"),
            ("monotonicity-lines", "monotonicity2"),
            ("islands", "islands"),
            ("max-rank", "maxValue"),
            ("empty", "empty"),
        ];
        check(cells, &case, &pairs);
        let sum = 0.1 * eval::smoothness_nearest(cells)
            + 1.0 * eval::monotonicity_lines(cells)
            + 2.7 * eval::empty_log(cells)
            + 1.0 * eval::max_rank(cells);
        assert_eq!(sum.to_bits(), number(case["eval"]).to_bits(), "{}", cells.format_line());
    }
}

#[test]
fn as_the_swift_programs() {
    for (cells, case) in cases(include_str!("../vectors/swift_static.jsonl"), 1292) {
        let pairs = [
            ("monotonicity-lines", "mono"),
            ("monotonicity-tiles", "mono1"),
            ("monotonicity-tiles", "mono2"),
            ("smoothness-adjacent", "smoothRaw"),
            ("smoothness-adjacent-log", "smoothLog2"),
            ("empty", "empty"),
            ("max-tile", "max"),
            ("corner", "corner"),
            ("snake-linear", "snakeLinear"),
            ("snake-power", "snakePow2"),
            ("snake-power-bottom", "snakeRepo"),
        ];
        check(cells, &case, &pairs);
        let (empty, corner) = (eval::empty(cells), eval::corner(cells));
        let (tiles, smooth) = (eval::monotonicity_tiles(cells), eval::smoothness_adjacent(cells));
        let (lines, max) = (eval::monotonicity_lines(cells), eval::max_tile(cells));
        let sums = [
            2.7 * empty + 0.1 * smooth + tiles + corner,
            tiles + 0.1 * smooth + 5.7 * empty + 0.5 * corner + eval::snake_linear(cells),
            tiles + 0.1 * smooth + 5.7 * empty + max + eval::snake_power(cells),
            smooth + tiles + 2.0 * empty,
            lines + 5.7 * empty + max + eval::snake_power_bottom(cells),
            lines + 11.7 * empty + max + eval::snake_power_bottom(cells),
        ];
        let expected: [&RawValue; 6] = serde_json::from_str(case["evals"].get()).expect("six evaluations");
        assert_eq!(sums, expected.map(number), "{}", cells.format_line());
    }
}

/// Values that the author of the Swift programs expects in his tests.
#[test]
fn as_the_swift_author_expects() {
    let mut check_count = 0;
    for (cells, case) in cases(include_str!("../vectors/swift_xctest.jsonl"), 15) {
        for (name, field) in
            [("monotonicity-lines", "mono"), ("monotonicity-tiles", "mono1"), ("monotonicity-tiles", "mono2")]
        {
            if case.contains_key(field) {
                check(cells, &case, &[(name, field)]);
                check_count += 1;
            }
        }
    }
    assert_eq!(check_count, 21);
}

#[test]
fn as_datumbox() {
    for (cells, case) in cases(include_str!("../vectors/datumbox_static.jsonl"), 1292) {
        check(cells, &case, &[("clustering", "clustering"), ("empty", "empty")]);
    }
}

#[test]
fn as_lazuxd() {
    for (cells, case) in cases(include_str!("../vectors/lazuxd_static.jsonl"), 1292) {
        if case["utility"].get() == "null" {
            assert_eq!((cells, eval::tile_mean(cells)), (Cells::default(), 0.0));
        } else {
            check(cells, &case, &[("tile-mean", "utility")]);
        }
    }
}

#[test]
fn as_printed_in_vba() {
    for (cells, case) in cases(include_str!("../vectors/vba_static.jsonl"), 1292) {
        let pairs = [
            ("smoothness-last", "smoothPrinted"),
            ("monotonicity-lines", "mono"),
            ("max-tile", "max"),
            ("empty", "empty"),
        ];
        check(cells, &case, &pairs);
        assert_eq!(
            -eval::smoothness_nearest(cells),
            number(case["smoothAccumulated"]),
            "{}",
            cells.format_line()
        );
        // In that program, the logarithm of zero empty cells is 0.
        let log = if cells.count_empty() == 0 { 0.0 } else { eval::empty_log(cells) };
        let sum = 0.1 * eval::smoothness_last(cells)
            + eval::monotonicity_lines(cells)
            + 2.7 * log
            + eval::max_tile(cells);
        check_near(sum, number(case["eval"]), 1e-12, cells);
    }
}

/// The program computes in single precision, this test in double. The program counts each cell in
/// its row and in its column. Hence it has twice its weights of `empty` and `rank-power`. It also
/// adds a constant to each line.
#[test]
fn as_nneonneo() {
    let weights = [("empty", 540.0), ("merges", 700.0), ("monotonicity-power", -47.0), ("rank-power", -22.0)];
    let evaluation = Weights::from_pairs(&weights).compile();
    for (cells, case) in cases(include_str!("../vectors/nneonneo.jsonl"), 260) {
        for sum in [evaluation.value_by_feature(cells), evaluation.value(cells)] {
            check_near(sum + 8.0 * 200_000.0, number(case["heuristic"]), 1e-6, cells);
        }
    }
}

/// Returns boards of random play, the same boards with larger tiles, up to 131072, and boards of
/// few tiles with many equal neighbours.
fn boards() -> Vec<Cells> {
    let mut boards = Vec::new();
    for game in 0..60 {
        let seed = Seed::root(11).child("game", game);
        let (mut game_rng, mut player_rng) = (seed.child("world", 0).rng(), seed.child("dice", 0).rng());
        let mut position = Twenty48::start(&Rules::default(), &mut game_rng);
        while let Some(direction) = position.random_move(&mut player_rng) {
            position.play(direction, &mut game_rng).expect("it is legal");
            let cells = position.board().cells();
            boards.push(cells);
            let rank_shift = (game % 8) as u8 + 10 - cells.max_rank().min(10);
            boards.push(Cells::from_ranks(
                cells.ranks().map(|rank| if rank == 0 { 0 } else { rank + rank_shift }),
            ));
        }
        for _ in 0..100 {
            let kinds = 2 + player_rng.below(3);
            boards.push(Cells::from_ranks(std::array::from_fn(|_| player_rng.below(kinds) as u8)));
            boards.push(Cells::from_ranks(std::array::from_fn(|_| 13 + player_rng.below(kinds) as u8)));
        }
    }
    for rank in 14..=17 {
        assert!(boards.iter().filter(|cells| cells.max_rank() == rank).count() > 400, "{rank}");
    }
    boards
}

/// Plain versions of the features with a fast implementation, from their definitions: cell by cell,
/// without tables.
mod plain {
    pub(super) fn lines(ranks: [u8; 16]) -> [[[i32; 4]; 4]; 2] {
        let rank = |row: usize, column: usize| i32::from(ranks[4 * row + column]);
        let row = |row| std::array::from_fn(|column| rank(row, column));
        let column = |column| std::array::from_fn(|row| rank(row, column));
        [std::array::from_fn(row), std::array::from_fn(column)]
    }

    fn tiles(line: &[i32]) -> Vec<i32> {
        line.iter().copied().filter(|&rank| rank > 0).collect()
    }

    pub(super) fn smoothness_nearest(ranks: [u8; 16]) -> i32 {
        let lines = lines(ranks).into_iter().flatten().map(|line| tiles(&line));
        -lines.map(|tiles| tiles.windows(2).map(|pair| (pair[0] - pair[1]).abs()).sum::<i32>()).sum::<i32>()
    }

    fn monotonicity(ranks: [u8; 16], ranks_of: impl Fn(&[i32]) -> Vec<i32>) -> i32 {
        let one_way = |lines: &[[i32; 4]; 4], sign: i32| -> i32 {
            let steps = |line: &[i32; 4]| {
                ranks_of(line).windows(2).map(|pair| (sign * (pair[1] - pair[0])).max(0)).sum::<i32>()
            };
            lines.iter().map(steps).sum()
        };
        -lines(ranks).iter().map(|lines| one_way(lines, 1).min(one_way(lines, -1))).sum::<i32>()
    }

    /// Tiles, with a rank of 0 at each empty end.
    pub(super) fn monotonicity_lines(ranks: [u8; 16]) -> i32 {
        monotonicity(ranks, |line| {
            let mut padded_ranks = tiles(line);
            if line[0] == 0 {
                padded_ranks.insert(0, 0);
            }
            if line[3] == 0 {
                padded_ranks.push(0);
            }
            padded_ranks
        })
    }

    pub(super) fn monotonicity_tiles(ranks: [u8; 16]) -> i32 {
        monotonicity(ranks, tiles)
    }

    /// Equal neighbours copy each other's mark until nothing changes; then marks are counted.
    pub(super) fn islands(ranks: [u8; 16]) -> usize {
        let mut marks: [usize; 16] = std::array::from_fn(|cell| cell);
        for _ in 0..16 {
            for a in 0..16_usize {
                for b in 0..16 {
                    let distance = (a / 4).abs_diff(b / 4) + (a % 4).abs_diff(b % 4);
                    if distance == 1 && ranks[a] == ranks[b] {
                        marks[a] = marks[a].min(marks[b]);
                    }
                }
            }
        }
        (0..16).filter(|&cell| ranks[cell] > 0 && marks[cell] == cell).count()
    }
}

#[test]
fn fast_features_are_their_definitions() {
    for cells in boards() {
        let ranks = cells.ranks();
        let fast = [
            eval::smoothness_nearest(cells),
            eval::monotonicity_lines(cells),
            eval::monotonicity_tiles(cells),
            eval::islands(cells),
        ];
        let plain = [
            plain::smoothness_nearest(ranks).into(),
            plain::monotonicity_lines(ranks).into(),
            plain::monotonicity_tiles(ranks).into(),
            plain::islands(ranks) as f64,
        ];
        assert_eq!(fast, plain, "{}", cells.format_line());
    }
}

/// Checks every way to fill the board with tiles of one rank and either empty cells or tiles of
/// another. Among them are rings of equal tiles, on which counting islands by pairs could fail.
#[test]
fn islands_are_counted_whatever_their_shape() {
    for pattern in 0..=u16::MAX {
        for kinds in [[0, 3], [2, 3]] {
            let ranks = std::array::from_fn(|cell| kinds[usize::from(pattern >> cell & 1)]);
            assert_eq!(eval::islands(Cells::from_ranks(ranks)), plain::islands(ranks) as f64, "{ranks:?}");
        }
    }
}

/// An evaluation is the sum of its features: each alone, and mixtures of all kinds.
#[test]
fn folded_is_direct() {
    let mut weights: Vec<Weights> =
        FEATURES.iter().map(|feature| Weights::from_pairs(&[(feature.name, 0.7)])).collect();
    let all_weights: Vec<(&str, f64)> =
        FEATURES.iter().zip(1..).map(|(feature, i)| (feature.name, 0.1 * f64::from(i * i) - 5.0)).collect();
    let all_except = |prefixes: &[&str]| -> Vec<(&str, f64)> {
        all_weights
            .iter()
            .copied()
            .filter(|(name, _)| !prefixes.iter().any(|prefix| name.starts_with(prefix)))
            .collect()
    };
    weights.push(Weights::from_pairs(&all_weights));
    weights.push(Weights::from_pairs(&all_except(&["snake"])));
    weights.push(Weights::from_pairs(&all_except(&["smoothness", "mono", "merges"])));
    weights.push(Weights::from_pairs(&all_except(&["smoothness", "mono", "merges", "snake"])));
    weights.push(Weights::from_pairs(&[("empty", 0.0), ("empty-log", 0.0), ("max-rank", 0.0)]));
    let text = r#"{ "empty": 3, "rank-power": { "weight": -2, "power": 2.25 },
        "monotonicity-power": { "weight": -0.3, "power": 1.5 }, "islands": -1 }"#;
    weights.push(serde_json::from_str(text).expect("weights"));

    let program_boards = include_str!("../vectors/swift_static.jsonl");
    let boards = cases(program_boards, 1292).map(|(cells, _)| cells).chain(boards()).collect::<Vec<_>>();
    for weights in weights {
        let evaluation = weights.compile();
        for &cells in &boards {
            let (compiled, direct) = (evaluation.value(cells), evaluation.value_by_feature(cells));
            let is_near = compiled == direct || (compiled - direct).abs() <= 1e-14 * scale(&weights, cells);
            assert!(
                is_near && !compiled.is_nan(),
                "{compiled} is not {direct}: {weights:?} of {}",
                cells.format_line()
            );
        }
    }
}

/// Returns the sum of a board's weighted features without their signs. Errors are relative to it,
/// because the signed sum may be near 0. The default powers are used, which is close enough.
fn scale(weights: &Weights, cells: Cells) -> f64 {
    let json = serde_json::to_value(weights).expect("plain data");
    let share = |(name, weight): (&String, &serde_json::Value)| {
        let weight = weight.as_f64().or(weight["weight"].as_f64()).expect("a weight");
        // The lines of this feature may cancel each other.
        let minimum = if name == "corner-slope" { eval::max_tile(cells) * 17.0 } else { 0.0 };
        weight.abs() * feature(name, cells).abs().max(minimum)
    };
    let shares = json.as_object().expect("a table").iter().map(share);
    shares.filter(|share| share.is_finite()).sum()
}
