//! `gauntlet serve`: built-in players that other programs ask for moves.

use crate::bench::{Folder, PROGRAM, Row, read_rows};

/// Built-in players that are served to another gauntlet play the same games, move by move, with
/// their seeds and settings.
#[test]
fn served_players_play_as_at_home() {
    for (game, rules, settings) in [
        ("2048", "", "algorithm = \"mcts\"\nnodes = 20\n"),
        ("2048", "win = 512\nuntil = \"win\"\n", "algorithm = \"random\"\n"),
        ("gomoku", "size = 9\n", "algorithm = \"gomoku-alphabeta\"\ndepth = 2\n"),
        ("gomoku", "rule = \"standard\"\n", "algorithm = \"random\"\n"),
    ] {
        let folder = Folder::new();
        let opponent = if game == "gomoku" {
            "[[player]]\nname = \"rival\"\nalgorithm = \"gomoku-greedy\"\n\n"
        } else {
            ""
        };
        let header = format!("game = \"{game}\"\nseed = 4\ngames = 4\nmax_moves = 300\n{rules}\n");
        let local_player = format!("[[player]]\nname = \"home\"\n{settings}\n");
        folder.write("home.toml", format!("name = \"home\"\n{header}{local_player}"));
        let served_player = format!(
            "[[player]]\nname = \"served\"\nalgorithm = \"external\"\nreproducible = true\n\
             command = [{:?}, \"serve\", \"home.toml\"]\n",
            PROGRAM
        );
        let pairings = if game == "gomoku" { "pairings = \"gauntlet\"\n" } else { "" };
        folder.play(
            "both.toml --allow-commands",
            format!("name = \"both\"\n{pairings}{header}{opponent}{local_player}{served_player}"),
        );
        let games = read_rows(&folder, "results/both/games.csv");
        let rows_of = |name: &str| -> Vec<_> {
            let has_player = |row: &&Row| row.values().any(|value| value == name);
            let column = |row: &Row, name: &str| row.get(name).cloned();
            let columns = ["seed", "leg", "score", "moves", "max_tile", "winner", "ending"];
            games.iter().filter(has_player).map(|row| columns.map(|name| column(row, name))).collect()
        };
        assert_eq!(rows_of("home").len(), 4);
        assert_eq!(rows_of("home"), rows_of("served"), "{game}: {settings}");
    }
}

/// A built-in player that is served to a Gomocup manager, here gauntlet itself, plays the same
/// games, move by move.
#[test]
fn a_served_engine_plays_as_at_home() {
    for (rules, settings) in [
        ("games = 4\nsize = 9\n", "algorithm = \"gomoku-alphabeta\"\ndepth = 2\n"),
        (
            "games = 2\nrule = \"standard\"\nopenings = \"empty\"\n",
            "algorithm = \"gomoku-minimax\"\ndepth = 2\n",
        ),
    ] {
        let folder = Folder::new();
        let header = format!("game = \"gomoku\"\nseed = 4\nmax_moves = 60\n{rules}\n");
        let local_player = format!("[[player]]\nname = \"home\"\n{settings}\n");
        folder.write("home.toml", format!("name = \"home\"\n{header}{local_player}"));
        let served_player = format!(
            "[[player]]\nname = \"served\"\nalgorithm = \"gomocup\"\nturn_millis = 100000\nstart_millis = 100000\n\
             command = [{:?}, \"serve\", \"home.toml\"]\ndirectory = \".\"\n\n",
            PROGRAM
        );
        let opponent = "[[player]]\nname = \"rival\"\nalgorithm = \"gomoku-greedy\"\n\n";
        let text = format!(
            "name = \"cup\"\npairings = \"gauntlet\"\n{header}{opponent}{local_player}{served_player}"
        );
        folder.write("cup.toml", text);
        folder.run("run cup.toml --quiet --allow-commands --threads 2").assert_status(0);
        let show_sgf = |name: &str, block: u32, leg: u32| {
            let line = format!(
                "show results/cup --player rival --against {name} --block {block} --leg {leg} --sgf -"
            );
            let sgf = folder.run(&line).assert_status(0).stdout.replace(name, "it");
            assert!(sgf.matches(";B[").count() > 3, "{sgf}");
            sgf
        };
        let games = read_rows(&folder, "results/cup/games.csv").len() as u32 / 2;
        for (block, leg) in (0..games).map(|show_sgf| (show_sgf / 2, show_sgf % 2)) {
            assert_eq!(show_sgf("home", block, leg), show_sgf("served", block, leg), "{settings}");
        }
    }
}

/// A manager of Gomocup is answered by the rules of its protocol.
#[test]
fn a_manager_is_answered() {
    let folder = Folder::new();
    let player = "[[player]]\nname = \"my own\"\nalgorithm = \"gomoku-alphabeta\"\ndepth = 1\n";
    folder.write("cup.toml", format!("name = \"cup\"\ngame = \"gomoku\"\nseed = 1\ngames = 2\n{player}"));
    let replies_to = |input: &str| {
        let output = folder.run_with("serve cup.toml", input).assert_status(0).stdout;
        let lines = output.lines().filter(|line| !line.starts_with("MESSAGE ")).map(str::to_owned);
        lines.collect::<Vec<_>>()
    };
    let start_lines = "INFO timeout_turn 1000\r\nSTART 15\r\nINFO folder /tmp\r\n";
    let [ok, first] = &replies_to(&format!("{start_lines}BEGIN\r\n"))[..] else { panic!("two answers") };
    assert_eq!((&**ok, &**first), ("OK", "7,7"));
    // Equal positions get equal answers, however they were sent and whatever was played before.
    let next_move = replies_to(&format!("{start_lines}BEGIN\nTURN 7,8\n")).pop();
    let boards = format!(
        "{start_lines}TURN 0,0\nrestart\nBOARD\n7,7,1\n7,8,2\nDONE\nRESTART\nBEGIN\nTURN 7,8\nEND\nBEGIN\n"
    );
    let answers = replies_to(&boards);
    assert_eq!(
        (answers.len(), &answers[3], &answers[6]),
        (7, next_move.as_ref().unwrap(), next_move.as_ref().unwrap())
    );
    let takeback_replies = replies_to(&format!("{start_lines}BEGIN\nTURN 0,0\nTAKEBACK 0,0\nTAKEBACK 0,1\n"));
    assert_eq!(&takeback_replies[3..], ["OK", "ERROR no stone is on \"0,1\""]);
    for (input, expected) in [
        (
            "ABOUT",
            concat!("name=\"my own\", version=\"", env!("CARGO_PKG_VERSION"), "\", author=\"gauntlet\""),
        ),
        ("START 20", "ERROR the player supports only boards of size 15"),
        ("START x", "ERROR \"x\" is not a board size"),
        ("RECTSTART 15,20", "ERROR the player supports only boards of size 15"),
        ("RECTSTART 15,15", "OK"),
        ("SWAP2BOARD", "UNKNOWN SWAP2BOARD"),
        ("TURN 15,0", "ERROR \"15,0\" is not a cell"),
        ("TURN 1,1\nTURN 1,1", "ERROR cell 1,1 is already occupied"),
        ("BOARD\n1,1,3\nDONE", "ERROR \"1,1,3\" is not a stone of either player"),
        ("BOARD\n1,1,1\n1,1,2\nDONE", "ERROR cell 1,1 is already occupied"),
        ("BOARD\n0,0,2\n1,0,2\n2,0,2\n3,0,2\n4,0,2\nDONE", "ERROR the game is over"),
        ("TURN 1,1\nBEGIN", "ERROR BEGIN requires an empty board"),
        ("INFO rule 1\nBEGIN", "ERROR the player supports only rule 0 (free), not \"1\""),
        ("INFO rule 1\nINFO rule 0\nBEGIN", "7,7"),
    ] {
        assert_eq!(replies_to(input).last().map(String::as_str), Some(expected), "{input}");
    }
    folder.run_with("serve cup.toml", "start 15\n").assert_status(1).assert_says("unknown command \"start\"");
}

/// Words are separated by any number of spaces or tabs.
#[test]
fn any_blank_separates_words() {
    let folder = Folder::new();
    folder.write(
        "home.toml",
        "name = 'home'\ngame = '2048'\nseed = 4\ngames = 4\n[[player]]\nname = 'g'\nalgorithm = 'greedy'\n",
    );
    let input = "gauntlet 1 2048\nnew 0 7\nmove 0 2 0 0 4 0 0 2 0 0 0 0 0 0 0 0 0 score=0\nquit\n";
    let output = folder.run_with("serve home.toml", input).assert_status(0).stdout;
    assert!(output.starts_with("ready g\n0 "), "{output}");
    assert_eq!(
        folder.run_with("serve home.toml", &input.replace(' ', " \t ")).assert_status(0).stdout,
        output
    );
}

/// An invalid conversation is reported in one line, with exit status 1.
#[test]
fn a_served_player_tells_what_is_wrong() {
    let folder = Folder::new();
    folder.write(
        "bad.toml",
        "name = 'bad'\ngame = 'gomoku'\nseed = 1\ngames = 2\n[[player]]\nname = 'chance'\nalgorithm = 'random'\n",
    );
    for (input, message) in [
        ("hello", "line 1: unknown command \"hello\""),
        ("gauntlet 2 gomoku", "unknown protocol version \"2\""),
        ("gauntlet 1 2048", "the game is 2048, but the player plays gomoku"),
        ("gauntlet 1 gomoku size=19", "the game has size=19, but the player expects size=15"),
        ("gauntlet 1 gomoku size=five", "the game has size=five, but the player expects size=15"),
        (
            "gauntlet 1 gomoku opening_stones=7",
            "the game has opening_stones=7, but the player expects the default",
        ),
        ("move 0 ...", "game 0 has not started"),
        ("new 0 5\nmove 0 ...", "line 2: "),
    ] {
        folder.run_with("serve bad.toml", input).assert_status(1).assert_says(message);
    }
    folder
        .run_with("serve bad.toml --player chanse", "")
        .assert_status(2)
        .assert_says("did you mean `chance`?");
    let input = folder
        .run_with("serve bad.toml", "gauntlet 1 gomoku later=1\nnew 3 7 seat=first\nquit\nhello\n")
        .assert_status(0);
    assert_eq!(input.stdout, "ready chance\n");
    folder.write(
        "tiles.toml",
        "name = 'tiles'\ngame = '2048'\nseed = 1\ngames = 2\nfour = 0.25\n[[player]]\nname = 'chance'\nalgorithm = 'random'\n",
    );
    let empty = ["0"; 16].join(",");
    for (words, is_accepted) in [
        ("four=1/4".to_owned(), true),
        (format!("win=2048 until=game-over spawn=uniform four=0.25 start={empty}"), true),
        ("four=1/10".to_owned(), false),
        ("spawn=stale".to_owned(), false),
        (format!("start=512,{}", ["0"; 15].join(",")), false),
    ] {
        let output = folder.run_with("serve tiles.toml", &format!("gauntlet 1 2048 {words}\nquit\n"));
        output.assert_status(i32::from(!is_accepted));
    }
}
