//! `gauntlet probe`: boards from outside, and what players do on them.

use crate::bench::{CLASSICS, Folder, classics_with_games};

#[test]
fn probe_answers_every_line() {
    let folder = Folder::with_file("a.toml", classics_with_games(20));
    let input = r#"{"id": "a", "board": [2,2,4,0, 0,0,0,0, 0,0,0,0, 0,0,0,2], "note": 1}
{"board": [2,4,2,4,4,2,4,2,2,4,2,4,4,2,4,2], "score": 100}

{"id": [3], "board": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}
{"id": 4, "board": [65536,65536,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}
"#;
    let output = folder.run_with("probe --experiment a.toml", input).assert_status(0);
    let answers: Vec<serde_json::Value> =
        output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 4);
    assert_eq!(answers[0]["id"], "a");
    assert_eq!(answers[0]["over"], false);
    assert_eq!(answers[0]["moves"]["left"]["board"].to_string(), "[4,4,0,0,0,0,0,0,0,0,0,0,2,0,0,0]");
    assert_eq!(answers[0]["moves"]["left"]["gain"], 4);
    assert_eq!(answers[0]["moves"]["up"]["gain"], 0);
    assert_eq!(answers[0]["features"]["empty"], 12);
    assert_eq!(answers[0]["players"]["gain"]["move"], "right");
    assert_eq!(answers[0]["players"]["gain"]["value"], 4.0);
    assert_eq!(answers[0]["players"]["corner"]["move"], "down");
    assert_eq!(answers[1]["id"], serde_json::Value::Null);
    assert_eq!(answers[1]["over"], true);
    assert_eq!(answers[1]["moves"]["up"], serde_json::Value::Null);
    assert_eq!(answers[1]["players"]["any"]["move"], serde_json::Value::Null);
    assert_eq!(answers[2]["over"], false);
    assert_eq!(answers[2]["players"]["gain"]["move"], serde_json::Value::Null);
    assert_eq!(answers[3]["moves"]["left"]["board"][0], 131_072);
    assert_eq!(answers[3]["moves"]["left"]["gain"], 131_072);
    // Ids are returned unchanged, and a byte order mark is ignored.
    let bom_line =
        "\u{feff}{\"id\": 12345678901234567890123, \"board\": [2,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}\n";
    folder.run_with("probe", bom_line).assert_status(0).assert_says("{\"id\":12345678901234567890123,");
    // A game that the experiment ends early is not over by the rules.
    folder.write("until.toml", CLASSICS.replace("seed = 7", "seed = 7\nuntil = 2048"));
    let board = "{\"board\": [2048,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}\n";
    folder.run_with("probe --experiment until.toml", board).assert_status(0).assert_says("\"over\":false");
    // Each line is answered by a new player, so the lines before have no effect.
    let repeated_output =
        folder.run_with("probe --experiment a.toml", &format!("{input}{input}")).assert_status(0);
    assert_eq!(repeated_output.stdout, format!("{0}{0}", output.stdout));
    let plain_output = folder.run_with("probe", input).assert_status(0);
    assert!(plain_output.stdout.lines().all(|line| line.contains("\"players\":{}")));
}

#[test]
fn probe_refuses_bad_lines_by_number() {
    let folder = Folder::new();
    let valid_line = r#"{"board": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,2,2]}"#;
    let check = |invalid_line: &str, message: &str| {
        let output = folder
            .run_with("probe", &format!("{valid_line}\n{invalid_line}\n{valid_line}\n"))
            .assert_status(2)
            .assert_says("line 2")
            .assert_says(message);
        assert_eq!(output.stdout.lines().count(), 1, "{}", output.stdout);
    };
    check("{", "EOF");
    check("foo", r#"; expected JSON, such as {"board": [0,0,2,0, 0,0,0,0, 0,0,0,4, 0,0,0,0]}"#);
    check("[]", "invalid");
    check(
        r#"{"board": [[2,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]]}"#,
        r#"; expected JSON, such as {"board": "#,
    );
    check("{}", "missing field `board`");
    check(r#"{"board": [2, 2]}"#, "16 cells, not 2");
    check(r#"{"board": [3,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}"#, "3 is not a tile");
    check(r#"{"board": [262144,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}"#, "262144 is not a tile");
    check(r#"{"board": [-2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}"#, "invalid value");
    check(r#"{"board": "2 2"}"#, "16 cells, not 2");
    check(r#"{"board": 2}"#, "invalid type");
    check(r#"{"board": [2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0], "to_move": "B"}"#, "2048 has one player");
    check(r#"{"board": [2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0], "score": -1}"#, "invalid value");
    folder.run("probe nowhere.jsonl").assert_status(2);
}
