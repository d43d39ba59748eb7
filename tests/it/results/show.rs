//! `gauntlet show`: selection of a game, drawing of boards, values of moves, and the page that
//! steps through a game.

use std::collections::BTreeMap;

use crate::bench::{Folder, play_in_new_folder, read_rows};
use crate::browser::{find_browser, open_page};

/// Two players, of which one evaluates its moves.
const EXPERIMENT: &str = "name = 'a'\ngame = '2048'\nseed = 3\ngames = 30\n\
    [[player]]\nname = 'gain'\nalgorithm = 'greedy'\n\
    [[player]]\nname = 'any'\nalgorithm = 'random'\n";

/// Returns the games of a player, the lowest score first; equal scores in the order of blocks.
fn games_by_score(folder: &Folder, player: &str) -> Vec<(u64, String)> {
    let rows = read_rows(folder, "results/a/games.csv");
    let player_rows = rows.into_iter().filter(|row| row["player"] == player);
    let mut games: Vec<(u64, u64)> = player_rows
        .map(|row: BTreeMap<String, String>| (row["score"].parse().unwrap(), row["block"].parse().unwrap()))
        .collect();
    games.sort_unstable();
    games.into_iter().map(|(score, block)| (score, block.to_string())).collect()
}

#[test]
fn games_are_picked_by_score() {
    let folder = play_in_new_folder("a.toml", EXPERIMENT);
    for player in ["gain", "any"] {
        let games = games_by_score(&folder, player);
        let max_score = games.last().expect("games").0;
        let best = games.iter().find(|(score, _)| *score == max_score).expect("the best");
        for (option, (score, block)) in [("worst", &games[0]), ("median", &games[14]), ("best", best)] {
            let output =
                folder.run(&format!("show results/a --player {player} --{option} --last")).assert_status(0);
            assert!(
                output.stdout.contains(&format!(" moves, {score} points")),
                "{option}: {}",
                output.stdout
            );
            assert!(output.stderr.contains(&format!(" on block {block}\n")), "{option}: {}", output.stderr);
        }
    }
    folder.run("show results/a --player any --worst --block 3").assert_status(2);
    folder.run("show results/a --worst").assert_status(2).assert_says("--player is required");
    // Missing games cannot be selected.
    std::fs::remove_file(folder.path("results/a/games.csv")).unwrap();
    folder.run("show results/a --player any --best").assert_status(1).assert_says("games.csv");
}

/// If a player changed after its games, the program announces that the replay is another game
/// before it starts.
#[test]
fn a_changed_player_is_announced_before_its_replay() {
    let folder = play_in_new_folder("a.toml", EXPERIMENT);
    let message = "gain has changed since the games in results/a; this is another game\n";
    let output = folder.run("show a.toml --player gain").assert_status(0);
    assert_eq!(output.stderr, "");
    folder.write("a.toml", EXPERIMENT.replace("'greedy'", "'greedy'\nties = 'last'"));
    let output = folder.run("show a.toml --player gain").assert_status(1);
    assert!(output.stderr.starts_with(&format!("gauntlet: {message}")), "{}", output.stderr);
    assert!(
        output.stdout.contains(" moves, ") && output.stderr.contains("has a different game here"),
        "{}",
        output.stderr
    );
    // The other player is the same.
    assert_eq!(folder.run("show a.toml --player any").assert_status(0).stderr, "");
}

#[test]
fn values_are_those_that_the_move_was_chosen_by() {
    let folder = play_in_new_folder("a.toml", EXPERIMENT);
    let output = folder.run("show results/a --player gain --block 2 --values").assert_status(0);
    let mut step_count = 0;
    for step in output.stdout.split("\n\n") {
        let mut lines = step.lines();
        let Some(mv) =
            lines.next().and_then(|line| line.split_once(": ")?.1.split_once(',')).map(|(mv, _)| mv)
        else {
            continue;
        };
        let Some(values) = lines.next().filter(|line| !line.starts_with(['.', ' '])) else { continue };
        let move_values: BTreeMap<&str, f64> = values
            .split(", ")
            .filter_map(|pair| pair.split_once(' '))
            .map(|(mv, value)| (mv, value.parse().unwrap()))
            .collect();
        let max_value = move_values.values().copied().fold(f64::MIN, f64::max);
        assert_eq!(move_values[mv], max_value, "{step}");
        step_count += 1;
    }
    assert!(step_count > 50, "{}", output.stdout);
    // A player that does not evaluate moves shows no values.
    let without_values = folder.run("show results/a --player any --block 2 --values").assert_status(0).stdout;
    assert_eq!(without_values, folder.run("show results/a --player any --block 2").assert_status(0).stdout);
}

#[test]
fn a_page_steps_through_a_game() {
    let folder = play_in_new_folder("a.toml", EXPERIMENT);
    folder
        .run("show results/a --player gain --worst --html page.html")
        .assert_status(0)
        .assert_says("created page.html");
    let html = folder.read("page.html");
    let data =
        html.split("id=\"moments\">").nth(1).and_then(|rest| rest.split("</script").next()).expect("moments");
    let moments: serde_json::Value = serde_json::from_str(data).expect("JSON");
    let moments = moments.as_array().expect("a list");
    // The page contains everything in the text.
    let text = folder.run("show results/a --player gain --worst").assert_status(0).stdout;
    let steps: Vec<&str> = text.split("\n\n").collect();
    assert_eq!(moments.len(), steps.len() - 1);
    for (moment, step) in moments.iter().zip(steps) {
        let (header, board) = step.split_once('\n').expect("a head and a board");
        let mv = moment["m"].as_str().map_or_else(String::new, |mv| format!("{mv}, "));
        assert!(header.ends_with(&format!(": {mv}{}", moment["s"].as_str().unwrap())), "{header}: {moment}");
        let rows: Vec<Vec<&str>> = board.lines().map(|row| row.split_whitespace().collect()).collect();
        assert_eq!(moment["p"], serde_json::json!(rows));
    }
    // An existing file that is not a page of ours stays.
    folder.write("mine.html", "mine");
    folder
        .run("show results/a --player gain --html mine.html")
        .assert_status(1)
        .assert_says("already exists");
    assert_eq!(folder.read("mine.html"), "mine");
    folder.run("show results/a --player gain --html page.html").assert_status(0);
    let to_stdout = folder.run("show results/a --player gain --html -").assert_status(0).stdout;
    assert_eq!(to_stdout, folder.read("page.html"));
}

#[test]
fn the_page_of_a_game_runs_its_own_script_only() {
    let Some(browser) = find_browser() else { return };
    let folder = play_in_new_folder("a.toml", EXPERIMENT);
    folder.run("show results/a --player gain --best --html page.html").assert_status(0);
    let options = ["--dump-dom", "--virtual-time-budget=2000"];
    let (dom, urls) = open_page(&browser, &folder, &options);
    assert!(
        dom.contains(">After 0 of ") && dom.contains("class=\"chosen\""),
        "the script did not run: {dom}"
    );
    let foreign_urls: Vec<_> = urls.iter().filter(|url| !url.ends_with("/page.html")).collect();
    assert!(foreign_urls.is_empty(), "{foreign_urls:?}");
    // A foreign script does not have the nonce by which the browser accepts ours.
    let html = folder.read("page.html");
    folder.write("page.html", html.replacen("<main>", "<main><script>document.title = 'theirs'</script>", 1));
    let (dom, _) = open_page(&browser, &folder, &options);
    assert!(dom.contains(">After 0 of ") && !dom.contains("<title>theirs"), "a strange script ran");
}

/// Two players of Gomoku, of which one evaluates its moves.
const STONES: &str = "name = 'stones'\ngame = 'gomoku'\nseed = 1\ngames = 4\n[[player]]\nname = 'tree'\nalgorithm = 'mcts'\n\
    nodes = 300\n[[player]]\nname = 'rows'\nalgorithm = 'gomoku-greedy'\n";

/// Returns the cell of the last move, and its stone, in a picture without colours.
fn last_stone(picture: &str) -> (String, char) {
    let row = picture.lines().find(|line| line.contains('[')).expect("a mark");
    let index = row.chars().position(|character| character == '[').expect("a mark");
    let column = char::from(b'a' + u8::try_from((index - 3) / 2).unwrap());
    let number = row.trim_start().split(' ').next().expect("a number");
    (format!("{column}{number}"), row.chars().nth(index + 1).expect("a stone"))
}

#[test]
fn a_game_of_gomoku_looks_like_one() {
    let folder = play_in_new_folder("stones.toml", STONES);
    let line = "show results/stones --player tree --against rows";
    let stdout = folder.run(line).assert_status(0).stdout;
    let steps: Vec<&str> = stdout.split("\n\n").filter(|step| step.contains('·')).collect();
    assert!(steps.len() > 5, "{stdout}");
    for (number, step) in steps.iter().enumerate() {
        let (header, board) = step.split_once('\n').expect("a board");
        assert!(board.starts_with("    a b c d e f g h i j k l m n o     ●  black: tree\n 1  "), "{step}");
        assert!(board.lines().nth(1).is_some_and(|row| row.ends_with("○  white: rows")), "{step}");
        assert_eq!(board.lines().count(), 16, "{step}");
        // Five stones are the opening; then white moves.
        let stones = board
            .lines()
            .skip(1)
            .map(|row| row.chars().take(34).filter(|&cell| cell == '●' || cell == '○').count());
        assert_eq!(stones.sum::<usize>(), 5 + number, "{step}");
        if number > 0 {
            let stone = if number % 2 == 1 { '○' } else { '●' };
            let (cell, marked_stone) = last_stone(board);
            assert!(header.contains(&format!(": {cell}")) && marked_stone == stone, "{step}");
        }
    }
    // Values of moves: shades on the board, and a list of the best ten.
    let stdout = folder.run(&format!("{line} --leg 1 --values")).assert_status(0).stdout;
    let step = stdout.split("\n\n").find(|step| step.contains("the best 10 of ")).expect("the tree weighs");
    assert!(step.lines().count() <= 17 && step.contains("\n") && step.contains(['█', '▒']), "{step}");
    assert!(step.lines().any(|line| line.contains("    > ")), "the chosen move has a mark: {step}");
    assert!(step.lines().all(|line| line.chars().count() <= 80), "{step}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_the_board_in_colours_unless_it_shall_not() {
    let folder = play_in_new_folder("stones.toml", STONES);
    let line = "show results/stones --player tree --against rows --last";
    let coloured = folder.run_on_terminal(line, 80);
    let white = "\u{1b}[38;5;231;48;5;179m";
    assert!(coloured.contains(white) && coloured.contains('●') && !coloured.contains('○'), "{coloured}");
    let plain_output = folder.run(line).assert_status(0).stdout;
    assert!(plain_output.contains('○') && !plain_output.contains('\u{1b}'), "{plain_output}");
    // The coloured board has stones in the same places.
    let without_colours = |text: &str| -> String {
        let parts = text.split('\u{1b}').enumerate();
        parts
            .map(|(i, part)| if i == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) })
            .collect()
    };
    let rows = |text: &str| -> Vec<String> {
        without_colours(text)
            .replace('○', "●")
            .lines()
            .filter(|line| line.contains('·'))
            .map(|line| line.trim_end().to_owned())
            .collect()
    };
    assert_eq!(rows(&coloured), rows(&plain_output));
    let session = folder.start_session(&format!("{line}; NO_COLOR=1 {} {line}", crate::bench::PROGRAM));
    let screen_text = session.wait(|screen| screen.contains("status").then(|| screen.to_owned()));
    assert!(screen_text.contains(white) && screen_text.contains('○'), "{screen_text}");
}

#[test]
fn all_games_of_a_pairing_are_one_file() {
    let folder = play_in_new_folder("stones.toml", STONES);
    let line = "show results/stones --player tree --against rows";
    folder
        .run(&format!("{line} --all --sgf all.sgf"))
        .assert_status(0)
        .assert_says("will be replayed: 4 games")
        .assert_says("created all.sgf: 4 games");
    let text = folder.read("all.sgf");
    assert_eq!(text.matches("(;FF[4]").count(), 4);
    for (number, (block, leg)) in [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().enumerate() {
        let single_game =
            folder.run(&format!("{line} --block {block} --leg {leg} --sgf -")).assert_status(0).stdout;
        let (_, single_game) = single_game.split_once("(;").expect("a game");
        assert!(
            text.contains(single_game) && single_game.contains(&format!("GN[block {block}, leg {leg}]")),
            "{single_game}"
        );
        let last_board = |line: &str| {
            folder
                .run(line)
                .assert_status(0)
                .stdout
                .lines()
                .skip(1)
                .take(16)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let (file_board, results_board) = (
            last_board(&format!("show all.sgf --game {} --last", number + 1)),
            last_board(&format!("{line} --block {block} --leg {leg} --last")),
        );
        assert_eq!(file_board, results_board);
    }
    folder.run("show all.sgf --game 5").assert_status(2).assert_says("the file has 4 games, counted from 1");
    folder.run(&format!("{line} --all --sgf all.sgf")).assert_status(1).assert_says("cannot write all.sgf");
    folder.run(&format!("{line} --all")).assert_status(2);
    folder.run(&format!("{line} --all --leg 1 --sgf x.sgf")).assert_status(2);
    folder.run(&format!("{line} --game 2")).assert_status(2).assert_says("--game is for .sgf files");
}

/// The board is also right on a phone: cells are squares, the last stone has a mark, and only a few
/// moves are listed.
#[test]
fn the_page_of_a_game_of_gomoku_has_a_board() {
    let folder = play_in_new_folder("stones.toml", STONES);
    folder.run("show results/stones --player tree --against rows --html inner.html").assert_status(0);
    let html = folder.read("inner.html");
    let (_, board) = html.split_once("<table id=\"board\"").expect("a board");
    let (board, _) = board.split_once("</table>").expect("its end");
    assert!(
        board.contains("class=\"board stones\"") && board.matches("class=\"last\"").count() == 1,
        "{board}"
    );
    assert!(board.contains("<th>o</th>") && board.contains("<th>15</th>"), "{board}");
    let Some(browser) = find_browser() else { return };
    let frame_page = "<!doctype html><iframe src='inner.html#2' style='width:380px;height:900px' onload='
        const page = this.contentDocument, cells = [...page.querySelectorAll(`#board td`)].map((cell) => cell.getBoundingClientRect());
        const root = page.documentElement, sides = cells.map(({ width, height }) => Math.abs(width - height));
        document.title = [cells.length, Math.max(...sides) < 0.6, root.clientWidth === root.scrollWidth,
            page.querySelectorAll(`td.last[data-stone]`).length, page.querySelectorAll(`td[data-shade]`).length > 0,
            page.querySelectorAll(`#weighed tr`).length <= 11].join(` `)'>";
    folder.write("page.html", frame_page);
    let (dom, _) = open_page(&browser, &folder, &["--dump-dom", "--allow-file-access-from-files"]);
    let title = dom.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
    assert_eq!(title, Some("225 true true 1 true true"), "{dom}");
}
