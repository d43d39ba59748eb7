//! Hostile text from outside, on a terminal, in a spreadsheet or in a document, and very long
//! input.

use std::fs;

use gauntlet::config;
use gauntlet::page::splice::splice;
use gauntlet::table::Table;
use gauntlet::text::escape::is_hidden;
use gauntlet::{GAMES, catalog};

use crate::bench::{Folder, ProgramOutput, read_rows};
use crate::source::read_sources;

/// Asserts that the output contains no invisible characters.
#[track_caller]
fn assert_visible(output: ProgramOutput) -> ProgramOutput {
    for text in [&output.stdout, &output.stderr] {
        let hidden = text.chars().find(|&character| character != '\n' && is_hidden(character));
        assert_eq!(hidden, None, "{}: {text:?}", output.line);
    }
    output
}

#[cfg(unix)]
#[test]
fn names_of_files_reach_the_terminal_by_their_numbers() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::new();
    let run = |line: &str, name: &[u8]| {
        let output = folder.command(line).arg(OsStr::from_bytes(name)).output().unwrap();
        assert_visible(ProgramOutput::new(line, &output))
    };
    let name = b"a\x1b[2J\n`|<b>\xe2\x80\xae\xff.toml";
    let escaped_name = r"a\u{1b}[2J\n`|<b>\u{202e}\xff.toml";
    let path = folder.path("").join(OsStr::from_bytes(name));
    let players = "[[player]]\nname = 'p'\nalgorithm = 'random'\n";
    fs::write(&path, format!("name = 'x'\ngame = '2048'\nseeds = [1]\n{players}")).unwrap();
    run("check", name).assert_status(0).assert_says(&format!("{escaped_name}: x (2048)"));

    // Carets point to the right text if the file's name or the line has such characters.
    let line = "note = '\u{202e}\u{9b}數' # \u{200b}";
    fs::write(&path, format!("name = 'x'\ngame = '2048'\nseeds = [1]\n{line}\n{players}")).unwrap();
    let output = run("check", name).assert_status(2);
    // Errors of the parser are reported as well; either way the line is quoted once.
    let quoted_line = output.stderr.lines().find(|line| line.contains("note = ")).unwrap();
    assert!(quoted_line.starts_with(&format!("{escaped_name}:4:")), "{quoted_line}");
    assert!(quoted_line.ends_with(r"note = '\u{202e}\u{9b}數' # \u{200b}"), "{quoted_line}");
    fs::write(&path, format!("name = 'x'\ngame = '2048'\nseeds = ['\u{202e}\u{200b}', x1]\n{players}"))
        .unwrap();
    let output = run("check", name).assert_status(2);
    let mut lines = output.stderr.lines();
    let (quoted_line, carets) = (lines.next().unwrap(), lines.next().unwrap());
    assert_eq!(quoted_line.find("x1"), carets.find('^'), "{}", output.stderr);

    // Names of folders, missing files, and arguments.
    for line in
        ["report", "rank", "compare", "status", "show", "judge", "merge", "probe", "run", "report --splice"]
    {
        run(line, b"none\x1b]0;title\x07\r\n");
    }
    run("check", b"--\x1b]0;title\x07\r\xe2\x80\xae").assert_status(2).assert_says("unexpected argument");
    run("players", b"\x1b[2J").assert_status(2);
    run("run --jobs", b"\x1b[2J").assert_status(2);
}

/// An experiment whose texts are as hostile as possible.
const HOSTILE: &str = r##"
name = "[x](y) `b`"
game = "2048"
seed = 1
games = 40

[[player]]
name = "[a](b) ![c][d]"
algorithm = "random"

[[player]]
name = "`code` ~~gone~~ _e_ $m$"
algorithm = "greedy"

[[player]]
name = "www.evil.example &lt;b&gt; \u0301"
algorithm = "greedy"
ties = "last"

[[player]]
name = "# 1) 'x' ;="
algorithm = "fixed-order"
order = ["down", "left", "right", "up"]

[[claim]]
better = "[a](b) ![c][d]"
than = "`code` ~~gone~~ _e_ $m$"
by = "score"

[[published]]
player = "[a](b) ![c][d]"
what = "score"
value = 1000.0
source = "=HYPERLINK(\"http://evil.example\")"
note = "-2+3+cmd|' /C calc'!A0 \u202e\u200b<img src=x>"

[[published]]
player = "# 1) 'x' ;="
what = "score"
value = 1000.0
source = "'=1+1"
family = "@f"
"##;

fn play_hostile_experiment() -> Folder {
    let folder = Folder::with_file("x.toml", HOSTILE.replace(r" \u0301", " e\u{301}"));
    assert_visible(folder.run("run x.toml --quiet").assert_status(0));
    fs::rename(folder.path("results/[x](y) `b`"), folder.path("results/x")).unwrap();
    folder
}

/// Returns the texts in the cells of a Markdown row: a pipe ends a cell and a backslash escapes the
/// next character. Asserts that no character has a special meaning.
#[track_caller]
fn cells(row: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut characters = row.chars().peekable();
    while let Some(character) = characters.next() {
        let cell = cells.last_mut().unwrap();
        match character {
            '\\' if characters.peek().is_some_and(char::is_ascii_punctuation) => {
                cell.extend(characters.next())
            }
            '|' => cells.push(String::new()),
            '`' | '*' | '~' | '$' | '<' => panic!("a live `{character}` in {row}"),
            ']' => {
                assert!(!matches!(characters.peek(), Some('(' | '[' | ':')), "a link in {row}");
                cell.push(character);
            }
            '_' => {
                let is_after_letter = cell.chars().next_back().is_some_and(char::is_alphanumeric);
                assert!(
                    is_after_letter && characters.peek().is_some_and(|next| next.is_alphanumeric()),
                    "{row}"
                );
                cell.push(character);
            }
            _ => {
                cell.push(character);
                assert!(!cell.to_lowercase().ends_with("www."), "a link in {row}");
            }
        }
    }
    let text = |cell: String| cell.trim().replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    cells.into_iter().map(text).collect()
}

#[test]
fn names_stay_text_in_markdown() {
    let folder = play_hostile_experiment();
    let output =
        assert_visible(folder.run("report results/x --table win-rate --format markdown").assert_status(0));
    let rows: Vec<Vec<String>> = output.stdout.lines().filter(|line| !line.is_empty()).map(cells).collect();
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{rows:?}");
    let mut names: Vec<&str> = rows[2..].iter().map(|row| &*row[1]).collect();
    names.sort_unstable();
    let expected =
        ["# 1) 'x' ;=", "[a](b) ![c][d]", "`code` ~~gone~~ _e_ $m$", "www.evil.example &lt;b&gt; e\u{301}"];
    assert_eq!(names, expected);
    // The same for sentences.
    for table in ["claims", "published"] {
        let output = assert_visible(
            folder.run(&format!("report results/x --table {table} --format markdown")).assert_status(0),
        );
        let items: Vec<_> = output.stdout.lines().filter(|line| !line.is_empty()).collect();
        assert!(!items.is_empty());
        for item in items {
            let item = item.strip_prefix("- **").and_then(|item| item.split_once("**: "));
            let text = cells(item.expect("a verdict and its answer").1).join("|");
            assert!(text.contains("[a](b)") || text.contains("# 1)"), "{text}");
        }
    }
}

#[test]
fn texts_are_defused_in_csv_and_come_back() {
    let folder = play_hostile_experiment();
    let source = "=HYPERLINK(\"http://evil.example\")";
    let note = "-2+3+cmd|' /C calc'!A0 \u{202e}\u{200b}<img src=x>";
    let rows = read_rows(&folder, "results/x/published.csv");
    assert_eq!(rows[0]["source"], format!("'{source}"));
    assert_eq!(rows[0]["note"], format!("'{note}"));
    assert_eq!((&*rows[1]["source"], &*rows[1]["family"]), ("''=1+1", "'@f"));
    for file in ["win-rate", "max-tile", "ms-per-move", "published", "claims", "games"] {
        for row in read_rows(&folder, &format!("results/x/{file}.csv")) {
            for (column, cell) in row {
                let is_number = cell.parse::<f64>().is_ok();
                assert!(
                    is_number || !cell.starts_with(['=', '+', '-', '@', '\t', '\r']),
                    "{file} {column}: {cell:?}"
                );
            }
        }
    }
    // Programs can parse the output, and numbers are unchanged.
    let output =
        assert_visible(folder.run("report results/x --table published --format json").assert_status(0));
    let json: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let row = &json["results"][0]["tables"][0]["rows"][0];
    assert_eq!((row["source"].as_str(), row["note"].as_str()), (Some(source), Some(note)));
    let schema = gauntlet::results::tables::schemas(&gauntlet::GAMES)
        .into_iter()
        .find(|schema| schema.name == "published");
    let csv = fs::read(folder.path("results/x/published.csv")).unwrap();
    let table = Table::from_csv(&schema.unwrap(), &csv).unwrap();
    assert_eq!(table.to_csv(), csv);
    // CSV for a file is unchanged data.
    let output = folder.run("report results/x --table published --format csv").assert_status(0);
    assert_eq!(output.stdout.as_bytes(), csv);
    assert_visible(folder.run("report results/x").assert_status(0));
}

#[test]
fn the_page_holds_no_text_as_markup() {
    let folder = play_hostile_experiment();
    let page = folder.run("report results/x --out -").assert_status(0).stdout;
    assert!(!page.contains(|character| character != '\n' && is_hidden(character)));
    for markup in ["<img src=x>", "&lt;b&gt; e"] {
        assert!(!page.contains(markup), "{markup}");
    }
    assert!(page.contains("&amp;lt;b&amp;gt; e\u{301}"));
}

/// Writes results of one table at a place.
fn write_results(folder: &Folder, path: &str, command: &str) {
    folder.write(&format!("{path}/max-tile.csv"), "player,tile,games\np,1,\n");
    folder.write(&format!("{path}/secret.csv"), "player,tile,games\nsecret,1,\n");
    folder.write(&format!("{path}/manifest.toml"), format!("command = {}\n", toml::Value::from(command)));
    folder.update_digests(path);
}

#[test]
fn a_document_takes_tables_from_below_itself_only() {
    let folder = Folder::new();
    write_results(&folder, "secret/results", "gauntlet run x");
    write_results(&folder, "doc/results", "gauntlet run x");
    let document = |marker: &str| format!("a\nb\n<!-- gauntlet {marker} -->\n<!-- /gauntlet -->\n");
    let run_splice = |marker: &str| {
        folder.write("doc/d.md", document(marker));
        let mut command = folder.command("report --splice d.md");
        let output = ProgramOutput::new(marker, &command.current_dir(folder.path("doc")).output().unwrap());
        if output.code == Some(1) {
            assert_eq!(folder.read("doc/d.md"), document(marker), "the document was touched");
            assert!(
                output.stderr.starts_with("gauntlet: line 3: ") && output.stderr.lines().count() == 1,
                "{}",
                output.stderr
            );
        }
        output
    };
    run_splice("results max-tile").assert_status(0);
    run_splice("./results/../results max-tile").assert_status(0);
    run_splice("results ../../secret/results/max-tile").assert_status(1).assert_says("unknown table");
    run_splice("results secret").assert_status(1).assert_says("unknown table `secret`");
    run_splice("results ../results/max-tile").assert_status(1).assert_says("unknown table");
    run_splice("../secret/results max-tile")
        .assert_status(1)
        .assert_says("is outside the folder of the document");
    run_splice("results/../../secret/results max-tile")
        .assert_status(1)
        .assert_says("is outside the folder of the document");
    let absolute = folder.path("doc/results").to_str().unwrap().to_owned();
    run_splice(&format!("{absolute} max-tile")).assert_status(1).assert_says("is absolute");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path("secret"), folder.path("doc/link")).unwrap();
        run_splice("link/results max-tile")
            .assert_status(1)
            .assert_says("is outside the folder of the document");
    }
    // Called from a folder that contains both, the document may use them: docs/x.md uses
    // ../results.
    folder.write("doc/d.md", document("../secret/results max-tile"));
    folder.run("report --splice doc/d.md").assert_status(0);
}

#[test]
fn a_command_stays_code_in_a_document() {
    for file in
        ["'a`b ``c`'", "'<!-- /gauntlet -->\n<!-- gauntlet results max-tile -->'", "'x\n\n# y\n\u{1b}<b>'"]
    {
        let folder = Folder::new();
        write_results(&folder, "results", &format!("gauntlet run {file}"));
        let document = "<!-- gauntlet results max-tile -->\n<!-- /gauntlet -->\n";
        let filled_document =
            splice(gauntlet::catalog(&gauntlet::GAMES), document, &folder.path("")).unwrap().text;
        assert_eq!(
            splice(gauntlet::catalog(&gauntlet::GAMES), &filled_document, &folder.path("")).unwrap().text,
            filled_document,
            "what is filled changes no more"
        );
        let generated_line = filled_document.lines().find(|line| line.starts_with("Generated by ")).unwrap();
        assert_eq!(filled_document.lines().count(), document.lines().count() + 7, "{filled_document}");
        assert!(!generated_line.contains("<!--") && !generated_line.contains(is_hidden), "{generated_line}");
    }
}

/// Returns the message of a refused configuration, and the number of its mistakes.
fn refusal(text: &str) -> (String, usize) {
    let mistakes = config::parse(catalog(&GAMES), "x.toml", text).expect_err("it is mistaken");
    (mistakes.to_string(), mistakes.list().len())
}

const HEADER: &str = "name = 'x'\ngame = '2048'\nseed = 1\ngames = 10\n";

// Quadratic time in the size of the input would take minutes here.

#[test]
fn a_table_in_place_of_an_experiment_is_told_in_a_line() {
    let folder = Folder::new();
    let row = |i: u64| format!("greedy,{i},{},{},256,{i},false,over\n", i * 7_919_987, 4 * i);
    let csv = "player,block,seed,score,max_tile,moves,won,ending\n".to_owned()
        + &(0..40_000).map(row).collect::<String>();
    folder.write("games.csv", csv);
    let output = folder.run("check games.csv").assert_status(2);
    assert!(output.stderr.starts_with("games.csv: is not TOML: line 1, column 7: "), "{}", output.stderr);
    assert!(output.stderr.contains("help: ") && output.stderr.lines().count() == 2, "{}", output.stderr);
}

#[test]
fn mistakes_beyond_the_first_are_counted() {
    let lines: String = (0..20_000).map(|i| format!("this line {i} is wrong\n")).collect();
    let (message, count) = refusal(&format!("{HEADER}{lines}"));
    assert_eq!(count, 20_000);
    assert_eq!(message.lines().count(), 101);
    assert!(message.ends_with("\nx.toml: … and 19,950 more mistakes"), "{message}");
    // On a single line, with many elements.
    let seeds = "7, ".repeat(50_000);
    let (message, count) = refusal(&format!(
        "name = 'x'\ngame = '2048'\nseeds = [{seeds}]\n[[player]]\nname = 'p'\nalgorithm = 'random'\n"
    ));
    assert_eq!(count, 49_999);
    assert!(message.contains("duplicate seed: 7 is at line 3, column 10"), "{message}");
    let keys: String = (0..20_000).map(|i| format!("k{i} = 1\n")).collect();
    let (message, _) = refusal(&format!(
        "{HEADER}[[player]]\nname = 'p'\nalgorithm = 'swift-expectimax'\n[player.weights]\n{keys}"
    ));
    assert!(message.ends_with("more mistakes"), "{message}");
    let lists: String = (0..20_000).map(|i| format!("weights.k{i} = [1]\n")).collect();
    let (message, _) = refusal(&format!(
        "{HEADER}[[player]]\nname = 'p'\nalgorithm = 'swift-expectimax'\n[player.sweep]\n{lists}"
    ));
    assert!(message.ends_with("more mistakes"), "{message}");
    // A setting this deep would exhaust the stack.
    let deep = format!("\"weights{}\" = [1]", ".a".repeat(200_000));
    let (message, _) = refusal(&format!(
        "{HEADER}[[player]]\nname = 'p'\nalgorithm = 'swift-expectimax'\n[player.sweep]\n{deep}\n"
    ));
    assert!(message.contains("unknown setting"), "{message}");
}

#[test]
fn names_are_found_among_thousands() {
    let players: String =
        (0..9_000).map(|i| format!("[[player]]\nname = 'player {i}'\nalgorithm = 'random'\n")).collect();
    let claim =
        |i: u64, prefix: &str| format!("[[claim]]\nbetter = 'player {i}'\nthan = '{prefix} {}'\n", i + 1);
    let published =
        |i: u64| format!("[[published]]\nplayer = 'player {i}'\nwhat = 'win'\nvalue = 0.5\nsource = 's'\n");
    let valid_sections: String = (0..1_000).map(|i| claim(i, "player") + &published(i)).collect();
    let experiment =
        config::parse(catalog(&GAMES), "x.toml", &format!("{HEADER}{players}{valid_sections}")).unwrap();
    assert_eq!((experiment.sections().claims.len(), experiment.sections().published.len()), (1_000, 1_000));
    // An unknown name is compared with all known ones.
    let invalid_claims: String = (0..1_000).map(|i| claim(i, "plaier")).collect();
    let (message, count) = refusal(&format!("{HEADER}{players}{invalid_claims}"));
    assert_eq!(count, 1_000);
    assert!(message.contains("did you mean \"player 1\"?"), "{message}");
    let published_numbers: String = (0..1_000).map(published).collect();
    let (_, count) = refusal(&format!("{HEADER}{players}{published_numbers}{published_numbers}"));
    assert_eq!(count, 1_000);
}

#[test]
fn all_players_together_have_a_limit() {
    let values: Vec<String> = (1..=4_000).map(|i| i.to_string()).collect();
    let values = values.join(", ");
    let sweep = |i: u64| {
        format!("[[player]]\nname = 'p{i}'\nalgorithm = 'ronzil'\n[player.sweep]\nruns = [{values}]\n")
    };
    let sweeps: String = (0..75).map(sweep).collect();
    let (message, count) = refusal(&format!("{HEADER}{sweeps}"));
    assert_eq!(count, 1, "{message}");
    let lines: Vec<&str> = message.lines().collect();
    // The third sweep is too large.
    assert!(lines[0].starts_with("x.toml:18:1  [player.sweep]"), "{message}");
    assert!(lines[1].ends_with("^^^^^^^^^^^^^^ more than 10000 players in total"), "{message}");
    let one_player = "[[player]]\nname = 'one more'\nalgorithm = 'random'\n";
    let ten_thousand = sweep(1).replace(
        &values,
        &format!("{values}, {}", (4_001..=10_000).map(|i| i.to_string()).collect::<Vec<_>>().join(", ")),
    );
    config::parse(catalog(&GAMES), "x.toml", &format!("{HEADER}{ten_thousand}")).unwrap();
    let (message, _) = refusal(&format!("{HEADER}{ten_thousand}{one_player}"));
    assert!(message.contains("[[player]]\n") && message.contains("more than 10000 players"), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_end_is_no_experiment() {
    let folder = Folder::new();
    folder.run("check /dev/zero").assert_status(2).assert_says("the limit for experiments");
    folder
        .run("report --splice /dev/zero")
        .assert_status(1)
        .assert_says("cannot read /dev/zero: longer than 64 MiB");
    folder
        .run("probe /dev/zero")
        .assert_status(1)
        .assert_says("cannot read line 1 of /dev/zero: longer than 16 MiB");
    folder
        .shell("ln -s /dev/zero zero.sgf && mkfifo pipe.sgf && head -c 17000000 /dev/zero > long.sgf")
        .assert_status(0);
    folder.run("show zero.sgf").assert_status(1).assert_says("cannot read zero.sgf: is a device, not a file");
    folder.run("show pipe.sgf").assert_status(1).assert_says("cannot read pipe.sgf: is a pipe, not a file");
    folder.write("twice.sgf", "(;GM[4]SZ[15]SZ[5];B[ee];W[ef])");
    folder.run("show twice.sgf").assert_status(2).assert_says("twice.sgf: the board size is given twice");
    folder.run("show long.sgf").assert_status(1).assert_says("cannot read long.sgf: longer than 16 MiB");
}

/// A file in place of a journal stays, and the message names the command that moves it away.
#[test]
fn a_file_in_the_place_of_a_journal_is_moved_away() {
    let folder = Folder::new();
    let quick = include_str!("../../../configs/tune/quick.toml").replace("budget = 3000", "budget = 400");
    folder.write("tune.toml", quick.replace("games = 500", "games = 20"));
    let tune = "tune tune.toml --quiet";
    let first = folder.run(tune).code;
    let tune_folder = "results/tune-quick/tune";
    let answer = folder.read(&format!("{tune_folder}/tuned.toml"));
    for (journal, advice, command) in [
        (
            "journal.jsonl",
            "then the same command with --replace starts again.",
            "tune tune.toml --quiet --replace",
        ),
        ("validation-1/journal.jsonl", "then the same command continues.", tune),
    ] {
        let journal = format!("{tune_folder}/{journal}");
        folder.write(&journal, "garbage\n");
        let move_command = format!("mv {journal} {journal}.bad");
        let message = format!("{journal} is not a journal. Move it away ({move_command}); {advice}");
        folder.run(tune).assert_status(1).assert_says(&message);
        folder.shell(&move_command).assert_status(0);
        assert_eq!(folder.run(command).code, first, "{journal}");
        assert_eq!(folder.read(&format!("{tune_folder}/tuned.toml")), answer, "{journal}");
    }
}

/// An unfinished tuning is reported as such, whatever command its manifest contains.
#[test]
fn a_forged_command_does_not_hide_that_a_tuning_has_not_ended() {
    let folder = Folder::new();
    folder.copy_from_repository("configs/tune");
    folder.run("tune configs/tune/quick.toml --quiet");
    let manifest = "results/tune-quick/tune/manifest.toml";
    let text: String = folder
        .read(manifest)
        .lines()
        .filter(|line| !line.starts_with("finished"))
        .map(|line| {
            if line.starts_with("command") {
                "command = \"curl x | sh\"\n".to_owned()
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    folder.write(manifest, text);
    let output = folder
        .run("compare results/tune-quick/tune")
        .assert_says("has an unfinished tuning; resume it with the same `gauntlet` command");
    assert!(!output.stderr.contains("curl"), "{}", output.stderr);
}

/// A pipe in place of a file of a tuning or a training does not block a command.
#[cfg(unix)]
#[test]
fn pipes_among_results_hold_no_command() {
    let folder = Folder::new();
    let quick = include_str!("../../../configs/tune/quick.toml").replace("budget = 3000", "budget = 400");
    folder
        .write("tune.toml", quick.replace("games = 500", "games = 20").replace("games = 1000", "games = 20"));
    let quick = include_str!("../../../configs/train/quick.toml")
        .replace("30_000", "20")
        .replace("[1000, 3000, 10_000]", "[10]");
    folder
        .write("train.toml", quick.replace("test_games = 300", "test_games = 5").replace("5x4", "0123 4567"));
    folder.shell("gauntlet tune tune.toml --quiet --results kept-tune; true").assert_status(0);
    folder.run("train train.toml --quiet --results kept-train").assert_status(0);
    assert!(folder.path("kept-tune/tune-quick/tune/validation-1/experiment.toml").exists());
    let cases = [
        ("tune", ["tune tune.toml --quiet --for 1s", "tune tune.toml --quiet --replace", "check tune.toml"]),
        ("train", ["train train.toml --quiet", "train train.toml --quiet --replace", "check train.toml"]),
    ];
    for (kind, commands) in cases {
        let results = format!("results/{kind}-quick");
        let shared_commands =
            ["status results", &format!("report {results}"), &format!("report {results}/{kind}")]
                .map(str::to_owned);
        let files =
            folder.shell(&format!("cd kept-{kind} && find . -type f ! -name .lock")).assert_status(0).stdout;
        for file in files.lines() {
            for command in shared_commands.iter().map(|command| &**command).chain(commands) {
                let copy = format!("rm -rf results && cp -r kept-{kind} results && cd results");
                folder.shell(&format!("{copy} && rm '{file}' && mkfifo '{file}'")).assert_status(0);
                let output = folder.shell(&format!("timeout -k 1 120 gauntlet {command}"));
                assert!(output.code.is_some_and(|code| code < 100), "{file}: {command}: {output:?}");
            }
        }
    }
}

/// All output passes the one place that escapes it.
#[test]
fn nothing_gets_around_the_escapes() {
    // `text::display_path` shows file names, and `gauntlet_cli::output` writes streams. The
    // progress of a run shows numbers and checked names, and `gauntlet_cli::terminal` asks for the
    // width of standard output. A supervisor writes to its own pipes, and without memory `memory`
    // writes a line of constant words and numbers.
    let output_modules =
        ["src/output.rs", "src/terminal.rs", "src/memory.rs", "src/process/supervisor.rs", "src/bar.rs"];
    let mut violations = Vec::new();
    for file in read_sources() {
        let is_output_module = output_modules.contains(&file.package_and_path().1);
        let streams = ["io::stdout()", "io::stderr()", "print!(", "println!(", "eprint", "dbg!("];
        for (number, line) in file.product_lines() {
            let writes_output = !is_output_module && streams.iter().any(|stream| line.contains(stream));
            if writes_output || line.contains(".display()") {
                violations.push(format!("{}:{number}: {line}", file.path));
            }
        }
    }
    assert!(violations.is_empty(), "{violations:#?}");
}
