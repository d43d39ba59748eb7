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
    let mut known: Vec<G::Move> = Vec::new();
    for &mv in games.iter().flat_map(|(_, played)| played) {
        if !known.contains(&mv) {
            known.push(mv);
        }
    }
    assert!(known.len() > 1, "{}: random games know {known:?} only", G::INFO.name);
    let rules = G::Rules::default();
    let set_up = boards.iter().map(|text| G::set_up(&rules, &Diagram::from_cells(text)).expect("a position"));
    let set_up: Vec<G> = set_up.collect();
    for position in games.iter().flat_map(|(positions, _)| positions).chain(&set_up) {
        check_moves(position, &known);
        check_end(position);
        let facts = position.standing().facts;
        assert!(facts[G::INFO.facts.len()..].iter().all(|&fact| fact == 0), "{facts:?}");
    }
    for position in games.iter().flat_map(|(positions, _)| positions) {
        let by = if position.to_move().is_some() { EndedBy::Other } else { EndedBy::Rules };
        let GameState { outcome, facts, moves, .. } = position.standing();
        let ended = GameResult { by, outcome, facts, moves };
        assert_eq!(G::invalid_reason(&rules, &ended), None, "{ended:?}");
        let absurd = GameResult { moves: u32::MAX, ..ended };
        assert!(G::invalid_reason(&rules, &absurd).is_some(), "{absurd:?}");
    }
    for (positions, _) in &games {
        assert_eq!(positions.last().expect("the start").to_move(), None, "it went on to its end");
    }
    for (block, (positions, played)) in (0..).zip(&games) {
        check_replay(block, positions, played);
    }
}

/// Checks that written moves and positions are read back unchanged.
///
/// # Panics
/// If one is not.
pub fn check_texts<G: Game>(boards: &[&str]) {
    let rules = G::Rules::default();
    let set_up = boards.iter().map(|text| G::set_up(&rules, &Diagram::from_cells(text)).expect("a position"));
    let played = (0..3).flat_map(|block| play_random_game::<G>(block).0);
    played.chain(set_up).for_each(|position| check_text(&rules, &position));

    let (positions, _) = play_random_game::<G>(1);
    let set_up = boards.iter().map(|text| G::set_up(&rules, &Diagram::from_cells(text)).expect("a position"));
    for position in positions.into_iter().chain(set_up) {
        let text = position.to_string();
        let read = G::set_up(&rules, &Diagram::from_cells(&text)).expect("a position as it was shown");
        assert_eq!((read.to_string(), describe_position(&read).4), (text, describe_position(&position).4));
    }
    G::set_up(&rules, &Diagram::from_cells("this is no position")).expect_err("not a position");
    if G::INFO.has_stones {
        let (positions, played) = play_random_game::<G>(1);
        positions
            .windows(2)
            .zip(&played)
            .for_each(|(pair, mv)| check_stone(&pair[0], &pair[1], &mv.to_string()));
    }
}

/// Checks that a move puts one stone on the cell that its column letter and row number name.
fn check_stone<G: Game>(before: &G, after: &G, mv: &str) {
    let cells = |position: &G| -> Vec<(String, String)> {
        let rows = position.to_string();
        let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split_whitespace().collect()).collect();
        assert!(rows.iter().all(|row| row.len() == rows.len()), "the board is no square:\n{position}");
        let named = rows.iter().zip(1..).flat_map(|(row, number)| {
            ('a'..='z').zip(row).map(move |(letter, cell)| (format!("{letter}{number}"), (*cell).to_owned()))
        });
        named.collect()
    };
    let changed: Vec<_> =
        cells(before).into_iter().zip(cells(after)).filter(|(one, other)| one != other).collect();
    let [((name, was), (_, is))] = &changed[..] else { panic!("{mv} changes {changed:?}") };
    assert!(name == mv && was == "." && ["B", "W"].contains(&is.as_str()), "{mv} makes {was} of {name} {is}");
}

/// Checks that fast random games equal those of the plain loop.
///
/// # Panics
/// If one does not.
pub fn check_all_playouts<G: Game>(boards: &[&str]) {
    let rules = G::Rules::default();
    let (played, _) = play_random_game::<G>(4);
    let set_up = boards.iter().map(|text| G::set_up(&rules, &Diagram::from_cells(text)).expect("a position"));
    for position in played.into_iter().step_by(40).chain(set_up) {
        check_playouts(&position);
    }
}

/// Returns everything that a position shows.
fn describe_position<G: Game>(position: &G) -> (String, u32, Outcome, [i64; MAX_FACTS], Vec<G::Move>) {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let standing = position.standing();
    (position.to_string(), standing.moves, standing.outcome, standing.facts, moves)
}

/// Plays the random game of a block and returns its positions and moves.
fn play_random_game<G: Game>(block: u64) -> (Vec<G>, Vec<G::Move>) {
    let (mut world, mut dice) = (table::world_rng(block), table::seat_seed(block).rng());
    let mut positions = vec![G::open(&G::Rules::default(), Block::from_seed(block), &mut world)];
    let mut played = Vec::new();
    loop {
        let mut position = positions.last().expect("the start at least").clone();
        let Some(mv) = position.random_move(&mut dice) else { return (positions, played) };
        position.play(mv, &mut world).expect("a random move is legal");
        positions.push(position);
        played.push(mv);
    }
}

/// Checks that `play` accepts exactly the moves that `moves` lists, among all known moves, and that
/// a refused move changes nothing.
fn check_moves<G: Game>(position: &G, known: &[G::Move]) {
    let before = describe_position(position);
    let listed = &before.4;
    for (i, mv) in listed.iter().enumerate() {
        assert!(!listed[..i].contains(mv), "{mv} is listed twice in\n{position}");
    }
    for &mv in known.iter().chain(listed) {
        let (mut after, mut world) = (position.clone(), Seed::root(1).rng());
        let accepted = after.play(mv, &mut world).is_ok();
        assert_eq!(accepted, listed.contains(&mv), "{mv} in\n{position}");
        if accepted {
            assert_eq!(after.standing().moves, before.1 + 1, "{mv} in\n{position}");
        } else {
            assert_eq!(describe_position(&after), before, "{mv} was refused in\n{position}");
            assert_eq!(world.bits(), Seed::root(1).rng().bits(), "a refused move draws nothing");
        }
    }
    let random = position.random_move(&mut Seed::root(2).rng());
    assert!(random.map_or(listed.is_empty(), |mv| listed.contains(&mv)), "{random:?} in\n{position}");
}

/// Checks that a game ended by its rules has no moves, and that a played game without moves is
/// over.
fn check_end<G: Game>(position: &G) {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    assert!(!position.standing().is_cut_short, "nothing in the default rules cuts a game short");
    assert_eq!(position.to_move().is_none(), moves.is_empty(), "{position}");
}

/// Checks that equal seeds and equal moves make equal games, also by the faster random games.
fn check_replay<G: Game>(block: u64, positions: &[G], played: &[G::Move]) {
    let rules = G::Rules::default();
    let mut world = table::world_rng(block);
    let mut position = G::open(&rules, Block::from_seed(block), &mut world);
    for (expected, &mv) in positions.iter().zip(played) {
        assert_eq!(describe_position(&position), describe_position(expected));
        position.play(mv, &mut world).expect("it was legal the first time");
    }
    let over = describe_position(&position);
    assert_eq!(Some(&over), positions.last().map(describe_position).as_ref());
    let seeds = (Seed::root(block).child("world", 0), table::seat_seed(block));
    if let Some(at_once) = G::random_games(&rules, &mut [seeds].into_iter()) {
        assert_eq!(at_once.iter().map(describe_position).collect::<Vec<_>>(), [over]);
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
    let written = position.diagram().to_string();
    assert!(!written.contains('\n'), "{written} is one line");
    let read: Diagram = serde_json::from_str(&written).expect("a diagram is plain data");
    assert_eq!(G::set_up(rules, &read).as_ref(), Ok(position), "{written}");
}

/// Checks that random games from one position equal those of the plain loop.
///
/// # Panics
/// If one does not.
pub fn check_playouts<G: Game>(position: &G) {
    let mut first = Vec::new();
    position.moves(&mut first);
    for (runs, most_moves) in [(1, u32::MAX), (8, u32::MAX), (30, u32::MAX), (6, 1), (6, 5), (6, 40)] {
        let seed = Seed::root(runs as u64);
        let streams = |number| (seed.child("world", number).rng(), seed.child("player", number).rng());
        let plain = (0..first.len() * runs).map(|number| {
            let (mut world, mut dice) = streams(number as u64);
            let mut game = position.clone();
            game.play(first[number / runs], &mut world).expect("a legal move");
            let mut moves = 1;
            while moves < most_moves && game.to_move().is_some() {
                let mv = game.random_move(&mut dice).expect("it is not over");
                game.play(mv, &mut world).expect("a legal move");
                moves += 1;
            }
            PlayoutResult { outcome: game.standing().outcome, moves }
        });
        let plain: Vec<PlayoutResult> = plain.collect();
        let mut played = vec![None; plain.len()];
        let asked = PlayoutRequest { first: &first, runs, most_moves, seed };
        position.run_playouts(&asked, |number, playout| {
            assert_eq!(played[number].replace(playout), None, "each ends once");
            ControlFlow::Continue(())
        });
        let played: Vec<PlayoutResult> = played.into_iter().map(|one| one.expect("each ends")).collect();
        assert_eq!(played, plain, "{runs} runs of {most_moves} moves from\n{position}");

        let most = plain.len().min(2);
        let mut ended = 0;
        position.run_playouts(&asked, |_, _| {
            ended += 1;
            if ended == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(ended, most, "none comes after the one that breaks off");

        // In a full game, the moves and the number of draws are equal.
        let (mut one, mut other) = (position.clone(), position.clone());
        let ((mut world, mut dice), (mut world_2, mut dice_2)) = (streams(0), streams(0));
        let moves = one.play_out(most_moves, &mut world, &mut dice);
        assert_eq!(moves, game::play_out_one_by_one(&mut other, most_moves, &mut world_2, &mut dice_2));
        assert_eq!(describe_position(&one), describe_position(&other));
        assert!(one == other);
        assert_eq!((world.bits(), dice.bits()), (world_2.bits(), dice_2.bits()));
    }
}
