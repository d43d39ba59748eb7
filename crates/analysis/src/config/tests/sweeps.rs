//! Players of sweeps: their number, their settings and their names.

use gauntlet_run::early_stop::EarlyStop;

use super::*;

#[test]
fn a_sweep_makes_a_player_of_each_combination() {
    let experiment = parse_valid(&format!(
        "{HEAD}seeds = [1]
        [[player]]
        name = 'g'
        algorithm = 'greedy'
        [player.sweep]
        order = [['up', 'down', 'left', 'right'], ['left', 'down', 'up', 'right']]
        ties = ['last', 'first']
        [[claim]]
        better = 'g order=up-down-left-right ties=first'
        than = 'g order=left-down-up-right ties=last'
        level = 0.9"
    ));
    let players = experiment.players().iter().map(|entry| (entry.name.as_str(), &entry.entry.settings));
    let (up, left) = (json!(["up", "down", "left", "right"]), json!(["left", "down", "up", "right"]));
    assert_eq!(
        players.collect::<Vec<_>>(),
        [
            ("g order=up-down-left-right ties=last", &json!({ "order": up, "ties": "last" })),
            ("g order=up-down-left-right ties=first", &json!({ "order": up, "ties": "first" })),
            ("g order=left-down-up-right ties=last", &json!({ "order": left, "ties": "last" })),
            ("g order=left-down-up-right ties=first", &json!({ "order": left, "ties": "first" })),
        ]
    );
    assert_eq!((experiment.sections().claims[0].player, experiment.sections().claims[0].rival), (1, 2));
}

/// Settings inside tables, and values of each kind.
#[test]
fn a_sweep_tries_weights() {
    #[derive(Debug, serde::Deserialize)]
    struct Settings {
        weights: gauntlet_games::twenty48::eval::Weights,
    }

    let text = "weights = { merges = 1, rank-power = { weight = -2 } }
        [sweep]
        weights.empty = [1, 'x', 2.5]
        weights.rank-power.power = [3, 0]
        weights.emty = [1]";
    let read_choices = |text: &str| {
        let mut table = tree::parse_table(text);
        let content = KeyContent::read(&table.remove("sweep").unwrap(), &mut Vec::new());
        let mut mistakes = Vec::new();
        let sweep = sweep::Sweep::read(&content, Some(&["weights"]), &table, &mut mistakes);
        assert_eq!(mistakes, []);
        let outcome = |choice| {
            let table = sweep.apply(&choice, &table);
            let result = gauntlet_core::settings::read::<Settings>(
                &SettingsTable { table, header: 0..0 },
                "weights = { empty = 1 }",
            );
            result.map(|settings| serde_json::to_string(&settings.weights).unwrap())
        };
        sweep.combinations().map(outcome).collect::<Vec<_>>()
    };
    let mistakes = read_choices(text).into_iter().flat_map(|outcome| outcome.expect_err("is mistaken"));
    let mut messages = mistakes
        .map(|mistake| format!("{}|{}", &text[mistake.span.unwrap()], mistake.message))
        .collect::<Vec<_>>();
    messages.sort();
    messages.dedup();
    let expected = [
        "'x'|must be a number, not a string",
        "0|must be above 0 and at most 16, such as 3.5",
        "emty|unknown key",
    ];
    assert_eq!(messages, expected);

    let valid_text = text.replace("'x', ", "").replace(", 0]", "]").replace("emty", "islands");
    let power = r#""rank-power":{"weight":-2.0,"power":3.0}"#;
    let expected =
        ["1.0", "2.5"].map(|empty| Ok(format!(r#"{{"empty":{empty},"islands":1.0,"merges":1.0,{power}}}"#)));
    assert_eq!(read_choices(&valid_text), expected);
}

#[test]
fn a_sweep_reaches_into_tables() {
    let text =
        "weights = { merges = 1 }\n[sweep]\nweights.empty = [0x10, -2.50]\n\"weights.max/tile\" = [true]
        budget = [{ depth = 3, x = [1, 2] }, 'a/b']\n";
    let mut table = tree::parse_table(text);
    let content = KeyContent::read(&table.remove("sweep").unwrap(), &mut Vec::new());
    let mut mistakes = Vec::new();
    let sweep = sweep::Sweep::read(&content, Some(&["weights", "budget"]), &table, &mut mistakes);
    assert_eq!(mistakes, []);
    let names = sweep.names("");
    assert_eq!(
        names,
        [
            " weights.empty=16 weights.max_tile=true budget=depth=3,x=1-2",
            " weights.empty=16 weights.max_tile=true budget=a_b",
            " weights.empty=-2.50 weights.max_tile=true budget=depth=3,x=1-2",
            " weights.empty=-2.50 weights.max_tile=true budget=a_b",
        ]
    );
    assert_eq!(sweep.probes().collect::<Vec<_>>(), [[0, 0, 0], [1, 0, 0], [0, 0, 1]]);
    let player_table = sweep.apply(&vec![1, 0, 1], &table);
    let tree::TomlValue::Table(weights) = player_table["weights"].get_ref() else { panic!("is a table") };
    let keys = weights.keys().map(|key| key.get_ref().as_str()).collect::<Vec<&str>>();
    assert_eq!(keys, ["merges", "empty", "max/tile"]);
}

/// Makes the players of a sweep over weights of an evaluation.
fn sweep_experiment(name: &str, sweep: &str) -> String {
    format!(
        "{HEAD}seeds = [1]\n[[player]]\nname = '{name}'\nalgorithm = 'swift-expectimax'\n[player.sweep]\n{sweep}\n"
    )
}

fn player_names(text: &str) -> Vec<String> {
    parse_valid(text).players().iter().map(|entry| entry.name.clone()).collect()
}

#[test]
fn names_of_a_sweep_are_shortened_where_one_is_too_long() {
    let five_lists = "weights.empty = [20.0, 2.50]\nweights.merges = [1.0, 700.0]\nweights.monotonicity-power.weight = [-47.0, -1e-9]\n\
                weights.rank-power.weight = [-11.0]\nweights.rank-power.power = [3.0, 3.5]";
    let names = player_names(&sweep_experiment("e", five_lists));
    assert_eq!(names.len(), 16);
    // The weight of rank-power is equal for all, but its key is swept as well.
    assert_eq!(names[0], "e empty=20 merges=1 monotonicity-power.weight=-47 rank-power.power=3");
    assert_eq!(names[15], "e empty=2.5 merges=700 monotonicity-power.weight=-1e-9 rank-power.power=3.5");
    // Names up to 100 bytes are not shortened.
    let exact = "weights.empty = [20.0]\nweights.merges = [1.0, 2]";
    assert_eq!(
        player_names(&sweep_experiment("e", exact)),
        ["e weights.empty=20.0 weights.merges=1.0", "e weights.empty=20.0 weights.merges=2"]
    );
    let (long_name, longer_name) = ("e".repeat(100 - 39), "e".repeat(100 - 38));
    let exact = "weights.empty = [20.0]\nweights.merges = [10.0, 2]";
    assert_eq!(
        player_names(&sweep_experiment(&long_name, exact))[0],
        format!("{long_name} weights.empty=20.0 weights.merges=10.0")
    );
    assert_eq!(
        player_names(&sweep_experiment(&longer_name, exact)),
        ["10", "2"].map(|merges| format!("{longer_name} merges={merges}"))
    );
    // If that is too long as well, a digest of the settings makes them unique.
    let name = "e".repeat(70);
    let names = player_names(&sweep_experiment(&name, five_lists));
    let (stem, digest) = names[0].rsplit_once(" #").expect("a digest");
    assert_eq!((stem, digest.len()), (format!("{name} empty=20").as_str(), 12));
    let distinct_names: BTreeSet<&String> = names.iter().collect();
    assert!(distinct_names.len() == 16 && names.iter().all(|name| name.len() <= 100), "{names:?}");
    // More values of a key change no other name.
    let more_names =
        player_names(&sweep_experiment(&name, &five_lists.replace("[3.0, 3.5]", "[3.0, 3.5, 4.0]")));
    assert!(names.iter().all(|name| more_names.contains(name)), "{more_names:?}");
    // Two numbers with equal short forms stay as written.
    let alike = format!("{five_lists}\n").replace("[20.0, 2.50]", "[20.0, 20]");
    assert!(player_names(&sweep_experiment("e", &alike))[0].starts_with("e empty=20.0 merges=1 "));
}

#[test]
fn a_pattern_makes_names_of_settings() {
    let names = player_names(&sweep_experiment(
        "e {depth} {weights.empty}",
        "depth = [1, 2]\nweights.empty = [20.0, 0.50]",
    ));
    assert_eq!(names, ["e 1 20", "e 1 0.5", "e 2 20", "e 2 0.5"]);
    // A setting that is neither swept nor written; and braces.
    assert_eq!(
        player_names(&sweep_experiment("{family} {{x}} {depth}", "depth = [1, 2]"))[1],
        "repository {x} 2"
    );
    assert_eq!(player_names(&sweep_experiment("e {{x}}", "depth = [1, 2]"))[1], "e {x} depth=2");
    let text =
        format!("{HEAD}seeds = [1]\n[[player]]\nname = 'o {{depth}}'\nalgorithm = 'ovolve'\ndepth = 3\n");
    assert_eq!(player_names(&text), ["o 3"]);
    // Long as a pattern, short as a name.
    let pattern = "e {weights.monotonicity-power.weight} {weights.monotonicity-power.power} {weights.rank-power.weight} \
                {weights.rank-power.power}";
    let sweep = "weights.rank-power.weight = [-1, -2]\nweights.monotonicity-power.weight = [-3.5]";
    assert_eq!(player_names(&sweep_experiment(pattern, sweep)), ["e -3.5 4 -1 3.5", "e -3.5 4 -2 3.5"]);
}

#[test]
fn players_are_named_by_their_settings() {
    let players =
        sweep_experiment("e {depth} {weights.empty}", "depth = [1, 2, 3]\nweights.empty = [20.0, 0.5]")
            + "[[player]]\nname = 'e'\nalgorithm = 'ovolve'\ndepth = 3\n";
    let claim =
        |player: &str, rival: &str| format!("{players}[[claim]]\nbetter = {player}\nthan = {rival}\n");
    let check = |player: &str, rival: &str, expected: (usize, usize)| {
        let experiment = parse_valid(&claim(player, rival));
        assert_eq!(
            (experiment.sections().claims[0].player, experiment.sections().claims[0].rival),
            expected,
            "{player} {rival}"
        );
    };
    let e = "name = 'e {depth} {weights.empty}'";
    check(&format!("{{ {e}, depth = 2, weights.empty = 20 }}"), "{ name = 'e' }", (2, 6));
    check(&format!("{{ {e}, depth = 0x3, weights = {{ empty = 0.50 }} }}"), "'e'", (5, 6));
    check(&format!("{{ {e}, depth = 1, \"weights.empty\" = 2e1 }}"), "'e 1 0.5'", (0, 1));
    let rest = format!(
        "[stop]\nbetter = {{ {e}, depth = 1, weights.empty = 20 }}\nthan = 'e'\n\
        [[published]]\nplayer = {{ name = 'e', algorithm = 'ovolve', depth = 3 }}\nwhat = 'win'\nvalue = 0.5\nsource = 's'\n"
    );
    let experiment = parse_valid(&format!("{players}{rest}"));
    let Some(EarlyStop::Comparison(stop)) = &experiment.sections().stop else { panic!("no stop") };
    assert_eq!((stop.better_player, stop.other_player, experiment.sections().published[0].player), (0, 6, 6));
}
