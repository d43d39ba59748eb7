//! Comparisons for people: one row per pair, the best first; or all pairs as a matrix.

use std::collections::BTreeMap;

use gauntlet_core::measure::Measure;
use gauntlet_core::table::{ColumnContent, TextTable};
use gauntlet_core::text::format_level;

use super::contestants::{Contestant, sort_by_strength};
use super::pairwise::PairwiseQuestion;
use crate::answer::comparison::DifferenceFormat;
use crate::compare::comparison::Comparison;

/// Comparisons of some pairs of players by some measures, from [`super::pairwise::compare`].
#[derive(Clone, Copy, Debug)]
pub struct PairwiseComparisons<'a> {
    pub players: &'a [Contestant],
    /// Pairs, as indices of players.
    pub pairs: &'a [(usize, usize)],
    /// True if these are all pairs: then each row begins with the better player, otherwise with the
    /// player asked about.
    pub are_all: bool,
    /// The question.
    pub asked: &'a PairwiseQuestion,
    /// Comparisons of all pairs by each measure, in order.
    pub comparisons: &'a [Comparison],
}

/// A comparison and the indices of its players.
type ComparedPair<'a> = (&'a Comparison, (usize, usize));

impl<'a> PairwiseComparisons<'a> {
    /// Groups comparisons by measure, each with its pair.
    fn group_by_measure(self) -> impl Iterator<Item = (Measure, Vec<ComparedPair<'a>>)> {
        let chunks = self.comparisons.chunks(self.pairs.len().max(1));
        self.asked
            .by
            .iter()
            .copied()
            .zip(chunks)
            .map(move |(by, chunk)| (by, chunk.iter().zip(self.pairs.iter().copied()).collect()))
    }

    /// Makes a table with one row per pair, the best first; for all pairs, sorted by the better
    /// player.
    pub fn to_sheet(self) -> TextTable {
        let heads = [
            ("player", ColumnContent::Names),
            ("answer", ColumnContent::Words),
            ("than", ColumnContent::Names),
            ("by", ColumnContent::Words),
            (&*format!("difference [{}]", format_level(self.asked.level)), ColumnContent::Numbers),
            ("p", ColumnContent::Numbers),
            ("games", ColumnContent::Numbers),
        ];
        let mut rows = Vec::new();
        for (by, comparisons) in self.group_by_measure() {
            let mut rank = vec![0; self.players.len()];
            let (order, _) = sort_by_strength(self.players, by, self.asked.level);
            order.into_iter().enumerate().for_each(|(place, player)| rank[player] = place);
            let mut ordered: Vec<_> = comparisons
                .into_iter()
                .map(|(comparison, (one, other))| {
                    let lead = comparison.lead();
                    let is_turned = self.are_all && lead.map_or(rank[one] > rank[other], |lead| lead < 0.0);
                    let (one, other) = if is_turned { (other, one) } else { (one, other) };
                    (comparison, is_turned, rank[one], rank[other])
                })
                .collect();
            if self.are_all {
                ordered.sort_by_key(|&(_, _, one, other)| (one, other));
            } else {
                let key = |comparison: &Comparison| comparison.lead().unwrap_or(f64::NEG_INFINITY);
                ordered.sort_by(|one, other| key(other.0).total_cmp(&key(one.0)));
            }
            rows.extend(ordered.into_iter().map(|(comparison, is_turned, ..)| {
                let [player, than] = comparison.names(is_turned);
                vec![
                    player.to_owned(),
                    comparison.verdict(is_turned).to_owned(),
                    than.to_owned(),
                    by.to_string(),
                    comparison.format_difference(is_turned),
                    comparison.deciding_p().map_or_else(String::new, |(sign, p)| match sign {
                        '=' => p,
                        less => format!("{less}{p}"),
                    }),
                    comparison.format_games(),
                ]
            }));
        }
        // An answer without its difference says little.
        let difference = heads[4].0.to_owned();
        TextTable::new(heads.map(|(head, holds)| (head.to_owned(), holds)).to_vec(), rows)
            .with_needed(&difference)
    }

    /// Makes the table without columns that are equal in every row; a line above the table has
    /// their values, if any.
    pub fn to_sheet_with_line(self) -> (Option<String>, TextTable) {
        let mut sheet = self.to_sheet();
        let than = sheet.take_same("than").map(|than| format!("against {than}"));
        let by = sheet.take_same("by").map(|by| format!("by {by}"));
        let said: Vec<String> = than.into_iter().chain(by).collect();
        ((!said.is_empty()).then(|| said.join(", ") + ":"), sheet)
    }

    /// Makes a matrix of all players for each measure, the best first, with a line that explains
    /// it. Cells have as many digits as fit in the width.
    pub fn matrices(self, width: Option<usize>) -> Vec<(String, TextTable)> {
        let matrix = |(by, comparisons): (Measure, Vec<_>)| {
            let forms = [DifferenceFormat::All, DifferenceFormat::Whole, DifferenceFormat::Sign];
            let mut forms = forms.map(|digits| (digits, self.matrix(by, &comparisons, digits))).into_iter();
            let fitting = forms.find(|(_, sheet)| width.is_none_or(|width| sheet.fits(width)));
            let (digits, sheet) = fitting.unwrap_or_else(|| {
                (DifferenceFormat::Sign, self.matrix(by, &comparisons, DifferenceFormat::Sign))
            });
            let unit = match by {
                _ if digits == DifferenceFormat::Sign => "",
                _ if by.is_rate() || by == Measure::Points => ", in points",
                _ if by.is_time() => ", in speed",
                _ => ", in scores",
            };
            let said = format!("by {by}: rows against columns{unit}; + better, - worse, ? inconclusive");
            (said, sheet)
        };
        self.group_by_measure().map(matrix).collect()
    }

    fn matrix(self, by: Measure, comparisons: &[ComparedPair], digits: DifferenceFormat) -> TextTable {
        let (order, _) = sort_by_strength(self.players, by, self.asked.level);
        let mut cells = BTreeMap::new();
        for &(comparison, (one, other)) in comparisons {
            cells.insert((one, other), comparison.format_cell(false, digits));
            cells.insert((other, one), comparison.format_cell(true, digits));
        }
        let mut heads =
            vec![("no".to_owned(), ColumnContent::Numbers), ("player".to_owned(), ColumnContent::Names)];
        heads.extend((1..=order.len()).map(|number| (number.to_string(), ColumnContent::Numbers)));
        let rows = order.iter().enumerate().map(|(place, player)| {
            let cell = |other: &usize| cells.get(&(*player, *other)).cloned().unwrap_or_default();
            let head = [(place + 1).to_string(), self.players[*player].label.clone()];
            head.into_iter().chain(order.iter().map(cell)).collect()
        });
        TextTable::new(heads, rows.collect())
    }

    /// Returns notes about the table, each in a sentence.
    pub fn notes(self) -> Vec<String> {
        let tested = self.comparisons.iter().filter(|comparison| comparison.p.is_some()).count();
        let mut notes = Vec::new();
        match self.comparisons.first().map_or(0, |comparison| comparison.family) {
            all if all > tested => notes.push(format!(
                "p is corrected for all {all} pairs of players, because the pairs were chosen after the games were played; intervals are not corrected"
            )),
            0 | 1 => {}
            all => notes.push(format!("p is corrected for {all} comparisons; intervals are not corrected")),
        }
        // Each caveat, with its first comparison and the number of comparisons that have it.
        let mut caveats: Vec<(String, &Comparison, usize)> = Vec::new();
        for comparison in self.comparisons {
            // The decision that ended the run is the answer; the columns are not.
            let decided = comparison.decided.as_ref().map(|decided| decided.answer.clone());
            for caveat in decided.into_iter().chain(comparison.caveats()) {
                match caveats.iter_mut().find(|(known, ..)| *known == caveat) {
                    Some((_, _, count)) => *count += 1,
                    None => caveats.push((caveat, comparison, 1)),
                }
            }
        }
        let all = self.comparisons.len();
        // If all comparisons are corrected for equally many earlier answers, the sentence about the
        // family says so.
        let corrected = self.comparisons.first().and_then(Comparison::describe_earlier_answers);
        let of_all =
            caveats.iter().position(|(caveat, _, count)| Some(caveat) == corrected.as_ref() && *count == all);
        if let (Some(place), Some(note)) = (of_all, notes.last_mut()) {
            *note += &format!(". Both are {}.", caveats.remove(place).0);
        }
        notes.extend(caveats.into_iter().map(|(caveat, first, count)| match count {
            count if count == all => caveat,
            1 => format!("{} vs {} by {}: {caveat}", first.player, first.than, first.question.by),
            count => format!("{count} of {all} comparisons: {caveat}"),
        }));
        notes
    }
}
