use std::num::{NonZeroU32, NonZeroU64};

use gauntlet_core::game::Shape;
use gauntlet_core::measure::{Measure, Quantity};
use gauntlet_core::num::Level;
use gauntlet_core::rng::Seed;
use gauntlet_core::settings::SettingsTable;
use gauntlet_core::settings::content::KeyContent;
use gauntlet_games::GAMES;
use gauntlet_run::blocks::BlockSeeds;
use gauntlet_run::early_stop::EarlyStop;
use gauntlet_stats::{EloScale, EloTest};
use serde_json::json;

use super::*;
use claim::Claim;
use published::{PublishedNumber, PublishedValue, Statistic};

mod derivation;
mod sweeps;

const HEAD: &str = "name = 'x'\ngame = '2048'\n";

fn parse_valid(text: &str) -> Experiment {
    parse(Catalog::new(&GAMES), "x.toml", text).unwrap_or_else(|mistakes| panic!("{mistakes}"))
}

/// Returns the messages about a text, in order of position.
fn parse_mistakes(text: &str) -> Vec<String> {
    let mistakes = parse(Catalog::new(&GAMES), "x.toml", text).expect_err("is mistaken");
    mistakes.list().iter().map(|mistake| mistake.message.clone()).collect()
}

#[test]
fn a_player_without_a_name_has_that_of_its_algorithm() {
    let players = "[[player]]\nalgorithm = 'greedy'\n[[player]]\nalgorithm = 'random'\n";
    let claim = "[[claim]]\nbetter = 'greedy'\nthan = 'random'\n";
    let experiment = parse_valid(&format!("{HEAD}seed = 1\ngames = 10\n{players}{claim}"));
    let names: Vec<&str> = experiment.players().iter().map(|entry| &*entry.name).collect();
    assert_eq!(names, ["greedy", "random"]);
    let mistakes_with =
        |keys: &str| parse_mistakes(&format!("{HEAD}seed = 1\ngames = 10\n{players}[[player]]\n{keys}"));
    assert_eq!(
        mistakes_with("algorithm = 'random'\n"),
        ["duplicate name: \"random\" is at line 8, column 13"]
    );
    assert_eq!(mistakes_with("nmae = 'other'\nalgorithm = 'random'\n"), ["unknown key"]);
}

#[test]
fn an_experiment_is_what_its_file_says() {
    let text = format!(
        "{HEAD}seed = 7\ngames = 100\nwin = 1024\nuntil = 4096\nmax_moves = 5
        [[player]]
        name = 'a b'
        algorithm = 'random'
        [[player]]
        algorithm = 'greedy'
        name = 'c'
        ties = 'last'
        [[claim]]
        better = 'c'
        than = 'a b'
        [[published]]
        player = 'c'
        what = 'reach 2048'
        value = [0, 0.25]
        games = 10
        source = 'an article'
        [[published]]
        player = 'a b'
        what = 'score'
        value = 1100
        source = 'an article'"
    );
    let experiment = parse_valid(&text);
    assert_eq!(experiment.name(), "x");
    assert_eq!(experiment.arena().name, "2048");
    assert_eq!(
        experiment.rules().settings,
        json!({ "win": 1024, "win_by": "tile", "until": 4096, "idle_moves": "illegal" })
    );
    assert_eq!(*experiment.blocks(), BlockSeeds::Derived { seed: 7, games: 100 });
    assert_eq!(experiment.max_moves(), NonZeroU32::new(5));
    assert_eq!(experiment.text(), text);
    let [a, c] = experiment.players() else { panic!("{experiment:?}") };
    assert_eq!((a.name.as_str(), a.entry.algorithm), ("a b", "random"));
    assert_eq!((c.name.as_str(), c.entry.algorithm), ("c", "greedy"));
    let order = json!(["up", "right", "down", "left"]);
    assert_eq!(c.entry.settings, json!({ "order": order, "ties": "last" }));
    let claim = Claim { player: 1, rival: 0, measure: Measure::Win, level: Level::default(), margin: None };
    assert_eq!(experiment.sections().claims, [claim]);
    let published_number = |player, quantity, (low, high), games| {
        let value = published::ClosedRange::new(low, high).expect("a range");
        PublishedNumber {
            player,
            quantity,
            statistic: Statistic::Mean,
            value: PublishedValue::Number(value),
            games: NonZeroU64::new(games),
            family: None,
            note: None,
            source: "an article".to_owned(),
        }
    };
    let quantity = experiment.arena().measures().find("reach 2048").expect("a measure of 2048");
    let first_number = published_number(1, quantity, (0.0, 0.25), 10);
    assert_eq!(
        experiment.sections().published,
        [first_number, published_number(0, Quantity::Score, (1100.0, 1100.0), 0)]
    );
}

#[test]
fn a_published_number_says_what_it_is() {
    let text = format!(
        "{HEAD}seed = 7\ngames = 100\nplanned_games = 60
        [[player]]
        name = 'a'
        algorithm = 'random'
        [[published]]
        player = 'a'
        what = 'moves'
        statistic = 'median'
        value = 110
        games = 10
        family = 'an article'
        note = 'in a browser'
        source = 'x'
        [[published]]
        player = 'a'
        what = 'reach 64'
        value = 'some'
        source = 'x'"
    );
    let experiment = parse_valid(&text);
    let [moves, reach] = &experiment.sections().published[..] else { panic!("{experiment:?}") };
    assert_eq!((moves.quantity, moves.statistic), (Quantity::Moves, Statistic::Median));
    assert_eq!(moves.family.as_deref().zip(moves.note.as_deref()), Some(("an article", "in a browser")));
    assert_eq!((reach.value, reach.statistic, &reach.family), (PublishedValue::Some, Statistic::Mean, &None));
    // More games were added than planned.
    assert_eq!((experiment.planned_games(), experiment.extended_from()), (Some(60), Some(60)));
    let game_counts = |keys: &str| {
        let experiment = parse_valid(&text.replace("planned_games = 60", keys));
        (experiment.planned_games(), experiment.extended_from())
    };
    assert_eq!(game_counts("planned_games = 100"), (Some(100), None));
    assert_eq!(game_counts("extended_from = 10"), (None, Some(10)));
    assert_eq!(game_counts("planned_games = 100\nextended_from = 10"), (Some(100), Some(10)));
    assert_eq!(game_counts(""), (None, None));
}

#[test]
fn blocks_are_derived_or_listed() {
    let player = "[[player]]\nname = 'a'\nalgorithm = 'random'\n";
    let derived = parse_valid(&format!("{HEAD}seed = 7\ngames = 3\n{player}"));
    assert_eq!(derived.blocks().len(), 3);
    assert_eq!(derived.blocks().seed(2), Seed::block_seed(7, 2));
    let listed = parse_valid(&format!("{HEAD}seeds = [5, 0, 9223372036854775807]\n{player}"));
    assert_eq!(listed.blocks().len(), 3);
    assert_eq!(listed.blocks().seed(2), 9_223_372_036_854_775_807);
    assert_eq!(listed.max_moves(), None);
    parse_valid(&format!("{HEAD}seed = 0\ngames = 1_000_000_000\n{player}"));
}

/// Returns a duel that is 2048 except for its shape.
fn duels() -> Catalog {
    let mut duel = GAMES[0];
    (duel.name, duel.shape, duel.facts) = ("duel", Shape::Duel, &[]);
    Catalog::new(vec![duel].leak())
}

/// Makes a duel of players with these names.
fn duel_experiment(players: &[&str]) -> String {
    let player = |name| format!("[[player]]\nname = '{name}'\nalgorithm = 'random'\n");
    "name = 'x'\ngame = 'duel'\nseeds = [1]\n".to_owned() + &players.iter().map(player).collect::<String>()
}

/// Returns the messages about a duel.
fn messages(text: &str) -> Vec<String> {
    let mistakes = parse(duels(), "x.toml", text).expect_err("is mistaken");
    mistakes.list().iter().map(|mistake| mistake.message.clone()).collect()
}

const CLAIM: &str = "[[claim]]\nbetter = 'a'\nthan = 'b'\n";

#[test]
fn a_duel_has_pairs_points_and_times() {
    let (two_players, claim) = (duel_experiment(&["a", "b"]), CLAIM);
    let single_player =
        parse(duels(), "x.toml", &duel_experiment(&["a"])).expect("to be asked for its moves");
    assert!(single_player.pairs().is_empty());
    let error = parse(duels(), "x.toml", &duel_experiment(&[])).expect_err("is mistaken").to_string();
    assert_eq!(error, "x.toml: there is no player\n        help: each player begins with `[[player]]`");

    let experiment = parse(duels(), "x.toml", &format!("{two_players}{claim}by = 'ms'\n")).expect("is sound");
    assert_eq!(experiment.sections().claims[0].measure, Measure::MsPerMove);
    let experiment = parse(duels(), "x.toml", &format!("{two_players}{claim}")).expect("is sound");
    assert_eq!(experiment.sections().claims[0].measure, Measure::Points);
    assert_eq!(
        messages(&format!("{two_players}{claim}by = 'reach 2048'\n")),
        ["must be \"points\" or \"ms-per-move\""]
    );
    let three_players = duel_experiment(&["a", "b", "c"]);
    let pairs = |line: &str| {
        let text = three_players.replacen("seeds", &format!("pairings = {line}\nseeds"), 1);
        parse(duels(), "x.toml", &text).unwrap_or_else(|mistakes| panic!("{mistakes}")).pairs().to_vec()
    };
    assert_eq!(pairs("'round-robin'"), [[0, 1], [0, 2], [1, 2]]);
    assert_eq!(pairs("'gauntlet'"), [[0, 1], [0, 2]]);
    assert_eq!(pairs("[['c', 'a']]"), [[2, 0]]);
    let pairing_mistakes =
        |line: &str| messages(&three_players.replacen("seeds", &format!("pairings = {line}\nseeds"), 1));
    assert_eq!(pairing_mistakes("[['a', 'a']]"), ["a player cannot play against itself"]);
    assert_eq!(pairing_mistakes("[['a', 'b'], ['b', 'a']]"), ["duplicate pair"]);
    assert_eq!(pairing_mistakes("[['a', 'd']]"), ["unknown player"]);
    assert_eq!(pairing_mistakes("[['a']]"), ["must be two players, such as [\"a\", \"b\"]"]);
    assert_eq!(
        pairing_mistakes("[['a', 3]]"),
        ["must be the name of a player, or a table such as { name = \"e\", depth = 3 }, not a whole number"]
    );
    assert!(pairing_mistakes("'all'")[0].starts_with("must be \"round-robin\""));
    let partly_paired = three_players.replacen("seeds", "pairings = [['a', 'c']]\nseeds", 1);
    assert_eq!(
        messages(&format!("{partly_paired}{claim}")),
        ["these players do not play against each other"]
    );
    // A player with a mistake makes the pairings unknown.
    let text = three_players.replacen("seeds", "pairings = [['a', 'b'], ['a', 'c']]\nseeds", 1);
    let text = text.replacen("algorithm", "depth = -1\nalgorithm", 1);
    assert_eq!(messages(&format!("{text}[[claim]]\nbetter = 'b'\nthan = 'a'\n")).len(), 1);
    let odd_games = two_players.replace("seeds = [1]", "seed = 1\ngames = 3");
    let message = "each opening is played twice, with the colours swapped: the number of games must be even";
    assert_eq!(messages(&odd_games), [message]);
}

#[test]
fn a_duel_ends_by_elo() {
    let (two_players, claim) = (duel_experiment(&["a", "b"]), CLAIM);
    let partly_paired =
        duel_experiment(&["a", "b", "c"]).replacen("seeds", "pairings = [['a', 'c']]\nseeds", 1);
    let stop = "[stop]\nbetter = 'a'\nthan = 'b'\n";
    let stop_mistakes = |text: &str| messages(&format!("{two_players}{stop}{text}"));
    assert_eq!(stop_mistakes(""), ["`elo` is missing"]);
    let solo = "is only for one-player games; for two-player games use `elo`, such as `elo = [0, 5]`";
    assert_eq!(stop_mistakes("elo = 5\nby = 'points'\nmethod = 'sprt'\n"), [solo; 2]);
    assert_eq!(stop_mistakes("elo = 5\ndifference = 0.1\nlevel = 0.9\nprecision = 1\n"), [solo; 3]);
    for (elo, message) in [
        ("[5, 0]", "the lower difference must come first, and a single difference must be above 0"),
        ("0", "the lower difference must come first, and a single difference must be above 0"),
        ("[0, 2000]", "a difference in Elo must be from -1000 to 1000"),
        ("0.001", "the two differences must be at least 0.01 apart"),
        ("[0, 5, 10]", "must be one number, or two such as [0, 5]"),
        ("nan", "a difference in Elo must be from -1000 to 1000"),
    ] {
        assert_eq!(stop_mistakes(&format!("elo = {elo}\n")), [message], "{elo}");
    }
    let message = &stop_mistakes("elo = 300\nmodel = 'normalised'\n")[0];
    assert!(message.starts_with("a difference in normalised Elo must be from -200 to 200"), "{message}");
    let unknown = &stop_mistakes("elo = 5\nmodel = 'bayesian'\n")[0];
    assert!(unknown.contains("logistic") && unknown.contains("normalised"), "{unknown}");
    assert_eq!(
        messages(&format!("{partly_paired}{stop}elo = 5\n")),
        ["these players do not play against each other"]
    );
    let with_claim = format!("{two_players}{claim}{stop}elo = 5\n");
    assert!(parse(duels(), "x.toml", &with_claim).is_ok(), "points are tested at every look");
    let with_time_claim = with_claim.replacen(claim, &format!("{claim}by = 'ms-per-move'\n"), 1);
    assert_eq!(messages(&with_time_claim), ["a run with `[stop]` cannot test this measure"]);
    let text = format!("{two_players}{stop}elo = [-3, 2]\nmodel = 'normalised'\nalpha = 0.01\n");
    let experiment = parse(duels(), "x.toml", &text).expect("is sound");
    let Some(EarlyStop::Comparison(stop)) = &experiment.sections().stop else { panic!("another stop") };
    let test = EloTest { elo: [-3.0, 2.0], model: EloScale::Normalized, alpha: 0.01, beta: 0.05 };
    assert_eq!((stop.better_player, stop.other_player, stop.test.elo_test()), (0, 1, Some(test)));
}

#[test]
fn elo_is_of_games_of_two() {
    let text = "name = 'x'\ngame = '2048'\nseed = 1\ngames = 10\n[[player]]\nname = 'a'\nalgorithm = 'random'\n\
                [[player]]\nname = 'b'\nalgorithm = 'greedy'\n[stop]\nbetter = 'a'\nthan = 'b'\nelo = [0, 5]\n";
    let mistakes = parse(Catalog::new(&GAMES), "x.toml", text).expect_err("is mistaken").to_string();
    assert!(mistakes.contains("x.toml:14:7"), "{mistakes}");
    assert!(mistakes.contains("for one-player games use `difference`"), "{mistakes}");
    // NaN is no difference.
    let text = text.replace("elo = [0, 5]", "difference = nan");
    let mistakes = parse(Catalog::new(&GAMES), "x.toml", &text).expect_err("is mistaken").to_string();
    assert!(mistakes.contains("a difference must be from -0.999999"), "{mistakes}");
}

#[test]
fn a_list_of_ten_thousand_values_is_allowed_and_one_more_is_not() {
    let text = |count: u32| {
        let values = (0..count).map(|i| i.to_string()).collect::<Vec<_>>().join(", ");
        format!(
            "{HEAD}seeds = [1]\n[[player]]\nname = 'a'\nalgorithm = 'unknown'\n[player.sweep]\nx = [{values}]"
        )
    };
    assert_eq!(parse_mistakes(&text(10_000)), ["unknown algorithm for 2048"]);
    assert_eq!(
        parse_mistakes(&text(10_001)),
        ["unknown algorithm for 2048", "has more than 10000 combinations"]
    );
}

/// The parser reports an unclosed bracket many times.
#[test]
fn what_is_not_toml_is_reported_once() {
    assert_eq!(parse_mistakes("seeds = [1, 2\n[[player]]\nname = 'a'\nalgorithm = 'b'\n").len(), 1);
    assert_eq!(parse_mistakes("a = { b = 1, c = [\n[[player]]\nname = 'a'\nalgorithm = 'b'\n").len(), 1);
    assert_eq!(parse_mistakes("game = '2048'\nz = [1 2]\na = \nb = 1\nc = 'x\nd = 2\nd = 3\n").len(), 4);
    // No line of these belongs to an experiment.
    for foreign in ["player,games\na,1\n", "# A document\n\nof *words*\n", "{\n  \"a\": 1\n}\n", "a b\n"] {
        let mistakes = parse_mistakes(foreign);
        assert!(mistakes.len() == 1 && mistakes[0].starts_with("is not TOML: line "), "{mistakes:?}");
    }
}

#[test]
fn a_byte_order_mark_is_no_mistake() {
    let text = "\u{feff}name = 'x'\ngame = '2048'\nseeds = [1]\n[[player]]\nname = 'a'\nalgorithm = 'random'";
    parse_valid(text);
    let mistakes =
        parse(Catalog::new(&GAMES), "x.toml", &text.replacen("'x'", "''", 1)).unwrap_err().to_string();
    assert_eq!(mistakes, "x.toml:1:8  name = ''\n                   ^^ a name must not be empty");
}

/// Deep nesting must not exhaust the stack, and long lists must be refused within seconds.
#[test]
fn extreme_files_are_refused_in_good_time() {
    let repeat = |text: &str| text.repeat(20_000);
    for text in [
        repeat("["),
        format!("seeds = {}", repeat("[")),
        format!("seeds = {}", repeat("{a=")),
        format!("{}a = 1", repeat("a.")),
        format!("[{}a]", repeat("a.")),
        format!("seed = {}", repeat("9")),
        format!("name = '{}'", repeat("x")),
        format!("{HEAD}seeds = [{}]", repeat("1,")),
        format!("{HEAD}seeds = [{}]", repeat("-1,")),
        (0..20_000).map(|i| format!("key{i} = 1\n")).collect(),
        repeat("[[player]]\n"),
        repeat("[[claim]]\n"),
        repeat("[[published]]\n"),
        format!("{HEAD}{}", repeat("[[published]]\nplayer = 'a'\nwhat = 'win'\nvalue = [1, 0]\n")),
        format!("{HEAD}player = [{}]", repeat("1,")),
    ] {
        let mistakes = parse(Catalog::new(&GAMES), "x.toml", &text).unwrap_err();
        assert!(!mistakes.list().is_empty());
        let _ = Mistakes::new("x.toml", &text, mistakes.list()[..mistakes.list().len().min(100)].to_vec())
            .to_string();
    }
}

/// Pieces that are inserted into a text to damage it.
const TOKENS: &[&str] = &[
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "=",
    ".",
    ",",
    "\n",
    "'",
    "\"",
    "'''",
    "\"\"\"",
    "#",
    "-",
    "+",
    "0",
    "-1",
    "1e999",
    "nan",
    "inf",
    "0x",
    "9223372036854775808",
    "99999999999999999999999999999999999999999999",
    "1979-05-27T07:32:00Z",
    "true",
    "\\u0000",
    "\u{0}",
    "é",
    "数",
    "\u{301}",
    "\u{feff}",
    "\r\n",
    "\t",
    "name",
    "sweep",
    "[player.sweep]\n",
    "ties",
    "order",
    "{ a = { b = [1, { c = 2 }] } }",
    "[[1], ['up', 2]]",
    "seeds",
    "[player.sweep]\nties = ['first', 2, {}, []]\n",
    "[[claim]]\n",
    "[[published]]\nplayer = 'random'\nwhat = 'score'\nvalue = 5\nsource = 'x'\n",
    "until = 'x'\n",
    "win = 4.5\n",
];

/// Any text is either a valid experiment, or has mistakes that can be printed.
#[test]
fn nothing_panics() {
    let other = "name = 'x: y'\ngmae = '2048'\nseeds = [1, 2, -3]\nwin = 64\nuntil = 128\nmax_moves = 0
        player = [{ name = 'a', algorithm = 'greedy', ties = 'none', sweep = { order = [['up'], ['up', 'down',
        'left', 'right']], 'x.y' = [1, 2.5] } }, { algorithm = 'fixed-order', order.a.b = 1 }]
        [[claim]]\nbetter = 'b'\nthan = 'a'\nlevel = 1\n[[published]]\nplayer = 'a'\nwhat = 'reach 64'\n
        value = [0.5, 1]\ngames = 7\nsource = 'x'\n";
    let sources = [include_str!("../../../../configs/quick.toml"), other];
    let mut rng = Seed::root(1).rng();
    let mut below = |n: usize| rng.below(n as u64) as usize;
    for round in 0..4000 {
        let mut bytes = sources[round % 2].as_bytes().to_vec();
        damage(&mut bytes, &mut below);
        let text = String::from_utf8_lossy(&bytes);
        match parse(Catalog::new(&GAMES), "x.toml", &text) {
            Err(mistakes) => assert!(!mistakes.list().is_empty() && !mistakes.to_string().is_empty()),
            Ok(experiment) => assert_consistent(&experiment),
        }
    }
}

/// Changes some bytes of a text.
fn damage(bytes: &mut Vec<u8>, below: &mut dyn FnMut(usize) -> usize) {
    for _ in 0..=below(4) {
        let start = below(bytes.len());
        let end = (start + below(12)).min(bytes.len());
        match below(5) {
            0 => drop(bytes.drain(start..end)),
            1 => bytes[start] = below(256) as u8,
            2 => drop(bytes.splice(start..start, TOKENS[below(TOKENS.len())].bytes())),
            3 => drop(bytes.splice(start..end, TOKENS[below(TOKENS.len())].bytes())),
            _ => {
                let copied = bytes[start..end].to_vec();
                let target = below(bytes.len());
                bytes.splice(target..target, copied);
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
}

fn assert_consistent(experiment: &Experiment) {
    let names: BTreeSet<&String> = experiment.players().iter().map(|entry| &entry.name).collect();
    assert!(!names.is_empty() && names.len() == experiment.players().len());
    for claim in &experiment.sections().claims {
        assert_ne!(claim.player, claim.rival);
        assert!(claim.player.max(claim.rival) < experiment.players().len());
    }
    for published in &experiment.sections().published {
        assert!(published.player < experiment.players().len());
        let PublishedValue::Number(value) = published.value else { continue };
        assert!(0.0 <= value.low() && value.low() <= value.high());
        assert!(value.high() <= if published.quantity.is_rate() { 1.0 } else { f64::MAX });
    }
}
