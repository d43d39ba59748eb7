//! Laws of games.

use std::ops::ControlFlow;

use super::table;
use crate::game::{
    self, Block, Diagram, EndedBy, Game, GameResult, GameState, MAX_FACTS, Outcome, PlayoutRequest,
    PlayoutResult,
};
use crate::rng::Seed;

/// Checks the laws listed in the documentation of [`game`].
///
/// # Panics
/// If the game breaks one.
pub fn check_rules<G: Game>(boards: &[&str]) {
    let games: Vec<_> = (0..20).map(play_random_game::<G>).collect();
    let mut known_moves: Vec<G::Move> = Vec::new();
    for &mv in games.iter().flat_map(|(_, moves)| moves) {
        if !known_moves.contains(&mv) {
            known_moves.push(mv);
        }
    }
    assert!(known_moves.len() > 1, "{}: random games know {known_moves:?} only", G::INFO.name);
    let rules = G::Rules::default();
    let board_positions =
        boards.iter().map(|text| G::set_up(&rules, &Diagram::from_cells(text)).expect("a position"));
    let board_positions: Vec<G> = board_positions.collect();
    for position in games.iter().flat_map(|(positions, _)| positions).chain(&board_positions) {
        check_moves(position, &known_moves);
        check_end(position);
        let facts = position.state().facts;
        assert!(facts[G::INFO.facts.len()..].iter().all(|&fact| fact == 0), "{facts:?}");
    }
    for position in games.iter().flat_map(|(positions, _)| positions) {
        let ended_by = if position.to_move().is_some() { EndedBy::Other } else { EndedBy::Rules };
        let GameState { outcome, facts, moves, .. } = position.state();
        let result = GameResult { ended_by, outcome, facts, moves };
        assert_eq!(G::invalid_reason(&rules, &result), None, "{result:?}");
        let absurd = GameResult { moves: u32::MAX, ..result };
        assert!(G::invalid_reason(&rules, &absurd).is_some(), "{absurd:?}");
    }
    for (positions, _) in &games {
        assert_eq!(positions.last().expect("the start").to_move(), None, "it went on to its end");
    }
    for (block, (positions, moves)) in (0..).zip(&games) {
        check_replay(block, positions, moves);
    }
}

/// Checks that written moves and positions are read back unchanged.
///
/// # Panics
/// If one is not.
pub fn check_texts<G: Game>(boards: &[&str]) {
    let rules = G::Rules::default();
    let board_positions =
        boards.iter().map(|text| G::set_up(&rules, &Diagram::from_cells(text)).expect("a position"));
    let played_positions = (0..3).flat_map(|block| play_random_game::<G>(block).0);
    played_positions.chain(board_positions).for_each(|position| check_text(&rules, &position));

    let (positions, _) = play_random_game::<G>(1);
    let board_positions =
        boards.iter().map(|text| G::set_up(&rules, &Diagram::from_cells(text)).expect("a position"));
    for position in positions.into_iter().chain(board_positions) {
        let text = position.to_string();
        let parsed = G::set_up(&rules, &Diagram::from_cells(&text)).expect("a position as it was shown");
        assert_eq!(
            (parsed.to_string(), describe_position(&parsed).4),
            (text, describe_position(&position).4)
        );
    }
    G::set_up(&rules, &Diagram::from_cells("this is no position")).expect_err("not a position");
    if G::INFO.has_stones {
        let (positions, moves) = play_random_game::<G>(1);
        positions
            .windows(2)
            .zip(&moves)
            .for_each(|(pair, mv)| check_stone(&pair[0], &pair[1], &mv.to_string()));
    }
}

/// Checks that a move puts one stone on the cell that its column letter and row number name.
fn check_stone<G: Game>(before: &G, after: &G, mv: &str) {
    let cells = |position: &G| -> Vec<(String, String)> {
        let rows = position.to_string();
        let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split_whitespace().collect()).collect();
        assert!(rows.iter().all(|row| row.len() == rows.len()), "the board is no square:\n{position}");
        let named_cells = rows.iter().zip(1..).flat_map(|(row, number)| {
            ('a'..='z').zip(row).map(move |(letter, cell)| (format!("{letter}{number}"), (*cell).to_owned()))
        });
        named_cells.collect()
    };
    let changed_cells: Vec<_> =
        cells(before).into_iter().zip(cells(after)).filter(|(one, other)| one != other).collect();
    let [((name, old), (_, new))] = &changed_cells[..] else { panic!("{mv} changes {changed_cells:?}") };
    assert!(
        name == mv && old == "." && ["B", "W"].contains(&new.as_str()),
        "{mv} makes {old} of {name} {new}"
    );
}

/// Checks that fast random games equal those of the plain loop.
///
/// # Panics
/// If one does not.
pub fn check_all_playouts<G: Game>(boards: &[&str]) {
    let rules = G::Rules::default();
    let (played_positions, _) = play_random_game::<G>(4);
    let board_positions =
        boards.iter().map(|text| G::set_up(&rules, &Diagram::from_cells(text)).expect("a position"));
    for position in played_positions.into_iter().step_by(40).chain(board_positions) {
        check_playouts(&position);
    }
}

/// Returns everything that a position shows.
fn describe_position<G: Game>(position: &G) -> (String, u32, Outcome, [i64; MAX_FACTS], Vec<G::Move>) {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let state = position.state();
    (position.to_string(), state.moves, state.outcome, state.facts, moves)
}

/// Plays the random game of a block and returns its positions and moves.
fn play_random_game<G: Game>(block: u64) -> (Vec<G>, Vec<G::Move>) {
    let (mut game_rng, mut player_rng) = (table::new_game_rng(block), table::seat_seed(block).rng());
    let mut positions = vec![G::open(&G::Rules::default(), Block::from_seed(block), &mut game_rng)];
    let mut moves = Vec::new();
    loop {
        let mut position = positions.last().expect("the start at least").clone();
        let Some(mv) = position.random_move(&mut player_rng) else { return (positions, moves) };
        position.play(mv, &mut game_rng).expect("a random move is legal");
        positions.push(position);
        moves.push(mv);
    }
}

/// Checks that `play` accepts exactly the moves that `moves` lists, among all known moves, and that
/// a refused move changes nothing.
fn check_moves<G: Game>(position: &G, known_moves: &[G::Move]) {
    let before = describe_position(position);
    let legal_moves = &before.4;
    for (i, mv) in legal_moves.iter().enumerate() {
        assert!(!legal_moves[..i].contains(mv), "{mv} is listed twice in\n{position}");
    }
    for &mv in known_moves.iter().chain(legal_moves) {
        let (mut after, mut game_rng) = (position.clone(), Seed::root(1).rng());
        let is_legal = after.play(mv, &mut game_rng).is_ok();
        assert_eq!(is_legal, legal_moves.contains(&mv), "{mv} in\n{position}");
        if is_legal {
            assert_eq!(after.state().moves, before.1 + 1, "{mv} in\n{position}");
        } else {
            assert_eq!(describe_position(&after), before, "{mv} was refused in\n{position}");
            assert_eq!(game_rng.bits(), Seed::root(1).rng().bits(), "a refused move draws nothing");
        }
    }
    let random = position.random_move(&mut Seed::root(2).rng());
    assert!(
        random.map_or(legal_moves.is_empty(), |mv| legal_moves.contains(&mv)),
        "{random:?} in\n{position}"
    );
}

/// Checks that a game ended by its rules has no moves, and that a played game without moves is
/// over.
fn check_end<G: Game>(position: &G) {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    assert!(!position.state().is_cut_short, "nothing in the default rules cuts a game short");
    assert_eq!(position.to_move().is_none(), moves.is_empty(), "{position}");
}

/// Checks that equal seeds and equal moves make equal games, also by the faster random games.
fn check_replay<G: Game>(block: u64, positions: &[G], moves: &[G::Move]) {
    let rules = G::Rules::default();
    let mut game_rng = table::new_game_rng(block);
    let mut position = G::open(&rules, Block::from_seed(block), &mut game_rng);
    for (expected, &mv) in positions.iter().zip(moves) {
        assert_eq!(describe_position(&position), describe_position(expected));
        position.play(mv, &mut game_rng).expect("it was legal the first time");
    }
    let final_state = describe_position(&position);
    assert_eq!(Some(&final_state), positions.last().map(describe_position).as_ref());
    let seeds = (Seed::root(block).child("world", 0), table::seat_seed(block));
    if let Some(games) = G::random_games(&rules, &mut [seeds].into_iter()) {
        assert_eq!(games.iter().map(describe_position).collect::<Vec<_>>(), [final_state]);
    }
}

/// Checks that a written move is read back, and that no other text is a move. Also checks that a
/// position written as a diagram is read back unchanged.
///
/// # Panics
/// If one is not.
pub fn check_text<G: Game>(rules: &G::Rules, position: &G) {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    for mv in moves {
        let text = mv.to_string();
        assert_eq!(position.read_move(&text), Some(mv));
        for other in [format!("{text} "), format!(" {text}"), format!("{text}0x"), text.to_uppercase()] {
            let is_number = other == text;
            assert!(is_number || position.read_move(&other) != Some(mv), "{other:?} is read as {mv}");
        }
    }
    for strange in ["", "nonsense", "\u{0}"] {
        assert_eq!(position.read_move(strange), None, "{strange:?}");
    }
    let json = position.diagram().to_string();
    assert!(!json.contains('\n'), "{json} is one line");
    let diagram: Diagram = serde_json::from_str(&json).expect("a diagram is plain data");
    assert_eq!(G::set_up(rules, &diagram).as_ref(), Ok(position), "{json}");
}

/// Checks that random games from one position equal those of the plain loop.
///
/// # Panics
/// If one does not.
pub fn check_playouts<G: Game>(position: &G) {
    let mut first_moves = Vec::new();
    position.moves(&mut first_moves);
    for (runs, max_moves) in [(1, u32::MAX), (8, u32::MAX), (30, u32::MAX), (6, 1), (6, 5), (6, 40)] {
        let seed = Seed::root(runs as u64);
        let new_rngs = |number| (seed.child("world", number).rng(), seed.child("player", number).rng());
        let expected = (0..first_moves.len() * runs).map(|number| {
            let (mut game_rng, mut player_rng) = new_rngs(number as u64);
            let mut game = position.clone();
            game.play(first_moves[number / runs], &mut game_rng).expect("a legal move");
            let mut moves = 1;
            while moves < max_moves && game.to_move().is_some() {
                let mv = game.random_move(&mut player_rng).expect("it is not over");
                game.play(mv, &mut game_rng).expect("a legal move");
                moves += 1;
            }
            PlayoutResult { outcome: game.state().outcome, moves }
        });
        let expected: Vec<PlayoutResult> = expected.collect();
        let mut playouts = vec![None; expected.len()];
        let request = PlayoutRequest { first_moves: &first_moves, runs, max_moves, seed };
        position.run_playouts(&request, |number, playout| {
            assert_eq!(playouts[number].replace(playout), None, "each ends once");
            ControlFlow::Continue(())
        });
        let playouts: Vec<PlayoutResult> = playouts.into_iter().map(|one| one.expect("each ends")).collect();
        assert_eq!(playouts, expected, "{runs} runs of {max_moves} moves from\n{position}");

        let stop_after = expected.len().min(2);
        let mut ended_count = 0;
        position.run_playouts(&request, |_, _| {
            ended_count += 1;
            if ended_count == stop_after { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(ended_count, stop_after, "none comes after the one that breaks off");

        // In a full game, the moves and the number of draws are equal.
        let (mut one, mut other) = (position.clone(), position.clone());
        let ((mut game_rng, mut player_rng), (mut game_rng_2, mut player_rng_2)) = (new_rngs(0), new_rngs(0));
        let moves = one.play_out(max_moves, &mut game_rng, &mut player_rng);
        assert_eq!(
            moves,
            game::play_out_one_by_one(&mut other, max_moves, &mut game_rng_2, &mut player_rng_2)
        );
        assert_eq!(describe_position(&one), describe_position(&other));
        assert!(one == other);
        assert_eq!((game_rng.bits(), player_rng.bits()), (game_rng_2.bits(), player_rng_2.bits()));
    }
}
