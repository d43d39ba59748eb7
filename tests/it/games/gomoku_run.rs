//! Experiments of Gomoku with the program: run, resumed, sharded, compared, judged, shown, probed
//! and tuned.

use crate::bench::{Folder, Row, parse_csv_rows, play_in_new_folder};

const FILE: &str = r#"
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
    let (head, _) = FILE.split_once("[[player]]\nname = \"rollouts\"").expect("players");
    let of = |folder: &Folder| parse_csv_rows(&folder.read("results/g/elo.csv"));
    let width = |row: &Row| number(row, "elo_high") - number(row, "elo_low");
    let with = play_in_new_folder("g.toml", format!("{head}{greedy}{deep}"));
    let rated = of(&with);
    let [chance, greedy_rated, deep_rated] = &rated[..] else { panic!("three players") };
    assert_eq!((&*chance["points_rate"], &*chance["elo_low"]), ("0.000000", ""));
    // Its upper bound follows from its share of the points: its nearest rival is no further away
    // than that.
    let duels = parse_csv_rows(&with.read("results/g/duels.csv"));
    let share = duels.iter().find(|row| row["player"] == "chance").map(|row| number(row, "points_rate_high"));
    let elo_of_share = share.map(|share| 400.0 * (share / (1.0 - share)).log10()).expect("a duel of chance");
    let ahead = rated.iter().find(|row| row["ahead_of"] == "chance").expect("a player above chance");
    assert_eq!(ahead["elo_ahead_high"], "");
    assert!(number(ahead, "elo_ahead_low") <= 1.0 - elo_of_share, "{ahead:?}, {elo_of_share}");
    assert!(number(chance, "elo_high") < number(ahead, "elo"), "{rated:?}");
    let (_, alone) = head.split_once("[[player]]").map(|(head, _)| ((), head)).expect("players");
    let without = of(&play_in_new_folder("g.toml", format!("{alone}{greedy}{deep}")));
    for (row, other) in [greedy_rated, deep_rated].into_iter().zip(&without) {
        assert!(width(row) < 1.5 * width(other), "{row:?}, {other:?}");
    }
    let mean = number(greedy_rated, "elo") + number(deep_rated, "elo");
    assert!(mean.abs() < 0.2, "{mean}");

    let anchored = format!("anchor = \"greedy\"\n{head}{greedy}{deep}");
    let anchored = of(&play_in_new_folder("g.toml", &anchored));
    let [_, anchor, other] = &anchored[..] else { panic!("three players") };
    assert_eq!(["elo", "elo_low", "elo_high"].map(|column| &*anchor[column]), ["0.0"; 3]);
    let [leader, follower] = if number(other, "elo") > 0.0 { [other, anchor] } else { [anchor, other] };
    assert_eq!(leader["ahead_of"], follower["player"]);
    assert!((number(leader, "elo_ahead") - number(other, "elo").abs()).abs() < 0.15);

    let refused = Folder::with_file("g.toml", format!("anchor = \"nobody\"\n{head}{greedy}"));
    let said = refused.run("run g.toml").assert_status(2);
    assert!(said.err.contains("nobody"), "{}", said.err);
}

/// If a test is newer than the games, a claim that it answers says so. Here it is the test of
/// points.
#[test]
fn a_claim_on_older_games_says_that_its_test_is_younger() {
    let folder = play_in_new_folder("g.toml", FILE);
    let answer = || parse_csv_rows(&folder.read("results/g/claims.csv"))[0]["answer"].clone();
    let words = "the test was changed after these games were seen";
    assert!(!answer().contains(words));
    let manifest = folder.read("results/g/manifest.toml");
    assert!(manifest.contains("\nrules = 3\n"), "{manifest}");
    folder.write("results/g/manifest.toml", manifest.replace("\nrules = 3\n", "\nrules = 1\n"));
    folder.run("judge results/g").assert_status(0);
    assert!(answer().ends_with(words), "{}", answer());
    // All unannounced comparisons of these games say so.
    let words = "he test of points was changed after the games of results";
    folder.run("report results/g --out g.html").assert_status(0);
    let told = [
        folder.run("compare results/g --all-pairs").assert_status(0).err,
        folder.run("rank results/g").assert_status(0).err,
        folder.read("g.html"),
    ];
    assert!(told.iter().all(|told| told.contains(words)), "{told:?}");
}

/// The games are equal on any number of threads, in shards, and after an interruption; every table
/// adds them up.
#[test]
fn a_duel_is_the_same_however_it_is_played() {
    let file = FILE.replace("games = 40", "size = 9\ngames = 40");
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
        let between = games.iter().filter(|game| {
            [&game["first"], &game["second"]].contains(&&duel["player"])
                && [&game["first"], &game["second"]].contains(&&duel["against"])
        });
        let won = |game: &&Row| game["winner"] != "none" && game[&game["winner"]] == duel["player"];
        let between: Vec<_> = between.collect();
        assert_eq!(number(&duel, "games"), between.len() as f64);
        assert_eq!(number(&duel, "wins"), between.iter().filter(|game| won(game)).count() as f64);
        let black = between.iter().filter(|game| won(game) && game["winner"] == "first").count();
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
    let (lost, rated): (Vec<&Row>, Vec<&Row>) = ratings.iter().partition(|row| row["player"] == "chance");
    assert_eq!((&*lost[0]["points_rate"], &*lost[0]["elo_low"]), ("0.000000", ""));
    let sum: f64 = rated.iter().map(|row| number(row, "elo")).sum();
    assert!(sum.abs() < 0.2, "the mean is 0: {ratings:?}");
    for row in rated {
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
    let folder = Folder::with_file("g.toml", FILE);
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
    let last = |said: &str| -> String {
        let rows = said.lines().filter(|line| line.contains('·'));
        rows.map(|line| line.chars().take(34).collect::<String>()).collect::<Vec<_>>().join("\n")
    };
    let replayed = folder.run(&format!("{show} --last")).assert_status(0);
    let read = folder.run("show game.sgf --last").assert_status(0);
    assert_eq!(last(&read.out), last(&replayed.out));
    assert!(!last(&read.out).is_empty());
    folder.write("bad.sgf", "(;GM[4];B[zz])");
    folder.run("show bad.sgf").assert_status(2).assert_says("[zz] is not a point");
}

/// A single player is asked for its moves, and does not play.
#[test]
fn one_player_is_probed() {
    let folder = Folder::new();
    let one = "name = \"one\"\ngame = \"gomoku\"\nseed = 1\ngames = 2\n[[player]]\nname = \"a\"\nalgorithm = \"random\"\n";
    folder.write("one.toml", one);
    folder.run("run one.toml").assert_status(2).assert_says("gomoku needs two players");
    folder.run("check one.toml").assert_status(0);
    let ask = |board: String, to_move: &str| {
        let question = format!("{{\"id\": 7, \"board\": \"{board}\"{to_move}}}");
        folder.run_with("probe --experiment one.toml", &question)
    };
    // All cells but one have stones, without five in a row.
    let full: String =
        (0..225).map(|cell| if (cell % 15 / 2 + cell / 15) % 2 == 0 { 'B' } else { 'W' }).collect();
    let said = ask(format!(".{}", &full[1..]), ", \"to_move\": \"W\"").assert_status(0);
    let answer: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(answer["players"]["a"]["move"], "a1");
    assert_eq!(answer["players"]["a"]["cell"], 0);
    assert_eq!((&answer["id"], &answer["over"]), (&7.into(), &false.into()));
    ask(".".repeat(224), "").assert_status(2).assert_says("found 224 cells, but a board of size 15 has 225");
    ask(format!("{}{}", "B".repeat(3), ".".repeat(222)), "")
        .assert_status(2)
        .assert_says("add the colour to move");
    ask(".".repeat(225), ", \"to_move\": \"black\"").assert_status(2).assert_says("must be \"B\" or \"W\"");
    let five = ask(format!("{}{}", "B".repeat(5), ".".repeat(220)), ", \"to_move\": \"W\"").assert_status(0);
    let answer: serde_json::Value = serde_json::from_str(&five.out).expect("JSON");
    assert_eq!((&answer["over"], &answer["players"]["a"]["move"]), (&true.into(), &serde_json::Value::Null));
}

/// Openings in the file are checked against the board and the number of games.
#[test]
fn openings_are_those_of_the_file() {
    let folder = Folder::new();
    let with = |line: &str, games: u64| {
        FILE.replace("games = 40", &format!("games = {games}\n{line}")).replace("nodes = 60", "nodes = 2")
    };
    folder.play("g.toml", with("openings = ['h8 i9', '1,0, 0,-1, 2,2']", 8));
    let games = parse_csv_rows(&folder.read("results/g/games.csv"));
    let openings: Vec<&str> = games[..8].iter().step_by(2).map(|game| &*game["opening"]).collect();
    assert_eq!(openings, ["h8 i9", "i8 h7 j10", "h8 g9", "g8 h7 f10"]);
    let refused = |line: &str, games: u64, says: &str| {
        folder.write("bad.toml", with(line, games));
        folder.run("check bad.toml").assert_status(2).assert_says(says);
    };
    refused(
        "openings = 'gomocup'",
        194,
        "only 96 different openings, and each is played twice: at most 192 games",
    );
    refused("openings = 'empty'", 4, "only 1 different openings");
    refused("openings = ['h8 h8']", 4, "contains h8 twice");
    refused("openings = ['h8', 'g8 h9', 'i8 h7']", 4, "opening 3 is a rotation or reflection of opening 2");
    refused("size = 9\nopenings = ['a1 j10']", 4, "j10 of the opening");
    refused("size = 9\nopenings = 'gomocup'", 4, "need a board of size 15");
    refused("openings = 'gomocup'\nopening_stones = 3", 4, "only for generated openings");
    refused("openings = 'h8'", 4, "openings");
    refused("size = 4", 4, "from 5 to 25");
    refused("pairings = [['chance', 'nobody']]", 4, "unknown player");
    refused("openings = 'empty'\npairings = 'gauntlet'", 4, "only 1 different openings");
    // Pairings of excluded players are excluded, too.
    folder.play(
        "some.toml --only chance --only tree --name some",
        with("pairings = [['chance', 'rollouts'], ['tree', 'chance']]", 2),
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
    folder.write("cut.toml", with("", 4).replace("max_moves = 200", "max_moves = 3"));
    folder.run("run cut.toml --name cut").assert_status(0).assert_says("were cut by `max_moves`");
    // Listed seeds may draw one opening twice.
    let listed = FILE
        .replace("seed = 20261122\ngames = 40", "seeds = [0, 12]\nopenings = 'gomocup'\n")
        .replace("'gomocup'\n", "['h8 i9']");
    folder.write("listed.toml", listed);
    folder.run("check listed.toml").assert_status(2).assert_says("have the same opening");
    // Groups that never met have no common scale.
    let four = with("pairings = [['chance', 'rollouts'], ['tree', 'fourth']]", 4)
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
    let all = pairs.flat_map(|(one, other)| ('b'..='g').map(move |row| format!("'{row}1 {one} {other}'")));
    let openings: Vec<String> = all.take(100_000).collect();
    let players =
        "[[player]]\nname = 'x'\nalgorithm = 'random'\n[[player]]\nname = 'y'\nalgorithm = 'random'\n";
    let text = |games: u32| {
        format!(
            "name = 'long'\ngame = 'gomoku'\nseed = 1\ngames = {games}\nmax_moves = 2\nopenings = [{}]\n{players}",
            openings.join(", ")
        )
    };
    folder.write("long.toml", text(200_000));
    let said = folder.shell("ulimit -t 10; gauntlet check long.toml").assert_status(0);
    assert!(said.out.contains("and 99,992 more]") && said.out.len() < 2_000, "{} bytes", said.out.len());
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
    let said = folder.run("tune t.toml -j 2");
    let tables = parse_csv_rows(&folder.read("results/t/tune/validation.csv"));
    assert_eq!(tables[0]["by"], "points", "{tables:?}");
    assert_eq!(number(&tables[0], "games"), 100.0, "pairs of games");
    let tuned = folder.read("results/t/tune/tuned.toml");
    assert!(tuned.contains("name = \"a\"") && tuned.contains("name = \"start\""), "{tuned}");
    // More playouts are stronger: 2 to 64 playouts.
    said.assert_status(0).assert_says("better: tuned vs start: ");
    folder.run("run results/t/tune/tuned.toml -q").assert_status(0);
    folder.run("report results/t/tune --out page.html").assert_status(0);
}

/// Four players, not in the order of strength.
const FOUR: &str = "name = 'four'\ngame = 'gomoku'\nseed = 1\ngames = 8\n\
    [[player]]\nname = 'a-player-that-plays-by-chance'\nalgorithm = 'random'\n\
    [[player]]\nname = 'rows'\nalgorithm = 'gomoku-greedy'\n\
    [[player]]\nname = 'a-player-with-a-tree'\nalgorithm = 'mcts'\nnodes = 20\n\
    [[player]]\nname = 'search'\nalgorithm = 'gomoku-alphabeta'\ndepth = 1\n";

/// On a terminal of 80 columns, all essential columns of a duel fit, ratings are sorted, and the
/// crosstable is visible without scrolling.
#[cfg(target_os = "linux")]
#[test]
fn a_duel_is_understood_at_80_columns() {
    let folder = play_in_new_folder("four.toml", FOUR);
    let ranked: Vec<String> = {
        let mut rows = parse_csv_rows(&folder.read("results/four/elo.csv"));
        rows.sort_by(|one, other| number(other, "elo").total_cmp(&number(one, "elo")));
        rows.iter().map(|row| row["player"].clone()).collect()
    };
    assert_ne!(ranked[0], "a-player-that-plays-by-chance");
    let shown = folder.run_on_terminal("report results/four", 80);
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let table = |name: &str| -> Vec<String> {
        let lines = shown.lines().skip_while(|line| !line.starts_with(name)).skip(1);
        lines.take_while(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let elo = table("elo");
    assert!(["elo [95 %]", "won-drawn-lost"].iter().all(|head| elo[0].contains(head)), "{elo:?}");
    let last_letters = |line: &String| line.split_whitespace().next().expect("a name").chars().last();
    let order: Vec<_> = elo[1..5].iter().map(last_letters).collect();
    assert_eq!(order, ranked.iter().map(|name| name.chars().last()).collect::<Vec<_>>(), "{elo:?}");
    // All pairs of players: the losses of one are the wins of the other.
    let crossed: Vec<Vec<String>> = table("duels")
        .iter()
        .filter(|line| line.starts_with(['1', '2', '3', '4']))
        .map(|line| line.split_whitespace().skip(2).map(str::to_owned).collect())
        .collect();
    assert_eq!(crossed.len(), 4, "{shown}");
    for (one, own) in crossed.iter().enumerate() {
        for (other, cell) in own.iter().enumerate().filter(|&(other, _)| other != one) {
            let turned: Vec<&str> = crossed[other][one].rsplit('-').collect();
            assert_eq!(*cell, turned.join("-"), "{shown}");
            assert_eq!(turned.iter().map(|games| games.parse::<u64>().unwrap()).sum::<u64>(), 8, "{shown}");
        }
        assert_eq!(own[one], "·");
    }
    let alone = folder.run_on_terminal("report results/four --table duels", 80);
    let head = alone.lines().find(|line| line.starts_with("player")).expect("heads");
    assert!(["against", "won-drawn-lost"].iter().all(|name| head.contains(name)), "{alone}");
    // Documents and the page have the same order.
    let markdown = folder.run("report results/four --table elo --format markdown").assert_status(0).out;
    let first: Vec<&str> =
        markdown.lines().skip(2).filter_map(|line| line.split(" | ").next()).take(4).collect();
    assert_eq!(first, ranked.iter().map(|name| format!("| {name}")).collect::<Vec<_>>());
    let page = folder.run("report results/four --out -").assert_status(0).out;
    let (_, crossed) = page.split_once("aria-label=\"Results of each pair\"").expect("a cross table");
    let (crossed, _) = crossed.split_once("</table>").expect("its end");
    let heads: Vec<usize> = ranked
        .iter()
        .map(|name| crossed.find(&format!("scope=\"col\" title=\"{name}\"")).expect("a head"))
        .collect();
    assert!(heads.is_sorted() && crossed.contains(" won, 0 drawn, "), "{crossed}");
    let (_, ratings) = page.split_once("aria-label=\"Table elo\"").expect("ratings");
    let rows: Vec<usize> =
        ranked.iter().map(|name| ratings.find(&format!("class=\"words\">{name}")).expect("a row")).collect();
    assert!(rows.is_sorted(), "{ratings}");
}
