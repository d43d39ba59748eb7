//! `[tune]`, its candidates, and how it changes with the players.

use std::path::Path;

use gauntlet_analysis::config::changes::{CliOverrides, SettingOverride};
use gauntlet_analysis::config::{self, Catalog};
use gauntlet_core::arena::{Arenas, Entry};
use gauntlet_core::diagnostic::Mistakes;
use gauntlet_games::GAMES;
use gauntlet_methods::DEFAULT_METHOD;
use serde_json::json;

use super::*;
use crate::candidates::Candidates;

const HEAD: &str = "name = 'x'\ngame = '2048'\n";

fn parse(games: Arenas, text: &str) -> Result<Experiment, Mistakes> {
    config::parse(Catalog { sections: &[SECTION], ..Catalog::new(games) }, "x.toml", text)
}

fn parse_valid(text: &str) -> Experiment {
    parse(&GAMES, text).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// Returns the messages about a text, in order of position.
fn parse_mistakes(text: &str) -> Vec<String> {
    let mistakes = parse(&GAMES, text).expect_err("is mistaken");
    mistakes.list().iter().map(|mistake| mistake.message.clone()).collect()
}

/// Builds the tuned player with other values.
fn build_candidate(experiment: &Experiment, values: &[f64]) -> Result<Entry, Vec<Diagnostic>> {
    let tune = TuneSection::from_experiment(experiment).expect("there is one");
    Candidates { experiment, tune }.build_with_values(values)
}

const PLAYERS: &str = "seed = 1\ngames = 10
[[player]]
name = 'e'
algorithm = 'swift-expectimax'
weights = { empty = 20, rank-power = 2, max-rank = 2.5 }
depth = 3
[[player]]
name = 'swept {depth}'
algorithm = 'swift-expectimax'
adaptive = false
sweep.depth = [1, 2]
[[player]]
name = 'any'
algorithm = 'random'
";

fn experiment_with(tune: &str) -> String {
    format!("{HEAD}{PLAYERS}[tune]\n{tune}")
}

fn tune(text: &str) -> TuneSection {
    TuneSection::from_experiment(&parse_valid(&experiment_with(text))).expect("there is one").clone()
}

fn params(tune: &TuneSection) -> &[Param] {
    match &tune.field {
        CandidateSpace::Params { params, .. } => params,
        CandidateSpace::Players { .. } => panic!("is a race"),
    }
}

const SMALL: &str = "player = 'e'\nbudget = 400\n[tune.params]\n";

#[test]
fn a_tuning_is_what_its_section_says() {
    let minimal = tune(&format!("{SMALL}depth = {{ min = 1, max = 4 }}"));
    let depth = Param {
        key: "depth".to_owned(),
        min: 1.0,
        max: 4.0,
        scale: Scale::Linear,
        is_whole: true,
        choices: Vec::new(),
        start: 3.0,
        tied: Vec::new(),
    };
    let validate = ValidationPlan { games: 1000, level: Level::default(), sprt: None };
    assert_eq!(
        minimal,
        TuneSection {
            field: CandidateSpace::Params { player: 0, params: vec![depth.clone()], method: DEFAULT_METHOD },
            budget: 400,
            searches: 1,
            objective: Measure::Score,
            at_most_nodes: None,
            validate,
            explain: 0,
        }
    );
    let all = tune(
        "player = 'e'
        method = 'spsa'
        budget = 40_000
        objective = 'reach 1024'
        at_most_nodes = 500
        searches = 5
        explain = 200
        [tune.validate]
        games = 50
        difference = [0, 0.03]
        alpha = 0.01
        [tune.params]
        weights.empty = { min = 0, max = 500, start = 7 }
        'weights.rank-power' = { min = 0.1, max = 50, scale = 'log' }
        'weights.rank-power.power' = { min = 0.5, max = 4 }
        weights.max-rank = { tied_to = 'weights.empty' }",
    );
    assert_eq!((all.field.method(), all.budget, all.explain), ("spsa", 40_000, 200));
    assert_eq!(all.searches, 5);
    assert_eq!((all.objective.to_string().as_str(), all.at_most_nodes), ("reach 1024", Some(500.0)));
    let alpha = Risk::try_from(0.01).unwrap();
    let sprt = Sprt { from: 0.0, to: 0.03, alpha, beta: Risk::default(), elo: None };
    assert_eq!(all.validate, ValidationPlan { games: 50, level: Level::default(), sprt: Some(sprt) });
    let float = |key: &str, min, max, scale, start, tied: &[&str]| Param {
        key: key.to_owned(),
        min,
        max,
        scale,
        is_whole: false,
        choices: Vec::new(),
        start,
        tied: tied.iter().map(|&key| key.to_owned()).collect(),
    };
    assert_eq!(
        params(&all),
        [
            float("weights.empty", 0.0, 500.0, Scale::Linear, 7.0, &["weights.max-rank"]),
            float("weights.rank-power.weight", 0.1, 50.0, Scale::Log, 2.0, &[]),
            float("weights.rank-power.power", 0.5, 4.0, Scale::Linear, 3.5, &[]),
        ]
    );
    assert_eq!(
        tune(&format!("{SMALL}depth = {{ min = 1, max = 4 }}").replace("400", "20000")).validate.games,
        5000
    );
}

#[test]
fn what_the_player_does_not_set_starts_where_it_is_said() {
    let start = |text: &str| params(&tune(&format!("{SMALL}{text}"))).to_vec();
    let [param] = &start("weights.merges = { min = 0, max = 5, start = 1 }")[..] else { panic!("one") };
    assert_eq!((param.key.as_str(), param.start, param.is_whole), ("weights.merges", 1.0, false));
    let [param] = &start("weights.snake-power = { min = 0.5, max = 5, start = 1 }")[..] else {
        panic!("one")
    };
    assert_eq!((param.key.as_str(), param.start), ("weights.snake-power", 1.0));
}

#[test]
fn words_and_truths_are_chosen() {
    let text = experiment_with(&format!(
        "{SMALL}evaluation = {{ choices = ['repo-57', 'repo-117', 'corner-27'] }}\nadaptive = {{ choices = [true, false] }}"
    ));
    let text = text.replace("weights = { empty = 20, rank-power = 2, max-rank = 2.5 }\n", "");
    let experiment = parse_valid(&text);
    let tune = TuneSection::from_experiment(&experiment).expect("there is one");
    let [evaluation, adaptive] = params(tune) else { panic!("two") };
    assert_eq!([evaluation, adaptive].map(|param| (param.start, param.max)), [(1.0, 2.0), (0.0, 1.0)]);
    assert_eq!([0.0, 2.0].map(|value| evaluation.format_value(value)), ["repo-57", "corner-27"]);
    assert_eq!([0.0, 1.0].map(|value| adaptive.format_value(value)), ["true", "false"]);
    let settings = build_candidate(&experiment, &[2.0, 1.0]).expect("is sound").settings;
    assert_eq!((&settings["evaluation"], &settings["adaptive"]), (&json!("corner-27"), &json!(false)));
}

#[test]
fn mistakes_of_choices_are_told_at_their_places() {
    for (row, expected) in [
        ("adaptive = { choices = [true] }", "must have 2 to 64 choices"),
        ("adaptive = { choices = [true, true] }", "is listed twice"),
        ("adaptive = { choices = [true, false], min = 0 }", "is only for numbers"),
        ("depth = { choices = [1, 2] }", "for a number, use `min` and `max`"),
        (
            "evaluation = { choices = ['repo-57', 'x'] }",
            "the value of the player, \"repo-117\", is not one of the choices",
        ),
        ("evaluation = { choices = ['repo-117', 'x'] }", "the player rejects this value"),
        ("family = { choices = ['article', 7] }", "must be a string or a boolean"),
        ("adaptiv = { choices = [true, false] }", "unknown setting"),
        ("adaptive = { choices = [true, false], tied_to = 'depth' }", "only numbers can be tied"),
        (
            "adaptive = { choices = [true, false] }\ndepth = { tied_to = 'adaptive' }",
            "only numbers can be tied",
        ),
    ] {
        let text = experiment_with(&format!("{SMALL}{row}"));
        let text = text.replace("weights = { empty = 20, rank-power = 2, max-rank = 2.5 }\n", "");
        let messages = parse_mistakes(&text);
        assert!(messages.iter().any(|message| message.contains(expected)), "{row}: {messages:?}");
    }
}

#[test]
fn a_player_of_a_sweep_is_tuned() {
    let text = "player = { name = 'swept {depth}', depth = 2 }\nbudget = 1000\n[tune.params]\nempty_weight = { min = 1, max = 20 }";
    let experiment = parse_valid(&experiment_with(text));
    let tune = TuneSection::from_experiment(&experiment).expect("there is one");
    assert!(matches!(tune.field, CandidateSpace::Params { player: 2, .. }), "{tune:?}");
    let settings = build_candidate(&experiment, &[7.25]).expect("is sound").settings;
    assert_eq!(
        (&settings["depth"], &settings["empty_weight"], &settings["adaptive"]),
        (&json!(2), &json!(7.25), &json!(false))
    );
}

#[test]
fn a_race_is_between_players() {
    let players = |text: &str| match tune(&format!("method = 'race'\nbudget = 100\n{text}")).field {
        CandidateSpace::Players { players, .. } => players,
        CandidateSpace::Params { .. } => panic!("is no race"),
    };
    assert_eq!(players(""), [0, 1, 2, 3]);
    assert_eq!(players("player = 'swept {depth}'"), [1, 2]);
    assert_eq!(players("players = ['any', { name = 'swept {depth}', depth = 2 }]"), [3, 2]);
    assert_eq!(players("players = ['swept {depth}', 'e']"), [1, 2, 0]);
}

#[test]
fn candidates_have_their_values_to_the_last_bit() {
    let settings_text = "depth = { min = 1, max = 4 }
        weights.empty = { min = -500, max = 500 }
        weights.rank-power = { tied_to = 'weights.empty' }
        weights.merges = { min = 0, max = 5, start = 1 }
        empty_weight = { min = 0, max = 5 }";
    let text = experiment_with(&format!("{SMALL}{}", settings_text.rsplit_once('\n').expect("lines").0));
    let experiment = parse_valid(&text);
    let values: [f64; 6] = [0.1 + 0.2, 1e-300, -1.0 / 3.0, 499.999_999_999_999_94, 3.0, -0.0];
    for value in values {
        for values in [[1.0, value, 0.5], [4.4, -value, value.abs()]] {
            let settings = build_candidate(&experiment, &values).expect("is sound").settings;
            assert_eq!(settings["depth"], json!(values[0].round() as i64));
            let weight = |name: &str| settings["weights"][name].as_f64().map(f64::to_bits);
            assert_eq!(weight("empty"), Some((values[1] + 0.0).to_bits()));
            assert_eq!(settings["weights"]["rank-power"], json!({ "weight": values[1] + 0.0, "power": 3.5 }));
            assert_eq!(weight("merges"), Some((values[2] + 0.0).to_bits()));
            assert_eq!(weight("max-rank"), Some(2.5_f64.to_bits()), "what does not move stays");
        }
    }
    // A point within all ranges that the player refuses.
    let text = experiment_with(&format!("{SMALL}depth = {{ min = 1, max = 4 }}"));
    let mistakes = build_candidate(&parse_valid(&text), &[13.0]).expect_err("is refused");
    assert_eq!(mistakes[0].message, "must be at most 12");
}

/// A sequential test counts which player scores more, but a tuning optimizes the mean logarithm.
#[test]
fn scores_are_validated_after_all_games() {
    let text = |objective: &str| {
        experiment_with(&format!(
            "player = 'e'\nbudget = 400\n{objective}validate.difference = 0.02\n[tune.params]\ndepth = {{ min = 1, max = 4 }}"
        ))
    };
    assert!(parse(&GAMES, &text("objective = 'win'\n")).is_ok());
    let message = parse(&GAMES, &text("")).expect_err("is refused").to_string();
    assert!(message.contains("is only for rates"), "{message}");
}

#[test]
fn numbers_of_a_tuning_have_bounds() {
    let count_mistakes = |key: &str, value: &str, params: &str| {
        let budget = if key == "budget" { "" } else { "budget = 8000\n" };
        let line = if key.is_empty() { String::new() } else { format!("{key} = {value}\n") };
        let text = experiment_with(&format!(
            "player = 'e'\nobjective = 'win'\n{budget}{line}[tune.params]\n{params}"
        ));
        parse(&GAMES, &text).err().map(|mistakes| mistakes.list().len())
    };
    let depth = "depth = { min = 1, max = 4 }";
    for (key, valid, invalid) in [
        (
            "budget",
            &["400", "10_000_000_000"][..],
            &["100", "99", "0", "-1", "10_000_000_001", "99999999999999999999", "1e3"][..],
        ),
        ("searches", &["1", "16"], &["0", "17", "1.5"]),
        ("explain", &["0", "10_000_000_000"], &["-1", "10_000_000_001"]),
        ("at_most_nodes", &["1", "0.1e1", "1e15"], &["0", "0.9", "-1", "nan", "inf", "1e16"]),
        ("validate.games", &["2", "10_000_000_000"], &["1", "0", "-1", "10_000_000_001"]),
        ("validate.level", &["0.51", "0.999999998"], &["0.5", "1", "95", "0.999999999"]),
        (
            "validate.difference",
            &["0.000001", "[0, 0.999999]"],
            &["0", "[0, 0]", "[]", "1", "[-0.1, 0.1]", "[0.1, 0.2]"],
        ),
    ] {
        for value in valid {
            assert_eq!(count_mistakes(key, value, depth), None, "{key} = {value}");
        }
        for value in invalid {
            assert_eq!(count_mistakes(key, value, depth), Some(1), "{key} = {value}");
        }
    }
    // The first validation has half of the risk, which a stop accepts like a file does: down to the
    // least risk, and no further.
    let difference = "validate.difference = 0.02\nvalidate.alpha";
    for (risk, mistakes) in [("2e-9", None), ("0.2e-8", None), ("1e-9", Some(1)), ("0.49", None)] {
        assert_eq!(count_mistakes(difference, risk, depth), mistakes, "alpha = {risk}");
    }
    for (is_valid, range) in [
        (true, "min = -1e12, max = 1e12"),
        (true, "min = 19.999999999999996, max = 20"),
        (true, "min = 5e-324, max = 20, scale = 'log'"),
        (true, "min = -0.0, max = 20"),
        (false, "min = -1e16, max = 20"),
        (false, "min = nan, max = 20"),
        (false, "min = 20, max = 20"),
        (false, "min = 0, max = 1e12, scale = 'log'"),
        (false, "min = -inf, max = 20"),
    ] {
        let mistakes = count_mistakes("", "", &format!("weights.empty = {{ {range} }}"));
        assert_eq!(mistakes, (!is_valid).then_some(1), "{range}");
    }
}

#[test]
fn mistakes_of_a_tuning_are_told_together() {
    let check = |tune: &str, expected: &[&str]| {
        assert_eq!(parse_mistakes(&experiment_with(tune)), expected, "{tune}")
    };
    check(
        "",
        &["`[tune.params]` is missing: the settings to tune", "`budget` is missing", "`player` is missing"],
    );
    check("method = 'rase'\nbudget = 100", &["must be \"spsa\", \"cma-es\", \"model\" or \"race\""]);
    let race = "method = 'race'\nbudget = 1000\n";
    check(
        &format!("{race}searches = 2\nplayer = 'swept {{depth}}'\nparams.depth = {{}}"),
        &["a race is one search", "a race compares players and tunes no settings"],
    );
    check(&format!("{race}player = 'e'"), &["a race needs at least two players"]);
    check(
        &format!("{race}players = ['e', 'swept 1', 'swept {{depth}}', 'x']"),
        &["is listed twice", "unknown player"],
    );
    check(&format!("{SMALL}weights = {{ min = 1, max = 2 }}"), &["is not a number"]);
    check(SMALL, &["has no settings to tune"]);
    let rows =
        |count: u32| (0..count).map(|i| format!("x{i} = {{ min = 1, max = 2 }}\n")).collect::<String>();
    check(&format!("{SMALL}{}", rows(51)), &["has 51 settings; at most 50 can be tuned together"]);
    assert_eq!(parse_mistakes(&experiment_with(&format!("{SMALL}{}", rows(50)))), ["unknown setting"; 50]);
    // Each of these is accepted alone.
    check(
        &format!(
            "{SMALL}weights.empty = {{ min = -5, max = 20, start = 0 }}\nweights.rank-power = {{ min = -5, max = 5, start = 0 }}\nweights.max-rank = {{ min = -1, max = 5, start = 0 }}"
        ),
        &["the player rejects these starts together: must give weight to at least one feature"],
    );
    // The default method plays many initial points, each in duels.
    let duel = experiment_with(&format!("{SMALL}depth = {{ min = 1, max = 4 }}"))
        .replace("'2048'", "'duel'")
        .replace("budget = 400", "budget = 1000");
    let mut game = GAMES[0];
    (game.name, game.shape, game.facts) = ("duel", Shape::Duel, &[]);
    let games: Arenas = vec![game].leak();
    let experiment = parse(games, &duel).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert_eq!(TuneSection::from_experiment(&experiment).map(|tune| tune.objective), Some(Measure::Points));
    let limited_text = duel.replace("[tune.params]", "at_most_nodes = 5\n[tune.params]");
    let mistakes = parse(games, &limited_text).expect_err("is mistaken");
    assert_eq!(mistakes.list()[0].message, "is only for one-player games");
}

/// Players of which one is a sweep.
const SWEPT: &str = "seed = 1\ngames = 20
[[player]]
name = 'any'
algorithm = 'random'
[[player]]
name = 'e'
algorithm = 'swift-expectimax'
weights.empty = 2
[player.sweep]
depth = [1, 2]
weights.merges = [1, 2.5]
";

fn change(tune: &str, only: &[&str], set: &[&str]) -> Result<(Experiment, Vec<String>), String> {
    let mut changes = CliOverrides::default();
    changes.only.extend(only.iter().map(|&name| name.to_owned()));
    changes.settings.extend(set.iter().map(|set| set.parse::<SettingOverride>().expect("a setting")));
    let text = format!("{HEAD}{SWEPT}[tune]\nbudget = 1000\n{tune}");
    let catalog = Catalog { sections: &[SECTION], ..Catalog::new(&GAMES) };
    let outcome = config::load_with_changes(catalog, Path::new("x.toml"), text.into_bytes(), &changes);
    outcome.map(|outcome| (outcome.experiment, outcome.dropped_parts)).map_err(|error| error.to_string())
}

#[test]
fn a_tuning_stays_with_its_player() {
    let params = "[tune.params]\nweights.empty = { min = 0, max = 9 }";
    let one = format!("player = {{ name = 'e', depth = 2, weights.merges = 1 }}\n{params}");
    let excluded = ["the [tune], for excluded players"];
    let (experiment, dropped) = change(&one, &["any"], &[]).unwrap();
    assert_eq!(
        (TuneSection::from_experiment(&experiment), dropped),
        (None, excluded.map(str::to_owned).to_vec())
    );
    for only in [&["e"][..], &["e depth=2 weights.merges=1"], &["any", "e depth=2 weights.merges=1"]] {
        let (experiment, dropped) = change(&one, only, &[]).unwrap();
        let Some(CandidateSpace::Params { player, .. }) =
            TuneSection::from_experiment(&experiment).map(|tune| &tune.field)
        else {
            panic!("{only:?}")
        };
        assert_eq!(experiment.players()[*player].name, "e depth=2 weights.merges=1");
        assert!(dropped.is_empty(), "{dropped:?}");
    }
    let set = ["e depth=2 weights.merges=1:weights.empty=5"];
    let (experiment, _) = change(&one, &["e depth=2 weights.merges=1"], &set).unwrap();
    let Some(CandidateSpace::Params { params, .. }) =
        TuneSection::from_experiment(&experiment).map(|tune| &tune.field)
    else {
        panic!()
    };
    assert_eq!(params[0].start, 5.0);
    let set = [set[0].replace("=5", "=10")];
    let message = change(&one, &["e depth=2 weights.merges=1"], &[&set[0]]).unwrap_err();
    assert!(message.contains("10 is outside 0 to 9"), "{message}");
}

#[test]
fn a_race_goes_on_between_the_players_that_stay() {
    let check = |tune: &str, only: &[&str], expected: &[usize]| {
        let (experiment, dropped) = change(&format!("method = 'race'\n{tune}"), only, &[]).unwrap();
        let players = TuneSection::from_experiment(&experiment).map(|tune| match &tune.field {
            CandidateSpace::Players { players, .. } => &players[..],
            CandidateSpace::Params { .. } => panic!("is no race"),
        });
        let expected = (!expected.is_empty()).then_some(expected);
        assert_eq!((players, dropped.is_empty()), (expected, expected.is_some()), "{only:?}");
    };
    let [one, two] = ["e depth=1 weights.merges=2.5", "e depth=2 weights.merges=1"];
    for family in ["player = 'e'", "players = ['e']"] {
        check(family, &["e"], &[0, 1, 2, 3]);
        check(family, &["any", one, two], &[1, 2]);
        check(family, &["any", one], &[]);
    }
    check("", &["any", one], &[0, 1]);
    check("", &["any"], &[]);
    check("players = ['any', { name = 'e', depth = 2, weights.merges = 1 }]", &["any", two], &[0, 1]);
}
