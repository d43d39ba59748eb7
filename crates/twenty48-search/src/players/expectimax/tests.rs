//! Compares the search with its definition, a textbook search, itself on other paths, and
//! nneonneo's program.

use gauntlet_core::game::Seat;
use gauntlet_core::player::{Start, Stop};
use gauntlet_core::rng::Seed;
use gauntlet_twenty48::eval::{EvaluationVisitor, IntegerEvaluation, corner_slope_of_line};
use gauntlet_twenty48::rules::{Afterstate, Board, Cells, Direction, Rules as GameRules};
use gauntlet_twenty48::testing::{raise_tiles, random_boards};

use super::meter::Meter;
use super::player::DIRECTIONS;
use super::rules::{NONE, Rules};
use super::search::Search;
use super::table::{Horizon, Table};
use super::*;

fn config(settings: &str) -> Config {
    toml::from_str(settings).unwrap_or_else(|error| panic!("{settings}: {error}"))
}

fn player(settings: &str) -> Box<dyn Player<Twenty48>> {
    config(settings).build(&BuildContext::default()).expect("a player")
}

fn position(cells: Cells) -> Twenty48 {
    Twenty48::set_up(&GameRules::default(), &cells.format_line(), None).expect("a board")
}

/// Returns boards just after a move, from random games and with larger tiles, and some nearly full
/// ones.
fn afterstates() -> Vec<Afterstate> {
    let mut afterstates = Vec::new();
    for seed in 0..6 {
        for (number, board) in
            random_boards(seed).into_iter().enumerate().filter(|(number, _)| number % 12 == 0)
        {
            let cells = match (number / 12) % 3 {
                0 => board.cells(),
                1 => raise_tiles(board.cells(), 15, 4),
                _ => raise_tiles(board.cells(), 11, 3),
            };
            let afterstate =
                Direction::ALL.into_iter().find_map(|direction| Board::new(cells).slide(direction));
            afterstates.extend(afterstate.filter(|after| after.cells().count_empty() <= 9));
        }
    }
    afterstates
}

/// Calls a function with a search of these settings.
struct SearchVisitor<'a, F>(&'a Config, F);

trait SearchCheck {
    fn check<E: IntegerEvaluation>(self, search: &mut Search<E>);
}

impl<F: SearchCheck> EvaluationVisitor for SearchVisitor<'_, F> {
    type Built = ();

    fn visit(self, evaluation: impl IntegerEvaluation + 'static) {
        let rules = Rules {
            min_probability: self.0.least_probability.get() as f32,
            gains: self.0.gains,
            loss_value: evaluation.features().units(self.0.loss_value()),
            is_loss_minimum: self.0.is_loss_least(),
            min_value: self
                .0
                .least_value
                .map_or(NONE, |factor| evaluation.features().units(factor.get() * tile_weight(11))),
        };
        let table = Table::new(self.0.table_mib.get(), Kind::Ranged);
        self.1.check(&mut Search::new(evaluation, rules, table, Meter::new(Stop::default())));
    }
}

fn with_search(settings: &str, check: impl SearchCheck) {
    let config = config(settings);
    let weights = config.all_weights().expect("weights");
    weights.compile_exact(config.max_value().max(MAX_POINTS), SearchVisitor(&config, check));
}

/// Settings that each use another code path: evaluations of one table and of five, with and without
/// features that do not fold, with points, without a table, with cut-offs.
const SETTINGS: [&str; 11] = [
    "least_probability = 0",
    "least_probability = 0.001\nlost_is_least = false",
    "gains = true\nleast_probability = 0.004\ntable_mib = 0",
    "evaluation = 'macroxue'\nleast_probability = 0",
    "evaluation = 'macroxue'\ngains = true\nlost = 10",
    "evaluation = 'macroxue'\nleast_value = 2\nleast_probability = 0",
    "evaluation = 'macroxue'\nleast_value = 0.5",
    "evaluation = 'ovolve'\nleast_probability = 0.003",
    "evaluation = 'snake'\ngains = true\nleast_probability = 0",
    "evaluation = 'snake'\nweights = { islands = -3, smoothness-nearest = 1.5 }\nleast_probability = 0.002",
    "evaluation = 'none'\nweights = { merges = 1, max-tile = 0.01 }\ntable_mib = 0",
];

#[test]
fn what_is_found_is_what_the_definition_says() {
    struct DefinitionCheck(&'static str);

    impl SearchCheck for DefinitionCheck {
        fn check<E: IntegerEvaluation>(self, search: &mut Search<E>) {
            let mut vectors = search.vectors.take();
            let mut count = 0;
            for (number, after) in afterstates().into_iter().enumerate() {
                let depth =
                    (number % 3) as u32 + u32::from(after.cells().count_empty() < 5 && number % 3 == 2);
                let fours = [u32::MAX, 0, 1][number / 3 % 3];
                let horizon = Horizon { depth, fours, probability: 1.0 };
                let mut meter = Meter::new(Stop::default());
                let expected =
                    reference_search::chance(&search.evaluation, &search.rules, after, horizon, &mut meter);
                for _ in 0..2 {
                    std::mem::swap(&mut search.vectors, &mut vectors);
                    search.table.clear();
                    let actual = search.value(after, depth, fours, i64::MIN);
                    assert_eq!(
                        actual,
                        expected,
                        "{}: {}, depth {depth}",
                        self.0,
                        after.cells().format_line()
                    );
                    // Once more, from the table.
                    assert_eq!(search.value(after, depth, fours, i64::MIN), expected);
                }
                count += 1;
            }
            assert!(count > 40, "{count}");
        }
    }

    for settings in SETTINGS {
        with_search(settings, DefinitionCheck(settings));
    }
}

/// The definition itself equals a textbook search in floating point, except for the rounding to
/// units.
#[test]
fn the_definition_is_that_of_a_textbook() {
    struct Textbook;

    impl Textbook {
        fn chance(value: &dyn Fn(Cells) -> f64, loss_value: f64, after: Afterstate, depth: u32) -> f64 {
            if depth == 0 {
                return value(after.cells());
            }
            let cells: Vec<usize> = (0..16).filter(|&cell| after.cells().rank(cell) == 0).collect();
            let mut mean = 0.0;
            for &cell in &cells {
                for (rank, probability) in [(1, 0.9), (2, 0.1)] {
                    let board = after.place(cell, rank);
                    let move_value = |direction| {
                        Some(Textbook::chance(value, loss_value, board.slide(direction)?, depth - 1))
                    };
                    let best = Direction::ALL.into_iter().filter_map(move_value).reduce(f64::max);
                    mean += probability * best.unwrap_or(loss_value) / cells.len() as f64;
                }
            }
            mean
        }
    }

    impl SearchCheck for Textbook {
        fn check<E: IntegerEvaluation>(self, search: &mut Search<E>) {
            let weights = EvaluationPreset::Nneonneo.weights().expect("weights").compile();
            for (number, after) in afterstates().into_iter().enumerate() {
                let depth = (number % 3) as u32;
                let expected = Textbook::chance(&|cells| weights.value(cells), 0.0, after, depth);
                let actual = search.value(after, depth, u32::MAX, i64::MIN);
                let actual = search.evaluation.features().points(actual);
                // Eight parts and each mean are rounded by half a unit.
                let unit = search.evaluation.features().points(1);
                assert!((actual - expected).abs() < 8.0 * unit, "{actual} is not {expected}");
            }
        }
    }

    with_search("least_probability = 0\nlost_is_least = false", Textbook);
}

#[test]
fn images_of_a_board_are_worth_the_same() {
    struct Images;

    impl SearchCheck for Images {
        fn check<E: IntegerEvaluation>(self, search: &mut Search<E>) {
            for after in afterstates().into_iter().step_by(5) {
                let value = search.value(after, 2, u32::MAX, i64::MIN);
                for image in after.cells().symmetries() {
                    search.table.clear();
                    assert_eq!(
                        search.value(Afterstate::new(image), 2, u32::MAX, i64::MIN),
                        value,
                        "{}",
                        image.format_line()
                    );
                }
            }
        }
    }

    with_search("least_probability = 0.0005", Images);
}

/// Earlier searches and the size of the table have no effect.
#[test]
fn an_answer_depends_on_the_position_alone() {
    let boards: Vec<Twenty48> =
        random_boards(3).into_iter().step_by(9).map(|board| position(board.cells())).collect();
    for settings in ["depth = 4\nleast_probability = 0", "adaptive = { least = 3, less = 0 }", "nodes = 3000"]
    {
        let mut first = player(&format!("{settings}\ntable_mib = 1"));
        let mut used = player(&format!("{settings}\ntable_mib = 1"));
        let mut large_table = player(&format!("{settings}\ntable_mib = 16"));
        let mut no_table = player(&format!("{settings}\ntable_mib = 0"));
        for board in boards.iter().rev() {
            used.choose(board).expect("a move");
        }
        for board in &boards {
            let choice = first.choose(board).expect("a move");
            assert_eq!(used.choose(board).expect("a move"), choice, "{settings}");
            if !settings.starts_with("nodes") {
                for player in [&mut large_table, &mut no_table] {
                    let other_choice = player.choose(board).expect("a move");
                    assert_eq!(
                        (other_choice.mv, other_choice.value),
                        (choice.mv, choice.value),
                        "{settings}"
                    );
                }
            }
        }
    }
}

/// Earlier searches have no effect with deeper values either, on positions whose searches fill the
/// buckets of a table.
#[test]
fn an_answer_with_deeper_values_depends_on_the_position_alone() {
    let positions: Vec<Twenty48> =
        positions_of_games("3").into_iter().step_by(500).map(|(position, _)| position).collect();
    for settings in ["depth = 5", "nodes = 300_000"] {
        let settings = format!("{settings}\nreuse = \"deeper\"\ntable_mib = 1");
        let mut used_player = player(&settings);
        for position in &positions {
            let choice = player(&settings).choose(position).expect("a move");
            assert_eq!(used_player.choose(position).expect("a move"), choice, "{settings}");
        }
    }
}

#[test]
fn budgets_are_kept() {
    for board in random_boards(8).into_iter().step_by(11) {
        let board = position(board.cells());
        let choose = |settings: &str| player(settings).choose(&board).expect("a move");
        let mut min_depth = 0;
        for nodes in [1, 100, 1000, 10_000] {
            let choice = choose(&format!("nodes = {nodes}"));
            // Boards below one board are evaluated together, and the first step is always
            // completed.
            assert!(choice.nodes <= nodes + 150, "{choice:?} of {nodes}");
            assert!(choice.depth >= Some(min_depth));
            min_depth = choice.depth.expect("a depth");
        }
        let distinct_tiles = board.board().cells().different_tiles().count_ones();
        let adaptive = choose("adaptive = { least = 2, less = 3 }");
        assert_eq!(adaptive.depth, Some(distinct_tiles.saturating_sub(3).max(2)));
        let fixed = choose(&format!("depth = {}", distinct_tiles.saturating_sub(3).max(2)));
        assert_eq!(fixed, adaptive);
        // A busy machine may give the thread no time within a few milliseconds.
        assert!(
            [5, 50, 500, 5000].iter().any(|millis| choose(&format!("millis = {millis}")).depth >= Some(2))
        );
    }
}

/// An interrupted step compares exactly the directions that it completed: those that the previous
/// step found best.
#[test]
fn a_step_left_in_its_middle_counts() {
    let (mut interrupted, mut changed_moves) = (0, 0);
    for board in (0..3).flat_map(random_boards).step_by(5) {
        let board = position(board.cells());
        let values_at = |settings: &str| {
            // Pruned moves have no comparable value.
            let mut full_player = player(&format!("{settings}\nstar1 = false"));
            full_player.choose(&board).expect("a move");
            full_player.abilities().move_values(&board)
        };
        for (nodes, min_probability, star1) in [
            (300, 0.0_f64, false),
            (700, 0.0, true),
            (1500, 0.0, false),
            (1500, 0.0001, false),
            (1500, 0.0001, true),
            (4000, 0.001, false),
        ] {
            let mut deepening_player =
                player(&format!("nodes = {nodes}\nleast_probability = {min_probability}\nstar1 = {star1}"));
            let choice = deepening_player.choose(&board).expect("a move");
            let compared_values = deepening_player.abilities().move_values(&board);
            let depth = choice.depth.expect("a depth");
            let step = |depth: u32| {
                let min_probability = if min_probability == 0.0 {
                    0.0
                } else {
                    min_probability.max(0.5_f64.powi(depth as i32))
                };
                values_at(&format!("depth = {depth}\nleast_probability = {min_probability}"))
            };
            let deep_values = step(depth);
            let value_in = |values: &[(Direction, f64)], direction: Direction| {
                values.iter().find(|value| value.0 == direction).expect("a legal direction").1
            };
            let best_value = |values: &[(Direction, f64)]| {
                values.iter().map(|value| value.1).fold(f64::NEG_INFINITY, f64::max)
            };
            for &(direction, value) in &compared_values {
                assert_eq!(value, value_in(&deep_values, direction), "{board} {nodes}: {compared_values:?}");
            }
            assert_eq!(value_in(&compared_values, choice.mv), best_value(&compared_values));
            if compared_values.len() < deep_values.len() {
                assert!(compared_values.len() > 1, "{compared_values:?}");
                let shallow_values = step(depth - 1);
                type Values = Vec<(Direction, f64)>;
                let (first, rest): (Values, Values) = shallow_values
                    .iter()
                    .partition(|(direction, _)| compared_values.iter().any(|other| other.0 == *direction));
                let worst = first.iter().map(|value| value.1).fold(f64::INFINITY, f64::min);
                // With bounds, a step only shows that the other directions are not the best.
                assert!(star1 || best_value(&rest) <= worst, "{shallow_values:?} {compared_values:?}");
                interrupted += 1;
                changed_moves +=
                    usize::from(value_in(&shallow_values, choice.mv) < best_value(&shallow_values));
            }
        }
    }
    assert!(interrupted > 20 && changed_moves > 0, "{interrupted} {changed_moves}");
}

/// With `reuse = "deeper"` the search equals nneonneo's, whose values have seven digits.
#[test]
fn as_nneonneo() {
    use gauntlet_twenty48_players::nneonneo;

    let boards: Vec<Twenty48> = (0..4)
        .flat_map(|seed| random_boards(seed).into_iter().step_by(7))
        .map(|board| position(raise_tiles(board.cells(), 9, 3)))
        .collect();
    for depth in 1..=3 {
        let port: nneonneo::Config = toml::from_str(&format!("depth = {depth}")).expect("settings");
        let mut port = port.build(&BuildContext::default()).expect("a player");
        let mut ours = player(&format!("depth = {}\nreuse = 'deeper'", depth + 1));
        for board in &boards {
            let expected = port.choose(board).expect("a move");
            let choice = ours.choose(board).expect("a move");
            let (mut values, mut port_values) =
                (ours.abilities().move_values(board), port.abilities().move_values(board));
            values.sort_by_key(|&(direction, _)| direction);
            port_values.sort_by_key(|&(direction, _)| direction);
            for (one, other) in values.iter().zip(&port_values) {
                assert!(
                    (one.1 - other.1).abs() < 1e-6 * other.1 + 1.0,
                    "{board}: {values:?} {port_values:?}"
                );
            }
            let is_close = values.iter().any(|&(direction, value)| {
                direction != choice.mv && choice.value.expect("a value") - value < 1.0
            });
            assert!(is_close || choice.mv == expected.mv, "{board}: {values:?} {port_values:?}");
        }
    }
}

/// Returns positions of whole games of nneonneo's program at limit 4: nine of each 25. Each has the
/// move that the program, built with its Makefile's flags, makes there at a limit.
fn positions_of_games(limit: &str) -> Vec<(Twenty48, Direction)> {
    use gauntlet_core::game::Game;

    /// Unpacks three moves from each letter.
    fn moves(packed: &str) -> impl Iterator<Item = Direction> {
        const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        packed.chars().flat_map(|letter| {
            let bits = LETTERS.find(letter).expect("a letter");
            [0, 2, 4].map(|shift| DIRECTIONS[bits >> shift & 3])
        })
    }

    let text = include_str!("../../../../../tests/it/vectors/nneonneo_games.txt");
    let line =
        |prefix: String| text.lines().find_map(|line| line.strip_prefix(&prefix)).expect("such a line");
    let mut positions = Vec::new();
    for seed in 1..=2 {
        let mut game_rng = Seed::root(seed).child("world", 0).rng();
        let mut game = Twenty48::start(&GameRules::default(), &mut game_rng);
        for mv in moves(line(format!("game {seed} "))) {
            if game.to_move().is_none() {
                break;
            }
            if game.state().moves % 25 < 9 {
                positions.push(game.clone());
            }
            game.play(mv, &mut game_rng).expect("a legal move");
        }
    }
    positions.truncate(10_000);
    positions.into_iter().zip(moves(line(format!("limit {limit} ")))).collect()
}

/// Returns the number of positions, taking one in `every`, and of those with another move than the
/// program's.
fn differences(limit: &str, settings: &str, every: usize) -> (usize, usize) {
    let mut player = player(&format!("{settings}\nreuse = 'deeper'\ntable_mib = 64"));
    let positions: Vec<_> = positions_of_games(limit).into_iter().step_by(every).collect();
    let is_different =
        |(position, mv): &&(Twenty48, Direction)| player.choose(position).expect("a move").mv != *mv;
    (positions.len(), positions.iter().filter(is_different).count())
}

/// On all but ten of these twenty thousand boards our move equals the program's. On those ten, two
/// values of the program are equal except for single-precision rounding. A lost table entry here
/// would be another cause, because the program's table loses none.
#[test]
fn moves_in_games_are_those_of_nneonneo() {
    assert_eq!(differences("3", "depth = 4", 5), (2000, 3));
    assert_eq!(differences("4", "depth = 5", 50), (200, 0));
}

/// Counts the moves of the search with exact values that differ from the program's, by cause. The
/// first: the program takes values of deeper searches, so with `reuse = "deeper"` the move is the
/// program's. The second: both moves have the same value, except for single-precision rounding.
fn causes_of_differences(limit: &str, settings: &str, every: usize) -> [usize; 2] {
    let mut exact_search = player(&format!("{settings}\ntable_mib = 64"));
    let mut deeper_search = player(&format!("{settings}\nreuse = 'deeper'\ntable_mib = 64"));
    let mut counts = [0; 2];
    for (position, mv) in positions_of_games(limit).into_iter().step_by(every) {
        if exact_search.choose(&position).expect("a move").mv == mv {
            continue;
        }
        let choice = deeper_search.choose(&position).expect("a move");
        if choice.mv == mv {
            counts[0] += 1;
            continue;
        }
        let best_value = choice.value.expect("a value");
        let values = deeper_search.abilities().move_values(&position);
        let (_, value) = *values.iter().find(|(direction, _)| *direction == mv).expect("a legal direction");
        assert!(best_value - value < 1e-6 * best_value + 1.0, "{position}: {values:?}, {mv}");
        counts[1] += 1;
    }
    counts
}

#[test]
fn each_move_that_differs_from_nneonneo_has_a_cause() {
    assert_eq!(causes_of_differences("3", "depth = 4", 5), [8, 3]);
}

/// The same test on every position: ten seconds.
#[test]
#[ignore = "takes ten seconds"]
fn moves_in_games_are_nearly_all_those_of_nneonneo() {
    assert_eq!(differences("3", "depth = 4", 1), (10_000, 6));
    assert_eq!(differences("4", "depth = 5", 1), (10_000, 4));
}

/// The same test with its depth rule. The file has no such moves, so those of the port are used; it
/// makes the program's moves. With exact values other moves are made, because the program takes
/// deeper ones.
#[test]
#[ignore = "takes minutes"]
fn moves_by_the_rule_of_depths_are_those_of_nneonneo() {
    use gauntlet_twenty48_players::nneonneo;

    let positions: Vec<_> = positions_of_games("3").into_iter().step_by(25).collect();
    for (reuse, count) in [("deeper", 0), ("exact", 24)] {
        let mut port = nneonneo::Config::default().build(&BuildContext::default()).expect("a player");
        let mut ours =
            player(&format!("adaptive = {{ least = 4, less = 1 }}\nreuse = '{reuse}'\ntable_mib = 64"));
        let is_different = |(position, _): &&(Twenty48, Direction)| {
            let [port_move, our_move] =
                [&mut port, &mut ours].map(|player| player.choose(position).expect("a move").mv);
            port_move != our_move
        };
        assert_eq!((positions.len(), positions.iter().filter(is_different).count()), (400, count), "{reuse}");
    }
}

#[test]
fn games_go_on_with_large_tiles() {
    let mut player = player("depth = 2\nleast_probability = 0.01");
    let mut game_rng = Seed::root(3).child("world", 0).rng();
    let board = "131072 65536 32768 16384  32768 16384 4096 1024  2 0 0 0  0 0 0 0";
    let mut game = Twenty48::set_up(&GameRules::default(), board, None).expect("a board");
    player.begin(&Start { seed: Seed::root(1), seat: Seat::First, rules: &GameRules::default() });
    use gauntlet_core::game::Game;
    while game.to_move().is_some() && game.state().moves < 60 {
        let mv = player.choose(&game).expect("a move").mv;
        game.play(mv, &mut game_rng).expect("a legal move");
    }
    assert!(game.board().cells().max_tile() >= 131_072);
}

/// With a network alone it equals the network player; with features in addition, their sum.
#[test]
fn a_network_counts_as_a_feature() {
    let base_settings = "evaluation = 'none'\ngains = true\nleast_probability = 0\ndepth = 2\nweights = ";
    let mut count = 0;
    for board in random_boards(4).into_iter().step_by(9) {
        let position = position(board.cells());
        let values = |settings: &str| {
            let mut player = player(settings);
            player.choose(&position).expect("a move");
            player.abilities().move_values(&position)
        };
        let n_tuple: crate::players::n_tuple::Config = toml::from_str("depth = 2").expect("settings");
        let mut n_tuple = n_tuple.build(&BuildContext::default()).expect("a player");
        n_tuple.choose(&position).expect("a move");
        let network = values(&format!("{base_settings}{{ network = 1 }}"));
        assert_eq!(network, n_tuple.abilities().move_values(&position));
        // A feature with the same value on every board.
        let sum_values = values(&format!("{base_settings}{{ network = 1, constant = 64 }}"));
        let double_values = values(&format!("{base_settings}{{ network = 2, constant = 64 }}"));
        for ((network_value, sum_value), double_value) in network.iter().zip(&sum_values).zip(&double_values)
        {
            // Each path that does not end in a lost position includes it once.
            assert!(
                sum_value.1 > network_value.1 && sum_value.1 <= network_value.1 + 64.0 + 1e-4,
                "{network_value:?} {sum_value:?}"
            );
            assert!(double_value.1 > sum_value.1, "{sum_value:?} {double_value:?}");
        }
        count += 1;
    }
    assert!(count > 5, "{count}");
}

/// Moves and values equal those of the full search, with fewer boards; and so do the values of all
/// directions.
#[test]
fn star1_finds_the_move_of_the_full_search() {
    for settings in [
        "depth = 4",
        "depth = 3\nleast_probability = 0",
        "depth = 4\nevaluation = 'macroxue'",
        "depth = 4\nevaluation = 'macroxue'\nleast_value = 1",
        "depth = 4\nevaluation = 'snake'\nleast_probability = 0.001",
        "adaptive = { least = 3, less = 4 }\ntable_mib = 0\nleast_probability = 0.002",
        "depth = 4\nfours = 1\nlost_is_least = false\nlost = 1_000_000",
        "depth = 5\nfours = 0\ntable_mib = 1",
        "depth = 5\nfours = 2\ntable_mib = 1\nevaluation = 'none'\nweights = { merges = 3, rank-power = -1 }",
    ] {
        let mut full_player = player(&format!("{settings}\nstar1 = false"));
        let mut star1_player = player(&format!("{settings}\nstar1 = true"));
        let (mut nodes, mut pruned_nodes) = (0, 0);
        for (position, _) in positions_of_games("3").into_iter().step_by(90) {
            let [full, pruned] =
                [&mut full_player, &mut star1_player].map(|player| player.choose(&position).expect("a move"));
            let best_value =
                |values: &[(Direction, f64)]| values.iter().find(|value| value.0 == full.mv).copied();
            assert_eq!(
                (full.mv, full.value, full.depth),
                (pruned.mv, pruned.value, pruned.depth),
                "{settings}"
            );
            let values = full_player.abilities().move_values(&position);
            assert_eq!(values, star1_player.abilities().move_values(&position), "{settings}");
            assert_eq!(best_value(&values).map(|value| Some(value.1)), Some(pruned.value));
            (nodes, pruned_nodes) = (nodes + full.nodes, pruned_nodes + pruned.nodes);
        }
        assert!(20 * pruned_nodes < 19 * nodes, "{settings}: {pruned_nodes} of {nodes}");
    }
}

/// A board after a move that is worth less than the limit is evaluated, unless the board at the
/// root is, too. Then all boards are searched.
#[test]
fn bad_boards_are_evaluated() {
    let settings = "evaluation = 'macroxue'\nlost = -10_000_000";
    let [mut limited_player, mut full_player, mut evaluating_player] =
        ["depth = 3\nleast_value = 1", "depth = 3", "depth = 1"]
            .map(|depth| player(&format!("{settings}\n{depth}")));
    let (mut cut_off, mut searched, mut bad_roots) = (0, 0, 0);
    for (position, _) in positions_of_games("3").into_iter().step_by(40) {
        let [limited, full, evaluations] = [&mut limited_player, &mut full_player, &mut evaluating_player]
            .map(|player| {
                player.choose(&position).expect("a move");
                player.abilities().move_values(&position)
            });
        let value = |values: &[(Direction, f64)], direction| {
            values.iter().find(|value| value.0 == direction).expect("a legal direction").1
        };
        let cells = position.board().cells();
        let slopes = cells.rows().into_iter().chain(cells.columns()).map(corner_slope_of_line);
        let limit = tile_weight(cells.max_rank());
        if (slopes.sum::<i64>() as f64) < limit {
            assert_eq!(limited, full);
            bad_roots += 1;
            continue;
        }
        for &(direction, evaluation) in &evaluations {
            if evaluation < limit {
                assert_eq!(value(&limited, direction), evaluation, "{}", cells.format_line());
                cut_off += usize::from(value(&full, direction) != evaluation);
            } else {
                searched += usize::from(value(&limited, direction) != evaluation);
            }
        }
    }
    assert!(cut_off > 10 && searched > 10 && bad_roots > 10, "{cut_off} {searched} {bad_roots}");
}

/// A lost position is worth at most minus the limit. After the move to the left, any tile loses.
#[test]
fn a_loss_is_worth_no_more_than_minus_the_limit() {
    let cells = "8192 2 8 4  16 4 2 8  2 8 4 16  4 2 8 8".parse().expect("a board");
    let position = position(cells);
    for (setting, loss) in [
        ("", -131_072.0),
        ("least_value = 0.5", -131_072.0),
        ("least_value = 2", -2.0 * 13.0 * 8192.0),
        ("least_value = 2\nlost = -500_000", -500_000.0),
    ] {
        let mut player = player(&format!("evaluation = 'macroxue'\ndepth = 2\n{setting}"));
        player.choose(&position).expect("a move");
        let values = player.abilities().move_values(&position);
        assert!(values.contains(&(Direction::Left, loss)), "{setting}: {values:?}");
    }
}

/// Games with a limit of values are identified by a version.
#[test]
fn a_limit_of_values_has_a_version() {
    let version = |settings: &str| config(settings).open(&AssetFiles::default()).expect("no files").version;
    assert_eq!(version("depth = 1"), None);
    assert_eq!(version("depth = 1\nleast_value = 2").as_deref(), Some(LEAST_VALUE_VERSION));
}

/// The search by definition counts the boards after moves, too.
#[test]
fn boards_with_large_tiles_are_counted() {
    let position = position("65536 2 4 2  0 0 0 0  0 0 0 0  0 0 0 2".parse().expect("a board"));
    let legal_count = position.board().legal_directions().count() as u64;
    assert_eq!(player("depth = 1").choose(&position).expect("a move").nodes, legal_count);
}

/// With a node limit the search gets further, and reports what it compared.
#[test]
fn star1_deepens_a_search_with_a_node_limit() {
    let settings = "nodes = 20_000";
    let mut full_player = player(&format!("{settings}\nstar1 = false"));
    let mut star1_player = player(&format!("{settings}\nstar1 = true"));
    let mut deeper_count = 0;
    for (position, _) in positions_of_games("3").into_iter().skip(2000).step_by(200) {
        let [full, pruned] =
            [&mut full_player, &mut star1_player].map(|player| player.choose(&position).expect("a move"));
        assert!(pruned.nodes < 30_000 && pruned.depth >= full.depth, "{pruned:?} {full:?}");
        deeper_count += usize::from(pruned.depth > full.depth);
        let values = star1_player.abilities().move_values(&position);
        let best = values.iter().copied().reduce(|best, other| if other.1 > best.1 { other } else { best });
        assert_eq!(best.map(|best| (best.0, Some(best.1))), Some((pruned.mv, pruned.value)), "{values:?}");
        // Earlier searches have no effect.
        assert_eq!(star1_player.choose(&position).expect("a move"), pruned);
    }
    assert!(deeper_count > 5, "{deeper_count}");
}

#[test]
fn weights_beside_an_evaluation_may_all_be_0() {
    let config = |settings: &str| config(&format!("depth = 2\n{settings}"));
    let preset = config("evaluation = 'macroxue'");
    let overridden = config("evaluation = 'macroxue'\nweights = { empty = 0 }");
    for settings in
        ["evaluation = 'macroxue'\nweights = {}", "evaluation = 'macroxue'\nweights = { empty = 0 }"]
    {
        assert_eq!(config(settings).contradiction(), None);
    }
    let board = position(random_boards(1)[0].cells());
    let value = |config: &Config| {
        config.build(&BuildContext::default()).expect("a player").choose(&board).expect("a move").value
    };
    assert_eq!(value(&overridden), value(&preset));
    for zero_weights in [
        "evaluation = 'none'\nweights = { empty = 0 }",
        "evaluation = 'snake'\nweights = { snake-power = 0 }",
    ] {
        assert_eq!(
            config(zero_weights).contradiction(),
            Some(("weights", Weights::ALL_ZERO_MESSAGE.to_owned()))
        );
    }
}

#[test]
fn what_has_no_bounds_is_refused() {
    for (settings, obstacle) in [
        ("gains = true", "gains = true"),
        ("reuse = 'deeper'", "deeper"),
        ("evaluation = 'ovolve'", "is not a sum over lines"),
        ("evaluation = 'none'\nweights = { network = 1 }", "a `network`"),
    ] {
        let (key, message) =
            config(&format!("depth = 2\nstar1 = true\n{settings}")).contradiction().expect(obstacle);
        assert!(key == "star1" && message.contains(obstacle), "{message}");
        // By default, pruning is on if it is possible.
        let config = config(&format!("depth = 2\n{settings}"));
        assert_eq!((config.contradiction(), config.star1()), (None, false));
    }
    assert!(config("depth = 2").star1() && !config("depth = 2\nstar1 = false").star1());
}

/// Many boards are cut off at other probabilities than those at which the table met them before.
#[test]
fn star1_agrees_with_cached_ranges() {
    for settings in ["depth = 6\nleast_probability = 0.001", "depth = 6\nleast_probability = 0.0005"] {
        let mut full_player = player(&format!("{settings}\nstar1 = false"));
        let mut star1_player = player(&format!("{settings}\nstar1 = true"));
        let positions = positions_of_games("3").into_iter().step_by(13);
        for (position, _) in positions.filter(|(position, _)| position.board().cells().count_empty() <= 5) {
            let [full, pruned] =
                [&mut full_player, &mut star1_player].map(|player| player.choose(&position).expect("a move"));
            assert_eq!((full.mv, full.value), (pruned.mv, pruned.value), "{settings}: {position:?}");
        }
    }
}

/// The value that a tile must exceed decreases with depth, even if values have their maximum size.
#[test]
fn what_is_left_is_right_with_values_of_any_size() {
    let settings = "depth = 7\nlost = 1e9\nevaluation = 'snake'\nleast_probability = 0.00001\ntable_mib = 64";
    let mut full_player = player(&format!("{settings}\nstar1 = false"));
    let mut star1_player = player(&format!("{settings}\nstar1 = true"));
    let mut count = 0;
    for board in (0..3).flat_map(|seed| random_boards(seed).into_iter().skip(20).step_by(17)) {
        let cells = raise_tiles(board.cells(), 14, 3);
        let has_move =
            Direction::ALL.into_iter().any(|direction| Board::new(cells).slide(direction).is_some());
        if cells.nibbles_for(8).is_none() || cells.count_empty() > 6 || !has_move {
            continue;
        }
        let position = position(cells);
        let [full, pruned] =
            [&mut full_player, &mut star1_player].map(|player| player.choose(&position).expect("a move"));
        assert_eq!((full.mv, full.value), (pruned.mv, pruned.value), "{}", cells.format_line());
        count += 1;
    }
    assert!(count > 5, "{count}");
}

/// Boards that no game reaches: any tiles, nearly empty to full, with values of either sign.
#[test]
fn leaves_side_by_side_are_those_of_the_tables() {
    struct LeafCheck;
    impl SearchCheck for LeafCheck {
        fn check<E: IntegerEvaluation>(self, search: &mut Search<E>) {
            let mut vectors = search.vectors.take();
            let mut rng = Seed::root(77).child("boards", 0).rng();
            for number in 0..5000 {
                let mut ranks = [0_u8; 16];
                for rank in &mut ranks {
                    let bits = rng.bits();
                    *rank = if bits % 16 < number % 14 { 0 } else { (bits >> 8) as u8 % 14 };
                }
                ranks[(rng.bits() % 16) as usize] = 0;
                let after = Afterstate::new(Cells::from_ranks(ranks));
                if after.cells().nibbles_for(2).is_some() {
                    let values = [(); 2].map(|()| {
                        std::mem::swap(&mut search.vectors, &mut vectors);
                        search.table.clear();
                        search.value(after, 1, u32::MAX, i64::MIN)
                    });
                    assert_eq!(values[0], values[1], "{}", after.cells().format_line());
                }
            }
        }
    }

    for settings in [
        "lost = -3e7\nlost_is_least = false",
        "lost = 3e7",
        "evaluation = 'none'\nweights = { rank-power = -1, merges = -3 }",
        "evaluation = 'none'\nweights = { rank-power = 1, monotonicity-power = 1 }",
    ] {
        let config = config(settings);
        let weights = config.all_weights().expect("weights");
        weights.compile_exact(config.loss_value().abs(), SearchVisitor(&config, LeafCheck));
    }
}
