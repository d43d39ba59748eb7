use gauntlet_core::table::Cell;

use super::*;

#[test]
fn a_time_is_not_judged() {
    for (value, ms, ratio) in [
        ("[27_000, 28_000]", 321.0, "27 s to 28 s; here 321 ms; times of another machine; here 0.012 of it"),
        ("1000", 2500.0, "1 s; here 2.5 s; times of another machine; here 2.5 of it"),
        ("[0, 50]", 2.8, "up to 50 ms; here 2.8 ms; times of another machine; here it lies within that"),
    ] {
        assert_eq!(timed(value, ms), format!("not judged: a, ms-per-game: {ratio} (they)"));
    }
}

#[test]
fn what_was_added_says_so() {
    let one = "what = 'win'\nvalue = 0.5\nnote = 'games were broken off'";
    let table = judged("extended_from = 40", &[one], won(50, 100));
    let answer = &column(&table, "explanation")[0];
    let expected = "; games were broken off; games were added when the first 40 had been seen; corrected for 1 earlier \
                    answer (they)";
    assert!(answer.ends_with(expected), "{answer}");
    assert_eq!(table.rows().next().and_then(|row| row.count("earlier_answers")), Some(1));
    // For a first answer the interval is 40.4 to 59.6 %.
    assert!(answer.contains("here 50.0 % (37.2 to 62.8 %)"), "{answer}");
    assert_eq!(table.rows().next().and_then(|row| row.count("extended_from")), Some(40));
    assert_eq!(column(&table, "note"), ["games were broken off"]);
    // No game was added before the run was stopped.
    let stopped = judged("extended_from = 40", &[one], won(15, 30));
    assert!(!column(&stopped, "explanation")[0].contains("were added"));
    assert_eq!(stopped.rows().next().and_then(|row| row.count("earlier_answers")), Some(0));
    assert_eq!(stopped.rows().next().and_then(|row| row.count("extended_from")), None);
    let planned = judged("planned_games = 100", &[one], won(50, 100));
    assert!(!column(&planned, "explanation")[0].contains("were added"));
    assert_eq!(planned.rows().next().and_then(|row| row.count("planned_games")), Some(100));
}

#[test]
fn numbers_are_shown_as_they_were_printed() {
    for number in ["0.7", "0.918", "64643", "0.05", "1", "27.5"] {
        let Cell::Real(number_read, decimals) = Cell::as_printed(number.parse().unwrap()) else { panic!() };
        assert_eq!(format!("{number_read:.decimals$}"), number);
    }
}
