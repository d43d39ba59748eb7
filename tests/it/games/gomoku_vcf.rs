//! Compares the solver of continuous fours with an exhaustive one, and tests the player that uses
//! it (`vectors/README.md`).

use gauntlet::gomoku::players::alphabeta;
use gauntlet::gomoku::rules::cell::parse_cells;
use gauntlet::gomoku::rules::vcf::VcfResult;
use gauntlet::gomoku::rules::{Board, Cell, Gomoku, Rule, Stone, ThreatBoard, Vcf};
use gauntlet::player::{BuildContext, Player, Recipe};
use gauntlet::rng::Seed;

use crate::self_play;
use serde_json::Value;

/// Much more than any vector needs.
const BUDGET: u64 = 1_000_000;

struct Vector {
    fields: Value,
    board: Board,
    turn: Stone,
}

impl Vector {
    fn cells(&self, field: &str) -> Vec<Cell> {
        read_cells(&self.fields[field])
    }

    fn id(&self) -> &str {
        self.fields["id"].as_str().unwrap()
    }
}

fn read_cells(list: &Value) -> Vec<Cell> {
    let mut cells: Vec<Cell> =
        list.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap().parse().unwrap()).collect();
    cells.sort_unstable();
    cells
}

fn vectors(kind: &str) -> Vec<Vector> {
    let text = include_str!("../vectors/gomoku_vcf.jsonl");
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let vectors: Vec<Vector> = records
        .filter(|fields| fields["kind"] == kind)
        .map(|fields| {
            let mut board = Board::new(fields["size"].as_u64().unwrap() as u8);
            for (index, cell) in (0..).zip(parse_cells(fields["moves"].as_str().unwrap()).unwrap()) {
                board.put(cell, Stone::next_after(index));
            }
            let turn = Stone::next_after(board.stones());
            assert_eq!(fields["stm"], ["b", "w"][turn.number()]);
            Vector { fields, board, turn }
        })
        .collect();
    assert!(!vectors.is_empty(), "there are vectors of the kind {kind}");
    vectors
}

fn threats(board: &Board, rule: Rule) -> ThreatBoard {
    ThreatBoard::from_board(board, rule, [0; 10])
}

/// Returns every first stone of a win by fours.
fn first_stones(vcf: &mut Vcf, threats: &mut ThreatBoard, attacker: Stone) -> Vec<Cell> {
    let cells = |threats: &ThreatBoard, places: Vec<usize>| -> Vec<Cell> {
        places.into_iter().map(|index| threats.cell(index)).collect()
    };
    if !threats.fives(attacker).is_empty() {
        return cells(threats, threats.fives(attacker).iter().collect());
    }
    let defender_fives: Vec<usize> = threats.fives(attacker.other()).iter().collect();
    let fours: Vec<usize> = threats.fours(attacker).iter().collect();
    // A four must stop the defender's fives.
    let fours = fours.into_iter().filter(|index| defender_fives.iter().all(|five| five == index));
    let wins = |index: &usize| {
        threats.play(*index, attacker);
        let answers: Vec<usize> = threats.fives(attacker).iter().collect();
        let wins = answers.len() > 1 || {
            threats.play(answers[0], attacker.other());
            let solution = vcf.solve(threats, attacker, BUDGET);
            threats.undo();
            assert_ne!(solution, VcfResult::Unknown);
            solution == VcfResult::Win
        };
        threats.undo();
        wins
    };
    let first = fours.filter(wins).collect();
    cells(threats, first)
}

/// The line wins by fours: each reply is forced, and the last stone makes a five.
fn check_line(board: &Board, rule: Rule, attacker: Stone, line: &[Cell]) {
    let mut board = board.clone();
    let completions = |board: &Board, stone| {
        board.empty_cells().filter(|&cell| board.makes_five(cell, stone, rule)).collect::<Vec<_>>()
    };
    let (five, fours) = line.split_last().expect("a win has a stone");
    for pair in fours.chunks(2) {
        let defender_fives = completions(&board, attacker.other());
        assert!(defender_fives.iter().all(|cell| *cell == pair[0]), "a five is not stopped");
        board.put(pair[0], attacker);
        assert!(completions(&board, attacker).contains(&pair[1]), "{} is not forced", pair[1]);
        board.put(pair[1], attacker.other());
    }
    assert!(board.stone_at(*five).is_none() && board.makes_five(*five, attacker, rule));
}

fn check_win(vcf: &mut Vcf, board: &Board, rule: Rule, attacker: Stone) {
    let mut threats = threats(board, rule);
    let before = threats.hash();
    assert_eq!(vcf.solve(&mut threats, attacker, BUDGET), VcfResult::Win);
    assert_eq!(threats.hash(), before);
    let line: Vec<Cell> = vcf.winning_line(&threats).collect();
    check_line(board, rule, attacker, &line);
}

#[test]
fn every_win_by_fours_is_found_with_all_its_first_stones() {
    for vector in vectors("vcf") {
        let mut vcf = Vcf::new(1 << 14);
        let mut threats = threats(&vector.board, Rule::Free);
        let first = first_stones(&mut vcf, &mut threats, vector.turn);
        assert_eq!(first, vector.cells("win"), "{}", vector.id());
        check_win(&mut vcf, &vector.board, Rule::Free, vector.turn);
    }
}

#[test]
fn what_wins_decides_which_fours_win() {
    for vector in vectors("vcf-rule") {
        for (name, rule) in [("free", Rule::Free), ("exact5", Rule::Standard)] {
            let mut vcf = Vcf::new(1 << 14);
            let mut threats = threats(&vector.board, rule);
            let first = first_stones(&mut vcf, &mut threats, vector.turn);
            let wins = vector.fields[name]["win"].as_array().map(|_| read_cells(&vector.fields[name]["win"]));
            assert_eq!(first, wins.unwrap_or_default(), "{} {name}", vector.id());
            if first.is_empty() {
                assert_eq!(vcf.solve(&mut threats, vector.turn, BUDGET), VcfResult::NoWin);
            } else {
                check_win(&mut vcf, &vector.board, rule, vector.turn);
            }
        }
    }
}

#[test]
fn what_holds_against_fours_is_known() {
    for vector in vectors("defend") {
        let mut threats = threats(&vector.board, Rule::Free);
        let mut vcf = Vcf::new(1 << 14);
        assert_eq!(vcf.solve(&mut threats, vector.turn, BUDGET), VcfResult::NoWin, "{}", vector.id());
        assert_eq!(vcf.solve(&mut threats, vector.turn.other(), BUDGET), VcfResult::Win, "{}", vector.id());
        let holds = |&cell: &Cell| {
            let index = cell.index(vector.board.size());
            threats.put(index, vector.turn);
            let solution = vcf.solve(&mut threats, vector.turn.other(), BUDGET);
            threats.take(index);
            assert_ne!(solution, VcfResult::Unknown);
            solution == VcfResult::NoWin
        };
        let defences: Vec<Cell> = vector.board.empty_cells().filter(holds).collect();
        assert_eq!(defences, vector.cells("hold"), "{}", vector.id());
    }
}

#[test]
fn where_fours_do_not_win_none_is_found() {
    for vector in vectors("no-vcf") {
        let mut threats = threats(&vector.board, Rule::Free);
        for stone in Stone::BOTH {
            assert_eq!(
                Vcf::new(1 << 14).solve(&mut threats, stone, BUDGET),
                VcfResult::NoWin,
                "{}",
                vector.id()
            );
        }
    }
    for vector in vectors("vct") {
        let mut threats = threats(&vector.board, Rule::Free);
        assert_eq!(
            Vcf::new(1 << 14).solve(&mut threats, vector.turn, BUDGET),
            VcfResult::NoWin,
            "{}",
            vector.id()
        );
    }
}

#[test]
fn what_is_not_known_is_not_claimed() {
    let mut unknown_count = 0;
    for vector in vectors("vcf") {
        let mut threats = threats(&vector.board, Rule::Free);
        let mut vcf = Vcf::new(1 << 14);
        for budget in [1, 2, 4, 8] {
            let solution = vcf.solve(&mut threats, vector.turn, budget);
            assert_ne!(solution, VcfResult::NoWin, "{}", vector.id());
            unknown_count += u32::from(solution == VcfResult::Unknown);
            assert!(vcf.nodes() <= budget, "{}", vector.id());
        }
        assert_eq!(vcf.solve(&mut threats, vector.turn, BUDGET), VcfResult::Win, "{}", vector.id());
    }
    assert!(unknown_count > 0, "some wins take more than a few positions");
}

/// Returns the player with these settings.
fn build_player(settings: &str) -> Box<dyn Player<Gomoku>> {
    let config: alphabeta::Config = toml::from_str(settings).unwrap();
    config.build(&BuildContext::default()).unwrap()
}

fn choose_cell(player: &mut dyn Player<Gomoku>, vector: &Vector) -> Cell {
    self_play::begin(player, Seed::root(0));
    player.choose(&Gomoku::from_board(vector.board.clone(), Rule::Free, vector.turn)).unwrap().mv
}

#[test]
fn the_player_wins_where_fours_win() {
    let mut player = build_player("nodes = 40000\nvcf_nodes = 10000");
    for vector in vectors("vcf") {
        let cell = choose_cell(&mut *player, &vector);
        let wins = [vector.cells("win"), vector.cells("also_win")].concat();
        assert!(wins.contains(&cell), "{}: {cell}", vector.id());
    }
}

#[test]
fn the_player_holds_where_it_can() {
    let mut player = build_player("nodes = 40000");
    let vectors = vectors("defend");
    let held_vectors =
        vectors.iter().filter(|vector| vector.cells("hold").contains(&choose_cell(&mut *player, vector)));
    let held_count = held_vectors.count();
    // Most of these positions are lost anyway, so the moves played in them show little.
    assert!(20 * held_count >= 19 * vectors.len(), "{held_count} of {}", vectors.len());
}
