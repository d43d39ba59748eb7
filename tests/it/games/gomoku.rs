//! Laws of Gomoku: wins, numbers of move sequences, symmetries, openings and texts.
//!
//! The vectors about small boards (`mnk`) are not used: they are about three or four in a row, and
//! five is not a setting.

use std::collections::{BTreeMap, BTreeSet};

use gauntlet::game::{Diagram, Game, Notation, Outcome, RandomPlay};
use gauntlet::gomoku::rules::opening::{SYMMETRIES, canonical_image, image, images};
use gauntlet::gomoku::rules::{Board, Cell, Gomoku, OpeningSource, Rule, Rules, Stone, cell};
use gauntlet::rng::Seed;
use serde_json::{Value, json};

use crate::bench::Folder;

/// Returns the vectors of one kind.
fn vectors(kind: &str) -> Vec<Value> {
    let lines = include_str!("../vectors/gomoku_rules.jsonl").lines();
    let cases = lines.map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    let matches: Vec<Value> = cases.filter(|case| case["kind"] == kind).collect();
    assert!(!matches.is_empty(), "no vector is of the kind {kind}");
    matches
}

fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key].as_str().unwrap_or_else(|| panic!("{key} of {case}"))
}

fn size(case: &Value) -> u8 {
    case["size"].as_u64().expect("a size") as u8
}

fn numbers(case: &Value, key: &str) -> Vec<u64> {
    let list = case[key].as_array().unwrap_or_else(|| panic!("{key} of {case}"));
    list.iter().map(|number| number.as_u64().expect("a number")).collect()
}

fn cells_of(case: &Value, key: &str) -> Vec<Cell> {
    let list = case[key].as_array().unwrap_or_else(|| panic!("{key} of {case}"));
    list.iter().map(|cell| cell.as_str().expect("a cell").parse().expect("a cell")).collect()
}

fn empty(size: u8, rule: Rule) -> Gomoku {
    Gomoku::from_board(Board::new(size), rule, Stone::Black)
}

/// Returns the position after these moves from the empty board.
fn position_after(moves: &[Cell], size: u8, rule: Rule) -> Gomoku {
    let mut position = empty(size, rule);
    for &mv in moves {
        position.play(mv, &mut Seed::root(0).rng()).expect("a legal move");
    }
    position
}

/// Fives through the last stone are detected, in every symmetric image and for both colours.
#[test]
fn fives_are_seen() {
    let cases = vectors("terminal");
    for case in &cases {
        let (own_cells, other_cells) = (cells_of(case, "own"), cells_of(case, "opp"));
        let last: Cell = text(case, "last").parse().expect("a cell");
        for (rule, key) in [(Rule::Free, "free"), (Rule::Standard, "exact5")] {
            let expected = text(case, key) == "win";
            for symmetry in 0..SYMMETRIES {
                let image_of = |cell: &Cell| image(*cell, symmetry, size(case));
                for stone in Stone::BOTH {
                    let mut board = Board::new(size(case));
                    own_cells
                        .iter()
                        .filter(|&&cell| cell != last)
                        .for_each(|cell| board.put(image_of(cell), stone));
                    other_cells.iter().for_each(|cell| board.put(image_of(cell), stone.other()));
                    let (wins, last) = (board.makes_five(image_of(&last), stone, rule), image_of(&last));
                    assert_eq!(wins, expected, "{} {key}, {stone:?}, image {symmetry}", case["id"]);
                    let mut game = Gomoku::from_board(board, rule, stone);
                    game.play(last, &mut Seed::root(0).rng()).expect("an empty cell");
                    let outcome = if expected { Outcome::Won(stone.seat()) } else { Outcome::Drawn };
                    assert_eq!((game.state().outcome, game.to_move().is_none()), (outcome, expected));
                }
            }
        }
    }
    assert_eq!(cases.len(), 47);
}

/// Counts sequences of moves by playing each of them: all, wins of black, wins of white, and draws.
fn perft(position: &Gomoku, depth: usize) -> [u64; 4] {
    if depth == 0 {
        let is_over = position.to_move().is_none();
        let wins = |stone| u64::from(position.winner() == Some(stone));
        let draws = u64::from(is_over && position.winner().is_none());
        return [1, wins(Stone::Black), wins(Stone::White), draws];
    }
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let mut sum = [0; 4];
    for mv in moves {
        let mut next = position.clone();
        next.play(mv, &mut Seed::root(0).rng()).expect("a legal move");
        sum.iter_mut().zip(perft(&next, depth - 1)).for_each(|(sum, count)| *sum += count);
    }
    sum
}

/// The package has a test of all these counts, with less work for each move.
#[test]
fn sequences_are_those_of_the_vectors() {
    for case in vectors("perft") {
        let rule = if text(&case, "rule") == "free" { Rule::Free } else { Rule::Standard };
        let position =
            position_after(&cell::parse_cells(text(&case, "moves")).expect("cells"), size(&case), rule);
        let counts = ["nodes", "black_wins", "white_wins", "draws"].map(|key| numbers(&case, key));
        for i in (0..counts[0].len()).filter(|&i| counts[0][i] < 10_000) {
            let expected = counts.each_ref().map(|counts| counts[i]);
            assert_eq!(perft(&position, i + 1), expected, "{} to depth {}", case["id"], i + 1);
        }
    }
}

/// Returns true if a stone on this cell is part of five. A plain version, in which the rows of the
/// board are texts.
fn makes_five(board: &Board, cell: Cell, stone: Stone, rule: Rule) -> bool {
    let side = i16::from(board.size());
    [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(|(dx, dy)| {
        let coordinates = |step: i16| (i16::from(cell.x) + step * dx, i16::from(cell.y) + step * dy);
        let symbol = |step: i16| {
            let (x, y) = coordinates(step);
            let is_there = (0..side).contains(&x) && (0..side).contains(&y);
            let is_own = is_there && board.stone_at(Cell::new(x as u8, y as u8)) == Some(stone);
            if step == 0 || is_own { 'x' } else { ' ' }
        };
        let row: String = (-side..=side).map(symbol).collect();
        let length = row.split(' ').map(str::len).max();
        // The row may contain other runs, but their stones did not end the game.
        if rule == Rule::Free { length >= Some(5) } else { row.split(' ').any(|run| run.len() == 5) }
    })
}

/// Boards of all sizes, under both rules.
#[test]
fn fives_are_those_of_plain_rows() {
    let mut wins = 0;
    for (seed, size) in (0..).zip((5..=25).chain([5, 5, 6, 6, 7, 7, 8, 15])) {
        for rule in [Rule::Free, Rule::Standard] {
            let mut rng = Seed::root(seed).rng();
            let mut position = empty(size, rule);
            while let (Some(mv), Some(turn)) = (position.random_move(&mut rng), position.turn()) {
                if position.state().moves.is_multiple_of(5) {
                    for cell in position.board().empty_cells() {
                        let actual = position.board().makes_five(cell, turn, rule);
                        let expected = makes_five(position.board(), cell, turn, rule);
                        assert_eq!(actual, expected, "{cell}, {rule:?}\n{position}");
                        wins += u64::from(actual);
                    }
                }
                position.play(mv, &mut rng).expect("a legal move");
            }
        }
    }
    assert!(wins > 300, "only {wins} wins were compared");
}

/// Counts placements of stones up to symmetry, by Burnside's lemma from the cycles of each symmetry
/// of `image`.
#[test]
fn images_make_as_many_positions_as_there_are() {
    for case in vectors("count") {
        let size = size(&case);
        let placements = numbers(&case, "positions");
        for ((stones, total), up_to_symmetry) in (0..).zip(&placements).zip(numbers(&case, "up_to_symmetry"))
        {
            let fixed_counts: Vec<u64> =
                (0..SYMMETRIES).map(|symmetry| count_fixed_placements(size, symmetry, stones)).collect();
            assert_eq!(fixed_counts[0], *total, "{stones} stones on a board of {size}");
            let sum: u64 = fixed_counts.iter().sum();
            assert_eq!(sum % u64::from(SYMMETRIES), 0);
            assert_eq!(sum / u64::from(SYMMETRIES), up_to_symmetry, "{stones} stones on a board of {size}");
        }
    }
}

/// Counts placements of this number of stones, alternating black and white, that a symmetry maps to
/// themselves.
fn count_fixed_placements(size: u8, symmetry: u8, stones: usize) -> u64 {
    let (most_black, most_white) = (stones.div_ceil(2), stones / 2);
    // ways[b][w]: ways to fill the cycles so far with b black and w white stones.
    let mut ways = vec![vec![0_u64; most_white + 1]; most_black + 1];
    ways[0][0] = 1;
    let mut seen = BTreeSet::new();
    for start in Board::new(size).cells() {
        let cycle = std::iter::successors(Some(start), |&cell| Some(image(cell, symmetry, size)));
        let length = cycle.take_while(|&cell| seen.insert(cell)).count();
        if length == 0 {
            continue;
        }
        for black in (0..=most_black).rev() {
            for white in (0..=most_white).rev() {
                let with_black = if black >= length { ways[black - length][white] } else { 0 };
                let with_white = if white >= length { ways[black][white - length] } else { 0 };
                ways[black][white] += with_black + with_white;
            }
        }
    }
    ways[most_black][most_white]
}

/// Tests every placement of a few stones. There are as many canonical forms as positions up to
/// symmetry. Each form has as many images as there are placements with that form.
#[test]
fn canonical_forms_are_told_apart() {
    for case in vectors("count") {
        let size = size(&case);
        let max_stones = match size {
            5 => 3,
            9 => 2,
            _ => 1,
        };
        for (stones, up_to_symmetry) in (0..=max_stones).zip(numbers(&case, "up_to_symmetry")) {
            let mut placements = 0;
            let mut forms = BTreeMap::new();
            for_each_placement(&mut Vec::new(), stones, size, &mut |opening| {
                placements += 1;
                let (_, count) = forms.entry(canonical_image(opening, size)).or_insert((opening.to_vec(), 0));
                *count += 1;
            });
            assert_eq!(placements, numbers(&case, "positions")[stones]);
            assert_eq!(forms.len() as u64, up_to_symmetry, "{stones} stones on a board of {size}");
            for (first, count) in forms.values() {
                assert_eq!(images(first, size).len(), *count, "{first:?} on a board of {size}");
            }
        }
    }
}

/// Visits every placement of stones once: the stones of one colour are in the order of cells.
fn for_each_placement(placement: &mut Vec<Cell>, stones: usize, size: u8, visit: &mut impl FnMut(&[Cell])) {
    if placement.len() == stones {
        return visit(placement);
    }
    let last_own = placement.len().checked_sub(2).map(|index| placement[index]);
    for cell in Board::new(size).cells() {
        if !placement.contains(&cell) && last_own.is_none_or(|last| last < cell) {
            placement.push(cell);
            for_each_placement(placement, stones, size, visit);
            placement.pop();
        }
    }
}

/// The images of a game are games, move by move, with the same end.
#[test]
fn symmetries_commute_with_moves() {
    for (seed, size) in (0..).zip([5, 6, 7, 9, 15, 15, 15, 19, 25]) {
        for rule in [Rule::Free, Rule::Standard] {
            let mut rng = Seed::root(seed).rng();
            let mut position = empty(size, rule);
            let mut image_games: [Gomoku; SYMMETRIES as usize] = std::array::from_fn(|_| position.clone());
            while let Some(mv) = position.random_move(&mut rng) {
                position.play(mv, &mut rng).expect("a legal move");
                for (symmetry, image_game) in (0..).zip(&mut image_games) {
                    image_game.play(image(mv, symmetry, size), &mut rng).expect("as legal as its image");
                    assert_eq!(image_game.turn(), position.turn());
                    assert_eq!(image_game.state().outcome, position.state().outcome);
                    for cell in position.board().cells() {
                        let image_stone = image_game.board().stone_at(image(cell, symmetry, size));
                        assert_eq!(image_stone, position.board().stone_at(cell), "{cell}, image {symmetry}");
                    }
                }
            }
        }
    }
}

#[test]
fn openings_of_gomocup_are_those_of_the_vectors() {
    let expected: Vec<Vec<Cell>> = vectors("opening")
        .iter()
        .map(|case| cell::parse_cells(text(case, "moves")).expect("cells"))
        .collect();
    let deck = OpeningSource::Gomocup.opening_list(15).expect("a list").expect("openings");
    assert_eq!(deck.openings, expected);
}

fn parse_position(text: &str, to_move: Option<&str>) -> Result<Gomoku, String> {
    let to_move = to_move.map(str::to_owned);
    Gomoku::set_up(&Rules::default(), &Diagram { to_move, ..Diagram::from_cells(text) })
}

/// A position is parsed from its cells, with line breaks or without. The player to move follows
/// from the stones, or is given.
#[test]
fn positions_are_read() {
    let rows = ["...............", ".......B.......", ".......WB......"];
    let line = format!("{}{}", rows.concat(), ".".repeat(12 * 15));
    let grid = format!("{}\n{}", rows.join("\n"), ["..............."; 12].join("\n"));
    for text in [&line, &grid] {
        let position = parse_position(text, None).expect("a position");
        assert_eq!(position.turn(), Some(Stone::White));
        assert_eq!(position.board().stone_at("h2".parse().expect("a cell")), Some(Stone::Black));
        assert_eq!(position.board().stone_at("i3".parse().expect("a cell")), Some(Stone::Black));
        assert_eq!(position.board().stone_at("h3".parse().expect("a cell")), Some(Stone::White));
        assert_eq!(position.move_number("h3".parse().expect("a cell")), Some(37));
        assert_eq!(position.to_string().replace(' ', ""), grid);
        assert_eq!(parse_position(text, Some("B")).expect("a position").turn(), Some(Stone::Black));
    }
    let refusal = |text: &str, to_move: Option<&str>| parse_position(text, to_move).expect_err("no position");
    assert_eq!(refusal(&line[1..], None), "found 224 cells, but a board of size 15 has 225");
    assert_eq!(refusal(&format!("{line}."), None), "found 226 cells, but a board of size 15 has 225");
    assert_eq!(refusal(&line.replacen('.', "x", 1), None), "cell 0 is 'x', not '.', 'B' or 'W'");
    assert_eq!(refusal(&line, Some("X")), "\"to_move\" must be \"B\" or \"W\", not \"X\"");
    let lone_stone = line.replacen('W', ".", 1);
    assert!(refusal(&lone_stone, None).starts_with("2 black and 0 white stones: add the colour to move"));
}

/// `gauntlet probe` answers for the players of source 003 as in their vectors.
#[test]
fn probe_shows_what_the_players_of_the_source_think() {
    let folder = Folder::with_file(
        "one.toml",
        "name = \"one\"\ngame = \"gomoku\"\nseed = 1\ngames = 2\n[[player]]\nname = \"medium\"\n\
         algorithm = \"gomoku-minimax\"\ndepth = 4\n",
    );
    let players = "[[player]]\nname = \"easy\"\nalgorithm = \"gomoku-greedy\"\n";
    folder.write("two.toml", format!("{}{players}", folder.read("one.toml")));
    let lines = |text: &str| -> Vec<Value> {
        text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    };
    let statics = lines(include_str!("../vectors/gomoku_static.jsonl"));
    let searches = lines(include_str!("../vectors/gomoku_minimax.jsonl"));
    let mut answer_count = 0;
    for search in searches.iter().filter(|search| search["maxDepth"] == 4).take(5) {
        let static_case = statics.iter().find(|case| case["id"] == search["id"]).expect("the same board");
        let question =
            json!({ "id": search["id"], "board": search["board"], "to_move": search["player"] }).to_string();
        for file in ["one.toml", "two.toml"] {
            let output = folder.run_with(&format!("probe --experiment {file}"), &question).assert_status(0);
            let answer: Value = serde_json::from_str(&output.stdout).expect("a line of JSON");
            assert_eq!(answer["features"]["runs-black"], static_case["evalBlack"]);
            assert_eq!(answer["features"]["runs-white"], static_case["evalWhite"]);
            let medium = &answer["players"]["medium"];
            let cell = Cell::from_index(search["move"].as_u64().expect("a number") as usize, 15);
            assert_eq!(medium["move"], cell.to_string());
            assert_eq!(medium["cell"], search["move"]);
            assert_eq!(medium["value"].as_f64(), search["score"].as_f64());
            assert_eq!(medium["candidates"], static_case["candidates"]);
            assert_eq!(medium["iterations"], search["iterations"]);
            let iterations = search["iterations"].as_array().expect("a list").iter();
            let nodes: u64 = iterations.map(|iteration| iteration["nodes"].as_u64().expect("a number")).sum();
            assert_eq!(medium["nodes"], nodes);
            if file == "two.toml" {
                let colour = if search["player"] == "B" { "Black" } else { "White" };
                let easy = &answer["players"]["easy"];
                let best = &static_case[format!("best{colour}")];
                assert_eq!(&easy["best"], best);
                assert!(best.as_array().expect("a list").contains(&easy["cell"]));
                assert_eq!(
                    easy["value"].as_f64(),
                    static_case[format!("greedy{colour}")][best[0].as_u64().expect("a number") as usize]
                        .as_f64()
                );
            }
            answer_count += 1;
        }
    }
    assert_eq!(answer_count, 10);
}
