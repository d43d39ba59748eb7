//! Experiments of Gomoku with the program: run, resumed, sharded, compared, judged, shown, probed
//! and tuned.

use crate::bench::{Folder, Row, parse_csv_rows, play_in_new_folder};

const EXPERIMENT: &str = r#"
name = "g"
game = "gomoku"
seed = 20261122
games = 40
max_moves = 200

[[player]]
name = "chance"
algorithm = "random"

[[player]]
name = "rollouts"
algorithm = "flat-mc"
rollouts = 2

[[player]]
name = "tree"
algorithm = "mcts"
nodes = 60

[[claim]]
better = "rollouts"
than = "chance"
"#;

fn number(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

/// A player without a point has an open interval and does not widen the others'; an anchor has a
/// rating of 0.
#[test]
fn ratings_are_beside_an_anchor() {
    let greedy = "[[player]]\nname = \"greedy\"\nalgorithm = \"gomoku-greedy\"\n\n";
    let deep = "[[player]]\nname = \"deep\"\nalgorithm = \"gomoku-minimax\"\ndepth = 2\n\n";
    let (header, _) = EXPERIMENT.split_once("[[player]]\nname = \"rollouts\"").expect("players");
    let ratings_of = |folder: &Folder| parse_csv_rows(&folder.read("results/g/elo.csv"));
    let width = |row: &Row| number(row, "elo_high") - number(row, "elo_low");
    let with_chance = play_in_new_folder("g.toml", format!("{header}{greedy}{deep}"));
    let ratings = ratings_of(&with_chance);
    let [chance, greedy_rated, deep_rated] = &ratings[..] else { panic!("three players") };
    assert_eq!((&*chance["points_rate"], &*chance["elo_low"]), ("0.000000", ""));
    // Its upper bound follows from its share of the points: its nearest rival is no further away
    // than that.
    let duels = parse_csv_rows(&with_chance.read("results/g/duels.csv"));
    let share = duels.iter().find(|row| row["player"] == "chance").map(|row| number(row, "points_rate_high"));
    let elo_of_share = share.map(|share| 400.0 * (share / (1.0 - share)).log10()).expect("a duel of chance");
    let next_player = ratings.iter().find(|row| row["ahead_of"] == "chance").expect("a player above chance");
    assert_eq!(next_player["elo_ahead_high"], "");
    assert!(number(next_player, "elo_ahead_low") <= 1.0 - elo_of_share, "{next_player:?}, {elo_of_share}");
    assert!(number(chance, "elo_high") < number(next_player, "elo"), "{ratings:?}");
    let (_, bare_header) = header.split_once("[[player]]").map(|(head, _)| ((), head)).expect("players");
    let without_chance = ratings_of(&play_in_new_folder("g.toml", format!("{bare_header}{greedy}{deep}")));
    for (row, other) in [greedy_rated, deep_rated].into_iter().zip(&without_chance) {
        assert!(width(row) < 1.5 * width(other), "{row:?}, {other:?}");
    }
    let mean = number(greedy_rated, "elo") + number(deep_rated, "elo");
    assert!(mean.abs() < 0.2, "{mean}");

    let anchored_text = format!("anchor = \"greedy\"\n{header}{greedy}{deep}");
    let anchored_ratings = ratings_of(&play_in_new_folder("g.toml", &anchored_text));
    let [_, anchor, other] = &anchored_ratings[..] else { panic!("three players") };
    assert_eq!(["elo", "elo_low", "elo_high"].map(|column| &*anchor[column]), ["0.0"; 3]);
    let [leader, follower] = if number(other, "elo") > 0.0 { [other, anchor] } else { [anchor, other] };
    assert_eq!(leader["ahead_of"], follower["player"]);
    assert!((number(leader, "elo_ahead") - number(other, "elo").abs()).abs() < 0.15);

    let bad_folder = Folder::with_file("g.toml", format!("anchor = \"nobody\"\n{header}{greedy}"));
    let output = bad_folder.run("run g.toml").assert_status(2);
    assert!(output.stderr.contains("nobody"), "{}", output.stderr);
}

/// If a test is newer than the games, a claim that it answers says so. Here it is the test of
/// points.
#[test]
fn a_claim_on_older_games_says_that_its_test_is_younger() {
    let folder = play_in_new_folder("g.toml", EXPERIMENT);
    let answer = || parse_csv_rows(&folder.read("results/g/claims.csv"))[0]["answer"].clone();
    let message = "the test was changed after these games were seen";
    assert!(!answer().contains(message));
    let manifest = folder.read("results/g/manifest.toml");
    assert!(manifest.contains("\nrules = 3\n"), "{manifest}");
    folder.write("results/g/manifest.toml", manifest.replace("\nrules = 3\n", "\nrules = 1\n"));
    folder.run("judge results/g").assert_status(0);
    assert!(answer().ends_with(message), "{}", answer());
    // All unannounced comparisons of these games say so.
    let message = "he test of points was changed after the games of results";
    folder.run("report results/g --out g.html").assert_status(0);
    let texts = [
        folder.run("compare results/g --all-pairs").assert_status(0).stderr,
        folder.run("rank results/g").assert_status(0).stderr,
        folder.read("g.html"),
    ];
    assert!(texts.iter().all(|text| text.contains(message)), "{texts:?}");
}

/// The games are equal on any number of threads, in shards, and after an interruption; every table
/// adds them up.
#[test]
fn a_duel_is_the_same_however_it_is_played() {
    let file = EXPERIMENT.replace("games = 40", "size = 9\ngames = 40");
    let folder = play_in_new_folder("g.toml -j 1", &file);
    let games = folder.read("results/g/games.csv");
    folder.run("run g.toml -q -j 3 --results many").assert_status(0);
    assert_eq!(folder.read("many/g/games.csv"), games);
    for shard in ["2/2", "1/2"] {
        folder.run(&format!("run g.toml -q --results parts --shard {shard}")).assert_status(0);
    }
    folder.run("merge g.toml --results parts").assert_status(0);
    assert_eq!(folder.read("parts/g/games.csv"), games);
    // First fewer games, then all.
    folder.play("few.toml --results grown", file.replace("games = 40", "games = 12"));
    folder.run("run g.toml -q --results grown").assert_status(0);
    assert_eq!(folder.read("grown/g/games.csv"), games);

    let games = parse_csv_rows(&games);
    assert_eq!(games.len(), 3 * 40);
    for pair in games.chunks(2) {
        assert_eq!((&pair[0]["first"], &pair[0]["second"]), (&pair[1]["second"], &pair[1]["first"]));
        assert_eq!((&pair[0]["opening"], &pair[0]["seed"]), (&pair[1]["opening"], &pair[1]["seed"]));
    }
    let openings: std::collections::BTreeSet<&String> = games.iter().map(|game| &game["opening"]).collect();
    assert_eq!(openings.len(), 20, "each pair has an opening of its own");
    for duel in parse_csv_rows(&folder.read("results/g/duels.csv")) {
        let duel_games = games.iter().filter(|game| {
            [&game["first"], &game["second"]].contains(&&duel["player"])
                && [&game["first"], &game["second"]].contains(&&duel["against"])
        });
        let is_won = |game: &&Row| game["winner"] != "none" && game[&game["winner"]] == duel["player"];
        let duel_games: Vec<_> = duel_games.collect();
        assert_eq!(number(&duel, "games"), duel_games.len() as f64);
        assert_eq!(number(&duel, "wins"), duel_games.iter().filter(|game| is_won(game)).count() as f64);
        let black = duel_games.iter().filter(|game| is_won(game) && game["winner"] == "first").count();
        assert_eq!(number(&duel, "first_wins"), black as f64);
        let points = (number(&duel, "wins") + number(&duel, "draws") / 2.0) / number(&duel, "games");
        assert!((number(&duel, "points_rate") - points).abs() < 1e-6, "{duel:?}");
        let pairs: f64 = ["pairs_0", "pairs_0_5", "pairs_1", "pairs_1_5", "pairs_2"]
            .map(|column| number(&duel, column))
            .iter()
            .sum();
        assert_eq!(2.0 * pairs, number(&duel, "games"));
    }
    let ratings = parse_csv_rows(&folder.read("results/g/elo.csv"));
    // The player without a point has an open lower bound, and does not affect the origin.
    let (without_points, with_points): (Vec<&Row>, Vec<&Row>) =
        ratings.iter().partition(|row| row["player"] == "chance");
    assert_eq!((&*without_points[0]["points_rate"], &*without_points[0]["elo_low"]), ("0.000000", ""));
    let sum: f64 = with_points.iter().map(|row| number(row, "elo")).sum();
    assert!(sum.abs() < 0.2, "the mean is 0: {ratings:?}");
    for row in with_points {
        assert!(
            number(row, "elo_low") < number(row, "elo") && number(row, "elo") < number(row, "elo_high"),
            "{row:?}"
        );
    }
    let claim = &parse_csv_rows(&folder.read("results/g/claims.csv"))[0];
    assert_eq!((&*claim["by"], &*claim["verdict"]), ("points", "confirmed"), "{claim:?}");
}

/// Every command that reads results accepts results of a duel.
#[test]
fn every_command_knows_duels() {
    let folder = Folder::with_file("g.toml", EXPERIMENT);
    folder.run("check g.toml").assert_status(0).assert_says("chance against rollouts, 40 games to play");
    folder.run("run g.toml -q").assert_status(0);
    let claims = folder.read("results/g/claims.csv");
    folder.run("judge g.toml").assert_status(0);
    assert_eq!(folder.read("results/g/claims.csv"), claims);
    folder.run("compare results/g").assert_status(0).assert_says("by points:");
    folder.run("compare results/g --matrix").assert_status(0).assert_says("by points: rows against columns");
    folder.run("rank results/g").assert_status(0).assert_says("elo [95 %]");
    folder.run("status g.toml").assert_status(0).assert_says("complete");
    folder.run("report results/g").assert_status(0).assert_says("elo difference");
    folder
        .run("report results/g --table duels --format csv")
        .assert_status(0)
        .assert_says("player,against,games");
    folder.run("report results/g --out page.html").assert_status(0);
    let page = folder.read("page.html");
    assert!(page.contains("Results of each pair") && page.contains("Ratings"));
    folder.run("compare results/g --by win").assert_status(2);
    folder
        .run("show results/g --player tree --against chance --block 3 --leg 1")
        .assert_status(0)
        .assert_says("after");
    folder.run("show results/g --player tree").assert_status(2);
    folder.run("show results/g --player tree --against chance --best").assert_status(2);

    let show = "show results/g --player tree --against chance --block 3";
    folder.run(&format!("{show} --sgf game.sgf")).assert_status(0);
    folder.run(&format!("{show} --sgf game.sgf")).assert_status(1).assert_says("cannot write game.sgf");
    let last_board = |text: &str| -> String {
        let rows = text.lines().filter(|line| line.contains('·'));
        rows.map(|line| line.chars().take(34).collect::<String>()).collect::<Vec<_>>().join("\n")
    };
    let replayed = folder.run(&format!("{show} --last")).assert_status(0);
    let from_sgf = folder.run("show game.sgf --last").assert_status(0);
    assert_eq!(last_board(&from_sgf.stdout), last_board(&replayed.stdout));
    assert!(!last_board(&from_sgf.stdout).is_empty());
    folder.write("bad.sgf", "(;GM[4];B[zz])");
    folder.run("show bad.sgf").assert_status(2).assert_says("[zz] is not a point");
}

/// A single player is asked for its moves, and does not play.
#[test]
fn one_player_is_probed() {
    let folder = Folder::new();
    let experiment = "name = \"one\"\ngame = \"gomoku\"\nseed = 1\ngames = 2\n[[player]]\nname = \"a\"\nalgorithm = \"random\"\n";
    folder.write("one.toml", experiment);
    folder.run("run one.toml").assert_status(2).assert_says("gomoku needs two players");
    folder.run("check one.toml").assert_status(0);
    let probe = |board: String, to_move: &str| {
        let question = format!("{{\"id\": 7, \"board\": \"{board}\"{to_move}}}");
        folder.run_with("probe --experiment one.toml", &question)
    };
    // All cells but one have stones, without five in a row.
    let full: String =
        (0..225).map(|cell| if (cell % 15 / 2 + cell / 15) % 2 == 0 { 'B' } else { 'W' }).collect();
    let output = probe(format!(".{}", &full[1..]), ", \"to_move\": \"W\"").assert_status(0);
    let answer: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(answer["players"]["a"]["move"], "a1");
    assert_eq!(answer["players"]["a"]["cell"], 0);
    assert_eq!((&answer["id"], &answer["over"]), (&7.into(), &false.into()));
    probe(".".repeat(224), "")
        .assert_status(2)
        .assert_says("found 224 cells, but a board of size 15 has 225");
    probe(format!("{}{}", "B".repeat(3), ".".repeat(222)), "")
        .assert_status(2)
        .assert_says("add the colour to move");
    probe(".".repeat(225), ", \"to_move\": \"black\"").assert_status(2).assert_says("must be \"B\" or \"W\"");
    let five_output =
        probe(format!("{}{}", "B".repeat(5), ".".repeat(220)), ", \"to_move\": \"W\"").assert_status(0);
    let answer: serde_json::Value = serde_json::from_str(&five_output.stdout).expect("JSON");
    assert_eq!((&answer["over"], &answer["players"]["a"]["move"]), (&true.into(), &serde_json::Value::Null));
}

/// Openings in the file are checked against the board and the number of games.
#[test]
fn openings_are_those_of_the_file() {
    let folder = Folder::new();
    let with_line = |line: &str, games: u64| {
        EXPERIMENT
            .replace("games = 40", &format!("games = {games}\n{line}"))
            .replace("nodes = 60", "nodes = 2")
    };
    folder.play("g.toml", with_line("openings = ['h8 i9', '1,0, 0,-1, 2,2']", 8));
    let games = parse_csv_rows(&folder.read("results/g/games.csv"));
    let openings: Vec<&str> = games[..8].iter().step_by(2).map(|game| &*game["opening"]).collect();
    assert_eq!(openings, ["h8 i9", "i8 h7 j10", "h8 g9", "g8 h7 f10"]);
    let assert_refused = |line: &str, games: u64, message: &str| {
        folder.write("bad.toml", with_line(line, games));
        folder.run("check bad.toml").assert_status(2).assert_says(message);
    };
    assert_refused(
        "openings = 'gomocup'",
        194,
        "only 96 different openings, and each is played twice: at most 192 games",
    );
    assert_refused("openings = 'empty'", 4, "only 1 different openings");
    assert_refused("openings = ['h8 h8']", 4, "contains h8 twice");
    assert_refused(
        "openings = ['h8', 'g8 h9', 'i8 h7']",
        4,
        "opening 3 is a rotation or reflection of opening 2",
    );
    assert_refused("size = 9\nopenings = ['a1 j10']", 4, "j10 of the opening");
    assert_refused("size = 9\nopenings = 'gomocup'", 4, "need a board of size 15");
    assert_refused("openings = 'gomocup'\nopening_stones = 3", 4, "only for generated openings");
    assert_refused("openings = 'h8'", 4, "openings");
    assert_refused("size = 4", 4, "from 5 to 25");
    assert_refused("pairings = [['chance', 'nobody']]", 4, "unknown player");
    assert_refused("openings = 'empty'\npairings = 'gauntlet'", 4, "only 1 different openings");
    // Pairings of excluded players are excluded, too.
    folder.play(
        "some.toml --only chance --only tree --name some",
        with_line("pairings = [['chance', 'rollouts'], ['tree', 'chance']]", 2),
    );
    assert_eq!(parse_csv_rows(&folder.read("results/some/duels.csv")).len(), 1);
    folder
        .run("check some.toml --only rollouts --only tree")
        .assert_status(2)
        .assert_says("none of the remaining players play against each other");
    folder
        .run("run some.toml --precision 1")
        .assert_status(2)
        .assert_says("--precision 1: is only for one-player games; for two-player games use `elo`");
    // Two different games have no common measure.
    folder.write(
        "s.toml",
        "name='s'\ngame='2048'\nseed=1\ngames=4\n[[player]]\nname='x'\nalgorithm='random'\n",
    );
    folder.run("run s.toml -q").assert_status(0);
    folder.run("compare results/s results/some").assert_status(2).assert_says("points");
    // Cut games are reported.
    folder.write("cut.toml", with_line("", 4).replace("max_moves = 200", "max_moves = 3"));
    folder.run("run cut.toml --name cut").assert_status(0).assert_says("were cut by `max_moves`");
    // Listed seeds may draw one opening twice.
    let listed_seeds = EXPERIMENT
        .replace("seed = 20261122\ngames = 40", "seeds = [0, 12]\nopenings = 'gomocup'\n")
        .replace("'gomocup'\n", "['h8 i9']");
    folder.write("listed.toml", listed_seeds);
    folder.run("check listed.toml").assert_status(2).assert_says("have the same opening");
    // Groups that never met have no common scale.
    let four = with_line("pairings = [['chance', 'rollouts'], ['tree', 'fourth']]", 4)
        + "[[player]]\nname = 'fourth'\nalgorithm = 'random'\n";
    folder.write("four.toml", four);
    folder
        .run("run four.toml")
        .assert_status(0)
        .assert_says("these groups of players never met: chance, rollouts; tree, fourth");
}

/// A list of 100,000 openings is parsed once with the rules, not for each opening or game. Repeated
/// parsing took 32 CPU seconds for `check`, and 3 more for each 100 games. The system limit is on
/// CPU time, so it does not depend on other load.
#[cfg(target_os = "linux")]
#[test]
fn a_long_list_of_openings_is_read_once() {
    let folder = Folder::new();
    // Only the first stone is on the border, in the left half of the first row, so no two openings
    // are images of each other.
    let inner: Vec<String> =
        (0..169).map(|cell| format!("{}{}", char::from(b'b' + cell % 13), 2 + cell / 13)).collect();
    let pairs = inner.iter().flat_map(|one| inner.iter().map(move |other| (one, other)));
    let pairs = pairs.filter(|(one, other)| one != other);
    let triples =
        pairs.flat_map(|(one, other)| ('b'..='g').map(move |row| format!("'{row}1 {one} {other}'")));
    let openings: Vec<String> = triples.take(100_000).collect();
    let players =
        "[[player]]\nname = 'x'\nalgorithm = 'random'\n[[player]]\nname = 'y'\nalgorithm = 'random'\n";
    let text = |games: u32| {
        format!(
            "name = 'long'\ngame = 'gomoku'\nseed = 1\ngames = {games}\nmax_moves = 2\nopenings = [{}]\n{players}",
            openings.join(", ")
        )
    };
    folder.write("long.toml", text(200_000));
    let output = folder.shell("ulimit -t 10; gauntlet check long.toml").assert_status(0);
    assert!(
        output.stdout.contains("and 99,992 more]") && output.stdout.len() < 2_000,
        "{} bytes",
        output.stdout.len()
    );
    folder.write("long.toml", text(2_000));
    folder.shell("ulimit -t 10; gauntlet run long.toml --quiet --threads 1").assert_status(0);
    assert_eq!(parse_csv_rows(&folder.read("results/long/games.csv")).len(), 2_000);
}

/// A duel is tuned with pairs of games against the start.
#[test]
fn a_duel_is_tuned() {
    let folder = Folder::with_file(
        "t.toml",
        "name = 't'\ngame = 'gomoku'\nseed = 1\ngames = 2\nsize = 7\n[[player]]\nname = 'a'\nalgorithm = 'mcts'\nnodes = 4\n\
         [tune]\nplayer = 'a'\nbudget = 1600\nexplain = 40\n[tune.validate]\ngames = 200\n[tune.params]\nnodes = { min = 2, max = 64, scale = 'log' }\n",
    );
    let output = folder.run("tune t.toml -j 2");
    let tables = parse_csv_rows(&folder.read("results/t/tune/validation.csv"));
    assert_eq!(tables[0]["by"], "points", "{tables:?}");
    assert_eq!(number(&tables[0], "games"), 100.0, "pairs of games");
    let tuned_toml = folder.read("results/t/tune/tuned.toml");
    assert!(tuned_toml.contains("name = \"a\"") && tuned_toml.contains("name = \"start\""), "{tuned_toml}");
    // More playouts are stronger: 2 to 64 playouts.
    output.assert_status(0).assert_says("better: tuned vs start: ");
    folder.run("run results/t/tune/tuned.toml -q").assert_status(0);
    folder.run("report results/t/tune --out page.html").assert_status(0);
}

/// Four players, not in the order of strength.
const FOUR: &str = "name = 'four'\ngame = 'gomoku'\nseed = 1\ngames = 8\n\
    [[player]]\nname = 'a-player-that-plays-by-chance'\nalgorithm = 'random'\n\
    [[player]]\nname = 'rows'\nalgorithm = 'gomoku-greedy'\n\
    [[player]]\nname = 'a-player-with-a-tree'\nalgorithm = 'mcts'\nnodes = 20\n\
    [[player]]\nname = 'search'\nalgorithm = 'gomoku-alphabeta'\ndepth = 1\n";

/// The page of a run that ended early has the number of games that were played.
#[test]
fn a_page_counts_the_games_that_were_played() {
    let players = "[[player]]\nname = 'chance'\nalgorithm = 'random'\n\
        [[player]]\nname = 'rows'\nalgorithm = 'gomoku-greedy'\n";
    let header = "name = 'ended'\ngame = 'gomoku'\nseed = 1\ngames = 2000\n";
    let stop = "[stop]\nbetter = 'rows'\nthan = 'chance'\nelo = [0, 20]\n";
    let folder = play_in_new_folder("ended.toml", format!("{header}{players}{stop}"));
    let games = number(&parse_csv_rows(&folder.read("results/ended/duels.csv"))[0], "games");
    assert!(games < 2000.0, "{games}");
    folder.run("report results/ended --out ended.html").assert_status(0);
    let expected_fact = format!("1 pairing, {games} games of at most 2,000 for each pair of players");
    assert!(folder.read("ended.html").contains(&expected_fact), "{expected_fact}");
}

/// On a terminal of 80 columns, all essential columns of a duel fit, ratings are sorted, and the
/// crosstable is visible without scrolling.
#[cfg(target_os = "linux")]
#[test]
fn a_duel_is_understood_at_80_columns() {
    let folder = play_in_new_folder("four.toml", FOUR);
    let ranking: Vec<String> = {
        let mut rows = parse_csv_rows(&folder.read("results/four/elo.csv"));
        rows.sort_by(|one, other| number(other, "elo").total_cmp(&number(one, "elo")));
        rows.iter().map(|row| row["player"].clone()).collect()
    };
    assert_ne!(ranking[0], "a-player-that-plays-by-chance");
    let screen = folder.run_on_terminal("report results/four", 80);
    assert!(screen.lines().all(|line| line.chars().count() <= 80), "{screen}");
    let table = |name: &str| -> Vec<String> {
        let lines = screen.lines().skip_while(|line| !line.starts_with(name)).skip(1);
        lines.take_while(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let elo = table("elo");
    assert!(["elo [95 %]", "won-drawn-lost"].iter().all(|name| elo[0].contains(name)), "{elo:?}");
    let last_letters = |line: &String| line.split_whitespace().next().expect("a name").chars().last();
    let order: Vec<_> = elo[1..5].iter().map(last_letters).collect();
    assert_eq!(order, ranking.iter().map(|name| name.chars().last()).collect::<Vec<_>>(), "{elo:?}");
    // All pairs of players: the losses of one are the wins of the other.
    let crosstable: Vec<Vec<String>> = table("duels")
        .iter()
        .filter(|line| line.starts_with(['1', '2', '3', '4']))
        .map(|line| line.split_whitespace().skip(2).map(str::to_owned).collect())
        .collect();
    assert_eq!(crosstable.len(), 4, "{screen}");
    for (row, cells) in crosstable.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate().filter(|&(other, _)| other != row) {
            let reversed: Vec<&str> = crosstable[column][row].rsplit('-').collect();
            assert_eq!(*cell, reversed.join("-"), "{screen}");
            assert_eq!(
                reversed.iter().map(|games| games.parse::<u64>().unwrap()).sum::<u64>(),
                8,
                "{screen}"
            );
        }
        assert_eq!(cells[row], "·");
    }
    let duels_table = folder.run_on_terminal("report results/four --table duels", 80);
    let header = duels_table.lines().find(|line| line.starts_with("player")).expect("heads");
    assert!(["against", "won-drawn-lost"].iter().all(|name| header.contains(name)), "{duels_table}");
    // Documents and the page have the same order.
    let markdown = folder.run("report results/four --table elo --format markdown").assert_status(0).stdout;
    let first_cells: Vec<&str> =
        markdown.lines().skip(2).filter_map(|line| line.split(" | ").next()).take(4).collect();
    assert_eq!(first_cells, ranking.iter().map(|name| format!("| {name}")).collect::<Vec<_>>());
    let page = folder.run("report results/four --out -").assert_status(0).stdout;
    let (_, crosstable_html) = page.split_once("aria-label=\"Results of each pair\"").expect("a cross table");
    let (crosstable_html, _) = crosstable_html.split_once("</table>").expect("its end");
    let header_positions: Vec<usize> = ranking
        .iter()
        .map(|name| crosstable_html.find(&format!("scope=\"col\" title=\"{name}\"")).expect("a head"))
        .collect();
    assert!(header_positions.is_sorted() && crosstable_html.contains(" won, 0 drawn, "), "{crosstable_html}");
    let (_, ratings) = page.split_once("aria-label=\"Table elo\"").expect("ratings");
    let row_positions: Vec<usize> =
        ranking.iter().map(|name| ratings.find(&format!("class=\"words\">{name}")).expect("a row")).collect();
    assert!(row_positions.is_sorted(), "{ratings}");
}
