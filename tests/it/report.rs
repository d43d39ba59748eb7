//! Tables for people and for documents.

use gauntlet::page::splice::splice;
use gauntlet::table::{Cell, Table};

use crate::bench::Folder;

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

/// A table of names that are hard to write.
fn names(names: &[&str]) -> Table {
    let rows = names.iter().map(|&name| vec![text(name), Cell::Whole(1)]).collect();
    Table::new("names", &["player", "games"], rows)
}

#[test]
fn any_name_survives_csv() {
    let hard =
        ["plain", "a, b", "say \"hi\"", "\"", ",", "a|b", "two\nlines", "a\r\nb", " blank ", "", "ä 雪 🂡"];
    let table = names(&hard);
    let csv = table.to_csv();
    let read = Table::from_csv("names", &csv).unwrap();
    assert_eq!(read.columns, table.columns);
    let read_names: Vec<_> = read.rows.iter().map(|row| row[0].clone()).collect();
    assert_eq!(read_names, hard.map(text));
    assert_eq!(read.to_csv(), csv);
    assert!(csv.starts_with(b"player,games\nplain,1\n\"a, b\",1\n\"say \"\"hi\"\"\",1\n"));
}

#[test]
fn damaged_csv_is_refused() {
    for bad in ["a,b\n1\n", "a,b\n1,2,3\n"] {
        assert!(Table::from_csv("bad", bad.as_bytes()).is_err(), "{bad:?}");
    }
    assert!(Table::from_csv("bad", b"a\n\xff\n").is_err());
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
    fn check(columns: &[&str], row: Vec<Cell>, heads: &str, cells: &str) {
        let table = Table::new("t", columns, vec![row]);
        let rule = heads.replace(|c| c != '|', "").len();
        let rule = format!("| ---{} |", " | ---:".repeat(rule));
        assert_eq!(table.to_markdown(), format!("| {heads} |\n{rule}\n| {cells} |\n"));
        // What was read from a file looks the same.
        let read = Table::from_csv("t", &table.to_csv()).unwrap();
        assert_eq!(read.to_markdown(), table.to_markdown());
        assert_eq!(read.to_text(), table.to_text());
        // For the terminal it is the same words, aligned.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let aligned = table.to_text();
        let lines: Vec<String> = aligned.lines().map(words).collect();
        assert_eq!(lines, [heads, cells].map(|line| words(&line.replace('|', " "))));
        assert!(aligned.lines().all(|line| line == line.trim_end()));
    }

    let real = |number, decimals| Cell::Real(number, decimals);
    let bounds = ["p", "mean_x", "mean_x_low", "mean_x_high"];
    let row = vec![text("a"), real(2.0, 2), real(1.5, 2), real(2.25, 2)];
    check(&bounds, row, "p | mean x [95 %]", "a | 2.00 [1.50, 2.25]");
    // Without bounds the estimate stands alone, and without an estimate there is nothing.
    let row = vec![text("a"), real(2.0, 2), Cell::Nothing, Cell::Nothing];
    check(&bounds, row, "p | mean x [95 %]", "a | 2.00");
    let row = vec![text("a"), Cell::Nothing, Cell::Nothing, Cell::Nothing];
    check(&bounds, row, "p | mean x [95 %]", "a | ");
    // Bounds need not stand beside their estimate, and a column whose name only begins alike has none.
    let columns = ["p", "x_high", "x", "x_low", "xy"];
    let row = vec![text("a"), Cell::Whole(3), Cell::Whole(2), Cell::Whole(1), Cell::Whole(9)];
    check(&columns, row, "p | x [95 %] | xy", "a | 2 [1, 3] | 9");
    // Parts of a whole are in per cent, bounds included; what is no part is not.
    let columns = ["p", "win_rate", "win_rate_low", "win_rate_high", "share", "shares", "ratesx"];
    let row = vec![
        text("a"),
        real(0.5, 6),
        real(0.0, 6),
        real(1.0, 6),
        real(0.123456, 6),
        real(0.5, 1),
        real(0.5, 1),
    ];
    check(
        &columns,
        row,
        "p | win rate % [95 %] | share % | shares | ratesx",
        "a | 50.00 [0.00, 100.00] | 12.35 | 0.5 | 0.5",
    );
    check(&["p", "share"], vec![text("a"), Cell::Nothing], "p | share %", "a | ");
}

#[test]
fn numbers_that_are_none_are_not_written() {
    for none in [None, Some(f64::NAN), Some(f64::INFINITY), Some(f64::NEG_INFINITY)] {
        assert_eq!(Cell::real(none, 3), Cell::Nothing);
    }
    assert_eq!(Cell::real(Some(0.5), 3), Cell::Real(0.5, 3));
    let table = Table::new("t", &["a", "b"], vec![vec![Cell::Nothing, Cell::Real(-1.25, 1)]]);
    assert_eq!(table.to_csv(), b"a,b\n,-1.2\n");
}

/// Columns of the terminal stand under each other also where a character is two wide.
#[test]
fn wide_names_are_aligned() {
    let table = names(&["ab", "雪", "éa"]);
    assert_eq!(table.to_text(), "player  games\nab          1\n雪          1\néa          1\n");
}

/// A folder of two results, one of whose names has a blank.
fn results() -> Folder {
    let folder = Folder::new();
    for (name, number) in [("one", 1), ("number two", 2)] {
        folder.write(&format!("results/{name}/t.csv"), format!("player,games\np,{number}\n"));
        folder.write(&format!("results/{name}/u.csv"), format!("player,share\np,0.{number}\n"));
        let manifest = format!("command = \"gauntlet run {number}.toml\"\n");
        folder.write(&format!("results/{name}/manifest.toml"), manifest);
    }
    folder
}

fn spliced(folder: &Folder, document: &str) -> anyhow::Result<String> {
    splice(document, &folder.path(""))
}

#[test]
fn marked_places_are_filled() {
    #[track_caller]
    fn check(folder: &Folder, document: &str, expected: &str) {
        let filled = spliced(folder, document).unwrap();
        assert_eq!(filled, expected);
        assert_eq!(spliced(folder, &filled).unwrap(), filled, "what is filled changes no more");
    }

    let folder = results();
    let one = "\n| player | games |\n| --- | ---: |\n| p | 1 |\n\nMade by `gauntlet run 1.toml`.\n\n";
    let two = "\n| player | share % |\n| --- | ---: |\n| p | 20.00 |\n\nMade by `gauntlet run 2.toml`.\n\n";
    let open_one = "<!-- gauntlet results/one t -->\n";
    let open_two = "<!-- gauntlet results/number two u -->\n";
    let close = "<!-- /gauntlet -->";
    check(&folder, &format!("{open_one}{close}"), &format!("{open_one}{one}{close}"));
    // Old content goes, whatever it is, and everything around stays to the letter.
    check(
        &folder,
        &format!("# ä\n\n  text\t\n{open_one}old | <!-- other -->\n{close} rest\n\n\n"),
        &format!("# ä\n\n  text\t\n{open_one}{one}{close} rest\n\n\n"),
    );
    // Several places, the same table twice.
    check(
        &folder,
        &format!("a{open_one}{close}b\n{open_two}x{close}c\n{open_one}\n\n{close}"),
        &format!("a{open_one}{one}{close}b\n{open_two}{two}{close}c\n{open_one}{one}{close}"),
    );
    // More blanks in a marker do no harm.
    let wide = "<!-- gauntlet   results/one t   -->  \n";
    check(&folder, &format!("{wide}{close}"), &format!("{wide}{one}{close}"));
}

#[test]
fn documents_with_other_line_ends_keep_them_around() {
    let folder = results();
    let document = "a\r\n<!-- gauntlet results/one t -->\r\nold\r\n<!-- /gauntlet -->\r\nb\r\n";
    let filled = spliced(&folder, document).unwrap();
    assert!(filled.starts_with("a\r\n<!-- gauntlet results/one t -->\r\n"), "{filled:?}");
    assert!(filled.ends_with("<!-- /gauntlet -->\r\nb\r\n"), "{filled:?}");
    assert!(filled.contains("| p | 1 |") && !filled.contains("old"), "{filled:?}");
    assert_eq!(spliced(&folder, &filled).unwrap(), filled);
}

#[test]
fn places_that_cannot_be_filled_are_told() {
    #[track_caller]
    fn check(document: &str, complaint: &str) {
        let error = spliced(&results(), document).expect_err("nothing to fill it with");
        assert!(format!("{error:#}").contains(complaint), "{error:#}");
    }

    let close = "<!-- /gauntlet -->";
    check("", "found no `<!-- gauntlet FOLDER TABLE -->` to fill");
    check("text\n<!-- other -->\n", "found no");
    check(close, "found no");
    check("<!-- gauntlet results/one t -->\n", "is not closed by `<!-- /gauntlet -->`");
    check("<!-- gauntlet results/one t -->", "`<!-- gauntlet results/one t -->` is not closed");
    let twice = format!("<!-- gauntlet results/one t -->\n{close}\n<!-- gauntlet results/one u -->\n");
    check(&twice, "`<!-- gauntlet results/one u -->` is not closed");
    check(&format!("<!-- gauntlet t -->\n{close}"), "expected `<!-- gauntlet FOLDER TABLE -->`, found");
    check(&format!("<!-- gauntlet results/one t\n{close}"), "expected `<!-- gauntlet FOLDER TABLE -->`");
    check(&format!("<!-- gauntlet results/none t -->\n{close}"), "cannot read");
    check(&format!("<!-- gauntlet results/one none -->\n{close}"), "none.csv");
}

/// What stands between a marker without its close and the next marker is text of the document, and must not be taken
/// for an old table.
#[test]
fn a_forgotten_close_takes_no_text_along() {
    let document =
        "<!-- gauntlet results/one t -->\nmy words\n<!-- gauntlet results/one u -->\n<!-- /gauntlet -->\n";
    let error = spliced(&results(), document).expect_err("the first marker is not closed");
    assert!(format!("{error:#}").contains("results/one t -->` is not closed"), "{error:#}");
}

/// Else `--check` says of every document with such line ends that it is not up to date.
#[test]
fn what_is_filled_in_ends_its_lines_as_the_document_does() {
    let document = "<!-- gauntlet results/one t -->\r\n<!-- /gauntlet -->\r\n";
    let filled = spliced(&results(), document).unwrap();
    assert!(!filled.replace("\r\n", "").contains('\n'), "{filled:?}");
}

#[cfg(unix)]
#[test]
fn a_document_stays_the_file_that_it_is() {
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;

    let folder = results();
    let text = "<!-- gauntlet results/one t -->\n<!-- /gauntlet -->\n";
    let name = std::ffi::OsStr::from_bytes(b"no \xff text.md");
    let document = folder.path("").join(name);
    fs::write(&document, text).unwrap();
    fs::set_permissions(&document, fs::Permissions::from_mode(0o640)).unwrap();
    let link = folder.path("link.md");
    std::os::unix::fs::symlink(name, &link).unwrap();
    folder.run("report --splice link.md").ends(0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&document).unwrap().contains("| p | 1 |"));
    assert_eq!(fs::metadata(&document).unwrap().permissions().mode() & 0o777, 0o640);
    fs::write(&document, text).unwrap();
    assert!(folder.command("report --splice").arg(name).status().unwrap().success());
    assert!(fs::read_to_string(&document).unwrap().contains("| p | 1 |"));
    folder.run("report --splice link.md --check").ends(0);
}
