//! Means, medians and typical values.

use super::*;

#[test]
fn a_mean_borrows_its_spread() {
    // The margin of 1,000 is a tenth: 100 on each side. Student's interval reaches 99.7 to each
    // side with 100 games, and 377 with 10.
    let spread_tally =
        |games: u64| tally_of_scores((0..games).map(|game| if game % 2 == 0 { 500 } else { 1500 }));
    #[track_caller]
    fn check(value: &str, source_games: Option<u64>, tally: Tally, expected: &str) {
        let games = source_games.map_or(String::new(), |count| format!("\ngames = {count}"));
        assert_verdict(&format!("what = 'score'\nvalue = {value}{games}"), tally, expected);
    }

    check("1000", None, spread_tally(100), "reproduced");
    check("1010", None, spread_tally(100), "unclear");
    check("1223", None, spread_tally(100), "would differ");
    check("[900, 1100]", None, spread_tally(100), "reproduced");
    check("[1100, 2000]", None, spread_tally(100), "would differ");
    check("1000", None, spread_tally(10), "unclear");
    check("1000", None, spread_tally(1), "unclear");
    check("1000", None, spread_tally(0), "unclear");
    // A hundred published games are as precise, 99.7; twenty reach 240.
    check("1000", Some(100), spread_tally(100), "reproduced");
    check("1000", Some(20), spread_tally(100), "compatible");
    check("1200", Some(20), spread_tally(100), "compatible");
    check("1400", Some(100), spread_tally(100), "differs");
    check("1111.2", None, spread_tally(1600), "unclear");
}

#[test]
fn a_median_and_a_typical_game() {
    let published =
        |statistic: &str, value: &str| format!("what = 'moves'\nvalue = {value}\nstatistic = '{statistic}'");
    // Scores 1 to 1,000 and a few huge ones, whose mean is far above every usual game.
    let skewed_tally = || tally_of_scores((1..=1000).chain([1_000_000; 5]));
    assert_verdict(&published("mean", "500"), skewed_tally(), "would differ");
    assert_verdict(&published("median", "500"), skewed_tally(), "reproduced");
    assert_verdict(&published("median", "700"), skewed_tally(), "would differ");
    assert_verdict(&published("median", "600\ngames = 10"), skewed_tally(), "compatible");
    assert_verdict(&published("median", "900\ngames = 60"), skewed_tally(), "differs");
    assert_verdict(&published("typical", "700"), skewed_tally(), "reproduced");
    assert_verdict(&published("typical", "[900, 1000]"), skewed_tally(), "would differ");
    assert_verdict(&published("typical", "760"), skewed_tally(), "unclear");
    assert_verdict(&published("typical", "5"), tally_of_scores(1..=9), "unclear");
    assert_verdict(&published("typical", "5"), tally_of_scores(0..0), "unclear");
}

/// Rates and means from games that were cut are not judged, because the games might have ended
/// otherwise. An event in such a game did happen.
#[test]
fn cut_games_are_not_judged() {
    let cut_tally = || Tally { out_of_time: 3, ..tally_of_wins(50, 100) };
    assert_verdict("what = 'win'\nvalue = 0.5\ngames = 1000", tally_of_wins(50, 100), "unclear");
    assert_verdict("what = 'win'\nvalue = 0.9\ngames = 1000", tally_of_wins(50, 100), "differs");
    for value in ["0.5", "0.9"] {
        assert_verdict(&format!("what = 'win'\nvalue = {value}\ngames = 1000"), cut_tally(), "not judged");
    }
    assert_verdict("what = 'win'\nvalue = 'some'", cut_tally(), "seen");
    assert_verdict("what = 'win'\nvalue = 'some'", Tally { wins: 0, ..cut_tally() }, "not judged");
    let table = judge("", &["what = 'win'\nvalue = 0.9"], cut_tally());
    let answer = &column(&table, "explanation")[0];
    assert!(
        answer.starts_with("3 of these games were cut by max_seconds.") && !answer.contains("p ="),
        "{answer}"
    );
}
