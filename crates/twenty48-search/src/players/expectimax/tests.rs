//! Compares the search with its definition, a textbook search, itself on other paths, and
//! nneonneo's program.

use gauntlet_core::game::Seat;
use gauntlet_core::player::{Start, Stop};
use gauntlet_core::rng::Seed;
use gauntlet_twenty48::eval::{EvaluationVisitor, IntegerEvaluation};
use gauntlet_twenty48::rules::{Afterstate, Board, Cells, Direction, Rules as GameRules};
use gauntlet_twenty48::testing::{raise_tiles, random_boards};

use super::meter::Meter;
use super::player::DIRECTIONS;
use super::rules::Rules;
use super::search::Search;
use super::table::{Reach, Table};
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
fn afters() -> Vec<Afterstate> {
    let mut afters = Vec::new();
    for seed in 0..6 {
        for (number, board) in
            random_boards(seed).into_iter().enumerate().filter(|(number, _)| number % 12 == 0)
        {
            let cells = match (number / 12) % 3 {
                0 => board.cells(),
                1 => raise_tiles(board.cells(), 15, 4),
                _ => raise_tiles(board.cells(), 11, 3),
            };
            let slid = Direction::ALL.into_iter().find_map(|direction| Board::new(cells).slide(direction));
            afters.extend(slid.filter(|after| after.cells().count_empty() <= 9));
        }
    }
    afters
}

/// Calls a function with a search of these settings.
struct With<'a, F>(&'a Config, F);

trait Checked {
    fn check<E: IntegerEvaluation>(self, search: &mut Search<E>);
}

impl<F: Checked> EvaluationVisitor for With<'_, F> {
    type Built = ();

    fn visit(self, evaluation: impl IntegerEvaluation + 'static) {
        let rules = Rules {
            least: self.0.least_probability.get() as f32,
            gains: self.0.gains,
            lost: evaluation.features().units(self.0.loss_value()),
            lost_is_least: self.0.is_loss_least(),
        };
        let table = Table::new(self.0.table_mib.get(), Kind::Ranged);
        self.1.check(&mut Search::new(evaluation, rules, table, Meter::new(Stop::default())));
    }
}

fn with_search(settings: &str, checked: impl Checked) {
    let config = config(settings);
    let weights = config.all_weights().expect("weights");
    weights.compile_exact(config.loss_value().abs().max(MOST_POINTS), With(&config, checked));
}

/// Settings that each use another code path: evaluations of one table and of five, with and without
/// features that do not fold, with points, without a table, with cut-offs.
const SETTINGS: [&str; 9] = [
    "least_probability = 0",
    "least_probability = 0.001\nlost_is_least = false",
    "gains = true\nleast_probability = 0.004\ntable_mib = 0",
    "evaluation = 'macroxue'\nleast_probability = 0",
    "evaluation = 'macroxue'\ngains = true\nlost = 10",
    "evaluation = 'ovolve'\nleast_probability = 0.003",
    "evaluation = 'snake'\ngains = true\nleast_probability = 0",
    "evaluation = 'snake'\nweights = { islands = -3, smoothness-nearest = 1.5 }\nleast_probability = 0.002",
    "evaluation = 'none'\nweights = { merges = 1, max-tile = 0.01 }\ntable_mib = 0",
];

#[test]
fn what_is_found_is_what_the_definition_says() {
    struct Plainly(&'static str);

    impl Checked for Plainly {
        fn check<E: IntegerEvaluation>(self, search: &mut Search<E>) {
            let mut vectors = search.vectors.take();
            let mut compared = 0;
            for (number, after) in afters().into_iter().enumerate() {
                let depth =
                    (number % 3) as u32 + u32::from(after.cells().count_empty() < 5 && number % 3 == 2);
                let fours = [u32::MAX, 0, 1][number / 3 % 3];
                let reach = Reach { depth, fours, probability: 1.0 };
                let mut meter = Meter::new(Stop::default());
                let expected = plain::chance(&search.evaluation, &search.rules, after, reach, &mut meter);
                for _ in 0..2 {
                    std::mem::swap(&mut search.vectors, &mut vectors);
                    search.table.forget();
                    let found = search.value(after, depth, fours, i64::MIN);
                    assert_eq!(found, expected, "{}: {}, depth {depth}", self.0, after.cells().format_line());
                    // Once more, from the table.
                    assert_eq!(search.value(after, depth, fours, i64::MIN), expected);
                }
                compared += 1;
            }
            assert!(compared > 40, "{compared}");
        }
    }

    for settings in SETTINGS {
        with_search(settings, Plainly(settings));
    }
}

/// The definition itself equals a textbook search in floating point, except for the rounding to
/// units.
#[test]
fn the_definition_is_that_of_a_textbook() {
    struct Textbook;

    impl Textbook {
        fn chance(value: &dyn Fn(Cells) -> f64, lost: f64, after: Afterstate, depth: u32) -> f64 {
            if depth == 0 {
                return value(after.cells());
            }
            let cells: Vec<usize> = (0..16).filter(|&cell| after.cells().rank(cell) == 0).collect();
            let mut mean = 0.0;
            for &cell in &cells {
                for (rank, chance) in [(1, 0.9), (2, 0.1)] {
                    let board = after.place(cell, rank);
                    let of_move =
                        |direction| Some(Textbook::chance(value, lost, board.slide(direction)?, depth - 1));
                    let best = Direction::ALL.into_iter().filter_map(of_move).reduce(f64::max);
                    mean += chance * best.unwrap_or(lost) / cells.len() as f64;
                }
            }
            mean
        }
    }

    impl Checked for Textbook {
        fn check<E: IntegerEvaluation>(self, search: &mut Search<E>) {
            let weights = EvaluationPreset::Nneonneo.weights().expect("weights").compile();
            for (number, after) in afters().into_iter().enumerate() {
                let depth = (number % 3) as u32;
                let expected = Textbook::chance(&|cells| weights.value(cells), 0.0, after, depth);
                let found = search.value(after, depth, u32::MAX, i64::MIN);
                let found = search.evaluation.features().points(found);
                // Eight parts and each mean are rounded by half a unit.
                let unit = search.evaluation.features().points(1);
                assert!((found - expected).abs() < 8.0 * unit, "{found} is not {expected}");
            }
        }
    }

    with_search("least_probability = 0\nlost_is_least = false", Textbook);
}

#[test]
fn images_of_a_board_are_worth_the_same() {
    struct Images;

    impl Checked for Images {
        fn check<E: IntegerEvaluation>(self, search: &mut Search<E>) {
            for after in afters().into_iter().step_by(5) {
                let value = search.value(after, 2, u32::MAX, i64::MIN);
                for image in after.cells().symmetries() {
                    search.table.forget();
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
        let mut one = player(&format!("{settings}\ntable_mib = 1"));
        let mut other = player(&format!("{settings}\ntable_mib = 1"));
        let mut large = player(&format!("{settings}\ntable_mib = 16"));
        let mut none = player(&format!("{settings}\ntable_mib = 0"));
        for board in boards.iter().rev() {
            other.choose(board).expect("a move");
        }
        for board in &boards {
            let thought = one.choose(board).expect("a move");
            assert_eq!(other.choose(board).expect("a move"), thought, "{settings}");
            if !settings.starts_with("nodes") {
                for player in [&mut large, &mut none] {
                    let again = player.choose(board).expect("a move");
                    assert_eq!((again.mv, again.value), (thought.mv, thought.value), "{settings}");
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
        let mut used = player(&settings);
        for position in &positions {
            let thought = player(&settings).choose(position).expect("a move");
            assert_eq!(used.choose(position).expect("a move"), thought, "{settings}");
        }
    }
}

#[test]
fn budgets_are_kept() {
    for board in random_boards(8).into_iter().step_by(11) {
        let board = position(board.cells());
        let thought = |settings: &str| player(settings).choose(&board).expect("a move");
        let mut least = 0;
        for nodes in [1, 100, 1000, 10_000] {
            let found = thought(&format!("nodes = {nodes}"));
            // Boards below one board are evaluated together, and the first step is always
            // completed.
            assert!(found.nodes <= nodes + 150, "{found:?} of {nodes}");
            assert!(found.depth >= Some(least));
            least = found.depth.expect("a depth");
        }
        let kinds = board.board().cells().different_tiles().count_ones();
        let adaptive = thought("adaptive = { least = 2, less = 3 }");
        assert_eq!(adaptive.depth, Some(kinds.saturating_sub(3).max(2)));
        let fixed = thought(&format!("depth = {}", kinds.saturating_sub(3).max(2)));
        assert_eq!(fixed, adaptive);
        assert!(thought("millis = 5").depth >= Some(2));
    }
}

/// An interrupted step compares exactly the directions that it completed: those that the previous
/// step found best.
#[test]
fn a_step_left_in_its_middle_counts() {
    let (mut in_the_middle, mut changes_the_move) = (0, 0);
    for board in (0..3).flat_map(random_boards).step_by(5) {
        let board = position(board.cells());
        let values_at = |settings: &str| {
            // Pruned moves have no comparable value.
            let mut whole = player(&format!("{settings}\nstar1 = false"));
            whole.choose(&board).expect("a move");
            whole.abilities().move_values(&board)
        };
        for (nodes, least, star1) in [
            (300, 0.0_f64, false),
            (700, 0.0, true),
            (1500, 0.0, false),
            (1500, 0.0001, false),
            (1500, 0.0001, true),
            (4000, 0.001, false),
        ] {
            let mut one = player(&format!("nodes = {nodes}\nleast_probability = {least}\nstar1 = {star1}"));
            let thought = one.choose(&board).expect("a move");
            let compared = one.abilities().move_values(&board);
            let depth = thought.depth.expect("a depth");
            let step = |depth: u32| {
                let least = if least == 0.0 { 0.0 } else { least.max(0.5_f64.powi(depth as i32)) };
                values_at(&format!("depth = {depth}\nleast_probability = {least}"))
            };
            let deep = step(depth);
            let value_in = |values: &[(Direction, f64)], direction: Direction| {
                values.iter().find(|value| value.0 == direction).expect("a legal direction").1
            };
            let best_of = |values: &[(Direction, f64)]| {
                values.iter().map(|value| value.1).fold(f64::NEG_INFINITY, f64::max)
            };
            for &(direction, value) in &compared {
                assert_eq!(value, value_in(&deep, direction), "{board} {nodes}: {compared:?}");
            }
            assert_eq!(value_in(&compared, thought.mv), best_of(&compared));
            if compared.len() < deep.len() {
                assert!(compared.len() > 1, "{compared:?}");
                let shallow = step(depth - 1);
                type Values = Vec<(Direction, f64)>;
                let (first, rest): (Values, Values) = shallow
                    .iter()
                    .partition(|(direction, _)| compared.iter().any(|other| other.0 == *direction));
                let worst = first.iter().map(|value| value.1).fold(f64::INFINITY, f64::min);
                // With bounds, a step only shows that the other directions are not the best.
                assert!(star1 || best_of(&rest) <= worst, "{shallow:?} {compared:?}");
                in_the_middle += 1;
                changes_the_move += usize::from(value_in(&shallow, thought.mv) < best_of(&shallow));
            }
        }
    }
    assert!(in_the_middle > 20 && changes_the_move > 0, "{in_the_middle} {changes_the_move}");
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
            let thought = ours.choose(board).expect("a move");
            let (mut values, mut others) =
                (ours.abilities().move_values(board), port.abilities().move_values(board));
            values.sort_by_key(|&(direction, _)| direction);
            others.sort_by_key(|&(direction, _)| direction);
            for (one, other) in values.iter().zip(&others) {
                assert!((one.1 - other.1).abs() < 1e-6 * other.1 + 1.0, "{board}: {values:?} {others:?}");
            }
            let is_close = values.iter().any(|&(direction, value)| {
                direction != thought.mv && thought.value.expect("a value") - value < 1.0
            });
            assert!(is_close || thought.mv == expected.mv, "{board}: {values:?} {others:?}");
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
    let line = |head: String| text.lines().find_map(|line| line.strip_prefix(&head)).expect("such a line");
    let mut positions = Vec::new();
    for seed in 1..=2 {
        let mut world = Seed::root(seed).child("world", 0).rng();
        let mut game = Twenty48::start(&GameRules::default(), &mut world);
        for mv in moves(line(format!("game {seed} "))) {
            if game.to_move().is_none() {
                break;
            }
            if game.standing().moves % 25 < 9 {
                positions.push(game.clone());
            }
            game.play(mv, &mut world).expect("a legal move");
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
    let differs =
        |(position, mv): &&(Twenty48, Direction)| player.choose(position).expect("a move").mv != *mv;
    (positions.len(), positions.iter().filter(differs).count())
}

/// On all but ten of these twenty thousand boards our move equals the program's. On those ten, two
/// values of the program are equal except for single-precision rounding. A lost table entry here
/// would be another cause, because the program's table loses none.
#[test]
fn moves_in_games_are_those_of_nneonneo() {
    assert_eq!(differences("3", "depth = 4", 5), (2000, 3));
    assert_eq!(differences("4", "depth = 5", 50), (200, 0));
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
        let differs = |(position, _): &&(Twenty48, Direction)| {
            let [theirs, own] =
                [&mut port, &mut ours].map(|player| player.choose(position).expect("a move").mv);
            theirs != own
        };
        assert_eq!((positions.len(), positions.iter().filter(differs).count()), (400, count), "{reuse}");
    }
}

#[test]
fn games_go_on_with_large_tiles() {
    let mut player = player("depth = 2\nleast_probability = 0.01");
    let mut world = Seed::root(3).child("world", 0).rng();
    let board = "131072 65536 32768 16384  32768 16384 4096 1024  2 0 0 0  0 0 0 0";
    let mut game = Twenty48::set_up(&GameRules::default(), board, None).expect("a board");
    player.begin(&Start { seed: Seed::root(1), seat: Seat::First, rules: &GameRules::default() });
    use gauntlet_core::game::Game;
    while game.to_move().is_some() && game.standing().moves < 60 {
        let mv = player.choose(&game).expect("a move").mv;
        game.play(mv, &mut world).expect("a legal move");
    }
    assert!(game.board().cells().max_tile() >= 131_072);
}

/// With a network alone it equals the network player; with features in addition, their sum.
#[test]
fn a_network_counts_as_a_feature() {
    let alone = "evaluation = 'none'\ngains = true\nleast_probability = 0\ndepth = 2\nweights = ";
    let mut compared = 0;
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
        let network = values(&format!("{alone}{{ network = 1 }}"));
        assert_eq!(network, n_tuple.abilities().move_values(&position));
        // A feature with the same value on every board.
        let more = values(&format!("{alone}{{ network = 1, constant = 64 }}"));
        let twice = values(&format!("{alone}{{ network = 2, constant = 64 }}"));
        for ((one, more), twice) in network.iter().zip(&more).zip(&twice) {
            // Each path that does not end in a lost position includes it once.
            assert!(more.1 > one.1 && more.1 <= one.1 + 64.0 + 1e-4, "{one:?} {more:?}");
            assert!(twice.1 > more.1, "{more:?} {twice:?}");
        }
        compared += 1;
    }
    assert!(compared > 5, "{compared}");
}

/// Moves and values equal those of the full search, with fewer boards; and so do the values of all
/// directions.
#[test]
fn what_cannot_be_the_best_is_left() {
    for settings in [
        "depth = 4",
        "depth = 3\nleast_probability = 0",
        "depth = 4\nevaluation = 'macroxue'",
        "depth = 4\nevaluation = 'snake'\nleast_probability = 0.001",
        "adaptive = { least = 3, less = 4 }\ntable_mib = 0\nleast_probability = 0.002",
        "depth = 4\nfours = 1\nlost_is_least = false\nlost = 1_000_000",
        "depth = 5\nfours = 0\ntable_mib = 1",
        "depth = 5\nfours = 2\ntable_mib = 1\nevaluation = 'none'\nweights = { merges = 3, rank-power = -1 }",
    ] {
        let mut whole = player(&format!("{settings}\nstar1 = false"));
        let mut star = player(&format!("{settings}\nstar1 = true"));
        let (mut nodes, mut fewer) = (0, 0);
        for (position, _) in positions_of_games("3").into_iter().step_by(90) {
            let [all, some] = [&mut whole, &mut star].map(|player| player.choose(&position).expect("a move"));
            let is_best =
                |values: &[(Direction, f64)]| values.iter().find(|value| value.0 == all.mv).copied();
            assert_eq!((all.mv, all.value, all.depth), (some.mv, some.value, some.depth), "{settings}");
            let values = whole.abilities().move_values(&position);
            assert_eq!(values, star.abilities().move_values(&position), "{settings}");
            assert_eq!(is_best(&values).map(|value| Some(value.1)), Some(some.value));
            (nodes, fewer) = (nodes + all.nodes, fewer + some.nodes);
        }
        assert!(20 * fewer < 19 * nodes, "{settings}: {fewer} of {nodes}");
    }
}

/// With a node limit the search gets further, and reports what it compared.
#[test]
fn what_is_left_makes_a_search_go_further() {
    let settings = "nodes = 20_000";
    let mut whole = player(&format!("{settings}\nstar1 = false"));
    let mut star = player(&format!("{settings}\nstar1 = true"));
    let mut further = 0;
    for (position, _) in positions_of_games("3").into_iter().skip(2000).step_by(200) {
        let [all, some] = [&mut whole, &mut star].map(|player| player.choose(&position).expect("a move"));
        assert!(some.nodes < 30_000 && some.depth >= all.depth, "{some:?} {all:?}");
        further += usize::from(some.depth > all.depth);
        let values = star.abilities().move_values(&position);
        let best = values.iter().copied().reduce(|best, other| if other.1 > best.1 { other } else { best });
        assert_eq!(best.map(|best| (best.0, Some(best.1))), Some((some.mv, some.value)), "{values:?}");
        // Earlier searches have no effect.
        assert_eq!(star.choose(&position).expect("a move"), some);
    }
    assert!(further > 5, "{further}");
}

#[test]
fn weights_beside_an_evaluation_may_all_be_0() {
    let config = |settings: &str| config(&format!("depth = 2\n{settings}"));
    let plain = config("evaluation = 'macroxue'");
    let changed = config("evaluation = 'macroxue'\nweights = { empty = 0 }");
    for settings in
        ["evaluation = 'macroxue'\nweights = {}", "evaluation = 'macroxue'\nweights = { empty = 0 }"]
    {
        assert_eq!(config(settings).contradiction(), None);
    }
    let board = position(random_boards(1)[0].cells());
    let value = |config: &Config| {
        config.build(&BuildContext::default()).expect("a player").choose(&board).expect("a move").value
    };
    assert_eq!(value(&changed), value(&plain));
    for nothing in [
        "evaluation = 'none'\nweights = { empty = 0 }",
        "evaluation = 'snake'\nweights = { snake-power = 0 }",
    ] {
        assert_eq!(config(nothing).contradiction(), Some(("weights", Weights::NONE_COUNTS.to_owned())));
    }
}

#[test]
fn what_has_no_bounds_is_refused() {
    for (settings, what) in [
        ("gains = true", "gains = true"),
        ("reuse = 'deeper'", "deeper"),
        ("evaluation = 'ovolve'", "is not a sum over lines"),
        ("evaluation = 'none'\nweights = { network = 1 }", "a `network`"),
    ] {
        let (key, message) =
            config(&format!("depth = 2\nstar1 = true\n{settings}")).contradiction().expect(what);
        assert!(key == "star1" && message.contains(what), "{message}");
        // By default, pruning is on if it is possible.
        let config = config(&format!("depth = 2\n{settings}"));
        assert_eq!((config.contradiction(), config.star1()), (None, false));
    }
    assert!(config("depth = 2").star1() && !config("depth = 2\nstar1 = false").star1());
}

/// Many boards are cut off at other probabilities than those at which the table met them before.
#[test]
fn what_is_left_holds_for_the_probabilities_that_the_table_says() {
    for settings in ["depth = 6\nleast_probability = 0.001", "depth = 6\nleast_probability = 0.0005"] {
        let mut whole = player(&format!("{settings}\nstar1 = false"));
        let mut star = player(&format!("{settings}\nstar1 = true"));
        let positions = positions_of_games("3").into_iter().step_by(13);
        for (position, _) in positions.filter(|(position, _)| position.board().cells().count_empty() <= 5) {
            let [all, some] = [&mut whole, &mut star].map(|player| player.choose(&position).expect("a move"));
            assert_eq!((all.mv, all.value), (some.mv, some.value), "{settings}: {position:?}");
        }
    }
}

/// The value that a tile must exceed decreases with depth, even if values have their maximum size.
#[test]
fn what_is_left_is_right_with_values_of_any_size() {
    let settings =
        "depth = 7\nlost = 1e12\nevaluation = 'snake'\nleast_probability = 0.00001\ntable_mib = 64";
    let mut whole = player(&format!("{settings}\nstar1 = false"));
    let mut star = player(&format!("{settings}\nstar1 = true"));
    let mut compared = 0;
    for board in (0..3).flat_map(|seed| random_boards(seed).into_iter().skip(20).step_by(17)) {
        let cells = raise_tiles(board.cells(), 14, 3);
        let is_open =
            Direction::ALL.into_iter().any(|direction| Board::new(cells).slide(direction).is_some());
        if cells.nibbles_for(8).is_none() || cells.count_empty() > 6 || !is_open {
            continue;
        }
        let position = position(cells);
        let [all, some] = [&mut whole, &mut star].map(|player| player.choose(&position).expect("a move"));
        assert_eq!((all.mv, all.value), (some.mv, some.value), "{}", cells.format_line());
        compared += 1;
    }
    assert!(compared > 5, "{compared}");
}

/// Boards that no game reaches: any tiles, nearly empty to full, with values of either sign.
#[test]
fn leaves_side_by_side_are_those_of_the_tables() {
    struct Compared;
    impl Checked for Compared {
        fn check<E: IntegerEvaluation>(self, search: &mut Search<E>) {
            let mut vectors = search.vectors.take();
            let mut dice = Seed::root(77).child("boards", 0).rng();
            for number in 0..5000 {
                let mut ranks = [0_u8; 16];
                for rank in &mut ranks {
                    let bits = dice.bits();
                    *rank = if bits % 16 < number % 14 { 0 } else { (bits >> 8) as u8 % 14 };
                }
                ranks[(dice.bits() % 16) as usize] = 0;
                let after = Afterstate::new(Cells::from_ranks(ranks));
                if after.cells().nibbles_for(2).is_some() {
                    let found = [(); 2].map(|()| {
                        std::mem::swap(&mut search.vectors, &mut vectors);
                        search.table.forget();
                        search.value(after, 1, u32::MAX, i64::MIN)
                    });
                    assert_eq!(found[0], found[1], "{}", after.cells().format_line());
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
        weights.compile_exact(config.loss_value().abs(), With(&config, Compared));
    }
}
