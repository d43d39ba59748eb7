//! Means, medians and typical values.

use super::*;

#[test]
fn a_mean_borrows_its_spread() {
    // The margin of 1,000 is a tenth: 100 on each side. Student's interval reaches 99.7 to each
    // side with 100 games, and 377 with 10.
    let spread = |games: u64| tally_of_scores((0..games).map(|game| if game % 2 == 0 { 500 } else { 1500 }));
    #[track_caller]
    fn check(value: &str, theirs: Option<u64>, tally: Tally, expected: &str) {
        let games = theirs.map_or(String::new(), |theirs| format!("\ngames = {theirs}"));
        assert_verdict(&format!("what = 'score'\nvalue = {value}{games}"), tally, expected);
    }

    check("1000", None, spread(100), "reproduced");
    check("1010", None, spread(100), "unclear");
    check("1223", None, spread(100), "would differ");
    check("[900, 1100]", None, spread(100), "reproduced");
    check("[1100, 2000]", None, spread(100), "would differ");
    check("1000", None, spread(10), "unclear");
    check("1000", None, spread(1), "unclear");
    check("1000", None, spread(0), "unclear");
    // A hundred published games are as precise, 99.7; twenty reach 240.
    check("1000", Some(100), spread(100), "reproduced");
    check("1000", Some(20), spread(100), "compatible");
    check("1200", Some(20), spread(100), "compatible");
    check("1400", Some(100), spread(100), "differs");
    check("1111.2", None, spread(1600), "unclear");
}

#[test]
fn a_median_and_a_typical_game() {
    let said =
        |statistic: &str, value: &str| format!("what = 'moves'\nvalue = {value}\nstatistic = '{statistic}'");
    // Scores 1 to 1,000 and a few huge ones, whose mean is far above every usual game.
    let skewed = || tally_of_scores((1..=1000).chain([1_000_000; 5]));
    assert_verdict(&said("mean", "500"), skewed(), "would differ");
    assert_verdict(&said("median", "500"), skewed(), "reproduced");
    assert_verdict(&said("median", "700"), skewed(), "would differ");
    assert_verdict(&said("median", "600\ngames = 10"), skewed(), "compatible");
    assert_verdict(&said("median", "900\ngames = 60"), skewed(), "differs");
    assert_verdict(&said("typical", "700"), skewed(), "reproduced");
    assert_verdict(&said("typical", "[900, 1000]"), skewed(), "would differ");
    assert_verdict(&said("typical", "760"), skewed(), "unclear");
    assert_verdict(&said("typical", "5"), tally_of_scores(1..=9), "unclear");
    assert_verdict(&said("typical", "5"), tally_of_scores(0..0), "unclear");
}

/// Rates and means from games that were cut are not judged, because the games might have ended
/// otherwise. An event in such a game did happen.
#[test]
fn cut_games_are_not_judged() {
    let cut = || Tally { out_of_time: 3, ..tally_of_wins(50, 100) };
    assert_verdict("what = 'win'\nvalue = 0.5\ngames = 1000", tally_of_wins(50, 100), "unclear");
    assert_verdict("what = 'win'\nvalue = 0.9\ngames = 1000", tally_of_wins(50, 100), "differs");
    for value in ["0.5", "0.9"] {
        assert_verdict(&format!("what = 'win'\nvalue = {value}\ngames = 1000"), cut(), "not judged");
    }
    assert_verdict("what = 'win'\nvalue = 'some'", cut(), "seen");
    assert_verdict("what = 'win'\nvalue = 'some'", Tally { wins: 0, ..cut() }, "not judged");
    let table = judge("", &["what = 'win'\nvalue = 0.9"], cut());
    let answer = &column(&table, "explanation")[0];
    assert!(
        answer.starts_with("3 of these games were cut by max_seconds.") && !answer.contains("p ="),
        "{answer}"
    );
}
