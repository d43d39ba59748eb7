use gauntlet_core::player::Stop;
use gauntlet_twenty48::eval::{LN, monotonicity_lines, smoothness_last, smoothness_nearest};
use gauntlet_twenty48::rules::{Afterstate, Board, Cells, Rules};
use gauntlet_twenty48::testing::{parse_exact, raise_tiles, random_boards};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::search::LIMIT;
use super::*;

const STATIC: &str = include_str!("../../../../tests/it/vectors/vba_static.jsonl");
const SEARCHES: &str = include_str!("../../../../tests/it/vectors/vba_minimax.jsonl");

const READINGS: [ListingInterpretation; 3] =
    [ListingInterpretation::ByRef, ListingInterpretation::ByVal, ListingInterpretation::Minimax];

fn new_search(interpretation: ListingInterpretation, smoothness_feature: SmoothnessFeature) -> Search {
    Search::new(interpretation, smoothness_feature, Stop::default())
}

/// The transliteration has another logarithm of 3, and may add in another order.
#[track_caller]
fn check_near(value: f64, expected: f64, label: &str) {
    assert!((value - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{label}: {value}, not {expected}");
}

#[test]
fn boards_are_evaluated_as_printed() {
    #[derive(Deserialize)]
    struct Case<'a> {
        board: [u64; 16],
        #[serde(rename = "smoothPrinted", borrow)]
        smooth_printed: &'a RawValue,
        #[serde(rename = "smoothAccumulated", borrow)]
        smooth_accumulated: &'a RawValue,
        #[serde(borrow)]
        eval: &'a RawValue,
        over: bool,
    }

    let mut cases = 0;
    for line in STATIC.lines() {
        let case: Case = serde_json::from_str(line).expect("a line of a board");
        let cells = Cells::from_values(case.board).expect("tiles");
        let expected = parse_exact(case.eval);
        check_near(
            new_search(ListingInterpretation::Minimax, SmoothnessFeature::VbaPrinted).value(cells),
            expected,
            line,
        );
        // The other smoothness instead of the printed one.
        let (printed_smoothness, full_smoothness) =
            (parse_exact(case.smooth_printed), -parse_exact(case.smooth_accumulated));
        let expected = expected + 0.1 * (full_smoothness - printed_smoothness);
        check_near(
            new_search(ListingInterpretation::Minimax, SmoothnessFeature::Ovolve).value(cells),
            expected,
            line,
        );
        assert_eq!(Board::new(cells).is_over(), case.over, "{line}");
        cases += 1;
    }
    assert_eq!(cases, 1292);
}

#[test]
fn boards_are_searched_in_all_three_readings() {
    #[derive(Deserialize)]
    struct Case<'a> {
        board: [u64; 16],
        #[serde(borrow)]
        runs: Vec<Run<'a>>,
    }

    #[derive(Deserialize)]
    struct Run<'a> {
        depth: u32,
        maximising: bool,
        #[serde(rename = "byRef", borrow)]
        by_ref: &'a RawValue,
        #[serde(rename = "byVal", borrow)]
        by_val: &'a RawValue,
        #[serde(borrow)]
        minimax: &'a RawValue,
    }

    let mut runs = 0;
    for line in SEARCHES.lines() {
        let case: Case = serde_json::from_str(line).expect("a line of searches");
        let cells = Cells::from_values(case.board).expect("tiles");
        for run in case.runs {
            let expected = [run.by_ref, run.by_val, run.minimax];
            for (interpretation, expected) in READINGS.into_iter().zip(expected) {
                let label = format!("{:?} {interpretation:?} at depth {}", case.board, run.depth);
                for value in [run_search, run_reference_search].map(|search| {
                    search(interpretation, SmoothnessFeature::VbaPrinted, cells, run.depth, run.maximising)
                }) {
                    check_near(value, parse_exact(expected), &label);
                }
                runs += 1;
            }
        }
    }
    assert_eq!(runs, 3 * 694);
}

fn run_search(
    interpretation: ListingInterpretation,
    smoothness_feature: SmoothnessFeature,
    cells: Cells,
    depth: u32,
    maximising: bool,
) -> f64 {
    let mut search = new_search(interpretation, smoothness_feature);
    if maximising {
        search.player(Board::new(cells), depth, &mut FULL_WINDOW.clone())
    } else {
        search.computer(Afterstate::new(cells), depth, &mut FULL_WINDOW.clone())
    }
}

/// Searches by definition.
fn run_reference_search(
    interpretation: ListingInterpretation,
    smoothness_feature: SmoothnessFeature,
    cells: Cells,
    depth: u32,
    maximising: bool,
) -> f64 {
    let (mut alpha, mut beta) = (-LIMIT, LIMIT);
    search_by_definition(interpretation, smoothness_feature, cells, depth, maximising, &mut alpha, &mut beta)
}

fn search_by_definition(
    interpretation: ListingInterpretation,
    smoothness_feature: SmoothnessFeature,
    cells: Cells,
    depth: u32,
    maximising: bool,
    alpha: &mut f64,
    beta: &mut f64,
) -> f64 {
    if Board::new(cells).is_over() {
        return -LIMIT + f64::from(cells.max_tile());
    }
    if depth == 0 {
        let smoothness = match smoothness_feature {
            SmoothnessFeature::VbaPrinted => smoothness_last(cells),
            SmoothnessFeature::Ovolve => smoothness_nearest(cells),
        };
        let empty_value = if cells.count_empty() == 0 { 0.0 } else { LN[cells.count_empty() as usize] };
        return 0.1 * smoothness
            + 1.0 * monotonicity_lines(cells)
            + 2.7 * empty_value
            + 1.0 * f64::from(cells.max_tile());
    }
    let search_child = |cells: Cells, alpha: &mut f64, beta: &mut f64| {
        let (mut own_alpha, mut own_beta) = (*alpha, *beta);
        match interpretation {
            ListingInterpretation::ByRef => search_by_definition(
                interpretation,
                smoothness_feature,
                cells,
                depth - 1,
                !maximising,
                alpha,
                beta,
            ),
            ListingInterpretation::ByVal => search_by_definition(
                interpretation,
                smoothness_feature,
                cells,
                depth - 1,
                !maximising,
                &mut own_alpha,
                &mut own_beta,
            ),
            // What alpha-beta should find, without pruning.
            ListingInterpretation::Minimax => search_by_definition(
                interpretation,
                smoothness_feature,
                cells,
                depth - 1,
                !maximising,
                &mut 0.0,
                &mut 0.0,
            ),
        }
    };
    let mut best = if maximising { -LIMIT } else { LIMIT };
    if maximising {
        for direction in [Direction::Up, Direction::Left, Direction::Right, Direction::Down] {
            if let Some(after) = Board::new(cells).slide(direction) {
                best = best.max(search_child(after.cells(), alpha, beta));
                *alpha = alpha.max(best);
                if interpretation != ListingInterpretation::Minimax && *beta > *alpha {
                    break;
                }
            }
        }
    } else {
        for index in 0..16 {
            for rank in [1, 2] {
                let mut ranks = cells.ranks();
                if ranks[index] != 0 {
                    continue;
                }
                ranks[index] = rank;
                best = best.min(search_child(Cells::from_ranks(ranks), alpha, beta));
                *beta = beta.min(best);
                if interpretation != ListingInterpretation::Minimax && *alpha < *beta {
                    break;
                }
            }
        }
    }
    best
}

/// Returns boards from random play, some of them raised to 16384, 32768 and 65536.
fn boards_of_play() -> Vec<Cells> {
    let mut boards: Vec<Cells> = (0..40).flat_map(random_boards).map(Board::cells).collect();
    for number in (0..boards.len()).step_by(7) {
        boards.extend([14, 15, 16].map(|largest| raise_tiles(boards[number], largest, 3)));
    }
    boards
}

#[test]
fn fast_is_as_plain() {
    let boards = boards_of_play();
    assert!(boards.len() > 5000, "{} boards", boards.len());
    for (number, &cells) in boards.iter().enumerate() {
        let depth = [1, 2, 2, 3][number % 4] - u32::from(number % 4 == 3 && cells.count_empty() > 6);
        for interpretation in READINGS {
            for smoothness_feature in [SmoothnessFeature::VbaPrinted, SmoothnessFeature::Ovolve] {
                let actual = run_search(interpretation, smoothness_feature, cells, depth, true);
                let expected = run_reference_search(interpretation, smoothness_feature, cells, depth, true);
                assert_eq!(actual, expected, "{cells:?} {interpretation:?} {smoothness_feature:?}");
            }
        }
    }
}

/// The move is the first of the best, each valued separately.
#[test]
fn each_move_has_a_window_of_its_own() {
    for (number, cells) in
        boards_of_play().into_iter().enumerate().filter(|(_, cells)| cells.count_empty() < 5)
    {
        let (interpretation, depth) = (READINGS[number % 3], 2 + number as u32 % 2);
        let mut best: Option<(f64, Direction)> = None;
        for direction in [Direction::Up, Direction::Left, Direction::Right, Direction::Down] {
            let Some(after) = Board::new(cells).slide(direction) else { continue };
            let value = run_reference_search(
                interpretation,
                SmoothnessFeature::VbaPrinted,
                after.cells(),
                depth - 1,
                false,
            );
            if best.is_none_or(|(best_value, _)| value > best_value) {
                best = Some((value, direction));
            }
        }
        let settings = format!("{{\"depth\": {depth}}}");
        let mut config: Config = serde_json::from_str(&settings).expect("settings");
        config.reading = interpretation;
        let mut player = config.build(&BuildContext::default()).expect("a player");
        let position = Twenty48::set_up(&Rules::default(), &cells.format_line(), None).expect("a board");
        let choice = player.choose(&position).ok();
        assert_eq!(choice.map(|choice| (choice.value.expect("a value"), choice.mv)), best, "{cells:?}");
    }
}
