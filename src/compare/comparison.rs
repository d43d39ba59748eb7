//! Which of two players is better by one measure, and how sure that is: the numbers. `answer` puts them into words.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::measure::Measure;
use crate::stats::{
    Estimate, Pairs, Ratio, SignedRanks, above_zero, anytime_difference, anytime_p, hodges_lehmann,
    independent_ratio, newcombe, p_excluding, paired_ratio, ratio,
};
use crate::table::{Cell, Column, Kind, Schema, Table};
use crate::tally::RESAMPLES;
use crate::tally::rows::Game;

/// A player's games, as a side of a comparison.
#[derive(Clone, Debug)]
pub struct Side<'a> {
    /// What it is called in the answer.
    pub name: String,
    /// Its games.
    pub games: &'a [Game],
    /// Milliseconds of the processor for a move.
    pub ms: Option<Estimate>,
}

/// What is asked of two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// By what they are compared.
    pub by: Measure,
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
    Difference(Estimate),
    /// So many times as much.
    Ratio(Estimate),
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
    /// Scores: whether one point was added to each, for some are 0.
    pub is_shifted: bool,
    /// Games of both that have no counterpart and were left out.
    pub left_out: u64,
    /// What another test has decided before, which then is the answer.
    pub decided: Option<Shown>,
    /// Scores on the same seeds: what their ranks say, on which a few large ones have little influence.
    pub ranks: Option<Ranks>,
}

/// Differences of scores, by their ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranks {
    /// Wilcoxon's p.
    pub p: f64,
    /// The median of the means of two differences, after Hodges and Lehmann.
    pub difference: Estimate,
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
            is_shifted: false,
            left_out: 0,
            decided: None,
            ranks: None,
        };
        match question.by {
            Measure::MsPerMove | Measure::MsPerGame => comparison.by_time(first.ms, second.ms),
            Measure::Score => comparison.by_score(first.games, second.games),
            Measure::Win | Measure::Reach(_) => comparison.by_rate(first.games, second.games),
        }
        comparison
    }

    fn by_rate(&mut self, first: &[Game], second: &[Game]) {
        let Question { by, level, margin, sequential } = self.question;
        let succeeds = |game: &Game| game.succeeds(by);
        let floor = -margin.unwrap_or(0.0);
        if let Some(matched) = matched(first, second) {
            let mut pairs = Pairs::default();
            matched.iter().for_each(|(one, other)| pairs.add(succeeds(one), succeeds(other)));
            let games = pairs.trials();
            self.pairing = Pairing::Paired(games);
            self.left_out = first.len() as u64 + second.len() as u64 - 2 * games;
            self.pairs = Some(pairs);
            self.values = [pairs.only_first, pairs.only_second]
                .map(|only| (games > 0).then(|| (pairs.both + only) as f64 / games as f64));
            let interval =
                |level| if sequential { anytime_difference(pairs, level) } else { pairs.difference(level) };
            self.effect = interval(level).map(Effect::Difference);
            self.p = match (margin, sequential) {
                (Some(_), _) => p_excluding(floor, interval),
                (None, true) => Some(anytime_p(pairs)),
                (None, false) => (games > 0).then(|| pairs.mcnemar()),
            };
        } else {
            let counts = [first, second]
                .map(|games| (games.iter().filter(|game| succeeds(game)).count() as u64, games.len() as u64));
            self.values =
                counts.map(|(successes, games)| (games > 0).then(|| successes as f64 / games as f64));
            let interval = |level| newcombe(counts[0], counts[1], level);
            self.effect = interval(level).map(Effect::Difference);
            self.p = p_excluding(floor, interval);
        }
    }

    fn by_score(&mut self, first: &[Game], second: &[Game]) {
        let Question { level, margin, .. } = self.question;
        let score = |game: &Game| game.score as f64;
        let mean =
            |scores: &[f64]| (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64);
        let ratio: Box<dyn Fn(f64) -> Option<Ratio>> = if let Some(matched) = matched(first, second) {
            let scores: Vec<(f64, f64)> =
                matched.iter().map(|(one, other)| (score(one), score(other))).collect();
            let (one, other): (Vec<f64>, Vec<f64>) = scores.iter().copied().unzip();
            self.pairing = Pairing::Paired(scores.len() as u64);
            self.left_out = (first.len() + second.len() - 2 * scores.len()) as u64;
            self.values = [mean(&one), mean(&other)];
            let differences: Vec<f64> = scores.iter().map(|(one, other)| one - other).collect();
            let p = SignedRanks::of(&differences).p();
            self.ranks = hodges_lehmann(&differences, level).map(|difference| Ranks { p, difference });
            let (scores, is_shifted) = above_zero(&scores);
            self.is_shifted = is_shifted;
            Box::new(move |level| paired_ratio(scores.iter().copied(), level))
        } else {
            let [one, other] = [first, second].map(|games| games.iter().map(score).collect::<Vec<f64>>());
            self.values = [mean(&one), mean(&other)];
            self.is_shifted = one.iter().chain(&other).any(|&score| score == 0.0);
            let more = if self.is_shifted { 1.0 } else { 0.0 };
            let [one, other] =
                [one, other].map(|scores| scores.iter().map(|score| score + more).collect::<Vec<_>>());
            Box::new(move |level| independent_ratio(&one, &other, level))
        };
        let Some(found) = ratio(level) else { return };
        self.effect = Some(Effect::Ratio(found.estimate));
        self.spread = Some(found.spread);
        self.p = match margin {
            Some(margin) => p_excluding(1.0 - margin, |level| ratio(level).map(|ratio| ratio.estimate)),
            None => Some(found.p),
        };
    }

    fn by_time(&mut self, first: Option<Estimate>, second: Option<Estimate>) {
        let Question { level, margin, .. } = self.question;
        self.values = [first, second].map(|ms| ms.map(|ms| ms.value));
        let Some((first, second)) = first.zip(second) else { return };
        let interval = |level| ratio(first, second, level);
        self.effect = interval(level).map(Effect::Ratio);
        // The bounds are from so many samples, which know of no rarer chances.
        let p = p_excluding(1.0 + margin.unwrap_or(0.0), interval);
        self.p = p.map(|p| p.max(1.0 / RESAMPLES as f64));
    }

    /// Whether both did the same wherever both played.
    pub fn is_same(&self) -> bool {
        let same_ratio = matches!(self.effect, Some(Effect::Ratio(ratio)) if ratio.value == 1.0);
        let is_paired = matches!(self.pairing, Pairing::Paired(_));
        is_paired
            && (self.pairs.is_some_and(|pairs| pairs.discordant() == 0)
                || (self.spread == Some(0.0) && same_ratio))
    }

    /// What is shown: by the corrected p, and on the side on which the estimate lies.
    pub fn shown(&self) -> Shown {
        if let Some(decided) = self.decided {
            return decided;
        }
        let (Some(effect), Some(p)) = (self.effect, self.adjusted.or(self.p)) else { return Shown::Nothing };
        if p > 1.0 - self.question.level {
            return Shown::Nothing;
        }
        let margin = self.question.margin.unwrap_or(0.0);
        let is_time = self.question.by.is_time();
        let (estimate, border) = match effect {
            Effect::Difference(interval) => (interval.value, -margin),
            Effect::Ratio(interval) if is_time => (-interval.value, -(1.0 + margin)),
            Effect::Ratio(interval) => (interval.value, 1.0 - margin),
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

/// The games of both on the seeds that both played, if these are nine of ten of the fewer or more; else too many would be
/// left out, and they are compared as what they mostly are, games of their own.
fn matched(first: &[Game], second: &[Game]) -> Option<Vec<(Game, Game)>> {
    let is_same = first.len() == second.len() && first.iter().zip(second).all(|(a, b)| a.seed == b.seed);
    let matched: Vec<_> = if is_same {
        first.iter().copied().zip(second.iter().copied()).collect()
    } else {
        let by_seed: BTreeMap<u64, Game> = second.iter().map(|game| (game.seed, *game)).collect();
        first.iter().filter_map(|game| Some((*game, *by_seed.get(&game.seed)?))).collect()
    };
    (10 * matched.len() >= 9 * first.len().min(second.len()) && !matched.is_empty()).then_some(matched)
}

/// A bound beyond this bounds nothing.
pub const UNBOUNDED: f64 = 1e6;

/// A table of comparisons that is called so.
pub const fn schema(name: &'static str) -> Schema {
    Schema { name, columns: Cow::Borrowed(&COLUMNS), level: None }
}

const COLUMNS: [Column; 28] = [
    Column::words("player"),
    Column::words("than"),
    Column::words("by"),
    Column::number("margin"),
    Column::number("level"),
    Column::words("pairing"),
    Column::count("games"),
    Column::count("than_games"),
    Column::number("value"),
    Column::number("than_value"),
    Column::number("difference"),
    Column::number("difference_low").low_of("difference"),
    Column::number("difference_high").high_of("difference"),
    Column::number("ratio"),
    Column::number("ratio_low").low_of("ratio"),
    Column::number("ratio_high").high_of("ratio"),
    Column::probability("p"),
    Column::probability("adjusted_p"),
    Column::count("left_out"),
    Column::count("only_player"),
    Column::count("only_than"),
    Column::number("correlation"),
    Column::probability("ranks_p"),
    Column::number("score_difference"),
    Column::number("score_difference_low").low_of("score_difference"),
    Column::number("score_difference_high").high_of("score_difference"),
    Column::words("verdict"),
    Column::new("answer", Kind::Answer),
];

/// Comparisons as a table, with the answer to each in words.
pub fn table(
    schema: &Schema,
    comparisons: &[(Comparison, String)],
    words: impl Fn(Shown) -> &'static str,
) -> Table {
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
        let bounds = |interval: Option<&Estimate>| {
            // Of two games a ratio may be anything, which is not worth its digits.
            let bound = |of: fn(&Estimate) -> f64| {
                Cell::real(interval.map(of).filter(|bound| bound.abs() < UNBOUNDED), 6)
            };
            [bound(|within| within.value), bound(|within| within.low), bound(|within| within.high)]
        };
        let decimals = if question.by == Measure::Score { 2 } else { 6 };
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
            Cell::Whole(comparison.left_out),
            only(|pairs| pairs.only_first),
            only(|pairs| pairs.only_second),
            Cell::real(pairs.as_ref().and_then(|pairs| pairs.correlation()), 4),
            ranks.map_or(Cell::Nothing, |ranks| Cell::Probability(ranks.p)),
            Cell::real(ranks.map(|ranks| ranks.difference.value), 2),
            Cell::real(ranks.map(|ranks| ranks.difference.low), 2),
            Cell::real(ranks.map(|ranks| ranks.difference.high), 2),
            Cell::Text(words(comparison.shown()).to_owned()),
            Cell::Text(answer.clone()),
        ]);
        row
    };
    Table::new(schema, comparisons.iter().map(row).collect())
}
