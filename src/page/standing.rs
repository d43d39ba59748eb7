//! Who stands where: players in the order of their strength, and what may be said of it in words.

use std::collections::BTreeMap;

use super::numbers::Numbers;
use crate::page::plots::grouped;
use crate::page::plots::intervals::Unit;
use crate::stats::Estimate;
use crate::table::Table;

/// A player with all that the plots need of it.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    pub(super) name: String,
    pub(super) games: u64,
    pub(super) rate: Option<Estimate>,
    pub(super) score: Option<Estimate>,
    /// Both as the tables write them.
    pub(super) rate_shown: String,
    pub(super) score_shown: String,
    /// Processor time of a move in milliseconds.
    pub(super) ms: Option<f64>,
}

/// By what players are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    WinRate,
    Score,
}

impl Measure {
    /// Win rates, unless they are the same for all and so tell nothing.
    pub(super) fn of(all: &[Standing]) -> Measure {
        let rates: Vec<f64> = all.iter().filter_map(|one| Some(one.rate?.value)).collect();
        let is_extreme = |rate: f64| rate == 0.0 || rate == 1.0;
        match rates[..] {
            [first, _, ..] if is_extreme(first) && rates.iter().all(|&rate| rate == first) => Measure::Score,
            [0.0] => Measure::Score,
            _ => Measure::WinRate,
        }
    }

    pub(super) fn value(self, one: &Standing) -> Option<Estimate> {
        match self {
            Measure::WinRate => one.rate,
            Measure::Score => one.score,
        }
    }

    /// The value as the tables write it, with its unit.
    pub(super) fn shown(self, one: &Standing) -> String {
        match self {
            Measure::WinRate => one.rate_shown.clone(),
            Measure::Score => one.score_shown.clone(),
        }
    }

    pub(super) fn unit(self) -> Unit {
        match self {
            Measure::WinRate => Unit::Share,
            Measure::Score => Unit::Plain,
        }
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            Measure::WinRate => "win rate",
            Measure::Score => "mean score",
        }
    }
}

/// Everybody of a table of win rates, with their times.
pub(super) fn standings(rates: &Table, times: Option<&Table>) -> Vec<Standing> {
    let rates = Numbers(rates);
    let ms: BTreeMap<String, f64> = times.map_or_else(BTreeMap::new, |times| {
        let times = Numbers(times);
        let known = |row| Some((times.text(row, "player"), times.number(row, "cpu_ms_per_move")?));
        (0..times.rows()).filter_map(known).filter(|(_, ms)| *ms > 0.0).collect()
    });
    let (rates_shown, scores_shown) = (rates.shown("win_rate"), rates.shown("mean_score"));
    let one = |row: usize| {
        let name = rates.text(row, "player");
        Standing {
            games: rates.whole(row, "games").unwrap_or(0),
            rate: rates.estimate(row, "win_rate"),
            score: rates.estimate(row, "mean_score"),
            rate_shown: rates_shown[row].clone(),
            score_shown: scores_shown[row].clone(),
            ms: ms.get(&name).copied(),
            name,
        }
    };
    (0..rates.rows()).map(one).collect()
}

/// The strongest first; those of whom nothing is known last. Equals stay in the order of the experiment.
pub(super) fn ranked(mut all: Vec<Standing>, by: Measure) -> Vec<Standing> {
    let value = |one: &Standing| by.value(one).map_or(f64::NEG_INFINITY, |estimate| estimate.value);
    all.sort_by(|a, b| value(b).total_cmp(&value(a)));
    all
}

/// What a reader wants to know first: a headline and how sure it is.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub(super) struct Lead {
    /// Whom it is about; empty if nobody.
    pub(super) who: String,
    /// What is said of them.
    pub(super) says: String,
    /// How sure that is, in whole sentences.
    pub(super) sure: String,
    /// Who follows; empty if nobody.
    #[serde(skip)]
    next: String,
}

impl Lead {
    /// Says how sure it is by tests of the leader against everybody else, which know more than intervals side by side.
    pub(super) fn test(&mut self, comparisons: &Table) {
        let tests = Numbers(comparisons);
        let all = tests.rows();
        let better = (0..all).filter(|&row| tests.text(row, "verdict") == "better").count();
        if self.next.is_empty() || all == 0 {
            return;
        }
        let found = match (better, all) {
            (1, 1) => "A test of both finds it better.".to_owned(),
            (0, 1) => {
                "A test of both shows no difference, so whether it is really better is open.".to_owned()
            }
            (better, all) if better == all => {
                format!("Tests against each of the {all} others find it better than all of them.")
            }
            (0, all) => {
                format!(
                    "Tests against the {all} others show no difference, so whether it is really the best is open."
                )
            }
            (better, all) => format!(
                "Tests against each of the {all} others find it better than {better} of them; whether it is better than \
                 the rest is open."
            ),
        };
        self.sure = format!("{} {found}", self.next);
    }
}

/// What may be said of players in their order.
pub(super) fn lead(ranked: &[Standing], by: Measure) -> Lead {
    let known: Vec<(&Standing, Estimate)> =
        ranked.iter().filter_map(|one| Some((one, by.value(one)?))).collect();
    let Some(&(first, best)) = known.first() else {
        return Lead { says: "No game was played to its end.".to_owned(), ..Lead::default() };
    };
    let games = if first.games == 1 {
        "its only game".to_owned()
    } else {
        format!("its {} games", grouped(first.games as f64, 0))
    };
    let plain = |shown: String| shown.split(" [").next().unwrap_or_default().to_owned();
    let value = plain(by.shown(first));
    let interval = interval(&by.shown(first), by);
    let Some(&(second, next)) = known.get(1) else {
        let says = match (by, first.games) {
            (Measure::WinRate, 1) => "won its only game".to_owned(),
            (Measure::WinRate, _) => format!("won {value} of {games}"),
            (Measure::Score, 1) => format!("did not win its only game, with a score of {value}"),
            (Measure::Score, _) => format!("won none of {games}, with a mean score of {value}"),
        };
        let sure = interval.map_or("That is too little for an interval.".to_owned(), |interval| {
            format!("The 95 % interval goes from {interval}.")
        });
        return Lead { who: first.name.clone(), says, sure, ..Lead::default() };
    };
    let everybody =
        if best_rate(first) == Some(1.0) { "everybody won every game" } else { "nobody won a game" };
    let equals = known.iter().filter(|(_, other)| other.value == best.value).count();
    if equals > 1 {
        let what = match by {
            Measure::WinRate => format!("won equally often: {value} of their games"),
            Measure::Score => format!("scored equally, {value} on average, and {everybody}"),
        };
        let who = match equals {
            2 => format!("{} and {}", first.name, second.name),
            _ => format!("{} and {} others", first.name, equals - 1),
        };
        let sure = "These games do not say which of them is better.".to_owned();
        return Lead { who, says: what, sure, ..Lead::default() };
    }
    let says = match by {
        Measure::WinRate => format!("won most often: {value} of {games}"),
        Measure::Score => format!("scored most, {value} on average over {games}; {everybody}"),
    };
    let meets = |other: &Estimate| other.span().1 >= best.span().0;
    let overlapping = known[1..].iter().filter(|(_, other)| meets(other)).count();
    let others = known.len() - 1;
    let follows = format!("Next is {} with {}.", second.name, by.shown(second));
    let sure = match (interval.filter(|_| next.bounds().is_some()), overlapping) {
        (None, _) => format!("{follows} With so few games that says little about who is better."),
        (Some(interval), 0) => {
            let nobody =
                if others == 1 { "does not overlap with the other" } else { "overlaps with no other" };
            format!("{follows} The 95 % interval of the first, {interval}, {nobody}.")
        }
        (Some(interval), some) => {
            let who = if others == 1 {
                "the two 95 % intervals overlap".to_owned()
            } else {
                format!("the 95 % intervals of {some} of the {others} others overlap with that of the first")
            };
            format!("Whether it is really the best is open: {who}, {interval}. {follows}")
        }
    };
    Lead { who: first.name.clone(), says, sure, next: follows }
}

fn best_rate(one: &Standing) -> Option<f64> {
    one.rate.map(|rate| rate.value)
}

/// The interval of `x [low, high]`, with its unit; none if there is none.
fn interval(shown: &str, by: Measure) -> Option<String> {
    let (low, high) = shown.split_once(" [")?.1.strip_suffix(']')?.split_once(", ")?;
    let unit = if by == Measure::WinRate { " %" } else { "" };
    Some(format!("{low} to {high}{unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tables::schemas;

    #[track_caller]
    fn check(rows: &[&str], who: &str, says: &str, sure: &str) {
        let head =
            "player,games,win_rate,win_rate_low,win_rate_high,mean_score,mean_score_low,mean_score_high\n";
        let table = Table::from_csv(&schemas()[0], (head.to_owned() + &rows.join("\n")).as_bytes()).unwrap();
        let all = standings(&table, None);
        let by = Measure::of(&all);
        let lead = lead(&ranked(all, by), by);
        assert_eq!((&*lead.who, &*lead.says, &*lead.sure), (who, says, sure));
    }

    #[test]
    fn the_first_words_say_who_won_and_how_sure_that_is() {
        check(&[], "", "No game was played to its end.", "");
        check(
            &["a,10,0.5,0.25,0.75,100,90,110"],
            "a",
            "won 50.00 % of its 10 games",
            "The 95 % interval goes from 25.00 to 75.00 %.",
        );
        check(
            &["a,10,0.5,0.4,0.6,100,90,110", "b,10,0.9,0.8,0.95,90,80,100"],
            "b",
            "won most often: 90.00 % of its 10 games",
            "Next is a with 50.00 % [40.00, 60.00]. The 95 % interval of the first, 80.00 to 95.00 %, does not overlap \
             with the other.",
        );
        check(
            &["a,10,0.5,0.4,0.6,100,90,110", "b,10,0.6,0.5,0.7,90,80,100", "c,10,0.1,0.0,0.2,90,80,100"],
            "b",
            "won most often: 60.00 % of its 10 games",
            "Whether it is really the best is open: the 95 % intervals of 1 of the 2 others overlap with that of the \
             first, 50.00 to 70.00 %. Next is a with 50.00 % [40.00, 60.00].",
        );
    }

    #[test]
    fn where_win_rates_say_nothing_scores_speak() {
        check(
            &["a,10,0,0,0.2,100,90,110", "b,10,0,0,0.2,200,190,210"],
            "b",
            "scored most, 200 on average over its 10 games; nobody won a game",
            "Next is a with 100 [90, 110]. The 95 % interval of the first, 190 to 210, does not overlap with the other.",
        );
        check(
            &["a,1,0,0,0.8,100,,"],
            "a",
            "did not win its only game, with a score of 100",
            "That is too little for an interval.",
        );
        check(
            &["a,1,0,0,0.8,100,,", "b,1,0,0,0.8,100,,"],
            "a and b",
            "scored equally, 100 on average, and nobody won a game",
            "These games do not say which of them is better.",
        );
    }
}
