//! `[tune]`, and its candidates.

use gauntlet_core::num::Risk;
use gauntlet_methods::USUAL;
use gauntlet_run::early_stop::Sprt;

use super::*;
use crate::config::derived::{DerivedHead, checked, derived};
use crate::config::tune::{Param, Scale, TuneSection, TuneTarget, ValidationPlan};

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

fn with(tune: &str) -> String {
    format!("{HEAD}{PLAYERS}[tune]\n{tune}")
}

fn tune(text: &str) -> TuneSection {
    good(&with(text)).sections().tune.as_ref().expect("there is one").clone()
}

fn params(tune: &TuneSection) -> &[Param] {
    match &tune.field {
        TuneTarget::Params { params, .. } => params,
        TuneTarget::Players { .. } => panic!("is a race"),
    }
}

const SMALL: &str = "player = 'e'\nbudget = 400\n[tune.params]\n";

#[test]
fn a_tuning_is_what_its_section_says() {
    let least = tune(&format!("{SMALL}depth = {{ min = 1, max = 4 }}"));
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
        least,
        TuneSection {
            field: TuneTarget::Params { player: 0, params: vec![depth.clone()], method: USUAL },
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
    let sprt = Sprt { from: 0.0, to: 0.03, alpha: Risk::try_from(0.01).unwrap(), beta: Risk::default() };
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
    let text = with(&format!(
        "{SMALL}evaluation = {{ choices = ['repo-57', 'repo-117', 'corner-27'] }}\nadaptive = {{ choices = [true, false] }}"
    ));
    let text = text.replace("weights = { empty = 20, rank-power = 2, max-rank = 2.5 }\n", "");
    let experiment = good(&text);
    let tune = experiment.sections().tune.as_ref().expect("there is one");
    let [evaluation, adaptive] = params(tune) else { panic!("two") };
    assert_eq!([evaluation, adaptive].map(|param| (param.start, param.max)), [(1.0, 2.0), (0.0, 1.0)]);
    assert_eq!([0.0, 2.0].map(|value| evaluation.shown(value)), ["repo-57", "corner-27"]);
    assert_eq!([0.0, 1.0].map(|value| adaptive.shown(value)), ["true", "false"]);
    let settings = experiment.candidate(&[2.0, 1.0]).expect("is sound").settings;
    assert_eq!((&settings["evaluation"], &settings["adaptive"]), (&json!("corner-27"), &json!(false)));
}

#[test]
fn mistakes_of_choices_are_told_at_their_places() {
    for (row, expected) in [
        ("adaptive = { choices = [true] }", "must have from 2 to 64 choices"),
        ("adaptive = { choices = [true, true] }", "is listed twice"),
        ("adaptive = { choices = [true, false], min = 0 }", "is of numbers"),
        ("depth = { choices = [1, 2] }", "a number has `min` and `max` in place of `choices`"),
        (
            "evaluation = { choices = ['repo-57', 'x'] }",
            "starts where the player sets it: \"repo-117\" is none",
        ),
        ("evaluation = { choices = ['repo-117', 'x'] }", "the player refuses this value"),
        ("family = { choices = ['article', 7] }", "must be a text, true or false"),
        ("adaptiv = { choices = [true, false] }", "there is no such setting"),
        ("adaptive = { choices = [true, false], tied_to = 'depth' }", "only numbers are tied"),
        ("adaptive = { choices = [true, false] }\ndepth = { tied_to = 'adaptive' }", "only numbers are tied"),
    ] {
        let text = with(&format!("{SMALL}{row}"));
        let text = text.replace("weights = { empty = 20, rank-power = 2, max-rank = 2.5 }\n", "");
        let said = said(&text);
        assert!(said.iter().any(|message| message.contains(expected)), "{row}: {said:?}");
    }
}

#[test]
fn a_player_of_a_sweep_is_tuned() {
    let text = "player = { name = 'swept {depth}', depth = 2 }\nbudget = 1000\n[tune.params]\nempty_weight = { min = 1, max = 20 }";
    let experiment = good(&with(text));
    let tune = experiment.sections().tune.as_ref().expect("there is one");
    assert!(matches!(tune.field, TuneTarget::Params { player: 2, .. }), "{tune:?}");
    let settings = experiment.candidate(&[7.25]).expect("is sound").settings;
    assert_eq!(
        (&settings["depth"], &settings["empty_weight"], &settings["adaptive"]),
        (&json!(2), &json!(7.25), &json!(false))
    );
}

#[test]
fn a_race_is_between_players() {
    let players = |text: &str| match tune(&format!("method = 'race'\nbudget = 100\n{text}")).field {
        TuneTarget::Players { players, .. } => players,
        TuneTarget::Params { .. } => panic!("is no race"),
    };
    assert_eq!(players(""), [0, 1, 2, 3]);
    assert_eq!(players("player = 'swept {depth}'"), [1, 2]);
    assert_eq!(players("players = ['any', { name = 'swept {depth}', depth = 2 }]"), [3, 2]);
    assert_eq!(players("players = ['swept {depth}', 'e']"), [1, 2, 0]);
}

#[test]
fn candidates_have_their_values_to_the_last_bit() {
    let moving = "depth = { min = 1, max = 4 }
        weights.empty = { min = -500, max = 500 }
        weights.rank-power = { tied_to = 'weights.empty' }
        weights.merges = { min = 0, max = 5, start = 1 }
        empty_weight = { min = 0, max = 5 }";
    let text = with(&format!("{SMALL}{}", moving.rsplit_once('\n').expect("lines").0));
    let experiment = good(&text);
    let values: [f64; 6] = [0.1 + 0.2, 1e-300, -1.0 / 3.0, 499.999_999_999_999_94, 3.0, -0.0];
    for value in values {
        for values in [[1.0, value, 0.5], [4.4, -value, value.abs()]] {
            let settings = experiment.candidate(&values).expect("is sound").settings;
            assert_eq!(settings["depth"], json!(values[0].round() as i64));
            let weight = |name: &str| settings["weights"][name].as_f64().map(f64::to_bits);
            assert_eq!(weight("empty"), Some((values[1] + 0.0).to_bits()));
            assert_eq!(settings["weights"]["rank-power"], json!({ "weight": values[1] + 0.0, "power": 3.5 }));
            assert_eq!(weight("merges"), Some((values[2] + 0.0).to_bits()));
            assert_eq!(weight("max-rank"), Some(2.5_f64.to_bits()), "what does not move stays");
        }
    }
    // A point within all ranges that the player refuses.
    let text = with(&format!("{SMALL}depth = {{ min = 1, max = 4 }}"));
    let said = good(&text).candidate(&[13.0]).expect_err("is refused");
    assert_eq!(said[0].message, "must be at most 12");
}

/// Players are written with all their settings, so settings must be read back unchanged.
#[test]
fn every_player_can_be_written_out() {
    for arena in GAMES.iter() {
        for manual in arena.manual() {
            for example in std::iter::once(&manual.example).chain(manual.more_examples) {
                let entrant = arena.enter_snippet(manual.name, example);
                let head = HEAD.replace("2048", arena.name);
                let any = good(&format!("{head}seeds = [1]\n[[player]]\nname = 'x'\nalgorithm = 'random'"));
                let head = DerivedHead { ending: "-made", seed: 1, games: 2 };
                let written = derived(&any, head, [("{x}", &entrant)]).expect("is sound");
                let made = checked(&any, written, "for a test").expect("is sound");
                assert!(made.entries()[0].entrant.settings == entrant.settings, "{}", made.text());
                assert_eq!(made.entries()[0].name, "{x}");
                let read = good(made.text());
                assert!(read.written == made.written && read.asks_the_same(&made), "{}", made.text());
            }
        }
    }
}

/// Names that are too long with a suffix are cut, and stay different if their beginnings are equal.
#[test]
fn names_that_are_cut_stay_apart() {
    let named = |name: &str, ending| {
        let text = format!("name = '{name}'\ngame = '2048'\n{PLAYERS}");
        let written = derived(&good(&text), DerivedHead { ending, seed: 1, games: 2 }, []).expect("is sound");
        written.name.value().expect("a name").get().to_owned()
    };
    // Names up to 100 bytes are not cut.
    let fits = "n".repeat(94);
    assert_eq!(named(&fits, "-tuned"), format!("{fits}-tuned"));
    for letter in ["n", "é"] {
        let common = letter.repeat(96 / letter.len());
        let cut: Vec<String> =
            ["one", "two", "one"].map(|end| named(&format!("{common}{end}"), "-validation-12")).into();
        assert_ne!(cut[0], cut[1]);
        assert_eq!(cut[0], cut[2]);
        for name in cut {
            assert!((99..=100).contains(&name.len()) && name.ends_with("-validation-12"), "{name}");
        }
    }
}

/// A mistake in a derived experiment is reported under its name, without a position: its text is in
/// no file.
#[test]
fn what_is_made_is_refused_without_a_place() {
    let any = good(&format!("{HEAD}{PLAYERS}"));
    let entrant = &any.entries()[0].entrant;
    let head = DerivedHead { ending: "-made", seed: 1, games: 2 };
    let written = derived(&any, head, [("twice", entrant), ("twice", entrant)]).expect("is written");
    let refused = checked(&any, written, "for a test").expect_err("is refused").to_string();
    assert!(refused.starts_with("x-made: several of the players would be called \"twice\"\n"), "{refused}");
}

/// A sequential test counts which player scores more, but a tuning optimizes the mean logarithm.
#[test]
fn scores_are_validated_after_all_games() {
    let text = |objective: &str| {
        with(&format!(
            "player = 'e'\nbudget = 400\n{objective}validate.difference = 0.02\n[tune.params]\ndepth = {{ min = 1, max = 4 }}"
        ))
    };
    assert!(parse(&GAMES, "x.toml", &text("objective = 'win'\n")).is_ok());
    let refused = parse(&GAMES, "x.toml", &text("")).expect_err("is refused").to_string();
    assert!(refused.contains("is of rates"), "{refused}");
}

#[test]
fn numbers_of_a_tuning_have_bounds() {
    let refused = |key: &str, value: &str, params: &str| {
        let budget = if key == "budget" { "" } else { "budget = 8000\n" };
        let line = if key.is_empty() { String::new() } else { format!("{key} = {value}\n") };
        let text = with(&format!("player = 'e'\nobjective = 'win'\n{budget}{line}[tune.params]\n{params}"));
        parse(&GAMES, "x.toml", &text).err().map(|mistakes| mistakes.list().len())
    };
    let depth = "depth = { min = 1, max = 4 }";
    for (key, good, bad) in [
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
        for value in good {
            assert_eq!(refused(key, value, depth), None, "{key} = {value}");
        }
        for value in bad {
            assert_eq!(refused(key, value, depth), Some(1), "{key} = {value}");
        }
    }
    // The first validation has half of the risk, which a stop accepts like a file does: down to the
    // least risk, and no further.
    let difference = "validate.difference = 0.02\nvalidate.alpha";
    for (risk, mistakes) in [("2e-9", None), ("0.2e-8", None), ("1e-9", Some(1)), ("0.49", None)] {
        assert_eq!(refused(difference, risk, depth), mistakes, "alpha = {risk}");
    }
    for (good, range) in [
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
        let refused = refused("", "", &format!("weights.empty = {{ {range} }}"));
        assert_eq!(refused, (!good).then_some(1), "{range}");
    }
}

#[test]
fn mistakes_of_a_tuning_are_told_together() {
    let check = |tune: &str, expected: &[&str]| assert_eq!(said(&with(tune)), expected, "{tune}");
    check(
        "",
        &[
            "`budget` is missing",
            "`player` is missing",
            "it is not said which settings move: `[tune.params]` is missing",
        ],
    );
    check("method = 'rase'\nbudget = 100", &["must be \"spsa\", \"cma-es\", \"model\" or \"race\""]);
    let race = "method = 'race'\nbudget = 1000\n";
    check(
        &format!("{race}searches = 2\nplayer = 'swept {{depth}}'\nparams.depth = {{}}"),
        &["a race is one search", "a race chooses between players and moves no settings"],
    );
    check(&format!("{race}player = 'e'"), &["a race needs at least two players"]);
    check(
        &format!("{race}players = ['e', 'swept 1', 'swept {{depth}}', 'x']"),
        &["is in the race already", "there is no such player"],
    );
    check(&format!("{SMALL}weights = {{ min = 1, max = 2 }}"), &["is no number"]);
    check(SMALL, &["names no setting that moves"]);
    let many =
        |count: u32| (0..count).map(|i| format!("x{i} = {{ min = 1, max = 2 }}\n")).collect::<String>();
    check(&format!("{SMALL}{}", many(51)), &["has 51 settings, and at most 50 can be tuned together"]);
    assert_eq!(said(&with(&format!("{SMALL}{}", many(50)))), ["there is no such setting"; 50]);
    // Each of these is accepted alone.
    check(
        &format!(
            "{SMALL}weights.empty = {{ min = -5, max = 20, start = 0 }}\nweights.rank-power = {{ min = -5, max = 5, start = 0 }}\nweights.max-rank = {{ min = -1, max = 5, start = 0 }}"
        ),
        &["the player refuses these starts together: must give weight to at least one feature"],
    );
    // The default method plays many initial points, each in duels.
    let duel = with(&format!("{SMALL}depth = {{ min = 1, max = 4 }}"))
        .replace("'2048'", "'duel'")
        .replace("budget = 400", "budget = 1000");
    let experiment = parse(duels(), "x.toml", &duel).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert_eq!(experiment.sections().tune.as_ref().map(|tune| tune.objective), Some(Measure::Points));
    let limited = duel.replace("[tune.params]", "at_most_nodes = 5\n[tune.params]");
    let mistakes = parse(duels(), "x.toml", &limited).expect_err("is mistaken");
    assert_eq!(
        mistakes.list()[0].message,
        "games of two do not tell which of both players looked at how many positions"
    );
}
