//! Laws of players.

use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::table::{self, SelfPlay, blocks};
use crate::arena::{self, AlgorithmManual, Arena, Entry, GameDefinition, ReplayRequest, ReplayStep};
use crate::game::{Block, Diagram, Game};
use crate::player::{Algorithm, BuildContext, Choice, NoMove, Player, Recipe, Start, Stop};
use crate::record::{Ending, GameRecord};
use crate::rng::Seed;
use crate::settings::{SettingsTable, tree};

/// Moves per game in these checks; longer games would reveal nothing more.
const MOVES: u32 = 150;

/// Checks every player of these tables against all laws, with each of its examples. Returns the
/// players that search positions but show no values.
///
/// # Panics
/// If a player breaks a law.
pub fn check_players<G: Game>(
    contents: &'static GameDefinition<G>,
    boards: &[&str],
) -> BTreeSet<&'static str> {
    let arena = Arena::new(contents);
    let set_up =
        |text: &&str| G::set_up(&G::Rules::default(), &Diagram::from_cells(text)).expect("a position");
    let played = random_positions::<G>();
    let all: Vec<G> = played.iter().cloned().chain(boards.iter().map(set_up)).collect();
    let mut silent = BTreeSet::new();
    for ((_, algorithm), manual) in contents.algorithms().zip(arena.manual()) {
        check_manual(&manual);
        check_strange_settings(&arena, &manual);
        let mut seen = BTreeSet::new();
        for example in std::iter::once(&manual.example).chain(manual.more_examples) {
            check_stops(algorithm, example, &all);
            let entrant = read_example_player(&arena, &AlgorithmManual { example, ..manual });
            let facts = entrant.facts();
            // An external program may be missing.
            if facts.is_external() {
                continue;
            }
            let game = check_games(&entrant);
            assert!(seen.insert(game), "{example} plays what an earlier example plays");
            if !facts.is_reproducible {
                continue;
            }
            let settled =
                (algorithm.read)(algorithm, &parse_example(example)).expect("an example has no mistakes");
            check_forgetting(&entrant);
            if played.iter().any(|position| check_answer(&*settled.recipe, &entrant, position)) {
                silent.insert(algorithm.name);
            }
            if *example == manual.example {
                check_against_table(&*settled.recipe, &entrant);
                check_panics(&*settled.recipe, algorithm.name);
            }
        }
    }
    silent
}

/// Checks that names are in kebab-case and unique in the game.
///
/// # Panics
/// If a player breaks the law.
pub fn check_names<G: Game>(contents: &'static GameDefinition<G>) {
    let manual = Arena::new(contents).manual();
    let names: BTreeSet<_> = manual.iter().map(|known| known.name).collect();
    assert_eq!(names.len(), manual.len(), "{names:?}");
    for name in names {
        let plain = |part: &str| !part.is_empty() && part.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9'));
        assert!(name.split('-').all(plain), "`{name}` is not in kebab-case");
    }
}

/// Returns the settings of an example, as read from an experiment.
fn parse_example(example: &str) -> SettingsTable {
    let mut table = tree::parse_table(example);
    table.remove("algorithm").expect("an example names its algorithm");
    SettingsTable { table, header: 0..0 }
}

fn read_example_player(arena: &Arena, manual: &AlgorithmManual) -> Entry {
    let (rules, mistakes) = arena.read_rules(&SettingsTable::default());
    assert!(mistakes.is_empty(), "the rules of {} have no defaults: {mistakes:?}", arena.name);
    let entered = arena.read_entry(&rules, manual.name, &parse_example(manual.example));
    entered.unwrap_or_else(|mistakes| panic!("the example of {}: {mistakes:?}", manual.name))
}

/// Step of a game as text without the values of moves, the move, its value, and the values of all
/// moves.
type ReplayedStep = (String, Option<String>, Option<f64>, Vec<(String, f64)>);

/// Returns every step of a game and its record. Fails if a move is illegal or the player gives up.
fn replay(entrant: &Entry, seed: u64, weighed: bool) -> (Vec<ReplayedStep>, GameRecord) {
    let mut steps = Vec::new();
    let mut show = |step: &ReplayStep| {
        let said = format!("{:?}", ReplayStep { weighed: &[], table: None, ..*step });
        steps.push((said, step.mv.map(str::to_owned), step.value, step.weighed.to_vec()));
    };
    let game = ReplayRequest { block: Block::from_seed(seed), leg: 0, weighed };
    let (record, complaint) =
        arena::replay(&entrant.lineup(), Some(MOVES), game, &BuildContext::default(), &mut show)
            .expect("a game");
    assert_eq!(complaint, None, "{entrant:?} ended the game of seed {seed}");
    assert!(record.ending.seat_at_fault().is_none(), "{entrant:?}: {record:?}");
    assert_eq!(steps.len() as u32, record.moves + 1);
    (steps, record)
}

/// Checks that the first example is a manual: one sentence, and every setting.
fn check_manual(manual: &AlgorithmManual) {
    // One sentence: starts with a capital, ends with the only full stop, short enough for a list.
    let sentence = manual.summary;
    let text = sentence.strip_suffix('.').expect("a summary ends with a full stop");
    assert!(manual.example.starts_with('#') && text.starts_with(|c: char| c.is_uppercase()), "{sentence}");
    assert!(!text.contains(". ") && sentence.len() <= 110, "not one sentence: {sentence}");

    // `gauntlet players` indents it by two columns and does not wrap it, so that it can be copied.
    let long: Vec<&str> = manual.example.lines().skip(1).filter(|line| line.chars().count() > 78).collect();
    assert!(long.is_empty(), "{}: wider than a terminal of 80 columns: {long:#?}", manual.name);

    let table = tree::parse_table(manual.example);
    let named = table.get("algorithm").and_then(|name| name.get_ref().as_text());
    assert_eq!(named, Some(manual.name), "the example names another algorithm");
    // Every setting appears, with a value or in a comment that shows one.
    for setting in manual.settings {
        let shown = |line: &str| {
            line.trim_start_matches(['#', ' '])
                .strip_prefix(setting)
                .is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        assert!(manual.example.lines().any(shown), "`{setting}` is not in the example of {}", manual.name);
    }
    for (key, _) in &table {
        let key: &str = key.get_ref();
        assert!(
            key == "algorithm" || manual.settings.contains(&key),
            "{} has no setting `{key}`",
            manual.name
        );
    }
}

/// Checks that equal seeds make equal games, even if values are requested, and that other seeds
/// make other games. Returns a game.
fn check_games(entrant: &Entry) -> Vec<String> {
    let said = |steps: &[ReplayedStep]| steps.iter().map(|step| step.0.clone()).collect::<Vec<_>>();
    let (plain, weighed) = (replay(entrant, 1, false).0, replay(entrant, 1, true).0);
    if entrant.facts().is_reproducible {
        assert_eq!(said(&plain), said(&weighed), "{entrant:?}");
        let other = replay(entrant, 2, false).0;
        assert_ne!(said(&plain), said(&other), "{entrant:?}: the seed sways nothing");
    }
    assert!(plain.iter().all(|(_, _, _, weighed)| weighed.is_empty()), "{entrant:?}");
    check_values(entrant, &weighed);
    said(&plain)
}

/// Checks that a player chooses by the values that it reports.
fn check_values(entrant: &Entry, steps: &[ReplayedStep]) {
    let asked: Vec<_> = steps.iter().filter(|(_, _, _, weighed)| !weighed.is_empty()).collect();
    let mut not_the_most = 0;
    for (said, mv, value, weighed) in &asked {
        let own = weighed.iter().find(|(name, _)| Some(name) == mv.as_ref());
        let &(_, worth) = own.unwrap_or_else(|| panic!("{entrant:?}: {said} {weighed:?}"));
        // A player with a time limit might have searched deeper if time had not run out.
        if entrant.facts().is_reproducible {
            assert_eq!(Some(worth), *value, "{entrant:?}: {said} {weighed:?}");
        }
        not_the_most += usize::from(weighed.iter().any(|&(_, other)| other > worth));
    }
    // A player may rate highest a direction that moves nothing, and fall back on another.
    assert!(2 * not_the_most <= asked.len(), "{entrant:?}: {not_the_most} of {}", asked.len());
}

/// Checks an answer to `gauntlet probe`: it contains the move, the counters and the values of moves
/// of a newly built player. Returns true if the player searches positions but has no values of
/// moves.
fn check_answer<G: Game>(recipe: &dyn Recipe<G>, entrant: &Entry, position: &G) -> bool {
    let answer = entrant.probe_position(&position.diagram(), 9, &BuildContext::default()).expect("an answer");
    let mut player: Box<dyn Player<G>> =
        recipe.build(&BuildContext::default()).expect("an example builds its player");
    let seat = position.to_move().expect("a game that goes on");
    player.begin(&Start { seed: Block::from_seed(9).seat_seed(0, seat), seat, rules: &G::Rules::default() });
    let Choice { mv, value, nodes, depth, .. } = player.choose(position).expect("a move");
    let mut expected = json!({ "move": mv.to_string(), "value": value, "nodes": nodes, "depth": depth });
    if let Some(number) = position.move_number(mv) {
        expected["cell"] = number.into();
    }
    let counters = player.abilities().counters();
    let weighed = player.abilities().move_values(position);
    if !weighed.is_empty() {
        expected["values"] = weighed.iter().map(|&(mv, worth)| (mv.to_string(), json!(worth))).collect();
        let own = weighed.iter().find(|&&(weighed, _)| weighed == mv).map(|&(_, worth)| worth);
        let own = own.filter(|worth| worth.is_finite());
        assert_eq!(own, value, "{entrant:?} on {position}");
    }
    for (name, count) in counters {
        assert!(expected.get(name).is_none(), "{entrant:?} has a counter {name}, which has a meaning");
        expected[name] = count;
    }
    assert_eq!(answer, expected, "{entrant:?} on {position}");
    weighed.is_empty() && nodes > 0
}

/// Checks that no game affects a later one. It plays games A, B and A again: the second A must
/// equal the first, even in another call. Both must equal the play of a new player.
fn check_forgetting(entrant: &Entry) {
    let worker = |max_moves| entrant.build_worker(max_moves).expect("an example builds its player");
    let (a, b) = (1, 2);
    for max_moves in [Some(MOVES), Some(7)] {
        let mut used = worker(max_moves);
        let together = used(&blocks([a, b]));
        assert!(together.complaints.is_empty(), "{:?}", together.complaints);
        let (first, second) = together.records.split_at(entrant.shape().legs());
        assert_eq!(used(&blocks([a])).records, first, "{entrant:?}");
        assert_eq!(worker(max_moves)(&blocks([b])).records, second, "{entrant:?}");
        if max_moves == Some(MOVES) {
            assert_eq!(first[0], replay(entrant, a, false).1);
        }
    }
}

/// Checks that the arena plays like the plain loop of `table`. The arena deals seats and tiles
/// internally and plays some games in parallel. Because its games are equal, tests with the plain
/// loop also hold for results.
fn check_against_table<G: Game>(recipe: &dyn Recipe<G>, entrant: &Entry) {
    let mut worker = entrant.build_worker(None).expect("an example builds its player");
    // Some players play whole games at once; others one by one, and those may be long.
    let mut player = recipe.build(&BuildContext::default()).expect("an example builds its player");
    let plays_at_once = player.play_games(&G::Rules::default(), &mut std::iter::empty()).is_some();
    let seeds = 0..if plays_at_once { 100 } else { 1 };
    let slice = worker(&blocks(seeds.clone()));
    assert!(slice.complaints.is_empty(), "{entrant:?}: {:?}", slice.complaints);

    let build = |_| recipe.build(&BuildContext::default()).expect("an example builds its player");
    let mut players: Vec<Box<dyn Player<G>>> = G::INFO.shape.seats().iter().map(build).collect();
    let mut players: Vec<&mut dyn Player<G>> = players.iter_mut().map(|player| &mut **player as _).collect();
    for (block, in_slice) in seeds.zip(slice.records.into_iter().step_by(G::INFO.shape.legs())) {
        let mut expected = Vec::new();
        let over = table::play(&mut players, block, |before, mv, now| {
            if before.standing().moves == 0 {
                expected.push((0, None, before.standing().outcome, before.to_string()));
            }
            let mv = Some(mv.to_string());
            expected.push((now.standing().moves, mv, now.standing().outcome, now.to_string()));
        });
        let (facts, moves) = (over.standing().facts, over.standing().moves);
        let record = GameRecord { outcome: over.standing().outcome, facts, moves, ending: Ending::GameOver };

        let mut steps = Vec::new();
        let mut show = |step: &ReplayStep| {
            steps.push((step.moves, step.mv.map(str::to_owned), step.outcome, step.position.to_owned()));
        };
        let replayed = entrant.replay(None, block, &mut show).expect("an example builds its player");
        assert_eq!(replayed, (record, None), "{entrant:?} on block {block}, replayed");
        assert_eq!(steps, expected, "{entrant:?} on block {block}");
        assert_eq!(in_slice, record, "{entrant:?} on block {block}, by the worker");
    }
}

/// Checks that a player that panics during a game leaves nothing behind that affects others on its
/// thread.
fn check_panics<G: Game>(recipe: &dyn Recipe<G>, name: &str) {
    // Panic in the middle of the first game, however long games are.
    let before = play_until::<G>(recipe, u32::MAX);
    let middle = before.len() as u32 / 2;
    let broken = panic::catch_unwind(AssertUnwindSafe(|| play_until::<G>(recipe, middle)));
    assert!(broken.is_err(), "{name}: {middle} moves were not reached");
    assert_eq!(play_until::<G>(recipe, u32::MAX), before, "{name}");
}

/// Returns the positions of a game in which the player panics at move `breaks_at`.
fn play_until<G: Game>(recipe: &dyn Recipe<G>, breaks_at: u32) -> Vec<String> {
    let mut player: Box<dyn Player<G>> =
        recipe.build(&BuildContext::default()).expect("an example builds its player");
    let mut world = Seed::root(9).child("world", 0).rng();
    let mut position = G::open(&G::Rules::default(), Block::from_seed(9), &mut world);
    let mut positions = Vec::new();
    table::begin(&mut *player, Seed::root(9).child("seat", 0));
    while position.to_move().is_some() && position.standing().moves < MOVES {
        let thought = player.choose(&position).expect("a player that does not give up");
        assert!(position.standing().moves < breaks_at, "this player is broken on purpose");
        position.play(thought.mv, &mut world).expect("a legal move");
        positions.push(position.to_string());
    }
    positions
}

/// Checks that a search stops immediately when asked, before it begins or during it. With the
/// deepest settings most of these searches would take years.
fn check_stops<G: Game>(algorithm: &Algorithm<G>, example: &str, positions: &[G]) {
    let settled = (algorithm.read)(algorithm, &parse_example(example)).expect("an example has no mistakes");
    let mut player = settled.recipe.build(&BuildContext::default()).expect("a player");
    table::begin(&mut *player, Seed::root(9).child("seat", 0));
    let deepest = maximize_settings(algorithm, example);
    for position in positions {
        let Ok(Choice { nodes: 1.., .. }) = player.choose(position) else { continue };
        let settled = (algorithm.read)(algorithm, &parse_example(&deepest)).expect("settings within bounds");
        let flag = Arc::new(AtomicBool::new(true));
        let kit = BuildContext { stop: Stop::from_flag(flag.clone()), ..BuildContext::default() };
        let mut player = settled.recipe.build(&kit).expect("a player");
        table::begin(&mut *player, Seed::root(9).child("seat", 0));
        assert_eq!(player.choose(position), Err(NoMove::Interrupted), "asked before");

        flag.store(false, Ordering::Relaxed);
        let answer = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(5));
                flag.store(true, Ordering::Relaxed);
            });
            player.choose(position)
        });
        // Random games of a few moves may all be over by then.
        assert!(matches!(answer, Err(NoMove::Interrupted) | Ok(_)), "{answer:?}");
    }
}

/// Returns positions of a random game.
fn random_positions<G: Game>() -> Vec<G> {
    let mut world = Seed::root(9).child("world", 0).rng();
    let mut dice = Seed::root(9).child("seat", 0).rng();
    let mut position = G::open(&G::Rules::default(), Block::from_seed(9), &mut world);
    let mut positions = Vec::new();
    while let Some(mv) = position.random_move(&mut dice) {
        if position.standing().moves % 40 == 0 {
            positions.push(position.clone());
        }
        position.play(mv, &mut world).expect("a legal move");
    }
    positions
}

/// Returns an example with each whole number as large as the algorithm allows.
fn maximize_settings<G: Game>(algorithm: &Algorithm<G>, example: &str) -> String {
    let mut settings: toml::Table = example.parse().expect("an example is valid TOML");
    for key in settings.keys().cloned().collect::<Vec<_>>() {
        let Some(mut most) = settings[&key].as_integer() else { continue };
        let mut step = 1 << 30;
        while step > 0 {
            settings.insert(key.clone(), (most + step).into());
            if most <= i64::from(u32::MAX)
                && (algorithm.read)(algorithm, &parse_example(&settings.to_string())).is_ok()
            {
                most += step;
            } else {
                step /= 2;
            }
        }
        settings.insert(key, most.into());
    }
    settings.to_string()
}

/// Checks that unknown settings are refused; ignoring them would be worse.
fn check_strange_settings(arena: &Arena, manual: &AlgorithmManual) {
    let (rules, _) = arena.read_rules(&SettingsTable::default());
    let strange = format!("{}\nno-such-setting = 1\n", manual.example);
    let mistakes =
        arena.read_entry(&rules, manual.name, &parse_example(&strange)).expect_err("a strange setting");
    assert_eq!(mistakes.len(), 1, "{}: {mistakes:?}", manual.name);
}
