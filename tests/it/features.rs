//! Features of 2048 are what public programs say of the same boards.

use std::collections::BTreeMap;

use gauntlet::eval::twenty48::{self as eval, FEATURES};
use gauntlet::games::twenty48::Cells;
use serde_json::value::RawValue;

/// The fields of one line, as written: serde_json itself may miss the nearest double by one unit in the last place.
type Case<'a> = BTreeMap<&'a str, &'a RawValue>;

/// The board and the rest of each line of a file, whose length is known: a file cut short would say less.
fn cases(text: &str, lines: usize) -> impl Iterator<Item = (Cells, Case<'_>)> {
    assert_eq!(text.lines().count(), lines);
    text.lines().map(|line| {
        let case: Case = serde_json::from_str(line).expect("a line of JSON");
        let board: [u64; 16] = serde_json::from_str(case["board"].get()).expect("16 cells");
        (Cells::from_values(board).expect("tiles"), case)
    })
}

/// A number, or an infinite one in words.
fn number(value: &RawValue) -> f64 {
    value.get().trim_matches('"').parse().expect("a number")
}

/// The value of the feature of this name, as the table of contents gives it.
fn feature(name: &str, cells: Cells) -> f64 {
    let feature = FEATURES.iter().find(|feature| feature.name == name).expect("a feature");
    feature.value(cells)
}

/// Compares the features named with the fields named, exactly.
#[track_caller]
fn check(cells: Cells, case: &Case, pairs: &[(&str, &str)]) {
    for (name, field) in pairs {
        assert_eq!(feature(name, cells), number(case[*field]), "{name} of {}", cells.line());
    }
}

#[track_caller]
fn check_near(value: f64, expected: f64, tolerance: f64, cells: Cells) {
    let near = value == expected || (value - expected).abs() <= tolerance * expected.abs();
    assert!(near, "{value} is not {expected}: {}", cells.line());
}

#[test]
fn as_ovolve() {
    for (cells, case) in cases(include_str!("vectors/ovolve_static.jsonl"), 1292) {
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
        assert_eq!(sum.to_bits(), number(case["eval"]).to_bits(), "{}", cells.line());
    }
}

#[test]
fn as_the_swift_programs() {
    for (cells, case) in cases(include_str!("vectors/swift_static.jsonl"), 1292) {
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
        assert_eq!(sums, expected.map(number), "{}", cells.line());
    }
}

/// What the author of the Swift programs expects in tests of his own.
#[test]
fn as_the_swift_author_expects() {
    let mut checked = 0;
    for (cells, case) in cases(include_str!("vectors/swift_xctest.jsonl"), 15) {
        for (name, field) in
            [("monotonicity-lines", "mono"), ("monotonicity-tiles", "mono1"), ("monotonicity-tiles", "mono2")]
        {
            if case.contains_key(field) {
                check(cells, &case, &[(name, field)]);
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 21);
}

#[test]
fn as_datumbox() {
    for (cells, case) in cases(include_str!("vectors/datumbox_static.jsonl"), 1292) {
        check(cells, &case, &[("clustering", "clustering"), ("empty", "empty")]);
    }
}

#[test]
fn as_lazuxd() {
    for (cells, case) in cases(include_str!("vectors/lazuxd_static.jsonl"), 1292) {
        if case["utility"].get() == "null" {
            assert_eq!((cells, eval::tile_mean(cells)), (Cells::default(), 0.0));
        } else {
            check(cells, &case, &[("tile-mean", "utility")]);
        }
    }
}

#[test]
fn as_printed_in_vba() {
    for (cells, case) in cases(include_str!("vectors/vba_static.jsonl"), 1292) {
        let pairs = [
            ("smoothness-last", "smoothPrinted"),
            ("monotonicity-lines", "mono"),
            ("max-tile", "max"),
            ("empty", "empty"),
        ];
        check(cells, &case, &pairs);
        assert_eq!(-eval::smoothness_nearest(cells), number(case["smoothAccumulated"]), "{}", cells.line());
        // The logarithm of no empty cell is taken as 0 there.
        let log = if cells.empty() == 0 { 0.0 } else { eval::empty_log(cells) };
        let sum = 0.1 * eval::smoothness_last(cells)
            + eval::monotonicity_lines(cells)
            + 2.7 * log
            + eval::max_tile(cells);
        check_near(sum, number(case["eval"]), 1e-12, cells);
    }
}

/// In double precision; the program computes in single.
#[test]
fn as_nneonneo() {
    for (cells, case) in cases(include_str!("vectors/nneonneo.jsonl"), 260) {
        let sum = 540.0 * eval::empty(cells) + 700.0 * eval::merges(cells)
            - 47.0 * eval::monotonicity_power(cells, 4.0)
            - 22.0 * eval::rank_power(cells, 3.5);
        check_near(sum + 1_600_000.0, number(case["heuristic"]), 1e-6, cells);
    }
}

/// The functions by name and those in the table are the same.
#[test]
fn the_table_names_the_functions() {
    let functions: [(&str, fn(Cells) -> f64); 21] = [
        ("empty", eval::empty),
        ("empty-log", eval::empty_log),
        ("max-tile", eval::max_tile),
        ("max-rank", eval::max_rank),
        ("corner", eval::corner),
        ("smoothness-adjacent", eval::smoothness_adjacent),
        ("smoothness-adjacent-log", eval::smoothness_adjacent_log),
        ("smoothness-nearest", eval::smoothness_nearest),
        ("smoothness-last", eval::smoothness_last),
        ("monotonicity-lines", eval::monotonicity_lines),
        ("monotonicity-tiles", eval::monotonicity_tiles),
        ("monotonicity-wave", eval::monotonicity_wave),
        ("islands", eval::islands),
        ("snake-linear", eval::snake_linear),
        ("snake-power", eval::snake_power),
        ("snake-power-bottom", eval::snake_power_bottom),
        ("clustering", eval::clustering),
        ("tile-mean", eval::tile_mean),
        ("merges", eval::merges),
        ("rank-power", |cells| eval::rank_power(cells, 3.5)),
        ("monotonicity-power", |cells| eval::monotonicity_power(cells, 4.0)),
    ];
    assert_eq!(FEATURES.len(), functions.len());
    for (feature, (name, function)) in FEATURES.iter().zip(functions) {
        assert_eq!(feature.name, name);
        for (cells, _) in cases(include_str!("vectors/swift_static.jsonl"), 1292) {
            assert_eq!(feature.value(cells), function(cells), "{name} of {}", cells.line());
        }
    }
}
