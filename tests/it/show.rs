//! `gauntlet show`: which game is shown, what moves were worth, and the page that steps through a game.

use std::collections::BTreeMap;

use crate::bench::{Folder, played, rows};
use crate::browser::{browse, browser};

/// Two players, of which one weighs its moves.
const EXPERIMENT: &str = "name = 'a'\ngame = '2048'\nseed = 3\ngames = 30\n\
    [[player]]\nname = 'gain'\nalgorithm = 'greedy'\n\
    [[player]]\nname = 'any'\nalgorithm = 'random'\n";

/// The games of a player, from the lowest score on; of equal scores the first block first.
fn by_score(folder: &Folder, player: &str) -> Vec<(u64, String)> {
    let rows = rows(folder, "results/a/games.csv");
    let own = rows.into_iter().filter(|row| row["player"] == player);
    let mut games: Vec<(u64, u64)> = own
        .map(|row: BTreeMap<String, String>| (row["score"].parse().unwrap(), row["block"].parse().unwrap()))
        .collect();
    games.sort_unstable();
    games.into_iter().map(|(score, block)| (score, block.to_string())).collect()
}

#[test]
fn games_are_picked_by_score() {
    let folder = played("a.toml", EXPERIMENT);
    for player in ["gain", "any"] {
        let games = by_score(&folder, player);
        let most = games.last().expect("games").0;
        let best = games.iter().find(|(score, _)| *score == most).expect("the best");
        for (option, (score, block)) in [("worst", &games[0]), ("median", &games[14]), ("best", best)] {
            let said = folder.run(&format!("show results/a --player {player} --{option} --last")).ends(0);
            assert!(said.out.contains(&format!(" moves, {score} points")), "{option}: {}", said.out);
            assert!(said.err.contains(&format!(" on block {block}\n")), "{option}: {}", said.err);
        }
    }
    folder.run("show results/a --player any --worst --block 3").ends(2);
    folder.run("show results/a --worst").ends(2).saying("whose game?");
    // Games that are not there cannot be picked.
    std::fs::remove_file(folder.path("results/a/games.csv")).unwrap();
    folder.run("show results/a --player any --best").ends(1).saying("games.csv");
}

#[test]
fn values_are_those_that_the_move_was_chosen_by() {
    let folder = played("a.toml", EXPERIMENT);
    let said = folder.run("show results/a --player gain --block 2 --values").ends(0);
    let mut weighed = 0;
    for step in said.out.split("\n\n") {
        let mut lines = step.lines();
        let Some(mv) =
            lines.next().and_then(|line| line.split_once(": ")?.1.split_once(',')).map(|(mv, _)| mv)
        else {
            continue;
        };
        let Some(values) = lines.next().filter(|line| !line.starts_with(['.', ' '])) else { continue };
        let worths: BTreeMap<&str, f64> = values
            .split(", ")
            .filter_map(|one| one.split_once(' '))
            .map(|(mv, worth)| (mv, worth.parse().unwrap()))
            .collect();
        let most = worths.values().copied().fold(f64::MIN, f64::max);
        assert_eq!(worths[mv], most, "{step}");
        weighed += 1;
    }
    assert!(weighed > 50, "{}", said.out);
    // Who does not weigh moves says nothing.
    let silent = folder.run("show results/a --player any --block 2 --values").ends(0).out;
    assert_eq!(silent, folder.run("show results/a --player any --block 2").ends(0).out);
}

#[test]
fn a_terminal_is_needed_to_watch() {
    let folder = played("a.toml", EXPERIMENT);
    folder.run("show results/a --player gain --watch").ends(2).saying("plays in a terminal");
}

#[test]
fn a_page_steps_through_a_game() {
    let folder = played("a.toml", EXPERIMENT);
    folder
        .run("show results/a --player gain --worst --html page.html")
        .ends(0)
        .saying("page.html is written");
    let html = folder.read("page.html");
    let data =
        html.split("id=\"moments\">").nth(1).and_then(|rest| rest.split("</script").next()).expect("moments");
    let moments: serde_json::Value = serde_json::from_str(data).expect("JSON");
    let moments = moments.as_array().expect("a list");
    // The page has all that the text has.
    let text = folder.run("show results/a --player gain --worst").ends(0).out;
    let steps: Vec<&str> = text.split("\n\n").collect();
    assert_eq!(moments.len(), steps.len() - 1);
    for (moment, step) in moments.iter().zip(steps) {
        let (head, board) = step.split_once('\n').expect("a head and a board");
        let mv = moment["m"].as_str().map_or_else(String::new, |mv| format!("{mv}, "));
        assert!(head.ends_with(&format!(": {mv}{}", moment["s"].as_str().unwrap())), "{head}: {moment}");
        let rows: Vec<Vec<&str>> = board.lines().map(|row| row.split_whitespace().collect()).collect();
        assert_eq!(moment["p"], serde_json::json!(rows));
    }
    // What lies there and is no page of ours stays.
    folder.write("mine.html", "mine");
    folder.run("show results/a --player gain --html mine.html").ends(1).saying("left as it is");
    assert_eq!(folder.read("mine.html"), "mine");
    folder.run("show results/a --player gain --html page.html").ends(0);
    let to_stdout = folder.run("show results/a --player gain --html -").ends(0).out;
    assert_eq!(to_stdout, folder.read("page.html"));
}

#[test]
fn the_page_of_a_game_runs_its_own_script_only() {
    let Some(browser) = browser() else { return };
    let folder = played("a.toml", EXPERIMENT);
    folder.run("show results/a --player gain --best --html page.html").ends(0);
    let options = ["--dump-dom", "--virtual-time-budget=2000"];
    let (dom, asked) = browse(&browser, &folder, &options);
    assert!(
        dom.contains(">After 0 of ") && dom.contains("class=\"chosen\""),
        "the script did not run: {dom}"
    );
    let others: Vec<_> = asked.iter().filter(|url| !url.ends_with("/page.html")).collect();
    assert!(others.is_empty(), "{others:?}");
    // A script that got in somehow has not the word by which the browser knows ours.
    let html = folder.read("page.html");
    folder.write("page.html", html.replacen("<main>", "<main><script>document.title = 'theirs'</script>", 1));
    let (dom, _) = browse(&browser, &folder, &options);
    assert!(dom.contains(">After 0 of ") && !dom.contains("<title>theirs"), "a strange script ran");
}
