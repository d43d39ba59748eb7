//! Laws of 2048: the fast engine equals the plain one, and moves equal those of public programs.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use gauntlet::game::{Game, Notation, Outcome, RandomPlay, Seat};
use gauntlet::rng::{Rng, Seed};
use gauntlet::twenty48::rules::batch::OrderedMoves;
use gauntlet::twenty48::rules::cells::BoardParseError;
use gauntlet::twenty48::rules::{Afterstate, Board, Cells, Direction, Rules, Twenty48};

use crate::cases::assert_for_all;
use crate::naive::{self, Values};
use crate::{golden, self_play};

/// Returns the tile of a rank, by doubling.
fn value(rank: u8) -> u64 {
    if rank == 0 { 0 } else { (0..rank).fold(1, |tile, _| 2 * tile) }
}

fn board_of(ranks: [u8; 16]) -> Board {
    Board::new(Cells::from_ranks(ranks))
}

/// Returns the values of an engine's cells, after checking that all accessors agree.
fn values_of(cells: Cells) -> Values {
    let values = cells.values().map(u64::from);
    assert_eq!(cells.ranks().map(value), values);
    values
}

/// Compares everything that the engine computes for a board with the plain engine.
fn check_board(ranks: [u8; 16]) {
    let board = board_of(ranks);
    let cells = board.cells();
    let values = ranks.map(value);
    assert_eq!(values_of(cells), values);
    assert_eq!(std::array::from_fn(|i| cells.rank(i)), ranks);

    let mut legal = Vec::new();
    for direction in Direction::ALL {
        let plain = naive::slide(&values, direction);
        let fast = board.slide(direction).map(|after| values_of(after.cells()));
        assert_eq!(fast, plain.map(|(after, _)| after), "{direction} on {}", cells.format_line());
        assert_eq!(
            board.gain(direction),
            plain.map_or(0, |(_, gain)| gain),
            "{direction} on {}",
            cells.format_line()
        );
        legal.extend(plain.map(|_| direction));
    }
    assert_eq!(board.legal_directions().collect::<Vec<_>>(), legal);
    assert_eq!(board.is_over(), naive::is_over(&values), "{}", cells.format_line());
    assert_eq!(board.is_over(), legal.is_empty() && ranks != [0; 16]);
    assert_eq!(board.potential(), values.iter().copied().map(naive::potential).sum::<u64>());

    assert_eq!(cells.count_empty(), values.iter().filter(|&&value| value == 0).count() as u32);
    assert_eq!(cells.max_rank(), *ranks.iter().max().expect("sixteen"));
    assert_eq!(u64::from(cells.max_tile()), *values.iter().max().expect("sixteen"));
    for rank in 0..=18 {
        assert_eq!(cells.has_rank(rank), ranks.contains(&rank), "rank {rank} on {}", cells.format_line());
    }
}

/// Listed moves are accepted, a refused move changes nothing, and the game is over if there is no
/// move.
fn check_moves(position: &Twenty48) {
    let mut legal_moves = Vec::new();
    position.moves(&mut legal_moves);
    for direction in Direction::ALL {
        let (mut next, mut game_rng) = (position.clone(), Seed::root(1).rng());
        let is_accepted = next.play(direction, &mut game_rng).is_ok();
        assert_eq!(is_accepted, legal_moves.contains(&direction), "{direction} on\n{position}");
        if is_accepted {
            assert_eq!(next.state().moves, position.state().moves + 1);
            check_turn(position, direction, &next);
        } else {
            assert_eq!(&next, position);
            assert_eq!(game_rng.bits(), Seed::root(1).rng().bits(), "a refused move draws nothing");
        }
    }
    // No move is legal on the empty board, which no game reaches. It is not over, because it has
    // room.
    let empty = position.board() == Board::default();
    assert_eq!(position.to_move(), if legal_moves.is_empty() && !empty { None } else { Some(Seat::First) });
    let random = position.random_move(&mut Seed::root(2).rng());
    assert_eq!(random.is_none(), legal_moves.is_empty());
    assert!(random.is_none_or(|direction| legal_moves.contains(&direction)));
}

/// Checks one turn: the board slid, the gain was scored, and one 2 or 4 appeared on a cell that the
/// slide left empty.
fn check_turn(before: &Twenty48, direction: Direction, next: &Twenty48) {
    let (mut after, gain) =
        naive::slide(&values_of(before.board().cells()), direction).expect("a legal move");
    let values = values_of(next.board().cells());
    let changed_cells: Vec<usize> = (0..16).filter(|&i| after[i] != values[i]).collect();
    let [cell] = changed_cells[..] else {
        panic!("one tile comes, not {} of them:\n{next}", changed_cells.len())
    };
    assert_eq!(after[cell], 0, "a tile comes on an empty cell");
    assert!(matches!(values[cell], 2 | 4), "a 2 or a 4 comes");
    after[cell] = values[cell];
    assert_eq!(after, values);
    assert_eq!(next.score(), before.score() + gain);
    assert_eq!(next.state().facts[0], *values.iter().max().expect("sixteen") as i64);
    let won = values.iter().any(|&value| value >= 2048);
    assert_eq!(next.state().outcome, Outcome::Points { score: next.score(), won });
}

/// Returns the image of a direction under each symmetry of [`Cells::symmetries`]. The images
/// alternate between mirroring and transposing, and so do the directions.
fn directions_of_images(direction: Direction) -> [Direction; 8] {
    let mirror = |direction| match direction {
        Direction::Left => Direction::Right,
        Direction::Right => Direction::Left,
        vertical => vertical,
    };
    let transpose = |direction| match direction {
        Direction::Up => Direction::Left,
        Direction::Left => Direction::Up,
        Direction::Down => Direction::Right,
        Direction::Right => Direction::Down,
    };
    let mut images = [direction; 8];
    for i in 1..8 {
        images[i] = if i % 2 == 1 { mirror(images[i - 1]) } else { transpose(images[i - 1]) };
    }
    images
}

fn check_symmetries(ranks: [u8; 16]) {
    let cells = Cells::from_ranks(ranks);
    // Mirroring and transposing, cell by cell.
    assert_eq!(cells.mirror().ranks(), std::array::from_fn(|i| ranks[4 * (i / 4) + 3 - i % 4]));
    assert_eq!(cells.transpose().ranks(), std::array::from_fn(|i| ranks[4 * (i % 4) + i / 4]));

    let images = cells.symmetries();
    assert_eq!(images[0], cells);
    for (i, image) in images.into_iter().enumerate() {
        // Each step is its own inverse, so the way back is the steps in reverse.
        let original = (1..=i)
            .rev()
            .fold(image, |cells, step| if step % 2 == 1 { cells.mirror() } else { cells.transpose() });
        assert_eq!(original, cells, "image {i}");
    }
    for direction in Direction::ALL {
        let slide_images = Board::new(cells).slide(direction).map(|after| after.cells().symmetries());
        for (i, image_direction) in directions_of_images(direction).into_iter().enumerate() {
            let image = Board::new(images[i]);
            assert_eq!(
                image.slide(image_direction).map(Afterstate::cells),
                slide_images.map(|after| after[i]),
                "image {i}, {direction}"
            );
            assert_eq!(
                image.gain(image_direction),
                Board::new(cells).gain(direction),
                "image {i}, {direction}"
            );
        }
    }
}

fn check_text(ranks: [u8; 16]) {
    let cells = Cells::from_ranks(ranks);
    assert_eq!(cells.format_line().parse(), Ok(cells));
    assert_eq!(cells.to_string().parse(), Ok(cells), "as a grid:\n{cells}");
    assert_eq!(cells.format_line().replace(' ', ",").parse(), Ok(cells));
    assert_eq!(Cells::from_values(ranks.map(value)), Ok(cells));
    let position = Twenty48::set_up(&Rules::default(), &cells.format_line(), Some(1234)).expect("a board");
    assert_eq!((position.board(), position.score()), (Board::new(cells), 1234));
    let unscored = Twenty48::set_up(&Rules::default(), &cells.to_string(), None).expect("a board");
    assert_eq!(unscored.score(), 0);
    check_moves(&position);
}

/// Kinds of boards that no game reaches: many empty cells, many equal tiles, and many tiles beyond
/// four bits. Each rank is from one of these ranges, by weight.
const KINDS: [&[(u64, RangeInclusive<u8>)]; 4] = [
    &[(2, 0..=0), (3, 1..=17), (3, 15..=17)],
    &[(1, 0..=0), (8, 14..=17)],
    &[(2, 0..=0), (5, 1..=4), (1, 1..=15)],
    &[(5, 1..=3), (1, 15..=17)],
];

fn any_ranks(rng: &mut Rng) -> [u8; 16] {
    let kind = KINDS[rng.below(4) as usize];
    let ranges: Vec<_> = kind.iter().flat_map(|(weight, range)| (0..*weight).map(move |_| range)).collect();
    std::array::from_fn(|_| {
        let range = ranges[rng.below(ranges.len() as u64) as usize];
        range.start() + rng.below(1 + u64::from(range.end() - range.start())) as u8
    })
}

#[test]
fn the_engine_is_the_plain_one() {
    assert_for_all(20_000, any_ranks, check_board);
}

#[test]
fn symmetries_commute_with_moves() {
    assert_for_all(20_000, any_ranks, check_symmetries);
}

#[test]
fn text_is_read_as_it_was_written() {
    assert_for_all(20_000, any_ranks, check_text);
}

/// All possible rows, in all four directions, each between three others so that an overflowing row
/// is noticed.
#[test]
fn all_rows_slide_as_plain_ones() {
    for row in 0..=u16::MAX {
        let rows = [row, row.wrapping_mul(40_503), !row, row.rotate_left(5)];
        let ranks: [u8; 16] =
            std::array::from_fn(|i| (rows[(i / 4 + usize::from(row)) % 4] >> (4 * (i % 4))) as u8 & 15);
        check_board(ranks);
        check_board(Cells::from_ranks(ranks).transpose().ranks());
    }
}

#[test]
fn tiles_over_32768_merge_exactly() {
    #[track_caller]
    fn check(line: [u8; 4], expected_line: [u8; 4], gain: u64) {
        let mut ranks = [0; 16];
        ranks[4..8].copy_from_slice(&line);
        let mut expected = [0; 16];
        expected[4..8].copy_from_slice(&expected_line);
        let after = board_of(ranks).slide(Direction::Left).expect("a legal move");
        assert_eq!(after.cells().ranks(), expected);
        assert_eq!(board_of(ranks).gain(Direction::Left), gain);
        check_board(ranks);
        check_symmetries(ranks);
    }

    check([15, 15, 0, 0], [16, 0, 0, 0], 65_536);
    check([16, 16, 0, 0], [17, 0, 0, 0], 131_072);
    check([17, 17, 0, 0], [18, 0, 0, 0], 262_144);
    check([15, 15, 15, 15], [16, 16, 0, 0], 131_072);
    check([0, 15, 15, 16], [16, 16, 0, 0], 65_536);
    check([16, 0, 16, 16], [17, 16, 0, 0], 131_072);
    check([0, 17, 16, 15], [17, 16, 15, 0], 0);
    check([15, 0, 0, 16], [15, 16, 0, 0], 0);
    assert_eq!(Cells::from_ranks([16; 16]).max_tile(), 65_536);
    // Equal low halves are not equal tiles.
    assert!(board_of([15, 16, 17, 15, 16, 17, 15, 16, 17, 15, 16, 17, 15, 16, 17, 15]).is_over());
}

#[test]
fn the_images_of_an_uneven_board_differ() {
    let images = Cells::from_ranks([1, 2, 3, 4, 0, 5, 6, 7, 8, 9, 10, 11, 12, 16, 14, 15]).symmetries();
    assert_eq!(images.into_iter().collect::<BTreeSet<_>>().len(), 8);
}

#[test]
fn bad_boards_are_refused() {
    #[track_caller]
    fn check(text: &str, expected: BoardParseError) {
        assert_eq!(text.parse::<Cells>(), Err(expected.clone()), "{text}");
        let message = Twenty48::set_up(&Rules::default(), text, None).expect_err("no board");
        assert_eq!(message, expected.to_string());
    }

    let fifteen = "2 4 8 16  0 0 0 0  2 2 2 2  0 0 0";
    check("", BoardParseError::Count(0));
    check(fifteen, BoardParseError::Count(15));
    check(&format!("{fifteen} 2 2"), BoardParseError::Count(17));
    for word in ["3", "1", "262144", "18446744073709551615", "18446744073709551616", "-2", "two", ".."] {
        check(&format!("{fifteen} {word}"), BoardParseError::NoTile(word.to_owned()));
    }

    assert_eq!(BoardParseError::Count(3).to_string(), "a board has 16 cells, not 3");
    let no_tile = "6 is not a tile: expected 0, `.` or a power of two from 2 to 131072";
    assert_eq!(BoardParseError::NoTile("6".to_owned()).to_string(), no_tile);
    let result = Twenty48::set_up(&Rules::default(), &format!("{fifteen} 2"), Some(u64::MAX));
    assert_eq!(result.expect_err("no such score"), "the score is absurdly large");
}

/// Rules that were written, as in a manifest, can be read again.
#[test]
fn rules_survive_being_written() {
    #[track_caller]
    fn check(json: &str) {
        let rules: Rules = serde_json::from_str(json).expect("rules");
        assert_eq!(serde_json::to_string(&rules).expect("plain data"), json);
    }

    check(r#"{"win":2048,"win_by":"tile","until":"game-over","idle_moves":"illegal"}"#);
    check(r#"{"win":8,"win_by":"tile","until":131072,"idle_moves":"illegal"}"#);
    check(r#"{"win":2048,"win_by":"gain","until":"win","idle_moves":"spawn"}"#);
    check(
        r#"{"win":2048,"win_by":"tile","until":"game-over","idle_moves":"illegal","spawn":"stale","four":"1/4"}"#,
    );
    check(
        r#"{"win":2048,"win_by":"tile","until":"game-over","idle_moves":"illegal","start":"1024,512,0,2,0,0,0,0,0,0,0,0,0,0,0,0"}"#,
    );
    for invalid in [
        r#"{"spawn":"fresh"}"#,
        r#"{"four":1.5}"#,
        r#"{"win":4}"#,
        r#"{"win":100}"#,
        r#"{"until":4}"#,
        r#"{"until":262144}"#,
        r#"{"until":"won"}"#,
        r#"{"win_by":"score"}"#,
        r#"{"idle_moves":"legal"}"#,
        r#"{"start":"2 2"}"#,
        r#"{"start":"3 0 0 0  0 0 0 0  0 0 0 0  0 0 0 0"}"#,
        r#"{"start":"2 4 2 4  4 2 4 2  2 4 2 4  4 2 4 0"}"#,
        r#"{"start":"131072 131072 0 0  0 0 0 0  0 0 0 0  0 0 0 0"}"#,
        r#"{"start":"4 8 16 0  32 64 128 256  4 8 16 32  64 128 256 0"}"#,
    ] {
        assert!(serde_json::from_str::<Rules>(invalid).is_err(), "{invalid}");
    }
}

/// The score counts the points since the start board.
#[test]
fn a_game_can_start_from_a_board() {
    for settings in [
        r#"{"start":"1024 512 . 2  . . . .  . . . .  . . . ."}"#,
        r#"{"start":"1024 512 . 2  . . . .  . . . .  . . . .","spawn":"stale"}"#,
        r#"{"start":"1024 512 . 2  . . . .  . . . .  . . . .","four":1}"#,
    ] {
        let rules: Rules = serde_json::from_str(settings).expect("rules");
        let moves = OrderedMoves { order: Direction::ALL, by_gain: false };
        // Lanes play from empty boards only.
        assert!(Twenty48::random_games(&rules, &mut std::iter::empty()).is_none());
        assert!(Twenty48::ordered_games(&rules, moves, &mut std::iter::empty()).is_none());
        for block in 0..100 {
            let (mut game_rng, mut player_rng) =
                (self_play::new_game_rng(block), self_play::seat_seed(block).rng());
            let mut position = Twenty48::start(&rules, &mut game_rng);
            let ranks = position.board().cells().ranks();
            assert_eq!([ranks[0], ranks[1], ranks[3]], [10, 9, 1]);
            assert_eq!((position.board().cells().count_empty(), position.score()), (11, 0));
            let mut score = 0;
            while let Some(direction) = position.random_move(&mut player_rng) {
                score += position.board().gain(direction);
                position.play(direction, &mut game_rng).expect("a legal move");
            }
            assert_eq!(position.score(), score);
        }
    }
}

#[test]
fn a_game_can_stop_at_a_tile() {
    let rules: Rules = serde_json::from_str(r#"{"win":16,"until":16}"#).expect("rules");
    for block in 0..200 {
        let (mut game_rng, mut player_rng) =
            (self_play::new_game_rng(block), self_play::seat_seed(block).rng());
        let mut position = Twenty48::start(&rules, &mut game_rng);
        while position.to_move().is_some() {
            assert!(!position.state().is_cut_short && position.board().cells().max_tile() < 16);
            let direction = position.random_move(&mut player_rng).expect("not over");
            position.play(direction, &mut game_rng).expect("a legal move");
        }
        // Random games end below 16 so rarely that none of these does.
        assert!(position.state().is_cut_short);
        assert_eq!(position.state().outcome, Outcome::Points { score: position.score(), won: true });
        assert_eq!(position.state().facts[0], 16);
    }
}

fn rules(json: &str) -> Rules {
    serde_json::from_str(json).expect("rules")
}

/// Plays games of every variant of the rules, turn by turn. Listed moves are accepted, and wins
/// follow the rules. A move that changes nothing adds one tile if the rules permit that, and
/// otherwise has no effect. Nothing is played after the end.
#[test]
fn bent_rules() {
    let (mut idle_count, mut multi_merge_wins, mut cut_short_count) = (0, 0, 0);
    for idle_moves in ["illegal", "spawn"] {
        for win_by in ["tile", "gain"] {
            for until in ["\"game-over\"", "\"win\"", "64"] {
                let json = format!(
                    r#"{{"win":32,"win_by":"{win_by}","until":{until},"idle_moves":"{idle_moves}"}}"#
                );
                let rules = rules(&json);
                assert!(
                    Twenty48::random_games(&rules, &mut std::iter::empty()).is_none()
                        || json.contains(r#""tile","until":"game-over","idle_moves":"illegal""#)
                );
                for block in 0..150 {
                    let (mut game_rng, mut player_rng) =
                        (self_play::new_game_rng(block), self_play::seat_seed(block).rng());
                    let mut position = Twenty48::start(&rules, &mut game_rng);
                    let (mut has_gained, mut score) = (false, 0);
                    while position.to_move().is_some() {
                        assert!(!position.state().is_cut_short);
                        let before = position.clone();
                        let values = values_of(before.board().cells());
                        let mut legal_moves = Vec::new();
                        before.moves(&mut legal_moves);
                        for direction in Direction::ALL {
                            let after_slide = naive::slide(&values, direction);
                            let may_idle = idle_moves == "spawn" && values.contains(&0);
                            assert_eq!(
                                legal_moves.contains(&direction),
                                after_slide.is_some() || may_idle,
                                "{json}"
                            );
                            let (mut next, mut fresh_rng) = (before.clone(), Seed::root(1).rng());
                            let is_accepted = next.play(direction, &mut fresh_rng).is_ok();
                            assert_eq!(
                                is_accepted,
                                legal_moves.contains(&direction),
                                "{json} {direction}\n{before}"
                            );
                            assert!(is_accepted || next == before, "a refused move changes nothing");
                        }
                        let direction = position.random_move(&mut player_rng).expect("not over");
                        assert!(legal_moves.contains(&direction));
                        position.play(direction, &mut game_rng).expect("a listed move");

                        let after_slide = naive::slide(&values, direction);
                        idle_count += usize::from(after_slide.is_none());
                        let (after, gain) = after_slide.unwrap_or((values, 0));
                        let new_values = values_of(position.board().cells());
                        assert!(
                            naive::boards_after_spawn(after).any(|board| board == new_values),
                            "one tile comes:\n{position}"
                        );
                        score += gain;
                        has_gained |= gain >= 32;
                        let tile = new_values.into_iter().max().expect("sixteen");
                        multi_merge_wins += usize::from(gain >= 32 && tile < 32);
                        let won = if win_by == "gain" { has_gained } else { tile >= 32 };
                        assert_eq!(position.state().outcome, Outcome::Points { score, won }, "{json}");
                        let is_stopped = match until {
                            "\"win\"" => won,
                            "64" => new_values.contains(&64),
                            _ => false,
                        };
                        assert_eq!(position.state().is_cut_short, is_stopped, "{json}");
                        let is_stuck = naive::is_over(&new_values);
                        assert_eq!(position.to_move().is_none(), is_stopped || is_stuck, "{json}");
                        cut_short_count += usize::from(is_stopped);
                    }
                }
            }
        }
    }
    // The cases of this test did occur.
    assert!(
        idle_count > 1000 && multi_merge_wins > 10 && cut_short_count > 500,
        "{idle_count} {multi_merge_wins} {cut_short_count}"
    );
}

/// On every board the variants list and accept the same moves, and draw one tile for each.
#[test]
fn idle_moves_bring_a_tile_where_there_is_room() {
    #[track_caller]
    fn check(board: &str, expected: &[Direction]) {
        let position =
            Twenty48::set_up(&rules(r#"{"idle_moves":"spawn"}"#), board, Some(0)).expect("a board");
        let mut legal_moves = Vec::new();
        position.moves(&mut legal_moves);
        assert_eq!(legal_moves, expected);
        for direction in Direction::ALL {
            let mut next = position.clone();
            let mut game_rng = Seed::root(3).rng();
            let is_accepted = next.play(direction, &mut game_rng).is_ok();
            assert_eq!(is_accepted, expected.contains(&direction));
            let mut one_draw_rng = Seed::root(3).rng();
            if is_accepted {
                one_draw_rng.bits();
            }
            assert_eq!(
                game_rng.bits(),
                one_draw_rng.bits(),
                "one draw for each tile, none for a refused move"
            );
            assert_eq!(position.effects()[direction.name()].is_null(), !is_accepted);
        }
        let random = position.random_move(&mut Seed::root(4).rng());
        assert_eq!(random.is_some(), !expected.is_empty());
    }

    check("2 0 0 0  4 0 0 0  8 0 0 0  2 4 0 0", &Direction::ALL);
    check(&". ".repeat(16), &Direction::ALL);
    // On a full board, only the usual moves are legal. If nothing can move, none is.
    check("2 2 4 8  4 8 2 4  2 4 8 2  4 2 4 8", &[Direction::Right, Direction::Left]);
    check("2 4 2 4  4 2 4 2  2 4 2 4  4 2 4 2", &[]);
}

/// A tile in `until` is a contradiction only if nothing could be won before it.
#[test]
fn rules_that_no_game_can_win_contradict_themselves() {
    use gauntlet::game::Rules as _;

    #[track_caller]
    fn check(json: &str, expected: Option<&str>) {
        let contradiction = rules(json).contradiction();
        assert_eq!(
            contradiction.as_ref().map(|(key, message)| (*key, message.as_str())),
            expected.map(|e| ("win", e))
        );
    }

    check(r#"{"win":2048,"until":2048}"#, None);
    check(r#"{"win":2048,"until":1024}"#, Some("no game can reach 2048: `until` ends games at 1024"));
    check(r#"{"win":2048,"until":"win"}"#, None);
    check(r#"{"win":2048,"win_by":"gain","until":256}"#, None);
    let message = "no game can earn 2048 by one move: `until` ends games at 128";
    check(r#"{"win":2048,"win_by":"gain","until":128}"#, Some(message));
}

/// Plays random games from the start and from boards set up with a score. Every turn is right, so
/// the score is the sum of all gains.
#[test]
fn every_turn_of_random_games() {
    let starts = [
        None,
        Some(("0 0 0 0  0 0 2 0  0 0 0 0  0 4 0 0", Some(0))),
        Some(("2 4 8 16  32 64 128 256  512 1024 2048 4096  0 0 8192 16384", Some(400_000))),
        Some(("32768 32768 65536 131072  4 4 0 0  2 8 2 0  0 0 0 0", Some(3_000_000))),
        Some(("65536 0 0 65536  32768 0 32768 0  0 0 0 0  0 0 0 0", None)),
        Some(("2 2 2 2  2 2 2 2  2 2 2 2  2 2 2 2", Some(i64::MAX as u64 / 2))),
    ];
    for game in 0..3_000 {
        let (mut game_rng, mut player_rng) =
            (self_play::new_game_rng(game), self_play::seat_seed(game).rng());
        let rules = Rules::default();
        let mut position = match starts[game as usize % starts.len()] {
            None => {
                let position = Twenty48::start(&rules, &mut game_rng);
                let tiles: Vec<_> =
                    values_of(position.board().cells()).into_iter().filter(|&tile| tile != 0).collect();
                assert!(tiles.len() == 2 && tiles.iter().all(|tile| matches!(tile, 2 | 4)));
                assert_eq!(position.score(), 0);
                position
            }
            Some((text, score)) => Twenty48::set_up(&rules, text, score).expect("a board"),
        };
        if game < 300 {
            check_moves(&position);
        }
        let mut score = position.score();
        let mut moves = 0;
        while position.to_move().is_some() {
            let direction = position.random_move(&mut player_rng).expect("not over");
            let before = position.clone();
            score += position.board().gain(direction);
            position.play(direction, &mut game_rng).expect("a legal move");
            check_turn(&before, direction, &position);
            moves += 1;
        }
        assert_eq!((position.score(), position.state().moves), (score, moves));
        check_moves(&position);
    }
}

#[test]
fn the_empty_board_is_stuck_but_not_over() {
    let position = Twenty48::set_up(&Rules::default(), &". ".repeat(16), None).expect("a board");
    assert!(position.to_move().is_some() && !position.board().is_over());
    check_board([0; 16]);
    check_moves(&position);
}

/// Random moves are uniform among the legal ones.
#[test]
fn random_moves_are_even() {
    let position =
        Twenty48::set_up(&Rules::default(), "2 0 0 0  4 0 0 0  8 0 0 0  2 4 0 0", None).expect("a board");
    let mut counts = [0_u32; 4];
    let mut rng = Seed::root(3).rng();
    for _ in 0..300_000 {
        counts[position.random_move(&mut rng).expect("not over") as usize] += 1;
    }
    // Only up and right move something; six standard deviations are 1,643.
    assert_eq!(position.board().legal_directions().collect::<Vec<_>>(), [Direction::Up, Direction::Right]);
    assert!(counts[2] == 0 && counts[3] == 0 && counts[0].abs_diff(150_000) < 1_643, "{counts:?}");
}

/// Moves of public programs on 1292 boards (`vectors/README.md`).
#[test]
fn moves_are_those_of_public_programs() {
    let text = golden::read("it/vectors/moves.jsonl");
    let mut ids = BTreeSet::new();
    for line in text.lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        let id = &case["id"];
        assert!(ids.insert(id.as_u64().expect("a number")), "board {id} is there twice");
        let values_in = |ranks: &serde_json::Value| -> Values {
            let rank = |sign: char| sign.to_digit(36).expect("a rank in one sign") as u8;
            let ranks: Vec<u8> = ranks.as_str().expect("ranks").chars().map(rank).collect();
            <[u8; 16]>::try_from(ranks).expect("sixteen ranks").map(value)
        };
        let board = Board::new(Cells::from_values(values_in(&case["board"])).expect("tiles"));
        for direction in Direction::ALL {
            let expected = &case[direction.name()];
            let after = board.slide(direction).map(|after| values_of(after.cells()));
            let (board_after, gain) = match expected {
                serde_json::Value::Null => (None, 0),
                entry => (Some(values_in(&entry[1])), entry[0].as_u64().expect("points")),
            };
            assert_eq!(after, board_after, "board {id}, {direction}");
            assert_eq!(board.gain(direction), gain, "board {id}, {direction}");
        }
        let legal: String = board.legal_directions().map(|direction| &direction.name()[..1]).collect();
        assert_eq!(legal, case["datumbox"].as_str().expect("letters"), "board {id}");
        assert_eq!(legal, case["lazuxd"].as_str().expect("letters"), "board {id}");
        assert_eq!(board.is_over(), case["over"].as_bool().expect("a truth"), "board {id}");
    }
    assert_eq!(ids.len(), 1292);
}

/// Number of boards after n turns, where a turn is a slide and any tile. The engine, the plain
/// engine and the file agree.
#[test]
fn perft() {
    let text = golden::read("it/vectors/perft.txt");
    let mut new_text = String::new();
    let mut last: Option<(&str, BTreeSet<Values>, Vec<Board>)> = None;
    for line in text.lines() {
        let Some((start, rest)) = line.split_once(';').filter(|_| !line.starts_with('#')) else {
            new_text += &format!("{line}\n");
            continue;
        };
        let (turn, _) = rest.split_once(';').expect("start ; n ; count");
        let cells: Cells = start.parse().expect("a board");
        // Lines of one start are consecutive, one turn further each.
        let (_, plain, fast) = last
            .take_if(|(last_start, ..)| *last_start == start)
            .unwrap_or_else(|| (start, BTreeSet::from([values_of(cells)]), vec![Board::new(cells)]));
        let (plain, fast) = (plain_turn(&plain), fast_turn(&fast));
        assert_eq!(plain.len(), fast.len(), "{line}");
        let boards: BTreeSet<Values> = fast.iter().map(|board| values_of(board.cells())).collect();
        assert!(plain == boards, "{line}: as many boards, but not the same");
        new_text += &format!("{start};{turn}; {}\n", plain.len());
        last = Some((start, plain, fast));
    }
    golden::assert_golden("it/vectors/perft.txt", &new_text);
}

fn plain_turn(boards: &BTreeSet<Values>) -> BTreeSet<Values> {
    let afters = boards.iter().flat_map(|board| {
        Direction::ALL
            .into_iter()
            .filter_map(|direction| naive::slide(board, direction))
            .map(|(after, _)| after)
    });
    afters.collect::<BTreeSet<_>>().into_iter().flat_map(naive::boards_after_spawn).collect()
}

fn fast_turn(boards: &[Board]) -> Vec<Board> {
    let mut next = Vec::new();
    for board in boards {
        for after in Direction::ALL.into_iter().filter_map(|direction| board.slide(direction)) {
            let empty = (0..16).filter(|&cell| after.cells().rank(cell) == 0);
            next.extend(empty.flat_map(|cell| [after.place(cell, 1), after.place(cell, 2)]));
        }
    }
    next.sort_unstable();
    next.dedup();
    next
}

/// A slide leaves a board on which a tile can be placed, only on empty cells.
#[test]
fn tiles_are_placed_on_empty_cells_only() {
    let after = Afterstate::new(Cells::from_ranks([0, 16, 0, 1, 2, 3, 0, 4, 0, 0, 0, 0, 5, 15, 0, 0]));
    for cell in 0..16 {
        for rank in 0..=3 {
            let result = std::panic::catch_unwind(|| after.place(cell, rank));
            let is_allowed = after.cells().rank(cell) == 0 && matches!(rank, 1 | 2);
            assert_eq!(result.is_ok(), is_allowed, "rank {rank} on cell {cell}");
            if let Ok(board) = result {
                let mut expected = after.cells().ranks();
                expected[cell] = rank;
                assert_eq!(board.cells().ranks(), expected);
            }
        }
    }
}
