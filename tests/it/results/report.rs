//! Tables for people and for documents.

use std::collections::BTreeSet;

use gauntlet::page::splice::splice;
use gauntlet::rng::Rng;
use gauntlet::table::{Cell, CellKind, Column, Schema, Table};
use gauntlet::text::names::fit_names;

use crate::bench::{Folder, play_in_new_folder};
use crate::cases::assert_for_all;

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

fn players_and_games() -> Schema {
    schema(&[Column::words("player"), Column::count("games")])
}

fn schema(columns: &[Column]) -> Schema {
    Schema { name: "t", columns: columns.to_vec(), level: Some(0.95) }
}

/// Returns a table of names that are hard to format.
fn names(names: &[&str]) -> Table {
    let rows = names.iter().map(|&name| vec![text(name), Cell::Whole(1)]).collect();
    Table::new(&players_and_games(), rows)
}

#[test]
fn any_name_survives_csv() {
    let hard_names =
        ["plain", "a, b", "say \"hi\"", "\"", ",", "a|b", "two\nlines", "a\r\nb", " blank ", "", "ä 雪 🂡"];
    let table = names(&hard_names);
    let csv = table.to_csv();
    let parsed = Table::from_csv(&players_and_games(), &csv).unwrap();
    assert_eq!(parsed.rows, table.rows);
    assert_eq!(parsed.to_csv(), csv);
    assert!(csv.starts_with(b"player,games\nplain,1\n\"a, b\",1\n\"say \"\"hi\"\"\",1\n"));
}

#[test]
fn damaged_csv_is_refused() {
    #[track_caller]
    fn check(csv: &[u8], expected: &str) {
        let error = Table::from_csv(&players_and_games(), csv).expect_err("it is damaged");
        let message = format!("{error:#}");
        assert!(message.contains(expected) && !message.contains('\n'), "{message}");
    }

    check(b"player,games\na\n", "record 1 (line: 2");
    check(b"player,games\na,2,3\n", "record 1 (line: 2");
    check(b"player\n\xff\n", "UTF-8");
    check(b"player,games,luck\na,1,2\n", "table `t` of this version has no column `luck`");
    check(b"player,player\na,b\n", "duplicate column `player`");
    for number in ["x", "-1", "1.0", " 1"] {
        let message = format!("line 3: {number:?} is not a valid number for column `games`");
        check(format!("player,games\na,1\nb,{number}\n").as_bytes(), &message);
    }
}

#[test]
fn columns_that_a_file_lacks_are_empty() {
    let table = Table::from_csv(&players_and_games(), b"games\n7\n").unwrap();
    assert_eq!(table.rows, [[Cell::Nothing, Cell::Whole(7)]]);
    // Their order in the file does not matter.
    let table = Table::from_csv(&players_and_games(), b"games,player\n7,a\n").unwrap();
    assert_eq!(table.rows, [[text("a"), Cell::Whole(7)]]);
}

/// A table is read back unchanged, cell by cell, and so is every form of it.
#[test]
fn a_table_is_read_back_as_it_was() {
    let all_kinds = schema(&[
        Column::words("w"),
        Column::count("c"),
        Column::number("n"),
        Column::share("s"),
        Column::probability("p"),
        Column::new("b", CellKind::ByRow { name_column: "w", is_share: |what| what == "rate" }),
        Column::words("empty"),
    ]);
    let row = |word: &str, count: u64, number: f64, p: f64| {
        let real = |decimals| Cell::from_real(Some(number), decimals);
        let p = Cell::Probability(p);
        let share = Cell::from_real(Some(number.min(1.0)), 6);
        vec![text(word), Cell::Whole(count), real(2), share, p, Cell::from_printed(number), text("")]
    };
    let nothing = |word: &str| {
        let mut row = vec![Cell::Nothing; 7];
        (row[0], row[6]) = (text(word), text(""));
        row
    };
    let rows = vec![
        row("rate", 0, 0.123_456_789, 0.0),
        row("score", u64::MAX, -0.000_000_1, 1.0),
        row("rate", 1, 2.0 / 3.0, 2.34e-17),
        row("score", 7, 64_643.0, 0.0437),
        nothing("rate"),
        nothing(""),
    ];
    let table = Table::new(&all_kinds, rows);
    let parsed = Table::from_csv(&all_kinds, &table.to_csv()).unwrap();
    let all_formats =
        |table: &Table| (table.to_csv(), table.to_json(), table.to_text(None), table.to_markdown());
    assert_eq!(all_formats(&parsed), all_formats(&table));
    let exact_cells =
        |row: &Vec<Cell>| row.iter().filter(|cell| !matches!(cell, Cell::Probability(_))).cloned().collect();
    let [parsed_cells, original_cells] =
        [&parsed, &table].map(|table| table.rows.iter().map(exact_cells).collect::<Vec<Vec<Cell>>>());
    assert_eq!(parsed_cells, original_cells);
}

/// A row that names its measure determines the kind of its numbers.
#[test]
fn numbers_are_shown_as_their_row_says() {
    const VALUE_KIND: CellKind = CellKind::ByRow { name_column: "what", is_share: |what| what == "win" };
    let row_schema = schema(&[
        Column::words("what"),
        Column::new("said_from", VALUE_KIND).start_of("said"),
        Column::new("said_to", VALUE_KIND).end_of("said"),
        Column::new("found", VALUE_KIND),
        Column::new("found_low", VALUE_KIND).low_of("found"),
        Column::new("found_high", VALUE_KIND).high_of("found"),
    ]);
    let row_markdown = |row: &str| {
        let csv = format!("what,said_from,said_to,found,found_low,found_high\n{row}\n");
        Table::from_csv(&row_schema, csv.as_bytes()).unwrap().to_markdown()
    };
    #[track_caller]
    fn check(markdown: &str, row: &str) {
        let lines: Vec<&str> = markdown.lines().collect();
        assert_eq!(lines, ["| what | said | found [95 %] |", "| --- | ---: | ---: |", row]);
    }

    check(&row_markdown("win,0.918,0.918,0.5,0.25,0.75"), "| win | 91.8 % | 50.00 % [25.00, 75.00] |");
    check(&row_markdown("win,0.7,0.8,0.5,,"), "| win | 70 to 80 % | 50.00 % |");
    check(&row_markdown("score,900,1100.5,7.10,6.00,8.00"), "| score | 900 to 1100.5 | 7.10 [6.00, 8.00] |");
    check(&row_markdown("win,1,1,,,"), "| win | 100 % |  |");
}

/// Every row of Markdown has as many cells as its head, whatever the name.
#[test]
fn any_name_survives_markdown() {
    let table = names(&["plain", "a, b", "say \"hi\"", "a|b", "||", "ä 雪"]);
    let markdown = table.to_markdown();
    let lines: Vec<&str> = markdown.lines().collect();
    assert_eq!(lines[..2], ["| player | games |", "| --- | ---: |"]);
    assert_eq!(lines[2..6], ["| plain | 1 |", "| a, b | 1 |", "| say \"hi\" | 1 |", "| a\\|b | 1 |"]);
    assert_eq!(lines[6], "| \\|\\| | 1 |");
    for line in &lines {
        assert_eq!(line.replace("\\|", "").matches('|').count(), 3, "{line}");
    }
}

#[test]
fn an_estimate_takes_its_bounds_along() {
    #[track_caller]
    fn check(columns: &'static [Column], row: Vec<Cell>, headings: &str, cells: &str) {
        let schema = schema(columns);
        let table = Table::new(&schema, vec![row]);
        let rule = headings.replace(|c| c != '|', "").len();
        let rule = format!("| ---{} |", " | ---:".repeat(rule));
        assert_eq!(table.to_markdown(), format!("| {headings} |\n{rule}\n| {cells} |\n"));
        // A table from a file looks the same.
        let parsed = Table::from_csv(&schema, &table.to_csv()).unwrap();
        assert_eq!(parsed.to_markdown(), table.to_markdown());
        assert_eq!(parsed.to_text(None), table.to_text(None));
        // On the terminal the words are the same, aligned.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let aligned = table.to_text(None);
        let lines: Vec<String> = aligned.lines().map(words).collect();
        assert_eq!(lines, [headings, cells].map(|line| words(&line.replace('|', " "))));
        assert!(aligned.lines().all(|line| line == line.trim_end()));
    }

    let real = |number, decimals| Cell::Real(number, decimals);
    const BOUNDS: &[Column] = &[
        Column::words("p"),
        Column::number("mean_x"),
        Column::number("mean_x_low").low_of("mean_x"),
        Column::number("mean_x_high").high_of("mean_x"),
    ];
    let row = vec![text("a"), real(2.0, 2), real(1.5, 2), real(2.25, 2)];
    check(BOUNDS, row, "p | mean x [95 %]", "a | 2.00 [1.50, 2.25]");
    // Without bounds the estimate is alone, and without an estimate there is nothing.
    let row = vec![text("a"), real(2.0, 2), Cell::Nothing, Cell::Nothing];
    check(BOUNDS, row, "p | mean x [95 %]", "a | 2.00");
    let row = vec![text("a"), Cell::Nothing, Cell::Nothing, Cell::Nothing];
    check(BOUNDS, row, "p | mean x [95 %]", "a | ");
    // Bounds need not be next to their estimate, and their names do not matter.
    const SEPARATE_BOUNDS: &[Column] = &[
        Column::words("p"),
        Column::count("most").high_of("x"),
        Column::count("x"),
        Column::count("least").low_of("x"),
        Column::count("x_low"),
    ];
    let row = vec![text("a"), Cell::Whole(3), Cell::Whole(2), Cell::Whole(1), Cell::Whole(9)];
    check(SEPARATE_BOUNDS, row, "p | x [95 %] | x low", "a | 2 [1, 3] | 9");
    // Shares are in per cent, including bounds.
    const SHARES: &[Column] = &[
        Column::words("p"),
        Column::share("win_rate"),
        Column::share("win_rate_low").low_of("win_rate"),
        Column::share("win_rate_high").high_of("win_rate"),
        Column::share("share"),
        Column::number("rate"),
    ];
    let row = vec![text("a"), real(0.5, 6), real(0.0, 6), real(1.0, 6), real(0.123456, 6), real(0.5, 1)];
    check(SHARES, row, "p | win rate % [95 %] | share % | rate", "a | 50.00 [0.00, 100.00] | 12.35 | 0.5");
    const SHARE: &[Column] = &[Column::words("p"), Column::share("share")];
    check(SHARE, vec![text("a"), Cell::Nothing], "p | share %", "a | ");
}

/// If each row has its own level, the head has none.
#[test]
fn heads_say_the_level() {
    #[track_caller]
    fn check(level: Option<f64>, heading: &str) {
        const X: &[Column] =
            &[Column::number("x"), Column::number("low").low_of("x"), Column::number("high").high_of("x")];
        let markdown = Table::new(&Schema { level, ..schema(X) }, Vec::new()).to_markdown();
        assert_eq!(markdown, format!("| {heading} |\n| ---: |\n"));
    }

    check(Some(0.95), "x [95 %]");
    check(Some(0.995), "x [99.5 %]");
    check(None, "x [at level]");
}

#[test]
fn numbers_that_are_none_are_not_written() {
    for value in [None, Some(f64::NAN), Some(f64::INFINITY), Some(f64::NEG_INFINITY)] {
        assert_eq!(Cell::from_real(value, 3), Cell::Nothing);
    }
    assert_eq!(Cell::from_real(Some(0.5), 3), Cell::Real(0.5, 3));
    let ab = schema(&[Column::number("a"), Column::number("b")]);
    let table = Table::new(&ab, vec![vec![Cell::Nothing, Cell::Real(-1.25, 1)]]);
    assert_eq!(table.to_csv(), b"a,b\n,-1.2\n");
}

/// Columns on the terminal are aligned even if a character is two columns wide.
#[test]
fn wide_names_are_aligned() {
    let table = names(&["ab", "雪", "éa"]);
    assert_eq!(table.to_text(None), "player  games\nab          1\n雪          1\néa          1\n");
}

/// A folder of two results, one of whose names has a space.
fn results_folder() -> Folder {
    let folder = Folder::new();
    for (name, number) in [("one", 1), ("number two", 2)] {
        let tiles = format!("player,tile\np,{number}\n");
        folder.write(&format!("results/{name}/max-tile.csv"), tiles);
        let claims = format!("player,answer\np,p has {number} | 2\n");
        folder.write(&format!("results/{name}/claims.csv"), claims);
        let manifest = format!("command = \"gauntlet run {number}.toml\"\n");
        folder.write(&format!("results/{name}/manifest.toml"), manifest);
        folder.update_digests(&format!("results/{name}"));
    }
    folder
}

fn splice_document(folder: &Folder, document: &str) -> anyhow::Result<String> {
    Ok(splice(gauntlet::catalog(&gauntlet::GAMES), document, &folder.path(""))?.text)
}

#[test]
fn marked_places_are_filled() {
    #[track_caller]
    fn check(folder: &Folder, document: &str, expected: &str) {
        let filled_document = splice_document(folder, document).unwrap();
        assert_eq!(filled_document, expected);
        assert_eq!(
            splice_document(folder, &filled_document).unwrap(),
            filled_document,
            "what is filled changes no more"
        );
    }

    let folder = results_folder();
    let table_one = "\n| player | tile | games | share % | reached | reach rate % [95 %] |\n\
               | --- | ---: | ---: | ---: | ---: | ---: |\n\
               | p | 1 |  |  |  |  |\n\nGenerated by `gauntlet run 1.toml`.\n\n";
    let table_two = "\n- p has 2 \\| 2\n\nGenerated by `gauntlet run 2.toml`.\n\n";
    let open_one = "<!-- gauntlet results/one max-tile -->\n";
    let open_two = "<!-- gauntlet results/number two claims -->\n";
    let close = "<!-- /gauntlet -->";
    check(&folder, &format!("{open_one}{close}"), &format!("{open_one}{table_one}{close}"));
    // Old content is removed, whatever it is, and everything around it stays unchanged.
    check(
        &folder,
        &format!("# ä\n\n  text\t\n{open_one}old | <!-- other -->\n{close} rest\n\n\n"),
        &format!("# ä\n\n  text\t\n{open_one}{table_one}{close} rest\n\n\n"),
    );
    // Several places, the same table twice.
    check(
        &folder,
        &format!("a{open_one}{close}b\n{open_two}x{close}c\n{open_one}\n\n{close}"),
        &format!(
            "a{open_one}{table_one}{close}b\n{open_two}{table_two}{close}c\n{open_one}{table_one}{close}"
        ),
    );
    // More spaces in a marker are accepted.
    let wide_marker = "<!-- gauntlet   results/one max-tile   -->  \n";
    check(&folder, &format!("{wide_marker}{close}"), &format!("{wide_marker}{table_one}{close}"));
}

/// Rows are selected by their numbers.
#[test]
fn chosen_rows_alone_are_filled_in() {
    let folder = results_folder();
    let document = |rows: &str| format!("<!-- gauntlet results/one claims:{rows} -->\n<!-- /gauntlet -->\n");
    let filled_document = splice_document(&folder, &document("1,1")).unwrap();
    assert_eq!(filled_document.matches("- p has 1").count(), 2, "{filled_document}");
    let filled_document = splice_document(&folder, &document("1-1,1")).unwrap();
    assert_eq!(filled_document.matches("- p has 1").count(), 2, "{filled_document}");
    for rows in ["2", "0", "", "1,", "x", "-1", "1-2", "1-"] {
        let error = splice_document(&folder, &document(rows)).expect_err("no such row");
        assert!(format!("{error:#}").contains("is not a row: expected a number from 1 to 1"), "{error:#}");
    }
}

/// Rows of several results are joined, with the columns of the first one.
#[test]
fn rows_of_several_results_are_joined() {
    let folder = results_folder();
    let splice =
        |sources: &str| splice_document(&folder, &format!("<!-- gauntlet {sources} -->\n<!-- /gauntlet -->"));
    let filled_document =
        splice("results/one max-tile[player,tile]:1 + results/number two max-tile + results/one max-tile")
            .unwrap();
    assert!(
        filled_document.contains(
            "\n| player | tile |\n| --- | ---: |\n| p | 1 |\n| p | 2 |\n| p | 1 |\n\n\
             Generated by `gauntlet run 1.toml`, `gauntlet run 2.toml`.\n"
        ),
        "{filled_document}"
    );
    let error = splice("results/one max-tile + results/one claims").expect_err("different tables");
    let expected = "`results/one max-tile` and `results/one claims` have different columns; select the same";
    assert!(format!("{error:#}").contains(expected), "{error:#}");
    splice("results/one max-tile + absent max-tile").expect_err("no such folder");
    splice("results/one max-tile + ").expect_err("no folder");
}

/// A document with 10,000 nodes per move in two results. The calibration loop took 7.25 µs in the
/// first, and 14.14 µs in the second.
fn folder_of_two_machines() -> (Folder, [String; 2]) {
    let folder = Folder::new();
    let rows = [("endgames-late", 4), ("endgames-cutoff", 2)].map(|(name, row)| {
        folder.copy_from_repository(&format!("results/{name}"));
        format!("results/{name} leaderboard[player,cpu_ms_per_move]:{row}")
    });
    (folder, rows)
}

/// Joined times do not depend on the speed of their machine, nor on the order of the rows.
#[test]
fn joined_times_are_converted() {
    let (folder, [fast_row, slow_row]) = folder_of_two_machines();
    let times = |sources: &str| -> Vec<f64> {
        folder.write("d.md", format!("<!-- gauntlet {sources} -->\n<!-- /gauntlet -->\n"));
        folder.run("report --splice d.md").assert_status(0);
        let text = folder.read("d.md");
        assert_eq!(text.contains("whose calibration loop takes 10 µs"), sources.contains(" + "), "{text}");
        let rows = text.lines().filter(|line| line.contains("nodes=10000"));
        let cells = rows.map(|row| row.split(" | ").nth(1).unwrap().split_once(" µs [").unwrap().0);
        cells.map(|number| number.parse().unwrap()).collect()
    };
    let alone = [times(&fast_row)[0], times(&slow_row)[0]];
    let joined = times(&format!("{fast_row} + {slow_row}"));
    assert!((1.9..2.3).contains(&(alone[1] / alone[0])), "{alone:?}");
    assert!((1.0..1.2).contains(&(joined[1] / joined[0])), "{joined:?}");
    assert!((1.3..1.45).contains(&(joined[0] / alone[0])), "{joined:?} {alone:?}");
    let reversed = times(&format!("{slow_row} + {fast_row}"));
    assert_eq!(reversed, [joined[1], joined[0]]);
    // Rows without times are joined whatever is known about times.
    folder.copy_from_repository("results/leaderboard");
    let sources =
        format!("{} + results/leaderboard leaderboard:13", fast_row.replace("cpu_ms_per_move", "games"));
    folder.write("d.md", format!("<!-- gauntlet {sources} -->\n<!-- /gauntlet -->\n"));
    folder.run("report --splice d.md").assert_status(0);
    assert!(!folder.read("d.md").contains("converted"));
}

/// The plot has the joined rows, and is replaced when it is out of date.
#[test]
fn joined_rows_are_plotted() {
    let (folder, [fast_row, slow_row]) = folder_of_two_machines();
    let plot = "<!-- gauntlet plot players.svg -->\n<!-- /gauntlet -->\n";
    let document = format!("{plot}<!-- gauntlet {fast_row} + {slow_row} -->\n<!-- /gauntlet -->\n");
    folder.write("d.md", &document);
    folder.run("report --splice d.md --check").assert_status(1).assert_says("out of date");
    folder.run("report --splice d.md").assert_status(0);
    assert!(folder.read("d.md").contains("(players.svg)"));
    let svg = folder.read("players.svg");
    assert_eq!(svg.matches("class=\"player\" data-needs=\"tables\"").count(), 2, "{svg}");
    assert!(svg.contains("<title>nodes=10000 least_value=2: 530,341 "), "{svg}");
    folder.run("report --splice d.md --check").assert_status(0);
    folder.write("players.svg", svg.replace("530,341", "530,342"));
    folder.run("report --splice d.md --check").assert_status(1).assert_says("out of date");
    folder.run("report --splice d.md").assert_status(0);
    assert_eq!(folder.read("players.svg"), svg);
    // A file of somebody else is kept.
    folder.write("players.svg", "mine");
    folder.run("report --splice d.md").assert_status(1).assert_says("players.svg");
    assert_eq!(folder.read("players.svg"), "mine");
    for (marks, message) in [
        (plot.to_owned(), "no joined rows of `leaderboard`"),
        (plot.replace("players.svg", "../players.svg"), "expected a file name such as players.svg"),
        (format!("{plot}{plot}"), "at most one"),
    ] {
        folder.write("e.md", marks);
        folder.run("report --splice e.md").assert_status(1).assert_says(message);
    }
}

/// Columns are selected by their names in files, in any order; `reach rate` has its bounds.
#[test]
fn chosen_columns_alone_are_filled_in() {
    let folder = results_folder();
    let document = |table: &str| format!("<!-- gauntlet results/one {table} -->\n<!-- /gauntlet -->\n");
    let filled_document = splice_document(&folder, &document("max-tile[tile,reach_rate,player]:1")).unwrap();
    let table = "\n| tile | reach rate % [95 %] | player |\n| ---: | ---: | --- |\n| 1 |  | p |\n";
    assert!(filled_document.contains(table), "{filled_document}");
    assert_eq!(splice_document(&folder, &filled_document).unwrap(), filled_document);
    let filled_document = splice_document(&folder, &document("claims[answer]")).unwrap();
    assert!(filled_document.contains("| answer |\n| --- |\n| p has 1"), "{filled_document}");
    for (table, message) in [
        ("max-tile[]", "`max-tile` has no column ``: expected player, tile, games, "),
        ("max-tile[tile,reach_rate_low]", "`max-tile` has no column `reach_rate_low`"),
        ("max-tile[tile", "unknown table `max-tile[tile`"),
    ] {
        let error = splice_document(&folder, &document(table)).expect_err("no such column");
        assert!(format!("{error:#}").contains(message), "{error:#}");
    }
}

/// The leaderboard is made from the tables of a run, and names the command of each player; duels
/// have ratings instead.
#[test]
fn a_leaderboard_is_made_of_the_other_tables() {
    let folder = play_in_new_folder(
        "x.toml",
        "name = \"x\"\ngame = \"2048\"\nseed = 1\ngames = 20\n[[player]]\nname = \"at random\"\nalgorithm = \"random\"\n\
         [[player]]\nname = \"greedy\"\nalgorithm = \"greedy\"\n[[published]]\nplayer = \"greedy\"\nwhat = \"score\"\n\
         value = 3112\nsource = \"a table\"\n",
    );
    let csv = folder.run("report results/x --table leaderboard --format csv").assert_status(0).stdout;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let column_names = reader.headers().expect("heads").clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    let cell = |row: usize, name: &str| {
        &rows[row][column_names.iter().position(|column| column == name).expect(name)]
    };
    assert_eq!([cell(0, "player"), cell(1, "player")], ["greedy", "at random"]);
    assert_eq!(cell(0, "published"), "score 3112: a table");
    assert_eq!(cell(1, "command"), "gauntlet run x.toml --only 'at random'");
    // Twenty games show that greedy is stronger, but not how fast either player is.
    assert_eq!([cell(0, "front"), cell(1, "front")], ["on", "open"]);
    let document =
        folder.run("report results/x --table leaderboard --format markdown").assert_status(0).stdout;
    assert!(
        document.contains("| player | front | cpu per move [95 %] |") && document.contains(" ns ["),
        "{document}"
    );
    let share_columns = column_names.iter().filter(|name| name.parse::<u32>().is_ok()).count();
    assert!(share_columns > 1, "{csv}");
    folder.run("run x.toml --only greedy --quiet").assert_status(0);

    folder.play(
        "duel.toml",
        "name = \"duel\"\ngame = \"gomoku\"\nseed = 1\ngames = 2\nsize = 7\n\
         [[player]]\nname = \"a\"\nalgorithm = \"random\"\n[[player]]\nname = \"b\"\nalgorithm = \"gomoku-greedy\"\n",
    );
    folder
        .run("report results/duel --table leaderboard")
        .assert_status(1)
        .assert_says("ratings of two-player games are in `elo`");
}

#[test]
fn documents_with_other_line_ends_keep_them_around() {
    let folder = results_folder();
    let document = "a\r\n<!-- gauntlet results/one max-tile -->\r\nold\r\n<!-- /gauntlet -->\r\nb\r\n";
    let filled_document = splice_document(&folder, document).unwrap();
    assert!(
        filled_document.starts_with("a\r\n<!-- gauntlet results/one max-tile -->\r\n"),
        "{filled_document:?}"
    );
    assert!(filled_document.ends_with("<!-- /gauntlet -->\r\nb\r\n"), "{filled_document:?}");
    assert!(
        filled_document.contains("| p | 1 |  |") && !filled_document.contains("old"),
        "{filled_document:?}"
    );
    assert_eq!(splice_document(&folder, &filled_document).unwrap(), filled_document);
}

#[test]
fn places_that_cannot_be_filled_are_told() {
    #[track_caller]
    fn check(document: &str, message: &str) {
        let error = splice_document(&results_folder(), document).expect_err("nothing to fill it with");
        assert!(format!("{error:#}").contains(message), "{error:#}");
    }

    let close = "<!-- /gauntlet -->";
    check("", "no `<!-- gauntlet FOLDER TABLE -->` in the document");
    check("text\n<!-- other -->\n", "no `<!-- gauntlet FOLDER TABLE -->`");
    check(close, "no `<!-- gauntlet FOLDER TABLE -->`");
    check("<!-- gauntlet results/one max-tile -->\n", "is not closed by `<!-- /gauntlet -->`");
    check("<!-- gauntlet results/one max-tile -->", "`<!-- gauntlet results/one max-tile -->` is not closed");
    let document =
        format!("<!-- gauntlet results/one max-tile -->\n{close}\n<!-- gauntlet results/one claims -->\n");
    check(&document, "`<!-- gauntlet results/one claims -->` is not closed");
    check(
        &format!("<!-- gauntlet max-tile -->\n{close}"),
        "expected `<!-- gauntlet FOLDER TABLE -->`, found",
    );
    check(
        &format!("<!-- gauntlet results/one max-tile\n{close}"),
        "expected `<!-- gauntlet FOLDER TABLE -->`",
    );
    check(&format!("<!-- gauntlet results/none max-tile -->\n{close}"), "cannot read");
    check(&format!("<!-- gauntlet results/one stop -->\n{close}"), "has no table `stop`");
    check(
        &format!("<!-- gauntlet results/one none -->\n{close}"),
        "unknown table `none`: expected win-rate, elo, duels, max-tile, ms-per-move, times-by-processor, published, claims, stop",
    );
}

/// Text between an unclosed marker and the next marker belongs to the document, and must not be
/// taken for an old table.
#[test]
fn a_forgotten_close_takes_no_text_along() {
    let document = "<!-- gauntlet results/one max-tile -->\nmy words\n<!-- gauntlet results/one claims -->\n<!-- /gauntlet -->\n";
    let error = splice_document(&results_folder(), document).expect_err("the first marker is not closed");
    assert!(format!("{error:#}").contains("results/one max-tile -->` is not closed"), "{error:#}");
}

/// Otherwise `--check` would report every document with such line ends as outdated.
#[test]
fn what_is_filled_in_ends_its_lines_as_the_document_does() {
    let document = "<!-- gauntlet results/one max-tile -->\r\n<!-- /gauntlet -->\r\n";
    let filled_document = splice_document(&results_folder(), document).unwrap();
    assert!(!filled_document.replace("\r\n", "").contains('\n'), "{filled_document:?}");
}

#[cfg(unix)]
#[test]
fn a_document_stays_the_file_that_it_is() {
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;

    let folder = results_folder();
    let text = "<!-- gauntlet results/one max-tile -->\n<!-- /gauntlet -->\n";
    let name = std::ffi::OsStr::from_bytes(b"no \xff text.md");
    let document = folder.path("").join(name);
    fs::write(&document, text).unwrap();
    fs::set_permissions(&document, fs::Permissions::from_mode(0o640)).unwrap();
    let link = folder.path("link.md");
    std::os::unix::fs::symlink(name, &link).unwrap();
    folder.run("report --splice link.md").assert_status(0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&document).unwrap().contains("| p | 1 |  |"));
    assert_eq!(fs::metadata(&document).unwrap().permissions().mode() & 0o777, 0o640);
    fs::write(&document, text).unwrap();
    assert!(folder.command("report --splice").arg(name).status().unwrap().success());
    assert!(fs::read_to_string(&document).unwrap().contains("| p | 1 |  |"));
    folder.run("report --splice link.md --check").assert_status(0);
}

/// Returns a random word of these letters, up to a length.
fn word(rng: &mut Rng, letters: &[u8], max_length: u64) -> String {
    let length = 1 + rng.below(max_length);
    (0..length).map(|_| char::from(letters[rng.below(letters.len() as u64) as usize])).collect()
}

/// Returns a random name like those of sweeps: `ab c ba=12`.
fn any_name(rng: &mut Rng) -> String {
    let mut name = word(rng, b"abc", 3);
    for _ in 0..rng.below(5) {
        name += &format!(" {}", word(rng, b"abc", 2));
        if rng.below(2) == 0 {
            name += &format!("={}", word(rng, b"123", 3));
        }
    }
    name
}

#[test]
fn names_fit_and_stay_apart() {
    let any_names = |rng: &mut Rng| {
        let names: BTreeSet<String> = (0..1 + rng.below(11)).map(|_| any_name(rng)).collect();
        (names, 4 + rng.below(26) as usize)
    };
    assert_for_all(2_000, any_names, |(names, width)| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let short_names = fit_names(&names, width);
        assert!(short_names.iter().all(|name| name.chars().count() <= width), "{short_names:?}");
        assert_eq!(short_names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{short_names:?}");
    });
}
