use super::super::evaluation::{ArticleFinal, Corner27, Formula, McSimple, Measured};
use super::*;
use crate::game::Game as _;
use crate::games::twenty48::slide::slide_line;
use crate::games::twenty48::{After, Cells, Rules};
use crate::rng::Rng;

/// The players a second time, from the prose: ranks in a list, a slide line by line, points as tiles are made. Chance
/// is drawn in the same order from the same streams, so the values are equal and not only alike.
mod twin {
    use super::*;

    pub(super) type Ranks = [u8; 16];

    /// The lines of a direction, each from the wall that tiles slide to.
    fn lines(direction: Direction) -> [[usize; 4]; 4] {
        std::array::from_fn(|line| {
            std::array::from_fn(|place| match direction {
                Direction::Left => 4 * line + place,
                Direction::Right => 4 * line + 3 - place,
                Direction::Up => 4 * place + line,
                Direction::Down => 4 * (3 - place) + line,
            })
        })
    }

    /// The board after a slide, and its points: what the tiles are worth that there are more of than before.
    pub(super) fn slide(board: Ranks, direction: Direction) -> Option<(Ranks, u64)> {
        let mut after = board;
        let mut points = 0;
        for line in lines(direction) {
            let before = line.map(|cell| board[cell]);
            for (cell, rank) in line.into_iter().zip(slide_line(before)) {
                after[cell] = rank;
            }
            // From the tiles of each rank before and after: a merge takes two and gives one of the next rank.
            let count =
                |ranks: [u8; 4], rank| ranks.into_iter().filter(|&other| other == rank).count() as i64;
            let mut made = 0;
            for rank in 1..=20 {
                let now = count(line.map(|cell| after[cell]), rank);
                let merged = (count(before, rank) + made - now) / 2;
                points += merged as u64 * (1 << (rank + 1));
                made = merged;
            }
        }
        (after != board).then_some((after, points))
    }

    fn is_over(board: Ranks) -> bool {
        !board.contains(&0) && Direction::ALL.into_iter().all(|direction| slide(board, direction).is_none())
    }

    fn empty(board: Ranks) -> u64 {
        board.into_iter().filter(|&rank| rank == 0).count() as u64
    }

    fn spawn(board: Ranks, rng: &mut Rng) -> Ranks {
        After::new(Cells::from_ranks(board)).spawn(rng).0.cells().ranks()
    }

    fn draw(rng: &mut Rng) -> Direction {
        Direction::ALL[(rng.bits() >> 62) as usize]
    }

    /// The value of a direction for the program, `None` where it is illegal.
    pub(super) fn of_the_program(
        board: Ranks,
        direction: Direction,
        (simulations, crowded_simulations, draws, empty_weight): (u64, u64, u64, u64),
        seed: Seed,
    ) -> Option<u64> {
        let z = empty(board);
        let simulations = if z <= 4 { crowded_simulations } else { simulations };
        let mut total = 0;
        for k in 0..simulations {
            let mut rng = seed.child("playout", k).rng();
            let (after, gain) = slide(board, direction)?;
            let mut board = spawn(after, &mut rng);
            let mut score = gain;
            let mut drawn = 0;
            while if z <= 4 { !is_over(board) } else { drawn < draws } {
                drawn += 1;
                if let Some((after, gain)) = slide(board, draw(&mut rng)) {
                    score += gain;
                    board = spawn(after, &mut rng);
                }
            }
            total += if z <= 4 { score } else { score + empty_weight * empty(board) };
        }
        Some(total / simulations)
    }

    /// The value of a direction for the article.
    pub(super) fn of_the_article<F: Formula>(
        board: Ranks,
        direction: Direction,
        (simulations, depth, variant): (u64, u64, Variant),
        empty_weight: f64,
        seed: Seed,
    ) -> f64 {
        let simulations = match variant {
            Variant::Dynamic => (simulations as i64 - 2 * empty(board) as i64).max(1) as u64,
            _ => simulations,
        };
        let mut total = 0.0;
        for k in 0..simulations {
            let mut rng = seed.child("playout", k).rng();
            let Some((mut board, _)) = slide(board, direction) else {
                total += 0.0;
                continue;
            };
            let mut steps = 0;
            let mut in_vain = 0;
            while !is_over(board) && steps < depth && !(variant == Variant::EarlyStopping && in_vain == 3) {
                let mut direction = draw(&mut rng);
                while variant == Variant::Biased && slide(board, direction).is_none() {
                    direction = draw(&mut rng);
                }
                match slide(board, direction) {
                    Some((after, _)) => board = spawn(after, &mut rng),
                    None => in_vain += 1,
                }
                steps += 1;
            }
            total += F::sum(empty_weight, &Measured::<F>::new(Cells::from_ranks(board)));
        }
        total / simulations as f64
    }
}

/// Boards of games by random moves, and with each of these again with all tiles raised to those that end tables.
fn boards() -> Vec<Cells> {
    let mut boards = Vec::new();
    for game in 0..10 {
        let (mut world, mut dice) = (Seed::root(game).child("world", 0).rng(), Seed::root(game).rng());
        let mut position = Twenty48::start(&Rules::default(), &mut world);
        while let Some(direction) = position.random_move(&mut dice) {
            if position.moves_played() % 13 == 0 {
                let cells = position.board().cells();
                let most = cells.max_rank();
                let raised =
                    |to: u8| cells.ranks().map(|rank| if rank >= 3 { rank + to - most } else { rank });
                boards.push(cells);
                boards.extend([14, 15, 16].map(|to| Cells::from_ranks(raised(to))));
            }
            position.play(direction, &mut world).expect("a legal move");
        }
    }
    boards
}

fn position(cells: Cells) -> Twenty48 {
    Twenty48::set_up(&Rules::default(), &cells.line(), None).expect("a board")
}

/// Asks a player about many boards, two choices each, and compares with what the twin rates.
#[track_caller]
fn check(config: &Config, twin: impl Fn(twin::Ranks, Direction, Seed) -> Option<f64>) -> u64 {
    let mut player = config.build().expect("needs nothing");
    let mut illegal = 0;
    for (seed, cells) in (0..).zip(boards()) {
        let seed = Seed::root(seed);
        player.begin(seed);
        for choice in 0..2 {
            let thought = player.choose(&position(cells)).expect("a move");
            let streams = seed.child("choice", choice);
            let rated = (0..).zip(config.family.order()).filter_map(|(i, direction)| {
                let value = twin(cells.ranks(), direction, streams.child("direction", i))?;
                Some((direction, value, twin::slide(cells.ranks(), direction).is_some()))
            });
            let rated: Vec<(Direction, f64, bool)> = rated.collect();
            let most = rated.iter().map(|&(_, value, _)| value).fold(f64::NEG_INFINITY, f64::max);
            let &(mut mv, mut value, is_legal) =
                rated.iter().find(|&&(_, value, _)| value == most).expect("a direction");
            if !is_legal {
                (mv, value, _) = *rated.iter().find(|&&(_, _, is_legal)| is_legal).expect("a legal one");
            }
            illegal += u64::from(!is_legal);
            assert_eq!((thought.mv, thought.value), (mv, Some(value)), "{config:?} on {}", cells.line());
            assert_eq!(player.counters(), [("illegal_choices", u64::from(!is_legal))]);
        }
    }
    illegal
}

#[test]
fn the_program_is_its_twin() {
    let number = |number: i64| Some(number.try_into().expect("within bounds"));
    for (simulations, crowded, draws, weight) in [(6, 6, 15, 16_184), (9, 4, 20, 16_384), (5, 5, 7, 0)] {
        let config = Config {
            simulations: number(simulations),
            crowded_simulations: number(crowded),
            depth: Some(draws.try_into().expect("within bounds")),
            empty_weight: Some(weight.try_into().expect("within bounds")),
            ..Config::default()
        };
        let settings = (simulations as u64, crowded as u64, draws as u64, weight as u64);
        check(&config, |board, direction, seed| {
            twin::of_the_program(board, direction, settings, seed).map(|value| value as f64)
        });
    }
}

#[test]
fn the_article_is_its_twin() {
    #[track_caller]
    fn check_all<F: Formula>(evaluation: Named) -> u64 {
        let mut illegal = 0;
        for variant in [Variant::Plain, Variant::Biased, Variant::EarlyStopping, Variant::Dynamic] {
            let config = Config {
                family: Family::Article,
                simulations: Some(Whole::new(9)),
                depth: Some(Whole::new(10)),
                variant: Some(variant),
                evaluation: Some(evaluation),
                ..Config::default()
            };
            illegal += check(&config, |board, direction, seed| {
                let weight = evaluation.empty_weight();
                Some(twin::of_the_article::<F>(board, direction, (9, 10, variant), weight, seed))
            });
        }
        illegal
    }

    // With a snake of powers every legal direction is worth more than nothing; without, many are worth less.
    assert_eq!(check_all::<ArticleFinal>(Named::ArticleFinal), 0);
    assert!(check_all::<McSimple>(Named::McSimple) > 100);
    assert!(check_all::<Corner27>(Named::Corner27) > 100);
}

/// Where the settings of the source are said to come from, they do.
#[test]
fn constants_of_the_program() {
    let number = |number: u32| Whole::new(number);
    let explicit = |simulations, crowded, depth, weight| Config {
        simulations: Some(number(simulations)),
        crowded_simulations: Some(number(crowded)),
        depth: Some(Whole::new(depth)),
        empty_weight: Some(Whole::new(weight)),
        ..Config::default()
    };
    let by_mode = |mode| Config { mode: Some(mode), ..Config::default() };
    let same = |one: &Config, other: &Config| {
        let mut players = [one, other].map(|config| config.build().expect("needs nothing"));
        for cells in boards().into_iter().step_by(12) {
            let [one, other] = players.each_mut().map(|player| {
                player.begin(Seed::root(5));
                player.choose(&position(cells)).expect("a move")
            });
            if one != other {
                return false;
            }
        }
        true
    };
    assert!(same(&by_mode(Mode::Sync), &explicit(150, 150, 15, 16_184)));
    assert!(same(&by_mode(Mode::Async), &explicit(180, 150, 20, 16_184)));
    assert!(same(&Config::default(), &by_mode(Mode::Async)));
    let simulations = Config { simulations: Some(Whole::new(200)), ..Config::default() };
    assert!(same(&simulations, &explicit(200, 200, 20, 16_184)));
    assert!(!same(&by_mode(Mode::Sync), &by_mode(Mode::Async)));
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
        Some(("empty_weight", "is no setting of the article family")),
    );
    check(r#"{"variant": "plain"}"#, Some(("variant", "is no setting of the repository family")));
    check(
        r#"{"family": "article", "evaluation": "corner27", "weights": {"empty": 1}}"#,
        Some(("weights", "cannot stand beside `evaluation`: a board is worth one or the other")),
    );
}
