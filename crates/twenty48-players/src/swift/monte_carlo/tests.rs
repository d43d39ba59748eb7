use gauntlet_core::game::{Game as _, RandomPlay, Seat};
use gauntlet_core::rng::Rng;
use gauntlet_twenty48::rules::slide::slide_line;
use gauntlet_twenty48::rules::{Afterstate, Cells, Rules};

use super::super::evaluation::{ArticleFinal, BoardTerms, Corner27, Formula, McSimple};
use super::*;

/// Second implementation of the players, from the prose: ranks in a list, slides line by line,
/// points as tiles are made. Random numbers are drawn in the same order from the same streams, so
/// the values are equal and not only similar.
mod twin {
    use super::*;

    pub(super) type Ranks = [u8; 16];

    /// Returns the lines of a direction, each starting at the wall that tiles slide to.
    fn lines(direction: Direction) -> [[usize; 4]; 4] {
        std::array::from_fn(|line| {
            std::array::from_fn(|position| match direction {
                Direction::Left => 4 * line + position,
                Direction::Right => 4 * line + 3 - position,
                Direction::Up => 4 * position + line,
                Direction::Down => 4 * (3 - position) + line,
            })
        })
    }

    /// Returns the board after a slide, and its points: the value of the tiles that were added.
    pub(super) fn slide(board: Ranks, direction: Direction) -> Option<(Ranks, u64)> {
        let mut after = board;
        let mut points = 0;
        for line in lines(direction) {
            let before = line.map(|cell| board[cell]);
            for (cell, rank) in line.into_iter().zip(slide_line(before)) {
                after[cell] = rank;
            }
            // From the tiles of each rank before and after: a merge takes two and adds one of the
            // next rank.
            let count =
                |ranks: [u8; 4], rank| ranks.into_iter().filter(|&other| other == rank).count() as i64;
            let mut new_tiles = 0;
            for rank in 1..=20 {
                let tiles_after = count(line.map(|cell| after[cell]), rank);
                let merges = (count(before, rank) + new_tiles - tiles_after) / 2;
                points += merges as u64 * (1 << (rank + 1));
                new_tiles = merges;
            }
        }
        (after != board).then_some((after, points))
    }

    fn is_over(board: Ranks) -> bool {
        !board.contains(&0) && Direction::ALL.into_iter().all(|direction| slide(board, direction).is_none())
    }

    fn count_empty(board: Ranks) -> u64 {
        board.into_iter().filter(|&rank| rank == 0).count() as u64
    }

    fn spawn(board: Ranks, rng: &mut Rng) -> Ranks {
        Afterstate::new(Cells::from_ranks(board)).spawn(rng).0.cells().ranks()
    }

    fn draw(rng: &mut Rng) -> Direction {
        Direction::ALL[(rng.bits() >> 62) as usize]
    }

    /// Returns the value of a direction for the program; `None` if it is illegal.
    pub(super) fn program_value(
        board: Ranks,
        direction: Direction,
        (simulations, crowded_simulations, draws, empty_weight): (u64, u64, u64, u64),
        (seed, direction_index): (Seed, u64),
    ) -> Option<u64> {
        let empty_count = count_empty(board);
        let simulations = if empty_count <= 4 { crowded_simulations } else { simulations };
        let mut total = 0;
        for k in 0..simulations {
            let mut game_rng = seed.child("world", simulations * direction_index + k).rng();
            let mut player_rng = seed.child("player", simulations * direction_index + k).rng();
            let (after, gain) = slide(board, direction)?;
            let mut board = spawn(after, &mut game_rng);
            let mut score = gain;
            let mut draw_count = 0;
            while if empty_count <= 4 { !is_over(board) } else { draw_count < draws } {
                draw_count += 1;
                if let Some((after, gain)) = slide(board, draw(&mut player_rng)) {
                    score += gain;
                    board = spawn(after, &mut game_rng);
                }
            }
            total += if empty_count <= 4 { score } else { score + empty_weight * count_empty(board) };
        }
        Some(total / simulations)
    }

    /// Returns the value of a direction for the article.
    pub(super) fn article_value<F: Formula>(
        board: Ranks,
        direction: Direction,
        (simulations, depth, variant): (u64, u64, PlayoutVariant),
        empty_weight: f64,
        (seed, direction_index): (Seed, u64),
    ) -> f64 {
        let simulations = match variant {
            PlayoutVariant::Dynamic => (simulations as i64 - 2 * count_empty(board) as i64).max(1) as u64,
            _ => simulations,
        };
        let mut total = 0.0;
        for k in 0..simulations {
            let mut game_rng = seed.child("world", simulations * direction_index + k).rng();
            let mut player_rng = seed.child("player", simulations * direction_index + k).rng();
            let Some((mut board, _)) = slide(board, direction) else {
                total += 0.0;
                continue;
            };
            let mut steps = 0;
            let mut illegal_draws = 0;
            while !is_over(board)
                && steps < depth
                && !(variant == PlayoutVariant::EarlyStopping && illegal_draws == 3)
            {
                let mut direction = draw(&mut player_rng);
                while variant == PlayoutVariant::Biased && slide(board, direction).is_none() {
                    direction = draw(&mut player_rng);
                }
                match slide(board, direction) {
                    Some((after, _)) => board = spawn(after, &mut game_rng),
                    None => illegal_draws += 1,
                }
                steps += 1;
            }
            total += F::sum(empty_weight, &BoardTerms::<F>::new(Cells::from_ranks(board)));
        }
        total / simulations as f64
    }
}

/// Returns boards of random games, and each of these with all tiles raised to the limit of the
/// tables.
fn boards() -> Vec<Cells> {
    let mut boards = Vec::new();
    for game in 0..10 {
        let (mut game_rng, mut player_rng) =
            (Seed::root(game).child("world", 0).rng(), Seed::root(game).rng());
        let mut position = Twenty48::start(&Rules::default(), &mut game_rng);
        while let Some(direction) = position.random_move(&mut player_rng) {
            if position.state().moves.is_multiple_of(13) {
                let cells = position.board().cells();
                let max_rank = cells.max_rank();
                let raise = |target: u8| {
                    cells.ranks().map(|rank| if rank >= 3 { rank + target - max_rank } else { rank })
                };
                boards.push(cells);
                boards.extend([14, 15, 16].map(|target| Cells::from_ranks(raise(target))));
            }
            position.play(direction, &mut game_rng).expect("a legal move");
        }
    }
    boards
}

fn position(cells: Cells) -> Twenty48 {
    Twenty48::set_up(&Rules::default(), &cells.format_line(), None).expect("a board")
}

/// Asks a player about many boards, two choices each, and compares its ratings with the twin's. The
/// twin receives the index of a direction among those that have playouts.
#[track_caller]
fn check(config: &Config, twin_value: impl Fn(twin::Ranks, Direction, (Seed, u64)) -> Option<f64>) -> u64 {
    let mut player = config.build(&BuildContext::default()).expect("needs nothing");
    let mut illegal_count = 0;
    for (seed, cells) in (0..).zip(boards()) {
        let seed = Seed::root(seed);
        player.begin(&Start { seed, seat: Seat::First, rules: &Rules::default() });
        for choice in 0..2 {
            let player_choice = player.choose(&position(cells)).expect("a move");
            let seed = seed.child("choice", choice);
            let mut ratings = Vec::new();
            for direction in config.family.order() {
                if let Some(value) = twin_value(cells.ranks(), direction, (seed, ratings.len() as u64)) {
                    ratings.push((direction, value, twin::slide(cells.ranks(), direction).is_some()));
                }
            }
            let max_value = ratings.iter().map(|&(_, value, _)| value).fold(f64::NEG_INFINITY, f64::max);
            let &(mut mv, mut value, is_legal) =
                ratings.iter().find(|&&(_, value, _)| value == max_value).expect("a direction");
            if !is_legal {
                (mv, value, _) = *ratings.iter().find(|&&(_, _, is_legal)| is_legal).expect("a legal one");
            }
            illegal_count += u64::from(!is_legal);
            assert_eq!(
                (player_choice.mv, player_choice.value),
                (mv, Some(value)),
                "{config:?} on {}",
                cells.format_line()
            );
            assert_eq!(player.abilities().counters(), [("illegal_choices", u64::from(!is_legal).into())]);
        }
    }
    illegal_count
}

#[test]
fn the_program_is_its_twin() {
    let number = |number: i64| Some(number.try_into().expect("within bounds"));
    for (simulations, crowded_simulations, draws, weight) in
        [(6, 6, 15, 16_184), (9, 4, 20, 16_384), (5, 5, 7, 0)]
    {
        let config = Config {
            simulations: number(simulations),
            crowded_simulations: number(crowded_simulations),
            depth: Some(draws.try_into().expect("within bounds")),
            empty_weight: Some(weight.try_into().expect("within bounds")),
            ..Config::default()
        };
        let settings = (simulations as u64, crowded_simulations as u64, draws as u64, weight as u64);
        check(&config, |board, direction, streams| {
            twin::program_value(board, direction, settings, streams).map(|value| value as f64)
        });
    }
}

#[test]
fn the_article_is_its_twin() {
    #[track_caller]
    fn check_all<F: Formula>(evaluation: SwiftEvaluation) -> u64 {
        let mut illegal_count = 0;
        for variant in [
            PlayoutVariant::Plain,
            PlayoutVariant::Biased,
            PlayoutVariant::EarlyStopping,
            PlayoutVariant::Dynamic,
        ] {
            let config = Config {
                family: SwiftSource::Article,
                simulations: Some(BoundedInt::new(9)),
                depth: Some(BoundedInt::new(10)),
                variant: Some(variant),
                evaluation: Some(evaluation),
                ..Config::default()
            };
            illegal_count += check(&config, |board, direction, streams| {
                let weight = evaluation.empty_weight().get();
                Some(twin::article_value::<F>(board, direction, (9, 10, variant), weight, streams))
            });
        }
        illegal_count
    }

    // With a snake of powers every legal direction has a positive value; without it, many are
    // negative.
    assert_eq!(check_all::<ArticleFinal>(SwiftEvaluation::ArticleFinal), 0);
    assert!(check_all::<McSimple>(SwiftEvaluation::McSimple) > 100);
    assert!(check_all::<Corner27>(SwiftEvaluation::Corner27) > 100);
}

/// Defaults come from the places that the source names.
#[test]
fn constants_of_the_program() {
    let number = |number: u32| BoundedInt::new(number);
    let explicit = |simulations, crowded_simulations, depth, weight| Config {
        simulations: Some(number(simulations)),
        crowded_simulations: Some(number(crowded_simulations)),
        depth: Some(BoundedInt::new(depth)),
        empty_weight: Some(BoundedInt::new(weight)),
        ..Config::default()
    };
    let mode_config = |mode| Config { mode: Some(mode), ..Config::default() };
    let same = |one: &Config, other: &Config| {
        let mut players =
            [one, other].map(|config| config.build(&BuildContext::default()).expect("needs nothing"));
        for cells in boards().into_iter().step_by(12) {
            let [one, other] = players.each_mut().map(|player| {
                player.begin(&Start { seed: Seed::root(5), seat: Seat::First, rules: &Rules::default() });
                player.choose(&position(cells)).expect("a move")
            });
            if one != other {
                return false;
            }
        }
        true
    };
    assert!(same(&mode_config(SwiftProgram::Sync), &explicit(150, 150, 15, 16_184)));
    assert!(same(&mode_config(SwiftProgram::Async), &explicit(180, 150, 20, 16_184)));
    assert!(same(&Config::default(), &mode_config(SwiftProgram::Async)));
    // An explicit number applies to boards with room; crowded ones never have more than their
    // default.
    for (simulations, crowded_simulations) in [(20, 20), (150, 150), (180, 150), (200, 150)] {
        let config = Config { simulations: Some(BoundedInt::new(simulations)), ..Config::default() };
        assert!(same(&config, &explicit(simulations, crowded_simulations, 20, 16_184)));
    }
    assert!(!same(&mode_config(SwiftProgram::Sync), &mode_config(SwiftProgram::Async)));
}

#[test]
fn settings_of_the_other_player_are_refused() {
    #[track_caller]
    fn check(json: &str, expected: Option<(&str, &str)>) {
        let config: Config = serde_json::from_str(json).expect("settings");
        let contradiction = config.contradiction();
        assert_eq!(contradiction.as_ref().map(|(key, message)| (*key, &**message)), expected);
    }

    check(r#"{"family": "article", "variant": "biased", "evaluation": "mc-simple"}"#, None);
    check(r#"{"family": "repository", "mode": "sync", "simulations": 10, "empty_weight": 4096}"#, None);
    check(
        r#"{"family": "article", "empty_weight": 4096}"#,
        Some(("empty_weight", "is not a setting of the article family")),
    );
    check(r#"{"variant": "plain"}"#, Some(("variant", "is not a setting of the repository family")));
    check(
        r#"{"family": "article", "evaluation": "corner-27", "weights": {"empty": 1}}"#,
        Some(("weights", "conflicts with `evaluation`")),
    );
}

/// Returns any settings as they are recorded.
fn record_settings(json: &str) -> String {
    let config: Config = serde_json::from_str(json).expect("settings");
    serde_json::to_string(&config).expect("plain data")
}

#[test]
fn settings_are_recorded_as_they_are_played() {
    let program = r#"{"family":"repository","mode":"async","simulations":180,"crowded_simulations":150,"depth":20,"empty_weight":16184}"#;
    let article =
        r#"{"family":"article","simulations":100,"depth":10,"variant":"plain","evaluation":"article-final"}"#;
    let weights =
        r#"{"family":"article","simulations":100,"depth":10,"variant":"plain","weights":{"empty":1.0}}"#;
    assert_eq!(record_settings("{}"), program);
    assert_eq!(record_settings(r#"{"family": "article"}"#), article);
    assert_eq!(record_settings(r#"{"family": "article", "weights": {"empty": 1}}"#), weights);
    // The recorded form is a way to write these settings, and so is each part of it.
    for full in [program, article, weights] {
        assert_eq!(record_settings(full), full);
        let keys: serde_json::Map<String, serde_json::Value> = serde_json::from_str(full).expect("a table");
        for (key, value) in keys.iter().filter(|(key, _)| *key != "weights") {
            let mut partial = serde_json::Map::new();
            partial.insert("family".to_owned(), keys["family"].clone());
            if let Some(weights) = keys.get("weights") {
                partial.insert("weights".to_owned(), weights.clone());
            }
            partial.insert(key.clone(), value.clone());
            assert_eq!(record_settings(&serde_json::Value::from(partial).to_string()), full, "{key} alone");
        }
    }
}

#[test]
fn each_setting_is_recorded() {
    let players = [
        "{}",
        r#"{"mode": "sync"}"#,
        r#"{"simulations": 170}"#,
        r#"{"crowded_simulations": 180}"#,
        r#"{"depth": 19}"#,
        r#"{"empty_weight": 16384}"#,
        r#"{"family": "article"}"#,
        r#"{"family": "article", "simulations": 99}"#,
        r#"{"family": "article", "depth": 9}"#,
        r#"{"family": "article", "variant": "biased"}"#,
        r#"{"family": "article", "evaluation": "corner-27"}"#,
        r#"{"family": "article", "weights": {"empty": 1}}"#,
    ];
    let recorded_settings: std::collections::BTreeSet<String> =
        players.into_iter().map(record_settings).collect();
    assert_eq!(recorded_settings.len(), players.len());
}
