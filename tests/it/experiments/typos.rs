//! Command lines with a missing or mistyped word: the message suggests the probable one.

use crate::bench::{Folder, play_in_new_folder, short_experiment};

/// A missing file or folder on the command line is the user's mistake: exit status 2.
#[test]
fn a_missing_file_ends_with_status_2() {
    let folder = play_in_new_folder("short.toml", short_experiment(10));
    for line in [
        "run absent.toml",
        "run short.toml absent.toml",
        "run absent.toml --games 10",
        "check absent.toml",
        "tune absent.toml",
        "train absent.toml",
        "show absent.toml",
        "show absent.sgf",
        "probe absent.jsonl",
        "probe --experiment absent.toml",
        "report absent",
        "report absent --out page.html",
        "report --splice absent.md",
        "compare absent",
        "compare results/short results/absent",
        "rank absent",
        "merge absent.toml",
        "merge short.toml absent.jsonl",
        "judge absent.toml",
        "status absent",
    ] {
        folder.run(line).assert_status(2).assert_says("no such ").assert_says("absent");
    }
    assert!(!folder.path("x").exists() && !folder.path("page.html").exists());
    folder.write("configs/short.toml", short_experiment(10));
    for line in [
        "run configs",
        "run short.toml configs",
        "run configs --games 10",
        "check configs",
        "tune configs",
        "train configs",
    ] {
        let message = "configs has no experiment; give the file of an experiment\n";
        folder.run(line).assert_status(2).assert_says(message);
    }
    // A path of the wrong kind is not such a mistake, nor is a run that was not played.
    folder.run("report .").assert_status(1);
}

/// The message shows each section with its brackets: one pair for a single table, two for a list of
/// tables.
#[test]
fn brackets_and_names_of_sections_are_suggested() {
    let folder = Folder::new();
    let header = "name = 'x'\ngame = '2048'\nseed = 1\ngames = 10\n";
    let player = "[[player]]\nname = 'a'\nalgorithm = 'random'\n";
    let check_error = |text: &str| {
        folder.write("x.toml", text);
        folder.run("check x.toml").assert_status(2).stderr
    };
    let lists = [
        ("player", "name = 'a'\nalgorithm = 'random'\n"),
        ("claim", "better = 'a'\nthan = 'b'\n"),
        ("published", "player = 'a'\nsource = 's'\nvalue = 1\nwhat = 'score'\n"),
    ];
    for (list, keys) in lists {
        let before = if list == "player" { header.to_owned() } else { format!("{header}{player}") };
        let message = format!("must be a table `[[{list}]]`");
        for times in 1..4 {
            let stderr =
                check_error(&format!("{before}{}", format!("[{list}] # of mine\n{keys}").repeat(times)));
            assert_eq!(stderr.matches(&message).count(), 1, "{list}, {times} times: {stderr}");
            assert!(!stderr.contains("duplicate key"), "{stderr}");
        }
        for section_header in [format!("[{list}s]"), format!("[[{list}s]]")] {
            let stderr = check_error(&format!("{before}{section_header}\n{keys}"));
            assert!(stderr.contains(&format!("did you mean `[[{list}]]`?")), "{section_header}: {stderr}");
        }
    }
    for (section_text, suggestion) in [
        ("[sweep]\ndepth = [1, 2]", "did you mean `[player.sweep]`?"),
        ("[[sweep]]\ndepth = [1, 2]", "did you mean `[player.sweep]`?"),
        ("[[player.sweep]]\ndepth = [1, 2]", "must be a table `[player.sweep]`"),
        ("[params.depth]\nbounds = [1, 2]", "did you mean `[tune.params]`?"),
        ("[validate]\ngames = 100", "did you mean `[tune.validate]`?"),
        ("[stopp]\nbetter = 'a'\nthan = 'a'", "did you mean `[stop]`?"),
        ("[[stop]]\nbetter = 'a'\nthan = 'a'", "must be one table `[stop]`"),
    ] {
        let stderr = check_error(&format!("{header}{player}{section_text}\n"));
        assert!(stderr.contains(suggestion), "{section_text}: {stderr}");
    }
    let stderr = check_error(&format!("{header}budget = 5\n{player}"));
    assert!(stderr.contains("this is a key of `[tune]`"), "{stderr}");
    let stderr = check_error(&format!("{header}algorithm = 'random'\n{player}"));
    assert!(stderr.contains("this is a key of `[[player]]`"), "{stderr}");
    // A repeated key keeps its own message.
    let stderr = check_error(&format!("{header}seed = 2\n{player}"));
    assert!(stderr.contains("duplicate key"), "{stderr}");
}

#[test]
fn words_of_other_programs_lead_to_commands() {
    let folder = Folder::new();
    for (line, suggestion) in [
        ("list", "'players'"),
        ("LIST", "'players'"),
        ("ls", "'status'"),
        ("play mine.toml", "'run'"),
        ("plot results", "'report'"),
        ("resume results/mine", "'run', 'tune', 'train'"),
        ("version", "'--version'"),
        ("help list", "'players'"),
    ] {
        let output = folder.run(line).assert_status(2).assert_says("unrecognized subcommand");
        output.assert_says(&format!("tip: use {suggestion}\n"));
    }
    for (line, suggestion) in [("rnu", "run"), ("trian", "train"), ("help trian", "train")] {
        let output = folder.run(line).assert_status(2).assert_says("unrecognized subcommand");
        output.assert_says(&format!("tip: a similar subcommand exists: '{suggestion}'\n"));
    }
    let output = folder.run("xyzzy").assert_status(2);
    assert!(!output.stderr.contains("tip:"), "{}", output.stderr);
    folder.run("help").assert_status(0);
    folder.run("--version").assert_status(0);
}

#[test]
fn a_command_without_its_arguments_shows_an_example() {
    let folder = Folder::new();
    for (line, example) in [
        ("run", "Example:\n  gauntlet run quick"),
        ("tune", "gauntlet tune configs/tune/quick.toml"),
        ("compare", "gauntlet compare results/quick"),
        ("power", "gauntlet power --rate"),
        ("report", "Example:\n  gauntlet report results/quick --out quick.html"),
    ] {
        let output = folder.run(line).assert_status(2).assert_says(example);
        assert!(line == "report" || output.stderr.contains("required arguments were not provided"));
    }
    // Other mistakes need no example.
    let output = folder.run("run --nonsense").assert_status(2);
    assert!(!output.stderr.contains("Example:"), "{}", output.stderr);
}

/// The output of `format` has no links to sections that it does not print.
#[test]
fn format_finds_keys_headers_and_settings_of_players() {
    let folder = Folder::new();
    for (topic, expected) in [
        ("claim", "\n## Claims\n"),
        ("[[claim]]", "\n## Claims\n"),
        ("[claim]", "| `than` |"),
        ("[stop]", "\n## Stopping early\n"),
        ("[tune.params]", "| `tied_to` |"),
        ("tune.params", "| `tied_to` |"),
        (
            "win_tile",
            "| `ovolve` | 2048 | `win_tile = 2048` | tile that ends the search as a win, or \"none\" |",
        ),
        ("millis", "| `gomoku-alphabeta` | gomoku | `millis = 10` | instead of nodes"),
        ("millis", "| `expectimax` | 2048 | `millis = 10` |"),
        ("rollouts", "`gauntlet players "),
        ("games", "| `games` |"),
        ("claim", "(docs/METHOD.md#claims-and-comparisons)"),
        ("times.csv", "(docs/METHOD.md#times)"),
        ("unseen_ms", "| `unseen_ms` | CPU time"),
        ("ms-per-move.csv", "below the resolution"),
    ] {
        let output = folder.run(&format!("format {topic}")).assert_status(0).assert_says(expected);
        assert!(
            !output.stdout.contains("(how)") && !output.stdout.contains("(which clock)"),
            "{}",
            output.stdout
        );
        let headings: Vec<String> = output
            .stdout
            .lines()
            .filter(|line| line.starts_with('#'))
            .map(|line| {
                let words = line.trim_start_matches(['#', ' ']).to_lowercase().replace(' ', "-");
                words
                    .chars()
                    .filter(|&character| character.is_alphanumeric() || "-_".contains(character))
                    .collect()
            })
            .collect();
        for link in output.stdout.split("](").skip(1).filter_map(|rest| rest.split_once(')')) {
            let is_there = link
                .0
                .strip_prefix('#')
                .is_some_and(|anchor| headings.iter().any(|heading| heading == anchor));
            assert!(is_there || link.0.starts_with("http"), "{topic} leads to {}", link.0);
        }
    }
    for (line, suggestion) in [
        ("format winrate", "gauntlet format win_rate"),
        ("format openings_stones", "gauntlet format opening_stones"),
        ("features smoothnes", "gauntlet features smoothness"),
        ("features xyzzy", "gauntlet features"),
    ] {
        folder.run(line).assert_status(2).assert_says(&format!("`{suggestion}`"));
    }
    let stdout = folder.run("features smoothness").assert_status(0).stdout;
    assert!(stdout.starts_with("### Features of 2048\n") && stdout.matches("###").count() == 1, "{stdout}");
    for feature in ["smoothness-nearest", "smoothness-last"] {
        assert!(stdout.contains(&format!("\n| `{feature}` |")), "{stdout}");
    }
    let stdout = folder.run("features smoothness-last").assert_status(0).stdout;
    assert_eq!(stdout.matches("\n| `").count(), 1, "{stdout}");
    folder.run("format win_tiles").assert_status(2).assert_says("did you mean `gauntlet format win_tile`?");
    folder
        .run("format ovolve")
        .assert_status(2)
        .assert_says("\"ovolve\" is a player: gauntlet players ovolve\n");
}

/// A player whose search ends games by other rules plays worse than it can: `check` and `run` warn.
#[test]
fn a_players_own_end_of_the_game_is_warned_of() {
    let folder = Folder::new();
    let check_warnings = |rules: &str, player: &str| {
        folder.write(
            "x.toml",
            format!("name = 'x'\ngame = '2048'\nseed = 1\ngames = 2\nmax_moves = 5\n{rules}\n[[player]]\nname = 'a'\n{player}\n"),
        );
        let lines = |text: &str| -> Vec<String> {
            text.lines().filter(|line| line.contains("the search of")).map(str::to_owned).collect()
        };
        let check = lines(&folder.run("check x.toml").assert_status(0).stdout);
        let run = folder.run("run x.toml --replace").assert_status(0);
        assert!(!run.stderr.contains("the search of"), "{}", run.stderr);
        // Warnings come after the tables.
        if let Some((before_warning, _)) = run.stdout.split_once("warning: the search of") {
            assert!(before_warning.contains("win-rate\n"), "{}", run.stdout);
        }
        let prefix = "warning: the search of ";
        let strip = |line: &String| line.trim().strip_prefix(prefix).expect(prefix).to_owned();
        let [check, run]: [Vec<String>; 2] =
            [check, lines(&run.stdout)].map(|lines| lines.iter().map(strip).collect());
        assert_eq!(check, run, "{rules} {player}");
        assert_eq!(folder.run("run x.toml --replace --quiet").assert_status(0).stderr, "");
        check
    };
    let ovolve = "algorithm = 'ovolve'\ndepth = 0";
    let continue_message = "a ends at tile 2048, but games continue";
    assert_eq!(check_warnings("", ovolve), [format!("{continue_message}; set win_tile = \"none\"")]);
    assert_eq!(check_warnings("until = 'win'", ovolve), [""; 0]);
    assert_eq!(check_warnings("until = 'win'\nwin_by = 'gain'", ovolve), [""; 0]);
    let end_message = "a ends at tile 2048, but games end at 1024; set win_tile = 1024";
    assert_eq!(check_warnings("until = 'win'\nwin = 1024", ovolve), [end_message]);
    assert_eq!(check_warnings("until = 1024\nwin = 512", ovolve), [end_message]);
    assert_eq!(check_warnings("until = 1024\nwin = 512", &format!("{ovolve}\nwin_tile = 1024")), [""; 0]);
    assert_eq!(check_warnings("", &format!("{ovolve}\nwin_tile = 'none'")), [""; 0]);
    let datumbox = "algorithm = 'datumbox'\ndepth = 1";
    assert_eq!(check_warnings("", datumbox), [format!("{continue_message}; set win_test = false")]);
    assert_eq!(check_warnings("until = 'win'\nwin_by = 'gain'", datumbox), [""; 0]);
    assert_eq!(check_warnings("", &format!("{datumbox}\nwin_test = false")), [""; 0]);
    assert_eq!(check_warnings("", "algorithm = 'expectimax'\ndepth = 1"), [""; 0]);
    let warnings = check_warnings(
        "",
        &format!(
            "{ovolve}\n[[player]]\nname = 'b'\n{ovolve}\nwin_tile = 2048\n[[player]]\nname = 'c'\n{ovolve}\nwin_tile = 4096"
        ),
    );
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    let expected = "a and b ends at tile 2048, but games continue; set win_tile = \"none\"";
    assert!(warnings.iter().any(|line| line == expected), "{warnings:?}");
}

/// In a terminal, a document is named by its path: its place is part of a Markdown link.
#[cfg(target_os = "linux")]
#[test]
fn format_prints_no_links_in_a_terminal() {
    let folder = Folder::new();
    for topic in ["all", "claim", "times.csv"] {
        let screen = folder.run_on_terminal(&format!("format {topic}"), 80);
        assert!(screen.contains("docs/METHOD.md"), "{screen}");
        assert!(!screen.contains("](") && !screen.contains(".md#"), "{screen}");
    }
}

/// An experiment in the place of boards, and text that is not JSON.
#[test]
fn probe_of_an_experiment_names_the_option() {
    let folder = Folder::with_file("my short.toml", short_experiment(10));
    folder
        .shell("gauntlet probe 'my short.toml'")
        .assert_status(2)
        .assert_says("use `gauntlet probe --experiment 'my short.toml' BOARDS`");
    folder.run_with("probe", "name = 1").assert_status(2).assert_says("line 1: not valid JSON (column 2)");
}

/// A repeated fault is reported once, with its number.
#[test]
fn a_repeated_fault_of_a_tried_program_is_told_once() {
    let folder = Folder::new();
    let program = |answer: &str| {
        format!(
            "while read -r word rest; do case $word in gauntlet) echo ready x;; move) echo {answer};; quit) exit;; esac; done\n"
        )
    };
    for (answer, kind) in
        [("0 nowhere", "\"nowhere\" is not a move"), ("0 up value=x", "`value` is not a number")]
    {
        folder.write("x.sh", program(answer));
        let output = folder.run("players --try -- sh x.sh").assert_status(1);
        let matching_lines =
            output.stdout.lines().filter(|line| line.starts_with("WRONG") && line.contains(kind));
        assert_eq!(matching_lines.count(), 1, "{answer}: {}", output.stdout);
        // A repeated fault is counted at the end, and so are all failed tests.
        let count = |prefixes: &[&str]| {
            output
                .stdout
                .lines()
                .filter(|line| prefixes.iter().any(|prefix| line.starts_with(prefix)))
                .count()
        };
        let (passed_tests, kinds) = (count(&["ok"]), count(&["WRONG"]));
        let repeated: Vec<(usize, usize)> = (output.stdout.lines())
            .filter_map(|line| {
                let (_, counts) = line.split_once(" occurred in ")?;
                let (counts, tests) = counts.split_once(" tests: ")?;
                let (times, total) = counts.split_once(" of ")?;
                assert_eq!(tests.split(", ").count(), times.parse::<usize>().unwrap(), "{line}");
                Some((times.parse().unwrap(), total.parse().unwrap()))
            })
            .collect();
        assert!(!repeated.is_empty(), "{answer}: {}", output.stdout);
        let failed_tests = kinds + repeated.iter().map(|(times, _)| times - 1).sum::<usize>();
        let total = passed_tests + failed_tests;
        assert!(repeated.iter().all(|&(_, tests)| tests == total), "{answer}: {}", output.stdout);
        let word = if kinds == 1 { "kind" } else { "kinds" };
        output.assert_says(&format!("failed  {failed_tests} of {total} tests, {kinds} {word} of error\n"));
    }
}

/// `--seed` is a change like `--games`: the run has its own folder, through which it can be
/// resumed.
#[test]
fn a_run_of_another_seed_has_a_folder_of_its_own() {
    let folder = play_in_new_folder("short.toml", short_experiment(20));
    folder.run("run short.toml --seed 77 --quiet").assert_status(0);
    let [base, other] =
        ["short", "short+seed=77"].map(|name| folder.read(&format!("results/{name}/games.csv")));
    assert_ne!(base, other);
    let manifest = folder.read("results/short+seed=77/manifest.toml");
    assert!(manifest.contains("gauntlet run short.toml --seed 77"), "{manifest}");
    assert!(folder.read("results/short+seed=77/experiment.toml").contains("seed = 77\n"));
    // A file with that seed plays the same games, and so does the folder's copy.
    let other_experiment =
        short_experiment(20).replace("\"short\"", "\"other\"").replace("seed = 11\n", "seed = 77\n");
    folder.play("other.toml", other_experiment);
    assert_eq!(folder.read("results/other/games.csv"), other);
    folder.run("run results/short+seed=77").assert_status(0).assert_says("no games left to play");
    folder.run("run short.toml --seed 77").assert_status(0).assert_says("no games left to play");
    folder.run("run short.toml --seed 77 --games 10 --quiet").assert_status(0);
    assert!(folder.path("results/short+games=10+seed=77/games.csv").exists());
    folder.run("check short.toml --seed 78").assert_status(0).assert_says("derived from seed 78");
    folder.run("run short.toml --seed -1").assert_status(2);
    folder.run("run short.toml --seed 9223372036854775808").assert_status(2);
    folder.write("listed.toml", short_experiment(2).replace("seed = 11\ngames = 2\n", "seeds = [1, 2]\n"));
    folder
        .run("run listed.toml --seed 5")
        .assert_status(2)
        .assert_says("--seed 5: conflicts with `seeds`, which lists every seed");
}

#[test]
fn a_program_to_try_needs_two_hyphens() {
    let folder = Folder::new();
    for (arguments, suggestion) in [
        ("--try python3 x.py", "--try -- python3 x.py"),
        ("--try --game gomoku sh p.sh --fast", "--try --game gomoku -- sh p.sh --fast"),
        ("--option depth=3 --try a b c", "--option depth=3 --try -- a b c"),
    ] {
        folder
            .run(&format!("players {arguments}"))
            .assert_status(2)
            .assert_says(&format!("  gauntlet players {suggestion}\n"));
    }
    folder.run("players --try").assert_status(2).assert_says("gauntlet players --try -- python3");
    folder.run("players --try --help").assert_status(0);
}

/// A player below a misspelled header is not unknown; a name without a similar one lists the
/// players.
#[test]
fn an_unknown_player_is_told_after_its_cause() {
    let folder = Folder::new();
    let text = "name = 'x'\ngame = '2048'\nseed = 1\ngames = 10\n[[claim]]\nbetter = 'a'\nthan = 'b'\n\
        [[playr]]\nname = 'a'\nalgorithm = 'greedy'\n[[player]]\nname = 'b'\nalgorithm = 'random'\n";
    folder.write("x.toml", text);
    let output = folder.run("check x.toml").assert_status(2).assert_says("did you mean `[[player]]`?");
    assert!(!output.stderr.contains("unknown player"), "{}", output.stderr);
    folder.write("x.toml", text.replace("playr", "player").replace("better = 'a'", "better = 'other'"));
    folder
        .run("check x.toml")
        .assert_status(2)
        .assert_says("unknown player")
        .assert_says("help: known players: \"a\", \"b\"");
}
