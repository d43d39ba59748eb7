//! The end of a run: its last lines answer the user's question on one screen, and agree with the
//! page.

use crate::bench::Folder;

/// Four players, two of which are hard to distinguish.
const FOUR: &str = r#"
name = "four"
game = "2048"
seed = 1
games = 400
win = 256
player = [
    { name = "any", algorithm = "random" },
    { name = "gain", algorithm = "greedy" },
    { name = "corner", algorithm = "fixed-order", order = ["down", "left", "right", "up"] },
    { name = "last", algorithm = "greedy", ties = "last" },
]
"#;

fn four_players() -> Folder {
    Folder::with_file("four.toml", FOUR)
}

/// More games do not narrow an interval without width, so none are suggested.
#[test]
fn equal_players_need_no_more_games() {
    let folder = Folder::new();
    let players =
        ["one", "other"].map(|name| format!("[[player]]\nname = {name:?}\nalgorithm = \"greedy\"\n"));
    let header = "name = \"same\"\ngame = \"2048\"\nseed = 1\ngames = 100\n\n";
    folder.write("same.toml", header.to_owned() + &players.concat());
    let stdout = folder.run("run same.toml").assert_status(0).stdout;
    assert!(stdout.contains("% score [0.0, 0.0]") && stdout.contains("; equal on every seed"), "{stdout}");
    assert!(!stdout.contains("half as wide"), "{stdout}");
    assert!(four_players().run("run four.toml").assert_status(0).stdout.contains("half as wide"));
}

/// The comparison in a claim has its own correction, so the same pair is not shown again with
/// another p.
#[test]
fn a_comparison_that_was_claimed_is_not_repeated() {
    let folder = Folder::new();
    let claim = |better: &str| format!("\n[[claim]]\nbetter = {better:?}\nthan = \"gain\"\n");
    folder.write("four.toml", FOUR.to_owned() + &claim("last"));
    let stdout = folder.run("run four.toml").assert_status(0).stdout;
    assert_eq!(stdout.matches("last vs gain: ").count(), 1, "{stdout}");
    folder.run("report results/four --out four.html").assert_status(0);
    let page = folder.read("four.html");
    let (_, later_section) = page.rsplit_once("Compared afterwards").expect("other comparisons");
    assert!(later_section.contains("Comparisons that were claimed are left out"), "{later_section}");
    let (later_section, _) = later_section.split_once("All pairs").expect("a matrix");
    assert!(
        !later_section.contains("last vs gain") && later_section.contains("last vs any"),
        "{later_section}"
    );
    // A claim that was added after the games omits nothing.
    folder.write("added.toml", FOUR.replacen("\"four\"", "\"added\"", 1));
    folder.run("run added.toml").assert_status(0);
    folder.write("added.toml", folder.read("added.toml") + &claim("last"));
    folder.run("judge added.toml").assert_status(0).assert_says("claimed after the games were played");
    folder.run("report results/added --out added.html").assert_status(0);
    let page = folder.read("added.html");
    let (_, later_section) = page.rsplit_once("Compared afterwards").expect("other comparisons");
    let (later_section, _) = later_section.split_once("All pairs").expect("a matrix");
    assert!(later_section.contains("last vs gain"), "{later_section}");
    // A claim about another pair does not omit this pair.
    folder.write("four.toml", FOUR.to_owned() + &claim("corner"));
    let stdout = folder.run("run four.toml").assert_status(0).stdout;
    assert_eq!(stdout.matches("last vs gain: ").count(), 1, "{stdout}");
    // Nor does a claim about another measure.
    folder.write("four.toml", FOUR.to_owned() + &claim("last") + "by = \"score\"\n");
    let stdout = folder.run("run four.toml").assert_status(0).stdout;
    assert_eq!(stdout.matches("last vs gain: ").count(), 2, "{stdout}");
}

/// The games of a run are always equal, and so are their results; only times differ.
#[test]
fn the_last_lines_say_who_leads_by_how_much_how_sure_and_at_which_price() {
    let folder = four_players();
    let stdout = folder.run("run four.toml").assert_status(0).stdout;
    let (_, end) = stdout.split_once("results in results/four\n").expect("an end");
    let lines: Vec<&str> = end.lines().collect();
    let [headline, significance, caveat, comparison, interval_advice, report_command] = lines[..] else {
        panic!("{end}")
    };
    assert_eq!(caveat, "Times of last and gain include the rules.");
    assert!(
        headline.starts_with("last won most often: ") && headline.ends_with(" of its 400 games."),
        "{headline}"
    );
    assert_eq!(significance, "The leader is significantly better than 2 of 3 others; 1 inconclusive.");
    assert!(
        comparison.starts_with("inconclusive  last vs gain: +")
            && comparison.ends_with(" (McNemar, Holm over 6), 400 pairs"),
        "{comparison}"
    );
    assert!(comparison.contains(" points of wins [") && comparison.contains("; p = "), "{comparison}");
    assert_eq!(interval_advice, "for intervals half as wide: gauntlet run four.toml --games 1600");
    assert_eq!(report_command, "HTML report: gauntlet report results/four --out four.html");
    // The page shows the same tests.
    let report_command = report_command.split_once("gauntlet ").expect("a command").1;
    folder.run(report_command).assert_status(0);
    let page = folder.read("four.html");
    assert!(
        page.contains(&format!("<strong>last</strong> {}", headline.trim_start_matches("last "))),
        "{page}"
    );
    assert!(page.contains(&format!("<p class=\"sure\">{significance}</p>")), "{page}");
    // Tables for people have the strongest first; tables for programs have the order of the
    // experiment.
    let places = |text: &str, label: &str| {
        let names = text.lines().filter_map(|line| line.split([' ', ',']).next());
        let index_of = |name: &str| {
            names.clone().position(|word| word == name).unwrap_or_else(|| panic!("{label}: {text}"))
        };
        ["last", "gain", "corner", "any"].map(index_of)
    };
    for command in ["run four.toml", "report results/four"] {
        assert!(places(&folder.run(command).assert_status(0).stdout, command).is_sorted(), "{command}");
    }
    let csv = places(&folder.read("results/four/win-rate.csv"), "csv");
    assert!(csv[3] < csv[1] && csv[1] < csv[2] && csv[2] < csv[0]);
    // With a table on standard output nothing else is printed there.
    let output = folder.run("run four.toml --export win-rate=-").assert_status(0);
    assert!(
        !output.stdout.contains("won most often") && output.stderr.contains("last won most often"),
        "{}",
        output.stderr
    );
}

/// The time of games that are played at once includes the rules, and a line says so for the first
/// two players.
#[test]
fn times_that_include_the_rules_say_so() {
    let folder = Folder::new();
    for (algorithms, expected) in [
        (&["n-tuple", "random"][..], Some("Times of random include the rules.")),
        (&["random"], Some("Times of random include the rules.")),
        (&["n-tuple", "greedy"], Some("Times of greedy include the rules.")),
        (&["n-tuple"], None),
    ] {
        let mut toml = "name = 't'\ngame = '2048'\nseed = 1\ngames = 300\nwin = 256\n".to_owned();
        for algorithm in algorithms {
            toml += &format!("[[player]]\nname = '{algorithm}'\nalgorithm = '{algorithm}'\n");
        }
        folder.write("t.toml", toml);
        let stdout = folder.run("run t.toml --replace").assert_status(0).stdout;
        assert_eq!(stdout.lines().find(|line| line.contains("include the rules")), expected, "{stdout}");
    }
}

#[test]
fn one_player_two_and_equals_have_an_end_too() {
    let folder = Folder::new();
    let header = "game = '2048'\nseed = 1\ngames = 50\nwin = 512\n";
    let player = |name: &str| format!("[[player]]\nname = '{name}'\nalgorithm = 'greedy'\n");
    folder.write("one.toml", format!("name = 'one'\n{header}{}", player("a")));
    let stdout = folder.run("run one.toml").assert_status(0).stdout;
    assert!(stdout.contains("\na won ") && !stdout.contains(" vs "), "{stdout}");
    folder.write("equals.toml", format!("name = 'equals'\n{header}{}{}", player("a"), player("b")));
    let stdout = folder.run("run equals.toml").assert_status(0).stdout;
    assert!(stdout.contains("\na and b won equally often: "), "{stdout}");
    assert!(
        stdout.contains("\ninconclusive  a vs b: +0.0 points of wins [")
            && stdout.contains("; equal on every seed\n"),
        "{stdout}"
    );
    // A duel.
    folder.write(
        "stones.toml",
        "name = 'stones'\ngame = 'gomoku'\nseed = 1\ngames = 8\n[[player]]\nname = 'any'\nalgorithm = 'random'\n\
         [[player]]\nname = 'rows'\nalgorithm = 'gomoku-greedy'\n",
    );
    let stdout = folder.run("run stones.toml").assert_status(0).stdout;
    assert!(
        stdout.contains("\nrows is rated highest: Elo ") && stdout.contains("  rows vs any: "),
        "{stdout}"
    );
    // A partial run says that it is partial.
    folder.write("part.toml", format!("name = 'part'\n{}{}", header.replace("50", "90000000"), player("a")));
    folder.run("run part.toml --for 1s").assert_status(0).assert_says("\nSo far a won ");
}

/// Comparing half a million pairs would take too long at the end of a run.
#[test]
fn very_many_players_are_compared_where_that_is_asked_for() {
    let folder = Folder::new();
    let player = |i: u64| format!("[[player]]\nname = 'p{i}'\nalgorithm = 'random'\n");
    let players: String = (0..1500).map(player).collect();
    folder.write(
        "crowd.toml",
        format!("name = 'crowd'\ngame = '2048'\nseed = 1\ngames = 20\nwin = 64\n{players}"),
    );
    let stdout = folder.run("run crowd.toml").assert_status(0).stdout;
    assert!(stdout.contains(" won equally often: ") && !stdout.contains(" vs "), "{stdout}");
    assert!(stdout.contains("\nto compare these players: gauntlet compare results/crowd\n"), "{stdout}");
}

/// Output on a terminal.
#[cfg(target_os = "linux")]
mod terminal {
    use super::{FOUR, Folder, four_players};
    use crate::bench::{ENDLESS, classics_with_games};

    /// Returns the final screen; earlier drawings are gone.
    fn last_screen(output: &str) -> Vec<String> {
        let Some((_, end)) = output.rsplit_once("\u{1b}[2K") else {
            return output.lines().map(str::to_owned).collect();
        };
        // The cursor moved up to the start of the drawing.
        let after_cursor_up = |end: &str| {
            Some(
                end.strip_prefix("\u{1b}[")?
                    .trim_start_matches(char::is_numeric)
                    .strip_prefix('A')?
                    .to_owned(),
            )
        };
        let end = after_cursor_up(end).unwrap_or_else(|| end.to_owned());
        end.lines().map(str::to_owned).collect()
    }

    #[test]
    fn four_players_fit_a_screen_and_the_rest_is_told_by_name() {
        let folder = four_players();
        folder.run("run four.toml --quiet").assert_status(0);
        let screen = folder.run_on_terminal("run four.toml", 80);
        let lines = last_screen(&screen);
        // The typed line and the next prompt are on the screen, too.
        assert!(lines.len() <= 22, "{} lines\n{screen}", lines.len());
        assert!(
            screen.contains("more: gauntlet report results/four (") && screen.contains("ms-per-move"),
            "{screen}"
        );
        assert!(lines[1].contains("  cpu per move  "), "{screen}");
        let order = ["last", "gain", "corner", "any"];
        for (line, name) in lines[2..6].iter().zip(order) {
            assert!(line.contains(name), "{screen}");
        }
        // Verdicts follow at any height of the terminal, claims last.
        let published = |i: u64| {
            format!(
                "[[published]]\nplayer = 'any'\nwhat = 'score'\nvalue = [{i}, {}]\nsource = 'a paper'\n",
                900 + i
            )
        };
        let claim = "[[claim]]\nbetter = 'gain'\nthan = 'any'\n";
        let sections = (1..30).map(published).collect::<String>() + claim;
        folder.play("many.toml", FOUR.replacen("four", "many", 1) + &sections);
        let screen = folder.run_on_terminal("run many.toml", 80);
        let lines = last_screen(&screen);
        assert_eq!(lines[0], "win-rate", "{screen}");
        assert_eq!(screen.matches("any score: published ").count(), 29, "{screen}");
        let line_index =
            |word: &str| lines.iter().position(|line| line == word).unwrap_or_else(|| panic!("{screen}"));
        assert!(line_index("published") < line_index("claims"), "{screen}");
        assert!(lines[line_index("claims") + 1].contains("confirmed  gain vs any: +"), "{screen}");
    }

    #[test]
    fn answers_have_a_colour_where_they_are_shown() {
        let folder = four_players();
        folder.run("run four.toml --quiet").assert_status(0);
        let rows = |screen: &str| -> Vec<String> {
            ["last", "gain", "corner", "any"]
                .map(|name| {
                    let row = |line: &&str| {
                        line.trim_start_matches(['\u{1b}', '[', '0', '1', '2', '3', 'm']).starts_with(name)
                    };
                    screen.lines().find(row).unwrap_or_else(|| panic!("{name}: {screen}")).to_owned()
                })
                .to_vec()
        };
        let coloured = rows(&folder.run_on_terminal("run four.toml", 80));
        let assert_starts =
            |index: usize, start: &str| assert!(coloured[index].starts_with(start), "{coloured:#?}");
        assert_starts(0, "\u{1b}[32mlast");
        assert_starts(1, "gain");
        assert_starts(2, "\u{1b}[31mcorner");
        assert_starts(3, "\u{1b}[31many");
        for launcher in ["exec env NO_COLOR=1", "exec env TERM=dumb"] {
            let screen = folder.run_on_terminal_with(launcher, "run four.toml", 80);
            assert!(!screen.contains('\u{1b}'), "{launcher}: {screen}");
        }
        assert!(!folder.run("run four.toml").assert_status(0).stdout.contains('\u{1b}'));
    }

    /// Returns the games of each player in the table of a stopped run, with the first number after
    /// `wins`.
    fn read_stopped_table(screen: &str) -> (u64, Vec<(String, u64, f64)>) {
        let lines = last_screen(screen);
        let number =
            |word: &str| word.replace(',', "").parse::<u64>().unwrap_or_else(|_| panic!("{word}: {screen}"));
        let progress_line = lines
            .iter()
            .find(|line| line.contains(" of 300,000,000 games, "))
            .unwrap_or_else(|| panic!("{screen}"));
        let rows = lines.iter().filter(|line| line.contains("  wins "));
        let row = |line: &String| {
            let words: Vec<&str> = line.split_whitespace().collect();
            (words[0].to_owned(), number(words[1]), words[3].parse().expect("a rate"))
        };
        (number(progress_line.split(' ').next().expect("a number")), rows.map(row).collect())
    }

    #[test]
    fn a_stopped_run_leaves_its_last_table_and_a_resumed_one_counts_all_games() {
        let folder = Folder::new();
        // Nearly all games reach 32, and so are won.
        folder.write(
            "classics.toml",
            classics_with_games(ENDLESS).replacen("seed = 7", "seed = 7\nwin = 32", 1),
        );
        // In the background, `timeout` signals the program and then its group. The second signal
        // would end the program immediately.
        let run_and_stop = || {
            folder.run_on_terminal_with("timeout --foreground -s INT 2", "run classics.toml --threads 2", 80)
        };
        let screen = run_and_stop();
        let (first, rows) = read_stopped_table(&screen);
        assert_eq!(rows.iter().map(|row| row.1).sum::<u64>(), first, "{screen}");
        assert!(first > 0 && rows.iter().all(|row| row.2 > 99.0), "{screen}");
        let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        let message = "saved in the journal; results so far: gauntlet report results/classics to resume: ";
        assert!(words.contains(message), "{screen}");
        folder.run("report results/classics").assert_status(0).assert_says("win rate %");
        let screen = run_and_stop();
        let (second, rows) = read_stopped_table(&screen);
        assert!(second > first, "{screen}");
        assert_eq!(rows.iter().map(|row| row.1).sum::<u64>(), second, "{screen}");
        assert!(rows.iter().all(|row| row.2 > 99.0), "games that were there count as lost: {screen}");
    }
}

/// Players with equal win rates are ordered by their mean scores, everywhere.
#[test]
fn scores_order_players_that_never_win() {
    let folder = Folder::new();
    let player = |name: &str, settings: &str| {
        format!("[[player]]\nname = \"{name}\"\nalgorithm = \"{name}\"\n{settings}\n")
    };
    let header = "name = \"ties\"\ngame = \"2048\"\nseed = 3\ngames = 60\nwin = 1024\n";
    let players = player("random", "") + &player("greedy", "") + &player("ovolve", "depth = 2");
    let claim = "[[claim]]\nbetter = \"greedy\"\nthan = \"random\"\n";
    folder.write("ties.toml", format!("{header}{players}{claim}"));
    let output = folder.run("run ties.toml").assert_status(0);
    let output = output
        .assert_says("ovolve vs greedy: ")
        .assert_says("no wins on either side; compare scores with by = \"score\"");
    let order = |text: &str, start: &str| {
        let (_, table) = text.split_once(start).unwrap_or_else(|| panic!("no {start}: {text}"));
        ["ovolve ", "greedy ", "random "]
            .map(|name| table.find(name).unwrap_or_else(|| panic!("{name}: {table}")))
    };
    assert!(order(&output.stdout, "win-rate").is_sorted(), "{}", output.stdout);
    for command in
        ["compare results/ties", "compare results/ties --all-pairs --by win", "rank results/ties --by win"]
    {
        let stdout = folder.run(command).assert_status(0).stdout;
        let (one, other) = (stdout.find("greedy"), stdout.find("random"));
        assert!(one.is_some() && one < other, "{command}: {stdout}");
    }
    folder.run("report results/ties --out ties.html").assert_status(0);
    let page = folder.read("ties.html");
    assert!(page.contains("The leader is significantly better than all 2 others."), "{page}");
    let (_, section) = page.split_once("trongest player first").expect("an order");
    assert!(section.find("greedy") < section.find("random"), "{section}");
    // The table under the plot has the same order.
    let (_, numbers) = section.split_once("<tbody>").expect("a table");
    let rows = ["ovolve", "greedy", "random"].map(|name| numbers.find(name));
    assert!(rows.is_sorted() && rows[0].is_some(), "{rows:?}: {numbers}");
}
