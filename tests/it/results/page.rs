//! The report page. It shows the content of the tables for any content, and fetches nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use gauntlet::disk::system_disk;
use gauntlet::page::{
    ExploratoryComparisons, Page, ReportFileNames, ReportSite, is_generated, make_page, make_site,
};
use gauntlet::results::store::read::{Results, table};
use gauntlet::results::store::snapshot::ResultsSnapshot;
use gauntlet::text::escape;

use crate::bench::Folder;
use crate::browser::digest;

/// Texts that must be harmless in any place for text.
pub(crate) const HOSTILE: [&str; 6] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(2)>",
    "{{ 7*7 }}{% for x in y %}",
    "</style></title></svg><b>bold</b>",
    "' onmouseover='alert(3)",
    "a | b & c; \"quoted\" &lt;",
];

pub(crate) const QUICK: &str = "results/quick-published";

pub(crate) fn quick_results() -> Folder {
    let folder = Folder::new();
    folder.copy_from_repository(QUICK);
    folder
}

pub(crate) fn page_of(folder: &Folder, name: &str) -> Page {
    make_page(
        &Results::read(gauntlet::catalog(&gauntlet::GAMES), &folder.path(name)).unwrap(),
        &ExploratoryComparisons::default(),
    )
    .unwrap()
}

fn site_of(folder: &Folder, names: &[&str]) -> ReportSite {
    let results: Vec<Results> = names
        .iter()
        .map(|name| Results::read(gauntlet::catalog(&gauntlet::GAMES), &folder.path(name)).unwrap())
        .collect();
    let comparisons = vec![ExploratoryComparisons::default(); results.len()];
    let files = ReportFileNames { index: "all.html".to_owned(), prefix: "all-".to_owned() };
    make_site(&results, &comparisons, &ExploratoryComparisons::default(), &files).unwrap()
}

/// Replaces a text in a table of some results.
fn replace_text(folder: &Folder, file: &str, old: &str, new: &str) {
    let text = folder.read(file);
    assert!(text.contains(old), "{file} has no {old}");
    folder.write(file, text.replace(old, new));
}

fn csv_field(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Returns results in which every free text is hostile, even where no experiment could contain it.
pub(crate) fn hostile_results() -> Folder {
    let folder = quick_results();
    for file in ["win-rate.csv", "max-tile.csv", "ms-per-move.csv"] {
        for (player, name) in ["random,", "expectimax nodes=100,", "greedy,"].iter().zip(HOSTILE) {
            replace_text(&folder, &format!("{QUICK}/{file}"), player, &(csv_field(name) + ","));
        }
    }
    let comments: String = HOSTILE.iter().map(|text| format!("# {text}\n")).collect();
    let experiment = folder.read(&format!("{QUICK}/experiment.toml"));
    folder.write(&format!("{QUICK}/experiment.toml"), comments + &experiment);
    let mut claims = "player,than,by,verdict,answer\n".to_owned();
    let mut published = "player,what,published_from,published_to,published_games,measured,measured_low,measured_high,games,verdict,source,note,answer\n".to_owned();
    for text in HOSTILE.map(csv_field) {
        claims += &format!("{text},{text},win-rate,confirmed,{text}\n");
        published += &format!("{text},win,0.1,0.2,,0.3,0.2,0.4,100,seen,{text},{text},{text}\n");
    }
    folder.write(&format!("{QUICK}/claims.csv"), claims);
    folder.write(&format!("{QUICK}/published.csv"), published);
    let manifest = format!("{QUICK}/manifest.toml");
    let cpu = folder.read(&manifest).lines().find_map(|line| Some(line.strip_prefix("cpu = ")?.to_owned()));
    replace_text(&folder, &manifest, &cpu.expect("a processor"), "'<script>alert(4)</script>'");
    folder.update_digests(QUICK);
    folder
}

/// Asserts that there are only our elements, and only anchors and data as addresses.
#[track_caller]
pub(crate) fn assert_harmless(html: &str) {
    let script = include_str!("../../../crates/report/src/page/script.js");
    assert_eq!(html.matches(&format!("<script>{script}</script>")).count(), 1);
    assert_eq!(html.matches("<script").count(), 1);
    for element in
        ["<img", "<b>", "<iframe", "<link", "<object", "<embed", "<base", "<form", "@import", "url("]
    {
        let position = html.find(element);
        assert!(
            position.is_none(),
            "{element}: {}",
            html[position.unwrap_or(0)..].chars().take(100).collect::<String>()
        );
    }
    for tag in html.split('<').skip(1).filter_map(|rest| rest.split('>').next()) {
        // The parts between quotes are text, because quotes in it are escaped.
        let outside: String = tag.split('"').step_by(2).collect();
        assert!(!outside.contains(" on") && !outside.contains(" src="), "<{tag}>");
        let address = tag.split("href=\"").nth(1);
        assert!(
            address.is_none_or(|target| {
                let target = target.split('"').next().unwrap();
                let is_page =
                    target.strip_suffix(".html").is_some_and(|name| !name.contains([':', '/', '&', '.']));
                target.starts_with('#')
                    || ["csv", "plain"]
                        .iter()
                        .any(|kind| target.starts_with(&format!("data:text&#x2f;{kind};")))
                    || is_page
            }),
            "<{tag}>"
        );
    }
}

#[test]
fn whatever_stands_in_results_is_shown_and_does_nothing() {
    let folder = hostile_results();
    let results = Results::read(gauntlet::catalog(&gauntlet::GAMES), &folder.path(QUICK)).unwrap();
    let mut comparisons = ExploratoryComparisons::new(std::slice::from_ref(&results)).unwrap();
    for (comparison, name) in comparisons.leader.iter_mut().zip(HOSTILE) {
        (comparison.player, comparison.rival) = (name.to_owned(), name.to_owned());
    }
    let Page { html, plots } = make_page(&results, &comparisons).unwrap();
    assert_harmless(&html);
    assert_eq!(html.matches("</style>").count(), 1);
    for expected in ["&lt;script&gt;alert(1)&lt;&#x2f;script&gt;", "{{ 7*7 }}{% for x in y %}"] {
        assert!(html.contains(expected), "{expected} is not to be seen");
    }
    for (name, svg) in &plots {
        assert!(!svg.contains("<script") && !svg.contains("<b>") && !svg.contains("<img"), "{name}");
    }
}

#[test]
fn the_same_results_make_the_same_page() {
    let folder = quick_results();
    let (one, other) = (page_of(&folder, QUICK), page_of(&folder, QUICK));
    assert_eq!(one.html, other.html);
    assert_eq!(one.plots, other.plots);
    let names: Vec<&str> = one.plots.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "win-rate",
        "win-rate-by-nodes",
        "score-by-nodes",
        "largest-tile",
        "tile-reached",
        "stages",
        "scores",
        "profile",
        "strength",
        "time",
    ];
    assert_eq!(names, expected);
    assert!(
        is_generated(one.html.as_bytes()) && one.plots.iter().all(|(_, svg)| is_generated(svg.as_bytes()))
    );
    assert_harmless(&one.html);
}

#[test]
fn verdicts_come_first_and_in_words() {
    let folder = quick_results();
    let claims = "player,than,by,verdict,answer\n\
        greedy,random,win-rate,confirmed,greedy is better than random.\n\
        random,greedy,win-rate,refuted,It is the other way round.\n";
    folder.write(&format!("{QUICK}/claims.csv"), claims);
    folder.write(&format!("{QUICK}/stop.csv"), "verdict,answer\nbetter,It stopped after 500 games.\n");
    folder.update_digests(QUICK);
    let html = page_of(&folder, QUICK).html;
    let first_plot = html.find("<svg").unwrap();
    for text in ["greedy is better than random.", "It is the other way round.", "It stopped after 500 games."]
    {
        let position = html.find(text).unwrap_or_else(|| panic!("{text} is missing"));
        assert!(position > first_plot, "{text} comes before the main plot");
    }
    // The leader comes first, then the verdicts in numbers, the main plot, and the contents.
    let expected_texts = [
        "<strong>n-tuple</strong> won most often: 84.60 % [81.17, 87.50] of its 500 games.",
        "<p class=\"lead second\"><strong>1 of 2 claims</strong> is confirmed, 1 is refuted.</p>",
        "<figure id=\"strength\">",
        "<nav aria-label=\"Contents\"",
        "greedy is better than random.",
    ];
    let positions = expected_texts.map(|text| html.find(text).unwrap_or_else(|| panic!("{text} is missing")));
    assert!(positions.is_sorted(), "{positions:?}");
    assert!(!html.contains("have no verdict"), "the claims are answered");
    assert!(!html.contains("Compared afterwards"));
    let results = Results::read(gauntlet::catalog(&gauntlet::GAMES), &folder.path(QUICK)).unwrap();
    let comparisons = ExploratoryComparisons::new(std::slice::from_ref(&results)).unwrap();
    let html = make_page(&results, &comparisons).unwrap().html;
    let exploratory_answer = comparisons.leader[0].answer();
    assert!(
        html.find("chosen after seeing the games").unwrap() < html.find(&exploratory_answer[..40]).unwrap()
    );
}

/// Without games.csv, times or tiles, or with empty cells, there is a page that names what is
/// missing.
#[test]
fn what_is_missing_is_said() {
    let folder = quick_results();
    for file in ["games.csv", "max-tile.csv", "ms-per-move.csv", "claims.csv"] {
        fs::remove_file(folder.path(&format!("{QUICK}/{file}"))).unwrap();
    }
    folder.update_digests(QUICK);
    let html = page_of(&folder, QUICK).html;
    assert!(html.contains("games.csv is missing"), "{html}");
    assert!(html.contains("have no verdict"), "a claim is announced and not answered");
    let header =
        "player,games,wins,win_rate,win_rate_low,win_rate_high,mean_score,mean_score_low,mean_score_high\n";
    for rows in
        ["", "alone,0,0,,,,,,\n", "alone,1,0,0.0,0.0,0.8,100,,\n", "a,1,1,1,0.2,1,5,,\nb,1,1,1,0.2,1,5,,\n"]
    {
        folder.write(&format!("{QUICK}/win-rate.csv"), format!("{header}{rows}"));
        folder.write(&format!("{QUICK}/max-tile.csv"), "player,tile,games,share,reached,reach_rate\n");
        folder.write(
            &format!("{QUICK}/ms-per-move.csv"),
            "player,moves,mean_ms,p50_ms,p90_ms,p99_ms,max_ms,cpu_ms_per_move\nalone,1,,,,,,\na,1,0,0,0,0,0,0\n",
        );
        folder.update_digests(QUICK);
        assert_harmless(&page_of(&folder, QUICK).html);
    }
}

/// Returns results of hundreds of players with names of maximum length.
pub(crate) fn crowd_results() -> Folder {
    let folder = quick_results();
    let mut rates =
        "player,games,wins,win_rate,win_rate_low,win_rate_high,mean_score,mean_score_low,mean_score_high\n"
            .to_owned();
    let mut times = "player,moves,mean_ms,p50_ms,p90_ms,p99_ms,max_ms,cpu_ms_per_move\n".to_owned();
    let mut tiles = "player,tile,games,share,reached,reach_rate,reach_rate_low,reach_rate_high\n".to_owned();
    for (i, name) in crowd_names().enumerate() {
        rates += &format!("{name},9,3,0.{i:03},0.1,0.9,100,90,110\n");
        times += &format!("{name},9,1,1,2,3,4,{}\n", 1 + i);
        tiles += &format!("{name},2048,9,1,9,1,0.9,1\n");
    }
    folder.write(&format!("{QUICK}/win-rate.csv"), rates);
    folder.write(&format!("{QUICK}/ms-per-move.csv"), times);
    folder.write(&format!("{QUICK}/max-tile.csv"), tiles);
    folder.update_digests(QUICK);
    folder
}

fn crowd_names() -> impl Iterator<Item = String> {
    (0..300).map(|i| format!("{}={i}", "long_setting".repeat(8)))
}

#[test]
fn hundreds_of_players_with_long_names_have_a_page() {
    let Page { html, plots } = page_of(&crowd_results(), QUICK);
    assert!(html.contains("Shows the 60 strongest of 300 players, because more would be hard to read."));
    assert!(html.len() < 4_000_000, "{} bytes", html.len());
    assert!(crowd_names().all(|name| html.contains(&format!(">{name}</th>"))));
    assert!(plots.iter().all(|(_, svg)| svg.len() < 100_000));
}

#[test]
fn several_results_have_an_overview_and_names_that_differ() {
    let folder = quick_results();
    folder.copy_from_repository("results/c1-ovolve-depth");
    for file in ["experiment.toml", "manifest.toml", "settings.csv", "win-rate.csv", "ms-per-move.csv"] {
        folder.write(&format!("again/{file}"), folder.read(&format!("{QUICK}/{file}")));
    }
    folder.update_digests("again");
    let ReportSite { index, pages } = site_of(&folder, &[QUICK, "results/c1-ovolve-depth", "again"]);
    // Results under other rules are not on one scale with the rest.
    let html = &index.html;
    assert!(html.contains("3 experiments") && !html.contains("All players together"));
    assert!(html.contains("The rules of these experiments differ (") && index.plots.is_empty());
    assert_harmless(html);
    let files: Vec<&str> = pages.iter().map(|(file, _)| &**file).collect();
    assert_eq!(files, ["all-quick.html", "all-c1-ovolve-depth.html", "all-quick-2.html"]);
    assert!(pages[1].1.plots.iter().any(|(name, _)| name == "published"));
    // Nor are Elo ratings against different opponents.
    let duels = ["results/gomoku", "results/gomoku-strength"];
    duels.iter().for_each(|name| folder.copy_from_repository(name));
    let ReportSite { index: duel_site, .. } = site_of(&folder, &duels);
    for text in ["All players together", "Compared afterwards", "All pairs", " of 5 others"] {
        assert!(!duel_site.html.contains(text), "{text}");
    }
    let ReportSite { index: same_site, .. } = site_of(&folder, &[QUICK, "again"]);
    assert!(!same_site.html.contains("The rules of these experiments differ"));
    // Equal numbers are the same games, so each player is shown once.
    assert!(same_site.html.contains("All players together") && !same_site.html.contains("quick: n-tuple"));
    let other_rates = folder.read(&format!("{QUICK}/win-rate.csv")).replace("38569.26", "38569.27");
    folder.write("again/win-rate.csv", other_rates);
    folder.update_digests("again");
    let ReportSite { index: other_site, .. } = site_of(&folder, &[QUICK, "again"]);
    assert!(other_site.html.contains("quick: n-tuple") && !other_site.html.contains("quick: random"));
}

/// A player of two results with equal games is one player: it is not compared with itself.
#[test]
fn a_player_of_two_results_is_compared_once() {
    let experiment = |name: &str, other: &str| {
        let players =
            ["greedy", other].map(|one| format!("[[player]]\nname = {one:?}\nalgorithm = {one:?}\n"));
        format!("name = {name:?}\ngame = \"2048\"\nseed = 1\ngames = 300\nwin = 256\n{}", players.concat())
    };
    let folder = Folder::new();
    folder.play("one.toml", experiment("one", "random"));
    folder.play("two.toml", experiment("two", "swift-greedy"));
    folder.run("report results/one results/two --out pages/").assert_status(0);
    let html = folder.read("pages/index.html");
    assert!(html.contains(" of 2 others") || html.contains("all 2 others"), "{html}");
    assert!(!html.contains("greedy (two)") && !html.contains("greedy (one)"));
    // With other games, a namesake is another player.
    folder.play("three.toml", experiment("three", "swift-greedy").replace("seed = 1", "seed = 2"));
    folder.run("report results/one results/three --out pages/").assert_status(0);
    assert!(folder.read("pages/index.html").contains("greedy (three)"));
    folder.run("report results/one results/two results/three --out pages/").assert_status(0);
    let html = folder.read("pages/index.html");
    assert!(html.contains("one: greedy") && html.contains("three: greedy") && !html.contains("two: greedy"));
}

/// The index begins with the verdicts of all results, then of each, and pages are linked in both
/// directions.
#[test]
fn an_index_has_the_verdicts_of_all_and_leads_to_each_page() {
    let folder = quick_results();
    let names = ["results/c1-ovolve-depth", "results/c3-c5-ronzil", QUICK];
    names.iter().for_each(|name| folder.copy_from_repository(name));
    let ReportSite { index, pages } = site_of(&folder, &names);
    let html = &index.html;
    let expected_texts = [
        "<strong>1 of 10 published numbers</strong> is reproduced, 2 are seen, 5 would differ if their sources played \
         enough games, 1 is not seen, 1 is unclear.",
        "<strong>All 2 claims</strong> are confirmed.",
        "href=\"all-c1-ovolve-depth.html\"",
        "<span class=\"mark open\">2 would differ</span>",
    ];
    for text in expected_texts {
        assert!(html.contains(text), "{text} is missing");
    }
    let published = cells(html, "published-together");
    assert_eq!(published.len(), 10);
    let expected_cells = ["ovolve depth=3 c1-ovolve-depth", "win", "would differ from 38 games on", "90 %"];
    assert_eq!(published[0][..4], expected_cells);
    for (i, (file, page)) in pages.iter().enumerate() {
        assert!(html.contains(&format!("<li><a href=\"{file}\">")), "{file}");
        assert_harmless(&page.html);
        assert_eq!(page.html.matches("href=\"all.html\"").count(), 2, "{file}");
        let neighbours = [i.checked_sub(1), Some(i + 1)].into_iter().flatten().filter_map(|i| pages.get(i));
        for (neighbour, _) in neighbours {
            assert!(page.html.contains(&format!("<a href=\"{neighbour}\">")), "{file}: {neighbour}");
        }
    }
    assert!(
        pages[1]
            .1
            .html
            .contains("<p class=\"lead second\"><strong>1 of 7 published numbers</strong> is reproduced")
    );
    // Events have no published share, so this column is empty in one of the results.
    folder.copy_from_repository("results/c4-minimax-deep");
    let mixed_names = ["results/c4-minimax-deep", "results/c1-ovolve-depth"];
    let ReportSite { index: mixed_site, .. } = site_of(&folder, &mixed_names);
    let published = cells(&mixed_site.html, "published-together");
    assert!(published.len() == 6 && published.iter().all(|row| row.len() == 6), "{published:?}");
}

#[test]
fn several_results_are_written_as_pages_with_an_index() {
    let folder = quick_results();
    folder.copy_from_repository("results/c1-ovolve-depth");
    let command = "report results/quick-published results/c1-ovolve-depth --out";
    let output = folder.run(&format!("{command} new/pages/ --plots new/pages")).assert_status(0);
    assert_eq!(
        output.stdout,
        "created new/pages/index.html, with 2 pages next to it and 21 plots in new/pages\n"
    );
    for file in ["index.html", "quick.html", "c1-ovolve-depth.html", "quick-time.svg"] {
        assert!(is_generated(folder.read(&format!("new/pages/{file}")).as_bytes()), "{file}");
    }
    folder.run(&format!("{command} both.html")).assert_status(0);
    assert!(folder.read("both.html").contains("href=\"both-quick.html\""));
    assert!(folder.read("both-quick.html").contains("href=\"both.html\""));
    // Nothing is written if one of the files is not ours.
    folder.write("mine/c1-ovolve-depth.html", "dear diary");
    folder.run(&format!("{command} mine")).assert_status(1).assert_says("is not a report of gauntlet");
    assert!(!folder.path("mine/quick.html").exists());
    folder.run(&format!("{command} -")).assert_status(2).assert_says("use a folder");
    folder.run("report results/quick-published --out one/").assert_status(0);
    assert!(!folder.read("one/index.html").contains("<nav aria-label=\"Experiments\""));
}

#[test]
fn a_page_is_one_file_and_replaces_nothing_else() {
    let folder = quick_results();
    folder.run("report results/quick-published --out alone/quick.html").assert_status(0);
    assert_eq!(folder.files("alone").into_keys().collect::<Vec<_>>(), ["quick.html"]);
    let output = folder.run("report results/quick-published --out quick.html --plots drawn").assert_status(0);
    assert_eq!(output.stdout, "created quick.html, with 10 plots in drawn\n");
    let html = folder.read("quick.html");
    assert_eq!(folder.run("report results/quick-published --out -").assert_status(0).stdout, html);
    for plot in ["win-rate", "largest-tile", "tile-reached", "scores", "strength", "time"] {
        assert!(folder.read(&format!("drawn/quick-{plot}.svg")).starts_with("<svg "), "{plot}");
    }
    folder.run("report results/quick-published --out quick.html --plots drawn").assert_status(0);
    folder.write("diary.html", "dear diary");
    let output = folder.run("report results/quick-published --out diary.html").assert_status(1);
    assert!(output.stderr.contains("is not a report of gauntlet"), "{}", output.stderr);
    assert_eq!(folder.read("diary.html"), "dear diary");
    assert!(!folder.path("diary-time.svg").exists());
    folder.write("new-time.svg", "<svg>mine</svg>");
    folder.run("report results/quick-published --out new.html --plots .").assert_status(1);
    assert!(!folder.path("new.html").exists());
    folder.run("report --out x.html").assert_status(2);
    let output = folder.run("report results/quick-published --plots alone").assert_status(0);
    assert_eq!(output.stdout, "created 10 plots in alone\n");
    assert!(folder.read("alone/quick-published-strength.svg").starts_with("<svg "));
    let output =
        folder.run("report results/quick-published results/quick-published --plots alone").assert_status(2);
    assert!(output.stderr.contains("is given twice"), "{}", output.stderr);
    folder
        .run("report results/quick-published --out - --plots drawn")
        .assert_status(2)
        .assert_says("--plots needs --out FILE");
}

/// Returns the cells of a table in a page, row by row, as a reader sees them.
fn cells(html: &str, table: &str) -> Vec<Vec<String>> {
    let start =
        html.find(&format!("aria-label=\"Table {table}\"")).unwrap_or_else(|| panic!("no table {table}"));
    let body = html[start..].split("<tbody>").nth(1).unwrap().split("</tbody>").next().unwrap();
    let text = |cell: &str| {
        let mut text = String::new();
        let mut is_text = true;
        for character in cell.chars() {
            match character {
                '<' => is_text = false,
                '>' if !is_text => is_text = true,
                _ if is_text => text.push(character),
                _ => {}
            }
        }
        let text =
            text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#x2f;", "/");
        text.replace("&#x27;", "'").replace("&amp;", "&")
    };
    let row = |row: &str| {
        let cells = row.split("</th>").flat_map(|part| part.split("</td>"));
        cells.filter(|cell| cell.contains("<t")).map(|cell| text(&cell[cell.find("<t").unwrap()..])).collect()
    };
    body.split("<tr>").skip(1).map(row).collect()
}

/// Asserts that the page shows the cells of the table.
#[track_caller]
pub(crate) fn assert_shows(html: &str, folder: &Path, name: &str) {
    let set = ResultsSnapshot::read(gauntlet::catalog(&gauntlet::GAMES), &system_disk(), folder).unwrap();
    let row = |row: &Vec<String>| row.iter().map(|cell| escape::line(cell).trim().to_owned()).collect();
    let mut expected: Vec<Vec<String>> =
        table(&set, name).unwrap().fold_columns().1.iter().map(row).collect();
    let mut actual = cells(html, name);
    assert!(!expected.is_empty());
    // The page orders this table by strength.
    if name == "win-rate" {
        expected.sort();
        actual.sort();
    }
    assert_eq!(actual, expected, "{name}");
}

pub(crate) const TABLES: [&str; 3] = ["win-rate", "max-tile", "ms-per-move"];

#[test]
fn the_page_shows_what_the_tables_hold() {
    for folder in [quick_results(), hostile_results()] {
        let html = page_of(&folder, QUICK).html;
        for table in TABLES {
            assert_shows(&html, &folder.path(QUICK), table);
        }
    }
}

/// The browser runs only our script: the page contains its digest.
#[test]
fn the_page_allows_no_script_but_its_own() {
    let digest = digest(include_bytes!("../../../crates/report/src/page/script.js"));
    let html = page_of(&quick_results(), QUICK).html;
    let policy = format!("script-src '{digest}';");
    assert!(html.contains(&policy), "the digest in src/page/parts.rs has to be {digest}");
}

/// Every point, bar and row of every plot has a tooltip with its numbers.
#[test]
fn plots_tell_their_numbers() {
    let Page { html, plots } = page_of(&quick_results(), QUICK);
    let hints = [
        ("win-rate", "n-tuple: 84.60 % [81.17, 87.50]"),
        ("largest-tile", "random: 0.40 % of games ended on 16"),
        ("tile-reached", "n-tuple: 84.60 % [81.17, 87.50] of games reached 2048"),
        ("scores", "random: median 1076, mean 1122"),
        ("strength", "n-tuple: 84.60 % [81.17, 87.50] with "),
        ("time", "random: mean 6 ns"),
    ];
    for (name, hint) in hints {
        let (_, svg) = plots.iter().find(|(plot, _)| plot == name).unwrap();
        assert!(
            svg.contains(&format!("<title>{hint}")),
            "{name} has no {hint}: {}",
            &svg[svg.len() - 2000..]
        );
        assert!(html.matches(&format!("<title>{hint}")).count() >= 2, "{name}");
    }
}

/// Each player has a line in the plot of reached values, and a checkbox; the leaders are shown at
/// first.
#[test]
fn every_player_can_be_chosen() {
    let html = page_of(&crowd_results(), QUICK).html;
    let count_boxes = |state: &str| html.matches(&format!("autocomplete=\"off\"{state}> <svg")).count();
    assert_eq!((count_boxes(" checked"), count_boxes("")), (7, 53));
    for i in 0..60 {
        assert_eq!(html.matches(&format!("<g class=\"s{i}\">")).count(), 2);
        assert!(html.contains(&format!("figure:has(.c{i}:not(:checked)) .s{i} {{ display: none; }}")));
    }
}

/// The manual lists all plots of runs, trainings and tunings, and no others.
#[test]
fn the_manual_lists_every_plot() {
    let manual = crate::golden::read("../docs/COMMANDS.md");
    let (_, table) = manual.split_once("| plot | content |\n|---|---|\n").expect("a table of plots");
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let listed_plots: BTreeSet<&str> = rows
        .flat_map(|row| {
            row.split(" | ").next().into_iter().flat_map(|names| names.split('`').skip(1).step_by(2))
        })
        .collect();
    // A part in capitals stands for a name.
    let matches = |pattern: &str, plot: &str| match pattern.find(char::is_uppercase) {
        Some(start) => plot.starts_with(&pattern[..start]),
        None => plot == pattern,
    };
    let folder = Folder::new();
    let tuning = ["tune", "tune/validation-1", "tune/explained"];
    let mut drawn_plots = BTreeSet::new();
    for (results, parts) in [
        ("quick-published", &[""][..]),
        ("c2-ovolve-beyond-2048", &[""]),
        ("c7-gomoku-candidates", &[""]),
        ("endgames-last-stage", &[""]),
        ("gomoku", &[""]),
        ("train-quick", &["", "train"]),
        ("swift-empty", &tuning),
    ] {
        for part in parts {
            folder.copy_from_repository(&format!("results/{results}/{part}"));
        }
        let path = if parts == tuning { format!("{results}/tune") } else { results.to_owned() };
        folder.run(&format!("report results/{path} --out {results}.html --plots {results}")).assert_status(0);
        let plots = folder.files(results).into_keys().filter(|name| name.ends_with(".svg"));
        drawn_plots.extend(plots.map(|name| {
            let plot = name.strip_prefix(&format!("{results}-")).expect("the name of its page");
            // The page of a tuning has a page for its validation.
            let plot = plot.rsplit("validation-1-").next().unwrap_or(plot);
            plot.strip_suffix(".svg").expect("its ending").to_owned()
        }));
    }
    for plot in &drawn_plots {
        assert!(listed_plots.iter().any(|pattern| matches(pattern, plot)), "{plot} is not listed");
    }
    for pattern in listed_plots {
        assert!(
            drawn_plots.iter().any(|plot| matches(pattern, plot)),
            "{pattern} is never drawn: {drawn_plots:?}"
        );
    }
}
