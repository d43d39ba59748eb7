//! The headline about some players: the leader, its lead, and how sure that is.

use gauntlet_core::text::group_digits;
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::Estimate;

use crate::answer::headline::Headline;
use crate::compare::question::{ComparisonQuestion, Conclusion};
use crate::results::analysis::standing::{Standing, StrengthMeasure};
use crate::results::store::read::Results;

/// Makes the headline about the players of some results, in their order. If a `[stop]` compared
/// exactly these two players, it is the test of the leader, even if single games are missing.
pub fn headline_of_results(results: &Results, standings: &[Standing], measure: StrengthMeasure) -> Headline {
    let mut headline = leader_headline(standings, measure);
    if let ([first, second], Some(stop)) = (standings, &results.stop) {
        let question = ComparisonQuestion {
            measure: measure.measure(),
            level: LEVEL,
            margin: None,
            is_sequential: true,
            earlier_answers: 0,
        };
        match stop.view_for([&first.name, &second.name]).and_then(|answer| answer.conclusion(&question)) {
            Some(Conclusion::Opposite) => headline.set_refuted(&second.name),
            Some(conclusion) => headline.set_tested(usize::from(conclusion == Conclusion::Yes), 1),
            None => {}
        }
    }
    headline
}

/// Makes the headline about players in their order.
pub fn leader_headline(standings: &[Standing], measure: StrengthMeasure) -> Headline {
    let rated_players: Vec<(&Standing, Estimate)> =
        standings.iter().filter_map(|one| Some((one, measure.value(one)?))).collect();
    let Some(&(first, best)) = rated_players.first() else {
        let predicate = match measure {
            StrengthMeasure::Elo => "Some of these players never met, so there are no ratings.",
            _ => "No game is complete.",
        };
        return Headline { predicate: predicate.to_owned(), ..Headline::default() };
    };
    let games = if first.games == 1 {
        "its only game".to_owned()
    } else {
        format!("its {} games", group_digits(first.games))
    };
    let value_text = measure.text(first);
    let interval = value_text.interval();
    // The value has its interval, like the value of the next player. For a single player, another
    // sentence has the interval.
    let value = if rated_players.len() > 1 { value_text.with_bounds() } else { value_text.value() };
    let Some(&(second, next_value)) = rated_players.get(1) else {
        let predicate = match (measure, first.games) {
            (StrengthMeasure::WinRate, 1) => "won its only game".to_owned(),
            (StrengthMeasure::WinRate, _) => format!("won {value} of {games}"),
            (StrengthMeasure::Score, 1) => format!("did not win its only game, with a score of {value}"),
            (StrengthMeasure::Score, _) => format!("won none of {games}, with a mean score of {value}"),
            (StrengthMeasure::Elo, _) => format!("played {games}"),
        };
        let certainty = interval.map_or("There are too few games for an interval.".to_owned(), |interval| {
            format!("The 95 % interval is {interval}.")
        });
        return Headline { subject: first.name.clone(), predicate, certainty, ..Headline::default() };
    };
    let is_won = StrengthMeasure::WinRate.value(first).is_some_and(|rate| rate.value == 1.0);
    let wins = if is_won { "all players won every game" } else { "no player won a game" };
    let equal_count = rated_players.iter().filter(|(_, other)| other.value == best.value).count();
    if let (true, Some(headline)) = (
        equal_count > 1 && measure == StrengthMeasure::WinRate,
        headline_by_score(first, second, equal_count),
    ) {
        return headline;
    }
    if equal_count > 1 {
        let predicate = match measure {
            StrengthMeasure::WinRate => format!("won equally often: {value} of their games"),
            StrengthMeasure::Score => format!("scored equally, {value} on average, and {wins}"),
            StrengthMeasure::Elo => format!("are rated equally: Elo {value}"),
        };
        let subject = match equal_count {
            2 => format!("{} and {}", first.name, second.name),
            _ => format!("{} and {} others", first.name, equal_count - 1),
        };
        let certainty = "These games do not show which is better.".to_owned();
        return Headline { subject, predicate, certainty, ..Headline::default() };
    }
    let predicate = match measure {
        StrengthMeasure::WinRate => format!("won most often: {value} of {games}"),
        StrengthMeasure::Score => format!("has the highest mean score: {value} in {games}; {wins}"),
        StrengthMeasure::Elo => format!("is rated highest: Elo {value} in {games}"),
    };
    let overlaps_best = |other: &Estimate| other.high >= best.low;
    let overlap_count = rated_players[1..].iter().filter(|(_, other)| overlaps_best(other)).count();
    let runner_up = format!("Next is {} with {}.", second.name, measure.text(second).with_bounds());
    let overlap = if interval.is_none() || next_value.is_unbounded() {
        "There are too few games to compare the players.".to_owned()
    } else {
        describe_overlap(overlap_count, rated_players.len() - 1)
    };
    let certainty = format!("{runner_up} {overlap}");
    Headline { subject: first.name.clone(), predicate, certainty, runner_up }
}

/// Describes how many of the other players' intervals overlap with the leader's.
fn describe_overlap(overlap_count: usize, other_count: usize) -> String {
    match (overlap_count, other_count) {
        (0, 1) => "The 95 % intervals do not overlap.".to_owned(),
        (0, _) => "The leader's 95 % interval overlaps with no other.".to_owned(),
        (_, 1) => "The 95 % intervals overlap.".to_owned(),
        _ => format!("The leader's 95 % interval overlaps with {overlap_count} of {other_count} others."),
    }
}

/// Makes the headline if some players won equally often, and the first of them, which has the
/// highest mean score, scored more than the second.
fn headline_by_score(first: &Standing, second: &Standing, equal_count: usize) -> Option<Headline> {
    let score = |one| StrengthMeasure::Score.value(one).map(|mean| mean.value);
    if score(first)? <= score(second)? {
        return None;
    }
    let equal_players = match equal_count {
        2 => second.name.clone(),
        _ => format!("{} others", equal_count - 1),
    };
    let predicate = format!(
        "won as often as {equal_players}, {} of its {} games, and scored more, {} on average",
        StrengthMeasure::WinRate.text(first).with_bounds(),
        group_digits(first.games),
        StrengthMeasure::Score.text(first).with_bounds()
    );
    let runner_up =
        format!("Next is {} with {}.", second.name, StrengthMeasure::Score.text(second).with_bounds());
    Some(Headline { subject: first.name.clone(), predicate, certainty: runner_up.clone(), runner_up })
}

#[cfg(test)]
mod tests {
    use gauntlet_core::measure::Measure;
    use gauntlet_core::table::Table;
    use gauntlet_games::GAMES;

    use super::*;
    use crate::compare::comparison::Comparison;
    use crate::compare::finding::{DifferenceDetail, Effect, MeasuredDifference};
    use crate::results::analysis::standing::{rank_standings, read_standings};
    use crate::results::tables::schemas;

    #[track_caller]
    fn assert_headline(rows: &[&str], subject: &str, predicate: &str, certainty: &str) {
        let header =
            "player,games,win_rate,win_rate_low,win_rate_high,mean_score,mean_score_low,mean_score_high\n";
        let table =
            Table::from_csv(&schemas(&GAMES)[0], (header.to_owned() + &rows.join("\n")).as_bytes()).unwrap();
        let standings = read_standings(&table, None);
        let measure = StrengthMeasure::choose(&standings);
        let headline = leader_headline(&rank_standings(standings, measure), measure);
        assert_eq!(
            (&*headline.subject, &*headline.predicate, &*headline.certainty),
            (subject, predicate, certainty)
        );
    }

    #[test]
    fn the_first_words_say_who_won_and_how_sure_that_is() {
        assert_headline(&[], "", "No game is complete.", "");
        assert_headline(
            &["a,10,0.5,0.25,0.75,100,90,110"],
            "a",
            "won 50.00 % of its 10 games",
            "The 95 % interval is 25.00 to 75.00 %.",
        );
        assert_headline(
            &["a,10,0.5,0.4,0.6,100,90,110", "b,10,0.9,0.8,0.95,90,80,100"],
            "b",
            "won most often: 90.00 % [80.00, 95.00] of its 10 games",
            "Next is a with 50.00 % [40.00, 60.00]. The 95 % intervals do not overlap.",
        );
        assert_headline(
            &["a,10,0.5,0.4,0.6,100,90,110", "b,10,0.6,0.5,0.7,90,80,100", "c,10,0.1,0.0,0.2,90,80,100"],
            "b",
            "won most often: 60.00 % [50.00, 70.00] of its 10 games",
            "Next is a with 50.00 % [40.00, 60.00]. The leader's 95 % interval overlaps with 1 of 2 others.",
        );
    }

    #[test]
    fn a_test_may_find_the_leader_worse() {
        let test = |&(rival, difference): &(&str, f64)| {
            let (value, low, high) = (difference, difference - 0.1, difference + 0.1);
            let difference = Effect::Difference(Estimate { value, low, high, level: 0.95 });
            let detail = DifferenceDetail::Rate { pairs: None };
            let finding = MeasuredDifference { values: [None; 2], effect: Some(difference), detail };
            let p = if value == 0.0 { 1.0 } else { 1e-9 };
            Comparison { rival: rival.to_owned(), ..Comparison::example(Measure::Win, finding, p, None) }
        };
        let certainty_after = |tests: &[(&str, f64)]| {
            let mut headline = Headline {
                subject: "a".to_owned(),
                runner_up: "Next is b.".to_owned(),
                ..Headline::default()
            };
            headline.conclude_from_tests(&tests.iter().map(test).collect::<Vec<_>>());
            headline.certainty
        };
        let message = "A direct test finds b significantly better.";
        assert_eq!(certainty_after(&[("b", -0.2)]), message);
        assert_eq!(certainty_after(&[("c", 0.2), ("b", -0.2)]), message);
        assert_eq!(certainty_after(&[("b", 0.2)]), "The difference is significant.");
        assert_eq!(certainty_after(&[("b", 0.0)]), "The difference is inconclusive.");
    }

    #[test]
    fn scores_order_those_that_won_equally_often() {
        assert_headline(
            &["a,10,0,0,0.3,100,90,110", "b,10,0.5,0.2,0.8,150,140,160", "c,10,0,0,0.3,300,290,310"],
            "b",
            "won most often: 50.00 % [20.00, 80.00] of its 10 games",
            "Next is c with 0.00 % [0.00, 30.00]. The leader's 95 % interval overlaps with 2 of 2 others.",
        );
        assert_headline(
            &["a,10,0.5,0.2,0.8,100,90,110", "b,10,0.5,0.2,0.8,150,140,160", "c,10,0,0,0.3,300,290,310"],
            "b",
            "won as often as a, 50.00 % [20.00, 80.00] of its 10 games, and scored more, 150 [140, 160] on average",
            "Next is a with 100 [90, 110].",
        );
    }

    #[test]
    fn where_win_rates_say_nothing_scores_speak() {
        assert_headline(
            &["a,10,0,0,0.2,100,90,110", "b,10,0,0,0.2,200,190,210"],
            "b",
            "has the highest mean score: 200 [190, 210] in its 10 games; no player won a game",
            "Next is a with 100 [90, 110]. The 95 % intervals do not overlap.",
        );
        assert_headline(
            &["a,1,0,0,0.8,100,,"],
            "a",
            "did not win its only game, with a score of 100",
            "There are too few games for an interval.",
        );
        assert_headline(
            &["a,1,0,0,0.8,100,,", "b,1,0,0,0.8,100,,"],
            "a and b",
            "scored equally, 100 on average, and no player won a game",
            "These games do not show which is better.",
        );
    }
}
