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
    definition: &'static GameDefinition<G>,
    boards: &[&str],
) -> BTreeSet<&'static str> {
    let arena = Arena::new(definition);
    let parse_board =
        |text: &&str| G::set_up(&G::Rules::default(), &Diagram::from_cells(text)).expect("a position");
    let game_positions = random_positions::<G>();
    let all_positions: Vec<G> =
        game_positions.iter().cloned().chain(boards.iter().map(parse_board)).collect();
    let mut without_values = BTreeSet::new();
    for ((_, algorithm), manual) in definition.algorithms().zip(arena.manual()) {
        check_manual(&manual);
        check_strange_settings(&arena, &manual);
        let mut seen_games = BTreeSet::new();
        for example in std::iter::once(&manual.example).chain(manual.more_examples) {
            check_stops(algorithm, example, &all_positions);
            let entry = read_example_player(&arena, &AlgorithmManual { example, ..manual });
            let facts = entry.facts();
            // An external program may be missing.
            if facts.is_external() {
                continue;
            }
            let game = check_games(&entry);
            assert!(seen_games.insert(game), "{example} plays what an earlier example plays");
            if !facts.is_reproducible {
                continue;
            }
            let configuration = (algorithm.read_settings)(algorithm, &parse_example(example))
                .expect("an example has no mistakes");
            check_forgetting(&entry);
            check_begin(&*configuration.recipe, &entry, &all_positions);
            if game_positions.iter().any(|position| check_answer(&*configuration.recipe, &entry, position)) {
                without_values.insert(algorithm.name);
            }
            if *example == manual.example {
                check_against_table(&*configuration.recipe, &entry);
                check_panics(&*configuration.recipe, algorithm.name);
            }
        }
    }
    without_values
}

/// Checks that names are in kebab-case and unique in the game.
///
/// # Panics
/// If a player breaks the law.
pub fn check_names<G: Game>(definition: &'static GameDefinition<G>) {
    let manual = Arena::new(definition).manual();
    let names: BTreeSet<_> = manual.iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), manual.len(), "{names:?}");
    for name in names {
        let is_lowercase_word =
            |part: &str| !part.is_empty() && part.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9'));
        assert!(name.split('-').all(is_lowercase_word), "`{name}` is not in kebab-case");
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
    let entry = arena.read_entry(&rules, manual.name, &parse_example(manual.example));
    entry.unwrap_or_else(|mistakes| panic!("the example of {}: {mistakes:?}", manual.name))
}

/// Step of a game as text without the values of moves, the move, its value, and the values of all
/// moves.
type ReplayedStep = (String, Option<String>, Option<f64>, Vec<(String, f64)>);

/// Returns every step of a game and its record. Fails if a move is illegal or the player gives up.
fn replay(entry: &Entry, seed: u64, asks_values: bool) -> (Vec<ReplayedStep>, GameRecord) {
    let mut steps = Vec::new();
    let mut show = |step: &ReplayStep| {
        let text = format!("{:?}", ReplayStep { move_values: &[], table: None, ..*step });
        steps.push((text, step.mv.map(str::to_owned), step.value, step.move_values.to_vec()));
    };
    let game = ReplayRequest { block: Block::from_seed(seed), leg: 0, asks_values };
    let (record, complaint) =
        arena::replay(&entry.lineup(), Some(MOVES), game, &BuildContext::default(), &mut show)
            .expect("a game");
    assert_eq!(complaint, None, "{entry:?} ended the game of seed {seed}");
    assert!(record.ending.seat_at_fault().is_none(), "{entry:?}: {record:?}");
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
    let long_lines: Vec<&str> =
        manual.example.lines().skip(1).filter(|line| line.chars().count() > 78).collect();
    assert!(long_lines.is_empty(), "{}: wider than a terminal of 80 columns: {long_lines:#?}", manual.name);

    let table = tree::parse_table(manual.example);
    let algorithm_name = table.get("algorithm").and_then(|name| name.get_ref().as_text());
    assert_eq!(algorithm_name, Some(manual.name), "the example names another algorithm");
    // Every setting appears, with a value or in a comment that shows one.
    for setting in manual.settings {
        let shows_setting = |line: &str| {
            line.trim_start_matches(['#', ' '])
                .strip_prefix(setting)
                .is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        assert!(
            manual.example.lines().any(shows_setting),
            "`{setting}` is not in the example of {}",
            manual.name
        );
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
fn check_games(entry: &Entry) -> Vec<String> {
    let step_texts = |steps: &[ReplayedStep]| steps.iter().map(|step| step.0.clone()).collect::<Vec<_>>();
    let (steps, valued_steps) = (replay(entry, 1, false).0, replay(entry, 1, true).0);
    if entry.facts().is_reproducible {
        assert_eq!(step_texts(&steps), step_texts(&valued_steps), "{entry:?}");
        let other = replay(entry, 2, false).0;
        assert_ne!(step_texts(&steps), step_texts(&other), "{entry:?}: the seed sways nothing");
    }
    assert!(steps.iter().all(|(_, _, _, move_values)| move_values.is_empty()), "{entry:?}");
    check_values(entry, &valued_steps);
    step_texts(&steps)
}

/// Checks that a player chooses by the values that it reports.
fn check_values(entry: &Entry, steps: &[ReplayedStep]) {
    let valued_steps: Vec<_> =
        steps.iter().filter(|(_, _, _, move_values)| !move_values.is_empty()).collect();
    let mut suboptimal_count = 0;
    for (text, mv, value, move_values) in &valued_steps {
        let chosen = move_values.iter().find(|(name, _)| Some(name) == mv.as_ref());
        let &(_, move_value) = chosen.unwrap_or_else(|| panic!("{entry:?}: {text} {move_values:?}"));
        // A player with a time limit might have searched deeper if time had not run out.
        if entry.facts().is_reproducible {
            assert_eq!(Some(move_value), *value, "{entry:?}: {text} {move_values:?}");
        }
        suboptimal_count += usize::from(move_values.iter().any(|&(_, other)| other > move_value));
    }
    // A player may rate highest a direction that moves nothing, and fall back on another.
    assert!(
        2 * suboptimal_count <= valued_steps.len(),
        "{entry:?}: {suboptimal_count} of {}",
        valued_steps.len()
    );
}

/// Checks an answer to `gauntlet probe`: it contains the move, the counters and the values of moves
/// of a newly built player. Returns true if the player searches positions but has no values of
/// moves.
fn check_answer<G: Game>(recipe: &dyn Recipe<G>, entry: &Entry, position: &G) -> bool {
    let answer = entry.probe_position(&position.diagram(), 9, &BuildContext::default()).expect("an answer");
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
    let move_values = player.abilities().move_values(position);
    if !move_values.is_empty() {
        expected["values"] =
            move_values.iter().map(|&(mv, move_value)| (mv.to_string(), json!(move_value))).collect();
        let own_value =
            move_values.iter().find(|&&(weighed, _)| weighed == mv).map(|&(_, move_value)| move_value);
        let own_value = own_value.filter(|move_value| move_value.is_finite());
        assert_eq!(own_value, value, "{entry:?} on {position}");
    }
    for (name, count) in counters {
        assert!(expected.get(name).is_none(), "{entry:?} has a counter {name}, which has a meaning");
        expected[name] = count;
    }
    assert_eq!(answer, expected, "{entry:?} on {position}");
    move_values.is_empty() && nodes > 0
}

/// Checks that no game affects a later one. It plays games A, B and A again: the second A must
/// equal the first, even in another call. Both must equal the play of a new player.
fn check_forgetting(entry: &Entry) {
    let build_worker = |max_moves| entry.build_worker(max_moves).expect("an example builds its player");
    let (a, b) = (1, 2);
    for max_moves in [Some(MOVES), Some(7)] {
        let mut worker = build_worker(max_moves);
        let result = worker(&blocks([a, b]));
        assert!(result.complaints.is_empty(), "{:?}", result.complaints);
        let (first, second) = result.records.split_at(entry.shape().legs());
        assert_eq!(worker(&blocks([a])).records, first, "{entry:?}");
        assert_eq!(build_worker(max_moves)(&blocks([b])).records, second, "{entry:?}");
        if max_moves == Some(MOVES) {
            assert_eq!(first[0], replay(entry, a, false).1);
        }
    }
}

/// Checks that each choice after `begin`, with its counters, is that of a new player.
fn check_begin<G: Game>(recipe: &dyn Recipe<G>, entry: &Entry, positions: &[G]) {
    let build = || recipe.build(&BuildContext::default()).expect("an example builds its player");
    let mut used_player: Box<dyn Player<G>> = build();
    for position in positions.iter().rev() {
        let choose = |player: &mut dyn Player<G>| {
            table::begin(player, Seed::root(9).child("seat", 0));
            let choice = player.choose(position);
            (choice, player.abilities().counters())
        };
        assert_eq!(choose(&mut *used_player), choose(&mut *build()), "{entry:?} on {position}");
    }
}

/// Checks that the arena plays like the plain loop of `table`. The arena deals seats and tiles
/// internally and plays some games in parallel. Because its games are equal, tests with the plain
/// loop also hold for results.
fn check_against_table<G: Game>(recipe: &dyn Recipe<G>, entry: &Entry) {
    let mut worker = entry.build_worker(None).expect("an example builds its player");
    // Some players play whole games at once; others one by one, and those may be long.
    let mut player = recipe.build(&BuildContext::default()).expect("an example builds its player");
    let plays_at_once = player.play_games(&G::Rules::default(), &mut std::iter::empty()).is_some();
    let seeds = 0..if plays_at_once { 100 } else { 1 };
    let slice = worker(&blocks(seeds.clone()));
    assert!(slice.complaints.is_empty(), "{entry:?}: {:?}", slice.complaints);

    let build = |_| recipe.build(&BuildContext::default()).expect("an example builds its player");
    let mut players: Vec<Box<dyn Player<G>>> = G::INFO.shape.seats().iter().map(build).collect();
    let mut players: Vec<&mut dyn Player<G>> = players.iter_mut().map(|player| &mut **player as _).collect();
    for (block, slice_record) in seeds.zip(slice.records.into_iter().step_by(G::INFO.shape.legs())) {
        let mut expected = Vec::new();
        let final_position = table::play(&mut players, block, |before, mv, after| {
            if before.state().moves == 0 {
                expected.push((0, None, before.state().outcome, before.to_string()));
            }
            let mv = Some(mv.to_string());
            expected.push((after.state().moves, mv, after.state().outcome, after.to_string()));
        });
        let (facts, moves) = (final_position.state().facts, final_position.state().moves);
        let record =
            GameRecord { outcome: final_position.state().outcome, facts, moves, ending: Ending::GameOver };

        let mut steps = Vec::new();
        let mut show = |step: &ReplayStep| {
            steps.push((step.moves, step.mv.map(str::to_owned), step.outcome, step.position.to_owned()));
        };
        let replayed = entry.replay(None, block, &mut show).expect("an example builds its player");
        assert_eq!(replayed, (record, None), "{entry:?} on block {block}, replayed");
        assert_eq!(steps, expected, "{entry:?} on block {block}");
        assert_eq!(slice_record, record, "{entry:?} on block {block}, by the worker");
    }
}

/// Checks that a player that panics during a game leaves nothing behind that affects others on its
/// thread.
fn check_panics<G: Game>(recipe: &dyn Recipe<G>, name: &str) {
    // Panic in the middle of the first game, however long games are.
    let before = play_until::<G>(recipe, u32::MAX);
    let middle = before.len() as u32 / 2;
    let result = panic::catch_unwind(AssertUnwindSafe(|| play_until::<G>(recipe, middle)));
    assert!(result.is_err(), "{name}: {middle} moves were not reached");
    assert_eq!(play_until::<G>(recipe, u32::MAX), before, "{name}");
}

/// Returns the positions of a game in which the player panics at move `panic_move`.
fn play_until<G: Game>(recipe: &dyn Recipe<G>, panic_move: u32) -> Vec<String> {
    let mut player: Box<dyn Player<G>> =
        recipe.build(&BuildContext::default()).expect("an example builds its player");
    let mut game_rng = Seed::root(9).child("world", 0).rng();
    let mut position = G::open(&G::Rules::default(), Block::from_seed(9), &mut game_rng);
    let mut positions = Vec::new();
    table::begin(&mut *player, Seed::root(9).child("seat", 0));
    while position.to_move().is_some() && position.state().moves < MOVES {
        let choice = player.choose(&position).expect("a player that does not give up");
        assert!(position.state().moves < panic_move, "this player is broken on purpose");
        position.play(choice.mv, &mut game_rng).expect("a legal move");
        positions.push(position.to_string());
    }
    positions
}

/// Checks that a search stops immediately when asked, before it begins or during it. With the
/// deepest settings most of these searches would take years.
fn check_stops<G: Game>(algorithm: &Algorithm<G>, example: &str, positions: &[G]) {
    let configuration =
        (algorithm.read_settings)(algorithm, &parse_example(example)).expect("an example has no mistakes");
    let mut player = configuration.recipe.build(&BuildContext::default()).expect("a player");
    table::begin(&mut *player, Seed::root(9).child("seat", 0));
    let deepest_example = maximize_settings(algorithm, example);
    for position in positions {
        let Ok(Choice { nodes: 1.., .. }) = player.choose(position) else { continue };
        let configuration = (algorithm.read_settings)(algorithm, &parse_example(&deepest_example))
            .expect("settings within bounds");
        let flag = Arc::new(AtomicBool::new(true));
        let context = BuildContext { stop: Stop::from_flag(flag.clone()), ..BuildContext::default() };
        let mut player = configuration.recipe.build(&context).expect("a player");
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
    let mut game_rng = Seed::root(9).child("world", 0).rng();
    let mut player_rng = Seed::root(9).child("seat", 0).rng();
    let mut position = G::open(&G::Rules::default(), Block::from_seed(9), &mut game_rng);
    let mut positions = Vec::new();
    while let Some(mv) = position.random_move(&mut player_rng) {
        if position.state().moves % 40 == 0 {
            positions.push(position.clone());
        }
        position.play(mv, &mut game_rng).expect("a legal move");
    }
    positions
}

/// Returns an example with each whole number as large as the algorithm allows.
fn maximize_settings<G: Game>(algorithm: &Algorithm<G>, example: &str) -> String {
    let mut settings: toml::Table = example.parse().expect("an example is valid TOML");
    for key in settings.keys().cloned().collect::<Vec<_>>() {
        let Some(mut value) = settings[&key].as_integer() else { continue };
        let mut step = 1 << 30;
        while step > 0 {
            settings.insert(key.clone(), (value + step).into());
            if value <= i64::from(u32::MAX)
                && (algorithm.read_settings)(algorithm, &parse_example(&settings.to_string())).is_ok()
            {
                value += step;
            } else {
                step /= 2;
            }
        }
        settings.insert(key, value.into());
    }
    settings.to_string()
}

/// Checks that unknown settings are refused; ignoring them would be worse.
fn check_strange_settings(arena: &Arena, manual: &AlgorithmManual) {
    let (rules, _) = arena.read_rules(&SettingsTable::default());
    let strange_example = format!("{}\nno-such-setting = 1\n", manual.example);
    let mistakes = arena
        .read_entry(&rules, manual.name, &parse_example(&strange_example))
        .expect_err("a strange setting");
    assert_eq!(mistakes.len(), 1, "{}: {mistakes:?}", manual.name);
}
