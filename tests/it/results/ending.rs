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

fn four() -> Folder {
    Folder::with_file("four.toml", FOUR)
}

/// More games do not narrow an interval without width, so none are suggested.
#[test]
fn equal_players_need_no_more_games() {
    let folder = Folder::new();
    let players =
        ["one", "other"].map(|name| format!("[[player]]\nname = {name:?}\nalgorithm = \"greedy\"\n"));
    let head = "name = \"same\"\ngame = \"2048\"\nseed = 1\ngames = 100\n\n";
    folder.write("same.toml", head.to_owned() + &players.concat());
    let said = folder.run("run same.toml").assert_status(0).out;
    assert!(said.contains("% score [0.0, 0.0]") && said.contains("; equal on every seed"), "{said}");
    assert!(!said.contains("half as wide"), "{said}");
    assert!(four().run("run four.toml").assert_status(0).out.contains("half as wide"));
}

/// The comparison in a claim has its own correction, so the same pair is not shown again with
/// another p.
#[test]
fn a_comparison_that_was_claimed_is_not_repeated() {
    let folder = Folder::new();
    let claim = |better: &str| format!("\n[[claim]]\nbetter = {better:?}\nthan = \"gain\"\n");
    folder.write("four.toml", FOUR.to_owned() + &claim("last"));
    let said = folder.run("run four.toml").assert_status(0).out;
    assert_eq!(said.matches("last vs gain: ").count(), 1, "{said}");
    folder.run("report results/four --out four.html").assert_status(0);
    let page = folder.read("four.html");
    let (_, afterwards) = page.rsplit_once("Compared afterwards").expect("other comparisons");
    assert!(afterwards.contains("Comparisons that were claimed are left out"), "{afterwards}");
    let (afterwards, _) = afterwards.split_once("All pairs").expect("a matrix");
    assert!(!afterwards.contains("last vs gain") && afterwards.contains("last vs any"), "{afterwards}");
    // A claim about another pair does not omit this pair.
    folder.write("four.toml", FOUR.to_owned() + &claim("corner"));
    let said = folder.run("run four.toml").assert_status(0).out;
    assert_eq!(said.matches("last vs gain: ").count(), 1, "{said}");
}

/// The games of a run are always equal, and so are their results; only times differ.
#[test]
fn the_last_lines_say_who_leads_by_how_much_how_sure_and_at_which_price() {
    let folder = four();
    let said = folder.run("run four.toml").assert_status(0).out;
    let (_, end) = said.split_once("results in results/four\n").expect("an end");
    let lines: Vec<&str> = end.lines().collect();
    let [headline, sure, second, more, next] = lines[..] else { panic!("{end}") };
    assert!(
        headline.starts_with("last won most often: ") && headline.ends_with(" of its 400 games."),
        "{headline}"
    );
    assert_eq!(sure, "The leader is significantly better than 2 of 3 others; 1 inconclusive.");
    assert!(
        second.starts_with("inconclusive  last vs gain: +")
            && second.ends_with(" (McNemar, Holm over 6), 400 pairs"),
        "{second}"
    );
    assert!(second.contains(" points of wins [") && second.contains("; p = "), "{second}");
    assert_eq!(more, "for intervals half as wide: gauntlet run four.toml --games 1600");
    assert_eq!(next, "HTML report: gauntlet report results/four --out four.html");
    // The page shows the same tests.
    let next = next.split_once("gauntlet ").expect("a command").1;
    folder.run(next).assert_status(0);
    let page = folder.read("four.html");
    assert!(
        page.contains(&format!("<strong>last</strong> {}", headline.trim_start_matches("last "))),
        "{page}"
    );
    assert!(page.contains(&format!("<p class=\"sure\">{sure}</p>")), "{page}");
    // Tables for people have the strongest first; tables for programs have the order of the
    // experiment.
    let places = |text: &str, starts: &str| {
        let names = text.lines().filter_map(|line| line.split([' ', ',']).next());
        let at = |name: &str| {
            names.clone().position(|word| word == name).unwrap_or_else(|| panic!("{starts}: {text}"))
        };
        ["last", "gain", "corner", "any"].map(at)
    };
    for command in ["run four.toml", "report results/four"] {
        assert!(places(&folder.run(command).assert_status(0).out, command).is_sorted(), "{command}");
    }
    let csv = places(&folder.read("results/four/win-rate.csv"), "csv");
    assert!(csv[3] < csv[1] && csv[1] < csv[2] && csv[2] < csv[0]);
    // With a table on standard output nothing else is printed there.
    let said = folder.run("run four.toml --export win-rate=-").assert_status(0);
    assert!(!said.out.contains("won most often") && said.err.contains("last won most often"), "{}", said.err);
}

/// The time of interleaved games includes the rules, and a line says so for the first two players.
#[test]
fn times_that_include_the_rules_say_so() {
    let folder = Folder::new();
    for (algorithms, expected) in [
        (&["greedy", "random"][..], Some("Times of random include the rules.")),
        (&["random"], Some("Times of random include the rules.")),
        (&["n-tuple", "greedy"], None),
    ] {
        let mut toml = "name = 't'\ngame = '2048'\nseed = 1\ngames = 300\nwin = 256\n".to_owned();
        for algorithm in algorithms {
            toml += &format!("[[player]]\nname = '{algorithm}'\nalgorithm = '{algorithm}'\n");
        }
        folder.write("t.toml", toml);
        let said = folder.run("run t.toml --replace").assert_status(0).out;
        assert_eq!(said.lines().find(|line| line.contains("include the rules")), expected, "{said}");
    }
}

#[test]
fn one_player_two_and_equals_have_an_end_too() {
    let folder = Folder::new();
    let head = "game = '2048'\nseed = 1\ngames = 50\nwin = 512\n";
    let player = |name: &str| format!("[[player]]\nname = '{name}'\nalgorithm = 'greedy'\n");
    folder.write("one.toml", format!("name = 'one'\n{head}{}", player("a")));
    let said = folder.run("run one.toml").assert_status(0).out;
    assert!(said.contains("\na won ") && !said.contains(" vs "), "{said}");
    folder.write("equals.toml", format!("name = 'equals'\n{head}{}{}", player("a"), player("b")));
    let said = folder.run("run equals.toml").assert_status(0).out;
    assert!(said.contains("\na and b won equally often: "), "{said}");
    assert!(
        said.contains("\ninconclusive  a vs b: +0.0 points of wins [")
            && said.contains("; equal on every seed\n"),
        "{said}"
    );
    // A duel.
    folder.write(
        "stones.toml",
        "name = 'stones'\ngame = 'gomoku'\nseed = 1\ngames = 8\n[[player]]\nname = 'any'\nalgorithm = 'random'\n\
         [[player]]\nname = 'rows'\nalgorithm = 'gomoku-greedy'\n",
    );
    let said = folder.run("run stones.toml").assert_status(0).out;
    assert!(said.contains("\nrows is rated highest: Elo ") && said.contains("  rows vs any: "), "{said}");
    // A partial run says that it is partial.
    folder.write("part.toml", format!("name = 'part'\n{}{}", head.replace("50", "90000000"), player("a")));
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
    let said = folder.run("run crowd.toml").assert_status(0).out;
    assert!(said.contains(" won equally often: ") && !said.contains(" vs "), "{said}");
    assert!(said.contains("\nto compare these players: gauntlet compare results/crowd\n"), "{said}");
}

/// Output on a terminal.
#[cfg(target_os = "linux")]
mod terminal {
    use super::{FOUR, Folder, four};
    use crate::bench::classics_with_games;

    /// Returns the final screen; earlier drawings are gone.
    fn last_screen(told: &str) -> Vec<String> {
        let Some((_, end)) = told.rsplit_once("\u{1b}[2K") else {
            return told.lines().map(str::to_owned).collect();
        };
        // The cursor moved up to the start of the drawing.
        let up = |end: &str| {
            Some(
                end.strip_prefix("\u{1b}[")?
                    .trim_start_matches(char::is_numeric)
                    .strip_prefix('A')?
                    .to_owned(),
            )
        };
        let end = up(end).unwrap_or_else(|| end.to_owned());
        end.lines().map(str::to_owned).collect()
    }

    #[test]
    fn four_players_fit_a_screen_and_the_rest_is_told_by_name() {
        let folder = four();
        folder.run("run four.toml --quiet").assert_status(0);
        let told = folder.run_on_terminal("run four.toml", 80);
        let lines = last_screen(&told);
        // The typed line and the next prompt are on the screen, too.
        assert!(lines.len() <= 22, "{} lines\n{told}", lines.len());
        assert!(
            told.contains("more: gauntlet report results/four (") && told.contains("ms-per-move"),
            "{told}"
        );
        assert!(lines[1].contains("  cpu per move  "), "{told}");
        let order = ["last", "gain", "corner", "any"];
        for (line, name) in lines[2..6].iter().zip(order) {
            assert!(line.contains(name), "{told}");
        }
        // Verdicts follow at any height of the terminal, claims last.
        let published = |i: u64| {
            format!(
                "[[published]]\nplayer = 'any'\nwhat = 'score'\nvalue = [{i}, {}]\nsource = 'a paper'\n",
                900 + i
            )
        };
        let claim = "[[claim]]\nbetter = 'gain'\nthan = 'any'\n";
        let verdicts = (1..30).map(published).collect::<String>() + claim;
        folder.play("many.toml", FOUR.replacen("four", "many", 1) + &verdicts);
        let told = folder.run_on_terminal("run many.toml", 80);
        let lines = last_screen(&told);
        assert_eq!(lines[0], "win-rate", "{told}");
        assert_eq!(told.matches("any score: published ").count(), 29, "{told}");
        let place =
            |word: &str| lines.iter().position(|line| line == word).unwrap_or_else(|| panic!("{told}"));
        assert!(place("published") < place("claims"), "{told}");
        assert!(lines[place("claims") + 1].contains("confirmed  gain vs any: +"), "{told}");
    }

    #[test]
    fn answers_have_a_colour_where_they_are_shown() {
        let folder = four();
        folder.run("run four.toml --quiet").assert_status(0);
        let rows = |told: &str| -> Vec<String> {
            ["last", "gain", "corner", "any"]
                .map(|name| {
                    let row = |line: &&str| {
                        line.trim_start_matches(['\u{1b}', '[', '0', '1', '2', '3', 'm']).starts_with(name)
                    };
                    told.lines().find(row).unwrap_or_else(|| panic!("{name}: {told}")).to_owned()
                })
                .to_vec()
        };
        let coloured = rows(&folder.run_on_terminal("run four.toml", 80));
        let begins = |place: usize, with: &str| assert!(coloured[place].starts_with(with), "{coloured:#?}");
        begins(0, "\u{1b}[32mlast");
        begins(1, "gain");
        begins(2, "\u{1b}[31mcorner");
        begins(3, "\u{1b}[31many");
        for by in ["exec env NO_COLOR=1", "exec env TERM=dumb"] {
            let told = folder.run_on_terminal_by(by, "run four.toml", 80);
            assert!(!told.contains('\u{1b}'), "{by}: {told}");
        }
        assert!(!folder.run("run four.toml").assert_status(0).out.contains('\u{1b}'));
    }

    /// Returns the games of each player in the table of a stopped run, with the first number after
    /// `wins`.
    fn left(told: &str) -> (u64, Vec<(String, u64, f64)>) {
        let lines = last_screen(told);
        let number =
            |word: &str| word.replace(',', "").parse::<u64>().unwrap_or_else(|_| panic!("{word}: {told}"));
        let head = lines
            .iter()
            .find(|line| line.contains(" of 3,000,000 games, "))
            .unwrap_or_else(|| panic!("{told}"));
        let rows = lines.iter().filter(|line| line.contains("  wins "));
        let row = |line: &String| {
            let words: Vec<&str> = line.split_whitespace().collect();
            (words[0].to_owned(), number(words[1]), words[3].parse().expect("a rate"))
        };
        (number(head.split(' ').next().expect("a number")), rows.map(row).collect())
    }

    #[test]
    fn a_stopped_run_leaves_its_last_table_and_a_resumed_one_counts_all_games() {
        let folder = Folder::new();
        // Nearly all games reach 32, and so are won.
        folder.write(
            "classics.toml",
            classics_with_games(1_000_000).replacen("seed = 7", "seed = 7\nwin = 32", 1),
        );
        // In the background, `timeout` signals the program and then its group. The second signal
        // would end the program immediately.
        let stopped = || {
            folder.run_on_terminal_by("timeout --foreground -s INT 2", "run classics.toml --threads 2", 80)
        };
        let told = stopped();
        let (first, rows) = left(&told);
        assert_eq!(rows.iter().map(|row| row.1).sum::<u64>(), first, "{told}");
        assert!(first > 0 && rows.iter().all(|row| row.2 > 99.0), "{told}");
        let shows =
            "saved in the journal; results so far:\n  gauntlet report results/classics\nto resume:\n  ";
        assert!(told.contains(shows), "{told}");
        folder.run("report results/classics").assert_status(0).assert_says("win rate %");
        let told = stopped();
        let (second, rows) = left(&told);
        assert!(second > first, "{told}");
        assert_eq!(rows.iter().map(|row| row.1).sum::<u64>(), second, "{told}");
        assert!(rows.iter().all(|row| row.2 > 99.0), "games that were there count as lost: {told}");
    }
}

/// Players with equal win rates are ordered by their mean scores, everywhere.
#[test]
fn scores_order_players_that_never_win() {
    let folder = Folder::new();
    let player =
        |name: &str, more: &str| format!("[[player]]\nname = \"{name}\"\nalgorithm = \"{name}\"\n{more}\n");
    let head = "name = \"ties\"\ngame = \"2048\"\nseed = 3\ngames = 60\nwin = 1024\n";
    let players = player("random", "") + &player("greedy", "") + &player("ovolve", "depth = 2");
    let claim = "[[claim]]\nbetter = \"greedy\"\nthan = \"random\"\n";
    folder.write("ties.toml", format!("{head}{players}{claim}"));
    let said = folder.run("run ties.toml").assert_status(0);
    let said = said
        .assert_says("ovolve vs greedy: ")
        .assert_says("no wins on either side; compare scores with by = \"score\"");
    let order = |text: &str, from: &str| {
        let (_, table) = text.split_once(from).unwrap_or_else(|| panic!("no {from}: {text}"));
        ["ovolve ", "greedy ", "random "]
            .map(|name| table.find(name).unwrap_or_else(|| panic!("{name}: {table}")))
    };
    assert!(order(&said.out, "win-rate").is_sorted(), "{}", said.out);
    for command in
        ["compare results/ties", "compare results/ties --all-pairs --by win", "rank results/ties --by win"]
    {
        let said = folder.run(command).assert_status(0).out;
        let (one, other) = (said.find("greedy"), said.find("random"));
        assert!(one.is_some() && one < other, "{command}: {said}");
    }
    folder.run("report results/ties --out ties.html").assert_status(0);
    let page = folder.read("ties.html");
    assert!(page.contains("The leader is significantly better than all 2 others."), "{page}");
    let (_, strongest) = page.split_once("trongest player first").expect("an order");
    assert!(strongest.find("greedy") < strongest.find("random"), "{strongest}");
    // The table under the plot has the same order.
    let (_, numbers) = strongest.split_once("<tbody>").expect("a table");
    let rows = ["ovolve", "greedy", "random"].map(|name| numbers.find(name));
    assert!(rows.is_sorted() && rows[0].is_some(), "{rows:?}: {numbers}");
}
