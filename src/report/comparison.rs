//! Which of two players is better by one measure, and how sure that is: the numbers. `answer` puts them into words.

use std::collections::BTreeMap;

use super::games::Game;
use super::table::{Cell, Table};
use crate::config::what::What;
use crate::stats::{
    Interval, Pairs, SignedRanks, hodges_lehmann, independent_ratio, mixture_interval, mixture_log_evidence,
    newcombe, paired_ratio, ratio,
};

/// A player's games, as a side of a comparison.
#[derive(Clone, Debug)]
pub struct Side<'a> {
    /// What it is called in the answer.
    pub name: String,
    /// Its games.
    pub games: &'a [Game],
    /// Milliseconds of the processor for a move.
    pub ms: Option<Interval>,
}

/// What is asked of two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// By what they are compared.
    pub by: What,
    /// How sure the answer shall be.
    pub level: f64,
    /// If the first need only be at least as good: how much worse it may be.
    pub margin: Option<f64>,
    /// Whether the games were ended by what they had shown: then only what holds at every look holds here.
    pub sequential: bool,
}

/// Which games were set beside which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// So many games on the same seeds.
    Paired(u64),
    /// Games of each, on seeds of their own.
    Independent(u64, u64),
}

/// By how much the first differs from the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// So much more, as a part of all games.
    Difference(Interval),
    /// So many times as much.
    Ratio(Interval),
}

/// Two players compared.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The first.
    pub player: String,
    /// The other.
    pub than: String,
    /// What was asked.
    pub question: Question,
    /// Which games were set beside which.
    pub pairing: Pairing,
    /// The rate, mean or time of each; none of no games.
    pub values: [Option<f64>; 2],
    /// By how much they differ; none where the games are too few to tell.
    pub effect: Option<Effect>,
    /// How often equals (or, with a margin, players that far apart) would differ as much.
    pub p: Option<f64>,
    /// The same, corrected for the number of comparisons.
    pub adjusted: Option<f64>,
    /// Rates on the same seeds: how often which of them succeeded.
    pub pairs: Option<Pairs>,
    /// Scores: the standard deviation of the logarithm of their ratio.
    pub spread: Option<f64>,
    /// Scores on the same seeds: what their ranks say, on which a few large ones have little influence.
    pub ranks: Option<Ranks>,
}

/// Differences of scores, by their ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranks {
    /// Wilcoxon's p.
    pub p: f64,
    /// The median of the means of two differences, after Hodges and Lehmann.
    pub difference: Interval,
}

/// What a comparison has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// What was asked: the first is better, or at least as good.
    Yes,
    /// That it is worse.
    Opposite,
    /// Nothing.
    Nothing,
}

impl Comparison {
    /// Compares two players.
    pub fn of(first: &Side, second: &Side, question: Question) -> Comparison {
        let mut comparison = Comparison {
            player: first.name.clone(),
            than: second.name.clone(),
            question,
            pairing: Pairing::Independent(first.games.len() as u64, second.games.len() as u64),
            values: [None; 2],
            effect: None,
            p: None,
            adjusted: None,
            pairs: None,
            spread: None,
            ranks: None,
        };
        match question.by {
            What::MsPerMove | What::MsPerGame => comparison.by_time(first.ms, second.ms),
            What::Score => comparison.by_score(first.games, second.games),
            What::Win => comparison.by_rate(first.games, second.games, |game| game.won),
            What::Reach(tile) => {
                comparison.by_rate(first.games, second.games, |game| game.reached >= i64::from(tile));
            }
        }
        comparison
    }

    fn by_rate(&mut self, first: &[Game], second: &[Game], succeeds: impl Fn(&Game) -> bool) {
        let Question { level, margin, sequential, .. } = self.question;
        let floor = -margin.unwrap_or(0.0);
        if let Some(matched) = matched(first, second) {
            let mut pairs = Pairs::default();
            matched.iter().for_each(|(one, other)| pairs.add(succeeds(one), succeeds(other)));
            let games = pairs.trials();
            self.pairing = Pairing::Paired(games);
            self.pairs = Some(pairs);
            self.values = [pairs.only_first, pairs.only_second]
                .map(|only| (games > 0).then(|| (pairs.both + only) as f64 / games as f64));
            let interval =
                |level| if sequential { at_any_time(pairs, level) } else { pairs.difference(level) };
            self.effect = interval(level).map(Effect::Difference);
            self.p = match (margin, sequential) {
                (Some(_), _) => excluded(floor, interval),
                (None, true) => Some(evidence_against_equal(pairs)),
                (None, false) => (games > 0).then(|| pairs.mcnemar()),
            };
        } else {
            let counts = [first, second]
                .map(|games| (games.iter().filter(|game| succeeds(game)).count() as u64, games.len() as u64));
            self.values =
                counts.map(|(successes, games)| (games > 0).then(|| successes as f64 / games as f64));
            let interval = |level| newcombe(counts[0], counts[1], level);
            self.effect = interval(level).map(Effect::Difference);
            self.p = excluded(floor, interval);
        }
    }

    fn by_score(&mut self, first: &[Game], second: &[Game]) {
        let Question { level, margin, .. } = self.question;
        let floor = 1.0 - margin.unwrap_or(0.0);
        let mean = |games: &mut dyn Iterator<Item = &Game>| {
            let (sum, count) =
                games.fold((0_u128, 0_u64), |(sum, n), game| (sum + u128::from(game.score), n + 1));
            (count > 0).then(|| sum as f64 / count as f64)
        };
        let matched = matched(first, second);
        // Of 0 there is no logarithm; one point more for everybody changes no other score by much.
        let has_zero = first.iter().chain(second).any(|game| game.score == 0);
        let score = |game: &Game| (game.score + u64::from(has_zero)) as f64;
        let found = |level| match &matched {
            Some(matched) => {
                let scores: Vec<_> = matched.iter().map(|(one, other)| (score(one), score(other))).collect();
                paired_ratio(scores, level)
            }
            None => {
                let [first, second] =
                    [first, second].map(|games| games.iter().map(score).collect::<Vec<_>>());
                independent_ratio(&first, &second, level)
            }
        };
        if let Some(matched) = &matched {
            self.pairing = Pairing::Paired(matched.len() as u64);
            self.values = [
                mean(&mut matched.iter().map(|(one, _)| one)),
                mean(&mut matched.iter().map(|(_, other)| other)),
            ];
            let differences: Vec<f64> =
                matched.iter().map(|(one, other)| one.score as f64 - other.score as f64).collect();
            let location = hodges_lehmann(&differences, level).map(|location| location.interval);
            let p = SignedRanks::of(&differences).p();
            self.ranks = location.map(|difference| Ranks { p, difference });
        } else {
            self.values = [mean(&mut first.iter()), mean(&mut second.iter())];
        }
        let Some(answer) = found(level) else { return };
        self.effect = Some(Effect::Ratio(answer.interval));
        self.spread = Some(answer.spread);
        self.p = if margin.is_some() {
            excluded(floor, |level| found(level).map(|ratio| ratio.interval))
        } else {
            Some(answer.p)
        };
    }

    fn by_time(&mut self, first: Option<Interval>, second: Option<Interval>) {
        let Question { level, margin, .. } = self.question;
        self.values = [first, second].map(|ms| ms.map(|ms| ms.estimate));
        let Some((first, second)) = first.zip(second) else { return };
        let interval = |level| ratio(first, second, level);
        self.effect = interval(level).map(Effect::Ratio);
        self.p = excluded(1.0 + margin.unwrap_or(0.0), interval);
    }

    /// Whether both did the same wherever both played.
    pub fn is_same(&self) -> bool {
        let same_ratio = matches!(self.effect, Some(Effect::Ratio(ratio)) if ratio.estimate == 1.0);
        self.pairs.is_some_and(|pairs| pairs.discordant() == 0) || (self.spread == Some(0.0) && same_ratio)
    }

    /// What is shown: by the corrected p, and on the side on which the estimate lies.
    pub fn shown(&self) -> Shown {
        let (Some(effect), Some(p)) = (self.effect, self.adjusted.or(self.p)) else { return Shown::Nothing };
        if p > 1.0 - self.question.level {
            return Shown::Nothing;
        }
        let margin = self.question.margin.unwrap_or(0.0);
        let is_time = self.question.by.is_time();
        let (estimate, border) = match effect {
            Effect::Difference(interval) => (interval.estimate, -margin),
            Effect::Ratio(interval) if is_time => (-interval.estimate, -(1.0 + margin)),
            Effect::Ratio(interval) => (interval.estimate, 1.0 - margin),
        };
        if estimate > border {
            Shown::Yes
        } else if estimate < border {
            Shown::Opposite
        } else {
            Shown::Nothing
        }
    }
}

/// The games of both on the seeds that both played, if these are at least half of the fewer; else they are better
/// compared as what they are, games of their own.
fn matched(first: &[Game], second: &[Game]) -> Option<Vec<(Game, Game)>> {
    let is_same = first.len() == second.len() && first.iter().zip(second).all(|(a, b)| a.seed == b.seed);
    let matched: Vec<_> = if is_same {
        first.iter().copied().zip(second.iter().copied()).collect()
    } else {
        let by_seed: BTreeMap<u64, Game> = second.iter().map(|game| (game.seed, *game)).collect();
        first.iter().filter_map(|game| Some((*game, *by_seed.get(&game.seed)?))).collect()
    };
    (2 * matched.len() >= first.len().min(second.len()) && !matched.is_empty()).then_some(matched)
}

/// One less the highest level at which an interval still leaves this number out: the p of the test that the interval
/// belongs to. Bounds grow with their level, so it is found by halving.
fn excluded(number: f64, interval: impl Fn(f64) -> Option<Interval>) -> Option<f64> {
    let excludes =
        |p: f64| interval(1.0 - p).is_some_and(|within| number < within.low || within.high < number);
    interval(0.5)?;
    // On the scale of exponents, where small ones have room. What is smaller than that is nobody's concern.
    let (mut shown, mut not_shown) = (0.0_f64, 36.0_f64);
    if !excludes(0.999_999) {
        return Some(1.0);
    }
    for _ in 0..60 {
        let middle = f64::midpoint(shown, not_shown);
        if excludes((-middle).exp().min(0.999_999)) { shown = middle } else { not_shown = middle }
    }
    Some((-shown).exp())
}

/// One over the evidence against a fair coin among the games that differ: it may be looked at after every game.
fn evidence_against_equal(pairs: Pairs) -> f64 {
    let differ = pairs.discordant();
    (-mixture_log_evidence(pairs.only_first, differ, 0.5, EVEN)).exp().min(1.0)
}

/// Anything is as likely as anything else beforehand.
const EVEN: (f64, f64) = (1.0, 1.0);

/// The difference with bounds that hold at every look: of how many games differ, and of how many of those are the
/// first's, each at half of the risk.
fn at_any_time(pairs: Pairs, level: f64) -> Option<Interval> {
    let (games, differ) = (pairs.trials(), pairs.discordant());
    if games == 0 {
        return None;
    }
    let half = f64::midpoint(1.0, level);
    let part = mixture_interval(differ, games, half, EVEN);
    let won = mixture_interval(pairs.only_first, differ, half, EVEN);
    // The difference is the part that differs, times by how much one is ahead in it: the bound of the first that lies
    // further out is the one that makes the product so.
    let [behind, ahead] = [won.low, won.high].map(|won| 2.0 * won - 1.0);
    let low = behind * if behind < 0.0 { part.high } else { part.low };
    let high = ahead * if ahead > 0.0 { part.high } else { part.low };
    let estimate = (pairs.only_first as f64 - pairs.only_second as f64) / games as f64;
    Some(Interval { low, estimate, high, level })
}

/// Comparisons as a table, with the answer to each in words.
pub fn table(
    name: &str,
    comparisons: &[(Comparison, String)],
    words: impl Fn(Shown) -> &'static str,
) -> Table {
    let columns = [
        "player",
        "than",
        "by",
        "margin",
        "level",
        "pairing",
        "games",
        "than_games",
        "value",
        "than_value",
        "difference",
        "difference_low",
        "difference_high",
        "ratio",
        "ratio_low",
        "ratio_high",
        "p",
        "adjusted_p",
        "only_player",
        "only_than",
        "correlation",
        "ranks_p",
        "score_difference",
        "score_difference_low",
        "score_difference_high",
        "verdict",
        "answer",
    ];
    let row = |(comparison, answer): &(Comparison, String)| {
        let Comparison { question, effect, pairs, ranks, .. } = comparison;
        let (pairing, games, than_games) = match comparison.pairing {
            Pairing::Paired(games) => ("paired", games, games),
            Pairing::Independent(games, than_games) => ("independent", games, than_games),
        };
        let (difference, ratio) = match effect {
            Some(Effect::Difference(interval)) => (Some(interval), None),
            Some(Effect::Ratio(interval)) => (None, Some(interval)),
            None => (None, None),
        };
        let bounds = |interval: Option<&Interval>| {
            let bound = |of: fn(&Interval) -> f64| Cell::real(interval.map(of), 6);
            [bound(|within| within.estimate), bound(|within| within.low), bound(|within| within.high)]
        };
        let decimals = if question.by == What::Score { 2 } else { 6 };
        let only =
            |of: fn(&Pairs) -> u64| pairs.as_ref().map_or(Cell::Nothing, |pairs| Cell::Whole(of(pairs)));
        let mut row = vec![
            Cell::Text(comparison.player.clone()),
            Cell::Text(comparison.than.clone()),
            Cell::Text(question.by.to_string()),
            question.margin.map_or(Cell::Nothing, Cell::as_printed),
            Cell::as_printed(question.level),
            Cell::Text(pairing.to_owned()),
            Cell::Whole(games),
            Cell::Whole(than_games),
            Cell::real(comparison.values[0], decimals),
            Cell::real(comparison.values[1], decimals),
        ];
        row.extend(bounds(difference));
        row.extend(bounds(ratio));
        row.extend([
            comparison.p.map_or(Cell::Nothing, Cell::Probability),
            comparison.adjusted.map_or(Cell::Nothing, Cell::Probability),
            only(|pairs| pairs.only_first),
            only(|pairs| pairs.only_second),
            Cell::real(pairs.as_ref().and_then(|pairs| pairs.correlation()), 4),
            ranks.map_or(Cell::Nothing, |ranks| Cell::Probability(ranks.p)),
            Cell::real(ranks.map(|ranks| ranks.difference.estimate), 2),
            Cell::real(ranks.map(|ranks| ranks.difference.low), 2),
            Cell::real(ranks.map(|ranks| ranks.difference.high), 2),
            Cell::Text(words(comparison.shown()).to_owned()),
            Cell::Text(answer.clone()),
        ]);
        row
    };
    Table::new(name, &columns, comparisons.iter().map(row).collect())
}
