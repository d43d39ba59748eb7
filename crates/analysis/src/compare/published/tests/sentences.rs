use gauntlet_core::table::Cell;

use super::*;

#[test]
fn a_time_is_not_judged() {
    for (value, ms, expected) in [
        (
            "[27_000, 28_000]",
            321.0,
            "27 s to 28 s, measured 321 ms; different machines; 0.012 times the published time",
        ),
        ("1000", 2500.0, "1 s, measured 2.5 s; different machines; 2.5 times the published time"),
        ("[0, 50]", 2.8, "up to 50 ms, measured 2.8 ms; different machines; within the published range"),
    ] {
        assert_eq!(judge_time(value, ms), format!("a ms-per-game: published {expected}"));
    }
}

#[test]
fn what_was_added_says_so() {
    let number = "what = 'win'\nvalue = 0.5\nnote = 'games were broken off'";
    let table = judge("extended_from = 40", &[number], tally_of_wins(50, 100));
    let answer = &column(&table, "explanation")[0];
    let expected = "Games were broken off. The interval and p are corrected for 1 earlier answer. Games were added after the first \
                    40. Source: they.";
    assert!(answer.ends_with(expected), "{answer}");
    assert_eq!(table.rows().next().and_then(|row| row.count("earlier_answers")), Some(1));
    // For a first answer the interval is 40.4 to 59.6 %.
    let answer = &column(&table, "answer")[0];
    assert!(answer.contains("measured 50.0 % [37.2, 62.8]"), "{answer}");
    assert_eq!(table.rows().next().and_then(|row| row.count("extended_from")), Some(40));
    assert_eq!(column(&table, "note"), ["games were broken off"]);
    // No game was added before the run was stopped.
    let stopped_table = judge("extended_from = 40", &[number], tally_of_wins(15, 30));
    assert!(!column(&stopped_table, "explanation")[0].contains("were added"));
    assert_eq!(stopped_table.rows().next().and_then(|row| row.count("earlier_answers")), Some(0));
    assert_eq!(stopped_table.rows().next().and_then(|row| row.count("extended_from")), None);
    let planned_table = judge("planned_games = 100", &[number], tally_of_wins(50, 100));
    assert!(!column(&planned_table, "explanation")[0].contains("were added"));
    assert_eq!(planned_table.rows().next().and_then(|row| row.count("planned_games")), Some(100));
}

#[test]
fn numbers_are_shown_as_they_were_printed() {
    for number in ["0.7", "0.918", "64643", "0.05", "1", "27.5"] {
        let Cell::Real(number_read, decimals) = Cell::from_printed(number.parse().unwrap()) else { panic!() };
        assert_eq!(format!("{number_read:.decimals$}"), number);
    }
}
