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
pub fn headline_of_results(results: &Results, ranked: &[Standing], by: StrengthMeasure) -> Headline {
    let mut lead = leader_headline(ranked, by);
    if let ([first, second], Some(stop)) = (ranked, &results.stop) {
        let question =
            ComparisonQuestion { by: by.measure(), level: LEVEL, margin: None, sequential: true, earlier: 0 };
        match stop.view_for([&first.name, &second.name]).and_then(|answer| answer.conclusion(&question)) {
            Some(Conclusion::Opposite) => lead.set_refuted(&second.name),
            Some(shown) => lead.set_tested(usize::from(shown == Conclusion::Yes), 1),
            None => {}
        }
    }
    lead
}

/// Makes the headline about players in their order.
pub fn leader_headline(ranked: &[Standing], by: StrengthMeasure) -> Headline {
    let known: Vec<(&Standing, Estimate)> =
        ranked.iter().filter_map(|one| Some((one, by.value(one)?))).collect();
    let Some(&(first, best)) = known.first() else {
        let says = match by {
            StrengthMeasure::Elo => "Some of these players never met, so there are no ratings.",
            _ => "No game is complete.",
        };
        return Headline { says: says.to_owned(), ..Headline::default() };
    };
    let games = if first.games == 1 {
        "its only game".to_owned()
    } else {
        format!("its {} games", group_digits(first.games))
    };
    let written = by.text(first);
    let interval = written.interval();
    // The value has its interval, like the value of the next player. For a single player, another
    // sentence has the interval.
    let value = if known.len() > 1 { written.with_bounds() } else { written.value() };
    let Some(&(second, next)) = known.get(1) else {
        let says = match (by, first.games) {
            (StrengthMeasure::WinRate, 1) => "won its only game".to_owned(),
            (StrengthMeasure::WinRate, _) => format!("won {value} of {games}"),
            (StrengthMeasure::Score, 1) => format!("did not win its only game, with a score of {value}"),
            (StrengthMeasure::Score, _) => format!("won none of {games}, with a mean score of {value}"),
            (StrengthMeasure::Elo, _) => format!("played {games}"),
        };
        let sure = interval.map_or("There are too few games for an interval.".to_owned(), |interval| {
            format!("The 95 % interval is {interval}.")
        });
        return Headline { who: first.name.clone(), says, sure, ..Headline::default() };
    };
    let is_won = StrengthMeasure::WinRate.value(first).is_some_and(|rate| rate.value == 1.0);
    let wins = if is_won { "all players won every game" } else { "no player won a game" };
    let equals = known.iter().filter(|(_, other)| other.value == best.value).count();
    if let (true, Some(lead)) =
        (equals > 1 && by == StrengthMeasure::WinRate, headline_by_score(first, second, equals))
    {
        return lead;
    }
    if equals > 1 {
        let what = match by {
            StrengthMeasure::WinRate => format!("won equally often: {value} of their games"),
            StrengthMeasure::Score => format!("scored equally, {value} on average, and {wins}"),
            StrengthMeasure::Elo => format!("are rated equally: Elo {value}"),
        };
        let who = match equals {
            2 => format!("{} and {}", first.name, second.name),
            _ => format!("{} and {} others", first.name, equals - 1),
        };
        let sure = "These games do not show which is better.".to_owned();
        return Headline { who, says: what, sure, ..Headline::default() };
    }
    let says = match by {
        StrengthMeasure::WinRate => format!("won most often: {value} of {games}"),
        StrengthMeasure::Score => format!("has the highest mean score: {value} in {games}; {wins}"),
        StrengthMeasure::Elo => format!("is rated highest: Elo {value} in {games}"),
    };
    let meets = |other: &Estimate| other.high >= best.low;
    let overlapping = known[1..].iter().filter(|(_, other)| meets(other)).count();
    let follows = format!("Next is {} with {}.", second.name, by.text(second).with_bounds());
    let overlap = if interval.is_none() || next.is_unbounded() {
        "There are too few games to compare the players.".to_owned()
    } else {
        describe_overlap(overlapping, known.len() - 1)
    };
    let sure = format!("{follows} {overlap}");
    Headline { who: first.name.clone(), says, sure, next: follows }
}

/// Describes how many of the other players' intervals overlap with the leader's.
fn describe_overlap(overlapping: usize, others: usize) -> String {
    match (overlapping, others) {
        (0, 1) => "The 95 % intervals do not overlap.".to_owned(),
        (0, _) => "The leader's 95 % interval overlaps with no other.".to_owned(),
        (_, 1) => "The 95 % intervals overlap.".to_owned(),
        _ => format!("The leader's 95 % interval overlaps with {overlapping} of {others} others."),
    }
}

/// Makes the headline if some players won equally often, and the first of them, which has the
/// highest mean score, scored more than the second.
fn headline_by_score(first: &Standing, second: &Standing, equals: usize) -> Option<Headline> {
    let score = |one| StrengthMeasure::Score.value(one).map(|mean| mean.value);
    if score(first)? <= score(second)? {
        return None;
    }
    let with = match equals {
        2 => second.name.clone(),
        _ => format!("{} others", equals - 1),
    };
    let says = format!(
        "won as often as {with}, {} of its {} games, and scored more, {} on average",
        StrengthMeasure::WinRate.text(first).with_bounds(),
        group_digits(first.games),
        StrengthMeasure::Score.text(first).with_bounds()
    );
    let next = format!("Next is {} with {}.", second.name, StrengthMeasure::Score.text(second).with_bounds());
    Some(Headline { who: first.name.clone(), says, sure: next.clone(), next })
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
    fn assert_headline(rows: &[&str], who: &str, says: &str, sure: &str) {
        let head =
            "player,games,win_rate,win_rate_low,win_rate_high,mean_score,mean_score_low,mean_score_high\n";
        let table =
            Table::from_csv(&schemas(&GAMES)[0], (head.to_owned() + &rows.join("\n")).as_bytes()).unwrap();
        let all = read_standings(&table, None);
        let by = StrengthMeasure::choose(&all);
        let lead = leader_headline(&rank_standings(all, by), by);
        assert_eq!((&*lead.who, &*lead.says, &*lead.sure), (who, says, sure));
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
        let test = |&(than, difference): &(&str, f64)| {
            let (value, low, high) = (difference, difference - 0.1, difference + 0.1);
            let difference = Effect::Difference(Estimate { value, low, high, level: 0.95 });
            let detail = DifferenceDetail::Rate { pairs: None };
            let finding = MeasuredDifference { values: [None; 2], effect: Some(difference), detail };
            let p = if value == 0.0 { 1.0 } else { 1e-9 };
            Comparison { than: than.to_owned(), ..Comparison::example(Measure::Win, finding, p, None) }
        };
        let tested = |tests: &[(&str, f64)]| {
            let mut lead =
                Headline { who: "a".to_owned(), next: "Next is b.".to_owned(), ..Headline::default() };
            lead.conclude_from_tests(&tests.iter().map(test).collect::<Vec<_>>());
            lead.sure
        };
        let worse = "A direct test finds b significantly better.";
        assert_eq!(tested(&[("b", -0.2)]), worse);
        assert_eq!(tested(&[("c", 0.2), ("b", -0.2)]), worse);
        assert_eq!(tested(&[("b", 0.2)]), "The difference is significant.");
        assert_eq!(tested(&[("b", 0.0)]), "The difference is inconclusive.");
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
